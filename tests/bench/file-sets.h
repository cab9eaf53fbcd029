/* SPDX-License-Identifier: MIT */
/*
 * file-sets: sizes of files, for simulations.  Header only; without memory they
 * end the program.
 */
#ifndef TESTS_BENCH_FILE_SETS_H
#define TESTS_BENCH_FILE_SETS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/feed/work_split.h"
#include "src/lanes/message.h"

struct sized_message {
	uint64_t bytes;
	uint64_t blocks;
};

struct set {
	const char *name;
	struct sized_message *messages;
	size_t n;
	double bytes;
};

static inline void
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

static inline struct set
set_equal(const char *name, size_t n, uint64_t bytes)
{
	struct set set = { .name = name };

	while (n-- > 0)
		set_add(&set, bytes);
	return set;
}

/* Random numbers that are the same everywhere. */
static inline uint32_t
set_random(uint32_t *random)
{
	return *random = *random * 1664525 + 1013904223;
}

/* Uniform in [0, 1). */
static inline double
set_part(uint32_t *random)
{
	return set_random(random) / 4294967296.0;
}

/* Each power of two up to 2^bits is as frequent as any other. */
static inline struct set
set_log_uniform(const char *name, size_t n, double bits, uint32_t seed)
{
	struct set set = { .name = name };

	while (n-- > 0)
		set_add(&set, (uint64_t)exp2(set_part(&seed) * bits));
	return set;
}

/* Between two sizes, all of them alike. */
static inline struct set
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
static inline struct set
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
static inline struct set
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

static inline uint64_t
tree_file_bytes(const struct tree_size *from, unsigned place)
{
	const double low = log1p((double)from[0].bytes);
	const double high = log1p((double)from[1].bytes);
	const double part = (double)(place - from[0].place) /
			    (from[1].place - from[0].place);

	return (uint64_t)round(expm1(low + (high - low) * part));
}

/* The files of a tree that are smaller than this. */
static inline struct set
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

static inline int
set_smaller_first(const void *a, const void *b)
{
	const struct sized_message *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static inline int
set_larger_first(const void *a, const void *b)
{
	return set_smaller_first(b, a);
}

static inline void
set_sort(struct set *set, bool descending)
{
	qsort(set->messages, set->n, sizeof(*set->messages),
	      descending ? set_larger_first : set_smaller_first);
}

static inline void
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

#endif
