/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict OBJ and STL readers: what may be imported, and where exactly it is broken.
 *
 * Assimp is lenient where collision geometry must not be: it lets a face with index 0 through, stops at a NaN, reads
 * "1,5" as 1.5, and rounds to float. Here every v, f, l and p is checked in one pass; whatever could lose or bend a
 * triangle is refused with its line. Numbers are read to the nearest double. Faces of any number of corners are kept,
 * also those that are points and segments. Everything that is no geometry (colours, normals, groups) is skipped.
 *
 * Based on: Wavefront OBJ specification, appendix B1 (v, f, l, p; relative indices; line continuation);
 * StereoLithography Interface Specification, 3D Systems 1989 (both forms); Clinger 1990 for the exact fast path of
 * decimal numbers. */
#include "scan.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"

/* Assimp copies a token into a buffer of 4096 bytes; nobody writes a number longer than this. */
enum { maxTokenLength = 512 };

typedef struct scanner {
  brinkScan *out;
  size_t vertexCapacity, cornerCapacity, faceCapacity;
  const char *path;
  const unsigned char *cursor, *end;
  size_t line;           // from 1
  size_t farthestIndex;  // largest index that was ahead of its vertices when read, from 1; and its line
  size_t farthestLine;
  char *message;
  size_t messageCapacity;
} scanner;

typedef struct token {
  const unsigned char *text;
  size_t length;  // 0: end of the line
} token;

// ---------------------------------------------------------------------------------------------------- messages, memory

static brinkStatus refuse(scanner *scan, brinkStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static brinkStatus refuse(scanner *scan, brinkStatus status, const char *format, ...) {
  char reason[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  brinkSay(scan->message, scan->messageCapacity, "%s:%zu: %s", scan->path, scan->line, reason);
  return status;
}

static brinkStatus refuseForMemory(scanner *scan) {
  return refuse(scan, brink_errorNoMemory, "out of memory after %zu faces", scan->out->faceCount);
}

// A token as it can be shown: printable, at most 32 characters.
static const char *shown(token word, char buffer[36]) {
  size_t length = word.length < 32 ? word.length : 32;
  for (size_t i = 0; i < length; ++i) buffer[i] = (char)(isprint(word.text[i]) ? word.text[i] : '?');
  memcpy(buffer + length, word.length > 32 ? "..." : "", word.length > 32 ? 4 : 1);
  return buffer;
}

bool brinkAssets_Reserve(void **array, size_t *capacity, size_t needed, size_t elementSize) {
  if (needed <= *capacity) return true;
  size_t wanted = *capacity < 512 ? 1024 : *capacity * 2;
  if (wanted < needed) wanted = needed;
  void *grown = realloc(*array, wanted * elementSize);
  if (grown == NULL) return false;
  *array = grown;
  *capacity = wanted;
  return true;
}

static bool addVertex(scanner *scan, const double position[3]) {
  brinkScan *out = scan->out;
  if (!brinkAssets_Reserve((void **)&out->vertices, &scan->vertexCapacity, out->vertexCount + 1, 3 * sizeof(double)))
    return false;
  // -0 and 0 are one place; adding 0 makes them one number, so that welding on bits joins them.
  for (int axis = 0; axis < 3; ++axis) out->vertices[3 * out->vertexCount + axis] = position[axis] + 0.0;
  out->vertexCount++;
  return true;
}

static bool addCorner(scanner *scan, uint32_t vertex) {
  brinkScan *out = scan->out;
  if (!brinkAssets_Reserve((void **)&out->corners, &scan->cornerCapacity, out->cornerCount + 1, sizeof(uint32_t)))
    return false;
  out->corners[out->cornerCount++] = vertex;
  return true;
}

static bool addFace(scanner *scan, uint32_t size) {
  brinkScan *out = scan->out;
  if (!brinkAssets_Reserve((void **)&out->faceSizes, &scan->faceCapacity, out->faceCount + 1, sizeof(uint32_t)))
    return false;
  out->faceSizes[out->faceCount++] = size;
  return true;
}

static void emit(scanner *scan, const void *text, size_t length, char separator) {
  memcpy(scan->out->text + scan->out->textSize, text, length);
  scan->out->textSize += length;
  scan->out->text[scan->out->textSize++] = (unsigned char)separator;
}

// ---------------------------------------------------------------------------------------------------------------
// tokens

// A coordinate for assimp, which does not count words that begin with a point.
static void emitNumber(scanner *scan, token word, char separator) {
  if (word.text[0] == '.') scan->out->text[scan->out->textSize++] = '0';
  emit(scan, word.text, word.length, separator);
}

static bool atLineEnd(const scanner *scan) {
  return scan->cursor >= scan->end || *scan->cursor == '\n' || *scan->cursor == '\r';
}

// Blanks, and a backslash at the end of a line, which joins it with the next one.
static void skipBlanks(scanner *scan) {
  for (; scan->cursor < scan->end; ++scan->cursor) {
    unsigned char c = *scan->cursor;
    if (c == ' ' || c == '\t' || c == '\v' || c == '\f') continue;
    if (c == '\\' && scan->cursor + 1 < scan->end && (scan->cursor[1] == '\n' || scan->cursor[1] == '\r')) {
      if (scan->cursor[1] == '\r' && scan->cursor + 2 < scan->end && scan->cursor[2] == '\n') scan->cursor++;
      scan->cursor++;
      scan->line++;
      continue;
    }
    return;
  }
}

static void skipRestOfLine(scanner *scan) {
  while (!atLineEnd(scan)) {
    bool joined = *scan->cursor == '\\';
    if (joined) skipBlanks(scan);
    if (!atLineEnd(scan) && (!joined || *scan->cursor == '\\')) scan->cursor++;
  }
}

static void stepOverLineEnd(scanner *scan) {
  if (scan->cursor >= scan->end) return;
  if (*scan->cursor == '\r' && scan->cursor + 1 < scan->end && scan->cursor[1] == '\n') scan->cursor++;
  scan->cursor++;
  scan->line++;
}

// The next word of this line; a comment ends the line.
static token nextWord(scanner *scan) {
  skipBlanks(scan);
  if (scan->cursor < scan->end && *scan->cursor == '#') skipRestOfLine(scan);
  token word = {scan->cursor, 0};
  while (!atLineEnd(scan) && *scan->cursor != ' ' && *scan->cursor != '\t' && *scan->cursor != '\v' &&
         *scan->cursor != '\f' && *scan->cursor != '#') {
    if (*scan->cursor == '\\' && scan->cursor + 1 < scan->end && (scan->cursor[1] == '\n' || scan->cursor[1] == '\r'))
      break;
    scan->cursor++;
  }
  word.length = (size_t)(scan->cursor - word.text);
  return word;
}

// The next word of the text, over line ends.
static token nextWordAnywhere(scanner *scan) {
  for (;;) {
    token word = nextWord(scan);
    if (word.length > 0 || scan->cursor >= scan->end) return word;
    stepOverLineEnd(scan);
  }
}

static bool isWord(token word, const char *text) {
  return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

static bool isWordOfAnyCase(token word, const char *text) {
  return strlen(text) == word.length && strncasecmp((const char *)word.text, text, word.length) == 0;
}

static bool isOneOf(token word, const char *const *list) {
  for (; *list != NULL; ++list) {
    if (isWord(word, *list)) return true;
  }
  return false;
}

// --------------------------------------------------------------------------------------------------------------
// numbers

// [+-] digits [. digits] [e [+-] digits], the whole word. Needs the C locale for the slow path (see brinkScan_Obj).
static bool parseDecimal(token word, double *out) {
  static const double powersOfTen[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const unsigned char *c = word.text, *end = word.text + word.length;
  bool negative = c < end && *c == '-';
  if (c < end && (*c == '-' || *c == '+')) ++c;
  uint64_t mantissa = 0;
  int digits = 0, significant = 0, exponent = 0;
  bool afterPoint = false;
  for (; c < end; ++c) {
    if (*c == '.' && !afterPoint) {
      afterPoint = true;
      continue;
    }
    if (*c < '0' || *c > '9') break;
    ++digits;
    if (significant < 19) {
      mantissa = mantissa * 10 + (uint64_t)(*c - '0');
      if (mantissa != 0) ++significant;
    } else {
      significant = 20;  // more digits than the fast path holds
    }
    if (afterPoint) --exponent;
  }
  if (digits == 0) return false;
  if (c < end && (*c == 'e' || *c == 'E')) {
    ++c;
    bool negativeExponent = c < end && *c == '-';
    if (c < end && (*c == '-' || *c == '+')) ++c;
    if (c == end) return false;
    int written = 0;
    for (; c < end && *c >= '0' && *c <= '9'; ++c) written = written < 100000 ? written * 10 + (*c - '0') : written;
    exponent += negativeExponent ? -written : written;
  }
  if (c != end) return false;
  // Clinger: mantissa and power are exact, so one rounding.
  if (significant <= 19 && mantissa <= (1ull << 53) && exponent >= -22 && exponent <= 22) {
    double value = exponent < 0 ? (double)mantissa / powersOfTen[-exponent] : (double)mantissa * powersOfTen[exponent];
    *out = negative ? -value : value;
  } else {
    *out = strtod((const char *)word.text, NULL);  // stops at the blank, line end or NUL behind the word
  }
  return true;
}

static brinkStatus readCoordinate(scanner *scan, token word, double *out) {
  char buffer[36];
  if (word.length == 0) return refuse(scan, brink_errorParse, "a vertex needs three numbers; the file is damaged here");
  if (word.length > maxTokenLength)
    return refuse(scan, brink_errorParse, "a number of %zu characters; write at most %d", word.length, maxTokenLength);
  if (!parseDecimal(word, out))
    return refuse(scan, brink_errorParse,
                  "'%s' is not a finite decimal number (digits with a point); export the file again",
                  shown(word, buffer));
  if (!(fabs(*out) <= (double)FLT_MAX))
    return refuse(scan, isinf(*out) ? brink_errorParse : brink_errorRange,
                  "'%s' is too large for a coordinate; scale the model down", shown(word, buffer));
  return brink_ok;
}

// v, or v/vt, v//vn, v/vt/vn: the vertex, from 0. *indexLength = length of the vertex part.
static brinkStatus readCorner(scanner *scan, token word, uint32_t *vertex, size_t *indexLength) {
  char buffer[36];
  const uint64_t ceiling = (uint64_t)1 << 62;
  size_t i = 0, slashes = 0, digits = 0;
  bool negative = word.length > 0 && word.text[0] == '-';
  uint64_t value = 0;
  if (negative) ++i;
  for (; i < word.length && isdigit(word.text[i]); ++i, ++digits)
    value = value < ceiling / 10 ? value * 10 + (uint64_t)(word.text[i] - '0') : ceiling;
  *indexLength = i;
  bool wellFormed = digits > 0;
  for (; i < word.length && wellFormed; ++i) {
    if (word.text[i] == '/')
      ++slashes;
    else if (!isdigit(word.text[i]) && !(word.text[i] == '-' && word.text[i - 1] == '/'))
      wellFormed = false;
  }
  if (!wellFormed || slashes > 2 || word.length > maxTokenLength)
    return refuse(scan, brink_errorParse, "'%s' is not a corner (v, v/vt, v//vn or v/vt/vn); export the file again",
                  shown(word, buffer));
  size_t known = scan->out->vertexCount;
  if (value == 0) return refuse(scan, brink_errorBadIndex, "vertex index 0: OBJ counts from 1");
  if (negative && value > known)
    return refuse(scan, brink_errorBadIndex, "vertex index %s: only %zu vertices stand before it", shown(word, buffer),
                  known);
  if (value > UINT32_MAX - 1)
    return refuse(scan, brink_errorBadIndex, "vertex index %s is out of range", shown(word, buffer));
  if (!negative && value > known && value > scan->farthestIndex) {  // may still come; settled at the end
    scan->farthestIndex = (size_t)value;
    scan->farthestLine = scan->line;
  }
  *vertex = (uint32_t)(negative ? known - value : value - 1);
  return brink_ok;
}

// ------------------------------------------------------------------------------------------------------------------
// OBJ

static brinkStatus readObjVertex(scanner *scan) {
  double position[3];
  emit(scan, "v", 1, ' ');
  for (int axis = 0; axis < 3; ++axis) {
    token word = nextWord(scan);
    brinkStatus status = readCoordinate(scan, word, &position[axis]);
    if (status != brink_ok) return status;
    emitNumber(scan, word, axis < 2 ? ' ' : '\n');
  }
  // One more number is a weight, three or four are a colour.
  double extra[5];
  int extraCount = 0;
  for (token word = nextWord(scan); word.length > 0; word = nextWord(scan)) {
    if (extraCount == 5) break;
    brinkStatus status = readCoordinate(scan, word, &extra[extraCount++]);
    if (status != brink_ok) return status;
  }
  if (extraCount == 2 || extraCount == 5)
    return refuse(scan, brink_errorParse, "a vertex has 3 numbers (4 with a weight, 6 or 7 with a colour)");
  if (extraCount == 1 && extra[0] != 1.0)
    return refuse(scan, brink_errorParse, "a vertex of weight %g: rational vertices are not read; write x y z only",
                  extra[0]);
  if (scan->out->vertexCount >= UINT32_MAX - 1) return refuse(scan, brink_errorRange, "too many vertices");
  return addVertex(scan, position) ? brink_ok : refuseForMemory(scan);
}

// f: one polygon; l: a segment between each two neighbours; p: single points.
static brinkStatus readObjElement(scanner *scan, char kind) {
  emit(scan, &kind, 1, ' ');
  size_t firstCorner = scan->out->cornerCount, count = 0;
  for (token word = nextWord(scan); word.length > 0; word = nextWord(scan), ++count) {
    uint32_t vertex = 0;
    size_t length = 0;
    brinkStatus status = readCorner(scan, word, &vertex, &length);
    if (status != brink_ok) return status;
    emit(scan, word.text, length, ' ');
    if (kind == 'l' && count > 1 && !addCorner(scan, scan->out->corners[scan->out->cornerCount - 1]))
      return refuseForMemory(scan);
    if (!addCorner(scan, vertex)) return refuseForMemory(scan);
    if (kind == 'l' && count > 0 && !addFace(scan, 2)) return refuseForMemory(scan);
    if (kind == 'p' && !addFace(scan, 1)) return refuseForMemory(scan);
  }
  scan->out->text[scan->out->textSize - 1] = '\n';
  size_t needed = kind == 'f' ? 3 : kind == 'l' ? 2 : 1;
  if (count < needed)
    return refuse(scan, brink_errorParse,
                  "'%c' with %zu corners needs at least %zu; the file is cut off or damaged here", kind, count, needed);
  if (kind == 'f' && !addFace(scan, (uint32_t)(scan->out->cornerCount - firstCorner))) return refuseForMemory(scan);
  return brink_ok;
}

static brinkStatus readObjLine(scanner *scan, token keyword) {
  static const char *const noGeometry[] = {
      "vn",        "vt",     "vp",     "o",      "g",        "s",        "mg",   "usemtl",
      "mtllib",    "usemap", "maplib", "bevel",  "c_interp", "d_interp", "lod",  "shadow_obj",
      "trace_obj", "ctech",  "stech",  "cstype", "deg",      "bmat",     "step", "parm",
      "trim",      "hole",   "scrv",   "sp",     "end",      "con",      NULL};
  static const char *const otherGeometry[] = {"curv", "curv2", "surf", "bsp", "bzp", "cdc",
                                              "cdp",  "res",   "call", "csh", NULL};
  char buffer[36];
  if (isWord(keyword, "v")) return readObjVertex(scan);
  if (isWord(keyword, "f") || isWord(keyword, "fo")) return readObjElement(scan, 'f');
  if (isWord(keyword, "l")) return readObjElement(scan, 'l');
  if (isWord(keyword, "p")) return readObjElement(scan, 'p');
  if (isOneOf(keyword, otherGeometry))
    return refuse(scan, brink_errorParse, "'%s': free-form or included geometry is not read; export triangles",
                  shown(keyword, buffer));
  if (!isOneOf(keyword, noGeometry))
    return refuse(scan, brink_errorParse, "'%s' is no OBJ statement; the file is damaged, or remove this line",
                  shown(keyword, buffer));
  skipRestOfLine(scan);
  return brink_ok;
}

static brinkStatus readObj(scanner *scan, size_t size) {
  const unsigned char *nul = memchr(scan->cursor, 0, size);
  if (nul != NULL) {
    for (const unsigned char *c = scan->cursor; c < nul; ++c) scan->line += *c == '\n';
    return refuse(scan, brink_errorParse, "a NUL byte; the file is damaged or not plain text (save it as UTF-8)");
  }
  if (size >= 3 && memcmp(scan->cursor, "\xEF\xBB\xBF", 3) == 0) scan->cursor += 3;  // byte order mark
  while (scan->cursor < scan->end) {
    token keyword = nextWord(scan);
    brinkStatus status = keyword.length > 0 ? readObjLine(scan, keyword) : brink_ok;
    if (status != brink_ok) return status;
    skipBlanks(scan);
    stepOverLineEnd(scan);
  }
  if (scan->out->vertexCount == 0) scan->out->faceCount = 0;  // empty, whatever the faces say
  if (scan->out->vertexCount > 0 && scan->farthestIndex > scan->out->vertexCount) {
    scan->line = scan->farthestLine;
    return refuse(scan, brink_errorBadIndex, "vertex index %zu, but the file has %zu vertices", scan->farthestIndex,
                  scan->out->vertexCount);
  }
  if (scan->out->vertexCount > 0 && scan->farthestIndex > 0) {  // assimp cannot read these
    scan->line = scan->farthestLine;
    return refuse(scan, brink_errorParse,
                  "vertex index %zu stands before its vertex; write all v lines before the f lines",
                  scan->farthestIndex);
  }
  return brink_ok;
}

// ------------------------------------------------------------------------------------------------------------------
// STL

static brinkStatus readStlBinary(scanner *scan, const unsigned char *bytes, size_t size) {
  const size_t headerSize = 84, facetSize = 50;
  if (size < headerSize) {
    brinkSay(scan->message, scan->messageCapacity,
             "%s: %zu bytes, shorter than an STL header (84); export the file again", scan->path, size);
    return brink_errorTruncated;
  }
  size_t count = bytes[80] | (size_t)bytes[81] << 8 | (size_t)bytes[82] << 16 | (size_t)bytes[83] << 24;
  size_t present = (size - headerSize) / facetSize;
  if (headerSize + facetSize * count != size) {
    bool tooShort = count > present;
    brinkSay(scan->message, scan->messageCapacity,
             "%s: byte 80: the header promises %zu triangles, the file holds %zu%s; export the file again", scan->path,
             count, present, tooShort ? "" : " and more bytes behind them");
    return tooShort ? brink_errorTruncated : brink_errorParse;
  }
  for (size_t facet = 0; facet < count; ++facet) {
    const size_t offset = headerSize + facetSize * facet + 12;  // behind the normal
    for (int corner = 0; corner < 3; ++corner) {
      float values[3];
      double position[3];
      memcpy(values, bytes + offset + 12 * (size_t)corner, sizeof values);
      for (int axis = 0; axis < 3; ++axis) {
        position[axis] = (double)values[axis];
        if (isfinite(position[axis])) continue;
        brinkSay(scan->message, scan->messageCapacity,
                 "%s: byte %zu: triangle %zu has a coordinate that is not finite; export the file again", scan->path,
                 offset + 12 * (size_t)corner + 4 * (size_t)axis, facet);
        return brink_errorParse;
      }
      if (!addVertex(scan, position) || !addCorner(scan, (uint32_t)(3 * facet + (size_t)corner)))
        return refuseForMemory(scan);
    }
    if (!addFace(scan, 3)) return refuseForMemory(scan);
  }
  return brink_ok;
}

static brinkStatus expectWords(scanner *scan, const char *const *words, const char *separators) {
  for (size_t i = 0; words[i] != NULL; ++i) {
    char buffer[36];
    token word = nextWordAnywhere(scan);
    if (word.length == 0) return refuse(scan, brink_errorTruncated, "the file ends where '%s' should follow", words[i]);
    if (!isWordOfAnyCase(word, words[i]))
      return refuse(scan, brink_errorParse, "'%s' where '%s' should follow; the file is damaged", shown(word, buffer),
                    words[i]);
    emit(scan, words[i], strlen(words[i]), separators[i]);
  }
  return brink_ok;
}

// What stands between "facet" and the next keyword.
static brinkStatus readStlFacet(scanner *scan) {
  static const char *const opening[] = {"outer", "loop", NULL}, *const closing[] = {"endloop", "endfacet", NULL};
  static const char *const normalWord[] = {"normal", NULL}, *const vertexWord[] = {"vertex", NULL};
  emit(scan, "facet", 5, ' ');
  brinkStatus status = expectWords(scan, normalWord, " ");
  for (int axis = 0; axis < 3 && status == brink_ok; ++axis) {
    if (nextWordAnywhere(scan).length == 0) return refuse(scan, brink_errorTruncated, "the file ends inside a facet");
    emit(scan, "0", 1, axis < 2 ? ' ' : '\n');  // normals are not used, and often NaN
  }
  if (status == brink_ok) status = expectWords(scan, opening, " \n");
  for (int corner = 0; corner < 3 && status == brink_ok; ++corner) {
    double position[3];
    status = expectWords(scan, vertexWord, " ");
    for (int axis = 0; axis < 3 && status == brink_ok; ++axis) {
      token word = nextWordAnywhere(scan);
      if (word.length == 0) return refuse(scan, brink_errorTruncated, "the file ends inside a facet");
      status = readCoordinate(scan, word, &position[axis]);
      if (status == brink_ok) emitNumber(scan, word, axis < 2 ? ' ' : '\n');
    }
    if (status == brink_ok && (!addVertex(scan, position) || !addCorner(scan, (uint32_t)(scan->out->vertexCount - 1))))
      return refuseForMemory(scan);
  }
  if (status == brink_ok) status = expectWords(scan, closing, "\n\n");
  if (status == brink_ok && !addFace(scan, 3)) return refuseForMemory(scan);
  return status;
}

static brinkStatus readStlText(scanner *scan) {
  char buffer[36];
  bool inside = false;
  emit(scan, "solid", 5, '\n');
  for (token word = nextWordAnywhere(scan); word.length > 0; word = nextWordAnywhere(scan)) {
    brinkStatus status = brink_ok;
    if (isWordOfAnyCase(word, inside ? "endsolid" : "solid")) {
      inside = !inside;
      skipRestOfLine(scan);  // the name
    } else if (inside && isWordOfAnyCase(word, "facet")) {
      status = readStlFacet(scan);
    } else {
      status = refuse(scan, brink_errorParse, "'%s' where 'facet' or '%s' should follow; the file is damaged",
                      shown(word, buffer), inside ? "endsolid" : "solid");
    }
    if (status != brink_ok) return status;
  }
  if (inside) return refuse(scan, brink_errorTruncated, "the file ends without 'endsolid'");
  emit(scan, "endsolid", 8, '\n');
  return brink_ok;
}

// -----------------------------------------------------------------------------------------------------------------
// entry points

// What is emitted is never longer than what was read, but for a '0' before a point (".5 " -> "0.5 ") and the closing
// words.
static bool makeText(scanner *scan, size_t size) {
  scan->out->text = malloc(size + size / 2 + 256);
  return scan->out->text != NULL;
}

static brinkStatus finish(scanner *scan, brinkStatus status) {
  if (status == brink_ok && scan->out->faceCount == 0) {
    brinkSay(scan->message, scan->messageCapacity, "%s: no faces in it (%zu vertices); export the model as triangles",
             scan->path, scan->out->vertexCount);
    status = brink_errorEmpty;
  }
  if (status != brink_ok) brinkScan_Free(scan->out);
  return status;
}

/* At the first byte, with nothing read. */
static scanner scanFrom(brinkScan *out, const char *path, const unsigned char *bytes, size_t size, char *message,
                        size_t messageCapacity) {
  *out = (brinkScan){0};
  return (scanner){.out = out,
                   .path = path,
                   .cursor = bytes,
                   .end = bytes + size,
                   .line = 1,
                   .message = message,
                   .messageCapacity = messageCapacity};
}

brinkStatus brinkScan_Obj(brinkScan *out, const char *path, const unsigned char *bytes, size_t size, char *message,
                          size_t messageCapacity) {
  scanner scan = scanFrom(out, path, bytes, size, message, messageCapacity);
  if (!makeText(&scan, size)) return finish(&scan, refuseForMemory(&scan));
  brinkPlainLocale locale = brinkPlainLocale_Begin();
  brinkStatus status = readObj(&scan, size);
  brinkPlainLocale_End(locale);
  if (status == brink_ok) emit(&scan, "# geometry only", 15, '\n');  // assimp refuses less than 16 bytes
  return finish(&scan, status);
}

brinkStatus brinkScan_Stl(brinkScan *out, const char *path, const unsigned char *bytes, size_t size, char *message,
                          size_t messageCapacity) {
  scanner scan = scanFrom(out, path, bytes, size, message, messageCapacity);
  if (size == 0) return finish(&scan, brink_ok);
  // Binary files may begin with "solid", too; their size gives them away, or the zeros in them.
  size_t count = size < 84 ? 0 : bytes[80] | (size_t)bytes[81] << 8 | (size_t)bytes[82] << 16 | (size_t)bytes[83] << 24;
  token firstWord = nextWordAnywhere(&scan);
  bool isText =
      isWordOfAnyCase(firstWord, "solid") && memchr(bytes, 0, size) == NULL && (size < 84 || size != 84 + 50 * count);
  if (!isText) return finish(&scan, readStlBinary(&scan, bytes, size));
  if (!makeText(&scan, size)) return finish(&scan, refuseForMemory(&scan));
  scan.cursor = bytes;
  scan.line = 1;
  brinkPlainLocale locale = brinkPlainLocale_Begin();
  brinkStatus status = readStlText(&scan);
  brinkPlainLocale_End(locale);
  return finish(&scan, status);
}

void brinkScan_Free(brinkScan *scan) {
  free(scan->vertices);
  free(scan->corners);
  free(scan->faceSizes);
  free(scan->text);
  *scan = (brinkScan){0};
}
