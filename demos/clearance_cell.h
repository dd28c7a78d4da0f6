/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CLEARANCE_CELL_H
#define BRINK_CLEARANCE_CELL_H
/* A robot cell without ODE: a gripper carries a flanged bar through the window of a fixture while both turn. How close
 * do they come, when, and is the required clearance kept? Asks the extension brink/clearance.h. */

#include "exhibit.h"

#define DEMO_CLEARANCE_TITLE "A part passes through a turning fixture: how close, when, and proven"

/* Writes outDir/clearance/{clearance.png, clearance.html}, prints the figures. 0 the promise was kept, 1 not, 2 it
 * could not be run. */
extern const demoExhibitDef demoClearance;

#endif
