/* SPDX-License-Identifier: MIT */
/*
 * trap-device: registers that record who asked what, for the tests of trap.
 *
 * There are two pages of them, with a plain page before and after.  The log
 * has a word for each call: r10 is a read at offset 0x10, w10=2a a write; a
 * peek is not in it.  Reads are counted; of a device that is quiet, since
 * threads use it, they are not in the log.  Registers hold 0xa0000000 + offset
 * until something else is written.
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

static inline uint32_t
device_read(void *context, uint32_t offset)
{
	struct device *device = context;

	atomic_fetch_add(&device->reads, 1);
	if (device->quiet)
		return device->registers[offset / 4];
	device->logged += (size_t)snprintf(device->log + device->logged,
					   sizeof(device->log) - device->logged,
					   "%sr%x", device->logged ? " " : "",
					   offset);
	return device->registers[offset / 4];
}

static inline void
device_write(void *context, uint32_t offset, uint32_t value)
{
	struct device *device = context;

	device->logged += (size_t)snprintf(device->log + device->logged,
					   sizeof(device->log) - device->logged,
					   "%sw%x=%x",
					   device->logged ? " " : "", offset,
					   value);
	device->registers[offset / 4] = value;
}

static inline void
device_peek(void *context, uint32_t offset, uint32_t *values, size_t n)
{
	const struct device *device = context;

	memcpy(values, &device->registers[offset / 4], 4 * n);
}

/* The calls since the last time; the registers start again. */
static inline const char *
device_log(struct device *device)
{
	for (uint32_t i = 0; i < DEVICE_WORDS; i++)
		device->registers[i] = 0xa0000000 + 4 * i;
	device->logged = 0;
	return device->log;
}

/* An empty log to start with. */
static inline void
device_clear(struct device *device)
{
	device_log(device);
	device->log[0] = '\0';
}

static inline bool
device_open(struct device *device)
{
	struct diag why;
	uint8_t *pages = mmap(NULL, DEVICE_BYTES + 2 * DEVICE_PAGE,
			      PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	device->base = pages + DEVICE_PAGE;
	device_clear(device);
	const struct trap_registers registers = {
		.read = device_read,
		.write = device_write,
		.peek = device_peek,
		.context = device,
	};
	if (pages == MAP_FAILED ||
	    !trap_add(device->base, DEVICE_BYTES, &registers, &why)) {
		tap_note("%s", pages == MAP_FAILED ? "mmap" : why.text);
		return false;
	}
	return true;
}

/* The calls that an instruction has made; what it is, for the report. */
#define SEEN(device, calls, what)                                              \
	do {                                                                   \
		is(device_log(device), calls, "%s makes these calls", what);   \
		(device)->log[0] = '\0';                                       \
	} while (0)

#endif
