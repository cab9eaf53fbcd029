/* SPDX-License-Identifier: MIT */
/*
 * memory: the regions of the bus that programs may touch.
 *
 * The only way from a bus address to a host pointer; every access is checked
 * against one region from first to last byte.  Words are little-endian, as is
 * the host.
 */
#ifndef QPU_EMULATOR_BASE_MEMORY_H
#define QPU_EMULATOR_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/base/diag.h"

/*
 * 16 lanes as one value of the compiler's vector types.  It is never passed or
 * returned by value: functions built for different instruction sets of the host
 * call each other with pointers.
 */
enum { EMU_LANES = 16 };

typedef uint32_t emu_vec __attribute__((vector_size(64), may_alias));

/* A lane is in a bit set of 16. */
enum { EMU_ALL_LANES = 0xffff };

/* The 4 bus aliases of an address name the same memory (the guide, bus addresses). */
enum { EMU_BUS_MASK = 0x3fffffff };

struct emu_region {
	uint32_t base; /* without alias bits */
	uint32_t bytes;
	uint8_t *host;
};

struct emu_memory {
	struct emu_region *regions; /* by rising base */
	size_t nregions;
	size_t last; /* probably the next one */
};

/* Memory for what holds vectors, all zero; null when there is none. */
void *
emu_allocate(size_t bytes);

/* Make host memory a region. Return false with errno: EINVAL unless it is whole
 * words inside the bus that overlap no other region, ENOMEM if the list of
 * regions cannot grow. */
bool
emu_memory_add(struct emu_memory *memory, uint32_t bus_addr, void *host,
	       size_t bytes, struct diag *why);

/* Remove the region that begins at the address; false if there is none. */
bool
emu_memory_remove(struct emu_memory *memory, uint32_t bus_addr);

void
emu_memory_free(struct emu_memory *memory);

/* Host address of bytes that lie in one region, or null. */
void *
emu_memory_at(struct emu_memory *memory, uint32_t bus_addr, uint32_t bytes);

/*
 * Fetch a 32-bit word for each lane, low address bits ignored.  Returns the
 * lanes whose address is outside of memory, a bit each; they get 0.
 */
unsigned
emu_memory_gather(struct emu_memory *memory, const emu_vec *addresses,
		  emu_vec *words);

/* The word at these bytes, which need not be aligned. */
static inline uint32_t
emu_word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

#endif
