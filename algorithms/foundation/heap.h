/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_HEAP_H
#define BRINK_HEAP_H
/* Binary heaps and sorting by them: no memory, no dependence on the C library's qsort. Always inlined, so that items
 * are moved and compared as if each kind had its own; sizes are constants of at most BRINK_HEAP_ITEM bytes. */
#include "base.h"

#define BRINK_HEAP_ITEM 32u

typedef bool brinkComesAfter(const void *user, const void *x, const void *y);

/* What stands at `at` goes down to where nothing below comes after it. */
static inline __attribute__((always_inline)) void brinkHeap_Sift(void *heap, size_t at, size_t count, size_t size,
                                                                 brinkComesAfter *after, const void *user) {
  unsigned char *items = heap, moved[BRINK_HEAP_ITEM];
  memcpy(moved, items + at * size, size);
  for (size_t child = 2u * at + 1u; child < count; child = 2u * at + 1u) {
    if (child + 1u < count && after(user, items + (child + 1u) * size, items + child * size)) ++child;
    if (!after(user, items + child * size, moved)) break;
    memcpy(items + at * size, items + child * size, size);
    at = child;
  }
  memcpy(items + at * size, moved, size);
}

/* What comes after stands last. */
static inline __attribute__((always_inline)) void brinkHeap_Sort(void *heap, size_t count, size_t size,
                                                                 brinkComesAfter *after, const void *user) {
  unsigned char *items = heap, last[BRINK_HEAP_ITEM];
  for (size_t i = count / 2u; i-- > 0u;) brinkHeap_Sift(heap, i, count, size, after, user);
  for (; count-- > 1u; brinkHeap_Sift(heap, 0u, count, size, after, user)) {
    memcpy(last, items + count * size, size);
    memcpy(items + count * size, items, size);
    memcpy(items, last, size);
  }
}

#endif
