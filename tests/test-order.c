/* SPDX-License-Identifier: MIT */
/*
 * Promise: nobody waits for something that has already come, or that will
 * never come, and a lane that is given away reaches a worker that has none.
 */
#include "config.h"

#include "src/order.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/tap.h"

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

/* A source of so many jobs. */
struct counter {
	struct source source;
	unsigned jobs, made, emitted;
	enum source_answer at_end;
};

static enum source_answer
counter_next(struct source *source, struct job *job, bool alone)
{
	struct counter *counter = (struct counter *)source;

	(void)alone;
	if (counter->made == counter->jobs)
		return counter->at_end;
	job->number[0] = counter->made++;
	return SOURCE_JOB;
}

static void
counter_emit(struct source *source, struct job *job)
{
	struct counter *counter = (struct counter *)source;

	if (job->number[0] == counter->emitted)
		counter->emitted++;
}

static void
counter_flush(struct source *source)
{
	(void)source;
}

static struct counter counter;
static struct order order;

/* An order with two workers, and all jobs taken by worker 0. */
static unsigned
begin(unsigned jobs, enum source_answer at_end, struct ticket *tickets,
      struct order_view *view)
{
	counter = (struct counter){
		.source = { counter_next, counter_emit, counter_flush, -1 },
		.jobs = jobs,
		.at_end = at_end
	};
	order_init(&order, &counter.source, 2);
	order_add_worker(&order);
	order_add_worker(&order);
	return order_take(&order, 0, 0, tickets, jobs + 1, view);
}

static void
test_memory(void)
{
	struct ticket tickets[ORDER_CHUNK + 1];
	struct order_view view;
	unsigned first, second, last;

	no_memory = true;
	begin(0, SOURCE_LATER, tickets, &view);
	counter.jobs = ORDER_CHUNK + 9;
	first = order_take(&order, 0, 0, tickets, ORDER_CHUNK + 1, &view);
	ok(first == ORDER_CHUNK,
	   "without memory there are as many jobs as there is room for");
	order_publish(&order, tickets, 1);
	second = order_take(&order, 0, first - 1, tickets, 1, &view);
	ok(second == 0, "no room is used again while some of it is in use");
	for (unsigned i = 1; i < first; i++)
		order_publish(&order, &tickets[i], 1);
	ok(counter.emitted == first, "they are all emitted");
	last = order_take(&order, 0, 0, tickets, ORDER_CHUNK, &view);
	ok(last == 9, "then their room is used for further ones");
	order_publish(&order, tickets, last);
	ok(counter.emitted == ORDER_CHUNK + 9, "which are emitted in order");
	order_destroy(&order);
	no_memory = false;
}

static void
test_starving(void)
{
	struct ticket tickets[3];
	struct order_view mine, other;

	/* Worker 0 has the oldest job and no descriptor for it, worker 1 has
	 * published its only job, but has not asked for more yet. */
	begin(2, SOURCE_END, tickets, &mine);
	order_take(&order, 0, 1, NULL, 0, &mine);
	order_take(&order, 1, 1, NULL, 0, &other);
	order_publish(&order, &tickets[1], 1);
	ok(order_starve(&order, 0), "a worker starves while another is busy");
	order_take(&order, 1, 0, NULL, 0, &other);
	ok(other.moves != mine.moves,
	   "it is woken up when no other one is busy any more");
	ok(!order_starve(&order, 0), "and then it gives up");
	order_publish(&order, &tickets[0], 1);
	order_destroy(&order);
}

/* Workers on threads of their own ------------------------------------------ */

static struct order_view waiting_view;
static bool more_work;
static pid_t waiting_thread;

static void *
wait_with_jobs(void *arg)
{
	(void)arg;
	__atomic_store_n(&waiting_thread, gettid(), __ATOMIC_RELEASE);
	order_wait(&order, &waiting_view);
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
	struct ticket tickets[3];
	struct order_view view;
	pthread_t thread;
	bool polls;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		exit(99);
	/* Worker 1 has the second of two jobs, which waits for its turn, and
	 * the source has nothing more for now. */
	begin(2, SOURCE_LATER, tickets, &view);
	counter.source.wait_fd = ends[0];
	order_take(&order, 0, 1, tickets + 2, 1, &view);
	order_take(&order, 1, 1, tickets + 2, 1, &waiting_view);
	waiting_thread = 0;
	pthread_create(&thread, NULL, wait_with_jobs, NULL);
	await_sleep();
	order_publish(&order, &tickets[0], 1);
	pthread_mutex_lock(&order.lock);
	polls = order.polling;
	pthread_mutex_unlock(&order.lock);
	ok(waiting_view.source_waits && !polls,
	   "a worker whose job's turn has come does not wait for the source");
	if (write(ends[1], "x", 1) != 1)
		exit(99);
	pthread_join(thread, NULL);
	ok(counter.emitted == 1, "what comes before is emitted meanwhile");
	order_publish(&order, &tickets[1], 1);
	order_destroy(&order);
	close(ends[0]);
	close(ends[1]);
}

static void *
wait_idle(void *arg)
{
	(void)arg;
	more_work = order_wait_idle(&order, 1, &waiting_view);
	return NULL;
}

static void
await_idle(void)
{
	bool idle;

	do {
		sched_yield();
		pthread_mutex_lock(&order.lock);
		idle = order.idle > 0;
		pthread_mutex_unlock(&order.lock);
	} while (!idle);
}

static void
test_source_goes_on(void)
{
	struct ticket tickets[3];
	struct order_view view;
	pthread_t thread;
	bool idle, polls;

	/* Worker 1 has seen that the source waits.  Before it waits for it
	 * worker 0 gets what came, and the source waits no more. */
	begin(1, SOURCE_LATER, tickets, &view);
	counter.source.wait_fd = STDIN_FILENO;
	order_take(&order, 1, 0, tickets + 1, 1, &waiting_view);
	counter.jobs = 2;
	counter.source.wait_fd = -1;
	order_take(&order, 0, 1, tickets + 1, 1, &view);
	pthread_create(&thread, NULL, wait_idle, NULL);
	do {
		sched_yield();
		pthread_mutex_lock(&order.lock);
		idle = order.idle > 0;
		polls = order.polling;
		pthread_mutex_unlock(&order.lock);
	} while (!idle && !polls);
	if (!ok(waiting_view.source_waits && !polls,
		"nobody waits for a source that waits no more"))
		exit(tap_done());
	order_publish(&order, tickets, 2);
	pthread_join(thread, NULL);
	ok(counter.emitted == 2, "but for what the others do");
	order_destroy(&order);
}

static void
test_gifts(void)
{
	struct ticket tickets[4];
	struct order_view view;
	int lane;
	void *gift = &lane;
	pthread_t thread;

	begin(3, SOURCE_END, tickets, &view);
	ok(!view.idle_workers && !order_give(&order, 0, &gift, 1),
	   "nobody takes a lane while nobody is idle");
	order_take(&order, 1, 0, NULL, 0, &waiting_view);
	pthread_create(&thread, NULL, wait_idle, NULL);
	await_idle();
	order_take(&order, 0, 3, NULL, 0, &view);
	ok(view.idle_workers, "a worker sees that another one is idle");
	ok(order_give(&order, 0, &gift, 1), "it can give a lane away");
	ok(!order_give(&order, 0, &gift, 1),
	   "but no more of them than there are idle workers");
	pthread_join(thread, NULL);
	ok(more_work && order_accept(&order, 1) == &lane &&
		   !order_accept(&order, 1),
	   "the idle worker wakes up and takes the lane");
	order_destroy(&order);
}

int
main(void)
{
	alarm(120);
	test_memory();
	test_starving();
	test_turn_while_source_waits();
	test_source_goes_on();
	test_gifts();
	return tap_done();
}
