/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BVH_H
#define BRINK_BVH_H
/* Dynamic tree of axis-aligned boxes, built bottom-up or by insertion, deterministic: same calls, same order of
 * answers. Based on: [CATCH] Sec. 5.2 (dynamic BVH over the links of a model). */
#include "base.h"

typedef struct brinkBvh brinkBvh;

brinkBvh *brinkBvh_Create(brinkContext *context); /* NULL: no memory */
void brinkBvh_Destroy(brinkBvh *bvh);
/* Leaves are identified by the caller's ids (any uint32). Returns the proxy, or -1 when memory is out. */
int32_t brinkBvh_Insert(brinkBvh *bvh, brinkAabb box, uint32_t id);
void brinkBvh_Remove(brinkBvh *bvh, int32_t proxy);
/* Moves a leaf; refits or reinserts. Needs no memory: Insert took it. */
void brinkBvh_Move(brinkBvh *bvh, int32_t proxy, brinkAabb box);
size_t brinkBvh_Count(const brinkBvh *bvh);
/* Calls visit for every leaf whose box meets `box` (touching counts); stops when visit returns false. Returns how many
 * inner and leaf boxes were tested. */
uint64_t brinkBvh_Query(const brinkBvh *bvh, brinkAabb box, bool (*visit)(void *user, uint32_t id), void *user);

#endif
