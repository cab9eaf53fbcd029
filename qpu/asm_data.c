/* SPDX-License-Identifier: MIT */
/*
 * asm_data: directives that place bytes or copies in the program.
 */
#include "config.h"
#include "qpu/asm_run.h"

#include <string.h>

#include "qpu/asm_expr.h"
#include "qpu/assembly.h"
#include "qpu/isa.h"
#include "qpu/pack.h"

/* Does an integer fit, signed or unsigned, in so many bytes? */
static bool
fits(int64_t value, unsigned nbytes)
{
	if (nbytes == 8)
		return true;
	const int64_t limit = (int64_t)1 << (8 * nbytes);
	return value >= -(limit / 2) && value < limit;
}

/* The bits of one datum; reals is set for .float and .double. */
static bool
data_bits(struct assembly *as, unsigned nbytes, bool reals, uint64_t *bits)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!asm_expr(as, &value))
		return false;
	if (value.type == ASM_LABEL && !value.relative)
		value.type = ASM_INT;
	if (value.type == ASM_INT && reals)
		value = asm_value_float((double)value.i);
	if (value.type == ASM_FLOAT && nbytes == 8) {
		memcpy(bits, &value.f, sizeof(*bits));
		return true;
	}
	if (value.type == ASM_FLOAT && nbytes == 4) {
		uint32_t word;

		asm_value_word(&value, &word);
		*bits = word;
		return true;
	}
	*bits = (uint64_t)value.i;
	if (value.type != ASM_INT)
		return asm_error(as, ASM_E_EXPRESSION, token,
				 "a number is expected");
	if (!fits(value.i, nbytes) && (as->final || !value.unknown))
		return asm_error(as, ASM_E_IMMEDIATE, token,
				 "%lld does not fit in %u byte%s",
				 (long long)value.i, nbytes,
				 nbytes == 1 ? "" : "s");
	return true;
}

static bool
too_long(struct assembly *as)
{
	return asm_error(as, ASM_E_DEPTH, NULL, "the program is too long");
}

static bool
place_data(struct assembly *as, unsigned nbytes, bool reals)
{
	do {
		uint64_t bits = 0;
		const bool good = data_bits(as, nbytes, reals, &bits);

		if (!asm_output_data(&as->output, bits, nbytes, as->line))
			return too_long(as);
		if (!good)
			return false;
	} while (asm_accept(as, ','));
	return asm_expect_end(as);
}

#define DATA(name, nbytes, reals)					\
	static bool							\
	run_##name(struct assembly *as, const struct asm_block *block,	\
		   size_t *next)					\
	{								\
		(void)block;						\
		(void)next;						\
		return place_data(as, nbytes, reals);			\
	}

DATA(byte, 1, false)
DATA(short, 2, false)
DATA(int, 4, false)
DATA(quad, 8, false)
DATA(float, 4, true)
DATA(double, 8, true)

/* .align BYTES: with nops, so that the gap may be run through. */
static bool
run_align(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *token = as->at;
	int64_t bytes = QPU_INST_BYTES;
	struct qpu_inst nop;

	(void)block;
	(void)next;
	if (as->at->type != ASM_TOK_END && !asm_expr_int(as, &bytes))
		return false;
	if (bytes < 1 || bytes > 4096 || (bytes & (bytes - 1)))
		return asm_error(as, ASM_E_ARGUMENT, token,
				 "a power of two up to 4096 is expected");
	if (as->output.inserting)
		return asm_error(as, ASM_E_BLOCK, token,
				 ".align cannot be used within .back");
	qpu_inst_nop(&nop, QPU_KIND_ALU);
	const struct asm_word word = {
		.word = qpu_pack(&nop),
		.line = as->line,
		.is_inst = true,
	};

	while (asm_output_addr(&as->output) % QPU_INST_BYTES &&
	       asm_output_addr(&as->output) % bytes)
		if (!asm_output_data(&as->output, 0, 1, as->line))
			return too_long(as);
	while (asm_output_addr(&as->output) % bytes)
		if (!asm_output_word(&as->output, &word))
			return too_long(as);
	return asm_expect_end(as);
}

/* .clone :label, count: the instructions there once more. */
static bool
run_clone(struct assembly *as, const struct asm_block *block, size_t *next)
{
	const struct asm_token *token = as->at;
	struct asm_value from;
	int64_t count;

	(void)block;
	(void)next;
	if (!asm_expr(as, &from) || !asm_expect(as, ',') ||
	    !asm_expr_int(as, &count) || !asm_expect_end(as))
		return false;
	const int64_t first = from.i / QPU_INST_BYTES;
	const int64_t nwords = as->output.nwords;
	if (from.type != ASM_LABEL || from.unknown || from.i < 0 ||
	    from.i % QPU_INST_BYTES || count < 0 || first > nwords ||
	    count > nwords - first)
		return asm_error(as, ASM_E_ARGUMENT, token,
				 "only instructions above can be cloned");
	for (int64_t i = 0; i < count; i++) {
		const struct asm_word word = as->output.words[first + i];

		if (!asm_output_word(&as->output, &word))
			return too_long(as);
	}
	return true;
}

asm_directive *
asm_data_find(const char *name)
{
	static const struct {
		const char *name;
		asm_directive *run;
	} rows[] = {
		{ "align", run_align },
		{ "byte", run_byte },
		{ "clone", run_clone },
		{ "double", run_double },
		{ "float", run_float },
		{ "int", run_int },
		{ "long", run_int },
		{ "quad", run_quad },
		{ "short", run_short },
		{ "word", run_int },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(name, rows[i].name) == 0)
			return rows[i].run;
	return NULL;
}
