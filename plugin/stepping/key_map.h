/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_KEY_MAP_H
#define BRINK_KEY_MAP_H
/* Which record belongs to this object of an engine's, or to this Brink handle? Open addressing from a pointer or a
 * handle to a record's number. Keys decide only where an entry lies, never an order: callers walk their record arrays,
 * not the map.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BRINK_NO_RECORD UINT32_MAX
#define BRINK_POINTER_KEY(pointer) ((uint64_t)(uintptr_t)(pointer))

typedef struct brinkKeyMapEntry {
  uint64_t key; /* 0 = free */
  uint32_t value;
} brinkKeyMapEntry;

typedef struct brinkKeyMap {
  brinkKeyMapEntry *entries; /* [capacity], a power of two; NULL while empty */
  size_t capacity, count;
} brinkKeyMap;

/* false: no memory, map unchanged. An existing key gets the new value. */
bool brinkKeyMap_Set(brinkKeyMap *map, uint64_t key, uint32_t value);
/* BRINK_NO_RECORD when absent. */
uint32_t brinkKeyMap_Get(const brinkKeyMap *map, uint64_t key);
void brinkKeyMap_Remove(brinkKeyMap *map, uint64_t key);
void brinkKeyMap_Clear(brinkKeyMap *map); /* keeps the memory */
void brinkKeyMap_Free(brinkKeyMap *map);

/* ---- numbers of what lies in maps and lists */
uint64_t brinkMixBits(uint64_t x);                                           /* of sums that know no order */
uint64_t brinkHashValues(uint64_t hash, const double *values, size_t count); /* of their bits, in this order */
int brinkCompareNumbers(const void *a, const void *b);                       /* for qsort: of uint32_t, ascending */

#endif
