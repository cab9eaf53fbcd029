/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/known_chain.h"

#include <string.h>

#include "cpu/sha256.h"
#include "qpu/sha/nonce.h"

void
known_chain_make(struct known_chain *chain, uint64_t seed)
{
	struct nonce nonce = { .state = seed };

	for (size_t i = 0; i < sizeof(chain->data); i += 4) {
		const uint32_t word = nonce_next(&nonce);

		memcpy(chain->data + i, &word, 4);
	}
	memcpy(chain->states[0], sha256_initial, sizeof(sha256_initial));
	for (unsigned i = 0; i < KNOWN_CHAIN_BLOCKS; i++) {
		memcpy(chain->states[i + 1], chain->states[i],
		       sizeof(chain->states[i]));
		sha256_blocks(chain->states[i + 1],
			      chain->data + (size_t)i * SHA256_BLOCK_BYTES, 1);
	}
}

void
known_chain_hash(uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
		 size_t n)
{
	sha256_blocks(state, data, n);
}
