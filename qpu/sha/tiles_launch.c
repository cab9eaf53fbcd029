/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/tiles_launch.h"

#include "qpu/kernel/pair.h"
#include "qpu/sha/launcher.h"

enum {
	WIDTH_LOG2 = 5, /* of a job: one tile */
	/* Turns of a loop for each QPU: the threads of a job begin a sixth of a
	 * block after each other. */
	DELAY = 37,
	DELAY_BLOCKS = 8, /* of a thread, from which on that pays */
	/* A block of a thread takes some 18 us at 250 MHz. */
	BLOCK_US = 18,
	/* Jobs in the queue: while one runs the next one waits for it, so that
	 * no time is lost, and a desktop's frame waits for no more than them.
	 * They share the time that the device allows. */
	QUEUED = 2
};

/* Jobs ---------------------------------------------------------------------- */

static const struct way_memory *
memory_of(const struct tiles_launch *launch, const struct plan_tile *tile,
	  enum pair_memory memory)
{
	switch (memory) {
	case PAIR_TABLE: return &launch->table;
	case PAIR_DATA: return &launch->memories[tile->memory].memory;
	case PAIR_K: break;
	}
	return &launch->constants;
}

/* Fill in the uniforms of a tile's threads.  `table` is the offset of the job's
 * rows in the table. */
static void
fill_uniforms(const struct tiles_launch *launch, const struct plan_tile *tile,
	      uint32_t table, uint32_t delay, uint32_t *uniforms)
{
	const bool tests_adders = launch->plan.slots[tile->first_slot].state ==
				  PLAN_SUMS;

	for (size_t i = 0; i < pair_nuniforms; i++) {
		const struct pair_uniform *from = &pair_uniforms[i];
		const size_t bytes =
			memory_of(launch, tile, from->memory)->bytes;
		const uint32_t offset = from->memory == PAIR_TABLE ? table : 0;

		switch (from->kind) {
		case PAIR_UNIFORM_BASE:
			uniforms[i] = offset + from->word;
			break;
		case PAIR_UNIFORM_CLAMP:
			uniforms[i] = (uint32_t)bytes - offset - from->word;
			break;
		case PAIR_UNIFORM_WIDTH: uniforms[i] = WIDTH_LOG2; break;
		case PAIR_UNIFORM_DELAY: uniforms[i] = delay; break;
		case PAIR_UNIFORM_TURNS:
			uniforms[i] = tests_adders ? PAIR_SUM_TURNS : 0;
			break;
		case PAIR_UNIFORM_STEP:
			uniforms[i] = tests_adders ? PAIR_SUM_STEP : 0;
			break;
		case PAIR_UNIFORM_ADDRESS: uniforms[i] = 0; break;
		}
	}
}

static void
fill_draw(struct tiles_launch *launch, const struct plan_job *job, unsigned n)
{
	const unsigned number = job->first_tile + n;
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *uniforms = launch->uniforms + number * pair_nuniforms;
	const struct way_memory **loads = launch->loads + number * pair_nloads;
	const bool waits = n == 0 && tile->longest >= DELAY_BLOCKS &&
			   tile->rows * SHAPE_ROW_THREADS >= launch->plan.qpus;

	for (size_t i = 0; i < pair_nloads; i++)
		loads[i] = memory_of(launch, tile, pair_loads[i]);
	fill_uniforms(launch, tile, job->first_tile * TILE_LANES_BYTES,
		      waits ? DELAY : 0, uniforms);
	launch->draws[number] =
		(struct tile_draw){ .program = &launch->program,
				    .uniforms = uniforms,
				    .loads = loads,
				    .y = (uint16_t)(n * TILE_PIXELS),
				    .width = TILE_PIXELS,
				    .height = (uint16_t)(tile->rows * 2) };
}

/* Fill in and submit job *n, and count it. */
static enum device_status
submit_next(struct tiles_launch *launch, unsigned *n,
	    const struct engine_lane *lanes, struct diag *why)
{
	const struct plan_job *job = &launch->plan.jobs[*n];
	struct tiles_marks *marks = &launch->marks[*n];
	enum device_status status;

	marks->pattern = nonce_next(&launch->nonce);
	marks->clear = nonce_next(&launch->nonce);
	for (unsigned i = 0; i < job->ntiles; i++) {
		fill_draw(launch, job, i);
		tiles_fill(launch, job->first_tile + i, lanes, marks->pattern);
	}
	status = launch->way->submit(
		launch->way_self,
		&(struct way_job){
			.expected_ms = job->blocks * BLOCK_US / 1e3,
			.tiles = { .draws = &launch->draws[job->first_tile],
				   .ndraws = job->ntiles,
				   .results = &launch->results,
				   .offset =
					   (size_t)job->first_tile * TILE_BYTES,
				   .tiles_x = 1,
				   .tiles_y = job->ntiles,
				   .clear = marks->clear } },
		&marks->ticket, why);
	if (status == DEVICE_OK) {
		launch->newest = marks->ticket;
		++*n;
	}
	return status;
}

/* Take the results of a job into its lanes, and return the worst verdict on its
 * tiles. */
static enum tile_verdict
take(struct tiles_launch *launch, unsigned number,
     const struct engine_lane *lanes, struct diag *why)
{
	const struct plan_job *job = &launch->plan.jobs[number];
	enum tile_verdict worst = TILE_RIGHT;

	for (unsigned i = 0; i < job->ntiles; i++) {
		const enum tile_verdict verdict =
			tiles_take(launch, job->first_tile + i, lanes,
				   &launch->marks[number]);

		if (verdict > worst)
			worst = verdict;
	}
	if (worst == TILE_NOT_STORED)
		diag_set(why, "the GPU has not stored all of its results");
	else if (worst == TILE_WRONG)
		diag_set(why, "the GPU's answers are wrong");
	return worst;
}

/* Run all jobs of the plan.  Before this returns all that were submitted have
 * ended, since the next ones use their memory, unless a wait fails. */
static enum engine_status
run_jobs(struct tiles_launch *launch, const struct engine_lane *lanes,
	 struct diag *why)
{
	enum tile_verdict worst = TILE_RIGHT;
	enum device_status status = DEVICE_OK;
	uint64_t blocks = 0;
	unsigned timeout, n = 0;

	launch->was_lost = false;
	for (unsigned i = 0; i < launch->plan.njobs; i++)
		blocks += launch->plan.jobs[i].blocks;
	timeout = tile_patience_ms((double)blocks * BLOCK_US / 1000);
	while (n < QUEUED && n < launch->plan.njobs && status == DEVICE_OK)
		status = submit_next(launch, &n, lanes, why);
	for (unsigned i = 0; i < n; i++) {
		const enum device_status ended = launch->way->wait(
			launch->way_self, launch->marks[i].ticket, timeout,
			why);
		enum tile_verdict verdict;

		if (ended != DEVICE_OK)
			return launcher_status(ended);
		/* The next one first: the QPUs have work while this one's
		 * results are read. */
		if (n < launch->plan.njobs && status == DEVICE_OK)
			status = submit_next(launch, &n, lanes, why);
		verdict = take(launch, i, lanes, why);
		if (verdict > worst)
			worst = verdict;
	}
	if (status != DEVICE_OK)
		return launcher_status(status);
	launch->was_lost = worst == TILE_NOT_STORED;
	return worst == TILE_RIGHT ? ENGINE_OK : ENGINE_FAULT;
}

/* Hash the next stage: `some` pieces that have blocks in `now`.  The last stage has
 * the proofs. */
static enum engine_status
run_stage(struct tiles_launch *launch, unsigned some,
	  const struct engine_lane *lanes, struct diag *why)
{
	struct tiles_plan *plan = &launch->plan;
	enum engine_status status;
	bool is_last = true;

	for (unsigned i = 0; i < launch->npieces; i++)
		is_last &= launch->pieces[i].hashed + launch->pieces[i].now ==
			   launch->pieces[i].blocks;
	if (!tiles_plan_make(plan, launch->pieces, launch->npieces, some,
			     &launch->nonce)) {
		diag_set(why, "data lie in too many memories");
		return ENGINE_REFUSED;
	}
	if (is_last)
		tiles_plan_proofs(plan, &launch->nonce);
	status = run_jobs(launch, lanes, why);
	launch->blocks += plan->blocks;
	launch->vectors += plan->vectors;
	for (unsigned i = 0; i < plan->njobs; i++)
		launch->capacity += (uint64_t)plan->jobs[i].blocks *
				    plan->qpus * THREAD_PAIRS;
	for (unsigned i = 0; i < launch->npieces; i++)
		launch->pieces[i].hashed += launch->pieces[i].now;
	return status;
}

enum engine_status
tiles_hash_known(struct tiles_launch *launch, struct diag *why)
{
	enum engine_status status = ENGINE_OK;

	for (enum plan_test test = PLAN_TEST_STATES;
	     test <= PLAN_TEST_HASHES && status == ENGINE_OK; test++) {
		tiles_plan_test(&launch->plan, test, launch->nmemories,
				&launch->nonce);
		status = run_jobs(launch, NULL, why);
	}
	return status;
}

enum engine_status
tiles_hash(struct tiles_launch *launch, const struct engine_lane *lanes,
	   struct diag *why)
{
	enum engine_status status = ENGINE_OK;
	struct device_totals totals;
	unsigned some;

	launch->blocks = launch->vectors = launch->capacity = 0;
	launch->way->totals(launch->way_self, &totals);
	launch->plan.job_blocks = totals.queue_ms * 1000 / (QUEUED * BLOCK_US);
	for (unsigned i = 0; i < launch->npieces; i++)
		launch->pieces[i].hashed = 0;
	while (status == ENGINE_OK &&
	       (some = tiles_choose_stage(launch->pieces, launch->npieces,
					  launch->plan.qpus,
					  launch->plan.job_blocks)) > 0)
		status = run_stage(launch, some, lanes, why);
	return status;
}
