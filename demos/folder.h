/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_FOLDER_H
#define DEMO_FOLDER_H
/* Folders for what demos write. */
#include <stdbool.h>

/* Every folder of a path, up to 1023 characters; one that is there already is good. false: errno says why. */
bool folder_Make(const char *path);
/* The same; a failure is said on stderr. */
bool folder_MakeOrSay(const char *path);

#endif
