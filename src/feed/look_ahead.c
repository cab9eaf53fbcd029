/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/look_ahead.h"

#include <sys/stat.h>

#include "src/base/clock.h"
#include "src/feed/team.h"

enum {
	/* Jobs taken from the sequencer at a time. */
	CHUNK = 64,
	/* Chunks that tell how many threads should look up the others. */
	CHUNKS_ALONE = 4,
	/* Blocks of a lane in one launch. */
	LAUNCH_BLOCKS = 512
};

/* Looking up sizes takes no more of a launch of 14 ms, in which lanes have to
 * be filled, too; but what waits has to fill them evenly. */
static const double look_seconds = 0.006;

enum job_class
classify_job(struct job *job)
{
	struct stat st;

	if (job->kind == JOB_STDIN)
		return JOB_CLASS_MUST_BE_OLDEST;
	if (job->blocks > 0)
		return JOB_CLASS_SIZED;
	if (stat(job->name, &st) != 0 || S_ISDIR(st.st_mode))
		return JOB_CLASS_PLAIN;
	if (!S_ISREG(st.st_mode))
		return JOB_CLASS_MUST_BE_OLDEST;
	if (st.st_size <= 0)
		return JOB_CLASS_PLAIN;
	job->blocks = message_padded_blocks((uint64_t)st.st_size);
	return JOB_CLASS_SIZED;
}

static void
push(struct job_queue *queue, struct job *job)
{
	job->next = NULL;
	*queue->end = job;
	queue->end = &job->next;
	queue->n++;
}

/* Put each job where the dispatch has those of its class.  Lock held. */
static void
add(struct dispatch *dispatch, struct job *const *jobs,
    const enum job_class *classes, unsigned n)
{
	dispatch->looked_up += n;
	for (unsigned i = 0; i < n; i++) {
		struct job *job = jobs[i];

		if (classes[i] == JOB_CLASS_MUST_BE_OLDEST) {
			dispatch_keep_until_oldest(dispatch, job);
		} else if (classes[i] == JOB_CLASS_PLAIN ||
			   !work_split_add(&dispatch->split, job->blocks,
					   job)) {
			/* Where memory is short, the queue needs none. */
			push(&dispatch->plain, job);
		} else {
			dispatch->seen.messages++;
			dispatch->seen.blocks += job->blocks;
		}
	}
}

void
dispatch_begin_again(struct dispatch *dispatch, struct job *job)
{
	const enum job_class class = JOB_CLASS_SIZED;

	job->begins_again = true;
	job->begun_by_device = false;
	pthread_mutex_lock(&dispatch->lock);
	add(dispatch, &job, &class, 1);
	pthread_mutex_unlock(&dispatch->lock);
}

/* A caller that wants many jobs waits for the current look-up to end. */
static bool
begin_looking(struct dispatch *dispatch, unsigned most)
{
	bool begun;

	pthread_mutex_lock(&dispatch->lock);
	while (dispatch->looking && most > CHUNK)
		pthread_cond_wait(&dispatch->looked, &dispatch->lock);
	begun = !dispatch->looking && !dispatch->ended &&
		dispatch->split.waiting < most;
	dispatch->looking |= begun;
	dispatch->looks += begun && most > CHUNK;
	pthread_mutex_unlock(&dispatch->lock);
	return begun;
}

/* Is less waiting than lanes could hash in two launches, or than one message
 * for each of them?  Lock held. */
static bool
is_short_of_work(const struct dispatch *dispatch)
{
	return dispatch->split.waiting < dispatch->nlanes ||
	       dispatch->split.blocks <
		       2 * (uint64_t)dispatch->nlanes * LAUNCH_BLOCKS;
}

/* A caller's threads that look up sizes. */
struct look {
	struct dispatch *dispatch;
	unsigned worker, busy, most;
	uint64_t begun_ns;
	/* Under the lock of the dispatch: */
	unsigned all;	/* jobs taken */
	bool is_closed; /* the source had no more, as *view says */
	struct sequencer_view *view;
};

/*
 * May its threads look up more sizes?  For a model it is their number that
 * counts, whichever threads have looked them up.  Lock held.
 */
static bool
has_time_to_look(const struct look *look)
{
	const struct dispatch *dispatch = look->dispatch;

	if (dispatch->look_seconds > 0)
		return (double)dispatch->looked_up * dispatch->look_seconds <
		       dispatch->looks * look_seconds;
	return (double)(clock_ns() - look->begun_ns) * 1e-9 < look_seconds;
}

static bool
goes_on(struct look *look)
{
	struct dispatch *dispatch = look->dispatch;
	bool more;

	pthread_mutex_lock(&dispatch->lock);
	more = !look->is_closed && look->all < look->most &&
	       (is_short_of_work(dispatch) || has_time_to_look(look));
	pthread_mutex_unlock(&dispatch->lock);
	return more;
}

/* Look up the sizes of some jobs. */
static void
look_up_chunk(struct look *look)
{
	struct dispatch *dispatch = look->dispatch;
	struct job *jobs[CHUNK];
	enum job_class classes[CHUNK];
	struct sequencer_view view;
	unsigned busy, n;

	pthread_mutex_lock(&dispatch->lock);
	busy = look->busy + look->all;
	pthread_mutex_unlock(&dispatch->lock);
	n = sequencer_take(dispatch->sequencer, look->worker, busy, jobs, CHUNK,
			   &view);
	for (unsigned i = 0; i < n; i++)
		classes[i] = classify_job(jobs[i]);
	pthread_mutex_lock(&dispatch->lock);
	add(dispatch, jobs, classes, n);
	look->all += n;
	if (!look->is_closed)
		*look->view = view;
	look->is_closed |= n < CHUNK;
	pthread_mutex_unlock(&dispatch->lock);
}

static void
look_up_part(void *task, unsigned part, unsigned parts)
{
	(void)part, (void)parts;
	while (goes_on(task))
		look_up_chunk(task);
}

/* How many threads should look up sizes of files such as those seen? */
static unsigned
count_fillers(struct dispatch *dispatch)
{
	struct work_rates rates;

	pthread_mutex_lock(&dispatch->lock);
	dispatch_rates(dispatch, &rates);
	pthread_mutex_unlock(&dispatch->lock);
	return rates.fillers;
}

static void
end_looking(const struct look *look)
{
	struct dispatch *dispatch = look->dispatch;

	pthread_mutex_lock(&dispatch->lock);
	dispatch->looking = false;
	pthread_cond_signal(&dispatch->looked);
	if (look->view->ended) {
		dispatch->ended = true;
		work_split_end(&dispatch->split);
	}
	pthread_mutex_unlock(&dispatch->lock);
	if (look->all > 0 || look->view->ended)
		sequencer_wake(dispatch->sequencer);
}

void
dispatch_look_ahead(struct dispatch *dispatch, unsigned worker, unsigned busy,
		    unsigned most, struct sequencer_view *view)
{
	struct look look = { .dispatch = dispatch,
			     .worker = worker,
			     .busy = busy,
			     .most = most,
			     .begun_ns = clock_ns(),
			     .view = view };

	if (!begin_looking(dispatch, most)) {
		sequencer_take(dispatch->sequencer, worker, busy, NULL, 0,
			       view);
		return;
	}
	for (unsigned i = 0; i < CHUNKS_ALONE && goes_on(&look); i++)
		look_up_chunk(&look);
	if (goes_on(&look))
		team_run(count_fillers(dispatch), look_up_part, &look);
	if (look.all == 0 && !look.is_closed)
		sequencer_take(dispatch->sequencer, worker, busy, NULL, 0,
			       view);
	end_looking(&look);
}
