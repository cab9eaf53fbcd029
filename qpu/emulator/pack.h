/* SPDX-License-Identifier: MIT */
/*
 * pack: conversions on the way into and out of a register (section 5), and
 * the rotation of the mul result (section 6): the ways of a value that are too
 * rare to be worth vector code.
 */
#ifndef QPU_EMULATOR_PACK_H
#define QPU_EMULATOR_PACK_H

#include "qpu/emulator/machine.h"

/* One operand as the unpacker delivers it; mode is enum emu_unpack. */
void
emu_unpack_slow(unsigned mode, const emu_vec *from, emu_vec *to);

/* What op's packer makes of a result, given the old destination. */
void
emu_pack_result(const struct emu_qpu *qpu, const struct emu_op *op,
		emu_vec *result);

/* Lane i goes to lane i + n, all of them or inside each quad. */
void
emu_rotate(emu_vec *value, unsigned n, bool quads);

static inline unsigned
emu_rotation(const struct emu_qpu *qpu, const struct emu_op *op)
{
	return op->rotate == EMU_ROTATE_R5 ? qpu->file[EMU_SLOT_R5][0] & 15 :
					     op->rotate;
}

#endif
