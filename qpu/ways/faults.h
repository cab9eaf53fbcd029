/* SPDX-License-Identifier: MIT */
/*
 * faults: what a device may do wrong with a launch, injected into an emulated
 * one by the option fault=KIND@N, so that people and tests can see that it is
 * found.
 *
 * A fault is about one QPU of a launch, and perhaps one of its lanes.  Some act
 * on the memory that the QPUs find, some on a QPU while it runs, some on the
 * rows that it has stored; faults.def lists them.  What a fault hits is chosen
 * by the seed, and is the same in all launches that it lasts.
 */
#ifndef QPU_WAYS_FAULTS_H
#define QPU_WAYS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/ways/emulated_options.h"
#include "qpu/ways/way.h"

/* The CPU address of these bytes at a bus address; NULL if they are not in one
 * memory of the device. */
typedef void *
faults_find(void *context, uint32_t bus, size_t bytes);

struct kernel_job;
struct kernel_record;

struct faults {
	const struct emulated_fault *fault;
	faults_find *find;
	void *context;
	uint64_t seed, random;
	/* About the current launch: */
	const struct device_program *programs;
	unsigned n;
	struct machine *machine; /* while it runs */
	bool strikes;
	unsigned qpu, lane;
	/* The job of that QPU after the opening, and its records; NULL if it
	 * is no program of our kernels. */
	struct kernel_job *job;
	struct kernel_record *records;
	unsigned nrecords;
	uint32_t blocks;   /* in every lane */
	size_t row;	   /* of a state */
	uint32_t *results; /* of that QPU, as the CPU sees them */
	size_t nrows;
	uint32_t *before; /* what was there before it ran */
	/* Instructions of all QPUs after which it acts on a running program, or
	 * 0; and after which that is undone again, or 0. */
	uint64_t moment, lasts;
	/* The bits of a register that are stuck, and at what. */
	unsigned file, number;
	uint32_t stuck, value;
	uint32_t *flipped; /* a word that is wrong, to be put right again */
	uint32_t bits;
	/* The results of the launch before, for each QPU. */
	uint32_t *stale[DEVICE_QPUS];
	size_t nstale[DEVICE_QPUS];
};

/* The fault stays the caller's; `find` is given the context. */
void
faults_open(struct faults *, const struct emulated_fault *, uint64_t seed,
	    faults_find *find, void *context);

void
faults_close(struct faults *);

/* Before launch number `launch`, from 1, of programs[0..n). */
void
faults_before(struct faults *, uint64_t launch,
	      const struct device_program *programs, unsigned n);

/* Does this launch suffer from this? */
static inline bool
faults_strike(const struct faults *faults, enum device_fault kind)
{
	return faults->strikes && faults->fault->kind == kind;
}

/* The device calls it in the middle of a launch, after `moment`
 * instructions, and then after `lasts` more. */
void
faults_during(struct faults *, struct machine *);
void
faults_undo(struct faults *);

/* After each instruction of a QPU, where a register is stuck. */
void
faults_stick(const struct faults *, struct machine *, unsigned qpu);

/* After the launch. */
void
faults_after(struct faults *);

#endif
