/* SPDX-License-Identifier: MIT */
/*
 * scripted-tiles: a tile device that does with the reference what pair.h and
 * thread_shapes.h promise of the two programs, and misbehaves on order.  Header
 * only.
 *
 * Jobs run when they are waited for, so that memory that was changed too early
 * shows.  What a device must not be asked is counted in script.misused.
 */
#ifndef TESTS_TILES_SCRIPTED_TILES_H
#define TESTS_TILES_SCRIPTED_TILES_H

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "qpu/device/tile_device.h"
#include "qpu/kernel/pair.h"
#include "qpu/tiles/engine_tiles.h"

enum {
	SCRIPT_QPUS = 12,
	SCRIPT_MEMORIES = 40,
	SCRIPT_JOBS = 16, /* in the queue, at most */
	SCRIPT_DRAWS = 64,
	SCRIPT_UNIFORMS = 128,
	SCRIPT_LOADS = 64,
	THREAD_LANES = 16,
	TILE_WORDS = TILE_BYTES / 4,
	WINDOW_PIXELS = TILE_PIXELS * TILE_PIXELS,
	LINE_BYTES = 64, /* of a cache as large as L2, without ways */
	LINES = 256
};

enum script_fault {
	SCRIPT_NO_FAULT,
	SCRIPT_NOTHING,	   /* a job is not run, and said to have ended */
	SCRIPT_RESET,	   /* a job ends after its first tile */
	SCRIPT_TILE_LOST,  /* a tile is not stored */
	SCRIPT_CLEARED,	   /* a tile is stored as it was cleared */
	SCRIPT_THREAD_OFF, /* a thread leaves what the tile was cleared to */
	SCRIPT_PIXEL_OFF,  /* a pixel does */
	SCRIPT_STALE,	   /* a tile is stored as in the job before */
	SCRIPT_EXCHANGED,  /* two tiles are stored in each other's place */
	SCRIPT_COLUMNS,	   /* neighbours in all quads are exchanged */
	SCRIPT_SHORT,	   /* a QPU hashes one block too few */
	SCRIPT_CONSTANT,   /* a QPU has a wrong constant, from then on */
	SCRIPT_LANE,	   /* an element of a QPU is wrong, from then on */
	SCRIPT_TIMEOUT,	   /* a job does not end */
	SCRIPT_REFUSED,	   /* a job is not taken */
	SCRIPT_FAULTED,	   /* a job breaks a rule of the hardware */
	/* What may be silent. */
	SCRIPT_CACHES, /* data are looked up in caches that no job clears */
	SCRIPT_ONCE,   /* a word of a pixel is wrong, once */
	SCRIPT_SWAP,   /* two pixels of a tile are exchanged, once */
	SCRIPT_DATA    /* a bit of the data is flipped */
};

struct script_job {
	struct tile_job job;
	struct tile_draw draws[SCRIPT_DRAWS];
	struct tile_memory results;
	uint32_t uniforms[SCRIPT_DRAWS][SCRIPT_UNIFORMS];
	struct tile_memory loads[SCRIPT_DRAWS][SCRIPT_LOADS];
	bool is_pair[SCRIPT_DRAWS];
	uint64_t ticket;
};

static struct {
	/* Set by a test. */
	enum script_fault fault;
	unsigned fault_at; /* number of the job, from 1 */
	unsigned seed;	   /* says which tile, QPU, element, pixel */
	bool lasts;	   /* the fault comes again in each job */
	bool is_shuffled;  /* threads are not rows of quads */
	unsigned most_allocs, most_opens; /* then they fail; 0: none does */
	size_t most_bytes;		  /* of all memory; 0: any number */
	unsigned job_ms;		  /* a job may take this long; 0: 20 */
	bool is_mirrored; /* pixels are not where they should be */
	/* Seen. */
	unsigned misused, jobs, opens, allocs, closes, most_queued;
	size_t bytes, peak_bytes;
	uint64_t threads, busy;	  /* blocks of threads */
	uint32_t most_job_blocks; /* of a QPU in a job */
	/* Its own. */
	uint32_t job_blocks[SCRIPT_QPUS];
	struct tile_memory memories[SCRIPT_MEMORIES];
	unsigned nmemories, nprograms;
	struct script_job queue[SCRIPT_JOBS];
	unsigned nqueued;
	uint64_t ticket;
	uint32_t before[TILE_WORDS]; /* a tile of the job before */
	struct {
		const uint8_t *place;
		uint8_t bytes[LINE_BYTES];
	} lines[LINES];
	bool is_open, is_dead;
	bool is_done; /* a fault that comes once has come */
} script;

static inline void
script_misuse(const char *what)
{
	printf("# misused: %s\n", what);
	script.misused++;
}

/* Which programs those are; others are not known here. */
enum { PAIR_HANDLE = 7, PROBE_HANDLE = 8 };

static inline bool
script_probe(struct diag *why_not)
{
	(void)why_not;
	return true;
}

static inline void *
script_open(const char *options, unsigned *qpus, struct diag *why_not)
{
	(void)options;
	if (script.is_open)
		script_misuse("opened twice");
	if (script.most_opens && script.opens >= script.most_opens) {
		diag_set(why_not, "it cannot be opened");
		return NULL;
	}
	script.opens++;
	script.is_open = true;
	script.is_dead = false;
	*qpus = SCRIPT_QPUS;
	return &script;
}

static inline bool
script_alloc(void *self, size_t bytes, struct tile_memory *memory,
	     struct diag *why_not)
{
	const size_t rounded =
		(bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;

	if (self != &script || !script.is_open)
		script_misuse("allocates from what is not open");
	script.allocs++;
	if ((script.most_allocs && script.allocs > script.most_allocs) ||
	    (script.most_bytes && script.bytes + rounded > script.most_bytes) ||
	    script.nmemories == SCRIPT_MEMORIES) {
		diag_set(why_not, "no memory");
		return false;
	}
	*memory = (struct tile_memory){ .cpu = aligned_alloc(DEVICE_PAGE,
							     rounded),
					.handle = script.allocs,
					.bytes = rounded };
	memset(memory->cpu, 0, rounded);
	script.memories[script.nmemories++] = *memory;
	script.bytes += rounded;
	if (script.bytes > script.peak_bytes)
		script.peak_bytes = script.bytes;
	return true;
}

static inline void
script_free(void *self, const struct tile_memory *memory)
{
	(void)self;
	if (script.nqueued > 0)
		script_misuse("frees memory of a job");
	for (unsigned i = 0; i < script.nmemories; i++) {
		if (script.memories[i].cpu != memory->cpu)
			continue;
		free(memory->cpu);
		script.bytes -= script.memories[i].bytes;
		script.memories[i] = script.memories[--script.nmemories];
		return;
	}
	script_misuse("frees what it has not");
}

static inline bool
script_load_program(void *self, const uint64_t *code, size_t n,
		    struct tile_program *program, struct diag *why_not)
{
	const bool is_pair = n == pair_nwords &&
			     memcmp(code, pair_code, n * 8) == 0;

	(void)self;
	(void)why_not;
	if (is_pair && (program->uniforms != pair_nuniforms ||
			program->loads != pair_nloads))
		script_misuse("counts uniforms or lookups wrongly");
	program->handle = is_pair ? PAIR_HANDLE : PROBE_HANDLE;
	script.nprograms++;
	return true;
}

/* Bases and clamps keep all lookups inside of their memory. */
static inline bool
script_is_inside(const struct tile_draw *draw)
{
	uint32_t clamp[3] = { 0 };
	unsigned load = 0;

	for (unsigned i = 0; i < pair_nuniforms; i++) {
		const uint32_t word = draw->uniforms[i];
		const enum pair_memory memory = pair_uniforms[i].memory;

		if (pair_uniforms[i].kind == PAIR_UNIFORM_CLAMP)
			clamp[memory] = word;
		if (pair_uniforms[i].kind != PAIR_UNIFORM_BASE)
			continue;
		if (word + 4 > draw->loads[load]->bytes ||
		    clamp[memory] > draw->loads[load]->bytes - word - 4)
			return false;
		load++;
	}
	return true;
}

static enum device_status
script_submit(void *self, const struct tile_job *job, uint64_t *ticket,
	      struct diag *why_not)
{
	struct script_job *to = &script.queue[script.nqueued];

	if (self != &script || !script.is_open || script.is_dead)
		script_misuse("submits to a device that is not there");
	script.jobs++;
	if (script.fault == SCRIPT_REFUSED &&
	    (script.lasts ? script.jobs >= script.fault_at :
			    script.jobs == script.fault_at)) {
		diag_set(why_not, "a job was refused");
		return DEVICE_REFUSED;
	}
	if (script.nqueued == SCRIPT_JOBS || job->ndraws > SCRIPT_DRAWS ||
	    job->tiles_y > TILE_MAX || job->tiles_x != 1 ||
	    job->offset % 4096 != 0 ||
	    job->offset + (job->tiles_y + 1) * (size_t)TILE_BYTES >
		    job->results->bytes)
		script_misuse("submits a strange job");
	to->job = *job;
	to->results = *job->results;
	for (unsigned i = 0; i < job->ndraws; i++) {
		const struct tile_draw *draw = &job->draws[i];

		to->draws[i] = *draw;
		to->is_pair[i] = draw->program->handle == PAIR_HANDLE;
		if (draw->height == 0 || draw->height % 2 != 0 ||
		    draw->width != TILE_PIXELS ||
		    draw->y + draw->height > job->tiles_y * TILE_PIXELS)
			script_misuse("draws outside of the picture");
		if (!to->is_pair[i])
			continue;
		if (!script_is_inside(draw))
			script_misuse("looks outside of its memory");
		memcpy(to->uniforms[i], draw->uniforms, pair_nuniforms * 4);
		for (unsigned k = 0; k < pair_nloads; k++)
			to->loads[i][k] = *draw->loads[k];
	}
	*ticket = to->ticket = ++script.ticket;
	script.nqueued++;
	if (script.nqueued > script.most_queued)
		script.most_queued = script.nqueued;
	return DEVICE_OK;
}

/* Threads ------------------------------------------------------------------- */

/* The thread of a pixel in its window: four quads of a row, or others. */
static inline unsigned
script_thread(unsigned x, unsigned y, unsigned height)
{
	const unsigned quad = y / 2 * (TILE_PIXELS / 2) + x / 2;
	const unsigned quads = height / 2 * (TILE_PIXELS / 2);

	/* 7 has no factor in common with a multiple of 16. */
	if (script.is_shuffled && quads % 7 != 0)
		return quad * 7 % quads / 4;
	return quad / 4;
}

static inline bool
script_strikes(enum script_fault fault, unsigned job)
{
	return script.fault == fault &&
	       (script.lasts ? job >= script.fault_at : job == script.fault_at);
}

/* The number of a draw's uniform of this kind and memory; the first of them. */
static inline uint32_t
script_uniform(const uint32_t *uniforms, enum pair_uniform_kind kind,
	       enum pair_memory memory)
{
	for (unsigned i = 0; i < pair_nuniforms; i++)
		if (pair_uniforms[i].kind == kind &&
		    pair_uniforms[i].memory == memory)
			return uniforms[i] -
			       pair_uniforms[i].word *
				       (kind == PAIR_UNIFORM_BASE);
	return 0;
}

static inline const uint8_t *
script_memory(const struct script_job *job, unsigned draw,
	      enum pair_memory memory)
{
	for (unsigned i = 0; i < pair_nloads; i++)
		if (pair_loads[i] == memory)
			return job->loads[draw][i].cpu;
	return NULL;
}

/* A line of data as the QPUs see it. */
static inline const uint8_t *
script_line(const uint8_t *place)
{
	const unsigned line = (uintptr_t)place / LINE_BYTES % LINES;

	if (script.lines[line].place != place)
		memcpy(script.lines[line].bytes, place, LINE_BYTES);
	script.lines[line].place = place;
	return script.lines[line].bytes;
}

/* What a pair of pixels leaves, on a QPU. */
static inline void
script_hash(const struct script_job *job, unsigned number, unsigned draw,
	    unsigned x, unsigned y, unsigned qpu, uint32_t state[8],
	    uint32_t *blocks)
{
	const uint32_t *uniforms = job->uniforms[draw];
	const struct pair_lane *table =
		(const void *)(script_memory(job, draw, PAIR_TABLE) +
			       script_uniform(uniforms, PAIR_UNIFORM_BASE,
					      PAIR_TABLE));
	const unsigned width =
		1u << script_uniform(uniforms, PAIR_UNIFORM_WIDTH, PAIR_TABLE);
	const struct pair_lane *upper = &table[y * width + x];
	const struct pair_lane *lower = upper + width;
	const uint32_t *k = (const void *)script_memory(job, draw, PAIR_K);

	*blocks = upper->blocks;
	if (lower->blocks != upper->blocks || lower->data != upper->data + 4)
		script_misuse("has two lanes that are not of one message");
	if (memcmp(k, sha256_k, 64 * 4) != 0 || memcmp(k + 64, k, 16 * 4) != 0)
		script_misuse("has other constants");
	if (script_strikes(SCRIPT_SHORT, number) && *blocks > 0 &&
	    qpu == script.seed % SCRIPT_QPUS)
		(*blocks)--;
	if (script_strikes(SCRIPT_DATA, number) && *blocks > 0 &&
	    !script.is_done) {
		((uint8_t *)(uintptr_t)script_memory(
			job, draw,
			PAIR_DATA))[upper->data + script.seed % 64] ^= 1;
		script.is_done = true;
	}
	memcpy(state, lower->state, 16);
	memcpy(state + 4, upper->state, 16);
	for (uint32_t i = 0; i < *blocks; i++)
		sha256_blocks(state,
			      script_line(script_memory(job, draw, PAIR_DATA) +
					  upper->data + i * LINE_BYTES),
			      1);
	if (script_strikes(SCRIPT_CONSTANT, number) && *blocks > 0 &&
	    qpu == script.seed % SCRIPT_QPUS)
		state[3] += 1;
}

/* A QPU's thread: its pixels, by elements. */
struct script_thread {
	unsigned n, x[THREAD_LANES], y[THREAD_LANES];
};

static inline void
script_run_thread(const struct script_job *job, unsigned number, unsigned draw,
		  const struct script_thread *thread, unsigned qpu,
		  uint32_t *tile, uint32_t *longest)
{
	*longest = 0;
	for (unsigned i = 0; i < thread->n; i++) {
		const unsigned x = thread->x[i], y = thread->y[i];
		uint32_t *word = tile + tile_word(1, x, y % TILE_PIXELS, 0);
		uint32_t state[8], blocks;

		if (!job->is_pair[draw]) {
			word[0] = qpu;
			word[4] = i;
			word[8] = thread->x[0] | thread->y[0] << 16;
			word[12] = x | (y ^ script.is_mirrored) << 16;
			continue;
		}
		if (y % 2 != 0)
			continue;
		script_hash(job, number, draw, x, y, qpu, state, &blocks);
		if (blocks > *longest)
			*longest = blocks;
		if (script_strikes(SCRIPT_LANE, number) &&
		    qpu == script.seed % SCRIPT_QPUS &&
		    i == script.seed / SCRIPT_QPUS % THREAD_LANES / 4 * 4 +
				    script.seed % 2)
			state[script.seed % 8] ^= 1u << script.seed % 32;
		for (unsigned s = 0; s < 4; s++) {
			word[s * 4] = state[4 + s];
			word[s * 4 + 2] = state[s];
		}
	}
}

static inline void
script_run_draw(const struct script_job *job, unsigned number, unsigned draw,
		uint32_t *tile, uint32_t busy[SCRIPT_QPUS])
{
	static struct script_thread threads[WINDOW_PIXELS / THREAD_LANES];
	const struct tile_draw *window = &job->draws[draw];
	const unsigned n = window->height * TILE_PIXELS / THREAD_LANES;
	const unsigned off = script.seed % n;

	memset(threads, 0, sizeof(threads));
	for (unsigned quad = 0; quad < n * 4; quad++) {
		const unsigned x = quad % (TILE_PIXELS / 2) * 2;
		const unsigned y = quad / (TILE_PIXELS / 2) * 2;
		struct script_thread *thread =
			&threads[script_thread(x, y, window->height)];

		for (unsigned i = 0; i < 4; i++) {
			thread->x[thread->n] = x + i % 2;
			thread->y[thread->n++] = window->y + y + i / 2;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned qpu = 0;
		uint32_t longest;

		for (unsigned q = 1; q < SCRIPT_QPUS; q++)
			if (busy[q] < busy[qpu])
				qpu = q;
		if (i == off && script_strikes(SCRIPT_THREAD_OFF, number))
			continue;
		script_run_thread(job, number, draw, &threads[i], qpu, tile,
				  &longest);
		busy[qpu] += longest + 1;
		script.job_blocks[qpu] += longest;
		if (script.job_blocks[qpu] > script.most_job_blocks)
			script.most_job_blocks = script.job_blocks[qpu];
		script.threads++;
		script.busy += longest;
	}
}

/* Faults of a tile as a whole ------------------------------------------------- */

static inline void
script_swap(uint32_t *tile, unsigned one, unsigned other)
{
	for (unsigned s = 0; s < 4; s++) {
		const uint32_t word = tile[one + s * 4];

		tile[one + s * 4] = tile[other + s * 4];
		tile[other + s * 4] = word;
	}
}

static inline void
script_spoil(const struct script_job *job, unsigned number, unsigned draw,
	     uint32_t *tile)
{
	const unsigned height = job->draws[draw].height;
	const unsigned x = script.seed % TILE_PIXELS;
	const unsigned y = script.seed / TILE_PIXELS * 7 % height;
	const unsigned pixel = (unsigned)tile_word(1, x, y, 0);

	if (script_strikes(SCRIPT_CLEARED, number))
		for (unsigned i = 0; i < TILE_WORDS; i++)
			tile[i] = job->job.clear;
	if (script_strikes(SCRIPT_PIXEL_OFF, number))
		for (unsigned s = 0; s < 4; s++)
			tile[pixel + s * 4] = job->job.clear;
	if (script_strikes(SCRIPT_ONCE, number))
		tile[pixel] ^= 1;
	if (script_strikes(SCRIPT_SWAP, number))
		script_swap(tile, pixel,
			    (unsigned)tile_word(1, (x + 2) % TILE_PIXELS, y,
						0));
	if (script_strikes(SCRIPT_STALE, number))
		memcpy(tile, script.before, sizeof(script.before));
}

static inline void
script_run_job(const struct script_job *job, unsigned number)
{
	uint32_t *results =
		(void *)((uint8_t *)job->results.cpu + job->job.offset);
	const unsigned struck = script.seed % job->job.tiles_y;
	uint32_t busy[SCRIPT_QPUS] = { 0 };
	static uint32_t tile[TILE_WORDS], other[TILE_WORDS];

	memset(script.job_blocks, 0, sizeof(script.job_blocks));
	if (script_strikes(SCRIPT_NOTHING, number))
		return;
	for (unsigned t = 0; t < job->job.tiles_y; t++) {
		unsigned draw = 0;

		if (t > 0 && script_strikes(SCRIPT_RESET, number))
			break;
		for (unsigned i = 0; i < TILE_WORDS; i++)
			tile[i] = job->job.clear;
		while (draw < job->job.ndraws &&
		       job->draws[draw].y / TILE_PIXELS != t)
			draw++;
		if (draw < job->job.ndraws)
			script_run_draw(job, number, draw, tile, busy);
		if (t == struck && draw < job->job.ndraws)
			script_spoil(job, number, draw, tile);
		if (script_strikes(SCRIPT_COLUMNS, number))
			for (unsigned i = 0; i < TILE_WORDS; i += 16) {
				script_swap(tile, i, i + 1);
				script_swap(tile, i + 2, i + 3);
			}
		if (t == struck && script_strikes(SCRIPT_TILE_LOST, number))
			continue;
		memcpy(results + (size_t)t * TILE_WORDS, tile, sizeof(tile));
	}
	if (script_strikes(SCRIPT_EXCHANGED, number) && job->job.tiles_y > 1) {
		memcpy(other, results, sizeof(other));
		memcpy(results, results + TILE_WORDS, sizeof(other));
		memcpy(results + TILE_WORDS, other, sizeof(other));
	}
	memcpy(script.before, results, sizeof(script.before));
}

static inline enum device_status
script_wait(void *self, uint64_t ticket, unsigned timeout_ms, struct diag *why)
{
	static unsigned run; /* number of the job */

	(void)self;
	if (timeout_ms < 1000)
		script_misuse("has no patience");
	while (script.nqueued > 0 && script.queue[0].ticket <= ticket) {
		run = (unsigned)script.queue[0].ticket;
		if (script_strikes(SCRIPT_TIMEOUT, run)) {
			script.is_dead = true;
			diag_set(why, "a job does not end");
			return DEVICE_TIMEOUT;
		}
		if (script_strikes(SCRIPT_FAULTED, run)) {
			script.is_dead = true;
			diag_set(why, "a job breaks a rule");
			return DEVICE_FAULT;
		}
		if (!script_strikes(SCRIPT_CACHES, run))
			memset(script.lines, 0, sizeof(script.lines));
		script_run_job(&script.queue[0], run);
		memmove(script.queue, script.queue + 1,
			--script.nqueued * sizeof(*script.queue));
	}
	return DEVICE_OK;
}

static inline void
script_totals(void *self, struct device_totals *totals)
{
	(void)self;
	*totals = (struct device_totals){ .modelled = true };
}

static inline unsigned
script_job_ms(void *self)
{
	(void)self;
	return script.job_ms ? script.job_ms : 20;
}

static inline void
script_close(void *self)
{
	if (self != &script || !script.is_open)
		script_misuse("closes what is not open");
	script.nqueued = 0;
	while (script.nmemories > 0)
		script_free(self, &script.memories[0]);
	script.is_open = false;
	script.closes++;
}

static const struct tile_device device_scripted = { .name = "scripted",
						    .probe = script_probe,
						    .open = script_open,
						    .alloc = script_alloc,
						    .free = script_free,
						    .load_program =
							    script_load_program,
						    .submit = script_submit,
						    .wait = script_wait,
						    .totals = script_totals,
						    .job_ms = script_job_ms,
						    .close = script_close };

static inline void
script_speed(const void *context, struct engine_speed *speed)
{
	(void)context;
	tiles_set_rate(speed, 250);
}

static const struct engine engine_scripted = {
	.name = "tiles",
	.about = "a scripted tile device",
	.speed = script_speed,
	ENGINE_ON_TILES(device_scripted)
};

/* Forget all; what tests set comes after this. */
static inline void
script_reset(void)
{
	memset(&script, 0, sizeof(script));
}

#endif
