/* SPDX-License-Identifier: MIT */
/*
 * experiment: one question to the hardware, with the answers it may give.
 *
 * A row is a short QPU program that leaves its answer, 16 lanes, in r0, and the
 * answers that are possible; the first is that of the emulator.  Any other
 * answer is reported word by word.
 *
 * A program finds
 *	ra0, rb0	the row's two vectors a and b
 *	rb31		the address of a and, 64 bytes on, of b
 *	ra30		the address of 4 KiB where half k (16 bits) holds k
 *	rb30		the address of 32 KiB of zeros, for DMA only
 * and these macros
 *	flags			C, Z, N as 1 + 2 + 4 in r0
 *	put row, value		writes to a row of the VPM, and
 *	get to, row		reads from it
 *	get_by setup, to	reads by any generic set-up of one vector
 *	load setup, address		is DMA, finished when it returns
 *	store setup, stride, address	the same
 *	fetch to, address	reads 16 words of memory; it uses row 40
 * and leaves ra31 and semaphore 0 alone.  All QPU programs of a row have to end
 * whatever the hardware does; one that may not is `risky`.
 */
#ifndef QPU_CHECK_EXPERIMENT_H
#define QPU_CHECK_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "qpu/check/rig.h"

enum { EXPERIMENT_LANES = 16, EXPERIMENT_ANSWERS = 4 };

struct experiment_answer {
	const char *text; /* NULL ends them */
	uint32_t lanes[EXPERIMENT_LANES];
};

struct experiment {
	const char *id; /* U1, R1 or a topic; NULL ends the table */
	const char *question;
	const char *source;
	const char *other; /* program of a second QPU, or NULL */
	bool risky;	   /* may never end */
	unsigned breaks;   /* the rule of the hardware that it breaks, or 0 */
	uint32_t a[EXPERIMENT_LANES], b[EXPERIMENT_LANES];
	struct experiment_answer answers[EXPERIMENT_ANSWERS];
};

/* One value in all lanes, or in each quad. */
#define ALL(v)                                                                 \
	{                                                                      \
		v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v                 \
	}
#define QUADS(p, q, r, s)                                                      \
	{                                                                      \
		p, p, p, p, q, q, q, q, r, r, r, r, s, s, s, s                 \
	}
/* Each lane's number, times k, plus n. */
#define LANES(k, n)                                                            \
	{                                                                      \
		0 * (k) + (n), 1 * (k) + (n), 2 * (k) + (n), 3 * (k) + (n),    \
			4 * (k) + (n), 5 * (k) + (n), 6 * (k) + (n),           \
			7 * (k) + (n), 8 * (k) + (n), 9 * (k) + (n),           \
			10 * (k) + (n), 11 * (k) + (n), 12 * (k) + (n),        \
			13 * (k) + (n), 14 * (k) + (n), 15 * (k) + (n)         \
	}

/* All of them, the safest first. */
extern const struct experiment experiments[];

/* False when the device did not answer. */
bool
experiment_run(struct rig *rig, const struct experiment *experiment,
	       uint32_t lanes[EXPERIMENT_LANES], struct diag *why);

/* The index of the answer: 0 is the emulator's, -1 is none of them. */
int
experiment_verdict(const struct experiment *experiment,
		   const uint32_t lanes[EXPERIMENT_LANES]);

/*
 * Run the experiments that are risky, or those that are not.  Their verdicts go
 * to `report`, one line of text each, and their words to `raw`.  The beginning of
 * a line is on disk before its program starts: should the machine stop there, the
 * report says where.  False when the device failed.
 */
bool
experiments_print(struct rig *rig, bool risky, FILE *report, FILE *raw);

#endif
