/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact points of two placed shapes: all places within `margin`, reduced to the deepest and most spread few.
 *
 * Convex pairs. The normal n comes from the signed separation. Each piece shows its supporting feature along n: a face
 * or edge that is tilted by less than FACE_TILT counts as facing. The straighter face is the reference; the other
 * feature is clipped in the reference's side planes, and what is left is measured along n against the reference plane.
 *
 * Meshes. Every triangle near the other body is treated as a piece. Four things only meshes need:
 * - crossing: a triangle that is pierced has no outside of its own: it pushes towards the side on which the other
 *   body's centre lies, by how far the part above the triangle reaches through it, capped at DEPTH_MARGINS margins. Of
 *   two crossing triangles the one whose plane has the bodies on its two sides wins, then the one with less to push;
 *   a body more than SAME_RANK times larger always gives the plane.
 * - ghosts: a normal is a ghost of an inner edge when a neighbouring triangle comes nearer than the edge does, that is
 *   when n . (into the neighbour) > 0: outside the normal cone of the surface. Such points are dropped, except the
 *   nearest of all while nothing meets, and never all of them.
 * - hollows: while surfaces are apart, what slides out of the nearest features meets the next ones, which face another
 *   way. Where a corner is nearest, the edges and faces that end there are told as they would be met if they went on,
 *   if they face the other body and the surface beyond their end comes nearer than they would (emitBeyond, isHollow):
 *   then it lies within what they leave free. On a ridge they would hold what is free.
 * - inside: once surfaces cross, triangles beyond the surface are near it from within: points whose normal leaves a
 *   mesh away from the other body's centre are dropped then, and so are crossings of triangles whose planes have both
 *   bodies on one side (two walls at a corner), when another crossing knows better.
 *
 * Based on: Sutherland and Hodgman 1974 (clipping); Gottschalk, Lin, Manocha 1996 (boxes); normal cones: Johnson and
 * Cohen 2001. Common frame: world axes about a point near the pair. Lengths in m. Estimates, not bounds: a solver's
 * input. */
#include "manifold.h"

#include "epa.h"
#include "gjk.h"
#include "swept_axis.h"

#define FACE_TILT 0.1       /* rad: what counts as facing; 6 degrees, so that a rocking box keeps four corners */
#define PARALLEL_EDGES 0.02 /* rad: two edges touch along a line, not in a point */
#define NORMAL_CONE 1e-3    /* sine by which a normal may leave the cone: noise of short distances */
#define DEPTH_MARGINS 4.0   /* a crossing pushes at most this many margins (and SAME_PLACE, for margin 0) */
#define SAME_DEPTH 0.01     /* of the margin: points this close in depth are equally deep */
#define SAME_RANK 2.0       /* bodies whose sizes differ by more are mountain and pebble */
#define BOX_ROUNDING 1e-12  /* of a box: what boxes are near beyond their sizes, against rounding */
#define SAME_PLACE 1e-3     /* of the smaller extent: mesh points this close are one */

enum {
  FEATURE_CAPACITY = 32,
  CLIP_CAPACITY = 2 * FEATURE_CAPACITY + 2,
  POOL_CAPACITY = 1024,
  POOL_KEPT = 256,
  TABLE_SIZE = 4096 /* power of two, several times POOL_CAPACITY */
};

/* What carries the witness on one side of a mesh. */
typedef struct carrier {
  uint32_t kind; /* 1 vertex, 2 edge: their normal cones are tested; 3 face; 0 nothing is known */
  uint32_t vertex[3];
} carrier;

typedef struct candidate {
  brinkVec3 position, normal;
  double separation;
  uint32_t key;
  bool inside;      /* see top */
  bool unsure;      /* of a crossing whose planes have both bodies on one side */
  carrier sides[2]; /* meshes only */
  bool beyond;      /* where the features would meet if they went on, see emitBeyond */
  carrier bends[2]; /* of these: where the surface leaves the feature */
  brinkVec3 from;   /* of these: where they are nearest */
  double weight;    /* see weightOf; beside the one that was taken first */
  double alone;     /* m, from the nearest one that was taken */
} candidate;

typedef struct nearTriangle {
  brinkPiece piece; /* points into room */
  brinkTriangleRoom room;
  uint32_t id;
  brinkVec3 lower, upper; /* common frame, core */
} nearTriangle;

typedef struct nodePair {
  uint32_t a, b;
} nodePair;

struct brinkManifoldScratch {
  brinkSweptAxisScratch *swept;
  candidate pool[POOL_CAPACITY];
  uint32_t poolCount, enteredCount;
  uint16_t table[TABLE_SIZE];      /* 1 + pool index by cell */
  uint16_t entered[POOL_CAPACITY]; /* places of the table that are not 0: most manifolds have few points */
  nodePair *stack;
  size_t stackCapacity;
  nearTriangle *leaf[2];
  size_t leafCapacity[2];
  uint32_t *touched[2]; /* ids of triangles within margin */
  size_t touchedCount[2], touchedCapacity[2];
  uint64_t *marks[2]; /* bit per triangle: in touched */
  size_t marksCapacity[2];
};

brinkManifoldScratch *brinkManifoldScratch_Create(brinkContext *context) {
  brinkManifoldScratch *scratch = brinkAllocateZeroed(context, 1, sizeof(brinkManifoldScratch));
  if (scratch == NULL) return NULL;
  scratch->swept = brinkSweptAxisScratch_Create(context);
  if (scratch->swept != NULL) return scratch;
  brinkManifoldScratch_Destroy(context, scratch);
  return NULL;
}

void brinkManifoldScratch_Destroy(brinkContext *context, brinkManifoldScratch *scratch) {
  if (!scratch) return;
  brinkSweptAxisScratch_Destroy(context, scratch->swept);
  brinkRelease(context, scratch->stack, scratch->stackCapacity * sizeof *scratch->stack);
  for (int side = 0; side < 2; ++side) {
    brinkRelease(context, scratch->leaf[side], scratch->leafCapacity[side] * sizeof *scratch->leaf[side]);
    brinkRelease(context, scratch->touched[side], scratch->touchedCapacity[side] * sizeof *scratch->touched[side]);
    brinkRelease(context, scratch->marks[side], scratch->marksCapacity[side] * sizeof *scratch->marks[side]);
  }
  brinkRelease(context, scratch, sizeof *scratch);
}

/* One body of the pair, in the common frame. */
typedef struct body {
  const brinkShape *shape;
  brinkRigid pose;
  brinkVec3 center; /* of the shape's box */
  double size;      /* radius about the centre */
} body;

typedef struct job {
  brinkContext *context;
  brinkManifoldScratch *scratch;
  body bodies[2];
  double margin;
  double extent;     /* m: of the smaller body, what tolerances are fractions of */
  double samePlace;  /* m */
  double depthLimit; /* m, of crossings */
  bool met, crossed; /* triangles touch; pierce each other */
  bool sure;         /* some crossing had a plane with the bodies on its two sides */
  bool meshes;
  double nearest; /* m: smallest separation in the pool */
} job;

/* ---- the pool of candidates */

static uint32_t mix(uint32_t hash, uint32_t value) {
  hash ^= value + 0x9e3779b9u + (hash << 6) + (hash >> 2);
  hash *= 0x85ebca6bu;
  return hash ^ (hash >> 15);
}

static uint32_t cellOf(const job *j, brinkVec3 x) {
  double cell = 2.0 * j->samePlace;
  const double coordinates[3] = {x.x, x.y, x.z};
  uint32_t hash = 0;
  for (int i = 0; i < 3; ++i) {
    double index = floor(fmin(1e15, fmax(-1e15, coordinates[i] / cell)));
    hash = mix(hash, (uint32_t)(int64_t)index);
  }
  return hash & (TABLE_SIZE - 1);
}

static void enterTable(job *j, uint32_t index) {
  uint32_t slot = cellOf(j, j->scratch->pool[index].position);
  while (j->scratch->table[slot]) slot = (slot + 1) & (TABLE_SIZE - 1);
  j->scratch->table[slot] = (uint16_t)(index + 1);
  j->scratch->entered[j->scratch->enteredCount++] = (uint16_t)slot;
}

static void clearTable(brinkManifoldScratch *scratch) {
  while (scratch->enteredCount > 0u) scratch->table[scratch->entered[--scratch->enteredCount]] = 0u;
}

static bool earlier(const candidate *p, const candidate *q) {
  if (p->separation != q->separation) return p->separation < q->separation;
  return p->key < q->key;
}

/* How much a place counts: full at the deepest, a quarter at the margin, so that what touches is kept before what is
 * near. */
static double weightOf(const candidate *p, double deepest, double margin) {
  double range = margin - deepest;
  if (!(range > 0.0)) return 1.0;
  double part = (p->separation - deepest) / range;
  return 1.0 - 0.75 * fmin(1.0, fmax(0.0, part));
}

/* The deepest; among all that are as deep (a face that lies flat has many) the one furthest from their middle: a
 * corner. */
static uint32_t chooseFirst(const job *j) {
  const candidate *pool = j->scratch->pool;
  double deepest = INFINITY;
  for (uint32_t i = 0; i < j->scratch->poolCount; ++i) deepest = fmin(deepest, pool[i].separation);
  double level = deepest + SAME_DEPTH * j->margin + 1e-9 * j->extent, furthest = -1.0;
  brinkVec3 sum = {0, 0, 0};
  uint32_t count = 0, best = 0;
  for (uint32_t i = 0; i < j->scratch->poolCount; ++i)
    if (pool[i].separation <= level) {
      sum = brinkAdd(sum, pool[i].position);
      ++count;
    }
  brinkVec3 middle = brinkScale(sum, 1.0 / BRINK_MAX(count, 1u));
  for (uint32_t i = 0; i < j->scratch->poolCount; ++i) {
    double distance = brinkDistance(pool[i].position, middle);
    if (pool[i].separation > level || !(distance > furthest)) continue;
    furthest = distance;
    best = i;
  }
  return best;
}

/* Next of the pool to take after `taken` were swapped to its front: the deepest; the furthest from it; the widest
 * triangle; the widest quadrilateral; then the one furthest from all. Ties by depth, then order. */
static uint32_t chooseNext(const job *j, uint32_t taken) {
  if (taken == 0) return chooseFirst(j);
  const candidate *pool = j->scratch->pool;
  uint32_t best = taken;
  double bestScore = -1.0;
  brinkVec3 plane = {0, 0, 0};
  if (taken >= 3)
    plane = brinkNormalizeOr(
        brinkCross(brinkSub(pool[1].position, pool[0].position), brinkSub(pool[2].position, pool[0].position)), plane);
  for (uint32_t i = taken; i < j->scratch->poolCount; ++i) {
    const candidate *q = &pool[i];
    double score = 0.0;
    if (taken == 1) {
      score = brinkDistance(q->position, pool[0].position);
    } else if (taken == 2) {
      score = brinkLength(
          brinkCross(brinkSub(pool[1].position, pool[0].position), brinkSub(q->position, pool[0].position)));
    } else if (taken == 3 && brinkLengthSquared(plane) > 0.0) {
      for (int e = 0; e < 3; ++e) {
        brinkVec3 edge = brinkSub(pool[(e + 1) % 3].position, pool[e].position);
        score = fmax(score, -brinkDot(plane, brinkCross(edge, brinkSub(q->position, pool[e].position))));
      }
    }
    if (taken > 3 ||
        (taken >= 2 && !(score > 1e-12 * j->extent * j->extent))) { /* inside, or on the line: the gaps between */
      score = q->alone * (taken > 3 ? 1.0 : 1e-9 * j->extent);
    }
    score *= q->weight;
    if (score > bestScore || (score == bestScore && earlier(q, &pool[best]))) {
      bestScore = score;
      best = i;
    }
  }
  return best;
}

static void swapToFront(candidate *pool, uint32_t to, uint32_t from) {
  candidate moved = pool[from];
  pool[from] = pool[to];
  pool[to] = moved;
}

/* The last one taken is at taken - 1: what that means for all that are left. */
static void noteTaken(job *j, uint32_t taken) {
  candidate *pool = j->scratch->pool;
  for (uint32_t i = taken; i < j->scratch->poolCount; ++i) {
    const double away = brinkDistance(pool[i].position, pool[taken - 1].position);
    if (taken == 1) pool[i].weight = weightOf(&pool[i], pool[0].separation, j->margin);
    if (taken == 1 || away < pool[i].alone) pool[i].alone = away;
  }
}

/* What choosing among a full pool looks at, side by side: positions, weights, distances to the nearest taken one. */
typedef struct thinning {
  double x[POOL_CAPACITY], y[POOL_CAPACITY], z[POOL_CAPACITY], weight[POOL_CAPACITY], nearest[POOL_CAPACITY];
} thinning;

static void swapThinning(thinning *t, uint32_t i, uint32_t k) {
  double *const all[] = {t->x, t->y, t->z, t->weight, t->nearest};
  for (size_t of = 0; of < sizeof all / sizeof *all; ++of) {
    const double value = all[of][i];
    all[of][i] = all[of][k];
    all[of][k] = value;
  }
}

/* Keeps POOL_KEPT of a full pool. */
static void thinPool(job *j) {
  brinkManifoldScratch *scratch = j->scratch;
  /* furthest-point selection with running distances: POOL_CAPACITY x POOL_KEPT steps */
  thinning t;
  const uint32_t first = chooseNext(j, 0), count = scratch->poolCount;
  swapToFront(scratch->pool, 0, first);
  for (uint32_t i = 0; i < count; ++i) {
    const candidate *c = &scratch->pool[i];
    t.x[i] = c->position.x;
    t.y[i] = c->position.y;
    t.z[i] = c->position.z;
    t.weight[i] = weightOf(c, scratch->pool[0].separation, j->margin);
    t.nearest[i] = INFINITY;
  }
  for (uint32_t taken = 1; taken < POOL_KEPT; ++taken) {
    const double x = t.x[taken - 1], y = t.y[taken - 1], z = t.z[taken - 1];
    double score[POOL_CAPACITY], bestScore = -1.0;
    uint32_t best = taken;
    for (uint32_t i = taken; i < count; ++i) {
      const double dx = t.x[i] - x, dy = t.y[i] - y, dz = t.z[i] - z, away = sqrt(dx * dx + dy * dy + dz * dz);
      t.nearest[i] = away < t.nearest[i] ? away : t.nearest[i];
      score[i] = t.nearest[i] * t.weight[i];
    }
    for (uint32_t i = taken; i < count; ++i)
      if (score[i] > bestScore) {
        bestScore = score[i];
        best = i;
      }
    swapToFront(scratch->pool, taken, best);
    swapThinning(&t, taken, best);
  }
  scratch->poolCount = POOL_KEPT;
  clearTable(scratch);
  for (uint32_t i = 0; i < scratch->poolCount; ++i) enterTable(j, i);
}

static void addCandidate(job *j, const candidate *c) {
  brinkManifoldScratch *scratch = j->scratch;
  if (!(c->separation <= j->margin) || !brinkFiniteV3(c->position)) return;
  uint32_t slot = cellOf(j, c->position);
  for (; scratch->table[slot]; slot = (slot + 1) & (TABLE_SIZE - 1)) {
    candidate *old = &scratch->pool[scratch->table[slot] - 1];
    if (brinkDistance(old->position, c->position) > j->samePlace || brinkDot(old->normal, c->normal) < 0.99) continue;
    if (old->inside != c->inside || old->unsure != c->unsure || old->beyond != c->beyond) continue;
    if (earlier(c, old)) {
      brinkVec3 place = old->position; /* the cell must stay */
      *old = *c;
      old->position = place;
    }
    return;
  }
  if (scratch->poolCount == POOL_CAPACITY) thinPool(j);
  scratch->pool[scratch->poolCount++] = *c;
  enterTable(j, scratch->poolCount - 1);
}

/* ---- supporting features */

typedef struct feature {
  uint32_t count;   /* 1 point, 2 edge, more: polygon, counter-clockwise seen from outside */
  brinkVec3 normal; /* unit, outward; of a polygon */
  double tilt;      /* rad (about) between normal and the direction asked for; polygons only */
  brinkVec3 v[FEATURE_CAPACITY];
  uint32_t id[FEATURE_CAPACITY];
} feature;

static uint32_t idOf(const brinkPiece *piece, uint32_t index) {
  return piece->vertexIds ? piece->vertexIds[index] : index;
}

static brinkVec3 placedVertex(const brinkPiece *piece, const brinkRigid *pose, uint32_t index) {
  return brinkApply(pose, brinkPiece_Vertex(piece, index));
}

static void boxFeature(const brinkPiece *box, const brinkRigid *pose, brinkVec3 n, feature *out) {
  brinkVec3 local = brinkTMulMV(&pose->r, n);
  const double d[3] = {local.x, local.y, local.z};
  int most = 0, least = 0;
  for (int i = 1; i < 3; ++i) {
    if (fabs(d[i]) > fabs(d[most])) most = i;
    if (fabs(d[i]) <= fabs(d[least])) least = i;
  }
  uint32_t corner = (d[0] > 0 ? 1u : 0u) | (d[1] > 0 ? 2u : 0u) | (d[2] > 0 ? 4u : 0u);
  double lateral = sqrt(fmax(0.0, 1.0 - d[most] * d[most]));
  if (lateral <= FACE_TILT) {
    uint32_t u = 1u << ((most + 1) % 3), v = 1u << ((most + 2) % 3), base = corner & (1u << most);
    const uint32_t ring[4] = {base, base | u, base | u | v, base | v};
    bool positive = d[most] > 0.0;
    out->count = 4;
    for (uint32_t i = 0; i < 4; ++i) out->id[i] = positive ? ring[i] : ring[3 - i];
    brinkVec3 axis = brinkV3(pose->r.m[0][most], pose->r.m[1][most], pose->r.m[2][most]);
    out->normal = brinkNormalizeOr(positive ? axis : brinkNeg(axis), n);
    out->tilt = lateral;
  } else if (fabs(d[least]) <= FACE_TILT) {
    out->count = 2;
    out->id[0] = corner & ~(1u << least);
    out->id[1] = corner | (1u << least);
  } else {
    out->count = 1;
    out->id[0] = corner;
  }
  for (uint32_t i = 0; i < out->count; ++i) out->v[i] = placedVertex(box, pose, out->id[i]);
}

/* Rim vertices stand at fixed eighths, so that their keys are stable. */
static brinkVec3 rimPoint(const brinkPiece *cylinder, double cosine, double sine, double z) {
  return brinkV3(cylinder->center.x + cylinder->half.x * cosine, cylinder->center.y + cylinder->half.x * sine,
                 cylinder->center.z + z);
}

static const double eighths[8][2] = {
    {1, 0},  {0.70710678118654752, 0.70710678118654752},   {0, 1},  {-0.70710678118654752, 0.70710678118654752},
    {-1, 0}, {-0.70710678118654752, -0.70710678118654752}, {0, -1}, {0.70710678118654752, -0.70710678118654752}};

static void cylinderFeature(const brinkPiece *cylinder, const brinkRigid *pose, brinkVec3 n, feature *out) {
  brinkVec3 d = brinkTMulMV(&pose->r, n);
  double radial = sqrt(d.x * d.x + d.y * d.y), half = cylinder->half.z;
  double cosine = radial > 0.0 ? d.x / radial : 1.0, sine = radial > 0.0 ? d.y / radial : 0.0;
  uint32_t top = d.z > 0.0 ? 1u : 0u;
  if (radial <= FACE_TILT) {
    out->count = 8;
    out->tilt = radial;
    brinkVec3 axis = brinkV3(pose->r.m[0][2], pose->r.m[1][2], pose->r.m[2][2]);
    out->normal = brinkNormalizeOr(top ? axis : brinkNeg(axis), n);
    for (uint32_t i = 0; i < 8; ++i) {
      uint32_t k = top ? i : 7 - i;
      out->v[i] = brinkApply(pose, rimPoint(cylinder, eighths[k][0], eighths[k][1], top ? half : -half));
      out->id[i] = 8 * top + k;
    }
  } else if (fabs(d.z) <= FACE_TILT) {
    out->count = 2;
    for (uint32_t i = 0; i < 2; ++i) {
      out->v[i] = brinkApply(pose, rimPoint(cylinder, cosine, sine, i ? half : -half));
      out->id[i] = 16 + i;
    }
  } else {
    out->count = 1;
    out->v[0] = brinkApply(pose, rimPoint(cylinder, cosine, sine, top ? half : -half));
    out->id[0] = 18 + top;
  }
}

/* A support function names no faces: they show as answers far apart when the direction is tilted a little. Convex, so
 * in the order of the tilts they stand around a face; where the boundary bends, all fall together. */
#define SUPPORT_TILT 0.02 /* rad */
#define SUPPORT_SPAN 0.1  /* of the bounding radius: answers nearer to each other than this are one */

static void supportFeature(const brinkPiece *piece, const brinkRigid *pose, brinkVec3 n, feature *out) {
  brinkVec3 d = brinkNormalizeOr(brinkTMulMV(&pose->r, n), brinkV3(0, 0, 1)), size = brinkAbsV3(d), local;
  brinkVec3 axis = size.x <= size.y && size.x <= size.z ? brinkV3(1, 0, 0)
                   : size.y <= size.z                   ? brinkV3(0, 1, 0)
                                                        : brinkV3(0, 0, 1);
  brinkVec3 u = brinkNormalizeOr(brinkCross(d, axis), axis), w = brinkCross(d, u);
  double apart = SUPPORT_SPAN * piece->boundRadius;
  brinkPiece_Support(piece, d, 0, &local);
  out->count = 1;
  out->v[0] = brinkApply(pose, local);
  out->id[0] = 0;
  feature ring = {.count = 0};
  for (uint32_t k = 0; k < 8; ++k) {
    brinkVec3 tilt = brinkAdd(brinkScale(u, eighths[k][0]), brinkScale(w, eighths[k][1]));
    brinkPiece_Support(piece, brinkMulAdd(d, SUPPORT_TILT, tilt), 0, &local);
    brinkVec3 p = brinkApply(pose, local);
    bool known = false;
    for (uint32_t i = 0; i < ring.count; ++i) known = known || brinkDistance(ring.v[i], p) <= apart;
    if (known) continue;
    ring.v[ring.count] = p;
    ring.id[ring.count++] = 1 + k;
  }
  if (ring.count < 2) return;
  if (ring.count >= 3) {
    brinkVec3 face = brinkCross(brinkSub(ring.v[1], ring.v[0]), brinkSub(ring.v[2], ring.v[0]));
    ring.normal = brinkNormalizeOr(face, n);
    ring.tilt = brinkLength(brinkCross(ring.normal, n));
    if (!(brinkDot(ring.normal, n) > 0.0) || ring.tilt > FACE_TILT) return;
  } else {
    ring.tilt = INFINITY;
  }
  *out = ring;
}

typedef struct planar {
  double u, v;
  uint32_t index;
} planar;

static double turn(const planar *a, const planar *b, const planar *c) {
  return (b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u);
}

/* The points of a piece, placed once where they are few: a triangle's are looked at five times. */
typedef struct placedPoints {
  const brinkPiece *piece;
  const brinkRigid *pose;
  bool known;
  brinkVec3 few[8];
} placedPoints;

static placedPoints placePoints(const brinkPiece *piece, const brinkRigid *pose) {
  placedPoints places;
  places.piece = piece;
  places.pose = pose;
  places.known = piece->count <= sizeof places.few / sizeof *places.few;
  for (uint32_t i = 0; places.known && i < piece->count; ++i) places.few[i] = placedVertex(piece, pose, i);
  return places;
}

static inline brinkVec3 placeOf(const placedPoints *places, uint32_t i) {
  return places->known ? places->few[i] : placedVertex(places->piece, places->pose, i);
}

/* Convex ring of the points that lie in the face's plane (f through base), counter-clockwise about f. */
static void faceRing(const placedPoints *places, brinkVec3 f, brinkVec3 base, brinkVec3 along, double flat,
                     feature *out) {
  const brinkPiece *piece = places->piece;
  enum { RING = 64 };
  planar point[RING], ring[RING + 1];
  brinkVec3 across = brinkCross(f, along);
  uint32_t count = 0;
  bool many = false;
  for (uint32_t i = 0; i < piece->count && !many; ++i) {
    brinkVec3 e = brinkSub(placeOf(places, i), base);
    if (brinkDot(f, e) < -flat) continue;
    many = count == RING;
    if (!many) point[count++] = (planar){brinkDot(along, e), brinkDot(across, e), i};
  }
  uint32_t kept = 0;
  if (many) { /* a very round face: its extremes in FEATURE_CAPACITY directions */
    for (uint32_t k = 0; k < FEATURE_CAPACITY; ++k) {
      double angle = 6.283185307179586 * k / FEATURE_CAPACITY, best = -INFINITY;
      double cosine = cos(angle), sine = sin(angle);
      planar chosen = {0};
      for (uint32_t i = 0; i < piece->count; ++i) {
        brinkVec3 e = brinkSub(placeOf(places, i), base);
        if (brinkDot(f, e) < -flat) continue;
        double u = brinkDot(along, e), v = brinkDot(across, e);
        if (u * cosine + v * sine > best) {
          best = u * cosine + v * sine;
          chosen = (planar){u, v, i};
        }
      }
      if (kept == 0 || (chosen.index != ring[kept - 1].index && chosen.index != ring[0].index)) ring[kept++] = chosen;
    }
  } else { /* monotone chain */
    for (uint32_t i = 1; i < count; ++i) {
      planar moving = point[i];
      uint32_t k = i;
      for (; k > 0 && (point[k - 1].u > moving.u || (point[k - 1].u == moving.u && point[k - 1].v > moving.v)); --k)
        point[k] = point[k - 1];
      point[k] = moving;
    }
    double area = 1e-9 * flat; /* m^2, far below any edge times the flatness */
    for (uint32_t i = 0; i < count; ++i) {
      while (kept >= 2 && turn(&ring[kept - 2], &ring[kept - 1], &point[i]) <= area) --kept;
      ring[kept++] = point[i];
    }
    uint32_t lowerEnd = kept + 1;
    for (uint32_t i = count - 1; i-- > 0;) {
      while (kept >= lowerEnd && turn(&ring[kept - 2], &ring[kept - 1], &point[i]) <= area) --kept;
      ring[kept++] = point[i];
    }
    if (kept > 1) --kept; /* the first again */
  }
  uint32_t step = (kept + FEATURE_CAPACITY - 1) / FEATURE_CAPACITY;
  out->count = 0;
  for (uint32_t i = 0; i < kept; i += step) {
    out->v[out->count] = placeOf(places, ring[i].index);
    out->id[out->count++] = idOf(piece, ring[i].index);
  }
}

/* Face, edge or vertex of a set of points by wrapping: tip the supporting plane about its vertex to the least tilted
 * neighbour, then about that edge to the least tilted third. */
static void pointsFeature(const brinkPiece *piece, const brinkRigid *pose, brinkVec3 n, feature *out) {
  const placedPoints own = placePoints(piece, pose), *places = &own;
  uint32_t top = 0;
  double height = -INFINITY;
  for (uint32_t i = 0; i < piece->count; ++i) {
    double value = brinkDot(n, placeOf(places, i));
    if (value > height) {
      height = value;
      top = i;
    }
  }
  brinkVec3 base = placeOf(places, top);
  out->count = 1;
  out->v[0] = base;
  out->id[0] = idOf(piece, top);
  double tiny = 1e-9 * piece->boundRadius, least = FACE_TILT;
  uint32_t second = top;
  for (uint32_t i = 0; i < piece->count; ++i) {
    brinkVec3 e = brinkSub(placeOf(places, i), base);
    double drop = -brinkDot(n, e), lateral = brinkLength(brinkMulAdd(e, drop, n));
    if (!(lateral > tiny) || !(drop < least * lateral)) continue;
    least = fmax(drop, 0.0) / lateral;
    second = i;
  }
  if (second == top) return;
  brinkVec3 along = brinkNormalizeOr(brinkSub(placeOf(places, second), base), n);
  brinkVec3 n1 = brinkNormalizeOr(brinkMulAdd(n, -brinkDot(n, along), along), n), side = brinkCross(n1, along);
  uint32_t third = top, ends[2] = {top, second};
  double low = 0.0, high = brinkDot(along, brinkSub(placeOf(places, second), base));
  least = FACE_TILT;
  for (uint32_t i = 0; i < piece->count; ++i) {
    brinkVec3 e = brinkSub(placeOf(places, i), base);
    double drop = -brinkDot(n1, e), lateral = fabs(brinkDot(side, e)), where = brinkDot(along, e);
    if (!(lateral > tiny)) { /* on the edge's line: keep its ends */
      if (drop > tiny) continue;
      if (where < low) {
        low = where;
        ends[0] = i;
      }
      if (where > high) {
        high = where;
        ends[1] = i;
      }
    } else if (drop < least * lateral) {
      least = fmax(drop, 0.0) / lateral;
      third = i;
    }
  }
  if (third != top) {
    brinkVec3 f = brinkNormalizeOr(brinkCross(along, brinkSub(placeOf(places, third), base)), n1);
    if (brinkDot(f, n) < 0.0) f = brinkNeg(f);
    double lateral = brinkLength(brinkCross(f, n));
    faceRing(places, f, base, along, 1e-6 * piece->boundRadius, out);
    if (out->count >= 3) {
      out->normal = f;
      out->tilt = lateral;
      return;
    }
  }
  out->count = 2;
  for (uint32_t i = 0; i < 2; ++i) {
    out->v[i] = placeOf(places, ends[i]);
    out->id[i] = idOf(piece, ends[i]);
  }
}

static void supportingFeature(const brinkPiece *piece, const brinkRigid *pose, brinkVec3 n, feature *out) {
  out->count = 0;
  out->tilt = INFINITY;
  if (piece->kind == brink_pieceBox)
    boxFeature(piece, pose, n, out);
  else if (piece->kind == brink_pieceCylinder)
    cylinderFeature(piece, pose, n, out);
  else if (piece->kind == brink_pieceSupport)
    supportFeature(piece, pose, n, out);
  else
    pointsFeature(piece, pose, n, out);
}

/* ---- clipping */

typedef struct clipped {
  uint32_t count;
  brinkVec3 v[CLIP_CAPACITY];
  uint32_t key[CLIP_CAPACITY];
} clipped;

/* Keeps outward . (x - base) <= slack. Open chains (two points) and single points too. */
static void clipBy(clipped *c, brinkVec3 base, brinkVec3 outward, double slack, uint32_t edge) {
  clipped in = *c;
  c->count = 0;
  uint32_t sides = in.count == 2 ? 1 : in.count; /* a segment has one side */
  double inHeight[CLIP_CAPACITY];
  for (uint32_t i = 0; i < in.count; ++i) inHeight[i] = brinkDot(outward, brinkSub(in.v[i], base));
  for (uint32_t i = 0; i < in.count; ++i) {
    uint32_t k = (i + 1) % in.count;
    double h = inHeight[i], g = inHeight[k];
    if (h <= slack && c->count < CLIP_CAPACITY) {
      c->v[c->count] = in.v[i];
      c->key[c->count++] = in.key[i];
    }
    if (i < sides && (h <= slack) != (g <= slack) && c->count < CLIP_CAPACITY) {
      c->v[c->count] = brinkMulAdd(in.v[i], h / (h - g), brinkSub(in.v[k], in.v[i]));
      c->key[c->count++] = mix(mix(BRINK_MIN(in.key[i], in.key[k]), BRINK_MAX(in.key[i], in.key[k])), 0x10000u + edge);
    }
  }
}

/* `other` within the prism over polygon `face` along `direction` (unit, outward of face). */
static void clipInPrism(const feature *face, brinkVec3 direction, const feature *other, double slack, clipped *c) {
  c->count = other->count;
  for (uint32_t i = 0; i < other->count; ++i) {
    c->v[i] = other->v[i];
    c->key[i] = other->id[i];
  }
  for (uint32_t i = 0; i < face->count && c->count > 0; ++i) {
    brinkVec3 edge = brinkSub(face->v[(i + 1) % face->count], face->v[i]);
    brinkVec3 outward = brinkNormalizeOr(brinkCross(edge, direction), brinkV3(0, 0, 0));
    if (brinkLengthSquared(outward) > 0.0) clipBy(c, face->v[i], outward, slack, face->id[i]);
  }
}

/* ---- pairs of convex pieces */

/* One pair of pieces: triangles of meshes, or whole shapes. */
typedef struct piecePair {
  const brinkPiece *piece[2];
  uint32_t key; /* of the pair of triangles */
  carrier sides[2];
  bool inside, unsure;
  bool beyond; /* see candidate */
  carrier bends[2];
  brinkVec3 from;
} piecePair;

/* x, y: on the cores of A and B. */
static void emit(job *j, const piecePair *pair, brinkVec3 x, brinkVec3 y, brinkVec3 n, double separation,
                 uint32_t key) {
  double ra = pair->piece[0]->radius, rb = pair->piece[1]->radius;
  brinkVec3 sum = brinkAdd(brinkMulAdd(x, ra, n), brinkMulAdd(y, -rb, n));
  candidate c = {.position = brinkScale(sum, 0.5),
                 .normal = n,
                 .separation = separation,
                 .key = mix(pair->key, key),
                 .inside = pair->inside,
                 .unsure = pair->unsure,
                 .sides = {pair->sides[0], pair->sides[1]},
                 .beyond = pair->beyond,
                 .bends = {pair->bends[0], pair->bends[1]},
                 .from = pair->from};
  addCandidate(j, &c);
}

/* Clips features f[0] of A and f[1] of B against each other; returns the least separation made, INFINITY when none. */
static double emitFeatures(job *j, const piecePair *pair, const feature f[2], brinkVec3 n) {
  double radii = pair->piece[0]->radius + pair->piece[1]->radius, least = INFINITY, slack = 1e-9 * j->extent;
  bool polygonA = f[0].count >= 3, polygonB = f[1].count >= 3;
  if (polygonA || polygonB) {
    /* the straighter face is the reference; A on ties, so that noise does not swap them */
    int reference = !polygonA || (polygonB && f[1].tilt < f[0].tilt - 1e-3) ? 1 : 0;
    const feature *face = &f[reference], *other = &f[1 - reference];
    brinkVec3 outward = reference ? brinkNeg(n) : n;
    double lean = brinkDot(face->normal, outward);
    clipped c;
    clipInPrism(face, outward, other, slack, &c);
    for (uint32_t i = 0; i < c.count; ++i) {
      double height = brinkDot(face->normal, brinkSub(c.v[i], face->v[0])) / lean;
      brinkVec3 foot = brinkMulAdd(c.v[i], -height, outward);
      if (!(height - radii <= j->margin)) continue;
      least = fmin(least, height - radii);
      uint32_t key = mix(reference ? 2u : 1u, c.key[i]);
      if (reference)
        emit(j, pair, c.v[i], foot, n, height - radii, key);
      else
        emit(j, pair, foot, c.v[i], n, height - radii, key);
    }
    return least;
  }
  if (f[0].count != 2 || f[1].count != 2) return least;
  brinkVec3 edgeA = brinkSub(f[0].v[1], f[0].v[0]), edgeB = brinkSub(f[1].v[1], f[1].v[0]);
  double lengthA = brinkLength(edgeA), lengthB = brinkLength(edgeB);
  if (brinkLength(brinkCross(edgeA, edgeB)) > PARALLEL_EDGES * lengthA * lengthB) return least;
  brinkVec3 along = brinkScale(edgeA, 1.0 / lengthA);
  clipped c = {.count = 2, .v = {f[1].v[0], f[1].v[1]}, .key = {f[1].id[0], f[1].id[1]}};
  clipBy(&c, f[0].v[0], brinkNeg(along), slack, f[0].id[0]);
  if (c.count) clipBy(&c, f[0].v[1], along, slack, f[0].id[1]);
  for (uint32_t i = 0; i < c.count; ++i) {
    brinkVec3 x = brinkMulAdd(f[0].v[0], brinkDot(along, brinkSub(c.v[i], f[0].v[0])), along);
    double separation = brinkDot(n, brinkSub(c.v[i], x)) - radii;
    if (!(separation <= j->margin)) continue;
    least = fmin(least, separation);
    emit(j, pair, x, c.v[i], n, separation, mix(3u, c.key[i]));
  }
  return least;
}

static brinkGjkLimits limitsOf(const job *j) {
  return (brinkGjkLimits){
      .relative = 1e-10, .absolute = 0.0, .enoughLower = j->margin + 1e-12 * j->extent, .enoughUpper = -1.0};
}

/* Points of two pieces that are apart or overlap along the separation's normal. */
static void emitConvexPair(job *j, piecePair *pair, const brinkSeparation *s) {
  feature f[2];
  supportingFeature(pair->piece[0], &j->bodies[0].pose, s->normal, &f[0]);
  supportingFeature(pair->piece[1], &j->bodies[1].pose, brinkNeg(s->normal), &f[1]);
  double least = emitFeatures(j, pair, f, s->normal);
  double witness = brinkDot(s->normal, brinkSub(s->pointB, s->pointA));
  if (witness <= j->margin && witness < least - 1e-6 * j->extent) {
    brinkVec3 x = brinkMulAdd(s->pointA, -pair->piece[0]->radius, s->normal);
    brinkVec3 y = brinkMulAdd(s->pointB, pair->piece[1]->radius, s->normal);
    emit(j, pair, x, y, s->normal, witness, mix(mix(4u, f[0].id[0]), f[1].id[0]));
  }
}

/* ---- half-spaces */

/* Parallel half-spaces touch everywhere: one point stands for all. Others have no separation, hence no points. */
static void emitPlanes(job *j) {
  const body *a = &j->bodies[0], *b = &j->bodies[1];
  const brinkGjkLimits limits = limitsOf(j);
  brinkSeparation s;
  brinkGjk(&a->shape->piece, &a->pose, &b->shape->piece, &b->pose, &limits, NULL, &s);
  if (!(s.lower > -HUGE_VAL)) return;
  double separation = brinkDot(s.normal, brinkSub(s.pointB, s.pointA));
  if (separation > j->margin) return;
  piecePair pair = {.piece = {&a->shape->piece, &b->shape->piece}};
  brinkVec3 x = brinkMulAdd(s.pointA, -pair.piece[0]->radius, s.normal);
  brinkVec3 y = brinkMulAdd(s.pointB, pair.piece[1]->radius, s.normal);
  emit(j, &pair, x, y, s.normal, separation, 0);
}

static void emitAgainstPlane(job *j, int planeSide, const brinkPiece *piece, uint32_t baseKey) {
  const body *planeBody = &j->bodies[planeSide], *other = &j->bodies[1 - planeSide];
  const brinkPiece *plane = &planeBody->shape->piece;
  brinkVec3 up = brinkNormalizeOr(brinkMulMV(&planeBody->pose.r, plane->normal), brinkV3(0, 0, 1));
  double offset = plane->offset + brinkDot(up, planeBody->pose.p), radii = plane->radius + piece->radius;
  brinkVec3 n = planeSide ? brinkNeg(up) : up;
  piecePair pair = {.piece = {planeSide ? piece : plane, planeSide ? plane : piece}, .key = baseKey};
  uint32_t count = piece->kind == brink_pieceBox ? 8 : piece->kind == brink_pieceCylinder ? 18 : piece->count;
  feature below = {.count = 0};
  if (piece->kind == brink_pieceSupport) {
    supportingFeature(piece, &other->pose, brinkNeg(up), &below);
    count = below.count;
  }
  brinkVec3 d = brinkTMulMV(&other->pose.r, up);
  double radial = sqrt(d.x * d.x + d.y * d.y);
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 local;
    if (piece->kind == brink_pieceCylinder) { /* eighths of both rims, and their lowest points */
      double z = (i & 1u) ? piece->half.z : -piece->half.z;
      if (i < 16)
        local = rimPoint(piece, eighths[i >> 1][0], eighths[i >> 1][1], z);
      else if (radial > 1e-3)
        local = rimPoint(piece, -d.x / radial, -d.y / radial, z);
      else
        continue;
    } else {
      local = brinkPiece_Vertex(piece, i);
    }
    brinkVec3 y = below.count > 0 ? below.v[i] : brinkApply(&other->pose, local);
    double height = brinkDot(up, y) - offset;
    if (!(height - radii <= j->margin)) continue;
    brinkVec3 x = brinkMulAdd(y, -height, up);
    uint32_t key = piece->kind == brink_piecePoints ? idOf(piece, i) : below.count > 0 ? below.id[i] : i;
    emit(j, &pair, planeSide ? y : x, planeSide ? x : y, n, height - radii, key);
  }
}

/* ---- triangles that are crossed */

static bool trianglePlane(const brinkPiece *piece, const brinkRigid *pose, brinkVec3 towards, feature *out) {
  if (piece->kind != brink_piecePoints || piece->count != 3) return false;
  for (uint32_t i = 0; i < 3; ++i) {
    out->v[i] = placedVertex(piece, pose, i);
    out->id[i] = idOf(piece, i);
  }
  out->count = 3;
  out->tilt = 0.0;
  brinkVec3 normal = brinkCross(brinkSub(out->v[1], out->v[0]), brinkSub(out->v[2], out->v[0]));
  out->normal = brinkNormalizeOr(normal, brinkV3(0, 0, 0));
  if (brinkLengthSquared(out->normal) == 0.0) return false;
  if (brinkDot(out->normal, brinkSub(towards, out->v[0])) < 0.0) { /* turn it: normal and order of the corners */
    out->normal = brinkNeg(out->normal);
    brinkVec3 v = out->v[1];
    out->v[1] = out->v[2];
    out->v[2] = v;
    uint32_t id = out->id[1];
    out->id[1] = out->id[2];
    out->id[2] = id;
  }
  return true;
}

/* How far what stands above triangle `side` reaches through it: least height, <= 0; clipped part in c. */
static bool reachThrough(const job *j, const piecePair *pair, int side, feature *face, clipped *c, double *reach) {
  const body *self = &j->bodies[side], *other = &j->bodies[1 - side];
  if (!trianglePlane(pair->piece[side], &self->pose, other->center, face)) return false;
  feature seen;
  const brinkPiece *piece = pair->piece[1 - side];
  if (!trianglePlane(piece, &other->pose, self->center, &seen))
    supportingFeature(piece, &other->pose, brinkNeg(face->normal), &seen);
  clipInPrism(face, face->normal, &seen, 1e-9 * j->extent, c);
  *reach = INFINITY;
  for (uint32_t i = 0; i < c->count; ++i) *reach = fmin(*reach, brinkDot(face->normal, brinkSub(c->v[i], face->v[0])));
  return true;
}

/* Does n leave triangle `piece` of body `side` away from the other body? Only asked of bodies that are not dwarfs
 * beside the other: a mountain has no side of a pebble's triangle. */
static bool pointsInside(const job *j, int side, const brinkPiece *piece, brinkVec3 outward) {
  feature face;
  const body *self = &j->bodies[side], *other = &j->bodies[1 - side];
  if (other->size > SAME_RANK * self->size) return false;
  if (!trianglePlane(piece, &self->pose, other->center, &face)) return false;
  return brinkDot(outward, face.normal) < -0.1;
}

/* A triangle of a small body that has sunk a little into a large one that is no mesh: the large one's face pushes it
 * out, not the plane of one of its own walls. */
static bool isPebbleOfPiece(const job *j) {
  int mesh = j->bodies[0].shape->tree ? 0 : 1;
  return !j->bodies[1 - mesh].shape->tree && j->bodies[1 - mesh].size > SAME_RANK * j->bodies[mesh].size;
}

static void emitCrossing(job *j, piecePair *pair, brinkSeparation *s) {
  if (isPebbleOfPiece(j)) {
    brinkEpa(pair->piece[0], &j->bodies[0].pose, pair->piece[1], &j->bodies[1].pose, s);
    emitConvexPair(j, pair, s);
    return;
  }
  feature face[2];
  clipped c[2];
  double reach[2] = {-INFINITY, -INFINITY};
  bool usable[2] = {false, false};
  for (int side = 0; side < 2; ++side)
    if (j->bodies[side].shape->tree) usable[side] = reachThrough(j, pair, side, &face[side], &c[side], &reach[side]);
  double radii = pair->piece[0]->radius + pair->piece[1]->radius;
  int side = usable[0] && (!usable[1] || !(reach[1] > reach[0])) ? 0 : 1;
  bool sure = usable[side]; /* the plane chosen has the bodies on its two sides */
  if (usable[0] && usable[1]) {
    bool facing[2];
    for (int k = 0; k < 2; ++k)
      facing[k] =
          brinkDot(face[k].normal, brinkSub(j->bodies[k].center, face[k].v[0])) < -SAME_PLACE * j->bodies[k].size;
    if (isinf(reach[side]) && !isinf(reach[1 - side]))
      side = 1 - side;
    else if (facing[0] != facing[1])
      side = facing[0] ? 0 : 1; /* its own body is behind it, the other before it */
    /* the centre of a mountain does not tell the sides of a pebble's triangles */
    bool rank[2] = {j->bodies[0].size > SAME_RANK * j->bodies[1].size,
                    j->bodies[1].size > SAME_RANK * j->bodies[0].size};
    if (rank[0] || rank[1])
      side = rank[0] ? 0 : 1;
    else if (brinkDot(face[0].normal, face[1].normal) > 1.0 - 1e-6)
      return; /* flush walls, one above the other: both bodies on one side of them, nothing to push */
    sure = rank[0] || rank[1] || facing[side];
  }
  if (sure) {
    pair->sides[0].kind = pair->sides[1].kind = 0; /* walls in one line touch, sunk as they are: no cone tells that */
    j->crossed |= isfinite(reach[side]) && reach[side] - radii < -1e-9 * j->extent;
    j->sure = true;
  }
  pair->unsure = !sure;
  if (!usable[side]) { /* segments and points against each other: only the nearest direction is left */
    emitConvexPair(j, pair, s);
    return;
  }
  brinkVec3 up = face[side].normal, n = side ? brinkNeg(up) : up;
  bool any = false;
  for (uint32_t i = 0; i < c[side].count; ++i) {
    double height = brinkDot(up, brinkSub(c[side].v[i], face[side].v[0]));
    if (!(height - radii <= j->margin)) continue;
    brinkVec3 foot = brinkMulAdd(c[side].v[i], -height, up);
    any |= height - radii <= 0.0;
    double separation = fmax(height - radii, -j->depthLimit);
    emit(j, pair, side ? c[side].v[i] : foot, side ? foot : c[side].v[i], n, separation,
         mix(5u + (uint32_t)side, c[side].key[i]));
  }
  if (any) return;
  /* the part over the triangle is not the piece's lowest feature: push by the least depth, which is never too much */
  brinkEpa(pair->piece[0], &j->bodies[0].pose, pair->piece[1], &j->bodies[1].pose, s);
  double depth = fmax(fmin(0.0, s->lower), -j->depthLimit);
  brinkVec3 middle = brinkScale(brinkAdd(s->pointA, s->pointB), 0.5);
  emit(j, pair, brinkMulAdd(middle, -pair->piece[0]->radius, n), brinkMulAdd(middle, pair->piece[1]->radius, n), n,
       depth, 7u);
}

/* ---- meshes */

static brinkStatus touch(job *j, int side, uint32_t triangle) {
  brinkManifoldScratch *scratch = j->scratch;
  uint64_t bit = (uint64_t)1 << (triangle & 63u);
  if (scratch->marks[side][triangle >> 6] & bit) return brink_ok;
  brinkStatus status = brinkReserve(j->context, (void **)&scratch->touched[side], &scratch->touchedCapacity[side],
                                    scratch->touchedCount[side] + 1, sizeof *scratch->touched[side]);
  if (status != brink_ok) return status;
  scratch->marks[side][triangle >> 6] |= bit;
  scratch->touched[side][scratch->touchedCount[side]++] = triangle;
  return brink_ok;
}

static carrier carrierOf(uint32_t kind, const uint32_t vertices[3]) {
  return (carrier){kind, {vertices[0], vertices[kind > 1 ? 1 : 0], vertices[kind > 2 ? 2 : 0]}};
}

/* A placed triangle; which of its corners carry the witness, as bits. */
typedef struct corners {
  brinkVec3 v[3];
  uint32_t id[3], carries;
} corners;

static corners cornersOf(const piecePair *pair, const brinkRigid *pose, int side) {
  corners out = {.carries = 0};
  for (uint32_t i = 0; i < 3; ++i) {
    out.v[i] = placedVertex(pair->piece[side], pose, i);
    out.id[i] = idOf(pair->piece[side], i);
    for (uint32_t k = 0; k < pair->sides[side].kind; ++k)
      out.carries |= (out.id[i] == pair->sides[side].vertex[k] ? 1u : 0u) << i;
  }
  return out;
}

/* An edge against an edge, each of which goes on as a line. Edge i leads from corner i to the next. */
static void emitBeyondEdges(job *j, piecePair pair, const corners t[2], uint32_t i, uint32_t k, brinkVec3 towards) {
  const uint32_t first[2] = {i, k};
  brinkVec3 at[2], way[2], third[2];
  for (int side = 0; side < 2; ++side) {
    const corners *c = &t[side];
    const uint32_t next = (first[side] + 1) % 3;
    at[side] = c->v[first[side]];
    way[side] = brinkSub(c->v[next], at[side]);
    third[side] = brinkSub(c->v[(first[side] + 2) % 3], at[side]);
    pair.bends[side] = pair.sides[side];
    if (pair.sides[side].kind == 2) pair.bends[side].kind = 0; /* it lies on the edge */
    pair.sides[side] = carrierOf(2, (const uint32_t[3]){c->id[first[side]], c->id[next]});
  }
  brinkVec3 n = brinkCross(way[0], way[1]), between = brinkSub(at[1], at[0]);
  const double square = brinkLengthSquared(n), size = sqrt(square);
  if (!(size > PARALLEL_EDGES * brinkLength(way[0]) * brinkLength(way[1]))) return;
  const double s = brinkDot(brinkCross(between, way[1]), n) / square,
               u = brinkDot(brinkCross(between, way[0]), n) / square;
  n = brinkScale(n, (brinkDot(n, towards) < 0.0 ? -1.0 : 1.0) / size);
  if (brinkDot(n, third[0]) > NORMAL_CONE * brinkLength(third[0]) ||
      brinkDot(n, third[1]) < -NORMAL_CONE * brinkLength(third[1]))
    return;
  const double gap = brinkDot(n, between);
  if (gap > 0.0)
    emit(j, &pair, brinkMulAdd(at[0], s, way[0]), brinkMulAdd(at[1], u, way[1]), n,
         gap - pair.piece[0]->radius - pair.piece[1]->radius, mix(mix(8u, t[0].id[i]), t[1].id[k]));
}

/* A corner against a face that goes on as a plane. */
static void emitBeyondFace(job *j, piecePair pair, const corners t[2], int faceSide, uint32_t corner,
                           brinkVec3 towards) {
  const corners *face = &t[faceSide], *other = &t[1 - faceSide];
  brinkVec3 n = brinkCross(brinkSub(face->v[1], face->v[0]), brinkSub(face->v[2], face->v[0]));
  n = brinkNormalizeOr(brinkDot(n, towards) < 0.0 ? brinkNeg(n) : n, brinkV3(0, 0, 0));
  brinkVec3 up = faceSide ? brinkNeg(n) : n, x = other->v[corner];
  const double gap = brinkDot(up, brinkSub(x, face->v[0]));
  for (uint32_t i = 1; i < 3; ++i) {
    brinkVec3 into = brinkSub(other->v[(corner + i) % 3], x);
    if (brinkDot(up, into) < -NORMAL_CONE * brinkLength(into)) return;
  }
  if (!(gap > 0.0)) return;
  pair.bends[faceSide] = pair.sides[faceSide];
  pair.sides[faceSide] = carrierOf(3, face->id);
  brinkVec3 foot = brinkMulAdd(x, -gap, up);
  emit(j, &pair, faceSide ? x : foot, faceSide ? foot : x, n, gap - pair.piece[0]->radius - pair.piece[1]->radius,
       mix(mix(9u + (uint32_t)faceSide, face->id[0]), other->id[corner]));
}

/* Two triangles that are nearest at a corner. In a hollow, as where two links hang in each other, what slides along one
 * feature meets the next one, which faces another way: it can go no farther than to where the next one, straight on,
 * would be. A solver that is told of the nearest place alone is stopped at each feature anew. isHollow tells those
 * apart from ridges. */
static void emitBeyond(job *j, const piecePair *of, const brinkSeparation *s) {
  const uint32_t kindA = of->sides[0].kind, kindB = of->sides[1].kind;
  if (kindA == 0 || kindB == 0 || kindA + kindB > 3 || of->piece[0]->count != 3 || of->piece[1]->count != 3 ||
      j->scratch->poolCount >= POOL_KEPT) /* broad already */
    return;
  piecePair pair = *of;
  pair.beyond = true;
  pair.from = brinkScale(brinkAdd(s->pointA, s->pointB), 0.5);
  const corners t[2] = {cornersOf(of, &j->bodies[0].pose, 0), cornersOf(of, &j->bodies[1].pose, 1)};
  for (uint32_t i = 0; i < 3; ++i)
    for (uint32_t k = 0; k < 3; ++k) {
      const uint32_t edgeA = 1u << i | 1u << (i + 1) % 3, edgeB = 1u << k | 1u << (k + 1) % 3;
      if ((edgeA & t[0].carries) == t[0].carries && (edgeB & t[1].carries) == t[1].carries)
        emitBeyondEdges(j, pair, t, i, k, s->normal);
    }
  for (uint32_t i = 0; i < 3; ++i) {
    if (kindA == 1 && t[0].carries == 1u << i) emitBeyondFace(j, pair, t, 1, i, s->normal);
    if (kindB == 1 && t[1].carries == 1u << i) emitBeyondFace(j, pair, t, 0, i, s->normal);
  }
}

static brinkStatus emitMeshPair(job *j, const brinkPiece *a, uint32_t idA, const brinkPiece *b, uint32_t idB) {
  const brinkGjkLimits limits = limitsOf(j);
  brinkSeparation s;
  brinkGjk(a, &j->bodies[0].pose, b, &j->bodies[1].pose, &limits, NULL, &s);
  if (s.lower > j->margin) return brink_ok;
  piecePair pair = {.piece = {a, b}, .key = mix(mix(0u, idA), idB)};
  const uint32_t ids[2] = {idA, idB};
  for (int side = 0; side < 2; ++side)
    if (j->bodies[side].shape->tree) {
      brinkStatus status = touch(j, side, ids[side]);
      if (status != brink_ok) return status;
    }
  double radii = a->radius + b->radius;
  double rounding = brinkPairRounding(a, &j->bodies[0].pose, b, &j->bodies[1].pose);
  bool meet = s.overlap && s.lower + radii <= rounding, pierced = meet && s.lower + radii < -4.0 * rounding;
  j->met |= meet;
  j->crossed |= pierced;
  if (!pierced) {
    uint32_t kindA, kindB, verticesA[3], verticesB[3];
    brinkWitnessFeatures(a, b, &s, &kindA, verticesA, &kindB, verticesB);
    if (j->bodies[0].shape->tree) pair.sides[0] = carrierOf(kindA, verticesA);
    if (j->bodies[1].shape->tree) pair.sides[1] = carrierOf(kindB, verticesB);
  }
  if (meet) {
    emitCrossing(j, &pair, &s);
    return brink_ok;
  }
  for (int side = 0; side < 2; ++side)
    if (j->bodies[side].shape->tree)
      pair.inside |= pointsInside(j, side, pair.piece[side], side ? brinkNeg(s.normal) : s.normal);
  emitConvexPair(j, &pair, &s);
  emitBeyond(j, &pair, &s);
  return brink_ok;
}

static brinkObb placedBox(const brinkObb *box, const brinkRigid *pose) {
  return (brinkObb){brinkApply(pose, box->center), brinkMulMM(&pose->r, &box->axes), box->half};
}

static brinkVec3 boxAxis(const brinkObb *box, int i) {
  return brinkV3(box->axes.m[0][i], box->axes.m[1][i], box->axes.m[2][i]);
}

static double boxReach(const brinkObb *box, brinkVec3 d) {
  return fabs(brinkDot(d, boxAxis(box, 0))) * box->half.x + fabs(brinkDot(d, boxAxis(box, 1))) * box->half.y +
         fabs(brinkDot(d, boxAxis(box, 2))) * box->half.z;
}

/* Can the boxes be within `slack`? Fifteen axes, seen from A: faces of A, of B, edges against edges. An edge's axis is
 * no longer than 1: the whole slack counts there. BOX_ROUNDING: of edges that are parallel, which say nothing. */
static bool boxesNear(const brinkObb *a, const brinkObb *b, double slack) {
  const brinkVec3 between = brinkTMulMV(&a->axes, brinkSub(b->center, a->center));
  const brinkMat3 turn = brinkTMulMM(&a->axes, &b->axes);
  const double t[3] = {between.x, between.y, between.z}, halfA[3] = {a->half.x, a->half.y, a->half.z},
               halfB[3] = {b->half.x, b->half.y, b->half.z};
  double size[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) size[i][k] = fabs(turn.m[i][k]) + BOX_ROUNDING;
  for (int i = 0; i < 3; ++i) {
    const double reach = halfA[i] + size[i][0] * halfB[0] + size[i][1] * halfB[1] + size[i][2] * halfB[2];
    if (fabs(t[i]) > reach + slack) return false;
  }
  for (int k = 0; k < 3; ++k) {
    const double along = t[0] * turn.m[0][k] + t[1] * turn.m[1][k] + t[2] * turn.m[2][k];
    const double reach = halfB[k] + size[0][k] * halfA[0] + size[1][k] * halfA[1] + size[2][k] * halfA[2];
    if (fabs(along) > reach + slack) return false;
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      const double along = t[i2] * turn.m[i1][k] - t[i1] * turn.m[i2][k];
      const double reach =
          halfA[i1] * size[i2][k] + halfA[i2] * size[i1][k] + halfB[k1] * size[i][k2] + halfB[k2] * size[i][k1];
      if (fabs(along) > reach + slack) return false;
    }
  }
  return true;
}

static bool boxNearBounds(const brinkObb *box, brinkVec3 lower, brinkVec3 upper, double slack) {
  brinkObb bounds = {brinkScale(brinkAdd(lower, upper), 0.5), brinkIdentity3(),
                     brinkScale(brinkSub(upper, lower), 0.5)};
  return boxesNear(box, &bounds, slack);
}

/* Triangles of a leaf within slack of the other's box (NULL: all), as pieces with their bounds. */
static brinkStatus gatherLeaf(job *j, int side, const brinkHullBox *node, const brinkObb *other, double slack,
                              size_t *count) {
  brinkManifoldScratch *scratch = j->scratch;
  const body *self = &j->bodies[side];
  brinkStatus status = brinkReserve(j->context, (void **)&scratch->leaf[side], &scratch->leafCapacity[side],
                                    node->triangleCount, sizeof *scratch->leaf[side]);
  if (status != brink_ok) return status;
  *count = 0;
  for (uint32_t i = 0; i < node->triangleCount; ++i) {
    nearTriangle *t = &scratch->leaf[side][*count];
    t->piece = brinkHullTree_Triangle(self->shape->tree, node->firstTriangle + i, &t->room, &t->id);
    t->piece.radius = self->shape->piece.radius;
    t->lower = t->upper = placedVertex(&t->piece, &self->pose, 0);
    for (uint32_t k = 1; k < t->piece.count; ++k) {
      brinkVec3 v = placedVertex(&t->piece, &self->pose, k);
      t->lower = brinkMinV3(t->lower, v);
      t->upper = brinkMaxV3(t->upper, v);
    }
    if (!other || boxNearBounds(other, t->lower, t->upper, slack)) ++*count;
  }
  return brink_ok;
}

static bool boundsNear(const nearTriangle *p, const nearTriangle *q, double slack) {
  return p->lower.x - slack <= q->upper.x && q->lower.x - slack <= p->upper.x && p->lower.y - slack <= q->upper.y &&
         q->lower.y - slack <= p->upper.y && p->lower.z - slack <= q->upper.z && q->lower.z - slack <= p->upper.z;
}

static brinkStatus emitLeaves(job *j, const brinkHullBox *nodeA, const brinkObb *boxA, const brinkHullBox *nodeB,
                              const brinkObb *boxB, double slack) {
  size_t countA, countB;
  brinkStatus status = gatherLeaf(j, 0, nodeA, boxB, slack, &countA);
  if (status == brink_ok) status = gatherLeaf(j, 1, nodeB, boxA, slack, &countB);
  for (size_t i = 0; status == brink_ok && i < countA; ++i)
    for (size_t k = 0; status == brink_ok && k < countB; ++k) {
      const nearTriangle *p = &j->scratch->leaf[0][i], *q = &j->scratch->leaf[1][k];
      if (boundsNear(p, q, slack)) status = emitMeshPair(j, &p->piece, p->id, &q->piece, q->id);
    }
  return status;
}

static brinkStatus push(job *j, size_t *depth, uint32_t a, uint32_t b) {
  brinkManifoldScratch *scratch = j->scratch;
  brinkStatus status =
      brinkReserve(j->context, (void **)&scratch->stack, &scratch->stackCapacity, *depth + 1, sizeof *scratch->stack);
  if (status == brink_ok) scratch->stack[(*depth)++] = (nodePair){a, b};
  return status;
}

static double slackOf(const job *j) {
  return j->margin + j->bodies[0].shape->piece.radius + j->bodies[1].shape->piece.radius + 1e-9 * j->extent;
}

static double volumeOf(const brinkObb *box) {
  return brinkLengthSquared(box->half); /* a diagonal: flat boxes have size too */
}

static brinkStatus meshAgainstMesh(job *j) {
  const brinkHullTree *trees[2] = {j->bodies[0].shape->tree, j->bodies[1].shape->tree};
  double slack = slackOf(j);
  size_t depth = 0;
  brinkStatus status = push(j, &depth, 0, 0);
  while (status == brink_ok && depth > 0) {
    nodePair at = j->scratch->stack[--depth];
    brinkHullBox nodeA, nodeB;
    brinkHullTree_BoxAt(trees[0], at.a, &nodeA);
    brinkHullTree_BoxAt(trees[1], at.b, &nodeB);
    brinkObb boxA = placedBox(&nodeA.obb, &j->bodies[0].pose), boxB = placedBox(&nodeB.obb, &j->bodies[1].pose);
    if (!boxesNear(&boxA, &boxB, slack)) continue;
    bool leafA = nodeA.left < 0, leafB = nodeB.left < 0;
    if (leafA && leafB) {
      status = emitLeaves(j, &nodeA, &boxA, &nodeB, &boxB, slack);
    } else if (leafB || (!leafA && volumeOf(&boxA) >= volumeOf(&boxB))) {
      status = push(j, &depth, (uint32_t)nodeA.right, at.b);
      if (status == brink_ok) status = push(j, &depth, (uint32_t)nodeA.left, at.b);
    } else {
      status = push(j, &depth, at.a, (uint32_t)nodeB.right);
      if (status == brink_ok) status = push(j, &depth, at.a, (uint32_t)nodeB.left);
    }
  }
  return status;
}

typedef struct visitor {
  job *j;
  brinkStatus status;
} visitor;

static bool visitPair(void *user, uint32_t slotA, uint32_t slotB, double *reach) {
  visitor *v = user;
  const uint32_t slots[2] = {slotA, slotB};
  brinkTriangleRoom room[2];
  brinkPiece piece[2];
  uint32_t id[2];
  (void)reach;
  for (int side = 0; side < 2; ++side) {
    const brinkShape *shape = v->j->bodies[side].shape;
    piece[side] = shape->piece;
    id[side] = 0;
    if (shape->tree == NULL) continue;
    const brinkObbTriangle *record = &shape->obbTree->triangles[slots[side]];
    piece[side] = brinkHullTree_TriangleOf(shape->tree, record, &room[side]);
    piece[side].radius = shape->piece.radius;
    id[side] = record->slot;
  }
  v->status = emitMeshPair(v->j, &piece[0], id[0], &piece[1], id[1]);
  return v->status == brink_ok;
}

/* Eight boxes at a time, where meshes have such trees and the other piece, if it is one, ends somewhere. */
static brinkStatus visitNear(job *j, bool *served) {
  const brinkMotionTree still = {0};
  const brinkAdvanceInput at = {.tree = &still,
                                .a = {j->bodies[0].shape, j->bodies[0].pose, -1},
                                .b = {j->bodies[1].shape, j->bodies[1].pose, -1},
                                .tolerance = 1.0};
  visitor v = {j, brink_ok};
  *served = false;
  brinkStatus status = brinkSweptAxisNear(j->scratch->swept, &at, j->margin + 1e-9 * j->extent, visitPair, &v, served);
  return status == brink_ok ? v.status : status;
}

/* Mesh on side `side`, one piece (half-spaces too) on the other. */
static brinkStatus meshAgainstPiece(job *j, int side) {
  const body *self = &j->bodies[side], *other = &j->bodies[1 - side];
  const brinkPiece *piece = &other->shape->piece;
  bool plane = piece->kind == brink_pieceHalfSpace;
  brinkObb target = placedBox(&other->shape->obb, &other->pose);
  brinkVec3 up = {0, 0, 1};
  double offset = 0.0, slack = slackOf(j);
  if (plane) {
    up = brinkNormalizeOr(brinkMulMV(&other->pose.r, piece->normal), up);
    offset = piece->offset + brinkDot(up, other->pose.p);
  }
  size_t depth = 0;
  brinkStatus status = push(j, &depth, 0, 0);
  while (status == brink_ok && depth > 0) {
    nodePair at = j->scratch->stack[--depth];
    brinkHullBox node;
    brinkHullTree_BoxAt(self->shape->tree, at.a, &node);
    brinkObb box = placedBox(&node.obb, &self->pose);
    if (plane ? brinkDot(up, box.center) - boxReach(&box, up) - offset > slack : !boxesNear(&box, &target, slack))
      continue;
    if (node.left >= 0) {
      status = push(j, &depth, (uint32_t)node.right, 0);
      if (status == brink_ok) status = push(j, &depth, (uint32_t)node.left, 0);
      continue;
    }
    size_t count;
    status = gatherLeaf(j, side, &node, plane ? NULL : &target, slack, &count);
    for (size_t i = 0; status == brink_ok && i < count; ++i) {
      const nearTriangle *t = &j->scratch->leaf[side][i];
      if (plane)
        emitAgainstPlane(j, 1 - side, &t->piece, 0);
      else if (side)
        status = emitMeshPair(j, piece, 0, &t->piece, t->id);
      else
        status = emitMeshPair(j, &t->piece, t->id, piece, 0);
    }
  }
  return status;
}

static bool samePlaceExactly(const double *p, const double *q) { return p[0] == q[0] && p[1] == q[1] && p[2] == q[2]; }

/* Does a triangle share all of a carrier? By coordinates: meshes that repeat their vertices have neighbours too. */
static bool sharesCarrier(const brinkMeshView *mesh, const uint32_t *corner, const carrier *on) {
  bool all = true;
  for (uint32_t e = 0; all && e < on->kind; ++e) {
    const double *end = mesh->vertices + 3 * (size_t)on->vertex[e];
    all = false;
    for (int k = 0; !all && k < 3; ++k) all = samePlaceExactly(mesh->vertices + 3 * (size_t)corner[k], end);
  }
  return all;
}

/* Does a touched triangle that shares the carrier come nearer than the carrier does? */
static bool isGhost(const job *j, const candidate *c) {
  for (int side = 0; side < 2; ++side) {
    const carrier *on = &c->sides[side];
    if (on->kind != 1 && on->kind != 2) continue;
    const body *self = &j->bodies[side];
    brinkMeshView mesh = brinkHullTree_Mesh(self->shape->tree);
    brinkVec3 outward = brinkTMulMV(&self->pose.r, side ? brinkNeg(c->normal) : c->normal);
    const double *ends[2] = {mesh.vertices + 3 * (size_t)on->vertex[0], mesh.vertices + 3 * (size_t)on->vertex[1]};
    for (size_t i = 0; i < j->scratch->touchedCount[side]; ++i) {
      const uint32_t *corner = mesh.indices + 3 * (size_t)j->scratch->touched[side][i];
      if (!sharesCarrier(&mesh, corner, on)) continue;
      if (on->kind == 2) { /* the cone of an edge is square to it */
        brinkVec3 edge = brinkSub(brinkV3_FromArray(ends[1]), brinkV3_FromArray(ends[0]));
        if (fabs(brinkDot(outward, edge)) > NORMAL_CONE * brinkLength(edge)) return true;
      }
      for (int k = 0; k < 3; ++k) {
        const double *at = mesh.vertices + 3 * (size_t)corner[k];
        if (samePlaceExactly(at, ends[0]) || samePlaceExactly(at, ends[1])) continue; /* only rounding leads off it */
        brinkVec3 into = brinkSub(brinkV3_FromArray(at), brinkV3_FromArray(ends[0]));
        if (on->kind == 2) { /* from the edge's line */
          brinkVec3 edge =
              brinkNormalizeOr(brinkSub(brinkV3_FromArray(ends[1]), brinkV3_FromArray(ends[0])), brinkV3(0, 0, 0));
          into = brinkMulAdd(into, -brinkDot(into, edge), edge);
        }
        if (brinkDot(outward, into) > NORMAL_CONE * brinkLength(into)) return true;
      }
    }
  }
  return false;
}

/* Where the features of a candidate end, does the surface come nearer to the other body than they would if they went
 * on, on the side on which they would meet? */
static bool isHollow(const job *j, const candidate *c) {
  for (int side = 0; side < 2; ++side) {
    const carrier *bend = &c->bends[side];
    if (bend->kind == 0) continue;
    const body *self = &j->bodies[side];
    brinkMeshView mesh = brinkHullTree_Mesh(self->shape->tree);
    brinkVec3 outward = side ? brinkNeg(c->normal) : c->normal, to = brinkSub(c->position, c->from);
    to = brinkMulAdd(to, -brinkDot(to, outward), outward);
    const brinkVec3 end = brinkV3_FromArray(mesh.vertices + 3 * (size_t)bend->vertex[0]);
    bool rises = false;
    for (size_t i = 0; !rises && i < j->scratch->touchedCount[side]; ++i) {
      const uint32_t *corner = mesh.indices + 3 * (size_t)j->scratch->touched[side][i];
      const bool shares = sharesCarrier(&mesh, corner, bend);
      for (int k = 0; shares && k < 3; ++k) {
        brinkVec3 into =
            brinkMulMV(&self->pose.r, brinkSub(brinkV3_FromArray(mesh.vertices + 3 * (size_t)corner[k]), end));
        rises = rises || (brinkDot(outward, into) > NORMAL_CONE * brinkLength(into) && brinkDot(to, into) > 0.0);
      }
    }
    if (!rises) return false;
  }
  return true;
}

/* By how much the surface of one side faces the other body at a candidate: > 0 with its winding, < 0 against it. The
 * sum over the triangles around the carrier is that of the pseudonormal, whose sign tells outside from inside
 * (Baerentzen and Aanaes 2005). */
static double facing(const job *j, int side, const candidate *c) {
  const carrier *on = &c->sides[side];
  const brinkMeshView mesh = brinkHullTree_Mesh(j->bodies[side].shape->tree);
  const brinkVec3 outward = brinkTMulMV(&j->bodies[side].pose.r, side ? brinkNeg(c->normal) : c->normal);
  double sum = 0.0;
  for (size_t i = 0; on->kind > 0 && i < j->scratch->touchedCount[side]; ++i) {
    const uint32_t *corner = mesh.indices + 3 * (size_t)j->scratch->touched[side][i];
    if (!sharesCarrier(&mesh, corner, on)) continue;
    brinkVec3 v[3], edges[2];
    int at = 0; /* the corner that is the carrier, of a vertex */
    for (int k = 0; k < 3; ++k) {
      v[k] = brinkV3_FromArray(mesh.vertices + 3 * (size_t)corner[k]);
      if (samePlaceExactly(&v[k].x, mesh.vertices + 3 * (size_t)on->vertex[0])) at = k;
    }
    for (int k = 0; k < 2; ++k) edges[k] = brinkSub(v[(at + 1 + k) % 3], v[at]);
    const brinkVec3 across = brinkCross(edges[0], edges[1]);
    const double twice = brinkLength(across);
    const double weight = on->kind == 1 ? atan2(twice, brinkDot(edges[0], edges[1])) : 1.0;
    if (twice > 0.0) sum += weight * brinkDot(across, outward) / twice;
  }
  return sum;
}

/* ---- the whole pair */

/* While no surfaces meet, the nearest place of all is no artefact: nothing nearer can explain it. */
static bool isBad(const job *j, const candidate *c) {
  if (c->beyond) return false; /* see dropRidges */
  if (!j->met && c->separation <= j->nearest) return false;
  return (j->crossed && c->inside) || (j->sure && c->unsure) || (j->meshes && isGhost(j, c));
}

/* Is there a candidate before it, of the first `count`, that says the same? While no surfaces meet nobody asks from
 * which side. */
static bool isToldTwice(const job *j, uint32_t count, const candidate *c) {
  const double same = 1e-9 * j->extent;
  for (uint32_t i = 0; i < count; ++i) {
    const candidate *p = &j->scratch->pool[i];
    if (fabs(p->separation - c->separation) <= same && brinkDistance(p->position, c->position) <= same &&
        brinkDot(p->normal, c->normal) > 1.0 - 1e-9)
      return true;
  }
  return false;
}

/* Two meshes that are apart: what goes on in a ridge holds nothing, and what faces away is met by nobody. Both faces of
 * a plate end at its edge, and seen from within the plate that is a hollow. Which side of a winding faces the other
 * body the nearest candidate tells. Once surfaces meet, crossings say more than what goes on. */
static void dropRidges(job *j) {
  brinkManifoldScratch *scratch = j->scratch;
  const bool few = !j->met && scratch->poolCount <= POOL_KEPT && j->bodies[0].shape->tree && j->bodies[1].shape->tree;
  double front[2] = {0.0, 0.0};
  uint32_t kept = 0, nearest = scratch->poolCount;
  bool goesOn = false;
  for (uint32_t i = 0; i < scratch->poolCount; ++i) {
    const candidate *c = &scratch->pool[i];
    goesOn = goesOn || c->beyond;
    if (!c->beyond && (nearest == scratch->poolCount || c->separation < scratch->pool[nearest].separation)) nearest = i;
  }
  for (int side = 0; goesOn && !j->met && nearest < scratch->poolCount && side < 2; ++side)
    front[side] = facing(j, side, &scratch->pool[nearest]);
  for (uint32_t i = 0; i < scratch->poolCount; ++i) {
    const candidate *c = &scratch->pool[i];
    if (c->beyond && (j->met || isGhost(j, c) || front[0] * facing(j, 0, c) < 0.0 || front[1] * facing(j, 1, c) < 0.0 ||
                      !isHollow(j, c)))
      continue;
    if (!few || !isToldTwice(j, kept, c)) scratch->pool[kept++] = *c;
  }
  scratch->poolCount = kept;
}

/* Moves up to capacity of the best to the front of the pool. */
static uint32_t choose(job *j, uint32_t capacity) {
  brinkManifoldScratch *scratch = j->scratch;
  if (scratch->poolCount == 0) return 0;
  candidate last = scratch->pool[chooseFirst(j)];
  uint32_t taken = 0;
  while (taken < capacity && taken < scratch->poolCount) {
    uint32_t next = chooseNext(j, taken);
    if (isBad(j, &scratch->pool[next])) {
      scratch->pool[next] = scratch->pool[--scratch->poolCount];
      continue;
    }
    swapToFront(scratch->pool, taken++, next);
    noteTaken(j, taken);
  }
  if (taken > 0) return taken;
  scratch->pool[0] = last; /* all doubtful: one doubtful point is better than a pair that falls through */
  return 1;
}

static void sortByDepth(candidate *pool, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    candidate moving = pool[i];
    uint32_t k = i;
    for (; k > 0 && earlier(&moving, &pool[k - 1]); --k) pool[k] = pool[k - 1];
    pool[k] = moving;
  }
}

static brinkStatus clearMarks(job *j) {
  for (int side = 0; side < 2; ++side) {
    j->scratch->touchedCount[side] = 0;
    const brinkHullTree *tree = j->bodies[side].shape->tree;
    if (!tree) continue;
    size_t words = (brinkHullTree_Mesh(tree).triangleCount + 63) / 64;
    brinkStatus status = brinkReserve(j->context, (void **)&j->scratch->marks[side], &j->scratch->marksCapacity[side],
                                      words, sizeof *j->scratch->marks[side]);
    if (status != brink_ok) return status;
    memset(j->scratch->marks[side], 0, words * sizeof *j->scratch->marks[side]);
  }
  return brink_ok;
}

/* Two closed meshes that bound convex bodies show what their hulls show, while those lie apart: one pair of faces, in a
 * fiftieth of the time that all pairs of triangles take. False: they meet, and only triangles tell. */
static bool emitHulls(job *j) {
  const brinkShape *a = j->bodies[0].shape, *b = j->bodies[1].shape;
  if (!a->tree->convex || !a->tree->closed || !b->tree->convex || !b->tree->closed) return false;
  const brinkGjkLimits limits = limitsOf(j);
  brinkSeparation s;
  brinkGjk(&a->piece, &j->bodies[0].pose, &b->piece, &j->bodies[1].pose, &limits, NULL, &s);
  if (!(s.lower > 0.0)) return false;
  piecePair pair = {.piece = {&a->piece, &b->piece}};
  if (s.lower <= j->margin) emitConvexPair(j, &pair, &s);
  return true;
}

static bool isPlane(const brinkShape *shape) { return shape->piece.kind == brink_pieceHalfSpace; }

static brinkStatus gather(job *j) {
  const brinkShape *a = j->bodies[0].shape, *b = j->bodies[1].shape;
  if (a->tree && b->tree && emitHulls(j)) return brink_ok;
  if (a->tree || b->tree) {
    brinkStatus status = clearMarks(j);
    if (status != brink_ok) return status;
    bool served;
    status = visitNear(j, &served);
    if (status != brink_ok || served) return status;
    return a->tree && b->tree ? meshAgainstMesh(j) : meshAgainstPiece(j, a->tree ? 0 : 1);
  }
  if (isPlane(a) && isPlane(b)) {
    emitPlanes(j);
    return brink_ok;
  }
  if (isPlane(a) || isPlane(b)) {
    emitAgainstPlane(j, isPlane(a) ? 0 : 1, isPlane(a) ? &b->piece : &a->piece, 0);
    return brink_ok;
  }
  const brinkGjkLimits limits = limitsOf(j);
  brinkSeparation s;
  brinkSignedSeparation(&a->piece, &j->bodies[0].pose, &b->piece, &j->bodies[1].pose, &limits, NULL, &s);
  piecePair pair = {.piece = {&a->piece, &b->piece}};
  if (s.lower <= j->margin) emitConvexPair(j, &pair, &s);
  return brink_ok;
}

size_t brinkReduceManifold(brinkManifoldPoint *points, size_t count, size_t capacity) {
  if (count == 0) return 0;
  size_t kept = BRINK_MIN(count, capacity);
  for (size_t taken = 0; count > capacity && taken < kept;
       ++taken) { /* the deepest, then the furthest from all taken */
    size_t best = taken;
    double bestScore = -HUGE_VAL;
    for (size_t i = taken; i < count; ++i) {
      double score = taken == 0 ? -points[i].separation : HUGE_VAL;
      for (size_t k = 0; k < taken; ++k) score = fmin(score, brinkDistance(points[i].position, points[k].position));
      if (!(score > bestScore)) continue;
      bestScore = score;
      best = i;
    }
    brinkManifoldPoint chosen = points[best];
    points[best] = points[taken];
    points[taken] = chosen;
  }
  for (size_t i = 1; i < kept; ++i) { /* deepest first, stable */
    brinkManifoldPoint moving = points[i];
    size_t k = i;
    for (; k > 0 && moving.separation < points[k - 1].separation; --k) points[k] = points[k - 1];
    points[k] = moving;
  }
  return kept;
}

brinkStatus brinkMakeManifold(brinkContext *context, brinkManifoldScratch *scratch, const brinkShape *a,
                              const brinkRigid *placeA, const brinkShape *b, const brinkRigid *placeB, double margin,
                              brinkManifoldPoint *points, size_t capacity, size_t *count) {
  BRINK_ASSERT(capacity >= 1);
  *count = 0;
  /* work about the centre of the smaller body: large worlds lose no digits */
  bool aIsSmaller = isPlane(b) || (!isPlane(a) && a->boundRadius <= b->boundRadius);
  brinkVec3 origin = aIsSmaller ? brinkApply(placeA, a->obb.center) : brinkApply(placeB, b->obb.center);
  job j = {.context = context, .scratch = scratch, .margin = margin, .meshes = a->tree || b->tree};
  const brinkShape *shapes[2] = {a, b};
  const brinkRigid *places[2] = {placeA, placeB};
  for (int side = 0; side < 2; ++side) {
    body *self = &j.bodies[side];
    self->shape = shapes[side];
    self->pose = (brinkRigid){places[side]->r, brinkSub(places[side]->p, origin)};
    self->center = isPlane(shapes[side]) ? brinkV3(0, 0, 0) : brinkApply(&self->pose, shapes[side]->obb.center);
    self->size = isPlane(shapes[side]) ? HUGE_VAL : brinkLength(shapes[side]->obb.half);
  }
  j.extent = fmin(j.bodies[0].size, j.bodies[1].size);
  if (!isfinite(j.extent)) j.extent = 0.0; /* two planes: one point at most */
  j.samePlace = fmax((j.meshes ? SAME_PLACE : 1e-6) * j.extent, DBL_MIN);
  j.depthLimit = DEPTH_MARGINS * margin + SAME_PLACE * j.extent;
  scratch->poolCount = 0;
  clearTable(scratch);
  brinkStatus status = gather(&j);
  if (status != brink_ok) return status;
  dropRidges(&j);
  j.nearest = HUGE_VAL;
  for (uint32_t i = 0; i < scratch->poolCount; ++i)
    if (!scratch->pool[i].beyond) j.nearest = fmin(j.nearest, scratch->pool[i].separation);
  uint32_t taken = choose(&j, (uint32_t)BRINK_MIN(capacity, (size_t)POOL_CAPACITY));
  sortByDepth(scratch->pool, taken);
  for (uint32_t i = 0; i < taken; ++i) {
    const candidate *c = &scratch->pool[i];
    points[i] = (brinkManifoldPoint){brinkAdd(c->position, origin), c->normal, c->separation, c->key};
  }
  *count = taken;
  return brink_ok;
}
