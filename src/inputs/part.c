/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/part.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256many.h"
#include "src/inputs/listed.h"

/* A decimal number from 1 on that `end` follows; *at moves behind that. */
static bool
parse_number(const char **at, char end, unsigned *number)
{
	const size_t len = strspn(*at, "0123456789");
	const unsigned long long value = len > 0 ? strtoull(*at, NULL, 10) : 0;

	if (value == 0 || value > UINT_MAX || (*at)[len] != end)
		return false;
	*number = (unsigned)value;
	*at += len + 1;
	return true;
}

bool
part_parse(struct input_part *part, const char *value)
{
	return parse_number(&value, '/', &part->number) &&
	       parse_number(&value, '\0', &part->count) &&
	       part->number <= part->count;
}

bool
part_has(const struct input_part *part, struct text *path, const char *name)
{
	unsigned char digest[SHA256MANY_DIGEST_BYTES];
	uint64_t value = 0;

	if (part->count <= 1 || !listed_shorten(path, name))
		return true;
	sha256many_hash_one(path->bytes, path->len, digest);
	for (size_t i = 0; i < sizeof(value); i++)
		value = value << 8 | digest[i];
	return value % part->count == part->number - 1;
}
