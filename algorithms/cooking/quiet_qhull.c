/* SPDX-License-Identifier: BSD-3-Clause */
/* See quiet_qhull.h. */
#include "quiet_qhull.h"

#include <libqhull_r/qhull_ra.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

brinkStatus brinkRunQhull(brinkContext *context, double *points, size_t count, char *command, brinkReadQhull read,
                          void *user) {
  qhT *qh = brinkAllocateZeroed(context, 1, sizeof(qhT));
  char *complaint = NULL;
  size_t complaintSize = 0;
  FILE *silence = open_memstream(&complaint, &complaintSize); /* qhull prints to a FILE; never to the host's */
  brinkStatus status = brink_ok;
  if (qh == NULL || silence == NULL) {
    status = brinkFail(context, brink_errorNoMemory, "no memory for %zu points", count);
  } else if (count <= INT_MAX) {
    qh_zero(qh, silence);
    if (qh_new_qhull(qh, 3, (int)count, points, False, command, NULL, silence) == 0) status = read(user, qh, points);
    int longCount = 0, longSize = 0;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &longCount, &longSize);
  }
  if (silence != NULL) fclose(silence);
  free(complaint);
  brinkRelease(context, qh, sizeof(qhT));
  return status;
}
