/* SPDX-License-Identifier: MIT */
/*
 * emulated_options: the options of an emulated device, as in
 * --device=emulator:qpus=5,mem=16,timed,check,seed=7,fault=stuck@3; a fault
 * may name a QPU and a lane, as in fault=lane@3.11.15, and the launches that it
 * lasts, as in fault=job@3-5 or fault=job@3-.  qpuemu has the same options for its
 * virtual board.
 */
#ifndef QPU_WAYS_EMULATED_OPTIONS_H
#define QPU_WAYS_EMULATED_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/diag.h"
#include "src/base/option.h"

/* What the device does wrong. */
enum device_fault {
	DEVICE_NO_FAULT,
#define FAULT(KIND, name, devices, lasting, what) KIND,
#include "qpu/ways/faults.def"
#undef FAULT
	DEVICE_FAULTS,
	DEVICE_TILES_ONLY = 2 /* the first of them */
};

struct emulated_fault {
	enum device_fault kind;
	/* Numbers of launches or allocations, from 1. */
	uint64_t at, until;
	bool names_lane;
	unsigned qpu, lane;
};

struct emulated_options {
	unsigned qpus;	  /* 1..12 */
	unsigned mem_mib; /* 1..1008 */
	bool timed;
	bool check;
	/* Seeds checking mode and faults.  Where a fault names no lane the
	 * seed chooses it: lanes are counted backwards from the last one of
	 * the launch. */
	uint64_t seed;
	struct emulated_fault fault;
};

/* Reads KIND@N and what may follow, of a device in lanes or in tiles. */
bool
emulated_fault_parse(struct emulated_fault *, bool in_tiles, const char *text);

extern const struct option_row emulated_option_rows[];

/* Options that `text` does not name get their defaults.  False and the reason
 * for an unknown option or value. */
bool
emulated_options_parse(struct emulated_options *, const char *text,
		       struct diag *why_not);

#endif
