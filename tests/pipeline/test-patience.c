/* SPDX-License-Identifier: MIT */
/*
 * Promise: a look ahead waits for a list that is being written for a tenth of a
 * second in all, and for nothing else.
 */
#include "config.h"

#include "src/pipeline/lookahead.h"

#include <poll.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { WAIT_FD = 55 };

/* Each time that is waited takes so long, and finds something or not. */
static uint64_t wait_ns;
static int ready;
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

/* A source that has to be waited for so often before each job. */
static struct {
	struct source source;
	unsigned waits, before;
	bool zeroed;
} list;

static enum source_answer
next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source;
	(void)is_oldest;
	if (list.waits++ < list.before) {
		job->error = 5; /* what it leaves there is gone the next time */
		return SOURCE_LATER;
	}
	list.zeroed = list.zeroed && job->error == 0 && job->blocks == 0;
	list.waits = 0;
	return SOURCE_JOB;
}

static struct lookahead ahead;

/* How many jobs are taken, when each has to be waited for so often? */
static unsigned
taken(unsigned before, int fd)
{
	unsigned n = 0;

	list.source = (struct source){ .next = next, .wait_fd = fd };
	list.waits = polls = 0;
	list.before = before;
	list.zeroed = true;
	lookahead_init(&ahead, &list.source, 20);
	while (lookahead_take(&ahead))
		n++;
	lookahead_close(&ahead);
	return n;
}

int
main(void)
{
	fault_clock_set(FAULT_SECOND);
	fault_hooks.poll = answer_poll;
	ready = 1;
	wait_ns = 10 * CLOCK_NS_PER_MS;
	ok(taken(1, WAIT_FD) == 10 && polls == 10 && last_ms == 10,
	   "a look ahead waits for a list for 100 ms in all");
	ok(list.zeroed, "a job that is asked for again is empty");
	wait_ns = CLOCK_NS_PER_MS - 1;
	ok(taken(1, WAIT_FD) == 20 && polls == 20 && last_ms == 100,
	   "parts of a millisecond that a look ahead waits are not counted");
	wait_ns = 33 * CLOCK_NS_PER_MS;
	ok(taken(1, WAIT_FD) == 4 && last_ms == 1,
	   "the last millisecond of a look ahead is waited for");
	wait_ns = 300 * CLOCK_NS_PER_MS;
	ok(taken(1, WAIT_FD) == 1 && polls == 1,
	   "a look ahead does not wait when the time is over");
	wait_ns = 0;
	ok(taken(3, WAIT_FD) == 20 && polls == 60,
	   "a look ahead waits as often as it has to");
	ok(taken(1, -1) == 0 && polls == 0,
	   "a look ahead does not wait without a descriptor to wait for");
	ready = 0;
	ok(taken(1, WAIT_FD) == 0 && polls == 1,
	   "a look ahead ends when nothing comes");
	ready = -1;
	ok(taken(1, WAIT_FD) == 0 && polls == 1,
	   "a look ahead ends when waiting fails");
	return tap_done();
}
