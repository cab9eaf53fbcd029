/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/barrier.h"

/*
 * C's fence orders CPUs among each other (dmb ish); the QPUs are outside of
 * that inner shareable domain.  On ARMv6 GCC's barrier is CP15's DMB.
 */
void
memory_barrier(void)
{
#if defined(__ARM_ARCH) && __ARM_ARCH >= 7
	__asm__ volatile("dsb sy" : : : "memory");
#else
	__sync_synchronize();
#endif
}
