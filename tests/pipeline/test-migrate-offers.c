/* SPDX-License-Identifier: MIT */
/*
 * Promise: a worker offers every other of its long messages, as many as there is
 * room and memory for, and takes over as many as it has lanes.
 */
#include "config.h"

#include "src/lanes/migrate.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/pipeline/allocations.h"
#include "tests/support/tap.h"

enum { BATCHES = 9, LANES = BATCHES * BATCH_LANES, CAPACITY = 4096 };

static char path[] = "test-migrate-offers-XXXXXX";
static struct sequencer sequencer;
static struct lane_group group;
static struct job jobs[LANES];
static uint8_t *buffers;

static enum source_answer
no_job(struct source *source, struct job *job, bool is_oldest)
{
	(void)source;
	(void)job;
	(void)is_oldest;
	return SOURCE_LATER;
}

/* So many lanes of worker 0 have the file open. */
static void
begin(unsigned busy, unsigned idle)
{
	static struct source source = { .next = no_job, .wait_fd = -1 };
	const struct lane model = { .sequencer = &sequencer };
	const struct lane_room room = { .capacity = CAPACITY };

	sequencer_init(&sequencer, &source, 2);
	sequencer_add_worker(&sequencer);
	sequencer_add_worker(&sequencer);
	buffers = malloc(lane_group_buffer_bytes(LANES, &room));
	if (!buffers ||
	    !lane_group_allocate(&group, BATCHES, BATCH_LANES, LANES, &model))
		exit(99);
	lane_group_place_buffers(&group, buffers, LANES, &room);
	for (unsigned i = 0; i < busy; i++) {
		jobs[i] = (struct job){ .name = path, .seq = i };
		lane_start(&group.lanes[i],
			   (struct ticket){ .job = &jobs[i], .seq = i });
		lane_open(&group.lanes[i]);
	}
	group.busy = busy;
	sequencer_set_busy(&sequencer, 0, busy);
	sequencer.exchange.idle = idle;
}

static void
end(void)
{
	lane_group_free(&group);
	free(buffers);
	sequencer_destroy(&sequencer);
}

/* Are just these lanes free, from the second on every other one? */
static bool
are_free(unsigned n)
{
	unsigned right = 0;

	for (unsigned i = 0; i < LANES; i++)
		right += lane_is_free(&group.lanes[i]) ==
			 (i % 2 == 1 && i / 2 < n);
	return right == LANES;
}

static void
test_many(void)
{
	unsigned accepted;

	begin(LANES, 200);
	ok(migrate_offer(&sequencer, 0, &group) == 64 && are_free(64) &&
		   group.busy == LANES - 64 &&
		   sequencer.exchange.busy[0] == LANES - 64,
	   "of 144 messages there is room for 64 on offer");
	ok(migrate_offer(&sequencer, 0, &group) == 0 &&
		   group.busy == LANES - 64,
	   "and then for none");
	for (unsigned i = 0; i < 60; i++) {
		lane_give_up(&group.lanes[2 * i]);
		group.busy--;
	}
	group.nlanes = 30;
	group.busy = 0;
	accepted = migrate_accept(&sequencer, 1, &group);
	ok(accepted == 30 && group.busy == 30 &&
		   sequencer.exchange.noffers == 34 &&
		   sequencer.exchange.busy[1] == 30,
	   "a worker takes as many as it has lanes");
	group.nlanes = LANES;
	ok(migrate_accept(&sequencer, 1, &group) == 34 && group.busy == 64 &&
		   migrate_accept(&sequencer, 1, &group) == 0,
	   "or as many as there are");
	for (unsigned i = 0; i < LANES; i++)
		if (!lane_is_free(&group.lanes[i]))
			lane_give_up(&group.lanes[i]);
	end();
}

static void
test_memory(void)
{
	const int before = allocations_live;
	int live;

	begin(6, 9);
	live = allocations_live;
	allocations_left = 5; /* two and a half */
	ok(migrate_offer(&sequencer, 0, &group) == 2 && group.busy == 4 &&
		   allocations_live == live + 4,
	   "with little memory fewer are offered");
	allocations_left = 1;
	ok(migrate_offer(&sequencer, 0, &group) == 0 && group.busy == 4 &&
		   allocations_live == live + 4,
	   "or none, and nothing is left behind");
	allocations_left = UINT_MAX;
	sequencer.exchange.idle = 0;
	ok(migrate_offer(&sequencer, 0, &group) == 0 && group.busy == 4 &&
		   allocations_live == live + 4,
	   "nor where nobody wants them");
	migrate_accept(&sequencer, 1, &group);
	ok(group.busy == 6 && allocations_live == live,
	   "what is accepted needs none");
	for (unsigned i = 0; i < 6; i++)
		lane_give_up(&group.lanes[i]);
	end();
	ok(allocations_live == before, "all goes back");
}

int
main(void)
{
	const struct rlimit files = { .rlim_cur = 400, .rlim_max = 400 };
	const int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, MIGRATE_BYTES) != 0 || close(fd) != 0)
		return 99;
	if (setrlimit(RLIMIT_NOFILE, &files) == 0)
		test_many();
	else
		tap_skip("too few descriptors");
	test_memory();
	unlink(path);
	return tap_done();
}
