/* SPDX-License-Identifier: BSD-3-Clause */
/* A tower crane of about 1,290 triangles: lattice mast, jib with counterweight, trolley, hook block with slings, load.
 *
 * The ropes between trolley and block are not modelled: a block is reached by nothing but its slide, so that its way
 * up and down leaves every other part alone. Parts that are no neighbours in the chain are clear of each other by 10
 * cm and more in the working range of paper_scenes.c.
 * Based on: [CATCH] Sec. 8.1 (3), Fig. 10 (1,288 triangles). */
#include "builder.h"
#include "kinematics.h"
#include "paper_models.h"

const brinkPaperJoint brinkCraneJoints[BRINK_CRANE_PARTS] = {
    {"mast", -1, {0, 0, 0}},
    {"jib", brink_craneMast, {0, 0, 27.0}},
    {"trolley", brink_craneJib, {0, 0, 0.35}},
    {"hook", brink_craneTrolley, {0, 0, -0.8}},
    {"load", brink_craneHook, {0, 0, -1.6}},
};

static void addBox(brinkBuilder *builder, double x0, double x1, double y0, double y1, double z0, double z1) {
  brinkBuilder_AddBox(builder, brinkVector(x0, y0, z0), brinkVector(x1, y1, z1));
}

static void addMast(brinkBuilder *builder) {
  enum { panels = 5 };
  const double half = 0.8, height = 26.6, step = height / panels;
  addBox(builder, -2.2, 2.2, -2.2, 2.2, 0.02, 0.9);  // footing
  for (int i = 0; i < 4; ++i)
    brinkBuilder_AddBar(builder, brinkVector(i & 1 ? half : -half, i & 2 ? half : -half, 0.8),
                        brinkVector(i & 1 ? half : -half, i & 2 ? half : -half, height), 0.16, 0.16);
  for (int panel = 0; panel < panels; ++panel) {  // one diagonal on each side of a panel
    const double low = 0.9 + (height - 0.9) * panel / panels, high = low + step * 0.95;
    const double way = panel % 2 == 0 ? 1 : -1;
    for (int side = -1; side <= 1; side += 2) {
      brinkBuilder_AddBar(builder, brinkVector(-half * way, half * side, low),
                          brinkVector(half * way, half * side, high), 0.08, 0.08);
      brinkBuilder_AddBar(builder, brinkVector(half * side, half * way, low),
                          brinkVector(half * side, -half * way, high), 0.08, 0.08);
    }
  }
}

static void addJib(brinkBuilder *builder) {
  enum { panels = 12 };
  const double reach = 36, back = -11, half = 0.65, crest = 1.9;
  addBox(builder, -0.9, 0.9, -0.9, 0.9, -0.3, 0.6);  // slewing ring
  addBox(builder, 1.0, 2.6, 0.95, 2.2, -0.6, 1.5);   // cab, beside
  for (int side = -1; side <= 1; side += 2)
    brinkBuilder_AddBar(builder, brinkVector(back, half * side, 0.75), brinkVector(reach, half * side, 0.75), 0.14,
                        0.14);
  brinkBuilder_AddBar(builder, brinkVector(0.8, 0, crest), brinkVector(reach - 1, 0, crest), 0.14, 0.14);
  for (int i = 0; i < panels; ++i) {
    const double x0 = 0.9 + (reach - 2) * i / panels, x1 = 0.9 + (reach - 2) * (i + 0.5) / panels;
    for (int side = -1; side <= 1; side += 2)
      brinkBuilder_AddBar(builder, brinkVector(x0, half * side, 0.78), brinkVector(x1, 0, crest - 0.03), 0.07, 0.07);
  }
  for (int side = -1; side <= 1; side += 2) {  // tower top and its stays
    brinkBuilder_AddBar(builder, brinkVector(0, 0.6 * side, 0.5), brinkVector(0, 0, 6.0), 0.14, 0.14);
    brinkBuilder_AddBar(builder, brinkVector(0, 0.1 * side, 5.9), brinkVector(back + 0.8, half * side, 0.8), 0.06,
                        0.06);
  }
  brinkBuilder_AddBar(builder, brinkVector(0, 0, 5.9), brinkVector(22, 0, crest), 0.06, 0.06);
  for (int i = 0; i < 4; ++i)  // counterweights
    addBox(builder, back + 0.1 + 0.6 * i, back + 0.6 + 0.6 * i, -0.95, 0.95, -1.4, 0.7);
  for (int i = 0; i < 5; ++i) addBox(builder, -7.5 + 1.4 * i, -7.35 + 1.4 * i, -0.6, 0.6, 0.7, 0.8);
}

static void addTrolley(brinkBuilder *builder) {
  addBox(builder, -0.7, 0.7, -0.45, 0.45, -0.35, -0.10);
  static const double wheel[2][2] = {{-0.05, 0.13}, {0.05, 0.13}};
  for (int i = 0; i < 4; ++i)
    brinkBuilder_AddTurned(builder, 1, brinkVector(i & 1 ? 0.5 : -0.5, i & 2 ? 0.48 : -0.48, 0.05), wheel, 2, 8);
}

static void addHook(brinkBuilder *builder) {
  static const double block[4][2] = {{-0.16, 0.20}, {-0.12, 0.32}, {0.12, 0.32}, {0.16, 0.20}};
  brinkBuilder_AddTurned(builder, 1, brinkVector(0, 0, 0), block, 4, 12);
  brinkBuilder_AddBar(builder, brinkVector(0, 0, -0.2), brinkVector(0, 0, -0.62), 0.12, 0.12);
  for (int i = 0; i < 4; ++i)  // slings
    brinkBuilder_AddBar(builder, brinkVector(0, 0, -0.6),
                        brinkVector(i & 1 ? 0.55 : -0.55, i & 2 ? 0.55 : -0.55, -1.52), 0.04, 0.04);
}

static void addLoad(brinkBuilder *builder) {  // a weight with lifting eyes
  static const double weight[4][2] = {{-1.60, 0.70}, {-1.50, 0.85}, {-0.25, 0.85}, {-0.15, 0.70}};
  brinkBuilder_AddTurned(builder, 2, brinkVector(0, 0, 0), weight, 4, 16);
  for (int i = 0; i < 4; ++i)
    addBox(builder, (i & 1 ? 0.45 : -0.55), (i & 1 ? 0.55 : -0.45), (i & 2 ? 0.45 : -0.55), (i & 2 ? 0.55 : -0.45),
           -0.2, -0.02);
}

void brinkBuildCranePart(brinkBuilder *builder, int part) {
  static void (*const add[])(brinkBuilder *) = {addMast, addJib, addTrolley, addHook, addLoad}; /* brinkCranePart */
  add[part >= 0 && part < brink_craneLoad ? part : brink_craneLoad](builder);
}
