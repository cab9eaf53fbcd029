/* SPDX-License-Identifier: MIT */
/*
 * emulated_options: those of an emulated VideoCore IV, in this process or on
 * qpuemu's virtual board, as in
 * --device=emulator:qpus=5,mem=16,timed,check,seed=7,fault=stuck@3; a fault
 * may name a QPU and a lane, as in fault=lane@3.11.15, and the launches that it
 * lasts, as in fault=job@3-5 or fault=job@3-.
 *
 * It runs the same words on the same memory as a real one; its times are modelled.
 * As a tile device it is the driver of a real one on a model of the kernel's driver
 * (vc4.h).
 */
#ifndef QPU_PI_EMULATED_OPTIONS_H
#define QPU_PI_EMULATED_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/pi/vc4.h"
#include "src/base/diag.h"
#include "src/base/option.h"

/* What the device does wrong. */
enum device_fault {
	DEVICE_NO_FAULT,
#define FAULT(KIND, name, devices, lasting, what) KIND,
#include "qpu/pi/faults.def"
#undef FAULT
	DEVICE_FAULTS,
	DEVICE_NOT_LANES = 3 /* the first of them */
};

/* Devices differ in the faults that they have. */
enum { EMULATED_LANES = 1, EMULATED_TILES = 2, EMULATED_BOARD = 4 };

struct emulated_fault {
	enum device_fault kind; /* of the V3D or the firmware, or */
	enum vc4_fault kernel;	/* of the kernel's driver */
	/* Numbers of launches, jobs or allocations, from 1. */
	uint64_t at, until;
	bool names_lane;
	unsigned qpu, lane;
};

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
	struct emulated_fault fault;
};

/* Does this fault strike the launch or allocation of that number? */
static inline bool
emulated_fault_strikes(const struct emulated_fault *fault,
		       enum device_fault kind, uint64_t number)
{
	return fault->kind == kind && number >= fault->at &&
	       number <= fault->until;
}

/* Reads KIND@N and what may follow, of one of these devices. */
bool
emulated_fault_parse(struct emulated_fault *, unsigned devices,
		     const char *text);

/* Options that `text` does not name get their defaults.  False and the reason
 * for an unknown option or value of the device, which is in lanes or in tiles. */
bool
emulated_options_parse(struct emulated_options *, unsigned device,
		       const char *text, struct diag *why_not);

/* What may follow the name of a device and a colon. */
extern const struct option_row emulated_option_rows[],
	tiles_emulated_option_rows[];

#endif
