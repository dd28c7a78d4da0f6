/* SPDX-License-Identifier: BSD-3-Clause */
/* The demo `clearance` keeps its promise and leaves a picture and a page that needs nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "clearance_cell.h"
#include "demo_pictures.h"

CASE(the_cell_is_proven_drawn_and_written) {
  char folder[] = BRINK_BINARY_DIR "/brink_clearance_XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(demoExhibit_Run(&demoClearance, folder), 0);
  assertPictures(folder, "clearance", "Proven: the part passes");
  removeFolder(folder);
  assert_int_equal(demoExhibit_Run(&demoClearance, "/proc/no such folder"), 2);
}

int main(void) { return cases_Run(NULL, NULL); }
