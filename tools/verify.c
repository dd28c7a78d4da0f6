/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink verify`: is this certificate a proof? A small checker on its own: it shares no code with the search that made
 * the file, not even the reading of numbers, so that who trusts these lines need not trust the rest of Brink.
 *
 * Checked, with intervals that are rounded outward after every operation:
 *  1. the statement (bodies, motions, time, clearance) is the one the digest was taken of;
 *  2. cells: along n(t) = n0 + s (n1 - n0), s = (t-l)/(u-l), f(t) = n.(y - x) has f(l) >= g0, f(u) >= g1 and f'' <= K
 *     for all vertices x of A's faces and y of B's; so f >= g0 + s (g1 - g0) - K (u-l)^2/2 s(1-s), and the distance
 *     (faces are hulls of their vertices) is at least min f / max|n| - radii: at least the stated bound, which must be
 *     positive and at least the clearance;
 *  3. the cells tile time x faces of A x faces of B without gap or overlap;
 *  4. solids: the surface closes, and at the start it winds 0 times about each connected part of the other body, as the
 *     signed crossings of a ray from one of its vertices say; or some cell separates the two whole bodies;
 *  5. motions: what is left of a jump at a key of a spline (rounding) moves no vertex as far as the least bound.
 * Format: docs/certificate.md; proof: docs/theory.md. Assumes rounding to nearest (C's default), sin and cos of libm
 * within 4 ulp. Units: m, rad; t in [0,1]. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define MAX_POINTS 17    /* of a Bezier curve */
#define MAX_DIGITS 17    /* of a number, from the first that is not 0 */
#define KEPT 2048        /* chains */
#define BLOCK 256        /* ids that are passed over at once */
#define MAX_JUMP 1e-9    /* of a rotation at a key, of its largest entry: rounding of the file */
#define TINY_SPIN 1e-100 /* squares of smaller ones leave the normal numbers */

/* ---- intervals */
typedef struct iv {
  double lo, hi;
} iv;
static double below(double x) { return x - (fabs(x) * DBL_EPSILON + 1e-290); } /* by an ulp or more */
static double above(double x) { return x + (fabs(x) * DBL_EPSILON + 1e-290); }
static const iv anything = {-HUGE_VAL, HUGE_VAL};
static iv wide(double lo, double hi) { return lo <= hi && isfinite(hi - lo) ? (iv){below(lo), above(hi)} : anything; }
static double min(double a, double b) { return a < b ? a : b; }
static double max(double a, double b) { return a > b ? a : b; }
static iv at(double x) { return (iv){x, x}; }
static bool is(iv a, double x) { return a.lo == x && a.hi == x; } /* what follows is then exact */
static iv add(iv a, iv b) { return is(a, 0) ? b : is(b, 0) ? a : wide(a.lo + b.lo, a.hi + b.hi); }
static iv sub(iv a, iv b) { return is(b, 0) ? a : wide(a.lo - b.hi, a.hi - b.lo); }
static iv mul(iv a, iv b) {
  if (is(a, 0) || is(b, 0)) return at(0);
  if (is(a, 1) || is(b, 1)) return is(a, 1) ? b : a;
  double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return isfinite(p + q + r + s) ? wide(min(min(p, q), min(r, s)), max(max(p, q), max(r, s))) : anything;
}
static iv over(iv a, iv b) { return b.lo > DBL_MIN || b.hi < -DBL_MIN ? mul(a, wide(1 / b.hi, 1 / b.lo)) : anything; }
static iv hull(iv a, iv b) { return (iv){min(a.lo, b.lo), max(a.hi, b.hi)}; }
static iv cosine(iv a) { /* extremes at the ends, or 1 and -1 where a multiple of pi may lie inside */
  if (!(fabs(a.lo) < 1e9 && fabs(a.hi) < 1e9 && a.hi - a.lo < 6)) return (iv){-1, 1};
  double p = cos(a.lo), q = cos(a.hi), slack = 1e-15 * (4 + fabs(a.lo) + fabs(a.hi));
  iv r = {min(p, q) - 4 * DBL_EPSILON, max(p, q) + 4 * DBL_EPSILON};
  for (double k = ceil((a.lo - slack) / M_PI - 1e-9); k * M_PI <= a.hi + slack; ++k)
    *(fmod(k, 2) == 0 ? &r.hi : &r.lo) = fmod(k, 2) == 0 ? 1 : -1;
  return r;
}
static iv sine(iv a) { return cosine(sub(a, (iv){below(M_PI_2), above(M_PI_2)})); }
static iv square(const double a[3]) {
  return add(add(mul(at(a[0]), at(a[0])), mul(at(a[1]), at(a[1]))), mul(at(a[2]), at(a[2])));
}

/* ---- value, first and second derivative over an interval of time */
typedef struct jet {
  iv v, d, dd;
} jet;
typedef jet map[3][4]; /* R | T */
static jet fix(double x) { return (jet){at(x), at(0), at(0)}; }
static jet jetOf(iv x) { return (jet){x, at(0), at(0)}; }
static jet plus(jet a, jet b) { return (jet){add(a.v, b.v), add(a.d, b.d), add(a.dd, b.dd)}; }
static jet times(jet a, jet b) {
  return (jet){mul(a.v, b.v), add(mul(a.d, b.v), mul(a.v, b.d)),
               add(add(mul(a.dd, b.v), mul(at(2), mul(a.d, b.d))), mul(a.v, b.dd))};
}
static jet dot(const jet *a, jet x, jet y, jet z) { return plus(plus(times(a[0], x), times(a[1], y)), times(a[2], z)); }
static jet through(jet a, jet b) { /* a / b */
  iv v = over(a.v, b.v), d = over(sub(a.d, mul(v, b.d)), b.v);
  return (jet){v, d, over(sub(sub(a.dd, mul(at(2), mul(d, b.d))), mul(v, b.dd)), b.v)};
}

/* ---- the file */
typedef struct stage {
  size_t kind, count;
  double *n;
} stage; /* kind: 0 turn, 1 ode, 2 spline, 3 bezier */
typedef struct body {
  bool solid, linear;
  double radius, *plane, *p, (*ray)[4];                      /* plane: half-spaces; p: [vertices][3 or 6] */
  size_t stages, vertices, faces, rays, *start, *id, *order; /* faces: ids[start[f]..start[f + 1]] */
  size_t *same;                        /* the number of a vertex among all places: equal for vertices at one place */
  size_t *begin, *line, *last, *least; /* line: ids in the order's order, of its k-th face from begin[k]; see lineUp */
  stage *stage;
  map at[3]; /* its motion at the ends of the time last looked at, and between */
} body;
typedef struct cell {
  double lo[3], hi[3], n[2][3], bound;
  unsigned long line;
  bool open;
} cell;                /* lo, hi: time, faces of A, B */
typedef struct chain { /* of stages: all but the last have the id `before` */
  struct beginning {
    size_t before, kind;
    double l, u, n[21];
  } key;
  size_t id;
  map at;
} chain;
typedef struct certificate {
  const char *path, *at, *end;
  char *data, *rest, *arena, word[64];    /* rest: the certificates of the file behind this one; NULL: none */
  size_t used, capacity, cellCount, open; /* of the arena, in which all that is read lives; cells */
  unsigned long line, restLine;           /* of `rest` */
  jmp_buf out;
  double t0, t1, clearance, l[3], u[3], least; /* l, u: of the body's at[]; least: of the bounds */
  body b[2];
  cell **cells;
  brinkVerdict all; /* of the file so far */
  size_t chains;
  chain *kept; /* [KEPT] */
} certificate;
__attribute__((format(printf, 2, 3), noreturn)) static void fail(certificate *c, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%lu: ", c->path, c->line);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  longjmp(c->out, 1);
}
#define REQUIRE(good, ...) ((good) ? (void)0 : fail(c, __VA_ARGS__))
static void *room(certificate *c, size_t count, size_t size) { /* zeroed */
  size_t bytes = (count * size + 15) / 16 * 16;
  REQUIRE(count <= c->capacity / size && bytes <= c->capacity - c->used, "more than such a file can hold");
  return memset(c->arena + (c->used += bytes) - bytes, 0, bytes);
}
static bool isBlank(char x) { return x == ' ' || x == '\n' || x == '\t' || x == '\r'; }
static const char *next(certificate *c) {
  for (; isBlank(*c->at) || *c->at == '#'; c->line += *c->at++ == '\n')
    if (*c->at == '#') c->at += strcspn(c->at, "\n") - 1;
  size_t length = 0;
  while (c->at[length] != '\0' && !isBlank(c->at[length])) ++length;
  REQUIRE(length > 0 && length < sizeof c->word, length == 0 ? "the file ends here: truncated" : "a very long word");
  memcpy(c->word, c->at, length), c->word[length] = '\0';
  c->at += length;
  return c->word;
}
static bool nextIs(certificate *c, const char *word) { return strcmp(next(c), word) == 0; }
static void expect(certificate *c, const char *first, const char *second) { /* one word and "", or two */
  REQUIRE(nextIs(c, first) && (second[0] == '\0' || nextIs(c, second)), "'%s %s' expected", first, second);
}
/* The nearest double of [+-] digits [. digits] [e [+-] digits]: decimal, and no more digits than tell doubles apart;
 * else infinity. Most numbers are m/10^k: both exact, or of a quotient with 60 bits and more, and what is left of it.
 */
static double decimal(const char *w) {
  const char *const word = w;
  uint64_t m = 0, ten = 1;
  size_t digits = 0, told = 0, points = 0, decimals = 0;
  bool minus = *w == '-', power = false;
  for (w += minus || *w == '+'; (*w >= '0' && *w <= '9') || (*w == '.' && points == 0); ++w) {
    if (*w == '.') ++points;
    if (*w != '.') ++digits, told += told > 0 || *w != '0', decimals += points;
    if (*w != '.' && told <= MAX_DIGITS) m = 10 * m + (uint64_t)(*w - '0');
  }
  if (digits == 0 || told > MAX_DIGITS) return HUGE_VAL;
  if ((power = *w == 'e' || *w == 'E'))
    w += 1 + (w[1] == '-' || w[1] == '+'), digits = strspn(w, "0123456789"), w += digits;
  if (*w != '\0' || digits == 0) return HUGE_VAL;
  if (power || decimals > 19) return strtod(word, NULL);
  for (size_t i = 0; i < decimals; ++i) ten *= 10;
  double x = (double)m / (double)ten;
  if (m > (uint64_t)1 << 53) {
#if defined(__SIZEOF_INT128__)
    int shift = 62 + __builtin_clzll(m) - __builtin_clzll(ten);
    __extension__ unsigned __int128 above = (unsigned __int128)m << shift;
    uint64_t quotient = (uint64_t)(above / ten);
    x = ldexp((double)(quotient | (above != (unsigned __int128)quotient * ten)), -shift);
#else
    return strtod(word, NULL);
#endif
  }
  return minus ? -x : x;
}
static double number(certificate *c, double least, double most) {
  double x = decimal(next(c));
  if (!(x >= least && x <= most)) fail(c, "'%s' is not a decimal number from %g to %g", c->word, least, most);
  return x;
}
static double any(certificate *c) { return number(c, -1e60, 1e60); }
static size_t whole(certificate *c, double least, double most) {
  double x = number(c, least, most);
  if (c->word[strspn(c->word, "0123456789")] != '\0') fail(c, "'%s' is not a whole number", c->word);
  return (size_t)x;
}
/* A count: no more things than characters left. */
static size_t some(certificate *c, double least) { return whole(c, least, (double)(c->end - c->at)); }
static double *numbers(certificate *c, size_t count) {
  double *n = room(c, count, sizeof *n);
  for (size_t i = 0; i < count; ++i) n[i] = any(c);
  return n;
}
static void readStage(certificate *c, stage *s) {
  static const char *const kinds[] = {"turn", "ode", "spline", "bezier"};
  static const size_t each[] = {21, 18, 19, 13};
  for (next(c); s->kind < 4 && strcmp(c->word, kinds[s->kind]) != 0;) ++s->kind;
  REQUIRE(s->kind < 4, "motion '%s' is not known", c->word);
  s->count = s->kind == 2 ? some(c, 2) : s->kind == 3 ? whole(c, 1, MAX_POINTS) : 1;
  s->n = numbers(c, s->count * each[s->kind]);
  for (size_t i = 0; i < s->count; ++i) {
    if (s->kind == 3 && !(s->n[13 * i] > 0)) fail(c, "a weight that is not above 0");
    if (s->kind == 2 && i > 0 && !(s->n[19 * i] > s->n[19 * i - 19])) fail(c, "keys out of order");
  }
}
static void readBody(certificate *c, body *b, const char *name) {
  expect(c, "body", name);
  bool half = nextIs(c, "halfspace");
  b->solid = strcmp(c->word, "solid") == 0;
  REQUIRE(half || b->solid || strcmp(c->word, "open") == 0, "'%s': solid, open or halfspace?", c->word);
  b->radius = (expect(c, "radius", ""), number(c, 0, 1e60)), b->faces = 1;
  b->plane = half ? (expect(c, "plane", ""), numbers(c, 4)) : NULL;
  if (half) return;
  b->stages = (expect(c, "stages", ""), some(c, 0)), b->stage = room(c, b->stages, sizeof *b->stage);
  for (size_t i = 0; i < b->stages; ++i) readStage(c, &b->stage[i]);
  b->vertices = (expect(c, "vertices", ""), some(c, 1));
  b->ray = room(c, b->vertices, sizeof *b->ray);
  b->linear = nextIs(c, "linear");
  REQUIRE(b->linear || strcmp(c->word, "fixed") == 0, "'%s': fixed or linear?", c->word);
  b->p = numbers(c, b->vertices * (b->linear ? 6 : 3));
  b->faces = (expect(c, "faces", ""), some(c, 1)), b->start = room(c, b->faces + 1, sizeof *b->start);
  b->id = (size_t *)(c->arena + c->used); /* what is free: no more ids than words */
  for (size_t f = 0; f < b->faces; ++f) {
    b->start[f + 1] = b->start[f] + some(c, 1);
    REQUIRE(b->start[f + 1] <= (c->capacity - c->used) / sizeof *b->id, "more than such a file can hold");
    for (size_t k = b->start[f]; k < b->start[f + 1]; ++k) b->id[k] = whole(c, 0, (double)b->vertices - 1);
  }
  c->used += (b->start[b->faces] * sizeof *b->id + 15) / 16 * 16;
}
static body *which(certificate *c) {
  REQUIRE(nextIs(c, "A") || strcmp(c->word, "B") == 0, "'%s': A or B?", c->word);
  return &c->b[c->word[0] == 'B'];
}
static void readOrder(certificate *c, body *b) {
  unsigned char *seen = room(c, b->faces, 1);
  if (b->plane != NULL || b->order != NULL) fail(c, "an order that is not asked for");
  b->order = room(c, b->faces, sizeof *b->order);
  for (size_t i = 0; i < b->faces; ++i) {
    b->order[i] = whole(c, 0, (double)b->faces - 1);
    if (seen[b->order[i]]++ != 0) fail(c, "face %zu is twice in the order", b->order[i]);
  }
}
/* Where each id of the line was last, plus 1; 0: nowhere. least: of a block. So a range is asked for its vertices, each
 * once, in less time than it has ids. */
static void lineUp(certificate *c, body *b) {
  size_t count = b->start[b->faces], *seen = room(c, b->vertices, sizeof *seen), i = 0;
  b->begin = room(c, b->faces + 1, sizeof *b->begin), b->line = room(c, count, sizeof *b->line);
  b->last = room(c, count, sizeof *b->last), b->least = room(c, count / BLOCK + 1, sizeof *b->least);
  for (size_t f = 0; f < b->faces; b->begin[++f] = i)
    for (size_t k = b->start[b->order[f]]; k < b->start[b->order[f] + 1]; ++k, ++i) {
      b->line[i] = b->id[k], b->last[i] = seen[b->id[k]], seen[b->id[k]] = i + 1;
      b->least[i / BLOCK] = i % BLOCK == 0 || b->last[i] < b->least[i / BLOCK] ? b->last[i] : b->least[i / BLOCK];
    }
}
static void readRay(certificate *c, body *b) {
  if (b->rays >= b->vertices) fail(c, "more rays than vertices");
  double *r = b->ray[b->rays++];
  r[0] = (double)whole(c, 0, (double)b->vertices - 1);
  for (int i = 1; i < 4; ++i) r[i] = any(c);
}
static cell *readCell(certificate *c) {
  cell *x = room(c, 1, sizeof *x);
  x->open = nextIs(c, "open");
  x->line = c->line;
  if (!x->open && strcmp(c->word, "cell") != 0) fail(c, "cell or open expected, found '%s'", c->word);
  for (int k = 0; k < 3; ++k) {
    double most = k == 0 ? 1 : (double)c->b[k - 1].faces;
    x->lo[k] = k == 0 ? number(c, 0, 1) : (double)whole(c, 0, most);
    x->hi[k] = k == 0 ? number(c, x->lo[0], 1) : (double)whole(c, x->lo[k] + 1, most);
  }
  for (int k = 0; k < 7 && !x->open; ++k) *(k < 6 ? &x->n[k / 3][k % 3] : &x->bound) = any(c);
  return x;
}
#define BEGIN "brink-certificate 1\n"
static void readFile(certificate *c) {
  FILE *file = strcmp(c->path, "-") == 0 ? stdin : fopen(c->path, "rb");
  size_t got = 0;
  ssize_t size = file != NULL ? getdelim(&c->data, &got, '\0', file) : -1; /* to the first NUL: all of a text */
  if (file != NULL && file != stdin) fclose(file);
  REQUIRE(size < 21 || strncmp(c->data, "brink-certificate 1\r\n", 21) != 0,
          "its lines end in CR LF, and the digest is of lines that end in LF: take a copy that nothing converted");
  if (size < 20 || (size_t)size != strlen(c->data) || strncmp(c->data, BEGIN, strlen(BEGIN)) != 0)
    fail(c, "cannot be read, or is no certificate: they begin with 'brink-certificate 1'");
  c->rest = c->data;
  REQUIRE((c->arena = malloc(c->capacity = 64 * (size_t)size + 1024)) != NULL, "no memory");
}
/* The next certificate of the file, which ends before the line that begins another. */
static void readNext(certificate *c) {
  memset(c->b, 0, sizeof c->b);
  c->line = c->restLine;
  c->at = c->rest + strlen(BEGIN) - 1;
  c->rest = strstr(c->at, "\n" BEGIN);
  if (c->rest != NULL) *c->rest++ = '\0';
  c->end = c->at + strlen(c->at), c->used = c->open = 0, c->least = HUGE_VAL, c->l[0] = NAN;
  expect(c, "statement", "");
  const char *from = c->at - strlen("statement");
  c->t0 = (expect(c, "time", ""), number(c, 0, 1));
  c->t1 = number(c, c->t0, 1);
  c->clearance = (expect(c, "clearance", ""), number(c, 0, 1e60));
  readBody(c, &c->b[0], "A");
  readBody(c, &c->b[1], "B");
  expect(c, "end", "statement");
  char digest[20];
  uint64_t hash = 14695981039346656037u;
  for (const char *x = from, *to = c->at + strcspn(c->at, "\n"); x <= to; ++x)
    hash = (hash ^ (unsigned char)*x) * 1099511628211u;
  snprintf(digest, sizeof digest, "%016" PRIx64, hash);
  expect(c, "digest", "");
  REQUIRE(nextIs(c, digest), "digest %s is for other bodies or motions", c->word);
  while (nextIs(c, "order")) readOrder(c, which(c));
  for (; strcmp(c->word, "outside") == 0; next(c)) readRay(c, which(c));
  if (strcmp(c->word, "cells") != 0) fail(c, "'cells' expected, found '%s'", c->word);
  for (int k = 0; k < 2; ++k)
    if (c->b[k].plane == NULL && c->b[k].order == NULL) fail(c, "no order of the faces of body %c", 'A' + k);
  for (int k = 0; k < 2; ++k)
    if (c->b[k].plane == NULL) lineUp(c, &c->b[k]);
  c->cells = room(c, c->cellCount = some(c, 1), sizeof *c->cells);
  for (size_t i = 0; i < c->cellCount; ++i) c->cells[i] = readCell(c);
  expect(c, "end", "");
  REQUIRE(c->at[strspn(c->at, " \t\r\n")] == '\0', "words behind the end");
  c->restLine = c->line + 1;
}

/* ---- motions */
/* Turns R | arm by E(s w), s of constant rate, or by ODE's step I + 2 [s hat(w) + s^2 hat(w)^2] / (1 + s^2 |w|^2). */
static void rotation(const double *w, jet s, bool ode, const double *r, const double *arm, map out) {
  int shift = 0;
  double largest = max(fabs(w[0]), max(fabs(w[1]), fabs(w[2]))), scaled[3] = {w[0], w[1], w[2]};
  if (!ode && largest > 0 && largest < TINY_SPIN) frexp(largest, &shift);
  for (int i = 0; i < 3; ++i) scaled[i] = ldexp(w[i], -shift); /* exact; the direction is taken of these */
  w = scaled;
  const double hat[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  iv w2 = square(w), angle = wide(below(sqrt(max(w2.lo, 0))), above(sqrt(w2.hi)));
  iv turn = mul(angle, at(ldexp(1, shift))), rate = mul(turn, s.d);
  iv sn = sine(mul(turn, s.v)), cs = cosine(mul(turn, s.v)), rate2 = mul(rate, rate);
  jet first = {sn, mul(cs, rate), sub(at(0), mul(sn, rate2))}, second = {sub(at(1), cs), mul(sn, rate), mul(cs, rate2)};
  jet down = plus(fix(1), times(times(s, s), jetOf(w2))), q[3][3];
  if (ode) first = times(fix(2), s), second = times(fix(2), times(s, s)), angle = w2 = at(1);
  for (int i = 0; i < 9; ++i) {
    iv twice = sub(mul(at(w[i / 3]), at(w[i % 3])), i % 4 == 0 ? square(w) : at(0));
    q[i / 3][i % 3] = fix(i % 4 == 0);
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) continue;
    jet sum = plus(times(first, jetOf(over(at(hat[i]), angle))), times(second, jetOf(over(twice, w2))));
    q[i / 3][i % 3] = plus(q[i / 3][i % 3], ode ? through(sum, down) : sum);
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[i][k] = dot(q[i], fix(r[k]), fix(r[3 + k]), fix(r[6 + k]));
    out[i][3] = dot(q[i], fix(arm[0]), fix(arm[1]), fix(arm[2]));
  }
}
static iv between(iv a, iv b, iv t) { return add(mul(sub(at(1), t), a), mul(t, b)); }
static void deCasteljau(iv c[][13], int n, iv t, iv left[][13]) { /* left: the part before t; c: behind it */
  for (int size = n; size >= 0; --size) {
    memcpy(left[n - size], c[0], sizeof c[0]);
    for (int i = 0; i < 13 * size; ++i) c[i / 13][i % 13] = between(c[i / 13][i % 13], c[i / 13 + 1][i % 13], t);
  }
}
static void bezier(const stage *s, double l, double u, map out) {
  iv c[MAX_POINTS][13], part[MAX_POINTS][13], d[MAX_POINTS], h = sub(at(u), at(l));
  int n = (int)s->count - 1;
  for (int i = 0; i < 13 * (n + 1); ++i) c[i / 13][i % 13] = at(s->n[i]);
  if (l > 0) deCasteljau(c, n, at(l), part);
  deCasteljau(c, n, l < 1 ? over(h, sub(at(1), at(l))) : at(1), part);
  jet w = fix(0);
  for (int k = 0; k < 13; ++k) { /* W; then f = f0 + (N - f0 W)/W, each by the hull of its control points */
    double f0 = k == 0 ? 0 : 0.5 * (part[0][k].lo / part[0][0].lo + part[n][k].lo / part[n][0].lo);
    for (int i = 0; i <= n; ++i) d[i] = sub(part[i][k], mul(at(f0), part[i][0]));
    iv range[3] = {d[0], at(0), at(0)};
    for (int order = 0; order <= 2 && order <= n; ++order)
      for (int i = 0; i + order <= n; ++i) {
        if (order > 0) d[i] = mul(at(n + 1 - order), sub(d[i + 1], d[i]));
        range[order] = i == 0 ? d[0] : hull(range[order], d[i]);
      }
    jet p = {range[0], u > l ? over(range[1], h) : at(0), u > l ? over(over(range[2], h), h) : at(0)};
    jet *to = k == 0 ? &w : k < 10 ? &out[(k - 1) / 3][(k - 1) % 3] : &out[k - 10][3];
    *to = k == 0 ? p : plus(fix(f0), through(p, w));
  }
}
/* key: time, T, T', R, turn. On the piece that holds the cell: of the two that meet at a key, the one behind it only
 * when the cell begins there. */
static void spline(certificate *c, const stage *s, const double during[2], double l, double u, map out) {
  const double *a = s->n, *last = s->n + 19 * (s->count - 2);
  while (a < last && a[19] <= during[0]) a += 19;
  const double *b = a + 19;
  if (during[0] < a[0] || during[1] > b[0])
    fail(c, "the cell from %g to %g holds a key of a spline, or leaves it", during[0], during[1]);
  iv d = sub(at(b[0]), at(a[0]));
  jet x = {over(sub((iv){l, u}, at(a[0])), d), over(at(1), d), at(0)}, y = plus(fix(1), times(x, fix(-1)));
  rotation(a + 16, x, false, a + 7, a + 1, out);
  jet toB = times(times(x, x), plus(fix(3), times(x, fix(-2)))), m0 = times(jetOf(d), times(x, times(y, y))),
      m1 = times(jetOf(d), times(times(x, x), y));
  for (int k = 0; k < 3; ++k)
    out[k][3] = plus(plus(fix(a[1 + k]), times(toB, jetOf(sub(at(b[1 + k]), at(a[1 + k]))))),
                     plus(times(m0, fix(a[4 + k])), times(m1, fix(-b[4 + k]))));
}
static const double none[3] = {0, 0, 0};
static void stageMap(certificate *c, const stage *s, const double during[2], double l, double u, map out) {
  const double *n = s->n;             /* turn, ode: point, velocity, spin, [arm,] R */
  jet t = {{l, u}, at(l < u), at(0)}; /* rates count over an interval only */
  if (s->kind == 2) spline(c, s, during, l, u, out);
  if (s->kind == 3) bezier(s, l, u, out);
  if (s->kind < 2) rotation(n + 6, t, s->kind == 1, s->kind == 1 ? n + 9 : n + 12, s->kind == 1 ? none : n + 9, out);
  for (int i = 0; i < 3 && s->kind < 2; ++i) out[i][3] = plus(out[i][3], plus(fix(n[i]), times(t, fix(n[3 + i]))));
}
/* What the first stages of a chain make of a time is kept, under all that it follows from: links of one robot come
 * again from certificate to certificate. Entries that agree in every bit of that are of one map; `id` 0: not known yet.
 */
static chain *keep(certificate *c, size_t before, const stage *s, double l, double u) {
  struct beginning key = {.before = before, .kind = s->kind, .l = l, .u = u};
  memcpy(key.n, s->n, (s->kind == 0 ? 21 : 18) * sizeof *s->n);
  uint64_t hash = 0, words[sizeof key / sizeof hash];
  memcpy(words, &key, sizeof key);
  for (size_t i = 0; i < sizeof key / sizeof hash; ++i)
    hash = (hash ^ words[i]) * 11400714819323198485u, hash ^= hash >> 32;
  chain *kept = &c->kept[hash % KEPT];
  if (memcmp(&kept->key, &key, sizeof key) != 0) kept->key = key, kept->id = 0;
  return kept;
}
/* Over [l,u], an end or all of the cell. */
static void bodyMap(certificate *c, const body *b, const double during[2], double l, double u, map out) {
  size_t id = 0; /* of the chain so far: the empty one */
  bool known = true;
  for (int i = 0; i < 12; ++i) out[i / 4][i % 4] = fix(i % 5 == 0);
  for (size_t x = 0; x < b->stages; ++x) {
    known = known && b->stage[x].kind < 2; /* others depend on more than [l,u] */
    chain *kept = known ? keep(c, id, &b->stage[x], l, u) : NULL;
    if (kept != NULL && kept->id != 0) memcpy(out, kept->at, sizeof kept->at), id = kept->id;
    if (kept != NULL && kept->id != 0) continue;
    map one, before;
    memcpy(before, out, sizeof before);
    stageMap(c, &b->stage[x], during, l, u, one);
    for (int i = 0; i < 12; ++i) {
      jet sum = dot(before[i / 4], one[0][i % 4], one[1][i % 4], one[2][i % 4]);
      out[i / 4][i % 4] = i % 4 == 3 ? plus(sum, before[i / 4][3]) : sum;
    }
    if (kept != NULL) memcpy(kept->at, out, sizeof kept->at), kept->id = id = ++c->chains;
  }
}
/* Where a vertex is during [l,u] in the body's own frame, and its velocity there. */
static void vertexOf(const body *b, size_t vertex, double l, double u, iv p[3], iv v[3]) {
  const double *n = &b->p[vertex * (b->linear ? 6 : 3)];
  for (int k = 0; k < 3; ++k) {
    v[k] = b->linear ? sub(at(n[3 + k]), at(n[k])) : at(0);
    p[k] = b->linear ? add(at(n[k]), mul((iv){l, u}, v[k])) : at(n[k]);
  }
}
static iv along(const jet row[4], const iv p[3]) {
  return add(add(mul(row[0].v, p[0]), mul(row[1].v, p[1])), add(mul(row[2].v, p[2]), row[3].v));
}
static void placed(const body *b, int end, size_t vertex, double t, iv out[3]) { /* at t, that of at[end] */
  iv p[3], v[3];
  vertexOf(b, vertex, t, t, p, v);
  for (int i = 0; i < 3; ++i) out[i] = along(b->at[end][i], p);
}

/* ---- the checks */
/* Of one body along n: ranges of n.x at l, at u, and of (n.x)'' = n.x'' + 2 n'.x' between. */
static void sideOf(certificate *c, const cell *x, int k, iv out[3]) {
  body *b = &c->b[k];
  if (b->plane != NULL) { /* only along its own normal, and only the side that faces the other */
    for (int i = 0; i < 6; ++i)
      REQUIRE(x->n[i / 3][i % 3] == (k == 0 ? 1 : -1) * b->plane[i % 3], "a half-space has one direction only");
    out[0] = out[1] = k == 0 ? (iv){-HUGE_VAL, b->plane[3]} : (iv){-b->plane[3], HUGE_VAL}, out[2] = at(0);
    return;
  }
  bool still = x->lo[0] == x->hi[0]; /* one time: nothing bends */
  iv h = sub(at(x->hi[0]), at(x->lo[0])), p[3], v[3];
  jet n[3], row[4][4] = {{{{0, 0}, {0, 0}, {0, 0}}}}; /* n.(R | T) at l, at u, (n.(R | T))'' and 2 (n.R)' between */
  for (int e = 0; e < 3; ++e) {
    for (int i = 0; i < 3; ++i) n[i] = e < 2 ? fix(x->n[e][i]) : jetOf(hull(at(x->n[0][i]), at(x->n[1][i])));
    for (int i = 0; i < 3 && e == 2 && !still; ++i) n[i].d = over(sub(at(x->n[1][i]), at(x->n[0][i])), h);
    for (int j = 0; j < 4; ++j)
      if (e == 2) /* at l and u the values do */
        row[e][j] = dot(n, b->at[e][0][j], b->at[e][1][j], b->at[e][2][j]);
      else
        row[e][j].v =
            add(add(mul(n[0].v, b->at[e][0][j].v), mul(n[1].v, b->at[e][1][j].v)), mul(n[2].v, b->at[e][2][j].v));
    out[e] = (iv){HUGE_VAL, -HUGE_VAL};
  }
  for (int j = 0; j < 4; ++j) row[3][j].v = mul(at(j < 3 ? 2 : 0), row[2][j].d), row[2][j].v = row[2][j].dd;
  size_t from = b->begin[(size_t)x->lo[1 + k]], to = b->begin[(size_t)x->hi[1 + k]];
  for (size_t i = from; i < to; ++i) {
    if (i % BLOCK == 0 && i + BLOCK <= to && b->least[i / BLOCK] > from) i += BLOCK - 1; /* all of them were here */
    if (b->last[i] > from) continue;
    for (int m = 0; m < (still ? 2 : 3); ++m) {
      vertexOf(b, b->line[i], c->l[m], c->u[m], p, v);
      iv g = along(row[m], p);
      out[m] = hull(out[m], m < 2 || !b->linear ? g : add(g, along(row[3], v)));
    }
  }
  if (still) out[2] = at(0);
}
static void checkCell(certificate *c, const cell *x) {
  const double l[3] = {x->lo[0], x->hi[0], x->lo[0]}, u[3] = {x->lo[0], x->hi[0], x->hi[0]}, during[2] = {l[0], u[1]};
  bool same = memcmp(l, c->l, sizeof l) == 0 && memcmp(u, c->u, sizeof u) == 0; /* cells of one time come together */
  memcpy(c->l, l, sizeof l), memcpy(c->u, u, sizeof u);
  for (int i = 0; i < 6 && !same; ++i) bodyMap(c, &c->b[i / 3], during, l[i % 3], u[i % 3], c->b[i / 3].at[i % 3]);
  iv s[2][3], h = sub(at(u[2]), at(l[2]));
  for (int k = 0; k < 2; ++k) sideOf(c, x, k, s[k]);
  double g0 = below(s[1][0].lo - s[0][0].hi), g1 = below(s[1][1].lo - s[0][1].hi), least = min(g0, g1), longest = 0;
  double q = mul(mul(h, h), at(0.5 * max(above(s[1][2].hi - s[0][2].lo), 0))).hi;
  iv rest = sub(at(q), sub(at(g1), at(g0)));
  if (!(q <= fabs(g1 - g0)))
    least = max(sub(at(g0), over(mul(rest, rest), mul(at(4), at(q)))).lo, sub(at(least), at(q)).lo);
  for (int e = 0; e < 2; ++e) longest = max(longest, above(sqrt(square(x->n[e]).hi)));
  double proven = sub(over(at(least), at(longest)), add(at(c->b[0].radius), at(c->b[1].radius))).lo;
  if (!(proven >= x->bound && x->bound >= c->clearance && x->bound > 0))
    fail(c, "this cell (time %.9g to %.9g): %.9g m stated, %.9g m found", l[2], u[2], x->bound, proven);
}
typedef struct mark {
  double at[3];
  int sign;
} mark;
static int byTime(const void *a, const void *b) {
  const cell *x = *(cell *const *)a, *y = *(cell *const *)b;
  return x->lo[0] != y->lo[0] ? (x->lo[0] > y->lo[0]) - (x->lo[0] < y->lo[0])
                              : (x->hi[0] > y->hi[0]) - (x->hi[0] < y->hi[0]);
}
static int byPlace(const void *a, const void *b) {
  const double *x = ((const mark *)a)->at, *y = ((const mark *)b)->at;
  int k = x[0] != y[0] ? 0 : x[1] != y[1] ? 1 : 2;
  return (x[k] > y[k]) - (x[k] < y[k]);
}
/* NULL when the signs at every place cancel; else the first place where they do not. */
static const mark *leftOver(mark *m, size_t count) {
  qsort(m, count, sizeof *m, byPlace);
  for (size_t i = 0, k = 0; i < count; i = k) {
    int sum = 0;
    for (; k < count && byPlace(&m[i], &m[k]) == 0; ++k) sum += m[k].sign;
    if (sum != 0) return &m[i];
  }
  return NULL;
}
static size_t putCorners(mark *m, const double lo[3], const double hi[3], int sign) {
  for (int i = 0; i < 8; ++i) {
    m[i].sign = sign * ((i & 1 ? -1 : 1) * (i & 2 ? -1 : 1) * (i & 4 ? -1 : 1));
    for (int k = 0; k < 3; ++k) m[i].at[k] = i >> k & 1 ? hi[k] : lo[k];
  }
  return 8;
}
/* Do the cells tile the box? Half-open boxes add up to another box if and only if their signed corners do (the mixed
 * derivative of the sum of their indicator functions). A box of no duration stands for one of duration 1. */
static void checkTiling(certificate *c, const double lo[3], const double hi[3]) {
  bool still = lo[0] == hi[0];
  mark *m = room(c, 8 * (c->cellCount + 1), sizeof *m);
  const double to[3] = {still ? hi[0] + 1 : hi[0], hi[1], hi[2]};
  size_t count = putCorners(m, lo, to, -1);
  for (size_t i = 0; i < c->cellCount; ++i) {
    const cell *x = c->cells[i];
    const double end[3] = {still ? x->hi[0] + 1 : x->hi[0], x->hi[1], x->hi[2]};
    c->line = x->line;
    REQUIRE(still || x->lo[0] < x->hi[0], "a cell of no duration");
    count += putCorners(m + count, x->lo, end, 1);
  }
  const mark *gap = leftOver(m, count);
  if (gap != NULL)
    fail(c, "a gap or overlap of cells: time %.9g, face %g of A, %g of B", gap->at[0], gap->at[1], gap->at[2]);
}
/* Triangle i of the fan of face f; false when two of its corners are at one place: it bounds nothing. */
static bool fanTriangle(const body *b, size_t f, size_t i, size_t ids[3]) {
  const size_t v[3] = {b->id[b->start[f]], b->id[i], b->id[i + 1]};
  memcpy(ids, v, sizeof v);
  return b->same[v[0]] != b->same[v[1]] && b->same[v[1]] != b->same[v[2]] && b->same[v[2]] != b->same[v[0]];
}
typedef struct place {
  const double *p;
  size_t numbers, id;
} place;
static int byNumbers(const void *a, const void *b) {
  const place *x = a, *y = b;
  size_t k = 0;
  while (k + 1 < x->numbers && x->p[k] == y->p[k]) ++k;
  return (x->p[k] > y->p[k]) - (x->p[k] < y->p[k]);
}
/* A surface closes when every edge of the fans' triangles is run as often one way as the other. */
static void checkClosed(certificate *c, body *b) {
  size_t each = b->linear ? 6 : 3, count = 0;
  place *places = room(c, b->vertices, sizeof *places);
  b->same = room(c, b->vertices, sizeof *b->same);
  for (size_t v = 0; v < b->vertices; ++v) places[v] = (place){b->p + each * v, each, v};
  qsort(places, b->vertices, sizeof *places, byNumbers);
  for (size_t v = 1; v < b->vertices; ++v)
    b->same[places[v].id] = b->same[places[v - 1].id] + (byNumbers(&places[v - 1], &places[v]) != 0);
  mark *m = room(c, 3 * b->start[b->faces], sizeof *m);
  for (size_t f = 0; f < b->faces; ++f)
    for (size_t i = b->start[f] + 1, ids[3]; i + 1 < b->start[f + 1]; ++i) {
      if (!fanTriangle(b, f, i, ids)) continue;
      for (int k = 0; k < 3; ++k) {
        double x = (double)b->same[ids[k]], y = (double)b->same[ids[(k + 1) % 3]];
        m[count++] = (mark){{min(x, y), max(x, y), 0}, x < y ? 1 : -1};
      }
    }
  const mark *open = leftOver(m, count);
  if (count == 0 || open != NULL)
    fail(c, "body %c is no solid: its faces do not close%s", b == c->b ? 'A' : 'B', count == 0 ? ", it has none" : "");
}
static int determinant(const iv a[3], const iv b[3], const iv d[3]) { /* its sign; 0 = not told */
  iv sum = at(0);
  for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++) sum = add(sum, mul(d[i], sub(mul(a[j], b[k]), mul(a[k], b[j]))));
  return sum.lo > 0 ? 1 : sum.hi < 0 ? -1 : 0;
}
/* How often the surface winds about a vertex: crossings of its ray, out + and in -. */
static void followRay(certificate *c, const double r[4], const body *inner, const body *solid) {
  iv d[3] = {at(r[1]), at(r[2]), at(r[3])}, p[3][3], u[3], v[3], from[3];
  long winding = 0;
  placed(inner, 0, (size_t)r[0], c->t0, from);
  for (size_t f = 0; f < solid->faces; ++f)
    for (size_t i = solid->start[f] + 1, ids[3]; i + 1 < solid->start[f + 1]; ++i) {
      if (!fanTriangle(solid, f, i, ids)) continue;
      for (int k = 0; k < 3; ++k) {
        placed(solid, 0, ids[k], c->t0, p[k]);
        for (int a = 0; a < 3; ++a) p[k][a] = sub(p[k][a], from[a]);
      }
      int x = determinant(p[0], p[1], d), y = determinant(p[1], p[2], d), z = determinant(p[2], p[0], d);
      if (x * y < 0 || y * z < 0 || x * z < 0) continue;
      for (int a = 0; a < 3; ++a) u[a] = sub(p[1][a], p[0][a]), v[a] = sub(p[2][a], p[0][a]);
      int height = determinant(u, v, p[0]), toward = determinant(u, v, d);
      if (x * y * z * height * toward == 0) fail(c, "the ray from vertex %g grazes face %zu", r[0], f);
      winding += height == toward ? toward : 0;
    }
  if (winding != 0) fail(c, "the ray from vertex %g says that it lies inside the other body", r[0]);
}
static size_t rootOf(size_t *parent, size_t v) {
  for (; parent[v] != v; v = parent[v]) parent[v] = parent[parent[v]];
  return v;
}
static void checkOutside(certificate *c, const body *b, const body *solid) {
  bool *told = room(c, b->vertices, 1);
  size_t *parent = room(c, b->vertices, sizeof *parent); /* parts: faces that share vertices */
  for (size_t v = 0; v < b->vertices; ++v) parent[v] = v;
  for (size_t f = 0; f < b->faces; ++f)
    for (size_t k = b->start[f] + 1; k < b->start[f + 1]; ++k)
      parent[rootOf(parent, b->id[k])] = rootOf(parent, b->id[b->start[f]]);
  for (size_t i = 0; i < b->rays; ++i) {
    followRay(c, b->ray[i], b, solid);
    told[rootOf(parent, (size_t)b->ray[i][0])] = true;
  }
  for (size_t f = 0; f < b->faces; ++f)
    REQUIRE(told[rootOf(parent, b->id[b->start[f]])], "nothing says that face %zu begins outside the other body", f);
}
/* The rotation that a piece of a spline ends with is that of the next key, to rounding. */
static void checkContinuity(certificate *c, const body *b) {
  for (size_t x = 0; x < b->stages; ++x)
    for (size_t i = 0; b->stage[x].kind == 2 && i + 1 < b->stage[x].count; ++i) {
      const double *key = b->stage[x].n + 19 * i, *next = key + 19 + 7;
      double largest = 0, jump = 0;
      map end;
      rotation(key + 16, fix(1), false, key + 7, none, end);
      for (int k = 0; k < 9; ++k) {
        iv step = sub(end[k / 3][k % 3].v, at(next[k]));
        largest = max(largest, fabs(next[k])), jump = max(jump, max(-step.lo, step.hi));
      }
      if (!(jump <= MAX_JUMP * largest))
        fail(c, "body %c: its rotation jumps by %g at key %zu", b == c->b ? 'A' : 'B', jump, i + 1);
    }
}
static bool hasKey(const body *b, double t) {
  for (size_t x = 0; x < b->stages; ++x)
    for (size_t i = 0; b->stage[x].kind == 2 && i < b->stage[x].count; ++i)
      if (b->stage[x].n[19 * i] == t) return true;
  return false;
}
/* How far a vertex moves at a key inside, where rounding lets the motion jump. */
static double jumpAt(certificate *c, body *b, double t) {
  const double before[2] = {nextafter(t, 0), t}, behind[2] = {t, t};
  double most = 0;
  bodyMap(c, b, before, t, t, b->at[0]);
  bodyMap(c, b, behind, t, t, b->at[1]);
  for (size_t v = 0; v < b->vertices; ++v) {
    iv x[3], y[3];
    double far[3];
    placed(b, 0, v, t, x), placed(b, 1, v, t, y);
    for (int k = 0; k < 3; ++k) x[k] = sub(y[k], x[k]), far[k] = max(-x[k].lo, x[k].hi);
    most = max(most, above(sqrt(square(far).hi)));
  }
  return most;
}
static void checkJumps(certificate *c) {
  for (int k = 0; k < 2; ++k)
    for (size_t x = 0; x < c->b[k].stages; ++x)
      for (size_t i = 0; c->b[k].stage[x].kind == 2 && i < c->b[k].stage[x].count; ++i) {
        double t = c->b[k].stage[x].n[19 * i], jump = 0;
        for (int e = 0; e < 2 && t > c->t0 && t < c->t1; ++e) jump += hasKey(&c->b[e], t) ? jumpAt(c, &c->b[e], t) : 0;
        if (!(above(jump) < c->least))
          fail(c, "the bodies jump by %g m at the key at %g: more than they are apart", jump, t);
      }
}
static void checkAll(certificate *c) {
  bool apartAsWhole = false;
  const double lo[3] = {c->t0, 0, 0}, hi[3] = {c->t1, (double)c->b[0].faces, (double)c->b[1].faces};
  const double start[2] = {c->t0, c->t0};
  for (int k = 0; k < 2; ++k) {
    checkContinuity(c, &c->b[k]);
    if (c->b[k].solid) checkClosed(c, &c->b[k]);
  }
  qsort(c->cells, c->cellCount, sizeof *c->cells, byTime);
  for (size_t i = 0; i < c->cellCount; ++i) {
    const cell *x = c->cells[i];
    c->open += x->open;
    if (x->open) continue;
    c->line = x->line, c->least = min(c->least, x->bound);
    checkCell(c, x);
    apartAsWhole |= x->hi[1] - x->lo[1] == hi[1] && x->hi[2] - x->lo[2] == hi[2];
  }
  checkTiling(c, lo, hi);
  checkJumps(c);
  for (int k = 0; k < 2; ++k) bodyMap(c, &c->b[k], start, c->t0, c->t0, c->b[k].at[0]);
  for (int k = 0; k < 2; ++k)
    if (!apartAsWhole && c->b[1 - k].solid && c->b[k].plane == NULL) checkOutside(c, &c->b[k], &c->b[1 - k]);
}
int brinkVerifyFile(const char *path) {
  volatile int status = BRINK_EXIT_MALFORMED;
  certificate *c = calloc(1, sizeof *c);
  if (c == NULL) return status;
  *c = (certificate){.path = path, .line = 1, .restLine = 1, .all = {.apart = HUGE_VAL, .to = 1}};
  if (setjmp(c->out) == 0) {
    REQUIRE((c->kept = calloc(KEPT, sizeof *c->kept)) != NULL, "no memory");
    for (readFile(c); c->rest != NULL; ++c->all.certificates) {
      readNext(c);
      checkAll(c);
      c->all.cells += c->cellCount, c->all.open += c->open, c->all.apart = min(c->all.apart, c->least);
      c->all.from = max(c->all.from, c->t0), c->all.to = min(c->all.to, c->t1);
    }
    brinkVerify_Tell(path, c->all.open == 0 ? "proven" : "open", &c->all);
    status = c->all.open == 0 ? BRINK_EXIT_OK : BRINK_EXIT_FAILURE;
  } else {
    brinkVerify_Tell(path, "refused", NULL);
  }
  free(c->kept), free(c->arena), free(c->data), free(c);
  return status;
}
