/* SPDX-License-Identifier: MIT */
/*
 * perfmon: counters of events that a job switches on (vc4_perfmon.c).
 */
#ifndef QPU_VC4_PERFMON_H
#define QPU_VC4_PERFMON_H

#include "qpu/vc4/node.h"

/* Requests: 0 or -errno. */
int
perfmon_create(struct vc4 *, void *request);
int
perfmon_destroy(struct vc4 *, void *request);
int
perfmon_values(struct vc4 *, void *request);

/* A job's reference; NULL: no such monitor.  perfmon_put allows NULL. */
struct vc4_perfmon *
perfmon_get(struct vc4 *, uint32_t id);
void
perfmon_put(struct vc4_perfmon *);

/* Starts it unless it runs, and stops it; what was counted is added. */
void
perfmon_start(struct vc4 *, struct vc4_perfmon *);
void
perfmon_stop(struct vc4 *, struct vc4_perfmon *, bool capture);

void
perfmon_close_all(struct vc4 *);

#endif
