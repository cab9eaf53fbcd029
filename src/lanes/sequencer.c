/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/sequencer.h"

#include <assert.h>
#include <poll.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of a wait for the source that nothing else ends. */
enum { MAX_POLL_MS = 20 };

/* Memory ---------------------------------------------------------------------- */

static void
put_spare(struct sequencer *sequencer, struct message *message)
{
	message->later = sequencer->spare;
	sequencer->spare = message;
}

/* Return an unused message, or NULL if memory is short. */
static struct message *
take_spare(struct sequencer *sequencer)
{
	struct message *message;

	assert(sequencer->lock.is_held);
	message = sequencer->spare;
	if (!message)
		return calloc(1, sizeof(*message));
	sequencer->spare = message->later;
	return message;
}

void
sequencer_init(struct sequencer *sequencer, struct source *source,
	       struct pool *pool, unsigned max_workers)
{
	memset(sequencer, 0, sizeof(*sequencer));
	sequencer->source = source;
	sequencer->pool = pool;
	handover_init(&sequencer->handover,
		      pool->max_threads + pool->max_threads / 2);
	sequencer->max_workers = max_workers < SEQUENCER_WORKERS ?
					 max_workers :
					 SEQUENCER_WORKERS;
	put_spare(sequencer, &sequencer->first);
	lock_init(&sequencer->lock);
	pthread_cond_init(&sequencer->changed, NULL);
}

static void
free_messages(struct sequencer *sequencer, struct message *message)
{
	while (message) {
		struct message *later = message->later;

		if (message != &sequencer->first)
			free(message);
		message = later;
	}
}

void
sequencer_destroy(struct sequencer *sequencer)
{
	/* It may still hold the lock, in its last lines. */
	pool_recall(sequencer->pool, &sequencer->source_task);
	free_messages(sequencer, sequencer->oldest);
	free_messages(sequencer, sequencer->spare);
	pthread_cond_destroy(&sequencer->changed);
	lock_destroy(&sequencer->lock);
}

int
sequencer_add_worker(struct sequencer *sequencer)
{
	int worker = -1;

	lock_take(&sequencer->lock);
	if (sequencer->nworkers < sequencer->max_workers)
		worker = (int)sequencer->nworkers++;
	lock_release(&sequencer->lock);
	return worker;
}

bool
sequencer_is_oldest(struct sequencer *sequencer, const struct job *job)
{
	bool is_oldest;

	lock_take(&sequencer->lock);
	is_oldest = sequencer->head == job->seq;
	lock_release(&sequencer->lock);
	return is_oldest;
}

/* Waking ------------------------------------------------------------------- */

void
sequencer_wake_locked(struct sequencer *sequencer)
{
	assert(sequencer->lock.is_held);
	sequencer->version++;
	if (sequencer->sleepers > 0)
		pthread_cond_broadcast(&sequencer->changed);
}

void
sequencer_wake(struct sequencer *sequencer)
{
	lock_take(&sequencer->lock);
	sequencer_wake_locked(sequencer);
	lock_release(&sequencer->lock);
}

/* Return true if no job is under way, and none will come. */
static bool
is_over(const struct sequencer *sequencer)
{
	assert(sequencer->lock.is_held);
	return sequencer->ended && !sequencer->oldest;
}

/* Emission ---------------------------------------------------------------- */

/* Return how many jobs are next in line and done. */
static uint64_t
count_done(const struct sequencer *sequencer)
{
	const struct message *message = sequencer->oldest;
	uint64_t n = 0;

	assert(sequencer->lock.is_held);
	for (; message && message->job.done; message = message->later)
		n++;
	return n;
}

/* Return the memory of a job that is under way. */
static size_t
held_by(const struct message *message)
{
	return sizeof(*message) + message->job.held_bytes;
}

/* Emit n jobs from this one on.  Return how many bytes they held.  No lock
 * held. */
static size_t
emit(struct source *source, struct message *message, uint64_t n)
{
	size_t released = 0;

	for (; n > 0; n--) {
		released += held_by(message);
		source->emit(source, &message->job);
		/* The newest one's link may be set just now. */
		if (n > 1)
			message = message->later;
	}
	return released;
}

/* Drop the n oldest jobs, which were emitted. */
static void
pass(struct sequencer *sequencer, uint64_t n)
{
	assert(sequencer->lock.is_held);
	sequencer->head += n;
	for (; n > 0; n--) {
		struct message *message = sequencer->oldest;

		sequencer->oldest = message->later;
		put_spare(sequencer, message);
	}
}

/*
 * Emit all jobs that are next in line and done, and flush when there are no
 * more.  Releases the lock meanwhile.
 */
static void
drain(struct sequencer *sequencer)
{
	bool unflushed = false;

	assert(sequencer->lock.is_held);
	if (sequencer->emitting)
		return;
	sequencer->emitting = true;
	for (;;) {
		const uint64_t n = count_done(sequencer);
		struct message *oldest = sequencer->oldest;
		size_t released;

		if (n == 0 && !unflushed)
			break;
		unflushed = n > 0;
		lock_release(&sequencer->lock);
		released = emit(sequencer->source, oldest, n);
		if (!unflushed)
			sequencer->source->flush(sequencer->source);
		lock_take(&sequencer->lock);
		if (!unflushed)
			continue;
		sequencer->held_bytes -= released;
		pass(sequencer, n);
		handover_admit(sequencer);
		if (sequencer->stalled || sequencer->has_device ||
		    is_over(sequencer))
			sequencer_wake_locked(sequencer);
		sequencer->stalled = false;
	}
	sequencer->emitting = false;
}

void
sequencer_publish(struct sequencer *sequencer, struct job *const *jobs,
		  unsigned n)
{
	lock_take(&sequencer->lock);
	for (unsigned i = 0; i < n; i++) {
		assert(!jobs[i]->done);
		token_drop(sequencer, jobs[i]);
		jobs[i]->done = true;
	}
	handover_admit(sequencer);
	if (sequencer->stalled)
		sequencer_wake_locked(sequencer);
	sequencer->stalled = false;
	drain(sequencer);
	lock_release(&sequencer->lock);
}

/* Taking ------------------------------------------------------------------ */

/* Return the source's next job, or NULL if it has none, or there is no room. */
static struct message *
ask_source(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct source *source = sequencer->source;
	struct message *message;
	struct job *job;

	assert(sequencer->lock.is_held);
	if (sequencer->ended || sequencer->polling)
		return NULL;
	if (sequencer->held_bytes >= SEQUENCER_BYTES) {
		sequencer->stalled = true;
		return NULL;
	}
	message = take_spare(sequencer);
	if (!message) {
		sequencer->stalled = true;
		return NULL;
	}
	job = &message->job;
	*job = (struct job){ .seq = sequencer->next };
	message->later = NULL;
	switch (source->next(source, job, sequencer->next == sequencer->head)) {
	case SOURCE_JOB: break;
	case SOURCE_LATER:
		view->source_waits = source->wait_fd >= 0;
		sequencer->stalled |= !view->source_waits;
		put_spare(sequencer, message);
		return NULL;
	case SOURCE_END:
		put_spare(sequencer, message);
		sequencer->ended = true;
		sequencer_wake_locked(sequencer);
		return NULL;
	}
	sequencer->held_bytes += held_by(message);
	job->seq = sequencer->next++;
	if (sequencer->oldest)
		sequencer->newest->later = message;
	else
		sequencer->oldest = message;
	sequencer->newest = message;
	return message;
}

struct job *
sequencer_look_ahead(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct message *message;

	lock_take(&sequencer->lock);
	view->source_waits = false;
	message = ask_source(sequencer, view);
	if (message && !sequencer->looked_at)
		sequencer->looked_at = message;
	lock_release(&sequencer->lock);
	return message ? &message->job : NULL;
}

/* Take the next job, or return NULL.  A remark is done when it is taken. */
static struct job *
take_job(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct message *message = sequencer->looked_at;

	if (message)
		sequencer->looked_at = message->later;
	else
		message = ask_source(sequencer, view);
	if (!message)
		return NULL;
	message->job.done = message->job.kind == JOB_REMARK;
	return &message->job;
}

unsigned
sequencer_take(struct sequencer *sequencer, struct job **jobs, unsigned most,
	       bool begins, struct sequencer_view *view)
{
	unsigned taken = 0;
	bool remarks = false;

	lock_take(&sequencer->lock);
	view->source_waits = false;
	while (taken < most) {
		struct job *job;

		if (begins && sequencer->oldest &&
		    !handover_has_token(&sequencer->handover)) {
			sequencer->stalled = true;
			break;
		}
		job = take_job(sequencer, view);
		if (!job)
			break;
		if (job->done) {
			remarks = true;
			continue;
		}
		jobs[taken++] = job;
		if (begins)
			token_take(sequencer, job);
	}
	view->ended = sequencer->ended && !sequencer->looked_at;
	/* There may be more jobs, or the source is to be waited for, which an
	 * idle worker finds. */
	if (taken > 0 && (view->source_waits || taken == most) &&
	    sequencer->idle > 0 && !view->ended && !sequencer->polling)
		sequencer_wake_locked(sequencer);
	/* Before the remarks: the source may wait for their emission. */
	view->version = sequencer->version;
	if (remarks)
		drain(sequencer);
	view->head = sequencer->head;
	view->is_full = handover_is_full(&sequencer->handover);
	view->idle_workers = sequencer->idle > sequencer->handover.nshared;
	view->working = sequencer->nworkers - sequencer->idle;
	lock_release(&sequencer->lock);
	return taken;
}

/* Waiting ----------------------------------------------------------------- */

/* Wait for the source's descriptor, with the lock released; at most so long, if
 * that is not negative. */
static void
poll_source(struct sequencer *sequencer, int max_ms)
{
	struct pollfd input = { .fd = sequencer->source->wait_fd,
				.events = POLLIN };

	assert(sequencer->lock.is_held);
	sequencer->polling = true;
	lock_release(&sequencer->lock);
	poll(&input, 1, max_ms);
	lock_take(&sequencer->lock);
	sequencer->polling = false;
	sequencer_wake_locked(sequencer);
}

/* A task of the pool. */
static void
run_source_task(struct task *task)
{
	struct sequencer *sequencer =
		(struct sequencer *)((char *)task -
				     offsetof(struct sequencer, source_task));

	lock_take(&sequencer->lock);
	poll_source(sequencer, -1);
	lock_release(&sequencer->lock);
}

/*
 * Have a thread of the pool wait for the source if messages that others leave are
 * for this thread: beside a device, or if it is the only idle worker.  Else wait
 * for it, but where there is no thread look after such messages now and then.
 */
static void
wait_for_source(struct sequencer *sequencer)
{
	const struct handover *handover = &sequencer->handover;

	assert(sequencer->lock.is_held);
	sequencer->source_task.run = run_source_task;
	sequencer->polling =
		(sequencer->has_device ||
		 (sequencer->idle == 0 &&
		  handover->npool + handover->nwaiting > 0)) &&
		pool_post(sequencer->pool, &sequencer->source_task);
	if (!sequencer->polling)
		poll_source(sequencer,
			    sequencer->has_device ? MAX_POLL_MS : -1);
}

bool
sequencer_wait(struct sequencer *sequencer, const struct sequencer_view *view,
	       enum sequencer_sleeper sleeper)
{
	uint64_t version = view->version;
	bool more;

	lock_take(&sequencer->lock);
	/* Workers decide anew what they take, since lanes take nothing. */
	if (sleeper == SEQUENCER_FEEDER && sequencer->version == version) {
		sequencer_wake_locked(sequencer);
		version = sequencer->version;
	}
	/* Another worker may have asked the source since. */
	if (sequencer->version == version && view->source_waits &&
	    sequencer->source->wait_fd >= 0 && !sequencer->polling &&
	    sleeper != SEQUENCER_BUSY)
		wait_for_source(sequencer);
	sequencer->sleepers++;
	sequencer->idle += sleeper == SEQUENCER_IDLE;
	while (sequencer->version == version && !is_over(sequencer)) {
		lock_wait(&sequencer->lock, &sequencer->changed);
	}
	sequencer->sleepers--;
	sequencer->idle -= sleeper == SEQUENCER_IDLE;
	more = !is_over(sequencer);
	lock_release(&sequencer->lock);
	return more;
}

/* Progress ------------------------------------------------------------------ */

/*
 * Counts are of the size that every machine loads and stores in one piece,
 * which 64 bits are not; in kibibytes they last for 4 TiB even so.
 */
static struct {
	alignas(64) size_t kib;
	size_t files;
} done[SEQUENCER_WORKERS];

void
progress_note(unsigned worker, uint64_t bytes, uint64_t files)
{
	__atomic_store_n(&done[worker].kib, (size_t)(bytes >> 10),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&done[worker].files, (size_t)files, __ATOMIC_RELAXED);
}

void
progress_sum(uint64_t *kib, uint64_t *files)
{
	*kib = *files = 0;
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++) {
		*kib += __atomic_load_n(&done[i].kib, __ATOMIC_RELAXED);
		*files += __atomic_load_n(&done[i].files, __ATOMIC_RELAXED);
	}
}
