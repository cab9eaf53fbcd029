/* SPDX-License-Identifier: MIT */
/*
 * range: a small table that signal handlers read without a lock.
 *
 * A row is in use while its end is not null; the end is written last and
 * taken back first.
 */
#include "config.h"

#include "qpu/virtual/mmio/range.h"

#include <pthread.h>
#include <stdatomic.h>

enum { RANGES = 64 };

static struct range {
	uintptr_t base;
	struct trap_registers registers;
	atomic_uintptr_t end;
} ranges[RANGES];

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;

bool
range_add(uintptr_t base, size_t bytes, const struct trap_registers *registers)
{
	bool added = false;

	pthread_mutex_lock(&changes);
	for (size_t i = 0; i < RANGES && !added; i++) {
		struct range *range = &ranges[i];
		if (atomic_load(&range->end) != 0)
			continue;
		range->base = base;
		range->registers = *registers;
		atomic_store(&range->end, base + bytes);
		added = true;
	}
	pthread_mutex_unlock(&changes);
	return added;
}

void
range_remove(uintptr_t base, size_t bytes)
{
	pthread_mutex_lock(&changes);
	for (size_t i = 0; i < RANGES; i++) {
		const uintptr_t end = atomic_load(&ranges[i].end);
		if (end <= base + bytes && ranges[i].base >= base)
			atomic_store(&ranges[i].end, 0);
	}
	pthread_mutex_unlock(&changes);
}

static const struct range *
find(uintptr_t address)
{
	for (size_t i = 0; i < RANGES; i++)
		if (address < atomic_load(&ranges[i].end) &&
		    address >= ranges[i].base)
			return &ranges[i];
	return NULL;
}

bool
range_covers(uintptr_t address)
{
	return find(address) != NULL;
}

uint32_t
range_load(uintptr_t word)
{
	const struct range *range = find(word);

	if (!range)
		return *(const volatile uint32_t *)word;
	return range->registers.read(range->registers.context,
				     (uint32_t)(word - range->base));
}

void
range_store(uintptr_t word, uint32_t value)
{
	const struct range *range = find(word);

	if (range)
		range->registers.write(range->registers.context,
				       (uint32_t)(word - range->base), value);
	else
		*(volatile uint32_t *)word = value;
}

void
range_peek(uintptr_t word, uint32_t *values, size_t n)
{
	const struct range *range = find(word);

	range->registers.peek(range->registers.context,
			      (uint32_t)(word - range->base), values, n);
}
