/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMAND_SUPPORT_H
#define COMMAND_SUPPORT_H
/* For tests that run the `brink` command: a scratch folder of this test under BRINK_BINARY_DIR, files written and read
 * there, and what the last run printed. Where the command is not built, or without the wing that a case asks for, the
 * case is skipped. Define _GNU_SOURCE first. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#define SCRATCH_NAME "brink-command"
#include "scratch_folder.h"

#define PROGRAM BRINK_BINARY_DIR "/bin/brink"

static char output[1 << 18], errors[1 << 16]; /* of the last run */

/* "" when there is no such file. */
static inline void readFile(const char *name, char *out, size_t capacity) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  out[0] = '\0';
  if (file == NULL) return;
  out[fread(out, 1, capacity - 1, file)] = '\0';
  fclose(file);
}

/* Exit status of a shell command in the scratch folder, `brink` being this build's. */
static inline __attribute__((format(printf, 1, 2))) int runShell(const char *format, ...) {
  char command[2048], whole[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  snprintf(whole, sizeof whole, "cd '%s' && PATH='%s/bin':\"$PATH\" && { %s; } >out.txt 2>err.txt </dev/null",
           directory, BRINK_BINARY_DIR, command);
  int status = system(whole);
  readFile("out.txt", output, sizeof output);
  readFile("err.txt", errors, sizeof errors);
  if (!WIFEXITED(status)) fail_msg("%s died: %s", command, errors);
  return WEXITSTATUS(status);
}

/* Exit status of `brink ARGUMENTS`. */
static inline int run(const char *arguments) { return runShell("'%s' %s", PROGRAM, arguments); }
static inline void runSays(const char *arguments, int status, const char *words) {
  mustSay(run(arguments), status, output, words);
}

#define NEED_PROGRAM() \
  if (access(PROGRAM, X_OK) != 0) skip()

/* Whether this build's command has the verb: those of wings may be left out (the CMake option BRINK_WINGS). */
static inline bool hasVerb(const char *verb) { return runShell("'%s' %s --help", PROGRAM, verb) == 0; }
#define NEED_VERB(verb) \
  if (!hasVerb(verb)) skip()

#endif
