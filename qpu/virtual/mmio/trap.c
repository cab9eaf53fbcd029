/* SPDX-License-Identifier: MIT */
/*
 * trap: takes the rights of a mapping away and says which function answers.
 *
 * An access then ends in a fault; signals has the first look at it, and step
 * lets the instruction be executed.  Signal handlers read the table of ranges
 * without a lock: a row is in use while its end is not null; the end is written
 * last and taken back first.
 */
#include "config.h"

#include "qpu/virtual/mmio/trap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/virtual/mmio/step.h"

enum { RANGES = 64 };

static struct range {
	uintptr_t base;
	struct trap_registers registers;
	atomic_uintptr_t end;
} ranges[RANGES];

static pthread_mutex_t changes = PTHREAD_MUTEX_INITIALIZER;

static bool
add_range(uintptr_t base, size_t bytes, const struct trap_registers *registers)
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

/* Remove all ranges inside [base, base + bytes). */
static void
remove_ranges(uintptr_t base, size_t bytes)
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

	return range->registers.read(range->registers.context,
				     (uint32_t)(word - range->base));
}

void
range_store(uintptr_t word, uint32_t value)
{
	const struct range *range = find(word);

	range->registers.write(range->registers.context,
			       (uint32_t)(word - range->base), value);
}

void
range_peek(uintptr_t word, uint32_t *values, size_t n)
{
	const struct range *range = find(word);

	range->registers.peek(range->registers.context,
			      (uint32_t)(word - range->base), values, n);
}

#ifdef STEP_NONE
bool
step_open(struct diag *why)
{
	diag_set(why, "accesses to mapped registers cannot be seen on this "
		      "kind of processor");
	return false;
}
#endif

/*
 * Fill the pages with what the registers hold, and close them: what a thread
 * reads that slips through (step.c) is then never made up.
 */
static bool
close_pages(void *base, size_t bytes)
{
	if (mprotect(base, bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	range_peek((uintptr_t)base, base, bytes / sizeof(uint32_t));
	return mprotect(base, bytes, PROT_NONE) == 0;
}

bool
trap_add(void *base, size_t bytes, const struct trap_registers *registers,
	 struct diag *why)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if ((uintptr_t)base % page || bytes == 0 || bytes % page) {
		diag_set(why, "registers are trapped in whole pages only");
		return false;
	}
	if (!step_open(why))
		return false;
	if (!add_range((uintptr_t)base, bytes, registers)) {
		diag_set(why, "too many mappings of registers");
		return false;
	}
	if (!close_pages(base, bytes)) {
		diag_set(why, "cannot protect a mapping of registers: %s",
			 strerror(errno));
		remove_ranges((uintptr_t)base, bytes);
		return false;
	}
	return true;
}

void
trap_remove(void *base, size_t bytes)
{
	remove_ranges((uintptr_t)base, bytes);
}
