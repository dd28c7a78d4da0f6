/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_RENDER_H
#define BRINK_RENDER_H
/* Pictures without a GPU, a window or a library: a z-buffer rasteriser for triangle meshes. Perspective camera, flat
 * shading by a sun with shadows, a soft second light and the sky, 2x2 supersampling, haze, dark outlines between items,
 * text. Same input, same PNG bytes. World frame right-handed, z up, metres; colours are sRGB in [0,1].
 * Thread rule: one renderer per thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "brink/assets.h"

typedef struct renderImage {
  int width, height;
  uint8_t *pixels; /* [height][width][3], owned; renderImage_Free */
} renderImage;

enum {
  RENDER_TERRAIN = 1, /* coloured by slope and height: grass, rock, snow */
  RENDER_GROUND = 2,  /* checkered in the world's xy plane, 1 m squares */
  RENDER_XRAY = 4     /* drawn red, and shines through whatever hides it */
};

typedef struct renderItem {
  const brinkMesh *mesh;
  double position[3]; /* m, world */
  double rotation[9]; /* row-major, mesh to world */
  float color[3];
  int style; /* RENDER_* */
} renderItem;

/* Where terrain is cut open: a curtain along points with growing x. All terrain with a smaller y than the curtain is
 * left out, and the curtain shows layers of earth down to base. */
typedef struct renderCut {
  const double (*points)[3]; /* [count], m, world: the curtain's upper edge */
  size_t count;
  double base, bedrock; /* m: lower edge; below bedrock the curtain is dark */
} renderCut;

typedef struct renderCamera {
  double eye[3], target[3]; /* m, world */
  double fieldOfView;       /* vertical, rad; 0 = 0.7 */
  double shadowRadius;      /* m around the target; 0 = the distance of eye and target */
  const renderCut *cut;     /* of items with RENDER_TERRAIN; NULL = whole */
} renderCamera;

typedef struct renderer renderer;

/* NULL when there is no memory. Pictures of width x height pixels. */
renderer *renderer_Create(int width, int height);
void renderer_Destroy(renderer *self); /* NULL is a no-op */
/* Draws into image, whose pixels are of the renderer's size (renderImage_Make). */
bool renderer_Draw(renderer *self, const renderCamera *camera, const renderItem *items, size_t itemCount,
                   renderImage *image);
/* Pixel of a world point under the camera of the last renderer_Draw; false when it is behind the eye. */
bool renderer_Project(const renderer *self, const double point[3], double pixel[2]);

/* Colour of RENDER_TERRAIN: normalZ of the unit normal, height in [0,1] over the terrain's own range. */
void renderTerrainColor(double normalZ, double height, float color[3]);

bool renderImage_Make(renderImage *image, int width, int height, const uint8_t color[3]);
void renderImage_Free(renderImage *image);
void renderImage_Paste(renderImage *target, int left, int top, const renderImage *source);
void renderImage_Rectangle(renderImage *image, int left, int top, int width, int height, const uint8_t color[3],
                           double opacity);
void renderImage_Ring(renderImage *image, double x, double y, double radius, double thickness, const uint8_t color[3]);
/* Lays a colour over one pixel; outside the picture nothing happens. */
void renderImage_Blend(renderImage *image, int x, int y, const uint8_t color[3], double opacity);
/* Built-in font: a glyph is 5x7 dots, advance 6 dots; scale = pixels per dot. ASCII, clipped at the border. */
void renderImage_Dots(renderImage *image, int left, int top, int scale, const uint8_t color[3], const char *text);
int renderDotsWidth(int scale, const char *text);
/* The same places in the font of text.h: scale 1, 2, 3 = capitals of about 10, 14, 19 pixels. */
void renderImage_Text(renderImage *image, int left, int top, int scale, const uint8_t color[3], const char *text);
int renderTextWidth(int scale, const char *text);
bool renderImage_WritePng(const renderImage *image, const char *path, char *message, size_t messageCapacity);

#endif
