/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ODE_H
#define BRINK_ODE_H
/* Continuous collision detection for ODE, in ODE's manner: three changed lines.
 *
 *     dBrinkID brink = dBrinkCreate(world);          // after dInitODE2, bodies and joints are found by Brink
 *     dBrinkAddSpace(brink, space);
 *     ...each frame:  dSpaceCollide(space, data, near);
 *                     dBrinkWorldStep(brink, h, data, near, contactGroup);   // instead of dWorldStep(world, h)
 *                     dJointGroupEmpty(contactGroup);
 *
 * docs/ode.md is the guide. Functions return nonzero for success, as ODE does; on failure nothing has changed,
 * dBrinkGetError says what, where and what to do, and a step falls back to ODE's own. A world is for one thread at a
 * time, as in ODE. Lengths are called m here, times s: those of the world. */
#include <ode/ode.h>
#include "brink/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dxBrink *dBrinkID;

#if defined(_WIN32)
#define BRINK_ODE_API
#else
#define BRINK_ODE_API __attribute__((visibility("default")))
#endif

/* sizeof(dReal) is the caller's: a program built for single precision against a double libode (or the other way round)
 * is refused here instead of computing nonsense. NULL on failure; dBrinkGetError(NULL) tells why. One serves a world:
 * of several (header and preload make their own) each acts in its own steps alone, and remembers nothing of the
 * others'. */
BRINK_ODE_API dBrinkID dBrinkCreateChecked(dWorldID world, unsigned realSize);
#define dBrinkCreate(world) dBrinkCreateChecked((world), (unsigned)sizeof(dReal))
/* NULL is a no-op. Before or after dWorldDestroy; called inside a near callback it waits for the end of the step. */
BRINK_ODE_API void dBrinkDestroy(dBrinkID brink);
/* Text of the last failure; "" when the last call went well. NULL brink: of the last failed dBrinkCreate,
 * dBrinkRegister or dBrinkHookSetCallback. */
BRINK_ODE_API const char *dBrinkGetError(dBrinkID brink);

/* Watch all geoms of a space (nested spaces too), their bodies, and those that joints lead to. A geom or body that is
 * destroyed is noticed at the next step. */
BRINK_ODE_API int dBrinkAddSpace(dBrinkID brink, dSpaceID space);
BRINK_ODE_API int dBrinkRemoveSpace(dBrinkID brink, dSpaceID space);
/* Watch a geom that is in no space. It goes into a space of Brink's own, which notices its end; take it out before
 * dSpaceAdd. */
BRINK_ODE_API int dBrinkAddGeom(dBrinkID brink, dGeomID geom);
BRINK_ODE_API int dBrinkRemoveGeom(dBrinkID brink, dGeomID geom);

/* Use this cooked blob (brinkCook of brink/cook.h, same triangles in the same order) for geoms of this mesh made from
 * now on. Else it is cooked when the first of them is met: in dBrinkAddSpace, dBrinkAddGeom or a step. Copied. A
 * blob that is not whole is refused; one of another mesh (its triangles, its box) is not used. */
BRINK_ODE_API int dBrinkUseCookedMesh(dBrinkID brink, dTriMeshDataID data, const void *blob, size_t blobSize);

/* A heightfield's samples are read through vertical rays. Their numbers are searched when the first geom of the data is
 * met (a fraction of a second, more for large flat fields). Here they can be told: columns along x (widthSamples), rows
 * along z (depthSamples). */
BRINK_ODE_API int dBrinkUseHeightfield(dBrinkID brink, dHeightfieldDataID data, int columns, int rows);

/* A geom without a body that is moved by hand between steps jumps. Set to sweep it goes there during the next step
 * (straight, turned the shorter way), pushing with that velocity: for the step it sits on a kinematic body of Brink's
 * own, which near callbacks see. Then it stands where it was put, whatever is in the way. A sweep that was clamped goes
 * on in the next step from where it was stopped. It catches up at most a tenth faster than the program has moved the
 * geom since: what it pushes gets no more than that. Of a geom on a kinematic body that body goes where its pose is
 * set. */
BRINK_ODE_API int dBrinkSetSweep(dBrinkID brink, dGeomID geom, int sweeps);

/* The shape that Brink takes a watched geom for: a user class (of which ODE knows no shape), or any geom that should be
 * simpler than it is. Told once, copied; forgotten when the geom leaves its space. Contacts stay those of ODE's own
 * collider. like: a sphere, box, capsule, cylinder, convex, trimesh, or a GeomTransform around one, whose place in the
 * geom's frame is the identity. May be destroyed afterwards (not its trimesh data). NULL: the geom's own shape again.
 */
BRINK_ODE_API int dBrinkSetGeomShape(dBrinkID brink, dGeomID geom, dGeomID like);
/* The furthest point of a convex set along a unit direction, geom's frame, m; pure. */
typedef void dBrinkSupport(void *user, const double direction[3], double point[3]);
/* radius: of a ball about the geom's origin that holds the set, m. support: NULL takes it away. */
BRINK_ODE_API int dBrinkSetGeomSupport(dBrinkID brink, dGeomID geom, dBrinkSupport *support, void *user, dReal radius);

/* dCollide answers with Brink's contacts (signed distance, stable manifold of up to 8 points) for a pair of geom
 * classes, or for all that Brink answers: sphere, box, capsule, cylinder, plane, convex, trimesh, heightfield. Not
 * convex with plane: Brink itself needs that pair to read a convex geom's vertices. Nor plane and heightfield with each
 * other. It stands in ODE's own table (dSetColliderOverride): for the whole process, also for geoms of no dBrink, and
 * never taken back. dCloseODE empties the table; the next dBrinkCreate fills it again. 0: a class Brink does not
 * answer, or ODE is not initialised. */
BRINK_ODE_API int dBrinkRegister(int classA, int classB);
BRINK_ODE_API int dBrinkRegisterAll(void);

/* One step of length h with continuous collision detection. data, near: as given to dSpaceCollide; called again, at the
 * pose of impact, for the pairs that touch there. Contacts it makes go where it puts them (contactGroup).
 * near may be NULL: then fast bodies are only clamped at the impact.
 * An exception may leave near: the step is broken off, nothing has passed through, and the next one works. longjmp may
 * not: every later call fails. */
BRINK_ODE_API int dBrinkWorldStep(dBrinkID brink, dReal h, void *data, dNearCallback *near, dJointGroupID contactGroup);
BRINK_ODE_API int dBrinkWorldQuickStep(dBrinkID brink, dReal h, void *data, dNearCallback *near,
                                       dJointGroupID contactGroup);

/* ---- settings (defaults in brackets) */
BRINK_ODE_API int dBrinkSetEnabled(dBrinkID brink, int enabled); /* [1] 0: plain ODE, bit for bit */
/* [8] extra solves of one body per step, then it is clamped; a quarter of that more for each further body of its chain.
 * A solve that makes no progress counts fourfold, one deeper than the allowance twice. 0: clamp at once. */
BRINK_ODE_API int dBrinkSetMaxSubsteps(dBrinkID brink, int count);
/* [0.05 of its thickness] m, > 0: how far a geom may overlap another before Brink acts; of a pair the smaller counts.
 */
BRINK_ODE_API int dBrinkSetGeomAllowance(dBrinkID brink, dGeomID geom, dReal allowance);
BRINK_ODE_API int dBrinkSetAllowance(dBrinkID brink, dReal allowance); /* [infinity] m: no geom's is more than this */
/* [0] 1: rays are watched too: one that touches something on the way, or is touched, is an event of the step, once
 * (mode report, near is not called); it stops nothing. Two rays never meet. */
BRINK_ODE_API int dBrinkSetRays(dBrinkID brink, int watched);
BRINK_ODE_API int dBrinkSetScheme(dBrinkID brink, int scheme); /* [0] brinkScheme of brink/ccd.h */
/* [3] 0..5: order of the Taylor models that bound swept boxes. For measuring: answers stay proven with any. Kinematic
 * bodies that sweep have to be told of again. */
BRINK_ODE_API int dBrinkSetTaylorOrder(dBrinkID brink, int order);

/* ---- modes: what an impact leads to. A pair's own setting counts; else the strictest of the two bodies' own settings
 * (report < speculative < advance < clamp); else the world's. Nothing tunnels in any mode but report. */
typedef enum dBrinkMode {
  dBrinkModeInherit = 0,     /* of a body or a pair: no setting of its own */
  dBrinkModeReport = 1,      /* an event, nothing else: ODE's own result stays */
  dBrinkModeSpeculative = 2, /* one more solve of the whole step with a contact that lets the gap close and no more;
                                real contacts, bounce and friction in the next step. What still meets is advanced */
  dBrinkModeAdvance = 3,     /* to the impact, contacts there, the rest of the step solved */
  dBrinkModeClamp = 4        /* no extra solve: stays at the impact for the rest of the step */
} dBrinkMode;
BRINK_ODE_API int dBrinkSetMode(dBrinkID brink, int mode); /* [advance] */
BRINK_ODE_API int dBrinkSetBodyMode(dBrinkID brink, dBodyID body, int mode);
BRINK_ODE_API int dBrinkSetPairMode(dBrinkID brink, dGeomID g1, dGeomID g2, int mode);

/* What Brink remembers of a body that its state does not tell, from the last steps: an impact has changed it and it
 * spins since, or it was stopped. A small number; 0: nothing, as of a new body; -1: no such body. Forgotten when the
 * program sets position or rotation. To restore a step exactly, save this beside the state, and set it after the state
 * (docs/ode.md, Save and restore). */
BRINK_ODE_API int dBrinkGetBodyMemory(dBrinkID brink, dBodyID body);
BRINK_ODE_API int dBrinkSetBodyMemory(dBrinkID brink, dBodyID body, int memory);

/* A sensor stops nothing: Brink tells when geoms enter and leave it, also when both happen within one step, for any
 * number of them (dBrinkStepInfo.sensorEvents). Category and collide bits count; your own near callback must make no
 * contacts with it. Inside a mesh or heightfield means on its surface. */
BRINK_ODE_API int dBrinkSetSensor(dBrinkID brink, dGeomID geom, int sensor);

/* ---- what happened in the last step */
typedef enum dBrinkSensorKind { dBrinkSensorEnter = 0, dBrinkSensorExit = 1 } dBrinkSensorKind;
typedef enum dBrinkResponse {
  dBrinkResponseContacts = 0, /* and an extra solve */
  dBrinkResponseClamped = 1,
  dBrinkResponseReported = 2,
  dBrinkResponseHeldBack = 3 /* speculative */
} dBrinkResponse;
typedef struct dBrinkEvent {
  dGeomID g1, g2;
  double toi; /* fraction of the step, absolute */
  double toiUpper;
  double distance, threshold;    /* m */
  double position[3], normal[3]; /* world; normal from g1 to g2: the opposite of dContactGeom.normal */
  int response;                  /* dBrinkResponse */
} dBrinkEvent;

typedef struct dBrinkSensorEvent {
  dGeomID sensor, other; /* of two sensors either may stand first */
  int kind;              /* dBrinkSensorKind */
  double toi, toiUpper;  /* fraction of the step; the crossing lies between them */
} dBrinkSensorEvent;

typedef struct dBrinkStepInfo {
  unsigned structSize;
  int solves;      /* ODE solves in this step: 1 + extra */
  int clamps;      /* how often bodies were stopped at an impact for the rest of the step */
  int unresolved;  /* pairs that could not be decided within the budget (treated as hit at the proven bound) */
  double firstToi; /* BRINK_NO_TIME: none */
  double lostTime; /* s that clamped bodies waited, also those that go on as one; summed, divided by the number of
                      bodies */
  unsigned long long pairsBefore, pairsSpatial, pairsTemporal, advancements, distanceQueries, nodePairs;
  double worstJointError;    /* m, over ball, hinge, universal, hinge2, fixed anchors and the length of DBall, DHinge */
  double milliseconds;       /* spent in Brink, without ODE's solves */
  const dBrinkEvent *events; /* in order of time; valid until the next step */
  int eventCount;
  const dBrinkSensorEvent *sensorEvents; /* in order of time; valid until the next step */
  int sensorEventCount;
  const char
      *recordPath; /* of the file that this step left (dBrinkSetRecordDirectory), or NULL; valid until the next step */
} dBrinkStepInfo;
BRINK_ODE_API int dBrinkGetStepInfo(dBrinkID brink, dBrinkStepInfo *info);

/* Signed distance of two geoms at their current poses (positive apart); for programs and tests. NaN when not
 * answerable. */
BRINK_ODE_API double dBrinkGeomDistance(dBrinkID brink, dGeomID g1, dGeomID g2);

/* Each step in which something is clamped (clamps > 0) leaves a file step_NNNNNN.record in this folder, which must
 * exist: all that Brink was asked in it, in one file; `brink replay FILE` asks it again. While it is set every body is
 * asked about: slower, for finding out. NULL: no records (the default). Copied. */
BRINK_ODE_API int dBrinkSetRecordDirectory(dBrinkID brink, const char *directory);

/* ---- why not? Every reason why continuous collision detection is not active for a body, or for a pair of geoms. The
 * bits are returned (0: it is active). The buffer (may be NULL) gets a line of words for each, cut at capacity. "Too
 * slow", "frozen" and "dropped" speak of the last step. */
typedef enum dBrinkReason {
  dBrinkReasonSwitchedOff = 1 << 0, /* dBrinkSetEnabled(brink, 0) */
  dBrinkReasonNotWatched = 1 << 1,  /* in no watched space */
  dBrinkReasonOtherWorld = 1 << 2,
  dBrinkReasonNoGeom = 1 << 3,
  dBrinkReasonDisabled = 1 << 4, /* geom disabled, or body asleep */
  dBrinkReasonClass = 1 << 5,    /* a shape that Brink does not answer */
  dBrinkReasonSlow = 1 << 6,     /* none of its pairs could come to an event in the last step */
  dBrinkReasonFrozen = 1 << 7,   /* clamped in the last step */
  dBrinkReasonFiltered = 1 << 8, /* category and collide bits */
  dBrinkReasonJoined = 1 << 9,   /* connected by a joint */
  dBrinkReasonSameBody = 1 << 10,
  dBrinkReasonStatic = 1 << 11,    /* neither has a body */
  dBrinkReasonKinematic = 1 << 12, /* no side is dynamic */
  dBrinkReasonDropped = 1 << 13,   /* near made no contact, or meshes crossed at the start of the last step */
  dBrinkReasonTouching = 1 << 14,  /* watched for deepening: the threshold lies below where it is */
  dBrinkReasonReport = 1 << 15,    /* mode report */
  dBrinkReasonSensor = 1 << 16,
  dBrinkReasonNotCollided = 1 << 17, /* served through a hook: the program does not collide the pair */
  dBrinkReasonUnknown = 1 << 30      /* stands alone: it cannot be told; the line says why, as dBrinkGetError does */
} dBrinkReason;
BRINK_ODE_API int dBrinkExplainBody(dBrinkID brink, dBodyID body, char *buffer, size_t capacity);
BRINK_ODE_API int dBrinkExplainPair(dBrinkID brink, dGeomID g1, dGeomID g2, char *buffer, size_t capacity);

/* ---- for tests and tools: what Brink was asked, and what it answered. A step is one segment while nothing is struck;
 * each impact begins a new one, which ends with the step. s: part of the segment, [0,1]. */
typedef enum dBrinkMotionKind {
  dBrinkMotionRest = 0,
  /* position + s velocity, quaternion turned by s |spin| about spin (world axes), as ODE executes it */
  dBrinkMotionAlone = 1,
  /* from position, quaternion to endPosition, endQuaternion with all joints whole; see dBrinkSegmentPose */
  dBrinkMotionChain = 2
} dBrinkMotionKind;
typedef struct dBrinkMotion {
  dBodyID body;
  int kind;
  double position[3], quaternion[4];       /* s = 0; quaternions (w,x,y,z) */
  double endPosition[3], endQuaternion[4]; /* s = 1 */
  double velocity[3], spin[3];             /* m and rad per segment */
} dBrinkMotion;
typedef struct dBrinkVerdict {
  dGeomID g1, g2;
  int state;                  /* brinkPairState of brink/ccd.h */
  double toi, toiUpper;       /* s */
  double distance, threshold; /* m, at toi */
} dBrinkVerdict;
typedef struct dBrinkSegment {
  unsigned structSize;
  int state;    /* of the whole segment: brink_free, or what the first of its pairs is */
  double start; /* in the step, [0,1] */
  double toi;   /* s; nothing that was asked about is struck before; BRINK_NO_TIME: nothing is struck at all */
  const dBrinkMotion *motions;
  int motionCount;
  const dBrinkVerdict *verdicts; /* pairs that are struck, or nearly */
  int verdictCount;
} dBrinkSegment;
/* Called in dBrinkWorldStep after each question, before the response; all pointers live until it returns. Both
 * functions below are for use inside it; the world must be left as it is. While there is one every body is asked about,
 * which is slower. */
typedef void dBrinkSegmentCallback(void *user, dBrinkID brink, const dBrinkSegment *segment);
BRINK_ODE_API int dBrinkSetSegmentCallback(dBrinkID brink, dBrinkSegmentCallback *callback,
                                           void *user); /* NULL: none */
/* Where the motion of the segment has the body at s. */
BRINK_ODE_API int dBrinkSegmentPose(dBrinkID brink, dBodyID body, double s, double position[3], double quaternion[4]);
BRINK_ODE_API int dBrinkSegmentAsks(dBrinkID brink, dGeomID g1,
                                    dGeomID g2); /* nonzero: this pair is part of the question */

/* Takes what Brink has to say; level: brinkLogLevel of brink/ccd.h, message: borrowed for the call. log NULL: silence.
 * Until it is set warnings go to stderr. */
typedef void dBrinkLogCallback(void *user, int level, const char *message);
BRINK_ODE_API int dBrinkSetLog(dBrinkID brink, dBrinkLogCallback *log, void *user);

#ifdef __cplusplus
}
#endif
#endif
