/* SPDX-License-Identifier: MIT */
/*
 * stat() and its relatives once more, as programs of 32 bits call them that
 * were compiled for times of 64.  Others have these under their usual names.
 */
#include "config.h"
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#undef _FORTIFY_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/mmio/next.h"
#include "qpu/virtual/preload/node.h"

/* The first is defined even where time_t always had 64 bits. */
#if defined __USE_TIME_BITS64 && __TIMESIZE == 32
/* The headers give the functions below their other names. */
#define BITS(name) name
#define NEXT_STAT(...) NEXT_CALLED(fstatat, "__fstatat64_time64")(__VA_ARGS__)
#include "qpu/virtual/preload/stat_template.h"
#endif
