/* SPDX-License-Identifier: BSD-3-Clause */
/* How do words get into a picture? See text.h. A glyph is rasterised where it is needed: pictures have few words. */
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
#pragma GCC diagnostic pop

#include "font.h"

#ifndef BRINK_FONT
#define BRINK_FONT "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
#endif
#define FONT_LIMIT (16 << 20) /* bytes */

static struct {
  bool tried;
  uint8_t *bytes; /* NULL: the built-in dots */
  char path[1024];
  stbtt_fontinfo info;
  double capital; /* height of an H, font units */
} font;

static uint8_t *readFont(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  uint8_t *bytes = NULL;
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (size > 12 && size < FONT_LIMIT && fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)size)) != NULL &&
      fread(bytes, 1, (size_t)size, file) != (size_t)size) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

bool demoFont_Use(const char *path) {
  if (!path) {
    free(font.bytes);
    font.bytes = NULL;
    font.tried = true;
    return true;
  }
  uint8_t *bytes = strlen(path) < sizeof font.path ? readFont(path) : NULL;
  stbtt_fontinfo info;
  int offset = bytes ? stbtt_GetFontOffsetForIndex(bytes, 0) : -1, x0, y0, x1, y1 = 0;
  if (offset < 0 || !stbtt_InitFont(&info, bytes, offset) || !stbtt_GetCodepointBox(&info, 'H', &x0, &y0, &x1, &y1) ||
      y1 <= 0) {
    free(bytes);
    return false;
  }
  free(font.bytes);
  font.bytes = bytes;
  font.info = info;
  font.capital = y1;
  font.tried = true;
  snprintf(font.path, sizeof font.path, "%s", path);
  return true;
}

static bool haveFont(void) {
  if (!font.tried && !demoFont_Use(BRINK_FONT)) font.tried = true;
  return font.bytes != NULL;
}

const char *demoFont_Name(void) { return haveFont() ? font.path : NULL; }

static int letter(const char *text) {
  int code = (unsigned char)*text;
  return code < FONT_FIRST || code > FONT_LAST ? '?' : code;
}

/* Dots per pixel of the built-in font: its capitals are 7 dots high. */
static int dotScale(double height) { return height < 10.5 ? 1 : (int)(height / 7.0); }

/* Pixels to the start of the next letter. */
static double advance(double height, const char *text) {
  int width, bearing;
  stbtt_GetCodepointHMetrics(&font.info, letter(text), &width, &bearing);
  double units = width;
  if (text[1]) units += stbtt_GetCodepointKernAdvance(&font.info, letter(text), letter(text + 1));
  return units * height / font.capital;
}

double renderWriteWidth(double height, const char *text) {
  double width = 0.0;
  if (!haveFont()) return renderDotsWidth(dotScale(height), text);
  for (; *text; text++) width += advance(height, text);
  return width;
}

static void drawLetter(renderImage *image, double left, double base, double height, const uint8_t color[3], int code) {
  float scale = (float)(height / font.capital), shift = (float)(left - floor(left));
  int width, rows, x, y;
  unsigned char *cover =
      stbtt_GetCodepointBitmapSubpixel(&font.info, scale, scale, shift, 0.0f, code, &width, &rows, &x, &y);
  if (!cover) return; /* a blank */
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < width; column++)
      renderImage_Blend(image, (int)floor(left) + x + column, (int)floor(base + 0.5) + y + row, color,
                        cover[row * width + column] / 255.0);
  stbtt_FreeBitmap(cover, NULL);
}

void renderImage_Write(renderImage *image, double left, double top, double height, const uint8_t color[3],
                       const char *text) {
  if (!haveFont()) {
    renderImage_Dots(image, (int)left, (int)(top + 0.5 * (height - 7 * dotScale(height))), dotScale(height), color,
                     text);
    return;
  }
  for (; *text && left < image->width; left += advance(height, text), text++)
    drawLetter(image, left, top + height, height, color, letter(text));
}

/* The pictures' older measure: a capital is seven `scale`s high, and looks best a little larger in a real font. */
static double scaledHeight(int scale) { return haveFont() ? 5.0 + 4.6 * scale : 7.0 * scale; }

int renderTextWidth(int scale, const char *text) { return (int)ceil(renderWriteWidth(scaledHeight(scale), text)); }

void renderImage_Text(renderImage *image, int left, int top, int scale, const uint8_t color[3], const char *text) {
  double height = scaledHeight(scale);
  renderImage_Write(image, left, top + 0.5 * (7.0 * scale - height), height, color, text);
}
