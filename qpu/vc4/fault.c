/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/vc4_node.h"

#include <string.h>

#include "src/base/option.h"

enum {
	FAULTS = sizeof(((struct vc4_faults *)0)->kind) / sizeof(enum vc4_fault)
};

static const char *const names[] = {
	[VC4_NO_FAULT] = "none",
	[VC4_JOB_LOST] = "lost",
	[VC4_RESET] = "reset",
	[VC4_TILE_LOST] = "tile",
	[VC4_CLEAR_LEFT] = "clear",
	[VC4_EXCHANGED] = "exchange",
	[VC4_STALE_LINES] = "stale",
	[VC4_INTERRUPTED] = "eintr",
	[VC4_NO_MEMORY] = "alloc",
	[VC4_OTHERS_JOBS] = "busy",
	[VC4_OTHERS_SHORT_HANG] = "short-hang",
	[VC4_OTHERS_HANG] = "hang",
	[VC4_OTHERS_LONG_HANG] = "long-hang",
};

bool
fault_strikes(const struct vc4 *vc4, enum vc4_fault kind, uint64_t number)
{
	const struct vc4_faults *faults = &vc4->options.faults;

	for (unsigned i = 0; i < FAULTS; i++)
		if (faults->kind[i] == kind &&
		    (faults->at[i] == 0 || faults->at[i] == number))
			return true;
	return false;
}

struct reading {
	struct vc4_faults *faults;
	unsigned n;
	struct diag *why;
};

/* The digits after '@'; false unless there is a number from 1. */
static bool
read_number(const char *digits, size_t len, unsigned *number)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++) {
		if (digits[i] < '0' || digits[i] > '9' || value > 99999999)
			return false;
		value = value * 10 + (unsigned)(digits[i] - '0');
	}
	*number = (unsigned)value;
	return value > 0;
}

static bool
read_one(void *context, const char *part, size_t len)
{
	struct reading *reading = context;
	const char *at = memchr(part, '@', len);
	const size_t name_len = at ? (size_t)(at - part) : len;
	unsigned kind = VC4_JOB_LOST, number = 0;

	while (kind <= VC4_OTHERS_LONG_HANG &&
	       (strlen(names[kind]) != name_len ||
		memcmp(names[kind], part, name_len) != 0))
		kind++;
	if (kind > VC4_OTHERS_LONG_HANG || reading->n == FAULTS ||
	    (at && !read_number(at + 1, len - name_len - 1, &number))) {
		diag_set(
			reading->why,
			"'%.*s' is not a fault of the kernel's driver: "
			"lost, reset, tile, clear, exchange, stale, eintr, "
			"alloc, busy, short-hang, hang or long-hang, and perhaps @ and a number",
			(int)len, part);
		return false;
	}
	reading->faults->kind[reading->n] = (enum vc4_fault)kind;
	reading->faults->at[reading->n++] = number;
	return true;
}

bool
vc4_faults_parse(struct vc4_faults *faults, const char *text, struct diag *why)
{
	struct reading reading = { faults, 0, why };

	memset(faults, 0, sizeof(*faults));
	return option_each(text, read_one, &reading);
}
