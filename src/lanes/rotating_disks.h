/* SPDX-License-Identifier: MIT */
/*
 * rotating_disks: the rotating disks that an open file is stored on.
 *
 * The block device of the file is found by its number or, for a file system
 * that has no block device of its own (btrfs), by its mount.  sysfs
 * then leads to the whole disks below partitions, device mapper and RAID.
 * What the kernel cannot know stays unknown and counts as not rotating:
 * network file systems, FUSE, ZFS, overlays, and disks that a hypervisor, a RAID
 * controller or another name space hides.
 *
 * libblkid and libmount are not used: neither finds the mount of a subvolume,
 * nor the disks below device mapper and btrfs, so sysfs would have to be read
 * all the same.
 */
#ifndef SRC_LANES_ROTATING_DISKS_H
#define SRC_LANES_ROTATING_DISKS_H

#include <stdint.h>
#include <sys/types.h>

/* The disks of one file system, at most; others are left out. */
enum { ROTATING_DISKS = 32 };

struct rotating_disks {
	unsigned n;
	/* A whole disk's inode in sysfs, which is its identity: two partitions
	 * of a disk have the same one. */
	uint64_t disks[ROTATING_DISKS];
};

/*
 * Find those of the file that `fd` has open, whose st_dev is `device`.  /sys, /proc
 * and /dev are looked for below `root` ("" is the usual place).
 */
void
rotating_disks_find(const char *root, dev_t device, int fd,
		    struct rotating_disks *);

#endif
