/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "src/lanes/ahead.h"

/* Reading ahead pays for its thread after this much of an input. */
enum { READAHEAD_BYTES = 4 << 20 };

/* Compute the digest of the message, which has been hashed to its end. */
static void
set_digest(struct lane *lane)
{
	struct message *message = lane->message;
	struct job *job = message->job;

	sha256_digest(lane->work->state, job->digest);
	job->verdict = verify_finish(&message->verify, job->digest);
	if (reader_sees_change(&message->reader, job->watched))
		job->verdict = JOB_CHANGED;
}

static void
release_window(struct lane *lane)
{
	if (lane->mapping)
		mapping_release(lane->mapping, lane->index);
}

void
lane_clear(struct lane *lane)
{
	/* Skip RWF_NOWAIT for this many files after the kernel could not say
	 * what is cached. */
	enum { BLIND_FILES = 250 };

	if (lane->blind > 0)
		lane->blind--;
	else if (lane->message->reader.is_blind)
		lane->blind = BLIND_FILES;
	ahead_stop(&lane->run->fetch, lane->message);
	release_window(lane);
	admission_release(lane->run, lane->message);
	reader_close(&lane->message->reader);
	lane->work->nblocks = 0;
	lane->message->job = NULL;
}

void
lane_finish(struct lane *lane, int error)
{
	struct job *job = lane->message->job;

	job->error = error;
	job->size = lane->message->reader.length;
	if (error == 0)
		set_digest(lane);
	lane_clear(lane);
}

void
lane_start(struct lane *lane, struct job *job)
{
	message_begin(lane->message, job, lane->run->config->crypto);
	lane->message->unopened = true;
	lane->ahead_tried = false;
	memcpy(lane->work->state, sha256_initial, sizeof(sha256_initial));
}

/* Choose how to get the bytes of the open input. */
static void
note_open(struct lane *lane)
{
	struct message *message = lane->message;

	message->may_be_mapped = lane->mapping && !message->job->watched &&
				 mapping_suits(&message->reader);
}

/* Open its input. */
static enum lane_answer
open_input(struct lane *lane)
{
	struct message *message = lane->message;

	/* Without a non-blocking read or a fetcher, wait here. */
	const bool may_wait = message->may_wait || lane->blind > 0 ||
			      lane->run->config->one_input ||
			      !fetch_is_possible(&lane->run->fetch);

	switch (admission_open(lane->run, message, lane->buffer,
			       lane->layout->capacity, lane->blind == 0,
			       may_wait)) {
	case ADMISSION_FETCH: return LANE_BLOCKED;
	case ADMISSION_OPEN: break;
	case ADMISSION_REFUSE: lane_clear(lane); return LANE_ENDED;
	default: return LANE_LACKING;
	}
	message->unopened = false;
	note_open(lane);
	return LANE_READY;
}

/* Return true if the input is long, with more to come, and a thread may read
 * it. */
static bool
may_read_ahead(const struct lane *lane, enum lane_ahead ahead)
{
	const struct message *message = lane->message;
	const struct reader *reader = &message->reader;

	/* Zeros are fastest where they are hashed. */
	if (lane->ahead_tried || ahead == LANE_AHEAD_NEVER ||
	    message->handed_bytes < READAHEAD_BYTES || reader->holes.any)
		return false;
	return reader->must_be_oldest ||
	       (ahead != LANE_AHEAD_STREAMS &&
		reader_remaining(reader) >= READAHEAD_BYTES);
}

/* Have a thread read on.  It may wait for the disk, which the lane claims if
 * there is a choice.  Without the disk, a thread or memory, the lane reads. */
static void
try_reading_ahead(struct lane *lane, enum lane_ahead ahead)
{
	struct message *message = lane->message;
	struct reader *reader = &message->reader;

	/* While it is not known whether mapping is cheaper the lane tries. */
	if (message->may_be_mapped && !mapping_is_known(lane->mapping))
		return;
	lane->ahead_tried = true;
	if (ahead == LANE_AHEAD_IF_IDLE && lane->run->config->processors() < 2)
		return;
	if (message->may_be_mapped && mapping_is_wanted(lane->mapping)) {
		mapping_touch_ahead(lane->mapping);
		return;
	}
	if (reader->disk_mode != DISK_MODE_WAIT &&
	    !admission_claim_disk(lane->run, message))
		return;
	ahead_begin(&lane->run->fetch, message,
		    message->disk ? 1 : AHEAD_READERS);
}

/* Read into the lane's buffer.  Set *blocked if a fetcher should do that. */
static enum reader_answer
read_on(struct lane *lane, struct handout *handout, bool may_wait,
	bool *blocked)
{
	struct message *message = lane->message;
	struct reader *reader = &message->reader;
	enum reader_answer answer = READER_LATER;

	reader_use_buffer(reader, lane->buffer, lane->layout->capacity);
	/* Residency is unknown; recent files missed the cache. */
	if (reader->is_blind && !message->disk &&
	    fetch_expects_waiting(&lane->run->fetch))
		reader_avoid_waiting(reader);
	/* The reader may find only now that its data are not cached: then it
	 * reads once more, if it may. */
	do {
		if (reader_needs_disk(reader)) {
			const enum admission admission =
				admission_wait(lane->run, message);

			*blocked = admission == ADMISSION_FETCH;
			if (admission != ADMISSION_OPEN)
				return READER_LATER;
		}
		answer = reader_next(reader, handout, may_wait);
	} while (answer == READER_LATER && reader_needs_disk(reader));
	return answer;
}

/* Take the next piece of the file as it lies in the page cache. */
static bool
map_piece(struct lane *lane, struct handout *handout)
{
	struct message *message = lane->message;

	if (!reader_is_at_data(&message->reader, MAPPING_PIECE_BYTES))
		return false;
	lane->way = MAPPING_READ;
	if (!mapping_is_wanted(lane->mapping))
		return false;
	message->may_be_mapped = mapping_next(lane->mapping, lane->index,
					      &message->reader, handout);
	if (!message->may_be_mapped)
		return false;
	lane->way = MAPPING_MAPPED;
	memcpy(lane->before, lane->work->state, sizeof(lane->before));
	return true;
}

/* Get the next blocks, wherever they come from. */
static enum reader_answer
get_blocks(struct lane *lane, struct handout *handout, bool may_wait,
	   bool *blocked)
{
	struct message *message = lane->message;
	struct ahead_blocks blocks;
	enum reader_answer answer;

	lane->way = MAPPING_OTHER;
	lane->has_ended = false;
	message->fetched = false;
	switch (ahead_take(&lane->run->fetch, message, &blocks)) {
	case AHEAD_TAKEN:
		*handout = blocks.handout;
		lane->has_ended = blocks.is_last;
		errno = blocks.error;
		return blocks.answer;
	case AHEAD_LATER: *blocked = true; return READER_LATER;
	case AHEAD_NONE: break;
	}
	if (message->may_be_mapped && message->reader.read_bytes == 0 &&
	    map_piece(lane, handout))
		return READER_BLOCKS;
	answer = read_on(lane, handout, may_wait, blocked);
	lane->has_ended = message->reader.has_ended;
	return answer;
}

enum lane_answer
lane_refill(struct lane *lane, uint64_t head, bool may_wait,
	    enum lane_ahead ahead)
{
	struct engine_lane *work = lane->work;
	struct message *message = lane->message;
	struct reader *reader = &message->reader;
	struct handout handout;
	bool blocked = false, is_ahead;

	if (work->nblocks > 0)
		return LANE_READY;
	if (message->refused) {
		lane_clear(lane);
		return LANE_ENDED;
	}
	if (message->unopened) {
		const enum lane_answer answer = open_input(lane);

		if (answer != LANE_READY)
			return answer;
	}
	/* The reader of a message that is read ahead is another thread's. */
	is_ahead = ahead_has_pieces(&lane->run->fetch, message);
	if (!is_ahead && reader->must_be_oldest && message->job->seq != head)
		return LANE_EARLY;
	if (!is_ahead && reader->is_postponed) {
		if (!may_wait && message->job->kind != JOB_STDIN)
			return LANE_WAITING;
		switch (admission_open_postponed(lane->run, message)) {
		case ADMISSION_OPEN: break;
		case ADMISSION_REFUSE: lane_clear(lane); return LANE_ENDED;
		default: return LANE_LACKING;
		}
		note_open(lane);
	}
	if (!is_ahead && may_read_ahead(lane, ahead))
		try_reading_ahead(lane, ahead);

	switch (get_blocks(lane, &handout, may_wait, &blocked)) {
	case READER_BLOCKS:
		work->data = handout.data;
		work->nblocks = handout.nblocks;
		lane->message_bytes = handout.message_bytes;
		message->handed_bytes += handout.message_bytes;
		return LANE_READY;
	case READER_LATER:
		if (!ahead_has_pieces(&lane->run->fetch, message) &&
		    reader->must_be_oldest && message->job->seq != head)
			return LANE_EARLY;
		return blocked ? LANE_BLOCKED : LANE_WAITING;
	case READER_FAILED: lane_finish(lane, errno); return LANE_ENDED;
	case READER_END: break;
	}
	lane_finish(lane, 0);
	return LANE_ENDED;
}

void
lane_begin_again(struct lane *lane)
{
	struct job *job = lane->message->job;

	lane_clear(lane);
	job->begun_by_device = false;
	job->begins_again = true;
	lane_start(lane, job);
}

/* Check a mapped piece that has been hashed.  If it was incomplete roll back,
 * and read its file from before it. */
static void
check_piece(struct lane *lane)
{
	struct message *message = lane->message;

	if (mapping_was_kept(lane->mapping, lane->index, &message->reader))
		return;
	message->may_be_mapped = false;
	message->handed_bytes -= MAPPING_PIECE_BYTES;
	/* They were counted as hashed. */
	lane->message_bytes += MAPPING_PIECE_BYTES;
	memcpy(lane->work->state, lane->before, sizeof(lane->before));
}

enum lane_answer
lane_advance(struct lane *lane)
{
	struct engine_lane *work = lane->work;
	uint32_t done = work->done;
	size_t bytes = (size_t)done * SHA256_BLOCK_BYTES;
	size_t message_bytes =
		bytes < lane->message_bytes ? bytes : lane->message_bytes;

	verify_feed(&lane->message->verify, work->data, done, message_bytes);
	lane->message_bytes -= message_bytes;
	if (lane->mapping)
		mapping_count(lane->mapping, lane->way, bytes);
	work->data += bytes;
	work->nblocks -= done;
	if (work->nblocks > 0)
		return LANE_READY;
	if (lane->way == MAPPING_MAPPED)
		check_piece(lane);
	if (!lane->has_ended)
		return LANE_WAITING;
	lane_finish(lane, 0);
	return LANE_ENDED;
}

/* Changing hands ------------------------------------------------------------ */

uint64_t
lane_export_bytes(const struct lane *lane)
{
	const struct reader *reader = &lane->message->reader;

	if (lane_is_free(lane) || lane->message->unopened ||
	    lane->message->disk || lane->work->nblocks > 0 ||
	    ahead_has_pieces(&lane->run->fetch, lane->message) ||
	    lane_lacks_disk(lane) || reader->must_be_oldest)
		return 0;
	return reader_remaining(reader);
}

struct message *
lane_export(struct lane *lane)
{
	struct message *empty = fetch_new_message(&lane->run->fetch);
	struct message *message = lane->message;

	if (!empty)
		return NULL;
	release_window(lane);
	ahead_give_back(&lane->run->fetch, message);
	memcpy(message->state, lane->work->state, sizeof(message->state));
	lane->message = empty;
	return message;
}

void
lane_import(struct lane *lane, struct message *message)
{
	fetch_drop_message(&lane->run->fetch, lane->message);
	lane->message = message;
	lane->ahead_tried = false;
	memcpy(lane->work->state, message->state, sizeof(message->state));
}

/* All lanes of an engine ------------------------------------------------------ */

/* Allocate one arena for the buffers of all lanes. */
static bool
allocate_buffers(struct lane_set *set, unsigned n)
{
	const size_t stride = buffer_layout_stride(&set->layout);

	set->arena_bytes = buffer_layout_bytes(&set->layout, n);
	set->arena = set->engine->alloc(set->self, set->arena_bytes);
	if (!set->arena)
		return false;
	set->n = n;
	for (unsigned i = 0; i < n; i++)
		set->lanes[i].buffer = (uint8_t *)set->arena + i * stride;
	return true;
}

static bool
allocate_lanes(struct lane_set *set, struct run *run)
{
	const struct engine_limits *limits = &set->limits;
	unsigned n = limits->lanes;
	/* --verify's second hash cannot be rolled back. */
	const bool maps = set->engine->reads_only && !run->config->crypto &&
			  !run->config->uncached && n <= MAPPING_LANES;

	if (run->config->one_at_a_time || run->config->one_input)
		n = 1;
	mapping_init(&set->mapping, run->config->pool, n, run->config->threads);
	set->layout.capacity = LANE_BYTES;
	set->layout.slack_bytes = engine_slack_bytes(limits);
	fetch_set_space(&run->fetch, buffer_layout_space(&set->layout));
	set->work = calloc(n, sizeof(*set->work));
	set->lanes = calloc(n, sizeof(*set->lanes));
	if (!set->work || !set->lanes)
		return false;
	for (; set->nallocated < n; set->nallocated++) {
		struct lane *lane = &set->lanes[set->nallocated];

		*lane = (struct lane){
			.run = run,
			.work = &set->work[set->nallocated],
			.layout = &set->layout,
			.message = message_new(),
			.mapping = maps ? &set->mapping : NULL,
			.index = set->nallocated,
		};
		if (!lane->message)
			return false;
	}
	while (!allocate_buffers(set, n)) {
		if (set->layout.capacity > READER_MIN_CAPACITY)
			set->layout.capacity /= 2;
		else if (n > 1)
			n /= 2;
		else
			return false;
	}
	return true;
}

bool
lane_set_open(struct lane_set *set, struct run *run, struct diag *why_not)
{
	set->engine = run->cpu;
	set->self =
		engine_open(run->cpu, run->cpu_options, &set->limits, why_not);
	if (!set->self)
		return false;
	diag_set(why_not, "memory exhausted");
	return allocate_lanes(set, run);
}

void
lane_set_close(struct lane_set *set)
{
	if (set->arena)
		set->engine->free(set->self, set->arena, set->arena_bytes);
	if (set->self)
		set->engine->close(set->self);
	mapping_close(&set->mapping);
	for (unsigned i = 0; i < set->nallocated; i++)
		message_free(set->lanes[i].message);
	free(set->lanes);
	free(set->work);
}
