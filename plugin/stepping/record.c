/* SPDX-License-Identifier: BSD-3-Clause */
/* What led to this clamp? With a record directory set, a step that ends in the guard leaves one file: all shapes,
 * bodies, joints and colliders, and the question of the step with the motions asked about and the answers given.
 * `brink replay FILE` asks the same again, without the engine, and gets the same bits. While recording, every body
 * is asked about (no culling).
 *
 * The file: words and decimal numbers (17 digits), a line each; m, rad; geoms G and bodies B by their numbers:
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

#include "step.h"

#define MAX_PATH 1024

struct brinkStepRecorder {
  char *directory;
  brinkStepText text; /* of this step's question and answers */
  bool open;          /* a step is under way */
  unsigned long step; /* since the directory was set */
  char path[MAX_PATH];
};

/* ---- text */

void brinkStepAppend(brinkStepText *out, const char *format, ...) {
  char piece[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(piece, sizeof(piece), format, arguments);
  va_end(arguments);
  if (length <= 0 || out->failed) {
    return;
  }
  size_t count = (size_t)length < sizeof(piece) ? (size_t)length : sizeof(piece) - 1;
  if (out->length + count + 1 > out->capacity) {
    size_t wider = 2 * out->capacity + sizeof(piece) + 4096;
    char *moved = realloc(out->text, wider);
    if (moved == NULL) {
      out->failed = true;
      return;
    }
    out->text = moved;
    out->capacity = wider;
  }
  memcpy(out->text + out->length, piece, count + 1);
  out->length += count;
}

/* A host's locale may write a comma. */
void brinkStepAppendNumbers(brinkStepText *out, const double *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    char word[40];
    snprintf(word, sizeof(word), " %.17g", values[i]);
    char *comma = strchr(word, ',');
    if (comma != NULL) {
      *comma = '.';
    }
    brinkStepAppend(out, "%s", word);
  }
}

void brinkStepAppendPose(brinkStepText *out, const brinkPose *pose) {
  const double q[4] = {pose->rotation.w, pose->rotation.x, pose->rotation.y, pose->rotation.z};
  brinkStepAppendNumbers(out, &pose->position.x, 3);
  brinkStepAppendNumbers(out, q, 4);
}

static void appendMesh(brinkStepText *out, const brinkMeshView *mesh) {
  for (size_t i = 0; i < mesh->vertexCount; ++i) {
    brinkStepAppendNumbers(out, mesh->vertices + 3 * i, 3);
    brinkStepAppend(out, "\n");
  }
  for (size_t i = 0; mesh->indices != NULL && i < mesh->triangleCount; ++i) {
    const uint32_t *corners = mesh->indices + 3 * i;
    brinkStepAppend(out, " %u %u %u\n", corners[0], corners[1], corners[2]);
  }
}

void brinkStepAppendShape(brinkStepText *out, uint32_t number, const brinkShapeDef *def) {
  const brinkMeshView *mesh = &def->mesh;
  const double round[2] = {def->size.x, def->size.z};
  brinkStepAppend(out, "shape %u", number);
  switch (def->type) {
    case brink_sphere:
      brinkStepAppend(out, " sphere");
      brinkStepAppendNumbers(out, &def->size.x, 1);
      break;
    case brink_capsule:
    case brink_cylinder:
      brinkStepAppend(out, def->type == brink_capsule ? " capsule" : " cylinder");
      brinkStepAppendNumbers(out, round, 2);
      break;
    case brink_box:
      brinkStepAppend(out, " box");
      brinkStepAppendNumbers(out, &def->size.x, 3);
      break;
    case brink_plane:
      brinkStepAppend(out, " plane");
      brinkStepAppendNumbers(out, &def->normal.x, 3);
      brinkStepAppendNumbers(out, &def->offset, 1);
      break;
    case brink_hull:
      brinkStepAppend(out, " hull %zu\n", mesh->vertexCount);
      appendMesh(out, mesh);
      return;
    case brink_mesh:
      brinkStepAppend(out, " mesh %zu %zu\n", mesh->vertexCount, mesh->triangleCount);
      appendMesh(out, mesh);
      return;
    default:
      brinkStepAppend(out, " other");
      break;
  }
  brinkStepAppend(out, "\n");
}

/* ---- setting */

/* Steps count from 1: no record of theirs is touched. */
static bool canWriteIn(const char *directory) {
  char path[MAX_PATH];
  snprintf(path, sizeof(path), "%s/step_000000.record.part", directory);
  FILE *file = fopen(path, "wb");
  const bool can = file != NULL && fclose(file) == 0;
  return can && remove(path) == 0;
}

bool brinkStepSetRecords(brinkStepper *stepper, const char *directory) {
  struct brinkStepRecorder *recorder = NULL;
  if (directory != NULL) {
    size_t size = strlen(directory) + 1;
    recorder = size + 40 < MAX_PATH ? calloc(1, sizeof(*recorder)) : NULL;
    if (recorder == NULL || (recorder->directory = malloc(size)) == NULL) {
      free(recorder);
      return brinkStepFail(stepper, "no memory for records, or the name of their folder is longer than %d characters",
                           MAX_PATH - 40) != 0;
    }
    memcpy(recorder->directory, directory, size);
    if (!canWriteIn(directory)) {
      const int why = errno;
      free(recorder->directory);
      free(recorder);
      return brinkStepFail(stepper, "records cannot be written into the folder %s: %s; make it first", directory,
                           strerror(why)) != 0;
    }
  }
  if (stepper->recorder != NULL) {
    free(stepper->recorder->directory);
    free(stepper->recorder->text.text);
    free(stepper->recorder);
  }
  stepper->recorder = recorder;
  return true;
}

const char *brinkStepRecordPath(const brinkStepper *stepper) {
  return stepper->recorder != NULL && stepper->recorder->path[0] != '\0' ? stepper->recorder->path : NULL;
}

/* ---- what was asked */

void brinkStepRecordBegin(brinkStepper *stepper) {
  if (stepper->recorder != NULL) {
    stepper->recorder->step++;
    stepper->recorder->text.length = 0;
    stepper->recorder->text.failed = false;
    stepper->recorder->open = true;
    stepper->recorder->path[0] = '\0';
  }
}

/* NULL: nothing is recorded now. */
static brinkStepText *textOf(const brinkStepper *stepper) {
  return stepper->recorder != NULL && stepper->recorder->open ? &stepper->recorder->text : NULL;
}

void brinkStepRecordMotion(const brinkStepper *stepper, uint32_t number, const brinkBodyMotion *motion) {
  brinkStepText *out = textOf(stepper);
  if (out == NULL) {
    return;
  }
  brinkStepAppend(out, "motion %u %u %u", (unsigned)number, (unsigned)motion->kind, (unsigned)motion->flags);
  brinkStepAppendPose(out, &motion->pose0);
  brinkStepAppendPose(out, &motion->pose1);
  brinkStepAppendNumbers(out, &motion->velocity.x, 3);
  brinkStepAppendNumbers(out, &motion->spin.x, 3);
  brinkStepAppend(out, "\n");
}

void brinkStepRecordQuestion(const brinkStepper *stepper, const brinkQuery *query) {
  brinkStepText *out = textOf(stepper);
  if (out != NULL) {
    brinkStepAppend(out, "question");
    brinkStepAppendNumbers(out, &stepper->now.t, 1);
    brinkStepAppendNumbers(out, &query->window, 1);
    brinkStepAppend(out, " %u\n", (unsigned)query->scheme);
  }
}

void brinkStepRecordPair(const brinkStepper *stepper, const char *word, brinkStepPair pair) {
  brinkStepText *out = textOf(stepper);
  if (out != NULL) {
    brinkStepAppend(out, "%s %u %u\n", word, pair.a, pair.b);
  }
}

void brinkStepRecordSink(const brinkStepper *stepper, brinkStepPair pair, double depth, double limit) {
  brinkStepText *out = textOf(stepper);
  if (out != NULL) {
    brinkStepAppend(out, "sink %u %u", pair.a, pair.b);
    brinkStepAppendNumbers(out, &depth, 1);
    brinkStepAppendNumbers(out, &limit, 1);
    brinkStepAppend(out, "\n");
  }
}

void brinkStepRecordAnswer(const brinkStepper *stepper, const brinkReport *report) {
  brinkStepText *out = textOf(stepper);
  if (out == NULL) {
    return;
  }
  brinkStepAppend(out, "answer");
  brinkStepAppendNumbers(out, &stepper->now.t, 1);
  brinkStepAppend(out, " %u", (unsigned)report->state);
  brinkStepAppendNumbers(out, &report->toi, 1);
  brinkStepAppend(out, "\n");
  for (size_t i = 0; i < report->contactCount; ++i) {
    const brinkContact *contact = &report->contacts[i];
    const double numbers[4] = {contact->toi, contact->toiUpper, contact->distance, contact->threshold};
    brinkStepAppend(out, "hit %u %u %u", brinkKeyMap_Get(&stepper->colliderMap, contact->colliderA),
                    brinkKeyMap_Get(&stepper->colliderMap, contact->colliderB), (unsigned)contact->state);
    brinkStepAppendNumbers(out, numbers, 4);
    brinkStepAppend(out, "\n");
  }
}

/* ---- the world it was asked in */

typedef struct ordered {
  uint64_t handle;
  uint32_t number;
} ordered;

static int compareHandles(const void *a, const void *b) {
  const ordered *x = a, *y = b;
  return (x->handle > y->handle) - (x->handle < y->handle);
}

static void writeBodies(brinkStepText *out, const brinkStepper *stepper, ordered *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < stepper->bodyCount; ++i) {
    if (stepper->bodies[i].body != NULL) {
      order[count++] = (ordered){stepper->bodies[i].id, i};
    }
  }
  qsort(order, count, sizeof(*order), compareHandles);
  for (size_t i = 0; i < count; ++i) {
    brinkStepAppend(out, "body %u\n", order[i].number);
  }
}

static void writeJoints(brinkStepText *out, const brinkStepper *stepper, ordered *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < stepper->jointCount; ++i) {
    if (stepper->joints[i].joint != NULL && stepper->joints[i].id != 0) {
      order[count++] = (ordered){stepper->joints[i].id, i};
    }
  }
  qsort(order, count, sizeof(*order), compareHandles);
  for (size_t i = 0; i < count; ++i) {
    const brinkStepJoint *record = &stepper->joints[order[i].number];
    brinkStepAppend(out, "joint %u %u", record->bodies[0], record->bodies[1]);
    brinkStepAppendNumbers(out, record->anchors[0], 3);
    brinkStepAppendNumbers(out, record->anchors[1], 3);
    brinkStepAppend(out, "\n");
  }
}

static void writeColliders(brinkStepText *out, const brinkStepper *stepper, ordered *order) {
  size_t count = 0;
  for (uint32_t i = 0; i < stepper->colliderCount; ++i) {
    if (stepper->colliders[i].collider != 0) {
      order[count++] = (ordered){stepper->colliders[i].collider, i};
    }
  }
  qsort(order, count, sizeof(*order), compareHandles);
  for (size_t i = 0; i < count; ++i) {
    stepper->host->writeCollider(stepper->user, order[i].number, out);
  }
}

static bool writeWorld(brinkStepText *out, const brinkStepper *stepper) {
  ordered *order = malloc((stepper->bodyCount + stepper->jointCount + stepper->colliderCount + 1) * sizeof(*order));
  if (order == NULL) {
    return false;
  }
  brinkStepAppend(out, "brink-record 2\n# step %lu of %.9g s, %d solves, %d clamps\n", stepper->recorder->step,
                  stepper->now.h, stepper->report.solves, stepper->report.clamps);
  brinkStepAppend(out, "taylor %u\n", stepper->settings.taylorOrder);
  writeBodies(out, stepper, order);
  writeJoints(out, stepper, order);
  writeColliders(out, stepper, order);
  free(order);
  return !out->failed;
}

/* Whole or not at all. */
static bool writeFile(struct brinkStepRecorder *recorder, const brinkStepText *world) {
  char temporary[MAX_PATH + 8];
  snprintf(recorder->path, sizeof(recorder->path), "%s/step_%06lu.record", recorder->directory, recorder->step);
  snprintf(temporary, sizeof(temporary), "%s.part", recorder->path);
  FILE *file = fopen(temporary, "wb");
  if (file == NULL) {
    return false;
  }
  const brinkStepText *text = &recorder->text;
  bool good = fwrite(world->text, 1, world->length, file) == world->length &&
              fwrite(text->text, 1, text->length, file) == text->length && fputs("end\n", file) >= 0;
  good = fclose(file) == 0 && good && rename(temporary, recorder->path) == 0;
  if (!good) {
    remove(temporary);
  }
  return good;
}

void brinkStepRecordEnd(brinkStepper *stepper) {
  struct brinkStepRecorder *recorder = stepper->recorder;
  if (recorder == NULL || !recorder->open) {
    return;
  }
  recorder->open = false;
  if (stepper->report.clamps == 0 || recorder->text.length == 0) {
    return;
  }
  brinkStepText world = {.text = NULL};
  errno = 0;
  if (recorder->text.failed || !writeWorld(&world, stepper) || !writeFile(recorder, &world)) {
    brinkStepLog(stepper, brink_logWarning, "the clamped step could not be recorded in %s: %s", recorder->directory,
                 errno != 0 ? strerror(errno) : "no memory");
    recorder->path[0] = '\0';
  } else {
    brinkStepLog(stepper, brink_logInfo, "the clamped step is recorded: brink replay %s", recorder->path);
  }
  free(world.text);
}
