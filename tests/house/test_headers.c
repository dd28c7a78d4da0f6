/* SPDX-License-Identifier: BSD-3-Clause */
/* Does each public header compile alone, without a warning, in C11, C17, C++11, C++17 and C++20? Asked of the compiler
 * that built this; a language or a third-party header that is not installed is skipped and said. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

#define INCLUDES                                                                                    \
  " -I" BRINK_SOURCE_DIR "/algorithms/include -I" BRINK_SOURCE_DIR                                  \
  "/plugin/include "                                                                                \
  "-I" BRINK_SOURCE_DIR "/assets/include -I" BRINK_SOURCE_DIR "/robots/include -I" BRINK_SOURCE_DIR \
  "/ode_glue/include "
#define WARNINGS " -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror -fsyntax-only "

static const char *const languages[] = {"-x c -std=c11 -Wstrict-prototypes", "-x c -std=c17 -Wstrict-prototypes",
                                        "-x c++ -std=c++11", "-x c++ -std=c++17", "-x c++ -std=c++20"};

/* Exit status of the compiler over one line of source from standard input. */
static int compiles(const char *language, const char *source) {
  char command[2048];
  snprintf(command, sizeof command,
           "printf '%s\\nint main(void) { return 0; }\\n' | '%s' %s" WARNINGS INCLUDES "- 2>%s", source,
           BRINK_C_COMPILER, language, "/dev/stderr");
  return system(command);
}

static int quietlyCompiles(const char *language, const char *source) {
  char command[2048];
  snprintf(command, sizeof command,
           "printf '%s\\nint main(void) { return 0; }\\n' | '%s' %s -fsyntax-only - 2>/dev/null", source,
           BRINK_C_COMPILER, language);
  return system(command);
}

static void check(const char *header, const char *needed) {
  char source[256];
  snprintf(source, sizeof source, "#include <%s>", header);
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; ++i) {
    if (quietlyCompiles(languages[i], needed) != 0) {
      print_message("skipped: %s with %s (%s does not compile here)\n", header, languages[i],
                    needed[0] != '\0' ? needed : "the language");
      continue;
    }
    if (compiles(languages[i], source) != 0) fail_msg("%s does not compile alone with %s", header, languages[i]);
    snprintf(source, sizeof source, "#include <%s>\\n#include <%s>", header, header);
    if (compiles(languages[i], source) != 0)
      fail_msg("%s does not bear being included twice with %s", header, languages[i]);
  }
}

CASE(types_header_compiles_alone) { check("brink/types.h", ""); }
CASE(cook_header_compiles_alone) { check("brink/cook.h", ""); }
CASE(ccd_header_compiles_alone) { check("brink/ccd.h", ""); }
CASE(linear_header_compiles_alone) { check("brink/linear.h", ""); }
CASE(inverse_path_header_compiles_alone) { check("brink/inverse_path.h", ""); }
CASE(clearance_header_compiles_alone) { check("brink/clearance.h", ""); }
CASE(tolerance_header_compiles_alone) { check("brink/tolerance.h", ""); }
CASE(robot_header_compiles_alone) { check("brink/robot.h", ""); }
CASE(robot_file_headers_compile_alone) {
  check("brink/urdf.h", "");
  check("brink/robot_scene.h", "");
  check("brink/robot_certify.h", "");
  check("brink/stand_in_robot.h", "");
  check("brink/robot_random.h", "");
}
CASE(assets_header_compiles_alone) { check("brink/assets.h", ""); }
CASE(ode_header_compiles_alone) { check("brink/ode.h", "#include <ode/ode.h>"); }

CASE(ode_redirect_header_compiles_alone) { check("brink/ode_redirect.h", "#include <ode/ode.h>"); }

int main(void) { return cases_Run(NULL, NULL); }
