/* SPDX-License-Identifier: MIT */
/*
 * Promise: of a fault that lasts, and of any fault in what the QPUs load and
 * store, no wrong hash value leaves the engine; a launch that failed leaves
 * states and ends as they were.  What a fault of a
 * moment inside a QPU, or in the data of a message, changes may pass: how
 * often is counted.
 *
 * With --table [RUNS [SEED [KIND]]]: what becomes of each fault in this number of
 * runs, as the table of SECURITY.md has it.  Status 1: a promise is broken.
 */
#include "config.h"

#include "cpu/engine_cpu.h"
#include "tests/sha/chains.h"
#include "tests/support/tap.h"

enum {
	QPUS = 3,
	ROUNDS = 4,
	ROOM = 14, /* blocks of a lane */
	/* Where faults that may pass are counted, launches are as long as
	 * usual ones. */
	LONG_ROUNDS = 2,
	LONG_ROOM = 160,
	LAUNCHES = 6,
	SELF_TESTS = 5, /* launches before them */
	RUNS = 3000
};

static struct chains chains;

enum promise {
	AT_ONCE, /* found in the launch in which something is wrong */
	LASTING, /* found; a part of a launch before may be wrong */
	MAY_PASS
};

static const struct row {
	const char *kind;
	const char *lasts; /* that many launches: "" is one, "-" all */
	const char *what;
	enum promise promise;
	const char *also; /* another fault at the same time */
} rows[] = {
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

enum { ROWS = sizeof(rows) / sizeof(*rows) };

struct outcome {
	unsigned runs;
	unsigned found;	   /* by the engine, before anything wrong left it */
	unsigned later;	   /* found, after something wrong had left it */
	unsigned harmless; /* nothing was wrong */
	unsigned silent;   /* wrong, and the engine said well done */
	unsigned released; /* of a failed launch, something changed */
	uint64_t wrong;	   /* states and hash values that left it */
	uint64_t messages;
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
		uint32_t room = idle ? 0 : most - chains_random(&chains) % ROOM;
		uint32_t lengths[LONG_ROOM];
		unsigned n = 0;

		while (room > 0) {
			lengths[n] = 1 + chains_random(&chains) % room;
			room -= lengths[n++];
		}
		chains_fill(&chains, lane, lengths, n,
			    chains_random(&chains) % 3 == 0);
	}
}

/* Caches, whose size matters: launches of both lengths, and sometimes all QPUs. */
static bool
is_about_caches(const struct row *row)
{
	return strstr(row->what, "cache");
}

static bool
has_long_launches(const struct row *row, unsigned number)
{
	return row->promise == MAY_PASS ||
	       (is_about_caches(row) && number % 2 == 1);
}

static unsigned
count_qpus(const struct row *row, unsigned number)
{
	return is_about_caches(row) && number % 6 == 3 ? CHAINS_QPUS :
							 1 + number % QPUS;
}

/* The engine has given up: what was before is there. */
static void
note_found(struct outcome *outcome, const struct batch *batches,
	   const struct chain *before)
{
	if (chains.wrong > 0)
		outcome->later++;
	else
		outcome->found++;
	outcome->wrong += chains.wrong;
	outcome->released +=
		memcmp(batches, chains.batches, sizeof(chains.batches)) != 0 ||
		!chains_ends_untouched(&chains, before);
}

/* Steps until all is done or the engine gives up. */
static void
run_rounds(const struct row *row, unsigned number, struct outcome *outcome)
{
	static struct chain before[CHAINS_LANES];
	static struct batch batches[CHAINS_QPUS];
	const bool is_long = has_long_launches(row, number);
	const unsigned rounds = row->promise == MAY_PASS ? LONG_ROUNDS :
				number % 7 == 6		 ? 1 :
							   ROUNDS;

	for (unsigned round = 0; round < rounds; round++) {
		fill_lanes(number, is_long ? LONG_ROOM : ROOM);
		while (chains_left(&chains)) {
			for (unsigned i = 0; i < chains.limits.batches; i++)
				memset(chains.batches[i].done, 0,
				       sizeof(chains.batches[i].done));
			memcpy(before, chains.chains, sizeof(before));
			memcpy(batches, chains.batches, sizeof(batches));
			if (chains_step(&chains))
				continue;
			outcome->messages += chains.messages;
			note_found(outcome, batches, before);
			return;
		}
	}
	outcome->wrong += chains.wrong;
	outcome->messages += chains.messages;
	if (chains.wrong > 0)
		outcome->silent++;
	else
		outcome->harmless++;
}

/* Run number `number` of a row: launches, QPUs and lanes take turns. */
static void
run_fault(const struct row *row, unsigned number, struct outcome *outcome)
{
	const bool is_long = has_long_launches(row, number);
	const unsigned step = row->promise == MAY_PASS ?
				      1 + number % LONG_ROUNDS :
				      number % LAUNCHES;
	/* The fault strikes in the first launch of all, or after the self-test;
	 * "alloc" counts allocations. */
	const bool is_launch = strcmp(row->kind, "alloc") != 0;
	const unsigned launch = is_launch && step > 0 ? SELF_TESTS + step :
							1 + step;
	const unsigned qpu = number / LAUNCHES % QPUS;
	char words[160];

	snprintf(words, sizeof(words),
		 "qpus=%u,mem=%u,seed=%u,fault=%s@%u%s.%u.%u",
		 count_qpus(row, number), number % 3 == 2 ? 1 : 64, number,
		 row->kind, launch,
		 strcmp(row->lasts, "") != 0	? row->lasts :
		 strcmp(row->kind, "code") == 0 ? (launch == 1 ? "-1" : "") :
						  "",
		 qpu, number * 5 % BATCH_LANES);
	if (row->also)
		snprintf(words + strlen(words), sizeof(words) - strlen(words),
			 ",also=%s@%u", row->also, launch);
	outcome->runs++;
	if (chains_open(&chains, &engine_emulator, words, number + 1,
			is_long ? LONG_ROOM : ROOM))
		run_rounds(row, number, outcome);
	else
		outcome->found++;
	chains_close(&chains);
}

static struct outcome
run_row(const struct row *row, unsigned first, unsigned runs)
{
	struct outcome outcome = { .runs = 0 };

	for (unsigned i = 0; i < runs; i++)
		run_fault(row, first + i, &outcome);
	return outcome;
}

/* Is what the row promises so? */
static bool
holds(const struct row *row, const struct outcome *outcome)
{
	return outcome->released == 0 &&
	       (outcome->silent == 0 || row->promise == MAY_PASS) &&
	       (outcome->later == 0 || row->promise != AT_ONCE);
}

static int
print_table(unsigned runs, unsigned seed, const char *kind)
{
	unsigned broken = 0;

	printf("| fault | runs | nothing was wrong | found at once |"
	       " found later | passed |\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < ROWS; i++) {
		const unsigned n = (runs + ROWS - 1) / ROWS;

		if (kind && strcmp(rows[i].kind, kind) != 0)
			continue;

		const struct outcome outcome =
			run_row(&rows[i], (seed - 1) * n, n);
		const bool good = holds(&rows[i], &outcome);

		printf("| %s | %u | %u | %u | %u | %u |%s\n", rows[i].what,
		       outcome.runs, outcome.harmless, outcome.found,
		       outcome.later, outcome.silent,
		       good ? "" : " a promise is broken");
		fflush(stdout);
		broken += !good;
	}
	return broken > 0;
}

static void
test_row(const struct row *row)
{
	/* Long launches cost most of the time. */
	const bool is_long = row->promise == MAY_PASS || is_about_caches(row);
	const unsigned times = is_long || tap_is_quick() ? 1 : 2;
	const struct outcome outcome = run_row(row, 0, times * LAUNCHES * QPUS);

	ok(holds(row, &outcome) && outcome.found > 0,
	   "%s: %u of %u found, %u silent; of a failed launch nothing leaves",
	   row->what, outcome.found, outcome.runs, outcome.silent);
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--table") == 0)
		return print_table(argc > 2 ? (unsigned)atoi(argv[2]) : RUNS,
				   argc > 3 ? (unsigned)atoi(argv[3]) : 1,
				   argc > 4 ? argv[4] : NULL);
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&rows[i]);
	return tap_done();
}
