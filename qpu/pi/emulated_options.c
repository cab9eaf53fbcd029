/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/emulated_options.h"

#include <string.h>

#include "qpu/ways/way.h"

enum {
	/* Of a Raspberry Pi's memory split, and of contiguous memory. */
	USUAL_MIB = 64,
	MOST_MIB = 1008,
	MOST_CMA_MIB = 512,
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

/* FIRST, FIRST- or FIRST-LAST, and perhaps .QPU.LANE; it lasts for ever unless
 * LAST is there. */
static bool
parse_place(struct emulated_fault *fault, const char *text)
{
	uint64_t qpu = 0, lane = 0;
	bool has_lane = strchr(text, '.');
	const char *lasts = strchr(text, '-');

	if (!take_number(&text,
			 lasts	  ? "-" :
			 has_lane ? "." :
				    "",
			 UINT64_MAX, &fault->at) ||
	    fault->at == 0)
		return false;
	fault->until = UINT64_MAX;
	if (lasts && (*text == '\0' || *text == '.')) {
		text += *text == '.';
	} else if (lasts && !take_number(&text, has_lane ? "." : "", UINT64_MAX,
					 &fault->until)) {
		return false;
	}
	if (fault->until < fault->at)
		return false;
	if (has_lane && (!take_number(&text, ".", DEVICE_QPUS - 1, &qpu) ||
			 !take_number(&text, "", DEVICE_LANES - 1, &lane)))
		return false;
	fault->names_lane = has_lane;
	fault->qpu = (unsigned)qpu;
	fault->lane = (unsigned)lane;
	return true;
}

enum {
	LANES = EMULATED_LANES,
	TILES = EMULATED_TILES,
	BOARD = EMULATED_BOARD,
	BOTH = LANES | TILES
};

/* Those of the kernel's driver come first, and then those of no lanes.  Where a
 * device has two of a name, the last one counts. */
static const struct {
	const char *begin;
	enum vc4_fault kernel;
	enum device_fault kind;
	unsigned devices;
	bool lasts; /* if nothing else is said */
} faults[] = {
#define FAULT(KIND, name, what)                                                \
	{ name "@", .kernel = KIND, .devices = TILES | BOARD },
#include "qpu/pi/kernel_faults.def"
#undef FAULT
#define FAULT(KIND, name, devices, lasting, what)                              \
	{ name "@", VC4_NO_FAULT, KIND, devices, lasting },
#include "qpu/pi/faults.def"
#undef FAULT
	{ .begin = NULL }
};

bool
emulated_fault_parse(struct emulated_fault *fault, unsigned devices,
		     const char *text)
{
	for (size_t i = sizeof(faults) / sizeof(*faults) - 1; i-- > 0;) {
		const size_t len = strlen(faults[i].begin);

		if (strncmp(text, faults[i].begin, len) != 0 ||
		    !(faults[i].devices & devices))
			continue;
		fault->kind = faults[i].kind;
		fault->kernel = faults[i].kernel;
		if (!parse_place(fault, text + len))
			return false;
		if (!faults[i].lasts && !strchr(text, '-'))
			fault->until = fault->at;
		return true;
	}
	return false;
}

static bool
parse_fault(void *field, const char *value, struct diag *why)
{
	(void)why;
	return emulated_fault_parse(field, LANES, value);
}

static bool
parse_tiles_fault(void *field, const char *value, struct diag *why)
{
	(void)why;
	return emulated_fault_parse(field, TILES, value);
}

#define FIELD(member) OPTION_FIELD(struct emulated_options, member)

/* clang-format off */
#define ROWS(most_mib, megabytes, parser, offered)                             \
	{ .name = "qpus", .kind = OPTION_UNSIGNED, FIELD(qpus), .min = 1,      \
	  .max = DEVICE_QPUS, .argument = "1..12" },                           \
	{ .name = "mem", .kind = OPTION_UNSIGNED, FIELD(mem_mib), .min = 1,    \
	  .max = most_mib, .argument = megabytes },                            \
	{ .name = "timed", .kind = OPTION_FLAG, FIELD(timed) },                \
	{ .name = "check", .kind = OPTION_FLAG, FIELD(check) },                \
	{ .name = "seed", .kind = OPTION_NUMBER, FIELD(seed),                  \
	  .argument = "N" },                                                   \
	{ .name = "fault", .kind = OPTION_PARSED, FIELD(fault),                \
	  .parse = parser, .words = offered, .stride = sizeof(*faults),        \
	  .argument = "KIND@N[-[M]][.QPU.LANE]" },                             \
	{ .name = NULL }
/* clang-format on */

const struct option_row emulated_option_rows[] = { ROWS(
	MOST_MIB, "1..1008", parse_fault,
	&faults[VC4_OTHERS_HANG + DEVICE_NOT_LANES].begin) };

const struct option_row tiles_emulated_option_rows[] = {
	{ .name = "tiles", .kind = OPTION_FLAG, FIELD(tiles) },
	ROWS(MOST_CMA_MIB, "1..512", parse_tiles_fault, NULL)
};

bool
emulated_options_parse(struct emulated_options *options, unsigned device,
		       const char *text, struct diag *why_not)
{
	*options = (struct emulated_options){ .qpus = DEVICE_QPUS,
					      .mem_mib = USUAL_MIB };
	return option_parse_words(device == TILES ? tiles_emulated_option_rows :
						    emulated_option_rows,
				  options, text, why_not);
}
