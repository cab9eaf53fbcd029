/* SPDX-License-Identifier: MIT */
/*
 * Promise: rests go to whom they are for, and none is lost when the lanes are.
 */
#include "config.h"

#include "src/feed/rests.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tap.h"

static char directory[] = "test-rests-XXXXXX";
static uint8_t buffer[READER_MIN_CAPACITY + READER_PADDING_BYTES];

/* Of a file of so many bytes; 0: a FIFO. */
static struct lane_transfer *
make_rest(uint64_t seq, off_t bytes)
{
	struct lane_transfer *rest = lane_transfer_new();
	bool opened;
	int fd;

	unlink("input");
	if (bytes == 0 && mkfifo("input", 0600) != 0)
		exit(99);
	if (bytes > 0) {
		fd = open("input", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0 || ftruncate(fd, bytes) != 0)
			exit(99);
		close(fd);
	}
	if (!rest || !reader_open(rest->reader, NULL, "input", buffer,
				  READER_MIN_CAPACITY, &opened))
		exit(99);
	rest->ticket.seq = seq;
	return rest;
}

/* Its number, or 99 for none. */
static uint64_t
number(struct lane_transfer *rest)
{
	const uint64_t seq = rest ? rest->ticket.seq : 99;

	if (rest)
		lane_transfer_free(rest);
	return seq;
}

static void
test_workers(void)
{
	struct rests rests = { .blocks = 0 };

	rests_add_for_worker(&rests, make_rest(1, 10000));
	rests_add_for_worker(&rests, make_rest(2, 30000));
	rests_add_for_worker(&rests, make_rest(3, 20000));
	ok(rests.nfor_workers == 3 && rests.blocks == 157 + 469 + 313,
	   "what waits for workers is counted");
	ok(number(rests_take_for_worker(&rests, 0, true)) == 99,
	   "a worker with enough to do takes none");
	ok(number(rests_take_for_worker(&rests, 0, false)) == 2 &&
		   number(rests_take_for_worker(&rests, 0, false)) == 3,
	   "another one takes the longest");
	ok(number(rests_take_for_lane(&rests)) == 99, "a lane takes none");
	ok(number(rests_take_for_worker(&rests, 0, false)) == 1 &&
		   number(rests_take_for_worker(&rests, 0, false)) == 99 &&
		   rests.nfor_workers == 0 && rests.blocks == 0,
	   "until none is left");
}

static void
test_turns(void)
{
	struct rests rests = { .blocks = 0 };

	rests_add_for_worker(&rests, make_rest(5, 0));
	ok(number(rests_take_for_worker(&rests, 4, false)) == 99,
	   "one that needs its turn waits for it");
	ok(number(rests_take_for_worker(&rests, 5, true)) == 5,
	   "and is taken then, however much the worker has to do");
}

static void
test_lanes(void)
{
	struct rests rests = { .blocks = 0 };

	for (unsigned i = 1; i <= 3; i++)
		rests_add_for_lane(&rests, make_rest(i, 64));
	ok(rests.nfor_lanes == 3 &&
		   number(rests_take_for_worker(&rests, 0, false)) == 99,
	   "what is for lanes is not for workers");
	ok(number(rests_take_for_lane(&rests)) == 3 && rests.nfor_lanes == 2,
	   "lanes take it");
	rests_lose_lanes(&rests);
	rests_add_for_lane(&rests, make_rest(4, 64));
	ok(rests.nfor_lanes == 0 && rests.nfor_workers == 3 &&
		   number(rests_take_for_lane(&rests)) == 99,
	   "without lanes all is for workers");
	for (unsigned i = 0; i < 3; i++)
		number(rests_take_for_worker(&rests, 0, false));
	ok(rests.blocks == 0 && !rests.for_workers, "and they take it");
}

static void
test_promises(void)
{
	struct rests rests = { .blocks = 0 };

	rests_promise(&rests, 100);
	rests_promise(&rests, 10);
	ok(rests.npromised == 2 && rests.promised == 110,
	   "what lanes are about to leave is counted");
	rests_end_promise(&rests, 100);
	ok(rests.npromised == 1 && rests.promised == 10,
	   "until they have or have not");
}

int
main(void)
{
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 99;
	test_workers();
	test_turns();
	test_lanes();
	test_promises();
	unlink("input");
	if (chdir("..") != 0 || rmdir(directory) != 0)
		return 99;
	return tap_done();
}
