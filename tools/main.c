/* SPDX-License-Identifier: BSD-3-Clause */
/* The `brink` command: check, clearance, interference, replay, cook, info, show, generate, certify, verify. Formats:
 * docs/formats.md. The program never calls setlocale, so numbers are read and written
 * with a decimal point everywhere. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "output.h"

typedef struct subcommand {
  const char *name;
  const brinkCommand *command;
  int (*run)(int argc, char **argv); /* of those that read their words themselves */
} subcommand;

/* Verbs of wings that this build leaves out (the CMake option BRINK_WINGS) have neither a row nor a line. */
static const subcommand subcommands[] = {{"check", &brinkCheckCommand, NULL},
#ifndef BRINK_WITHOUT_CLEARANCE
                                         {"clearance", &brinkClearanceCommand, NULL},
#endif
#ifndef BRINK_WITHOUT_INVERTED_PATHS
                                         {"interference", &brinkInterferenceCommand, NULL},
#endif
                                         {"replay", &brinkReplayCommand, NULL},
                                         {"cook", &brinkCookCommand, NULL},
                                         {"info", &brinkInfoCommand, NULL},
#ifndef BRINK_WITHOUT_CERTIFICATES
                                         {"certify", &brinkCertifyCommand, NULL},
                                         {"verify", &brinkVerifyCommand, NULL},
#endif
#ifndef BRINK_WITHOUT_ROBOTS
                                         {"robot", NULL, brinkRobotCommand},
                                         {"path", NULL, brinkPathCommand},
#endif
                                         {"show", &brinkShowCommand, NULL},
                                         {"generate", NULL, brinkGenerate}};

static const char documentation[] =
    "When do moving things first touch? Proven answers to continuous collision questions.\v"
    "Commands:\n"
    "  check FILE...          answer case files, one line each\n"
#ifndef BRINK_WITHOUT_CLEARANCE
    "  clearance FILE...      how close the two bodies of each case come\n"
#endif
#ifndef BRINK_WITHOUT_INVERTED_PATHS
    "  interference FILE...   all their contacts, and which parts meet\n"
#endif
    "  replay SCENE MOTION    first contacts of a recorded motion, frame by frame\n"
    "  cook FILE              cook a mesh for fast questions\n"
    "  info FILE              what a mesh or a cooked mesh contains\n"
    "  show FILE              a picture of one case, as a page for a browser\n"
    "  generate               fresh case files from a seed\n"
#ifndef BRINK_WITHOUT_CERTIFICATES
    "  certify FILE...        proofs of no collision, as files\n"
    "  verify FILE...         checks such proofs on its own\n"
#endif
#ifndef BRINK_WITHOUT_ROBOTS
    "  robot info FILE.urdf   what a robot is made of\n"
    "  path FILE.urdf SCENE   is a robot's way free?\n"
#endif
    "Each has its own --help.\n\n"
    "Examples:\n"
    "  brink check cases/chain.ccd --eps-index 1\n"
    "  brink replay train.scene train.motion --pairs --csv contacts.csv\n"
    "  brink cook car.obj -o car.brink && brink info car.brink\n\n"
    "Exit status: 0 done, 1 something could not be done, 2 malformed input or usage.";

double brinkSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const brinkPlugin *brinkApi(void) {
  const char *reason = NULL;
  const brinkPlugin *api = brinkEntry(BRINK_ABI_MAJOR, &reason);
  if (api == NULL || api->structSize < sizeof *api) {
    fprintf(stderr, "brink: the Brink library does not fit this program: %s\n", api == NULL ? reason : "it is older");
    exit(BRINK_EXIT_FAILURE);
  }
  return api;
}

const void *brinkNeedExtension(const char *name) {
  const void *table = brinkApi()->getExtension(name);
  if (table == NULL) {
    fprintf(stderr, "brink: the Brink library has no extension %s\n", name);
    exit(BRINK_EXIT_FAILURE);
  }
  return table;
}

void brinkTellRefusal(const brinkPlugin *api, const brinkWorld *world, brinkStatus status, const char *name) {
  const char *reason = world != NULL ? api->lastError(world) : "";
  fflush(stdout);
  if (reason[0] == '\0')
    reason = status == brink_errorVersion ? "this build leaves out what answers it (the CMake option BRINK_WINGS)"
                                          : api->statusText(status);
  fprintf(stderr, "brink: %s: %s\n", name, reason);
}

static const subcommand *findSubcommand(const char *name) {
  for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; ++i)
    if (strcmp(subcommands[i].name, name) == 0) return &subcommands[i];
  return NULL;
}

static void refuseCommand(struct argp_state *state, const char *word) {
  enum { COUNT = sizeof subcommands / sizeof subcommands[0] };
  const char *names[COUNT];
  for (size_t i = 0; i < COUNT; ++i) names[i] = subcommands[i].name;
  const char *nearest = brinkNearestName(word, names, COUNT);
  if (nearest != NULL)
    argp_error(state, "'%s' is not a command: did you mean '%s'?", word, nearest);
  else
    argp_error(state, "'%s' is not a command", word);
}

static void printVersion(FILE *stream, struct argp_state *state) {
  (void)state;
  const brinkPlugin *api = brinkApi();
  fprintf(stream, "brink %s\n", api->version);
}

static error_t parseOption(int key, char *argument, struct argp_state *state) {
  const subcommand **chosen = state->input;
  switch (key) {
    case ARGP_KEY_ARG:
      *chosen = findSubcommand(argument);
      if (*chosen == NULL) refuseCommand(state, argument);
      state->next = state->argc;  // the rest is the command's own
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_usage(state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

/* However the program ends, --help and --version too. */
static void closeStandardOutput(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return;
  fputs("brink: standard output could not be written\n", stderr);
  _exit(BRINK_EXIT_FAILURE);
}

int main(int argc, char **argv) {
  atexit(closeStandardOutput);
  argp_program_version_hook = printVersion;  // assigned: a definition would stay hidden in this program
  argp_err_exit_status = BRINK_EXIT_MALFORMED;
  const subcommand *chosen = NULL;
  const struct argp parser = {.parser = parseOption, .args_doc = "COMMAND [ARGUMENT...]", .doc = documentation};
  int at = 1;  // options before the command belong to `brink`, everything after it to the command
  while (at < argc && argv[at][0] == '-') ++at;
  brinkParseArguments(&parser, at < argc ? at + 1 : argc, argv, ARGP_IN_ORDER, &chosen);
  if (chosen == NULL) return BRINK_EXIT_MALFORMED;
  char name[32];
  snprintf(name, sizeof name, "brink %s", chosen->name);
  argv[at] = name;
  return chosen->command != NULL ? brinkRunCommand(argc - at, argv + at, chosen->command)
                                 : chosen->run(argc - at, argv + at);
}
