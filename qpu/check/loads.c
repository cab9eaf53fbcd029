/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/loads.h"

enum { LOOP_CLOCKS = 20, USUAL_MHZ = 250 };

/* The first QPU waits for the others, if there are any, and raises the
 * interrupt. */
static const char first_text[] = "mov r0, unif\n"
				 ":loop\n"
				 "sub.setf r0, r0, 1\n"
				 "brr.anynz -, r:loop\n"
				 "nop\nnop\nnop\n"
				 "mov r1, unif\n"
				 ":wait\n"
				 "mov.setf -, r1\n"
				 "brr.allz -, r:end\n"
				 "nop\nnop\nnop\n"
				 "sacq -, 3\n"
				 "brr -, r:wait\n"
				 "sub r1, r1, 1\n"
				 "nop\nnop\n"
				 ":end\n"
				 "mov irq, 1\n" RIG_END;
static const char other_text[] = "mov r0, unif\n"
				 ":loop\n"
				 "sub.setf r0, r0, 1\n"
				 "brr.anynz -, r:loop\n"
				 "nop\nnop\nnop\n"
				 "srel -, 3\n" RIG_END;

/* Adds 1 to 16 words. */
static const char add_text[] =
	"mov r1, unif\n"
	"shl r0, elem_num, 2\n"
	"add r0, r0, r1\n"
	"mov t0s, r0\n"
	"nop; ldtmu0\n"
	"add r0, r4, 1\n" RIG_STORE("r0", "r1") "mov irq, 1\n" RIG_END;

static const char endless_text[] = ":loop\n"
				   "brr -, r:loop\n"
				   "nop\nnop\nnop\n" RIG_END;

bool
load_busy(struct rig *rig, double ms, unsigned n,
	  struct device_program *programs, struct diag *why)
{
	const uint32_t loops = (uint32_t)(ms * USUAL_MHZ * 1000 / LOOP_CLOCKS);
	uint32_t first, other;

	if (!rig_assemble(rig, first_text, &first, why) ||
	    !rig_assemble(rig, other_text, &other, why))
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct rig_piece uniforms;

		if (!rig_take(rig, RIG_LINE, &uniforms, why))
			return false;
		rig_write(&uniforms, 0, (const uint32_t[]){ loops, n - 1 }, 2);
		programs[i] =
			(struct device_program){ .code = i == 0 ? first : other,
						 .uniforms = uniforms.bus,
						 .results = uniforms.bus };
	}
	return true;
}

bool
load_endless(struct rig *rig, struct device_program *program, struct diag *why)
{
	struct rig_piece uniforms;

	if (!rig_assemble(rig, endless_text, &program->code, why) ||
	    !rig_take(rig, RIG_LINE, &uniforms, why))
		return false;
	program->uniforms = program->results = uniforms.bus;
	program->result_rows = 0;
	return true;
}

bool
load_adder(struct rig *rig, struct load_adder *adder, struct diag *why)
{
	struct rig_piece uniforms;

	adder->program.result_rows = 1;
	if (!rig_assemble(rig, add_text, &adder->program.code, why) ||
	    !rig_take(rig, RIG_LINE, &uniforms, why) ||
	    !rig_take(rig, RIG_LINE, &adder->words, why))
		return false;
	rig_write(&uniforms, 0, &adder->words.bus, 1);
	adder->program.uniforms = uniforms.bus;
	adder->program.results = adder->words.bus;
	return true;
}

void
load_adder_write(const struct load_adder *adder, uint32_t first)
{
	for (uint32_t i = 0; i < LOAD_WORDS; i++)
		adder->words.cpu[i] = first + i;
}

unsigned
load_adder_wrong(const struct load_adder *adder, uint32_t first)
{
	unsigned wrong = 0;

	for (uint32_t i = 0; i < LOAD_WORDS; i++)
		wrong += adder->words.cpu[i] != first + i + 1;
	return wrong;
}
