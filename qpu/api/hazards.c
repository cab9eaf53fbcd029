/* SPDX-License-Identifier: MIT */
/*
 * hazards: makes messages of what the validator finds in a program; equal
 * findings on one source line become one message.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/api/handle.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/isa.h"
#include "qpu/validate/drm_rules.h"
#include "qpu/validate/validate.h"
#include "src/base/rows.h"

struct finding {
	struct qpu_hazard hazard;
	size_t order; /* in which it was found */
	size_t count; /* of equal ones, or 0 if another one stands for it */
	const char *file;
	size_t line; /* of the source, or the index */
};

struct findings {
	const struct qpu_program *program;
	struct finding *rows;
	size_t n, capacity;
	uint64_t ignored;
	bool is_shader, uses_graphics; /* R14 is then only noted */
	bool out_of_memory;
};

/*
 * Return true for a fragment shader: it unlocks the tile buffer at its end, and
 * has neither the mutex nor DMA, which programs started by the host need for a
 * result.
 */
static bool
is_shader(const struct qpu_program *program)
{
	bool unlocks = false;

	for (size_t i = 0; i < program->n; i++) {
		struct qpu_use use;

		if (!program->is_inst[i])
			continue;
		qpu_use(&program->insts[i], &use);
		if (qpu_use_reads_io(&use, QPU_R_MUTEX) ||
		    qpu_use_writes(&use, QPU_W_MUTEX) ||
		    qpu_use_writes(&use, QPU_W_VPM_ADDR))
			return false;
		unlocks |= program->insts[i].sig == QPU_SIG_SBDONE;
	}
	return unlocks;
}

static void
collect(void *context, const struct qpu_hazard *hazard)
{
	struct findings *all = context;
	const struct qpu_word *word = &all->program->words[hazard->index];

	if (all->ignored >> hazard->rule->id & 1)
		return;
	if (all->is_shader && hazard->rule->id == QPU_RULE_GRAPHICS) {
		all->uses_graphics = true;
		return;
	}
	if (!rows_grow(&all->rows, &all->capacity, all->n,
		       sizeof(*all->rows))) {
		all->out_of_memory = true;
		return;
	}
	all->rows[all->n] = (struct finding){
		.hazard = *hazard,
		.order = all->n,
		.count = 1,
		.file = word->file,
		.line = word->line ? word->line : hazard->index,
	};
	all->n++;
}

/* Findings are equal if they are of one rule, at one place, with one register or
 * unit.  All words of a source line are one place; without a source each word
 * is. */
static int
compare_findings(const struct finding *a, const struct finding *b)
{
	const struct qpu_rule *of_a = a->hazard.rule, *of_b = b->hazard.rule;
	int by_file;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	by_file = a->file == b->file ? 0 : strcmp(a->file, b->file);
	if (by_file)
		return by_file;
	if (of_a->id != of_b->id)
		return of_a->id < of_b->id ? -1 : 1;
	if (of_a != of_b)
		return strcmp(of_a->text, of_b->text);
	return strcmp(a->hazard.detail, b->hazard.detail);
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
merge(struct findings *all)
{
	struct finding **sorted = calloc(all->n + 1, sizeof(*sorted));
	struct finding *first = NULL;

	if (!sorted)
		return false;
	for (size_t i = 0; i < all->n; i++)
		sorted[i] = &all->rows[i];
	qsort(sorted, all->n, sizeof(*sorted), compare_for_sort);
	for (size_t i = 0; i < all->n; i++) {
		struct finding *finding = sorted[i];

		if (!first || compare_findings(first, finding)) {
			first = finding;
			continue;
		}
		/* A warning and a hazard of one word are one finding. */
		first->count += finding->hazard.index !=
				sorted[i - 1]->hazard.index;
		if (finding->hazard.verdict > first->hazard.verdict)
			first->hazard.verdict = finding->hazard.verdict;
		finding->count = 0;
	}
	free(sorted);
	return true;
}

/* A message about an instruction.  It is about all of it, so its column is
 * where its line begins. */
static void
add_at(struct qpu_program *program, size_t index, struct qpu_message message)
{
	const struct qpu_word *word = &program->words[index];
	char text[QPU_DISASM_SIZE];

	message.file = word->file;
	message.line = word->line;
	message.source = word->text;
	message.address = (int64_t)index * QPU_INST_BYTES;
	message.qpu = -1;
	if (word->text) {
		message.column = strspn(word->text, " \t") + 1;
	} else {
		qpu_disasm(&program->insts[index], NULL, text);
		message.source = text;
	}
	messages_add(&program->messages, &message);
}

/* A message about the whole program. */
static void
add_to_all(struct qpu_program *program, enum qpu_severity severity,
	   const char *text)
{
	messages_add(&program->messages,
		     MESSAGE(.severity = severity, .text = text,
			     .file = program->name));
}

static void
add_finding(struct qpu_program *program, const struct finding *finding)
{
	const struct qpu_hazard *hazard = &finding->hazard;
	char text[2 * QPU_DETAIL_SIZE + 200], rule[16];

	snprintf(text, sizeof(text), "%s%s%s", hazard->detail,
		 *hazard->detail ? ": " : "", hazard->rule->text);
	snprintf(rule, sizeof(rule), "%c%u",
		 hazard->rule->id <= QPU_RULE_LAST_R ? 'R' : 'C',
		 hazard->rule->id);
	add_at(program, hazard->index,
	       (struct qpu_message){
		       .severity = hazard->verdict == QPU_HAZARD ?
					   QPU_SEVERITY_ERROR :
					   QPU_SEVERITY_WARNING,
		       .rule = rule,
		       .text = text,
		       .count = finding->count,
	       });
	if (hazard->cause != hazard->index)
		add_at(program, hazard->cause,
		       (struct qpu_message){
			       .severity = QPU_SEVERITY_NOTE,
			       .text = "because of this instruction",
			       .count = 1,
		       });
}

/* False when memory is short. */
static bool
find_hazards(struct qpu_program *program, uint64_t ignored)
{
	struct findings all = {
		.program = program,
		.ignored = ignored,
		.is_shader = is_shader(program),
	};
	bool complete = true;
	const bool good = qpu_validate(program->insts, program->is_inst,
				       program->n, collect, &all, &complete) &&
			  !all.out_of_memory && merge(&all);
	char text[200];

	for (size_t i = 0; good && i < all.n; i++)
		if (all.rows[i].count)
			add_finding(program, &all.rows[i]);
	free(all.rows);
	snprintf(
		text, sizeof(text),
		"not all ways through the program were checked: a subroutine "
		"has more than %d callers, or too many branches stand in delay "
		"slots",
		QPU_WAYS_MAX);
	if (good && !complete)
		add_to_all(program, QPU_SEVERITY_WARNING, text);
	if (good && all.uses_graphics)
		add_to_all(program, QPU_SEVERITY_NOTE,
			   "R14 is off: sbdone, without the mutex and DMA, "
			   "makes it a fragment shader");
	return good;
}

static void
add_drm_refusal(struct qpu_program *program, enum qpu_drm_rule_number number,
		size_t index)
{
	const struct qpu_word *word = qpu_program_word(program, index);
	char text[300], rule[16];

	snprintf(text, sizeof(text), "the kernel's driver vc4: %s",
		 qpu_drm_rules[number].text);
	snprintf(rule, sizeof(rule), "D%u", number + 1);
	struct qpu_message *message = MESSAGE(.severity = QPU_SEVERITY_ERROR,
					      .rule = rule, .text = text,
					      .file = program->name);
	if (word) {
		message->file = word->file;
		message->line = word->line;
		message->source = word->text;
		message->address = (int64_t)index * QPU_INST_BYTES;
	}
	messages_add(&program->messages, message);
}

/* False when memory is short. */
static bool
ask_drm(struct qpu_program *program)
{
	uint64_t *words = calloc(program->n + 1, sizeof(*words));
	enum qpu_drm_verdict verdict = QPU_DRM_NO_MEMORY;
	struct qpu_drm_program accepted;
	enum qpu_drm_rule_number rule = 0;
	size_t index = 0;
	char text[200];

	for (size_t i = 0; words && i < program->n; i++)
		words[i] = program->words[i].word;
	if (words)
		verdict = qpu_drm_check(words, program->n, &accepted, &rule,
					&index);
	free(words);
	if (verdict == QPU_DRM_REFUSED)
		add_drm_refusal(program, rule, index);
	if (verdict != QPU_DRM_ACCEPTED)
		return verdict != QPU_DRM_NO_MEMORY;
	snprintf(text, sizeof(text),
		 "the kernel's driver vc4 accepts it%s; uniforms: %zu, "
		 "lookups: %zu, address words: %zu",
		 accepted.threaded ? ", threaded" : "",
		 accepted.uniform_bytes / sizeof(uint32_t), accepted.nloads,
		 accepted.naddresses);
	qpu_drm_free(&accepted);
	add_to_all(program, QPU_SEVERITY_NOTE, text);
	return true;
}

enum qpu_status
qpu_program_validate(struct qpu_program *program, unsigned rules)
{
	struct messages *messages;
	size_t before;
	bool good = true;

	if (!program)
		return QPU_INVALID;
	messages = &program->messages;
	if (!program->words)
		return messages_refuse(messages, QPU_INVALID,
				       "the program has no words");
	if (!rules || rules & ~(QPU_HAZARDS | QPU_DRM))
		return messages_refuse(messages, QPU_INVALID,
				       "there are no such rules");
	before = messages->errors;
	if (rules & QPU_HAZARDS)
		good = find_hazards(program,
				    program->ignored |
					    (uint64_t) !!(rules & QPU_DRM)
						    << QPU_RULE_GRAPHICS);
	if (good && rules & QPU_DRM && messages->errors == before)
		good = ask_drm(program);
	if (!good || messages->lost)
		return QPU_NO_MEMORY;
	return messages->errors == before ? QPU_OK : QPU_REFUSED;
}
