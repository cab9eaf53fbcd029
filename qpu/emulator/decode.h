/* SPDX-License-Identifier: MIT */
/*
 * decode: instructions in the form the core executes, and the pages of code
 * that hold them.
 *
 * A decoded operand is a slot: the index of a vector in the QPU's file, so
 * that registers, immediates and values that came from a port are read alike.
 * A line of code (64 bytes) is decoded when it is first reached, and again
 * when its words have changed.
 */
#ifndef QPU_EMULATOR_DECODE_H
#define QPU_EMULATOR_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/emulator/base/memory.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/isa.h"

enum emu_slot {
	EMU_SLOT_A = 0,	   /* ra0..ra31 */
	EMU_SLOT_B = 32,   /* rb0..rb31 */
	EMU_SLOT_ACC = 64, /* r0..r5 */
	EMU_SLOT_R4 = 68,
	EMU_SLOT_R5 = 69,
	EMU_SLOT_IN_A = 70, /* read from a port through A, B */
	EMU_SLOT_IN_B,
	EMU_SLOT_UNPACK_INT, /* unpacked for integer, float ops */
	EMU_SLOT_UNPACK_FLOAT,
	EMU_SLOT_MIXED,	  /* accumulator moved across quads */
	EMU_SLOT_LOAD,	  /* value of a load immediate */
	EMU_SLOT_OUT_ADD, /* on its way to a port */
	EMU_SLOT_OUT_MUL,
	EMU_SLOT_MASK_ADD, /* all-ones in lanes the ALU writes */
	EMU_SLOT_MASK_MUL,
	EMU_SLOT_ELEMENT, /* elem_num, qpu_num */
	EMU_SLOT_QPU,
	EMU_SLOT_NOTHING, /* what register 39 and a mul nop yield */
	EMU_SLOT_X,	  /* coordinates of a fragment thread's pixels */
	EMU_SLOT_Y,
	EMU_SLOT_TRASH, /* results that are not written */
	EMU_SLOT_SMALL, /* 64 small immediates */
	EMU_SLOTS = EMU_SLOT_SMALL + 64
};

enum emu_kind {
	EMU_KIND_DECODE,    /* not decoded yet */
	EMU_KIND_NEXT_PAGE, /* after the last instruction of a page */
	EMU_KIND_PLAIN,	    /* two ALU results into registers, no more */
	EMU_KIND_ALU,	    /* everything that computes */
	EMU_KIND_BRANCH,
	EMU_KIND_REFUSE, /* cannot be executed here */
};

/* Operations that the instruction set spells as others. */
enum { EMU_MOV = 32 };

/* Beside QPU_UNPACK_*: the result is a float. */
enum { EMU_UNPACK_FLOAT = 8 };

/* Work before and after the two ALUs. */
enum emu_before {
	EMU_BEFORE_PORT = 1,
	EMU_BEFORE_LOAD = 2,
	EMU_BEFORE_UNPACK = 4,
	EMU_BEFORE_MIXED = 8,
};

enum emu_after {
	EMU_AFTER_ROTATE = 1,
	EMU_AFTER_COND = 2,
	EMU_AFTER_PACK = 4,
	EMU_AFTER_FLAGS = 8,
	EMU_AFTER_PORT = 16,
};

enum { EMU_ROTATE_R5 = 16 };

/* The work of the add ALU or of the mul ALU. */
struct emu_alu {
	uint8_t op;   /* QPU_ADD_*, QPU_MUL_*, or EMU_MOV; nop is 0 */
	uint8_t a, b; /* slots of the operands */
	uint8_t to;   /* slot of the result */
	uint8_t cond;
	uint8_t port;  /* address of a port that it writes, or QPU_W_NOP */
	bool in_b;     /* the file that the port is written through */
	bool flags;    /* its result sets the flags */
	bool packs;    /* its result is packed */
	bool constant; /* x ^ x or x - x: defined whatever x is */
};

struct emu_op {
	uint8_t kind; /* enum emu_kind */
	uint8_t before, after;
	struct emu_alu add, mul;
	uint8_t unpack_int, unpack_float; /* modes, or 0 */
	uint8_t unpack_from;
	uint8_t pack, pack_into;   /* the mode, and the slot of what is kept */
	bool pack_mul, pack_float; /* pm = 1; result is a float */
	uint8_t rotate, mixed_from;
	bool rotate_quads; /* lanes stay in their quad */
	uint8_t load;	   /* enum qpu_load */
	uint8_t sema;
	uint8_t signal;		/* QPU_SIG_*, if it is one of graphics */
	uint8_t read_a, read_b; /* addresses */
	bool mul_no_value;	/* a mul nop that writes */
	bool reads_nowhere;	/* no register is mapped there */
	uint8_t cond_br;
	bool reg, rel, branch_flags;
	/* Instructions from here to the end of the line that touch nothing
	 * shared. */
	uint8_t run;
	uint32_t ports; /* enum qpu_port */
	uint32_t imm;	/* load; branch: target without ra
					   and, if rel, without alias */
};

enum { EMU_PAGE_OPS = 512, EMU_PAGE_BYTES = 4096, EMU_LINE_OPS = 8 };

struct emu_page {
	uint32_t base;
	struct machine_cost *costs; /* null unless profiling */
	uint64_t words[EMU_PAGE_OPS];
	struct emu_op ops[EMU_PAGE_OPS + 1];
};

struct emu_code {
	struct emu_page **pages; /* by address / 4096 */
	struct emu_page **list;	 /* the pages that exist, by address */
	size_t npages;
};

/* Make a code that is all zero; false when memory is short. */
bool
emu_code_init(struct emu_code *code);
void
emu_code_free(struct emu_code *code);

/* Return the page of an address, or null outside of memory. */
struct emu_page *
emu_code_page(struct emu_code *code, struct emu_memory *memory, uint32_t addr,
	      bool profile);

/* Decode the line that holds op. */
void
emu_code_decode(struct emu_page *page, struct emu_memory *memory,
		const struct emu_op *op);

/* Decode words again that have changed: a range, or all. */
void
emu_code_invalidate(struct emu_code *code, uint32_t bus_addr, uint32_t bytes);
void
emu_code_revalidate(struct emu_code *code, struct emu_memory *memory);

void
emu_decode(uint64_t word, uint32_t addr, struct emu_op *op);

/* Why a word is refused, as the end of a sentence. */
void
emu_decode_explain(uint64_t word, char *text, size_t bytes);

static inline uint32_t
emu_page_address(const struct emu_page *page, const struct emu_op *op)
{
	return page->base + (uint32_t)(op - page->ops) * QPU_INST_BYTES;
}

#endif
