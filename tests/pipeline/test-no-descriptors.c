/* SPDX-License-Identifier: MIT */
/*
 * Promise: a file for which there is no descriptor is tried again, and its
 * error is told only when nothing else can end; other errors are final.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/base/descriptor.h"
#include "src/pipeline/pipeline.h"
#include "tests/support/tap.h"

static char path[] = "test-no-descriptors-XXXXXX";

/* The next opens fail: how, and how many. */
static int open_error;
static unsigned open_failures, opens;

int
__real_descriptor_open(const char *name, int flags);
int
__wrap_descriptor_open(const char *name, int flags);

int
__wrap_descriptor_open(const char *name, int flags)
{
	opens++;
	if (open_failures == 0)
		return __real_descriptor_open(name, flags);
	open_failures--;
	errno = open_error;
	return -1;
}

/* A source of one job, and what came of it. */
struct single {
	struct source source;
	bool given;
	struct job seen;
};

static enum source_answer
give(struct source *source, struct job *job, bool is_oldest)
{
	struct single *single = (struct single *)source;

	(void)is_oldest;
	if (single->given)
		return SOURCE_END;
	single->given = true;
	job->kind = JOB_FILE;
	job->name = path;
	return SOURCE_JOB;
}

static void
note(struct source *source, struct job *job)
{
	((struct single *)source)->seen = *job;
}

static void
flush(struct source *source)
{
	(void)source;
}

static struct job
run(int error, unsigned failures)
{
	struct single single = { .source = { give, note, flush, -1 } };
	const struct pipeline_config config = { .engine = &engine_reference,
						.options = "",
						.fallback = &engine_reference,
						.threads = 1 };
	struct worker_report report;
	struct diag why;

	open_error = error;
	open_failures = failures;
	opens = 0;
	if (!pipeline_run(&config, &single.source, &report, &why))
		exit(99);
	return single.seen;
}

int
main(void)
{
	const int fd = mkstemp(path);
	struct job job;

	alarm(120);
	if (fd < 0 || write(fd, "abc", 3) != 3 || close(fd) != 0)
		return 99;
	job = run(0, 0);
	ok(job.error == 0 && job.opened && job.digest[0] == 0xba,
	   "a file is hashed");
	job = run(EMFILE, 1);
	ok(job.error == 0 && job.size == 3, "also if it opens the second time");
	job = run(ENFILE, 1);
	ok(job.error == 0 && job.size == 3,
	   "where the system had none left, too");
	job = run(EMFILE, 1000);
	ok(job.error == EMFILE && !job.opened,
	   "when nothing else can end, that is its error");
	job = run(ENFILE, 1000);
	ok(job.error == ENFILE && !job.opened, "the one that was met");
	job = run(EACCES, 1);
	ok(job.error == EACCES && !job.opened && opens == 1,
	   "other errors are final");
	unlink(path);
	return tap_done();
}
