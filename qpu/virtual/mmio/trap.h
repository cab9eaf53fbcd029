/* SPDX-License-Identifier: MIT */
/*
 * trap: device registers in user space.
 *
 * A program that has mapped registers reads and writes them with ordinary
 * instructions.  trap_add takes the access rights of such a mapping away and
 * lets functions answer instead: one call for each register that an
 * instruction reads or writes, in rising order.
 *
 *  - A register is a word of 32 bits.  Narrower accesses are made as their
 *    word: a store of a byte reads it and writes it back.  Wider ones touch
 *    each register once.  A store of whole words reads nothing.
 *  - The functions are called in the thread that made the access, from a
 *    signal handler with all signals blocked.  Several threads may call at the
 *    same time.
 *  - An instruction that reads and writes a register makes two calls, so it is
 *    not atomic.
 *  - Accesses by the kernel are not trapped: read(2) into a register fails with
 *    EFAULT.
 *
 * The program can still use SIGSEGV: see segv.h.
 */
#ifndef QPU_VIRTUAL_MMIO_TRAP_H
#define QPU_VIRTUAL_MMIO_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

struct trap_registers {
	uint32_t (*read)(void *context, uint32_t offset);
	void (*write)(void *context, uint32_t offset, uint32_t value);
	void *context;
};

/* Can accesses be trapped on this kind of machine? */
bool
trap_supported(void);

/*
 * From now on [base, base + bytes), whole pages of a mapping of the caller's,
 * are registers; offsets count from base.
 */
bool
trap_add(void *base, size_t bytes, const struct trap_registers *registers,
	 struct diag *why);

/*
 * Forget what was added inside [base, base + bytes), if anything.  The pages
 * stay without rights until the caller unmaps them.  No thread may use them.
 */
void
trap_remove(void *base, size_t bytes);

#endif
