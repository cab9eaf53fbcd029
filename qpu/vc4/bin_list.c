/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/bin_list.h"

#include <errno.h>
#include <string.h>

#include "qpu/isa/packet.h"
#include "qpu/vc4/queue.h"

enum {
	TILE_STATE_BYTES = 48,
	/* Flags of BINNING_MODE. */
	FLAG_64_BITS = 0x02,
	FLAG_INIT_STATE = 0x04,
	FLAGS_BLOCKS = 0x78,
	FLAGS_BLOCKS_OF_128 = 0x40, /* the first of a tile has 32 bytes */
	FLAG_DOUBLE = 0x80,
};

struct reading {
	struct vc4 *vc4;
	struct vc4_job *job;
	const uint8_t *list;
	uint32_t bytes;
	uint32_t handle; /* of indices: the first of the last GEM_HANDLES */
	bool mode, start, semaphore, flush;
};

/* A packet at `at` of the caller's list, and its copy, after the codes. */
typedef int
checker(struct reading *, const uint8_t *at, uint8_t *copy);

/* The packet ends `after` bytes before the list does. */
static bool
is_before_end(const struct reading *reading, const uint8_t *at, uint32_t after)
{
	return at - 1 == reading->list + reading->bytes - after;
}

static int
check_flush(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)copy;
	reading->flush = is_before_end(reading, at, 1);
	return reading->flush ? 0 : -EINVAL;
}

static int
check_semaphore(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)copy;
	reading->semaphore = is_before_end(reading, at, 2);
	return reading->semaphore ? 0 : -EINVAL;
}

static int
check_start(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)at;
	(void)copy;
	if (reading->start || !reading->mode)
		return -EINVAL;
	reading->start = true;
	return 0;
}

/* The shader record of primitives, or NULL. */
static struct job_record *
record_in_use(const struct vc4_job *job)
{
	return job->nstates ? &job->states[job->nstates - 1] : NULL;
}

static int
check_indexed(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct vc4_job *job = reading->job;
	struct job_record *record = record_in_use(job);
	const uint32_t length = job_word(at + 1), offset = job_word(at + 5);
	const uint32_t max_index = job_word(at + 9);
	const uint32_t index_bytes = at[0] >> 4 ? 2 : 1;
	struct vc4_buffer *buffer = job_buffer(job, reading->handle);

	if (!record || !buffer)
		return -EINVAL;
	if (max_index > record->max_index)
		record->max_index = max_index;
	if (buffer->write_seqno > job->dependency)
		job->dependency = buffer->write_seqno;
	if (offset > buffer->pages.bytes ||
	    (buffer->pages.bytes - offset) / index_bytes < length)
		return -EINVAL;
	job_set_word(copy + 5, job_address(&buffer->pages) + offset);
	return 0;
}

static int
check_array(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct job_record *record = record_in_use(reading->job);
	const uint32_t length = job_word(at + 1), base = job_word(at + 5);

	(void)copy;
	if (!record || length + base < length)
		return -EINVAL;
	if (length + base - 1 > record->max_index)
		record->max_index = length + base - 1;
	return 0;
}

uint32_t
bin_list_record_bytes(uint32_t bits)
{
	const uint32_t attributes = bits & 7 ? bits & 7 : 8;

	return bits & 8 ? 100 + attributes * 4 : 36 + attributes * 8;
}

static int
check_shader_state(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct vc4_job *job = reading->job;
	const uint32_t bits = job_word(at);

	if (job->nstates == job->args->shader_rec_count || bits & ~0xfu)
		return -EINVAL;
	job->states[job->nstates++] = (struct job_record){ .bits = bits };
	job_set_word(copy, job->records_to.bus | bits);
	job->records_to.bus += (bin_list_record_bytes(bits) + 15) & ~15u;
	return 0;
}

static int
check_mode(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct vc4 *vc4 = reading->vc4;
	struct vc4_job *job = reading->job;
	const uint32_t tiles = at[12] * at[13];
	const uint32_t state = (TILE_STATE_BYTES * tiles + VC4_PAGE - 1) &
			       ~(uint32_t)(VC4_PAGE - 1);
	uint32_t slot;

	if (reading->mode || tiles == 0 ||
	    at[14] & (FLAG_DOUBLE | FLAG_64_BITS) ||
	    state >= VC4_BIN_SLOT_BYTES)
		return -EINVAL;
	reading->mode = true;
	job->bin_tiles_x = at[12];
	job->bin_tiles_y = at[13];
	if (!queue_take_bin_slot(vc4, &slot))
		return -EINVAL;
	job->bin_slots |= UINT32_C(1) << slot;
	slot = job_address(&vc4->bin) + slot * VC4_BIN_SLOT_BYTES;
	job->tile_alloc = slot + state;
	job_set_word(copy, job->tile_alloc);
	job_set_word(copy + 4, VC4_BIN_SLOT_BYTES - state);
	job_set_word(copy + 8, slot);
	copy[14] = (uint8_t)((at[14] & ~FLAGS_BLOCKS) | FLAG_INIT_STATE |
			     FLAGS_BLOCKS_OF_128);
	return 0;
}

static int
check_handles(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)copy;
	reading->handle = job_word(at);
	return 0;
}

/* Packets that are allowed; those without a function may have any content. */
static const struct row {
	uint8_t code, bytes;
	checker *check;
} rows[] = {
#define ALLOW(name, check)                                                     \
	{                                                                      \
		PACKET_##name, PACKET_BYTES_##name, check                      \
	}
	ALLOW(HALT, NULL),
	ALLOW(NOP, NULL),
	ALLOW(FLUSH, check_flush),
	ALLOW(FLUSH_ALL, NULL),
	ALLOW(START_TILE_BINNING, check_start),
	ALLOW(INCREMENT_SEMAPHORE, check_semaphore),
	ALLOW(INDEXED_PRIMITIVE, check_indexed),
	ALLOW(ARRAY_PRIMITIVE, check_array),
	ALLOW(PRIMITIVE_FORMAT, NULL),
	ALLOW(GL_SHADER_STATE, check_shader_state),
	ALLOW(CONFIGURATION_BITS, NULL),
	ALLOW(FLAT_SHADE, NULL),
	ALLOW(POINT_SIZE, NULL),
	ALLOW(LINE_WIDTH, NULL),
	ALLOW(RHT_X_BOUNDARY, NULL),
	ALLOW(DEPTH_OFFSET, NULL),
	ALLOW(CLIP_WINDOW, NULL),
	ALLOW(VIEWPORT_OFFSET, NULL),
	ALLOW(CLIPPER_XY, NULL),
	ALLOW(CLIPPER_Z, NULL),
	ALLOW(BINNING_MODE, check_mode),
	ALLOW(GEM_HANDLES, check_handles),
#undef ALLOW
};

static const struct row *
row_of(uint8_t code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].code == code)
			return &rows[i];
	return NULL;
}

/* One packet; *to goes on if it is for the hardware. */
static int
check_packet(struct reading *reading, uint32_t at, uint8_t **to,
	     const struct row **row)
{
	const uint8_t *from = reading->list + at;

	*row = row_of(*from);
	if (!*row || (*row)->bytes > reading->bytes - at)
		return -EINVAL;
	if ((*row)->code == PACKET_GEM_HANDLES)
		return check_handles(reading, from + 1, NULL);
	memcpy(*to, from, (*row)->bytes);
	if ((*row)->check) {
		/* Whatever the reason is, the list is not valid. */
		if ((*row)->check(reading, from + 1, *to + 1) != 0)
			return -EINVAL;
	}
	*to += (*row)->bytes;
	return 0;
}

int
bin_list_check(struct vc4 *vc4, struct vc4_job *job, const uint8_t *list,
	       uint32_t n)
{
	struct reading reading = {
		.vc4 = vc4, .job = job, .list = list, .bytes = n
	};
	uint8_t *to = job->lists.host;
	const struct row *row = NULL;
	int error;

	/* After a HALT nothing is read. */
	for (uint32_t at = 0; at < n && !(row && row->code == PACKET_HALT);
	     at += row->bytes) {
		error = check_packet(&reading, at, &to, &row);
		if (error)
			return error;
	}
	job->bin_end =
		job->bin_start + (uint32_t)(to - (uint8_t *)job->lists.host);
	return reading.start && reading.semaphore && reading.flush ? 0 :
								     -EINVAL;
}
