/* SPDX-License-Identifier: MIT */
/*
 * engine: advances lanes of SHA-256 by whole blocks.
 *
 * An engine is a row of a const table (src/pipeline/engines.c).  Its caller,
 * the pipeline, keeps lanes full and knows nothing of instruction sets or
 * GPUs; the engine knows nothing of messages, padding or files.
 *
 * One opened engine (`self`) is used by one thread at a time.
 */
#ifndef SRC_BASE_ENGINE_H
#define SRC_BASE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/diag.h"
#include "src/base/facts.h"
#include "src/base/fips180.h"

struct option_row;

enum engine_status {
	ENGINE_OK,
	ENGINE_TIMEOUT, /* device did not come back in time */
	ENGINE_REFUSED, /* device would not start the work */
	ENGINE_FAULT	/* device failed its own check */
};

/* The end of a message inside a lane. */
struct engine_end {
	/* Blocks from the lane's first one to the message's last, >= 1. */
	uint32_t block;
	/* The message's hash value; the engine writes it. */
	uint32_t state[SHA256_STATE_WORDS];
};

/* Consecutive blocks of a message, or of several padded messages one after the
 * other. */
struct engine_lane {
	/* Hash value H(i) of FIPS 180-4, 6.2, before data; then after the blocks
	 * that were hashed. */
	uint32_t state[SHA256_STATE_WORDS];
	const uint8_t *data; /* the next whole block, at any alignment */
	uint32_t nblocks;    /* whole blocks at data; 0 = idle lane */
	/* Blocks hashed by the last step.  The engine writes it, and may read it in
	 * the next step. */
	uint32_t done;
	/*
	 * Ends of messages, in ascending order, up to nblocks; none: all blocks
	 * are of one message.  Behind each end the lane goes on from the initial
	 * hash value (FIPS 180-4, 5.3.3), and `state` is in the end that of the
	 * message that is still open, or the initial value.  Ends up to `done`
	 * are valid after a step.  Only for engines whose limits say chained.
	 */
	struct engine_end *ends;
	uint32_t nends;
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
	unsigned lanes; /* of one submit, >= 1 */
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
	 * Advance lanes[0..n), n <= limits.lanes.  Of each lane hash done <=
	 * nblocks blocks, updating its state; an idle lane keeps its state and
	 * its done is 0.  At least one lane with blocks must advance.  The
	 * engine does not move data or nblocks.  submit may return before the
	 * work is done; lanes and their data stay untouched by the caller until
	 * wait, and done says nothing before that.
	 *
	 * After anything but ENGINE_OK `done` is 0, and the states and ends are
	 * worth nothing; the data are untouched.
	 *
	 * From submit to wait the engine may read and write slack_bytes, or
	 * ENGINE_SLACK_BYTES if that is more, after the blocks of each lane;
	 * one that only reads (reads_only) does neither.
	 */
	enum engine_status (*submit)(void *self, struct engine_lane *lanes,
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
