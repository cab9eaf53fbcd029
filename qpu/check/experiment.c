/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/experiment.h"

#include <inttypes.h>
#include <string.h>

#include "qpu/check/settle.h"

/* Experiments that compute come before those that move data, and those that wait
 * come last: the order is not that of the alphabet. */
/* clang-format off */
const struct experiment experiments[] = {
#include "qpu/check/experiments_float.def"
#include "qpu/check/experiments_pack.def"
#include "qpu/check/experiments_flags.def"
#include "qpu/check/experiments_registers.def"
#include "qpu/check/experiments_hazards.def"
#include "qpu/check/experiments_memory.def"
#include "qpu/check/experiments_dma.def"
#include "qpu/check/experiments_shared.def"
	{ .id = NULL }
};
/* clang-format on */

/* Running one -------------------------------------------------------------- */

enum {
	TEXT_BYTES = 16384,
	VECTOR_BYTES = EXPERIMENT_LANES * sizeof(uint32_t),
	NUMBERS_BYTES = 4096,
	SCRATCH_BYTES = 1 << 15,
	UNIFORMS = 32 /* 4 addresses, then 100, 101, ... */
};

/* What experiment.h promises; a column is 16 rows high. */
static const char macros[] =
	".macro flags\n"
	"mov r0, 0\n"
	"mov.ifc r0, 1\n"
	"or.ifz r0, r0, 2\n"
	"or.ifn r0, r0, 4\n"
	".endm\n"
	".macro put, row, value\n"
	"ldi vw_setup, 0x1a00 | row\n"
	"mov vpm, value\n"
	".endm\n"
	".macro get_by, setup, to\n"
	"nop\nnop\nnop\nnop\n"
	"ldi vr_setup, setup\n"
	"nop\nnop\nnop\n"
	"mov to, vpm\n"
	".endm\n"
	".macro get, to, row\n"
	"get_by 0x101a00 | row, to\n"
	".endm\n"
	".macro load, setup, address\n"
	"ldi vr_setup, setup\n"
	"mov vr_addr, address\n"
	"mov -, vr_wait\n"
	".endm\n"
	".macro store, setup, stride, address\n"
	"ldi vw_setup, setup\n"
	"ldi vw_setup, 0xc0000000 | stride\n"
	"mov vw_addr, address\n"
	"mov -, vw_wait\n"
	".endm\n"
	".macro fetch, to, address\n"
	"load 0x83011280, address\n" /* 16 words to row 40 */
	"get to, 40\n"
	".endm\n";

/* Load the addresses, and the vectors through a TMU. */
static const char prologue[] = "mov ra31, unif\n"
			       "mov rb31, unif\n"
			       "mov ra30, unif\n"
			       "mov rb30, unif\n"
			       "shl r0, elem_num, 2\n"
			       "add r0, r0, rb31\n"
			       "ldi r1, 64\n"
			       "mov t0s, r0\n"
			       "add t0s, r0, r1\n"
			       "mov r0, 0; ldtmu0\n"
			       "mov ra0, r4; ldtmu0\n"
			       "mov rb0, r4\n"
			       "mov r1, 0\n"
			       "mov r2, 0\n"
			       "mov r3, 0\n";

/* Store r0, and end the launch after that. */
static const char epilogue_store[] = "\n" RIG_STORE("r0", "ra31");
static const char epilogue_wait[] = "sacq -, 0\n";
static const char epilogue_other[] = "\nsrel -, 0\n" RIG_END;
static const char epilogue_last[] = "mov irq, 1\n" RIG_END;

static bool
assemble_first(struct rig *rig, const struct experiment *experiment,
	       uint32_t *code, struct diag *why)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s%s%s%s%s%s", macros, prologue,
		 experiment->source, epilogue_store,
		 experiment->other ? epilogue_wait : "", epilogue_last);
	return rig_assemble(rig, text, code, why);
}

static bool
assemble_other(struct rig *rig, const struct experiment *experiment,
	       uint32_t *code, struct diag *why)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s%s%s%s", macros, prologue,
		 experiment->other, epilogue_other);
	return rig_assemble(rig, text, code, why);
}

/* Half k of the numbers (16 bits) is k. */
static bool
take_memory(struct rig *rig, const struct experiment *experiment,
	    struct rig_piece *answer, struct rig_piece *uniforms,
	    struct diag *why)
{
	struct rig_piece vectors, numbers, scratch;

	if (!rig_take(rig, VECTOR_BYTES, answer, why) ||
	    !rig_take(rig, 2 * VECTOR_BYTES, &vectors, why) ||
	    !rig_take(rig, NUMBERS_BYTES, &numbers, why) ||
	    !rig_take(rig, SCRATCH_BYTES, &scratch, why) ||
	    !rig_take(rig, UNIFORMS * sizeof(uint32_t), uniforms, why))
		return false;
	rig_write(&vectors, 0, experiment->a, EXPERIMENT_LANES);
	rig_write(&vectors, EXPERIMENT_LANES, experiment->b, EXPERIMENT_LANES);
	for (uint32_t i = 0; i < NUMBERS_BYTES / 4; i++)
		numbers.cpu[i] = 2 * i | (2 * i + 1) << 16;
	for (uint32_t i = 4; i < UNIFORMS; i++)
		uniforms->cpu[i] = 100 + i - 4;
	rig_write(uniforms, 0,
		  (const uint32_t[]){ answer->bus, vectors.bus, numbers.bus,
				      scratch.bus },
		  4);
	return true;
}

bool
experiment_run(struct rig *rig, const struct experiment *experiment,
	       uint32_t lanes[EXPERIMENT_LANES], struct diag *why)
{
	struct device_program programs[2] = { { .result_rows = 1 } };
	struct rig_piece answer, uniforms;

	if (!assemble_first(rig, experiment, &programs[0].code, why) ||
	    (experiment->other &&
	     !assemble_other(rig, experiment, &programs[1].code, why)) ||
	    !take_memory(rig, experiment, &answer, &uniforms, why))
		return false;
	programs[0].uniforms = programs[1].uniforms = uniforms.bus;
	programs[0].results = answer.bus;
	if (!rig_run(rig, programs, experiment->other ? 2 : 1, 0, why))
		return false;
	rig_read(&answer, lanes, EXPERIMENT_LANES);
	return true;
}

int
experiment_verdict(const struct experiment *experiment,
		   const uint32_t lanes[EXPERIMENT_LANES])
{
	for (int i = 0; i < EXPERIMENT_ANSWERS; i++)
		if (experiment->answers[i].text &&
		    memcmp(experiment->answers[i].lanes, lanes, VECTOR_BYTES) ==
			    0)
			return i;
	return -1;
}

/* The report --------------------------------------------------------------- */

/* The number of experiments by their outcome, for the summary at the end. */
struct tally {
	unsigned as_emulated, other, unknown, need_qpus, left_out;
};

static void
print_words(FILE *to, const uint32_t *lanes)
{
	for (unsigned i = 0; i < EXPERIMENT_LANES; i++)
		fprintf(to, " %08" PRIx32, lanes[i]);
}

static void
print_verdict(const struct experiment *experiment, const uint32_t *lanes,
	      struct tally *tally, FILE *report)
{
	const int verdict = experiment_verdict(experiment, lanes);

	if (verdict == 0) {
		fprintf(report, "%s (as emulated)\n",
			experiment->answers[0].text);
		tally->as_emulated++;
	} else if (verdict > 0) {
		fprintf(report, "%s (NOT as emulated)\n",
			experiment->answers[verdict].text);
		tally->other++;
	} else {
		fputs("none of the answers we know:", report);
		print_words(report, lanes);
		fputc('\n', report);
		tally->unknown++;
	}
}

static bool
print_one(struct rig *rig, const struct experiment *experiment, unsigned id,
	  struct tally *tally, FILE *report, FILE *raw)
{
	uint32_t lanes[EXPERIMENT_LANES];
	struct diag why;

	fprintf(report, "%3u %-9s %s: ", id, experiment->id,
		experiment->question);
	settle(report);
	if (!experiment_run(rig, experiment, lanes, &why)) {
		fprintf(report, "NO ANSWER: %s\n", why.text);
		return false;
	}
	print_verdict(experiment, lanes, tally, report);
	fprintf(raw, "%3u", id);
	print_words(raw, lanes);
	fputc('\n', raw);
	return true;
}

bool
experiments_print(struct rig *rig, bool risky, FILE *report, FILE *raw)
{
	struct tally tally = { 0 };
	const struct experiment *row = experiments;
	bool good = true;

	fprintf(report, "\n== %s ==\n",
		risky ? "Risky experiments" : "Experiments");
	for (unsigned id = 1; good && row->id; row++, id++) {
		if (row->risky != risky)
			tally.left_out++;
		else if (row->other && rig->qpus < 2)
			tally.need_qpus++;
		else
			good = print_one(rig, row, id, &tally, report, raw);
	}
	fprintf(report, "%u as emulated, %u not, %u unknown", tally.as_emulated,
		tally.other, tally.unknown);
	if (tally.need_qpus > 0)
		fprintf(report, ", %u need more QPUs", tally.need_qpus);
	if (!risky && good)
		fprintf(report, ", %u risky ones left for QPU_RISKY=yes",
			tally.left_out);
	fputc('\n', report);
	return good;
}
