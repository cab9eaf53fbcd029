/* SPDX-License-Identifier: MIT */
/*
 * faults: what an emulated device does wrong with a launch or a job (fault.h).
 *
 * There are hooks around each: before it, on the memory that programs find
 * (lane_faults.c, tile_faults.c, which know the layouts of our programs); while
 * it runs, on a QPU or a cache (machine_faults.c); and after it, on what was
 * stored.  What a fault hits is chosen by the seed.
 */
#ifndef QPU_PI_FAULTS_H
#define QPU_PI_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/fault.h"
#include "qpu/ways/way.h"

/* The CPU address of these bytes at a bus address; NULL if they are not in one
 * memory of the device. */
typedef void *
faults_find(void *context, uint32_t bus, size_t bytes);

struct kernel_job;
struct kernel_record;

enum { FAULTS_JOBS = 64 }; /* in the queue of a device, at most */

struct faults {
	struct pi_fault fault;
	faults_find *find;
	void *context;
	uint64_t seed, random;
	bool strikes; /* the current launch, or job */
	unsigned qpu, lane;
	uint32_t *flipped; /* a word that is wrong, to be put right again */
	uint32_t bits;

	/* While programs run (machine_faults.c): */
	struct machine *machine;
	uint64_t expected; /* instructions of all QPUs, about */
	uint64_t steps;	   /* those so far */
	uint64_t moment;   /* steps after which it acts */
	uint32_t sum;	   /* lower bits of one that is wrong */
	/* Bits of a register, and at what they are stuck. */
	unsigned file, number;
	uint32_t stuck, value;
	uint32_t registers[3][32]; /* of a lane that leaves out an instruction */

	/* About the current launch in lanes: */
	const struct device_program *programs;
	unsigned n;
	/* The first job of that QPU after the opening, and its records; NULL if
	 * the program is not one of our kernels. */
	struct kernel_job *job;
	struct kernel_record *records;
	unsigned nrecords;
	uint32_t blocks;   /* in every lane */
	size_t row;	   /* of a state */
	uint32_t *results; /* of that QPU, as the CPU sees them */
	size_t nrows;
	uint32_t *before; /* what was there before it ran */
	/* The results of the launch before, for each QPU. */
	uint32_t *old[DEVICE_QPUS];
	size_t nold[DEVICE_QPUS];

	/* In tiles: jobs that were submitted, and about the last ones. */
	uint64_t jobs;
	struct faults_job {
		uint64_t number;
		bool is_struck;	   /* if the option names it */
		uint32_t *results; /* of its tiles, as the CPU sees them */
		unsigned tiles;
		uint32_t before; /* the pattern that they had before it ran */
		uint8_t *data;	 /* input; NULL: none */
		size_t data_bytes;
		uint64_t expected;
	} last[FAULTS_JOBS];
	uint32_t *cell; /* of the table or the results, that is stuck */
};

/* Initialise the faults. `find` gets the context; it is NULL for devices with
 * tiles. */
void
faults_open(struct faults *, const struct pi_fault *, uint64_t seed,
	    faults_find *find, void *context);

void
faults_close(struct faults *);

/* Return whether the current launch suffers from this. */
static inline bool
faults_strike(const struct faults *faults, enum pi_fault_kind kind)
{
	return faults->strikes && faults->fault.kind == kind;
}

/* Begin to draw for a launch: numbers follow from the seed and a place in the code,
 * and from the launch where the fault is in another place each time. */
void
faults_draw_for(struct faults *, uint64_t place, uint64_t launch);

/* Draw a number below n; a bit. */
size_t
faults_draw(struct faults *, size_t n);
uint32_t
faults_draw_bit(struct faults *);

static inline void
faults_swap(uint32_t *one, uint32_t *other)
{
	const uint32_t kept = *one;

	*one = *other;
	*other = kept;
}

/* Draw the bits that are stuck, and their value; make a word have it. */
void
faults_draw_stuck(struct faults *);
void
faults_stick(const struct faults *, uint32_t *word);

/* Flip bits of a word until faults_undo. */
void
faults_flip(struct faults *, uint32_t *word, uint32_t bits);
void
faults_undo(struct faults *);

/* Set up and remove a fault around a run of the machine. */
void
faults_machine_begin(struct faults *, struct machine *);
void
faults_machine_end(struct faults *, struct machine *);

/* In lanes ------------------------------------------------------------------- */

/* Before launch number `launch`, from 1, of programs[0..n). */
void
faults_before(struct faults *, uint64_t launch,
	      const struct device_program *programs, unsigned n);

/* After the launch. */
void
faults_after(struct faults *);

/* In tiles ------------------------------------------------------------------- */

/* A job was submitted: what is wrong in the memory that it reads? */
void
faults_submitted(struct faults *, const struct tile_job *);

/* Job number `number` of them begins to run, and has ended. */
void
faults_begin_job(struct faults *, struct machine *, uint64_t number);
void
faults_end_job(struct faults *, struct machine *, uint64_t number);

#endif
