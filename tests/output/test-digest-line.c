/* SPDX-License-Identifier: MIT */
/*
 * Promise: the parser of check lists reads back what lines of output say, and
 * a line for which there is no memory is left out whole.  (That the lines are
 * GNU's, byte for byte, is in tests/cli/differential.)
 */
#include "config.h"

#include "src/output/digest_line.h"

#include <errno.h>
#include <stdlib.h>

#include "src/inputs/checklist.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* SHA-256 of no bytes: FIPS 180-4's padding alone. */
static const uint8_t empty[SHA256_DIGEST_BYTES] = {
	0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
	0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
};

/*
 * Memory runs out at each of the places where more is needed, once or for
 * ever.  The first byte of a line finds its text full.
 */
static void
check_scarcity(bool once)
{
	static const struct digest_line_style styles[] = { { .tag = true },
							   { .zero = true },
							   { 0 } };
	char name[2000], before[128];
	bool refused = true, kept = true;
	unsigned cases = 0;

	memset(before, 'b', sizeof(before));
	before[sizeof(before) - 1] = '\0';
	memset(name, 'x', sizeof(name));
	name[60] = '\n'; /* behind a digest it ends 256 bytes */
	name[300] = '\n';
	name[1200] = '\\';
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < sizeof(styles) / sizeof(*styles) + 1; i++)
		for (unsigned left = 1;; left++) {
			struct text text = { 0 };
			bool good = text_add_string(&text, before);

			(once ? fault_at : fault_from)(FAULT_realloc, left,
						       ENOMEM);
			good = i ? digest_line_add(&text, empty, name,
						   styles[i - 1]) :
				   digest_line_add_result(&text, name,
							  DIGEST_FAILED);
			fault_clear();
			/* What succeeds once failures are over is complete. */
			if (good) {
				const size_t all = text.len;

				text_cut(&text, 0);
				text_add_string(&text, before);
				if (i)
					digest_line_add(&text, empty, name,
							styles[i - 1]);
				else
					digest_line_add_result(&text, name,
							       DIGEST_FAILED);
				refused = refused && text.len == all;
			}
			kept = kept &&
			       (good || strcmp(text.bytes, before) == 0);
			refused = refused && (!good || left > 1);
			text_free(&text);
			cases++;
			if (good)
				break;
		}
	ok(refused && cases > 12, "a line for which there is no memory fails");
	ok(kept, "a line that fails leaves the lines before it alone");
}

/* The name fits, and the byte at the end of the line does not. */
static void
check_last_byte(void)
{
	struct text text = { 0 };
	char name[128];

	memset(name, 'x', sizeof(name));
	name[127 - 64 - 2] = '\0';
	fault_from(FAULT_realloc, 2, ENOMEM);
	ok(!digest_line_add(&text, empty, name,
			    (struct digest_line_style){ 0 }) &&
		   text.len == 0,
	   "a line without memory for its end fails");
	fault_clear();
	text_free(&text);
}

enum { NAMES = 300 };

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* A name that a file can have, and that appears once. */
static void
random_name(uint32_t *seed, unsigned number, char name[32])
{
	static const char bytes[] = "\\\\\n\n\r\r nra)=(*\303\251";
	size_t len = 1 + next_random(seed) % 8;

	for (size_t i = 0; i < len; i++)
		name[i] = bytes[next_random(seed) % (sizeof(bytes) - 1)];
	snprintf(name + len, 32 - len, "%u", number);
	if (next_random(seed) % 4 == 0)
		strcat(name, "\\");
}

/* name -> line -> name, for all styles that escape. */
static void
check_round_trip(char names[NAMES][32])
{
	static const struct digest_line_style escaping[] = { { 0 },
							     { .binary = true },
							     { .tag = true } };
	struct text text = { 0 };
	unsigned good = 0;

	for (size_t i = 0; i < NAMES; i++)
		for (size_t j = 0; j < 3; j++) {
			struct checklist_parser parser = { 0 };
			struct checklist_entry entry;

			text_cut(&text, 0);
			if (digest_line_add(&text, empty, names[i],
					    escaping[j]))
				good += checklist_parse(&parser, text.bytes,
							text.len, &entry) ==
						CHECKLIST_ENTRY &&
					!strcmp(entry.name, names[i]) &&
					!memcmp(entry.digest, empty, 32);
		}
	ok(good == 3 * NAMES, "%u of %d lines are read back", good, 3 * NAMES);
	text_free(&text);
}

int
main(void)
{
	static char names[NAMES][32];
	uint32_t seed = 4;

	check_scarcity(false);
	check_scarcity(true);
	check_last_byte();
	for (unsigned i = 0; i < NAMES; i++)
		random_name(&seed, i, names[i]);
	check_round_trip(names);
	return tap_done();
}
