/* SPDX-License-Identifier: MIT */
/*
 * scarce: realloc fails when the test says so.  The test is linked with
 * -Wl,--wrap=realloc.
 */
#ifndef TESTS_SUPPORT_SCARCE_H
#define TESTS_SUPPORT_SCARCE_H

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/* So many more calls succeed, and how many there were. */
static unsigned scarce_left = UINT_MAX, scarce_calls;
/* Only one call fails. */
static bool scarce_once __attribute__((unused));

void *
__real_realloc(void *old, size_t size);
void *
__wrap_realloc(void *old, size_t size);

void *
__wrap_realloc(void *old, size_t size)
{
	scarce_calls++;
	if (!scarce_left) {
		scarce_left = scarce_once ? UINT_MAX : 0;
		return NULL;
	}
	scarce_left--;
	return __real_realloc(old, size);
}

#endif
