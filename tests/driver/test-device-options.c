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
	" is none of qpus=1..12, mem=1..1008, timed, check, seed=N and "       \
	"fault=KIND@N[.QPU.LANE] with lane, once, stores, row, stale, swap, "  \
	"short, nothing, data, late, stuck, refuse or alloc"

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
	    .fault = DEVICE_REFUSES,
	    .fault_at = UINT64_MAX } },
	{ "fault=lane@21.3.4,fault=stuck@3",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault = DEVICE_STUCK_QPU,
	    .fault_at = 3 } },
	{ "fault=late@1.0.0,seed=5",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .seed = 5,
	    .fault = DEVICE_CORRUPT_LATE,
	    .fault_at = 1,
	    .fault_names_lane = true } },
	{ "fault=data@20.11.15",
	  { .qpus = 12,
	    .mem_mib = 64,
	    .fault = DEVICE_CORRUPT_BEFORE,
	    .fault_at = 20,
	    .fault_names_lane = true,
	    .fault_qpu = 11,
	    .fault_lane = 15 } },
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
	{ "lane", DEVICE_WRONG_LANE },	   { "once", DEVICE_WRONG_ONCE },
	{ "stores", DEVICE_STORES_LOST },  { "row", DEVICE_ROW_LOST },
	{ "stale", DEVICE_STALE_RESULTS }, { "swap", DEVICE_LANES_SWAPPED },
	{ "short", DEVICE_BLOCK_TOO_FEW }, { "nothing", DEVICE_RAN_NOTHING },
	{ "data", DEVICE_CORRUPT_BEFORE }, { "late", DEVICE_CORRUPT_LATE },
	{ "stuck", DEVICE_STUCK_QPU },	   { "refuse", DEVICE_REFUSES },
	{ "alloc", DEVICE_NO_MEMORY },
};

static struct emulated_options options;
static struct diag why;

static bool
are_equal(const struct emulated_options *a, const struct emulated_options *b)
{
	return a->qpus == b->qpus && a->mem_mib == b->mem_mib &&
	       a->timed == b->timed && a->check == b->check &&
	       a->seed == b->seed && a->fault == b->fault &&
	       a->fault_at == b->fault_at &&
	       a->fault_names_lane == b->fault_names_lane &&
	       a->fault_qpu == b->fault_qpu && a->fault_lane == b->fault_lane;
}

int
main(void)
{
	char text[512];

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
			   options.fault == kinds[i].fault &&
			   options.fault_at == 3 && !options.fault_names_lane,
		   "'%s' is a kind of fault", kinds[i].name);
	}
	return tap_done();
}
