/* SPDX-License-Identifier: MIT */
/*
 * vcsm: requests to /dev/vcsm-cma that nothing interrupts.
 */
#ifndef QPU_DRIVER_VCSM_H
#define QPU_DRIVER_VCSM_H

#include <stdbool.h>

#include "qpu/abi/vcsm.h"

/* A request of qpu/abi/vcsm.h, so that nothing can interrupt it; false and errno. */
bool
vcsm_ask(int node, unsigned long request, void *argument);

#endif
