/* SPDX-License-Identifier: BSD-3-Clause */
/* Context (memory, log, last message), status texts, hashing.
 *
 * Based on: FNV-1a, 64 bit (Fowler, Noll, Vo). */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALLEST_RESERVE 16u /* elements at first, which saves a few doublings, */
#define SMALLEST_BYTES 1024u /* or what so many bytes hold: a world of two bodies lies on few pages */

static void *mallocAllocate(void *user, size_t size) {
  (void)user;
  return malloc(size);
}

static void mallocRelease(void *user, void *block, size_t size) {
  (void)user;
  (void)size;
  free(block);
}

void brinkInitContext(brinkContext *context) {
  memset(context, 0, sizeof *context);
  context->allocate = mallocAllocate;
  context->release = mallocRelease;
}

void *brinkAllocate(brinkContext *context, size_t size) {
  if (size == 0) return NULL;
  void *block = context->allocate(context->user, size);
  if (block) context->allocationCount += 1;
  return block;
}

void *brinkAllocateZeroed(brinkContext *context, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  void *block = brinkAllocate(context, count * size);
  if (block) memset(block, 0, count * size);
  return block;
}

void brinkRelease(brinkContext *context, void *block, size_t size) {
  if (block) context->release(context->user, block, size);
}

brinkStatus brinkReserve(brinkContext *context, void **block, size_t *capacity, size_t needed, size_t elementSize) {
  if (needed <= *capacity) return brink_ok;
  size_t grown = *capacity > SIZE_MAX / 2 ? needed : *capacity * 2;
  const size_t smallest = SMALLEST_BYTES / BRINK_MAX(elementSize, (size_t)(SMALLEST_BYTES / SMALLEST_RESERVE));
  grown = BRINK_MAX(grown, BRINK_MAX(needed, smallest));
  if (elementSize != 0 && grown > SIZE_MAX / elementSize) grown = needed;
  void *larger = NULL;
  if (elementSize != 0 && grown <= SIZE_MAX / elementSize) larger = brinkAllocate(context, grown * elementSize);
  if (!larger)
    return brinkFail(context, brink_errorNoMemory, "no memory for %zu elements of %zu bytes; free some or ask for less",
                     needed, elementSize);
  if (*block) {
    memcpy(larger, *block, *capacity * elementSize);
    brinkRelease(context, *block, *capacity * elementSize);
  }
  *block = larger;
  *capacity = grown;
  return brink_ok;
}

brinkStatus brinkFail(brinkContext *context, brinkStatus status, const char *format, ...) {
  if (!context) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(context->message, sizeof context->message, format, arguments);
  va_end(arguments);
  return status;
}

void brinkLog(brinkContext *context, int level, const char *format, ...) {
  if (!context || !context->log) return;
  char text[BRINK_MESSAGE_CAPACITY];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  context->log(context->user, level, text);
}

uint64_t brinkHash(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint64_t hash = seed ? seed : 14695981039346656037u; /* FNV offset basis */
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
  return hash;
}
