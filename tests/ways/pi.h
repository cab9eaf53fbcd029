/* SPDX-License-Identifier: MIT */
/*
 * pi: a Raspberry Pi 2 at its nodes, for tests of the driver.
 *
 * pi_begin() puts it into the place of the C library's open, ioctl, mmap and so
 * on (support/fault.h).  Firmware and kernel are a few counters, and nothing
 * runs: a program has ended as soon as it is started.  What is asked of them is
 * a letter each, also what children of the test ask:
 *
 *	E e	the QPUs on, off
 *	x	execute
 *	c	the clock
 *	P	a process keeps memory
 *	K k m	the clock on, off, its rate is set
 *	s	VCSM_ALLOCATE
 *	h i	memory of the heap, VCSM_IMPORT
 *	f R	flush, refresh
 *	w	nothing, for 10 ms
 */
#ifndef TESTS_WAYS_PI_H
#define TESTS_WAYS_PI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/vcsm.h"

enum pi_node { PI_VCIO, PI_VCSM, PI_HEAP, PI_NODES };

/* Sets of nodes: where memory comes from. */
enum {
	PI_UNCACHED = 1 << PI_VCIO | 1 << PI_VCSM,
	PI_CACHED = PI_UNCACHED | 1 << PI_HEAP
};

struct pi {
	/* The machine. */
	bool is_pc;
	const char *chip;	/* "brcm,bcm2836" */
	const char *model;	/* "Raspberry Pi 2 Model B Rev 1.1" */
	const char *status;	/* of the V3D: "disabled", or "okay" with KMS */
	bool has_module;	/* vc_sm_cma is loaded */
	const char *other_file; /* NULL, or one more that there is */
	unsigned nodes;		/* that there are */
	const char *machine;	/* of uname() */
	const char *meminfo;	/* NULL if it cannot be opened */

	/* Failures: each an errno, or 0. */
	int open_errors[PI_NODES]; /* of the next one only */
	int lock_error, map_error;
	int heap_error, import_error, vcsm_error;
	int sync_errors[4]; /* of the next flushes and refreshes */
	int enable_error, run_error;
	/* A tag of the firmware that is not answered: the request fails, its
	 * code says so, its code stays as it was, or the tag does. */
	uint32_t lost_tag;
	enum { LOST_REQUEST, LOST_CODE, LOST_MESSAGE, LOST_TAG } lost;
	unsigned no_memory; /* the next requests to the firmware have none */

	/* The firmware's answers. */
	uint32_t gpu_mib, enable_answer, run_answer, clock_hz, max_hz, revision;
	bool clock_off;
	uint32_t set_hz; /* of the clock; 0 = max_hz */

	/* Address of the kernel's next buffer. */
	uint64_t dma_addr;

	/* The requests' arguments. */
	uint32_t execute[4];
	struct vcsm_allocate vcsm;
	struct vcsm_import import;
	struct dma_heap_allocate heap;
	unsigned locks;
	bool interruptible; /* a signal could reach the kernel's allocation */

	/* Mappings of memory for the QPUs. */
	void *last;
	size_t last_bytes;
	int mapped, unwiped;
	int buffers; /* descriptors of the kernel's that are open */
};

extern struct pi pi;

/* A good Pi 2 with these nodes; the clock stands at 1 s.  pi_end() gives the C
 * library back. */
void
pi_begin(unsigned nodes);
void
pi_end(void);

/* An event of the test's own. */
void
pi_note(char event);

/* Return the requests since the last pi_forget(). */
const char *
pi_events(void);

/* Return true if these were all requests since then; else print them. Forget
 * them. */
bool
pi_asked(const char *events);

/* Forget what was asked. */
void
pi_forget(void);

#endif
