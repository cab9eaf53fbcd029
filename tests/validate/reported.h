/* SPDX-License-Identifier: MIT */
/*
 * reported: all that the validator says of a program, as one text.
 */
#ifndef TESTS_VALIDATE_REPORTED_H
#define TESTS_VALIDATE_REPORTED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"
#include "tests/support/tap.h"

enum { MAX_INSTS = 64, REPORTED_SIZE = 1024 };

static inline size_t
load_source(const char *source, struct qpu_inst insts[MAX_INSTS],
	    bool is_inst[MAX_INSTS])
{
	struct qpu_asm_program program;
	size_t n = 0;

	if (qpu_asm_text("t", source, strlen(source), NULL, &program))
		for (; n < program.nwords && n < MAX_INSTS; n++)
			is_inst[n] =
				qpu_unpack(program.words[n].word, &insts[n]) &&
				program.words[n].is_inst;
	else
		tap_note("%s", program.messages[0].diag.text);
	qpu_asm_free(&program);
	return n;
}

/* "R1 at 3 by 2: ra5. " of a hazard; a warning in brackets. */
static inline void
add_reported(void *context, const struct qpu_hazard *hazard)
{
	char *text = context;
	const bool warning = hazard->verdict == QPU_WARNING;
	const size_t len = strlen(text);

	snprintf(text + len, REPORTED_SIZE - len, "%s%sR%u at %zu by %zu%s%s%s",
		 len ? " " : "", warning ? "(" : "", hazard->rule->id,
		 hazard->index, hazard->cause, *hazard->detail ? ": " : "",
		 hazard->detail, warning ? ")" : ".");
}

/* Of a source, or of one word where it is null. */
static inline void
reported_of(const char *source, uint64_t word, char text[REPORTED_SIZE])
{
	struct qpu_inst insts[MAX_INSTS];
	bool is_inst[MAX_INSTS], complete = false;
	const size_t n = source ? load_source(source, insts, is_inst) :
				  (is_inst[0] = qpu_unpack(word, &insts[0]));

	*text = '\0';
	if (!n ||
	    !qpu_validate(insts, is_inst, n, add_reported, text, &complete))
		snprintf(text, REPORTED_SIZE, "not checked");
	else if (!complete)
		strncat(text, " incomplete", REPORTED_SIZE - strlen(text) - 1);
}

struct reported_row {
	unsigned rule;
	const char *what;
	const char *source; /* or null */
	uint64_t word;	    /* what no source gives */
	const char *reported;
};

/* Does a row's program break the rule, or is it worth a warning? */
static inline bool
row_complains(const struct reported_row *row)
{
	char name[16];

	snprintf(name, sizeof(name), "R%u ", row->rule);
	return strstr(row->reported, name);
}

static inline void
check_rows(const struct reported_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[REPORTED_SIZE];

		reported_of(rows[i].source, rows[i].word, text);
		is(text, rows[i].reported, "R%u %s: %s", rows[i].rule,
		   row_complains(&rows[i]) ? "complains" : "passes",
		   rows[i].what);
	}
}

/* Every rule of the tables has a program on either side. */
static inline void
check_coverage(unsigned first, unsigned last, const struct reported_row *rows,
	       size_t n)
{
	for (unsigned rule = first; rule <= last; rule++) {
		bool passes = false, complains = false;

		if (!qpu_rules[rule].text)
			continue;

		for (size_t i = 0; i < n; i++) {
			if (rows[i].rule != rule)
				continue;
			complains |= row_complains(&rows[i]);
			passes |= !row_complains(&rows[i]);
		}
		ok(passes && complains, "R%u is tested both ways", rule);
	}
}

#endif
