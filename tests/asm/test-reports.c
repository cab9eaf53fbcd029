/* SPDX-License-Identifier: MIT */
/*
 * Promise: qpuasm and qpudis report what the assembler and the validator find
 * with its place, its line and a caret, what is the same at one place once, and
 * not what is ignored.
 *
 * The input of a case in reports.golden is a source.  Its sections are
 *
 *	program		what qpuasm writes about it on standard error
 *	words		what qpudis writes about its words
 *	@ignore		lists as of --ignore, a line each
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/diag.h"
#include "src/tools/hazard_report.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

/* The captured standard error. */
static struct {
	FILE *stderr;
	char *text;
	size_t len;
} caught;

static void
begin_catching(void)
{
	caught.stderr = stderr;
	stderr = open_memstream(&caught.text, &caught.len);
	if (!stderr)
		exit(99);
}

static void
end_catching(void)
{
	fclose(stderr);
	stderr = caught.stderr;
}

/* Ignore the rules of lists; what is wrong with a list is written, if out is
 * not null, and leaves no message. */
static void
ignore(struct qpu_program *program, const char *lists,
       struct golden_output *out)
{
	char text[256], *rest = text;
	struct diag why;

	snprintf(text, sizeof(text), "%s", lists ? lists : "");
	while (rest && *rest) {
		const char *list = strsep(&rest, "\n");
		struct qpu_program *trial = qpu_program_new();

		if (hazard_report_ignore(&trial, list, &why))
			qpu_program_ignore(program, list);
		else if (out)
			golden_printf(out, "program", "%s\n", why.text);
		qpu_program_free(trial);
	}
}

/* Check a program as qpuasm does, or its words as qpudis does. */
static bool
check(struct qpu_program *program, const char *name, const char *text)
{
	enum qpu_status status =
		qpu_program_assemble_text(program, name, text, strlen(text));

	if (status == QPU_OK)
		status = qpu_program_validate(program, QPU_HAZARDS);
	return hazard_report("qpuasm", program, status, name);
}

static bool
check_words(const struct qpu_program *of, const char *ignored)
{
	struct qpu_program *program = qpu_program_new();
	const size_t n = qpu_program_words(of);
	uint64_t *words = calloc(n + 1, sizeof(*words));

	if (!program || !words)
		exit(99);
	for (size_t i = 0; i < n; i++)
		words[i] = qpu_program_word(of, i)->word;
	ignore(program, ignored, NULL);
	qpu_program_load(program, "a.bin", words, n * sizeof(*words));
	const bool good = hazard_report(
		"qpudis", program, qpu_program_validate(program, QPU_HAZARDS),
		"a.bin");
	free(words);
	qpu_program_free(program);
	return good;
}

static void
report(const struct golden_case *c, struct golden_output *out)
{
	struct qpu_program *program = qpu_program_new();
	bool good;

	ignore(program, golden_section(c, "@ignore"), out);
	begin_catching();
	good = check(program, "a.qasm", c->input.text);
	end_catching();
	golden_write(out, "program", caught.text, caught.len);
	free(caught.text);
	if (good)
		golden_printf(out, "program", "%zu words\n",
			      qpu_program_words(program));
	if (golden_section(c, "words")) {
		begin_catching();
		good = check_words(program, golden_section(c, "@ignore"));
		end_catching();
		golden_write(out, "words", caught.text, caught.len);
		free(caught.text);
		if (good)
			golden_printf(out, "words", "no error\n");
	}
	qpu_program_free(program);
}

/* Many findings, each in a line of its own: the list of them grows. */
static void
check_many(void)
{
	struct qpu_program *program = qpu_program_new();
	char source[4096] = "";
	unsigned nerrors = 0;

	for (unsigned i = 0; i < 50; i++)
		strcat(source, "mov ra1, r0\nmov r0, ra1\n");
	begin_catching();
	const bool good = check(program, "a.qasm", source);
	end_catching();
	for (const char *at = caught.text; (at = strstr(at, ": error: ")); at++)
		nerrors++;
	ok(!good && nerrors == 50, "fifty hazards at fifty lines are reported");
	free(caught.text);
	qpu_program_free(program);
}

/* If memory is short the last line says so, and the result is a failure. */
static enum fault_outcome
report_a_hazard(void)
{
	static const char source[] = "mov t0s, r0; ldtmu0\nthrend\nnop\nnop";
	struct qpu_program *program;
	bool good, told;

	begin_catching();
	program = qpu_program_new();
	good = program ? check(program, "a.qasm", source) :
			 hazard_report("qpuasm", NULL, QPU_NO_MEMORY, "a.qasm");
	fault_clear();
	end_catching();
	told = strstr(caught.text, "out of memory") != NULL;
	free(caught.text);
	qpu_program_free(program);
	return good ? FAULT_WHOLE : told ? FAULT_TOLD : FAULT_WRONG;
}

int
main(void)
{
	golden_run("tests/asm/reports.golden", report);
	check_many();
	fault_each(FAULT_MEMORY, ENOMEM, report_a_hazard, "a report");
	return tap_done();
}
