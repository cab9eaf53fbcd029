/* SPDX-License-Identifier: MIT */
/*
 * Promise: a stream puts messages into its buffers one behind the other, and
 * goes on with them behind each launch, however short it was.
 */
#include "config.h"

#include "src/feed/stream_set.h"
#include "tests/pipeline/stream-rig.h"

static void
test_idle(void)
{
	begin();
	ok(stream_is_idle(&stream) && !stream_is_busy(&stream) &&
		   stream_left(&stream) == 0 && stream_unread(&stream) == 0 &&
		   stream_rest(&stream) == 0,
	   "a new stream has nothing to do");
	fill();
	ok(stream_is_idle(&stream) && stream_begin(&stream) == 0 &&
		   batch.nblocks[3] == 0 && !stream.is_running,
	   "and without a job it stays so");
	stream_advance(&stream);
	ok(stream.front == 0 && !collect(), "nothing comes out of it");
	end();
}

/* Three messages, the last of which is cut by the end of the buffer. */
static void
test_one_behind_the_other(void)
{
	begin();
	add(3);
	add(4);
	add(5);
	look();
	fill();
	ok(has(0, 9, 2, 3, 7) && ends_with(0, 0, 3) && ends_with(0, 1, 4),
	   "messages are put one behind the other, up to a block for padding");
	ok(memory[0][0] == 3 && memory[0][3 * 64] == 4 &&
		   memory[0][7 * 64] == 5 && memory[0][9 * 64 - 1] == 5 &&
		   memory[0][3 * 64 - 9] == 0x80 && memory[0][9 * 64] == 0xee,
	   "with their bytes and padding, and nothing behind");
	ok(stream_is_busy(&stream) && !stream_is_idle(&stream) &&
		   stream_unread(&stream) == 3 && stream_left(&stream) == 12,
	   "what is left is known");
	ok(room.bytes == 3 * 64 - 9 + 4 * 64 - 9 + 2 * 64 &&
		   plan.share == 1000 - 3 - 4 - 5,
	   "the bytes that were read are counted, and the plan's share");
	ok(buffer(0)->begins && reader_length(stream.reader) == 128 &&
		   stream.handed_bytes == 128,
	   "the buffer begins a message");

	batch.done[3] = 99;
	ok(stream_begin(&stream) == 9 && batch.data[3] == memory[0] &&
		   batch.nblocks[3] == 9 && batch.done[3] == 0 &&
		   batch.ends[3] == buffer(0)->ends && batch.nends[3] == 2 &&
		   begins_with(sha256_initial) && stream.is_running,
	   "a launch gets all of it, from the initial state on");
	fill();
	ok(has(1, 3, 1, 3, 0) && ends_with(1, 0, 5) && !buffer(1)->begins &&
		   memory[1][0] == 5 && has(0, 9, 2, 3, 7) &&
		   !stream_is_idle(&stream),
	   "meanwhile the other buffer is filled, with what follows");
	launch(9);
	ok(!stream.is_running && stream.front == 1 && stream_left(&stream) == 3,
	   "then the launch has been");
	ok(collect() && item.job->blocks == 3 && states_are(state, 0x10) &&
		   collect() && item.job->blocks == 4 &&
		   states_are(state, 0x11) && !collect(),
	   "messages come out with their states");
	ok(has(0, 0, 0, 0, 0) && buffer(0)->done == 0 &&
		   buffer(0)->passed == 0 && buffer(0)->collected == 0,
	   "and the buffer is empty");
	batch_set_state(&batch, 3, buffer(0)->ends[1].state);
	ok(stream_begin(&stream) == 3 && batch.data[3] == memory[1] &&
		   states_are(batch.ends[3][0].state, 0) &&
		   begins_with(buffer(0)->ends[1].state),
	   "the next launch goes on from the lane's state");
	launch(3);
	ok(stream.front == 0 && collect() && item.job->blocks == 5 &&
		   !collect() && !stream_is_busy(&stream) &&
		   stream_is_idle(&stream),
	   "to the end");
	end();
}

/* A launch may do less than it was given. */
static void
test_short_launches(void)
{
	begin();
	add(3);
	add(4);
	look();
	fill();
	stream_begin(&stream);
	launch(2);
	ok(stream.front == 0 && buffer(0)->done == 2 &&
		   buffer(0)->passed == 0 && has(0, 7, 2, 1, 5) && !collect(),
	   "a launch that ends in a message leaves its end");
	ok(stream_left(&stream) == 5 && stream_is_busy(&stream) &&
		   stream_is_idle(&stream),
	   "and the rest of the blocks, beside which there is room");
	ok(has(1, 0, 0, 0, 0) && buffer(0)->ends[2].block == 0,
	   "all else is as it was");
	batch_set_state(&batch, 3, buffer(0)->ends[0].state);
	ok(stream_begin(&stream) == 5 && batch.data[3] == memory[0] + 128 &&
		   batch.nends[3] == 2 && batch.ends[3] == buffer(0)->ends &&
		   !begins_with(sha256_initial),
	   "the next one goes on there, from the lane's state");
	launch(1);
	ok(buffer(0)->passed == 1 && buffer(0)->ends[1].block == 4 &&
		   collect() && item.job->blocks == 3 && !collect(),
	   "a launch that ends with a message has it done");
	ok(stream_begin(&stream) == 4 && batch.data[3] == memory[0] + 192 &&
		   batch.nends[3] == 1 && batch.ends[3] == buffer(0)->ends + 1,
	   "then there is one end less");
	launch(4);
	ok(collect() && item.job->blocks == 4 && states_are(state, 0x11) &&
		   !collect() && stream.front == 1,
	   "to the end");
	end();
}

/* What a launch under way will leave counts as ready. */
static void
test_ready(void)
{
	begin();
	add(9);
	add(40);
	look();
	room.ready = 4;
	fill();
	ok(buffer(0)->filled == 4, "no more is made ready than is wanted");
	stream_begin(&stream);
	ok(stream_rest(&stream) == 0, "an engine that does not tell does all");
	batch.done[3] = 1;
	ok(stream_rest(&stream) == 3, "one that does leaves the others");
	room.ready = 8;
	fill();
	ok(buffer(1)->filled == 5, "and these are ready already");
	launch(1);
	ok(stream_rest(&stream) == 0, "without a launch there is no such rest");
	stream_begin(&stream);
	batch.done[3] = 2;
	ok(stream_rest(&stream) == 1, "what was done before is not left");
	launch(2);
	end();
}

static void
test_ends(void)
{
	begin();
	for (unsigned i = 0; i < 6; i++)
		add(1);
	look();
	fill();
	ok(buffer(0)->nends == ENDS && buffer(0)->filled == ENDS &&
		   list.made == 6 && dispatch.split.waiting == 2,
	   "a buffer has no more ends than there is room for");
	fill();
	ok(buffer(0)->nends == ENDS && dispatch.split.waiting == 2,
	   "however often it is filled");
	stream_begin(&stream);
	fill();
	ok(buffer(1)->nends == 2 && dispatch.split.waiting == 0 &&
		   buffer(1)->begins,
	   "others go to the other buffer, which begins a message");
	launch(4);
	fill();
	ok(has(0, 4, 4, 1, 2),
	   "a buffer is not filled before it was collected");
	while (collect())
		continue;
	batch_set_state(&batch, 3, buffer(0)->ends[0].state);
	stream_begin(&stream);
	ok(begins_with(sha256_initial), "whatever the lane's state was");
	launch(2);
	end();
}

/* How many of the files of four blocks are begun? */
static unsigned
begun(uint64_t target, uint64_t share, bool starved)
{
	unsigned left;

	begin();
	for (unsigned i = 0; i < 4; i++)
		add(4);
	look();
	plan = (struct work_plan){ .target = target, .share = share };
	room.starved = starved;
	fill();
	left = dispatch.split.waiting;
	end();
	return 4 - left;
}

static void
test_share(void)
{
	ok(begun(100, 100, false) == 3, "a buffer full of messages");
	ok(begun(4, 100, false) == 1 && begun(5, 100, false) == 2 &&
		   begun(8, 100, false) == 2 && begun(9, 100, false) == 3,
	   "messages begin while a lane has less than its target");
	ok(begun(100, 0, false) == 0 && begun(100, 4, false) == 1 &&
		   begun(100, 5, false) == 2 && begun(100, 1, false) == 1,
	   "and while the plan has a share left");
	ok(begun(100, 100, true) == 0, "and while there are descriptors");
	begin();
	add(40);
	look();
	plan = (struct work_plan){ .target = 7, .share = 100 };
	fill();
	ok(plan.share == 93, "of a long message as much counts as a lane does");
	end();
}

static void
test_memory(void)
{
	unsigned short_of = 0;

	begin();
	stream_free(&stream);
	for (unsigned i = 0; i < 5; i++) {
		stream = (struct stream){ .job = NULL };
		allocations_left = i;
		short_of += !stream_init(&stream, &room, &batch, 3);
		allocations_left = UINT32_MAX;
		stream_free(&stream);
	}
	ok(short_of == 5, "a stream needs a reader, ends and items");
	ok(!stream.reader && !stream.buffers[0].ends &&
		   !stream.buffers[1].items,
	   "and has none of them when it is free");
	stream_init(&stream, &room, &batch, 3);
	end();
}

static void
test_set(void)
{
	struct stream streams[4];
	struct stream_set set = { .all = streams, .n = 4 };
	struct batch of = { .first_lanes = 0 };
	static const uint32_t filled[] = { 9, 21, 0, 30 };

	memset(streams, 0, sizeof(streams));
	begin();
	for (unsigned i = 0; i < 4; i++) {
		streams[i].batch = &of;
		streams[i].column = i;
		streams[i].buffers[0].filled = filled[i];
		streams[i].is_running = true;
		of.done[i] = filled[i];
	}
	ok(stream_set_busy(&set) == 3 && stream_set_idle(&set) == 4,
	   "streams with blocks are busy, and can take more");
	streams[1].buffers[1].filled = 2;
	ok(stream_set_idle(&set) == 3, "until they have more");
	ok(stream_set_common_end(&set) == ANY_NUMBER,
	   "streams that end together may get anything ready");
	of.done[0] = 1;
	of.done[1] = 13;
	of.done[3] = 14;
	ok(stream_set_common_end(&set) == ANY_NUMBER,
	   "a difference of a launch's cost a lane is nothing");
	of.done[3] = 13;
	ok(stream_set_common_end(&set) == 17,
	   "where they differ by more, as much as the longest rest");
	end();
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_idle();
	test_one_behind_the_other();
	test_short_launches();
	test_ready();
	test_ends();
	test_share();
	test_memory();
	test_set();
	return rig_close() ? tap_done() : 99;
}
