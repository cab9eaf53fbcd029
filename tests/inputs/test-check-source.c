/* SPDX-License-Identifier: MIT */
/*
 * Promise: a check list that is not there yet is waited for by name of its
 * descriptor, never inside of a call, and one that cannot be opened for want of
 * descriptors is tried again as long as jobs hold some.
 */
#include "config.h"

#include "src/inputs/check_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/output/report.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

#define LINE                                                                   \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  f\n"

static char fifo[] = "test-check-source-XXXXXX";
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
	check_source_close(&check);
}

/* Standard output becomes a pipe for a while. */
static void
test_flush(void)
{
	static const char expected[] = "f: FAILED\n";
	static char list[] = "list", file[] = "f";
	const struct input_options options = { .noperands = 0 };
	char bytes[sizeof(expected)] = "";
	const int out = dup(STDOUT_FILENO);
	ssize_t before, after;
	int ends[2];

	if (out < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 ||
	    dup2(ends[1], STDOUT_FILENO) < 0)
		exit(99);
	check_source_init(&check, &options);
	check.begun.name = list;
	job = (struct job){ .kind = JOB_FILE, .name = file };
	job.note = (struct note){ .kind = NOTE_CHECK_ENTRY };
	job.digest[0] = 1;
	check.source.emit(&check.source, &job);
	before = read(ends[0], bytes, sizeof(bytes));
	check.source.flush(&check.source);
	after = read(ends[0], bytes, sizeof(bytes));
	dup2(out, STDOUT_FILENO);
	close(out);
	ok(before < 0 && after == (ssize_t)strlen(expected) &&
		   strcmp(bytes, expected) == 0,
	   "results are written when there are no more for now");
	close(ends[0]);
	close(ends[1]);
	check_source_close(&check);
}

static void
test_unlisted(void)
{
	static char list[] = "/dev/null", folder[] = "test-check-dir-XXXXXX";
	char *operands[] = { list };
	const struct input_options options = { .operands = operands,
					       .noperands = 1,
					       .unlisted = folder };

	if (!mkdtemp(folder))
		exit(99);
	check_source_init(&check, &options);
	ok(next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_BEGIN &&
		   next(true) == SOURCE_JOB && job.note.kind == NOTE_CHECK_END,
	   "an empty list has a begin and an end");
	fault_from(FAULT_open, 1, EMFILE);
	ok(next(false) == SOURCE_LATER,
	   "the walk after the lists waits for a descriptor");
	fault_clear();
	ok(next(false) == SOURCE_JOB && job.note.kind == NOTE_UNLISTED_END,
	   "the walk is done when there is a descriptor");
	check_source_close(&check);
	rmdir(folder);
}

/* The summary of a number of malformed lines and files of each kind. */
static int
print_summary(void *data)
{
	static char list[] = "list";
	const struct input_options options = { .noperands = 0 };
	const unsigned count = *(unsigned *)data;

	report_init("prog");
	check_source_init(&check, &options);
	check.begun.name = list;
	check.tally = (struct check_tally){ .unreadable = count,
					    .mismatches = count,
					    .matched = true };
	job = (struct job){ .kind = JOB_REMARK };
	job.note =
		(struct note){ .kind = NOTE_CHECK_END, .lines = { 9, count } };
	check.source.emit(&check.source, &job);
	return report_status();
}

static void
test_summary(void)
{
	static const char *const expected[] = {
		"",
		"prog: WARNING: 1 line is improperly formatted\n"
		"prog: WARNING: 1 listed file could not be read\n"
		"prog: WARNING: 1 computed checksum did NOT match\n",
		"prog: WARNING: 2 lines are improperly formatted\n"
		"prog: WARNING: 2 listed files could not be read\n"
		"prog: WARNING: 2 computed checksums did NOT match\n",
	};

	for (unsigned count = 0; count < 3; count++) {
		struct capture capture;

		capture_run(&capture, print_summary, &count, false);
		is(capture.err.bytes, expected[count],
		   "a list with %u wrong lines of each kind has its summary",
		   count);
		ok(capture.status == (count > 0),
		   "a summary with a warning is a failure");
		capture_free(&capture);
	}
}

int
main(void)
{
	int writer = mkstemp(fifo);

	alarm(60);
	if (writer < 0 || close(writer) != 0 || unlink(fifo) != 0 ||
	    mkfifo(fifo, 0600) != 0)
		return 99;
	writer = open(fifo, O_RDWR | O_CLOEXEC);
	if (writer < 0)
		return 99;
	test_list(writer);
	test_no_descriptor();
	test_list_of_lists(writer);
	test_flush();
	test_unlisted();
	test_summary();
	names_release(&job);
	close(writer);
	unlink(fifo);
	return tap_done();
}
