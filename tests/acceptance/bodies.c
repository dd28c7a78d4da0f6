/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 10: mechanisms of triangle meshes with small clearances, default settings. All meshes are intersected after every
 * step (mesh_judge.h). Own scenes: a screw in a nut, a chain of tori, an arch, a pendulum on a pin, cards, a gap, a
 * tonne. The public scenes of the IPC project are an extra, read through the converter that lies beside them
 * (judge/convert.py);
 * --folder says where. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mesh_judge.h"
#include "row.h"
#include "stage.h"

#define SURE 1e-9 /* m: a deeper crossing is one */
#define ENERGY 1.05
#define LOST_SHARE 0.005
#define COARSE_STEP 0.01 /* s, unless the scene asks for a larger one */
#define DENSITY 1000.0
#define MOST_MESHES 512
#define MOST_PARTS 1024

typedef enum partKind { partFree, partStatic, partKinematic } partKind;

/* A mesh about its centre of mass with the mass properties of a solid. */
typedef struct solid {
  judgeMesh mesh;
  double mass, inertia[6], centre[3]; /* xx yy zz xy xz yz of DENSITY; where the centre was */
} solid;

typedef struct part {
  int solid;
  partKind kind;
  int group; /* -1: none; parts of one group do not meet */
  double mass, inertia[6], position[3], turn[4], velocity[3], spin[3], force[3], torque[3];
  int locked[6];
  double moves; /* s: a kinematic one stops then */
  dBodyID body;
  dGeomID geom;
} part;

typedef struct assembly {
  double gravity[3], mu, bounce, step, seconds, fall; /* fall: m, how far something goes below the start's lowest */
  solid solids[MOST_MESHES];
  part parts[MOST_PARTS];
  int solidCount, partCount;
} assembly;

/* ---- solids */

static double determinant(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Integrals over the tetrahedra from the origin to each face; then the mesh is moved to its centre. */
static int finishSolid(assembly *w, judgeMesh mesh) {
  double volume = 0, first[3] = {0}, second[3][3] = {{0}};
  for (int i = 0; i < mesh.faceCount; ++i) {
    const double *p[3];
    for (int k = 0; k < 3; ++k) p[k] = mesh.vertices[mesh.faces[i][k]];
    double part6 = determinant(p[0], p[1], p[2]) / 6;
    volume += part6;
    for (int k = 0; k < 3; ++k) {
      double sum = p[0][k] + p[1][k] + p[2][k];
      first[k] += part6 * sum / 4;
      for (int m = 0; m < 3; ++m)
        second[k][m] +=
            part6 / 20 *
            (sum * (p[0][m] + p[1][m] + p[2][m]) + p[0][k] * p[0][m] + p[1][k] * p[1][m] + p[2][k] * p[2][m]);
    }
  }
  if (volume < 0) { /* inside out */
    for (int i = 0; i < mesh.faceCount; ++i) {
      int swap = mesh.faces[i][1];
      mesh.faces[i][1] = mesh.faces[i][2];
      mesh.faces[i][2] = swap;
    }
    volume = -volume;
    for (int k = 0; k < 3; ++k) {
      first[k] = -first[k];
      for (int m = 0; m < 3; ++m) second[k][m] = -second[k][m];
    }
  }
  solid *out = &w->solids[w->solidCount];
  *out = (solid){.mesh = mesh, .mass = DENSITY * volume};
  for (int k = 0; k < 3; ++k) out->centre[k] = first[k] / volume;
  for (int k = 0; k < 3; ++k)
    for (int m = 0; m < 3; ++m) second[k][m] -= volume * out->centre[k] * out->centre[m];
  double trace = second[0][0] + second[1][1] + second[2][2];
  for (int k = 0; k < 3; ++k) out->inertia[k] = DENSITY * (trace - second[k][k]);
  out->inertia[3] = -DENSITY * second[0][1];
  out->inertia[4] = -DENSITY * second[0][2];
  out->inertia[5] = -DENSITY * second[1][2];
  for (int i = 0; i < mesh.vertexCount; ++i)
    for (int k = 0; k < 3; ++k) mesh.vertices[i][k] -= out->centre[k];
  return w->solidCount++;
}

static judgeMesh allocateMesh(int vertexCount, int faceCount) {
  judgeMesh mesh = {malloc((size_t)vertexCount * sizeof *mesh.vertices), malloc((size_t)faceCount * sizeof *mesh.faces),
                    vertexCount, faceCount};
  if (mesh.vertices == NULL || mesh.faces == NULL) abort();
  return mesh;
}

/* A surface over a grid of rings; the sides of a ring close up. Closed: the last ring meets the first one (tori, nuts);
 * else both ends get a cap. */
typedef void surfacePoint(const double *sizes, double ring, double side, double out[3]); /* both in [0,1) or [0,1] */

static int loft(assembly *w, int rings, int sides, bool closed, surfacePoint *at, const double *sizes) {
  int strips = closed ? rings : rings - 1, caps = closed ? 0 : 2;
  judgeMesh mesh = allocateMesh(rings * sides + caps, 2 * strips * sides + caps * sides);
  int faces = 0;
  for (int i = 0; i < rings * sides; ++i)
    at(sizes, (double)(i / sides) / (closed ? rings : rings - 1), (double)(i % sides) / sides, mesh.vertices[i]);
  for (int i = 0; i < strips; ++i)
    for (int k = 0; k < sides; ++k) {
      int a = i * sides + k, b = i * sides + (k + 1) % sides, c = (i + 1) % rings * sides + k,
          d = (i + 1) % rings * sides + (k + 1) % sides;
      const int quad[2][3] = {{a, b, d}, {a, d, c}};
      memcpy(mesh.faces[faces], quad, sizeof quad);
      faces += 2;
    }
  for (int end = 0; end < caps; ++end) {
    int centre = rings * sides + end, ring = end * (rings - 1) * sides;
    memset(mesh.vertices[centre], 0, sizeof *mesh.vertices);
    for (int k = 0; k < sides; ++k)
      for (int m = 0; m < 3; ++m) mesh.vertices[centre][m] += mesh.vertices[ring + k][m] / sides;
    for (int k = 0; k < sides; ++k) {
      int one = ring + k, two = ring + (k + 1) % sides;
      const int face[3] = {centre, end ? one : two, end ? two : one};
      memcpy(mesh.faces[faces++], face, sizeof face);
    }
  }
  return finishSolid(w, mesh);
}

static int addBlock(assembly *w, const double corners[8][3]) { /* bits of the index: x, y, z */
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  judgeMesh mesh = allocateMesh(8, 12);
  memcpy(mesh.vertices, corners, 8 * sizeof *mesh.vertices);
  memcpy(mesh.faces, faces, sizeof faces);
  return finishSolid(w, mesh);
}

static int addBox(assembly *w, double x, double y, double z) {
  double corners[8][3];
  for (int i = 0; i < 8; ++i) {
    corners[i][0] = (i & 1 ? x : -x) / 2;
    corners[i][1] = (i & 2 ? y : -y) / 2;
    corners[i][2] = (i & 4 ? z : -z) / 2;
  }
  return addBlock(w, (const double(*)[3])corners);
}

/* The solid's own frame (before it was centred) at `place`. */
static part *addPart(assembly *w, int solidIndex, partKind kind, double x, double y, double z) {
  const solid *s = &w->solids[solidIndex];
  part *p = &w->parts[w->partCount++];
  *p = (part){.solid = solidIndex, .kind = kind, .group = -1, .mass = s->mass, .turn = {1, 0, 0, 0}, .moves = 1e30};
  memcpy(p->inertia, s->inertia, sizeof p->inertia);
  p->position[0] = x + s->centre[0];
  p->position[1] = y + s->centre[1];
  p->position[2] = z + s->centre[2];
  return p;
}

static void turnPart(part *p, double x, double y, double z, double angle) {
  dQuaternion q;
  dQFromAxisAndAngle(q, x, y, z, angle);
  for (int k = 0; k < 4; ++k) p->turn[k] = q[k];
}

/* ---- own scenes; z up, g 9.81 */

/* sizes: radius, depth of the thread, pitch, length */
static void screwPoint(const double *sizes, double ring, double side, double out[3]) {
  double z = sizes[3] * ring, angle = 2 * M_PI * side,
         radius = sizes[0] + sizes[1] * cos(2 * M_PI * z / sizes[2] - angle);
  out[0] = radius * cos(angle);
  out[1] = radius * sin(angle);
  out[2] = z;
}

/* sizes: as of the screw (its own radius and the clearance), outer radius, number of points up the thread. A ring is a
 * cut at one angle: up along the thread, down the outside. */
static void nutPoint(const double *sizes, double ring, double side, double out[3]) {
  double points = sizes[5], at = side * (points + 2), angle = 2 * M_PI * ring;
  bool inner = at < points - 0.5;
  double z = inner ? sizes[3] * round(at) / (points - 1) : at < points + 0.5 ? sizes[3] : 0;
  double radius = inner ? sizes[0] + sizes[1] * cos(2 * M_PI * z / sizes[2] - angle) : sizes[4];
  out[0] = radius * cos(angle);
  out[1] = radius * sin(angle);
  out[2] = z;
}

static void torusPoint(const double *sizes, double ring, double side, double out[3]) {
  double a = 2 * M_PI * ring, b = 2 * M_PI * side, radius = sizes[0] + sizes[1] * cos(b);
  out[0] = radius * cos(a);
  out[1] = radius * sin(a);
  out[2] = sizes[1] * sin(b);
}

static void cylinderPoint(const double *sizes, double ring, double side, double out[3]) { /* radius, length; along y */
  double a = 2 * M_PI * side;
  out[0] = sizes[0] * cos(a);
  out[1] = sizes[1] * (ring - 0.5);
  out[2] = sizes[0] * sin(a);
}

/* A bar along -z with a round hole at the origin, its axis y. sizes: hole, half width, half thickness, length. A ring
 * is a cut at one angle about the hole: hole and outline, front and back. */
static void armPoint(const double *sizes, double ring, double side, double out[3]) {
  double angle = 2 * M_PI * ring, x = cos(angle), z = sin(angle);
  int corner = (int)round(4 * side); /* inner front, inner back, outer back, outer front */
  double wide = fabs(x) > 1e-12 ? sizes[1] / fabs(x) : 1e9,
         up = fabs(z) > 1e-12 ? (z > 0 ? sizes[1] : sizes[3]) / fabs(z) : 1e9;
  double radius = corner < 2 ? sizes[0] : fmin(wide, up);
  out[0] = radius * x;
  out[1] = corner == 0 || corner == 3 ? -sizes[2] : sizes[2];
  out[2] = radius * z;
}

static void buildScrew(assembly *w) {
  const double clearance = 2e-4, screw[4] = {0.02, 0.0015, 0.01, 0.06},
               nut[6] = {0.02 + clearance, 0.0015, 0.01, 0.02, 0.035, 25};
  int nutSolid = loft(w, 48, 27, true, nutPoint, nut), screwSolid = loft(w, 73, 48, false, screwPoint, screw);
  addPart(w, nutSolid, partStatic, 0, 0, 0);
  addPart(w, screwSolid, partFree, 0, 0, 0);
  w->seconds = 1;
}

static void buildLinks(assembly *w) {
  const double torus[2] = {0.1, 0.025};
  int link = loft(w, 24, 12, true, torusPoint, torus);
  for (int i = 0; i < 5; ++i) {
    part *p = addPart(w, link, i == 0 ? partStatic : partFree, 0.148 * i, 0, 0); /* 0.1 + 0.1 - 2 * 0.025 would touch */
    turnPart(p, 1, 0, 0, i % 2 ? 0 : M_PI / 2);
  }
  w->fall = 0.6;
  w->seconds = 2;
}

/* Drawn tight by its last link, as heavy as four: what is struck between two links is felt by all. */
static void buildTautChain(assembly *w) {
  const double torus[2] = {0.1, 0.025};
  int link = loft(w, 24, 12, true, torusPoint, torus);
  for (int i = 0; i < 10; ++i) {
    part *p = addPart(w, link, i == 0 ? partStatic : partFree, 0.148 * i, 0, 0);
    turnPart(p, 1, 0, 0, i % 2 ? 0 : M_PI / 2);
    for (int k = 0; i == 9 && k < 6; ++k) p->inertia[k] *= 4;
    p->mass *= i == 9 ? 4 : 1;
  }
  w->fall = 1.4;
  w->seconds = 1;
}

static void buildArch(assembly *w) {
  enum { stones = 9 };
  addPart(w, addBox(w, 6, 2, 0.2), partStatic, 0, 0, -0.1);
  for (int i = 0; i < stones; ++i) {
    double corners[8][3], gap = 1e-4;
    for (int c = 0; c < 8; ++c) {
      double angle = M_PI * (i + (c & 1 ? 0 : 1)) / stones + (c & 1 ? gap : -gap), radius = c & 4 ? 1.4 : 1;
      corners[c][0] = radius * cos(angle);
      corners[c][1] = c & 2 ? 0.25 : -0.25;
      corners[c][2] = radius * sin(angle) + 1e-3;
    }
    addPart(w, addBlock(w, (const double(*)[3])corners), partFree, 0, 0, 0);
  }
  w->mu = 0.6;
  w->seconds = 2;
}

static void buildPendulum(assembly *w) {
  const double pin[2] = {0.02, 0.2}, arm[4] = {0.0205, 0.04, 0.02, 0.4};
  addPart(w, loft(w, 2, 32, false, cylinderPoint, pin), partStatic, 0, 0, 0);
  int solidIndex = loft(w, 64, 4, true, armPoint, arm);
  part *p = addPart(w, solidIndex, partFree, 0, 0, 0);
  double reach = -w->solids[solidIndex].centre[2];
  turnPart(p, 0, 1, 0, M_PI / 2); /* -z to -x */
  p->position[0] = -reach;
  p->position[2] = 0;
  w->fall = 0.4;
  w->seconds = 2;
}

static void buildRing(assembly *w) {
  const double peg[2] = {0.075, 0.2}, ring[2] = {0.1, 0.02};
  addPart(w, loft(w, 2, 32, false, cylinderPoint, peg), partStatic, 0, 0, 0);
  part *p = addPart(w, loft(w, 32, 12, true, torusPoint, ring), partFree, 0, 0, 0);
  turnPart(p, 1, 0, 0, M_PI / 2);
  p->spin[1] = 10;
  w->mu = 0.3;
  w->fall = 0.6;
  w->seconds = 2;
}

static void buildCards(assembly *w) {
  const double lean = 25 * M_PI / 180, high = 0.1, thick = 0.003;
  int card = addBox(w, thick, 0.06, high);
  addPart(w, addBox(w, 1, 1, 0.1), partStatic, 0, 0, -0.05);
  for (int pair = 0; pair < 2; ++pair)
    for (int side = -1; side <= 1; side += 2) {
      double spread = 0.5 * (high * sin(lean) + thick * cos(lean)) + 5e-4;
      part *p = addPart(w, card, partFree, 0.11 * (pair - 0.5) + side * spread, 0,
                        0.5 * (high * cos(lean) + thick * sin(lean)) + 2e-4);
      turnPart(p, 0, 1, 0, -side * lean);
    }
  double top = high * cos(lean) + thick * sin(lean) + 5e-4;
  addPart(w, addBox(w, 0.16, 0.06, thick), partFree, 0, 0, top + thick / 2);
  w->mu = 0.9;
  w->seconds = 2;
}

static void buildGap(assembly *w) {
  int side = addBox(w, 0.5, 1, 0.3), cube = addBox(w, 0.2, 0.2, 0.2);
  for (int k = -1; k <= 1; k += 2) addPart(w, side, partStatic, k * (0.25 + 0.10005), 0, 0);
  addPart(w, addBox(w, 2, 2, 0.1), partStatic, 0, 0, -0.8);
  addPart(w, cube, partFree, 0, 0, 0.3);
  w->seconds = 1;
}

static void buildThinWalls(assembly *w) {
  int plate = addBox(w, 0.002, 2, 2), cube = addBox(w, 0.2, 0.2, 0.2);
  for (int k = 0; k < 4; ++k) addPart(w, plate, partStatic, 1.0 + k, 0, 0);
  part *p = addPart(w, cube, partFree, 0, 0, 0);
  p->velocity[0] = 100;
  p->spin[1] = 3;
  memset(w->gravity, 0, sizeof w->gravity);
  w->seconds = 0.5;
}

/* 1,000 kg onto 1 kg. */
static void buildHeavy(assembly *w) {
  addPart(w, addBox(w, 4, 4, 0.1), partStatic, 0, 0, -0.05);
  addPart(w, addBox(w, 0.1, 0.1, 0.1), partFree, 0, 0, 0.055);
  addPart(w, addBox(w, 1, 1, 1), partFree, 0, 0, 0.65);
  w->mu = 0.5;
  w->fall = 0.1;
  w->seconds = 2;
}

typedef struct ownScene {
  const char *name;
  void (*build)(assembly *w);
} ownScene;

static const ownScene ownScenes[] = {{"screw in nut", buildScrew},
                                     {"chain of 5 tori", buildLinks},
                                     {"taut chain of 10 tori", buildTautChain},
                                     {"arch of 9 stones", buildArch},
                                     {"pendulum on a pin", buildPendulum},
                                     {"ring on a peg", buildRing},
                                     {"card house", buildCards},
                                     {"cube and gap of 0.1 mm", buildGap},
                                     {"thin walls, 100 m/s", buildThinWalls},
                                     {"a tonne onto a kilogram", buildHeavy}};
enum { ownCount = (int)(sizeof ownScenes / sizeof *ownScenes) };

/* ---- public scenes */

static char publicPaths[128][300];
static int publicCount = -1;
static char publicRoot[1024];

static void listPublic(const rowOptions *options) {
  if (publicCount >= 0) return;
  publicCount = 0;
  snprintf(publicRoot, sizeof publicRoot, "%s",
           options->folder != NULL ? options->folder : BRINK_SOURCE_DIR "/../shared/rigid-bodies");
  char command[1200], line[300];
  snprintf(command, sizeof command,
           "cd '%s' 2>/dev/null && ls judge/convert.py >/dev/null 2>&1 && find scenes -name '*.json' | sort",
           publicRoot);
  FILE *list = popen(command, "r");
  while (list != NULL && publicCount < 128 && fgets(line, sizeof line, list) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    memcpy(publicPaths[publicCount++], line, sizeof line);
  }
  if (list != NULL) pclose(list);
}

static bool readNumbers(FILE *file, double *out, int count) {
  for (int i = 0; i < count; ++i)
    if (fscanf(file, "%lf", &out[i]) != 1) return false;
  return true;
}

static bool readPart(FILE *file, part *p) {
  char name[128];
  int kind, closed;
  double locked[6];
  *p = (part){0};
  if (fscanf(file, "%127s %d %d %d %d", name, &kind, &p->group, &closed, &p->solid) != 5) return false;
  p->kind = (partKind)kind;
  bool good = readNumbers(file, &p->mass, 1) && readNumbers(file, p->inertia, 6) && readNumbers(file, p->position, 3) &&
              readNumbers(file, p->turn, 4) && readNumbers(file, p->velocity, 3) && readNumbers(file, p->spin, 3) &&
              readNumbers(file, p->force, 3) && readNumbers(file, p->torque, 3) && readNumbers(file, locked, 6) &&
              readNumbers(file, &p->moves, 1);
  for (int k = 0; k < 6; ++k) p->locked[k] = (int)locked[k];
  return good;
}

/* The text that convert.py writes. */
static bool readScene(FILE *file, assembly *w) {
  double head[7];
  if (!readNumbers(file, head, 7) || fscanf(file, "%d %d", &w->solidCount, &w->partCount) != 2) return false;
  if (w->solidCount > MOST_MESHES || w->partCount > MOST_PARTS) return false;
  memcpy(w->gravity, head, sizeof w->gravity);
  w->mu = head[3];
  w->bounce = head[4];
  w->step = fmax(head[5], COARSE_STEP);
  w->seconds = head[6];
  for (int i = 0; i < w->solidCount; ++i) {
    int vertices, faces;
    if (fscanf(file, "%d %d", &vertices, &faces) != 2) return false;
    w->solids[i].mesh = allocateMesh(vertices, faces);
    if (!readNumbers(file, &w->solids[i].mesh.vertices[0][0], 3 * vertices)) return false;
    for (int k = 0; k < 3 * faces; ++k)
      if (fscanf(file, "%d", &w->solids[i].mesh.faces[k / 3][k % 3]) != 1) return false;
  }
  for (int i = 0; i < w->partCount; ++i)
    if (!readPart(file, &w->parts[i])) return false;
  return true;
}

static bool buildPublic(assembly *w, const char *path, rowResult *out) {
  char name[] = BRINK_BINARY_DIR "/scene-XXXXXX", command[4096];
  int handle = mkstemp(name);
  if (handle < 0) return false;
  close(handle);
  snprintf(command, sizeof command, "python3 '%s/judge/convert.py' '%s' '%s/%s' '%s' >/dev/null 2>&1", publicRoot,
           publicRoot, publicRoot, path, name);
  bool converted = system(command) == 0;
  FILE *file = converted ? fopen(name, "r") : NULL;
  bool good = file != NULL && readScene(file, w);
  if (!good) row_Say(out, "%s", converted ? "could not be read" : "python3 or judge/convert.py failed");
  if (file != NULL) fclose(file);
  unlink(name);
  return good;
}

/* ---- a run */

static void lockPart(stage *s, const part *p) {
  int moves = p->locked[0] + p->locked[1] + p->locked[2], turns = p->locked[3] + p->locked[4] + p->locked[5], open = 0;
  if (moves == 3 && turns == 0) stage_AddBall(s, p->body, NULL, p->position);
  if (moves == 3 && turns == 2) {
    double axis[3] = {!p->locked[3], !p->locked[4], !p->locked[5]};
    stage_AddHinge(s, p->body, NULL, p->position, axis);
  }
  if (moves == 2 && turns == 3) {
    double axis[3] = {!p->locked[0], !p->locked[1], !p->locked[2]};
    stage_AddSlider(s, p->body, NULL, axis);
  }
  if (moves != 0 || turns != 3) return;
  dJointID motor = dJointCreateAMotor(s->world, NULL);
  dJointAttach(motor, p->body, NULL);
  dJointSetAMotorMode(motor, dAMotorUser);
  dJointSetAMotorNumAxes(motor, 3);
  for (open = 0; open < 3; ++open) {
    dJointSetAMotorAxis(motor, open, 0, open == 0, open == 1, open == 2);
    dJointSetAMotorParam(motor, dParamFMax + open * dParamGroup, dInfinity);
  }
}

static void placePart(stage *s, assembly *w, part *p) {
  const solid *shape = &w->solids[p->solid];
  const dQuaternion turn = {p->turn[0], p->turn[1], p->turn[2], p->turn[3]};
  p->geom = stage_AddMesh(s, (const double(*)[3])shape->mesh.vertices, shape->mesh.vertexCount,
                          (const int(*)[3])shape->mesh.faces, shape->mesh.faceCount);
  dGeomSetCategoryBits(p->geom, p->group >= 0 && p->group < 30 ? 2ul << p->group : 1);
  if (p->group >= 0 && p->group < 30) dGeomSetCollideBits(p->geom, ~(2ul << p->group));
  if (p->kind == partStatic) {
    dGeomSetPosition(p->geom, p->position[0], p->position[1], p->position[2]);
    dGeomSetQuaternion(p->geom, turn);
    return;
  }
  dMass mass;
  dMassSetParameters(&mass, p->mass, 0, 0, 0, p->inertia[0], p->inertia[1], p->inertia[2], p->inertia[3], p->inertia[4],
                     p->inertia[5]);
  p->body = stage_AddBareBody(s, &mass, p->position);
  dGeomSetBody(p->geom, p->body);
  dBodySetQuaternion(p->body, turn);
  dBodySetLinearVel(p->body, p->velocity[0], p->velocity[1], p->velocity[2]);
  dBodySetAngularVel(p->body, p->spin[0], p->spin[1], p->spin[2]);
  if (p->kind == partKinematic) {
    dBodySetKinematic(p->body);
    s->bodyCount--;
  } else {
    lockPart(s, p);
  }
}

/* Kinetic and potential energy over the lowest point of the start. ODE moves by the velocities at a step's end, which
 * are thus those of its middle: heights count half a step back. Then free flight keeps every bit of its energy; else
 * what swings would show 0.5 h m g v more on its way up than on its way down. */
static double findEnergy(const stage *s, const assembly *w, double lowest) {
  double sum = stage_Energy(s, 0),
         size = sqrt(w->gravity[0] * w->gravity[0] + w->gravity[1] * w->gravity[1] + w->gravity[2] * w->gravity[2]);
  for (int i = 0; i < w->partCount; ++i) {
    const part *p = &w->parts[i];
    if (p->kind != partFree) continue;
    const dReal *x = dBodyGetPosition(p->body), *v = dBodyGetLinearVel(p->body);
    for (int k = 0; k < 3; ++k) sum -= p->mass * w->gravity[k] * (x[k] - 0.5 * s->setup.h * v[k]);
    sum -= p->mass * size * lowest;
  }
  return sum;
}

/* Lowest point against gravity, m. */
static double findLowest(const assembly *w) {
  double lowest = INFINITY, size = 0;
  for (int k = 0; k < 3; ++k) size += w->gravity[k] * w->gravity[k];
  size = sqrt(size);
  for (int i = 0; i < w->partCount && size > 0; ++i) {
    dReal box[6];
    dGeomGetAABB(w->parts[i].geom, box);
    double height = 0;
    for (int k = 0; k < 3; ++k) height -= w->gravity[k] / size * (w->gravity[k] < 0 ? box[2 * k] : box[2 * k + 1]);
    lowest = fmin(lowest, height);
  }
  return size > 0 ? lowest - w->fall : 0;
}

static int judgeAll(const assembly *w, double *deepest) {
  static judgePose poses[MOST_PARTS];
  static dReal boxes[MOST_PARTS][6];
  int pairs = 0;
  for (int i = 0; i < w->partCount; ++i) {
    const dReal *x = dGeomGetPosition(w->parts[i].geom), *r = dGeomGetRotation(w->parts[i].geom);
    for (int k = 0; k < 9; ++k) poses[i].rotation[k] = r[4 * (k / 3) + k % 3];
    for (int k = 0; k < 3; ++k) poses[i].position[k] = x[k];
    dGeomGetAABB(w->parts[i].geom, boxes[i]);
  }
  for (int i = 0; i < w->partCount; ++i)
    for (int k = i + 1; k < w->partCount; ++k) {
      const part *a = &w->parts[i], *b = &w->parts[k];
      bool near = (a->kind == partFree || b->kind == partFree) && !(a->group >= 0 && a->group == b->group);
      for (int axis = 0; axis < 3; ++axis)
        near = near && boxes[i][2 * axis] <= boxes[k][2 * axis + 1] && boxes[k][2 * axis] <= boxes[i][2 * axis + 1];
      if (!near) continue;
      double depth = judge_Crossing(&w->solids[a->solid].mesh, &poses[i], &w->solids[b->solid].mesh, &poses[k]);
      pairs += depth > SURE;
      *deepest = fmax(*deepest, depth);
    }
  return pairs;
}

static void countLeft(void *user, int level, const char *message) {
  (void)level;
  *(long *)user += strstr(message, "left to the engine") != NULL;
}

static double cpuSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void runAssembly(assembly *w, const stageSetup *setup, double cap, const rowOptions *options, rowResult *out) {
  static stage s;
  bool driven = false;
  long left = 0;
  stage_Begin(&s, setup);
  dWorldSetGravity(s.world, w->gravity[0], w->gravity[1], w->gravity[2]);
  s.surface = (stageSurface){.mode = dContactApprox1 | (w->bounce > 0 ? dContactBounce : 0),
                             .mu = w->mu,
                             .bounce = w->bounce,
                             .maxContacts = 64};
  if (s.brink != NULL) dBrinkSetLog(s.brink, countLeft, &left);
  for (int i = 0; i < w->partCount; ++i) {
    part *p = &w->parts[i];
    placePart(&s, w, p);
    for (int k = 0; k < 3; ++k) driven = driven || p->force[k] != 0 || p->torque[k] != 0;
    driven = driven || p->kind == partKinematic;
  }
  double lowest = findLowest(w), start = findEnergy(&s, w, lowest), most = start, deepest = -1, cpu = 0;
  double began = cpuSeconds();
  int atStart = judgeAll(w, &deepest), bad = 0, steps = (int)ceil(w->seconds / s.setup.h - 1e-9), done = 0;
  double firstBad = -1;
  deepest = -1;
  for (; done < steps && cpuSeconds() - began < cap && stage_IsFinite(&s); ++done) {
    for (int i = 0; i < w->partCount; ++i) {
      const part *p = &w->parts[i];
      if (p->kind == partFree) {
        dBodyAddForce(p->body, p->force[0], p->force[1], p->force[2]);
        dBodyAddTorque(p->body, p->torque[0], p->torque[1], p->torque[2]);
      } else if (p->kind == partKinematic && s.time >= p->moves) {
        dBodySetLinearVel(p->body, 0, 0, 0);
        dBodySetAngularVel(p->body, 0, 0, 0);
      }
    }
    double before = stage_CpuSeconds();
    stage_Step(&s);
    cpu += stage_CpuSeconds() - before;
    if (judgeAll(w, &deepest) > 0) {
      if (bad++ == 0) firstBad = s.time;
    }
    most = fmax(most, findEnergy(&s, w, lowest));
  }
  double ratio = start > 0 ? most / start : 1, lost = s.time > 0 ? s.lost / s.time : 0;
  out->cases++;
  out->values[0] = bad;
  out->values[1] = atStart;
  out->values[2] = ratio;
  out->values[3] = (double)s.solves / fmax(done, 1);
  row_Say(out, "%d of %d steps cross", bad, done);
  if (bad > 0) row_Say(out, " from %.3g s, %.2g m", firstBad, deepest);
  row_Say(out,
          "; energy %.3g; lost %.3g %%; left to ODE %ld, clamps %ld, undecided %ld; %.3g ms a step, %.3g solves; "
          "%.3g of %.3g s%s",
          ratio, 100 * lost, left, s.clamps, s.unresolved, 1e3 * cpu / fmax(done, 1), (double)s.solves / fmax(done, 1),
          s.time, w->seconds, atStart > 0 ? "; crosses at the start" : "");
  bool ended = done == steps && stage_IsFinite(&s);
  if (setup->way != stagePlain && (bad > 0 || left > 0 || (!driven && ratio > ENERGY) || lost > LOST_SHARE || !ended))
    row_Fail(out, options, "%s%s%s%s%s%s", bad > 0 ? "crosses; " : "", left > 0 ? "pairs left to ODE; " : "",
             !driven && ratio > ENERGY ? "energy; " : "", lost > LOST_SHARE ? "time lost; " : "",
             ended ? "" : "not run to its end; ", s.message);
  stage_End(&s);
}

/* ---- the row: plain ODE (told, not judged), then Brink keep and registered, each with both solvers */

typedef struct manner {
  const char *name;
  stageWay way;
  bool registered, quick;
} manner;
static const manner manners[] = {
    {"plain, WorldStep", stagePlain, false, false},     {"plain, QuickStep", stagePlain, false, true},
    {"keep, WorldStep", stageCalls, false, false},      {"keep, QuickStep", stageCalls, false, true},
    {"registered, WorldStep", stageCalls, true, false}, {"registered, QuickStep", stageCalls, true, true}};
enum { mannerCount = (int)(sizeof manners / sizeof *manners) };

static int countGroups(const rowOptions *options) {
  listPublic(options);
  return (ownCount + (publicCount > 0 && !options->quick ? publicCount : 0)) * mannerCount + (publicCount == 0);
}

static void labelGroup(int group, char *text, int capacity) {
  int index = group / mannerCount;
  const char *path = index < ownCount  ? ownScenes[index].name
                     : publicCount > 0 ? publicPaths[index - ownCount]
                                       : "public scenes";
  const char *slash = index < ownCount ? NULL : strrchr(path, '/');
  snprintf(text, (size_t)capacity, "%s, %s", slash != NULL ? slash + 1 : path, manners[group % mannerCount].name);
}

static void freeSolids(assembly *w) {
  for (int i = 0; i < w->solidCount; ++i) {
    free(w->solids[i].mesh.vertices);
    free(w->solids[i].mesh.faces);
  }
}

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  static assembly w;
  int index = group / mannerCount;
  const manner *how = &manners[group % mannerCount];
  listPublic(options);
  memset(&w, 0, sizeof w);
  w.gravity[2] = -9.81;
  w.step = COARSE_STEP;
  bool good = index >= ownCount ? publicCount > 0 : true;
  if (index < ownCount)
    ownScenes[index].build(&w);
  else if (good)
    good = buildPublic(&w, publicPaths[index - ownCount], out);
  if (!good) {
    out->skipped = true;
    if (publicCount == 0) row_Say(out, "the IPC project's scenes are not there: --folder DIR");
    return;
  }
  const stageSetup setup = {.way = how->way, .registered = how->registered, .quick = how->quick, .h = w.step};
  if (options->quick) w.seconds = fmin(w.seconds, 0.5);
  if (options->seeds > 0) w.seconds = fmin(w.seconds, 0.1 * options->seeds);
  runAssembly(&w, &setup, options->quick ? 5 : options->large ? HUGE_VAL : 60, options, out);
  freeSolids(&w);
}

const row bodiesRow = {ROW_OF_GROUPS(
    10, "rigid-bodies", "0 crossing steps, 0 pairs left to ODE, energy <= 1.05 undriven, lost <= 0.5 %, to the end")};
