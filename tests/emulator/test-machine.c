/* SPDX-License-Identifier: MIT */
/*
 * machine.golden: commands to a machine, and their output.
 *
 * A line of the input has commands with " & " between them, and their output;
 * "258x " before a line repeats it, and the last output counts.  A case may be
 * rows, as for golden_rows().  Numbers in commands are decimal without 0x,
 * words in the output are hexadecimal, and programs are written as for
 * test-programs.c.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"
#include "tests/support/golden.h"

static struct emu emu;
static uint32_t uniforms[16]; /* of the next programs */
static unsigned n_uniforms;
static bool is_launched;	   /* the next program is of another launch */
static unsigned steps, stop_after; /* of the tracer; 0: never */
static uint8_t more_memory[64];

static struct golden_output *output;

/* Print words; equal neighbours are printed once with their number. */
static void
tell_words(const uint32_t *words, unsigned n)
{
	char text[16 * MACHINE_LANES] = "";

	for (unsigned i = 0, end; i < n; i = end) {
		char *at = text + strlen(text);

		for (end = i + 1; end < n && words[end] == words[i];)
			end++;
		at += sprintf(at, "%s%x", i ? " " : "", words[i]);
		if (end - i > 1)
			sprintf(at, "x%u", end - i);
	}
	golden_answer("%s", text);
}

/* The next number of the arguments, or a default. */
static uint32_t
number(char **args, uint32_t otherwise)
{
	char *end;
	const uint32_t value = strtoul(*args, &end, 0);

	if (end == *args)
		return otherwise;
	*args = end;
	return value;
}

static uint32_t
offset_of(char **args)
{
	static const struct {
		const char *name;
		uint32_t offset;
	} names[] = {
		{ "IDENT0", V3D_IDENT0 },   { "IDENT1", V3D_IDENT1 },
		{ "SCRATCH", V3D_SCRATCH }, { "L2CACTL", V3D_L2CACTL },
		{ "SLCACTL", V3D_SLCACTL }, { "CT0CS", V3D_CT0CS },
		{ "CT1CS", V3D_CT0CS + 4 }, { "CT0CA", V3D_CT0CA },
		{ "CT1CA", V3D_CT0CA + 4 }, { "SQRSV0", V3D_SQRSV0 },
		{ "SQRSV1", V3D_SQRSV1 },   { "SRQPC", V3D_SRQPC },
		{ "SRQUA", V3D_SRQUA },	    { "SRQUL", V3D_SRQUL },
		{ "SRQCS", V3D_SRQCS },	    { "VPMBASE", V3D_VPMBASE },
		{ "PCTRC", V3D_PCTRC },	    { "PCTRE", V3D_PCTRE },
		{ "PCTR0", V3D_PCTR0 },	    { "PCTRS0", V3D_PCTR0 + 4 },
		{ "PCTRS15", V3D_PCTRS15 }, { "PCTR15", V3D_PCTRS15 - 4 },
		{ "DBQITE", V3D_DBQITE },   { "DBQITC", V3D_DBQITC },
	};

	*args += strspn(*args, " ");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const size_t len = strlen(names[i].name);

		if (strncmp(*args, names[i].name, len) == 0 &&
		    strchr(" ", (*args)[len])) {
			*args += len;
			return names[i].offset;
		}
	}
	return number(args, 0);
}

/* --- The machine, and its programs -------------------------------------------- */

static void
do_machine(char *args)
{
	struct machine_options options = {
		.timed = strstr(args, "timed"),
		.check = strstr(args, "check"),
		.profile = strstr(args, "profile"),
		.lockstep = strstr(args, "lockstep"),
	};
	const char *qpus = strstr(args, "qpus="), *seed = strstr(args, "seed="),
		   *ignore = strstr(args, "ignore=");
	struct diag why;
	struct machine *machine;

	if (qpus)
		options.qpus = strtoul(qpus + 5, NULL, 0);
	if (seed)
		options.seed = strtoul(seed + 5, NULL, 0);
	if (ignore)
		machine_rules_parse(ignore + 7, &options.ignore, &why);
	machine = machine_create(&options, &why);
	if (!machine)
		golden_answer("%s", why.text);
	machine_destroy(machine);
	if (!machine)
		return;
	if (emu.machine)
		emu_close(&emu);
	emu = emu_open(&options);
	machine_on_message(emu.machine, emu_finding, &emu);
	n_uniforms = steps = stop_after = is_launched = 0;
}

static void
do_code_at(char *args)
{
	emu.code_end = number(&args, 0);
}

static void
do_uniforms(char *args)
{
	for (n_uniforms = 0; *args && n_uniforms < 16; n_uniforms++)
		uniforms[n_uniforms] = number(&args, 0);
}

/* A program, or the address of one that is there. */
static void
do_program(char *args)
{
	char source[EMU_SOURCE];
	uint32_t code = number(&args, 0);

	if (is_launched)
		emu.nprograms = 0;
	is_launched = false;
	emu_expand(args, source);
	if (!code)
		code = emu_assemble(&emu, source);
	emu_program(&emu, code, uniforms, n_uniforms);
}

static void
do_launch(char *args)
{
	struct machine_program programs[32];
	const unsigned n = number(&args, emu.nprograms);

	is_launched = true;
	for (unsigned i = 0; i < n; i++)
		programs[i] = emu.programs[i % emu.nprograms];
	if (!machine_launch(emu.machine, programs, n, &emu.why))
		golden_answer("%s", emu.why.text);
}

static void
do_run(char *args)
{
	static const char *const names[] = { "done", "limit", "", "fault: " };
	const uint64_t limit = number(&args, 0), clocks = number(&args, 0);

	memset(emu.findings, 0, sizeof(emu.findings));
	emu.status = machine_run(emu.machine, limit, clocks, &emu.why);
	golden_answer("%s%s", names[emu.status],
		      emu.status > MACHINE_LIMIT ? emu.why.text : "");
	golden_answer("%u instructions",
		      (unsigned)machine_instructions(emu.machine));
	if (machine_clocks(emu.machine))
		golden_answer("%u clocks",
			      (unsigned)machine_clocks(emu.machine));
	for (unsigned rule = 0; rule < EMU_RULES; rule++)
		if (emu.findings[rule])
			golden_answer("%u of rule %u", emu.findings[rule],
				      rule);
}

static void
do_go(char *args)
{
	char all[] = "";

	do_launch(all);
	do_run(args);
}

static void
do_launches(char *args)
{
	(void)args;
	golden_answer("%u us",
		      (unsigned)(machine_launch_clocks(emu.machine) / 250));
}

static void
do_reset(char *args)
{
	(void)args;
	machine_reset(emu.machine);
}

/* --- Memory and registers ----------------------------------------------------- */

static void
do_memory(char *args)
{
	const uint32_t at = number(&args, 0);

	memset(more_memory, 0, sizeof(more_memory));
	if (!machine_add_memory(emu.machine, at, more_memory,
				sizeof(more_memory), &emu.why))
		golden_answer("%s", emu.why.text);
}

static void
do_put(char *args)
{
	uint32_t *words =
		machine_memory(emu.machine, number(&args, 0), MACHINE_LANES);

	while (*args)
		*words++ = number(&args, 0);
}

static void
do_words(char *args)
{
	const uint32_t at = number(&args, 0), n = number(&args, 1);

	tell_words(machine_memory(emu.machine, at, 4 * n), n);
}

static void
do_write(char *args)
{
	const uint32_t offset = offset_of(&args);

	machine_write(emu.machine, offset, number(&args, 0));
}

static void
do_read(char *args)
{
	while (*args)
		golden_answer("%x",
			      machine_read(emu.machine, offset_of(&args)));
}

/* Print a register before and after a write, and other registers that
 * change. */
static void
do_field(char *args)
{
	enum { BYTES = 0x1000 };
	static uint32_t before[BYTES / 4];
	const uint32_t offset = offset_of(&args);

	for (uint32_t at = 0; at < BYTES; at += 4)
		before[at / 4] = machine_read(emu.machine, at);
	machine_write(emu.machine, offset, number(&args, 0));
	golden_answer("%x", before[offset / 4]);
	golden_answer("then %x", machine_read(emu.machine, offset));
	for (uint32_t at = 0; at < BYTES; at += 4)
		if (at != offset &&
		    machine_read(emu.machine, at) != before[at / 4])
			golden_answer("%03x is %x", at,
				      machine_read(emu.machine, at));
}

static void
do_register(char *args)
{
	static const char *const files[] = { "ra", "rb", "r" };
	const unsigned qpu = number(&args, 0);
	unsigned file = 0;

	args += strspn(args, " ");
	while (strncmp(args, files[file], strlen(files[file])) != 0)
		file++;
	args += strlen(files[file]);
	tell_words(machine_register(emu.machine, qpu, file, number(&args, 0)),
		   MACHINE_LANES);
}

static void
do_vpm(char *args)
{
	tell_words(machine_vpm(emu.machine, number(&args, 0)), MACHINE_LANES);
}

static void
do_semaphore(char *args)
{
	golden_answer("%u", machine_semaphore(emu.machine, number(&args, 0)));
}

/* --- What a run was ------------------------------------------------------------ */

static void
do_executed(char *args)
{
	while (*args)
		golden_answer("%u", (unsigned)machine_qpu_cost(emu.machine,
							       number(&args, 0))
					    ->executions);
}

static void
do_counters(char *args)
{
	while (*args)
		golden_answer("%u", (unsigned)machine_counter(
					    emu.machine, number(&args, 0)));
}

static void
do_name(char *args)
{
	const char *name = machine_counter_name(number(&args, 0));

	golden_answer("%s", name ? name : "none");
}

static void
do_rules(char *args)
{
	uint64_t rules = 0;
	struct diag why;

	if (machine_rules_parse(args, &rules, &why))
		golden_answer("%llx", (unsigned long long)rules);
	else
		golden_answer("%s", why.text);
}

static void
do_places(char *args)
{
	struct machine_view view;
	bool any = false;

	(void)args;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		machine_look(emu.machine, i, &view);
		if (!view.stuck)
			continue;
		golden_answer("QPU %u at %x waits for %s", i, view.pc,
			      machine_stall_name(view.faulty ?
							 MACHINE_STALL_NONE :
							 view.waits));
		any = true;
	}
	if (!any)
		golden_answer("none");
}

static void
do_look(char *args)
{
	struct machine_view view;

	machine_look(emu.machine, number(&args, 0), &view);
	if (view.running)
		golden_answer("at %x", view.pc);
	golden_answer("uniforms %x", view.uniforms);
}

/* Print the profile, with the clocks of each cause. */
static void
do_profile(char *args)
{
	const struct machine_cost *cost;
	uint32_t pc;

	(void)args;
	for (unsigned i = 0; (cost = emu_cost(emu.machine, i, &pc)); i++) {
		golden_answer("%x: %u", pc, (unsigned)cost->executions);
		for (unsigned k = 0; k < MACHINE_STALLS; k++)
			if (cost->stall[k])
				golden_answer("%u for %s",
					      (unsigned)cost->stall[k],
					      machine_stall_name(k));
	}
}

static void
do_stop(char *args)
{
	stop_after = number(&args, 0);
	if (!stop_after)
		machine_stop(emu.machine);
}

/* Print an ALU's result: its lanes, and the first and last value. */
static void
tell_result(unsigned lanes, const uint32_t *values)
{
	golden_printf(output, "steps", " %x:", lanes);
	if (values)
		golden_printf(output, "steps", "%x,%x", values[0],
			      values[MACHINE_LANES - 1]);
}

static void
count_step(void)
{
	if (++steps == stop_after) {
		steps = 0;
		machine_stop(emu.machine);
	}
}

static void
show_step(void *context, const struct machine_step *step)
{
	(void)context;
	golden_printf(output, "steps", "%u %x %x %x %x", (unsigned)step->clock,
		      step->pc, step->z, step->n, step->c);
	tell_result(step->lanes_add, step->add);
	tell_result(step->lanes_mul, step->mul);
	golden_printf(output, "steps", "\n");
	count_step();
}

/* The QPUs of the steps up to a stop are one word. */
static void
name_qpu(void *context, const struct machine_step *step)
{
	const char letter = (char)('a' + step->qpu);

	(void)context;
	if (steps)
		golden_tell("%c", letter);
	else
		golden_answer("%c", letter);
	count_step();
}

/* The QPU of each step as a letter, or all of it. */
static void
do_order(char *args)
{
	(void)args;
	machine_on_step(emu.machine, name_qpu, NULL);
}

static void
do_steps(char *args)
{
	(void)args;
	machine_on_step(emu.machine, show_step, NULL);
}

/* --- Scripts --------------------------------------------------------------------- */

static void
do_command(char *line)
{
	static const struct golden_command commands[] = {
		{ "code-at", do_code_at },
		{ "counters", do_counters },
		{ "executed", do_executed },
		{ "field", do_field },
		{ "go", do_go },
		{ "launch", do_launch },
		{ "launches", do_launches },
		{ "look", do_look },
		{ "machine", do_machine },
		{ "memory", do_memory },
		{ "name", do_name },
		{ "order", do_order },
		{ "places", do_places },
		{ "profile", do_profile },
		{ "program", do_program },
		{ "put", do_put },
		{ "read", do_read },
		{ "register", do_register },
		{ "reset", do_reset },
		{ "rules", do_rules },
		{ "run", do_run },
		{ "semaphore", do_semaphore },
		{ "steps", do_steps },
		{ "stop", do_stop },
		{ "uniforms", do_uniforms },
		{ "vpm", do_vpm },
		{ "words", do_words },
		{ "write", do_write },
		{ NULL, NULL },
	};

	if (golden_command(commands, line))
		return;
	printf("Bail out! %s is no command\n", line);
	exit(99);
}

static void
begin(void)
{
	do_machine("");
}

static void
run_case(const struct golden_case *c, struct golden_output *out)
{
	output = out;
	golden_rows(c, begin, do_command);
	golden_session_end(out);
}

int
main(void)
{
	golden_run("tests/emulator/machine.golden", run_case);
	return tap_done();
}
