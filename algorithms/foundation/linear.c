/* SPDX-License-Identifier: BSD-3-Clause */
/* The two rotations that are too long to be inline.
 *
 * Based on: quaternion of a matrix by its largest component (Shepperd 1978); Rodrigues' formula with the half angle for
 * 1 - cos. Units: rad. */
#include "linear.h"

brinkQuat brinkQuat_FromMat3(const brinkMat3 *r) {
  const double(*m)[3] = r->m;
  double trace = m[0][0] + m[1][1] + m[2][2];
  brinkQuat q;
  /* Divide by the largest of the four components: never by less than 1/2 of a unit quaternion. */
  if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2])
    q = (brinkQuat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
    q = (brinkQuat){m[2][1] - m[1][2], 1 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]};
  else if (m[1][1] >= m[2][2])
    q = (brinkQuat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1]};
  else
    q = (brinkQuat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + m[2][2] - m[0][0] - m[1][1]};
  brinkNormalizeQuat(&q);
  if (q.w < 0) q = (brinkQuat){-q.w, -q.x, -q.y, -q.z};
  return q;
}

brinkMat3 brinkExp3(brinkVec3 w) {
  double largest = fmax(fabs(w.x), fmax(fabs(w.y), fabs(w.z)));
  if (!(largest > 0.0)) return brinkIdentity3();
  brinkVec3 scaled = brinkScale(w, 1.0 / largest);
  if (!brinkFiniteV3(scaled)) scaled = brinkV3(w.x / largest, w.y / largest, w.z / largest);
  double scaledLength = brinkLength(scaled);
  double angle = largest * scaledLength;
  brinkVec3 a = brinkScale(scaled, 1.0 / scaledLength);
  double s = sin(angle), half = sin(0.5 * angle), v = 2 * half * half; /* v = 1 - cos without cancellation */
  return (brinkMat3){{{1 - v * (a.y * a.y + a.z * a.z), v * a.x * a.y - s * a.z, v * a.x * a.z + s * a.y},
                      {v * a.x * a.y + s * a.z, 1 - v * (a.x * a.x + a.z * a.z), v * a.y * a.z - s * a.x},
                      {v * a.x * a.z - s * a.y, v * a.y * a.z + s * a.x, 1 - v * (a.x * a.x + a.y * a.y)}}};
}
