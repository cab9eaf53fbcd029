/* SPDX-License-Identifier: MIT */
/*
 * way: what a way to the QPUs is: a table of functions about memory, programs
 * and time, which knows nothing of SHA-256; that is the engine's.  There are
 * two kinds of ways:
 *
 *	WAY_LANES	programs run on QPUs that they have for themselves: by the
 *			firmware
 *	WAY_TILES	they run as fragment shaders in a queue of jobs: by the
 *			kernel's driver
 *
 * All calls block until they are done, and none is made while another one runs;
 * they may come from several threads.
 */
#ifndef QPU_WAYS_WAY_H
#define QPU_WAYS_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"
#include "src/base/facts.h"
#include "src/base/option.h"

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

struct device_counter {
	const char *name;
	uint64_t value;
};

/* Totals since the device was opened. */
struct device_totals {
	bool modelled;	    /* times come from a model */
	bool timed;	    /* by the cycle model */
	double busy_ms;	    /* while programs ran */
	uint32_t clock_hz;  /* of the QPUs; 0 = unknown */
	const char *memory; /* static; where it comes from, or NULL */
	/* WAY_TILES: how long all jobs in the queue should take at most: it is
	 * shared, and a desktop's frames wait for what is before them. */
	unsigned queue_ms;
	/* A model whose runs can be repeated has a seed for random choices. */
	bool is_seeded;
	uint64_t seed;
	uint64_t instructions;	/* of all QPUs; 0 = not counted */
	uint64_t clocks;	/* timed only: while QPUs were running */
	uint64_t launch_clocks; /* timed only: for starting them */
	unsigned ncounters;
	struct device_counter counters[DEVICE_COUNTERS];
};

/* Memory that the CPU and the QPUs share, in pages.  With WAY_TILES the CPU writes it
 * fast in order, and reads it slowly. */
struct way_memory {
	void *cpu; /* aligned to DEVICE_PAGE */
	union {
		uint32_t bus;	 /* WAY_LANES: its address, aligned likewise */
		uint32_t handle; /* WAY_TILES */
	};
	size_t bytes;
	bool unused; /* for free: the caller has put nothing there */
};

/* Programs on QPUs ---------------------------------------------------------- */

/* A program for one QPU; all are bus addresses. */
struct device_program {
	uint32_t code;
	uint32_t uniforms;
	/* Rows of 16 words, which include all that the program stores. */
	uint32_t results;
	unsigned result_rows;
};

/* Programs that run side by side until all have ended.  Meanwhile the CPU does not
 * write to memory with results. */
struct device_launch {
	const struct device_program *programs;
	unsigned n;
	unsigned timeout_ms;
};

/* Fragment shaders in jobs -------------------------------------------------- */

/*
 * A job is a rectangle of tiles of 32 x 32 pixels with four samples each.  Its
 * draws run a program for every pixel of their windows, one thread for 16
 * pixels.  A program loads words from memory by direct TMU lookups, at
 * addresses clamped to the memory that the draw names for that lookup, and
 * writes four samples of its pixel, a word each.  Which pixels share a thread
 * is not known; pixels of a quad (2 x 2) always do, as lanes 4n to 4n + 3: (x,
 * y), (x + 1, y), (x, y + 1), (x + 1, y + 1).  x and y of the first are even.
 *
 * The device keeps jobs in a queue, which it may share with other programs;
 * two jobs that wait leave no gap.
 */
enum {
	TILE_PIXELS = 32, /* width and height of a tile */
	TILE_SAMPLES = 4,
	TILE_BYTES = TILE_PIXELS * TILE_PIXELS * TILE_SAMPLES * 4,
	TILE_MAX = 32, /* tiles of a job in x and in y, at most */
};

/* A program that the device has checked and taken. */
struct way_program {
	uint32_t handle;
	unsigned uniforms; /* words of a stream, address words included */
	unsigned loads;	   /* lookups in the order of the program */
};

/*
 * Runs a program for each pixel of a window of the job.  The uniforms of a
 * lookup are an offset into its memory (at most bytes - 4) and, for the clamp,
 * the largest sum of the other operand: at most bytes - offset - 4.  Words that
 * hold uniform addresses are filled by the device.
 */
struct tile_draw {
	const struct way_program *program;
	const uint32_t *uniforms;
	const struct way_memory *const *loads; /* one for each lookup */
	uint16_t x, y, width, height;	       /* in pixels, all of them even */
};

struct tile_job {
	const struct tile_draw *draws;
	unsigned ndraws;
	const struct way_memory *results;
	size_t offset; /* in results, a multiple of 4096 */
	unsigned tiles_x, tiles_y;
	uint32_t clear; /* what samples hold that no program has written */
};

/*
 * The word of a sample in the results of a job: tiles lie one after the other,
 * row by row, TILE_BYTES each; in a tile a quad is 64 bytes, sample after
 * sample (Mesa's vc4 driver reads them back in this layout).
 */
static inline size_t
tile_word(unsigned tiles_x, unsigned x, unsigned y, unsigned sample)
{
	const size_t tile =
		(size_t)(y / TILE_PIXELS) * tiles_x + x / TILE_PIXELS;

	x %= TILE_PIXELS;
	y %= TILE_PIXELS;
	return tile * (TILE_BYTES / 4) + (y & ~1u) * 128 + (x & ~1u) * 8 +
	       sample * 4 + (y & 1) * 2 + (x & 1);
}

/*
 * How long to wait for jobs.  Another program's job that hangs is ahead of them
 * until the kernel resets the GPU: it looks on whole seconds whether a list has
 * moved since it looked last, so a hang lasts 1.1 to 2.1 s, one more where a
 * submit has set its timer anew (vc4_hangcheck_elapsed in vc4_gem.c), and half
 * a second more where the reset waits for a slot of the binner (vc4_irq.c).
 */
static inline unsigned
tile_patience_ms(double expected_ms)
{
	enum { HANG_MS = 4000 };

	return HANG_MS + (unsigned)(3 * expected_ms);
}

/* Ways ------------------------------------------------------------------------ */

enum way_kind { WAY_LANES, WAY_TILES };

/* A launch or a picture, by the way's kind. */
struct way_job {
	double expected_ms; /* 0 = unknown */
	struct device_launch launch;
	struct tile_job tiles;
};

struct way {
	enum way_kind kind;
	/* Return true if it exists and this user may use it, else give the reason.
	 * Optional. */
	bool (*probe)(struct diag *why_not);
	/* Set *qpus to the number of QPUs.  On failure return NULL with the
	 * reason. */
	void *(*open)(const char *options, unsigned *qpus,
		      struct diag *why_not);
	/* Give memory, zeroed with WAY_TILES.  Prefer several small pieces to a
	 * large one. */
	bool (*alloc)(void *self, size_t bytes, struct way_memory *,
		      struct diag *why_not);
	void (*free)(void *self, const struct way_memory *);
	/* Optional, for WAY_LANES: this thread has written to memory that the next
	 * launch reads.  It is called by the thread that wrote, before
	 * another thread starts the launch, and while nothing runs. */
	void (*publish)(void *self, const struct way_memory *);
	/* WAY_TILES: take a program of n instructions, whose `uniforms` and
	 * `loads` the caller sets.  It stays until the way is closed. */
	bool (*load)(void *self, const uint64_t *code, size_t n,
		     struct way_program *, struct diag *why_not);
	/*
	 * Put a job into the queue and copy what describes it; its memory must
	 * stay, and not be written, until it has ended.  *ticket > 0.  A launch of
	 * WAY_LANES has ended by then: after any status but DEVICE_OK no other is
	 * possible before a restart, and the memory that the programs know must
	 * not be reused.
	 */
	enum device_status (*submit)(void *self, const struct way_job *,
				     uint64_t *ticket, struct diag *why_not);
	/*
	 * WAY_TILES: wait until a job and all before it have ended.  DEVICE_OK says only
	 * that: a job that the kernel has ended because it hung, or that was
	 * lost, ends like others, and its results are what the memory held.
	 * After DEVICE_TIMEOUT only a wait for the newest job is possible; if
	 * that ends well the way goes on.
	 */
	enum device_status (*wait)(void *self, uint64_t ticket,
				   unsigned timeout_ms, struct diag *why);
	/* Optional, for WAY_LANES: after a launch that timed out or was refused
	 * switch the QPUs off and on, so that launches are possible again; memory
	 * stays.  Return false if that is impossible or was tried before.  The
	 * caller tests the way first and then plans the failed launch anew,
	 * since its programs may have overwritten their input.  *why_not is set
	 * only if a restart was tried and failed. */
	bool (*restart)(void *self, struct diag *why_not);
	void (*totals)(void *self, struct device_totals *);
	/* Add facts for its owner; it need not be open.  Optional. */
	void (*details)(struct facts *);
	/* Wait for jobs in the queue, and free all memory. */
	void (*close)(void *self);
};

/* The real ways, and the options accepted after NAME:. */
extern const struct way way_vcio, way_drm;
extern const struct option_row vcio_option_rows[], drm_option_rows[];

/* Run a job and wait until it has ended. */
static inline enum device_status
way_run(const struct way *way, void *self, const struct way_job *job,
	unsigned timeout_ms, struct diag *why)
{
	uint64_t ticket;
	const enum device_status status = way->submit(self, job, &ticket, why);

	return status == DEVICE_OK && way->wait ?
		       way->wait(self, ticket, timeout_ms, why) :
		       status;
}

#endif
