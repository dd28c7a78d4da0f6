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

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define AT(type, member, bytes) _Static_assert(offsetof(type, member) == (bytes), #type "." #member)

#if UINTPTR_MAX == 0xffffffffffffffffu
SIZE(brinkVec3, 24);
AT(brinkVec3, x, 0);
AT(brinkVec3, y, 8);
AT(brinkVec3, z, 16);

SIZE(brinkQuat, 32);
AT(brinkQuat, w, 0);
AT(brinkQuat, x, 8);
AT(brinkQuat, y, 16);
AT(brinkQuat, z, 24);

SIZE(brinkPose, 56);
AT(brinkPose, position, 0);
AT(brinkPose, rotation, 24);

SIZE(brinkAabb, 48);
AT(brinkAabb, lower, 0);
AT(brinkAabb, upper, 24);

SIZE(brinkMeshView, 40);
AT(brinkMeshView, structSize, 0);
AT(brinkMeshView, flags, 4);
AT(brinkMeshView, vertices, 8);
AT(brinkMeshView, vertexCount, 16);
AT(brinkMeshView, indices, 24);
AT(brinkMeshView, triangleCount, 32);

SIZE(brinkHost, 40);
AT(brinkHost, structSize, 0);
AT(brinkHost, abiMajor, 4);
AT(brinkHost, user, 8);
AT(brinkHost, allocate, 16);
AT(brinkHost, release, 24);
AT(brinkHost, log, 32);

SIZE(brinkWorldDef, 16);
AT(brinkWorldDef, structSize, 0);
AT(brinkWorldDef, flags, 4);
AT(brinkWorldDef, taylorOrder, 8);
AT(brinkWorldDef, reserved, 12);

SIZE(brinkShapeChild, 64);
AT(brinkShapeChild, shape, 0);
AT(brinkShapeChild, pose, 8);

SIZE(brinkShapeDef, 208);
AT(brinkShapeDef, structSize, 0);
AT(brinkShapeDef, type, 4);
AT(brinkShapeDef, flags, 8);
AT(brinkShapeDef, reserved, 12);
AT(brinkShapeDef, size, 16);
AT(brinkShapeDef, normal, 40);
AT(brinkShapeDef, offset, 64);
AT(brinkShapeDef, margin, 72);
AT(brinkShapeDef, mesh, 80);
AT(brinkShapeDef, blob, 120);
AT(brinkShapeDef, blobSize, 128);
AT(brinkShapeDef, heights, 136);
AT(brinkShapeDef, columns, 144);
AT(brinkShapeDef, rows, 152);
AT(brinkShapeDef, children, 160);
AT(brinkShapeDef, childCount, 168);
AT(brinkShapeDef, support, 176);
AT(brinkShapeDef, supportUser, 184);
AT(brinkShapeDef, supportRadius, 192);
AT(brinkShapeDef, supportRounding, 200);

SIZE(brinkBodyDef, 80);
AT(brinkBodyDef, structSize, 0);
AT(brinkBodyDef, flags, 4);
AT(brinkBodyDef, userData, 8);
AT(brinkBodyDef, parent, 16);
AT(brinkBodyDef, pose, 24);

SIZE(brinkBodyMotion, 184);
AT(brinkBodyMotion, structSize, 0);
AT(brinkBodyMotion, kind, 4);
AT(brinkBodyMotion, flags, 8);
AT(brinkBodyMotion, reserved, 12);
AT(brinkBodyMotion, pose0, 16);
AT(brinkBodyMotion, pose1, 72);
AT(brinkBodyMotion, velocity, 128);
AT(brinkBodyMotion, spin, 152);
AT(brinkBodyMotion, path, 176);

SIZE(brinkMotionKey, 88);
AT(brinkMotionKey, time, 0);
AT(brinkMotionKey, pose, 8);
AT(brinkMotionKey, slope, 64);

SIZE(brinkMotionState, 112);
AT(brinkMotionState, structSize, 0);
AT(brinkMotionState, hasVelocities, 4);
AT(brinkMotionState, pose, 8);
AT(brinkMotionState, velocity, 64);
AT(brinkMotionState, spin, 88);

SIZE(brinkMotionBound, 40);
AT(brinkMotionBound, structSize, 0);
AT(brinkMotionBound, reserved, 4);
AT(brinkMotionBound, speed, 8);
AT(brinkMotionBound, acceleration, 16);
AT(brinkMotionBound, turnRate, 24);
AT(brinkMotionBound, turnAcceleration, 32);

SIZE(brinkMotionPath, 136);
AT(brinkMotionPath, structSize, 0);
AT(brinkMotionPath, flags, 4);
AT(brinkMotionPath, axisPoint, 8);
AT(brinkMotionPath, axis, 32);
AT(brinkMotionPath, angle, 56);
AT(brinkMotionPath, pitch, 64);
AT(brinkMotionPath, keys, 72);
AT(brinkMotionPath, keyCount, 80);
AT(brinkMotionPath, controls, 88);
AT(brinkMotionPath, weights, 96);
AT(brinkMotionPath, controlCount, 104);
AT(brinkMotionPath, user, 112);
AT(brinkMotionPath, poseAt, 120);
AT(brinkMotionPath, boundOver, 128);

SIZE(brinkJointDef, 80);
AT(brinkJointDef, structSize, 0);
AT(brinkJointDef, flags, 4);
AT(brinkJointDef, bodyA, 8);
AT(brinkJointDef, bodyB, 16);
AT(brinkJointDef, anchorA, 24);
AT(brinkJointDef, anchorB, 48);
AT(brinkJointDef, restMargin, 72);

SIZE(brinkColliderDef, 112);
AT(brinkColliderDef, structSize, 0);
AT(brinkColliderDef, flags, 4);
AT(brinkColliderDef, body, 8);
AT(brinkColliderDef, shape, 16);
AT(brinkColliderDef, pose, 24);
AT(brinkColliderDef, userData, 80);
AT(brinkColliderDef, categoryBits, 88);
AT(brinkColliderDef, collideBits, 96);
AT(brinkColliderDef, allowance, 104);

SIZE(brinkQuery, 104);
AT(brinkQuery, structSize, 0);
AT(brinkQuery, mode, 4);
AT(brinkQuery, scheme, 8);
AT(brinkQuery, watch, 12);
AT(brinkQuery, tStart, 16);
AT(brinkQuery, tEnd, 24);
AT(brinkQuery, tolerance, 32);
AT(brinkQuery, window, 40);
AT(brinkQuery, maxIterations, 48);
AT(brinkQuery, onlyBody, 56);
AT(brinkQuery, threshold, 64);
AT(brinkQuery, flags, 72);
AT(brinkQuery, reserved, 76);
AT(brinkQuery, maxTotal, 80);
AT(brinkQuery, goOn, 88);
AT(brinkQuery, goOnUser, 96);

SIZE(brinkFeature, 16);
AT(brinkFeature, kind, 0);
AT(brinkFeature, vertex, 4);

SIZE(brinkContact, 168);
AT(brinkContact, state, 0);
AT(brinkContact, iterations, 4);
AT(brinkContact, colliderA, 8);
AT(brinkContact, colliderB, 16);
AT(brinkContact, toi, 24);
AT(brinkContact, toiUpper, 32);
AT(brinkContact, distance, 40);
AT(brinkContact, threshold, 48);
AT(brinkContact, pointA, 56);
AT(brinkContact, pointB, 80);
AT(brinkContact, normal, 104);
AT(brinkContact, normalVelocity, 128);
AT(brinkContact, featureA, 136);
AT(brinkContact, featureB, 152);

SIZE(brinkCounters, 72);
AT(brinkCounters, structSize, 0);
AT(brinkCounters, reserved, 4);
AT(brinkCounters, pairsBefore, 8);
AT(brinkCounters, pairsSpatial, 16);
AT(brinkCounters, pairsTemporal, 24);
AT(brinkCounters, distanceQueries, 32);
AT(brinkCounters, advancements, 40);
AT(brinkCounters, nodePairs, 48);
AT(brinkCounters, cutJoints, 56);
AT(brinkCounters, unresolved, 64);

SIZE(brinkReport, 104);
AT(brinkReport, structSize, 0);
AT(brinkReport, state, 4);
AT(brinkReport, toi, 8);
AT(brinkReport, contacts, 16);
AT(brinkReport, contactCount, 24);
AT(brinkReport, counters, 32);

SIZE(brinkContactPoint, 64);
AT(brinkContactPoint, position, 0);
AT(brinkContactPoint, normal, 24);
AT(brinkContactPoint, separation, 48);
AT(brinkContactPoint, featureKey, 56);
AT(brinkContactPoint, reserved, 60);

SIZE(brinkColliderPair, 16);
AT(brinkColliderPair, a, 0);
AT(brinkColliderPair, b, 8);

SIZE(brinkPlugin, 256);
AT(brinkPlugin, structSize, 0);
AT(brinkPlugin, abiMajor, 4);
AT(brinkPlugin, abiMinor, 8);
AT(brinkPlugin, reserved, 12);
AT(brinkPlugin, version, 16);
AT(brinkPlugin, statusText, 24);
AT(brinkPlugin, getExtension, 32);
AT(brinkPlugin, createWorld, 40);
AT(brinkPlugin, destroyWorld, 48);
AT(brinkPlugin, lastError, 56);
AT(brinkPlugin, createShape, 64);
AT(brinkPlugin, destroyShape, 72);
AT(brinkPlugin, createBody, 80);
AT(brinkPlugin, destroyBody, 88);
AT(brinkPlugin, setBodyMotion, 96);
AT(brinkPlugin, createJoint, 104);
AT(brinkPlugin, destroyJoint, 112);
AT(brinkPlugin, createCollider, 120);
AT(brinkPlugin, destroyCollider, 128);
AT(brinkPlugin, setColliderPose, 136);
AT(brinkPlugin, setColliderFilter, 144);
AT(brinkPlugin, setPairFilter, 152);
AT(brinkPlugin, ignorePair, 160);
AT(brinkPlugin, firstContact, 168);
AT(brinkPlugin, bodyPose, 176);
AT(brinkPlugin, nearPairs, 184);
AT(brinkPlugin, collide, 192);
AT(brinkPlugin, collideShapes, 200);
AT(brinkPlugin, distance, 208);
AT(brinkPlugin, colliderAllowance, 216);
AT(brinkPlugin, sweptBounds, 224);
AT(brinkPlugin, firstContacts, 232);
AT(brinkPlugin, jointResidual, 240);
AT(brinkPlugin, leaveOutOverlaps, 248);

SIZE(brinkCookOptions, 40);
AT(brinkCookOptions, structSize, 0);
AT(brinkCookOptions, flags, 4);
AT(brinkCookOptions, progress, 8);
AT(brinkCookOptions, user, 16);
AT(brinkCookOptions, run, 24);
AT(brinkCookOptions, runUser, 32);

SIZE(brinkMeshSummary, 104);
AT(brinkMeshSummary, structSize, 0);
AT(brinkMeshSummary, closed, 4);
AT(brinkMeshSummary, manifold, 8);
AT(brinkMeshSummary, convex, 12);
AT(brinkMeshSummary, vertexCount, 16);
AT(brinkMeshSummary, triangleCount, 24);
AT(brinkMeshSummary, degenerateCount, 32);
AT(brinkMeshSummary, patchCount, 40);
AT(brinkMeshSummary, nodeCount, 48);
AT(brinkMeshSummary, bounds, 56);

/* brink/linear.h */
SIZE(brinkAffineMap, 96);
AT(brinkAffineMap, m, 0);
AT(brinkAffineMap, b, 72);

SIZE(brinkLinearBody, 248);
AT(brinkLinearBody, structSize, 0);
AT(brinkLinearBody, flags, 4);
AT(brinkLinearBody, vertices0, 8);
AT(brinkLinearBody, vertices1, 16);
AT(brinkLinearBody, vertexCount, 24);
AT(brinkLinearBody, simplices, 32);
AT(brinkLinearBody, simplexCount, 40);
AT(brinkLinearBody, radius, 48);
AT(brinkLinearBody, map0, 56);
AT(brinkLinearBody, map1, 152);

SIZE(brinkLinearQuery, 40);
AT(brinkLinearQuery, structSize, 0);
AT(brinkLinearQuery, flags, 4);
AT(brinkLinearQuery, tStart, 8);
AT(brinkLinearQuery, tEnd, 16);
AT(brinkLinearQuery, tolerance, 24);
AT(brinkLinearQuery, maxIterations, 32);

SIZE(brinkLinearContact, 168);
AT(brinkLinearContact, structSize, 0);
AT(brinkLinearContact, state, 4);
AT(brinkLinearContact, toi, 8);
AT(brinkLinearContact, toiUpper, 16);
AT(brinkLinearContact, distance, 24);
AT(brinkLinearContact, pointA, 32);
AT(brinkLinearContact, pointB, 56);
AT(brinkLinearContact, normal, 80);
AT(brinkLinearContact, normalVelocity, 104);
AT(brinkLinearContact, featureA, 112);
AT(brinkLinearContact, featureB, 128);
AT(brinkLinearContact, simplexA, 144);
AT(brinkLinearContact, simplexB, 152);
AT(brinkLinearContact, iterations, 160);

SIZE(brinkLinearTable, 24);
AT(brinkLinearTable, structSize, 0);
AT(brinkLinearTable, reserved, 4);
AT(brinkLinearTable, firstContact, 8);
AT(brinkLinearTable, firstContactWithCollider, 16);

/* brink/inverse_path.h */
SIZE(brinkInverseFactorDef, 104);
AT(brinkInverseFactorDef, structSize, 0);
AT(brinkInverseFactorDef, kind, 4);
AT(brinkInverseFactorDef, blend, 8);
AT(brinkInverseFactorDef, reserved, 12);
AT(brinkInverseFactorDef, matrices, 16);
AT(brinkInverseFactorDef, weights, 24);
AT(brinkInverseFactorDef, times, 32);
AT(brinkInverseFactorDef, count, 40);
AT(brinkInverseFactorDef, axis, 48);
AT(brinkInverseFactorDef, angle, 72);

SIZE(brinkInverseMotionDef, 24);
AT(brinkInverseMotionDef, structSize, 0);
AT(brinkInverseMotionDef, reserved, 4);
AT(brinkInverseMotionDef, factors, 8);
AT(brinkInverseMotionDef, factorCount, 16);

SIZE(brinkInversePatch, 16);
AT(brinkInversePatch, rows, 0);
AT(brinkInversePatch, columns, 4);
AT(brinkInversePatch, controls, 8);

SIZE(brinkInverseSpline, 40);
AT(brinkInverseSpline, degreeU, 0);
AT(brinkInverseSpline, degreeV, 4);
AT(brinkInverseSpline, rows, 8);
AT(brinkInverseSpline, columns, 12);
AT(brinkInverseSpline, knotsU, 16);
AT(brinkInverseSpline, knotsV, 24);
AT(brinkInverseSpline, controls, 32);

SIZE(brinkInverseBodyDef, 160);
AT(brinkInverseBodyDef, structSize, 0);
AT(brinkInverseBodyDef, kind, 4);
AT(brinkInverseBodyDef, mesh, 8);
AT(brinkInverseBodyDef, patches, 48);
AT(brinkInverseBodyDef, patchCount, 56);
AT(brinkInverseBodyDef, patchError, 64);
AT(brinkInverseBodyDef, bound, 72);
AT(brinkInverseBodyDef, boundUser, 80);
AT(brinkInverseBodyDef, boundBox, 88);
AT(brinkInverseBodyDef, splines, 136);
AT(brinkInverseBodyDef, splineCount, 144);
AT(brinkInverseBodyDef, gradient, 152);

SIZE(brinkInverseSceneDef, 376);
AT(brinkInverseSceneDef, structSize, 0);
AT(brinkInverseSceneDef, reserved, 4);
AT(brinkInverseSceneDef, a, 8);
AT(brinkInverseSceneDef, b, 168);
AT(brinkInverseSceneDef, motionA, 328);
AT(brinkInverseSceneDef, motionB, 352);

SIZE(brinkInverseQuery, 80);
AT(brinkInverseQuery, structSize, 0);
AT(brinkInverseQuery, flags, 4);
AT(brinkInverseQuery, tStart, 8);
AT(brinkInverseQuery, tEnd, 16);
AT(brinkInverseQuery, timeTolerance, 24);
AT(brinkInverseQuery, spacing, 32);
AT(brinkInverseQuery, insidePitch, 40);
AT(brinkInverseQuery, run, 48);
AT(brinkInverseQuery, runUser, 56);
AT(brinkInverseQuery, nearDistance, 64);
AT(brinkInverseQuery, entrySpread, 72);

SIZE(brinkInverseInterval, 56);
AT(brinkInverseInterval, startLower, 0);
AT(brinkInverseInterval, startUpper, 8);
AT(brinkInverseInterval, endLower, 16);
AT(brinkInverseInterval, endUpper, 24);
AT(brinkInverseInterval, flags, 32);
AT(brinkInverseInterval, openInside, 36);
AT(brinkInverseInterval, startA, 40);
AT(brinkInverseInterval, startB, 44);
AT(brinkInverseInterval, endA, 48);
AT(brinkInverseInterval, endB, 52);

SIZE(brinkInverseIntervals, 48);
AT(brinkInverseIntervals, structSize, 0);
AT(brinkInverseIntervals, reserved, 4);
AT(brinkInverseIntervals, intervals, 8);
AT(brinkInverseIntervals, count, 16);
AT(brinkInverseIntervals, cells, 24);
AT(brinkInverseIntervals, openTotal, 32);
AT(brinkInverseIntervals, error, 40);

SIZE(brinkInversePoint, 104);
AT(brinkInversePoint, position, 0);
AT(brinkInversePoint, face, 24);
AT(brinkInversePoint, intervalCount, 28);
AT(brinkInversePoint, firstInterval, 32);
AT(brinkInversePoint, entry, 40);
AT(brinkInversePoint, exit, 48);
AT(brinkInversePoint, entryOnOther, 56);
AT(brinkInversePoint, exitOnOther, 80);

SIZE(brinkInverseFace, 40);
AT(brinkInverseFace, triangle, 0);
AT(brinkInverseFace, proven, 4);
AT(brinkInverseFace, entryLower, 8);
AT(brinkInverseFace, entryUpper, 16);
AT(brinkInverseFace, exitLower, 24);
AT(brinkInverseFace, exitUpper, 32);

SIZE(brinkInversePiece, 112);
AT(brinkInversePiece, triangle, 0);
AT(brinkInversePiece, in, 4);
AT(brinkInversePiece, corners, 8);
AT(brinkInversePiece, entryLower, 80);
AT(brinkInversePiece, entryUpper, 88);
AT(brinkInversePiece, exitLower, 96);
AT(brinkInversePiece, exitUpper, 104);

SIZE(brinkInverseSubset, 160);
AT(brinkInverseSubset, structSize, 0);
AT(brinkInverseSubset, reserved, 4);
AT(brinkInverseSubset, points, 8);
AT(brinkInverseSubset, pointCount, 16);
AT(brinkInverseSubset, intervals, 24);
AT(brinkInverseSubset, intervalCount, 32);
AT(brinkInverseSubset, faces, 40);
AT(brinkInverseSubset, faceCount, 48);
AT(brinkInverseSubset, asked, 56);
AT(brinkInverseSubset, spacing, 64);
AT(brinkInverseSubset, vertices, 72);
AT(brinkInverseSubset, triangles, 80);
AT(brinkInverseSubset, vertexCount, 88);
AT(brinkInverseSubset, triangleCount, 96);
AT(brinkInverseSubset, error, 104);
AT(brinkInverseSubset, sampledBody, 112);
AT(brinkInverseSubset, reserved2, 116);
AT(brinkInverseSubset, pieces, 120);
AT(brinkInverseSubset, pieceCount, 128);
AT(brinkInverseSubset, piecesAsked, 136);
AT(brinkInverseSubset, everywhere, 144);
AT(brinkInverseSubset, pathCells, 152);

SIZE(brinkInverseMembership, 24);
AT(brinkInverseMembership, side, 0);
AT(brinkInverseMembership, fold, 4);
AT(brinkInverseMembership, entry, 8);
AT(brinkInverseMembership, exit, 16);

SIZE(brinkInverseTable, 40);
AT(brinkInverseTable, structSize, 0);
AT(brinkInverseTable, reserved, 4);
AT(brinkInverseTable, contactIntervals, 8);
AT(brinkInverseTable, pointContacts, 16);
AT(brinkInverseTable, interference, 24);
AT(brinkInverseTable, sweepMembership, 32);

/* brink/clearance.h */
SIZE(brinkClearanceQuery, 48);
AT(brinkClearanceQuery, structSize, 0);
AT(brinkClearanceQuery, flags, 4);
AT(brinkClearanceQuery, tStart, 8);
AT(brinkClearanceQuery, tEnd, 16);
AT(brinkClearanceQuery, tolerance, 24);
AT(brinkClearanceQuery, required, 32);
AT(brinkClearanceQuery, maxIterations, 40);

SIZE(brinkClearanceAnswer, 168);
AT(brinkClearanceAnswer, structSize, 0);
AT(brinkClearanceAnswer, state, 4);
AT(brinkClearanceAnswer, verdict, 8);
AT(brinkClearanceAnswer, collision, 12);
AT(brinkClearanceAnswer, lower, 16);
AT(brinkClearanceAnswer, upper, 24);
AT(brinkClearanceAnswer, tolerance, 32);
AT(brinkClearanceAnswer, timeA, 40);
AT(brinkClearanceAnswer, timeB, 48);
AT(brinkClearanceAnswer, pointA, 56);
AT(brinkClearanceAnswer, pointB, 80);
AT(brinkClearanceAnswer, normal, 104);
AT(brinkClearanceAnswer, featureA, 128);
AT(brinkClearanceAnswer, featureB, 144);
AT(brinkClearanceAnswer, iterations, 160);

SIZE(brinkClearanceTable, 16);
AT(brinkClearanceTable, structSize, 0);
AT(brinkClearanceTable, reserved, 4);
AT(brinkClearanceTable, measure, 8);

SIZE(brinkCurveKey, 152);
AT(brinkCurveKey, time, 0);
AT(brinkCurveKey, position, 8);
AT(brinkCurveKey, slope, 32);
AT(brinkCurveKey, rotation, 56);
AT(brinkCurveKey, turn, 128);

SIZE(brinkCurveStage, 192);
AT(brinkCurveStage, kind, 0);
AT(brinkCurveStage, count, 4);
AT(brinkCurveStage, point, 8);
AT(brinkCurveStage, velocity, 32);
AT(brinkCurveStage, spin, 56);
AT(brinkCurveStage, arm, 80);
AT(brinkCurveStage, rotation, 104);
AT(brinkCurveStage, keys, 176);
AT(brinkCurveStage, controls, 184);

SIZE(brinkTolerancedBody, 136);
AT(brinkTolerancedBody, structSize, 0);
AT(brinkTolerancedBody, flags, 4);
AT(brinkTolerancedBody, vertices, 8);
AT(brinkTolerancedBody, vertices1, 16);
AT(brinkTolerancedBody, vertexCount, 24);
AT(brinkTolerancedBody, faceStart, 32);
AT(brinkTolerancedBody, faceIds, 40);
AT(brinkTolerancedBody, faceCount, 48);
AT(brinkTolerancedBody, radius, 56);
AT(brinkTolerancedBody, stages, 64);
AT(brinkTolerancedBody, stageCount, 72);
AT(brinkTolerancedBody, massPoints, 80);
AT(brinkTolerancedBody, massWeights, 88);
AT(brinkTolerancedBody, massCount, 96);
AT(brinkTolerancedBody, normal, 104);
AT(brinkTolerancedBody, offset, 128);

SIZE(brinkToleranceQuery, 80);
AT(brinkToleranceQuery, structSize, 0);
AT(brinkToleranceQuery, flags, 4);
AT(brinkToleranceQuery, tStart, 8);
AT(brinkToleranceQuery, tEnd, 16);
AT(brinkToleranceQuery, tolerance, 24);
AT(brinkToleranceQuery, clearance, 32);
AT(brinkToleranceQuery, maxTests, 40);
AT(brinkToleranceQuery, maxOpen, 48);
AT(brinkToleranceQuery, parts, 56);
AT(brinkToleranceQuery, reserved, 60);
AT(brinkToleranceQuery, run, 64);
AT(brinkToleranceQuery, runUser, 72);

SIZE(brinkOpenInterval, 56);
AT(brinkOpenInterval, from, 0);
AT(brinkOpenInterval, to, 8);
AT(brinkOpenInterval, place, 16);
AT(brinkOpenInterval, faceA, 40);
AT(brinkOpenInterval, faceB, 48);

SIZE(brinkRobotJointDef, 184);
AT(brinkRobotJointDef, structSize, 0);
AT(brinkRobotJointDef, type, 4);
AT(brinkRobotJointDef, flags, 8);
AT(brinkRobotJointDef, parent, 12);
AT(brinkRobotJointDef, child, 16);
AT(brinkRobotJointDef, mimic, 20);
AT(brinkRobotJointDef, name, 24);
AT(brinkRobotJointDef, origin, 32);
AT(brinkRobotJointDef, axis, 88);
AT(brinkRobotJointDef, pitch, 112);
AT(brinkRobotJointDef, lower, 120);
AT(brinkRobotJointDef, upper, 144);
AT(brinkRobotJointDef, multiplier, 168);
AT(brinkRobotJointDef, offset, 176);

SIZE(brinkRobotLinkDef, 24);
AT(brinkRobotLinkDef, structSize, 0);
AT(brinkRobotLinkDef, reserved, 4);
AT(brinkRobotLinkDef, name, 8);
AT(brinkRobotLinkDef, padding, 16);

SIZE(brinkRobotShape, 72);
AT(brinkRobotShape, link, 0);
AT(brinkRobotShape, reserved, 4);
AT(brinkRobotShape, shape, 8);
AT(brinkRobotShape, pose, 16);

SIZE(brinkRobotLinkPair, 8);
AT(brinkRobotLinkPair, a, 0);
AT(brinkRobotLinkPair, b, 4);

SIZE(brinkRobotDef, 144);
AT(brinkRobotDef, structSize, 0);
AT(brinkRobotDef, flags, 4);
AT(brinkRobotDef, base, 8);
AT(brinkRobotDef, links, 64);
AT(brinkRobotDef, joints, 72);
AT(brinkRobotDef, shapes, 80);
AT(brinkRobotDef, allowed, 88);
AT(brinkRobotDef, linkCount, 96);
AT(brinkRobotDef, jointCount, 104);
AT(brinkRobotDef, shapeCount, 112);
AT(brinkRobotDef, allowedCount, 120);
AT(brinkRobotDef, categoryBits, 128);
AT(brinkRobotDef, collideBits, 136);

SIZE(brinkRobotInfo, 48);
AT(brinkRobotInfo, structSize, 0);
AT(brinkRobotInfo, root, 4);
AT(brinkRobotInfo, linkCount, 8);
AT(brinkRobotInfo, jointCount, 16);
AT(brinkRobotInfo, shapeCount, 24);
AT(brinkRobotInfo, objectCount, 32);
AT(brinkRobotInfo, valueCount, 40);

SIZE(brinkRobotJointInfo, 88);
AT(brinkRobotJointInfo, structSize, 0);
AT(brinkRobotJointInfo, type, 4);
AT(brinkRobotJointInfo, parent, 8);
AT(brinkRobotJointInfo, child, 12);
AT(brinkRobotJointInfo, mimic, 16);
AT(brinkRobotJointInfo, valueIndex, 20);
AT(brinkRobotJointInfo, valueCount, 24);
AT(brinkRobotJointInfo, limited, 28);
AT(brinkRobotJointInfo, lower, 32);
AT(brinkRobotJointInfo, upper, 56);
AT(brinkRobotJointInfo, name, 80);

SIZE(brinkRobotObjectDef, 88);
AT(brinkRobotObjectDef, structSize, 0);
AT(brinkRobotObjectDef, link, 4);
AT(brinkRobotObjectDef, shape, 8);
AT(brinkRobotObjectDef, pose, 16);
AT(brinkRobotObjectDef, touching, 72);
AT(brinkRobotObjectDef, touchingCount, 80);

SIZE(brinkEdgeQuery, 32);
AT(brinkEdgeQuery, structSize, 0);
AT(brinkEdgeQuery, flags, 4);
AT(brinkEdgeQuery, clearance, 8);
AT(brinkEdgeQuery, tolerance, 16);
AT(brinkEdgeQuery, maxIterations, 24);

SIZE(brinkRobotContact, 128);
AT(brinkRobotContact, state, 0);
AT(brinkRobotContact, linkA, 4);
AT(brinkRobotContact, linkB, 8);
AT(brinkRobotContact, objectA, 12);
AT(brinkRobotContact, objectB, 16);
AT(brinkRobotContact, reserved, 20);
AT(brinkRobotContact, obstacle, 24);
AT(brinkRobotContact, toi, 32);
AT(brinkRobotContact, toiUpper, 40);
AT(brinkRobotContact, distance, 48);
AT(brinkRobotContact, pointA, 56);
AT(brinkRobotContact, pointB, 80);
AT(brinkRobotContact, normal, 104);

SIZE(brinkEdgeAnswer, 208);
AT(brinkEdgeAnswer, structSize, 0);
AT(brinkEdgeAnswer, state, 4);
AT(brinkEdgeAnswer, segment, 8);
AT(brinkEdgeAnswer, reserved, 12);
AT(brinkEdgeAnswer, toi, 16);
AT(brinkEdgeAnswer, toiUpper, 24);
AT(brinkEdgeAnswer, lastValid, 32);
AT(brinkEdgeAnswer, first, 40);
AT(brinkEdgeAnswer, contacts, 168);
AT(brinkEdgeAnswer, contactCount, 176);
AT(brinkEdgeAnswer, pairs, 184);
AT(brinkEdgeAnswer, distances, 192);
AT(brinkEdgeAnswer, iterations, 200);

SIZE(brinkEdgeResult, 40);
AT(brinkEdgeResult, state, 0);
AT(brinkEdgeResult, linkA, 4);
AT(brinkEdgeResult, linkB, 8);
AT(brinkEdgeResult, reserved, 12);
AT(brinkEdgeResult, obstacle, 16);
AT(brinkEdgeResult, toi, 24);
AT(brinkEdgeResult, toiUpper, 32);

SIZE(brinkRobotClearance, 96);
AT(brinkRobotClearance, structSize, 0);
AT(brinkRobotClearance, linkA, 4);
AT(brinkRobotClearance, linkB, 8);
AT(brinkRobotClearance, settled, 12);
AT(brinkRobotClearance, obstacle, 16);
AT(brinkRobotClearance, lower, 24);
AT(brinkRobotClearance, upper, 32);
AT(brinkRobotClearance, time, 40);
AT(brinkRobotClearance, pointA, 48);
AT(brinkRobotClearance, pointB, 72);

SIZE(brinkRobotTable, 200);
AT(brinkRobotTable, structSize, 0);
AT(brinkRobotTable, reserved, 4);
AT(brinkRobotTable, create, 8);
AT(brinkRobotTable, destroy, 16);
AT(brinkRobotTable, info, 24);
AT(brinkRobotTable, joint, 32);
AT(brinkRobotTable, linkName, 40);
AT(brinkRobotTable, setAllowed, 48);
AT(brinkRobotTable, setAllowedObstacle, 56);
AT(brinkRobotTable, setPadding, 64);
AT(brinkRobotTable, attach, 72);
AT(brinkRobotTable, detach, 80);
AT(brinkRobotTable, poses, 88);
AT(brinkRobotTable, between, 96);
AT(brinkRobotTable, checkLimits, 104);
AT(brinkRobotTable, createView, 112);
AT(brinkRobotTable, destroyView, 120);
AT(brinkRobotTable, viewError, 128);
AT(brinkRobotTable, edge, 136);
AT(brinkRobotTable, configuration, 144);
AT(brinkRobotTable, polyline, 152);
AT(brinkRobotTable, spline, 160);
AT(brinkRobotTable, clearance, 168);
AT(brinkRobotTable, edges, 176);
AT(brinkRobotTable, createPointCloud, 184);
AT(brinkRobotTable, tests, 192);

SIZE(brinkToleranceAnswer, 120);
AT(brinkToleranceAnswer, structSize, 0);
AT(brinkToleranceAnswer, state, 4);
AT(brinkToleranceAnswer, inside, 8);
AT(brinkToleranceAnswer, depth, 12);
AT(brinkToleranceAnswer, bound, 16);
AT(brinkToleranceAnswer, tolerance, 24);
AT(brinkToleranceAnswer, cellCount, 32);
AT(brinkToleranceAnswer, openCells, 40);
AT(brinkToleranceAnswer, open, 48);
AT(brinkToleranceAnswer, openCount, 56);
AT(brinkToleranceAnswer, certificate, 64);
AT(brinkToleranceAnswer, certificateSize, 72);
AT(brinkToleranceAnswer, spans, 80);
AT(brinkToleranceAnswer, pairTests, 88);
AT(brinkToleranceAnswer, polygonTests, 96);
AT(brinkToleranceAnswer, featureTests, 104);
AT(brinkToleranceAnswer, proofCells, 112);

SIZE(brinkToleranceTable, 32);
AT(brinkToleranceTable, structSize, 0);
AT(brinkToleranceTable, reserved, 4);
AT(brinkToleranceTable, certifyBodies, 8);
AT(brinkToleranceTable, certifyColliders, 16);
AT(brinkToleranceTable, rationalMotion, 24);
#endif

CASE(layout_is_as_frozen) {
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
