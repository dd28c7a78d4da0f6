/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_HOST_TABLE_H
#define BRINK_HOST_TABLE_H
/* One step of an engine's world in which nothing tunnels, for any engine. An extension:
 * `const brinkStepperTable *stepper = plugin->getExtension(BRINK_STEPPER_NAME)`; NULL = not in this build.
 *
 * The engine keeps what it has: states, forces, joints, contacts, its solver. It mirrors its bodies and colliders in a
 * brinkWorld (brink/ccd.h) and gives the stepper a table of what a step has to ask: solve, states, who is connected,
 * contacts of these pairs here. The stepper keeps everything else: which bodies need no question, the question of the
 * step (brink/steps.h), whose motion is changed when, which pairs count and how deep they may go, and the guard.
 *
 * Bodies and colliders are numbers of the host's: small, dense, used again after they are taken back. Times are parts
 * of the step, [0,1]; lengths of solves are seconds. Units: m, s, kg, rad; world frame. A pair is ordered as its
 * handles are; normals lead from A to B.
 *
 * Life of pointers: "borrowed" = for the call; "step" = valid until the step returns; "world-owned" = until the next
 * call for the same stepper. Thread rule: [world] one thread at a time per stepper, which is that of its world;
 * the host's functions are called from inside brinkStepperTable.step, on its thread, and may not call the stepper.
 * Errors: a brinkStatus; lastError says what, where, what to do. A step that fails leaves every body at a pose that was
 * proved free, or where the engine's own solve left it if nothing was proved: no state is lost.
 * Source: docs/step.md. */
#include "brink/ccd.h"
#include "brink/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_STEPPER_NAME "brink.stepper/1"
#define BRINK_STEPPER_NONE UINT32_MAX /* no body: the world itself */

typedef struct brinkStepper brinkStepper;

/* ---- what is exchanged */

/* A body's state, bit for bit: written back, the engine's next solve gives the same bits. */
typedef struct brinkStepState {
  double position[3];   /* m */
  double quaternion[4]; /* w,x,y,z; as the engine holds it, not normalised on the way */
  double linear[3];     /* m/s */
  double angular[3];    /* rad/s, world axes */
  double own[12];       /* the host's: what else its step changes in a body, such as a rotation matrix; all 0 in a
                           state that the stepper made: the host derives it from the rest */
} brinkStepState;

/* What pairs lead to; a pair's own mode counts, else the stricter one of its bodies, else the stepper's. */
typedef enum brinkStepMode {
  brink_stepInherit = 0,
  brink_stepReport = 1,      /* told, nothing changes */
  brink_stepSpeculative = 2, /* held back by a contact ahead of the impact, then as advance */
  brink_stepAdvance = 3,     /* the rest of the step is solved again from the impact on */
  brink_stepClamp = 4        /* both stay at the impact for the rest of the step */
} brinkStepMode;

typedef struct brinkStepBody {
  uint32_t structSize;
  uint32_t mode;    /* brinkStepMode */
  brinkBodyId body; /* of the world */
  /* The engine's storage of the state: position[3], then quaternion[4], linear[3] and angular[3] at the offsets of
   * brinkStepperDef. Read at any time inside a step; valid until the body is taken back. */
  const double *position;
  double reach;          /* m, radius about its origin of all its colliders; 0: it has none */
  double turnReach;      /* m, the same of what turning moves: 0 for a ball in the middle of its body */
  double angularDamping; /* part of the angular velocity that a step takes away, [0,1); what it hides of a turn */
  uint8_t dynamic;       /* contacts change its motion */
  uint8_t jointed;       /* some joint other than a contact leads to it */
  uint8_t reserved[6];
} brinkStepBody;

enum {
  BRINK_STEP_SURFACE = 1u << 0, /* made of triangles: no inside to sink into */
  BRINK_STEP_SHEET = 1u << 1,   /* a surface that has a side but no thickness */
  BRINK_STEP_FIELD = 1u << 2,   /* a heightfield */
  BRINK_STEP_SENSOR = 1u << 3,  /* told what enters and leaves; stops nothing */
  BRINK_STEP_RAY = 1u << 4,     /* reported, stops nothing; two of them never meet */
  BRINK_STEP_SAID = 1u << 5,    /* its allowance was chosen by the user: no default widens it */
  BRINK_STEP_ROUND = 1u << 6    /* a ball or a capsule */
};

typedef struct brinkStepCollider {
  uint32_t structSize;
  uint32_t flags;           /* BRINK_STEP_* */
  uint32_t body;            /* number, or BRINK_STEPPER_NONE */
  uint32_t reserved;        /* 0 */
  brinkColliderId collider; /* of the world; its userData is the collider's number */
  double allowance;         /* m: how far it may be crossed; the smaller one of a pair counts */
} brinkStepCollider;

typedef struct brinkStepJoint {
  uint32_t structSize;
  uint32_t bodies[2];   /* numbers, or BRINK_STEPPER_NONE */
  uint32_t holdsPoint;  /* 1: both sides share a point, which is kept closed; 0: slides, springs */
  double anchors[2][3]; /* m, in each body's frame; of the world: world */
} brinkStepJoint;

typedef struct brinkStepPair {
  uint32_t colliderA, colliderB; /* numbers; A's handle < B's */
} brinkStepPair;

/* A pair that is struck, and what the stepper asks of the host about it. */
typedef struct brinkStepImpact {
  brinkStepPair pair;
  uint32_t kind;               /* brinkEventKind */
  uint32_t solves;             /* impacts that its bodies had in this step before */
  double toi, toiUpper;        /* part of the step */
  double distance;             /* m, at toi; negative: of what is watched at a core */
  double normal[3];            /* unit, A to B */
  double pointA[3], pointB[3]; /* m, world, at toi */
  double left;                 /* m: how much nearer the two may still come; see brinkPairEvent */
} brinkStepImpact;

/* A contact of the stepper's own: where the engine's colliders see nothing, and ahead of an impact. */
typedef struct brinkStepContact {
  brinkStepPair pair;
  double point[3];  /* m, world */
  double normal[3]; /* unit, A to B */
  double depth;     /* m, >= 0 */
  double friction;  /* coefficient; < 0: as the program's contacts of this pair have it */
  double apart;     /* m/s: least speed at which the two part there; 0: they do not approach */
} brinkStepContact;

typedef enum brinkStepWant {
  brink_stepNever = 0,  /* no contact could change it (same body, joined, filtered): not in this step */
  brink_stepUnsure = 1, /* in question, but nobody can tell its contacts: clamp it */
  brink_stepWanted = 2
} brinkStepWant;

typedef enum brinkStepMade {
  brink_madeNone = 0, /* the program was asked and made no contact */
  brink_madeSome = 1,
  brink_madeUnknown = 2 /* it made none, but may make it later, outside the callback */
} brinkStepMade;

/* ---- what the host gives: all but `told` and `log` are needed */

/* Who listens while a step works. Each may be NULL; nothing of it changes what the step does. Pointers are borrowed. */
typedef struct brinkStepListener {
  uint32_t structSize;
  uint32_t needsAll; /* 1: every body is asked about, also those that need no question */
  void *user;
  void (*question)(void *user, double from, const brinkQuery *query);
  void (*left)(void *user, brinkStepPair pair);                              /* by `want` */
  void (*sinks)(void *user, brinkStepPair pair, double depth, double limit); /* m; see brink/steps.h */
  void (*dropped)(void *user, brinkStepPair pair);                           /* for the rest of the step */
  void (*motion)(void *user, uint32_t body, const brinkBodyMotion *motion);  /* holds from now on */
  void (*answer)(void *user, double from, const brinkReport *report);
  void (*impact)(void *user, const brinkStepImpact *impact, uint32_t response); /* brinkStepResponse */
  /* What a body went through between two changes of its motion; turn: rad, world axes. */
  void (*carried)(void *user, uint32_t body, double from, double until, const brinkPose *first, const brinkPose *last,
                  const double turn[3]);
} brinkStepListener;

typedef struct brinkStepHost {
  uint32_t structSize;
  uint32_t reserved;
  void *user;

  /* -- bodies */
  void (*readStates)(void *user, const uint32_t *bodies, size_t count, brinkStepState *states);
  void (*writeStates)(void *user, const uint32_t *bodies, size_t count, const brinkStepState *states);
  /* The rotation vector by which the engine turned the body in a solve of `seconds` that left `end`, rad, world axes:
   * as many turns as it made. */
  void (*turnOf)(void *user, uint32_t body, const brinkStepState *end, double seconds, double turn[3]);
  /* Takes back from the velocities of a state what the step's own forces (gravity, those the program gave) do in
   * `seconds`. An impact's velocities are those of the solve less what its forces do after it: they are given again to
   * the next solve. */
  void (*takeBackForces)(void *user, uint32_t body, double seconds, brinkStepState *state);
  /* What an impulse of 1 N s along the direction at the point changes; returns the change of the point's speed along
   * it, m/s; 0: it cannot be moved. */
  double (*pushOf)(void *user, uint32_t body, const brinkStepState *state, const double point[3],
                   const double direction[3], double linear[3], double angular[3]);
  /* 1/kg: how easily the body is shifted to close a joint; 0: not at all (a contact or a soft joint holds it). */
  double (*yieldOf)(void *user, uint32_t body);

  /* -- who hangs together */
  /* Bodies that enabled joints connect to this one; contacts too, or only joints that hold. bodies: step, any order
   * that does not depend on addresses. */
  brinkStatus (*connected)(void *user, uint32_t body, int throughContacts, const uint32_t **bodies, size_t *count);
  /* Is the joint still there and on? The program may destroy it in a callback. */
  int (*holds)(void *user, uint32_t joint);

  /* -- solves */
  /* The engine's own step of the whole world. */
  brinkStatus (*solveAll)(void *user, double seconds);
  /* The rest of the step for these bodies alone, as they stand, from part `from` on: forces given again, springs and
   * dampings scaled to the part, no other body moves. again: takes the place of the last solve of these bodies (what
   * joints felt in that one does not count). */
  brinkStatus (*solve)(void *user, const uint32_t *bodies, size_t count, double from, int again);
  /* After the last solve of a step: what the solves above kept from moving goes on. */
  void (*endSolves)(void *user);

  /* -- contacts */
  /* Is the pair part of the question? Pure for a step, but for pairs whose collider the host takes back. */
  brinkStepWant (*want)(void *user, brinkStepPair pair);
  uint32_t (*modeOf)(void *user, brinkStepPair pair); /* brinkStepMode; inherit: the bodies' */
  /* Contacts that the engine's own narrowphase gives this pair keep it apart by this, m; 0: they need surfaces that
   * touch or cross. */
  double (*keptApart)(void *user, brinkStepPair pair);
  /* Contacts of these bodies that were made before are listed; with putAside they are switched off, with takeBack what
   * was listed or put aside since the last listContacts is as it was. At the end of a step all are on again. */
  brinkStatus (*listContacts)(void *user, const uint32_t *bodies, size_t count);
  void (*putAside)(void *user);
  void (*takeBack)(void *user);
  /* The program is asked for the contacts of a pair, both bodies at their poses of now; those made are switched on.
   * While it runs, contacts between the two that were made before are not seen by it.
   * brink_errorStale: it destroyed or made bodies or geoms; the step ends at proven poses. */
  brinkStatus (*askContacts)(void *user, const brinkStepImpact *impact, brinkStepMade *made);
  brinkStatus (*addContact)(void *user, const brinkStepContact *contact);
  void (*dropContacts)(void *user); /* of addContact, of this step */

  const brinkStepListener *told;                           /* borrowed by createStepper: copied; NULL: nobody */
  void (*log)(void *user, int level, const char *message); /* brinkLogLevel; borrowed; NULL: silence */
} brinkStepHost;

/* ---- the stepper */

typedef struct brinkStepperDef {
  uint32_t structSize;
  uint32_t scheme; /* brinkScheme */
  /* Where the rest of a state lies from its position in the engine's storage, in doubles; all bodies alike. */
  int64_t quaternionAt, linearAt, angularAt;
} brinkStepperDef;

typedef struct brinkStepSettings {
  uint32_t structSize;
  uint32_t mode;        /* brinkStepMode but inherit; 3 */
  uint32_t maxSubsteps; /* extra solves of one body in a step; 8; 0: clamp at once */
  uint32_t reserved;    /* 0 */
  double allowanceCap;  /* m; infinity: none */
} brinkStepSettings;

typedef enum brinkStepResponse {
  brink_stepAdvanced = 0,
  brink_stepClamped = 1,
  brink_stepReported = 2,
  brink_stepHeldBack = 3
} brinkStepResponse;

/* Filled by step. */
typedef struct brinkStepReport {
  uint32_t structSize;
  uint32_t solves; /* the engine's own counts */
  uint32_t impacts, clamps;
  uint32_t undecided; /* pairs for which no more time could be proved */
  uint32_t reserved;
  double firstToi;        /* part of the step; 2: none */
  double lostTime;        /* s, mean of all bodies */
  brinkCounters counters; /* of all questions */
} brinkStepReport;

/* Why a body or a pair is not stopped, as of the last step; for people. */
typedef struct brinkStepStanding {
  uint32_t structSize;
  uint32_t flags;                      /* BRINK_STANDS_* */
  double stepLimit, slack;             /* m, of a quiet body: what it may move in a step, and has left */
  double separation, threshold, limit; /* m, of a pair: now; where its next event lies; as deep as it may come */
} brinkStepStanding;
enum {
  BRINK_STANDS_QUIET = 1u << 0,   /* too slow to come to an event */
  BRINK_STANDS_FROZEN = 1u << 1,  /* clamped */
  BRINK_STANDS_DROPPED = 1u << 2, /* a pair left out for the rest of the step */
  BRINK_STANDS_AT_CORE = 1u << 3  /* a pair that is watched at a core */
};

typedef struct brinkStepperTable {
  uint32_t structSize;
  uint32_t reserved;
  /* [world] The stepper owns the world's pair filter, sink function and open question until destroyStepper. def, host:
   * copied. Memory by the world's allocator. */
  brinkStatus (*createStepper)(brinkWorld *world, const brinkStepperDef *def, const brinkStepHost *host,
                               brinkStepper **out);
  void (*destroyStepper)(brinkStepper *stepper);                                        /* [world] NULL: no-op */
  const char *(*lastError)(const brinkStepper *stepper);                                /* [world] world-owned */
  brinkStatus (*setSettings)(brinkStepper *stepper, const brinkStepSettings *settings); /* [world] */

  /* [world] Between steps: what there is. set: makes it or changes it, and voids what was known of its motion; NULL
   * takes it back, and the number may be used again. */
  brinkStatus (*setBody)(brinkStepper *stepper, uint32_t number, const brinkStepBody *body);
  brinkStatus (*setCollider)(brinkStepper *stepper, uint32_t number, const brinkStepCollider *collider);
  brinkStatus (*setJoint)(brinkStepper *stepper, uint32_t number, const brinkStepJoint *joint);
  /* [world] Something of the body changed that its record does not hold; BRINK_STEPPER_NONE: of all. */
  void (*voidLook)(brinkStepper *stepper, uint32_t body);

  /* [world] One step of `seconds` > 0. Between beginStep and step the host brings the mirror up to date, so that the
   * stepper reads where bodies start. report: filled; may be NULL. */
  brinkStatus (*beginStep)(brinkStepper *stepper);
  brinkStatus (*step)(brinkStepper *stepper, double seconds, brinkStepReport *report);

  /* [world] Between steps. */
  brinkStatus (*bodyStanding)(brinkStepper *stepper, uint32_t body, brinkStepStanding *out);
  brinkStatus (*pairStanding)(brinkStepper *stepper, brinkStepPair pair, brinkStepStanding *out);
} brinkStepperTable;

#ifdef __cplusplus
}
#endif
#endif
