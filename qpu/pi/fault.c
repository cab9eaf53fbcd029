/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/fault.h"

#include <string.h>

#include "qpu/ways/way.h"
#include "src/base/completion.h"

enum { LANES = PI_LANES, TILES = PI_TILES, BOARD = PI_BOARD };
enum { LASTS = 1, WORDS = 2 };
enum { FAULT_LANES = 16 };

static const struct row {
	const char *word;
	unsigned doors;
	unsigned traits;
	const char *what;
} rows[PI_FAULTS] = {
#define PI_FAULT(KIND, word, doors, traits, what)                              \
	[KIND] = { word, doors, traits, what },
#include "qpu/pi/fault.def"
#undef PI_FAULT
};

bool
pi_fault_needs_words(enum pi_fault_kind kind)
{
	return rows[kind].traits & WORDS;
}

/* Take a decimal number up to `end`, one of whose characters follows it; *text
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

/* Read QPU.LANE or "any". */
static bool
parse_place(struct pi_fault *fault, const char *text)
{
	uint64_t qpu, lane;

	fault->place = PI_PLACE_ANY;
	if (strcmp(text, "any") == 0)
		return true;
	fault->place = PI_PLACE_NAMED;
	if (!take_number(&text, ".", DEVICE_QPUS - 1, &qpu) ||
	    !take_number(&text, "", FAULT_LANES - 1, &lane))
		return false;
	fault->qpu = (unsigned)qpu;
	fault->lane = (unsigned)lane;
	return true;
}

/* Read FIRST, FIRST- or FIRST-LAST, and perhaps a place; it lasts for ever unless
 * LAST is there. */
static bool
parse_numbers(struct pi_fault *fault, const char *text)
{
	const char *place = strchr(text, '.');
	const char *lasts = strchr(text, '-');
	const char *end = place ? "." : "";

	if (!take_number(&text, lasts ? "-" : end, UINT64_MAX, &fault->at) ||
	    fault->at == 0)
		return false;
	fault->until = UINT64_MAX;
	if (lasts && *text != '\0' && *text != '.' &&
	    !take_number(&text, end, UINT64_MAX, &fault->until))
		return false;
	return fault->until >= fault->at &&
	       (!place || parse_place(fault, place + 1));
}

static bool
parse(struct pi_fault *fault, enum pi_door door, const char *text)
{
	*fault = (struct pi_fault){ .kind = PI_NO_FAULT };
	for (unsigned kind = 1; kind < PI_FAULTS; kind++) {
		const struct row *row = &rows[kind];
		const size_t len = strlen(row->word);

		if (!(row->doors & door) ||
		    strncmp(text, row->word, len) != 0 || text[len] != '@')
			continue;
		fault->kind = kind;
		if (!parse_numbers(fault, text + len + 1))
			return false;
		if (!(row->traits & LASTS) && !strchr(text, '-'))
			fault->until = fault->at;
		return true;
	}
	return false;
}

void
pi_fault_offer(enum pi_door door, const struct completion *completion,
	       size_t len)
{
	char begin[16];

	for (unsigned kind = 1; kind < PI_FAULTS; kind++) {
		snprintf(begin, sizeof(begin), "%s@", rows[kind].word);
		if (rows[kind].doors & door)
			completion_offer(completion, len, begin,
					 rows[kind].what);
	}
}

bool
pi_fault_parse(struct pi_fault *fault, enum pi_door door, const char *text,
	       struct diag *why)
{
	const char *form = door == PI_BOARD ? "KIND@N[-[M]]" :
					      "KIND@N[-[M]][.QPU.LANE|.any]";
	char kinds[sizeof(why->text)];
	size_t len = 0;

	if (parse(fault, door, text) &&
	    (door != PI_BOARD || fault->place == PI_PLACE_BY_SEED))
		return true;
	for (unsigned kind = 1; kind < PI_FAULTS; kind++)
		if (rows[kind].doors & door)
			len += (size_t)snprintf(kinds + len,
						sizeof(kinds) - len, "%s%s",
						len ? ", " : "",
						rows[kind].word);
	return diag_set(why, "'%.60s' is not %s; KIND is %s", text, form,
			kinds);
}
