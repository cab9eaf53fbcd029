/* SPDX-License-Identifier: MIT */
/*
 * buffer: memory that the kernel gives to programs, /dev/vcsm-cma.
 *
 * A buffer is a file of its own in the private directory, and its handle a
 * descriptor of that file, which the program maps.  It is gone when nobody has
 * a descriptor or a mapping any more: then, and only then, the kernel grants a
 * write lease on the file.  Called with the state's lock held.
 */
#ifndef QPU_VIRTUAL_BUFFER_H
#define QPU_VIRTUAL_BUFFER_H

#include <stdbool.h>

#include "qpu/vcsm.h"
#include "qpu/virtual/world.h"

/* 0, or the errno that the kernel answers. */
int
buffer_allocate(const struct world *, struct vcsm_allocate *);

/* Forget those that are gone.  True if there are any others. */
bool
buffer_collect(const struct world *);

/* Map one for as long as a launch takes; NULL when it cannot be. */
void *
buffer_map(const struct world *, unsigned number);

#endif
