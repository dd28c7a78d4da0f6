/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CONTACT_SHEET_H
#define BRINK_CONTACT_SHEET_H
/* Two runs at a glance: stills of both, and a sheet with plain ODE's row above Brink's, the same moments in the same
 * columns. A scene at rest: the end of both runs, and a plot of how far they are apart. */
#include "recorder.h"

typedef struct contactSheet {
  const char *title, *verdict, *throughText;
  const char *plainText, *brinkText; /* the headline's two halves */
  int partCount;                     /* 0: a scene at rest */
  bool good;                         /* the promise was kept */
} contactSheet;

/* Writes contact_sheet.png and, unless the scene is at rest, still_plain_FRAME.png and still_brink_FRAME.png into
 * folder. */
bool contactSheet_Write(recording *plain, recording *brink, const contactSheet *sheet, const char *folder,
                        char *message, size_t messageCapacity);
/* One picture for people in a hurry: the end of both runs side by side under the headline. */
bool contactSheet_WritePicture(recording *plain, recording *brink, const contactSheet *sheet, const char *path,
                               char *message, size_t messageCapacity);

#endif
