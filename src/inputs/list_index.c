/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/inputs/checklist.h"
#include "src/inputs/records.h"
#include "src/output/digest_line.h"
#include "src/output/results.h"

static const char exhausted[] = "memory exhausted";

/* Lists --------------------------------------------------------------------- */

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
	default:
		return list_rows_add(rows, entry.name, entry.digest) ?
			       NULL :
			       exhausted;
	}
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
	enum records_answer answer = RECORDS_END;
	struct list_fault ignored;
	char *line;
	size_t len;

	fault = fault ? fault : &ignored;
	*fault = (struct list_fault){ .text = NULL };
	if (!records_open(&records, list, zero ? '\0' : '\n'))
		fault->text = results_reason(errno);
	else if (zero && lacks_zero(records.fd))
		fault->text = "its lines do not end with NUL; omit --zero";
	while (!fault->text &&
	       (answer = records_next(&records, &line, &len)) == RECORDS_ONE) {
		if (fault->line++ == 0)
			line = checklist_skip_mark(line, &len);
		fault->text = add_line(rows, &parser, line, len);
		if (fault == &ignored && fault->text != exhausted)
			fault->text = NULL;
	}
	if (!fault->text && answer == RECORDS_FAILED)
		*fault = (struct list_fault){ .text = "read error" };
	records_close(&records);
	return !fault->text;
}

/* Rows ------------------------------------------------------------------------ */

/* Parse a decimal number and the character behind it. */
static bool
take_number(char **at, uint64_t *number, char end)
{
	char *s = *at;

	for (*number = 0; *s >= '0' && *s <= '9' && s - *at < 20; s++)
		*number = *number * 10 + (uint64_t)(*s - '0');
	if (s == *at || *s != end)
		return false;
	*at = s + 1;
	return true;
}

static bool
take_time(char **at, struct timespec *time)
{
	const bool is_negative = **at == '-';
	uint64_t seconds, nanoseconds;

	*at += is_negative;
	if (!take_number(at, &seconds, '.') ||
	    !take_number(at, &nanoseconds, ' ') || (*at)[-11] != '.' ||
	    seconds > INT64_MAX / 2)
		return false;
	time->tv_sec =
		(time_t)(is_negative ? -(int64_t)seconds : (int64_t)seconds);
	time->tv_nsec = (long)nanoseconds;
	return true;
}

static bool
take_word(char **at, const char *word)
{
	const size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

static bool
take_witness(char **at, struct list_witness *seen)
{
	struct timespec time;
	uint64_t size, inode;

	if (!take_number(at, &size, ' ') || !take_time(at, &time) ||
	    !take_number(at, &inode, ' '))
		return false;
	*seen = (struct list_witness){ .size = (int64_t)size,
				       .seconds = time.tv_sec,
				       .nanoseconds = (uint32_t)time.tv_nsec,
				       .inode = inode };
	seen->is_young = take_word(at, "young ");
	seen->is_there = seen->is_young || take_word(at, "- ");
	return seen->is_there;
}

static bool
take_identity(char **at, struct list_identity *identity)
{
	return take_number(at, &identity->device, ' ') &&
	       take_time(at, &identity->changed);
}

static bool
take_line(char *line, const char *end, struct checklist_entry *entry)
{
	struct checklist_parser parser = { .separator = CHECKLIST_TWO };

	return checklist_parse(&parser, line, (size_t)(end - line), entry) ==
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

bool
list_index_read(struct list_rows *rows, const char *index)
{
	struct records records = { .fd = -1 };
	struct checklist_entry entry;
	struct list_witness seen;
	struct list_row *row;
	char *line;
	size_t len;
	bool good, known;

	if (!records_open(&records, index, '\n'))
		return false;
	good = records_next(&records, &line, &len) == RECORDS_ONE &&
	       strcmp(line, LIST_INDEX_HEAD) == 0;
	rows->last = SIZE_MAX;
	while (good && records_next(&records, &line, &len) == RECORDS_ONE) {
		const char *const end = line + len;

		seen = (struct list_witness){ .is_there = false };
		if (!take_witness(&line, &seen) ||
		    !take_line(line, end, &entry))
			continue;
		row = list_rows_find_name(rows, entry.name, &known);
		if (row && list_row_has(row, entry.digest))
			row->seen = seen;
	}
	records_close(&records);
	return good;
}

bool
list_part_read(struct list_rows *rows, int fd)
{
	struct records records = { .fd = fd, .delimiter = '\n' };
	struct list_identity identity, *kept = NULL;
	struct list_row *row = NULL;
	struct checklist_entry entry;
	struct list_witness seen;
	bool good = true;
	char *line;
	size_t len;

	lseek(fd, 0, SEEK_SET);
	while (good && records_next(&records, &line, &len) == RECORDS_ONE) {
		const char *const end = line + len;

		if (!take_identity(&line, &identity) ||
		    !take_witness(&line, &seen) ||
		    !take_line(line, end, &entry))
			continue;
		row = list_rows_add(rows, entry.name, entry.digest);
		kept = row ? list_rows_allocate(rows, sizeof(*kept)) : NULL;
		good = kept;
		if (good) {
			*kept = identity;
			row->seen = seen;
			row->identity = kept;
		}
	}
	/* The descriptor is the caller's. */
	records.fd = -1;
	records_close(&records);
	list_rows_sort(rows);
	return good;
}
