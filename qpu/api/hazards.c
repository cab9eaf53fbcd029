/* SPDX-License-Identifier: MIT */
/*
 * hazards: makes messages of what the validator finds in a program; equal
 * findings on one source line become one message.
 */
#include "config.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/api/handle.h"
#include "qpu/isa/disasm.h"
#include "qpu/isa/isa.h"
#include "qpu/validate/drm_rules.h"
#include "qpu/validate/validate.h"

/* A finding that has a message, for all that are equal. */
struct finding {
	const struct qpu_rule *rule;
	const char *file;
	size_t line;  /* of the source, or the index */
	size_t index; /* of the last equal one */
	struct qpu_message *message;
	char detail[QPU_DETAIL_SIZE];
};

struct findings {
	struct qpu_program *program;
	void *root; /* of a tree of them (tsearch(3)) */
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

/* Findings are equal if they are of one rule, at one place, with one register or
 * unit.  All words of a source line are one place; without a source each word
 * is. */
static int
compare_findings(const void *first, const void *second)
{
	const struct finding *a = first, *b = second;
	int order = (a->line > b->line) - (a->line < b->line);

	if (!order && a->file != b->file)
		order = strcmp(a->file, b->file);
	if (!order)
		order = (a->rule->id > b->rule->id) -
			(a->rule->id < b->rule->id);
	if (!order && a->rule != b->rule)
		order = strcmp(a->rule->text, b->rule->text);
	return order ? order : strcmp(a->detail, b->detail);
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

/* Add the message of a finding, and a note about its cause. */
static void
add_hazard(struct qpu_program *program, const struct qpu_hazard *hazard)
{
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
	       });
	if (hazard->cause != hazard->index)
		add_at(program, hazard->cause,
		       (struct qpu_message){
			       .severity = QPU_SEVERITY_NOTE,
			       .text = "because of this instruction",
		       });
}

/* Let the message of an equal finding stand for one more, as severe as the worst. */
static void
count_again(struct messages *messages, struct finding *finding,
	    const struct qpu_hazard *hazard)
{
	struct qpu_message *message = finding->message;

	/* A warning and a hazard of one word are one finding. */
	message->count += finding->index != hazard->index;
	finding->index = hazard->index;
	if (hazard->verdict == QPU_HAZARD &&
	    message->severity != QPU_SEVERITY_ERROR) {
		message->severity = QPU_SEVERITY_ERROR;
		messages->errors++;
	}
}

static void
collect(void *context, const struct qpu_hazard *hazard)
{
	struct findings *all = context;
	struct messages *messages = &all->program->messages;
	const struct qpu_word *word = &all->program->words[hazard->index];
	const size_t n = messages->n;
	struct finding *finding, **found;

	if (all->ignored >> hazard->rule->id & 1)
		return;
	if (all->is_shader && hazard->rule->id == QPU_RULE_GRAPHICS) {
		all->uses_graphics = true;
		return;
	}
	finding = malloc(sizeof(*finding));
	if (finding) {
		*finding = (struct finding){
			.rule = hazard->rule,
			.file = word->file,
			.line = word->line ? word->line : hazard->index,
			.index = hazard->index,
		};
		memcpy(finding->detail, hazard->detail,
		       sizeof(finding->detail));
	}
	found = finding ? tsearch(finding, &all->root, compare_findings) : NULL;
	all->out_of_memory |= !found || messages->lost;
	if (!found || *found != finding)
		free(finding);
	if (all->out_of_memory)
		return;
	if (*found != finding) {
		count_again(messages, *found, hazard);
		return;
	}
	add_hazard(all->program, hazard);
	all->out_of_memory = messages->lost;
	finding->message = messages->lost ? NULL : messages->rows[n];
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
			  !all.out_of_memory;
	char text[200];

	tdestroy(all.root, free);
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
