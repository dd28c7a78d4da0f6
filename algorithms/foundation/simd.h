/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SIMD_H
#define BRINK_SIMD_H
/* Eight floats at once (and, where positions are formed, four doubles or floats), the one place that knows instruction
 * sets: AVX2 where the file is compiled for it, two SSE halves on other x86-64, else plain C. Every operation is a
 * correctly rounded IEEE operation per lane and no two are ever fused, so all variants give the same bits (Min and Max:
 * the second operand when they do not compare, as x86 does). Halves are lanes 0-3 and 4-7; Unpack, Move and Splat work
 * within each half. */
#include <stdint.h>
#if !defined(__AVX2__) && !defined(__SSE2__)
#include <math.h>
#endif

#if defined(__AVX2__)
#include <immintrin.h>
typedef __m256 brinkF8;
static inline brinkF8 brinkF8_Load(const float *p) { return _mm256_loadu_ps(p); }
static inline void brinkF8_Store(float *p, brinkF8 a) { _mm256_storeu_ps(p, a); }
static inline brinkF8 brinkF8_Set(float s) { return _mm256_set1_ps(s); }
static inline brinkF8 brinkF8_Add(brinkF8 a, brinkF8 b) { return _mm256_add_ps(a, b); }
static inline brinkF8 brinkF8_Sub(brinkF8 a, brinkF8 b) { return _mm256_sub_ps(a, b); }
static inline brinkF8 brinkF8_Mul(brinkF8 a, brinkF8 b) { return _mm256_mul_ps(a, b); }
static inline brinkF8 brinkF8_Div(brinkF8 a, brinkF8 b) { return _mm256_div_ps(a, b); }
static inline brinkF8 brinkF8_Min(brinkF8 a, brinkF8 b) { return _mm256_min_ps(a, b); }
static inline brinkF8 brinkF8_Max(brinkF8 a, brinkF8 b) { return _mm256_max_ps(a, b); }
static inline brinkF8 brinkF8_Sqrt(brinkF8 a) { return _mm256_sqrt_ps(a); }
static inline brinkF8 brinkF8_Abs(brinkF8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
/* |value| with the sign of value times the sign of sign: value * sgn(sign), sgn(+-0) by its bit */
static inline brinkF8 brinkF8_MulSign(brinkF8 value, brinkF8 sign) {
  return _mm256_xor_ps(value, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
}
/* lanes where a > 0, as bits */
static inline uint32_t brinkF8_Positive(brinkF8 a) {
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
static inline brinkF8 brinkF8_SwapHalves(brinkF8 a) { return _mm256_permute2f128_ps(a, a, 1); }
static inline brinkF8 brinkF8_LoadHalves(const float low[4], const float high[4]) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
#define brinkF8_Shuffle(a, b, mask) \
  _mm256_shuffle_ps(a, b, mask) /* a b: two lanes of a, two of b, as x86 numbers them */
typedef __m128 brinkF4;
static inline brinkF4 brinkF4_Load(const float *p) { return _mm_loadu_ps(p); }
static inline void brinkF4_Store(float *p, brinkF4 a) { _mm_storeu_ps(p, a); }
static inline brinkF4 brinkF4_Sub(brinkF4 a, brinkF4 b) { return _mm_sub_ps(a, b); }
static inline brinkF4 brinkF4_Mul(brinkF4 a, brinkF4 b) { return _mm_mul_ps(a, b); }
static inline brinkF4 brinkF4_Max(brinkF4 a, brinkF4 b) { return _mm_max_ps(a, b); }
static inline brinkF4 brinkF4_Abs(brinkF4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
typedef __m256d brinkD4;
static inline brinkD4 brinkD4_Load(const double *p) { return _mm256_loadu_pd(p); }
static inline brinkD4 brinkD4_Load3(const double *p) { /* and 0 */
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_load_sd(p + 2), 1);
}
static inline void brinkD4_Store(double *p, brinkD4 a) { _mm256_storeu_pd(p, a); }
static inline brinkD4 brinkD4_Set(double s) { return _mm256_set1_pd(s); }
static inline brinkD4 brinkD4_Add(brinkD4 a, brinkD4 b) { return _mm256_add_pd(a, b); }
static inline brinkD4 brinkD4_Sub(brinkD4 a, brinkD4 b) { return _mm256_sub_pd(a, b); }
static inline brinkD4 brinkD4_Mul(brinkD4 a, brinkD4 b) { return _mm256_mul_pd(a, b); }
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
/* Four points x y z x y z ..: out[component], lanes: point */
static inline void brinkD4_LoadPoints(const double *p, brinkD4 out[3]) {
#define PAIRS(i) _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p + (i))), _mm_loadu_pd(p + (i) + 6), 1)
  __m256d xy = PAIRS(0), zx = PAIRS(2), yz = PAIRS(4);
#undef PAIRS
  out[0] = _mm256_shuffle_pd(xy, zx, 0xa);
  out[1] = _mm256_shuffle_pd(xy, yz, 0x5);
  out[2] = _mm256_shuffle_pd(zx, yz, 0xa);
}
static inline brinkF4 brinkF4_FromDoubles(brinkD4 a) { return _mm256_cvtpd_ps(a); }
static inline brinkF8 brinkF8_UnpackLow(brinkF8 a, brinkF8 b) { return _mm256_unpacklo_ps(a, b); }     /* a0 b0 a1 b1 */
static inline brinkF8 brinkF8_UnpackHigh(brinkF8 a, brinkF8 b) { return _mm256_unpackhi_ps(a, b); }    /* a2 b2 a3 b3 */
static inline brinkF8 brinkF8_MoveLow(brinkF8 a, brinkF8 b) { return _mm256_shuffle_ps(a, b, 0x44); }  /* a0 a1 b0 b1 */
static inline brinkF8 brinkF8_MoveHigh(brinkF8 a, brinkF8 b) { return _mm256_shuffle_ps(a, b, 0xee); } /* a2 a3 b2 b3 */
#define brinkF8_Splat(a, k) _mm256_permute_ps(a, (k)*0x55)
#elif defined(__SSE2__)
#include <emmintrin.h>
typedef struct brinkF8 {
  __m128 a, b;
} brinkF8;
#define BRINK_F8(expressionA, expressionB) ((brinkF8){(expressionA), (expressionB)})
static inline brinkF8 brinkF8_Load(const float *p) { return BRINK_F8(_mm_loadu_ps(p), _mm_loadu_ps(p + 4)); }
static inline void brinkF8_Store(float *p, brinkF8 x) {
  _mm_storeu_ps(p, x.a);
  _mm_storeu_ps(p + 4, x.b);
}
static inline brinkF8 brinkF8_Set(float s) { return BRINK_F8(_mm_set1_ps(s), _mm_set1_ps(s)); }
static inline brinkF8 brinkF8_Add(brinkF8 x, brinkF8 y) { return BRINK_F8(_mm_add_ps(x.a, y.a), _mm_add_ps(x.b, y.b)); }
static inline brinkF8 brinkF8_Sub(brinkF8 x, brinkF8 y) { return BRINK_F8(_mm_sub_ps(x.a, y.a), _mm_sub_ps(x.b, y.b)); }
static inline brinkF8 brinkF8_Mul(brinkF8 x, brinkF8 y) { return BRINK_F8(_mm_mul_ps(x.a, y.a), _mm_mul_ps(x.b, y.b)); }
static inline brinkF8 brinkF8_Div(brinkF8 x, brinkF8 y) { return BRINK_F8(_mm_div_ps(x.a, y.a), _mm_div_ps(x.b, y.b)); }
static inline brinkF8 brinkF8_Min(brinkF8 x, brinkF8 y) { return BRINK_F8(_mm_min_ps(x.a, y.a), _mm_min_ps(x.b, y.b)); }
static inline brinkF8 brinkF8_Max(brinkF8 x, brinkF8 y) { return BRINK_F8(_mm_max_ps(x.a, y.a), _mm_max_ps(x.b, y.b)); }
static inline brinkF8 brinkF8_Sqrt(brinkF8 x) { return BRINK_F8(_mm_sqrt_ps(x.a), _mm_sqrt_ps(x.b)); }
static inline brinkF8 brinkF8_Abs(brinkF8 x) {
  __m128 sign = _mm_set1_ps(-0.0f);
  return BRINK_F8(_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b));
}
static inline brinkF8 brinkF8_MulSign(brinkF8 value, brinkF8 sign) {
  __m128 bit = _mm_set1_ps(-0.0f);
  return BRINK_F8(_mm_xor_ps(value.a, _mm_and_ps(sign.a, bit)), _mm_xor_ps(value.b, _mm_and_ps(sign.b, bit)));
}
static inline uint32_t brinkF8_Positive(brinkF8 x) {
  __m128 zero = _mm_setzero_ps();
  return (uint32_t)_mm_movemask_ps(_mm_cmpgt_ps(x.a, zero)) | (uint32_t)_mm_movemask_ps(_mm_cmpgt_ps(x.b, zero)) << 4;
}
static inline brinkF8 brinkF8_SwapHalves(brinkF8 x) { return BRINK_F8(x.b, x.a); }
static inline brinkF8 brinkF8_LoadHalves(const float low[4], const float high[4]) {
  return BRINK_F8(_mm_loadu_ps(low), _mm_loadu_ps(high));
}
#define brinkF8_Shuffle(x, y, mask) BRINK_F8(_mm_shuffle_ps((x).a, (y).a, mask), _mm_shuffle_ps((x).b, (y).b, mask))
typedef __m128 brinkF4;
static inline brinkF4 brinkF4_Load(const float *p) { return _mm_loadu_ps(p); }
static inline void brinkF4_Store(float *p, brinkF4 a) { _mm_storeu_ps(p, a); }
static inline brinkF4 brinkF4_Sub(brinkF4 a, brinkF4 b) { return _mm_sub_ps(a, b); }
static inline brinkF4 brinkF4_Mul(brinkF4 a, brinkF4 b) { return _mm_mul_ps(a, b); }
static inline brinkF4 brinkF4_Max(brinkF4 a, brinkF4 b) { return _mm_max_ps(a, b); }
static inline brinkF4 brinkF4_Abs(brinkF4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
typedef struct brinkD4 {
  __m128d a, b;
} brinkD4;
static inline brinkD4 brinkD4_Load(const double *p) { return (brinkD4){_mm_loadu_pd(p), _mm_loadu_pd(p + 2)}; }
static inline brinkD4 brinkD4_Load3(const double *p) { return (brinkD4){_mm_loadu_pd(p), _mm_load_sd(p + 2)}; }
static inline void brinkD4_Store(double *p, brinkD4 x) {
  _mm_storeu_pd(p, x.a);
  _mm_storeu_pd(p + 2, x.b);
}
static inline brinkD4 brinkD4_Set(double s) { return (brinkD4){_mm_set1_pd(s), _mm_set1_pd(s)}; }
static inline brinkD4 brinkD4_Add(brinkD4 x, brinkD4 y) {
  return (brinkD4){_mm_add_pd(x.a, y.a), _mm_add_pd(x.b, y.b)};
}
static inline brinkD4 brinkD4_Sub(brinkD4 x, brinkD4 y) {
  return (brinkD4){_mm_sub_pd(x.a, y.a), _mm_sub_pd(x.b, y.b)};
}
static inline brinkD4 brinkD4_Mul(brinkD4 x, brinkD4 y) {
  return (brinkD4){_mm_mul_pd(x.a, y.a), _mm_mul_pd(x.b, y.b)};
}
static inline brinkD4 brinkD4_Max(brinkD4 x, brinkD4 y) {
  return (brinkD4){_mm_max_pd(x.a, y.a), _mm_max_pd(x.b, y.b)};
}
static inline brinkD4 brinkD4_LargestLane(brinkD4 x) {
  x.a = _mm_max_pd(x.a, x.b);
  x.a = x.b = _mm_max_pd(x.a, _mm_shuffle_pd(x.a, x.a, 1));
  return x;
}
static inline double brinkD4_First(brinkD4 x) { return _mm_cvtsd_f64(x.a); }
static inline uint32_t brinkD4_AtLeast(brinkD4 x, brinkD4 y) {
  return (uint32_t)_mm_movemask_pd(_mm_cmpge_pd(x.a, y.a)) | (uint32_t)_mm_movemask_pd(_mm_cmpge_pd(x.b, y.b)) << 2;
}
static inline void brinkD4_LoadPoints(const double *p, brinkD4 out[3]) {
  __m128d xy0 = _mm_loadu_pd(p), zx0 = _mm_loadu_pd(p + 2), yz0 = _mm_loadu_pd(p + 4);
  __m128d xy1 = _mm_loadu_pd(p + 6), zx1 = _mm_loadu_pd(p + 8), yz1 = _mm_loadu_pd(p + 10);
  out[0] = (brinkD4){_mm_shuffle_pd(xy0, zx0, 2), _mm_shuffle_pd(xy1, zx1, 2)};
  out[1] = (brinkD4){_mm_shuffle_pd(xy0, yz0, 1), _mm_shuffle_pd(xy1, yz1, 1)};
  out[2] = (brinkD4){_mm_shuffle_pd(zx0, yz0, 2), _mm_shuffle_pd(zx1, yz1, 2)};
}
static inline brinkF4 brinkF4_FromDoubles(brinkD4 x) { return _mm_movelh_ps(_mm_cvtpd_ps(x.a), _mm_cvtpd_ps(x.b)); }
static inline brinkF8 brinkF8_UnpackLow(brinkF8 x, brinkF8 y) {
  return BRINK_F8(_mm_unpacklo_ps(x.a, y.a), _mm_unpacklo_ps(x.b, y.b));
}
static inline brinkF8 brinkF8_UnpackHigh(brinkF8 x, brinkF8 y) {
  return BRINK_F8(_mm_unpackhi_ps(x.a, y.a), _mm_unpackhi_ps(x.b, y.b));
}
static inline brinkF8 brinkF8_MoveLow(brinkF8 x, brinkF8 y) {
  return BRINK_F8(_mm_shuffle_ps(x.a, y.a, 0x44), _mm_shuffle_ps(x.b, y.b, 0x44));
}
static inline brinkF8 brinkF8_MoveHigh(brinkF8 x, brinkF8 y) {
  return BRINK_F8(_mm_shuffle_ps(x.a, y.a, 0xee), _mm_shuffle_ps(x.b, y.b, 0xee));
}
#define brinkF8_Splat(x, k) BRINK_F8(_mm_shuffle_ps((x).a, (x).a, (k)*0x55), _mm_shuffle_ps((x).b, (x).b, (k)*0x55))
#else
typedef struct brinkF8 {
  float v[8];
} brinkF8;
#define BRINK_F8_EACH(expression)                         \
  brinkF8 result;                                         \
  for (int i = 0; i < 8; ++i) result.v[i] = (expression); \
  return result
static inline brinkF8 brinkF8_Load(const float *p) { BRINK_F8_EACH(p[i]); }
static inline void brinkF8_Store(float *p, brinkF8 a) {
  for (int i = 0; i < 8; ++i) p[i] = a.v[i];
}
static inline brinkF8 brinkF8_Set(float s) { BRINK_F8_EACH(s); }
static inline brinkF8 brinkF8_Add(brinkF8 a, brinkF8 b) { BRINK_F8_EACH(a.v[i] + b.v[i]); }
static inline brinkF8 brinkF8_Sub(brinkF8 a, brinkF8 b) { BRINK_F8_EACH(a.v[i] - b.v[i]); }
static inline brinkF8 brinkF8_Mul(brinkF8 a, brinkF8 b) { BRINK_F8_EACH(a.v[i] * b.v[i]); }
static inline brinkF8 brinkF8_Div(brinkF8 a, brinkF8 b) { BRINK_F8_EACH(a.v[i] / b.v[i]); }
static inline brinkF8 brinkF8_Min(brinkF8 a, brinkF8 b) { BRINK_F8_EACH(a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline brinkF8 brinkF8_Max(brinkF8 a, brinkF8 b) { BRINK_F8_EACH(a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline brinkF8 brinkF8_Sqrt(brinkF8 a) { BRINK_F8_EACH(sqrtf(a.v[i])); }
static inline brinkF8 brinkF8_Abs(brinkF8 a) { BRINK_F8_EACH(fabsf(a.v[i])); }
static inline brinkF8 brinkF8_MulSign(brinkF8 value, brinkF8 sign) {
  BRINK_F8_EACH(signbit(sign.v[i]) ? -value.v[i] : value.v[i]);
}
static inline uint32_t brinkF8_Positive(brinkF8 a) {
  uint32_t mask = 0;
  for (int i = 0; i < 8; ++i) mask |= (a.v[i] > 0.0f ? 1u : 0u) << i;
  return mask;
}
static inline brinkF8 brinkF8_SwapHalves(brinkF8 a) { BRINK_F8_EACH(a.v[(i + 4) % 8]); }
static inline brinkF8 brinkF8_LoadHalves(const float low[4], const float high[4]) {
  BRINK_F8_EACH(i < 4 ? low[i] : high[i - 4]);
}
static inline float brinkF8_Pick(const float *a, const float *b, int mask, int i) {
  return (i < 2 ? a : b)[mask >> 2 * i & 3];
}
static inline brinkF8 brinkF8_Shuffle(brinkF8 a, brinkF8 b, int mask) {
  BRINK_F8_EACH(brinkF8_Pick(a.v + (i & 4), b.v + (i & 4), mask, i & 3));
}
typedef struct brinkF4 {
  float v[4];
} brinkF4;
typedef struct brinkD4 {
  double v[4];
} brinkD4;
#define BRINK_4_EACH(type, expression)                    \
  type result;                                            \
  for (int i = 0; i < 4; ++i) result.v[i] = (expression); \
  return result
static inline brinkF4 brinkF4_Load(const float *p) { BRINK_4_EACH(brinkF4, p[i]); }
static inline void brinkF4_Store(float *p, brinkF4 a) {
  for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
static inline brinkF4 brinkF4_Sub(brinkF4 a, brinkF4 b) { BRINK_4_EACH(brinkF4, a.v[i] - b.v[i]); }
static inline brinkF4 brinkF4_Mul(brinkF4 a, brinkF4 b) { BRINK_4_EACH(brinkF4, a.v[i] * b.v[i]); }
static inline brinkF4 brinkF4_Max(brinkF4 a, brinkF4 b) { BRINK_4_EACH(brinkF4, a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline brinkF4 brinkF4_Abs(brinkF4 a) { BRINK_4_EACH(brinkF4, fabsf(a.v[i])); }
static inline brinkD4 brinkD4_Load(const double *p) { BRINK_4_EACH(brinkD4, p[i]); }
static inline brinkD4 brinkD4_Load3(const double *p) { BRINK_4_EACH(brinkD4, i < 3 ? p[i] : 0); }
static inline void brinkD4_Store(double *p, brinkD4 a) {
  for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
static inline brinkD4 brinkD4_Set(double s) { BRINK_4_EACH(brinkD4, s); }
static inline brinkD4 brinkD4_Add(brinkD4 a, brinkD4 b) { BRINK_4_EACH(brinkD4, a.v[i] + b.v[i]); }
static inline brinkD4 brinkD4_Sub(brinkD4 a, brinkD4 b) { BRINK_4_EACH(brinkD4, a.v[i] - b.v[i]); }
static inline brinkD4 brinkD4_Mul(brinkD4 a, brinkD4 b) { BRINK_4_EACH(brinkD4, a.v[i] * b.v[i]); }
static inline brinkD4 brinkD4_Max(brinkD4 a, brinkD4 b) { BRINK_4_EACH(brinkD4, a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline brinkD4 brinkD4_LargestLane(brinkD4 a) {
  for (int i = 0; i < 2; ++i) a.v[i] = a.v[i] > a.v[i + 2] ? a.v[i] : a.v[i + 2];
  return brinkD4_Set(a.v[0] > a.v[1] ? a.v[0] : a.v[1]);
}
static inline double brinkD4_First(brinkD4 a) { return a.v[0]; }
static inline uint32_t brinkD4_AtLeast(brinkD4 a, brinkD4 b) {
  uint32_t mask = 0;
  for (int i = 0; i < 4; ++i) mask |= (a.v[i] >= b.v[i] ? 1u : 0u) << i;
  return mask;
}
static inline void brinkD4_LoadPoints(const double *p, brinkD4 out[3]) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 4; ++i) out[k].v[i] = p[3 * i + k];
}
static inline brinkF4 brinkF4_FromDoubles(brinkD4 a) { BRINK_4_EACH(brinkF4, (float)a.v[i]); }
static inline brinkF8 brinkF8_UnpackLow(brinkF8 a, brinkF8 b) {
  BRINK_F8_EACH((i & 1 ? b : a).v[(i & 4) + (i & 3) / 2]);
}
static inline brinkF8 brinkF8_UnpackHigh(brinkF8 a, brinkF8 b) {
  BRINK_F8_EACH((i & 1 ? b : a).v[(i & 4) + 2 + (i & 3) / 2]);
}
static inline brinkF8 brinkF8_MoveLow(brinkF8 a, brinkF8 b) { BRINK_F8_EACH((i & 2 ? b : a).v[(i & 4) + (i & 1)]); }
static inline brinkF8 brinkF8_MoveHigh(brinkF8 a, brinkF8 b) {
  BRINK_F8_EACH((i & 2 ? b : a).v[(i & 4) + 2 + (i & 1)]);
}
static inline brinkF8 brinkF8_Splat(brinkF8 a, int k) { BRINK_F8_EACH(a.v[(i & 4) + k]); }
#endif

#endif
