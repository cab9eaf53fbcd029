/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a tile device does wrong, no wrong hash value leaves the
 * engine, and a launch that failed leaves states and ends as they were.  Two
 * kinds are the exception: what is wrong in a thread or pixel exactly once, and
 * data that change in the device's memory.
 *
 * With --table [RUNS]: what becomes of each fault in this number of runs.
 */
#include "config.h"

#include "cpu/engine_cpu.h"
#define CHAINS_BATCHES 31
#include "tests/sha/chains.h"
#include "tests/sha/scripted_tiles.h"
#include "tests/support/tap.h"

enum { ROUNDS = 3, ROOM = 100, SHORT_ROOM = 30, JOBS = 8, BYTES = 9 << 20 };

static struct chains chains;
static struct engine engine_scripted;

/* Of a fault: it comes in each job from then on, it may pass, and it need not be
 * told. */
enum { LASTS = 1, MAY_BE_SILENT = 2, MAY_BE_HARMLESS = 4 };

struct row {
	enum script_fault fault;
	const char *what;
	unsigned flags;
};

static const struct row rows[] = {
	{ SCRIPT_NO_FAULT, "no fault", MAY_BE_HARMLESS },
	{ SCRIPT_NOTHING, "a job never run", LASTS },
	{ SCRIPT_RESET, "reset in a job", LASTS },
	{ SCRIPT_TILE_LOST, "a tile lost", LASTS },
	{ SCRIPT_CLEARED, "clear colour left in a tile", LASTS },
	{ SCRIPT_THREAD_OFF, "clear colour left by a thread", LASTS },
	{ SCRIPT_PIXEL_OFF, "clear colour left in a pixel", LASTS },
	{ SCRIPT_STALE, "a tile of the job before", LASTS },
	{ SCRIPT_EXCHANGED, "two tiles exchanged", 0 },
	{ SCRIPT_COLUMNS, "neighbouring pixels exchanged", 0 },
	{ SCRIPT_SHORT, "one block too few on a QPU", LASTS },
	{ SCRIPT_CONSTANT, "a constant wrong on a QPU", LASTS },
	{ SCRIPT_LANE, "an element wrong from a job on", LASTS },
	{ SCRIPT_TIMEOUT, "a job does not end", 0 },
	{ SCRIPT_REFUSED, "a job refused", LASTS },
	{ SCRIPT_FAULTED, "a rule of the hardware broken", 0 },
	/* Once: the launch is repeated, and nobody has to know. */
	{ SCRIPT_NOTHING, "a job not run, once", MAY_BE_HARMLESS },
	{ SCRIPT_RESET, "reset in a job, once", MAY_BE_HARMLESS },
	{ SCRIPT_TILE_LOST, "a tile lost, once", MAY_BE_HARMLESS },
	{ SCRIPT_REFUSED, "a job refused, once", MAY_BE_HARMLESS },
	{ SCRIPT_STALE, "a tile of the job before, once", 0 },
	{ SCRIPT_ONCE, "a pixel wrong, once", MAY_BE_SILENT },
	{ SCRIPT_SWAP, "two pixels exchanged, once", MAY_BE_SILENT },
	{ SCRIPT_SHORT, "one block too few on a QPU, once in a job",
	  MAY_BE_SILENT },
	{ SCRIPT_DATA, "data changed in memory", MAY_BE_SILENT },
	{ SCRIPT_CACHES, "caches are not cleared from a job on",
	  LASTS | MAY_BE_SILENT },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

struct outcome {
	unsigned runs;
	unsigned found;	   /* by the engine, in the launch in which it was */
	unsigned later;	   /* after wrong results had left it */
	unsigned harmless; /* nothing was wrong, or was repeated */
	unsigned silent;   /* wrong, and the engine said well done */
	unsigned released; /* of a failed launch, something changed */
};

/* Many messages in each lane; or long parts of one in some, which take two
 * stages. */
static void
fill_lanes(bool are_long)
{
	/* Old data are wrong if there are new ones in their places. */
	if (script.fault == SCRIPT_CACHES)
		chains_renew(&chains);
	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		const bool idle = chains_random(&chains) % 5 == 0;
		uint32_t room = idle ? 0 :
				       1 + chains_random(&chains) % SHORT_ROOM;
		uint32_t lengths[SHORT_ROOM];
		unsigned n = 0;

		if (are_long) {
			n = !idle;
			lengths[0] = ROOM / 2 +
				     chains_random(&chains) % (ROOM / 2 + 1);
			room = 0;
		}
		while (room > 0) {
			lengths[n] = 1 + chains_random(&chains) % room;
			room -= lengths[n++];
		}
		chains_fill(&chains, lane, lengths, n,
			    chains_random(&chains) % 3 == 0);
	}
}

/* Steps until all is done or the engine gives up. */
static void
run_rounds(struct outcome *outcome)
{
	static struct chain before[CHAINS_LANES];
	static struct batch batches[CHAINS_QPUS];

	for (unsigned round = 0; round < ROUNDS; round++) {
		fill_lanes(round == 1);
		while (chains_left(&chains)) {
			for (unsigned i = 0; i < chains.limits.batches; i++)
				memset(chains.batches[i].done, 0,
				       sizeof(chains.batches[i].done));
			memcpy(before, chains.chains, sizeof(before));
			memcpy(batches, chains.batches, sizeof(batches));
			if (chains_step(&chains))
				continue;
			outcome->found += chains.wrong == 0;
			outcome->later += chains.wrong > 0;
			outcome->released +=
				memcmp(batches, chains.batches,
				       sizeof(batches)) != 0 ||
				!chains_ends_untouched(&chains, before);
			return;
		}
	}
	if (chains.wrong > 0)
		outcome->silent++;
	else
		outcome->harmless++;
}

/* Fault number `number` of its kind: jobs and places take turns.  A launch is
 * one or two jobs, and one that proves it; the first job is the probe's, the
 * second the test's. */
static void
run_fault(const struct row *row, unsigned number, struct outcome *outcome)
{
	script_reset();
	script.fault = row->fault;
	script.fault_at = 1 + number % JOBS;
	script.seed = number * 7919;
	script.lasts = row->flags & LASTS;
	script.most_bytes = BYTES;
	outcome->runs++;
	if (chains_open(&chains, &engine_scripted, "", number + 1, ROOM))
		run_rounds(outcome);
	else
		outcome->found++;
	chains_close(&chains);
	if (script.misused > 0)
		outcome->released++;
}

static struct outcome
run_row(const struct row *row, unsigned runs)
{
	struct outcome outcome = { .runs = 0 };

	for (unsigned i = 0; i < runs; i++)
		run_fault(row, i, &outcome);
	return outcome;
}

static void
print_table(unsigned runs)
{
	printf("\n| fault of a tile device | runs | nothing was wrong | found "
	       "at once | found later | passed |\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < ROWS; i++) {
		const struct outcome outcome =
			run_row(&rows[i], (runs + ROWS - 1) / ROWS);

		printf("| %s | %u | %u | %u | %u | %u |\n", rows[i].what,
		       outcome.runs, outcome.harmless, outcome.found,
		       outcome.later, outcome.silent);
	}
}

static void
test_row(const struct row *row)
{
	const unsigned times = tap_is_quick() ? 1 : 2;
	const struct outcome outcome = run_row(row, times * JOBS);

	ok(outcome.released == 0, "%s: of a failed launch nothing leaves",
	   row->what);
	if (row->flags & MAY_BE_SILENT)
		return;
	ok(outcome.silent + outcome.later == 0 &&
		   (row->flags & MAY_BE_HARMLESS ? outcome.harmless > 0 :
						   outcome.found > 0),
	   "%s: %u of %u found, none silent", row->what, outcome.found,
	   outcome.runs);
}

int
main(int argc, char **argv)
{
	engine_scripted = scripted_engine();
	if (argc > 1 && strcmp(argv[1], "--table") == 0) {
		print_table(argc > 2 ? (unsigned)atoi(argv[2]) : 1300);
		return 0;
	}
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&rows[i]);
	return tap_done();
}
