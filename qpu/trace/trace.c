/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/trace/trace.h"

#include <inttypes.h>

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
