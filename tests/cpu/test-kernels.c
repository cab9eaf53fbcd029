/* SPDX-License-Identifier: MIT */
/*
 * Promise: every kernel that this machine can run computes what the reference
 * computes, reads nothing but its blocks and writes nothing but its lanes.
 * QPU_TESTS=all tries each a hundred times as often.
 */
#include "config.h"

#include "cpu/kernels.h"

#include <stdlib.h>

#include "cpu/features.h"
#include "cpu/sha256.h"
#include "tests/cpu/guarded.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { MOST_BLOCKS = 40, ROUNDS = 40, ALL_ROUNDS = 100 * ROUNDS };

static const char *const place_names[] = { "right after an unreadable page",
					   "right before an unreadable page",
					   "at any alignment" };

struct verdict {
	bool equals_reference;
	bool others_untouched;
};

/* Random states, random data, one length. */
static struct verdict
try_kernel(const struct cpu_kernel *kernel,
	   const struct guarded guarded[CPU_LANES], enum guarded_place place,
	   size_t nblocks)
{
	struct verdict verdict = { true, true };
	uint32_t before[CPU_LANES][SHA256_STATE_WORDS];
	struct cpu_run run;

	for (unsigned lane = 0; lane < CPU_LANES; lane++) {
		/* A kernel has no business beyond its lanes. */
		run.data[lane] =
			lane < kernel->lanes ?
				guarded_blocks(&guarded[lane], place, nblocks) :
				NULL;
		for (int word = 0; word < SHA256_STATE_WORDS; word++)
			before[lane][word] = random_32();
		cpu_run_set_state(&run, kernel, lane, before[lane]);
	}
	cpu_kernel_run(kernel, &run, nblocks);

	for (unsigned lane = 0; lane < CPU_LANES; lane++) {
		uint32_t ours[SHA256_STATE_WORDS];

		cpu_run_get_state(&run, kernel, lane, ours);
		if (lane >= kernel->lanes) {
			verdict.others_untouched &=
				memcmp(before[lane], ours, sizeof(ours)) == 0;
			continue;
		}
		sha256_blocks(before[lane], run.data[lane], nblocks);
		verdict.equals_reference &=
			memcmp(before[lane], ours, sizeof(ours)) == 0;
	}
	return verdict;
}

static void
test_kernel(const struct cpu_kernel *kernel,
	    const struct guarded guarded[CPU_LANES])
{
	const char *tests = getenv("QPU_TESTS");
	const unsigned rounds =
		tests && strcmp(tests, "all") == 0 ? ALL_ROUNDS : ROUNDS;
	bool untouched = true;

	for (enum guarded_place place = GUARDED_AT_START;
	     place <= GUARDED_ANYWHERE; place++) {
		bool reference = true;

		for (unsigned i = 0; i < rounds; i++) {
			const size_t nblocks =
				i < 4 ? i + 1 : random_32() % MOST_BLOCKS + 1;
			const struct verdict verdict =
				try_kernel(kernel, guarded, place, nblocks);

			reference &= verdict.equals_reference;
			untouched &= verdict.others_untouched;
		}
		ok(reference, "%s equals the reference, data %s", kernel->name,
		   place_names[place]);
	}
	ok(untouched, "%s leaves other lanes alone", kernel->name);
}

int
main(void)
{
	const uint32_t features = cpu_features_detect();
	struct guarded guarded[CPU_LANES];

	for (int lane = 0; lane < CPU_LANES; lane++)
		guarded[lane] = guarded_new(MOST_BLOCKS);
	for (const struct cpu_kernel *kernel = cpu_kernels; kernel->name;
	     kernel++) {
		if ((features & kernel->needs) == kernel->needs)
			test_kernel(kernel, guarded);
		else
			tap_skip("%s: not on this CPU", kernel->name);
	}
	return tap_done();
}
