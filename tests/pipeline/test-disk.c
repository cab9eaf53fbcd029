/* SPDX-License-Identifier: MIT */
/*
 * Promise: files on a rotating disk that are not in the cache are read one at
 * a time, all others together.
 *
 * The test makes a /sys of its own, and says how long a read takes and what is
 * cached.
 */
#include "config.h"

#include "src/lanes/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/pipeline/rig.h"

enum { NFILES = 12, FILE_BYTES = 1100000, MOST_READS = 4096 };

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

enum answer { SHARED, YOURS, TAKEN };

/* By message `seq`; what it gets is added to *held. */
static enum answer
claim(struct disks *disks, struct number device, uint64_t seq, uint64_t *held)
{
	const struct disk_request request = { .fd = -1,
					      .device = makedev(device.major,
								device.minor),
					      .seq = seq };
	uint64_t got;
	const bool good = disk_claim(disks, &request, &got);

	*held |= got;
	return !good ? TAKEN : got ? YOURS : SHARED;
}

static void
test_claims(void)
{
	uint64_t held = 0, others = 0, none = 0;
	struct disks disks;

	disks_init(&disks, "plain");
	ok(!disk_is_known(&disks, makedev(8, 0)),
	   "no disk is known before the first claim");
	ok(claim(&disks, disk, 1, &held) == YOURS, "a disk can be claimed");
	ok(disk_is_known(&disks, makedev(8, 0)) &&
		   !disk_is_known(&disks, makedev(8, 16)),
	   "after a claim it is known that the disk rotates");
	ok(claim(&disks, disk, 2, &none) == TAKEN,
	   "a disk that is claimed is refused to others");
	ok(claim(&disks, other, 3, &others) == YOURS,
	   "another disk can be claimed meanwhile");
	ok(claim(&disks, ssd, 4, &none) == SHARED &&
		   claim(&disks, ssd, 5, &none) == SHARED,
	   "an SSD is for everybody");
	disk_release(&disks, held);
	ok(claim(&disks, disk, 2, &held) == YOURS,
	   "a disk that was released can be claimed again");
	ok(claim(&disks, raid, 6, &none) == TAKEN,
	   "a RAID wants all of its disks");
	disk_release(&disks, held);
	ok(claim(&disks, raid, 6, &none) == TAKEN,
	   "one of its disks is not enough for a RAID");
	disk_release(&disks, others);
	ok(claim(&disks, raid, 6, &held) == YOURS &&
		   claim(&disks, disk, 7, &none) == TAKEN &&
		   claim(&disks, other, 7, &none) == TAKEN,
	   "a RAID that has all of its disks has them alone");
	for (unsigned i = 0; i < 2 * DISK_DEVICES; i++)
		claim(&disks, (struct number){ 77, i }, 8, &none);
	ok(claim(&disks, (struct number){ 77, 5 }, 8, &none) == SHARED &&
		   claim(&disks, disk, 8, &none) == TAKEN,
	   "claims of many devices do no harm");
	ok(none == 0, "a message that gets no disk holds none");
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
	ok(claim(&disks, disk, 8, &none) == TAKEN &&
		   claim(&disks, disk, 9, &none) == TAKEN,
	   "a disk that is free waits for the earliest message");
	ok(claim(&disks, disk, 7, &held) == YOURS,
	   "the earliest message gets the disk that waited for it");
	disk_release(&disks, held);
	ok(claim(&disks, disk, 8, &held) == YOURS,
	   "the next message gets the disk then");
	claim(&disks, disk, 10, &none);
	disk_release(&disks, held);
	ok(claim(&disks, disk, 5, &held) == YOURS,
	   "an earlier one that comes late goes first");
	claim(&disks, disk, 6, &none);
	disk_release(&disks, held);
	ok(disk_forget_waiting(&disks) && !disk_forget_waiting(&disks) &&
		   claim(&disks, disk, 11, &held) == YOURS,
	   "messages that are forgotten hold up nobody");
	disks_destroy(&disks);
}

/* The 64 disks that have a bit each, and one more. */
static void
test_many_disks(void)
{
	uint64_t held = 0, none = 0;
	unsigned yours = 0;
	struct disks disks;

	disks_init(&disks, "many");
	for (unsigned i = 0; i <= DISKS; i++) {
		char number[16], place[128];

		snprintf(number, sizeof(number), "66:%u", i);
		snprintf(place, sizeof(place), USB "many%u", i);
		make_device("many",
			    &(struct device){ number, place, "1\n", "scsi",
					      "Seagate ", "Expansion" });
		if (i < DISKS)
			yours += claim(&disks, (struct number){ 66, i }, i,
				       &held) == YOURS;
	}
	ok(yours == DISKS && held == UINT64_MAX,
	   "64 disks can be claimed, each by itself");
	ok(claim(&disks, (struct number){ 66, DISKS }, 1, &none) == SHARED &&
		   claim(&disks, (struct number){ 66, DISKS - 1 }, 1, &none) ==
			   TAKEN,
	   "a disk more needs no claim");
	disks_destroy(&disks);
}

/* Reads --------------------------------------------------------------------- */

/* A read of a file may take long, and none of it be cached. */
static struct {
	ino_t inode;
	bool slow, cold;
} files[NFILES];

/* Which file each read was of; how many reads that may wait for the disk went
 * on beside another one. */
static unsigned reads[MOST_READS], nreads, in_wait, overlaps;
static unsigned ahead;	/* reads by another thread than the test's */
static off_t cold_from; /* where files that are cold begin to be so */
static bool says_end;
static pthread_t test_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
	ahead += !pthread_equal(pthread_self(), test_thread);
	pthread_mutex_unlock(&lock);
}

/* The first read of a file only finds out that it takes long. */
static ssize_t
read_slowly(int fd, void *to, size_t n)
{
	const unsigned file = file_of(fd);
	const bool waits = file < NFILES && files[file].cold &&
			   lseek(fd, 0, SEEK_CUR) > 0;
	ssize_t got;

	if (file == NFILES)
		return fault_real_read(fd, to, n);
	pthread_mutex_lock(&lock);
	overlaps += waits && in_wait > 0;
	in_wait += waits;
	pthread_mutex_unlock(&lock);
	note_read(file);
	got = fault_real_read(fd, to, n);
	if (files[file].slow)
		fault_clock_advance(FAULT_SECOND / 100);
	pthread_mutex_lock(&lock);
	in_wait -= waits;
	pthread_mutex_unlock(&lock);
	return got;
}

static ssize_t
pread_slowly(int fd, void *to, size_t n, off_t at)
{
	if (file_of(fd) < NFILES)
		note_read(file_of(fd));
	return fault_real_pread(fd, to, n, at);
}

/* An error of the cache. */
static int cache_error = EAGAIN;

static ssize_t
read_cached(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	const unsigned file = file_of(fd);

	(void)flags;
	if (n != 1 || at != -1)
		rig_misuse("what is cached is read elsewhere");
	if (file < NFILES && files[file].cold &&
	    lseek(fd, 0, SEEK_CUR) >= cold_from) {
		errno = cache_error;
		return says_end ? 0 : -1;
	}
	note_read(file);
	return fault_real_read(fd, to->iov_base, to->iov_len);
}

/* How often was a file among [from, to) gone on with after another one? */
static unsigned
returns(unsigned from, unsigned to)
{
	bool begun[NFILES] = { false }, left[NFILES] = { false };
	unsigned count = 0, last = NFILES;

	for (unsigned i = 0; i < nreads; i++) {
		const unsigned file = reads[i];

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
make_files(void)
{
	struct stat st;

	rig_begin();
	rig.cpu.lanes = 4;
	for (unsigned i = 0; i < NFILES; i++) {
		if (stat(rig_file(FILE_BYTES + i)->name, &st) != 0)
			exit(99);
		files[i].inode = st.st_ino;
	}
}

static void
set_files(unsigned from, unsigned to, bool slow, bool cold)
{
	for (unsigned i = from; i < to; i++) {
		files[i].slow = slow;
		files[i].cold = cold;
	}
}

static bool
run(const char *root, unsigned threads)
{
	rig_again();
	fault_hooks.read = read_slowly;
	fault_hooks.pread = pread_slowly;
	fault_hooks.preadv2 = read_cached;
	rig.config.root = root;
	rig.config.threads = threads;
	nreads = overlaps = ahead = 0;
	test_thread = pthread_self();
	return rig_run();
}

static void
test_cold(void)
{
	bool good;

	set_files(0, NFILES, true, true);
	for (unsigned threads = 1; threads <= 5; threads++) {
		good = run("rotating", threads);
		ok(good && rig.seen.cpus == threads && nreads >= 5 * NFILES &&
			   returns(0, NFILES) == 0 && overlaps == 0,
		   "%u threads: cold files of a disk that rotates are read one "
		   "at a time",
		   threads);
		if (threads == 1)
			ok(ends_in_order(), "cold files are read each to its "
					    "end before the next");
	}
	good = run("still", 1);
	ok(good && returns(0, NFILES) > 0,
	   "on an SSD cold files are read together");
	rig_use_device(1, BATCH_LANES, false);
	good = run("rotating", 1);
	ok(good && returns(0, NFILES) > 0,
	   "for a device, which has to have many, cold files are read together");
	rig.config.engine = rig.cpu_engine;
}

static void
test_warm(void)
{
	bool good;

	set_files(0, NFILES, true, false);
	good = run("rotating", 1);
	ok(good && returns(0, NFILES) > 0,
	   "cached files are read together, even if a read took long");
	set_files(0, NFILES, false, false);
	good = run("rotating", 1);
	ok(good && returns(0, NFILES) > 0, "cached files are read together");
	/* The worker that has file 4 has file 5, too, and another is idle. */
	set_files(5, NFILES, true, true);
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		good = run("rotating", threads);
		ok(good && returns(5, NFILES) == 0 && overlaps == 0,
		   "%u threads: cold files are read one at a time among others",
		   threads);
	}
	good = run("rotating", 1);
	ok(good && returns(0, 5) > 0,
	   "cached files are read together among cold ones");
}

/* preadv2(2), BUGS: Linux 5.9 and 5.10 may return 0 before the end. */
static void
test_false_end(void)
{
	says_end = true;
	set_files(0, NFILES, true, true);
	for (unsigned threads = 1; threads <= 3; threads += 2)
		ok(run("still", threads) && run("rotating", threads),
		   "%u threads: a file is read to its end, whatever is said of "
		   "the cache",
		   threads);
	says_end = false;
}

/* A kernel, a file system or a sandbox that cannot tell what is cached; and an
 * error, which read(2) is to tell. */
static void
test_unable(void)
{
	static const int errors[] = { ENOSYS, EOPNOTSUPP, EPERM, EIO };
	unsigned good = 0;

	for (unsigned i = 0; i < 4; i++) {
		cache_error = errors[i];
		good += run("rotating", 2) && overlaps == 0;
	}
	cache_error = EAGAIN;
	ok(good == 4,
	   "where it cannot be told what is cached, files are read "
	   "one at a time (%u of 4)",
	   good);
}

static void
test_one_at_a_time(void)
{
	bool in_order = true, good;

	set_files(0, NFILES, true, true);
	rig.config.one_at_a_time = true;
	good = run("still", 1);
	for (unsigned i = 1; i < nreads; i++)
		in_order &= reads[i - 1] <= reads[i];
	ok(good && in_order && nreads >= 5 * NFILES,
	   "with one file at a time no file is read before the end of the one "
	   "before it");
	rig.config.one_at_a_time = false;
}

/* The thread that reads ahead waits for the disk. */
static void
test_ahead(void)
{
	struct stat st;
	bool good;

	rig_begin();
	if (stat(rig_file(9 << 20)->name, &st) != 0)
		exit(99);
	files[0].inode = st.st_ino;
	set_files(0, 1, true, true);
	cold_from = 8 << 20;
	good = run("rotating", 2);
	ok(good && ahead > 0,
	   "a file that is cold only at its end is read ahead to its end");
	cold_from = 0;
}

int
main(void)
{
	rig_open();
	make_devices();
	test_claims();
	test_order();
	test_many_disks();
	make_files();
	make_own_device("rotating", "1\n");
	make_own_device("still", "0\n");
	test_cold();
	test_warm();
	test_false_end();
	test_unable();
	test_one_at_a_time();
	test_ahead();
	return tap_done();
}
