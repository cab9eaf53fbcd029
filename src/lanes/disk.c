/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/disk.h"

#include "src/lanes/rotating_disks.h"

/* In `waiting`: no message waits for the disk. */
static const uint64_t no_seq = UINT64_MAX;

void
disks_init(struct disks *disks, const char *root)
{
	pthread_mutex_init(&disks->lock, NULL);
	disks->root = root ? root : "";
	disks->ndevices = disks->count = 0;
	disks->taken = 0;
	for (unsigned i = 0; i < DISKS; i++)
		disks->waiting[i] = no_seq;
}

void
disks_destroy(struct disks *disks)
{
	pthread_mutex_destroy(&disks->lock);
}

/* Looking up; lock held ----------------------------------------------------- */

/* The bit of a rotating disk, which is given one; 0 if there are too many. */
static uint64_t
bit_of(struct disks *disks, uint64_t id)
{
	unsigned i = 0;

	while (i < disks->count && disks->ids[i] != id)
		i++;
	if (i == DISKS)
		return 0;
	if (i == disks->count)
		disks->ids[disks->count++] = id;
	return UINT64_C(1) << i;
}

/* What is remembered of files with this st_dev; NULL: nothing. */
static const struct disk_device *
recall(const struct disks *disks, dev_t device)
{
	for (unsigned i = 0; i < disks->ndevices && i < DISK_DEVICES; i++)
		if (disks->devices[i].device == device)
			return &disks->devices[i];
	return NULL;
}

/* The disks of a file.  They are looked up when first asked for, and again when
 * they have been forgotten. */
static uint64_t
find_disks(struct disks *disks, dev_t number, int fd)
{
	const struct disk_device *known = recall(disks, number);
	struct rotating_disks found;
	struct disk_device *device;

	if (known)
		return known->disks;
	device = &disks->devices[disks->ndevices++ % DISK_DEVICES];
	*device = (struct disk_device){ .device = number };
	rotating_disks_find(disks->root, number, fd, &found);
	for (unsigned i = 0; i < found.n; i++)
		device->disks |= bit_of(disks, found.disks[i]);
	return device->disks;
}

/* Claims -------------------------------------------------------------------- */

bool
disk_is_known(struct disks *disks, dev_t device)
{
	const struct disk_device *known;
	bool rotates;

	pthread_mutex_lock(&disks->lock);
	known = recall(disks, device);
	rotates = known && known->disks != 0;
	pthread_mutex_unlock(&disks->lock);
	return rotates;
}

bool
disk_rotates(struct disks *disks, dev_t device, int fd)
{
	bool rotates;

	pthread_mutex_lock(&disks->lock);
	rotates = find_disks(disks, device, fd) != 0;
	pthread_mutex_unlock(&disks->lock);
	return rotates;
}

bool
disk_claim(struct disks *disks, const struct disk_request *request,
	   uint64_t *held)
{
	const uint64_t seq = request->seq;
	uint64_t wanted;
	bool is_free;

	pthread_mutex_lock(&disks->lock);
	wanted = find_disks(disks, request->device, request->fd);
	/* A disk is kept for an earlier message that waits for it. */
	is_free = (wanted & disks->taken) == 0;
	for (unsigned i = 0; i < disks->count; i++)
		if (wanted >> i & 1 && disks->waiting[i] < seq)
			is_free = false;
	for (unsigned i = 0; i < disks->count; i++) {
		if (!(wanted >> i & 1))
			continue;
		if (is_free)
			disks->waiting[i] = no_seq;
		else if (seq < disks->waiting[i])
			disks->waiting[i] = seq;
	}
	*held = is_free ? wanted : 0;
	disks->taken |= *held;
	pthread_mutex_unlock(&disks->lock);
	return is_free;
}

void
disk_release(struct disks *disks, uint64_t held)
{
	pthread_mutex_lock(&disks->lock);
	disks->taken &= ~held;
	pthread_mutex_unlock(&disks->lock);
}

bool
disk_forget_waiting(struct disks *disks)
{
	bool any = false;

	pthread_mutex_lock(&disks->lock);
	for (unsigned i = 0; i < disks->count; i++) {
		any |= disks->waiting[i] != no_seq;
		disks->waiting[i] = no_seq;
	}
	pthread_mutex_unlock(&disks->lock);
	return any;
}
