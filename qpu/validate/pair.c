/* SPDX-License-Identifier: MIT */
/*
 * pair: rules about an instruction and those that run up to three steps later.
 */
#include "config.h"

#include "qpu/validate/checks.h"

#include <stdio.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/use.h"

static bool
writes_flagged(const struct qpu_use *use, unsigned flags)
{
	for (unsigned i = 0; i < use->nwrites; i++)
		if (qpu_writes[use->writes[i].addr].flags & flags)
			return true;
	return false;
}

bool
qpu_ends_program(const struct qpu_inst *inst)
{
	return inst->sig == QPU_SIG_THREND || inst->sig == QPU_SIG_LDCEND;
}

/*
 * Can a lane that was not written be the one that counts?  Only when the
 * condition of the reading ALU excludes that of the write, the flags between
 * them are the same, and no lane goes elsewhere.
 */
static bool
read_is_harmless(const struct qpu_inst *first, const struct qpu_result *write,
		 const struct qpu_inst *then, const struct qpu_use *use,
		 bool of_mul)
{
	const unsigned cond = of_mul ? then->cond_mul : then->cond_add;
	const unsigned target = of_mul ? then->waddr_mul : then->waddr_add;

	return then->kind != QPU_KIND_BRANCH && !qpu_inst_sets_flags(first) &&
	       !(of_mul && use->rotates) && target != QPU_W_R5 &&
	       qpu_conds_are_disjoint(write->cond, cond);
}

/* The bytes of a register of file A that a pack mode writes, as a mask; the
 * others keep what they were. */
static unsigned
bytes_written(const struct qpu_inst *inst)
{
	const unsigned mode = inst->pack & 7; /* with and without saturation */

	if (inst->kind == QPU_KIND_BRANCH || inst->pm)
		return 15;
	if (mode == QPU_PACK_16A || mode == QPU_PACK_16B)
		return mode == QPU_PACK_16A ? 3 : 12;
	return mode >= QPU_PACK_8A ? 1u << (mode - QPU_PACK_8A) : 15;
}

/* The bytes of a register of file A that an unpack mode takes. */
static unsigned
bytes_read(const struct qpu_inst *inst)
{
	if (inst->kind == QPU_KIND_BRANCH || inst->pm)
		return 15;
	switch (inst->unpack) {
	case QPU_UNPACK_NONE: return 15;
	case QPU_UNPACK_16A: return 3;
	case QPU_UNPACK_16B: return 12;
	case QPU_UNPACK_8DREP: return 8;
	default: return 1u << (inst->unpack - QPU_UNPACK_8A);
	}
}

/*
 * R1.  That another part of the register is read is a warning: the guide
 * forbids it, but the old value of that part is the right one.
 */
static enum qpu_verdict
check_write_read(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	for (unsigned i = 0; i < pair->first.use->nwrites; i++) {
		const struct qpu_result *write = &pair->first.use->writes[i];
		const unsigned mux = write->file_b ? QPU_MUX_B : QPU_MUX_A;
		const int port = write->file_b ? pair->then.use->port_b :
						 pair->then.use->port_a;

		if (write->addr >= QPU_FILE_REGS || port != write->addr)
			continue;
		if ((!pair->then.use->add_reads[mux] ||
		     read_is_harmless(pair->first.inst, write, pair->then.inst,
				      pair->then.use, false)) &&
		    (!pair->then.use->mul_reads[mux] ||
		     read_is_harmless(pair->first.inst, write, pair->then.inst,
				      pair->then.use, true)))
			continue;
		snprintf(detail, QPU_DETAIL_SIZE, "r%c%u",
			 write->file_b ? 'b' : 'a', write->addr);
		return write->file_b || (bytes_written(pair->first.inst) &
					 bytes_read(pair->then.inst)) ?
			       QPU_HAZARD :
			       QPU_WARNING;
	}
	return QPU_FINE;
}

/* R2 */
static enum qpu_verdict
check_r5_rotate(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	return qpu_use_writes(pair->first.use, QPU_W_R5) &&
			       pair->then.use->rotates &&
			       pair->then.inst->small == QPU_SMALL_ROT_R5 ?
		       QPU_HAZARD :
		       QPU_FINE;
}

/* R3.  Where only some lanes are written or rotated, a run shows whether they
 * matter. */
static enum qpu_verdict
check_rotate(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (!pair->then.use->rotates)
		return QPU_FINE;
	for (unsigned i = 0; i < pair->first.use->nwrites; i++) {
		const unsigned addr = pair->first.use->writes[i].addr;
		const unsigned mux = addr == QPU_W_R5 ? QPU_MUX_R5 :
							addr - QPU_W_R0;

		if ((addr != QPU_W_R5 &&
		     (addr < QPU_W_R0 || addr > QPU_W_R3)) ||
		    !pair->then.use->mul_reads[mux])
			continue;
		snprintf(detail, QPU_DETAIL_SIZE, "r%u", mux);
		return pair->first.use->writes[i].cond == QPU_COND_ALWAYS &&
				       pair->then.inst->cond_mul <=
					       QPU_COND_ALWAYS ?
			       QPU_HAZARD :
			       QPU_WARNING;
	}
	return QPU_FINE;
}

/* R4 */
static enum qpu_verdict
check_uniform(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	return qpu_use_writes(pair->first.use, QPU_W_UNIF_ADDR) &&
			       qpu_use_reads_io(pair->then.use, QPU_R_UNIF) ?
		       QPU_HAZARD :
		       QPU_FINE;
}

/* R5 */
static enum qpu_verdict
check_noswap(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	return qpu_use_writes(pair->first.use, QPU_W_TMURS) &&
			       writes_flagged(pair->then.use, QPU_REG_TMU) ?
		       QPU_HAZARD :
		       QPU_FINE;
}

/* R6 */
static enum qpu_verdict
check_sfu(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (!writes_flagged(pair->first.use, QPU_REG_SFU))
		return QPU_FINE;
	if (qpu_use_reads_mux(pair->then.use, QPU_MUX_R4))
		snprintf(detail, QPU_DETAIL_SIZE, "r4 is read");
	else if (pair->then.inst->kind == QPU_KIND_ALU &&
		 (qpu_sigs[pair->then.inst->sig].flags & QPU_SIG_FLAG_R4))
		snprintf(detail, QPU_DETAIL_SIZE, "%s writes r4",
			 qpu_sigs[pair->then.inst->sig].text);
	else if (writes_flagged(pair->then.use, QPU_REG_SFU))
		snprintf(detail, QPU_DETAIL_SIZE, "the SFU is busy");
	else
		return QPU_FINE;
	return QPU_HAZARD;
}

static bool
is_register_14(const struct qpu_use *use)
{
	return qpu_use_writes(use, 14) ||
	       (use->port_a == 14 && qpu_use_reads_mux(use, QPU_MUX_A)) ||
	       (use->port_b == 14 && qpu_use_reads_mux(use, QPU_MUX_B));
}

static bool
is_vpm(const struct qpu_use *use)
{
	return writes_flagged(use, QPU_REG_VPM) ||
	       qpu_use_reads_io(use, QPU_R_VPM) ||
	       qpu_use_reads_io(use, QPU_R_VPM_BUSY) ||
	       qpu_use_reads_io(use, QPU_R_VPM_WAIT);
}

/* R7; a distance of 0 is the instruction with the signal itself. */
static enum qpu_verdict
check_end(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (!qpu_ends_program(pair->first.inst))
		return QPU_FINE;
	if (qpu_use_reads_io(pair->then.use, QPU_R_UNIF) ||
	    qpu_use_reads_io(pair->then.use, QPU_R_VARY)) {
		snprintf(detail, QPU_DETAIL_SIZE, "a uniform or varying");
		return QPU_HAZARD;
	}
	if (is_vpm(pair->then.use)) {
		snprintf(detail, QPU_DETAIL_SIZE, "the VPM or its DMA");
		return QPU_HAZARD;
	}
	if (is_register_14(pair->then.use)) {
		snprintf(detail, QPU_DETAIL_SIZE, "ra14 or rb14");
		return QPU_HAZARD;
	}
	for (unsigned i = 0; i < pair->then.use->nwrites && !pair->distance;
	     i++)
		if (pair->then.use->writes[i].addr < QPU_FILE_REGS) {
			snprintf(detail, QPU_DETAIL_SIZE,
				 "a write of r%c%u with thrend itself",
				 pair->then.use->writes[i].file_b ? 'b' : 'a',
				 pair->then.use->writes[i].addr);
			return QPU_HAZARD;
		}
	return QPU_FINE;
}

/* R8 */
static enum qpu_verdict
check_delay_slots(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (pair->first.inst->kind != QPU_KIND_BRANCH)
		return QPU_FINE;
	if (pair->then.inst->kind == QPU_KIND_BRANCH && pair->distance < 3)
		snprintf(detail, QPU_DETAIL_SIZE, "a branch");
	else if (pair->then.inst->sig == QPU_SIG_THREND)
		snprintf(detail, QPU_DETAIL_SIZE, "thrend");
	else
		return QPU_FINE;
	return QPU_HAZARD;
}

const struct qpu_pair_row qpu_pair_checks[] = {
	{ QPU_RULE_WRITE_READ, check_write_read },
	{ QPU_RULE_ROTATE_BY_R5, check_r5_rotate },
	{ QPU_RULE_ROTATE, check_rotate },
	{ QPU_RULE_UNIFORM_ADDRESS, check_uniform },
	{ QPU_RULE_NOSWAP, check_noswap },
	{ QPU_RULE_SFU, check_sfu },
	{ QPU_RULE_END, check_end },
	{ QPU_RULE_DELAY_SLOTS, check_delay_slots },
	{ 0, NULL },
};

/* R7.  Two instructions run after the one with thrend. */
static enum qpu_verdict
check_ends(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	return qpu_ends_program(step->inst) ? QPU_HAZARD : QPU_FINE;
}

/* R8.  Three instructions run after a branch. */
static enum qpu_verdict
check_jumps(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	return step->inst->kind == QPU_KIND_BRANCH ? QPU_HAZARD : QPU_FINE;
}

const struct qpu_single_row qpu_slot_checks[] = {
	{ QPU_RULE_END, check_ends },
	{ QPU_RULE_DELAY_SLOTS, check_jumps },
	{ 0, NULL },
};
