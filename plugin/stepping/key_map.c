/* SPDX-License-Identifier: BSD-3-Clause */
/* Key map: linear probing, removal by shifting back (Knuth, The Art of Computer Programming 3, Sec. 6.4, Algorithm R),
 * so that no tombstones pile up in a world that creates and destroys bodies all the time. */
#include "key_map.h"

#include <stdlib.h>
#include <string.h>

static size_t home(const brinkKeyMap *map, uint64_t key) {
  uint64_t bits = (key ^ (key >> 33)) * 0xff51afd7ed558ccdull; /* the finaliser of MurmurHash3 */
  bits ^= bits >> 33;
  return (size_t)bits & (map->capacity - 1);
}

static size_t place(const brinkKeyMap *map, uint64_t key) {
  size_t at = home(map, key);
  while (map->entries[at].key != 0 && map->entries[at].key != key) {
    at = (at + 1) & (map->capacity - 1);
  }
  return at;
}

static bool grow(brinkKeyMap *map) {
  brinkKeyMap wide = {.capacity = map->capacity == 0 ? 64 : 2 * map->capacity, .count = map->count};
  wide.entries = calloc(wide.capacity, sizeof(*wide.entries));
  if (wide.entries == NULL) {
    return false;
  }
  for (size_t i = 0; i < map->capacity; ++i) {
    if (map->entries[i].key != 0) {
      wide.entries[place(&wide, map->entries[i].key)] = map->entries[i];
    }
  }
  free(map->entries);
  *map = wide;
  return true;
}

bool brinkKeyMap_Set(brinkKeyMap *map, uint64_t key, uint32_t value) {
  if (2 * (map->count + 1) > map->capacity && !grow(map)) {
    return false;
  }
  size_t at = place(map, key);
  map->count += map->entries[at].key == 0;
  map->entries[at] = (brinkKeyMapEntry){key, value};
  return true;
}

uint32_t brinkKeyMap_Get(const brinkKeyMap *map, uint64_t key) {
  if (map->count == 0 || key == 0) {
    return BRINK_NO_RECORD;
  }
  size_t at = place(map, key);
  return map->entries[at].key == 0 ? BRINK_NO_RECORD : map->entries[at].value;
}

void brinkKeyMap_Remove(brinkKeyMap *map, uint64_t key) {
  if (map->count == 0 || key == 0) {
    return;
  }
  size_t mask = map->capacity - 1;
  size_t hole = place(map, key);
  if (map->entries[hole].key == 0) {
    return;
  }
  map->count--;
  for (size_t at = (hole + 1) & mask; map->entries[at].key != 0; at = (at + 1) & mask) {
    size_t distanceFromHome = (at - home(map, map->entries[at].key)) & mask;
    if (distanceFromHome >= ((at - hole) & mask)) { /* its home is not between the hole and here: it may move back */
      map->entries[hole] = map->entries[at];
      hole = at;
    }
  }
  map->entries[hole] = (brinkKeyMapEntry){0, 0};
}

void brinkKeyMap_Clear(brinkKeyMap *map) {
  if (map->entries != NULL) {
    memset(map->entries, 0, map->capacity * sizeof(*map->entries));
  }
  map->count = 0;
}

void brinkKeyMap_Free(brinkKeyMap *map) {
  free(map->entries);
  *map = (brinkKeyMap){0};
}

uint64_t brinkMixBits(uint64_t x) { /* splitmix64's finaliser */
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint64_t brinkHashValues(uint64_t hash, const double *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof(bits));
    hash = (hash ^ bits) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

int brinkCompareNumbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}
