/* SPDX-License-Identifier: MIT */
/*
 * disk: a rotating disk is read one file at a time, to avoid seeks.
 *
 * A lane whose data are not in the page cache claims the disk before it waits
 * for it, and keeps it to the end of its file.  Meanwhile other lanes read
 * only what is in the cache, which never needs a claim.  Which disk a file is
 * on is looked up at the first claim, so a run that finds everything in the
 * cache asks for nothing.
 *
 * Of the lanes that were refused a disk, the one with the earliest message
 * gets it next: lines appear while the rest is being read.
 *
 * The block device of a file is found by its number; btrfs, which has none of
 * its own, lists its devices in sysfs.  sysfs then leads to the whole disks
 * below partitions, device mapper and RAID.  Where several of these rotate,
 * the one whose number in sysfs is the least stands for all of them.  What the
 * kernel cannot know stays unknown and counts as not rotating: network file
 * systems, FUSE, ZFS, bcachefs, overlays, and disks that a hypervisor, a RAID
 * controller or another name space hides.
 */
#ifndef SRC_LANES_DISK_H
#define SRC_LANES_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/base/lock.h"

enum {
	/* Rotating disks; further ones need no claim. */
	DISKS = 64,
	/* Values of st_dev whose disks are remembered. */
	DISK_DEVICES = 64
};

/* A disk that rotates. */
struct disk {
	uint64_t id; /* its inode in sysfs */
	bool taken;
	/* The earliest message that was refused since the last claim. */
	uint64_t waiting;
};

struct disks {
	struct lock lock;
	const char *root;
	unsigned ndevices; /* ever remembered */
	struct {
		dev_t number;
		struct disk *disk; /* NULL if it does not rotate */
	} devices[DISK_DEVICES];
	unsigned n;
	struct disk disks[DISKS];
};

/* /sys is looked for below `root`, which must outlive disks; NULL for the usual
 * place. */
void
disks_init(struct disks *, const char *root);

void
disks_destroy(struct disks *);

/* Return true if files with this st_dev are on a rotating disk.  `fd` is one
 * of these files. */
bool
disk_rotates(struct disks *, dev_t, int fd);

/*
 * Claim the disk of such a file for message number `seq`, without waiting.
 * Any thread may call.  Return false if another message has the disk.
 * *claimed is for disk_release, and NULL if the disk does not rotate.
 */
bool
disk_claim(struct disks *, dev_t, int fd, uint64_t seq, struct disk **claimed);

void
disk_release(struct disks *, struct disk *);

/* Forget which messages wait for disks, since their workers may not ask again
 * soon.  Return true if there were some: then wake all workers to ask again. */
bool
disk_forget_waiting(struct disks *);

#endif
