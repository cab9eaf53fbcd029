/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/trace/timeline.h"

#include <inttypes.h>
#include <string.h>

/* Rows: the QPUs by number, then these. */
enum { ROW_LOAD = MACHINE_QPUS, ROW_STORE, INST_CLOCKS = 4 };

/* Bytes of the UTF-8 sequence at text, or 0 if it is not one. */
static unsigned
utf8_length(const unsigned char *text)
{
	const unsigned length = *text < 0xc2 ? 0 :
				*text < 0xe0 ? 2 :
				*text < 0xf0 ? 3 :
				*text < 0xf5 ? 4 :
					       0;
	const unsigned second = text[length ? 1 : 0];

	for (unsigned i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what is behind U+10FFFF. */
	if ((*text == 0xe0 && second < 0xa0) ||
	    (*text == 0xed && second > 0x9f) ||
	    (*text == 0xf0 && second < 0x90) ||
	    (*text == 0xf4 && second > 0x8f))
		return 0;
	return length;
}

/* A string of JSON; a byte that is not UTF-8 becomes a question mark. */
static void
put_string(FILE *stream, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;

	putc('"', stream);
	while (*at) {
		unsigned length = *at < 0x80 ? 1 : utf8_length(at);

		if (*at < ' ')
			fprintf(stream, "\\u%04x", *at);
		else if (*at == '"' || *at == '\\')
			fprintf(stream, "\\%c", *at);
		else if (length)
			fwrite(at, 1, length, stream);
		else
			putc('?', stream);
		at += length ? length : 1;
	}
	putc('"', stream);
}

static void
put_time(const struct timeline *timeline, const char *key, uint64_t clocks)
{
	const uint64_t ns = clocks * 1000 / timeline->of.clock_mhz;

	fprintf(timeline->of.stream, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000,
		(unsigned)(ns % 1000));
}

/* The begin of an event of a row, up to its arguments. */
static void
put_event(const struct timeline *timeline, char phase, unsigned row,
	  const char *category, const char *name)
{
	fprintf(timeline->of.stream,
		",\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,"
		"\"cat\":\"%s\",\"name\":",
		phase, timeline->of.process, row, category);
	put_string(timeline->of.stream, name);
}

static void
put_duration(const struct timeline *timeline, uint64_t start, uint64_t end)
{
	put_time(timeline, "ts", start);
	put_time(timeline, "dur", end - start);
	fprintf(timeline->of.stream, ",\"args\":{\"clocks\":%" PRIu64,
		end - start);
}

/* Address and source line, if it is known, as the last arguments. */
static void
put_place(const struct timeline *timeline, uint32_t pc,
	  const struct qpu_linemap_row *line)
{
	fprintf(timeline->of.stream, ",\"pc\":\"%08" PRIx32 "\"", pc);
	if (line) {
		fputs(",\"source\":", timeline->of.stream);
		put_string(timeline->of.stream,
			   line->text + strspn(line->text, " \t"));
	}
	fputs("}}", timeline->of.stream);
}

static void
put_row_name(const struct timeline *timeline, unsigned row, const char *name)
{
	put_event(timeline, 'M', row, "", "thread_name");
	fputs(",\"args\":{\"name\":", timeline->of.stream);
	put_string(timeline->of.stream, name);
	fputs("}}", timeline->of.stream);
	put_event(timeline, 'M', row, "", "thread_sort_index");
	fprintf(timeline->of.stream, ",\"args\":{\"sort_index\":%u}}", row);
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
	fprintf(settings->stream,
		"%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"cat\":\"\","
		"\"name\":\"process_name\",\"args\":{\"name\":",
		settings->first ? "" : ",", settings->process);
	put_string(settings->stream, settings->name);
	fputs("}}", settings->stream);
	put_row_name(timeline, ROW_LOAD, "DMA load");
	put_row_name(timeline, ROW_STORE, "DMA store");
}

/* The instructions of one source line that followed each other. */
static void
put_instructions(struct timeline *timeline, unsigned qpu)
{
	struct timeline_row *row = &timeline->rows[qpu];
	char name[512];

	if (row->start == row->end)
		return;
	if (row->line)
		snprintf(name, sizeof(name), "%s:%u", row->line->file,
			 row->line->line);
	else
		trace_disassemble(row->word, name);
	put_event(timeline, 'X', qpu, "instructions", name);
	put_duration(timeline, row->start, row->end);
	fprintf(timeline->of.stream, ",\"instructions\":%" PRIu64,
		(row->end - row->start) / INST_CLOCKS);
	put_place(timeline, row->pc, row->line);
	row->start = row->end;
}

/* DMAs that the QPU started with its last instruction. */
static void
put_transfers(struct timeline *timeline, unsigned qpu)
{
	struct timeline_row *row = &timeline->rows[qpu];
	struct machine_view view;
	char name[16];

	machine_look(timeline->of.machine, qpu, &view);
	snprintf(name, sizeof(name), "QPU %u", qpu);
	if (view.load_end > row->load_end) {
		put_event(timeline, 'X', ROW_LOAD, "dma", name);
		put_duration(timeline, row->last, view.load_end);
		fputs("}}", timeline->of.stream);
	}
	if (view.store_end > row->store_end) {
		put_event(timeline, 'X', ROW_STORE, "dma", name);
		put_duration(timeline, row->last, view.store_end);
		fputs("}}", timeline->of.stream);
	}
	row->load_end = view.load_end;
	row->store_end = view.store_end;
}

/* Lookups under way behind an instruction, when they are others than before. */
static void
put_lookups(struct timeline *timeline, unsigned qpu, uint64_t clock)
{
	struct timeline_row *row = &timeline->rows[qpu];
	struct machine_view view;
	char name[32];

	machine_look(timeline->of.machine, qpu, &view);
	if (memcmp(view.lookups, row->lookups, sizeof(row->lookups)) == 0)
		return;
	memcpy(row->lookups, view.lookups, sizeof(row->lookups));
	snprintf(name, sizeof(name), "lookups of QPU %u", qpu);
	put_event(timeline, 'C', qpu, "tmu", name);
	put_time(timeline, "ts", clock);
	fprintf(timeline->of.stream, ",\"args\":{\"TMU 0\":%u,\"TMU 1\":%u}}",
		view.lookups[0], view.lookups[1]);
}

/* What the QPU waited for before an instruction, one cause after another. */
static void
put_stalls(struct timeline *timeline, const struct machine_step *step,
	   const struct qpu_linemap_row *line)
{
	struct timeline_row *row = &timeline->rows[step->qpu];
	uint64_t clocks[MACHINE_STALLS], sum = 0, start;

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
		put_event(timeline, 'X', step->qpu, "stall",
			  machine_stall_name(cause));
		put_duration(timeline, start, start + clocks[cause]);
		put_place(timeline, step->pc, line);
		start += clocks[cause];
	}
}

static bool
is_same_line(const struct qpu_linemap_row *a, const struct qpu_linemap_row *b)
{
	return a && b && a->line == b->line && strcmp(a->file, b->file) == 0;
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
	if (row->end != step->clock || !is_same_line(row->line, line))
		put_instructions(timeline, step->qpu);
	if (row->start == row->end) {
		row->start = step->clock;
		row->line = line;
		row->pc = step->pc;
		row->word = step->word;
	}
	row->last = step->clock;
	row->end = step->clock + INST_CLOCKS;
	put_lookups(timeline, step->qpu, row->end);
}

bool
timeline_flush(struct timeline *timeline)
{
	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++) {
		put_transfers(timeline, qpu);
		put_instructions(timeline, qpu);
	}
	return !fflush(timeline->of.stream) && !ferror(timeline->of.stream);
}
