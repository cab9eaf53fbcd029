/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/sequencer.h"

#include <poll.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A worker that has taken this many small jobs calls for help. */
enum { JOBS_BEFORE_HELP = 32 };

/* The supply of the workers ------------------------------------------------- */

static unsigned
supply_take(struct job_supply *supply, unsigned worker, unsigned busy,
	    struct job **jobs, unsigned most, struct sequencer_view *view)
{
	return sequencer_take((struct sequencer *)supply, worker, busy, jobs,
			      most, view);
}

static struct message *
supply_accept(struct job_supply *supply, unsigned worker,
	      enum job_supply_need need, uint64_t head)
{
	(void)head;
	if (need != SUPPLY_WORKER_IDLE)
		return NULL;
	return sequencer_accept((struct sequencer *)supply, worker);
}

static uint64_t
supply_note_hashed(struct job_supply *supply, unsigned worker, uint64_t nblocks)
{
	(void)supply, (void)worker, (void)nblocks;
	return 0;
}

/* A worker of this supply has been given all that there is. */
static bool
supply_note_idle(struct job_supply *supply, unsigned worker)
{
	(void)supply, (void)worker;
	return false;
}

static bool
supply_wants_workers(struct job_supply *supply, uint64_t jobs_seen,
		     const struct sequencer_view *view)
{
	(void)supply;
	return !view->ended && jobs_seen >= JOBS_BEFORE_HELP;
}

/* Jobs in one allocation. */
struct job_chunk {
	struct job_chunk *next;
	struct job jobs[SEQUENCER_CHUNK];
};

static void
put_spare(struct sequencer *sequencer, struct job *job)
{
	job->later = sequencer->spare;
	sequencer->spare = job;
}

static void
add_spare(struct sequencer *sequencer, struct job *jobs)
{
	for (unsigned i = SEQUENCER_CHUNK; i-- > 0;)
		put_spare(sequencer, &jobs[i]);
}

/* Return a job that is not in use, or NULL where memory is short.  Lock held. */
static struct job *
take_spare(struct sequencer *sequencer)
{
	struct job *job;

	if (!sequencer->spare) {
		struct job_chunk *chunk = malloc(sizeof(*chunk));

		if (!chunk)
			return NULL;
		chunk->next = sequencer->chunks;
		sequencer->chunks = chunk;
		add_spare(sequencer, chunk->jobs);
	}
	job = sequencer->spare;
	sequencer->spare = job->later;
	return job;
}

void
sequencer_init(struct sequencer *sequencer, struct source *source,
	       struct pool *pool, unsigned max_workers)
{
	const struct job_supply supply = {
		.take = supply_take,
		.accept = supply_accept,
		.note_hashed = supply_note_hashed,
		.note_idle = supply_note_idle,
		.wants_workers = supply_wants_workers,
	};

	memset(sequencer, 0, sizeof(*sequencer));
	sequencer->supply = supply;
	sequencer->source = source;
	sequencer->pool = pool;
	sequencer->fetch_index = -1;
	sequencer->max_workers = max_workers < SEQUENCER_WORKERS ?
					 max_workers :
					 SEQUENCER_WORKERS;
	add_spare(sequencer, sequencer->first_jobs);
	pthread_mutex_init(&sequencer->lock, NULL);
	pthread_cond_init(&sequencer->changed, NULL);
	pthread_cond_init(&sequencer->work, NULL);
}

void
sequencer_destroy(struct sequencer *sequencer)
{
	/* It may still hold the lock, in its last lines. */
	pool_recall(sequencer->pool, &sequencer->source_task);
	struct job_chunk *chunk;

	while ((chunk = sequencer->chunks) != NULL) {
		sequencer->chunks = chunk->next;
		free(chunk);
	}
	pthread_cond_destroy(&sequencer->work);
	pthread_cond_destroy(&sequencer->changed);
	pthread_mutex_destroy(&sequencer->lock);
}

int
sequencer_add_worker(struct sequencer *sequencer)
{
	int worker = -1;

	pthread_mutex_lock(&sequencer->lock);
	if (sequencer->nworkers < sequencer->max_workers)
		worker = (int)sequencer->nworkers++;
	pthread_mutex_unlock(&sequencer->lock);
	return worker;
}

/* Waking; lock held --------------------------------------------------------- */

static void
wake_busy(struct sequencer *sequencer)
{
	sequencer->changes++;
	pthread_cond_broadcast(&sequencer->changed);
	/* A job that the dispatch or fetch keeps until it is the oldest may go
	 * to an idle worker: any change can be the one that makes it so. */
	if (sequencer->wakes_idle)
		pthread_cond_broadcast(&sequencer->work);
}

static void
wake_all(struct sequencer *sequencer)
{
	wake_busy(sequencer);
	pthread_cond_broadcast(&sequencer->work);
}

/* Wake the busy workers and n idle ones. */
static void
wake_idle(struct sequencer *sequencer, unsigned n)
{
	wake_busy(sequencer);
	for (; n > 0; n--)
		pthread_cond_signal(&sequencer->work);
}

/* Workers ------------------------------------------------------------------- */

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
	sequencer->wakes_idle = true;
	wake_all(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Has some other worker a job?  Lock held. */
static bool
others_are_busy(const struct sequencer *sequencer, unsigned worker)
{
	for (unsigned other = 0; other < sequencer->nworkers; other++)
		if (other != worker && sequencer->busy[other] > 0)
			return true;
	return false;
}

/* The worker has `busy` lanes with a job from now on.  Lock held. */
static void
count_busy(struct sequencer *sequencer, unsigned worker, unsigned busy)
{
	sequencer->working += busy > 0;
	sequencer->working -= sequencer->busy[worker] > 0;
	sequencer->busy[worker] = busy;
}

/*
 * A starving worker has to learn that no other one is left to close a
 * descriptor, and the idle that none is left to offer messages.  Lock held.
 */
static void
set_busy(struct sequencer *sequencer, unsigned worker, unsigned busy)
{
	const bool ends = busy == 0 && sequencer->busy[worker] > 0;

	count_busy(sequencer, worker, busy);
	sequencer->closings += ends;
	if (!ends)
		return;
	if (sequencer->ended && !others_are_busy(sequencer, worker))
		wake_all(sequencer);
	else if (sequencer->starving)
		wake_busy(sequencer);
}

void
sequencer_set_busy(struct sequencer *sequencer, unsigned worker, unsigned busy)
{
	pthread_mutex_lock(&sequencer->lock);
	set_busy(sequencer, worker, busy);
	pthread_mutex_unlock(&sequencer->lock);
}

void
sequencer_add_busy(struct sequencer *sequencer, unsigned worker)
{
	pthread_mutex_lock(&sequencer->lock);
	count_busy(sequencer, worker, sequencer->busy[worker] + 1);
	pthread_mutex_unlock(&sequencer->lock);
}

void
sequencer_move_busy(struct sequencer *sequencer, unsigned from, unsigned to)
{
	sequencer_add_busy(sequencer, to);
	pthread_mutex_lock(&sequencer->lock);
	count_busy(sequencer, from, sequencer->busy[from] - 1);
	pthread_mutex_unlock(&sequencer->lock);
}

void
sequencer_note_ready(struct sequencer *sequencer, bool early)
{
	pthread_mutex_lock(&sequencer->lock);
	sequencer->wakes_idle |= early;
	wake_idle(sequencer, 1);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Emission ---------------------------------------------------------------- */

/* Return how many jobs are next in line and done.  Lock held. */
static uint64_t
count_done(const struct sequencer *sequencer)
{
	const struct job *job = sequencer->oldest;
	uint64_t n = 0;

	for (; job && job->done; job = job->later)
		n++;
	return n;
}

/* Emit n jobs from this one on.  Return how many bytes they held.  No lock
 * held. */
static size_t
emit(struct source *source, struct job *job, uint64_t n)
{
	size_t released = 0;

	for (; n > 0; n--) {
		released += job->held_bytes;
		source->emit(source, job);
		/* That of the newest one may be set just now. */
		if (n > 1)
			job = job->later;
	}
	return released;
}

/* The n oldest jobs were emitted.  Lock held. */
static void
pass(struct sequencer *sequencer, uint64_t n)
{
	sequencer->head += n;
	for (; n > 0; n--) {
		struct job *job = sequencer->oldest;

		sequencer->oldest = job->later;
		put_spare(sequencer, job);
	}
}

/*
 * Emit all jobs that are next in line and done, and flush when there are no
 * more.  Called and left with the lock held.
 */
static void
drain(struct sequencer *sequencer)
{
	bool unflushed = false;

	if (sequencer->emitting)
		return;
	sequencer->emitting = true;
	for (;;) {
		const uint64_t n = count_done(sequencer);
		struct job *oldest = sequencer->oldest;
		size_t released;

		if (n == 0 && !unflushed)
			break;
		unflushed = n > 0;
		pthread_mutex_unlock(&sequencer->lock);
		released = emit(sequencer->source, oldest, n);
		if (!unflushed)
			sequencer->source->flush(sequencer->source);
		pthread_mutex_lock(&sequencer->lock);
		if (unflushed) {
			sequencer->held_bytes -= released;
			pass(sequencer, n);
			wake_idle(sequencer, sequencer->stalled);
			sequencer->stalled = false;
		}
	}
	sequencer->emitting = false;
}

void
sequencer_publish(struct sequencer *sequencer, struct job *const *jobs,
		  unsigned n)
{
	pthread_mutex_lock(&sequencer->lock);
	for (unsigned i = 0; i < n; i++)
		jobs[i]->done = true;
	/* They have closed their descriptors. */
	sequencer->closings++;
	if (sequencer->starving)
		wake_busy(sequencer);
	sequencer->starving = false;
	drain(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Taking ------------------------------------------------------------------ */

/*
 * Return the next job of the source, or NULL if there is none, or no room for it.
 * Lock held.
 */
static struct job *
ask_source(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct source *source = sequencer->source;
	struct job *job;

	if (sequencer->ended || sequencer->polling)
		return NULL;
	if (sequencer->next - sequencer->head >= SEQUENCER_JOBS ||
	    sequencer->held_bytes >= SEQUENCER_HELD_BYTES) {
		sequencer->stalled = true;
		return NULL;
	}
	job = take_spare(sequencer);
	if (!job) {
		sequencer->stalled = true;
		return NULL;
	}
	memset(job, 0, sizeof(*job));
	switch (source->next(source, job, sequencer->next == sequencer->head)) {
	case SOURCE_JOB: break;
	case SOURCE_LATER:
		view->source_waits = source->wait_fd >= 0;
		sequencer->stalled |= !view->source_waits;
		put_spare(sequencer, job);
		return NULL;
	case SOURCE_END:
		put_spare(sequencer, job);
		sequencer->ended = true;
		wake_all(sequencer);
		return NULL;
	}
	sequencer->held_bytes += job->held_bytes;
	job->seq = sequencer->next++;
	if (sequencer->oldest)
		sequencer->newest->later = job;
	else
		sequencer->oldest = job;
	sequencer->newest = job;
	return job;
}

struct job *
sequencer_look_ahead(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct job *job;

	pthread_mutex_lock(&sequencer->lock);
	view->source_waits = false;
	job = ask_source(sequencer, view);
	if (job && !sequencer->looked_at)
		sequencer->looked_at = job;
	pthread_mutex_unlock(&sequencer->lock);
	return job;
}

/* A remark is done when it is taken.  Lock held. */
static struct job *
take_job(struct sequencer *sequencer, struct sequencer_view *view)
{
	struct job *job = sequencer->looked_at;

	if (job)
		sequencer->looked_at = job->later;
	else
		job = ask_source(sequencer, view);
	if (job)
		job->done = job->kind == JOB_REMARK;
	return job;
}

unsigned
sequencer_take(struct sequencer *sequencer, unsigned worker, unsigned busy,
	       struct job **jobs, unsigned most, struct sequencer_view *view)
{
	unsigned taken = 0;
	bool remarks = false, has_ended;

	pthread_mutex_lock(&sequencer->lock);
	view->source_waits = false;
	while (taken < most) {
		struct job *job = take_job(sequencer, view);

		if (!job)
			break;
		if (job->done)
			remarks = true;
		else
			jobs[taken++] = job;
	}
	has_ended = sequencer->ended && !sequencer->looked_at;
	set_busy(sequencer, worker, busy + taken);
	/* There may be more jobs, or a worker has to wait for the source: wake
	 * an idle one for that, which will do the same here. */
	if (busy + taken > 0 &&
	    (view->source_waits || (taken == most && most > 0)) &&
	    sequencer->idle > 0 && !has_ended && !sequencer->polling)
		wake_idle(sequencer, 1);
	/* Before the remarks: the source may wait for their emission. */
	view->changes = sequencer->changes;
	view->closings = sequencer->closings;
	if (remarks)
		drain(sequencer);
	view->head = sequencer->head;
	view->ended = has_ended;
	view->idle_workers = sequencer->idle > sequencer->noffers;
	view->working = sequencer->working;
	pthread_mutex_unlock(&sequencer->lock);
	return taken;
}

/* Waiting ----------------------------------------------------------------- */

/* Could the worker go on with none of its jobs since the last descriptor was
 * closed?  Lock held. */
static bool
is_stuck(const struct sequencer *sequencer, unsigned worker)
{
	return sequencer->stuck[worker] == sequencer->closings + 1 ||
	       sequencer->stuck[worker] == SEQUENCER_STUCK;
}

/* A worker that starves has to learn that no other one can go on.  Lock held. */
static void
set_stuck(struct sequencer *sequencer, unsigned worker, uint64_t stuck)
{
	const bool was_stuck = is_stuck(sequencer, worker);

	sequencer->stuck[worker] = stuck;
	if (!was_stuck && sequencer->starving && is_stuck(sequencer, worker))
		wake_busy(sequencer);
}

void
sequencer_set_stuck(struct sequencer *sequencer, unsigned worker, bool stuck)
{
	pthread_mutex_lock(&sequencer->lock);
	set_stuck(sequencer, worker, stuck ? SEQUENCER_STUCK : 0);
	pthread_mutex_unlock(&sequencer->lock);
}

void
sequencer_wait(struct sequencer *sequencer, unsigned worker,
	       const struct sequencer_view *view)
{
	pthread_mutex_lock(&sequencer->lock);
	set_stuck(sequencer, worker, view->closings + 1);
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

/* Wait for the source's descriptor.  Called and left with the lock held. */
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

/* A task of the pool. */
static void
run_source_task(struct task *task)
{
	struct sequencer *sequencer =
		(struct sequencer *)((char *)task -
				     offsetof(struct sequencer, source_task));

	pthread_mutex_lock(&sequencer->lock);
	poll_source(sequencer);
	pthread_cond_signal(&sequencer->work);
	pthread_mutex_unlock(&sequencer->lock);
}

/* Return whether fetchers will have something for an idle worker.  Lock held. */
static bool
is_fetching(const struct sequencer *sequencer)
{
	return sequencer->fetch_index >= 0 &&
	       sequencer->busy[sequencer->fetch_index] > 0;
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
	bool more = true;

	pthread_mutex_lock(&sequencer->lock);
	set_busy(sequencer, worker, 0);
	/* What has changed may be work for this worker. */
	if (sequencer->changes != view->changes || sequencer->noffers > 0)
		goto out;
	if (sequencer->ended) {
		more = sequencer->feeding || others_are_busy(sequencer, worker);
		if (!more)
			goto out;
	}
	if (!sequencer->feeding && source_waits(sequencer, view) &&
	    !sequencer->polling) {
		/* The only idle worker is also for what fetchers read. */
		sequencer->source_task.run = run_source_task;
		sequencer->polling =
			sequencer->idle == 0 && is_fetching(sequencer) &&
			pool_post(sequencer->pool, &sequencer->source_task);
		if (!sequencer->polling) {
			poll_source(sequencer);
			goto out;
		}
	}
	sequencer->idle++;
	while (sequencer->changes == view->changes && sequencer->noffers == 0)
		pthread_cond_wait(&sequencer->work, &sequencer->lock);
	sequencer->idle--;
out:
	pthread_mutex_unlock(&sequencer->lock);
	return more;
}

/* Between workers --------------------------------------------------------- */

bool
sequencer_offer(struct sequencer *sequencer, unsigned worker,
		struct message *message)
{
	bool wanted;

	pthread_mutex_lock(&sequencer->lock);
	wanted = sequencer->idle > 0 && sequencer->noffers < SEQUENCER_OFFERS;
	if (wanted) {
		sequencer->offers[sequencer->noffers++] = message;
		count_busy(sequencer, worker, sequencer->busy[worker] - 1);
		wake_idle(sequencer, 1);
	}
	pthread_mutex_unlock(&sequencer->lock);
	return wanted;
}

struct message *
sequencer_accept(struct sequencer *sequencer, unsigned worker)
{
	struct message *message = NULL;

	pthread_mutex_lock(&sequencer->lock);
	if (sequencer->noffers > 0) {
		message = sequencer->offers[--sequencer->noffers];
		count_busy(sequencer, worker, sequencer->busy[worker] + 1);
	}
	pthread_mutex_unlock(&sequencer->lock);
	return message;
}

bool
sequencer_starve(struct sequencer *sequencer, unsigned worker,
		 const struct sequencer_view *view)
{
	bool others, wakes;

	pthread_mutex_lock(&sequencer->lock);
	/* A descriptor may have been closed without a wake-up. */
	wakes = sequencer->closings != view->closings;
	others = wakes || sequencer->noffers > 0;
	for (unsigned i = 0; i < sequencer->nworkers; i++) {
		if (i == worker || sequencer->busy[i] == 0 ||
		    is_stuck(sequencer, i))
			continue;
		others = true;
		/* It waits, and does not know of the last one. */
		wakes |= sequencer->stuck[i] > 0;
		sequencer->stuck[i] = 0;
	}
	sequencer->starving = others;
	if (wakes)
		wake_busy(sequencer);
	pthread_mutex_unlock(&sequencer->lock);
	return others;
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
