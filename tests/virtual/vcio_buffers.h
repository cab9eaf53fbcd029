/* SPDX-License-Identifier: MIT */
/*
 * vcio_buffers: hello in buffers of the kernel's modules.  Each function returns
 * the exit status.
 */
#ifndef TESTS_VIRTUAL_VCIO_BUFFERS_H
#define TESTS_VIRTUAL_VCIO_BUFFERS_H

#include <stdint.h>

#include "tests/virtual/vcio_hello.h"

/* The structure and the request of the kernel's header. */
struct vcsm_alloc {
	uint32_t size, num, cached, pad;
	uint8_t name[32];
	int32_t handle;
	uint32_t vc_handle;
	uint64_t dma_addr;
};

/* Memory of /dev/vcsm-cma, until the process ends. */
struct memory
take_buffer(void);

int
vcsm_alloc(unsigned n, char **mib);

/* The same, and keep them until standard input ends. */
int
vcsm_hold(unsigned n, char **mib);

int
heap(const char *code, const char *without);

int
vcsm(const char *code);

/* Memory of /dev/vcsm, which is open: its handle. */
uint32_t
classic_take(int vcsm, uint32_t bytes);

int
classic_hello(const char *code);

#endif
