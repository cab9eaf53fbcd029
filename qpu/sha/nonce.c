/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/nonce.h"

#include <sys/random.h>

#include "src/base/clock.h"

void
nonce_begin(struct nonce *nonce)
{
	if (getrandom(&nonce->state, sizeof(nonce->state), GRND_NONBLOCK) !=
	    sizeof(nonce->state))
		nonce->state = clock_ns();
}

/* Sebastiano Vigna's splitmix64; the upper half. */
uint32_t
nonce_next(struct nonce *nonce)
{
	uint64_t x = nonce->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((x ^ x >> 31) >> 32);
}
