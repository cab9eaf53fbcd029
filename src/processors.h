/* SPDX-License-Identifier: MIT */
/*
 * processors: how many threads can run at a time: the processors that this
 * process may use, less if a cgroup of version 1 or 2 limits its CPU time
 * (cgroups(7)).
 */
#ifndef SRC_PROCESSORS_H
#define SRC_PROCESSORS_H

/* At least 1. */
unsigned
processors_count(void);

#endif
