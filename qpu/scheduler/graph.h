/* SPDX-License-Identifier: MIT */
/*
 * graph: the operations of one section of a kernel and the values between
 * them, before it is decided when and where they happen.
 *
 * A value is written by one operation, or is there when the section starts.
 * A fixed value lives in a register that all sections agree on; the others
 * are temporaries.  A value with a home takes over the register of another;
 * where that one is a temporary, the two are one temporary that is written
 * twice, the second time in part: some lanes, or some bytes.
 */
#ifndef QPU_SCHEDULER_GRAPH_H
#define QPU_SCHEDULER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GRAPH_OPS = 768,
	GRAPH_VALUES = 768,
	GRAPH_READERS = 128,
	GRAPH_ORDERS = 12,
	GRAPH_TEXT = 32,
};

/* Where a value is.  The first three are what a temporary may choose. */
enum place { PLACE_A, PLACE_B, PLACE_ACC, PLACE_R4, PLACE_R5, PLACE_NONE };
enum { PLACE_CHOICES = 3 };

enum source_kind { SOURCE_VALUE, SOURCE_IMMEDIATE, SOURCE_UNIFORM };

struct operand_source {
	enum source_kind kind;
	int number; /* value or immediate */
	int unpack; /* enum qpu_unpack_mode, of regfile A */
};

/* Which part of an instruction may carry an operation. */
enum op_unit { UNIT_ADD = 1, UNIT_MUL = 2, UNIT_EITHER = 3, UNIT_SIGNAL = 4 };

/* Where a result goes that is no value; of a signal, which TMU it empties. */
enum op_port {
	PORT_NONE,
	PORT_TMU0,
	PORT_TMU1,
	PORT_UNIFORMS,
	PORT_DISCARD,
};

/* This operation comes at least `distance` slots after that one. */
struct order {
	int after;
	int distance;
};

struct op {
	enum op_unit unit;
	uint8_t add_op; /* QPU_ADD_*, if the unit may be ADD */
	uint8_t mul_op; /* QPU_MUL_* */
	struct operand_source source[2];
	int value; /* that it writes, or -1 */
	enum op_port port;
	bool sets_flags;
	uint8_t cond;	/* enum qpu_cond */
	uint8_t pack;	/* enum qpu_pack_mode: writes a part of the value */
	uint8_t rotate; /* lanes by which the mul ALU turns its result, or 0 */
	bool whole;	/* ldi: `operand` is its constant; always in slot 0 */
	bool no_immediate;	  /* in the same instruction */
	char operand[GRAPH_TEXT]; /* of m4: what SOURCE_UNIFORM reads */
	struct order orders[GRAPH_ORDERS];
	unsigned norders;
	int round;	       /* of the section, or -1 */
	double wanted;	       /* done by this fraction of the section */
	char text[GRAPH_TEXT]; /* what it computes; no other of the round has it */
};

struct value {
	enum place place; /* of fixed values, r4 and r5; else NONE */
	int reg;	  /* of fixed values */
	int home;	  /* value whose register it takes over, or -1 */
	int writer;	  /* operation, or -1: there from the start */
	bool needs_a;	  /* a reader unpacks it */
	int16_t readers[GRAPH_READERS];
	unsigned nreaders;
	char name[GRAPH_TEXT]; /* of a fixed value */
};

struct graph {
	struct op ops[GRAPH_OPS];
	int nops;
	struct value values[GRAPH_VALUES];
	int nvalues;
	int next[2]; /* register of A, of B for the next fixed value */
	int round;   /* new operations belong to it */
};

void
graph_clear(struct graph *graph);

/* A new value without a writer. */
int
graph_value(struct graph *graph);

/* A fixed value.  Registers are given out from the top, as temporaries take the
 * low ones; r5 is the only one of its kind. */
int
graph_fixed(struct graph *graph, enum place place, const char *name);

/* NAME_I; and n of them, of which those with a bit in the mask are in A. */
int
graph_fixed_at(struct graph *graph, enum place place, const char *name, int i);
void
graph_fixed_row(struct graph *graph, const char *name, unsigned in_a, int n,
		int *values);

/* From now on this value lives where that one did; a new one that does. */
void
graph_rehouse(struct graph *graph, int value, int home);
int
graph_heir(struct graph *graph, int home);

struct operand_source
graph_read(int value);
struct operand_source
graph_unpacked(int value, int unpack);
struct operand_source
graph_immediate(int number);
struct operand_source
graph_uniform(void);

/* A new operation; value is what it writes, or -1.  Returns its number. */
int
graph_op(struct graph *graph, enum op_unit unit, int add_op, int mul_op,
	 struct operand_source a, struct operand_source b, int value,
	 const char *text);

static inline int
graph_last_op(const struct graph *graph)
{
	return graph->nops - 1;
}

/* Find the readers of all values anew, after sources were changed. */
void
graph_count_readers(struct graph *graph);

void
graph_order(struct graph *graph, int op, int after, int distance);

/* The place of a value that has a register of its own or of another. */
enum place
graph_place(const struct graph *graph, int value);

/* The fixed value at the end of the homes, or the value itself. */
int
graph_root(const struct graph *graph, int value);

/* May the schedule choose where it lives? */
bool
graph_is_temporary(const struct graph *graph, int value);

/*
 * Operations that the bodies of all kernels are made of.  Each function appends
 * to the graph and returns the value that is new.  A rotation of which the mul
 * ALU does a part takes upper = x >> 16 as well.
 */

/* An operation that only one ALU can do, or that either can do. */
int
graph_add(struct graph *graph, int add_op, struct operand_source a,
	  struct operand_source b, const char *text);
int
graph_mul(struct graph *graph, int mul_op, struct operand_source a,
	  struct operand_source b, const char *text);
int
graph_either(struct graph *graph, int add_op, int mul_op,
	     struct operand_source a, struct operand_source b,
	     const char *text);

/* Words without common bits: or and byte-wise addition do the same. */
int
graph_join(struct graph *graph, struct operand_source a,
	   struct operand_source b, const char *text);

/* A copy: a new value, or one that is there. */
int
graph_move(struct graph *graph, int value, const char *text);
void
graph_move_to(struct graph *graph, int value, int from, const char *text);

int
graph_ror(struct graph *graph, int x, int count, const char *text);
int
graph_xor(struct graph *graph, int a, int b, const char *text);
int
graph_and(struct graph *graph, int a, int b, const char *text);
int
graph_sum(struct graph *graph, int a, int b, const char *text);

/* Values that are there from the start: 0xffff, and power[k] = 2^k where there
 * is one. */
struct graph_constants {
	int ones;
	int power[16];
};

int
graph_upper_half(struct graph *graph, const struct graph_constants *constants,
		 int x, const char *text);

/*
 * ror(x, count) for 17 <= count <= 24 on the mul ALU; `what` names x in the
 * comments.
 */
int
graph_ror_on_mul(struct graph *graph, const struct graph_constants *constants,
		 int x, int count, int upper, const char *what);

/* x >> 10, of sigma1. */
int
graph_shr10_on_mul(struct graph *graph, const struct graph_constants *constants,
		   int x, int upper);

/* sigma0 of FIPS 180-4, 4.1.2; its shift by 3 on the mul ALU or not. */
int
graph_sigma0(struct graph *graph, const struct graph_constants *constants,
	     int x, bool shr3_on_mul);

/* r4 holds the value `loaded`; the operation `last_load` has loaded it, -1: none
 * has. */
struct graph_r4 {
	int loaded, last_load;
};

/* A load of r4, after the last one and everything that still reads that.
 * Returns the operation. */
int
graph_load(struct graph *graph, struct graph_r4 *r4, enum op_port tmu,
	   const char *text);

/* The last operation is to be done by this fraction of the section. */
void
graph_wanted_by(struct graph *graph, double fraction);

#endif
