/* SPDX-License-Identifier: BSD-3-Clause */
/* See thickness.h. Units: m. */
#include "thickness.h"

#include <math.h>

#include "sink.h"

#define FLAT_MESH 1e-3 /* of the largest extent: a flat mesh counts as this thick; it is only kept at a distance */
#define THIN_RAY 1e-5  /* of its length: it stops nothing, so whatever touches it is met */
#define SHEET 1e-9     /* of the largest extent: rounding */

static void extentsOf(const double *vertices, size_t count, double extents[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    double lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
      lower = fmin(lower, vertices[3 * i + axis]);
      upper = fmax(upper, vertices[3 * i + axis]);
    }
    extents[axis] = upper - lower;
  }
}

bool brinkStepIsSheet(const double *vertices, size_t count) {
  double e[3];
  extentsOf(vertices, count, e);
  return fmin(fmin(e[0], e[1]), e[2]) <= SHEET * fmax(fmax(e[0], e[1]), e[2]);
}

double brinkStepSurfaceThickness(double least, double largest) { return fmax(least, FLAT_MESH * largest); }

static double meshThickness(const double *vertices, size_t count) {
  double e[3];
  extentsOf(vertices, count, e);
  return brinkStepSurfaceThickness(fmin(fmin(e[0], e[1]), e[2]), fmax(fmax(e[0], e[1]), e[2]));
}

static double widthAlong(const double *vertices, size_t count, const double direction[3]) {
  double lower = INFINITY, upper = -INFINITY;
  for (size_t i = 0; i < count; ++i) {
    const double *v = &vertices[3 * i];
    double height = v[0] * direction[0] + v[1] * direction[1] + v[2] * direction[2];
    lower = fmin(lower, height);
    upper = fmax(upper, height);
  }
  return upper - lower;
}

/* Smallest width of a convex body, estimated: along the axes and along the normals of vertex triples (a thin plate that
 * lies askew in its own frame is thin along a face normal). Triples are thinned out evenly above about a million tests.
 */
static double convexThickness(const double *vertices, size_t count) {
  double e[3];
  extentsOf(vertices, count, e);
  double best = fmin(fmin(e[0], e[1]), e[2]);
  size_t used = count < 40 ? count : 40;
  for (size_t i = 0; i < used; ++i) {
    for (size_t j = i + 1; j < used; ++j) {
      for (size_t k = j + 1; k < used; ++k) {
        const double *a = &vertices[3 * (i * count / used)];
        const double *b = &vertices[3 * (j * count / used)];
        const double *c = &vertices[3 * (k * count / used)];
        double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length > 0) {
          best = fmin(best, widthAlong(vertices, count, n) / length);
        }
      }
    }
  }
  return best;
}

/* Width of a set in 13 directions, the smallest of them. */
static double supportThickness(const brinkShapeDef *def) {
  double best = INFINITY;
  for (int code = 14; code < 27; ++code) { /* one of each opposite pair */
    double d[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1}, ends[2][3];
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int side = 0; side < 2; ++side) {
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = (side == 0 ? 1 : -1) * d[axis] / (side == 0 ? length : 1);
      }
      def->support(def->supportUser, d, ends[side]);
    }
    double width = 0;
    for (int axis = 0; axis < 3; ++axis) {
      width += d[axis] * (ends[1][axis] - ends[0][axis]);
    }
    best = fmin(best, width);
  }
  return best;
}

double brinkStepThickness(const brinkShapeDef *def) {
  switch (def->type) {
    case brink_sphere:
    case brink_capsule:
      return 2 * def->size.x;
    case brink_box:
      return 2 * fmin(fmin(def->size.x, def->size.y), def->size.z);
    case brink_cylinder:
      return 2 * fmin(def->size.x, def->size.z);
    case brink_ray:
      return THIN_RAY * sqrt(def->size.x * def->size.x + def->size.y * def->size.y + def->size.z * def->size.z);
    case brink_hull:
      return convexThickness(def->mesh.vertices, def->mesh.vertexCount);
    case brink_mesh:
      return meshThickness(def->mesh.vertices, def->mesh.vertexCount);
    case brink_support:
      return supportThickness(def);
    default:
      return BRINK_STEP_UNLIMITED;
  }
}
