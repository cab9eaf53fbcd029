/* SPDX-License-Identifier: MIT */
/*
 * file-sets: sizes of files, for simulations.  Header only; without memory they
 * end the program.
 */
#ifndef TESTS_BENCH_FILE_SETS_H
#define TESTS_BENCH_FILE_SETS_H

#include <math.h>
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

/* 1 byte to 1 MiB, each power of two as often as any other. */
static inline struct set
set_log_uniform(void)
{
	struct set set = { .name = "3,000 log-uniform, 1 B to 1 MiB" };
	uint32_t random = 1;

	for (unsigned i = 0; i < 3000; i++) {
		random = random * 1664525 + 1013904223;
		set_add(&set, (uint64_t)exp2(random / 4294967296.0 * 20));
	}
	return set;
}

/*
 * The sizes of 20,000 files of a real tree, in ascending order: some of them
 * with their places.  Between two of these places each size is larger than the
 * one before by the same factor.  The sum of the sizes is 0.1 % more than that of the tree.
 */
/* clang-format off */
static const struct tree_size {
	unsigned place;
	uint64_t bytes;
} tree_sizes[] = {
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
/* clang-format on */

static inline uint64_t
tree_file_bytes(const struct tree_size *from, unsigned place)
{
	const double low = log1p((double)from[0].bytes);
	const double high = log1p((double)from[1].bytes);
	const double part = (double)(place - from[0].place) /
			    (from[1].place - from[0].place);

	return (uint64_t)round(expm1(low + (high - low) * part));
}

/*
 * The files of the tree that are smaller than this, in a random order.  Figures
 * depend on it by up to 10 %: late large files keep one core busy.  Of 400
 * seeds this one is the nearest to a walk through the tree itself, whose
 * figures differ by 3 % at most.
 */
static inline struct set
set_tree(const char *name, uint64_t below)
{
	const struct tree_size *from = tree_sizes;
	struct set set = { .name = name };
	uint32_t random = 212;

	for (unsigned place = 0; place < 20000; place++) {
		if (place > from[1].place)
			from++;

		const uint64_t bytes = tree_file_bytes(from, place);

		if (bytes < below)
			set_add(&set, bytes);
	}
	for (size_t i = set.n - 1; i > 0; i--) {
		const struct sized_message last = set.messages[i];

		random = random * 1664525 + 1013904223;
		const size_t other = (uint64_t)random * (i + 1) >> 32;

		set.messages[i] = set.messages[other];
		set.messages[other] = last;
	}
	return set;
}

#endif
