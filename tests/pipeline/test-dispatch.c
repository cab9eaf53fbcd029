/* SPDX-License-Identifier: MIT */
/*
 * Promise: each job goes to a lane or a worker that may have it, workers get as
 * much as keeps them busy, and a message that is offered is accepted once, by a
 * lane or a worker that may go on with it.
 *
 * Lanes hash 1,000 blocks a second, workers 10,000: a worker has enough to do
 * with 421 blocks.  A job is a file, whose name is its number of blocks.
 */
#include "config.h"

#include "src/feed/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/feed/look_ahead.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { LANES = 4, FEEDER = 0, FIRST = 1, SECOND = 2, MOST = 40, MESSAGES = 3 };

static const struct engine_speed speed = { .lanes = LANES,
					   .device_rate = LANES * 64e3,
					   .core_rate = 640e3,
					   .copy_rate = INFINITY };

static struct sequencer sequencer;
static struct dispatch dispatch;
static struct sequencer_view view;
static struct job *jobs[MOST]; /* that a worker has taken */
static uint64_t left[LANES];
static struct dispatch_plan plan;

/* Names with a blank after each; after the last one more may come, or not. */
static struct {
	struct source source;
	char text[1000];
	char *at;
	bool goes_on;
	unsigned taken;
} list;

static enum source_answer
next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source, (void)is_oldest;
	job->name = strtok_r(NULL, " ", &list.at);
	list.taken += job->name != NULL;
	if (!job->name)
		return list.goes_on ? SOURCE_LATER : SOURCE_END;
	job->kind = strcmp(job->name, "-") == 0 ? JOB_STDIN : JOB_FILE;
	return SOURCE_JOB;
}

static void
emit(struct source *source, struct job *job)
{
	(void)source, (void)job;
}

static void
flush(struct source *source)
{
	(void)source;
}

static void
begin(const char *names, unsigned workers, bool shared)
{
	snprintf(list.text, sizeof(list.text), "%s", names);
	list.at = list.text;
	list.goes_on = false;
	list.taken = 0;
	list.source = (struct source){ next, emit, flush, -1 };
	fault_clock_set(FAULT_SECOND);
	sequencer_init(&sequencer, &list.source, 1 + workers);
	for (unsigned i = 0; i <= workers; i++)
		sequencer_add_worker(&sequencer);
	dispatch_init(&dispatch, &sequencer, LANES, workers, shared, &speed);
	memset(left, 0, sizeof(left));
}

static void
end(void)
{
	dispatch_destroy(&dispatch);
	sequencer_destroy(&sequencer);
}

/* A worker with `busy` busy lanes takes up to `most` jobs: their names. */
static const char *
take(unsigned worker, unsigned busy, unsigned most)
{
	static char names[200];
	const unsigned n = dispatch.supply.take(&dispatch.supply, worker, busy,
						jobs, most, &view);

	names[0] = '\0';
	for (unsigned i = 0; i < n; i++)
		sprintf(names + strlen(names), "%s%s", i > 0 ? " " : "",
			jobs[i]->name);
	return names;
}

static const char *
take_for_lane(void)
{
	const struct job *job = dispatch_next_for_lane(&dispatch);

	return job ? job->name : "none";
}

/* Jobs ---------------------------------------------------------------------- */

static void
test_classes(void)
{
	begin("- empty 100 missing 300 . fifo", 2, true);
	is(take(FIRST, 0, 4), "- empty missing .",
	   "a worker gets standard input when it is the oldest, then what has "
	   "no size, in order");
	is(take_for_lane(), "300", "a lane gets a file with a size");
	is(take(FIRST, 4, 4), "100", "a worker gets a file with a size, too");
	is(take_for_lane(), "none", "a lane gets nothing else");
	sequencer_publish(&sequencer, jobs, 1);
	is(take(FIRST, 4, 4), "", "a FIFO that is not the oldest waits");
	end();
	begin("100 empty 200 300", 2, false);
	is(take(FIRST, 0, 4), "empty",
	   "a worker that does not share gets no file with a size");
	is(take_for_lane(), "300",
	   "lanes get all files with a size that workers do not share");
	end();
}

/* While the list goes on. */
static void
test_lane_order(void)
{
	begin("100 300 100 100 200 100 200 100 100 100", 2, false);
	list.goes_on = true;
	dispatch_look_ahead(&dispatch, FEEDER, 0, 100, &view);
	is(take_for_lane(), "100", "a lane gets the next file of a list");
	end();
	begin("100 2000 100", 2, false);
	list.goes_on = true;
	dispatch_look_ahead(&dispatch, FEEDER, 0, 100, &view);
	is(take_for_lane(), "2000",
	   "a lane gets the file that would outlast all others");
	end();
}

static void
test_oldest(void)
{
	struct job *first;

	begin("empty - empty empty", 2, true);
	is(take(FIRST, 0, 3), "empty empty empty",
	   "standard input waits while it is not the oldest");
	first = jobs[0];
	dispatch_put_back(&dispatch, jobs[2]);
	dispatch_put_back(&dispatch, jobs[1]);
	sequencer_publish(&sequencer, &first, 1);
	is(take(FIRST, 0, 3), "-", "standard input is taken as the oldest");
	sequencer_publish(&sequencer, jobs, 1);
	take(FIRST, 0, 3);
	ok(jobs[0]->seq == 2, "jobs that are put back come in their order");
	end();
}

static void
test_enough(void)
{
	begin("300 300 300 300 300 300 300 300", 2, true);
	is(take(FIRST, 0, 8), "300 300",
	   "a worker takes no more than it is busy with for three launches");
	is(take(FIRST, 2, 8), "", "a worker that has enough takes nothing");
	is(take(SECOND, 0, 8), "300 300", "another worker takes as much");
	dispatch.supply.note_hashed(&dispatch.supply, FIRST, 300);
	is(take(FIRST, 1, 8), "300", "what a worker has hashed makes room");
	ok(dispatch.supply.note_idle(&dispatch.supply, FIRST),
	   "a worker that has nothing to hash should ask again");
	ok(!dispatch.supply.note_idle(&dispatch.supply, FIRST),
	   "a worker that has asked again need not do it once more");
	is(take(FIRST, 2, 8), "300 300",
	   "a worker that has nothing to hash takes as if it held nothing");
	is(take(SECOND, 0, 8), "300",
	   "a worker without a job takes as one that holds nothing");
	end();
}

static void
test_only_core(void)
{
	begin("300 300 300", 1, true);
	list.goes_on = true;
	is(take(FIRST, 0, 1), "",
	   "the only core begins with nothing before "
	   "there is a message for each lane");
	list.goes_on = false;
	dispatch_look_ahead(&dispatch, FEEDER, 0, MOST, &view);
	is(take(FIRST, 0, 1), "300",
	   "the only core begins when there will be no more");
	end();
}

/* How many of 193 jobs, the first n of which have these blocks, are looked up
 * if each chunk of 64 takes longer than there is time for? */
static unsigned
looked_up(unsigned n, const char *blocks, unsigned most)
{
	char names[1000] = "";

	for (unsigned i = 0; i < 193; i++) {
		strcat(names, i < n ? blocks : "0");
		strcat(names, " ");
	}
	begin(names, 2, false);
	fault_clock_step(FAULT_SECOND / 100);
	dispatch_look_ahead(&dispatch, FEEDER, 0, most, &view);
	fault_clock_step(0);
	end();
	return list.taken;
}

/* Two launches of four lanes with 512 blocks each are 4096 blocks. */
static void
test_look_ahead(void)
{
	ok(looked_up(4, "1024", 200) == 64,
	   "sizes are looked up no longer than there is time for, if there is "
	   "work for two launches and each lane");
	ok(looked_up(4, "1023", 200) == 193,
	   "sizes are looked up until there is work for two launches");
	ok(looked_up(3, "2000", 200) == 193,
	   "sizes are looked up until there is a message for each lane");
	ok(looked_up(3, "2000", 128) == 128,
	   "no more sizes are looked up than were asked for");
}

static bool
wants_workers(void)
{
	return dispatch.supply.wants_workers(&dispatch.supply, 0, &view);
}

static void
test_help(void)
{
	char names[200] = "";

	for (unsigned i = 0; i < 33; i++)
		strcat(names, "empty ");
	begin(names, 2, false);
	take(FIRST, 0, 1);
	ok(wants_workers(), "32 files without a size are worth a worker more");
	take(FIRST, 1, 1);
	ok(!wants_workers(), "31 files without a size are not");
	end();
	begin("300 200", 2, true);
	take(FIRST, 0, 1);
	dispatch_plan(&dispatch, left, &plan);
	ok(wants_workers() && plan.may_spawn,
	   "a file that is shared is worth a worker more if no other one has a "
	   "free lane");
	take(SECOND, 0, 2);
	dispatch_plan(&dispatch, left, &plan);
	ok(!wants_workers() && !plan.may_spawn,
	   "while a worker wants more no other one is needed");
	end();
}

/* Messages that change hands ------------------------------------------------ */

static struct message *messages[MESSAGES];
static struct job message_jobs[MESSAGES];

/* Messages of 1,000, 2,000 and 3,000 blocks; none has to be the oldest. */
static void
begin_messages(void)
{
	begin("", 2, true);
	for (unsigned i = 0; i < MESSAGES; i++) {
		message_free(messages[i]);
		messages[i] = message_new();
		if (!messages[i])
			exit(99);
		message_jobs[i] = (struct job){ .seq = i };
		message_begin(messages[i], &message_jobs[i], NULL);
		messages[i]->reader->size = 64000 * (i + 1) - 64;
	}
}

/* By a lane, after it was announced. */
static void
offer_by_lane(unsigned i)
{
	dispatch_announce(&dispatch, messages[i]);
	dispatch_offer(&dispatch, messages[i]);
}

static void
offer_by_worker(unsigned i)
{
	dispatch.supply.offer(&dispatch.supply, FIRST, messages[i]);
}

static struct message *
accept(enum job_supply_need need, uint64_t head)
{
	return dispatch.supply.accept(&dispatch.supply, SECOND, need, head);
}

static void
test_to_workers(void)
{
	begin_messages();
	ok(!accept(SUPPLY_LANE_FREE, 9), "nothing is accepted at first");
	offer_by_lane(0);
	offer_by_lane(2);
	offer_by_lane(1);
	ok(!dispatch_accept(&dispatch) && !dispatch_has_offer(&dispatch),
	   "a lane accepts no message that is for workers");
	ok(!accept(SUPPLY_WORKER_IDLE, 9),
	   "before it waits a worker asks other workers only");
	ok(accept(SUPPLY_LANE_FREE, 9) == messages[2],
	   "a worker accepts the longest message first");
	ok(!accept(SUPPLY_LANE_FREE, 9),
	   "a worker that has enough to do accepts no message for a free lane");
	ok(accept(SUPPLY_NO_DESCRIPTOR, 9) == messages[1],
	   "a worker that has no descriptor accepts a message all the same");
	dispatch.supply.note_idle(&dispatch.supply, SECOND);
	ok(accept(SUPPLY_LANE_FREE, 9) == messages[0] &&
		   !accept(SUPPLY_NO_DESCRIPTOR, 9),
	   "each message is accepted once");
	messages[1]->reader->must_be_oldest = true;
	offer_by_worker(1);
	ok(!dispatch_accept(&dispatch) && !accept(SUPPLY_NO_DESCRIPTOR, 0),
	   "a message that must be the oldest is not accepted before");
	ok(accept(SUPPLY_LANE_FREE, 1) == messages[1],
	   "a message that is the oldest is accepted even by a worker that has "
	   "enough to do");
	end();
}

static void
test_no_descriptor(void)
{
	begin_messages();
	take(SECOND, 0, 0);
	take(FIRST, 1, 0);
	ok(!sequencer_starve(&sequencer, FIRST, &view),
	   "a worker that lacks a descriptor does not wait for one without a "
	   "message");
	offer_by_lane(0);
	accept(SUPPLY_LANE_FREE, 9);
	ok(sequencer_starve(&sequencer, FIRST, &view),
	   "a worker that lacks a descriptor waits for one that has accepted a "
	   "message");
	end();
}

static void
test_to_lanes(void)
{
	begin_messages();
	take(FIRST, 0, 1);
	offer_by_worker(0);
	offer_by_worker(1);
	ok(dispatch_has_offer(&dispatch) && !accept(SUPPLY_LANE_FREE, 9),
	   "a worker accepts no message that is for lanes");
	ok(!dispatch_end_lanes(&dispatch),
	   "lanes do not end while a message is on offer to them");
	ok(accept(SUPPLY_NO_DESCRIPTOR, 9) == messages[1],
	   "a worker that has no descriptor accepts a message that is for lanes");
	ok(dispatch_accept(&dispatch) == messages[0] &&
		   !dispatch_accept(&dispatch),
	   "a lane accepts a message that is for lanes, once");
	ok(dispatch_end_lanes(&dispatch), "lanes end when nothing is left");
	offer_by_worker(2);
	ok(!dispatch_accept(&dispatch) &&
		   accept(SUPPLY_NO_DESCRIPTOR, 9) == messages[2],
	   "what is offered to lanes that have ended is for workers");
	end();
	begin_messages();
	offer_by_worker(0);
	dispatch_lose_device(&dispatch);
	ok(!dispatch_accept(&dispatch) &&
		   accept(SUPPLY_LANE_FREE, 9) == messages[0],
	   "what was on offer to the lanes of a device that fails is for "
	   "workers");
	end();
}

/* Lanes have 1,000 and 3,000 blocks; how many could an idle one take? */
static uint64_t
plan_lanes(void)
{
	left[0] = 1000;
	left[1] = 30000;
	dispatch_plan(&dispatch, left, &plan);
	return plan.work.lane_capacity;
}

static void
test_wish(void)
{
	uint64_t capacity;

	begin_messages();
	capacity = plan_lanes();
	offer_by_lane(0);
	dispatch_note_filling(&dispatch, 1);
	ok(capacity > 0 && dispatch.supply.note_hashed(&dispatch.supply, FIRST,
						       1) == capacity,
	   "a worker is asked for a message that an idle lane can take while "
	   "another one waits for this worker");
	offer_by_worker(1);
	ok(dispatch.supply.note_hashed(&dispatch.supply, FIRST, 1) == 0,
	   "a worker is asked for one message for each idle lane");
	dispatch_note_filling(&dispatch, 1);
	accept(SUPPLY_LANE_FREE, 9);
	ok(dispatch.supply.note_hashed(&dispatch.supply, FIRST, 1) == 0,
	   "a worker for which nothing waits keeps its messages");
	dispatch_note_filling(&dispatch, 1);
	offer_by_lane(2);
	dispatch_lose_device(&dispatch);
	ok(dispatch.supply.note_hashed(&dispatch.supply, FIRST, 1) == 0,
	   "a worker is not asked for a message when the lanes are gone");
	end();
}

/* Is a worker woken that waits while this is done? */
static uint64_t changes;

static bool
wakes(void)
{
	const bool woken = sequencer.changes != changes;

	changes = sequencer.changes;
	return woken;
}

static void
test_waiting(void)
{
	begin_messages();
	wakes();
	offer_by_worker(0);
	ok(wakes(), "waiting workers learn what a worker offers");
	offer_by_lane(1);
	ok(wakes(), "waiting workers learn what a lane offers");
	dispatch_lose_device(&dispatch);
	ok(wakes(), "waiting workers learn that a device has failed");
	end();
	begin("300 empty", 2, false);
	list.goes_on = true;
	wakes();
	dispatch_look_ahead(&dispatch, FEEDER, 0, MOST, &view);
	ok(wakes(), "waiting workers learn that jobs have come");
	dispatch_look_ahead(&dispatch, FEEDER, 0, MOST, &view);
	ok(!wakes(), "a look at a list without news wakes nobody");
	take(FIRST, 0, 1);
	wakes();
	dispatch_put_back(&dispatch, jobs[0]);
	ok(wakes(), "waiting workers learn that a job is put back");
	end();
}

/* Plans --------------------------------------------------------------------- */

static void
test_wanted(void)
{
	struct work_rates rates;
	uint64_t enough;

	begin_messages();
	list.goes_on = true;
	dispatch_rates(&dispatch, &rates);
	enough = work_enough(&rates);
	plan_lanes();
	ok(plan.wanted_messages == 0 && plan.wanted_blocks == 0,
	   "lanes offer nothing where there is no worker yet");
	take(FIRST, 0, 1);
	take(SECOND, 0, 1);
	plan_lanes();
	ok(plan.wanted_messages == 2 && plan.wanted_blocks == 2 * enough,
	   "lanes should offer a message for each worker without work");
	dispatch_announce(&dispatch, messages[0]);
	plan_lanes();
	ok(plan.wanted_messages == 1 && plan.wanted_blocks == 0,
	   "what has been announced is not wanted again");
	dispatch_withdraw(&dispatch, messages[0]);
	plan_lanes();
	ok(plan.wanted_messages == 2 && plan.wanted_blocks == 2 * enough,
	   "what is withdrawn is wanted again");
	offer_by_lane(0);
	plan_lanes();
	ok(plan.wanted_messages == 1, "what is on offer is not wanted again");
	ok(accept(SUPPLY_LANE_FREE, 9) != NULL, "a worker accepts it");
	plan_lanes();
	ok(plan.wanted_messages == 1 && plan.wanted_blocks == enough,
	   "a worker that has enough wants no message");
	dispatch.supply.note_hashed(&dispatch.supply, SECOND, 900);
	plan_lanes();
	ok(plan.wanted_messages == 2 && plan.wanted_blocks == 2 * enough - 100,
	   "a worker that has little left wants a message");
	dispatch_note_filling(&dispatch, 1);
	plan_lanes();
	ok(plan.wanted_blocks == 2 * enough,
	   "what a worker can leave to an idle lane is not counted as its work");
	end();
}

static void
test_plan(void)
{
	double seconds;

	begin_messages();
	take(FIRST, 0, 1);
	plan_lanes();
	ok(plan.work.min_migration < 30000,
	   "a long message of a lane is for a worker");
	dispatch_note_launch(&dispatch, 0, 2000, FAULT_SECOND / 10, 0);
	plan_lanes();
	ok(plan.work.min_migration == UINT64_MAX,
	   "lanes that prove as fast as a worker keep their messages");
	end();
	begin("", 2, false);
	plan_lanes();
	ok(plan.work.min_migration == UINT64_MAX,
	   "lanes keep all messages where workers do not share");
	dispatch_lose_device(&dispatch);
	plan_lanes();
	ok(plan.work.min_migration < 30000,
	   "workers share the messages of a device that fails");
	end();
	begin_messages();
	plan_lanes();
	seconds = plan.work.seconds;
	offer_by_worker(0);
	plan_lanes();
	ok(plan.work.seconds < seconds,
	   "a message that is on offer to lanes keeps one more of them busy");
	end();
}

int
main(void)
{
	static const unsigned blocks[] = { 100, 200, 300, 1023, 1024, 2000 };
	char name[16];

	scratch_enter();
	scratch_text("empty", "");
	scratch_text("0", "");
	scratch_fifo("fifo");
	for (unsigned i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
		snprintf(name, sizeof(name), "%u", blocks[i]);
		scratch_text(name, "");
		if (truncate(name, 64 * (blocks[i] - 1)) != 0)
			exit(99);
	}
	test_classes();
	test_lane_order();
	test_oldest();
	test_enough();
	test_only_core();
	test_look_ahead();
	test_help();
	test_to_workers();
	test_no_descriptor();
	test_to_lanes();
	test_wish();
	test_waiting();
	test_wanted();
	test_plan();
	for (unsigned i = 0; i < MESSAGES; i++)
		message_free(messages[i]);
	return tap_done();
}
