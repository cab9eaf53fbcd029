/* SPDX-License-Identifier: MIT */
/*
 * render: the functions of struct way (qpu/ways/way.h) over the kernel's
 * driver vc4, on a node of this machine or as a model in this process.
 *
 * What a process holds of the kernel goes back when its node is closed, also
 * when it is killed; a job that runs then ends by itself.  So nothing here
 * holds signals.
 */
#ifndef QPU_WAYS_RENDER_H
#define QPU_WAYS_RENDER_H

#include "qpu/abi/vc4.h"
#include "qpu/ways/way.h"

struct render;

/* How the kernel's driver is reached. */
struct drm_calls {
	void *context;
	/* A request of qpu/abi/vc4.h.  0, or -errno. */
	int (*request)(void *context, unsigned long request, void *argument);
	/* Memory of a buffer, by the offset that VC4_MMAP_BO gives.  NULL when
	 * it cannot be mapped.  Unmap is optional. */
	void *(*map)(void *context, uint64_t offset, size_t bytes);
	void (*unmap)(void *context, void *memory, size_t bytes);
	/* The node, and all buffers that it still has. */
	void (*close)(void *context);
};

/* A request, repeated while signals interrupt it.  0, or an errno. */
int
drm_ask(const struct drm_calls *, unsigned long request, void *argument);

/* Own the calls from now on, even on failure. Return NULL with the reason on
 * failure. */
struct render *
render_open(const struct drm_calls *, unsigned *qpus, struct diag *why_not);

/* Return the calls from render_open. */
const struct drm_calls *
render_calls(const struct render *);

bool
render_alloc(void *self, size_t bytes, struct way_memory *,
	     struct diag *why_not);
void
render_free(void *self, const struct way_memory *);
bool
render_load_program(void *self, const uint64_t *code, size_t n,
		    struct way_program *, struct diag *why_not);
enum device_status
render_submit(void *self, const struct way_job *, uint64_t *ticket,
	      struct diag *why_not);
enum device_status
render_wait(void *self, uint64_t ticket, unsigned timeout_ms, struct diag *why);
void
render_totals(void *self, struct device_totals *);

void
render_close(void *self);

#endif
