/* SPDX-License-Identifier: MIT */
/*
 * fake-dispatch: a dispatch for one worker, with one job and one rest, which
 * holds the last descriptor; other jobs come from the sequencer.
 *
 * The test is linked with --wrap for the functions below (fake_dispatch in
 * tests/local.mk).  Header only.
 */
#ifndef TESTS_PIPELINE_FAKE_DISPATCH_H
#define TESTS_PIPELINE_FAKE_DISPATCH_H

#include "src/feed/dispatch.h"

static struct sequencer sequencer;

static struct {
	struct ticket job; /* its job is NULL when it was given out */
	struct lane_transfer *rest;
	bool is_wanted; /* the rest: there was no descriptor */
} fake;

unsigned
__wrap_dispatch_take(struct dispatch *, unsigned worker, unsigned busy,
		     struct ticket *tickets, unsigned max,
		     struct sequencer_view *);
void
__wrap_dispatch_return(struct dispatch *, struct job *);
struct lane_transfer *
__wrap_dispatch_take_rest(struct dispatch *, unsigned worker, uint64_t head);
struct lane_transfer *
__wrap_dispatch_take_any_rest(struct dispatch *, unsigned worker,
			      uint64_t head);
bool
__wrap_dispatch_wants_workers(struct dispatch *);
bool
__wrap_dispatch_note_standstill(struct dispatch *, unsigned worker);
uint64_t
__wrap_dispatch_note_worker(struct dispatch *, unsigned worker, uint64_t blocks,
			    uint64_t ns);

unsigned
__wrap_dispatch_take(struct dispatch *dispatch, unsigned worker, unsigned busy,
		     struct ticket *tickets, unsigned max,
		     struct sequencer_view *view)
{
	unsigned taken = 0;

	(void)dispatch;
	if (max > 0 && fake.job.job) {
		tickets[taken++] = fake.job;
		fake.job.job = NULL;
	}
	return taken + sequencer_take(&sequencer, worker, busy + taken,
				      tickets + taken, max - taken, view);
}

void
__wrap_dispatch_return(struct dispatch *dispatch, struct job *job)
{
	(void)dispatch;
	fake.job = (struct ticket){ .job = job, .seq = job->seq };
}

struct lane_transfer *
__wrap_dispatch_take_rest(struct dispatch *dispatch, unsigned worker,
			  uint64_t head)
{
	struct lane_transfer *rest = fake.is_wanted ? fake.rest : NULL;

	(void)dispatch;
	(void)worker;
	(void)head;
	if (rest)
		fake.rest = NULL;
	return rest;
}

struct lane_transfer *
__wrap_dispatch_take_any_rest(struct dispatch *dispatch, unsigned worker,
			      uint64_t head)
{
	return __wrap_dispatch_take_rest(dispatch, worker, head);
}

bool
__wrap_dispatch_wants_workers(struct dispatch *dispatch)
{
	(void)dispatch;
	return false;
}

bool
__wrap_dispatch_note_standstill(struct dispatch *dispatch, unsigned worker)
{
	(void)dispatch;
	(void)worker;
	return false;
}

uint64_t
__wrap_dispatch_note_worker(struct dispatch *dispatch, unsigned worker,
			    uint64_t blocks, uint64_t ns)
{
	(void)dispatch;
	(void)worker;
	(void)blocks;
	(void)ns;
	return 0;
}

#endif
