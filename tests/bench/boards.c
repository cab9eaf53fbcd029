/* SPDX-License-Identifier: MIT */
/*
 * boards: how fast Raspberry Pis would hash files of many sizes: the program's
 * pipeline on modelled boards, beside a bound (board.h).  Everything printed is
 * modelled.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lanes/message.h"
#include "tests/bench/board.h"

/* Sets of files ------------------------------------------------------------ */

/*
 * The sizes of the files of a set, in ascending order: some of them with their
 * places.  Between two of these places each size is larger than the one before by
 * the same factor.
 */
struct place {
	unsigned number;
	uint64_t bytes;
};

/* clang-format off */
/* 20,000 files of a developer's machine; the largest are left out. */
static const struct place tree[] = {
	{0, 0}, {146, 0}, {156, 0}, {157, 1}, {177, 1}, {179, 3}, {181, 4},
	{194, 4}, {196, 7}, {238, 22}, {304, 33}, {339, 45}, {569, 120},
	{602, 135}, {1607, 306}, {2504, 478}, {13365, 6084}, {16487, 16336},
	{17288, 21814}, {17926, 30241}, {17992, 30510}, {18997, 68376},
	{19227, 89982}, {19432, 123501}, {19562, 167157}, {19708, 264062},
	{19801, 438608}, {19884, 944718}, {19931, 2225200}
};
/* /usr/share of a Debian 12. */
static const struct place usr_share[] = {
	{0, 0}, {154, 0}, {156, 2}, {163, 10}, {180, 18}, {198, 22}, {224, 25},
	{475, 43}, {1073, 63}, {1546, 113}, {1995, 147}, {2843, 191},
	{4471, 264}, {6930, 371}, {9204, 457}, {11650, 541}, {19298, 854},
	{22629, 1003}, {29049, 1264}, {37485, 1760}, {42056, 2289},
	{47620, 3399}, {49769, 4115}, {51365, 5004}, {53603, 6955},
	{56988, 12437}, {60673, 27179}, {61698, 37426}, {62874, 67269},
	{63014, 69984}, {63772, 116397}, {64258, 184164}, {64446, 266641},
	{64576, 381764}, {64701, 690373}, {64745, 1017040}, {64754, 1301285},
	{64777, 4146256}, {64783, 4737903}, {64786, 5708609}, {64787, 8417971}
};
/* /usr/include of the same. */
static const struct place usr_include[] = {
	{0, 0}, {2, 19}, {31, 34}, {39, 90}, {68, 104}, {85, 184}, {177, 357},
	{314, 560}, {518, 743}, {750, 1031}, {941, 1092}, {1780, 1791},
	{1999, 1909}, {3038, 3254}, {3567, 3905}, {4457, 6175}, {4894, 8277},
	{5081, 8707}, {5509, 11363}, {5695, 13728}, {6024, 16170},
	{6384, 21638}, {6776, 27856}, {7094, 35964}, {7316, 39547},
	{7519, 57530}, {7683, 66308}, {7816, 91950}, {7846, 109792},
	{7905, 110632}, {7952, 262081}, {7956, 423057}, {7958, 616357},
	{7959, 852735}, {7960, 2546580}
};
/* One in a hundred is large. */
static const struct place bimodal[] = {
	{0, 0}, {2475, 250}, {4950, 500}, {9900, 1000}, {19799, 2000},
	{19800, 300000}, {19900, 500000}, {19999, 700000}
};
static const struct place equal_4k[] = { {0, 4096}, {9999, 4096} };
static const struct place equal_120k[] = { {0, 120000}, {190, 120000} };
static const struct place equal_8m[] = { {0, 8 << 20}, {31, 8 << 20} };
static const struct place single[] = { {0, 256 << 20}, {1, 0} };
static const struct place to_1m[] = { {0, 1}, {3000, 1 << 20} };
static const struct place to_64k[] = { {0, 1}, {2500, 1 << 16} };
static const struct place photos[] = { {0, 2000000}, {39, 8000000} };
/* clang-format on */

struct set {
	const char *name;
	const struct place *places;
	struct sized_message *messages;
	size_t n;
	/* Seed of random places; 0 for a file at each place. */
	uint32_t seed;
	double bytes;
};

/* Numbers that are the same everywhere. */
static uint32_t
next_random(uint32_t *random)
{
	return *random = *random * 1664525 + 1013904223;
}

static uint64_t
bytes_at(const struct place *from, double number)
{
	double low, high, part;

	while (number > from[1].number)
		from++;
	low = log1p((double)from[0].bytes);
	high = log1p((double)from[1].bytes);
	part = (number - from[0].number) / (from[1].number - from[0].number);
	return (uint64_t)round(expm1(low + (high - low) * part));
}

static void
set_make(struct set *set)
{
	uint32_t random = set->seed;

	set->messages = malloc(set->n * sizeof(*set->messages));
	if (!set->messages)
		exit(99);
	for (size_t i = 0; i < set->n; i++) {
		struct sized_message *message = &set->messages[i];
		double place = (double)i;

		if (set->seed)
			place = (double)set->n * next_random(&random) /
				4294967296.0;
		message->bytes = bytes_at(set->places, place);
		message->blocks = message_padded_blocks(message->bytes);
		set->bytes += (double)message->bytes;
	}
}

static int
set_smaller_first(const void *a, const void *b)
{
	const struct sized_message *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int
set_larger_first(const void *a, const void *b)
{
	return set_smaller_first(b, a);
}

static void
set_sort(struct set *set, bool descending)
{
	qsort(set->messages, set->n, sizeof(*set->messages),
	      descending ? set_larger_first : set_smaller_first);
}

static void
set_shuffle(struct set *set)
{
	uint32_t random = 212;

	for (size_t i = set->n - 1; i > 0; i--) {
		const struct sized_message last = set->messages[i];
		const size_t other = (uint64_t)next_random(&random) * (i + 1) >>
				     32;

		set->messages[i] = set->messages[other];
		set->messages[other] = last;
	}
}

/* Tables ------------------------------------------------------------------- */

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
			set_shuffle(set);
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
	set_make(set);
	printf("%s (%zu files, %.0f MB)\n", set->name, set->n,
	       set->bytes / 1e6);
	for (size_t i = 0; i < sizeof(boards) / sizeof(*boards); i++)
		if (set->bytes <= boards[i].memory_mb * 1048576)
			print_board(&boards[i], set);
	free(set->messages);
}

/* Print all sets, or those whose names contain a word. */
int
main(int argc, char **argv)
{
	struct set sets[] = {
		{ "4 KiB", equal_4k, .n = 10000 },
		{ "120,000 bytes", equal_120k, .n = 191 },
		{ "8 MiB", equal_8m, .n = 32 },
		{ "256 MiB", single, .n = 1 },
		{ "log-uniform, 1 B to 1 MiB", to_1m, .n = 3000, .seed = 1 },
		{ "log-uniform, 1 B to 64 KiB", to_64k, .n = 2500, .seed = 7 },
		{ "a developer's tree, below 1 MB", tree, .n = 19888 },
		{ "/usr/share of a Debian 12", usr_share, .n = 64788 },
		{ "/usr/include of a Debian 12", usr_include, .n = 7961 },
		{ "like photos", photos, .n = 40 },
		{ "99 % tiny, 1 % of 0.3 to 0.7 MB", bimodal, .n = 20000 },
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
	return 0;
}
