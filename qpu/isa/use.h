/* SPDX-License-Identifier: MIT */
/*
 * use: which registers an instruction reads and writes.
 */
#ifndef QPU_ISA_USE_H
#define QPU_ISA_USE_H

#include <stdbool.h>
#include <stdint.h>

struct qpu_inst;

struct qpu_result {
	uint8_t addr;
	bool file_b;
	bool of_mul;
	uint8_t cond; /* enum qpu_cond, not NEVER */
};

struct qpu_use {
	struct qpu_result writes[2]; /* without the nop register */
	unsigned nwrites;
	bool add_reads[8]; /* by mux: operands of a working add ALU */
	bool mul_reads[8];
	int port_a; /* address on the A port, or -1 */
	int port_b;
	bool rotates; /* the mul result */
};

void
qpu_use(const struct qpu_inst *inst, struct qpu_use *use);

/* Does an ALU use what the A or B port, or an accumulator, delivers? */
static inline bool
qpu_use_reads_mux(const struct qpu_use *use, unsigned mux)
{
	return use->add_reads[mux] || use->mul_reads[mux];
}

/* Is an address written, of either file? */
static inline bool
qpu_use_writes(const struct qpu_use *use, unsigned addr)
{
	for (unsigned i = 0; i < use->nwrites; i++)
		if (use->writes[i].addr == addr)
			return true;
	return false;
}

/* Is an I/O address read, wanted or not?  Reading has effects there. */
static inline bool
qpu_use_reads_io(const struct qpu_use *use, unsigned addr)
{
	return use->port_a == (int)addr || use->port_b == (int)addr;
}

#endif
