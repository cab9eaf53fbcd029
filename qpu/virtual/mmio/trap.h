/* SPDX-License-Identifier: MIT */
/*
 * trap: device registers in user space.
 *
 * A program that has mapped registers reads and writes them with ordinary
 * instructions.  trap_add takes the access rights of such a mapping away and
 * lets a function answer instead.
 *
 *  - A register is a word of 32 bits.  A store of less than a word writes the
 *    word with these bytes changed.
 *  - A load is a read of the register where it begins, and a store a write.
 *    An instruction that touches several registers reads the first, writes the
 *    first and those that have changed, and peeks at all others.
 *  - The function is called in the thread that made the access, from a
 *    signal handler with all signals blocked.  Several threads may call at the
 *    same time, except that one at a time peeks.
 *  - An instruction that reads and writes a register makes two calls, so it is
 *    not atomic.
 *  - Accesses by the kernel are not trapped: read(2) into a register fails with
 *    EFAULT.
 *  - An access can go unnoticed while another thread makes one: see trap.c.
 *
 * The program can still use SIGSEGV and SIGTRAP: see signals.h.
 */
#ifndef QPU_VIRTUAL_MMIO_TRAP_H
#define QPU_VIRTUAL_MMIO_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

/* On other machines nothing can be trapped. */
#if defined(__x86_64__) && defined(__LP64__)
#define TRAP_X86
#elif !defined(__aarch64__) || !defined(__LP64__) || defined(__AARCH64EB__)
#define TRAP_NONE
#endif

enum trap_access {
	TRAP_READ,
	TRAP_WRITE,
	TRAP_PEEK /* return the registers' values without side effects */
};

/* Reads and writes are of one register, where n is 1. */
typedef void
trap_registers(void *context, enum trap_access, uint32_t offset,
	       uint32_t *values, size_t n);

/*
 * From now on [base, base + bytes), whole pages of a mapping of the caller's,
 * are registers; offsets count from base.
 */
bool
trap_add(void *base, size_t bytes, trap_registers *registers, void *context,
	 struct diag *why);

/*
 * Forget what was added inside [base, base + bytes), if anything.  The pages
 * stay without rights until the caller unmaps them.  No thread may use them.
 */
void
trap_remove(void *base, size_t bytes);

#endif
