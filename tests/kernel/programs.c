/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/kernel/rig.h"

#include <string.h>

#include "qpu/kernel/abi.h"

static const uint64_t hello[] = {
#include "tests/kernel/hello.words"
};

static const uint64_t published[] = {
#include "tests/kernel/published.words"
};

static const uint64_t simple[] = {
#include "tests/kernel/simple.words"
};

#define ROW(array)                                                             \
	{                                                                      \
#array, array, sizeof(array) / sizeof(*array)                  \
	}

const struct kernel_program *
kernel_program(const char *name)
{
	static const struct kernel_program programs[] = {
		ROW(hello),
		ROW(published),
		ROW(simple),
	};
	static struct kernel_program optimised = { "optimised", NULL, 0 };

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	optimised.words = sha256_kernel_code;
	optimised.nwords = sha256_kernel_nwords;
	return &optimised;
}
