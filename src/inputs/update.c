/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/update.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/base/quote.h"
#include "src/base/rows.h"
#include "src/inputs/checklist.h"
#include "src/inputs/records.h"
#include "src/output/output.h"
#include "src/output/report.h"

struct update_row {
	char *path; /* the name in its shortest form */
	char *name; /* stands after it, in the same allocation */
	uint8_t digest[SHA256_DIGEST_BYTES];
};

/* The rows ----------------------------------------------------------------- */

/* False: memory is short. */
static bool
add_row(struct update *update, const char *name,
	const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct text *const path = &update->path;
	const size_t name_bytes = strlen(name) + 1;
	struct update_row row;

	if (!rows_grow(&update->rows, &update->capacity, update->n,
		       sizeof(row)) ||
	    !listed_shorten(path, name) ||
	    !(row.path = malloc(path->len + 1 + name_bytes)))
		return false;
	row.name = row.path + path->len + 1;
	memcpy(row.path, path->bytes, path->len + 1);
	memcpy(row.name, name, name_bytes);
	memcpy(row.digest, digest, sizeof(row.digest));
	update->rows[update->n++] = row;
	return true;
}

void
update_add(struct update *update, const char *name,
	   const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct text *const line = &update->line;

	text_cut(line, 0);
	if (!add_row(update, name, digest)) {
		report_file_error(name, ENOMEM);
		update->incomplete = true;
	} else if (update->in_place &&
		   digest_line_add(line, digest, name,
				   (struct digest_line_style){ false })) {
		list_file_add(&update->file, line);
	}
}

void
update_flush(struct update *update)
{
	if (update->in_place)
		list_file_flush(&update->file);
}

/* Rows of the same name, however it is written, are neighbours; the shortest
 * spelling is the first. */
static int
compare(const void *left, const void *right)
{
	const struct update_row *const a = left, *const b = right;
	const int order = strcmp(a->path, b->path);
	const size_t m = strlen(a->name), n = strlen(b->name);

	if (order)
		return order;
	return m == n ? strcmp(a->name, b->name) : m < n ? -1 : 1;
}

static int
compare_bytes(const void *left, const void *right)
{
	const struct update_row *const a = left, *const b = right;

	return strcmp(a->name, b->name);
}

static void
sort(struct update *update, int (*order)(const void *, const void *))
{
	if (update->n > 0)
		qsort(update->rows, update->n, sizeof(*update->rows), order);
}

/* Keep the first row of each name; the rows are sorted by `compare`. */
static void
drop_repeated(struct update *update)
{
	size_t n = 0;

	for (size_t i = 0; i < update->n; i++)
		if (n > 0 &&
		    strcmp(update->rows[n - 1].path, update->rows[i].path) == 0)
			free(update->rows[i].path);
		else
			update->rows[n++] = update->rows[i];
	update->n = n;
}

/* The old list ------------------------------------------------------------- */

/* "PROG: LIST: text", status 1. */
static bool
refuse(const struct update *update, const char *text)
{
	struct text quoted = { 0 };

	report_error("%s: %s", quote_name(&quoted, update->list), text);
	text_free(&quoted);
	return false;
}

/* Is a directory on the way to the name a link, below the one that the name was
 * found to be below? */
static bool
passes_link(struct listed *names)
{
	char *at = names->path.bytes + names->directory.len + 1, *slash;
	bool is_link = false;
	struct stat st;

	for (; !is_link && (slash = strchr(at, '/')) != NULL; at = slash + 1) {
		*slash = '\0';
		is_link = lstat(names->path.bytes, &st) == 0 &&
			  S_ISLNK(st.st_mode);
		*slash = '/';
	}
	return is_link;
}

/* Does a walk come to the name?  It follows a link only if that is an operand.
 * A name that is not below an operand is none of its business. */
static bool
is_reached(struct update *update, const char *name)
{
	const char *slash = strrchr(name, '/');
	const size_t len = slash ? (size_t)(slash - name) : 0;
	bool is_below = false, known;

	/* Most names are in the directory of the one before. */
	if (update->folder.len == len + 1 &&
	    memcmp(update->folder.bytes, name, len) == 0)
		return true;
	for (size_t i = 0; i < update->noperands; i++) {
		if (!listed_is_below(&update->names, name, update->operands[i],
				     &known))
			continue;
		if (!passes_link(&update->names)) {
			is_below = false;
			break;
		}
		is_below = true;
	}
	if (is_below)
		return false;
	text_cut(&update->folder, 0);
	if (len > 0 && !text_add(&update->folder, name, len + 1))
		text_cut(&update->folder, 0);
	return true;
}

/* Does the name still stand for a file?  Where that cannot be seen, the name is
 * kept. */
static bool
is_file(struct update *update, const struct input_options *options,
	const char *name)
{
	struct stat st;

	if ((options->recursive ? lstat(name, &st) : stat(name, &st)) != 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	return options->recursive ?
		       S_ISREG(st.st_mode) && is_reached(update, name) :
		       !S_ISDIR(st.st_mode);
}

/* Count the name for the operand that it is below. */
static void
count_below(struct update *update, const char *name, bool kept)
{
	const char *slash = strrchr(name, '/');
	const size_t len = slash ? (size_t)(slash + 1 - name) : 0;
	struct text *const folder = &update->root_folder;
	bool known;

	/* Most names are in the directory of the one before. */
	if (len == 0 || folder->len != len ||
	    memcmp(folder->bytes, name, len) != 0) {
		update->root = 0;
		while (update->root < update->noperands &&
		       !listed_is_below(&update->names, name,
					update->operands[update->root], &known))
			update->root++;
		text_cut(folder, 0);
		if (len > 0 && !text_add(folder, name, len))
			text_cut(folder, 0);
	}
	if (update->root == update->noperands)
		return;
	update->roots[update->root].kept += kept;
	update->roots[update->root].dropped += !kept;
}

/* False: memory is short. */
static bool
take_entry(struct update *update, const struct checklist_entry *entry,
	   const struct input_options *options)
{
	const bool kept = is_file(update, options, entry->name);

	count_below(update, entry->name, kept);
	update->kept += kept;
	update->dropped += !kept;
	update->absolute += entry->name[0] == '/';
	return !kept || (listed_add(&update->names, entry->name) &&
			 add_row(update, entry->name, entry->digest));
}

/* The next line, waiting for it. */
static enum records_answer
next_line(struct records *records, char **line, size_t *len)
{
	struct pollfd input = { .fd = records->fd, .events = POLLIN };
	enum records_answer answer;

	while ((answer = records_next(records, line, len)) == RECORDS_LATER)
		poll(&input, 1, -1);
	return answer;
}

static bool
read_lines(struct update *update, struct records *records,
	   const struct input_options *options)
{
	struct checklist_parser parser = { .raw = options->zero };
	struct checklist_entry entry;
	enum records_answer answer;
	struct text quoted = { 0 };
	uintmax_t number = 0;
	char *line;
	size_t len;

	while ((answer = next_line(records, &line, &len)) == RECORDS_ONE) {
		number++;
		switch (checklist_parse(&parser, line, len, &entry)) {
		case CHECKLIST_IGNORED: break;
		case CHECKLIST_MALFORMED:
			report_error("%s: %ju: improperly formatted SHA256 "
				     "checksum line; the list is not updated",
				     quote_name(&quoted, update->list), number);
			text_free(&quoted);
			return false;
		case CHECKLIST_ENTRY:
			if (!take_entry(update, &entry, options)) {
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
	const struct timespec *times[2];
	struct stat st;

	if (stat(name, &st) != 0)
		return false;
	times[0] = &st.st_mtim;
	times[1] = &st.st_ctim;
	for (int i = 0; i < 2; i++)
		if (times[i]->tv_sec > than->tv_sec ||
		    (times[i]->tv_sec == than->tv_sec &&
		     times[i]->tv_nsec >= than->tv_nsec))
			return false;
	return true;
}

/* A digest in LIST.part, of an update that was interrupted.  False: memory is
 * short. */
static bool
take_partial(struct update *update, const struct checklist_entry *entry,
	     const struct input_options *options, const struct timespec *began)
{
	bool known;

	if (listed_has(&update->names, entry->name, &known) ||
	    !is_file(update, options, entry->name) ||
	    !is_older(entry->name, began))
		return known;
	return listed_add(&update->names, entry->name) &&
	       add_row(update, entry->name, entry->digest);
}

/* Go on with what LIST.part has.  False: a message has the reason. */
static bool
read_partial(struct update *update, const struct input_options *options)
{
	struct checklist_parser parser = { .separator = CHECKLIST_TWO };
	struct records records = { .fd = -1 };
	struct checklist_entry entry;
	struct timespec began;
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
			good = take_partial(update, &entry, options, &began);
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
	struct text quoted = { 0 };
	size_t i;

	sort(update, compare);
	for (i = 1; i < update->n; i++)
		if (strcmp(update->rows[i - 1].path, update->rows[i].path) ==
			    0 &&
		    memcmp(update->rows[i - 1].digest, update->rows[i].digest,
			   SHA256_DIGEST_BYTES) != 0)
			break;
	if (i >= update->n)
		return false;
	report_error("%s has two digests; the list is not updated",
		     quote_name(&quoted, update->rows[i].name));
	text_free(&quoted);
	return true;
}

/* Do all operands begin at the root directory and no name of the list, or all
 * names and no operand?  Then each file would be listed twice. */
static bool
begin_elsewhere(const struct update *update)
{
	const uintmax_t names = update->kept + update->dropped;
	size_t absolute = 0;

	for (size_t i = 0; i < update->noperands; i++)
		absolute += update->operands[i][0] == '/';
	return update->noperands > 0 &&
	       ((absolute == update->noperands && update->absolute == 0) ||
		(absolute == 0 && update->absolute == names));
}

/* Would a list be lost, because a disk is not mounted, or since this is not the
 * directory that its names start from? */
static bool
would_be_lost(struct update *update)
{
	struct text list = { 0 }, operand = { 0 };
	size_t empty = update->noperands;
	const char *name;

	for (size_t i = 0; i < update->noperands; i++) {
		const struct update_root *root = &update->roots[i];

		if (root->dropped > 0 && root->kept == 0)
			empty = i;
	}
	if (update->kept + update->dropped == 0 ||
	    (update->kept > 0 && empty == update->noperands &&
	     !begin_elsewhere(update)))
		return false;
	name = quote_name(&list, update->list);
	if (update->kept == 0)
		report_error("%s: none of its %ju names is a file here; the "
			     "list is not updated",
			     name, update->dropped);
	else if (empty == update->noperands)
		report_error("%s: its names %s from the root directory, and "
			     "what is to be walked %s; the list is not updated",
			     name, update->absolute ? "are" : "are not",
			     update->absolute ? "is not" : "is");
	else
		report_error(
			"%s: none of its %ju names below %s is a file; the "
			"list is not updated",
			name, update->roots[empty].dropped,
			quote_name(&operand, update->operands[empty]));
	text_free(&list);
	text_free(&operand);
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

/* The directories that are walked, as far as they are known in advance. */
static bool
begin_roots(struct update *update, const struct input_options *options)
{
	static char here[] = ".", *const usual[] = { here };

	if (!options->recursive || options->files0_from)
		return true;
	update->operands = options->noperands ? options->operands : usual;
	update->noperands = options->noperands ? options->noperands : 1;
	update->roots = calloc(update->noperands, sizeof(*update->roots));
	return update->roots;
}

/* False: a message has the reason. */
static bool
read_list(struct update *update, const struct input_options *options)
{
	struct records records = { .fd = -1 };
	struct stat st;
	bool good = true;

	if (!records_open(&records, update->list,
			  options->zero ? '\0' : '\n')) {
		report_file_error(update->list, errno);
		return false;
	}
	if (fstat(records.fd, &st) == 0) {
		update->device = st.st_dev;
		update->inode = st.st_ino;
		if (is_output(&st))
			good = refuse(update,
				      "the list is standard output; write to "
				      "another file, then rename it");
	}
	good = good && read_lines(update, &records, options) &&
	       !contradicts(update) && !would_be_lost(update);
	records_close(&records);
	return good;
}

bool
update_begin(struct update *update, const struct input_options *options)
{
	*update = (struct update){ .list = options->update,
				   .in_place = options->in_place,
				   .file = { .fd = -1 } };
	if (!update->list)
		return true;
	if (!begin_roots(update, options)) {
		report_file_error(update->list, ENOMEM);
		return false;
	}
	if (!update->in_place)
		return read_list(update, options);
	if (strcmp(update->list, "-") == 0) {
		report_error("--in-place: standard input cannot be updated");
		return false;
	}
	return list_file_open(&update->file, update->list) &&
	       (!update->file.exists || read_list(update, options)) &&
	       read_partial(update, options);
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
	return (st.st_dev == update->device && st.st_ino == update->inode) ||
	       (update->in_place &&
		list_file_is_beside(&update->file, job->name, &st));
}

/* The new list ------------------------------------------------------------- */

static void
print(struct update *update, struct digest_line_style style)
{
	struct text *const line = &update->line;

	for (size_t i = 0; i < update->n; i++) {
		const struct update_row *const row = &update->rows[i];

		text_cut(line, 0);
		output_add_line(line,
				digest_line_add(line, row->digest, row->name,
						style),
				row->name);
	}
}

static bool
replace(struct update *update, struct digest_line_style style)
{
	struct text lines = { 0 };
	bool good = !update->incomplete;

	for (size_t i = 0; i < update->n && good; i++)
		good = digest_line_add(&lines, update->rows[i].digest,
				       update->rows[i].name, style);
	if (!good)
		refuse(update, "memory exhausted; the list is not updated");
	else if (update->n == 0)
		good = refuse(update, "there is no file to list; the list is "
				      "not updated");
	else
		good = list_file_replace(&update->file, &lines);
	text_free(&lines);
	return good;
}

bool
update_end(struct update *update, struct digest_line_style style)
{
	sort(update, compare);
	drop_repeated(update);
	sort(update, compare_bytes);
	if (update->in_place)
		return replace(update, style);
	print(update, style);
	return true;
}

void
update_close(struct update *update)
{
	for (size_t i = 0; i < update->n; i++)
		free(update->rows[i].path);
	free(update->rows);
	listed_free(&update->names);
	free(update->roots);
	text_free(&update->root_folder);
	text_free(&update->path);
	text_free(&update->folder);
	text_free(&update->line);
	if (update->in_place)
		list_file_close(&update->file);
}
