/* SPDX-License-Identifier: BSD-3-Clause */
/* Are the pictures right, the same every time, and safe against odd input? Known answers at single pixels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include <math.h>

#include "file_bytes.h"
#include "render.h"
#include "terrain_check.h"
#include "text.h"

static const uint8_t grey[3] = {90, 90, 90};

/* A unit cube about the origin. */
static double cubeVertices[24];
static uint32_t cubeIndices[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static brinkMesh makeCube(void) {
  for (int i = 0; i < 24; i++) cubeVertices[i] = (i / 3) >> (i % 3) & 1 ? 0.5 : -0.5;
  return (brinkMesh){cubeVertices, 8, cubeIndices, 12, 0};
}

static renderItem makeItem(const brinkMesh *mesh, double x, double y, double z, float red, float green, float blue) {
  return (renderItem){mesh, {x, y, z}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {red, green, blue}, 0};
}

static const renderCamera sideCamera = {{0, -8, 0}, {0, 0, 0}, 0.7, 0, NULL};

static const uint8_t *pixelAt(const renderImage *image, int x, int y) {
  return image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static void draw(const renderCamera *camera, const renderItem *items, size_t count, renderImage *image) {
  renderer *artist = renderer_Create(160, 120);
  assert_non_null(artist);
  assert_true(renderImage_Make(image, 160, 120, grey));
  assert_true(renderer_Draw(artist, camera, items, count, image));
  renderer_Destroy(artist);
}

CASE(the_same_scene_gives_the_same_png_bytes) {
  brinkMesh cube = makeCube();
  renderItem items[3] = {makeItem(&cube, 0, 0, 0, 0.8f, 0.2f, 0.1f), makeItem(&cube, 1.3, 0.4, 0.7, 0.1f, 0.5f, 0.9f),
                         makeItem(&cube, 0, 0, -1, 0.7f, 0.7f, 0.7f)};
  items[1].style = RENDER_XRAY;
  unsigned char *bytes[2];
  size_t sizes[2];
  const char *paths[2] = {BRINK_BINARY_DIR "/test_demo_render_a.png", BRINK_BINARY_DIR "/test_demo_render_b.png"};
  for (int i = 0; i < 2; i++) {
    renderImage image;
    char message[200] = "";
    draw(&sideCamera, items, 3, &image);
    renderImage_Text(&image, 5, 5, 2, grey, "Brink");
    assert_true(renderImage_WritePng(&image, paths[i], message, sizeof message));
    renderImage_Free(&image);
    bytes[i] = readBytes(paths[i], &sizes[i]);
    remove(paths[i]);
  }
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(bytes[0], bytes[1], sizes[0]);
  assert_memory_equal(bytes[0], "\x89PNG\r\n\x1a\n", 8);
  free(bytes[0]);
  free(bytes[1]);
}

CASE(a_red_cube_is_red_in_the_middle_and_sky_is_blue_above) {
  brinkMesh cube = makeCube();
  renderItem item = makeItem(&cube, 0, 0, 0, 0.9f, 0.1f, 0.1f);
  renderImage image;
  draw(&sideCamera, &item, 1, &image);
  const uint8_t *middle = pixelAt(&image, 80, 60), *sky = pixelAt(&image, 3, 3);
  assert_true(middle[0] > 2 * middle[1] && middle[0] > 2 * middle[2] && middle[0] > 80);
  assert_true(sky[2] > sky[0]);
  renderImage_Free(&image);
}

CASE(the_nearer_cube_hides_the_farther_unless_it_is_an_xray) {
  brinkMesh cube = makeCube();
  renderItem items[2] = {makeItem(&cube, 0, -1, 0, 0.1f, 0.8f, 0.1f), makeItem(&cube, 0, 2, 0, 0.1f, 0.1f, 0.9f)};
  renderImage image;
  draw(&sideCamera, items, 2, &image);
  const uint8_t *middle = pixelAt(&image, 80, 60);
  assert_true(middle[1] > 2 * middle[0] && middle[1] > 2 * middle[2]);
  renderImage_Free(&image);
  items[1].style = RENDER_XRAY;
  draw(&sideCamera, items, 2, &image);
  middle = pixelAt(&image, 80, 60);
  assert_true(middle[0] > middle[1] && middle[0] > middle[2]); /* red shines through */
  renderImage_Free(&image);
}

CASE(a_projected_point_falls_where_its_cube_is_drawn) {
  brinkMesh cube = makeCube();
  renderItem item = makeItem(&cube, 1.7, 1.0, 0.9, 0.9f, 0.1f, 0.1f);
  for (int k = 0; k < 9; k++) item.rotation[k] *= 0.2;
  renderer *artist = renderer_Create(160, 120);
  renderImage image;
  assert_true(renderImage_Make(&image, 160, 120, grey));
  assert_true(renderer_Draw(artist, &sideCamera, &item, 1, &image));
  double pixel[2], behind[3] = {0, -20, 0};
  assert_true(renderer_Project(artist, item.position, pixel));
  const uint8_t *there = pixelAt(&image, (int)pixel[0], (int)pixel[1]);
  assert_true(there[0] > 2 * there[1]);
  assert_false(renderer_Project(artist, behind, pixel));
  renderer_Destroy(artist);
  renderImage_Free(&image);
}

CASE(a_cube_shades_the_ground_away_from_the_sun) {
  brinkMesh cube = makeCube();
  double corners[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
  uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
  brinkMesh ground = {corners, 4, indices, 2, 0};
  renderItem items[2] = {makeItem(&ground, 0, 0, 0, 0.7f, 0.7f, 0.7f), makeItem(&cube, 0, 0, 2, 0.9f, 0.1f, 0.1f)};
  renderCamera above = {{0, -6, 9}, {0, 0, 0}, 0.9, 9, NULL};
  renderer *artist = renderer_Create(160, 120);
  renderImage image;
  assert_true(renderImage_Make(&image, 160, 120, grey));
  assert_true(renderer_Draw(artist, &above, items, 2, &image));
  double shaded[2], open[2];
  const double shadePoint[3] = {2.0 * 0.45 / 1.1, 2.0 * 0.6 / 1.1, 0}, openPoint[3] = {-2.0, 0.0, 0};
  assert_true(renderer_Project(artist, shadePoint, shaded) && renderer_Project(artist, openPoint, open));
  assert_true(pixelAt(&image, (int)shaded[0], (int)shaded[1])[1] + 25 < pixelAt(&image, (int)open[0], (int)open[1])[1]);
  renderer_Destroy(artist);
  renderImage_Free(&image);
}

CASE(triangles_behind_the_eye_or_without_area_do_no_harm) {
  double vertices[18] = {0, -20, 0, 1, -20, 0, 0, -20, 1, 0, 0, 0, 0, 0, 0, 0, -30, 0.5};
  uint32_t indices[12] = {0, 1, 2, 3, 3, 3, 3, 4, 5, 0, 3, 5};
  brinkMesh odd = {vertices, 6, indices, 4, 0};
  renderItem item = makeItem(&odd, 0, 0, 0, 1, 1, 1);
  renderCamera cameras[3] = {sideCamera, {{0, 0, 0}, {0, 0, 0}, 0.7, 0, NULL}, {{0, 0, 9}, {0, 0, 0}, 0.7, 0, NULL}};
  for (int i = 0; i < 3; i++) {
    renderImage image;
    draw(&cameras[i], &item, 1, &image);
    renderImage_Free(&image);
  }
}

CASE(text_and_rings_are_clipped_at_the_border) {
  renderImage image;
  assert_true(renderImage_Make(&image, 40, 20, grey));
  const uint8_t white[3] = {255, 255, 255};
  renderImage_Text(&image, -7, -3, 3, white, "clipped everywhere \x80\xff");
  renderImage_Ring(&image, 39.0, 1.0, 12.0, 3.0, white);
  renderImage_Ring(&image, 1e300, 1.0, 12.0, 3.0, white);
  renderImage_Rectangle(&image, 30, 10, 50, 50, white, 0.5);
  renderImage_Free(&image);
}

static void compareLetters(void) {
  const uint8_t white[3] = {255, 255, 255};
  static uint8_t shapes[95][40 * 40 * 3];
  for (int c = 0; c < 95; c++) {
    char text[2] = {(char)(32 + c), 0};
    renderImage image;
    assert_true(renderImage_Make(&image, 40, 40, grey));
    renderImage_Text(&image, 4, 8, 3, white, text);
    memcpy(shapes[c], image.pixels, sizeof shapes[c]);
    renderImage_Free(&image);
    for (int before = 0; before < c; before++)
      if (memcmp(shapes[before], shapes[c], sizeof shapes[c]) == 0)
        fail_msg("'%c' looks like '%c'", 32 + c, 32 + before);
  }
}

CASE(every_printable_letter_has_its_own_shape) { compareLetters(); }

CASE(without_a_font_letters_are_made_of_dots) {
  char font[1024];
  bool had = demoFont_Name() != NULL;
  snprintf(font, sizeof font, "%s", had ? demoFont_Name() : "");
  assert_false(demoFont_Use("no/such/font.ttf"));
  assert_false(demoFont_Use(BRINK_SOURCE_DIR "/README.md")); /* not a font */
  assert_true((demoFont_Name() != NULL) == had);
  assert_true(demoFont_Use(NULL));
  assert_null(demoFont_Name());
  compareLetters();
  assert_true(renderWriteWidth(14.0, "iii") == renderWriteWidth(14.0, "WWW"));
  if (!had) skip();
  assert_true(demoFont_Use(font));
  assert_true(renderWriteWidth(14.0, "iii") < renderWriteWidth(14.0, "WWW"));
}

/* Flat land, cut along y = 0: before the cut there is the curtain's earth, behind it grass. */
CASE(a_cut_takes_the_land_before_it_away_and_shows_earth) {
  double corners[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
  uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
  brinkMesh land = {corners, 4, indices, 2, 0};
  renderItem item = makeItem(&land, 0, 0, 0, 0.7f, 0.7f, 0.7f);
  item.style = RENDER_TERRAIN;
  const double edge[2][3] = {{-9, 0, 0}, {9, 0, 0}};
  renderCut cut = {edge, 2, -2.0, -1.5};
  renderCamera camera = {{0, -12, 6}, {0, 0, 0}, 0.9, 9, NULL};
  for (int withCut = 0; withCut < 2; withCut++) {
    renderer *artist = renderer_Create(160, 120);
    renderImage image;
    double before[2], behind[2], face[2];
    const double beforePoint[3] = {0, -5, 0}, behindPoint[3] = {0, 5, 0}, facePoint[3] = {0, 0, -0.8};
    camera.cut = withCut ? &cut : NULL;
    assert_true(renderImage_Make(&image, 160, 120, grey));
    assert_true(renderer_Draw(artist, &camera, &item, 1, &image));
    assert_true(renderer_Project(artist, beforePoint, before) && renderer_Project(artist, behindPoint, behind) &&
                renderer_Project(artist, facePoint, face));
    const uint8_t *grass = pixelAt(&image, (int)behind[0], (int)behind[1]);
    const uint8_t *wall = pixelAt(&image, (int)face[0], (int)face[1]);
    const uint8_t *gone = pixelAt(&image, (int)before[0], (int)before[1]);
    assert_true(grass[1] > grass[0]);                   /* green */
    assert_true((wall[0] > wall[1]) == (withCut == 1)); /* brown, or still green */
    assert_true((gone[2] > gone[1]) == (withCut == 1)); /* sky, or still green */
    renderer_Destroy(artist);
    renderImage_Free(&image);
  }
}

CASE(an_unwritable_picture_names_its_path) {
  renderImage image;
  char message[200] = "";
  assert_true(renderImage_Make(&image, 4, 4, grey));
  assert_false(renderImage_WritePng(&image, "no/such/folder/picture.png", message, sizeof message));
  assert_non_null(strstr(message, "no/such/folder/picture.png"));
  renderImage_Free(&image);
}

/* A roof with slope 1 in x: z = -|x|; the depth of a point d below the slope, along the normal, is d. */
CASE(terrain_depth_is_the_distance_to_the_slope) {
  double vertices[18] = {-10, -10, -10, 0, -10, 0, 10, -10, -10, -10, 10, -10, 0, 10, 0, 10, 10, -10};
  uint32_t indices[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
  brinkMesh roof = {vertices, 6, indices, 4, 0};
  terrainCheck *check = terrainCheck_Create(&roof);
  assert_non_null(check);
  assert_true(fabs(terrainCheck_Height(check, 3.0, 1.0) + 3.0) < 1e-12);
  assert_true(isinf(terrainCheck_Height(check, 10.5, 0.0)));
  for (int i = 0; i < 40; i++) {
    double depth = 0.05 * i, s = sqrt(0.5), point[3] = {5.0 - s * depth, 0.3, -5.0 - s * depth};
    assert_true(fabs(terrainCheck_Depth(check, point) - depth) < 1e-9);
    point[2] = -5.0 + 0.1; /* above */
    point[0] = 5.0;
    assert_true(terrainCheck_Depth(check, point) == 0.0);
  }
  terrainCheck_Destroy(check);
}

CASE(sample_points_leave_no_gap_wider_than_asked) {
  double vertices[9] = {0, 0, 0, 3, 0, 0, 0, 4, 0};
  uint32_t indices[3] = {0, 1, 2};
  brinkMesh mesh = {vertices, 3, indices, 1, 0};
  size_t count;
  double *points = terrainCheck_SamplePoints(&mesh, 0.5, &count);
  assert_non_null(points);
  for (double u = 0.02; u < 1.0; u += 0.07)
    for (double v = 0.01; u + v < 1.0; v += 0.06) {
      double best = 1e9;
      for (size_t i = 0; i < count; i++) best = fmin(best, hypot(points[3 * i] - 3 * u, points[3 * i + 1] - 4 * v));
      assert_true(best <= 0.5);
    }
  free(points);
}

int main(void) { return cases_Run(NULL, NULL); }
