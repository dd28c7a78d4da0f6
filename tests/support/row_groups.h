/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROW_GROUPS_H
#define ROW_GROUPS_H
/* Groups of brink-acceptance in a test of their own. */
#include <string.h>

#include "cases.h"
#include "row.h"

static const rowOptions quickly = {.firstSeed = 1, .quick = true};

/* Runs the groups of a row whose label holds a word; each in this process. */
static inline int runGroups(const row *chosen, const char *word,
                            void (*check)(const char *label, const rowResult *result)) {
  int count = chosen->count(&quickly), done = 0;
  for (int group = 0; group < count; ++group) {
    char label[200];
    rowResult result = {0};
    chosen->label(group, label, (int)sizeof label);
    if (strstr(label, word) == NULL) continue;
    chosen->run(group, &quickly, &result);
    if (result.skipped) { /* other people's scenes, where they are not beside the project */
      print_message("skipped: %s: %s\n", label, result.text);
      continue;
    }
    check(label, &result);
    done++;
  }
  return done;
}

/* One group by its whole label, with options of its own. */
static inline rowResult runGroup(const row *chosen, const char *label, const rowOptions *options) {
  rowResult result = {0};
  char found[200] = "";
  int group = 0;
  while (strcmp(found, label) != 0) chosen->label(group++, found, (int)sizeof found);
  chosen->run(group - 1, options, &result);
  return result;
}

static inline void mustPass(const char *label, const rowResult *result) {
  if (result->bad > 0) fail_msg("%s: %s; %s", label, result->first, result->text);
}

#endif
