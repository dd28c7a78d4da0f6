/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_URDF_H
#define BRINK_URDF_H
/* Robots from files: URDF and SRDF as a plain description, and from that a robot of brink/robot.h in a world.
 * Reading needs liburdfdom (CMake option BRINK_BUILD_URDF); without it brinkLoadUrdf says so. Units: m, rad.
 * Thread rule: [any] for reading different files; [world] for what is made in a world. */
#include "brink/assets.h"
#include "brink/ccd.h"
#include "brink/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BRINK_URDF_HULLS = 1u << 0,         /* meshes become their convex hulls (faster; holds no less than the mesh) */
  BRINK_URDF_COLLADA_UP = 1u << 1,    /* turn Y_UP and X_UP Collada files to z up. Off: their numbers as they stand, as
                                         the tools of ROS read them; units are applied in either case */
  BRINK_URDF_VIRTUAL_JOINT = 1u << 2, /* the SRDF's virtual joint becomes a joint above the root, on a link "world" */
  BRINK_URDF_NO_MESHES = 1u << 3      /* meshes are left out, and told */
};

typedef struct brinkUrdfOptions { /* NULL, or all 0 but structSize: defaults */
  uint32_t structSize;
  uint32_t flags;              /* BRINK_URDF_* */
  const char *srdfPath;        /* NULL: none */
  const char *const *packages; /* [packageCount]: "NAME=FOLDER" for package://NAME/..., or "FOLDER": package://X is
                                  looked for as FOLDER/X and as FOLDER/X without its first folders. The URDF's own
                                  folder and those above it are tried last */
  size_t packageCount;
} brinkUrdfOptions;

typedef enum brinkUrdfShapeKind {
  brink_urdfSphere = 1, /* size.x radius */
  brink_urdfBox,        /* size full lengths */
  brink_urdfCylinder,   /* size.x radius, size.z full length; axis z */
  brink_urdfMesh        /* meshes[mesh], scaled */
} brinkUrdfShapeKind;

typedef struct brinkUrdfShape {
  uint32_t link, kind, mesh;
  brinkPose pose; /* in the link's frame */
  brinkVec3 size;
} brinkUrdfShape;

typedef struct brinkUrdfMesh {
  const char *path; /* of the file that was read */
  brinkVec3 scale;  /* applied already */
  brinkMesh mesh;
} brinkUrdfMesh;

typedef struct brinkUrdf { /* read-only; free with brinkFreeUrdf */
  const char *name, *path;
  const brinkRobotLinkDef *links;
  const brinkRobotJointDef *joints;
  const brinkUrdfShape *shapes;
  const brinkUrdfMesh *meshes;
  const brinkRobotLinkPair *allowed; /* the SRDF's disable_collisions */
  const char *const *notes;          /* one line for each thing that was skipped or taken otherwise than written */
  size_t linkCount, jointCount, shapeCount, meshCount, allowedCount, noteCount;
  uint32_t flags; /* BRINK_URDF_HULLS, as asked */
} brinkUrdf;

/* Reads a URDF. Errors name file, line and element; *out is untouched then. brink_errorVersion: this build has no
 * liburdfdom. */
brinkStatus brinkLoadUrdf(const char *path, const brinkUrdfOptions *options, brinkUrdf **out, char *message,
                          size_t messageCapacity);
void brinkFreeUrdf(brinkUrdf *urdf); /* NULL is a no-op */
int brinkHasUrdf(void);              /* 1: brinkLoadUrdf can read */

/* Makes the robot and its shapes in the world. All or nothing. base NULL: identity. The shapes stay the world's, and go
 * with it. */
brinkStatus brinkMakeRobot(brinkWorld *world, const brinkUrdf *urdf, const brinkPose *base, brinkRobot **out,
                           char *message, size_t messageCapacity);

/* The shapes alone: shapes[shapeCount], those of one mesh being one. All or nothing; they go with the world. */
brinkStatus brinkMakeRobotShapes(brinkWorld *world, const brinkUrdf *urdf, brinkShapeId *shapes, char *message,
                                 size_t messageCapacity);

/* Pairs of links to allow, found by trying `samples` random configurations within the limits (continuous joints one
 * turn, others without limits left at 0). Allowed are those that touch in every one, and, with never != 0, those that
 * touch in none. Links that a joint joins are not told: they are never tested. pairs: free with free(). */
brinkStatus brinkFindAllowedPairs(brinkRobot *robot, size_t samples, uint64_t seed, int never,
                                  brinkRobotLinkPair **pairs, size_t *count, char *message, size_t messageCapacity);

#ifdef __cplusplus
}
#endif
#endif
