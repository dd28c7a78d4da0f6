/* SPDX-License-Identifier: BSD-3-Clause */
/* Is each time of contact that Brink reports in a scene right, and is what it calls free really free?
 *
 * For each segment the bodies' motions are taken as the stepper states them (chains: as Brink itself places them,
 * checked at both ends), and for each struck pair: (a) at the toi the distance is at most the pair's threshold +
 * tolerance (else early: Brink stopped it too soon); (b) at no sampled time before is it below threshold - tolerance
 * (else late). Samples: EVENT_SAMPLES uniform, then END_SAMPLES that halve the rest up to the toi. Of a free segment,
 * or of a struck one's time before its first impact, every pair that was asked about is sampled FREE_SAMPLES times:
 * nothing may touch. Tolerance: Brink's own (1e-6 of the smaller mesh, here its box's diagonal) plus ROUNDING. Meshes
 * are the scene's visuals, which are what ODE collides; planes are planes. Units: m, rad; s: part of a segment, [0,1].
 */
#include "verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "brink/ccd.h"
#include "toc_judge.h"

#define EVENT_SAMPLES 64
#define END_SAMPLES 24
#define FREE_SAMPLES 8
#define TOLERANCE_SHARE 1e-6
#define ROUNDING 1e-9    /* m */
#define SAME_MOTION 1e-9 /* m and rad */

typedef struct object {
  dGeomID geom;
  dBodyID body;    /* NULL: static */
  judgeMesh *mesh; /* shared by objects of one brinkMesh */
  bool plane;
  double planeParameters[4];
  judgePose rest; /* static */
  int motion;     /* index in the current segment, -1: stands still */
} object;

struct verifier {
  demoScene *scene;
  object objects[KIT_VISUALS];
  int objectCount;
  judgeMesh *meshes[KIT_MESHES];
  const dBrinkSegment *segment;
  dBrinkID brink;
  verifyResult result;
};

/* ---- setting up */

static bool addObject(verifier *self, const demoVisual *visual) {
  size_t index = (size_t)(visual->mesh - self->scene->meshes);
  const brinkMesh *mesh = visual->mesh;
  if (!self->meshes[index])
    self->meshes[index] = judgeMesh_Create(mesh->vertices, mesh->vertexCount, mesh->indices, mesh->triangleCount);
  object *out = &self->objects[self->objectCount++];
  *out = (object){
      .geom = visual->geom, .body = visual->body, .mesh = self->meshes[index], .motion = -1, .rest.turn = {1, 0, 0, 0}};
  out->plane = dGeomGetClass(visual->geom) == dPlaneClass;
  if (out->plane) {
    dVector4 parameters;
    dGeomPlaneGetParams(visual->geom, parameters);
    for (int k = 0; k < 4; k++) out->planeParameters[k] = parameters[k];
  } else if (!visual->body) {
    dQuaternion turn;
    dGeomGetQuaternion(visual->geom, turn);
    for (int k = 0; k < 3; k++) out->rest.position[k] = dGeomGetPosition(visual->geom)[k];
    for (int k = 0; k < 4; k++) out->rest.turn[k] = turn[k];
  }
  return out->mesh != NULL;
}

/* ---- where things are */

static judgePose poseAt(verifier *self, const object *thing, double s) {
  if (thing->motion < 0) return thing->rest;
  const dBrinkMotion *motion = &self->segment->motions[thing->motion];
  judgeMotion own = {{0}, {0}, {0}, {0}};
  memcpy(own.position, motion->position, sizeof own.position);
  memcpy(own.turn, motion->quaternion, sizeof own.turn);
  if (motion->kind == dBrinkMotionAlone) {
    memcpy(own.velocity, motion->velocity, sizeof own.velocity);
    memcpy(own.spin, motion->spin, sizeof own.spin);
  } else if (motion->kind == dBrinkMotionChain) {
    dBrinkSegmentPose(self->brink, motion->body, s, own.position, own.turn);
  }
  return judge_PoseAt(&own, s);
}

static double turnBetween(const long double a[4], const long double b[4]) {
  long double sum = 0, difference = 0, lengthA = 0, lengthB = 0;
  for (int k = 0; k < 4; k++) sum += a[k] * b[k], lengthA += a[k] * a[k], lengthB += b[k] * b[k];
  for (int k = 0; k < 4; k++) {
    long double d = a[k] / sqrtl(lengthA) - (sum < 0 ? -1 : 1) * b[k] / sqrtl(lengthB);
    difference += d * d;
  }
  return 2.0 * (double)sqrtl(difference);
}

/* Chains are placed by Brink, so their ends are held against ODE's poses; single bodies against Brink's at three times.
 */
static void checkMotion(verifier *self, const dBrinkMotion *motion) {
  for (int i = 0; i <= 2; i++) {
    double s = 0.5 * i, position[3], turn[4];
    if (motion->kind == dBrinkMotionChain && i == 1) continue;
    if (!dBrinkSegmentPose(self->brink, motion->body, s, position, turn)) {
      self->result.worstMotion = INFINITY;
      return;
    }
    judgeMotion stated = {{0}, {0}, {0}, {0}};
    bool end = motion->kind == dBrinkMotionChain && i == 2;
    memcpy(stated.position, end ? motion->endPosition : motion->position, sizeof stated.position);
    memcpy(stated.turn, end ? motion->endQuaternion : motion->quaternion, sizeof stated.turn);
    if (motion->kind == dBrinkMotionAlone) {
      memcpy(stated.velocity, motion->velocity, sizeof stated.velocity);
      memcpy(stated.spin, motion->spin, sizeof stated.spin);
    }
    judgePose pose = judge_PoseAt(&stated, s);
    long double brinkTurn[4] = {turn[0], turn[1], turn[2], turn[3]};
    double off = turnBetween(pose.turn, brinkTurn);
    for (int k = 0; k < 3; k++) off = fmax(off, fabs((double)(pose.position[k] - position[k])));
    if (!(off <= self->result.worstMotion)) self->result.worstMotion = off;
  }
}

static long double distanceAt(verifier *self, const object *a, const object *b, double s, long double limit) {
  judgePose poseA = poseAt(self, a, s), poseB = poseAt(self, b, s);
  if (a->plane) return judge_PlaneDistance(a->planeParameters, b->mesh, &poseB);
  if (b->plane) return judge_PlaneDistance(b->planeParameters, a->mesh, &poseA);
  return judge_Distance(a->mesh, &poseA, b->mesh, &poseB, limit);
}

static double toleranceOf(const object *a, const object *b) {
  double sizeA = a->plane ? (double)INFINITY : judgeMesh_Diagonal(a->mesh),
         sizeB = b->plane ? (double)INFINITY : judgeMesh_Diagonal(b->mesh);
  return TOLERANCE_SHARE * fmin(sizeA, sizeB) + ROUNDING;
}

/* ---- judging */

static void complain(verifier *self, const char *format, ...) {
  if (self->result.complaint[0]) return;
  int length = snprintf(self->result.complaint, sizeof self->result.complaint,
                        "frame %d, segment from %.6f: ", self->scene->frame, self->segment->start);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(self->result.complaint + length, sizeof self->result.complaint - (size_t)length, format, arguments);
  va_end(arguments);
}

static int findObject(const verifier *self, dGeomID geom) {
  for (int i = 0; i < self->objectCount; i++)
    if (self->objects[i].geom == geom) return i;
  return -1;
}

static void judgeBefore(verifier *self, int a, int b, const dBrinkVerdict *verdict, double tolerance) {
  const object *first = &self->objects[a], *second = &self->objects[b];
  double floor = verdict->threshold - tolerance, rest = verdict->toi;
  for (int i = 0; i < EVENT_SAMPLES + END_SAMPLES; i++) {
    double s = i < EVENT_SAMPLES ? verdict->toi * i / EVENT_SAMPLES : verdict->toi - (rest *= 0.5);
    double distance = (double)distanceAt(self, first, second, s, verdict->threshold);
    if (s >= verdict->toi) return;
    self->result.worstDepth = fmax(self->result.worstDepth, verdict->threshold - distance);
    if (distance > floor && distance > 0.0) continue;
    self->result.late++;
    complain(self, "objects %d and %d are %.9g m apart at s = %.9g, before their toi %.9g (threshold %.9g m)", a, b,
             distance, s, verdict->toi, verdict->threshold);
    return;
  }
}

static void judgeVerdict(verifier *self, const dBrinkVerdict *verdict) {
  int a = findObject(self, verdict->g1), b = findObject(self, verdict->g2);
  if (a < 0 || b < 0 || (dGeomGetClass(verdict->g1) != dTriMeshClass && dGeomGetClass(verdict->g2) != dTriMeshClass)) {
    self->result.unjudged++;
    return;
  }
  double tolerance = toleranceOf(&self->objects[a], &self->objects[b]);
  if (verdict->state == brink_overlap) {
    self->result.overlaps++;
    double distance = (double)distanceAt(self, &self->objects[a], &self->objects[b], 0.0, tolerance);
    if (distance <= tolerance) return;
    self->result.wrongOverlaps++;
    complain(self, "objects %d and %d are called crossing and are %.9g m apart", a, b, distance);
    return;
  }
  if (verdict->state == brink_hit) {
    double limit = fmax(verdict->threshold, 0.0) + 2.0 * tolerance;
    double distance = (double)distanceAt(self, &self->objects[a], &self->objects[b], verdict->toi, limit);
    self->result.events++;
    self->result.worstGap = fmax(self->result.worstGap, distance - verdict->threshold);
    if (distance > verdict->threshold + tolerance) {
      self->result.early++;
      complain(self, "objects %d and %d are over %.9g m apart at their toi %.9g (threshold %.9g m)", a, b, distance,
               verdict->toi, verdict->threshold);
    }
  } else if (verdict->state == brink_unresolved) {
    self->result.unresolved++;
  } else {
    return;
  }
  judgeBefore(self, a, b, verdict, tolerance);
}

static bool isOverlap(const dBrinkSegment *segment, dGeomID a, dGeomID b) {
  for (int i = 0; i < segment->verdictCount; i++) {
    const dBrinkVerdict *verdict = &segment->verdicts[i];
    if (verdict->state == brink_overlap &&
        ((verdict->g1 == a && verdict->g2 == b) || (verdict->g1 == b && verdict->g2 == a)))
      return true;
  }
  return false;
}

static void judgeFree(verifier *self, int a, int b, double until) {
  const object *first = &self->objects[a], *second = &self->objects[b];
  for (int i = 1; i <= FREE_SAMPLES; i++) {
    double s = until * i / FREE_SAMPLES;
    self->result.samples++;
    if (distanceAt(self, first, second, s, 0.0L) > 0.0L) continue;
    self->result.contacts++;
    complain(self, "objects %d and %d touch at s = %.9g, in time said to be free (until %.9g)", a, b, s, until);
    return;
  }
}

static double secondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void judgeSegment(void *user, dBrinkID brink, const dBrinkSegment *segment) {
  verifier *self = user;
  double began = secondsNow(), until = segment->toi < 1.0 ? segment->toi : 1.0;
  self->brink = brink;
  self->segment = segment;
  self->result.segments++;
  for (int i = 0; i < self->objectCount; i++) {
    self->objects[i].motion = -1;
    for (int m = 0; self->objects[i].body && m < segment->motionCount; m++)
      if (segment->motions[m].body == self->objects[i].body) self->objects[i].motion = m;
  }
  for (int m = 0; m < segment->motionCount; m++) checkMotion(self, &segment->motions[m]);
  for (int i = 0; i < segment->verdictCount; i++) judgeVerdict(self, &segment->verdicts[i]);
  bool crossing = segment->state == brink_overlap; /* then nothing is said about the rest */
  for (int i = 0; i < self->objectCount && until > 0.0 && !crossing; i++)
    for (int j = i + 1; j < self->objectCount; j++) {
      dGeomID a = self->objects[i].geom, b = self->objects[j].geom;
      bool mesh = dGeomGetClass(a) == dTriMeshClass || dGeomGetClass(b) == dTriMeshClass;
      if (mesh && dBrinkSegmentAsks(brink, a, b) && !isOverlap(segment, a, b)) judgeFree(self, i, j, until);
    }
  self->result.freeSegments += !crossing && until > 0.0;
  self->result.seconds += secondsNow() - began;
}

verifier *verifier_Attach(demoScene *scene, char *message, size_t messageCapacity) {
  verifier *self = calloc(1, sizeof *self);
  bool good = self != NULL && scene->brink != NULL;
  if (self) self->scene = scene;
  for (size_t v = 0; good && v < scene->visualCount; v++)
    if (scene->visuals[v].geom) good = addObject(self, &scene->visuals[v]);
  if (good && dBrinkSetSegmentCallback(scene->brink, judgeSegment, self)) return self;
  snprintf(message, messageCapacity, "%s",
           scene->brink ? "no memory to verify the scene" : "a plain run has nothing to verify");
  verifier_Detach(self);
  return NULL;
}

const verifyResult *verifier_Result(const verifier *self) { return &self->result; }

void verifier_Detach(verifier *self) {
  if (!self) return;
  dBrinkSetSegmentCallback(self->scene->brink, NULL, NULL);
  for (int i = 0; i < KIT_MESHES; i++) judgeMesh_Destroy(self->meshes[i]);
  free(self);
}

bool verifyResult_IsGood(const verifyResult *result) {
  return result->late == 0 && result->early == 0 && result->contacts == 0 && result->wrongOverlaps == 0 &&
         result->worstMotion <= SAME_MOTION;
}

void verifyResult_Say(const verifyResult *result, char *out, size_t capacity) {
  int length = snprintf(
      out, capacity,
      "%ld events, %ld late, %ld early, %ld free segments sampled (%ld distances), %ld contacts; %ld unresolved, %ld "
      "crossing at the start (%ld wrongly), %ld of convex pairs not judged. At events at most %.2g m over the "
      "threshold, before them at most %.2g m below it; motions agree to %.1g.",
      result->events, result->late, result->early, result->freeSegments, result->samples, result->contacts,
      result->unresolved, result->overlaps, result->wrongOverlaps, result->unjudged, result->worstGap,
      result->worstDepth, result->worstMotion);
  if (result->complaint[0] && length > 0 && (size_t)length < capacity)
    snprintf(out + length, capacity - (size_t)length, " First: %s", result->complaint);
}
