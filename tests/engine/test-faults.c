/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a device does wrong, no wrong hash value leaves the engine,
 * and another engine can redo the launch from what was before.  Two faults
 * are the exception: a lane that is wrong exactly once, and data that change
 * in the device's memory.
 *
 * With --table [RUNS]: what becomes of each fault in this number of runs.
 */
#include "config.h"

#include "cpu/engine_cpu.h"
#include "src/feed/chained.h"
#include "tests/engine/chains.h"
#include "tests/support/tap.h"

enum { QPUS = 3, ROUNDS = 4, ROOM = 14, LAUNCHES = 6 };

static struct chains chains;

struct row {
	const char *name;
	const char *what;
	bool may_be_silent;
};

static const struct row rows[] = {
	{ "lane", "lane wrong from a launch on", false },
	{ "once", "lane wrong once", true },
	{ "stores", "a QPU's stores lost", false },
	{ "row", "one row lost", false },
	{ "stale", "results of the launch before", false },
	{ "swap", "lanes swapped", false },
	{ "short", "one block too few", false },
	{ "nothing", "ran nothing", false },
	{ "stuck", "a QPU stuck", false },
	{ "refuse", "launch refused", false },
	{ "alloc", "no memory", false },
	{ "data", "data corrupted before", true },
	{ "late", "data corrupted while running", true },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

struct outcome {
	unsigned runs;
	unsigned found;	   /* by the engine */
	unsigned harmless; /* nothing was wrong */
	unsigned silent;   /* wrong, and the engine said well done */
	unsigned released; /* of a failed launch, something changed */
	unsigned redone_wrong;
};

static void
fill_lanes(void)
{
	for (unsigned lane = 0; lane < chains.lanes; lane++) {
		const bool idle = chains_random(&chains) % 5 == 0;
		uint32_t room = idle ? 0 : 1 + chains_random(&chains) % ROOM;
		uint32_t lengths[ROOM];
		unsigned n = 0;

		while (room > 0) {
			lengths[n] = 1 + chains_random(&chains) % room;
			room -= lengths[n++];
		}
		chains_fill(&chains, lane, lengths, n,
			    chains_random(&chains) % 3 == 0);
	}
}

static bool
ends_untouched(const struct chain *before)
{
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		if (memcmp(before[lane].ends, chains.chains[lane].ends,
			   sizeof(before[lane].ends)) != 0)
			return false;
	return true;
}

/* Another engine does what the device has not done. */
static void
redo(struct outcome *outcome)
{
	struct engine_limits limits = { .batches = 0 };
	void *cpu = engine_open(&engine_cpu, "", &limits, &chains.why);

	chains.wrong = 0;
	if (!cpu ||
	    chained_run(&engine_cpu, cpu, chains.batches, chains.limits.batches,
			&chains.why) != ENGINE_OK)
		chains.wrong++;
	for (unsigned lane = 0; lane < chains.lanes; lane++)
		chains_check_lane(&chains, lane);
	outcome->redone_wrong += chains.wrong > 0 || chains_left(&chains);
	if (cpu)
		engine_cpu.close(cpu);
}

/* Steps until all is done or the engine gives up. */
static void
run_rounds(struct outcome *outcome)
{
	static struct chain before[CHAINS_LANES];
	static struct batch batches[CHAINS_QPUS];

	for (unsigned round = 0; round < ROUNDS; round++) {
		fill_lanes();
		while (chains_left(&chains)) {
			for (unsigned i = 0; i < chains.limits.batches; i++)
				memset(chains.batches[i].done, 0,
				       sizeof(chains.batches[i].done));
			memcpy(before, chains.chains, sizeof(before));
			memcpy(batches, chains.batches, sizeof(batches));
			if (chains_step(&chains))
				continue;
			outcome->found++;
			outcome->released += memcmp(batches, chains.batches,
						    sizeof(batches)) != 0 ||
					     !ends_untouched(before);
			redo(outcome);
			return;
		}
	}
	if (chains.wrong > 0)
		outcome->silent++;
	else
		outcome->harmless++;
}

/* Fault number `number` of its kind: launches, QPUs and lanes take turns. */
static void
run_fault(const struct row *row, unsigned number, struct outcome *outcome)
{
	char words[96];

	snprintf(words, sizeof(words), "qpus=%d,seed=%u,fault=%s@%u.%u.%u",
		 QPUS, number, row->name, 1 + number % LAUNCHES,
		 number / LAUNCHES % QPUS, number * 5 % BATCH_LANES);
	outcome->runs++;
	if (chains_open(&chains, &engine_emulator, words, number + 1, ROOM))
		run_rounds(outcome);
	else
		outcome->found++;
	chains_close(&chains);
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
	printf("%-30s %6s %6s %9s %6s %13s\n", "fault", "runs", "found",
	       "harmless", "silent", "redone wrong");
	for (unsigned i = 0; i < ROWS; i++) {
		const struct outcome outcome =
			run_row(&rows[i], (runs + ROWS - 1) / ROWS);

		printf("%-30s %6u %6u %9u %6u %13u\n", rows[i].what,
		       outcome.runs, outcome.found, outcome.harmless,
		       outcome.silent, outcome.redone_wrong);
	}
}

static void
test_row(const struct row *row)
{
	const struct outcome outcome = run_row(row, 2 * LAUNCHES * QPUS);

	if (row->may_be_silent) {
		ok(outcome.released == 0 && outcome.found > 0,
		   "%s: %u of %u found, %u silent; nothing is released",
		   row->what, outcome.found, outcome.runs, outcome.silent);
		return;
	}
	ok(outcome.silent == 0 && outcome.found > 0,
	   "%s: %u of %u found, none silent", row->what, outcome.found,
	   outcome.runs);
	ok(outcome.released == 0 && outcome.redone_wrong == 0,
	   "%s: nothing is released, and all is redone", row->what);
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--table") == 0) {
		print_table(argc > 2 ? (unsigned)atoi(argv[2]) : 1300);
		return 0;
	}
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&rows[i]);
	return tap_done();
}
