/* SPDX-License-Identifier: MIT */
/*
 * Promise: sizes are looked up as far ahead as they are wanted and there is
 * time, and each job goes where it belongs, in order.
 */
#include "config.h"

#include "tests/pipeline/dispatch-rig.h"

/* Linked in place of the C library's (--wrap). */
static bool no_memory;
static unsigned looked_waits, looked_signals;

void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);
int
__wrap_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int
__real_pthread_cond_signal(pthread_cond_t *);
int
__wrap_pthread_cond_signal(pthread_cond_t *);

void *
__wrap_malloc(size_t bytes)
{
	return no_memory ? NULL : __real_malloc(bytes);
}

/* Whoever else looks up sizes ends meanwhile. */
int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
	(void)lock;
	if (condition != &dispatch.looked)
		exit(99);
	looked_waits++;
	dispatch.looking = false;
	return 0;
}

int
__wrap_pthread_cond_signal(pthread_cond_t *condition)
{
	looked_signals += condition == &dispatch.looked;
	return __real_pthread_cond_signal(condition);
}

/* Looking ahead ------------------------------------------------------------- */

static void
look_ahead(unsigned busy, unsigned most)
{
	dispatch_look_ahead(&dispatch, 2, busy, most, &view);
}

/* How many jobs are taken until so many files wait? */
static unsigned
taken_for(unsigned most)
{
	rig_begin(true);
	rig_add_files(200, 1);
	look_ahead(0, most);
	rig_end();
	return list.made;
}

static void
test_how_many(void)
{
	ok(taken_for(1) == 64 && taken_for(64) == 64,
	   "sizes are looked up for 64 jobs at a time");
	ok(taken_for(65) == 128, "and for more if these are not enough");
	ok(taken_for(1000) == 200, "until there are no more");
	ok(taken_for(0) == 0, "and not at all if none are wanted");
}

static void
test_end_of_row(void)
{
	uint64_t changes;

	rig_begin(true);
	rig_add_files(74, 1);
	looked_signals = 0;
	changes = sequencer.changes;
	look_ahead(3, 1000);
	ok(list.made == 74 && list.asked_at_end == 1,
	   "the source is not asked again when it has no more");
	ok(sequencer.exchange.busy[2] == 3 + 74,
	   "what is looked up counts as that of whoever looks");
	ok(rig_woke(changes) && view.changes == changes,
	   "others are told of the jobs");
	ok(!dispatch.looking && looked_signals == 1 && !list.unseen,
	   "and that it is done, which they can see");
	ok(dispatch.seen.messages == 74 && dispatch.seen.blocks == 74 &&
		   dispatch.split.waiting == 74,
	   "the files and their blocks are counted");
	changes = sequencer.changes;
	look_ahead(4, 1000);
	ok(sequencer.changes == changes && !dispatch.ended,
	   "nothing is told when there is nothing new");
	ok(sequencer.exchange.busy[2] == 4, "nor counted");
	list.at_end = SOURCE_END;
	look_ahead(0, 1000);
	ok(dispatch.ended && dispatch.split.ended && view.ended &&
		   rig_woke(view.changes),
	   "the end of the source is told");
	list.asked_at_end = 0;
	look_ahead(5, 1000);
	ok(list.asked_at_end == 0 && sequencer.exchange.busy[2] == 5,
	   "then nothing is looked up any more");
	rig_end();
}

static void
test_enough_waits(void)
{
	rig_begin(true);
	rig_add_files(200, 1);
	look_ahead(0, 1);
	look_ahead(7, 64);
	ok(list.made == 64 && sequencer.exchange.busy[2] == 7,
	   "where enough files wait no more are looked up");
	look_ahead(0, 65);
	ok(list.made == 192, "where one is missing, some are");
	rig_end();
}

/* Of 64 files with so many blocks in all. */
static unsigned
taken_in(uint64_t step_ns, unsigned blocks)
{
	rig_begin(true);
	rig_add_files(63, 1);
	rig_add_files(1, blocks - 63);
	rig_add_files(200, 1);
	rig_step_ns = step_ns;
	look_ahead(0, 1000);
	rig_end();
	return list.made;
}

static void
test_time(void)
{
	ok(taken_in(6000000, 2048) == 64, "no more are looked up after 6 ms");
	ok(taken_in(5999999, 2048) == 128, "but before");
	ok(taken_in(6000000, 2047) == 128,
	   "and in any case until each lane has two launches to do");
}

static void
test_one_looks(void)
{
	rig_begin(true);
	rig_add_files(100, 1);
	dispatch.looking = true;
	looked_waits = 0;
	look_ahead(6, 64);
	ok(looked_waits == 0 && list.made == 0 && dispatch.looking &&
		   sequencer.exchange.busy[2] == 6,
	   "who wants a few does not wait while another one looks");
	look_ahead(0, 65);
	ok(looked_waits == 1 && list.made == 100,
	   "who wants many does, and then looks itself");
	rig_end();
}

/* Taking -------------------------------------------------------------------- */

/* The names of what worker 1 is given, of at most so many; '.' behind each. */
static const char *
take(unsigned busy, unsigned max)
{
	static char names[256];
	struct ticket tickets[8];
	unsigned n = dispatch_take(&dispatch, 1, busy, tickets, max, &view);

	names[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		strcat(names, tickets[i].job->name);
		strcat(names,
		       tickets[i].seq == tickets[i].job->seq ? "." : "?");
	}
	if (sequencer.exchange.busy[1] != busy + n)
		strcat(names, " busy?");
	return names;
}

static void
add_kinds(void)
{
	rig_add_name("fifo");
	rig_add_name("missing");
	rig_add_files(1, 16);
	rig_add_name("empty");
	rig_add_name("-");
	rig_add_name(".");
	rig_add_name("/dev/null");
}

static void
test_kinds(void)
{
	rig_begin(false);
	add_kinds();
	is(take(0, 0), "", "whoever wants none gets none");
	ok(list.made == 0, "and nothing is looked up for it");
	is(take(0, 8), "fifo.missing.empty...",
	   "a worker gets the oldest, whatever it is, and what has no size");
	ok(dispatch.plain.n == 0 && dispatch.workers[1].held == 0,
	   "of which nothing remains");
	is(take(4, 8), "", "other jobs wait for their turn");
	view.head = 3;
	ok(dispatch.in_turn->seq == 4 && dispatch.in_turn->next->seq == 6,
	   "in order");
	rig_end();
	rig_begin(true);
	add_kinds();
	is(take(0, 8), "fifo.missing.empty...b16.",
	   "where work is shared it gets files with a size as well");
	ok(dispatch.workers[1].held == 16 && dispatch.split.in_workers == 16,
	   "whose blocks count as its own");
	is(take(1, 8), "", "until there is no more");
	ok(dispatch.workers[1].held == 16, "what it holds it still has");
	is(take(0, 8), "", "a worker without a job");
	ok(dispatch.workers[1].held == 0 && dispatch.split.in_workers == 0,
	   "holds no blocks");
	rig_end();
}

static void
test_order(void)
{
	rig_begin(false);
	rig_add_name("m1");
	rig_add_name("m2");
	rig_add_name("m3");
	is(take(0, 2), "m1.m2.", "jobs without a size come in order");
	ok(dispatch.plain.n == 1, "one is left");
	rig_add_name("m4");
	is(take(0, 8), "m3.m4.", "it comes before the next one");
	rig_add_name("m5");
	rig_add_name("m6");
	is(take(0, 8), "m5.m6.", "and then those that follow");
	rig_end();
}

static void
test_return(void)
{
	struct job jobs[4];
	uint64_t changes;
	static const uint64_t order[] = { 5, 3, 9, 4 };
	static char names[][4] = { "r5", "r3", "r9", "r4" };

	rig_begin(true);
	for (unsigned i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .name = names[i], .seq = order[i] };
		changes = sequencer.changes;
		dispatch_return(&dispatch, &jobs[i]);
		ok(rig_woke(changes), "a job that is given back is told");
	}
	is(take(0, 8), "", "and waits for its turn");
	for (unsigned i = 0; i < 3; i++)
		sequencer.ring.head++;
	sequencer.ring.next = sequencer.ring.head;
	is(take(0, 8), "r3.", "each comes when it is the oldest");
	ok(dispatch.in_turn == &jobs[3] && jobs[3].next == &jobs[0] &&
		   jobs[0].next == &jobs[2] && !jobs[2].next,
	   "the others wait in order");
	rig_end();
}

/* With what it takes it has so many blocks. */
static unsigned
taken_with(unsigned blocks)
{
	struct ticket tickets[4];

	rig_begin(true);
	rig_add_files(1, blocks);
	rig_add_files(3, 1);
	return dispatch_take(&dispatch, 1, 1, tickets, 4, &view);
}

static void
test_enough(void)
{
	ok(taken_with(RIG_ENOUGH - 1) == 2, "a worker that has not enough");
	ok(!dispatch.workers[1].is_hungry && dispatch.nhungry == 0,
	   "takes until it has");
	rig_end();
	ok(taken_with(RIG_ENOUGH) == 1, "and then no more");
	rig_end();
	ok(taken_with(10) == 4 && !dispatch.workers[1].is_hungry,
	   "with its lanes full it asks for no more");
	rig_end();
}

static void
test_hungry(void)
{
	rig_begin(true);
	rig_add_files(1, 10);
	ok(!dispatch.workers[1].is_there, "there is no worker before it asks");
	is(take(0, 2), "b10.", "a worker with a free lane, and little to do");
	ok(dispatch.nhungry == 1 && dispatch.workers[1].is_hungry &&
		   dispatch.workers[1].is_there &&
		   !dispatch.workers[0].is_there,
	   "wants more");
	take(1, 1);
	ok(dispatch.nhungry == 1, "and counts once");
	dispatch_take(&dispatch, 0, 0, NULL, 0, &view);
	ok(dispatch.nhungry == 1 && !dispatch.workers[0].is_hungry,
	   "one without a free lane does not");
	rig_add_files(1, 10);
	is(take(1, 1), "b10.", "with its last lane taken");
	ok(dispatch.nhungry == 0, "it wants no more");
	rig_end();
}

static void
test_no_memory(void)
{
	rig_begin(false);
	rig_add_files(3, 10);
	no_memory = true;
	look_ahead(0, 1);
	no_memory = false;
	ok(dispatch.plain.n == 3 && dispatch.split.waiting == 0 &&
		   dispatch.seen.messages == 0,
	   "where memory is short files wait for workers");
	is(take(0, 8), "b10.b10.b10.", "which take them in order");
	ok(dispatch.workers[1].held == 30, "and their blocks");
	rig_end();
}

static void
test_wants_workers(void)
{
	rig_begin(true);
	ok(!dispatch_wants_workers(&dispatch), "no job, no worker");
	dispatch.plain.n = 31;
	ok(!dispatch_wants_workers(&dispatch), "nor for 31 small ones");
	dispatch.plain.n = 32;
	ok(dispatch_wants_workers(&dispatch), "but for 32");
	dispatch.nhungry = 1;
	ok(!dispatch_wants_workers(&dispatch),
	   "unless there is one that wants more");
	dispatch.nhungry = dispatch.plain.n = 0;
	rig_add_files(1, 10);
	look_ahead(0, 1);
	ok(dispatch_wants_workers(&dispatch), "for one file that is shared");
	dispatch.shared = false;
	ok(!dispatch_wants_workers(&dispatch), "but not for the lanes'");
	rig_end();
}

static void
test_for_lane(void)
{
	const struct job *job;

	rig_begin(true);
	rig_add_files(1, 10);
	rig_add_files(1, 20);
	look_ahead(0, 1);
	dispatch.split.in_lanes = 100000;
	job = dispatch_for_lane(&dispatch);
	ok(job && job->seq == 0 && dispatch.split.in_lanes == 100010,
	   "a lane takes the next file, whose blocks are in lanes then");
	job = dispatch_for_lane(&dispatch);
	ok(job && job->seq == 1 && dispatch.split.in_lanes == 100030,
	   "and the one behind it");
	ok(!dispatch_for_lane(&dispatch) && dispatch.split.in_lanes == 100030,
	   "until there is none");
	rig_end();
}

int
main(void)
{
	if (!rig_open() || mkfifo("fifo", 0600) != 0)
		return 99;
	close(open("empty", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	test_how_many();
	test_end_of_row();
	test_enough_waits();
	test_time();
	test_one_looks();
	test_kinds();
	test_order();
	test_return();
	test_enough();
	test_hungry();
	test_no_memory();
	test_wants_workers();
	test_for_lane();
	return rig_close() ? tap_done() : 99;
}
