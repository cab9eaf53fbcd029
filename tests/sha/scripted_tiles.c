/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/sha/scripted_tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "qpu/kernel/pair.h"
#include "qpu/sha/engine_qpu.h"
#include "qpu/sha/launcher.h"
#include "qpu/ways/way.h"

enum {
	QPUS = 12,
	MEMORIES = 40,
	JOBS = 40, /* in the queue, at most */
	DRAWS = 64,
	UNIFORMS = 128,
	LOADS = 64,
	LANES = 16, /* of a thread */
	TILE_WORDS = TILE_BYTES / 4,
	WINDOW_PIXELS = TILE_PIXELS * TILE_PIXELS,
	LINE_BYTES = 64, /* of a cache as large as L2, without ways */
	LINES = 2048,
	PAIR_HANDLE = 7, /* the program that hashes; the other one is a probe */
	PROBE_HANDLE = 8
};

struct job {
	struct tile_job job;
	struct tile_draw draws[DRAWS];
	struct tile_memory results;
	uint32_t uniforms[DRAWS][UNIFORMS];
	struct tile_memory loads[DRAWS][LOADS];
	unsigned number; /* of all, from 1 */
	bool is_first;	 /* the queue was empty */
};

struct script script;

static struct {
	unsigned allocs, programs;
	struct tile_memory memories[MEMORIES];
	unsigned nmemories;
	struct job queue[JOBS];
	unsigned nqueued;
	struct {
		const uint8_t *place;
		uint8_t bytes[LINE_BYTES];
	} lines[LINES];
	uint32_t job_blocks[QPUS];
	uint32_t last_blocks; /* of the last job */
	bool is_open, is_dead;
} device;

void
script_reset(void)
{
	memset(&script, 0, sizeof(script));
	memset(&device, 0, sizeof(device));
}

static void
misuse(const char *what)
{
	printf("# misused: %s\n", what);
	script.misused++;
}

static bool
strikes(enum script_fault fault, unsigned job)
{
	return script.fault == fault &&
	       (script.lasts ? job >= script.fault_at : job == script.fault_at);
}

/* Memory and programs ------------------------------------------------------- */

static void *
open_device(const char *options, unsigned *qpus, struct diag *why_not)
{
	(void)options;
	if (device.is_open)
		misuse("opened twice");
	(void)why_not;
	script.opens++;
	device.is_open = true;
	device.is_dead = false;
	*qpus = QPUS;
	return &device;
}

static bool
take_memory(void *self, size_t bytes, struct tile_memory *memory,
	    struct diag *why_not)
{
	void *cpu = NULL;

	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	if (self != &device || !device.is_open)
		misuse("allocates from what is not open");
	device.allocs++;
	if (!(script.most_allocs && device.allocs > script.most_allocs) &&
	    !(script.most_bytes && script.bytes + bytes > script.most_bytes) &&
	    device.nmemories < MEMORIES)
		cpu = aligned_alloc(DEVICE_PAGE, bytes);
	if (!cpu) {
		diag_set(why_not, "no memory");
		return false;
	}
	*memory = (struct tile_memory){ cpu, device.allocs, bytes };
	memset(cpu, 0, bytes);
	device.memories[device.nmemories++] = *memory;
	script.bytes += bytes;
	if (script.bytes > script.peak_bytes)
		script.peak_bytes = script.bytes;
	return true;
}

static void
give_memory(void *self, const struct tile_memory *memory)
{
	unsigned i = 0;

	(void)self;
	while (i < device.nmemories && device.memories[i].cpu != memory->cpu)
		i++;
	if (device.nqueued > 0)
		misuse("frees memory of a job");
	if (i == device.nmemories) {
		misuse("frees what it has not");
		return;
	}
	script.bytes -= device.memories[i].bytes;
	free(device.memories[i].cpu);
	device.memories[i] = device.memories[--device.nmemories];
}

static bool
load_program(void *self, const uint64_t *code, size_t n,
	     struct tile_program *program, struct diag *why_not)
{
	const bool is_pair = n == pair_nwords &&
			     memcmp(code, pair_code, n * 8) == 0;

	(void)self;
	if (script.most_programs && device.programs == script.most_programs) {
		diag_set(why_not, "no program");
		return false;
	}
	device.programs++;
	if (is_pair && (program->uniforms != pair_nuniforms ||
			program->loads != pair_nloads))
		misuse("counts uniforms or lookups wrongly");
	program->handle = is_pair ? PAIR_HANDLE : PROBE_HANDLE;
	return true;
}

/* Bases and clamps keep all lookups inside of their memory. */
static bool
is_inside(const struct tile_draw *draw)
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

/* The first of a draw's uniforms of this kind and memory. */
static uint32_t
uniform_of(const uint32_t *uniforms, enum pair_uniform_kind kind,
	   enum pair_memory memory)
{
	unsigned i = 0;

	while (pair_uniforms[i].kind != kind ||
	       pair_uniforms[i].memory != memory)
		i++;
	return uniforms[i] -
	       (kind == PAIR_UNIFORM_BASE ? pair_uniforms[i].word : 0);
}

static enum device_status
submit(void *self, const struct tile_job *job, uint64_t *ticket,
       struct diag *why_not)
{
	struct job *to = &device.queue[device.nqueued];

	if (self != &device || !device.is_open || device.is_dead)
		misuse("submits to a device that is not there");
	if (strikes(SCRIPT_REFUSED, ++script.jobs)) {
		diag_set(why_not, "a job was refused");
		return DEVICE_REFUSED;
	}
	if (device.nqueued == JOBS || job->ndraws > DRAWS ||
	    job->tiles_y > TILE_MAX || job->tiles_x != 1 ||
	    job->offset % 4096 != 0 ||
	    job->offset + (job->tiles_y + 1) * (size_t)TILE_BYTES >
		    job->results->bytes)
		misuse("submits a strange job");
	to->job = *job;
	to->results = *job->results;
	script.last[script.jobs % 2].place =
		(unsigned)(job->offset / TILE_BYTES);
	script.last[script.jobs % 2].height =
		job->draws[job->ndraws - 1].height;
	for (unsigned i = 0; i < job->ndraws; i++) {
		const struct tile_draw *draw = &job->draws[i];

		to->draws[i] = *draw;
		if (draw->height == 0 || draw->height % 2 != 0 ||
		    draw->width != TILE_PIXELS ||
		    draw->y + draw->height > job->tiles_y * TILE_PIXELS)
			misuse("draws outside of the picture");
		if (draw->program->handle != PAIR_HANDLE)
			continue;
		if (!is_inside(draw))
			misuse("looks outside of its memory");
		memcpy(to->uniforms[i], draw->uniforms, pair_nuniforms * 4);
		script.delays += uniform_of(draw->uniforms, PAIR_UNIFORM_DELAY,
					    PAIR_TABLE) > 0;
		for (unsigned k = 0; k < pair_nloads; k++)
			to->loads[i][k] = *draw->loads[k];
	}
	*ticket = to->number = script.jobs;
	to->is_first = device.nqueued == 0;
	if (++device.nqueued > script.most_queued)
		script.most_queued = device.nqueued;
	return DEVICE_OK;
}

/* Threads ------------------------------------------------------------------- */

/* The thread of a pixel in its window: four quads of a row, or others. */
static unsigned
thread_of(unsigned x, unsigned y, unsigned height)
{
	const unsigned quad = y / 2 * (TILE_PIXELS / 2) + x / 2;
	const unsigned quads = height / 2 * (TILE_PIXELS / 2);

	/* 7 has no factor in common with a multiple of 16. */
	if (script.is_shuffled && quads % 7 != 0)
		return quad * 7 % quads / 4;
	return quad / 4;
}

static uint8_t *
memory_of(const struct job *job, unsigned draw, enum pair_memory memory)
{
	unsigned i = 0;

	while (pair_loads[i] != memory)
		i++;
	return job->loads[draw][i].cpu;
}

/* A line of data as the QPUs see it. */
static const uint8_t *
line_at(const uint8_t *place)
{
	const unsigned line = (uintptr_t)place / LINE_BYTES % LINES;

	if (device.lines[line].place != place)
		memcpy(device.lines[line].bytes, place, LINE_BYTES);
	device.lines[line].place = place;
	return device.lines[line].bytes;
}

/* A row of the lane table, likewise; two of them share a line. */
static const struct pair_lane *
row_at(const struct pair_lane *row)
{
	const uint8_t *place = (const void *)row;
	const size_t within = (uintptr_t)place % LINE_BYTES;

	return (const void *)(line_at(place - within) + within);
}

/* What a pair of pixels leaves, on a QPU. */
static void
hash(const struct job *job, unsigned draw, unsigned x, unsigned y, unsigned qpu,
     uint32_t state[8], uint32_t *blocks)
{
	const uint32_t *uniforms = job->uniforms[draw];
	const struct pair_lane *table =
		(const void *)(memory_of(job, draw, PAIR_TABLE) +
			       uniform_of(uniforms, PAIR_UNIFORM_BASE,
					  PAIR_TABLE));
	const unsigned width =
		1u << uniform_of(uniforms, PAIR_UNIFORM_WIDTH, PAIR_TABLE);
	const struct pair_lane *upper = row_at(&table[y * width + x]);
	const struct pair_lane *lower = row_at(&table[(y + 1) * width + x]);
	const uint32_t *k = (const void *)memory_of(job, draw, PAIR_K);
	uint8_t *data = memory_of(job, draw, PAIR_DATA) + upper->data;
	const uint32_t turns =
		qpu * uniform_of(uniforms, PAIR_UNIFORM_DELAY, PAIR_TABLE) +
		uniform_of(uniforms, PAIR_UNIFORM_TURNS, PAIR_TABLE) + 1;
	const uint32_t added =
		turns * uniform_of(uniforms, PAIR_UNIFORM_STEP, PAIR_TABLE);
	const bool is_struck = (upper->blocks > 0 || added > 0) &&
			       qpu == script.seed % QPUS;

	*blocks = upper->blocks;
	if (!strikes(SCRIPT_CACHES, job->number) &&
	    (lower->blocks != upper->blocks || lower->data != upper->data + 4))
		misuse("has two lanes that are not of one message");
	if (memcmp(k, sha256_k, 64 * 4) != 0 || memcmp(k + 64, k, 16 * 4) != 0)
		misuse("has other constants");
	memcpy(state, lower->state, 16);
	memcpy(state + 4, upper->state, 16);
	for (unsigned i = 0; i < PAIR_SUM_WORDS; i++) {
		state[i] += added;
		state[PAIR_WORDS + i] += added;
	}
	for (uint32_t i = 0; i < *blocks; i++)
		sha256_blocks(state, line_at(data + i * LINE_BYTES), 1);
	if (strikes(SCRIPT_CONSTANT, job->number) && is_struck)
		state[3] += 1;
}

/* The pixels of a thread, by elements. */
struct thread {
	unsigned n, x[LANES], y[LANES];
};

/* Runs it on a QPU.  Returns its blocks. */
static uint32_t
run_thread(const struct job *job, unsigned draw, const struct thread *thread,
	   unsigned qpu, uint32_t *tile)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < thread->n; i++) {
		const unsigned x = thread->x[i], y = thread->y[i];
		uint32_t *word = tile + tile_word(1, x, y % TILE_PIXELS, 0);
		uint32_t state[8], blocks;

		if (job->draws[draw].program->handle != PAIR_HANDLE) {
			word[0] = qpu;
			word[4] = i;
			word[8] = thread->x[0] | thread->y[0] << 16;
			word[12] = x | (y ^ script.is_mirrored) << 16;
			continue;
		}
		if (y % 2 != 0)
			continue;
		hash(job, draw, x, y, qpu, state, &blocks);
		script.hashed += blocks;
		if (blocks > longest)
			longest = blocks;
		for (unsigned s = 0; s < 4; s++) {
			word[s * 4] = state[4 + s];
			word[s * 4 + 2] = state[s];
		}
	}
	return longest;
}

static void
run_draw(const struct job *job, unsigned draw, uint32_t *tile,
	 uint32_t busy[QPUS])
{
	static struct thread threads[WINDOW_PIXELS / LANES];
	const struct tile_draw *window = &job->draws[draw];
	const unsigned n = window->height * TILE_PIXELS / LANES;

	memset(threads, 0, sizeof(threads));
	for (unsigned quad = 0; quad < n * 4; quad++) {
		const unsigned x = quad % (TILE_PIXELS / 2) * 2;
		const unsigned y = quad / (TILE_PIXELS / 2) * 2;
		struct thread *thread =
			&threads[thread_of(x, y, window->height)];

		for (unsigned i = 0; i < 4; i++) {
			thread->x[thread->n] = x + i % 2;
			thread->y[thread->n++] = window->y + y + i / 2;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned qpu = 0;
		uint32_t blocks;

		for (unsigned q = 1; q < QPUS; q++)
			if (busy[q] < busy[qpu])
				qpu = q;
		blocks = run_thread(job, draw, &threads[i], qpu, tile);
		busy[qpu] += blocks + 1;
		device.job_blocks[qpu] += blocks;
		script.busy += blocks;
	}
}

/* Jobs ---------------------------------------------------------------------- */

static void
run_job(const struct job *job)
{
	static uint32_t tile[TILE_WORDS];
	uint32_t *results =
		(void *)((uint8_t *)job->results.cpu + job->job.offset);
	uint32_t busy[QPUS] = { 0 }, time = 0, queued;

	memset(device.job_blocks, 0, sizeof(device.job_blocks));
	if (strikes(SCRIPT_NOTHING, job->number))
		return;
	for (unsigned t = 0; t < job->job.tiles_y; t++) {
		unsigned draw = 0;

		for (unsigned i = 0; i < TILE_WORDS; i++)
			tile[i] = job->job.clear;
		while (draw < job->job.ndraws &&
		       job->draws[draw].y / TILE_PIXELS != t)
			draw++;
		if (draw < job->job.ndraws)
			run_draw(job, draw, tile, busy);
		memcpy(results + (size_t)t * TILE_WORDS, tile, sizeof(tile));
	}
	for (unsigned i = 0; i < QPUS; i++)
		if (device.job_blocks[i] > time)
			time = device.job_blocks[i];
	script.time += time;
	/* The queue holds this job and, unless it was empty, the one before. */
	queued = time + (job->is_first ? 0 : device.last_blocks);
	device.last_blocks = time;
	if (queued > script.most_queue_blocks)
		script.most_queue_blocks = queued;
}

/* The first job is the last one, and those that follow are counted for it: it
 * runs when the next job that is submitted is waited for. */
static void
put_last(void)
{
	static struct job first;

	first = device.queue[0];
	first.number = script.jobs + 1;
	memmove(device.queue, device.queue + 1,
		(device.nqueued - 1) * sizeof(*device.queue));
	device.queue[device.nqueued - 1] = first;
	script.is_over = true;
}

static enum device_status
wait_for(void *self, uint64_t ticket, unsigned timeout_ms, struct diag *why)
{
	(void)self;
	/* The kernel may take so long to end another program's job. */
	if (timeout_ms < 3500)
		misuse("has no patience");
	while (device.nqueued > 0 && device.queue[0].number <= ticket) {
		const unsigned number = device.queue[0].number;

		if (strikes(SCRIPT_LATE, number) && !device.is_dead) {
			device.is_dead = true;
			diag_set(why, "a job is late");
			return DEVICE_TIMEOUT;
		}
		if (strikes(SCRIPT_TIMEOUT, number) ||
		    strikes(SCRIPT_FAULTED, number)) {
			device.is_dead = true;
			diag_set(why, "a job does not end, or breaks a rule");
			return script.fault == SCRIPT_TIMEOUT ? DEVICE_TIMEOUT :
								DEVICE_FAULT;
		}
		if (strikes(SCRIPT_EARLY, number) && !script.is_over) {
			put_last();
			continue;
		}
		if (!strikes(SCRIPT_CACHES, number))
			memset(device.lines, 0, sizeof(device.lines));
		run_job(&device.queue[0]);
		memmove(device.queue, device.queue + 1,
			--device.nqueued * sizeof(*device.queue));
	}
	device.is_dead &= device.nqueued > 0;
	return DEVICE_OK;
}

static void
tell_totals(void *self, struct device_totals *totals)
{
	(void)self;
	*totals = (struct device_totals){ .modelled = true,
					  .instructions = script.busy };
}

static uint64_t
seed(void *self)
{
	(void)self;
	return script.seed;
}

static unsigned
queue_ms(void *self)
{
	(void)self;
	return script.queue_ms ? script.queue_ms : 40;
}

static void
close_device(void *self)
{
	if (self != &device || !device.is_open)
		misuse("closes what is not open");
	device.nqueued = 0;
	while (device.nmemories > 0)
		give_memory(self, &device.memories[0]);
	device.is_open = false;
	script.closes++;
}

static const struct tile_device device_scripted = { .open = open_device,
						    .alloc = take_memory,
						    .free = give_memory,
						    .load_program =
							    load_program,
						    .submit = submit,
						    .wait = wait_for,
						    .totals = tell_totals,
						    .queue_ms = queue_ms,
						    .seed = seed,
						    .close = close_device };

static const struct engine_qpu_context context = { &launcher_tiles,
						   .tiles = &device_scripted };

struct engine
scripted_engine(void)
{
	struct engine engine = engine_emulated_tiles;

	engine.context = &context;
	return engine;
}
