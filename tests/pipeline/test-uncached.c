/* SPDX-License-Identifier: MIT */
/*
 * Promise: an uncached run reads files from their media: what is dirty is
 * written and all pages are dropped before the first read, and none are left.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/pipeline/rig.h"

enum { CACHESTAT = 451, FILES = 256, LOG = 64, MIB = 1 << 20 };

/* What is done with the file of a descriptor: w: written to the medium, D: all
 * pages dropped, d: some dropped, r: read, c: closed. */
static struct {
	char log[LOG];
	uint64_t read, dropped;
} files[FILES];

/* Page counts that the system reports, before and after a drop. */
static struct {
	bool tells;
	uint64_t dirty, being_written, staying;
} pages;

/* The log expected of each input when it is closed.  Other files, whose pages
 * stay, have none. */
static const char *expected;
static unsigned matching, others;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool
is_noted(int fd)
{
	return fd >= 0 && fd < FILES;
}

static void
note(int fd, char what)
{
	char *log;
	size_t n;

	if (!is_noted(fd))
		return;
	log = files[fd].log;
	n = strlen(log);
	if (n + 1 < LOG && !(what == 'r' && n > 0 && log[n - 1] == 'r'))
		log[n] = what;
}

static int
sync_noted(int fd)
{
	pthread_mutex_lock(&lock);
	note(fd, 'w');
	pthread_mutex_unlock(&lock);
	return 0;
}

static int
advise_noted(int fd, off_t at, off_t n, int advice)
{
	pthread_mutex_lock(&lock);
	if (advice == POSIX_FADV_DONTNEED && is_noted(fd)) {
		const uint64_t read = files[fd].read, end = (uint64_t)n;

		note(fd, n == 0 ? 'D' : 'd');
		/* Nothing that is still to be read, and more each time. */
		if (n > 0 && (end > read || end <= files[fd].dropped))
			note(fd, '?');
		files[fd].dropped = end;
	}
	pthread_mutex_unlock(&lock);
	return at == 0 ? 0 : EINVAL;
}

static ssize_t
note_read(int fd, ssize_t got)
{
	pthread_mutex_lock(&lock);
	note(fd, 'r');
	if (got > 0 && is_noted(fd))
		files[fd].read += (uint64_t)got;
	pthread_mutex_unlock(&lock);
	return got;
}

static ssize_t
read_noted(int fd, void *to, size_t n)
{
	return note_read(fd, fault_real_read(fd, to, n));
}

static ssize_t
pread_noted(int fd, void *to, size_t n, off_t at)
{
	return note_read(fd, fault_real_pread(fd, to, n, at));
}

static int
close_noted(int fd)
{
	pthread_mutex_lock(&lock);
	if (is_noted(fd) && files[fd].log[0]) {
		note(fd, 'c');
		matching += strcmp(files[fd].log, expected) == 0;
		others += strcmp(files[fd].log, expected) != 0 &&
			  strpbrk(files[fd].log, "Ddw");
		memset(&files[fd], 0, sizeof(files[fd]));
	}
	pthread_mutex_unlock(&lock);
	return fault_real_close(fd);
}

static long
answer_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	uint64_t *counts = (uint64_t *)c;

	if (number != CACHESTAT)
		return fault_real_syscall(number, a, b, c, d, e, f);
	if (!pages.tells) {
		errno = ENOSYS;
		return -1;
	}
	pthread_mutex_lock(&lock);
	counts[0] = pages.staying;
	counts[1] = strchr(files[a].log, 'w') ? 0 : pages.dirty;
	counts[2] = strchr(files[a].log, 'w') ? 0 : pages.being_written;
	pthread_mutex_unlock(&lock);
	return 0;
}

static void
begin(const char *log)
{
	rig_begin();
	rig.config.uncached = true;
	memset(files, 0, sizeof(files));
	memset(&pages, 0, sizeof(pages));
	pages.tells = true;
	expected = log;
	matching = others = 0;
	fault_hooks.fdatasync = sync_noted;
	fault_hooks.posix_fadvise = advise_noted;
	fault_hooks.read = read_noted;
	fault_hooks.pread = pread_noted;
	fault_hooks.close = close_noted;
	fault_hooks.syscall = answer_syscall;
	fault_from(FAULT_preadv2, 1, ENOSYS);
}

/* Return true if all n inputs came back, with this log. */
static bool
matches(unsigned n)
{
	return rig_run() && matching == n && others == 0;
}

static void
test_ways(void)
{
	static const struct {
		unsigned files, threads;
		size_t bytes;
		enum { CPU, DEVICE, BOTH } way;
		const char *log, *promise;
	} rows[] = {
		{ 1, 1, 1000, CPU, "DrDc",
		  "a small file is dropped before it is read, and after" },
		{ 1, 1, 20 * MIB, CPU, "DrdrdrDc",
		  "of a long file pages are dropped while it is read" },
		{ 1, 2, 20 * MIB, CPU, "DrdrdrDc",
		  "pages of a file that another thread reads are dropped" },
		{ 40, 4, 3000, CPU, "DrDc",
		  "four threads drop the pages of each file that they read" },
		{ 40, 1, 3000, DEVICE, "DrDc",
		  "files of a device are dropped before and after" },
		{ 6, 2, 9 * MIB, BOTH, "DrdrDc",
		  "files that change hands are dropped while they are read" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(rows[i].log);
		rig_files(rows[i].files, rows[i].bytes);
		if (rows[i].way != CPU)
			rig_use_device(6, rows[i].way == BOTH);
		rig.config.threads = rows[i].threads;
		ok(matches(rows[i].files), "%s", rows[i].promise);
	}
}

static void
test_dirty(void)
{
	begin("wDrDc");
	rig_files(3, 3000);
	pages.dirty = 1;
	ok(matches(3), "what is dirty is written before pages are dropped");

	begin("wDrDc");
	rig_files(3, 3000);
	pages.being_written = 1;
	ok(matches(3), "what is being written is waited for");

	begin("wDrDc");
	rig_files(3, 3000);
	pages.tells = false;
	ok(matches(3) && !rig.inputs[0].job.was_cached,
	   "where the system does not tell, it is asked to write");
}

/* Writing it back fails. */
static void
test_unwritten(bool device, int error, bool counts)
{
	struct rig_input *input;

	begin(counts ? "Dc" : "DrDc");
	input = rig_file(3000);
	pages.dirty = 1;
	if (device)
		rig_use_device(6, false);
	if (counts) {
		input->error = error;
		expected = "DDc";
	}
	fault_from(FAULT_fdatasync, 1, error);
	ok(matches(1) && input->job.opened,
	   counts ? "%s: what cannot be written is an error of the file (%s)" :
		    "%s: where nothing can be written a file is read (%s)",
	   device ? "device" : "cpu", strerror(error));
}

static void
test_staying(void)
{
	static const struct {
		bool tells;
		unsigned staying, advice_fails, reported;
		const char *promise;
	} rows[] = {
		{ true, 0, 0, 0, "a file that was dropped is not reported" },
		{ true, 2, 0, 1, "pages that stay are reported" },
		{ false, 0, 1, 1, "a system without the advice is reported" },
		{ true, 0, 1, 0,
		  "a file that was never in memory need not be dropped" },
		{ false, 0, 2, 0,
		  "pages that cannot be dropped afterwards do no harm" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin("");
		rig_file(3000);
		pages.tells = rows[i].tells;
		pages.staying = rows[i].staying;
		if (rows[i].advice_fails > 0)
			fault_from(FAULT_posix_fadvise, rows[i].advice_fails,
				   ENOSYS);
		ok(rig_run() &&
			   rig.inputs[0].job.was_cached == rows[i].reported,
		   "%s", rows[i].promise);
	}
}

static void
test_inputs(void)
{
	begin("rc");
	rig_fifo(3000, NULL);
	rig_name("/dev/null", 0);
	ok(matches(2) && fault_count(FAULT_posix_fadvise) == 0 &&
		   fault_count(FAULT_fdatasync) == 0,
	   "a FIFO and a device without pages are read as without it");

	begin("");
	rig_as_stdin(rig_file(3000));
	ok(rig_run() && strcmp(files[STDIN_FILENO].log, "DrD") == 0,
	   "the pages of a file that is standard input are dropped");

	begin("rc");
	rig_files(3, 3000);
	rig.config.uncached = false;
	ok(matches(3) && fault_count(FAULT_syscall) == 0,
	   "without the option nothing is dropped or asked");
}

int
main(void)
{
	rig_open();
	test_ways();
	test_dirty();
	for (int device = 0; device < 2; device++) {
		test_unwritten(device, EIO, true);
		test_unwritten(device, EROFS, false);
		test_unwritten(device, EINVAL, false);
	}
	test_unwritten(false, ENOSYS, false);
	test_unwritten(false, EOPNOTSUPP, false);
	test_staying();
	test_inputs();
	return tap_done();
}
