/* SPDX-License-Identifier: MIT */
/*
 * record: checks the shader records of a job and their uniforms
 * (vc4_validate_shader_recs).
 *
 * A record comes after the handles it needs: of the programs for fragments,
 * vertices and coordinates, and of each attribute.  Its uniforms are, for each
 * of the three programs in turn, a handle for each lookup and then the words.
 *
 * The check is stricter than the kernel's in one point: a program's uniforms
 * must fit into what the programs before it have left; the kernel compares
 * each with the size of all.
 */
#ifndef QPU_VC4_RECORD_H
#define QPU_VC4_RECORD_H

#include "qpu/vc4/vc4_job.h"

/* All of them; 0 or -EINVAL. */
int
record_check_all(struct vc4 *, struct vc4_job *);

#endif
