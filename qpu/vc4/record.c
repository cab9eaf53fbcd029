/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/vc4_job.h"

#include <errno.h>
#include <string.h>

enum {
	PROGRAMS = 3,
	ATTRIBUTES_MOST = 8,
	COORDINATES = 2, /* the program whose lookups binning waits for */
	FLAG_SINGLE_THREAD = 1,
	ATTRIBUTES_AT = 36,
	STRIDES_AT = 100 /* of an extended record */
};

/* Where a record has the address of each program; uniforms' come next. */
static const uint8_t program_at[PROGRAMS] = { 4, 16, 28 };

struct record {
	uint32_t attributes, bytes;
	const uint8_t *user;
	uint8_t *copy;
	const struct vc4_buffer *programs[PROGRAMS];
	struct vc4_buffer *vertices[ATTRIBUTES_MOST];
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

/* The program of an index into the job's handles, or NULL. */
static const struct vc4_buffer *
program_of(const struct vc4_job *job, uint32_t index)
{
	const struct vc4_buffer *buffer =
		index < job->nbuffers ? job->buffers[index] : NULL;

	/* Linux 6.1 reads a null pointer where it is no program. */
	return buffer && buffer->is_program ? buffer : NULL;
}

static bool
look_up_handles(const struct vc4_job *job, struct record *record,
		const uint8_t *handles)
{
	for (unsigned i = 0; i < PROGRAMS; i++) {
		record->programs[i] =
			program_of(job, job_word(handles + 4 * i));
		if (!record->programs[i])
			return false;
	}
	handles += 4 * PROGRAMS;
	for (uint32_t i = 0; i < record->attributes; i++) {
		record->vertices[i] =
			job_buffer(job, job_word(handles + 4 * i));
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
	       !record->programs[COORDINATES]->program.threaded;
}

/* A fault strikes one line of what the job looks up. */
static void
remember_line(const struct vc4 *vc4, struct vc4_job *job, uint32_t address)
{
	const uint64_t number = vc4->emitted + 1;

	if (fault_strikes(vc4, VC4_STALE_LINES, number) &&
	    job->nloads++ <= number % 8)
		job->stale_line = address & ~63u;
}

/* A direct lookup reads a word at base + x with x from 0 to a clamp: all of them
 * must lie in the buffer. */
static bool
lookup_fits(const struct vc4_buffer *buffer, const struct qpu_drm_load *load,
	    const uint8_t *uniforms)
{
	const uint32_t bytes = buffer->pages.bytes;
	const uint32_t base = job_word(uniforms + load->parameters[0]);
	const uint32_t most = job_word(uniforms + load->parameters[1]);

	return base <= bytes - 4 && most <= bytes - base - 4;
}

static bool
copy_uniforms(struct vc4 *vc4, struct vc4_job *job,
	      const struct vc4_buffer *buffer, bool binning)
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
		struct vc4_buffer *texture =
			job_buffer(job, job_word(handles + 4 * i));

		/* Textures are not checked, since the emulator refuses them. */
		if (!texture ||
		    (load->direct && !lookup_fits(texture, load, words)))
			return false;
		job_set_word(to + load->parameters[0],
			     job_address(&texture->pages) +
				     job_word(words + load->parameters[0]));
		remember_line(vc4, job, job_word(to + load->parameters[0]));
		if (binning && texture->write_seqno > job->dependency)
			job->dependency = texture->write_seqno;
	}
	for (size_t i = 0; i < program->naddresses; i++)
		job_set_word(to + 4 * program->addresses[i],
			     job->uniforms_to.bus);
	return true;
}

static bool
check_programs(struct vc4 *vc4, struct vc4_job *job,
	       const struct record *record)
{
	for (unsigned i = 0; i < PROGRAMS; i++) {
		const struct vc4_buffer *program = record->programs[i];
		uint8_t *copy = record->copy + program_at[i];

		/* Programs begin where their buffers do. */
		if (job_word(record->user + program_at[i]) != 0)
			return false;
		job_set_word(copy, job_address(&program->pages));
		job_set_word(copy + 4, job->uniforms_to.bus);
		if (!copy_uniforms(vc4, job, program, i == COORDINATES))
			return false;
		job->uniforms_to.at += program->program.uniform_bytes;
		job->uniforms_to.bus += program->program.uniform_bytes;
	}
	return true;
}

static bool
check_attributes(struct vc4_job *job, const struct job_record *state,
		 const struct record *record)
{
	for (uint32_t i = 0; i < record->attributes; i++) {
		const struct vc4_buffer *buffer = record->vertices[i];
		const uint8_t *user = record->user + ATTRIBUTES_AT + 8 * i;
		const uint32_t offset = job_word(user), bytes = user[4] + 1;
		uint32_t stride = user[5];

		if (state->bits & 8)
			stride |= job_word(record->user + STRIDES_AT + 4 * i) &
				  ~0xffu;
		if (buffer->write_seqno > job->dependency)
			job->dependency = buffer->write_seqno;
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
check(struct vc4 *vc4, struct vc4_job *job, const struct job_record *state)
{
	struct record record = { .attributes =
					 state->bits & 7 ? state->bits & 7 : 8,
				 .bytes = bin_list_record_bytes(state->bits),
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
	       threads_match(&record) && check_programs(vc4, job, &record) &&
	       check_attributes(job, state, &record);
}

int
record_check_all(struct vc4 *vc4, struct vc4_job *job)
{
	for (uint32_t i = 0; i < job->nstates; i++)
		if (!check(vc4, job, &job->states[i]))
			return -EINVAL;
	return 0;
}
