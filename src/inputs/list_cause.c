/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_cause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "src/base/quote.h"
#include "src/base/rows.h"
#include "src/inputs/list_index.h"

struct cause_list {
	char *path;
	struct list_rows rows;
	struct list_view digests;
	bool has_index;
};

/* Return the bytes of the list's directory that begin its names in results. */
static size_t
folder_len(const struct list_causes *self, const char *list)
{
	const char *const slash =
		self->options->relative_to_list ? strrchr(list, '/') : NULL;

	return slash ? (size_t)(slash + 1 - list) : 0;
}

/* Return the list, which is read the first time as far as it can be understood, or NULL
 * if memory is short. */
static struct cause_list *
find_list(struct list_causes *self, const char *path)
{
	struct cause_list list = { .path = NULL };
	struct text index = { 0 };
	struct stat st;
	char *real;

	for (size_t i = 0; i < self->nlists; i++)
		if (strcmp(self->lists[i].path, path) == 0)
			return &self->lists[i];
	if (!rows_grow(&self->lists, &self->lists_capacity, self->nlists,
		       sizeof(list)) ||
	    !(list.path = strdup(path)))
		return NULL;
	real = realpath(path, NULL);
	if (real && stat(real, &st) == 0 && S_ISREG(st.st_mode)) {
		list_read(&list.rows, real, self->options->check_zero, NULL);
		list.has_index = text_add_string(&index, real) &&
				 text_add_string(&index, ".index") &&
				 list_index_read(&list.rows, index.bytes);
		list_view_add(&list.digests, &list.rows, list_row_has_content,
			      NULL);
		list_view_sort(&list.digests, list_by_digest);
	}
	text_free(&index);
	free(real);
	self->lists[self->nlists] = list;
	return &self->lists[self->nlists++];
}

/* Set `from` to another name with the digest.  Return false if there is none. */
static bool
find_digest(struct list_causes *self, const uint8_t digest[SHA256_DIGEST_BYTES])
{
	for (size_t i = 0; i < self->nlists; i++) {
		const struct cause_list *const list = &self->lists[i];
		const struct list_row *const row =
			list_view_find(&list->digests, digest);

		text_cut(&self->from, 0);
		if (row)
			return text_add(&self->from, list->path,
					folder_len(self, list->path)) &&
			       text_add_string(&self->from, row->name);
	}
	return false;
}

static void
put_time(char *text, size_t size, const struct list_witness *seen)
{
	const time_t seconds = (time_t)seen->seconds;
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) ||
	    strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		snprintf(text, size, "@%lld", (long long)seen->seconds);
}

/* Return the cause by the row of the name in LIST.index. */
static struct list_cause
judge(struct list_causes *self, const struct cause_list *list,
      const struct list_row *row, const char *name,
      const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct list_witness now = { .is_there = false };
	char before[40], after[40], sentence[160];

	if (row)
		list_witness_look(name, true, &now);
	text_cut(&self->sentence, 0);
	switch (row ? list_judge(row, digest, &now) : LIST_UNKNOWN) {
	case LIST_DAMAGED:
		return (struct list_cause){ "damaged", NULL,
					    "damaged: it has the size and the "
					    "time with which it was hashed" };
	case LIST_EDITED:
		put_time(before, sizeof(before), &row->seen);
		put_time(after, sizeof(after), &now);
		snprintf(sentence, sizeof(sentence),
			 "edited: it was modified at %s, and hashed as of %s",
			 after, before);
		if (text_add_string(&self->sentence, sentence))
			return (struct list_cause){ "edited", NULL,
						    self->sentence.bytes };
		break;
	default: break;
	}
	return (struct list_cause){
		"unknown", NULL,
		list && list->has_index ?
			"not known whether edited or damaged: the list's index "
			"has no row of it" :
			"not known whether edited or damaged: the list has no "
			"index"
	};
}

struct list_cause
list_causes_find(struct list_causes *self, const char *list_name,
		 const char *name, const uint8_t digest[SHA256_DIGEST_BYTES])
{
	const struct input_options *const options = self->options;
	struct cause_list *list;
	struct list_row *row = NULL;

	for (size_t i = 0; i < options->noperands && !options->files0_from; i++)
		find_list(self, options->operands[i]);
	list = find_list(self, list_name);
	if (find_digest(self, digest)) {
		text_cut(&self->sentence, 0);
		if (text_add_string(&self->sentence, "has the digest of ") &&
		    quote_add(&self->sentence, self->from.bytes))
			return (struct list_cause){ "moved", self->from.bytes,
						    self->sentence.bytes };
	}
	if (list)
		row = list_rows_find(
			&list->rows,
			*name == '/' ? name :
				       name + folder_len(self, list_name));
	return judge(self, list, row, name, digest);
}

void
list_causes_free(struct list_causes *self)
{
	for (size_t i = 0; i < self->nlists; i++) {
		free(self->lists[i].path);
		list_view_free(&self->lists[i].digests);
		list_rows_free(&self->lists[i].rows);
	}
	free(self->lists);
	text_free(&self->sentence);
	text_free(&self->from);
}
