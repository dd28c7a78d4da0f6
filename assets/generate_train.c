/* SPDX-License-Identifier: BSD-3-Clause */
/* A train's engine and passenger car, about 2,460 triangles each: body shell with recessed windows and doors, two
 * bogies with four flanged wheels each, couplers at both ends.
 *
 * Frame: x along the train (the engine's nose at +x), y left, z up; the origin is the centre of mass, 1.5 m over the
 * lowest point of the flanges and half way between the couplers. Each model is a set of closed surfaces; some reach
 * into each other (an axle into its wheels), none shares an edge with another. Between the couplers of two vehicles at
 * rest, BRINK_TRAIN_PITCH apart, 6 cm are free. Measures after a light four-axle railcar, shortened; no particular
 * vehicle. All in m, z from the flanges' bottom. */
#include "builder.h"

enum { sectionPoints = 13, roofEdge = 3, windowEdge = 1, doorEdge = 0, maxStations = 24 };
static const double heightOfOrigin = 1.5;

// One cross section of the shell: halves of a bottom, a side with the window's rows, a rounded roof.
typedef struct station {
  double x, halfWidth, floor, sill, lintel, eaves, roof;
} station;

typedef struct shell {
  station stations[maxStations];
  int count;
  bool recessed[maxStations][sectionPoints];  // cell between station i and i + 1, section point j and j + 1
} shell;

static double mixed(double a, double b, double t) { return a + (b - a) * t; }

// The section's points counterclockwise about x: up the left side, over the roof, down the right side.
static brinkVec3 sectionPoint(const station *s, int point) {
  const bool right = point > sectionPoints / 2;
  const int p = right ? sectionPoints - 1 - point : point;
  const double side[4] = {s->floor, s->sill, s->lintel, s->eaves};
  double y = s->halfWidth, z = s->eaves;
  if (p == 0) y -= 0.07;  // the side leans in below the windows
  if (p < 4) {
    z = side[p];
  } else {
    double c, sn;
    brinkCircle((size_t)(p - 3), 12, &c, &sn);  // 30 degrees a step; p = 6 is the ridge
    y *= c;
    z = mixed(s->eaves, s->roof, sn);
  }
  return (brinkVec3){s->x, right ? -y : y, z};
}

// Four corners of a cell and their middle; a recess is the cell shrunk towards the middle and pushed in.
static void addRecess(brinkBuilder *builder, const uint32_t outer[4], const brinkVec3 corners[4], double depth) {
  brinkVec3 middle = {0, 0, 0}, along, across, normal;
  for (int i = 0; i < 4; ++i) {
    middle.x += corners[i].x / 4;
    middle.y += corners[i].y / 4;
    middle.z += corners[i].z / 4;
  }
  along = (brinkVec3){corners[2].x - corners[0].x, corners[2].y - corners[0].y, corners[2].z - corners[0].z};
  across = (brinkVec3){corners[3].x - corners[1].x, corners[3].y - corners[1].y, corners[3].z - corners[1].z};
  normal = (brinkVec3){along.y * across.z - along.z * across.y, along.z * across.x - along.x * across.z,
                       along.x * across.y - along.y * across.x};
  double length = 0;  // any norm does; the largest component needs no root
  const double parts[3] = {normal.x, normal.y, normal.z};
  for (int i = 0; i < 3; ++i)
    length = (parts[i] < 0 ? -parts[i] : parts[i]) > length ? (parts[i] < 0 ? -parts[i] : parts[i]) : length;
  uint32_t inner[4];
  for (int i = 0; i < 4; ++i) {
    inner[i] = brinkBuilder_AddVertex(builder, mixed(middle.x, corners[i].x, 0.88) - depth * normal.x / length,
                                      mixed(middle.y, corners[i].y, 0.88) - depth * normal.y / length,
                                      mixed(middle.z, corners[i].z, 0.88) - depth * normal.z / length);
  }
  for (int i = 0; i < 4; ++i) {
    int next = (i + 1) % 4;
    brinkBuilder_AddQuad(builder, outer[i], outer[next], inner[next], inner[i]);
  }
  brinkBuilder_AddQuad(builder, inner[0], inner[1], inner[2], inner[3]);
}

static void addShell(brinkBuilder *builder, const shell *body) {
  const uint32_t first = (uint32_t)builder->mesh.vertexCount, points = sectionPoints;
  for (int i = 0; i < body->count; ++i) {
    for (int j = 0; j < sectionPoints; ++j) {
      brinkVec3 p = sectionPoint(&body->stations[i], j);
      brinkBuilder_AddVertex(builder, p.x, p.y, p.z);
    }
  }
  for (int i = 0; i + 1 < body->count; ++i) {
    for (int j = 0; j < sectionPoints; ++j) {
      const int next = (j + 1) % sectionPoints;
      const uint32_t ring = first + points * (uint32_t)i;
      const uint32_t outer[4] = {ring + (uint32_t)j, ring + (uint32_t)next, ring + points + (uint32_t)next,
                                 ring + points + (uint32_t)j};
      if (!body->recessed[i][j]) {
        brinkBuilder_AddQuad(builder, outer[0], outer[1], outer[2], outer[3]);
        continue;
      }
      const brinkVec3 corners[4] = {sectionPoint(&body->stations[i], j), sectionPoint(&body->stations[i], next),
                                    sectionPoint(&body->stations[i + 1], next),
                                    sectionPoint(&body->stations[i + 1], j)};
      addRecess(builder, outer, corners, 0.05);
    }
  }
  for (int end = 0; end < 2; ++end) {  // a fan about the middle of each end
    const station *s = &body->stations[end == 0 ? 0 : body->count - 1];
    const uint32_t ring = first + points * (uint32_t)(end == 0 ? 0 : body->count - 1);
    const uint32_t middle = brinkBuilder_AddVertex(builder, s->x, 0, mixed(s->floor, s->eaves, 0.5));
    for (uint32_t j = 0; j < points; ++j) {
      const uint32_t next = ring + (j + 1) % points;
      if (end == 0)
        brinkBuilder_AddTriangle(builder, middle, next, ring + j);
      else
        brinkBuilder_AddTriangle(builder, middle, ring + j, next);
    }
  }
}

static void addStation(shell *body, station s) { body->stations[body->count++] = s; }

// Recesses a cell, on both sides, between the last station and the one before.
static void recessLast(shell *body, int edge) {
  body->recessed[body->count - 2][edge] = true;
  body->recessed[body->count - 2][sectionPoints - 2 - edge] = true;
}

static void addBox(brinkBuilder *builder, double x0, double x1, double y0, double y1, double z0, double z1) {
  brinkBuilder_AddBox(builder, (brinkVec3){x0, y0, z0}, (brinkVec3){x1, y1, z1});
}

static void addWheel(brinkBuilder *builder, double x, bool left) {
  // Distance from the track's middle, radius: flange, tread, face.
  static const double outline[3][2] = {{0.645, 0.500}, {0.685, 0.462}, {0.810, 0.452}};
  double turned[3][2];
  for (int i = 0; i < 3; ++i) {
    turned[i][0] = left ? outline[i][0] : -outline[2 - i][0];
    turned[i][1] = outline[left ? i : 2 - i][1];
  }
  brinkBuilder_AddTurned(builder, 1, (brinkVec3){x, 0, 0.5}, (const double(*)[2])turned, 3, 24);
}

static void addBogie(brinkBuilder *builder, double x) {
  static const double axle[2][2] = {{-0.90, 0.075}, {0.90, 0.075}};
  for (int i = -1; i <= 1; i += 2) {
    const double axleX = x + 0.78 * i;
    addWheel(builder, axleX, true);
    addWheel(builder, axleX, false);
    brinkBuilder_AddTurned(builder, 1, (brinkVec3){axleX, 0, 0.5}, axle, 2, 6);
    addBox(builder, axleX - 0.17, axleX + 0.17, 0.83, 1.07, 0.34, 0.71);  // axle boxes
    addBox(builder, axleX - 0.17, axleX + 0.17, -1.07, -0.83, 0.34, 0.71);
  }
  addBox(builder, x - 1.20, x + 1.20, 0.87, 1.03, 0.44, 0.66);
  addBox(builder, x - 1.20, x + 1.20, -1.03, -0.87, 0.44, 0.66);
  addBox(builder, x - 0.21, x + 0.21, -0.95, 0.95, 0.52, 0.88);
}

static void addCoupler(brinkBuilder *builder, int direction) {
  static const double head[4][2] = {{4.70, 0.11}, {4.79, 0.17}, {4.91, 0.17}, {4.97, 0.12}};
  double turned[4][2];
  for (int i = 0; i < 4; ++i) {
    turned[i][0] = direction > 0 ? head[i][0] : -head[3 - i][0];
    turned[i][1] = head[direction > 0 ? i : 3 - i][1];
  }
  const double x0 = direction > 0 ? 4.05 : -4.76, x1 = direction > 0 ? 4.76 : -4.05;
  addBox(builder, x0, x1, -0.08, 0.08, 0.76, 0.90);
  brinkBuilder_AddTurned(builder, 0, (brinkVec3){0, 0, 0.83}, (const double(*)[2])turned, 4, 8);
}

static void addRunningGear(brinkBuilder *builder) {
  addBogie(builder, -2.95);
  addBogie(builder, 2.95);
  addCoupler(builder, -1);
  addCoupler(builder, 1);
  addBox(builder, -4.32, 4.32, -1.08, 1.08, 0.86, 1.06);  // underframe, reaching into the shell
  addBox(builder, -1.35, 1.35, -1.00, 1.00, 0.36, 0.90);  // tank and batteries between the bogies
}

brinkStatus brinkBuildCar(brinkBuilder *builder, uint64_t seed) {
  enum { windows = 8 };
  brinkBuilder_Place(builder, 0, 0, -heightOfOrigin);
  shell body = {.count = 0};
  station s = {.halfWidth = 1.30, .floor = 1.00, .sill = 1.78, .lintel = 2.58, .eaves = 2.80, .roof = 3.30};
  station end = {.halfWidth = 1.20, .floor = 1.03, .sill = 1.78, .lintel = 2.55, .eaves = 2.72, .roof = 3.18};
  const double windowWidth = 0.54 + 0.05 * brinkNoise(seed, 1, 0), pitch = 0.79;
  end.x = -4.50, addStation(&body, end);
  s.x = -4.42, addStation(&body, s);
  s.x = -4.15, addStation(&body, s);
  s.x = -3.40, addStation(&body, s);
  recessLast(&body, doorEdge), recessLast(&body, windowEdge);
  for (int i = 0; i < windows; ++i) {
    const double middle = pitch * (i - 0.5 * (windows - 1));
    s.x = middle - windowWidth / 2, addStation(&body, s);
    s.x = middle + windowWidth / 2, addStation(&body, s);
    recessLast(&body, windowEdge);
  }
  s.x = 3.40, addStation(&body, s);
  s.x = 4.15, addStation(&body, s);
  recessLast(&body, doorEdge), recessLast(&body, windowEdge);
  s.x = 4.42, addStation(&body, s);
  end.x = 4.50, addStation(&body, end);
  addShell(builder, &body);
  addRunningGear(builder);
  addBox(builder, -4.74, -4.45, -0.52, 0.52, 1.04, 3.02);  // gangways
  addBox(builder, 4.45, 4.74, -0.52, 0.52, 1.04, 3.02);
  for (int i = 0; i < 3; ++i) {  // ventilators on the roof
    const double x = 2.6 * (i - 1) + 0.25 * brinkNoise(seed, 2, i);
    addBox(builder, x - 0.45, x + 0.45, -0.32, 0.32, 3.20, 3.40);
  }
  return brink_ok;
}

brinkStatus brinkBuildEngine(brinkBuilder *builder, uint64_t seed) {
  brinkBuilder_Place(builder, 0, 0, -heightOfOrigin);
  shell body = {.count = 0};
  station s = {.halfWidth = 1.30, .floor = 0.98, .sill = 1.72, .lintel = 2.48, .eaves = 2.72, .roof = 3.12};
  station rear = {.halfWidth = 1.20, .floor = 1.02, .sill = 1.72, .lintel = 2.44, .eaves = 2.62, .roof = 2.98};
  const double grilleWidth = 0.80 + 0.05 * brinkNoise(seed, 3, 0);
  rear.x = -4.50, addStation(&body, rear);
  s.x = -4.40, addStation(&body, s);
  for (int i = 0; i < 4; ++i) {  // engine room: grilles, from behind to the cab
    const double middle = -3.72 + 1.22 * i;
    s.x = middle - grilleWidth / 2, addStation(&body, s);
    s.x = middle + grilleWidth / 2, addStation(&body, s);
    recessLast(&body, windowEdge);
  }
  s.x = 0.70, addStation(&body, s);
  s.roof = 3.36, s.eaves = 2.80, s.lintel = 2.58, s.sill = 1.84;
  s.x = 0.90, addStation(&body, s);  // the cab is higher
  s.x = 1.10, addStation(&body, s);
  s.x = 1.80, addStation(&body, s);
  recessLast(&body, doorEdge), recessLast(&body, windowEdge);
  s.x = 1.98, addStation(&body, s);
  s.x = 2.75, addStation(&body, s);
  recessLast(&body, windowEdge);
  s.x = 2.90, addStation(&body, s);
  // Windscreen down to the nose: two panes beside the middle of the roof.
  addStation(&body, (station){3.45, 1.24, 0.98, 1.56, 1.98, 2.16, 2.34});
  body.recessed[body.count - 2][5] = body.recessed[body.count - 2][6] = true;
  addStation(&body, (station){4.22, 1.14, 0.98, 1.42, 1.80, 1.96, 2.12});
  addStation(&body, (station){4.50, 0.92, 1.02, 1.36, 1.64, 1.74, 1.84});
  addShell(builder, &body);
  addRunningGear(builder);
  static const double lamp[2][2] = {{4.44, 0.12}, {4.56, 0.10}}, fan[2][2] = {{3.00, 0.42}, {3.22, 0.38}};
  for (int i = -1; i <= 1; i += 2) brinkBuilder_AddTurned(builder, 0, (brinkVec3){0, 0.48 * i, 1.52}, lamp, 2, 8);
  for (int i = 0; i < 3; ++i) brinkBuilder_AddTurned(builder, 2, (brinkVec3){-3.5 + 1.1 * i, 0, 0}, fan, 2, 10);
  addBox(builder, -0.55, 0.15, -0.22, 0.22, 3.02, 3.38);  // exhaust
  addBox(builder, 1.55, 2.25, -0.06, 0.06, 3.30, 3.44);   // horn
  addBox(builder, 4.22, 4.58, -0.98, 0.98, 0.26, 0.62);   // rail guard
  return brink_ok;
}
