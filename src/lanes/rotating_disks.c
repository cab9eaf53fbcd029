/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/rotating_disks.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	/* Devices may stand on devices that stand on others, this deep. */
	MOST_LEVELS = 7,
	WORD_BYTES = 64
};

/* A disk whose place in sysfs contains one of these is a hypervisor's. */
static const char *const virtual_places[] = { "/virtual/", "/virtio", "/vbd-",
					      "/VMBUS:",   "/vmbus",  NULL };

/* A disk whose vendor or model contains one of these is emulated. */
static const char *const virtual_makes[] = { "QEMU",	"VBOX", "VMware",
					     "Virtual", "Msft", "Google",
					     NULL };

/* A search for the disks below a file. */
struct search {
	const char *root;
	struct rotating_disks *found;
	unsigned level;
};

__attribute__((format(printf, 2, 3))) static bool
make_path(char path[PATH_MAX], const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(path, PATH_MAX, format, args);
	va_end(args);
	return len >= 0 && len < PATH_MAX;
}

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

static void
add_disk(struct rotating_disks *found, int disk)
{
	struct stat st;

	if (found->n == ROTATING_DISKS || fstat(disk, &st) != 0)
		return;
	for (unsigned i = 0; i < found->n; i++)
		if (found->disks[i] == st.st_ino)
			return;
	found->disks[found->n++] = st.st_ino;
}

/* The directory that the link `name` leads to, of the whole disk if it is of a
 * partition; -1: none. */
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

static bool
add_link(struct search *search, int at, const char *name);

/* Add what the links in a directory lead to.  False: there are none. */
static bool
add_links(struct search *search, int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *links = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool any = false;

	if (!links && fd >= 0)
		close(fd);
	if (!links)
		return false;
	search->level++;
	while ((entry = readdir(links)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		any = true;
		add_link(search, fd, entry->d_name);
	}
	search->level--;
	closedir(links);
	return any;
}

/*
 * Add the rotating disks of the block device that the link leads to: its own
 * disk or, for device mapper and RAID, those in its directory slaves.  False:
 * there is no such device.
 */
static bool
add_link(struct search *search, int at, const char *name)
{
	char place[PATH_MAX];
	int disk;

	if (search->level > MOST_LEVELS)
		return true;
	disk = open_disk(at, name);
	if (disk < 0)
		return false;
	read_link(at, name, place);
	if (!add_links(search, disk, "slaves") && is_rotating_disk(disk, place))
		add_disk(search->found, disk);
	close(disk);
	return true;
}

/* Mounts ------------------------------------------------------------------ */

/*
 * The number of the mount that an open file is on (proc_pid_fdinfo(5)), or -1.
 * st_dev does not lead to a mount: each subvolume of btrfs has a number of its
 * own, which no list of mounts has.
 */
static long
find_number(const char *root, int fd)
{
	char path[PATH_MAX], line[128];
	FILE *info = NULL;
	long number = -1;

	if (make_path(path, "%s/proc/self/fdinfo/%d", root, fd))
		info = fopen(path, "re");
	if (!info)
		return -1;
	while (number < 0 && fgets(line, sizeof(line), info))
		if (sscanf(line, "mnt_id: %ld", &number) != 1)
			number = -1;
	fclose(info);
	return number;
}

static bool
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Blanks, newlines and backslashes are written as \040, \012 and so on. */
static void
unescape(char *string)
{
	char *to = string;

	for (const char *from = string; *from;) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to++ = (char)((from[1] - '0') << 6 |
				       (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* Cut off the next word of a line; "" at its end. */
static char *
take_word(char **rest)
{
	char *word = *rest;
	const size_t len = strcspn(word, " \n");

	*rest = word + len + (word[len] != '\0');
	word[len] = '\0';
	unescape(word);
	return word;
}

/* Add all devices of the btrfs that has this one.  False: none has. */
static bool
add_btrfs(struct search *search, const char *device)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *all;

	if (!make_path(path, "%s/sys/fs/btrfs", search->root))
		return false;
	all = opendir(path);
	if (!all)
		return false;
	while (!found && (entry = readdir(all)) != NULL) {
		if (!make_path(path, "%s/devices/%s", entry->d_name, device) ||
		    faccessat(dirfd(all), path, F_OK, 0) != 0)
			continue;
		*strrchr(path, '/') = '\0';
		found = add_links(search, dirfd(all), path);
	}
	closedir(all);
	return found;
}

/*
 * Add a block device by its name in /dev, which may be a link, as those in
 * /dev/mapper are.  In a container the name may lead nowhere, but sysfs knows
 * its last part.
 */
static void
add_device(struct search *search, const char *name, bool is_btrfs)
{
	char path[PATH_MAX], *real = NULL;
	const char *last;

	if (make_path(path, "%s%s", search->root, name))
		real = realpath(path, NULL);
	last = strrchr(real ? real : name, '/') + 1;
	if (!(is_btrfs && add_btrfs(search, last)) &&
	    make_path(path, "%s/sys/class/block/%s", search->root, last))
		add_link(search, AT_FDCWD, path);
	free(real);
}

/*
 * Add the disks of a mount, if this line is about it (proc_pid_mountinfo(5)):
 * "NUMBER PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS",
 * where no word has a blank.  False: it is about another one.
 */
static bool
add_disks_of_mount(struct search *search, char *line, long number)
{
	char *rest = strstr(line, " - "), *names, *name;
	bool is_btrfs;

	if (!rest || strtol(line, NULL, 10) != number)
		return false;
	rest += 3;
	is_btrfs = strcmp(take_word(&rest), "btrfs") == 0;
	names = take_word(&rest);
	/* Network file systems have sources, too, such as "server:/path" and
	 * "//server/share".  Several names are separated by colons. */
	if (strncmp(names, "/dev/", 5) == 0)
		while ((name = strtok_r(names, ":", &names)) != NULL)
			if (name[0] == '/')
				add_device(search, name, is_btrfs);
	return true;
}

/* Add the disks of the mount that the file is on, as far as it is known. */
static void
add_mount(struct search *search, int fd)
{
	const long number = find_number(search->root, fd);
	char path[PATH_MAX], *line = NULL;
	FILE *mounts = NULL;
	size_t size = 0;

	if (number >= 0 &&
	    make_path(path, "%s/proc/self/mountinfo", search->root))
		mounts = fopen(path, "re");
	if (!mounts)
		return;
	while (getline(&line, &size, mounts) > 0 &&
	       !add_disks_of_mount(search, line, number))
		;
	fclose(mounts);
	free(line);
}

void
rotating_disks_find(const char *root, dev_t device, int fd,
		    struct rotating_disks *found)
{
	struct search search = { .root = root, .found = found };
	char path[PATH_MAX];

	found->n = 0;
	if (make_path(path, "%s/sys/dev/block/%u:%u", root, major(device),
		      minor(device)) &&
	    !add_link(&search, AT_FDCWD, path))
		add_mount(&search, fd);
}
