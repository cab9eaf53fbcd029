/* SPDX-License-Identifier: MIT */
/*
 * gpu: the QPUs of the virtual board, and what its firmware does with launches.
 *
 * Each process that starts programs has an emulated machine of its own; what
 * outlives a process (memory, a hang) is in struct board_shared.  A program may
 * touch locked GPU memory and buffers of /dev/vcsm-cma, nothing else.
 * Called with the board's lock held, unless the board is private.
 */
#ifndef QPU_PI_GPU_H
#define QPU_PI_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/board_memory.h"
#include "qpu/pi/faults.h"
#include "qpu/pi/observer.h"
#include "qpu/pi/virtual_board.h"

/* The machine; NULL with the reason if it cannot be made. */
struct machine *
gpu_machine(const struct board *, struct diag *why);

/* The next launch's length and results, which its request does not have: for
 * faults. */
struct gpu_job {
	uint64_t instructions; /* of all QPUs, about, or 0 */
	unsigned nresults;
	struct pi_memory results[MACHINE_QPUS]; /* that a program stores */
};

/* All zero at first; a board without one of its own uses the process's. */
struct gpu {
	struct machine *machine;
	pid_t owner; /* a child must not run its parent's programs */
	struct board_memory memory;
	uint32_t resets; /* of struct board_shared, when last seen */
	struct observer observer;
	struct faults faults;
	struct gpu_job job; /* the next launch */
	/* Why the last launch failed; "": nothing more is known.  It broke a rule if
	 * a program did what the hardware does not have. */
	struct diag failure;
	bool broke_rule;
	bool running; /* programs may be left */
	bool early;   /* the firmware has answered, and programs are left */
};

/* Free what it has. */
void
gpu_free(struct gpu *);

enum gpu_answer {
	GPU_OK,
	GPU_FAILED, /* the firmware's answer to refusals and hangs */
	GPU_LATE    /* the kernel gave up waiting for the firmware */
};

/* Start `n` programs; `control` is the bus address of their pairs.  With noflush
 * the QPUs' caches stay as the launch before has left them. */
enum gpu_answer
gpu_execute(const struct board *, uint32_t n, uint32_t control, bool noflush,
	    uint32_t timeout_ms);

/*
 * Registers of the V3D by byte offset.  Running programs advance at each read;
 * a peek at n registers changes nothing.
 */
uint32_t
gpu_read(const struct board *, uint32_t offset);
void
gpu_peek(const struct board *, uint32_t offset, uint32_t *values, size_t n);
void
gpu_write(const struct board *, uint32_t offset, uint32_t value);

#endif
