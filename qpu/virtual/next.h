/* SPDX-License-Identifier: MIT */
/*
 * next: the function of the C library behind an interposed one.
 */
#ifndef QPU_VIRTUAL_NEXT_H
#define QPU_VIRTUAL_NEXT_H

#include <dlfcn.h>

/* Finding it twice at the same time does no harm. */
#define NEXT(name) NEXT_EXPANDED(name)
#define NEXT_EXPANDED(name) NEXT_CALLED(name, #name)
#define NEXT_CALLED(name, text) __extension__ ({			\
	static __typeof__(&(name)) next_;				\
	if (!next_)							\
		next_ = (__typeof__(&(name)))dlsym(RTLD_NEXT, text);	\
	next_; })

/* What the object shows to the program; all else is hidden. */
#define EXPORT __attribute__((visibility("default")))

#endif
