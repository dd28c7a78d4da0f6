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
 *  4. solids: at the start every connected part of a body has a ray from a vertex that clearly crosses an even number
 *     of faces of the other; or some cell separates the two whole bodies.
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

#define MAX_POINTS 17 /* of a Bezier curve */

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
static iv add(iv a, iv b) { return wide(a.lo + b.lo, a.hi + b.hi); }
static iv sub(iv a, iv b) { return wide(a.lo - b.hi, a.hi - b.lo); }
static iv mul(iv a, iv b) {
  if ((a.lo == 0 && a.hi == 0) || (b.lo == 0 && b.hi == 0)) return at(0);
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
  double radius, *plane, *p, (*ray)[4]; /* plane: half-spaces; p: [vertices][3 or 6] */
  size_t stages, vertices, faces, rays, cells, *start, *id, *order, *seen; /* faces: ids[start[f]..start[f + 1]] */
  stage *stage;
  map at[3]; /* its motion at the ends of the time last looked at, and between */
} body;
typedef struct cell {
  double lo[3], hi[3], n[2][3], bound, key;
  unsigned long line;
  bool open;
} cell; /* lo, hi: time, faces of A, B */
typedef struct certificate {
  const char *path, *at, *end;
  char *data, *arena, word[64];
  size_t used, capacity, cellCount, open; /* of the arena, in which all that is read lives; cells */
  unsigned long line;
  jmp_buf out;
  double t0, t1, clearance, l[3], u[3], least; /* l, u: of the body's at[]; least: of the bounds */
  body b[2];
  cell **cells;
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
  return c->arena + (c->used += bytes) - bytes;
}
static const char *next(certificate *c) {
  for (size_t length; (length = strcspn(c->at, "# \t\r\n")) == 0 && *c->at != '\0'; c->line += *c->at++ == '\n')
    if (*c->at == '#') c->at += strcspn(c->at, "\n") - 1;
  size_t length = strcspn(c->at, " \t\r\n");
  REQUIRE(length > 0 && length < sizeof c->word, length == 0 ? "the file ends here: truncated" : "a very long word");
  snprintf(c->word, sizeof c->word, "%.*s", (int)length, c->at);
  c->at += length;
  return c->word;
}
static bool nextIs(certificate *c, const char *word) { return strcmp(next(c), word) == 0; }
static void expect(certificate *c, const char *first, const char *second) { /* one word and "", or two */
  REQUIRE(nextIs(c, first) && (second[0] == '\0' || nextIs(c, second)), "'%s %s' expected", first, second);
}
static double number(certificate *c, double least, double most) {
  char *end;
  double x = strtod(next(c), &end);
  if (*end != '\0' || !(x >= least && x <= most)) fail(c, "'%s' is not a number from %g to %g", c->word, least, most);
  return x;
}
static double any(certificate *c) { return number(c, -1e60, 1e60); }
static size_t whole(certificate *c, double least, double most) {
  double x = number(c, least, most);
  if (x != floor(x)) fail(c, "%g is not a whole number", x);
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
  b->seen = room(c, b->vertices, sizeof *b->seen), b->ray = room(c, b->vertices, sizeof *b->ray);
  b->linear = nextIs(c, "linear");
  REQUIRE(b->linear || strcmp(c->word, "fixed") == 0, "'%s': fixed or linear?", c->word);
  b->p = numbers(c, b->vertices * (b->linear ? 6 : 3));
  b->faces = (expect(c, "faces", ""), some(c, 1)), b->start = room(c, b->faces + 1, sizeof *b->start);
  b->id = room(c, (size_t)(c->end - c->at) / 2, sizeof *b->id); /* no more ids than words */
  for (size_t f = 0; f < b->faces; ++f) {
    b->start[f + 1] = b->start[f] + some(c, 1);
    for (size_t k = b->start[f]; k < b->start[f + 1]; ++k) b->id[k] = whole(c, 0, (double)b->vertices - 1);
  }
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
static void readAll(certificate *c) {
  FILE *file = strcmp(c->path, "-") == 0 ? stdin : fopen(c->path, "rb");
  size_t got = 0;
  ssize_t size = file != NULL ? getdelim(&c->data, &got, '\0', file) : -1; /* to the first NUL: all of a text */
  if (file != NULL && file != stdin) fclose(file);
  if (size < 20 || (size_t)size != strlen(c->data) || strncmp(c->data, "brink-certificate 1\n", 20) != 0)
    fail(c, "cannot be read, or is no certificate: they begin with 'brink-certificate 1'");
  c->at = c->data + 19, c->end = c->data + size;
  REQUIRE((c->arena = calloc(c->capacity = 64 * (size_t)size + 1024, 1)) != NULL, "no memory");
  c->t0 = (expect(c, "statement", "time"), number(c, 0, 1));
  c->t1 = number(c, c->t0, 1);
  c->clearance = (expect(c, "clearance", ""), number(c, 0, 1e60));
  readBody(c, &c->b[0], "A");
  readBody(c, &c->b[1], "B");
  expect(c, "end", "statement");
  char digest[20];
  uint64_t hash = 14695981039346656037u;
  for (const char *x = c->data + 20; x <= c->at; ++x) hash = (hash ^ (unsigned char)*x) * 1099511628211u;
  snprintf(digest, sizeof digest, "%016" PRIx64, hash);
  expect(c, "digest", "");
  REQUIRE(nextIs(c, digest), "digest %s is for other bodies or motions", c->word);
  while (nextIs(c, "order")) readOrder(c, which(c));
  for (; strcmp(c->word, "outside") == 0; next(c)) readRay(c, which(c));
  if (strcmp(c->word, "cells") != 0) fail(c, "'cells' expected, found '%s'", c->word);
  for (int k = 0; k < 2; ++k)
    if (c->b[k].plane == NULL && c->b[k].order == NULL) fail(c, "no order of the faces of body %c", 'A' + k);
  c->cells = room(c, c->cellCount = some(c, 1), sizeof *c->cells);
  for (size_t i = 0; i < c->cellCount; ++i) c->cells[i] = readCell(c);
  expect(c, "end", "");
  REQUIRE(c->at[strspn(c->at, " \t\r\n")] == '\0', "words behind the end");
}

/* ---- motions */
/* Turns R | arm by E(s w), s of constant rate, or by ODE's step I + 2 [s hat(w) + s^2 hat(w)^2] / (1 + s^2 |w|^2). */
static void rotation(const double *w, jet s, bool ode, const double *r, const double *arm, map out) {
  const double hat[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  iv w2 = square(w), angle = wide(below(sqrt(w2.lo)), above(sqrt(w2.hi))), rate = mul(angle, s.d);
  iv sn = sine(mul(angle, s.v)), cs = cosine(mul(angle, s.v)), rate2 = mul(rate, rate);
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
static void spline(certificate *c, const stage *s, double l, double u, map out) { /* key: time, T, T', R, turn */
  const double *a = s->n, *last = s->n + 19 * (s->count - 2);
  while (a < last && a[19] < u) a += 19;
  const double *b = a + 19;
  if (l < a[0] || u > b[0]) fail(c, "the cell from %g to %g holds a key of a spline, or leaves it", l, u);
  iv d = sub(at(b[0]), at(a[0]));
  jet x = {over(sub((iv){l, u}, at(a[0])), d), over(at(1), d), at(0)}, y = plus(fix(1), times(x, fix(-1)));
  rotation(a + 16, x, false, a + 7, a + 1, out);
  jet toB = times(times(x, x), plus(fix(3), times(x, fix(-2)))), m0 = times(jetOf(d), times(x, times(y, y))),
      m1 = times(jetOf(d), times(times(x, x), y));
  for (int k = 0; k < 3; ++k)
    out[k][3] = plus(plus(fix(a[1 + k]), times(toB, jetOf(sub(at(b[1 + k]), at(a[1 + k]))))),
                     plus(times(m0, fix(a[4 + k])), times(m1, fix(-b[4 + k]))));
}
static void stageMap(certificate *c, const stage *s, double l, double u, map out) {
  static const double none[3] = {0, 0, 0};
  const double *n = s->n; /* turn, ode: point, velocity, spin, [arm,] R */
  jet t = {{l, u}, at(1), at(0)};
  if (s->kind == 2) spline(c, s, l, u, out);
  if (s->kind == 3) bezier(s, l, u, out);
  if (s->kind < 2) rotation(n + 6, t, s->kind == 1, s->kind == 1 ? n + 9 : n + 12, s->kind == 1 ? none : n + 9, out);
  for (int i = 0; i < 3 && s->kind < 2; ++i) out[i][3] = plus(out[i][3], plus(fix(n[i]), times(t, fix(n[3 + i]))));
}
static void bodyMap(certificate *c, const body *b, double l, double u, map out) {
  for (int i = 0; i < 12; ++i) out[i / 4][i % 4] = fix(i % 5 == 0);
  for (size_t x = 0; x < b->stages; ++x) {
    map one, before;
    memcpy(before, out, sizeof before);
    stageMap(c, &b->stage[x], l, u, one);
    for (int i = 0; i < 12; ++i) {
      jet sum = dot(before[i / 4], one[0][i % 4], one[1][i % 4], one[2][i % 4]);
      out[i / 4][i % 4] = i % 4 == 3 ? plus(sum, before[i / 4][3]) : sum;
    }
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
static void placed(const body *b, size_t vertex, double t, iv out[3]) { /* at t, the start of at[] */
  iv p[3], v[3];
  vertexOf(b, vertex, t, t, p, v);
  for (int i = 0; i < 3; ++i) out[i] = along(b->at[0][i], p);
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
  iv h = sub(at(x->hi[0]), at(x->lo[0])), p[3], v[3];
  jet n[3], row[4][4] = {{{{0, 0}, {0, 0}, {0, 0}}}}; /* n.(R | T) at l, at u, (n.(R | T))'' and 2 (n.R)' between */
  for (int e = 0; e < 3; ++e) {
    for (int i = 0; i < 3; ++i) n[i] = e < 2 ? fix(x->n[e][i]) : jetOf(hull(at(x->n[0][i]), at(x->n[1][i])));
    for (int i = 0; i < 3 && e == 2 && h.hi > 1e-300; ++i) n[i].d = over(sub(at(x->n[1][i]), at(x->n[0][i])), h);
    for (int j = 0; j < 4; ++j) row[e][j] = dot(n, b->at[e][0][j], b->at[e][1][j], b->at[e][2][j]);
    out[e] = (iv){HUGE_VAL, -HUGE_VAL};
  }
  for (int j = 0; j < 4; ++j) row[3][j].v = mul(at(j < 3 ? 2 : 0), row[2][j].d), row[2][j].v = row[2][j].dd;
  ++b->cells;
  for (size_t f = (size_t)x->lo[1 + k]; f < (size_t)x->hi[1 + k]; ++f)
    for (size_t i = b->start[b->order[f]]; i < b->start[b->order[f] + 1]; ++i) {
      if (b->seen[b->id[i]] == b->cells) continue;
      b->seen[b->id[i]] = b->cells;
      for (int e = 0; e < 3; ++e) {
        vertexOf(b, b->id[i], c->l[e], c->u[e], p, v);
        iv g = along(row[e], p);
        out[e] = hull(out[e], e < 2 || !b->linear ? g : add(g, along(row[3], v)));
      }
    }
}
static void checkCell(certificate *c, const cell *x) {
  const double l[3] = {x->lo[0], x->hi[0], x->lo[0]}, u[3] = {x->lo[0], x->hi[0], x->hi[0]};
  bool same = memcmp(l, c->l, sizeof l) == 0 && memcmp(u, c->u, sizeof u) == 0; /* cells of one time come together */
  memcpy(c->l, l, sizeof l), memcpy(c->u, u, sizeof u);
  for (int i = 0; i < 6 && !same; ++i) bodyMap(c, &c->b[i / 3], l[i % 3], u[i % 3], c->b[i / 3].at[i % 3]);
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
static int byKey(const void *a, const void *b) {
  const cell *x = *(cell *const *)a, *y = *(cell *const *)b;
  if (x->key == y->key) return (x->hi[0] > y->hi[0]) - (x->hi[0] < y->hi[0]);
  return x->key < y->key ? -1 : 1;
}
static void sortBy(int k, cell **cells, size_t count) { /* by where they begin on axis k */
  for (size_t i = 0; i < count; ++i) cells[i]->key = cells[i]->lo[k];
  qsort(cells, count, sizeof *cells, byKey);
}
/* Do the cells tile the box? Cut it where a plane misses all of them, near the middle, until each has its own box. */
static void tile(certificate *c, cell **cells, size_t count, const double lo[3], const double hi[3]) {
  if (count == 1 && memcmp(cells[0]->lo, lo, 3 * sizeof *lo) == 0 && memcmp(cells[0]->hi, hi, 3 * sizeof *hi) == 0)
    return;
  for (int k = 0; k < 3; ++k) {
    sortBy(k, cells, count);
    size_t cut = 0;
    double reach = cells[0]->hi[k], from[3] = {lo[0], lo[1], lo[2]}, to[3] = {hi[0], hi[1], hi[2]};
    for (size_t i = 1; i < count; reach = max(reach, cells[i++]->hi[k]))
      if (cells[i]->lo[k] >= reach && (i <= count / 2 || cut == 0)) cut = i, from[k] = to[k] = reach;
    if (cut == 0) continue;
    tile(c, cells, cut, lo, to);
    tile(c, cells + cut, count - cut, from, hi);
    return;
  }
  fail(c, "a gap or overlap between cells: time %.9g to %.9g, faces from %g of A, %g of B", lo[0], hi[0], lo[1], lo[2]);
}
static int determinant(const iv a[3], const iv b[3], const iv d[3]) { /* its sign; 0 = not told */
  iv sum = at(0);
  for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++) sum = add(sum, mul(d[i], sub(mul(a[j], b[k]), mul(a[k], b[j]))));
  return sum.lo > 0 ? 1 : sum.hi < 0 ? -1 : 0;
}
static void followRay(certificate *c, const double r[4], const body *inner, const body *solid) {
  iv d[3] = {at(r[1]), at(r[2]), at(r[3])}, p[3][3], u[3], v[3], from[3];
  size_t crossings = 0;
  placed(inner, (size_t)r[0], c->t0, from);
  for (size_t f = 0; f < solid->faces; ++f)
    for (size_t i = solid->start[f] + 1; i + 1 < solid->start[f + 1]; ++i) {
      const size_t ids[3] = {solid->id[solid->start[f]], solid->id[i], solid->id[i + 1]};
      for (int k = 0; k < 3; ++k) {
        placed(solid, ids[k], c->t0, p[k]);
        for (int a = 0; a < 3; ++a) p[k][a] = sub(p[k][a], from[a]);
      }
      int x = determinant(p[0], p[1], d), y = determinant(p[1], p[2], d), z = determinant(p[2], p[0], d);
      if (x * y < 0 || y * z < 0 || x * z < 0) continue;
      for (int a = 0; a < 3; ++a) u[a] = sub(p[1][a], p[0][a]), v[a] = sub(p[2][a], p[0][a]);
      int height = determinant(u, v, p[0]), toward = determinant(u, v, d);
      if (x * y * z * height * toward == 0) fail(c, "the ray from vertex %g grazes face %zu", r[0], f);
      crossings += height == toward;
    }
  if (crossings % 2 != 0) fail(c, "the ray from vertex %g says that it lies inside the other body", r[0]);
}
static void checkOutside(certificate *c, const body *b, const body *solid) {
  bool *told = room(c, b->vertices, 1);
  for (size_t i = 0; i < b->rays; ++i) {
    followRay(c, b->ray[i], b, solid);
    told[(size_t)b->ray[i][0]] = true;
  }
  for (bool more = true; more;) { /* a vertex that is told tells those of its faces */
    more = false;
    for (size_t i = 0, f = 0; i < b->start[b->faces]; f += ++i == b->start[f + 1])
      for (size_t k = b->start[f]; k < b->start[f + 1] && told[b->id[i]]; ++k)
        more |= !told[b->id[k]], told[b->id[k]] = true;
  }
  for (size_t f = 0; f < b->faces; ++f)
    REQUIRE(told[b->id[b->start[f]]], "nothing says that face %zu begins outside the other body", f);
}
static void checkAll(certificate *c) {
  bool apartAsWhole = false;
  const double lo[3] = {c->t0, 0, 0}, hi[3] = {c->t1, (double)c->b[0].faces, (double)c->b[1].faces};
  sortBy(0, c->cells, c->cellCount);
  for (size_t i = 0; i < c->cellCount; ++i) {
    const cell *x = c->cells[i];
    c->open += x->open;
    if (x->open) continue;
    c->line = x->line, c->least = min(c->least, x->bound);
    checkCell(c, x);
    apartAsWhole |= x->hi[1] - x->lo[1] == hi[1] && x->hi[2] - x->lo[2] == hi[2];
  }
  tile(c, c->cells, c->cellCount, lo, hi);
  for (int k = 0; k < 2; ++k) bodyMap(c, &c->b[k], c->t0, c->t0, c->b[k].at[0]);
  for (int k = 0; k < 2; ++k)
    if (!apartAsWhole && c->b[1 - k].solid && c->b[k].plane == NULL) checkOutside(c, &c->b[k], &c->b[1 - k]);
}
int brinkVerifyFile(const char *path) {
  volatile int status = BRINK_EXIT_MALFORMED;
  certificate *c = calloc(1, sizeof *c);
  if (c == NULL) return status;
  *c = (certificate){.path = path, .line = 1, .l = {NAN}, .least = HUGE_VAL};
  if (setjmp(c->out) == 0) {
    readAll(c);
    checkAll(c);
    brinkVerify_Tell(path, c->open == 0 ? "proven" : "open", c->cellCount, c->open, c->least, (double[]){c->t0, c->t1});
    status = c->open == 0 ? BRINK_EXIT_OK : BRINK_EXIT_FAILURE;
  } else {
    brinkVerify_Tell(path, "refused", 0, 0, 0, NULL);
  }
  free(c->arena), free(c->data), free(c);
  return status;
}
