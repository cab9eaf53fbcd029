/* SPDX-License-Identifier: MIT */
/*
 * rows: an array that grows by doubling, so that adding n rows costs time in
 * proportion to n.
 */
#ifndef SRC_BASE_ROWS_H
#define SRC_BASE_ROWS_H

#include <stddef.h>

/*
 * The array of n rows with room for one more, perhaps at another address.
 * NULL: memory is short, and the array is as it was.  Start from NULL and a
 * capacity of 0; free() gives the array back.
 */
void *
rows_grow(void *rows, size_t n, size_t *capacity, size_t row_bytes);

#endif
