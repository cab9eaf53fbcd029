/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/vc4/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/v3d.h"
#include "qpu/abi/vc4.h"
#include "qpu/asm/asm.h"
#include "qpu/isa/packet.h"
#include "tests/vc4/clear-job.h"

enum { LIST_BYTES = 1024 };

static void
program(char *words)
{
	struct vc4_create_shader_bo request = { .size = 0 };
	struct qpu_asm_program code;
	uint64_t bytes[WORDS];
	char source[512];
	int error;

	snprintf(source, sizeof(source), "%s\n", words);
	for (char *c = source; *c; c++)
		*c = *c == ';' ? '\n' : *c;
	if (!qpu_asm_text("t", source, strlen(source), NULL, &code)) {
		printf("Bail out! %s: %s\n", source, code.messages[0].text);
		exit(99);
	}
	for (size_t i = 0; i < code.nwords && i < WORDS; i++)
		bytes[i] = code.words[i].word;
	request.size = (uint32_t)(8 * code.nwords);
	request.data = (uintptr_t)bytes;
	qpu_asm_free(&code);
	error = ask(VC4_CREATE_SHADER_BO, &request);
	answer(error, "handle %" PRIu32, request.handle);
}

static void
jobs(char *words)
{
	(void)words;
	answer(0, "%" PRIu64, vc4_jobs(node));
}

static void
tell_time(char *words)
{
	(void)words;
	answer(0, "%" PRIu64 " ns", vc4_time_ns(node));
}

static void
tell_register(char *words)
{
	const uint32_t offset = (uint32_t)strtoul(words, NULL, 0);

	answer(0, "%" PRIx32, machine_read(vc4_machine(node), offset));
}

static void
bus(char *words)
{
	char *rest;
	const uint32_t address = (uint32_t)strtoul(words, &rest, 0);
	const uint32_t n = (uint32_t)strtoul(rest, NULL, 0);
	const uint32_t *at = machine_memory(vc4_machine(node), address, 4 * n);

	answer(0, "%s", at ? "" : "no memory");
	for (uint32_t i = 0; at && i < n; i++)
		golden_tell("%s%" PRIx32, i ? " " : "", at[i]);
}

/* --- The machine itself ------------------------------------------------------ */

static void
put_bytes(char *words)
{
	char *rest;
	const uint32_t address = (uint32_t)strtoul(words, &rest, 16);
	const uint32_t n = (uint32_t)strlen(rest) / 3;
	uint8_t *at = machine_memory(vc4_machine(node), address, n);

	if (!at)
		answer(0, "no memory");
	for (uint32_t i = 0; at && i < n; i++)
		at[i] = (uint8_t)strtoul(rest, &rest, 16);
}

static void
write_register(char *words)
{
	char *rest;
	const uint32_t offset = (uint32_t)strtoul(words, &rest, 16);

	machine_write(vc4_machine(node), offset,
		      (uint32_t)strtoul(rest, NULL, 16));
}

static void
run_machine(char *words)
{
	static const char *const names[] = { "done", "limit: ", "deadlock: ",
					     "fault: " };
	struct diag why = { .text = "" };
	const enum machine_status status = machine_run(
		vc4_machine(node), *words ? strtoull(words, NULL, 0) : 10000000,
		0, &why);

	answer(0, "%s%s", names[status],
	       status == MACHINE_DONE ? "" : why.text);
}

static void
reset_machine(char *words)
{
	(void)words;
	machine_reset(vc4_machine(node));
}

static void
tell_registers(char *words)
{
	static const struct {
		const char *name;
		uint32_t offset;
	} rows[] = {
		{ "INTCTL", V3D_INTCTL },   { "BFC", V3D_BFC },
		{ "RFC", V3D_RFC },	    { "CT0CS", V3D_CT0CS },
		{ "CT1CS", V3D_CT0CS + 4 },
	};

	(void)words;
	for (size_t i = 0; i < LENGTH(rows); i++)
		answer(0, "%s %x", rows[i].name,
		       machine_read(vc4_machine(node), rows[i].offset));
}

/* How many instructions QPUs execute: the one with the fewest, that with the
 * most, and all of them in a hundred clocks; and stalls on the scoreboard. */
static void
tell_clocks(char *words)
{
	const struct machine *machine = vc4_machine(node);
	const uint64_t clocks = machine_clocks(machine);
	uint64_t least = UINT64_MAX, most = 0;

	(void)words;
	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const uint64_t n = machine_qpu_cost(machine, i)->executions;

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	answer(0,
	       "%u, a QPU executes %u to %u instructions, for %u of 100 clocks",
	       (unsigned)clocks, (unsigned)least, (unsigned)most,
	       (unsigned)(400 * machine_instructions(machine) /
			  (clocks * MACHINE_QPUS)));
	golden_answer("%u on the scoreboard",
		      (unsigned)machine_counter(
			      machine, MACHINE_COUNTER_SCOREBOARD_STALLS));
}

/* "mode:0.0.0.2.2.1,start": packets by name, with their parameters. */
static size_t
read_list(char *text, uint8_t *to)
{
	static const struct {
		const char *name;
		uint8_t code;
		const char *sizes; /* of the parameters, in bytes */
	} packets[] = {
		{ "halt", PACKET_HALT, "" },
		{ "nop", PACKET_NOP, "" },
		{ "flush", PACKET_FLUSH, "" },
		{ "flush-all", PACKET_FLUSH_ALL, "" },
		{ "start", PACKET_START_TILE_BINNING, "" },
		{ "semaphore", PACKET_INCREMENT_SEMAPHORE, "" },
		{ "wait", PACKET_WAIT_ON_SEMAPHORE, "" },
		{ "branch", PACKET_BRANCH, "4" },
		{ "indexed", PACKET_INDEXED_PRIMITIVE, "1444" },
		{ "array", PACKET_ARRAY_PRIMITIVE, "144" },
		{ "format", PACKET_PRIMITIVE_FORMAT, "1" },
		{ "state", PACKET_GL_SHADER_STATE, "4" },
		{ "nv-state", PACKET_NV_SHADER_STATE, "4" },
		{ "config", PACKET_CONFIGURATION_BITS, "111" },
		{ "flat", PACKET_FLAT_SHADE, "4" },
		{ "point", PACKET_POINT_SIZE, "4" },
		{ "line", PACKET_LINE_WIDTH, "4" },
		{ "clip", PACKET_CLIP_WINDOW, "2222" },
		{ "offset", PACKET_VIEWPORT_OFFSET, "22" },
		{ "z-clip", PACKET_Z_CLIPPING, "44" },
		{ "xy", PACKET_CLIPPER_XY, "44" },
		{ "z", PACKET_CLIPPER_Z, "44" },
		{ "mode", PACKET_BINNING_MODE, "444111" },
		{ "handles", PACKET_GEM_HANDLES, "44" },
		{ "mystery", 200, "" },
	};
	size_t n = 0;
	char *packet;

	while ((packet = strsep(&text, ","))) {
		const size_t len = strcspn(packet, ":");

		for (size_t i = 0; i < LENGTH(packets); i++)
			if (strlen(packets[i].name) == len &&
			    strncmp(packets[i].name, packet, len) == 0) {
				to[n++] = packets[i].code;
				n += put_numbers(to + n,
						 packet + len +
							 (packet[len] == ':'),
						 packets[i].sizes);
			}
	}
	return n;
}

#define MEMBER(name, member, sizes)                                            \
	{                                                                      \
		name, offsetof(struct vc4_submit_cl, member), sizes            \
	}

static const struct member submit_members[] = {
	MEMBER("bytes", bin_cl_size, "4"),
	MEMBER("record-bytes", shader_rec_size, "4"),
	MEMBER("nrecords", shader_rec_count, "4"),
	MEMBER("uniform-bytes", uniforms_size, "4"),
	MEMBER("nhandles", bo_handle_count, "4"),
	MEMBER("size", width, "22"),
	MEMBER("tiles", min_x_tile, "1111"),
	MEMBER("color-read", color_read, "4422"),
	MEMBER("color", color_write, "4422"),
	MEMBER("zs-read", zs_read, "4422"),
	MEMBER("zs", zs_write, "4422"),
	MEMBER("samples", msaa_color_write, "4422"),
	MEMBER("zs-samples", msaa_zs_write, "4422"),
	MEMBER("clear", clear_color, "44"),
	MEMBER("clear-zs", clear_z, "41"),
	MEMBER("flags", flags, "4"),
	MEMBER("perfmon", perfmonid, "4"),
	MEMBER("in-sync", in_sync, "4"),
	MEMBER("out-sync", out_sync, "4"),
	MEMBER("pad", pad2, "4"),
};

static void
submit(char *words)
{
	static uint8_t bin_list[LIST_BYTES];
	static uint32_t handles[WORDS], records[WORDS], uniforms[WORDS];
	struct vc4_submit_cl request = vc4_clear_job(handles, 0);
	char copy[1024], *rest = copy, *word;
	int error;

	handles[0] = 1;
	request.flags = 0;
	request.bin_cl = (uintptr_t)bin_list;
	request.shader_rec = (uintptr_t)records;
	request.uniforms = (uintptr_t)uniforms;
	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value || set_member(submit_members, LENGTH(submit_members),
					 &request, word))
			continue;
		*value++ = '\0';
		if (strcmp(word, "handles") == 0)
			request.bo_handle_count = read_words(value, handles);
		else if (strcmp(word, "records") == 0)
			request.shader_rec_size =
				4 * read_words(value, records);
		else if (strcmp(word, "uniforms") == 0)
			request.uniforms_size = 4 * read_words(value, uniforms);
		else if (strcmp(word, "list") == 0)
			request.bin_cl_size =
				(uint32_t)read_list(value, bin_list);
		else
			answer(0, "no key: %s", word);
	}
	/* Both halves of a tile have the colour, if nothing else is said. */
	if (!request.clear_color[1])
		request.clear_color[1] = request.clear_color[0];
	error = ask(VC4_SUBMIT_CL, &request);
	answer(error, "job %" PRIu64, request.seqno);
}

static void
triangle(char *words)
{
	char all[1024];

	snprintf(all, sizeof(all),
		 "handles=1,2,3,4,5,6 flags=1 clear=0xc1ea4 nrecords=1 "
		 "list=mode:0.0.0.2.2.1,start,format:18,clip:0.0.64.64,"
		 "config:0x43.0x70.2,point:0x3f800000,line:0x3f800000,"
		 "xy:0x44000000.0x44000000,z:0x3f000000.0x3f000000,"
		 "offset:512.512,flat,state:1,array:4.3.0,semaphore,flush "
		 "records=2,4,5,1,5,0,0,0x0c010000,0,0,0x0c010000,0,0,0,0x0c0b "
		 "%s",
		 words);
	submit(all);
}

static void
scene(char *words)
{
	/* Samples are the first uniform, x, y, and the uniform again. */
	static char places[] =
		"mov r0, unif; mov r1, x_coord; mov r2, y_coord; nop; nop; "
		"mov tlbm, r0; mov tlbm, r1; mov tlbm, r2; mov tlbm, r0; "
		"thrend; nop; nop; sbdone";
	/* Samples are what a lookup finds at an offset that is a uniform. */
	static char lookups[] =
		"ldi r0, 0; max r0, r0, 0; min r0, r0, unif; "
		"add t0s, r0, unif; ldtmu0; mov r0, r4; nop; "
		"mov tlbm, r0; mov tlbm, r0; mov tlbm, r0; mov tlbm, r0; "
		"thrend; nop; nop; sbdone";

	golden_is_quiet = true;
	create("65536");
	create("4096");
	program(strcmp(words, "places") == 0  ? places :
		strcmp(words, "lookups") == 0 ? lookups :
						words);
	create("4096");
	program("ldi vr_setup, 0x301a00; ldi vw_setup, 0x1a00; mov vpm, vpm; "
		"mov -, vpm; mov -, vpm; mov vpm, 0; mov vpm, 1.0; "
		"thrend; nop; nop");
	program("ldi vr_setup, 0x301a00; ldi vw_setup, 0x1a00; mov r0, vpm; "
		"mov vpm, vpm; mov vpm, vpm; mov vpm, 0; mov vpm, 1.0; "
		"mov vpm, r0; mov vpm, 0; mov vpm, 1.0; thrend; nop; nop");
	/* The corners are such that they cover all tiles. */
	poke("2 0xfe00fe00,0xbf800000,0xbf800000,0xfe000600,0x40400000,"
	     "0xbf800000,0x0600fe00,0xbf800000,0x40400000");
	golden_is_quiet = false;
}

const struct golden_command job_commands[] = {
	{ "program", program },
	{ "bus", bus },
	{ "register", tell_register },
	{ "scene", scene },
	{ "bytes", put_bytes },
	{ "write", write_register },
	{ "run", run_machine },
	{ "reset", reset_machine },
	{ "registers", tell_registers },
	{ "clocks", tell_clocks },
	{ "triangle", triangle },
	{ "submit", submit },
	{ "jobs", jobs },
	{ "time", tell_time },
	{ NULL, NULL },
};
