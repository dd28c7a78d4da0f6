/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink cook FILE [-o OUT]`: imports a mesh and writes it cooked, as the caches of the library are: versioned,
 * checksummed, made anew when FILE has changed. `brink info FILE`: what a mesh, or a cooked one, contains. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brink/assets.h"
#include "brink/cook.h"
#include "command.h"
#include "output.h"

/* A cache file is a header of this size and magic, then the blob (assets/store.c). */
#define STORE_MAGIC "BRNKSTOR"
#define STORE_HEADER_SIZE 64

typedef struct cookOptions {
  const char *path, *outPath;
  uint32_t meshFlags;
  bool quiet;
  brinkForm form;
} cookOptions;

static const brinkColumn columns[] = {{"file", NULL, -24},   {"kind", NULL, -8},     {"bytes", NULL, 10},
                                      {"vertices", NULL, 8}, {"triangles", NULL, 9}, {"degenerate", NULL, 10},
                                      {"closed", NULL, 6},   {"manifold", NULL, 8},  {"convex", NULL, 6},
                                      {"patches", NULL, 8},  {"hulls", NULL, 8},     {"lower_x", "m", 10},
                                      {"lower_y", "m", 10},  {"lower_z", "m", 10},   {"upper_x", "m", 10},
                                      {"upper_y", "m", 10},  {"upper_z", "m", 10}};

/* One row; form: csv or json. */
static void printRow(brinkForm form, const char *path, const char *kind, size_t bytes,
                     const brinkMeshSummary *summary) {
  brinkRows rows = brinkRows_Open(form, "mesh", columns, sizeof columns / sizeof columns[0]);
  const uint32_t yes[3] = {summary->closed, summary->manifold, summary->convex};
  const brinkVec3 ends[2] = {summary->bounds.lower, summary->bounds.upper};
  brinkRows_Text(&rows, path);
  brinkRows_Text(&rows, kind);
  brinkRows_Count(&rows, bytes);
  brinkRows_Count(&rows, summary->vertexCount);
  brinkRows_Count(&rows, summary->triangleCount);
  brinkRows_Count(&rows, summary->degenerateCount);
  for (int i = 0; i < 3; ++i) brinkRows_Count(&rows, yes[i] != 0u);
  brinkRows_Count(&rows, summary->patchCount);
  brinkRows_Count(&rows, summary->nodeCount);
  for (int i = 0; i < 2; ++i) {
    brinkRows_Number(&rows, ends[i].x);
    brinkRows_Number(&rows, ends[i].y);
    brinkRows_Number(&rows, ends[i].z);
  }
  brinkRows_End(&rows);
}

static void printSummary(const brinkMeshSummary *summary) {
  printf("vertices %zu\ntriangles %zu (degenerate %zu)\n", summary->vertexCount, summary->triangleCount,
         summary->degenerateCount);
  printf("closed %s, manifold %s, convex %s\n", summary->closed ? "yes" : "no", summary->manifold ? "yes" : "no",
         summary->convex ? "yes" : "no");
  printf("convex patches %zu, hulls in the tree %zu\n", summary->patchCount, summary->nodeCount);
  printf("bounds %.9g %.9g %.9g to %.9g %.9g %.9g\n", summary->bounds.lower.x, summary->bounds.lower.y,
         summary->bounds.lower.z, summary->bounds.upper.x, summary->bounds.upper.y, summary->bounds.upper.z);
}

static int describeBlob(const char *path, const void *blob, size_t blobSize, const char *kind, brinkForm form) {
  brinkMeshSummary summary = {.structSize = sizeof summary};
  char message[512] = "";
  brinkStatus status = brinkCheckBlob(blob, blobSize, &summary, message, sizeof message);
  if (status != brink_ok) {
    fprintf(stderr, "brink: %s: %s\n", path, message);
    return BRINK_EXIT_MALFORMED;
  }
  if (form != brink_formAuto)
    printRow(form, path, kind, blobSize, &summary);
  else
    printSummary(&summary);
  return BRINK_EXIT_OK;
}

/* A status of the loader as an exit status: what is wrong with the file is malformed input. */
static int exitOf(brinkStatus status) {
  switch (status) {
    case brink_ok:
      return BRINK_EXIT_OK;
    case brink_errorIo:
    case brink_errorNoMemory:
    case brink_errorBusy:
    case brink_errorInternal:
      return BRINK_EXIT_FAILURE;
    default:
      return BRINK_EXIT_MALFORMED;
  }
}

/* ---- cook */

static const brinkOption cookRows[] = {
    BRINK_OUTPUT_PATH("OUT", cookOptions, outPath, "Where the cooked mesh goes [FILE.brink]"),
    BRINK_BITS("solid", BRINK_MESH_SOLID, cookOptions, meshFlags,
               "The mesh is closed and has an inside; refused when it is not"),
    {"quiet", NULL, "No progress, no description", 'q', brink_setFlag, offsetof(cookOptions, quiet), 0, 0},
    BRINK_FORMS(cookOptions),
    BRINK_FILE(cookOptions, "no FILE"),
    {0}};

static int runCook(void *user) {
  const cookOptions *options = user;
  void *blob = NULL;
  size_t blobSize = 0;
  int cacheHit = 0;
  char message[512] = "";
  double start = brinkSeconds();
  brinkStatus status = brinkLoadCooked(options->path, options->outPath, options->meshFlags, options->quiet, &blob,
                                       &blobSize, &cacheHit, message, sizeof message);
  if (message[0] != '\0') fprintf(stderr, "brink: %s\n", message);
  if (status != brink_ok) return exitOf(status);
  if (!options->quiet || options->form != brink_formAuto) {
    if (options->form == brink_formAuto)
      printf("%s: %s, %zu bytes, %.0f ms\n", options->path, cacheHit ? "already cooked" : "cooked", blobSize,
             1000.0 * (brinkSeconds() - start));
    describeBlob(options->path, blob, blobSize, "cooked", options->form);
  }
  brinkFreeBlob(blob);
  return message[0] != '\0' ? BRINK_EXIT_FAILURE : BRINK_EXIT_OK;  // a result that is not kept is no result here
}

const brinkCommand brinkCookCommand = {
    .options = cookRows,
    .arguments = "FILE",
    .documentation =
        "Cooks a mesh: convex surface decomposition and a tree of convex hulls, once, for fast questions ever after.\v"
        "Reads OBJ, STL, GLB and glTF. The result is also the cache that programs find beside FILE.\n\n"
        "Examples:\n"
        "  brink cook car.obj\n"
        "  brink cook --solid crate.stl -o crate.brink\n\n"
        "Exit status: 0 done, 1 could not be read or written, 2 malformed mesh or usage.",
    .size = sizeof(cookOptions),
    .run = runCook};

/* ---- info */

static const brinkOption infoRows[] = {BRINK_FORMS(cookOptions), BRINK_FILE(cookOptions, "no FILE"), {0}};

/* Whole file, malloc'ed (so aligned for a blob); NULL with a message on stderr. */
static unsigned char *readFile(const char *path, size_t *size) {
  errno = 0;
  FILE *file = fopen(path, "rb");
  unsigned char *data = NULL;
  size_t capacity = 0;
  *size = 0;
  while (file != NULL) {
    if (*size == capacity) {
      capacity = capacity == 0 ? 1u << 16 : capacity * 2;
      unsigned char *larger = realloc(data, capacity);
      if (larger == NULL) break;
      data = larger;
    }
    size_t got = fread(data + *size, 1, capacity - *size, file);
    *size += got;
    if (got == 0) break;
  }
  bool good = file != NULL && feof(file) && !ferror(file);
  if (!good) fprintf(stderr, "brink: %s: %s\n", path, strerror(errno != 0 ? errno : ENOMEM));
  if (file != NULL) fclose(file);
  if (good) return data;
  free(data);
  return NULL;
}

static int describeMesh(const char *path, brinkForm form) {
  brinkMesh mesh;
  memset(&mesh, 0, sizeof mesh);
  char message[512] = "";
  brinkStatus status = brinkImportMesh(path, 0, &mesh, message, sizeof message);
  if (status != brink_ok) {
    fprintf(stderr, "brink: %s\n", message);
    return exitOf(status);
  }
  brinkMeshView view = brinkViewMesh(&mesh, 0);
  const brinkCookOptions options = {.structSize = sizeof options};
  void *blob = NULL;
  size_t blobSize = 0;
  status = brinkCook(&view, &options, &blob, &blobSize, message, sizeof message);
  brinkFreeMesh(&mesh);
  if (status != brink_ok) {
    fprintf(stderr, "brink: %s: %s\n", path, message);
    return exitOf(status);
  }
  if (form == brink_formAuto) printf("%s: mesh\n", path);
  int result = describeBlob(path, blob, blobSize, "mesh", form);
  brinkFreeBlob(blob);
  return result;
}

static int runInfo(void *user) {
  const cookOptions *options = user;
  const char *path = options->path;
  size_t size;
  unsigned char *data = readFile(path, &size);
  if (data == NULL) return BRINK_EXIT_FAILURE;
  bool store = size >= STORE_HEADER_SIZE && memcmp(data, STORE_MAGIC, sizeof STORE_MAGIC - 1) == 0;
  int status;
  if (store) {
    size -= STORE_HEADER_SIZE;
    memmove(data, data + STORE_HEADER_SIZE, size);
  }
  if (store || brinkCheckBlob(data, size, NULL, NULL, 0) == brink_ok) {
    if (options->form == brink_formAuto) printf("%s: cooked mesh, %zu bytes\n", path, size);
    status = describeBlob(path, data, size, "cooked", options->form);
  } else {
    status = describeMesh(path, options->form);
  }
  free(data);
  return status;
}

const brinkCommand brinkInfoCommand = {
    .options = infoRows,
    .arguments = "FILE",
    .documentation =
        "What a mesh file, or a cooked one, contains.\v"
        "A mesh is imported and cooked in memory; nothing is written.\n\n"
        "Examples:\n"
        "  brink info mountain.obj\n"
        "  brink info mountain.obj.brink\n\n"
        "Exit status: 0 done, 1 could not be read, 2 malformed or damaged file, or usage.",
    .size = sizeof(cookOptions),
    .run = runInfo};
