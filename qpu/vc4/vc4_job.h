/* SPDX-License-Identifier: MIT */
/*
 * vc4_job: what VC4_SUBMIT_CL describes, while it is checked and while it is in
 * the queue (vc4_submit_cl_ioctl).  The kernel copies the binning list, shader
 * records and uniforms, checks the copies, puts addresses where handles were,
 * and writes them to a buffer of its own, which no user can change; it writes
 * the rendering list itself (vc4_gem.c).
 */
#ifndef QPU_VC4_VC4_JOB_H
#define QPU_VC4_VC4_JOB_H

#include "qpu/abi/vc4.h"
#include "qpu/vc4/buffer_object.h"
#include "qpu/vc4/vc4_node.h"

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
	struct vc4_buffer **buffers;	  /* it has a reference to each */
	uint32_t nbuffers;
	struct vc4_buffer *samples; /* that it stores */
	uint64_t dependency; /* seqno of the last job that wrote vertices */

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

	uint32_t stale_line; /* address for VC4_STALE_LINES, or 0 */
	uint8_t stale_bytes[64];
	uint32_t nloads;    /* as far as they were counted for it */
	uint32_t exchanged; /* address of a pixel's samples, or 0 */
};

/* The buffer of an index into the job's handles, which must not be a program.
 * NULL otherwise. */
struct vc4_buffer *
job_buffer(const struct vc4_job *, uint32_t index);

/*
 * Checks the binning list (vc4_validate_bin_cl), and writes n bytes to job->lists:
 * shader records and the binner's memory get their addresses.  0 or -errno.
 */
int
bin_list_check(struct vc4 *, struct vc4_job *, const uint8_t *list, uint32_t n);

/*
 * Checks the shader records and their uniforms (vc4_validate_shader_recs).
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
record_check_all(struct vc4 *, struct vc4_job *);

/* Checks the surfaces, and writes the list that renders the job tile by tile
 * (vc4_render_cl.c), to job->render.  0 or -errno. */
int
render_list_make(struct vc4 *, struct vc4_job *);

/* The request VC4_SUBMIT_CL: 0 or -errno. */
int
job_submit(struct vc4 *, void *request);

/* All that it has is given back, and the job is freed. */
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

/* Little-endian words of any alignment. */
static inline uint32_t
job_word(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void
job_set_word(uint8_t *at, uint32_t word)
{
	at[0] = (uint8_t)word;
	at[1] = (uint8_t)(word >> 8);
	at[2] = (uint8_t)(word >> 16);
	at[3] = (uint8_t)(word >> 24);
}

#endif
