/* SPDX-License-Identifier: MIT */
/*
 * digest: many numbers as one, to compare them with those of a time when they
 * were known to be right.  FNV-1a; the same on every machine.
 */
#ifndef TESTS_SCHEDULER_DIGEST_H
#define TESTS_SCHEDULER_DIGEST_H

#include <stdint.h>

#include "qpu/scheduler/graph.h"

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

static inline void
digest_add(uint64_t *digest, int32_t number)
{
	for (int i = 0; i < 4; i++) {
		*digest ^= (uint32_t)number >> 8 * i & 255;
		*digest *= UINT64_C(0x100000001b3);
	}
}

static inline void
digest_text(uint64_t *digest, const char *text)
{
	while (*text)
		digest_add(digest, (unsigned char)*text++);
}

#endif
