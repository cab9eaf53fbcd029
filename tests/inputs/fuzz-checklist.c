/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a check list contains, parsing stays inside the line, and
 * what is parsed can be printed and parsed again.  The same for lists that
 * were written with --zero.
 *
 * Alone it is a test with a fixed seed and a fixed number of runs over mutated
 * files of tests/inputs/corpus/checklist.  Compiled with -DLIBFUZZER and
 * -fsanitize=fuzzer,address it is a target of libFuzzer.
 */
#include "config.h"

#include "src/inputs/checklist.h"

#include <stdlib.h>
#include <string.h>

#include "src/output/digest_line.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The entry, printed in a style, is parsed as the same entry. */
static bool
survives_printing(const struct checklist_entry *entry, bool tag, bool raw)
{
	const struct digest_line_style style = { .tag = tag, .zero = raw };
	struct text text = { 0 };
	struct checklist_parser parser = { .raw = raw };
	struct checklist_entry again;

	if (!digest_line_add(&text, entry->digest, entry->name, style))
		return false;
	/* The byte at the end belongs to no record. */
	bool same =
		checklist_parse(&parser, text.bytes, text.len - 1, &again) ==
			CHECKLIST_ENTRY &&
		strcmp(again.name, entry->name) == 0 &&
		memcmp(again.digest, entry->digest, sizeof(entry->digest)) == 0;
	text_free(&text);
	return same;
}

/* One line, in memory of exactly its size and the byte after it. */
static bool
line_is_good(struct checklist_parser *parser, const uint8_t *data, size_t len)
{
	const enum checklist_separator before = parser->separator;
	struct checklist_entry entry = { .name = NULL };
	char *line = malloc(len + 1);
	bool good = true;

	if (!line)
		return true;
	memcpy(line, data, len);
	line[len] = '\0';
	switch (checklist_parse(parser, line, len, &entry)) {
	case CHECKLIST_ENTRY:
		good = entry.name >= line && entry.name <= line + len &&
		       memchr(entry.name, '\0',
			      (size_t)(line + len + 1 - entry.name)) &&
		       !(parser->list_is_stdin && !strcmp(entry.name, "-")) &&
		       survives_printing(&entry, true, parser->raw) &&
		       /* An empty name can only stand in a tag. */
		       (!*entry.name ||
			survives_printing(&entry, false, parser->raw));
		break;
	case CHECKLIST_IGNORED:
		good = len == 0 || data[0] == '#' ||
		       (!parser->raw && data[0] == '\r');
		break;
	case CHECKLIST_MALFORMED: break;
	}
	if (before != CHECKLIST_UNDECIDED)
		good = good && parser->separator == before;
	free(line);
	return good;
}

static bool
list_is_good(const uint8_t *data, size_t len, bool list_is_stdin, bool raw)
{
	struct checklist_parser parser = { .list_is_stdin = list_is_stdin,
					   .raw = raw };

	while (len > 0) {
		const uint8_t *end = memchr(data, raw ? '\0' : '\n', len);
		size_t line_len = end ? (size_t)(end - data) : len;

		if (!line_is_good(&parser, data, line_len))
			return false;
		line_len += end != NULL;
		data += line_len;
		len -= line_len;
	}
	return true;
}

#ifdef LIBFUZZER

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	for (unsigned variant = 0; variant < 4; variant++)
		if (!list_is_good(data, len, variant & 1, variant & 2))
			abort();
	return 0;
}

#else

#include "tests/support/tap.h"

enum { MAX_BYTES = 4096, RUNS_PER_SEED = 10000 };

static size_t
load(const char *name, uint8_t bytes[MAX_BYTES])
{
	const char *srcdir = getenv("srcdir");
	size_t len = 0;
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/inputs/corpus/checklist/%s",
		 srcdir ? srcdir : ".", name);
	file = fopen(path, "rb");
	if (file) {
		len = fread(bytes, 1, MAX_BYTES, file);
		fclose(file);
	}
	return len;
}

static uint32_t
next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Change, insert, delete or repeat a few bytes. */
static size_t
mutate(uint32_t *state, uint8_t bytes[2 * MAX_BYTES], size_t len)
{
	static const char likely[] = "\n\n\r\t  \\\\()=#*-\0nrSf0";

	for (unsigned n = 1 + next_random(state) % 6; n > 0; n--) {
		size_t at = len ? next_random(state) % len : 0;
		size_t span = 1 + next_random(state) % 70;
		uint8_t byte = next_random(state) % 4 ?
				       (uint8_t)likely[next_random(state) %
						       (sizeof(likely) - 1)] :
				       (uint8_t)next_random(state);

		switch (next_random(state) % 4) {
		case 0:
			bytes[at] = byte;
			len += len == 0;
			break;
		case 1:
			if (len == 2 * MAX_BYTES)
				break;
			memmove(bytes + at + 1, bytes + at, len - at);
			bytes[at] = byte;
			len++;
			break;
		case 2:
			span = span > len - at ? len - at : span;
			memmove(bytes + at, bytes + at + span, len - at - span);
			len -= span;
			break;
		default:
			span = span > len - at ? len - at : span;
			if (len + span > 2 * MAX_BYTES)
				break;
			memmove(bytes + at + span, bytes + at, len - at);
			len += span;
		}
	}
	return len;
}

static bool
seed_is_good(const char *name, uint32_t state)
{
	static uint8_t seed[MAX_BYTES], bytes[2 * MAX_BYTES];
	const size_t seed_len = load(name, seed);

	for (unsigned run = 0; run < RUNS_PER_SEED; run++) {
		memcpy(bytes, seed, seed_len);
		size_t len = run ? mutate(&state, bytes, seed_len) : seed_len;

		if (!list_is_good(bytes, len, run & 1, run & 2)) {
			tap_note("run %u", run);
			return false;
		}
	}
	return seed_len > 0;
}

int
main(void)
{
	static const char *const seeds[] = { "lines", "reversed", "zero" };

	for (uint32_t i = 0; i < 3; i++)
		ok(seed_is_good(seeds[i], i),
		   "%d mutations of %s are parsed as they are printed",
		   RUNS_PER_SEED, seeds[i]);
	return tap_done();
}

#endif
