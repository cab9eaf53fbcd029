/* SPDX-License-Identifier: MIT */
/*
 * clock_job: the clock of the QPUs, by a job of known length.  The firmware
 * chooses the clock, and the kernel's driver does not tell it.
 */
#ifndef QPU_WAYS_CLOCK_JOB_H
#define QPU_WAYS_CLOCK_JOB_H

#include <stdint.h>

#include "qpu/ways/render.h"

/* In Hz; 0 if the job did not do what it should.  It takes about 20 ms, and
 * something else that uses the GPU meanwhile makes the result too low. */
uint32_t
clock_job_run(struct render *);

#endif
