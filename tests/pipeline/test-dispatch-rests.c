/* SPDX-License-Identifier: MIT */
/*
 * Promise: rests are promised, given and taken as workers and lanes have time
 * for them, and what each has to do is counted.
 */
#include "config.h"

#include "tests/pipeline/dispatch-rig.h"

/* Workers ------------------------------------------------------------------- */

/* So many blocks of a worker are known. */
static void
hold(unsigned worker, uint64_t blocks)
{
	dispatch.split.in_workers += blocks - dispatch.workers[worker].held;
	dispatch.workers[worker].held = blocks;
}

/* Do the blocks of the worker, and those of all, add up to so many? */
static bool
holds(unsigned worker, uint64_t blocks)
{
	return dispatch.workers[worker].held == blocks &&
	       dispatch.split.in_workers == blocks;
}

static void
test_take_rest(void)
{
	rig_begin(true);
	ok(!dispatch_take_rest(&dispatch, 1, 0), "there may be no rest");
	dispatch_return_rest(&dispatch, rig_make_rest(7, 100));
	hold(1, RIG_ENOUGH_FOR_RESTS + 1);
	ok(!dispatch_take_rest(&dispatch, 1, 0),
	   "a worker with much to do takes no rest");
	hold(1, RIG_ENOUGH_FOR_RESTS);
	ok(rig_number(dispatch_take_rest(&dispatch, 1, 0)) == 7,
	   "one with little does");
	ok(holds(1, RIG_ENOUGH_FOR_RESTS + 100), "and has its blocks to do");
	dispatch_return_rest(&dispatch, rig_make_rest(8, 0));
	ok(!dispatch_take_rest(&dispatch, 1, 7),
	   "what has to wait for its turn waits");
	ok(rig_number(dispatch_take_rest(&dispatch, 1, 8)) == 8,
	   "and then is taken by any worker");
	rig_end();
}

static void
test_take_any_rest(void)
{
	rig_begin(true);
	hold(1, 100000);
	ok(!dispatch_take_any_rest(&dispatch, 1, 0) && holds(1, 100000),
	   "there may be none to take for want of a descriptor");
	dispatch_leave_rest(&dispatch, 0, rig_make_rest(3, 10));
	dispatch_return_rest(&dispatch, rig_make_rest(4, 20));
	ok(rig_number(dispatch_take_any_rest(&dispatch, 1, 0)) == 4 &&
		   holds(1, 100020),
	   "that of a worker is taken first, whatever there is to do");
	ok(rig_number(dispatch_take_any_rest(&dispatch, 1, 0)) == 3 &&
		   holds(1, 100030),
	   "then that of a lane");
	rig_end();
}

static void
test_leave_rest(void)
{
	uint64_t changes;

	rig_begin(true);
	hold(1, 100);
	dispatch_note_filling(&dispatch, 2);
	changes = sequencer.changes;
	dispatch_leave_rest(&dispatch, 1, rig_make_rest(3, 30));
	ok(rig_woke(changes) && holds(1, 70) && dispatch.idle_lanes == 1,
	   "a worker leaves a lane what it then has not to do");
	dispatch_leave_rest(&dispatch, 1, rig_make_rest(4, 70));
	ok(holds(1, 0) && dispatch.idle_lanes == 0, "to the last block");
	dispatch_leave_rest(&dispatch, 1, rig_make_rest(5, 10));
	ok(holds(1, 0) && dispatch.idle_lanes == 0, "and no more than that");
	ok(dispatch_has_rest_for_lane(&dispatch) &&
		   rig_number(dispatch_rest_for_lane(&dispatch)) == 5 &&
		   rig_number(dispatch_rest_for_lane(&dispatch)) == 4 &&
		   rig_number(dispatch_rest_for_lane(&dispatch)) == 3,
	   "lanes take them");
	ok(!dispatch_has_rest_for_lane(&dispatch) &&
		   !dispatch_rest_for_lane(&dispatch),
	   "until there are no more");
	rig_end();
}

static void
test_standstill(void)
{
	rig_begin(true);
	hold(1, 5);
	ok(dispatch_note_standstill(&dispatch, 1) && holds(1, 0),
	   "a worker that can do nothing with what it has may get more");
	ok(!dispatch_note_standstill(&dispatch, 1),
	   "once: then it has been given all there is");
	rig_end();
}

/* The blocks of a rest that a worker may leave to a lane. */
static uint64_t
note_worker(void)
{
	return dispatch_note_worker(&dispatch, 1, 0, 0);
}

static void
test_note_worker(void)
{
	struct lane_transfer *rest;

	rig_begin(true);
	hold(1, 100);
	dispatch_note_worker(&dispatch, 1, 30, 1000);
	ok(holds(1, 70) && dispatch.speeds.worker.blocks == 30 &&
		   dispatch.speeds.worker.ns == 1000,
	   "what a worker has hashed is measured, and no longer to be done");
	dispatch_note_worker(&dispatch, 1, 70, 1000);
	dispatch_note_worker(&dispatch, 1, 10, 1000);
	ok(holds(1, 0), "nor counted below nothing");
	dispatch.level = 5000;
	dispatch_note_filling(&dispatch, 1);
	ok(note_worker() == 0, "it leaves nothing to a lane by itself");
	dispatch_return_rest(&dispatch, rig_make_rest(4, 20));
	ok(note_worker() == 5000,
	   "but where a rest waits for it, and a lane has nothing to do");
	dispatch_note_filling(&dispatch, 0);
	ok(note_worker() == 0, "not where all lanes are busy");
	dispatch_note_filling(&dispatch, 1);
	dispatch.shared = false;
	ok(note_worker() == 0, "nor where lanes and workers share no files");
	dispatch.shared = true;
	dispatch.ended = true;
	ok(dispatch_end_lanes(&dispatch) && note_worker() == 0,
	   "nor when the lanes have ended");
	rest = dispatch_take_rest(&dispatch, 1, 0);
	ok(rig_number(rest) == 4, "the rest is still there");
	rig_end();
}

/* Lanes --------------------------------------------------------------------- */

static void
test_promises(void)
{
	uint64_t changes;

	rig_begin(true);
	dispatch_promise_rest(&dispatch, 500);
	dispatch_promise_rest(&dispatch, 300);
	ok(dispatch.rests.npromised == 2 && dispatch.rests.promised == 800,
	   "a lane says that it will leave a rest");
	changes = sequencer.changes;
	dispatch_give_rest(&dispatch, rig_make_rest(1, 40), 500);
	ok(rig_woke(changes) && dispatch.rests.npromised == 1 &&
		   dispatch.rests.promised == 300 &&
		   dispatch.rests.nfor_workers == 1 &&
		   dispatch.rests.blocks == 40,
	   "and does, be it shorter by then");
	changes = sequencer.changes;
	dispatch_give_rest(&dispatch, NULL, 300);
	ok(rig_woke(changes) && dispatch.rests.npromised == 0 &&
		   dispatch.rests.promised == 0 &&
		   dispatch.rests.nfor_workers == 1,
	   "or does not");
	changes = sequencer.changes;
	dispatch_return_rest(&dispatch, rig_make_rest(2, 50));
	ok(rig_woke(changes) && dispatch.rests.npromised == 0 &&
		   dispatch.rests.nfor_workers == 2 &&
		   dispatch.rests.blocks == 90,
	   "what a worker returns was not promised");
	rig_number(dispatch_take_rest(&dispatch, 1, 0));
	rig_number(dispatch_take_rest(&dispatch, 1, 0));
	rig_end();
}

static void
test_end_lanes(void)
{
	rig_begin(true);
	ok(!dispatch_end_lanes(&dispatch), "while jobs may come lanes stay");
	dispatch.ended = true;
	dispatch.looking = true;
	ok(!dispatch_end_lanes(&dispatch), "and while somebody looks up sizes");
	dispatch.looking = false;
	dispatch.split.waiting = 1;
	ok(!dispatch_end_lanes(&dispatch), "and while a file waits");
	dispatch.split.waiting = 0;
	dispatch_leave_rest(&dispatch, 0, rig_make_rest(1, 40));
	ok(!dispatch_end_lanes(&dispatch) && !dispatch.rests.lanes_are_gone,
	   "and while a rest waits for a lane");
	rig_number(dispatch_rest_for_lane(&dispatch));
	ok(dispatch_end_lanes(&dispatch) && dispatch.rests.lanes_are_gone,
	   "then they end");
	dispatch_leave_rest(&dispatch, 0, rig_make_rest(2, 40));
	ok(!dispatch_has_rest_for_lane(&dispatch) &&
		   rig_number(dispatch_take_rest(&dispatch, 1, 0)) == 2,
	   "and what comes late is for workers");
	rig_end();
}

static void
test_note_launch(void)
{
	rig_begin(true);
	dispatch.split.in_lanes = 100;
	dispatch_note_launch(&dispatch, 30, 20, 3000, 1000);
	ok(dispatch.split.in_lanes == 70 && dispatch.speeds.lane.blocks == 20 &&
		   dispatch.speeds.lane.ns == 3000 &&
		   dispatch.speeds.filling_ns == 1000,
	   "what a launch has hashed is measured, and no longer to be done");
	dispatch_note_launch(&dispatch, 70, 0, 0, 0);
	ok(dispatch.split.in_lanes == 0, "to the last block");
	dispatch_note_launch(&dispatch, 1, 0, 0, 0);
	ok(dispatch.split.in_lanes == 0, "and no more than that");
	rig_end();
}

static void
test_lose_device(void)
{
	uint64_t changes;

	rig_begin(false);
	dispatch_leave_rest(&dispatch, 0, rig_make_rest(1, 40));
	changes = sequencer.changes;
	dispatch_lose_device(&dispatch, true);
	ok(rig_woke(changes) && dispatch.shared &&
		   dispatch.rests.nfor_workers == 1 &&
		   !dispatch_has_rest_for_lane(&dispatch),
	   "without the device all is for workers");
	ok(dispatch.speeds.workers == 2 &&
		   dispatch.speeds.expected.device_rate == 100010.0 * 64,
	   "and the lanes go on as fast as a core");
	dispatch_lose_device(&dispatch, false);
	ok(dispatch.speeds.expected.device_rate == 0, "or not at all");
	rig_number(dispatch_take_rest(&dispatch, 1, 0));
	rig_end();
}

/* Plans --------------------------------------------------------------------- */

static struct dispatch_plan plan;

static void
make_plan(uint64_t first, uint64_t second)
{
	const uint64_t left[] = { first, second };

	dispatch_plan(&dispatch, left, &plan);
}

/* Worker 0 is there with so many blocks, and worker 1 if it has any. */
static void
begin_plan(uint64_t first, uint64_t second)
{
	rig_begin(true);
	hold(0, first);
	hold(1, second);
	dispatch.workers[0].is_there = true;
	dispatch.workers[1].is_there = second > 0;
}

static void
test_plan_rests(void)
{
	begin_plan(201, 0);
	make_plan(0, 0);
	ok(plan.rests == 1 && plan.rest_blocks == 4000,
	   "a worker wants a rest, as long as what it lacks");
	hold(0, RIG_ENOUGH);
	make_plan(0, 0);
	ok(plan.rests == 0 && plan.rest_blocks == 0, "unless it has enough");
	hold(0, RIG_ENOUGH - 1);
	make_plan(0, 0);
	ok(plan.rests == 1 && plan.rest_blocks == 1, "to the last block");
	rig_end();

	begin_plan(201, 1201);
	make_plan(0, 0);
	ok(plan.rests == 2 && plan.rest_blocks == 4000 + 3000,
	   "each worker wants one");
	dispatch_promise_rest(&dispatch, 500);
	make_plan(0, 0);
	ok(plan.rests == 1 && plan.rest_blocks == 6500,
	   "less those that were promised");
	dispatch_return_rest(&dispatch, rig_make_rest(1, 6000));
	make_plan(0, 0);
	ok(plan.rests == 0 && plan.rest_blocks == 500,
	   "and those that wait already");
	dispatch_promise_rest(&dispatch, 500);
	make_plan(0, 0);
	ok(plan.rests == 0 && plan.rest_blocks == 0, "until it is enough");
	dispatch_promise_rest(&dispatch, 500);
	make_plan(0, 0);
	ok(plan.rests == 0 && plan.rest_blocks == 0, "or more than that");
	rig_number(dispatch_take_rest(&dispatch, 0, 0));
	rig_end();
}

/* What lanes will take over is not theirs to do. */
static void
test_plan_idle_lanes(void)
{
	begin_plan(6201, 0);
	dispatch.level = 2000;
	make_plan(0, 0);
	ok(plan.rests == 0, "a worker with enough wants no rest");
	dispatch.level = 2000;
	dispatch_note_filling(&dispatch, 1);
	make_plan(0, 0);
	ok(plan.rests == 0 && plan.rest_blocks == 0,
	   "nor if it has enough without what a lane could do");
	dispatch.level = 2001;
	make_plan(0, 0);
	ok(plan.rests == 1 && plan.rest_blocks == 1, "but else");
	hold(0, 2001);
	dispatch.level = 2001;
	make_plan(0, 0);
	ok(plan.rest_blocks == RIG_ENOUGH, "a lane could do all of it");
	dispatch.level = 9000;
	make_plan(0, 0);
	ok(plan.rest_blocks == RIG_ENOUGH, "and more");
	rig_end();
}

static void
test_plan_amounts(void)
{
	begin_plan(1024, 1023);
	hold(2, 10000000);
	dispatch_return_rest(&dispatch, rig_make_rest(1, 60));
	dispatch_leave_rest(&dispatch, 2, rig_make_rest(2, 70));
	make_plan(30000, 12);
	ok(dispatch.split.in_lanes == 30012, "what lanes have is counted");
	ok(dispatch.split.in_rests == 60, "and what waits for workers");
	ok(dispatch.split.begun == 4,
	   "rests, and workers with two launches to do, could use lanes");
	ok(plan.may_spawn, "where no worker wants more, one could be spawned");
	ok(plan.work.level > 0 && dispatch.level == plan.work.level,
	   "how much a lane can do is kept");
	ok(plan.work.least < UINT64_MAX, "lanes leave rests");
	dispatch.nhungry = 1;
	dispatch.shared = false;
	make_plan(30000, 12);
	ok(!plan.may_spawn, "a worker that wants more comes first");
	ok(plan.work.least == UINT64_MAX,
	   "where nothing is shared lanes keep what they have");
	rig_number(dispatch_rest_for_lane(&dispatch));
	rig_number(dispatch_take_any_rest(&dispatch, 2, 0));
	rig_end();
}

/* Workers that do not take the device's files do not count. */
static void
test_init(void)
{
	rig_begin(false);
	ok(dispatch.speeds.workers == 0 && dispatch.speeds.cores == 2 &&
		   !dispatch.shared,
	   "a device by itself");
	rig_end();
	rig_begin(true);
	ok(dispatch.speeds.workers == 2 && dispatch.speeds.cores == 2 &&
		   dispatch.nlanes == 2,
	   "a device that shares its work");
	rig_end();
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_take_rest();
	test_take_any_rest();
	test_leave_rest();
	test_standstill();
	test_note_worker();
	test_promises();
	test_end_lanes();
	test_note_launch();
	test_lose_device();
	test_plan_rests();
	test_plan_idle_lanes();
	test_plan_amounts();
	test_init();
	return rig_close() ? tap_done() : 99;
}
