/* SPDX-License-Identifier: MIT */
/*
 * vcsm: /dev/vcsm-cma, the kernel's allocator of memory for CPU and VideoCore.
 * The kernel frees a buffer when its last descriptor and mapping are gone
 * (hardware reference, section 14).
 */
#ifndef QPU_ABI_VCSM_H
#define QPU_ABI_VCSM_H

#include <stdint.h>
#include <sys/ioctl.h>

enum vcsm_cached {
	VCSM_UNCACHED,
	VCSM_CACHED_ARM,
	VCSM_CACHED_VC,
	VCSM_CACHED_BOTH
};

/* The handle is a file descriptor, to be mapped and closed. */
struct vcsm_allocate {
	/* in */
	uint32_t size;	 /* bytes */
	uint32_t num;	 /* of such blocks */
	uint32_t cached; /* enum vcsm_cached */
	uint32_t pad;
	uint8_t name[32];
	/* out */
	int32_t handle;
	uint32_t vc_handle;
	uint64_t dma_addr;
};

/* The handle is a descriptor that keeps the import; a dma-buf has to be in one
 * piece. */
struct vcsm_import {
	/* in */
	int32_t dmabuf;	 /* descriptor */
	uint32_t cached; /* enum vcsm_cached */
	uint8_t name[32];
	/* out */
	int32_t handle;
	uint32_t vc_handle;
	uint32_t size; /* bytes */
	uint32_t pad;
	uint64_t dma_addr;
};

#define VCSM_ALLOCATE _IOR('J', 0x5a, struct vcsm_allocate)
#define VCSM_IMPORT _IOR('J', 0x5b, struct vcsm_import)

#endif
