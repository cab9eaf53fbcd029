/* SPDX-License-Identifier: MIT */
/*
 * Promise: looking ahead changes nothing: every job comes out once, in order,
 * and returns to the source that made it.  It waits for a list that is being
 * written for a tenth of a second in all, and for nothing else.
 */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include <poll.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	END = 'e',
	LATER = 'l',
	PIPE = 'p',
	FILE_ = 'f',
	STDIN_ = 's',
	WAIT_FD = 55
};

/* What poll answers; how long that takes; and how it was asked. */
static int ready;
static uint64_t wait_ns;
static unsigned polls;
static int last_ms;

static int
answer_poll(struct pollfd *inputs, nfds_t n, int ms)
{
	if (n != 1 || inputs->fd != WAIT_FD || inputs->events != POLLIN)
		exit(99);
	polls++;
	last_ms = ms;
	fault_clock_advance(wait_ns);
	return ready;
}

/* A source that follows a script, one letter an answer, again and again. */
struct script {
	struct source source;
	const char *letters, *at;
	uintmax_t made;
	uintmax_t emitted;
	unsigned flushes;
	bool was_oldest[64];
	bool is_zeroed; /* each job, when it was asked for */
};

static enum source_answer
script_next(struct source *source, struct job *job, bool is_oldest)
{
	struct script *script = (struct script *)source;
	const char letter = *script->at;

	script->is_zeroed &= job->error == 0 && job->blocks == 0;
	if (letter == END)
		return SOURCE_END;
	if (*++script->at == '\0')
		script->at = script->letters;
	if (letter == LATER || letter == PIPE) {
		source->wait_fd = letter == PIPE ? WAIT_FD : -1;
		job->error = 5; /* What it leaves there is gone later. */
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
static struct first_jobs first_jobs;

/* How many jobs are taken in advance, if `most` may be? */
static unsigned
begin(const char *letters, unsigned most)
{
	unsigned taken = 0;

	polls = 0;
	first_jobs_close(&first_jobs);
	script = (struct script){ .source = { script_next, script_emit,
					      script_flush, -1 },
				  .letters = letters,
				  .at = letters,
				  .is_zeroed = true };
	first_jobs_init(&first_jobs, &script.source, most);
	while (first_jobs_take(&first_jobs))
		taken++;
	return taken;
}

/* Drain what there is; how many jobs came in order? */
static uintmax_t
drain(enum source_answer *last)
{
	struct source *source = &first_jobs.source;
	uintmax_t count = 0;

	for (;;) {
		struct job job = { .error = 0 };

		*last = source->next(source, &job, false);
		if (*last != SOURCE_JOB || job.held_bytes != count)
			return count;
		count++;
		source->emit(source, &job);
	}
}

static void
test_order(void)
{
	enum source_answer last;

	ok(begin("ffffffe", 4) == 4 && first_jobs_is_full(&first_jobs) &&
		   script.made == 4,
	   "a look ahead takes as many jobs as are wanted, and no more");
	ok(drain(&last) == 6 && last == SOURCE_END && script.emitted == 6,
	   "all jobs come once and in order after a look ahead, and go back to "
	   "their source");
	ok(script.was_oldest[0] && !script.was_oldest[1] &&
		   !script.was_oldest[3],
	   "only the first job of a look ahead is asked for as the oldest");
	ok(begin("ffe", 4) == 2 && !first_jobs_is_full(&first_jobs) &&
		   drain(&last) == 2 && last == SOURCE_END,
	   "a look ahead takes fewer jobs from a source that ends");
	ok(begin("flfffe", 4) == 1 && drain(&last) == 4 && last == SOURCE_END,
	   "a source that has nothing to wait for is not waited for");
	ok(begin("rfsrffe", 9) == 6 && drain(&last) == 6,
	   "remarks and standard input are jobs, too");
	begin("ffpe", 2);
	drain(&last);
	ok(last == SOURCE_LATER && first_jobs.source.wait_fd == WAIT_FD,
	   "a look ahead tells what its source waits for");
	first_jobs.source.flush(&first_jobs.source);
	ok(script.flushes == 1, "a flush reaches the source of a look ahead");
}

static void
test_patience(void)
{
	ready = 1;
	wait_ns = 10 * CLOCK_NS_PER_MS;
	ok(begin("pf", 20) == 10 && polls == 10 && last_ms == 10,
	   "a look ahead waits for a list for 100 ms in all");
	ok(script.is_zeroed, "a job that is asked for again is empty");
	wait_ns = CLOCK_NS_PER_MS - 1;
	ok(begin("pf", 20) == 20 && polls == 20 && last_ms == 100,
	   "parts of a millisecond that a look ahead waits are not counted");
	wait_ns = 33 * CLOCK_NS_PER_MS;
	ok(begin("pf", 20) == 4 && last_ms == 1,
	   "the last millisecond of a look ahead is waited for");
	wait_ns = 300 * CLOCK_NS_PER_MS;
	ok(begin("pf", 20) == 1 && polls == 1,
	   "a look ahead does not wait when the time is over");
	wait_ns = 0;
	ok(begin("pppf", 20) == 20 && polls == 60,
	   "a look ahead waits as often as it has to");
	ok(begin("lf", 20) == 0 && polls == 0,
	   "a look ahead does not wait without a descriptor to wait for");
	ready = 0;
	ok(begin("pf", 20) == 0 && polls == 1,
	   "a look ahead ends when nothing comes");
	ready = -1;
	ok(begin("pf", 20) == 0 && polls == 1,
	   "a look ahead ends when waiting fails");
}

int
main(void)
{
	fault_clock_set(FAULT_SECOND);
	fault_hooks.poll = answer_poll;
	test_order();
	test_patience();
	first_jobs_close(&first_jobs);
	return tap_done();
}
