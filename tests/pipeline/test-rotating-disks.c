/* SPDX-License-Identifier: MIT */
/*
 * Promise: the rotating disks that a file is on are found below partitions,
 * device mapper, RAID and btrfs, and no others.
 *
 * The test makes /sys, /proc and /dev of its own.  A mount is a line in
 * mountinfo, and a descriptor with its number need not be open.
 */
#include "config.h"

#include "src/lanes/rotating_disks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static const struct device devices[] = {
	{ "8:0", SATA "sda", "1\n", "scsi", "ATA     ", "WDC WD40EFRX-68W" },
	{ "8:16", SATA "sdb", "0\n", "scsi", "ATA     ", "Samsung SSD 860 " },
	{ "8:32", USB "sdc", "1\n", "scsi", "Seagate ", "Expansion       " },
	{ "8:48", SATA "sdd", "1\n", "scsi", "ATA     ", "QEMU HARDDISK   " },
	{ "8:64", SATA "sde", "1\n", "scsi", "VMware  ", "Disk            " },
	{ "8:80", "LNXSYSTM:00/VMBUS:01/host1/block/sdf", "1\n", "scsi",
	  "Acme    ", "Disk            " },
	{ "8:96", "pci0000:00/0000:00:05.0/virtio2/host2/block/sdg", "1\n",
	  "scsi", "Acme    ", "Disk            " },
	{ "254:0", "pci0000:00/0000:00:02.0/virtio1/block/vda", "1\n", "virtio",
	  NULL, NULL },
	{ "202:0", "vbd-51712/block/xvda", "1\n", "xen", NULL, NULL },
	{ "179:0", "platform/emmc2/mmc0/mmc0:0001/block/mmcblk0", "0\n", "mmc",
	  NULL, NULL },
	{ "7:0", "virtual/block/loop0", "1\n", NULL, NULL, NULL },
	{ "43:0", "virtual/block/nbd0", "1\n", NULL, NULL, NULL },
	{ "253:9", "virtual/block/zram0", "1\n", NULL, NULL, NULL },
	{ "8:112", SATA "sdh", "1\n", "scsi", "ATA     ", "ST4000DM004     " },
	{ "253:0", "virtual/block/dm-0", "1\n", NULL, NULL, NULL },
	{ "253:1", "virtual/block/dm-1", "1\n", NULL, NULL, NULL },
	{ "253:2", "virtual/block/dm-2", "1\n", NULL, NULL, NULL },
	{ "253:3", "virtual/block/dm-3", "1\n", NULL, NULL, NULL },
	{ "9:0", "virtual/block/md0", "1\n", NULL, NULL, NULL },
};

static void
make_slave(const char *master, const char *place, const char *name)
{
	char target[256];

	snprintf(target, sizeof(target), "../../../../%s", place);
	make_link(target, "./sys/devices/virtual/block/%s/slaves/%s", master,
		  name);
}

static void
make_partition(const char *number, const char *disk, const char *name)
{
	char target[256];

	snprintf(target, sizeof(target), "../../devices/" SATA "%s/%s", disk,
		 name);
	write_file("1\n", "./sys/devices/" SATA "%s/%s/partition", disk, name);
	make_link(target, "./sys/dev/block/%s", number);
	make_link(target, "./sys/class/block/%s", name);
}

static void
make_sysfs(void)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		make_device(".", &devices[i]);
	make_partition("8:1", "sda", "sda1");
	make_partition("8:2", "sda", "sda2");
	make_partition("8:17", "sdb", "sdb1");
	make_slave("dm-0", SATA "sda/sda1", "sda1");
	make_slave("dm-1", SATA "sdb", "sdb");
	make_slave("dm-2", "virtual/block/dm-2", "dm-2");
	make_slave("dm-3", "virtual/block/loop0", "loop0");
	make_slave("md0", "virtual/block/dm-1", "dm-1");
	make_slave("md0", "virtual/block/dm-0", "dm-0");
	make_slave("md0", SATA "sdh", "sdh");
}

/* Mounts -------------------------------------------------------------------- */

/* Descriptors 1021 to 1040, of files on the mounts 21 to 40. */
static void
make_descriptors(const char *where)
{
	for (int number = 21; number <= 40; number++) {
		char text[64];

		snprintf(text, sizeof(text),
			 "pos:\t0\nflags:\t0100000\nmnt_id:\t%d\n", number);
		write_file(text, "%s/proc/self/fdinfo/%d", where,
			   number + 1000);
	}
}

static void
make_mounts(void)
{
	/* A btrfs on two disks, the mount of which names one; one on an SSD. */
	write_file("", "./dev/dm-0");
	make_link("../dm-0", "./dev/mapper/vg-pictures");
	make_link("../../../../class/block/dm-0",
		  "./sys/fs/btrfs/1111-aaaa/devices/dm-0");
	make_link("../../../../class/block/sdh",
		  "./sys/fs/btrfs/1111-aaaa/devices/sdh");
	make_link("../../../../class/block/sdb1",
		  "./sys/fs/btrfs/2222-bbbb/devices/sdb1");
	write_file("", "./sys/fs/btrfs/features/raid56");

	write_file("21 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
		   "22 21 0:24 /@ /home rw shared:2 master:3 - btrfs "
		   "/dev/mapper/vg-pictures rw,subvolid=256,subvol=/@\n"
		   "23 21 0:25 / /ssd rw - btrfs /dev/sdb1 rw\n"
		   "26 21 0:28 / /n rw - nfs4 server:/dev/sda rw,vers=4.2\n"
		   "27 21 0:29 / /c rw - cifs //server/share rw\n"
		   "28 21 0:30 / /s rw - fuse.sshfs user@host:/dev rw\n"
		   "29 21 0:31 / /z rw - zfs pool/data rw\n"
		   "24 21 0:26 / /o rw - overlay overlay rw,lowerdir=/\n"
		   "30 21 0:32 / /t rw - tmpfs tmpfs rw\n"
		   "31 21 0:33 / /b rw - bcachefs /dev/sdb1:/dev/sdh rw\n"
		   "32 21 0:34 / /gone rw - btrfs /dev/mapper/gone rw\n"
		   "33 21 0:35 / /f rw - fuse /dev/fuse rw\n"
		   "no mount\n"
		   "34 21 0:36 / /cut rw -",
		   "./proc/self/mountinfo");
	make_descriptors(".");
	write_file("pos:\t0\n", "./proc/self/fdinfo/999");
}

static const char *root = ".";

/* The identity of a disk. */
static uint64_t
disk_named(const char *place)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/sys/devices/%s", root, place);
	if (stat(path, &st) != 0)
		exit(99);
	return st.st_ino;
}

/* Is the file on the rotating disks of these names, and on no others? */
static bool
is_on(dev_t device, int fd, const char *first, const char *second)
{
	struct rotating_disks found;
	unsigned n = 0, right = 0;
	const char *const names[] = { first, second };

	rotating_disks_find(root, device, fd, &found);
	for (unsigned i = 0; i < 2; i++) {
		if (!names[i])
			continue;
		n++;
		for (unsigned k = 0; k < found.n; k++)
			right += found.disks[k] == disk_named(names[i]);
	}
	return found.n == n && right == n;
}

static void
test_sysfs(void)
{
	static const struct {
		unsigned major, minor;
		bool rotates;
		const char *what;
	} cases[] = {
		{ 8, 0, true, "a SATA disk rotates" },
		{ 8, 1, true, "the partition of a SATA disk rotates" },
		{ 8, 32, true, "a USB disk rotates" },
		{ 8, 16, false, "an SSD does not rotate" },
		{ 8, 17, false, "the partition of an SSD does not rotate" },
		{ 8, 48, false,
		  "QEMU's disk does not rotate, whatever it says" },
		{ 8, 64, false, "VMware's disk does not rotate" },
		{ 8, 80, false, "Hyper-V's disk does not rotate" },
		{ 8, 96, false, "a SCSI disk on virtio does not rotate" },
		{ 254, 0, false, "a virtio disk does not rotate" },
		{ 202, 0, false, "Xen's disk does not rotate" },
		{ 179, 0, false, "a card does not rotate" },
		{ 7, 0, false, "a loop device does not rotate" },
		{ 43, 0, false, "a network block device does not rotate" },
		{ 253, 9, false, "compressed memory does not rotate" },
		{ 253, 0, true, "a mapped partition of a disk rotates" },
		{ 253, 1, false, "a mapped SSD does not rotate" },
		{ 253, 2, false,
		  "a device that stands on itself does not rotate" },
		{ 253, 3, false, "a mapped loop device does not rotate" },
		{ 9, 0, true, "a RAID with mapped disks rotates" },
		{ 0, 42, false, "what has no device does not rotate" },
	};
	struct rotating_disks found;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		rotating_disks_find(".",
				    makedev(cases[i].major, cases[i].minor), -1,
				    &found);
		ok((found.n > 0) == cases[i].rotates, "%s", cases[i].what);
	}
	rotating_disks_find("nowhere", makedev(8, 0), -1, &found);
	ok(found.n == 0, "nothing rotates where there is no sysfs");
}

static void
test_identity(void)
{
	ok(is_on(makedev(8, 0), -1, SATA "sda", NULL), "a disk is itself");
	ok(is_on(makedev(8, 1), -1, SATA "sda", NULL) &&
		   is_on(makedev(8, 2), -1, SATA "sda", NULL),
	   "two partitions of a disk are one disk");
	ok(is_on(makedev(253, 0), -1, SATA "sda", NULL),
	   "what is mapped to a partition is on its disk");
	ok(is_on(makedev(9, 0), -1, SATA "sda", SATA "sdh"),
	   "a RAID is on all of its disks that rotate");
}

static void
test_mounts(void)
{
	static const struct {
		int number;
		const char *first, *second, *what;
	} cases[] = {
		{ 22, SATA "sda", SATA "sdh",
		  "a subvolume of btrfs is on all disks of its file system" },
		{ 23, NULL, NULL,
		  "a btrfs on an SSD is on no disk that rotates" },
		{ 24, NULL, NULL, "an overlay is unknown" },
		{ 26, NULL, NULL, "NFS is unknown" },
		{ 27, NULL, NULL, "CIFS is unknown" },
		{ 28, NULL, NULL, "sshfs is unknown" },
		{ 29, NULL, NULL, "ZFS is unknown" },
		{ 30, NULL, NULL, "a tmpfs does not rotate" },
		{ 31, SATA "sdh", NULL,
		  "each of several devices of a mount counts" },
		{ 32, NULL, NULL, "a device that is not there is unknown" },
		{ 33, NULL, NULL, "FUSE is unknown" },
		{ 34, NULL, NULL, "a line that is cut tells nothing" },
		{ 35, NULL, NULL,
		  "a mount that is not in the list is unknown" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(is_on(makedev(0, 99), cases[i].number + 1000, cases[i].first,
			 cases[i].second),
		   "%s", cases[i].what);
	ok(is_on(makedev(0, 99), 999, NULL, NULL) &&
		   is_on(makedev(0, 99), 5, NULL, NULL),
	   "an old kernel does not tell the mount");
}

/* How many does the device have? */
static unsigned
count(unsigned major_number, unsigned minor_number)
{
	struct rotating_disks found;

	rotating_disks_find(".", makedev(major_number, minor_number), -1,
			    &found);
	return found.n;
}

/* Devices one above the other, the lowest a disk; and a RAID of 33. */
static void
test_limits(void)
{
	static const char text[] = "1\n";
	struct rotating_disks found;
	char name[16], place[128];

	for (unsigned i = 0; i < 8; i++) {
		char number[16];
		const struct device device = { number, place, text,
					       NULL,   NULL,  NULL };

		snprintf(number, sizeof(number), "252:%u", i);
		snprintf(place, sizeof(place), "virtual/block/up%u", i);
		make_device(".", &device);
		snprintf(name, sizeof(name), "up%u", i);
		if (i == 0)
			strcpy(place, SATA "sda");
		else
			snprintf(place, sizeof(place), "virtual/block/up%u",
				 i - 1);
		make_slave(name, place, "below");
	}
	ok(count(252, 6) == 1 && count(252, 7) == 0,
	   "a disk is found below seven devices, and not below eight");

	make_device(".", &(struct device){ "9:9", "virtual/block/md9", text,
					   NULL, NULL, NULL });
	for (unsigned i = 0; i < 33; i++) {
		const struct device device = { "8:200", place,	    text,
					       "scsi",	"Seagate ", "X" };

		snprintf(place, sizeof(place), USB "many%u", i);
		unlink("sys/dev/block/8:200");
		make_device(".", &device);
		snprintf(name, sizeof(name), "many%u", i);
		make_slave("md9", place, name);
		if (i == 31)
			ok(count(9, 9) == 32, "32 disks of a RAID are found");
	}
	rotating_disks_find(".", makedev(9, 9), -1, &found);
	ok(found.n == 32, "of the disks of a RAID 32 are found at most");
	make_device(".", &(struct device){ "253:20", "virtual/block/dm-20",
					   text, NULL, NULL, NULL });
	make_slave("dm-20", SATA "sda/sda1", "sda1");
	make_slave("dm-20", SATA "sda/sda2", "sda2");
	ok(count(253, 20) == 1, "a disk counts once");
}

/* A disk that says little: its bus is a word, or nothing. */
static void
test_little(void)
{
	make_device(".", &(struct device){ "8:201", USB "word", "1\n", NULL,
					   NULL, NULL });
	make_device(".", &(struct device){ "8:202", USB "nothing", "", NULL,
					   NULL, NULL });
	ok(count(8, 201) == 0, "a disk without a bus is unknown");
	make_link("scsi", "./sys/devices/" USB "word/device/subsystem");
	ok(count(8, 201) == 1, "a disk that names its bus is known");
	make_link("scsi", "./sys/devices/" USB "nothing/device/subsystem");
	ok(count(8, 202) == 0,
	   "a disk that does not say that it rotates is unknown");
}

static void
test_long_root(void)
{
	static char name[PATH_MAX];
	struct rotating_disks found = { .n = 3 };

	memset(name, '/', sizeof(name) - 1);
	rotating_disks_find(name, makedev(8, 0), -1, &found);
	ok(found.n == 0, "below a name that is too long there is nothing");
}

/* The device of descriptor 7, below "words": a name for the disk sda, or none. */
static void
test_words(void)
{
#define NUMBER "mnt_id:\t22\n"
#define MOUNT "22 1 0:1 / /a rw shared:1 - "
	static const struct {
		const char *descriptor, *mounts, *device, *what;
	} rows[] = {
		{ "pos:\t0\n" NUMBER "ino:\t5\n",
		  "2 1 0:1 / /a rw - ext4 a a\n220 1 0:1 / /b rw - ext4 b b\n"
		  "22 1 0:1 / /c rw - ext4 /dev/c rw\n" MOUNT "ext4 b b\n",
		  "c", "the first of that number" },
		{ "mnt_id:\t0\n", "0 1 0:1 / /a rw - ext4 /dev/zero rw\n",
		  "zero", "the number 0" },
		{ "mnt_id:\t-1\n", "-1 1 0:1 / /a rw - ext4 /dev/sda rw\n",
		  NULL, "a number below 0" },
		{ "pos:\t0\n", MOUNT "ext4 /dev/sda rw\n", NULL, "no number" },
		{ NUMBER, "23 1 0:1 / /a rw - ext4 /dev/sda rw\n", NULL,
		  "a number that is not listed" },
		{ NUMBER, MOUNT "ext4 /dev/cut", "cut", "a line that is cut" },
		{ NUMBER, MOUNT "ext4  /dev/sda\n", NULL, "an empty word" },
		{ NUMBER, MOUNT "btrfs /dev/alone rw\n", "alone",
		  "a btrfs of which sysfs says nothing" },
		{ NUMBER, MOUNT "\n", NULL, "no words" },
		{ NUMBER, "22 1 0:1 / /a rw -a b c\n" MOUNT "ext4 /dev/dash\n",
		  "dash", "a line without a dash" },
		{ NUMBER, MOUNT "ext4 /dev/b\\040\\011\\012\\134x\\0401 rw\n",
		  "b \t\n\\x 1", "characters that are escaped" },
		{ NUMBER, MOUNT "ext4 /dev/\\101\\007\\177 rw\n", "A\007\177",
		  "any byte that is escaped" },
		{ NUMBER, MOUNT "ext4 /dev/\\048\\084\\800\\04 rw\n",
		  "\\048\\084\\800\\04", "digits that are not octal" },
	};

	make_own_device("words", "1\n");
	root = "words";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_file(rows[i].descriptor, "words/proc/self/fdinfo/7");
		write_file(rows[i].mounts, "words/proc/self/mountinfo");
		if (rows[i].device)
			make_link("../../devices/" SATA "sda",
				  "words/sys/class/block/%s", rows[i].device);
		ok(is_on(makedev(0, 99), 7, rows[i].device ? SATA "sda" : NULL,
			 NULL),
		   "a list of mounts: %s", rows[i].what);
	}
	ok(is_on(makedev(0, 99), 8, NULL, NULL),
	   "the mount of a file that is not open is unknown");
	unlink("words/proc/self/mountinfo");
	ok(is_on(makedev(0, 99), 7, NULL, NULL),
	   "without a list all mounts are unknown");
	root = ".";
}

/* All that has been looked for above, and more. */
static void
search(void)
{
	static const char *const roots[] = { ".", "nowhere" };
	static const dev_t majors[] = { 0, 8, 9, 253 };
	struct rotating_disks found;

	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 4; k++)
			for (int fd = 1020; fd <= 1040; fd++)
				rotating_disks_find(roots[i],
						    makedev(majors[k], 0), fd,
						    &found);
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	make_sysfs();
	make_mounts();
	test_sysfs();
	test_identity();
	test_mounts();
	test_words();
	test_limits();
	test_little();
	test_long_root();
	balance_test(search, "a search");
	return tap_done();
}
