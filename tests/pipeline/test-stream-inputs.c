/* SPDX-License-Identifier: MIT */
/*
 * Promise: what a stream cannot read to its end goes back, or to a worker, or
 * ends with its error, and what is given to it goes on from where it was.
 */
#include "config.h"

#include "cpu/sha256.h"
#include "tests/pipeline/opinion.h"
#include "tests/pipeline/stream-rig.h"

static void
test_no_descriptor(void)
{
	static const int errors[] = { EMFILE, ENFILE };

	for (unsigned i = 0; i < 2; i++) {
		begin();
		add(4);
		add(5);
		look();
		open_error = errors[i];
		fill();
		ok(room.starved && dispatch.in_turn && nended == 0 &&
			   !stream.job && dispatch.split.waiting == 1,
		   "a message without a descriptor is given back (%s), and no "
		   "other one begun",
		   strerror(errors[i]));
		end();
	}
	begin();
	add(4);
	add(5);
	look();
	open_error = EACCES;
	fill();
	ok(!room.starved && !dispatch.in_turn && nended == 2 &&
		   ended->error == EACCES && !ended->opened && !stream.job &&
		   ended->blocks == 5 && has(0, 0, 0, 0, 0),
	   "other errors are those of their files");
	end();
}

/* Behind a message that ends where the next one cannot begin. */
static void
test_missing(void)
{
	begin();
	add(3);
	add(4);
	add(5);
	look();
	unlink("b4");
	fill();
	ok(nended == 1 && ended->error == ENOENT && ended->blocks == 4 &&
		   has(0, 8, 2, 3, 8),
	   "a file that is gone leaves no trace among the others");
	end();
}

static void
test_not_a_file(void)
{
	begin();
	add(4);
	add(5);
	look();
	if (unlink("b4") != 0 || mkfifo("b4", 0600) != 0)
		exit(99);
	fill();
	ok(dispatch.in_turn && dispatch.in_turn->blocks == 4 && nended == 0 &&
		   has(0, 5, 1, 5, 0) && ends_with(0, 0, 5),
	   "a FIFO is given back, and the next message takes its place");
	unlink("b4");
	end();
}

/* Of the two files the filter refuses one. */
static void
test_filter(void)
{
	struct job_filter filter = { .has_output = true };
	struct stat st;

	begin();
	add(4);
	add(5);
	look();
	if (stat("b4", &st) != 0)
		exit(99);
	filter.device = st.st_dev;
	filter.inode = st.st_ino;
	for (unsigned i = 0; i < 2; i++)
		job_ring_at(&sequencer.ring, i)->filter = &filter;
	fill();
	ok(nended == 1 && ended->blocks == 4 && ended->size == 0 &&
		   ended->verdict == JOB_IS_OUTPUT && has(0, 5, 1, 5, 0),
	   "a file that the filter refuses is not read");
	end();
}

static void
test_read_error(void)
{
	begin();
	add(15);
	add(3);
	look();
	fill();
	stream_begin(&stream);
	read_error = EIO;
	fill();
	ok(nended == 2 && ended->error == EIO && ended->blocks == 3 &&
		   has(1, 0, 0, 0, 0),
	   "a file that cannot be read to its end ends with the error");
	launch(9);
	ok(!collect() && !stream_is_busy(&stream), "and has no digest");
	end();

	begin();
	add(15);
	add(3);
	look();
	room.ready = 4;
	fill();
	room.ready = ANY_NUMBER;
	read_error = EIO;
	plan.share = 0;
	fill();
	ok(nended == 1 && ended->error == EIO && ended->size == 4 * 64 &&
		   has(0, 4, 1, 4, 0),
	   "what was read of it ends there");
	read_error = 0;
	plan.share = 9;
	fill();
	ok(has(0, 7, 2, 4, 7) && ends_with(0, 1, 3),
	   "and the next message begins");
	stream_begin(&stream);
	launch(7);
	ok(collect() && !item.job && !item.rest && collect() &&
		   item.job->blocks == 3 && !collect(),
	   "whose digest is its own");
	end();
}

/* A message that is promised to a worker. */
static void
begin_promised(unsigned blocks)
{
	begin();
	add(blocks);
	look();
	room.ready = 4;
	fill();
	room.ready = ANY_NUMBER;
	stream.leaves = stream_unread(&stream);
	dispatch_promise_rest(&dispatch, stream.leaves);
}

static void
test_leave(void)
{
	begin_promised(20);
	fill();
	ok(!stream.job && stream.leaves == 0 && has(0, 9, 1, 9, 0) &&
		   reader_descriptor(stream.reader) < 0,
	   "a message that is promised is cut at the end of a buffer");
	stream_begin(&stream);
	launch(9);
	ok(collect() && !item.job && item.rest && states_are(state, 0x10),
	   "its state is that for a worker");
	ok(item.rest->promised == 16 && item.rest->handed_bytes == 9 * 64 &&
		   item.rest->ticket.job->blocks == 20 &&
		   reader_remaining(item.rest->reader) == 11 * 64 - 9,
	   "and so is all else that is known of it");
	lane_transfer_free(item.rest);
	end();

	begin_promised(20);
	no_memory = true;
	fill();
	no_memory = false;
	ok(stream.job && stream.leaves == 16 && has(0, 9, 0, 0, 0),
	   "without memory it goes on where it is");
	end();

	begin_promised(6);
	fill();
	ok(stream.leaves == 0 && dispatch.rests.npromised == 0 &&
		   dispatch.rests.promised == 0 && ends_with(0, 0, 6),
	   "one that ends before breaks the promise");
	end();

	begin_promised(20);
	read_error = EIO;
	fill();
	ok(nended == 1 && stream.leaves == 0 && dispatch.rests.npromised == 0,
	   "and so does one that cannot be read");
	end();
}

/* A rest of a file of so many blocks, of which `read` were read. */
static struct lane_transfer *
make_rest(unsigned blocks, unsigned read)
{
	static uint8_t memory_of_rest[64 * 65];
	struct lane_transfer *rest = lane_transfer_new();
	static struct job job;
	struct handout handout;
	char name[16];
	bool opened;

	snprintf(name, sizeof(name), "b%u", blocks);
	job = (struct job){ .blocks = blocks, .seq = 5 };
	if (!rest ||
	    !reader_open(rest->reader, NULL, name, memory_of_rest,
			 (size_t)read * 64, &opened) ||
	    reader_next(rest->reader, &handout, false) != READER_BLOCKS)
		exit(99);
	rest->ticket = (struct ticket){ .job = &job, .seq = 5 };
	rest->handed_bytes = read * 64;
	memset(rest->state, 0x77, sizeof(rest->state));
	return rest;
}

static void
test_resume(void)
{
	struct lane_transfer *rest;

	begin();
	add(9);
	add(3);
	look();
	dispatch_for_lane(&dispatch);
	rest = make_rest(9, 4);
	stream_resume(&stream, rest);
	lane_transfer_free(rest);
	ok(stream.job->seq == 5 && stream_unread(&stream) == 5 &&
		   stream.handed_bytes == 256 && !stream_is_idle(&stream),
	   "a stream goes on with what a worker has begun");
	fill();
	ok(has(0, 8, 2, 5, 8) && buffer(0)->begins && !stream.resumes &&
		   states_are(buffer(0)->start, 0x77) &&
		   buffer(0)->items[0].job->size == 9 * 64 - 9,
	   "and then with the next message");
	stream_begin(&stream);
	ok(begins_with(buffer(0)->start), "from the worker's state on");
	launch(8);
	ok(collect() && item.job->seq == 5 && collect() && !collect(),
	   "both end");
	end();
}

/* A log has to wait for its turn at the end of what it has. */
static void
test_log(void)
{
	struct lane_transfer *rest;

	begin();
	add(15);
	look();
	read_error = EAGAIN;
	fill();
	ok(dispatch.in_turn && !stream.job && nended == 0 &&
		   dispatch.rests.nfor_workers == 0,
	   "a log of which nothing was read is given back");
	end();

	begin_promised(20);
	stream.leaves = 0;
	dispatch_give_rest(&dispatch, NULL, 16);
	read_error = EAGAIN;
	fill();
	ok(!stream.job && has(0, 4, 1, 4, 0) && buffer(0)->items[0].rest &&
		   buffer(0)->items[0].rest->promised == 16 &&
		   dispatch.rests.promised == 16 &&
		   dispatch.rests.nfor_workers == 0,
	   "one of which some was read goes to a worker, with its state");
	lane_transfer_free(buffer(0)->items[0].rest);
	end();

	begin_promised(20);
	stream_begin(&stream);
	read_error = EAGAIN;
	fill();
	ok(stream.job && stream.leaves == 16 && has(1, 0, 0, 0, 0) &&
		   dispatch.rests.npromised == 1,
	   "but not before the state is known, and promised once");
	launch(4);
	collect();
	memset(batch.state, 0x33, sizeof(batch.state));
	fill();
	rest = dispatch_take_any_rest(&dispatch, 1, 0);
	ok(rest && !stream.job && dispatch.rests.npromised == 0 &&
		   rest->promised == 16 && states_are(rest->state, 0x33),
	   "then it goes at once, with the lane's state");
	lane_transfer_free(rest);
	end();

	begin();
	add(9);
	rest = make_rest(9, 4);
	stream_resume(&stream, rest);
	lane_transfer_free(rest);
	read_error = EAGAIN;
	fill();
	rest = dispatch_take_any_rest(&dispatch, 1, 5);
	ok(rest && !stream.job && states_are(rest->state, 0x77) &&
		   dispatch.rests.npromised == 0 &&
		   dispatch.rests.promised == 0,
	   "one that a worker has begun, with the worker's");
	lane_transfer_free(rest);
	end();

	begin_promised(20);
	stream_begin(&stream);
	launch(4);
	collect();
	read_error = EAGAIN;
	no_memory = true;
	fill();
	no_memory = false;
	ok(stream.job && stream.leaves == 16 && dispatch.rests.npromised == 1,
	   "without memory it waits");
	end();
}

/* A file that gets longer while it is read, behind one that does not. */
static void
test_change(bool watched)
{
	begin();
	add(4);
	add(12);
	look();
	for (unsigned i = 0; i < 2; i++)
		job_ring_at(&sequencer.ring, i)->watched = watched;
	fill();
	stream_begin(&stream);
	if (truncate("b12", 12 * 64) != 0)
		exit(99);
	fill();
	ok(buffer(0)->items[0].job->verdict == JOB_TRUSTED &&
		   buffer(1)->items[0].job->verdict ==
			   (watched ? JOB_CHANGED : JOB_TRUSTED),
	   "a file that changes while it is read is reported, if %s",
	   watched ? "it is watched" : "anybody wants to know");
	ok(buffer(0)->items[0].job->opened && buffer(1)->items[0].job->opened,
	   "both were opened");
	launch(9);
	end();
}

/* A file in two buffers, with --verify: its job. */
static const struct job *
verify(uint8_t bytes[12 * 64])
{
	static uint8_t staging[sizeof(memory[0])];
	static struct job job;

	begin();
	room.crypto = &opinion;
	room.staging = staging;
	add(12);
	look();
	fill();
	stream_begin(&stream);
	fill();
	job = *buffer(1)->items[0].job;
	memcpy(bytes, memory[0], 9 * 64);
	memcpy(bytes + 9 * 64, memory[1], 3 * 64);
	launch(9);
	end();
	return &job;
}

static void
test_verify(void)
{
	uint8_t bytes[12 * 64], expected[SHA256_DIGEST_BYTES];
	uint32_t words[SHA256_STATE_WORDS];
	const struct job *job;

	memset(opinion_digest, 0, sizeof(opinion_digest));
	job = verify(bytes);
	memcpy(words, sha256_initial, sizeof(words));
	sha256_blocks(words, bytes, 12);
	sha256_digest(words, expected);
	ok(bytes[0] == 12 && bytes[12 * 64 - 10] == 12 &&
		   bytes[12 * 64 - 9] == 0x80,
	   "with --verify the device gets the same bytes");
	ok(job->verdict == JOB_DISPUTED && opinion_bytes == 12 * 64 - 9 &&
		   memcmp(job->digest, expected, sizeof(expected)) == 0,
	   "they are hashed by others, who may disagree");
	memcpy(opinion_digest, expected, sizeof(expected));
	job = verify(bytes);
	ok(job->verdict == JOB_TRUSTED &&
		   memcmp(job->digest, expected, sizeof(expected)) == 0,
	   "or agree");
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_no_descriptor();
	test_missing();
	test_not_a_file();
	test_filter();
	test_read_error();
	test_leave();
	test_resume();
	test_log();
	test_change(true);
	test_change(false);
	test_verify();
	return rig_close() ? tap_done() : 99;
}
