/* SPDX-License-Identifier: MIT */
/*
 * disk: a disk that truly rotates is read one file at a time.
 *
 * Several readers make its head run to and fro.  So a lane whose data are not
 * in the cache claims the disk before it waits for it, keeps it to the end of
 * its file, and meanwhile the other lanes have to do with what is cached.
 * What is cached is read at once, whoever has the disk.
 */
#ifndef SRC_DISK_H
#define SRC_DISK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	DISKS = 16,	/* more of them are not told apart: all are shared */
	/* A read that takes longer waited for a disk, or for a processor. */
	DISK_WAIT_NS = 2000000
};

enum disk_answer {
	DISK_SHARED,		/* does not rotate: nobody claims it */
	DISK_YOURS,		/* until disk_release */
	DISK_TAKEN
};

struct disk {
	dev_t device;
	bool rotates;
	bool taken;
};

struct disks {
	pthread_mutex_t lock;
	const char *sysfs;	/* where it is mounted */
	unsigned count;
	struct disk table[DISKS];
};

/* `sysfs` must outlive disks; NULL for the usual place. */
void
disks_init(struct disks *, const char *sysfs);

void
disks_destroy(struct disks *);

/* Never waits.  By any thread. */
enum disk_answer
disk_claim(struct disks *, dev_t device);

void
disk_release(struct disks *, dev_t device);

/*
 * Is the device, or what it stands on, a rotating disk, and not one that a
 * hypervisor, a file or a network pretends?  No, if it cannot be found out.
 */
bool
disk_rotates(const char *sysfs, dev_t device);

/* read(2); *waited: it took long. */
ssize_t
disk_read(int fd, void *to, size_t bytes, bool *waited);

/* read(2) of what is in the cache; EAGAIN if that is nothing or unknown. */
ssize_t
disk_read_cached(int fd, void *to, size_t bytes);

#endif
