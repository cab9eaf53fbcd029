/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/inputs/checklist.h"
#include "src/inputs/records.h"
#include "src/output/digest_line.h"
#include "src/output/results.h"

/* Lists --------------------------------------------------------------------- */

/* Return what is wrong with the line, or NULL. */
static const char *
add_line(struct list_rows *rows, struct checklist_parser *parser, char *line,
	 size_t len)
{
	struct checklist_entry entry;

	if (!parser->raw && memchr(line, '\0', len))
		return "its lines end with NUL; add --zero";
	switch (checklist_parse(parser, line, len, &entry)) {
	case CHECKLIST_IGNORED: return NULL;
	case CHECKLIST_MALFORMED:
		return "improperly formatted SHA256 checksum line";
	case CHECKLIST_ENTRY: break;
	}
	list_rows_add(rows, entry.name, entry.digest);
	return rows->failed ? "memory exhausted" : NULL;
}

/* Return true if the last byte is not the NUL that ends the last line of a list
 * written with --zero. */
static bool
lacks_zero(int fd)
{
	struct stat st;
	char last = '\0';

	return fstat(fd, &st) == 0 && st.st_size > 0 &&
	       pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\0';
}

bool
list_read(struct list_rows *rows, const char *list, bool zero,
	  struct list_fault *fault)
{
	struct checklist_parser parser = { .raw = zero };
	struct records records = { .fd = -1 };
	enum records_result result = RECORDS_END;
	const char *text = NULL;
	uintmax_t number = 0;
	char *line;
	size_t len;

	if (!records_open(&records, list, zero ? '\0' : '\n'))
		text = results_reason(errno);
	else if (zero && lacks_zero(records.fd))
		text = "its lines do not end with NUL; omit --zero";
	while ((!text || !fault) &&
	       (result = records_next(&records, &line, &len)) == RECORDS_ONE) {
		if (number++ == 0)
			line = checklist_skip_mark(line, &len);
		text = add_line(rows, &parser, line, len);
	}
	if (!text && result == RECORDS_FAILED) {
		text = "read error";
		number = 0;
	}
	records_close(&records);
	list_rows_sort(rows);
	if (fault)
		*fault = (struct list_fault){ text, number };
	return !text;
}

/* Rows ------------------------------------------------------------------------ */

/* Parse a decimal number, which may be negative, and the character behind it. */
static bool
take_number(char **at, uint64_t *number, char end)
{
	const char *const start = *at;

	*number = strtoull(start, at, 10);
	return *at > start && *(*at)++ == end;
}

static bool
take_time(char **at, struct timespec *time)
{
	uint64_t seconds, nanoseconds;

	if (!take_number(at, &seconds, '.') ||
	    !take_number(at, &nanoseconds, ' ') ||
	    nanoseconds >= CLOCK_NS_PER_S)
		return false;
	*time = (struct timespec){ .tv_sec = (time_t)(int64_t)seconds,
				   .tv_nsec = (long)nanoseconds };
	return true;
}

/* Parse a row of LIST.index or, with an identity, of LIST.part. */
static bool
take_row(char *at, const char *end, struct list_identity *identity,
	 struct list_witness *seen, struct checklist_entry *entry)
{
	struct checklist_parser parser = { .separator = CHECKLIST_TWO };
	struct timespec modified;
	uint64_t size, inode;

	if ((identity && (!take_number(&at, &identity->device, ' ') ||
			  !take_time(&at, &identity->changed))) ||
	    !take_number(&at, &size, ' ') || !take_time(&at, &modified) ||
	    !take_number(&at, &inode, ' '))
		return false;
	*seen = (struct list_witness){
		.size = (int64_t)size,
		.seconds = modified.tv_sec,
		.nanoseconds = (uint32_t)modified.tv_nsec,
		.inode = inode,
		.is_there = true,
		.is_young = strncmp(at, "young ", 6) == 0
	};
	if (!seen->is_young && strncmp(at, "- ", 2) != 0)
		return false;
	at += seen->is_young ? 6 : 2;
	return checklist_parse(&parser, at, (size_t)(end - at), entry) ==
	       CHECKLIST_ENTRY;
}

bool
list_index_add_row(struct text *text, const struct list_row *row,
		   const struct list_identity *identity)
{
	const struct digest_line_style style = { .zero = false };
	const struct list_witness *const seen = &row->seen;
	char fields[160];
	int len = 0;

	if (identity)
		len = snprintf(fields, sizeof(fields),
			       "%" PRIu64 " %" PRId64 ".%09ld ",
			       identity->device,
			       (int64_t)identity->changed.tv_sec,
			       identity->changed.tv_nsec);
	len += snprintf(fields + len, sizeof(fields) - (size_t)len,
			"%" PRId64 " %" PRId64 ".%09" PRIu32 " %" PRIu64 " %s ",
			seen->size, seen->seconds, seen->nanoseconds,
			seen->inode, seen->is_young ? "young" : "-");
	return text_add(text, fields, (size_t)len) &&
	       digest_line_add(text, row->digest, row->name, style);
}

/* Files beside a list ------------------------------------------------------- */

/* Add a row of LIST.part. */
static struct list_row *
add_part(struct list_rows *rows, const struct checklist_entry *entry,
	 const struct list_identity *identity)
{
	struct list_row *const row =
		list_rows_add(rows, entry->name, entry->digest);
	struct list_identity *const kept =
		row ? list_rows_allocate(rows, sizeof(*kept)) : NULL;

	if (!kept)
		return NULL;
	*kept = *identity;
	row->identity = kept;
	return row;
}

/* Read what is left of LIST.index or LIST.part. */
static void
read_rows(struct list_rows *rows, struct records *records, bool is_part)
{
	struct checklist_entry entry;
	struct list_identity identity;
	struct list_witness seen;
	struct list_row *row;
	char *line;
	size_t len;

	while (records_next(records, &line, &len) == RECORDS_ONE) {
		if (!take_row(line, line + len, is_part ? &identity : NULL,
			      &seen, &entry))
			continue;
		row = is_part ? add_part(rows, &entry, &identity) :
				list_rows_find(rows, entry.name);
		if (row && list_row_has(row, entry.digest))
			row->seen = seen;
	}
}

bool
list_index_read(struct list_rows *rows, const char *index)
{
	struct records records = { .fd = -1 };
	bool good;
	char *line;
	size_t len;

	if (!records_open(&records, index, '\n'))
		return false;
	good = records_next(&records, &line, &len) == RECORDS_ONE &&
	       strcmp(line, LIST_INDEX_HEAD) == 0;
	rows->last = SIZE_MAX;
	if (good)
		read_rows(rows, &records, false);
	records_close(&records);
	return good;
}

void
list_part_read(struct list_rows *rows, int fd)
{
	struct records records = { .fd = fd, .delimiter = '\n' };

	lseek(fd, 0, SEEK_SET);
	read_rows(rows, &records, true);
	/* The descriptor is the caller's. */
	records.fd = -1;
	records_close(&records);
	list_rows_sort(rows);
	list_rows_unite(rows);
}
