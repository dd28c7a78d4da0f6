/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HOOK_SUPPORT_H
#define HOOK_SUPPORT_H
/* For tests of what other people's programs meet: compile small programs with the compiler that built this test, run
 * them with an environment, keep what they print. Scratch files live in a folder of this test under BRINK_BINARY_DIR.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#define SCRATCH_NAME "hooks"
#include "scratch_folder.h"

#define HOOK_LIBRARIES BRINK_BINARY_DIR "/lib"
#define HOOK_PRELOAD HOOK_LIBRARIES "/libbrink_preload.so"
#define HOOK_INCLUDES                                                                                      \
  "-I'" BRINK_SOURCE_DIR "/ode_glue/include' -I'" BRINK_SOURCE_DIR "/plugin/include' -I'" BRINK_SOURCE_DIR \
  "/algorithms/include'"
#define HOOK_LINK "-L'" HOOK_LIBRARIES "' -Wl,-rpath,'" HOOK_LIBRARIES "' -lbrink_ode -lbrink"

/* Programs of a sanitized build are sanitized too; a preloaded library then comes before the sanitizer's runtime. */
#if defined(__SANITIZE_ADDRESS__)
#define HOOK_FLAGS "-fsanitize=address,undefined"
#define HOOK_ENVIRONMENT "export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0; "
#define HOOK_SANITIZED 1
#else
#define HOOK_FLAGS ""
#define HOOK_ENVIRONMENT ""
#define HOOK_SANITIZED 0
#endif

typedef struct hookRun {
  int status; /* exit status; 128 + signal when it died */
  char *output, *errors;
} hookRun;

static inline char *hook_ReadFile(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "rb");
  size_t size = 0, capacity = 1 << 16;
  char *text = malloc(capacity);
  assert_non_null(text);
  while (file != NULL) {
    size += fread(text + size, 1, capacity - size - 1, file);
    if (size < capacity - 1) break;
    capacity *= 2;
    text = realloc(text, capacity);
    assert_non_null(text);
  }
  if (file != NULL) fclose(file);
  text[size] = '\0';
  return text;
}

/* Runs a shell command in the scratch folder. */
static inline hookRun hook_Run(const char *format, ...) {
  char command[4096], whole[8192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  snprintf(whole, sizeof whole, "cd '%s' && ( %s%s ) >out.txt 2>err.txt </dev/null", directory, HOOK_ENVIRONMENT,
           command);
  int status = system(whole);
  hookRun run = {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), hook_ReadFile("out.txt"),
                 hook_ReadFile("err.txt")};
  return run;
}

static inline void hook_End(hookRun *run) {
  free(run->output);
  free(run->errors);
}

/* Exit status 0, or the test fails with what was said. */
static inline void hook_Must(const char *format, ...) {
  char command[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  hookRun run = hook_Run("%s", command);
  if (run.status != 0) fail_msg("%s\nended with %d:\n%s%s", command, run.status, run.output, run.errors);
  hook_End(&run);
}

static inline bool hook_Can(const char *command) {
  hookRun run = hook_Run("%s", command);
  bool can = run.status == 0;
  hook_End(&run);
  return can;
}

/* The number that follows a word in the program's last line. */
static inline double hook_Value(const hookRun *run, const char *word) {
  const char *end = strstr(run->output, "end: "), *at = end != NULL ? strstr(end, word) : NULL;
  if (at == NULL) fail_msg("no '%s' in: %s%s", word, run->output, run->errors);
  return strtod(at + strlen(word), NULL);
}

static inline int hook_Begin(void **state) { return makeDirectory(state); }
static inline int hook_Finish(void **state) { return removeDirectory(state); }

/* Builds tests/programs/SOURCE as PROGRAM with these flags. */
static inline void hook_Build(const char *source, const char *program, const char *flags, const char *libraries) {
  hook_Must("'%s' -O1 -Wall -Wextra -Werror %s %s -o %s '%s/tests/programs/%s' %s -lm", BRINK_C_COMPILER, HOOK_FLAGS,
            flags, program, BRINK_SOURCE_DIR, source, libraries);
}

#endif
