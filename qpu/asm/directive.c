/* SPDX-License-Identifier: MIT */
/*
 * directive: the directives that define names, check, include files, and place
 * bytes or copies of instructions; looks up all of them.
 */
#include "config.h"

#include "qpu/asm/assembly.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

/* Variants of .set and .unset. */
enum { LOCAL = 1, CONSTANT = 2 };

/*
 * .set and .const change the innermost symbol of that name, or add one to the
 * global scope; .lset and .lconst look in the current scope only.
 */
static void
run_set(struct assembly *as)
{
	const bool local = as->directive->variant & LOCAL;
	const bool constant = as->directive->variant & CONSTANT;
	const struct asm_token *name;
	struct asm_symbol definition = { .function = NULL };

	if (!asm_expect_name(as, "a name", &name))
		return;
	if (asm_token_is(as->at, '(') && as->at->touches) {
		definition.function = asm_procedure_inline(as, name);
		if (!definition.function)
			return;
	} else {
		asm_accept(as, ',');
		if (!asm_expr(as, &definition.value) || !asm_expect_end(as))
			return;
	}

	struct asm_symbol *symbol = NULL;
	if (!local)
		symbol = asm_symbol_find(&as->symbols, name->text);
	if (!symbol)
		symbol = asm_symbol_add(&as->symbols,
					local ? as->symbols.scope :
						&as->symbols.globals,
					name->text);
	if (symbol->constant) {
		asm_error(as, ASM_E_REDEFINED, name, "'%s' is constant",
			  name->text);
		return;
	}
	symbol->constant = constant;
	symbol->value = definition.value;
	symbol->function = definition.function;
}

static void
run_unset(struct assembly *as)
{
	const bool local = as->directive->variant & LOCAL;
	const struct asm_token *name;

	if (asm_expect_name(as, "a name", &name) && asm_expect_end(as) &&
	    !asm_symbol_remove(&as->symbols, name->text, local))
		asm_error(as, ASM_E_UNDEFINED, name, "'%s' is not defined",
			  name->text);
}

static void
run_assert(struct assembly *as)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!asm_expr(as, &value) || !asm_expect_end(as))
		return;
	if (!asm_value_is_number(&value))
		asm_error(as, ASM_E_EXPRESSION, token, "a number is expected");
	else if ((as->final || !value.unknown) &&
		 (value.type == ASM_FLOAT ? value.f == 0 : value.i == 0))
		asm_error(as, ASM_E_ASSERT, token, "assertion failed");
}

/* .global name[, value]: binaries have no symbols, the name is checked. */
static void
run_global(struct assembly *as)
{
	struct asm_value value;
	const struct asm_token *name;

	asm_accept(as, ':');
	if (!asm_expect_name(as, "a name", &name))
		return;
	struct asm_label *label = asm_label_find(&as->labels, name->text, 0);
	if (label)
		label->is_entry = true;
	if (asm_accept(as, ',')) {
		if (!asm_expr(as, &value))
			return;
	} else if (as->final && !asm_symbol_find(&as->symbols, name->text) &&
		   !label) {
		/* In the first pass a label may come later. */
		asm_error(as, ASM_E_UNDEFINED, name, "'%s' is not defined",
			  name->text);
		return;
	}
	asm_expect_end(as);
}

/* There is one section, the code. */
static void
run_code(struct assembly *as)
{
	asm_expect_end(as);
}

/* The file beside the one that includes it. */
static const struct asm_source *
load_beside(struct assembly *as, const char *name)
{
	const char *file = as->line->file;
	const char *slash = strrchr(file, '/');

	if (name[0] == '/' || !slash)
		return asm_source_load(&as->sources, name);
	return asm_source_load_in(&as->sources, file, slash - file, name);
}

/* "name" is first looked for beside the source, <name> in the directories. */
static const struct asm_source *
find_include(struct assembly *as, const char *name, bool in_angles)
{
	const struct asm_source *source = NULL;
	int error = ENOENT;

	if (!in_angles) {
		source = load_beside(as, name);
		error = errno;
	}
	if (!source)
		source = asm_source_find(&as->sources, name);
	if (!source && in_angles)
		source = load_beside(as, name);
	/* A file that is there says more than one that is not. */
	if (!source && error != ENOENT)
		errno = error;
	if (!source && errno == ENOENT)
		source = asm_source_builtin(&as->sources, name);
	return source;
}

/* Take a name in quotes or in angle brackets; null after a message. */
static const struct asm_token *
expect_file_name(struct assembly *as)
{
	const struct asm_token *token = as->at;

	if (token->type != ASM_TOK_STRING) {
		asm_error(as, ASM_E_ARGUMENT, token,
			  "a file name in quotes or in angle brackets is "
			  "expected");
		return NULL;
	}
	as->at++;
	return asm_expect_end(as) ? token : NULL;
}

static void
run_include(struct assembly *as)
{
	const struct asm_token *token = expect_file_name(as);

	if (!token)
		return;
	if (as->depth >= ASM_DEPTH_MAX) {
		asm_error(as, ASM_E_DEPTH, token,
			  "files include each other without end");
		return;
	}
	const struct asm_source *source =
		find_include(as, token->text, token->op == '>');
	if (!source) {
		/* The next one would have no room. */
		as->stopped = errno == EFBIG;
		asm_error(as, ASM_E_FILE, token, "cannot read '%s': %s",
			  token->text, strerror(errno));
		return;
	}

	struct asm_block lines = { source->lines, source->nlines };
	struct asm_scope scope = { .symbols = NULL };
	as->depth++;
	asm_scope_enter(&as->symbols, &scope);
	asm_run_block(as, &lines);
	asm_scope_leave(&as->symbols);
	as->depth--;
}

/* --- Bytes, and copies of instructions ----------------------------------------- */

/* The variant of .int and its like: the number of bytes; REALS for floats. */
enum { NBYTES = 15, REALS = 16 };

/* IEEE 754 binary16, rounded to nearest, ties to even. */
static uint16_t
half_bits(double value)
{
	const uint16_t sign = signbit(value) ? 0x8000 : 0;
	const double size = fabs(value);
	int exponent;

	if (isnan(value))
		return sign | 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	frexp(size, &exponent);
	if (size == 0 || exponent < -13)
		exponent = -13; /* subnormal: steps of 2^-24 */
	const uint32_t steps = (uint32_t)rint(ldexp(size, 11 - exponent));
	/* A carry out of the fraction ends in the exponent, as it should. */
	return sign | (uint16_t)(((uint32_t)(exponent + 13) << 10) + steps);
}

/* The bits of one datum. */
static bool
data_bits(struct assembly *as, unsigned nbytes, bool reals, uint64_t *bits)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	if (!asm_expr(as, &value))
		return false;
	if (value.address)
		asm_note_address(as);
	if (value.type == ASM_LABEL && !value.relative)
		value.type = ASM_INT;
	if (value.type == ASM_INT && reals)
		value = asm_value_float((double)value.i);
	if (value.type == ASM_FLOAT && nbytes == 2 && reals) {
		*bits = half_bits(value.f);
		return true;
	}
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
	/* Signed or unsigned. */
	const int64_t limit = nbytes < 8 ? (int64_t)1 << 8 * nbytes : 0;
	if (limit && (value.i < -(limit / 2) || value.i >= limit) &&
	    (as->final || !value.unknown))
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
place(struct assembly *as, uint64_t bits, unsigned nbytes)
{
	return asm_output_data(&as->output, bits, nbytes, as->line) ||
	       too_long(as);
}

/* .int and its like: numbers of one size. */
static void
run_numbers(struct assembly *as)
{
	const unsigned nbytes = as->directive->variant & NBYTES;
	const bool reals = as->directive->variant & REALS;

	do {
		uint64_t bits = 0;
		const bool good = data_bits(as, nbytes, reals, &bits);

		if (!place(as, bits, nbytes) || !good)
			return;
	} while (asm_accept(as, ','));
	asm_expect_end(as);
}

/* .word: 16 bits for vc4asm, 32 bits for most assemblers, and here. */
static void
run_word(struct assembly *as)
{
	asm_warning(as, ASM_W_WORD, as->at - 1,
		    ".word is 32 bits, as for most assemblers; vc4asm places "
		    "16 bits: write .int or .short");
	run_numbers(as);
}

/* .bit: eight to a byte, the first one lowest. */
static void
run_bit(struct assembly *as)
{
	uint64_t byte = 0;
	unsigned n = 0;

	do {
		const struct asm_token *token = as->at;
		int64_t bit;

		if (!asm_expr_int(as, &bit))
			return;
		if (bit < 0 || bit > 1) {
			asm_error(as, ASM_E_IMMEDIATE, token,
				  "a bit is 0 or 1");
			return;
		}
		byte |= (uint64_t)bit << n++ % 8;
		if (n % 8 && asm_token_is(as->at, ','))
			continue;
		if (!place(as, byte, 1))
			return;
		byte = 0;
	} while (asm_accept(as, ','));
	asm_expect_end(as);
}

/* Parse what the address shall be modulo the alignment: a number or a label. */
static bool
parse_base(struct assembly *as, int64_t *base)
{
	const struct asm_token *token = as->at;
	struct asm_value value;

	*base = 0;
	if (!asm_accept(as, ','))
		return true;
	if (!asm_expr(as, &value))
		return false;
	if (value.unknown)
		return asm_error(as, ASM_E_UNDEFINED, token + 1,
				 "the label must be above");
	*base = value.i;
	return value.type == ASM_INT || value.type == ASM_LABEL ||
	       asm_error(as, ASM_E_EXPRESSION, token + 1,
			 "a number or a label is expected");
}

/* Fill a gap with zeros up to the next word and then with nops, so that a
 * program can run through it. */
static void
pad(struct assembly *as, int64_t bytes, int64_t base)
{
	struct asm_output *output = &as->output;
	struct qpu_inst nop;

	qpu_inst_nop(&nop, QPU_KIND_ALU);
	const struct asm_word word = {
		.word = qpu_pack(&nop),
		.line = as->line,
		.is_inst = true,
	};
	for (;;) {
		const int64_t addr = asm_output_addr(output);
		const int64_t gap =
			(int64_t)((uint64_t)(base - addr) % (uint64_t)bytes);

		if (!gap) {
			output->align = base ? 0 : bytes;
			return;
		}
		if (!(addr % QPU_INST_BYTES) && gap >= QPU_INST_BYTES ?
			    !asm_output_word(output, &word) && !too_long(as) :
			    !place(as, 0, 1))
			return;
	}
}

/* .align BYTES, BASE */
static void
run_align(struct assembly *as)
{
	const struct asm_token *token = as->at;
	int64_t bytes = QPU_INST_BYTES, base;

	if (as->at->type != ASM_TOK_END && !asm_expr_int(as, &bytes))
		return;
	if (bytes < 0 || bytes > 4096 || (bytes & (bytes - 1)))
		asm_error(as, ASM_E_ARGUMENT, token,
			  "a power of two up to 4096 is expected");
	else if (as->output.inserting)
		asm_error(as, ASM_E_BLOCK, token,
			  ".align cannot be used within .back");
	else if (parse_base(as, &base) && asm_expect_end(as) && bytes)
		pad(as, bytes, base);
}

/* .noschedule, .schedule: the optimiser leaves what is between them as it is. */
static void
run_schedule(struct assembly *as)
{
	as->output.fixed = as->directive->variant;
	as->join.open = false;
	asm_expect_end(as);
}

/* .clone :label, count: the instructions there once more. */
static void
run_clone(struct assembly *as)
{
	const struct asm_token *token = as->at;
	struct asm_value from;
	int64_t count;

	if (!asm_expr(as, &from) || !asm_expect(as, ',') ||
	    !asm_expr_int(as, &count) || !asm_expect_end(as))
		return;
	/* A target that is added to must stay far from the largest integer. */
	if (from.type != ASM_LABEL || from.i % QPU_INST_BYTES || from.i < 0 ||
	    from.i > (int64_t)ASM_WORDS_MAX * QPU_INST_BYTES || count < 0) {
		asm_error(as, ASM_E_ARGUMENT, token,
			  "instructions at a label are expected");
		return;
	}
	for (int64_t i = 0; i < count; i++) {
		const struct asm_word word = {
			.line = as->line,
			.is_clone = true,
			.target = from.i + i * QPU_INST_BYTES,
		};

		if (!asm_output_word(&as->output, &word)) {
			too_long(as);
			return;
		}
	}
}

static const struct asm_directive directives[] = {
	{ "align", run_align, 0 },
	{ "assert", run_assert, 0 },
	{ "bit", run_bit, 0 },
	{ "byte", run_numbers, 1 },
	{ "clone", run_clone, 0 },
	{ "code", run_code, 0 },
	{ "const", run_set, CONSTANT },
	{ "define", run_set, 0 },
	{ "double", run_numbers, 8 | REALS },
	{ "dword", run_numbers, 4 },
	{ "equ", run_set, 0 },
	{ "float", run_numbers, 4 | REALS },
	{ "float16", run_numbers, 2 | REALS },
	{ "float32", run_numbers, 4 | REALS },
	{ "float64", run_numbers, 8 | REALS },
	{ "global", run_global, 0 },
	{ "half", run_numbers, 2 | REALS },
	{ "include", run_include, 0 },
	{ "int", run_numbers, 4 },
	{ "int16", run_numbers, 2 },
	{ "int32", run_numbers, 4 },
	{ "int64", run_numbers, 8 },
	{ "int8", run_numbers, 1 },
	{ "lconst", run_set, LOCAL | CONSTANT },
	{ "long", run_numbers, 8 },
	{ "lset", run_set, LOCAL },
	{ "lunset", run_unset, LOCAL },
	{ "noschedule", run_schedule, true },
	{ "quad", run_numbers, 8 },
	{ "qword", run_numbers, 8 },
	{ "rodata", run_code, 0 },
	{ "schedule", run_schedule, false },
	{ "set", run_set, 0 },
	{ "short", run_numbers, 2 },
	{ "text", run_code, 0 },
	{ "undef", run_unset, 0 },
	{ "unset", run_unset, 0 },
	{ "word", run_word, 4 },
	{ NULL, NULL, 0 },
};

static const struct asm_directive *
find_directive(const char *name)
{
	static const struct asm_directive *const tables[] = {
		asm_block_directives,
		directives,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct asm_directive *row = tables[i]; row->name;
		     row++)
			if (strcmp(row->name, name) == 0)
				return row;
	return NULL;
}

void
asm_directive_run(struct assembly *as)
{
	const struct asm_token *token = as->at++;

	as->directive = find_directive(token->text);
	if (as->directive)
		as->directive->run(as);
	else
		asm_error(as, ASM_E_DIRECTIVE, token, "unknown directive '.%s'",
			  token->text);
}
