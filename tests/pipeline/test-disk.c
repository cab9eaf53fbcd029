/* SPDX-License-Identifier: MIT */
/*
 * Promise: files on a rotating disk that are not in the cache are read one at
 * a time, all others together.
 *
 * The test makes a /sys of its own, and a function in place of disk_read, which
 * says how long a read takes.
 */
#include "config.h"

#include "src/lanes/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/pipeline/pipeline.h"
#include "tests/pipeline/chaining.h"
#include "tests/pipeline/fake-sys.h"
#include "tests/pipeline/numbered.h"
#include "tests/support/tap.h"

enum { NFILES = 12, FILE_BYTES = 600000, MOST_READS = 4096 };

static char directory[] = "test-disk-XXXXXX";

/* Two disks, a RAID of both, an SSD. */
static void
make_devices(void)
{
	static const struct device devices[] = {
		{ "8:0", SATA "sda", "1\n", "scsi", "ATA     ",
		  "WDC WD40EFRX-68W" },
		{ "8:16", SATA "sdb", "0\n", "scsi", "ATA     ",
		  "Samsung SSD 860 " },
		{ "8:32", USB "sdc", "1\n", "scsi", "Seagate ",
		  "Expansion       " },
		{ "9:0", "virtual/block/md0", "1\n", NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		make_device("plain", &devices[i]);
	make_link("../../../../" SATA "sda",
		  "plain/sys/devices/virtual/block/md0/slaves/sda");
	make_link("../../../../" USB "sdc",
		  "plain/sys/devices/virtual/block/md0/slaves/sdc");
}

/* Claims -------------------------------------------------------------------- */

struct number {
	unsigned major, minor;
};

static const struct number disk = { 8, 0 }, other = { 8, 32 }, ssd = { 8, 16 },
			   raid = { 9, 0 };

/* By message `seq`; what it gets is added to *held. */
static enum disk_answer
claim(struct disks *disks, struct number device, uint64_t seq, uint64_t *held)
{
	const struct disk_request request = { .fd = -1,
					      .device = makedev(device.major,
								device.minor),
					      .seq = seq };
	uint64_t got;
	enum disk_answer answer = disk_claim(disks, &request, &got);

	*held |= got;
	return answer;
}

static void
test_claims(void)
{
	uint64_t held = 0, others = 0, none = 0;
	struct disks disks;

	disks_init(&disks, "plain");
	ok(!disk_is_known(&disks, makedev(8, 0)),
	   "nothing is known before the first claim");
	ok(claim(&disks, disk, 1, &held) == DISK_YOURS,
	   "a disk can be claimed");
	ok(disk_is_known(&disks, makedev(8, 0)) &&
		   !disk_is_known(&disks, makedev(8, 16)),
	   "then it is known that it rotates");
	ok(claim(&disks, disk, 2, &none) == DISK_TAKEN, "but only once");
	ok(claim(&disks, other, 3, &others) == DISK_YOURS,
	   "another one can, too");
	ok(claim(&disks, ssd, 4, &none) == DISK_SHARED &&
		   claim(&disks, ssd, 5, &none) == DISK_SHARED,
	   "an SSD is for everybody");
	disk_release(&disks, held);
	ok(claim(&disks, disk, 2, &held) == DISK_YOURS,
	   "a disk that was released can be claimed again");
	ok(claim(&disks, raid, 6, &none) == DISK_TAKEN,
	   "a RAID wants all of its disks");
	disk_release(&disks, held);
	ok(claim(&disks, raid, 6, &none) == DISK_TAKEN,
	   "one of them is not enough");
	disk_release(&disks, others);
	ok(claim(&disks, raid, 6, &held) == DISK_YOURS &&
		   claim(&disks, disk, 7, &none) == DISK_TAKEN &&
		   claim(&disks, other, 7, &none) == DISK_TAKEN,
	   "then it has them all");
	for (unsigned i = 0; i < 2 * DISK_DEVICES; i++)
		claim(&disks, (struct number){ 77, i }, 8, &none);
	ok(claim(&disks, (struct number){ 77, 5 }, 8, &none) == DISK_SHARED &&
		   claim(&disks, disk, 8, &none) == DISK_TAKEN,
	   "many devices do no harm");
	ok(none == 0, "whoever gets none holds none");
	disks_destroy(&disks);
}

static void
test_order(void)
{
	uint64_t held = 0, none = 0;
	struct disks disks;

	disks_init(&disks, "plain");
	claim(&disks, disk, 3, &held);
	claim(&disks, disk, 9, &none);
	claim(&disks, disk, 7, &none);
	claim(&disks, disk, 8, &none);
	disk_release(&disks, held);
	ok(claim(&disks, disk, 8, &none) == DISK_TAKEN &&
		   claim(&disks, disk, 9, &none) == DISK_TAKEN,
	   "a disk that is free waits for the earliest message");
	ok(claim(&disks, disk, 7, &held) == DISK_YOURS, "which gets it");
	disk_release(&disks, held);
	ok(claim(&disks, disk, 8, &held) == DISK_YOURS, "then the next one");
	claim(&disks, disk, 10, &none);
	disk_release(&disks, held);
	ok(claim(&disks, disk, 5, &held) == DISK_YOURS,
	   "an earlier one that comes late goes first");
	claim(&disks, disk, 6, &none);
	disk_release(&disks, held);
	ok(disk_forget_waiting(&disks) && !disk_forget_waiting(&disks) &&
		   claim(&disks, disk, 11, &held) == DISK_YOURS,
	   "those that are forgotten hold up nobody");
	disks_destroy(&disks);
}

/* Reads --------------------------------------------------------------------- */

static struct file {
	char name[8];
	ino_t inode;
	uint8_t digest[32];
	bool slow; /* its first read takes long */
	bool cold; /* its data are not in the cache */
} files[NFILES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned reads[MOST_READS]; /* the file of each read, in order */
static unsigned nreads, overlaps;
static unsigned in_wait; /* reads that wait for the disk */
static bool says_end;	 /* of data that are not in the cache */

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
		return says_end ? 0 : -1;
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
make_own_device(const char *root, const char *rotational)
{
	struct device device = { .place = SATA "sda",
				 .bus = "scsi",
				 .vendor = "ATA     ",
				 .model = "WDC WD40EFRX-68W" };
	char number[32];
	struct stat st;

	if (stat(".", &st) != 0)
		exit(99);
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev),
		 minor(st.st_dev));
	device.number = number;
	device.rotational = rotational;
	make_device(root, &device);
}

struct list {
	struct source source;
	unsigned made, emitted, right;
};

static enum source_answer
list_next(struct source *source, struct job *job, bool is_oldest)
{
	struct list *list = (struct list *)source;

	(void)is_oldest;
	if (list->made == NFILES)
		return SOURCE_END;
	job->kind = JOB_FILE;
	job->name = files[list->made].name;
	numbered_write(job, list->made++);
	return SOURCE_JOB;
}

static void
list_emit(struct source *source, struct job *job)
{
	struct list *list = (struct list *)source;

	if (numbered_read(job) == list->emitted && job->error == 0 &&
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
run_with(const struct pipeline_config *config)
{
	struct list list = { .source = { list_next, list_emit, list_flush,
					 -1 } };
	struct worker_report report;

	nreads = overlaps = in_wait = 0;
	return pipeline_run(config, &list.source, &report, NULL) &&
	       list.emitted == NFILES && list.right == NFILES;
}

static bool
run(const char *root, unsigned threads, const struct engine *engine)
{
	const struct pipeline_config config = { .engine = engine,
						.options = "",
						.fallback = &engine_reference,
						.threads = threads,
						.root = root };

	return run_with(&config);
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

/* Is the last read of each file before the last one of the next? */
static bool
ends_in_order(void)
{
	unsigned next = NFILES;

	for (unsigned i = nreads; i-- > 0;)
		if (reads[i] + 1 == next)
			next--;
		else if (reads[i] < next)
			return false;
	return next == 0;
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
	set_files(0, NFILES, true, true);
	for (unsigned threads = 1; threads <= 5; threads++) {
		ok(run("rotating", threads, &engine_reference),
		   "threads: %u: digests of cold files are right", threads);
		ok(nreads >= 5 * NFILES && returns(0, NFILES) == 0 &&
			   overlaps == 0,
		   "they are read one at a time");
		if (threads == 1)
			ok(ends_in_order(), "each to its end before the next");
	}
	ok(run("still", 1, &engine_reference) && returns(0, NFILES) > 0,
	   "on an SSD cold files are read together");
	chaining_init(1, BATCH_LANES);
	ok(run("rotating", 1, &engine_chaining) && returns(0, NFILES) > 0,
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

/* preadv2(2), BUGS: Linux 5.9 and 5.10 may return 0 before the end. */
static void
test_false_end(void)
{
	says_end = true;
	set_files(0, NFILES, true, true);
	for (unsigned threads = 1; threads <= 3; threads += 2)
		ok(run("still", threads, &engine_reference) &&
			   run("rotating", threads, &engine_reference),
		   "threads: %u: a file is read to its end, whatever is said "
		   "of the cache",
		   threads);
	says_end = false;
}

/* A kernel, a file system or a sandbox that cannot tell what is cached; and an
 * error, which read(2) is to tell. */
static int preadv2_error;

ssize_t
__real_preadv64v2(int fd, const struct iovec *iov, int n, off_t offset,
		  int flags);
ssize_t
__wrap_preadv2(int fd, const struct iovec *iov, int n, off_t offset, int flags);
ssize_t
__wrap_preadv64v2(int fd, const struct iovec *iov, int n, off_t offset,
		  int flags) __attribute__((alias("__wrap_preadv2")));

ssize_t
__wrap_preadv2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
	errno = preadv2_error;
	return preadv2_error ? -1 :
			       __real_preadv64v2(fd, iov, n, offset, flags);
}

static void
test_unable(void)
{
	static const int errors[] = { ENOSYS, EOPNOTSUPP, EPERM, EIO };
	char byte;

	for (unsigned i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		preadv2_error = errors[i];
		ok(__real_disk_read_cached(STDIN_FILENO, &byte, 1) < 0 &&
			   errno == EAGAIN,
		   "where reading may wait it is left alone (%s)",
		   strerror(errors[i]));
	}
	preadv2_error = 0;
}

static void
test_one_at_a_time(void)
{
	const struct pipeline_config config = { .engine = &engine_reference,
						.options = "",
						.fallback = &engine_reference,
						.threads = 1,
						.one_at_a_time = true,
						.root = "still" };
	bool in_order = true;

	set_files(0, NFILES, true, true);
	ok(run_with(&config), "one at a time: digests are right");
	for (unsigned i = 1; i < nreads; i++)
		in_order &= reads[i - 1] <= reads[i];
	ok(in_order && nreads >= 5 * NFILES,
	   "no file is read before the end of the one before it");
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
	make_devices();
	test_claims();
	test_order();
	make_files();
	make_own_device("rotating", "1\n");
	make_own_device("still", "0\n");
	test_reading();
	test_false_end();
	test_one_at_a_time();
	test_one_read();
	test_unable();
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
