/* SPDX-License-Identifier: MIT */
/*
 * device_words: the options of an emulated device, as in
 * --device=emulator:qpus=5,mem=16,timed,check,seed=7,fault=stuck@3.
 */
#ifndef QPU_DEVICE_WORDS_H
#define QPU_DEVICE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/diag.h"

enum device_fault {
	DEVICE_NO_FAULT,
	DEVICE_WRONG_LANE,	/* "lane": one lane of a launch is wrong */
	DEVICE_STUCK_QPU,	/* "stuck": a QPU does not come back */
	DEVICE_REFUSES,		/* "refuse": a launch is refused */
	DEVICE_NO_MEMORY	/* "alloc": no memory from then on */
};

struct device_words {
	unsigned qpus;		/* 1..12 */
	unsigned mem_mib;	/* 1..1008 */
	bool timed;
	bool check;
	/* Seeds checking mode.  Of a wrong lane it is the number, counted
	 * from the last lane of the launch backwards. */
	uint64_t seed;
	enum device_fault fault;
	uint64_t fault_at;	/* number of the launch or allocation, from 1 */
};

/* False and the reason; all that is not named is as usual. */
bool
device_words_parse(struct device_words *, const char *words,
		   struct diag *why_not);

#endif
