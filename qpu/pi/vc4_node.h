/* SPDX-License-Identifier: MIT */
/*
 * vc4_node: struct vc4, an open node, and what its requests share; private to
 * this room.
 */
#ifndef QPU_PI_VC4_NODE_H
#define QPU_PI_VC4_NODE_H

#include <string.h>

#include "qpu/abi/vc4.h"
#include "qpu/pi/faults.h"
#include "qpu/pi/vc4.h"
#include "qpu/validate/drm_rules.h"

enum {
	VC4_PAGE = 4096,
	VC4_TILE_BYTES = 32 * 32 * 4 * 4, /* all samples of a tile */
	VC4_BIN_BYTES = 16 << 20,	  /* of the binner, in 32 slots */
	VC4_BIN_SLOT_BYTES = VC4_BIN_BYTES / 32
};

struct vc4_bo;
struct vc4_job;

/* Jobs in the order of their submission. */
struct vc4_fifo {
	struct vc4_job *first, *last;
};

struct vc4 {
	struct vc4_options options;
	struct vc4_host host;
	struct diag stopped; /* why the V3D cannot go on; text "": it can */
	bool is_faulty;	     /* the job asks for what cannot be done */
	struct vc4_memory memory; /* where memory is of the process */
	struct machine *machine;
	struct faults faults;
	uint64_t expected; /* instructions of the next job, 0 if unknown */

	struct vc4_bo *buffers;	 /* all */
	struct vc4_bo **handles; /* by handle - 1; NULL if free */
	uint32_t nhandles;
	size_t handles_room;
	uint64_t allocations; /* buffers that were asked for, for faults */

	struct vc4_pages
		bin; /* the binner's memory, no bytes before it is taken */
	uint32_t bin_used; /* its slots, a bit each */

	struct vc4_fifo binning, rendering;
	bool bin_busy, render_busy; /* the V3D works on the first one */
	uint64_t emitted, finished; /* seqnos */
	uint64_t interrupted; /* the last that a wait was interrupted for */
	uint64_t now_ns;      /* modelled */
	uint64_t clocks;      /* of the machine, as far as in now_ns */
	uint64_t check_ns;    /* when the timer looks for hangs next */
};

/* Return whether the job or buffer of that number suffers from a fault. */
bool
vc4_suffers(const struct vc4 *, enum pi_fault_kind, uint64_t number);

/* The queue: jobs in the order of their submission. Each is binned and then
 * rendered; a job is binned while the one before it is rendered (vc4_gem.c,
 * vc4_irq.c). Time passes only while a program waits. */

/* Add a checked job and return its seqno. */
uint64_t
queue_add(struct vc4 *, struct vc4_job *);

/* Wait until a job has ended.  Return 0, -ETIME or -EINTR; UINT64_MAX has no
 * timeout. */
int
queue_wait(struct vc4 *, uint64_t seqno, uint64_t timeout_ns);

/* Take one of the 32 pieces of the binner's memory; wait until one is free.
 * Return false if a signal interrupted the wait. */
bool
queue_take_bin_slot(struct vc4 *, uint32_t *slot);

/* Forget all jobs. */
void
queue_clear(struct vc4 *);

/* VC4_WAIT_SEQNO. */
int
queue_wait_seqno(struct vc4 *, void *request);

/* --- Buffers and their handles (vc4_bo.c): buffer_object.c -------------------------- */

/* It stays while it has a handle, or a job that uses it. */
struct vc4_bo {
	struct vc4_bo *next; /* of all that there are */
	struct vc4_pages pages;
	uint64_t offset; /* for mmap */
	unsigned references;
	bool is_program;
	struct qpu_drm_program program;
};

/* Return the buffer of a handle, or NULL. */
struct vc4_bo *
bo_of_handle(const struct vc4 *, uint32_t handle);

/* Take pages of the node's memory, which the machine sees.  Return 0 or -errno. */
int
bo_take_pages(struct vc4 *, uint32_t bytes, struct vc4_pages *);
void
bo_give_pages(struct vc4 *, struct vc4_pages *);

/* Drop a reference. */
void
bo_put(struct vc4 *, struct vc4_bo *);

/* Requests: 0 or -errno. */
int
bo_create(struct vc4 *, void *request);
int
bo_create_program(struct vc4 *, void *request);
int
bo_mmap(struct vc4 *, void *request);
int
bo_close(struct vc4 *, void *request);

/* Free all buffers, whatever refers to them. */
void
bo_close_all(struct vc4 *);

/* --- Jobs: vc4_job.c, bin_list.c ------------------------------------------------------ */

/*
 * What VC4_SUBMIT_CL describes, while it is checked and while it is in the
 * queue (vc4_submit_cl_ioctl).  The kernel copies the binning list, shader
 * records and uniforms, checks the copies, puts addresses where handles were,
 * and writes them to a buffer of its own, which no user can change; it writes
 * the rendering list itself (vc4_gem.c).
 */

/* Addresses of the V3D bypass the caches of the CPU. */
#define JOB_BUS_ALIAS UINT32_C(0xc0000000)

/* A part of the caller's copy that is being read. */
struct job_part {
	const uint8_t *at;
	uint32_t left;
};

/* The checked copy of it that is being written, and its address. */
struct job_copy {
	uint8_t *at;
	uint32_t bus;
};

/* A shader record that the binning list refers to. */
struct job_record {
	uint32_t bits;	    /* of the packet: attributes */
	uint32_t max_index; /* of the vertices that are used */
};

struct vc4_job {
	struct vc4_job *next;
	uint64_t seqno;

	const struct vc4_submit_cl *args; /* while it is checked */
	struct vc4_bo **buffers;	  /* it has a reference to each */
	uint32_t nbuffers;
	struct vc4_bo *samples; /* that it stores */

	/* While it is checked. */
	uint8_t *user; /* copy of list, records and uniforms */
	struct job_part records, uniforms;
	struct job_copy records_to, uniforms_to;
	struct job_record *states;
	uint32_t nstates;

	struct vc4_pages lists, render;
	uint32_t bin_start, bin_end, render_start, render_end;
	uint8_t bin_tiles_x, bin_tiles_y;
	uint32_t tile_alloc; /* address of the first tile's list */
	uint32_t bin_slots;
	unsigned resets;	  /* while it was binned */
	uint32_t last_address[2]; /* in both lists, when a hang was looked for */
	uint64_t others_end_ns;	  /* of another client: when it ends; else 0 */

	/* For faults: the tiles that it stores, one after the other, about how many
	 * instructions it has, and whether it is or was rendered. */
	uint8_t *tiles;
	uint32_t ntiles;
	uint64_t expected;
	bool has_begun;
};

/* Return the buffer, or the program, at an index into the job's handles, or
 * NULL. */
struct vc4_bo *
job_buffer(const struct vc4_job *, uint32_t index, bool is_program);

/*
 * Check the binning list (vc4_validate_bin_cl), and write n bytes to
 * job->lists: shader records and the binner's memory get their addresses.  0 or
 * -errno.
 */
int
bin_list_check(struct vc4 *, struct vc4_job *, const uint8_t *list, uint32_t n);

/*
 * Check the shader records and their uniforms (vc4_validate_shader_recs).
 *
 * A record comes after the handles it needs: of the programs for fragments,
 * vertices and coordinates, and of each attribute.  Its uniforms are, for each
 * of the three programs in turn, a handle for each lookup and then the words.
 *
 * The check is stricter than the kernel's in one point: a program's uniforms
 * must fit into what the programs before it have left; the kernel compares
 * each with the size of all.  0 or -EINVAL.
 */
int
record_check_all(struct vc4_job *);

/* The request VC4_SUBMIT_CL: 0 or -errno. */
int
job_submit(struct vc4 *, void *request);

/* Free a job and all that it has. */
void
job_free(struct vc4 *, struct vc4_job *);

static inline uint32_t
job_address(const struct vc4_pages *pages)
{
	return pages->bus | JOB_BUS_ALIAS;
}

/* Memory of the caller, to which a request points. */
static inline const void *
job_caller(uint64_t address)
{
	return (const void *)(uintptr_t)address;
}

/* Words of any alignment. */
static inline uint32_t
job_word(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static inline void
job_set_word(uint8_t *at, uint32_t word)
{
	memcpy(at, &word, sizeof(word));
}

#endif
