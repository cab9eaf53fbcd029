/* SPDX-License-Identifier: MIT */
/*
 * hazards.golden: programs, what the validator finds in their `code`, and what
 * checking mode finds when they `run`; or what both find, at the same
 * instructions and in the same order, in the validator's words.
 *
 * Each line of the input is a program: its lines have " | " between them, and
 * `end` is the usual end of a program.  A finding is one line as in a session,
 * or several below it, after the words "code: " or "run: " where only that one has
 * found it.  A program may begin with a word that no source gives.  @machine
 * changes the machine: its number of QPUs, on how many a program is started, the
 * rows of the VPM that are reserved, how many uniforms may be read, and whether
 * clocks are modelled.
 *
 * drm.golden: programs in the same form, and the verdict of the kernel's driver
 * vc4.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "qpu/abi/v3d.h"
#include "qpu/isa/rules.h"
#include "qpu/validate/drm_rules.h"
#include "qpu/validate/validate.h"
#include "src/base/text.h"
#include "tests/emulator/emu.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"

enum { MAX_WORDS = 600, MOST_PLACES = 64 };

struct program {
	uint64_t words[MAX_WORDS];
	struct qpu_inst insts[MAX_WORDS];
	bool is_inst[MAX_WORDS];
	size_t n;
};

/* The findings of one of the two. */
struct findings {
	struct text text;
	struct {
		unsigned rule, at;
	} places[MOST_PLACES];
	unsigned n;
	bool more; /* the text has more than findings in the words of rules */
};

struct run {
	uint32_t code;
	struct findings in_code, in_run;
	bool rule_in_code[QPU_RULES], rule_in_run[QPU_RULES];
};

static const struct golden_case *case_now;

/* For each rule, whether a case finds it in code or in a run, and whether a
 * case that is named after it is free of it. */
static bool found_in_code[QPU_RULES], found_in_run[QPU_RULES];
static bool allowed[QPU_RULES];

static void
add_word(struct program *program, uint64_t word, bool is_inst)
{
	const size_t n = program->n++;

	if (n == MAX_WORDS)
		exit(99);
	program->words[n] = word;
	program->is_inst[n] = qpu_unpack(word, &program->insts[n]) && is_inst;
}

/* A line may begin with a word that no source gives. */
static void
load(const char *text, struct program *program)
{
	struct qpu_asm_program assembled;
	char source[EMU_SOURCE], *rest;

	program->n = 0;
	if (strncmp(text, "0x", 2) == 0) {
		add_word(program, strtoull(text, &rest, 16), true);
		text = rest + strlen(" | ");
	}
	emu_expand(text, source);
	if (!qpu_asm_text("t", source, strlen(source), NULL, &assembled)) {
		printf("Bail out! %s: %s\n", text, assembled.messages[0].text);
		exit(99);
	}
	for (size_t i = 0; i < assembled.nwords; i++)
		add_word(program, assembled.words[i].word,
			 assembled.words[i].is_inst);
	qpu_asm_free(&assembled);
}

__attribute__((format(printf, 2, 3))) static void
tell(struct findings *findings, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (!text_add(&findings->text, line, strlen(line)))
		exit(99);
}

static void
add_place(struct findings *findings, unsigned rule, unsigned at)
{
	if (findings->n == MOST_PLACES)
		exit(99);
	findings->places[findings->n].rule = rule;
	findings->places[findings->n++].at = at;
}

/* "R1 at 3, because of 2: ra5: TEXT"; a warning in brackets. */
static void
add_static(void *context, const struct qpu_hazard *hazard)
{
	struct run *run = context;
	const bool warning = hazard->verdict == QPU_WARNING;
	const unsigned named = strtoul(case_now->name + 1, NULL, 10);
	char cause[32] = "";

	if (hazard->rule->id == QPU_RULE_NO_FLAGS && named != QPU_RULE_NO_FLAGS)
		return;

	/* A run on after the end is a fault, not a finding. */
	if (hazard->rule != &qpu_open_end_rule)
		run->rule_in_code[hazard->rule->id] = true;
	if (hazard->cause != hazard->index)
		snprintf(cause, sizeof(cause), ", because of %zu",
			 hazard->cause);
	add_place(&run->in_code, hazard->rule->id, (unsigned)hazard->index);
	tell(&run->in_code, "%s%c%u at %zu%s: %s%s%s%s\n", warning ? "(" : "",
	     hazard->rule->id <= QPU_RULE_LAST_R ? 'R' : 'C', hazard->rule->id,
	     hazard->index, cause, hazard->detail, *hazard->detail ? ": " : "",
	     hazard->rule->text, warning ? ")" : "");
}

static void
check_code(struct run *run, const struct program *program)
{
	bool complete;

	if (!qpu_validate(program->insts, program->is_inst, program->n,
			  add_static, run, &complete))
		tell(&run->in_code, "not checked\n");
	else if (!complete)
		tell(&run->in_code, "incomplete\n");
	else
		return;
	run->in_code.more = true;
}

/* "R1 at 3: TEXT" */
static void
add_dynamic(void *context, const struct qpu_message *message)
{
	struct run *run = context;
	const unsigned at = (unsigned)(message->address - run->code) / 8;
	const unsigned rule = qpu_rule_number_of(message->rule);

	if (message->severity == QPU_SEVERITY_NOTE)
		return;
	run->rule_in_run[rule] = true;
	add_place(&run->in_run, rule, at);
	tell(&run->in_run, "%s at %u: %s\n", message->rule, at, message->text);
	if (!strstr(message->text, qpu_rules[rule].seen))
		run->in_run.more = true;
}

/* The number after a word of the section @machine, or `otherwise`. */
static unsigned
setting(const char *word, unsigned otherwise)
{
	const char *text = golden_section(case_now, "@machine");
	const char *at = text ? strstr(text, word) : NULL;

	return at ? (unsigned)strtoul(at + strlen(word), NULL, 10) : otherwise;
}

/*
 * Uniforms 0 and 1 are the address of data, 2 is 1.  What was never written, or was
 * left out at the end, is of interest only in cases about it.
 */
static void
check_run(struct run *run, const struct program *program)
{
	static const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA,
		1,
	};
	const unsigned named = strtoul(case_now->name + 1, NULL, 10);
	const struct machine_options options = {
		.check = true,
		.seed = 42,
		.qpus = setting("qpus ", 0),
		.timed = setting("timed ", 0),
		.mailbox = true,
		.ignore = (UINT64_C(1) << QPU_RULE_UNDEFINED |
			   UINT64_C(1) << QPU_RULE_NO_SETUP |
			   UINT64_C(1) << QPU_RULE_NO_FLAGS |
			   UINT64_C(1) << QPU_RULE_NO_INTERRUPT) &
			  ~(UINT64_C(1) << named),
	};
	struct emu emu = emu_open(&options);

	machine_write(emu.machine, V3D_SRQUL, setting("uniforms ", 0xfff));
	machine_write(emu.machine, V3D_VPMBASE, setting("rows ", 64) / 4);
	for (size_t i = 0; i < program->n; i++)
		qpu_word_store(emu.memory + EMU_CODE + 8 * i,
			       program->words[i]);
	run->code = EMU_BASE + EMU_CODE;
	for (unsigned n = setting("programs ", 1); n > 0; n--)
		emu_program(&emu, run->code, uniforms, 3);
	machine_on_message(emu.machine, add_dynamic, run);
	machine_launch(emu.machine, emu.programs, emu.nprograms, &emu.why);
	emu.status = machine_run(emu.machine, 1000, 0, &emu.why);
	if (emu.status != MACHINE_DONE) {
		tell(&run->in_run, "%s\n", emu.why.text);
		run->in_run.more = true;
	}
	emu_close(&emu);
}

static bool
are_equal(const struct findings *code, const struct findings *run)
{
	if (code->n != run->n || code->more || run->more)
		return false;
	for (unsigned i = 0; i < code->n; i++)
		if (code->places[i].rule != run->places[i].rule ||
		    code->places[i].at != run->places[i].at)
			return false;
	return true;
}

/* Tell what was found, beside the program or in lines below it. */
static void
put(const char *name, const struct text *text)
{
	for (const char *line = text->bytes, *end; text->len && *line;
	     line = end) {
		end = strchr(line, '\n') + 1;
		if (end - text->bytes == (ptrdiff_t)text->len &&
		    line == text->bytes)
			golden_answer("%s%.*s", name, (int)(end - line) - 1,
				      line);
		else
			golden_tell("\n  %s%.*s", name, (int)(end - line) - 1,
				    line);
	}
}

static void
compare(const struct run *run)
{
	if (are_equal(&run->in_code, &run->in_run)) {
		put("", &run->in_code.text);
		return;
	}
	put("code: ", &run->in_code.text);
	put("run: ", &run->in_run.text);
}

static void
count_rules(const struct run *run)
{
	const unsigned named = (unsigned)strtoul(case_now->name + 1, NULL, 10);

	for (unsigned rule = 1; rule < QPU_RULES; rule++) {
		found_in_code[rule] |= run->rule_in_code[rule];
		found_in_run[rule] |= run->rule_in_run[rule];
	}
	/* Numbers are in the names: "R5 allows: ...". */
	if (named < QPU_RULES)
		allowed[named] |= !run->rule_in_code[named] &&
				  !run->rule_in_run[named];
}

static void
check_program(char *line)
{
	struct run run = { 0 };
	struct program program;

	load(line, &program);
	check_code(&run, &program);
	check_run(&run, &program);
	compare(&run);
	count_rules(&run);
	text_free(&run.in_code.text);
	text_free(&run.in_run.text);
}

static void
check_case(const struct golden_case *c, struct golden_output *out)
{
	case_now = c;
	golden_session(c, check_program);
	golden_session_end(out);
}

/* The kernel's rules that a case breaks. */
static bool refused[QPU_DRM_RULES];

static void
show_program(const struct qpu_drm_program *program)
{
	golden_answer("accepted%s", program->threaded ? ", threaded" : "");
	golden_answer("%zu bytes of uniforms", program->uniform_bytes);
	for (size_t i = 0; i < program->naddresses; i++)
		golden_answer("address: word %" PRIu32, program->addresses[i]);
	for (size_t i = 0; i < program->nloads; i++) {
		const struct qpu_drm_load *load = &program->loads[i];

		golden_answer("%s:", load->direct ? "direct" : "texture");
		for (unsigned k = 0; k < QPU_DRM_PARAMETERS; k++)
			if (load->parameters[k] != QPU_DRM_NONE)
				golden_tell(" %" PRIu32, load->parameters[k]);
	}
}

static void
check_drm_program(char *line)
{
	struct program program;
	struct qpu_drm_program accepted;
	enum qpu_drm_rule_number rule;
	size_t index;

	load(line, &program);
	memset(&accepted, 0x5a, sizeof(accepted));
	if (qpu_drm_check(program.words, program.n, &accepted, &rule, &index) ==
	    QPU_DRM_ACCEPTED) {
		show_program(&accepted);
		qpu_drm_free(&accepted);
		return;
	}
	refused[rule] = true;
	golden_answer("refused at %zu: D%u: %s", index, rule + 1,
		      qpu_drm_rules[rule].text);
}

static void
check_drm(const struct golden_case *c, struct golden_output *out)
{
	golden_session(c, check_drm_program);
	golden_session_end(out);
}

/* Without memory for its blocks, its addresses or its lookup. */
static void
test_shortage(void)
{
	struct program program;
	struct qpu_drm_program accepted;
	enum qpu_drm_rule_number rule;
	size_t index;

	load("ldi r0, 4 | add unif_addr, r0, unif | "
	     "max r1, r2, 0 | min r1, r1, unif | "
	     "add t0s, r1, unif | :l | nop | brr.anyz -, r:l | "
	     "nop | nop | nop | end",
	     &program);
	for (unsigned nth = 1; nth <= 3; nth++) {
		fault_at(FAULT_MEMORY, nth, ENOMEM);
		ok(qpu_drm_check(program.words, program.n, &accepted, &rule,
				 &index) == QPU_DRM_NO_MEMORY,
		   "a check whose allocation %u fails says so", nth);
	}
	fault_clear();
	ok(qpu_drm_check(program.words, program.n, &accepted, &rule, &index) ==
		   QPU_DRM_ACCEPTED,
	   "the same program is accepted where there is memory");
	qpu_drm_free(&accepted);
}

int
main(void)
{
	golden_run("tests/validate/hazards.golden", check_case);
	for (unsigned i = 1; i < QPU_RULES && !getenv("FILTER"); i++) {
		const struct qpu_rule *rule = &qpu_rules[i];

		/* Those of shaders are in tests/vc4/lists.golden. */
		if (!rule->id ||
		    (i >= QPU_RULE_TILE_EARLY && i <= QPU_RULE_SHADER_VPM))
			continue;
		ok((found_in_code[i] || !rule->text) &&
			   (found_in_run[i] || !rule->seen) && allowed[i],
		   "rule %u has cases that break it and one that does not", i);
	}
	golden_run("tests/validate/drm.golden", check_drm);
	for (unsigned rule = 0; rule < QPU_DRM_RULES && !getenv("FILTER");
	     rule++)
		ok(refused[rule], "there is a program that breaks D%u",
		   rule + 1);
	test_shortage();
	return tap_done();
}
