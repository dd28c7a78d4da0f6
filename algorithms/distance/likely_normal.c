/* SPDX-License-Identifier: BSD-3-Clause */
/* Normals of flat faces as separating directions. See likely_normal.h. */
#include "likely_normal.h"

static uint32_t normalsOf(const brinkPiece *piece, const brinkRigid *pose, brinkVec3 out[3]) {
  if (piece->kind == brink_pieceBox) {
    for (int k = 0; k < 3; ++k) out[k] = brinkV3(pose->r.m[0][k], pose->r.m[1][k], pose->r.m[2][k]);
    return 3;
  }
  if (piece->kind == brink_pieceCylinder) {
    out[0] = brinkV3(pose->r.m[0][2], pose->r.m[1][2], pose->r.m[2][2]);
    return 1;
  }
  if (piece->kind != brink_piecePoints || piece->count < 3u || piece->count > 4u) return 0;
  brinkVec3 corner = brinkV3_FromArray(piece->vertices);
  brinkVec3 normal = brinkCross(brinkSub(brinkV3_FromArray(piece->vertices + 3), corner),
                                brinkSub(brinkV3_FromArray(piece->vertices + 6), corner));
  double length = brinkLength(normal);
  if (!(length > 0)) return 0;
  out[0] = brinkMulMV(&pose->r, brinkScale(normal, 1 / length));
  return 1;
}

void brinkTakeLikelyGap(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                        double *gap, brinkVec3 *normal) {
  const brinkVec3 toward = *normal;
  for (int side = 0; side < 2; ++side) {
    brinkVec3 normals[3];
    for (uint32_t k = normalsOf(side == 0 ? a : b, side == 0 ? poseA : poseB, normals); k-- > 0;) {
      brinkVec3 n = brinkDot(normals[k], toward) < 0 ? brinkNeg(normals[k]) : normals[k];
      double along = brinkCertifyGap(a, poseA, b, poseB, n);
      if (along > *gap) {
        *gap = along;
        *normal = n;
      }
    }
  }
}
