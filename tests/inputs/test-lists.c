/* SPDX-License-Identifier: MIT */
/*
 * Promise: lists are cut at every delimiter and nowhere else, past interruptions,
 * and are not waited for inside of a call.  Each name is a job once; what is wrong
 * is reported in its turn, and what may pass is tried again as long as there are
 * jobs.  (Lists that come slowly are in tests/cli/streams.bats, operands in
 * tests/cli/differential/input.rows, messages in tests/cli/extensions.bats.)
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/inputs/check_source.h"
#include "src/inputs/names.h"
#include "src/inputs/records.h"
#include "src/output/report.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static char path[] = "list", fifo[] = "fifo";
static int writer; /* has the FIFO open */
static struct job job;

static void
put(int fd, const char *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		exit(99);
}

/* Records ------------------------------------------------------------------ */

static bool
next_is(struct records *records, const char *expected, size_t expected_len)
{
	char *record;
	size_t len;

	return records_next(records, &record, &len) == RECORDS_ONE &&
	       len == expected_len && memcmp(record, expected, len) == 0 &&
	       record[len] == '\0';
}

static enum records_result
answer(struct records *records)
{
	char *record;
	size_t len;

	return records_next(records, &record, &len);
}

/* Interruptions, errors, and what is read. */
static unsigned interrupted, polls_interrupted, reads;
static int read_error;
static bool never_ready;

static ssize_t
fake_read(int fd, void *to, size_t len)
{
	reads++;
	if (interrupted > 0) {
		interrupted--;
		errno = EINTR;
		return -1;
	}
	if (read_error) {
		errno = read_error;
		return -1;
	}
	return fault_real_read(fd, to, len);
}

static int
fake_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	if (polls_interrupted > 0) {
		polls_interrupted--;
		errno = EINTR;
		return -1;
	}
	if (never_ready || n != 1 || fds->events != POLLIN || timeout != 0)
		return 0;
	return fault_real_poll(fds, n, timeout);
}

static void
test_calls(void)
{
	struct records records = { .fd = -1 };

	fault_hooks.read = fake_read;
	fault_hooks.poll = fake_poll;
	scratch_text(path, "a\nb\n");
	interrupted = 3;
	never_ready = true;
	ok(records_open(&records, path, '\n') && next_is(&records, "a", 1) &&
		   interrupted == 0 && next_is(&records, "b", 1),
	   "an interrupted read is repeated, and a file not polled");
	never_ready = false;
	read_error = EIO;
	errno = 0;
	ok(answer(&records) == RECORDS_FAILED && errno == EIO,
	   "a read error is reported");
	read_error = 0;
	ok(answer(&records) == RECORDS_END && answer(&records) == RECORDS_END,
	   "reading is tried again after an error");
	records_close(&records);

	if (!records_open(&records, fifo, '\n'))
		exit(99);
	put(writer, "x\n", 2);
	polls_interrupted = 2;
	ok(next_is(&records, "x", 1) && polls_interrupted == 0,
	   "an interrupted poll is repeated");
	never_ready = true;
	reads = 0;
	ok(answer(&records) == RECORDS_LATER && reads == 0,
	   "nothing is read before it is there");
	records_close(&records);
	fault_clear();
}

/* Records that just fill the buffer, or just do not, and the longest. */
static void
test_sizes(void)
{
	static char text[300000];
	struct records records = { .fd = -1 };
	bool all;

	memset(text, 'x', sizeof(text));
	for (size_t len = 65534; len <= 65537; len++) {
		text[len] = '\n';
		for (int end = 0; end < 2; end++) {
			scratch_file(path, text, len + (size_t)end);
			ok(records_open(&records, path, '\n') &&
				   next_is(&records, text, len) &&
				   answer(&records) == RECORDS_END,
			   "a record of %zu bytes is read %s delimiter", len,
			   end ? "with its" : "without a");
			records_close(&records);
		}
		text[len] = 'x';
	}

	scratch_file(path, text, sizeof(text));
	fault_from(FAULT_realloc, 2, ENOMEM);
	ok(records_open(&records, path, '\n') &&
		   answer(&records) == RECORDS_FAILED,
	   "a record for which there is no memory is an error");
	fault_clear();
	ok(next_is(&records, text, sizeof(text)),
	   "a record is read when there is memory again");
	records_close(&records);

	/* Many records do not end with the buffer. */
	for (size_t at = 999; at < sizeof(text); at += 1000)
		text[at] = '\n';
	scratch_file(path, text, sizeof(text));
	all = records_open(&records, path, '\n');
	for (size_t at = 0; at < sizeof(text); at += 1000)
		all &= next_is(&records, text + at, 999);
	ok(all && answer(&records) == RECORDS_END && records.size == 65536,
	   "short records need no more room");
	records_close(&records);
}

/* Names of --files0-from --------------------------------------------------- */

static enum source_result
next_name(struct names *names, bool is_oldest)
{
	names_release(&job);
	memset(&job, 0xff, sizeof(job));
	job.name = NULL;
	job.held_bytes = 0;
	return names_next(names, &job, is_oldest);
}

static bool
is_input(enum source_result answer, enum job_kind kind, const char *name)
{
	return answer == SOURCE_JOB && job.kind == kind &&
	       note_of(&job)->kind == NOTE_NONE && strcmp(job.name, name) == 0;
}

static bool
is_remark(enum source_result answer, enum note_kind kind)
{
	return answer == SOURCE_JOB && job.kind == JOB_REMARK &&
	       note_of(&job)->kind == kind;
}

static void
test_names(void)
{
	struct names names;

	ok(records_would_wait("-") && records_would_wait("/dev/null") &&
		   !records_would_wait(".") && !records_would_wait("missing"),
	   "only what is no regular file may make us wait");
	scratch_file(path, "a\0-\0\0\0b c", 9);
	names_init(&names, NULL, 0, path);
	ok(is_input(next_name(&names, false), JOB_FILE, "a") &&
		   job.held_bytes == 2,
	   "a list has names, which are copied");
	ok(is_input(next_name(&names, false), JOB_STDIN, "-"),
	   "a name in a list may be standard input");
	ok(is_remark(next_name(&names, false), NOTE_NAMES_EMPTY_NAME) &&
		   note_of(&job)->number == 3,
	   "an empty name is reported");
	ok(is_remark(next_name(&names, false), NOTE_NAMES_EMPTY_NAME) &&
		   note_of(&job)->number == 4,
	   "an empty name is reported with its place");
	fault_from(FAULT_malloc, 1, ENOMEM);
	ok(next_name(&names, false) == SOURCE_LATER &&
		   names_wait_fd(&names) == -1,
	   "a name for which there is no memory is tried again");
	ok(is_remark(next_name(&names, true), NOTE_NAMES_NO_MEMORY),
	   "memory that is short is reported when no job could free some");
	fault_clear();
	ok(next_name(&names, false) == SOURCE_END &&
		   next_name(&names, false) == SOURCE_END,
	   "names end after memory was short");
	names_close(&names);

	names_init(&names, NULL, 0, path);
	for (int i = 0; i < 4; i++)
		next_name(&names, false);
	fault_from(FAULT_malloc, 1, ENOMEM);
	next_name(&names, false);
	fault_clear();
	ok(is_input(next_name(&names, false), JOB_FILE, "b c"),
	   "with memory again the name is given, once");
	ok(next_name(&names, false) == SOURCE_END,
	   "a list ends after its last name");
	names_close(&names);
}

static void
test_failures(void)
{
	struct names names;

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_open, 1, EMFILE);
	ok(next_name(&names, false) == SOURCE_LATER,
	   "a list without a descriptor is tried again");
	ok(is_remark(next_name(&names, true), NOTE_NAMES_UNOPENED) &&
		   note_of(&job)->error == EMFILE,
	   "a list without a descriptor fails when there are no jobs");
	fault_clear();
	ok(next_name(&names, true) == SOURCE_END,
	   "nothing follows a list that failed");
	names_close(&names);

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_open, 1, EACCES);
	ok(is_remark(next_name(&names, false), NOTE_NAMES_UNOPENED) &&
		   note_of(&job)->error == EACCES,
	   "a list that may not be read fails at once");
	fault_clear();
	names_close(&names);

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_read, 1, EIO);
	ok(is_remark(next_name(&names, false), NOTE_NAMES_UNREAD) &&
		   note_of(&job)->error == EIO,
	   "a list with a read error fails");
	fault_clear();
	ok(next_name(&names, false) == SOURCE_END,
	   "nothing follows a list that failed");
	names_close(&names);

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_read, 1, ENOMEM);
	ok(next_name(&names, false) == SOURCE_LATER,
	   "a list for which there is no memory is tried again");
	fault_clear();
	ok(is_input(next_name(&names, false), JOB_FILE, "a"),
	   "a list goes on where it was when there is memory");
	names_close(&names);
}

/* Check lists -------------------------------------------------------------- */

static struct check_source check;

static enum source_result
next_check(bool is_oldest)
{
	names_release(&job);
	job = (struct job){ .kind = JOB_FILE };
	return check.source.next(&check.source, &job, is_oldest);
}

static void
test_no_descriptor(void)
{
	static char name[] = "missing";
	char *operands[] = { name };
	const struct input_options options = { .operands = operands,
					       .noperands = 1 };

	check_source_init(&check, &options);
	fault_from(FAULT_open, 1, EMFILE);
	ok(next_check(false) == SOURCE_LATER && check.source.wait_fd == -1,
	   "a list without a descriptor is tried again");
	ok(next_check(true) == SOURCE_JOB &&
		   note_of(&job)->kind == NOTE_CHECK_UNOPENED &&
		   note_of(&job)->error == EMFILE,
	   "a list without a descriptor is reported when no job could close one");
	fault_clear();
	check_source_close(&check);
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	scratch_fifo(fifo);
	writer = open(fifo, O_RDWR | O_CLOEXEC);
	if (writer < 0)
		return 99;
	report_init("prog");
	test_calls();
	test_sizes();
	test_names();
	test_failures();
	test_no_descriptor();
	names_release(&job);
	close(writer);
	return tap_done();
}
