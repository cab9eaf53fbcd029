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

struct set {
	const char *name;
	struct sized_message *messages;
	size_t n;
	double bytes;
};

static void
set_add(struct set *set, uint64_t bytes)
{
	if (set->n % 4096 == 0)
		set->messages =
			realloc(set->messages,
				(set->n + 4096) * sizeof(*set->messages));
	if (!set->messages)
		exit(99);
	set->messages[set->n++] = (struct sized_message){
		.bytes = bytes, .blocks = message_padded_blocks(bytes)
	};
	set->bytes += (double)bytes;
}

static struct set
set_equal(const char *name, size_t n, uint64_t bytes)
{
	struct set set = { .name = name };

	while (n-- > 0)
		set_add(&set, bytes);
	return set;
}

/* Random numbers that are the same everywhere. */
static uint32_t
set_random(uint32_t *random)
{
	return *random = *random * 1664525 + 1013904223;
}

/* Uniform in [0, 1). */
static double
set_part(uint32_t *random)
{
	return set_random(random) / 4294967296.0;
}

/* Each power of two up to 2^bits is as frequent as any other. */
static struct set
set_log_uniform(const char *name, size_t n, double bits, uint32_t seed)
{
	struct set set = { .name = name };

	while (n-- > 0)
		set_add(&set, (uint64_t)exp2(set_part(&seed) * bits));
	return set;
}

/* All sizes between two are equally frequent. */
static struct set
set_uniform(const char *name, size_t n, double low, double high)
{
	struct set set = { .name = name };
	uint32_t random = 5;

	while (n-- > 0)
		set_add(&set,
			(uint64_t)(low + (high - low) * set_part(&random)));
	return set;
}

/* Sizes whose logarithms are about normal (a sum of 12 numbers): half of them
 * are larger than the median, 16 % larger than spread times that. */
static struct set
set_lognormal(const char *name, size_t n, double median, double spread,
	      uint64_t most)
{
	struct set set = { .name = name };
	uint32_t random = 11;

	while (n-- > 0) {
		double normal = -6;
		uint64_t bytes;

		for (unsigned i = 0; i < 12; i++)
			normal += set_part(&random);
		bytes = (uint64_t)(median * pow(spread, normal));
		set_add(&set, bytes < most ? bytes : most);
	}
	return set;
}

/* All but one in `every` files are tiny, and these are large. */
static struct set
set_bimodal(const char *name, size_t n, unsigned every, double low, double high)
{
	struct set set = { .name = name };
	uint32_t random = 17;

	for (size_t i = 0; i < n; i++) {
		const double part = set_part(&random);

		set_add(&set, i % every == every / 2 ?
				      (uint64_t)(low + (high - low) * part) :
				      (uint64_t)(2000 * part));
	}
	return set;
}

/*
 * The sizes of the files of a real tree, in ascending order: some of them with
 * their places.  Between two of these places each size is larger than the one
 * before by the same factor.
 */
struct tree_size {
	unsigned place;
	uint64_t bytes;
};

/* clang-format off */
/* 20,000 files of a developer's machine, 1.5 GB. */
static const struct tree_size tree_mixed[] = {
	{0, 0}, {146, 0}, {156, 0}, {157, 1}, {177, 1}, {179, 3}, {181, 4},
	{194, 4}, {196, 7}, {238, 22}, {304, 33}, {339, 45}, {569, 120},
	{602, 135}, {1607, 306}, {2504, 478}, {13365, 6084}, {16487, 16336},
	{17288, 21814}, {17926, 30241}, {17992, 30510}, {18997, 68376},
	{19227, 89982}, {19432, 123501}, {19562, 167157}, {19708, 264062},
	{19801, 438608}, {19884, 944718}, {19931, 2225200}, {19952, 3047736},
	{19973, 8198800}, {19979, 8976670}, {19992, 41088778},
	{19994, 60121896}, {19997, 98806736}, {19998, 109821488},
	{19999, 127015960}
};
/* /usr/share of a Debian 12. */
static const struct tree_size tree_share[] = {
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
static const struct tree_size tree_include[] = {
	{0, 0}, {2, 19}, {31, 34}, {39, 90}, {68, 104}, {85, 184}, {177, 357},
	{314, 560}, {518, 743}, {750, 1031}, {941, 1092}, {1780, 1791},
	{1999, 1909}, {3038, 3254}, {3567, 3905}, {4457, 6175}, {4894, 8277},
	{5081, 8707}, {5509, 11363}, {5695, 13728}, {6024, 16170},
	{6384, 21638}, {6776, 27856}, {7094, 35964}, {7316, 39547},
	{7519, 57530}, {7683, 66308}, {7816, 91950}, {7846, 109792},
	{7905, 110632}, {7952, 262081}, {7956, 423057}, {7958, 616357},
	{7959, 852735}, {7960, 2546580}
};
/* clang-format on */

#define TREE(name, tree, below)                                                \
	set_tree(name, tree, sizeof(tree) / sizeof(*(tree)), below)

static uint64_t
tree_file_bytes(const struct tree_size *from, unsigned place)
{
	const double low = log1p((double)from[0].bytes);
	const double high = log1p((double)from[1].bytes);
	const double part = (double)(place - from[0].place) /
			    (from[1].place - from[0].place);

	return (uint64_t)round(expm1(low + (high - low) * part));
}

/* The files of a tree that are smaller than this. */
static struct set
set_tree(const char *name, const struct tree_size *tree, size_t n,
	 uint64_t below)
{
	const unsigned last = tree[n - 1].place;
	struct set set = { .name = name };

	for (unsigned place = 0; place <= last; place++) {
		if (place > tree[1].place)
			tree++;

		const uint64_t bytes = tree_file_bytes(tree, place);

		if (bytes < below)
			set_add(&set, bytes);
	}
	return set;
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
set_shuffle(struct set *set, uint32_t seed)
{
	for (size_t i = set->n - 1; i > 0; i--) {
		const struct sized_message last = set->messages[i];
		const size_t other = (uint64_t)set_random(&seed) * (i + 1) >>
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

/* Print all sets, or those whose names contain a word. */
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
