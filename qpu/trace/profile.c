/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/trace/profile.h"

#include <inttypes.h>
#include <stdlib.h>

enum { INST_CLOCKS = 4 };

static void
print_cost(FILE *stream, const struct machine_profile_row *cost, bool timed)
{
	uint64_t stalled = 0;

	for (unsigned i = 0; i < MACHINE_STALLS; i++)
		stalled += cost->stall[i];
	fprintf(stream, "%12" PRIu64, cost->executions);
	if (timed)
		fprintf(stream, " %12" PRIu64 " %12" PRIu64,
			INST_CLOCKS * cost->executions + stalled, stalled);
}

static void
print_causes(FILE *stream, const struct machine_profile_row *cost)
{
	const char *separator = "  ; stalls: ";

	for (unsigned i = 1; i < MACHINE_STALLS; i++) {
		if (!cost->stall[i])
			continue;
		fprintf(stream, "%s%s %" PRIu64, separator,
			machine_stall_name(i), cost->stall[i]);
		separator = ", ";
	}
	putc('\n', stream);
}

static void
print_row(FILE *stream, const struct profile_row *row, bool timed)
{
	char text[TRACE_TEXT_SIZE];

	trace_disassemble(row->word, text);
	print_cost(stream, &row->cost, timed);
	fprintf(stream, "  %08" PRIx32 "  %s", row->cost.pc, text);
	if (row->line)
		fprintf(stream, "  # %s:%u", row->line->file, row->line->line);
	print_causes(stream, &row->cost);
}

/* The sum of a line; a new one is added after the others. */
static struct profile_row *
find_line(struct profile_row *sums, size_t *n,
	  const struct qpu_linemap_row *line)
{
	for (size_t i = *n; i-- > 0;)
		if (qpu_linemap_same_line(sums[i].line, line))
			return &sums[i];
	sums[*n].line = line;
	return &sums[(*n)++];
}

static size_t
add_lines(struct profile_row *sums, const struct profile_row *rows, size_t n)
{
	size_t nsums = 0;

	for (size_t i = 0; i < n; i++) {
		struct profile_row *sum;

		if (!rows[i].line || !rows[i].cost.executions)
			continue;
		sum = find_line(sums, &nsums, rows[i].line);
		sum->cost.executions += rows[i].cost.executions;
		for (unsigned k = 0; k < MACHINE_STALLS; k++)
			sum->cost.stall[k] += rows[i].cost.stall[k];
	}
	return nsums;
}

bool
profile_print(FILE *stream, const struct profile_row *rows, size_t n,
	      bool timed)
{
	struct profile_row *sums = calloc(n + 1, sizeof(*sums));
	const bool good = sums;
	const size_t nsums = sums ? add_lines(sums, rows, n) : 0;

	fputs(timed ? "  executions       clocks      stalled  (modelled)\n" :
		      "  executions\n",
	      stream);
	for (size_t i = 0; i < n; i++)
		print_row(stream, &rows[i], timed);
	if (nsums)
		fputs("\nby source line:\n", stream);
	for (size_t i = 0; i < nsums; i++) {
		print_cost(stream, &sums[i].cost, timed);
		fprintf(stream, "  %s:%u  %s", sums[i].line->file,
			sums[i].line->line, sums[i].line->text);
		print_causes(stream, &sums[i].cost);
	}
	free(sums);
	return good;
}
