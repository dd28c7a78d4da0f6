/* SPDX-License-Identifier: BSD-3-Clause */
/* Which further tables does this build offer? Each is a static struct under a name with its own version ("brink.x/1"),
 * found by the host at run time, so the main table stays small. None is released with version 0.1: every name is
 * unknown. */
#include "world.h"

typedef struct brinkExtension {
  const char *name; /* NULL ends the list */
  const void *table;
} brinkExtension;

static const brinkExtension extensions[] = {{NULL, NULL}};

const void *brinkFindExtension(const char *name) {
  if (name == NULL) return NULL;
  for (const brinkExtension *extension = extensions; extension->name != NULL; ++extension)
    if (strcmp(extension->name, name) == 0) return extension->table;
  return NULL;
}
