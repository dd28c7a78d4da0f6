/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TYPES_H
#define BRINK_TYPES_H
/* What all headers of Brink share: vectors, poses, boxes, views of meshes, result states, statuses.
 * Units: SI (m, rad); step time t in [0,1]; quaternions (w,x,y,z), q and -q mean the same rotation.
 * Layouts are frozen (tests/plugin/test_abi_layout.c): new structs may be added, these never change. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brinkVec3 {
  double x, y, z;
} brinkVec3;

typedef struct brinkQuat {
  double w, x, y, z;
} brinkQuat;

/* x_parent = position + rotate(rotation, x_child) */
typedef struct brinkPose {
  brinkVec3 position; /* m */
  brinkQuat rotation; /* unit */
} brinkPose;

typedef struct brinkAabb {
  brinkVec3 lower, upper; /* m */
} brinkAabb;

enum {
  BRINK_MESH_SOLID = 1u << 0, /* closed: its triangles run along every edge as often one way as the other. Points whose
                              winding number is not 0 belong to the body; containment counts as overlap */
  BRINK_MESH_CONVEX = 1u << 1 /* the body is the convex hull of the vertices; triangles may be absent */
};

/* Triangles over points. A triangle with repeated indices is legal: (i,i,i) is a point, (i,j,j) a segment. */
typedef struct brinkMeshView {
  uint32_t structSize;    /* sizeof(brinkMeshView) */
  uint32_t flags;         /* BRINK_MESH_* */
  const double *vertices; /* [vertexCount][3], m; borrowed for the call */
  size_t vertexCount;
  const uint32_t *indices; /* [triangleCount][3], from 0; borrowed for the call */
  size_t triangleCount;
} brinkMeshView;

/* What the answer about a pair, or a frame, is worth. Nothing is ever `free` because an iteration ran out. */
typedef enum brinkPairState {
  brink_free = 0,      /* proven for the stated motion and threshold on the whole interval */
  brink_hit = 1,       /* first contact bracketed in [toi, toiUpper] */
  brink_overlap = 2,   /* touching or overlapping at the start of the interval */
  brink_unresolved = 3 /* could not be decided within the budget; toi is still a proven lower bound */
} brinkPairState;

typedef enum brinkStatus {
  brink_ok = 0,
  brink_errorNullArgument,
  brink_errorVersion,     /* ABI version or struct size that this build does not speak */
  brink_errorBadValue,    /* NaN, infinite, negative where a length is asked; an unknown kind or flag */
  brink_errorBadRotation, /* zero quaternion, improper matrix. */
  brink_errorBadTime,     /* reversed interval, or a time outside of the step. */
  brink_errorBadTree,     /* cycle, self-parent, missing parent: the message names the link */
  brink_errorBadIndex,    /* index of a vertex, link or joint out of range. */
  brink_errorEmpty,       /* no faces, no vertices, no links */
  brink_errorNotClosed,   /* a solid was asked of an open or non-manifold mesh */
  brink_errorRange,       /* sizes or magnitudes beyond what can be computed */
  brink_errorStale,       /* handle of an object that is gone, or of another world. */
  brink_errorInUse,       /* object is still referred to */
  brink_errorBusy,        /* called from inside a callback of the same world; or given up by a progress callback */
  brink_errorNoMemory,
  brink_errorParse,     /* text or blob that does not read; the message names the place */
  brink_errorTruncated, /* file or blob shorter than its own header says */
  brink_errorIo,        /* a file could not be read or written; the message carries errno's text */
  brink_errorInternal   /* a fault of Brink itself; state unchanged */
} brinkStatus;

#define BRINK_MAX_ORDER 5 /* highest order of a Taylor model */
#define BRINK_NO_TIME 2.0 /* a toi that is none: past every step, so `toi <= 1` tells the two apart */

#ifdef __cplusplus
}
#endif
#endif
