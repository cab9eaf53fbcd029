/* SPDX-License-Identifier: MIT */
/*
 * fact_line: facts of an engine (src/base/facts.h) as text and as JSON.
 */
#ifndef SRC_OUTPUT_FACT_LINE_H
#define SRC_OUTPUT_FACT_LINE_H

#include <stdbool.h>

#include "src/base/facts.h"
#include "src/base/json.h"
#include "src/base/text.h"

/* Set the line to "LABEL: VALUE, VALUE", from row *i on, without a newline, and
 * *i to the row after it.  False: memory was short, the line is not whole. */
bool
fact_line(struct text *line, const struct facts *facts, unsigned *i);

/* Add the facts that have a key as members: numbers and texts; then a list
 * "nodes" and a list "steps", if there are any. */
void
fact_members(struct json *json, const struct facts *facts);

#endif
