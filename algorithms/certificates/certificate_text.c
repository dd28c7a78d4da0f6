/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate as text: words and numbers separated by blanks, one statement or cell a line, numbers with up to 17
 * digits and a decimal point whatever the host's locale says, so that every double is read back bit for bit. Format:
 * docs/certificate.md. */
#include "certificate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void brinkCertificateText_Free(brinkCertificateText *text) {
  if (text->data != NULL) brinkRelease(text->context, text->data, text->capacity);
  text->data = NULL;
  text->size = text->capacity = 0;
}

/* Where so many bytes and a NUL may be written; NULL after a failure. */
static char *roomFor(brinkCertificateText *text, size_t length) {
  if (text->status == brink_ok && text->size + length + 1 > text->capacity) {
    void *block = text->data;
    text->status = brinkReserve(text->context, &block, &text->capacity, text->size + length + 1, 1);
    text->data = block;
  }
  return text->status == brink_ok ? text->data + text->size : NULL;
}

static void put(brinkCertificateText *text, const char *words) {
  size_t length = strlen(words);
  char *to = roomFor(text, length);
  if (to == NULL) return;
  memcpy(to, words, length + 1);
  text->size += length;
}

#define MOST_DIGITS 20 /* of 64 bits */

/* Returns how many. */
static int writeDigits(uint64_t value, char *to) {
  char digits[MOST_DIGITS];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10u);
  while ((value /= 10u) > 0);
  for (int i = 0; i < count; ++i) to[i] = digits[count - 1 - i];
  return count;
}

/* digits 10^-decimals, without zeros at the end: 0 < decimals. */
static char *writeDecimal(uint64_t digits, int decimals, char *to) {
  char text[MOST_DIGITS];
  for (; decimals > 0 && digits % 10u == 0; --decimals) digits /= 10u;
  int count = writeDigits(digits, text), whole = count - decimals;
  if (whole <= 0) {
    *to++ = '0';
    *to++ = '.';
    for (int i = whole; i < 0; ++i) *to++ = '0';
  }
  for (int i = 0; i < count; ++i) {
    if (i == whole && i > 0) *to++ = '.';
    *to++ = text[i];
  }
  return to;
}

#define SHORT_DECIMALS 9
#define SHORT_SCALE 1e9
#define SHORT_LARGEST 1e6 /* times the scale below 2^53 */

/* 5^0 .. 5^27: all that 64 bits hold */
static uint64_t powerOfFive(int k) {
  uint64_t power = 1;
  for (uint64_t base = 5; k > 0; k >>= 1, base *= base)
    if ((k & 1) != 0) power *= base;
  return power;
}

/* The number in digits that are read back bit for bit, for the sizes that shapes and motions have; false: another size.
 * Of numbers with at most nine decimals these (n/10^9 is rounded as the text of it is); else 17 digits: m 5^k 2^(e+k)
 * of a mantissa m, which 128 bits hold, rounded to nearest even. Ten times as fast as printf, and most of the time of
 * writing a certificate. */
static char *writeNumber(double value, char *to) {
  const double size = fabs(value);
  if (signbit(value)) *to++ = '-';
  if (size == 0.0 || size == 1.0) { /* of matrices at rest nearly all */
    *to++ = size == 0.0 ? '0' : '1';
    return to;
  }
  if (size < SHORT_LARGEST) {
    const double whole = nearbyint(size * SHORT_SCALE);
    if (whole / SHORT_SCALE == size) return writeDecimal((uint64_t)whole, SHORT_DECIMALS, to);
  }
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Wide;
  const uint64_t least = 10000000000000000u; /* 10^16 */
  if (!(size >= 1e-10 && size < 1e15)) return NULL;
  int exponent;
  const uint64_t mantissa = (uint64_t)ldexp(frexp(size, &exponent), 53);
  int ten = (int)floor((exponent - 1) * 0.30102999566398120); /* of log10 size, or one less */
  for (int tries = 0; tries < 3; ++tries) {
    const int k = 16 - ten, shift = 53 - exponent - k; /* size 10^k = mantissa 5^k / 2^shift */
    if (shift <= 0 || shift > 127 || k < 0 || k > 27) return NULL;
    const Wide product = (Wide)mantissa * powerOfFive(k);
    const Wide half = (Wide)1 << (shift - 1), rest = product & (((Wide)1 << shift) - 1u);
    Wide whole = product >> shift;
    if (rest > half || (rest == half && (whole & 1u) != 0u)) ++whole;
    if (whole >= least && whole < (Wide)least * 10u) return writeDecimal((uint64_t)whole, k, to);
    ten += whole < least ? -1 : 1; /* the guess was off, or the digits were rounded up to the next power */
  }
#endif
  return NULL;
}

static void putNumber(brinkCertificateText *text, double value) {
  enum { LONGEST = 40 };
  char *word = roomFor(text, LONGEST), *end;
  if (word == NULL) return;
  *word++ = ' ';
  end = writeNumber(value, word);
  if (end == NULL) {
    end = word + snprintf(word, LONGEST - 1, "%.17g", value);
    for (char *c = word; c < end; ++c) /* whatever separates the digits: a point */
      if (strchr("0123456789+-einfa", *c) == NULL) *c = '.';
  }
  *end = '\0';
  text->size = (size_t)(end - text->data);
}

static void putCount(brinkCertificateText *text, uint64_t value) {
  char *to = roomFor(text, MOST_DIGITS + 1);
  if (to == NULL) return;
  *to++ = ' ';
  to += writeDigits(value, to);
  *to = '\0';
  text->size = (size_t)(to - text->data);
}

static void putVector(brinkCertificateText *text, brinkVec3 v) {
  putNumber(text, v.x);
  putNumber(text, v.y);
  putNumber(text, v.z);
}

static void putMatrix(brinkCertificateText *text, const brinkMat3 *m) {
  for (int i = 0; i < 9; ++i) putNumber(text, m->m[i / 3][i % 3]);
}

static void putStage(brinkCertificateText *text, const brinkMotionStage *stage) {
  switch (stage->kind) {
    case brink_stageSpline:
      put(text, "spline");
      putCount(text, (uint64_t)stage->count);
      put(text, "\n");
      for (int32_t i = 0; i < stage->count; ++i) {
        putNumber(text, stage->keys[i].time);
        putVector(text, stage->keys[i].position);
        putVector(text, stage->keys[i].slope);
        putMatrix(text, &stage->keys[i].rotation);
        putVector(text, stage->keys[i].turn);
        put(text, "\n");
      }
      return;
    case brink_stageBezier:
      put(text, "bezier");
      putCount(text, (uint64_t)stage->count);
      put(text, "\n");
      for (int32_t i = 0; i < stage->count; ++i) {
        for (int k = 0; k < 13; ++k) putNumber(text, stage->controls[13 * i + k]);
        put(text, "\n");
      }
      return;
    default:
      put(text, stage->kind == brink_stageOde ? "ode" : "turn");
      putVector(text, stage->point);
      putVector(text, stage->velocity);
      putVector(text, stage->spin);
      if (stage->kind == brink_stageTurn) putVector(text, stage->arm);
      putMatrix(text, &stage->rotation);
      put(text, "\n");
      return;
  }
}

static void putBody(brinkCertificateText *text, const brinkFaceBody *body, const char *name) {
  put(text, "body ");
  put(text, name);
  put(text, body->halfSpace ? " halfspace" : body->solid ? " solid" : " open");
  put(text, "\nradius");
  putNumber(text, body->radius);
  put(text, "\n");
  if (body->halfSpace) {
    put(text, "plane");
    putVector(text, body->normal);
    putNumber(text, body->offset);
    put(text, "\n");
    return;
  }
  put(text, "stages");
  putCount(text, body->motion.count);
  put(text, "\n");
  for (size_t i = 0; i < body->motion.count; ++i) putStage(text, &body->motion.stages[i]);
  put(text, "vertices");
  putCount(text, body->vertexCount);
  put(text, body->vertices1 != NULL ? " linear\n" : " fixed\n");
  for (size_t i = 0; i < body->vertexCount; ++i) {
    for (int k = 0; k < 3; ++k) putNumber(text, body->vertices[3 * i + (size_t)k]);
    for (int k = 0; k < 3 && body->vertices1 != NULL; ++k) putNumber(text, body->vertices1[3 * i + (size_t)k]);
    put(text, "\n");
  }
  put(text, "faces");
  putCount(text, body->faceCount);
  put(text, "\n");
  for (size_t f = 0; f < body->faceCount; ++f) {
    putCount(text, body->faceStart[f + 1] - body->faceStart[f]);
    for (uint32_t k = body->faceStart[f]; k < body->faceStart[f + 1]; ++k) putCount(text, body->faceIds[k]);
    put(text, "\n");
  }
}

void brinkWriteStatement(brinkCertificateText *text, const brinkCertificateStatement *statement) {
  put(text, "statement\ntime");
  putNumber(text, statement->tStart);
  putNumber(text, statement->tEnd);
  put(text, "\nclearance");
  putNumber(text, statement->clearance);
  put(text, "\n");
  putBody(text, statement->a, "A");
  putBody(text, statement->b, "B");
  put(text, "end statement\n");
}

static void putOrder(brinkCertificateText *text, const char *name, const brinkFaceBody *body,
                     const brinkFaceTree *tree) {
  if (body->halfSpace) return;
  put(text, "order ");
  put(text, name);
  for (size_t i = 0; i < tree->faceCount; ++i) putCount(text, tree->order[i]);
  put(text, "\n");
}

void brinkWriteCertificate(brinkCertificateText *text, const brinkCertificateStatement *statement,
                           const brinkCertificateProof *proof) {
  put(text, "brink-certificate 1\n");
  size_t from = text->size;
  brinkWriteStatement(text, statement);
  if (text->status != brink_ok) return;
  char line[64];
  snprintf(line, sizeof line, "digest %016" PRIx64 "\n", brinkHash(0, text->data + from, text->size - from));
  put(text, line);
  putOrder(text, "A", statement->a, proof->treeA);
  putOrder(text, "B", statement->b, proof->treeB);
  for (int side = 0; side < 2; ++side)
    for (size_t i = 0; i < proof->rayCount[side]; ++i) {
      put(text, side == 0 ? "outside A" : "outside B");
      putCount(text, proof->rays[side][i].vertex);
      putVector(text, proof->rays[side][i].direction);
      put(text, "\n");
    }
  put(text,
      "# cell: from to, faces of A's order from to, of B's from to; direction at the start, at the end; proven apart "
      "by, m\ncells");
  putCount(text, proof->cellCount);
  put(text, "\n");
  for (size_t i = 0; i < proof->cellCount; ++i) {
    const brinkCertificateCell *cell = &proof->cells[i];
    put(text, cell->open ? "open" : "cell");
    putNumber(text, cell->l);
    putNumber(text, cell->u);
    const uint32_t range[4] = {cell->a0, cell->a1, cell->b0, cell->b1};
    for (int k = 0; k < 4; ++k) putCount(text, range[k]);
    if (!cell->open) {
      putVector(text, cell->n0);
      putVector(text, cell->n1);
      putNumber(text, cell->bound);
    }
    put(text, "\n");
  }
  put(text, "end\n");
}
