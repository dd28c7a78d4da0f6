/* SPDX-License-Identifier: BSD-3-Clause */
/* Model files as bytes in memory: which files belong to a model, are they whole, what is their hash.
 *
 * Only OBJ, STL, GLB and glTF: assimp's PLY and OFF readers crash, hang or take gigabytes on small damaged files
 * (assimp #5738, #4306, CVE-2026-14604; an OFF file of 309 bytes took 15 GB). A size cap keeps the rest small.
 * Based on: glTF 2.0 specification, sections 3.6.1 (buffers, uri) and 4.4 (GLB layout). */
#include "source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "message.h"

uint64_t brinkHashBytes(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *cursor = bytes;
  uint64_t hash = seed ^ (uint64_t)size;
  while (size > 0) {
    uint64_t word = 0;
    size_t step = size < sizeof word ? size : sizeof word;
    memcpy(&word, cursor, step);
    // An odd factor and a shift-xor: both can be undone, so no two words lead from one state to the same next one.
    hash = (hash ^ word) * 0xD1B54A32D192ED03ull;
    hash ^= hash >> 29;
    cursor += step;
    size -= step;
  }
  hash *= 0x9E6C63D0876A9A47ull;
  return hash ^ hash >> 32;
}

static brinkStatus sayErrno(const char *path, const char *what, const char *remedy, int error, char *message,
                            size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s: cannot %s: %s; %s", path, what, strerror(error), remedy);
  return error == ENOMEM ? brink_errorNoMemory : brink_errorIo;
}

// Reads until `size` bytes are there; a file that shrank meanwhile is an error, too.
static int readFully(int file, unsigned char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t got = read(file, bytes + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;
    done += (size_t)got;
  }
  return 0;
}

brinkStatus brinkReadFile(const char *path, size_t cap, unsigned char **bytes, size_t *size, char *message,
                          size_t messageCapacity) {
  *bytes = NULL;
  *size = 0;
  const char *const remedy = "check the path and its permissions";
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // non-blocking: a named pipe must not hang the host
  if (file < 0) return sayErrno(path, "open", remedy, errno, message, messageCapacity);
  struct stat info;
  brinkStatus status = brink_ok;
  if (fstat(file, &info) != 0) {
    status = sayErrno(path, "look at it", remedy, errno, message, messageCapacity);
  } else if (!S_ISREG(info.st_mode)) {
    status = sayErrno(path, "read", "a regular file is needed", S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP, message,
                      messageCapacity);
  } else if ((uintmax_t)info.st_size > cap) {
    brinkSay(message, messageCapacity, "%s: %.0f MB, more than the cap of %.0f MB; split or simplify the model", path,
             (double)info.st_size / 1048576.0, (double)cap / 1048576.0);
    status = brink_errorRange;
  } else {
    unsigned char *read = malloc((size_t)info.st_size + 1);
    int error = read == NULL ? ENOMEM : readFully(file, read, (size_t)info.st_size);
    if (error != 0) {
      free(read);
      status = sayErrno(path, "read", "check the disk and try again", error, message, messageCapacity);
    } else {
      read[info.st_size] = 0;
      *bytes = read;
      *size = (size_t)info.st_size;
    }
  }
  close(file);
  return status;
}

static brinkStatus findFormat(const char *path, brinkModelFormat *format, char *message, size_t messageCapacity) {
  static const char *const names[] = {"obj", "stl", "glb", "gltf"};  // in the order of brinkModelFormat
  const char *slash = strrchr(path, '/');
  const char *point = strrchr(slash != NULL ? slash : path, '.');
  for (int i = 0; point != NULL && i < 4; ++i) {
    if (strcasecmp(point + 1, names[i]) == 0) {
      *format = (brinkModelFormat)i;
      return brink_ok;
    }
  }
  brinkSay(message, messageCapacity, "%s: the format '%s' is not read; export as OBJ, STL, GLB or glTF", path,
           point != NULL ? point + 1 : "");
  return brink_errorParse;
}

static brinkStatus addSource(brinkSourceSet *set, char *name, unsigned char *bytes, size_t size) {
  brinkSource *items = realloc(set->items, (set->count + 1) * sizeof *items);
  if (items == NULL) return brink_errorNoMemory;
  set->items = items;
  items[set->count++] = (brinkSource){name, bytes, size};
  return brink_ok;
}

// The uri of a buffer as assimp will ask for it: escapes undone where a file name may hold them.
static char *copyUri(const brinkJsonNode *node) {
  char *name = malloc(node->length + 1);
  if (name == NULL) return NULL;
  size_t length = 0;
  for (size_t i = 0; i < node->length; ++i) {
    if (node->text[i] == '\\' && i + 1 < node->length) ++i;
    name[length++] = node->text[i];
  }
  name[length] = 0;
  return name;
}

static char *besideFile(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0, length = strlen(name);
  char *joined = malloc(folder + length + 1);
  if (joined == NULL) return NULL;
  memcpy(joined, path, folder);
  memcpy(joined + folder, name, length + 1);
  return joined;
}

// In place: %20 and the like become the bytes they stand for.
static void decodePercents(char *name) {
  char *out = name;
  for (const char *c = name; *c != 0; ++c) {
    char hex[3] = {0};
    if (*c == '%' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2])) {
      memcpy(hex, c + 1, 2);
      *out++ = (char)strtol(hex, NULL, 16);
      c += 2;
    } else {
      *out++ = *c;
    }
  }
  *out = 0;
}

// The file that a uri names: as written, or else with its percent signs decoded.
static char *findBuffer(const char *path, const char *name) {
  char *file = besideFile(path, name);
  if (file != NULL && access(file, F_OK) != 0) decodePercents(file + (strlen(file) - strlen(name)));
  return file;
}

static brinkStatus loadBuffer(brinkSourceSet *set, const char *path, const brinkJsonNode *uri, char *message,
                              size_t messageCapacity) {
  size_t total = 0;
  for (size_t i = 0; i < set->count; ++i) total += set->items[i].size;
  char *name = copyUri(uri), *file = name != NULL ? findBuffer(path, name) : NULL;
  unsigned char *bytes = NULL;
  size_t size = 0;
  brinkStatus status = brink_errorNoMemory;
  if (file != NULL)
    status = brinkReadFile(file, total < BRINK_IMPORT_MAX_BYTES ? BRINK_IMPORT_MAX_BYTES - total : 0, &bytes, &size,
                           message, messageCapacity);
  if (status == brink_ok) status = addSource(set, name, bytes, size);
  if (status != brink_ok) {
    free(name);
    free(bytes);
  }
  free(file);
  return status;
}

// Corners of a primitive: of its indices, or else of its positions.
static size_t countCorners(const brinkJson *json, size_t primitive, size_t accessors) {
  size_t accessor = brinkJson_Member(json, primitive, "indices");
  if (accessor == 0) accessor = brinkJson_Member(json, brinkJson_Member(json, primitive, "attributes"), "POSITION");
  size_t index = brinkJson_Whole(json, accessor, SIZE_MAX);
  return brinkJson_Whole(json, brinkJson_Member(json, brinkJson_Element(json, accessors, index), "count"), 0);
}

// Faces (points, segments, triangles) that all meshes promise; glTF 2.0, section 3.7.2.1.
static brinkStatus countPromised(const brinkJson *json, const char *path, size_t *faces, char *message,
                                 size_t messageCapacity) {
  const size_t meshes = brinkJson_Member(json, BRINK_JSON_ROOT, "meshes"),
               accessors = brinkJson_Member(json, BRINK_JSON_ROOT, "accessors");
  size_t meshNumber = 0;
  *faces = 0;
  for (size_t mesh = brinkJson_First(json, meshes); mesh != 0;
       mesh = brinkJson_Next(json, meshes, mesh), ++meshNumber) {
    const size_t primitives = brinkJson_Member(json, mesh, "primitives");
    for (size_t p = brinkJson_First(json, primitives); p != 0; p = brinkJson_Next(json, primitives, p)) {
      const size_t corners = countCorners(json, p, accessors),
                   mode = brinkJson_Whole(json, brinkJson_Member(json, p, "mode"), 4);
      const size_t group = mode == 4 ? 3 : mode == 1 ? 2 : 1;
      if (corners % group != 0) {
        brinkSay(message, messageCapacity,
                 "%s: mesh %zu (from 0) has %zu corners, not a multiple of %zu; export it again", path, meshNumber,
                 corners, group);
        return brink_errorParse;
      }
      const size_t ends = mode == 3 ? 1 : mode == 5 || mode == 6 ? 2 : 0;  // of a strip or fan
      *faces += mode == 4 || mode == 1 ? corners / group : corners > ends ? corners - ends : 0;
    }
  }
  return brink_ok;
}

// The buffers that the JSON names, and how many faces it promises: assimp drops faces with a bad index without a word.
static brinkStatus readJson(brinkSourceSet *set, const char *path, const char *text, size_t size, char *message,
                            size_t messageCapacity) {
  brinkJson json;
  size_t place;
  brinkStatus status = brinkJson_Parse(&json, text, size, &place);
  if (status != brink_ok) {
    const char *start = (const char *)set->items[0].bytes;
    brinkSay(message, messageCapacity, "%s: byte %zu: the JSON does not read; export the file again", path,
             (size_t)(text - start) + place);
    return status;
  }
  const size_t buffers = brinkJson_Member(&json, BRINK_JSON_ROOT, "buffers");
  for (size_t b = brinkJson_First(&json, buffers); b != 0 && status == brink_ok;
       b = brinkJson_Next(&json, buffers, b)) {
    const size_t uri = brinkJson_Member(&json, b, "uri");
    const brinkJsonNode *node = &json.nodes[uri];
    if (uri == 0 || node->kind != '"' || (node->length >= 5 && strncmp(node->text, "data:", 5) == 0)) continue;
    status = loadBuffer(set, path, node, message, messageCapacity);
  }
  if (status == brink_ok) status = countPromised(&json, path, &set->promisedFaces, message, messageCapacity);
  brinkJson_Free(&json);
  return status;
}

static uint32_t littleEndian(const unsigned char *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// GLB: 12 bytes of header, then chunks; the first one is the JSON.
static brinkStatus findGlbJson(const brinkSource *file, const char *path, const char **json, const char **jsonEnd,
                               char *message, size_t messageCapacity) {
  const unsigned char *bytes = file->bytes;
  if (file->size < 4 || memcmp(bytes, "glTF", 4) != 0) {
    brinkSay(message, messageCapacity, "%s: byte 0: no GLB file (it does not begin with 'glTF'); export it again",
             path);
    return file->size == 0 ? brink_errorEmpty : brink_errorParse;
  }
  if (file->size < 20 || littleEndian(bytes + 8) > file->size || littleEndian(bytes + 12) > file->size - 20) {
    brinkSay(message, messageCapacity,
             "%s: byte 8: the header promises more than the %zu bytes there are; export it again", path, file->size);
    return brink_errorTruncated;
  }
  if (littleEndian(bytes + 4) != 2 || memcmp(bytes + 16, "JSON", 4) != 0) {
    brinkSay(message, messageCapacity, "%s: byte 4: not GLB version 2; export it again as glTF 2.0", path);
    return brink_errorParse;
  }
  *json = (const char *)bytes + 20;
  *jsonEnd = *json + littleEndian(bytes + 12);
  return brink_ok;
}

brinkStatus brinkSourceSet_Load(brinkSourceSet *set, const char *path, char *message, size_t messageCapacity) {
  *set = (brinkSourceSet){0};
  brinkStatus status = findFormat(path, &set->format, message, messageCapacity);
  if (status != brink_ok) return status;
  unsigned char *bytes;
  size_t size;
  status = brinkReadFile(path, BRINK_IMPORT_MAX_BYTES, &bytes, &size, message, messageCapacity);
  if (status != brink_ok) return status;
  status = addSource(set, NULL, bytes, size);
  if (status != brink_ok) {
    free(bytes);
    brinkSay(message, messageCapacity, "%s: out of memory", path);
    return status;
  }
  const char *json = (const char *)bytes, *jsonEnd = json + size;
  if (set->format == brink_formatGlb)
    status = findGlbJson(&set->items[0], path, &json, &jsonEnd, message, messageCapacity);
  if (status == brink_ok && size > 0 && (set->format == brink_formatGlb || set->format == brink_formatGltf))
    status = readJson(set, path, json, (size_t)(jsonEnd - json), message, messageCapacity);
  if (status != brink_ok) brinkSourceSet_Free(set);
  return status;
}

void brinkSourceSet_Free(brinkSourceSet *set) {
  for (size_t i = 0; i < set->count; ++i) {
    free(set->items[i].name);
    free(set->items[i].bytes);
  }
  free(set->items);
  *set = (brinkSourceSet){0};
}

uint64_t brinkSourceSet_Hash(const brinkSourceSet *set) {
  uint64_t hash = (uint64_t)set->format;
  for (size_t i = 0; i < set->count; ++i) hash = brinkHashBytes(hash, set->items[i].bytes, set->items[i].size);
  return hash;
}
