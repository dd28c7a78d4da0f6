/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FILE_BYTES_H
#define FILE_BYTES_H
/* A whole file for a test, which fails where the file cannot be read. Include cmocka.h first. */
#include <stdio.h>
#include <stdlib.h>

/* The caller frees; a 0 stands after the last byte. */
static inline unsigned char *readBytes(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

#endif
