/* SPDX-License-Identifier: MIT */
/*
 * disk: a rotating disk is read one file at a time, to avoid seeks.
 *
 * A lane whose data are not in the page cache claims the disk before it waits
 * for it, and keeps it to the end of its file.  Meanwhile other lanes read
 * only what is in the cache, which never needs a claim.  Which disks a file is
 * on is looked up at the first claim, so a run that finds everything in the
 * cache asks for nothing.  From then on files on a disk that rotates are not
 * begun without a claim.
 *
 * Of the lanes that were refused a disk, the one with the earliest message
 * gets it next: lines appear while the rest is being read.
 */
#ifndef SRC_LANES_DISK_H
#define SRC_LANES_DISK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	/* Rotating disks, a bit each; further ones need no claim. */
	DISKS = 64,
	/* Values of st_dev whose disks are remembered. */
	DISK_DEVICES = 64
};

/* The rotating disks that the files with this st_dev are on. */
struct disk_device {
	dev_t device;
	uint64_t disks;
};

struct disks {
	pthread_mutex_t lock;
	const char *root;
	unsigned ndevices; /* ever remembered */
	struct disk_device devices[DISK_DEVICES];
	unsigned count;
	uint64_t ids[DISKS]; /* see rotating_disks.h */
	uint64_t taken;
	/* The earliest message that was refused since the last claim. */
	uint64_t waiting[DISKS];
};

/* What a lane wants to read: message number `seq`, which `fd` has open. */
struct disk_request {
	int fd;
	dev_t device; /* its st_dev */
	uint64_t seq;
};

/* /sys, /proc and /dev are looked for below `root`, which must outlive disks;
 * NULL for the usual place. */
void
disks_init(struct disks *, const char *root);

void
disks_destroy(struct disks *);

/* Is it known that files with this st_dev are on a rotating disk?  Nothing is
 * looked up. */
bool
disk_is_known(struct disks *, dev_t device);

/* Are files with this st_dev, of which `fd` is one, on a rotating disk? */
bool
disk_rotates(struct disks *, dev_t device, int fd);

/* Claim the disks of a file, by any thread, without waiting.  False: others have
 * them.  *held are those that have become the caller's, for disk_release; 0 if
 * none of them rotates. */
bool
disk_claim(struct disks *, const struct disk_request *, uint64_t *held);

void
disk_release(struct disks *, uint64_t held);

/*
 * Forget which messages wait for disks, since their workers may not ask again
 * soon.  True: there were some, and all workers should ask again.
 */
bool
disk_forget_waiting(struct disks *);

#endif
