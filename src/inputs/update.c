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

bool
update_add(struct update *update, const char *name,
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
is_reached(struct update *update, const struct input_options *options,
	   const char *name)
{
	static char here[] = ".", *const usual[] = { here };
	char *const *operands = options->noperands ? options->operands : usual;
	const size_t n = options->noperands   ? options->noperands :
			 options->files0_from ? 0 :
						1;
	const char *slash = strrchr(name, '/');
	const size_t len = slash ? (size_t)(slash - name) : 0;
	bool is_below = false, known;

	/* Most names are in the directory of the one before. */
	if (update->folder.len == len + 1 &&
	    memcmp(update->folder.bytes, name, len) == 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (!listed_is_below(&update->names, name, operands[i], &known))
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
	return options->recursive ? S_ISREG(st.st_mode) &&
					    is_reached(update, options, name) :
				    !S_ISDIR(st.st_mode);
}

/* False: memory is short. */
static bool
take_entry(struct update *update, const struct checklist_entry *entry,
	   const struct input_options *options)
{
	if (!is_file(update, options, entry->name)) {
		update->dropped++;
		return true;
	}
	update->kept++;
	return listed_add(&update->names, entry->name) &&
	       update_add(update, entry->name, entry->digest);
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

static bool
is_output(const struct stat *list)
{
	struct stat st;

	return S_ISREG(list->st_mode) &&
	       fstat(descriptor_standard(STDOUT_FILENO), &st) == 0 &&
	       st.st_dev == list->st_dev && st.st_ino == list->st_ino;
}

bool
update_begin(struct update *update, const struct input_options *options)
{
	struct records records = { .fd = -1 };
	struct stat st;
	bool good;

	*update = (struct update){ .list = options->update };
	if (!update->list)
		return true;
	if (!records_open(&records, update->list,
			  options->zero ? '\0' : '\n')) {
		report_file_error(update->list, errno);
		return false;
	}
	good = true;
	if (fstat(records.fd, &st) == 0) {
		update->device = st.st_dev;
		update->inode = st.st_ino;
		if (is_output(&st))
			good = refuse(update,
				      "the list is standard output; write to "
				      "another file, then rename it");
	}
	good = good && read_lines(update, &records, options) &&
	       !contradicts(update);
	records_close(&records);
	return good;
}

bool
update_has(struct update *update, const struct job *job)
{
	struct stat st;
	bool known;

	if (listed_has(&update->names, job->name, &known))
		return true;
	return job->root &&
	       fstatat(job->root->fd, job->name + job->root->prefix_bytes, &st,
		       AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == update->device && st.st_ino == update->inode;
}

/* The new list ------------------------------------------------------------- */

void
update_print(struct update *update, struct digest_line_style style)
{
	struct text line = { 0 };

	sort(update, compare);
	drop_repeated(update);
	sort(update, compare_bytes);
	for (size_t i = 0; i < update->n; i++) {
		const struct update_row *const row = &update->rows[i];

		text_cut(&line, 0);
		output_add_line(&line,
				digest_line_add(&line, row->digest, row->name,
						style),
				row->name);
	}
	text_free(&line);
}

void
update_close(struct update *update)
{
	for (size_t i = 0; i < update->n; i++)
		free(update->rows[i].path);
	free(update->rows);
	listed_free(&update->names);
	text_free(&update->path);
	text_free(&update->folder);
}
