/* SPDX-License-Identifier: BSD-3-Clause */
/* What led to this clamp? With a record directory set, a step that ends in the guard leaves one file: all shapes,
 * bodies, joints and colliders, and the question of the step with the motions asked about and the answers given.
 * `brink replay FILE` asks the same again, outside ODE, and gets the same bits. While recording, every body
 * is asked about (no culling).
 *
 * The file: words and decimal numbers (17 digits), a line each; m, rad; geoms G and bodies B by the glue's numbers:
 *   brink-record 2        then, by ascending handle, so that ties fall as they did
 *   taylor ORDER
 *   body B
 *   joint B B anchorA(3) anchorB(3)
 *   shape G TYPE ...      sphere r | capsule r half | cylinder r half | box hx hy hz | plane n(3) d |
 *                         hull N x y z ... | mesh V T x y z ... i j k ... | other: not recorded
 *   collider G B|-1 position(3) quaternion(4) category collide allowance
 *   question t window scheme   one question for the rest of the step (brink/steps.h); t: of the step, [0,1]
 *   motion B kind flags pose0(7) pose1(7) velocity(3) spin(3)    from here on; before or between answers
 *   leave G G             the pair filter said no
 *   sink G G depth limit  the pair may sink (brink/steps.h)
 *   drop G G              the pair is left for the rest of the question
 *   answer from state toi nextEvents from that time on, and what it told
 *   hit G G state toi toiUpper distance threshold
 *   end */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

#define MAX_PATH 1024

struct dxBrinkRecorder {
  char *directory, *text;
  size_t length, capacity;
  unsigned long step; /* since the directory was set */
  bool failed;        /* no memory for this step's text */
  char path[MAX_PATH];
};

/* ---- text */

static void append(struct dxBrinkRecorder *recorder, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct dxBrinkRecorder *recorder, const char *format, ...) {
  char piece[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(piece, sizeof(piece), format, arguments);
  va_end(arguments);
  if (length <= 0 || recorder->failed) {
    return;
  }
  size_t count = (size_t)length < sizeof(piece) ? (size_t)length : sizeof(piece) - 1;
  if (recorder->length + count + 1 > recorder->capacity) {
    size_t wider = 2 * recorder->capacity + sizeof(piece) + 4096;
    char *moved = realloc(recorder->text, wider);
    if (moved == NULL) {
      recorder->failed = true;
      return;
    }
    recorder->text = moved;
    recorder->capacity = wider;
  }
  memcpy(recorder->text + recorder->length, piece, count + 1);
  recorder->length += count;
}

/* A host's locale may write a comma. */
static void appendNumbers(struct dxBrinkRecorder *recorder, const double *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    char word[40];
    snprintf(word, sizeof(word), " %.17g", values[i]);
    char *comma = strchr(word, ',');
    if (comma != NULL) {
      *comma = '.';
    }
    append(recorder, "%s", word);
  }
}

static void appendPose(struct dxBrinkRecorder *recorder, const brinkPose *pose) {
  const double q[4] = {pose->rotation.w, pose->rotation.x, pose->rotation.y, pose->rotation.z};
  appendNumbers(recorder, &pose->position.x, 3);
  appendNumbers(recorder, q, 4);
}

/* ---- setting */

int dBrinkSetRecordDirectory(dBrinkID brink, const char *directory) {
  if (!dxBrinkMayCall(brink, "dBrinkSetRecordDirectory")) {
    return 0;
  }
  struct dxBrinkRecorder *recorder = NULL;
  if (directory != NULL) {
    size_t size = strlen(directory) + 1;
    recorder = size + 40 < MAX_PATH ? calloc(1, sizeof(*recorder)) : NULL;
    if (recorder == NULL || (recorder->directory = malloc(size)) == NULL) {
      free(recorder);
      return dxBrinkFail(brink, "dBrinkSetRecordDirectory: no memory, or the name is longer than %d characters",
                         MAX_PATH - 40);
    }
    memcpy(recorder->directory, directory, size);
  }
  dxBrinkFreeRecorder(brink);
  brink->recorder = recorder;
  return dxBrinkSucceed(brink);
}

void dxBrinkFreeRecorder(dBrinkID brink) {
  if (brink->recorder != NULL) {
    free(brink->recorder->directory);
    free(brink->recorder->text);
    free(brink->recorder);
    brink->recorder = NULL;
  }
}

const char *dxBrinkRecordPath(const dxBrink *brink) {
  return brink->recorder != NULL && brink->recorder->path[0] != '\0' ? brink->recorder->path : NULL;
}

/* ---- what was asked */

void dxBrinkRecordBegin(dBrinkID brink) {
  if (brink->recorder != NULL) {
    brink->recorder->step++;
    brink->recorder->length = 0;
    brink->recorder->failed = false;
    brink->recorder->path[0] = '\0';
  }
}

void dxBrinkRecordMotion(void *user, uint32_t number, const brinkBodyMotion *motion) {
  dBrinkID brink = user;
  struct dxBrinkRecorder *recorder = brink->recorder;
  if (recorder == NULL || !brink->busy) {
    return;
  }
  append(recorder, "motion %u %u %u", (unsigned)number, (unsigned)motion->kind, (unsigned)motion->flags);
  appendPose(recorder, &motion->pose0);
  appendPose(recorder, &motion->pose1);
  appendNumbers(recorder, &motion->velocity.x, 3);
  appendNumbers(recorder, &motion->spin.x, 3);
  append(recorder, "\n");
}

void dxBrinkRecordQuestion(void *user, const brinkQuery *query) {
  dBrinkID brink = user;
  struct dxBrinkRecorder *recorder = brink->recorder;
  if (recorder == NULL) {
    return;
  }
  append(recorder, "question");
  appendNumbers(recorder, &brink->step.now.t, 1);
  appendNumbers(recorder, &query->window, 1);
  append(recorder, " %u\n", (unsigned)query->scheme);
}

void dxBrinkRecordDrop(void *user, brinkStepPair pair) {
  dBrinkID brink = user;
  if (brink->recorder != NULL) {
    append(brink->recorder, "drop %u %u\n", pair.a, pair.b);
  }
}

void dxBrinkRecordLeft(void *user, brinkStepPair pair) {
  dBrinkID brink = user;
  if (brink->recorder != NULL) {
    append(brink->recorder, "leave %u %u\n", pair.a, pair.b);
  }
}

void dxBrinkRecordSink(void *user, brinkStepPair pair, double depth, double limit) {
  dBrinkID brink = user;
  if (brink->recorder != NULL && brink->busy) {
    append(brink->recorder, "sink %u %u", pair.a, pair.b);
    appendNumbers(brink->recorder, &depth, 1);
    appendNumbers(brink->recorder, &limit, 1);
    append(brink->recorder, "\n");
  }
}

void dxBrinkRecordAnswer(void *user, const brinkReport *report) {
  dBrinkID brink = user;
  struct dxBrinkRecorder *recorder = brink->recorder;
  if (recorder == NULL) {
    return;
  }
  append(recorder, "answer");
  appendNumbers(recorder, &brink->step.now.t, 1);
  append(recorder, " %u", (unsigned)report->state);
  appendNumbers(recorder, &report->toi, 1);
  append(recorder, "\n");
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    const double numbers[4] = {contact->toi, contact->toiUpper, contact->distance, contact->threshold};
    append(recorder, "hit %u %u %u", brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderA),
           brinkKeyMap_Get(&brink->step.colliderMap, contact->colliderB), (unsigned)contact->state);
    appendNumbers(recorder, numbers, 4);
    append(recorder, "\n");
  }
}

/* ---- the world it was asked in */

static void writeMesh(struct dxBrinkRecorder *out, const dxBrinkGeom *record) {
  dGeomID probe = dCreateTriMesh(NULL, record->key.data, NULL, NULL, NULL); /* at the identity */
  append(out, " mesh %d %d\n", 3 * record->key.triangleCount, record->key.triangleCount);
  for (int i = 0; i < record->key.triangleCount; ++i) {
    dVector3 v[3];
    dGeomTriMeshGetTriangle(probe, i, &v[0], &v[1], &v[2]);
    for (int k = 0; k < 3; ++k) {
      const double corner[3] = {v[k][0] + 0.0, v[k][1] + 0.0, v[k][2] + 0.0}; /* -0 becomes 0, as in shapes.c */
      appendNumbers(out, corner, 3);
      append(out, "\n");
    }
  }
  for (int i = 0; i < record->key.triangleCount; ++i) {
    append(out, " %d %d %d\n", 3 * i, 3 * i + 1, 3 * i + 2);
  }
  dGeomDestroy(probe);
}

static void writeShape(struct dxBrinkRecorder *out, uint32_t number, const dxBrinkGeom *record) {
  const double *size = record->key.size, round[2] = {size[0], size[1] / 2},
               half[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
  append(out, "shape %u", number);
  switch (record->key.geomClass) {
    case dSphereClass:
      append(out, " sphere");
      appendNumbers(out, size, 1);
      break;
    case dCapsuleClass:
    case dCylinderClass:
      append(out, record->key.geomClass == dCapsuleClass ? " capsule" : " cylinder");
      appendNumbers(out, round, 2);
      break;
    case dBoxClass:
      append(out, " box");
      appendNumbers(out, half, 3);
      break;
    case dPlaneClass:
      append(out, " plane");
      appendNumbers(out, size, 4);
      break;
    case dConvexClass:
      append(out, " hull %zu\n", record->shape.vertexCount);
      for (size_t i = 0; i < record->shape.vertexCount; ++i) {
        appendNumbers(out, record->shape.vertices + 3 * i, 3);
        append(out, "\n");
      }
      return;
    case dTriMeshClass:
      writeMesh(out, record);
      return;
    default:
      append(out, " other");
      break;
  }
  append(out, "\n");
}

typedef struct ordered {
  uint64_t handle;
  uint32_t number;
} ordered;

static int compareHandles(const void *a, const void *b) {
  const ordered *x = a, *y = b;
  return (x->handle > y->handle) - (x->handle < y->handle);
}

static void writeBodies(struct dxBrinkRecorder *out, const dxBrink *brink, ordered *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < brink->step.bodyCount; ++i) {
    if (brink->step.bodies[i].body != NULL) {
      order[count++] = (ordered){brink->step.bodies[i].id, i};
    }
  }
  qsort(order, count, sizeof(*order), compareHandles);
  for (size_t i = 0; i < count; ++i) {
    append(out, "body %u\n", order[i].number);
  }
}

static void writeJoints(struct dxBrinkRecorder *out, const dxBrink *brink, ordered *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < brink->step.jointCount; ++i) {
    if (brink->step.joints[i].joint != NULL && brink->step.joints[i].id != 0) {
      order[count++] = (ordered){brink->step.joints[i].id, i};
    }
  }
  qsort(order, count, sizeof(*order), compareHandles);
  for (size_t i = 0; i < count; ++i) {
    const brinkStepJoint *record = &brink->step.joints[order[i].number];
    append(out, "joint %u %u", record->bodies[0], record->bodies[1]);
    appendNumbers(out, record->anchors[0], 3);
    appendNumbers(out, record->anchors[1], 3);
    append(out, "\n");
  }
}

static void writeColliders(struct dxBrinkRecorder *out, const dxBrink *brink, ordered *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < brink->geomCount; ++i) {
    if (brink->geoms[i].geom != NULL && brink->geoms[i].answered) {
      order[count++] = (ordered){brink->geoms[i].collider, i};
    }
  }
  qsort(order, count, sizeof(*order), compareHandles);
  for (size_t i = 0; i < count; ++i) {
    const dxBrinkGeom *record = &brink->geoms[order[i].number];
    brinkPose pose = dxBrinkComposePose(record->pose, record->shape.place);
    writeShape(out, order[i].number, record);
    append(out, "collider %u %ld", order[i].number, record->body == BRINK_NO_RECORD ? -1L : (long)record->body);
    appendPose(out, &pose);
    append(out, " %llu %llu", (unsigned long long)record->categoryBits, (unsigned long long)record->collideBits);
    appendNumbers(out, &record->allowance, 1);
    append(out, "\n");
  }
}

static bool writeWorld(struct dxBrinkRecorder *out, dBrinkID brink) {
  size_t most = brink->step.bodyCount + brink->step.jointCount + brink->geomCount + 1;
  ordered *order = malloc(most * sizeof(*order));
  if (order == NULL) {
    return false;
  }
  append(out, "brink-record 2\n# step %lu of %.9g s, %d solves, %d clamps\n", brink->recorder->step, brink->step.now.h,
         brink->result.info.solves, brink->step.report.clamps);
  append(out, "taylor %u\n", brink->chosen.taylorOrder);
  writeBodies(out, brink, order);
  writeJoints(out, brink, order);
  writeColliders(out, brink, order);
  free(order);
  return !out->failed;
}

/* Whole or not at all. */
static bool writeFile(struct dxBrinkRecorder *recorder, const struct dxBrinkRecorder *world) {
  char temporary[MAX_PATH + 8];
  snprintf(recorder->path, sizeof(recorder->path), "%s/step_%06lu.record", recorder->directory, recorder->step);
  snprintf(temporary, sizeof(temporary), "%s.part", recorder->path);
  FILE *file = fopen(temporary, "wb");
  if (file == NULL) {
    return false;
  }
  bool good = fwrite(world->text, 1, world->length, file) == world->length &&
              fwrite(recorder->text, 1, recorder->length, file) == recorder->length && fputs("end\n", file) >= 0;
  good = fclose(file) == 0 && good && rename(temporary, recorder->path) == 0;
  if (!good) {
    remove(temporary);
  }
  return good;
}

void dxBrinkRecordEnd(dBrinkID brink) {
  struct dxBrinkRecorder *recorder = brink->recorder, world = {.text = NULL};
  if (recorder == NULL || brink->step.report.clamps == 0 || recorder->length == 0) {
    return;
  }
  errno = 0;
  if (recorder->failed || !writeWorld(&world, brink) || !writeFile(recorder, &world)) {
    dxBrinkLog(brink, brink_logWarning, "the clamped step could not be recorded in %s: %s", recorder->directory,
               errno != 0 ? strerror(errno) : "no memory");
    recorder->path[0] = '\0';
  } else {
    dxBrinkLog(brink, brink_logInfo, "the clamped step is recorded: brink replay %s", recorder->path);
  }
  free(world.text);
}
