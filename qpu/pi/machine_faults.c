/* SPDX-License-Identifier: MIT */
/* faults: while programs run, in a QPU or in caches. */
#include "config.h"

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/pi/faults.h"

enum { TMU_LINES = 64, L2_LINES = 256, LINE_WORDS = 16, FILES = 3 };

/* After each instruction ---------------------------------------------------- */

/* The adder is wrong, in one lane, for sums with certain lower bits. */
static void
spoil_sum(const struct faults *faults, const struct machine_step *step,
	  unsigned bits)
{
	struct qpu_inst inst;

	if (step->qpu != faults->qpu || !step->add ||
	    !(step->lanes_add >> faults->lane & 1) ||
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

static void
spoil_sum_16(struct faults *faults, const struct machine_step *step)
{
	spoil_sum(faults, step, 16);
}

static void
spoil_sum_20(struct faults *faults, const struct machine_step *step)
{
	spoil_sum(faults, step, 20);
}

/* One part of the registers of file A is 0 where a result of the mul ALU is packed
 * into it. */
static void
spoil_pack(struct faults *faults, const struct machine_step *step)
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
stick_register(struct faults *faults, const struct machine_step *step)
{
	const uint32_t word = machine_register(faults->machine, faults->qpu,
					       faults->file,
					       faults->number)[faults->lane];

	if (step->qpu == faults->qpu)
		machine_disturb(faults->machine, faults->qpu, faults->file,
				faults->number, faults->lane,
				(word ^ faults->value) & faults->stuck);
}

/* Once, at a moment ----------------------------------------------------------- */

/* Return true when the step is the one after which the fault acts. */
static bool
is_the_moment(struct faults *faults)
{
	return ++faults->steps == faults->moment;
}

static void
end_steps(const struct faults *faults)
{
	machine_on_step(faults->machine, NULL, NULL);
}

static void
flip_register(struct faults *faults, const struct machine_step *step)
{
	(void)step;
	if (!is_the_moment(faults))
		return;
	machine_disturb(faults->machine, faults->qpu, faults->file,
			faults->number, faults->lane, faults->stuck);
	end_steps(faults);
}

static void
skip_instruction(struct faults *faults, const struct machine_step *step)
{
	(void)step;
	if (!is_the_moment(faults))
		return;
	machine_skip(faults->machine, faults->qpu);
	end_steps(faults);
}

static unsigned
registers_of(unsigned file)
{
	return file == 2 ? 6 : 32;
}

/* The lane's registers are as they were before the instruction after the moment. */
static void
miss_instruction(struct faults *faults, const struct machine_step *step)
{
	const bool begins = is_the_moment(faults);

	if (!begins &&
	    (faults->steps < faults->moment || step->qpu != faults->qpu))
		return;
	for (unsigned file = 0; file < FILES; file++)
		for (unsigned i = 0; i < registers_of(file); i++) {
			uint32_t *kept = &faults->registers[file][i];
			const uint32_t now = machine_register(faults->machine,
							      faults->qpu, file,
							      i)[faults->lane];

			if (begins)
				*kept = now;
			else
				machine_disturb(faults->machine, faults->qpu,
						file, i, faults->lane,
						now ^ *kept);
		}
	if (!begins)
		end_steps(faults);
}

/* In caches ------------------------------------------------------------------- */

static void
keep_all(struct faults *faults, struct machine_defect *defect)
{
	(void)faults;
	defect->kept = MACHINE_CACHES;
}

static void
keep_l2(struct faults *faults, struct machine_defect *defect)
{
	(void)faults;
	defect->kept = MACHINE_L2;
}

static void
keep_part(struct faults *faults, struct machine_defect *defect)
{
	(void)faults;
	defect->kept = MACHINE_CACHES;
	defect->kept_sets = 2;
}

static void
stick_l2(struct faults *faults, struct machine_defect *defect)
{
	defect->stuck = MACHINE_STUCK_L2;
	defect->line = (unsigned)faults_draw(faults, L2_LINES);
}

static void
stick_tmu(struct faults *faults, struct machine_defect *defect)
{
	defect->stuck = MACHINE_STUCK_TMU;
	defect->line = (unsigned)faults_draw(faults, TMU_LINES);
}

/* What each of them does ------------------------------------------------------ */

static const struct act {
	void (*step)(struct faults *, const struct machine_step *);
	void (*caches)(struct faults *, struct machine_defect *);
} acts[PI_FAULTS] = {
	[PI_REGISTER_BIT] = { .step = flip_register },
	[PI_REGISTER_STUCK] = { .step = stick_register },
	[PI_SKIPPED] = { .step = skip_instruction },
	[PI_MISSED] = { .step = miss_instruction },
	[PI_ADDER_16] = { .step = spoil_sum_16 },
	[PI_ADDER_20] = { .step = spoil_sum_20 },
	[PI_MUL_PACK] = { .step = spoil_pack },
	[PI_CACHES_KEPT] = { .caches = keep_all },
	[PI_L2_KEPT] = { .caches = keep_l2 },
	[PI_CACHES_PART] = { .caches = keep_part },
	[PI_L2_BIT] = { .caches = stick_l2 },
	[PI_TMU_BIT] = { .caches = stick_tmu },
};

static void
trace(void *context, const struct machine_step *step)
{
	struct faults *faults = context;

	acts[faults->fault.kind].step(faults, step);
}

void
faults_machine_begin(struct faults *faults, struct machine *machine)
{
	const struct act *act = &acts[faults->fault.kind];
	struct machine_defect defect;

	if (!faults->strikes)
		return;
	faults->machine = machine;
	faults->steps = 0;
	faults->file = (unsigned)faults_draw(faults, 9) / 4;
	faults->number =
		(unsigned)faults_draw(faults, registers_of(faults->file));
	faults_draw_stuck(faults);
	faults->sum = (uint32_t)faults_draw(faults, 1 << 20);
	faults->moment = 1 + faults_draw(faults, faults->expected);
	defect = (struct machine_defect){ .kept_sets = 1,
					  .unit = faults->qpu / 4 * 2 +
						  faults->number % 2,
					  .lane = faults->lane,
					  .word = faults->number % LINE_WORDS,
					  .bits = faults->stuck,
					  .value = faults->value };
	if (act->caches) {
		act->caches(faults, &defect);
		machine_break(machine, &defect);
	} else if (act->step) {
		machine_on_step(machine, trace, faults);
	}
}

void
faults_machine_end(struct faults *faults, struct machine *machine)
{
	if (!faults->strikes)
		return;
	machine_on_step(machine, NULL, NULL);
	machine_break(machine, NULL);
}
