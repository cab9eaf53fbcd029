/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/pack.h"
#include "src/base/rows.h"

enum { INST_CLOCKS = 4 };

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

/* Ends the line. */
static void
print_causes(FILE *stream, const uint64_t stall[MACHINE_STALLS])
{
	const char *separator = "  ; stalls: ";

	for (unsigned i = 1; i < MACHINE_STALLS; i++) {
		if (!stall[i])
			continue;
		fprintf(stream, "%s%s %" PRIu64, separator,
			machine_stall_name(i), stall[i]);
		separator = ", ";
	}
	putc('\n', stream);
}
/* Count what the QPU has waited for since its last instruction. */
static void
take_stalls(struct trace *trace, unsigned qpu, uint64_t stall[MACHINE_STALLS])
{
	const uint64_t *totals = machine_qpu_cost(trace->machine, qpu)->stall;

	for (unsigned cause = 0; cause < MACHINE_STALLS; cause++)
		stall[cause] = totals[cause] - trace->stalled[qpu][cause];
	memcpy(trace->stalled[qpu], totals, sizeof(trace->stalled[qpu]));
}

void
trace_step(void *context, const struct machine_step *step)
{
	struct trace *trace = context;
	const struct qpu_linemap_row *row =
		qpu_linemap_find(trace->lines, step->pc);
	uint64_t stall[MACHINE_STALLS];
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
	take_stalls(trace, step->qpu, stall);
	print_causes(trace->stream, stall);
}

static void
print_cost(FILE *stream, const struct machine_cost *cost, bool timed)
{
	uint64_t stalled = 0;

	for (unsigned i = 0; i < MACHINE_STALLS; i++)
		stalled += cost->stall[i];
	fprintf(stream, "%12" PRIu64, cost->executions);
	if (timed)
		fprintf(stream, " %12" PRIu64 " %12" PRIu64,
			INST_CLOCKS * cost->executions + stalled, stalled);
}

struct cost_sum {
	const struct qpu_linemap_row *line;
	struct machine_cost cost;
};

/* Add to the sum of a line; a new one stands after the others. */
static void
add_line(struct cost_table *table, const struct qpu_linemap_row *line,
	 const struct machine_cost *cost)
{
	struct cost_sum *sum;
	size_t i = table->n;

	while (i && !qpu_linemap_same_line(table->sums[i - 1].line, line))
		i--;
	if (!i && !rows_grow(&table->sums, &table->capacity, table->n,
			     sizeof(*sum))) {
		table->lost = true;
		return;
	}
	if (!i) {
		i = ++table->n;
		table->sums[i - 1] = (struct cost_sum){ .line = line };
	}
	sum = &table->sums[i - 1];
	sum->cost.executions += cost->executions;
	for (unsigned k = 0; k < MACHINE_STALLS; k++)
		sum->cost.stall[k] += cost->stall[k];
}

void
cost_table_begin(const struct cost_table *table)
{
	fputs(table->timed ?
		      "  executions       clocks      stalled  (modelled)\n" :
		      "  executions\n",
	      table->stream);
}

void
cost_table_add(struct cost_table *table, uint32_t pc, uint64_t word,
	       const struct machine_cost *cost)
{
	static const struct machine_cost nothing;
	const struct qpu_linemap_row *line = qpu_linemap_find(table->lines, pc);
	char text[TRACE_TEXT_SIZE];

	cost = cost ? cost : &nothing;
	trace_disassemble(word, text);
	print_cost(table->stream, cost, table->timed);
	fprintf(table->stream, "  %08" PRIx32 "  %s", pc, text);
	if (line)
		fprintf(table->stream, "  # %s:%u", line->file, line->line);
	print_causes(table->stream, cost->stall);
	if (line && cost->executions)
		add_line(table, line, cost);
}

bool
cost_table_end(struct cost_table *table)
{
	FILE *const stream = table->stream;

	if (table->n)
		fputs("\nby source line:\n", stream);
	for (size_t i = 0; i < table->n; i++) {
		const struct cost_sum *sum = &table->sums[i];

		print_cost(stream, &sum->cost, table->timed);
		fprintf(stream, "  %s:%u  %s", sum->line->file, sum->line->line,
			sum->line->text);
		print_causes(stream, sum->cost.stall);
	}
	free(table->sums);
	return !table->lost;
}

void
counters_print(FILE *stream, const uint64_t counts[MACHINE_COUNTERS],
	       bool timed)
{
	for (unsigned id = 0; id < MACHINE_COUNTERS; id++) {
		const char *name = machine_counter_name(id);

		if (name && (timed || id == MACHINE_COUNTER_EXECUTING ||
			     id == MACHINE_COUNTER_TMU_QUADS))
			fprintf(stream, "%2u %12" PRIu64 "  %s\n", id,
				counts[id], name);
	}
	if (!timed)
		fputs("(the other counters need --timed)\n", stream);
}

void
cost_print_qpus(FILE *stream, const struct machine *machine, bool timed)
{
	fputs("\nby QPU:\n", stream);
	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++) {
		const struct machine_cost *cost =
			machine_qpu_cost(machine, qpu);

		if (!cost->executions)
			continue;
		print_cost(stream, cost, timed);
		fprintf(stream, "  QPU %u", qpu);
		print_causes(stream, cost->stall);
	}
}

void
message_text(const struct qpu_message *message, char text[MESSAGE_TEXT_SIZE])
{
	static const char *const kinds[] = {
		[QPU_SEVERITY_NOTE] = "",
		[QPU_SEVERITY_WARNING] = "warning ",
		[QPU_SEVERITY_ERROR] = "hazard ",
	};
	char line[16], place[64];

	snprintf(line, sizeof(line), ":%u: ", message->line);
	snprintf(place, sizeof(place), " (QPU %d at 0x%08" PRIx32 ")",
		 message->qpu, (uint32_t)message->address);
	snprintf(text, MESSAGE_TEXT_SIZE, "%s%s%s%s%s%s%s%s%s",
		 message->file ? message->file : "", message->file ? line : "",
		 kinds[message->severity], message->rule,
		 *message->rule ? ": " : "", message->text,
		 message->qpu >= 0 ? place : "",
		 message->source ? "\n    " : "",
		 message->source ? message->source : "");
}
