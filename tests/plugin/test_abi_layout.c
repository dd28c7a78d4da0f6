/* SPDX-License-Identifier: BSD-3-Clause */
/* Are the structs of the C ABI laid out as frozen? Every offset and size on 64-bit machines, checked by the compiler: a
 * member that moves does not build. Members are appended at the end only, with a new abiMinor and new lines here. */

#include "cases.h"
#include "brink/ccd.h"
#include "brink/cook.h"
#include "brink/clearance.h"
#include "brink/inverse_path.h"
#include "brink/linear.h"
#include "brink/robot.h"
#include "brink/tolerance.h"

/* LAYOUT(type, size, (member, offset) (member, offset) ...): the two macros take turns at the row of pairs. */
#define AT(member, bytes) _Static_assert(offsetof(laidOut, member) == (bytes), #member);
#define FIRST(member, bytes) AT(member, bytes) SECOND
#define SECOND(member, bytes) AT(member, bytes) FIRST
#define FIRST_END
#define SECOND_END
#define END_OF(row) END_OF_IT(row)
#define END_OF_IT(row) row##_END
#define LAYOUT(type, bytes, members)                              \
  do {                                                            \
    typedef type laidOut;                                         \
    _Static_assert(sizeof(laidOut) == (bytes), "size of " #type); \
    END_OF(FIRST members)                                         \
  } while (0)

CASE(layout_is_as_frozen) {
#if UINTPTR_MAX == 0xffffffffffffffffu
  LAYOUT(brinkVec3, 24, (x, 0)(y, 8)(z, 16));
  LAYOUT(brinkQuat, 32, (w, 0)(x, 8)(y, 16)(z, 24));
  LAYOUT(brinkPose, 56, (position, 0)(rotation, 24));
  LAYOUT(brinkAabb, 48, (lower, 0)(upper, 24));
  LAYOUT(brinkMeshView, 40, (structSize, 0)(flags, 4)(vertices, 8)(vertexCount, 16)(indices, 24)(triangleCount, 32));
  LAYOUT(brinkHost, 40, (structSize, 0)(abiMajor, 4)(user, 8)(allocate, 16)(release, 24)(log, 32));
  LAYOUT(brinkWorldDef, 16, (structSize, 0)(flags, 4)(taylorOrder, 8)(reserved, 12));
  LAYOUT(brinkShapeChild, 64, (shape, 0)(pose, 8));
  LAYOUT(brinkShapeDef, 208,
         (structSize, 0)(type, 4)(flags, 8)(reserved, 12)(size, 16)(normal, 40)(offset, 64)(margin, 72)(mesh, 80)(
             blob, 120)(blobSize, 128)(heights, 136)(columns, 144)(rows, 152)(children, 160)(childCount, 168)(
             support, 176)(supportUser, 184)(supportRadius, 192)(supportRounding, 200));
  LAYOUT(brinkBodyDef, 80, (structSize, 0)(flags, 4)(userData, 8)(parent, 16)(pose, 24));
  LAYOUT(brinkBodyMotion, 184,
         (structSize, 0)(kind, 4)(flags, 8)(reserved, 12)(pose0, 16)(pose1, 72)(velocity, 128)(spin, 152)(path, 176));
  LAYOUT(brinkMotionKey, 88, (time, 0)(pose, 8)(slope, 64));
  LAYOUT(brinkMotionState, 112, (structSize, 0)(hasVelocities, 4)(pose, 8)(velocity, 64)(spin, 88));
  LAYOUT(brinkMotionBound, 40,
         (structSize, 0)(reserved, 4)(speed, 8)(acceleration, 16)(turnRate, 24)(turnAcceleration, 32));
  LAYOUT(brinkMotionPath, 136,
         (structSize, 0)(flags, 4)(axisPoint, 8)(axis, 32)(angle, 56)(pitch, 64)(keys, 72)(keyCount, 80)(controls, 88)(
             weights, 96)(controlCount, 104)(user, 112)(poseAt, 120)(boundOver, 128));
  LAYOUT(brinkJointDef, 80, (structSize, 0)(flags, 4)(bodyA, 8)(bodyB, 16)(anchorA, 24)(anchorB, 48)(restMargin, 72));
  LAYOUT(brinkColliderDef, 112,
         (structSize, 0)(flags, 4)(body, 8)(shape, 16)(pose, 24)(userData, 80)(categoryBits, 88)(collideBits, 96)(
             allowance, 104));
  LAYOUT(brinkQuery, 120,
         (structSize, 0)(mode, 4)(scheme, 8)(watch, 12)(tStart, 16)(tEnd, 24)(tolerance, 32)(window, 40)(
             maxIterations, 48)(onlyBody, 56)(threshold, 64)(flags, 72)(reserved, 76)(maxTotal, 80)(goOn, 88)(
             goOnUser, 96)(run, 104)(runUser, 112));
  LAYOUT(brinkFeature, 16, (kind, 0)(vertex, 4));
  LAYOUT(brinkContact, 168,
         (state, 0)(iterations, 4)(colliderA, 8)(colliderB, 16)(toi, 24)(toiUpper, 32)(distance, 40)(threshold, 48)(
             pointA, 56)(pointB, 80)(normal, 104)(normalVelocity, 128)(featureA, 136)(featureB, 152));
  LAYOUT(brinkCounters, 72,
         (structSize, 0)(reserved, 4)(pairsBefore, 8)(pairsSpatial, 16)(pairsTemporal, 24)(distanceQueries, 32)(
             advancements, 40)(nodePairs, 48)(cutJoints, 56)(unresolved, 64));
  LAYOUT(brinkReport, 104, (structSize, 0)(state, 4)(toi, 8)(contacts, 16)(contactCount, 24)(counters, 32));
  LAYOUT(brinkContactPoint, 64, (position, 0)(normal, 24)(separation, 48)(featureKey, 56)(reserved, 60));
  LAYOUT(brinkColliderPair, 16, (a, 0)(b, 8));
  LAYOUT(brinkPlugin, 256,
         (structSize, 0)(abiMajor, 4)(abiMinor, 8)(reserved, 12)(version, 16)(statusText, 24)(getExtension, 32)(
             createWorld, 40)(destroyWorld, 48)(lastError, 56)(createShape, 64)(destroyShape, 72)(createBody, 80)(
             destroyBody, 88)(setBodyMotion, 96)(createJoint, 104)(destroyJoint, 112)(createCollider, 120)(
             destroyCollider, 128)(setColliderPose, 136)(setColliderFilter, 144)(setPairFilter, 152)(ignorePair, 160)(
             firstContact, 168)(bodyPose, 176)(nearPairs, 184)(collide, 192)(collideShapes, 200)(distance, 208)(
             colliderAllowance, 216)(sweptBounds, 224)(firstContacts, 232)(jointResidual, 240)(leaveOutOverlaps, 248));
  LAYOUT(brinkCookOptions, 40, (structSize, 0)(flags, 4)(progress, 8)(user, 16)(run, 24)(runUser, 32));
  LAYOUT(brinkMeshSummary, 104,
         (structSize, 0)(closed, 4)(manifold, 8)(convex, 12)(vertexCount, 16)(triangleCount, 24)(degenerateCount, 32)(
             patchCount, 40)(nodeCount, 48)(bounds, 56));
  /* brink/linear.h */
  LAYOUT(brinkAffineMap, 96, (m, 0)(b, 72));
  LAYOUT(brinkLinearBody, 248,
         (structSize, 0)(flags, 4)(vertices0, 8)(vertices1, 16)(vertexCount, 24)(simplices, 32)(simplexCount, 40)(
             radius, 48)(map0, 56)(map1, 152));
  LAYOUT(brinkLinearQuery, 40, (structSize, 0)(flags, 4)(tStart, 8)(tEnd, 16)(tolerance, 24)(maxIterations, 32));
  LAYOUT(brinkLinearContact, 168,
         (structSize, 0)(state, 4)(toi, 8)(toiUpper, 16)(distance, 24)(pointA, 32)(pointB, 56)(normal, 80)(
             normalVelocity, 104)(featureA, 112)(featureB, 128)(simplexA, 144)(simplexB, 152)(iterations, 160));
  LAYOUT(brinkLinearTable, 24, (structSize, 0)(reserved, 4)(firstContact, 8)(firstContactWithCollider, 16));
  /* brink/inverse_path.h */
  LAYOUT(brinkInverseFactorDef, 104,
         (structSize, 0)(kind, 4)(blend, 8)(reserved, 12)(matrices, 16)(weights, 24)(times, 32)(count, 40)(axis, 48)(
             angle, 72));
  LAYOUT(brinkInverseMotionDef, 24, (structSize, 0)(reserved, 4)(factors, 8)(factorCount, 16));
  LAYOUT(brinkInversePatch, 16, (rows, 0)(columns, 4)(controls, 8));
  LAYOUT(brinkInverseSpline, 40, (degreeU, 0)(degreeV, 4)(rows, 8)(columns, 12)(knotsU, 16)(knotsV, 24)(controls, 32));
  LAYOUT(brinkInverseBodyDef, 160,
         (structSize, 0)(kind, 4)(mesh, 8)(patches, 48)(patchCount, 56)(patchError, 64)(bound, 72)(boundUser, 80)(
             boundBox, 88)(splines, 136)(splineCount, 144)(gradient, 152));
  LAYOUT(brinkInverseSceneDef, 376, (structSize, 0)(reserved, 4)(a, 8)(b, 168)(motionA, 328)(motionB, 352));
  LAYOUT(brinkInverseQuery, 80,
         (structSize, 0)(flags, 4)(tStart, 8)(tEnd, 16)(timeTolerance, 24)(spacing, 32)(insidePitch, 40)(run, 48)(
             runUser, 56)(nearDistance, 64)(entrySpread, 72));
  LAYOUT(brinkInverseInterval, 56,
         (startLower, 0)(startUpper, 8)(endLower, 16)(endUpper, 24)(flags, 32)(openInside, 36)(startA, 40)(startB, 44)(
             endA, 48)(endB, 52));
  LAYOUT(brinkInverseIntervals, 48,
         (structSize, 0)(reserved, 4)(intervals, 8)(count, 16)(cells, 24)(openTotal, 32)(error, 40));
  LAYOUT(brinkInversePoint, 104,
         (position, 0)(face, 24)(intervalCount, 28)(firstInterval, 32)(entry, 40)(exit, 48)(entryOnOther, 56)(
             exitOnOther, 80));
  LAYOUT(brinkInverseFace, 40, (triangle, 0)(proven, 4)(entryLower, 8)(entryUpper, 16)(exitLower, 24)(exitUpper, 32));
  LAYOUT(brinkInversePiece, 112,
         (triangle, 0)(in, 4)(corners, 8)(entryLower, 80)(entryUpper, 88)(exitLower, 96)(exitUpper, 104));
  LAYOUT(brinkInverseSubset, 160,
         (structSize, 0)(reserved, 4)(points, 8)(pointCount, 16)(intervals, 24)(intervalCount, 32)(faces, 40)(
             faceCount, 48)(asked, 56)(spacing, 64)(vertices, 72)(triangles, 80)(vertexCount, 88)(triangleCount, 96)(
             error, 104)(sampledBody, 112)(reserved2, 116)(pieces, 120)(pieceCount, 128)(piecesAsked, 136)(
             everywhere, 144)(pathCells, 152));
  LAYOUT(brinkInverseMembership, 24, (side, 0)(fold, 4)(entry, 8)(exit, 16));
  LAYOUT(brinkInverseSolid, 88,
         (structSize, 0)(sampledBody, 4)(points, 8)(pointCount, 16)(tetrahedra, 24)(tetrahedronCount, 32)(faces, 40)(
             faceCount, 48)(volume, 56)(spacing, 64)(asked, 72)(error, 80));
  LAYOUT(brinkInversePathVertex, 32, (t, 0)(position, 8));
  LAYOUT(brinkInversePath, 48, (sample, 0)(face, 24)(flags, 28)(firstVertex, 32)(vertexCount, 40));
  LAYOUT(brinkInversePaths, 72,
         (structSize, 0)(sampledBody, 4)(paths, 8)(pathCount, 16)(vertices, 24)(vertexCount, 32)(deviation, 40)(
             spacing, 48)(asked, 56)(error, 64));
  LAYOUT(brinkInverseObjectDef, 192, (structSize, 0)(group, 4)(body, 8)(motion, 168));
  LAYOUT(brinkInverseAssemblyDef, 24, (structSize, 0)(reserved, 4)(objects, 8)(objectCount, 16));
  LAYOUT(brinkInverseMeeting, 48,
         (a, 0)(b, 4)(firstInterval, 8)(intervalCount, 16)(openTotal, 24)(error, 32)(cells, 40));
  LAYOUT(brinkInverseMeetings, 64,
         (structSize, 0)(reserved, 4)(meetings, 8)(count, 16)(intervals, 24)(intervalCount, 32)(pairs, 40)(asked, 48)(
             cells, 56));
  LAYOUT(brinkInverseTable, 64,
         (structSize, 0)(reserved, 4)(contactIntervals, 8)(pointContacts, 16)(interference, 24)(sweepMembership, 32)(
             interferingSolid, 40)(innerPaths, 48)(allContactIntervals, 56));
  /* brink/clearance.h */
  LAYOUT(brinkClearanceQuery, 48,
         (structSize, 0)(flags, 4)(tStart, 8)(tEnd, 16)(tolerance, 24)(required, 32)(maxIterations, 40));
  LAYOUT(brinkClearanceAnswer, 168,
         (structSize, 0)(state, 4)(verdict, 8)(collision, 12)(lower, 16)(upper, 24)(tolerance, 32)(timeA, 40)(
             timeB, 48)(pointA, 56)(pointB, 80)(normal, 104)(featureA, 128)(featureB, 144)(iterations, 160));
  LAYOUT(brinkClearanceTable, 16, (structSize, 0)(reserved, 4)(measure, 8));
  LAYOUT(brinkCurveKey, 152, (time, 0)(position, 8)(slope, 32)(rotation, 56)(turn, 128));
  LAYOUT(brinkCurveStage, 192,
         (kind, 0)(count, 4)(point, 8)(velocity, 32)(spin, 56)(arm, 80)(rotation, 104)(keys, 176)(controls, 184));
  LAYOUT(brinkTolerancedBody, 136,
         (structSize, 0)(flags, 4)(vertices, 8)(vertices1, 16)(vertexCount, 24)(faceStart, 32)(faceIds, 40)(
             faceCount, 48)(radius, 56)(stages, 64)(stageCount, 72)(massPoints, 80)(massWeights, 88)(massCount, 96)(
             normal, 104)(offset, 128));
  LAYOUT(brinkToleranceQuery, 80,
         (structSize, 0)(flags, 4)(tStart, 8)(tEnd, 16)(tolerance, 24)(clearance, 32)(maxTests, 40)(maxOpen, 48)(
             parts, 56)(reserved, 60)(run, 64)(runUser, 72));
  LAYOUT(brinkOpenInterval, 56, (from, 0)(to, 8)(place, 16)(faceA, 40)(faceB, 48));
  LAYOUT(brinkRobotJointDef, 184,
         (structSize, 0)(type, 4)(flags, 8)(parent, 12)(child, 16)(mimic, 20)(name, 24)(origin, 32)(axis, 88)(
             pitch, 112)(lower, 120)(upper, 144)(multiplier, 168)(offset, 176));
  LAYOUT(brinkRobotLinkDef, 24, (structSize, 0)(reserved, 4)(name, 8)(padding, 16));
  LAYOUT(brinkRobotShape, 72, (link, 0)(reserved, 4)(shape, 8)(pose, 16));
  LAYOUT(brinkRobotLinkPair, 8, (a, 0)(b, 4));
  LAYOUT(brinkRobotDef, 144,
         (structSize, 0)(flags, 4)(base, 8)(links, 64)(joints, 72)(shapes, 80)(allowed, 88)(linkCount, 96)(
             jointCount, 104)(shapeCount, 112)(allowedCount, 120)(categoryBits, 128)(collideBits, 136));
  LAYOUT(brinkRobotInfo, 48,
         (structSize, 0)(root, 4)(linkCount, 8)(jointCount, 16)(shapeCount, 24)(objectCount, 32)(valueCount, 40));
  LAYOUT(brinkRobotJointInfo, 88,
         (structSize, 0)(type, 4)(parent, 8)(child, 12)(mimic, 16)(valueIndex, 20)(valueCount, 24)(limited, 28)(
             lower, 32)(upper, 56)(name, 80));
  LAYOUT(brinkRobotObjectDef, 88, (structSize, 0)(link, 4)(shape, 8)(pose, 16)(touching, 72)(touchingCount, 80));
  LAYOUT(brinkEdgeQuery, 32, (structSize, 0)(flags, 4)(clearance, 8)(tolerance, 16)(maxIterations, 24));
  LAYOUT(brinkRobotContact, 128,
         (state, 0)(linkA, 4)(linkB, 8)(objectA, 12)(objectB, 16)(reserved, 20)(obstacle, 24)(toi, 32)(toiUpper, 40)(
             distance, 48)(pointA, 56)(pointB, 80)(normal, 104));
  LAYOUT(brinkEdgeAnswer, 208,
         (structSize, 0)(state, 4)(segment, 8)(reserved, 12)(toi, 16)(toiUpper, 24)(lastValid, 32)(first, 40)(
             contacts, 168)(contactCount, 176)(pairs, 184)(distances, 192)(iterations, 200));
  LAYOUT(brinkEdgeResult, 40, (state, 0)(linkA, 4)(linkB, 8)(reserved, 12)(obstacle, 16)(toi, 24)(toiUpper, 32));
  LAYOUT(brinkRobotClearance, 96,
         (structSize, 0)(linkA, 4)(linkB, 8)(settled, 12)(obstacle, 16)(lower, 24)(upper, 32)(time, 40)(pointA, 48)(
             pointB, 72));
  LAYOUT(brinkRobotTable, 200,
         (structSize, 0)(reserved, 4)(create, 8)(destroy, 16)(info, 24)(joint, 32)(linkName, 40)(setAllowed, 48)(
             setAllowedObstacle, 56)(setPadding, 64)(attach, 72)(detach, 80)(poses, 88)(between, 96)(checkLimits, 104)(
             createView, 112)(destroyView, 120)(viewError, 128)(edge, 136)(configuration, 144)(polyline, 152)(
             spline, 160)(clearance, 168)(edges, 176)(createPointCloud, 184)(tests, 192));
  LAYOUT(brinkToleranceAnswer, 120,
         (structSize, 0)(state, 4)(inside, 8)(depth, 12)(bound, 16)(tolerance, 24)(cellCount, 32)(openCells, 40)(
             open, 48)(openCount, 56)(certificate, 64)(certificateSize, 72)(spans, 80)(pairTests, 88)(polygonTests, 96)(
             featureTests, 104)(proofCells, 112));
  LAYOUT(brinkToleranceTable, 32,
         (structSize, 0)(reserved, 4)(certifyBodies, 8)(certifyColliders, 16)(rationalMotion, 24));
#endif
  assert_int_equal(sizeof(brinkVec3), 3 * sizeof(double));
  assert_int_equal(sizeof(brinkPose), 7 * sizeof(double));
  assert_int_equal(offsetof(brinkPlugin, structSize), 0);
}

CASE(enumerators_keep_their_values) {
  assert_int_equal(brink_free, 0);
  assert_int_equal(brink_hit, 1);
  assert_int_equal(brink_overlap, 2);
  assert_int_equal(brink_unresolved, 3);
  assert_int_equal(brink_ok, 0);
  assert_int_equal(brink_errorInternal, 18);
  assert_int_equal(brink_sphere, 1);
  assert_int_equal(brink_capsule, 2);
  assert_int_equal(brink_box, 3);
  assert_int_equal(brink_cylinder, 4);
  assert_int_equal(brink_plane, 5);
  assert_int_equal(brink_hull, 6);
  assert_int_equal(brink_mesh, 7);
  assert_int_equal(brink_point, 8);
  assert_int_equal(brink_segment, 9);
  assert_int_equal(brink_ray, 10);
  assert_int_equal(brink_heightfield, 11);
  assert_int_equal(brink_compound, 12);
  assert_int_equal(brink_support, 13);
  assert_int_equal(brink_motionRest, 0);
  assert_int_equal(brink_motionPoses, 1);
  assert_int_equal(brink_motionVelocities, 2);
  assert_int_equal(brink_motionScrew, 3);
  assert_int_equal(brink_motionOdeStep, 4);
  assert_int_equal(brink_motionSpline, 5);
  assert_int_equal(brink_motionBezier, 6);
  assert_int_equal(brink_motionUser, 7);
  assert_int_equal(brink_modeFirst, 0);
  assert_int_equal(brink_modePairs, 1);
  assert_int_equal(brink_modeBoolean, 2);
  assert_int_equal(brink_schemePaper, 1);
  assert_int_equal(brink_schemeSweptAxis, 2);
  assert_int_equal(brink_watchDepth, 1);
}

/* Every member of the table is there, and the table says how large it is. */
CASE(table_has_no_empty_slot) {
  const brinkPlugin *plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  assert_non_null(plugin);
  assert_int_equal(plugin->structSize, sizeof *plugin);
  const size_t first = offsetof(brinkPlugin, statusText), step = sizeof(void (*)(void));
  for (size_t at = first; at < sizeof *plugin; at += step) {
    const unsigned char *slot = (const unsigned char *)plugin + at;
    int set = 0;
    for (size_t i = 0; i < step; ++i) set |= slot[i];
    if (set == 0) fail_msg("empty slot at offset %zu", at);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
