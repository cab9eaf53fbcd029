/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/disk.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "src/base/descriptor.h"

enum {
	/* Devices may stand on devices that stand on others, this deep. */
	MOST_LEVELS = 7,
	WORD_BYTES = 64
};

/* In `waiting`: no message waits for the disk. */
static const uint64_t nobody = UINT64_MAX;

/* sysfs --------------------------------------------------------------------- */

/* A disk whose place in sysfs contains one of these is a hypervisor's. */
static const char *const virtual_places[] = { "/virtual/", "/virtio", "/vbd-",
					      "/VMBUS:",   "/vmbus",  NULL };

/* A disk whose vendor or model contains one of these is emulated. */
static const char *const virtual_makes[] = { "QEMU",	"VBOX", "VMware",
					     "Virtual", "Msft", "Google",
					     NULL };

static bool
contains_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* Read the text of an attribute, "" if there is none. */
static void
read_attribute(int disk, const char *name, char text[WORD_BYTES])
{
	int fd = openat(disk, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, WORD_BYTES - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Read the target of a symbolic link, "" if there is none. */
static void
read_link(int at, const char *name, char target[PATH_MAX])
{
	ssize_t len = readlinkat(at, name, target, PATH_MAX - 1);

	target[len > 0 ? len : 0] = '\0';
}

/*
 * Return true for a rotating disk.  Linux has these as SCSI disks, whether on
 * SATA, SAS or USB.  Hypervisors' disks may be as well, and claim that they
 * rotate.
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

/* Open the directory of the link `name`, for a partition that of its whole
 * disk.  Return -1 if there is none. */
static int
open_disk(int at, const char *name)
{
	int disk = openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int whole;

	if (disk < 0 || faccessat(disk, "partition", F_OK, 0) != 0)
		return disk;
	whole = openat(disk, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	close(disk);
	return whole;
}

static void
find_below(int at, const char *name, unsigned level, uint64_t *least);

/* Follow the links in a directory.  Return false if there are none. */
static bool
find_among(int at, const char *name, unsigned level, uint64_t *least)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *links = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool any = false;

	if (!links && fd >= 0)
		close(fd);
	while (links && (entry = readdir(links)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		any = true;
		find_below(fd, entry->d_name, level, least);
	}
	if (links)
		closedir(links);
	return any;
}

/*
 * Find the rotating disks of the block device of the link: its own disk or,
 * for device mapper and RAID, the disks in its directory slaves.  Reduce
 * *least to the smallest of their numbers.
 */
static void
find_below(int at, const char *name, unsigned level, uint64_t *least)
{
	char place[PATH_MAX];
	struct stat st;
	int disk;

	disk = level > MOST_LEVELS ? -1 : open_disk(at, name);
	if (disk < 0)
		return;
	read_link(at, name, place);
	if (!find_among(disk, "slaves", level + 1, least) &&
	    is_rotating_disk(disk, place) && fstat(disk, &st) == 0 &&
	    st.st_ino < *least)
		*least = st.st_ino;
	close(disk);
}

/* Get the name of the file's btrfs in /sys/fs/btrfs.  Return false if the file
 * is not on one. */
static bool
name_btrfs(int fd, char name[37])
{
	static const uint32_t btrfs = BTRFS_SUPER_MAGIC;
	struct btrfs_ioctl_fs_info_args info;
	char *to = name;

	if (!descriptor_is_on(fd, &btrfs, 1) ||
	    ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0)
		return false;
	for (unsigned i = 0; i < sizeof(info.fsid); i++)
		to += sprintf(
			to, i >= 4 && i <= 10 && i % 2 == 0 ? "-%02x" : "%02x",
			info.fsid[i]);
	return true;
}

/* Return the number of the rotating disk that represents the disks of a file,
 * or 0 if none rotates. */
static uint64_t
find_rotating(const char *root, dev_t number, int fd)
{
	char path[PATH_MAX], name[37];
	uint64_t least = UINT64_MAX;

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", root,
		 major(number), minor(number));
	find_below(AT_FDCWD, path, 0, &least);
	if (name_btrfs(fd, name)) {
		snprintf(path, sizeof(path), "%s/sys/fs/btrfs/%s/devices", root,
			 name);
		find_among(AT_FDCWD, path, 0, &least);
	}
	return least < UINT64_MAX ? least : 0;
}

/* Looking up ---------------------------------------------------------------- */

/* Return the disk with this number, or NULL if the number is 0 or the table is
 * full. */
static struct disk *
disk_of(struct disks *disks, uint64_t id)
{
	unsigned i = 0;

	while (i < disks->n && disks->disks[i].id != id)
		i++;
	if (id == 0 || i == DISKS)
		return NULL;
	if (i == disks->n)
		disks->disks[disks->n++] =
			(struct disk){ .id = id, .waiting = nobody };
	return &disks->disks[i];
}

/* Return the disk of a file.  It is looked up at the first call, and again
 * after it has been forgotten. */
static struct disk *
find_disk(struct disks *disks, dev_t number, int fd)
{
	unsigned i = 0;

	assert(disks->lock.is_held);
	for (; i < disks->ndevices && i < DISK_DEVICES; i++)
		if (disks->devices[i].number == number)
			return disks->devices[i].disk;
	i = disks->ndevices++ % DISK_DEVICES;
	disks->devices[i].number = number;
	disks->devices[i].disk =
		disk_of(disks, find_rotating(disks->root, number, fd));
	return disks->devices[i].disk;
}

/* Claims -------------------------------------------------------------------- */

void
disks_init(struct disks *disks, const char *root)
{
	lock_init(&disks->lock);
	disks->root = root ? root : "";
	disks->ndevices = disks->n = 0;
}

void
disks_destroy(struct disks *disks)
{
	lock_destroy(&disks->lock);
}

bool
disk_rotates(struct disks *disks, dev_t number, int fd)
{
	bool rotates;

	lock_take(&disks->lock);
	rotates = find_disk(disks, number, fd);
	lock_release(&disks->lock);
	return rotates;
}

bool
disk_claim(struct disks *disks, dev_t number, int fd, uint64_t seq,
	   struct disk **claimed)
{
	struct disk *disk;
	bool is_free;

	lock_take(&disks->lock);
	disk = find_disk(disks, number, fd);
	/* It is kept for an earlier message that waits for it. */
	is_free = !disk || (!disk->taken && seq <= disk->waiting);
	if (disk && is_free) {
		disk->taken = true;
		disk->waiting = nobody;
	} else if (disk && seq < disk->waiting) {
		disk->waiting = seq;
	}
	*claimed = is_free ? disk : NULL;
	lock_release(&disks->lock);
	return is_free;
}

void
disk_release(struct disks *disks, struct disk *disk)
{
	lock_take(&disks->lock);
	assert(disk->taken);
	disk->taken = false;
	lock_release(&disks->lock);
}

bool
disk_forget_waiting(struct disks *disks)
{
	bool any = false;

	lock_take(&disks->lock);
	for (unsigned i = 0; i < disks->n; i++) {
		any |= disks->disks[i].waiting != nobody;
		disks->disks[i].waiting = nobody;
	}
	lock_release(&disks->lock);
	return any;
}
