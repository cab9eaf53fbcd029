/* SPDX-License-Identifier: MIT */
/*
 * hazard_report: prints diagnostics and hazards with their source lines.
 */
#include "config.h"

#include "src/tools/hazard_report.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/rules.h"
#include "qpu/validate/drm.h"
#include "qpu/validate/validate.h"
#include "src/base/plain.h"

/* The line and, under column, a caret; tabs stay tabs so that it fits. */
static void
draw_line(const char *line, unsigned column)
{
	fputs("    ", stderr);
	plain_put(line, stderr);
	fputc('\n', stderr);
	if (!column)
		return;
	fputs("    ", stderr);
	for (unsigned i = 0; i + 1 < column && line[i]; i++)
		fputc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

static void
print_diagnostic(const char *tool, const struct asm_diagnostic *diagnostic)
{
	static const char *const severities[] = {
		[ASM_ERROR] = "error",
		[ASM_WARNING] = "warning",
		[ASM_NOTE] = "note",
	};
	const struct diag *diag = &diagnostic->diag;

	if (*diag->file)
		plain_put_place(diag->file, diag->line, stderr);
	else
		fputs(tool, stderr);
	if (*diag->file && diag->column)
		fprintf(stderr, ":%u", diag->column);
	fprintf(stderr, ": %s: ", severities[diagnostic->severity]);
	plain_put(diag->text, stderr);
	if (diag->rule)
		fprintf(stderr, " [%c%u]",
			diagnostic->severity == ASM_WARNING ? 'W' : 'E',
			diag->rule);
	fputc('\n', stderr);
	if (diagnostic->source)
		draw_line(diagnostic->source, diag->column);
}

/* The bit of the first warning; those of the rules have their numbers. */
enum { WARNING_BIT = 32 };

bool
hazard_report_ignore(void *ignored, const char *list, struct diag *why)
{
	static const struct qpu_rule_range ranges[] = {
		{ 'R', 1, QPU_RULE_LAST_R, 1 },
		{ 'W', ASM_W_FIRST, ASM_W_LAST, WARNING_BIT },
		{ .letter = 0 },
	};

	return qpu_rules_parse(list, ranges, ignored, why);
}

static bool
is_ignored(const struct asm_diagnostic *diagnostic, uint64_t ignored)
{
	const unsigned bit = diagnostic->diag.rule - ASM_W_FIRST + WARNING_BIT;

	return diagnostic->severity == ASM_WARNING && (ignored >> bit & 1);
}

void
hazard_report_messages(const char *tool, const struct qpu_asm_program *program,
		       uint64_t ignored)
{
	size_t shown = 0;

	for (size_t i = 0; i < program->ndiagnostics; i++) {
		if (is_ignored(&program->diagnostics[i], ignored))
			continue;
		print_diagnostic(tool, &program->diagnostics[i]);
		shown += program->diagnostics[i].severity == ASM_ERROR;
	}
	if (shown < program->nerrors)
		fprintf(stderr, "%s: too many errors, %zu not shown\n", tool,
			program->nerrors - shown);
}

/* A hazard that the validator has found. */
struct finding {
	const struct qpu_rule *rule;
	enum qpu_verdict verdict;
	size_t index;
	size_t cause;
	const char *file; /* of the source, or null */
	size_t line;	  /* of the source, or the index */
	char detail[QPU_DETAIL_SIZE];
	size_t order; /* in which it was found */
	size_t count; /* of equal ones; 0: another one stands for it */
};

/* The program that is checked, and the hazards found in it. */
struct context {
	const struct qpu_asm_program *program; /* or null */
	const char *file; /* that was assembled or disassembled */
	const struct qpu_inst *insts;
	uint64_t ignored;
	struct finding *findings;
	size_t n, capacity;
	bool out_of_memory;
};

/* A hazard is about a whole instruction: its column is where that begins. */
static unsigned
first_column(const char *line)
{
	return strspn(line, " \t") + 1;
}

static void
print_place(const struct context *context, size_t index)
{
	const struct qpu_asm_word *words =
		context->program ? context->program->words : NULL;

	if (words) {
		plain_put_place(words[index].file, words[index].line, stderr);
		fprintf(stderr, ":%u: ", first_column(words[index].text));
	} else {
		fprintf(stderr, "%s:0x%zx: ", context->file,
			index * QPU_INST_BYTES);
	}
}

static void
print_inst(const struct context *context, size_t index)
{
	char text[QPU_DISASM_SIZE];

	if (context->program) {
		const char *line = context->program->words[index].text;

		draw_line(line, first_column(line));
		return;
	}
	qpu_disasm(&context->insts[index], NULL, text);
	draw_line(text, 0);
}

static void
print_finding(const struct context *context, const struct finding *finding)
{
	print_place(context, finding->index);
	fprintf(stderr, "%s: %s%s%s [R%u]",
		finding->verdict == QPU_HAZARD ? "error" : "warning",
		finding->detail, *finding->detail ? ": " : "",
		finding->rule->text, finding->rule->id);
	if (finding->count > 1)
		fprintf(stderr, " (%zu times)", finding->count);
	fputc('\n', stderr);
	print_inst(context, finding->index);
	if (finding->cause == finding->index)
		return;
	print_place(context, finding->cause);
	fprintf(stderr, "note: because of this instruction\n");
	print_inst(context, finding->cause);
}

static void
collect(void *data, const struct qpu_hazard *hazard)
{
	struct context *context = data;

	if (context->ignored >> hazard->rule->id & 1)
		return;
	if (context->n == context->capacity) {
		const size_t capacity = 2 * context->capacity + 16;
		void *larger = realloc(context->findings,
				       capacity * sizeof(*context->findings));

		if (!larger) {
			context->out_of_memory = true;
			return;
		}
		context->findings = larger;
		context->capacity = capacity;
	}
	struct finding *finding = &context->findings[context->n];
	*finding = (struct finding){
		.rule = hazard->rule,
		.verdict = hazard->verdict,
		.index = hazard->index,
		.cause = hazard->cause,
		.order = context->n++,
		.count = 1,
	};
	snprintf(finding->detail, sizeof(finding->detail), "%s",
		 hazard->detail);
	if (!context->program) {
		finding->line = hazard->index;
		return;
	}
	finding->file = context->program->words[hazard->index].file;
	finding->line = context->program->words[hazard->index].line;
}

/* All words of a source line are one place; without a source each word is. */
static int
compare_places(const struct finding *a, const struct finding *b)
{
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->file == b->file ? 0 : strcmp(a->file, b->file);
}

/* Findings are equal if they are of one rule, at one place, with one register
 * or unit. */
static int
compare_findings(const struct finding *a, const struct finding *b)
{
	const int by_place = compare_places(a, b);

	if (by_place)
		return by_place;
	if (a->rule->id != b->rule->id)
		return a->rule->id < b->rule->id ? -1 : 1;
	if (a->rule != b->rule)
		return strcmp(a->rule->text, b->rule->text);
	return strcmp(a->detail, b->detail);
}

static int
compare_for_sort(const void *a, const void *b)
{
	const struct finding *x = *(struct finding *const *)a;
	const struct finding *y = *(struct finding *const *)b;
	const int order = compare_findings(x, y);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Let the first of equal findings stand for all, as severe as the worst. */
static bool
merge_findings(struct context *context)
{
	struct finding **sorted = calloc(context->n + 1, sizeof(*sorted));
	struct finding *first = NULL;

	if (!sorted)
		return false;
	for (size_t i = 0; i < context->n; i++)
		sorted[i] = &context->findings[i];
	qsort(sorted, context->n, sizeof(*sorted), compare_for_sort);
	for (size_t i = 0; i < context->n; i++) {
		struct finding *finding = sorted[i];

		if (!first || compare_findings(first, finding)) {
			first = finding;
			continue;
		}
		/* A warning and a hazard of one word are one finding. */
		first->count += finding->index != sorted[i - 1]->index;
		if (finding->verdict > first->verdict)
			first->verdict = finding->verdict;
		finding->count = 0;
	}
	free(sorted);
	return true;
}

static bool
out_of_memory(const char *file)
{
	fprintf(stderr, "%s: out of memory\n", file);
	return false;
}

static bool
check(struct context *context, const bool *is_inst, size_t n)
{
	bool complete, good = true;

	if (!qpu_validate(context->insts, is_inst, n, collect, context,
			  &complete) ||
	    context->out_of_memory || !merge_findings(context)) {
		free(context->findings);
		return out_of_memory(context->file);
	}
	for (size_t i = 0; i < context->n; i++) {
		const struct finding *finding = &context->findings[i];

		if (!finding->count)
			continue;
		print_finding(context, finding);
		good &= finding->verdict != QPU_HAZARD;
	}
	if (!complete)
		fprintf(stderr,
			"%s: warning: not all ways through the program were "
			"checked: a subroutine has more than %d callers, or "
			"too many branches stand in delay slots\n",
			context->file, QPU_WAYS_MAX);
	free(context->findings);
	return good;
}

bool
hazard_report_program(const char *file, const struct qpu_asm_program *program,
		      uint64_t ignored)
{
	const size_t n = program->nwords;
	struct qpu_inst *insts = calloc(n + 1, sizeof(*insts));
	bool *is_inst = calloc(n + 1, sizeof(*is_inst));
	struct context context = {
		.program = program,
		.file = file,
		.insts = insts,
		.ignored = ignored,
	};
	bool good = false;

	if (insts && is_inst) {
		for (size_t i = 0; i < n; i++)
			is_inst[i] =
				program->words[i].is_inst &&
				qpu_unpack(program->words[i].word, &insts[i]);
		good = check(&context, is_inst, n);
	} else {
		out_of_memory(file);
	}
	free(insts);
	free(is_inst);
	return good;
}

bool
hazard_report_words(const char *file, const struct qpu_inst *insts,
		    const bool *is_inst, size_t n, uint64_t ignored)
{
	struct context context = {
		.file = file,
		.insts = insts,
		.ignored = ignored,
	};

	return check(&context, is_inst, n);
}

bool
hazard_report_drm(const char *file, const struct qpu_asm_program *program)
{
	uint64_t *words = calloc(program->nwords + 1, sizeof(*words));
	enum qpu_drm_verdict verdict = QPU_DRM_NO_MEMORY;
	struct qpu_drm_program accepted;
	enum qpu_drm_rule_number rule = 0;
	const struct qpu_asm_word *word = NULL;
	size_t index = 0;

	for (size_t i = 0; words && i < program->nwords; i++)
		words[i] = program->words[i].word;
	if (words)
		verdict = qpu_drm_check(words, program->nwords, &accepted,
					&rule, &index);
	free(words);
	if (verdict == QPU_DRM_NO_MEMORY) {
		out_of_memory(file);
	} else if (verdict == QPU_DRM_ACCEPTED) {
		plain_put(file, stderr);
		fprintf(stderr,
			": note: the kernel's driver vc4 accepts it%s; "
			"uniforms: %zu, lookups: %zu, address words: %zu\n",
			accepted.threaded ? ", threaded" : "",
			accepted.uniform_bytes / sizeof(uint32_t),
			accepted.nloads, accepted.naddresses);
		qpu_drm_free(&accepted);
	} else {
		if (index < program->nwords)
			word = &program->words[index];
		if (word)
			plain_put_place(word->file, word->line, stderr);
		else
			plain_put(file, stderr);
		fprintf(stderr, ": error: the kernel's driver vc4: %s [D%u]\n",
			qpu_drm_rules[rule].text, rule + 1);
		if (word)
			draw_line(word->text, 0);
	}
	return verdict == QPU_DRM_ACCEPTED;
}
