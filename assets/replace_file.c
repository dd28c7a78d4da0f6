/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is replaced whole or not at all: mkstemp in the same folder, then rename (POSIX: rename is atomic). */
#include "brink/replace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static brinkStatus sayErrno(const char *path, int error, char *message, size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s: cannot write: %s; check the folder, its permissions and the disk", path,
           strerror(error));
  return error == ENOMEM ? brink_errorNoMemory : brink_errorIo;
}

brinkStatus brinkReplacement_Begin(brinkReplacement *replacement, const char *path, char *message,
                                   size_t messageCapacity) {
  static const char suffix[] = ".XXXXXX";
  size_t length = strlen(path);
  struct stat there;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {  // a pipe, a device: written to, it stays what it is
    *replacement = (brinkReplacement){fopen(path, "wb"), NULL};
    return replacement->file != NULL ? brink_ok : sayErrno(path, errno, message, messageCapacity);
  }
  *replacement = (brinkReplacement){NULL, malloc(length + sizeof suffix)};
  if (replacement->temporaryPath == NULL) return sayErrno(path, ENOMEM, message, messageCapacity);
  memcpy(replacement->temporaryPath, path, length);
  memcpy(replacement->temporaryPath + length, suffix, sizeof suffix);
  int descriptor = mkstemp(replacement->temporaryPath);
  int error = errno;
  if (descriptor >= 0) {
    fchmod(descriptor, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);  // mkstemp's 0600 would hide a shared cache
    replacement->file = fdopen(descriptor, "wb");
    error = errno;
  }
  if (replacement->file != NULL) return brink_ok;
  if (descriptor >= 0) {
    close(descriptor);
    unlink(replacement->temporaryPath);
  }
  free(replacement->temporaryPath);
  replacement->temporaryPath = NULL;
  return sayErrno(path, error, message, messageCapacity);
}

brinkStatus brinkReplacement_End(brinkReplacement *replacement, const char *path, bool keep, char *message,
                                 size_t messageCapacity) {
  int error = ferror(replacement->file) ? EIO : 0;
  errno = 0;
  if (fclose(replacement->file) != 0 && error == 0) error = errno != 0 ? errno : EIO;
  if (replacement->temporaryPath != NULL) {
    if (keep && error == 0 && rename(replacement->temporaryPath, path) != 0) error = errno;
    if (!keep || error != 0) unlink(replacement->temporaryPath);
  }
  free(replacement->temporaryPath);
  *replacement = (brinkReplacement){NULL, NULL};
  return keep && error != 0 ? sayErrno(path, error, message, messageCapacity) : brink_ok;
}
