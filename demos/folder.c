/* SPDX-License-Identifier: BSD-3-Clause */
/* Where do demos put their files? See folder.h. */
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool folder_Make(const char *path) {
  char partial[1024];
  size_t length = strlen(path);
  if (length >= sizeof partial) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(partial, path, i);
    partial[i] = '\0';
    if (mkdir(partial, 0777) != 0 && errno != EEXIST) return false;
  }
  return true;
}

bool folder_MakeOrSay(const char *path) {
  if (folder_Make(path)) return true;
  fprintf(stderr, "brink-demo: cannot make folder %s: %s\n", path, strerror(errno));
  return false;
}
