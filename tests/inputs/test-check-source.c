/* SPDX-License-Identifier: MIT */
/*
 * Promise: a check list that is not there yet is waited for by name of its
 * descriptor, never inside of a call, and one that cannot be opened for want of
 * descriptors is tried again as long as jobs hold some.  --ignore-missing
 * ignores files that cannot be opened because they are not there, and no
 * others.
 */
#include "config.h"

#include "src/inputs/check_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/output/report.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

#define LINE                                                                   \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  f\n"

static char fifo[] = "fifo";
static struct check_source check;
static struct job job;

static enum source_answer
next(bool is_oldest)
{
	names_release(&job);
	job = (struct job){ .kind = JOB_FILE };
	return check.source.next(&check.source, &job, is_oldest);
}

static void
put(int fd, const char *bytes, size_t len)
{
	if (write(fd, bytes, len) != (ssize_t)len)
		exit(99);
}

/* `writer` has the FIFO open. */
static void
test_list(int writer)
{
	char *operands[] = { fifo };
	const struct input_options options = { .operands = operands,
					       .noperands = 1 };

	check_source_init(&check, &options);
	ok(next(false) == SOURCE_LATER && check.source.wait_fd == -1,
	   "a FIFO is not opened while earlier jobs are in flight");
	fault_from(FAULT_open, 1, EMFILE);
	ok(next(false) == SOURCE_LATER,
	   "a FIFO is not opened without a descriptor");
	fault_clear();
	ok(next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_BEGIN,
	   "a FIFO is opened when it is the oldest");
	ok(next(false) == SOURCE_LATER &&
		   check.source.wait_fd == check.records.fd &&
		   check.records.fd >= 0,
	   "the next line of a FIFO is waited for");
	put(writer, LINE, strlen(LINE));
	ok(next(false) == SOURCE_JOB && job.kind == JOB_FILE &&
		   strcmp(job.name, "f") == 0 && check.source.wait_fd == -1,
	   "the next line of a FIFO comes");
	check_source_close(&check);
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
	ok(next(false) == SOURCE_LATER && check.source.wait_fd == -1,
	   "a list without a descriptor is tried again");
	ok(next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_UNOPENED &&
		   job.note.error == EMFILE,
	   "a list without a descriptor is reported when no job could close one");
	fault_clear();
	check_source_close(&check);
}

static void
test_list_of_lists(int writer)
{
	const struct input_options options = { .files0_from = fifo };

	check_source_init(&check, &options);
	ok(next(true) == SOURCE_LATER && check.source.wait_fd >= 0,
	   "the next name of a list of lists is waited for");
	put(writer, "missing", 8);
	ok(next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_UNOPENED &&
		   strcmp(job.name, "missing") == 0,
	   "the next name of a list of lists comes");
	free(job.name);
	job.name = NULL;
	check_source_close(&check);
}

static void
test_unlisted(void)
{
	static char list[] = "/dev/null", folder[] = "folder";
	char *operands[] = { list };
	const struct input_options options = { .operands = operands,
					       .noperands = 1,
					       .unlisted = folder };

	scratch_folder(folder);
	check_source_init(&check, &options);
	ok(next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_BEGIN &&
		   next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_END,
	   "an empty list has a begin and an end");
	ok(next(false) == SOURCE_LATER && check.source.wait_fd == -1,
	   "the walk after the lists waits until it is known what is missing");
	ok(next(true) == SOURCE_JOB && job.note.kind == NOTE_UNLISTED_END,
	   "the walk is done when all entries were emitted");
	check_source_close(&check);
}

/* How many are unreadable when the only entry of a list ends so? */
static uintmax_t
unreadable(int error, bool opened)
{
	char *operands[] = { (char[]){ "list" } };
	const struct input_options options = { .operands = operands,
					       .noperands = 1,
					       .verbosity = INPUT_STATUS,
					       .ignore_missing = true };
	uintmax_t answer;

	check_source_init(&check, &options);
	if (next(true) != SOURCE_JOB || job.note.kind != NOTE_CHECK_BEGIN)
		exit(99);
	check.source.emit(&check.source, &job);
	job.name = NULL;
	if (next(true) != SOURCE_JOB || job.kind != JOB_FILE)
		exit(99);
	job.error = error;
	job.opened = opened;
	check.source.emit(&check.source, &job);
	job.name = NULL;
	answer = check.tally.unreadable;
	check_source_close(&check);
	return answer;
}

static void
test_missing(void)
{
	scratch_text("list", LINE);
	ok(unreadable(ENOENT, false) == 0,
	   "--ignore-missing ignores a file that is not there");
	ok(unreadable(ENOENT, true) == 1,
	   "--ignore-missing counts a file that vanished after it opened");
	ok(unreadable(EACCES, false) == 1,
	   "--ignore-missing counts a file that may not be opened");
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	scratch_fifo(fifo);
	const int writer = open(fifo, O_RDWR | O_CLOEXEC);
	if (writer < 0)
		return 99;
	report_init("prog");
	test_list(writer);
	test_no_descriptor();
	test_list_of_lists(writer);
	test_unlisted();
	test_missing();
	names_release(&job);
	close(writer);
	return tap_done();
}
