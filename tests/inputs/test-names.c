/* SPDX-License-Identifier: MIT */
/*
 * Promise: inputs are the names of a list, each once and in their order; what is
 * wrong with a list is reported in its turn, and what may pass is tried again
 * while there are jobs.  (Operands are in tests/cli/differential/input.rows.)
 */
#include "config.h"

#include "src/inputs/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/inputs/hash_source.h"
#include "src/output/report.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static char path[] = "list", fifo[] = "fifo";

static struct job job;

static enum source_answer
next(struct names *names, bool is_oldest)
{
	names_release(&job);
	memset(&job, 0xff, sizeof(job));
	job.name = NULL;
	job.held_bytes = 0;
	return names_next(names, &job, is_oldest);
}

static bool
is_input(enum source_answer answer, enum job_kind kind, const char *name)
{
	return answer == SOURCE_JOB && job.kind == kind &&
	       job.note.kind == NOTE_NONE && strcmp(job.name, name) == 0;
}

static bool
is_remark(enum source_answer answer, enum note_kind kind)
{
	return answer == SOURCE_JOB && job.kind == JOB_REMARK &&
	       job.note.kind == kind;
}

/* What is printed about the job; 2: the quoted name is not freed. */
static int
print_remark(void *data)
{
	long blocks;

	report_init("prog");
	blocks = balance_now().blocks;
	names_report(data, &job);
	return balance_now().blocks == blocks ? report_status() : 2;
}

static void
check_message(struct names *names, const char *expected)
{
	struct capture capture;

	capture_run(&capture, print_remark, names, false);
	is(capture.err.bytes, expected, "the remark has its message");
	ok(capture.status == 1, "a remark is a failure");
	capture_free(&capture);
}

/* A copy is freed, even of nothing; an operand is not. */
static void
test_release(void)
{
	static char operand[] = "a";
	struct job copy = { .name = operand };

	const long blocks = balance_now().blocks;

	names_release(&copy);
	ok(balance_now().blocks == blocks && !copy.name,
	   "a name that is not a copy is not freed");
	ok(names_copy(&copy, "") && copy.held_bytes == 1 && !*copy.name,
	   "an empty name can be copied");
	names_release(&copy);
	names_release(&copy);
	ok(balance_now().blocks == blocks && !copy.name && copy.held_bytes == 0,
	   "a copy of a name is freed once");
}

static void
test_list(void)
{
	struct names names;
	char expected[256];

	scratch_file(path, "a\0-\0\0\0b c", 9);
	names_init(&names, NULL, 0, path);
	ok(is_input(next(&names, false), JOB_FILE, "a") && job.held_bytes == 2,
	   "a list has names, which are copied");
	ok(is_input(next(&names, false), JOB_STDIN, "-"),
	   "a name in a list may be standard input");
	ok(is_remark(next(&names, false), NOTE_NAMES_EMPTY_NAME) &&
		   job.note.place == 3,
	   "an empty name is reported");
	ok(is_remark(next(&names, false), NOTE_NAMES_EMPTY_NAME) &&
		   job.note.place == 4,
	   "an empty name is reported with its place");
	fault_from(FAULT_malloc, 1, ENOMEM);
	ok(next(&names, false) == SOURCE_LATER && names_wait_fd(&names) == -1,
	   "a name for which there is no memory is tried again");
	ok(is_remark(next(&names, true), NOTE_NAMES_NO_MEMORY),
	   "memory that is short is reported when no job could free some");
	fault_clear();
	check_message(&names, "prog: memory exhausted\n");
	ok(next(&names, false) == SOURCE_END &&
		   next(&names, false) == SOURCE_END,
	   "names end after memory was short");
	names_close(&names);

	names_init(&names, NULL, 0, path);
	next(&names, false);
	next(&names, false);
	next(&names, false);
	next(&names, false);
	snprintf(expected, sizeof(expected),
		 "prog: %s:4: invalid zero-length file name\n", path);
	check_message(&names, expected);
	fault_from(FAULT_malloc, 1, ENOMEM);
	next(&names, false);
	fault_clear();
	ok(is_input(next(&names, false), JOB_FILE, "b c"),
	   "with memory again the name is given, once");
	ok(next(&names, false) == SOURCE_END,
	   "a list ends after its last name");
	names_close(&names);
}

static void
test_failures(void)
{
	struct names names;
	char expected[256];

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_open, 1, EMFILE);
	ok(next(&names, false) == SOURCE_LATER,
	   "a list without a descriptor is tried again");
	ok(is_remark(next(&names, true), NOTE_NAMES_UNOPENED) &&
		   job.note.error == EMFILE,
	   "a list without a descriptor fails when there are no jobs");
	fault_clear();
	snprintf(expected, sizeof(expected),
		 "prog: cannot open '%s' for reading: Too many open files\n",
		 path);
	check_message(&names, expected);
	ok(next(&names, true) == SOURCE_END,
	   "nothing follows a list that failed");
	names_close(&names);

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_open, 1, EACCES);
	ok(is_remark(next(&names, false), NOTE_NAMES_UNOPENED) &&
		   job.note.error == EACCES,
	   "a list that may not be read fails at once");
	fault_clear();
	names_close(&names);

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_read, 1, EIO);
	ok(is_remark(next(&names, false), NOTE_NAMES_UNREAD) &&
		   job.note.error == EIO,
	   "a list with a read error fails");
	fault_clear();
	snprintf(expected, sizeof(expected),
		 "prog: %s: read error: Input/output error\n", path);
	check_message(&names, expected);
	ok(next(&names, false) == SOURCE_END,
	   "nothing follows a list that failed");
	names_close(&names);

	names_init(&names, NULL, 0, path);
	fault_from(FAULT_read, 1, ENOMEM);
	ok(next(&names, false) == SOURCE_LATER,
	   "a list for which there is no memory is tried again");
	fault_clear();
	ok(is_input(next(&names, false), JOB_FILE, "a"),
	   "a list goes on where it was when there is memory");
	names_close(&names);
}

/* `writer` has the FIFO open. */
static void
test_waiting(int writer)
{
	const struct input_options options = { .files0_from = fifo };
	struct hash_source hash;
	struct names names;

	names_init(&names, NULL, 0, fifo);
	ok(next(&names, false) == SOURCE_LATER && names_wait_fd(&names) == -1,
	   "a FIFO is not opened while there are jobs");
	ok(next(&names, true) == SOURCE_LATER && names_wait_fd(&names) >= 0,
	   "the first name of a FIFO is waited for");
	if (write(writer, "a", 2) != 2)
		exit(99);
	ok(is_input(next(&names, false), JOB_FILE, "a") &&
		   names_wait_fd(&names) == -1,
	   "the first name of a FIFO comes");
	ok(next(&names, false) == SOURCE_LATER && names_wait_fd(&names) >= 0,
	   "the next name of a FIFO is waited for");
	names_close(&names);

	hash_source_init(&hash, &options);
	names_release(&job);
	ok(hash.source.wait_fd == -1 &&
		   hash.source.next(&hash.source, &job, true) == SOURCE_LATER &&
		   hash.source.wait_fd == hash.names.records.fd,
	   "standard input as a file waits for the same");
	if (write(writer, "b", 2) != 2)
		exit(99);
	ok(is_input(hash.source.next(&hash.source, &job, true), JOB_FILE,
		    "b") &&
		   hash.source.wait_fd == -1 && !job.watched,
	   "a name that has come is not waited for");
	hash_source_close(&hash);
}

/* Standard input is a list that has the name of itself. */
static void
test_stdin(void)
{
	const int saved = dup(STDIN_FILENO);
	struct names names;

	scratch_file(path, "-\0x", 4);
	close(STDIN_FILENO);
	if (open(path, O_RDONLY) != STDIN_FILENO)
		exit(99);
	names_init(&names, NULL, 0, "-");
	ok(is_remark(next(&names, true), NOTE_NAMES_STDIN_IN_STDIN),
	   "a list on standard input cannot have it");
	check_message(&names, "prog: when reading file names from stdin, no "
			      "file name of '-' allowed\n");
	ok(is_input(next(&names, true), JOB_FILE, "x"),
	   "the name after a wrong one is given");
	names_close(&names);
	ok(fcntl(STDIN_FILENO, F_GETFD) >= 0, "standard input is not closed");
	dup2(saved, STDIN_FILENO);
	close(saved);
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
	test_release();
	test_list();
	test_failures();
	test_waiting(writer);
	test_stdin();
	names_release(&job);
	close(writer);
	return tap_done();
}
