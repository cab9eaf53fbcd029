/* SPDX-License-Identifier: MIT */
/*
 * rig: a device, memory on it, and programs given as text.
 *
 * Nothing is ever put where something has been before: whichever caches a
 * launch flushes, and whichever it does not, no program can meet old words.
 * After a launch that failed the device is not touched again.
 */
#ifndef TESTS_HARDWARE_RIG_H
#define TESTS_HARDWARE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/device/device.h"

enum {
	RIG_BYTES = 8 << 20,
	RIG_DATA_BYTES = 1 << 20,
	RIG_LINE = 64,
	/* Nothing that is asked takes longer than a fraction of this. */
	RIG_TIMEOUT_MS = 500
};

/*
 * A piece of the device's memory.  On 64-bit ARMs it may be mapped as a device
 * is, and then what memcpy and memset do there is a fault: it is volatile, so
 * that it is used word by word.
 */
struct rig_piece {
	volatile uint32_t *cpu;
	uint32_t bus;
};

struct rig {
	const struct qpu_device *device;
	void *handle;
	unsigned qpus;
	struct device_memory memory;
	size_t used_bytes;
	struct rig_piece data;
	bool broken; /* a launch failed: no further one */
};

/* `words`: a device's name and, behind a colon, its options. */
bool
rig_open(struct rig *rig, const char *words, struct diag *why);

void
rig_close(struct rig *rig);

/* Another piece of memory for what is taken from now on; before each launch the
 * CPU's caches are flushed for this one only. */
bool
rig_renew(struct rig *rig, size_t bytes, struct diag *why);

/* A counter of the device by its name; 0 if it has none. */
uint64_t
rig_counter(struct rig *rig, const char *name);

/* Zeroed memory that nobody has used; false when there is no more. */
bool
rig_take(struct rig *rig, size_t bytes, struct rig_piece *piece,
	 struct diag *why);

void
rig_write(const struct rig_piece *piece, unsigned at, const uint32_t *words,
	  unsigned n);
void
rig_read(const struct rig_piece *piece, uint32_t *words, unsigned n);

/* RIG_DATA_BYTES for programs whose data do not matter; always the same. */
bool
rig_data(struct rig *rig, struct rig_piece *data, struct diag *why);

/* The program's bus address goes to *code. */
bool
rig_assemble(struct rig *rig, const char *text, uint32_t *code,
	     struct diag *why);

/*
 * False, and the device is broken, unless all programs have ended.  A device
 * may start what is expected to be short in another way; 0 is unknown.
 */
bool
rig_run(struct rig *rig, const struct device_program *programs, unsigned n,
	double expected_ms, struct diag *why);

#endif
