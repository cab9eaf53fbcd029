/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Devices that stand on devices that stand on devices. */
	MOST_LEVELS = 8,
	WORD_BYTES = 64
};

/* In the place of a disk in sysfs: its transport is a hypervisor's. */
static const char *const virtual_places[] = {
	"/virtual/", "/virtio", "/vbd-", "/VMBUS:", "/vmbus", NULL
};

/* In a disk's vendor or model: it is emulated. */
static const char *const virtual_makes[] = {
	"QEMU", "VBOX", "VMware", "Virtual", "Msft", "Google", NULL
};

/* sysfs ------------------------------------------------------------------- */

static bool
contains_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* The text of an attribute; "" if there is none. */
static void
read_attribute(int disk, const char *name, char text[WORD_BYTES])
{
	int fd = openat(disk, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, WORD_BYTES - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* The target of a symbolic link; "" if there is none. */
static void
read_link(int at, const char *name, char target[PATH_MAX])
{
	ssize_t len = readlinkat(at, name, target, PATH_MAX - 1);

	target[len > 0 ? len : 0] = '\0';
}

/*
 * Rotating disks are SCSI disks to Linux, be they on SATA, SAS or USB.  Those
 * of hypervisors may be as well, and say that they rotate.
 */
static bool
is_rotating_disk(int disk, const char *place)
{
	char text[WORD_BYTES], bus[PATH_MAX];
	const char *name;

	read_attribute(disk, "queue/rotational", text);
	if (text[0] != '1' || contains_any(place, virtual_places))
		return false;
	read_link(disk, "device/subsystem", bus);
	name = strrchr(bus, '/');
	if (strcmp(name ? name + 1 : bus, "scsi") != 0)
		return false;
	read_attribute(disk, "device/vendor", text);
	if (contains_any(text, virtual_makes))
		return false;
	read_attribute(disk, "device/model", text);
	return !contains_any(text, virtual_makes);
}

/*
 * Does what the link `name` leads to rotate?  A device mapper or RAID device
 * does if any of those in its directory slaves does.
 */
static bool
link_rotates(int at, const char *name, unsigned level)
{
	int disk = openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool has_slaves = false, rotates = false;
	char place[PATH_MAX];
	struct dirent *entry;
	DIR *slaves = NULL;
	int fd;

	if (disk < 0)
		return false;
	read_link(at, name, place);
	if (faccessat(disk, "partition", F_OK, 0) == 0) {
		fd = openat(disk, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(disk);
		disk = fd;
	}
	fd = openat(disk, "slaves", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		slaves = fdopendir(fd);
	while (slaves && !rotates && (entry = readdir(slaves)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		has_slaves = true;
		rotates = level < MOST_LEVELS &&
			  link_rotates(fd, entry->d_name, level + 1);
	}
	if (!has_slaves)
		rotates = is_rotating_disk(disk, place);
	if (slaves)
		closedir(slaves);
	else if (fd >= 0)
		close(fd);
	if (disk >= 0)
		close(disk);
	return rotates;
}

bool
disk_rotates(const char *sysfs, dev_t device)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/dev/block/%u:%u", sysfs,
			   major(device), minor(device));

	return len > 0 && (size_t)len < sizeof(path) &&
	       link_rotates(AT_FDCWD, path, 0);
}

/* Claims ------------------------------------------------------------------ */

void
disks_init(struct disks *disks, const char *sysfs)
{
	pthread_mutex_init(&disks->lock, NULL);
	disks->sysfs = sysfs ? sysfs : "/sys";
	disks->count = 0;
}

void
disks_destroy(struct disks *disks)
{
	pthread_mutex_destroy(&disks->lock);
}

/* Looked at when first asked for; NULL if there are too many.  Lock held. */
static struct disk *
find_disk(struct disks *disks, dev_t device)
{
	struct disk *disk = disks->table;

	for (; disk < disks->table + disks->count; disk++)
		if (disk->device == device)
			return disk;
	if (disks->count == DISKS)
		return NULL;
	disks->count++;
	*disk = (struct disk){
		.device = device,
		.rotates = disk_rotates(disks->sysfs, device)
	};
	return disk;
}

enum disk_answer
disk_claim(struct disks *disks, dev_t device)
{
	enum disk_answer answer = DISK_SHARED;

	pthread_mutex_lock(&disks->lock);
	struct disk *disk = find_disk(disks, device);
	if (disk && disk->rotates) {
		answer = disk->taken ? DISK_TAKEN : DISK_YOURS;
		disk->taken = true;
	}
	pthread_mutex_unlock(&disks->lock);
	return answer;
}

void
disk_release(struct disks *disks, dev_t device)
{
	pthread_mutex_lock(&disks->lock);
	struct disk *disk = find_disk(disks, device);
	if (disk)
		disk->taken = false;
	pthread_mutex_unlock(&disks->lock);
}

/* Reading ----------------------------------------------------------------- */

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

ssize_t
disk_read(int fd, void *to, size_t bytes, bool *waited)
{
	uint64_t start = now_ns();
	ssize_t got = read(fd, to, bytes);

	*waited = now_ns() - start > DISK_WAIT_NS;
	return got;
}

ssize_t
disk_read_cached(int fd, void *to, size_t bytes)
{
	struct iovec buffer = { .iov_base = to, .iov_len = bytes };
	ssize_t got = preadv2(fd, &buffer, 1, -1, RWF_NOWAIT);

	/* Not every file system and kernel can tell. */
	if (got < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
		errno = EAGAIN;
	return got;
}
