/* SPDX-License-Identifier: MIT */
/*
 * raw-words: the words that a report follows from, which are too many to be
 * shown: where they begin, how many lines there are, and a sum over all.
 */
#ifndef TESTS_HARDWARE_RAW_WORDS_H
#define TESTS_HARDWARE_RAW_WORDS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/support/golden.h"

/* Writes the section `raw`, if there are any words. */
static void
raw_write(FILE *raw, struct golden_output *out)
{
	char first[100];
	uint32_t sum = 2166136261; /* FNV-1a */
	unsigned lines = 0;

	rewind(raw);
	if (!fgets(first, sizeof(first), raw))
		return;
	rewind(raw);
	for (int c; (c = getc(raw)) != EOF; lines += c == '\n')
		sum = (sum ^ (uint32_t)c) * 16777619;
	golden_printf(out, "raw", "%s\n%u lines, sum %08x\n", first, lines,
		      (unsigned)sum);
}

#endif
