/* SPDX-License-Identifier: MIT */
/*
 * emu: a machine with one megabyte of memory and programs given as text, for
 * the tests of the emulator.
 */
#ifndef TESTS_EMULATOR_EMU_H
#define TESTS_EMULATOR_EMU_H

#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/linemap.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/rules.h"
#include "tests/support/tap.h"

enum {
	EMU_BASE = 0x40000000,
	EMU_BYTES = 1 << 20,
	EMU_CODE = 0x1000,     /* offsets in memory */
	EMU_UNIFORMS = 0x8000, /* 1 KiB for each program */
	EMU_DATA = 0x10000,
	EMU_RULES = 64,
	EMU_SOURCE = 8192, /* bytes of a source */
};

#define EMU_END "\nthrend\nnop\nnop\n"

struct emu {
	struct machine *machine;
	uint8_t *memory;
	size_t code_end;
	struct machine_program programs[16];
	unsigned nprograms;
	enum machine_status status;
	struct diag why;
	unsigned findings[EMU_RULES]; /* by rule */
	unsigned nfindings;
	char finding[128]; /* the last one: its name and text */
};

__attribute__((unused)) static void
emu_finding(void *context, const struct qpu_message *message)
{
	struct emu *emu = context;

	if (message->severity == QPU_SEVERITY_NOTE)
		return;
	emu->nfindings++;
	snprintf(emu->finding, sizeof(emu->finding), "%s: %s", message->rule,
		 message->text);
	emu->findings[qpu_rule_number_of(message->rule)]++;
}

__attribute__((unused)) static struct emu
emu_open(const struct machine_options *options)
{
	struct emu emu = { .code_end = EMU_CODE };

	emu.memory = aligned_alloc(4096, EMU_BYTES);
	emu.machine = machine_create(options, &emu.why);
	if (!emu.memory || !emu.machine) {
		printf("Bail out! %s\n", emu.why.text);
		exit(99);
	}
	memset(emu.memory, 0, EMU_BYTES);
	machine_add_memory(emu.machine, EMU_BASE, emu.memory, EMU_BYTES,
			   &emu.why);
	return emu;
}

__attribute__((unused)) static void
emu_close(struct emu *emu)
{
	machine_destroy(emu->machine);
	free(emu->memory);
}

/* Assemble at the next free line of code; returns the bus address.  The lines of
 * the source are added to a line map of all code, unless it is null. */
__attribute__((unused)) static uint32_t
emu_assemble_lines(struct emu *emu, const char *name, const char *text,
		   struct qpu_linemap *lines)
{
	struct qpu_asm_program program;
	const uint32_t at = emu->code_end;

	if (!qpu_asm_text(name, text, strlen(text), NULL, &program)) {
		for (size_t i = 0; i < program.nmessages; i++)
			printf("# line %u: %s\n", program.messages[i].line,
			       program.messages[i].text);
		printf("Bail out! the program of a test is wrong:\n%s\n", text);
		exit(99);
	}
	for (size_t i = 0; i < program.nwords; i++) {
		const struct qpu_asm_word *word = &program.words[i];

		qpu_word_store(emu->memory + at + 8 * i, word->word);
		if (lines)
			qpu_linemap_add(lines, at - EMU_CODE + 8 * i,
					word->file, word->line, word->text);
	}
	emu->code_end = (at + 8 * program.nwords + 63) & ~(size_t)63;
	qpu_asm_free(&program);
	return EMU_BASE + at;
}

__attribute__((unused)) static uint32_t
emu_assemble(struct emu *emu, const char *text)
{
	return emu_assemble_lines(emu, "test", text, NULL);
}

/* A program whose lines stand on one line, with " | " between them; `end` is the
 * usual end of a program. */
__attribute__((unused)) static void
emu_expand(const char *line, char source[EMU_SOURCE])
{
	static const char separator[] = " | ", end[] = "end";
	char *at = source;

	while (*line && *line != '\n') {
		if (strncmp(line, separator, strlen(separator)) == 0) {
			*at++ = '\n';
			line += strlen(separator);
		} else if ((at == source || at[-1] == '\n') &&
			   strncmp(line, end, strlen(end)) == 0) {
			at = stpcpy(at, "thrend\nnop\nnop");
			line += strlen(end);
		} else {
			*at++ = *line++;
		}
	}
	strcpy(at, "\n");
}

/* One more program to start, with its uniforms. */
__attribute__((unused)) static void
emu_program(struct emu *emu, uint32_t code, const uint32_t *uniforms,
	    unsigned n)
{
	const uint32_t at = EMU_UNIFORMS + 1024 * emu->nprograms;

	if (n)
		memcpy(emu->memory + at, uniforms, n * sizeof(*uniforms));
	emu->programs[emu->nprograms++] = (struct machine_program){
		.uniforms = EMU_BASE + at,
		.code = code,
	};
}

/* Start what was added, and run it. */
__attribute__((unused)) static enum machine_status
emu_go(struct emu *emu, uint64_t instructions)
{
	memset(&emu->why, 0, sizeof(emu->why));
	emu->status = MACHINE_FAULT;
	machine_on_message(emu->machine, emu_finding, emu);
	if (machine_launch(emu->machine, emu->programs, emu->nprograms,
			   &emu->why))
		emu->status =
			machine_run(emu->machine, instructions, 0, &emu->why);
	if (emu->status != MACHINE_DONE)
		tap_note("%s", emu->why.text);
	return emu->status;
}

/* Return the cost of the nth word of code that was executed, from 0, and its address;
 * null if there are not as many. */
__attribute__((unused)) static const struct machine_cost *
emu_cost(const struct machine *machine, unsigned n, uint32_t *pc)
{
	const struct machine_cost *cost = NULL;

	for (*pc = 0; *pc < MACHINE_BUS_MASK; *pc += 8) {
		cost = machine_cost_of(machine, *pc);
		if (!cost)
			*pc += 4096 - 8;
		else if (cost->executions && n-- == 0)
			return cost;
	}
	return NULL;
}

/* Call a test for each vector instruction set that this host has. */
__attribute__((unused)) static void
emu_each_simd(void (*test)(const char *set, enum machine_simd simd))
{
	static const struct {
		const char *name;
		enum machine_simd simd;
	} sets[] = {
		{ "portable", MACHINE_SIMD_PORTABLE },
		{ "AVX-512", MACHINE_SIMD_AVX512 },
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		const struct machine_options options = { .simd = sets[i].simd };
		struct machine *machine = machine_create(&options, NULL);

		machine_destroy(machine);
		if (machine)
			test(sets[i].name, sets[i].simd);
		else
			tap_skip("this host has no %s", sets[i].name);
	}
}

/* Words of memory from an offset. */
__attribute__((unused)) static uint32_t *
emu_words(const struct emu *emu, uint32_t offset)
{
	return (uint32_t *)(emu->memory + offset);
}

/* Return true if a vector has these lanes; else print the first wrong one. */
__attribute__((unused)) static bool
emu_lanes_are(const uint32_t *lanes, const uint32_t expected[MACHINE_LANES])
{
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		if (lanes[i] != expected[i]) {
			tap_note("lane %u is %08x, not %08x", i, lanes[i],
				 expected[i]);
			return false;
		}
	return true;
}

#endif
