/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSIMP_LOCK_H
#define BRINK_ASSIMP_LOCK_H
/* Assimp of Debian is built single-threaded, and its error text is one global string: whoever calls it holds this.
 * Private to assets. */
#include <pthread.h>

extern pthread_mutex_t brinkAssimpLock; /* import.c */

#endif
