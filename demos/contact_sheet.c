/* SPDX-License-Identifier: BSD-3-Clause */
/* Which moments tell the story, and how are they put on one page? Columns: the start, the first impact, plain ODE's
 * worst moment soon after it and its worst moment later, the end. A scene at rest has no moments: its page shows the
 * end of both runs and a plot of how far they are apart. Units: pixels. */
#include "contact_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define COLUMNS 5
#define TILE_WIDTH 480
#define TILE_HEIGHT 320
#define GAP 12
#define HEADER 104
#define CAPTION 36
#define FOOTER 58
#define PLOT_HEIGHT 420
#define PLOT_DECADES 18   /* from 1e-16 m, less than the last bit of a position, to 100 m */
#define PICTURE_WIDTH 640 /* of one of its two halves */
#define PICTURE_HEIGHT 430
#define STILL_WIDTH 1280
#define STILL_HEIGHT 720
#define RECENT 10     /* samples: impacts this young are ringed */
#define RING_LIMIT 48 /* rings in a picture */
#define NOTES 64      /* notes in a picture */

static const uint8_t paper[3] = {246, 246, 243}, ink[3] = {28, 32, 40}, red[3] = {196, 24, 24},
                     green[3] = {18, 112, 48};
static const uint8_t blue[3] = {36, 88, 190}, grey[3] = {200, 204, 210}, dim[3] = {85, 96, 110};
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

static void label(renderImage *image, int left, int top, double height, const uint8_t color[3], const char *text) {
  renderImage_Rectangle(image, left, top, (int)(renderWriteWidth(height, text) + 1.2 * height), (int)(2.1 * height),
                        white, 0.88);
  renderImage_Write(image, left + 0.6 * height, top + 0.55 * height, height, color, text);
}

/* What notes say, each below its visual, and below the notes that it would cover. */
static void drawNotes(const renderer *artist, const recording *run, int sample, renderImage *image) {
  recordedNote notes[NOTES];
  double placed[NOTES][3], pixel[2]; /* left, right, top */
  const double height = fmax(10.0, image->width / 64.0), tall = 2.3 * height;
  size_t count = recording_Notes(run, sample, notes, NOTES), drawn = 0;
  for (size_t i = 0; i < count; i++) {
    if (!renderer_Project(artist, notes[i].place, pixel)) continue;
    const double width = renderWriteWidth(height, notes[i].text) + 1.2 * height, left = pixel[0] - 0.5 * width;
    double top = pixel[1] + 0.3 * height;
    for (size_t k = 0; k < drawn; k++)
      if (left < placed[k][1] && placed[k][0] < left + width && fabs(top - placed[k][2]) < tall)
        top = placed[k][2] + tall;
    placed[drawn][0] = left, placed[drawn][1] = left + width, placed[drawn++][2] = top;
    label(image, (int)left, (int)top, height, ink, notes[i].text);
  }
}

/* Both runs are seen with the camera of the run with Brink: what moved is then the scene, not the eye. */
static bool drawSample(renderer *artist, recording *run, const recording *cameraOf, int sample, double ringSize,
                       renderImage *image) {
  size_t count = recording_VisualCount(run);
  renderItem *items = malloc((count + 1) * sizeof *items);
  if (!items) return false;
  renderCamera camera;
  recording_Items(run, sample, items);
  recording_Camera(cameraOf, sample, &camera);
  camera.cut = recording_Cut(run, sample);
  bool good = renderer_Draw(artist, &camera, items, count, image);
  free(items);
  if (good && ringSize > 0.0) drawImpacts(artist, run, sample, ringSize, image);
  if (good) drawNotes(artist, run, sample, image);
  return good;
}

/* What a sample's count says, and how bad that is. */
static const uint8_t *countText(const recording *run, int sample, const contactSheet *sheet, char *out,
                                size_t capacity) {
  int through = recording_Through(run, sample), ever = recording_Ever(run, sample);
  if (sheet->partCount)
    snprintf(out, capacity, "now %d %s, so far %d", through, sheet->throughText, ever);
  else
    snprintf(out, capacity, "%d %s", through, sheet->throughText);
  return through || ever ? red : green;
}

static bool writeStills(recording *const runs[2], double step, const int samples[COLUMNS], const contactSheet *sheet,
                        const char *folder, char *message, size_t messageCapacity) {
  static const char *const names[2] = {"plain", "brink"}, *const titles[2] = {"plain ODE", "ODE with Brink"};
  renderer *artist = renderer_Create(STILL_WIDTH, STILL_HEIGHT);
  renderImage image;
  bool good = renderImage_Make(&image, STILL_WIDTH, STILL_HEIGHT, paper) && artist;
  if (!good) snprintf(message, messageCapacity, "no memory for stills in %s", folder);
  for (int i = 0; good && i < 2 * COLUMNS; i++) {
    int run = i % 2, sample = samples[i / 2];
    char path[1200], text[200];
    if (!drawSample(artist, runs[run], runs[1], sample, 11.0, &image)) {
      snprintf(message, messageCapacity, "no memory for stills in %s", folder);
      good = false;
      break;
    }
    snprintf(text, sizeof text, "%s,  %.2f s", titles[run], sample * step);
    label(&image, 20, 20, 20.0, ink, text);
    const uint8_t *color = countText(runs[run], sample, sheet, text, sizeof text);
    label(&image, 20, 68, 20.0, color, text);
    snprintf(path, sizeof path, "%s/still_%s_%04d.png", folder, names[run], sample);
    good = renderImage_WritePng(&image, path, message, messageCapacity);
  }
  renderer_Destroy(artist);
  renderImage_Free(&image);
  return good;
}

/* Breaks text at blanks into lines of at most `width` pixels. */
static void writeLines(renderImage *image, int left, int top, int width, double height, const uint8_t color[3],
                       const char *text) {
  char line[512];
  for (size_t begin = 0, length = strlen(text); begin < length;) {
    size_t end = begin, fits = begin;
    while (end < length && end - begin < sizeof line - 1) {
      end++;
      if (end < length && text[end] != ' ') continue;
      memcpy(line, text + begin, end - begin);
      line[end - begin] = '\0';
      if (renderWriteWidth(height, line) > width && fits > begin) break;
      fits = end;
    }
    if (fits == begin) fits = end; /* one very long word */
    memcpy(line, text + begin, fits - begin);
    line[fits - begin] = '\0';
    renderImage_Write(image, left, top, height, color, line);
    top += (int)(1.75 * height);
    begin = fits;
    while (begin < length && text[begin] == ' ') begin++;
  }
}

/* "plain ODE: 17 of 17 ...   with Brink: 0 of 17", each half in its colour. */
static void writeHeadline(renderImage *page, int left, int top, double height, const contactSheet *sheet) {
  const char *const halves[2][2] = {{"plain ODE: ", sheet->plainText}, {"with Brink: ", sheet->brinkText}};
  double at = left;
  for (int i = 0; i < 2; i++) {
    const uint8_t *color = i == 0 ? (sheet->partCount ? red : ink) : sheet->good ? green : red;
    renderImage_Write(page, at, top, height, ink, halves[i][0]);
    at += renderWriteWidth(height, halves[i][0]);
    renderImage_Write(page, at, top, height, color, halves[i][1]);
    at += renderWriteWidth(height, halves[i][1]) + 2.5 * height;
  }
}

/* What red and rings mean, right-aligned at `right`. */
static void writeLegend(renderImage *page, int right, int top, double height, const contactSheet *sheet) {
  char text[200];
  const int side = (int)height;
  snprintf(text, sizeof text, "red: %s, now", sheet->throughText);
  int at = right - (int)renderWriteWidth(height, text);
  renderImage_Write(page, at, top, height, dim, text);
  renderImage_Rectangle(page, at - 2 * side, top, side + side / 2, side, red, 1.0);
  snprintf(text, sizeof text, "ring: an impact or crossing that Brink told in the %d frames before", RECENT + 1);
  at -= 4 * side + (int)renderWriteWidth(height, text);
  renderImage_Write(page, at, top, height, dim, text);
  renderImage_Ring(page, at - 1.4 * side, top + 0.5 * side, 7.0, 3.5, black);
  renderImage_Ring(page, at - 1.4 * side, top + 0.5 * side, 7.0, 2.1, yellow);
}

static bool drawMoments(recording *const runs[2], const int samples[COLUMNS], const contactSheet *sheet,
                        renderImage *page) {
  static const char *const titles[2] = {"plain ODE", "ODE with Brink"};
  renderer *artist = renderer_Create(TILE_WIDTH, TILE_HEIGHT);
  renderImage tile;
  bool good = renderImage_Make(&tile, TILE_WIDTH, TILE_HEIGHT, paper) && artist;
  for (int i = 0; good && i < 2 * COLUMNS; i++) {
    int row = i / COLUMNS, column = i % COLUMNS, sample = samples[column];
    int left = GAP + column * (TILE_WIDTH + GAP), top = HEADER + row * (TILE_HEIGHT + CAPTION + GAP);
    char count[160], text[200];
    good = drawSample(artist, runs[row], runs[1], sample, 7.0, &tile);
    if (!good) break;
    if (column == 0) label(&tile, 8, 8, 16.0, ink, titles[row]);
    renderImage_Paste(page, left, top, &tile);
    const uint8_t *color = countText(runs[row], sample, sheet, count, sizeof count);
    snprintf(text, sizeof text, "%.2f s: %s", sample * recording_Step(runs[1]), count);
    renderImage_Write(page, left + 2, top + TILE_HEIGHT + 11, 13.0, color, text);
  }
  renderer_Destroy(artist);
  renderImage_Free(&tile);
  return good;
}

/* ---- scenes at rest: how far apart are the runs? */

static double plotY(double metres, int top) {
  double decade = metres > 0.0 ? log10(metres) + 16.0 : 0.0;
  return top + PLOT_HEIGHT * (1.0 - fmax(0.0, fmin(PLOT_DECADES, decade)) / PLOT_DECADES);
}

static void drawCurve(renderImage *page, int left, int top, int width, const double *values, int count,
                      const uint8_t color[3]) {
  for (int x = 0; x < width; x++) {
    int from = (int)((double)x / width * (count - 1)), to = (int)((double)(x + 1) / width * (count - 1));
    double low = plotY(values[from], top), high = low;
    for (int s = from; s <= to && s < count; s++) {
      low = fmin(low, plotY(values[s], top));
      high = fmax(high, plotY(values[s], top));
    }
    renderImage_Rectangle(page, left + x, (int)low - 1, 1, (int)(high - low) + 3, color, 1.0);
  }
}

static void drawPlot(renderImage *page, int left, int top, int width, const recording *plain, const recording *brink,
                     double *values) {
  int count = recording_Frames(brink);
  static const struct {
    int decade;
    const char *text;
  } lines[] = {{-16, "0"}, {-12, "1e-12 m"}, {-9, "1 nm"}, {-6, "0.001 mm"}, {-3, "1 mm"}, {0, "1 m"}};
  const struct {
    const char *text;
    const uint8_t *color;
  } keys[3] = {{"moved since the start, plain ODE", red},
               {"moved since the start, with Brink", green},
               {"distance between the two runs", blue}};
  int plotLeft = left + 96, plotWidth = width - 96;
  renderImage_Rectangle(page, plotLeft, top, plotWidth, PLOT_HEIGHT + 2, white, 1.0);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    int y = (int)plotY(pow(10.0, lines[i].decade), top);
    renderImage_Rectangle(page, plotLeft, y, plotWidth, 1, grey, 1.0);
    renderImage_Write(page, plotLeft - 10 - renderWriteWidth(12.0, lines[i].text), y - 6, 12.0, dim, lines[i].text);
  }
  for (int curve = 0; curve < 3; curve++) {
    for (int s = 0; s < count; s++)
      values[s] = curve == 0   ? recording_Moved(plain, s)
                  : curve == 1 ? recording_Moved(brink, s)
                               : recording_Difference(plain, brink, s);
    drawCurve(page, plotLeft, top, plotWidth, values, count, keys[curve].color);
  }
  renderImage_Rectangle(page, plotLeft + 8, top + PLOT_HEIGHT - 130, 380, 96, white, 0.9);
  for (int curve = 0; curve < 3; curve++) {
    renderImage_Rectangle(page, plotLeft + 16, top + PLOT_HEIGHT - 115 + 28 * curve, 26, 4, keys[curve].color, 1.0);
    renderImage_Write(page, plotLeft + 52, top + PLOT_HEIGHT - 120 + 28 * curve, 13.0, ink, keys[curve].text);
  }
  char text[80];
  renderImage_Write(page, plotLeft, top + PLOT_HEIGHT + 12, 12.0, dim, "0 s");
  snprintf(text, sizeof text, "%.0f s", (count - 1) * recording_Step(brink));
  renderImage_Write(page, plotLeft + plotWidth - renderWriteWidth(12.0, text), top + PLOT_HEIGHT + 12, 12.0, dim, text);
}

static bool drawRest(recording *const runs[2], renderImage *page) {
  static const char *const titles[2] = {"plain ODE", "ODE with Brink"};
  int tileWidth = 630, count = recording_Frames(runs[1]);
  renderer *artist = renderer_Create(tileWidth, PLOT_HEIGHT);
  renderImage tile;
  double *values = calloc((size_t)count + 1, sizeof *values);
  bool good = renderImage_Make(&tile, tileWidth, PLOT_HEIGHT, paper) && artist && values;
  for (int i = 0; good && i < 2; i++) {
    char text[100];
    good = drawSample(artist, runs[i], runs[1], count - 1, 7.0, &tile);
    snprintf(text, sizeof text, "%s,  %.0f s", titles[i], (count - 1) * recording_Step(runs[1]));
    label(&tile, 8, 8, 16.0, ink, text);
    if (good) renderImage_Paste(page, GAP + i * (tileWidth + GAP), HEADER, &tile);
  }
  int left = 3 * GAP + 2 * tileWidth;
  if (good) drawPlot(page, left, HEADER, page->width - left - 2 * GAP, runs[0], runs[1], values);
  renderer_Destroy(artist);
  renderImage_Free(&tile);
  free(values);
  return good;
}

bool contactSheet_Write(recording *plain, recording *brink, const contactSheet *sheet, const char *folder,
                        char *message, size_t messageCapacity) {
  recording *runs[2] = {plain, brink};
  bool rest = sheet->partCount == 0;
  int samples[COLUMNS], width = COLUMNS * (TILE_WIDTH + GAP) + GAP;
  int body = rest ? PLOT_HEIGHT + CAPTION : 2 * (TILE_HEIGHT + CAPTION + GAP);
  renderImage page;
  bool good = renderImage_Make(&page, width, HEADER + body + FOOTER, paper);
  if (good) {
    chooseSamples(plain, brink, samples);
    renderImage_Write(&page, GAP, GAP + 4, 19.0, dim, sheet->title);
    writeHeadline(&page, GAP, GAP + 44, 27.0, sheet);
    if (!rest) writeLegend(&page, width - GAP, GAP + 6, 14.0, sheet);
    writeLines(&page, GAP, HEADER + body + 6, width - 2 * GAP, 12.0, dim, sheet->verdict);
    good = rest ? drawRest(runs, &page) : drawMoments(runs, samples, sheet, &page);
  }
  if (!good) snprintf(message, messageCapacity, "no memory for the contact sheet in %s", folder);
  char path[1200];
  snprintf(path, sizeof path, "%s/contact_sheet.png", folder);
  good = good && renderImage_WritePng(&page, path, message, messageCapacity);
  renderImage_Free(&page);
  if (!good || rest) return good;
  return writeStills(runs, recording_Step(brink), samples, sheet, folder, message, messageCapacity);
}

bool contactSheet_WritePicture(recording *plain, recording *brink, const contactSheet *sheet, const char *path,
                               char *message, size_t messageCapacity) {
  recording *runs[2] = {plain, brink};
  const int band = 76, last = recording_Frames(brink) - 1;
  renderer *artist = renderer_Create(PICTURE_WIDTH, PICTURE_HEIGHT);
  renderImage page, tile;
  bool good = renderImage_Make(&page, 2 * PICTURE_WIDTH + 4, PICTURE_HEIGHT + band, white);
  good = renderImage_Make(&tile, PICTURE_WIDTH, PICTURE_HEIGHT, paper) && good && artist;
  for (int i = 0; good && i < 2; i++) {
    int left = i * (PICTURE_WIDTH + 4);
    good = drawSample(artist, runs[i], brink, last, 0.0, &tile);
    char text[200];
    snprintf(text, sizeof text, "red: %s, now", sheet->throughText);
    if (sheet->partCount) label(&tile, 8, PICTURE_HEIGHT - 34, 12.0, red, text);
    renderImage_Paste(&page, left, band, &tile);
    char title[80];
    snprintf(title, sizeof title, "%s%s", i == 0 ? "plain ODE" : "ODE with Brink",
             recording_Cut(runs[i], last) ? ", cut open before what moves" : "");
    renderImage_Write(&page, left + 10, 12, 14.0, dim, title);
    const char *headline = i == 0 ? sheet->plainText : sheet->brinkText;
    const uint8_t *color = i == 1 ? (sheet->good ? green : red) : sheet->partCount ? red : ink;
    double height = fmin(21.0, 21.0 * (PICTURE_WIDTH - 20) / fmax(1.0, renderWriteWidth(21.0, headline)));
    renderImage_Write(&page, left + 10, 40, height, color, headline);
  }
  if (!good) snprintf(message, messageCapacity, "no memory for %s", path);
  good = good && renderImage_WritePng(&page, path, message, messageCapacity);
  renderer_Destroy(artist);
  renderImage_Free(&page);
  renderImage_Free(&tile);
  return good;
}
