/* SPDX-License-Identifier: MIT */
/*
 * Promise: no worker waits for something that has already come, or that will
 * never come, and a lane on offer reaches an idle worker.
 */
#include "config.h"

#include "src/lanes/sequencer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/pipeline/numbered.h"
#include "tests/support/tap.h"

static bool no_memory;

/* Linked in place of malloc (--wrap). */
void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);

void *
__wrap_malloc(size_t bytes)
{
	return no_memory ? NULL : __real_malloc(bytes);
}

/* Likewise: how often are waiting threads woken? */
static unsigned broadcasts, signals;
static const pthread_cond_t *counted; /* those of this condition */

int
__real_pthread_cond_broadcast(pthread_cond_t *condition);
int
__wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int
__real_pthread_cond_signal(pthread_cond_t *condition);
int
__wrap_pthread_cond_signal(pthread_cond_t *condition);

int
__wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
	broadcasts += condition == counted;
	return __real_pthread_cond_broadcast(condition);
}

int
__wrap_pthread_cond_signal(pthread_cond_t *condition)
{
	signals += condition == counted;
	return __real_pthread_cond_signal(condition);
}

/* A source of so many jobs. */
struct counter {
	struct source source;
	unsigned jobs, made, emitted;
	size_t held; /* bytes by each of them */
	enum source_answer at_end;
};

static enum source_answer
counter_next(struct source *source, struct job *job, bool is_oldest)
{
	struct counter *counter = (struct counter *)source;

	(void)is_oldest;
	if (counter->made == counter->jobs)
		return counter->at_end;
	numbered_write(job, counter->made++);
	job->held_bytes = counter->held;
	return SOURCE_JOB;
}

static void
counter_emit(struct source *source, struct job *job)
{
	struct counter *counter = (struct counter *)source;

	if (numbered_read(job) == counter->emitted)
		counter->emitted++;
}

static void
counter_flush(struct source *source)
{
	(void)source;
}

static struct counter counter;
static struct sequencer sequencer;

/* A sequencer with two workers, and all jobs taken by worker 0. */
static unsigned
begin(unsigned njobs, enum source_answer at_end, struct job **jobs,
      struct sequencer_view *view)
{
	counter = (struct counter){ .source = { counter_next, counter_emit,
						counter_flush, -1 },
				    .jobs = njobs,
				    .at_end = at_end };
	sequencer_init(&sequencer, &counter.source, 2);
	sequencer_add_worker(&sequencer);
	sequencer_add_worker(&sequencer);
	return sequencer_take(&sequencer, 0, 0, jobs, njobs + 1, view);
}

static void
test_memory(void)
{
	struct job *jobs[SEQUENCER_CHUNK + 1];
	struct sequencer_view view;
	unsigned first, second, last;

	no_memory = true;
	begin(0, SOURCE_LATER, jobs, &view);
	counter.jobs = SEQUENCER_CHUNK + 9;
	first = sequencer_take(&sequencer, 0, 0, jobs, SEQUENCER_CHUNK + 1,
			       &view);
	ok(first == SEQUENCER_CHUNK,
	   "without memory there are as many jobs as there is room for");
	sequencer_publish(&sequencer, jobs, 1);
	second = sequencer_take(&sequencer, 0, first - 1, jobs, 1, &view);
	ok(second == 0, "no room is used again while some of it is in use");
	for (unsigned i = 1; i < first; i++)
		sequencer_publish(&sequencer, &jobs[i], 1);
	ok(counter.emitted == first, "they are all emitted");
	last = sequencer_take(&sequencer, 0, 0, jobs, SEQUENCER_CHUNK, &view);
	ok(last == 9, "then their room is used for further ones");
	sequencer_publish(&sequencer, jobs, last);
	ok(counter.emitted == SEQUENCER_CHUNK + 9,
	   "which are emitted in order");
	sequencer_destroy(&sequencer);
	no_memory = false;
}

static void
test_starving(void)
{
	struct job *jobs[3];
	struct sequencer_view mine, other;

	/* Worker 0 has the oldest job and no descriptor for it, worker 1 has
	 * published its only job, but has not asked for more yet. */
	begin(2, SOURCE_END, jobs, &mine);
	sequencer_take(&sequencer, 0, 1, NULL, 0, &mine);
	sequencer_take(&sequencer, 1, 1, NULL, 0, &other);
	sequencer_publish(&sequencer, &jobs[1], 1);
	ok(sequencer_starve(&sequencer, 0, &mine) &&
		   sequencer.changes != mine.changes,
	   "a worker tries again if a job has ended since it tried");
	sequencer_take(&sequencer, 0, 1, NULL, 0, &mine);
	ok(sequencer_starve(&sequencer, 0, &mine) &&
		   sequencer.changes == mine.changes,
	   "it waits while another is busy");
	sequencer_take(&sequencer, 1, 0, NULL, 0, &other);
	ok(other.changes != mine.changes,
	   "it is woken up when no other one is busy any more");
	sequencer_take(&sequencer, 0, 1, NULL, 0, &mine);
	ok(!sequencer_starve(&sequencer, 0, &mine), "and then it gives up");
	sequencer_publish(&sequencer, &jobs[0], 1);
	sequencer_destroy(&sequencer);
}

/* Begin to count the idle workers that are woken; there seem to be so many. */
static void
count_woken(unsigned idle)
{
	sequencer.idle = idle;
	counted = &sequencer.work;
	broadcasts = signals = 0;
}

static void
test_wakes(void)
{
	struct job *jobs[5];
	struct sequencer_view view;
	int lanes[2];
	void *offers[2] = { &lanes[0], &lanes[1] };

	begin(4, SOURCE_LATER, jobs, &view);
	count_woken(0);
	sequencer_take(&sequencer, 1, 0, NULL, 0, &view);
	count_woken(60);
	sequencer_publish(&sequencer, &jobs[0], 1);
	ok(counter.emitted == 1 && signals == 1 && broadcasts == 0,
	   "an emission wakes one idle worker if the source waits for it");
	sequencer_publish(&sequencer, &jobs[1], 1);
	ok(counter.emitted == 2 && signals == 1 && broadcasts == 0,
	   "and else none");

	counter.source.wait_fd = STDIN_FILENO;
	count_woken(60);
	sequencer_take(&sequencer, 0, 2, jobs, 1, &view);
	ok(signals == 1 && broadcasts == 0,
	   "a worker with jobs wakes one that waits for the source");
	sequencer.polling = true;
	count_woken(60);
	sequencer_take(&sequencer, 0, 2, jobs, 1, &view);
	ok(signals == 0 && broadcasts == 0, "unless one does so already");
	sequencer.polling = false;

	counter.jobs += 3;
	counter.source.wait_fd = -1;
	count_woken(60);
	ok(sequencer_take(&sequencer, 0, 2, jobs, 2, &view) == 2 &&
		   signals == 1 && broadcasts == 0,
	   "a worker whose lanes are full wakes another one for the rest");
	count_woken(60);
	ok(sequencer_take(&sequencer, 1, 0, jobs, 2, &view) == 1 &&
		   signals == 0 && broadcasts == 0,
	   "which takes it, and wakes none");

	count_woken(60);
	ok(sequencer_offer(&sequencer, 0, offers, 2) && signals == 2 &&
		   broadcasts == 0,
	   "two lanes on offer wake two");
	sequencer_accept(&sequencer, 0);
	sequencer_accept(&sequencer, 0);

	count_woken(60);
	sequencer_take(&sequencer, 1, 0, NULL, 0, &view);
	ok(signals == 0 && broadcasts == 0,
	   "a worker without any more jobs wakes none while there is a source");
	counter.at_end = SOURCE_END;
	sequencer_take(&sequencer, 1, 0, jobs, 1, &view);
	ok(broadcasts == 1, "the end of the source wakes all");
	count_woken(60);
	sequencer_take(&sequencer, 0, 0, NULL, 0, &view);
	ok(broadcasts == 1, "and so does the end of the last job");
	sequencer.idle = 0;
	sequencer_destroy(&sequencer);
}

/* Workers on threads of their own ------------------------------------------ */

static struct sequencer_view waiting_view;
static bool more_work;
static pid_t waiting_thread;

static void *
wait_with_jobs(void *arg)
{
	(void)arg;
	__atomic_store_n(&waiting_thread, gettid(), __ATOMIC_RELEASE);
	sequencer_wait(&sequencer, &waiting_view);
	return NULL;
}

/* Until the thread that is about to wait does so. */
static void
await_sleep(void)
{
	char path[64], line[512], *name_end;
	pid_t thread;

	while (!(thread = __atomic_load_n(&waiting_thread, __ATOMIC_ACQUIRE)))
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
	for (;;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

		if (fd >= 0)
			close(fd);
		if (got <= 0)
			return;
		line[got] = '\0';
		name_end = strrchr(line, ')');
		if (name_end && name_end[1] == ' ' && name_end[2] == 'S')
			return;
		sched_yield();
	}
}

static void
test_turn_while_source_waits(void)
{
	struct job *jobs[3];
	struct sequencer_view view;
	pthread_t thread;
	bool polls;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		exit(99);
	/* Worker 1 has the second of two jobs, which waits for its turn, and
	 * the source has nothing more for now. */
	begin(2, SOURCE_LATER, jobs, &view);
	counter.source.wait_fd = ends[0];
	sequencer_take(&sequencer, 0, 1, jobs + 2, 1, &view);
	sequencer_take(&sequencer, 1, 1, jobs + 2, 1, &waiting_view);
	waiting_thread = 0;
	pthread_create(&thread, NULL, wait_with_jobs, NULL);
	await_sleep();
	sequencer_publish(&sequencer, &jobs[0], 1);
	pthread_mutex_lock(&sequencer.lock);
	polls = sequencer.polling;
	pthread_mutex_unlock(&sequencer.lock);
	ok(waiting_view.source_waits && !polls,
	   "a worker whose job's turn has come does not wait for the source");
	if (write(ends[1], "x", 1) != 1)
		exit(99);
	pthread_join(thread, NULL);
	ok(counter.emitted == 1, "what comes before is emitted meanwhile");
	sequencer_publish(&sequencer, &jobs[1], 1);
	sequencer_destroy(&sequencer);
	close(ends[0]);
	close(ends[1]);
}

static void *
wait_idle(void *arg)
{
	(void)arg;
	more_work = sequencer_wait_idle(&sequencer, 1, &waiting_view);
	return NULL;
}

static void
await_idle(void)
{
	bool idle;

	do {
		sched_yield();
		pthread_mutex_lock(&sequencer.lock);
		idle = sequencer.idle > 0;
		pthread_mutex_unlock(&sequencer.lock);
	} while (!idle);
}

/* Worker 1 waits until it is idle or polls the source: which? */
static bool
await_poll(void)
{
	bool idle, polls;

	do {
		sched_yield();
		pthread_mutex_lock(&sequencer.lock);
		idle = sequencer.idle > 0;
		polls = sequencer.polling;
		pthread_mutex_unlock(&sequencer.lock);
	} while (!idle && !polls);
	return polls;
}

static void
test_source_goes_on(void)
{
	struct job *jobs[3];
	struct sequencer_view view;
	pthread_t thread;

	/* Worker 1 has seen that the source waits.  Before it waits for it
	 * worker 0 gets what came, and the source waits no more. */
	begin(1, SOURCE_LATER, jobs, &view);
	counter.source.wait_fd = STDIN_FILENO;
	sequencer_take(&sequencer, 1, 0, jobs + 1, 1, &waiting_view);
	counter.jobs = 2;
	counter.source.wait_fd = -1;
	sequencer_take(&sequencer, 0, 1, jobs + 1, 1, &view);
	pthread_create(&thread, NULL, wait_idle, NULL);
	if (!ok(!await_poll() && waiting_view.source_waits,
		"no worker waits for a source that waits no more"))
		exit(tap_done());
	sequencer_publish(&sequencer, jobs, 2);
	pthread_join(thread, NULL);
	ok(counter.emitted == 2, "but for what the others do");
	sequencer_destroy(&sequencer);
}

/* Beside a feeder, which waits for the source, workers wait for its rests. */
static void
test_feeder_waits(void)
{
	struct job *jobs[2];
	struct sequencer_view view;
	pthread_t thread;
	int ends[2];

	if (pipe(ends) != 0)
		exit(99);
	begin(1, SOURCE_LATER, jobs, &view);
	counter.source.wait_fd = ends[0];
	sequencer_set_feeding(&sequencer, true);
	sequencer_take(&sequencer, 1, 0, jobs + 1, 1, &waiting_view);
	pthread_create(&thread, NULL, wait_idle, NULL);
	ok(!await_poll() && waiting_view.source_waits,
	   "no worker waits for a source beside a feeder");
	if (write(ends[1], "x", 1) != 1)
		exit(99);
	sequencer_set_feeding(&sequencer, false);
	pthread_join(thread, NULL);
	sequencer_publish(&sequencer, jobs, 1);
	sequencer_destroy(&sequencer);
	close(ends[0]);
	close(ends[1]);
}

/* What the one that waited for the source finds is news to all. */
static void
test_source_is_ready(void)
{
	struct job *jobs[1];
	struct sequencer_view view;
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
		exit(99);
	begin(0, SOURCE_LATER, jobs, &view);
	counter.source.wait_fd = ends[0];
	sequencer_take(&sequencer, 0, 0, jobs, 1, &view);
	ok(view.source_waits && sequencer_wait_idle(&sequencer, 0, &view),
	   "a source that waits may have more work");
	ok(sequencer.changes != view.changes && !sequencer.polling,
	   "others are told when it can go on");
	/* One of them could take the end that it waits for. */
	counter.jobs = 1;
	sequencer.polling = true;
	ok(sequencer_take(&sequencer, 1, 0, jobs, 1, &view) == 0,
	   "nobody asks a source that another one waits for");
	sequencer.polling = false;
	ok(sequencer_take(&sequencer, 1, 0, jobs, 1, &view) == 1, "but then");
	sequencer_publish(&sequencer, jobs, 1);
	sequencer_take(&sequencer, 0, 0, jobs, 1, &view);
	counter.at_end = SOURCE_END;
	sequencer_take(&sequencer, 1, 0, jobs, 1, &waiting_view);
	ok(!view.ended && waiting_view.ended &&
		   sequencer.changes != view.changes,
	   "its end is news to all, too");
	sequencer_destroy(&sequencer);
	close(ends[0]);
	close(ends[1]);
}

static void
test_offers(void)
{
	struct job *jobs[4];
	struct sequencer_view view;
	int lane;
	void *offer = &lane;
	pthread_t thread;

	begin(3, SOURCE_END, jobs, &view);
	ok(!view.idle_workers && !sequencer_offer(&sequencer, 0, &offer, 1),
	   "no worker wants a lane while none is idle");
	sequencer_take(&sequencer, 1, 0, NULL, 0, &waiting_view);
	pthread_create(&thread, NULL, wait_idle, NULL);
	await_idle();
	sequencer_take(&sequencer, 0, 3, NULL, 0, &view);
	ok(view.idle_workers, "a worker sees that another one is idle");
	ok(sequencer_offer(&sequencer, 0, &offer, 1), "it can offer a lane");
	ok(!sequencer_offer(&sequencer, 0, &offer, 1),
	   "but no more of them than there are idle workers");
	pthread_join(thread, NULL);
	ok(more_work && sequencer_accept(&sequencer, 1) == &lane &&
		   !sequencer_accept(&sequencer, 1),
	   "the idle worker wakes up and takes the lane");
	sequencer_destroy(&sequencer);
}

/* Names may be long: their memory is bounded, too. */
static void
test_held_bytes(void)
{
	enum { JOBS = 12 };
	struct job *jobs[JOBS];
	struct sequencer_view view;
	unsigned first, second;

	begin(0, SOURCE_LATER, jobs, &view);
	counter.jobs = JOBS;
	counter.held = SEQUENCER_HELD_BYTES / 4;
	first = sequencer_take(&sequencer, 0, 0, jobs, JOBS, &view);
	ok(first == 4, "no more jobs are taken than there is memory for names");
	sequencer_publish(&sequencer, jobs, 1);
	second = sequencer_take(&sequencer, 0, 3, &jobs[4], JOBS - 4, &view);
	ok(second == 1, "one that is emitted makes room for the next");
	sequencer_publish(&sequencer, &jobs[1], 4);
	counter.held = 2 * SEQUENCER_HELD_BYTES;
	first = sequencer_take(&sequencer, 0, 0, jobs, JOBS, &view);
	ok(first == 1, "one that holds more than all is taken alone");
	sequencer_publish(&sequencer, jobs, 1);
	ok(counter.emitted == 6, "and emitted");
	sequencer_destroy(&sequencer);
}

static void
test_window(void)
{
	static struct job *jobs[SEQUENCER_JOBS + 9];
	struct sequencer_view view;
	const unsigned taken =
		begin(SEQUENCER_JOBS + 8, SOURCE_END, jobs, &view);

	ok(taken == SEQUENCER_JOBS, "there are %u jobs under way at most",
	   (unsigned)SEQUENCER_JOBS);
	sequencer_publish(&sequencer, jobs, taken);
	ok(counter.emitted == taken, "all are emitted");
	sequencer_destroy(&sequencer);
}

int
main(void)
{
	alarm(120);
	test_memory();
	test_held_bytes();
	test_window();
	test_starving();
	test_wakes();
	test_turn_while_source_waits();
	test_source_goes_on();
	test_source_is_ready();
	test_feeder_waits();
	test_offers();
	return tap_done();
}
