/* SPDX-License-Identifier: MIT */
/*
 * faults: what a model of a Raspberry Pi does wrong with a launch or a job
 * (fault.h), by the firmware or the kernel, of any programs.
 *
 * Faults see a run of programs from outside: which memory these may read, where
 * they store results, and the machine that runs them.  So there are three moments:
 *
 *	faults_begin	a line of memory that the CPU has written since programs ran
 *			last does not reach them, or differs by a bit
 *	the run		a QPU or a cache is wrong (machine_faults.c)
 *	faults_end	some of what was stored is wrong, or lost
 *
 * Faults of answers (fault.def) are in the modules that give the answers.  Where a
 * fault strikes follows from the seed.
 */
#ifndef QPU_PI_FAULTS_H
#define QPU_PI_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/fault.h"

enum { FAULTS_LINE = 64, FAULTS_PAGE = 4096 };

struct pi_memory {
	uint8_t *host;
	size_t bytes;
};

/* A launch or job. */
struct faults_run {
	uint64_t number; /* from 1 */
	struct machine *machine;
	unsigned qpus;	   /* that run programs */
	uint64_t expected; /* instructions of all QPUs, about, or 0 */
	/* Memory that programs may read, in whole pages. */
	const struct pi_memory *memory;
	size_t nmemory;
	/* The places of their stores, in whole lines: one for each QPU or tile. */
	const struct pi_memory *results;
	size_t nresults;
};

/* Start with faults_open. */
struct faults {
	struct pi_fault fault;
	uint64_t seed, random;
	bool strikes; /* the current run */
	unsigned qpu, lane;
	uint32_t stuck, value; /* bits, and at what they are stuck */

	/* Memory as it was when programs ran last. */
	struct faults_copy {
		struct pi_memory of;
		uint8_t *bytes;
	} * copies;
	size_t ncopies, room;
	/* A line that programs see as it was, and what was written there. */
	uint8_t *line;
	uint8_t written[FAULTS_LINE];
	/* A page that never changes again. */
	uint8_t *page;
	uint8_t frozen[FAULTS_PAGE];

	/* Results before the run, one part after the other. */
	uint8_t *before;
	uint32_t *cell; /* of the results, that is stuck */

	/* While programs run: */
	struct machine *machine;
	uint64_t steps;		/* instructions of the faulty QPU so far */
	uint64_t moment;	/* steps after which it acts */
	uint32_t sum, sum_mask; /* lower bits of one that is wrong */
	unsigned file, number;
	uint32_t registers[3][32]; /* of a lane that leaves out an instruction */
};

void
faults_open(struct faults *, const struct pi_fault *, uint64_t seed);

void
faults_close(struct faults *);

/* Return whether a run of this number suffers from this. */
static inline bool
faults_strike(const struct faults *faults, enum pi_fault_kind kind,
	      uint64_t number)
{
	return pi_fault_strikes(&faults->fault, kind, number);
}

/* Before the caches of lookups are cleared for a run: they may keep what they have. */
void
faults_before_clear(const struct faults *, struct machine *, uint64_t number);

/* Before programs run, and when all have ended or were stopped. */
void
faults_begin(struct faults *, const struct faults_run *);
void
faults_end(struct faults *, const struct faults_run *);

/* Private to this room: numbers below n; bits that are stuck. */
size_t
faults_random(struct faults *, size_t n);
void
faults_choose_stuck(struct faults *);

/* Set up a fault of QPUs and caches; remove it. */
void
faults_machine_begin(struct faults *, const struct faults_run *);
void
faults_machine_end(struct faults *, const struct faults_run *);

#endif
