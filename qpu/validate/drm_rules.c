/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/validate/drm_rules.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "src/base/rows.h"

enum {
	PAGE_WORDS = 4096 / QPU_INST_BYTES,
	ACCUMULATORS = 4,
	/* Registers that can be known: files A and B, r0 to r3. */
	TRACKED = 2 * QPU_FILE_REGS + ACCUMULATORS,
	UNTRACKED = TRACKED,
	END_SLOTS = 2,
	BRANCH_SLOTS = 3,
	SWITCH_SLOTS = 2,
};

const struct qpu_drm_rule qpu_drm_rules[QPU_DRM_RULES] = {
#define DRM_RULE(rule, of, says)                                               \
	[QPU_DRM_##rule] = { .function = (of), .text = (says) },
#include "qpu/validate/drm.def"
};

/* A register, as far as this block knows it. */
struct known {
	bool is_constant, is_not_negative, is_clamped;
	uint32_t constant;
	uint32_t clamp; /* byte offset of the uniform with the limit */
};

/* The next lookup of a TMU. */
struct lookup {
	unsigned written; /* parameters so far */
	struct qpu_drm_load load;
};

struct check {
	const uint64_t *words;
	size_t n;   /* words; those after them are 0 */
	size_t end; /* the first instruction that is not executed */
	bool *begins_block;
	struct qpu_drm_program *program;
	struct known known[TRACKED + 1]; /* nothing of the last one */
	struct lookup lookups[2];
	bool lost;	    /* the uniform address is not known */
	bool wants_address; /* an earlier block is branched to */
	bool upper_half;    /* registers 16 to 31 are used */
	bool no_memory;
	size_t room[2]; /* of addresses, of loads */
	/* The refusal. */
	enum qpu_drm_rule_number rule;
	size_t index;
};

static bool
refuse(struct check *check, enum qpu_drm_rule_number rule)
{
	check->rule = rule;
	return false;
}

static void
fields_at(const struct check *check, size_t index, struct qpu_inst *inst)
{
	qpu_unpack_fields(index < check->n ? check->words[index] : 0, inst);
}

/* --- The uniform stream ------------------------------------------------------ */

static bool
reads_uniform(const struct qpu_inst *inst)
{
	return inst->raddr_a == QPU_R_UNIF ||
	       (inst->raddr_b == QPU_R_UNIF && inst->sig != QPU_SIG_SMALL);
}

/* Return true if the second operand of the add ALU is a uniform.  A small
 * immediate of the same number counts, as in the kernel; both callers refuse it
 * otherwise. */
static bool
second_is_uniform(const struct qpu_inst *inst)
{
	return (inst->add_b == QPU_MUX_A && inst->raddr_a == QPU_R_UNIF) ||
	       (inst->add_b == QPU_MUX_B && inst->raddr_b == QPU_R_UNIF);
}

/* The next word of the stream is the address of the word after it. */
static bool
add_address(struct check *check)
{
	struct qpu_drm_program *program = check->program;

	check->no_memory = !rows_grow(&program->addresses, &check->room[0],
				      program->naddresses,
				      sizeof(*program->addresses));
	if (!check->no_memory)
		program->addresses[program->naddresses++] =
			(uint32_t)(program->uniform_bytes / sizeof(uint32_t));
	return !check->no_memory;
}

/* --- Registers --------------------------------------------------------------- */

static unsigned
written_register(unsigned address, bool file_b)
{
	if (address < QPU_FILE_REGS)
		return address + (file_b ? QPU_FILE_REGS : 0);
	if (address < QPU_W_R0 + ACCUMULATORS)
		return 2 * QPU_FILE_REGS + address - QPU_W_R0;
	return UNTRACKED;
}

/* The first operand of the add ALU. */
static unsigned
first_register(const struct qpu_inst *inst)
{
	if (inst->add_a < ACCUMULATORS)
		return 2 * QPU_FILE_REGS + inst->add_a;
	if (inst->add_a == QPU_MUX_A && inst->raddr_a < QPU_FILE_REGS)
		return inst->raddr_a;
	if (inst->add_a == QPU_MUX_B && inst->sig != QPU_SIG_SMALL &&
	    inst->raddr_b < QPU_FILE_REGS)
		return QPU_FILE_REGS + inst->raddr_b;
	return UNTRACKED;
}

static void
note_constant(struct check *check, unsigned reg, const struct qpu_inst *inst,
	      bool is_mul)
{
	struct known *known = &check->known[reg];
	const unsigned cond = is_mul ? inst->cond_mul : inst->cond_add;

	if (reg == UNTRACKED)
		return;
	known->is_constant = inst->sig == QPU_SIG_LOAD && inst->pack == 0 &&
			     cond == QPU_COND_ALWAYS;
	known->constant = inst->imm;
	if (reg < 2 * QPU_FILE_REGS && reg % QPU_FILE_REGS >= 16)
		check->upper_half = true;
}

static void
forget_clamps(struct known *known)
{
	known->is_not_negative = false;
	known->is_clamped = false;
}

/*
 * A register is clamped by two instructions of the add ALU: max with the small
 * immediate 0, which may be either operand, then min with a uniform, whose
 * first operand is the result of the max.
 */
static void
note_clamps(struct check *check, const struct qpu_inst *inst)
{
	const unsigned add = written_register(inst->waddr_add, inst->ws);
	const unsigned mul = written_register(inst->waddr_mul, !inst->ws);
	const bool of_max = check->known[first_register(inst)].is_not_negative;
	struct known *known = &check->known[add];

	forget_clamps(&check->known[mul]);
	forget_clamps(known);
	if (add == UNTRACKED || inst->cond_add != QPU_COND_ALWAYS)
		return;
	if (inst->op_add == QPU_ADD_MAX) {
		known->is_not_negative =
			inst->sig == QPU_SIG_SMALL && inst->raddr_b == 0 &&
			(inst->add_a == QPU_MUX_B || inst->add_b == QPU_MUX_B);
	} else if (inst->op_add == QPU_ADD_MIN && of_max) {
		known->is_clamped = second_is_uniform(inst) &&
				    (inst->add_b == QPU_MUX_A ||
				     inst->sig != QPU_SIG_SMALL);
		known->clamp = (uint32_t)check->program->uniform_bytes;
	}
}

/* --- Writes ------------------------------------------------------------------ */

static bool
check_unif_addr(struct check *check, const struct qpu_inst *inst, bool is_mul)
{
	const struct known *offset = &check->known[first_register(inst)];

	switch (inst->sig) {
	case QPU_SIG_NONE:
	case QPU_SIG_SBDONE:
	case QPU_SIG_LOADC:
	case QPU_SIG_LDTMU0:
	case QPU_SIG_LDTMU1: break;
	default: return refuse(check, QPU_DRM_ADDRESS_PLAIN);
	}
	if (is_mul || inst->op_add != QPU_ADD_ADD ||
	    inst->cond_add != QPU_COND_ALWAYS || (inst->pack && !inst->pm))
		return refuse(check, QPU_DRM_ADDRESS_PLAIN);
	if (!offset->is_constant ||
	    offset->constant !=
		    check->program->uniform_bytes + sizeof(uint32_t))
		return refuse(check, QPU_DRM_ADDRESS_OFFSET);
	if (!second_is_uniform(inst))
		return refuse(check, QPU_DRM_ADDRESS_UNIFORM);
	check->lost = false;
	check->wants_address = false;
	return add_address(check);
}

static bool
add_load(struct check *check, struct lookup *lookup)
{
	struct qpu_drm_program *program = check->program;

	check->no_memory = !rows_grow(&program->loads, &check->room[1],
				      program->nloads, sizeof(lookup->load));
	if (check->no_memory)
		return false;
	program->loads[program->nloads++] = lookup->load;
	memset(lookup->load.parameters, 0xff, sizeof(lookup->load.parameters));
	lookup->written = 0;
	return true;
}

/* A direct lookup is a write of s without parameters before it.  The kernel
 * never forgets that a TMU had one. */
static bool
check_direct(struct check *check, const struct qpu_inst *inst, bool is_mul,
	     struct lookup *lookup)
{
	const struct known *known = &check->known[first_register(inst)];

	if (inst->sig == QPU_SIG_SMALL || is_mul || inst->op_add != QPU_ADD_ADD)
		return refuse(check, QPU_DRM_LOAD_ADD);
	if (!known->is_clamped)
		return refuse(check, QPU_DRM_LOAD_CLAMP);
	if (!second_is_uniform(inst))
		return refuse(check, QPU_DRM_LOAD_UNIFORM);
	lookup->load.direct = true;
	lookup->load.parameters[0] = (uint32_t)check->program->uniform_bytes;
	lookup->load.parameters[1] = known->clamp;
	return add_load(check, lookup);
}

/* A texture's parameter takes a word of the stream that the program does not
 * read itself. */
static bool
check_texture(struct check *check, const struct qpu_inst *inst, bool is_s,
	      struct lookup *lookup)
{
	if (reads_uniform(inst))
		return refuse(check, QPU_DRM_TEXTURE_UNIFORM);
	if (lookup->written >= QPU_DRM_PARAMETERS)
		return refuse(check, QPU_DRM_TEXTURE_PARAMETERS);
	lookup->load.parameters[lookup->written++] =
		(uint32_t)check->program->uniform_bytes;
	if (check->lost)
		return refuse(check, QPU_DRM_UNIFORM_ADDRESS);
	check->program->uniform_bytes += sizeof(uint32_t);
	return !is_s || add_load(check, lookup);
}

static bool
is_tmu(unsigned address)
{
	return address >= QPU_W_T0S && address <= QPU_W_T1B;
}

static bool
check_write(struct check *check, const struct qpu_inst *inst, bool is_mul)
{
	const unsigned address = is_mul ? inst->waddr_mul : inst->waddr_add;
	const bool file_b = is_mul != inst->ws;
	const bool is_s = address == QPU_W_T0S || address == QPU_W_T1S;
	struct lookup *lookup;

	note_constant(check, written_register(address, file_b), inst, is_mul);
	if (is_tmu(address)) {
		lookup = &check->lookups[address >= QPU_W_T1S];
		return is_s && lookup->written == 0 ?
			       check_direct(check, inst, is_mul, lookup) :
			       check_texture(check, inst, is_s, lookup);
	}
	if (address == QPU_W_UNIF_ADDR)
		return file_b ? refuse(check, QPU_DRM_ADDRESS_RELATIVE) :
				check_unif_addr(check, inst, is_mul);
	if (qpu_writes[address].flags & QPU_REG_NOT_DRM)
		return refuse(check, QPU_DRM_REGISTER);
	return address != QPU_W_VPM_ADDR || refuse(check, QPU_DRM_DMA);
}

static bool
check_writes(struct check *check, const struct qpu_inst *inst)
{
	if (is_tmu(inst->waddr_add) && is_tmu(inst->waddr_mul))
		return refuse(check, QPU_DRM_TWO_TEXTURES);
	if (!check_write(check, inst, false) || !check_write(check, inst, true))
		return false;
	note_clamps(check, inst);
	return true;
}

/* --- Reads ------------------------------------------------------------------- */

static bool
is_upper_half(unsigned address)
{
	return address >= 16 && address < QPU_FILE_REGS;
}

static bool
check_reads(struct check *check, const struct qpu_inst *inst)
{
	if (reads_uniform(inst)) {
		check->program->uniform_bytes += sizeof(uint32_t);
		if (check->lost)
			return refuse(check, QPU_DRM_UNIFORM_ADDRESS);
	}
	check->upper_half |=
		is_upper_half(inst->raddr_a) ||
		(is_upper_half(inst->raddr_b) && inst->sig != QPU_SIG_SMALL);
	return true;
}

/* --- Branches and blocks ----------------------------------------------------- */

/* Find the program's end and where blocks begin. */
static bool
find_blocks(struct check *check)
{
	size_t next = 2; /* the first place for a branch */
	size_t last_begin = 0, furthest = 0, furthest_branch = 0;
	struct qpu_inst inst;

	for (size_t i = 0; i < check->end; i++) {
		size_t target;

		fields_at(check, i, &inst);
		check->index = i;
		if (inst.sig == QPU_SIG_THREND)
			check->end = i + 1 + END_SLOTS;
		if (inst.sig != QPU_SIG_BRANCH)
			continue;
		if (i < next)
			return refuse(check, QPU_DRM_BRANCH_SPACE);
		next = i + 1 + BRANCH_SLOTS;
		if (inst.reg)
			return refuse(check, QPU_DRM_BRANCH_REGISTER);
		if (!inst.rel)
			return refuse(check, QPU_DRM_BRANCH_ABSOLUTE);
		if (inst.imm % QPU_INST_BYTES != 0)
			return refuse(check, QPU_DRM_BRANCH_ALIGNED);
		/* The offset counts from after the slots. */
		target = (uint32_t)(next + (uint32_t)((int32_t)inst.imm /
						      QPU_INST_BYTES));
		if (target >= check->end)
			return refuse(check, QPU_DRM_BRANCH_TARGET);
		if (next >= check->end)
			return refuse(check, QPU_DRM_BRANCH_NEXT);
		if (target > furthest) {
			furthest = target;
			furthest_branch = i;
		}
		check->begins_block[target] = true;
		check->begins_block[next] = true;
		last_begin = next;
	}
	if (last_begin > check->end - 1 - END_SLOTS)
		return refuse(check, QPU_DRM_BRANCH_LAST);
	check->index = furthest_branch;
	return furthest < check->end || refuse(check, QPU_DRM_BRANCH_TARGET);
}

/* --- The program ------------------------------------------------------------- */

static bool
is_switch(const struct qpu_inst *inst)
{
	return inst->sig == QPU_SIG_THRSW || inst->sig == QPU_SIG_LTHRSW;
}

static bool
check_instruction(struct check *check, const struct qpu_inst *inst)
{
	if (qpu_sigs[inst->sig].flags & QPU_SIG_FLAG_DRM)
		return check_writes(check, inst) && check_reads(check, inst);
	switch (inst->sig) {
	case QPU_SIG_LOAD: return check_writes(check, inst);
	case QPU_SIG_BRANCH:
		if ((int32_t)inst->imm < 0)
			check->wants_address = true;
		return (inst->waddr_add == QPU_W_NOP &&
			inst->waddr_mul == QPU_W_NOP) ||
		       refuse(check, QPU_DRM_BRANCH_LINK);
	default: return refuse(check, QPU_DRM_SIGNAL);
	}
}

static bool
check_program(struct check *check)
{
	struct known *const accumulators = &check->known[2 * QPU_FILE_REGS];
	size_t next = 0; /* the first place after a thread switch */
	struct qpu_inst inst;

	if (!find_blocks(check))
		return false;
	for (size_t i = 0; i < check->end; i++) {
		check->index = i;
		fields_at(check, i, &inst);
		if (check->begins_block[i]) {
			if (check->lookups[0].written ||
			    check->lookups[1].written)
				return refuse(check, QPU_DRM_BLOCK_IN_TEXTURE);
			memset(check->known, 0, sizeof(check->known));
			check->lost = true;
		}
		/* The other thread has had the accumulators. */
		if (i == next)
			memset(accumulators, 0,
			       ACCUMULATORS * sizeof(*accumulators));
		if (!check_instruction(check, &inst))
			return false;
		if (i < next && is_switch(&inst))
			return refuse(check, QPU_DRM_SWITCH_SPACE);
		if (i < next && inst.sig == QPU_SIG_BRANCH)
			return refuse(check, QPU_DRM_BRANCH_SWITCH);
		if (is_switch(&inst)) {
			next = i + 1 + SWITCH_SLOTS;
			check->program->threaded = true;
		}
	}
	/* Zeros, which are no instruction, follow a program without an end; one
	 * that fills its pages is not noticed before. */
	fields_at(check, check->end - 1 - END_SLOTS, &inst);
	if (inst.sig != QPU_SIG_THREND)
		return refuse(check, QPU_DRM_END);
	if (check->program->threaded && check->upper_half)
		return refuse(check, QPU_DRM_SWITCH_REGISTERS);
	if (!check->wants_address)
		return true;
	if (!add_address(check))
		return false;
	check->program->uniform_bytes += sizeof(uint32_t);
	return true;
}

enum qpu_drm_verdict
qpu_drm_check(const uint64_t *words, size_t n, struct qpu_drm_program *program,
	      enum qpu_drm_rule_number *rule, size_t *index)
{
	struct check check = { .words = words, .n = n, .program = program };
	bool accepted;

	memset(program, 0, sizeof(*program));
	check.end = n == 0 ? PAGE_WORDS :
			     (n + PAGE_WORDS - 1) / PAGE_WORDS * PAGE_WORDS;
	memset(check.lookups, 0xff, sizeof(check.lookups));
	for (unsigned tmu = 0; tmu < 2; tmu++) {
		check.lookups[tmu].written = 0;
		check.lookups[tmu].load.direct = false;
	}
	/* A program may seem to end beyond its buffer. */
	check.begins_block =
		calloc(check.end + END_SLOTS, sizeof(*check.begins_block));
	accepted = check.begins_block && check_program(&check);
	if (!check.begins_block)
		check.no_memory = true;
	free(check.begins_block);
	if (accepted)
		return QPU_DRM_ACCEPTED;
	qpu_drm_free(program);
	*rule = check.rule;
	*index = check.index;
	return check.no_memory ? QPU_DRM_NO_MEMORY : QPU_DRM_REFUSED;
}

void
qpu_drm_free(struct qpu_drm_program *program)
{
	free(program->loads);
	free(program->addresses);
	memset(program, 0, sizeof(*program));
}
