/* SPDX-License-Identifier: MIT */
/*
 * shader: shader records, batches of vertices, and threads of fragment shaders.
 */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"

enum {
	NO_LIMIT = 0xfff, /* of uniforms */
	RECORD_BYTES = 36,
	ATTRIBUTE_BYTES = 8,
	FLAG_SINGLE = 1,
	FLAG_CLIPPING = 4,
};

bool
emu_record_read(struct machine *machine, enum emu_list_number list,
		uint32_t word, struct emu_record *record)
{
	const unsigned n = word & 7 ? word & 7 : EMU_ATTRIBUTES;
	const uint32_t size = RECORD_BYTES + ATTRIBUTE_BYTES * n;
	const uint8_t *bytes =
		emu_memory_at(&machine->memory, word & ~15u, size);

	if (!bytes) {
		emu_list_fault(
			machine, list,
			"the shader record, at 0x%08x, is outside memory",
			word & ~15u);
		return false;
	}
	record->threaded = !(bytes[0] & FLAG_SINGLE);
	record->clipping = bytes[0] & FLAG_CLIPPING;
	for (unsigned i = 0; i < EMU_SHADERS; i++) {
		record->select[i] = bytes[2 + 12 * i];
		record->code[i] = emu_word_at(bytes + 4 + 12 * i);
		record->uniforms[i] = emu_word_at(bytes + 8 + 12 * i);
	}
	record->attributes = n;
	bytes += RECORD_BYTES;
	for (unsigned i = 0; i < n; i++, bytes += ATTRIBUTE_BYTES) {
		struct emu_attribute *attribute = &record->attribute[i];

		attribute->base = emu_word_at(bytes);
		attribute->bytes = bytes[4] + 1u;
		attribute->stride = bytes[5];
		attribute->offset[EMU_SHADER_VERTEX] = bytes[6];
		attribute->offset[EMU_SHADER_COORDINATE] = bytes[7];
	}
	return true;
}

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

bool
emu_batch_fetch(struct machine *machine, enum emu_list_number list,
		const struct emu_record *record, enum emu_shader shader,
		uint32_t first, struct emu_batch *batch)
{
	batch->in.rows = batch->out.rows = EMU_VPM_ROWS;
	batch->phase = EMU_PHASE_FETCHED;
	for (unsigned lane = 0; lane < EMU_CORNERS; lane++)
		batch->index[lane] = first + lane;
	for (unsigned i = 0; i < record->attributes; i++) {
		const struct emu_attribute *attribute = &record->attribute[i];

		if (!(record->select[shader] >> i & 1))
			continue;
		for (unsigned lane = 0; lane < EMU_CORNERS; lane++) {
			const uint32_t at =
				attribute->base +
				batch->index[lane] * attribute->stride;
			const uint8_t *from = emu_memory_at(
				&machine->memory, at, attribute->bytes);

			if (!from) {
				emu_list_fault(
					machine, list,
					"an attribute, at 0x%08x, is outside "
					"memory",
					at);
				return false;
			}
			place(&batch->in, attribute->offset[shader], lane, from,
			      attribute->bytes);
		}
	}
	return true;
}

enum emu_progress
emu_batch_shade(struct machine *machine, enum emu_shader shader,
		const struct emu_record *record, struct emu_batch *batch)
{
	const struct emu_launch launch = {
		.kind = EMU_THREAD_VERTEX,
		.code = record->code[shader],
		.uniforms = record->uniforms[shader],
		.limit = NO_LIMIT,
	};
	struct emu_qpu *qpu = NULL;

	if (batch->phase == EMU_PHASE_FETCHED)
		qpu = emu_qpu_find(machine, 1 + shader);
	if (qpu) {
		batch->phase = EMU_PHASE_SHADING;
		qpu->batch = batch;
		emu_qpu_start(qpu, &launch);
	}
	return batch->phase == EMU_PHASE_SHADED ? EMU_PROGRESS_DONE :
						  EMU_PROGRESS_WAIT;
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
	const struct emu_record *record = &pipe->render.record;
	struct emu_fragment *fragment = &pipe->fragment[qpu->number];
	const struct emu_launch launch = {
		.kind = EMU_THREAD_FRAGMENT,
		.code = record->code[EMU_SHADER_FRAGMENT],
		.uniforms = record->uniforms[EMU_SHADER_FRAGMENT],
		.limit = NO_LIMIT,
	};

	memset(fragment, 0, sizeof(*fragment));
	fragment->active = true;
	fragment->threaded = record->threaded;
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
