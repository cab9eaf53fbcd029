/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/listed.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/sha256many.h"

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

static bool
find_key(struct text *path, const char *name, uint8_t key[LISTED_NAME_BYTES])
{
	unsigned char digest[SHA256MANY_DIGEST_BYTES];

	if (!listed_shorten(path, name))
		return false;
	sha256many_hash_one(path->bytes, path->len, digest);
	memcpy(key, digest, LISTED_NAME_BYTES);
	return true;
}

static bool
is_free(const uint8_t place[LISTED_NAME_BYTES])
{
	static const uint8_t none[LISTED_NAME_BYTES];

	return memcmp(place, none, sizeof(none)) == 0;
}

/* Return the place of the key, or the free place for it.  The table must have
 * a free place. */
static uint8_t *
find_place(const struct listed *listed, const uint8_t key[LISTED_NAME_BYTES])
{
	uint64_t at;

	memcpy(&at, key, sizeof(at));
	for (;; at++) {
		uint8_t *const place =
			listed->keys[at & (listed->capacity - 1)];

		if (is_free(place) ||
		    memcmp(place, key, LISTED_NAME_BYTES) == 0)
			return place;
	}
}

static bool
grow(struct listed *listed)
{
	enum { FIRST = 64 };
	struct listed larger = *listed;

	larger.capacity = listed->capacity ? 2 * listed->capacity : FIRST;
	larger.keys = calloc(larger.capacity, sizeof(*larger.keys));
	if (!larger.keys)
		return false;
	for (size_t i = 0; i < listed->capacity; i++)
		if (!is_free(listed->keys[i]))
			memcpy(find_place(&larger, listed->keys[i]),
			       listed->keys[i], LISTED_NAME_BYTES);
	free(listed->keys);
	*listed = larger;
	return true;
}

bool
listed_add(struct listed *listed, const char *name)
{
	uint8_t key[LISTED_NAME_BYTES], *place;

	if (!find_key(&listed->path, name, key) ||
	    (listed->nkeys >= listed->capacity / 4 * 3 && !grow(listed)))
		return false;
	place = find_place(listed, key);
	listed->nkeys += is_free(place);
	memcpy(place, key, sizeof(key));
	return true;
}

bool
listed_has(struct listed *listed, const char *name, bool *known)
{
	uint8_t key[LISTED_NAME_BYTES];

	*known = find_key(&listed->path, name, key);
	return *known && listed->nkeys > 0 &&
	       memcmp(find_place(listed, key), key, sizeof(key)) == 0;
}

bool
listed_is_below(struct listed *listed, const char *name, const char *directory,
		bool *known)
{
	const struct text *const path = &listed->path;
	const struct text *const top = &listed->directory;

	*known = listed_shorten(&listed->path, name) &&
		 listed_shorten(&listed->directory, directory);
	if (!*known || path->len <= top->len)
		return false;
	if (top->len == 0)
		return path->bytes[0] != '/';
	if (memcmp(path->bytes, top->bytes, top->len) != 0)
		return false;
	return top->bytes[top->len - 1] == '/' || path->bytes[top->len] == '/';
}

void
listed_free(struct listed *listed)
{
	free(listed->keys);
	text_free(&listed->directory);
	text_free(&listed->path);
	*listed = (struct listed){ 0 };
}

/* Parts ------------------------------------------------------------------- */

bool
listed_is_in_part(const struct input_part *part, struct text *path,
		  const char *name)
{
	uint8_t key[LISTED_NAME_BYTES];
	uint64_t value = 0;

	if (part->count <= 1 || !find_key(path, name, key))
		return true;
	for (size_t i = 0; i < sizeof(value); i++)
		value = value << 8 | key[i];
	return value % part->count == part->number - 1;
}
