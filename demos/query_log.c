/* SPDX-License-Identifier: BSD-3-Clause */
/* What is Brink asked in each frame? ODE's step from the frame's start, undone.
 * Undoing is exact: positions, quaternions, rotation matrices, velocities and the row-shuffling seed are all that ODE's
 * steppers change here (no damping, no auto-disable, no user forces in these scenes). Units: m, rad/s; quaternions
 * (w,x,y,z). */
#include "query_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"

typedef struct bodyState {
  dReal position[3], quaternion[4], rotation[12], linear[3], angular[3];
} bodyState;

struct queryLog {
  FILE *motion;
  bool failed;
  int objects[KIT_VISUALS]; /* body index of an object, -1 fixed */
  int objectCount;
};

static int bodyIndex(const demoScene *scene, dBodyID body) {
  for (int i = 0; i < scene->bodyCount; i++)
    if (scene->bodies[i] == body) return i;
  return -1;
}

/* The lowest body that a joint ties to this one and that comes before it; -1: a root. */
static int parentOf(const demoScene *scene, int index) {
  int parent = -1;
  for (int j = 0; j < scene->jointCount; j++) {
    int a = bodyIndex(scene, dJointGetBody(scene->joints[j], 0)),
        b = bodyIndex(scene, dJointGetBody(scene->joints[j], 1));
    int other = a == index ? b : b == index ? a : -1;
    if (other >= 0 && other < index && (parent < 0 || other < parent)) parent = other;
  }
  return parent;
}

static void writePose(FILE *file, const dReal *p, const dReal *q) {
  fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g %.17g", p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
}

static bool writeMeshes(const demoScene *scene, const char *directory, char *message, size_t messageCapacity) {
  char path[1200];
  for (int i = 0; i < scene->meshCount; i++) {
    snprintf(path, sizeof path, "%.1000s/meshes/mesh_%02d.obj", directory, i);
    if (brinkWriteObj(path, &scene->meshes[i], message, messageCapacity) != brink_ok) return false;
  }
  return true;
}

static bool writeScene(queryLog *self, demoScene *scene, const char *directory) {
  char path[1200];
  snprintf(path, sizeof path, "%.1000s/scene.txt", directory);
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "# object FILE fixed|moving MODEL LINK PARENT  px py pz qw qx qy qz\n");
  for (size_t v = 0; v < scene->visualCount; v++) {
    const demoVisual *visual = &scene->visuals[v];
    int body = visual->body ? bodyIndex(scene, visual->body) : -1, mesh = (int)(visual->mesh - scene->meshes);
    dReal position[3] = {0, 0, 0};
    dQuaternion turn = {1, 0, 0, 0};
    if (body >= 0) {
      memcpy(position, dBodyGetPosition(visual->body), sizeof position);
      memcpy(turn, dBodyGetQuaternion(visual->body), 4 * sizeof *turn);
    } else if (visual->geom && dGeomGetClass(visual->geom) != dPlaneClass) {
      memcpy(position, dGeomGetPosition(visual->geom), sizeof position);
      dGeomGetQuaternion(visual->geom, turn);
    }
    fprintf(file, "object meshes/mesh_%02d.obj %s %d %d %d ", mesh, body >= 0 ? "moving" : "fixed", body >= 0 ? 0 : -1,
            body >= 0 ? body : 0, body >= 0 ? parentOf(scene, body) : -1);
    writePose(file, position, turn);
    fprintf(file, "\n");
    self->objects[self->objectCount++] = body;
  }
  bool good = !ferror(file);
  return fclose(file) == 0 && good;
}

queryLog *queryLog_Open(demoScene *scene, const char *directory, char *message, size_t messageCapacity) {
  char path[1200];
  queryLog *self = calloc(1, sizeof *self);
  snprintf(path, sizeof path, "%.1000s/meshes", directory);
  bool folders = folder_Make(path);
  snprintf(message, messageCapacity, "cannot write queries into %s: %s", directory,
           folders ? "no memory" : strerror(errno));
  bool good = self && folders && writeMeshes(scene, directory, message, messageCapacity);
  if (good) {
    snprintf(path, sizeof path, "%.1000s/motion.txt", directory);
    good = writeScene(self, scene, directory) && (self->motion = fopen(path, "w")) != NULL;
    if (!good) snprintf(message, messageCapacity, "cannot write queries into %s: %s", directory, strerror(errno));
  }
  if (good) {
    fprintf(self->motion, "# frame object  p0(3) q0(4)  p1(3) q1(4)  w(3)\n");
    return self;
  }
  free(self);
  return NULL;
}

static void saveState(dBodyID body, bodyState *out) {
  memcpy(out->position, dBodyGetPosition(body), sizeof out->position);
  memcpy(out->quaternion, dBodyGetQuaternion(body), sizeof out->quaternion);
  memcpy(out->rotation, dBodyGetRotation(body), sizeof out->rotation);
  memcpy(out->linear, dBodyGetLinearVel(body), sizeof out->linear);
  memcpy(out->angular, dBodyGetAngularVel(body), sizeof out->angular);
}

/* The getters return ODE's own storage; writing through them skips the setters' renormalising of the last bit. */
static void restoreState(dBodyID body, const bodyState *state) {
  memcpy((dReal *)(uintptr_t)dBodyGetQuaternion(body), state->quaternion, sizeof state->quaternion);
  memcpy((dReal *)(uintptr_t)dBodyGetRotation(body), state->rotation, sizeof state->rotation);
  dBodySetLinearVel(body, state->linear[0], state->linear[1], state->linear[2]);
  dBodySetAngularVel(body, state->angular[0], state->angular[1], state->angular[2]);
  dBodySetPosition(body, state->position[0], state->position[1], state->position[2]); /* and tells its geoms */
}

void queryLog_Frame(queryLog *self, demoScene *scene) {
  bodyState before[KIT_BODIES];
  unsigned long seed = dRandGetSeed();
  for (int i = 0; i < scene->bodyCount; i++) saveState(scene->bodies[i], &before[i]);
  if (scene->quickStep)
    dWorldQuickStep(scene->world, scene->step);
  else
    dWorldStep(scene->world, scene->step);
  for (int object = 0; object < self->objectCount; object++) {
    int index = self->objects[object];
    if (index < 0) continue;
    dBodyID body = scene->bodies[index];
    const dReal *w = dBodyGetAngularVel(body);
    fprintf(self->motion, "%d %d ", scene->frame, object);
    writePose(self->motion, before[index].position, before[index].quaternion);
    writePose(self->motion, dBodyGetPosition(body), dBodyGetQuaternion(body));
    fprintf(self->motion, "  %.17g %.17g %.17g\n", w[0], w[1], w[2]);
  }
  for (int i = 0; i < scene->bodyCount; i++) restoreState(scene->bodies[i], &before[i]);
  dRandSetSeed(seed);
}

bool queryLog_Close(queryLog *self) {
  if (!self) return true;
  bool good = !ferror(self->motion);
  good = fclose(self->motion) == 0 && good;
  free(self);
  return good;
}
