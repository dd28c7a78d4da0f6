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
  const bool large = elementSize > SMALLEST_BYTES / SMALLEST_RESERVE;
  const size_t smallest = large ? SMALLEST_BYTES / elementSize : SMALLEST_RESERVE;
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

const char *brinkStatusText(brinkStatus status) {
  switch (status) {
    case brink_ok:
      return "ok";
    case brink_errorNullArgument:
      return "a pointer that must not be NULL is NULL";
    case brink_errorVersion:
      return "ABI version or struct size that this build does not speak";
    case brink_errorBadValue:
      return "value is NaN, infinite, or negative where it must not be";
    case brink_errorBadRotation:
      return "rotation is a zero quaternion or an improper matrix";
    case brink_errorBadTime:
      return "time interval is reversed or not finite";
    case brink_errorBadTree:
      return "links do not form a tree";
    case brink_errorBadIndex:
      return "mesh index is out of range";
    case brink_errorEmpty:
      return "nothing in it: no faces, no vertices or no links";
    case brink_errorNotClosed:
      return "a solid was asked of an open or non-manifold mesh";
    case brink_errorRange:
      return "size or magnitude is beyond what can be computed";
    case brink_errorStale:
      return "handle of an object that is gone or of another world";
    case brink_errorInUse:
      return "object is still referred to";
    case brink_errorBusy:
      return "called from inside a callback of the same world";
    case brink_errorNoMemory:
      return "out of memory";
    case brink_errorParse:
      return "text or data does not read";
    case brink_errorTruncated:
      return "file or data is shorter than its own header says";
    case brink_errorIo:
      return "the operating system refused a file operation";
    case brink_errorInternal:
      return "a fault of Brink itself";
  }
  return "unknown status";
}

uint64_t brinkHash(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint64_t hash = seed ? seed : 14695981039346656037u; /* FNV offset basis */
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
  return hash;
}
