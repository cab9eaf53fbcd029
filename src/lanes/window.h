/* SPDX-License-Identifier: MIT */
/*
 * window: a part of a file that is mapped, so that its blocks can be hashed where
 * the page cache has them.
 *
 * A page that is no more there (the file was truncated), or that its disk cannot
 * give, would kill the process by SIGBUS.  In a window it becomes zeros, and the
 * window is lost: what was computed from it counts for nothing.  Any other SIGBUS
 * does what it would have done without windows.
 *
 * All windows of a thread lie side by side, and no other thread touches them.
 */
#ifndef SRC_LANES_WINDOW_H
#define SRC_LANES_WINDOW_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WINDOWS_MOST = 64 };

struct windows {
	unsigned n;    /* <= WINDOWS_MOST */
	size_t bytes;  /* of each, whole pages */
	uint8_t *base; /* NULL: their addresses are not reserved yet */
	volatile sig_atomic_t lost[WINDOWS_MOST];
};

/* Map a part of a file, at most as large as a window, in the place of what window
 * i has shown.  The offset is one of a page.  False: it cannot be had. */
bool
windows_show(struct windows *, unsigned i, int fd, off_t offset, size_t bytes);

/* Where window i begins. */
static inline const uint8_t *
windows_data(const struct windows *windows, unsigned i)
{
	return windows->base + i * windows->bytes;
}

/* Was a page of window i missing since it was shown? */
static inline bool
windows_is_lost(const struct windows *windows, unsigned i)
{
	return windows->lost[i];
}

/* Window i shows nothing any more. */
void
windows_hide(struct windows *, unsigned i);

/* Give back all addresses. */
void
windows_close(struct windows *);

/*
 * A thread that has the kernel enter mapped pages into the page table before
 * another thread needs them, which saves that one the page faults
 * (MADV_POPULATE_READ, from Linux 5.14 on; before, nothing is saved).  What is
 * asked of it may be unmapped at any time.
 */
struct prefault;

/* NULL: a thread or memory is not available. */
struct prefault *
prefault_start(void);

/* These pages are needed soon, and no more those that were asked for before. */
void
prefault_ask(struct prefault *, const uint8_t *pages, size_t bytes);

/* End the thread.  NULL is allowed. */
void
prefault_stop(struct prefault *);

#endif
