/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_ROBOTS_H
#define BRINK_BENCH_ROBOTS_H
/* Proven edges of a robot beside sampled ones, on scenes of a motion planning benchmark. */
#include <stdbool.h>

typedef struct robotsAsk {
  const char *directory; /* NAME.urdf, NAME.srdf, scenes.txt */
  int scenes;            /* the first so many; 0: all */
  int edges;             /* of each scene, 1 rad long */
  int samples;           /* of the referee, an edge; 0: none */
  int repeats;
  bool meshes; /* links as their meshes are, not as convex hulls */
  bool peer;   /* FCL beside it, on a few edges */
} robotsAsk;

/* 0 done, 1 something was wrong or refused, 77 nothing to be done: the directory or liburdfdom is missing. */
int robots_Run(const robotsAsk *ask);

#endif
