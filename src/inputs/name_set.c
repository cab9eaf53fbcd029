/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/name_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256many.h"
#include "src/base/rows.h"

/* Names ------------------------------------------------------------------- */

bool
name_shorten(struct text *path, const char *name)
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
name_shorten_directory(struct text *path, const char *name)
{
	return name_shorten(path, name) &&
	       (path->len == 0 || path->bytes[path->len - 1] == '/' ||
		text_add(path, "/", 1));
}

bool
name_is_below(const char *path, const char *directory, size_t len)
{
	assert(len == 0 || directory[len - 1] == '/');
	if (len == 0)
		return *path && *path != '/' && strcmp(path, "..") != 0 &&
		       strncmp(path, "../", 3) != 0;
	return strncmp(path, directory, len) == 0 && path[len];
}

/* Sets ---------------------------------------------------------------------- */

struct name_key {
	uint8_t bytes[16];
};

static bool
find_key(struct text *path, const char *name, struct name_key *key)
{
	unsigned char digest[SHA256MANY_DIGEST_BYTES];

	if (!name_shorten(path, name))
		return false;
	sha256many_hash_one(path->bytes, path->len, digest);
	memcpy(key->bytes, digest, sizeof(key->bytes));
	return true;
}

static int
compare_keys(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct name_key));
}

void
name_set_add(struct name_set *set, const char *name)
{
	assert(!set->is_sorted);
	if (rows_grow(&set->keys, &set->capacity, set->n, sizeof(*set->keys)) &&
	    find_key(&set->path, name, &set->keys[set->n]))
		set->n++;
	else
		set->failed = true;
}

bool
name_set_has(struct name_set *set, const char *name)
{
	struct name_key key;

	if (!set->is_sorted && set->n > 0)
		qsort(set->keys, set->n, sizeof(key), compare_keys);
	set->is_sorted = true;
	if (!find_key(&set->path, name, &key)) {
		set->failed = true;
		return false;
	}
	return set->n > 0 &&
	       bsearch(&key, set->keys, set->n, sizeof(key), compare_keys);
}

void
name_set_free(struct name_set *set)
{
	free(set->keys);
	text_free(&set->path);
	*set = (struct name_set){ 0 };
}

/* Parts ------------------------------------------------------------------- */

bool
name_is_in_part(const struct input_part *part, struct text *path,
		const char *name)
{
	struct name_key key;
	uint64_t value = 0;

	if (part->count <= 1 || !find_key(path, name, &key))
		return true;
	for (size_t i = 0; i < sizeof(value); i++)
		value = value << 8 | key.bytes[i];
	return value % part->count == part->number - 1;
}
