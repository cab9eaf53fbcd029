/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/progress.h"

#include <stdalign.h>

#include "src/lanes/sequencer.h"

/*
 * Counts are of the size that every machine loads and stores in one piece,
 * which 64 bits are not; in kibibytes they last for 4 TiB even so.
 */
static struct {
	alignas(64) size_t kib;
	size_t files;
} done[SEQUENCER_WORKERS];

void
progress_note(unsigned worker, uint64_t bytes, uint64_t files)
{
	__atomic_store_n(&done[worker].kib, (size_t)(bytes >> 10),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&done[worker].files, (size_t)files, __ATOMIC_RELAXED);
}

void
progress_sum(uint64_t *kib, uint64_t *files)
{
	*kib = *files = 0;
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++) {
		*kib += __atomic_load_n(&done[i].kib, __ATOMIC_RELAXED);
		*files += __atomic_load_n(&done[i].files, __ATOMIC_RELAXED);
	}
}
