/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/rows.h"

#include <stdlib.h>
#include <string.h>

bool
rows_grow(void *rows, size_t *capacity, size_t n, size_t row_bytes)
{
	void *old, *larger;

	if (n < *capacity)
		return true;
	memcpy(&old, rows, sizeof(old));
	larger = reallocarray(old, 2 * n + 16, row_bytes);
	if (!larger)
		return false;
	memcpy(rows, &larger, sizeof(larger));
	*capacity = 2 * n + 16;
	return true;
}
