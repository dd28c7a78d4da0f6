/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BUFFER_H
#define BRINK_BUFFER_H
/* A growing block of bytes, for files that are written whole: GLB and HTML. After the first failure (no memory)
 * everything is a no-op and `failed` is set. Start with {0}, free(bytes) at the end. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct byteBuffer {
  uint8_t *bytes;
  size_t size, capacity;
  bool failed;
} byteBuffer;

void buffer_Bytes(byteBuffer *self, const void *bytes, size_t size);
void buffer_Text(byteBuffer *self, const char *text);
__attribute__((format(printf, 2, 3))) void buffer_Format(byteBuffer *self, const char *format, ...);
void buffer_Float(byteBuffer *self, double value); /* as a float, little-endian */
void buffer_PadTo4(byteBuffer *self, char filler);
void buffer_Base64(byteBuffer *self, const uint8_t *bytes, size_t size);
void buffer_Html(byteBuffer *self, const char *text);   /* text between tags or in a quoted attribute */
void buffer_String(byteBuffer *self, const char *text); /* a JavaScript string literal, safe in a script element */
/* A script's text; every "</script" becomes "<\/script": an HTML parser would end the element there. */
void buffer_Script(byteBuffer *self, const char *text, size_t size);
/* A whole file's bytes; false when it cannot be read. */
bool buffer_ReadFile(byteBuffer *self, const char *path);
bool buffer_WriteFile(const byteBuffer *self, const char *path, char *message, size_t messageCapacity);

#endif
