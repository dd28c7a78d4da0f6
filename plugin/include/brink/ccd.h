/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CCD_H
#define BRINK_CCD_H
/* Brink's C ABI: mirror the shapes and bodies of an engine in a world, state how each body moves during a step, and ask
 * when things first touch. The host (the program that calls) gets the table of functions from brinkEntry, the one
 * exported entry, for the ABI major it was compiled with. docs/abi.md has a whole program, and the order of the calls.
 *
 * Structs and tables that may grow start with structSize = sizeof, and grow at the end only. Those that stand in arrays
 * are final and have none: here brinkContact, brinkContactPoint, brinkColliderPair, brinkShapeChild, brinkMotionKey,
 * and what these are made of. Ids carry a generation: that of a destroyed object is refused, never followed. Lengths m,
 * angles rad; t is the time in the step, from 0 to 1, and speeds are per step.
 *
 * Life of pointers: "borrowed" = for the call; "copied"; "world-owned" = valid until the next call that changes or
 * queries the same world; "static" = as long as the library is loaded.
 * Thread rule: [any] any thread; [world] one thread at a time per world; different worlds are independent. Where
 * nothing stands: [world]. Errors: every call returns a brinkStatus; on failure nothing has changed and lastError says
 * what, where, what to do. From inside a callback of the same world every call is refused (brink_errorBusy).
 */
#include "brink/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_ABI_MAJOR 1u
/* 1: shapes ray..support, planes that move, brinkQuery.threshold, firstContacts, motions screw..user, jointResidual
 * 2: overlaps at rest left out (leaveOutOverlaps, BRINK_JOINT_COLLIDE_APART), BRINK_QUERY_LOOPS
 * 3: brinkQuery.run */
#define BRINK_ABI_MINOR 3u

typedef struct brinkWorld brinkWorld;
typedef uint64_t brinkShapeId; /* 0 = none */
typedef uint64_t brinkBodyId;  /* 0 = the world itself (static) */
typedef uint64_t brinkJointId;
typedef uint64_t brinkColliderId;

/* ---- what the host gives to createWorld (NULL: malloc, silence) */
typedef enum brinkLogLevel {
  brink_logError = 0,
  brink_logWarning = 1,
  brink_logInfo = 2,
  brink_logDebug = 3
} brinkLogLevel;

typedef struct brinkHost {
  uint32_t structSize;
  uint32_t abiMajor; /* BRINK_ABI_MAJOR the host was compiled with */
  void *user;
  /* both or neither. Aligned for max_align_t; answers NULL when there is no memory */
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *block, size_t size);   /* size: as it was asked for */
  void (*log)(void *user, int level, const char *message); /* may be NULL. brinkLogLevel; message: borrowed */
} brinkHost;

enum {
  /* taylorOrder is meant as it stands where it is 0, too: plain interval arithmetic, wider boxes. */
  BRINK_WORLD_ORDER_STATED = 1u << 0
};
typedef struct brinkWorldDef {
  uint32_t structSize;
  uint32_t flags;       /* BRINK_WORLD_* */
  uint32_t taylorOrder; /* order of the Taylor models that bound swept boxes, 1..5. 0 = 3, as for a NULL def; see
                           BRINK_WORLD_ORDER_STATED. */
  uint32_t reserved;
} brinkWorldDef;

/* ---- shapes: immutable, shared, counted */
typedef enum brinkShapeType {
  brink_sphere = 1,  /* size.x = radius */
  brink_capsule,     /* axis local z; size.x = radius, size.z = half length of the segment (without caps), may be 0 */
  brink_box,         /* size = half extents */
  brink_cylinder,    /* axis local z; size.x = radius, size.z = half length */
  brink_plane,       /* half-space normal.x <= offset in the collider's frame */
  brink_hull,        /* convex hull of mesh.vertices */
  brink_mesh,        /* triangles of mesh (cooked here), or a cooked blob */
  brink_point,       /* the origin */
  brink_segment,     /* from -size to +size */
  brink_ray,         /* from the origin to size: a segment that moves and turns with its body */
  brink_heightfield, /* surface of columns x rows samples, 2 x 2 at least; heights[row * columns + column] is z at
                        (column size.x, row size.y); each cell is two triangles, split from (column, row) to
                        (column + 1, row + 1). No inside, unless BRINK_SHAPE_SOLID_BELOW closes it with walls and a
                        floor at z = offset, below every sample */
  brink_compound,    /* children on one collider; compounds among them are flattened; no margin of its own */
  brink_support      /* any convex set, by its support function */
} brinkShapeType;

enum {
  BRINK_SHAPE_BORROW_BLOB = 1u << 0, /* blob outlives the shape: do not copy it */
  BRINK_SHAPE_SOLID_BELOW = 1u << 1  /* heightfield */
};

/* The furthest point of a convex set along a unit direction, shape frame, m. Called inside createShape, queries,
 * distance and collide, with rounding to nearest. Pure: the same answer for the same direction, as long as the shape
 * lives. May not call into the world. */
typedef void (*brinkSupportFunction)(void *user, const double direction[3], double point[3]);

typedef struct brinkShapeChild {
  brinkShapeId shape; /* of the same world; cannot be destroyed before the compound */
  brinkPose pose;     /* in the compound's frame */
} brinkShapeChild;

typedef struct brinkShapeDef {
  uint32_t structSize;
  uint32_t type; /* brinkShapeType */
  uint32_t flags;
  uint32_t reserved;
  brinkVec3 size;     /* see brinkShapeType; m */
  brinkVec3 normal;   /* plane: need not be unit */
  double offset;      /* plane, for the normal as given */
  double margin;      /* >= 0, m: the shape is swept by a sphere of this radius (rounding); 0 = sharp */
  brinkMeshView mesh; /* hull, mesh: copied */
  const void *blob;   /* mesh: a cooked blob (brink/cook.h), 8-byte aligned; NULL = use mesh. Where both are given they
                         are refused unless they have as many triangles and the same box. */
  size_t blobSize;
  /* since minor 1 (a def of minor 0's size is understood) */
  const double *heights; /* heightfield: copied */
  size_t columns, rows;
  const brinkShapeChild *children; /* compound: copied */
  size_t childCount;
  brinkSupportFunction support; /* tried in 26 directions here, refused when it contradicts itself */
  void *supportUser;
  double supportRadius;   /* > 0, m: a ball about the frame's origin that holds the set */
  double supportRounding; /* 0 .. supportRadius/2, m: its points lie within this of the set, and no point of the set
                             lies further along the direction by more */
} brinkShapeDef;

/* Planes are half-spaces, and may move and turn like anything else. Two of them are apart only while their normals are
 * opposite (up to 1e-12 rad); else they overlap at distance -infinity, with no contact points. One that begins to turn
 * is a hit at that time, at the distance they then have. A compound is one collider: one contact a pair, that of the
 * parts which meet first (features name their vertices); distance is the least, contact points are those of all parts.
 * Counters count pairs of parts. Never tested: two static colliders, two colliders of one body. */

/* ---- bodies, joints, colliders */
typedef struct brinkBodyDef {
  uint32_t structSize;
  uint32_t flags;
  uint64_t userData;
  brinkBodyId parent; /* the body in whose frame this one moves, and which carries it; 0 = the world */
  brinkPose pose;     /* initial pose, in the parent's frame */
} brinkBodyDef;

/* How a body moves during the step, t in [0,1]. Only kind poses is stated in WORLD coordinates, and only such bodies
 * hang on each other by joints. All other kinds are stated in the PARENT's frame (the world where there is none).
 * [CATCH]: Zhang, Redon, Lee, Kim, Continuous collision detection for articulated models, ACM TOG 26(3), 2007. */
typedef enum brinkMotionKind {
  brink_motionRest = 0, /* at pose0 */
  /* from pose0 to pose1. A body without joints: its position moves on a line, and it turns at constant speed about a
     fixed axis. A body that another one carries does the same in that one's frame, and it is the joint's anchor that
     moves on a line ([CATCH] Sec. 3.2). So joints stay together at every t */
  brink_motionPoses = 1,
  /* from pose0: x_parent(t) = position + t velocity + exp(t [spin]) R(rotation) x; |spin| may be many turns */
  brink_motionVelocities = 2,
  /* since minor 1 */
  brink_motionScrew = 3, /* from pose0: path->angle about path's axis, and along it by path->pitch a turn */
  /* from pose0: x = position + t velocity, rotation by 2 atan(t |spin|/2) about spin: what ODE executes in a step,
     velocity = h v and spin = h w as they are after its solver (not in finite-rotation mode) */
  brink_motionOdeStep = 4,
  brink_motionSpline = 5, /* path->keys: cubic Hermite positions (C1); constant angular velocity, the shorter way, from
                             key to key (whole turns: more keys) */
  /* path->controls with path->weights: rational Bezier of 3x4 matrices that stays rigid to 1e-9 */
  brink_motionBezier = 6,
  brink_motionUser = 7 /* path->poseAt with path->boundOver: first- and second-order steps only */
} brinkMotionKind;
enum {
  BRINK_MOTION_HAS_SPIN = 1u << 0, /* kind poses: spin tells whole turns; without it the shorter way round is taken */
  /* kind poses: joints do not carry this body; it goes as one without joints does (a parent still carries it) */
  BRINK_MOTION_ALONE = 1u << 1
};

typedef struct brinkMotionKey {
  double time; /* ascending by at least 1e-6; first 0, last 1 */
  brinkPose pose;
  brinkVec3 slope; /* velocity at the key, m per step */
} brinkMotionKey;

typedef struct brinkMotionState { /* filled by poseAt */
  uint32_t structSize;
  uint32_t hasVelocities; /* 1: velocity and spin are the exact derivatives of pose at t (second-order steps) */
  brinkPose pose;
  brinkVec3 velocity; /* of the body's origin, m per step */
  brinkVec3 spin;     /* rad per step, parent's axes */
} brinkMotionState;

/* Filled by boundOver: upper bounds of norms, for all times of the interval. INFINITY = not known; but speed and
 * turnRate over [0,1] must be known. */
typedef struct brinkMotionBound {
  uint32_t structSize;
  uint32_t reserved;
  double speed, acceleration;        /* of the body's origin, m per step, m per step^2 */
  double turnRate, turnAcceleration; /* rad per step, rad per step^2 */
} brinkMotionBound;

/* A host's own motion. Called during setBodyMotion, queries, bodyPose and the like, any number of times; pure; may not
 * call into the world. A pose that is not finite fails the call that met it (brink_errorBadValue). */
typedef void (*brinkMotionPoseFunction)(void *user, double t, brinkMotionState *out);
typedef void (*brinkMotionBoundFunction)(void *user, double t0, double t1, brinkMotionBound *out);

typedef struct brinkMotionPath {
  uint32_t structSize;
  uint32_t flags;             /* 0 */
  brinkVec3 axisPoint, axis;  /* screw: a point of the axis, its direction (need not be unit) */
  double angle, pitch;        /* screw: rad per step; m per turn */
  const brinkMotionKey *keys; /* spline: copied */
  size_t keyCount;
  const double *controls; /* bezier: [controlCount][3][4] row-major, each R|T; copied */
  const double *weights;  /* bezier: [controlCount], > 0, the largest at most 1e6 times the smallest; copied */
  size_t controlCount;    /* degree + 1, 2 to 9 */
  void *user;             /* user: handed to both; lives as long as the motion */
  brinkMotionPoseFunction poseAt;
  brinkMotionBoundFunction boundOver;
} brinkMotionPath;

typedef struct brinkBodyMotion {
  uint32_t structSize;
  uint32_t kind;  /* brinkMotionKind */
  uint32_t flags; /* BRINK_MOTION_* */
  uint32_t reserved;
  brinkPose pose0, pose1; /* pose1: kind poses only */
  brinkVec3 velocity;     /* kind velocities: m per step */
  brinkVec3 spin;         /* rad per step; kind poses: turn hint, world axes; velocities: the angular velocity itself */
  /* since minor 1 (a motion of minor 0's size is understood) */
  const brinkMotionPath *path; /* kinds screw, spline, bezier, user: copied; pose0 counts for screw and odeStep only */
} brinkBodyMotion;

/* A joint lets one of its two bodies carry the other: Brink grows a spanning forest over joints, lowest ids first. It
 * also keeps the two from being tested against each other, unless a flag says else. A joint that would close a loop is
 * cut: the motions leave it out, and jointResidual bounds how far it opens (brinkCounters.cutJoints; logged once).
 * bodyA or bodyB may be 0, the world: such a joint carries nothing. */
enum {
  BRINK_JOINT_COLLIDE_CONNECTED = 1u << 0, /* the joined bodies are tested against each other */
  /* since minor 2: the same, but for what overlaps where they are joined: pairs of pieces (see leaveOutOverlaps) of
   * their colliders that are within restMargin of each other where the bodies were created. Found once, at the first
   * query after the joint and the colliders are there (again after more colliders or setColliderPose). */
  BRINK_JOINT_COLLIDE_APART = 1u << 1
};
typedef struct brinkJointDef {
  uint32_t structSize;
  uint32_t flags;
  brinkBodyId bodyA, bodyB;
  brinkVec3 anchorA, anchorB; /* the joint's anchor in each body's own frame, m */
  double restMargin;          /* since minor 2 (a def of minor 0's size has 0): >= 0, m; COLLIDE_APART only */
} brinkJointDef;

enum {
  /* categoryBits and collideBits are meant as they stand where both are 0, too: it meets nothing. */
  BRINK_COLLIDER_BITS_STATED = 1u << 0
};
typedef struct brinkColliderDef {
  uint32_t structSize;
  uint32_t flags;   /* BRINK_COLLIDER_* */
  brinkBodyId body; /* 0 = static */
  brinkShapeId shape;
  brinkPose pose; /* in the body's frame; world frame when static */
  uint64_t userData;
  uint64_t categoryBits, collideBits; /* tested when (A.category & B.collide) || (B.category & A.collide). Both 0: all
                                         bits. See BRINK_COLLIDER_BITS_STATED. */
  double allowance; /* m: how far it may overlap others before brink_watchDepth tells it (see brinkWatch); 0 = 0.05 of
                       its smallest extent (see colliderAllowance) */
} brinkColliderDef;

/* ---- questions and answers */
typedef enum brinkQueryMode {
  brink_modeFirst = 0, /* first contact over all pairs, and all pairs within `window` of it */
  brink_modePairs = 1, /* each pair's own first contact */
  /* Stop at yes or no: yes as soon as any contact is found, no as soon as none is left. The one contact reported is
   * bracketed: nothing of its pair meets before toi; toiUpper is a time of contact, and its witnesses are those then.
   */
  brink_modeBoolean = 2
} brinkQueryMode;

typedef enum brinkScheme {
  /* for each pair the fastest proven one: separating axes; the paper's scheme for half-spaces, motions of kind user,
     meshes of which part is beyond single precision, and negative thresholds of meshes */
  brink_schemeDefault = 0,
  brink_schemePaper = 1,    /* [CATCH]: hull trees, GJK, conservative advancement, Algorithm 1 */
  brink_schemeSweptAxis = 2 /* separating axes over whole intervals, space-time subdivision */
} brinkScheme;

/* What counts as the event of a pair. `contact` is for who asks, `depth` for who steps.
 *
 * contact: when do these meet? The event is the distance falling to brinkQuery's threshold, to within the tolerance: 0
 * = touching, x > 0 = when it first falls to x. It is tStart when the distance is already below; distance and points
 * are then those of some place below x, not always the nearest one (ask distance). A pair at distance <= 0 at tStart is
 * `overlap`. Use it for planning, for tests, for sensors: whenever the answer is what is wanted.
 *
 * depth: how far may a step go? Use it in an engine that walks its bodies from impact to impact. There things lie on
 * each other, and touching cannot be an event, or nothing would go on: a pair may sink a little. What is told is a pair
 * that comes together fast or sinks by more. One at rest never fires; one that touches is watched for deepening, never
 * skipped. How much is little: a = the pair's allowance, the smaller of the two colliders', at most two thirds of what
 * is inside the thinner one. s is the separation, below 0 where the pair is sunk; s0 is what it is at tStart. The event
 * is s falling to the value of this table.
 *
 *   two solids (convex shapes, planes)
 *     apart,   s0 > a/4           0, touching, if s would fall below -a/2 before tEnd; else there is none
 *     touching, -a <= s0 <= a/4   max(min(s0,0) - a/2, -a)
 *     sunk,    s0 < -a            s0 - min(a/16, half of the way to the core)
 *   with a mesh or heightfield
 *     apart,   s0 > a/2           a/2
 *     near,    s0 > a/4           a/4
 *     nearer,  0 < s0 <= a/4      half of the way to the next of a/32, a/256, ...
 *     crossing                    at once: the pair is `overlap`
 *
 * These limits are absolute: no number of steps leads past them, since no value depends on an earlier one (just past
 * a/32 it is s0 less 1e-7 of that, or what rounding hides). What solids sink without an event the host's own contacts
 * see at its next step. A mesh has no inside, so its surface is what nothing may reach. A host may let pairs sink
 * deeper (setSink in brink/steps.h).
 *
 * How s is measured. Of touching solids at a core. It is what of one of the two lies 3/2 a below its surface (of
 * half-spaces and round shapes first, then of boxes and cylinders; of two alike the larger one's). Then s is the
 * distance of that core from the other shape, less 3/2 a: the surfaces' own separation where a face touches. Where an
 * edge or a corner touches s starts at the distance of the surfaces, at least 0. A question may then let the pair
 * deepen by a/2 until the core is within a/2. No core ever meets the other shape. Two hulls, and shapes without a core
 * (points, segments, flat hulls, support functions) against each other: s is the signed separation. */
typedef enum brinkWatch { brink_watchContact = 0, brink_watchDepth = 1 } brinkWatch;

typedef struct brinkQuery {
  uint32_t structSize;
  uint32_t mode;       /* brinkQueryMode */
  uint32_t scheme;     /* brinkScheme */
  uint32_t watch;      /* brinkWatch */
  double tStart, tEnd; /* the part of the step asked about, 0 <= tStart <= tEnd <= 1; all of it: 0, 1. A query that is
                          zeroed asks about the instant 0 alone, and its `free` says no more */
  /* m, > 0: how near the told event is to its threshold; 0 = 1e-6 of the size of the smaller one. Size: the radius of a
   * shape's bounding ball. Points and half-spaces have none: the other's counts, beside a point up to 1 m, and 1 m of
   * two of them. More than the largest shape's diameter is refused; brink_watchDepth takes at most 1/64 of the pair's
   * allowance. */
  double tolerance;
  double window;          /* step time: pairs with toi <= first + window are reported in mode first */
  uint64_t maxIterations; /* work budget per pair (advancement steps and node tests); 0 = 1,000,000 (two convex shapes:
                             20,000) */
  brinkBodyId onlyBody;   /* not 0: only pairs that involve this body */
  double threshold; /* since minor 1 (a query of minor 0's size has 0): >= 0, m; watch contact only, see brinkWatch */
  /* since minor 2 (shorter queries have 0) */
  uint32_t flags; /* BRINK_QUERY_* */
  uint32_t reserved;
  uint64_t maxTotal; /* work budget of all pairs together; 0 = none */
  /* a time budget, as Brink reads no clock: called before every pair, 0 = stop: pairs not yet asked are unresolved,
   * proven as far as their bounds. NULL: never stops. May not call into the world */
  int (*goOn)(void *user);
  void *goOnUser;
  /* since minor 3 (shorter queries have none): the host's threads. Runs task(data, i) for all i below count, in any
   * order, on any threads, and returns when all are done; may not call into the world. A question of many pairs is
   * then split. The answer, counters too, has the same bits for any number of threads and without. These may be called
   * on them, several at a time, while the call lasts: the allocator, support functions, motions of kind user, the sink
   * function of brink/steps.h. Filters and goOn are called on the asking thread alone. With goOn or maxTotal pairs are
   * asked one after the other all the same. NULL: the asking thread alone. */
  void (*run)(void *runUser, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
  void *runUser;
} brinkQuery;
enum {
  /* Bodies on a cut loop, and what they carry, may be as far from their stated motion as the loop's cut joints open
   * (jointResidual): that is added to the threshold of their pairs. Answers then hold for every motion within it: never
   * later than any of them, early by no more. Watch contact only. */
  BRINK_QUERY_LOOPS = 1u << 0
};

typedef enum brinkFeatureKind {
  brink_featureNone = 0,
  brink_featureVertex = 1,
  brink_featureEdge = 2,
  brink_featureFace = 3
} brinkFeatureKind;
typedef struct brinkFeature {
  uint32_t kind;      /* brinkFeatureKind */
  uint32_t vertex[3]; /* vertex ids of the shape; `kind` of them are used */
} brinkFeature;

typedef struct brinkContact {
  uint32_t state; /* brinkPairState */
  uint32_t iterations;
  brinkColliderId colliderA, colliderB; /* A < B (distance: as asked) */
  double toi, toiUpper; /* step time; free: both BRINK_NO_TIME; unresolved: toi proven, toiUpper BRINK_NO_TIME */
  /* m, at toi (signed: < 0 is depth); free: proven lower bound of the smallest distance, may be 0, of compounds the
   * threshold at most; unresolved: nothing
   */
  double distance;
  double threshold;         /* the separation whose passing is the event, m */
  brinkVec3 pointA, pointB; /* witness points at toi, world; free, unresolved: these and what follows mean nothing */
  brinkVec3 normal;         /* unit, A to B, world */
  double normalVelocity;    /* d(separation)/dt at toi along normal, m per step; < 0 approaching */
  brinkFeature featureA, featureB;
} brinkContact;

typedef struct brinkCounters {
  uint32_t structSize;
  uint32_t reserved;
  uint64_t pairsBefore;     /* collider pairs that could be asked at all */
  uint64_t pairsSpatial;    /* left after spatial culling (swept boxes, hierarchy, filters); a single pair is
                              asked without boxes, but for the paper's scheme */
  uint64_t pairsTemporal;   /* of them, those that took more than their root boxes ([CATCH] Algorithm 1, line 10) */
  uint64_t distanceQueries; /* GJK runs */
  uint64_t advancements;    /* conservative advancement steps */
  uint64_t nodePairs;       /* node pairs tested */
  uint64_t cutJoints;       /* loop joints outside the tree */
  uint64_t unresolved;      /* pairs that could not be decided within the budget */
} brinkCounters;

typedef struct brinkReport {
  uint32_t structSize;
  uint32_t state; /* of the whole query: hit/overlap if any pair is, else unresolved if any is, else free */
  double toi;     /* the first contact's, or that of an unresolved pair if it is earlier: proven, no event comes before
                     it (mode boolean: none of the pairs listed); BRINK_NO_TIME when free */
  /* [contactCount], sorted by (toi, colliderA, colliderB); world-owned. Mode pairs: every pair that spatial culling
   * left, free ones too; a pair that it left out is free and not listed, so there may be none. Mode first: hits,
   * overlaps and unresolved pairs whose toi is no later than the first contact + window; boolean: the contact found,
   * and unresolved pairs asked before whose toi is no later. Where no contact was found: all unresolved pairs. So read
   * each one's state: whatever is watched, an unresolved entry is no contact, but may be the earliest. */
  const brinkContact *contacts;
  size_t contactCount;
  brinkCounters counters; /* of this query */
} brinkReport;

/* A contact point between two colliders at given poses. */
typedef struct brinkContactPoint {
  brinkVec3 position;  /* world, midway between the two surfaces */
  brinkVec3 normal;    /* unit, A to B */
  double separation;   /* m; < 0 = depth */
  uint32_t featureKey; /* stable over small motions: what a solver kept of this point is found again by it */
  uint32_t reserved;
} brinkContactPoint;

/* Is this pair to be tested? Return 0 to leave it out. Called by firstContact(s), nearPairs and the questions of
 * brink/steps.h, for pairs whose boxes meet (for compounds: of parts, so a pair may be asked about more than once). May
 * not call into the world. */
typedef int (*brinkPairFilter)(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA,
                               uint64_t userDataB);

typedef struct brinkColliderPair {
  brinkColliderId a, b;
} brinkColliderPair;

typedef struct brinkPlugin {
  uint32_t structSize;
  uint32_t abiMajor, abiMinor;
  uint32_t reserved;
  const char *version; /* static, "0.1.0" */

  const char *(*statusText)(brinkStatus status); /* [any] static */
  const void *(*getExtension)(const char *name); /* [any] static or NULL; e.g. "brink.clearance/1" */

  /* host: copied. There is no lastError yet: host->log is told why it failed, if host->structSize is right. */
  brinkStatus (*createWorld)(const brinkHost *host, const brinkWorldDef *def, brinkWorld **out); /* [any] */
  brinkStatus (*destroyWorld)(brinkWorld *world);    /* [world] NULL is a no-op */
  const char *(*lastError)(const brinkWorld *world); /* [world] world-owned; "" when the last call went well */

  brinkStatus (*createShape)(brinkWorld *world, const brinkShapeDef *def, brinkShapeId *out);
  brinkStatus (*destroyShape)(brinkWorld *world, brinkShapeId shape); /* brink_errorInUse while colliders use it */

  brinkStatus (*createBody)(brinkWorld *world, const brinkBodyDef *def, brinkBodyId *out);
  brinkStatus (*destroyBody)(brinkWorld *world,
                             brinkBodyId body); /* its colliders and joints go with it; children become roots */
  brinkStatus (*setBodyMotion)(brinkWorld *world, brinkBodyId body, const brinkBodyMotion *motion); /* copied */

  brinkStatus (*createJoint)(brinkWorld *world, const brinkJointDef *def, brinkJointId *out);
  brinkStatus (*destroyJoint)(brinkWorld *world, brinkJointId joint);

  brinkStatus (*createCollider)(brinkWorld *world, const brinkColliderDef *def, brinkColliderId *out);
  brinkStatus (*destroyCollider)(brinkWorld *world, brinkColliderId collider);
  brinkStatus (*setColliderPose)(brinkWorld *world, brinkColliderId collider, const brinkPose *pose);
  /* As they stand: both 0 = it meets nothing. */
  brinkStatus (*setColliderFilter)(brinkWorld *world, brinkColliderId collider, uint64_t categoryBits,
                                   uint64_t collideBits);
  brinkStatus (*setPairFilter)(brinkWorld *world, brinkPairFilter filter, void *user); /* NULL: none */
  /* Pairs of these two colliders are never tested (ignore = 1) or tested again (0). */
  brinkStatus (*ignorePair)(brinkWorld *world, brinkColliderId a, brinkColliderId b, int ignore);

  /* The question. Motions as last set. */
  brinkStatus (*firstContact)(brinkWorld *world, const brinkQuery *query, brinkReport *report);
  /* World pose of a body at step time t under its motion. */
  brinkStatus (*bodyPose)(brinkWorld *world, brinkBodyId body, double t, brinkPose *pose);
  /* Pairs whose boxes at step time t are within margin, m: pairs [world-owned]. Filters apply. */
  brinkStatus (*nearPairs)(brinkWorld *world, double t, double margin, const brinkColliderPair **pairs,
                           size_t *pairCount);
  /* Contact points of two colliders at step time t: points[capacity], the deepest and most spread of those with
   * separation <= margin, m. *count = points written, 0 when none are that near, at most 256. Filters do not apply. */
  brinkStatus (*collide)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double margin,
                         brinkContactPoint *points, size_t capacity, size_t *count);
  /* The same for bare shapes at given world poses: for a host's narrowphase callback. */
  brinkStatus (*collideShapes)(brinkWorld *world, brinkShapeId a, const brinkPose *poseA, brinkShapeId b,
                               const brinkPose *poseB, double margin, brinkContactPoint *points, size_t capacity,
                               size_t *count);
  /* Distance at step time t, of compounds that of the nearest parts: fills distance, points, normal, features; state is
   * free or overlap, toi and toiUpper are t. */
  brinkStatus (*distance)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkContact *out);
  /* The allowance in force for a collider, m: its own, or the default, 0.05 of the smallest extent. What is thinner
   * than 1e-6 of its size (points, segments, flat meshes and hulls) has no thickness: 0.05 of its size. */
  brinkStatus (*colliderAllowance)(brinkWorld *world, brinkColliderId collider, double *out);
  /* Box that holds a collider during [t0,t1], world; proven. Planes: infinite. */
  brinkStatus (*sweptBounds)(brinkWorld *world, brinkColliderId collider, double t0, double t1, brinkAabb *out);

  /* since minor 1 */
  /* Many questions about one step: queries[count], reports[count], each as firstContact's; all of one structSize. All
   * are checked before the first is asked; on failure no report is touched. Their contacts live together, world-owned.
   */
  brinkStatus (*firstContacts)(brinkWorld *world, const brinkQuery *queries, size_t count, brinkReport *reports);
  /* How far the joint's two anchors can be apart during the step, m; proven. Nearly 0 for joints that hang one body on
   * another from pose to pose; joints that close a loop are cut, and bodies keep to their stated motion: this is the
   * gap it opens. */
  brinkStatus (*jointResidual)(brinkWorld *world, brinkJointId joint, double *bound);

  /* since minor 2 */
  /* What overlaps at rest is left out. Pieces: triangles of a mesh; any other shape, and each part of a compound, is
   * one. Pairs of pieces of the two colliders that touch, overlap, or come within margin (>= 0, m) at step time t are
   * from now on never tested against each other. Nor is what one body then holds inside the other; everything else is.
   * Motions as last set: bodies just created rest where they were put. Takes the place of what was left out of this
   * pair before; ignorePair(a, b, 0) takes it back. Joined bodies are tested at all only where every joint between them
   * says so. Counts in firstContact(s) only. *pieces (may be NULL): pairs left out. */
  brinkStatus (*leaveOutOverlaps)(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double margin,
                                  size_t *pieces);
} brinkPlugin;

#if defined(_WIN32)
#define BRINK_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define BRINK_EXPORT __attribute__((visibility("default")))
#else
#define BRINK_EXPORT
#endif

/* The one exported entry. Returns a static table, or NULL when abiMajor is not spoken by this build; *reason (may be
 * NULL) then points to a static text that says why. The table's abiMinor tells which appended members exist. [any] */
BRINK_EXPORT const brinkPlugin *brinkEntry(uint32_t abiMajor, const char **reason);

#ifdef __cplusplus
}
#endif
#endif
