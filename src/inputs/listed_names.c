/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/listed_names.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256many.h"

bool
listed_names_shorten(struct text *path, const char *name)
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

static bool
find_key(struct text *path, const char *name, uint8_t key[LISTED_NAME_BYTES])
{
	unsigned char digest[SHA256MANY_DIGEST_BYTES];

	if (!listed_names_shorten(path, name))
		return false;
	sha256many_hash_one(path->bytes, path->len, digest);
	memcpy(key, digest, LISTED_NAME_BYTES);
	return true;
}

static bool
make_room(struct listed_names *names)
{
	const size_t capacity = names->capacity ? names->capacity * 2 : 1024;
	void *keys;

	if (names->nkeys < names->capacity)
		return true;
	keys = reallocarray(names->keys, capacity, sizeof(*names->keys));
	if (!keys)
		return false;
	names->keys = keys;
	names->capacity = capacity;
	return true;
}

bool
listed_names_add(struct listed_names *names, const char *name)
{
	if (!make_room(names) ||
	    !find_key(&names->path, name, names->keys[names->nkeys]))
		return false;
	names->nkeys++;
	names->sorted = false;
	return true;
}

static int
compare(const void *left, const void *right)
{
	return memcmp(left, right, LISTED_NAME_BYTES);
}

bool
listed_names_has(struct listed_names *names, const char *name, bool *known)
{
	uint8_t key[LISTED_NAME_BYTES];

	*known = find_key(&names->path, name, key);
	if (!*known || names->nkeys == 0)
		return false;
	if (!names->sorted)
		qsort(names->keys, names->nkeys, sizeof(*names->keys), compare);
	names->sorted = true;
	return bsearch(key, names->keys, names->nkeys, sizeof(*names->keys),
		       compare);
}

bool
listed_names_is_below(struct listed_names *names, const char *name,
		      const char *directory)
{
	const struct text *const path = &names->path;
	const struct text *const top = &names->directory;

	if (!listed_names_shorten(&names->path, name) ||
	    !listed_names_shorten(&names->directory, directory) ||
	    path->len <= top->len)
		return false;
	if (top->len == 0)
		return path->bytes[0] != '/';
	if (memcmp(path->bytes, top->bytes, top->len) != 0)
		return false;
	return top->bytes[top->len - 1] == '/' || path->bytes[top->len] == '/';
}

void
listed_names_free(struct listed_names *names)
{
	free(names->keys);
	text_free(&names->directory);
	text_free(&names->path);
	*names = (struct listed_names){ 0 };
}
