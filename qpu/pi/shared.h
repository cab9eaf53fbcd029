/* SPDX-License-Identifier: MIT */
/*
 * shared: what firmware and kernel remember, in a file that all processes
 * under one qpuemu share.
 *
 * GPU memory, locks and enabled QPUs outlive the process that asked for them,
 * as they do on a Raspberry Pi.  All but the fixed first part is read and
 * written under a lock, which also blocks signals: to the program a call of
 * the device looks like a system call.
 */
#ifndef QPU_PI_SHARED_H
#define QPU_PI_SHARED_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/pi/profile.h"
#include "qpu/pi/vc4.h"

enum {
	BOARD_BLOCKS = 512,
	CMA_BUFFERS = 256,
	BOARD_OPENS = 64,
	BOARD_CLOCKS = 16,
	BOARD_PATH = 4096,
	BOARD_DIRECTORY = BOARD_PATH / 2 /* the path of the private one */
};

/* Names in the private directory. */
#define BOARD_FILE "shared"
#define BOARD_MEMORY "memory"
#define BOARD_ROOT "root"
/* These are followed by a number: a buffer, what the CPU sees of a cached one, and
 * an open node of the kernel's driver. */
#define CMA_FILE "buffer."
#define CMA_CACHE_FILE "cache."
#define BOARD_OPEN "open."

/* The last line of /proc/meminfo. */
#define BOARD_CMA_FREE "CmaFree:        %8u kB\n"

/* The environment variable that names the directory. */
#define BOARD_VARIABLE "QPUEMU_DIR"

enum board_node {
	BOARD_VCIO,
	BOARD_VCSM,
	BOARD_MEM,
	BOARD_HEAP,
	BOARD_CARD,   /* /dev/dri/card0 */
	BOARD_RENDER, /* /dev/dri/renderD128 */
	BOARD_NODES,
	BOARD_NO_NODE = BOARD_NODES
};

/* The file that stands in for a node; ino is 0 if there is no such node. */
struct board_stand_in {
	uint64_t dev, ino;
};

static inline bool
board_stand_in_is(const struct board_stand_in *file,
		  const struct board_stand_in *other)
{
	return other->ino != 0 && file->ino == other->ino &&
	       file->dev == other->dev;
}

/* A node of the kernel's driver that some process has open; ino is 0 if
 * free. */
struct board_open {
	struct board_stand_in file;
	enum board_node node;
};

/* The options of qpuemu, which do not change. */
struct board_options {
	struct emulated_options device;
	unsigned profile; /* row of profile_rows */
	unsigned system;  /* row of system_rows */
	enum system_user user;
	unsigned cma_mib;      /* the kernel's memory for buffers */
	bool kms;	       /* the kernel's driver owns the V3D */
	uint64_t ignore;       /* rules that are not reported, a bit each */
	uint64_t debug_launch; /* at which the debugger starts; 0 = none */
	/* Files; "" = none.  No script: commands from the terminal. */
	char trace[BOARD_PATH], lines[BOARD_PATH];
	char debug_script[BOARD_PATH];
};

/* Physical memory; bytes 0 = none. */
struct board_range {
	uint32_t at, bytes;
};

/* A piece of GPU memory; handle 0 = free slot. */
struct board_block {
	struct board_range range;
	uint32_t handle;
	uint32_t alias; /* top 2 bits of its bus address */
	uint32_t locks;
};

/* A buffer of contiguous memory (cma.h); no memory = free slot. */
struct cma_buffer {
	struct board_range range;
	struct board_stand_in file;
	struct board_stand_in cache; /* what the CPU sees; ino 0 = the same */
	bool doomed;		     /* programs that hang may write to it */
};

/* Totals of all processes, which --counters prints at the end. */
struct board_totals {
	uint64_t launches, instructions, clocks, launch_clocks;
	uint64_t findings;
	uint64_t counters[MACHINE_COUNTERS];
};

struct board_shared {
	uint32_t bytes; /* of this struct, to know our own; always first */
	struct board_options options;
	struct board_stand_in stand_ins[BOARD_NODES];
	bool attached; /* a process has had the board */
	pthread_mutex_t mutex;
	/* The lock guards all that follows. */
	uint32_t enabled; /* enables without a disable */
	uint64_t nallocations;
	bool hung;
	bool lost;	  /* memory that hung programs may write to was freed */
	bool late_answer; /* it will end the next message */
	uint32_t resets;  /* of the QPUs, by enable */
	uint32_t clock_hz[BOARD_CLOCKS]; /* as set, by enum mailbox_clock */
	uint32_t launch_mhz;		 /* the V3D's in the last launch */
	uint32_t boot_hz;		 /* the V3D's clock at first */
	uint32_t next_handle;
	uint32_t changes; /* of what is locked */
	struct board_block blocks[BOARD_BLOCKS];
	struct cma_buffer buffers[CMA_BUFFERS];
	struct board_open opens[BOARD_OPENS];
	uint64_t debugged; /* process, or 0 */
	struct board_totals totals;
};

/* Set up what is not zero, but for the mutex. */
void
board_shared_init(struct board_shared *, const struct board_options *);

/* Make the file in a directory; on failure return NULL with the reason. */
struct board_shared *
board_shared_create(const char *dir, const struct board_options *,
		    struct diag *);
struct board_shared *
board_shared_map(const char *dir);
void
board_shared_unmap(struct board_shared *);

/* Allocate a part of a sparse file on its disk, so that a full disk is noticed
 * here and not by a SIGBUS when the part is written. Return false with errno if
 * the disk is full; a file system that cannot allocate is trusted. */
bool
board_shared_reserve(int fd, uint64_t at, uint64_t bytes);

/*
 * Find the lowest place in `free` for wanted->bytes, aligned, at least `guard` bytes
 * from each range of n rows that begin with one, `row` bytes each.  Return false if
 * there is none.
 */
bool
board_shared_find_gap(struct board_range free, uint32_t alignment,
		      uint32_t guard, const void *rows, size_t n, size_t row,
		      struct board_range *wanted);

/* Return true if a directory has a board's file, made by any version, even if
 * it is still being made. */
bool
board_shared_is_in(int directory);

/* The limits of a clock of enum mailbox_clock; 0 = there is no such clock. */
uint32_t
board_shared_most_hz(const struct board_shared *, unsigned clock);
uint32_t
board_shared_least_hz(const struct board_shared *, unsigned clock);

/* Return true if the clock of the QPUs has changed since the start. */
bool
board_shared_clock_changed(const struct board_shared *);

/* Only signals of faults arrive until the board is unlocked. */
void
board_shared_lock(struct board_shared *, sigset_t *signals);
void
board_shared_unlock(struct board_shared *, const sigset_t *signals);

#endif
