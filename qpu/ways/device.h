/* SPDX-License-Identifier: MIT */
/*
 * device: QPUs that run programs, real or emulated.
 *
 * A device is a table of functions about memory, programs and time; it knows
 * nothing of SHA-256, which is the engine's.  All calls block until they are
 * done, and all come from one thread.
 */
#ifndef QPU_DEVICE_DEVICE_H
#define QPU_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"
#include "src/base/facts.h"

enum {
	DEVICE_QPUS = 12,   /* at most */
	DEVICE_PAGE = 4096, /* alignment of memory */
	/* The most that one should ask for at once: on a machine that has run
	 * for a while its free memory is in pieces. */
	DEVICE_PIECE_BYTES = 4 << 20,
	DEVICE_COUNTERS = 32
};

enum device_status {
	DEVICE_OK,
	DEVICE_TIMEOUT, /* the programs did not end in time */
	DEVICE_REFUSED, /* the programs were not started */
	DEVICE_FAULT	/* a program broke a rule of the hardware */
};

/* Memory that the CPU and the QPUs share. */
struct device_memory {
	void *cpu; /* aligned to DEVICE_PAGE, as is bus */
	uint32_t bus;
	size_t bytes;
	bool unused; /* for free: the caller has put nothing there */
};

/* A program for one QPU; all are bus addresses. */
struct device_program {
	uint32_t code;
	uint32_t uniforms;
	/* Rows of 16 words, which include all that the program stores. */
	uint32_t results;
	unsigned result_rows;
};

struct device_counter {
	const char *name;
	uint64_t value;
};

/* Totals since the device was opened. */
struct device_totals {
	bool modelled;	     /* times come from a model */
	bool timed;	     /* by the cycle model */
	double busy_ms;	     /* inside of run */
	uint32_t clock_hz;   /* of the QPUs; 0 = unknown */
	bool clock_measured; /* not told by the firmware */
	const char *memory;  /* static; where it comes from, or NULL */
	double write_rate;   /* of the CPU to it, bytes/s; 0 = unknown */
	double read_rate;
	/* Files should be read into other memory and copied from there, since
	 * stores to the device's wait for each other. */
	bool staged;
	double copy_rate;	/* of files to it, bytes/s; 0 = unknown */
	uint64_t instructions;	/* of all QPUs; 0 = not counted */
	uint64_t clocks;	/* timed only: while QPUs were running */
	uint64_t launch_clocks; /* timed only: for starting them */
	unsigned ncounters;
	struct device_counter counters[DEVICE_COUNTERS];
};

struct qpu_device {
	const char *name;
	/* Does it exist, and may this user use it?  False and the reason. */
	bool (*probe)(struct diag *why_not);
	/* Sets *qpus to the number of QPUs.  NULL and the reason. */
	void *(*open)(const char *options, unsigned *qpus,
		      struct diag *why_not);
	/* Several small pieces of memory are better than a large one. */
	bool (*alloc)(void *self, size_t bytes, struct device_memory *,
		      struct diag *why_not);
	void (*free)(void *self, const struct device_memory *);
	/* This thread has written to some memory, which the next run reads.
	 * It is called by the thread that wrote, before another thread starts
	 * the run, and while nothing runs.  NULL = not needed. */
	void (*publish)(void *self, const struct device_memory *);
	/* Run programs[0..n) side by side, n <= qpus, until all have ended.
	 * expected_ms is how long that should take, 0 = unknown; short runs
	 * may be started in a cheaper way.  Meanwhile nobody writes to memory
	 * with results.  After any status but DEVICE_OK no run is possible
	 * before a restart, and the memory that the programs know must not be
	 * reused. */
	enum device_status (*run)(void *self,
				  const struct device_program *programs,
				  unsigned n, double expected_ms,
				  unsigned timeout_ms, struct diag *why);
	/* After a run that failed, or whose results were wrong: switch the QPUs
	 * off and on, so that runs are possible again; memory stays.  After
	 * wrong results runs are started in another way.  False when that is
	 * impossible or was tried before.  The caller tests the device first
	 * and then plans the failed run anew, since its programs may have
	 * overwritten what they read.  The reason is that of a restart which
	 * has failed; it is left alone if there was none.  NULL = no device to
	 * restart. */
	bool (*restart)(void *self, bool were_wrong, struct diag *why_not);
	void (*totals)(void *self, struct device_totals *);
	/* Facts about it for its owner; it need not be open.  NULL = none. */
	void (*details)(struct facts *);
	/* Also frees all memory. */
	void (*close)(void *self);
};

#endif
