/* SPDX-License-Identifier: MIT */
/*
 * run: what is asked of a run of the pipeline, and what its threads share.
 *
 * The idea.  Names come in order, lines leave in order, and between them each
 * thread does what can be done at that time:
 *
 *	source -> sequencer -> input_step -> lane -> engine -> sequencer -> source
 *	                           ^          |
 *	          pool (ahead) ----+----- handover: READY, SHARED, FOR_LANE,
 *	                                            EARLY, LACKING
 *
 * A job is a name, with a number and a place in the order.  A message is a job that has
 * begun: its input (input.h draws its phases) and its hash value.
 *
 *	TAKEN    by a worker, or a lane of a device, from the sequencer
 *	BEGUN    its input is stepped, its blocks are hashed, again and again
 *	DONE     it has a digest, an error or a verdict; sequencer_publish
 *	EMITTED  when all before it are; then its place is used again
 *
 * A message that has begun is in one hand at any time: a lane, threads of the pool that
 * read it, or the handover.  No other thread touches it, so nothing in it has a lock.
 * It changes hands only between two steps, when all that was read is hashed and its
 * hash value is in the message.  A job that a failed device had a part in begins again
 * from its file, in the lane where it is.
 *
 * Who may wait where.  A worker never waits while it has anything to hash: a message
 * with which it cannot go on leaves its lane.
 *
 *	its storage would wait      to the pool, a thread of which waits -> READY
 *	it must be the oldest       EARLY, until it is -> READY
 *	there is no descriptor      LACKING, until there is a token -> READY
 *	it is long, others idle     SHARED -> an idle worker; FOR_LANE -> a device's
 *
 * Two inputs stay in a lane without blocks: the oldest, whose writer the worker waits
 * for when it has nothing else, and one whose rotating disk another message has.  A
 * worker with nothing to hash takes what others share, waits for the oldest input if
 * that is in a lane of its own, or else sleeps in sequencer_wait, the one place to
 * sleep, until the version of the sequencer is another one than before it looked.
 *
 * Why it ends.  The oldest job always gets a token, so it is being hashed, in the pool,
 * READY, or LACKING; in the last case its error is final when no other job could give a
 * descriptor back (handover.h).  What others wait for, they wait for behind it.  Jobs
 * under way are bound in number, so memory is.
 *
 * Locks: README.md has them, and their order.
 */
#ifndef SRC_LANES_RUN_H
#define SRC_LANES_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu/libcrypto.h"
#include "src/base/engine.h"
#include "src/base/pool.h"
#include "src/lanes/ahead.h"
#include "src/lanes/disk.h"
#include "src/lanes/job.h"
#include "src/lanes/sequencer.h"

struct pipeline_config {
	const struct engine *engine;
	const char *options;	       /* the engine's, "" if none */
	const struct engine *fallback; /* of the CPU workers beside a device */
	/* CPU workers share regular files with a device. */
	bool with_cpu;
	/* The engine is a device, which is used only where that saves time. */
	bool automatic;
	/* The expected speed of a device; its own figures if lanes is 0. */
	struct engine_speed speed;
	/* At most, >= 1; without the one that feeds a device. */
	unsigned threads;
	/* Threads that wait in place of workers. */
	struct pool *pool;
	/* They read inputs whose storage would make a worker wait. */
	bool reads_ahead;
	/*
	 * Return the number of threads that can run at a time, where `threads`
	 * is 1 because of one_input; called when that input proves long.  NULL
	 * if it is `threads`.
	 */
	unsigned (*processors)(void);
	/* There is one input only: a worker needs one lane. */
	bool one_input;
	/* One file is read to its end before the next one is opened; on the
	 * CPU, with one thread. */
	bool one_at_a_time;
	/* Files are read from their media, and nothing of them stays in the
	 * page cache. */
	bool uncached;
	const struct libcrypto *crypto; /* for --verify; NULL = off */
	/* The directory that has /sys, /proc and /dev, for tests; NULL for the
	 * usual ones. */
	const char *root;
};

/* The decision on a device, estimated before it is opened. */
struct device_choice {
	bool device;
	/* Regular files that are not empty, among those looked at. */
	uint64_t files;
	double cpu_seconds, both_seconds;
	struct diag why_not; /* it was chosen and could not be opened, or "" */
};

/* The work of all workers and the feeder. */
struct run_report {
	uint64_t blocks;	     /* hashed */
	uint64_t bytes;		     /* of messages in these, and in buffers */
	const struct engine *failed; /* and was replaced, or NULL */
	struct diag why;
	const struct engine *healed; /* failed its first test only, or NULL */
	struct diag why_healed;
	bool is_wrong; /* it failed since its results were wrong */
	struct storage_waits waits;
	const struct engine *used; /* in this run */
	struct device_choice choice;
	/* Digests that a device had a part in. */
	uint64_t by_device;
	struct facts device_facts; /* for --stats, if it has any */
};

enum { RUN_FIFOS = 32 };

struct dispatch;

/* The work of one worker. */
struct job_load {
	unsigned worker;
	uint64_t blocks; /* left in its lanes, about; 0 if none can go on */
	uint64_t hashed_blocks; /* since it last took jobs, */
	uint64_t hashed_ns;	/* and the time that they took */
};

/* The state shared by all workers and the feeder, which it outlives. */
struct run {
	const struct pipeline_config *config;
	const struct engine *cpu; /* the engine of every worker */
	const char *cpu_options;  /* its options, "" if none */
	/* Beside a device: take up to `most` jobs for free lanes, and set *view.
	 * Never waits for an input or for another thread's work.  NULL: workers
	 * take jobs from the sequencer. */
	unsigned (*supply)(struct dispatch *, const struct job_load *,
			   struct job **jobs, unsigned most,
			   struct sequencer_view *view);
	struct dispatch *dispatch; /* of the supply (src/feed) */
	struct sequencer sequencer;
	/* Names are looked up before they are opened.  Atomic. */
	bool is_strict;
	/* Those that were opened before that.  Under the sequencer's lock. */
	struct file_version fifos[RUN_FIFOS];
	unsigned nfifos;
	struct disks *disks; /* NULL if reading needs no claim */
	struct ahead ahead;
	/* The device has failed: what it has begun begins again.  Atomic. */
	bool device_failed;
	/* There may be work for one more worker. */
	void (*grow)(struct run *);
	/* The counts are added under the lock, the feeder writes the rest. */
	struct run_report *report;
	pthread_mutex_t report_lock;
};

/* Add what a worker or the feeder has done when it ends. */
static inline void
run_add_counts(struct run *run, uint64_t blocks, uint64_t bytes,
	       uint64_t by_device)
{
	pthread_mutex_lock(&run->report_lock);
	run->report->blocks += blocks;
	run->report->bytes += bytes;
	run->report->by_device += by_device;
	pthread_mutex_unlock(&run->report_lock);
}

#endif
