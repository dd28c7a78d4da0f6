/* SPDX-License-Identifier: BSD-3-Clause */
/* The search: time is halved, pairs of nodes are opened or carried along.
 *
 * On each part of the time there are two balls of displacements (one per body and mass distribution). A pair of nodes
 * is proven apart when the balls around them, at the centres, are further apart than R_A sigma_A + R_B sigma_B; it is
 * opened while the nodes are larger than that reach, else it waits for shorter parts. Pairs of polygons are asked
 * feature by feature (fat_features.h); what else a face may be (a convex solid, a polygon with many corners) by the
 * distance of the hulls at the centres. Survivors go on to both halves with the features that are left. A pair is given
 * up as open when R_A sigma_A + R_B sigma_B < tolerance: then the faces come within twice the tolerance (and the
 * clearance) at every pose of that part.
 *
 * Threads: parts of the time are tasks that share nothing but constants; the cut into parts does not depend on threads.
 */
#include "tolerance.h"

#include "gjk.h"

#include <stdlib.h>

#define DEFAULT_TESTS 4000000u
#define DEFAULT_OPEN 100000u
#define NARROWEST 0x1p-40
#define DEEPEST 48 /* more halvings than NARROWEST allows */
/* Where the reach exceeds the faces' sizes by this factor, features tell hardly more than the balls around the faces.
 */
#define COARSE 2.0

/* ---- constants of a body */

typedef struct Side {
  const brinkFaceBody *body;
  const brinkFaceTree *tree;
  bool one; /* one metric for all nodes; else a sphere around each, of a mass that suits the part of the motion */
  brinkObjectMetric metric;
  double *largest;           /* [nodeCount]: sigma over the node, rounded up; one metric only */
  brinkFatPolygon *polygons; /* [nodeCount]: of single faces; count 0: not a polygon that features can be taken of */
} Side;

static void freeSide(brinkContext *context, Side *side) {
  size_t count = side->tree->nodeCount;
  if (side->largest != NULL) brinkRelease(context, side->largest, count * sizeof *side->largest);
  if (side->polygons != NULL) brinkRelease(context, side->polygons, count * sizeof *side->polygons);
}

/* Metric of all vertices, each with weight 1. */
static brinkStatus metricOfVertices(brinkContext *context, const Side *side, brinkObjectMetric *out) {
  const brinkFaceNode *root = &side->tree->nodes[0];
  double *points = brinkAllocate(context, 3 * (size_t)root->vertexCount * sizeof *points);
  if (points == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %u mass points", root->vertexCount);
  for (uint32_t i = 0; i < root->vertexCount; ++i)
    memcpy(&points[3 * i], &side->body->vertices[3 * side->tree->ids[root->vertexStart + i]], 3 * sizeof(double));
  brinkStatus status = brinkMakeObjectMetric(context, points, NULL, root->vertexCount, out);
  brinkRelease(context, points, 3 * (size_t)root->vertexCount * sizeof *points);
  return status;
}

static void makeNode(Side *side, uint32_t index) {
  const brinkFaceNode *node = &side->tree->nodes[index];
  const uint32_t *ids = &side->tree->ids[node->vertexStart];
  for (uint32_t v = 0; v < node->vertexCount && side->one; ++v) {
    double sigma = brinkObjectMetric_Distortion(&side->metric, brinkV3_FromArray(&side->body->vertices[3 * ids[v]]));
    side->largest[index] = fmax(side->largest[index], sigma);
  }
  if (node->left >= 0) return;
  uint32_t face = side->tree->order[node->first], start = side->body->faceStart[face];
  brinkObjectMetric own = brinkMakeSphereMetric(node->center, node->radius);
  if (!brinkMakeFatPolygon(side->body->vertices, &side->body->faceIds[start], side->body->faceStart[face + 1] - start,
                           side->one ? &side->metric : &own, &side->polygons[index]))
    side->polygons[index].count = 0;
}

static brinkStatus makeSide(brinkContext *context, const brinkToleranceInput *input, int k, const brinkFaceTree *tree,
                            Side *out) {
  memset(out, 0, sizeof *out);
  out->body = k == 0 ? input->a : input->b;
  out->tree = tree;
  out->one = input->oneMass;
  if (tree->nodeCount == 0) return brink_ok;
  out->largest = brinkAllocateZeroed(context, tree->nodeCount, sizeof *out->largest);
  out->polygons = brinkAllocateZeroed(context, tree->nodeCount, sizeof *out->polygons);
  if (out->largest == NULL || out->polygons == NULL)
    return brinkFail(context, brink_errorNoMemory, "no memory for the mass distributions of %u nodes", tree->nodeCount);
  const brinkToleranceMass *mass = &input->mass[k];
  brinkStatus status = brink_ok;
  if (out->one && mass->count > 0)
    status = brinkMakeObjectMetric(context, mass->points, mass->weights, mass->count, &out->metric);
  else if (out->one)
    status = metricOfVertices(context, out, &out->metric);
  for (uint32_t i = 0; i < tree->nodeCount && status == brink_ok; ++i) makeNode(out, i);
  return status;
}

/* ---- one part of the time */

typedef struct Pair { /* small: without a hierarchy there are millions */
  uint32_t a, b;
  uint32_t left; /* 1 + index of what is left of its features; 0: all of them */
} Pair;

typedef struct Pairs {
  Pair *items;
  brinkFeaturePairs *features;
  size_t count, capacity, featureCount, featureCapacity;
} Pairs;

typedef struct Level { /* what is known on one part of the time */
  double t0, t1;
  brinkMotionSpan span[2];
  double stretch[2]; /* bound of |G x|/|x| of the centres */
  double radius[2];  /* one metric: of the ball of displacements */
} Level;

typedef struct Fat { /* a node on one part of the time; made when first asked for */
  uint64_t made;     /* the part's number */
  brinkVec3 place;   /* centre of the node at the centre of the ball of displacements */
  brinkVec3 center;  /* a ball that holds the node all the time, but for the reach of its extent: size + grown */
  double size, grown;
  double reach;         /* R sigma: no point of the node is further from where it is at the ball's centre */
  double radius, still; /* R, and 1/m of the metric that it is measured in (0: the polygon's own) */
} Fat;

typedef struct Part {
  brinkContext context; /* of its own: message and count are not shared between threads */
  const brinkToleranceInput *input;
  const Side *side; /* [2] */
  double t0, t1;
  bool witnessOnly;
  brinkStatus status;
  brinkCertifier certifier;
  brinkToleranceCounters counters;
  uint64_t work;
  Pairs stack;
  Pairs waiting[DEEPEST]; /* by halvings of the time: kept, so that memory is asked for once */
  Fat *fat[2];            /* [nodeCount] */
  uint64_t span;
  double *places[2]; /* faces that are no polygons, in the world */
  size_t placesCapacity[2];
} Part;

static brinkStatus push(Part *part, Pairs *pairs, Pair pair, const brinkFeaturePairs *features) {
  void *block = pairs->items;
  brinkStatus status = brinkReserve(&part->context, &block, &pairs->capacity, pairs->count + 1, sizeof pair);
  pairs->items = block;
  if (status == brink_ok && features != NULL) {
    block = pairs->features;
    status = brinkReserve(&part->context, &block, &pairs->featureCapacity, pairs->featureCount + 1, sizeof *features);
    pairs->features = block;
    if (status == brink_ok) pairs->features[pairs->featureCount++] = *features;
    pair.left = (uint32_t)pairs->featureCount;
  }
  if (status == brink_ok) pairs->items[pairs->count++] = pair;
  return status;
}

static void freePairs(Part *part, Pairs *pairs) {
  if (pairs->items != NULL) brinkRelease(&part->context, pairs->items, pairs->capacity * sizeof *pairs->items);
  if (pairs->features != NULL)
    brinkRelease(&part->context, pairs->features, pairs->featureCapacity * sizeof *pairs->features);
  memset(pairs, 0, sizeof *pairs);
}

static double stretchOf(const brinkMat3 *g) { /* |G|_2^2 <= largest row sum of |G^T G| */
  double most = 0.0;
  brinkMat3 square = brinkTMulMM(g, g);
  for (int i = 0; i < 3; ++i) most = fmax(most, fabs(square.m[i][0]) + fabs(square.m[i][1]) + fabs(square.m[i][2]));
  return sqrt(most) * (1.0 + 16.0 * DBL_EPSILON);
}

static void makeLevel(Part *part, double t0, double t1, Level *out) {
  out->t0 = t0;
  out->t1 = t1;
  for (int k = 0; k < 2; ++k) {
    brinkMakeMotionSpan(&part->side[k].body->motion, t0, t1, &out->span[k]);
    out->stretch[k] = stretchOf(&out->span[k].center.r);
    out->radius[k] = part->side[k].one ? brinkMotionSpan_Radius(&out->span[k], &part->side[k].metric) : 0.0;
  }
  ++part->span;
  ++part->counters.spans;
}

/* Own masses: a sphere of radius rho, J = rho^2 I, about the node's centre s, with mass m. With |c(t) s - c(m) s| <= d
 * and |R(t) - R(m)| <= F (Frobenius) during the part, R^2 = m d^2 + rho^2 F^2, sigma^2 = 1/m + |x - s|^2/rho^2, so
 * R sigma is least over m, and then no more than d + rho F, for m = rho F/d. */
static void growOwn(const Level *level, int k, const brinkFaceNode *node, Fat *fat) {
  const brinkMotionSpan *span = &level->span[k];
  brinkPathBall path = brinkMotionSpan_Path(span, node->center);
  double rho = node->radius > 1e-100 ? node->radius : 1.0, turned = rho * span->turn;
  double mass = path.moved > 0.0 ? fmin(fmax(turned / path.moved, 1e-6), 1e6) : 1e6;
  fat->radius = sqrt(mass * path.moved * path.moved + turned * turned) * (1.0 + 1e-12);
  fat->still = 1.0 / mass;
  fat->reach = fat->radius * sqrt(1.0 / mass + (node->radius > 1e-100 ? 1.0 : 0.0)) * (1.0 + 1e-12);
  fat->center = path.center;
  fat->grown = path.radius + node->radius * span->turn * (1.0 + 1e-12);
}

static const Fat *fatOf(Part *part, const Level *level, int k, uint32_t index) {
  Fat *fat = &part->fat[k][index];
  if (fat->made == part->span) return fat;
  const Side *side = &part->side[k];
  const brinkFaceNode *node = &side->tree->nodes[index];
  fat->made = part->span;
  fat->place = fat->center = brinkApply(&level->span[k].center, node->center);
  fat->size = level->stretch[k] * node->radius;
  if (!side->one) {
    growOwn(level, k, node, fat);
    return fat;
  }
  fat->radius = level->radius[k];
  fat->still = 0.0;
  fat->reach = fat->grown = level->radius[k] * side->largest[index];
  return fat;
}

/* Distance of two faces at the centres, by their hulls; rounded down. */
static double hullDistance(Part *part, const Level *level, const Pair *pair) {
  static const brinkRigid identity = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  brinkPiece piece[2];
  for (int k = 0; k < 2; ++k) {
    const Side *side = &part->side[k];
    const brinkFaceNode *node = &side->tree->nodes[k == 0 ? pair->a : pair->b];
    void *block = part->places[k];
    if (brinkReserve(&part->context, &block, &part->placesCapacity[k], 3 * (size_t)node->vertexCount, sizeof(double)) !=
        brink_ok)
      return 0.0;
    part->places[k] = block;
    for (uint32_t i = 0; i < node->vertexCount; ++i) {
      brinkVec3 at = brinkApply(&level->span[k].center,
                                brinkV3_FromArray(&side->body->vertices[3 * side->tree->ids[node->vertexStart + i]]));
      part->places[k][3 * i] = at.x;
      part->places[k][3 * i + 1] = at.y;
      part->places[k][3 * i + 2] = at.z;
    }
    piece[k] = brinkMakePointPiece(part->places[k], node->vertexCount, 0.0);
  }
  brinkSeparation at;
  const brinkGjkLimits limits = {.relative = 1e-3, .absolute = 0.0, .enoughLower = HUGE_VAL, .enoughUpper = -1.0};
  brinkGjk(&piece[0], &identity, &piece[1], &identity, &limits, NULL, &at);
  return at.lower - 1e-14 * (level->span[0].size + level->span[1].size);
}

typedef enum Verdict { brink_pairProven, brink_pairWaits, brink_pairOpens } Verdict;

/* *asked: polygons were, and *features are left. from: the list that the pair is of. */
static Verdict judge(Part *part, const Level *level, const Pair *pair, const Pairs *from, double *reach,
                     brinkFeaturePairs *features, bool *asked) {
  const Side *sideA = &part->side[0], *sideB = &part->side[1];
  const Fat *a = fatOf(part, level, 0, pair->a), *b = fatOf(part, level, 1, pair->b);
  double margin = part->input->clearance + sideA->body->radius + sideB->body->radius, size = a->size + b->size;
  *reach = a->reach + b->reach;
  ++part->counters.pairTests;
  double slack = 1e-13 * (brinkLength(a->center) + brinkLength(b->center) + size);
  if (brinkDistance(a->center, b->center) > size + a->grown + b->grown + margin + slack) return brink_pairProven;
  bool single = sideA->tree->nodes[pair->a].left < 0 && sideB->tree->nodes[pair->b].left < 0;
  if (!single) return size > *reach || part->input->flat ? brink_pairOpens : brink_pairWaits;
  if (*reach > COARSE * size) return brink_pairWaits;
  const brinkFatPolygon *p = &sideA->polygons[pair->a], *f = &sideB->polygons[pair->b];
  ++part->counters.polygonTests;
  if (p->count == 0 || f->count == 0)
    return hullDistance(part, level, pair) > *reach + margin ? brink_pairProven : brink_pairWaits;
  brinkFatSide fat[2] = {{p, &level->span[0].center, a->radius, a->still},
                         {f, &level->span[1].center, b->radius, b->still}};
  *asked = true;
  *features = pair->left > 0 ? from->features[pair->left - 1] : brinkAllFeaturePairs(p, f);
  return brinkFatPolygons_Apart(&fat[0], &fat[1], margin, features, &part->counters.featureTests) ? brink_pairProven
                                                                                                  : brink_pairWaits;
}

static brinkVec3 placeOf(Part *part, const Level *level, const Pair *pair) {
  return brinkScale(brinkAdd(fatOf(part, level, 0, pair->a)->place, fatOf(part, level, 1, pair->b)->place), 0.5);
}

static brinkStatus giveUp(Part *part, const Level *level, const Pair *pair, bool spent) {
  return brinkCertifier_Open(&part->certifier, pair->a, pair->b, level->t0, level->t1, placeOf(part, level, pair),
                             spent);
}

static brinkStatus accept(Part *part, const Level *level, const Pair *pair) {
  if (part->input->searchOnly) return brink_ok;
  uint64_t before = part->certifier.examined;
  brinkStatus status = brinkCertifier_Prove(&part->certifier, pair->a, pair->b, level->t0, level->t1);
  part->work += part->certifier.examined - before;
  return status;
}

static brinkStatus openPair(Part *part, const Pair *pair) {
  const brinkFaceNode *a = &part->side[0].tree->nodes[pair->a], *b = &part->side[1].tree->nodes[pair->b];
  bool splitA = a->left >= 0 && (b->left < 0 || a->radius >= b->radius);
  const brinkFaceNode *node = splitA ? a : b;
  for (int k = 1; k >= 0; --k) { /* the left child comes off the stack first */
    uint32_t child = (uint32_t)(k == 0 ? node->left : node->right);
    Pair opened = {splitA ? child : pair->a, splitA ? pair->b : child, 0};
    brinkStatus status = push(part, &part->stack, opened, NULL);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}

static brinkStatus settlePair(Part *part, const Level *level, const Pair *pair, const Pairs *from, Pairs *left) {
  double reach;
  brinkFeaturePairs features;
  bool asked = false;
  const brinkToleranceInput *input = part->input;
  bool broke = ++part->work > (input->maxTests > 0 ? input->maxTests : DEFAULT_TESTS) ||
               part->certifier.openCount >= (input->maxOpen > 0 ? input->maxOpen : DEFAULT_OPEN);
  if (broke) return giveUp(part, level, pair, true);
  switch (judge(part, level, pair, from, &reach, &features, &asked)) {
    case brink_pairProven:
      return accept(part, level, pair);
    case brink_pairOpens:
      return openPair(part, pair);
    default:
      break;
  }
  bool single = part->side[0].tree->nodes[pair->a].left < 0 && part->side[1].tree->nodes[pair->b].left < 0;
  if (!single && reach < input->tolerance) return openPair(part, pair); /* nodes that shrank to nothing */
  if (reach < input->tolerance) return giveUp(part, level, pair, false);
  if (level->t1 - level->t0 < NARROWEST) return giveUp(part, level, pair, true);
  if (!asked && pair->left > 0) features = from->features[pair->left - 1];
  return push(part, left, *pair, asked || pair->left > 0 ? &features : NULL);
}

static brinkStatus searchOver(Part *part, double t0, double t1, const Pairs *pairs, uint32_t depth) {
  Level level;
  Pairs *left = &part->waiting[depth];
  brinkStatus status = brink_ok;
  if (depth > part->counters.depth) part->counters.depth = depth;
  left->count = left->featureCount = 0;
  makeLevel(part, t0, t1, &level);
  for (size_t i = 0; i < pairs->count && status == brink_ok; ++i) {
    part->stack.count = 0;
    status = push(part, &part->stack, pairs->items[i], NULL);
    while (part->stack.count > 0 && status == brink_ok) {
      Pair pair = part->stack.items[--part->stack.count];
      status = settlePair(part, &level, &pair, pairs, left);
    }
  }
  if (status == brink_ok && left->count > 0) {
    double middle = 0.5 * (t0 + t1);
    status = searchOver(part, t0, middle, left, depth + 1);
    if (status == brink_ok) status = searchOver(part, middle, t1, left, depth + 1);
  }
  return status;
}

/* Every pair of single faces, for a search without hierarchy. */
static brinkStatus pushAllFaces(Part *part, Pairs *pairs) {
  const brinkFaceTree *a = part->side[0].tree, *b = part->side[1].tree;
  for (uint32_t i = 0; i < a->nodeCount; ++i)
    for (uint32_t j = 0; j < b->nodeCount; ++j) {
      if (a->nodes[i].left >= 0 || b->nodes[j].left >= 0) continue;
      brinkStatus status = push(part, pairs, (Pair){i, j, 0}, NULL);
      if (status != brink_ok) return status;
    }
  return brink_ok;
}

static brinkStatus searchPart(Part *part) {
  Pairs roots = {.items = NULL};
  brinkStatus status;
  if (part->input->flat)
    status = pushAllFaces(part, &roots);
  else
    status = push(part, &roots, (Pair){0, 0, 0}, NULL);
  for (double from = part->t0; status == brink_ok;) {
    double to = brinkMotionCurve_NextKey(&part->side[1].body->motion, from,
                                         brinkMotionCurve_NextKey(&part->side[0].body->motion, from, part->t1));
    status = searchOver(part, from, to, &roots, 0);
    if (to >= part->t1) break;
    from = to;
  }
  freePairs(part, &roots);
  return status;
}

static void runPart(void *data, uint32_t index) {
  Part *part = (Part *)data + index;
  const brinkToleranceInput *input = part->input;
  const Side *side = part->side;
  uint64_t cells = input->maxTests > 0 ? input->maxTests : DEFAULT_TESTS;
  brinkCertifier_Init(&part->certifier, &part->context, side[0].body, side[0].tree, side[1].body, side[1].tree,
                      (brinkCertifierLimits){input->tolerance, input->clearance, cells, input->maxOpen,
                                             input->everyPair || !part->witnessOnly});
  if (part->witnessOnly) {
    part->status = brinkCertifier_Prove(&part->certifier, 0, 0, part->t0, part->t1);
  } else {
    for (int k = 0; k < 2 && part->status == brink_ok; ++k) {
      part->fat[k] = brinkAllocateZeroed(&part->context, side[k].tree->nodeCount, sizeof *part->fat[k]);
      if (part->fat[k] == NULL) part->status = brink_errorNoMemory;
    }
    if (part->status == brink_ok) part->status = searchPart(part);
  }
  part->counters.proofCells = part->certifier.examined;
  for (int k = 0; k < 2; ++k) {
    size_t count = side[k].tree->nodeCount;
    if (part->fat[k] != NULL) brinkRelease(&part->context, part->fat[k], count * sizeof *part->fat[k]);
    if (part->places[k] != NULL)
      brinkRelease(&part->context, part->places[k], part->placesCapacity[k] * sizeof(double));
  }
  freePairs(part, &part->stack);
  for (int k = 0; k < DEEPEST; ++k) freePairs(part, &part->waiting[k]);
}

/* ---- the whole */

static brinkStatus checkInput(brinkContext *context, const brinkToleranceInput *input, bool witnessOnly) {
  brinkStatus status = brinkCheckFaceBody(context, input->a, "a");
  if (status == brink_ok) status = brinkCheckFaceBody(context, input->b, "b");
  if (status != brink_ok) return status;
  if (!(input->tStart >= 0.0) || !(input->tStart <= input->tEnd) || !(input->tEnd <= 1.0))
    return brinkFail(context, brink_errorBadTime, "tStart %g, tEnd %g: a part of [0,1] is asked", input->tStart,
                     input->tEnd);
  if (!(input->tolerance > 0.0) || !(input->tolerance <= 1e60))
    return brinkFail(context, brink_errorBadValue, "tolerance is %g: finite and above 0", input->tolerance);
  if (!(input->clearance >= 0.0) || !(input->clearance <= 1e60))
    return brinkFail(context, brink_errorBadValue, "clearance is %g: finite and at least 0", input->clearance);
  for (int k = 0; k < 2; ++k) {
    brinkObjectMetric ignored; /* refuses bad weights also where they do not count */
    const brinkToleranceMass *mass = &input->mass[k];
    if (mass->count > 0) status = brinkMakeObjectMetric(context, mass->points, mass->weights, mass->count, &ignored);
    if (status != brink_ok) return status;
  }
  if (input->parts > 1u << 16) return brinkFail(context, brink_errorRange, "parts is %u: at most 65536", input->parts);
  bool special =
      input->a->halfSpace || input->b->halfSpace || input->a->vertices1 != NULL || input->b->vertices1 != NULL;
  if (input->a->halfSpace && input->b->halfSpace)
    return brinkFail(context, brink_errorBadValue, "two half-spaces: at most one of the bodies may be one");
  if (special && !witnessOnly)
    return brinkFail(
        context, brink_errorBadValue,
        "half-spaces and vertices that move on lines are not bodies of one affine motion: ask for witnesses");
  return brink_ok;
}

static int compareOpen(const void *a, const void *b) {
  const brinkToleranceOpen *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  if (x->faceA != y->faceA) return x->faceA < y->faceA ? -1 : 1;
  return x->faceB < y->faceB ? -1 : x->faceB > y->faceB;
}

static brinkStatus listOpen(brinkContext *context, brinkToleranceResult *result) {
  bool spent = false;
  result->bound = HUGE_VAL;
  for (size_t i = 0; i < result->cellCount; ++i) {
    const brinkCertificateCell *cell = &result->cells[i];
    if (!cell->open) {
      result->bound = fmin(result->bound, cell->bound);
      continue;
    }
    if (cell->spent == 2u) continue; /* at times that others tell of */
    spent |= cell->spent != 0u;
    void *block = result->open;
    brinkStatus status =
        brinkReserve(context, &block, &result->openCapacity, result->openCount + 1, sizeof *result->open);
    result->open = block;
    if (status != brink_ok) return status;
    uint32_t faceA = result->treeA.order != NULL ? result->treeA.order[cell->a0] : 0,
             faceB = result->treeB.order != NULL ? result->treeB.order[cell->b0] : 0;
    result->open[result->openCount++] = (brinkToleranceOpen){cell->l, cell->u, cell->place, faceA, faceB};
  }
  if (result->openCount > 0) qsort(result->open, result->openCount, sizeof *result->open, compareOpen);
  size_t kept = 0;
  for (size_t i = 0; i < result->openCount; ++i) {
    if (kept > 0 && result->open[i].from <= result->open[kept - 1].to) {
      result->open[kept - 1].to = fmax(result->open[kept - 1].to, result->open[i].to);
    } else {
      result->open[kept++] = result->open[i];
    }
  }
  result->openCount = kept;
  if (kept > 0) result->state = spent ? brink_toleranceSpent : brink_toleranceListed;
  return brink_ok;
}

static bool wholeIsProven(
    const brinkToleranceResult *result) { /* some cell of all faces: hulls apart, nothing is inside */
  for (size_t i = 0; i < result->cellCount; ++i) {
    const brinkCertificateCell *cell = &result->cells[i];
    if (!cell->open && cell->a1 - cell->a0 == result->treeA.faceCount && cell->b1 - cell->b0 == result->treeB.faceCount)
      return true;
  }
  return false;
}

static brinkStatus checkInside(brinkContext *context, const brinkToleranceInput *input, brinkToleranceResult *result) {
  const brinkFaceBody *const body[2] = {input->a, input->b};
  if (wholeIsProven(result)) return brink_ok;
  for (int k = 0; k < 2; ++k) { /* k lies outside of the other */
    if (!body[1 - k]->solid || body[k]->halfSpace) continue;
    bool inside;
    brinkStatus status = brinkProveOutside(context, body[1 - k], body[k], input->tStart, &result->rays[k],
                                           &result->rayCount[k], &inside);
    if (status != brink_ok) return status;
    if (!inside) continue;
    result->inside = true;
    result->state = brink_toleranceListed;
  }
  return brink_ok;
}

static brinkStatus gather(brinkContext *context, Part *parts, uint32_t count, brinkToleranceResult *result) {
  size_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (parts[i].status != brink_ok) return brinkFail(context, parts[i].status, "%s", parts[i].context.message);
    total += parts[i].certifier.cellCount;
  }
  void *block = NULL;
  if (total > 0) {
    brinkStatus status = brinkReserve(context, &block, &result->cellCapacity, total, sizeof *result->cells);
    if (status != brink_ok) return status;
  }
  result->cells = block;
  for (uint32_t i = 0; i < count; ++i) {
    const Part *part = &parts[i];
    if (part->certifier.cellCount > 0)
      memcpy(&result->cells[result->cellCount], part->certifier.cells,
             part->certifier.cellCount * sizeof *result->cells);
    result->cellCount += part->certifier.cellCount;
    result->counters.spans += part->counters.spans;
    result->counters.pairTests += part->counters.pairTests;
    result->counters.polygonTests += part->counters.polygonTests;
    result->counters.featureTests += part->counters.featureTests;
    result->counters.proofCells += part->counters.proofCells;
    result->counters.depth = BRINK_MAX(result->counters.depth, part->counters.depth);
  }
  return brink_ok;
}

static brinkStatus runParts(brinkContext *context, const brinkToleranceInput *input, const Side side[2],
                            bool witnessOnly, brinkToleranceResult *result) {
  uint32_t count = input->parts > 0 && input->tEnd > input->tStart ? input->parts : 1;
  Part *parts = brinkAllocateZeroed(context, count, sizeof *parts);
  if (parts == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %u parts", count);
  double length = input->tEnd - input->tStart, before = input->tStart;
  for (uint32_t i = 0; i < count; ++i) {
    Part *part = &parts[i];
    part->context = *context;
    part->input = input;
    part->side = side;
    part->witnessOnly = witnessOnly;
    part->t0 = before;
    part->t1 = i + 1 == count ? input->tEnd : input->tStart + length * (i + 1) / count;
    before = part->t1;
  }
  if (input->run != NULL)
    input->run(input->runUser, count, runPart, parts);
  else
    for (uint32_t i = 0; i < count; ++i) runPart(parts, i);
  brinkStatus status = gather(context, parts, count, result);
  for (uint32_t i = 0; i < count; ++i)
    if (parts[i].certifier.context != NULL) brinkCertifier_Free(&parts[i].certifier);
  brinkRelease(context, parts, count * sizeof *parts);
  return status;
}

static brinkStatus search(brinkContext *context, const brinkToleranceInput *input, bool witnessOnly,
                          brinkToleranceResult *result) {
  memset(result, 0, sizeof *result);
  brinkStatus status = checkInput(context, input, witnessOnly);
  if (status != brink_ok) return status;
  Side side[2];
  memset(side, 0, sizeof side);
  side[0].body = input->a;
  side[1].body = input->b;
  side[0].tree = &result->treeA;
  side[1].tree = &result->treeB;
  status = brinkFaceTree_Build(context, input->a, &result->treeA);
  if (status == brink_ok) status = brinkFaceTree_Build(context, input->b, &result->treeB);
  for (int k = 0; k < 2 && status == brink_ok && !witnessOnly; ++k)
    status = makeSide(context, input, k, k == 0 ? &result->treeA : &result->treeB, &side[k]);
  if (status == brink_ok) status = runParts(context, input, side, witnessOnly, result);
  if (status == brink_ok) status = listOpen(context, result);
  if (status == brink_ok && !input->searchOnly) status = checkInside(context, input, result);
  for (int k = 0; k < 2; ++k) freeSide(context, &side[k]);
  if (status != brink_ok) brinkToleranceResult_Free(context, result);
  return status;
}

brinkStatus brinkTolerance_Search(brinkContext *context, const brinkToleranceInput *input,
                                  brinkToleranceResult *result) {
  return search(context, input, false, result);
}

brinkStatus brinkTolerance_Witness(brinkContext *context, const brinkToleranceInput *input,
                                   brinkToleranceResult *result) {
  return search(context, input, true, result);
}

void brinkToleranceResult_Free(brinkContext *context, brinkToleranceResult *result) {
  brinkFaceTree_Free(context, &result->treeA);
  brinkFaceTree_Free(context, &result->treeB);
  if (result->cells != NULL) brinkRelease(context, result->cells, result->cellCapacity * sizeof *result->cells);
  if (result->open != NULL) brinkRelease(context, result->open, result->openCapacity * sizeof *result->open);
  for (int k = 0; k < 2; ++k)
    if (result->rays[k] != NULL) brinkRelease(context, result->rays[k], result->rayCount[k] * sizeof *result->rays[k]);
  memset(result, 0, sizeof *result);
}
