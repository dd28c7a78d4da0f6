/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "row.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void row_Say(rowResult *out, const char *format, ...) {
  size_t used = strlen(out->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out->text + used, sizeof out->text - used, format, arguments);
  va_end(arguments);
}

void row_Fail(rowResult *out, const rowOptions *options, const char *format, ...) {
  char text[ROW_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (out->bad++ == 0) memcpy(out->first, text, sizeof text);
  if (options->verbose) {
    printf("    %s\n", text);
    fflush(stdout);
  }
}

int row_Seeds(const rowOptions *options, int usual, int quick) {
  return options->seeds > 0 ? options->seeds : options->quick ? quick : usual;
}

uint64_t row_Random(const rowOptions *options, int group, int seed) {
  return (options->firstSeed + (uint64_t)seed) * UINT64_C(0xD1B54A32D192ED03) + (uint64_t)group;
}

bool row_Alone(void (*task)(void *data), void *data, size_t size) {
  int status = 0;
  void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  memcpy(shared, data, size);
  fflush(stdout);
  unsigned left = alarm(0); /* the group's limit: a child would not inherit it */
  alarm(left);
  pid_t child = fork();
  if (child == 0) {
    alarm(left);
    task(shared);
    _exit(0);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  memcpy(data, shared, size);
  munmap(shared, size);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
