/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/update.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "src/base/quote.h"
#include "src/inputs/checklist.h"
#include "src/inputs/list_changes.h"
#include "src/inputs/records.h"
#include "src/output/report.h"

/* What is hashed ----------------------------------------------------------- */

void
update_add(struct update *update, const char *name,
	   const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct text *const line = &update->line;

	text_cut(line, 0);
	if (!list_rows_add(&update->rows, name, ROW_NEW, digest)) {
		report_file_error(name, ENOMEM);
		update->incomplete = true;
	} else if (digest_line_add(line, digest, name,
				   (struct digest_line_style){ false })) {
		list_file_add(&update->file, line);
	}
}

void
update_flush(struct update *update)
{
	if (update->list)
		list_file_flush(&update->file);
}

/* The old list ------------------------------------------------------------- */

/* "PROG: LIST: text", status 1. */
static bool
refuse(const struct update *update, const char *text)
{
	report_file_problem(update->list, "%s", text);
	return false;
}

/* Does the name still stand for a file?  A walk follows no link.  Where that cannot
 * be seen, the name is kept.  *edited: it was modified after LIST was. */
static bool
is_file(const struct update *update, const char *name, bool *edited)
{
	const bool walks = update->options->recursive;
	struct stat st;

	*edited = false;
	if ((walks ? lstat(name, &st) : stat(name, &st)) != 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	*edited = S_ISREG(st.st_mode) &&
		  clock_is_later(st.st_mtim, update->file.before.st_mtim);
	return walks ? S_ISREG(st.st_mode) : !S_ISDIR(st.st_mode);
}

/* False: memory is short. */
static bool
take_entry(struct update *update, const struct checklist_entry *entry)
{
	bool edited;
	const bool kept = is_file(update, entry->name, &edited);
	const bool again = kept && edited && update->options->by_time;

	update->kept += kept;
	if (!kept)
		return list_rows_add(&update->gone, entry->name, ROW_OLD,
				     entry->digest);
	if (edited && update->edited++ == 0)
		update->first_edited = update->rows.n;
	return (again || listed_add(&update->names, entry->name)) &&
	       list_rows_add(&update->rows, entry->name,
			     again ? ROW_AGAIN : ROW_OLD, entry->digest);
}

static bool
read_lines(struct update *update, struct records *records)
{
	struct checklist_parser parser = { .raw = update->options->zero };
	struct checklist_entry entry;
	enum records_answer answer;
	uintmax_t number = 0;
	char *line;
	size_t len;

	while ((answer = records_next(records, &line, &len)) == RECORDS_ONE) {
		number++;
		switch (checklist_parse(&parser, line, len, &entry)) {
		case CHECKLIST_IGNORED: break;
		case CHECKLIST_MALFORMED:
			report_file_problem(update->list,
					    "%ju: improperly formatted SHA256 "
					    "checksum line; the list is not "
					    "updated",
					    number);
			return false;
		case CHECKLIST_ENTRY:
			if (!take_entry(update, &entry)) {
				report_file_error(update->list, ENOMEM);
				return false;
			}
		}
	}
	return answer == RECORDS_END || refuse(update, "read error");
}

/* Was the file not touched since that time? */
static bool
is_older(const char *name, const struct timespec *than)
{
	struct stat st;

	return stat(name, &st) == 0 && clock_is_later(*than, st.st_mtim) &&
	       clock_is_later(*than, st.st_ctim);
}

/* A digest in LIST.part, of an update that was interrupted.  False: memory is
 * short. */
static bool
take_partial(struct update *update, const struct checklist_entry *entry,
	     const struct timespec *began)
{
	bool known, edited;

	if (listed_has(&update->names, entry->name, &known) ||
	    !is_file(update, entry->name, &edited) ||
	    !is_older(entry->name, began))
		return known;
	return listed_add(&update->names, entry->name) &&
	       list_rows_add(&update->rows, entry->name, ROW_NEW,
			     entry->digest);
}

/* Go on with what LIST.part has.  False: a message has the reason. */
static bool
read_partial(struct update *update)
{
	struct checklist_parser parser = { .separator = CHECKLIST_TWO };
	struct records records = { .fd = -1 };
	struct checklist_entry entry;
	struct timespec began = { 0 };
	bool has_began = false, good = true;
	char *line;
	size_t len;

	if (!records_open(&records, update->file.part, '\n')) {
		report_file_error(update->file.part, errno);
		return false;
	}
	while (good && records_next(&records, &line, &len) == RECORDS_ONE) {
		if (list_file_read_began(line, &began))
			has_began = true;
		else if (has_began &&
			 checklist_parse(&parser, line, len, &entry) ==
				 CHECKLIST_ENTRY)
			good = take_partial(update, &entry, &began);
	}
	records_close(&records);
	if (!good)
		report_file_error(update->file.part, ENOMEM);
	return good;
}

/* Has a name two digests? */
static bool
contradicts(struct update *update)
{
	const struct list_row *const rows = update->rows.rows;
	struct text quoted = { 0 };
	size_t i;

	list_rows_sort(&update->rows);
	list_rows_sort(&update->gone);
	for (i = 1; i < update->rows.n; i++)
		if (strcmp(rows[i - 1].path, rows[i].path) == 0 &&
		    memcmp(rows[i - 1].digest, rows[i].digest,
			   SHA256_DIGEST_BYTES) != 0)
			break;
	if (i >= update->rows.n)
		return false;
	report_error("%s has two digests; the list is not updated",
		     quote_name(&quoted, rows[i].name));
	text_free(&quoted);
	return true;
}

/* Any name of the list. */
static const char *
example_of(const struct update *update)
{
	return update->rows.n > 0 ? update->rows.rows[0].name :
				    update->gone.rows[0].name;
}

/* How many of the sorted rows are below the directory?  It comes in its
 * shortest form with a slash; nothing stands for the working directory. */
static size_t
count_below(const struct list_rows *rows, const struct text *directory)
{
	const struct list_row *const end = rows->rows + rows->n;
	const struct list_row *row =
		list_rows_find(rows, directory->bytes, directory->len);
	size_t n = 0;

	for (; row && row < end &&
	       strncmp(row->path, directory->bytes, directory->len) == 0;
	     row++)
		n += directory->len > 0 || *row->path != '/';
	return n;
}

/*
 * Of the first n operands, which are walked: the first one of whose names none
 * is a file any more, or NULL; *gone is their number.  *known: some names are
 * below an operand.  False: memory is short.
 */
static bool
find_empty(const struct update *update, size_t n, const char **empty,
	   size_t *gone, bool *known)
{
	char **const operands = update->options->operands;
	struct text top = { 0 };
	bool good = true;

	*empty = NULL;
	*known = false;
	for (size_t i = 0; i < n && good && !*empty; i++) {
		good = listed_shorten(&top, operands[i]) &&
		       text_add(&top, "/",
				top.len > 0 && top.bytes[top.len - 1] != '/');
		if (good && count_below(&update->rows, &top) > 0)
			*known = true;
		else if (good && (*gone = count_below(&update->gone, &top)) > 0)
			*empty = operands[i];
	}
	text_free(&top);
	return good;
}

/*
 * Would a list be lost, because a disk is not mounted, or since this is not the
 * directory that its names start from?  Or would it get a second name for each
 * of its files, since none of those that it has is below anything that is
 * walked?
 */
static bool
would_be_lost(const struct update *update)
{
	const struct input_options *const options = update->options;
	const size_t n = options->recursive && !options->files0_from ?
				 options->noperands :
				 0;
	struct text other = { 0 };
	const char *empty;
	size_t gone = 0;
	bool lost = true, known;

	if (!find_empty(update, n, &empty, &gone, &known))
		report_file_error(update->list, ENOMEM);
	else if (update->kept + update->gone.n == 0)
		lost = false;
	else if (update->kept == 0)
		report_file_problem(
			update->list,
			"none of its %zu names, such as %s, is a file here; "
			"the list is not updated",
			update->gone.n,
			quote_name_always(&other, example_of(update)));
	else if (empty)
		report_file_problem(
			update->list,
			"none of its %zu names below %s is a file; the list is "
			"not updated",
			gone, quote_name(&other, empty));
	else if (n > 0 && !known)
		report_file_problem(
			update->list,
			"none of its names, such as %s, is below what is to be "
			"walked; the list is not updated",
			quote_name_always(&other, example_of(update)));
	else
		lost = false;
	text_free(&other);
	return lost;
}

/* The new list is newer than all files, and would make each of these look damaged
 * from then on. */
static bool
has_unknown_edits(const struct update *update)
{
	struct text other = { 0 };

	if (update->options->by_time || update->edited == 0)
		return false;
	report_file_problem(
		update->list,
		"%ju of its files, such as %s, %s modified after it; to take "
		"their new digests add --by-time",
		update->edited,
		quote_name_always(&other,
				  update->rows.rows[update->first_edited].name),
		update->edited == 1 ? "was" : "were");
	text_free(&other);
	return true;
}

static bool
is_output(const struct stat *list)
{
	struct stat st;

	return S_ISREG(list->st_mode) &&
	       fstat(descriptor_standard(STDOUT_FILENO), &st) == 0 &&
	       st.st_dev == list->st_dev && st.st_ino == list->st_ino;
}

/* False: a message has the reason. */
static bool
read_list(struct update *update)
{
	struct records records = { .fd = -1 };
	bool good;

	if (is_output(&update->file.before))
		return refuse(update, "the list is standard output");
	if (!records_open(&records, update->list,
			  update->options->zero ? '\0' : '\n')) {
		report_file_error(update->list, errno);
		return false;
	}
	good = read_lines(update, &records) && !has_unknown_edits(update) &&
	       !contradicts(update) && !would_be_lost(update);
	records_close(&records);
	return good;
}

bool
update_begin(struct update *update, const struct input_options *options)
{
	*update = (struct update){ .list = options->update,
				   .options = options,
				   .file = { .fd = -1 } };
	if (!update->list)
		return true;
	if (strcmp(update->list, "-") == 0) {
		report_error("--update: standard input cannot be updated");
		return false;
	}
	return list_file_open(&update->file, update->list) &&
	       (!update->file.exists || read_list(update)) &&
	       read_partial(update);
}

bool
update_has(struct update *update, const struct job *job)
{
	struct stat st;
	bool known;

	if (listed_has(&update->names, job->name, &known))
		return true;
	if (!job->root ||
	    fstatat(job->root->fd, job->name + job->root->prefix_bytes, &st,
		    AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	return list_file_is_own(&update->file, job->name, &st);
}

/* The new list ------------------------------------------------------------- */

static void
replace(struct update *update, struct digest_line_style style)
{
	const struct list_row *const rows = update->rows.rows;
	struct text lines = { 0 };
	bool good = !update->incomplete;

	for (size_t i = 0; i < update->rows.n && good; i++)
		good = digest_line_add(&lines, rows[i].digest, rows[i].name,
				       style);
	if (!good)
		refuse(update, "memory exhausted; the list is not updated");
	else if (update->rows.n == 0)
		refuse(update,
		       "there is no file to list; the list is not updated");
	else
		list_file_replace(&update->file, &lines);
	text_free(&lines);
}

void
update_end(struct update *update, struct results *results)
{
	list_rows_sort(&update->rows);
	list_rows_unite(&update->rows);
	if (!update->incomplete)
		update->incomplete = !list_changes_print(
			&update->rows, &update->gone, results,
			update->options->verbosity == INPUT_QUIET);
	list_rows_sort_names(&update->rows);
	replace(update, results->style);
}

void
update_close(struct update *update)
{
	list_rows_free(&update->rows);
	list_rows_free(&update->gone);
	listed_free(&update->names);
	text_free(&update->line);
	list_file_close(&update->file);
}
