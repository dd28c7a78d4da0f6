/* SPDX-License-Identifier: BSD-3-Clause */
/* Is there an answer, and the right one, for bodies that turn many times just above a floor? Families: body x floor x
 * motion x place in a tree; 0.5 to 300 turns; the body stays clear of the floor by 1e-2 to 1e-8 of its size, or dips
 * into it by as much. With the argument --times the program prints time and work of every family in both schemes
 * instead.
 *
 * Truth: in the floor's frame every point of the body is at C + t V + E(alpha(t) a) q, so its height over the floor is
 *
 *   s(t) = n.C + t n.V + (n.a)(a.q) + cos(alpha) n.q + sin(alpha) n.(a x q),   q across a,
 *
 * and the body's lowest point is a corner of it (radius less). The floor is then put where the answer is wanted. */
#include "cases.h"
#include <time.h>

#include "plugin_support.h"
#include "tetrahedra.h"

enum { bodyBox, bodyHull, bodyMesh, bodyCompound, bodyCapsule, BODIES };
enum { floorBox, floorSheet, floorGrid, floorHeights, floorCompound, floorPlane, FLOORS };
enum { kindVelocities, kindScrew, kindOdeStep, kindSpline, kindBezier, kindUser, KINDS };
enum {
  placeWorld,      /* the floor is static */
  placeSiblings,   /* body and floor hang on a moving parent */
  placeChain,      /* a wheel: its parent moves, it turns */
  placeFloorTurns, /* the body rests, the floor turns about it */
  PLACES
};
static const char *const bodyNames[BODIES] = {"box", "hull", "mesh", "compound", "capsule"};
static const char *const floorNames[FLOORS] = {"box", "sheet", "grid", "heights", "compound", "plane"};
static const char *const kindNames[KINDS] = {"velocities", "screw", "odeStep", "spline", "bezier", "user"};
static const char *const placeNames[PLACES] = {"world", "siblings", "chain", "floor turns"};

enum { CORNERS = 16, KEYS = 64, PHASES = 64 };
#define FLOOR_HALF 6.0  /* m; bodies are about 0.5 m large and stay within 3 m of its middle */
#define MOST_WORK 20000 /* node pairs, distances and steps of one case; measured 10,505 */
#define ALL_WORK 420000 /* of all cases together; measured 378,961 */

typedef struct SpinCase {
  int body, floor, kind, place;
  double turns, gap; /* gap: of the body's size, here 1 m: what is clear, or by how much the body dips in */
  bool meets;
  /* motion in the floor's frame (at rest or the parent's) */
  brinkVec3 centre, velocity, axis; /* axis: unit */
  double angle, rate;               /* total angle; rate: of odeStep and bezier, tan(angle/2) */
  brinkQuat start;
  brinkPose floorPose; /* origin on its surface, z = normal */
  brinkVec3 corner[CORNERS];
  int corners;
  double radius;
} SpinCase;

static double dot(brinkVec3 a, brinkVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static brinkVec3 unit(brinkVec3 a) { return times(1 / norm(a), a); }

/* ---- bodies and floors */

static const double boxHalf[3] = {0.5, 0.3, 0.4}, legHalf[3] = {0.15, 0.15, 0.5};
static const double capsuleRadius = 0.2, capsuleHalf = 0.4;
static const double dart[8][3] = {{0.6, 0, -0.4}, {-0.5, 0.5, -0.4}, {-0.2, 0, -0.4}, {-0.5, -0.5, -0.4},
                                  {0.6, 0, 0.4},  {-0.5, 0.5, 0.4},  {-0.2, 0, 0.4},  {-0.5, -0.5, 0.4}};
static const unsigned dartFaces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
static const brinkVec3 legAt = {0.4, 0.1, -0.3};

static void addCorners(SpinCase *c, const double half[3], brinkVec3 middle) {
  for (int i = 0; i < 8; ++i)
    c->corner[c->corners++] =
        plus(middle, vec(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]));
}

static void makeCorners(Random *random, SpinCase *c) {
  c->corners = 0;
  c->radius = 0;
  if (c->body == bodyBox || c->body == bodyCompound) addCorners(c, boxHalf, vec(0, 0, 0));
  if (c->body == bodyCompound) addCorners(c, legHalf, legAt);
  if (c->body == bodyHull)
    for (; c->corners < 12; ++c->corners) c->corner[c->corners] = randomVector(random, 0.5);
  if (c->body == bodyMesh)
    for (; c->corners < 8; ++c->corners)
      c->corner[c->corners] = vec(dart[c->corners][0], dart[c->corners][1], dart[c->corners][2]);
  if (c->body == bodyCapsule) {
    c->corner[c->corners++] = vec(0, 0, capsuleHalf);
    c->corner[c->corners++] = vec(0, 0, -capsuleHalf);
    c->radius = capsuleRadius;
  }
}

static brinkShapeId makeBodyShape(brinkWorld *world, const SpinCase *c) {
  brinkShapeDef def = shapeDef(brink_box, vec(boxHalf[0], boxHalf[1], boxHalf[2]));
  brinkShapeChild children[2] = {{0, at(0, 0, 0)}, {0, {legAt, {1, 0, 0, 0}}}};
  double vertices[3 * CORNERS];
  if (c->body == bodyCapsule) return newShape(world, brink_capsule, vec(capsuleRadius, 0, capsuleHalf));
  if (c->body == bodyHull) {
    def.type = brink_hull;
    for (int i = 0; i < c->corners; ++i)
      vertices[3 * i] = c->corner[i].x, vertices[3 * i + 1] = c->corner[i].y, vertices[3 * i + 2] = c->corner[i].z;
    def.mesh.vertices = vertices;
    def.mesh.vertexCount = (size_t)c->corners;
  } else if (c->body == bodyMesh) {
    def.type = brink_mesh;
    def.mesh.vertices = dart[0];
    def.mesh.vertexCount = 8;
    def.mesh.indices = dartFaces[0];
    def.mesh.triangleCount = 12;
    def.mesh.flags = BRINK_MESH_SOLID;
  } else if (c->body == bodyCompound) {
    def.type = brink_compound;
    children[0].shape = newShape(world, brink_box, def.size);
    children[1].shape = newShape(world, brink_box, vec(legHalf[0], legHalf[1], legHalf[2]));
    def.children = children;
    def.childCount = 2;
  }
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

/* A floor's shape; *down: its surface lies so far above its origin. */
static brinkShapeId makeFloorShape(brinkWorld *world, int floor, brinkVec3 *origin) {
  enum { CELLS = 4 };
  brinkShapeDef def = shapeDef(brink_box, vec(FLOOR_HALF, FLOOR_HALF, 0.5));
  double vertices[(CELLS + 1) * (CELLS + 1)][3], heights[(CELLS + 1) * (CELLS + 1)] = {0};
  unsigned faces[2 * CELLS * CELLS][3];
  brinkShapeChild children[2] = {{0, at(-0.5 * FLOOR_HALF, 0, 0)}, {0, at(0.5 * FLOOR_HALF, 0, 0)}};
  *origin = vec(0, 0, -0.5);
  if (floor == floorSheet || floor == floorGrid) {
    unsigned cells = floor == floorGrid ? CELLS : 1, count = 0;
    for (unsigned i = 0; i <= cells; ++i)
      for (unsigned j = 0; j <= cells; ++j) {
        double *v = vertices[i * (cells + 1) + j];
        v[0] = FLOOR_HALF * (2.0 * i / cells - 1), v[1] = FLOOR_HALF * (2.0 * j / cells - 1), v[2] = 0;
      }
    for (unsigned i = 0; i < cells; ++i)
      for (unsigned j = 0; j < cells; ++j) {
        unsigned k = i * (cells + 1) + j, faceA[3] = {k, k + cells + 1, k + 1},
                 faceB[3] = {k + 1, k + cells + 1, k + cells + 2};
        memcpy(faces[count++], faceA, sizeof faceA);
        memcpy(faces[count++], faceB, sizeof faceB);
      }
    def.type = brink_mesh;
    def.mesh.vertices = vertices[0];
    def.mesh.vertexCount = (cells + 1) * (cells + 1);
    def.mesh.indices = faces[0];
    def.mesh.triangleCount = count;
    *origin = vec(0, 0, 0);
  } else if (floor == floorHeights) {
    def.type = brink_heightfield;
    def.size = vec(2 * FLOOR_HALF / CELLS, 2 * FLOOR_HALF / CELLS, 0);
    def.heights = heights;
    def.columns = def.rows = CELLS + 1;
    *origin = vec(-FLOOR_HALF, -FLOOR_HALF, 0);
  } else if (floor == floorCompound) {
    def.type = brink_compound;
    children[0].shape = children[1].shape = newShape(world, brink_box, vec(0.5 * FLOOR_HALF, FLOOR_HALF, 0.5));
    def.children = children;
    def.childCount = 2;
  } else if (floor == floorPlane) {
    def.type = brink_plane;
    def.normal = vec(0, 0, 1);
    *origin = vec(0, 0, 0);
  }
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

/* ---- truth */

static double angleAt(const SpinCase *c, double t) { return c->rate > 0 ? 2 * atan(c->rate * t) : c->angle * t; }

static brinkVec3 arm(const SpinCase *c, int corner) { return turn(c->start, c->corner[corner]); }

/* Height of a corner over the plane through the origin with normal n. */
static double heightOf(const SpinCase *c, brinkVec3 n, int corner, double t) {
  brinkVec3 q = arm(c, corner), along = times(dot(c->axis, q), c->axis), across = minus(q, along);
  double alpha = angleAt(c, t);
  return dot(n, c->centre) + t * dot(n, c->velocity) + dot(n, along) + cos(alpha) * dot(n, across) +
         sin(alpha) * dot(n, cross(c->axis, q)) - c->radius;
}

static double lowest(const SpinCase *c, brinkVec3 n, double t) {
  double least = INFINITY;
  for (int i = 0; i < c->corners; ++i) least = fmin(least, heightOf(c, n, i, t));
  return least;
}

static int phases(const SpinCase *c) { return 8 + (int)(PHASES * c->angle / (2 * PI)); }

/* A smooth function with one low in [from, to]: golden section. */
static double lowOf(const SpinCase *c, brinkVec3 n, int corner, double from, double to) {
  const double part = 0.6180339887498949;
  double x = to - part * (to - from), y = from + part * (to - from);
  double hx = heightOf(c, n, corner, x), hy = heightOf(c, n, corner, y);
  for (int i = 0; i < 60; ++i) {
    if (hx < hy)
      to = y, y = x, hy = hx, x = to - part * (to - from), hx = heightOf(c, n, corner, x);
    else
      from = x, x = y, hx = hy, y = from + part * (to - from), hy = heightOf(c, n, corner, y);
  }
  return 0.5 * (from + to);
}

typedef struct Low {
  double height, time;
} Low;

/* The lowest that any corner gets during [0, end]. */
static Low lowestOf(const SpinCase *c, brinkVec3 n, double end) {
  Low low = {INFINITY, 0};
  int count = phases(c);
  for (int i = 0; i < c->corners; ++i) {
    double before = INFINITY, here = heightOf(c, n, i, 0);
    for (int k = 0; k <= count; ++k) {
      double t = end * k / count, after = k < count ? heightOf(c, n, i, end * (k + 1) / count) : HUGE_VAL;
      if (here <= before && here <= after && here < low.height + 0.02) { /* curvature: lows between are no deeper */
        double at = lowOf(c, n, i, fmax(0, t - end / count), fmin(end, t + end / count)), found = heightOf(c, n, i, at);
        if (here < found) at = t, found = here;
        if (found < low.height) low = (Low){found, at};
      }
      before = here;
      here = after;
    }
  }
  return low;
}

/* The first time at which a corner gets down to `level`; INFINITY: none does. */
static double firstFall(const SpinCase *c, brinkVec3 n, double level) {
  double first = INFINITY;
  int count = phases(c);
  for (int i = 0; i < c->corners; ++i) {
    double before = 0;
    if (heightOf(c, n, i, 0) <= level) return 0;
    for (int k = 1; k <= count && before < first; ++k) {
      double t = (double)k / count, low = t, high;
      if (heightOf(c, n, i, t) > level) {
        low = lowOf(c, n, i, before, t); /* a dip between the samples */
        if (heightOf(c, n, i, low) > level) {
          before = t;
          continue;
        }
      }
      for (high = low, low = before; high - low > 1e-16 * high;) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (heightOf(c, n, i, middle) > level)
          low = middle;
        else
          high = middle;
      }
      first = fmin(first, high);
      break;
    }
  }
  return first;
}

/* ---- making a case */

static brinkVec3 floorNormal(const SpinCase *c) { return turn(c->floorPose.rotation, vec(0, 0, 1)); }

/* The k-th of a family; false: no such case (it would begin in touch). */
static bool makeCase(Random *random, SpinCase *c) {
  makeCorners(random, c);
  c->floorPose.rotation = rotation(randomVector(random, 3));
  brinkVec3 n = floorNormal(c);
  int lie = (int)(nextBits(random) % 3u); /* axis: along the floor's normal, across it, anyhow */
  brinkVec3 any = unit(randomVector(random, 1));
  c->axis = lie == 0 ? n : lie == 1 ? unit(cross(n, any)) : any;
  c->angle = 2 * PI * c->turns;
  c->rate = c->kind == kindOdeStep || c->kind == kindBezier ? tan(0.5 * c->angle) : 0;
  c->start = rotation(randomVector(random, 3));
  c->centre = randomVector(random, 1);
  int drift = (int)(nextBits(random) % 3u); /* velocity: none, along the floor, anyhow */
  c->velocity = drift == 0 ? vec(0, 0, 0) : randomVector(random, 0.5);
  if (drift == 1) c->velocity = minus(c->velocity, times(dot(c->velocity, n), n));
  if (c->kind == kindScrew) c->velocity = times(dot(c->velocity, c->axis), c->axis);
  if (c->place == placeFloorTurns) c->velocity = vec(0, 0, 0);
  Low low = lowestOf(c, n, 1);
  double level = c->meets ? low.height + c->gap : low.height - c->gap;
  if (c->meets && nextBits(random) % 2u) { /* deeper, and so earlier */
    level = low.height + uniform(random, 0, 1) * (lowest(c, n, 0) - low.height);
    if (!(level > low.height + c->gap)) level = low.height + c->gap;
  }
  if (c->meets && !(lowest(c, n, 0) > level + c->gap)) return false;
  /* the floor's middle under the body's */
  c->floorPose.position = plus(c->centre, times(level - dot(n, c->centre), n));
  return true;
}

typedef struct Made { /* what motions point to */
  brinkMotionPath path;
  brinkMotionKey keys[KEYS];
  double controls[48], weights[4];
} Made;

static void turnPose(void *user, double t, brinkMotionState *out) {
  const SpinCase *c = user;
  out->hasVelocities = 1;
  out->pose.position = plus(c->centre, times(t, c->velocity));
  out->pose.rotation = product(rotation(times(c->angle * t, c->axis)), c->start);
  out->velocity = c->velocity;
  out->spin = times(c->angle, c->axis);
}

static void turnBound(void *user, double t0, double t1, brinkMotionBound *out) {
  const SpinCase *c = user;
  (void)t0, (void)t1;
  out->speed = norm(c->velocity) * (1 + 1e-12);
  out->turnRate = c->angle * (1 + 1e-12);
  out->acceleration = out->turnAcceleration = 0;
}

/* ODE's step as a rational cubic: as in motion_makers.h. */
static void bezierOf(const SpinCase *c, Made *made) {
  double k = c->rate, weights[4] = {1, 1, 1 + k * k / 3, 1 + k * k};
  const brinkVec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int n = 0; n < 4; ++n) {
    double *out = &made->controls[12 * n];
    for (int j = 0; j < 3; ++j) {
      brinkVec3 y = turn(c->start, units[j]), across = cross(c->axis, y), q1 = plus(y, times(k, across));
      brinkVec3 q2 = plus(plus(times(1 - k * k, y), times(2 * k, across)), times(2 * k * k * dot(c->axis, y), c->axis));
      brinkVec3 column = n == 0   ? y
                         : n == 1 ? times(1.0 / 3, plus(y, times(2, q1)))
                         : n == 2 ? times(1.0 / 3, plus(times(2, q1), q2))
                                  : q2;
      column = times(1 / weights[n], column);
      out[j] = column.x, out[4 + j] = column.y, out[8 + j] = column.z;
    }
    brinkVec3 p = plus(c->centre, times(n / 3.0, c->velocity));
    if (n == 2) p = times(1 / weights[2], plus(p, times(k * k / 3, c->centre)));
    out[3] = p.x, out[7] = p.y, out[11] = p.z;
    made->weights[n] = weights[n];
  }
  made->path.controls = made->controls;
  made->path.weights = made->weights;
  made->path.controlCount = 4;
}

static brinkBodyMotion motionOf(SpinCase *c, Made *made) {
  brinkBodyMotion motion = velocitiesMotion((brinkPose){c->centre, c->start}, c->velocity, times(c->angle, c->axis));
  static const uint32_t kinds[KINDS] = {brink_motionVelocities, brink_motionScrew,  brink_motionOdeStep,
                                        brink_motionSpline,     brink_motionBezier, brink_motionUser};
  motion.kind = kinds[c->kind];
  made->path = (brinkMotionPath){.structSize = sizeof made->path};
  if (c->kind != kindVelocities) motion.path = &made->path;
  if (c->kind == kindScrew) {
    made->path.axisPoint = c->centre;
    made->path.axis = c->axis;
    made->path.angle = c->angle;
    made->path.pitch = dot(c->velocity, c->axis) * 2 * PI / c->angle;
  } else if (c->kind == kindOdeStep) {
    motion.spin = times(2 * c->rate, c->axis);
  } else if (c->kind == kindSpline) {
    made->path.keyCount = 2 + (size_t)(c->turns / 0.4);
    made->path.keys = made->keys;
    for (size_t i = 0; i < made->path.keyCount; ++i) {
      double t = (double)i / (double)(made->path.keyCount - 1);
      brinkPose pose = {plus(c->centre, times(t, c->velocity)),
                        product(rotation(times(c->angle * t, c->axis)), c->start)};
      made->keys[i] = (brinkMotionKey){t, pose, c->velocity};
    }
  } else if (c->kind == kindBezier) {
    bezierOf(c, made);
  } else if (c->kind == kindUser) {
    made->path.user = c;
    made->path.poseAt = turnPose;
    made->path.boundOver = turnBound;
  }
  return motion;
}

typedef struct Asked {
  brinkWorld *world;
  brinkQuery query;
  SpinCase spin; /* what a motion of kind user reads */
  Made made, parentMade;
} Asked;

/* Builds the world of a case. */
static void buildCase(Random *random, const SpinCase *given, Asked *out) {
  out->spin = *given;
  SpinCase *c = &out->spin;
  out->world = newWorld(NULL);
  brinkVec3 origin;
  brinkShapeId floorShape = makeFloorShape(out->world, c->floor, &origin), bodyShape = makeBodyShape(out->world, c);
  brinkPose floorAt = {carry(c->floorPose, origin), c->floorPose.rotation};
  brinkBodyMotion motion = motionOf(c, &out->made);
  brinkBodyId parent = 0, floorBody = 0, body;
  if (c->place == placeSiblings) { /* on a parent that does something else */
    SpinCase parentCase = *c;
    parentCase.kind = (int)(nextBits(random) % kindUser);
    parentCase.centre = randomVector(random, 2);
    parentCase.velocity = randomVector(random, 1);
    parentCase.axis = unit(randomVector(random, 1));
    parentCase.angle = uniform(random, 0.2, 2.5);
    parentCase.turns = parentCase.angle / (2 * PI);
    parentCase.rate = parentCase.kind == kindOdeStep || parentCase.kind == kindBezier ? tan(0.5 * parentCase.angle) : 0;
    if (parentCase.kind == kindScrew) parentCase.velocity = parentCase.axis;
    parent = newBody(out->world, 0, at(0, 0, 0));
    brinkBodyMotion above = motionOf(&parentCase, &out->parentMade);
    ASSERT_OK(out->world, api()->setBodyMotion(out->world, parent, &above));
    floorBody = newBody(out->world, parent, floorAt);
    brinkBodyMotion still = velocitiesMotion(floorAt, vec(0, 0, 0), vec(0, 0, 0));
    ASSERT_OK(out->world, api()->setBodyMotion(out->world, floorBody, &still));
    newCollider(out->world, floorBody, floorShape, at(0, 0, 0));
  } else if (c->place == placeFloorTurns) { /* the inverse, about the body's centre */
    brinkPose start = {minus(floorAt.position, c->centre), floorAt.rotation};
    floorBody = newBody(out->world, 0, at(0, 0, 0));
    brinkBodyMotion back =
        velocitiesMotion((brinkPose){c->centre, {1, 0, 0, 0}}, vec(0, 0, 0), times(-c->angle, c->axis));
    ASSERT_OK(out->world, api()->setBodyMotion(out->world, floorBody, &back));
    newCollider(out->world, floorBody, floorShape, start);
    motion = velocitiesMotion((brinkPose){c->centre, c->start}, vec(0, 0, 0), vec(0, 0, 0));
  } else {
    newCollider(out->world, 0, floorShape, floorAt);
  }
  if (c->place == placeChain) {
    parent = newBody(out->world, 0, at(0, 0, 0));
    brinkBodyMotion above = velocitiesMotion((brinkPose){c->centre, {1, 0, 0, 0}}, c->velocity, vec(0, 0, 0));
    ASSERT_OK(out->world, api()->setBodyMotion(out->world, parent, &above));
    motion = velocitiesMotion((brinkPose){vec(0, 0, 0), c->start}, vec(0, 0, 0), times(c->angle, c->axis));
  }
  body = newBody(out->world, parent, at(0, 0, 0));
  ASSERT_OK(out->world, api()->setBodyMotion(out->world, body, &motion));
  newCollider(out->world, body, bodyShape, at(0, 0, 0));
  out->query = wholeStep();
  out->query.tolerance = 0.25 * c->gap;
}

/* ---- judging */

typedef enum Grade { good, undecided, wrong } Grade;

static Grade judge(const SpinCase *c, const brinkReport *report, const char **why) {
  brinkVec3 n = floorNormal(c);
  double level = dot(n, c->floorPose.position), rounding = 1e-13 * (10 + c->angle);
  *why = "";
  if (report->state == brink_unresolved) return undecided;
  if (!c->meets) {
    *why = "invented";
    return report->state == brink_free ? good : wrong;
  }
  *why = "missed";
  if (report->state != brink_hit) return wrong;
  double touch = firstFall(c, n, level - rounding), off = lowest(c, n, report->toi) - level;
  *why = "late";
  if (!(report->toi <= touch)) return wrong;
  *why = "early";
  return off <= 0.25 * c->gap * (1 + 1e-6) + rounding ? good : wrong;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Sum {
  int cases, undecided, wrong;
  uint64_t most, work; /* of one case, of all */
  double time, worst;
} Sum;

static brinkReport askCase(Asked *asked, uint32_t scheme, int repeats, double *time) {
  brinkReport report = {0};
  asked->query.scheme = scheme;
  *time = INFINITY;
  for (int i = 0; i < repeats; ++i) {
    double start = seconds();
    report = ask(asked->world, &asked->query);
    *time = fmin(*time, seconds() - start);
    if (*time > 1e-3) break;
  }
  return report;
}

static uint64_t workOf(const brinkReport *report) {
  return report->counters.nodePairs + report->counters.distanceQueries + report->counters.advancements;
}

static void countCase(const SpinCase *c, Asked *asked, uint32_t scheme, int repeats, bool tell, int number, Sum *sum) {
  double time;
  const char *why;
  brinkReport report = askCase(asked, scheme, repeats, &time);
  Grade grade = judge(c, &report, &why);
  ++sum->cases;
  sum->undecided += grade == undecided;
  sum->wrong += grade == wrong;
  sum->time += time;
  sum->worst = fmax(sum->worst, time);
  sum->work += workOf(&report);
  if (workOf(&report) > sum->most) sum->most = workOf(&report);
  if (tell && grade != good)
    print_message("case %d scheme %u: %s on %s, %s, %s, %g turns, gap %g, %s: %s%s, toi %.17g\n", number, scheme,
                  bodyNames[c->body], floorNames[c->floor], kindNames[c->kind], placeNames[c->place], c->turns, c->gap,
                  c->meets ? "meets" : "free", grade == undecided ? "undecided" : "wrong: ", why, report.toi);
}

static const double turnsOf[] = {0.5, 1, 3, 10, 38, 100, 300};
enum { TURNS = sizeof turnsOf / sizeof *turnsOf, GAPS = 4 };
static const double gapsOf[GAPS] = {1e-2, 1e-4, 1e-6, 1e-8};

/* How many turns the kind of motion can make. */
static double turnsFor(int kind, double turns) {
  if (kind == kindOdeStep || kind == kindBezier) return fmin(0.05 + 0.01 * turns, 0.45);
  if (kind == kindSpline || kind == kindUser) return fmin(turns, 20);
  return turns;
}

typedef void Visit(const SpinCase *c, Asked *asked, int number, void *user);

/* Every body x floor x motion x place x turns x gap that there is, meeting and free by turns. */
static int eachCase(uint64_t seed, Visit *visit, void *user) {
  int number = 0;
  Random generator = {seed}, *random = &generator;
  for (int place = 0; place < PLACES; ++place)
    for (int kind = 0; kind < KINDS; ++kind)
      for (int body = 0; body < BODIES; ++body)
        for (int floor = 0; floor < FLOORS; ++floor)
          for (int turns = 0; turns < TURNS; ++turns) {
            if ((place == placeChain || place == placeFloorTurns) && kind != kindVelocities) continue;
            SpinCase c = {.body = body, .floor = floor, .kind = kind, .place = place};
            c.turns = turnsFor(kind, turnsOf[turns]);
            c.gap = gapsOf[nextBits(random) % GAPS];
            c.meets = nextBits(random) % 2u;
            if (!makeCase(random, &c)) continue;
            Asked asked;
            buildCase(random, &c, &asked);
            visit(&c, &asked, number++, user);
            ASSERT_OK(asked.world, api()->destroyWorld(asked.world));
          }
  return number;
}

typedef struct Tally {
  Sum sum[2]; /* default, paper */
} Tally;

static void countDefault(const SpinCase *c, Asked *asked, int number, void *user) {
  Tally *tally = user;
  countCase(c, asked, brink_schemeDefault, 1, true, number, &tally->sum[0]);
}

CASE(spinning_bodies_near_a_floor_get_the_right_answer_and_never_none) {
  Tally tally = {0};
  int cases = eachCase(1, countDefault, &tally);
  print_message("%d cases: %d undecided, %d wrong, most work %llu, all %llu\n", cases, tally.sum[0].undecided,
                tally.sum[0].wrong, (unsigned long long)tally.sum[0].most, (unsigned long long)tally.sum[0].work);
  assert_true(cases >= 2000);
  assert_int_equal(tally.sum[0].undecided, 0);
  assert_int_equal(tally.sum[0].wrong, 0);
  assert_true(tally.sum[0].most <= MOST_WORK);
  assert_true(tally.sum[0].work <= ALL_WORK);
}

/* ---- times */

/* Of a family: shares bound what is lost where the other scheme would have been faster. */
#define MOST_TIMES_PAPER 1.5

typedef struct Table {
  Sum sum[PLACES][KINDS][BODIES][2], turns[KINDS][TURNS][2];
} Table;

static void countBoth(const SpinCase *c, Asked *asked, int number, void *user) {
  Table *table = user;
  int turns = 0;
  while (turns + 1 < TURNS && turnsFor(c->kind, turnsOf[turns]) < c->turns) ++turns;
  for (int scheme = 0; scheme < 2; ++scheme) {
    double before = table->sum[c->place][c->kind][c->body][scheme].time;
    Sum *sum = &table->sum[c->place][c->kind][c->body][scheme], *other = &table->turns[c->kind][turns][scheme];
    countCase(c, asked, scheme == 0 ? brink_schemeDefault : brink_schemePaper, 5, getenv("BRINK_SPINS_TELL") != NULL,
              number, sum);
    double time = sum->time - before;
    other->time += time;
    other->worst = fmax(other->worst, time);
    ++other->cases;
    if (time > 5e-3)
      print_message("slow: case %d scheme %d: %s on %s, %s, %s, %g turns, gap %g, %s: %.2f ms\n", number, scheme,
                    bodyNames[c->body], floorNames[c->floor], kindNames[c->kind], placeNames[c->place], c->turns,
                    c->gap, c->meets ? "meets" : "free", 1e3 * time);
  }
}

static void printRow(const char *a, const char *b, const char *c, const Sum sum[2]) {
  if (sum[0].cases == 0) return;
  printf("%-12s %-11s %-10s %5d  %9.1f %9.1f %6.2f   %9.1f %9.1f   %8.1f %8.1f   %4d %4d   %4d %4d\n", a, b, c,
         sum[0].cases, 1e6 * sum[0].time / sum[0].cases, 1e6 * sum[1].time / sum[1].cases, sum[0].time / sum[1].time,
         1e6 * sum[0].worst, 1e6 * sum[1].worst, (double)sum[0].work / sum[0].cases, (double)sum[1].work / sum[1].cases,
         sum[0].undecided, sum[1].undecided, sum[0].wrong, sum[1].wrong);
}

/* The largest ratio of sums of families; *name: which. */
static double largestRatio(const Table *table, char *name, size_t size) {
  double largest = 0;
  for (int p = 0; p < PLACES; ++p)
    for (int k = 0; k < KINDS; ++k)
      for (int b = 0; b < BODIES; ++b) {
        const Sum *sum = table->sum[p][k][b];
        if (sum[0].cases == 0 || !(sum[0].time / sum[1].time > largest)) continue;
        largest = sum[0].time / sum[1].time;
        snprintf(name, size, "%s, %s, %s", placeNames[p], kindNames[k], bodyNames[b]);
      }
  return largest;
}

static int printTimes(void) {
  static Table table;
  char name[64] = "";
  int cases = eachCase(1, countBoth, &table);
  printf(
      "%d cases; us a case, fastest of 5 up to 1 ms: default, paper's scheme, ratio; worst; node pairs, distances and "
      "steps a case; undecided; wrong\n",
      cases);
  for (int p = 0; p < PLACES; ++p)
    for (int k = 0; k < KINDS; ++k)
      for (int b = 0; b < BODIES; ++b) printRow(placeNames[p], kindNames[k], bodyNames[b], table.sum[p][k][b]);
  for (int k = 0; k < KINDS; ++k)
    for (int n = 0; n < TURNS; ++n) {
      char turns[32];
      snprintf(turns, sizeof turns, "%g", turnsFor(k, turnsOf[n]));
      printRow("turns", kindNames[k], turns, table.turns[k][n]);
    }
  double largest = largestRatio(&table, name, sizeof name);
  printf("largest ratio of a family %.2f (%s), at most %.1f: %s\n", largest, name, MOST_TIMES_PAPER,
         largest <= MOST_TIMES_PAPER ? "kept" : "BROKEN");
  return largest <= MOST_TIMES_PAPER ? 0 : 1;
}

int main(int argumentCount, char **arguments) {
  if (argumentCount > 1 && strcmp(arguments[1], "--times") == 0) return printTimes();
  return cases_Run(NULL, NULL);
}
