/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "qpu/isa/pack.h"

const struct qpu_linemap_row *
trace_find_line(const struct trace_lines *lines, uint32_t pc)
{
	return qpu_linemap_find(&lines->map,
				(pc & MACHINE_BUS_MASK) -
					(lines->base & MACHINE_BUS_MASK));
}

void
trace_disassemble(uint64_t word, char text[TRACE_TEXT_SIZE])
{
	struct qpu_inst inst;

	if (qpu_unpack(word, &inst))
		qpu_disasm(&inst, NULL, text);
	else
		snprintf(text, TRACE_TEXT_SIZE, "(no instruction)");
}

/* Print the lanes that were written and the values; one if all are equal. */
static void
print_result(FILE *stream, const char *alu, unsigned lanes,
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
trace_step(void *context, const struct machine_step *step)
{
	const struct trace *trace = context;
	const struct qpu_linemap_row *row =
		trace_find_line(trace->lines, step->pc);
	char text[TRACE_TEXT_SIZE];

	trace_disassemble(step->word, text);
	fprintf(trace->stream,
		"%8" PRIu64 " qpu%-2u %08" PRIx32 "  %-44s"
		"  z %04x n %04x c %04x",
		step->clock, step->qpu, step->pc, text, step->z, step->n,
		step->c);
	print_result(trace->stream, "add", step->lanes_add, step->add);
	print_result(trace->stream, "mul", step->lanes_mul, step->mul);
	if (row)
		fprintf(trace->stream, "  # %s:%u", row->file, row->line);
	putc('\n', trace->stream);
}

/* Was the rule told of this source line?  From now on it counts as told. */
static bool
was_told(struct findings_told *all, unsigned rule,
	 const struct qpu_linemap_row *row)
{
	struct finding_told *told = all->told;

	for (size_t i = 0; i < all->ntold; i++)
		if (told[i].rule == rule &&
		    qpu_linemap_same_line(told[i].line, row))
			return true;
	/* What cannot be remembered, for want of memory, is told again. */
	told = realloc(told, (all->ntold + 1) * sizeof(*told));
	if (told) {
		all->told = told;
		told[all->ntold++] = (struct finding_told){
			.rule = rule,
			.line = row,
		};
	}
	return false;
}

/* "FILE:LINE: WHAT" and the source line; a text that is too long is cut off. */
static void
put(char text[FINDING_TEXT_SIZE], const struct qpu_linemap_row *row,
    const char *what)
{
	if (row)
		snprintf(text, FINDING_TEXT_SIZE, "%s:%u: %s%s%s", row->file,
			 row->line, what, *row->text ? "\n    " : "",
			 row->text);
	else
		snprintf(text, FINDING_TEXT_SIZE, "%s", what);
}

bool
finding_text(struct findings_told *all, const struct machine_finding *finding,
	     char text[FINDING_TEXT_SIZE])
{
	const struct qpu_linemap_row *row =
		trace_find_line(all->lines, finding->pc);
	char what[FINDING_TEXT_SIZE / 2];

	if (row && was_told(all, finding->rule, row))
		return false;
	snprintf(what, sizeof(what), "%s %s: %s (QPU %u at 0x%08" PRIx32 ")",
		 finding->warning ? "warning" : "hazard", finding->name,
		 finding->text, finding->qpu, finding->pc);
	put(text, row, what);
	return true;
}

bool
place_text(const struct findings_told *all, const struct machine_place *place,
	   char text[FINDING_TEXT_SIZE])
{
	const struct qpu_linemap_row *row =
		trace_find_line(all->lines, place->pc);
	char what[64];

	if (!row)
		return false;
	if (place->waits)
		snprintf(what, sizeof(what), "QPU %u waits for %s", place->qpu,
			 machine_stall_name(place->waits));
	else
		snprintf(what, sizeof(what), "QPU %u is here", place->qpu);
	put(text, row, what);
	return true;
}

void
findings_told_free(struct findings_told *all)
{
	free(all->told);
	all->told = NULL;
	all->ntold = 0;
}
