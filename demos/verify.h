/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_VERIFY_H
#define BRINK_VERIFY_H
/* Judges every answer that Brink gives in a scene by other means (toc_judge.h), as it is given. */
#include "scene_kit.h"

typedef struct verifyResult {
  long segments;            /* questions */
  long events, late, early; /* struck pairs; an event is late when the pair was nearer than its threshold before */
  long freeSegments,
      samples;   /* segments (or their parts before the first impact) said to be free; distances taken there */
  long contacts; /* of those that were not apart */
  long unresolved, overlaps,
      wrongOverlaps;   /* proven bounds without an event; pairs that cross at a segment's start, or do not */
  long unjudged;       /* pairs of two convex shapes: no mesh to judge */
  double worstGap;     /* m over the threshold at an event */
  double worstDepth;   /* m below the threshold before an event, within the tolerance */
  double worstMotion;  /* m or rad: stated motion against the one Brink computed with */
  double seconds;      /* spent here */
  char complaint[256]; /* the first thing found wrong */
} verifyResult;

typedef struct verifier verifier;
/* From now on every step of the scene is judged; NULL and a message on failure. Detach before the scene is destroyed.
 */
verifier *verifier_Attach(demoScene *scene, char *message, size_t messageCapacity);
const verifyResult *verifier_Result(const verifier *self);
void verifier_Detach(verifier *self);
bool verifyResult_IsGood(const verifyResult *result);
/* "N events, 0 late, 0 early, ..." */
void verifyResult_Say(const verifyResult *result, char *out, size_t capacity);

#endif
