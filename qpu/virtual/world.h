/* SPDX-License-Identifier: MIT */
/*
 * world: the virtual Raspberry Pi as seen by one process.
 *
 * There is one for each process, found by the environment; a process without
 * that variable has none, and all that is interposed is then passed on.
 */
#ifndef QPU_VIRTUAL_WORLD_H
#define QPU_VIRTUAL_WORLD_H

#include <stdint.h>

#include "qpu/virtual/profile.h"
#include "qpu/virtual/state.h"

struct world {
	char dir[STATE_PATH / 2];	/* the private directory */
	struct state *state;
	const struct profile *profile;
	const struct soc *soc;		/* NULL: no Raspberry Pi */
	uint32_t memory_base;		/* physical, of GPU memory */
	uint32_t memory_bytes;
};

/* NULL when there is none. */
const struct world *
world_get(void);

/* A descriptor of a file in the private directory, or -1. */
int
world_open(const struct world *, const char *name, int flags);

/* GPU memory, mapped when first asked for; NULL when it cannot be. */
uint8_t *
world_memory(const struct world *);

/* A line on standard error that begins with qpuemu's name. */
__attribute__((format(printf, 1, 2)))
void
world_say(const char *format, ...);

#endif
