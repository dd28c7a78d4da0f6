/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of urdf.cpp in builds without liburdfdom. */
#include <stdio.h>

#include "brink/urdf.h"

int brinkHasUrdf(void) { return 0; }

brinkStatus brinkLoadUrdf(const char *path, const brinkUrdfOptions *options, brinkUrdf **out, char *message,
                          size_t messageCapacity) {
  (void)options, (void)out;
  if (message != NULL && messageCapacity > 0)
    snprintf(
        message, messageCapacity,
        "%s: this build reads no URDF: install liburdfdom-dev and g++, and build again (CMake option BRINK_BUILD_URDF)",
        path != NULL ? path : "(no path)");
  return brink_errorVersion;
}

void brinkFreeUrdf(brinkUrdf *urdf) { (void)urdf; }
