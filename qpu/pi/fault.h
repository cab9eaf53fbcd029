/* SPDX-License-Identifier: MIT */
/*
 * fault: faults of a model of a Raspberry Pi, injected on request, so that people and
 * tests can see that they are found; fault.def lists the kinds.  The options of
 * qpuemu and of emulated devices name one:
 *
 *	fault=stuck@3		in the third launch, job or allocation
 *	fault=data@3-5		from the third to the fifth; fault=data@3- has no end
 *	fault=lane@3.11.15	in lane 15 of QPU 11
 *	fault=register@3-.any	in another place in each launch
 */
#ifndef QPU_PI_FAULT_H
#define QPU_PI_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

enum pi_fault_kind {
	PI_NO_FAULT,
#define PI_FAULT(KIND, word, doors, traits, what) KIND,
#include "qpu/pi/fault.def"
#undef PI_FAULT
	PI_FAULTS
};

/* Doors to the model, as bits: they differ in the faults that they have. */
enum pi_door { PI_LANES = 1, PI_TILES = 2, PI_BOARD = 4 };

/* Which place a fault strikes: one that the seed chooses, the same each time; the
 * lane that the option names; or another one each time. */
enum pi_fault_place { PI_PLACE_BY_SEED, PI_PLACE_NAMED, PI_PLACE_ANY };

struct pi_fault {
	enum pi_fault_kind kind;
	/* Numbers of launches, jobs or allocations, from 1. */
	uint64_t at, until;
	enum pi_fault_place place;
	unsigned qpu, lane;
};

/* Return whether it strikes the launch, job or allocation of that number. */
static inline bool
pi_fault_strikes(const struct pi_fault *fault, enum pi_fault_kind kind,
		 uint64_t number)
{
	return fault->kind == kind && number >= fault->at &&
	       number <= fault->until;
}

/* Return whether a machine that suffers from it needs the words of its caches. */
bool pi_fault_needs_words(enum pi_fault_kind);

/* Read KIND@N and what may follow, of a door; qpuemu has no places.  False and the
 * reason, which names the kinds of that door. */
bool
pi_fault_parse(struct pi_fault *, enum pi_door, const char *text,
	       struct diag *why);

struct completion;

/* Offer the kinds of a door to a shell, after `len` bytes of its word. */
void
pi_fault_offer(enum pi_door, const struct completion *, size_t len);

#endif
