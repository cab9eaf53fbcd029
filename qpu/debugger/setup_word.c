/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/setup_word.h"

#include <stdio.h>

/* A field of bits low and up. */
static unsigned
field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1u << bits) - 1);
}

/* A field in which 0 stands for its largest number plus 1. */
static unsigned
count(uint32_t word, unsigned low, unsigned bits)
{
	const unsigned value = field(word, low, bits);

	return value ? value : 1u << bits;
}

static const char *
plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* The elements of DMA by their mode. */
static const char *const elements[8] = {
	"words",   "words",   "halves 0", "halves 1",
	"bytes 0", "bytes 1", "bytes 2",  "bytes 3",
};

/* Section 11.3; only a read counts its vectors. */
static void
describe_vpm(bool store, uint32_t word, char text[SETUP_WORD_TEXT_SIZE])
{
	static const char *const widths[] = { "8-bit", "16-bit", "32-bit",
					      "32-bit" };
	const unsigned size = field(word, 8, 2);
	const unsigned parts = size < 2 ? 4u >> size : 1;
	const unsigned addr = field(word, 0, 8), at = addr / parts & 63;
	const unsigned stride = count(word, 12, 6), n = count(word, 20, 4);
	char vectors[32] = "VPM write", part[48] = "", where[48];

	if (!store)
		snprintf(vectors, sizeof(vectors), "VPM read of %u vector%s", n,
			 plural(n));
	if (field(word, 11, 1))
		snprintf(where, sizeof(where), "horizontal, row %u", at);
	else
		snprintf(where, sizeof(where), "vertical, column %u of row %u",
			 at & 15, at & 0x30);
	if (parts > 1)
		snprintf(part, sizeof(part), ", %s part %u",
			 field(word, 10, 1) ? "laned" : "packed",
			 addr & (parts - 1));
	snprintf(text, SETUP_WORD_TEXT_SIZE, "%s: %s, %s%s, stride %u", vectors,
		 widths[size], where, part, stride);
}

/* Section 11.7. */
static void
describe_load(uint32_t word, char text[SETUP_WORD_TEXT_SIZE])
{
	const unsigned pitch = field(word, 24, 4);
	const unsigned length = count(word, 20, 4), rows = count(word, 16, 4);
	char step[48] = "the extended pitch";

	if (pitch)
		snprintf(step, sizeof(step), "%u bytes", 8u << pitch);
	snprintf(text, SETUP_WORD_TEXT_SIZE,
		 "DMA load: %u row%s of %u %s, %s apart in memory, to VPM row "
		 "%u column %u, %s, stride %u",
		 rows, plural(rows), length, elements[field(word, 28, 3)], step,
		 field(word, 4, 7), field(word, 0, 4),
		 field(word, 11, 1) ? "vertical" : "horizontal",
		 count(word, 12, 4));
}

/* Section 11.8. */
static void
describe_store(uint32_t word, char text[SETUP_WORD_TEXT_SIZE])
{
	const unsigned units = count(word, 23, 7), depth = count(word, 16, 7);

	snprintf(text, SETUP_WORD_TEXT_SIZE,
		 "DMA store: %u row%s of %u %s, from VPM row %u column %u, %s",
		 units, plural(units), depth, elements[field(word, 0, 3)],
		 field(word, 7, 7), field(word, 3, 4),
		 field(word, 14, 1) ? "horizontal" : "vertical");
}

void
setup_word_describe(bool store, uint32_t word, char text[SETUP_WORD_TEXT_SIZE])
{
	if (!(word >> 31))
		describe_vpm(store, word, text);
	else if (!store && word >> 28 == 9)
		snprintf(text, SETUP_WORD_TEXT_SIZE,
			 "DMA load: extended pitch of %u bytes",
			 field(word, 0, 14));
	else if (!store)
		describe_load(word, text);
	else if (word >> 30 == 2)
		describe_store(word, text);
	else
		snprintf(text, SETUP_WORD_TEXT_SIZE,
			 "DMA store: %u bytes from the end of a row to the "
			 "next%s",
			 field(word, 0, 16),
			 field(word, 16, 1) ? ", block mode" : "");
}
