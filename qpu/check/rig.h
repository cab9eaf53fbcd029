/* SPDX-License-Identifier: MIT */
/*
 * rig: a device, memory on it, and programs given as text.
 *
 * Memory is never used twice: whichever caches a launch flushes, and whichever
 * it does not, no program can read old words.  After a launch that failed the
 * device is not used again.
 */
#ifndef QPU_CHECK_RIG_H
#define QPU_CHECK_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/ways/way.h"

enum {
	RIG_BYTES = 8 << 20,
	RIG_DATA_BYTES = 1 << 20,
	RIG_LINE = 64,
	/* All launches are to take a fraction of this. */
	RIG_TIMEOUT_MS = 500
};

/*
 * A part of the device's memory.  On 64-bit ARMs it may be mapped as device
 * memory, where memcpy and memset fault: it is volatile, so that it is used
 * word by word.
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
	bool broken; /* a launch failed, and there is no further one */
	/* How the last launch of a real device went: "mailbox" or "registers";
	 * NULL before the first one, and of others. */
	const char *way;
	bool has_registers; /* a launch by registers has come back */
	/* The firmware did not answer in time.  Its late answer would be taken
	 * for that of the next request, which may be the SD card's: nothing
	 * more should be asked of it. */
	bool silent;
};

/* Did the last launch go by registers? */
bool
rig_went_by_registers(const struct rig *);

/* Launches that are expected to be short go by registers where the device may
 * choose, those of unknown length by mailbox. */
static const double rig_by_registers_ms = 0.1, rig_by_mailbox_ms = 0;

/* `words` is a device's name and, after a colon, its options. */
bool
rig_open(struct rig *rig, const char *words, struct diag *why);

void
rig_close(struct rig *rig);

/* Allocate memory for all that is taken from now on; before each launch the
 * CPU's caches are flushed for this memory only. */
bool
rig_renew(struct rig *rig, size_t bytes, struct diag *why);

/* The value of a device's counter by its name; 0 if there is none. */
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

/* RIG_DATA_BYTES for programs whose data do not matter; always the same
 * memory. */
bool
rig_data(struct rig *rig, struct rig_piece *data, struct diag *why);

/* Text of programs: a vector goes through row 0 of the VPM to an address, and a
 * program ends.  Instructions after the end are fetched, so they must exist. */
#define RIG_STORE(vector, address)                                             \
	"ldi vw_setup, 0x1a00\n"                                               \
	"mov vpm, " vector "\n"                                                \
	"ldi vw_setup, 0x80904000\n" /* 1 row of 16 words */                   \
	"ldi vw_setup, 0xc0000000\n"                                           \
	"mov vw_addr, " address "\n"                                           \
	"mov -, vw_wait\n"
#define RIG_END "thrend\nnop\nnop\n.rep i, 16\nnop\n.endr\n"

/* Assemble a program; *code becomes its bus address. */
bool
rig_assemble(struct rig *rig, const char *text, uint32_t *code,
	     struct diag *why);

/*
 * Run programs.  False, and the device is broken, unless all have ended; the
 * reason begins with the way, if there are several.  A device may start programs
 * that are expected to be short in another way; 0 is unknown.
 */
bool
rig_run(struct rig *rig, const struct device_program *programs, unsigned n,
	double expected_ms, struct diag *why);

#endif
