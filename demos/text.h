/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TEXT_H
#define BRINK_TEXT_H
/* Words in pictures: DejaVu Sans of Debian's package fonts-dejavu-core, drawn by stb_truetype. Where the font is
 * missing a built-in font of dots takes its place, and demoFont_Name says so. ASCII only; anything else becomes '?'.
 * Thread rule: one thread per process; the font is read once, at the first use. */
#include "render.h"

#define DEMO_FONT_PACKAGE "fonts-dejavu-core"

/* Reads another font file from now on. NULL: the built-in dots. False: the file cannot be read or is no font; then the
 * font stays what it was. */
bool demoFont_Use(const char *path);
/* Path of the font in use; NULL: the built-in dots. */
const char *demoFont_Name(void);
/* height: of a capital letter, pixels. Clipped at the border. */
void renderImage_Write(renderImage *image, double left, double top, double height, const uint8_t color[3],
                       const char *text);
double renderWriteWidth(double height, const char *text);

#endif
