/* SPDX-License-Identifier: MIT */
/*
 * fault: what is to go wrong at an open node.
 */
#ifndef QPU_VC4_FAULT_H
#define QPU_VC4_FAULT_H

#include "qpu/vc4/vc4_node.h"

/* Does a fault of this kind strike the job or buffer of that number? */
bool
fault_strikes(const struct vc4 *, enum vc4_fault, uint64_t number);

#endif
