/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/vc4_job.h"

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
	bool mode, start, semaphore, flush;
};

/* Looks at a packet of the caller's list, and fills addresses into its copy; both
 * begin after the code.  False: the list is not valid. */
typedef bool
checker(struct reading *, const uint8_t *at, uint8_t *copy);

/* The packet ends `after` bytes before the list does. */
static bool
is_before_end(const struct reading *reading, const uint8_t *at, uint32_t after)
{
	return at - 1 == reading->list + reading->bytes - after;
}

static bool
check_flush(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)copy;
	reading->flush = is_before_end(reading, at, 1);
	return reading->flush;
}

static bool
check_semaphore(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)copy;
	reading->semaphore = is_before_end(reading, at, 2);
	return reading->semaphore;
}

static bool
check_start(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	(void)at;
	(void)copy;
	if (reading->start || !reading->mode)
		return false;
	reading->start = true;
	return true;
}

/* The shader record of primitives, or NULL. */
static struct job_record *
record_in_use(const struct vc4_job *job)
{
	return job->nstates ? &job->states[job->nstates - 1] : NULL;
}

static bool
check_array(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct job_record *record = record_in_use(reading->job);
	const uint32_t length = job_word(at + 1), base = job_word(at + 5);

	(void)copy;
	if (!record || length + base < length)
		return false;
	if (length + base - 1 > record->max_index)
		record->max_index = length + base - 1;
	return true;
}

uint32_t
bin_list_record_bytes(uint32_t bits)
{
	const uint32_t attributes = bits & 7 ? bits & 7 : 8;

	return bits & 8 ? 100 + attributes * 4 : 36 + attributes * 8;
}

static bool
check_shader_state(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct vc4_job *job = reading->job;
	const uint32_t bits = job_word(at);

	if (job->nstates == job->args->shader_rec_count || bits & ~0xfu)
		return false;
	job->states[job->nstates++] = (struct job_record){ .bits = bits };
	job_set_word(copy, job->records_to.bus | bits);
	job->records_to.bus += (bin_list_record_bytes(bits) + 15) & ~15u;
	return true;
}

static bool
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
		return false;
	reading->mode = true;
	job->bin_tiles_x = at[12];
	job->bin_tiles_y = at[13];
	if (!queue_take_bin_slot(vc4, &slot))
		return false;
	job->bin_slots |= UINT32_C(1) << slot;
	slot = job_address(&vc4->bin) + slot * VC4_BIN_SLOT_BYTES;
	job->tile_alloc = slot + state;
	job_set_word(copy, job->tile_alloc);
	job_set_word(copy + 4, VC4_BIN_SLOT_BYTES - state);
	job_set_word(copy + 8, slot);
	copy[14] = (uint8_t)((at[14] & ~FLAGS_BLOCKS) | FLAG_INIT_STATE |
			     FLAGS_BLOCKS_OF_128);
	return true;
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
	/* Handles of indices: it is not for the hardware. */
	ALLOW(GEM_HANDLES, NULL),
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

/* One packet; false: it is not valid. *to goes on if it is for the hardware. */
static bool
check_packet(struct reading *reading, uint32_t at, uint8_t **to,
	     const struct row **row)
{
	const uint8_t *from = reading->list + at;

	*row = row_of(*from);
	if (!*row || (*row)->bytes > reading->bytes - at)
		return false;
	if ((*row)->code == PACKET_GEM_HANDLES)
		return true;
	memcpy(*to, from, (*row)->bytes);
	if ((*row)->check && !(*row)->check(reading, from + 1, *to + 1))
		return false;
	*to += (*row)->bytes;
	return true;
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

	/* After a HALT nothing is read. */
	for (uint32_t at = 0; at < n && !(row && row->code == PACKET_HALT);
	     at += row->bytes)
		if (!check_packet(&reading, at, &to, &row))
			return -EINVAL;
	job->bin_end =
		job->bin_start + (uint32_t)(to - (uint8_t *)job->lists.host);
	return reading.start && reading.semaphore && reading.flush ? 0 :
								     -EINVAL;
}
