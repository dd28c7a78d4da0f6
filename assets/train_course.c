/* SPDX-License-Identifier: BSD-3-Clause */
/* Position based dynamics of trains: see train_course.h. */
#include "train_course.h"

#include "kinematics.h"

enum { jointRounds = 40, contactRounds = 12, samplesPerCar = 12 };
static const double halfWidth = 1.32, below = 1.52, above = 1.95;  // of a car's section about its axis, m
static const double length = BRINK_TRAIN_PITCH;

void brinkCourse_AddTrain(brinkCourse *course, int carCount, brinkVec3 front, brinkVec3 back, brinkVec3 up,
                          brinkVec3 velocity) {
  brinkTrain *train = &course->trains[course->trainCount++];
  train->carCount = carCount;
  for (int i = 0; i <= carCount; ++i) {
    train->nodes[i] = brinkPlus(front, brinkTimes(length * i, back));
    train->velocities[i] = velocity;
  }
  for (int i = 0; i < carCount; ++i) train->cars[i].up = up;
}

static brinkVec3 aheadOf(const brinkTrain *train, int car) {
  return brinkDirection(brinkMinus(train->nodes[car], train->nodes[car + 1]));
}

// The car's up made square to its axis again, then turned about it.
static brinkVec3 squareUp(brinkVec3 up, brinkVec3 ahead, double roll) {
  brinkVec3 square = brinkMinus(up, brinkTimes(brinkInner(up, ahead), ahead));
  if (brinkInner(square, square) < 1e-6) {  // never met: a car would have to turn by a quarter in one frame
    square = brinkMinus(brinkVector(0, 0, 1), brinkTimes(ahead.z, ahead));
    if (brinkInner(square, square) < 1e-6) square = brinkVector(1, 0, 0);
  }
  square = brinkDirection(square);
  return brinkPlus(brinkTimes(brinkPlainCosine(roll), square),
                   brinkTimes(brinkPlainSine(roll), brinkOuter(ahead, square)));
}

// How far the section of a car reaches along a unit direction.
static double reachOf(brinkVec3 ahead, brinkVec3 up, brinkVec3 direction) {
  const double side = brinkInner(brinkOuter(up, ahead), direction), high = brinkInner(up, direction);
  return halfWidth * (side < 0 ? -side : side) + (high > 0 ? above * high : -below * high);
}

static double rollOf(int train, int car, int frame) {  // rad in one frame: slow, different for every car
  return 0.036 * brinkPlainSine(0.021 * frame + 0.9 * car + 2.1 * train) +
         0.018 * brinkPlainSine(0.058 * frame + 1.7 * car + 0.4 * train);
}

// ---- constraints

static void keepLengths(brinkTrain *train) {
  for (int round = 0; round < jointRounds; ++round) {
    for (int k = 0; k < train->carCount; ++k) {
      const int i = round % 2 == 0 ? k : train->carCount - 1 - k;  // both ways, so that no end lags behind
      const brinkVec3 gap = brinkMinus(train->nodes[i], train->nodes[i + 1]);
      const double distance = brinkNorm(gap);
      const brinkVec3 half = brinkTimes(0.5 * (length - distance) / distance, gap);
      train->nodes[i] = brinkPlus(train->nodes[i], half);
      train->nodes[i + 1] = brinkMinus(train->nodes[i + 1], half);
    }
  }
}

// What is left of the lengths' error goes to the rear: joints hold exactly.
static void makeExact(brinkTrain *train) {
  for (int i = 0; i < train->carCount; ++i)
    train->nodes[i + 1] = brinkMinus(train->nodes[i], brinkTimes(length, aheadOf(train, i)));
}

static void pushCar(brinkTrain *train, int car, double place, brinkVec3 by) {  // place: 0 at the front, 1 at the rear
  const double front = 1 - place, scale = 1 / (front * front + place * place);
  train->nodes[car] = brinkPlus(train->nodes[car], brinkTimes(scale * front, by));
  train->nodes[car + 1] = brinkPlus(train->nodes[car + 1], brinkTimes(scale * place, by));
}

// Height of the mountain's grid below a point and the unit normal there; the mesh is 121 x 121 vertices, 2 m apart.
static bool groundAt(const brinkCourse *course, double x, double y, double *height, brinkVec3 *normal) {
  enum { side = 121 };
  const double u = 0.5 * x + 60, v = 0.5 * y + 60;
  if (!(u >= 0) || !(v >= 0) || u >= side - 1 || v >= side - 1) return false;
  const int i = (int)u, j = (int)v;
  const double *z = course->terrain->vertices + 2, a = z[3 * (j * side + i)], b = z[3 * (j * side + i + 1)];
  const double c = z[3 * ((j + 1) * side + i + 1)], d = z[3 * ((j + 1) * side + i)], s = u - i, t = v - j;
  *height = (1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * d + s * c);
  const double slopeX = 0.5 * ((1 - t) * (b - a) + t * (c - d)), slopeY = 0.5 * ((1 - s) * (d - a) + s * (c - b));
  *normal = brinkDirection(brinkVector(-slopeX, -slopeY, 1));
  return true;
}

static void keepOffGround(const brinkCourse *course, brinkTrain *train, bool *touches) {
  for (int car = 0; car < train->carCount; ++car) {
    for (int sample = 0; sample < samplesPerCar; ++sample) {
      const double place = (sample + 0.25) / (samplesPerCar - 0.5);
      const brinkVec3 ahead = aheadOf(train, car), up = squareUp(train->cars[car].up, ahead, 0);
      const brinkVec3 at = brinkMinus(train->nodes[car], brinkTimes(place * length, ahead));
      brinkVec3 normal;
      double height;
      if (!groundAt(course, at.x, at.y, &height, &normal)) continue;
      const double depth = reachOf(ahead, up, brinkTimes(-1, normal)) + course->clearance - (at.z - height) * normal.z;
      if (depth <= 0) continue;
      pushCar(train, car, place, brinkTimes(depth, normal));
      touches[car] = true;
    }
  }
}

static double clamped(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// Closest places of two cars' axes (Ericson 2005, 5.1.9): rods have equal lengths and are never points.
static void closestPlaces(const brinkTrain *a, int i, const brinkTrain *b, int j, double *s, double *t) {
  const brinkVec3 d1 = brinkMinus(a->nodes[i + 1], a->nodes[i]), d2 = brinkMinus(b->nodes[j + 1], b->nodes[j]);
  const brinkVec3 r = brinkMinus(a->nodes[i], b->nodes[j]);
  const double l1 = brinkInner(d1, d1), l2 = brinkInner(d2, d2), cross = brinkInner(d1, d2);
  const double c = brinkInner(d1, r), f = brinkInner(d2, r), determinant = l1 * l2 - cross * cross;
  *s = determinant > 1e-9 * l1 * l2 ? clamped((cross * f - c * l2) / determinant) : 0.5;
  *t = (cross * *s + f) / l2;
  if (*t < 0 || *t > 1) {
    *t = clamped(*t);
    *s = clamped((cross * *t - c) / l1);
  }
}

static void keepCarsApart(const brinkCourse *course, brinkTrain *a, int i, brinkTrain *b, int j) {
  double s, t;
  closestPlaces(a, i, b, j, &s, &t);
  const brinkVec3 aheadA = aheadOf(a, i), aheadB = aheadOf(b, j);
  const brinkVec3 pointA = brinkMinus(a->nodes[i], brinkTimes(s * length, aheadA));
  const brinkVec3 pointB = brinkMinus(b->nodes[j], brinkTimes(t * length, aheadB));
  const brinkVec3 apart = brinkMinus(pointA, pointB);
  const double distance = brinkNorm(apart);
  if (distance > 8 || distance < 1e-3) return;
  const brinkVec3 normal = brinkTimes(1 / distance, apart);
  const double depth = reachOf(aheadA, squareUp(a->cars[i].up, aheadA, 0), brinkTimes(-1, normal)) +
                       reachOf(aheadB, squareUp(b->cars[j].up, aheadB, 0), normal) + course->clearance - distance;
  if (depth <= 0) return;
  pushCar(a, i, s, brinkTimes(0.5 * depth, normal));
  pushCar(b, j, t, brinkTimes(-0.5 * depth, normal));
}

static void keepTrainsApart(brinkCourse *course) {
  for (int x = 0; x < course->trainCount; ++x)
    for (int y = x; y < course->trainCount; ++y)
      for (int i = 0; i < course->trains[x].carCount; ++i)
        for (int j = x == y ? i + 2 : 0; j < course->trains[y].carCount; ++j)
          keepCarsApart(course, &course->trains[x], i, &course->trains[y], j);
}

// ---- frames

static void addPoses(const brinkTrain *train, int trainIndex, int frame, bool rolled, brinkPose *out) {
  for (int i = 0; i < train->carCount; ++i) {
    const brinkVec3 ahead = aheadOf(train, i);
    const brinkVec3 up = squareUp(train->cars[i].up, ahead, rolled ? rollOf(trainIndex, i, frame) : 0);
    out[i] = (brinkPose){train->nodes[i], brinkTurnFromAxes(ahead, brinkOuter(up, ahead), up)};
  }
}

static void fly(const brinkCourse *course, brinkTrain *train) {
  for (int i = 0; i <= train->carCount; ++i) {
    brinkVec3 *velocity = &train->velocities[i];
    *velocity = brinkMinus(*velocity, brinkTimes(course->step * course->pull, train->nodes[i]));
    velocity->z -= course->step * course->gravity;
    train->nodes[i] = brinkPlus(train->nodes[i], brinkTimes(course->step, *velocity));
  }
}

static void takeVelocities(const brinkCourse *course, brinkTrain *train, const brinkTrain *before,
                           const bool *touches) {
  for (int i = 0; i <= train->carCount; ++i) {
    const bool rubs = touches[i < train->carCount ? i : i - 1] || touches[i > 0 ? i - 1 : 0];
    train->velocities[i] =
        brinkTimes(course->keep * (rubs ? 0.97 : 1) / course->step, brinkMinus(train->nodes[i], before->nodes[i]));
  }
}

void brinkCourse_Advance(brinkCourse *course, brinkPose *start, brinkPose *end) {
  const brinkCourse before = *course;
  brinkPose *out = end;
  for (int x = 0; x < course->trainCount; ++x) {
    brinkTrain *train = &course->trains[x];
    addPoses(train, x, course->frame, false, start);
    fly(course, train);
    brinkTrain flown = *train;
    keepLengths(&flown);
    makeExact(&flown);
    addPoses(&flown, x, course->frame, true, out);
    start += train->carCount;
    out += train->carCount;
  }
  bool touches[BRINK_COURSE_MOST_TRAINS][BRINK_COURSE_MOST_CARS] = {{false}};
  for (int round = 0; round < contactRounds; ++round) {
    for (int x = 0; x < course->trainCount; ++x) keepLengths(&course->trains[x]);
    keepTrainsApart(course);
    for (int x = 0; x < course->trainCount && course->terrain != NULL; ++x)
      keepOffGround(course, &course->trains[x], touches[x]);
  }
  for (int x = 0; x < course->trainCount; ++x) {
    brinkTrain *train = &course->trains[x];
    keepLengths(train);
    makeExact(train);
    takeVelocities(course, train, &before.trains[x], touches[x]);
    for (int i = 0; i < train->carCount; ++i)
      train->cars[i].up = squareUp(train->cars[i].up, aheadOf(train, i), rollOf(x, i, course->frame));
  }
  ++course->frame;
}
