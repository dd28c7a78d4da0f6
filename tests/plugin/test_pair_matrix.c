/* SPDX-License-Identifier: BSD-3-Clause */
/* Is there a right answer for every pair of shapes in every kind of motion? Each cell (shape, shape, motion) is asked
 * in both schemes through the C ABI and judged by the oracle: earliest contact, distances, contact points, a miss, a
 * start in touch. Truth comes from stand-ins of points, segments and triangles; a cylinder has two, one inside it and
 * one around it, and the answer must fit between them. A cell without a judgement fails the last test, which prints the
 * matrix.
 *
 * Every cell aims an anchor, a point that belongs to shape B, at one of shape A: they coincide at step time MEET, so
 * the first contact is there or earlier, and thin things (points, segments, rays) meet too. */
#include <float.h>

#include "plugin_support.h"

#include "brink/linear.h"
#include "motion_makers.h"
#include "oracle.h"

#define MEET 0.7
#define TOLERANCE 1e-6 /* m */
#define TYPES 13
#define PRISM 12 /* corners of a cylinder's stand-in */
#define BUDGET 20000

enum {
  motionStill,
  motionSliding,
  motionTurning,
  motionBoth,
  motionPoses, /* from here on B alone moves, and times are sampled */
  motionScrew,
  motionOdeStep,
  motionSpline,
  motionBezier,
  motionUser,
  motionManyTurns,
  MOTIONS
};
static const char motionLetters[MOTIONS + 1] = "sltbpcokzum";
enum { SAMPLES = 40 };
static int judged[TYPES + 1][TYPES + 1][MOTIONS];

static const char *const names[TYPES + 1] = {"",     "sphere", "capsule", "box", "cylinder",    "plane",    "hull",
                                             "mesh", "point",  "segment", "ray", "heightfield", "compound", "support"};

/* ---- shapes */

static const double boxHalf[3] = {0.5, 0.4, 0.3}, octahedronHalf[3] = {0.6, 0.5, 0.7};
static const double rayTo[3] = {0.3, -0.5, 0.8}, segmentTo[3] = {0.5, 0.3, -0.4};
static const double hullVertices[5][3] = {
    {0.6, 0, -0.4}, {-0.4, 0.5, -0.4}, {-0.4, -0.5, -0.4}, {0, 0, 0.7}, {0.1, 0.05, 0}};
static const unsigned hullTriangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
/* A dart (a concave quadrangle) from z = -0.4 to 0.4. */
static const double dartVertices[8][3] = {{0.6, 0, -0.4}, {-0.5, 0.5, -0.4}, {-0.2, 0, -0.4}, {-0.5, -0.5, -0.4},
                                          {0.6, 0, 0.4},  {-0.5, 0.5, 0.4},  {-0.2, 0, 0.4},  {-0.5, -0.5, 0.4}};
static const unsigned dartTriangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                              {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
static const double heights[9] = {0, 0.2, -0.1, 0.1, 0.3, 0, -0.2, 0.1, 0.2};
#define SPACING 0.7
static const double lumpAt[3] = {0.6, 0, 0.3}; /* the compound's ball, radius 0.3; its other child is the box */
static const double sphereRadius = 0.5, capsuleRadius = 0.3, capsuleHalf = 0.4, cylinderRadius = 0.4,
                    cylinderHalf = 0.5;

static brinkVec3 fromArray(const double p[3]) { return vec(p[0], p[1], p[2]); }

static void octahedronSupport(void *user, const double d[3], double point[3]) {
  (void)user;
  int best = 0;
  for (int k = 1; k < 3; ++k)
    if (fabs(d[k]) * octahedronHalf[k] > fabs(d[best]) * octahedronHalf[best]) best = k;
  point[0] = point[1] = point[2] = 0;
  point[best] = d[best] < 0 ? -octahedronHalf[best] : octahedronHalf[best];
}

static brinkShapeId makeShape(brinkWorld *world, int type) {
  brinkShapeDef def = shapeDef((brinkShapeType)type, vec(0, 0, 0));
  brinkShapeChild children[2] = {{0, at(0, 0, 0)}, {0, at(lumpAt[0], lumpAt[1], lumpAt[2])}};
  switch (type) {
    case brink_sphere:
      def.size.x = sphereRadius;
      break;
    case brink_capsule:
      def.size = vec(capsuleRadius, 0, capsuleHalf);
      break;
    case brink_box:
      def.size = fromArray(boxHalf);
      break;
    case brink_cylinder:
      def.size = vec(cylinderRadius, 0, cylinderHalf);
      break;
    case brink_plane:
      def.normal = vec(0, 0, 2);
      break;
    case brink_hull:
      def.mesh.vertices = hullVertices[0];
      def.mesh.vertexCount = 5;
      break;
    case brink_mesh:
      def.mesh.vertices = dartVertices[0];
      def.mesh.vertexCount = 8;
      def.mesh.indices = dartTriangles[0];
      def.mesh.triangleCount = 12;
      def.mesh.flags = BRINK_MESH_SOLID;
      break;
    case brink_segment:
      def.size = fromArray(segmentTo);
      break;
    case brink_ray:
      def.size = fromArray(rayTo);
      break;
    case brink_heightfield:
      def.size = vec(SPACING, SPACING, 0);
      def.heights = heights;
      def.columns = def.rows = 3;
      break;
    case brink_compound:
      children[0].shape = newShape(world, brink_box, fromArray(boxHalf));
      children[1].shape = newShape(world, brink_sphere, vec(0.3, 0, 0));
      def.children = children;
      def.childCount = 2;
      break;
    case brink_support:
      def.support = octahedronSupport;
      def.supportRadius = 0.75;
      def.supportRounding = 1e-15;
      break;
    default:
      break;
  }
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

/* A point of the shape: inside where it has an inside. */
static brinkVec3 anchorOf(int type) {
  switch (type) {
    case brink_mesh:
      return vec(0.1, 0, 0);
    case brink_ray:
      return times(0.5, fromArray(rayTo));
    case brink_heightfield:
      return vec(SPACING, SPACING, heights[4]);
    default:
      return vec(0, 0, 0);
  }
}

/* ---- stand-ins */

typedef struct StandIn {
  oracleBody parts[2];
  int partCount;
  double vertices[2][2 * PRISM + 2][3];
  unsigned triangles[2][4 * PRISM][3];
  oracleLink link;
} StandIn;

static void addVertex(StandIn *body, int part, double x, double y, double z) {
  double *v = body->vertices[part][body->parts[part].vertexCount++];
  v[0] = x, v[1] = y, v[2] = z;
}

static void addTriangle(StandIn *body, int part, unsigned a, unsigned b, unsigned c) {
  unsigned *t = body->triangles[part][body->parts[part].simplexCount++];
  t[0] = a, t[1] = b, t[2] = c;
}

static void addBox(StandIn *body, int part, const double low[3], const double high[3]) {
  static const unsigned faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                        {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  for (int i = 0; i < 8; ++i)
    addVertex(body, part, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
  for (int i = 0; i < 12; ++i) addTriangle(body, part, faces[i][0], faces[i][1], faces[i][2]);
  body->parts[part].solid = true;
}

static void addCylinder(StandIn *body, bool outer) {
  double r = outer ? cylinderRadius / cos(PI / PRISM) : cylinderRadius;
  for (unsigned i = 0; i < 2 * PRISM; ++i) {
    double angle = 2 * PI * (i % PRISM) / PRISM;
    addVertex(body, 0, r * cos(angle), r * sin(angle), i < PRISM ? -cylinderHalf : cylinderHalf);
  }
  for (unsigned i = 0; i < PRISM; ++i) {
    unsigned k = (i + 1) % PRISM;
    addTriangle(body, 0, i, k, PRISM + k);
    addTriangle(body, 0, i, PRISM + k, PRISM + i);
    if (i == 0 || k == 0) continue;
    addTriangle(body, 0, 0, k, i);
    addTriangle(body, 0, PRISM, PRISM + i, PRISM + k);
  }
  body->parts[0].solid = true;
}

static void makeStandIn(int type, bool outer, const oracleLink *link, StandIn *body) {
  memset(body, 0, sizeof *body);
  body->partCount = 1;
  body->link = *link;
  const double lowBox[3] = {-boxHalf[0], -boxHalf[1], -boxHalf[2]};
  switch (type) {
    case brink_sphere:
    case brink_point:
      addVertex(body, 0, 0, 0, 0);
      addTriangle(body, 0, 0, 0, 0);
      body->parts[0].radius = type == brink_sphere ? sphereRadius : 0;
      break;
    case brink_capsule:
      addVertex(body, 0, 0, 0, -capsuleHalf);
      addVertex(body, 0, 0, 0, capsuleHalf);
      addTriangle(body, 0, 0, 1, 1);
      body->parts[0].radius = capsuleRadius;
      break;
    case brink_segment:
      addVertex(body, 0, -segmentTo[0], -segmentTo[1], -segmentTo[2]);
      addVertex(body, 0, segmentTo[0], segmentTo[1], segmentTo[2]);
      addTriangle(body, 0, 0, 1, 1);
      break;
    case brink_ray:
      addVertex(body, 0, 0, 0, 0);
      addVertex(body, 0, rayTo[0], rayTo[1], rayTo[2]);
      addTriangle(body, 0, 0, 1, 1);
      break;
    case brink_plane:
      addBox(body, 0, (const double[3]){-20, -20, -20}, (const double[3]){20, 20, 0});
      break;
    case brink_box:
      addBox(body, 0, lowBox, boxHalf);
      break;
    case brink_cylinder:
      addCylinder(body, outer);
      break;
    case brink_hull:
      for (int i = 0; i < 4; ++i) addVertex(body, 0, hullVertices[i][0], hullVertices[i][1], hullVertices[i][2]);
      for (int i = 0; i < 4; ++i) addTriangle(body, 0, hullTriangles[i][0], hullTriangles[i][1], hullTriangles[i][2]);
      body->parts[0].solid = true;
      break;
    case brink_mesh:
      for (int i = 0; i < 8; ++i) addVertex(body, 0, dartVertices[i][0], dartVertices[i][1], dartVertices[i][2]);
      for (int i = 0; i < 12; ++i) addTriangle(body, 0, dartTriangles[i][0], dartTriangles[i][1], dartTriangles[i][2]);
      body->parts[0].solid = true;
      break;
    case brink_heightfield:
      for (int i = 0; i < 9; ++i) addVertex(body, 0, SPACING * (i % 3), SPACING * (i / 3), heights[i]);
      for (unsigned i = 0; i < 4; ++i) {
        unsigned corner = i % 2 + 3 * (i / 2);
        addTriangle(body, 0, corner, corner + 1, corner + 4);
        addTriangle(body, 0, corner, corner + 4, corner + 3);
      }
      break;
    case brink_compound:
      addBox(body, 0, lowBox, boxHalf);
      addVertex(body, 1, lumpAt[0], lumpAt[1], lumpAt[2]);
      addTriangle(body, 1, 0, 0, 0);
      body->parts[1].radius = 0.3;
      body->partCount = 2;
      break;
    default: /* support: an octahedron */
      for (int i = 0; i < 6; ++i) {
        double p[3] = {0, 0, 0};
        p[i / 2] = i % 2 ? octahedronHalf[i / 2] : -octahedronHalf[i / 2];
        addVertex(body, 0, p[0], p[1], p[2]);
      }
      for (unsigned i = 0; i < 8; ++i) {
        unsigned x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2 & 1);
        bool even = ((i & 1) + (i >> 1 & 1) + (i >> 2 & 1)) % 2 == 1;
        addTriangle(body, 0, x, even ? y : z, even ? z : y);
      }
      body->parts[0].solid = true;
  }
  for (int i = 0; i < body->partCount; ++i) {
    body->parts[i].chain = &body->link;
    body->parts[i].linkCount = 1;
    body->parts[i].vertices = body->vertices[i][0];
    body->parts[i].simplices = body->triangles[i][0];
  }
}

static double standInDistance(const StandIn *a, const StandIn *b, double t) {
  double least = HUGE_VAL;
  for (int i = 0; i < a->partCount; ++i)
    for (int k = 0; k < b->partCount; ++k) least = fmin(least, (double)oracleDistance(&a->parts[i], &b->parts[k], t));
  return least;
}

/* First time at which the stand-ins are within margin; 2 = never. */
static double standInContact(const StandIn *a, const StandIn *b, double margin, const char *what) {
  double first = 2;
  for (int i = 0; i < a->partCount; ++i)
    for (int k = 0; k < b->partCount; ++k) {
      long double t, smallest;
      oracleVerdict verdict = oracleFree(&a->parts[i], &b->parts[k], 0, fmin(first, 1), margin, BUDGET, &t, &smallest);
      /* It walks up to the margin and may stand still a rounding before it. */
      if (verdict == oracle_undecided && smallest <= 1.001L * margin) verdict = oracle_contact;
      if (verdict == oracle_undecided)
        fail_msg("%s: the oracle stops at %g, distance %g", what, (double)t, (double)smallest);
      if (verdict == oracle_contact) first = fmin(first, (double)t);
    }
  return first;
}

/* ---- a cell */

typedef struct Cell {
  int typeA, typeB, motion;
  brinkWorld *world;
  brinkBodyId bodyA, bodyB; /* bodyA 0: static */
  brinkColliderId a, b;
  brinkBodyMotion motionA, motionB;
  Store store; /* of motionB */
  brinkVec3 shift;
  char what[64];
} Cell;

static oracleLink linkOf(const brinkBodyMotion *motion) {
  const brinkPose *p = &motion->pose0;
  return (oracleLink){{p->position.x, p->position.y, p->position.z},
                      {p->rotation.w, p->rotation.x, p->rotation.y, p->rotation.z},
                      {motion->velocity.x, motion->velocity.y, motion->velocity.z},
                      {motion->spin.x, motion->spin.y, motion->spin.z}};
}

static brinkPose poseAt(const brinkBodyMotion *motion, double t) {
  brinkPose pose = motion->pose0;
  pose.position = plus(pose.position, times(t, motion->velocity));
  pose.rotation = product(rotation(times(t, motion->spin)), pose.rotation);
  return pose;
}

static bool isThin(int type) {
  return type == brink_point || type == brink_segment || type == brink_ray || type == brink_heightfield;
}

static bool isCrossedPlanes(const Cell *cell) {
  return cell->typeA == brink_plane && cell->typeB == brink_plane && cell->motion >= motionTurning;
}

/* B comes down on A (away = true: goes up instead) so that the anchors coincide at `meet`. */
static void aim(Cell *cell, double meet, bool away) {
  bool turns = cell->motion >= motionTurning;
  brinkPose start = {{0, 0, 0}, cell->motion == motionStill ? (brinkQuat){1, 0, 0, 0} : rotation(vec(0.3, -0.2, 0.4))};
  if (cell->typeA == brink_plane) start.rotation = (brinkQuat){1, 0, 0, 0};
  cell->motionA = velocitiesMotion(start, vec(0, 0, 0), vec(0, 0, 0));
  if (cell->motion == motionBoth) {
    cell->motionA.velocity = vec(-0.4, 0.2, 0.8);
    cell->motionA.spin = vec(0.3, 0.2, 0.5);
  }
  brinkQuat turned = rotation(vec(-0.5, 0.7, 0.2));
  if (cell->typeB == brink_plane) turned = (brinkQuat){0, 1, 0, 0}; /* facing down */
  brinkVec3 velocity = cell->motion == motionStill ? vec(0, 0, 0) : vec(0.4, -0.3, -5);
  brinkVec3 spin = turns ? (cell->typeB == brink_plane ? vec(0.2, -0.3, 0.4) : vec(0.8, -1.1, 1.7)) : vec(0, 0, 0);
  cell->motionB = velocitiesMotion((brinkPose){{0, 0, 0}, turned}, velocity, spin);
  brinkVec3 target = carry(poseAt(&cell->motionA, meet), anchorOf(cell->typeA));
  if (cell->motion == motionStill && meet > 0) target = plus(target, vec(0.3, -0.2, 3.1));
  brinkVec3 here = carry(poseAt(&cell->motionB, meet), anchorOf(cell->typeB));
  cell->motionB.pose0.position = minus(target, here);
  if (away) cell->motionB.velocity = times(-1, velocity);
  if (cell->bodyA != 0)
    ASSERT_OK(cell->world, api()->setBodyMotion(cell->world, cell->bodyA, &cell->motionA));
  else
    ASSERT_OK(cell->world, api()->setColliderPose(cell->world, cell->a, &cell->motionA.pose0));
  ASSERT_OK(cell->world, api()->setBodyMotion(cell->world, cell->bodyB, &cell->motionB));
}

static void startCell(Cell *cell, int typeA, int typeB, int motion) {
  *cell = (Cell){.typeA = typeA, .typeB = typeB, .motion = motion, .world = newWorld(NULL)};
  snprintf(cell->what, sizeof cell->what, "%s, %s, %c", names[typeA], names[typeB], motionLetters[motion]);
  if (motion == motionBoth) cell->bodyA = newBody(cell->world, 0, at(0, 0, 0));
  cell->a = newCollider(cell->world, cell->bodyA, makeShape(cell->world, typeA), at(0, 0, 0));
  cell->bodyB = newBody(cell->world, 0, at(0, 0, 0));
  cell->b = newCollider(cell->world, cell->bodyB, makeShape(cell->world, typeB), at(0, 0, 0));
}

static void makeStandIns(const Cell *cell, bool outer, StandIn *a, StandIn *b) {
  oracleLink linkA = linkOf(&cell->motionA), linkB = linkOf(&cell->motionB);
  makeStandIn(cell->typeA, outer, &linkA, a);
  makeStandIn(cell->typeB, outer, &linkB, b);
}

static brinkReport askCell(const Cell *cell, uint32_t scheme) {
  brinkQuery query = wholeStep();
  query.mode = brink_modePairs;
  query.scheme = scheme;
  query.tolerance = TOLERANCE;
  brinkReport report = ask(cell->world, &query);
  if (report.contactCount > 1) fail_msg("%s: %zu contacts for one pair", cell->what, report.contactCount);
  return report;
}

static double distanceAt(const Cell *cell, double t, brinkContact *contact) {
  ASSERT_OK(cell->world, api()->distance(cell->world, cell->a, cell->b, t, contact));
  return contact->distance;
}

#define EXPECT(cell, condition)                                                         \
  do {                                                                                  \
    if (!(condition)) fail_msg("%s: %s (line %d)", (cell)->what, #condition, __LINE__); \
  } while (0)

/* Contact points at the impact: there are some, at the surfaces, and they push A and B apart. */
static void judgePoints(const Cell *cell, const brinkContact *hit) {
  brinkContactPoint points[8];
  size_t count = 0;
  ASSERT_OK(cell->world, api()->collide(cell->world, cell->a, cell->b, hit->toi, 4 * TOLERANCE, points, 8, &count));
  EXPECT(cell, count >= 1);
  for (size_t i = 0; i < count; ++i) EXPECT(cell, fabs(norm(points[i].normal) - 1) < 1e-9);
  brinkVec3 n = points[0].normal;
  EXPECT(cell, n.x * hit->normal.x + n.y * hit->normal.y + n.z * hit->normal.z > 0.5);
  EXPECT(cell, fabs(points[0].separation) <= 4 * TOLERANCE);
  EXPECT(cell, norm(minus(points[0].position, hit->pointA)) < 5);
}

/* A hit that no oracle time contradicts: nothing met before, something is met now. */
static void judgeHit(const Cell *cell, uint32_t scheme) {
  StandIn a, b;
  brinkReport report = askCell(cell, scheme);
  EXPECT(cell, report.state == brink_hit && report.contactCount == 1);
  const brinkContact *hit = &report.contacts[0];
  EXPECT(cell, hit->toi > 0 && hit->toi <= MEET + 1e-9 && hit->colliderA == cell->a && hit->colliderB == cell->b);
  EXPECT(cell, hit->normalVelocity < 0 && hit->distance <= TOLERANCE);
  makeStandIns(cell, false, &a, &b);
  double latest = standInContact(&a, &b, 1e-9, cell->what);
  if (!(hit->toi <= latest)) fail_msg("%s: toi %.12g after the contact at %.12g", cell->what, hit->toi, latest);
  makeStandIns(cell, true, &a, &b);
  double outer = standInDistance(&a, &b, hit->toi);
  if (!(outer <= 1.001 * TOLERANCE)) fail_msg("%s: toi %.12g early, distance %g", cell->what, hit->toi, outer);
  brinkContact contact;
  EXPECT(cell, fabs(distanceAt(cell, hit->toi, &contact)) <= 1.001 * TOLERANCE);
  judgePoints(cell, hit);
}

static void judgeMiss(Cell *cell, uint32_t scheme) {
  StandIn a, b;
  brinkReport report = askCell(cell, scheme);
  EXPECT(cell, report.state == brink_free && report.toi == BRINK_NO_TIME);
  makeStandIns(cell, false, &a, &b);
  EXPECT(cell, standInContact(&a, &b, 1e-9, cell->what) == 2);
}

static void judgeDistance(const Cell *cell, double t) {
  StandIn a, b;
  brinkContact contact;
  double got = distanceAt(cell, t, &contact);
  makeStandIns(cell, true, &a, &b);
  double least = standInDistance(&a, &b, t);
  makeStandIns(cell, false, &a, &b);
  double most = standInDistance(&a, &b, t);
  if (!(got >= least - 1e-8 && got <= most + 1e-8))
    fail_msg("%s: distance %.12g, the truth lies in [%.12g, %.12g]", cell->what, got, least, most);
  EXPECT(cell, contact.state == brink_free && fabs(norm(minus(contact.pointB, contact.pointA)) - got) < 1e-8);
  brinkVec3 along = minus(minus(contact.pointB, contact.pointA), times(got, contact.normal));
  /* On bent surfaces a distance that is right to 1e-9 has a direction right to the root of that. */
  bool bent = cell->typeA == brink_cylinder || cell->typeB == brink_cylinder;
  EXPECT(cell, norm(along) < (bent ? 1e-3 : 1e-7));
}

static void judgeOverlap(Cell *cell) {
  for (uint32_t scheme = 0; scheme <= brink_schemePaper; ++scheme) {
    brinkReport report = askCell(cell, scheme);
    EXPECT(cell, report.contactCount == 1 && report.toi == 0);
    EXPECT(cell, report.state == brink_overlap);
  }
  brinkContact contact;
  double depth = distanceAt(cell, 0, &contact);
  EXPECT(cell, depth <= (isThin(cell->typeA) && isThin(cell->typeB) ? 1e-9 : 0.0));
}

/* Half-spaces that begin to turn against each other meet at once. */
static void judgeCrossedPlanes(Cell *cell) {
  for (uint32_t scheme = 0; scheme <= brink_schemePaper; ++scheme) {
    aim(cell, MEET, false);
    brinkReport report = askCell(cell, scheme);
    EXPECT(cell, report.state == brink_hit && report.toi == 0 && report.contacts[0].distance > 1);
  }
  brinkContact contact;
  EXPECT(cell, distanceAt(cell, 0.5, &contact) == -HUGE_VAL && contact.state == brink_overlap);
  brinkContactPoint point;
  size_t count = 9;
  ASSERT_OK(cell->world, api()->collide(cell->world, cell->a, cell->b, 0.5, 1, &point, 1, &count));
  EXPECT(cell, count == 0);
  ++judged[cell->typeA][cell->typeB][cell->motion];
}

static void judgeCell(int typeA, int typeB, int motion) {
  Cell cell;
  startCell(&cell, typeA, typeB, motion);
  if (isCrossedPlanes(&cell)) {
    judgeCrossedPlanes(&cell);
    assert_int_equal(api()->destroyWorld(cell.world), brink_ok);
    return;
  }
  for (uint32_t scheme = 0; scheme <= brink_schemePaper; ++scheme) {
    aim(&cell, MEET, motion == motionStill);
    if (motion == motionStill)
      judgeMiss(&cell, scheme);
    else
      judgeHit(&cell, scheme);
    if (scheme == 0) judgeDistance(&cell, 0);
    if (motion == motionStill) continue;
    aim(&cell, MEET, false);
    brinkPose start = cell.motionB.pose0;
    aim(&cell, MEET, true);
    cell.motionB.pose0 = start;
    ASSERT_OK(cell.world, api()->setBodyMotion(cell.world, cell.bodyB, &cell.motionB));
    judgeMiss(&cell, scheme);
  }
  aim(&cell, 0, false);
  judgeOverlap(&cell);
  ++judged[typeA][typeB][motion];
  assert_int_equal(api()->destroyWorld(cell.world), brink_ok);
}

/* ---- motions beyond constant velocities */

/* A host's own: falling with a sway, turning evenly. */
static void swayPose(void *user, double t, brinkMotionState *out) {
  const Cell *cell = user;
  const brinkBodyMotion *m = &cell->motionB;
  out->pose = poseAt(m, t);
  out->pose.position = plus(plus(out->pose.position, cell->shift), times(0.2 * sin(3 * t), vec(1, 0, 0)));
  if (cell->typeA != brink_plane) return; /* without velocities in the other rows */
  out->hasVelocities = 1;
  out->velocity = plus(m->velocity, vec(0.6 * cos(3 * t), 0, 0));
  out->spin = m->spin;
}
static void swayBound(void *user, double t0, double t1, brinkMotionBound *out) {
  (void)t0, (void)t1;
  const brinkBodyMotion *m = &((const Cell *)user)->motionB;
  out->speed = (norm(m->velocity) + 0.6) * (1 + 1e-12);
  out->acceleration = 1.8 * (1 + 1e-12);
  out->turnRate = norm(m->spin) * (1 + 1e-12);
  out->turnAcceleration = 0;
}

/* Gives B its motion of the cell's kind, everything moved by `shift`. */
static void sendMotion(Cell *cell, brinkVec3 shift) {
  static const uint32_t kinds[MOTIONS] = {
      [motionPoses] = brink_motionPoses,         [motionScrew] = brink_motionScrew,
      [motionOdeStep] = brink_motionOdeStep,     [motionSpline] = brink_motionSpline,
      [motionBezier] = brink_motionBezier,       [motionUser] = brink_motionUser,
      [motionManyTurns] = brink_motionVelocities};
  brinkBodyMotion motion = cell->motionB;
  Store *store = &cell->store;
  motion.kind = kinds[cell->motion];
  motion.path = &store->path;
  motion.pose0.position = plus(motion.pose0.position, shift);
  cell->shift = shift;
  store->path = (brinkMotionPath){.structSize = sizeof store->path};
  if (cell->motion == motionPoses) {
    motion.pose1 = poseAt(&motion, 1);
    motion.flags = BRINK_MOTION_HAS_SPIN;
  } else if (cell->motion == motionScrew) {
    store->path.axis = vec(0.1, 0.2, 1);
    store->path.axisPoint = plus(motion.pose0.position, vec(0.3, -0.1, 0));
    store->path.angle = 1.5;
    store->path.pitch = -5 * 2 * PI / 1.5;
  } else if (cell->motion == motionSpline) {
    store->path.keys = store->keys;
    store->path.keyCount = 3;
    for (int i = 0; i < 3; ++i) {
      store->keys[i] = (brinkMotionKey){0.5 * i, poseAt(&motion, 0.5 * i), motion.velocity};
      store->keys[i].slope.x += 0.8 - 0.6 * i;
    }
  } else if (cell->motion == motionBezier) {
    odeControls(motion.pose0, motion.velocity, motion.spin, store);
  } else if (cell->motion == motionUser) {
    store->path.user = cell;
    store->path.poseAt = swayPose;
    store->path.boundOver = swayBound;
  }
  ASSERT_OK(cell->world, api()->setBodyMotion(cell->world, cell->bodyB, &motion));
}

static double sampledDistance(const Cell *cell, bool outer, double t) {
  StandIn a, b;
  brinkPose p = poseOf(cell->world, cell->bodyB, t);
  brinkBodyMotion frozen = velocitiesMotion(p, vec(0, 0, 0), vec(0, 0, 0));
  oracleLink linkA = linkOf(&cell->motionA), linkB = linkOf(&frozen);
  makeStandIn(cell->typeA, outer, &linkA, &a);
  makeStandIn(cell->typeB, outer, &linkB, &b);
  return standInDistance(&a, &b, 0);
}

static void judgeSampled(int typeA, int typeB, int motion) {
  Cell cell;
  startCell(&cell, typeA, typeB, motion);
  aim(&cell, MEET, false);
  if (motion == motionManyTurns) cell.motionB.spin = times(25, cell.motionB.spin);
  sendMotion(&cell, vec(0, 0, 0));
  brinkVec3 target = carry(cell.motionA.pose0, anchorOf(typeA));
  sendMotion(&cell, minus(target, carry(poseOf(cell.world, cell.bodyB, MEET), anchorOf(typeB))));
  double touched = 2;
  for (int i = 0; i <= SAMPLES && touched > 1; ++i) {
    double t = i < SAMPLES ? (double)i / SAMPLES : MEET;
    if (sampledDistance(&cell, false, t) <= 1e-9) touched = t;
  }
  for (uint32_t scheme = 0; scheme <= brink_schemePaper; ++scheme) {
    brinkReport report = askCell(&cell, scheme);
    EXPECT(&cell, report.contactCount == 1 && (report.state == brink_hit || report.state == brink_overlap));
    const brinkContact hit = report.contacts[0];
    if (!(hit.toi <= fmin(touched, MEET + 1e-9)))
      fail_msg("%s: toi %.12g after the contact at %.12g", cell.what, hit.toi, touched);
    if (isCrossedPlanes(&cell)) {
      EXPECT(&cell, hit.toi == 0);
      continue;
    }
    double outer = sampledDistance(&cell, true, hit.toi);
    if (!(outer <= 1.001 * TOLERANCE)) fail_msg("%s: toi %.12g early, distance %g", cell.what, hit.toi, outer);
  }
  if (typeB != brink_plane) { /* far above: a miss */
    sendMotion(&cell, plus(cell.shift, vec(0, 0, 12)));
    for (uint32_t scheme = 0; scheme <= brink_schemePaper; ++scheme) {
      brinkReport report = askCell(&cell, scheme);
      EXPECT(&cell, report.state == brink_free);
      EXPECT(&cell, sampledDistance(&cell, false, 1) > 0);
    }
  }
  ++judged[typeA][typeB][motion];
  assert_int_equal(api()->destroyWorld(cell.world), brink_ok);
}

typedef struct Row {
  int type, motion;
  char name[64];
} Row;

static void every_pair_of_this_row_is_judged(void **state) {
  const Row *row = *state;
  for (int b = 1; b <= TYPES; ++b) {
    if (row->motion < motionPoses)
      judgeCell(row->type, b, row->motion);
    else
      judgeSampled(row->type, b, row->motion);
  }
}

/* The last class of motion: vertices on straight lines. A tetrahedron that turns inside out, becomes flat (singular)
 * and grows, comes down on each shape, at rest and turning. */
static void every_shape_meets_a_body_of_straight_vertices(void **state) {
  (void)state;
  NEEDS(BRINK_LINEAR_NAME);
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  for (int type = 1; type <= TYPES; ++type)
    for (int turning = 0; turning < 2; ++turning)
      for (int kind = 0; kind < 3; ++kind) { /* inside out, to a point, from flat to twice the size */
        Cell cell;
        startCell(&cell, type, brink_point, turning ? motionBoth : motionSliding);
        aim(&cell, MEET, false);
        brinkVec3 target = carry(poseAt(&cell.motionA, MEET), anchorOf(type));
        double start[12], end[12];
        for (int v = 0; v < 4; ++v) {
          brinkVec3 corner = fromArray(&tetrahedron[3 * v]);
          brinkVec3 from = times(0.3, corner), to = kind == 0   ? times(-0.3, corner)
                                                    : kind == 1 ? vec(0, 0, 0)
                                                                : times(0.6, corner);
          if (kind == 2) from.z = 0;
          brinkVec3 centre = plus(target, vec(0.2, -0.1, 3));
          from = plus(from, centre);
          to = plus(to, plus(centre, times(1 / MEET, minus(target, centre)))); /* through the target */
          memcpy(&start[3 * v], &from, sizeof from);
          memcpy(&end[3 * v], &to, sizeof to);
        }
        const brinkLinearBody body = movingTetrahedron(start, end);
        const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1, .tolerance = TOLERANCE};
        brinkLinearContact out = {.structSize = sizeof out};
        ASSERT_OK(cell.world, linear->firstContactWithCollider(cell.world, &body, cell.a, &query, &out));
        EXPECT(&cell, out.state == brink_hit || out.state == brink_overlap);
        for (int i = 0; i <= 2 * SAMPLES + 1; ++i) {
          bool there = i > 2 * SAMPLES;
          double t = there ? out.toi : 0.5 * i / SAMPLES, places[12];
          for (int c = 0; c < 12; ++c) places[c] = start[c] + t * (end[c] - start[c]);
          const oracleBody flying = {NULL, 0, places, 4, tetrahedronFaces, 4, false, 0};
          brinkBodyMotion frozen = velocitiesMotion(poseAt(&cell.motionA, t), vec(0, 0, 0), vec(0, 0, 0));
          oracleLink link = linkOf(&frozen);
          StandIn a;
          makeStandIn(type, there, &link, &a);
          double least = HUGE_VAL;
          for (int k = 0; k < a.partCount; ++k) least = fmin(least, (double)oracleDistance(&a.parts[k], &flying, 0));
          if (there && !(least <= 1.001 * TOLERANCE)) fail_msg("%s, kind %d: early by %g", cell.what, kind, least);
          if (!there && least <= 1e-9 && !(out.toi <= t))
            fail_msg("%s, kind %d: toi %g after %g", cell.what, kind, out.toi, t);
        }
        assert_int_equal(api()->destroyWorld(cell.world), brink_ok);
      }
}

/* Points, balls, segments and boxes fly onto the peak of a heightfield, where triangles meet at sharp edges. In
 * whatever order the triangles are looked at, what is told is the nearest: it is an event at the aim (a quarter of the
 * tolerance) or a quarter of that above, and no other triangle has passed the aim. */
static void at_a_sharp_corner_the_nearest_triangle_is_told(void **state) {
  (void)state;
  static const int types[] = {brink_point, brink_sphere, brink_segment, brink_box};
  Random generator = {7}, *random = &generator;
  for (int i = 0; i < 800; ++i) {
    Cell cell;
    const int type = types[i % 4];
    startCell(&cell, brink_heightfield, type, i % 8 < 4 ? motionTurning : motionBoth);
    aim(&cell, MEET, false);
    const brinkVec3 target = carry(poseAt(&cell.motionA, MEET), anchorOf(brink_heightfield));
    cell.motionB.pose0.rotation = rotation(randomVector(random, 3));
    cell.motionB.velocity = plus(randomVector(random, 2), vec(0, 0, -5));
    cell.motionB.spin = randomVector(random, 4);
    const brinkVec3 here = carry(poseAt(&cell.motionB, MEET), anchorOf(type));
    cell.motionB.pose0.position = plus(cell.motionB.pose0.position, minus(target, here));
    ASSERT_OK(cell.world, api()->setBodyMotion(cell.world, cell.bodyB, &cell.motionB));
    const brinkReport report = askCell(&cell, brink_schemeDefault);
    EXPECT(&cell, report.contactCount == 1);
    const double told = report.contacts[0].distance;
    brinkContact nearest;
    const double least = distanceAt(&cell, report.contacts[0].toi, &nearest);
    if (!(told - least <= 0.0625 * TOLERANCE))
      fail_msg("%s, flight %d: told %g, the nearest is at %g", cell.what, i, told, least);
    assert_int_equal(api()->destroyWorld(cell.world), brink_ok);
  }
}

static void no_cell_is_empty(void **state) {
  (void)state;
  NEEDS(BRINK_LINEAR_NAME);
  int empty = 0;
  printf(
      "s still, l sliding, t one turns, b both turn, p poses, c screw, o ODE's step, k spline, z Bezier, u user, m "
      "many turns;\n"
      "each in both schemes\n%12s",
      "");
  for (int b = 1; b <= TYPES; ++b) printf(" %-11.11s", names[b]);
  printf("\n");
  for (int a = 1; a <= TYPES; ++a) {
    printf("%12s", names[a]);
    for (int b = 1; b <= TYPES; ++b) {
      char cell[MOTIONS + 1] = "";
      for (int m = 0; m < MOTIONS; ++m) {
        cell[m] = judged[a][b][m] > 0 ? motionLetters[m] : '.';
        empty += judged[a][b][m] == 0;
      }
      printf(" %-11s", cell);
    }
    printf("\n");
  }
  assert_int_equal(empty, 0);
}

int main(void) {
  static const char *const motionNames[MOTIONS] = {
      "at_rest",  "sliding", "turning", "both_turning", "from_pose_to_pose", "screw",
      "ode_step", "spline",  "bezier",  "user",         "many_turns"};
  static Row rows[TYPES * MOTIONS];
  struct CMUnitTest tests[TYPES * MOTIONS + 3];
  for (int i = 0; i < TYPES * MOTIONS; ++i) {
    rows[i].type = 1 + i % TYPES;
    rows[i].motion = i / TYPES;
    snprintf(rows[i].name, sizeof rows[i].name, "%s_against_every_shape_%s", names[rows[i].type],
             motionNames[rows[i].motion]);
    tests[i] = (struct CMUnitTest){rows[i].name, every_pair_of_this_row_is_judged, NULL, NULL, &rows[i]};
  }
  tests[TYPES * MOTIONS] = (struct CMUnitTest)cmocka_unit_test(every_shape_meets_a_body_of_straight_vertices);
  tests[TYPES * MOTIONS + 1] = (struct CMUnitTest)cmocka_unit_test(at_a_sharp_corner_the_nearest_triangle_is_told);
  tests[TYPES * MOTIONS + 2] = (struct CMUnitTest)cmocka_unit_test(no_cell_is_empty);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
