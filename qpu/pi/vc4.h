/* SPDX-License-Identifier: MIT */
/*
 * vc4: a model of the Linux kernel's driver for the VideoCore IV, as a program
 * meets it at one open render node, with an emulated V3D behind it.
 *
 * A struct vc4 is one open file of the node: its buffers, their handles, its
 * programs, and the machine that runs its jobs.  vc4_ioctl does what ioctl(2)
 * does with a request of qpu/abi/vc4.h, and vc4_pages_at finds what mmap(2) maps at
 * an offset that VC4_MMAP_BO gave.  Requests are refused with the errors of Linux
 * 6.12 to 7.2 (drivers/gpu/drm/vc4: vc4_gem.c, vc4_validate.c, vc4_render_cl.c,
 * vc4_bo.c); the programs of shader buffers are checked by
 * qpu/validate/drm_rules.h. A pointer in a request is an address of the process
 * that calls, which is used as it is.
 *
 * Time is modelled.  A submitted job runs while a program waits for it, or for
 * a later one: VC4_WAIT_SEQNO, or a submit that must wait as the kernel's does.
 * A wait lasts until the job has ended, or its timeout has passed, in clocks of
 * the V3D; a poll (timeout 0) lets 0.1 ms pass.  In functional mode, which has
 * no clocks, 3 instructions of any QPUs count as one clock (12 QPUs, 4 clocks
 * each).  The kernel's own rule ends a job that hangs.  A timer fires at whole
 * seconds of its clock, which is 0 when the node is opened; the next one lies
 * at least 0.1 s after a job was submitted to an empty queue, or after it
 * fired.  If no list has moved since it fired last, the V3D is reset and the
 * job completes without an error.  This takes 1.1 to 2.1 s, more if other
 * programs submit jobs.
 *
 * Not modelled: outputs to a display, sharing of buffers between processes,
 * memory that may be taken back, performance monitors, synchronization objects,
 * capabilities, freed buffers that the kernel keeps for a second or two, the
 * wait of kernels before 6.15 for vertices that another job stores, and a
 * binner that needs more than one slot of memory (it hangs).  Refused as
 * invalid: waits for buffers, labels, tiling, an order of tiles, loads of
 * tiles, stores of images and depth, and indexed primitives.  A list that the
 * binner never ends is given up after ten resets, where the kernel would try
 * for ever.  One struct vc4 is used by one thread at a time.
 */
#ifndef QPU_PI_VC4_H
#define QPU_PI_VC4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/fault.h"
#include "src/base/diag.h"

/* Contiguous memory that the CPU and the V3D share, in pages. */
struct vc4_pages {
	uint32_t bus; /* address, without alias */
	uint32_t bytes;
	void *host; /* mapped for reading and writing */
	unsigned number;
};

/* Calls from a node to its owner. */
struct vc4_host {
	void *context;
	/* Allocate and free memory. take returns 0 or an errno. */
	int (*take)(void *context, uint32_t bytes, struct vc4_pages *);
	void (*give)(void *context, const struct vc4_pages *);
	/* Return true if a signal is pending.  A wait polls it, and ends with
	 * EINTR.  Optional. */
	bool (*signal_came)(void *context);
	/* Log that the kernel resets the V3D. why is the emulator's reason for
	 * the hang, "" if the job only takes too long. Optional. */
	void (*log_reset)(void *context, const char *why);
};

/* A Raspberry Pi 3. */
struct vc4_options {
	const struct vc4_host *host; /* NULL: memory of the process, as below */
	unsigned cma_mib;	     /* of the process */
	unsigned v3d_mhz;	     /* 0: 250 */
	struct pi_fault fault;	     /* of jobs and buffers */
	struct machine_options machine;
};

struct vc4;

/* Open the node.  Return NULL with the reason if the process has no memory. */
struct vc4 *
vc4_new(const struct vc4_options *, struct diag *why);

/* Close it.  Drop the jobs in the queue, and return all memory. */
void
vc4_free(struct vc4 *);

/* A request of qpu/abi/vc4.h.  0 or -errno; errno itself does not change. */
int
vc4_ioctl(struct vc4 *, unsigned long request, void *argument);

/* Find the memory of a buffer, at an offset that VC4_MMAP_BO gave; it stays until the
 * handle is closed.  0, or -errno: there is no such buffer, it has fewer bytes, or it
 * is a program that would be written. */
int
vc4_pages_at(struct vc4 *, uint64_t offset, uint64_t bytes, bool writing,
	     struct vc4_pages *);

/* The V3D, for totals, counters and traces. */
struct machine *
vc4_machine(struct vc4 *);

/* Say about how many instructions the next jobs have, for faults that strike at some
 * moment of a job. */
void
vc4_expect(struct vc4 *, uint64_t instructions);

/* Modelled nanoseconds that waits have taken, and jobs that have ended. */
uint64_t
vc4_time_ns(const struct vc4 *);
uint64_t
vc4_jobs(const struct vc4 *);

/* Contiguous memory of the process, for struct vc4_host. */
struct vc4_memory {
	uint8_t *host; /* of the first page */
	uint32_t pages;
	bool *is_used; /* by page */
};

bool
vc4_memory_open(struct vc4_memory *, uint32_t bytes, struct diag *why);
void
vc4_memory_close(struct vc4_memory *);

/* struct vc4_host's functions, with a struct vc4_memory.  Pages are zero. */
int
vc4_memory_take(void *memory, uint32_t bytes, struct vc4_pages *);
void
vc4_memory_give(void *memory, const struct vc4_pages *);

#endif
