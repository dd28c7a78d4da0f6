/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars, rods, rings and plates: closed surfaces that the paper's machines and its construction site are made of. Faces
 * are counterclockwise seen from outside; only + - * / and sqrt, as in builder.h. Lengths in m. */
#include <stdlib.h>

#include "builder.h"
#include "kinematics.h"

void brinkBuilder_PlaceAt(brinkBuilder *builder, brinkPose pose) {
  const brinkVec3 columns[3] = {brinkTurned(pose.rotation, brinkVector(1, 0, 0)),
                                brinkTurned(pose.rotation, brinkVector(0, 1, 0)),
                                brinkTurned(pose.rotation, brinkVector(0, 0, 1))};
  const double position[3] = {pose.position.x, pose.position.y, pose.position.z};
  for (int column = 0; column < 3; ++column) {
    builder->rows[0][column] = columns[column].x;
    builder->rows[1][column] = columns[column].y;
    builder->rows[2][column] = columns[column].z;
  }
  for (int row = 0; row < 3; ++row) builder->rows[row][3] = position[row];
}

// Right-handed directions (across, up) about a line that runs along `ahead`.
static void sidesOf(brinkVec3 ahead, brinkVec3 *across, brinkVec3 *up) {
  const bool steep = ahead.z * ahead.z > 0.999 * brinkInner(ahead, ahead);
  const brinkVec3 reference = steep ? brinkVector(1, 0, 0) : brinkVector(0, 0, 1);
  *across = brinkDirection(brinkOuter(reference, ahead));
  *up = brinkDirection(brinkOuter(ahead, *across));
}

static uint32_t addPoint(brinkBuilder *builder, brinkVec3 point) {
  return brinkBuilder_AddVertex(builder, point.x, point.y, point.z);
}

void brinkBuilder_AddBar(brinkBuilder *builder, brinkVec3 a, brinkVec3 b, double sideways, double upright) {
  brinkVec3 across, up;
  sidesOf(brinkMinus(b, a), &across, &up);
  uint32_t v[8];
  for (int i = 0; i < 8; ++i) {  // bit 0 along, bit 1 across, bit 2 up
    const brinkVec3 side = brinkPlus(brinkTimes(i & 2 ? 0.5 * sideways : -0.5 * sideways, across),
                                     brinkTimes(i & 4 ? 0.5 * upright : -0.5 * upright, up));
    v[i] = addPoint(builder, brinkPlus(i & 1 ? b : a, side));
  }
  brinkBuilder_AddQuad(builder, v[0], v[2], v[3], v[1]);
  brinkBuilder_AddQuad(builder, v[4], v[5], v[7], v[6]);
  brinkBuilder_AddQuad(builder, v[0], v[1], v[5], v[4]);
  brinkBuilder_AddQuad(builder, v[2], v[6], v[7], v[3]);
  brinkBuilder_AddQuad(builder, v[0], v[4], v[6], v[2]);
  brinkBuilder_AddQuad(builder, v[1], v[3], v[7], v[5]);
}

void brinkBuilder_AddRod(brinkBuilder *builder, brinkVec3 a, brinkVec3 b, double radius, size_t segmentCount) {
  enum { most = 64 };
  brinkVec3 rings[2 * most], across, up;
  if (segmentCount > most) segmentCount = most;
  sidesOf(brinkMinus(b, a), &across, &up);
  for (size_t k = 0; k < segmentCount; ++k) {
    double c, s;
    brinkCircle(k, segmentCount, &c, &s);
    const brinkVec3 side = brinkPlus(brinkTimes(radius * c, across), brinkTimes(radius * s, up));
    rings[k] = brinkPlus(a, side);
    rings[segmentCount + k] = brinkPlus(b, side);
  }
  brinkBuilder_AddTube(builder, rings, 2, segmentCount, a, b);
}

brinkVec3 brinkTurnOutline(int axis, brinkVec3 origin, const double outline[2], size_t step, size_t count) {
  double c, s, local[3];
  brinkCircle(step, count, &c, &s);
  local[axis] = outline[0];
  local[(axis + 1) % 3] = outline[1] * c;
  local[(axis + 2) % 3] = outline[1] * s;
  return (brinkVec3){origin.x + local[0], origin.y + local[1], origin.z + local[2]};
}

void brinkBuilder_AddRing(brinkBuilder *builder, int axis, brinkVec3 origin, const double (*outline)[2], size_t count,
                          size_t segmentCount) {
  const uint32_t first = (uint32_t)builder->mesh.vertexCount, segments = (uint32_t)segmentCount,
                 rings = (uint32_t)count;
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < segmentCount; ++k) {
      brinkVec3 p = brinkTurnOutline(axis, origin, outline[i], k, segmentCount);
      brinkBuilder_AddVertex(builder, p.x, p.y, p.z);
    }
  }
  for (uint32_t i = 0; i < rings; ++i) {
    const uint32_t here = first + segments * i, there = first + segments * ((i + 1) % rings);
    for (uint32_t k = 0; k < segments; ++k) {
      const uint32_t next = (k + 1) % segments;
      brinkBuilder_AddQuad(builder, there + k, there + next, here + next, here + k);
    }
  }
}

void brinkBuilder_AddPlate(brinkBuilder *builder, const double (*outline)[2], size_t count, const double middle[2],
                           double y0, double y1) {
  const uint32_t first = (uint32_t)builder->mesh.vertexCount, corners = (uint32_t)count;
  for (int end = 0; end < 2; ++end)
    for (size_t i = 0; i < count; ++i)
      brinkBuilder_AddVertex(builder, outline[i][0], end == 0 ? y0 : y1, outline[i][1]);
  const uint32_t near = brinkBuilder_AddVertex(builder, middle[0], y0, middle[1]);
  const uint32_t far = brinkBuilder_AddVertex(builder, middle[0], y1, middle[1]);
  for (uint32_t i = 0; i < corners; ++i) {
    const uint32_t next = (i + 1) % corners;
    brinkBuilder_AddTriangle(builder, near, first + i, first + next);
    brinkBuilder_AddTriangle(builder, far, first + corners + next, first + corners + i);
    brinkBuilder_AddQuad(builder, first + next, first + i, first + corners + i, first + corners + next);
  }
}
