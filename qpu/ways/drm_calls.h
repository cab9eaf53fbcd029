/* SPDX-License-Identifier: MIT */
/*
 * drm_calls: all that the driver asks the kernel's driver vc4 for, on a node of
 * this machine or a model of the kernel's driver in this process.
 *
 * Each function is one request (qpu/abi/vc4.h), repeated while signals
 * interrupt it.  Those that return an int return 0 or an errno.
 */
#ifndef QPU_WAYS_DRM_CALLS_H
#define QPU_WAYS_DRM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/abi/vc4.h"

/* How the kernel's driver is reached. */
struct drm_calls {
	void *context;
	/* A request of qpu/abi/vc4.h.  0, or -errno. */
	int (*request)(void *context, unsigned long request, void *argument);
	/* Memory of a buffer, by the offset that VC4_MMAP_BO gives.  NULL when
	 * it cannot be mapped. */
	void *(*map)(void *context, uint64_t offset, size_t bytes);
	void (*unmap)(void *context, void *memory, size_t bytes);
	/* The node, and all buffers that it still has. */
	void (*close)(void *context);
};

/* Is this the name of the driver? */
bool
drm_is_driver(const struct drm_calls *, const char *name);

int
drm_param(const struct drm_calls *, enum vc4_param, uint64_t *value);

/* A buffer of whole pages, zeroed; ENOMEM. */
int
drm_create(const struct drm_calls *, size_t bytes, uint32_t *handle);

/* NULL when it cannot be mapped. */
void *
drm_map(const struct drm_calls *, uint32_t handle, size_t bytes);

/* A program of n instructions; EINVAL if it breaks a rule of the kernel. */
int
drm_create_program(const struct drm_calls *, const uint64_t *code, size_t n,
		   uint32_t *handle);

/* A job into the queue; seqno is in it afterwards. */
int
drm_submit(const struct drm_calls *, struct vc4_submit_cl *);

/* Wait for a job and all before it.  ETIME after timeout_ns, 0 = at once. */
int
drm_wait(const struct drm_calls *, uint64_t seqno, uint64_t timeout_ns);

/* The handle is gone; the kernel keeps the buffer while a job needs it. */
void
drm_forget(const struct drm_calls *, uint32_t handle);

#endif
