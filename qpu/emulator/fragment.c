/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/fragment.h"

#include <string.h>

#include "qpu/emulator/check.h"
#include "qpu/emulator/float.h"
#include "qpu/emulator/machine.h"
#include "qpu/emulator/pipe.h"

enum {
	Z_MAX = 0xffffff,
	ALL_SAMPLES = 15,
	W_REGISTER = EMU_SLOT_A + 15, /* of the first thread of a QPU */
	Z_REGISTER = EMU_SLOT_B + 15,
	NO_LIMIT = 0xfff,
};

/* Weights of varyings, W and Z of a lane. */
static void
set_lane(struct emu_qpu *qpu, const struct emu_fragment_work *work,
	 unsigned lane, int32_t x, int32_t y)
{
	struct emu_fragment *fragment = qpu->fragment;
	const struct emu_corner *corner = work->triangle->corner;
	double weight[3], w = 0, z = 0;

	emu_raster_weights(work->raster, x, y, weight);
	for (unsigned i = 0; i < 3; i++) {
		w += weight[i] * (double)corner[i].w;
		z += weight[i] * (double)corner[i].z;
	}
	for (unsigned i = 0; i < 2; i++)
		fragment->weight[i][lane] =
			(float)(weight[i + 1] * (double)corner[i + 1].w);
	z = z > 0 ? z < 1 ? z : 1 : 0;
	qpu->file[W_REGISTER][lane] =
		emu_float_flush(emu_float_bits((float)(w != 0 ? 1 / w : 0)));
	qpu->file[Z_REGISTER][lane] = (uint32_t)(z * Z_MAX);
	qpu->file[EMU_SLOT_X][lane] = (uint32_t)x;
	qpu->file[EMU_SLOT_Y][lane] = (uint32_t)y;
}

static void
set_lanes(struct emu_qpu *qpu, const struct emu_fragment_work *work)
{
	struct emu_fragment *fragment = qpu->fragment;
	const struct emu_quads *quads = work->quads;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		/* A quad that is not there repeats the first one. */
		const unsigned quad = lane / 4 < quads->n ? lane / 4 : 0;
		const int32_t x = quads->x[quad] + (int32_t)(lane & 1);
		const int32_t y = quads->y[quad] + (int32_t)(lane >> 1 & 1);

		set_lane(qpu, work, lane, x, y);
		fragment->x[lane] = (uint8_t)(x - work->raster->tile_x);
		fragment->y[lane] = (uint8_t)(y - work->raster->tile_y);
		fragment->mask[lane] = quads->mask[lane];
		fragment->pass[lane] = ALL_SAMPLES;
		qpu->file[EMU_SLOT_SAMPLES][lane] = quads->mask[lane];
		qpu->file[EMU_SLOT_REVERSED][lane] = work->triangle->back;
	}
}

/* A flat varying has one value in all of the triangle. */
static void
set_varyings(struct emu_fragment *fragment,
	     const struct emu_fragment_work *work)
{
	const struct emu_triangle *triangle = work->triangle;
	const struct emu_corner *corner = triangle->corner;
	const uint32_t flat =
		emu_state_word(work->state, EMU_STATE_FLAT_SHADE, 0);
	/* Those of points and lines come before the shader's own. */
	const unsigned first = triangle->varyings - work->record->varyings;

	fragment->varyings = triangle->varyings < EMU_VARYINGS ?
				     triangle->varyings :
				     EMU_VARYINGS;
	for (unsigned i = 0; i < fragment->varyings; i++) {
		const bool is_flat = i >= first && flat >> (i - first) & 1;
		const float from = is_flat ? triangle->flat[i] :
					     corner[0].varying[i];

		fragment->constant[i] = from;
		for (unsigned k = 0; k < 2; k++)
			fragment->difference[k][i] =
				is_flat ? 0 : corner[k + 1].varying[i] - from;
	}
}

void
emu_fragment_start(struct machine *machine, struct emu_qpu *qpu,
		   const struct emu_fragment_work *work)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_fragment *fragment = &pipe->fragment[qpu->number];
	const uint32_t config = emu_state_configuration(work->state);
	const struct emu_launch launch = {
		.kind = EMU_THREAD_FRAGMENT,
		.code = work->record->code[EMU_SHADER_FRAGMENT],
		.uniforms = work->record->uniforms[EMU_SHADER_FRAGMENT],
		.limit = NO_LIMIT,
	};

	memset(fragment, 0, sizeof(*fragment));
	fragment->active = true;
	fragment->threaded = work->record->threaded;
	fragment->serial = pipe->threads++;
	fragment->fence = pipe->ops_queued;
	fragment->nquads = work->quads->n;
	fragment->depth_function = (config & EMU_CONFIG_DEPTH_FUNCTION) >>
				   EMU_CONFIG_DEPTH_SHIFT;
	fragment->depth_update = config & EMU_CONFIG_DEPTH_UPDATE;
	fragment->back = work->triangle->back;
	pipe->fragments++;
	qpu->fragment = fragment;
	emu_qpu_start(qpu, &launch);
	set_lanes(qpu, work);
	set_varyings(fragment, work);
	if (machine->check) {
		emu_check_defined(qpu, W_REGISTER);
		emu_check_defined(qpu, Z_REGISTER);
	}
}

bool
emu_fragment_permits(const struct emu_qpu *qpu, const struct emu_op *op)
{
	return qpu->kind == EMU_THREAD_FRAGMENT ||
	       (qpu->kind == EMU_THREAD_VERTEX && op->texture_only);
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

void
emu_fragment_vary(struct emu_qpu *qpu, emu_vec *value)
{
	struct emu_fragment *fragment = qpu->fragment;
	const unsigned i = fragment->next_varying++;

	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		(*value)[lane] = emu_float_flush(emu_float_bits(
			fragment->weight[0][lane] * fragment->difference[0][i] +
			fragment->weight[1][lane] *
				fragment->difference[1][i]));
}

void
emu_fragment_vary_constant(struct emu_qpu *qpu)
{
	const struct emu_fragment *fragment = qpu->fragment;

	qpu->file[EMU_SLOT_R5] =
		(emu_vec){ 0 } +
		emu_float_bits(fragment->constant[fragment->next_varying - 1]);
}

/* Section 4 of OpenGL ES 2.0: the functions by number. */
static bool
compare(unsigned function, uint32_t new, uint32_t old)
{
	return (function & 1 && new < old) || (function & 2 && new == old) ||
	       (function & 4 && new > old);
}

/*
 * A set-up of stencil tests (Mesa's vc4 driver, vc4_state.c): bits 31 and 30
 * name the sides that it is for, or are 0 for a pair of masks.
 */
static void
set_stencil(struct emu_fragment *fragment, uint32_t word)
{
	static const uint8_t masks[4] = { 0x01, 0x03, 0x0f, 0xff };
	const unsigned sides = word >> 30;

	fragment->stencils = true;
	for (unsigned side = 0; side < 2; side++) {
		if (!sides) {
			fragment->stencil_mask[side] = word >> 8 * side & 0xff;
		} else if (sides >> side & 1) {
			fragment->stencil[side] = word;
			fragment->stencil_mask[side] = masks[word >> 28 & 3];
		}
	}
}

static uint32_t
stencil_change(unsigned how, uint32_t old, uint32_t reference)
{
	switch (how) {
	case 0: return 0;
	case 2: return reference;
	case 3: return old < 0xff ? old + 1 : old;
	case 4: return old ? old - 1 : old;
	case 5: return ~old & 0xff;
	case 6: return (old + 1) & 0xff;
	case 7: return (old - 1) & 0xff;
	default: return old;
	}
}

/* Test a sample's stencil, and change it by what came out, of depth, too. */
static bool
test_stencil(const struct emu_fragment *fragment, bool depth_passes,
	     uint32_t *stencil)
{
	const uint32_t word = fragment->stencil[fragment->back];
	const uint32_t mask = fragment->stencil_mask[fragment->back];
	const uint32_t reference = word >> 8 & 0xff, old = *stencil;
	const bool passes = compare(word >> 16 & 7, reference & word & 0xff,
				    old & word & 0xff);
	const unsigned how = !passes	   ? word >> 19 & 7 :
			     !depth_passes ? word >> 25 & 7 :
					     word >> 22 & 7;

	*stencil = (old & ~mask) | (stencil_change(how, old, reference) & mask);
	return passes && depth_passes;
}

/* Depth and stencil of one sample; does it pass? */
static bool
test_sample(const struct emu_fragment *fragment, uint32_t z, bool covered,
	    uint32_t *zs)
{
	uint32_t stencil = *zs & 0xff;
	bool passes = compare(fragment->depth_function, z, *zs >> 8);

	if (fragment->stencils)
		passes = test_stencil(fragment, passes, &stencil);
	if (covered)
		*zs = (passes && fragment->depth_update ? z : *zs >> 8) << 8 |
		      stencil;
	return passes;
}

static void
write_depth(struct emu_qpu *qpu, const emu_vec *value, unsigned lanes)
{
	struct emu_tile *tile = &qpu->machine->pipe->tile;
	struct emu_fragment *fragment = qpu->fragment;
	const unsigned samples = tile->samples ? EMU_SAMPLES : 1;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const uint32_t z = (*value)[lane] & Z_MAX;

		if (!(lanes >> lane & 1))
			continue;
		for (unsigned i = 0; i < samples; i++) {
			uint32_t *zs = &tile->zs[emu_tile_word(
				tile, fragment->x[lane], fragment->y[lane], i)];
			const unsigned bit = tile->samples ? 1u << i :
							     ALL_SAMPLES;

			if (!test_sample(fragment, z,
					 fragment->mask[lane] & bit, zs))
				fragment->pass[lane] &= ~bit;
		}
	}
}

/* Samples first .. last get a colour where they are covered and pass. */
static void
write_colour(struct emu_qpu *qpu, const emu_vec *value, unsigned lanes,
	     unsigned first, unsigned last)
{
	struct emu_tile *tile = &qpu->machine->pipe->tile;
	const struct emu_fragment *fragment = qpu->fragment;

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const unsigned drawn = fragment->mask[lane] &
				       fragment->pass[lane];

		for (unsigned i = first; i <= last && lanes >> lane & 1; i++)
			if (drawn >> i & 1)
				tile->colour[emu_tile_word(
					tile, fragment->x[lane],
					fragment->y[lane], i)] = (*value)[lane];
	}
}

void
emu_fragment_write(struct emu_qpu *qpu, unsigned waddr, bool file_b,
		   const emu_vec *value, unsigned lanes)
{
	const bool samples = qpu->machine->pipe->tile.samples;
	struct emu_fragment *fragment = qpu->fragment;
	unsigned sample;

	switch (waddr) {
	case QPU_W_FLAGS:
		for (unsigned lane = 0; lane < EMU_LANES && !file_b; lane++)
			if (lanes >> lane & 1) {
				fragment->mask[lane] = (*value)[lane] &
						       ALL_SAMPLES;
				qpu->file[EMU_SLOT_SAMPLES][lane] =
					fragment->mask[lane];
			}
		break;
	case QPU_W_STENCIL: set_stencil(fragment, (*value)[0]); break;
	case QPU_W_TLBZ: write_depth(qpu, value, lanes); break;
	case QPU_W_TLBC:
		write_colour(qpu, value, lanes, 0,
			     samples ? EMU_SAMPLES - 1 : 0);
		break;
	case QPU_W_TLBM:
		sample = fragment->writes++ % EMU_SAMPLES;
		if (samples || !sample)
			write_colour(qpu, value, lanes, sample, sample);
		break;
	default: break; /* quad_x and quad_y: they are read only */
	}
}

/* Each load is of the next sample, if the tile has some. */
static void
load_colour(struct emu_qpu *qpu)
{
	const struct emu_tile *tile = &qpu->machine->pipe->tile;
	struct emu_fragment *fragment = qpu->fragment;
	const unsigned sample = fragment->loads++ % EMU_SAMPLES;

	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		qpu->file[EMU_SLOT_R4][lane] = tile->colour[emu_tile_word(
			tile, fragment->x[lane], fragment->y[lane], sample)];
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
			emu_pipe_unlocked(qpu->machine);
		}
		break;
	default: break; /* sbwait has waited; a thread is alone on its QPU */
	}
}
