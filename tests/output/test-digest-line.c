/* SPDX-License-Identifier: MIT */
/*
 * Promise: lines of output are GNU's, byte for byte, and the parser of check
 * lists reads back what they say.
 */
#include "config.h"

#include "src/output/digest_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/inputs/checklist.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* SHA-256 of no bytes: FIPS 180-4's padding alone. */
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const uint8_t empty[SHA256_DIGEST_BYTES] = {
	0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
	0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
};

static const struct {
	const char *name;
	struct digest_line_style style;
	const char *expected; /* -z: the zero at the end is not shown */
} rows[] = {
	{ "f", { 0 }, EMPTY "  f\n" },
	{ "f", { .binary = true }, EMPTY " *f\n" },
	{ "f", { .tag = true }, "SHA256 (f) = " EMPTY "\n" },
	{ "f", { .zero = true }, EMPTY "  f" },
	{ "a b\t\303\251", { 0 }, EMPTY "  a b\t\303\251\n" },
	{ "a\\b", { 0 }, "\\" EMPTY "  a\\\\b\n" },
	{ "a\nb\rc", { .binary = true }, "\\" EMPTY " *a\\nb\\rc\n" },
	{ "\n", { .tag = true }, "\\SHA256 (\\n) = " EMPTY "\n" },
	{ "a\nb\\", { .zero = true }, EMPTY "  a\nb\\" },
	{ "\r", { .zero = true, .tag = true }, "SHA256 (\r) = " EMPTY },
};

static const struct {
	const char *name;
	enum digest_result result;
	const char *expected;
} result_rows[] = {
	{ "f", DIGEST_OK, "f: OK\n" },
	{ "f", DIGEST_FAILED, "f: FAILED\n" },
	{ "f", DIGEST_UNREADABLE, "f: FAILED open or read\n" },
	{ "a b", DIGEST_OK, "'a b': OK\n" },
	{ "it's", DIGEST_OK, "\"it's\": OK\n" },
	{ "a\nb", DIGEST_OK, "'a'$'\\n''b': OK\n" },
	{ "\033[2K", DIGEST_FAILED, "''$'\\033''[2K': FAILED\n" },
};

static void
check_rows(void)
{
	struct text text = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		text_cut(&text, 0);
		bool good = digest_line_add(&text, empty, rows[i].name,
					    rows[i].style);
		const size_t len = strlen(rows[i].expected);

		ok(good && text.len == len + rows[i].style.zero &&
			   memcmp(text.bytes, rows[i].expected, len + 1) == 0,
		   "line %zu", i + 1);
	}
	for (size_t i = 0; i < sizeof(result_rows) / sizeof(*result_rows);
	     i++) {
		text_cut(&text, 0);
		bool good = digest_line_add_result(&text, result_rows[i].name,
						   result_rows[i].result);

		ok(good && strcmp(text.bytes, result_rows[i].expected) == 0,
		   "result line %zu", i + 1);
	}
	text_free(&text);
}

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

static const struct {
	const char *option;
	struct digest_line_style style;
} styles[] = {
	{ "-t", { 0 } },
	{ "-b", { .binary = true } },
	{ "--tag", { .tag = true } },
	{ "-z", { .zero = true } },
	{ "-bz", { .zero = true, .binary = true } },
};

/* name -> line -> name, for all styles that escape. */
static void
check_round_trip(char names[NAMES][32])
{
	struct text text = { 0 };
	unsigned good = 0;

	for (size_t i = 0; i < NAMES; i++)
		for (size_t j = 0; j < 3; j++) {
			struct checklist_parser parser = { 0 };
			struct checklist_entry entry;

			text_cut(&text, 0);
			if (digest_line_add(&text, empty, names[i],
					    styles[j].style))
				good += checklist_parse(&parser, text.bytes,
							text.len, &entry) ==
						CHECKLIST_ENTRY &&
					!strcmp(entry.name, names[i]) &&
					!memcmp(entry.digest, empty, 32);
		}
	ok(good == 3 * NAMES, "%u of %d lines are read back", good, 3 * NAMES);
	text_free(&text);
}

static void
check_oracle(char names[NAMES][32])
{
	static char *argv[NAMES + 4];
	char directory[64];
	struct oracle_call call = { .argv = argv,
				    .locale = "C",
				    .directory = capture_mkdir(directory) };
	struct text text = { 0 };
	int fd = open(directory, O_DIRECTORY | O_CLOEXEC);

	argv[0] = "sha256sum";
	argv[2] = "--";
	for (size_t i = 0; i < NAMES; i++) {
		argv[3 + i] = names[i];
		close(openat(fd, names[i], O_CREAT | O_WRONLY, 0600));
	}
	for (size_t j = 0; j < sizeof(styles) / sizeof(*styles); j++) {
		struct capture capture;
		bool good = true;

		argv[1] = (char *)(uintptr_t)styles[j].option;
		capture_run(&capture, oracle_exec, &call, false);
		text_cut(&text, 0);
		for (size_t i = 0; i < NAMES; i++)
			good = good && digest_line_add(&text, empty, names[i],
						       styles[j].style);
		ok(good && capture.out.len == text.len &&
			   memcmp(capture.out.bytes, text.bytes, text.len) == 0,
		   "%d files of strange names as GNU, %s", NAMES,
		   styles[j].option);
		capture_free(&capture);
	}
	for (size_t i = 0; i < NAMES; i++)
		unlinkat(fd, names[i], 0);
	close(fd);
	rmdir(directory);
	text_free(&text);
}

int
main(void)
{
	static char names[NAMES][32];
	uint32_t seed = 4;

	check_rows();
	check_scarcity(false);
	check_scarcity(true);
	check_last_byte();
	for (unsigned i = 0; i < NAMES; i++)
		random_name(&seed, i, names[i]);
	check_round_trip(names);
	if (!oracle_release())
		tap_skip("no GNU sha256sum 9 to compare with");
	else
		check_oracle(names);
	return tap_done();
}
