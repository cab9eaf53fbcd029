/* SPDX-License-Identifier: MIT */
/*
 * hazards.golden: programs, what the validator finds in their code, and what
 * checking mode finds when they run.  Where one of them alone finds a rule that
 * both know, the case says why.
 *
 * The input is a program whose lines stand on one line, with " | " between
 * them; `end` is the usual end of a program.  The section @words has words
 * instead, which no source gives.  @machine changes the machine: its number of
 * QPUs, the rows of the VPM that are reserved, how many uniforms may be read,
 * and whether clocks are modelled.
 */
#include "config.h"

#include "qpu/isa/rules.h"
#include "qpu/validate/validate.h"
#include "tests/emulator/emu.h"
#include "tests/support/golden.h"

enum { MAX_WORDS = 512, SRQUL = 0x438, VPMBASE = 0x504 };

struct program {
	uint64_t words[MAX_WORDS];
	struct qpu_inst insts[MAX_WORDS];
	bool is_inst[MAX_WORDS];
	size_t n;
};

struct run {
	const struct golden_case *c;
	struct golden_output *out;
	uint32_t code;
	bool in_code[QPU_RULES], in_run[QPU_RULES];
};

/* For each rule, whether a case finds it in code or in a run, and whether a
 * case that is named after it is free of it. */
static bool found_in_code[QPU_RULES], found_in_run[QPU_RULES];
static bool allowed[QPU_RULES];

static void
load_words(const char *text, struct program *program)
{
	char *end;

	for (; *text; text = end + 1) {
		const uint64_t word = strtoull(text, &end, 16);

		program->words[program->n] = word;
		program->is_inst[program->n] =
			qpu_unpack(word, &program->insts[program->n]);
		program->n++;
	}
}

static void
load_source(const struct golden_case *c, struct program *program)
{
	struct qpu_asm_program assembled;
	char source[EMU_SOURCE];

	emu_expand(c->input.text, source);
	if (!qpu_asm_text("t", source, strlen(source), NULL, &assembled)) {
		printf("Bail out! %s:%u: %s\n", c->file, c->line,
		       assembled.diagnostics[0].diag.text);
		exit(99);
	}
	for (size_t i = 0; i < assembled.nwords; i++) {
		program->words[i] = assembled.words[i].word;
		program->is_inst[i] =
			qpu_unpack(program->words[i], &program->insts[i]) &&
			assembled.words[i].is_inst;
	}
	program->n = assembled.nwords;
	qpu_asm_free(&assembled);
}

/* "R1 at 3, because of 2: ra5: TEXT"; a warning in brackets. */
static void
add_static(void *context, const struct qpu_hazard *hazard)
{
	struct run *run = context;
	const bool warning = hazard->verdict == QPU_WARNING;
	char cause[32] = "";

	/* A run on after the end is a fault, not a finding. */
	if (hazard->rule != &qpu_open_end_rule)
		run->in_code[hazard->rule->id] = true;
	if (hazard->cause != hazard->index)
		snprintf(cause, sizeof(cause), ", because of %zu",
			 hazard->cause);
	golden_printf(run->out, "code", "%sR%u at %zu%s: %s%s%s%s\n",
		      warning ? "(" : "", hazard->rule->id, hazard->index,
		      cause, hazard->detail, *hazard->detail ? ": " : "",
		      hazard->rule->text, warning ? ")" : "");
}

static void
check_code(struct run *run, const struct program *program)
{
	bool complete;

	if (!qpu_validate(program->insts, program->is_inst, program->n,
			  add_static, run, &complete))
		golden_printf(run->out, "code", "not checked\n");
	else if (!complete)
		golden_printf(run->out, "code", "incomplete\n");
}

/* "R1 at 3: TEXT" */
static void
add_dynamic(void *context, const struct machine_finding *finding)
{
	struct run *run = context;

	run->in_run[finding->rule] = true;
	golden_printf(run->out, "run", "%s at %u: %s\n", finding->name,
		      (finding->pc - run->code) / 8, finding->text);
}

/* The number after a word of the section @machine, or `otherwise`. */
static unsigned
setting(const struct golden_case *c, const char *word, unsigned otherwise)
{
	const char *text = golden_section(c, "@machine");
	const char *at = text ? strstr(text, word) : NULL;

	return at ? (unsigned)strtoul(at + strlen(word), NULL, 10) : otherwise;
}

/*
 * Uniforms 0 and 1 are the address of data, 2 is 1.  Registers that were never
 * written are of interest only in cases about them.
 */
static void
check_run(struct run *run, const struct program *program)
{
	static const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA,
		1,
	};
	const bool undefined = strncmp(run->c->name, "C22", 3) == 0;
	const struct machine_options options = {
		.check = true,
		.seed = 42,
		.qpus = setting(run->c, "qpus ", 0),
		.timed = setting(run->c, "timed ", 0),
		.ignore = undefined ? 0 : UINT64_C(1) << QPU_RULE_UNDEFINED,
	};
	struct emu emu = emu_open(&options);

	machine_write(emu.machine, SRQUL, setting(run->c, "uniforms ", 0xfff));
	machine_write(emu.machine, VPMBASE, setting(run->c, "rows ", 64) / 4);
	for (size_t i = 0; i < program->n; i++)
		qpu_word_store(emu.memory + EMU_CODE + 8 * i,
			       program->words[i]);
	run->code = EMU_BASE + EMU_CODE;
	emu_program(&emu, run->code, uniforms, 3);
	machine_on_finding(emu.machine, add_dynamic, run);
	machine_launch(emu.machine, emu.programs, 1, &emu.why);
	emu.status = machine_run(emu.machine, 1000, 0, &emu.why);
	if (emu.status != MACHINE_DONE)
		golden_printf(run->out, "run", "%s\n", emu.why.text);
	emu_close(&emu);
}

/* Rules that both know, and one alone has found. */
static void
compare(struct run *run)
{
	bool differ = false;

	for (unsigned rule = 1; rule < QPU_RULES; rule++) {
		if (!qpu_rules[rule].text || !qpu_rules[rule].seen ||
		    run->in_code[rule] == run->in_run[rule])
			continue;
		differ = true;
		golden_printf(run->out, "differ", "R%u only in %s\n", rule,
			      run->in_code[rule] ? "code" : "a run");
	}
	if (differ != (golden_section(run->c, "@because") != NULL))
		golden_printf(run->out, "differ",
			      "@because must say why, and only here\n");
}

static void
count_rules(const struct run *run)
{
	const unsigned named = (unsigned)strtoul(run->c->name + 1, NULL, 10);

	for (unsigned rule = 1; rule < QPU_RULES; rule++) {
		found_in_code[rule] |= run->in_code[rule];
		found_in_run[rule] |= run->in_run[rule];
	}
	/* Numbers are in the names: "R5 allows: ...". */
	if (named < QPU_RULES)
		allowed[named] |= !run->in_code[named] && !run->in_run[named];
}

static void
check_case(const struct golden_case *c, struct golden_output *out)
{
	struct run run = { .c = c, .out = out };
	struct program program = { .n = 0 };
	const char *words = golden_section(c, "@words");

	if (words)
		load_words(words, &program);
	else
		load_source(c, &program);
	check_code(&run, &program);
	check_run(&run, &program);
	compare(&run);
	count_rules(&run);
}

int
main(void)
{
	golden_run("tests/validate/hazards.golden", check_case);
	for (unsigned i = 1; i < QPU_RULES && !getenv("FILTER"); i++) {
		const struct qpu_rule *rule = &qpu_rules[i];

		/* Those of shaders are in tests/emulator/jobs.golden. */
		if (i == QPU_RULE_THREADS || i >= QPU_RULE_TILE_EARLY)
			continue;
		ok((found_in_code[i] || !rule->text) &&
			   (found_in_run[i] || !rule->seen) && allowed[i],
		   "rule %u has cases that break it and one that does not", i);
	}
	return tap_done();
}
