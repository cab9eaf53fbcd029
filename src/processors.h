/* SPDX-License-Identifier: MIT */
/*
 * processors: how many threads can run at a time: the processors that this
 * process may use, less if a cgroup limits its CPU time (cgroups(7); cpu.max of
 * version 2, cpu.cfs_quota_us of version 1).
 */
#ifndef SRC_PROCESSORS_H
#define SRC_PROCESSORS_H

/* At least 1. */
unsigned
processors_count(void);

/*
 * The processors' worth of CPU time that the quotas allow, rounded up; 0 if
 * there are none.  `list` is a file like /proc/self/cgroup, `mount` a directory
 * like /sys/fs/cgroup.
 */
unsigned
processors_quota(const char *list, const char *mount);

#endif
