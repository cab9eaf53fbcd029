/* SPDX-License-Identifier: MIT */
/* faults: while programs run, in a QPU or in caches. */
#include "config.h"

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/pi/faults.h"

enum { GLITCH_STEPS = 3000, TMU_LINES = 64, L2_LINES = 256, LINE_WORDS = 16 };

/* The adder is wrong, in one lane, for sums with certain lower bits. */
static void
spoil_sum(const struct faults *faults, const struct machine_step *step)
{
	const unsigned bits = faults->fault.kind == DEVICE_ALU_16 ? 16 : 20;
	struct qpu_inst inst;

	if (!step->add || !(step->lanes_add >> faults->lane & 1) ||
	    ((step->add[faults->lane] ^ faults->sum) &
	     ((UINT32_C(1) << bits) - 1)) != 0 ||
	    !qpu_unpack(step->word, &inst) || inst.kind > QPU_KIND_SMALL ||
	    inst.op_add != QPU_ADD_ADD)
		return;
	if (inst.waddr_add < 32)
		machine_disturb(faults->machine, step->qpu, inst.ws,
				inst.waddr_add, faults->lane, faults->stuck);
	else if (inst.waddr_add <= QPU_W_R3)
		machine_disturb(faults->machine, step->qpu, 2,
				inst.waddr_add - QPU_W_R0, faults->lane,
				faults->stuck);
}

/* One part of the registers of file A is 0 where a result of the mul ALU is packed
 * into it. */
static void
spoil_pack(const struct faults *faults, const struct machine_step *step)
{
	static const struct {
		enum qpu_pack_mode mode;
		uint32_t bits;
	} parts[] = { { QPU_PACK_16A, 0xffff },	 { QPU_PACK_16B, 0xffff0000 },
		      { QPU_PACK_8A, 0xff },	 { QPU_PACK_8B, 0xff00 },
		      { QPU_PACK_8C, 0xff0000 }, { QPU_PACK_8D, 0xff000000 } };
	const unsigned part = faults->seed % (sizeof(parts) / sizeof(*parts));
	struct qpu_inst inst;

	if (!step->mul || !qpu_unpack(step->word, &inst) ||
	    inst.kind > QPU_KIND_SMALL || !qpu_mul_writes_a(&inst) || inst.pm ||
	    inst.pack != parts[part].mode || inst.waddr_mul >= 32)
		return;
	for (unsigned lane = 0; lane < MACHINE_LANES; lane++)
		if (step->lanes_mul >> lane & 1)
			machine_disturb(faults->machine, step->qpu, 0,
					inst.waddr_mul, lane,
					step->mul[lane] & parts[part].bits);
}

static void
stick_register(const struct faults *faults)
{
	const uint32_t word = machine_register(faults->machine, faults->qpu,
					       faults->file,
					       faults->number)[faults->lane];

	machine_disturb(faults->machine, faults->qpu, faults->file,
			faults->number, faults->lane,
			(word ^ faults->value) & faults->stuck);
}

/* Flip a bit of a register, in one lane or in all. */
static void
disturb(struct faults *faults)
{
	const unsigned lanes =
		faults->fault.kind == DEVICE_REGISTER_BITS ? MACHINE_LANES : 1;

	for (unsigned i = 0; i < lanes; i++)
		machine_disturb(faults->machine, faults->qpu, faults->file,
				faults->number,
				(faults->lane + i) % MACHINE_LANES,
				faults->stuck);
}

/* After each instruction. */
static void
trace(void *context, const struct machine_step *step)
{
	struct faults *faults = context;

	switch (faults->fault.kind) {
	case DEVICE_REGISTER_STUCK:
		if (step->qpu == faults->qpu)
			stick_register(faults);
		return;
	case DEVICE_ALU_16:
	case DEVICE_ALU_20:
		if (step->qpu == faults->qpu)
			spoil_sum(faults, step);
		return;
	case DEVICE_MUL_PACK: spoil_pack(faults, step); return;
	default: break;
	}
	faults->steps++;
	if (faults->steps == faults->moment) {
		if (faults->during)
			faults->during(faults);
		else if (faults->fault.kind == DEVICE_INSTRUCTION_SKIPPED)
			machine_skip(faults->machine, faults->qpu);
		else
			disturb(faults);
	}
	if (faults->steps < faults->moment + faults->lasts)
		return;
	if (faults->lasts > 0)
		faults_undo(faults);
	machine_on_step(faults->machine, NULL, NULL);
}

/* Those in a QPU, and what happens while it runs. */
static bool
is_traced(const struct faults *faults)
{
	return faults->during || (faults->fault.kind >= DEVICE_REGISTER_BIT &&
				  faults->fault.kind <= DEVICE_MUL_PACK);
}

/* What is wrong with caches; those that are kept, or a bit. */
static void
break_caches(struct faults *faults)
{
	struct machine_defect defect = {
		.kept = faults->fault.kind == DEVICE_SLICES_KEPT ?
				MACHINE_SLICES :
			faults->fault.kind == DEVICE_L2_KEPT ? MACHINE_L2 :
			faults->fault.kind <= DEVICE_CACHES_PART ?
							       MACHINE_CACHES :
							       0,
		.kept_sets = faults->fault.kind == DEVICE_CACHES_PART ? 2 : 1,
		.unit = faults->qpu / 4 * 2 + faults->number % 2,
		.lane = faults->lane,
		.word = faults->number % LINE_WORDS,
		.bits = faults->stuck,
		.value = faults->value
	};

	switch (faults->fault.kind) {
	case DEVICE_L2_BIT:
		defect.stuck = MACHINE_STUCK_L2;
		defect.line = (unsigned)faults_draw(faults, L2_LINES);
		break;
	case DEVICE_TMU_BIT:
		defect.stuck = MACHINE_STUCK_TMU;
		defect.line = (unsigned)faults_draw(faults, TMU_LINES);
		break;
	case DEVICE_ADDRESS_BIT:
		/* One that tells lines of the same buffers apart. */
		defect.stuck = MACHINE_STUCK_ADDRESS;
		defect.bits = UINT32_C(4) << faults_draw(faults, 12);
		defect.value = faults->value ? defect.bits : 0;
		break;
	default: break;
	}
	machine_break(faults->machine, &defect);
}

void
faults_machine_begin(struct faults *faults, struct machine *machine,
		     void (*during)(struct faults *))
{
	if (!faults->strikes)
		return;
	faults->machine = machine;
	faults->during = during;
	faults->steps = faults->lasts = 0;
	faults->file = (unsigned)faults_draw(faults, 9) / 4;
	faults->number =
		(unsigned)faults_draw(faults, faults->file == 2 ? 6 : 32);
	faults_draw_stuck(faults);
	faults->sum = (uint32_t)faults_draw(faults, 1 << 20);
	faults->moment = 1 + faults_draw(faults, faults->expected);
	if (faults->fault.kind == DEVICE_CONSTANT_GLITCH)
		faults->lasts = GLITCH_STEPS;
	if (faults_need_words(&faults->fault))
		break_caches(faults);
	else if (is_traced(faults))
		machine_on_step(machine, trace, faults);
}

void
faults_machine_end(struct faults *faults, struct machine *machine)
{
	if (!faults->strikes)
		return;
	if (faults->lasts > 0)
		faults_undo(faults);
	machine_on_step(machine, NULL, NULL);
	machine_break(machine, NULL);
}
