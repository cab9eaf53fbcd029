/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line for which there is no memory is left out whole.  (That the
 * lines are GNU's, byte for byte, is in tests/cli/differential; that the parser
 * of check lists reads them back, in tests/inputs/fuzz-checklist.c.)
 */
#include "config.h"

#include "src/output/digest_line.h"

#include <errno.h>

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

int
main(void)
{
	check_scarcity(false);
	check_scarcity(true);
	check_last_byte();
	return tap_done();
}
