/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/emulated_options.h"

#include "qpu/ways/way.h"

enum {
	/* Of a Raspberry Pi's memory split, and of contiguous memory. */
	USUAL_MIB = 64,
	MOST_MIB = 1008,
	MOST_CMA_MIB = 512
};

static bool
parse_fault(void *field, const char *value, struct diag *why)
{
	return pi_fault_parse(field, PI_LANES, value, why);
}

static bool
parse_tiles_fault(void *field, const char *value, struct diag *why)
{
	return pi_fault_parse(field, PI_TILES, value, why);
}

static void
offer_faults(const struct completion *completion, size_t len)
{
	pi_fault_offer(PI_LANES, completion, len);
}

static void
offer_tiles_faults(const struct completion *completion, size_t len)
{
	pi_fault_offer(PI_TILES, completion, len);
}

#define FIELD(member) OPTION_FIELD(struct emulated_options, member)

/* clang-format off */
#define ROWS(most_mib, megabytes, parser, offerer)                             \
	{ .name = "qpus", .kind = OPTION_UNSIGNED, FIELD(qpus), .min = 1,      \
	  .max = DEVICE_QPUS, .argument = "1..12" },                           \
	{ .name = "mem", .kind = OPTION_UNSIGNED, FIELD(mem_mib), .min = 1,    \
	  .max = most_mib, .argument = megabytes },                            \
	{ .name = "timed", .kind = OPTION_FLAG, FIELD(timed) },                \
	{ .name = "check", .kind = OPTION_FLAG, FIELD(check) },                \
	{ .name = "seed", .kind = OPTION_NUMBER, FIELD(seed),                  \
	  .argument = "N" },                                                   \
	{ .name = "fault", .kind = OPTION_PARSED, FIELD(fault),                \
	  .parse = parser, .offer = offerer,                                   \
	  .argument = "KIND@N[-[M]][.PLACE]" },                        \
	{ .name = NULL }
/* clang-format on */

const struct option_row emulated_option_rows[] = { ROWS(
	MOST_MIB, "1..1008", parse_fault, offer_faults) };

const struct option_row tiles_emulated_option_rows[] = {
	{ .name = "tiles", .kind = OPTION_FLAG, FIELD(tiles) },
	ROWS(MOST_CMA_MIB, "1..512", parse_tiles_fault, offer_tiles_faults)
};

bool
emulated_options_parse(struct emulated_options *options, enum pi_door door,
		       const char *text, struct diag *why_not)
{
	*options = (struct emulated_options){ .qpus = DEVICE_QPUS,
					      .mem_mib = USUAL_MIB };
	return option_parse_words(door == PI_TILES ?
					  tiles_emulated_option_rows :
					  emulated_option_rows,
				  options, text, why_not);
}
