/* SPDX-License-Identifier: MIT */
/*
 * ask: run an experiment on a device, and find out what its answer means.
 */
#ifndef QPU_CHECK_ASK_H
#define QPU_CHECK_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/check/experiment.h"
#include "qpu/check/rig.h"

/* False when the device did not answer. */
bool
ask(struct rig *rig, const struct experiment *experiment,
    uint32_t lanes[EXPERIMENT_LANES], struct diag *why);

/* The index of the answer: 0 is the emulator's, -1 is none of them. */
int
ask_verdict(const struct experiment *experiment,
	    const uint32_t lanes[EXPERIMENT_LANES]);

#endif
