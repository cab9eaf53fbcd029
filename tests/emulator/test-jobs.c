/* SPDX-License-Identifier: MIT */
/*
 * Jobs of the 3D pipeline, from jobs.golden.  A case is a list of commands:
 *
 *	image 64 32		width and height, or else 32 32; comes first
 *	flags 4			of shader records, or else 5: 1, one thread on a QPU;
 *				4, clipping
 *	lists 88		bytes for lists of tiles
 *	with check		modes: check, timed, or qpus=N, seed=N; with
 *				`observed` a tracer stops the run all the time
 *	window 0 0 64 32	packets of state in the binning list
 *	config 027041		else, at the first drawing, one without tests
 *	draw 4 0 0 .5 1, 8 0, 0 8	corners, by mode of OpenGL: x and y in pixels,
 *				Z, W; the latter two may be left out
 *	cover .25 .75		one triangle over all of the image, Z of its left and
 *				of its right corners, or 0.5
 *	bin 70 00		bytes of one of the lists
 *	render 71 00
 *	data 10000 1 2		words in memory from an offset, all hexadecimal
 *	write 410 11111111	a register
 *	clear 11223344 ffffff 0	colour, Z and stencil; without it they are 0
 *	mode 5			bits of the rendering mode; none: without one, and
 *				without tiles
 *	run 1000		instructions at most; without it, many
 *	show 3 4, 5 4		words of pixels of the image
 *	count			how often each word is there
 *	registers
 *	clocks			as the cycle model counts them, and how they are used
 *	give 1000		bytes for lists, hexadecimal, and run again
 *	again			run again
 *	reset			the machine, and run again
 *
 * The fragment shader is the section @fragment, or else adds 1 to each sample; a
 * second one, which draws after the command `second`, is @second.  Both find
 * uniforms at offset 8000.  The shader of vertices is @vertex, or else copies.
 * Shaders are written in the form of emu_expand(); their `end` unlocks the
 * tile.  The section `run` says how a run has ended other than well.
 */
#include "config.h"

#include "tests/emulator/job.h"
#include "tests/support/golden.h"

enum { CORNERS = 64, WORDS = 64, KINDS = 16 };

struct run {
	const struct golden_case *golden;
	struct golden_output *out;
	struct job job;
	bool begun, configured, cleared, ran;
	struct machine_options options;
	struct job_corner corner[CORNERS];
	unsigned corners;
	unsigned mode;
	uint64_t instructions, steps;
	bool observed;
};

static void
stop(const struct run *run, const char *what)
{
	printf("Bail out! %s: %s\n", run->golden->name, what);
	exit(99);
}

/* The code of a shader. */
static uint32_t
assemble(struct run *run, const char *section)
{
	static const char adds_one[] =
		"nop | nop | nop | .rep i, 4 | loadc | add tlbm, r4, 1 | "
		".endr | end\n";
	static const char ends[] = " | end\n", unlocks[] = "; sbdone\n";
	const char *text = golden_section(run->golden, section);
	char source[EMU_SOURCE + sizeof(unlocks)];

	text = text ? text : adds_one;
	emu_expand(text, source);
	if (strlen(text) > strlen(ends) &&
	    strcmp(text + strlen(text) - strlen(ends), ends) == 0)
		strcpy(source + strlen(source) - 1, unlocks);
	return emu_assemble(&run->job.emu, source);
}

static void
begin(struct run *run)
{
	if (run->begun)
		return;
	run->begun = true;
	run->job.emu = emu_open(&run->options);
	run->job.uniforms = EMU_BASE + EMU_UNIFORMS;
	job_begin(&run->job);
	run->job.shader[0] = assemble(run, "@fragment");
	if (golden_section(run->golden, "@vertex"))
		run->job.shader[1] = assemble(run, "@vertex");
	if (golden_section(run->golden, "@coordinate"))
		run->job.shader[2] = assemble(run, "@coordinate");
	job_viewport(&run->job);
}

static unsigned
read_numbers(const char *text, int base, uint32_t *numbers, unsigned max)
{
	unsigned n = 0;
	char *end;

	for (; n < max; text = end) {
		numbers[n] = (uint32_t)strtoul(text, &end, base);
		if (end == text)
			break;
		n++;
	}
	return n;
}

static unsigned
read_bytes(const char *text, uint8_t *bytes, unsigned max)
{
	unsigned n = 0, byte;
	int used;

	while (n < max && sscanf(text, " %2x%n", &byte, &used) == 1) {
		bytes[n++] = (uint8_t)byte;
		text += used;
	}
	return n;
}

static void
add_corner(struct run *run, const char *text)
{
	struct job_corner *corner = &run->corner[run->corners++ % CORNERS];
	float numbers[4] = { 0, 0, 0.5f, 1 };
	char *end;

	for (unsigned i = 0; i < 4; i++, text = end) {
		const float number = strtof(text, &end);

		if (end == text)
			break;
		numbers[i] = number;
	}
	memcpy(corner, numbers, sizeof(*corner));
}

static void
configure(struct run *run, uint32_t bits)
{
	job_configuration(&run->job, bits);
	run->configured = true;
}

/* The corners that are there. */
static void
draw_corners(struct run *run, unsigned mode)
{
	if (!run->configured)
		configure(run, 0x027043);
	job_shaders(&run->job);
	for (unsigned i = 0; i < run->corners; i++)
		job_vertex(&run->job, &run->corner[i]);
	job_array(&run->job, mode, run->corners);
	run->corners = 0;
}

/* "4 0 0, 8 0, 0 8" */
static void
draw(struct run *run, const char *text)
{
	char *corners;
	const unsigned mode = (unsigned)strtoul(text, &corners, 10);

	for (const char *at = corners; at; at = strchr(at, ','))
		add_corner(run, at += *at == ',');
	draw_corners(run, mode);
}

static void
cover(struct run *run, const char *text)
{
	const float right = 2 * (float)run->job.width;
	const float bottom = 2 * (float)run->job.height;
	float left_z = 0.5f, right_z = 0.5f;

	sscanf(text, "%f %f", &left_z, &right_z);
	run->corner[0] = (struct job_corner){ 0, 0, left_z, 1 };
	run->corner[1] = (struct job_corner){ right, 0, right_z, 1 };
	run->corner[2] = (struct job_corner){ 0, bottom, left_z, 1 };
	run->corners = 3;
	draw_corners(run, 4);
}

/* All samples of pixels. */
static void
show(struct run *run, const char *text)
{
	for (; text; text = strchr(text, ',')) {
		uint32_t place[2] = { 0, 0 };

		text += *text == ',';
		read_numbers(text, 10, place, 2);
		golden_printf(run->out, "image", "%u %u:", place[0], place[1]);
		for (unsigned i = 0; i < 4; i++)
			golden_printf(run->out, "image", " %08x",
				      job_image_word(&run->job, place[0],
						     place[1], i));
		golden_printf(run->out, "image", "\n");
	}
}

/* How often each word is in the image. */
static void
count(struct run *run)
{
	const unsigned width = run->job.width;
	struct {
		uint32_t word;
		unsigned n;
	} kinds[KINDS] = { { 0, 0 } };
	unsigned n = 0, k;

	for (unsigned i = 0; i < width * run->job.height * 4; i++) {
		const uint32_t word = job_image_word(&run->job, i / 4 % width,
						     i / 4 / width, i % 4);

		for (k = 0; k < n && kinds[k].word != word;)
			k++;
		if (k == KINDS)
			stop(run, "many colours");
		if (k == n)
			kinds[n++].word = word;
		kinds[k].n++;
	}
	for (k = 0; k < n; k++)
		golden_printf(run->out, "image", "%08x: %u\n", kinds[k].word,
			      kinds[k].n);
}

static void
registers(struct run *run)
{
	struct machine *machine = run->job.emu.machine;

	golden_printf(run->out, "registers",
		      "INTCTL %x PCS %x BFC %u RFC %u CT0CS %x CT1CS %x "
		      "BPCA %x BPCS %x\n",
		      machine_read(machine, V3D_INTCTL),
		      machine_read(machine, V3D_PCS),
		      machine_read(machine, V3D_BFC),
		      machine_read(machine, V3D_RFC),
		      machine_read(machine, V3D_CT0CS),
		      machine_read(machine, V3D_CT0CS + 4),
		      machine_read(machine, V3D_BPCA),
		      machine_read(machine, V3D_BPCS));
}

/* How many instructions QPUs execute: the one with the fewest, that with the
 * most, and all of them in a hundred clocks. */
static void
show_clocks(struct run *run)
{
	const struct machine *machine = run->job.emu.machine;
	const uint64_t clocks = machine_clocks(machine);
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const uint64_t n = machine_executed(machine, i);

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	golden_printf(run->out, "clocks",
		      "%u, a QPU executes %u to %u instructions, for %u of "
		      "100 clocks\n",
		      (unsigned)clocks, (unsigned)least, (unsigned)most,
		      (unsigned)(400 * machine_instructions(machine) /
				 (clocks * MACHINE_QPUS)));
}

static void
count_step(void *context, const struct machine_step *step)
{
	struct run *run = context;

	if (++run->steps % 5 == step->qpu % 5)
		machine_stop(run->job.emu.machine);
}

/* Run to the end although each run is stopped. */
static enum machine_status
go_observed(struct run *run)
{
	struct emu *emu = &run->job.emu;
	enum machine_status is;
	uint64_t profiled = 0;
	struct machine_profile_row rows[256];
	size_t n;

	machine_on_step(emu->machine, count_step, run);
	is = job_run(&run->job, run->instructions);
	while (is == MACHINE_LIMIT)
		is = machine_run(emu->machine, 0, 0, &emu->why);
	n = machine_profile(emu->machine, rows, 256);
	for (size_t i = 0; i < n; i++)
		profiled += rows[i].executions;
	golden_printf(run->out, "steps", "%s, %s\n",
		      run->steps == machine_instructions(emu->machine) ?
			      "each instruction a step" :
			      "other steps than instructions",
		      profiled == run->steps ? "all in the profile" :
					       "others in the profile");
	return is;
}

static void
go(struct run *run)
{
	struct job *job = &run->job;
	static const char *const status[] = { "done", "limit", "deadlock",
					      "fault" };
	enum machine_status is;

	if (run->ran)
		return;
	run->ran = true;
	if (!run->cleared)
		job_clear(job, 0, 0, 0);
	if (run->mode != UINT32_MAX) {
		job_mode(job, run->mode);
		job_tiles_all(job);
	}
	is = run->observed ? go_observed(run) : job_run(job, run->instructions);
	if (is != MACHINE_DONE)
		golden_printf(run->out, "run", "%s: %s\n", status[is],
			      job->emu.why.text);
	if (job->emu.nfindings)
		golden_printf(run->out, "run", "%s\n", job->emu.finding);
}

static void
go_on(struct run *run)
{
	struct emu *emu = &run->job.emu;

	emu->status = machine_run(emu->machine, 0, 0, &emu->why);
	golden_printf(run->out, "run", "then %s\n",
		      emu->status == MACHINE_DONE ? "done" : emu->why.text);
}

static void
give(struct run *run, const char *text)
{
	struct emu *emu = &run->job.emu;
	const uint32_t bytes = (uint32_t)strtoul(text, NULL, 16);

	machine_write(emu->machine, V3D_BPOA, EMU_BASE + JOB_LISTS + 0x8000);
	machine_write(emu->machine, V3D_BPOS, bytes);
	machine_write(emu->machine, V3D_INTCTL, 4);
	go_on(run);
}

static void
reset(struct run *run)
{
	machine_reset(run->job.emu.machine);
	go_on(run);
}

static void
set_modes(struct run *run, const char *text)
{
	const char *number;

	run->options.check = strstr(text, "check");
	run->options.timed = strstr(text, "timed");
	run->observed = run->options.profile = strstr(text, "observed");
	if ((number = strstr(text, "qpus=")))
		run->options.qpus = (unsigned)atoi(number + 5);
	if ((number = strstr(text, "seed=")))
		run->options.seed = (uint64_t)atoi(number + 5);
}

/* Commands that come before the job is begun. */
static bool
set_up(struct run *run, const char *name, const char *rest)
{
	uint32_t number[2] = { 0 };

	if (strcmp(name, "image") == 0) {
		read_numbers(rest, 10, number, 2);
		run->job.width = number[0];
		run->job.height = number[1];
	} else if (strcmp(name, "lists") == 0) {
		run->job.list_bytes = (unsigned)atoi(rest);
	} else if (strcmp(name, "with") == 0) {
		set_modes(run, rest);
	} else {
		return false;
	}
	return true;
}

static void
put_bytes(struct run *run, uint32_t *at, const char *text)
{
	uint8_t bytes[256];
	const unsigned n = read_bytes(text, bytes, sizeof(bytes));

	job_put(&run->job, at, bytes, n);
}

static void
put_data(struct run *run, const char *text)
{
	uint32_t words[WORDS];
	const unsigned n = read_numbers(text, 16, words, WORDS);

	memcpy(run->job.emu.memory + words[0], words + 1, 4 * (n - 1));
}

/* Commands that build lists, and about tiles and the run. */
static bool
build(struct run *run, const char *name, const char *rest)
{
	struct job *job = &run->job;
	uint32_t number[4] = { 0 };

	if (strcmp(name, "window") == 0) {
		read_numbers(rest, 10, number, 4);
		job_window(job, number[0], number[1], number[2], number[3]);
	} else if (strcmp(name, "config") == 0) {
		configure(run, (uint32_t)strtoul(rest, NULL, 16));
	} else if (strcmp(name, "draw") == 0) {
		draw(run, rest);
	} else if (strcmp(name, "cover") == 0) {
		cover(run, rest);
	} else if (strcmp(name, "second") == 0) {
		job->shader[0] = assemble(run, "@second");
	} else if (strcmp(name, "flags") == 0) {
		job->flags = (unsigned)atoi(rest);
	} else if (strcmp(name, "bin") == 0) {
		put_bytes(run, &job->bin, rest);
	} else if (strcmp(name, "render") == 0) {
		put_bytes(run, &job->render, rest);
	} else if (strcmp(name, "data") == 0) {
		put_data(run, rest);
	} else if (strcmp(name, "write") == 0) {
		read_numbers(rest, 16, number, 2);
		machine_write(job->emu.machine, number[0], number[1]);
	} else if (strcmp(name, "clear") == 0) {
		read_numbers(rest, 16, number, 3);
		job_clear(job, number[0], number[1], number[2]);
		run->cleared = true;
	} else if (strcmp(name, "mode") == 0) {
		run->mode = strcmp(rest, "none") == 0 ?
				    UINT32_MAX :
				    (unsigned)strtoul(rest, NULL, 16);
	} else if (strcmp(name, "run") == 0) {
		run->instructions = strtoull(rest, NULL, 10);
	} else {
		return false;
	}
	return true;
}

static bool
look(struct run *run, const char *name, const char *rest)
{
	go(run);
	if (strcmp(name, "show") == 0)
		show(run, rest);
	else if (strcmp(name, "count") == 0)
		count(run);
	else if (strcmp(name, "registers") == 0)
		registers(run);
	else if (strcmp(name, "clocks") == 0)
		show_clocks(run);
	else if (strcmp(name, "give") == 0)
		give(run, rest);
	else if (strcmp(name, "again") == 0)
		go_on(run);
	else if (strcmp(name, "reset") == 0)
		reset(run);
	else
		return false;
	return true;
}

static void
command(struct run *run, const char *line)
{
	char name[16] = "", rest[512] = "";

	if (sscanf(line, "%15s %511[^\n]", name, rest) < 1 || *name == '#')
		return;
	if (!run->begun && set_up(run, name, rest))
		return;
	begin(run);
	if (!build(run, name, rest) && !look(run, name, rest))
		stop(run, line);
}

static void
run_case(const struct golden_case *golden, struct golden_output *out)
{
	struct run run = { .golden = golden,
			   .out = out,
			   .job = { .width = 32, .height = 32 },
			   .instructions = 10000000,
			   .mode = 0x15 };
	const char *line = golden->input.text;

	while (*line) {
		char text[1024];
		const size_t len = strcspn(line, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)len, line);
		command(&run, text);
		line += len + (line[len] == '\n');
	}
	begin(&run);
	go(&run);
	emu_close(&run.job.emu);
}

int
main(void)
{
	golden_run("tests/emulator/jobs.golden", run_case);
	return tap_done();
}
