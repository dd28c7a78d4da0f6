/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CERTIFICATE_CELL_H
#define BRINK_CERTIFICATE_CELL_H
/* A robot cell without ODE: a tool dips between the jaws of a vice on a rational motion of degree eight. Once it passes
 * and there is a certificate of no collision; once it is shifted by a little, touches, and the times without a proof
 * are listed. Asks the extension brink/tolerance.h. */

#include "exhibit.h"

#define DEMO_CERTIFICATE_TITLE \
  "A tool dips between the jaws of a vice: a proof that it never touches, for others to check"

/* Writes outDir/certificate/{certificate.png, certificate.html, passes.cert, touches.cert}, prints the figures. 0 the
 * promise was kept, 1 not, 2 it could not be run. */
extern const demoExhibitDef demoCertificate;

#endif
