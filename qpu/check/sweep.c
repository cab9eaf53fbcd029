/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "qpu/check/settle.h"

enum { LANES = 16, VECTORS = 64, OPERANDS = LANES * VECTORS };

/* A function, and its operands, whose bits are first + i * step. */
struct function {
	const char *name;
	const char *port;
	double (*value)(double);
	bool relative; /* the relative error counts */
	uint32_t first, step;
};

static double
reciprocal(double x)
{
	return 1 / x;
}

static double
root(double x)
{
	return 1 / sqrt(x);
}

/* The operands are all of one binade, or of two where the function differs. */
static const struct function functions[] = {
	{ "recip 1..2", "recip", reciprocal, true, 0x3f800000, 0x00002001 },
	{ "recipsqrt 1..4", "recipsqrt", root, true, 0x3f800000, 0x00004001 },
	{ "exp 1..2", "exp", exp2, true, 0x3f800000, 0x00002001 },
	{ "exp -2..-1", "exp", exp2, true, 0xbf800000, 0x00002001 },
	{ "log 1..2", "log", log2, false, 0x3f800000, 0x00002001 },
	{ "log 1/4..1", "log", log2, false, 0x3e800000, 0x00004001 },
};

/* The vectors go one after the other through a row of the VPM. */
static const char program_text[] = "mov ra0, unif\n"
				   "mov ra1, unif\n"
				   "shl r0, elem_num, 2\n"
				   "add ra0, ra0, r0\n"
				   "ldi ra2, 64\n" /* vectors */
				   "ldi rb1, 64\n" /* bytes of one */
				   ":vector\n"
				   "mov t0s, ra0\n"
				   "ldtmu0\n"
				   "mov %s, r4\n"
				   "nop\nnop\n"
				   "ldi vw_setup, 0x1a00\n"
				   "mov vpm, r4\n"
				   "ldi vw_setup, 0x80904000\n"
				   "ldi vw_setup, 0xc0000000\n"
				   "mov vw_addr, ra1\n"
				   "mov -, vw_wait\n"
				   "add ra0, ra0, rb1\n"
				   "add ra1, ra1, rb1\n"
				   "sub.setf ra2, ra2, 1\n"
				   "brr.anynz -, r:vector\n"
				   "nop\nnop\nnop\n"
				   "mov irq, 1\n" RIG_END;

static uint32_t
operand(const struct function *function, uint32_t i)
{
	return function->first + i * function->step;
}

static double
float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

static double
error_of(const struct function *function, uint32_t bits, uint32_t result)
{
	const double right = function->value(float_of(bits));
	const double error = float_of(result) - right;

	return function->relative ? error / right : error;
}

static void
print_errors(const struct function *function, const uint32_t *results,
	     FILE *report)
{
	double least = 0, most = 0;

	for (unsigned i = 0; i < OPERANDS; i++) {
		const double error =
			error_of(function, operand(function, i), results[i]);

		if (error < least || error != error)
			least = error;
		if (error > most || error != error)
			most = error;
	}

	const double worst = fmax(-least, most);
	fprintf(report, "%-15s %s error %+.3g to %+.3g, %.1f good bits\n",
		function->name, function->relative ? "relative" : "absolute",
		least, most, worst == 0 ? 24.0 : -log2(worst));
}

static void
print_results(const struct function *function, const uint32_t *results,
	      FILE *raw)
{
	fprintf(raw, "SFU %s, operands from %08" PRIx32 " by %08" PRIx32 "\n",
		function->name, function->first, function->step);
	for (unsigned i = 0; i < OPERANDS; i++)
		fprintf(raw, "%08" PRIx32 "%c", results[i],
			i % 8 == 7 ? '\n' : ' ');
}

static bool
sweep_one(struct rig *rig, const struct function *function, FILE *report,
	  FILE *raw, struct diag *why)
{
	struct device_program program = { .result_rows = VECTORS };
	struct rig_piece operands, results, uniforms;
	uint32_t words[OPERANDS];
	char text[sizeof(program_text) + 16];

	snprintf(text, sizeof(text), program_text, function->port);
	if (!rig_assemble(rig, text, &program.code, why) ||
	    !rig_take(rig, OPERANDS * 4, &operands, why) ||
	    !rig_take(rig, OPERANDS * 4, &results, why) ||
	    !rig_take(rig, 2 * sizeof(uint32_t), &uniforms, why))
		return false;
	for (uint32_t i = 0; i < OPERANDS; i++)
		operands.cpu[i] = operand(function, i);
	uniforms.cpu[0] = operands.bus;
	uniforms.cpu[1] = program.results = results.bus;
	program.uniforms = uniforms.bus;
	if (!rig_run(rig, &program, 1, 0, why))
		return false;
	rig_read(&results, words, OPERANDS);
	print_errors(function, words, report);
	print_results(function, words, raw);
	return true;
}

bool
sweep_print(struct rig *rig, FILE *report, FILE *raw)
{
	struct diag why;

	fputs("\n== SFU (the emulator's is right to 23 bits) ==\n", report);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		settle(report);
		if (!sweep_one(rig, &functions[i], report, raw, &why)) {
			fprintf(report, "%-15s NO ANSWER: %s\n",
				functions[i].name, why.text);
			return false;
		}
	}
	return true;
}
