/* SPDX-License-Identifier: MIT */
/*
 * fips180: the constants of SHA-256 (FIPS 180-4), shared by CPU and QPU code.
 */
#ifndef SRC_BASE_FIPS180_H
#define SRC_BASE_FIPS180_H

#include <stdint.h>

#include "src/base/batch.h"

/* FIPS 180-4, 5.3.3: the initial hash value. */
extern const uint32_t sha256_initial[SHA256_STATE_WORDS];

/* FIPS 180-4, 4.2.2: the sixty-four round constants; 64-byte aligned. */
extern const uint32_t sha256_k[64];

#endif
