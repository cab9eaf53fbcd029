/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/missing.h"

#include <stdlib.h>
#include <string.h>

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

static bool
make_room(struct missing *missing)
{
	const size_t capacity = missing->capacity ? missing->capacity * 2 : 16;
	void *rows;

	if (missing->n < missing->capacity)
		return true;
	rows = reallocarray(missing->rows, capacity, sizeof(*missing->rows));
	if (!rows)
		return false;
	missing->rows = rows;
	missing->capacity = capacity;
	return true;
}

void
missing_add(struct missing *missing, const char *name,
	    const uint8_t digest[SHA256_DIGEST_BYTES])
{
	struct missing_name row = { .place = missing->n };

	if (memcmp(digest, of_nothing, sizeof(of_nothing)) == 0 ||
	    !make_room(missing) || !(row.name = strdup(name)))
		return;
	memcpy(row.digest, digest, sizeof(row.digest));
	missing->rows[missing->n++] = row;
	missing->sorted = false;
}

static int
compare(const void *left, const void *right)
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
		      compare);
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
