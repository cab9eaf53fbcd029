/* SPDX-License-Identifier: MIT */
/*
 * copy: memory of the caller, to which a request may point: it is copied as
 * the kernel does, and an address that is not memory is no end of the process.
 */
#ifndef QPU_VC4_COPY_H
#define QPU_VC4_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 or -EFAULT. */
int
vc4_copy_in(void *to, uint64_t from, size_t bytes);
int
vc4_copy_out(uint64_t to, const void *from, size_t bytes);

#endif
