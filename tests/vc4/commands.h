/* SPDX-License-Identifier: MIT */
/*
 * commands: what the lines of requests.golden and jobs.golden do.
 */
#ifndef TESTS_VC4_COMMANDS_H
#define TESTS_VC4_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#include "qpu/vc4/vc4.h"

/* The node of the case. */
extern struct vc4 *node;

/* A buffer's memory, mapped; NULL: it has none. */
uint32_t *
mapping_of(uint32_t handle, size_t bytes);

/* An answer: a line of the output; the name of the error, if there is one. */
__attribute__((format(printf, 2, 3))) void
answer(int error, const char *format, ...);

/* submit [flags=N] [pad=N] [size=WxH] [tiles=X.Y-X.Y] [handles=H,...]
 * [list=PACKET,...] [records=WORD,...] [nrecords=N] [uniforms=WORD,...]
 * [SURFACE=INDEX:OFFSET:BITS:FLAGS]... [clear=WORD] [perfmon=N] [sync=N] */
void
submit(const char *words);
/* wait SEQNO TIMEOUT_NS, wait-buffer HANDLE TIMEOUT_NS */
void
wait_seqno(const char *words);
void
wait_buffer(const char *words);
/* triangle [SUBMIT'S WORDS]: a job of 2 x 2 tiles, all of whose pixels run the
 * program of handle 3; 1 has the samples, 2 the corners, 4 is looked up; 5 and 6
 * are the programs of vertices and coordinates */
void
triangle(const char *words);
/* poke HANDLE WORD,... : writes words; look HANDLE INDEX... : tells some */
void
poke(const char *words);
void
look(const char *words);

/* perfmon EVENT,..., perfmon-values ID N, perfmon-end ID */
void
perfmon(const char *words);
void
perfmon_read(const char *words);
void
perfmon_end(const char *words);

#endif
