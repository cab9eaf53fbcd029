/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/trace/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/outfile.h"

/* The rows are the QPUs by number, then these. */
enum { ROW_LOAD = MACHINE_QPUS, ROW_STORE, INST_CLOCKS = 4 };

/* Begin an event of a row: what is common to all of them. */
static void
begin_event(const struct timeline *timeline, struct json *json,
	    const char *phase, unsigned row, const char *category,
	    const char *name)
{
	*json = (struct json){ .failed = false };
	json_open(json);
	json_text(json, "ph", phase);
	json_number(json, "pid", timeline->of.process.number);
	json_number(json, "tid", row);
	json_text(json, "cat", category);
	json_text(json, "name", name);
}

/* Write an event, with the line that ends the one before it. */
static void
end_event(struct timeline *timeline, struct json *json, const char *separator)
{
	if (json_close(json)) {
		fprintf(timeline->of.stream, "%s\n", separator);
		fwrite(json->text.bytes, 1, json->text.len - 1,
		       timeline->of.stream);
	} else {
		timeline->lost = true;
	}
	json_free(json);
}

static void
put_time(const struct timeline *timeline, struct json *json, const char *key,
	 uint64_t clocks)
{
	json_decimal(json, key, clocks * 1000 / timeline->of.process.clock_mhz,
		     3);
}

/* The times of an event, and the begin of its arguments. */
static void
put_duration(const struct timeline *timeline, struct json *json, uint64_t start,
	     uint64_t end)
{
	put_time(timeline, json, "ts", start);
	put_time(timeline, json, "dur", end - start);
	json_object(json, "args");
	json_number(json, "clocks", end - start);
}

/* Address and source line, if it is known, as the last arguments. */
static void
put_place(struct json *json, uint32_t pc, const struct qpu_linemap_row *line)
{
	char address[16];

	snprintf(address, sizeof(address), "%08" PRIx32, pc);
	json_text(json, "pc", address);
	if (line)
		json_text(json, "source",
			  line->text + strspn(line->text, " \t"));
	json_object_end(json);
}

/* Name the process, or one of its rows. */
static void
put_name(struct timeline *timeline, const char *what, unsigned row,
	 const char *name, const char *separator)
{
	struct json json;

	begin_event(timeline, &json, "M", row, "", what);
	json_object(&json, "args");
	json_text(&json, "name", name);
	json_object_end(&json);
	end_event(timeline, &json, separator);
}

static void
put_row_name(struct timeline *timeline, unsigned row, const char *name)
{
	struct json json;

	put_name(timeline, "thread_name", row, name, ",");
	begin_event(timeline, &json, "M", row, "", "thread_sort_index");
	json_object(&json, "args");
	json_number(&json, "sort_index", row);
	json_object_end(&json);
	end_event(timeline, &json, ",");
}

void
timeline_begin(FILE *stream)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", stream);
}

void
timeline_end(FILE *stream)
{
	fputs("\n]}\n", stream);
}

void
timeline_open(struct timeline *timeline,
	      const struct timeline_settings *settings)
{
	*timeline = (struct timeline){ .of = *settings };
	put_name(timeline, "process_name", 0, settings->process.name,
		 settings->process.first ? "" : ",");
	put_row_name(timeline, ROW_LOAD, "DMA load");
	put_row_name(timeline, ROW_STORE, "DMA store");
}

/* Write the instructions of one source line that followed each other. */
static void
put_instructions(struct timeline *timeline, unsigned qpu)
{
	struct timeline_row *row = &timeline->rows[qpu];
	struct json json;
	char name[512];

	if (row->start == row->end)
		return;
	if (row->line)
		snprintf(name, sizeof(name), "%s:%u", row->line->file,
			 row->line->line);
	else
		trace_disassemble(row->word, name);
	begin_event(timeline, &json, "X", qpu, "instructions", name);
	put_duration(timeline, &json, row->start, row->end);
	json_number(&json, "instructions",
		    (row->end - row->start) / INST_CLOCKS);
	put_place(&json, row->pc, row->line);
	end_event(timeline, &json, ",");
	row->start = row->end;
}

static void
put_transfer(struct timeline *timeline, unsigned row, unsigned qpu,
	     uint64_t start, uint64_t end)
{
	struct json json;
	char name[16];

	snprintf(name, sizeof(name), "QPU %u", qpu);
	begin_event(timeline, &json, "X", row, "dma", name);
	put_duration(timeline, &json, start, end);
	json_object_end(&json);
	end_event(timeline, &json, ",");
}

/* Write the DMAs that the QPU started with its last instruction. */
static void
put_transfers(struct timeline *timeline, unsigned qpu)
{
	struct timeline_row *row = &timeline->rows[qpu];
	struct machine_view view;

	machine_look(timeline->of.machine, qpu, &view);
	if (view.load_end > row->load_end)
		put_transfer(timeline, ROW_LOAD, qpu, row->last, view.load_end);
	if (view.store_end > row->store_end)
		put_transfer(timeline, ROW_STORE, qpu, row->last,
			     view.store_end);
	row->load_end = view.load_end;
	row->store_end = view.store_end;
}

/* Write what the QPU waited for before an instruction, one cause after
 * another. */
static void
put_stalls(struct timeline *timeline, const struct machine_step *step,
	   const struct qpu_linemap_row *line)
{
	struct timeline_row *row = &timeline->rows[step->qpu];
	uint64_t clocks[MACHINE_STALLS], sum = 0, start;
	struct json json;

	for (unsigned cause = 0; cause < MACHINE_STALLS; cause++) {
		const uint64_t total =
			machine_stalled(timeline->of.machine, step->qpu, cause);

		clocks[cause] = total - row->stalled[cause];
		row->stalled[cause] = total;
		sum += clocks[cause];
	}
	if (!sum)
		return;
	put_instructions(timeline, step->qpu);
	start = step->clock - sum;
	for (unsigned cause = 0; cause < MACHINE_STALLS; cause++) {
		if (!clocks[cause])
			continue;
		begin_event(timeline, &json, "X", step->qpu, "stall",
			    machine_stall_name(cause));
		put_duration(timeline, &json, start, start + clocks[cause]);
		put_place(&json, step->pc, line);
		end_event(timeline, &json, ",");
		start += clocks[cause];
	}
}

void
timeline_step(void *context, const struct machine_step *step)
{
	struct timeline *timeline = context;
	struct timeline_row *row = &timeline->rows[step->qpu];
	const struct qpu_linemap_row *line =
		trace_find_line(timeline->of.lines, step->pc);
	char name[16];

	if (!row->named) {
		row->named = true;
		snprintf(name, sizeof(name), "QPU %u", step->qpu);
		put_row_name(timeline, step->qpu, name);
	}
	put_transfers(timeline, step->qpu);
	put_stalls(timeline, step, line);
	if (row->end != step->clock || !qpu_linemap_same_line(row->line, line))
		put_instructions(timeline, step->qpu);
	if (row->start == row->end) {
		row->start = step->clock;
		row->line = line;
		row->pc = step->pc;
		row->word = step->word;
	}
	row->last = step->clock;
	row->end = step->clock + INST_CLOCKS;
}

bool
timeline_flush(struct timeline *timeline)
{
	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++) {
		put_transfers(timeline, qpu);
		put_instructions(timeline, qpu);
	}
	if (!outfile_flush(timeline->of.stream))
		return false;
	if (timeline->lost)
		errno = ENOMEM;
	return !timeline->lost;
}
