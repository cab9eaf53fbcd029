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

struct findings {
	struct qpu_program *program;
	void *root; /* of a tree of their messages (tsearch(3)) */
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
compare(const void *first, const void *second)
{
	const struct qpu_message *a = &((const struct message *)first)->shown;
	const struct qpu_message *b = &((const struct message *)second)->shown;
	const int64_t at[2] = { a->line ? a->line : a->address,
				b->line ? b->line : b->address };
	int order = (at[0] > at[1]) - (at[0] < at[1]);

	order = order ? order : strcmp(a->text, b->text);
	order = order ? order : strcmp(a->rule, b->rule);
	return order ? order : strcmp(a->file, b->file);
}

/* Let the message of an equal finding stand for one more, as severe as the worst. */
static void
count_again(struct messages *messages, struct message *message,
	    const struct message *key)
{
	/* A warning and a hazard of one word are one finding. */
	message->shown.count += message->last != key->last;
	message->last = key->last;
	if (key->shown.severity > message->shown.severity) {
		message->shown.severity = key->shown.severity;
		messages->errors++;
	}
}

/* Add the message of a finding, and a note about its cause; or count it. */
static void
collect(void *context, const struct qpu_hazard *hazard)
{
	struct findings *all = context;
	struct qpu_program *program = all->program;
	const struct qpu_word *word = &program->words[hazard->index];
	char text[2 * QPU_DETAIL_SIZE + 200], rule[16];
	struct message *message, **found;
	struct message key = { .last = QPU_INST_BYTES *
				       (int64_t)hazard->index };

	if (all->ignored >> hazard->rule->id & 1)
		return;
	if (all->is_shader && hazard->rule->id == QPU_RULE_GRAPHICS) {
		all->uses_graphics = true;
		return;
	}
	snprintf(text, sizeof(text), "%s%s%s", hazard->detail,
		 *hazard->detail ? ": " : "", hazard->rule->text);
	snprintf(rule, sizeof(rule), "%c%u",
		 hazard->rule->id <= QPU_RULE_LAST_R ? 'R' : 'C',
		 hazard->rule->id);
	key.shown = (struct qpu_message){
		.severity = hazard->verdict == QPU_HAZARD ?
				    QPU_SEVERITY_ERROR :
				    QPU_SEVERITY_WARNING,
		.rule = rule,
		.text = text,
		.file = word->file,
		.line = word->line,
		.address = key.last,
	};
	found = tfind(&key, &all->root, compare);
	if (found) {
		count_again(&program->messages, *found, &key);
		return;
	}
	message = program_message(program, hazard->index, key.shown.severity,
				  rule, text);
	all->out_of_memory |= !message ||
			      !tsearch(message, &all->root, compare);
	if (hazard->cause != hazard->index)
		program_message(program, hazard->cause, QPU_SEVERITY_NOTE, "",
				"because of this instruction");
}

/* The messages have the findings. */
static void
forget(void *message)
{
	(void)message;
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

	tdestroy(all.root, forget);
	snprintf(
		text, sizeof(text),
		"not all ways through the program were checked: a subroutine "
		"has more than %d callers, or too many branches stand in delay "
		"slots",
		QPU_WAYS_MAX);
	if (good && !complete)
		program_message(program, program->n, QPU_SEVERITY_WARNING, "",
				text);
	if (good && all.uses_graphics)
		program_message(
			program, program->n, QPU_SEVERITY_NOTE, "",
			"R14 is off: sbdone, without the mutex and DMA, "
			"makes it a fragment shader");
	return good;
}

/* False when memory is short. */
static bool
ask_drm(struct qpu_program *program)
{
	uint64_t *words = program_words(program);
	enum qpu_drm_verdict verdict = QPU_DRM_NO_MEMORY;
	struct qpu_drm_program accepted;
	enum qpu_drm_rule_number rule = 0;
	size_t index = 0;
	char text[300], name[16];

	if (words)
		verdict = qpu_drm_check(words, program->n, &accepted, &rule,
					&index);
	free(words);
	if (verdict == QPU_DRM_REFUSED) {
		snprintf(text, sizeof(text), "the kernel's driver vc4: %s",
			 qpu_drm_rules[rule].text);
		snprintf(name, sizeof(name), "D%u", rule + 1);
		program_message(program, index, QPU_SEVERITY_ERROR, name, text);
	}
	if (verdict != QPU_DRM_ACCEPTED)
		return verdict != QPU_DRM_NO_MEMORY;
	snprintf(text, sizeof(text),
		 "the kernel's driver vc4 accepts it%s; uniforms: %zu, "
		 "lookups: %zu, address words: %zu",
		 accepted.threaded ? ", threaded" : "",
		 accepted.uniform_bytes / sizeof(uint32_t), accepted.nloads,
		 accepted.naddresses);
	qpu_drm_free(&accepted);
	program_message(program, program->n, QPU_SEVERITY_NOTE, "", text);
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
