/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/check_shader.h"

#include "qpu/emulator/fragment.h"

static const uint32_t vpm_ports = EMU_PORT_VPM_READ | EMU_PORT_VPM_WRITE |
				  EMU_PORT_VR_SETUP | EMU_PORT_VW_SETUP |
				  EMU_PORT_VR_ADDR | EMU_PORT_VW_ADDR;

static unsigned
source(const struct emu_op *op, unsigned slot)
{
	return slot == EMU_SLOT_UNPACK_INT || slot == EMU_SLOT_UNPACK_FLOAT ?
		       op->unpack_from :
		       slot;
}

enum { FIRST_TO_DRAW = 2, SWITCH_SLOTS = 3 };

/* Registers that the other thread of the QPU has. */
static bool
is_upper(unsigned slot)
{
	return slot < EMU_SLOT_ACC && slot % 32 >= 16;
}

static bool
uses_upper(const struct emu_op *op)
{
	return is_upper(op->to_add) || is_upper(op->to_mul) ||
	       (op->add != QPU_ADD_NOP &&
		(is_upper(source(op, op->a)) || is_upper(source(op, op->b)))) ||
	       (op->mul != QPU_MUL_NOP &&
		(is_upper(source(op, op->c)) || is_upper(source(op, op->d))));
}

static bool
writes_depth(const struct emu_op *op)
{
	return op->write_add == QPU_W_TLBZ || op->write_mul == QPU_W_TLBZ;
}

void
emu_check_shader(struct emu_qpu *qpu, struct emu_shader_history *history,
		 const struct emu_op *op)
{
	const bool ends = op->ports & EMU_PORT_END || qpu->end_slots;

	if (op->ports & EMU_PORT_SCOREBOARD) {
		if (history->executed < FIRST_TO_DRAW)
			emu_report(qpu, QPU_RULE_TILE_EARLY);
		if (ends && (!history->waited || writes_depth(op)))
			emu_report(qpu, QPU_RULE_TILE_LATE);
		if (qpu->fragment->unlocked)
			emu_report(qpu, QPU_RULE_TILE_UNLOCKED);
		history->waited = true;
		history->drew |= op->signal != QPU_SIG_SBWAIT;
	}
	if (op->ports & vpm_ports)
		emu_report(qpu, QPU_RULE_SHADER_VPM);
	if ((op->read_a == QPU_R_FLAGS && op->kind == EMU_KIND_ALU) &&
	    history->depth_slots)
		emu_report(qpu, QPU_RULE_SAMPLE_MASK);
	if (qpu->fragment->threaded && uses_upper(op))
		emu_report(qpu, QPU_RULE_THREADS);
	if (history->executed < FIRST_TO_DRAW)
		history->executed++;
	if (history->depth_slots)
		history->depth_slots--;
	if (writes_depth(op))
		history->depth_slots = qpu_rules[QPU_RULE_SAMPLE_MASK].reach;
}

bool
emu_check_shader_switches(struct emu_shader_history *history,
			  const struct emu_op *op)
{
	if (op->signal == QPU_SIG_THRSW || op->signal == QPU_SIG_LTHRSW)
		history->switching = SWITCH_SLOTS;
	return history->switching && --history->switching == 0;
}

void
emu_check_shader_end(struct emu_qpu *qpu,
		     const struct emu_shader_history *history)
{
	if (history->drew && !qpu->fragment->unlocked)
		emu_report(qpu, QPU_RULE_TILE_LOCKED);
}
