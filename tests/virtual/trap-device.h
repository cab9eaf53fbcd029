/* SPDX-License-Identifier: MIT */
/*
 * trap-device: registers that log accesses, for the tests of trap.
 *
 * There are two pages of them, with a plain page before and after.  The log
 * has a word for each access: r10 is a read at offset 0x10, w10=2a a write; a
 * peek is not in it.  Threads share a quiet device, which counts reads instead of
 * logging them.  Registers hold 0xa0000000 + offset until something else is
 * written.
 */
#ifndef TESTS_VIRTUAL_TRAP_DEVICE_H
#define TESTS_VIRTUAL_TRAP_DEVICE_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/virtual/mmio/trap.h"
#include "tests/support/tap.h"

enum {
	DEVICE_PAGE = 4096,
	DEVICE_BYTES = 2 * DEVICE_PAGE,
	DEVICE_WORDS = DEVICE_BYTES / 4,
};

struct device {
	uint32_t registers[DEVICE_WORDS];
	char log[2048];
	size_t logged;
	bool quiet;
	atomic_uint reads;
	uint8_t *base; /* of the registers */
};

static inline void
device_access(void *context, enum trap_access access, uint32_t offset,
	      uint32_t *values, size_t n)
{
	struct device *device = context;
	char *end = device->log + device->logged;
	const size_t room = sizeof(device->log) - device->logged;
	const char *space = device->logged ? " " : "";

	if (access == TRAP_WRITE)
		device->registers[offset / 4] = *values;
	else
		memcpy(values, &device->registers[offset / 4], 4 * n);
	if (access == TRAP_READ)
		atomic_fetch_add(&device->reads, 1);
	if (access == TRAP_PEEK || device->quiet)
		return;
	device->logged +=
		(size_t)(access == TRAP_READ ?
				 snprintf(end, room, "%sr%x", space, offset) :
				 snprintf(end, room, "%sw%x=%x", space, offset,
					  *values));
}

/* Return the log since the last call, and reset the registers. */
static inline const char *
device_log(struct device *device)
{
	for (uint32_t i = 0; i < DEVICE_WORDS; i++)
		device->registers[i] = 0xa0000000 + 4 * i;
	device->logged = 0;
	return device->log;
}

/* Empty the log and reset the registers. */
static inline void
device_clear(struct device *device)
{
	device_log(device);
	device->log[0] = '\0';
}

/* Map the pages and trap accesses to the registers. */
static inline bool
device_open(struct device *device)
{
	struct diag why;
	uint8_t *pages = mmap(NULL, DEVICE_BYTES + 2 * DEVICE_PAGE,
			      PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	device->base = pages + DEVICE_PAGE;
	device_clear(device);
	if (pages == MAP_FAILED || !trap_add(device->base, DEVICE_BYTES,
					     device_access, device, &why)) {
		tap_note("%s", pages == MAP_FAILED ? "mmap" : why.text);
		return false;
	}
	return true;
}

/* Test one case: the instruction that `what` names has made these accesses. */
#define SEEN(device, calls, what)                                              \
	do {                                                                   \
		is(device_log(device), calls, "%s makes these calls", what);   \
		(device)->log[0] = '\0';                                       \
	} while (0)

#endif
