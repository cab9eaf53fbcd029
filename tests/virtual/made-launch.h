/* SPDX-License-Identifier: MIT */
/*
 * made-launch: launches on a made board, and programs for them.
 */
#ifndef TESTS_VIRTUAL_MADE_LAUNCH_H
#define TESTS_VIRTUAL_MADE_LAUNCH_H

#include <stdint.h>
#include <time.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/virtual/board/gpu.h"
#include "qpu/virtual/board/pool.h"
#include "tests/virtual/made-board.h"

enum {
	BASE = 0x1e000000, /* 512 MiB less 32 */
	MEMORY_BYTES = 4096,
	UNIFORMS = 0x800, /* in the memory of a launch */
	CONTROL = 0x900,
	RESULT = 0xa00
};

#define NOPS "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
#define ENDS "mov irq, 1\nthrend\nnop\nnop\n" NOPS
#define SILENT "thrend\nnop\nnop\n" NOPS
#define LOOPS ":a\nbrr -, :a\nnop\nnop\nnop\n" NOPS
#define WAITS "sacq -, 0\nthrend\nnop\nnop\n" NOPS
#define STORES                                                                 \
	"mov r0, unif\nmov vw_setup, 0x1a00\nmov vpm, r0\n"                    \
	"mov vw_setup, 0x80904000\nmov vw_setup, 0xc0000000\n"                 \
	"mov vw_addr, unif\nmov -, vw_wait\n" ENDS

static uint32_t bus;
static uint8_t *memory;

static void
put_word(uint32_t offset, uint32_t word)
{
	memcpy(memory + offset, &word, 4);
}

__attribute__((unused)) static uint32_t
result_word(unsigned lane)
{
	uint32_t word;

	memcpy(&word, memory + RESULT + 4 * lane, 4);
	return word;
}

/* A program, with the number and the address that STORES wants. */
__attribute__((unused)) static void
load(const char *text, uint32_t number, uint32_t address)
{
	struct qpu_asm_program program;

	memset(memory, 0, MEMORY_BYTES);
	if (!qpu_asm_text("test", text, strlen(text), NULL, &program))
		exit(99);
	for (size_t i = 0; i < program.nwords; i++)
		qpu_word_store(memory + 8 * i, program.words[i].word);
	qpu_asm_free(&program);
	put_word(UNIFORMS, number);
	put_word(UNIFORMS + 4, address);
	for (uint32_t i = 0; i < 12; i++) {
		put_word(CONTROL + 8 * i, bus + UNIFORMS);
		put_word(CONTROL + 8 * i + 4, bus);
	}
}

__attribute__((unused)) static enum gpu_answer
launch(const char *text, unsigned n, uint32_t timeout_ms)
{
	load(text, 7, bus + RESULT);
	made_says();
	return gpu_execute(&board, n, bus + CONTROL, timeout_ms);
}

/* The memory of a launch; false with a failed case. */
__attribute__((unused)) static bool
made_launch_begin(const struct board_options *options)
{
	if (!made_begin("pi1", options))
		return false;
	memory = board_gpu_memory(&board);
	bus = pool_lock(&board, pool_allocate(&board, MEMORY_BYTES, 4096, 4));
	return ok(memory && bus == (0xc0000000 | BASE), "memory is locked");
}

#endif
