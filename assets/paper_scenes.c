/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenes of the paper's Tables 1 and 2 as replays: meshes, links and synthetic motions, the same bytes on every
 * machine.
 *
 * Links' frames sit at their joints, so that constant velocities in the parent's frame hold every joint at every time.
 * Motions ignore collisions, as the paper's do: some frames of the walk and the exercise begin in contact. The
 * planner's moves start in configurations that are free and lead anywhere; the trains' frames start from a small
 * simulation (train_course.c).
 * Based on: [CATCH] Sec. 8.1, Figs. 8 to 11; the models' sizes are the paper's, their shapes are not. Units: m, rad. */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "kinematics.h"
#include "message.h"
#include "paper_models.h"
#include "replay_writer.h"
#include "train_course.h"

enum { walkFrames = 400, exerciseFrames = 320, planFrames = 150, fourTrainFrames = 200, fallingFrames = 300 };

#define REST                  \
  {                           \
    {0, 0, 0}, { 1, 0, 0, 0 } \
  }
static const brinkPose rest = REST;

// ---- meshes

static brinkStatus finishMesh(brinkReplayWriter *writer, brinkBuilder *builder, brinkMesh *mesh) {
  const brinkStatus status = brinkBuilder_Finish(builder, mesh, writer->message, writer->messageCapacity);
  if (writer->status == brink_ok) writer->status = status;
  return status;
}

static void writeBuilt(brinkReplayWriter *writer, brinkBuilder *builder, const char *name) {
  brinkMesh mesh = {0};
  if (finishMesh(writer, builder, &mesh) == brink_ok) brinkReplayWriter_Mesh(writer, name, &mesh);
}

static bool generate(brinkReplayWriter *writer, brinkModel model, int part, uint64_t seed, brinkMesh *mesh) {
  *mesh = (brinkMesh){0};
  if (writer->status != brink_ok) return false;
  const brinkStatus status = brinkGenerateModel(model, part, seed, mesh, writer->message, writer->messageCapacity);
  writer->status = status;
  return status == brink_ok;
}

static void shiftMesh(brinkMesh *mesh, brinkVec3 by) {
  for (size_t i = 0; i < mesh->vertexCount; ++i) {
    mesh->vertices[3 * i] += by.x;
    mesh->vertices[3 * i + 1] += by.y;
    mesh->vertices[3 * i + 2] += by.z;
  }
}

// ---- a tree of links, root first

enum { mostLinks = 15 };

typedef struct linkTree {
  int count, firstObject;
  int parents[mostLinks];
  brinkVec3 origins[mostLinks];  // of the joint in the parent's frame
} linkTree;

static void placeLinks(const linkTree *tree, brinkPose root, const brinkPose *joints, brinkPose *world) {
  world[0] = brinkPoseIn(root, joints[0]);
  for (int i = 1; i < tree->count; ++i) {
    const brinkPose joint = {brinkPlus(tree->origins[i], joints[i].position), joints[i].rotation};
    world[i] = brinkPoseIn(world[tree->parents[i]], joint);
  }
}

static void writeMoves(brinkReplayWriter *writer, const linkTree *tree, int frame, const brinkPose *start,
                       const brinkPose *end) {
  for (int i = 0; i < tree->count; ++i) brinkReplayWriter_Move(writer, frame, tree->firstObject + i, start[i], end[i]);
}

// ---- mannequin

static linkTree writeMannequin(brinkReplayWriter *writer) {
  const brinkMannequinLink *skeleton = brinkMannequinSkeleton();
  linkTree tree = {.count = BRINK_MANNEQUIN_LINKS, .firstObject = writer->objectCount};
  for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) {
    const brinkMannequinLink *link = &skeleton[i];
    char name[32];
    snprintf(name, sizeof name, "mannequin_%02d", i);
    brinkMesh mesh;
    if (generate(writer, brink_modelMannequin, i, 1, &mesh)) {
      shiftMesh(&mesh, brinkMinus(link->origin, link->anchor));
      brinkReplayWriter_Mesh(writer, name, &mesh);
    }
    brinkReplayWriter_Moving(writer, name, 0, i, link->parent);
    tree.parents[i] = link->parent;
    if (link->parent >= 0) tree.origins[i] = brinkMinus(link->anchor, skeleton[link->parent].anchor);
  }
  return tree;
}

enum {
  pelvis,
  torso,
  head,
  upperArmL,
  forearmL,
  handL,
  upperArmR,
  forearmR,
  handR,
  thighL,
  shinL,
  footL,
  thighR,
  shinR,
  footR
};

// About x first, then y, then z of the parent.
static brinkQuat turned(double x, double y, double z) {
  return brinkTurnBoth(brinkTurnAbout(2, z), brinkTurnBoth(brinkTurnAbout(1, y), brinkTurnAbout(0, x)));
}

static double positivePart(double x) { return x > 0 ? x : 0; }

// Joint angles of a walk; phase 2 pi is two steps, `crossing` (rad) leads the legs inwards.
static void walkPose(double phase, double crossing, brinkPose *joints) {
  for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) joints[i] = rest;
  const double swing = brinkPlainSine(phase);
  for (int side = 0; side < 2; ++side) {
    const int leg = side == 0 ? thighL : thighR, arm = side == 0 ? upperArmL : upperArmR;
    const double own = phase + (side == 0 ? 0 : BRINK_PI), inward = side == 0 ? -1 : 1;
    const double lift = positivePart(brinkPlainCosine(own - 0.25));
    const double hip = -0.42 * brinkPlainSine(own) - 0.15 * lift, knee = 0.08 + 0.95 * lift * lift;
    joints[leg].rotation = turned(inward * crossing, hip, 0);
    joints[leg + 1].rotation = turned(0, knee, 0);
    joints[leg + 2].rotation = turned(0, -0.75 * (hip + knee), 0);
    joints[arm].rotation = turned(0, 0.40 * brinkPlainSine(own), 0);
    joints[arm + 1].rotation = turned(0, -0.45 + 0.20 * brinkPlainSine(own), 0);
  }
  joints[pelvis].rotation = turned(0.02 * swing, 0, 0.05 * swing);
  joints[torso].rotation = turned(0, 0.03, -0.10 * swing);
  joints[head].rotation = turned(0, 0, 0.05 * swing);
}

// Raises the root until the lower sole is `clearance` over the ground: heel and toe of both feet, both edges.
static void standOnGround(const linkTree *tree, brinkPose *world, double clearance) {
  const brinkMannequinLink *skeleton = brinkMannequinSkeleton();
  double lowest = 1e9;
  for (int foot = footL; foot <= footR; foot += footR - footL) {
    for (int corner = 0; corner < 4; ++corner) {
      const brinkVec3 at = {corner & 1 ? 0.19 : -0.088, (corner & 2 ? 0.05 : -0.05) + (foot == footL ? 0.102 : -0.102),
                            0};
      const brinkVec3 local = brinkMinus(at, skeleton[foot].anchor);
      const double z = brinkPlus(world[foot].position, brinkTurned(world[foot].rotation, local)).z;
      lowest = z < lowest ? z : lowest;
    }
  }
  for (int i = 0; i < tree->count; ++i) world[i].position.z += clearance - lowest;
}

// The way: around the board along its ranks and files, with rounded corners, walked at an even pace.
static brinkVec3 wayAt(double way) {
  const double reach = 2.5, c = brinkPlainCosine(way), s = brinkPlainSine(way);  // m; superellipse of order 4
  return brinkTimes(reach / sqrt(sqrt(c * c * c * c + s * s * s * s)), brinkVector(c, s, 0));
}

static brinkVec3 wayAhead(double way) {  // per unit of `way`
  const double small = 1e-4;
  return brinkTimes(0.5 / small, brinkMinus(wayAt(way + small), wayAt(way - small)));
}

typedef struct chessPlace {
  int kind, column, row;  // squares count from the middle: -4 to 3
} chessPlace;

// Moves a place out of the way, so that a walker brushes what stands there and does not walk through it.
static brinkVec3 besideWay(brinkVec3 place, double clearance) {
  enum { samples = 600, rounds = 4 };
  for (int round = 0; round < rounds; ++round) {
    double best = 1e9;
    brinkVec3 away = {1, 0, 0};
    for (int i = 0; i < samples; ++i) {
      const brinkVec3 from = brinkMinus(place, wayAt(2 * BRINK_PI * i / samples));
      if (brinkNorm(from) >= best) continue;
      best = brinkNorm(from);
      away = from;
    }
    if (best < clearance && best > 1e-9) place = brinkPlus(place, brinkTimes((clearance - best) / best, away));
  }
  return place;
}

static void writeChess(brinkReplayWriter *writer) {
  static const char *const names[6] = {"pawn", "rook", "knight", "bishop", "queen", "king"};
  static const chessPlace places[16] = {{1, -4, -4}, {2, -3, -2}, {3, -2, -4}, {4, 1, 0},  {5, -1, -3}, {3, 3, 1},
                                        {2, 2, -2},  {1, 3, -4},  {0, -4, 1},  {0, -3, 3}, {0, -2, 1},  {0, 0, 2},
                                        {0, 0, -1},  {0, 1, 3},   {0, 2, 2},   {0, -3, 0}};
  brinkBuilder builder;
  for (int kind = 0; kind < 6; ++kind) {
    char name[32];
    snprintf(name, sizeof name, "chess_%s", names[kind]);
    brinkBuilder_Start(&builder);
    brinkBuildChessman(&builder, kind);
    writeBuilt(writer, &builder, name);
  }
  brinkBuilder_Start(&builder);
  brinkBuildChessboard(&builder);
  writeBuilt(writer, &builder, "chess_board");
  brinkReplayWriter_Fixed(writer, "chess_board", rest);
  for (int i = 0; i < 16; ++i) {
    char name[32];
    snprintf(name, sizeof name, "chess_%s", names[places[i].kind]);
    const brinkVec3 square = {places[i].column + 0.5, places[i].row + 0.5, 0};
    const brinkVec3 at = besideWay(square, 0.47 + 0.06 * brinkNoise(21, i, 0));
    brinkReplayWriter_Fixed(writer, name, (brinkPose){at, brinkTurnAbout(2, BRINK_PI * brinkNoise(21, i, 2))});
  }
}

static void walkerAt(double way, double phase, double crossing, const linkTree *tree, brinkPose *world) {
  const brinkVec3 at = wayAt(way), ahead = brinkDirection(wayAhead(way));
  brinkPose joints[BRINK_MANNEQUIN_LINKS];
  walkPose(phase, crossing, joints);
  const brinkPose root = {at, brinkTurnFromAxes(ahead, brinkVector(-ahead.y, ahead.x, 0), brinkVector(0, 0, 1))};
  placeLinks(tree, root, joints, world);
  standOnGround(tree, world, 0.008);
}

static void writeWalk(brinkReplayWriter *writer) {
  const linkTree tree = writeMannequin(writer);
  writeChess(writer);
  brinkPose start[mostLinks], end[mostLinks] = {REST};
  double way = 0.1;
  for (int frame = 0; frame <= walkFrames; ++frame) {
    const double narrow = positivePart(brinkPlainSine(0.055 * frame)),
                 crossing = 0.02 + 0.12 * narrow * narrow * narrow;
    memcpy(start, end, sizeof start);
    walkerAt(way, 2 * BRINK_PI * frame / 20.0, crossing, &tree, end);
    if (frame > 0) writeMoves(writer, &tree, frame - 1, start, end);
    way += 0.07 / brinkNorm(wayAhead(way));  // 7 cm a frame
  }
}

typedef struct gesture {  // key pose: angles (x, y, z) of the joints that move, both arms and legs
  double torsoBend, armL[3], elbowL, armR[3], elbowR, thighL[2], kneeL, thighR[2], kneeR;
} gesture;

static const gesture gestures[] = {
    {0, {0, 0, 0}, 0, {0, 0, 0}, 0, {0, 0}, 0, {0, 0}, 0},
    {0, {0.9, -0.3, 0}, -0.3, {-0.9, -0.3, 0}, -0.3, {0, 0}, 0, {0, 0}, 0},         // arms out
    {0, {0.1, -1.4, -0.2}, -0.2, {-0.1, -1.4, 0.2}, -0.2, {0, 0}, 0, {0, 0}, 0},    // forward
    {0, {-0.2, -1.3, -0.75}, -0.9, {0.2, -1.3, 0.75}, -0.9, {0, 0}, 0, {0, 0}, 0},  // crossed: forearms meet
    {0, {0.4, -0.6, 0}, -1.2, {-0.4, -0.6, 0}, -1.2, {0, 0}, 0, {0, 0}, 0},
    {0.2, {0.2, -0.5, 0}, -0.4, {-0.2, -0.5, 0}, -0.4, {0, -1.0}, 1.2, {0, 0}, 0},      // left knee up
    {0.2, {0.2, -0.9, 0}, -0.6, {-0.2, -0.2, 0}, -0.4, {-0.35, -0.9}, 1.3, {0, 0}, 0},  // and across: legs meet
    {0, {0.3, -0.2, 0}, -0.2, {-0.3, -0.2, 0}, -0.2, {0, 0}, 0, {0, 0}, 0},
    {0.9, {0.1, -1.0, 0}, -0.1, {-0.1, -1.0, 0}, -0.1, {0, 0}, 0, {0, 0}, 0},          // bending
    {1.25, {0.1, -1.4, 0}, 0, {-0.1, -1.3, 0}, 0, {0, -0.75}, 0.1, {0, -0.75}, 0.1},   // hands to the feet
    {1.25, {0.1, -1.0, 0}, 0, {0.12, -0.95, 0}, 0, {0, -0.75}, 0.1, {0, -0.75}, 0.1},  // a hand into the foot
    {0.4, {0.5, -1.0, 0}, -0.4, {-0.5, -1.0, 0}, -0.4, {0, -0.2}, 0.3, {0, -0.2}, 0.3},
    {0, {1.6, 0, 0}, -0.2, {-1.6, 0, 0}, -0.2, {0, 0}, 0, {0, 0}, 0},
    {0.1, {0.3, -0.8, 0}, -1.5, {-0.3, -0.8, 0}, -1.5, {0, 0}, 0, {0, -1.1}, 1.4},  // right knee up
    {0.1, {0.3, -0.7, -0.3}, -1.1, {-0.3, -0.7, 0.3}, -1.1, {0, 0}, 0, {0.3, -1.2}, 1.2},
    {0, {0.6, -0.1, 0}, -0.1, {-0.6, -0.1, 0}, -0.1, {0.25, 0}, 0, {-0.25, 0}, 0},  // straddle
};

enum {
  gestureAngles = (int)(sizeof(gesture) / sizeof(double)),
  gestureCount = (int)(sizeof gestures / sizeof *gestures)
};

// The `index`-th gesture of the exercise; every round is a little different.
static void gestureAngle(int index, double angles[gestureAngles]) {
  memcpy(angles, &gestures[index % gestureCount], sizeof(gesture));
  for (int i = 0; i < gestureAngles; ++i) angles[i] += 0.06 * brinkNoise(41, index, i);
}

static void gesturePose(int index, double t, const linkTree *tree, brinkPose *world) {
  double from[gestureAngles], to[gestureAngles];
  gestureAngle(index, from);
  gestureAngle(index + 1, to);
  for (int i = 0; i < gestureAngles; ++i) from[i] += (to[i] - from[i]) * t;
  gesture now;
  memcpy(&now, from, sizeof now);
  brinkPose joints[BRINK_MANNEQUIN_LINKS];
  for (int i = 0; i < BRINK_MANNEQUIN_LINKS; ++i) joints[i] = rest;
  joints[torso].rotation = turned(0, now.torsoBend, 0);
  joints[head].rotation = turned(0, -0.3 * now.torsoBend, 0);
  joints[upperArmL].rotation = turned(now.armL[0], now.armL[1], now.armL[2]);
  joints[forearmL].rotation = turned(0, now.elbowL, 0);
  joints[upperArmR].rotation = turned(now.armR[0], now.armR[1], now.armR[2]);
  joints[forearmR].rotation = turned(0, now.elbowR, 0);
  joints[thighL].rotation = turned(now.thighL[0], now.thighL[1], 0);
  joints[shinL].rotation = turned(0, now.kneeL, 0);
  joints[thighR].rotation = turned(now.thighR[0], now.thighR[1], 0);
  joints[shinR].rotation = turned(0, now.kneeR, 0);
  placeLinks(tree, rest, joints, world);
}

static void writeExercise(brinkReplayWriter *writer) {
  enum { framesPerGesture = 8 };
  const linkTree tree = writeMannequin(writer);
  brinkPose start[mostLinks], end[mostLinks] = {REST};
  for (int frame = 0; frame <= exerciseFrames; ++frame) {
    memcpy(start, end, sizeof start);
    gesturePose(frame / framesPerGesture, brinkEase((double)(frame % framesPerGesture) / framesPerGesture), &tree, end);
    if (frame > 0) writeMoves(writer, &tree, frame - 1, start, end);
  }
}

// ---- construction site

static void writeSite(brinkReplayWriter *writer) {
  brinkBuilder builder;
  char name[32];
  for (int kind = 0; kind < BRINK_SITE_OBJECTS; ++kind) {
    snprintf(name, sizeof name, "site_%s", brinkSiteObjectName((brinkSiteObject)kind));
    brinkBuilder_Start(&builder);
    brinkBuildSiteObject(&builder, kind);
    writeBuilt(writer, &builder, name);
  }
  for (int i = 0; i < brinkSitePlaceCount; ++i) {
    const brinkSitePlace *place = &brinkSitePlaces[i];
    snprintf(name, sizeof name, "site_%s", brinkSiteObjectName(place->kind));
    brinkReplayWriter_Fixed(writer, name, (brinkPose){{place->x, place->y, 0}, brinkTurnAbout(2, place->turn)});
  }
}

static linkTree writeMachine(brinkReplayWriter *writer, const char *prefix, const brinkPaperJoint *joints, int count,
                             void (*build)(brinkBuilder *builder, int part)) {
  linkTree tree = {.count = count, .firstObject = writer->objectCount};
  for (int i = 0; i < count; ++i) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s", prefix, joints[i].name);
    brinkBuilder builder;
    brinkBuilder_Start(&builder);
    build(&builder, i);
    writeBuilt(writer, &builder, name);
    brinkReplayWriter_Moving(writer, name, 0, i, joints[i].parent);
    tree.parents[i] = joints[i].parent;
    tree.origins[i] = joints[i].origin;
  }
  return tree;
}

typedef struct digger {  // a configuration of the excavator; arm angles count upwards
  double x, y, heading, slew, boom, stick, bucket;
} digger;

static void placeDigger(const linkTree *tree, const digger *at, brinkPose *world) {
  brinkPose joints[BRINK_EXCAVATOR_PARTS];
  for (int i = 0; i < BRINK_EXCAVATOR_PARTS; ++i) joints[i] = rest;
  joints[brink_excavatorChassis] = (brinkPose){{at->x, at->y, 0.04}, brinkTurnAbout(2, at->heading)};
  joints[brink_excavatorHouse].rotation = brinkTurnAbout(2, at->slew);
  joints[brink_excavatorBoom].rotation = brinkTurnAbout(1, -at->boom);
  joints[brink_excavatorStick].rotation = brinkTurnAbout(1, -at->stick);
  joints[brink_excavatorBucket].rotation = brinkTurnAbout(1, -at->bucket);
  placeLinks(tree, rest, joints, world);
}

static double between(double low, double high, uint64_t seed, int i, int j) {
  return low + (high - low) * 0.5 * (1 + brinkNoise(seed, i, j));
}

// From the first site to the second: driving and turning at once, between free configurations and samples all around.
static void writeExcavatorDrive(brinkReplayWriter *writer) {
  static const digger nodes[] = {{-3, -4.5, 0.1, 0, 0.85, -2.1, -1.0},   {2.5, 0.5, 0.3, 0.4, 0.85, -2.0, -1.2},
                                 {-12, 1.0, -1.4, 0, 0.80, -2.0, -1.0},  {9.0, -3.5, 0.0, 0.5, 0.90, -2.2, -0.8},
                                 {-4, 6.5, -0.8, 0.5, 0.85, -2.1, -1.0}, {-7, -1.0, 0.6, 2.6, 0.80, -2.0, -1.0}};
  enum { nodeCount = (int)(sizeof nodes / sizeof *nodes) };
  const linkTree tree =
      writeMachine(writer, "excavator", brinkExcavatorJoints, BRINK_EXCAVATOR_PARTS, brinkBuildExcavatorPart);
  writeSite(writer);
  brinkPose start[mostLinks], end[mostLinks];
  for (int frame = 0; frame < planFrames; ++frame) {
    const digger *from = &nodes[frame % nodeCount];
    const digger to = {between(-16, 14, 31, frame, 0),
                       between(-10, 9, 31, frame, 1),
                       from->heading + between(-1.4, 1.4, 31, frame, 2),
                       from->slew + between(-1.6, 1.6, 31, frame, 3),
                       between(0.25, 1.0, 31, frame, 4),
                       between(-2.3, -1.2, 31, frame, 5),
                       between(-1.4, 0.2, 31, frame, 6)};
    placeDigger(&tree, from, start);
    placeDigger(&tree, &to, end);
    writeMoves(writer, &tree, frame, start, end);
  }
}

// Picks up a weight and loads it into the truck: the arm moves, the machine creeps.
static void writeExcavatorLoad(brinkReplayWriter *writer) {
  static const digger nodes[] = {{2.5, 0.5, 0.3, -0.5, 0.75, -1.9, -1.0},
                                 {2.5, 0.5, 0.3, 0.9, 0.95, -1.7, -0.9},
                                 {2.2, 0.6, 0.3, -2.2, 0.70, -1.8, -1.0},
                                 {2.8, 0.4, 0.2, 0.2, 0.80, -2.1, -0.6}};
  enum { nodeCount = (int)(sizeof nodes / sizeof *nodes) };
  const linkTree tree =
      writeMachine(writer, "excavator", brinkExcavatorJoints, BRINK_EXCAVATOR_PARTS, brinkBuildExcavatorPart);
  writeSite(writer);
  brinkPose start[mostLinks], end[mostLinks];
  for (int frame = 0; frame < planFrames; ++frame) {
    const digger *from = &nodes[frame % nodeCount];
    const digger to = {from->x + between(-0.6, 0.6, 32, frame, 0),
                       from->y + between(-0.6, 0.6, 32, frame, 1),
                       from->heading + between(-0.2, 0.2, 32, frame, 2),
                       from->slew + between(-2.6, 2.6, 32, frame, 3),
                       between(-0.15, 0.8, 32, frame, 4),
                       between(-2.3, -0.9, 32, frame, 5),
                       between(-1.5, 0.3, 32, frame, 6)};
    placeDigger(&tree, from, start);
    placeDigger(&tree, &to, end);
    writeMoves(writer, &tree, frame, start, end);
  }
}

typedef struct hoist {  // a configuration of the crane
  double slew, reach, drop, turn;
} hoist;

static void placeHoist(const linkTree *tree, const hoist *at, brinkPose *world) {
  brinkPose joints[BRINK_CRANE_PARTS];
  for (int i = 0; i < BRINK_CRANE_PARTS; ++i) joints[i] = rest;
  joints[brink_craneMast].position = brinkVector(6.5, -1.5, 0);
  joints[brink_craneJib].rotation = brinkTurnAbout(2, at->slew);
  joints[brink_craneTrolley].position = brinkVector(at->reach, 0, 0);
  joints[brink_craneHook].position = brinkVector(0, 0, -at->drop);
  joints[brink_craneLoad].rotation = brinkTurnAbout(2, at->turn);
  placeLinks(tree, rest, joints, world);
}

static void writeHoistMove(brinkReplayWriter *writer, const linkTree *tree, int frame, const hoist *from,
                           const hoist *to) {
  brinkPose start[mostLinks], end[mostLinks];
  placeHoist(tree, from, start);
  placeHoist(tree, to, end);
  writeMoves(writer, tree, frame, start, end);
}

// From one place of the site to another with the weight, over and between the buildings.
static void writeCraneSlew(brinkReplayWriter *writer) {
  const linkTree tree = writeMachine(writer, "crane", brinkCraneJoints, BRINK_CRANE_PARTS, brinkBuildCranePart);
  writeSite(writer);
  for (int frame = 0; frame < planFrames; ++frame) {
    const hoist from = {between(-3.1, 3.1, 33, frame, 0), between(5, 32, 33, frame, 1), between(0.2, 4, 33, frame, 2),
                        0};
    const hoist to = {from.slew + between(-2.2, 2.2, 33, frame, 3), between(5, 33, 33, frame, 4),
                      between(6, 21.5, 33, frame, 5), between(-1, 1, 33, frame, 6)};
    writeHoistMove(writer, &tree, frame, &from, &to);
  }
}

// Lowers the weight into the shaft at (16, 0.5), with the aim a little off.
static void writeCranePipe(brinkReplayWriter *writer) {
  const linkTree tree = writeMachine(writer, "crane", brinkCraneJoints, BRINK_CRANE_PARTS, brinkBuildCranePart);
  writeSite(writer);
  const double slew = 0.20749622643520, reach = 9.70824391947380;  // from the mast to the middle of the shaft
  for (int frame = 0; frame < planFrames; ++frame) {
    const hoist from = {slew + between(-0.9, 0.9, 34, frame, 0), between(6, 16, 34, frame, 1),
                        between(8, 15, 34, frame, 2), 0};
    const hoist over = {slew + between(-0.06, 0.06, 34, frame, 3), reach + between(-0.6, 0.6, 34, frame, 4),
                        between(14, 16, 34, frame, 5), 0};
    const hoist in = {slew + between(-0.12, 0.12, 34, frame, 6), reach + between(-1.2, 1.2, 34, frame, 7),
                      between(18, 20.5, 34, frame, 8), between(-1, 1, 34, frame, 9)};
    writeHoistMove(writer, &tree, frame, frame % 2 == 0 ? &from : &over, &in);
  }
}

// ---- trains

/* The parts of a vehicle, as a builder of trains would count them: body, two bogies, four axles, eight wheels, two
 * couplers; on the engine exhaust, horn and rail guard as well. Nine cars of 17 and an engine of 20 are 173 parts, and
 * 6 pairs of four trains are 6 x 173 x 173 = 179,574 pairs: the paper's count before culling (Table 2). */
enum {
  carParts = 17,
  engineParts = 20,
  bodyPart = 0,
  bogiePart = 1,
  axlePart = 3,
  wheelPart = 7,
  couplerPart = 15,
  extraPart = 17
};

static uint32_t rootOf(uint32_t *parents, uint32_t item) {
  while (parents[item] != item) item = parents[item] = parents[parents[item]];
  return item;
}

// Which part a closed surface of a vehicle belongs to, from its box; see generate_train.c for the measures.
static int partOf(brinkVec3 low, brinkVec3 high, bool engine) {
  const brinkVec3 middle = brinkTimes(0.5, brinkPlus(low, high)), size = brinkMinus(high, low);
  const int front = middle.x > 0, left = middle.y > 0;
  const int axle = (middle.x > 0 ? 2 : 0) + (middle.x - (front ? 2.95 : -2.95) > 0);
  if (size.y < 0.2 && size.x > 0.95 && size.x < 1.05 && size.z > 0.95) return wheelPart + 2 * axle + left;
  if (size.y > 1.7 && size.x < 0.2) return axlePart + axle;
  if (middle.x * middle.x > 4.0 * 4.0 && size.y < 0.5 && high.z < -0.4) return couplerPart + front;
  if (engine && size.x > 0.65 && size.y < 0.5 && size.x < 0.75 && low.z > 1.3) return extraPart + (middle.x > 1);
  if (engine && low.x > 4.1 && size.y > 1.5) return extraPart + 2;
  if (high.z < -0.6 && (middle.x - 2.95) * (middle.x - 2.95) < 1.7) return bogiePart + 1;
  if (high.z < -0.6 && (middle.x + 2.95) * (middle.x + 2.95) < 1.7) return bogiePart;
  return bodyPart;
}

static bool labelParts(const brinkMesh *mesh, bool engine, uint32_t *parents, int *labels) {
  brinkVec3 *low = malloc(2 * mesh->vertexCount * sizeof *low), *high = low + mesh->vertexCount;
  if (low == NULL) return false;
  for (uint32_t i = 0; i < mesh->vertexCount; ++i) parents[i] = i;
  for (size_t t = 0; t < 3 * mesh->triangleCount; ++t) {
    const uint32_t a = rootOf(parents, mesh->indices[t]), b = rootOf(parents, mesh->indices[t / 3 * 3]);
    parents[a > b ? a : b] = a > b ? b : a;
  }
  for (uint32_t i = 0; i < mesh->vertexCount; ++i) {
    const double *v = mesh->vertices + 3 * i;
    const uint32_t root = rootOf(parents, i);  // the lowest vertex: comes first
    if (root == i) low[i] = high[i] = brinkVector(v[0], v[1], v[2]);
    brinkVec3 *l = &low[root], *h = &high[root];
    *l = brinkVector(v[0] < l->x ? v[0] : l->x, v[1] < l->y ? v[1] : l->y, v[2] < l->z ? v[2] : l->z);
    *h = brinkVector(v[0] > h->x ? v[0] : h->x, v[1] > h->y ? v[1] : h->y, v[2] > h->z ? v[2] : h->z);
  }
  for (uint32_t i = 0; i < mesh->vertexCount; ++i) {
    const uint32_t root = rootOf(parents, i);
    labels[i] = partOf(low[root], high[root], engine);
  }
  free(low);
  return true;
}

// The triangles with one label, with their vertices, shifted to the front coupling.
static void writePart(brinkReplayWriter *writer, const brinkMesh *mesh, const int *labels, uint32_t *renamed, int part,
                      const char *name) {
  brinkBuilder builder;
  brinkBuilder_Start(&builder);
  brinkBuilder_Place(&builder, -0.5 * BRINK_TRAIN_PITCH, 0, 0);
  for (uint32_t i = 0; i < mesh->vertexCount; ++i) {
    const double *v = mesh->vertices + 3 * i;
    if (labels[i] == part) renamed[i] = brinkBuilder_AddVertex(&builder, v[0], v[1], v[2]);
  }
  for (size_t t = 0; t < mesh->triangleCount; ++t) {
    const uint32_t *corner = mesh->indices + 3 * t;
    if (labels[corner[0]] == part)
      brinkBuilder_AddTriangle(&builder, renamed[corner[0]], renamed[corner[1]], renamed[corner[2]]);
  }
  writeBuilt(writer, &builder, name);
}

static void writeVehicleParts(brinkReplayWriter *writer, bool engine) {
  brinkMesh mesh;
  if (!generate(writer, engine ? brink_modelTrainEngine : brink_modelTrainCar, 0, 1, &mesh)) return;
  uint32_t *parents = malloc(2 * mesh.vertexCount * sizeof *parents);
  int *labels = malloc(mesh.vertexCount * sizeof *labels);
  const bool good = parents != NULL && labels != NULL && labelParts(&mesh, engine, parents, labels);
  for (int part = 0; good && part < (engine ? engineParts : carParts); ++part) {
    char name[32];
    snprintf(name, sizeof name, "%s_part_%02d", engine ? "engine" : "car", part);
    writePart(writer, &mesh, labels, parents + mesh.vertexCount, part, name);
  }
  if (!good && writer->status == brink_ok) {
    brinkSay(writer->message, writer->messageCapacity, "train parts: out of memory");
    writer->status = brink_errorNoMemory;
  }
  free(parents);
  free(labels);
  brinkFreeMesh(&mesh);
}

enum { fourCars = 10, fourTrains = 4 };

/* Parts of one vehicle are one link: they share MODEL and LINK, and only the first has lines in MOTION. Parts of
 * neighbouring vehicles are left out like other parents and children. */
static void writePartObjects(brinkReplayWriter *writer, int firsts[fourTrains * fourCars]) {
  char name[32];
  for (int car = 0; car < fourTrains * fourCars; ++car) {
    const bool engine = car % fourCars == 0;
    firsts[car] = writer->objectCount;
    for (int part = 0; part < (engine ? engineParts : carParts); ++part) {
      snprintf(name, sizeof name, "%s_part_%02d", engine ? "engine" : "car", part);
      brinkReplayWriter_Moving(writer, name, car / fourCars, car % fourCars, car % fourCars - 1);
    }
  }
}

static void writeCourse(brinkReplayWriter *writer, brinkCourse *course, const int *objects, int carCount, int frames) {
  brinkPose start[BRINK_COURSE_MOST_TRAINS * BRINK_COURSE_MOST_CARS],
      end[BRINK_COURSE_MOST_TRAINS * BRINK_COURSE_MOST_CARS];
  for (int frame = 0; frame < frames; ++frame) {
    brinkCourse_Advance(course, start, end);
    for (int car = 0; car < carCount; ++car) brinkReplayWriter_Move(writer, frame, objects[car], start[car], end[car]);
  }
}

static void writeFourTrains(brinkReplayWriter *writer) {
  writeVehicleParts(writer, true);
  writeVehicleParts(writer, false);
  int firsts[fourTrains * fourCars];
  writePartObjects(writer, firsts);
  brinkCourse course = {.step = 1.0 / 30, .pull = 0.4, .clearance = -0.2, .keep = 0.98};
  const brinkVec3 up = {0, 0, 1};
  for (int i = 0; i < fourTrains; ++i) {
    double c, s;
    brinkCircle((size_t)i, fourTrains, &c, &s);
    const brinkVec3 back = {c, s, 0}, front = {24 * c - 5 * s, 24 * s + 5 * c, 2.2 * (i - 1.5)};
    brinkCourse_AddTrain(&course, fourCars, front, back, up, brinkVector(-14 * c, -14 * s, -0.8 * (i - 1.5)));
  }
  writeCourse(writer, &course, firsts, fourTrains * fourCars, fourTrainFrames);
}

static void writeFallingTrain(brinkReplayWriter *writer) {
  enum { cars = BRINK_COURSE_MOST_CARS };
  brinkMesh mountain, mesh;
  int objects[cars];
  if (!generate(writer, brink_modelMountain, 0, 1, &mountain)) return;
  for (int engine = 1; engine >= 0; --engine) {
    if (!generate(writer, engine ? brink_modelTrainEngine : brink_modelTrainCar, 0, 1, &mesh)) break;
    shiftMesh(&mesh, brinkVector(-0.5 * BRINK_TRAIN_PITCH, 0, 0));
    brinkReplayWriter_Mesh(writer, engine ? "engine" : "car", &mesh);
  }
  for (int i = 0; i < cars; ++i) objects[i] = brinkReplayWriter_Moving(writer, i == 0 ? "engine" : "car", 0, i, i - 1);
  brinkReplayWriter_Fixed(writer, "mountain", rest);
  brinkCourse course = {.step = 1.0 / 15, .gravity = 9.81, .clearance = -0.06, .keep = 0.998, .terrain = &mountain};
  brinkCourse_AddTrain(&course, cars, brinkVector(62, 30, 78), brinkDirection(brinkVector(-1, -0.1, 0.02)),
                       brinkVector(0, 0, 1), brinkVector(3, -1, 0));
  writeCourse(writer, &course, objects, cars, fallingFrames);
  brinkReplayWriter_Mesh(writer, "mountain", &mountain);
}

// ---- the entry point

typedef struct paperScene {
  const char *name;
  void (*write)(brinkReplayWriter *writer);
} paperScene;

static const paperScene scenes[BRINK_PAPER_SCENES] = {
    {"walk", writeWalk},
    {"exercise", writeExercise},
    {"excavator_drive", writeExcavatorDrive},
    {"excavator_load", writeExcavatorLoad},
    {"crane_slew", writeCraneSlew},
    {"crane_pipe", writeCranePipe},
    {"four_trains", writeFourTrains},
    {"falling_train", writeFallingTrain},
};

const char *brinkPaperSceneName(int index) {
  return index >= 0 && index < BRINK_PAPER_SCENES ? scenes[index].name : NULL;
}

brinkStatus brinkWritePaperScene(const char *name, const char *directory, char *message, size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s", "");
  if (name == NULL || directory == NULL) {
    brinkSay(message, messageCapacity, "brinkWritePaperScene: %s is NULL", name == NULL ? "name" : "directory");
    return brink_errorNullArgument;
  }
  for (int i = 0; i < BRINK_PAPER_SCENES; ++i) {
    if (strcmp(name, scenes[i].name) != 0) continue;
    brinkReplayWriter writer;
    brinkReplayWriter_Begin(&writer, directory, name, message, messageCapacity);
    if (writer.status == brink_ok) scenes[i].write(&writer);
    return brinkReplayWriter_End(&writer);
  }
  brinkSay(message, messageCapacity, "brinkWritePaperScene: no scene '%s'; the first is '%s'", name, scenes[0].name);
  return brink_errorBadValue;
}
