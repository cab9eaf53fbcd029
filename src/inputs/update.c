/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/update.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/clock.h"
#include "src/base/quote.h"
#include "src/inputs/list_index.h"
#include "src/inputs/list_outcome.h"
#include "src/inputs/name_set.h"
#include "src/inputs/names.h"
#include "src/output/report.h"

/* "PROG: LIST: text", status 1. */
static bool
refuse(const struct update *update, const char *text)
{
	report_file_problem(update->list, "%s", text);
	return false;
}

/* Return true if a name has two digests. */
static bool
contradicts(const struct list_rows *rows)
{
	struct text quoted = { 0 };
	size_t i;

	for (i = 1; i < rows->n; i++)
		if (strcmp(rows->rows[i - 1].path, rows->rows[i].path) == 0 &&
		    !list_row_has(&rows->rows[i - 1], rows->rows[i].digest))
			break;
	if (i >= rows->n)
		return false;
	report_error("%s has two digests; the list is not updated",
		     quote_name(&quoted, rows->rows[i].name));
	text_free(&quoted);
	return true;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int
by_size_and_time(const struct list_row *left, const struct list_row *right)
{
	const struct list_witness *const a = &left->seen, *const b =
								  &right->seen;

	return a->size != b->size	? ORDER(a->size, b->size) :
	       a->seconds != b->seconds ? ORDER(a->seconds, b->seconds) :
					  ORDER(a->nanoseconds, b->nanoseconds);
}

static bool
has_witness(const struct list_row *row)
{
	return row->seen.is_there;
}

/* Mark the rows that share size and time: one of these files may have taken the
 * place of another one.  Return false if memory is short. */
static bool
find_twins(struct list_rows *rows)
{
	struct list_view seen = { 0 };
	const bool good = list_view_add(&seen, rows, has_witness, NULL);

	list_view_sort(&seen, by_size_and_time);
	for (size_t i = 1; i < seen.n; i++)
		if (by_size_and_time(seen.rows[i - 1], seen.rows[i]) == 0)
			seen.rows[i - 1]->is_twin = seen.rows[i]->is_twin =
				true;
	list_view_free(&seen);
	return good;
}

/* Return true after a message if LIST is empty and what is beside it is not: the
 * shell empties a file before a command begins that is to write it. */
static bool
was_emptied(const struct update *update)
{
	const struct list_file *const file = &update->file;
	const char *const old = file->beside[LIST_OLD];
	const char *const index = file->beside[LIST_INDEX];
	struct list_rows rows = { 0 };
	struct text name = { 0 };
	struct stat st;
	bool emptied;

	if (update->old.n > 0 || file->before.st_size > 0)
		return false;
	list_read(&rows, old, update->options->zero, NULL);
	emptied = rows.n > 0 || (stat(index, &st) == 0 &&
				 st.st_size > (off_t)sizeof(LIST_INDEX_HEAD));
	if (rows.n > 0 && quote_name(&name, old))
		report_file_problem(
			update->list,
			"it is empty, and %s has %zu lines; to take "
			"these back: mv %s %s",
			name.bytes, rows.n, name.bytes, update->list);
	else if (emptied && quote_name(&name, index))
		report_file_problem(update->list,
				    "it is empty; to take its lines from its "
				    "index: sed 1d %s | cut -d ' ' -f 5-",
				    name.bytes);
	text_free(&name);
	list_rows_free(&rows);
	return emptied;
}

/* Read LIST and LIST.index.  Return false after a message. */
static bool
read_list(struct update *update, const struct job_filter *walked)
{
	const struct stat *const list = &update->file.before;
	struct list_rows *const old = &update->old;
	struct list_fault fault;

	if (walked->has_output && walked->device == list->st_dev &&
	    walked->inode == list->st_ino)
		return refuse(update, "the list is standard output");
	if (!list_read(old, update->list, update->options->zero, &fault)) {
		if (fault.line > 0)
			report_file_problem(update->list,
					    "%ju: %s; the list is not updated",
					    fault.line, fault.text);
		else
			report_file_problem(update->list,
					    "%s; the list is not updated",
					    fault.text);
		return false;
	}
	if (contradicts(old) || was_emptied(update))
		return false;
	list_rows_unite(old);
	list_index_read(old, update->file.beside[LIST_INDEX]);
	return find_twins(old) || refuse(update, "memory exhausted");
}

/* Mark the names of --accept. */
static void
accept_names(struct update *update)
{
	const struct option_texts *const names = &update->options->accept;
	struct list_row *row;

	for (size_t i = 0; i < names->n; i++)
		if ((row = list_rows_find(&update->old, names->rows[i])))
			row->is_accepted = true;
}

/* Return the row of LIST.part for this very file, or NULL.  A young one is of no file
 * that is there now. */
static const struct list_row *
find_part(const struct job *job, const struct list_witness *now)
{
	const struct list_row *row = note_of(job)->file.part;
	const struct file_version *const version = &job->version;

	if (row && now->is_there &&
	    memcmp(&row->seen, now, sizeof(*now)) == 0 &&
	    row->identity->device == version->device &&
	    clock_is_equal(&row->identity->changed, &version->changed))
		return row;
	return NULL;
}

static bool
knows(const struct job *job)
{
	const struct list_witness now = list_witness_of(&job->version);
	const struct list_row *const row = note_of(job)->file.row;

	return (row && list_is_as_hashed(row, &now)) || find_part(job, &now);
}

bool
update_begin(struct update *update, const struct input_options *options,
	     struct job_filter *walked)
{
	*update =
		(struct update){ .list = options->update,
				 .options = options,
				 .named = { .any_kind = true, .knows = knows },
				 .file = { .fd = -1 } };
	if (!update->list)
		return true;
	walked->knows = knows;
	if (strcmp(update->list, "-") == 0) {
		report_error("--update: standard input cannot be updated");
		return false;
	}
	if (!list_file_open(&update->file, update->list) ||
	    (update->file.exists && !read_list(update, walked)))
		return false;
	list_part_read(&update->part, update->file.fd);
	update->wrote = list_file_time(&update->file);
	accept_names(update);
	return true;
}

/* Jobs ---------------------------------------------------------------------- */

bool
update_prepare(struct update *update, struct job *job)
{
	assert(job->kind != JOB_REMARK && update->file.is_begun);
	if (job->kind == JOB_STDIN) {
		names_remark(job, (struct note){ .kind = NOTE_TREE_UNREAD,
						 .error = EINVAL });
		return true;
	}
	if (list_file_is_own(&update->file, job)) {
		if (!job->root)
			names_remark(job,
				     (struct note){ .kind = NOTE_UPDATE_OWN });
		return !job->root;
	}
	if (!job->filter)
		job->filter = &update->named;
	job->watched = JOB_GUARDED;
	*note_of(job) = (struct note){
		.kind = NOTE_UPDATE_FILE,
		.file = { .row = list_rows_find(&update->old, job->name),
			  .part = list_rows_find(&update->part, job->name) }
	};
	return true;
}

bool
update_next_again(struct update *update, struct job *job)
{
	if (update->next_again >= update->again.n)
		return false;
	job->kind = JOB_FILE;
	if (names_copy(job, update->again.rows[update->next_again++].name)) {
		update_prepare(update, job);
		note_of(job)->file.again = true;
	}
	return true;
}

/* Results --------------------------------------------------------------------- */

/* Remember what there is to say of the names at or below a place. */
static void
add_place(struct update *update, const char *name, enum list_row_state state)
{
	struct list_row *const place =
		list_rows_add(&update->places, name, list_digest_of_nothing);

	if (place)
		place->state = state;
}

void
update_note_walk(struct update *update, const struct job *remark)
{
	switch (note_of(remark)->kind) {
	case NOTE_TREE_LINKS: add_place(update, remark->name, ROW_GONE); break;
	case NOTE_TREE_UNREAD:
	case NOTE_TREE_OTHER:
	case NOTE_TREE_PSEUDO:
		add_place(update, remark->name, ROW_HIDDEN);
		break;
	default: break;
	}
}

/* Return true if LIST has names below a directory of that name. */
static bool
has_names_below(struct update *update, const char *directory)
{
	struct text path = { 0 };
	const bool has =
		name_shorten_directory(&path, directory) &&
		list_rows_next_below(&update->old, path.bytes, path.len, NULL);

	text_free(&path);
	return has;
}

bool
update_excuses(struct update *update, const struct job *job)
{
	if (note_of(job)->kind != NOTE_UPDATE_FILE)
		return false;
	if (job->error == 0 && job->verdict == JOB_CHANGED &&
	    !note_of(job)->file.again) {
		list_rows_add(&update->again, job->name,
			      list_digest_of_nothing);
		return true;
	}
	if ((job->error == ENOENT || job->error == ENOTDIR) && !job->opened &&
	    (note_of(job)->file.row || has_names_below(update, job->name))) {
		add_place(update, job->name, ROW_GONE);
		return true;
	}
	if (note_of(job)->file.row && (job->error || job->verdict != JOB_KNOWN))
		note_of(job)->file.row->state = ROW_HIDDEN;
	return false;
}

void
update_add(struct update *update, const struct job *job)
{
	const struct list_witness now = list_witness_of(&job->version);
	const bool is_known = job->verdict == JOB_KNOWN;
	struct list_row *row = note_of(job)->file.row;
	const struct list_row *part;

	if (row)
		row->state = ROW_KEPT;
	if (is_known && row && list_is_as_hashed(row, &now)) {
		update->kept++;
		return;
	}
	part = is_known ? find_part(job, &now) : NULL;
	row = list_rows_add(&update->found, job->name,
			    part ? part->digest : job->digest);
	if (!row) {
		report_file_error(job->name, ENOMEM);
		return;
	}
	row->seen = now;
	update->identities[update->nidentities++] =
		(struct list_identity){ .device = job->version.device,
					.changed = job->version.changed };
	if (update->nidentities ==
	    sizeof(update->identities) / sizeof(*update->identities))
		update_flush(update);
}

/* Return true if the file was modified about when it was hashed, between these
 * times: another edit may have given it the same time. */
static bool
is_young(const struct list_witness *seen, struct timespec from,
	 struct timespec to)
{
	return list_witness_is_near(seen, from) ||
	       list_witness_is_near(seen, to) ||
	       (seen->seconds >= from.tv_sec && seen->seconds <= to.tv_sec);
}

void
update_flush(struct update *update)
{
	struct list_rows *const found = &update->found;
	const size_t first = found->n - update->nidentities;
	struct text text = { 0 };
	struct timespec now;

	if (!update->list || update->nidentities == 0)
		return;
	now = list_file_time(&update->file);
	for (size_t i = first; i < found->n; i++) {
		struct list_row *const row = &found->rows[i];

		row->seen.is_young = row->seen.is_there &&
				     is_young(&row->seen, update->wrote, now);
		/* Without memory the next update hashes the file again. */
		if (row->seen.is_there)
			list_index_add_row(&text, row,
					   &update->identities[i - first]);
	}
	list_file_append(&update->file, &text);
	text_free(&text);
	update->wrote = now;
	update->nidentities = 0;
}

/* The new list ------------------------------------------------------------- */

void
update_end(struct update *update, struct results *results)
{
	update_flush(update);
	if (update->old.failed || update->found.failed ||
	    update->places.failed || update->again.failed)
		refuse(update, "memory exhausted; the list is not updated");
	else
		update->done = list_outcome_settle(update, results);
}

void
update_close(struct update *update)
{
	list_rows_free(&update->old);
	list_rows_free(&update->part);
	list_rows_free(&update->found);
	list_rows_free(&update->places);
	list_rows_free(&update->again);
	list_file_close(&update->file, update->done);
}
