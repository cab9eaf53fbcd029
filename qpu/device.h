/* SPDX-License-Identifier: MIT */
/*
 * device: something with QPUs that runs programs, real or emulated.
 *
 * A device is a row of functions.  It knows memory, programs and time; it
 * knows no SHA-256.  All calls are blocking and come from one thread.
 */
#ifndef QPU_DEVICE_H
#define QPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/diag.h"

enum {
	DEVICE_QPUS = 12,	/* at most */
	DEVICE_PAGE = 4096,	/* alignment of memory */
	DEVICE_COUNTERS = 32
};

enum device_status {
	DEVICE_OK,
	DEVICE_TIMEOUT,		/* the programs did not end in time */
	DEVICE_REFUSED,		/* the programs were not started */
	DEVICE_FAULT		/* a program did what cannot be done */
};

/* Memory that both the CPU and the QPUs see. */
struct device_memory {
	void *cpu;		/* aligned to DEVICE_PAGE, as is bus */
	uint32_t bus;
	size_t bytes;
};

/* What one QPU runs; bus addresses. */
struct device_program {
	uint32_t code;
	uint32_t uniforms;
	/* The rows of 16 words that it leaves behind. */
	uint32_t results;
	unsigned result_rows;
};

struct device_counter {
	const char *name;
	uint64_t value;
};

/* Totals since the device was opened. */
struct device_totals {
	bool modelled;		/* times come from a model */
	bool timed;		/* by its clock, not by counting */
	double busy_ms;		/* inside of run */
	uint32_t clock_hz;	/* of the QPUs; 0 = unknown */
	uint64_t instructions;	/* of all QPUs; 0 = nobody counts */
	uint64_t clocks;	/* timed only: while QPUs were running */
	uint64_t launch_clocks;	/* timed only: for starting them */
	unsigned ncounters;
	struct device_counter counters[DEVICE_COUNTERS];
};

struct qpu_device {
	const char *name;
	/* Is it there, and may we use it?  Else the explanation. */
	bool (*probe)(struct diag *why_not);
	/* `words` are the device's options.  *qpus becomes the number of
	 * QPUs.  NULL and the reason. */
	void *(*open)(const char *words, unsigned *qpus,
		      struct diag *why_not);
	bool (*alloc)(void *self, size_t bytes, struct device_memory *,
		      struct diag *why_not);
	void (*free)(void *self, const struct device_memory *);
	/* Run programs[0..n) side by side, n <= qpus, until all have ended,
	 * which is expected to take so long (0 = unknown): there may be
	 * cheaper ways to start short ones.  After anything but DEVICE_OK
	 * nothing may be run any more, and memory that the programs know
	 * must not be reused. */
	enum device_status (*run)(void *self,
				  const struct device_program *programs,
				  unsigned n, double expected_ms,
				  unsigned timeout_ms, struct diag *why);
	void (*totals)(void *self, struct device_totals *);
	/* Frees all memory, too. */
	void (*close)(void *self);
};

#endif
