/* SPDX-License-Identifier: MIT */
/*
 * render_list: checks the surfaces of a job, and writes the list that renders
 * it tile by tile (vc4_render_cl.c).
 */
#ifndef QPU_VC4_RENDER_LIST_H
#define QPU_VC4_RENDER_LIST_H

#include "qpu/vc4/vc4_job.h"

/* Makes job->render.  0 or -errno. */
int
render_list_make(struct vc4 *, struct vc4_job *);

#endif
