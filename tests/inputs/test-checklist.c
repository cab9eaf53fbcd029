/* SPDX-License-Identifier: MIT */
/*
 * Promise: a line of a check list is an entry, malformed or ignored exactly
 * as GNU's --check has it, and says the same name.
 */
#include "config.h"

#include "src/inputs/checklist.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/output/digest_line.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

#define D "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef"
#define UP "00112233445566778899AABBCCDDEEFF0123456789ABCDEF0123456789ABCDEF"

static const uint8_t digest[SHA256_DIGEST_BYTES] = {
	0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa,
	0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
	0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
};

/* ---- rows ---- */

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

/* ---- the oracle ---- */

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* A line that is nearly right, its newline included. */
static size_t
random_line(uint32_t *seed, unsigned release, char line[512])
{
	static const struct row seeds[] = {
		ROW(D "  n0\n", NULL),
		ROW(D " *n1\n", NULL),
		ROW(D " n2\n", NULL),
		ROW(UP "  n3\r\n", NULL),
		ROW("SHA256 (n4) = " D "\n", NULL),
		ROW("SHA256(n5)= " D "\n", NULL),
		ROW("\\" D "  n\\\\6\\n\n", NULL),
		ROW("\\SHA256 (n\\n7) = " D "\n", NULL),
		ROW("# comment\n", NULL),
		ROW("\n", NULL),
		ROW(" \n", NULL),
	};
	static const char bytes[] = " \t*\\\\()=#nr\r0aAgS-x\0\303";
	const struct row *row =
		&seeds[next_random(seed) % (sizeof(seeds) / sizeof(*seeds))];
	size_t len = row->len;

	memcpy(line, row->line, len);
	for (unsigned n = next_random(seed) % 4; n > 0 && len > 1; n--) {
		/* Rarely in the middle of the digits, where it is boring. */
		size_t at = next_random(seed) % len;
		if (next_random(seed) % 4)
			at = at % 12 < len ? at % 2 ? at % 12 :
						      len - 1 - at % 12 % len :
					     at;
		char byte = bytes[next_random(seed) % (sizeof(bytes) - 1)];

		switch (next_random(seed) % 3) {
		case 0: line[at] = byte; break;
		case 1:
			memmove(line + at + 1, line + at, len - at);
			line[at] = byte;
			len++;
			break;
		default: memmove(line + at, line + at + 1, len - at - 1); len--;
		}
	}
	/* Releases before 9.7 differ in a NUL behind a digest. */
	for (size_t i = 0; release < 7 && i < len; i++)
		if (line[i] == '\0')
			line[i] = 'z';
	if (line[len - 1] != '\n')
		line[len++] = '\n';
	return len;
}

/* "NAME: FAILED...", as releases before 9.11 escape the name. */
static void
add_old_result(struct text *out, const char *name, const char *result,
	       unsigned release)
{
	const char *special = release < 7 ? "\n" : "\\\n\r";
	const bool escape = name[strcspn(name, special)];

	text_add(out, "\\", escape);
	for (; *name; name++)
		if (escape && *name == '\n')
			text_add_string(out, "\\n");
		else if (escape && *name == '\r')
			text_add_string(out, "\\r");
		else if (escape && *name == '\\')
			text_add_string(out, "\\\\");
		else
			text_add(out, name, 1);
	text_add_string(out, result);
}

static void
add_result(struct text *out, const char *name, unsigned release)
{
	const bool is_read = strcmp(name, "-") == 0;

	if (release < 11)
		add_old_result(out, name,
			       is_read ? ": FAILED\n" :
					 ": FAILED open or read\n",
			       release);
	else
		digest_line_add_result(
			out, name, is_read ? DIGEST_FAILED : DIGEST_UNREADABLE);
}

/*
 * What GNU says of a list, in two texts: the results on stdout and the
 * warnings of malformed lines on stderr.  No file of the list exists; "-" is
 * empty, and directories cannot be read.
 */
static void
expect_list(const char *list, size_t len, unsigned release, struct text *out,
	    struct text *err)
{
	struct checklist_parser parser = { 0 };
	unsigned number = 0;

	while (len > 0) {
		char line[512], warning[64];
		struct checklist_entry entry;
		const char *newline = memchr(list, '\n', len);
		const size_t line_len = (size_t)(newline + 1 - list);

		memcpy(line, list, line_len);
		list += line_len;
		len -= line_len;
		number++;
		switch (checklist_parse(&parser, line, line_len, &entry)) {
		case CHECKLIST_ENTRY:
			add_result(out, entry.name, release);
			break;
		case CHECKLIST_MALFORMED:
			snprintf(warning, sizeof(warning),
				 "sha256sum: list: %u: improperly formatted "
				 "SHA256 checksum line\n",
				 number);
			text_add_string(err, warning);
			break;
		case CHECKLIST_IGNORED: break;
		}
	}
}

/* Only the warnings, of all that stands on stderr. */
static void
filter_warnings(char *err, struct text *warnings)
{
	while (err && *err) {
		char *line = strsep(&err, "\n");

		if (strstr(line, ": improperly formatted SHA256")) {
			text_add_string(warnings, line);
			text_add(warnings, "\n", 1);
		}
	}
}

/* Write the list, let the oracle check it, compare. */
static bool
compare(const char *directory, unsigned release, const char *list, size_t len)
{
	char path[80];
	char *argv[] = { "sha256sum", "-c", "--warn", "list", NULL };
	struct oracle_call call = { .argv = argv,
				    .locale = "C",
				    .directory = directory };
	struct capture capture;
	struct text out = { 0 }, err = { 0 }, warnings = { 0 };

	snprintf(path, sizeof(path), "%s/list", directory);
	FILE *file = fopen(path, "w");
	if (!file || fwrite(list, 1, len, file) != len || fclose(file) != 0)
		return false;
	capture_run(&capture, oracle_exec, &call, false);

	text_add(&out, "", 0);
	text_add(&err, "", 0);
	text_add(&warnings, "", 0);
	expect_list(list, len, release, &out, &err);
	filter_warnings(capture.err.bytes, &warnings);
	const bool same = out.len == capture.out.len &&
			  memcmp(out.bytes, capture.out.bytes, out.len) == 0 &&
			  strcmp(err.bytes, warnings.bytes) == 0;
	if (!same)
		tap_note("got '%s' '%s', expected '%s' '%s'", out.bytes,
			 err.bytes, capture.out.bytes, warnings.bytes);
	text_free(&out);
	text_free(&err);
	text_free(&warnings);
	capture_free(&capture);
	unlink(path);
	return same;
}

static void
check_oracle(unsigned release)
{
	enum { SINGLE = 500, LISTS = 60, LINES = 40 };
	static char list[LINES * 512];
	char directory[64];
	uint32_t seed = 5;
	unsigned good = 0;

	capture_mkdir(directory);
	for (int i = 0; i < SINGLE; i++)
		good += compare(directory, release, list,
				random_line(&seed, release, list));
	ok(good == SINGLE, "%u of %d lists of one line as GNU", good, SINGLE);

	good = 0;
	for (int i = 0; i < LISTS; i++) {
		size_t len = 0;

		for (int j = 0; j < LINES; j++)
			len += random_line(&seed, release, list + len);
		good += compare(directory, release, list, len);
	}
	ok(good == LISTS, "%u of %d lists of %d lines as GNU", good, LISTS,
	   LINES);
	rmdir(directory);
}

int
main(void)
{
	check_rows();
	check_raw_rows();
	check_sticky();
	check_stdin();

	const unsigned release = oracle_release();
	if (!release)
		tap_skip("no GNU sha256sum 9 to compare with");
	else
		check_oracle(release);
	return tap_done();
}
