/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes an excavator and a tower crane on a construction site (brink/stand_in_robot.h), of the sizes that the paper
 * plans with: five joints each, 20.3 thousand and 1.3 thousand triangles, a site of 0.39 million. The shapes are our
 * own: tubes along bent lines with ribs around them, so that hardly one is convex. Units: m, rad; z up.
 * Based on: [CATCH] 8, construction site benchmarks. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "brink/stand_in_robot.h"

#define PI 3.14159265358979323846

typedef struct Tube { /* along a bent line (control points of a parabola), of a rounded rectangle with ribs */
  const char *name;
  double line[3][3];
  double width, height, taper; /* across y, across the line; the far end is so much thinner, relative */
  double rib;                  /* relative height of the ribs */
  int ribs, rings, sides;      /* 2 rings sides triangles */
} Tube;

/* ---- one tube as an OBJ file: numbers in the C locale's spelling, whatever the host's */

static void writeVertex(FILE *out, double x, double y, double z) {
  const double coordinates[3] = {x, y, z};
  fputs("v", out);
  for (int i = 0; i < 3; ++i) { /* whole micrometres */
    long long micro = llround(coordinates[i] * 1e6), size = micro < 0 ? -micro : micro;
    fprintf(out, " %s%lld.%06lld", micro < 0 ? "-" : "", size / 1000000, size % 1000000);
  }
  fputs("\n", out);
}

static double rounded(double x) { return x < 0.0 ? -sqrt(-x) : sqrt(x); }

static void writeTube(FILE *out, const Tube *tube) {
  for (int i = 0; i < tube->rings; ++i) {
    const double s = (double)i / (tube->rings - 1), a = (1 - s) * (1 - s), b = 2 * s * (1 - s), c = s * s;
    double at[3], along[3], length = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double p = tube->line[0][k], q = tube->line[1][k], r = tube->line[2][k];
      at[k] = a * p + b * q + c * r;
      along[k] = (1 - s) * (q - p) + s * (r - q);
      length += along[k] * along[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; ++k) along[k] /= length;
    /* the line bends in a plane through y: across is y, up = along x y */
    const double across[3] = {0, 1, 0}, up[3] = {-along[2], 0, along[0]};
    const double size = (1.0 - tube->taper * s) * (1.0 + tube->rib * sin(2 * PI * tube->ribs * s) * sin(PI * s));
    for (int j = 0; j < tube->sides; ++j) {
      const double angle = 2 * PI * j / tube->sides;
      const double y = 0.5 * size * tube->width * rounded(cos(angle)),
                   z = 0.5 * size * tube->height * rounded(sin(angle));
      writeVertex(out, at[0] + y * across[0] + z * up[0], at[1] + y * across[1] + z * up[1],
                  at[2] + y * across[2] + z * up[2]);
    }
  }
  const double *ends[2] = {tube->line[0], tube->line[2]};
  for (int e = 0; e < 2; ++e) writeVertex(out, ends[e][0], ends[e][1], ends[e][2]);
  const int n = tube->sides, last = (tube->rings - 1) * n;
  for (int i = 0; i + 1 < tube->rings; ++i)
    for (int j = 0; j < n; ++j) {
      const int p = i * n + j + 1, q = i * n + (j + 1) % n + 1;
      fprintf(out, "f %d %d %d\nf %d %d %d\n", p, q, p + n, q, q + n, p + n);
    }
  for (int j = 0; j < n; ++j) {
    fprintf(out, "f %d %d %d\n", tube->rings * n + 1, (j + 1) % n + 1, j + 1);
    fprintf(out, "f %d %d %d\n", tube->rings * n + 2, last + j + 1, last + (j + 1) % n + 1);
  }
}

/* Uneven ground, a surface: higher away from the middle. 2 CELLS^2 triangles. */
enum { CELLS = 300 };
static void writeGround(FILE *out) {
  for (int i = 0; i <= CELLS; ++i)
    for (int j = 0; j <= CELLS; ++j) {
      const double x = 60.0 * i / CELLS - 30.0, y = 60.0 * j / CELLS - 30.0, far = sqrt(x * x + y * y);
      writeVertex(out, x, y, -0.5 + 0.12 * sin(1.7 * x) * cos(1.3 * y) + (far > 8 ? 0.12 * (far - 8) : 0.0));
    }
  for (int i = 0; i < CELLS; ++i)
    for (int j = 0; j < CELLS; ++j) {
      const int p = i * (CELLS + 1) + j + 1, q = p + CELLS + 1;
      fprintf(out, "f %d %d %d\nf %d %d %d\n", p, q, p + 1, q, q + 1, p + 1);
    }
}

/* ---- robots */

typedef struct Link {
  const char *name, *joint, *type, *parent, *place, *axis, *lower, *upper;
  Tube tube;
} Link;

static const Link excavator[] = {
    {"tracks",
     "drive",
     "prismatic",
     "yard",
     "0 0 0",
     "1 0 0",
     "-4",
     "4",
     {"tracks", {{-1.9, 0, 0.35}, {0, 0, 0.5}, {1.9, 0, 0.35}}, 2.6, 0.7, 0, 0.12, 18, 64, 40}},
    {"house",
     "slew",
     "revolute",
     "tracks",
     "0 0 0.9",
     "0 0 1",
     "-3.1",
     "3.1",
     {"house", {{-1.8, 0, 0.9}, {-0.4, 0, 1.0}, {0.5, 0, 0.9}}, 2.4, 1.6, 0.1, 0.04, 6, 56, 40}},
    {"boom",
     "lift",
     "revolute",
     "house",
     "0.9 0 0.7",
     "0 1 0",
     "-1.0",
     "0.5",
     {"boom", {{0, 0, 0}, {2.6, 0, 1.9}, {4.6, 0, 0.4}}, 0.55, 0.7, 0.4, 0.06, 9, 56, 36}},
    {"stick",
     "crowd",
     "revolute",
     "boom",
     "4.7 0 0.3",
     "0 1 0",
     "0.4",
     "2.6",
     {"stick", {{-0.4, 0, 0.2}, {1.0, 0, 0.1}, {2.5, 0, 0}}, 0.45, 0.5, 0.4, 0.06, 7, 52, 36}},
    {"bucket",
     "curl",
     "revolute",
     "stick",
     "2.6 0 0",
     "0 1 0",
     "-0.4",
     "2.2",
     {"bucket", {{0, 0, 0.1}, {1.5, 0, 0.2}, {0.9, 0, 1.0}}, 1.1, 0.35, 0.3, 0.08, 5, 44, 33}},
};
static const Link crane[] = {
    {"base",
     "drive",
     "prismatic",
     "yard",
     "0 0 0",
     "1 0 0",
     "-3",
     "3",
     {"base", {{-1.5, 0, 0.3}, {0, 0, 0.3}, {1.5, 0, 0.3}}, 3, 0.5, 0, 0.1, 3, 9, 12}},
    {"mast",
     "mast_foot",
     "fixed",
     "base",
     "0 0 0.7",
     "0 0 1",
     "0",
     "0",
     {"mast", {{0, 0, 0}, {0, 0, 6}, {0, 0, 12}}, 0.9, 0.9, 0.1, 0.1, 6, 15, 10}},
    {"jib",
     "slew",
     "revolute",
     "mast",
     "0 0 12.4",
     "0 0 1",
     "-3.1",
     "3.1",
     {"jib", {{-3.5, 0, 0.4}, {2, 0, 0.6}, {11, 0, 0.4}}, 0.8, 0.6, 0.3, 0.1, 8, 21, 10}},
    {"trolley",
     "travel",
     "prismatic",
     "jib",
     "2 0 -0.3",
     "1 0 0",
     "0",
     "8",
     {"trolley", {{-0.4, 0, 0}, {0, 0, 0}, {0.4, 0, 0}}, 0.6, 0.3, 0, 0.05, 2, 6, 8}},
    {"rope",
     "hoist",
     "prismatic",
     "trolley",
     "0 0 -7",
     "0 0 1",
     "-4",
     "5",
     {"rope", {{0, 0, 0}, {0, 0, 0.9}, {0, 0, 1.8}}, 0.1, 0.1, 0, 0.05, 2, 4, 8}},
    {"hook",
     "turn",
     "revolute",
     "rope",
     "0 0 -0.05",
     "0 0 1",
     "-3.1",
     "3.1",
     {"hook", {{-0.9, 0, 0}, {0, 0, -1.1}, {0.9, 0, 0}}, 0.7, 0.5, 0, 0.1, 3, 9, 12}},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void writeUrdf(FILE *out, const char *name, const Link *links, size_t count) {
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n  <link name=\"yard\"/>\n", name);
  for (size_t i = 0; i < count; ++i) {
    const Link *link = &links[i];
    fprintf(out,
            "  <link name=\"%s\">\n    <collision>\n      <geometry><mesh filename=\"%s.obj\"/></geometry>\n"
            "    </collision>\n  </link>\n",
            link->name, link->tube.name);
    fprintf(out,
            "  <joint name=\"%s\" type=\"%s\">\n    <origin xyz=\"%s\" rpy=\"0 0 0\"/>\n    <parent link=\"%s\"/>\n"
            "    <child link=\"%s\"/>\n    <axis xyz=\"%s\"/>\n"
            "    <limit lower=\"%s\" upper=\"%s\" effort=\"9000\" velocity=\"1\"/>\n  </joint>\n",
            link->joint, link->type, link->place, link->parent, link->name, link->axis, link->lower, link->upper);
  }
  fprintf(out, "</robot>\n");
}

/* Pairs that stand within each other by design. */
static void writeSrdf(FILE *out, const char *name) {
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n", name);
  if (strcmp(name, "tower_crane") == 0)
    fprintf(out,
            "  <disable_collisions link1=\"mast\" link2=\"trolley\" reason=\"Never\"/>\n"
            "  <disable_collisions link1=\"trolley\" link2=\"hook\" reason=\"Never\"/>\n"
            "  <disable_collisions link1=\"jib\" link2=\"rope\" reason=\"Never\"/>\n");
  fprintf(out, "</robot>\n");
}

/* Piles and bent pipes around, each the same mesh. */
static const Tube pile = {"pile", {{0, 0, -1}, {0.6, 0, 3}, {0, 0, 8}}, 0.9, 0.9, 0.2, 0.08, 15, 88, 40};
enum { PILES = 30 };

static void writeSite(FILE *out) {
  fprintf(out, "# Ground, piles in two rings around the machine.\nscene site %d\n", PILES + 1);
  fprintf(out, "mesh 1 1 1 0 0 0 1 0 0 0 ../site/ground.obj\n");
  for (int i = 0; i < PILES; ++i) {
    const double angle = 2 * PI * i / PILES + 0.1, far = i % 2 == 0 ? 6.5 : 10.5;
    const long long x = llround(1e3 * far * cos(angle)), y = llround(1e3 * far * sin(angle));
    fprintf(out, "mesh 1 1 1 %s%lld.%03lld %s%lld.%03lld 0 1 0 0 0 ../site/pile.obj\n", x < 0 ? "-" : "",
            llabs(x) / 1000, llabs(x) % 1000, y < 0 ? "-" : "", llabs(y) / 1000, llabs(y) % 1000);
  }
}

/* ---- files */

typedef struct Writer {
  const char *folder;
  char *message;
  size_t messageCapacity;
  bool failed;
} Writer;

static void failed(Writer *writer, const char *path) {
  if (!writer->failed && writer->message != NULL && writer->messageCapacity > 0)
    snprintf(writer->message, writer->messageCapacity, "%s: %s", path, strerror(errno));
  writer->failed = true;
}
static void makeFolder(Writer *writer, const char *name) {
  char path[2048];
  snprintf(path, sizeof path, "%s/%s", writer->folder, name);
  if (mkdir(path, 0777) != 0 && errno != EEXIST) failed(writer, path);
}
static FILE *begin(Writer *writer, const char *folder, const char *name, char *path, size_t capacity) {
  snprintf(path, capacity, "%s/%s/%s", writer->folder, folder, name);
  FILE *out = writer->failed ? NULL : fopen(path, "w");
  if (out == NULL) failed(writer, path);
  return out;
}
static void end(Writer *writer, FILE *out, const char *path) {
  bool bad = ferror(out) != 0;
  if (fclose(out) != 0 || bad) failed(writer, path);
}
static void writeMesh(Writer *writer, const char *folder, const Tube *tube) {
  char path[2048], name[64];
  snprintf(name, sizeof name, "%s.obj", tube->name);
  FILE *out = begin(writer, folder, name, path, sizeof path);
  if (out == NULL) return;
  writeTube(out, tube);
  end(writer, out, path);
}
static void writeMachine(Writer *writer, const char *name, const Link *links, size_t count) {
  char path[2048], file[64];
  makeFolder(writer, name);
  for (size_t i = 0; i < count; ++i) writeMesh(writer, name, &links[i].tube);
  snprintf(file, sizeof file, "%s.urdf", name);
  FILE *out = begin(writer, name, file, path, sizeof path);
  if (out != NULL) writeUrdf(out, name, links, count), end(writer, out, path);
  snprintf(file, sizeof file, "%s.srdf", name);
  out = begin(writer, name, file, path, sizeof path);
  if (out != NULL) writeSrdf(out, name), end(writer, out, path);
  out = begin(writer, name, "scenes.txt", path, sizeof path);
  if (out != NULL) writeSite(out), end(writer, out, path);
}

brinkStatus brinkWriteConstructionSite(const char *folder, char *message, size_t messageCapacity) {
  char path[2048];
  Writer writer = {.folder = folder, .message = message, .messageCapacity = messageCapacity};
  if (message != NULL && messageCapacity > 0) message[0] = '\0';
  if (folder == NULL) return brink_errorNullArgument;
  makeFolder(&writer, "site");
  writeMesh(&writer, "site", &pile);
  FILE *out = begin(&writer, "site", "ground.obj", path, sizeof path);
  if (out != NULL) writeGround(out), end(&writer, out, path);
  writeMachine(&writer, "excavator", excavator, COUNT(excavator));
  writeMachine(&writer, "tower_crane", crane, COUNT(crane));
  return writer.failed ? brink_errorIo : brink_ok;
}
