/* SPDX-License-Identifier: MIT */
/*
 * facts: what is known of an engine and its device, for people and for
 * programs, in the order in which it is to be shown: the statistics of --stats
 * and the details of --list-devices.
 *
 * Start from {0}.  Facts may be copied by assignment.  What does not fit is
 * left out.
 */
#ifndef SRC_BASE_FACTS_H
#define SRC_BASE_FACTS_H

#include <stdbool.h>

#include "src/base/json.h"
#include "src/base/text.h"

enum { FACTS_MAX = 64, FACTS_BYTES = 8192 };

enum fact_kind {
	FACT_NUMBER,
	FACT_TEXT,
	FACT_NODE, /* key is the path, text the owner, value 1 if usable */
	FACT_STEP  /* text is the step; further lines are commands */
};

struct fact {
	enum fact_kind kind;
	const char *key; /* static, of JSON, or NULL if it is for people only */
	double value;	 /* counts are exact up to 2^53 */
	double scale;	 /* people see value / scale */
	unsigned decimals; /* of what people see */
	const char *unit;  /* static, or "" */
	/* Set by facts_add_*: where they begin in the bytes. */
	unsigned short label, text;
};

struct facts {
	unsigned n;
	unsigned nbytes;
	struct fact rows[FACTS_MAX];
	char bytes[FACTS_BYTES]; /* labels and texts */
};

/* Return the label for people; with "" the value continues the row before, after a
 * comma. */
static inline const char *
facts_label(const struct facts *facts, const struct fact *fact)
{
	return facts->bytes + fact->label;
}

static inline const char *
facts_text(const struct facts *facts, const struct fact *fact)
{
	return facts->bytes + fact->text;
}

/* Add a value that is for people only. */
__attribute__((format(printf, 5, 6))) void
facts_add_value(struct facts *, double value, unsigned decimals,
		const char *unit, const char *label_format, ...);

/* Add a number, which people see divided by scale, or a text. */
void
facts_add_number(struct facts *, const char *key, const char *label,
		 double value, double scale, const char *unit);
void
facts_add_text(struct facts *, const char *key, const char *label,
	       const char *text);

/* Add a device node: its mode, owner and group ("": it does not exist), and
 * whether this user may open it; or the nth step to a usable device, with the
 * commands that take it, each with a newline ("": none). */
void
facts_add_node(struct facts *, const char *path, const char *owner,
	       bool usable);
void
facts_add_step(struct facts *, unsigned n, const char *text,
	       const char *commands);

/* Set the line to "LABEL: VALUE, VALUE", from row *i on, without a newline, and
 * *i to the row after it.  Return false if memory was short and the line is not
 * whole. */
bool
facts_line(struct text *line, const struct facts *facts, unsigned *i);

/* Add the facts that have a key as members: numbers and texts; then a list
 * "nodes" and a list "steps", if there are any. */
void
facts_members(struct json *json, const struct facts *facts);

#endif
