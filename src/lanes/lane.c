/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/lane.h"

#include <assert.h>
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
	if (input_sees_change(&message->input, job->watched))
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
	/* After a file whose cached part the kernel did not know, skip the
	 * question for this many files. */
	enum { UNASKED_FILES = 250 };
	struct message *message = lane->message;
	struct run *run = lane->run;

	if (lane->unasked > 0)
		lane->unasked--;
	else if (message->input.cache_is_unknown && message->input.is_regular)
		lane->unasked = UNASKED_FILES;
	ahead_stop(&run->fetch, message);
	release_window(lane);
	if (message->disk) {
		disk_release(run->disks, message->disk);
		message->disk = NULL;
		sequencer_wake(&run->sequencer);
	}
	input_close(&message->input);
	lane->work->nblocks = 0;
	message->job = NULL;
}

void
lane_finish(struct lane *lane)
{
	struct message *message = lane->message;

	message->job->size = message->input.length;
	if (message->input.phase == INPUT_PADDED) {
		message->job->error = 0;
		set_digest(lane);
	}
	lane_clear(lane);
}

void
lane_start(struct lane *lane, struct job *job)
{
	struct message *message = lane->message;
	struct run *run = lane->run;

	assert(lane_is_free(lane) && !job->done);
	message_begin(message, run, job);
	if (!run->disks)
		message->input.patience = INPUT_FOR_ALL;
	else if (lane->unasked > 0 || run->config->one_input ||
		 !fetch_is_possible(&run->fetch))
		message->input.patience = INPUT_FOR_SHORT;
	message->input.cache_is_unknown = lane->unasked > 0;
	lane->ahead_tried = false;
	memcpy(lane->work->state, sha256_initial, sizeof(sha256_initial));
}

/* Claim the disk of an open input, if it rotates.  Return false if another message
 * has it. */
static bool
claim_disk(struct lane *lane)
{
	struct message *message = lane->message;
	struct input *in = &message->input;

	if (!disk_claim(lane->run->disks, in->version.device, in->fd,
			message->job->seq, &message->disk))
		return false;
	in->patience = INPUT_FOR_ALL;
	return true;
}

/* Decide on an input whose storage would make us wait.  Return INPUT_BLOCKS to step it
 * all the same, INPUT_LATER if another message has its disk. */
static enum input_answer
wait_for_storage(struct lane *lane)
{
	struct input *in = &lane->message->input;
	struct fetch *fetch = &lane->run->fetch;

	if (in->fd >= 0 && input_rotates(in)) {
		if (in->size > INPUT_LONG_BYTES) {
			lane->message->lacks_disk = !claim_disk(lane);
			return lane->message->lacks_disk ? INPUT_LATER :
							   INPUT_BLOCKS;
		}
		/* If residency is unknown, assume what recent files did. */
	} else if (in->cache_is_unknown ? fetch_expects_waiting(fetch) :
					  fetch_is_possible(fetch)) {
		return INPUT_BLOCKED;
	}
	in->patience = INPUT_FOR_ALL;
	return INPUT_BLOCKS;
}

/* Return true if the input is long, with more to come, and a thread may read
 * it. */
static bool
may_read_ahead(const struct lane *lane, enum lane_ahead ahead)
{
	const struct message *message = lane->message;
	const struct input *in = &message->input;

	/* Zeros are fastest where they are hashed. */
	if (lane->ahead_tried || ahead == LANE_AHEAD_NEVER ||
	    message->handed_bytes < READAHEAD_BYTES || in->holes.any)
		return false;
	return in->must_be_oldest || (ahead != LANE_AHEAD_STREAMS &&
				      input_left(in) >= READAHEAD_BYTES);
}

/* Have a thread read on.  It may wait for the disk, which the lane claims if
 * there is a choice.  Without the disk, a thread or memory, the lane reads. */
static void
try_reading_ahead(struct lane *lane, enum lane_ahead ahead)
{
	struct message *message = lane->message;
	struct input *in = &message->input;

	/* The lane still tries what is cheaper. */
	if (message->may_be_mapped && mapping_is_tried(lane->mapping))
		return;
	lane->ahead_tried = true;
	if (ahead == LANE_AHEAD_IF_IDLE && lane->run->config->processors() < 2)
		return;
	if (message->may_be_mapped && mapping_is_wanted(lane->mapping)) {
		mapping_touch_ahead(lane->mapping);
		return;
	}
	if (!in->must_be_oldest && in->patience != INPUT_FOR_ALL &&
	    !claim_disk(lane))
		return;
	ahead_begin(&lane->run->fetch, message,
		    message->disk ? 1 : AHEAD_READERS);
}

/* Step the input into the lane's buffer.  It may find only now that its data are not
 * cached: then it is stepped once more, if it may wait. */
static enum input_answer
step(struct lane *lane, bool may_wait, struct input_blocks *blocks)
{
	struct message *message = lane->message;
	struct input *in = &message->input;
	const bool was_open = in->phase == INPUT_OPEN;
	enum input_answer answer;

	/* Recent files missed the cache. */
	if (in->cache_is_unknown && !message->disk &&
	    fetch_expects_waiting(&lane->run->fetch))
		in->patience = INPUT_FOR_NOTHING;
	message->lacks_disk = false;
	do {
		answer = input_step(in, lane->buffer, lane->layout->capacity,
				    may_wait, blocks);
	} while (answer == INPUT_BLOCKED &&
		 (answer = wait_for_storage(lane)) == INPUT_BLOCKS);
	if (!was_open && in->phase == INPUT_OPEN)
		message->may_be_mapped = lane->mapping &&
					 !message->job->watched &&
					 mapping_suits(in);
	return answer;
}

/* Take the next piece of the file as it lies in the page cache. */
static bool
map_piece(struct lane *lane, struct input_blocks *blocks)
{
	struct message *message = lane->message;

	if (!message->may_be_mapped ||
	    !holes_are_past(&message->input.holes, input_place(&message->input),
			    MAPPING_PIECE_BYTES))
		return false;
	lane->way = MAPPING_READ;
	if (!mapping_is_wanted(lane->mapping))
		return false;
	message->may_be_mapped = mapping_next(lane->mapping, lane->index,
					      &message->input, blocks);
	if (!message->may_be_mapped)
		return false;
	lane->way = MAPPING_MAPPED;
	memcpy(lane->before, lane->work->state, sizeof(lane->before));
	return true;
}

enum input_answer
lane_refill(struct lane *lane, uint64_t head, bool may_wait,
	    enum lane_ahead ahead)
{
	struct engine_lane *work = lane->work;
	struct message *message = lane->message;
	struct fetch *fetch = &lane->run->fetch;
	enum input_answer answer = INPUT_BLOCKS;
	struct input_blocks blocks;

	if (work->nblocks > 0)
		return INPUT_BLOCKS;
	/* The input of a message that is read ahead is another thread's. */
	if (!ahead_has_pieces(fetch, message)) {
		message->input.is_oldest = message->job->seq == head;
		if (may_read_ahead(lane, ahead))
			try_reading_ahead(lane, ahead);
	}
	lane->way = MAPPING_OTHER;
	if (!ahead_take(fetch, message, &answer, &blocks))
		answer = map_piece(lane, &blocks) ?
				 INPUT_BLOCKS :
				 step(lane, may_wait, &blocks);
	switch (answer) {
	case INPUT_BLOCKS:
		work->data = blocks.data;
		work->nblocks = blocks.n;
		lane->message_bytes = blocks.message_bytes;
		lane->has_ended = blocks.is_last;
		message->handed_bytes += blocks.message_bytes;
		break;
	case INPUT_ENDED: lane_finish(lane); break;
	default: break;
	}
	return answer;
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

	if (mapping_was_kept(lane->mapping, lane->index, &message->input))
		return;
	message->may_be_mapped = false;
	message->handed_bytes -= MAPPING_PIECE_BYTES;
	/* They were counted as hashed. */
	lane->message_bytes += MAPPING_PIECE_BYTES;
	memcpy(lane->work->state, lane->before, sizeof(lane->before));
}

enum input_answer
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
		return INPUT_BLOCKS;
	if (lane->way == MAPPING_MAPPED)
		check_piece(lane);
	if (!lane->has_ended)
		return INPUT_LATER;
	lane_finish(lane);
	return INPUT_ENDED;
}

/* Changing hands ------------------------------------------------------------ */

uint64_t
lane_export_bytes(const struct lane *lane)
{
	const struct message *message = lane->message;

	if (lane_is_free(lane) || message->disk || message->lacks_disk ||
	    lane->work->nblocks > 0 ||
	    ahead_has_pieces(&lane->run->fetch, message) ||
	    message->input.must_be_oldest)
		return 0;
	return input_left(&message->input);
}

struct message *
lane_export(struct lane *lane)
{
	struct message *empty = fetch_new_message(&lane->run->fetch);
	struct message *message = lane->message;

	assert(message->job && lane->work->nblocks == 0);
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
	assert(lane_is_free(lane) && message->job);
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
		if (set->layout.capacity > INPUT_MIN_ROOM)
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
