/* SPDX-License-Identifier: MIT */
/*
 * drm.golden: programs, and what the kernel's driver vc4 says about each.
 *
 * The input is a program in the form of hazards.golden.  The section @words has
 * words instead, which no source gives.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/validate/drm.h"
#include "tests/emulator/emu.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

enum { MAX_WORDS = 600 };

static uint64_t words[MAX_WORDS];
static bool seen[QPU_DRM_RULES];

static size_t
load_source(const char *text)
{
	struct qpu_asm_program program;
	char source[EMU_SOURCE];
	size_t n;

	emu_expand(text, source);
	if (!qpu_asm_text("t", source, strlen(source), NULL, &program)) {
		printf("Bail out! %s: %s\n", text,
		       program.diagnostics[0].diag.text);
		exit(99);
	}
	for (n = 0; n < program.nwords && n < MAX_WORDS; n++)
		words[n] = program.words[n].word;
	qpu_asm_free(&program);
	return n;
}

static size_t
load_words(const char *text)
{
	size_t n = 0;
	char *end;

	for (; *text; text = end + 1)
		words[n++] = strtoull(text, &end, 16);
	return n;
}

static void
show_program(struct golden_output *out, const struct qpu_drm_program *program)
{
	golden_printf(out, "verdict", "accepted%s\nuniforms: %zu bytes\n",
		      program->threaded ? ", threaded" : "",
		      program->uniform_bytes);
	for (size_t i = 0; i < program->naddresses; i++)
		golden_printf(out, "verdict", "address: word %" PRIu32 "\n",
			      program->addresses[i]);
	for (size_t i = 0; i < program->nloads; i++) {
		const struct qpu_drm_load *load = &program->loads[i];

		golden_printf(out, "verdict",
			      "%s:", load->direct ? "direct" : "texture");
		for (unsigned k = 0; k < QPU_DRM_PARAMETERS; k++)
			if (load->parameters[k] != QPU_DRM_NONE)
				golden_printf(out, "verdict", " %" PRIu32,
					      load->parameters[k]);
		golden_printf(out, "verdict", "\n");
	}
}

static void
check(const struct golden_case *c, struct golden_output *out)
{
	const char *text = golden_section(c, "@words");
	const size_t n = text ? load_words(text) : load_source(c->input.text);
	struct qpu_drm_program program;
	enum qpu_drm_rule_number rule;
	size_t index;

	if (qpu_drm_check(words, n, &program, &rule, &index) ==
	    QPU_DRM_ACCEPTED) {
		show_program(out, &program);
		qpu_drm_free(&program);
		return;
	}
	seen[rule] = true;
	golden_printf(out, "verdict", "refused at %zu: D%u: %s\n", index,
		      rule + 1, qpu_drm_rules[rule].text);
}

/* Without memory for its blocks, its address or its lookup. */
static void
test_shortage(void)
{
	const size_t n = load_source("ldi r0, 4 | add unif_addr, r0, unif | "
				     "max r1, r2, 0 | min r1, r1, unif | "
				     "add t0s, r1, unif | end");
	struct qpu_drm_program program;
	enum qpu_drm_rule_number rule;
	size_t index;

	for (unsigned nth = 1; nth <= 3; nth++) {
		fault_at(FAULT_MEMORY, nth, ENOMEM);
		ok(qpu_drm_check(words, n, &program, &rule, &index) ==
			   QPU_DRM_NO_MEMORY,
		   "a check whose allocation %u fails says so", nth);
	}
	fault_clear();
	ok(qpu_drm_check(words, n, &program, &rule, &index) == QPU_DRM_ACCEPTED,
	   "the same program is accepted where there is memory");
	qpu_drm_free(&program);
}

int
main(void)
{
	golden_run("tests/validate/drm.golden", check);
	for (unsigned rule = 0; rule < QPU_DRM_RULES; rule++)
		ok(seen[rule], "there is a program that breaks D%u", rule + 1);
	test_shortage();
	return tap_done();
}
