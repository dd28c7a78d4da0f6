/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_SHAPE_SUPPORT_H
#define BRINK_TESTS_SHAPE_SUPPORT_H
/* Shapes made in counted memory, and what is left when they are freed: nothing. */
#include "mesh_support.h"

#include "make_shape.h"

static inline brinkShape *makeShape(testMemory *memory, const brinkShapeSpec *spec) {
  brinkContext context = testMemory_Context(memory);
  brinkShape *shape;
  brinkStatus status = brinkCreateShape(&context, spec, &shape);
  if (status != brink_ok) fail_msg("%d: %s", status, context.message);
  return shape;
}

static inline void freeShape(testMemory *memory, brinkShape *shape) {
  brinkContext context = testMemory_Context(memory);
  brinkDestroyShape(&context, shape);
  assert_int_equal(memory->bytes, 0);
}

#endif
