/* SPDX-License-Identifier: MIT */
/*
 * file-sets: sizes of files, for simulations.  Header only; without memory or
 * the file they end the program.
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

static inline struct set
set_tree(const char *name, const char *path, uint64_t below)
{
	struct set set = { .name = name };
	FILE *file = fopen(path, "r");
	unsigned long long bytes;

	if (!file) {
		perror(path);
		exit(1);
	}
	while (fscanf(file, "%llu", &bytes) == 1)
		if (bytes < below)
			set_add(&set, bytes);
	fclose(file);
	return set;
}

#endif
