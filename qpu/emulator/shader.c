/* SPDX-License-Identifier: MIT */
/*
 * shader: shader records with the corners of their triangles, and threads of
 * fragment shaders.
 */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/emulator/timed.h"

enum {
	NO_LIMIT = 0xfff, /* of uniforms */
	RECORD_BYTES = 36,
	SHADER_BYTES = 12, /* of each shader in it */
	ATTRIBUTE_BYTES = 8,
	FLAG_SINGLE = 1,
};

/* Load the attribute of each corner: its base, bytes less one, stride, and the places
 * for the vertex and the coordinate shader.  It fills whole words; what lies after
 * row 63 is lost. */
static bool
fetch_attribute(struct machine *machine, enum emu_list_number list,
		const uint8_t *attribute)
{
	emu_vec *rows = machine->pipe->batch[list].in.row;
	const unsigned bytes = attribute[4] + 1u, stride = attribute[5];
	const unsigned first = attribute[list == EMU_RENDER ? 6 : 7] / 4;

	for (unsigned lane = 0; lane < EMU_CORNERS; lane++) {
		const uint32_t at = emu_word_at(attribute) + lane * stride;
		const uint8_t *from =
			emu_named(machine, list, "an attribute", at, bytes);

		if (!from)
			return false;
		for (unsigned i = 0; i < bytes / 4 && first + i < EMU_VPM_ROWS;
		     i++)
			rows[first + i][lane] = emu_word_at(from + 4 * i);
	}
	return true;
}

/* Read the record, and the attribute for the list's shader. */
static bool
fetch(struct machine *machine, enum emu_list_number list, uint32_t word)
{
	struct emu_batch *batch = &machine->pipe->batch[list];
	const uint8_t *record = emu_named(machine, list, "the shader record",
					  word & ~15u,
					  RECORD_BYTES + ATTRIBUTE_BYTES);

	if (!record)
		return false;
	if (!(record[0] & FLAG_SINGLE) || (word & 7) != 1)
		return emu_refuse(machine, list,
				  "shaders with two threads on a QPU, or with "
				  "other than one attribute, are not modelled");
	for (unsigned i = 0; i < EMU_SHADERS; i++)
		batch->launch[i] = (struct emu_launch){
			.kind = i == EMU_SHADER_FRAGMENT ? EMU_THREAD_FRAGMENT :
							   EMU_THREAD_VERTEX,
			.code = emu_word_at(record + 4 + SHADER_BYTES * i),
			.uniforms = emu_word_at(record + 8 + SHADER_BYTES * i),
			.limit = NO_LIMIT,
		};
	batch->in.rows = batch->out.rows = EMU_VPM_ROWS;
	return fetch_attribute(machine, list, record + RECORD_BYTES);
}

bool
emu_batch_shade(struct machine *machine, enum emu_list_number list,
		uint32_t word)
{
	const enum emu_shader shader = list == EMU_BIN ? EMU_SHADER_COORDINATE :
							 EMU_SHADER_VERTEX;
	struct emu_batch *batch = &machine->pipe->batch[list];
	struct emu_qpu *qpu = batch->phase == EMU_PHASE_EMPTY ?
				      emu_qpu_find(machine, 1 + shader) :
				      NULL;

	if (qpu) {
		if (!fetch(machine, list, word))
			return false;
		batch->phase = EMU_PHASE_SHADING;
		qpu->batch = batch;
		emu_qpu_start(qpu, &batch->launch[shader]);
	}
	if (batch->phase != EMU_PHASE_SHADED)
		return false;
	batch->phase = EMU_PHASE_EMPTY;
	return true;
}

/* --- Fragment threads --------------------------------------------------------- */

void
emu_fragment_start(struct machine *machine, struct emu_qpu *qpu)
{
	struct emu_pipe *pipe = machine->pipe;
	const struct emu_render *render = &pipe->render;
	const struct emu_batch *batch = &pipe->batch[EMU_RENDER];
	struct emu_fragment *fragment = &pipe->fragment[qpu->number];

	*fragment = render->thread;
	fragment->active = true;
	fragment->serial = pipe->threads++;
	fragment->ops = pipe->ops;
	pipe->fragments++;
	qpu->fragment = fragment;
	emu_qpu_start(qpu, &batch->launch[EMU_SHADER_FRAGMENT]);
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		qpu->file[EMU_SLOT_X][lane] = render->tile_x * EMU_TILE_SIDE +
					      fragment->x[lane / 4] +
					      (lane & 1);
		qpu->file[EMU_SLOT_Y][lane] = render->tile_y * EMU_TILE_SIDE +
					      fragment->y[lane / 4] +
					      (lane >> 1 & 1);
	}
}

static bool
shares_quad(const struct emu_fragment *a, const struct emu_fragment *b)
{
	for (unsigned i = 0; i < a->quads; i++)
		for (unsigned k = 0; k < b->quads; k++)
			if (a->x[i] == b->x[k] && a->y[i] == b->y[k])
				return true;
	return false;
}

bool
emu_fragment_may_draw(const struct emu_qpu *qpu)
{
	const struct emu_pipe *pipe = qpu->machine->pipe;
	const struct emu_fragment *own = qpu->fragment;

	if (pipe->op_waits && own->ops == pipe->ops)
		return false;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const struct emu_fragment *other = &pipe->fragment[i];

		if (other->active && !other->unlocked &&
		    other->serial < own->serial && shares_quad(own, other))
			return false;
	}
	return true;
}

/* Return a sample's word in the tile buffer; the words of a quad are adjacent. */
static uint32_t *
sample_of(struct emu_qpu *qpu, unsigned lane, unsigned sample)
{
	const unsigned x = qpu->fragment->x[lane / 4];
	const unsigned y = qpu->fragment->y[lane / 4];

	return &qpu->machine->pipe
			->tile[y * 128 + x * 8 + sample * 4 + lane % 4];
}

/* The samples of a pixel inside get a colour: all of them, or the next one. */
void
emu_fragment_write(struct emu_qpu *qpu, unsigned waddr, const emu_vec *value,
		   unsigned lanes)
{
	struct emu_fragment *fragment = qpu->fragment;
	const unsigned samples = waddr == QPU_W_TLBC ?
					 (1 << EMU_SAMPLES) - 1 :
					 1 << fragment->writes++ % EMU_SAMPLES;

	for (unsigned lane = 0; lane < 4 * fragment->quads; lane++)
		for (unsigned i = 0; i < EMU_SAMPLES; i++)
			if (lanes >> lane & 1 && samples >> i & 1)
				*sample_of(qpu, lane, i) = (*value)[lane];
}

void
emu_fragment_signal(struct emu_qpu *qpu, unsigned signal)
{
	struct emu_fragment *fragment = qpu->fragment;
	unsigned sample;

	switch (signal) {
	case QPU_SIG_LOADC:
	case QPU_SIG_LDCEND:
		/* Each load is of the next sample. */
		sample = fragment->loads++ % EMU_SAMPLES;
		for (unsigned lane = 0; lane < EMU_LANES; lane++)
			qpu->file[EMU_SLOT_R4][lane] =
				*sample_of(qpu, lane, sample);
		break;
	case QPU_SIG_SBDONE:
		fragment->unlocked = true;
		emu_timed_unlocked(qpu->machine);
		break;
	default: break; /* sbwait has waited */
	}
}
