/* SPDX-License-Identifier: MIT */
/*
 * Jobs of the 3D pipeline, from jobs.golden.  A case is a list of commands,
 * with their output:
 *
 *	image 64 32		width and height, or else 32 32; comes first
 *	lists 88		bytes for lists of tiles; as the image
 *	with check		modes: check, timed, and observed, in which a tracer
 *				stops the run all the time; as the image
 *	fragment nop | end	the shaders, in the form of emu_expand(); `end` unlocks
 *	vertex nop | end	the tile.  Without them a fragment adds 1 to each
 *	coordinate nop | end	sample, and the others copy; as the image
 *	second nop | end	the fragment shader of what is drawn from here on
 *	flags 4			of shader records, or else 5: 1, one thread on a QPU;
 *				4, clipping
 *	window 0 0 64 32	packets of state in the binning list
 *	config 027041		else, at the first drawing, one without tests
 *	draw 4 0 0 .5 1, 8 0, 0 8	corners, by mode of OpenGL: x and y in pixels,
 *				Z, W; the latter two may be left out
 *	cover			one triangle over all of the image
 *	bin 70 00		bytes of one of the lists
 *	render 71 00
 *	data 10000 1 2		words in memory from an offset, all hexadecimal
 *	write 410 11111111	a register
 *	clear 11223344 ffffff 0	colour, Z and stencil; without it they are 0
 *	mode 5			bits of the rendering mode; none: without one, and
 *				without tiles
 *	limit 1000		instructions at most; without it, many
 *
 * `go` runs the job and prints how it ended; the others follow it:
 *
 *	go
 *	show 3 4, 5 4		words of the samples of pixels
 *	count			how often each word is in the image
 *	registers
 *	clocks			as the cycle model counts them, and how they are used
 *	again			run again
 *	reset			the machine, and run again
 *
 * Shaders find uniforms at offset 8000.  A case may be rows, as golden_rows()
 * has them.
 */
#include "config.h"

#include "tests/emulator/job.h"
#include "tests/support/golden.h"

enum { KINDS = 16, FRAGMENT = 0, VERTEX, COORDINATE, SHADERS };

/* The run of a case. */
static struct run {
	struct job job;
	bool begun, configured, cleared, ran;
	struct machine_options options;
	char shaders[SHADERS][512]; /* "": as it is without one */
	unsigned mode;
	uint64_t instructions, steps;
	bool observed;
} run;

/* The code of a shader. */
static uint32_t
assemble(const char *text)
{
	static const char ends[] = " | end", unlocks[] = "; sbdone\n";
	char source[EMU_SOURCE + sizeof(unlocks)];

	emu_expand(text, source);
	if (strlen(text) > strlen(ends) &&
	    strcmp(text + strlen(text) - strlen(ends), ends) == 0)
		strcpy(source + strlen(source) - 1, unlocks);
	return emu_assemble(&run.job.emu, source);
}

static void
begin(void)
{
	if (run.begun)
		return;
	run.begun = true;
	run.job.emu = emu_open(&run.options);
	run.job.uniforms = EMU_BASE + EMU_UNIFORMS;
	job_begin(&run.job);
	for (unsigned i = 0; i < SHADERS; i++)
		if (*run.shaders[i])
			run.job.shader[i] = assemble(run.shaders[i]);
	job_viewport(&run.job);
}

/* --- Before the job begins -------------------------------------------------- */

static void
do_image(char *args)
{
	sscanf(args, "%u %u", &run.job.width, &run.job.height);
}

static void
do_lists(char *args)
{
	run.job.list_bytes = (unsigned)atoi(args);
}

static void
do_with(char *args)
{
	run.options.check = strstr(args, "check");
	run.options.timed = strstr(args, "timed");
	run.observed = run.options.profile = strstr(args, "observed");
}

static void
set_shader(unsigned number, const char *text)
{
	snprintf(run.shaders[number], sizeof(run.shaders[number]), "%s", text);
}

static void
do_fragment(char *args)
{
	set_shader(FRAGMENT, args);
}

static void
do_vertex(char *args)
{
	set_shader(VERTEX, args);
}

static void
do_coordinate(char *args)
{
	set_shader(COORDINATE, args);
}

/* --- Its lists, and the run ------------------------------------------------- */

static void
do_flags(char *args)
{
	run.job.flags = (unsigned)atoi(args);
}

static void
do_window(char *args)
{
	unsigned x = 0, y = 0, width = 0, height = 0;

	sscanf(args, "%u %u %u %u", &x, &y, &width, &height);
	job_window(&run.job, x, y, width, height);
}

static void
do_config(char *args)
{
	job_configuration(&run.job, (uint32_t)strtoul(args, NULL, 16));
	run.configured = true;
}

static void
do_draw(char *args)
{
	char no_tests[] = "027043";
	const unsigned mode = (unsigned)strtoul(args, &args, 10);
	unsigned corners = 0;

	if (!run.configured)
		do_config(no_tests);
	job_shaders(&run.job);
	for (; args; args = strchr(args, ',')) {
		struct job_corner at = { 0, 0, 0.5f, 1 };

		args += *args == ',';
		sscanf(args, "%f %f %f %f", &at.x, &at.y, &at.z, &at.w);
		job_vertex(&run.job, &at);
		corners++;
	}
	job_array(&run.job, mode, corners);
}

static void
do_cover(char *args)
{
	char corners[64];

	(void)args;
	sprintf(corners, "4 0 0, %u 0, 0 %u", 2 * run.job.width,
		2 * run.job.height);
	do_draw(corners);
}

static void
do_second(char *args)
{
	run.job.shader[FRAGMENT] = assemble(args);
}

static void
put_bytes(uint32_t *at, char *text)
{
	for (char *end; *text; text = end)
		job_pack(&run.job, at, "1", (uint32_t)strtoul(text, &end, 16));
}

static void
do_bin(char *args)
{
	put_bytes(&run.job.bin, args);
}

static void
do_render(char *args)
{
	put_bytes(&run.job.render, args);
}

static void
do_data(char *args)
{
	uint32_t at = (uint32_t)strtoul(args, &args, 16);

	while (*args)
		job_pack(&run.job, &at, "4",
			 (uint32_t)strtoul(args, &args, 16));
}

static void
do_write(char *args)
{
	uint32_t offset = 0, value = 0;

	sscanf(args, "%x %x", &offset, &value);
	machine_write(run.job.emu.machine, offset, value);
}

static void
do_clear(char *args)
{
	uint32_t colour = 0, z = 0, stencil = 0;

	sscanf(args, "%x %x %x", &colour, &z, &stencil);
	job_clear(&run.job, colour, z, stencil);
	run.cleared = true;
}

static void
do_mode(char *args)
{
	run.mode = strcmp(args, "none") == 0 ?
			   UINT32_MAX :
			   (unsigned)strtoul(args, NULL, 16);
}

static void
do_limit(char *args)
{
	run.instructions = strtoull(args, NULL, 10);
}

static void
count_step(void *context, const struct machine_step *step)
{
	(void)context;
	if (++run.steps % 5 == step->qpu % 5)
		machine_stop(run.job.emu.machine);
}

/* Run to the end although each run is stopped. */
static void
go_observed(void)
{
	struct emu *emu = &run.job.emu;
	uint64_t profiled = 0;
	struct machine_profile_row rows[256];
	size_t n;

	machine_on_step(emu->machine, count_step, NULL);
	job_run(&run.job, run.instructions);
	while (emu->status == MACHINE_LIMIT)
		emu->status = machine_run(emu->machine, 0, 0, &emu->why);
	n = machine_profile(emu->machine, rows, 256);
	for (size_t i = 0; i < n; i++)
		profiled += rows[i].executions;
	golden_answer(run.steps == machine_instructions(emu->machine) ?
			      "each instruction a step" :
			      "other steps than instructions");
	golden_answer(profiled == run.steps ? "all in the profile" :
					      "others in the profile");
}

static void
tell_end(void)
{
	static const char *const names[] = { "done", "limit: ", "deadlock: ",
					     "fault: " };
	const struct emu *emu = &run.job.emu;

	golden_answer("%s%s", names[emu->status],
		      emu->status == MACHINE_DONE ? "" : emu->why.text);
}

static void
go(void)
{
	struct job *job = &run.job;

	if (run.ran)
		return;
	run.ran = true;
	if (!run.cleared)
		job_clear(job, 0, 0, 0);
	if (run.mode != UINT32_MAX) {
		job_mode(job, run.mode);
		job_tiles_all(job);
	}
	if (run.observed)
		go_observed();
	else
		job_run(job, run.instructions);
	tell_end();
	if (job->emu.nfindings)
		golden_answer("%s", job->emu.finding);
}

/* --- After the run ------------------------------------------------------------ */

static void
do_show(char *args)
{
	for (; args; args = strchr(args, ',')) {
		uint32_t word[4];
		unsigned x = 0, y = 0;

		args += *args == ',';
		sscanf(args, "%u %u", &x, &y);
		for (unsigned i = 0; i < 4; i++)
			word[i] = job_image_word(&run.job, x, y, i);
		golden_answer("%x %x %x %x", word[0], word[1], word[2],
			      word[3]);
	}
}

static void
do_count(char *args)
{
	const unsigned width = run.job.width;
	struct {
		uint32_t word;
		unsigned n;
	} kinds[KINDS] = { { 0, 0 } };
	unsigned n = 0, k;

	(void)args;
	for (unsigned i = 0; i < width * run.job.height * 4; i++) {
		const uint32_t word = job_image_word(&run.job, i / 4 % width,
						     i / 4 / width, i % 4);

		for (k = 0; k < n && kinds[k].word != word;)
			k++;
		if (k == KINDS) {
			golden_answer("many colours");
			return;
		}
		if (k == n)
			kinds[n++].word = word;
		kinds[k].n++;
	}
	for (k = 0; k < n; k++)
		golden_answer("%x: %u", kinds[k].word, kinds[k].n);
}

static void
do_registers(char *args)
{
	static const struct {
		const char *name;
		uint32_t offset;
	} rows[] = {
		{ "INTCTL", V3D_INTCTL }, { "PCS", V3D_PCS },
		{ "BFC", V3D_BFC },	  { "RFC", V3D_RFC },
		{ "CT0CS", V3D_CT0CS },	  { "CT1CS", V3D_CT0CS + 4 },
		{ "BPCA", V3D_BPCA },	  { "BPCS", V3D_BPCS },
	};

	(void)args;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		golden_answer("%s %x", rows[i].name,
			      machine_read(run.job.emu.machine,
					   rows[i].offset));
}

/* How many instructions QPUs execute: the one with the fewest, that with the
 * most, and all of them in a hundred clocks. */
static void
do_clocks(char *args)
{
	const struct machine *machine = run.job.emu.machine;
	const uint64_t clocks = machine_clocks(machine);
	uint64_t least = UINT64_MAX, most = 0;

	(void)args;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const uint64_t n = machine_executed(machine, i);

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	golden_answer("%u, a QPU executes %u to %u instructions, for %u of "
		      "100 clocks",
		      (unsigned)clocks, (unsigned)least, (unsigned)most,
		      (unsigned)(400 * machine_instructions(machine) /
				 (clocks * MACHINE_QPUS)));
}

static void
do_again(char *args)
{
	struct emu *emu = &run.job.emu;

	(void)args;
	emu->status = machine_run(emu->machine, 0, 0, &emu->why);
	tell_end();
}

static void
do_reset(char *args)
{
	machine_reset(run.job.emu.machine);
	do_again(args);
}

/* --- Cases ------------------------------------------------------------------ */

static void
do_command(char *line)
{
	static const struct {
		const char *name;
		enum { SET_UP, BUILD, LOOK } when;
		void (*run)(char *args);
	} commands[] = {
		{ "image", SET_UP, do_image },
		{ "coordinate", SET_UP, do_coordinate },
		{ "fragment", SET_UP, do_fragment },
		{ "lists", SET_UP, do_lists },
		{ "vertex", SET_UP, do_vertex },
		{ "with", SET_UP, do_with },
		{ "bin", BUILD, do_bin },
		{ "clear", BUILD, do_clear },
		{ "config", BUILD, do_config },
		{ "cover", BUILD, do_cover },
		{ "data", BUILD, do_data },
		{ "draw", BUILD, do_draw },
		{ "flags", BUILD, do_flags },
		{ "limit", BUILD, do_limit },
		{ "mode", BUILD, do_mode },
		{ "render", BUILD, do_render },
		{ "second", BUILD, do_second },
		{ "window", BUILD, do_window },
		{ "write", BUILD, do_write },
		{ "again", LOOK, do_again },
		{ "clocks", LOOK, do_clocks },
		{ "count", LOOK, do_count },
		{ "go", LOOK, NULL },
		{ "registers", LOOK, do_registers },
		{ "reset", LOOK, do_reset },
		{ "show", LOOK, do_show },
	};
	char *const name = strsep(&line, " ");
	size_t i = 0;

	while (i < sizeof(commands) / sizeof(*commands) &&
	       strcmp(name, commands[i].name) != 0)
		i++;
	if (i == sizeof(commands) / sizeof(*commands) ||
	    (run.begun && commands[i].when == SET_UP)) {
		printf("Bail out! %s is no command there\n", name);
		exit(99);
	}
	if (commands[i].when != SET_UP)
		begin();
	if (commands[i].when == LOOK)
		go();
	if (commands[i].run)
		commands[i].run(line);
}

static void
begin_run(void)
{
	if (run.begun)
		emu_close(&run.job.emu);
	run = (struct run){ .job = { .width = 32, .height = 32 },
			    .instructions = 10000000,
			    .mode = 0x15 };
	set_shader(FRAGMENT, "nop | nop | nop | .rep i, 4 | loadc | "
			     "add tlbm, r4, 1 | .endr | end");
}

static void
run_case(const struct golden_case *c, struct golden_output *out)
{
	golden_rows(c, begin_run, do_command);
	golden_session_end(out);
}

int
main(void)
{
	golden_run("tests/emulator/jobs.golden", run_case);
	emu_close(&run.job.emu);
	return tap_done();
}
