/* SPDX-License-Identifier: BSD-3-Clause */
/* The demo `certificate` keeps its promise and leaves a picture, a page that needs nothing else, and the two
 * certificates; the checker accepts the one and finds open cells in the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cases.h"
#include "certificate_cell.h"
#include "demo_pictures.h"

static int verify(const char *folder, const char *name) {
  char command[1024];
  snprintf(command, sizeof command, "'" BRINK_BINARY_DIR "/bin/brink' verify '%s/certificate/%s'", folder, name);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CASE(the_cell_is_certified_drawn_and_written) {
  char folder[] = BRINK_BINARY_DIR "/brink_certificate_XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(demoExhibit_Run(&demoCertificate, folder), 0);
  assertPictures(folder, "certificate", "Proven: the tool stays");
  if (access(BRINK_BINARY_DIR "/bin/brink", X_OK) == 0) {
    assert_int_equal(verify(folder, "passes.cert"), 0);
    assert_int_equal(verify(folder, "touches.cert"), 1);
  } else {
    print_message("not verified: the brink command is not built\n");
  }
  removeFolder(folder);
  assert_int_equal(demoExhibit_Run(&demoCertificate, "/proc/no such folder"), 2);
}

int main(void) { return cases_Run(NULL, NULL); }
