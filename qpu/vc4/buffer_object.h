/* SPDX-License-Identifier: MIT */
/*
 * buffer_object: the buffers of an open node, and their handles (vc4_bo.c).
 *
 * A buffer stays while it has a handle, a mapping, or a job that uses it.
 */
#ifndef QPU_VC4_BUFFER_OBJECT_H
#define QPU_VC4_BUFFER_OBJECT_H

#include "qpu/validate/drm_rules.h"
#include "qpu/vc4/vc4_node.h"

struct vc4_buffer {
	struct vc4_buffer *next; /* of all that there are */
	struct vc4_pages pages;
	uint64_t offset; /* for mmap */
	unsigned references;
	unsigned mappings;	     /* references that are mappings */
	uint64_t seqno, write_seqno; /* last jobs that use it, that write it */
	bool is_program;
	struct qpu_drm_program program;
};

/* The buffer of a handle, or NULL. */
struct vc4_buffer *
buffer_of_handle(const struct vc4 *, uint32_t handle);

/* Pages from the node's memory; the machine sees them.  0 or -errno. */
int
buffer_take_pages(struct vc4 *, uint32_t bytes, struct vc4_pages *);
void
buffer_give_pages(struct vc4 *, struct vc4_pages *);

/* One reference less. */
void
buffer_put(struct vc4 *, struct vc4_buffer *);

/* Requests: 0 or -errno. */
int
buffer_create(struct vc4 *, void *request);
int
buffer_create_program(struct vc4 *, void *request);
int
buffer_mmap(struct vc4 *, void *request);
int
buffer_close(struct vc4 *, void *request);

/* All of them are gone, whatever refers to them. */
void
buffer_close_all(struct vc4 *);

#endif
