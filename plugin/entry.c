/* SPDX-License-Identifier: BSD-3-Clause */
/* The one exported symbol: does this build speak the host's ABI, and what does it offer? The table is static and
 * constant; members are appended at its end only, abiMinor counts them (brink/ccd.h). */
#include "world.h"

const char *brinkStatusText(brinkStatus status) {
  static const char *const texts[] = {
      [brink_ok] = "ok",
      [brink_errorNullArgument] = "a pointer that must not be NULL is NULL",
      [brink_errorVersion] = "ABI version or struct size that this build does not speak",
      [brink_errorBadValue] = "value is NaN, infinite, or negative where it must not be",
      [brink_errorBadRotation] = "rotation is a zero quaternion or an improper matrix",
      [brink_errorBadTime] = "time interval is reversed or not finite",
      [brink_errorBadTree] = "links do not form a tree",
      [brink_errorBadIndex] = "mesh index is out of range",
      [brink_errorEmpty] = "nothing in it: no faces, no vertices or no links",
      [brink_errorNotClosed] = "a solid was asked of an open or non-manifold mesh",
      [brink_errorRange] = "size or magnitude is beyond what can be computed",
      [brink_errorStale] = "handle of an object that is gone or of another world",
      [brink_errorInUse] = "object is still referred to",
      [brink_errorBusy] = "the world is busy: called from inside one of its callbacks, or from a second thread",
      [brink_errorNoMemory] = "out of memory",
      [brink_errorParse] = "text or data does not read",
      [brink_errorTruncated] = "file or data is shorter than its own header says",
      [brink_errorIo] = "the operating system refused a file operation",
      [brink_errorInternal] = "a fault of Brink itself",
  };
  const size_t at = (size_t)status;
  return at < sizeof texts / sizeof texts[0] && texts[at] != NULL ? texts[at] : "unknown status";
}

static const brinkPlugin plugin = {
    .structSize = sizeof(brinkPlugin),
    .abiMajor = BRINK_ABI_MAJOR,
    .abiMinor = BRINK_ABI_MINOR,
    .version = "0.1.0",
    .statusText = brinkStatusText,
    .getExtension = brinkFindExtension,
    .createWorld = brinkWorld_Create,
    .destroyWorld = brinkWorld_Destroy,
    .lastError = brinkWorld_LastError,
    .createShape = brinkWorld_CreateShape,
    .destroyShape = brinkWorld_DestroyShape,
    .createBody = brinkWorld_CreateBody,
    .destroyBody = brinkWorld_DestroyBody,
    .setBodyMotion = brinkWorld_SetBodyMotion,
    .createJoint = brinkWorld_CreateJoint,
    .destroyJoint = brinkWorld_DestroyJoint,
    .createCollider = brinkWorld_CreateCollider,
    .destroyCollider = brinkWorld_DestroyCollider,
    .setColliderPose = brinkWorld_SetColliderPose,
    .setColliderFilter = brinkWorld_SetColliderFilter,
    .setPairFilter = brinkWorld_SetPairFilter,
    .ignorePair = brinkWorld_IgnorePair,
    .firstContact = brinkWorld_FirstContact,
    .bodyPose = brinkWorld_BodyPose,
    .nearPairs = brinkWorld_NearPairs,
    .collide = brinkWorld_Collide,
    .collideShapes = brinkWorld_CollideShapes,
    .distance = brinkWorld_Distance,
    .colliderAllowance = brinkWorld_ColliderAllowance,
    .sweptBounds = brinkWorld_SweptBounds,
    .firstContacts = brinkWorld_FirstContacts,
    .jointResidual = brinkWorld_JointResidual,
    .leaveOutOverlaps = brinkWorld_LeaveOutOverlaps,
};

const brinkPlugin *brinkEntry(uint32_t abiMajor, const char **reason) {
  if (abiMajor == BRINK_ABI_MAJOR) {
    if (reason != NULL) *reason = "";
    return &plugin;
  }
  if (reason != NULL) {
    *reason = abiMajor < BRINK_ABI_MAJOR ? "the host speaks an older ABI major than this build: rebuild the host"
                                         : "the host speaks a newer ABI major than this build: update Brink";
  }
  return NULL;
}
