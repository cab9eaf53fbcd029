/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/faults.h"

#include <stdlib.h>

void
faults_open(struct faults *faults, const struct pi_fault *fault, uint64_t seed,
	    faults_find *find, void *context)
{
	*faults = (struct faults){
		.fault = *fault, .seed = seed, .find = find, .context = context
	};
}

void
faults_close(struct faults *faults)
{
	for (unsigned i = 0; i < DEVICE_QPUS; i++)
		free(faults->old[i]);
	free(faults->before);
}

void
faults_draw_for(struct faults *faults, uint64_t place, uint64_t launch)
{
	faults->random = faults->seed * 2 + place;
	if (faults->fault.place == PI_PLACE_ANY)
		faults->random += launch * UINT64_C(0x9e3779b97f4a7c15);
}

size_t
faults_draw(struct faults *faults, size_t n)
{
	faults->random =
		faults->random * 6364136223846793005 + 1442695040888963407;
	return (size_t)(faults->random >> 33) % n;
}

uint32_t
faults_draw_bit(struct faults *faults)
{
	return UINT32_C(1) << faults_draw(faults, 32);
}

void
faults_draw_stuck(struct faults *faults)
{
	faults->stuck = faults_draw_bit(faults);
	faults->value = faults_draw(faults, 2) ? faults->stuck : 0;
}

void
faults_stick(const struct faults *faults, uint32_t *word)
{
	*word = (*word & ~faults->stuck) | faults->value;
}

void
faults_flip(struct faults *faults, uint32_t *word, uint32_t bits)
{
	if (!word)
		return;
	*word ^= bits;
	faults->flipped = word;
	faults->bits = bits;
}

void
faults_undo(struct faults *faults)
{
	if (faults->flipped)
		*faults->flipped ^= faults->bits;
	faults->flipped = NULL;
}
