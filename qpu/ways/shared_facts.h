/* SPDX-License-Identifier: MIT */
/*
 * shared_facts: what every way to the QPUs of this machine tells its owner:
 * device nodes, and the kernel's contiguous memory (CMA), from which all memory
 * for devices comes.
 */
#ifndef QPU_DEVICE_SHARED_FACTS_H
#define QPU_DEVICE_SHARED_FACTS_H

#include "src/base/facts.h"

/* A number of /proc/meminfo about the kernel's contiguous memory, "CmaFree:",
 * in KiB; -1 = not there. */
long
contiguous_kib(const char *name);

/* How much of it there is, and how much is free. */
void
facts_add_contiguous(struct facts *);

/* A node with its mode, owner and group, and whether this user may open it. */
void
facts_add_device_node(struct facts *, const char *path);

/* The release of the kernel, and for which processor it is. */
void
facts_add_kernel(struct facts *);

#endif
