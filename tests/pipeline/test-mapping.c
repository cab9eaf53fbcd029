/* SPDX-License-Identifier: MIT */
/*
 * Promise: a page of a mapped file that is gone is zeros, and noticed; no other
 * SIGBUS is swallowed.  Which files are mapped: test-storage.c.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/lanes/mapping.h"
#include "src/lanes/run.h"
#include "tests/pipeline/rig.h"

enum { MIB = 1 << 20 };

/* GONE: a byte of the second half; not near an end, since the address of a SIGBUS
 * is a page too high in qemu-user 7.2. */
enum { HALF_BYTES = 2 * MIB, GONE = MIB + MIB / 2 };

static struct mapping mapping;
static struct pipeline_config config;
static struct run the_run = { .config = &config };
static struct input half;

static int
open_half(void)
{
	const int fd = open("half", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, HALF_BYTES) != 0 ||
	    pwrite(fd, "x", 1, INPUT_MIN_ROOM) != 1)
		_exit(99);
	return fd;
}

/* Map a piece of the file after its first read; then its second half is gone.  Return true
 * if it was mapped. */
static bool
map_half(volatile const uint8_t **data)
{
	const int fd = open_half();
	static char name[] = "half";
	static struct job job;
	static uint8_t buffer[INPUT_MIN_ROOM + INPUT_PADDING_BYTES];
	struct input_blocks blocks;
	bool mapped;

	mapping_release(&mapping, 0);
	input_close(&half);
	job = (struct job){ .name = name };
	input_begin(&half, &the_run, &job);
	half.patience = INPUT_FOR_ALL;
	if (input_step(&half, buffer, INPUT_MIN_ROOM, false, &blocks) !=
	    INPUT_BLOCKS)
		_exit(99);
	mapped = mapping_next(&mapping, 0, &half, &blocks);
	if (ftruncate(fd, HALF_BYTES / 2) != 0)
		_exit(99);
	close(fd);
	*data = blocks.data;
	return mapped;
}

static void
touch_window(void)
{
	volatile const uint8_t *data;

	fault_hooks.fstat = rig_fstat_unchanged;
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

/* The cache has the first page, and single bytes. */
static ssize_t
read_first_page(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	struct iovec page = *to;

	if (page.iov_len > 1)
		page.iov_len = INPUT_MIN_ROOM - (size_t)at;
	return rig_read_cached(fd, &page, n, at, flags);
}

/* Standard input begins within a block of its file, and is read to the end of one. */
static void
try_within_a_block(void)
{
	enum { BEGIN = 10 };
	static uint8_t buffer[INPUT_MIN_ROOM + INPUT_PADDING_BYTES];
	static char name[] = "-";
	struct job job = { .kind = JOB_STDIN, .name = name };
	struct input_blocks blocks;
	const int fd = open_half();

	if (dup2(fd, STDIN_FILENO) != STDIN_FILENO ||
	    lseek(fd, BEGIN, SEEK_SET) != BEGIN)
		_exit(99);
	fault_hooks.preadv2 = read_first_page;
	input_begin(&half, &the_run, &job);
	half.is_oldest = true;
	if (input_step(&half, buffer, INPUT_MIN_ROOM, false, &blocks) !=
		    INPUT_BLOCKS ||
	    input_place(&half) != INPUT_MIN_ROOM)
		_exit(99);
	_exit(mapping_next(&mapping, 0, &half, &blocks));
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
	half.fd = -1;
	ok(child(touch_window) == 0, "a page that is gone is zeros, and its "
				     "window is lost until it shows another");
	ok(dies_of_it(touch_other), "a fault elsewhere kills as always");
	ok(dies_of_it(send_it), "a SIGBUS that is sent kills as always");
	ok(child(send_ignored) == 0,
	   "a SIGBUS that is sent is ignored if it was ignored");
	ok(child(try_blocked) == 0, "nothing is shown while SIGBUS is blocked");
	ok(child(try_without_addresses) == 0,
	   "nothing is shown where there are no addresses");
	ok(child(try_within_a_block) == 0,
	   "nothing is shown while a block is incomplete, wherever the file is");
}

int
main(void)
{
	rig_open();
	test_signal();
	return tap_done();
}
