/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_TUNING_H
#define BRINK_STEP_TUNING_H
/* Every number that shapes what a step does, once. Twenty are chosen, the first group; all others are made of them.
 *
 * Lengths are parts of a pair's allowance: how far it may be crossed. Its skin, half of it, is what Brink's own events
 * are about (brinkWatch in brink/ccd.h): a mesh is kept a skin away. What looks ahead of events takes halves, quarters
 * and eighths of a skin, so that it never comes later than they do. Times are parts of the step.
 * tests/house/test_house.py: no other file of ode_glue or plugin/stepping may have such a number. It lists what is
 * none: sizes of buffers, rounds of an iteration, rounding of the engine's functions, stand-ins for infinity, settings.
 */

/* ---- chosen */

#define BRINK_STEP_SKIN 0.5      /* of the allowance: where a mesh meets its event; see brinkWatch */
#define BRINK_STEP_TENTH 0.1     /* of a whole: the least that counts beside it */
#define BRINK_STEP_SMALL 0.05    /* of a whole: what may be given away of it */
#define BRINK_STEP_HAIR 1e-3     /* of a whole: less counts as none; a step's rest, an allowance's gap */
#define BRINK_STEP_ROUNDING 1e-9 /* of a whole: what computing alone may make of nothing */
#define BRINK_STEP_QUARTER 0.25  /* of a whole: from here on it is a fair part of it */
#define BRINK_STEP_MANY 16       /* things or steps: one budget for all that is repeated */

#define BRINK_STEP_CALM_TURN 0.25 /* rad in a step: who turns less cannot hide a whole turn, and spins no more */
#define BRINK_STEP_OPENING 0.2    /* of the arm from a body's centre to its joint: how far the joint may open at once */
#define BRINK_STEP_SMALLEST 0.02  /* of an arm, of a step: less is not worth a solve */

/* How deep a pair may sink in a step, in parts of its allowance; see sink.c. */
#define BRINK_STEP_GROUND_PARTS 8.0 /* of its allowance, 5 % of its smallest extent: a mesh that stands still */
#define BRINK_STEP_SOLID_PARTS 5.0  /* the same of convex shapes, which have an inside: cores keep a quarter of it */
#define BRINK_STEP_FIELD_DEPTHS 3.0 /* an engine's colliders of heightfields miss edges and tips: bodies lie deeper */

/* Contacts, where nobody says how they are to be. */
#define BRINK_STEP_FRICTION 1.0     /* mu: the engine's colliders see nothing, so the program was not asked */
#define BRINK_STEP_LIFT_SPEED 0.04  /* m/s: of a body that lies nearer to a mesh than it is kept */
#define BRINK_STEP_MESH_BAND 0.15   /* of the gap: a sliding mesh is told of contacts so much farther out */
#define BRINK_STEP_SLIDING 60.0     /* 1/s, times the gap: who is faster slides */
#define BRINK_STEP_LOOK_FARTHER 1.5 /* times the margin: a manifold prefers what is deep within it */
#define BRINK_STEP_SOFTEST_CFM 1e-4 /* s/kg: a joint that mixes in more force is meant to give */
#define BRINK_STEP_EFFORT 3         /* times an iterative solver's rounds: half-solved contacts would impact again */

/* ---- lengths: parts of the allowance */

#define BRINK_STEP_ALLOWANCE BRINK_STEP_SMALL               /* itself, by default: of the thickness */
#define BRINK_STEP_GAP (BRINK_STEP_SKIN + BRINK_STEP_TENTH) /* contacts of a mesh act before its event lies */
#define BRINK_STEP_BESIDE \
  BRINK_STEP_SMALLEST /* of that gap: beside what touches, others are told so much farther out */
/* A mesh's event lies a skin away; one that lies nearer is no first touch. */
#define BRINK_STEP_FIRST_TOUCH (BRINK_STEP_SKIN * (1 - BRINK_STEP_SMALLEST))
#define BRINK_STEP_TOUCHING (BRINK_STEP_SKIN / 2)   /* a pair this near at an impact counts as struck too */
#define BRINK_STEP_CROSSING (BRINK_STEP_SKIN / 2)   /* what meshes that cross may go between two looks */
#define BRINK_STEP_CALM (BRINK_STEP_SKIN / 4)       /* a point of a body that is looked at moves less in a step */
#define BRINK_STEP_EDGE (BRINK_STEP_SKIN / 8)       /* events shift by a few tolerances of at most an eighth of this */
#define BRINK_STEP_DUE (4 * BRINK_STEP_TENTH)       /* of a slack: a body with more left is not due */
#define BRINK_STEP_MOST_SLACK (BRINK_STEP_MANY / 4) /* allowances, of a body that nothing is near */
#define BRINK_STEP_ELSEWHERE BRINK_STEP_QUARTER     /* of the farthest point's distance: another place */

/* ---- times: parts of the step */

#define BRINK_STEP_WINDOW BRINK_STEP_HAIR        /* pairs struck this close together share a solve, if near */
#define BRINK_STEP_SHORTEST_REST BRINK_STEP_HAIR /* shorter rests are clamped */
#define BRINK_STEP_STALLED BRINK_STEP_ROUNDING   /* an impact this soon after the last of its body is no progress */
#define BRINK_STEP_STUCK BRINK_STEP_QUARTER      /* stopped before this, in two steps on end: it gets nowhere */
#define BRINK_STEP_LATE (1 - BRINK_STEP_TENTH)   /* a held-back pair that touches after this has arrived as meant */

/* ---- speeds */

#define BRINK_STEP_SENT_BACK BRINK_STEP_SMALL   /* of the struck pair's speed: an extra solve pushes out no faster */
#define BRINK_STEP_LIFT BRINK_STEP_QUARTER      /* of the speed at which surfaces slide at an impact: what lifts them */
#define BRINK_STEP_FREE BRINK_STEP_ROUNDING     /* of the speed: nothing else has acted on a body than its forces */
#define BRINK_STEP_FALLEN (BRINK_STEP_MANY / 4) /* steps of falling, for a bounce to count */
#define BRINK_STEP_LEAST_BOUNCE BRINK_STEP_TENTH       /* e: less may be any contact's push */
#define BRINK_STEP_MOST_DAMPING (1 - BRINK_STEP_TENTH) /* a calm turn / (1 - this) is less than half a circle */

/* ---- turns and joints */

/* rad: a link that turns by it moves the end of its arm by the same part of the arm; it goes as a body of its own. */
#define BRINK_STEP_CHAIN_TURN BRINK_STEP_OPENING
#define BRINK_STEP_NOT_WORTH (1 + BRINK_STEP_OPENING) /* times an opening: nothing is cut for less */
#define BRINK_STEP_STRIDE (2 * BRINK_STEP_CALM_TURN)  /* rad: between two looks at a gap */
#define BRINK_STEP_NEW_PART (2 * BRINK_STEP_QUARTER)  /* of what a segment adds to the gap: is closed with it */
#define BRINK_STEP_SHORTEST_CUT BRINK_STEP_SMALLEST   /* of the step: shorter parts are not solved for a turn */
#define BRINK_STEP_MAX_CUTS BRINK_STEP_MANY           /* per body in a step */

/* ---- numbers of things */

/* rad in a step: nothing means to turn so far. A question about what does would take a million iterations a pair, so
 * all pairs of that step have a small budget; a screw in its nut needs more than it. */
#define BRINK_STEP_WHIRL (BRINK_STEP_MANY * BRINK_STEP_MANY * BRINK_STEP_MANY)
#define BRINK_STEP_WHIRL_WORK (BRINK_STEP_MANY * BRINK_STEP_WHIRL / 4)
#define BRINK_STEP_DRIVEN_EFFORT BRINK_STEP_MANY      /* instead of the effort, where a motor drives */
#define BRINK_STEP_TOGETHER (2 * BRINK_STEP_MANY)     /* bodies that feel one impact through contacts */
#define BRINK_STEP_DUE_STEPS BRINK_STEP_MANY          /* a body that is due within them is looked at with urgent ones */
#define BRINK_STEP_URGENT_STEPS (BRINK_STEP_MANY / 4) /* steps like the last one: a body with less left is urgent */
#define BRINK_STEP_MANY_CHANGES BRINK_STEP_MANY       /* in a step: all is looked at again, not only what is near */
#define BRINK_STEP_MEMORY (BRINK_STEP_MANY * BRINK_STEP_MANY) /* frames: how long a captured surface serves */
#define BRINK_STEP_EXACT_CALLS BRINK_STEP_MANY                /* each of so many calls is looked at; then ever fewer */
#define BRINK_STEP_SWEEPS (BRINK_STEP_MANY / 4) /* over struck pairs: impulses change each other's speeds */
#define BRINK_STEP_AGAIN (BRINK_STEP_MANY / 8)  /* tries, impacts, steps: what repeats more often is no accident */
#define BRINK_STEP_PER_LINK BRINK_STEP_QUARTER  /* of the cap: what each further body of a chain adds to it */

#endif
