/* SPDX-License-Identifier: MIT */
/*
 * calls: how the kernel's driver vc4 is reached.  The same driver of ours runs
 * on a node of this machine, and on a model of the kernel's in this process.
 */
#ifndef QPU_DRM_CALLS_H
#define QPU_DRM_CALLS_H

#include <stddef.h>
#include <stdint.h>

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

#endif
