/* SPDX-License-Identifier: MIT */
/*
 * Promise: what may make us wait (a FIFO, standard input, a device file) is
 * read in its turn only, keeps nothing else from being hashed, and is read as by
 * one reader after the other.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/pipeline/rig.h"

enum { STREAM_BYTES = 100000, FILE_BYTES = 20000 };

/* Beside files -------------------------------------------------------------- */

static uint64_t file_blocks;

static void
add_files(unsigned n)
{
	while (n-- > 0) {
		const size_t bytes = 1 + random_32() % FILE_BYTES;

		rig_file(bytes);
		file_blocks += bytes / 64 + 1 + (bytes % 64 >= 56);
	}
}

static bool
files_are_hashed(void)
{
	return rig.seen.device_blocks + rig.seen.cpu_blocks >= file_blocks;
}

/* The streams write only when all files after them have been hashed. */
static void
test_beside_files(bool device, bool shared, unsigned threads)
{
	rig_begin();
	file_blocks = 0;
	add_files(30);
	rig_fifo(STREAM_BYTES, files_are_hashed);
	add_files(50);
	rig_stdin(STREAM_BYTES, files_are_hashed);
	rig_name("/dev/null", 0);
	add_files(50);
	if (device)
		rig_use_device(2 * RIG_LANES, shared);
	rig.config.threads = threads;
	ok(rig_run(),
	   "%s, %u threads: files after a FIFO and standard input are hashed "
	   "while these are waited for",
	   !device ? "CPU" :
	   shared  ? "device and CPU" :
		     "device",
	   threads);
}

/* A FIFO whose turn has not come --------------------------------------------- */

static bool is_waiting; /* a thread, for an input */

static void
note_waiting(void)
{
	rig_lock();
	is_waiting = true;
	rig_unlock();
}

static int
note_poll(struct pollfd *fds, nfds_t n, int ms)
{
	if (ms < 0)
		note_waiting();
	return fault_real_poll(fds, n, ms);
}

static ssize_t
note_read(int fd, void *to, size_t n)
{
	if (fd == STDIN_FILENO)
		note_waiting();
	return fault_real_read(fd, to, n);
}

static bool
first_is_done(void)
{
	return rig.seen.emitted >= 1;
}

static bool
is_waited_for(void)
{
	return is_waiting;
}

static void
test_one_fifo(void)
{
	rig_begin();
	rig_name("/dev/null", 0);
	rig_stdin(10, is_waited_for);
	rig_fifo(10, NULL);
	rig_files(21, 100);
	/* Only an emission makes the source go on: meanwhile the worker waits
	 * with the FIFO open. */
	rig.inputs[4].later_has_no_fd = true;
	rig.inputs[4].later = first_is_done;
	is_waiting = false;
	fault_hooks.poll = note_poll;
	fault_hooks.read = note_read;
	ok(rig_run(), "standard input, a FIFO and files: all right");
}

/* Names that come again ------------------------------------------------------- */

static bool
second_is_done(void)
{
	return rig.seen.emitted >= 2;
}

static unsigned opens; /* of a FIFO by its name */

static int
count_opens(const char *path, int flags, mode_t mode)
{
	rig_lock();
	opens += strcmp(path, rig.inputs[0].name) == 0;
	rig_unlock();
	return fault_real_open(path, flags, mode);
}

/* A writer that opened it while somebody only looks at it would lose all.  A
 * second worker may come when no other name of it is left. */
static void
test_fifo_again(unsigned threads, bool device)
{
	const struct rig_input *fifo;

	rig_begin();
	fifo = rig_fifo(STREAM_BYTES, NULL);
	rig_fifo_again(fifo, 300, first_is_done);
	rig_fifo_again(fifo, STREAM_BYTES / 2, second_is_done);
	rig_files(60, 1000);
	if (device)
		rig_use_device(RIG_LANES, true);
	rig.config.threads = threads;
	opens = 0;
	fault_hooks.open = count_opens;
	ok(rig_run() && (threads > 1 || opens == 3),
	   "a FIFO that is named three times is read three times, and opened "
	   "only in its turn, %u threads%s",
	   threads, device ? " beside a device" : "");
}

/* Its second writer comes when all files after it have been hashed. */
static void
test_fifo_again_later(void)
{
	const struct rig_input *fifo;

	rig_begin();
	fifo = rig_fifo(10, NULL);
	rig_fifo_again(fifo, 300, files_are_hashed);
	file_blocks = 1; /* the FIFO's block */
	add_files(60);
	ok(rig_run(), "files after a FIFO that is opened again are hashed "
		      "while its writer is waited for");
}

/* When the FIFO is done, remove its name or give it to a file. */
static void
replace(struct rig_input *emitted)
{
	if (emitted != &rig.inputs[0])
		return;
	unlink(emitted->name);
	if (!rig.inputs[1].error)
		rig_write_file(&rig.inputs[1], rig.inputs[1].bytes);
}

/* Its second name is closed until its turn has come. */
static void
test_renamed(int error, const char *promise)
{
	struct rig_input *again;

	rig_begin();
	rig_fifo(10, is_waited_for);
	again = rig_name(rig.inputs[0].name, error);
	again->bytes = error ? 0 : 300;
	is_waiting = false;
	fault_hooks.poll = note_poll;
	rig.on_emit = replace;
	ok(rig_run() && again->job.opened == !error, "%s", promise);
}

/* More FIFOs than are remembered. */
static void
test_many_fifos(void)
{
	rig_begin();
	rig.config.threads = 100;
	for (unsigned i = 0; i < 70; i++)
		rig_fifo(i * 3, NULL);
	rig_files(2000, 10);
	ok(rig_run(), "more FIFOs than are remembered are each read once");
}

/* A file that another process has a lease on cannot be opened at once. */
static int
open_later(const char *path, int flags, mode_t mode)
{
	if (strcmp(path, rig.inputs[1].name) == 0 && (flags & O_NONBLOCK)) {
		errno = EWOULDBLOCK;
		return -1;
	}
	return fault_real_open(path, flags, mode);
}

static void
test_lease(void)
{
	rig_begin();
	rig_stdin(STREAM_BYTES, NULL);
	rig_file(5000);
	rig_files(20, 1000);
	fault_hooks.open = open_later;
	ok(rig_run(), "a file with a lease is opened in its turn");
	rig_again();
	fault_hooks.open = open_later;
	rig_use_device(RIG_LANES, false);
	ok(rig_run() && rig.inputs[1].device_blocks == 0,
	   "a file with a lease is no device's");
}

/* Interrupted calls ------------------------------------------------------------- */

static _Atomic unsigned interruptions;

static int
interrupt_poll(struct pollfd *fds, nfds_t n, int ms)
{
	if (interruptions++ % 3 == 0) {
		errno = EINTR;
		return -1;
	}
	return fault_real_poll(fds, n, ms);
}

static ssize_t
interrupt_read(int fd, void *to, size_t n)
{
	if (interruptions++ % 3 == 1) {
		errno = EINTR;
		return -1;
	}
	return fault_real_read(fd, to, n);
}

static void
test_signals(void)
{
	rig_begin();
	add_files(20);
	rig_fifo(STREAM_BYTES, first_is_done);
	rig_stdin(STREAM_BYTES, first_is_done);
	rig_files(5, 300000);
	rig_file(10)->later = second_is_done;
	interruptions = 0;
	fault_hooks.poll = interrupt_poll;
	fault_hooks.read = interrupt_read;
	ok(rig_run() && interruptions > 10,
	   "a signal that interrupts a call loses nothing");
}

int
main(void)
{
	rig_open();
	test_beside_files(false, false, 1);
	test_beside_files(false, false, 3);
	test_beside_files(true, false, 1);
	test_beside_files(true, true, 1);
	test_beside_files(true, true, 3);
	test_one_fifo();
	test_fifo_again(1, false);
	test_fifo_again(4, false);
	test_fifo_again(2, true);
	test_fifo_again_later();
	test_renamed(0, "what has the name of a FIFO when its turn comes is "
			"read");
	test_renamed(ENOENT, "what is gone when its turn comes is missing");
	test_many_fifos();
	test_lease();
	test_signals();
	return tap_done();
}
