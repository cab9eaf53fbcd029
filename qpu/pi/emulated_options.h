/* SPDX-License-Identifier: MIT */
/*
 * emulated_options: options of an emulated VideoCore IV, in this process or on
 * qpuemu's virtual board, as in
 * --device=emulator:qpus=5,mem=16,timed,check,seed=7,fault=stuck@3 (fault.h).
 *
 * It runs the same words on the same memory as a real one; its times are modelled.
 * As a tile device it is the driver of a real one on a model of the kernel's driver
 * (vc4.h).
 */
#ifndef QPU_PI_EMULATED_OPTIONS_H
#define QPU_PI_EMULATED_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/fault.h"
#include "src/base/diag.h"
#include "src/base/option.h"

struct emulated_options {
	bool tiles;	  /* it says which device */
	unsigned qpus;	  /* 1..12 */
	unsigned mem_mib; /* 1..1008, in tiles 1..512 of contiguous memory */
	bool timed;
	bool check;
	/* Seeds checking mode and faults.  Where a fault names no lane the
	 * seed chooses it: lanes are counted backwards from the last one of
	 * the launch. */
	uint64_t seed;
	struct pi_fault fault;
};

/* Options that `text` does not name get their defaults.  False and the reason
 * for an unknown option or value of the device, which is in lanes or in tiles. */
bool
emulated_options_parse(struct emulated_options *, enum pi_door,
		       const char *text, struct diag *why_not);

/* Options after a device's name and a colon. */
extern const struct option_row emulated_option_rows[],
	tiles_emulated_option_rows[];

#endif
