/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/listed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256many.h"
#include "src/base/rows.h"

/* Names ------------------------------------------------------------------- */

bool
listed_shorten(struct text *path, const char *name)
{
	text_cut(path, 0);
	if (!text_add(path, "/", *name == '/'))
		return false;
	while (*name) {
		const size_t len = strcspn(name, "/");
		const bool is_part = len > 1 || (len == 1 && *name != '.');
		const bool joins = path->len > 0 &&
				   path->bytes[path->len - 1] != '/';

		if (is_part && ((joins && !text_add(path, "/", 1)) ||
				!text_add(path, name, len)))
			return false;
		name += len;
		name += *name == '/';
	}
	return true;
}

bool
listed_shorten_directory(struct text *path, const char *name)
{
	return listed_shorten(path, name) &&
	       (path->len == 0 || path->bytes[path->len - 1] == '/' ||
		text_add(path, "/", 1));
}

bool
listed_is_below(const char *path, const char *directory, size_t len)
{
	assert(len == 0 || directory[len - 1] == '/');
	if (len == 0)
		return *path && *path != '/' && strcmp(path, "..") != 0 &&
		       strncmp(path, "../", 3) != 0;
	return strncmp(path, directory, len) == 0 && path[len];
}

/* Sets ---------------------------------------------------------------------- */

struct listed_key {
	uint8_t bytes[16];
};

static bool
find_key(struct text *path, const char *name, struct listed_key *key)
{
	unsigned char digest[SHA256MANY_DIGEST_BYTES];

	if (!listed_shorten(path, name))
		return false;
	sha256many_hash_one(path->bytes, path->len, digest);
	memcpy(key->bytes, digest, sizeof(key->bytes));
	return true;
}

static int
compare_keys(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct listed_key));
}

void
listed_add(struct listed *listed, const char *name)
{
	assert(!listed->is_sorted);
	if (rows_grow(&listed->keys, &listed->capacity, listed->n,
		      sizeof(*listed->keys)) &&
	    find_key(&listed->path, name, &listed->keys[listed->n]))
		listed->n++;
	else
		listed->failed = true;
}

bool
listed_has(struct listed *listed, const char *name)
{
	struct listed_key key;

	if (!listed->is_sorted && listed->n > 0)
		qsort(listed->keys, listed->n, sizeof(key), compare_keys);
	listed->is_sorted = true;
	if (!find_key(&listed->path, name, &key)) {
		listed->failed = true;
		return false;
	}
	return listed->n > 0 && bsearch(&key, listed->keys, listed->n,
					sizeof(key), compare_keys);
}

void
listed_free(struct listed *listed)
{
	free(listed->keys);
	text_free(&listed->path);
	*listed = (struct listed){ 0 };
}

/* Parts ------------------------------------------------------------------- */

bool
listed_is_in_part(const struct input_part *part, struct text *path,
		  const char *name)
{
	struct listed_key key;
	uint64_t value = 0;

	if (part->count <= 1 || !find_key(path, name, &key))
		return true;
	for (size_t i = 0; i < sizeof(value); i++)
		value = value << 8 | key.bytes[i];
	return value % part->count == part->number - 1;
}
