/* SPDX-License-Identifier: MIT */
/*
 * commands: what the lines of requests.golden and jobs.golden do.
 */
#ifndef TESTS_VC4_COMMANDS_H
#define TESTS_VC4_COMMANDS_H

#include <stdint.h>

#include "qpu/vc4/vc4.h"

/* The node of the case. */
extern struct vc4 *node;

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
/* perfmon EVENT,..., perfmon-values ID N, perfmon-end ID */
void
perfmon(const char *words);
void
perfmon_read(const char *words);
void
perfmon_end(const char *words);

#endif
