/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink generate`: fresh questions for `brink check`, from a seed. The same seed gives the same bytes everywhere:
 * whole number arithmetic makes the random numbers, and only + - * / and sqrt (exactly rounded) make coordinates of
 * them.
 *
 * Classes: what is hard about continuous collision. Each case aims one body at the other, so that most of them meet.
 * Units: m, rad, s; T = 1 s. Tolerances of a case: 1e-3 and 1e-6 of the larger body's radius. */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output.h"

enum { MAX_VERTICES = 96, MAX_SIMPLICES = 160, MAX_LINKS = 24 };

typedef struct caseMotion {
  double position[3], rotation[4], velocity[3], spin[3];
} caseMotion;

typedef struct caseShape {
  const char *flags;
  double vertex[MAX_VERTICES][3];
  int vertexCount;
  int simplex[MAX_SIMPLICES][4]; /* size, ids */
  int simplexCount;
} caseShape;

typedef struct freshCase {
  uint64_t random;
  caseShape shape[2];
  caseMotion link[2][MAX_LINKS];
  int linkCount[2];
} freshCase;

/* ---- random numbers: SplitMix64 (Steele, Lea, Flood 2014) */

static uint64_t nextBits(freshCase *c) {
  uint64_t z = c->random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double uniform(freshCase *c, double low, double high) {
  return low + (high - low) * ((double)(nextBits(c) >> 11) * 0x1p-53);
}

static int choose(freshCase *c, int count) { return (int)(nextBits(c) % (uint64_t)count); }

/* Between 10^low and 10^high: a power of ten times a factor in [1,10). */
static double magnitude(freshCase *c, int low, int high) {
  double value = uniform(c, 1.0, 10.0);
  int exponent = low + choose(c, high - low);
  for (int i = 0; i < exponent; ++i) value *= 10.0;
  for (int i = 0; i > exponent; --i) value /= 10.0;
  return value;
}

static double length3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void randomDirection(freshCase *c, double out[3]) {
  double length;
  do {
    for (int i = 0; i < 3; ++i) out[i] = uniform(c, -1.0, 1.0);
    length = length3(out);
  } while (length > 1.0 || length < 0.1);
  for (int i = 0; i < 3; ++i) out[i] /= length;
}

static void randomRotation(freshCase *c, double q[4]) {
  double square;
  do {
    square = 0.0;
    for (int i = 0; i < 4; ++i) {
      q[i] = uniform(c, -1.0, 1.0);
      square += q[i] * q[i];
    }
  } while (square > 1.0 || square < 0.01);
  for (int i = 0; i < 4; ++i) q[i] /= sqrt(square);
}

/* ---- shapes */

static int addVertex(caseShape *s, double x, double y, double z) {
  double *v = s->vertex[s->vertexCount];
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return s->vertexCount++;
}

static void addSimplex(caseShape *s, int size, int a, int b, int c) {
  int *out = s->simplex[s->simplexCount++];
  out[0] = size;
  out[1] = a;
  out[2] = b;
  out[3] = c;
}

static void makeBox(caseShape *s, double hx, double hy, double hz) {
  static const int quads[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  memset(s, 0, sizeof *s);
  s->flags = "convex solid";
  for (int i = 0; i < 8; ++i) addVertex(s, i & 4 ? hx : -hx, i & 2 ? hy : -hy, i & 1 ? hz : -hz);
  for (int i = 0; i < 6; ++i) {
    addSimplex(s, 3, quads[i][0], quads[i][1], quads[i][2]);
    addSimplex(s, 3, quads[i][0], quads[i][2], quads[i][3]);
  }
}

static void makeTetrahedron(caseShape *s, double size) {
  memset(s, 0, sizeof *s);
  s->flags = "convex solid";
  addVertex(s, size, size, size);
  addVertex(s, size, -size, -size);
  addVertex(s, -size, size, -size);
  addVertex(s, -size, -size, size);
  addSimplex(s, 3, 0, 1, 2);
  addSimplex(s, 3, 0, 3, 1);
  addSimplex(s, 3, 0, 2, 3);
  addSimplex(s, 3, 1, 3, 2);
}

static void makeIcosahedron(caseShape *s, double radius) {
  static const int faces[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                   {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                   {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  double golden = 0.5 * (1.0 + sqrt(5.0)), length = sqrt(1.0 + golden * golden);
  double a = radius / length, b = radius * golden / length;
  memset(s, 0, sizeof *s);
  s->flags = "convex solid";
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < 4; ++k) {
      double x = k & 1 ? a : -a, y = k & 2 ? -b : b;
      if (axis == 0) addVertex(s, x, y, 0.0);
      if (axis == 1) addVertex(s, 0.0, x, y);
      if (axis == 2) addVertex(s, y, 0.0, x);
    }
  for (int i = 0; i < 20; ++i) addSimplex(s, 3, faces[i][0], faces[i][1], faces[i][2]);
}

/* A stretched icosahedron. */
static void makeHull(freshCase *c, caseShape *s, double size) {
  memset(s, 0, sizeof *s);
  s->flags = "convex solid";
  double axes[3] = {uniform(c, 0.4, 1.0), uniform(c, 0.4, 1.0), uniform(c, 0.4, 1.0)};
  makeIcosahedron(s, size);
  for (int i = 0; i < s->vertexCount; ++i)
    for (int k = 0; k < 3; ++k) s->vertex[i][k] *= axes[k];
}

/* Star-shaped polygon with `teeth` teeth, extruded: closed and not convex. */
static void makeStar(caseShape *s, int teeth, double inner, double outer, double half) {
  memset(s, 0, sizeof *s);
  s->flags = "solid";
  int n = 2 * teeth;
  /* cos and sin of pi/teeth from tangents of half angles known to double precision */
  static const double halfTangent[] = {0,
                                       0,
                                       0,
                                       0.57735026918962573,
                                       0.41421356237309503,
                                       0.32491969623290634,
                                       0.26794919243112270,
                                       0.22824347439014994,
                                       0.19891236737965800};
  double t = halfTangent[teeth], cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
  double x = 1.0, y = 0.0;
  double ring[18][2];
  for (int i = 0; i < n; ++i) {
    double r = i % 2 == 0 ? outer : inner;
    ring[i][0] = r * x;
    ring[i][1] = r * y;
    double turned = cosine * x - sine * y;
    y = sine * x + cosine * y;
    x = turned;
  }
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < n; ++i) addVertex(s, ring[i][0], ring[i][1], side ? half : -half);
  int low = addVertex(s, 0, 0, -half), high = addVertex(s, 0, 0, half);
  for (int i = 0; i < n; ++i) {
    int j = (i + 1) % n;
    addSimplex(s, 3, i, j, n + j);
    addSimplex(s, 3, i, n + j, n + i);
    addSimplex(s, 3, low, j, i);
    addSimplex(s, 3, high, n + i, n + j);
  }
}

/* Points, segments, triangles, and triangles without area (collinear or repeated corners), anywhere in a ball. */
static void makeSoup(freshCase *c, caseShape *s, double size) {
  memset(s, 0, sizeof *s);
  s->flags = "";
  int pieces = 2 + choose(c, 6);
  for (int i = 0; i < pieces; ++i) {
    int kind = choose(c, 6), ids[3];
    double centre[3];
    randomDirection(c, centre);
    for (int k = 0; k < 3; ++k) {
      double offset[3];
      randomDirection(c, offset);
      ids[k] = addVertex(s, size * (0.6 * centre[0] + 0.5 * offset[0]), size * (0.6 * centre[1] + 0.5 * offset[1]),
                         size * (0.6 * centre[2] + 0.5 * offset[2]));
    }
    double(*v)[3] = s->vertex;
    if (kind == 3) /* collinear: the third is the middle of the others */
      for (int k = 0; k < 3; ++k) v[ids[2]][k] = 0.5 * (v[ids[0]][k] + v[ids[1]][k]);
    if (kind == 4) memcpy(v[ids[2]], v[ids[1]], sizeof v[0]); /* two equal corners with different ids */
    if (kind == 0)
      addSimplex(s, 1, ids[0], 0, 0);
    else if (kind == 1)
      addSimplex(s, 2, ids[0], ids[1], 0);
    else
      addSimplex(s, 3, ids[0], ids[1], ids[2]);
  }
}

static void makeConvex(freshCase *c, caseShape *s, double size) {
  switch (choose(c, 4)) {
    case 0:
      makeBox(s, size * uniform(c, 0.2, 1.0), size * uniform(c, 0.2, 1.0), size * uniform(c, 0.2, 1.0));
      break;
    case 1:
      makeTetrahedron(s, size * 0.6);
      break;
    case 2:
      makeIcosahedron(s, size);
      break;
    default:
      makeHull(c, s, size);
      break;
  }
}

static double radiusOf(const caseShape *s) {
  double largest = 0.0;
  for (int i = 0; i < s->vertexCount; ++i) largest = fmax(largest, length3(s->vertex[i]));
  return largest;
}

/* ---- motions */

static caseMotion *setLink(freshCase *c, int body, int index) {
  caseMotion *link = &c->link[body][index];
  memset(link, 0, sizeof *link);
  link->rotation[0] = 1.0;
  if (index >= c->linkCount[body]) c->linkCount[body] = index + 1;
  return link;
}

static void setSpin(freshCase *c, caseMotion *link, double most) {
  double axis[3], angle = uniform(c, 0.0, most);
  randomDirection(c, axis);
  for (int i = 0; i < 3; ++i) link->spin[i] = angle * axis[i];
}

/* Body 1 flies past or into body 0: reach = sum of the radii; `aside` times the reach is how far its centre misses. */
static void fly(freshCase *c, double reach, double aside, double spin) {
  double direction[3], miss[3];
  randomDirection(c, direction);
  randomDirection(c, miss);
  double along = direction[0] * miss[0] + direction[1] * miss[1] + direction[2] * miss[2];
  caseMotion *still = setLink(c, 0, 0), *moving = setLink(c, 1, 0);
  randomRotation(c, still->rotation);
  randomRotation(c, moving->rotation);
  double start = reach * uniform(c, 1.2, 3.0), travel = start * uniform(c, 0.7, 2.5), off = aside * reach;
  for (int i = 0; i < 3; ++i) {
    double across = miss[i] - along * direction[i];
    moving->position[i] = -start * direction[i] + off * across;
    moving->velocity[i] = travel * direction[i];
  }
  setSpin(c, still, spin);
  setSpin(c, moving, spin);
}

/* `count` more links under what body already has, each `step` long, turning up to `turn`. */
static void growChain(freshCase *c, int body, int count, double step, double turn) {
  for (int i = 0; i < count; ++i) {
    caseMotion *link = setLink(c, body, c->linkCount[body]);
    double direction[3];
    randomDirection(c, direction);
    for (int k = 0; k < 3; ++k) link->position[k] = step * direction[k];
    randomRotation(c, link->rotation);
    setSpin(c, link, turn);
    if (choose(c, 3) == 0)
      for (int k = 0; k < 3; ++k) link->velocity[k] = step * uniform(c, -0.5, 0.5);
  }
}

static double bothRadii(const freshCase *c) { return radiusOf(&c->shape[0]) + radiusOf(&c->shape[1]); }

/* ---- classes */

static void makeRandom(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeConvex(c, &c->shape[i], uniform(c, 0.3, 1.5));
  fly(c, bothRadii(c), uniform(c, 0.0, 1.0), 3.0);
}

static void makeChain(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeConvex(c, &c->shape[i], uniform(c, 0.2, 0.6));
  fly(c, bothRadii(c), uniform(c, 0.0, 0.5), 1.5);
  growChain(c, 0, 1 + choose(c, 4), 0.8, 2.0);
  growChain(c, 1, choose(c, 4), 0.8, 2.0);
}

static void makeDeep(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeConvex(c, &c->shape[i], uniform(c, 0.2, 0.6));
  fly(c, bothRadii(c), uniform(c, 0.0, 0.5), 0.7);
  growChain(c, 0, 8 + choose(c, 12), 0.3, 0.5);
  growChain(c, 1, choose(c, 10), 0.3, 0.5);
}

static void makeBranch(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeConvex(c, &c->shape[i], uniform(c, 0.2, 0.5));
  growChain(c, 0, 1 + choose(c, 4), 0.8, 3.0);
  c->linkCount[1] = c->linkCount[0];
  memcpy(c->link[1], c->link[0], sizeof c->link[0]);
  growChain(c, 0, 1 + choose(c, 4), 0.8, 2.0);
  growChain(c, 1, choose(c, 5), 0.8, 2.0);
}

static void makeSpin(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeConvex(c, &c->shape[i], uniform(c, 0.3, 1.2));
  if (choose(c, 2) == 0) makeStar(&c->shape[0], 3 + choose(c, 6), 0.4, 1.0, 0.2);
  fly(c, bothRadii(c), uniform(c, 0.3, 1.0), 60.0);
}

/* Parallel to a face or past a corner, missing or touching by 1e-2 to 1e-8 of the size. */
static void makeGraze(freshCase *c) {
  double miss = magnitude(c, -8, -1) * (choose(c, 2) ? 1.0 : -1.0), height = uniform(c, 0.3, 1.0);
  makeBox(&c->shape[0], 1.0, 1.0, height);
  caseMotion *still = setLink(c, 0, 0), *moving = setLink(c, 1, 0);
  double lowest = 0.0;
  int kind = choose(c, 3);
  if (kind == 0) {
    makeTetrahedron(&c->shape[1], 0.4);
    lowest = 0.4;
  } else if (kind == 1) {
    makeIcosahedron(&c->shape[1], 0.5);
    for (int i = 0; i < c->shape[1].vertexCount; ++i) lowest = fmax(lowest, -c->shape[1].vertex[i][2]);
  } else {
    makeBox(&c->shape[1], 0.3, 0.2, 0.4);
    /* on its edge: turned about x by 2 atan(1/3), cosine 0.8, sine 0.6 */
    moving->rotation[0] = 3.0 / sqrt(10.0);
    moving->rotation[1] = 1.0 / sqrt(10.0);
    lowest = 0.6 * 0.2 + 0.8 * 0.4;
  }
  moving->position[0] = uniform(c, -3.0, -2.0);
  moving->position[1] = uniform(c, -0.8, 0.8);
  moving->position[2] = height + lowest + miss;
  moving->velocity[0] = uniform(c, 2.0, 6.0);
  moving->velocity[1] = uniform(c, -0.5, 0.5);
  if (choose(c, 2) == 0) moving->spin[2] = uniform(c, -6.0, 6.0);
  if (choose(c, 3) == 0) still->spin[2] = uniform(c, -6.0, 6.0);
}

static void makeThin(freshCase *c) {
  makeBox(&c->shape[0], 2.0, 2.0, magnitude(c, -6, -2));
  makeConvex(c, &c->shape[1], magnitude(c, -3, -1));
  double far = uniform(c, 5.0, 50.0);
  setLink(c, 0, 0);
  caseMotion *moving = setLink(c, 1, 0);
  randomRotation(c, moving->rotation);
  double at[2] = {uniform(c, -2.2, 2.2), uniform(c, -2.2, 2.2)},
         start[2] = {uniform(c, -4.0, 4.0), uniform(c, -4.0, 4.0)};
  double when = uniform(c, 0.1, 1.1);
  for (int k = 0; k < 2; ++k) {
    moving->position[k] = start[k];
    moving->velocity[k] = (at[k] - start[k]) / when;
  }
  moving->position[2] = far;
  moving->velocity[2] = -far / when;
  setSpin(c, moving, 20.0);
}

static void makeNeedle(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeBox(&c->shape[i], uniform(c, 0.5, 2.0), magnitude(c, -5, -1), magnitude(c, -5, -1));
  fly(c, bothRadii(c), uniform(c, 0.0, 0.4), 6.0);
}

/* Faces that lie in one plane, edges that are parallel, corners that meet corners: on a grid of binary fractions. */
static void makeCoplanar(freshCase *c) {
  double half[2][3];
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 3; ++k) half[i][k] = 0.25 * (1 + choose(c, 4));
    makeBox(&c->shape[i], half[i][0], half[i][1], half[i][2]);
  }
  setLink(c, 0, 0);
  caseMotion *moving = setLink(c, 1, 0);
  moving->position[0] = -(half[0][0] + half[1][0] + 0.25 * (1 + choose(c, 4)));
  moving->velocity[0] = 0.5 * (1 + choose(c, 12));
  for (int k = 1; k < 3; ++k) {
    double touch = half[0][k] + half[1][k];
    int kind = choose(c, 4); /* in line, faces in one plane, touching sides, just beyond them */
    moving->position[k] = kind == 0   ? 0.0
                          : kind == 1 ? half[0][k] - half[1][k]
                          : kind == 2 ? touch
                                      : touch + magnitude(c, -7, -1);
  }
  if (choose(c, 4) == 0) moving->spin[0] = uniform(c, -7.0, 7.0);
}

/* Touching or overlapping at the start, or a hair apart. */
static void makeTouching(freshCase *c) {
  double half[2] = {uniform(c, 0.3, 1.0), uniform(c, 0.3, 1.0)};
  makeBox(&c->shape[0], 1.0, 1.0, half[0]);
  makeBox(&c->shape[1], 0.5, 0.5, half[1]);
  setLink(c, 0, 0);
  caseMotion *moving = setLink(c, 1, 0);
  int kind = choose(c, 3);
  double gap = kind == 0 ? 0.0 : kind == 1 ? magnitude(c, -9, -2) : -magnitude(c, -9, -1);
  moving->position[0] = uniform(c, -1.3, 1.3);
  moving->position[1] = uniform(c, -1.3, 1.3);
  moving->position[2] = half[0] + half[1] + gap;
  for (int k = 0; k < 2; ++k) moving->velocity[k] = uniform(c, -1.0, 1.0);
  moving->velocity[2] = uniform(c, -0.5, 1.5);
  setSpin(c, moving, 1.0);
}

static void scaleCase(freshCase *c, double factor) {
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < c->shape[i].vertexCount; ++k)
      for (int m = 0; m < 3; ++m) c->shape[i].vertex[k][m] *= factor;
    for (int k = 0; k < c->linkCount[i]; ++k)
      for (int m = 0; m < 3; ++m) {
        c->link[i][k].position[m] *= factor;
        c->link[i][k].velocity[m] *= factor;
      }
  }
}

static void makeScale(freshCase *c) {
  if (choose(c, 2) == 0)
    makeChain(c);
  else
    makeRandom(c);
  scaleCase(c, magnitude(c, -6, 6));
}

static void makeFar(freshCase *c) {
  makeRandom(c);
  double direction[3], far = magnitude(c, 4, 6), common[3];
  randomDirection(c, direction);
  bool moves = choose(c, 2) == 0;
  for (int k = 0; k < 3; ++k) common[k] = moves ? uniform(c, -1e3, 1e3) : 0.0;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      c->link[i][0].position[k] += far * direction[k];
      c->link[i][0].velocity[k] += common[k];
    }
}

static void makeNonconvex(freshCase *c) {
  for (int i = 0; i < 2; ++i) {
    makeStar(&c->shape[i], 3 + choose(c, 6), uniform(c, 0.2, 0.6), uniform(c, 0.7, 1.2), uniform(c, 0.05, 0.5));
    if (choose(c, 3) == 0) { /* without its last faces: an open surface */
      c->shape[i].simplexCount -= 1 + choose(c, 6);
      c->shape[i].flags = "";
    }
  }
  fly(c, bothRadii(c), uniform(c, 0.0, 0.9), 5.0);
}

static void makeSoups(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeSoup(c, &c->shape[i], uniform(c, 0.5, 1.2));
  if (choose(c, 3) == 0) makeConvex(c, &c->shape[0], uniform(c, 0.4, 1.0));
  fly(c, bothRadii(c), uniform(c, 0.0, 0.5), 5.0);
}

static void makePlates(freshCase *c) {
  for (int i = 0; i < 2; ++i) makeBox(&c->shape[i], uniform(c, 0.5, 1.0), uniform(c, 0.5, 1.0), magnitude(c, -5, -1));
  fly(c, bothRadii(c), uniform(c, 0.0, 0.9), 15.0);
}

typedef struct caseClass {
  const char *name;
  void (*make)(freshCase *c);
} caseClass;

static const caseClass classes[] = {{"random", makeRandom},       {"chain", makeChain},   {"deep", makeDeep},
                                    {"branch", makeBranch},       {"spin", makeSpin},     {"graze", makeGraze},
                                    {"thin", makeThin},           {"needle", makeNeedle}, {"coplanar", makeCoplanar},
                                    {"touching", makeTouching},   {"scale", makeScale},   {"far", makeFar},
                                    {"nonconvex", makeNonconvex}, {"soup", makeSoups},    {"plates", makePlates}};
enum { CLASS_COUNT = sizeof classes / sizeof classes[0] };

/* ---- writing */

static void printNumbers(const double *values, int count) {
  for (int i = 0; i < count; ++i) printf("%s%.17g", i > 0 ? " " : "", values[i] + 0.0);
}

static void printCase(const freshCase *c, const char *class, unsigned long index) {
  double radius = fmax(radiusOf(&c->shape[0]), radiusOf(&c->shape[1]));
  printf("ccd 1\nname %s_%04lu\nclass %s\nT 1\neps 2 %.17g %.17g\n", class, index, class, 1e-3 * radius, 1e-6 * radius);
  for (int i = 0; i < 2; ++i) {
    const caseShape *s = &c->shape[i];
    printf("body%s%s\nchain %d\n", s->flags[0] != '\0' ? " " : "", s->flags, c->linkCount[i]);
    for (int k = 0; k < c->linkCount[i]; ++k) {
      const caseMotion *link = &c->link[i][k];
      printNumbers(link->position, 3);
      printf("  ");
      printNumbers(link->rotation, 4);
      printf("  ");
      printNumbers(link->velocity, 3);
      printf("  ");
      printNumbers(link->spin, 3);
      putchar('\n');
    }
    printf("verts %d\n", s->vertexCount);
    for (int k = 0; k < s->vertexCount; ++k) {
      printNumbers(s->vertex[k], 3);
      putchar('\n');
    }
    printf("simps %d\n", s->simplexCount);
    for (int k = 0; k < s->simplexCount; ++k) {
      printf("%d", s->simplex[k][0]);
      for (int m = 1; m <= s->simplex[k][0]; ++m) printf(" %d", s->simplex[k][m]);
      putchar('\n');
    }
  }
  puts("end");
}

/* ---- options */

typedef struct generateOptions {
  int only; /* -1: all classes in turn */
  uint64_t seed;
  unsigned long count;
} generateOptions;

enum { OPTION_CLASS = 256, OPTION_SEED, OPTION_COUNT };

static const struct argp_option optionList[] = {
    {"class", OPTION_CLASS, "NAME", 0, "One class, or all of them in turn [all]", 0},
    {"seed", OPTION_SEED, "S", 0, "Whole number; the same seed gives the same cases [1]", 0},
    {"count", OPTION_COUNT, "N", 0, "How many cases [500]", 0},
    {0}};

static bool wholeNumber(const char *word, unsigned long long *out) {
  char *end;
  *out = strtoull(word, &end, 10);
  return *word >= '0' && *word <= '9' && *end == '\0';
}

static error_t parseOption(int key, char *argument, struct argp_state *state) {
  generateOptions *options = state->input;
  unsigned long long value;
  switch (key) {
    case OPTION_CLASS:
      options->only = -1;
      if (strcmp(argument, "all") == 0) return 0;
      for (int i = 0; i < CLASS_COUNT; ++i)
        if (strcmp(argument, classes[i].name) == 0) options->only = i;
      if (options->only < 0) argp_error(state, "--class: '%s' is not a class; --help lists them", argument);
      return 0;
    case OPTION_SEED:
      if (!wholeNumber(argument, &value)) argp_error(state, "--seed: '%s' is not a whole number", argument);
      options->seed = value;
      return 0;
    case OPTION_COUNT:
      if (!wholeNumber(argument, &value) || value > 1000000)
        argp_error(state, "--count: '%s' is not a whole number up to 1000000", argument);
      options->count = (unsigned long)value;
      return 0;
    case ARGP_KEY_ARG:
      argp_error(state, "'%s': no file is read; cases go to standard output", argument);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Writes fresh case files for `brink check`, from a seed.\v"
    "Classes: random chain deep branch spin graze thin needle coplanar touching scale far nonconvex soup plates.\n\n"
    "Examples:\n"
    "  brink generate --seed 7 --count 500 > fresh.ccd\n"
    "  brink generate --class branch --seed 3 | brink check -\n\n"
    "Exit status: 0 written, 1 standard output could not be written, 2 usage.";

int brinkGenerate(int argc, char **argv) {
  generateOptions options = {.only = -1, .seed = 1, .count = 500};
  const struct argp parser = {.options = optionList, .parser = parseOption, .doc = documentation};
  brinkParseArguments(&parser, argc, argv, 0, &options);
  for (unsigned long i = 0; i < options.count; ++i) {
    int class = options.only >= 0 ? options.only : (int)(i % CLASS_COUNT);
    static freshCase c;
    memset(&c, 0, sizeof c);
    /* Every case its own stream: the hundredth of a seed stays the same whatever stands before it. */
    c.random = options.seed * 0xd1342543de82ef95u + ((uint64_t)i << 8) + (uint64_t) class;
    nextBits(&c);
    classes[class].make(&c);
    printCase(&c, classes[class].name, i);
  }
  return BRINK_EXIT_OK;
}
