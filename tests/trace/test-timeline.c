/* SPDX-License-Identifier: MIT */
/*
 * Promise: a timeline is valid JSON of trace events: instructions by source
 * line, stalls by cause, and DMA, each with its time and clocks.
 */
#include "config.h"

#include "qpu/trace/timeline.h"

#include <errno.h>

#include "qpu/emulator/base/timing.h"
#include "tests/emulator/emu.h"
#include "tests/support/fault.h"
#include "tests/trace/text.h"

/* The costs of these tests, so that better ones of the model change nothing. */
static const struct machine_timing costs = {
	.clock_mhz = 250,
	.icache_bytes = 4096,
	.icache_ways = 4,
	.l2_bytes = 16384,
	.l2_ways = 4,
	.l2_hit = 20,
	.system_l2_bytes = 131072,
	.system_l2_ways = 8,
	.tmu_bytes = 4096,
	.tmu_issue = 4,
	.tmu_tail = 40,
	.tmu_outstanding = 1,
	.uniform_bytes = 4096,
	.uniform_ways = 4,
	.vdr_fixed = 90,
	.vdw_fixed = 300,
};

static const struct trace_lines no_lines = { .base = 0 };

/* The first events of every timeline, after the name of the process. */
#define ROWS_OF_DMA(process)                                                   \
	",\n{\"ph\":\"M\",\"pid\":" process ",\"tid\":12,\"cat\":\"\","        \
	"\"name\":\"thread_name\",\"args\":{\"name\":\"DMA load\"}}"           \
	",\n{\"ph\":\"M\",\"pid\":" process ",\"tid\":12,\"cat\":\"\","        \
	"\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":12}}"         \
	",\n{\"ph\":\"M\",\"pid\":" process ",\"tid\":13,\"cat\":\"\","        \
	"\"name\":\"thread_name\",\"args\":{\"name\":\"DMA store\"}}"          \
	",\n{\"ph\":\"M\",\"pid\":" process ",\"tid\":13,\"cat\":\"\","        \
	"\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":13}}"
#define PROCESS(process, name)                                                 \
	"\n{\"ph\":\"M\",\"pid\":" process ",\"tid\":0,\"cat\":\"\","          \
	"\"name\":\"process_name\",\"args\":{\"name\":" name "}}"
/* Begin the timeline of a machine, and forget what each begins with. */
static void
begin(struct timeline *timeline, const struct machine *machine,
      const struct trace_lines *lines, unsigned clock_mhz)
{
	const struct timeline_settings settings = {
		.stream = text_begin(),
		.machine = machine,
		.lines = lines,
		.process = { .number = 1,
			     .name = "p",
			     .clock_mhz = clock_mhz,
			     .first = true },
	};

	timeline_open(timeline, &settings);
	fclose(settings.stream);
	free(written);
	timeline->of.stream = text_begin();
}

static void
events_are(struct timeline *timeline, const char *expected, const char *what)
{
	fflush(timeline->of.stream);
	for (char *at = written; *at; at++)
		if (*at == '"')
			*at = '\'';
	text_is(timeline->of.stream, expected, what);
}

/* As in the file, but for the kind of quotes. */
/* clang-format off */
static const char instructions[] =
	",\n{'ph':'M','pid':1,'tid':11,'cat':'',"
		"'name':'thread_name','args':{'name':'QPU 11'}}"
	",\n{'ph':'M','pid':1,'tid':11,'cat':'',"
		"'name':'thread_sort_index','args':{'sort_index':11}}"
	",\n{'ph':'X','pid':1,'tid':11,'cat':'instructions','name':'a.s:7',"
		"'ts':333.333,'dur':2.666,"
		"'args':{'clocks':8,'instructions':2,'pc':'40000000',"
		"'source':'nop'}}"
	",\n{'ph':'X','pid':1,'tid':11,'cat':'instructions','name':'a.s:8',"
		"'ts':336.000,'dur':1.333,"
		"'args':{'clocks':4,'instructions':1,'pc':'40000010','source':''}}"
	",\n{'ph':'M','pid':1,'tid':0,'cat':'',"
		"'name':'thread_name','args':{'name':'QPU 0'}}"
	",\n{'ph':'M','pid':1,'tid':0,'cat':'',"
		"'name':'thread_sort_index','args':{'sort_index':0}}"
	",\n{'ph':'X','pid':1,'tid':11,'cat':'instructions','name':'b.s:8',"
		"'ts':337.333,'dur':2.666,"
		"'args':{'clocks':8,'instructions':2,'pc':'40000018',"
		"'source':'nop'}}"
	",\n{'ph':'X','pid':1,'tid':11,'cat':'instructions','name':'b.s:8',"
		"'ts':341.333,'dur':1.333,"
		"'args':{'clocks':4,'instructions':1,'pc':'40000018',"
		"'source':'nop'}}"
	",\n{'ph':'X','pid':1,'tid':11,'cat':'instructions','name':'nop',"
		"'ts':342.666,'dur':1.333,"
		"'args':{'clocks':4,'instructions':1,'pc':'40000020'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'b.s:8',"
		"'ts':339.000,'dur':1.333,"
		"'args':{'clocks':4,'instructions':1,'pc':'40000018',"
		"'source':'nop'}}"
	",\n{'ph':'X','pid':1,'tid':11,'cat':'instructions','name':'nop',"
		"'ts':344.000,'dur':1.333,"
		"'args':{'clocks':4,'instructions':1,'pc':'40000028'}}";

static const char run[] =
	",\n{'ph':'M','pid':1,'tid':0,'cat':'',"
		"'name':'thread_name','args':{'name':'QPU 0'}}"
	",\n{'ph':'M','pid':1,'tid':0,'cat':'',"
		"'name':'thread_sort_index','args':{'sort_index':0}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'stall',"
		"'name':'instruction fetch','ts':0.000,'dur':0.080,"
		"'args':{'clocks':20,'pc':'40001000'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'ldi t1s,"
		" 0x40010000','ts':0.080,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001000'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions',"
		"'name':'ldi vr_setup, 0x83011000','ts':0.096,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001008'}}"
	",\n{'ph':'X','pid':1,'tid':12,'cat':'dma','name':'QPU 0',"
		"'ts':0.112,'dur':0.360,"
		"'args':{'clocks':90}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions',"
		"'name':'ldi vr_addr, 0x40010000','ts':0.112,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001010'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions',"
		"'name':'ldi vw_setup, 0x80904000','ts':0.128,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001018'}}"
	",\n{'ph':'X','pid':1,'tid':13,'cat':'dma','name':'QPU 0',"
		"'ts':0.144,'dur':1.200,"
		"'args':{'clocks':300}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions',"
		"'name':'ldi vw_addr, 0x40010000','ts':0.144,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001020'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'stall','name':'TMU result',"
		"'ts':0.160,'dur':0.176,"
		"'args':{'clocks':44,'pc':'40001028'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'ldtmu1',"
		"'ts':0.336,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001028'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'stall','name':'DMA load',"
		"'ts':0.352,'dur':0.128,"
		"'args':{'clocks':32,'pc':'40001030'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'mov -,"
		" vr_wait','ts':0.480,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001030'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'thrend',"
		"'ts':0.496,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001038'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'stall',"
		"'name':'instruction fetch','ts':0.512,'dur':0.080,"
		"'args':{'clocks':20,'pc':'40001040'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'stall','name':'DMA store',"
		"'ts':0.592,'dur':0.752,"
		"'args':{'clocks':188,'pc':'40001040'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'mov -,"
		" vw_wait','ts':1.344,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001040'}}"
	",\n{'ph':'X','pid':1,'tid':0,'cat':'instructions','name':'nop',"
		"'ts':1.360,'dur':0.016,"
		"'args':{'clocks':4,'instructions':1,'pc':'40001048'}}";
/* clang-format on */

static void
test_process(void)
{
	FILE *stream = text_begin();
	struct timeline timeline;

	timeline_begin(stream);
	for (unsigned i = 0; i < 2; i++) {
		const struct timeline_settings settings = {
			.stream = stream,
			.process = { .number = 7 + i,
				     .name = i ? "b" : "a",
				     .first = !i },
		};

		timeline_open(&timeline, &settings);
	}
	timeline_end(stream);
	text_is(stream,
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" PROCESS(
			"7", "\"a\"") ROWS_OF_DMA("7") "," PROCESS("8", "\"b\"")
			ROWS_OF_DMA("8") "\n]}\n",
		"each process has its name and rows for both DMAs");
}

static void
test_name(void)
{
	struct timeline timeline;
	const struct timeline_settings settings = {
		.stream = text_begin(),
		.process = { .number = 1,
			     .name = "a\"b\\c\t\xc3\xa4\xff",
			     .first = true },
	};

	timeline_open(&timeline, &settings);
	text_is(settings.stream,
		PROCESS("1", "\"a\\\"b\\\\c\\t\xc3\xa4?\"") ROWS_OF_DMA("1"),
		"quotes of a name are escaped, and bytes that are no text "
		"become question marks");
}

/* Source lines: a.s:7 twice, then a.s:8, b.s:8. */
static struct trace_lines
four_lines(void)
{
	struct trace_lines lines = { .base = EMU_BASE };

	if (!qpu_linemap_add(&lines.map, 0, "a.s", 7, " \tnop") ||
	    !qpu_linemap_add(&lines.map, 8, "a.s", 7, "nop") ||
	    !qpu_linemap_add(&lines.map, 16, "a.s", 8, "") ||
	    !qpu_linemap_add(&lines.map, 24, "b.s", 8, "nop"))
		exit(99);
	return lines;
}

static void
step(struct timeline *timeline, unsigned qpu, uint32_t pc, uint64_t clock)
{
	timeline_step(timeline, &(const struct machine_step){
					.qpu = qpu,
					.pc = pc,
					.word = UINT64_C(0x100009e7009e7000),
					.clock = clock,
				});
}

/* Instructions of a machine that has not run: nothing stalls. */
static void
test_instructions(void)
{
	static const struct machine_options options = {
		.timed = true,
		.timing = &costs,
	};
	struct trace_lines lines = four_lines();
	struct machine *machine = machine_create(&options, NULL);
	struct timeline timeline;

	if (!machine)
		exit(99);
	begin(&timeline, machine, &lines, 3);
	for (unsigned i = 0; i < 4; i++)
		step(&timeline, 11, EMU_BASE + 8 * i, 1000 + 4 * i);
	/* A loop in one line, a pause in it, and another QPU meanwhile. */
	step(&timeline, 11, EMU_BASE + 24, 1016);
	step(&timeline, 0, EMU_BASE + 24, 1017);
	step(&timeline, 11, EMU_BASE + 24, 1024);
	step(&timeline, 11, EMU_BASE + 32, 1028);
	step(&timeline, 11, EMU_BASE + 40, 1032);
	ok(timeline_flush(&timeline),
	   "all that is open in a timeline is written");
	events_are(
		&timeline, instructions,
		"instructions of a line that follow each other stand together");
	machine_destroy(machine);
	qpu_linemap_free(&lines.map);
}

static void
test_run(void)
{
	static const struct machine_options options = {
		.timed = true,
		.timing = &costs,
	};
	struct emu emu = emu_open(&options);
	struct timeline timeline;

	emu_program(
		&emu,
		emu_assemble(&emu,
			     "ldi t1s, 0x40010000\nldi vr_setup, 0x83011000\n"
			     "ldi vr_addr, 0x40010000\n"
			     "ldi vw_setup, 0x80904000\n"
			     "ldi vw_addr, 0x40010000\nldtmu1\n"
			     "mov -, vr_wait\nthrend\n"
			     "mov -, vw_wait\nnop"),
		NULL, 0);
	begin(&timeline, emu.machine, &no_lines, 250);
	machine_on_step(emu.machine, timeline_step, &timeline);
	emu_go(&emu, 100);
	ok(timeline_flush(&timeline), "the timeline of a run is written");
	events_are(&timeline, run, "the timeline of a run has stalls and DMA");
	emu_close(&emu);
}

static void
test_full(void)
{
	static const struct machine_options options = { .timed = true };
	struct machine *machine = machine_create(&options, NULL);
	struct timeline timeline;
	char bytes[16];
	struct timeline_settings settings = {
		.stream = fmemopen(bytes, sizeof(bytes), "w"),
		.machine = machine,
		.lines = &no_lines,
		.process = { .name = "p", .clock_mhz = 250, .first = true },
	};

	if (!machine || !settings.stream)
		exit(99);
	timeline_open(&timeline, &settings);
	ok(!timeline_flush(&timeline),
	   "a timeline that does not fit its stream is an error");
	fclose(settings.stream);
	machine_destroy(machine);
}

/* Without memory for the first event there are all others. */
static void
test_no_memory(void)
{
	static const struct machine_options options = { .timed = true };
	struct machine *machine = machine_create(&options, NULL);
	struct timeline timeline;
	const struct timeline_settings settings = {
		.stream = text_begin(),
		.machine = machine,
		.process = { .number = 1,
			     .name = "p",
			     .clock_mhz = 250,
			     .first = true },
	};

	fault_at(FAULT_MEMORY, 1, ENOMEM);
	timeline_open(&timeline, &settings);
	fault_clear();
	ok(!timeline_flush(&timeline) && errno == ENOMEM,
	   "a timeline without an event, for want of memory, is an error");
	text_is(settings.stream, ROWS_OF_DMA("1"),
		"an event for which there is no memory is left out whole");
	machine_destroy(machine);
}

int
main(void)
{
	test_process();
	test_name();
	test_instructions();
	test_run();
	test_full();
	test_no_memory();
	return tap_done();
}
