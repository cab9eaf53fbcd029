/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line of a check list is an entry, malformed or ignored, and has the
 * right name, in cases that GNU's program does not show: lists of OpenSSL, lists
 * written with --zero, and lists with NULs.  (Lists that GNU has checked are
 * in tests/cli/differential/lists.rows.)
 */
#include "config.h"

#include "src/inputs/checklist.h"

#include "tests/support/tap.h"

#define D "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef"

static const uint8_t digest[SHA256_DIGEST_BYTES] = {
	0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa,
	0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
	0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
};

#define IGNORED "\001ignored"
#define MALFORMED NULL

struct row {
	const char *line;
	size_t len;
	const char *expected; /* a name, IGNORED or MALFORMED */
};

#define ROW(line, expected)                                                    \
	{                                                                      \
		line, sizeof(line) - 1, expected                               \
	}

/* Each line is parsed alone, by a new parser. */
static const struct row rows[] = {
	ROW("", IGNORED),
	ROW("\r", IGNORED),
	ROW("\0", MALFORMED),
	ROW(D "  f\0x", "f"),
	ROW("\\" D "  f\0x", MALFORMED),
	ROW("\\SHA256 (a\0) = " D "", MALFORMED),
	ROW("SHA256 (a\0b) = " D "", "a"),
	ROW("SHA2-256(f)= " D "", "f"),
	ROW("SHA2-256(a (b)= c)= " D "\r", "a (b)= c"),
	ROW("SHA2-256 (f)= " D "", MALFORMED),
	ROW("SHA2-512(f)= " D "", MALFORMED),
	ROW("SHA2-256(f)= " D D "", MALFORMED),
	ROW("SHA512/256 (f) = " D "", MALFORMED),
};

/* Records of a list that was written with --zero. */
static const struct row raw_rows[] = {
	ROW("", IGNORED),
	ROW("# comment", IGNORED),
	ROW("\n", MALFORMED),
	ROW("\r", MALFORMED),
	ROW(D "  f", "f"),
	ROW(D " *f", "f"),
	ROW(D "  f\n", "f\n"),
	ROW(D "  f\r", "f\r"),
	ROW(D "  f\r\n", "f\r\n"),
	ROW(D "  \na", "\na"),
	ROW(D "  a\nb", "a\nb"),
	ROW(D "  a\\nb", "a\\nb"),
	ROW(D "  \\", "\\"),
	ROW("\\" D "  a\\nb", MALFORMED),
	ROW("\n" D "  f", MALFORMED),
	ROW("SHA256 (f) = " D, "f"),
	ROW("SHA256 (a\nb) = " D, "a\nb"),
	ROW("SHA256 (a\\b) = " D, "a\\b"),
	ROW("SHA256 (a) = b) = " D, "a) = b"),
	ROW("SHA256 (f) = " D "\n", MALFORMED),
	ROW("\\SHA256 (a\\nb) = " D, MALFORMED),
};

static bool
parses_as(struct checklist_parser *parser, const struct row *row)
{
	char line[256];
	struct checklist_entry entry;

	memcpy(line, row->line, row->len + 1);
	switch (checklist_parse(parser, line, row->len, &entry)) {
	case CHECKLIST_IGNORED:
		return row->expected && strcmp(row->expected, IGNORED) == 0;
	case CHECKLIST_MALFORMED: return row->expected == MALFORMED;
	case CHECKLIST_ENTRY:
		return row->expected && !strcmp(entry.name, row->expected) &&
		       !memcmp(entry.digest, digest, sizeof(digest)) &&
		       entry.name >= line && entry.name < line + sizeof(line);
	}
	return false;
}

static void
check_rows(const struct row *row, size_t n, bool raw)
{
	for (; n > 0; n--, row++) {
		struct checklist_parser parser = { .raw = raw };

		ok(parses_as(&parser, row), "%s is %s: %.*s",
		   raw ? "a record" : "a line",
		   !row->expected		       ? "malformed" :
		   strcmp(row->expected, IGNORED) == 0 ? "ignored" :
							 "an entry",
		   (int)strcspn(row->line, "\r\n#"), row->line);
	}
}

static void
check_stdin(void)
{
	static const struct row plain = ROW(D "  -", MALFORMED);
	static const struct row tagged = ROW("SHA256 (-) = " D "", MALFORMED);
	static const struct row path = ROW(D "  ./-", "./-");
	struct checklist_parser parser = { .list_is_stdin = true };

	ok(parses_as(&parser, &plain) && parses_as(&parser, &tagged) &&
		   parses_as(&parser, &path),
	   "a list on stdin cannot name stdin");
}

int
main(void)
{
	check_rows(rows, sizeof(rows) / sizeof(*rows), false);
	check_rows(raw_rows, sizeof(raw_rows) / sizeof(*raw_rows), true);
	check_stdin();
	return tap_done();
}
