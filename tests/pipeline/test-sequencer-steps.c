/* SPDX-License-Identifier: MIT */
/*
 * Promise: each call of the sequencer takes, emits and tells what it should,
 * wakes those that it should, and waits for what may come.
 *
 * All on one thread: what would wait or wake is linked to this test.
 */
#include "config.h"

#include "src/lanes/sequencer.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tests/pipeline/locks.h"
#include "tests/support/tap.h"

enum { MOST = 16, WAIT_FD = 77 };

static struct sequencer sequencer;
static struct sequencer_view view;
static struct ticket tickets[MOST];
static unsigned wrong_locks;

/* What was woken and waited for; cleared before each step. */
static struct {
	unsigned work, changed;	    /* broadcasts, */
	unsigned one;		    /* and signals, to `work` */
	unsigned waits, work_waits; /* for `changed`, for `work` */
	unsigned polls;
	unsigned idle; /* while it waited */
	bool polling;
} seen;

int
__wrap_pthread_cond_broadcast(pthread_cond_t *condition);
int
__wrap_pthread_cond_signal(pthread_cond_t *condition);
int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);
int
__wrap_poll(struct pollfd *inputs, nfds_t n, int ms);

int
__wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
	seen.work += condition == &sequencer.work;
	seen.changed += condition == &sequencer.changed;
	return 0;
}

int
__wrap_pthread_cond_signal(pthread_cond_t *condition)
{
	seen.one += condition == &sequencer.work;
	return 0;
}

/* The second time something has changed. */
int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
	if (lock != &sequencer.lock || locks_nheld != 1)
		exit(99);
	seen.waits += condition == &sequencer.changed;
	seen.work_waits += condition == &sequencer.work;
	seen.idle = sequencer.exchange.idle;
	if (seen.waits + seen.work_waits == 2)
		sequencer.changes++;
	return 0;
}

/* A source that follows a script: job, remark, later, end; it says with '|'
 * what it has to do with a flush. */
static struct {
	struct source source;
	const char *at;
	size_t held;
	char log[64]; /* of what was emitted, and flushes */
	bool dirty, was_oldest[MOST];
	unsigned made;
	const struct ticket *then; /* published while a job is emitted */
} script;

int
__wrap_poll(struct pollfd *inputs, nfds_t n, int ms)
{
	seen.polls += n == 1 && inputs->fd == script.source.wait_fd &&
		      inputs->events == POLLIN && ms == -1 && locks_nheld == 0;
	seen.polling = sequencer.polling;
	seen.idle = sequencer.exchange.idle;
	return 1;
}

static enum source_answer
next(struct source *source, struct job *job, bool is_oldest)
{
	static const struct job none;
	const char letter = *script.at;

	(void)source;
	script.dirty |= memcmp(job, &none, sizeof(none)) != 0 ||
			locks_nheld != 1;
	if (letter == 'l')
		script.at++;
	if (letter == 'l' || letter == '\0')
		return SOURCE_LATER;
	if (letter == 'e')
		return SOURCE_END;
	script.at++;
	script.was_oldest[script.made % MOST] = is_oldest;
	job->kind = letter == 'r' ? JOB_REMARK : JOB_FILE;
	job->note[0] = (unsigned char)('a' + script.made++);
	job->held_bytes = script.held;
	return SOURCE_JOB;
}

static void
note(char letter)
{
	const size_t len = strlen(script.log);

	if (len + 1 < sizeof(script.log))
		script.log[len] = letter;
	script.dirty |= locks_nheld > 0 || !sequencer.emitting;
}

static void
emit(struct source *source, struct job *job)
{
	const struct ticket *then = script.then;

	(void)source;
	note((char)job->note[0]);
	script.then = NULL;
	if (then)
		sequencer_publish(&sequencer, then, 1);
}

static void
flush(struct source *source)
{
	(void)source;
	note('|');
}

/* Two workers, and whatever was in memory before. */
static void
begin(const char *letters)
{
	memset(&script, 0, sizeof(script));
	script.source = (struct source){ next, emit, flush, -1 };
	script.at = letters;
	memset(&sequencer, 0xff, sizeof(sequencer));
	memset(&view, 0xff, sizeof(view));
	sequencer_init(&sequencer, &script.source, 2);
	sequencer_add_worker(&sequencer);
	sequencer_add_worker(&sequencer);
}

static void
end(void)
{
	sequencer_destroy(&sequencer);
	wrong_locks += !locks_are_right() || locks_nested > 0 || script.dirty;
}

static unsigned
take(unsigned worker, unsigned busy, unsigned max)
{
	memset(&seen, 0, sizeof(seen));
	return sequencer_take(&sequencer, worker, busy, tickets, max, &view);
}

static void
publish(unsigned i)
{
	memset(&seen, 0, sizeof(seen));
	sequencer_publish(&sequencer, &tickets[i], 1);
}

static bool
woke(unsigned work, unsigned changed, unsigned one)
{
	return seen.work == work && seen.changed == changed && seen.one == one;
}

static void
test_init(void)
{
	begin("");
	ok(sequencer.changes == 0 && sequencer.held_bytes == 0 &&
		   !sequencer.ended && !sequencer.emitting &&
		   !sequencer.polling && !sequencer.stalled &&
		   !sequencer.feeding && !sequencer.has_feeder &&
		   job_ring_is_empty(&sequencer.ring),
	   "a sequencer begins with nothing");
	ok(sequencer_add_worker(&sequencer) == -1, "for so many workers");
	end();
}

static void
test_take(void)
{
	begin("jjrjje");
	ok(take(0, 2, 3) == 3 && view.head == 0 && !view.ended &&
		   !view.source_waits && view.changes == 0 &&
		   !view.idle_workers,
	   "jobs are taken, up to so many");
	ok(tickets[0].seq == 0 && tickets[1].seq == 1 && tickets[2].seq == 3 &&
		   tickets[2].job->seq == 3 && tickets[2].job->note[0] == 'd',
	   "each with its number; a remark is none");
	ok(sequencer.exchange.busy[0] == 5, "they are the worker's");
	ok(script.was_oldest[0] && !script.was_oldest[1],
	   "the source knows which is the oldest");
	ok(take(1, 0, 3) == 1 && view.ended && sequencer.changes == 1 &&
		   view.changes == 1 && sequencer.exchange.busy[1] == 1,
	   "until there are no more");
	ok(take(1, 1, 3) == 0 && view.ended, "which stays so");
	sequencer_publish(
		&sequencer,
		&(struct ticket){ .job = job_ring_at(&sequencer.ring, 0) }, 1);
	is(script.log, "a|", "the oldest is emitted, and all is flushed");
	sequencer_take(&sequencer, 0, 1, NULL, 0, &view);
	ok(view.head == 1 && view.closings == 1 &&
		   sequencer.exchange.closings == 1,
	   "then the next is the oldest");
	end();
}

static void
test_remarks(void)
{
	begin("rrjr");
	ok(take(0, 0, 4) == 1 && view.head == 2 && view.changes == 0 &&
		   sequencer.changes > 0,
	   "remarks are emitted at once, which is news");
	is(script.log, "ab|", "in order");
	publish(0);
	is(script.log, "ab|cd|", "and else with what is before them");
	ok(job_ring_is_empty(&sequencer.ring), "nothing is left");
	end();
}

static void
test_emission(void)
{
	begin("jjj");
	take(0, 0, 3);
	publish(1);
	is(script.log, "", "what is not the oldest waits");
	script.then = &tickets[2];
	publish(0);
	is(script.log, "abc|",
	   "what ends while another is emitted is emitted behind it");
	end();
}

static void
test_room(void)
{
	begin("jjj");
	script.held = SEQUENCER_HELD_BYTES;
	ok(take(0, 0, 3) == 1 && sequencer.stalled &&
		   sequencer.held_bytes == SEQUENCER_HELD_BYTES,
	   "where names take much memory there is no room for more");
	publish(0);
	ok(sequencer.held_bytes == 0 && !sequencer.stalled && woke(0, 1, 1),
	   "one that is emitted makes room, and wakes one that wants it");
	script.held = SEQUENCER_HELD_BYTES - 1;
	ok(take(0, 0, 3) == 2, "a byte is room enough");
	end();
	begin("j");
	take(0, 0, 3);
	ok(sequencer.stalled && !view.source_waits,
	   "a source may wait for what is emitted");
	end();
	begin("j");
	script.source.wait_fd = WAIT_FD;
	take(0, 0, 3);
	ok(!sequencer.stalled && view.source_waits, "or for an input");
	publish(0);
	ok(woke(0, 1, 0), "then an emission wakes none of the idle");
	end();
	begin("j");
	script.source.wait_fd = 0;
	take(0, 0, 3);
	ok(!sequencer.stalled && view.source_waits, "be it the first");
	end();
}

/* How many idle workers are woken by one with so many jobs that takes more? */
static unsigned
passed_on(const char *letters, int wait_fd, unsigned busy, unsigned max)
{
	begin(letters);
	script.source.wait_fd = wait_fd;
	sequencer.exchange.idle = 3;
	take(0, busy, max);
	sequencer.exchange.idle = 0;
	end();
	return seen.work ? 99 : seen.one;
}

static void
test_pass_on(void)
{
	ok(passed_on("jj", -1, 0, 2) == 1,
	   "a worker that takes all it can wakes another one");
	ok(passed_on("jj", -1, 0, 3) == 0, "not one that does not");
	ok(passed_on("jj", -1, 5, 0) == 0, "nor one that takes none");
	ok(passed_on("j", WAIT_FD, 0, 2) == 1 &&
		   passed_on("", WAIT_FD, 1, 1) == 1,
	   "one with jobs wakes another one to wait for the source");
	ok(passed_on("", WAIT_FD, 0, 1) == 0, "one without does so itself");
	begin("jj");
	take(0, 0, 2);
	ok(seen.one == 0, "where none is idle none is woken");
	end();
}

static void
test_ends(void)
{
	begin("jje");
	take(0, 0, 1);
	take(1, 0, 1);
	memset(&seen, 0, sizeof(seen));
	sequencer_set_busy(&sequencer, 0, 0);
	ok(woke(0, 0, 0), "while jobs may come the end of some wakes nobody");
	sequencer_set_busy(&sequencer, 0, 1);
	sequencer.exchange.starving = true;
	sequencer_set_busy(&sequencer, 0, 0);
	ok(woke(0, 1, 0), "but who lacks a descriptor");
	sequencer.exchange.starving = false;
	take(1, 1, 1);
	ok(sequencer.ended && woke(1, 1, 0), "the end of the source wakes all");
	sequencer_set_busy(&sequencer, 0, 1);
	memset(&seen, 0, sizeof(seen));
	sequencer_set_busy(&sequencer, 0, 0);
	ok(woke(0, 0, 0), "while others have jobs there is nothing to tell");
	sequencer_set_busy(&sequencer, 1, 0);
	ok(woke(1, 1, 0), "the last one wakes all");
	end();
}

static void
test_feeding(void)
{
	begin("jj");
	take(0, 0, 2);
	memset(&seen, 0, sizeof(seen));
	sequencer_set_feeding(&sequencer, true);
	ok(sequencer.feeding && seen.work > 0 && seen.changed == 1 &&
		   sequencer.changes == 1,
	   "a feeder that begins is told to all");
	publish(0);
	ok(seen.work == 1 && seen.changed == 1,
	   "beside it any change may be the one for the idle");
	sequencer_set_feeding(&sequencer, false);
	ok(!sequencer.feeding, "and so is its end");
	publish(1);
	ok(seen.work == 1, "behind which rests may still change hands");
	memset(&seen, 0, sizeof(seen));
	sequencer_wake(&sequencer);
	ok(seen.work > 0 && seen.changed == 1, "anybody may wake all");
	end();
}

static void
test_wait(void)
{
	begin("");
	take(0, 0, 0);
	sequencer_wait(&sequencer, &view);
	ok(seen.waits == 2 && seen.work_waits == 0,
	   "a worker with jobs waits until something has changed");
	sequencer_wait(&sequencer, &view);
	ok(seen.waits == 2, "and not for what has");
	end();
}

static void
test_wait_source(void)
{
	begin("");
	script.source.wait_fd = WAIT_FD;
	sequencer_set_busy(&sequencer, 0, 4);
	take(0, 4, 1);
	sequencer_wait_source(&sequencer, 0, &view);
	ok(seen.polls == 1 && seen.polling && !sequencer.polling &&
		   seen.waits == 0 && sequencer.exchange.busy[0] == 0,
	   "a feeder waits for the source");
	ok(woke(0, 1, 0) && sequencer.changes == view.changes + 1,
	   "and tells the others");
	memset(&seen, 0, sizeof(seen));
	sequencer_wait_source(&sequencer, 0, &view);
	ok(seen.polls == 0 && seen.waits == 0, "unless something has changed");
	take(0, 0, 1);
	sequencer.polling = true;
	sequencer_wait_source(&sequencer, 0, &view);
	ok(seen.polls == 0 && seen.waits == 2,
	   "or, if another one does so, for a change");
	sequencer.polling = false;
	take(0, 0, 1);
	script.source.wait_fd = -1;
	sequencer_wait_source(&sequencer, 0, &view);
	ok(seen.polls == 0 && seen.waits == 2,
	   "and so if the source does not wait any more");
	end();
}

static bool
wait_idle(void)
{
	memset(&seen, 0, sizeof(seen));
	return sequencer_wait_idle(&sequencer, 1, &view);
}

static void
test_wait_idle(void)
{
	begin("");
	take(1, 0, 1);
	sequencer_set_busy(&sequencer, 1, 2);
	ok(wait_idle() && seen.work_waits == 2 && seen.waits == 0 &&
		   seen.idle == 1 && sequencer.exchange.idle == 0 &&
		   sequencer.exchange.busy[1] == 0,
	   "an idle worker waits for work, and is counted meanwhile");
	ok(wait_idle() && seen.work_waits == 0, "but not for what has come");
	take(1, 0, 1);
	sequencer.exchange.noffers = 1;
	ok(wait_idle() && seen.work_waits == 0, "nor for a lane on offer");
	sequencer.exchange.noffers = 0;
	script.source.wait_fd = 0;
	take(1, 0, 1);
	ok(wait_idle() && seen.polls == 1 && seen.idle == 0,
	   "or it waits for the source");
	take(1, 0, 1);
	sequencer.polling = true;
	ok(wait_idle() && seen.polls == 0 && seen.work_waits == 2,
	   "unless another one does so");
	sequencer.polling = false;
	take(1, 0, 1);
	sequencer_set_feeding(&sequencer, true);
	take(1, 0, 1);
	ok(wait_idle() && seen.polls == 0 && seen.work_waits == 2,
	   "or a feeder");
	end();
}

static void
test_no_more_work(void)
{
	begin("e");
	take(1, 0, 1);
	take(1, 0, 1);
	ok(!wait_idle() && seen.work_waits == 0,
	   "without work, now and later, it does not wait");
	sequencer_set_busy(&sequencer, 0, 1);
	ok(wait_idle() && seen.work_waits == 2,
	   "but while another one has jobs");
	sequencer_set_busy(&sequencer, 0, 0);
	take(1, 0, 1);
	sequencer.feeding = true;
	ok(wait_idle() && seen.work_waits == 2, "or there is a feeder");
	sequencer.feeding = false;
	ok(wait_idle() && seen.work_waits == 0,
	   "or something has changed since it looked");
	take(1, 0, 1);
	sequencer.exchange.noffers = 1;
	ok(wait_idle() && seen.work_waits == 0, "or there is a lane on offer");
	sequencer.exchange.noffers = 0;
	end();
}

static void
test_exchange(void)
{
	int lane;
	void *lanes[] = { &lane, &lane };

	begin("");
	take(0, 5, 0);
	ok(!sequencer_offer(&sequencer, 0, lanes, 2) && woke(0, 0, 0),
	   "lanes that nobody wants wake nobody");
	sequencer.exchange.idle = 1;
	take(0, 5, 0);
	ok(view.idle_workers && sequencer_offer(&sequencer, 0, lanes, 2) &&
		   woke(0, 1, 2) && sequencer.exchange.busy[0] == 3,
	   "others wake one for each lane");
	ok(sequencer_accept(&sequencer, 1) == &lane &&
		   sequencer.exchange.busy[1] == 1,
	   "who accepts one has it");
	take(0, 3, 0);
	ok(sequencer_starve(&sequencer, 0, &view) && woke(0, 0, 0),
	   "who lacks a descriptor waits for those of others");
	sequencer.exchange.closings++;
	ok(sequencer_starve(&sequencer, 0, &view) && woke(0, 1, 0),
	   "or tries again at once");
	end();
}

int
main(void)
{
	test_init();
	test_take();
	test_remarks();
	test_emission();
	test_room();
	test_pass_on();
	test_ends();
	test_feeding();
	test_wait();
	test_wait_source();
	test_wait_idle();
	test_no_more_work();
	test_exchange();
	ok(wrong_locks == 0,
	   "the source is asked under the one lock, and emits without it");
	return tap_done();
}
