/* SPDX-License-Identifier: BSD-3-Clause */
/* See object_pairs.h. */
#include "object_pairs.h"

#include <stdlib.h>

#define SLICES 32 /* of the time: boxes of each */

void brinkObjectPairs_Free(brinkContext *context, brinkObjectPairs *pairs) {
  brinkRelease(context, pairs->items, pairs->capacity * sizeof *pairs->items);
  memset(pairs, 0, sizeof *pairs);
}

typedef struct sliceBox {
  double low[3], high[3];
  uint32_t object;
} sliceBox;

/* The box of the object's own box over [l, u], no break inside. */
static void addCell(const brinkMovingObject *object, double l, double u, sliceBox *out) {
  const brinkRelativeMotion motion = {NULL, object->motion};
  brinkMotionCell cell;
  brinkRelativeMotion_Cell(&motion, l, u, &cell);
  for (int i = 0; i < 3; ++i) {
    double slack = cell.curve[4 * i + 3] + cell.error[4 * i + 3], size = 0.0;
    double ends[2][2]; /* of at[e]: least and greatest */
    for (int e = 0; e < 2; ++e) {
      ends[e][0] = ends[e][1] = cell.at[e][4 * i + 3];
      size = fmax(size, fabs(ends[e][0]));
      for (int j = 0; j < 3; ++j) {
        const double m = cell.at[e][4 * i + j], x = m * object->low[j], y = m * object->high[j];
        ends[e][0] += fmin(x, y);
        ends[e][1] += fmax(x, y);
        size += fmax(fabs(x), fabs(y));
      }
    }
    for (int j = 0; j < 3; ++j)
      slack += (cell.curve[4 * i + j] + cell.error[4 * i + j]) * fmax(fabs(object->low[j]), fabs(object->high[j]));
    slack = slack * (1.0 + 16.0 * DBL_EPSILON) + 16.0 * DBL_EPSILON * size + DBL_MIN;
    if (isnan(slack)) slack = HUGE_VAL; /* 0 times what is not known */
    out->low[i] = fmin(out->low[i], fmin(ends[0][0], ends[1][0]) - slack);
    out->high[i] = fmax(out->high[i], fmax(ends[0][1], ends[1][1]) + slack);
  }
}

static void makeBox(const brinkMovingObject *object, uint32_t index, double l, double u, sliceBox *out) {
  const brinkRelativeMotion motion = {NULL, object->motion};
  *out = (sliceBox){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, index};
  for (double from = l; from < u;) {
    const double to = fmin(u, brinkRelativeMotion_NextBreak(&motion, from));
    addCell(object, from, to, out);
    from = to;
  }
}

static int compareBoxes(const void *left, const void *right) {
  const sliceBox *a = left, *b = right;
  if (a->low[0] != b->low[0]) return a->low[0] < b->low[0] ? -1 : 1;
  return a->object < b->object ? -1 : a->object > b->object;
}

static int comparePairs(const void *left, const void *right) {
  const brinkObjectPair *a = left, *b = right;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  return a->from < b->from ? -1 : a->from > b->from;
}

static bool mayMeet(const brinkMovingObject *objects, const sliceBox *a, const sliceBox *b) {
  const uint32_t group = objects[a->object].group;
  for (int k = 1; k < 3; ++k)
    if (a->high[k] < b->low[k] || b->high[k] < a->low[k]) return false;
  return group == 0u || group != objects[b->object].group;
}

static brinkStatus sweepSlice(brinkContext *context, const brinkMovingObject *objects, sliceBox *boxes, size_t count,
                              double l, double u, brinkObjectPairs *out) {
  for (size_t i = 0; i < count; ++i) makeBox(&objects[i], (uint32_t)i, l, u, &boxes[i]);
  qsort(boxes, count, sizeof *boxes, compareBoxes);
  brinkStatus status = brink_ok;
  for (size_t i = 0; i < count; ++i)
    for (size_t k = i + 1; k < count && boxes[k].low[0] <= boxes[i].high[0] && status == brink_ok; ++k) {
      if (!mayMeet(objects, &boxes[i], &boxes[k])) continue;
      status = brinkReserve(context, (void **)&out->items, &out->capacity, out->count + 1, sizeof *out->items);
      const uint32_t a = boxes[i].object, b = boxes[k].object;
      if (status == brink_ok) out->items[out->count++] = (brinkObjectPair){BRINK_MIN(a, b), BRINK_MAX(a, b), l, u};
    }
  return status;
}

static int compareGroups(const void *left, const void *right) {
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* All pairs less those within a group. */
static double countAll(const brinkMovingObject *objects, size_t count, uint32_t *groups) {
  for (size_t i = 0; i < count; ++i) groups[i] = objects[i].group;
  qsort(groups, count, sizeof *groups, compareGroups);
  double all = 0.5 * (double)count * ((double)count - 1.0);
  for (size_t i = 0, run = 0; i < count; ++i) {
    run = i > 0 && groups[i] == groups[i - 1] ? run + 1 : 0;
    if (groups[i] != 0u) all -= (double)run;
  }
  return all;
}

static void mergeSlices(brinkObjectPairs *pairs) {
  if (pairs->count > 0) qsort(pairs->items, pairs->count, sizeof *pairs->items, comparePairs);
  size_t kept = 0;
  for (size_t i = 0; i < pairs->count; ++i) {
    const brinkObjectPair *next = &pairs->items[i];
    if (kept > 0 && pairs->items[kept - 1].a == next->a && pairs->items[kept - 1].b == next->b)
      pairs->items[kept - 1].to = next->to;
    else
      pairs->items[kept++] = *next;
  }
  pairs->count = kept;
}

brinkStatus brinkFindObjectPairs(brinkContext *context, const brinkMovingObject *objects, size_t count, double tStart,
                                 double tEnd, brinkObjectPairs *out) {
  out->count = 0;
  out->all = 0.0;
  if (count < 2) return brink_ok;
  const size_t size = count * sizeof(sliceBox), groupSize = count * sizeof(uint32_t);
  sliceBox *boxes = brinkAllocate(context, size);
  uint32_t *groups = brinkAllocate(context, groupSize);
  brinkStatus status = boxes != NULL && groups != NULL
                           ? brink_ok
                           : brinkFail(context, brink_errorNoMemory, "no memory for %zu objects", count);
  if (status == brink_ok) out->all = countAll(objects, count, groups);
  double l = tStart;
  for (int k = 1; k <= SLICES && status == brink_ok; ++k) {
    const double u = k == SLICES ? tEnd : tStart + (tEnd - tStart) * k / SLICES;
    if (!(l < u)) continue;
    status = sweepSlice(context, objects, boxes, count, l, u, out);
    l = u;
  }
  if (status == brink_ok) mergeSlices(out);
  brinkRelease(context, boxes, size);
  brinkRelease(context, groups, groupSize);
  return status;
}
