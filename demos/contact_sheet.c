/* SPDX-License-Identifier: BSD-3-Clause */
/* Which moments tell the story, and how are they put on one page? Columns: the start, the first impact, plain ODE's
 * worst moment soon after it and its worst moment later, the end. Units: pixels. */
#include "contact_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 5
#define TILE_WIDTH 480
#define TILE_HEIGHT 320
#define GAP 12
#define HEADER 92
#define CAPTION 34
#define STILL_WIDTH 1280
#define STILL_HEIGHT 720
#define RECENT 10     /* samples: impacts this young are ringed */
#define RING_LIMIT 48 /* rings in a picture */

static const uint8_t paper[3] = {246, 246, 243}, ink[3] = {28, 32, 40}, red[3] = {196, 24, 24},
                     green[3] = {18, 112, 48};
static const uint8_t yellow[3] = {255, 208, 0}, black[3] = {0, 0, 0}, white[3] = {255, 255, 255};

/* The sample in [first, last] where plain ODE is worst: most parts through, deepest among equals. */
static int worstSample(const recording *plain, int first, int last) {
  int worst = first;
  for (int s = first + 1; s <= last; s++) {
    int more = recording_Through(plain, s) - recording_Through(plain, worst);
    if (more > 0 || (more == 0 && recording_Depth(plain, s) > recording_Depth(plain, worst))) worst = s;
  }
  return worst;
}

static void chooseSamples(const recording *plain, const recording *brink, int samples[COLUMNS]) {
  int last = recording_Frames(brink) - 1, first = recording_FirstImpact(brink);
  if (first < 1 || first + 4 > last) first = last / 8;
  int early = first + (last - first) / 12, middle = first + (last - first) / 3;
  samples[0] = 0;
  samples[1] = first;
  samples[2] = worstSample(plain, first + 1, early > first ? early : first + 1);
  samples[3] = worstSample(plain, early + 1, middle > early ? middle : early + 1);
  samples[4] = last;
  for (int i = 1; i < COLUMNS; i++) {
    if (samples[i] > last) samples[i] = last;
    if (samples[i] < samples[i - 1]) samples[i] = samples[i - 1];
  }
}

static void drawImpacts(const renderer *artist, const recording *run, int sample, double size, renderImage *image) {
  double points[RING_LIMIT][3], pixel[2];
  size_t count = recording_Impacts(run, sample - RECENT, sample, points, RING_LIMIT);
  for (size_t i = 0; i < count; i++) {
    if (!renderer_Project(artist, points[i], pixel)) continue;
    renderImage_Ring(image, pixel[0], pixel[1], size, 0.5 * size, black);
    renderImage_Ring(image, pixel[0], pixel[1], size, 0.3 * size, yellow);
  }
}

/* Both runs are seen with the camera of the run with Brink: what moved is then the scene, not the eye. */
static bool drawSample(renderer *artist, const recording *run, const recording *cameraOf, int sample, double ringSize,
                       renderImage *image) {
  size_t count = recording_VisualCount(run);
  renderItem *items = malloc((count + 1) * sizeof *items);
  if (!items) return false;
  renderCamera camera;
  recording_Items(run, sample, items);
  recording_Camera(cameraOf, sample, &camera);
  bool good = renderer_Draw(artist, &camera, items, count, image);
  free(items);
  if (good) drawImpacts(artist, run, sample, ringSize, image);
  return good;
}

static void label(renderImage *image, int left, int top, int scale, const uint8_t color[3], const char *text) {
  renderImage_Rectangle(image, left, top, renderTextWidth(scale, text) + 6 * scale, 13 * scale, white, 0.85);
  renderImage_Text(image, left + 3 * scale, top + 3 * scale, scale, color, text);
}

static bool writeStills(const recording *const runs[2], double step, const int samples[COLUMNS],
                        const contactSheet *sheet, const char *folder, char *message, size_t messageCapacity) {
  static const char *const names[2] = {"plain", "brink"}, *const titles[2] = {"plain ODE", "ODE with Brink"};
  renderer *artist = renderer_Create(STILL_WIDTH, STILL_HEIGHT);
  renderImage image;
  bool good = renderImage_Make(&image, STILL_WIDTH, STILL_HEIGHT, paper) && artist;
  if (!good) snprintf(message, messageCapacity, "no memory for stills in %s", folder);
  for (int i = 0; good && i < 2 * COLUMNS; i++) {
    int run = i % 2, sample = samples[i / 2], through = recording_Through(runs[run], sample);
    char path[1200], text[200];
    if (!drawSample(artist, runs[run], runs[1], sample, 11.0, &image)) {
      snprintf(message, messageCapacity, "no memory for stills in %s", folder);
      good = false;
      break;
    }
    snprintf(text, sizeof text, "%s   t = %.2f s", titles[run], sample * step);
    label(&image, 20, 20, 3, ink, text);
    snprintf(text, sizeof text, "%d %s", through, sheet->throughText);
    label(&image, 20, 64, 3, through ? red : green, text);
    snprintf(path, sizeof path, "%s/still_%s_%04d.png", folder, names[run], sample);
    good = renderImage_WritePng(&image, path, message, messageCapacity);
  }
  renderer_Destroy(artist);
  renderImage_Free(&image);
  return good;
}

/* Breaks text at blanks into lines of at most `width` pixels. */
static void writeLines(renderImage *image, int left, int top, int width, int scale, const uint8_t color[3],
                       const char *text) {
  size_t limit = (size_t)(width / (6 * scale)), length = strlen(text);
  char line[512];
  if (limit >= sizeof line) limit = sizeof line - 1;
  for (size_t begin = 0; begin < length;) {
    size_t end = begin + limit < length ? begin + limit : length;
    while (end < length && end > begin && text[end] != ' ') end--;
    if (end == begin) end = begin + limit < length ? begin + limit : length; /* one very long word */
    memcpy(line, text + begin, end - begin);
    line[end - begin] = '\0';
    renderImage_Text(image, left, top, scale, color, line);
    top += 10 * scale;
    begin = end;
    while (begin < length && text[begin] == ' ') begin++;
  }
}

bool contactSheet_Write(const recording *plain, const recording *brink, const contactSheet *sheet, const char *folder,
                        char *message, size_t messageCapacity) {
  static const char *const titles[2] = {"plain ODE", "ODE with Brink"};
  const recording *runs[2] = {plain, brink};
  int samples[COLUMNS], width = COLUMNS * (TILE_WIDTH + GAP) + GAP, height = HEADER + 2 * (TILE_HEIGHT + CAPTION + GAP);
  chooseSamples(plain, brink, samples);
  renderer *artist = renderer_Create(TILE_WIDTH, TILE_HEIGHT);
  renderImage page, tile;
  bool good = renderImage_Make(&page, width, height, paper);
  good = renderImage_Make(&tile, TILE_WIDTH, TILE_HEIGHT, paper) && good && artist;
  if (!good) snprintf(message, messageCapacity, "no memory for the contact sheet in %s", folder);
  if (good) {
    renderImage_Text(&page, GAP, GAP, 4, ink, sheet->title);
    writeLines(&page, GAP, GAP + 38, width - 2 * GAP, 2, sheet->good ? green : red, sheet->verdict);
  }
  for (int i = 0; good && i < 2 * COLUMNS; i++) {
    int row = i / COLUMNS, column = i % COLUMNS, sample = samples[column],
        through = recording_Through(runs[row], sample);
    int left = GAP + column * (TILE_WIDTH + GAP), top = HEADER + row * (TILE_HEIGHT + CAPTION + GAP);
    char text[200];
    good = drawSample(artist, runs[row], brink, sample, 7.0, &tile);
    if (!good) {
      snprintf(message, messageCapacity, "no memory for the contact sheet in %s", folder);
      break;
    }
    if (column == 0) label(&tile, 8, 8, 3, ink, titles[row]);
    renderImage_Paste(&page, left, top, &tile);
    snprintf(text, sizeof text, "%.2f s: %d %s", sample * recording_Step(brink), through, sheet->throughText);
    renderImage_Text(&page, left + 2, top + TILE_HEIGHT + 9, 2, through ? red : green, text);
  }
  char path[1200];
  snprintf(path, sizeof path, "%s/contact_sheet.png", folder);
  good = good && renderImage_WritePng(&page, path, message, messageCapacity);
  renderer_Destroy(artist);
  renderImage_Free(&page);
  renderImage_Free(&tile);
  return good && writeStills(runs, recording_Step(brink), samples, sheet, folder, message, messageCapacity);
}
