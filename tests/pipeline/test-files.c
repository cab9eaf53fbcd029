/* SPDX-License-Identifier: MIT */
/* Promise: files that change, cannot be read, are refused, or lack a
 * descriptor harm only their own digest, by the CPU and by a device. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/pipeline/rig.h"
#include "tests/support/scratch.h"

/* Who hashes; each test runs on all of them, but on a CPU that lies with
 * --verify. */
enum { CPU, DEVICE, SHARED, WAYS, LYING = WAYS };

static const char *const ways[WAYS] = { "CPU", "device",
					"device shared with the CPU" };

static void
use(unsigned way)
{
	if (way == LYING) {
		rig_verify();
		rig.cpu.lies = true;
	} else if (way != CPU) {
		rig_use_device(RIG_LANES, way == SHARED);
	}
}

/* Files that change ----------------------------------------------------------- */

enum { CHANGING = 64 };

/* Each is replaced at once, so that it is either the one or the other. */
static void
change_files(void)
{
	for (unsigned i = 0; i < CHANGING; i++) {
		struct rig_input *input = &rig.inputs[i];
		struct rig_input other = *input;

		if (input->other_error) {
			unlink(input->name);
			continue;
		}
		snprintf(other.name, sizeof(other.name), "g%05u", i);
		if (rename(other.name, input->name) != 0)
			exit(99);
	}
}

static void
add_other(struct rig_input *input)
{
	char name[sizeof(input->name)];

	memcpy(name, input->name, sizeof(name));
	input->name[0] = 'g';
	rig_write_file(input, input->other_bytes);
	memcpy(input->name, name, sizeof(name));
}

static void
test_replaced(unsigned way)
{
	rig_begin();
	for (unsigned i = 0; i < CHANGING; i++) {
		struct rig_input *input =
			rig_file(random_32() % 5000 * (i % 4 == 0 ? 50 : 1));

		input->changes = true;
		input->other_error = i % 5 == 4 ? ENOENT : 0;
		input->other_bytes = i % 3 == 0 ? 0 : random_32() % 100000;
		add_other(input);
	}
	while (rig.n < 2 * CHANGING)
		rig_file(random_32() % 1000);
	use(way);
	rig.on_end = change_files;
	ok(rig_run(),
	   "%s: files that are replaced or vanish are hashed as "
	   "they are when they are opened",
	   ways[way]);
}

static void
cut(void)
{
	for (unsigned i = 0; i < rig.n; i++)
		if (rig.inputs[i].changes)
			rig_write_file(&rig.inputs[i],
				       rig.inputs[i].other_bytes);
}

static void
cut_in_step(uint32_t engine)
{
	bool is_first;

	(void)engine;
	rig_lock();
	is_first = rig.seen.steps == 1;
	rig_unlock();
	if (is_first)
		cut();
}

static void
cut_in_launch(void)
{
	if (rig.seen.launches == 1)
		cut();
}

static void
test_cut(unsigned way, size_t bytes)
{
	struct rig_input *input;

	rig_begin();
	while (rig.n < 4) {
		input = rig_file(1000000);
		input->changes = true;
		input->other_bytes = bytes;
		rig_file(3000);
	}
	use(way);
	rig.cpu.before = cut_in_step;
	rig.device.before = cut_in_launch;
	ok(rig_run(),
	   "%s: files that are cut to %zu bytes are hashed to what "
	   "is their end when it is read",
	   ways[way], bytes);
}

/* Files that are watched -------------------------------------------------------- */

static const char *watched;
static void (*touch)(void);

static void
set_time(time_t seconds, long ns)
{
	const struct timespec time = { .tv_sec = seconds, .tv_nsec = ns };
	const struct timespec times[2] = { time, time };

	if (utimensat(AT_FDCWD, watched, times, 0) != 0)
		exit(99);
}

static struct timespec new_time;

static void
set_new_time(void)
{
	set_time(new_time.tv_sec, new_time.tv_nsec);
}

static void
shorten(void)
{
	if (truncate(watched, 2) != 0)
		exit(99);
	set_time(1000, 5000);
}

static void
change_mode(void)
{
	if (chmod(watched, 0640) != 0)
		exit(99);
}

/* Something happens to the file when its last byte has been read, before the
 * end is known. */
static ssize_t
read_and_touch(int fd, void *to, size_t n)
{
	const ssize_t got = fault_real_read(fd, to, n);

	if (got > 0 && touch && rig_input_of(fd)) {
		touch();
		touch = NULL;
	}
	return got;
}

static ssize_t
pread_and_touch(int fd, void *to, size_t n, off_t at)
{
	const ssize_t got = fault_real_pread(fd, to, n, at);

	if (touch)
		touch();
	touch = NULL;
	return got;
}

static bool
runs_watched(unsigned way, void (*how)(void), enum job_verdict verdict,
	     bool is_watched)
{
	struct rig_input *input;

	rig_begin();
	input = rig_file(1000);
	input->watched = is_watched;
	input->verdict = verdict;
	watched = input->name;
	set_time(1000, 5000);
	use(way);
	touch = how;
	fault_hooks.read = read_and_touch;
	fault_hooks.pread = pread_and_touch;
	return rig_run() && !touch;
}

static void
test_watched(unsigned way)
{
	/* clang-format off */
	static const struct {
		struct timespec time;
		void (*change)(void);
		enum job_verdict verdict;
		const char *what;
	} rows[] = {
		{ { 999, 5000 }, set_new_time, JOB_CHANGED,
		  "its time goes seconds back" },
		{ { 1000, 4000 }, set_new_time, JOB_CHANGED,
		  "its time goes nanoseconds back" },
		{ { 1000, 6000 }, set_new_time, JOB_CHANGED,
		  "its time goes nanoseconds on" },
		{ { 0, 0 }, shorten, JOB_CHANGED,
		  "its size changes, but not its time" },
		{ { 0, 0 }, change_mode, JOB_TRUSTED,
		  "its mode changes, which counts not" },
	};
	/* clang-format on */

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		new_time = rows[i].time;
		ok(runs_watched(way, rows[i].change, rows[i].verdict, true),
		   "%s: a file that is watched: %s", ways[way], rows[i].what);
	}
	new_time = rows[0].time;
	ok(runs_watched(way, set_new_time, JOB_TRUSTED, false),
	   "%s: a file that is not watched may change", ways[way]);
}

static void
test_watched_and_wrong(void)
{
	new_time = (struct timespec){ 999, 5000 };
	ok(runs_watched(LYING, set_new_time, JOB_CHANGED, true),
	   "a file that changes is reported as changed even if the "
	   "engine was wrong");
}

/* Errors ------------------------------------------------------------------------ */

static const struct rig_input *broken;
static unsigned good_reads;
static size_t good_bytes; /* that were read of it */

static bool
is_good(int fd, size_t *n)
{
	if (rig_input_of(fd) != broken)
		return true;
	if (good_reads == 0) {
		errno = EIO;
		return false;
	}
	good_reads--;
	*n = *n > 30000 ? 30000 : *n;
	good_bytes += *n;
	return true;
}

static void
test_broken(unsigned way, size_t bytes, unsigned reads)
{
	struct rig_input *input;

	rig_begin();
	rig_files(20, 3000);
	broken = input = rig_file(bytes);
	input->error = EIO;
	rig_files(20, 3000);
	good_reads = reads;
	good_bytes = 0;
	use(way);
	rig.cpu.lanes = 3;
	rig.device.lanes = 3;
	rig_before_reads(is_good);
	fault_from(FAULT_preadv2, 1, ENOSYS);
	ok(rig_run() && input->job.opened && input->job.size == good_bytes,
	   "%s: a file of %zu bytes that fails after %u reads ends with the "
	   "error, and those after it are right",
	   ways[way], bytes, reads);
}

static unsigned refusals;

static int
refuse_last(const char *path, int flags, mode_t mode)
{
	if (path != rig.inputs[6].name)
		return fault_real_open(path, flags, mode);
	refusals++;
	errno = EACCES;
	return -1;
}

static void
test_unopened(unsigned way)
{
	rig_begin();
	rig_file(10);
	rig_name("missing", ENOENT);
	rig_file(10);
	rig_name(".", EISDIR);
	rig_file(40000);
	rig_name("loop", ELOOP);
	rig_file(10)->error = EACCES;
	use(way);
	refusals = 0;
	fault_hooks.open = refuse_last;
	ok(rig_run() && !rig.inputs[1].job.opened && rig.inputs[3].job.opened &&
		   !rig.inputs[5].job.opened &&
		   refusals <= (rig.config.engine->per_thread ? 1 : 2),
	   "%s: what cannot be opened, and what opens but cannot be read, end "
	   "with their errors, and are not tried again and again",
	   ways[way]);
}

/* Descriptors --------------------------------------------------------------------- */

static void
test_no_descriptor(int error)
{
	rig_begin();
	rig_file(100);
	fault_at(FAULT_open, 1, error);
	ok(rig_run(),
	   "%s: a file for which there is no descriptor is tried "
	   "again",
	   strerror(error));
	rig_again();
	fault_from(FAULT_open, 1, error);
	rig.inputs[0].error = error;
	ok(rig_run() && !rig.inputs[0].job.opened,
	   "%s: a file for which there is no descriptor, when nothing else "
	   "holds one, ends with that error",
	   strerror(error));
	rig_begin();
	rig_files(60, 3000);
	rig.config.threads = 3;
	for (unsigned n = 1; n < 60; n += 7) {
		rig_again();
		fault_at(FAULT_open, n, error);
		if (!rig_run())
			break;
	}
	ok(rig.seen.misused == 0,
	   "%s: any file for which there is no descriptor is tried again",
	   strerror(error));
}

/* With n descriptors more than are in use. */
static void
limit_descriptors(struct rlimit *limit, unsigned n)
{
	const int next = dup(STDIN_FILENO);

	close(next);
	if (getrlimit(RLIMIT_NOFILE, limit) != 0)
		exit(99);
	setrlimit(RLIMIT_NOFILE,
		  &(struct rlimit){ .rlim_cur = (rlim_t)next + n,
				    .rlim_max = limit->rlim_max });
}

static void
test_few_descriptors(unsigned way)
{
	struct rlimit limit;
	unsigned good = 0;

	rig_begin();
	while (rig.n < 100)
		rig_file(rig.n % 7 == 6 ? 0 : 1 + random_32() % 300000);
	for (unsigned more = 3; more <= 11; more += 2) {
		rig_again();
		use(way);
		rig.config.threads = 2;
		limit_descriptors(&limit, more);
		good += rig_run();
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	ok(good == 5, "%s: with few descriptors no file is lost (%u of 5)",
	   ways[way], good);
}

/* Filters and roots --------------------------------------------------------------- */

static void
test_filter(unsigned way)
{
	struct job_filter filter = { .has_output = true };
	struct stat st;

	rig_begin();
	while (rig.n < 20)
		rig_file(1000 * rig.n)->filter = &filter;
	rig_name("/dev/null", 0)->filter = &filter;
	rig_name("fifo", 0)->filter = &filter;
	if (stat(rig.inputs[7].name, &st) != 0)
		exit(99);
	filter.device = st.st_dev;
	filter.inode = st.st_ino;
	rig.inputs[7].verdict = JOB_IS_OUTPUT;
	rig.inputs[20].verdict = rig.inputs[21].verdict = JOB_NOT_REGULAR;
	use(way);
	ok(rig_run() && rig.inputs[7].engines == 0,
	   "%s: a filter refuses what is no regular file, and the output",
	   ways[way]);
	rig_again();
	filter.device++;
	rig.inputs[7].verdict = JOB_TRUSTED;
	ok(rig_run(),
	   "%s: a filter lets a file with the output's number on "
	   "another device pass",
	   ways[way]);
	rig_again();
	filter.device--;
	filter.has_output = false;
	ok(rig_run(),
	   "%s: a filter without an output lets all regular files "
	   "pass",
	   ways[way]);
}

static void
test_root(unsigned way)
{
	struct job_root root = { .prefix_bytes = strlen("root/") };

	rig_begin();
	rig_write_file(rig_name("root/a", 0), 3000);
	rig.inputs[0].bytes = 3000;
	rig_name("root/b", ELOOP);
	root.fd = open("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rig.inputs[0].root = rig.inputs[1].root = &root;
	use(way);
	ok(rig_run(), "%s: below a root no symbolic link is followed",
	   ways[way]);
	close(root.fd);
}

/* More than 4 GiB ------------------------------------------------------------------ */

static const uint64_t huge = (UINT64_C(1) << 32) + 3;

/* Nothing is copied. */
static ssize_t
skip_at(int fd, void *to, size_t n, off_t at)
{
	const uint64_t left = huge - (uint64_t)at;

	(void)fd, (void)to;
	return (ssize_t)(n > left ? left : n);
}

/* The file offset keeps the position. */
static ssize_t
skip(int fd, void *to, size_t n)
{
	const ssize_t got = skip_at(fd, to, n, lseek(fd, 0, SEEK_CUR));

	lseek(fd, (off_t)got, SEEK_CUR);
	return got;
}

static ssize_t
skip_cached(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	(void)n, (void)flags;
	return at < 0 ? skip(fd, to->iov_base, to->iov_len) :
			skip_at(fd, to->iov_base, to->iov_len, at);
}

static void
test_huge(void)
{
	struct rig_input *input;

	if (tap_is_quick()) {
		tap_skip("takes long");
		return;
	}
	if (sizeof(size_t) < sizeof(huge)) {
		tap_skip("the rig counts bytes in 32 bits here");
		return;
	}
	rig_begin();
	input = rig_file(0);
	if (truncate(input->name, (off_t)huge) != 0) {
		tap_skip("no room for a sparse file");
		return;
	}
	input->bytes = (size_t)huge;
	rig.cpu.blind = true;
	fault_hooks.read = skip;
	fault_hooks.pread = skip_at;
	fault_hooks.preadv2 = skip_cached;
	ok(rig_run() && rig.report.blocks == (huge + 9 + 63) / 64,
	   "bytes that do not fit in 32 bits are counted");
	truncate(input->name, 0);
}

int
main(void)
{
	rig_open();
	scratch_link("loop", "loop");
	scratch_link("root/b", "a");
	scratch_fifo("fifo");
	for (unsigned way = 0; way < WAYS; way++) {
		test_replaced(way);
		test_cut(way, 0);
		test_cut(way, 300000);
		test_watched(way);
		test_unopened(way);
		test_few_descriptors(way);
		test_filter(way);
		test_root(way);
		test_broken(way, 100, 0);
		test_broken(way, 200000, 0);
		test_broken(way, 200000, 1);
		test_broken(way, 200000, 4);
	}
	test_watched_and_wrong();
	test_no_descriptor(EMFILE);
	test_no_descriptor(ENFILE);
	test_huge();
	return tap_done();
}
