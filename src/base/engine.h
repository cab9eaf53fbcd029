/* SPDX-License-Identifier: MIT */
/*
 * engine: advances batches of SHA-256 lanes by whole blocks.
 *
 * An engine is a row of a const table (src/pipeline/engines.c).  Its caller,
 * the pipeline, keeps batches full and knows nothing of instruction sets or
 * GPUs; the engine knows nothing of messages, padding or files.
 *
 * One opened engine (`self`) is used by one thread at a time.
 */
#ifndef SRC_BASE_ENGINE_H
#define SRC_BASE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/batch.h"
#include "src/base/diag.h"
#include "src/base/facts.h"

struct option_row;

enum engine_status {
	ENGINE_OK,
	ENGINE_TIMEOUT, /* device did not come back in time */
	ENGINE_REFUSED, /* device would not start the work */
	ENGINE_FAULT	/* device failed its own check */
};

/*
 * How fast a device and the CPU beside it should be, before anything has been
 * measured.  Hashing rates count the bytes of blocks, with padding; a core is
 * one of the machine's CPU.
 */
struct engine_speed {
	unsigned lanes;	      /* of the device */
	double device_rate;   /* bytes a second, all lanes busy */
	double core_rate;     /* bytes a second that a core hashes */
	double copy_rate;     /* bytes a second, files to the device */
	double file_seconds;  /* of a core: open, read, close a file */
	double look_seconds;  /* of a core: the size of a file by its name */
	double start_seconds; /* until the device has begun */
	/* The device is a model: what a clock says of it means nothing. */
	bool modelled;
};

/* The least that an engine may count on after the blocks of a lane. */
enum { ENGINE_SLACK_BYTES = 128 };

/* What an opened engine wants to be fed.  All 0 before open. */
struct engine_limits {
	unsigned batches; /* batches of one submit, >= 1 */
	unsigned lanes;	  /* lanes of a batch worth occupying, 1..16 */
	/* An engine may leave the rest at 0. */
	unsigned chained;   /* most ends of messages that are worth giving to
			     * a lane and step; 0 = ends are ignored */
	size_t slack_bytes; /* wanted after the blocks of a lane */
	size_t piece_bytes; /* several buffers of at most this size are easier
			     * to have than a larger one; 0 = any size */
};

/* The bytes after the blocks of a lane that the engine may use. */
static inline size_t
engine_slack_bytes(const struct engine_limits *limits)
{
	return limits->slack_bytes > ENGINE_SLACK_BYTES ? limits->slack_bytes :
							  ENGINE_SLACK_BYTES;
}

struct engine {
	const char *name;  /* as --list-devices shows it */
	const char *about; /* one line for people */
	/* What may follow the device's name and a colon, or NULL: nothing. */
	const struct option_row *options;
	/* The rate shown until one is measured, in MB/s at this clock; 0: none
	 * is known. */
	unsigned modelled_mb, modelled_mhz;
	/* True: every worker thread may open one of its own (a CPU).  False:
	 * there is one for the process (a GPU). */
	bool per_thread;
	/* True: it only reads the blocks of a lane, and nothing after them. */
	bool reads_only;
	/* True: probe cannot tell all, and open may still find that it cannot
	 * be used here. */
	bool looks_only;
	/* Passed to probe, speed and open, which rows may share; NULL
	 * if they are the row's own. */
	const void *context;

	/* Can it run here?  Cheap, touches no device; else the reason. */
	bool (*probe)(const void *context, struct diag *why_not);
	/* Where it can run: how fast it should be.  Touches no device.  NULL if
	 * it is the CPU. */
	void (*speed)(const void *context, struct engine_speed *);
	/* `words` are the options after the device's name ("" if none).
	 * Returns self, or NULL and the reason. */
	void *(*open)(const void *context, const char *words,
		      struct engine_limits *limits, struct diag *why_not);
	/* Buffers that the engine reads without a copy, 64-byte aligned; those
	 * of an engine that chains begin at a multiple of 4096 bytes.  NULL
	 * when memory is short. */
	void *(*alloc)(void *self, size_t bytes);
	void (*free)(void *self, void *buffer, size_t bytes);
	/*
	 * Advance the lanes of batches[0..n), n <= limits.batches.  For each
	 * lane hash done[lane] <= nblocks[lane] blocks, updating its state
	 * column; an idle lane's column is left as it is and its done is 0.
	 * At least one lane with blocks must advance.  The engine does not
	 * move data or nblocks.  submit may return before the work is done;
	 * batches and their data stay untouched by the caller until wait, and
	 * done says nothing before that.
	 *
	 * After anything but ENGINE_OK `done` is 0, and the states and ends are
	 * worth nothing; the data are untouched.
	 *
	 * From submit to wait the engine may read and write slack_bytes, or
	 * ENGINE_SLACK_BYTES if that is more, after the blocks of each lane;
	 * one that only reads (reads_only) does neither.
	 */
	enum engine_status (*submit)(void *self, struct batch *batches,
				     unsigned n, struct diag *);
	enum engine_status (*wait)(void *self, struct diag *);
	/* Did an opened device fail its first test, and then pass one after a
	 * restart?  Then why it failed.  NULL: it has not. */
	bool (*healed)(void *self, struct diag *why);
	/* Add facts for --stats.  NULL: it has none.  Not between submit and
	 * wait. */
	void (*stats)(void *self, struct facts *);
	/* Add facts about the device, opened or not.  NULL: it has none. */
	void (*details)(const void *context, struct facts *);
	void (*close)(void *self);
};

static inline bool
engine_probe(const struct engine *engine, struct diag *why_not)
{
	return engine->probe(engine->context, why_not);
}

static inline void *
engine_open(const struct engine *engine, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	return engine->open(engine->context, words, limits, why_not);
}

#endif
