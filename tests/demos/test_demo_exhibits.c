/* SPDX-License-Identifier: BSD-3-Clause */
/* Every question without an engine keeps its promise, the same to the last bit as ever, and leaves a picture and a page
 * that needs nothing else. Of the table of scenes (demos/scenes.c); what a build leaves out is not asked. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "demo_pictures.h"
#include "exhibit.h"
#include "scene.h"

/* What its page says, and all its answers. Debug, Release and sanitized builds give these bits. Whoever changes an
 * answer's last bit writes the new hash here. */
static const struct {
  const char *name, *sentence;
  uint64_t hash;
} golden[] = {
    {"clearance", "Proven: the part passes", UINT64_C(0x0a73932fd848ab37)},
    {"interference", "Proven: 2 contact intervals", UINT64_C(0x79f3d977938aac9f)},
    {"certificate", "Proven: the tool stays", UINT64_C(0x880210e9271fb80d)},
    {"robot_arm", "Proven: of 6000 edges 877 touch something on the way; sampling at 1 % passes 26 of these, Brink 0.",
     UINT64_C(0xed0d093c6fbf7c70)}};
enum { goldenCount = sizeof golden / sizeof *golden };

static size_t goldenOf(const char *name) {
  size_t i = 0;
  while (i < goldenCount && strcmp(golden[i].name, name) != 0) i++;
  if (i == goldenCount) fail_msg("%s has no golden hash", name);
  return i;
}

static int verify(const char *folder, const char *name) {
  char command[1024];
  snprintf(command, sizeof command, "'" BRINK_BINARY_DIR "/bin/brink' verify '%s/certificate/%s'", folder, name);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The checker accepts the one certificate and finds open cells in the other. */
static void checkCertificates(const char *folder) {
  if (access(BRINK_BINARY_DIR "/bin/brink", X_OK) == 0) {
    assert_int_equal(verify(folder, "passes.cert"), 0);
    assert_int_equal(verify(folder, "touches.cert"), 1);
  } else {
    print_message("not verified: the brink command is not built\n");
  }
}

CASE(every_question_is_answered_drawn_and_written) {
  int broken = 0;
  for (const demoRow *row = demoTable; demoRow_Name(row); row++) {
    if (!row->exhibit) continue;
    const char *name = row->exhibit->name;
    size_t i = goldenOf(name);
    char folder[] = BRINK_BINARY_DIR "/brink_exhibit_XXXXXX";
    uint64_t hash = 0;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(demoExhibit_Run(row->exhibit, folder, true, &hash), 0);
    assertPictures(folder, name, name, golden[i].sentence);
    if (strcmp(name, "certificate") == 0) checkCertificates(folder);
    static const char *const others[] = {"cubes", "parts", "scans"};
    for (int k = 0; strcmp(name, "interference") == 0 && k < 3; k++) assertPicture(folder, name, others[k]);
    removeFolder(folder);
    if (hash == golden[i].hash) continue;
    print_message("%s: UINT64_C(0x%016" PRIx64 ")\n", name, hash);
    broken++;
  }
  assert_int_equal(broken, 0);
}

CASE(a_folder_that_cannot_be_made_is_told) {
  for (const demoRow *row = demoTable; demoRow_Name(row); row++)
    if (row->exhibit) assert_int_equal(demoExhibit_Run(row->exhibit, "/proc/no such folder", true, NULL), 2);
}

int main(void) { return cases_Run(NULL, NULL); }
