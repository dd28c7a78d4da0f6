/* SPDX-License-Identifier: BSD-3-Clause */
/* The one exported symbol: does this build speak the host's ABI, and what does it offer? The table is static and
 * constant; members are appended at its end only, abiMinor counts them (brink/ccd.h). */
#include "world.h"

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
