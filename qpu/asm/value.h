/* SPDX-License-Identifier: MIT */
/*
 * value: what an expression of the assembler can be, and the functions that
 * expressions have without a definition.
 *
 * A result that depends on a label which is not defined yet is as unknown as
 * the label.
 */
#ifndef QPU_ASM_VALUE_H
#define QPU_ASM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Registers as operands: the files that they can be read from and written to, and
 * the pack suffix or rotation written with them.
 */
enum { ASM_FILE_A = 1, ASM_FILE_B = 2 };

/* Pack and unpack suffixes: which part, saturated, integer or float.  The parts up
 * to 8d have the numbers of the modes in QPU_PACK and QPU_UNPACK. */
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
	bool bit; /* of saturation, for the mul ALU, where it means nothing */
	char domain; /* 'i', 'f' or 0 for what the operation is */
};

enum { ASM_ROTATE_R5 = 16, ASM_REG_NAME = 32 /* bytes */ };

struct asm_reg {
	uint8_t addr;
	uint8_t read_files; /* ports that can read it, or 0 */
	uint8_t write_files;
	int8_t mux; /* 0..5 for the accumulators, else -1 */
	struct asm_pack pack;
	uint8_t rotate; /* lanes up, or ASM_ROTATE_R5 */
};

enum asm_type {
	ASM_INT,
	ASM_FLOAT,
	ASM_ELEMENTS, /* one small number for each lane */
	ASM_REG,
	ASM_SEMA, /* sacq0.. and srel0.. */
	ASM_LABEL,
};

struct asm_value {
	enum asm_type type;
	bool unknown;	   /* from a label that is not defined yet */
	bool address;	   /* from a label */
	bool relative;	   /* LABEL: written r:name */
	bool acquire;	   /* SEMA */
	int64_t i;	   /* INT, LABEL (bytes), SEMA (number) */
	double f;	   /* FLOAT */
	uint32_t elements; /* ELEMENTS: as the load has it */
	uint8_t load;	   /* ELEMENTS: enum qpu_load */
	struct asm_reg reg;
};

static inline struct asm_value
asm_value_int(int64_t i)
{
	return (struct asm_value){ .type = ASM_INT, .i = i };
}

static inline struct asm_value
asm_value_float(double f)
{
	return (struct asm_value){ .type = ASM_FLOAT, .f = f };
}

/* A register or semaphore by its name. */
bool
asm_value_find_reg(const char *name, struct asm_value *value);

/* The word an INT or FLOAT stands for; false when it needs more bits. */
bool
asm_value_word(const struct asm_value *value, uint32_t *word);

static inline bool
asm_value_is_number(const struct asm_value *value)
{
	return value->type == ASM_INT || value->type == ASM_FLOAT;
}

/* Return true if both are one register, but for suffixes and rotations. */
static inline bool
asm_value_same_source(const struct asm_value *a, const struct asm_value *b)
{
	return a->type == ASM_REG && b->type == ASM_REG &&
	       a->reg.mux == b->reg.mux && a->reg.addr == b->reg.addr &&
	       a->reg.read_files == b->reg.read_files;
}

/*
 * Apply an operator of source.h.  False, with a reason, when the operands do
 * not fit it.  A unary operator has a null right operand.
 */
bool
asm_value_unary(uint32_t op, struct asm_value *value, const char **reason);
bool
asm_value_binary(uint32_t op, struct asm_value *left,
		 const struct asm_value *right, const char **reason);

/* Functions of one number, such as sin and floor. */
bool
asm_math_exists(const char *name);

/* Apply one that exists; false, with a reason, when it cannot be. */
bool
asm_math_apply(const char *name, struct asm_value *value, const char **reason);

/*
 * Functions that ask what kind of value something is.  Sources for other
 * assemblers define them with constants that stand for the insides of a
 * register value.
 */
bool
asm_query_exists(const char *name);

/* The value becomes the answer of a query that exists. */
void
asm_query_apply(const char *name, struct asm_value *value);

/* --- Registers by name: reg.c --------------------------------------------- */

/* The nop register, written "-". */
extern const struct asm_reg asm_reg_nop;

bool
asm_reg_find(const char *name, struct asm_reg *reg);

/* A register with nearly this name; null if there is none. */
const char *
asm_reg_similar(const char *name);

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
