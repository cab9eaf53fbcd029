/* SPDX-License-Identifier: MIT */
/*
 * operand: values that a user of the debugger names, and conditions on them.
 *
 * An operand is a register (r0 to r5, ra0 to ra31, rb0 to rb31), one lane of
 * it (ra3[15]), a word of memory ([40020000], the address hexadecimal), or a
 * number: decimal, 0x hexadecimal, or with a point a float, whose bits are
 * meant.
 */
#ifndef QPU_DEBUGGER_OPERAND_H
#define QPU_DEBUGGER_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"

/*
 * A bus address as users write it, hexadecimal with or without 0x, which ends
 * at *end; false if there is none, or it is too large.
 */
bool
bus_address_parse(const char *text, const char **end, uint32_t *addr);

enum operand_kind {
	OPERAND_NUMBER,
	OPERAND_REGISTER,
	OPERAND_MEMORY,
};

struct operand {
	enum operand_kind kind;
	unsigned file, number, lane; /* as for machine_register */
	bool has_lane;		     /* else lane 0, or all that are set */
	uint32_t value;		     /* of the number, or an address */
};

/* A set: is it true if the left one is less, equal, more? */
enum relation { RELATION_LESS = 1, RELATION_EQUAL = 2, RELATION_MORE = 4 };

/* Compared as signed integers of 32 bits. */
struct condition {
	struct operand left, right;
	unsigned relation; /* of enum relation */
};

/* An operand that ends at *text, which is moved. */
bool
operand_parse(const char **text, struct operand *operand, struct diag *why);

/* Read one word; return false outside of memory. */
bool
operand_read(const struct operand *operand, struct machine *machine,
	     unsigned qpu, uint32_t *value);

/* Set a word, or all lanes of a register; return false for a number and outside of
 * memory. */
bool
operand_write(const struct operand *operand, struct machine *machine,
	      unsigned qpu, uint32_t value);

/* OPERAND, one of == != < <= > >=, and OPERAND. */
bool
condition_parse(const char *text, struct condition *condition,
		struct diag *why);

/* Return whether it holds; outside of memory it does not. */
bool
condition_holds(const struct condition *condition, struct machine *machine,
		unsigned qpu);

#endif
