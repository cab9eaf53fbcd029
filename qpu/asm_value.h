/* SPDX-License-Identifier: MIT */
/*
 * asm_value: what an expression of the assembler can be.
 */
#ifndef QPU_ASM_VALUE_H
#define QPU_ASM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum asm_type {
	ASM_INT,
	ASM_FLOAT,
	ASM_ELEMENTS,		/* one small number for each lane */
	ASM_REG,
	ASM_SEMA,		/* sacq0.. and srel0.. */
	ASM_LABEL,
};

enum { ASM_FILE_A = 1, ASM_FILE_B = 2 };

/* Pack and unpack suffixes: which part, saturated, integer or float. */
enum asm_part {
	ASM_PART_32,		/* also: no suffix */
	ASM_PART_16A,
	ASM_PART_16B,
	ASM_PART_8ABCD,
	ASM_PART_8A,
	ASM_PART_8B,
	ASM_PART_8C,
	ASM_PART_8D,
	ASM_PART_8DR,
};

struct asm_pack {
	uint8_t part;		/* enum asm_part */
	bool saturate;
	char domain;		/* 'i', 'f' or 0 for what the operation is */
};

enum { ASM_ROTATE_R5 = 16 };

struct asm_reg {
	uint8_t addr;
	uint8_t read_files;	/* ports that can read it; 0: not readable */
	uint8_t write_files;
	int8_t mux;		/* 0..5 for the accumulators, else -1 */
	struct asm_pack pack;
	uint8_t rotate;		/* lanes up, or ASM_ROTATE_R5 */
};

struct asm_value {
	enum asm_type type;
	bool unknown;		/* from a label that is not defined yet */
	bool relative;		/* LABEL: written r:name */
	bool acquire;		/* SEMA */
	int64_t i;		/* INT, LABEL (bytes), SEMA (number) */
	double f;		/* FLOAT */
	uint32_t elements;	/* ELEMENTS: as the load has it */
	uint8_t load;		/* ELEMENTS: enum qpu_load */
	struct asm_reg reg;
};

struct asm_value asm_value_int(int64_t i);
struct asm_value asm_value_float(double f);

/* The nop register, written "-". */
struct asm_value asm_value_nop(void);

/* A register or semaphore by its name. */
bool asm_value_find_reg(const char *name, struct asm_value *value);

/* How the registers of a value are called, for messages. */
void asm_reg_name(const struct asm_reg *reg, bool written, char name[32]);

/* A pack or unpack suffix such as 16a, 8csf, 8dr, 32s. */
bool asm_pack_parse(const char *text, struct asm_pack *pack);

/* The word an INT or FLOAT stands for; false when it needs more bits. */
bool asm_value_word(const struct asm_value *value, uint32_t *word);

/*
 * Apply an operator of asm_lex.  False, with a reason, when the operands do
 * not fit it.  A unary operator has a null right operand.
 */
bool asm_value_unary(uint32_t op, struct asm_value *value,
		     const char **reason);
bool asm_value_binary(uint32_t op, struct asm_value *left,
		      const struct asm_value *right, const char **reason);

#endif
