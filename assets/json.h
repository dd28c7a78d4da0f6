/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_JSON_H
#define BRINK_ASSETS_JSON_H
/* Just enough JSON to ask a glTF file which buffers it names and how many faces it promises. Private to assets. */
#include <stdbool.h>

#include "brink/types.h"

typedef struct brinkJsonNode {
  char kind;        /* '{' '[' '"' '0' (number) 'l' (true, false, null) */
  const char *text; /* borrowed; a string without its quotes, escapes as written */
  size_t length;
  size_t next; /* node behind this one and all that is inside it */
} brinkJsonNode;

typedef struct brinkJson { /* nodes in the order of the text; keys are nodes, too */
  brinkJsonNode *nodes;
  size_t count, capacity;
} brinkJson;

/* The first value of the text; what follows it (the zeros of a GLB chunk) is not looked at. *place = byte of an error.
 */
brinkStatus brinkJson_Parse(brinkJson *json, const char *text, size_t size, size_t *place);
void brinkJson_Free(brinkJson *json);

/* Nodes by number; 0 is "none", and asking "none" for something gives "none". */
#define BRINK_JSON_ROOT ((size_t)1)
size_t brinkJson_Member(const brinkJson *json, size_t object, const char *key);
size_t brinkJson_First(const brinkJson *json, size_t array);
size_t brinkJson_Next(const brinkJson *json, size_t array, size_t element);
size_t brinkJson_Element(const brinkJson *json, size_t array, size_t index);
/* A whole number, or `otherwise` when there is none. */
size_t brinkJson_Whole(const brinkJson *json, size_t node, size_t otherwise);
#endif
