/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_HOOKS_H
#define DX_BRINK_HOOKS_H
/* What the two hooks for unchanged programs share: the header that redirects ODE's names (brink/ode_redirect.h) and the
 * preloaded library (preload.c).
 *
 * Terms. Frame: what a thread's program did since its last step, its collide calls, their callbacks and contacts. Call:
 * a dSpaceCollide or dSpaceCollide2; a top call is the program's own, not made by a callback. A call covers a pair of
 * leaf geoms if it would report them, or spaces around them, were the boxes to meet. Guess: a pair that capture.c
 * expects to meet in the next step. Frames belong to threads, worlds to the registry of hooks.c. */
#define BRINK_ODE_REDIRECT_NAMES_ONLY /* the hooks themselves call ODE */
#include "brink/ode_redirect.h"
#include "../mirror/mirror.h"
#include "foresee.h" /* plugin/stepping */

/* Which pairs of geom classes get their contacts from Brink (dBrinkRegister). */
typedef enum hookRegister {
  hookRegisterAuto, /* those with a trimesh, from the first impact of such a pair on */
  hookRegisterNone,
  hookRegisterMeshes,
  hookRegisterAll
} hookRegister;

typedef struct hookSettings {
  int mode; /* dBrinkMode, of the world; inherit: off, ODE's alone */
  hookRegister registers;
  int callback;        /* dBrinkCallbackReplay or dBrinkCallbackCapture */
  int substeps;        /* < 0: Brink's default */
  double allowance;    /* m, cap; 0: none */
  const char *records; /* folder for records of clamped steps, or NULL */
} hookSettings;

typedef struct hookCall {
  dGeomID a, b;        /* b NULL: dSpaceCollide(a) */
  bool opensA, opensB; /* dSpaceCollide2 looks into this side */
  uint32_t parent;     /* call whose callback made this one; itself at the top */
  uint32_t lastChild;  /* the last one whose parent this is; itself: none */
  uint32_t previous;   /* call with the same sides, or BRINK_NO_RECORD */
  void *data;
  dNearCallback *near;
} hookCall;

typedef struct hookCalls {
  hookCall *items; /* in the order in which they were made */
  size_t count, capacity;
  brinkKeyMap map; /* key of both sides: the last call of them */
} hookCalls;

/* What the program did with a pair when it was last asked about it. */
typedef struct hookAnswer {
  dGeomID a, b;   /* as in the contact; NULL: destroyed since */
  uint64_t frame; /* number of the frame that it is of */
  bool wanted;
  bool ahead;      /* shown ahead, at its impact, and no contact was made inside the callback: contacts made after the
                    * collide call belong to the impact's pose, and are disabled */
  uint64_t silent; /* calls whose callbacks made no contact of the pair: a bit each (number modulo 64) */
  uint32_t next;   /* answer with the same key */
  dContact contact;
} hookAnswer;

/* A contact made after the collide call that names no geoms, or geoms inside GeomTransforms: whose is it? */
typedef struct hookStray {
  dJointID joint;
  dContact contact;
} hookStray;

#define HOOK_TOLD 1024 /* messages that are logged once */

typedef struct hookWorld {
  dWorldID world;
  dBrinkID brink;
  double h;                  /* s, of the last step; 0: none yet */
  struct hookFrame *stepper; /* of the thread that stepped it last */
  unsigned long long steps, impacts, clamps, failures;
  double lostTime;         /* s */
  unsigned long long work; /* looks at calls, guesses and bodies between steps; see calls.c */
  uint64_t told[HOOK_TOLD];
  brinkKeyMap seen; /* spaces and geoms that need not be watched once more */
  struct hookWorld *next;
} hookWorld;

/* A pair that will meet in the next step if only gravity changes its motion. */
typedef struct hookGuess {
  dGeomID a, b; /* NULL: something of it was destroyed since */
  dBodyID bodies[2];
  double allowance; /* m */
  brinkStepForeseen seen;
} hookGuess;

/* Entry of a guess in the list of a call's sides; each call that could cover it has one. */
typedef struct hookGuessLink {
  uint32_t guess, next;
} hookGuessLink;

/* The guesses of a frame, see capture.c. */
typedef struct hookForesight {
  brinkStepForesight seen; /* of one world */
  hookGuess *guesses;
  size_t guessCount, guessCapacity;
  brinkKeyMap guessMap;
  hookGuessLink *guessLinks;
  size_t guessLinkCount, guessLinkCapacity;
  uint32_t *due; /* guesses that a call covers */
  size_t dueCount, dueCapacity;
  bool guessed;                /* guesses are there ... */
  uint64_t guessedFrom;        /* ... for these states of all bodies */
  brinkStepLooks atTop, atNew; /* calls of this frame; of them with sides that the frame before did not have */
} hookForesight;

/* An object that the program destroyed inside a step: it goes at the step's end, as Brink still reads it. */
typedef struct hookEnd {
  dBodyID body;
  dGeomID geom; /* or space */
  dWorldID world;
} hookEnd;

typedef struct hookFrame {
  bool inside;      /* Brink or ODE is running, not the program */
  int depth, plain; /* of collide calls; steps before the first of these calls */
  bool stepped;     /* a step was made: the next call begins a new frame */
  hookCalls calls;
  uint32_t current;    /* call whose callback is running */
  hookCalls before;    /* the calls of the frame before */
  uint64_t number;     /* of this frame */
  hookAnswer *answers; /* of this and of recent frames, one of each pair */
  size_t answerCount, answerCapacity;
  brinkKeyMap answerMap;
  hookForesight ahead;
  hookWorld **mine; /* worlds that this thread steps, as of its last top call */
  size_t mineCount, mineCapacity;
  unsigned long long work; /* since the last step */
  /* one pair is being asked about: nested calls of the program report it alone */
  bool asking;
  dGeomID pair[2];
  dGeomID reported[2]; /* what the running callback was called with */
  hookStray *strays;
  size_t strayCount, strayCapacity;
  hookGuess shown; /* to the program at this moment */
  bool stepping;   /* what the program destroys now goes at the end of the step */
  struct hookEnd *ends;
  size_t endCount, endCapacity;
} hookFrame;

/* ---- calls.c */
uint64_t dxHookPairKey(dGeomID a, dGeomID b);
bool dxHookIsUnder(dGeomID geom, dGeomID ancestor);
/* Does the call cover the pair? If so, reported is set: the geoms or spaces that it reports for it first. */
bool dxHookCovers(const hookCall *call, dGeomID a, dGeomID b, dGeomID reported[2]);
/* The number of the first call from `from` on that covers the pair; BRINK_NO_RECORD: none. */
uint32_t dxHookNextCovering(hookFrame *frame, const hookCalls *calls, uint32_t from, dGeomID a, dGeomID b);
/* Number of an equal call, data included; BRINK_NO_RECORD: none. */
uint32_t dxHookFindCall(hookFrame *frame, const hookCalls *calls, const hookCall *call, bool top);
/* Is there a call with these sides and this callback, whatever its data? */
bool dxHookKnowsSides(hookFrame *frame, const hookCalls *calls, const hookCall *call);
/* Adds a call; its number, BRINK_NO_RECORD: no memory. parent BRINK_NO_RECORD: a top call. */
uint32_t dxHookAddCall(hookCalls *calls, const hookCall *call, uint32_t parent);
void dxHookForgetCalls(hookCalls *calls);
void dxHookFreeCalls(hookCalls *calls);

/* ---- settings.c */
const hookSettings *dxHookSettings(void);
bool dxHookLooksAhead(void);
/* Logs a line. always: a warning, which goes to stderr where there is no log. */
void dxHookSay(bool always, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool dxHookLogs(void);

/* ---- frame.c */
/* Calls the callback of a call with one pair, as the call would report it. */
void dxHookAsk(hookFrame *frame, const hookCall *call, dGeomID a, dGeomID b);

/* ---- capture.c */
void dxHookBeginAnswers(hookFrame *frame); /* of a new frame; those of the last ones are remembered for a while */
/* Forgets answers and guesses about a geom, as another may come to lie at its address. NULL: all. */
void dxHookForgetGeom(hookFrame *frame, dGeomID geom);
void dxHookForgetBody(hookFrame *frame, dBodyID body); /* it is destroyed */
void dxHookNote(hookFrame *frame, dJointID joint, const dContact *contact);
void dxHookNameStrays(hookFrame *frame);
const hookAnswer *dxHookAnswerOf(const hookFrame *frame, dGeomID a, dGeomID b);
/* The contact noted for a pair in this frame, or in a recent one. NULL: none. */
const dContact *dxHookContactOf(const hookFrame *frame, dGeomID a, dGeomID b);
/* After a top call: shows the program the pairs that will meet, before it is asked again. */
void dxHookLookAhead(hookFrame *frame, uint32_t call);
/* Makes contacts of a pair with the surface that the program gave it. */
void dxHookContacts(const hookWorld *world, dGeomID a, dGeomID b);

#endif
