/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of single precision about boxes of double precision. See obb_tree.h for what they promise. */
#include "obb_tree.h"

/* Outward, for any rounding mode (u = 2^-23): float centre off by u |coordinate| each, 2u scale along any axis; float
 * axes off by u/sqrt 2 each, so coordinates along them, and coefficients in them, by 1.3u |half|; fitting in double
 * 1e-14 scale. 1e-6 = 8u covers each of the two about three times over. */
brinkObbBox brinkMakeObbBox(brinkVec3 center, const brinkMat3 *axes, brinkVec3 half, double scale, double doubt) {
  brinkObbBox box;
  double margin = 1e-6 * (scale + brinkLength(half)) + doubt;
  double c[3] = {center.x, center.y, center.z}, h[3] = {half.x, half.y, half.z}, square = 0;
  for (int k = 0; k < 3; ++k) {
    box.center[k] = (float)c[k];
    box.half[k] = brinkUpFloat(h[k] + margin);
    square += (double)box.half[k] * (double)box.half[k];
    for (int j = 0; j < 3; ++j) box.axes[k][j] = (float)axes->m[k][j];
  }
  box.radius = brinkUpFloat(sqrt(square) * (1 + 1e-9));
  box.child = BRINK_OBB_EMPTY;
  return box;
}
