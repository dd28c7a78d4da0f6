/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SIMD_H
#define BRINK_SIMD_H
/* Eight floats at once, the one place that knows instruction sets: AVX2 where the file is compiled for it, two SSE halves on
 * other x86-64, else plain C. Every operation is a correctly rounded IEEE operation per lane and no two are ever fused, so all
 * variants give the same bits. */
#include <stdint.h>

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
static inline brinkF8 brinkF8_Abs(brinkF8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
/* |value| with the sign of value times the sign of sign: value * sgn(sign), sgn(+-0) by its bit */
static inline brinkF8 brinkF8_MulSign(brinkF8 value, brinkF8 sign) {
  return _mm256_xor_ps(value, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
}
/* lanes where a > 0, as bits */
static inline uint32_t brinkF8_Positive(brinkF8 a) {
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
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
#else
#include <math.h>
typedef struct brinkF8 {
  float v[8];
} brinkF8;
#define BRINK_F8_EACH(expression)                   \
  brinkF8 result;                                   \
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
static inline brinkF8 brinkF8_Abs(brinkF8 a) { BRINK_F8_EACH(fabsf(a.v[i])); }
static inline brinkF8 brinkF8_MulSign(brinkF8 value, brinkF8 sign) {
  BRINK_F8_EACH(signbit(sign.v[i]) ? -value.v[i] : value.v[i]);
}
static inline uint32_t brinkF8_Positive(brinkF8 a) {
  uint32_t mask = 0;
  for (int i = 0; i < 8; ++i) mask |= (a.v[i] > 0.0f ? 1u : 0u) << i;
  return mask;
}
#endif

#endif
