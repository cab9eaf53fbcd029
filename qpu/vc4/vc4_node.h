/* SPDX-License-Identifier: MIT */
/*
 * vc4_node: struct vc4, an open node, and what its requests share; private to this
 * room.
 */
#ifndef QPU_VC4_VC4_NODE_H
#define QPU_VC4_VC4_NODE_H

#include "qpu/vc4/vc4.h"

enum {
	VC4_PAGE = 4096,
	VC4_BIN_BYTES = 16 << 20, /* of the binner, in 32 slots */
	VC4_BIN_SLOT_BYTES = VC4_BIN_BYTES / 32
};

struct vc4_buffer;
struct vc4_job;

/* Jobs in the order of their submission. */
struct vc4_fifo {
	struct vc4_job *first, *last;
};

struct vc4 {
	struct vc4_options options;
	struct vc4_memory memory;
	struct vc4_signals signals;
	struct vc4_log log;
	struct diag stopped; /* why the V3D cannot go on; text "": it can */
	bool is_faulty;	     /* the job asks for what cannot be done */
	struct cma cma;	     /* where memory is of the process */
	struct machine *machine;

	struct vc4_buffer *buffers;  /* all */
	struct vc4_buffer **handles; /* by handle - 1; NULL: free */
	uint32_t nhandles;
	size_t handles_room;
	uint64_t allocations; /* buffers that were asked for, for faults */

	struct vc4_pages bin; /* the binner's memory; bytes 0: none yet */
	uint32_t bin_used;    /* its slots, a bit each */
	uint32_t overflow;    /* the slot that the binner got while it ran */

	struct vc4_fifo binning, rendering;
	bool bin_busy, render_busy; /* the V3D works on the first one */
	uint64_t emitted, finished; /* seqnos */
	uint64_t interrupted; /* the last that a wait was interrupted for */
	uint64_t now_ns;      /* modelled */
	uint64_t clocks;      /* of the machine, as far as in now_ns */
	uint64_t check_ns;    /* when the timer looks for hangs next */
};

/* Does a fault of this kind strike the job or buffer of that number? */
bool
fault_strikes(const struct vc4 *, enum vc4_fault, uint64_t number);

/*
 * The queue: jobs in the order of their submission.  Each is binned and then
 * rendered; a job is binned while the one before it is rendered (vc4_gem.c,
 * vc4_irq.c).  Time goes on while somebody waits, and only then.
 */

/* Adds a checked job and returns its seqno. */
uint64_t
queue_add(struct vc4 *, struct vc4_job *);

/* Waits until a job has ended: 0, -ETIME or -EINTR.  UINT64_MAX is for ever. */
int
queue_wait(struct vc4 *, uint64_t seqno, uint64_t timeout_ns);

/* One of the 32 pieces of the binner's memory; waits until one is free.  False:
 * a signal came meanwhile. */
bool
queue_take_bin_slot(struct vc4 *, uint32_t *slot);

/* Forgets all jobs. */
void
queue_clear(struct vc4 *);

/* VC4_WAIT_SEQNO and VC4_WAIT_BO. */
int
queue_wait_seqno(struct vc4 *, void *request);
int
queue_wait_buffer(struct vc4 *, void *request);

#endif
