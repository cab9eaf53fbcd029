/* SPDX-License-Identifier: MIT */
/*
 * board-qpus: commands of test-board.c about the QPUs: programs and their
 * launches, registers, and costs.
 */
#ifndef TESTS_VIRTUAL_BOARD_QPUS_H
#define TESTS_VIRTUAL_BOARD_QPUS_H

#include <sys/wait.h>

#include "qpu/abi/v3d.h"
#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/pi/gpu.h"
#include "tests/virtual/board-memory.h"

enum {
	/* Offsets in the memory of a launch. */
	LAUNCH_BYTES = 4096,
	UNIFORMS = 0x800,
	CONTROL = 0x900,
	RESULT = 0xa00,
	CHANGING = RESULT + 128 /* the number of programs loaded so far */
};

#define NOPS "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
#define ENDS "mov irq, 1\nthrend\nnop\nnop\n" NOPS

static const struct {
	const char *name, *text;
} programs[] = {
	{ "ends", ENDS },
	{ "silent", "thrend\nnop\nnop\n" NOPS },
	{ "loops", ":a\nbrr -, :a\nnop\nnop\nnop\n" NOPS },
	{ "waits", "sacq -, 0\nthrend\nnop\nnop\n" NOPS },
	{ "early", /* some 100,000 instructions after its interrupt it stores */
	  "mov r0, unif\nmov irq, 1\nldi r1, 20000\n:a\nsub.setf r1, r1, 1\n"
	  "brr.anynz -, :a\nnop\nnop\nnop\nmov vw_setup, 0x1a00\n"
	  "mov vpm, r0\nmov vw_setup, 0x80904000\nmov vw_setup, 0xc0000000\n"
	  "mov vw_addr, unif\nmov -, vw_wait\nthrend\nnop\nnop\n" NOPS },
	{ "hazard", "mov ra1, 1\nmov r0, ra1\n" ENDS },
	{ "copies", /* to all lanes of the result, the word of CHANGING */
	  "mov r0, unif\nmov r1, unif\nldi r2, 128\nadd t0s, r1, r2\n"
	  "ldtmu0\nmov vw_setup, 0x1a00\nmov vpm, r4\n"
	  "mov vw_setup, 0x80904000\nmov vw_setup, 0xc0000000\n"
	  "mov vw_addr, r1\nmov -, vw_wait\n" ENDS },
	{ "stores", /* the first uniform, in 16 lanes, where the second says */
	  "mov r0, unif\nmov vw_setup, 0x1a00\nmov vpm, r0\n"
	  "mov vw_setup, 0x80904000\nmov vw_setup, 0xc0000000\n"
	  "mov vw_addr, unif\nmov -, vw_wait\n" ENDS },
};

static uint32_t launch_bus;
static uint8_t *launch_memory;
static uint32_t nloaded;
static bool noflush;

static void
put_word(uint32_t offset, uint32_t value)
{
	memcpy(launch_memory + offset, &value, 4);
}

/* A program, and the address where it stores. */
static void
load(const char *name, uint32_t address)
{
	struct qpu_asm_program program;
	const char *text = NULL;

	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			text = programs[i].text;
	if (!launch_memory) {
		const uint32_t handle =
			pool_allocate(&board, LAUNCH_BYTES, PAGE, 4);
		launch_bus = pool_lock(&board, handle);
		launch_memory = board_gpu_memory(&board) +
				pool_find(&board, handle)->offset;
	}
	memset(launch_memory, 0, LAUNCH_BYTES);
	if (!text || !qpu_asm_text("test", text, strlen(text), NULL, &program))
		exit(99);
	for (size_t i = 0; i < program.nwords; i++)
		qpu_word_store(launch_memory + 8 * i, program.words[i].word);
	qpu_asm_free(&program);
	put_word(UNIFORMS, 7);
	put_word(CHANGING, ++nloaded);
	put_word(UNIFORMS + 4, address ? address : launch_bus + RESULT);
	for (uint32_t i = 0; i < 12; i++) {
		put_word(CONTROL + 8 * i, launch_bus + UNIFORMS);
		put_word(CONTROL + 8 * i + 4, launch_bus);
	}
}

/* Show what has been counted since; clocks are rounded. */
static void
put_totals(const struct board_totals *before)
{
	const struct board_totals *now = &board.shared->totals;
	const uint64_t clocks = now->clocks - before->clocks;

	fprintf(out, "%u launches, %u instructions",
		(unsigned)(now->launches - before->launches),
		(unsigned)(now->instructions - before->instructions));
	if (now->counters[16] != before->counters[16])
		fprintf(out, ", counter 16: %u",
			(unsigned)(now->counters[16] - before->counters[16]));
	if (clocks > 0)
		fprintf(out, ", %u000 clocks",
			(unsigned)((clocks + 500) / 1000));
	if (now->launch_clocks > before->launch_clocks)
		fputs(", some before", out);
	if (now->findings > before->findings)
		fprintf(out, ", %u hazards",
			(unsigned)(now->findings - before->findings));
	if (board.shared->hung)
		fputs(", hung", out);
}

static void
execute(uint32_t control)
{
	static const char *const names[] = {
		[GPU_OK] = "good", [GPU_FAILED] = "failed", [GPU_LATE] = "late"
	};
	const struct board_totals before = board.shared->totals;

	fprintf(out, "%s, ",
		names[gpu_execute(&board, number(2), control, noflush,
				  number(3))]);
	put_totals(&before);
}

/* launch PROGRAM N MS [ADDRESS]; execute OFFSET N MS: once more, where the list
 * of programs is at another place of its memory. */
static void
launch(void)
{
	if (strcmp(word(0), "launch") == 0) {
		load(word(1), number(4));
		execute(launch_bus + CONTROL);
		return;
	}
	if (number(1) < LAUNCH_BYTES)
		memcpy(launch_memory + number(1), launch_memory + CONTROL, 8);
	execute(launch_bus + number(1));
}

/* noflush 0 or 1: what launches ask for from now on. */
static void
set_noflush(void)
{
	noflush = number(1);
}

/* start PROGRAM [ADDRESS]: by registers. */
static void
start(void)
{
	const struct board_totals before = board.shared->totals;

	load(word(1), number(2));
	gpu_write(&board, V3D_SRQUA, launch_bus + UNIFORMS);
	gpu_write(&board, V3D_SRQPC, launch_bus);
	put_totals(&before);
}

static void
show_results(void)
{
	for (unsigned i = 0; i < 17; i++)
		fprintf(out, " %x", launch_memory[RESULT + 4 * i]);
}

static void
enable(void)
{
	const uint32_t resets = board.shared->resets;

	fprintf(out, "%x", power_enable(&board, *word(0) == 'e'));
	fprintf(out, ", %u%s", board.shared->enabled,
		board.shared->resets != resets ? ", reset" : "");
}

static void
access_register(void)
{
	const struct board_totals before = board.shared->totals;

	if (*word(0) == 'w')
		gpu_write(&board, number(1), number(2));
	else
		fprintf(out, "%x, ", gpu_read(&board, number(1)));
	put_totals(&before);
}

static void
peek_registers(void)
{
	const struct board_totals before = board.shared->totals;
	uint32_t values[2];

	gpu_peek(&board, number(1), values, 2);
	fprintf(out, "%x %x, ", values[0], values[1]);
	put_totals(&before);
}

/* Read a register in a child, whose answer is the child's own. */
static void
read_in_child(void)
{
	const uint64_t before = board.shared->totals.instructions;

	if (fork() == 0) {
		gpu_read(&board, number(1));
		_exit(0);
	}
	wait(NULL);
	fprintf(out, "%u instructions",
		(unsigned)(board.shared->totals.instructions - before));
}

#endif
