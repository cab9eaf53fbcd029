/* SPDX-License-Identifier: MIT */
/*
 * Promise: the rotating disks that a file is on are found below partitions,
 * device mapper, RAID and btrfs, and no others; each is claimed by one message
 * at a time, the earliest first.
 *
 * The test makes a /sys of its own, and says what a btrfs is on.
 */
#include "config.h"

#include "src/lanes/disk.h"

#include <errno.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* clang-format off */
/* Devices, and what is true of each that is asked for. */
static const struct {
	struct device device;
	bool rotates;
	const char *what;
} devices[] = {
	{ { "8:0", SATA "sda", "1\n",
	    "scsi", "ATA     ", "WDC WD40EFRX-68W" }, true,
	  "a SATA disk rotates" },
	{ { "8:16", SATA "sdb", "0\n",
	    "scsi", "ATA     ", "Samsung SSD 860 " }, false,
	  "an SSD does not rotate" },
	{ { "8:32", USB "sdc", "1\n",
	    "scsi", "Seagate ", "Expansion       " }, true,
	  "a USB disk rotates" },
	{ { "8:48", SATA "sdd", "1\n",
	    "scsi", "ATA     ", "QEMU HARDDISK   " }, false,
	  "QEMU's disk does not rotate, whatever it says" },
	{ { "8:64", SATA "sde", "1\n",
	    "scsi", "VMware  ", "Disk            " }, false,
	  "VMware's disk does not rotate" },
	{ { "8:80", "LNXSYSTM:00/VMBUS:01/host1/block/sdf", "1\n",
	    "scsi", "Acme    ", "Disk            " }, false,
	  "Hyper-V's disk does not rotate" },
	{ { "8:96", "pci0000:00/0000:00:05.0/virtio2/host2/block/sdg", "1\n",
	    "scsi", "Acme    ", "Disk            " }, false,
	  "a SCSI disk on virtio does not rotate" },
	{ { "254:0", "pci0000:00/0000:00:02.0/virtio1/block/vda",
	    "1\n", "virtio", NULL, NULL }, false,
	  "a virtio disk does not rotate" },
	{ { "202:0", "vbd-51712/block/xvda", "1\n", "xen", NULL, NULL }, false,
	  "Xen's disk does not rotate" },
	{ { "179:0", "platform/emmc2/mmc0/mmc0:0001/block/mmcblk0",
	    "0\n", "mmc", NULL, NULL }, false,
	  "a card does not rotate" },
	{ { "7:0", "virtual/block/loop0", "1\n", NULL, NULL, NULL }, false,
	  "a loop device does not rotate" },
	{ { "43:0", "virtual/block/nbd0", "1\n", NULL, NULL, NULL }, false,
	  "a network block device does not rotate" },
	{ { "253:9", "virtual/block/zram0", "1\n", NULL, NULL, NULL }, false,
	  "compressed memory does not rotate" },
	{ { "8:112", SATA "sdh", "1\n",
	    "scsi", "ATA     ", "ST4000DM004     " }, false,
	  NULL },
	{ { "8:128", USB "word", "1\n", NULL, NULL, NULL }, true,
	  "a disk whose bus is one word rotates" },
	{ { "8:144", USB "nothing", "", "scsi", NULL, NULL }, false,
	  "a disk that does not say that it rotates does not" },
	{ { "8:160", USB "nowhere", "1\n", NULL, NULL, NULL }, false,
	  "a disk without a bus does not rotate" },
	{ { "253:0", "virtual/block/dm-0", "1\n", NULL, NULL, NULL }, true,
	  "a mapped partition of a disk rotates" },
	{ { "253:1", "virtual/block/dm-1", "1\n", NULL, NULL, NULL }, false,
	  "a mapped SSD does not rotate" },
	{ { "253:2", "virtual/block/dm-2", "1\n", NULL, NULL, NULL }, false,
	  "a device that stands on itself does not rotate" },
	{ { "253:3", "virtual/block/dm-3", "1\n", NULL, NULL, NULL }, false,
	  "a mapped loop device does not rotate" },
	{ { "9:0", "virtual/block/md0", "1\n", NULL, NULL, NULL }, true,
	  "a RAID with mapped disks rotates" },
};
/* clang-format on */

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

static dev_t sda, sda1, sda2, ssd, sdc, sdh, raid;

/* A RAID of a mapped SSD and two disks, one of them below a partition. */
static void
make_sysfs(void)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		make_device(".", &devices[i].device);
	make_link("scsi", "./sys/devices/" USB "word/device/subsystem");
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
	sda = makedev(8, 0);
	sda1 = makedev(8, 1);
	sda2 = makedev(8, 2);
	ssd = makedev(8, 16);
	sdc = makedev(8, 32);
	sdh = makedev(8, 112);
	raid = makedev(9, 0);
}

static struct disks disks;

static bool
rotates(unsigned major_number, unsigned minor_number)
{
	return disk_rotates(&disks, makedev(major_number, minor_number), -1);
}

static void
test_sysfs(void)
{
	unsigned a, b;

	disks_init(&disks, ".");
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (devices[i].what &&
		    sscanf(devices[i].device.number, "%u:%u", &a, &b) == 2)
			ok(rotates(a, b) == devices[i].rotates, "%s",
			   devices[i].what);
	ok(rotates(8, 1), "the partition of a SATA disk rotates");
	ok(!rotates(8, 17), "the partition of an SSD does not rotate");
	ok(!rotates(0, 42), "what has no device does not rotate");
	disks_destroy(&disks);
	disks_init(&disks, "nowhere");
	ok(!rotates(8, 0), "nothing rotates where there is no sysfs");
	disks_destroy(&disks);
}

/* Devices one above the other, the lowest a disk. */
static void
test_levels(void)
{
	char name[16], place[128], number[16], below[128] = SATA "sda";

	for (unsigned i = 0; i < 8; i++) {
		snprintf(number, sizeof(number), "252:%u", i);
		snprintf(name, sizeof(name), "up%u", i);
		snprintf(place, sizeof(place), "virtual/block/%s", name);
		make_device(".", &(struct device){ number, place, "1\n", NULL,
						   NULL, NULL });
		make_slave(name, below, "below");
		strcpy(below, place);
	}
	disks_init(&disks, ".");
	ok(rotates(252, 6) && !rotates(252, 7),
	   "a disk is found below seven devices, and not below eight");
	disks_destroy(&disks);
}

/* btrfs ----------------------------------------------------------------------- */

static uint32_t file_system;
static uint8_t first_byte; /* of the name of the btrfs */

static int
say_file_system(int fd, struct statfs *to)
{
	(void)fd;
	to->f_type = (__typeof__(to->f_type))file_system;
	return 0;
}

static int
name_btrfs(int fd, unsigned long request, void *to)
{
	struct btrfs_ioctl_fs_info_args *info = to;

	if (fd != STDIN_FILENO || request != BTRFS_IOC_FS_INFO)
		exit(99);
	for (unsigned i = 0; i < sizeof(info->fsid); i++)
		info->fsid[i] = (uint8_t)(first_byte + 16 * i);
	return 0;
}

static void
test_btrfs(void)
{
#define REST "102030-4050-6070-8090-a0b0c0d0e0f0/devices/"
	static const struct {
		uint32_t file_system;
		uint8_t first_byte;
		int error;
		bool rotates;
		const char *what;
	} rows[] = {
		{ BTRFS_SUPER_MAGIC, 0x00, 0, true,
		  "a btrfs rotates if one of its devices does" },
		{ BTRFS_SUPER_MAGIC, 0x01, 0, false,
		  "a btrfs on an SSD does not rotate" },
		{ BTRFS_SUPER_MAGIC, 0x02, 0, false,
		  "a btrfs that sysfs does not have is unknown" },
		{ BTRFS_SUPER_MAGIC, 0x00, ENOTTY, false,
		  "a btrfs that does not tell its name is unknown" },
		{ NFS_SUPER_MAGIC, 0x00, 0, false, "NFS is unknown" },
	};

	make_link("../../../../class/block/sdb1",
		  "./sys/fs/btrfs/00" REST "sdb1");
	make_link("../../../../class/block/dm-0",
		  "./sys/fs/btrfs/00" REST "dm-0");
	make_link("../../../../class/block/sdb1",
		  "./sys/fs/btrfs/01112131-4151-6171-8191-a1b1c1d1e1f1/"
		  "devices/sdb1");
	fault_hooks.fstatfs = say_file_system;
	fault_hooks.ioctl = name_btrfs;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		file_system = rows[i].file_system;
		first_byte = rows[i].first_byte;
		if (rows[i].error)
			fault_at(FAULT_ioctl, 1, rows[i].error);
		disks_init(&disks, ".");
		ok(disk_rotates(&disks, makedev(0, 99), STDIN_FILENO) ==
			   rows[i].rotates,
		   "%s", rows[i].what);
		disks_destroy(&disks);
	}
	fault_clear();
}

/* Claims ---------------------------------------------------------------------- */

enum answer { SHARED, YOURS, TAKEN };

/* By message `seq`; what it gets is *disk. */
static enum answer
claim(dev_t device, uint64_t seq, struct disk **disk)
{
	struct disk *got;
	const bool good = disk_claim(&disks, device, -1, seq, &got);

	if (got)
		*disk = got;
	return !good ? TAKEN : got ? YOURS : SHARED;
}

static void
test_claims(void)
{
	struct disk *disk, *other, *none = NULL;

	disks_init(&disks, ".");
	ok(claim(sda, 1, &disk) == YOURS, "a disk can be claimed");
	ok(claim(sda, 2, &none) == TAKEN,
	   "a disk that is claimed is refused to others");
	ok(claim(sdc, 3, &other) == YOURS,
	   "another disk can be claimed meanwhile");
	ok(claim(ssd, 4, &none) == SHARED && claim(ssd, 5, &none) == SHARED,
	   "an SSD is for everybody");
	disk_release(&disks, disk);
	ok(claim(sda1, 2, &disk) == YOURS && claim(sda2, 3, &none) == TAKEN,
	   "two partitions of a disk are one disk");
	for (unsigned i = 0; i < 2 * DISK_DEVICES; i++)
		claim(makedev(77, i), 8, &none);
	ok(claim(makedev(77, 5), 8, &none) == SHARED &&
		   claim(sda, 8, &none) == TAKEN,
	   "claims of many devices do no harm");
	disk_release(&disks, other);
	disk_release(&disks, disk);
	disk_forget_waiting(&disks);
	ok(claim(raid, 1, &disk) == YOURS && claim(raid, 2, &none) == TAKEN &&
		   (claim(sda, 3, &none) == TAKEN) +
				   (claim(sdh, 3, &none) == TAKEN) ==
			   1,
	   "a RAID has one of its disks");
	disk_release(&disks, disk);
	disks_destroy(&disks);
}

static void
test_order(void)
{
	struct disk *disk, *none = NULL;

	disks_init(&disks, ".");
	claim(sda, 3, &disk);
	claim(sda, 9, &none);
	claim(sda, 7, &none);
	claim(sda, 8, &none);
	disk_release(&disks, disk);
	ok(claim(sda, 8, &none) == TAKEN && claim(sda, 9, &none) == TAKEN,
	   "a disk that is free waits for the earliest message");
	ok(claim(sda, 7, &disk) == YOURS,
	   "the earliest message gets the disk that waited for it");
	disk_release(&disks, disk);
	ok(claim(sda, 8, &disk) == YOURS,
	   "the next message gets the disk then");
	claim(sda, 10, &none);
	disk_release(&disks, disk);
	ok(claim(sda, 5, &disk) == YOURS,
	   "an earlier one that comes late goes first");
	claim(sda, 6, &none);
	disk_release(&disks, disk);
	ok(disk_forget_waiting(&disks) && !disk_forget_waiting(&disks) &&
		   claim(sda, 11, &disk) == YOURS,
	   "messages that are forgotten hold up nobody");
	ok(!none, "a message that gets no disk holds none");
	disks_destroy(&disks);
}

/* The disks that are remembered, and one more. */
static void
test_many_disks(void)
{
	struct disk *disk, *none;
	unsigned yours = 0;

	disks_init(&disks, "many");
	for (unsigned i = 0; i <= DISKS; i++) {
		char number[16], place[128];

		snprintf(number, sizeof(number), "66:%u", i);
		snprintf(place, sizeof(place), USB "many%u", i);
		make_device("many",
			    &(struct device){ number, place, "1\n", "scsi",
					      "Seagate ", "Expansion" });
		if (i < DISKS)
			yours += claim(makedev(66, i), i, &disk) == YOURS;
	}
	ok(yours == DISKS, "64 disks can be claimed, each by itself");
	ok(claim(makedev(66, DISKS), 1, &none) == SHARED &&
		   claim(makedev(66, DISKS - 1), 1, &none) == TAKEN,
	   "a disk more needs no claim");
	disks_destroy(&disks);
}

/* All that has been looked for above, and more. */
static void
search(void)
{
	static const unsigned majors[] = { 0, 8, 9, 253 };

	disks_init(&disks, ".");
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 200; k++)
			rotates(majors[i], k);
	disks_destroy(&disks);
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	make_sysfs();
	test_sysfs();
	test_levels();
	test_btrfs();
	test_claims();
	test_order();
	test_many_disks();
	balance_test(search, "a search");
	return tap_done();
}
