/* SPDX-License-Identifier: MIT */
/*
 * rows: an array that grows by doubling, so that adding n rows costs time in
 * proportion to n.
 */
#ifndef SRC_BASE_ROWS_H
#define SRC_BASE_ROWS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make room for a row after the first n; `rows` points to the pointer to them,
 * which may change.  Return false and leave the array alone if memory is short.
 * Start from NULL and a capacity of 0; free() gives the array back.
 */
static inline bool
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

#endif
