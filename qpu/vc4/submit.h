/* SPDX-License-Identifier: MIT */
/*
 * submit: VC4_SUBMIT_CL: a job is looked up, copied, checked and queued
 * (vc4_submit_cl_ioctl).
 */
#ifndef QPU_VC4_SUBMIT_H
#define QPU_VC4_SUBMIT_H

#include "qpu/vc4/node.h"

/* 0 or -errno. */
int
submit_job(struct vc4 *, void *request);

#endif
