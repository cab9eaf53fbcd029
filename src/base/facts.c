/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Add the fact, with copies of the texts, if there is room for all of it. */
static void
add(struct facts *facts, struct fact fact, const char *label, const char *text)
{
	const size_t label_bytes = strlen(label) + 1;
	const size_t text_bytes = strlen(text) + 1;

	if (facts->n == FACTS_MAX ||
	    label_bytes + text_bytes > FACTS_BYTES - facts->nbytes)
		return;
	fact.label = (unsigned short)facts->nbytes;
	fact.text = (unsigned short)(facts->nbytes + label_bytes);
	memcpy(facts->bytes + fact.label, label, label_bytes);
	memcpy(facts->bytes + fact.text, text, text_bytes);
	facts->nbytes += (unsigned)(label_bytes + text_bytes);
	facts->rows[facts->n++] = fact;
}

void
facts_add_value(struct facts *facts, double value, unsigned decimals,
		const char *unit, const char *label_format, ...)
{
	const struct fact fact = {
		.value = value, .scale = 1, .decimals = decimals, .unit = unit
	};
	char label[128];
	va_list args;

	va_start(args, label_format);
	vsnprintf(label, sizeof(label), label_format, args);
	va_end(args);
	add(facts, fact, label, "");
}

void
facts_add_number(struct facts *facts, const char *key, const char *label,
		 double value, double scale, const char *unit)
{
	const struct fact fact = {
		.key = key, .value = value, .scale = scale, .unit = unit
	};

	add(facts, fact, label, "");
}

void
facts_add_text(struct facts *facts, const char *key, const char *label,
	       const char *text)
{
	add(facts, (struct fact){ .kind = FACT_TEXT, .key = key }, label, text);
}

void
facts_add_node(struct facts *facts, const char *path, const char *owner,
	       bool usable)
{
	const struct fact fact = { .kind = FACT_NODE,
				   .key = path,
				   .value = usable };

	add(facts, fact, path, owner);
}

void
facts_add_step(struct facts *facts, unsigned n, const char *text,
	       const char *commands)
{
	char label[32], lines[1024];

	snprintf(label, sizeof(label), "step %u", n);
	snprintf(lines, sizeof(lines), "%s%s%s", text, *commands ? "\n" : "",
		 commands);
	/* The last command ends like the text. */
	if (*commands && lines[strlen(lines) - 1] == '\n')
		lines[strlen(lines) - 1] = '\0';
	add(facts, (struct fact){ .kind = FACT_STEP, .key = "steps" }, label,
	    lines);
}
