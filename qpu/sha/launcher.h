/* SPDX-License-Identifier: MIT */
/*
 * launcher: a kind of launch on a kind of device, as engine_qpu uses it: in the
 * 16 lanes of each QPU, whose program has it for itself (lanes.c), or by pairs of
 * pixels in tiles, eight messages in a thread (tiles.c).
 *
 * A launcher plans launches, runs them, and says whether they have proved
 * themselves; what follows from that is the engine's.  run is called on a thread of
 * the engine's, the others by its owner, while nothing runs.
 */
#ifndef QPU_SHA_LAUNCHER_H
#define QPU_SHA_LAUNCHER_H

#include "qpu/sha/engine_qpu.h"
#include "qpu/ways/way.h"

/* The rates of 3,000 log-uniform files (make bench-qpus). */
enum { LAUNCHER_MHZ = 250, LANES_MB = 433, TILES_MB = 321 };

/* Sums over all launches that were right, without the self-test. */
struct figures {
	unsigned qpus;
	unsigned lanes; /* of a vector */
	uint64_t launches;
	uint64_t blocks;   /* of messages */
	uint64_t vectors;  /* blocks of all its lanes, full or not */
	uint64_t capacity; /* blocks, if all lanes had been full */
	uint64_t failed_tests;
};

struct launcher {
	/* Of 12 QPUs: messages at a time, and the rate at LAUNCHER_MHZ by the
	 * emulator's cycle model, in MB/s. */
	unsigned lanes, modelled_mb;
	/* Take memory of an open way with this number of QPUs.  Return NULL if the
	 * CPU is out of memory.  Else *status says whether launches are possible,
	 * with the reason, and limits and figures are set. */
	void *(*open)(const struct way *, void *way_self, unsigned qpus,
		      struct engine_limits *, struct figures *,
		      enum engine_status *status, struct diag *why);
	/* All lanes of all QPUs hash known answers.  is_again: the device is
	 * tested between two launches. */
	enum engine_status (*test)(void *self, bool is_again, struct diag *why);
	/* Return true if the device, after a failure, may be tested, and used
	 * if it passes. Return false, with a reason if a restart was tried,
	 * otherwise. */
	bool (*restart)(void *self, enum engine_status failure,
			struct diag *why_not);
	/* Allocate memory for data; return NULL if it is short. */
	void *(*alloc)(void *self, size_t bytes);
	/* Return false if the buffer is from elsewhere. */
	bool (*free)(void *self, const void *buffer);
	/* Plan a launch of some of the lanes' blocks, and set their `done`.
	 * Return false if their data lie elsewhere. */
	bool (*plan)(void *self, struct engine_lane *, unsigned n,
		     struct diag *why);
	/* Run the planned launch from the states of the lanes.  Return ENGINE_OK
	 * if it has proved itself; then it is counted. */
	enum engine_status (*run)(void *self, struct engine_lane *, unsigned n,
				  struct figures *, struct diag *why);
	/* Write the lanes' states and ends. */
	void (*collect)(void *self, struct engine_lane *);
	/* After the way was closed. */
	void (*close)(void *self);
};

extern const struct launcher launcher_lanes;
extern const struct launcher launcher_tiles;

/* Exclude the device's work between `before` and `after` from the launches,
 * which began with the totals `start`. */
void
figures_leave_out(struct device_totals *start,
		  const struct device_totals *before,
		  const struct device_totals *after);

/* The rows of --stats; `start` and `end` are the device's totals before and
 * after. */
void
figures_add_rows(const struct figures *, const struct device_totals *start,
		 const struct device_totals *end, struct facts *);

static inline enum engine_status
launcher_status(enum device_status status)
{
	switch (status) {
	case DEVICE_OK: return ENGINE_OK;
	case DEVICE_TIMEOUT: return ENGINE_TIMEOUT;
	case DEVICE_REFUSED: return ENGINE_REFUSED;
	case DEVICE_FAULT: break;
	}
	return ENGINE_FAULT;
}

#endif
