/* SPDX-License-Identifier: MIT */
/*
 * test-pair: the pair kernel is a program that the kernel's driver takes, with
 * the tables that it counts, and fits the instruction cache.  What it hashes,
 * and what a block costs, is tested with the engine (tests/sha/test-chains.c and
 * test-tiles.c).
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

#include "qpu/kernel/pair.h"
#include "qpu/validate/drm_rules.h"
#include "tests/support/tap.h"

enum { ICACHE_INSTRUCTIONS = 512 };

/* Return true if word n of the stream is of this kind. */
static bool
is_kind(uint32_t byte, enum pair_uniform_kind kind)
{
	return byte % 4 == 0 && byte / 4 < pair_nuniforms &&
	       pair_uniforms[byte / 4].kind == kind;
}

/* The driver's counts of the program are those in its tables. */
static void
test_accepted(void)
{
	struct qpu_drm_program program;
	enum qpu_drm_rule_number rule;
	size_t index;
	const enum qpu_drm_verdict verdict =
		qpu_drm_check(pair_code, pair_nwords, &program, &rule, &index);
	bool good;

	ok(verdict == QPU_DRM_ACCEPTED,
	   "pair: accepted by the rules of the kernel's driver");
	if (verdict != QPU_DRM_ACCEPTED)
		return;
	good = program.uniform_bytes == 4 * pair_nuniforms &&
	       program.nloads == pair_nloads && !program.threaded;
	for (size_t i = 0; good && i < program.nloads; i++) {
		const uint32_t *p = program.loads[i].parameters;

		good = program.loads[i].direct &&
		       is_kind(p[0], PAIR_UNIFORM_BASE) &&
		       is_kind(p[1], PAIR_UNIFORM_CLAMP) &&
		       pair_uniforms[p[0] / 4].memory == pair_loads[i] &&
		       pair_uniforms[p[1] / 4].memory == pair_loads[i] &&
		       pair_uniforms[p[0] / 4].word + 4 <=
			       pair_uniforms[p[1] / 4].word;
	}
	for (size_t i = 0; good && i < program.naddresses; i++)
		good = is_kind(4 * program.addresses[i], PAIR_UNIFORM_ADDRESS);
	ok(good, "pair: its tables name the uniforms, lookups and addresses "
		 "that the driver counts");
	qpu_drm_free(&program);
}

int
main(void)
{
	ok(pair_nwords <= ICACHE_INSTRUCTIONS,
	   "pair: the whole program fits the instruction cache");
	test_accepted();
	return tap_done();
}
