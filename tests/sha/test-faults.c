/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a device does wrong, nothing of a launch that failed counts as
 * done.  Of a fault that lasts, and of any fault in
 * what QPUs load and store, no wrong hash value leaves the engine.  What a
 * fault of a moment inside a QPU, or in the data of a message, changes may
 * pass: how often is counted.
 *
 * With --table [RUNS [SEED [WORD]]]: what becomes of each fault in this number of
 * runs, as the tables of SECURITY.md have it; WORD: of those that it is in.
 * Status 1: a promise is broken.
 */
#include "config.h"

#include "tests/sha/chains.h"
#include "tests/sha/scripted_tiles.h"
#include "tests/support/tap.h"

enum { RUNS = 100 /* of a fault, in a table */ };

static struct chains chains;

enum promise {
	AT_ONCE, /* found in the launch in which something is wrong */
	LASTING, /* found; a part of a launch before may be wrong */
	MAY_PASS,
	/* The launch is repeated, and nobody has to know. */
	IS_REPEATED
};

struct outcome {
	unsigned runs;
	unsigned found;	   /* by the engine, before anything wrong left it */
	unsigned later;	   /* found, after something wrong had left it */
	unsigned harmless; /* nothing was wrong */
	unsigned silent;   /* wrong, and the engine said well done */
	unsigned released; /* lanes of a failed launch that are told as done */
};

/* Steps until all lanes are done.  False: the engine has given up. */
static bool
run_lanes(struct outcome *outcome)
{
	while (chains_left(&chains)) {
		if (chains_step(&chains))
			continue;
		outcome->found += chains.wrong == 0;
		outcome->later += chains.wrong > 0;
		for (unsigned i = 0; i < chains.lanes; i++)
			outcome->released +=
				chains.batches[i / chains.limits.lanes]
					.done[i % chains.limits.lanes] > 0;
		return false;
	}
	return true;
}

/* All rounds were done. */
static void
note_end(struct outcome *outcome)
{
	outcome->silent += chains.wrong > 0;
	outcome->harmless += chains.wrong == 0;
}

/* Fills a lane to its end with messages of random lengths. */
static void
fill_lane(unsigned lane, uint32_t room)
{
	uint32_t lengths[CHAINS_BLOCKS];
	unsigned n = 0;

	while (room > 0) {
		lengths[n] = 1 + chains_random(&chains) % room;
		room -= lengths[n++];
	}
	chains_fill(&chains, lane, lengths, n, chains_random(&chains) % 3 == 0);
}

/* In lanes, on an emulated device ------------------------------------------ */

enum {
	QPUS = 3,
	ROUNDS = 4,
	ROOM = 14, /* blocks of a lane */
	/* Where faults that may pass are counted, launches are as long as
	 * usual ones. */
	LONG_ROUNDS = 2,
	LONG_ROOM = 160,
	LAUNCHES = 6,
	SELF_TESTS = 5 /* launches before them */
};

static const struct lanes_row {
	const char *kind;
	const char *lasts; /* that many launches: "" is one, "-" all */
	const char *what;
	enum promise promise;
	const char *also; /* another fault at the same time */
} lanes_rows[] = {
	{ "lane", "-", "results of a lane wrong for good", AT_ONCE, NULL },
	{ "once", "", "one result wrong", AT_ONCE, NULL },
	{ "stores", "", "all stores of a QPU lost", AT_ONCE, NULL },
	{ "row", "", "one store lost", AT_ONCE, NULL },
	{ "stale", "", "results of the launch before", AT_ONCE, NULL },
	{ "old", "", "one row of the launch before", AT_ONCE, NULL },
	{ "swap", "", "results of two lanes exchanged", AT_ONCE, NULL },
	{ "segments", "", "results of two segments exchanged", AT_ONCE, NULL },
	{ "between", "", "a row of another segment", AT_ONCE, NULL },
	{ "neighbour", "", "results of the neighbour QPU", AT_ONCE, NULL },
	{ "bit", "-", "a bit of a result stuck", AT_ONCE, NULL },
	{ "seal", "-", "a bit of the seal stuck", AT_ONCE, NULL },
	{ "short", "", "one block too few", AT_ONCE, NULL },
	{ "lengths", "", "lengths of segments shifted", AT_ONCE, NULL },
	{ "nothing", "", "nothing ran", AT_ONCE, NULL },
	{ "stuck", "", "a QPU does not end", AT_ONCE, NULL },
	{ "refuse", "", "the launch is refused", AT_ONCE, NULL },
	{ "alloc", "-", "no memory", AT_ONCE, NULL },
	{ "code", "-", "a bit of the program flipped, stays", AT_ONCE, NULL },
	{ "code", "", "the same, recovers", AT_ONCE, NULL },
	{ "constant", "-", "a bit of a K flipped, stays", AT_ONCE, NULL },
	{ "uniforms", "", "uniforms of a QPU wrong", AT_ONCE, NULL },
	{ "job", "", "a bit of a state in a job", AT_ONCE, NULL },
	{ "job", "-", "the same, stuck", AT_ONCE, NULL },
	{ "pointers", "", "data of two lanes exchanged", AT_ONCE, NULL },
	{ "begins", "", "a beginning of a message", AT_ONCE, NULL },
	{ "next", "", "an address of K in a record", AT_ONCE, NULL },
	{ "bit", "-", "a stuck result and a code bit", AT_ONCE, "code" },
	{ "seal", "-", "a stuck seal and a lost row", AT_ONCE, "row" },
	{ "begins", "", "a beginning and exchanged segments", AT_ONCE,
	  "segments" },
	{ "caches", "-", "no cache is cleared", AT_ONCE, NULL },
	{ "slices", "-", "caches of the slices are not cleared", AT_ONCE,
	  NULL },
	{ "l2", "-", "the L2 cache is not cleared", AT_ONCE, NULL },
	{ "caches", "", "no cache is cleared once", AT_ONCE, NULL },
	{ "sticks", "-", "a bit of a register stuck", LASTING, NULL },
	{ "register", "", "a bit of a register flipped once", MAY_PASS, NULL },
	{ "registers", "", "the same in all lanes", MAY_PASS, NULL },
	{ "skip", "", "an instruction left out once", MAY_PASS, NULL },
	{ "glitch", "", "a K wrong for 3000 instructions", MAY_PASS, NULL },
	{ "data", "", "a bit of data flipped before", MAY_PASS, NULL },
	{ "late", "", "a bit of data flipped while hashing", MAY_PASS, NULL },
	{ "data", "-", "a bit of data flipped in every launch", MAY_PASS,
	  NULL },
};

/* A run in five has one lane with work.  The places of all lanes stay. */
static void
fill_lanes(unsigned number, unsigned most)
{
	chains_renew(&chains);
	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		const bool idle =
			chains_random(&chains) % 5 == 0 ||
			(number % 5 == 4 && lane != number % chains.lanes);

		fill_lane(lane,
			  idle ? 0 : most - chains_random(&chains) % ROOM);
	}
}

/* Caches, whose size matters: launches of both lengths, and sometimes all QPUs. */
static bool
is_about_caches(const struct lanes_row *row)
{
	return strstr(row->what, "cache");
}

/* Run number `number` of a row: launches, QPUs and lanes take turns. */
static void
run_on_lanes(unsigned index, unsigned number, struct outcome *outcome)
{
	const struct lanes_row *row = &lanes_rows[index];
	const bool is_long = row->promise == MAY_PASS ||
			     (is_about_caches(row) && number % 2 == 1);
	const unsigned room = is_long ? LONG_ROOM : ROOM;
	const unsigned rounds = row->promise == MAY_PASS ? LONG_ROUNDS :
				number % 7 == 6		 ? 1 :
							   ROUNDS;
	const unsigned step = row->promise == MAY_PASS ?
				      1 + number % LONG_ROUNDS :
				      number % LAUNCHES;
	/* The fault strikes in the first launch of all, or after the self-test;
	 * "alloc" counts allocations. */
	const bool is_launch = strcmp(row->kind, "alloc") != 0;
	const unsigned launch = is_launch && step > 0 ? SELF_TESTS + step :
							1 + step;
	char words[160];

	snprintf(words, sizeof(words),
		 "qpus=%u,mem=%u,seed=%u,fault=%s@%u%s.%u.%u",
		 is_about_caches(row) && number % 6 == 3 ? 12 :
							   1 + number % QPUS,
		 number % 3 == 2 ? 1 : 64, number, row->kind, launch,
		 strcmp(row->lasts, "") != 0	? row->lasts :
		 strcmp(row->kind, "code") == 0 ? (launch == 1 ? "-1" : "") :
						  "",
		 number / LAUNCHES % QPUS, number * 5 % BATCH_LANES);
	if (row->also)
		snprintf(words + strlen(words), sizeof(words) - strlen(words),
			 ",also=%s@%u", row->also, launch);
	outcome->runs++;
	if (chains_open(&chains, &engine_emulator, words, number + 1, room)) {
		unsigned done = 0;

		do
			fill_lanes(number, room);
		while (run_lanes(outcome) && ++done < rounds);
		if (done == rounds)
			note_end(outcome);
	} else {
		outcome->found++;
	}
	chains_close(&chains);
}

/* In tiles, on a scripted device ------------------------------------------- */

enum {
	TILES_ROUNDS = 3,
	TILES_ROOM = 100,
	SHORT_ROOM = 30,
	JOBS = 8,
	TILES_BYTES = 9 << 20
};

static const struct tiles_row {
	enum script_fault fault;
	bool lasts; /* the fault comes in each job from then on */
	const char *what;
	enum promise promise;
} tiles_rows[] = {
	{ SCRIPT_NO_FAULT, false, "no fault", IS_REPEATED },
	{ SCRIPT_NOTHING, true, "a job never run", AT_ONCE },
	{ SCRIPT_RESET, true, "reset in a job", AT_ONCE },
	{ SCRIPT_TILE_LOST, true, "a tile lost", AT_ONCE },
	{ SCRIPT_CLEARED, true, "clear colour left in a tile", AT_ONCE },
	{ SCRIPT_THREAD_OFF, true, "clear colour left by a thread", AT_ONCE },
	{ SCRIPT_PIXEL_OFF, true, "clear colour left in a pixel", AT_ONCE },
	{ SCRIPT_STALE, true, "a tile of the job before", AT_ONCE },
	{ SCRIPT_EXCHANGED, false, "two tiles exchanged", AT_ONCE },
	{ SCRIPT_COLUMNS, false, "neighbouring pixels exchanged", AT_ONCE },
	{ SCRIPT_SHORT, true, "one block too few on a QPU", AT_ONCE },
	{ SCRIPT_CONSTANT, true, "a constant wrong on a QPU", AT_ONCE },
	{ SCRIPT_LANE, true, "an element wrong from a job on", AT_ONCE },
	{ SCRIPT_TIMEOUT, false, "a job does not end", AT_ONCE },
	{ SCRIPT_REFUSED, true, "a job refused", AT_ONCE },
	{ SCRIPT_FAULTED, false, "a rule of the hardware broken", AT_ONCE },
	{ SCRIPT_NOTHING, false, "a job not run, once", IS_REPEATED },
	{ SCRIPT_RESET, false, "reset in a job, once", IS_REPEATED },
	{ SCRIPT_TILE_LOST, false, "a tile lost, once", IS_REPEATED },
	{ SCRIPT_REFUSED, false, "a job refused, once", IS_REPEATED },
	{ SCRIPT_LATE, false, "a job late, once", IS_REPEATED },
	{ SCRIPT_EARLY, false, "another program's job counted for ours",
	  IS_REPEATED },
	{ SCRIPT_STALE, false, "a tile of the job before, once", AT_ONCE },
	{ SCRIPT_CACHES, true, "caches are not cleared from a job on",
	  LASTING },
	{ SCRIPT_ONCE, false, "a pixel wrong, once", MAY_PASS },
	{ SCRIPT_SWAP, false, "two pixels exchanged, once", MAY_PASS },
	{ SCRIPT_SHORT, false, "one block too few on a QPU, once in a job",
	  MAY_PASS },
	{ SCRIPT_DATA, false, "data changed in memory", MAY_PASS },
};

/* Many messages in each lane; or long parts of one in some, which take two
 * stages. */
static void
fill_tiles(bool are_long)
{
	/* Old data are wrong if there are new ones in their places. */
	if (script.fault == SCRIPT_CACHES)
		chains_renew(&chains);
	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		const bool idle = chains_random(&chains) % 5 == 0;
		const uint32_t length =
			TILES_ROOM / 2 +
			chains_random(&chains) % (TILES_ROOM / 2 + 1);

		if (are_long)
			chains_fill(&chains, lane, &length, !idle,
				    chains_random(&chains) % 3 == 0);
		else
			fill_lane(lane, idle ? 0 :
					       1 + chains_random(&chains) %
								SHORT_ROOM);
	}
}

/* Jobs and places take turns.  A launch is one or two jobs, and one that proves
 * it; the first job is the probe's, the second the test's. */
static void
run_on_tiles(unsigned index, unsigned number, struct outcome *outcome)
{
	const struct tiles_row *row = &tiles_rows[index];
	const struct engine engine = scripted_engine();

	script_reset();
	script.fault = row->fault;
	script.fault_at = 1 + number % JOBS;
	script.seed = number * 7919;
	script.lasts = row->lasts;
	script.most_bytes = TILES_BYTES;
	outcome->runs++;
	if (chains_open(&chains, &engine, "", number + 1, TILES_ROOM)) {
		unsigned done = 0;

		do
			fill_tiles(done == 1);
		while (run_lanes(outcome) && ++done < TILES_ROUNDS);
		if (done == TILES_ROUNDS)
			note_end(outcome);
	} else {
		outcome->found++;
	}
	chains_close(&chains);
	outcome->released += script.misused > 0;
}

/* All rows ------------------------------------------------------------------ */

enum {
	LANES_ROWS = sizeof(lanes_rows) / sizeof(*lanes_rows),
	ROWS = LANES_ROWS + sizeof(tiles_rows) / sizeof(*tiles_rows)
};

static const char *
what_of(unsigned row)
{
	return row < LANES_ROWS ? lanes_rows[row].what :
				  tiles_rows[row - LANES_ROWS].what;
}

static enum promise
promise_of(unsigned row)
{
	return row < LANES_ROWS ? lanes_rows[row].promise :
				  tiles_rows[row - LANES_ROWS].promise;
}

static struct outcome
run_row(unsigned row, unsigned first, unsigned runs)
{
	struct outcome outcome = { .runs = 0 };

	for (unsigned i = first; i < first + runs; i++)
		if (row < LANES_ROWS)
			run_on_lanes(row, i, &outcome);
		else
			run_on_tiles(row - LANES_ROWS, i, &outcome);
	return outcome;
}

/* Is what the row promises so? */
static bool
holds(unsigned row, const struct outcome *outcome)
{
	const enum promise promise = promise_of(row);

	return outcome->released == 0 &&
	       (outcome->silent == 0 || promise == MAY_PASS) &&
	       (outcome->later == 0 || promise == LASTING ||
		promise == MAY_PASS);
}

static int
print_table(unsigned runs, unsigned seed, const char *word)
{
	unsigned broken = 0;

	for (unsigned i = 0; i < ROWS; i++) {
		if (i == 0 || i == LANES_ROWS)
			printf("\n| fault | runs | nothing was wrong | found at "
			       "once | found later | passed |\n"
			       "|---|---|---|---|---|---|\n");
		if (!strstr(what_of(i), word))
			continue;

		const struct outcome outcome =
			run_row(i, (seed - 1) * runs, runs);
		const bool good = holds(i, &outcome);

		printf("| %s | %u | %u | %u | %u | %u |%s\n", what_of(i),
		       outcome.runs, outcome.harmless, outcome.found,
		       outcome.later, outcome.silent,
		       good ? "" : " a promise is broken");
		fflush(stdout);
		broken += !good;
	}
	return broken > 0;
}

/* The step fuzz of CI has more runs. */
static void
test_row(unsigned row)
{
	const unsigned runs = row < LANES_ROWS ?
				      LAUNCHES * (tap_is_quick() ? 1 : QPUS) :
				      JOBS;
	const struct outcome outcome = run_row(row, 0, runs);

	ok(holds(row, &outcome) &&
		   (promise_of(row) == MAY_PASS ||
		    (promise_of(row) == IS_REPEATED ? outcome.harmless :
						      outcome.found) > 0),
	   "%s, in %s: %u of %u found, %u silent; of a failed launch nothing "
	   "leaves",
	   what_of(row), row < LANES_ROWS ? "lanes" : "tiles", outcome.found,
	   outcome.runs, outcome.silent);
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--table") == 0)
		return print_table(argc > 2 ? (unsigned)atoi(argv[2]) : RUNS,
				   argc > 3 ? (unsigned)atoi(argv[3]) : 1,
				   argc > 4 ? argv[4] : "");
	for (unsigned i = 0; i < ROWS; i++)
		test_row(i);
	return tap_done();
}
