/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/tiles_launch.h"

#include <stdalign.h>
#include <string.h>

#include "qpu/kernel/pair.h"
#include "qpu/sha/tiles_stage.h"

enum {
	WIDTH_LOG2 = 5, /* of a job: one tile */
	/* The threads of a job begin a sixth of a block after each other. */
	DELAY = 37,
	DELAY_BLOCKS = 8, /* that are worth it */
	/* A block of a thread takes some 18 us at 250 MHz. */
	BLOCK_US = 18,
	/* Jobs in the queue: while one runs the next one waits for it, so that
	 * no time is lost, and a desktop's frame waits for no more than them.
	 * They share the time that the device allows. */
	QUEUED = 2
};

/* Pieces -------------------------------------------------------------------- */

/* Find the data of a lane's pieces in one of the memories. */
static bool
place_pieces(const struct tiles_launch *launch, struct piece *pieces,
	     unsigned n)
{
	const struct piece *last = &pieces[n - 1];
	const size_t bytes = (size_t)(last->data - pieces->data) +
			     (size_t)last->blocks * SHA256_BLOCK_BYTES +
			     PAIR_AHEAD_BYTES;

	for (unsigned m = 1; m < launch->nmemories; m++) {
		const struct tile_memory *memory = &launch->memories[m].memory;
		const size_t offset =
			(uintptr_t)pieces->data - (uintptr_t)memory->cpu;

		if (offset >= memory->bytes || memory->bytes - offset < bytes ||
		    offset % 4 != 0)
			continue;
		for (unsigned i = 0; i < n; i++) {
			pieces[i].memory = (uint8_t)m;
			pieces[i].offset =
				(uint32_t)(offset + (size_t)(pieces[i].data -
							     pieces->data));
		}
		return true;
	}
	return false;
}

bool
tiles_take_apart(struct tiles_launch *launch, struct batch *batches, unsigned n,
		 struct diag *why)
{
	unsigned lanes = 0, most;

	for (unsigned i = 0; i < n * BATCH_LANES; i++)
		lanes += batches[i / BATCH_LANES].nblocks[i % BATCH_LANES] > 0;
	most = launch->most_pieces / (lanes > 0 ? lanes : 1);
	launch->npieces = 0;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			struct piece *pieces = &launch->pieces[launch->npieces];
			const unsigned here =
				pieces_of_lane(pieces, most, batches, i, lane);

			if (here > 0 && !place_pieces(launch, pieces, here)) {
				diag_set(why, "data lie outside of its memory");
				return false;
			}
			launch->npieces += here;
		}
	}
	return true;
}

/* The state from which a piece goes on in this stage. */
static void
state_before(const struct tiles_launch *launch, const struct piece *piece,
	     const struct batch *batches, uint32_t state[SHA256_STATE_WORDS])
{
	if (piece->hashed == 0)
		piece_begin(piece, batches, state);
	else
		memcpy(state, launch->states[piece - launch->pieces],
		       sizeof(*launch->states));
}

/* The slot of the plan that a pair of a tile has. */
static const struct plan_slot *
slot_of(const struct tiles_launch *launch, const struct plan_tile *tile,
	unsigned pair)
{
	return &launch->plan.slots[tile->first_slot +
				   launch->shapes.places[tile->rows - 1][pair]];
}

/* What pixels find ------------------------------------------------------------ */

_Static_assert(sizeof(struct pair_lane) * TILE_PIXELS * TILE_PIXELS ==
		       TILE_LANES_BYTES,
	       "a row is 32 bytes");

/* The work of a pair: data, and the state from which it goes on. */
struct work {
	uint32_t data, blocks;
	uint32_t state[SHA256_STATE_WORDS];
};

static void
find_work(const struct tiles_launch *launch, const struct plan_tile *tile,
	  unsigned pair, const struct batch *batches, struct work *work)
{
	const struct plan_slot *slot = slot_of(launch, tile, pair);

	work->blocks = slot->blocks;
	if (slot->piece >= 0) {
		const struct piece *piece = &launch->pieces[slot->piece];

		work->data = piece->offset + piece->hashed * SHA256_BLOCK_BYTES;
		state_before(launch, piece, batches, work->state);
		return;
	}
	/* Without blocks all look up the same line. */
	work->data = (uint32_t)launch->memories[tile->memory].chain +
		     (slot->blocks > 0 ? slot->start * SHA256_BLOCK_BYTES : 0);
	plan_slot_state(slot, &launch->known, false, work->state);
}

/* A row of pixels: that of e f g h, or the one below it, of a b c d. */
static void
write_row(const struct work work[SHAPE_ROW_PAIRS], bool is_lower,
	  struct pair_lane *to)
{
	for (unsigned x = 0; x < SHAPE_ROW_PAIRS; x++) {
		struct pair_lane lane = { .data = work[x].data + 4 * is_lower,
					  .blocks = work[x].blocks };

		memcpy(lane.state, work[x].state + (is_lower ? 0 : PAIR_WORDS),
		       sizeof(lane.state));
		to[x] = lane;
	}
}

/* Writes the rows of a tile of the plan, in their order; batches have the
 * states from which pieces go on. */
static void
write_tile(const struct tiles_launch *launch, const struct plan_tile *tile,
	   const struct batch *batches, uint8_t *to)
{
	struct pair_lane *rows = (void *)to;
	struct work work[SHAPE_ROW_PAIRS];

	for (unsigned row = 0; row < tile->rows; row++) {
		for (unsigned x = 0; x < SHAPE_ROW_PAIRS; x++)
			find_work(launch, tile, row * SHAPE_ROW_PAIRS + x,
				  batches, &work[x]);
		write_row(work, false, rows);
		write_row(work, true, rows + SHAPE_ROW_PAIRS);
		rows += 2 * SHAPE_ROW_PAIRS;
	}
}

/* What pixels leave ----------------------------------------------------------- */

/* The four words of the upper pixel are e f g h. */
static void
get_state(const uint32_t *tile, unsigned pair,
	  uint32_t state[SHA256_STATE_WORDS])
{
	const uint32_t *word = tile + shape_word(pair, 0);

	for (unsigned sample = 0; sample < PAIR_WORDS; sample++) {
		state[PAIR_WORDS + sample] = word[sample * TILE_SAMPLES];
		state[sample] = word[sample * TILE_SAMPLES + 2];
	}
}

static bool
looks_unwritten(const uint32_t state[SHA256_STATE_WORDS],
		const uint32_t patterns[2])
{
	bool looks = false;

	for (unsigned i = 0; i < SHA256_STATE_WORDS; i++)
		looks |= state[i] == patterns[0] || state[i] == patterns[1];
	return looks;
}

/* Computes the state that should have come out of a slot. */
static void
expect(const struct tiles_launch *launch, const struct plan_slot *slot,
       const struct batch *batches, uint32_t state[SHA256_STATE_WORDS])
{
	const struct piece *piece;

	if (slot->piece < 0) {
		plan_slot_state(slot, &launch->known, true, state);
		return;
	}
	piece = &launch->pieces[slot->piece];
	state_before(launch, piece, batches, state);
	known_hash(state,
		   piece->data + (size_t)piece->hashed * SHA256_BLOCK_BYTES,
		   piece->now);
}

/* The first tile takes the last of the proof's rows, which the QPUs have looked up
 * last. */
static unsigned
rows_before(const struct tiles_launch *launch, unsigned number)
{
	const unsigned old = launch->proof_rows[launch->turn % 2];
	const unsigned rows = launch->plan.tiles[0].rows;

	return number == 0 && old > rows ? old - rows : 0;
}

/* Has a pair of the first tile one of the two halves of the state that its rows had
 * for the proof before? */
static bool
looks_back(const struct tiles_launch *launch, unsigned pair,
	   const uint32_t state[SHA256_STATE_WORDS])
{
	static const uint32_t none[PAIR_WORDS];
	const uint32_t *old =
		launch->proof_states[launch->turn % 2]
				    [pair +
				     rows_before(launch, 0) * SHAPE_ROW_PAIRS];
	bool looks = false;

	for (unsigned i = 0; i < SHA256_STATE_WORDS; i += PAIR_WORDS)
		looks |= memcmp(old + i, none, sizeof(none)) != 0 &&
			 memcmp(old + i, state + i, sizeof(none)) == 0;
	return looks;
}

/*
 * Copies the results of a tile, of a job with these patterns, checks the copy,
 * and keeps the states of its pieces.  A word that looks like a pattern may be
 * a result: the reference says which.
 */
static enum tile_verdict
read_tile(struct tiles_launch *launch, const struct plan_tile *tile,
	  const struct batch *batches, const uint8_t *results,
	  const uint32_t patterns[2])
{
	const unsigned npairs = tile->rows * SHAPE_ROW_PAIRS;
	alignas(64) uint32_t copy[TILE_BYTES / 4];
	unsigned missing = 0;

	memcpy(copy, results, (size_t)tile->rows * (TILE_BYTES / SHAPE_ROWS));
	for (unsigned pair = 0; pair < npairs; pair++) {
		const struct plan_slot *slot = slot_of(launch, tile, pair);
		uint32_t state[SHA256_STATE_WORDS], right[SHA256_STATE_WORDS];
		bool is_unwritten;

		get_state(copy, pair, state);
		is_unwritten = looks_unwritten(state, patterns);
		if (slot->piece < 0 || is_unwritten) {
			expect(launch, slot, batches, right);
			if (memcmp(state, right, sizeof(right)) != 0) {
				if (!is_unwritten)
					return TILE_WRONG;
				missing++;
			}
		}
		if (slot->piece < 0)
			continue;
		if (tile == launch->plan.tiles &&
		    looks_back(launch, pair, state))
			return TILE_OLD;
		memcpy(launch->states[slot->piece], state, sizeof(state));
	}
	/* A part that is missing may have been stored among the data. */
	if (missing > 0 && missing < npairs)
		return TILE_WRONG;
	return missing > 0 ? TILE_NOT_STORED : TILE_RIGHT;
}

/* Jobs ---------------------------------------------------------------------- */

static const struct tile_memory *
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

/* The rows of the job's tiles begin at `table`. */
static void
fill_uniforms(const struct tiles_launch *launch, const struct plan_tile *tile,
	      uint32_t table, uint32_t delay, uint32_t *uniforms)
{
	const bool adds = launch->plan.slots[tile->first_slot].state ==
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
			uniforms[i] = adds ? PAIR_SUM_TURNS : 0;
			break;
		case PAIR_UNIFORM_STEP:
			uniforms[i] = adds ? PAIR_SUM_STEP : 0;
			break;
		case PAIR_UNIFORM_ADDRESS: uniforms[i] = 0; break;
		}
	}
}

/* Where the rows of a tile are in the table, in tiles. */
static uint32_t
place_in_table(const struct tiles_launch *launch, unsigned number)
{
	const struct tiles_plan *plan = &launch->plan;
	const bool is_proof = number == plan->proof;

	if (number > 0 && !is_proof)
		return plan->first_place + number;
	return plan->most_tiles + (launch->turn + is_proof) % 2;
}

static size_t
offset_in_table(const struct tiles_launch *launch, unsigned number)
{
	enum { ROW_BYTES = TILE_LANES_BYTES / SHAPE_ROWS };

	return (size_t)place_in_table(launch, number) * TILE_LANES_BYTES +
	       rows_before(launch, number) * ROW_BYTES;
}

static void
fill_draw(struct tiles_launch *launch, const struct plan_job *job, unsigned n)
{
	const unsigned number = job->first_tile + n;
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *uniforms = launch->uniforms + number * pair_nuniforms;
	const struct tile_memory **loads = launch->loads + number * pair_nloads;
	const bool waits = n == 0 && tile->longest >= DELAY_BLOCKS &&
			   tile->rows * SHAPE_ROW_THREADS >= launch->plan.qpus;

	for (size_t i = 0; i < pair_nloads; i++)
		loads[i] = memory_of(launch, tile, pair_loads[i]);
	fill_uniforms(launch, tile,
		      (uint32_t)offset_in_table(launch, number) -
			      n * TILE_LANES_BYTES,
		      waits ? DELAY : 0, uniforms);
	launch->draws[number] =
		(struct tile_draw){ .program = &launch->program,
				    .uniforms = uniforms,
				    .loads = loads,
				    .y = (uint16_t)(n * TILE_PIXELS),
				    .width = TILE_PIXELS,
				    .height = (uint16_t)(tile->rows * 2) };
}

/* Where the results of a tile are. */
static size_t
offset_of(const struct tiles_plan *plan, unsigned tile)
{
	return (size_t)(tile == plan->proof ? plan->proof_place :
					      plan->first_place + tile) *
	       TILE_BYTES;
}

static uint8_t *
results_of(const struct tiles_launch *launch, unsigned tile)
{
	return (uint8_t *)launch->results.cpu + offset_of(&launch->plan, tile);
}

/* Keep the states in the proof's rows for the launch after this one. */
static void
note_proof(struct tiles_launch *launch)
{
	const struct plan_tile *tile = &launch->plan.tiles[launch->plan.proof];
	const unsigned turn = (launch->turn + 1) % 2;

	launch->proof_rows[turn] = tile->rows;
	for (unsigned i = 0; i < tile->rows * SHAPE_ROW_PAIRS; i++) {
		const struct plan_slot *slot = slot_of(launch, tile, i);

		memset(launch->proof_states[turn][i], 0,
		       sizeof(**launch->proof_states));
		if (slot->blocks == 0)
			plan_slot_state(slot, &launch->known, false,
					launch->proof_states[turn][i]);
	}
}

static void
fill_tile(struct tiles_launch *launch, unsigned number,
	  const struct batch *batches, uint32_t pattern)
{
	const struct plan_tile *tile = &launch->plan.tiles[number];
	uint32_t *words = (void *)results_of(launch, number);

	if (number == launch->plan.proof)
		note_proof(launch);
	write_tile(launch, tile, batches,
		   (uint8_t *)launch->table.cpu +
			   offset_in_table(launch, number));
	for (size_t i = 0; i < tile->rows * (TILE_BYTES / 4 / SHAPE_ROWS); i++)
		words[i] = pattern;
}

/* n jobs were submitted before. */
static enum device_status
submit_next(struct tiles_launch *launch, unsigned *n,
	    const struct batch *batches, struct diag *why)
{
	const unsigned number = *n;
	const struct plan_job *job = &launch->plan.jobs[number];
	enum device_status status;

	launch->patterns[number] = nonce_next(&launch->nonce);
	launch->clears[number] = nonce_next(&launch->nonce);
	for (unsigned i = 0; i < job->ntiles; i++) {
		fill_draw(launch, job, i);
		fill_tile(launch, job->first_tile + i, batches,
			  launch->patterns[number]);
	}
	status = launch->device->submit(
		launch->device_self,
		&(struct tile_job){
			.draws = &launch->draws[job->first_tile],
			.ndraws = job->ntiles,
			.results = &launch->results,
			.offset = offset_of(&launch->plan, job->first_tile),
			.tiles_x = 1,
			.tiles_y = job->ntiles,
			.clear = launch->clears[number] },
		&launch->tickets[number], why);
	if (status == DEVICE_OK) {
		launch->newest = launch->tickets[number];
		++*n;
	}
	return status;
}

static enum tile_verdict
take(struct tiles_launch *launch, unsigned number, const struct batch *batches,
     struct diag *why)
{
	const struct plan_job *job = &launch->plan.jobs[number];
	const uint32_t patterns[] = { launch->patterns[number],
				      launch->clears[number] };
	enum tile_verdict worst = TILE_RIGHT;

	for (unsigned i = 0; i < job->ntiles; i++) {
		const unsigned tile = job->first_tile + i;
		const enum tile_verdict verdict =
			read_tile(launch, &launch->plan.tiles[tile], batches,
				  results_of(launch, tile), patterns);

		if (verdict > worst)
			worst = verdict;
	}
	if (worst == TILE_NOT_STORED)
		diag_set(why, "the GPU has not stored all of its results");
	else if (worst == TILE_OLD)
		diag_set(why, "the GPU has read what was in memory before: the "
			      "caches of the QPUs were not cleared");
	else if (worst == TILE_WRONG)
		diag_set(why, "the GPU's answers are wrong");
	return worst;
}

/* All jobs that were submitted have ended before this returns, unless one does
 * not end: their memory is used again. */
static enum device_status
run_jobs(struct tiles_launch *launch, const struct batch *batches,
	 enum tile_verdict *worst, struct diag *why)
{
	enum device_status status = DEVICE_OK;
	uint64_t blocks = 0;
	unsigned timeout, n = 0;

	for (unsigned i = 0; i < launch->plan.njobs; i++)
		blocks += launch->plan.jobs[i].blocks;
	timeout = tile_patience_ms((double)blocks * BLOCK_US / 1000);
	*worst = TILE_RIGHT;
	while (n < QUEUED && n < launch->plan.njobs && status == DEVICE_OK)
		status = submit_next(launch, &n, batches, why);
	for (unsigned i = 0; i < n; i++) {
		const enum device_status ended = launch->device->wait(
			launch->device_self, launch->tickets[i], timeout, why);
		enum tile_verdict verdict;

		if (ended != DEVICE_OK)
			return ended;
		/* The next one first: the QPUs have work while this one's
		 * results are read. */
		if (n < launch->plan.njobs && status == DEVICE_OK)
			status = submit_next(launch, &n, batches, why);
		verdict = take(launch, i, batches, why);
		if (verdict > *worst)
			*worst = verdict;
	}
	return status;
}

/* Hash what is left of pieces, or a part of it; the last stage is proved. */
static enum device_status
run_stage(struct tiles_launch *launch, unsigned some,
	  const struct batch *batches, enum tile_verdict *verdict,
	  struct diag *why)
{
	struct tiles_plan *plan = &launch->plan;
	enum device_status status;
	bool is_last = true;

	for (unsigned i = 0; i < launch->npieces; i++)
		is_last &= launch->pieces[i].hashed + launch->pieces[i].now ==
			   launch->pieces[i].blocks;
	if (!tiles_plan_make(plan, launch->pieces, launch->npieces, some,
			     &launch->nonce)) {
		diag_set(why, "data lie in too many memories");
		return DEVICE_REFUSED;
	}
	if (is_last)
		tiles_plan_proof(plan, launch->turn, &launch->nonce);
	status = run_jobs(launch, batches, verdict, why);
	launch->blocks += plan->blocks;
	launch->vectors += plan->vectors;
	for (unsigned i = 0; i < plan->njobs; i++)
		launch->capacity += (uint64_t)plan->jobs[i].blocks *
				    plan->qpus * THREAD_PAIRS;
	for (unsigned i = 0; i < launch->npieces; i++)
		launch->pieces[i].hashed += launch->pieces[i].now;
	return status;
}

enum device_status
tiles_hash_known(struct tiles_launch *launch, enum plan_test first,
		 enum plan_test last, enum tile_verdict *verdict,
		 struct diag *why)
{
	enum device_status status = DEVICE_OK;

	*verdict = TILE_RIGHT;
	for (enum plan_test test = first;
	     test <= last && status == DEVICE_OK && *verdict == TILE_RIGHT;
	     test++) {
		tiles_plan_test(&launch->plan, test, &launch->nonce);
		status = run_jobs(launch, NULL, verdict, why);
	}
	return status;
}

enum device_status
tiles_hash(struct tiles_launch *launch, const struct batch *batches,
	   enum tile_verdict *verdict, struct diag *why)
{
	enum device_status status = DEVICE_OK;
	unsigned some;

	launch->turn++;
	launch->blocks = launch->vectors = launch->capacity = 0;
	launch->plan.job_blocks =
		launch->device->queue_ms(launch->device_self) * 1000 /
		(QUEUED * BLOCK_US);
	for (unsigned i = 0; i < launch->npieces; i++)
		launch->pieces[i].hashed = 0;
	*verdict = TILE_RIGHT;
	while (status == DEVICE_OK && *verdict == TILE_RIGHT &&
	       (some = tiles_stage_choose(launch->pieces, launch->npieces,
					  launch->plan.qpus,
					  launch->plan.job_blocks)) > 0)
		status = run_stage(launch, some, batches, verdict, why);
	return status;
}
