/* SPDX-License-Identifier: MIT */
/*
 * faults: what a device may do wrong with a launch, injected into an emulated
 * one by the option fault=KIND@N, so that people and tests can see that it is
 * found.
 *
 * A fault is about one QPU of a launch, and perhaps one of its lanes; it acts
 * on the rows that the QPU has stored, on the blocks that it is told to hash,
 * or on the data it reads.
 */
#ifndef QPU_ENGINE_FAULTS_H
#define QPU_ENGINE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/device/device.h"
#include "qpu/device/emulated_options.h"

struct faults {
	const struct emulated_options *options;
	uint64_t random;
	/* About the current launch: */
	bool strikes;
	unsigned qpu, lane;
	uint32_t *results; /* of that QPU, as the CPU sees them */
	size_t nrows;
	uint32_t *before; /* what was there before it ran */
	/* The results of the launch before, for each QPU. */
	uint32_t *stale[DEVICE_QPUS];
	size_t nstale[DEVICE_QPUS];
};

/* The options stay the caller's. */
void
faults_open(struct faults *, const struct emulated_options *options);

void
faults_close(struct faults *);

/* The CPU address of these bytes at a bus address; NULL if they are not in one
 * memory of the device. */
typedef void *
faults_find(void *context, uint32_t bus, size_t bytes);

/* Before launch number `launch`, from 1, of programs[0..n). */
void
faults_before(struct faults *, uint64_t launch,
	      const struct device_program *programs, unsigned n,
	      faults_find *find, void *context);

/* Does this launch suffer from this? */
static inline bool
faults_strike(const struct faults *faults, enum device_fault fault)
{
	return faults->strikes && faults->options->fault == fault;
}

/* Flip a bit of a lane's data, before the launch or in the middle of it. */
void
faults_corrupt(struct faults *, const struct device_program *programs,
	       faults_find *find, void *context);

/* After the launch. */
void
faults_after(struct faults *, const struct device_program *programs, unsigned n,
	     faults_find *find, void *context);

#endif
