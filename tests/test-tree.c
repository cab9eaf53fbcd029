/* SPDX-License-Identifier: MIT */
/*
 * Promise: what a walk has come upon and what has taken its place meanwhile
 * are not confused: nothing but a regular file is waited for or hashed, and
 * never the file that standard output goes to.
 */
#include "config.h"

#include "src/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/pipeline.h"
#include "tests/tap.h"

static char top[] = "test-tree-XXXXXX";

/* A walk that does something to a file between its discovery and its open. */
struct hasty {
	struct source source;
	struct names names;
	struct tree tree;
	const char *victim;
	void (*change)(const char *name);
	unsigned digests, remarks;
	struct job seen;		/* of the victim */
};

static enum source_answer
hasty_next(struct source *source, struct job *job, bool alone)
{
	struct hasty *hasty = (struct hasty *)source;
	enum source_answer answer = tree_next(&hasty->tree, job, alone);

	source->wait_fd = tree_wait_fd(&hasty->tree);
	if (answer == SOURCE_JOB && job->kind == JOB_FILE &&
	    strcmp(strrchr(job->name, '/') + 1, hasty->victim) == 0)
		hasty->change(job->name);
	return answer;
}

static void
hasty_emit(struct source *source, struct job *job)
{
	struct hasty *hasty = (struct hasty *)source;

	if (job->kind == JOB_REMARK)
		hasty->remarks++;
	else if (strcmp(strrchr(job->name, '/') + 1, hasty->victim) == 0)
		hasty->seen = *job;
	else if (job->error == 0 && job->verdict == JOB_TRUSTED)
		hasty->digests++;
	names_release(job);
}

static void
hasty_flush(struct source *source)
{
	(void)source;
}

/* Walk over a, b and c below top while something happens to b. */
static void
walk(struct hasty *hasty, void (*change)(const char *name))
{
	char *operands[] = { top };
	struct pipeline_config config = {
		.engine = &engine_reference,
		.words = "",
		.fallback = &engine_reference,
		.threads = 1
	};
	struct worker_report report;
	struct diag why_not;

	*hasty = (struct hasty){
		.source = { hasty_next, hasty_emit, hasty_flush, -1 },
		.victim = "b",
		.change = change
	};
	for (const char *name = "abc"; *name; name++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "%s/%c", top, *name);
		remove(path);
		fd = open(path, O_WRONLY | O_CREAT, 0666);
		if (fd < 0 || write(fd, path, 1) != 1)
			exit(99);
		close(fd);
	}
	names_init(&hasty->names, operands, 1, NULL);
	tree_init(&hasty->tree, &hasty->names);
	if (!pipeline_run(&config, &hasty->source, &report, &why_not))
		exit(99);
	tree_close(&hasty->tree);
	names_close(&hasty->names);
}

static void
leave(const char *name)
{
	(void)name;
}

static void
make_fifo(const char *name)
{
	if (unlink(name) != 0 || mkfifo(name, 0666) != 0)
		exit(99);
}

static void
make_device(const char *name)
{
	if (unlink(name) != 0 || symlink("/dev/null", name) != 0)
		exit(99);
}

static void
make_directory(const char *name)
{
	if (unlink(name) != 0 || mkdir(name, 0777) != 0)
		exit(99);
}

static void
vanish(const char *name)
{
	if (unlink(name) != 0)
		exit(99);
}

/* Standard output goes to a file of the tree while the walk is set up. */
static void
walk_over_output(struct hasty *hasty)
{
	char path[64];
	int saved = dup(STDOUT_FILENO), fd;

	fflush(stdout);
	snprintf(path, sizeof(path), "%s/d", top);
	fd = open(path, O_WRONLY | O_CREAT, 0666);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	walk(hasty, leave);
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

int
main(void)
{
	struct hasty hasty;

	if (!mkdtemp(top))
		return 99;

	walk(&hasty, leave);
	ok(hasty.digests == 2 && hasty.seen.verdict == JOB_TRUSTED &&
	   hasty.seen.error == 0, "three files: three digests");
	walk(&hasty, make_fifo);
	ok(hasty.digests == 2 && hasty.seen.error == 0 &&
	   hasty.seen.verdict == JOB_NOT_REGULAR,
	   "a FIFO in the place of a file is not waited for");
	walk(&hasty, make_device);
	ok(hasty.digests == 2 && hasty.seen.error == 0 &&
	   hasty.seen.verdict == JOB_NOT_REGULAR,
	   "a device in the place of a file is not hashed");
	walk(&hasty, make_directory);
	ok(hasty.digests == 2 && hasty.seen.error == EISDIR,
	   "a directory in the place of a file is an error");
	walk(&hasty, vanish);
	ok(hasty.digests == 2 && hasty.seen.error == ENOENT,
	   "a file that has vanished is an error");
	ok(hasty.remarks == 0, "none of that is seen by the walk");

	walk_over_output(&hasty);
	ok(hasty.digests == 2, "the file of standard output is not hashed");

	for (const char *name = "abcd"; *name; name++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%c", top, *name);
		remove(path);
	}
	ok(rmdir(top) == 0, "nothing is left behind");
	return tap_done();
}
