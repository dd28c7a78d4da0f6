/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ODE_BOX_H
#define ODE_BOX_H
/* A box about the origin as ODE's trimesh and convex geoms want it. x, y, z: half of its edges, m. */
#include <ode/ode.h>

/* double [8][3]: corners; dReal [24] and [24]: outward planes and corners of a convex. */
#define BOX_CORNERS(x, y, z)                                                                                           \
  {                                                                                                                    \
    {-(x), -(y), -(z)}, {x, -(y), -(z)}, {-(x), y, -(z)}, {x, y, -(z)}, {-(x), -(y), z}, {x, -(y), z}, {-(x), y, z}, { \
      x, y, z                                                                                                          \
    }                                                                                                                  \
  }
#define BOX_POINTS(x, y, z) \
  { -(x), -(y), -(z), x, -(y), -(z), -(x), y, -(z), x, y, -(z), -(x), -(y), z, x, -(y), z, -(x), y, z, x, y, z }
#define BOX_PLANES(x, y, z) \
  { 1, 0, 0, x, -1, 0, 0, x, 0, 1, 0, y, 0, -1, 0, y, 0, 0, 1, z, 0, 0, -1, z }

/* Outward triangles and polygons of these corners. */
static const dTriIndex cubeTriangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const unsigned cubePolygons[30] = {4, 1, 3, 7, 5, 4, 0, 4, 6, 2, 4, 2, 6, 7, 3,
                                          4, 0, 1, 5, 4, 4, 4, 5, 7, 6, 4, 0, 2, 3, 1};

/* A trimesh of eight such corners; they are read as long as it lives. */
static inline dTriMeshDataID makeBoxData(const double corners[8][3]) {
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, corners, sizeof(corners[0]), 8, cubeTriangles, 36, sizeof(cubeTriangles[0]));
  return data;
}

#endif
