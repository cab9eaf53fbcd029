/* SPDX-License-Identifier: MIT */
/*
 * state: what firmware and kernel remember, in a file that all processes
 * under one qpuemu share.
 *
 * GPU memory, locks and enabled QPUs outlive the process that asked for them,
 * as they do on a Raspberry Pi.  Whoever reads or writes more than the fixed
 * part holds the lock, which also keeps signals away: to the program a call
 * of the device looks like one of the kernel.
 */
#ifndef QPU_VIRTUAL_STATE_H
#define QPU_VIRTUAL_STATE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/device_words.h"
#include "qpu/emulator.h"

enum {
	STATE_BLOCKS = 512,
	STATE_BUFFERS = 256,
	STATE_LINKS = 8,
	STATE_PATH = 4096
};

/* Names in the private directory. */
#define STATE_FILE "state"
#define STATE_MEMORY "memory"
#define STATE_ROOT "root"
#define STATE_BUFFER "buffer.%u"

/* The environment variable that names the directory. */
#define STATE_VARIABLE "QPUEMU_DIR"

enum state_node {
	STATE_VCIO,
	STATE_VCSM,
	STATE_MEM,
	STATE_NODES,
	STATE_NO_NODE = STATE_NODES
};

/* The file that stands in for a node; ino 0 = there is none. */
struct state_stand_in {
	uint64_t dev, ino;
};

/* What the launcher was asked for; does not change. */
struct state_options {
	struct device_words words;
	uint64_t refuse_enable;	/* number of the enable, from 1; 0 = none */
	unsigned profile;	/* row of profile_rows */
	unsigned v3d_mhz;
	unsigned delay_ms;	/* of each launch */
	bool kms;		/* the kernel's driver owns the V3D */
	bool deny;		/* nodes are for others only */
	char trace[STATE_PATH];	/* "" = none */
};

/* Memory that the firmware gave; handle 0 = free slot. */
struct state_block {
	uint32_t handle;
	uint32_t offset;	/* in GPU memory */
	uint32_t bytes;
	uint32_t alias;		/* top 2 bits of its bus address */
	uint32_t locks;
};

/* Memory that the kernel gave; bytes 0 = free slot. */
struct state_buffer {
	uint32_t physical;
	uint32_t bytes;
};

/* Of all processes; printed at the end. */
struct state_totals {
	uint64_t launches, instructions, clocks, launch_clocks;
	uint64_t findings;
	uint64_t counters[MACHINE_COUNTER_SOURCES];
};

struct state {
	uint32_t bytes;		/* of this struct, to know our own */
	struct state_options options;
	struct state_stand_in stand_ins[STATE_NODES];
	pthread_mutex_t mutex;
	/* All below is under the lock. */
	uint32_t enabled;	/* enables without a disable */
	uint64_t nenables, nallocations;
	bool hung;
	uint32_t resets;	/* of the QPUs, by enable */
	uint32_t clock_hz[16];	/* by enum mailbox_clock */
	uint32_t next_handle;
	uint32_t changes;	/* of what is locked */
	struct state_block blocks[STATE_BLOCKS];
	struct state_buffer buffers[STATE_BUFFERS];
	char links[STATE_LINKS][STATE_PATH];	/* that mknod left */
	struct state_totals totals;
};

/* Make or map the file in a directory; NULL and the reason. */
struct state *
state_create(const char *dir, const struct state_options *, struct diag *);
struct state *
state_map(const char *dir);
void
state_unmap(struct state *);

/* Take it, with no signal but those of faults until it is given back. */
void
state_lock(struct state *, sigset_t *signals);
void
state_unlock(struct state *, const sigset_t *signals);

#endif
