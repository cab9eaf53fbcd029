/* SPDX-License-Identifier: MIT */
/*
 * vector: 16 lanes as one value of the compiler's vector types.
 *
 * Vectors are never passed or returned by value: functions built for
 * different instruction sets of the host call each other with pointers.
 */
#ifndef QPU_EMULATOR_BASE_VECTOR_H
#define QPU_EMULATOR_BASE_VECTOR_H

#include <stdint.h>

enum { EMU_LANES = 16 };

typedef uint32_t emu_vec __attribute__((vector_size(64), may_alias));

/* A lane is in a bit set of 16. */
enum { EMU_ALL_LANES = 0xffff };

#endif
