/* SPDX-License-Identifier: MIT */
/*
 * Promise: the options of an emulated device, each with both ends of what it
 * may be; an option that is refused is named.
 */
#include "config.h"

#include "qpu/ways/emulated_options.h"

#include <string.h>

#include "tests/support/tap.h"

/* In the order of enum device_fault. */
#define KINDS                                                                  \
	"lane, once, stores, row, stale, swap, short, nothing, data, late, "   \
	"page, stuck, refuse, alloc, code, constant, uniforms, job, "          \
	"pointers, begins, next, lengths, segments, between, old, neighbour, " \
	"bit, seal, stray, register, registers, skip, glitch, sticks, alu16, " \
	"alu20, mulpack, caches, slices, l2, part, l2bit, tmubit or address"
#define NONE_OF                                                                \
	" is none of qpus=1..12, mem=1..1008, timed, check, seed=N"            \
	" and fault=KIND@N[-[M]][.QPU.LANE] with " KINDS

#define USUAL .qpus = 12, .mem_mib = 64
#define FAULT(what, first, last)                                               \
	.fault.kind = (what), .fault.at = (first), .fault.until = (last)

static const struct {
	const char *text;
	struct emulated_options options;
} good[] = {
	{ "", { USUAL } },
	{ "qpus=1", { .qpus = 1, .mem_mib = 64 } },
	{ "qpus=3,qpus=07", { .qpus = 7, .mem_mib = 64 } },
	{ "mem=1", { .qpus = 12, .mem_mib = 1 } },
	{ "mem=1008", { .qpus = 12, .mem_mib = 1008 } },
	{ "timed", { USUAL, .timed = true } },
	{ "check", { USUAL, .check = true } },
	{ "seed=18446744073709551615", { USUAL, .seed = UINT64_MAX } },
	{ "fault=refuse@18446744073709551615",
	  { USUAL, FAULT(DEVICE_REFUSES, UINT64_MAX, UINT64_MAX) } },
	{ "fault=lane@21.3.4,fault=stuck@3",
	  { USUAL, FAULT(DEVICE_STUCK_QPU, 3, 3) } },
	{ "fault=late@1.0.0,seed=5",
	  { USUAL, .seed = 5, FAULT(DEVICE_CORRUPT_LATE, 1, 1),
	    .fault.names_lane = true } },
	{ "fault=seal@4-6.0.7",
	  { USUAL, FAULT(DEVICE_SEAL_BIT_STUCK, 4, 6), .fault.names_lane = true,
	    .fault.lane = 7 } },
	{ "fault=data@20.11.15",
	  { USUAL, FAULT(DEVICE_CORRUPT_BEFORE, 20, 20),
	    .fault.names_lane = true, .fault.qpu = 11, .fault.lane = 15 } },
};

/* What is refused; its last word is named. */
static const char *const bad[] = {
	"qpus=0",
	"qpus=13",
	"qpus=",
	"qpu=1",
	"mem=0",
	"mem=1009",
	"timed=1",
	"timed,fast",
	"seed=18446744073709551616",
	"fault=lane",
	"fault=@1",
	"fault=fire@1",
	"fault=lane@0",
	"fault=lane@18446744073709551616",
	"fault=lane@x",
	"fault=lane@3-2",
	"fault=lane@1-x",
	"fault=lane@1.2",
	"fault=lane@1.12.0",
	"fault=lane@1.0.16",
	"fault=lane@1.0.0.0",
};

static struct emulated_options options;
static struct diag why;

static bool
are_equal_faults(const struct emulated_fault *a, const struct emulated_fault *b)
{
	return a->kind == b->kind && a->at == b->at && a->until == b->until &&
	       a->names_lane == b->names_lane && a->qpu == b->qpu &&
	       a->lane == b->lane;
}

static bool
are_equal(const struct emulated_options *a, const struct emulated_options *b)
{
	return a->qpus == b->qpus && a->mem_mib == b->mem_mib &&
	       a->timed == b->timed && a->check == b->check &&
	       a->seed == b->seed && are_equal_faults(&a->fault, &b->fault);
}

static void
test_kinds(void)
{
	static const char lasting[] =
		" lane alloc code constant bit seal sticks alu16 alu20 mulpack caches "
		"slices l2 part l2bit tmubit address ";
	char kinds[] = KINDS, text[64], spaced[32];
	enum device_fault kind = DEVICE_NO_FAULT;

	for (char *word = strtok(kinds, ", "); word; word = strtok(NULL, ", "))
		if (strcmp(word, "or") != 0) {
			snprintf(text, sizeof(text), "fault=%s@3", word);
			snprintf(spaced, sizeof(spaced), " %s ", word);
			ok(emulated_options_parse(&options, text, &why) &&
				   options.fault.kind > kind &&
				   options.fault.at == 3 &&
				   options.fault.until ==
					   (strstr(lasting, spaced) ?
						    UINT64_MAX :
						    3) &&
				   !options.fault.names_lane,
			   "'%s' is a kind of fault", word);
			kind = options.fault.kind;
		}
	ok(kind == DEVICE_FAULTS - 1, "each kind of fault has a name");
}

int
main(void)
{
	char text[700];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(&options, 0x55, sizeof(options));
		ok(emulated_options_parse(&options, good[i].text, &why) &&
			   are_equal(&options, &good[i].options),
		   "'%s' is taken", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *comma = strrchr(bad[i], ',');

		snprintf(text, sizeof(text), "'%s'" NONE_OF,
			 comma ? comma + 1 : bad[i]);
		ok(!emulated_options_parse(&options, bad[i], &why) &&
			   strcmp(why.text, text) == 0,
		   "'%s' is refused, and named", bad[i]);
	}
	test_kinds();
	return tap_done();
}
