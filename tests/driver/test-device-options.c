/* SPDX-License-Identifier: MIT */
/*
 * Promise: the options of an emulated device, each with both ends of what it
 * may be; an option that is refused is named.
 */
#include "config.h"

#include "qpu/device/emulated_options.h"

#include <string.h>

#include "tests/support/tap.h"

#define NONE_OF                                                                \
	" is none of qpus=1..12, mem=1..1008, timed, check, seed=N, "          \
	"fault=KIND@N[-[M]][.QPU.LANE] with lane, once, stores, row, stale, "  \
	"swap, short, nothing, data, late, stuck, refuse, alloc, code, "       \
	"constant, uniforms, job, pointers, begins, next, lengths, segments, " \
	"between, old, neighbour, bit, seal, register, registers, skip, "      \
	"glitch, sticks, caches, slices or l2 and also=KIND@N[-[M]][.QPU.LANE]"

static const struct {
	const char *text;
	struct emulated_options options;
} good[] = {
	{ "", { .qpus = 12, .mem_mib = 64 } },
	{ "qpus=1", { .qpus = 1, .mem_mib = 64 } },
	{ "qpus=12", { .qpus = 12, .mem_mib = 64 } },
	{ "qpus=3,qpus=07", { .qpus = 7, .mem_mib = 64 } },
	{ "mem=1", { .qpus = 12, .mem_mib = 1 } },
	{ "mem=1008", { .qpus = 12, .mem_mib = 1008 } },
	{ "timed", { .qpus = 12, .mem_mib = 64, .timed = true } },
	{ "timed,", { .qpus = 12, .mem_mib = 64, .timed = true } },
	{ "check", { .qpus = 12, .mem_mib = 64, .check = true } },
	{ "seed=0", { .qpus = 12, .mem_mib = 64, .seed = 0 } },
	{ "seed=9876543210",
	  { .qpus = 12, .mem_mib = 64, .seed = UINT64_C(9876543210) } },
	{ "seed=18446744073709551615",
	  { .qpus = 12, .mem_mib = 64, .seed = UINT64_MAX } },
	{ "seed=18446744073709551609",
	  { .qpus = 12, .mem_mib = 64, .seed = UINT64_MAX - 6 } },
	{ "fault=refuse@18446744073709551615",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault.kind = DEVICE_REFUSES,
	    .fault.at = UINT64_MAX,
	    .fault.until = UINT64_MAX } },
	{ "fault=lane@21.3.4,fault=stuck@3",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault.kind = DEVICE_STUCK_QPU,
	    .fault.at = 3,
	    .fault.until = 3 } },
	{ "fault=late@1.0.0,seed=5",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .seed = 5,
	    .fault.kind = DEVICE_CORRUPT_LATE,
	    .fault.at = 1,
	    .fault.until = 1,
	    .fault.names_lane = true } },
	{ "fault=job@4-",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault.kind = DEVICE_JOB_BIT,
	    .fault.at = 4,
	    .fault.until = UINT64_MAX } },
	{ "fault=lane@4-6,also=seal@2-.0.7",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault.kind = DEVICE_WRONG_LANE,
	    .fault.at = 4,
	    .fault.until = 6,
	    .also.kind = DEVICE_SEAL_BIT_STUCK,
	    .also.at = 2 } },
	{ "fault=data@20.11.15",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault.kind = DEVICE_CORRUPT_BEFORE,
	    .fault.at = 20,
	    .fault.until = 20,
	    .fault.names_lane = true,
	    .fault.qpu = 11,
	    .fault.lane = 15 } },
};

/* What is refused, and the part of it that is named. */
static const struct {
	const char *text, *named;
} bad[] = {
	{ "qpus=0", "qpus=0" },
	{ "qpus=13", "qpus=13" },
	{ "qpus=", "qpus=" },
	{ "qpus", "qpus" },
	{ "qpus=1x,mem=2", "qpus=1x" },
	{ "qpus=/", "qpus=/" },
	{ "qpus=1:", "qpus=1:" },
	{ "qpu=1", "qpu=1" },
	{ "qpuss=1", "qpuss=1" },
	{ "mem=0", "mem=0" },
	{ "mem=1009", "mem=1009" },
	{ "timed=1", "timed=1" },
	{ "timed,fast", "fast" },
	{ "check,,timed", "" },
	{ ",", "" },
	{ "seed=", "seed=" },
	{ "seed=-1", "seed=-1" },
	{ "seed=18446744073709551616", "seed=18446744073709551616" },
	{ "seed=99999999999999999999", "seed=99999999999999999999" },
	{ "fault=lane", "fault=lane" },
	{ "fault=@1", "fault=@1" },
	{ "fault=fire@1", "fault=fire@1" },
	{ "fault=lanes@1", "fault=lanes@1" },
	{ "fault=lane@", "fault=lane@" },
	{ "fault=lane@0", "fault=lane@0" },
	{ "fault=lane@x", "fault=lane@x" },
	{ "fault=lane@3-2", "fault=lane@3-2" },
	{ "fault=lane@-2", "fault=lane@-2" },
	{ "fault=lane@1-x", "fault=lane@1-x" },
	{ "fault=lane@1.2", "fault=lane@1.2" },
	{ "fault=lane@1.12.0", "fault=lane@1.12.0" },
	{ "fault=lane@1.0.16", "fault=lane@1.0.16" },
	{ "fault=lane@1.0.", "fault=lane@1.0." },
	{ "fault=lane@1..0", "fault=lane@1..0" },
	{ "fault=lane@.0.0", "fault=lane@.0.0" },
	{ "fault=lane@1.0.0.0", "fault=lane@1.0.0.0" },
	{ "hault=lane@1", "hault=lane@1" },
	{ "=1", "=1" },
};

static const struct {
	const char *name;
	enum device_fault fault;
} kinds[] = {
	{ "lane", DEVICE_WRONG_LANE },
	{ "once", DEVICE_WRONG_ONCE },
	{ "stores", DEVICE_STORES_LOST },
	{ "row", DEVICE_ROW_LOST },
	{ "stale", DEVICE_STALE_RESULTS },
	{ "swap", DEVICE_LANES_SWAPPED },
	{ "short", DEVICE_BLOCK_TOO_FEW },
	{ "nothing", DEVICE_RAN_NOTHING },
	{ "data", DEVICE_CORRUPT_BEFORE },
	{ "late", DEVICE_CORRUPT_LATE },
	{ "stuck", DEVICE_STUCK_QPU },
	{ "refuse", DEVICE_REFUSES },
	{ "alloc", DEVICE_NO_MEMORY },
	{ "code", DEVICE_CODE_BIT },
	{ "constant", DEVICE_CONSTANT_BIT },
	{ "uniforms", DEVICE_UNIFORMS_WRONG },
	{ "job", DEVICE_JOB_BIT },
	{ "pointers", DEVICE_POINTERS_SWAPPED },
	{ "begins", DEVICE_BEGINS_BIT },
	{ "next", DEVICE_NEXT_BIT },
	{ "lengths", DEVICE_LENGTHS_SHIFTED },
	{ "segments", DEVICE_SEGMENTS_SWAPPED },
	{ "between", DEVICE_ROW_OF_SEGMENT },
	{ "old", DEVICE_STALE_ROW },
	{ "neighbour", DEVICE_RECORD_OF_NEIGHBOUR },
	{ "bit", DEVICE_STORED_BIT_STUCK },
	{ "seal", DEVICE_SEAL_BIT_STUCK },
	{ "register", DEVICE_REGISTER_BIT },
	{ "registers", DEVICE_REGISTER_BITS },
	{ "skip", DEVICE_INSTRUCTION_SKIPPED },
	{ "glitch", DEVICE_CONSTANT_GLITCH },
	{ "sticks", DEVICE_REGISTER_STUCK },
	{ "caches", DEVICE_CACHES_KEPT },
	{ "slices", DEVICE_SLICES_KEPT },
	{ "l2", DEVICE_L2_KEPT },
};

static struct emulated_options options;
static struct diag why;

static bool
are_equal(const struct emulated_options *a, const struct emulated_options *b)
{
	return a->qpus == b->qpus && a->mem_mib == b->mem_mib &&
	       a->timed == b->timed && a->check == b->check &&
	       a->seed == b->seed && a->fault.kind == b->fault.kind &&
	       a->fault.at == b->fault.at && a->fault.until == b->fault.until &&
	       a->also.kind == b->also.kind && a->also.at == b->also.at &&
	       a->fault.names_lane == b->fault.names_lane &&
	       a->fault.qpu == b->fault.qpu && a->fault.lane == b->fault.lane;
}

int
main(void)
{
	char text[600];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		memset(&options, 0x55, sizeof(options));
		ok(emulated_options_parse(&options, good[i].text, &why) &&
			   are_equal(&options, &good[i].options),
		   "'%s' is taken", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "'%s'" NONE_OF, bad[i].named);
		ok(!emulated_options_parse(&options, bad[i].text, &why),
		   "'%s' is refused", bad[i].text);
		is(why.text, text, "the refused part '%s' is named",
		   bad[i].named);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		snprintf(text, sizeof(text), "fault=%s@3", kinds[i].name);
		ok(emulated_options_parse(&options, text, &why) &&
			   options.fault.kind == kinds[i].fault &&
			   options.fault.at == 3 && !options.fault.names_lane,
		   "'%s' is a kind of fault", kinds[i].name);
	}
	return tap_done();
}
