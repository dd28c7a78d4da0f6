/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BASE_H
#define BRINK_BASE_H
/* Ground of every module: the context (allocator, log, last message), asserts, hashing.
 * BRINK_ASSERT: a programmer's fault inside Brink. It is compiled out in release builds (NDEBUG) and never guards
 * against a host's input: that is a status. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

#include "brink/types.h"

#define BRINK_ASSERT(condition) assert(condition)

#define BRINK_MESSAGE_CAPACITY 512

/* All memory, text and log of one world, cook or tool run. Never shared between threads. */
typedef struct brinkContext {
  void *user;
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *block, size_t size);
  void (*log)(void *user, int level, const char *message);
  char message[BRINK_MESSAGE_CAPACITY]; /* of the last failure; "" when the last call went well */
  uint64_t allocationCount;             /* for the test that nothing is allocated per step after warm-up */
} brinkContext;

/* Context over malloc and no log. */
void brinkInitContext(brinkContext *context);

/* NULL when size is 0 or memory is out. */
void *brinkAllocate(brinkContext *context, size_t size);
void *brinkAllocateZeroed(brinkContext *context, size_t count, size_t size); /* NULL on overflow of count*size */
void brinkRelease(brinkContext *context, void *block, size_t size);
/* Grows *block (elements of elementSize) to hold at least `needed`, doubling; old content kept. On failure returns
 * brink_errorNoMemory and changes nothing. */
brinkStatus brinkReserve(brinkContext *context, void **block, size_t *capacity, size_t needed, size_t elementSize);

#ifdef __GNUC__
#define BRINK_TEXT __attribute__((format(printf, 3, 4)))
#else
#define BRINK_TEXT
#endif
/* Writes context->message and returns status. */
BRINK_TEXT brinkStatus brinkFail(brinkContext *context, brinkStatus status, const char *format, ...);
BRINK_TEXT void brinkLog(brinkContext *context, int level, const char *format, ...);

/* FNV-1a, 64 bit; seed 0 starts a new hash. */
uint64_t brinkHash(uint64_t seed, const void *bytes, size_t size);

/* ---- floating-point environment: the host's is put aside for the call (round to nearest, no flush to zero, no
 * traps) */
typedef struct brinkFloatState brinkFloatState;
#if defined(__x86_64__) || defined(_M_X64)
struct brinkFloatState {
  unsigned control; /* MXCSR: all of Brink's arithmetic is SSE2 here */
};
static inline void brinkFloat_Enter(brinkFloatState *saved) {
  saved->control = _mm_getcsr();
  _mm_setcsr(0x1f80u); /* all exceptions masked and clear, nearest, no FTZ, no DAZ */
}
static inline void brinkFloat_Leave(const brinkFloatState *saved) { _mm_setcsr(saved->control); }
#else
struct brinkFloatState {
  fenv_t environment;
};
static inline void brinkFloat_Enter(brinkFloatState *saved) {
  fegetenv(&saved->environment);
  fesetenv(FE_DFL_ENV);
}
static inline void brinkFloat_Leave(const brinkFloatState *saved) { fesetenv(&saved->environment); }
#endif

/* The lesser and the greater of two numbers, doubles or counts; each is evaluated once. */
#define BRINK_MIN_MAX(type, t)                                              \
  static inline type brinkMin_##t(type a, type b) { return a < b ? a : b; } \
  static inline type brinkMax_##t(type a, type b) { return a > b ? a : b; }
BRINK_MIN_MAX(double, d)
BRINK_MIN_MAX(unsigned, u)
BRINK_MIN_MAX(unsigned long, l)
BRINK_MIN_MAX(unsigned long long, q)
#define BRINK_OF(f, x) _Generic(x, double : f##_d, unsigned : f##_u, unsigned long : f##_l, unsigned long long : f##_q)
#define BRINK_MIN(a, b) BRINK_OF(brinkMin, (a) + (b))(a, b)
#define BRINK_MAX(a, b) BRINK_OF(brinkMax, (a) + (b))(a, b)

#endif
