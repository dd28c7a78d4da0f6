/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact predicates: floating-point filter first, expansions where its error bound leaves the sign open.
 *
 * Based on: Shewchuk 1997 (expansions, error bound of the filter). */
#include "orientation.h"

/* An expansion e[0..n): sum of doubles, nonoverlapping, smallest first; its sign is that of the last component. */
static inline void twoSum(double a, double b, double *sum, double *rest) {
  double x = a + b, bVirtual = x - a, aVirtual = x - bVirtual;
  *rest = (a - aVirtual) + (b - bVirtual);
  *sum = x;
}

static inline void twoProduct(double a, double b, double *product, double *rest) {
  double x = a * b;
  *rest = fma(a, b, -x);
  *product = x;
}

/* h = e + f, zeros dropped; h needs eCount + fCount places and may not overlap e or f. Returns its count (>= 0). */
static int sumExpansions(const double *e, int eCount, const double *f, int fCount, double *h) {
  int i = 0, j = 0, count = 0;
  double sum = 0.0;
  bool first = true;
  while (i < eCount || j < fCount) {
    double next = j >= fCount || (i < eCount && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
    if (first) {
      sum = next;
      first = false;
      continue;
    }
    double rest;
    twoSum(sum, next, &sum, &rest);
    if (rest != 0.0) h[count++] = rest;
  }
  if (sum != 0.0) h[count++] = sum;
  return count;
}

/* h = s e; h needs 2 eCount places. */
static int scaleExpansion(const double *e, int eCount, double s, double *h) {
  if (eCount == 0 || s == 0.0) return 0;
  int count = 0;
  double sum, rest;
  twoProduct(e[0], s, &sum, &rest);
  if (rest != 0.0) h[count++] = rest;
  for (int i = 1; i < eCount; ++i) {
    double product, productRest, middle;
    twoProduct(e[i], s, &product, &productRest);
    twoSum(sum, productRest, &middle, &rest);
    if (rest != 0.0) h[count++] = rest;
    twoSum(product, middle, &sum, &rest);
    if (rest != 0.0) h[count++] = rest;
  }
  if (sum != 0.0) h[count++] = sum;
  return count;
}

/* a0 b1 - a1 b0, up to 4 components */
static int exactMinor(double a0, double a1, double b0, double b1, double h[4]) {
  double left[2], right[2];
  twoProduct(a0, b1, &left[1], &left[0]);
  twoProduct(-a1, b0, &right[1], &right[0]);
  return sumExpansions(left, 2, right, 2, h);
}

/* det of rows (x y 1) over three points: the sum of three minors, up to 12 components */
static int sumThree(const double *a, int aCount, const double *b, int bCount, const double *c, int cCount,
                    double h[12]) {
  double partial[8];
  int count = sumExpansions(a, aCount, b, bCount, partial);
  return sumExpansions(partial, count, c, cCount, h);
}

static int signOf(const double *e, int count) { return count == 0 ? 0 : e[count - 1] > 0.0 ? 1 : -1; }

static int exactOrientation(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double ab[4], ac[4], ad[4], bc[4], bd[4], cd[4], ca[4], da[4], db[4];
  int abCount = exactMinor(a[0], a[1], b[0], b[1], ab), acCount = exactMinor(a[0], a[1], c[0], c[1], ac);
  int adCount = exactMinor(a[0], a[1], d[0], d[1], ad), bcCount = exactMinor(b[0], b[1], c[0], c[1], bc);
  int bdCount = exactMinor(b[0], b[1], d[0], d[1], bd), cdCount = exactMinor(c[0], c[1], d[0], d[1], cd);
  for (int i = 0; i < acCount; ++i) ca[i] = -ac[i];
  for (int i = 0; i < adCount; ++i) da[i] = -ad[i];
  for (int i = 0; i < bdCount; ++i) db[i] = -bd[i];
  double minorA[12], minorB[12], minorC[12], minorD[12];
  int aCount = sumThree(bc, bcCount, cd, cdCount, db, bdCount, minorA);
  int bCount = sumThree(ac, acCount, cd, cdCount, da, adCount, minorB);
  int cCount = sumThree(ab, abCount, bd, bdCount, da, adCount, minorC);
  int dCount = sumThree(ab, abCount, bc, bcCount, ca, acCount, minorD);
  /* det (x y z 1) along the column z, negated: the det is positive when d is below. */
  double termA[24], termB[24], termC[24], termD[24], left[48], right[48], total[96];
  aCount = scaleExpansion(minorA, aCount, -a[2], termA);
  bCount = scaleExpansion(minorB, bCount, b[2], termB);
  cCount = scaleExpansion(minorC, cCount, -c[2], termC);
  dCount = scaleExpansion(minorD, dCount, d[2], termD);
  int leftCount = sumExpansions(termA, aCount, termB, bCount, left);
  int rightCount = sumExpansions(termC, cCount, termD, dCount, right);
  return signOf(total, sumExpansions(left, leftCount, right, rightCount, total));
}

/* The bound: Shewchuk 1997, (7 + 56 u) u times the permanent. */
double brinkRoundedOrientation(const double a[3], const double b[3], const double c[3], const double d[3],
                               double *error) {
  double adx = a[0] - d[0], ady = a[1] - d[1], adz = a[2] - d[2];
  double bdx = b[0] - d[0], bdy = b[1] - d[1], bdz = b[2] - d[2];
  double cdx = c[0] - d[0], cdy = c[1] - d[1], cdz = c[2] - d[2];
  double bc0 = bdx * cdy, bc1 = bdy * cdx, ca0 = cdx * ady, ca1 = cdy * adx, ab0 = adx * bdy, ab1 = ady * bdx;
  double permanent =
      (fabs(bc0) + fabs(bc1)) * fabs(adz) + (fabs(ca0) + fabs(ca1)) * fabs(bdz) + (fabs(ab0) + fabs(ab1)) * fabs(cdz);
  *error = 7.8e-16 * permanent;
  return -(adz * (bc0 - bc1) + bdz * (ca0 - ca1) + cdz * (ab0 - ab1));
}

int brinkOrientation(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double error, value = brinkRoundedOrientation(a, b, c, d, &error);
  if (value > error) return 1;
  if (value < -error) return -1;
  return exactOrientation(a, b, c, d);
}

/* Sign of (b-a) x (c-a) in the plane. */
int brinkOrientation2(double ax, double ay, double bx, double by, double cx, double cy) {
  double left = (bx - ax) * (cy - ay), right = (by - ay) * (cx - ax), value = left - right;
  double error = 3.4e-16 * (fabs(left) + fabs(right)); /* (3 + 16 u) u */
  if (value > error) return 1;
  if (value < -error) return -1;
  double ab[4], bc[4], ca[4], total[12];
  int abCount = exactMinor(ax, ay, bx, by, ab), bcCount = exactMinor(bx, by, cx, cy, bc);
  int caCount = exactMinor(cx, cy, ax, ay, ca);
  return signOf(total, sumThree(ab, abCount, bc, bcCount, ca, caCount, total));
}
