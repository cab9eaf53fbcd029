/* SPDX-License-Identifier: MIT */
/* machine_faults: faults of QPUs and caches while programs run (faults.h). */
#include "config.h"

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/pi/faults.h"

enum {
	TMU_LINES = 64,
	LINE_WORDS = 16,
	FILES = 3,
	/* Assumed of a QPU in a run of unknown length. */
	SOME_INSTRUCTIONS = 4000
};

/* After each instruction ---------------------------------------------------- */

/* Spoil the result of an addition in the faulty lane if the sum's lower bits equal
 * faults->sum. */
static void
spoil_sum(struct faults *faults, const struct machine_step *step)
{
	struct qpu_inst inst;

	if (!step->add || !(step->lanes_add >> faults->lane & 1) ||
	    (step->add[faults->lane] & faults->sum_mask) != faults->sum ||
	    !qpu_unpack(step->word, &inst) || inst.kind > QPU_KIND_SMALL ||
	    inst.op_add != QPU_ADD_ADD)
		return;
	if (inst.waddr_add < 32)
		machine_register(faults->machine, step->qpu, inst.ws,
				 inst.waddr_add)[faults->lane] ^= faults->stuck;
	else if (inst.waddr_add <= QPU_W_R3)
		machine_register(faults->machine, step->qpu, 2,
				 inst.waddr_add - QPU_W_R0)[faults->lane] ^=
			faults->stuck;
}

/* Clear what the mul ALU has packed into one part of a register of file A.  The
 * seed chooses the part. */
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
			machine_register(faults->machine, step->qpu, 0,
					 inst.waddr_mul)[lane] ^=
				step->mul[lane] & parts[part].bits;
}

static void
stick_register(struct faults *faults, const struct machine_step *step)
{
	(void)step;
	uint32_t *word = &machine_register(faults->machine, faults->qpu,
					   faults->file,
					   faults->number)[faults->lane];

	*word ^= (*word ^ faults->value) & faults->stuck;
}

/* Once, at a moment ----------------------------------------------------------- */

/* Count a step of the QPU.  Return true if it is the one after which the fault acts. */
static bool
count_to_moment(struct faults *faults)
{
	return ++faults->steps == faults->moment;
}

static void
stop_tracing(const struct faults *faults)
{
	machine_on_step(faults->machine, NULL, NULL);
}

static void
flip_register(struct faults *faults, const struct machine_step *step)
{
	(void)step;
	if (!count_to_moment(faults))
		return;
	machine_register(faults->machine, faults->qpu, faults->file,
			 faults->number)[faults->lane] ^= faults->stuck;
	stop_tracing(faults);
}

static unsigned
registers_of_file(unsigned file)
{
	return file == 2 ? 6 : 32;
}

/* Undo the next instruction after the moment in one lane: save the lane's
 * registers at the moment, and restore them after that instruction. */
static void
miss_instruction(struct faults *faults, const struct machine_step *step)
{
	const bool begins = count_to_moment(faults);

	(void)step;
	if (faults->steps < faults->moment)
		return;
	for (unsigned file = 0; file < FILES; file++)
		for (unsigned i = 0; i < registers_of_file(file); i++) {
			uint32_t *kept = &faults->registers[file][i];
			uint32_t *now = &machine_register(faults->machine,
							  faults->qpu, file,
							  i)[faults->lane];

			if (begins)
				*kept = *now;
			else
				*now = *kept;
		}
	if (!begins)
		stop_tracing(faults);
}

/* The table ------------------------------------------------------------------ */

/* What a fault does: a function that is called after each instruction of the faulty
 * QPU, or of all, and how many bits of a sum it looks at; caches that are not
 * cleared, or stuck bits of a cache. */
static const struct act {
	void (*step)(struct faults *, const struct machine_step *);
	bool all;
	unsigned sum_bits;
	unsigned kept;
	bool sticks;
} acts[PI_FAULTS] = {
	[PI_REGISTER_BIT] = { .step = flip_register },
	[PI_REGISTER_STUCK] = { .step = stick_register },
	[PI_MISSED] = { .step = miss_instruction },
	[PI_ADDER_16] = { .step = spoil_sum, .sum_bits = 16 },
	[PI_ADDER_20] = { .step = spoil_sum, .sum_bits = 20 },
	[PI_MUL_PACK] = { .step = spoil_pack, .all = true },
	[PI_CACHES_KEPT] = { .kept = MACHINE_CACHES },
	[PI_L2_KEPT] = { .kept = MACHINE_L2 },
	[PI_TMU_BIT] = { .sticks = true },
};

static void
act_on_step(void *context, const struct machine_step *step)
{
	struct faults *faults = context;

	acts[faults->fault.kind].step(faults, step);
}

void
faults_before_clear(const struct faults *faults, struct machine *machine,
		    uint64_t number)
{
	const enum pi_fault_kind kind = faults->fault.kind;
	const struct machine_defect defect = { .kept = acts[kind].kept };

	if (acts[kind].kept)
		machine_inject(machine, faults_strike(faults, kind, number) ?
						&defect :
						NULL);
}

void
faults_machine_begin(struct faults *faults, const struct faults_run *run)
{
	const struct act *act = &acts[faults->fault.kind];
	struct machine_defect defect;

	faults->machine = run->machine;
	faults->steps = 0;
	faults->file = (unsigned)faults_random(faults, 9) / 4;
	faults->number = (unsigned)faults_random(
		faults, registers_of_file(faults->file));
	faults_choose_stuck(faults);
	faults->sum_mask = (UINT32_C(1) << act->sum_bits) - 1;
	faults->sum = (uint32_t)faults_random(faults, 1 << 20) &
		      faults->sum_mask;
	faults->moment =
		1 +
		faults_random(faults, run->expected ?
					      run->expected / run->qpus + 1 :
					      SOME_INSTRUCTIONS);
	defect = (struct machine_defect){
		.bits = faults->stuck,
		.value = faults->value,
		.unit = faults->qpu / 4 * 2 + faults->number % 2,
		.line = (unsigned)faults_random(faults, TMU_LINES),
		.word = faults->number % LINE_WORDS
	};
	if (act->step)
		machine_on_step(run->machine, act_on_step, faults);
	if (act->step && !act->all)
		machine_trace_only(run->machine, 1u << faults->qpu);
	if (act->sticks)
		machine_inject(run->machine, &defect);
}

void
faults_machine_end(struct faults *faults, const struct faults_run *run)
{
	const struct act *act = &acts[faults->fault.kind];

	if (act->step)
		machine_on_step(run->machine, NULL, NULL);
	else if (act->sticks)
		machine_inject(run->machine, NULL);
}
