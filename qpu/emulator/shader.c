/* SPDX-License-Identifier: MIT */
/*
 * shader: shader records with the corners of their triangles, and threads of
 * fragment shaders.
 */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"

enum {
	NO_LIMIT = 0xfff, /* of uniforms */
	RECORD_BYTES = 36,
	SHADER_BYTES = 12, /* of each shader in it */
	ATTRIBUTE_BYTES = 8,
	ATTRIBUTES = 8,
	FLAG_SINGLE = 1,
	FLAG_CLIPPING = 4,
};

/* An attribute goes into whole words; what lies after row 63 is lost. */
static void
place(struct emu_vpm *window, unsigned offset, unsigned lane,
      const uint8_t *from, unsigned bytes)
{
	for (unsigned done = 0; done < bytes; done += 4) {
		const unsigned row = (offset + done) / 4;
		const unsigned n = bytes - done < 4 ? bytes - done : 4;
		uint32_t word = 0;

		memcpy(&word, from + done, n);
		if (row < EMU_VPM_ROWS)
			window->row[row][lane] = word;
	}
}

/* Load an attribute of each corner: its base, bytes less one, stride, and the places
 * for the vertex and the coordinate shader. */
static enum emu_progress
fetch_attribute(struct machine *machine, enum emu_list_number list,
		const uint8_t *attribute, enum emu_shader shader,
		struct emu_batch *batch)
{
	const unsigned bytes = attribute[4] + 1u, stride = attribute[5];
	const unsigned offset = attribute[shader == EMU_SHADER_VERTEX ? 6 : 7];

	for (unsigned lane = 0; lane < EMU_CORNERS; lane++) {
		const uint32_t at =
			emu_word_at(attribute) + (batch->first + lane) * stride;
		const uint8_t *from =
			emu_memory_at(&machine->memory, at, bytes);

		if (!from)
			return emu_list_fault(machine, list,
					      "an attribute, at 0x%08x, is "
					      "outside memory",
					      at);
		place(&batch->in, offset, lane, from, bytes);
	}
	return EMU_PROGRESS_DONE;
}

/* Read the record, and the attributes that it selects for a shader. */
static enum emu_progress
fetch(struct machine *machine, enum emu_list_number list, uint32_t word,
      enum emu_shader shader, struct emu_batch *batch)
{
	const unsigned n = word & 7 ? word & 7 : ATTRIBUTES;
	const uint8_t *record =
		emu_memory_at(&machine->memory, word & ~15u,
			      RECORD_BYTES + ATTRIBUTE_BYTES * n);

	if (!record)
		return emu_list_fault(
			machine, list,
			"the shader record, at 0x%08x, is outside memory",
			word & ~15u);
	batch->threaded = !(record[0] & FLAG_SINGLE);
	batch->clipping = record[0] & FLAG_CLIPPING;
	for (unsigned i = 0; i < EMU_SHADERS; i++) {
		batch->code[i] = emu_word_at(record + 4 + SHADER_BYTES * i);
		batch->uniforms[i] = emu_word_at(record + 8 + SHADER_BYTES * i);
	}
	batch->in.rows = batch->out.rows = EMU_VPM_ROWS;
	for (unsigned i = 0; i < n; i++)
		if (record[2 + SHADER_BYTES * shader] >> i & 1 &&
		    fetch_attribute(machine, list,
				    record + RECORD_BYTES + ATTRIBUTE_BYTES * i,
				    shader, batch))
			return EMU_PROGRESS_FAULT;
	batch->phase = EMU_PHASE_FETCHED;
	return EMU_PROGRESS_DONE;
}

static struct emu_launch
launch_of(const struct emu_batch *batch, enum emu_shader shader)
{
	return (struct emu_launch){
		.kind = shader == EMU_SHADER_FRAGMENT ? EMU_THREAD_FRAGMENT :
							EMU_THREAD_VERTEX,
		.code = batch->code[shader],
		.uniforms = batch->uniforms[shader],
		.limit = NO_LIMIT,
	};
}

enum emu_progress
emu_batch_shade(struct machine *machine, enum emu_list_number list,
		uint32_t word, uint32_t first, enum emu_shader shader,
		struct emu_batch *batch)
{
	struct emu_qpu *qpu = NULL;

	if (batch->phase == EMU_PHASE_EMPTY) {
		batch->first = first;
		if (fetch(machine, list, word, shader, batch))
			return EMU_PROGRESS_FAULT;
	}
	if (batch->phase == EMU_PHASE_FETCHED)
		qpu = emu_qpu_find(machine, 1 + shader);
	if (qpu) {
		const struct emu_launch launch = launch_of(batch, shader);

		batch->phase = EMU_PHASE_SHADING;
		qpu->batch = batch;
		emu_qpu_start(qpu, &launch);
	}
	if (batch->phase != EMU_PHASE_SHADED)
		return EMU_PROGRESS_WAIT;
	batch->phase = EMU_PHASE_EMPTY;
	return EMU_PROGRESS_DONE;
}

/* --- Fragment threads --------------------------------------------------------- */

static void
set_lanes(struct emu_qpu *qpu, const struct emu_render *render)
{
	struct emu_fragment *fragment = qpu->fragment;
	const struct emu_quads *quads = &render->quads;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		/* A quad that is not there repeats the first one. */
		const unsigned quad = lane / 4 < quads->n ? lane / 4 : 0;
		const unsigned x = quads->x[quad] + (lane & 1);
		const unsigned y = quads->y[quad] + (lane >> 1 & 1);

		qpu->file[EMU_SLOT_X][lane] = x;
		qpu->file[EMU_SLOT_Y][lane] = y;
		fragment->x[lane] = x % EMU_TILE_SIDE;
		fragment->y[lane] = y % EMU_TILE_SIDE;
		fragment->mask[lane] = quads->mask[lane];
		qpu->file[EMU_SLOT_SAMPLES][lane] = quads->mask[lane];
		qpu->file[EMU_SLOT_REVERSED][lane] = render->window.back;
	}
}

void
emu_fragment_start(struct machine *machine, struct emu_qpu *qpu)
{
	struct emu_pipe *pipe = machine->pipe;
	const struct emu_batch *batch = &pipe->render.batch;
	struct emu_fragment *fragment = &pipe->fragment[qpu->number];
	const struct emu_launch launch = launch_of(batch, EMU_SHADER_FRAGMENT);

	memset(fragment, 0, sizeof(*fragment));
	fragment->active = true;
	fragment->threaded = batch->threaded;
	fragment->serial = pipe->threads++;
	fragment->fence = pipe->ops_queued;
	fragment->nquads = pipe->render.quads.n;
	pipe->fragments++;
	qpu->fragment = fragment;
	emu_qpu_start(qpu, &launch);
	set_lanes(qpu, &pipe->render);
}

bool
emu_fragment_allows(const struct emu_qpu *qpu, const struct emu_op *op)
{
	return qpu->kind == EMU_THREAD_FRAGMENT ||
	       !(op->ports & QPU_PORT_GRAPHICS);
}

static bool
shares_quad(const struct emu_fragment *a, const struct emu_fragment *b)
{
	for (unsigned i = 0; i < a->nquads; i++)
		for (unsigned k = 0; k < b->nquads; k++)
			if (a->x[4 * i] == b->x[4 * k] &&
			    a->y[4 * i] == b->y[4 * k])
				return true;
	return false;
}

bool
emu_fragment_may_draw(const struct emu_qpu *qpu)
{
	const struct emu_pipe *pipe = qpu->machine->pipe;
	const struct emu_fragment *own = qpu->fragment;

	if (pipe->ops_done < own->fence)
		return false;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const struct emu_fragment *other = &pipe->fragment[i];

		if (other->active && !other->unlocked &&
		    other->serial < own->serial && shares_quad(own, other))
			return false;
	}
	return true;
}

/* Covered samples get a colour: all of them, or the next one. */
void
emu_fragment_write(struct emu_qpu *qpu, unsigned waddr, const emu_vec *value,
		   unsigned lanes)
{
	uint32_t *tile = qpu->machine->pipe->tile;
	struct emu_fragment *fragment = qpu->fragment;
	unsigned samples = (1 << EMU_SAMPLES) - 1;

	if (waddr != QPU_W_TLBC)
		samples = 1 << fragment->writes++ % EMU_SAMPLES;
	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		for (unsigned i = 0; i < EMU_SAMPLES && lanes >> lane & 1; i++)
			if (fragment->mask[lane] & samples & 1 << i)
				tile[emu_tile_word(fragment->x[lane],
						   fragment->y[lane], i)] =
					(*value)[lane];
}

/* Each load is of the next sample. */
static void
load_colour(struct emu_qpu *qpu)
{
	const uint32_t *tile = qpu->machine->pipe->tile;
	struct emu_fragment *fragment = qpu->fragment;
	const unsigned sample = fragment->loads++ % EMU_SAMPLES;

	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		qpu->file[EMU_SLOT_R4][lane] = tile[emu_tile_word(
			fragment->x[lane], fragment->y[lane], sample)];
}

void
emu_fragment_signal(struct emu_qpu *qpu, unsigned signal)
{
	switch (signal) {
	case QPU_SIG_LOADC:
	case QPU_SIG_LDCEND: load_colour(qpu); break;
	case QPU_SIG_SBDONE:
		if (!qpu->fragment->unlocked) {
			qpu->fragment->unlocked = true;
			emu_timed_unlocked(qpu->machine);
		}
		break;
	default: break; /* sbwait has waited; a thread is alone on its QPU */
	}
}
