/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/run_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qpu/isa/pack.h"

void
run_report_counters(const struct machine *machine, bool timed)
{
	for (unsigned id = 0; id < MACHINE_COUNTERS; id++) {
		const char *name = machine_counter_name(id);

		if (name && (timed || id == MACHINE_COUNTER_EXECUTING ||
			     id == MACHINE_COUNTER_TMU_QUADS))
			printf("%2u %12" PRIu64 "  %s\n", id,
			       machine_counter(machine, id), name);
	}
	if (!timed)
		puts("(the other counters need --timed)");
}

static const struct machine_profile_row *
find_row(const struct machine_profile_row *rows, size_t n, uint32_t pc)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (rows[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && rows[low].pc == pc ? &rows[low] : NULL;
}

/* Add all instructions of a program, also those that never ran. */
static struct profile_row *
add_image(struct profile_row *at, const struct run_image *image,
	  const struct trace_lines *lines,
	  const struct machine_profile_row *rows, size_t n)
{
	for (size_t i = 0; i + QPU_INST_BYTES <= image->len;
	     i += QPU_INST_BYTES, at++) {
		const uint32_t pc = image->addr + i;
		const struct machine_profile_row *row =
			find_row(rows, n, pc & MACHINE_BUS_MASK);

		if (row)
			at->cost = *row;
		at->cost.pc = pc;
		at->word = qpu_word_load(image->bytes + i);
		at->line = trace_find_line(lines, pc);
	}
	return at;
}

static struct profile_row *
collect(const struct machine_profile_row *costs, size_t ncosts,
	const struct trace_lines *lines, const struct run_image *images,
	size_t nimages, size_t *n)
{
	struct profile_row *rows, *end;
	size_t most = 0;

	for (size_t i = 0; i < nimages; i++)
		most += images[i].len / QPU_INST_BYTES;
	rows = end = calloc(most + 1, sizeof(*rows));
	for (size_t i = 0; rows && i < nimages; i++)
		if (images[i].code)
			end = add_image(end, &images[i], lines, costs, ncosts);
	*n = end - rows;
	return rows;
}

bool
run_report_profile(const struct machine *machine, bool timed,
		   const struct trace_lines *lines,
		   const struct run_image *images, size_t nimages)
{
	const size_t ncosts = machine_profile(machine, NULL, 0);
	struct machine_profile_row *costs = calloc(ncosts + 1, sizeof(*costs));
	struct profile_row *rows = NULL;
	bool good = false;
	size_t n;

	if (costs) {
		machine_profile(machine, costs, ncosts);
		rows = collect(costs, ncosts, lines, images, nimages, &n);
		good = rows && profile_print(stdout, rows, n, timed);
	}
	if (good)
		profile_print_qpus(stdout, machine, timed);
	free(costs);
	free(rows);
	return good;
}
