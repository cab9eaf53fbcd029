/* SPDX-License-Identifier: MIT */
/*
 * next: calls the C library's function from an interposed one.
 */
#ifndef QPU_VIRTUAL_MMIO_NEXT_H
#define QPU_VIRTUAL_MMIO_NEXT_H

#include <dlfcn.h>

/* Two threads may look it up at the same time: they find the same. */
#define NEXT(name) NEXT_EXPANDED(name)
#define NEXT_EXPANDED(name) NEXT_CALLED(name, #name)
#define NEXT_CALLED(name, text)                                                \
	__extension__({                                                        \
		static __typeof__(&(name)) next_;                              \
		if (!next_)                                                    \
			next_ = (__typeof__(&(name)))dlsym(RTLD_NEXT, text);   \
		next_;                                                         \
	})

/* Interposed functions are visible; all other symbols are hidden.  No header
 * declares those that only old or checked programs call. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define EXPORT __attribute__((visibility("default")))

#endif
