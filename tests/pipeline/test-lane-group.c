/* SPDX-License-Identifier: MIT */
/*
 * Promise: the lanes of a worker have their places in batches and buffers, each
 * a cache line beside the one before, or there are none for want of memory.
 */
#include "config.h"

#include "src/lanes/lane_group.h"

#include <string.h>

#include "tests/pipeline/allocations.h"
#include "tests/support/tap.h"

static void
test_sizes(void)
{
	const struct lane_room room = { .capacity = 4096, .slack_bytes = 128 };
	const struct lane_room full = { .capacity = 8192 - 64 - 100,
					.slack_bytes = 100 };
	const struct lane_room more = { .capacity = 8192 - 64 - 99,
					.slack_bytes = 100 };

	ok(lane_stride(&room) == 8192 + 64,
	   "a buffer has pages, and a line that moves the next one on");
	ok(lane_stride(&full) == 8192 + 64 && lane_stride(&more) == 12288 + 64,
	   "as many pages as capacity, padding and slack take");
	ok(lane_group_buffer_bytes(1, &room) == 12288 &&
		   lane_group_buffer_bytes(64, &room) == 64 * 8192 + 4096 &&
		   lane_group_buffer_bytes(65, &room) == 65 * 8192 + 8192,
	   "together they are pages");
}

static void
test_places(void)
{
	static uint8_t buffers[3 * (8192 + 64)];
	const struct lane_room room = { .capacity = 4096, .slack_bytes = 128 };
	const struct lane model = { .crypto = (const void *)buffers };
	struct batch none = { .first_lanes = 0 };
	struct lane_group group;
	bool right;

	right = lane_group_allocate(&group, 2, 2, 3, &model);
	ok(right && group.nbatches == 2 && group.busy == 0 &&
		   allocations_live == 2 + 3,
	   "lanes have batches and readers");
	ok((uintptr_t)group.batches % 64 == 0 &&
		   memcmp(&group.batches[0], &none, sizeof(none)) == 0 &&
		   memcmp(&group.batches[1], &none, sizeof(none)) == 0,
	   "batches are aligned, and empty");
	lane_group_place_buffers(&group, buffers, 3, &room);
	for (unsigned i = 0; i < 3; i++) {
		const struct lane *lane = &group.lanes[i];

		right = right && lane->batch == &group.batches[i / 2] &&
			lane->column == i % 2 && lane->reader &&
			lane->crypto == model.crypto &&
			lane->buffer == buffers + (size_t)i * 8256 &&
			lane->capacity == 4096 && lane->room_bytes == 192 &&
			lane_is_free(lane);
	}
	ok(right && group.nlanes == 3, "each has its place, and is free");
	lane_group_free(&group);
	ok(allocations_live == 0 && !group.lanes && !group.batches &&
		   group.nlanes == 0,
	   "all go back");
}

static void
test_no_memory(void)
{
	const struct lane model = { .crypto = NULL };
	unsigned refused = 0, leaks = 0;

	for (unsigned i = 0; i < 5; i++) {
		struct lane_group group = { .nlanes = 0 };

		allocations_left = i;
		refused += !lane_group_allocate(&group, 2, 2, 3, &model);
		allocations_left = UINT_MAX;
		lane_group_free(&group);
		leaks += allocations_live != 0;
	}
	ok(refused == 5 && leaks == 0,
	   "where any memory is missing there are none (%u of 5)", refused);
}

int
main(void)
{
	test_sizes();
	test_places();
	test_no_memory();
	return tap_done();
}
