/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CERTIFICATE_H
#define BRINK_CERTIFICATE_H
/* Proofs that two bodies of faces stay apart, cell by cell, in a form that a small program can check without trusting
 * any search:
 *
 *   during [l,u] the faces [a0,a1) of A's order and [b0,b1) of B's are more than `bound` apart, because of the
 * direction n(t) = n0 + (t - l)/(u - l) (n1 - n0):  f(t) = n(t).(y - x), with f >= g0 at l and f >= g1 at u for all
 * points x of A's faces and y of B's, and f'' <= K in between (interval jets of both motions), so f(t) >= g0 + s (g1 -
 * g0) - K (u-l)^2/2 s(1-s),   distance >= min f / max(|n0|,|n1|) - radii.
 *
 * What no direction proves is listed as open, within a stated tolerance. Text: docs/certificate.md; the
 * checker is tools/verify.c, which has all of this again on its own. Based on: theory D7.1 (there n linear with a
 * centred expansion; here the chord form of docs/theory.md, "Clearance"). */
#include "face_tree.h"

typedef struct brinkCertificateCell {
  double l, u;
  uint32_t a0, a1, b0, b1;
  brinkVec3 n0, n1;
  double bound;   /* m, proven: the distance of the swept faces exceeds this */
  uint32_t open;  /* 1: not proven: n0 and bound hold nothing; place: where they come close or meet, world */
  uint32_t spent; /* 1: open because the budget was spent; 2: because other cells are open at all its times */
  brinkVec3 place;
} brinkCertificateCell;

typedef struct brinkCertifierLimits {
  double tolerance;  /* m, > 0: open cells hold poses at most about this far apart (theory 14) */
  double clearance;  /* m, >= 0: cells prove more than this */
  uint64_t maxCells; /* cells examined; 0 = 1,000,000 */
  uint64_t maxOpen;  /* open cells after which the rest is given up; 0 = 100,000 */
  bool everyPair;    /* look for witnesses of a pair also at times at which another pair lacks one already */
} brinkCertifierLimits;

typedef struct brinkCertifier {
  brinkContext *context;
  const brinkFaceBody *a, *b;
  const brinkFaceTree *treeA, *treeB;
  brinkCertifierLimits limits;
  uint64_t examined, openCount;
  brinkCertificateCell *cells; /* in the order they were found: time runs forward for every pair of faces */
  size_t cellCount, cellCapacity;
  double *places[2]; /* scratch: vertices of two nodes in the world */
  size_t placesCapacity[2];
  struct brinkCertifierTime
      *times;             /* motions over intervals asked about before: the same halves come again and again */
  double (*openTimes)[2]; /* union of the cells that were left open within the tolerance, ascending, apart */
  size_t openTimeCount, openTimeCapacity;
} brinkCertifier;

void brinkCertifier_Init(brinkCertifier *certifier, brinkContext *context, const brinkFaceBody *a,
                         const brinkFaceTree *treeA, const brinkFaceBody *b, const brinkFaceTree *treeB,
                         brinkCertifierLimits limits);
void brinkCertifier_Free(brinkCertifier *certifier);
/* Proves nodes nodeA and nodeB (0 = all) apart during [t0,t1], or lists what cannot be. Appends to cells.
 * brink_errorNoMemory. */
brinkStatus brinkCertifier_Prove(brinkCertifier *certifier, uint32_t nodeA, uint32_t nodeB, double t0, double t1);
/* Lists the pair as open without trying. */
brinkStatus brinkCertifier_Open(brinkCertifier *certifier, uint32_t nodeA, uint32_t nodeB, double t0, double t1,
                                brinkVec3 place, bool spent);

/* Closed bodies: nothing of one may lie inside the other at the start. One ray for each connected part of `inner` from
 * its first vertex, along a direction that crosses every face of `solid` clearly or clearly misses it, as often outward
 * as inward: the surface winds 0 times about that part. */
typedef struct brinkOutsideRay {
  uint32_t vertex; /* of the inner body */
  brinkVec3 direction;
} brinkOutsideRay;
/* *inside: true when a part lies inside (or on) the solid, or no ray could tell. rays: [*count], owned by the caller
 * (brinkRelease, *count elements); empty when inside. */
brinkStatus brinkProveOutside(brinkContext *context, const brinkFaceBody *solid, const brinkFaceBody *inner, double t,
                              brinkOutsideRay **rays, size_t *count, bool *inside);

/* ---- text */
typedef struct brinkCertificateText {
  brinkContext *context;
  char *data; /* NUL-terminated; NULL before the first word */
  size_t size, capacity;
  brinkStatus status; /* of the first failure; later words are dropped */
} brinkCertificateText;

typedef struct brinkCertificateStatement {
  const brinkFaceBody *a, *b;
  double tStart, tEnd, clearance;
} brinkCertificateStatement;

void brinkCertificateText_Free(brinkCertificateText *text);
/* From "statement" to "end statement". */
void brinkWriteStatement(brinkCertificateText *text, const brinkCertificateStatement *statement);
typedef struct brinkCertificateProof {
  const brinkFaceTree *treeA, *treeB;
  const brinkCertificateCell *cells;
  size_t cellCount;
  const brinkOutsideRay *rays[2]; /* [0]: parts of A outside of B; [1]: of B outside of A */
  size_t rayCount[2];
} brinkCertificateProof;
/* The whole file. */
void brinkWriteCertificate(brinkCertificateText *text, const brinkCertificateStatement *statement,
                           const brinkCertificateProof *proof);

#endif
