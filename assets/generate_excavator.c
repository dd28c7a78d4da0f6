/* SPDX-License-Identifier: BSD-3-Clause */
/* A crawler excavator of about 20 t: chassis, two tracks with all their shoes, house, boom, stick, bucket; about
 * 19,000 triangles in closed surfaces, some of which reach into each other within a part.
 *
 * Parts that are no neighbours in the chain are clear of each other in the working range of paper_scenes.c (house over
 * tracks by 12 cm).
 * Based on: [CATCH] Sec. 8.1 (3), Fig. 9 (excavator, 18.94K triangles); measures near those of common machines of that
 * class, no particular one. */
#include "builder.h"
#include "kinematics.h"
#include "paper_models.h"

const brinkPaperJoint brinkExcavatorJoints[BRINK_EXCAVATOR_PARTS] = {
    {"chassis", -1, {0, 0, 0}},
    {"track_left", brink_excavatorChassis, {0, 1.2, 0}},
    {"track_right", brink_excavatorChassis, {0, -1.2, 0}},
    {"house", brink_excavatorChassis, {0, 0, 1.1}},
    {"boom", brink_excavatorHouse, {0.55, 0, 0.75}},
    {"stick", brink_excavatorBoom, {5.4, 0, 0}},
    {"bucket", brink_excavatorStick, {2.7, 0, 0}},
};

static void addBox(brinkBuilder *builder, double x0, double x1, double y0, double y1, double z0, double z1) {
  brinkBuilder_AddBox(builder, brinkVector(x0, y0, z0), brinkVector(x1, y1, z1));
}

// ---- running gear

static void addShoe(brinkBuilder *builder, double x, double z, double turn) {
  brinkBuilder_PlaceAt(builder, (brinkPose){{x, 0, z}, brinkTurnAbout(1, turn)});
  addBox(builder, -0.096, 0.096, -0.30, 0.30, -0.01, 0.02);
  addBox(builder, -0.085, -0.060, -0.30, 0.30, 0.015, 0.045);  // grousers
  addBox(builder, 0.055, 0.080, -0.30, 0.30, 0.015, 0.045);
  addBox(builder, -0.090, 0.090, -0.11, -0.07, -0.06, 0.0);  // links of the chain
  addBox(builder, -0.090, 0.090, 0.07, 0.11, -0.06, 0.0);
}

static void addTrack(brinkBuilder *builder) {
  enum { shoes = 46 };
  static const double radius = 0.42, half = 1.75, height = 0.475;  // of the loop's ends, their distance from the middle
  const double arc = BRINK_PI * radius, straight = 2 * half, around = 2 * (arc + straight);
  for (int i = 0; i < shoes; ++i) {  // from the lower front, backwards on the ground
    double at = around * i / shoes;
    if (at < straight) {
      addShoe(builder, half - at, height - radius, BRINK_PI);
    } else if (at < straight + arc) {
      const double angle = (at - straight) / radius;
      addShoe(builder, -half - radius * brinkPlainSine(angle), height - radius * brinkPlainCosine(angle),
              BRINK_PI + angle);
    } else if (at < 2 * straight + arc) {
      addShoe(builder, -half + at - straight - arc, height + radius, 0);
    } else {
      const double angle = (at - 2 * straight - arc) / radius;
      addShoe(builder, half + radius * brinkPlainSine(angle), height + radius * brinkPlainCosine(angle), angle);
    }
  }
  brinkBuilder_PlaceAt(builder, (brinkPose){{0, 0, 0}, {1, 0, 0, 0}});
  static const double roller[8][2] = {{-0.17, 0.06}, {-0.16, 0.12}, {-0.10, 0.12}, {-0.09, 0.09},
                                      {0.09, 0.09},  {0.10, 0.12},  {0.16, 0.12},  {0.17, 0.06}};
  for (int i = 0; i < 8; ++i) brinkBuilder_AddTurned(builder, 1, brinkVector(-1.47 + 0.42 * i, 0, 0.23), roller, 8, 12);
  for (int i = 0; i < 2; ++i) brinkBuilder_AddTurned(builder, 1, brinkVector(-0.8 + 1.6 * i, 0, 0.74), roller, 8, 12);
  static const double wheel[6][2] = {{-0.13, 0.20}, {-0.11, 0.31}, {-0.04, 0.34},
                                     {0.04, 0.34},  {0.11, 0.31},  {0.13, 0.20}};
  for (int i = -1; i <= 1; i += 2) brinkBuilder_AddTurned(builder, 1, brinkVector(half * i, 0, height), wheel, 6, 28);
  addBox(builder, -1.75, 1.75, -0.20, 0.20, 0.33, 0.62);
  addBox(builder, -1.20, 1.20, -0.26, 0.26, 0.40, 0.56);
}

static void addChassis(brinkBuilder *builder) {
  static const double bearing[4][2] = {{0.62, 0.72}, {0.95, 0.72}, {0.95, 0.64}, {1.05, 0.60}};
  brinkBuilder_AddTurned(builder, 2, brinkVector(0, 0, 0), bearing, 4, 48);
  addBox(builder, -0.75, 0.75, -0.70, 0.70, 0.42, 0.80);
  for (int i = -1; i <= 1; i += 2) {
    for (int k = -1; k <= 1; k += 2)
      brinkBuilder_AddBar(builder, brinkVector(0.5 * i, 0.5 * k, 0.60), brinkVector(0.95 * i, 0.93 * k, 0.52), 0.34,
                          0.26);
    for (int k = 0; k < 12; ++k)  // steps and hose clamps along the frame
      addBox(builder, -0.66 + 0.11 * k, -0.60 + 0.11 * k, i > 0 ? 0.68 : -0.78, i > 0 ? 0.78 : -0.68, 0.55, 0.68);
  }
}

// ---- house

static void addCab(brinkBuilder *builder) {  // left of the boom, around y = 0.85
  addBox(builder, 0.05, 1.62, 0.42, 1.38, 0.06, 0.52);
  static const double pillars[6][2] = {{0.09, 0.46}, {0.09, 1.34}, {0.80, 0.46},
                                       {0.80, 1.34}, {1.56, 0.46}, {1.40, 1.34}};
  for (int i = 0; i < 6; ++i)
    brinkBuilder_AddBar(builder, brinkVector(pillars[i][0], pillars[i][1], 0.48),
                        brinkVector(pillars[i][0] - 0.04 * (i > 3), pillars[i][1], 1.88), 0.08, 0.08);
  addBox(builder, 0.05, 1.56, 0.42, 1.38, 1.86, 1.98);
  for (int i = 0; i < 5; ++i) addBox(builder, 0.05, 1.58, 0.435 + 0.225 * i, 0.455 + 0.225 * i, 1.97, 2.02);  // guard
  addBox(builder, 0.35, 0.85, 0.68, 1.14, 0.50, 0.72);                                                        // seat
  addBox(builder, 0.28, 0.40, 0.68, 1.14, 0.70, 1.35);
  static const double knob[4][2] = {{0, 0.020}, {0.26, 0.016}, {0.30, 0.034}, {0.36, 0.020}};
  for (int i = -1; i <= 1; i += 2)
    brinkBuilder_AddTurned(builder, 2, brinkVector(0.98, 0.91 + 0.22 * i, 0.5), knob, 4, 12);
}

static void addRails(brinkBuilder *builder) {
  for (int side = -1; side <= 1; side += 2) {
    const double y = 1.24 * side;
    for (int i = 0; i < 7; ++i)
      brinkBuilder_AddRod(builder, brinkVector(-2.1 + 0.3 * i, y, 1.20), brinkVector(-2.1 + 0.3 * i, y, 1.75), 0.02,
                          10);
    brinkBuilder_AddRod(builder, brinkVector(-2.13, y, 1.50), brinkVector(-0.27, y, 1.50), 0.02, 10);
    brinkBuilder_AddRod(builder, brinkVector(-2.13, y, 1.75), brinkVector(-0.27, y, 1.75), 0.02, 10);
  }
}

static void addHouse(brinkBuilder *builder) {
  addBox(builder, -2.10, 1.45, -1.30, 1.30, 0.00, 0.24);   // platform
  addBox(builder, -2.05, -0.25, -1.28, 1.28, 0.20, 1.22);  // engine
  addBox(builder, -0.30, 1.40, -1.30, -0.48, 0.20, 0.98);  // tank
  for (int i = 0; i < 26; ++i)                             // louvres on both sides
    for (int side = -1; side <= 1; side += 2)
      addBox(builder, -1.95 + 0.062 * i, -1.92 + 0.062 * i, side > 0 ? 1.26 : -1.31, side > 0 ? 1.31 : -1.26, 0.42,
             1.08);
  static const double counterweight[9][2] = {{-2.0, 0.02},  {-2.5, 0.02},  {-2.78, 0.12}, {-2.92, 0.30}, {-2.95, 0.55},
                                             {-2.90, 0.80}, {-2.72, 1.02}, {-2.45, 1.14}, {-2.0, 1.16}};
  double backwards[9][2];
  for (int i = 0; i < 9; ++i) backwards[i][0] = counterweight[8 - i][0], backwards[i][1] = counterweight[8 - i][1];
  brinkBuilder_AddPlate(builder, (const double(*)[2])backwards, 9, (const double[2]){-2.4, 0.6}, -1.29, 1.29);
  static const double bracket[5][2] = {{0.20, 0.20}, {0.95, 0.20}, {0.78, 0.86}, {0.60, 0.98}, {0.38, 0.90}};
  for (int i = -1; i <= 1; i += 2)  // ears of the boom's foot
    brinkBuilder_AddPlate(builder, bracket, 5, (const double[2]){0.58, 0.55}, i > 0 ? 0.31 : -0.39,
                          i > 0 ? 0.39 : -0.31);
  static const double exhaust[6][2] = {{1.15, 0.09}, {1.55, 0.09}, {1.60, 0.06},
                                       {1.95, 0.06}, {1.97, 0.08}, {2.02, 0.05}};
  brinkBuilder_AddTurned(builder, 2, brinkVector(-1.5, -0.85, 0), exhaust, 6, 24);
  static const double cap[4][2] = {{1.18, 0.16}, {1.30, 0.16}, {1.34, 0.13}, {1.35, 0.04}};
  for (int i = 0; i < 3; ++i) brinkBuilder_AddTurned(builder, 2, brinkVector(-0.7 - 0.5 * i, 0.5, 0), cap, 4, 24);
  addCab(builder);
  addRails(builder);
}

// ---- arm

static double mixed(double a, double b, double t) { return a + (b - a) * t; }

// A tapered box section with rounded edges along a polyline of (x, z, half height, half width) stations.
static void addArm(brinkBuilder *builder, const double (*stations)[4], int count, int steps) {
  enum { most = 64, around = 24 };
  brinkVec3 rings[most * around];
  int ringCount = 0;
  for (int i = 0; i + 1 < count; ++i) {
    for (int step = 0; step < steps + (i + 2 == count); ++step) {
      const double t = (double)step / steps;
      double at[4];
      for (int k = 0; k < 4; ++k) at[k] = mixed(stations[i][k], stations[i + 1][k], t);
      for (int k = 0; k < around; ++k) {  // a superellipse of order 4: see generate_mannequin.c
        double c, s;
        brinkCircle((size_t)k, around, &c, &s);
        const double radius = 1 / sqrt(sqrt(c * c * c * c + s * s * s * s));
        rings[ringCount * around + k] = brinkVector(at[0], at[3] * radius * c, at[1] + at[2] * radius * s);
      }
      ++ringCount;
    }
  }
  brinkBuilder_AddTube(builder, rings, (size_t)ringCount, around, brinkVector(stations[0][0] - 0.04, 0, stations[0][1]),
                       brinkVector(stations[count - 1][0] + 0.04, 0, stations[count - 1][1]));
}

static void addCylinder(brinkBuilder *builder, brinkVec3 foot, brinkVec3 head, double radius) {
  const brinkVec3 middle = brinkPlus(brinkTimes(0.45, foot), brinkTimes(0.55, head));
  brinkBuilder_AddRod(builder, foot, middle, radius, 28);
  brinkBuilder_AddRod(builder, middle, head, 0.55 * radius, 20);
  brinkBuilder_AddRod(builder, brinkPlus(head, brinkVector(0, -1.3 * radius, 0)),
                      brinkPlus(head, brinkVector(0, 1.3 * radius, 0)), 0.8 * radius, 20);
}

static void addBoom(brinkBuilder *builder) {
  static const double stations[6][4] = {{0.0, 0.0, 0.16, 0.27},  {0.8, 0.52, 0.27, 0.27}, {1.9, 1.02, 0.37, 0.27},
                                        {2.6, 1.06, 0.38, 0.26}, {4.2, 0.60, 0.26, 0.23}, {5.4, 0.0, 0.15, 0.20}};
  addArm(builder, stations, 6, 7);
  brinkBuilder_AddRod(builder, brinkVector(0, -0.30, 0), brinkVector(0, 0.30, 0), 0.10, 28);
  addCylinder(builder, brinkVector(2.3, 0, 1.52), brinkVector(5.0, 0, 0.62), 0.11);
  for (int i = -1; i <= 1; i += 2) {  // hoses and lamps along the back
    brinkBuilder_AddRod(builder, brinkVector(0.9, 0.16 * i, 0.92), brinkVector(2.0, 0.16 * i, 1.42), 0.03, 12);
    brinkBuilder_AddRod(builder, brinkVector(2.6, 0.16 * i, 1.45), brinkVector(4.2, 0.16 * i, 0.90), 0.03, 12);
    addBox(builder, 2.2, 2.34, 0.25 * i - 0.06, 0.25 * i + 0.06, 1.30, 1.56);
  }
}

static void addStick(brinkBuilder *builder) {
  static const double stations[5][4] = {{-0.75, 0.30, 0.12, 0.16},
                                        {-0.35, 0.18, 0.24, 0.17},
                                        {0.25, 0.16, 0.30, 0.17},
                                        {1.5, 0.06, 0.20, 0.15},
                                        {2.7, 0.0, 0.11, 0.13}};
  addArm(builder, stations, 5, 7);
  brinkBuilder_AddRod(builder, brinkVector(0, -0.24, 0), brinkVector(0, 0.24, 0), 0.10, 28);
  addCylinder(builder, brinkVector(0.1, 0, 0.56), brinkVector(2.15, 0, 0.36), 0.09);
  for (int i = -1; i <= 1; i += 2)  // the rocker of the bucket's linkage
    brinkBuilder_AddBar(builder, brinkVector(2.30, 0.17 * i, 0.05), brinkVector(2.15, 0.17 * i, 0.40), 0.05, 0.10);
}

// The shell follows an outline in the plane of the arm, open towards -z; teeth at the lip.
static void addBucket(brinkBuilder *builder) {
  static const double outer[10][2] = {{-0.10, -0.05}, {0.02, 0.22},  {0.25, 0.36},  {0.52, 0.38},  {0.78, 0.30},
                                      {0.98, 0.12},   {1.08, -0.12}, {1.10, -0.40}, {1.04, -0.66}, {0.96, -0.84}};
  // Strips of the shell: one thin plate for each side of the outline.
  for (int i = 0; i + 1 < 10; ++i) {
    const double *a = outer[i], *b = outer[i + 1];
    brinkBuilder_AddBar(builder, brinkVector(a[0], 0, a[1]), brinkVector(b[0], 0, b[1]), 1.16, 0.035);
  }
  double cheek[18][2];
  for (int i = 0; i < 10; ++i) cheek[17 - i][0] = outer[i][0], cheek[17 - i][1] = outer[i][1];
  for (int i = 0; i < 8; ++i) {  // the open side of the cheek runs straight from the lip to the hinge
    cheek[i][0] = mixed(-0.06, 0.88, (i + 0.5) / 8);
    cheek[i][1] = mixed(-0.10, -0.80, (i + 0.5) / 8);
  }
  for (int i = -1; i <= 1; i += 2)
    brinkBuilder_AddPlate(builder, (const double(*)[2])cheek, 18, (const double[2]){0.55, -0.05}, i > 0 ? 0.55 : -0.59,
                          i > 0 ? 0.59 : -0.55);
  static const double tooth[4][2] = {{0.93, -0.78}, {1.00, -0.78}, {0.985, -1.02}, {0.970, -1.02}};
  double turned[4][2];
  for (int i = 0; i < 4; ++i) turned[i][0] = tooth[3 - i][0], turned[i][1] = tooth[3 - i][1];
  for (int i = 0; i < 5; ++i)
    brinkBuilder_AddPlate(builder, (const double(*)[2])turned, 4, (const double[2]){0.97, -0.9}, -0.54 + 0.25 * i,
                          -0.46 + 0.25 * i);
  for (int i = -1; i <= 1; i += 2) {
    static const double ear[5][2] = {{-0.12, -0.08}, {0.10, -0.08}, {0.42, 0.36}, {0.30, 0.56}, {0.02, 0.22}};
    brinkBuilder_AddPlate(builder, ear, 5, (const double[2]){0.16, 0.18}, i > 0 ? 0.15 : -0.21, i > 0 ? 0.21 : -0.15);
    brinkBuilder_AddRod(builder, brinkVector(0.34, 0.10 * i, 0.47), brinkVector(0.34, 0.26 * i, 0.47), 0.05, 20);
  }
  brinkBuilder_AddRod(builder, brinkVector(0, -0.26, 0), brinkVector(0, 0.26, 0), 0.08, 28);
}

void brinkBuildExcavatorPart(brinkBuilder *builder, int part) {
  static void (*const add[])(brinkBuilder *) = {addChassis, addTrack, addTrack, addHouse,
                                                addBoom,    addStick, addBucket}; /* brinkExcavatorPart */
  add[part >= 0 && part < brink_excavatorBucket ? part : brink_excavatorBucket](builder);
}
