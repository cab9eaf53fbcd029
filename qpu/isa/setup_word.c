/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/isa/setup_word.h"

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

/* Section 11.3 of the hardware reference; only a read counts its vectors. */
static void
show_vpm_access(FILE *out, bool store, uint32_t word)
{
	static const char *const widths[] = { "8-bit", "16-bit", "32-bit",
					      "32-bit" };
	const unsigned size = field(word, 8, 2), n = count(word, 20, 4);
	const unsigned parts = size < 2 ? 4u >> size : 1;
	const unsigned addr = field(word, 0, 8), at = addr / parts & 63;

	if (store)
		fputs("VPM write", out);
	else
		fprintf(out, "VPM read of %u vector%s", n, plural(n));
	fprintf(out, ": %s, ", widths[size]);
	if (field(word, 11, 1))
		fprintf(out, "horizontal, row %u", at);
	else
		fprintf(out, "vertical, column %u of row %u", at & 15,
			at & 0x30);
	if (parts > 1)
		fprintf(out, ", %s part %u",
			field(word, 10, 1) ? "laned" : "packed",
			addr & (parts - 1));
	fprintf(out, ", stride %u\n", count(word, 12, 6));
}

/* Section 11.7. */
static void
show_load(FILE *out, uint32_t word)
{
	const unsigned pitch = field(word, 24, 4);
	const unsigned length = count(word, 20, 4), rows = count(word, 16, 4);

	fprintf(out, "DMA load: %u row%s of %u %s, ", rows, plural(rows),
		length, elements[field(word, 28, 3)]);
	if (pitch)
		fprintf(out, "%u bytes", 8u << pitch);
	else
		fputs("the extended pitch", out);
	fprintf(out,
		" apart in memory, to VPM row %u column %u, %s, stride %u\n",
		field(word, 4, 7), field(word, 0, 4),
		field(word, 11, 1) ? "vertical" : "horizontal",
		count(word, 12, 4));
}

/* Section 11.8. */
static void
show_store(FILE *out, uint32_t word)
{
	const unsigned units = count(word, 23, 7), depth = count(word, 16, 7);

	fprintf(out,
		"DMA store: %u row%s of %u %s, from VPM row %u column %u, %s\n",
		units, plural(units), depth, elements[field(word, 0, 3)],
		field(word, 7, 7), field(word, 3, 4),
		field(word, 14, 1) ? "horizontal" : "vertical");
}

void
setup_word_show(FILE *out, bool store, uint32_t word)
{
	if (!(word >> 31))
		show_vpm_access(out, store, word);
	else if (!store && word >> 28 == 9)
		fprintf(out, "DMA load: extended pitch of %u bytes\n",
			field(word, 0, 14));
	else if (!store)
		show_load(out, word);
	else if (word >> 30 == 2)
		show_store(out, word);
	else
		fprintf(out,
			"DMA store: %u bytes from the end of a row to the "
			"next%s\n",
			field(word, 0, 16),
			field(word, 16, 1) ? ", block mode" : "");
}
