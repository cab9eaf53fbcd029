/* SPDX-License-Identifier: MIT */
/*
 * Promise: on any board and with any mix of files QPUs and CPU together end
 * about as early as they could, and not much later than the better of them
 * alone; each block is hashed once.
 *
 * The pipeline is real, boards and files are random, and the time is virtual
 * (board.h).  What the program expects of a board is up to three times as fast
 * or slow as the board is.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "src/lanes/message.h"
#include "tests/bench/board.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { FILES = 5000, CASES = 80, QUICK_CASES = 24 };

/* Threads that are no threads for the system confuse sanitizers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool is_watched = true;
#else
static const bool is_watched = false;
#endif

/* Seconds for what a run begins and ends with: four launches. */
static const double margin = 0.06;

struct mix {
	struct sized_message files[FILES];
	size_t n;
	uint64_t blocks;
};

static double
uniform(double low, double high)
{
	return low + (high - low) * random_32() / 4294967296.0;
}

/* Each factor is as frequent as any other. */
static double
log_uniform(double low, double high)
{
	return exp(uniform(log(low), log(high)));
}

static int
smaller_first(const void *a, const void *b)
{
	const struct sized_message *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Files of about this many bytes in all: of all sizes between two, of one size,
 * or mostly of one and some of another; some lists are sorted. */
static void
make_mix(struct mix *mix, double bytes)
{
	const double least = log_uniform(1, 1e6);
	const double most = log_uniform(least, 2e7);
	const unsigned every = 2 + random_32() % 200;
	const unsigned kind = random_32() % 4;

	mix->blocks = 0;
	for (mix->n = 0; mix->n < FILES && bytes > 0; mix->n++) {
		struct sized_message *file = &mix->files[mix->n];
		double size = least;

		if (kind == 0)
			size = uniform(least, most);
		else if (kind == 1)
			size = log_uniform(least, most);
		else if (kind == 2 && mix->n % every == 0)
			size = most;
		file->bytes = (uint64_t)size;
		file->blocks = message_padded_blocks(file->bytes);
		mix->blocks += file->blocks;
		bytes -= size;
	}
	if (random_32() % 3 == 0)
		qsort(mix->files, mix->n, sizeof(*mix->files), smaller_first);
}

static struct board
make_board(void)
{
	struct board board =
		boards[random_32() % (sizeof(boards) / sizeof(*boards))];

	board.cores = 1 + random_32() % 4;
	board.hash_mb = log_uniform(15, 90);
	board.qpu_mhz = log_uniform(200, 400);
	board.copy_mb = log_uniform(300, 1500);
	board.file_us = log_uniform(5, 60);
	board.stat_us = board.file_us / 4;
	return board;
}

/* The sum of all cases. */
struct tally {
	unsigned wrong, late; /* blocks are not hashed once; see below */
	unsigned n, uneven;   /* of long runs */
	/* Of their seconds, as parts of the bound. */
	double sum, most;
};

static double
seconds_of(const struct board *board, const struct mix *mix, enum board_way way,
	   struct tally *tally)
{
	const struct board_outcome outcome =
		board_run(board, mix->files, mix->n, way);

	tally->wrong += outcome.blocks != mix->blocks;
	return outcome.seconds;
}

static void
run_case(struct tally *tally)
{
	static struct mix mix;
	const struct board board = make_board();
	double bound, both, qpus, cpu;

	make_mix(&mix, log_uniform(2e6, 2e8));
	bound = bound_seconds(&board, mix.files, mix.n);
	both = seconds_of(&board, &mix, BOARD_BOTH, tally);
	qpus = seconds_of(&board, &mix, BOARD_QPUS, tally);
	cpu = seconds_of(&board, &mix, BOARD_CPU, tally);
	if (both - margin > 1.25 * fmin(qpus, cpu)) {
		tally->late++;
		tap_note("%zu files, %.1f MB, %u cores: %.3f s, QPUs alone "
			 "%.3f s, CPU alone %.3f s",
			 mix.n, (double)mix.blocks * 64e-6, board.cores, both,
			 qpus, cpu);
	}
	/* Short runs are all beginning and end, and for tiny files it counts
	 * more how they are opened. */
	if (bound < 0.2 || (double)mix.blocks * 64 < 20e3 * (double)mix.n)
		return;
	tally->n++;
	tally->sum += (both - margin) / bound;
	tally->most = fmax(tally->most, (both - margin) / bound);
	tally->uneven += both - margin > 1.1 * bound;
}

int
main(void)
{
	const unsigned cases = tap_is_quick() ? QUICK_CASES : CASES;
	struct tally tally = { .n = 0 };

	if (is_watched) {
		puts("1..0 # skip: not with a sanitizer");
		return 0;
	}
	for (unsigned i = 0; i < cases; i++)
		run_case(&tally);
	ok(tally.wrong == 0, "each block of %u mixes of files is hashed once",
	   cases);
	ok(tally.late == 0,
	   "QPUs and CPU together are not much later than the better of them");
	ok(tally.sum < 0.95 * tally.n,
	   "long runs reach in the mean the bound of every schedule, beside "
	   "four launches (%.1f %%)",
	   100 * tally.sum / tally.n);
	ok(tally.most < 1.2, "none needs 20 %% more than the bound (%.1f %%)",
	   100 * tally.most);
	if (cases < CASES)
		return tap_done();
	ok(tally.uneven <= tally.n / 9,
	   "eight of nine need at most 10 %% more than the bound (%u "
	   "of %u need more)",
	   tally.uneven, tally.n);
	return tap_done();
}
