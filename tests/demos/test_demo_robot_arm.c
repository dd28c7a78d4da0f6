/* SPDX-License-Identifier: BSD-3-Clause */
/* The demo `robot_arm` finds what samples pass and Brink does not, the same to the last bit as ever, and leaves a
 * picture and a page that needs nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "demo_pictures.h"
#include "robot_arm.h"

/* Answers to 6,000 edges, the same by one thread and by three, and the links' poses along the three that are shown. */
#define GOLDEN "2c1994c2ec6032d8"

static char *readFile(const char *folder, const char *name, size_t *size) {
  char path[1200];
  snprintf(path, sizeof path, "%s/robot_arm/%s", folder, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

CASE(samples_pass_what_brink_does_not) {
  char folder[] = BRINK_BINARY_DIR "/brink_robot_arm_XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(demoExhibit_Run(&demoRobotArm, folder), 0);
  size_t size;
  char *page = readFile(folder, "robot_arm.html", &size);
  assert_true(size < 4000000);
  assert_non_null(
      strstr(page, "Proven: sampling at 1 % passes 26 of 6000 edges that are in contact on the way; Brink 0."));
  const char *hash = strstr(page, "scene hash ");
  assert_non_null(hash);
  if (memcmp(hash + 11, GOLDEN, 16) != 0) fail_msg("%.27s, not " GOLDEN, hash);
  static const char *const bad[] = {"src=", "[nan", ",nan", ":nan",
                                    "-nan", ":inf", ",inf"}; /* base64 may hold letters */
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(strstr(page, bad[i]));
  free(page);
  char *picture = readFile(folder, "robot_arm.png", &size);
  assert_memory_equal(picture, "\x89PNG\r\n\x1a\n", 8);
  assert_true(size > 300000); /* a picture of one colour is smaller */
  free(picture);
  removeFolder(folder);
  assert_int_equal(demoExhibit_Run(&demoRobotArm, "/proc/no such folder"), 2);
}

int main(void) { return cases_Run(NULL, NULL); }
