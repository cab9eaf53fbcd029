/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/emulated_options.h"

#include <string.h>

#include "qpu/ways/way.h"

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

/* The kinds of faults, as they begin. */
static const char *const faults[] = {
#define FAULT(KIND, name, devices, lasting, what) [KIND - 1] = name "@",
#include "qpu/ways/faults.def"
#undef FAULT
	NULL
};

enum devices { LANES = 1, TILES = 2, BOTH = LANES | TILES };

/* Which devices have them; and do they last, if nothing else is said? */
static const struct {
	enum devices devices;
	bool lasts;
} rows[] = {
#define FAULT(KIND, name, devices, lasting, what) [KIND] = { devices, lasting },
#include "qpu/ways/faults.def"
#undef FAULT
};

bool
emulated_fault_parse(struct emulated_fault *fault, bool in_tiles,
		     const char *text)
{
	for (unsigned i = 0; faults[i]; i++) {
		const size_t len = strlen(faults[i]);

		if (strncmp(text, faults[i], len) != 0 ||
		    !(rows[i + 1].devices & (in_tiles ? TILES : LANES)))
			continue;
		fault->kind = DEVICE_NO_FAULT + 1 + i;
		if (!parse_place(fault, text + len))
			return false;
		if (!rows[i + 1].lasts && !strchr(text, '-'))
			fault->until = fault->at;
		return true;
	}
	return false;
}

static bool
parse_fault(void *field, const char *value, struct diag *why)
{
	(void)why;
	return emulated_fault_parse(field, false, value);
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
	{ .name = "fault",
	  .kind = OPTION_PARSED,
	  FIELD(fault),
	  .parse = parse_fault,
	  .words = faults + DEVICE_TILES_ONLY,
	  .argument = "KIND@N[-[M]][.QPU.LANE] with lane, once, stores, row, "
		      "stale, swap, short, nothing, data, late, page, stuck, "
		      "refuse, alloc, code, constant, uniforms, job, pointers, "
		      "begins, next, lengths, segments, between, old, "
		      "neighbour, bit, seal, stray, register, registers, skip, "
		      "glitch, sticks, alu16, alu20, mulpack, caches, slices, "
		      "l2, part, l2bit, tmubit or address" },
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
