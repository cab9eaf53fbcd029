/* SPDX-License-Identifier: MIT */
/*
 * queue: jobs in the order of their submission.  Each is binned and then
 * rendered; a job is binned while the one before it is rendered (vc4_gem.c,
 * vc4_irq.c).
 *
 * Time goes on while somebody waits, and only then.
 */
#ifndef QPU_VC4_QUEUE_H
#define QPU_VC4_QUEUE_H

#include "qpu/vc4/vc4_node.h"

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
