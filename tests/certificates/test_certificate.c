/* SPDX-License-Identifier: BSD-3-Clause */
/* Certificates from beginning to end: answers `free` of the library over all kinds of motion become files, and `brink
 * verify`, which shares no code with what made them, accepts all of them; changed, cut short or for other bodies they
 * are refused. Certificates come through the plugin's interface alone; the checker is the built program (skipped when
 * it was not built). */
#define _GNU_SOURCE
#include "cases.h"
#define SCRATCH_NAME "brink-certificate"
#include "scratch_folder.h"
#include "plugin_support.h"

#include <ctype.h>
#include <sys/wait.h>
#include <unistd.h>

#include "brink/linear.h"
#include "brink/tolerance.h"
#include "motion_makers.h"

#define PROGRAM BRINK_BINARY_DIR "/bin/brink"
#define NEED_PROGRAM()                                          \
  if (access(PROGRAM, X_OK) != 0) {                             \
    print_message("skipped: the brink command is not built\n"); \
    return;                                                     \
  }

enum { WANTED = 130, CLASSES = 9 };
static const char *const classNames[CLASSES] = {"rest",   "poses",  "velocities", "screw", "odeStep",
                                                "spline", "bezier", "linear",     "affine"};

static char output[1 << 16], errors[1 << 16];

static void readBack(const char *name, char *out, size_t capacity) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  out[0] = '\0';
  if (file != NULL) out[fread(out, 1, capacity - 1, file)] = '\0';
  if (file != NULL) fclose(file);
}

static int run(const char *command) {
  char line[4096];
  snprintf(line, sizeof line, "cd '%s' && %s >out.txt 2>err.txt </dev/null", directory, command);
  int status = system(line);
  readBack("out.txt", output, sizeof output);
  readBack("err.txt", errors, sizeof errors);
  if (!WIFEXITED(status)) fail_msg("%s died", command);
  return WEXITSTATUS(status);
}

static void writeBytes(const char *name, const char *bytes, size_t size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* How many lines of `brink verify` say `word`, over the files of a glob. */
static int countVerdicts(const char *glob, const char *word) {
  char command[1024];
  snprintf(command, sizeof command, "sh -c 'ls | grep \"%s\" | xargs -n 2000 %s verify | grep -c \" %s\"'", glob,
           PROGRAM, word);
  run(command);
  return atoi(output);
}

static const brinkToleranceTable *tolerance(void) {
  const brinkToleranceTable *table = api()->getExtension(BRINK_TOLERANCE_NAME);
  assert_non_null(table);
  return table;
}

static brinkToleranceQuery wholeQuery(double eps) {
  return (brinkToleranceQuery){.structSize = sizeof(brinkToleranceQuery), .tEnd = 1.0, .tolerance = eps};
}
static brinkToleranceAnswer emptyAnswer(void) {
  return (brinkToleranceAnswer){.structSize = sizeof(brinkToleranceAnswer)};
}

/* ---- pairs of every class */

static brinkShapeId randomShape(Random *random, brinkWorld *world) {
  double size = uniform(random, 0.1, 0.35);
  switch (nextBits(random) % 7) {
    case 0:
      return newShape(world, brink_box, vec(size, 0.5 * size, uniform(random, 0.05, 0.3)));
    case 1:
      return newShape(world, brink_sphere, vec(size, 0, 0));
    case 2:
      return newShape(world, brink_capsule, vec(0.3 * size, 0, size));
    case 3:
      return newShape(world, brink_segment, vec(size, 0.1, 0.2));
    case 4:
      return newShape(world, brink_cylinder, vec(size, 0, size));
    case 5:
      return newTetrahedron(world, size, true);
    default:
      return newTetrahedron(world, size, false);
  }
}

/* Of a body on a chain of up to three links, all kinds mixed below the last; the last is of the kind asked. */
static brinkBodyId newChain(Random *random, brinkWorld *world, brinkBodyId root, uint32_t kind, Store stores[3]) {
  brinkBodyId body = root;
  int links = (int)(nextBits(random) % 3);
  for (int i = 0; i <= links; ++i) {
    brinkBodyId next = newBody(world, body, at(0, 0, 0));
    uint32_t own = i == links ? kind : brink_motionVelocities + (uint32_t)(nextBits(random) % 5);
    brinkBodyMotion motion = randomMotion(random, own, i == 0 ? 1.3 : 0.4, &stores[i]);
    if (own == brink_motionPoses)
      motion.pose1 = (brinkPose){randomVector(random, 1.3), rotation(randomVector(random, 3))};
    ASSERT_OK(world, api()->setBodyMotion(world, next, &motion));
    body = next;
  }
  return body;
}

static uint32_t askPair(brinkWorld *world) {
  brinkQuery query = wholeStep();
  query.mode = brink_modePairs;
  return ask(world, &query).state;
}

/* One pair of a class: when firstContact says free, a certificate; false otherwise. */
static int planes; /* that move, among the pairs that were free */
static bool certifyPair(Random *random, uint32_t kind, int number) {
  brinkWorld *world = newWorld(NULL);
  Store stores[2][3], shared;
  brinkBodyId root = 0;
  if (nextBits(random) % 3 == 0) { /* a common ancestor that swings both */
    root = newBody(world, 0, at(0, 0, 0));
    brinkBodyMotion motion =
        randomMotion(random, brink_motionVelocities + (uint32_t)(nextBits(random) % 5), 2, &shared);
    ASSERT_OK(world, api()->setBodyMotion(world, root, &motion));
  }
  brinkColliderId collider[2];
  bool plane = nextBits(random) % 8 == 0, movingPlane = false;
  for (int k = 0; k < 2; ++k) {
    brinkPose place = {randomVector(random, 0.1), rotation(randomVector(random, 2))};
    if (plane && k == 1) {
      brinkShapeDef def = shapeDef(brink_plane, vec(0, 0, 0));
      def.normal = randomVector(random, 1);
      def.offset = -2.5 * norm(def.normal);
      brinkShapeId shape = 0;
      ASSERT_OK(world, api()->createShape(world, &def, &shape));
      bool moves = nextBits(random) % 3 != 0;
      collider[k] = newCollider(world, moves ? newChain(random, world, root, kind, stores[k]) : 0, shape,
                                moves ? place : at(0, 0, 0));
      movingPlane = moves;
    } else {
      brinkBodyId body = newChain(random, world, root, kind, stores[k]);
      collider[k] = newCollider(world, body, randomShape(random, world), place);
    }
  }
  bool isFree = askPair(world) == brink_free;
  planes += isFree && movingPlane;
  if (isFree) {
    brinkToleranceQuery query = wholeQuery(1e-7);
    brinkToleranceAnswer answer = emptyAnswer();
    ASSERT_OK(world, tolerance()->certifyColliders(world, collider[0], collider[1], &query, &answer));
    if (answer.state != brink_certified)
      fail_msg("%s pair %d is free, but its certificate has %zu open cells of %zu, first from %g to %g",
               classNames[kind], number, answer.openCells, answer.cellCount, answer.open[0].from, answer.open[0].to);
    char name[64];
    snprintf(name, sizeof name, "free-%s-%d.cert", classNames[kind], number);
    writeBytes(name, answer.certificate, answer.certificateSize);
    double bound = answer.bound;
    for (int s = 0; s <= 8; ++s) {
      brinkContact contact = {.state = brink_free};
      ASSERT_OK(world, api()->distance(world, collider[0], collider[1], s / 8.0, &contact));
      if (!(contact.distance >= bound * (1 - 1e-9) - 1e-12))
        fail_msg("%s pair %d: certified %g, but %g apart", classNames[kind], number, bound, contact.distance);
    }
  }
  ASSERT_OK(world, api()->destroyWorld(world));
  return isFree;
}

static const uint32_t triangleStart[3] = {0, 3, 6}, triangleIds[6] = {0, 1, 2, 1, 3, 2};

/* Two triangles each, vertices on lines of their own. */
static bool certifyLinear(Random *random, int number) {
  brinkWorld *world = newWorld(NULL);
  const brinkLinearTable *linear = api()->getExtension(BRINK_LINEAR_NAME);
  double places[2][2][12];
  brinkLinearBody body[2];
  brinkTolerancedBody same[2];
  for (int k = 0; k < 2; ++k) {
    for (int e = 0; e < 2; ++e) {
      brinkVec3 middle = randomVector(random, 1.5);
      for (int i = 0; i < 12; ++i) places[k][e][i] = (&middle.x)[i % 3] + uniform(random, -0.4, 0.4);
    }
    body[k] = (brinkLinearBody){.structSize = sizeof body[k],
                                .vertices0 = places[k][0],
                                .vertices1 = places[k][1],
                                .vertexCount = 4,
                                .simplices = triangleIds,
                                .simplexCount = 2,
                                .radius = 0.02};
    same[k] = (brinkTolerancedBody){.structSize = sizeof same[k],
                                    .vertices = places[k][0],
                                    .vertices1 = places[k][1],
                                    .vertexCount = 4,
                                    .faceStart = triangleStart,
                                    .faceIds = triangleIds,
                                    .faceCount = 2,
                                    .radius = 0.02};
  }
  const brinkLinearQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  brinkLinearContact contact = {.structSize = sizeof contact};
  ASSERT_OK(world, linear->firstContact(world, &body[0], &body[1], &query, &contact));
  bool isFree = contact.state == brink_free;
  if (isFree) {
    brinkToleranceQuery asked = wholeQuery(1e-7);
    brinkToleranceAnswer answer = emptyAnswer();
    asked.flags = BRINK_TOLERANCE_WITNESSES;
    ASSERT_OK(world, tolerance()->certifyBodies(world, &same[0], &same[1], &asked, &answer));
    assert_int_equal(answer.state, brink_certified);
    char name[64];
    snprintf(name, sizeof name, "free-linear-%d.cert", number);
    writeBytes(name, answer.certificate, answer.certificateSize);
  }
  ASSERT_OK(world, api()->destroyWorld(world));
  return isFree;
}

/* Affine displacements that bend and stretch, covered by balls first. */
static bool certifyAffine(Random *random, int number) {
  brinkWorld *world = newWorld(NULL);
  double vertices[2][12], controls[2][4 * 13];
  brinkCurveStage stage[2];
  brinkTolerancedBody body[2];
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 12; ++i) vertices[k][i] = uniform(random, -0.5, 0.5);
    for (int i = 0; i < 4; ++i) {
      double w = uniform(random, 0.5, 2);
      controls[k][13 * i] = w;
      for (int c = 0; c < 12; ++c)
        controls[k][13 * i + 1 + c] =
            w * (c >= 9 ? uniform(random, -1.5, 1.5) : (c % 4 == 0 ? 1 : 0) + uniform(random, -0.7, 0.7));
    }
    stage[k] = (brinkCurveStage){.kind = brink_curveBezier, .count = 4, .controls = controls[k]};
    body[k] = (brinkTolerancedBody){.structSize = sizeof body[k],
                                    .vertices = vertices[k],
                                    .vertexCount = 4,
                                    .faceStart = triangleStart,
                                    .faceIds = triangleIds,
                                    .faceCount = 2,
                                    .stages = &stage[k],
                                    .stageCount = 1};
  }
  brinkToleranceQuery asked = wholeQuery(1e-3);
  brinkToleranceAnswer answer = emptyAnswer();
  ASSERT_OK(world, tolerance()->certifyBodies(world, &body[0], &body[1], &asked, &answer));
  bool proven = answer.state == brink_certified;
  char name[64];
  snprintf(name, sizeof name, "%s-affine-%d.cert", proven ? "free" : "open", number);
  writeBytes(name, answer.certificate, answer.certificateSize);
  ASSERT_OK(world, api()->destroyWorld(world));
  return proven;
}

CASE(a_thousand_free_answers_of_all_motions_are_certified_and_verified) {
  NEED_PROGRAM();
  int total = 0;
  for (int class = 1; class < CLASSES; ++class) {
    Random generator = {4000 + (uint64_t) class};
    int found = 0, tried = 0;
    for (; found < WANTED && tried < 20 * WANTED; ++tried)
      found += class == 7   ? certifyLinear(&generator, tried)
               : class == 8 ? certifyAffine(&generator, tried)
                            : certifyPair(&generator, (uint32_t) class, tried);
    print_message("%s: %d free of %d, %d with a moving plane so far\n", classNames[class], found, tried, planes);
    assert_true(found >= WANTED);
    total += found;
  }
  assert_true(total >= 1000 && planes >= 20);
  assert_int_equal(countVerdicts("^free-.*cert", "proven"), total);
  assert_int_equal(countVerdicts("^free-.*cert", "refused"), 0);
  assert_int_equal(countVerdicts("^open-.*cert", "refused"), 0);
}

/* ---- every kind of shape */

enum { KINDS = 14 };
static const char *const kindNames[KINDS] = {"sphere", "capsule",     "box",    "cylinder", "plane",
                                             "hull",   "mesh",        "solid",  "point",    "segment",
                                             "ray",    "heightfield", "ground", "compound"};

static brinkShapeId shapeOfKind(brinkWorld *world, int kind) {
  static const double heights[9] = {0, 0.1, 0, 0.2, 0.3, 0.1, 0, 0.2, 0.1};
  static const brinkShapeType types[KINDS] = {
      brink_sphere, brink_capsule, brink_box,     brink_cylinder, brink_plane,       brink_hull,        brink_mesh,
      brink_mesh,   brink_point,   brink_segment, brink_ray,      brink_heightfield, brink_heightfield, brink_compound};
  static const uint32_t triangles[6] = {1, 2, 3, 2, 3, 4};
  if (kind == 7) return newTetrahedron(world, 0.4, false);
  static const double corners[24] = {0,   0,   0,   1,   0,   0,   0,   1,   0,   0, 0, 1,
                                     0.6, 0.6, 0.5, 0.5, 0.1, 0.6, 0.2, 0.2, 0.2, 1, 1, 0};
  brinkShapeDef def = shapeDef(types[kind], vec(0.3, 0.2, 0.4));
  def.margin = kind == 2 || kind == 5 || kind == 9 ? 0.05 : 0;
  if (kind == 4) def.normal = vec(0, 0, 1), def.offset = -0.5;
  if (kind == 5 || kind == 6) {
    def.mesh.vertices = corners;
    def.mesh.vertexCount = 8;
    def.mesh.indices = triangles;
    def.mesh.triangleCount = kind == 6 ? 2 : 0;
  }
  if (kind == 11 || kind == 12) {
    def.heights = heights;
    def.columns = def.rows = 3;
    def.offset = -1;
    def.flags = kind == 12 ? BRINK_SHAPE_SOLID_BELOW : 0u;
  }
  brinkShapeChild children[2];
  if (kind == 13) {
    for (int i = 0; i < 2; ++i)
      children[i] = (brinkShapeChild){newShape(world, i == 0 ? brink_box : brink_segment, vec(0.2, 0.3, 0.1)),
                                      {vec(0, 0.5 * i, 0), rotation(vec(0, 0.4 * i, 0.2))}};
    def.children = children;
    def.childCount = 2;
    def.size = vec(0, 0, 0);
  }
  brinkShapeId shape = 0;
  ASSERT_OK(world, api()->createShape(world, &def, &shape));
  return shape;
}

/* Each against each, both moving: free, certified, verified. Two half-spaces meet somewhere, or are no pair of bodies
 * that a certificate speaks of. */
CASE(every_pair_of_shapes_reaches_a_certificate) {
  NEED_PROGRAM();
  int made = 0;
  for (int i = 0; i < KINDS; ++i)
    for (int k = 0; k < KINDS; ++k) {
      if (i == 4 && k == 4) continue;
      brinkWorld *world = newWorld(NULL);
      brinkColliderId collider[2];
      for (int e = 0; e < 2; ++e) { /* planes look up from below */
        int kind = e == 0 ? i : k;
        brinkBodyId body = newBody(world, 0, at(0, 0, 0));
        brinkBodyMotion motion = velocitiesMotion(at(kind == 4 ? 0 : 4.0 * e, 0, kind == 4 ? -3 : 0),
                                                  vec(0.3, 0.2, 0.4), kind == 4 ? vec(0.1, 0.2, 0) : vec(0.5, 1, -0.7));
        ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
        collider[e] = newCollider(world, body, shapeOfKind(world, kind), at(0.1, 0, 0));
      }
      if (askPair(world) != brink_free) fail_msg("%s and %s are not free", kindNames[i], kindNames[k]);
      brinkToleranceQuery query = wholeQuery(1e-6);
      brinkToleranceAnswer answer = emptyAnswer();
      ASSERT_OK(world, tolerance()->certifyColliders(world, collider[0], collider[1], &query, &answer));
      if (answer.state != brink_certified)
        fail_msg("%s and %s are free, but not certified", kindNames[i], kindNames[k]);
      char name[64];
      snprintf(name, sizeof name, "kinds-%s-%s.cert", kindNames[i], kindNames[k]);
      writeBytes(name, answer.certificate, answer.certificateSize);
      ASSERT_OK(world, api()->destroyWorld(world));
      ++made;
    }
  assert_int_equal(made, KINDS * KINDS - 1);
  assert_int_equal(countVerdicts("^kinds-.*cert", "proven"), made);
}

/* A cylinder counts as a prism around it: of few sides, or of many where it comes nearer than few would let it. */
CASE(cylinders_take_as_many_sides_as_their_proof_needs) {
  NEED_PROGRAM();
  static const double gaps[3] = {0.5, 0.005, 0.0005}; /* of the radius: 16 sides are 2 % too wide, 64 are 0.12 % */
  for (int i = 0; i < 3; ++i) {
    brinkWorld *world = newWorld(NULL);
    brinkBodyId body = newBody(world, 0, at(0, 0, 0));
    /* turns about its own axis by more than the angle of a side: every corner looks at the wall once */
    brinkBodyMotion motion = velocitiesMotion(at(0, 0, 0), vec(0, 0.1, 0), vec(0, 0, 1));
    ASSERT_OK(world, api()->setBodyMotion(world, body, &motion));
    brinkColliderId collider[2] = {
        newCollider(world, body, newShape(world, brink_cylinder, vec(1, 0, 1)), at(0, 0, 0)),
        newCollider(world, 0, newShape(world, brink_box, vec(1, 2, 2)), at(2 + gaps[i], 0, 0))};
    brinkToleranceQuery query = wholeQuery(1e-5);
    brinkToleranceAnswer answer = emptyAnswer();
    ASSERT_OK(world, tolerance()->certifyColliders(world, collider[0], collider[1], &query, &answer));
    assert_int_equal(answer.state, i < 2 ? brink_certified : brink_certifiedListed);
    if (strstr(answer.certificate, i == 0 ? "vertices 32 fixed" : "vertices 128 fixed") == NULL)
      fail_msg("gap %g: %.300s", gaps[i], answer.certificate);
    writeBytes("prism.cert", answer.certificate, answer.certificateSize);
    assert_int_equal(run(PROGRAM " verify prism.cert"), i < 2 ? 0 : 1);
    if (i < 2) assert_true(answer.bound > 0.0 && answer.bound <= gaps[i]);
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

/* ---- changed certificates */

typedef struct Word {
  size_t from, to;
  bool number, proof; /* in the statement; in the proof behind it */
  char line[16];      /* first word of its line */
  char section[16];   /* the last line's first word that is no number */
  int index;          /* in its line */
} Word;

static size_t cutWords(const char *text, Word *words, size_t capacity) {
  size_t count = 0;
  bool proof = false;
  char line[16] = "", section[16] = "";
  int index = 0;
  for (const char *c = text; *c != '\0';) {
    if (*c == '\n') line[0] = '\0', index = 0;
    if (*c == '#') c += strcspn(c, "\n");
    if (isspace((unsigned char)*c)) {
      ++c;
      continue;
    }
    size_t length = strcspn(c, " \n");
    char *end;
    if (line[0] == '\0') snprintf(line, sizeof line, "%.*s", (int)length, c);
    if (strncmp(c, "digest", 6) == 0) proof = true;
    assert_true(count < capacity);
    words[count] =
        (Word){.from = (size_t)(c - text), .to = (size_t)(c - text) + length, .proof = proof, .index = index++};
    strtod(c, &end);
    words[count].number = end == c + length;
    if (words[count].index == 0 && !words[count].number) memcpy(section, line, sizeof section);
    memcpy(words[count].line, line, sizeof line);
    memcpy(words[count].section, section, sizeof section);
    ++count;
    c += length;
  }
  return count;
}

static void writeChanged(const char *name, const char *text, const Word *word, const char *change) {
  char *made = malloc(strlen(text) + 64);
  assert_non_null(made);
  sprintf(made, "%.*s%s%s", (int)word->from, text, change, text + word->to);
  writeBytes(name, made, strlen(made));
  free(made);
}

/* The digest of the statement, as the format has it, written where the text has one: what a forger would do. */
static void forgeDigest(char *text) {
  const char *from = strstr(text, "\nstatement\n"), *to = strstr(text, "\nend statement\n");
  char *digest = strstr(text, "\ndigest "), made[20];
  assert_true(from != NULL && to != NULL && digest != NULL);
  uint64_t hash = 14695981039346656037u;
  for (const char *c = from + 1; c < to + 15; ++c) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  snprintf(made, sizeof made, "%016llx", (unsigned long long)hash);
  memcpy(digest + 8, made, 16);
}

static char *readCertificate(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
  fclose(file);
  return text;
}

/* A robust certificate of each class: one of few cells. Returns how many files it made. */
static int changeNumbers(const char *source, const char *tag, int *directions) {
  static Word words[200000];
  char *text = readCertificate(source), name[128];
  size_t count = cutWords(text, words, sizeof words / sizeof words[0]);
  int made = 0;
  for (size_t i = 0; i < count; ++i) {
    const Word *word = &words[i];
    if (!word->number && strcmp(word->line, "digest") != 0) continue;
    if (!word->number && word->index == 0) continue;
    double value = strtod(text + word->from, NULL);
    char change[64];
    bool cell = word->proof && strcmp(word->line, "cell") == 0, ray = word->proof && strcmp(word->line, "outside") == 0;
    if (ray) continue; /* another ray may prove as well */
    if (cell && word->index >= 7 && word->index <= 12) {
      /* a direction: another one may do as well, until it is turned far enough: one of these must not */
      const double tries[3] = {value - 1e6, value + 1e6, -value};
      for (int k = 0; k < 3; ++k) {
        snprintf(change, sizeof change, "%.17g", tries[k]);
        snprintf(name, sizeof name, "turned-%s-%zu-%d.cert", tag, i, k);
        writeChanged(name, text, word, change);
      }
      ++*directions;
      continue;
    }
    if (strcmp(word->line, "digest") == 0)
      snprintf(change, sizeof change, "%s", "0123456789abcdef");
    else if (cell && word->index == 13)
      snprintf(change, sizeof change, "%.17g", 2.0 * value + 20.0); /* more than there is room for */
    else if (word->proof || value == floor(value))
      snprintf(change, sizeof change, "%.17g", value + 1.0);
    else
      snprintf(change, sizeof change, "%.17g", value * (1.0 + 0x1p-50) + (value == 0.0 ? 1e-300 : 0.0)); /* a few ulp */
    snprintf(name, sizeof name, "changed-%s-%zu.cert", tag, i);
    writeChanged(name, text, word, change);
    ++made;
  }
  free(text);
  return made;
}

CASE(any_number_changed_past_its_bound_is_refused) {
  NEED_PROGRAM();
  int made = 0, directions = 0;
  for (int class = 1; class < CLASSES; ++class) {
    char command[256], source[128];
    /* the certificate of the class with less than the median size */
    snprintf(command, sizeof command, "sh -c 'ls -S | grep \"^free-%s\" | head -n %d | tail -n 1'", classNames[class],
             3 * WANTED / 4);
    assert_int_equal(run(command), 0);
    snprintf(source, sizeof source, "%.*s", (int)strcspn(output, "\n"), output);
    made += changeNumbers(source, classNames[class], &directions);
  }
  print_message("%d numbers changed, %d components of directions turned\n", made, directions);
  assert_true(made > 1000 && directions > 40);
  assert_int_equal(countVerdicts("^changed-.*cert", "refused"), made);
  run("sh -c 'ls | grep \"^turned-\" | xargs -n 2000 " PROGRAM
      " verify | grep refused | sed \"s/-[0-9]*\\.cert.*//\" | sort -u | wc -l'");
  assert_int_equal(atoi(output), directions);
}

/* Is this a quantity of the statement, not a count or an index? */
static bool isQuantity(const Word *word) {
  static const char *const counts[] = {"stages", "vertices", "faces", "brink-certificate"};
  if (!word->number || word->proof || strcmp(word->section, "faces") == 0) return false;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    if (strcmp(word->line, counts[i]) == 0) return false;
  return !(word->index == 1 && (strcmp(word->line, "spline") == 0 || strcmp(word->line, "bezier") == 0));
}

/* Other bodies, motions, times under a digest that fits: now the proof itself must fail, for what moves far enough. A
 * quantity changed by a lot in either direction. Those that nothing depends on (a matrix entry that meets only zeros,
 * the turn behind the last key, a body that moves away) have no bound to be past of; what is accepted, the search
 * finds to be free of collisions on its own. */
CASE(statements_changed_together_with_their_digest_are_refused_by_the_proof) {
  NEED_PROGRAM();
  static Word words[200000];
  int quantities = 0, idle = 0;
  for (int class = 1; class < CLASSES; ++class) {
    char command[256], source[128], name[128], change[64];
    snprintf(command, sizeof command, "sh -c 'ls -S | grep \"^free-%s\" | head -n %d | tail -n 1'", classNames[class],
             3 * WANTED / 4);
    assert_int_equal(run(command), 0);
    snprintf(source, sizeof source, "%.*s", (int)strcspn(output, "\n"), output);
    char *text = readCertificate(source), *made = malloc(strlen(text) + 64);
    assert_non_null(made);
    size_t count = cutWords(text, words, sizeof words / sizeof words[0]);
    for (size_t i = 0; i < count; ++i) {
      if (!isQuantity(&words[i])) continue;
      double value = strtod(text + words[i].from, NULL);
      for (int k = 0; k < 2; ++k) {
        snprintf(change, sizeof change, "%.17g", value + (k == 0 ? 1000 : -1000));
        sprintf(made, "%.*s%s%s", (int)words[i].from, text, change, text + words[i].to);
        forgeDigest(made);
        snprintf(name, sizeof name, "forged-%s-%zu-%d.cert", classNames[class], i, k);
        writeBytes(name, made, strlen(made));
      }
      ++quantities;
    }
    /* nothing changed: the forged digest is the right one */
    sprintf(made, "%s", text);
    forgeDigest(made);
    assert_string_equal(made, text);
    free(made);
    free(text);
  }
  run("sh -c 'ls | grep \"^forged-\" | xargs -n 2000 " PROGRAM
      " verify | grep refused | sed \"s/-[0-9]*\\.cert.*//\" | sort -u | wc -l'");
  idle = quantities - atoi(output);
  print_message("%d quantities changed, %d of them without effect on the proof\n", quantities, idle);
  assert_true(quantities > 500 && idle * 8 < quantities);
  int accepted = countVerdicts("^forged-.*cert", "proven");
  run("sh -c 'ls | grep \"^forged-\" | xargs -n 2000 " PROGRAM
      " verify | grep proven | cut -d\" \" -f1 | xargs -n 2000 " PROGRAM
      " certify --witnesses | grep -c \" proven \"'");
  assert_int_equal(atoi(output), accepted);
}

/* The proof of one free pair under the statement of another pair that comes into contact. */
CASE(a_proof_of_other_bodies_is_refused) {
  NEED_PROGRAM();
  int made = 0;
  assert_int_equal(run("sh -c 'ls | grep \"^open-affine\" | head -n 40'"), 0);
  static char open[sizeof output];
  memcpy(open, output, sizeof open);
  assert_int_equal(run("sh -c 'ls | grep \"^free-affine\" | head -n 40'"), 0);
  char *free1 = output, *open1 = open, name[64], source[2][128];
  while (*free1 != '\0' && *open1 != '\0') {
    snprintf(source[0], sizeof source[0], "%.*s", (int)strcspn(open1, "\n"), open1);
    snprintf(source[1], sizeof source[1], "%.*s", (int)strcspn(free1, "\n"), free1);
    open1 += strcspn(open1, "\n") + 1;
    free1 += strcspn(free1, "\n") + 1;
    char *statement = readCertificate(source[0]), *proof = readCertificate(source[1]);
    char *cut = strstr(statement, "\norder A"), *all = malloc(strlen(statement) + strlen(proof) + 1);
    assert_true(cut != NULL && all != NULL);
    sprintf(all, "%.*s%s", (int)(cut - statement), statement, strstr(proof, "\norder A"));
    snprintf(name, sizeof name, "foreign-%d.cert", made++);
    writeBytes(name, all, strlen(all));
    free(all);
    free(statement);
    free(proof);
  }
  assert_true(made >= 30);
  assert_int_equal(countVerdicts("^foreign-.*cert", "refused"), made);
}

CASE(truncated_and_foreign_certificates_are_refused_with_a_reason) {
  NEED_PROGRAM();
  run("sh -c 'ls -S | grep \"^free-velocities\" | tail -n 3 | head -n 1'");
  char source[128], other[128], command[512];
  snprintf(source, sizeof source, "%.*s", (int)strcspn(output, "\n"), output);
  run("sh -c 'ls -S | grep \"^free-screw\" | tail -n 1'");
  snprintf(other, sizeof other, "%.*s", (int)strcspn(output, "\n"), output);
  char *text = readCertificate(source);
  int made = 0;
  for (size_t at = 0; text[at] != '\0'; ++at) { /* behind every line, and within words */
    if ((text[at] != '\n' && at % 11 != 0) || text[at + 1] == '\0' || strcmp(text + at, "d\n") == 0) continue;
    char name[64];
    snprintf(name, sizeof name, "cut-%d.cert", made++);
    writeBytes(name, text, at + 1);
  }
  assert_true(made > 100);
  assert_int_equal(countVerdicts("^cut-.*cert", "refused"), made);
  free(text);
  snprintf(command, sizeof command, "%s verify %s --for %s", PROGRAM, source, source);
  assert_int_equal(run(command), 0);
  snprintf(command, sizeof command, "%s verify %s --for %s", PROGRAM, source, other);
  assert_int_equal(run(command), 2);
  assert_non_null(strstr(errors, "other bodies or motions"));
  assert_int_equal(run(PROGRAM " verify nothing-there.cert"), 1);
  assert_int_equal(run(PROGRAM " verify out.txt"), 2);
  assert_int_equal(run(PROGRAM " verify"), 2);
}

/* A box between two boxes of one closed surface, whose hulls hold it: only rays tell that it begins outside; and one
 * inside. */
CASE(solids_must_be_told_to_begin_outside) {
  NEED_PROGRAM();
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  double inner[24], outer[48];
  uint32_t start[13], ids[48];
  for (int i = 0; i < 16; ++i)
    for (int c = 0; c < 3; ++c) {
      double corner = (i >> c & 1) ? 1 : -1;
      outer[3 * i + c] = corner + (c == 0 ? (i < 8 ? -3 : 3) : 0);
      if (i < 8) inner[3 * i + c] = 0.4 * corner;
    }
  for (uint32_t f = 0; f < 12; ++f)
    for (uint32_t k = 0; k < 4; ++k) ids[4 * f + k] = quads[f % 6][k] + (f < 6 ? 0 : 8);
  for (uint32_t f = 0; f <= 12; ++f) start[f] = 4 * f;
  for (int k = 0; k < 2; ++k) {
    brinkCurveStage stage = {.kind = brink_curveTurn,
                             .point = {k == 0 ? 0 : -3, 0, 0},
                             .velocity = {0, k == 0 ? 3 : 0.2, 0},
                             .spin = {0, 0, 0.5},
                             .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    brinkTolerancedBody a = {.structSize = sizeof a,
                             .flags = BRINK_MESH_SOLID,
                             .vertices = inner,
                             .vertexCount = 8,
                             .faceStart = start,
                             .faceIds = ids,
                             .faceCount = 6,
                             .stages = &stage,
                             .stageCount = 1};
    brinkTolerancedBody b = a;
    b.vertices = outer;
    b.vertexCount = 16;
    b.faceCount = 12;
    b.stageCount = 0;
    brinkWorld *world = newWorld(NULL);
    brinkToleranceQuery query = wholeQuery(1e-3);
    query.flags = BRINK_TOLERANCE_WITNESSES;
    brinkToleranceAnswer answer = emptyAnswer();
    ASSERT_OK(world, tolerance()->certifyBodies(world, &a, &b, &query, &answer));
    assert_int_equal(answer.state, k == 0 ? brink_certified : brink_certifiedListed);
    assert_int_equal(answer.inside, k);
    assert_int_equal(answer.openCells, 0);
    writeBytes("solid.cert", answer.certificate, answer.certificateSize);
    assert_int_equal(run(PROGRAM " verify solid.cert"), k == 0 ? 0 : 2);
    if (k == 0) { /* without any one of its rays it is no proof */
      int rays = 0;
      for (const char *ray = strstr(answer.certificate, "outside "); ray != NULL; ray = strstr(ray + 1, "outside ")) {
        char *less = strdup(answer.certificate);
        assert_non_null(less);
        less[ray - answer.certificate] = '#';
        writeBytes("solid.cert", less, answer.certificateSize);
        assert_int_equal(run(PROGRAM " verify solid.cert"), 2);
        assert_non_null(strstr(errors, "nothing says"));
        free(less);
        ++rays;
      }
      assert_int_equal(rays, 3);
    } else { /* nor do rays that look outward from inside help, nor one that goes nowhere */
      static const char *const rays[] = {"outside A 0 0.48 0.36 0.8\n", "outside A 0 -0.53 0.61 0.58\n",
                                         "outside A 0 0 0 0\n"};
      assert_non_null(strstr(errors, "nothing says"));
      for (int r = 0; r < 3; ++r) {
        char *more = malloc(answer.certificateSize + 64), *cells = strstr(answer.certificate, "# cell:");
        assert_true(more != NULL && cells != NULL);
        sprintf(more, "%.*s%s%s", (int)(cells - answer.certificate), answer.certificate, rays[r], cells);
        writeBytes("solid.cert", more, strlen(more));
        free(more);
        assert_int_equal(run(PROGRAM " verify solid.cert"), 2);
        assert_non_null(strstr(errors, r < 2 ? "inside the other" : "grazes"));
      }
    }
    ASSERT_OK(world, api()->destroyWorld(world));
  }
}

/* Words that are none of the format: a certificate is read as written or not at all. */
CASE(other_words_are_refused) {
  NEED_PROGRAM();
  static const char *const change[][2] = {
      {" fixed\n", " moved\n"}, {"order A", "order C"},   {"\nend\n", "\nend\nend\n"},
      {"\ncells ", "\nsells "}, {"body A ", "body B "},   {"\ncell ", "\nball "},
      {"radius ", "radios "},   {" solid\n", " fluid\n"}, {" open\n", " ajar\n"}};
  assert_int_equal(
      run("sh -c 'grep -l solid free-*.cert | head -n 1; grep -l \"body A open\" free-*.cert | head -n 1'"), 0);
  char source[2][128];
  snprintf(source[0], sizeof source[0], "%.*s", (int)strcspn(output, "\n"), output);
  const char *second = output + strcspn(output, "\n") + 1;
  snprintf(source[1], sizeof source[1], "%.*s", (int)strcspn(second, "\n"), second);
  for (size_t i = 0; i < sizeof change / sizeof change[0]; ++i) {
    char *text = readCertificate(source[i < 8 ? 0 : 1]), *found = strstr(text, change[i][0]);
    assert_non_null(found);
    char *made = malloc(strlen(text) + 16);
    assert_non_null(made);
    sprintf(made, "%.*s%s%s", (int)(found - text), text, change[i][1], found + strlen(change[i][0]));
    forgeDigest(made);
    writeBytes("words.cert", made, strlen(made));
    if (run(PROGRAM " verify words.cert") != 2) fail_msg("'%s' is taken for '%s'", change[i][1], change[i][0]);
    free(made);
    free(text);
  }
}

/* Numbers that would overflow, huge counts, words for numbers: refused, never a crash or a proof. */
CASE(nonsense_is_refused) {
  NEED_PROGRAM();
  static const char *const texts[] = {
      "",
      "brink-certificate 2\n",
      "brink-certificate 1\nstatement\n",
      "brink-certificate 1\nstatement\ntime 0 nan\n",
      "brink-certificate 1\nstatement\ntime 0 1\nclearance 0\nbody A open\nradius 0\nstages 99999999999\n",
      "brink-certificate 1\nstatement\ntime 0 1\nclearance 0\nbody A open\nradius -1\n",
      ("brink-certificate 1\nstatement\ntime 0 1\nclearance 0\nbody A open\nradius 0\nstages 1\n"
       "bezier 1\n0 1 0 0 0 1 0 0 0 1 0 0 0\n"),
      "brink-certificate 1\nstatement\ntime 1 0\n",
      "brink-certificate 1\nstatement\ntime 0 1\nclearance 1e999\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    writeBytes("nonsense.cert", texts[i], strlen(texts[i]));
    assert_int_equal(run(PROGRAM " verify nonsense.cert"), 2);
  }
}

static char *readSource(const char *path) {
  char name[512];
  snprintf(name, sizeof name, BRINK_SOURCE_DIR "/%s", path);
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

/* docs/certificate.md: its example is a proof, and what it says in numbers the checker's source says, too. */
CASE(the_page_about_the_format_says_what_the_code_does) {
  NEED_PROGRAM();
  char *page = readSource("docs/certificate.md"), *checker = readSource("tools/verify.c"),
       *example = calloc(1, 1 << 16);
  assert_non_null(example);
  const char *line = strstr(page, "    brink-certificate 1\n");
  assert_non_null(line);
  for (size_t used = 0; strncmp(line, "    ", 4) == 0; line += strcspn(line, "\n") + 1) {
    size_t length = strcspn(line, "\n") - 3;
    memcpy(example + used, line + 4, length);
    used += length;
  }
  writeBytes("example.cert", example, strlen(example));
  assert_int_equal(run(PROGRAM " verify example.cert"), 0);
  assert_non_null(strstr(output, "proven: 5 cells, 0 open"));
  assert_int_equal(run(PROGRAM " certify example.cert -o again.cert"), 0);
  assert_int_equal(run(PROGRAM " verify again.cert --for example.cert"), 0);
  static const char *const same[][2] = {
      {"| `turn` | 21: point v spin arm M(9) |", "each[] = {21, 18, 19, 13}"},
      {"| `ode` | 18: point v u M(9) |", "{\"turn\", \"ode\", \"spline\", \"bezier\"}"},
      {"19 a key: time T T' M(9) turn |", "/* key: time, T, T', R, turn."},
      {"13 a control point: W, W M(9), W T |", "/* turn, ode: point, velocity, spin, [arm,] R */"},
      {"at most 17 points", "#define MAX_POINTS 17"},
      {"magnitude at most 1e60", "number(c, -1e60, 1e60)"},
      {"at most 17 digits", "#define MAX_DIGITS 17"},
      {"by more than 1e-9 of the largest", "#define MAX_JUMP 1e-9"},
      {"14695981039346656037", "14695981039346656037u"},
      {"1099511628211", "1099511628211u"}};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i)
    if (strstr(page, same[i][0]) == NULL || strstr(checker, same[i][1]) == NULL)
      fail_msg("the page says '%s', the checker '%s': one of them not any more", same[i][0], same[i][1]);
  free(example);
  free(checker);
  free(page);
}

/* Certificates of one file, one behind the other: proven when all are, and none of them hides behind another. */
CASE(every_certificate_of_a_file_is_checked) {
  NEED_PROGRAM();
  run("sh -c 'ls -S | grep \"^free-velocities\" | tail -n 3 | head -n 1; ls -S | grep \"^free-screw\" | tail -n 1; "
      "ls -S | grep \"^open-affine\" | tail -n 1'");
  char source[3][128], command[512];
  const char *name = output;
  for (int i = 0; i < 3; ++i, name += strcspn(name, "\n") + 1)
    snprintf(source[i], sizeof source[i], "%.*s", (int)strcspn(name, "\n"), name);
  char *text[3], *all = malloc(1 << 20);
  assert_non_null(all);
  for (int i = 0; i < 3; ++i) text[i] = readCertificate(source[i]);
  sprintf(all, "%s%s%s", text[0], text[1], text[0]);
  writeBytes("three.cert", all, strlen(all));
  assert_int_equal(run(PROGRAM " verify three.cert"), 0);
  assert_non_null(strstr(output, "three.cert proven: 3 certificates, "));
  sprintf(all, "%s%s%s", text[0], text[2], text[1]);
  writeBytes("three.cert", all, strlen(all));
  assert_int_equal(run(PROGRAM " verify three.cert"), 1);
  assert_non_null(strstr(output, "three.cert open: 3 certificates, "));
  for (int bad = 0; bad < 3; ++bad) { /* a digest that does not fit, in any of them: named with its line */
    sprintf(all, "%s%s%s", text[0], text[1], text[0]);
    char *digest = all;
    for (int i = 0; i <= bad; ++i) digest = strstr(digest, "\ndigest ") + 1;
    digest[7] = digest[7] == '0' ? '1' : '0';
    int line = 1;
    for (const char *c = all; c < digest; ++c) line += *c == '\n';
    writeBytes("three.cert", all, strlen(all));
    assert_int_equal(run(PROGRAM " verify three.cert"), 2);
    snprintf(command, sizeof command, "three.cert:%d: digest", line);
    if (strstr(errors, command) == NULL) fail_msg("wanted %s in %s", command, errors);
  }
  sprintf(all, "%sbrink-certificate 2%s", text[0], text[1] + 19); /* another format behind */
  writeBytes("three.cert", all, strlen(all));
  assert_int_equal(run(PROGRAM " verify three.cert"), 2);
  sprintf(all, "%s%.*s", text[0], (int)(strlen(text[1]) - 5), text[1]); /* cut short */
  writeBytes("three.cert", all, strlen(all));
  assert_int_equal(run(PROGRAM " verify three.cert"), 2);
  sprintf(all, "%s%s", text[0], text[1]); /* the first is that of the problem, the other is not */
  writeBytes("three.cert", all, strlen(all));
  snprintf(command, sizeof command, PROGRAM " verify three.cert --for %s", source[0]);
  assert_int_equal(run(command), 2);
  assert_non_null(strstr(errors, "more than one certificate"));
  for (int i = 0; i < 3; ++i) free(text[i]);
  free(all);
}

/* Under 750 lines, and of the project it sees nothing but the declaration of its own entry point. */
CASE(the_checker_is_small_and_alone) {
  FILE *file = fopen(BRINK_SOURCE_DIR "/tools/verify.c", "r");
  assert_non_null(file);
  char line[1024];
  int lines = 0, headers = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    ++lines;
    if (strncmp(line, "#include \"", 10) != 0) continue;
    ++headers;
    assert_string_equal(line, "#include \"command.h\"\n");
  }
  fclose(file);
  assert_int_equal(headers, 1);
  assert_true(lines < 750);
}

int main(void) { return cases_Run(makeDirectory, removeDirectory); }
