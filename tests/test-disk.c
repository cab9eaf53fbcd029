/* SPDX-License-Identifier: MIT */
/*
 * Promise: cold files on a disk that truly rotates are read one at a time,
 * and nothing else is.
 *
 * sysfs is a tree that the test makes, and how long a read takes is what the
 * test says, since what is linked in place of disk_read says so.
 */
#include "config.h"

#include "src/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/pipeline.h"
#include "tests/tap.h"

enum { NFILES = 12, FILE_BYTES = 600000, MOST_READS = 4096 };

static char directory[] = "test-disk-XXXXXX";

/* A tree like sysfs --------------------------------------------------------- */

static void
make_directories(const char *path)
{
	char part[256];

	for (const char *end = path; (end = strchr(end + 1, '/')) != NULL;) {
		snprintf(part, sizeof(part), "%.*s", (int)(end - path), path);
		if (mkdir(part, 0700) != 0 && errno != EEXIST)
			exit(99);
	}
}

__attribute__((format(printf, 2, 3)))
static void
write_file(const char *text, const char *format, ...)
{
	char path[256];
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	make_directories(path);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		exit(99);
}

__attribute__((format(printf, 2, 3)))
static void
make_link(const char *target, const char *format, ...)
{
	char path[256];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	make_directories(path);
	if (symlink(target, path) != 0)
		exit(99);
}

/* A block device: its number, its place below devices/, and what it says. */
struct device {
	const char *number, *place, *rotational, *bus, *vendor, *model;
};

#define SATA "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/"
#define USB "platform/usb1/1-1/1-1.2/host4/target4:0:0/4:0:0:0/block/"

static const struct device devices[] = {
	{ "8:0", SATA "sda", "1\n", "scsi", "ATA     ", "WDC WD40EFRX-68W" },
	{ "8:16", SATA "sdb", "0\n", "scsi", "ATA     ", "Samsung SSD 860 " },
	{ "8:32", USB "sdc", "1\n", "scsi", "Seagate ", "Expansion       " },
	{ "8:48", SATA "sdd", "1\n", "scsi", "ATA     ", "QEMU HARDDISK   " },
	{ "8:64", SATA "sde", "1\n", "scsi", "VMware  ", "Virtual disk    " },
	{ "8:80", "LNXSYSTM:00/VMBUS:01/host1/block/sdf", "1\n", "scsi",
	  "Acme    ", "Disk            " },
	{ "8:96", "pci0000:00/0000:00:05.0/virtio2/host2/block/sdg", "1\n",
	  "scsi", "Acme    ", "Disk            " },
	{ "254:0", "pci0000:00/0000:00:02.0/virtio1/block/vda", "1\n",
	  "virtio", NULL, NULL },
	{ "202:0", "vbd-51712/block/xvda", "1\n", "xen", NULL, NULL },
	{ "179:0", "platform/emmc2/mmc0/mmc0:0001/block/mmcblk0", "0\n", "mmc",
	  NULL, NULL },
	{ "7:0", "virtual/block/loop0", "1\n", NULL, NULL, NULL },
	{ "43:0", "virtual/block/nbd0", "1\n", NULL, NULL, NULL },
	{ "253:9", "virtual/block/zram0", "1\n", NULL, NULL, NULL },
	{ "253:0", "virtual/block/dm-0", "1\n", NULL, NULL, NULL },
	{ "253:1", "virtual/block/dm-1", "1\n", NULL, NULL, NULL },
	{ "253:2", "virtual/block/dm-2", "1\n", NULL, NULL, NULL },
	{ "253:3", "virtual/block/dm-3", "1\n", NULL, NULL, NULL },
	{ "9:0", "virtual/block/md0", "1\n", NULL, NULL, NULL },
};

static void
make_device(const char *sysfs, const struct device *device)
{
	char target[256];

	snprintf(target, sizeof(target), "../../devices/%s", device->place);
	make_link(target, "%s/dev/block/%s", sysfs, device->number);
	write_file(device->rotational, "%s/devices/%s/queue/rotational", sysfs,
		   device->place);
	write_file("0\n", "%s/devices/%s/slaves/.none", sysfs, device->place);
	if (device->bus) {
		snprintf(target, sizeof(target), "../../../bus/%s",
			 device->bus);
		make_link(target, "%s/devices/%s/device/subsystem", sysfs,
			  device->place);
	}
	if (device->vendor) {
		write_file(device->vendor, "%s/devices/%s/device/vendor", sysfs,
			   device->place);
		write_file(device->model, "%s/devices/%s/device/model", sysfs,
			   device->place);
	}
}

static void
make_slave(const char *master, const char *place, const char *name)
{
	char target[256];

	snprintf(target, sizeof(target), "../../../../%s", place);
	make_link(target, "sys/devices/virtual/block/%s/slaves/%s", master,
		  name);
}

static void
make_sysfs(void)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		make_device("sys", &devices[i]);
	write_file("1\n", "sys/devices/%ssda/sda1/partition", SATA);
	make_link("../../devices/" SATA "sda/sda1", "sys/dev/block/8:1");
	write_file("1\n", "sys/devices/%ssdb/sdb1/partition", SATA);
	make_link("../../devices/" SATA "sdb/sdb1", "sys/dev/block/8:17");

	make_slave("dm-0", SATA "sda/sda1", "sda1");
	make_slave("dm-1", SATA "sdb", "sdb");
	make_slave("dm-2", "virtual/block/dm-2", "dm-2");
	make_slave("dm-3", "virtual/block/loop0", "loop0");
	make_slave("md0", "virtual/block/dm-1", "dm-1");
	make_slave("md0", "virtual/block/dm-0", "dm-0");
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
		{ 8, 1, true, "so does its partition" },
		{ 8, 32, true, "a USB disk rotates" },
		{ 8, 16, false, "an SSD does not rotate" },
		{ 8, 17, false, "nor does its partition" },
		{ 8, 48, false, "nor QEMU's disk, whatever it says" },
		{ 8, 64, false, "nor VMware's" },
		{ 8, 80, false, "nor Hyper-V's" },
		{ 8, 96, false, "nor a SCSI disk on virtio" },
		{ 254, 0, false, "nor a virtio disk" },
		{ 202, 0, false, "nor Xen's" },
		{ 179, 0, false, "nor a card" },
		{ 7, 0, false, "nor a loop device" },
		{ 43, 0, false, "nor a network block device" },
		{ 253, 9, false, "nor compressed memory" },
		{ 253, 0, true, "a mapped partition of a disk rotates" },
		{ 253, 1, false, "a mapped SSD does not" },
		{ 253, 2, false, "nor what stands on itself" },
		{ 253, 3, false, "nor a mapped loop device" },
		{ 9, 0, true, "a RAID with mapped disks rotates" },
		{ 0, 42, false, "what has no device does not rotate" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(disk_rotates("sys", makedev(cases[i].major,
					       cases[i].minor)) ==
			   cases[i].rotates,
		   "%s", cases[i].what);
	ok(!disk_rotates("nowhere", makedev(8, 0)),
	   "nothing rotates where there is no sysfs");
}

static void
test_claims(void)
{
	struct disks disks;
	dev_t disk = makedev(8, 0), other = makedev(8, 32);

	disks_init(&disks, "sys");
	ok(disk_claim(&disks, disk) == DISK_YOURS, "a disk can be claimed");
	ok(disk_claim(&disks, disk) == DISK_TAKEN, "but only once");
	ok(disk_claim(&disks, other) == DISK_YOURS, "another one can, too");
	ok(disk_claim(&disks, makedev(8, 16)) == DISK_SHARED &&
		   disk_claim(&disks, makedev(8, 16)) == DISK_SHARED,
	   "an SSD is for everybody");
	disk_release(&disks, disk);
	ok(disk_claim(&disks, disk) == DISK_YOURS,
	   "a disk that was released can be claimed again");
	for (unsigned i = 0; i < 2 * DISKS; i++)
		disk_claim(&disks, makedev(77, i));
	ok(disk_claim(&disks, makedev(77, 5)) == DISK_SHARED &&
		   disk_claim(&disks, disk) == DISK_TAKEN,
	   "many devices do no harm");
	disks_destroy(&disks);
}

/* Reads --------------------------------------------------------------------- */

static struct file {
	char name[8];
	ino_t inode;
	uint8_t digest[32];
	bool slow;		/* its first read takes long */
	bool cold;		/* its data are not in the cache */
} files[NFILES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned reads[MOST_READS];	/* the file of each read, in order */
static unsigned nreads, overlaps;
static unsigned in_wait;		/* reads that wait for the disk */

/* The file of a descriptor; NFILES: none of ours. */
static unsigned
file_of(int fd)
{
	struct stat st;
	unsigned i = 0;

	if (fstat(fd, &st) != 0)
		return NFILES;
	while (i < NFILES && files[i].inode != st.st_ino)
		i++;
	return i;
}

static void
note_read(unsigned file)
{
	pthread_mutex_lock(&lock);
	if (nreads < MOST_READS)
		reads[nreads++] = file;
	pthread_mutex_unlock(&lock);
}

ssize_t
__real_disk_read(int fd, void *to, size_t bytes, bool *waited);
ssize_t
__wrap_disk_read(int fd, void *to, size_t bytes, bool *waited);
ssize_t
__real_disk_read_cached(int fd, void *to, size_t bytes);
ssize_t
__wrap_disk_read_cached(int fd, void *to, size_t bytes);
ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);

ssize_t
__wrap_disk_read(int fd, void *to, size_t bytes, bool *waited)
{
	unsigned file = file_of(fd);

	note_read(file);
	*waited = file < NFILES && files[file].slow;
	return __real_read(fd, to, bytes);
}

ssize_t
__wrap_disk_read_cached(int fd, void *to, size_t bytes)
{
	unsigned file = file_of(fd);

	if (file < NFILES && files[file].cold) {
		errno = EAGAIN;
		return -1;
	}
	note_read(file);
	return __real_read(fd, to, bytes);
}

/* What goes on without looking at the clock: it may wait. */
ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	unsigned file = file_of(fd);
	ssize_t got;

	if (file == NFILES || !files[file].cold)
		return __real_read(fd, to, bytes);
	pthread_mutex_lock(&lock);
	overlaps += in_wait++ > 0;
	pthread_mutex_unlock(&lock);
	note_read(file);
	got = __real_read(fd, to, bytes);
	pthread_mutex_lock(&lock);
	in_wait--;
	pthread_mutex_unlock(&lock);
	return got;
}

static void
make_files(void)
{
	static uint8_t content[FILE_BYTES + NFILES];
	uint32_t seed = 1;

	for (unsigned i = 0; i < NFILES; i++) {
		struct file *file = &files[i];
		size_t bytes = FILE_BYTES + i;
		struct stat st;
		int fd;

		for (size_t at = 0; at < bytes; at++) {
			seed = seed * 1664525 + 1013904223;
			content[at] = (uint8_t)(seed >> 24);
		}
		snprintf(file->name, sizeof(file->name), "f%u", i);
		fd = open(file->name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, content, bytes) != (ssize_t)bytes ||
		    fstat(fd, &st) != 0)
			exit(99);
		close(fd);
		file->inode = st.st_ino;
		EVP_Digest(content, bytes, file->digest, NULL, EVP_sha256(),
			   NULL);
	}
}

/* Put the device that our files are on into a tree of its own. */
static void
make_own_device(const char *sysfs, const char *rotational)
{
	struct device device = devices[0];
	char number[32];
	struct stat st;

	if (stat(".", &st) != 0)
		exit(99);
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev),
		 minor(st.st_dev));
	device.number = number;
	device.rotational = rotational;
	make_device(sysfs, &device);
}

struct list {
	struct source source;
	unsigned made, emitted, right;
};

static enum source_answer
list_next(struct source *source, struct job *job, bool alone)
{
	struct list *list = (struct list *)source;

	(void)alone;
	if (list->made == NFILES)
		return SOURCE_END;
	job->kind = JOB_FILE;
	job->name = files[list->made].name;
	job->number[0] = list->made++;
	return SOURCE_JOB;
}

static void
list_emit(struct source *source, struct job *job)
{
	struct list *list = (struct list *)source;

	if (job->number[0] == list->emitted && job->error == 0 &&
	    memcmp(job->digest, files[list->emitted].digest, 32) == 0)
		list->right++;
	list->emitted++;
}

static void
list_flush(struct source *source)
{
	(void)source;
}

/* Hash all files; are all digests right? */
static bool
run(const char *sysfs, unsigned threads, const struct engine *engine)
{
	struct list list = {
		.source = { list_next, list_emit, list_flush, -1 }
	};
	struct pipeline_config config = {
		.engine = engine,
		.words = "",
		.fallback = &engine_reference,
		.threads = threads,
		.sysfs = sysfs
	};
	struct worker_report report;

	nreads = overlaps = in_wait = 0;
	return pipeline_run(&config, &list.source, &report, NULL) &&
	       list.emitted == NFILES && list.right == NFILES;
}

/*
 * How often, of files [from, to), does reading change to another file and
 * come back later?  The first read of each does not count: it shows whether
 * the file is cold.
 */
static unsigned
returns(unsigned from, unsigned to)
{
	bool begun[NFILES] = { false }, left[NFILES] = { false };
	unsigned count = 0, last = NFILES;

	for (unsigned i = 0; i < nreads; i++) {
		unsigned file = reads[i];

		if (file < from || file >= to)
			continue;
		if (!begun[file]) {
			begun[file] = true;
			continue;
		}
		if (file != last && last < NFILES)
			left[last] = true;
		count += left[file];
		last = file;
	}
	return count;
}

static void
set_files(unsigned from, unsigned to, bool slow, bool cold)
{
	for (unsigned i = from; i < to; i++) {
		files[i].slow = slow;
		files[i].cold = cold;
	}
}

static void
test_reading(void)
{
	struct engine single = engine_reference;

	single.per_thread = false;
	set_files(0, NFILES, true, true);
	for (unsigned threads = 1; threads <= 5; threads++) {
		ok(run("rotating", threads, &engine_reference),
		   "threads: %u: digests of cold files are right", threads);
		ok(nreads >= 5 * NFILES && returns(0, NFILES) == 0 &&
			   overlaps == 0,
		   "they are read one at a time");
	}
	ok(run("still", 1, &engine_reference) && returns(0, NFILES) > 0,
	   "on an SSD cold files are read together");
	ok(run("rotating", 1, &single) && returns(0, NFILES) > 0,
	   "and so are they for a device that has to have many");

	set_files(0, NFILES, true, false);
	ok(run("rotating", 1, &engine_reference) && returns(0, NFILES) > 0,
	   "cached files are, even if a read took long");
	set_files(0, NFILES, false, false);
	ok(run("rotating", 1, &engine_reference) && returns(0, NFILES) > 0,
	   "cached files are");

	set_files(0, NFILES / 2, true, true);
	for (unsigned threads = 1; threads <= 3; threads += 2)
		ok(run("rotating", threads, &engine_reference) &&
			   returns(0, NFILES / 2) == 0 && overlaps == 0,
		   "threads: %u: cold files stay one at a time among others",
		   threads);
	ok(run("rotating", 1, &engine_reference) &&
		   returns(NFILES / 2, NFILES) > 0,
	   "and cached ones together");
}

static void
test_one_read(void)
{
	bool waited;
	char byte = 0;
	int ends[2];
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], "yx", 2) != 2)
		exit(99);
	got = __real_disk_read(ends[0], &byte, 1, &waited);
	ok(got == 1 && byte == 'y', "a read that is timed reads");
	got = __real_disk_read_cached(ends[0], &byte, 1);
	ok((got == 1 && byte == 'x') || (got < 0 && errno == EAGAIN),
	   "what is there is read, or else left alone");
	if (got < 0 && read(ends[0], &byte, 1) != 1)
		exit(99);
	got = __real_disk_read_cached(ends[0], &byte, 1);
	ok(got < 0 && errno == EAGAIN, "what is not there is not waited for");
	close(ends[0]);
	close(ends[1]);
}

int
main(void)
{
	char command[64];

	alarm(300);
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 99;
	make_sysfs();
	test_sysfs();
	test_claims();
	make_files();
	make_own_device("rotating", "1\n");
	make_own_device("still", "0\n");
	test_reading();
	test_one_read();
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
