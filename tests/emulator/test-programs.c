/* SPDX-License-Identifier: MIT */
/*
 * programs.golden: short programs, and all that they change: registers, flags,
 * VPM, memory, semaphores, the mutex and interrupts.  Values are hexadecimal;
 * "3x16" are 16 lanes with a 3, and "-" is a lane of the VPM as it was.
 *
 * The input is a program a line, for QPU 0 and those after it, in the form of
 * test-hazards.c; "4 * " before a program gives it to four QPUs.  @uniforms has
 * a line of words for each QPU; those without one have the last line's.  At the
 * start registers are 0, word n of the data at 0x40010000 is n + 1, and lane x
 * of row y of the VPM is 100 * y + x + 1; @data has other words of data, each
 * after its offset.
 *
 * Each case runs in functional mode, whose end is in the section `state`, then
 * with the cycle model, whose clocks begin that section, and in checking mode.
 * The sections `timed` and `checking` are what is different there, and hazards.
 * In checking mode registers are not compared, since they begin with noise.
 */
#include "config.h"

#include "src/base/text.h"
#include "tests/emulator/emu.h"
#include "tests/support/golden.h"

enum { DATA_WORDS = 8192, SEMAPHORES = 16, VPM_ROWS = 64 };

/* Output after a run. */
struct report {
	struct emu emu;
	struct text registers; /* and flags */
	struct text shared;    /* all that QPUs share, and how the run ended */
	struct text findings;
};

__attribute__((format(printf, 2, 3))) static void
tell(struct text *text, const char *format, ...)
{
	va_list args;
	char *line;
	int len;

	va_start(args, format);
	len = vasprintf(&line, format, args);
	va_end(args);
	if (len < 0 || !text_add(text, line, (size_t)len))
		exit(99);
	free(line);
}

/* Print values; equal neighbours are printed once with their number, unchanged
 * ones as "-". */
static void
tell_values(struct text *text, const uint32_t *values, const uint32_t *before,
	    unsigned n)
{
	for (unsigned i = 0, end; i < n; i = end) {
		const bool same = before && values[i] == before[i];

		for (end = i + 1; end < n; end++)
			if (same ? values[end] != before[end] :
				   values[end] != values[i])
				break;
		if (same)
			tell(text, " -");
		else
			tell(text, " %x", values[i]);
		if (end - i > 1)
			tell(text, "x%u", end - i);
	}
	tell(text, "\n");
}

static bool
are_zero(const uint32_t *lanes)
{
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		if (lanes[i])
			return false;
	return true;
}

static bool
are_equal(const struct text *text, const struct text *other)
{
	return text->len == other->len &&
	       (text->len == 0 ||
		memcmp(text->bytes, other->bytes, text->len) == 0);
}

static void
set_vpm_row(uint32_t lanes[MACHINE_LANES], unsigned row)
{
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		lanes[i] = 100 * row + i + 1;
}

/* Each line has an offset and the word that is there. */
static void
set_data(struct emu *emu, const char *text)
{
	for (char *end; text && *text; text = strchr(end, '\n') + 1) {
		const uint32_t at = strtoul(text, &end, 16);

		emu_words(emu, EMU_DATA + at)[0] = strtoul(end + 1, &end, 16);
	}
}

/* The words of a line; returns how many there are. */
static unsigned
read_words(const char **text, uint32_t words[16])
{
	unsigned n = 0;
	char *end;

	while (*text && **text && **text != '\n') {
		words[n++] = strtoul(*text, &end, 16);
		*text = end;
	}
	if (*text && **text)
		++*text;
	return n;
}

static void
load(struct emu *emu, const struct golden_case *c)
{
	const char *uniforms = golden_section(c, "@uniforms");
	const char *line = c->input.text;
	uint32_t words[16];
	unsigned n = 0;

	for (unsigned i = 0; i < DATA_WORDS / 2; i++)
		emu_words(emu, EMU_DATA)[i] = i + 1;
	set_data(emu, golden_section(c, "@data"));
	for (unsigned row = 0; row < VPM_ROWS; row++)
		set_vpm_row(machine_vpm(emu->machine, row), row);
	/* The last word of memory is a nop. */
	qpu_word_store(emu->memory + EMU_BYTES - 8,
		       UINT64_C(0x100009e7009e7000));
	for (; *line; line = strchr(line, '\n') + 1) {
		unsigned times = 1;
		int prefix = 0;
		char source[EMU_SOURCE];
		uint32_t code;

		sscanf(line, "%u * %n", &times, &prefix);
		emu_expand(line + prefix, source);
		code = emu_assemble(emu, source);
		for (unsigned i = 0; i < (prefix ? times : 1); i++) {
			if (uniforms && *uniforms)
				n = read_words(&uniforms, words);
			emu_program(emu, code, words, n);
		}
	}
}

static void
add_finding(void *context, const struct qpu_message *message)
{
	struct report *report = context;

	if (message->severity == QPU_SEVERITY_NOTE)
		return;
	tell(&report->findings, "%s%s at %u: %s\n",
	     message->severity == QPU_SEVERITY_WARNING ? "warning " : "",
	     message->rule,
	     (unsigned)(message->address - EMU_BASE - EMU_CODE) / 8,
	     message->text);
}

/* Print a QPU's instructions, its flags unless they are as at the start, and
 * its registers that are not 0. */
static void
tell_qpu(struct text *text, struct machine *machine, unsigned qpu)
{
	static const char *const files[] = { "ra", "rb", "r" };
	struct machine_view view;

	machine_look(machine, qpu, &view);
	tell(text, " %u instructions",
	     (unsigned)machine_qpu_cost(machine, qpu)->executions);
	if (view.z != 0xffff || view.n || view.c)
		tell(text, ", z %x n %x c %x", view.z, view.n, view.c);
	tell(text, "\n");
	for (unsigned file = 0; file < 3; file++)
		for (unsigned i = 0; i < (file < 2 ? 32 : 6); i++) {
			const uint32_t *lanes =
				machine_register(machine, qpu, file, i);

			if (are_zero(lanes))
				continue;
			tell(text, "%s%u", files[file], i);
			tell_values(text, lanes, NULL, MACHINE_LANES);
		}
}

/* Print things; neighbours with the same text are printed once, those without
 * text not at all. */
static void
tell_each(struct text *to, const char *things, struct text *texts, unsigned n)
{
	for (unsigned i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (!are_equal(&texts[end], &texts[i]))
				break;
		if (texts[i].len && end > i + 1)
			tell(to, "%s %u to %u:%s", things, i, end - 1,
			     texts[i].bytes);
		else if (texts[i].len)
			tell(to, "%s %u:%s", things, i, texts[i].bytes);
	}
	for (unsigned i = 0; i < n; i++)
		text_free(&texts[i]);
}

static void
tell_registers(struct report *report)
{
	struct text texts[MACHINE_QPUS] = { 0 };
	unsigned n = 0;

	for (; n < report->emu.nprograms && n < MACHINE_QPUS; n++)
		tell_qpu(&texts[n], report->emu.machine, n);
	tell_each(&report->registers, "QPU", texts, n);
}

static void
tell_vpm(struct report *report)
{
	struct text texts[VPM_ROWS] = { 0 };

	for (unsigned row = 0; row < VPM_ROWS; row++) {
		const uint32_t *lanes = machine_vpm(report->emu.machine, row);
		uint32_t before[MACHINE_LANES];

		set_vpm_row(before, row);
		if (memcmp(lanes, before, sizeof(before)) != 0)
			tell_values(&texts[row], lanes, before, MACHINE_LANES);
	}
	tell_each(&report->shared, "vpm", texts, VPM_ROWS);
}

static void
tell_data(struct report *report, const uint32_t *before)
{
	const uint32_t *now = emu_words(&report->emu, EMU_DATA);

	for (unsigned i = 0, end; i < DATA_WORDS; i = end + 1) {
		for (end = i; end < DATA_WORDS && now[end] != before[end];)
			end++;
		if (end > i) {
			tell(&report->shared, "data %x", 4 * i);
			tell_values(&report->shared, now + i, NULL, end - i);
		}
	}
}

static void
tell_signals(struct report *report)
{
	const struct machine *machine = report->emu.machine;

	for (unsigned i = 0; i < SEMAPHORES; i++)
		if (machine_semaphore(machine, i))
			tell(&report->shared, "semaphore %u: %u\n", i,
			     machine_semaphore(machine, i));
	if (machine_mutex(machine) >= 0)
		tell(&report->shared, "the mutex is taken\n");
	if (machine_interrupts(machine))
		tell(&report->shared, "interrupts: %d\n",
		     __builtin_popcount(machine_interrupts(machine)));
}

static unsigned
count_programs(const struct golden_case *c)
{
	unsigned n = 0;

	for (const char *at = c->input.text; *at; at = strchr(at, '\n') + 1)
		n++;
	return n;
}

static struct report
run(const struct golden_case *c, const struct machine_options *options)
{
	static uint32_t before[DATA_WORDS];
	struct report report = { .emu = emu_open(options) };
	struct emu *emu = &report.emu;

	load(emu, c);
	memcpy(before, emu_words(emu, EMU_DATA), sizeof(before));
	machine_on_message(emu->machine, add_finding, &report);
	machine_launch(emu->machine, emu->programs, emu->nprograms, &emu->why);
	emu->status = machine_run(emu->machine, 100000, 0, &emu->why);
	tell_registers(&report);
	tell_vpm(&report);
	tell_data(&report, before);
	tell_signals(&report);
	if (emu->status != MACHINE_DONE)
		tell(&report.shared, "%s\n", emu->why.text);
	return report;
}

static void
free_report(struct report *report)
{
	text_free(&report->registers);
	text_free(&report->shared);
	text_free(&report->findings);
	emu_close(&report->emu);
}

static void
put(struct golden_output *out, const char *section, const struct text *text)
{
	if (text->len)
		golden_write(out, section, text->bytes, text->len);
}

static void
run_case(const struct golden_case *c, struct golden_output *out)
{
	static const struct machine_options functional;
	static const struct machine_options timed = { .timed = true };
	/* One program has one QPU to run on, so that it is known which. */
	const struct machine_options checking = {
		.check = true,
		.seed = 3,
		.qpus = count_programs(c) == 1 ? 1 : 0,
	};
	struct report first = run(c, &functional);
	struct report second = run(c, &timed);
	struct report third = run(c, &checking);

	golden_printf(out, "state", "%u clocks: ",
		      (unsigned)machine_clocks(second.emu.machine));
	put(out, "state", &first.registers);
	put(out, "state", &first.shared);
	put(out, "state", &first.findings);
	if (!are_equal(&first.registers, &second.registers))
		put(out, "timed", &second.registers);
	if (!are_equal(&first.shared, &second.shared))
		put(out, "timed", &second.shared);
	put(out, "checking", &third.findings);
	if (!are_equal(&first.shared, &third.shared))
		put(out, "checking", &third.shared);
	free_report(&first);
	free_report(&second);
	free_report(&third);
}

int
main(void)
{
	golden_run("tests/emulator/programs.golden", run_case);
	return tap_done();
}
