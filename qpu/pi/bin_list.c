/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vc4_node.h"

#include <errno.h>
#include <string.h>

#include "qpu/isa/packet.h"

enum {
	TILE_STATE_BYTES = 48,
	/* Flags of BINNING_MODE. */
	FLAG_64_BITS = 0x02,
	FLAG_INIT_STATE = 0x04,
	FLAGS_BLOCKS = 0x78,
	FLAGS_BLOCKS_OF_128 = 0x40, /* the first of a tile has 32 bytes */
	FLAG_DOUBLE = 0x80,
	/* Shader records. */
	PROGRAMS = 3,
	ATTRIBUTES_MOST = 8,
	FLAG_SINGLE_THREAD = 1,
	ATTRIBUTES_AT = 36,
};

struct reading {
	struct vc4 *vc4;
	struct vc4_job *job;
	const uint8_t *list;
	uint32_t bytes;
	bool mode, start, semaphore, flush;
};

/* Check a packet of the caller's list, and fill addresses into its copy; both begin
 * after the code.  Return false if the list is not valid. */
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

static bool
check_array(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	const struct vc4_job *job = reading->job;
	const uint32_t length = job_word(at + 1), base = job_word(at + 5);
	struct job_record *record;

	(void)copy;
	if (job->nstates == 0 || length + base < length)
		return false;
	record = &job->states[job->nstates - 1];
	if (length + base - 1 > record->max_index)
		record->max_index = length + base - 1;
	return true;
}

/* Return the bytes of a shader record, by the attribute bits of its packet. */
static uint32_t
record_bytes(uint32_t bits)
{
	const uint32_t attributes = bits & 7 ? bits & 7 : 8;

	return ATTRIBUTES_AT + attributes * 8;
}

/* Extended records, with strides of 32 bits, are not modelled. */
static bool
check_shader_state(struct reading *reading, const uint8_t *at, uint8_t *copy)
{
	struct vc4_job *job = reading->job;
	const uint32_t bits = job_word(at);

	if (job->nstates == job->args->shader_rec_count || bits & ~7u)
		return false;
	job->states[job->nstates++] = (struct job_record){ .bits = bits };
	job_set_word(copy, job->records_to.bus | bits);
	job->records_to.bus += (record_bytes(bits) + 15) & ~15u;
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

/* --- Shader records --------------------------------------------------------- */

/* Offset in a record of each program's address; its uniforms' follows. */
static const uint8_t program_at[PROGRAMS] = { 4, 16, 28 };

struct record {
	uint32_t attributes, bytes;
	const uint8_t *user;
	uint8_t *copy;
	const struct vc4_bo *programs[PROGRAMS];
	struct vc4_bo *vertices[ATTRIBUTES_MOST];
};

static const uint8_t *
take(struct job_part *part, uint32_t bytes)
{
	const uint8_t *at = part->at;

	if (bytes > part->left)
		return NULL;
	part->at += bytes;
	part->left -= bytes;
	return at;
}

static bool
look_up_handles(const struct vc4_job *job, struct record *record,
		const uint8_t *handles)
{
	for (unsigned i = 0; i < PROGRAMS; i++) {
		/* Linux reads a null pointer for another buffer. */
		record->programs[i] =
			job_buffer(job, job_word(handles + 4 * i), true);
		if (!record->programs[i])
			return false;
	}
	handles += 4 * PROGRAMS;
	for (uint32_t i = 0; i < record->attributes; i++) {
		record->vertices[i] =
			job_buffer(job, job_word(handles + 4 * i), false);
		if (!record->vertices[i])
			return false;
	}
	return true;
}

/* A program that switches threads is for fragments only, and its record says
 * so. */
static bool
threads_match(const struct record *record)
{
	const bool single = record->user[0] & FLAG_SINGLE_THREAD;

	return record->programs[0]->program.threaded != single &&
	       !record->programs[1]->program.threaded &&
	       !record->programs[2]->program.threaded;
}

/* A direct lookup reads a word at base + x with x from 0 to a clamp: all of them
 * must lie in the buffer. */
static bool
lookup_fits(const struct vc4_bo *buffer, const struct qpu_drm_load *load,
	    const uint8_t *uniforms)
{
	const uint32_t bytes = buffer->pages.bytes;
	const uint32_t base = job_word(uniforms + load->parameters[0]);
	const uint32_t most = job_word(uniforms + load->parameters[1]);

	return base <= bytes - 4 && most <= bytes - base - 4;
}

static bool
copy_uniforms(struct vc4_job *job, const struct vc4_bo *buffer)
{
	const struct qpu_drm_program *program = &buffer->program;
	const uint8_t *handles =
		take(&job->uniforms, (uint32_t)(4 * program->nloads));
	const uint8_t *words =
		handles ?
			take(&job->uniforms, (uint32_t)program->uniform_bytes) :
			NULL;
	uint8_t *to = job->uniforms_to.at;

	if (!words)
		return false;
	memcpy(to, words, program->uniform_bytes);
	for (size_t i = 0; i < program->nloads; i++) {
		const struct qpu_drm_load *load = &program->loads[i];
		struct vc4_bo *texture =
			job_buffer(job, job_word(handles + 4 * i), false);

		/* Textures are not checked, since the emulator refuses them. */
		if (!texture ||
		    (load->direct && !lookup_fits(texture, load, words)))
			return false;
		job_set_word(to + load->parameters[0],
			     job_address(&texture->pages) +
				     job_word(words + load->parameters[0]));
	}
	for (size_t i = 0; i < program->naddresses; i++)
		job_set_word(to + 4 * program->addresses[i],
			     job->uniforms_to.bus);
	return true;
}

static bool
check_programs(struct vc4_job *job, const struct record *record)
{
	for (unsigned i = 0; i < PROGRAMS; i++) {
		const struct vc4_bo *program = record->programs[i];
		uint8_t *copy = record->copy + program_at[i];

		/* Programs begin where their buffers do. */
		if (job_word(record->user + program_at[i]) != 0)
			return false;
		job_set_word(copy, job_address(&program->pages));
		job_set_word(copy + 4, job->uniforms_to.bus);
		if (!copy_uniforms(job, program))
			return false;
		job->uniforms_to.at += program->program.uniform_bytes;
		job->uniforms_to.bus += program->program.uniform_bytes;
	}
	return true;
}

static bool
check_attributes(const struct job_record *state, const struct record *record)
{
	for (uint32_t i = 0; i < record->attributes; i++) {
		const struct vc4_bo *buffer = record->vertices[i];
		const uint8_t *user = record->user + ATTRIBUTES_AT + 8 * i;
		const uint32_t offset = job_word(user), bytes = user[4] + 1;
		const uint32_t stride = user[5];

		if (buffer->pages.bytes < offset ||
		    buffer->pages.bytes - offset < bytes)
			return false;
		if (stride &&
		    state->max_index >
			    (buffer->pages.bytes - offset - bytes) / stride)
			return false;
		job_set_word(record->copy + ATTRIBUTES_AT + 8 * i,
			     job_address(&buffer->pages) + offset);
	}
	return true;
}

static bool
check_record(struct vc4_job *job, const struct job_record *state)
{
	struct record record = { .attributes =
					 state->bits & 7 ? state->bits & 7 : 8,
				 .bytes = record_bytes(state->bits),
				 .copy = job->records_to.at };
	const uint8_t *handles =
		take(&job->records, 4 * (PROGRAMS + record.attributes));

	record.user = handles ? take(&job->records, record.bytes) : NULL;
	if (!record.user)
		return false;
	/* There is room: the handles before it are not copied. */
	memcpy(record.copy, record.user, record.bytes);
	job->records_to.at += (record.bytes + 15) & ~15u;
	return look_up_handles(job, &record, handles) &&
	       threads_match(&record) && check_programs(job, &record) &&
	       check_attributes(state, &record);
}

int
record_check_all(struct vc4_job *job)
{
	for (uint32_t i = 0; i < job->nstates; i++)
		if (!check_record(job, &job->states[i]))
			return -EINVAL;
	return 0;
}
