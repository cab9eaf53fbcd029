/* SPDX-License-Identifier: MIT */
/*
 * Promise: --ignore-missing ignores files that cannot be opened because they
 * are not there, and no others.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/inputs/check_source.h"
#include "src/output/report.h"
#include "tests/support/tap.h"

static char path[] = "test-missing-XXXXXX";

/* How many are unreadable when the only entry of a list ends so? */
static uintmax_t
unreadable(int error, bool opened)
{
	char *operands[] = { path };
	const struct input_options options = { .operands = operands,
					       .noperands = 1,
					       .verbosity = INPUT_STATUS,
					       .ignore_missing = true };
	struct check_source check;
	struct source *source = &check.source;
	struct job job = { .name = NULL };
	uintmax_t answer;

	check_source_init(&check, &options);
	/* The list begins; then comes its entry. */
	if (source->next(source, &job, true) != SOURCE_JOB ||
	    job.kind != JOB_REMARK)
		exit(99);
	source->emit(source, &job);
	job = (struct job){ .name = NULL };
	if (source->next(source, &job, true) != SOURCE_JOB ||
	    job.kind != JOB_FILE)
		exit(99);
	job.error = error;
	job.opened = opened;
	source->emit(source, &job);
	answer = check.tally.unreadable;
	check_source_close(&check);
	return answer;
}

int
main(void)
{
	static const char line[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
		"b855  f\n";
	const int fd = mkstemp(path);

	if (fd < 0 || write(fd, line, sizeof(line) - 1) < 0 || close(fd) != 0)
		return 99;
	report_init("test-missing");
	ok(unreadable(ENOENT, false) == 0, "a file that is not there");
	ok(unreadable(ENOENT, true) == 1, "one that vanished after it opened");
	ok(unreadable(EACCES, false) == 1, "one that may not be opened");
	unlink(path);
	return tap_done();
}
