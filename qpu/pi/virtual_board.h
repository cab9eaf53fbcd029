/* SPDX-License-Identifier: MIT */
/*
 * virtual_board: the virtual Raspberry Pi as seen by one process.
 *
 * Under qpuemu there is one for each process, found by an environment variable.
 * In a process without that variable interposed calls go straight to the C
 * library.  An emulated device has a private board, which no other process sees.
 */
#ifndef QPU_PI_VIRTUAL_BOARD_H
#define QPU_PI_VIRTUAL_BOARD_H

#include <stdint.h>

#include "qpu/pi/profile.h"
#include "qpu/pi/shared.h"

struct gpu;

struct board {
	char dir[BOARD_DIRECTORY]; /* the directory; "": a private board */
	struct board_shared *shared;
	const struct profile *profile;
	const struct system *system;
	const struct soc *soc; /* NULL if it is no Raspberry Pi */
	uint32_t memory_base;  /* physical, of GPU memory */
	uint32_t memory_bytes;
	uint8_t *memory; /* of a private board */
	struct gpu *gpu; /* of a private board */
};

static inline bool
board_is_private(const struct board *board)
{
	return board->dir[0] == '\0';
}

/* Return the board of this process, or NULL. */
const struct board *
board_get(void);

/* Make a private board of a Raspberry Pi 1, whose GPU has the device's memory, and a
 * page before each of its blocks; its owner gives it the QPUs.  Return NULL with the
 * reason on failure. */
struct board *
board_new(const struct emulated_options *, struct diag *why);
void
board_free(struct board *);

/* Open a file in the private directory.  Return its descriptor, or -1 with errno. */
int
board_open(const struct board *, const char *name, int flags);

/* The same of a file with a number, CMA_FILE for example. */
int
board_open_numbered(const struct board *, const char *kind, unsigned number);

/* Return true if no process has opened or mapped it, or it does not exist. */
bool
board_file_is_gone(const struct board *, const char *kind, unsigned number);

/* Return GPU memory, which is mapped at the first call, or NULL. */
uint8_t *
board_gpu_memory(const struct board *);

/* Print a line to standard error, after "qpuemu: ". */
__attribute__((format(printf, 1, 2))) void
board_say(const char *format, ...);

#endif
