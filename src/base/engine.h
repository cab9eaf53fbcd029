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
	 * Ends of messages, in ascending order, up to nblocks.  Without an end all
	 * blocks belong to one message.  Behind each end the lane continues from
	 * the initial hash value (FIPS 180-4, 5.3.3); after the step `state` is
	 * the state of the message that is still open, or the initial value, and
	 * ends up to `done` are valid.  Only engines with a limit `chained` look
	 * at ends.
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
	/* The device is a model, so clock times mean nothing. */
	bool modelled;
};

/* The least that an engine may count on after the blocks of a lane. */
enum { ENGINE_SLACK_BYTES = 128 };

/* The input that an opened engine wants.  All 0 before open. */
struct engine_limits {
	unsigned lanes; /* of one submit, >= 1 */
	/* An engine may leave the rest at 0. */
	unsigned chained;   /* most ends of messages that are worth giving to
			     * a lane and step; 0 = ends are ignored */
	size_t slack_bytes; /* wanted after the blocks of a lane */
	size_t piece_bytes; /* prefer buffers of at most this size; 0 = any */
};

/* Return how many bytes after the blocks of a lane the engine may use. */
static inline size_t
engine_slack_bytes(const struct engine_limits *limits)
{
	return limits->slack_bytes > ENGINE_SLACK_BYTES ? limits->slack_bytes :
							  ENGINE_SLACK_BYTES;
}

struct engine {
	const char *name;  /* as --list-devices shows it */
	const char *about; /* one line for people */
	/* Options accepted after the device's name and a colon, or NULL. */
	const struct option_row *options;
	/* The rate shown until one is measured, in MB/s at this clock, or 0 if
	 * none is known. */
	unsigned modelled_mb, modelled_mhz;
	/* Every worker thread may open one of its own (a CPU); else the process
	 * opens one (a GPU). */
	bool per_thread;
	/* It only reads the blocks of a lane, and nothing after them. */
	bool reads_only;
	/* open may fail here after probe has succeeded. */
	bool looks_only;
	/* The argument of probe, speed and open, by which rows that share these
	 * functions differ; else NULL. */
	const void *context;

	/* Return true if it can run here, or false and the reason.  Cheap;
	 * touches no device. */
	bool (*probe)(const void *context, struct diag *why_not);
	/* Estimate its speed, after probe has succeeded.  Touches no device.
	 * NULL for the CPU. */
	void (*speed)(const void *context, struct engine_speed *);
	/* Open it with the options after the device's name ("" if none).
	 * Return self, or NULL and the reason. */
	void *(*open)(const void *context, const char *words,
		      struct engine_limits *limits, struct diag *why_not);
	/* Allocate a buffer that the engine reads without a copy, aligned to 64
	 * bytes, or to 4096 for an engine that chains.  Return NULL when memory
	 * is short. */
	void *(*alloc)(void *self, size_t bytes);
	void (*free)(void *self, void *buffer, size_t bytes);
	/*
	 * Advance lanes[0..n), n <= limits.lanes.  Of each lane hash done <=
	 * nblocks blocks, updating its state; an idle lane keeps its state and
	 * its done is 0.  At least one lane with blocks must advance.  The
	 * engine does not move data or nblocks.  submit may return before the
	 * work is done; lanes and their data stay untouched by the caller until
	 * wait, and done is undefined before that.
	 *
	 * After anything but ENGINE_OK `done` is 0, and the states and ends are
	 * undefined; the data are untouched.
	 *
	 * From submit to wait the engine may read and write slack_bytes, or
	 * ENGINE_SLACK_BYTES if that is more, after the blocks of each lane;
	 * one that only reads (reads_only) does neither.
	 */
	enum engine_status (*submit)(void *self, struct engine_lane *lanes,
				     unsigned n, struct diag *);
	enum engine_status (*wait)(void *self, struct diag *);
	/* Return true and the reason if an opened device has failed its first
	 * test and passed one after a restart.  Optional. */
	bool (*healed)(void *self, struct diag *why);
	/* Add facts for --stats.  Optional; not called between submit and wait. */
	void (*stats)(void *self, struct facts *);
	/* Add facts about the device, opened or not.  Optional. */
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
