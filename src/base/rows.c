/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/rows.h"

#include <stdlib.h>

void *
rows_grow(void *rows, size_t n, size_t *capacity, size_t row_bytes)
{
	const size_t more = *capacity ? *capacity * 2 : 64;

	if (n < *capacity)
		return rows;
	rows = reallocarray(rows, more, row_bytes);
	if (rows)
		*capacity = more;
	return rows;
}
