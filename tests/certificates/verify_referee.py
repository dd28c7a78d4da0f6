#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The second checker of certificates: what docs/certificate.md says, in Python's standard library, by other arithmetic.

`brink verify` (C, intervals of doubles, one bound for a whole cell) and this referee share no line and no method, so what
both accept does not hang on a mistake of one of them. Here:

  poses    whole numbers of 300 binary digits behind the point with a bound of their error; bezier and ode stages exact
  cells    f = n.(y - x) at the ends and wherever needed between: a piece of time counts once the chord bound with the
           curvature of the cell holds; else it is halved. So the referee judges what a cell claims, not how
           tight a checker's formula is: it accepts all true claims that can be told, and may accept more than verify
  tiling   exact volumes, and no two cells that share a point of their insides
  solids   edges counted in a table; winding number as a sum of solid angles, and the rays as stated

Usage: verify_referee.py FILE...   One line each: FILE proven|open|refused [reason]. Exit status 0 all proven, 1 some are
open, 2 some refused. Sources: Van Oosterom and Strackee 1983 (solid angle); the rest is textbook."""
import math
import re
import sys
from collections import defaultdict
from fractions import Fraction

BITS = 300
ONE = 1 << BITS
TINY = 2.0 ** -BITS
UP = 1.0 + 1e-9  # what bounds are multiplied by: covers the rounding of the few products they are made of
EPS = 2.0 ** -52
MAX_JUMP = 1e-9
DEEPEST, MOST_PIECES = 60, 20000


class Refused(Exception):
    pass


def require(good, why):
    if not good:
        raise Refused(why)


# ---- the file

NUMBER = re.compile(r"[+-]?(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE][+-]?\d+)?\Z", re.ASCII)
EACH = {"turn": 21, "ode": 18, "spline": 19, "bezier": 13}


class Words:
    def __init__(self, text):
        self.words = []
        for line in text.split("\n"):
            for word in re.split("[ \t\r]+", line):
                if word.startswith("#"):
                    break
                if word:
                    self.words.append(word)
        self.at = 0

    def next(self):
        require(self.at < len(self.words), "truncated")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, *words):
        for word in words:
            got = self.next()
            require(got == word, f"'{word}' expected, found '{got[:30]}'")

    def number(self, least=-1e60, most=1e60):
        word = self.next()
        found = NUMBER.match(word)
        require(found is not None, f"'{word[:30]}' is no decimal number")
        digits = "".join(part for part in found.groups() if part)
        require(len(digits.lstrip("0")) <= 17, f"'{word[:40]}' has more than 17 digits")
        x = float(word)
        require(least <= x <= most, f"{word[:30]} is not between {least} and {most}")
        return x

    def whole(self, least, most):
        word = self.next()
        require(word.isascii() and word.isdigit() and len(word.lstrip("0")) <= 17, f"'{word[:30]}' is no whole number")
        require(least <= int(word) <= most, f"{word[:30]} is not between {least} and {most}")
        return int(word)

    def count(self, least=0):
        return self.whole(least, len(self.words) - self.at)


class Body:
    plane = None
    order = None

    def __init__(self, w, name):
        w.expect("body", name)
        self.name, kind = name, w.next()
        require(kind in ("open", "solid", "halfspace"), "open, solid or halfspace?")
        self.solid = kind == "solid"
        w.expect("radius")
        self.radius, self.faces, self.rays = w.number(0), [None], []
        if kind == "halfspace":
            w.expect("plane")
            self.plane = [w.number() for _ in range(4)]
            return
        w.expect("stages")
        self.stages = []
        for _ in range(w.count()):
            kind = w.next()
            require(kind in EACH, f"motion '{kind[:30]}' is not known")
            n = w.count(2) if kind == "spline" else w.whole(1, 17) if kind == "bezier" else 1
            rows = [[w.number() for _ in range(EACH[kind])] for _ in range(n)]
            require(kind != "bezier" or all(row[0] > 0 for row in rows), "a weight that is not above 0")
            require(kind != "spline" or all(a[0] < b[0] for a, b in zip(rows, rows[1:])), "keys out of order")
            self.stages.append((kind, rows))
        w.expect("vertices")
        n, kind = w.count(1), w.next()
        require(kind in ("fixed", "linear"), "fixed or linear?")
        self.linear = kind == "linear"
        self.vertices = [tuple(w.number() for _ in range(6 if self.linear else 3)) for _ in range(n)]
        w.expect("faces")
        self.faces = [[w.whole(0, n - 1) for _ in range(w.count(1))] for _ in range(w.count(1))]
        self.cache = {}


class Cell:
    def __init__(self, w, bodies):
        kind = w.next()
        require(kind in ("cell", "open"), "cell or open expected")
        self.open, self.l = kind == "open", w.number(0, 1)
        self.u = w.number(self.l, 1)
        self.range = []
        for b in bodies:
            first = w.whole(0, len(b.faces))
            self.range.append((first, w.whole(first + 1, len(b.faces))))
        if not self.open:
            self.n = [[w.number() for _ in range(3)] for _ in range(2)]
            self.bound = w.number()


def read(data):
    require(b"\0" not in data, "a NUL byte")
    text = data.decode("latin-1")
    require(text.startswith("brink-certificate 1\n"), "no certificate")
    w = Words(text[20:])
    w.expect("statement", "time")
    t0 = w.number(0, 1)
    t1 = w.number(t0, 1)
    w.expect("clearance")
    clearance = w.number(0)
    bodies = [Body(w, "A"), Body(w, "B")]
    require(bodies[0].plane is None or bodies[1].plane is None, "two half-spaces")
    w.expect("end", "statement", "digest")
    stated = re.search(r"^[ \t]*statement\b.*?\bend[ \t]+statement[^\n]*\n", text[20:], re.S | re.M)
    require(stated is not None, "no statement")
    digest = 14695981039346656037
    for byte in stated.group(0).lstrip(" \t").encode("latin-1"):
        digest = (digest ^ byte) * 1099511628211 & (1 << 64) - 1
    require(w.next() == f"{digest:016x}", "the digest is for other bodies or motions")
    word = w.next()
    while word == "order":
        name = w.next()
        b = bodies[name == "B"]
        require(name in ("A", "B") and b.plane is None and b.order is None, "an order not asked for")
        b.order = [w.whole(0, len(b.faces) - 1) for _ in b.faces]
        require(len(set(b.order)) == len(b.faces), "a face is twice in the order")
        word = w.next()
    while word == "outside":
        name = w.next()
        require(name in ("A", "B"), "A or B?")
        b = bodies[name == "B"]
        require(b.plane is None, "a ray of a half-space")
        b.rays.append((w.whole(0, len(b.vertices) - 1), [w.number() for _ in range(3)]))
        word = w.next()
    require(word == "cells", "'cells' expected")
    require(all(b.plane or b.order for b in bodies), "no order of the faces")
    cells = [Cell(w, bodies) for _ in range(w.count(1))]
    w.expect("end")
    require(w.at == len(w.words), "words behind the end")
    return t0, t1, clearance, bodies, cells


# ---- poses: whole numbers over 2^BITS


def fixed(x):
    f = x if isinstance(x, Fraction) else Fraction(x)
    return (f.numerator << BITS) // f.denominator


def pi_digits(bits):
    def arctan_inverse(n):
        total = term = (1 << bits) // n
        k = 1
        while term:
            term //= -n * n
            k += 2
            total += term // k
        return total

    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


GUARD = 400
PI_LONG = pi_digits(BITS + GUARD)


def sine_cosine(theta):
    """Of theta/2^BITS >= 0; off by less than 2^-(BITS - 40)."""
    turn = PI_LONG * 2
    r = ((theta << GUARD) % turn) >> (GUARD + 8)
    square, term_c, term_s, k = r * r >> BITS, ONE, r, 0
    cosine, sine = ONE, r
    while term_c or term_s:
        k += 2
        term_c = -(term_c * square >> BITS) // (k * (k - 1))
        term_s = -(term_s * square >> BITS) // (k * (k + 1))
        if abs(term_c) <= 1 and abs(term_s) <= 1:
            break
        cosine += term_c
        sine += term_s
    for _ in range(8):
        sine, cosine = 2 * sine * cosine >> BITS, (cosine * cosine - sine * sine) >> BITS
    return sine, cosine


def rotation(w, s):
    """E(s w), 3 x 3; off by less than 2^-(BITS - 60) for |s w| < 2^200."""
    v = [Fraction(x) * s for x in w]
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if square == 0:
        return [[ONE if i == j else 0 for j in range(3)] for i in range(3)]
    if square < 1:
        x, first, second, k = fixed(square), ONE, ONE >> 1, 2  # sin(a)/a and (1 - cos a)/a^2
        term_f, term_s = first, second
        while term_f or term_s:
            term_f = -(term_f * x >> BITS) // (k * (k + 1))
            term_s = -(term_s * x >> BITS) // ((k + 1) * (k + 2))
            if abs(term_f) <= 1 and abs(term_s) <= 1:
                break
            first += term_f
            second += term_s
            k += 2
        axis = [fixed(x) for x in v]
    else:
        theta = math.isqrt((square.numerator << 2 * BITS + 200) // square.denominator)  # over 2^(BITS + 100)
        axis = [((x.numerator << 2 * BITS + 100) // x.denominator) // theta for x in v]
        first, cosine = sine_cosine(theta >> 100)
        second = ONE - cosine
    a, b, c = axis
    hat = [[0, -c, b], [c, 0, -a], [-b, a, 0]]
    length2 = (a * a + b * b + c * c) >> BITS
    out = []
    for i in range(3):
        row = []
        for j in range(3):
            twice = (axis[i] * axis[j] >> BITS) - (length2 if i == j else 0)
            row.append((ONE if i == j else 0) + ((first * hat[i][j] + second * twice) >> BITS))
        out.append(row)
    return out


def times_matrix(e, m):
    m = [fixed(x) for x in m]
    return [[sum(e[i][k] * m[3 * k + j] for k in range(3)) >> BITS for j in range(3)] for i in range(3)]


def piece(rows, during):
    """The keys around a part of the time: of two pieces that meet, the one behind only when the part begins there."""
    k = 0
    while k + 2 < len(rows) and rows[k + 1][0] <= during[0]:
        k += 1
    require(rows[k][0] <= during[0] and during[1] <= rows[k + 1][0], "a cell holds a key, or leaves the spline")
    return rows[k], rows[k + 1]


def bernstein(n, t):
    return [math.comb(n, i) * t ** i * (1 - t) ** (n - i) for i in range(n + 1)]


def stage_pose(kind, rows, during, t):
    """R | T as 12 whole numbers and a bound of their error."""
    n = rows[0]
    error = 2.0 ** (60 - BITS)
    if kind == "turn":
        e = rotation(n[6:9], t)
        r = times_matrix(e, n[12:21])
        arm = [fixed(x) for x in n[9:12]]
        p = [fixed(Fraction(n[i]) + t * Fraction(n[3 + i])) + (sum(e[i][k] * arm[k] for k in range(3)) >> BITS)
             for i in range(3)]
        error *= 4 + 3 * (max(map(abs, n[9:21])))
    elif kind == "ode":
        u = [Fraction(x) for x in n[6:9]]
        hat = [[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]]
        length2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
        scale = 2 / (1 + t * t * length2)
        e = [[(1 if i == j else 0) + scale * (t * hat[i][j] + t * t * (u[i] * u[j] - (length2 if i == j else 0)))
              for j in range(3)] for i in range(3)]
        r = [[fixed(sum(e[i][k] * Fraction(n[9 + 3 * k + j]) for k in range(3))) for j in range(3)] for i in range(3)]
        p = [fixed(Fraction(n[i]) + t * Fraction(n[3 + i])) for i in range(3)]
    elif kind == "spline":
        a, b = piece(rows, during)
        d = Fraction(b[0]) - Fraction(a[0])
        s = (t - Fraction(a[0])) / d
        r = times_matrix(rotation(a[16:19], s), a[7:16])
        h = [(1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2 * d, s * s * (3 - 2 * s), s * s * (s - 1) * d]
        p = [fixed(h[0] * Fraction(a[1 + i]) + h[1] * Fraction(a[4 + i]) + h[2] * Fraction(b[1 + i]) +
                   h[3] * Fraction(b[4 + i])) for i in range(3)]
        error *= 4 + 3 * max(map(abs, a[7:16]))
    else:
        weights = bernstein(len(rows) - 1, t)
        sums = [sum(weights[i] * Fraction(rows[i][k]) for i in range(len(rows))) for k in range(13)]
        r = [[fixed(sums[1 + 3 * i + j] / sums[0]) for j in range(3)] for i in range(3)]
        p = [fixed(sums[10 + i] / sums[0]) for i in range(3)]
    return [r[i] + [p[i]] for i in range(3)], error


def largest(m, columns=slice(0, 4)):
    return max(abs(x) for row in m for x in row[columns]) / ONE * UP


def pose(body, during, t):
    """The body's motion at t, as a part of `during`; kept."""
    key = (t, during[0] < t, during[1] > t)
    if key in body.cache:
        return body.cache[key]
    out, error = [[ONE if i == j else 0 for j in range(4)] for i in range(3)], 0.0
    for kind, rows in body.stages:
        one, off = stage_pose(kind, rows, during, t)
        error = (3 * (largest(out, slice(0, 3)) * off + largest(one) * error + error * off) + 4 * TINY + error) * UP
        out = [[(sum(out[i][k] * one[k][j] for k in range(3)) >> BITS) + (out[i][3] if j == 3 else 0) for j in range(4)]
               for i in range(3)]
    if len(body.cache) > 4000:
        body.cache.clear()
    body.cache[key] = out, error
    return out, error


# ---- how fast, how bent: ranges (lo, hi) of doubles, outward after every operation


def out(lo, hi):
    return lo - abs(lo) * 4e-16 - 1e-300, hi + abs(hi) * 4e-16 + 1e-300


ZERO = (0.0, 0.0)


def add(a, b):
    if a == ZERO:
        return b
    return a if b == ZERO else out(a[0] + b[0], a[1] + b[1])


def mul(a, b):
    if a == ZERO or b == ZERO:
        return ZERO
    p, q, r, s = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    return out(min(p, q, r, s), max(p, q, r, s))


def over(a, b):
    return mul(a, out(1 / b[1], 1 / b[0])) if b[0] > 0 else (-math.inf, math.inf)


def minus(a):
    return -a[1], -a[0]


def jet_add(a, b):
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


def jet_mul(a, b):
    d = mul(a[1], b[1])
    return (mul(a[0], b[0]), add(mul(a[1], b[0]), mul(a[0], b[1])),
            add(add(mul(a[2], b[0]), add(d, d)), mul(a[0], b[2])))


def jet_over(a, b):
    v = over(a[0], b[0])
    d = over(add(a[1], minus(mul(v, b[1]))), b[0])
    twice = mul(d, b[1])
    return v, d, over(add(add(a[2], minus(add(twice, twice))), minus(mul(v, b[2]))), b[0])


def still(x):
    return (x, x), ZERO, ZERO


def wave(lo, hi, shift):
    """Range of cos(x - shift)."""
    slack = 1e-15 * (4 + abs(lo) + abs(hi))
    if not hi - lo < 6 or abs(hi) > 1e9:
        return -1.0, 1.0
    a, b = math.cos(lo - shift), math.cos(hi - shift)
    least, most = min(a, b) - slack, max(a, b) + slack
    for k in range(math.ceil((lo - shift - slack) / math.pi - 1e-9), math.floor((hi - shift + slack) / math.pi + 1e-9) + 1):
        least, most = (least, 1.0) if k % 2 == 0 else (-1.0, most)
    return max(least, -1.0), min(most, 1.0)


def rotation_jets(w, s, rate):
    """E(s w), s in a range and of a constant rate."""
    length = math.hypot(*w)
    if length == 0:
        return [[still(float(i == j)) for j in range(3)] for i in range(3)]
    if length < 1e-100:  # hardly turns: whatever these are, w makes them vanish
        first, second = (s, rate, (-1.0, 1.0)), ((0.0, 1.0), (-2.0, 2.0), (-2.0, 2.0))
    else:
        theta = out(length * (1 - 1e-15), length * (1 + 1e-15))
        phase, rate2 = mul(theta, s), mul(rate, rate)
        sine, cosine = wave(*phase, math.pi / 2), wave(*phase, 0.0)
        first = over(sine, theta), mul(cosine, rate), minus(mul(mul(theta, sine), rate2))
        second = (over(add((1.0, 1.0), minus(cosine)), mul(theta, theta)), mul(over(sine, theta), rate),
                  mul(cosine, rate2))
    a, b, c = w
    hat = [[0, -c, b], [c, 0, -a], [-b, a, 0]]
    square = add(mul((a, a), (a, a)), add(mul((b, b), (b, b)), mul((c, c), (c, c))))
    jets = []
    for i in range(3):
        row = []
        for j in range(3):
            twice = mul((w[i], w[i]), (w[j], w[j]))
            twice = add(twice, minus(square)) if i == j else twice
            row.append(jet_add(still(float(i == j)), jet_add(jet_mul(first, still(hat[i][j])),
                                                             jet_mul(second, (twice, ZERO, ZERO)))))
        jets.append(row)
    return jets


def jet_dot(a, b):
    return jet_add(jet_add(jet_mul(a[0], b[0]), jet_mul(a[1], b[1])), jet_mul(a[2], b[2]))


def turned(e, m):
    return [[jet_dot(e[i], [still(m[3 * k + j]) for k in range(3)]) for j in range(3)] for i in range(3)]


def bezier_jets(rows, l, u):
    """By the control points of the part [l,u], which is widened where rounding would hide their differences."""
    n = len(rows) - 1
    if u - l < 2.0 ** -20:
        l = min(max(0.0, (l + u) / 2 - 2.0 ** -21), 1 - 2.0 ** -20)
        u = max(u, l + 2.0 ** -20)
    scale = [max(abs(row[k]) for row in rows) for k in range(13)]

    def before(points, t):
        """Control points of the part before t."""
        left, right = [], [list(p) for p in points]
        while right:
            left.append(right[0])
            right = [[a * (1 - t) + b * t for a, b in zip(p, q)] for p, q in zip(right, right[1:])]
        return left

    part = before(rows[::-1], 1 - l)[::-1]  # what is behind l
    part = before(part, (u - l) / (1 - l))
    h = (u - l) * (1 - 1e-15), (u - l) * (1 + 1e-15)

    def jet(values, error):
        first = [b - a for a, b in zip(values, values[1:])] or [0.0]
        second = [b - a for a, b in zip(first, first[1:])] or [0.0]
        ranges = [(min(v) - e, max(v) + e) for v, e in ((values, error), (first, 2 * error), (second, 4 * error))]
        d = over(mul((n, n), ranges[1]), h) if n > 0 else ZERO
        return ranges[0], d, over(over(mul((n * (n - 1),) * 2, ranges[2]), h), h) if n > 1 else ZERO

    error = [64 * (n + 1) * EPS * x for x in scale]
    weight, entries = jet([p[0] for p in part], error[0]), []
    for k in range(1, 13):
        middle = part[n // 2][k] / part[n // 2][0]
        p = jet([p[k] - middle * p[0] for p in part], error[k] + 4 * abs(middle) * error[0])
        entries.append(jet_add(still(middle), jet_over(p, weight)))
    return [entries[3 * i:3 * i + 3] + [entries[9 + i]] for i in range(3)]


def stage_jets(kind, rows, l, u):
    n, t = rows[0], ((l, u), (1.0, 1.0), ZERO)
    if kind == "bezier":
        return bezier_jets(rows, l, u)
    if kind == "spline":
        a, b = piece(rows, (l, u))
        d = out(b[0] - a[0], b[0] - a[0])
        s = over(out(l - a[0], u - a[0]), d), over((1.0, 1.0), d), ZERO
        r = jet_add(still(1.0), jet_mul(still(-1.0), s))
        e = turned(rotation_jets(a[16:19], s[0], s[1]), a[7:16])
        shapes = [jet_mul(jet_mul(s, s), jet_add(still(3.0), jet_mul(still(-2.0), s))),
                  jet_mul((d, ZERO, ZERO), jet_mul(s, jet_mul(r, r))), jet_mul((d, ZERO, ZERO), jet_mul(r, jet_mul(s, s)))]
        p = [jet_add(jet_add(still(a[1 + i]), jet_mul(shapes[0], (out(b[1 + i] - a[1 + i], b[1 + i] - a[1 + i]), ZERO, ZERO))),
                     jet_add(jet_mul(shapes[1], still(a[4 + i])), jet_mul(shapes[2], still(-b[4 + i])))) for i in range(3)]
        return [e[i] + [p[i]] for i in range(3)]
    w = n[6:9]
    if kind == "turn":
        e, arm = rotation_jets(w, t[0], t[1]), n[9:12]
        p = [jet_dot(e[i], [still(x) for x in arm]) for i in range(3)]
        r = turned(e, n[12:21])
    else:
        square = ZERO
        for x in w:
            square = add(square, mul((x, x), (x, x)))
        t2 = jet_mul(t, t)
        below = jet_add(still(1.0), jet_mul(t2, (square, ZERO, ZERO)))
        hat = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
        e = []
        for i in range(3):
            row = []
            for j in range(3):
                twice = mul((w[i], w[i]), (w[j], w[j]))
                twice = add(twice, minus(square)) if i == j else twice
                above = jet_add(jet_mul(t, still(2.0 * hat[i][j])), jet_mul(t2, (mul((2.0, 2.0), twice), ZERO, ZERO)))
                row.append(jet_add(still(float(i == j)), jet_over(above, below)))
            e.append(row)
        p, r = [still(0.0)] * 3, turned(e, n[9:18])
    p = [jet_add(p[i], jet_add(still(n[i]), jet_mul(t, still(n[3 + i])))) for i in range(3)]
    return [r[i] + [p[i]] for i in range(3)]


def body_jets(body, l, u):
    """The motion over [l,u]; the last that was asked for is kept."""
    if body.cache.get("jets", (None,))[0] != (l, u):
        whole = [[still(float(i == j)) for j in range(4)] for i in range(3)]
        for k, (kind, rows) in enumerate(body.stages):
            one = stage_jets(kind, rows, l, u)
            if k == 0:
                whole = one
                continue
            whole = [[jet_add(jet_dot(whole[i], [one[c][j] for c in range(3)]), whole[i][3] if j == 3 else still(0.0))
                      for j in range(4)] for i in range(3)]
        body.cache["jets"] = (l, u), whole
    return body.cache["jets"][1]


def bend(body, ids, cell):
    """Range of (n.x)'' over the vertices, n from n0 to n1."""
    if body.plane:
        return ZERO
    m, h = body_jets(body, cell.l, cell.u), out(cell.u - cell.l, cell.u - cell.l)
    n = [((min(a, b), max(a, b)), over(out(b - a, b - a), h) if a != b else ZERO, ZERO) for a, b in zip(*cell.n)]
    row = [jet_dot(n, [m[i][j] for i in range(3)]) for j in range(4)]
    low, high = math.inf, -math.inf
    for v in ids:
        p = body.vertices[v]
        value = row[3][2]
        for k in range(3):
            at = (p[k], p[k])
            if body.linear:
                q = out(p[3 + k] - p[k], p[3 + k] - p[k])
                at = add(at, mul((cell.l, cell.u), q))
                value = add(value, mul((2.0, 2.0), mul(row[k][1], q)))
            value = add(value, mul(row[k][2], at))
        low, high = min(low, value[0]), max(high, value[1])
    return low, high


# ---- cells


def norm(v):
    return math.sqrt(sum(x * x for x in v)) * UP


def span(body, cell, k, n, during, t):
    """Range of n.x over the vertices of the cell's faces, outward. n: three Fractions. Of a half-space n.x <= offset the
    end that looks at the other body."""
    if body.plane:
        sign = 1 if k == 0 else -1
        own = [sign * x for x in body.plane[:3]]
        require([float(x) for x in n] == own, "a half-space has one direction only")
        return (-math.inf, body.plane[3]) if k == 0 else (-body.plane[3], math.inf)
    m, error = pose(body, during, t)
    whole = [fixed(x) for x in n]
    row = [sum(whole[i] * m[i][j] for i in range(3)) / (ONE * ONE) for j in range(4)]
    weight = sum(abs(float(x)) for x in n)
    low, high, at = math.inf, -math.inf, float(t)
    for v in cell.ids[k]:
        p = body.vertices[v]
        size = [abs(x) for x in p[:3]]
        if body.linear:
            size = [a + abs(b) for a, b in zip(size, p[3:])]
            p = [a + at * (b - a) for a, b in zip(p, p[3:])]
        value = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]
        off = 16 * EPS * (abs(row[0]) * size[0] + abs(row[1]) * size[1] + abs(row[2]) * size[2] + abs(row[3]))
        off += (error + 3 * TINY) * weight * (sum(size) + 1) * UP
        low, high = min(low, value - off), max(high, value + off)
    return low, high


def check_cell(cell, clearance, bodies):
    require(cell.bound >= clearance and cell.bound > 0, f"a bound of {cell.bound}")
    length = max(math.sqrt(sum(x * x for x in n)) for n in cell.n) * (1 + 8 * EPS)
    need = (cell.bound + bodies[0].radius + bodies[1].radius) * length * (1 + 4 * EPS)
    l, u = Fraction(cell.l), Fraction(cell.u)
    step = [Fraction(b) - Fraction(a) for a, b in zip(*cell.n)]
    during = (cell.l, cell.u)

    def gap(n, t):
        """A lower bound of f there."""
        high, low = (span(b, cell, k, n, during, t)[1 - k] for k, b in enumerate(bodies))
        return low - high - 4 * EPS * (abs(low) + abs(high))

    if any(b.plane for b in bodies):
        require(cell.n[0] == cell.n[1], "a half-space has one direction only")
    g0, g1 = (gap([Fraction(x) for x in n], t) for n, t in zip(cell.n, (l, u)))
    if l == u:
        require(min(g0, g1) >= need, f"{min(g0, g1) / length:g} m at {cell.l}, {cell.bound:g} stated")
        return
    of_a, of_b = (bend(b, ids, cell)[k] for k, (b, ids) in enumerate(zip(bodies, cell.ids)))
    require(of_b - of_a < math.inf, "no bound of the curvature")
    most = max(0.0, of_b - of_a) * UP  # of y'' from above, of x'' from below
    waiting, pieces = [(l, u, g0, g1, 0)], 0
    while waiting:
        a, b, g0, g1, depth = waiting.pop()
        require(g0 >= need and g1 >= need, f"{min(g0, g1) / length:g} m near {float(a):g}, {cell.bound:g} stated")
        q = 0.5 * most * float(b - a) ** 2 * UP
        rise = g1 - g0
        least = min(g0, g1) if abs(rise) >= q else g0 - (q - rise) ** 2 / (4 * q) * UP
        if least >= need:
            continue
        pieces += 1
        require(depth < DEEPEST and pieces < MOST_PIECES, f"no telling near {float(a):g}")
        middle = (a + b) / 2
        s = (middle - l) / (u - l)
        g = gap([Fraction(x) + s * d for x, d in zip(cell.n[0], step)], middle)
        waiting += [(middle, b, g, g1, depth + 1), (a, middle, g0, g, depth + 1)]


def check_tiling(t0, t1, bodies, cells):
    still = t0 == t1
    boxes = []
    for c in cells:
        require(t0 <= c.l and c.u <= t1 and (still or c.l < c.u), "a cell of no duration, or outside of the time")
        boxes.append(((Fraction(c.l), Fraction(c.u) + still), c.range[0], c.range[1]))
    volume = sum((b[0][1] - b[0][0]) * (b[1][1] - b[1][0]) * (b[2][1] - b[2][0]) for b in boxes)
    whole = (Fraction(t1) - Fraction(t0) + still) * len(bodies[0].faces) * len(bodies[1].faces)
    require(volume == whole, "cells do not tile: another volume")
    boxes.sort()
    active = []
    for box in boxes:
        active = [x for x in active if x[0][1] > box[0][0]]
        for x in active:
            require(any(x[k][1] <= box[k][0] or box[k][1] <= x[k][0] for k in (1, 2)), "cells overlap")
        active.append(box)


# ---- solids


def triangles(body):
    for f in body.faces:
        for i in range(1, len(f) - 1):
            ids = f[0], f[i], f[i + 1]
            places = {body.vertices[v] for v in ids}
            if len(places) == 3:
                yield ids


def check_closed(body):
    edges, any_at_all = defaultdict(int), False
    for ids in triangles(body):
        any_at_all = True
        for a, b in zip(ids, ids[1:] + ids[:1]):
            p, q = (tuple(x + 0.0 for x in body.vertices[v]) for v in (a, b))
            edges[min(p, q), max(p, q)] += 1 if p < q else -1
    require(any_at_all and not any(edges.values()), f"body {body.name} does not close")


def place(body, v, during, t):
    m, error = pose(body, during, t)
    p = [Fraction(x) for x in body.vertices[v]]
    if body.linear:
        p = [a + t * (b - a) for a, b in zip(p, p[3:])]
    p = [fixed(x) for x in p]
    return [(sum(m[i][k] * p[k] for k in range(3)) >> BITS) + m[i][3] for i in range(3)]


def cross(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def dot(u, v):
    return sum(a * b for a, b in zip(u, v))


def sign(x, scale):
    """Of a number that is a product of places; 0 when it is not far above their rounding."""
    return 0 if abs(x) <= scale else 1 if x > 0 else -1


def check_outside(body, solid, t0):
    parent = list(range(len(body.vertices)))

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for f in body.faces:
        for v in f[1:]:
            parent[root(v)] = root(f[0])
    during, t = (t0, t0), Fraction(t0)
    told = set()
    corners = {v: place(solid, v, during, t) for ids in triangles(solid) for v in ids}
    for vertex, d in body.rays:
        at = place(body, vertex, during, t)
        d = [fixed(x) for x in d]
        crossings, halves = 0, 0.0
        size = max(abs(x) for p in corners.values() for x in p) + max(map(abs, at)) + ONE
        slack = size * size * max(map(abs, d)) >> 200
        for ids in triangles(solid):
            p = [[x - y for x, y in zip(corners[v], at)] for v in ids]
            lengths = [math.sqrt(float(Fraction(dot(x, x), ONE * ONE))) for x in p]
            above = float(Fraction(dot(p[0], cross(p[1], p[2])), ONE ** 3))
            below = lengths[0] * lengths[1] * lengths[2]
            for k in range(3):
                below += float(Fraction(dot(p[k], p[(k + 1) % 3]), ONE * ONE)) * lengths[(k + 2) % 3]
            halves += math.atan2(above, below)
            sides = [sign(dot(d, cross(p[k], p[(k + 1) % 3])), slack) for k in range(3)]
            if 1 in sides and -1 in sides:
                continue
            normal = cross([x - y for x, y in zip(p[1], p[0])], [x - y for x, y in zip(p[2], p[0])])
            height, toward = sign(dot(normal, p[0]), size ** 3 >> 200), sign(dot(normal, d), slack)
            require(0 not in sides and height and toward, f"the ray from vertex {vertex} grazes")
            crossings += toward if height == toward else 0
        require(crossings == 0, f"the ray from vertex {vertex} says inside")
        require(abs(halves) < 0.5, f"the surface winds about vertex {vertex}")
        told.add(root(vertex))
    require(all(root(f[0]) in told for f in body.faces), "nothing says that a part begins outside")


# ---- motions


def check_continuity(body):
    for kind, rows in body.stages:
        for a, b in zip(rows, rows[1:]) if kind == "spline" else ():
            end = times_matrix(rotation(a[16:19], Fraction(1)), a[7:16])
            jump = max(abs(end[k // 3][k % 3] - fixed(b[7 + k])) for k in range(9)) / ONE
            require(jump <= MAX_JUMP * max(map(abs, b[7:16])), f"body {body.name}: its rotation jumps by {jump:g}")


def check_jumps(t0, t1, bodies, least):
    keys = {row[0] for b in bodies if not b.plane for kind, rows in b.stages if kind == "spline" for row in rows}
    for key in keys:
        jump = 0.0
        for b in bodies:
            if not t0 < key < t1 or b.plane or not any(kind == "spline" for kind, _ in b.stages):
                continue
            t = Fraction(key)
            sides = [[place(b, v, during, t) for v in range(len(b.vertices))]
                     for during in ((math.nextafter(key, 0), key), (key, key))]
            jump += max(norm([(x - y) / ONE for x, y in zip(p, q)]) for p, q in zip(*sides))
        require(jump < least, f"the bodies jump by {jump:g} m at the key at {key:g}")


def check_one(data):
    t0, t1, clearance, bodies, cells = read(data)
    for b in bodies:
        if not b.plane:
            check_continuity(b)
        if b.solid:
            check_closed(b)
    check_tiling(t0, t1, bodies, cells)
    opened, whole, least = 0, False, math.inf
    for c in sorted(cells, key=lambda x: (x.l, x.u)):
        if c.open:
            opened += 1
            continue
        c.ids = [() if b.plane else sorted({v for f in b.order[r[0]:r[1]] for v in b.faces[f]})
                 for b, r in zip(bodies, c.range)]
        check_cell(c, clearance, bodies)
        whole = whole or all(r == (0, len(b.faces)) for b, r in zip(bodies, c.range))
        least = min(least, c.bound)
    check_jumps(t0, t1, bodies, least)
    for k in range(2):
        if not whole and bodies[1 - k].solid and not bodies[k].plane:
            check_outside(bodies[k], bodies[1 - k], t0)
    return "open" if opened else "proven"


HEADER = b"brink-certificate 1\n"


def check(data):
    """Of a file of certificates, one behind the other: the worst of their verdicts."""
    parts = data.split(b"\n" + HEADER)
    verdicts = [check_one(part if i == 0 else HEADER + part) for i, part in enumerate(parts)]
    return "open" if "open" in verdicts else "proven"


def main(paths):
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                verdict, why = check(file.read()), ""
        except (Refused, OSError, OverflowError) as reason:
            verdict, why = "refused", f" {reason}"
        print(f"{path} {verdict}{why}", flush=True)
        status = max(status, {"proven": 0, "open": 1, "refused": 2}[verdict])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
