/* SPDX-License-Identifier: MIT */
/*
 * vcsm: /dev/vcsm-cma, memory for CPU and VideoCore that the kernel takes back
 * by itself (videocore-iv.md, section 14).
 */
#ifndef QPU_VCSM_H
#define QPU_VCSM_H

#include <stdint.h>
#include <sys/ioctl.h>

enum vcsm_cached {
	VCSM_UNCACHED,
	VCSM_CACHED_ARM,
	VCSM_CACHED_VC,
	VCSM_CACHED_BOTH
};

/* The handle is a descriptor: map it, close it. */
struct vcsm_allocate {
	/* in */
	uint32_t size;			/* bytes */
	uint32_t num;			/* of such blocks */
	uint32_t cached;		/* enum vcsm_cached */
	uint32_t pad;
	uint8_t name[32];
	/* out */
	int32_t handle;
	uint32_t vc_handle;
	uint64_t dma_addr;
};

#define VCSM_ALLOCATE _IOR('J', 0x5a, struct vcsm_allocate)

#endif
