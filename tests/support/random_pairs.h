/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_RANDOM_PAIRS_H
#define BRINK_TESTS_RANDOM_PAIRS_H
/* Random pairs of bodies on random chains that meet, or nearly so, at some time. */
#include "contact_support.h"

typedef struct randomPair {
  meshData meshes[2];
  bool convex[2];
  oracleLink chains[2][MAX_CHAIN];
  int counts[2], shared; /* the first `shared` links are common */
  oracleBody bodies[2];
} randomPair;

/* turn: spins are up to this, rad. */
static inline void makeRandomPair(generator *g, bool convexOnly, int maxLinks, double turn, randomPair *pair) {
  for (int i = 0; i < 2; ++i) {
    int kind = (int)(nextBits(g) % (convexOnly ? 3u : 5u));
    pair->convex[i] = kind < 3;
    if (kind == 0) pair->meshes[i] = makeBoxMesh(uniform(g, 0.1, 0.5), uniform(g, 0.02, 0.5), uniform(g, 0.1, 0.5));
    if (kind == 1) pair->meshes[i] = makeTetrahedronMesh(uniform(g, 0.1, 0.5));
    if (kind == 2)
      pair->meshes[i] = makeIcosahedronMesh(uniform(g, 0.1, 0.5), uniform(g, 0.1, 0.5), uniform(g, 0.1, 0.5));
    if (kind == 3) pair->meshes[i] = makeStarMesh(3 + (int)(nextBits(g) % 3u), 0.15, uniform(g, 0.3, 0.6), 0.15);
    if (kind == 4) pair->meshes[i] = makeSheetMesh(g, 4, 0.6, 0.15);
    pair->counts[i] = 1 + (int)(nextBits(g) % (unsigned)maxLinks);
    for (int k = 0; k < pair->counts[i]; ++k) {
      brinkVec3 at = brinkScale(randomDirection(g), k == 0 ? 0.9 : 0.5);
      if (k == 0 && i == 1) at = brinkScale(at, 1.3);
      pair->chains[i][k] = makeLink(at, randomRotation(g), randomIn(g, k == 0 ? 1.0 : 0.2),
                                    brinkScale(randomIn(g, 1), turn / pair->counts[i]));
    }
  }
  pair->shared = 0;
  /* Shift the second chain so that the bodies' origins nearly meet at a time of our choice. */
  oracleBody ends[2];
  long double at[2][3], when = (long double)uniform(g, 0.2, 1);
  const double origin[3] = {0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    ends[i] = makeOracleBody(&pair->meshes[i], pair->chains[i], pair->counts[i], false);
    oraclePlace(&ends[i], when, origin, at[i]);
  }
  brinkVec3 offset = brinkScale(randomDirection(g), uniform(g, 0, 1.3));
  const double miss[3] = {offset.x, offset.y, offset.z};
  for (int c = 0; c < 3; ++c) pair->chains[1][0].position[c] += (double)(at[0][c] - at[1][c]) + miss[c];
}

/* Both chains hang on the same `shared` moving links. */
static inline void shareLinks(generator *g, int shared, randomPair *pair) {
  for (int k = 0; k < 2; ++k) {
    memmove(&pair->chains[k][shared], &pair->chains[k][0], sizeof(oracleLink) * (size_t)pair->counts[k]);
    pair->counts[k] += shared;
  }
  for (int k = 0; k < shared; ++k)
    pair->chains[0][k] = pair->chains[1][k] =
        makeLink(randomIn(g, 3), randomRotation(g), randomIn(g, 5), randomIn(g, 4));
  pair->shared = shared;
}

static inline void finishPair(randomPair *pair) {
  for (int i = 0; i < 2; ++i)
    pair->bodies[i] = makeOracleBody(&pair->meshes[i], pair->chains[i], pair->counts[i], pair->convex[i]);
}

#endif
