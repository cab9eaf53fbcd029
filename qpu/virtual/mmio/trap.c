/* SPDX-License-Identifier: MIT */
/*
 * trap: takes the rights of a mapping away and puts the pieces together.
 *
 * An access then ends in a fault; signals has the first look at it, step lets
 * the instruction be executed, and range says which function answers.
 */
#include "config.h"

#include "qpu/virtual/mmio/trap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/virtual/mmio/range.h"
#include "qpu/virtual/mmio/step.h"

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
 * reads that slips through (step_x86.c) is then never made up.
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
	if (!range_add((uintptr_t)base, bytes, registers)) {
		diag_set(why, "too many mappings of registers");
		return false;
	}
	if (!close_pages(base, bytes)) {
		diag_set(why, "cannot protect a mapping of registers: %s",
			 strerror(errno));
		range_remove((uintptr_t)base, bytes);
		return false;
	}
	return true;
}

void
trap_remove(void *base, size_t bytes)
{
	range_remove((uintptr_t)base, bytes);
}
