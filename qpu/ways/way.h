/* SPDX-License-Identifier: MIT */
/*
 * way: what a way to the QPUs is.  There are two kinds, and each is a table of
 * functions about memory, programs and time.  Neither knows anything of
 * SHA-256, which is the engine's.
 *
 *	struct qpu_device	runs programs on QPUs that it has for itself: by
 *				the firmware, or emulated
 *	struct tile_device	runs them as fragment shaders in a queue of jobs:
 *				by the kernel's driver, or emulated
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
	bool modelled;		/* times come from a model */
	bool timed;		/* by the cycle model */
	double busy_ms;		/* while programs ran */
	uint32_t clock_hz;	/* of the QPUs; 0 = unknown */
	const char *memory;	/* static; where it comes from, or NULL */
	uint64_t instructions;	/* of all QPUs; 0 = not counted */
	uint64_t clocks;	/* timed only: while QPUs were running */
	uint64_t launch_clocks; /* timed only: for starting them */
	unsigned ncounters;
	struct device_counter counters[DEVICE_COUNTERS];
};

/* Programs on QPUs ---------------------------------------------------------- */

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

struct qpu_device {
	const char *name;
	/* Does it exist, and may this user use it?  False and the reason.
	 * NULL: there is no doubt. */
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
	 * expected_ms is how long that should take, 0 = unknown.  Meanwhile
	 * nobody writes to memory with results.  After any status but
	 * DEVICE_OK no run is possible before a restart, and the memory that
	 * the programs know must not be reused. */
	enum device_status (*run)(void *self,
				  const struct device_program *programs,
				  unsigned n, double expected_ms,
				  unsigned timeout_ms, struct diag *why);
	/* After a run that timed out or was refused: switch the QPUs off and
	 * on, so that runs are possible again; memory stays.  False when that
	 * is impossible or was tried before.  The caller tests the device first
	 * and then plans the failed run anew, since its programs may have
	 * overwritten what they read.  The reason is that of a restart which
	 * has failed; it is left alone if there was none.  NULL = no device to
	 * restart. */
	bool (*restart)(void *self, struct diag *why_not);
	void (*totals)(void *self, struct device_totals *);
	/* Facts about it for its owner; it need not be open.  NULL = none. */
	void (*details)(struct facts *);
	/* Also frees all memory. */
	void (*close)(void *self);
};

/* Fragment shaders in jobs -------------------------------------------------- */

/*
 * A job is a rectangle of tiles of 32 x 32 pixels with four samples each.  Its
 * draws run a program for every pixel of their windows, one thread for 16
 * pixels.  A program loads words from memory by direct TMU lookups, at addresses
 * clamped to the memory that the draw names for that lookup, and writes four
 * samples of its pixel, a word each.  Which pixels share a thread is not known;
 * pixels of a quad (2 x 2) always do, as lanes 4n to 4n + 3: (x, y), (x + 1, y),
 * (x, y + 1), (x + 1, y + 1).  x and y of the first are even.
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

/* Memory that the CPU and the QPUs share, in pages.  The CPU writes it fast in
 * order, and reads it slowly. */
struct tile_memory {
	void *cpu;
	uint32_t handle;
	size_t bytes;
};

/* A program that the device has checked and taken. */
struct tile_program {
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
	const struct tile_program *program;
	const uint32_t *uniforms;
	const struct tile_memory *const *loads; /* one for each lookup */
	uint16_t x, y, width, height;		/* in pixels */
};

struct tile_job {
	const struct tile_draw *draws;
	unsigned ndraws;
	const struct tile_memory *results;
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
 * submit has set its timer anew (vc4_hangcheck_elapsed in vc4_gem.c), and half a
 * second more where the reset waits for a slot of the binner (vc4_irq.c).
 */
static inline unsigned
tile_patience_ms(double expected_ms)
{
	enum { HANG_MS = 4000 };

	return HANG_MS + (unsigned)(3 * expected_ms);
}

struct tile_device {
	/* As that of a struct qpu_device. */
	bool (*probe)(struct diag *why_not);
	/* NULL and the reason.  *qpus is the number of QPUs. */
	void *(*open)(const char *options, unsigned *qpus,
		      struct diag *why_not);
	/* Zeroed memory, in whole pages. */
	bool (*alloc)(void *self, size_t bytes, struct tile_memory *,
		      struct diag *why_not);
	void (*free)(void *self, const struct tile_memory *);
	/* n instructions; `uniforms` and `loads` of the program are set by the
	 * caller.  It stays until the device is closed. */
	bool (*load_program)(void *self, const uint64_t *code, size_t n,
			     struct tile_program *, struct diag *why_not);
	/* Puts a job into the queue and copies what describes it; memory must
	 * stay, and not be written, until the job has ended.  *ticket > 0. */
	enum device_status (*submit)(void *self, const struct tile_job *,
				     uint64_t *ticket, struct diag *why_not);
	/*
	 * Waits until a job and all before it have ended.  DEVICE_OK says only
	 * that: a job that the kernel has ended because it hung, or that was
	 * lost, ends like others, and its results are what the memory held.
	 * After DEVICE_TIMEOUT only a wait for the newest job is possible; if
	 * that ends well the device goes on.
	 */
	enum device_status (*wait)(void *self, uint64_t ticket,
				   unsigned timeout_ms, struct diag *why);
	void (*totals)(void *self, struct device_totals *);
	/* How long all jobs in the queue should take at most, in ms: it is
	 * shared, and a desktop's frames wait for what is before them. */
	unsigned (*queue_ms)(void *self);
	/* Where random choices begin, so that a run of a model can be repeated.
	 * NULL: they are the system's, which nobody foresees. */
	uint64_t (*seed)(void *self);
	/* Facts about it for its owner; it need not be open.  NULL = none. */
	void (*details)(struct facts *);
	/* Waits for jobs in the queue, and frees all memory. */
	void (*close)(void *self);
};

/* The ways that there are, and what may follow their names and a colon. */
extern const struct qpu_device device_vcio;
extern const struct tile_device device_drm;
extern const struct option_row vcio_option_rows[], drm_option_rows[];

/* Have a job drawn that takes next to no time, and wait until it has ended. */
static inline enum device_status
tile_run(const struct tile_device *device, void *self,
	 const struct tile_job *job, struct diag *why)
{
	uint64_t ticket;
	const enum device_status status =
		device->submit(self, job, &ticket, why);

	return status == DEVICE_OK ?
		       device->wait(self, ticket, tile_patience_ms(0), why) :
		       status;
}

#endif
