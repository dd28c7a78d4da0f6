/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEPPER_H
#define BRINK_STEPPER_H
/* One step of an engine's world in which nothing tunnels, for any engine.
 *
 * The engine keeps what it has: forces, joints, contacts, its solver. Its adapter, the host, mirrors bodies, colliders
 * and joints in a brinkWorld (brink/ccd.h) and in the records below, and gives the stepper a table of what a step has
 * to ask of an engine (brinkStepHost). The stepper keeps everything else: which bodies need no question, the question
 * of the step (brink/steps.h), whose motion is changed when, which pairs count and how deep they may go, the guard.
 *
 * A host begins with a brinkStepper of zeros, and a world that nobody else changes. It sets plugin, world, steps, host,
 * told, user, settings and layout, and has `steps->setSink(world, brinkStepSinkPair, stepper)`; the pair filter is the
 * stepper's. Then it adds bodies, colliders and joints, and sets `dynamic` of each body in its record and in hotData.
 *
 * Records are found by number: small, dense, used again after they are free. Times are parts of the step, [0,1].
 * Units: m, s, kg, rad; world frame. A pair is ordered as its colliders' handles are; normals lead from A to B.
 * Thread rule: one thread at a time per stepper, which is that of its world. Rules and terms: docs/step.md. */
#include <stdbool.h>

#include "brink/ccd.h"
#include "brink/steps.h"
#include "key_map.h"
#include "quiet.h"
#include "tuning.h"

#define BRINK_STEP_LARGEST 1e60 /* SI units: of what engines can multiply */

/* ---- what there is */

/* Why is a body stopped? */
typedef enum brinkStepWhy {
  brink_stepTooOften,      /* more extra solves than its cap, or the step's work is spent */
  brink_stepTooLate,       /* what is left of the step is too short to be solved */
  brink_stepCannotAsk,     /* the program gave no callback */
  brink_stepUnknownAnswer, /* nobody knows the program's contacts for the pair */
  brink_stepSilentAnswer,  /* the callback made none, and never had before */
  brink_stepAtLimit,       /* its contacts do not hold it at its limit */
  brink_stepUndecided,     /* the question's budget was spent */
  brink_stepSaidSo,        /* its mode is clamp */
  brink_stepFailed         /* the step */
} brinkStepWhy;

/* All that an engine's own step changes in a body, to the last bit. */
typedef struct brinkStepState {
  double position[3], quaternion[4]; /* w,x,y,z */
  double rotation[12];               /* the same as three rows of four, as the engine computes it */
  double linear[3], angular[3];
} brinkStepState;

typedef struct brinkStepPair {
  uint32_t a, b; /* collider records, A's handle < B's */
} brinkStepPair;

enum {
  BRINK_STEP_SURFACE = 1u << 0, /* made of triangles: no inside to sink into */
  BRINK_STEP_SHEET = 1u << 1,   /* a surface that has a side but no thickness */
  BRINK_STEP_HOLLOW = 1u << 2,  /* a surface that is not closed and convex: no core to keep off others */
  BRINK_STEP_FIELD = 1u << 3,   /* a heightfield */
  BRINK_STEP_SENSOR = 1u << 4,  /* told what enters and leaves; stops nothing */
  BRINK_STEP_RAY = 1u << 5,     /* reported, stops nothing; two of them never meet */
  BRINK_STEP_SAID = 1u << 6,    /* its allowance was chosen by the program: no default widens it */
  BRINK_STEP_ROUND = 1u << 7,   /* a ball in the middle of its body: turning moves nothing of it */
  BRINK_STEP_ROUNDED = 1u << 8  /* a ball or a capsule: as deep below its surface everywhere as its core lies */
};

typedef struct brinkStepCollider {
  void *geom;               /* the engine's; NULL = free record */
  brinkColliderId collider; /* 0: not answered, its contacts are the engine's own */
  uint32_t flags;           /* BRINK_STEP_* */
  uint32_t body;            /* record, or BRINK_NO_RECORD: static */
  uint32_t nextOfBody;      /* the next collider of the same body; BRINK_NO_RECORD: none */
  double allowance;         /* m: how far it may be crossed; the smaller one of a pair counts */
  const char *kind;         /* a word for people */
  /* the stepper's, kept as long as geom is */
  bool met;         /* its clearance was looked at, see clearance.c */
  double clearance; /* m, half of what it had to other meshes when first met; infinite: enough */
} brinkStepCollider;

/* What the culling notes beside the hot data (quiet.h, culling.c). */
typedef struct brinkStepLookNotes {
  bool woken;      /* quiet at the start of this step, near something now */
  bool searched;   /* the quiet bodies it may reach in this segment are woken */
  double slackCap; /* m, the largest slack that the last look could have given it */
} brinkStepLookNotes;

/* How far it leaves its joints open as it turns (joint_gaps.c, cuts.c). */
typedef struct brinkStepGapNotes {
  bool turnsFar;   /* of the record that stands for a chain: some body of it turns too far to go as one */
  bool spins;      /* of the same record: some body of it does, see turns.c */
  uint32_t links;  /* of the same record: bodies that begin the step as parts of the chain's motion */
  int cuts;        /* extra solves for its turning */
  double yield;    /* 1/kg, how easily it is shifted to close a joint */
  double shift[3]; /* m, by which its end was shifted for that */
} brinkStepGapNotes;

/* The extra solve that led to its end, if it was solved again (waiting.c). */
typedef struct brinkStepBegun {
  double at;                    /* part of the step */
  double velocities[6];         /* m/s, rad/s: that it had there, as a body that waits */
  double entered[6], solved[6]; /* the same at the step's start, and after its own solve */
  bool anew;                    /* the solves before one of this step do not count (brinkStepStartOver) */
} brinkStepBegun;

/* What a step asks of each awake body stands first, in two lines of the cache: it goes through them many times. */
typedef struct brinkStepBody {
  void *body; /* the engine's; NULL = free record */
  brinkBodyId id;
  uint32_t firstCollider;  /* of those that sit on it; BRINK_NO_RECORD: none */
  uint32_t firstJoint;     /* of those that hold it; BRINK_NO_RECORD: none */
  uint32_t mark, edgeMark; /* generation of the last gathering that took it, and of the last one that ended at it */
  uint32_t chain;          /* the lowest record of its chain of joints; itself without joints */
  uint32_t beside;         /* the next of those that were stopped in mid-air and go on as one; itself: none */
  int mode;                /* brinkStepMode, its own; inherit: none */
  brinkStepWhy why;        /* frozen: in the last step that froze it */
  uint32_t frozenStep;     /* the last step in which it was stopped */
  int substeps;            /* extra solves it was struck in, in the current step */
  bool dynamic;            /* contacts change its motion */
  bool quiet;              /* this step needs no question about it; start and end are not right */
  /* of the current step */
  bool moves;        /* its pose changes from `from` to the step's end */
  bool alone;        /* it was sent as a motion of its own, not of a chain */
  bool frozen;       /* clamped: stays at its pose for the rest of the step, or goes on with `beside` */
  bool missed;       /* its way since: it counts as lost time */
  bool struck;       /* an extra solve has changed it, in this step or in one since which it spins */
  bool posed;        /* set to its impact pose while an impact is dealt with */
  bool solvedAgain;  /* begun tells of the solve that led to its end; else that was the step's own, from start */
  double from;       /* its motion holds from this time on, part of the step; start is its state there */
  double lastImpact; /* part of the step; < 0: none in this step */
  double reach;      /* m, radius about its origin */
  double allowance;  /* m, of its thinnest collider; infinite: nothing of it is watched */
  brinkStepLookNotes look;
  brinkStepGapNotes gap;
  double spin[3];       /* rad, turned from start to end */
  brinkStepState start; /* at the segment's start */
  brinkStepState end;   /* at the end of the step, as last solved */
  brinkStepState next;  /* at the impact: the next segment's start */
  brinkStepBegun begun;
} brinkStepBody;

typedef struct brinkStepJoint {
  void *joint;            /* the engine's; NULL = free record */
  uint64_t stamp;         /* the host's: last walk that met it */
  unsigned type;          /* the host's */
  bool holdsPoint;        /* both sides share a point, which is kept closed; else it slides or springs */
  double length;          /* m, of a rod between their two points, instead of one; 0: none */
  uint32_t bodies[2];     /* records, or BRINK_NO_RECORD: the world */
  uint32_t nextOfBody[2]; /* the next joint of each of them; BRINK_NO_RECORD: none */
  double anchors[2][3];   /* in each body's frame, m */
  brinkJointId id;        /* 0: makes no chain */
  double aim[3];          /* m, world: what is to be closed of its gap in this segment, see joint_gaps.c */
  double cutAt;           /* of the current step, see turns.c; 2: nowhere */
  bool planned;           /* it stands in cuts */
} brinkStepJoint;

/* ---- what happens in a step */

/* What pairs lead to; a pair's own mode counts, else the stricter one of its bodies, else the stepper's. */
typedef enum brinkStepMode {
  brink_stepInherit = 0,
  brink_stepReport = 1,      /* told, nothing changes */
  brink_stepSpeculative = 2, /* held back by a contact ahead of the impact, then as advance */
  brink_stepAdvance = 3,     /* the rest of the step is solved again from the impact on */
  brink_stepClamp = 4        /* both stay at the impact for the rest of the step */
} brinkStepMode;

typedef enum brinkStepResponse {
  brink_stepAdvanced = 0,
  brink_stepClamped = 1,
  brink_stepReported = 2,
  brink_stepHeldBack = 3
} brinkStepResponse;

/* What the host says of a pair that is in question. */
typedef enum brinkStepSay {
  brink_stepLeaves = 0, /* not a pair of the program's */
  brink_stepAnswers,    /* the program makes its contacts when asked */
  brink_stepUnsure      /* nobody knows the program's contacts: clamp */
} brinkStepSay;

/* A pair that is struck at the current impact. normal from A to B. */
typedef struct brinkStepImpact {
  brinkStepPair pair;
  brinkContact contact; /* as reported; distance and normal at the impact's time */
  brinkPairEvent event;
  double normal[3];
  bool wanted;      /* the program, or Brink in its place, made a contact; true before it is asked */
  bool moved;       /* no contact was made for it, but the program's callback gave one of the two another velocity */
  uint32_t falling; /* body record, see noteFalls in change.c; BRINK_NO_RECORD: none */
  double gain, met; /* m/s along the normal, of the falling one: by a step's forces; before the solve */
} brinkStepImpact;

/* What a body weighs in the account of energy (account.c), with the velocities of a state. */
typedef struct brinkStepWeight {
  double mass;   /* kg */
  double energy; /* J, kinetic, twice */
  double force;  /* N, squared, that acts on it in the step */
  bool turned;   /* a torque does */
} brinkStepWeight;

/* A pair for which the program's callback made no contact, see silence.c. */
typedef enum brinkStepVerdict {
  brink_stepUntold,
  brink_stepUnwanted,
  brink_stepWanted,
  brink_stepUnseen /* it was wanted, and lies within its allowance since, where the program is not asked about it */
} brinkStepVerdict;
typedef struct brinkStepSilent {
  brinkStepPair pair;
  void *geoms[2];
  brinkStepVerdict verdict; /* of the step's start */
  bool waits;               /* in this step */
  uint32_t waited;          /* untold: steps on end before this one */
  double friction;          /* of the program's contacts */
} brinkStepSilent;

/* A body that was left a hair from where it was stopped, between two steps. */
typedef struct brinkStepShown {
  uint32_t number;
  void *body;
  double home[3], there[3]; /* m */
} brinkStepShown;

/* An edge: a body that touches the island and is not in it; and what stands in for it in a solve. */
typedef struct brinkStepEdge {
  uint32_t body;
  void *standIn; /* the engine's */
  bool yields;
  double before[6]; /* m/s, rad/s: of the stand-in before the solve */
} brinkStepEdge;

/* A pair that a speculative contact holds back in this step. */
typedef struct brinkStepAhead {
  brinkStepPair pair;
  int tries;
  bool arrived;
} brinkStepAhead;

#define BRINK_STEP_PAIR_DROPPED 1u      /* left out for the rest of the step */
#define BRINK_STEP_PAIR_HAD_CONTACTS 2u /* contacts were made for it at an impact */
#define BRINK_STEP_PAIR_MOVED 4u        /* the callback gave one of the two another velocity, and made no contact */
#define BRINK_STEP_PAIR_AT_LIMIT 8u     /* one more for each impact at its limit */

/* The island of the change that is under way. */
struct brinkStepIsland {
  uint32_t mark;
  uint32_t *gathered; /* body records taken by the current gathering */
  size_t gatheredCount, gatheredCapacity;
  bool wedged;          /* while they are solved: one is held between what cannot give way */
  brinkStepEdge *edges; /* of the current gathering */
  size_t edgeCount, edgeCapacity;
  uint32_t *posed; /* body records at the poses of the change that is under way */
  size_t posedCount, posedCapacity;
};

/* A contact of the stepper's own: where the engine's colliders see nothing, and ahead of an impact. */
typedef struct brinkStepContact {
  brinkStepPair pair;
  double point[3], normal[3]; /* m, world; unit, A to B */
  double depth;               /* m, >= 0 */
  double friction;            /* coefficient */
  double apart;               /* m/s, least speed at which they part there; negative: they may approach by so much */
  bool lasts;                 /* as long as the program's contacts of this step; else until endSolves */
  bool hard;                  /* however soft the world's contacts are */
} brinkStepContact;

/* Where a pair stood at its limit. firm: A, and B, cannot give way there in the solve to come (contacts.c). */
typedef struct brinkStepPlace {
  brinkStepContact contact;
  bool firm[2];
} brinkStepPlace;

/* Does a joint hold two bodies together? */
struct brinkStepJoined {
  bool known, joined;
  uint32_t bodies[2];
};

/* What a step knows of pairs (pairs.c, silence.c, ahead.c, step.c). */
struct brinkStepPairs {
  struct brinkStepJoined joined; /* the last answer since the program was called */
  bool warnedOfPair;             /* a pair was named that is not kept apart */
  bool questionOpen;             /* brink.steps: begun for this step */
  bool makesInside, makesLater;  /* the program has made contacts in a callback inside a step; outside of it */
  brinkStepSilent *silent;
  size_t silentCount, silentCapacity;
  brinkStepShown *shown;
  size_t shownCount, shownCapacity;
  brinkKeyMap pairMap; /* what this step knows of pairs: BRINK_STEP_PAIR_* */
  brinkStepAhead *ahead;
  size_t aheadCount, aheadCapacity;
  brinkStepImpact *impacts;
  size_t impactCount, impactCapacity;
  brinkStepPlace *atLimit; /* of this step */
  size_t atLimitCount, atLimitCapacity;
  brinkStepPair *nearPairs;
  size_t nearCount, nearCapacity;
  bool mayHoldApart;        /* some pair may be one of heldApart; the host's to say at a step's start */
  brinkStepPair *heldApart; /* at the end of the last step: pairs that Brink's contacts keep at a distance */
  void *(*heldGeoms)[2];    /* [heldCount] what the records were then */
  size_t heldCount, heldCapacity, heldGeomsCapacity;
};

/* Joints that open where something spins (cuts.c, joint_gaps.c). */
struct brinkStepSpins {
  bool anyStruck;       /* some body's struck is set */
  size_t liveJoints;    /* records in use */
  size_t rodCount;      /* of them, those that have a length */
  uint32_t *openJoints; /* joint records of the bodies that are looked at */
  size_t openCount, openCapacity;
  uint32_t *cuts; /* joint records at which something is to be cut in this step */
  size_t cutCount, cutCapacity;
};

/* Quiet and awake bodies (culling.c, looks.c). */
struct brinkStepQuiet {
  size_t liveBodies;      /* records in use */
  double slackMost;       /* m, the largest slack of a body with geoms since all looks were forgotten */
  uint32_t staticChanges; /* geoms without body that changed since the last step */
  bool anyRemembers;      /* some body's remembers is set */
  uint32_t *awake;        /* body records that are not quiet; room for all */
  uint32_t *due;          /* quiet ones that are to be looked at again; room for all */
  size_t awakeCount, awakeCapacity, dueCount, dueCapacity;
  double allowanceSum; /* m, of the measured bodies with geoms */
  size_t allowanceCount;
  brinkBodyId *looked; /* listed for a question about a few bodies */
  size_t lookedCount, lookedCapacity;
};

/* A mode of a body (body set) or of a pair (geoms set): the engine's. */
typedef struct brinkStepSetting {
  void *body, *geoms[2];
  int mode;
} brinkStepSetting;

struct brinkStepSettings {
  int mode;             /* brinkStepMode but inherit */
  int maxSubsteps;      /* extra solves of one body in a step */
  uint32_t scheme;      /* brinkScheme */
  uint32_t taylorOrder; /* of the world; for records */
  double allowanceCap;  /* m; infinity: none */
  bool pairModes;       /* some pair has a mode of its own */
  bool anyModes;        /* some pair or body has */
  bool bodyModes;       /* some record of a body may hold one */
  bool speculates;      /* some pair or body is to be held back */
  brinkStepSetting *modes;
  size_t modeCount, modeCapacity;
};

/* What entered or left a sensor, in order of time. Of two sensors either may stand first. */
typedef struct brinkStepSensorEvent {
  void *sensor, *other; /* the engine's */
  int kind;             /* brink_stepEnters, brink_stepExits */
  double toi, toiUpper; /* part of the step; the crossing lies between them */
} brinkStepSensorEvent;
enum { brink_stepEnters = 0, brink_stepExits = 1 };

/* See sensors.c. */
struct brinkStepSensing {
  size_t sensorCount, rayCount;   /* colliders; rays: those that are watched */
  bool now;                       /* there is something to sense in this step */
  struct brinkStepInside *inside; /* kept from step to step */
  size_t insideCount, insideCapacity;
  struct brinkStepPart *parts; /* of the current step, that bodies have gone through */
  size_t partCount, partCapacity;
  brinkStepSensorEvent *events;
  size_t eventCount, eventCapacity;
};

/* Forces that the program's callback gave the bodies of a pair (pushes.c); records, or BRINK_NO_RECORD. */
typedef struct brinkStepPush {
  uint32_t bodies[2];
  double given[2][6]; /* N, N m */
} brinkStepPush;

struct brinkStepPushes {
  brinkStepPush *items;
  size_t count, capacity;
  brinkKeyMap map; /* by pair */
};

/* What is led from place to place: a geom that the program moves by hand, a moved body that it sets by pose
 * (catch_up.c). */
typedef struct brinkStepLed {
  brinkStepState stood, target; /* after the last step; where it is to go. Velocities unused */
  brinkStepState last;          /* where it was to go before */
  double fastest[2];            /* m/s, rad/s: as it was led since it was last in time, before this step */
  double moved[2];              /* the same, with this step */
  bool late;                    /* it was stopped on its way, and has not been where it was to go since */
} brinkStepLed;

/* A moved body that was stopped on its way, from then on until it is where the program's timeline has it. */
typedef struct brinkStepLate {
  uint32_t number, step; /* that it was followed in last */
  brinkStepLed led;
  brinkStepState set; /* as the program has set it for this step */
  bool always;        /* wherever the program sets it, it is led there */
  bool leads;         /* in this step, from where it stood */
  bool whole;         /* to its target */
} brinkStepLate;
struct brinkStepLates {
  brinkStepLate *items;
  size_t count, capacity;
};

/* What a step came to. */
struct brinkStepReport {
  int solves; /* the engine's, counted by the host */
  int clamps, unresolved;
  double firstToi; /* part of the step, or BRINK_NO_TIME */
  double lostTime; /* s, mean of all bodies */
  uint64_t pairsBefore, pairsSpatial, pairsTemporal, advancements, distanceQueries, nodePairs;
};

/* The step that is under way. */
struct brinkStepNow {
  double h;         /* s */
  double t;         /* nothing changes any more before this time */
  double tau;       /* of the change that is under way */
  brinkStepWhy why; /* of the clamp that is under way */
  double fall;      /* m/s that gravity gives a body in a step; the host's to say */
  bool mayAsk;      /* the program can be asked for contacts */
  bool asked;       /* it was called since the mirror was read; the host's to say */
  bool reportsAll;  /* every pair is only reported */
  bool whirls;      /* the engine's solve turns a body beyond all bounds */
  size_t bodyCount;
  double bodySolves; /* work of extra solves, in bodies */
};

/* Since the mirror was last brought up to date. */
struct brinkStepChanged {
  bool chains, dropped;
};

/* Text that grows. */
typedef struct brinkStepText {
  char *text;
  size_t length, capacity;
  bool failed; /* no memory */
} brinkStepText;

/* Who listens while a step works. Nothing of it changes what the step does. */
typedef struct brinkStepListener {
  bool (*needsAll)(const void *user); /* is every body to be asked about? */
  void (*answer)(void *user, const brinkReport *report);
  bool (*impact)(void *user, const brinkStepImpact *impact, int response); /* brinkStepResponse; false: no memory */
} brinkStepListener;

typedef struct brinkStepper {
  const brinkPlugin *plugin;
  const brinkStepsTable *steps;
  brinkWorld *world;
  const struct brinkStepHost *host;
  const brinkStepListener *told;
  void *user; /* of host and told */
  struct brinkStepSettings settings;
  brinkStepBody *bodies;
  brinkStepHotData *hotData;
  brinkStepLayout layout;
  size_t bodyCount, bodyCapacity, hotCapacity;
  brinkStepCollider *colliders;
  size_t colliderCount, colliderCapacity;
  size_t surfaceCount;     /* of them, those made of triangles */
  size_t unansweredCount;  /* those that the plugin has not */
  bool newSurfaces;        /* some were not met yet, see clearance.c */
  brinkKeyMap colliderMap; /* from handles */
  brinkStepJoint *joints;
  size_t jointCount, jointCapacity;
  size_t bodyFree, jointFree; /* no free record below */
  struct brinkStepChanged changed;
  brinkKeyMap bodyMap, geomMap; /* from what is the engine's: the records of bodies and colliders */
  uint32_t stepNumber;
  bool worldChanged; /* by a callback of this step: records may lead nowhere */
  struct brinkStepNow now;
  struct brinkStepIsland island;
  struct brinkStepPairs pairs;
  struct brinkStepSpins spins;
  struct brinkStepQuiet quiet;
  struct brinkStepSensing sensing;
  struct brinkStepPushes pushes;
  struct brinkStepLates lates;
  struct brinkStepReport report;
  struct brinkStepRecorder *recorder; /* record.c; NULL: nothing is recorded */
} brinkStepper;

/* ---- what the host gives */

/* A joint or contact that is on, as the bodies' own lists have it. */
typedef struct brinkStepLink {
  uint32_t body;  /* at its other end; BRINK_NO_RECORD: the world */
  uint32_t joint; /* record; BRINK_NO_RECORD: a contact, or a joint that was not mirrored */
  bool isContact;
} brinkStepLink;

enum {
  BRINK_STEP_MADE = 1,  /* the program made contacts */
  BRINK_STEP_UNSEEN = 2 /* none of the engine's colliders sees the pair touch */
};

/* All are called from inside the stepper's own functions, and may call those of this header that say so. Bodies and
 * colliders by number. "The gathered" are the bodies of stepper->island.gathered. */
typedef struct brinkStepHost {
  /* -- bodies */
  void (*readState)(void *user, uint32_t body, brinkStepState *state);
  void (*writeState)(void *user, uint32_t body, const brinkStepState *state);
  /* What the step's own solve has done with a body: its end, and its spin as the engine turned it. */
  void (*readEnd)(void *user, uint32_t body);
  void (*readForces)(void *user, uint32_t body, double forces[6]); /* N, N m: that the next solve will take */
  void (*writeForces)(void *user, uint32_t body, const double forces[6]);
  /* Takes back from a state's velocities what the step's own forces do in `seconds`: they are given again to the next
   * solve. Its pose is one that the body has in this step. seconds < 0: gives them. */
  void (*takeBackForces)(void *user, uint32_t body, double seconds, brinkStepState *state);
  /* Gives back what damping took for the time after tau, of the velocities of the body's end. */
  void (*giveBackDamping)(void *user, uint32_t body, double tau, brinkStepState *state);
  double (*angularDamping)(void *user, uint32_t body); /* part of the angular velocity that a step takes away, [0,1) */
  /* What an impulse of 1 N s along the normal at the arm changes; the change of the point's speed along it, m/s. */
  double (*pushOf)(void *user, uint32_t body, const double arm[3], const double normal[3], double linear[3],
                   double angular[3]);
  void (*weigh)(void *user, uint32_t body, const brinkStepState *at, brinkStepWeight *out);
  /* 1/kg: how easily it is shifted to close a joint, without speed; 0: not at all, as what sleeps, or what a joint
   * holds that slides, springs or is soft. What a contact holds is not shifted, whatever is said here. */
  double (*yieldOf)(void *user, uint32_t body);
  /* -- what connects bodies */
  /* The next of a body's links; *at: 0 at first. The order may depend on no address. False: there are no more. */
  bool (*nextLink)(void *user, uint32_t body, int *at, brinkStepLink *link);
  bool (*joined)(void *user, uint32_t bodyA, uint32_t bodyB); /* by anything but contacts */
  /* -- pairs */
  brinkStepSay (*answers)(void *user, brinkStepPair pair);
  bool (*keptApart)(void *user, brinkStepPair pair); /* by contacts that act before surfaces cross, see meet.h */
  bool (*hasContact)(void *user, brinkStepPair pair, double *friction); /* that it is between; its friction */
  /* Do its boxes meet, and do the engine's colliders see it touch, as it stands? */
  bool (*touches)(void *user, brinkStepPair pair);
  bool (*collides)(void *user, brinkStepPair pair); /* by its bits: would the engine ever ask for its contacts? */
  /* The clearance of its record is known now, and smaller than its allowance: it is made again with that, and told by
   * brinkStepSetCollider. 0: failed, the host has said why. */
  int (*renewCollider)(void *user, uint32_t collider);
  /* -- contacts inside a step */
  /* Contacts that the gathered bodies have now are listed; those of them that are still there are switched off until
   * the step's end. */
  bool (*listContacts)(void *user);
  void (*putAside)(void *user);
  bool (*putAsideNew)(void *user, brinkStepPair pair); /* of its first body: those that are not listed */
  /* The program is asked for contacts of a struck pair. BRINK_STEP_MADE, BRINK_STEP_UNSEEN; nothing counts once
   * stepper->worldChanged is set. At most impact->contact.distance is left between the surfaces, which is more than 0:
   * look from BRINK_STEP_TOUCHING of the pair's allowance farther out, or bring the two together while colliders look.
   * Else all impacts are unseen, and their contacts Brink's: they have no bounce. */
  int (*askContacts)(void *user, const brinkStepImpact *impact);
  /* And for those of pairs.nearPairs of which one body is gathered, and the other one gathered, static or an edge
   * (brinkStepIsEdge). Contacts of which brinkStepKeepsContacts says no are switched off again. */
  void (*askOthers)(void *user);
  /* Points of contact of a pair as it stands now, by Brink's narrowphase; m. How many. */
  size_t (*contactPoints)(void *user, brinkStepPair pair, double margin, brinkContactPoint *points, size_t most);
  void (*addContact)(void *user, const brinkStepContact *contact);
  /* Has a callback destroyed or made bodies or geoms? Sets stepper->worldChanged. Of bodies only these are looked at,
   * which the step follows next; NULL: all. */
  bool (*looksChanged)(void *user, const uint32_t *bodies, size_t count);
  int (*refresh)(void *user); /* then: the mirror is brought up to date; 0: failed, the host has said why */
  /* -- solves */
  bool (*isOn)(void *user, uint32_t body); /* it moves in a solve of the engine's own: it does not sleep */
  void (*wake)(void *user, uint32_t body);
  /* The rest of the step from tau on for the gathered bodies, which stand at their poses of tau: forces given again,
   * springs and dampings scaled to the part (part.c, brinkStepClosingPart), depths pushed out no faster than by
   * brinkStepPushOutSpeed; no other body moves. For each edge something stands in, between brinkStepBeginEdge and
   * brinkStepEndEdge. Fills their end and spin. insteadOfLast: the solve that led here does not count, so nothing is
   * held back. False: failed. */
  bool (*solve)(void *user, double tau, bool insteadOfLast);
  void (*endSolves)(void *user); /* contacts of addContact go */
  /* -- words */
  void (*writeCollider)(void *user, uint32_t collider, brinkStepText *out); /* its lines of a record, see record.c */
  void (*say)(void *user, brinkLogLevel level, const char *text);           /* errors: why the step fails */
  const char *whyNotKeptApart;                                              /* of hollow meshes: what to do */
  const char *howToHear;                                                    /* of a warning that is said once */
} brinkStepHost;

/* ---- step.c */
void brinkStepBegin(brinkStepper *stepper, double h, bool mayAsk);
/* After the engine's solve of the whole step, in this order; bodies' starts were read before it. 0: the host was told
 * why. */
int brinkStepReadMotions(brinkStepper *stepper);
int brinkStepFollowImpacts(brinkStepper *stepper);
void brinkStepEnd(brinkStepper *stepper);      /* what was clamped is recorded */
void brinkStepAbandon(brinkStepper *stepper);  /* a callback has destroyed the world */
void brinkStepBreakOff(brinkStepper *stepper); /* an exception leaves the step: instead of what is left of it */

/* ---- start.c: of every body, before the engine's solve */
enum {
  BRINK_STEP_UNFIT = 1,  /* something of its state or force is not finite, or beyond BRINK_STEP_LARGEST */
  BRINK_STEP_FORCED = 2, /* its force or torque is not zero, or was not in the last step: the host keeps it */
};
int brinkStepReadStart(brinkStepper *stepper, uint32_t number);
bool brinkStepEndsUnfit(const brinkStepper *stepper, uint32_t number); /* the host knows its forces */
/* At the end of a step: notes where those are left that remember something. */
void brinkStepNoteLeft(brinkStepper *stepper);
/* What it remembers of a body between two steps, of which pairs are not part; given back, after its state was, it is as
 * if the last step had left it there. 0: nothing, as of a new one. */
enum { BRINK_STEP_WAS_STRUCK = 1, BRINK_STEP_WAS_STOPPED = 2 };
uint32_t brinkStepMemoryOf(const brinkStepper *stepper, uint32_t number);
void brinkStepRecall(brinkStepper *stepper, uint32_t number, uint32_t memory);

/* ---- records.c */
/* What there is. Each tells the host why when it fails. position: where the engine keeps it, until the body is dropped;
 * the rest of its state lies there by stepper->layout. */
uint32_t brinkStepAddBody(brinkStepper *stepper, void *body, const double *position); /* BRINK_NO_RECORD: failed */
void brinkStepDropBody(brinkStepper *stepper, uint32_t number);                       /* colliders and joints first */
/* The engine has destroyed it: what lies at its address from now on is another one. Its record goes at the next walk.
 */
void brinkStepEndBody(brinkStepper *stepper, uint32_t number);
void brinkStepEndCollider(brinkStepper *stepper, uint32_t number);              /* the same */
uint32_t brinkStepAddJoint(brinkStepper *stepper, const brinkStepJoint *joint); /* BRINK_NO_RECORD: failed */
void brinkStepDropJoint(brinkStepper *stepper, uint32_t number);
/* A new collider, a changed one, or one that is gone (geom NULL). In the plugin's world the host makes and destroys it:
 * its userData is this number, its allowance the record's. Of one without a body the looks near it are the host's to
 * void, as are those of a body whose collider only moved or got other bits. */
bool brinkStepSetCollider(brinkStepper *stepper, uint32_t number, const brinkStepCollider *collider);
void brinkStepEndMirror(brinkStepper *stepper); /* after any of these */
/* Which record has this object of the engine's? at: only that one, which it had; or BRINK_NO_RECORD: any. What is made
 * at an address is another one. BRINK_NO_RECORD: none. */
static inline uint32_t brinkStepFindBody(const brinkStepper *stepper, const void *body) {
  return brinkKeyMap_Get(&stepper->bodyMap, BRINK_POINTER_KEY(body));
}
static inline uint32_t brinkStepFindCollider(const brinkStepper *stepper, const void *geom, uint32_t at) {
  const bool there = at < stepper->colliderCount && stepper->colliders[at].geom == geom;
  return at == BRINK_NO_RECORD ? brinkKeyMap_Get(&stepper->geomMap, BRINK_POINTER_KEY(geom))
         : there               ? at
                               : BRINK_NO_RECORD;
}
static inline uint32_t brinkStepNextJoint(const brinkStepper *stepper, uint32_t body, uint32_t joint) {
  return stepper->joints[joint].nextOfBody[stepper->joints[joint].bodies[0] != body];
}
/* Of the joints of this record of a body. */
static inline uint32_t brinkStepFindJoint(const brinkStepper *stepper, uint32_t body, const void *joint) {
  uint32_t number = stepper->bodies[body].firstJoint;
  while (number != BRINK_NO_RECORD && stepper->joints[number].joint != joint) {
    number = brinkStepNextJoint(stepper, body, number);
  }
  return number;
}
/* Do the records tell all of its joints but contacts? The program makes joints, and destroys some, where it is called.
 */
static inline bool brinkStepKnowsJoints(const brinkStepper *stepper, uint32_t body) {
  return stepper->hotData[body].recorded && !stepper->now.asked;
}
void brinkStepFree(brinkStepper *stepper);
/* Hints to the processor, a few bodies ahead: what passes over all awake bodies read; its motion. */
static inline void brinkStepFetchFlags(const brinkStepBody *record) {
  BRINK_STEP_FETCH(record);
  BRINK_STEP_FETCH(&record->from);
  BRINK_STEP_FETCH(&record->gap.shift);
}
static inline void brinkStepFetchMotion(const brinkStepBody *record) {
  for (const char *at = (const char *)&record->start; at < (const char *)&record->next; at += 64) {
    BRINK_STEP_FETCH(at);
  }
}
static inline void brinkStepFetchJoint(const brinkStepJoint *record) {
  BRINK_STEP_FETCH(record);
  BRINK_STEP_FETCH(&record->anchors[1][0]);
}
static inline uint32_t brinkStepNumberOf(const brinkStepper *stepper, const brinkStepBody *record) {
  return (uint32_t)(record - stepper->bodies);
}
/* A sensor stops nothing: it tells what enters and leaves it. Colliders. */
static inline bool brinkStepIsSensorPair(const brinkStepper *stepper, uint32_t a, uint32_t b) {
  return ((stepper->colliders[a].flags | stepper->colliders[b].flags) & BRINK_STEP_SENSOR) != 0;
}
/* Is the pair told of at the step's end, see sensors.c? So are those of rays. */
static inline bool brinkStepIsSensed(const brinkStepper *stepper, uint32_t a, uint32_t b) {
  return ((stepper->colliders[a].flags | stepper->colliders[b].flags) & (BRINK_STEP_SENSOR | BRINK_STEP_RAY)) != 0;
}
int brinkStepFail(brinkStepper *stepper, const char *format, ...) __attribute__((format(printf, 2, 3))); /* 0 */
void brinkStepLog(brinkStepper *stepper, brinkLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- looks.c: what voids looks at bodies */
void brinkStepForgetLooks(brinkStepper *stepper);
void brinkStepForgetMeasures(brinkStepper *stepper);          /* looks too: allowances changed */
void brinkStepVoidLook(brinkStepper *stepper, uint32_t body); /* its geoms or kind changed in place; none: nothing */
void brinkStepVoidLooksNear(brinkStepper *stepper, brinkColliderId collider); /* without body, new or changed */
/* In the plugin's world the body rests at this pose. */
bool brinkStepRestAt(brinkStepper *stepper, uint32_t number, const double *p, const double *q);

/* ---- clearance.c */
/* What two meshes keep of the distance at which they are first met as their allowance; infinite: as it is. */
double brinkStepClearanceOf(double distance, double allowance);

/* ---- gather.c */
void brinkStepBeginGathering(brinkStepper *stepper);
bool brinkStepGather(brinkStepper *stepper, uint32_t number); /* false: no memory */
bool brinkStepIsGathered(const brinkStepper *stepper, uint32_t number);
bool brinkStepIsEdge(const brinkStepper *stepper, uint32_t number); /* touched by the gathered, and not one of them */

/* ---- body_motion.c */
bool brinkStepStateIsFinite(const brinkStepState *state);
/* Within `part` of 1 m and of each coordinate, and as rad? */
bool brinkStepIsNearPose(const brinkStepState *a, const brinkStepState *b, double part);
/* Where a body is at tau, from Brink: the very motion that was proved about; and its velocities there. */
bool brinkStepStateAt(brinkStepper *stepper, const brinkStepBody *record, double tau, brinkStepState *out);
void brinkStepVelocitiesAt(const brinkStepper *stepper, const brinkStepBody *record, double tau, brinkStepState *out);
/* Its way and turn, m and rad, from its pose at tau to its end. False: the plugin has no pose of it. */
bool brinkStepMotionSince(brinkStepper *stepper, const brinkStepBody *record, double tau, brinkStepState *first,
                          double way[3], double turn[3]);

/* ---- culling.c */
int brinkStepWake(brinkStepper *stepper, uint32_t number); /* a quiet body joins the question; 0: failed */

/* ---- modes.c: modes of bodies and pairs, kept by what is the engine's until a mirror does not meet it any more */
bool brinkStepSetMode(brinkStepper *stepper, brinkStepSetting wanted); /* inherit takes it back; false: no memory */
void brinkStepApplyModes(brinkStepper *stepper);                       /* after the mirror was brought up to date */
int brinkStepOwnMode(const brinkStepper *stepper, brinkStepPair pair); /* inherit: it has none */

/* ---- joint_gaps.c */
double brinkStepWorstGap(const brinkStepper *stepper); /* m, of all joints that hold a point, as bodies stand now */
/* Of the error reduction of joints, erp in an extra solve of h seconds (brinkStepErpOfPart): which part of it, [0,1],
 * may the gathered bodies have? The solve takes erp times this; all of it where it is insteadOfLast. */
double brinkStepClosingPart(brinkStepper *stepper, double erp, double h);

/* ---- silence.c */
void brinkStepBeginSilence(brinkStepper *stepper); /* after the walk: what did the program make of pairs that waited? */
/* Of the program's contacts, if they are known to be made later; else what Brink takes. */
double brinkStepFrictionOf(const brinkStepper *stepper, brinkStepPair pair);
/* Does the program want it although its callback is silent, and is not asked now? */
bool brinkStepIsUnseen(const brinkStepper *stepper, brinkStepPair pair);

/* ---- contacts.c */
/* May the contacts stay that the program has made for a pair that is not struck? Not where it parts: see docs/step.md.
 * Where something of the island was struck at its limit and it stands at its own, Brink's hold it, too. */
bool brinkStepKeepsContacts(brinkStepper *stepper, brinkStepPair pair);
void brinkStepHoldApart(brinkStepper *stepper, brinkStepPair pair);

/* ---- pushes.c: around each call of the program's callback for a pair; at the step's end */
void brinkStepReadPushes(const brinkStepper *stepper, brinkStepPair pair, double out[2][6]);
void brinkStepKeepPushes(brinkStepper *stepper, brinkStepPair pair, double before[2][6]);
void brinkStepGivePushes(brinkStepper *stepper);

/* ---- pairs.c */
static inline uint64_t brinkStepPairKey(brinkStepPair pair) { /* for maps: of both orders the same */
  uint32_t low = pair.a < pair.b ? pair.a : pair.b, high = pair.a < pair.b ? pair.b : pair.a;
  return (uint64_t)(low + 1) << 32 | (high + 1);
}
/* Where a pair that is watched at a core stands at a part of the segment; false: it is not, and nothing was filled in.
 */
bool brinkStepSinking(const brinkStepper *stepper, brinkStepPair pair, double local, brinkSinking *out);
bool brinkStepIsDropped(const brinkStepper *stepper,
                        brinkStepPair pair); /* in the current step; between steps: the last one */
bool brinkStepIsFirstTouch(const brinkStepper *stepper, const brinkStepImpact *impact);
/* Is a pair that is struck now at its limit? */
bool brinkStepIsAtLimit(const brinkStepper *stepper);
/* Has something pressed a pair that is kept apart nearer than it comes at a first touch? */
bool brinkStepIsPressed(const brinkStepper *stepper, const brinkStepImpact *impact);
double brinkStepPairAllowance(const brinkStepper *stepper, brinkStepPair pair);
double brinkStepContactReach(const brinkStepper *stepper,
                             brinkStepPair pair); /* m, within which Brink's contacts act */
int brinkStepModeOfPair(const brinkStepper *stepper, brinkStepPair pair);
/* The state of what stands in for it from tau on: as heavy as its body where edge->yields is set, else without end. And
 * what the solve has given that, which its body gets. */
bool brinkStepBeginEdge(brinkStepper *stepper, brinkStepEdge *edge, double tau, brinkStepState *state);
void brinkStepEndEdge(brinkStepper *stepper, const brinkStepEdge *edge, const double linear[3],
                      const double angular[3]);
/* What no record tells of goes straight back by this time, s, of its last solve. gravity: m/s^2. */
void brinkStepBringBack(brinkStepState *state, double seconds, const double gravity[3]);
/* Can the pair ever be part of a question, whatever the program says of it? Colliders. */
int brinkStepMayMeet(const brinkStepper *stepper, uint32_t a, uint32_t b);
/* Is the pair part of the question now? user: a stepper; user data of colliders: their numbers. */
int brinkStepWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
/* How deep it may sink (*limit: in all), as the plugin asks for it. */
double brinkStepSinkPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB,
                         double *limit);
/* Has an iterative solver failed to find the impulses that part the gathered bodies? */
bool brinkStepNeedsDirectSolve(const brinkStepper *stepper);

/* ---- surface.c */
/* How a surface moves the body that its contact's normal leads into: m/s along the normal, along a direction in the
 * surface, and along the normal x that one. */
typedef struct brinkStepSurfaceMotion {
  double normal[3], along[3], speeds[3];
} brinkStepSurfaceMotion;
/* The same motion, at a contact with another normal. */
void brinkStepTurnSurface(brinkStepSurfaceMotion *surface, const double normal[3]);

/* ---- catch_up.c: what the host leads from place to place, and moved bodies that are behind their way */
/* Its velocities in a step of h to its target. rounding: of a step, m and rad. False: not all the way. */
bool brinkStepLead(brinkStepLed *led, double h, double rounding, double linear[3], double angular[3]);
/* After the step; last is where it was to go. reached: where it was stopped on its way; NULL: it was not. */
void brinkStepLedTo(brinkStepLed *led, const brinkStepState *reached);
/* After the walk, before the solve: moved bodies that were stopped and have been set along their way start from where
 * they stood. */
void brinkStepSetOutLate(brinkStepper *stepper);
double brinkStepLedWay(const brinkStepper *stepper, uint32_t body); /* m, to where it goes; < 0: it is not led */
void brinkStepEndLate(brinkStepper *stepper); /* whatever has become of the step: they get back what the program gave */
void brinkStepForgetLate(brinkStepper *stepper, uint32_t body);
bool brinkStepLeadAlways(brinkStepper *stepper, uint32_t body); /* until it is forgotten; false: no memory */

/* ---- part.c: what an engine knows per step (ERP, CFM, the part of a velocity that damping takes), as a solve of a
 * part r of it, [0,1], needs it */
double brinkStepErpOfPart(double erp, double r);
double brinkStepCfmOfPart(double cfm, double erp, double r);
double brinkStepDampingOfPart(double damping, double r);
/* Gives a velocity at tau what damping took for the time after it: it acts at the end of a solve that began at `from`,
 * for all of its time, on what is faster than the threshold. */
void brinkStepGiveBackDamping(double from, double tau, double damping, double threshold, const double end[3],
                              double velocity[3]);

/* Its turn in a solve of length h that led to its end; finite: by its angular velocity, else by the tangent of half of
 * it. Damping came after the turn and is taken back. */
void brinkStepReadSpin(brinkStepBody *record, double h, bool finite, double damping, double threshold);

/* ---- speeds.c */
/* m/s of a body's point along a direction. */
double brinkStepPointSpeed(const brinkStepState *state, const double arm[3], const double normal[3]);
double brinkStepFastest(const brinkStepBody *record); /* m/s: no point of it is faster at an impact */
/* m/s, at which an extra solve pushes out what lies too deep: a small part of the struck pairs' speed, or what gravity
 * gives in a step, so that what rests is carried. */
double brinkStepPushOutSpeed(const brinkStepper *stepper);
/* After an extra solve, at the poses that it began with: does a struck pair still approach as it did before, in an
 * island in which nothing is moved? */
bool brinkStepIsUnanswered(const brinkStepper *stepper);
double brinkStepPairSpeed(const brinkStepper *stepper, brinkStepPair pair); /* of both bodies */
/* m/s, at which the two part here when the step ends, as far as solved: what rests on a floor is told to rise at an
 * impact by what the rest of the step takes back from it, and parts from nothing. Both are posed. */
double brinkStepPartingSpeed(const brinkStepper *stepper, brinkStepPair pair, const brinkContactPoint *point);

/* ---- account.c: roots of twice the kinetic energy of the gathered bodies, kg^1/2 m/s */
double brinkStepNorm(const brinkStepper *stepper);
/* *most: the largest that contacts alone can give the island in the solve of a part r of the step. pushedOut: m/s.
 * False: it has joints or stand-ins, and may have more. */
bool brinkStepMostNorm(const brinkStepper *stepper, double r, double pushedOut, double *most);

/* ---- record.c: a file of each step that ended in the guard */
bool brinkStepSetRecords(brinkStepper *stepper, const char *directory); /* NULL: none */
const char *brinkStepRecordPath(const brinkStepper *stepper);           /* of the last step's record; NULL: none */
void brinkStepAppend(brinkStepText *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void brinkStepAppendNumbers(brinkStepText *out, const double *values, size_t count);
void brinkStepAppendPose(brinkStepText *out, const brinkPose *pose);
void brinkStepAppendShape(brinkStepText *out, uint32_t number, const brinkShapeDef *def); /* its line, or lines */

/* ---- memory.c */
/* Makes room for one more item than count; false: no memory. */
bool brinkStepReserve(void **items, size_t *capacity, size_t count, size_t itemSize);
#define BRINK_STEP_RESERVE(items, count, capacity) \
  brinkStepReserve((void **)&(items), &(capacity), (count), sizeof(*(items)))
bool brinkStepAllFinite(const double *values, size_t count); /* and below BRINK_STEP_LARGEST */

#endif
