/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a device does wrong, nothing of a launch that failed counts
 * as done; and of the faults that are found at once no wrong hash value leaves
 * the engine.  A row may name the proof of a launch that finds its fault.
 *
 * Each row is a kind of fault of an emulated device, in lanes (by the firmware)
 * or in tiles (by the kernel's driver).  With --rows they are printed for
 * fault-table.sh, which runs the program with each of them.
 */
#include "config.h"

#include "qpu/sha/proofs.h"
#include "tests/sha/chains.h"
#include "tests/support/tap.h"

static struct chains chains;

/* Promised outcomes of a fault, unless it is harmless. */
enum promise {
	AT_ONCE, /* found in the launch in which something is wrong */
	LATER,	 /* found, sometimes after wrong hash values */
	RARE,	 /* lasts, and may pass: it spoils few messages */
	MOMENT,	 /* may pass: it is over before it is found */
	AGAIN	 /* repeated, without a message */
};

static const char *const proof_names[] = {
#define NAME(id, word, which) which,
	PROOFS(NAME)
#undef NAME
};

static const char *const promises[] = { "at-once", "later", "rare", "moment",
					"again" };

#define ANY 0 /* several proofs together, or none */

/* %u is the number of a launch or job.  Such rows stand for a fault that begins
 * then; those with 1 for one that was always there. */
static const struct row {
	bool in_tiles;
	const char *fault;
	enum promise promise;
	/* A proof that finds it alone; of AGAIN, without which it is not found. */
	enum proof by;
	const char *what;
} rows[] = {
	{ false, "lane@%u-", AT_ONCE, PROOF_KNOWN, "results of a lane wrong" },
	{ false, "stores@%u", AT_ONCE, PROOF_SEAL,
	  "all stores of a QPU lost, once" },
	{ false, "bit@%u-", AT_ONCE, PROOF_SEAL,
	  "a cell of the results stuck" },
	{ false, "lost@%u", AT_ONCE, PROOF_SEAL, "nothing ran, once" },
	{ false, "stuck@%u", AGAIN, ANY, "a QPU does not end, once" },
	{ false, "refuse@%u", AGAIN, ANY, "the launch is refused, once" },
	{ false, "late@%u", AGAIN, ANY,
	  "an answer after the kernel has given up, once" },
	{ false, "alloc@%u", AGAIN, ANY, "no memory" },
	{ false, "caches@1-", AT_ONCE, PROOF_TEST,
	  "no cache is cleared, always" },
	{ false, "caches@%u-", LATER, ANY, "no cache is cleared" },
	{ false, "l2@%u-", LATER, ANY, "the L2 cache is not cleared" },
	{ false, "sticks@%u-", LATER, ANY, "a bit of a register stuck" },
	{ false, "tmubit@1-", AT_ONCE, PROOF_TEST,
	  "a bit of a TMU's cache stuck, always" },
	{ false, "tmubit@%u-", LATER, ANY, "a bit of a TMU's cache stuck" },
	{ false, "alu16@1-", RARE, ANY,
	  "an adder wrong for one sum in 2^16, in a lane, always" },
	{ false, "alu16@%u-", RARE, ANY,
	  "an adder wrong for one sum in 2^16, in a lane" },
	{ false, "alu20@%u-", RARE, ANY,
	  "an adder wrong for one sum in 2^20, in a lane" },
	{ false, "mulpack@%u-", AT_ONCE, PROOF_KNOWN,
	  "parts of registers not written" },
	{ false, "data@%u-", RARE, ANY,
	  "a bit of data flipped in each launch" },
	{ false, "register@%u-.any", RARE, ANY,
	  "another bit of a register flipped in each launch" },
	{ false, "miss@%u-.any", RARE, ANY,
	  "another lane leaves one out in each launch" },
	{ false, "line@%u-", RARE, ANY,
	  "a line of the CPU's not written, in each launch" },
	{ false, "frozen@%u-", RARE, ANY, "a page that never changes again" },
	{ false, "line@%u", MOMENT, ANY, "a line as it was before, once" },
	{ false, "data@%u", MOMENT, ANY, "a bit of data flipped, once" },
	{ false, "register@%u", MOMENT, ANY,
	  "a bit of a register flipped, once" },
	{ true, "lost@%u", AGAIN, PROOF_PATTERN, "a job never run, once" },
	{ true, "reset@%u", AGAIN, PROOF_PATTERN, "a reset in a job, once" },
	{ true, "stores@%u", AGAIN, PROOF_PATTERN, "a tile not stored, once" },
	{ true, "clear@%u", AGAIN, PROOF_PATTERN,
	  "the clear colour left in a tile, once" },
	{ true, "tilebit@1-", AT_ONCE, PROOF_TEST,
	  "a bit of the tile buffer stuck, always" },
	{ true, "tilebit@%u-", LATER, ANY, "a bit of the tile buffer stuck" },
	{ true, "sticks@%u-", LATER, ANY, "a bit of a register stuck" },
	{ true, "caches@1-", AT_ONCE, PROOF_TEST,
	  "no cache is cleared, always" },
	{ true, "caches@%u-", LATER, ANY, "no cache is cleared" },
	{ true, "l2@%u-", LATER, ANY, "the L2 cache is not cleared" },
	{ true, "tmubit@1-", LATER, ANY,
	  "a bit of a TMU's cache stuck, always" },
	{ true, "tmubit@%u-", LATER, ANY, "a bit of a TMU's cache stuck" },
	{ true, "alu16@1-", RARE, ANY,
	  "an adder wrong for one sum in 2^16, in a lane, always" },
	{ true, "alu16@%u-", RARE, ANY,
	  "an adder wrong for one sum in 2^16, in a lane" },
	{ true, "alu20@%u-", RARE, ANY,
	  "an adder wrong for one sum in 2^20, in a lane" },
	{ true, "mulpack@%u-,seed=5", AT_ONCE, PROOF_KNOWN,
	  "parts of registers not written" },
	{ true, "lane@%u-", LATER, ANY, "results of a lane of a tile wrong" },
	{ true, "bit@%u-", RARE, ANY, "a cell of the results stuck" },
	{ true, "data@%u-", RARE, ANY, "a bit of data flipped in each job" },
	{ true, "register@%u-.any", RARE, ANY,
	  "another bit of a register flipped in each job" },
	{ true, "miss@%u-.any", RARE, ANY,
	  "another lane leaves one out in each job" },
	{ true, "line@%u-", RARE, ANY,
	  "a line of the CPU's not written, in each job" },
	{ true, "frozen@%u-", RARE, ANY, "a page that never changes again" },
	{ true, "swap@%u", MOMENT, ANY, "two pixels exchanged, once" },
	{ true, "line@%u", MOMENT, ANY, "a line as it was before, once" },
	{ true, "register@%u", MOMENT, ANY,
	  "a bit of a register flipped, once" },
};

enum {
	ROWS = sizeof(rows) / sizeof(*rows),
	LAUNCHES = 3,
	ROOM = 14,	  /* blocks of a lane */
	FIRST_LAUNCH = 6, /* after the launches, or jobs, of the opening */
	FIRST_JOB = 6
};

struct outcome {
	unsigned runs, harmless, found, later, silent;
	unsigned released; /* lanes of a failed launch reported as done */
	unsigned unopened;
};

/* Messages of random lengths; a lane in five is idle. */
static void
fill_lanes(void)
{
	chains_renew(&chains);
	for (unsigned lane = 0; lane < chains.limits.lanes; lane++) {
		uint32_t lengths[ROOM], n = 0;
		uint32_t room = chains_random(&chains) % 5 == 0 ? 0 : ROOM;

		while (room > 0) {
			lengths[n] = 1 + chains_random(&chains) % room;
			room -= lengths[n++];
		}
		chains_fill(&chains, lane, lengths, n,
			    chains_random(&chains) % 3 == 0);
	}
}

/* Return false if the engine has given up. */
static bool
run_launches(unsigned launches, struct outcome *outcome)
{
	for (unsigned i = 0; i < launches; i++) {
		fill_lanes();
		while (chains_left(&chains)) {
			if (chains_step(&chains))
				continue;
			for (unsigned k = 0; k < chains.limits.lanes; k++)
				outcome->released += chains.lanes[k].done > 0;
			return false;
		}
	}
	return true;
}

static void
run_row(const struct row *row, unsigned number, struct outcome *outcome)
{
	char words[96];
	bool good;

	snprintf(words, sizeof(words),
		 "%sqpus=%u,seed=%u,fault=", row->in_tiles ? "tiles," : "",
		 1 + number % 3, number);
	snprintf(words + strlen(words), sizeof(words) - strlen(words),
		 row->fault,
		 (row->in_tiles ? FIRST_JOB : FIRST_LAUNCH) +
			 number % LAUNCHES);
	outcome->runs++;
	good = chains_open(&chains,
			   row->in_tiles ? &engine_emulated_tiles :
					   &engine_emulator,
			   words, number + 1, ROOM) &&
	       run_launches(row->in_tiles ? 2 : LAUNCHES, outcome);
	outcome->unopened += !chains.self;
	outcome->harmless += good && chains.wrong == 0;
	outcome->silent += good && chains.wrong > 0;
	outcome->found += !good && chains.wrong == 0;
	outcome->later += !good && chains.wrong > 0;
	chains_close(&chains);
}

static void
test_row(const struct row *row)
{
	const bool at_once = row->promise == AT_ONCE || row->promise == AGAIN;
	/* For other rows one run shows whether a failed launch counts. */
	const unsigned runs = !at_once ? 1 : row->in_tiles ? 2 : 3;
	struct outcome outcome = { .runs = 0 };

	for (unsigned i = 0; i < runs; i++)
		run_row(row, at_once ? i : 1, &outcome);
	ok(outcome.released == 0 && outcome.unopened == 0 &&
		   (!at_once || outcome.silent + outcome.later == 0) &&
		   (row->promise != AT_ONCE || outcome.found > 0) &&
		   (row->promise != AGAIN || row->in_tiles == 0 ||
		    outcome.found == 0),
	   "%s, in %s: %u of %u found, %u later, %u silent; of a failed launch "
	   "nothing is done",
	   row->what, row->in_tiles ? "tiles" : "lanes", outcome.found,
	   outcome.runs, outcome.later, outcome.silent);
}

/* Leave out all proofs but one, or that one, and see what becomes of the row. */
static void
test_proof(const struct row *row)
{
	const bool again = row->promise == AGAIN;
	const unsigned runs = again ? 1 : row->in_tiles ? 2 : 3;
	struct outcome outcome = { .runs = 0 };

	proofs_left_out = again ? row->by : (1u << PROOFS_ALL) - 1 - row->by;
	for (unsigned i = 0; i < runs; i++)
		run_row(row, i, &outcome);
	proofs_left_out = 0;
	ok(again ? outcome.harmless < runs : outcome.found + outcome.later > 0,
	   again ? "%s, in %s, is not made good without %s" :
		   "%s, in %s, is found by %s alone",
	   row->what, row->in_tiles ? "tiles" : "lanes",
	   proof_names[__builtin_ctz(row->by)]);
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--rows") == 0) {
		for (unsigned i = 0; i < ROWS; i++)
			printf("%s|%s|%s|%s\n",
			       rows[i].in_tiles ? "tiles" : "lanes",
			       rows[i].fault, promises[rows[i].promise],
			       rows[i].what);
		return 0;
	}
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&rows[i]);
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].by != ANY)
			test_proof(&rows[i]);
	return tap_done();
}
