/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SIMD_H
#define BRINK_SIMD_H
/* Eight floats at once, sixteen, and, where positions are formed, four doubles or floats: the one place that knows
 * instruction sets. What is wider than a register is two halves. Every operation is a correctly rounded IEEE operation
 * per lane and no two are ever fused, so all variants give the same bits (Min and Max: the second operand when they do
 * not compare, as x86 does). Halves of eight are lanes 0-3 and 4-7; Unpack, Move, Shuffle and Splat work within each.
 */
#include <stdint.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#else
#include <math.h>
#endif

/* What the compiler's vector types and the others have alike. */
#define BRINK_ARITHMETIC(type)                                    \
  static inline type type##_Add(type a, type b) { return a + b; } \
  static inline type type##_Sub(type a, type b) { return a - b; } \
  static inline type type##_Mul(type a, type b) { return a * b; }
#define BRINK_IN_HALVES(type, half, name) \
  static inline type type##_##name(type x, type y) { return (type){half##_##name(x.a, y.a), half##_##name(x.b, y.b)}; }
#define BRINK_ARITHMETIC_IN_HALVES(type, half) \
  BRINK_IN_HALVES(type, half, Add)             \
  BRINK_IN_HALVES(type, half, Sub)             \
  BRINK_IN_HALVES(type, half, Mul)

/* ---- four floats, two doubles */
#if defined(__SSE2__)
typedef __m128 brinkF4;
typedef __m128d brinkD2;
BRINK_ARITHMETIC(brinkF4)
BRINK_ARITHMETIC(brinkD2)
static inline brinkF4 brinkF4_Load(const float *p) { return _mm_loadu_ps(p); }
static inline void brinkF4_Store(float *p, brinkF4 a) { _mm_storeu_ps(p, a); }
static inline brinkF4 brinkF4_Set(float s) { return _mm_set1_ps(s); }
static inline brinkF4 brinkF4_Div(brinkF4 a, brinkF4 b) { return _mm_div_ps(a, b); }
static inline brinkF4 brinkF4_Min(brinkF4 a, brinkF4 b) { return _mm_min_ps(a, b); }
static inline brinkF4 brinkF4_Max(brinkF4 a, brinkF4 b) { return _mm_max_ps(a, b); }
static inline brinkF4 brinkF4_Sqrt(brinkF4 a) { return _mm_sqrt_ps(a); }
static inline brinkF4 brinkF4_Abs(brinkF4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
/* |value| with the sign of value times the sign of sign: value * sgn(sign), sgn(+-0) by its bit */
static inline brinkF4 brinkF4_MulSign(brinkF4 value, brinkF4 sign) {
  return _mm_xor_ps(value, _mm_and_ps(sign, _mm_set1_ps(-0.0f)));
}
/* lanes where a > 0, as bits */
static inline uint32_t brinkF4_Positive(brinkF4 a) {
  return (uint32_t)_mm_movemask_ps(_mm_cmpgt_ps(a, _mm_setzero_ps()));
}
static inline brinkF4 brinkF4_UnpackLow(brinkF4 a, brinkF4 b) { return _mm_unpacklo_ps(a, b); }  /* a0 b0 a1 b1 */
static inline brinkF4 brinkF4_UnpackHigh(brinkF4 a, brinkF4 b) { return _mm_unpackhi_ps(a, b); } /* a2 b2 a3 b3 */
#define brinkF4_Shuffle(a, b, mask) _mm_shuffle_ps(a, b, mask) /* two lanes of a, two of b, as x86 numbers them */
static inline brinkD2 brinkD2_Load(const double *p) { return _mm_loadu_pd(p); }
static inline brinkD2 brinkD2_LoadFirst(const double *p) { return _mm_load_sd(p); } /* and 0 */
static inline void brinkD2_Store(double *p, brinkD2 a) { _mm_storeu_pd(p, a); }
static inline brinkD2 brinkD2_Set(double s) { return _mm_set1_pd(s); }
static inline brinkD2 brinkD2_Max(brinkD2 a, brinkD2 b) { return _mm_max_pd(a, b); }
static inline double brinkD2_First(brinkD2 a) { return _mm_cvtsd_f64(a); }
static inline uint32_t brinkD2_AtLeast(brinkD2 a, brinkD2 b) { return (uint32_t)_mm_movemask_pd(_mm_cmpge_pd(a, b)); }
#define brinkD2_Shuffle(a, b, mask) _mm_shuffle_pd(a, b, mask)
static inline brinkF4 brinkF4_Of(brinkD2 a, brinkD2 b) { return _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b)); }
#else
typedef float brinkF4 __attribute__((vector_size(16)));
typedef double brinkD2 __attribute__((vector_size(16)));
BRINK_ARITHMETIC(brinkF4)
BRINK_ARITHMETIC(brinkD2)
#define BRINK_EACH(type, count, expression)                 \
  type result;                                              \
  for (int i = 0; i < count; ++i) result[i] = (expression); \
  return result
static inline brinkF4 brinkF4_Load(const float *p) { BRINK_EACH(brinkF4, 4, p[i]); }
static inline void brinkF4_Store(float *p, brinkF4 a) {
  for (int i = 0; i < 4; ++i) p[i] = a[i];
}
static inline brinkF4 brinkF4_Set(float s) { BRINK_EACH(brinkF4, 4, s); }
static inline brinkF4 brinkF4_Div(brinkF4 a, brinkF4 b) { BRINK_EACH(brinkF4, 4, a[i] / b[i]); }
static inline brinkF4 brinkF4_Min(brinkF4 a, brinkF4 b) { BRINK_EACH(brinkF4, 4, a[i] < b[i] ? a[i] : b[i]); }
static inline brinkF4 brinkF4_Max(brinkF4 a, brinkF4 b) { BRINK_EACH(brinkF4, 4, a[i] > b[i] ? a[i] : b[i]); }
static inline brinkF4 brinkF4_Sqrt(brinkF4 a) { BRINK_EACH(brinkF4, 4, sqrtf(a[i])); }
static inline brinkF4 brinkF4_Abs(brinkF4 a) { BRINK_EACH(brinkF4, 4, fabsf(a[i])); }
static inline brinkF4 brinkF4_MulSign(brinkF4 value, brinkF4 sign) {
  BRINK_EACH(brinkF4, 4, signbit(sign[i]) ? -value[i] : value[i]);
}
static inline uint32_t brinkF4_Positive(brinkF4 a) {
  return (a[0] > 0.0f) | (a[1] > 0.0f) << 1 | (a[2] > 0.0f) << 2 | (a[3] > 0.0f) << 3;
}
static inline brinkF4 brinkF4_UnpackLow(brinkF4 a, brinkF4 b) { BRINK_EACH(brinkF4, 4, (i & 1 ? b : a)[i / 2]); }
static inline brinkF4 brinkF4_UnpackHigh(brinkF4 a, brinkF4 b) { BRINK_EACH(brinkF4, 4, (i & 1 ? b : a)[2 + i / 2]); }
static inline brinkF4 brinkF4_Shuffle(brinkF4 a, brinkF4 b, int mask) {
  BRINK_EACH(brinkF4, 4, (i < 2 ? a : b)[mask >> 2 * i & 3]);
}
static inline brinkD2 brinkD2_Load(const double *p) { BRINK_EACH(brinkD2, 2, p[i]); }
static inline brinkD2 brinkD2_LoadFirst(const double *p) { return (brinkD2){p[0], 0}; }
static inline void brinkD2_Store(double *p, brinkD2 a) {
  for (int i = 0; i < 2; ++i) p[i] = a[i];
}
static inline brinkD2 brinkD2_Set(double s) { BRINK_EACH(brinkD2, 2, s); }
static inline brinkD2 brinkD2_Max(brinkD2 a, brinkD2 b) { BRINK_EACH(brinkD2, 2, a[i] > b[i] ? a[i] : b[i]); }
static inline double brinkD2_First(brinkD2 a) { return a[0]; }
static inline uint32_t brinkD2_AtLeast(brinkD2 a, brinkD2 b) { return (a[0] >= b[0]) | (a[1] >= b[1]) << 1; }
static inline brinkD2 brinkD2_Shuffle(brinkD2 a, brinkD2 b, int mask) {
  return (brinkD2){a[mask & 1], b[mask >> 1 & 1]};
}
static inline brinkF4 brinkF4_Of(brinkD2 a, brinkD2 b) { BRINK_EACH(brinkF4, 4, (float)(i < 2 ? a : b)[i & 1]); }
#endif

/* ---- eight floats, four doubles */
#if defined(__AVX2__)
typedef __m256 brinkF8;
typedef __m256d brinkD4;
BRINK_ARITHMETIC(brinkF8)
BRINK_ARITHMETIC(brinkD4)
static inline brinkF8 brinkF8_Load(const float *p) { return _mm256_loadu_ps(p); }
static inline void brinkF8_Store(float *p, brinkF8 a) { _mm256_storeu_ps(p, a); }
static inline brinkF8 brinkF8_Set(float s) { return _mm256_set1_ps(s); }
static inline brinkF8 brinkF8_Div(brinkF8 a, brinkF8 b) { return _mm256_div_ps(a, b); }
static inline brinkF8 brinkF8_Min(brinkF8 a, brinkF8 b) { return _mm256_min_ps(a, b); }
static inline brinkF8 brinkF8_Max(brinkF8 a, brinkF8 b) { return _mm256_max_ps(a, b); }
static inline brinkF8 brinkF8_Sqrt(brinkF8 a) { return _mm256_sqrt_ps(a); }
static inline brinkF8 brinkF8_Abs(brinkF8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline brinkF8 brinkF8_MulSign(brinkF8 value, brinkF8 sign) {
  return _mm256_xor_ps(value, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
}
static inline uint32_t brinkF8_Positive(brinkF8 a) {
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
static inline brinkF8 brinkF8_SwapHalves(brinkF8 a) { return _mm256_permute2f128_ps(a, a, 1); }
static inline brinkF8 brinkF8_Halves(brinkF4 low, brinkF4 high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
static inline brinkF8 brinkF8_UnpackLow(brinkF8 a, brinkF8 b) { return _mm256_unpacklo_ps(a, b); }
static inline brinkF8 brinkF8_UnpackHigh(brinkF8 a, brinkF8 b) { return _mm256_unpackhi_ps(a, b); }
#define brinkF8_Shuffle(a, b, mask) _mm256_shuffle_ps(a, b, mask)
static inline brinkD4 brinkD4_Halves(brinkD2 low, brinkD2 high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}
static inline brinkD4 brinkD4_Load(const double *p) { return _mm256_loadu_pd(p); }
static inline void brinkD4_Store(double *p, brinkD4 a) { _mm256_storeu_pd(p, a); }
static inline brinkD4 brinkD4_Set(double s) { return _mm256_set1_pd(s); }
static inline brinkD4 brinkD4_Max(brinkD4 a, brinkD4 b) { return _mm256_max_pd(a, b); }
static inline brinkD4 brinkD4_LargestLane(brinkD4 a) { /* in every lane */
  a = _mm256_max_pd(a, _mm256_permute2f128_pd(a, a, 1));
  return _mm256_max_pd(a, _mm256_permute_pd(a, 5));
}
static inline double brinkD4_First(brinkD4 a) { return _mm256_cvtsd_f64(a); }
/* lanes where a >= b, as bits */
static inline uint32_t brinkD4_AtLeast(brinkD4 a, brinkD4 b) {
  return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ));
}
#define brinkD4_Shuffle(a, b, mask) _mm256_shuffle_pd(a, b, (mask)*5)
static inline brinkF4 brinkF4_FromDoubles(brinkD4 a) { return _mm256_cvtpd_ps(a); }
#else
typedef struct brinkF8 {
  brinkF4 a, b;
} brinkF8;
typedef struct brinkD4 {
  brinkD2 a, b;
} brinkD4;
static inline brinkF8 brinkF8_Halves(brinkF4 low, brinkF4 high) { return (brinkF8){low, high}; }
static inline brinkF8 brinkF8_Load(const float *p) { return (brinkF8){brinkF4_Load(p), brinkF4_Load(p + 4)}; }
static inline void brinkF8_Store(float *p, brinkF8 x) {
  brinkF4_Store(p, x.a);
  brinkF4_Store(p + 4, x.b);
}
static inline brinkF8 brinkF8_Set(float s) { return (brinkF8){brinkF4_Set(s), brinkF4_Set(s)}; }
BRINK_ARITHMETIC_IN_HALVES(brinkF8, brinkF4)
BRINK_IN_HALVES(brinkF8, brinkF4, Div)
BRINK_IN_HALVES(brinkF8, brinkF4, Min)
BRINK_IN_HALVES(brinkF8, brinkF4, Max)
BRINK_IN_HALVES(brinkF8, brinkF4, MulSign)
BRINK_IN_HALVES(brinkF8, brinkF4, UnpackLow)
BRINK_IN_HALVES(brinkF8, brinkF4, UnpackHigh)
static inline brinkF8 brinkF8_Sqrt(brinkF8 x) { return (brinkF8){brinkF4_Sqrt(x.a), brinkF4_Sqrt(x.b)}; }
static inline brinkF8 brinkF8_Abs(brinkF8 x) { return (brinkF8){brinkF4_Abs(x.a), brinkF4_Abs(x.b)}; }
static inline uint32_t brinkF8_Positive(brinkF8 x) { return brinkF4_Positive(x.a) | brinkF4_Positive(x.b) << 4; }
static inline brinkF8 brinkF8_SwapHalves(brinkF8 x) { return (brinkF8){x.b, x.a}; }
#define brinkF8_Shuffle(x, y, mask) \
  ((brinkF8){brinkF4_Shuffle((x).a, (y).a, mask), brinkF4_Shuffle((x).b, (y).b, mask)})
static inline brinkD4 brinkD4_Halves(brinkD2 low, brinkD2 high) { return (brinkD4){low, high}; }
static inline brinkD4 brinkD4_Load(const double *p) { return (brinkD4){brinkD2_Load(p), brinkD2_Load(p + 2)}; }
static inline void brinkD4_Store(double *p, brinkD4 x) {
  brinkD2_Store(p, x.a);
  brinkD2_Store(p + 2, x.b);
}
static inline brinkD4 brinkD4_Set(double s) { return (brinkD4){brinkD2_Set(s), brinkD2_Set(s)}; }
BRINK_ARITHMETIC_IN_HALVES(brinkD4, brinkD2)
BRINK_IN_HALVES(brinkD4, brinkD2, Max)
static inline brinkD4 brinkD4_LargestLane(brinkD4 x) {
  x.a = brinkD2_Max(x.a, x.b);
  x.a = x.b = brinkD2_Max(x.a, brinkD2_Shuffle(x.a, x.a, 1));
  return x;
}
static inline double brinkD4_First(brinkD4 x) { return brinkD2_First(x.a); }
static inline uint32_t brinkD4_AtLeast(brinkD4 x, brinkD4 y) {
  return brinkD2_AtLeast(x.a, y.a) | brinkD2_AtLeast(x.b, y.b) << 2;
}
#define brinkD4_Shuffle(x, y, mask) \
  ((brinkD4){brinkD2_Shuffle((x).a, (y).a, mask), brinkD2_Shuffle((x).b, (y).b, mask)})
static inline brinkF4 brinkF4_FromDoubles(brinkD4 x) { return brinkF4_Of(x.a, x.b); }
#endif
#define brinkF8_MoveLow(a, b) brinkF8_Shuffle(a, b, 0x44)  /* a0 a1 b0 b1 */
#define brinkF8_MoveHigh(a, b) brinkF8_Shuffle(a, b, 0xee) /* a2 a3 b2 b3 */
#define brinkF8_Splat(a, k) brinkF8_Shuffle(a, a, (k)*0x55)
static inline brinkF8 brinkF8_LoadHalves(const float low[4], const float high[4]) {
  return brinkF8_Halves(brinkF4_Load(low), brinkF4_Load(high));
}
static inline brinkD4 brinkD4_Load3(const double *p) { /* and 0 */
  return brinkD4_Halves(brinkD2_Load(p), brinkD2_LoadFirst(p + 2));
}
/* Four points x y z x y z ..: out[component], lanes: point */
static inline void brinkD4_LoadPoints(const double *p, brinkD4 out[3]) {
  const brinkD4 xy = brinkD4_Halves(brinkD2_Load(p), brinkD2_Load(p + 6)),
                zx = brinkD4_Halves(brinkD2_Load(p + 2), brinkD2_Load(p + 8)),
                yz = brinkD4_Halves(brinkD2_Load(p + 4), brinkD2_Load(p + 10));
  out[0] = brinkD4_Shuffle(xy, zx, 2);
  out[1] = brinkD4_Shuffle(xy, yz, 1);
  out[2] = brinkD4_Shuffle(zx, yz, 2);
}

/* ---- sixteen floats: two eights */
typedef struct brinkF16 {
  brinkF8 a, b;
} brinkF16;
static inline brinkF16 brinkF16_Both(brinkF8 a) { return (brinkF16){a, a}; }
static inline brinkF8 brinkF16_Low(brinkF16 x) { return x.a; }
static inline brinkF8 brinkF16_High(brinkF16 x) { return x.b; }
static inline brinkF16 brinkF16_SetEnds(const float v[8], int k) {
  return (brinkF16){brinkF8_Set(v[k]), brinkF8_Set(v[4 + k])};
}
BRINK_ARITHMETIC_IN_HALVES(brinkF16, brinkF8)
BRINK_IN_HALVES(brinkF16, brinkF8, MulSign)
static inline brinkF16 brinkF16_Abs(brinkF16 x) { return (brinkF16){brinkF8_Abs(x.a), brinkF8_Abs(x.b)}; }

#endif
