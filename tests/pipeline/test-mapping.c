/* SPDX-License-Identifier: MIT */
/*
 * Promise: big files that are in the page cache are hashed where they lie, while
 * that is cheaper than to read them; a file that shrinks or grows meanwhile has a
 * digest that read(2) could have given, and no other SIGBUS is swallowed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/lanes/mapping.h"
#include "tests/pipeline/rig.h"

enum { MIB = 1 << 20, FILES = 2 };

/* The thread's time that a round takes, in milliseconds, while files are read and
 * while they are mapped. */
static unsigned read_ms, map_ms;

static uint64_t
elsewhere(void)
{
	uint64_t blocks;

	rig_lock();
	blocks = rig.seen.elsewhere_blocks;
	rig_unlock();
	return blocks;
}

static int
tell_time(clockid_t clock, struct timespec *to)
{
	static uint64_t ns, seen;
	uint64_t now;

	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return fault_real_clock_gettime(clock, to);
	now = elsewhere();
	ns += (now == seen ? read_ms : map_ms) * 1000000ULL;
	seen = now;
	to->tv_sec = (time_t)(ns / 1000000000);
	to->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

/* Of the file systems of other tests none is one that is mapped. */
static uint32_t file_system;

static int
say_file_system(int fd, struct statfs *to)
{
	const int failed = fault_real_fstatfs(fd, to);

	if (file_system)
		to->f_type = (__typeof__(to->f_type))file_system;
	return failed;
}

static bool only_reads = true;

static void
begin(unsigned files, size_t bytes)
{
	rig_begin();
	if (only_reads)
		rig_only_read();
	rig.cpu.lanes = FILES;
	rig_files(files, bytes);
	fault_hooks.clock_gettime = tell_time;
	fault_hooks.fstatfs = say_file_system;
	fault_hooks.preadv2 = rig_read_cached;
	read_ms = map_ms = 10;
	file_system = EXT4_SUPER_MAGIC;
}

static bool
is_mapped(void)
{
	return rig_run() && rig.seen.elsewhere_blocks > 0;
}

static bool
is_read(void)
{
	return rig_run() && rig.seen.elsewhere_blocks == 0;
}

static void
test_which(void)
{
	static const struct {
		uint32_t file_system;
		int cache_error;
		bool mapped;
		const char *promise;
	} rows[] = {
		{ EXT4_SUPER_MAGIC, 0, true, "big files of a disk are mapped" },
		{ TMPFS_MAGIC, EOPNOTSUPP, true,
		  "big files of a tmpfs are mapped, where the kernel cannot tell "
		  "what is cached" },
		{ NFS_SUPER_MAGIC, 0, false,
		  "files of a file server are not mapped" },
		{ FUSE_SUPER_MAGIC, 0, false, "files of FUSE are not mapped" },
		{ EXT4_SUPER_MAGIC, EAGAIN, false,
		  "what is not in the cache is not mapped" },
		{ EXT4_SUPER_MAGIC, ENOSYS, false,
		  "no file is mapped where the kernel cannot tell what is cached" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(FILES, 4 * MIB);
		file_system = rows[i].file_system;
		rig.cache_error = rows[i].cache_error;
		ok(rows[i].mapped ? is_mapped() : is_read(), "%s",
		   rows[i].promise);
	}
	begin(1, 12 * MIB);
	rig_as_stdin(&rig.inputs[0]);
	ok(is_mapped(), "a big file that is standard input is mapped");
	begin(20, MIB - 1);
	ok(is_read(), "files of less than a MiB are not mapped");
	begin(FILES, 4 * MIB);
	rig_verify();
	ok(is_read(), "with --verify no file is mapped");
	begin(FILES, 4 * MIB);
	rig.config.uncached = true;
	ok(is_read(), "with --uncached no file is mapped");
	begin(FILES, 4 * MIB);
	for (unsigned i = 0; i < FILES; i++)
		rig.inputs[i].watched = true;
	ok(is_read(), "with --detect-changes no file is mapped");
	only_reads = false;
	begin(FILES, 4 * MIB);
	ok(is_read(),
	   "no file is mapped for an engine that writes after the blocks");
	only_reads = true;
}

/* After this number of mapped rounds the first file becomes `becomes` bytes long. */
static unsigned rounds;
static size_t becomes;

static void
resize(uint32_t engine)
{
	(void)engine;
	if (elsewhere() == 0 || rounds-- > 0)
		return;
	rig.cpu.before = NULL;
	rig_write_file(&rig.inputs[0], becomes);
}

/* The files seem not to have changed. */
static int
say_as_before(int fd, struct stat *to)
{
	const int failed = fault_real_fstat(fd, to);

	to->st_size = 4 * MIB;
	to->st_mtim = (struct timespec){ 1, 0 };
	return failed;
}

static bool
survives_resize(unsigned after_rounds, size_t new_size, bool hidden)
{
	begin(FILES, 4 * MIB);
	if (hidden)
		fault_hooks.fstat = say_as_before;
	rig.inputs[0].changes = true;
	rig.inputs[0].other_bytes = becomes = new_size;
	rounds = after_rounds;
	rig.cpu.before = resize;
	return is_mapped() && !rig.cpu.before;
}

static void
test_changes(void)
{
	static const size_t sizes[] = { 0,	 100,	       MIB,
					2 * MIB, 3 * MIB - 77, 4 * MIB + 4711 };
	enum { SIZES = sizeof(sizes) / sizeof(*sizes), ENDS = 8 };
	const unsigned most_rounds = tap_is_quick() ? 1 : 4;
	unsigned good = 0, last_page = 0, lost = 0;

	for (unsigned i = 0; i < most_rounds; i++) {
		for (unsigned j = 0; j < SIZES; j++)
			good += survives_resize(i, sizes[j], false);
		lost += survives_resize(i, MIB + 100, true);
	}
	/* One of these sizes ends with a whole piece. */
	for (unsigned i = 1; i <= ENDS; i++)
		last_page += survives_resize(
			0, 2 * MIB + i * (MAPPING_PIECE_BYTES / 2) - 100,
			false);
	ok(good == most_rounds * SIZES,
	   "a file that changes has a digest of bytes that were there "
	   "(%u of %u)",
	   good, most_rounds * SIZES);
	ok(last_page == ENDS,
	   "a file of which a part of a page is gone has such a digest (%u)",
	   last_page);
	ok(lost == most_rounds,
	   "a file of which a page cannot be had, although it seems not to have "
	   "changed, has such a digest (%u)",
	   lost);
}

static void
end_mappings(uint32_t engine)
{
	(void)engine;
	if (elsewhere() == 0 || rounds-- > 0)
		return;
	rig.cpu.before = NULL;
	fault_from(FAULT_mmap, 1, ENOMEM);
}

static void
test_shortage(void)
{
	unsigned good = 0;

	for (unsigned i = 0; i < 2; i++) {
		begin(FILES, 4 * MIB);
		rounds = i;
		rig.cpu.before = end_mappings;
		good += is_mapped();
	}
	ok(good == 2, "what cannot be mapped is read (%u of 2)", good);
}

/* A file alone, which may have threads. */
static void
test_alone(void)
{
	begin(1, 16 * MIB);
	rig.config.threads = 2;
	ok(is_mapped() && fault_count(FAULT_pthread_create) == 1,
	   "of a single file a thread touches the pages before they are "
	   "needed");
	begin(1, 16 * MIB);
	rig.config.threads = 2;
	fault_from(FAULT_pthread_create, 1, EAGAIN);
	ok(is_mapped(),
	   "a single file is mapped also where there is no thread to be had");
	begin(1, 16 * MIB);
	rig.config.threads = 2;
	rig.inputs[0].changes = true;
	rig.inputs[0].other_bytes = becomes = 2 * MIB + 5;
	rounds = 8;
	rig.cpu.before = resize;
	ok(is_mapped() && !rig.cpu.before,
	   "a single file that shrinks before the thread touches it is read on");
}

/* What is cheaper ------------------------------------------------------------- */

/* A round that maps hashes twice as many bytes as one that reads. */
static void
test_costs(void)
{
	static const struct {
		unsigned read_ms, map_ms, least, most;
		const char *promise;
	} rows[] = {
		{ 10, 19, 38, 44, "mapping goes on while it is cheaper" },
		{ 10, 21, 4, 8, "mapping that is dearer is given up soon" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned mib;
		bool good;

		begin(FILES, 24 * MIB);
		read_ms = rows[i].read_ms;
		map_ms = rows[i].map_ms;
		good = is_mapped();
		mib = (unsigned)(rig.seen.elsewhere_blocks / (MIB / 64));
		ok(good && rows[i].least <= mib && mib <= rows[i].most,
		   "%s (%u of 48 MiB)", rows[i].promise, mib);
	}
}

/* SIGBUS ---------------------------------------------------------------------- */

/* GONE: a byte of the second half; not near an end, since the address of a SIGBUS
 * is a page too high in qemu-user 7.2. */
enum { HALF_BYTES = 2 * MIB, GONE = MIB + MIB / 2 };

static struct mapping mapping;
static struct reader half;

static int
open_half(void)
{
	const int fd = open("half", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, HALF_BYTES) != 0 ||
	    pwrite(fd, "x", 1, 0) != 1)
		_exit(99);
	return fd;
}

/* Map the first piece of the file; then its second half is gone.  Return true
 * if it was mapped. */
static bool
map_half(volatile const uint8_t **data)
{
	const int fd = open_half();
	static char name[] = "half";
	struct job job = { .name = name };
	static uint8_t buffer[READER_MIN_CAPACITY];
	struct handout handout;
	bool mapped;

	mapping_release(&mapping, 0);
	if (!reader_open(&half, &job, buffer, sizeof(buffer), false))
		_exit(99);
	mapped = mapping_next(&mapping, 0, &half, &handout);
	if (ftruncate(fd, HALF_BYTES / 2) != 0)
		_exit(99);
	close(fd);
	*data = handout.data;
	return mapped;
}

static void
touch_window(void)
{
	volatile const uint8_t *data;

	fault_hooks.fstat = say_as_before;
	if (!map_half(&data) || data[0] != 'x' ||
	    !mapping_was_kept(&mapping, 0, &half))
		_exit(1);
	if (!map_half(&data) || data[GONE] != 0 ||
	    mapping_was_kept(&mapping, 0, &half))
		_exit(2);
	/* Another file in the same place. */
	_exit(map_half(&data) && data[0] == 'x' &&
			      mapping_was_kept(&mapping, 0, &half) ?
		      0 :
		      3);
}

static void
touch_other(void)
{
	volatile const uint8_t *data, *other;
	const int fd = open_half();

	if (!map_half(&data))
		_exit(0);
	other = fault_real_mmap(NULL, HALF_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	_exit(other[GONE]);
}

static void
send_it(void)
{
	volatile const uint8_t *data;

	if (!map_half(&data))
		_exit(99);
	raise(SIGBUS);
	_exit(0);
}

static void
send_ignored(void)
{
	signal(SIGBUS, SIG_IGN);
	send_it();
}

static void
try_blocked(void)
{
	volatile const uint8_t *data;
	sigset_t bus;

	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	sigprocmask(SIG_BLOCK, &bus, NULL);
	_exit(map_half(&data));
}

static void
try_without_addresses(void)
{
	volatile const uint8_t *data;

	fault_from(FAULT_mmap, 1, ENOMEM);
	_exit(map_half(&data));
}

/* The status of a child that does this. */
static int
child(void (*run)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run();
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

/* A sanitizer makes an exit status of the signal. */
static bool
dies_of_it(void (*run)(void))
{
	const int status = child(run);

	return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS :
				     WEXITSTATUS(status) != 0;
}

static void
test_signal(void)
{
	fault_clear();
	fault_hooks.preadv2 = rig_read_cached;
	rig.cache_error = 0;
	mapping_init(&mapping, NULL, 1, 1);
	reader_reset(&half);
	ok(child(touch_window) == 0, "a page that is gone is zeros, and its "
				     "window is lost until it shows another");
	ok(dies_of_it(touch_other), "a fault elsewhere kills as always");
	ok(dies_of_it(send_it), "a SIGBUS that is sent kills as always");
	ok(child(send_ignored) == 0,
	   "a SIGBUS that is sent is ignored if it was ignored");
	ok(child(try_blocked) == 0, "nothing is shown while SIGBUS is blocked");
	ok(child(try_without_addresses) == 0,
	   "nothing is shown where there are no addresses");
}

int
main(void)
{
	rig_open();
	test_which();
	test_changes();
	test_shortage();
	test_alone();
	test_costs();
	test_signal();
	return tap_done();
}
