/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line of a check list is an entry, malformed or ignored exactly
 * as GNU's --check has it, and says the same name.  (Whole lists that GNU
 * checked are in tests/cli/differential/lists.rows.)
 */
#include "config.h"

#include "src/inputs/checklist.h"

#include "tests/support/tap.h"

#define D "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef"
#define UP "00112233445566778899AABBCCDDEEFF0123456789ABCDEF0123456789ABCDEF"

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

/* Each alone, with a new parser. */
static const struct row rows[] = {
	ROW("", IGNORED),
	ROW("\n", IGNORED),
	ROW("\r\n", IGNORED),
	ROW("\r", IGNORED),
	ROW("#\n", IGNORED),
	ROW("# " D "  f\n", IGNORED),
	ROW(" # comment\n", MALFORMED),
	ROW(" \n", MALFORMED),
	ROW("\t\n", MALFORMED),
	ROW("\0\n", MALFORMED),
	ROW("-----BEGIN PGP SIGNED MESSAGE-----\n", MALFORMED),

	ROW(D "  f\n", "f"),
	ROW(D "  f", "f"),
	ROW(D " *f\n", "f"),
	ROW(UP "  f\n", "f"),
	ROW(D "  f\r\n", "f"),
	ROW(D "  f\r\r\n", "f\r"),
	ROW(" \t" D "  f\n", "f"),
	ROW(D "  a b \n", "a b "),
	ROW(D "  *f\n", "*f"),
	ROW(D " **\n", "*"),
	ROW(D "\t f\n", "f"),
	ROW(D "\t*f\n", "f"),
	ROW(D "  f\0x\n", "f"),
	ROW(D "  f\\n\n", "f\\n"),
	ROW(D "  -\n", "-"),
	ROW(D "\n", MALFORMED),
	ROW(D " \n", MALFORMED),
	ROW(D "0  f\n", MALFORMED),
	ROW("0" D "  f\n", MALFORMED),
	ROW("g" D "  f\n", MALFORMED),
	ROW(D "-f\n", MALFORMED),
	ROW("0  f\n", MALFORMED),

	/* reversed; a name of one character needs no more */
	ROW(D " f\n", "f"),
	ROW(D " foo\n", "foo"),
	ROW(D "\tfoo\n", "foo"),
	ROW(D "\t\tf\n", "\tf"),
	ROW(D "  \n", " "),
	ROW(D " *\n", "*"),
	ROW(" \\" D " a\\\\b\n", "a\\b"),

	/* escapes */
	ROW("\\" D "  a\\nb\\\\c\\rd\n", "a\nb\\c\rd"),
	ROW("\\" D "  plain\n", "plain"),
	ROW(" \\" D "  f\n", "f"),
	ROW("\\ " D "  f\n", MALFORMED),
	ROW("\\\\" D "  f\n", MALFORMED),
	ROW("\\" D "  a\\tb\n", MALFORMED),
	ROW("\\" D "  a\\\n", MALFORMED),
	ROW("\\" D "  a\\\\\\\n", MALFORMED),
	ROW("\\" D "  f\0x\n", MALFORMED),

	/* tagged */
	ROW("SHA256 (f) = " D "\n", "f"),
	ROW("SHA256(f)= " D "\n", "f"),
	ROW("SHA256 (f)=" D "\n", "f"),
	ROW("SHA256 (f)\t=\t" D "\r\n", "f"),
	ROW(" SHA256 (f) = " UP "\n", "f"),
	ROW("SHA256 () = " D "\n", ""),
	ROW("SHA256 (a) = b) = " D "\n", "a) = b"),
	ROW("SHA256 (a(b)) = " D "\n", "a(b)"),
	ROW("\\SHA256 (a\\nb) = " D "\n", "a\nb"),
	ROW("\\SHA256 (a\\q) = " D "\n", MALFORMED),
	ROW("\\SHA256 (a\\) = " D "\n", MALFORMED),
	ROW("\\SHA256 (a\0) = " D "\n", MALFORMED),
	ROW("SHA256 (a\0b) = " D "\n", "a"),
	ROW("SHA2-256(f)= " D "\n", "f"),
	ROW("SHA2-256(a (b)= c)= " D "\r\n", "a (b)= c"),
	ROW("SHA2-256 (f)= " D "\n", MALFORMED),
	ROW("SHA2-512(f)= " D "\n", MALFORMED),
	ROW("SHA2-256(f)= " D D "\n", MALFORMED),
	ROW("SHA256  (f) = " D "\n", MALFORMED),
	ROW("SHA256\t(f) = " D "\n", MALFORMED),
	ROW("SHA256 (f) = " D " \n", MALFORMED),
	ROW("SHA256 (f) = " D "0\n", MALFORMED),
	ROW("SHA256 (f) = 00\n", MALFORMED),
	ROW("SHA256 (f) " D "\n", MALFORMED),
	ROW("SHA256 (f = " D "\n", MALFORMED),
	ROW("SHA256 (\n", MALFORMED),
	ROW("SHA256\n", MALFORMED),
	ROW("sha256 (f) = " D "\n", MALFORMED),
	ROW("SHA1 (f) = " D "\n", MALFORMED),
	ROW("SHA512/256 (f) = " D "\n", MALFORMED),
};

/* As in a list written with --zero. */
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
check_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct checklist_parser parser = { 0 };

		ok(parses_as(&parser, &rows[i]), "line %zu: %.*s", i + 1,
		   (int)strcspn(rows[i].line, "\r\n#"), rows[i].line);
	}
}

static void
check_raw_rows(void)
{
	for (size_t i = 0; i < sizeof(raw_rows) / sizeof(*raw_rows); i++) {
		struct checklist_parser parser = { .raw = true };

		ok(parses_as(&parser, &raw_rows[i]), "raw record %zu", i + 1);
	}
}

static void
check_sticky(void)
{
	static const struct row normal = ROW(D "  foo\n", "foo");
	static const struct row reversed = ROW(D " foo\n", "foo");
	static const struct row blank = ROW(D "  foo\n", " foo");
	static const struct row mark = ROW(D " *foo\n", "*foo");
	static const struct row refused = ROW(D " foo\n", MALFORMED);
	static const struct row tagged = ROW("SHA256 (f) = " D "\n", "f");
	static const struct row broken = ROW("\\" D " a\\q\n", MALFORMED);
	struct checklist_parser parser = { 0 };

	ok(parses_as(&parser, &tagged) && parses_as(&parser, &reversed) &&
		   parses_as(&parser, &blank) && parses_as(&parser, &mark) &&
		   parses_as(&parser, &tagged) && parses_as(&parser, &reversed),
	   "after a reversed line all names begin at the first blank");
	parser = (struct checklist_parser){ 0 };
	ok(parses_as(&parser, &tagged) && parses_as(&parser, &normal) &&
		   parses_as(&parser, &refused) && parses_as(&parser, &normal),
	   "after a normal line a reversed one is malformed");
	parser = (struct checklist_parser){ 0 };
	ok(parses_as(&parser, &broken) && parses_as(&parser, &blank),
	   "a malformed line can decide, too");
}

static void
check_stdin(void)
{
	static const struct row plain = ROW(D "  -\n", MALFORMED);
	static const struct row tagged = ROW("SHA256 (-) = " D "\n", MALFORMED);
	static const struct row path = ROW(D "  ./-\n", "./-");
	struct checklist_parser parser = { .list_is_stdin = true };

	ok(parses_as(&parser, &plain) && parses_as(&parser, &tagged) &&
		   parses_as(&parser, &path),
	   "a list on stdin cannot name stdin");
}

int
main(void)
{
	check_rows();
	check_raw_rows();
	check_sticky();
	check_stdin();
	return tap_done();
}
