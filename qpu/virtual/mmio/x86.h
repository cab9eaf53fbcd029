/* SPDX-License-Identifier: MIT */
/*
 * x86: decodes the memory operand of an x86-64 instruction, so that the
 * instruction can be executed with another operand.
 *
 * An instruction with an operand in memory comes back rewritten: the same
 * operation, the operand addressed as [rip + disp32] with the displacement
 * left open.  How much of the operand it touches is not known here; the
 * processor itself tells (see step_x86.c).  String instructions have no
 * address to rewrite; they come back as one step without their prefix.
 *
 * Not accepted: instructions with no ModRM operand or with several (push,
 * gathers), jumps and calls through memory, and bit tests whose bit lies
 * outside the operand.
 *
 * Sections are those of the Intel 64 and IA-32 manual, volume 2.
 */
#ifndef QPU_VIRTUAL_MMIO_X86_H
#define QPU_VIRTUAL_MMIO_X86_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum { X86_CODE_BYTES = 24 };

enum x86_repeat {
	X86_ONCE,
	X86_REPEAT,	  /* rcx times */
	X86_REPEAT_EQUAL, /* and while equal */
	X86_REPEAT_UNEQUAL,
};

struct x86_access {
	uint8_t length;		      /* of the instruction as it stands */
	uint8_t code[X86_CODE_BYTES]; /* of the rewritten one */
	uint8_t code_length;
	uint8_t displacement; /* where its four bytes are in code */

	uintptr_t address; /* of the operand; 0 if unknown */
	bool whole_words;  /* a store of words that reads none */

	uint8_t string_bytes; /* of an element; 0: not a string */
	bool source, target;  /* does it use [rsi], [rdi]? */
	bool target_stored;   /* is [rdi] written, not read? */
	enum x86_repeat repeat;
};

/* Decode the instruction at rip; false if it is not accepted. */
bool
x86_decode(struct x86_access *access, const mcontext_t *machine);

#endif
