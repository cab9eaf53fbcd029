/* SPDX-License-Identifier: MIT */
/*
 * Promise: files on a rotating disk that are not in the cache are read one at
 * a time, all others together.
 *
 * The test makes a /sys of its own, and says how long a read takes and what is
 * cached.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/pipeline/rig.h"

enum { NFILES = 12, FILE_BYTES = 1100000, MOST_READS = 4096 };

/* A read of a file may take long, and none of it be cached. */
static struct {
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
	const struct rig_input *input = rig_input_of(fd);

	return input ? (unsigned)(input - rig.inputs) : NFILES;
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

/* Count the reads of files in [from, to) that follow a read of another file
 * after the file was left. */
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

/* Return true if the last read of each file comes before the last read of the
 * next. */
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
	rig_begin();
	rig.cpu.lanes = 4;
	for (unsigned i = 0; i < NFILES; i++)
		rig_file(FILE_BYTES + i);
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
	set_files(0, NFILES, true, true);
	for (unsigned threads = 1; threads <= 5; threads++) {
		ok(run("rotating", threads) && rig.seen.cpus == threads &&
			   nreads >= 5 * NFILES && returns(0, NFILES) == 0 &&
			   overlaps == 0,
		   "%u threads: cold files of a disk that rotates are read one "
		   "at a time",
		   threads);
		if (threads == 1)
			ok(ends_in_order(), "cold files are read each to its "
					    "end before the next");
	}
	ok(run("still", 1) && returns(0, NFILES) > 0,
	   "on an SSD cold files are read together");
	rig_use_device(RIG_LANES, false);
	ok(run("rotating", 1) && returns(0, NFILES) > 0,
	   "for a device, which has to have many, cold files are read together");
	rig.config.engine = rig.cpu_engine;
}

static void
test_warm(void)
{
	set_files(0, NFILES, true, false);
	ok(run("rotating", 1) && returns(0, NFILES) > 0,
	   "cached files are read together, even if a read took long");
	set_files(0, NFILES, false, false);
	ok(run("rotating", 1) && returns(0, NFILES) > 0,
	   "cached files are read together");
	/* One worker has files 4 and 5, and another is idle. */
	set_files(5, NFILES, true, true);
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		ok(run("rotating", threads) && returns(5, NFILES) == 0 &&
			   overlaps == 0,
		   "%u threads: cold files are read one at a time among others",
		   threads);
	}
	ok(run("rotating", 1) && returns(0, 5) > 0,
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

/* Test a system that cannot say what is cached, and an error that only read(2)
 * should report. */
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
	rig_begin();
	rig_file(9 << 20);
	set_files(0, 1, true, true);
	cold_from = 8 << 20;
	ok(run("rotating", 2) && ahead > 0,
	   "a file that is cold only at its end is read ahead to its end");
	cold_from = 0;
}

int
main(void)
{
	rig_open();
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
