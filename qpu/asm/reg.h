/* SPDX-License-Identifier: MIT */
/*
 * reg: registers as operands: their names, the files that they can be read
 * from and written to, and the pack suffix or rotation written with them.
 */
#ifndef QPU_ASM_REG_H
#define QPU_ASM_REG_H

#include <stdbool.h>
#include <stdint.h>

enum { ASM_FILE_A = 1, ASM_FILE_B = 2 };

/* Pack and unpack suffixes: which part, saturated, integer or float. */
enum asm_part {
	ASM_PART_32, /* also: no suffix */
	ASM_PART_16A,
	ASM_PART_16B,
	ASM_PART_8ABCD,
	ASM_PART_8A,
	ASM_PART_8B,
	ASM_PART_8C,
	ASM_PART_8D,
	ASM_PART_8DR,	 /* unpacks 8d into all bytes */
	ASM_PART_8DDUPE, /* unpacks as 8DR, packs as 8ABCD */
};

struct asm_pack {
	uint8_t part; /* enum asm_part */
	bool saturate;
	char domain; /* 'i', 'f' or 0 for what the operation is */
};

enum { ASM_ROTATE_R5 = 16, ASM_REG_NAME = 32 /* bytes */ };

struct asm_reg {
	uint8_t addr;
	uint8_t read_files; /* ports that can read it; 0: not readable */
	uint8_t write_files;
	int8_t mux; /* 0..5 for the accumulators, else -1 */
	struct asm_pack pack;
	uint8_t rotate; /* lanes up, or ASM_ROTATE_R5 */
};

/* The nop register, written "-". */
struct asm_reg
asm_reg_nop(void);

bool
asm_reg_find(const char *name, struct asm_reg *reg);

/* A decimal number of at most two digits that ends the name, or -1. */
int
asm_reg_number(const char *digits);

/* The name of a register that is written or read, for messages. */
void
asm_reg_name(const struct asm_reg *reg, bool written, char name[ASM_REG_NAME]);

/* A pack or unpack suffix such as 16a, 8csf, 8dr, 32s, 8aclamp. */
bool
asm_reg_parse_pack(const char *text, struct asm_pack *pack);

#endif
