/* SPDX-License-Identifier: MIT */
/*
 * Promise: looking ahead changes nothing: every job comes out once, in
 * order, and returns to the source that made it.
 */
#include "config.h"

#include "src/pipeline/lookahead.h"

#include <string.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum {
	END = 'e',
	LATER = 'l',
	PIPE = 'p',
	FILE_ = 'f',
	STDIN_ = 's',
	REMARK = 'r'
};

static int pipe_end;

/* A source that follows a script, one letter an answer. */
struct script {
	struct source source;
	const char *at;
	uintmax_t made;
	uintmax_t emitted;
	unsigned flushes;
	bool was_oldest[64];
};

static enum source_answer
script_next(struct source *source, struct job *job, bool is_oldest)
{
	struct script *script = (struct script *)source;
	const char letter = *script->at;

	if (letter == END)
		return SOURCE_END;
	script->at++;
	if (letter == LATER || letter == PIPE) {
		source->wait_fd = letter == PIPE ? pipe_end : -1;
		return SOURCE_LATER;
	}
	job->kind = letter == FILE_  ? JOB_FILE :
		    letter == STDIN_ ? JOB_STDIN :
				       JOB_REMARK;
	script->was_oldest[script->made] = is_oldest;
	job->held_bytes = script->made++;
	return SOURCE_JOB;
}

static void
script_emit(struct source *source, struct job *job)
{
	struct script *script = (struct script *)source;

	if (job->held_bytes == script->emitted)
		script->emitted++;
}

static void
script_flush(struct source *source)
{
	((struct script *)source)->flushes++;
}

static struct script script;
static struct lookahead lookahead;

/* How many jobs are taken in advance, if `most` may be? */
static unsigned
begin(const char *letters, unsigned most)
{
	unsigned taken = 0;

	script = (struct script){ .source = { script_next, script_emit,
					      script_flush, -1 },
				  .at = letters };
	lookahead_init(&lookahead, &script.source, most);
	while (lookahead_take(&lookahead))
		taken++;
	return taken;
}

/* Drain what there is; how many jobs came in order? */
static uintmax_t
drain(enum source_answer *last)
{
	struct source *source = &lookahead.source;
	struct job job;
	uintmax_t count = 0;

	while ((*last = source->next(source, &job, false)) == SOURCE_JOB) {
		if (job.held_bytes != count)
			break;
		count++;
		source->emit(source, &job);
	}
	return count;
}

int
main(void)
{
	enum source_answer last;
	int ends[2];

	if (pipe(ends) != 0)
		return 99;
	pipe_end = ends[0];
	ok(begin("ffffffe", 4) == 4 && lookahead_is_full(&lookahead),
	   "a look ahead stops at as many jobs as are wanted");
	ok(script.made == 4, "a look ahead takes no more jobs than are wanted");
	ok(drain(&last) == 6 && last == SOURCE_END && script.emitted == 6,
	   "all jobs come once and in order after a look ahead, and go back to their source");
	ok(script.was_oldest[0] && !script.was_oldest[1] &&
		   !script.was_oldest[3],
	   "only the first job of a look ahead is asked for as the oldest");
	lookahead_close(&lookahead);

	ok(begin("ffe", 4) == 2 && !lookahead_is_full(&lookahead),
	   "a look ahead takes fewer jobs from a source that ends");
	ok(drain(&last) == 2 && last == SOURCE_END,
	   "all jobs of a source that ends come after a look ahead");
	lookahead_close(&lookahead);

	ok(begin("flfffe", 4) == 1, "a source that would wait is not waited "
				    "for");
	ok(drain(&last) == 4 && last == SOURCE_END,
	   "a source that would wait goes on after a look ahead");
	lookahead_close(&lookahead);

	ok(begin("rfsrffe", 9) == 6 && drain(&last) == 6,
	   "remarks and standard input are jobs, too");
	lookahead_close(&lookahead);

	ok(begin("le", 1) == 0 && drain(&last) == 0,
	   "a look ahead may find nothing");
	lookahead_close(&lookahead);
	begin("ffpe", 2);
	drain(&last);
	ok(last == SOURCE_LATER && lookahead.source.wait_fd == pipe_end,
	   "a look ahead tells what its source waits for");
	lookahead_close(&lookahead);

	ok(begin("fpfe", 3) == 1,
	   "a look ahead ends at a pipe in which nothing is");
	lookahead_close(&lookahead);
	if (write(ends[1], "x", 1) != 1)
		return 99;
	ok(begin("fpfe", 3) == 2,
	   "a look ahead goes on at a pipe in which something is");
	lookahead.source.flush(&lookahead.source);
	ok(script.flushes == 1,
	   "a flush reaches the source behind a look ahead");
	lookahead_close(&lookahead);
	return tap_done();
}
