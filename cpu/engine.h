/* SPDX-License-Identifier: MIT */
/*
 * engine: something that advances batches of SHA-256 lanes by whole blocks.
 *
 * An engine is a row of a const table (src/engines.c).  Its caller, the
 * pipeline, keeps batches full and knows nothing of instruction sets or GPUs;
 * the engine knows nothing of messages, padding or files.
 *
 * One opened engine (`self`) is used by one thread at a time.
 */
#ifndef CPU_ENGINE_H
#define CPU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/batch.h"
#include "src/diag.h"

enum engine_status {
	ENGINE_OK,
	ENGINE_TIMEOUT,		/* device did not come back in time */
	ENGINE_REFUSED,		/* device would not start the work */
	ENGINE_FAULT		/* device failed its own check */
};

/* What an opened engine wants to be fed. */
struct engine_limits {
	unsigned batches;	/* batches of one submit, >= 1 */
	unsigned lanes;		/* lanes of a batch worth occupying, 1..16 */
	/* An engine need not set these: they come in as 0. */
	unsigned spare;		/* lanes to leave idle, from the last batch */
	bool overlaps;		/* submit returns early: have two sets of
				 * batches and fill one meanwhile */
};

/* What an engine with a device of its own can tell when it has worked. */
struct engine_stats {
	unsigned qpus;
	uint64_t launches;
	uint64_t blocks;	/* hashed for the caller */
	uint64_t vectors;	/* blocks of 16 lanes, full or not */
	uint64_t room;		/* blocks, had all lanes been full */
	uint64_t instructions;	/* 0 = unknown */
	bool modelled;		/* of an emulator, not measured */
	double busy_ms;		/* while the device was at work */
	uint32_t clock_hz;	/* of the device; 0 = unknown */
	bool timed;		/* the next are known */
	uint64_t clocks;
	uint64_t launch_clocks;
	unsigned ncounters;
	struct engine_counter {
		const char *name;
		uint64_t value;
	} counters[32];
};

struct engine {
	const char *name;	/* as --list-devices shows it */
	const char *about;	/* one line for people */
	const char *modelled;	/* its rate where nobody measured it, or NULL */
	/* May every worker thread open one of its own (a CPU), or is there
	 * one for the process (a GPU)? */
	bool per_thread;

	/* Can it run here?  Cheap, touches no device; else says why not. */
	bool (*probe)(struct diag *why_not);
	/* How many messages must wait before it is faster than the CPU of
	 * this machine?  NULL: it is the CPU, or never chosen unasked. */
	unsigned (*worth)(void);
	/* `words` are the options behind the device's name ("" if none).
	 * Returns self, or NULL and the reason. */
	void *(*open)(const char *words, struct engine_limits *limits,
		      struct diag *why_not);
	/* Buffers that the engine reads without a copy, 64-byte aligned; those
	 * of an engine with spare lanes or overlap begin at a multiple of 4096
	 * bytes.  NULL when memory is short. */
	void *(*alloc)(void *self, size_t bytes);
	void (*free)(void *self, void *buffer, size_t bytes);
	/*
	 * Advance the lanes of batches[0..n), n <= limits.batches.  For each
	 * lane hash done[lane] <= nblocks[lane] blocks, updating its state
	 * column; an idle lane's column is left as it is and its done is 0.
	 * At least one lane with blocks must advance.  The engine does not
	 * move data or nblocks.  submit may return before the work is done;
	 * batches and their data stay untouched by the caller until wait.
	 */
	enum engine_status (*submit)(void *self, struct batch *batches,
				     unsigned n, struct diag *);
	enum engine_status (*wait)(void *self, struct diag *);
	/* NULL: there is nothing to tell.  Not between submit and wait. */
	void (*stats)(void *self, struct engine_stats *);
	void (*close)(void *self);
};

#endif
