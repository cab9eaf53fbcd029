/* SPDX-License-Identifier: MIT */
/*
 * fuzz: what the targets of libFuzzer share.
 *
 * A target is called with any bytes.  It aborts when a promise is broken; what
 * goes wrong in memory is found by the sanitizers that it is built with.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_HOLDS(promise)                                                    \
	do {                                                                   \
		if (!(promise)) {                                              \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__,       \
				__LINE__, #promise);                           \
			abort();                                               \
		}                                                              \
	} while (0)

/* 0, or -1 for an input that is not worth keeping. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Memory of exactly this size, so that each byte too far is noticed. */
__attribute__((unused)) static char *
fuzz_copy(const uint8_t *data, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);

	FUZZ_HOLDS(copy != NULL);
	if (len > 0)
		memcpy(copy, data, len);
	return copy;
}

#endif
