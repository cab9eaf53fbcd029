/* SPDX-License-Identifier: MIT */
/*
 * kernel-requests: requests to the nodes of a Raspberry Pi with the numbers and
 * structures of the kernel's headers.  Nothing of it is from ours.
 */
#ifndef TESTS_VIRTUAL_KERNEL_REQUESTS_H
#define TESTS_VIRTUAL_KERNEL_REQUESTS_H

#include <stdint.h>
#include <sys/ioctl.h>

struct vcsm_alloc {
	uint32_t size, num, cached, pad;
	uint8_t name[32];
	int32_t handle;
	uint32_t vc_handle;
	uint64_t dma_addr;
};

struct vcsm_import {
	int32_t dmabuf;
	uint32_t cached;
	uint8_t name[32];
	int32_t handle;
	uint32_t vc_handle, size, pad;
	uint64_t dma_addr;
};

struct heap_alloc {
	uint64_t bytes;
	uint32_t fd, fd_flags;
	uint64_t heap_flags;
};

#define VCSM_ALLOC _IOR('J', 0x5a, struct vcsm_alloc)
#define VCSM_IMPORT _IOR('J', 0x5b, struct vcsm_import)
#define VCSM_CACHES _IOR('J', 0x5c, uint64_t)
#define HEAP_ALLOC _IOWR('H', 0, struct heap_alloc)
#define HEAP_SYNC _IOW('b', 0, uint64_t)
#define MAILBOX _IOWR(100, 0, char *)

#endif
