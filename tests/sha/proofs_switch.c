/* SPDX-License-Identifier: MIT */
/*
 * Proofs that this build leaves out (qpu/sha/proofs.h): at first those whose words,
 * with commas between them, are in the environment as PROOFS_LEFT_OUT.
 */
#include "config.h"

#include "tests/sha/proofs_switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/sha/proofs.h"

unsigned proofs_left_out;

unsigned
proofs_named(const char *words)
{
	static const char *const names[] = {
#define NAME(id, word, which) word,
		PROOFS(NAME)
#undef NAME
	};
	unsigned proofs = 0;

	while (*words) {
		const size_t len = strcspn(words, ",");
		unsigned i = 0;

		while (i < PROOFS_ALL && (strlen(names[i]) != len ||
					  memcmp(words, names[i], len) != 0))
			i++;
		if (i == PROOFS_ALL) {
			fprintf(stderr, "'%s' is no proof\n", words);
			exit(99);
		}
		proofs |= 1u << i;
		words += len + (words[len] == ',');
	}
	return proofs;
}

__attribute__((constructor)) static void
leave_out(void)
{
	const char *words = getenv("PROOFS_LEFT_OUT");

	proofs_left_out = proofs_named(words ? words : "");
}
