/* SPDX-License-Identifier: MIT */
/*
 * probe: a program that tells where its threads run (thread_shapes.h).
 */
#ifndef QPU_TILES_PROBE_H
#define QPU_TILES_PROBE_H

#include <stddef.h>
#include <stdint.h>

/* It has no lookups; its one uniform is an address, which the device fills. */
enum { PROBE_UNIFORMS = 1 };

extern const uint64_t probe_code[];
extern const size_t probe_nwords;

#endif
