/* SPDX-License-Identifier: BSD-3-Clause */
/* Sines, quaternions and poses by plain IEEE operations: see kinematics.h. Sine and cosine by their Taylor series on
 * [-pi/4, pi/4], reduced by quarter turns in two parts (Cody and Waite 1980). */
#include "kinematics.h"

// Quarter turns taken off x: x = quarters * pi/2 + rest, |rest| <= pi/4.
static double reduced(double x, int *quarter) {
  static const double high = 1.57079632673412561417, low = 6.07710050650619224932e-11;  // pi/2: 33 bits, the rest
  const double quarters = floor(x / (0.5 * BRINK_PI) + 0.5);
  *quarter = (int)((int64_t)quarters & 3);
  return (x - quarters * high) - quarters * low;
}

static double sineSeries(double x) {
  double term = x, sum = x;
  for (int k = 1; k <= 9; ++k) {
    term *= -x * x / ((2 * k) * (2 * k + 1));
    sum += term;
  }
  return sum;
}

static double cosineSeries(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k <= 9; ++k) {
    term *= -x * x / ((2 * k - 1) * (2 * k));
    sum += term;
  }
  return sum;
}

double brinkPlainSine(double x) {
  int quarter;
  const double rest = reduced(x, &quarter), value = quarter % 2 == 0 ? sineSeries(rest) : cosineSeries(rest);
  return quarter < 2 ? value : -value;
}

double brinkPlainCosine(double x) {
  int quarter;
  const double rest = reduced(x, &quarter), value = quarter % 2 == 0 ? cosineSeries(rest) : sineSeries(rest);
  return quarter == 1 || quarter == 2 ? -value : value;
}

brinkQuat brinkTurnAbout(int axis, double angle) {
  const double c = brinkPlainCosine(0.5 * angle), s = brinkPlainSine(0.5 * angle);
  return (brinkQuat){c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0};
}

brinkQuat brinkTurnBoth(brinkQuat a, brinkQuat b) {
  const brinkQuat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  const double scale = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (brinkQuat){scale * q.w, scale * q.x, scale * q.y, scale * q.z};
}

brinkVec3 brinkTurned(brinkQuat q, brinkVec3 v) {
  const brinkVec3 u = {q.x, q.y, q.z}, twice = brinkTimes(2, brinkOuter(u, v));
  return brinkPlus(v, brinkPlus(brinkTimes(q.w, twice), brinkOuter(u, twice)));
}

// Shepperd 1978: divide by the largest of the four.
brinkQuat brinkTurnFromAxes(brinkVec3 x, brinkVec3 y, brinkVec3 z) {
  const double trace = x.x + y.y + z.z;
  brinkQuat q;
  if (trace > 0) {
    q = (brinkQuat){1 + trace, y.z - z.y, z.x - x.z, x.y - y.x};
  } else if (x.x >= y.y && x.x >= z.z) {
    q = (brinkQuat){y.z - z.y, 1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z};
  } else if (y.y >= z.z) {
    q = (brinkQuat){z.x - x.z, y.x + x.y, 1 + y.y - x.x - z.z, z.y + y.z};
  } else {
    q = (brinkQuat){x.y - y.x, z.x + x.z, z.y + y.z, 1 + z.z - x.x - y.y};
  }
  return brinkTurnBoth(q, (brinkQuat){1, 0, 0, 0});
}

brinkPose brinkPoseIn(brinkPose frame, brinkPose pose) {
  return (brinkPose){brinkPlus(frame.position, brinkTurned(frame.rotation, pose.position)),
                     brinkTurnBoth(frame.rotation, pose.rotation)};
}
