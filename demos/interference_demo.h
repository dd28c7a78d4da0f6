/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_DEMO_INTERFERENCE_H
#define BRINK_DEMO_INTERFERENCE_H
/* The demo `interference`: a picture and a self-contained page about all contacts of a deforming body, proven, and
 * where they are. */

#include "exhibit.h"

#define DEMO_INTERFERENCE_TITLE "A deforming cylinder meets two posts: when, and with which parts?"

/* Writes outDir/interference/interference.png and .html, prints a summary on standard output, trouble on standard
 * error. Returns 0 when everything is proven and written, 1 when an answer is not what the picture says, 2 otherwise.
 */
extern const demoExhibitDef demoInterference;

#endif
