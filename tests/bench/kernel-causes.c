/* SPDX-License-Identifier: MIT */
/*
 * kernel-causes: where a QPU's clocks go, a row for each kernel: clocks for a
 * block of 16 lanes, by cause.  Modelled, 12 QPUs, lanes placed as the engine
 * places them.  Columns are separated by tabs; the first row has the names.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/kernel/rig.h"

enum { BLOCKS = 400, CLOCKS_PER_INSTRUCTION = 4 };

/* Everything else that a QPU waits for is "other". */
static const enum machine_stall causes[] = { MACHINE_STALL_ICACHE,
					     MACHINE_STALL_UNIFORM,
					     MACHINE_STALL_TMU,
					     MACHINE_STALL_TMU_FULL };

enum { CAUSES = sizeof(causes) / sizeof(*causes) };

static bool
print_row(const struct kernel_program *program)
{
	const struct machine_options options = { .qpus = 12, .timed = true };
	struct rig rig;
	struct diag why;

	if (!rig_open(&rig, program, &options, BLOCKS, &why)) {
		fprintf(stderr, "%s: %s\n", program->name, why.text);
		return false;
	}
	rig_plan_blocks(&rig, BLOCKS);
	if (rig_run(&rig, &why) != MACHINE_DONE) {
		fprintf(stderr, "%s: %s\n", program->name, why.text);
		rig_close(&rig);
		return false;
	}

	const double blocks = (double)rig.qpus * BLOCKS;
	const double issue = CLOCKS_PER_INSTRUCTION / blocks *
			     (double)machine_instructions(rig.machine);
	double other = (double)machine_clocks(rig.machine) / BLOCKS - issue;
	printf("%s\t%.1f", program->name, issue);
	for (size_t i = 0; i < CAUSES; i++) {
		uint64_t stalled = 0;

		for (unsigned qpu = 0; qpu < rig.qpus; qpu++)
			stalled += machine_stalled(rig.machine, qpu, causes[i]);
		printf("\t%.1f", (double)stalled / blocks);
		other -= (double)stalled / blocks;
	}
	printf("\t%.1f\n", other);
	rig_close(&rig);
	return true;
}

int
main(void)
{
	static const char *const names[] = { "simple", "published",
					     "optimised" };

	fputs("kernel\tissue", stdout);
	for (size_t i = 0; i < CAUSES; i++)
		printf("\t%s", machine_stall_name(causes[i]));
	puts("\tother");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!print_row(kernel_program(names[i])))
			return 1;
	return 0;
}
