/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/faults.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/rows.h"

enum { LINE_WORDS = FAULTS_LINE / 4 };

void
faults_open(struct faults *faults, const struct pi_fault *fault, uint64_t seed)
{
	*faults = (struct faults){ .fault = *fault, .seed = seed };
}

void
faults_close(struct faults *faults)
{
	for (size_t i = 0; i < faults->ncopies; i++)
		free(faults->copies[i].bytes);
	free(faults->copies);
	free(faults->before);
}

/* Random places ------------------------------------------------------------ */

size_t
faults_random(struct faults *faults, size_t n)
{
	faults->random =
		faults->random * 6364136223846793005 + 1442695040888963407;
	return (size_t)(faults->random >> 33) % n;
}

static uint32_t
random_bit(struct faults *faults)
{
	return UINT32_C(1) << faults_random(faults, 32);
}

void
faults_choose_stuck(struct faults *faults)
{
	faults->stuck = random_bit(faults);
	faults->value = faults_random(faults, 2) ? faults->stuck : 0;
}

/* Begin the random numbers of a part of a run.  A fault in any place has others in
 * each run. */
static void
begin_random(struct faults *faults, uint64_t part, uint64_t number)
{
	faults->random = faults->seed * 2 + part;
	if (faults->fault.place == PI_PLACE_ANY)
		faults->random += number * UINT64_C(0x9e3779b97f4a7c15);
}

/* Choose a QPU and a lane as the option says, or by the seed, counted backwards from
 * the last lane, or at random. */
static void
choose_lane(struct faults *faults, unsigned qpus)
{
	const struct pi_fault *fault = &faults->fault;
	const unsigned lanes = qpus * MACHINE_LANES;
	unsigned lane = lanes - 1 - (unsigned)(faults->seed % lanes);

	if (fault->place == PI_PLACE_NAMED)
		lane = fault->qpu % qpus * MACHINE_LANES + fault->lane;
	else if (fault->place == PI_PLACE_ANY)
		lane = (unsigned)faults_random(faults, lanes);
	faults->qpu = lane / MACHINE_LANES;
	faults->lane = lane % MACHINE_LANES;
}

/* What the CPU has written -------------------------------------------------- */

static bool
contains(const struct pi_memory *memory, const uint8_t *at)
{
	return at >= memory->host && at < memory->host + memory->bytes;
}

static bool
is_result(const struct faults_run *run, const uint8_t *line)
{
	for (size_t i = 0; i < run->nresults; i++)
		if (contains(&run->results[i], line))
			return true;
	return false;
}

static struct faults_copy *
copy_of(const struct faults *faults, const struct pi_memory *memory)
{
	for (size_t i = 0; i < faults->ncopies; i++) {
		struct faults_copy *copy = &faults->copies[i];

		if (copy->of.host == memory->host &&
		    copy->of.bytes == memory->bytes)
			return copy;
	}
	return NULL;
}

/* Keep memory as it is now. */
static void
keep(struct faults *faults, const struct pi_memory *memory)
{
	struct faults_copy *copy = copy_of(faults, memory);

	if (!copy) {
		if (!rows_grow(&faults->copies, &faults->room, faults->ncopies,
			       sizeof(*copy)))
			return;
		copy = &faults->copies[faults->ncopies];
		*copy = (struct faults_copy){ *memory, malloc(memory->bytes) };
		if (!copy->bytes)
			return;
		faults->ncopies++;
	}
	memcpy(copy->bytes, memory->host, memory->bytes);
}

/* Count the lines that the CPU has written, except in results.  Set *line to number
 * `which` of them, and *before to its former content. */
static size_t
written_lines(const struct faults *faults, const struct faults_run *run,
	      size_t which, uint8_t **line, const uint8_t **before)
{
	static const uint8_t zeros[FAULTS_LINE]; /* memory that is new */
	size_t n = 0;

	for (size_t i = 0; i < run->nmemory; i++) {
		const struct pi_memory *memory = &run->memory[i];
		const struct faults_copy *copy = copy_of(faults, memory);

		for (size_t at = 0; at < memory->bytes; at += FAULTS_LINE) {
			const uint8_t *old = copy ? copy->bytes + at : zeros;
			uint8_t *now = memory->host + at;

			if (memcmp(now, old, FAULTS_LINE) == 0 ||
			    is_result(run, now) || n++ != which)
				continue;
			*line = now;
			*before = old;
		}
	}
	return n;
}

/* Choose a line that the CPU has written, or return NULL. */
static uint8_t *
choose_written(struct faults *faults, const struct faults_run *run,
	       const uint8_t **before)
{
	uint8_t *line = NULL;
	const size_t n = written_lines(faults, run, SIZE_MAX, &line, before);

	if (n > 0)
		written_lines(faults, run, faults_random(faults, n), &line,
			      before);
	return line;
}

static void
flip_data(struct faults *faults, const struct faults_run *run)
{
	const uint8_t *before;
	uint8_t *line = choose_written(faults, run, &before);

	if (line)
		line[faults_random(faults, FAULTS_LINE)] ^=
			(uint8_t)(1u << faults_random(faults, 8));
}

static void
hide_line(struct faults *faults, const struct faults_run *run)
{
	const uint8_t *before;

	faults->line = choose_written(faults, run, &before);
	if (!faults->line)
		return;
	memcpy(faults->written, faults->line, FAULTS_LINE);
	memcpy(faults->line, before, FAULTS_LINE);
}

static void
freeze_page(struct faults *faults, const struct faults_run *run)
{
	const uint8_t *before, *line;

	for (size_t i = 0; i < run->nmemory && faults->page; i++)
		if (contains(&run->memory[i], faults->page)) {
			memcpy(faults->page, faults->frozen, FAULTS_PAGE);
			return;
		}
	faults->page = NULL;
	line = choose_written(faults, run, &before);
	for (size_t i = 0; i < run->nmemory && line; i++)
		if (contains(&run->memory[i], line))
			faults->page = run->memory[i].host +
				       (line - run->memory[i].host) /
					       FAULTS_PAGE * FAULTS_PAGE;
	if (faults->page)
		memcpy(faults->frozen, faults->page, FAULTS_PAGE);
}

/* What programs have stored -------------------------------------------------- */

/* A part of the results, a QPU's or a tile's, and what it held before. */
struct stored {
	const struct pi_memory *part;
	const uint8_t *before;
	bool is_chosen; /* by QPU */
};

static bool
was_stored(const struct stored *stored, size_t at)
{
	return memcmp(stored->part->host + at, stored->before + at,
		      FAULTS_LINE) != 0;
}

static uint32_t *
line_at(const struct stored *stored, size_t at)
{
	return (uint32_t *)(void *)(stored->part->host + at);
}

/* Return a line that was stored, where the search begins at random, or NULL. */
static uint32_t *
choose_stored(struct faults *faults, const struct stored *stored)
{
	const size_t n = stored->part->bytes / FAULTS_LINE;
	const size_t first = n > 0 ? faults_random(faults, n) : 0;

	for (size_t i = 0; i < n; i++) {
		const size_t at = (first + i) % n * FAULTS_LINE;

		if (was_stored(stored, at))
			return line_at(stored, at);
	}
	return NULL;
}

static void
stick(const struct faults *faults, uint32_t *word)
{
	*word = (*word & ~faults->stuck) | faults->value;
}

static void
spoil_lane(struct faults *faults, const struct stored *stored)
{
	for (size_t at = 0; at < stored->part->bytes; at += FAULTS_LINE)
		if (was_stored(stored, at))
			line_at(stored, at)[faults->lane] ^= random_bit(faults);
}

static void
lose_stores(struct faults *faults, const struct stored *stored)
{
	(void)faults;
	memcpy(stored->part->host, stored->before, stored->part->bytes);
}

/* Two pixels of the first quad, all their samples. */
static void
exchange_pixels(struct faults *faults, const struct stored *stored)
{
	uint32_t *quad = line_at(stored, 0);

	(void)faults;
	for (unsigned sample = 0; sample < 4; sample++) {
		const uint32_t first = quad[4 * sample];

		quad[4 * sample] = quad[4 * sample + 1];
		quad[4 * sample + 1] = first;
	}
}

/* The first word that suffers is the one that is stuck. */
static void
stick_result(struct faults *faults, const struct stored *stored)
{
	const bool is_new = !faults->cell ||
			    faults->fault.place == PI_PLACE_ANY;

	if (is_new && stored->is_chosen) {
		uint32_t *line = choose_stored(faults, stored);

		faults->cell = line ? line + faults->lane : NULL;
	}
	if (faults->cell &&
	    contains(stored->part, (const uint8_t *)faults->cell))
		stick(faults, faults->cell);
}

/* The same word of each tile. */
static void
stick_tile(struct faults *faults, const struct stored *stored)
{
	/* Early lines are more likely: a tile may have a single row. */
	const size_t n = stored->part->bytes / FAULTS_LINE;
	const size_t line =
		faults_random(faults, n * (1 + faults_random(faults, 16)) / 16);

	stick(faults, line_at(stored, line * FAULTS_LINE) +
			      faults_random(faults, LINE_WORDS));
}

/* Runs ------------------------------------------------------------------------ */

/* Kinds that are not here are the machine's, or of answers. */
static const struct act {
	void (*begin)(struct faults *, const struct faults_run *);
	void (*end)(struct faults *, const struct stored *);
	bool all; /* parts of the results, not the chosen one */
} acts[PI_FAULTS] = {
	[PI_DATA_BIT] = { .begin = flip_data },
	[PI_LINE_OLD] = { .begin = hide_line },
	[PI_PAGE_FROZEN] = { .begin = freeze_page },
	[PI_LANE_WRONG] = { .end = spoil_lane },
	[PI_STORES_LOST] = { .end = lose_stores },
	[PI_SWAPPED] = { .end = exchange_pixels },
	[PI_RESULT_STUCK] = { .end = stick_result, .all = true },
	[PI_TILE_BIT] = { .end = stick_tile, .all = true },
};

/* Copy the results before a run.  Return false if memory is short. */
static bool
keep_results(struct faults *faults, const struct faults_run *run)
{
	size_t bytes = 0;

	for (size_t i = 0; i < run->nresults; i++)
		bytes += run->results[i].bytes;
	free(faults->before);
	faults->before = malloc(bytes + 1);
	bytes = 0;
	for (size_t i = 0; i < run->nresults && faults->before; i++) {
		memcpy(faults->before + bytes, run->results[i].host,
		       run->results[i].bytes);
		bytes += run->results[i].bytes;
	}
	return faults->before != NULL;
}

void
faults_begin(struct faults *faults, const struct faults_run *run)
{
	const struct act *act = &acts[faults->fault.kind];

	assert(!faults->strikes && run->number > 0 && run->qpus > 0);
	faults->strikes =
		faults_strike(faults, faults->fault.kind, run->number);
	if (!faults->strikes)
		return;
	begin_random(faults, 1, run->number);
	choose_lane(faults, run->qpus);
	if (act->begin) {
		/* The CPU writes other lines each time. */
		faults->random += run->number;
		act->begin(faults, run);
	}
	if (act->end)
		faults->strikes = keep_results(faults, run);
	faults_machine_begin(faults, run);
}

/* Spoil results: a part of them, or all. */
static void
spoil_results(struct faults *faults, const struct faults_run *run,
	      const struct act *act)
{
	const uint8_t *before = faults->before;

	for (size_t i = 0; i < run->nresults; i++) {
		const struct stored stored = {
			.part = &run->results[i],
			.before = before,
			.is_chosen = i == faults->qpu % run->nresults
		};

		before += stored.part->bytes;
		if (!act->all && !stored.is_chosen)
			continue;
		begin_random(faults, 3, run->number);
		faults_choose_stuck(faults);
		act->end(faults, &stored);
	}
}

void
faults_end(struct faults *faults, const struct faults_run *run)
{
	const struct act *act = &acts[faults->fault.kind];

	if (faults->strikes)
		faults_machine_end(faults, run);
	if (faults->line)
		memcpy(faults->line, faults->written, FAULTS_LINE);
	faults->line = NULL;
	for (size_t i = 0; i < run->nmemory && act->begin; i++)
		keep(faults, &run->memory[i]);
	if (faults->strikes && act->end)
		spoil_results(faults, run, act);
	faults->strikes = false;
}
