/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/runreport.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/disasm.h"
#include "qpu/pack.h"

static const struct qpu_linemap_row *
find_line(const struct run_lines *lines, uint32_t pc)
{
	return qpu_linemap_find(&lines->map, (pc & MACHINE_BUS_MASK) -
				(lines->base & MACHINE_BUS_MASK));
}

static void
disassemble(uint64_t word, char text[QPU_DISASM_SIZE])
{
	struct qpu_inst inst;

	if (qpu_unpack(word, &inst))
		qpu_disasm(&inst, NULL, text);
	else
		snprintf(text, QPU_DISASM_SIZE, "(no instruction)");
}

/* Lanes that were written; one value if all have the same. */
static void
trace_result(FILE *stream, const char *alu, unsigned lanes,
	     const uint32_t *values)
{
	bool same = true;

	if (!lanes || !values)
		return;
	for (unsigned i = 1; i < MACHINE_LANES; i++)
		same = same && values[i] == values[0];
	fprintf(stream, "  %s %04x:", alu, lanes);
	for (unsigned i = 0; i < (same ? 1 : MACHINE_LANES); i++)
		fprintf(stream, " %08" PRIx32, values[i]);
}

void
run_report_step(void *context, const struct machine_step *step)
{
	const struct run_report *report = context;
	const struct qpu_linemap_row *row = find_line(report->lines,
						      step->pc);
	char text[QPU_DISASM_SIZE];

	disassemble(step->word, text);
	fprintf(report->trace, "%8" PRIu64 " qpu%-2u %08" PRIx32 "  %-44s"
		"  z %04x n %04x c %04x", step->clock, step->qpu, step->pc,
		text, step->z, step->n, step->c);
	trace_result(report->trace, "add", step->lanes_add, step->add);
	trace_result(report->trace, "mul", step->lanes_mul, step->mul);
	if (row)
		fprintf(report->trace, "  # %s:%u", row->file, row->line);
	putc('\n', report->trace);
}

void
run_report_finding(void *context, const struct machine_finding *finding)
{
	struct run_report *report = context;
	const struct qpu_linemap_row *row = find_line(report->lines,
						      finding->pc);

	report->findings++;
	if (row)
		fprintf(stderr, "%s:%u: ", row->file, row->line);
	fprintf(stderr, "hazard %s%u: %s (QPU %u at 0x%08" PRIx32 ")\n",
		finding->rule <= 20 ? "R" : "C", finding->rule, finding->text,
		finding->qpu, finding->pc);
	if (row && *row->text)
		fprintf(stderr, "    %s\n", row->text);
}

void
run_report_counters(const struct machine *machine, bool timed)
{
	for (unsigned id = 0; id < MACHINE_COUNTER_SOURCES; id++) {
		const char *name = machine_counter_name(id);

		if (name && (timed || id == 16 || id == 24))
			printf("%2u %12" PRIu64 "  %s\n", id,
			       machine_counter(machine, id), name);
	}
	if (!timed)
		puts("(the other counters need --timed)");
}

/* What one row of a listing cost. */
struct cost {
	uint64_t executions;
	uint64_t stall[MACHINE_STALLS];
};

static void
cost_add(struct cost *sum, const struct machine_profile_row *row)
{
	sum->executions += row->executions;
	for (unsigned i = 0; i < MACHINE_STALLS; i++)
		sum->stall[i] += row->stall[i];
}

static uint64_t
cost_clocks(const struct cost *cost)
{
	uint64_t clocks = 4 * cost->executions;

	for (unsigned i = 0; i < MACHINE_STALLS; i++)
		clocks += cost->stall[i];
	return clocks;
}

static void
print_cost(const struct cost *cost, bool timed)
{
	printf("%12" PRIu64, cost->executions);
	if (timed)
		printf(" %12" PRIu64 " %12" PRIu64, cost_clocks(cost),
		       cost_clocks(cost) - 4 * cost->executions);
}

static void
print_causes(const struct cost *cost)
{
	const char *separator = "  ; stalls: ";

	for (unsigned i = 1; i < MACHINE_STALLS; i++) {
		if (!cost->stall[i])
			continue;
		printf("%s%s %" PRIu64, separator, machine_stall_name(i),
		       cost->stall[i]);
		separator = ", ";
	}
	putchar('\n');
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

static void
print_listing(const struct run_image *image, bool timed,
	      const struct run_lines *lines,
	      const struct machine_profile_row *rows, size_t n)
{
	for (size_t at = 0; at + 8 <= image->len; at += 8) {
		const uint32_t pc = image->addr + at;
		const struct machine_profile_row *row =
			find_row(rows, n, pc & MACHINE_BUS_MASK);
		const struct qpu_linemap_row *line = find_line(lines, pc);
		struct cost cost = { .executions = 0 };
		char text[QPU_DISASM_SIZE];

		if (row)
			cost_add(&cost, row);
		disassemble(qpu_word_load(image->bytes + at), text);
		print_cost(&cost, timed);
		printf("  %08" PRIx32 "  %s", pc, text);
		if (line)
			printf("  # %s:%u", line->file, line->line);
		print_causes(&cost);
	}
}

/* Source lines in the order of their first instruction. */
struct line_cost {
	const struct qpu_linemap_row *line;
	struct cost cost;
};

static struct line_cost *
line_find(struct line_cost *sums, size_t *n,
	  const struct qpu_linemap_row *line)
{
	for (size_t i = *n; i-- > 0; )
		if (sums[i].line->line == line->line &&
		    sums[i].line->file == line->file)
			return &sums[i];
	sums[*n].line = line;
	return &sums[(*n)++];
}

static bool
print_lines(bool timed, const struct run_lines *lines,
	    const struct machine_profile_row *rows, size_t n)
{
	struct line_cost *sums = calloc(lines->map.nrows + 1, sizeof(*sums));
	size_t nsums = 0;

	if (!sums)
		return false;
	for (size_t i = 0; i < lines->map.nrows; i++) {
		const struct qpu_linemap_row *line = &lines->map.rows[i];
		const struct machine_profile_row *row =
			find_row(rows, n, (line->addr + lines->base) &
					  MACHINE_BUS_MASK);

		if (row)
			cost_add(&line_find(sums, &nsums, line)->cost, row);
	}
	puts("\nby source line:");
	for (size_t i = 0; i < nsums; i++) {
		print_cost(&sums[i].cost, timed);
		printf("  %s:%u  %s", sums[i].line->file, sums[i].line->line,
		       sums[i].line->text);
		print_causes(&sums[i].cost);
	}
	free(sums);
	return true;
}

bool
run_report_profile(const struct machine *machine, bool timed,
		   const struct run_lines *lines,
		   const struct run_image *images, size_t nimages)
{
	const size_t n = machine_profile(machine, NULL, 0);
	struct machine_profile_row *rows = calloc(n + 1, sizeof(*rows));
	bool good = true;

	if (!rows)
		return false;
	machine_profile(machine, rows, n);
	puts(timed ? "  executions       clocks      stalled  (modelled)"
		   : "  executions");
	for (size_t i = 0; i < nimages; i++)
		if (images[i].code)
			print_listing(&images[i], timed, lines, rows, n);
	if (lines->map.nrows)
		good = print_lines(timed, lines, rows, n);
	free(rows);
	return good;
}
