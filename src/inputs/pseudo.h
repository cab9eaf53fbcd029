/* SPDX-License-Identifier: MIT */
/*
 * pseudo: file systems whose files the kernel makes up while they are read,
 * such as proc and sysfs.  Some of their files never end, wait for events or
 * act on the system when they are read, so a walk leaves them out.
 */
#ifndef SRC_INPUTS_PSEUDO_H
#define SRC_INPUTS_PSEUDO_H

#include <stdbool.h>

/* Is the open file on a pseudo file system? */
bool
pseudo_has(int fd);

#endif
