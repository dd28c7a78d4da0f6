/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the stand-in robots (brink/stand_in_robot.h): numbers with a point in every locale, whole files or none.
 * Units: m, rad. */
#include "brink/stand_in_robot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct Segment { /* a joint and the link above it */
  const char *joint, *link, *axis, *offset;
  const char *shape; /* box or cylinder, as an URDF geometry */
  const char *middle;
  const char *lower, *upper;
} Segment;

static const Segment segments[] = {
    {"turn", "column", "0 0 1", "0 0 0.2", "<cylinder radius=\"0.07\" length=\"0.2\"/>", "0 0 0.1", "-2.9", "2.9"},
    {"shoulder", "upper", "0 1 0", "0 0 0.2", "<box size=\"0.12 0.12 0.4\"/>", "0 0 0.2", "-2.0", "2.0"},
    {"roll", "elbow", "0 0 1", "0 0 0.4", "<cylinder radius=\"0.06\" length=\"0.1\"/>", "0 0 0.05", "-2.9", "2.9"},
    {"bend", "fore", "0 1 0", "0 0 0.1", "<box size=\"0.1 0.1 0.35\"/>", "0 0 0.175", "-2.4", "2.4"},
    {"spin", "wrist", "0 0 1", "0 0 0.35", "<cylinder radius=\"0.05\" length=\"0.1\"/>", "0 0 0.05", "-2.9", "2.9"},
    {"pitch", "knuckle", "0 1 0", "0 0 0.1", "<box size=\"0.08 0.08 0.1\"/>", "0 0 0.05", "-2.0", "2.0"},
    {"hand_turn", "hand", "0 0 1", "0 0 0.1", "<box size=\"0.16 0.05 0.06\"/>", "0 0 0.03", "-2.9", "2.9"},
};
enum { segmentCount = (int)(sizeof segments / sizeof *segments) };

static void writeLink(FILE *out, const char *name, const char *suffix, const char *shape, const char *middle) {
  fprintf(out,
          "  <link name=\"%s%s\">\n    <collision>\n      <origin xyz=\"%s\" rpy=\"0 0 0\"/>\n"
          "      <geometry>%s</geometry>\n    </collision>\n  </link>\n",
          name, suffix, middle, shape);
}

static void writeJoint(FILE *out, const char *name, const char *type, const char *suffix, const char *parent,
                       const char *parentSuffix, const char *child, const char *offset) {
  fprintf(out,
          "  <joint name=\"%s%s\" type=\"%s\">\n    <origin xyz=\"%s\" rpy=\"0 0 0\"/>\n"
          "    <parent link=\"%s%s\"/>\n    <child link=\"%s%s\"/>\n",
          name, suffix, type, offset, parent, parentSuffix, child, suffix);
}

static void writeArm(FILE *out, const char *suffix, const char *mount, const char *place) {
  writeLink(out, "foot", suffix, "<cylinder radius=\"0.1\" length=\"0.2\"/>", "0 0 0.1");
  if (mount != NULL) {
    writeJoint(out, "mount", "fixed", suffix, mount, "", "foot", place);
    fprintf(out, "  </joint>\n");
  }
  const char *parent = "foot";
  for (int i = 0; i < segmentCount; ++i) {
    const Segment *segment = &segments[i];
    writeLink(out, segment->link, suffix, segment->shape, segment->middle);
    writeJoint(out, segment->joint, "revolute", suffix, parent, suffix, segment->link, segment->offset);
    fprintf(out,
            "    <axis xyz=\"%s\"/>\n    <limit lower=\"%s\" upper=\"%s\" effort=\"50\" velocity=\"2\"/>\n  </joint>\n",
            segment->axis, segment->lower, segment->upper);
    parent = segment->link;
  }
  for (int i = 0; i < 2; ++i) {
    const char *name = i == 0 ? "finger_left" : "finger_right";
    writeLink(out, name, suffix, "<box size=\"0.02 0.03 0.1\"/>", "0 0 0.05");
    writeJoint(out, i == 0 ? "grip_left" : "grip_right", "fixed", suffix, "hand", suffix, name,
               i == 0 ? "0.06 0 0.06" : "-0.06 0 0.06");
    fprintf(out, "  </joint>\n");
  }
}

static void writePairs(FILE *out, const char *suffix) {
  static const char *const pairs[][2] = {{"foot", "upper"},
                                         {"column", "elbow"},
                                         {"upper", "fore"},
                                         {"elbow", "wrist"},
                                         {"fore", "knuckle"},
                                         {"wrist", "hand"},
                                         {"knuckle", "finger_left"},
                                         {"knuckle", "finger_right"},
                                         {"wrist", "finger_left"},
                                         {"wrist", "finger_right"},
                                         {"finger_left", "finger_right"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    fprintf(out, "  <disable_collisions link1=\"%s%s\" link2=\"%s%s\" reason=\"Adjacent\"/>\n", pairs[i][0], suffix,
            pairs[i][1], suffix);
}

static void writeOneUrdf(FILE *out) {
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"stand_in_arm\">\n");
  writeArm(out, "", NULL, NULL);
  fprintf(out, "</robot>\n");
}
static void writeOneSrdf(FILE *out) {
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"stand_in_arm\">\n");
  writePairs(out, "");
  fprintf(out, "</robot>\n");
}
static void writeTwoUrdf(FILE *out) {
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"stand_in_arms\">\n");
  writeLink(out, "bench", "", "<box size=\"0.3 1.4 0.1\"/>", "0 0 -0.05");
  writeArm(out, "", "bench", "0 -0.5 0");
  writeArm(out, "_b", "bench", "0 0.5 0");
  fprintf(out, "</robot>\n");
}
static void writeTwoSrdf(FILE *out) {
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"stand_in_arms\">\n");
  writePairs(out, "");
  writePairs(out, "_b");
  fprintf(out,
          "  <disable_collisions link1=\"bench\" link2=\"column\" reason=\"Never\"/>\n"
          "  <disable_collisions link1=\"bench\" link2=\"column_b\" reason=\"Never\"/>\n</robot>\n");
}

static void writeBoard(FILE *out, const char *size, const char *place) {
  fprintf(out, "box %s %s 1 0 0 0\n", size, place);
}

/* Three boards, two sides and a back, the opening towards -x. */
static void writeScenes(FILE *out) {
  static const char *const boards[][2] = {{"0.4 1.2 0.02", "0.85 0 0.25"},  {"0.4 1.2 0.02", "0.85 0 0.7"},
                                          {"0.4 1.2 0.02", "0.85 0 1.15"},  {"0.4 0.02 0.9", "0.85 -0.6 0.7"},
                                          {"0.4 0.02 0.9", "0.85 0.6 0.7"}, {"0.02 1.2 0.9", "1.05 0 0.7"}};
  enum { boardCount = (int)(sizeof boards / sizeof *boards) };
  static const char lower[] = "0.5 0.8 0 1.3 0 -0.6 0", upper[] = "-0.6 0.1 0 1.2 0 0.2 0"; /* the hand in each */
  fprintf(out,
          "# A shelf of two compartments in front of the arm. The straight way from one to the other meets a board.\n");
  fprintf(out, "scene shelf %d\n%s  %s\n", boardCount, lower, upper);
  for (int i = 0; i < boardCount; ++i) writeBoard(out, boards[i][0], boards[i][1]);
  fprintf(out, "scene two_shelves %d\n", boardCount);
  fprintf(out, "%s  %s  %s  %s\n", lower, upper, upper, lower); /* the arms change places */
  for (int i = 0; i < boardCount; ++i) writeBoard(out, boards[i][0], boards[i][1]);
}

static brinkStatus writeFile(const char *folder, const char *name, void (*write)(FILE *out), char *message,
                             size_t messageCapacity) {
  char path[2048];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  bool good = out != NULL;
  if (good) write(out);
  if (out != NULL && (ferror(out) != 0 || fclose(out) != 0)) good = false;
  if (!good && message != NULL && messageCapacity > 0)
    snprintf(message, messageCapacity, "%s: %s", path, strerror(errno));
  return good ? brink_ok : brink_errorIo;
}

brinkStatus brinkWriteStandInRobots(const char *folder, char *message, size_t messageCapacity) {
  static const struct {
    const char *name;
    void (*write)(FILE *out);
  } files[] = {{"stand_in_arm.urdf", writeOneUrdf},
               {"stand_in_arm.srdf", writeOneSrdf},
               {"stand_in_arms.urdf", writeTwoUrdf},
               {"stand_in_arms.srdf", writeTwoSrdf},
               {"shelf.txt", writeScenes}};
  if (message != NULL && messageCapacity > 0) message[0] = '\0';
  if (folder == NULL) return brink_errorNullArgument;
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    brinkStatus status = writeFile(folder, files[i].name, files[i].write, message, messageCapacity);
    if (status != brink_ok) return status;
  }
  return brink_ok;
}
