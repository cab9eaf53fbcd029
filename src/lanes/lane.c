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
	struct job *job = &message->job;

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
lane_put(struct lane *lane, struct message *message)
{
	assert(!lane->message);
	lane->message = message;
	lane->ahead_tried = false;
	memcpy(lane->work->state, message->state, sizeof(message->state));
}

struct message *
lane_take_out(struct lane *lane)
{
	struct message *message = lane->message;

	assert(lane->work->nblocks == 0);
	release_window(lane);
	ahead_give_back(&lane->run->ahead, message);
	memcpy(message->state, lane->work->state, sizeof(message->state));
	lane->message = NULL;
	return message;
}

/* Free the lane: its message has ended. */
static void
finish(struct lane *lane)
{
	struct message *message = lane->message;

	message->job.size = message->input.length;
	if (message->input.phase == INPUT_PADDED) {
		message->job.error = 0;
		set_digest(lane);
	}
	release_window(lane);
	message_end(message);
	lane->message = NULL;
}

/* Claim the disk of an open input, if it rotates.  Return false if another message
 * has it. */
static bool
claim_disk(struct lane *lane)
{
	struct message *message = lane->message;
	struct input *in = &message->input;

	if (!disk_claim(lane->run->disks, in->job->version.device, in->fd,
			message->job.seq, &message->disk))
		return false;
	in->patience = INPUT_FOR_ALL;
	return true;
}

/* Decide on an input whose storage would make us wait.  Return INPUT_BLOCKED with
 * INPUT_FOR_ALL if the lane is to wait for it, INPUT_LATER if another message has its
 * disk. */
static enum input_result
wait_for_storage(struct lane *lane)
{
	struct input *in = &lane->message->input;
	struct ahead *ahead = &lane->run->ahead;

	if (in->fd >= 0 && input_rotates(in)) {
		if (in->size > INPUT_LONG_BYTES && !claim_disk(lane)) {
			lane->message->lacks_disk = true;
			return INPUT_LATER;
		}
		/* If residency is unknown, assume what recent files did. */
	} else if (in->cache_is_unknown ? ahead_expects_waiting(ahead) :
					  ahead_is_possible(ahead)) {
		return INPUT_BLOCKED;
	}
	in->patience = INPUT_FOR_ALL;
	return INPUT_BLOCKED;
}

/* Return true if the input is long, with more to come, and a thread may read
 * it. */
static bool
may_read_ahead(const struct lane *lane)
{
	const struct message *message = lane->message;
	const struct input *in = &message->input;

	/* Zeros are fastest where they are hashed. */
	return !lane->ahead_tried && message->handed_bytes >= READAHEAD_BYTES &&
	       !in->holes.any &&
	       (in->must_be_oldest || input_left(in) >= READAHEAD_BYTES);
}

/* Have a thread read on.  It may wait for the disk, which the lane claims if
 * there is a choice.  Without the disk, a thread or memory, the lane reads. */
static void
try_reading_ahead(struct lane *lane)
{
	const struct pipeline_config *config = lane->run->config;
	struct message *message = lane->message;
	struct input *in = &message->input;

	lane->ahead_tried = true;
	if (config->processors && config->processors() < 2)
		return;
	if (message->may_be_mapped) {
		mapping_touch_ahead(lane->mapping);
		return;
	}
	if (!in->must_be_oldest && in->patience != INPUT_FOR_ALL &&
	    !claim_disk(lane))
		return;
	ahead_begin(&lane->run->ahead, message);
}

/* Step the input into the lane's buffer. */
static enum input_result
step(struct lane *lane, bool may_wait, struct input_blocks *blocks)
{
	struct message *message = lane->message;
	struct input *in = &message->input;
	const bool was_open = in->phase == INPUT_OPEN;
	enum input_result result;

	/* Recent files missed the cache. */
	if (in->cache_is_unknown && !message->disk &&
	    ahead_expects_waiting(&lane->run->ahead))
		in->patience = INPUT_FOR_NOTHING;
	message->lacks_disk = false;
	result = input_step(in, lane->buffer, lane->layout->capacity, may_wait,
			    blocks);
	if (result == INPUT_BLOCKED)
		result = wait_for_storage(lane);
	if (!was_open && in->phase == INPUT_OPEN)
		message->may_be_mapped = lane->mapping &&
					 !message->job.watched &&
					 mapping_suits(in);
	return result;
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
	message->may_be_mapped = mapping_next(lane->mapping, lane->index,
					      &message->input, blocks);
	lane->is_mapped = message->may_be_mapped;
	if (!lane->is_mapped)
		return false;
	memcpy(lane->before, lane->work->state, sizeof(lane->before));
	return true;
}

enum input_result
lane_refill(struct lane *lane, uint64_t head, bool may_wait, bool may_help)
{
	struct engine_lane *work = lane->work;
	struct message *message = lane->message;
	struct ahead *ahead = &lane->run->ahead;
	enum input_result result = INPUT_BLOCKS;
	struct input_blocks blocks;

	if (work->nblocks > 0)
		return INPUT_BLOCKS;
	/* The input of a message that is read ahead is another thread's. */
	if (!ahead_has_pieces(ahead, message)) {
		message->input.is_oldest = message->job.seq == head;
		if (may_help && may_read_ahead(lane))
			try_reading_ahead(lane);
	}
	lane->is_mapped = false;
	if (!ahead_take(ahead, message, &result, &blocks))
		result = map_piece(lane, &blocks) ?
				 INPUT_BLOCKS :
				 step(lane, may_wait, &blocks);
	switch (result) {
	case INPUT_BLOCKS:
		work->data = blocks.data;
		work->nblocks = blocks.n;
		lane->message_bytes = blocks.message_bytes;
		lane->has_ended = blocks.is_last;
		message->handed_bytes += blocks.message_bytes;
		break;
	case INPUT_ENDED: finish(lane); break;
	default: break;
	}
	return result;
}

void
lane_restart(struct lane *lane)
{
	struct message *message = lane->message;

	lane->work->nblocks = 0;
	lane_take_out(lane);
	message_end(message);
	message->job.started_on_device = false;
	message->job.restarted = true;
	message_begin(message, lane->run);
	lane_put(lane, message);
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

enum input_result
lane_advance(struct lane *lane)
{
	struct engine_lane *work = lane->work;
	uint32_t done = work->done;
	size_t bytes = (size_t)done * SHA256_BLOCK_BYTES;
	size_t message_bytes =
		bytes < lane->message_bytes ? bytes : lane->message_bytes;

	verify_feed(&lane->message->verify, work->data, done, message_bytes);
	lane->message_bytes -= message_bytes;
	work->data += bytes;
	work->nblocks -= done;
	if (work->nblocks > 0)
		return INPUT_BLOCKS;
	if (lane->is_mapped)
		check_piece(lane);
	if (!lane->has_ended)
		return INPUT_LATER;
	finish(lane);
	return INPUT_ENDED;
}

/* Changing hands ------------------------------------------------------------ */

uint64_t
lane_bytes_to_share(const struct lane *lane)
{
	const struct message *message = lane->message;

	if (!message || message->disk || message->lacks_disk ||
	    lane->work->nblocks > 0 ||
	    ahead_has_pieces(&lane->run->ahead, message) ||
	    message->input.must_be_oldest)
		return 0;
	return input_left(&message->input);
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
	ahead_set_space(&run->ahead, buffer_layout_space(&set->layout));
	set->work = calloc(n, sizeof(*set->work));
	set->lanes = calloc(n, sizeof(*set->lanes));
	if (!set->work || !set->lanes)
		return false;
	for (unsigned i = 0; i < n; i++) {
		set->lanes[i] = (struct lane){
			.run = run,
			.work = &set->work[i],
			.layout = &set->layout,
			.mapping = maps ? &set->mapping : NULL,
			.index = i,
		};
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
	free(set->lanes);
	free(set->work);
}
