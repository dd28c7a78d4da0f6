/* SPDX-License-Identifier: BSD-3-Clause */
/* How does a set of meshes look from here? A z-buffer rasteriser in plain C.
 * Based on: Pineda 1988 (edge functions; here solved per row for the covered span), Williams 1978 (shadow map).
 * Frames: camera x right, y up, z towards the scene; w = 1/z is affine in the picture, so it is what the buffer holds.
 * Units: m, pixels; samples are a 2x2 grid in each pixel. */
#include "render.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#include "font.h"

#define SAMPLES 2          /* per pixel and axis */
#define SHADOW_SIZE 2048   /* texels per side of the shadow map */
#define NEAR_PLANE 0.02    /* m; triangles are clipped here, so 1/z stays finite */
#define XRAY_OPACITY 0.85f /* of an x-ray item over what hides it */
#define CUT_SPLITS 4       /* a triangle on the cut is quartered so often: 2 m become 12 cm */
#define CUT_LAYER 6.0      /* m, of earth of one colour */
#define CUT_BANDS 24       /* layers at most */
#define SHADOW_BIAS 0.8    /* texels on a face towards the sun; less shows moire, more loosens shadows from feet */

typedef struct vector3 {
  double x, y, z;
} vector3;

/* Both halves of a triangle's colour: what it always shows, and what it shows in the sun. */
typedef struct shade {
  float ambient[3], sun[3];
  float shadowBias; /* texels: grows with the slope towards the sun */
  uint16_t item;
  uint16_t ground; /* checkered */
} shade;

struct renderer {
  int width, height;                 /* samples */
  float *depth, *xrayDepth;          /* 1/m, 0 = nothing */
  uint32_t *triangle, *xrayTriangle; /* index of shade, 0 = sky */
  float *shadow;                     /* [SHADOW_SIZE][SHADOW_SIZE], m towards the sun, -inf = nothing */
  shade *shades;
  size_t shadeCount, shadeCapacity;
  vector3 *points; /* camera frame, of one item */
  size_t pointCapacity;
  vector3 eye, right, up, forward;
  double scale; /* samples per unit of x/z */
  vector3 sun, sunRight, sunUp, shadowCentre;
  double texelsPerMetre;
};

static const float horizonColor[3] = {0.86f, 0.90f, 0.94f}, zenithColor[3] = {0.42f, 0.62f, 0.86f};
static const float xrayColor[3] = {1.0f, 0.13f, 0.10f};

static vector3 makeVector(const double v[3]) { return (vector3){v[0], v[1], v[2]}; }
static vector3 subtract(vector3 a, vector3 b) { return (vector3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(vector3 a, vector3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vector3 cross(vector3 a, vector3 b) {
  return (vector3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vector3 normalize(vector3 a) {
  double length = sqrt(dot(a, a));
  return length > 0.0 ? (vector3){a.x / length, a.y / length, a.z / length} : (vector3){0.0, 0.0, 1.0};
}

static vector3 toWorld(const renderItem *item, const double *v) {
  const double *r = item->rotation;
  return (vector3){r[0] * v[0] + r[1] * v[1] + r[2] * v[2] + item->position[0],
                   r[3] * v[0] + r[4] * v[1] + r[5] * v[2] + item->position[1],
                   r[6] * v[0] + r[7] * v[1] + r[8] * v[2] + item->position[2]};
}

renderer *renderer_Create(int width, int height) {
  if (width < 1 || height < 1 || width > 8192 || height > 8192) return NULL;
  renderer *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->width = width * SAMPLES;
  self->height = height * SAMPLES;
  size_t count = (size_t)self->width * (size_t)self->height;
  self->depth = malloc(count * sizeof *self->depth);
  self->xrayDepth = malloc(count * sizeof *self->xrayDepth);
  self->triangle = malloc(count * sizeof *self->triangle);
  self->xrayTriangle = malloc(count * sizeof *self->xrayTriangle);
  self->shadow = malloc(sizeof *self->shadow * SHADOW_SIZE * SHADOW_SIZE);
  if (self->depth && self->xrayDepth && self->triangle && self->xrayTriangle && self->shadow) return self;
  renderer_Destroy(self);
  return NULL;
}

void renderer_Destroy(renderer *self) {
  if (!self) return;
  free(self->depth);
  free(self->xrayDepth);
  free(self->triangle);
  free(self->xrayTriangle);
  free(self->shadow);
  free(self->shades);
  free(self->points);
  free(self);
}

static bool reserveShades(renderer *self, size_t count) {
  if (count <= self->shadeCapacity) return true;
  shade *grown = realloc(self->shades, count * sizeof *grown);
  if (!grown) return false;
  self->shades = grown;
  self->shadeCapacity = count;
  return true;
}

static bool reservePoints(renderer *self, size_t count) {
  if (count <= self->pointCapacity) return true;
  vector3 *grown = realloc(self->points, count * sizeof *grown);
  if (!grown) return false;
  self->points = grown;
  self->pointCapacity = count;
  return true;
}

static void aimCamera(renderer *self, const renderCamera *camera) {
  self->eye = makeVector(camera->eye);
  vector3 target = makeVector(camera->target), toTarget = subtract(target, self->eye);
  self->forward = normalize(toTarget);
  self->right = cross(self->forward, (vector3){0.0, 0.0, 1.0});
  if (dot(self->right, self->right) < 1e-12) self->right = (vector3){1.0, 0.0, 0.0}; /* looking straight down */
  self->right = normalize(self->right);
  self->up = cross(self->right, self->forward);
  double view = camera->fieldOfView > 0.0 ? camera->fieldOfView : 0.7;
  self->scale = 0.5 * self->height / tan(0.5 * view);

  self->sun = normalize((vector3){-0.45, -0.6, 1.1}); /* towards the sun */
  self->sunRight = normalize(cross((vector3){0.0, 0.0, 1.0}, self->sun));
  self->sunUp = cross(self->sun, self->sunRight);
  double radius = camera->shadowRadius > 0.0 ? camera->shadowRadius : sqrt(dot(toTarget, toTarget));
  self->shadowCentre = target;
  self->texelsPerMetre = 0.5 * SHADOW_SIZE / (radius > 1e-6 ? radius : 1.0);
}

/* Covered span of a row by one edge function a x + c >= 0 (c already holds the row's part). */
static void clipSpan(double a, double c, double *first, double *last) {
  if (a > 0.0) {
    double x = -c / a;
    if (x > *first) *first = x;
  } else if (a < 0.0) {
    double x = -c / a;
    if (x < *last) *last = x;
  } else if (c < 0.0) {
    *last = -1.0;
    *first = 1.0;
  }
}

/* A triangle in sample coordinates; z of each corner is affine in the picture and bigger is nearer. id may be unused.
 */
static void fillTriangle(const vector3 corners[3], int width, int height, float *depth, uint32_t *triangle,
                         uint32_t id) {
  double area = (corners[1].x - corners[0].x) * (corners[2].y - corners[0].y) -
                (corners[2].x - corners[0].x) * (corners[1].y - corners[0].y);
  if (!(fabs(area) > 1e-12)) return;
  double sign = area > 0.0 ? 1.0 : -1.0;
  double low = fmin(corners[0].y, fmin(corners[1].y, corners[2].y));
  double high = fmax(corners[0].y, fmax(corners[1].y, corners[2].y));
  double left = fmin(corners[0].x, fmin(corners[1].x, corners[2].x));
  double right = fmax(corners[0].x, fmax(corners[1].x, corners[2].x));
  if (high < 0.5 || low > height - 0.5 || right < 0.5 || left > width - 0.5) return;
  int firstRow = low <= 0.5 ? 0 : (int)ceil(low - 0.5),
      lastRow = high >= height - 0.5 ? height - 1 : (int)floor(high - 0.5);
  double a[3], b[3], c[3]; /* edge functions, >= 0 inside */
  for (int i = 0; i < 3; i++) {
    const vector3 *p = &corners[i], *q = &corners[(i + 1) % 3];
    a[i] = sign * (p->y - q->y);
    b[i] = sign * (q->x - p->x);
    c[i] = -(a[i] * p->x + b[i] * p->y);
  }
  double slopeX = ((corners[1].z - corners[0].z) * (corners[2].y - corners[0].y) -
                   (corners[2].z - corners[0].z) * (corners[1].y - corners[0].y)) /
                  area;
  double slopeY = ((corners[2].z - corners[0].z) * (corners[1].x - corners[0].x) -
                   (corners[1].z - corners[0].z) * (corners[2].x - corners[0].x)) /
                  area;
  for (int row = firstRow; row <= lastRow; row++) {
    double y = row + 0.5, first = 0.5, last = width - 0.5;
    for (int i = 0; i < 3; i++) clipSpan(a[i], b[i] * y + c[i], &first, &last);
    if (!(first <= last)) continue;
    int begin = (int)ceil(first - 0.5), end = (int)floor(last - 0.5);
    double start = corners[0].z + slopeX * (begin + 0.5 - corners[0].x) + slopeY * (y - corners[0].y);
    float *depthRow = depth + (size_t)row * (size_t)width;
    uint32_t *triangleRow = triangle ? triangle + (size_t)row * (size_t)width : NULL;
    for (int x = begin; x <= end; x++) {
      float z = (float)(start + slopeX * (x - begin));
      if (z <= depthRow[x]) continue;
      depthRow[x] = z;
      if (triangleRow) triangleRow[x] = id;
    }
  }
}

static vector3 toPicture(const renderer *self, vector3 p) {
  double w = 1.0 / p.z;
  return (vector3){0.5 * self->width + self->scale * p.x * w, 0.5 * self->height - self->scale * p.y * w, w};
}

/* Clips at the near plane (at most a quadrangle remains) and fills. */
static void drawTriangle(renderer *self, const vector3 *a, const vector3 *b, const vector3 *c, bool xray, uint32_t id) {
  const vector3 *in[3] = {a, b, c};
  vector3 kept[4], corners[3];
  int count = 0;
  for (int i = 0; i < 3; i++) {
    const vector3 *p = in[i], *q = in[(i + 1) % 3];
    if (p->z >= NEAR_PLANE) kept[count++] = *p;
    if ((p->z >= NEAR_PLANE) != (q->z >= NEAR_PLANE)) {
      double t = (NEAR_PLANE - p->z) / (q->z - p->z);
      kept[count++] = (vector3){p->x + t * (q->x - p->x), p->y + t * (q->y - p->y), NEAR_PLANE};
    }
  }
  for (int i = 2; i < count; i++) {
    corners[0] = toPicture(self, kept[0]);
    corners[1] = toPicture(self, kept[i - 1]);
    corners[2] = toPicture(self, kept[i]);
    fillTriangle(corners, self->width, self->height, xray ? self->xrayDepth : self->depth,
                 xray ? self->xrayTriangle : self->triangle, id);
  }
}

static float mix(float a, float b, double t) { return (float)((double)a + ((double)b - (double)a) * t); }
static double smoothStep(double from, double to, double x) {
  double t = (x - from) / (to - from);
  t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
  return t * t * (3.0 - 2.0 * t);
}

void renderTerrainColor(double normalZ, double height, float color[3]) {
  static const float grass[3] = {0.44f, 0.55f, 0.34f}, rock[3] = {0.55f, 0.51f, 0.47f}, snow[3] = {0.95f, 0.96f, 0.98f};
  double steep = smoothStep(0.90, 0.72, normalZ),
         cold = smoothStep(0.55, 0.75, height) * smoothStep(0.55, 0.8, normalZ);
  for (int k = 0; k < 3; k++) color[k] = mix(mix(grass[k], rock[k], steep), snow[k], cold);
}

static void baseColor(const renderItem *item, vector3 normal, double height, float color[3]) {
  memcpy(color, item->color, 3 * sizeof *color);
  if (item->style & RENDER_TERRAIN) renderTerrainColor(fabs(normal.z), height, color);
  if (item->style & RENDER_XRAY) memcpy(color, xrayColor, 3 * sizeof *color);
}

/* The two-part colour of a triangle; seen from either side. `height` in [0,1] over the item's own range. */
static shade makeShade(const renderer *self, const renderItem *item, uint16_t index, vector3 normal, double height) {
  static const vector3 fillLight = {0.76, 0.41, 0.50}; /* unit to 1 %: the soft second light, from the other side */
  shade out = {.item = index, .ground = (uint16_t)((item->style & RENDER_GROUND) != 0)};
  float color[3];
  baseColor(item, normal, height, color);
  double towards = fmax(0.12, fabs(dot(normal, self->sun)));
  out.shadowBias = (float)(SHADOW_BIAS + 1.2 * sqrt(1.0 - fmin(1.0, towards * towards)) / towards);
  double sun = fmax(0.0, dot(normal, self->sun)), sky = 0.5 + 0.5 * normal.z, fill = 0.5 + 0.5 * dot(normal, fillLight);
  for (int k = 0; k < 3; k++) {
    out.ambient[k] = (float)((double)color[k] * (0.24 + 0.24 * sky + 0.14 * fill * fill));
    out.sun[k] = (float)((double)color[k] * 0.58 * sun);
  }
  return out;
}

/* The curtain's y at x; before its first and beyond its last point as there. */
static double cutAt(const renderCut *cut, double x) {
  const double(*p)[3] = cut->points;
  if (x <= p[0][0]) return p[0][1];
  for (size_t i = 1; i < cut->count; i++)
    if (x <= p[i][0]) return p[i - 1][1] + (p[i][1] - p[i - 1][1]) * (x - p[i - 1][0]) / (p[i][0] - p[i - 1][0]);
  return p[cut->count - 1][1];
}

static bool isCutAway(const renderCut *cut, vector3 p) { return p.y < cutAt(cut, p.x); }

static vector3 middle(vector3 a, vector3 b) {
  return (vector3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

static vector3 toCamera(const renderer *self, vector3 world) {
  vector3 p = subtract(world, self->eye);
  return (vector3){dot(p, self->right), dot(p, self->up), dot(p, self->forward)};
}

/* The part of a terrain triangle behind the curtain; world frame. */
static void drawCutTriangle(renderer *self, const renderCut *cut, vector3 a, vector3 b, vector3 c, int splits,
                            uint32_t id) {
  int away = isCutAway(cut, a) + isCutAway(cut, b) + isCutAway(cut, c);
  if (away == 3) return;
  if (away > 0 && splits > 0) {
    vector3 ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    drawCutTriangle(self, cut, a, ab, ca, splits - 1, id);
    drawCutTriangle(self, cut, ab, b, bc, splits - 1, id);
    drawCutTriangle(self, cut, ca, bc, c, splits - 1, id);
    drawCutTriangle(self, cut, ab, bc, ca, splits - 1, id);
    return;
  }
  vector3 p = toCamera(self, a), q = toCamera(self, b), r = toCamera(self, c);
  if (away < 2) drawTriangle(self, &p, &q, &r, false, id);
}

/* The part of a polygon with sign * z <= sign * level. Returns how many corners, at most one more than before. */
static int clipLevel(const vector3 *in, int count, double sign, double level, vector3 *out) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    vector3 p = in[i], q = in[(i + 1) % count];
    double before = sign * (p.z - level), after = sign * (q.z - level);
    if (before <= 0.0) out[kept++] = p;
    if ((before < 0.0 && after > 0.0) || (before > 0.0 && after < 0.0)) {
      double t = before / (before - after);
      out[kept++] = (vector3){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), level};
    }
  }
  return kept;
}

/* Layers of earth from the curtain's upper edge down to its base. */
static void drawCurtain(renderer *self, const renderCut *cut, uint16_t index) {
  static const float earth[3][3] = {{0.47f, 0.36f, 0.26f}, {0.55f, 0.43f, 0.31f}, {0.50f, 0.40f, 0.31f}},
                     rock[3] = {0.25f, 0.25f, 0.27f};
  for (size_t i = 0; i + 1 < cut->count; i++)
    for (int band = -1; band < CUT_BANDS; band++) {
      const double *p = cut->points[i], *q = cut->points[i + 1];
      double low = band < 0 ? cut->base : cut->bedrock + CUT_LAYER * band;
      vector3 whole[4] = {{p[0], p[1], cut->base}, {q[0], q[1], cut->base}, {q[0], q[1], q[2]}, {p[0], p[1], p[2]}};
      vector3 above[6], part[8];
      int count = clipLevel(whole, 4, -1.0, low, above);
      count = clipLevel(above, count, 1.0, band < 0 ? cut->bedrock : low + CUT_LAYER, part);
      if (count < 3) continue;
      shade flat = {.item = index};
      const float *color = band < 0 ? rock : earth[band % 3];
      for (int k = 0; k < 3; k++) flat.ambient[k] = 0.92f * color[k];
      uint32_t id = (uint32_t)self->shadeCount;
      self->shades[self->shadeCount++] = flat;
      for (int k = 0; k < count; k++) part[k] = toCamera(self, part[k]);
      for (int k = 2; k < count; k++) drawTriangle(self, &part[0], &part[k - 1], &part[k], false, id);
    }
}

static void heightRange(const brinkMesh *mesh, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < mesh->vertexCount; i++) {
    *low = fmin(*low, mesh->vertices[3 * i + 2]);
    *high = fmax(*high, mesh->vertices[3 * i + 2]);
  }
  if (!(*high > *low)) *high = *low + 1.0;
}

static void drawItem(renderer *self, const renderItem *item, const renderCut *cut, uint16_t index) {
  const brinkMesh *mesh = item->mesh;
  double low = 0.0, high = 1.0;
  if (item->style & RENDER_TERRAIN) heightRange(mesh, &low, &high);
  if (!(item->style & RENDER_TERRAIN)) cut = NULL;
  for (size_t i = 0; i < mesh->vertexCount; i++)
    self->points[i] = toCamera(self, toWorld(item, mesh->vertices + 3 * i));
  for (size_t t = 0; t < mesh->triangleCount; t++) {
    const uint32_t *corner = mesh->indices + 3 * t;
    const vector3 *a = &self->points[corner[0]], *b = &self->points[corner[1]], *c = &self->points[corner[2]];
    if (a->z < NEAR_PLANE && b->z < NEAR_PLANE && c->z < NEAR_PLANE) continue;
    vector3 n = normalize(cross(subtract(*b, *a), subtract(*c, *a)));
    if (dot(n, *a) > 0.0) n = (vector3){-n.x, -n.y, -n.z}; /* towards the eye */
    vector3 normal = {n.x * self->right.x + n.y * self->up.x + n.z * self->forward.x,
                      n.x * self->right.y + n.y * self->up.y + n.z * self->forward.y,
                      n.x * self->right.z + n.y * self->up.z + n.z * self->forward.z};
    double height = (mesh->vertices[3 * corner[0] + 2] - low) / (high - low);
    uint32_t id = (uint32_t)self->shadeCount;
    self->shades[self->shadeCount++] = makeShade(self, item, index, normal, height);
    if (cut)
      drawCutTriangle(self, cut, toWorld(item, mesh->vertices + 3 * corner[0]),
                      toWorld(item, mesh->vertices + 3 * corner[1]), toWorld(item, mesh->vertices + 3 * corner[2]),
                      CUT_SPLITS, id);
    else
      drawTriangle(self, a, b, c, false, id);
    if (item->style & RENDER_XRAY) drawTriangle(self, a, b, c, true, id);
  }
}

static vector3 toShadow(const renderer *self, vector3 p) {
  vector3 d = subtract(p, self->shadowCentre);
  return (vector3){0.5 * SHADOW_SIZE + self->texelsPerMetre * dot(d, self->sunRight),
                   0.5 * SHADOW_SIZE + self->texelsPerMetre * dot(d, self->sunUp), dot(d, self->sun)};
}

static void drawShadowMap(renderer *self, const renderItem *items, size_t itemCount, const renderCut *cut) {
  for (size_t i = 0; i < (size_t)SHADOW_SIZE * SHADOW_SIZE; i++) self->shadow[i] = -INFINITY;
  for (size_t i = 0; i < itemCount; i++) {
    const brinkMesh *mesh = items[i].mesh;
    if (items[i].style & RENDER_GROUND) continue; /* casts on nothing */
    for (size_t v = 0; v < mesh->vertexCount; v++)
      self->points[v] = toShadow(self, toWorld(&items[i], mesh->vertices + 3 * v));
    for (size_t t = 0; t < mesh->triangleCount; t++) {
      const uint32_t *corner = mesh->indices + 3 * t;
      if (cut && (items[i].style & RENDER_TERRAIN) &&
          isCutAway(cut, toWorld(&items[i], mesh->vertices + 3 * corner[0])))
        continue;
      vector3 corners[3] = {self->points[corner[0]], self->points[corner[1]], self->points[corner[2]]};
      fillTriangle(corners, SHADOW_SIZE, SHADOW_SIZE, self->shadow, NULL, 0);
    }
  }
}

/* 1 in the sun, 0 in shadow; bilinear between four texels so that edges do not crawl. */
static float sunlight(const renderer *self, vector3 p, float bias) {
  vector3 s = toShadow(self, p);
  double x = s.x - 0.5, y = s.y - 0.5;
  if (!(x >= 0.0 && y >= 0.0 && x < SHADOW_SIZE - 1 && y < SHADOW_SIZE - 1)) return 1.0f;
  int column = (int)x, row = (int)y;
  float fx = (float)(x - column), fy = (float)(y - row), z = (float)(s.z + (double)bias / self->texelsPerMetre);
  const float *texel = self->shadow + (size_t)row * SHADOW_SIZE + (size_t)column;
  float a = z >= texel[0] ? 1.0f : 0.0f, b = z >= texel[1] ? 1.0f : 0.0f;
  float c = z >= texel[SHADOW_SIZE] ? 1.0f : 0.0f, d = z >= texel[SHADOW_SIZE + 1] ? 1.0f : 0.0f;
  return (a * (1.0f - fx) + b * fx) * (1.0f - fy) + (c * (1.0f - fx) + d * fx) * fy;
}

/* A dark line where a neighbour belongs to another item: the shapes read at a glance. */
static bool isOutline(const renderer *self, int x, int y, size_t index, uint16_t item) {
  uint32_t beside = x + 1 < self->width ? self->triangle[index + 1] : self->triangle[index];
  uint32_t below = y + 1 < self->height ? self->triangle[index + (size_t)self->width] : self->triangle[index];
  return self->shades[beside].item != item || self->shades[below].item != item;
}

/* Surface colour of a sample, lit and in haze. */
static void surfaceColor(const renderer *self, const shade *surface, int x, int y, double w, double hazePerMetre,
                         bool outline, const float sky[3], float color[3]) {
  double z = 1.0 / w, cameraX = (x + 0.5 - 0.5 * self->width) / self->scale * z;
  double cameraY = (0.5 * self->height - y - 0.5) / self->scale * z;
  vector3 p = {self->eye.x + cameraX * self->right.x + cameraY * self->up.x + z * self->forward.x,
               self->eye.y + cameraX * self->right.y + cameraY * self->up.y + z * self->forward.y,
               self->eye.z + cameraX * self->right.z + cameraY * self->up.z + z * self->forward.z};
  float lit = sunlight(self, p, surface->shadowBias), dark = outline ? 0.55f : 1.0f;
  if (surface->ground && (((long)floor(p.x) + (long)floor(p.y)) & 1)) dark *= 0.93f;
  float haze = (float)(1.0 / (1.0 + z * hazePerMetre * z * hazePerMetre));
  for (int k = 0; k < 3; k++) {
    float c = (surface->ambient[k] + lit * surface->sun[k]) * dark;
    color[k] = sky[k] + (c - sky[k]) * haze;
  }
}

static void sampleColor(const renderer *self, int x, int y, double hazePerMetre, const float sky[3], float color[3]) {
  size_t index = (size_t)y * (size_t)self->width + (size_t)x;
  uint32_t id = self->triangle[index], ghost = self->xrayTriangle[index];
  const shade *surface = &self->shades[id];
  if (id == 0)
    memcpy(color, sky, 3 * sizeof *color);
  else
    surfaceColor(self, surface, x, y, (double)self->depth[index], hazePerMetre,
                 isOutline(self, x, y, index, surface->item), sky, color);
  if (ghost == 0 || ghost == id) return;
  const shade *hidden = &self->shades[ghost];
  for (int k = 0; k < 3; k++) {
    float c = hidden->ambient[k] + 0.7f * hidden->sun[k];
    color[k] += (c - color[k]) * XRAY_OPACITY;
  }
}

static uint8_t toByte(float value) {
  float scaled = value * 255.0f + 0.5f;
  return scaled <= 0.0f ? 0 : scaled >= 255.0f ? 255 : (uint8_t)scaled;
}

static void resolve(const renderer *self, double hazePerMetre, renderImage *image) {
  for (int row = 0; row < image->height; row++) {
    float sky[3];
    for (int k = 0; k < 3; k++)
      sky[k] = mix(zenithColor[k], horizonColor[k], smoothStep(0.0, 0.75, (double)row / image->height));
    uint8_t *out = image->pixels + (size_t)row * (size_t)image->width * 3;
    for (int column = 0; column < image->width; column++) {
      float sum[3] = {0.0f, 0.0f, 0.0f};
      for (int s = 0; s < SAMPLES * SAMPLES; s++) {
        float color[3];
        sampleColor(self, column * SAMPLES + s % SAMPLES, row * SAMPLES + s / SAMPLES, hazePerMetre, sky, color);
        for (int k = 0; k < 3; k++) sum[k] += color[k];
      }
      for (int k = 0; k < 3; k++) *out++ = toByte(sum[k] / (SAMPLES * SAMPLES));
    }
  }
}

bool renderer_Draw(renderer *self, const renderCamera *camera, const renderItem *items, size_t itemCount,
                   renderImage *image) {
  if (image->width * SAMPLES != self->width || image->height * SAMPLES != self->height || itemCount + 1 >= UINT16_MAX)
    return false;
  size_t triangleCount = 1, pointCount = 0;
  for (size_t i = 0; i < itemCount; i++) {
    triangleCount += items[i].mesh->triangleCount;
    if (items[i].mesh->vertexCount > pointCount) pointCount = items[i].mesh->vertexCount;
  }
  const renderCut *cut = camera->cut && camera->cut->count > 1 ? camera->cut : NULL;
  if (cut) triangleCount += cut->count * (CUT_BANDS + 1);
  if (!reserveShades(self, triangleCount) || !reservePoints(self, pointCount)) return false;
  size_t count = (size_t)self->width * (size_t)self->height;
  memset(self->depth, 0, count * sizeof *self->depth);
  memset(self->xrayDepth, 0, count * sizeof *self->xrayDepth);
  memset(self->triangle, 0, count * sizeof *self->triangle);
  memset(self->xrayTriangle, 0, count * sizeof *self->xrayTriangle);
  self->shades[0] = (shade){.item = UINT16_MAX}; /* sky */
  self->shadeCount = 1;
  aimCamera(self, camera);
  drawShadowMap(self, items, itemCount, cut);
  for (size_t i = 0; i < itemCount; i++) drawItem(self, &items[i], cut, (uint16_t)i);
  if (cut) drawCurtain(self, cut, (uint16_t)itemCount);
  vector3 toTarget = subtract(makeVector(camera->target), self->eye);
  resolve(self, 0.12 / (sqrt(dot(toTarget, toTarget)) + 1e-9), image);
  return true;
}

bool renderer_Project(const renderer *self, const double point[3], double pixel[2]) {
  vector3 p = subtract(makeVector(point), self->eye);
  vector3 camera = {dot(p, self->right), dot(p, self->up), dot(p, self->forward)};
  if (camera.z < NEAR_PLANE) return false;
  vector3 sample = toPicture(self, camera);
  pixel[0] = sample.x / SAMPLES;
  pixel[1] = sample.y / SAMPLES;
  return true;
}

/* ---- images */

bool renderImage_Make(renderImage *image, int width, int height, const uint8_t color[3]) {
  *image = (renderImage){.width = width, .height = height};
  if (width < 1 || height < 1 || width > 16384 || height > 16384) return false;
  size_t count = (size_t)width * (size_t)height;
  image->pixels = malloc(count * 3);
  if (!image->pixels) return false;
  for (size_t i = 0; i < count; i++) memcpy(image->pixels + 3 * i, color, 3);
  return true;
}

void renderImage_Free(renderImage *image) {
  free(image->pixels);
  *image = (renderImage){0};
}

void renderImage_Blend(renderImage *image, int x, int y, const uint8_t color[3], double opacity) {
  if (x < 0 || y < 0 || x >= image->width || y >= image->height) return;
  uint8_t *p = image->pixels + ((size_t)y * (size_t)image->width + (size_t)x) * 3;
  for (int k = 0; k < 3; k++) p[k] = (uint8_t)(p[k] + (color[k] - p[k]) * opacity + 0.5);
}

void renderImage_Paste(renderImage *target, int left, int top, const renderImage *source) {
  for (int y = 0; y < source->height; y++) {
    if (top + y < 0 || top + y >= target->height) continue;
    for (int x = 0; x < source->width; x++) {
      if (left + x < 0 || left + x >= target->width) continue;
      memcpy(target->pixels + ((size_t)(top + y) * (size_t)target->width + (size_t)(left + x)) * 3,
             source->pixels + ((size_t)y * (size_t)source->width + (size_t)x) * 3, 3);
    }
  }
}

void renderImage_Rectangle(renderImage *image, int left, int top, int width, int height, const uint8_t color[3],
                           double opacity) {
  for (int y = top; y < top + height; y++)
    for (int x = left; x < left + width; x++) renderImage_Blend(image, x, y, color, opacity);
}

void renderImage_Ring(renderImage *image, double x, double y, double radius, double thickness, const uint8_t color[3]) {
  double reach = radius + thickness + 1.0;
  if (!(fabs(x) < 1e6 && fabs(y) < 1e6)) return;
  for (int row = (int)floor(y - reach); row <= (int)ceil(y + reach); row++) {
    for (int column = (int)floor(x - reach); column <= (int)ceil(x + reach); column++) {
      double distance = fabs(hypot(column + 0.5 - x, row + 0.5 - y) - radius);
      double cover = 0.5 * thickness + 0.5 - distance; /* one pixel of soft edge */
      if (cover > 0.0) renderImage_Blend(image, column, row, color, cover < 1.0 ? cover : 1.0);
    }
  }
}

int renderDotsWidth(int scale, const char *text) {
  size_t length = strlen(text);
  return length == 0 ? 0 : (int)(length * 6 - 1) * scale;
}

void renderImage_Dots(renderImage *image, int left, int top, int scale, const uint8_t color[3], const char *text) {
  for (; *text; text++, left += 6 * scale) {
    int code = (unsigned char)*text;
    if (code < FONT_FIRST || code > FONT_LAST) code = '?';
    const uint8_t *rows = fontGlyphs[code - FONT_FIRST];
    for (int dot = 0; dot < 35; dot++)
      if (rows[dot / 5] >> (4 - dot % 5) & 1)
        renderImage_Rectangle(image, left + dot % 5 * scale, top + dot / 5 * scale, scale, scale, color, 1.0);
  }
}

typedef struct pngSink {
  FILE *file;
  bool failed;
} pngSink;

static void writeChunk(void *context, void *data, int size) {
  pngSink *sink = context;
  if (fwrite(data, 1, (size_t)size, sink->file) != (size_t)size) sink->failed = true;
}

bool renderImage_WritePng(const renderImage *image, const char *path, char *message, size_t messageCapacity) {
  pngSink sink = {.file = fopen(path, "wb")};
  if (!sink.file) {
    snprintf(message, messageCapacity, "cannot write picture %s: %s", path, strerror(errno));
    return false;
  }
  int written =
      stbi_write_png_to_func(writeChunk, &sink, image->width, image->height, 3, image->pixels, image->width * 3);
  bool closed = fclose(sink.file) == 0;
  if (written && closed && !sink.failed) return true;
  snprintf(message, messageCapacity, "picture %s could not be written whole; is the disk full?", path);
  return false;
}
