/* SPDX-License-Identifier: MIT */
/*
 * checks: each rule's check of an instruction, or of two.
 */
#include "config.h"

#include "qpu/validate/checks.h"

#include <stdio.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

/* The flags of a written address; a register of a file has none. */
static unsigned
flags_written(const struct qpu_result *write)
{
	return qpu_writes[write->addr].flags;
}

/* The first of the writes that has one of these flags, or null. */
static const struct qpu_result *
find_write(const struct qpu_use *use, unsigned flags)
{
	for (unsigned i = 0; i < use->nwrites; i++)
		if (flags_written(&use->writes[i]) & flags)
			return &use->writes[i];
	return NULL;
}

static bool
loads_tmu(const struct qpu_inst *inst)
{
	return inst->sig == QPU_SIG_LDTMU0 || inst->sig == QPU_SIG_LDTMU1;
}

static void
name_write(const struct qpu_result *write, char detail[QPU_DETAIL_SIZE])
{
	const char *name = qpu_writes[write->addr].name[write->file_b];

	if (name)
		snprintf(detail, QPU_DETAIL_SIZE, "%s", name);
	else
		snprintf(detail, QPU_DETAIL_SIZE, "r%c%u",
			 write->file_b ? 'b' : 'a', write->addr);
}

/*
 * R9.  The guide counts ldtmu among the units.  Sources that are known to work
 * combine it with TMU writes, so that this is worth a warning only.
 */
static enum qpu_verdict
check_one_unit(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	const unsigned units = QPU_REG_TMU | QPU_REG_TLB | QPU_REG_SFU |
			       QPU_REG_MUTEX;
	unsigned n = 0;
	bool sfu = false;

	for (unsigned i = 0; i < pair->use->nwrites; i++) {
		const unsigned flags = flags_written(&pair->use->writes[i]);

		if (flags & units) {
			n++;
			name_write(&pair->use->writes[i], detail);
		}
		sfu |= flags & QPU_REG_SFU;
	}
	if (qpu_use_reads_io(pair->use, QPU_R_MUTEX))
		n++;
	if (pair->inst->kind == QPU_KIND_SEMA)
		n++;
	if (n > 1)
		return QPU_HAZARD;
	if (n && loads_tmu(pair->inst))
		return sfu ? QPU_HAZARD : QPU_WARNING;
	return QPU_FINE;
}

/*
 * R10.  A predicate works for the host interrupt.  It works for
 * the tile buffer as well: Mesa's driver discards fragments by it.
 */
static enum qpu_verdict
check_predicate(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	for (unsigned i = 0; i < pair->use->nwrites; i++) {
		const struct qpu_result *write = &pair->use->writes[i];

		if (write->cond == QPU_COND_ALWAYS ||
		    write->addr == QPU_W_IRQ ||
		    flags_written(write) & QPU_REG_TLB ||
		    !(flags_written(write) & QPU_REG_PERIPH))
			continue;
		name_write(write, detail);
		return QPU_HAZARD;
	}
	return QPU_FINE;
}

/* R11 */
static enum qpu_verdict
check_partial_pack(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	const unsigned pack = pair->inst->pack;

	if (!pair->inst->pm || !pack || pack == QPU_PACK_8888 ||
	    pack == QPU_PACK_32S || pack == QPU_PACK_8888S)
		return QPU_FINE;
	for (unsigned i = 0; i < pair->use->nwrites; i++) {
		if (!pair->use->writes[i].of_mul ||
		    !(flags_written(&pair->use->writes[i]) & QPU_REG_PERIPH))
			continue;
		name_write(&pair->use->writes[i], detail);
		return QPU_HAZARD;
	}
	return QPU_FINE;
}

/* Return true if both ALUs move the same operand, so that both results are the
 * same. */
static bool
moves_one_value(const struct qpu_inst *inst, const struct qpu_use *use)
{
	const bool add_moves = inst->op_add == QPU_ADD_OR &&
			       inst->add_a == inst->add_b;
	const bool mul_moves = (inst->op_mul == QPU_MUL_V8MIN ||
				inst->op_mul == QPU_MUL_V8MAX) &&
			       inst->mul_a == inst->mul_b;

	if (inst->kind == QPU_KIND_LOAD)
		return true;
	return add_moves && mul_moves && inst->add_a == inst->mul_a &&
	       !use->rotates && !inst->pack;
}

/*
 * R12.  Complementary conditions work for accumulators, and so
 * does one value for both: "mov r0, r0; mov r0, r0; thrend" is the usual end
 * of programs that run on boards.
 */
static enum qpu_verdict
check_same_target(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	const struct qpu_result *writes = pair->use->writes;
	const unsigned addr = writes[0].addr;

	/* Some A and B names of an address are different registers. */
	if (pair->inst->kind == QPU_KIND_BRANCH || pair->use->nwrites < 2 ||
	    addr != writes[1].addr || addr < QPU_FILE_REGS ||
	    addr == QPU_W_COORD || addr == QPU_W_FLAGS ||
	    addr == QPU_W_VPM_SETUP || addr == QPU_W_VPM_ADDR)
		return QPU_FINE;
	if ((flags_written(&writes[0]) & QPU_REG_ACC) &&
	    (qpu_conds_are_disjoint(writes[0].cond, writes[1].cond) ||
	     moves_one_value(pair->inst, pair->use)))
		return QPU_FINE;
	name_write(&writes[0], detail);
	return QPU_HAZARD;
}

/* R13 */
static enum qpu_verdict
check_vpm(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	unsigned setups = 0;
	bool write_setup = false;

	for (unsigned i = 0; i < pair->use->nwrites; i++)
		if (pair->use->writes[i].addr == QPU_W_VPM_SETUP) {
			setups++;
			write_setup |= pair->use->writes[i].file_b;
		}
	const bool reads = qpu_use_reads_io(pair->use, QPU_R_VPM);
	const bool writes = qpu_use_writes(pair->use, QPU_W_VPM);
	if (setups == 2) {
		snprintf(detail, QPU_DETAIL_SIZE, "vr_setup and vw_setup");
		return QPU_HAZARD;
	}
	if ((reads && setups) || (writes && write_setup)) {
		snprintf(detail, QPU_DETAIL_SIZE, "a setup and vpm");
		return QPU_HAZARD;
	}
	/* The guide forbids vw_setup only, vc4asm's validator both. */
	if (writes && setups) {
		snprintf(detail, QPU_DETAIL_SIZE, "vr_setup and vpm");
		return QPU_WARNING;
	}
	if ((reads || writes) && loads_tmu(pair->inst)) {
		snprintf(detail, QPU_DETAIL_SIZE, "vpm and ldtmu");
		return QPU_WARNING;
	}
	return QPU_FINE;
}

/* R14.  What needs the graphics pipeline cannot work in a user program. */
static enum qpu_verdict
check_graphics(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (qpu_sigs[pair->inst->sig].flags & QPU_SIG_FLAG_GFX) {
		snprintf(detail, QPU_DETAIL_SIZE, "%s",
			 qpu_sigs[pair->inst->sig].text);
		return QPU_HAZARD;
	}
	for (unsigned file = 0; file < 2; file++) {
		const int port = file ? pair->use->port_b : pair->use->port_a;

		if (port >= QPU_FILE_REGS &&
		    qpu_reads[port].flags & QPU_REG_GFX) {
			snprintf(detail, QPU_DETAIL_SIZE, "%s",
				 qpu_reads[port].name[file]);
			return QPU_HAZARD;
		}
	}
	for (unsigned i = 0; i < pair->use->nwrites; i++) {
		const struct qpu_result *write = &pair->use->writes[i];
		const unsigned flags = flags_written(write);
		const bool texture = (flags & QPU_REG_TMU) &&
				     write->addr != QPU_W_T0S &&
				     write->addr != QPU_W_T1S;

		if (!texture && !(flags & QPU_REG_GFX))
			continue;
		name_write(write, detail);
		return texture ? QPU_WARNING : QPU_HAZARD;
	}
	return QPU_FINE;
}

/*
 * R16.  A word cannot ask for a B read and an immediate; the assembler says
 * so.  What a word can show is an immediate that nothing uses.
 */
static enum qpu_verdict
check_immediate(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	if (pair->inst->kind != QPU_KIND_SMALL || pair->use->rotates ||
	    qpu_use_reads_mux(pair->use, QPU_MUX_B))
		return QPU_FINE;
	return QPU_WARNING;
}

/* R17 */
static enum qpu_verdict
check_pack(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	bool written = false;

	for (unsigned i = 0; i < pair->use->nwrites; i++)
		written |= !pair->use->writes[i].file_b &&
			   pair->use->writes[i].addr < QPU_FILE_REGS;
	if (pair->inst->pack && !pair->inst->pm && !written) {
		snprintf(detail, QPU_DETAIL_SIZE, "pack");
		return QPU_HAZARD;
	}
	if (!pair->inst->unpack ||
	    (pair->inst->pm ? qpu_use_reads_mux(pair->use, QPU_MUX_R4) :
			      qpu_use_reads_mux(pair->use, QPU_MUX_A) &&
				      pair->use->port_a < QPU_FILE_REGS))
		return QPU_FINE;
	snprintf(detail, QPU_DETAIL_SIZE, "unpack");
	return QPU_WARNING;
}

/* R19 */
static enum qpu_verdict
check_semaphore(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	const struct qpu_result *write =
		find_write(pair->use, QPU_REG_TLB | QPU_REG_TMU | QPU_REG_SFU);

	if (pair->inst->kind != QPU_KIND_SEMA || !write)
		return QPU_FINE;
	name_write(write, detail);
	return QPU_HAZARD;
}

/* R20 */
static enum qpu_verdict
check_target(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	if (pair->inst->kind == QPU_KIND_BRANCH && !pair->inst->reg &&
	    pair->inst->imm % QPU_INST_BYTES)
		return QPU_HAZARD;
	return QPU_FINE;
}

/* --- Two instructions ----------------------------------------------------- */

bool
qpu_ends_program(const struct qpu_inst *inst)
{
	return inst->sig == QPU_SIG_THREND || inst->sig == QPU_SIG_LDCEND;
}

/* Return true if the read uses only lanes that were not written: the condition
 * of the reading ALU excludes the write's, the flags between them are the same,
 * and lanes stay in place. */
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

	if (inst->pm)
		return 15;
	if (mode == QPU_PACK_16A || mode == QPU_PACK_16B)
		return mode == QPU_PACK_16A ? 3 : 12;
	return mode >= QPU_PACK_8A ? 1u << (mode - QPU_PACK_8A) : 15;
}

/* The bytes of a register of file A that an unpack mode takes. */
static unsigned
bytes_read(const struct qpu_inst *inst)
{
	if (inst->pm)
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
	for (unsigned i = 0; i < pair->first_use->nwrites; i++) {
		const struct qpu_result *write = &pair->first_use->writes[i];
		const unsigned mux = write->file_b ? QPU_MUX_B : QPU_MUX_A;
		const int port = write->file_b ? pair->use->port_b :
						 pair->use->port_a;

		if (write->addr >= QPU_FILE_REGS || port != write->addr)
			continue;
		if ((!pair->use->add_reads[mux] ||
		     read_is_harmless(pair->first, write, pair->inst, pair->use,
				      false)) &&
		    (!pair->use->mul_reads[mux] ||
		     read_is_harmless(pair->first, write, pair->inst, pair->use,
				      true)))
			continue;
		name_write(write, detail);
		return write->file_b || (bytes_written(pair->first) &
					 bytes_read(pair->inst)) ?
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
	return qpu_use_writes(pair->first_use, QPU_W_R5) &&
			       pair->use->rotates &&
			       pair->inst->small == QPU_SMALL_ROT_R5 ?
		       QPU_HAZARD :
		       QPU_FINE;
}

/* R3.  Where only some lanes are written or rotated, a run shows whether they
 * matter. */
static enum qpu_verdict
check_rotate(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (!pair->use->rotates)
		return QPU_FINE;
	for (unsigned i = 0; i < pair->first_use->nwrites; i++) {
		const unsigned addr = pair->first_use->writes[i].addr;
		const unsigned mux = addr == QPU_W_R5 ? QPU_MUX_R5 :
							addr - QPU_W_R0;

		if ((addr != QPU_W_R5 &&
		     (addr < QPU_W_R0 || addr > QPU_W_R3)) ||
		    !pair->use->mul_reads[mux])
			continue;
		snprintf(detail, QPU_DETAIL_SIZE, "r%u", mux);
		return pair->first_use->writes[i].cond == QPU_COND_ALWAYS &&
				       pair->inst->cond_mul <= QPU_COND_ALWAYS ?
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
	return qpu_use_writes(pair->first_use, QPU_W_UNIF_ADDR) &&
			       qpu_use_reads_io(pair->use, QPU_R_UNIF) ?
		       QPU_HAZARD :
		       QPU_FINE;
}

/* R5 */
static enum qpu_verdict
check_noswap(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	return qpu_use_writes(pair->first_use, QPU_W_TMURS) &&
			       find_write(pair->use, QPU_REG_TMU) ?
		       QPU_HAZARD :
		       QPU_FINE;
}

/* R6 */
static enum qpu_verdict
check_sfu(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (!find_write(pair->first_use, QPU_REG_SFU))
		return QPU_FINE;
	if (qpu_use_reads_mux(pair->use, QPU_MUX_R4))
		snprintf(detail, QPU_DETAIL_SIZE, "r4 is read");
	else if (pair->inst->kind == QPU_KIND_ALU &&
		 (qpu_sigs[pair->inst->sig].flags & QPU_SIG_FLAG_R4))
		snprintf(detail, QPU_DETAIL_SIZE, "%s writes r4",
			 qpu_sigs[pair->inst->sig].text);
	else if (find_write(pair->use, QPU_REG_SFU))
		snprintf(detail, QPU_DETAIL_SIZE, "the SFU is busy");
	else
		return QPU_FINE;
	return QPU_HAZARD;
}

/* R7; a distance of 0 is the instruction with the signal itself. */
static enum qpu_verdict
check_end(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	const struct qpu_use *use = pair->use;

	if (!qpu_ends_program(pair->first))
		return QPU_FINE;
	if (qpu_use_reads_io(use, QPU_R_UNIF) ||
	    qpu_use_reads_io(use, QPU_R_VARY))
		snprintf(detail, QPU_DETAIL_SIZE, "a uniform or varying");
	else if (find_write(use, QPU_REG_VPM) ||
		 qpu_use_reads_io(use, QPU_R_VPM) ||
		 qpu_use_reads_io(use, QPU_R_VPM_BUSY) ||
		 qpu_use_reads_io(use, QPU_R_VPM_WAIT))
		snprintf(detail, QPU_DETAIL_SIZE, "the VPM or its DMA");
	else if (qpu_use_writes(use, 14) ||
		 (use->port_a == 14 && qpu_use_reads_mux(use, QPU_MUX_A)) ||
		 (use->port_b == 14 && qpu_use_reads_mux(use, QPU_MUX_B)))
		snprintf(detail, QPU_DETAIL_SIZE, "ra14 or rb14");
	for (unsigned i = 0; i < use->nwrites && !pair->distance && !*detail;
	     i++)
		if (use->writes[i].addr < QPU_FILE_REGS)
			snprintf(detail, QPU_DETAIL_SIZE,
				 "a write of r%c%u with thrend itself",
				 use->writes[i].file_b ? 'b' : 'a',
				 use->writes[i].addr);
	return *detail ? QPU_HAZARD : QPU_FINE;
}

/* R8 */
static enum qpu_verdict
check_delay_slots(const struct qpu_pair *pair, char detail[QPU_DETAIL_SIZE])
{
	if (pair->first->kind != QPU_KIND_BRANCH)
		return QPU_FINE;
	if (pair->inst->kind == QPU_KIND_BRANCH && pair->distance < 3)
		snprintf(detail, QPU_DETAIL_SIZE, "a branch");
	else if (pair->inst->sig == QPU_SIG_THREND)
		snprintf(detail, QPU_DETAIL_SIZE, "thrend");
	else
		return QPU_FINE;
	return QPU_HAZARD;
}

const struct qpu_check_row qpu_single_checks[] = {
	{ QPU_RULE_ONE_UNIT, check_one_unit },
	{ QPU_RULE_PREDICATE, check_predicate },
	{ QPU_RULE_PARTIAL_PACK, check_partial_pack },
	{ QPU_RULE_SAME_TARGET, check_same_target },
	{ QPU_RULE_VPM_ACCESSES, check_vpm },
	{ QPU_RULE_GRAPHICS, check_graphics },
	{ QPU_RULE_IMMEDIATE, check_immediate },
	{ QPU_RULE_PACK_MODE, check_pack },
	{ QPU_RULE_SEMAPHORE, check_semaphore },
	{ QPU_RULE_CODE_ALIGNMENT, check_target },
	{ 0, NULL },
};

const struct qpu_check_row qpu_pair_checks[] = {
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
