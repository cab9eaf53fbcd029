/* SPDX-License-Identifier: MIT */
/*
 * scripted_tiles: a tile device that does with the reference what pair.h and
 * tiles_plan.h promise of the two programs, and misbehaves on order.
 *
 * Jobs run when they are waited for, so that memory that was changed too early
 * shows.  What a device must not be asked is counted in script.misused.
 */
#ifndef TESTS_SHA_SCRIPTED_TILES_H
#define TESTS_SHA_SCRIPTED_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/engine.h"

enum script_fault {
	SCRIPT_NO_FAULT,
	SCRIPT_NOTHING,	 /* a job is not run, and said to have ended */
	SCRIPT_CONSTANT, /* a QPU has a wrong constant, from then on */
	SCRIPT_LATE,	 /* a job ends after the wait for it was given up */
	SCRIPT_EARLY,	 /* another program's job is counted for one, which
			      runs after those that are in the queue with it */
	SCRIPT_TIMEOUT,	 /* a job does not end */
	SCRIPT_REFUSED,	 /* a job is not taken */
	SCRIPT_FAULTED,	 /* a job breaks a rule of the hardware */
	SCRIPT_CACHES	 /* data are looked up in caches that no job clears */
};

extern struct script {
	/* Set by a test. */
	enum script_fault fault;
	unsigned fault_at;	/* number of the job, from 1 */
	unsigned seed;		/* says which QPU */
	bool lasts;		/* the fault comes again in each job */
	bool is_over;		/* a fault that comes once has come */
	bool is_shuffled;	/* threads are not rows of quads */
	bool is_mirrored;	/* pixels are not where they should be */
	unsigned most_allocs;	/* then they fail; 0: none does */
	unsigned most_programs; /* the same of programs that are loaded */
	size_t most_bytes;	/* of all memory; 0: any number */
	unsigned queue_ms;	/* the queue may take this long; 0: 40 */
	/* Seen. */
	unsigned misused, opens, closes, most_queued;
	size_t bytes, peak_bytes; /* of memory, now and at most */
	unsigned jobs;
	struct {
		unsigned place;	 /* of its first tile's results, in tiles */
		unsigned height; /* of its last draw */
	} last[2];		 /* of two jobs, by turns */
	uint64_t time; /* of all jobs, in blocks until their QPUs have ended */
	uint64_t busy; /* blocks of all threads; an instruction each */
	uint64_t hashed; /* blocks of all pairs of pixels */
	unsigned delays; /* draws whose threads begin one after the other */
	uint32_t most_queue_blocks; /* of a QPU in all jobs of the queue */
} script;

/* An engine on it. */
struct engine
scripted_engine(void);

/* Forgets all; what a test sets comes after this. */
void
script_reset(void);

#endif
