/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device/emulated_options.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/device/device.h"

enum {
	USUAL_MIB = 64, /* of a Raspberry Pi's memory split */
	MOST_MIB = 1008,
	DEVICE_LANES = 16
};

/* A decimal number up to `end`, one of whose characters follows it; *text
 * becomes the rest after that character. */
static bool
take_number(const char **text, const char *end, uint64_t most, uint64_t *number)
{
	const size_t len = strspn(*text, "0123456789");

	*number = 0;
	for (size_t i = 0; i < len; i++) {
		const unsigned digit = (unsigned)((*text)[i] - '0');

		if (*number > (UINT64_MAX - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	*text += len;
	if (len == 0 || *number > most || !strchr(end, **text))
		return false;
	*text += **text != '\0';
	return true;
}

/* LAUNCH or LAUNCH.QPU.LANE */
static bool
parse_place(struct emulated_options *options, const char *text)
{
	const bool names_lane = strchr(text, '.');
	uint64_t qpu = 0, lane = 0;

	if (!take_number(&text, names_lane ? "." : "", UINT64_MAX,
			 &options->fault_at) ||
	    options->fault_at == 0)
		return false;
	if (names_lane && (!take_number(&text, ".", DEVICE_QPUS - 1, &qpu) ||
			   !take_number(&text, "", DEVICE_LANES - 1, &lane)))
		return false;
	options->fault_names_lane = names_lane;
	options->fault_qpu = (unsigned)qpu;
	options->fault_lane = (unsigned)lane;
	return true;
}

/* The kinds of faults, as they begin, in the order of enum device_fault. */
static const char *const faults[] = { "lane@",	"once@", "stores@", "row@",
				      "stale@", "swap@", "short@",  "nothing@",
				      "data@",	"late@", "stuck@",  "refuse@",
				      "alloc@", NULL };

static bool
parse_fault(void *field, const char *value, struct diag *why)
{
	struct emulated_options *options = field;

	(void)why;
	for (unsigned i = 0; faults[i]; i++) {
		const size_t len = strlen(faults[i]);

		if (strncmp(value, faults[i], len) != 0)
			continue;
		options->fault = DEVICE_WRONG_LANE + i;
		return parse_place(options, value + len);
	}
	return false;
}

#define FIELD(member) OPTION_FIELD(struct emulated_options, member)

const struct option_row emulated_option_rows[] = {
	{ .name = "qpus",
	  .kind = OPTION_UNSIGNED,
	  FIELD(qpus),
	  .min = 1,
	  .max = DEVICE_QPUS,
	  .argument = "1..12" },
	{ .name = "mem",
	  .kind = OPTION_UNSIGNED,
	  FIELD(mem_mib),
	  .min = 1,
	  .max = MOST_MIB,
	  .argument = "1..1008" },
	{ .name = "timed", .kind = OPTION_FLAG, FIELD(timed) },
	{ .name = "check", .kind = OPTION_FLAG, FIELD(check) },
	{ .name = "seed", .kind = OPTION_NUMBER, FIELD(seed), .argument = "N" },
	/* Several fields. */
	{ .name = "fault",
	  .kind = OPTION_PARSED,
	  .parse = parse_fault,
	  .words = faults,
	  .argument = "KIND@N[.QPU.LANE] with lane, once, stores, row, stale, "
		      "swap, short, nothing, data, late, stuck, refuse or "
		      "alloc" },
	{ .name = NULL }
};

bool
emulated_options_parse(struct emulated_options *options, const char *text,
		       struct diag *why_not)
{
	*options = (struct emulated_options){ .qpus = DEVICE_QPUS,
					      .mem_mib = USUAL_MIB };
	return option_parse_words(emulated_option_rows, options, text, why_not);
}
