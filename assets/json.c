/* SPDX-License-Identifier: BSD-3-Clause */
/* A flat JSON reader: one array of nodes in the order of the text, each knowing where the next one starts.
 * Based on: RFC 8259. Escapes are left as they are; numbers are delimited, not judged: assimp reads the file strictly.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { maxDepth = 128 };

typedef struct parser {
  brinkJson *json;
  const char *cursor, *end;
} parser;

static bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static void skipBlanks(parser *p) {
  while (p->cursor < p->end && isBlank(*p->cursor)) ++p->cursor;
}

// The number of the new node, or SIZE_MAX without memory.
static size_t addNode(parser *p, char kind) {
  brinkJson *json = p->json;
  if (json->count == json->capacity) {
    size_t capacity = json->capacity == 0 ? 256 : 2 * json->capacity;
    brinkJsonNode *nodes = realloc(json->nodes, capacity * sizeof *nodes);
    if (nodes == NULL) return SIZE_MAX;
    json->nodes = nodes;
    json->capacity = capacity;
  }
  json->nodes[json->count] = (brinkJsonNode){kind, p->cursor, 0, json->count + 1};
  return json->count++;
}

static brinkStatus parseString(parser *p) {
  ++p->cursor;
  size_t node = addNode(p, '"');
  if (node == SIZE_MAX) return brink_errorNoMemory;
  const char *text = p->cursor;
  while (p->cursor < p->end && *p->cursor != '"') p->cursor += *p->cursor == '\\' ? 2 : 1;
  if (p->cursor >= p->end) {
    p->cursor = p->end;
    return brink_errorParse;
  }
  p->json->nodes[node].length = (size_t)(p->cursor - text);
  ++p->cursor;
  return brink_ok;
}

static brinkStatus parseWord(parser *p) {
  const char first = *p->cursor;
  size_t node = addNode(p, first == '-' || (first >= '0' && first <= '9') ? '0' : 'l');
  if (node == SIZE_MAX) return brink_errorNoMemory;
  const char *text = p->cursor;
  while (p->cursor < p->end && !isBlank(*p->cursor) && strchr(",]}:[{\"", *p->cursor) == NULL) ++p->cursor;
  p->json->nodes[node].length = (size_t)(p->cursor - text);
  return p->cursor > text ? brink_ok : brink_errorParse;
}

static brinkStatus parseValue(parser *p, int depth);

static brinkStatus parseContainer(parser *p, int depth) {
  const char open = *p->cursor, close = open == '{' ? '}' : ']';
  size_t node = addNode(p, open);
  if (node == SIZE_MAX) return brink_errorNoMemory;
  if (depth > maxDepth) return brink_errorParse;
  ++p->cursor;
  skipBlanks(p);
  brinkStatus status = brink_ok;
  while (status == brink_ok && p->cursor < p->end && *p->cursor != close) {
    if (open == '{') {
      status = *p->cursor == '"' ? parseString(p) : brink_errorParse;
      skipBlanks(p);
      if (status == brink_ok && (p->cursor >= p->end || *p->cursor++ != ':')) status = brink_errorParse;
    }
    if (status == brink_ok) status = parseValue(p, depth + 1);
    skipBlanks(p);
    if (status != brink_ok || p->cursor >= p->end || *p->cursor == close) break;
    if (*p->cursor++ != ',') status = brink_errorParse;
    skipBlanks(p);
  }
  if (status == brink_ok && p->cursor >= p->end) status = brink_errorParse;
  if (status == brink_ok) ++p->cursor;
  p->json->nodes[node].next = p->json->count;
  return status;
}

static brinkStatus parseValue(parser *p, int depth) {
  skipBlanks(p);
  if (p->cursor >= p->end) return brink_errorParse;
  if (*p->cursor == '{' || *p->cursor == '[') return parseContainer(p, depth);
  return *p->cursor == '"' ? parseString(p) : parseWord(p);
}

brinkStatus brinkJson_Parse(brinkJson *json, const char *text, size_t size, size_t *place) {
  *json = (brinkJson){0};
  parser p = {json, text, text + size};
  // Node 0 stands for "none".
  brinkStatus status = addNode(&p, 0) == SIZE_MAX ? brink_errorNoMemory : parseValue(&p, 0);
  *place = (size_t)(p.cursor - text);
  if (status != brink_ok) brinkJson_Free(json);
  return status;
}

void brinkJson_Free(brinkJson *json) {
  free(json->nodes);
  *json = (brinkJson){0};
}

static bool isKind(const brinkJson *json, size_t node, char kind) {
  return node < json->count && json->nodes[node].kind == kind;
}

size_t brinkJson_Member(const brinkJson *json, size_t object, const char *key) {
  if (!isKind(json, object, '{')) return 0;
  const size_t length = strlen(key);
  for (size_t name = object + 1; name < json->nodes[object].next; name = json->nodes[name + 1].next) {
    if (json->nodes[name].length == length && memcmp(json->nodes[name].text, key, length) == 0) return name + 1;
  }
  return 0;
}

size_t brinkJson_First(const brinkJson *json, size_t array) {
  return isKind(json, array, '[') && json->nodes[array].next > array + 1 ? array + 1 : 0;
}

size_t brinkJson_Next(const brinkJson *json, size_t array, size_t element) {
  const size_t next = json->nodes[element].next;
  return next < json->nodes[array].next ? next : 0;
}

size_t brinkJson_Element(const brinkJson *json, size_t array, size_t index) {
  size_t element = brinkJson_First(json, array);
  for (; element != 0 && index > 0; --index) element = brinkJson_Next(json, array, element);
  return element;
}

size_t brinkJson_Whole(const brinkJson *json, size_t node, size_t otherwise) {
  if (!isKind(json, node, '0')) return otherwise;
  size_t value = 0;
  for (size_t i = 0; i < json->nodes[node].length; ++i) {
    const char c = json->nodes[node].text[i];
    if (c == '.' && i > 0 && strspn(json->nodes[node].text + i + 1, "0") + i + 1 >= json->nodes[node].length)
      break;  // 3.0
    if (c < '0' || c > '9' || value > SIZE_MAX / 16) return otherwise;
    value = 10 * value + (size_t)(c - '0');
  }
  return value;
}
