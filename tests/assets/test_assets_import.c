/* SPDX-License-Identifier: BSD-3-Clause */
/* Import: nothing vanishes, nothing moves, and what is broken is refused with its place. All files are written here. */
#include "cases.h"
#include "assets_support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <sys/stat.h>

#define CUBE_VERTICES "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
#define CUBE_FACES \
  "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"

static char message[512];

static brinkMesh import(const char *path, uint32_t flags) {
  brinkMesh mesh = {0};
  brinkStatus status = brinkImportMesh(path, flags, &mesh, message, sizeof message);
  if (status != brink_ok) fail_msg("%s", message);
  for (size_t i = 0; i < 3 * mesh.triangleCount; ++i) assert_true(mesh.indices[i] < mesh.vertexCount);
  for (size_t i = 0; i < 3 * mesh.vertexCount; ++i) assert_true(isfinite(mesh.vertices[i]));
  return mesh;
}

static void assertRefused(const char *path, brinkStatus expected, const char *place) {
  double marker = 0;
  brinkMesh mesh = {.vertices = &marker, .vertexCount = 77};
  brinkStatus status = brinkImportMesh(path, 0, &mesh, message, sizeof message);
  if (status != expected) fail_msg("%s: status %d instead of %d: %s", path, status, expected, message);
  if (strstr(message, place) == NULL) fail_msg("'%s' not in '%s'", place, message);
  if (strncmp(message, path, strlen(path)) != 0) fail_msg("no file name: '%s'", message);
  assert_true(mesh.vertices == &marker && mesh.vertexCount == 77);  // untouched
}

// ------------------------------------------------------------------------------------------------------------- bad OBJ

IN_FOLDER(broken_obj_files_are_refused_with_their_line) {
  static const struct {
    const char *text;
    brinkStatus status;
    const char *place;
  } cases[] = {
      {"", brink_errorEmpty, "no faces"},
      {"\n# nothing\n", brink_errorEmpty, "no faces"},
      {CUBE_VERTICES, brink_errorEmpty, "8 vertices"},
      {CUBE_FACES, brink_errorEmpty, "0 vertices"},
      {CUBE_VERTICES CUBE_FACES "f 0 1 2\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 9\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f -1 -2 -99\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 4294967297\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 4294967296\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 18446744073709551617\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 -99999999999999999999999\n", brink_errorBadIndex, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "l 1\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "p\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 x\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 3.5\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 3/1/1/1\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES CUBE_FACES "f 1 2 /3\n", brink_errorParse, ":21: "},
      {CUBE_VERTICES "surf 0 1 0 1 1 2 3\n", brink_errorParse, ":9: "},
      {CUBE_VERTICES "call other.obj\n", brink_errorParse, ":9: "},
      {CUBE_VERTICES "fq 1 2 3\n", brink_errorParse, ":9: "},
      {"v 0 0 0\nv 1 0 0\nf 1 2 3\nv 0 1 0\n", brink_errorParse, ":3: "},  // a face before its vertex
      {"v nan 0 0\n", brink_errorParse, ":1: "},
      {"v 0 inf 0\n", brink_errorParse, ":1: "},
      {"v 0 0 -Infinity\n", brink_errorParse, ":1: "},
      {"v 0 0 1e999\n", brink_errorParse, ":1: "},
      {"v 0 0 1e39\n", brink_errorRange, ":1: "},
      {"v 1,5 0 0\n", brink_errorParse, ":1: "},
      {"v 0x10 0 0\n", brink_errorParse, ":1: "},
      {"v 1e 0 0\n", brink_errorParse, ":1: "},
      {"v . 0 0\n", brink_errorParse, ":1: "},
      {"v - 0 0\n", brink_errorParse, ":1: "},
      {"v 1.2.3 0 0\n", brink_errorParse, ":1: "},
      {"v 1 2\n", brink_errorParse, ":1: "},
      {"v 1 2", brink_errorParse, ":1: "},
      {"v 1 2 3 0.5\n", brink_errorParse, ":1: "},
      {"v 1 2 3 4 5\n", brink_errorParse, ":1: "},
      {"v 1 2 3 4 5 6 7 8\n", brink_errorParse, ":1: "},
      {"v 0 0 0\n\n# c\nv 1 0 \\\n0\nv 0 1 zero\n", brink_errorParse, ":6: "},  // a joined line counts as two
      {"v 0 0 0\r\nv 1 0 0\r\nv 0 x 0\r\n", brink_errorParse, ":3: "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assertRefused(writeText(state, "bad.obj", cases[i].text), cases[i].status, cases[i].place);
  const char withNul[] = CUBE_VERTICES "f 1 2 \0 3\n";
  assertRefused(writeBytes(state, "nul.obj", withNul, sizeof withNul - 1), brink_errorParse, ":9: ");
  char longNumber[1200];
  memset(longNumber, '1', sizeof longNumber);
  memcpy(longNumber, "v 0.", 4);
  memcpy(longNumber + 1100, " 0 0\n", 6);
  assertRefused(writeText(state, "long.obj", longNumber), brink_errorParse, ":1: ");
}

IN_FOLDER(odd_but_right_obj_files_are_read_whole) {
  static const struct {
    const char *text;
    size_t vertices, triangles;
  } cases[] = {
      {CUBE_VERTICES CUBE_FACES, 8, 12},
      {"\xEF\xBB\xBF" CUBE_VERTICES CUBE_FACES, 8, 12},
      {CUBE_VERTICES "f 1 2 3", 3, 1},
      {CUBE_VERTICES "f 1 4 3 2\nf 5 6 7 8\n", 8, 4},
      {CUBE_VERTICES "f 1/1/1 3//2 2/2\n", 3, 1},
      {CUBE_VERTICES "f -1 -2 -3\n", 3, 1},
      {"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n", 3, 1},
      {"v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", 3, 1},
      {"v\t0 0\t0 \nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nf 1 2 \\\n 3\n", 3, 1},
      {"  v +1. .5 -.5e+1\nv 1E0 0 0# note\nv 0 1 0 1 0 0 1\n  f 1 2 3 # note\n", 3, 1},
      {"mtllib missing.mtl\no a\ng b c\nusemtl x\ns off\nvn 0 0 1\nvt 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2/1/1 "
       "3/1/1\n"
       "usemtl y\nv 0 0 1\no b\nf 1 2 4\nusemtl x\nf 2 3 4\n",
       4, 3},
      {"v 4.9e-324 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 3, 1},
      {"v 0.00000000000000000000123 0 0\nv 123456789012345678 0 0\nv 0 1e30 0\nf 1 2 3\n", 3, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    brinkMesh mesh = import(writeText(state, "odd.obj", cases[i].text), 0);
    if (mesh.vertexCount != cases[i].vertices || mesh.triangleCount != cases[i].triangles)
      fail_msg("case %zu: %zu vertices, %zu triangles", i, mesh.vertexCount, mesh.triangleCount);
    brinkFreeMesh(&mesh);
  }
  char *longLine = malloc(80000);
  int length = sprintf(longLine, CUBE_VERTICES "#");
  memset(longLine + length, 'x', 70000);
  strcpy(longLine + length + 70000, "\n" CUBE_FACES);
  brinkMesh mesh = import(writeText(state, "longline.OBJ", longLine), 0);
  assert_int_equal(mesh.triangleCount, 12);
  brinkFreeMesh(&mesh);
  free(longLine);
}

IN_FOLDER(points_and_segments_are_kept_as_degenerate_triangles) {
  brinkMesh mesh =
      import(writeText(state, "a.obj",
                       "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 1\nf 1 2 2\nf 1 2 4\nl 1 2 4\np 3 4\n"),
             0);
  assert_int_equal(mesh.triangleCount, 8);
  assert_int_equal(mesh.degenerateCount, 7);
  static const uint32_t expected[24] = {0, 1, 2, 0, 0, 0, 0, 1, 1, 0, 1, 3, 0, 1, 1, 1, 3, 3, 2, 2, 2, 3, 3, 3};
  assert_memory_equal(mesh.indices, expected, sizeof expected);
  brinkFreeMesh(&mesh);
  mesh = import(writeText(state, "b.obj", "v 0 0 0\np 1\n"), 0);  // smaller than assimp's smallest OBJ
  assert_int_equal(mesh.triangleCount, 1);
  brinkFreeMesh(&mesh);
}

IN_FOLDER(a_grid_of_one_millimetre_or_one_micrometre_keeps_all_its_faces) {
  static const double edges[3] = {1e-3, 1e-6, 1e-9};
  enum { cells = 40 };
  for (int e = 0; e < 3; ++e) {
    double *vertices = malloc(sizeof(double) * 3 * (cells + 1) * (cells + 1));
    uint32_t *indices = malloc(sizeof(uint32_t) * 6 * cells * cells), count = 0;
    for (uint32_t j = 0; j <= cells; ++j) {
      for (uint32_t i = 0; i <= cells; ++i) {
        double *v = vertices + 3 * (j * (cells + 1) + i);
        v[0] = edges[e] * i, v[1] = edges[e] * j, v[2] = 0;
      }
    }
    for (uint32_t j = 0; j < cells; ++j) {
      for (uint32_t i = 0; i < cells; ++i) {
        uint32_t a = j * (cells + 1) + i, quad[6] = {a, a + 1, a + cells + 2, a, a + cells + 2, a + cells + 1};
        memcpy(indices + count, quad, sizeof quad);
        count += 6;
      }
    }
    brinkMesh grid = {vertices, (cells + 1) * (cells + 1), indices, count / 3, 0};
    const char *path = inFolder(state, "grid.obj");
    assert_int_equal(brinkWriteObj(path, &grid, message, sizeof message), brink_ok);
    brinkMesh back = import(path, 0);
    assert_int_equal(back.triangleCount, 3200);
    assert_int_equal(back.vertexCount, 41 * 41);
    assert_int_equal(back.degenerateCount, 0);
    assert_memory_equal(back.vertices, vertices, sizeof(double) * 3 * 41 * 41);
    brinkFreeMesh(&back);
    free(vertices);
    free(indices);
  }
}

IN_FOLDER(welding_joins_equal_bits_and_nothing_else) {
  const char *path =
      writeText(state, "weld.obj",
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0.0 0 0\nv 1 0 0\nv 0 0 1\nv 1e-7 0 0\nv 9 9 9\nv 400.0000001 0 0\n"
                "f 1 2 3\nf 4 5 6\nf 7 2 3\nf 9 2 3\n");
  brinkMesh mesh = import(path, 0);
  assert_int_equal(mesh.vertexCount, 6);             // 4 = 1, 5 = 2, nobody uses 8
  assert_true(mesh.vertices[3 * 5] == 400.0000001);  // not rounded to float
  static const uint32_t expected[12] = {0, 1, 2, 0, 1, 3, 4, 1, 2, 5, 1, 2};
  assert_memory_equal(mesh.indices, expected, sizeof expected);
  brinkFreeMesh(&mesh);
  mesh = import(path, BRINK_IMPORT_NO_WELD);
  assert_int_equal(mesh.vertexCount, 9);
  assert_int_equal(mesh.indices[3], 3);
  brinkFreeMesh(&mesh);
}

IN_FOLDER(decimal_numbers_come_back_to_the_last_bit) {
  const uint64_t seed = 2024;
  testRandom random = {seed};
  static const char *const formats[] = {"%.17g", "%.17e", "%+.25f", "%.6g", "%.3E", "%.0f", "%.15f"};
  enum { count = 4000 };
  char *text = malloc(count * 250 + 64), *end = text;
  double *expected = malloc(sizeof(double) * 3 * count);
  for (size_t i = 0; i < 3 * (size_t)count; ++i) {
    double value = (nextUnit(&random) - 0.5) * pow(10, (double)nextBelow(&random, 24) - 12);
    char number[100];
    snprintf(number, sizeof number, formats[nextBelow(&random, 7)], value);
    expected[i] = strtod(number, NULL) + 0.0;
    end += sprintf(end, "%s%s%s", i % 3 == 0 ? "v " : " ", number, i % 3 == 2 ? "\n" : "");
  }
  end += sprintf(end, "f");
  for (int i = 0; i < 3; ++i) end += sprintf(end, " %d", i + 1);
  sprintf(end, "\n");
  brinkMesh mesh = import(writeText(state, "numbers.obj", text), BRINK_IMPORT_NO_WELD);
  assert_int_equal(mesh.vertexCount, count);
  for (size_t i = 0; i < 3 * (size_t)count; ++i) {
    if (mesh.vertices[i] != expected[i])
      fail_msg("seed %llu, number %zu: %.17g, not %.17g", (unsigned long long)seed, i, mesh.vertices[i], expected[i]);
  }
  brinkFreeMesh(&mesh);
  free(text);
  free(expected);
}

IN_FOLDER(assimp_and_the_scan_agree_on_all_kinds_of_numbers) {
  testRandom random = {77};
  static const char *const formats[] = {"%.17g", "%.17e", "%+.25f", "%.6g", "%.3E", "%.0f", "%.15f"};
  enum { count = 2000 };
  char *text = malloc(count * 3 * 300), *end = text;
  for (size_t i = 0; i < 3 * (size_t)count; ++i) {
    double value = (nextUnit(&random) - 0.5) * pow(10, (double)nextBelow(&random, 24) - 12);
    end += sprintf(end, i % 3 == 0 ? "v " : " ");
    end += sprintf(end, formats[nextBelow(&random, 7)], value);
    if (i % 3 == 2) *end++ = '\n';
  }
  for (size_t i = 0; i < count; ++i)
    end += sprintf(end, "f %zu %zu %zu\n", i + 1, (i + 1) % count + 1, (i + 2) % count + 1);
  brinkMesh mesh = import(writeText(state, "agree.obj", text), BRINK_IMPORT_NO_WELD);  // every vertex is compared
  assert_int_equal(mesh.triangleCount, count);
  brinkFreeMesh(&mesh);
  free(text);
}

IN_FOLDER(numbers_are_read_and_written_alike_under_a_decimal_comma) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", NULL};
  const char *found = NULL;
  for (int i = 0; locales[i] != NULL && found == NULL; ++i) found = setlocale(LC_ALL, locales[i]);
  double vertices[9] = {0.5, 0, 0, 1.25, 0, 0, 0, 1.0000000000000002, 0};
  uint32_t indices[3] = {0, 1, 2};
  brinkMesh mesh = {vertices, 3, indices, 1, 0};
  const char *path = inFolder(state, "comma.obj");
  brinkStatus written = brinkWriteObj(path, &mesh, message, sizeof message);
  brinkMesh back = {0};
  brinkStatus read = brinkImportMesh(path, 0, &back, message, sizeof message);
  setlocale(LC_ALL, "C");
  assert_int_equal(written, brink_ok);
  assert_int_equal(read, brink_ok);
  assert_memory_equal(back.vertices, vertices, sizeof vertices);
  brinkFreeMesh(&back);
  if (found == NULL) print_message("(no locale with a decimal comma is installed: tested under C only)\n");
}

// ------------------------------------------------------------------------------------------------------------ polygons

static double crossArea(const brinkMesh *mesh, size_t t, double *absolute) {
  brinkVec3 a = vertexOf(mesh, t, 0), b = vertexOf(mesh, t, 1), c = vertexOf(mesh, t, 2);
  double area = 0.5 * ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  *absolute += fabs(area);
  return area;
}

IN_FOLDER(concave_polygons_are_cut_into_n_minus_2_triangles_of_the_same_area) {
  const uint64_t seed = 5;
  testRandom random = {seed};
  for (int round = 0; round < 60; ++round) {
    size_t count = 4 + nextBelow(&random, 40);
    double x[64], y[64], area = 0;
    char text[8000], *end = text;
    for (size_t i = 0; i < count;
         ++i) {  // star-shaped about 0, so simple; every third one has corners on straight lines
      double radius = round % 3 == 0 && i % 2 == 1 ? 0 : 0.2 + nextUnit(&random),
             angle = 6.283185307179586 * (double)i / (double)count;
      x[i] = radius * cos(angle), y[i] = radius * sin(angle);
    }
    if (round % 3 == 0) {
      for (size_t i = 1; i < count; i += 2)
        x[i] = (x[i - 1] + x[(i + 1) % count]) / 2, y[i] = (y[i - 1] + y[(i + 1) % count]) / 2;
    }
    for (size_t i = 0; i < count; ++i) {
      area += 0.5 * (x[i] * y[(i + 1) % count] - y[i] * x[(i + 1) % count]);
      end += sprintf(end, "v %.17g %.17g 3\n", x[i], y[i]);
    }
    end += sprintf(end, "f");
    for (size_t i = 0; i < count; ++i) end += sprintf(end, " %zu", i + 1);
    sprintf(end, "\n");
    brinkMesh mesh = import(writeText(state, "polygon.obj", text), 0);
    assert_int_equal(mesh.triangleCount, count - 2);
    double sum = 0, absolute = 0;
    for (size_t t = 0; t < mesh.triangleCount; ++t) sum += crossArea(&mesh, t, &absolute);
    if (fabs(sum - area) > 1e-9 || fabs(absolute - area) > 1e-9)
      fail_msg("seed %llu round %d: area %g, triangles %g, absolute %g", (unsigned long long)seed, round, area, sum,
               absolute);
    brinkFreeMesh(&mesh);
  }
}

IN_FOLDER(polygons_that_cross_themselves_or_are_huge_keep_their_count_or_are_refused) {
  brinkMesh mesh =
      import(writeText(state, "bow.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3 4 5 2\n"), 0);
  assert_int_equal(mesh.triangleCount, 4);
  brinkFreeMesh(&mesh);
  char *text = malloc(5000 * 100), *end = text;
  for (int i = 0; i < 5000; ++i) end += sprintf(end, "v %d %d 0\n", i, i % 2 ? i * i % 97 : -(i * i % 89));
  end += sprintf(end, "f");
  for (int i = 0; i < 5000; ++i) end += sprintf(end, " %d", i + 1);
  sprintf(end, "\n");
  assertRefused(writeText(state, "huge.obj", text), brink_errorRange, "concave polygon of 5000");
  free(text);
}

// ----------------------------------------------------------------------------------------------------------------- STL

static size_t makeStl(unsigned char *out, uint32_t promised, uint32_t present, const char *header) {
  memset(out, 0, 84 + 50 * (size_t)present);
  memcpy(out, header, strlen(header));
  for (int i = 0; i < 4; ++i) out[80 + i] = (unsigned char)(promised >> 8 * i);
  for (uint32_t t = 0; t < present; ++t) {
    const float corners[9] = {(float)t, 0, 0, (float)t + 1, 0, 0, (float)t, 1, 0.1f};
    memcpy(out + 84 + 50 * t + 12, corners, sizeof corners);
  }
  return 84 + 50 * (size_t)present;
}

IN_FOLDER(binary_stl_is_read_by_its_size_and_lies_are_refused) {
  unsigned char bytes[84 + 50 * 10];
  size_t size = makeStl(bytes, 10, 10, "made here");
  brinkMesh mesh = import(writeBytes(state, "a.stl", bytes, size), 0);
  assert_int_equal(mesh.triangleCount, 10);
  assert_int_equal(mesh.vertexCount, 21);  // corners of neighbours are welded
  assert_true(mesh.vertices[8] == (double)0.1f);
  brinkFreeMesh(&mesh);
  size = makeStl(bytes, 10, 10, "solid but binary");
  mesh = import(writeBytes(state, "b.STL", bytes, size), 0);
  assert_int_equal(mesh.triangleCount, 10);
  brinkFreeMesh(&mesh);
  assertRefused(writeBytes(state, "lie.stl", bytes, makeStl(bytes, 4000000000u, 10, "x")), brink_errorTruncated,
                "byte 80");
  assertRefused(writeBytes(state, "lie2.stl", bytes, makeStl(bytes, 11, 10, "solid x")), brink_errorTruncated,
                "byte 80");
  assertRefused(writeBytes(state, "lie3.stl", bytes, makeStl(bytes, 9, 10, "x")), brink_errorParse, "byte 80");
  assertRefused(writeBytes(state, "zero.stl", bytes, makeStl(bytes, 0, 0, "x")), brink_errorEmpty, "no faces");
  assertRefused(writeBytes(state, "short.stl", bytes, 40), brink_errorTruncated, "40 bytes");
  assertRefused(writeBytes(state, "empty.stl", bytes, 0), brink_errorEmpty, "no faces");
  makeStl(bytes, 10, 10, "x");
  const float bad[2] = {NAN, INFINITY};
  for (int i = 0; i < 2; ++i) {
    memcpy(bytes + 84 + 50 * 3 + 12 + 4 * 4, &bad[i], 4);
    assertRefused(writeBytes(state, "nan.stl", bytes, sizeof bytes), brink_errorParse, "triangle 3 ");
  }
  makeStl(bytes, 10, 10, "x");
  memcpy(bytes + 84 + 50 * 3, &bad[0], 4);  // a NaN in a normal harms nobody
  mesh = import(writeBytes(state, "normal.stl", bytes, sizeof bytes), 0);
  assert_int_equal(mesh.triangleCount, 10);
  brinkFreeMesh(&mesh);
}

#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.3\nendloop\nendfacet\n"

IN_FOLDER(text_stl_is_read_strictly) {
  brinkMesh mesh =
      import(writeText(state, "a.stl", "solid a b\n" FACET FACET "endsolid a b\nsolid\n" FACET "endsolid"), 0);
  assert_int_equal(mesh.triangleCount, 3);
  assert_int_equal(mesh.vertexCount, 3);
  assert_true(mesh.vertices[8] == 0.3);
  brinkFreeMesh(&mesh);
  mesh = import(writeText(state, "b.stl",
                          "  SOLID x\r\nFACET NORMAL nan 0 1\r\nOUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0\r\nVERTEX 0 1 "
                          "0\r\nENDLOOP ENDFACET\r\nENDSOLID"),
                0);
  assert_int_equal(mesh.triangleCount, 1);
  brinkFreeMesh(&mesh);
  assertRefused(writeText(state, "c.stl", "solid a\n" FACET), brink_errorTruncated, ":9: ");
  assertRefused(writeText(state, "d.stl",
                          "solid a\n" FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n"),
                brink_errorParse, ":13: ");
  assertRefused(writeText(state, "e.stl", "solid a\n" FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 nan\n"),
                brink_errorParse, ":11: ");
  assertRefused(writeText(state, "f.stl", "solid a\n" FACET "facet normal 0 0 1\nouter loop\nvertex 0 0"),
                brink_errorTruncated, ":11: ");
  assertRefused(writeText(state, "g.stl", "solid a\n" FACET "vertex 0 0 0\nendsolid\n"), brink_errorParse, ":9: ");
  assertRefused(writeText(state, "h.stl", "solid a\nendsolid a\n"), brink_errorEmpty, "no faces");
}

// ---------------------------------------------------------------------------------------------------------------- glTF

// Five vertices and two triangles; 60 + 12 bytes.
static size_t makeGltfBuffer(unsigned char *out) {
  const float positions[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const uint16_t indices[6] = {0, 1, 2, 4, 1, 3};
  memcpy(out, positions, sizeof positions);
  memcpy(out + sizeof positions, indices, sizeof indices);
  return sizeof positions + sizeof indices;
}

static const char *gltfText(char out[3000], const char *nodes, const char *sceneNodes, const char *buffer) {
  snprintf(out, 3000,
           "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%s]}],\"nodes\":[%s],"
           "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
           "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"VEC3\",\"min\":[0,0,0],"
           "\"max\":[1,1,1]},"
           "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}],"
           "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,"
           "\"byteLength\":12}],"
           "\"buffers\":[{\"byteLength\":72%s}]}",
           sceneNodes, nodes, buffer);
  return out;
}

static size_t makeGlb(unsigned char *out, const char *json) {
  unsigned char buffer[72];
  size_t textSize = strlen(json), padded = (textSize + 3) / 4 * 4, bufferSize = makeGltfBuffer(buffer);
  const uint32_t header[5] = {0x46546C67u, 2, (uint32_t)(12 + 8 + padded + 8 + bufferSize), (uint32_t)padded,
                              0x4E4F534Au};
  const uint32_t chunk[2] = {(uint32_t)bufferSize, 0x004E4942u};
  memcpy(out, header, 20);
  memset(out + 20, ' ', padded);
  memcpy(out + 20, json, textSize);
  memcpy(out + 20 + padded, chunk, 8);
  memcpy(out + 28 + padded, buffer, bufferSize);
  return 28 + padded + bufferSize;
}

IN_FOLDER(gltf_nodes_place_and_mirror_their_meshes_in_double) {
  char text[3000];
  unsigned char buffer[72];
  writeBytes(state, "the buffer.bin", buffer, makeGltfBuffer(buffer));
  // One mesh shown three times: far away, inside a turned parent, and mirrored.
  gltfText(text,
           "{\"mesh\":0,\"translation\":[1000000,0,0]},"
           "{\"children\":[2],\"rotation\":[0,0,1,0],\"translation\":[0,5,0]},{\"mesh\":0,\"translation\":[1,0,0]},"
           "{\"mesh\":0,\"scale\":[-1,1,1]}",
           "0,1,3", ",\"uri\":\"the%20buffer.bin\"");
  brinkMesh mesh = import(writeText(state, "scene.gltf", text), 0);
  assert_int_equal(mesh.triangleCount, 6);
  assert_string_equal(message, "");
  brinkVec3 p = vertexOf(&mesh, 0, 1);
  assert_true(p.x == 1000001 && p.y == 0 && p.z == 0);
  p = vertexOf(&mesh, 2, 1);  // (1,0,0), moved by x = 1, turned by pi about z, moved by y = 5
  assert_true(fabs(p.x + 2) < 1e-6 && fabs(p.y - 5) < 1e-6 && fabs(p.z) < 1e-6);
  // Mirrored triangle (0,0,0) (-1,0,0) (0,1,0): the normal must still look along +z.
  brinkVec3 a = vertexOf(&mesh, 4, 0), b = vertexOf(&mesh, 4, 1), c = vertexOf(&mesh, 4, 2);
  assert_true((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0);
  brinkFreeMesh(&mesh);
}

IN_FOLDER(glb_is_read_and_cut_or_foreign_ones_are_refused) {
  char text[3000];
  unsigned char bytes[4000];
  size_t size = makeGlb(bytes, gltfText(text, "{\"mesh\":0}", "0", ""));
  brinkMesh mesh = import(writeBytes(state, "a.glb", bytes, size), 0);
  assert_int_equal(mesh.triangleCount, 2);
  assert_int_equal(mesh.vertexCount, 4);
  brinkFreeMesh(&mesh);
  assertRefused(writeBytes(state, "cut.glb", bytes, size - 30), brink_errorTruncated, "byte 8");
  assertRefused(writeBytes(state, "cut2.glb", bytes, 10), brink_errorTruncated, "byte 8");
  assertRefused(writeBytes(state, "none.glb", bytes, 0), brink_errorEmpty, "byte 0");
  assertRefused(writeBytes(state, "no.glb", "no glTF at all, just text", 25), brink_errorParse, "byte 0");
  bytes[4] = 1;
  assertRefused(writeBytes(state, "old.glb", bytes, size), brink_errorParse, "version 2");
  size = makeGlb(bytes, gltfText(text, "{\"mesh\":0}", "0", ""));
  const float nan = NAN;
  memcpy(bytes + size - 72, &nan, 4);
  assertRefused(writeBytes(state, "nan.glb", bytes, size), brink_errorBadValue, "vertex 0");
  size = makeGlb(bytes, gltfText(text, "{\"mesh\":0}", "0", ""));
  bytes[size - 2] = 99;  // an index out of range
  assertRefused(writeBytes(state, "index.glb", bytes, size), brink_errorBadIndex, "promises 2 faces, assimp reads 1");
  gltfText(text, "{\"mesh\":0}", "0", "");
  memcpy(strstr(text, "\"count\":6"), "\"count\":5", 9);
  assertRefused(writeBytes(state, "five.glb", bytes, makeGlb(bytes, text)), brink_errorParse, "multiple of 3");
}

IN_FOLDER(gltf_without_its_buffer_or_its_mesh_says_so) {
  char text[3000];
  unsigned char buffer[72];
  gltfText(text, "{\"mesh\":0}", "0", ",\"uri\":\"missing.bin\"");
  brinkMesh mesh = {0};
  assert_int_equal(brinkImportMesh(writeText(state, "a.gltf", text), 0, &mesh, message, sizeof message), brink_errorIo);
  assert_non_null(strstr(message, "missing.bin"));
  writeBytes(state, "short.bin", buffer, makeGltfBuffer(buffer) - 20);
  gltfText(text, "{\"mesh\":0}", "0", ",\"uri\":\"short.bin\"");
  assertRefused(writeText(state, "b.gltf", text), brink_errorParse, "assimp");
  writeBytes(state, "whole.bin", buffer, makeGltfBuffer(buffer));
  gltfText(text, "{\"mesh\":0,\"translation\":[1e39,0,0]}", "0", ",\"uri\":\"whole.bin\"");
  brinkStatus status = brinkImportMesh(writeText(state, "c.gltf", text), 0, &mesh, message, sizeof message);
  assert_true(status == brink_errorBadValue || status == brink_errorParse);
  gltfText(text, "{\"name\":\"nobody\"}", "0", ",\"uri\":\"whole.bin\"");
  status = brinkImportMesh(writeText(state, "d.gltf", text), 0, &mesh, message, sizeof message);
  assert_true(status == brink_errorEmpty && strlen(message) > 0);
  assertRefused(writeText(state, "e.gltf", "{ this is no JSON"), brink_errorParse, "byte 2");
  assertRefused(writeText(state, "g.gltf", "{}"), brink_errorParse, "assimp");
  assertRefused(writeText(state, "f.gltf", ""), brink_errorEmpty, "empty");
  assert_null(mesh.vertices);
}

// ------------------------------------------------------------------------------------------------------ whitelist,
// files

IN_FOLDER(formats_outside_the_whitelist_are_refused_before_they_are_opened) {
  static const char *const names[] = {"a.off", "a.ply", "a.dae", "a.raw", "a.obj.gz", "a", "a.", ".obj/a", NULL};
  for (int i = 0; names[i] != NULL; ++i) assertRefused(inFolder(state, names[i]), brink_errorParse, "is not read");
  // The 309-byte kind of OFF file that takes gigabytes: only a name away, never handed to assimp.
  const char *off = "OFF\n2000000000 2000000000 0\n0 0 0\n";
  assertRefused(writeText(state, "bomb.off", off), brink_errorParse, "'off' is not read");
  assertRefused(writeText(state, "bomb.obj", off), brink_errorParse, ":1: ");
}

IN_FOLDER(files_that_cannot_be_read_are_named_with_the_reason) {
  assertRefused(inFolder(state, "none.obj"), brink_errorIo, "No such file");
  const char *folder = inFolder(state, "folder.obj");
  assert_int_equal(mkdir(folder, 0700), 0);
  assertRefused(folder, brink_errorIo, "Is a directory");
  const char *pipe = inFolder(state, "pipe.obj");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assertRefused(pipe, brink_errorIo, "regular file");
  if (geteuid() != 0) {
    const char *locked = writeText(state, "locked.obj", CUBE_VERTICES CUBE_FACES);
    chmod(locked, 0);
    assertRefused(locked, brink_errorIo, "Permission");
  }
  brinkMesh mesh = {0};
  assert_int_equal(brinkImportMesh(NULL, 0, &mesh, message, sizeof message), brink_errorNullArgument);
  assert_int_equal(brinkImportMesh("a.obj", 0, NULL, NULL, 0), brink_errorNullArgument);
  assert_int_equal(brinkImportMesh("a.obj", 64, &mesh, message, sizeof message), brink_errorBadValue);
}

// Property: whatever the bytes, either a sound mesh or a status with a message; never a crash.
IN_FOLDER(damaged_files_never_crash_and_always_say_why) {
  const uint64_t seed = 99;
  testRandom random = {seed};
  char text[3000];
  unsigned char stl[84 + 50 * 4], glb[4000];
  const char *objText = CUBE_VERTICES "vn 0 0 1\no part\nl 1 2 3\np 4\nf 1/1/1 4 3 2\nf -1 -2 -3\n" CUBE_FACES;
  const char *stlText = "solid a b\n" FACET FACET "endsolid a b\n";
  const struct {
    const char *name;
    const void *bytes;
    size_t size;
    int rounds;
  } files[] = {
      {"m.obj", objText, strlen(objText), 1200},
      {"m.stl", stl, makeStl(stl, 4, 4, "binary"), 300},
      {"t.stl", stlText, strlen(stlText), 700},
      {"m.glb", glb, makeGlb(glb, gltfText(text, "{\"mesh\":0,\"scale\":[1,2,3]},{\"children\":[0]}", "1", "")), 300}};
  size_t accepted = 0, refused = 0;
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    unsigned char *bytes = malloc(files[f].size + 16);
    for (int round = 0; round < files[f].rounds; ++round) {
      size_t size = files[f].size;
      memcpy(bytes, files[f].bytes, size);
      for (size_t change = 1 + nextBelow(&random, 3); change > 0; --change) {
        size_t at = nextBelow(&random, size);
        static const unsigned char picks[] = " \n0123456789-+.eE/\\#fvlp\r\t";
        switch (nextBelow(&random, 4)) {
          case 0:
            bytes[at] ^= (unsigned char)(1u << nextBelow(&random, 8));
            break;
          case 1:
            bytes[at] = picks[nextBelow(&random, sizeof picks - 1)];
            break;
          case 2:
            size = at + 1;
            break;
          default:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size -= size > 1;
            break;
        }
      }
      brinkMesh mesh = {0};
      brinkStatus status =
          brinkImportMesh(writeBytes(state, files[f].name, bytes, size), 0, &mesh, message, sizeof message);
      if (status == brink_ok) {
        ++accepted;
        for (size_t i = 0; i < 3 * mesh.triangleCount; ++i) assert_true(mesh.indices[i] < mesh.vertexCount);
        for (size_t i = 0; i < 3 * mesh.vertexCount; ++i) assert_true(isfinite(mesh.vertices[i]));
        assert_true(mesh.triangleCount > 0);
        brinkFreeMesh(&mesh);
      } else {
        ++refused;
        assert_null(mesh.vertices);
        if (strstr(message, files[f].name) == NULL) fail_msg("seed %llu: '%s'", (unsigned long long)seed, message);
      }
    }
    free(bytes);
  }
  assert_true(accepted > 150 && refused > 150);
}

int main(void) { return cases_Run(NULL, NULL); }
