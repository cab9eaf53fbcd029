/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/sequencer.h"

#include <poll.h>
#include <string.h>

void
sequencer_init(struct sequencer *sequencer, struct source *source,
	       unsigned max_workers)
{
	pthread_mutex_init(&sequencer->lock, NULL);
	pthread_cond_init(&sequencer->changed, NULL);
	pthread_cond_init(&sequencer->work, NULL);
	sequencer->changes = 0;
	sequencer->source = source;
	job_ring_init(&sequencer->ring);
	exchange_init(&sequencer->exchange, max_workers);
	sequencer->held_bytes = 0;
	sequencer->ended = sequencer->emitting = sequencer->polling = false;
	sequencer->stalled = false;
	sequencer->feeding = sequencer->has_feeder = false;
}

void
sequencer_destroy(struct sequencer *sequencer)
{
	job_ring_destroy(&sequencer->ring);
	pthread_cond_destroy(&sequencer->work);
	pthread_cond_destroy(&sequencer->changed);
	pthread_mutex_destroy(&sequencer->lock);
}

int
sequencer_add_worker(struct sequencer *sequencer)
{
	pthread_mutex_lock(&sequencer->lock);
	int worker = exchange_add_worker(&sequencer->exchange);
	pthread_mutex_unlock(&sequencer->lock);
	return worker;
}

/* Lock held. */
static void
wake_busy(struct sequencer *sequencer)
{
	sequencer->changes++;
	pthread_cond_broadcast(&sequencer->changed);
	/* What the dispatch has for an idle worker may have to wait for its
	 * turn: any change can be the one. */
	if (sequencer->has_feeder)
		pthread_cond_broadcast(&sequencer->work);
}

/* Lock held. */
static void
wake_all(struct sequencer *sequencer)
{
	wake_busy(sequencer);
	pthread_cond_broadcast(&sequencer->work);
}

/* And so many idle ones.  Lock held. */
static void
wake_idle(struct sequencer *sequencer, unsigned n)
{
	wake_busy(sequencer);
	for (; n > 0; n--)
		pthread_cond_signal(&sequencer->work);
}

void
sequencer_wake(struct sequencer *sequencer)
{
	pthread_mutex_lock(&sequencer->lock);
	wake_all(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
}

void
sequencer_set_feeding(struct sequencer *sequencer, bool feeding)
{
	pthread_mutex_lock(&sequencer->lock);
	sequencer->feeding = feeding;
	sequencer->has_feeder = true;
	wake_all(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
}

/*
 * A starving worker has to learn that no other one is left to close a
 * descriptor, and the idle that none is left to offer lanes.  Lock held.
 */
static void
set_busy(struct sequencer *sequencer, unsigned worker, unsigned busy)
{
	struct exchange *exchange = &sequencer->exchange;

	if (!exchange_set_busy(exchange, worker, busy))
		return;
	if (sequencer->ended && !exchange_others_are_busy(exchange, worker))
		wake_all(sequencer);
	else if (exchange->starving)
		wake_busy(sequencer);
}

void
sequencer_set_busy(struct sequencer *sequencer, unsigned worker, unsigned busy)
{
	pthread_mutex_lock(&sequencer->lock);
	set_busy(sequencer, worker, busy);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Emission ---------------------------------------------------------------- */

/* The number behind the jobs that are next in line and done.  Lock held. */
static uint64_t
end_of_done(struct job_ring *ring)
{
	uint64_t end = ring->head;

	while (end < ring->next && job_ring_at(ring, end)->done)
		end++;
	return end;
}

/* Emit jobs [first, end): how many bytes did they hold?  No lock held. */
static size_t
emit(struct sequencer *sequencer, uint64_t first, uint64_t end)
{
	struct source *source = sequencer->source;
	size_t released = 0;

	for (uint64_t seq = first; seq < end; seq++) {
		struct job *job = job_ring_at(&sequencer->ring, seq);

		released += job->held_bytes;
		source->emit(source, job);
	}
	return released;
}

/*
 * Emit all jobs that are next in line and done, and flush when there are no
 * more.  Called and left with the lock held.
 */
static void
drain(struct sequencer *sequencer)
{
	struct job_ring *ring = &sequencer->ring;
	bool unflushed = false;

	if (sequencer->emitting)
		return;
	sequencer->emitting = true;
	for (;;) {
		const uint64_t first = ring->head, end = end_of_done(ring);
		size_t released;

		if (end == first && !unflushed)
			break;
		unflushed = end > first;
		pthread_mutex_unlock(&sequencer->lock);
		released = emit(sequencer, first, end);
		if (!unflushed)
			sequencer->source->flush(sequencer->source);
		pthread_mutex_lock(&sequencer->lock);
		if (unflushed) {
			sequencer->held_bytes -= released;
			ring->head = end;
			wake_idle(sequencer, sequencer->stalled);
			sequencer->stalled = false;
		}
	}
	sequencer->emitting = false;
}

void
sequencer_publish(struct sequencer *sequencer, const struct ticket *tickets,
		  unsigned n)
{
	pthread_mutex_lock(&sequencer->lock);
	for (unsigned i = 0; i < n; i++)
		tickets[i].job->done = true;
	if (exchange_end_starving(&sequencer->exchange))
		wake_busy(sequencer);
	drain(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Taking ------------------------------------------------------------------ */

/* Lock held. */
static bool
has_room(const struct sequencer *sequencer)
{
	return !job_ring_is_full(&sequencer->ring) &&
	       sequencer->held_bytes < SEQUENCER_HELD_BYTES;
}

/*
 * The next job of the source; NULL: there is none, or no room for it.  A
 * remark is done at once.  Lock held.
 */
static struct job *
take_job(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct source *source = sequencer->source;
	struct job_ring *ring = &sequencer->ring;
	struct job *job = NULL;

	if (sequencer->ended || sequencer->polling)
		return NULL;
	if (has_room(sequencer))
		job = job_ring_reserve(ring);
	if (!job) {
		sequencer->stalled = true;
		return NULL;
	}
	memset(job, 0, sizeof(*job));
	switch (source->next(source, job, job_ring_is_empty(ring))) {
	case SOURCE_JOB: break;
	case SOURCE_LATER:
		view->source_waits = source->wait_fd >= 0;
		sequencer->stalled |= !view->source_waits;
		return NULL;
	case SOURCE_END:
		sequencer->ended = true;
		wake_all(sequencer);
		return NULL;
	}
	sequencer->held_bytes += job->held_bytes;
	job->done = job->kind == JOB_REMARK;
	job->seq = ring->next;
	ring->next++;
	return job;
}

/* There may be more jobs, or someone has to wait for the source: let one of
 * the idle do that, which will do the same in its turn.  Lock held. */
static void
pass_on(struct sequencer *sequencer)
{
	if (sequencer->exchange.idle > 0 && !sequencer->ended &&
	    !sequencer->polling)
		wake_idle(sequencer, 1);
}

unsigned
sequencer_take(struct sequencer *sequencer, unsigned worker, unsigned busy,
	       struct ticket *tickets, unsigned max,
	       struct sequencer_view *view)
{
	struct exchange *exchange = &sequencer->exchange;
	unsigned taken = 0;
	bool remarks = false;

	pthread_mutex_lock(&sequencer->lock);
	view->source_waits = false;
	while (taken < max) {
		struct job *job = take_job(sequencer, view);

		if (!job)
			break;
		remarks |= job->done;
		if (!job->done)
			tickets[taken++] = (struct ticket){
				.job = job, .seq = sequencer->ring.next - 1
			};
	}
	set_busy(sequencer, worker, busy + taken);
	if (busy + taken > 0 &&
	    (view->source_waits || (taken == max && max > 0)))
		pass_on(sequencer);
	/* Before the remarks: the source may wait for their emission. */
	view->changes = sequencer->changes;
	view->closings = exchange->closings;
	if (remarks)
		drain(sequencer);
	view->head = sequencer->ring.head;
	view->ended = sequencer->ended;
	view->idle_workers = exchange_wants_lanes(exchange);
	pthread_mutex_unlock(&sequencer->lock);
	return taken;
}

/* Waiting ----------------------------------------------------------------- */

void
sequencer_wait(struct sequencer *sequencer, const struct sequencer_view *view)
{
	pthread_mutex_lock(&sequencer->lock);
	while (sequencer->changes == view->changes)
		pthread_cond_wait(&sequencer->changed, &sequencer->lock);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Does the source wait even now?  Another worker may have asked it since. */
static bool
source_waits(const struct sequencer *sequencer,
	     const struct sequencer_view *view)
{
	return view->source_waits && sequencer->source->wait_fd >= 0;
}

/* One idle worker waits for the source's descriptor, the others for it.
 * Called and left with the lock held. */
static void
poll_source(struct sequencer *sequencer)
{
	struct pollfd input = { .fd = sequencer->source->wait_fd,
				.events = POLLIN };

	sequencer->polling = true;
	pthread_mutex_unlock(&sequencer->lock);
	poll(&input, 1, -1);
	pthread_mutex_lock(&sequencer->lock);
	sequencer->polling = false;
	wake_busy(sequencer);
}

void
sequencer_wait_source(struct sequencer *sequencer, unsigned worker,
		      const struct sequencer_view *view)
{
	pthread_mutex_lock(&sequencer->lock);
	set_busy(sequencer, worker, 0);
	if (sequencer->changes == view->changes &&
	    source_waits(sequencer, view) && !sequencer->polling)
		poll_source(sequencer);
	while (sequencer->changes == view->changes)
		pthread_cond_wait(&sequencer->changed, &sequencer->lock);
	pthread_mutex_unlock(&sequencer->lock);
}

bool
sequencer_wait_idle(struct sequencer *sequencer, unsigned worker,
		    const struct sequencer_view *view)
{
	struct exchange *exchange = &sequencer->exchange;
	bool more = true;

	pthread_mutex_lock(&sequencer->lock);
	set_busy(sequencer, worker, 0);
	/* What has changed may be work for it. */
	if (sequencer->ended && exchange->noffers == 0 &&
	    sequencer->changes == view->changes)
		more = sequencer->feeding ||
		       exchange_others_are_busy(exchange, worker);
	if (more && sequencer->changes == view->changes &&
	    exchange->noffers == 0) {
		if (!sequencer->feeding && source_waits(sequencer, view) &&
		    !sequencer->polling) {
			poll_source(sequencer);
		} else {
			exchange->idle++;
			while (sequencer->changes == view->changes &&
			       exchange->noffers == 0)
				pthread_cond_wait(&sequencer->work,
						  &sequencer->lock);
			exchange->idle--;
		}
	}
	pthread_mutex_unlock(&sequencer->lock);
	return more;
}

/* Between workers --------------------------------------------------------- */

bool
sequencer_offer(struct sequencer *sequencer, unsigned worker, void **lanes,
		unsigned n)
{
	pthread_mutex_lock(&sequencer->lock);
	bool offered = exchange_offer(&sequencer->exchange, worker, lanes, n);
	if (offered)
		wake_idle(sequencer, n);
	pthread_mutex_unlock(&sequencer->lock);
	return offered;
}

void *
sequencer_accept(struct sequencer *sequencer, unsigned worker)
{
	pthread_mutex_lock(&sequencer->lock);
	void *lane = exchange_accept(&sequencer->exchange, worker);
	pthread_mutex_unlock(&sequencer->lock);
	return lane;
}

bool
sequencer_starve(struct sequencer *sequencer, unsigned worker,
		 const struct sequencer_view *view)
{
	struct exchange *exchange = &sequencer->exchange;
	bool others;

	pthread_mutex_lock(&sequencer->lock);
	others = exchange_starve(exchange, worker, view->closings);
	/* Whoever closed one may have woken no one. */
	if (exchange->closings != view->closings)
		wake_busy(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
	return others;
}
