/* SPDX-License-Identifier: BSD-3-Clause */
/* The demo `interference` keeps its promise and leaves a picture and a page that needs nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "interference_demo.h"
#include "demo_pictures.h"

CASE(all_contacts_are_proven_drawn_and_written) {
  char folder[] = BRINK_BINARY_DIR "/brink_interference_XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(demoExhibit_Run(&demoInterference, folder), 0);
  assertPictures(folder, "interference", "Proven: 2 contact intervals");
  static const char *const others[] = {"cubes", "parts", "scans"};
  for (int i = 0; i < 3; ++i) {
    char path[1200];
    snprintf(path, sizeof(path), "%s/interference/%s.png", folder, others[i]);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_true(ftell(file) > 20000); /* a picture of one colour is smaller */
    fclose(file);
  }
  removeFolder(folder);
  assert_int_equal(demoExhibit_Run(&demoInterference, "/proc/no such folder"), 2);
}

int main(void) { return cases_Run(NULL, NULL); }
