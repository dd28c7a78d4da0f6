/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CONTACT_SHEET_H
#define BRINK_CONTACT_SHEET_H
/* Two runs at a glance: stills of both, and a sheet with plain ODE's row above Brink's, the same moments in the same
 * columns. */
#include "recorder.h"

typedef struct contactSheet {
  const char *title, *verdict, *throughText;
  bool good; /* the promise was kept */
} contactSheet;

/* Writes contact_sheet.png, still_plain_FRAME.png and still_brink_FRAME.png into folder. */
bool contactSheet_Write(const recording *plain, const recording *brink, const contactSheet *sheet, const char *folder,
                        char *message, size_t messageCapacity);

#endif
