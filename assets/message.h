/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_MESSAGE_H
#define BRINK_ASSETS_MESSAGE_H
/* Messages to the caller's buffer, and numbers that read and print the same in every locale. Private to assets. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

#include "brink/types.h"

static inline void brinkSay(char *message, size_t messageCapacity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void brinkSay(char *message, size_t messageCapacity, const char *format, ...) {
  if (message == NULL || messageCapacity == 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, messageCapacity, format, arguments);
  va_end(arguments);
}

/* brink_errorBadIndex with a message where a triangle names a vertex that is not there: no file can hold it. */
static inline brinkStatus brinkCheckTriangles(const char *path, const uint32_t *triangles, size_t triangleCount,
                                              size_t vertexCount, char *message, size_t messageCapacity) {
  for (size_t i = 0; i < 3 * triangleCount; ++i) {
    if (triangles[i] < vertexCount) continue;
    brinkSay(message, messageCapacity, "%s: triangle %zu has vertex %u of %zu; nothing is written", path, i / 3,
             triangles[i], vertexCount);
    return brink_errorBadIndex;
  }
  return brink_ok;
}

/* The calling thread speaks "C" between Begin and End: a host may run under a locale with a decimal comma. */
typedef struct brinkPlainLocale {
  locale_t plain, previous;
} brinkPlainLocale;

static inline brinkPlainLocale brinkPlainLocale_Begin(void) {
  brinkPlainLocale state = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
  if (state.plain != (locale_t)0) state.previous = uselocale(state.plain);
  return state;
}

static inline void brinkPlainLocale_End(brinkPlainLocale state) {
  if (state.plain == (locale_t)0) return;
  uselocale(state.previous);
  freelocale(state.plain);
}
#endif
