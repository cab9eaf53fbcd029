/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever a check list contains, parsing stays inside the line, and
 * what is parsed can be printed and parsed again.  The same for lists that
 * were written with --zero.
 */
#include "config.h"

#include "src/inputs/checklist.h"

#include "src/output/digest_line.h"
#include "tests/fuzz/fuzz.h"

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	for (unsigned variant = 0; variant < 4; variant++)
		FUZZ_HOLDS(list_is_good(data, len, variant & 1, variant & 2));
	return 0;
}
