/* SPDX-License-Identifier: BSD-3-Clause */
/* A construction site of about 394,000 triangles: ground, concrete skeletons, scaffolds, pipes, a shaft, trucks,
 * fences, bricks, reinforcement, offices and drums, each kind one mesh that stands in many places.
 *
 * Frames: origin on the ground below the middle, z up. All surfaces but the ground are closed; many reach into each
 * other. Objects touch nothing that moves at rest: they float 1 cm over z = 0 at most. Machines work on the flat
 * middle, x in [-20, 20], y in [-14, 14]; see brinkSitePlaces.
 * Based on: [CATCH] Sec. 8.1 (3), Figs. 9 and 10 (construction site, 0.394M triangles). */
#include "builder.h"
#include "kinematics.h"
#include "paper_models.h"

const char *brinkSiteObjectName(brinkSiteObject kind) {
  static const char *const names[BRINK_SITE_OBJECTS] = {"ground", "building", "scaffold", "pipes",     "shaft", "truck",
                                                        "fence",  "bricks",   "rebar",    "container", "barrel"};
  return names[kind];
}

const brinkSitePlace brinkSitePlaces[] = {
    {brink_siteGround, 0, 0, 0},
    // The town of skeletons north and south, scaffolds at their fronts.
    {brink_siteBuilding, -22, 25, 0},
    {brink_siteBuilding, 22, 25, 0},
    {brink_siteBuilding, 0, -27, 0},
    {brink_siteBuilding, 24, -27, 0},
    {brink_siteScaffold, -22, 18.5, 0},
    {brink_siteScaffold, 22, 18.5, 0},
    {brink_siteScaffold, 0, -20.6, 0},
    {brink_siteScaffold, 24, -20.6, 0},
    {brink_siteScaffold, 31, 25, 1.5707963267948966},
    // Around the middle: where the excavator drives.
    {brink_sitePipes, 10, 8, 0},
    {brink_sitePipes, 13.5, -9, 0.3},
    {brink_sitePipes, -15, -8, 1.2},
    {brink_sitePipes, -28, 4, 0},
    {brink_sitePipes, 4.5, 14.5, 1.5707963267948966},
    {brink_siteShaft, 16, 0.5, 0},
    {brink_siteShaft, -9, 14.5, 0},
    {brink_siteTruck, 2.0, 7.5, 0.15},
    {brink_siteTruck, -13, 10.0, 1.9},
    {brink_siteTruck, 27, -12, -0.7},
    {brink_siteTruck, -26, -18, 0.4},
    {brink_siteFence, -30, -30, 0},
    {brink_siteFence, -14, -34, 0},
    {brink_siteFence, 14, -34, 0},
    {brink_siteFence, 30, -30, 0},
    {brink_siteFence, -38, -16, 1.5707963267948966},
    {brink_siteFence, -38, 12, 1.5707963267948966},
    {brink_siteFence, 39, -16, 1.5707963267948966},
    {brink_siteFence, 39, 12, 1.5707963267948966},
    {brink_siteFence, -8, 33, 0},
    {brink_siteFence, 8, 33, 0},
    {brink_siteBricks, 5.5, -7.0, 0.2},
    {brink_siteBricks, 7.2, -7.3, -0.1},
    {brink_siteBricks, 6.3, -9.2, 0.5},
    {brink_siteBricks, -6.0, 9.0, 0},
    {brink_siteBricks, -7.8, 9.2, 0.3},
    {brink_siteBricks, 20, 7, 0.4},
    {brink_siteBricks, 21.8, 7.6, 0.1},
    {brink_siteBricks, -20, -12, 0.7},
    {brink_siteBricks, -21.5, -13, 0.2},
    {brink_siteBricks, 24, 3, 0},
    {brink_siteBricks, 24, 5, 0.2},
    {brink_siteBricks, -24, 9, 0.9},
    {brink_siteRebar, -5, -12.5, 0.1},
    {brink_siteRebar, 3, -13.5, -0.2},
    {brink_siteRebar, 19, -6, 1.2},
    {brink_siteRebar, -20, 1.5, 1.4},
    {brink_siteRebar, 14, 13, 0},
    {brink_siteRebar, 28, -6, 0.3},
    {brink_siteRebar, -33, -6, 1.57},
    {brink_siteContainer, -31, 16, 1.5707963267948966},
    {brink_siteContainer, -31, 24, 1.5707963267948966},
    {brink_siteContainer, 33, -3, 1.5707963267948966},
    {brink_siteContainer, 33, 6, 1.4},
    {brink_siteContainer, -14, -26, 0},
    {brink_siteBarrel, 7.5, 3.0, 0},
    {brink_siteBarrel, 8.3, 3.3, 0},
    {brink_siteBarrel, 8.0, 2.4, 0},
    {brink_siteBarrel, -8.5, -3.5, 0},
    {brink_siteBarrel, -9.2, -3.2, 0},
    {brink_siteBarrel, -9.0, -4.2, 0},
    {brink_siteBarrel, 0.5, -9.5, 0},
    {brink_siteBarrel, 1.3, -9.8, 0},
    {brink_siteBarrel, -3.5, 12.0, 0},
    {brink_siteBarrel, 12.5, 4.0, 0},
    {brink_siteBarrel, -17, 10, 0},
    {brink_siteBarrel, -17.8, 10.4, 0},
};
const int brinkSitePlaceCount = (int)(sizeof brinkSitePlaces / sizeof *brinkSitePlaces);

static void addBox(brinkBuilder *builder, double x0, double x1, double y0, double y1, double z0, double z1) {
  brinkBuilder_AddBox(builder, brinkVector(x0, y0, z0), brinkVector(x1, y1, z1));
}

static double absolute(double x) { return x < 0 ? -x : x; }

// ---- ground

static double smooth(double x, double y) {  // lattice noise, bilinear with eased weights, features of size 1
  const double i = floor(x), j = floor(y), u = brinkEase(x - i), v = brinkEase(y - j);
  const int64_t a = (int64_t)i, b = (int64_t)j;
  const double low = brinkNoise(77, a, b) * (1 - u) + brinkNoise(77, a + 1, b) * u;
  const double high = brinkNoise(77, a, b + 1) * (1 - u) + brinkNoise(77, a + 1, b + 1) * u;
  return low * (1 - v) + high * v;
}

static void addGround(brinkBuilder *builder) {
  enum { cells = 112, side = cells + 1 };
  const double size = 96;
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      const double x = size * ((double)i / cells - 0.5), y = size * ((double)j / cells - 0.5);
      const double out = absolute(x) > absolute(y) ? absolute(x) : absolute(y);
      const double wild = brinkEase((out - 34) / 8);  // flat inside, mounds outside
      double z = wild * (1.1 + 1.4 * smooth(x / 7, y / 7) + 0.5 * smooth(x / 2.5 + 9, y / 2.5));
      const double pit = 1 - brinkEase((absolute(x + 3) - 3.2) / 1.4),
                   end = 1 - brinkEase((absolute(y - 1.5) - 2.0) / 1.4);
      z -= 1.8 * pit * end;
      brinkBuilder_AddVertex(builder, x, y, z);
    }
  }
  for (uint32_t j = 0; j < cells; ++j)
    for (uint32_t i = 0; i < cells; ++i) {
      const uint32_t a = j * side + i;
      brinkBuilder_AddQuad(builder, a, a + 1, a + side + 1, a + side);
    }
}

// ---- what is built

static void addBuilding(brinkBuilder *builder) {
  enum { floors = 5, columnsX = 5, columnsY = 4 };
  static const double storey = 3.3;
  static const double column[6][2] = {{0, 0.26}, {0.15, 0.20}, {1.2, 0.19}, {2.6, 0.19}, {2.9, 0.24}, {3.12, 0.42}};
  for (int floorIndex = 0; floorIndex < floors; ++floorIndex) {
    const double z = 0.02 + storey * floorIndex;
    for (int i = 0; i < columnsX; ++i)
      for (int j = 0; j < columnsY; ++j)
        brinkBuilder_AddTurned(builder, 2, brinkVector(-5.2 + 2.6 * i, -4.0 + 2.65 * j, z), column, 6, 16);
    addBox(builder, -6, 6, -4.5, 4.5, z + 3.10, z + storey);
    for (int i = 0; i < columnsX; ++i) addBox(builder, -5.35 + 2.6 * i, -5.05 + 2.6 * i, -4.4, 4.4, z + 2.75, z + 3.12);
    for (int i = 0; i < 24; ++i)  // rail along the front and the back
      for (int k = -1; k <= 1; k += 2)
        brinkBuilder_AddRod(builder, brinkVector(-5.9 + 0.513 * i, 4.42 * k, z + storey - 0.02),
                            brinkVector(-5.9 + 0.513 * i, 4.42 * k, z + storey + 1.0), 0.02, 8);
    for (int k = -1; k <= 1; k += 2)
      brinkBuilder_AddRod(builder, brinkVector(-5.95, 4.42 * k, z + storey + 0.98),
                          brinkVector(5.95, 4.42 * k, z + storey + 0.98), 0.025, 8);
    for (int i = 0; i < 14; ++i)  // a flight of stairs
      addBox(builder, -1.0 + 0.27 * i, -0.71 + 0.27 * i, -2.2, -1.1, z + 0.23 * i, z + 0.23 * i + 0.08);
  }
  for (int i = 0; i < columnsX; ++i)  // reinforcement that waits for the next floor
    for (int j = 0; j < columnsY; ++j)
      for (int k = 0; k < 8; ++k) {
        double c, s;
        brinkCircle((size_t)k, 8, &c, &s);
        const double x = -5.2 + 2.6 * i + 0.15 * c, y = -4.0 + 2.65 * j + 0.15 * s;
        brinkBuilder_AddRod(builder, brinkVector(x, y, storey * floors - 0.1), brinkVector(x, y, storey * floors + 0.9),
                            0.014, 6);
      }
}

static void addScaffold(brinkBuilder *builder) {
  enum { bays = 7, levels = 5 };
  static const double bay = 2.0, lift = 2.0, depth = 0.55, radius = 0.025;
  for (int i = 0; i <= bays; ++i)
    for (int k = -1; k <= 1; k += 2)
      brinkBuilder_AddRod(builder, brinkVector(bay * (i - 3.5), depth * k, 0.02),
                          brinkVector(bay * (i - 3.5), depth * k, lift * levels), radius, 12);
  for (int level = 1; level <= levels; ++level) {
    const double z = lift * level - 0.15;
    for (int i = 0; i <= bays; ++i)
      brinkBuilder_AddRod(builder, brinkVector(bay * (i - 3.5), -depth, z), brinkVector(bay * (i - 3.5), depth, z),
                          radius, 12);
    for (int i = 0; i < bays; ++i) {
      const double x0 = bay * (i - 3.5), x1 = x0 + bay;
      for (int k = -1; k <= 1; k += 2) {  // ledgers, rails, braces
        brinkBuilder_AddRod(builder, brinkVector(x0, depth * k, z), brinkVector(x1, depth * k, z), radius, 12);
        brinkBuilder_AddRod(builder, brinkVector(x0, depth * k, z - 0.9), brinkVector(x1, depth * k, z - 0.9), radius,
                            12);
        if ((i + level) % 2 == 0)
          brinkBuilder_AddRod(builder, brinkVector(x0, depth * k, z - lift + 0.05),
                              brinkVector(x1, depth * k, z - 0.05), radius, 12);
      }
      for (int plank = 0; plank < 4; ++plank)
        addBox(builder, x0 + 0.02, x1 - 0.02, -0.48 + 0.25 * plank, -0.25 + 0.25 * plank, z + 0.03, z + 0.07);
    }
  }
}

// ---- what lies about

static void addPipe(brinkBuilder *builder, int axis, brinkVec3 origin, double half, double outside, double inside,
                    size_t around) {
  const double socket = outside + 0.06, lip = 0.25 * half;
  const double outline[8][2] = {{-half, inside},        {half, inside},        {half, outside},
                                {-half + lip, outside}, {-half + lip, socket}, {-half + 0.02, socket},
                                {-half, socket - 0.02}, {-half, outside}};
  brinkBuilder_AddRing(builder, axis, origin, outline, 8, around);
}

static void addPipes(brinkBuilder *builder) {
  static const double radius = 0.50;
  for (int row = 0, index = 0; row < 4; ++row)
    for (int i = 0; i < 4 - row; ++i, ++index)
      addPipe(builder, 1, brinkVector(1.16 * (i - 0.5 * (3 - row)), 0, 0.60 + 1.03 * row), 3.0, radius, 0.42, 56);
  for (int i = -1; i <= 1; i += 2) addBox(builder, -2.6, 2.6, 1.8 * i - 0.08, 1.8 * i + 0.08, 0.01, 0.06);
}

static void addTyre(brinkBuilder *builder, double x, double y) {
  static const double tyre[10][2] = {{-0.17, 0.30}, {-0.14, 0.24}, {0.14, 0.24},  {0.17, 0.30},  {0.18, 0.42},
                                     {0.15, 0.50},  {0.08, 0.52},  {-0.08, 0.52}, {-0.15, 0.50}, {-0.18, 0.42}};
  static const double hub[6][2] = {{-0.15, 0.10}, {-0.14, 0.25}, {-0.04, 0.25},
                                   {0.04, 0.25},  {0.14, 0.25},  {0.15, 0.10}};
  brinkBuilder_AddRing(builder, 1, brinkVector(x, y, 0.535), tyre, 10, 32);
  brinkBuilder_AddTurned(builder, 1, brinkVector(x, y, 0.535), hub, 6, 24);
}

static void addTruck(brinkBuilder *builder) {
  for (int side = -1; side <= 1; side += 2) {
    addTyre(builder, 2.4, 1.02 * side);
    for (int axle = 0; axle < 2; ++axle)
      for (int twin = 0; twin < 2; ++twin) addTyre(builder, -1.1 - 1.15 * axle, (1.06 - 0.37 * twin) * side);
    addBox(builder, -3.2, 3.3, 0.36 * side - 0.05, 0.36 * side + 0.05, 0.72, 0.96);   // frame
    addBox(builder, 0.55, 1.55, 0.62 * side - 0.28, 0.62 * side + 0.28, 0.45, 0.88);  // tanks
    addBox(builder, 1.85, 3.05, 0.85 * side - 0.20, 0.85 * side + 0.20, 1.08, 1.16);  // wings
    brinkBuilder_AddRod(builder, brinkVector(3.15, 1.25 * side, 1.9), brinkVector(3.15, 1.25 * side, 2.4), 0.09, 16);
    for (int i = 0; i < 12; ++i)  // ribs of the bed
      addBox(builder, -3.25 + 0.38 * i, -3.17 + 0.38 * i, 1.24 * side - 0.05, 1.24 * side + 0.05, 1.20, 2.02);
  }
  static const double cab[7][2] = {{1.75, 0.98}, {3.38, 0.98}, {3.46, 1.10}, {3.42, 1.75},
                                   {3.18, 2.55}, {2.95, 2.66}, {1.75, 2.66}};
  brinkBuilder_AddPlate(builder, cab, 7, (const double[2]){2.5, 1.8}, -1.15, 1.15);
  for (int i = 0; i < 9; ++i) addBox(builder, 3.40, 3.49, -0.75, 0.75, 1.10 + 0.07 * i, 1.13 + 0.07 * i);  // grille
  // The bed, open above: floor, two sides, front, tail.
  addBox(builder, -3.4, 1.45, -1.20, 1.20, 1.10, 1.20);
  addBox(builder, -3.4, 1.45, -1.25, -1.17, 1.12, 2.05);
  addBox(builder, -3.4, 1.45, 1.17, 1.25, 1.12, 2.05);
  addBox(builder, 1.37, 1.47, -1.25, 1.25, 1.12, 2.35);
  addBox(builder, -3.46, -3.38, -1.25, 1.25, 1.12, 1.85);
  static const double lamp[3][2] = {{3.44, 0.11}, {3.50, 0.11}, {3.52, 0.07}};
  for (int i = -1; i <= 1; i += 2) brinkBuilder_AddTurned(builder, 0, brinkVector(0, 0.85 * i, 1.2), lamp, 3, 20);
  static const double stack[4][2] = {{1.0, 0.07}, {2.6, 0.07}, {2.62, 0.09}, {2.8, 0.08}};
  brinkBuilder_AddTurned(builder, 2, brinkVector(1.62, -1.0, 0), stack, 4, 20);
}

static void addFence(brinkBuilder *builder) {
  enum { posts = 9, bars = 120 };
  for (int i = 0; i < posts; ++i) {
    brinkBuilder_AddRod(builder, brinkVector(-8 + 2.0 * i, 0, 0.01), brinkVector(-8 + 2.0 * i, 0, 2.1), 0.03, 12);
    addBox(builder, -8.2 + 2.0 * i, -7.8 + 2.0 * i, -0.3, 0.3, 0.01, 0.13);
  }
  for (int i = 0; i < bars; ++i)
    brinkBuilder_AddRod(builder, brinkVector(-7.95 + 15.9 * i / (bars - 1), 0, 0.2),
                        brinkVector(-7.95 + 15.9 * i / (bars - 1), 0, 2.0), 0.008, 6);
  for (int i = 0; i < 7; ++i)
    brinkBuilder_AddRod(builder, brinkVector(-8, 0, 0.22 + 0.29 * i), brinkVector(8, 0, 0.22 + 0.29 * i), 0.012, 8);
}

static void addBricks(brinkBuilder *builder) {
  for (int i = 0; i < 5; ++i) addBox(builder, -0.55, 0.55, -0.50 + 0.22 * i, -0.38 + 0.22 * i, 0.01, 0.13);
  addBox(builder, -0.6, 0.6, -0.55, 0.55, 0.125, 0.15);
  for (int layer = 0; layer < 8; ++layer)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        if (layer == 7 && brinkNoise(5, i, j) > 0.2) continue;
        const double x = -0.54 + 0.27 * i + 0.008 * brinkNoise(6, i + 4 * j, layer);
        const double y = -0.50 + 0.25 * j + 0.008 * brinkNoise(7, i + 4 * j, layer);
        addBox(builder, x, x + 0.25, y, y + 0.235, 0.15 + 0.125 * layer, 0.27 + 0.125 * layer);
      }
}

static void addRebar(brinkBuilder *builder) {
  for (int i = 0; i < 40; ++i) {
    const double y = 0.09 * (i % 10 - 4.5) + 0.01 * brinkNoise(8, i, 0), z = 0.16 + 0.06 * (i / 10);
    const double shift = 0.15 * brinkNoise(8, i, 1);
    brinkBuilder_AddRod(builder, brinkVector(-3 + shift, y, z),
                        brinkVector(3 + shift, y + 0.02 * brinkNoise(8, i, 2), z), 0.016, 10);
  }
  for (int i = -1; i <= 1; ++i) addBox(builder, 2.2 * i - 0.06, 2.2 * i + 0.06, -0.6, 0.6, 0.01, 0.13);
}

static void addContainer(brinkBuilder *builder) {
  addBox(builder, -3, 3, -1.2, 1.2, 0.12, 2.6);
  for (int i = 0; i < 60; ++i) {  // corrugation
    const double x = -2.95 + 0.1 * i;
    addBox(builder, x, x + 0.05, 1.18, 1.23, 0.2, 2.5);
    addBox(builder, x, x + 0.05, -1.23, -1.18, 0.2, 2.5);
  }
  for (int i = 0; i < 22; ++i) addBox(builder, -3.03, -2.98, -1.1 + 0.1 * i, -1.05 + 0.1 * i, 0.2, 2.5);
  for (int i = 0; i < 4; ++i)
    addBox(builder, (i & 1 ? 2.7 : -2.95), (i & 1 ? 2.95 : -2.7), (i & 2 ? 0.9 : -1.15), (i & 2 ? 1.15 : -0.9), 0.01,
           0.14);
}

static void addBarrel(brinkBuilder *builder) {
  static const double drum[13][2] = {{0.01, 0.27},  {0.02, 0.29}, {0.05, 0.29}, {0.06, 0.28},  {0.28, 0.28},
                                     {0.30, 0.295}, {0.32, 0.28}, {0.58, 0.28}, {0.60, 0.295}, {0.62, 0.28},
                                     {0.86, 0.28},  {0.87, 0.29}, {0.90, 0.27}};
  brinkBuilder_AddTurned(builder, 2, brinkVector(0, 0, 0), drum, 13, 40);
}

static void addShaft(brinkBuilder *builder) { addPipe(builder, 2, brinkVector(0, 0, 2.03), 2.0, 1.75, 1.6, 64); }

void brinkBuildSiteObject(brinkBuilder *builder, int kind) {
  static void (*const add[])(brinkBuilder *) = {addGround, addBuilding, addScaffold, addPipes,     addShaft, addTruck,
                                                addFence,  addBricks,   addRebar,    addContainer, addBarrel};
  add[kind >= 0 && kind < brink_siteBarrel ? kind : brink_siteBarrel](builder); /* brinkSiteObject */
}
