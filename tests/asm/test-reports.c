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
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "src/tools/hazard_report.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

/* What is written on standard error goes here. */
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

static struct qpu_asm_program
assemble(const char *text)
{
	struct qpu_asm_program program;

	qpu_asm_text("a.qasm", text, strlen(text), NULL, &program);
	return program;
}

static bool
report_words(const struct qpu_asm_program *program, uint64_t ignored)
{
	struct qpu_inst *insts = calloc(program->nwords + 1, sizeof(*insts));
	bool *is_inst = calloc(program->nwords + 1, sizeof(*is_inst));

	if (!insts || !is_inst)
		exit(99);
	for (size_t i = 0; i < program->nwords; i++)
		is_inst[i] = qpu_unpack(program->words[i].word, &insts[i]);
	const bool good = hazard_report_words("a.bin", insts, is_inst,
					      program->nwords, ignored);
	free(insts);
	free(is_inst);
	return good;
}

static uint64_t
read_ignored(const char *lists, struct golden_output *out)
{
	char text[256], *rest = text;
	uint64_t ignored = 0;
	struct diag why;

	snprintf(text, sizeof(text), "%s", lists ? lists : "");
	while (rest && *rest)
		if (!hazard_report_ignore(&ignored, strsep(&rest, "\n"), &why))
			golden_printf(out, "program", "%s\n", why.text);
	return ignored;
}

static void
report(const struct golden_case *c, struct golden_output *out)
{
	struct qpu_asm_program program = assemble(c->input.text);
	const uint64_t ignored =
		read_ignored(golden_section(c, "@ignore"), out);
	bool good;

	begin_catching();
	hazard_report_messages("qpuasm", &program, ignored);
	good = !program.nerrors &&
	       hazard_report_program("a.qasm", &program, ignored);
	end_catching();
	golden_write(out, "program", caught.text, caught.len);
	free(caught.text);
	if (good)
		golden_printf(out, "program", "%zu words\n", program.nwords);
	if (golden_section(c, "words")) {
		begin_catching();
		good = report_words(&program, ignored);
		end_catching();
		golden_write(out, "words", caught.text, caught.len);
		free(caught.text);
		if (good)
			golden_printf(out, "words", "no error\n");
	}
	qpu_asm_free(&program);
}

/* Many findings, each in a line of its own: the list of them grows. */
static void
check_many(void)
{
	char source[4096] = "";
	unsigned nerrors = 0;

	for (unsigned i = 0; i < 50; i++)
		strcat(source, "mov ra1, r0\nmov r0, ra1\n");
	struct qpu_asm_program program = assemble(source);
	begin_catching();
	const bool good = hazard_report_program("a.qasm", &program, 0);
	end_catching();
	for (const char *at = caught.text; (at = strstr(at, ": error: ")); at++)
		nerrors++;
	ok(!good && nerrors == 50, "fifty hazards at fifty lines are reported");
	free(caught.text);
	qpu_asm_free(&program);
}

/* Without any one block of memory there is one message, and no good result. */
static void
run_short_of_memory(void)
{
	struct qpu_asm_program program =
		assemble("mov t0s, r0; ldtmu0\nthrend\nnop\nnop");
	bool good = false, told = true;
	unsigned n = 0;

	while (!good && n++ < 100) {
		begin_catching();
		fault_clear();
		fault_at(FAULT_MEMORY, n, ENOMEM);
		good = hazard_report_program("a.qasm", &program, 0);
		fault_clear();
		end_catching();
		told &= good ||
			strcmp(caught.text, "a.qasm: out of memory\n") == 0;
		free(caught.text);
	}
	ok(good && told && n > 3,
	   "a report without any one of its %u blocks of memory says so",
	   n - 1);
	qpu_asm_free(&program);
}

int
main(void)
{
	golden_run("tests/asm/reports.golden", report);
	check_many();
	balance_test(run_short_of_memory, "a report without memory");
	return tap_done();
}
