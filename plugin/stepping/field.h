/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_FIELD_H
#define BRINK_STEP_FIELD_H
/* Which samples has a heightfield of which an engine tells only how high it is at any point? Their numbers along both
 * sides are found where nobody tells them.
 *
 * The field's own frame: x over the width, z over the depth, both from minus to plus half, y up; each cell is split
 * from (column + 1, row) to (column, row + 1). Brink's heightfield has z up and the other diagonal: with the rows
 * counted from +z down and the frame turned a quarter about x both agree.
 *
 * u, v: parts of width and depth, [0,1]. Units: m. Thread rule: functions of their arguments alone. */
#include <stddef.h>

#include "brink/ccd.h"

/* The field as the engine knows it. */
typedef struct brinkStepSurface {
  double (*heightAt)(void *user, double u, double v); /* NaN: the field has no point there */
  void *user;
  double width, depth; /* along x and z */
  double bottom;       /* how far down its ground reaches; infinite: for ever */
  double slack;        /* rounding of its heights */
} brinkStepSurface;

typedef struct brinkStepField {
  size_t columns, rows; /* along x and z */
  double width, depth;
  double bottom;   /* below every sample */
  double *heights; /* [rows][columns]; the caller frees */
} brinkStepField;

/* columns 0: the numbers are searched. brink_errorBadValue: they were not found, or these are not the field's;
 * brink_errorNoMemory. *out is filled by brink_ok alone. */
brinkStatus brinkStepFindField(const brinkStepSurface *of, size_t columns, size_t rows, brinkStepField *out);

/* From the lowest sample to the highest one, see thickness.h. */
double brinkStepFieldThickness(const brinkStepField *field);

/* The field as a shape of Brink's, whose rows it turns round, and where that lies in the field's frame. The definition
 * points into the field. */
brinkShapeDef brinkStepFieldDef(brinkStepField *field, brinkPose *place);

/* The i-th of spots that lie evenly spread over any field, however many of them are looked at: powers of the plastic
 * number (Roberts 2018, "R2"). */
void brinkStepSpot(int i, double *u, double *v);

#endif
