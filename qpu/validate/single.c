/* SPDX-License-Identifier: MIT */
/*
 * single: rules about combinations within one instruction.
 */
#include "config.h"

#include "qpu/validate/checks.h"

#include <stdio.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/use.h"

/* The flags of a written address; a register of a file has none. */
static unsigned
flags_written(const struct qpu_result *write)
{
	return qpu_writes[write->addr].flags;
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
check_one_unit(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	const unsigned units = QPU_REG_TMU | QPU_REG_TLB | QPU_REG_SFU |
			       QPU_REG_MUTEX;
	unsigned n = 0;
	bool sfu = false;

	for (unsigned i = 0; i < step->use->nwrites; i++) {
		const unsigned flags = flags_written(&step->use->writes[i]);

		if (flags & units) {
			n++;
			name_write(&step->use->writes[i], detail);
		}
		sfu |= flags & QPU_REG_SFU;
	}
	if (qpu_use_reads_io(step->use, QPU_R_MUTEX))
		n++;
	if (step->inst->kind == QPU_KIND_SEMA)
		n++;
	if (n > 1)
		return QPU_HAZARD;
	if (n && loads_tmu(step->inst))
		return sfu ? QPU_HAZARD : QPU_WARNING;
	return QPU_FINE;
}

/* R10.  Section 3.13: a predicate works for the host interrupt. */
static enum qpu_verdict
check_predicate(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	for (unsigned i = 0; i < step->use->nwrites; i++) {
		const struct qpu_result *write = &step->use->writes[i];

		if (write->cond == QPU_COND_ALWAYS ||
		    write->addr == QPU_W_IRQ ||
		    !(flags_written(write) & QPU_REG_PERIPH))
			continue;
		name_write(write, detail);
		return QPU_HAZARD;
	}
	return QPU_FINE;
}

static bool
packs_partly(const struct qpu_inst *inst)
{
	return inst->pack && inst->pack != QPU_PACK_8888 &&
	       inst->pack != QPU_PACK_32S && inst->pack != QPU_PACK_8888S;
}

/* R11 */
static enum qpu_verdict
check_partial_pack(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	if (!step->inst->pm || !packs_partly(step->inst))
		return QPU_FINE;
	for (unsigned i = 0; i < step->use->nwrites; i++) {
		if (!step->use->writes[i].of_mul ||
		    !(flags_written(&step->use->writes[i]) & QPU_REG_PERIPH))
			continue;
		name_write(&step->use->writes[i], detail);
		return QPU_HAZARD;
	}
	return QPU_FINE;
}

/* Addresses whose A and B names are different registers (section 7). */
static bool
differs_by_file(unsigned addr)
{
	return addr < QPU_FILE_REGS || addr == QPU_W_COORD ||
	       addr == QPU_W_FLAGS || addr == QPU_W_VPM_SETUP ||
	       addr == QPU_W_VPM_ADDR;
}

/* Are both ALUs moving the same operand?  Then both results are the same. */
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
 * R12.  Section 3.2: complementary conditions work for accumulators, and so
 * does one value for both: "mov r0, r0; mov r0, r0; thrend" is the usual end
 * of programs that run on boards.
 */
static enum qpu_verdict
check_same_target(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	const struct qpu_result *writes = step->use->writes;

	if (step->inst->kind == QPU_KIND_BRANCH || step->use->nwrites < 2 ||
	    writes[0].addr != writes[1].addr || differs_by_file(writes[0].addr))
		return QPU_FINE;
	if ((flags_written(&writes[0]) & QPU_REG_ACC) &&
	    (qpu_conds_are_disjoint(writes[0].cond, writes[1].cond) ||
	     moves_one_value(step->inst, step->use)))
		return QPU_FINE;
	name_write(&writes[0], detail);
	return QPU_HAZARD;
}

/* R13 */
static enum qpu_verdict
check_vpm(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	unsigned setups = 0;
	bool write_setup = false;

	for (unsigned i = 0; i < step->use->nwrites; i++)
		if (step->use->writes[i].addr == QPU_W_VPM_SETUP) {
			setups++;
			write_setup |= step->use->writes[i].file_b;
		}
	const bool reads = qpu_use_reads_io(step->use, QPU_R_VPM);
	const bool writes = qpu_use_writes(step->use, QPU_W_VPM);
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
	if ((reads || writes) && loads_tmu(step->inst)) {
		snprintf(detail, QPU_DETAIL_SIZE, "vpm and ldtmu");
		return QPU_WARNING;
	}
	return QPU_FINE;
}

static bool
is_graphics_read(int port)
{
	return port >= QPU_FILE_REGS && (qpu_reads[port].flags & QPU_REG_GFX);
}

/* R14.  What needs the graphics pipeline cannot work in a user program. */
static enum qpu_verdict
check_graphics(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	if (qpu_sigs[step->inst->sig].flags & QPU_SIG_FLAG_GFX) {
		snprintf(detail, QPU_DETAIL_SIZE, "%s",
			 qpu_sigs[step->inst->sig].text);
		return QPU_HAZARD;
	}
	for (unsigned file = 0; file < 2; file++) {
		const int port = file ? step->use->port_b : step->use->port_a;

		if (is_graphics_read(port)) {
			snprintf(detail, QPU_DETAIL_SIZE, "%s",
				 qpu_reads[port].name[file]);
			return QPU_HAZARD;
		}
	}
	for (unsigned i = 0; i < step->use->nwrites; i++) {
		const struct qpu_result *write = &step->use->writes[i];
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
check_immediate(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	if (step->inst->kind != QPU_KIND_SMALL || step->use->rotates ||
	    qpu_use_reads_mux(step->use, QPU_MUX_B))
		return QPU_FINE;
	return QPU_WARNING;
}

/* R17 */
static enum qpu_verdict
check_pack(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	bool written = false;

	if (step->inst->kind == QPU_KIND_BRANCH)
		return QPU_FINE;
	for (unsigned i = 0; i < step->use->nwrites; i++)
		written |= !step->use->writes[i].file_b &&
			   step->use->writes[i].addr < QPU_FILE_REGS;
	if (step->inst->pack && !step->inst->pm && !written) {
		snprintf(detail, QPU_DETAIL_SIZE, "pack");
		return QPU_HAZARD;
	}
	if (!step->inst->unpack ||
	    (step->inst->pm ? qpu_use_reads_mux(step->use, QPU_MUX_R4) :
			      qpu_use_reads_mux(step->use, QPU_MUX_A) &&
				      step->use->port_a < QPU_FILE_REGS))
		return QPU_FINE;
	snprintf(detail, QPU_DETAIL_SIZE, "unpack");
	return QPU_WARNING;
}

/* R19 */
static enum qpu_verdict
check_semaphore(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	if (step->inst->kind != QPU_KIND_SEMA)
		return QPU_FINE;
	for (unsigned i = 0; i < step->use->nwrites; i++) {
		if (!(flags_written(&step->use->writes[i]) &
		      (QPU_REG_TLB | QPU_REG_TMU | QPU_REG_SFU)))
			continue;
		name_write(&step->use->writes[i], detail);
		return QPU_HAZARD;
	}
	return QPU_FINE;
}

/* R20 */
static enum qpu_verdict
check_target(const struct qpu_step *step, char detail[QPU_DETAIL_SIZE])
{
	(void)detail;
	if (step->inst->kind == QPU_KIND_BRANCH && !step->inst->reg &&
	    step->inst->imm % QPU_INST_BYTES)
		return QPU_HAZARD;
	return QPU_FINE;
}

const struct qpu_single_row qpu_single_checks[] = {
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
