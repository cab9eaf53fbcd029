/* SPDX-License-Identifier: MIT */
/*
 * boards: how fast Raspberry Pis would hash: the program's pipeline on modelled
 * boards (board-run.h), beside a bound (board-bound.h).  Everything printed is
 * modelled.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/board-bound.h"
#include "tests/bench/board-run.h"
#include "tests/bench/file-sets.h"

/* Simulated on one board. */
struct figures {
	double cpu, qpu, both, best; /* MB/s, in a random order */
	/* Of three orders: the least part of the bound, and of the better one
	 * of CPU and QPUs alone, that both together reach. */
	double of_best, of_better;
	double occupancy;
};

static double
mb_per_second(const struct set *set, double seconds)
{
	return set->bytes / 1e6 / seconds;
}

static void
add_order(const struct board *board, const struct set *set,
	  struct figures *figures)
{
	const struct sized_message *m = set->messages;
	double seconds[3];

	for (enum board_way way = BOARD_CPU; way <= BOARD_BOTH; way++) {
		const struct board_outcome outcome =
			board_run(board, m, set->n, way);

		seconds[way] = outcome.seconds;
		figures->occupancy = outcome.occupancy;
	}
	figures->cpu = mb_per_second(set, seconds[BOARD_CPU]);
	figures->qpu = mb_per_second(set, seconds[BOARD_QPUS]);
	figures->both = mb_per_second(set, seconds[BOARD_BOTH]);
	figures->of_best =
		fmin(figures->of_best, figures->both / figures->best);
	figures->of_better =
		fmin(figures->of_better,
		     figures->both / fmax(figures->cpu, figures->qpu));
}

/* The random order is the last one. */
static void
print_board(const struct board *board, struct set *set)
{
	struct figures figures = { .of_best = INFINITY, .of_better = INFINITY };

	figures.best =
		mb_per_second(set, bound_seconds(board, set->messages, set->n));
	for (unsigned order = 0; order < 3; order++) {
		set_sort(set, order == 1);
		if (order == 2)
			set_shuffle(set, 212);
		add_order(board, set, &figures);
	}
	printf("  %-6s %8.0f %8.0f %8.0f %8.0f %6.0f %% %7.0f %% %7.0f %%\n",
	       board->name, figures.cpu, figures.qpu, figures.both,
	       figures.best, 100 * figures.of_best, 100 * figures.of_better,
	       100 * figures.occupancy);
}

static void
print_set(struct set *set)
{
	printf("%s (%zu files, %.0f MB)\n", set->name, set->n,
	       set->bytes / 1e6);
	for (size_t i = 0; i < sizeof(boards) / sizeof(*boards); i++)
		if (set->bytes <= boards[i].memory_mb * 1048576)
			print_board(&boards[i], set);
}

/* All sets, or those whose names contain a word. */
int
main(int argc, char **argv)
{
	struct set sets[] = {
		set_equal("4 KiB", 10000, 4096),
		set_equal("120,000 bytes", 191, 120000),
		set_equal("8 MiB", 32, 8 << 20),
		set_equal("256 MiB", 1, 256 << 20),
		set_log_uniform("log-uniform, 1 B to 1 MiB", 3000, 20, 1),
		set_log_uniform("log-uniform, another seed", 3000, 20, 8),
		set_log_uniform("log-uniform, 1 B to 64 KiB", 2500, 16, 7),
		TREE("a developer's tree, below 1 MB", tree_mixed, 1000000),
		TREE("/usr/share of a Debian 12", tree_share, UINT64_MAX),
		TREE("/usr/include of a Debian 12", tree_include, UINT64_MAX),
		set_lognormal("like node_modules: median 1.2 KB", 60000, 1200,
			      4.5, 3000000),
		set_lognormal("like a maildir: median 6 KB", 10000, 6000, 4.5,
			      20000000),
		set_uniform("like photos", 40, 2e6, 8e6),
		set_uniform("like music", 30, 3e6, 12e6),
		set_bimodal("99 % tiny, 1 % of 0.3 to 0.7 MB", 20000, 100, 3e5,
			    7e5),
	};
	const size_t n = sizeof(sets) / sizeof(*sets);

	puts("MB/s of content, modelled; files in the page cache, in a random "
	     "order.  The\nparts of \"best\", which is a bound, and of the "
	     "better of CPU and QPUs alone are\nthe least of three orders: "
	     "random, ascending and descending sizes.  An SD card\ngives 25 "
	     "MB/s at most, to whatever hashes.  Boards with a t use the "
	     "kernel's driver.");
	puts("  board  CPU only QPU only     both     best  of best of better "
	     "lanes full");
	for (size_t i = 0; i < n; i++)
		if (argc < 2 || strstr(sets[i].name, argv[1]))
			print_set(&sets[i]);
	for (size_t i = 0; i < n; i++)
		free(sets[i].messages);
	return 0;
}
