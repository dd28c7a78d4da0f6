/* SPDX-License-Identifier: BSD-3-Clause */
/* How is a file put together before it is written? See buffer.h. Based on: RFC 4648 (base64). */
#include "buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_Bytes(byteBuffer *buffer, const void *bytes, size_t size) {
  if (buffer->failed) return;
  if (buffer->size + size > buffer->capacity) {
    size_t capacity = (buffer->size + size) * 2 + 4096;
    uint8_t *grown = realloc(buffer->bytes, capacity);
    if (!grown) {
      buffer->failed = true;
      return;
    }
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  if (size) memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
}

void buffer_Text(byteBuffer *buffer, const char *text) { buffer_Bytes(buffer, text, strlen(text)); }

void buffer_Format(byteBuffer *buffer, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof line)
    buffer->failed = true;
  else
    buffer_Bytes(buffer, line, (size_t)length);
}

void buffer_Float(byteBuffer *buffer, double value) {
  float single = (float)value;
  buffer_Bytes(buffer, &single, sizeof single);
}

void buffer_PadTo4(byteBuffer *buffer, char filler) {
  while (buffer->size % 4 != 0 && !buffer->failed) buffer_Bytes(buffer, &filler, 1);
}

void buffer_Base64(byteBuffer *out, const uint8_t *bytes, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t group =
        (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0u);
    char text[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                    left > 2 ? digits[group & 63] : '='};
    buffer_Bytes(out, text, sizeof text);
  }
}

void buffer_Html(byteBuffer *out, const char *text) {
  for (; *text; text++) {
    if (*text == '"')
      buffer_Text(out, "&quot;");
    else if (*text == '<')
      buffer_Text(out, "&lt;");
    else if (*text == '>')
      buffer_Text(out, "&gt;");
    else if (*text == '&')
      buffer_Text(out, "&amp;");
    else
      buffer_Bytes(out, text, 1);
  }
}

void buffer_String(byteBuffer *out, const char *text) {
  buffer_Text(out, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\' || c == '<' || c < 32)
      buffer_Format(out, "\\u%04x", c);
    else
      buffer_Bytes(out, text, 1);
  }
  buffer_Text(out, "\"");
}

void buffer_Script(byteBuffer *self, const char *text, size_t size) {
  static const char tag[] = "/script";
  for (size_t i = 0; i < size; i++) {
    buffer_Bytes(self, text + i, 1);
    if (text[i] != '<' || size - i - 1 < sizeof tag - 1) continue;
    bool isTag = text[i + 1] == '/';
    for (size_t k = 1; isTag && k < sizeof tag - 1; k++) isTag = (text[i + 1 + k] | 32) == tag[k];
    if (isTag) buffer_Text(self, "\\"); /* harmless in strings and regular expressions alike */
  }
}

bool buffer_ReadFile(byteBuffer *self, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char block[65536];
  for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;) buffer_Bytes(self, block, size);
  bool good = !ferror(file);
  fclose(file);
  return good;
}

bool buffer_WriteFile(const byteBuffer *self, const char *path, char *message, size_t messageCapacity) {
  if (self->failed) {
    snprintf(message, messageCapacity, "no memory for %s", path);
    return false;
  }
  FILE *file = fopen(path, "wb");
  if (!file) {
    snprintf(message, messageCapacity, "cannot write %s: %s", path, strerror(errno));
    return false;
  }
  bool good = fwrite(self->bytes, 1, self->size, file) == self->size;
  if (fclose(file) != 0) good = false;
  if (!good) snprintf(message, messageCapacity, "%s could not be written whole; is the disk full?", path);
  return good;
}
