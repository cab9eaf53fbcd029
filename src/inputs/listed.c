/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/listed.h"

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

/* Where the key is, or is to be put: there is a place that is free. */
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

/* Missing names, by digest ------------------------------------------------ */

struct missing_name {
	uint8_t digest[SHA256_DIGEST_BYTES];
	size_t place; /* in the order in which they were added */
	char *name;
};

static const uint8_t of_nothing[SHA256_DIGEST_BYTES] = {
	0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
	0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
	0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55
};

bool
listed_is_of_empty(const uint8_t digest[SHA256_DIGEST_BYTES])
{
	return memcmp(digest, of_nothing, sizeof(of_nothing)) == 0;
}

void
missing_add(struct missing *missing, const char *name,
	    const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct missing_name row = { .place = missing->n };

	if (listed_is_of_empty(digest) ||
	    !rows_grow(&missing->rows, &missing->capacity, missing->n,
		       sizeof(row)) ||
	    !(row.name = strdup(name)))
		return;
	memcpy(row.digest, digest, sizeof(row.digest));
	missing->rows[missing->n++] = row;
	missing->sorted = false;
}

static int
compare_digests(const void *left, const void *right)
{
	const struct missing_name *const a = left, *const b = right;
	const int order = memcmp(a->digest, b->digest, sizeof(a->digest));

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

const char *
missing_find(struct missing *missing, const uint8_t digest[SHA256_DIGEST_BYTES])
{
	size_t low = 0, high = missing->n;

	if (high == 0)
		return NULL;
	if (!missing->sorted)
		qsort(missing->rows, missing->n, sizeof(*missing->rows),
		      compare_digests);
	missing->sorted = true;
	/* The first row that is not below. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (memcmp(missing->rows[middle].digest, digest,
			   SHA256_DIGEST_BYTES) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < missing->n && memcmp(missing->rows[low].digest, digest,
					  SHA256_DIGEST_BYTES) == 0 ?
		       missing->rows[low].name :
		       NULL;
}

void
missing_free(struct missing *missing)
{
	for (size_t i = 0; i < missing->n; i++)
		free(missing->rows[i].name);
	free(missing->rows);
	*missing = (struct missing){ 0 };
}
