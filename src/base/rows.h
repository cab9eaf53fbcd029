/* SPDX-License-Identifier: MIT */
/*
 * rows: an array that grows by doubling, so that adding n rows costs time in
 * proportion to n.
 */
#ifndef SRC_BASE_ROWS_H
#define SRC_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for a row after the first n; `rows` points to the pointer to them,
 * which may change.  False: memory is short, and the array is as it was.  Start
 * from NULL and a capacity of 0; free() gives the array back.
 */
bool
rows_grow(void *rows, size_t *capacity, size_t n, size_t row_bytes);

#endif
