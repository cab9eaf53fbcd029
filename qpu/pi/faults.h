/* SPDX-License-Identifier: MIT */
/*
 * faults: what a device may do wrong with a launch, injected into an emulated
 * one by the option fault=KIND@N, so that people and tests can see that it is
 * found.
 *
 * A fault is about one QPU of a launch, and perhaps one of its lanes; or about a
 * job of tiles.  Some act on the memory that the QPUs find, some on a QPU or a
 * cache while it runs, some on what it has stored; faults.def lists them.  What a
 * fault hits is chosen by the seed, and is the same in all launches that it lasts.
 */
#ifndef QPU_PI_FAULTS_H
#define QPU_PI_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/ways/way.h"

/* The CPU address of these bytes at a bus address; NULL if they are not in one
 * memory of the device. */
typedef void *
faults_find(void *context, uint32_t bus, size_t bytes);

struct kernel_job;
struct kernel_record;

enum { FAULTS_JOBS = 64 }; /* in the queue of a device, at most */

struct faults {
	struct emulated_fault fault;
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
	/* Steps after which it acts, or 0; and after which that is undone again,
	 * or 0. */
	uint64_t moment, lasts;
	void (*during)(struct faults *); /* or NULL */
	uint32_t sum;			 /* lower bits of one that is wrong */
	/* Bits of a register, and at what they are stuck. */
	unsigned file, number;
	uint32_t stuck, value;

	/* About the current launch in lanes: */
	const struct device_program *programs;
	unsigned n;
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
	/* The results of the launch before, for each QPU. */
	uint32_t *stale[DEVICE_QPUS];
	size_t nstale[DEVICE_QPUS];

	/* In tiles: jobs that were submitted, and about the last ones. */
	uint64_t jobs;
	struct faults_job {
		uint64_t number;
		bool is_struck;	   /* if the option names it */
		uint32_t *results; /* of its tiles, as the CPU sees them */
		unsigned tiles;
		uint32_t before; /* the pattern that they had before it ran */
		uint8_t *data;	 /* that it reads; NULL: none */
		size_t data_bytes;
		uint64_t expected;
	} last[FAULTS_JOBS];
	uint32_t *cell; /* of the table or the results, that is stuck */
};

/* `find` is given the context; NULL: the device has tiles. */
void
faults_open(struct faults *, const struct emulated_fault *, uint64_t seed,
	    faults_find *find, void *context);

void
faults_close(struct faults *);

/* Does the current launch suffer from this? */
static inline bool
faults_strike(const struct faults *faults, enum device_fault kind)
{
	return faults->strikes && faults->fault.kind == kind;
}

/* Does a machine need the words of its caches? */
static inline bool
faults_need_words(const struct emulated_fault *fault)
{
	return fault->kind >= DEVICE_CACHES_KEPT;
}

/* A number below n, by the seed; a bit. */
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

/* Around a run of a machine that suffers: what is wrong with it meanwhile.
 * `during` acts at a moment, or is NULL. */
void
faults_machine_begin(struct faults *, struct machine *,
		     void (*during)(struct faults *));
void
faults_machine_end(struct faults *, struct machine *);

/* In lanes ------------------------------------------------------------------- */

/* Before launch number `launch`, from 1, of programs[0..n). */
void
faults_before(struct faults *, uint64_t launch,
	      const struct device_program *programs, unsigned n);

/* Around the run of its programs. */
void
faults_run(struct faults *, struct machine *);

/* After the launch. */
void
faults_after(struct faults *);

/* In tiles ------------------------------------------------------------------- */

/* A job was submitted: does it suffer, in the memory that it reads? */
void
faults_submitted(struct faults *, const struct tile_job *);

/* Job number `number` of them begins to run, and has ended. */
void
faults_begin_job(struct faults *, struct machine *, uint64_t number);
void
faults_end_job(struct faults *, struct machine *, uint64_t number);

#endif
