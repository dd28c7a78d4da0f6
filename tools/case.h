/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CASE_H
#define BRINK_CASE_H
/* Case files, read by check.c and asked by every subcommand that answers them. One case: two bodies, each convex, a
 * mesh or splines, on a chain of links with constant velocities, or linear (vertices on lines of their own). Units: m,
 * rad, s. */
#include "brink/linear.h"
#include "command.h"
#include "output.h"

typedef struct caseLink {
  double value[13]; /* T(3) q(4) v(3) w(3) */
} caseLink;

typedef struct caseSpline { /* a rational B-spline surface */
  uint32_t degree[2], count[2];
  double *numbers; /* knots along u, knots along v, control points x y z weight */
} caseSpline;

typedef struct caseBody {
  bool convex, solid, linear;
  caseLink *links;
  size_t linkCount;
  double *vertices; /* [vertexCount][3]; linear: [vertexCount][6] */
  size_t vertexCount;
  uint32_t *triangles; /* points and segments with repeated indices */
  size_t triangleCount;
  caseSpline *splines; /* in place of vertices and triangles; for brink interference */
  size_t splineCount;
} caseBody;

typedef struct ccdCase {
  char name[128];
  double duration;
  double *eps;
  size_t epsCount;
  caseBody body[2];
} ccdCase;

/* false and text->failed unset: no more cases. Whatever the answer, brinkCase_Free frees. */
bool brinkCase_Read(brinkText *text, ccdCase *c);
void brinkCase_Free(ccdCase *c);
/* Answers the cases of files in order, output flushed after each; answer: false: refused by the library. Returns
 * BRINK_EXIT_OK, _FAILURE (one was refused) or _MALFORMED (said on stderr; no case before the fault is lost). */
typedef bool brinkCaseAnswer(void *user, const ccdCase *c);
/* What most answers need, as their user. */
typedef struct brinkAsking {
  const brinkPlugin *api;
  const void *table;   /* of the extension that is asked */
  const void *options; /* the command's */
  brinkRows rows;
} brinkAsking;
/* A file without a case is malformed. The worst status of all files. */
int brinkCase_AnswerFiles(const brinkFiles *files, brinkCaseAnswer *answer, void *user);
/* Both bodies with their chains, the library's step being [0,T]; linear bodies are left out (collider untouched). A
 * body that rides on a link that both share gets a link of its own at rest on it. */
brinkStatus brinkCase_AddBodies(const brinkPlugin *api, brinkWorld *world, const ccdCase *c,
                                brinkColliderId collider[2]);
/* The same, and the bodies that carry the two colliders. */
brinkStatus brinkCase_AddMoving(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, brinkBodyId moving[2],
                                brinkColliderId collider[2]);
/* First contact of a case with a linear body; the other body may hang on a chain and is added to the world. */
brinkStatus brinkCase_AskLinear(const brinkPlugin *api, brinkWorld *world, const ccdCase *c, double eps,
                                uint64_t maxIterations, brinkLinearContact *out, double *seconds);
/* Step time in seconds of the case, rounded down or up. */
double brinkCase_Time(double toi, double duration, bool up);

#endif
