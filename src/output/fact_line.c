/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/fact_line.h"

#include <stdio.h>
#include <string.h>

/* "VALUE UNIT" */
static bool
add_number(struct text *line, const struct fact *fact)
{
	char number[48];

	snprintf(number, sizeof(number), "%.*f", (int)fact->decimals,
		 fact->value / fact->scale);
	return text_add_string(line, number) &&
	       (!*fact->unit || (text_add_string(line, " ") &&
				 text_add_string(line, fact->unit)));
}

/* Commands have lines of their own, so that they can be copied. */
static bool
add_step(struct text *line, const char *step)
{
	const char *end;

	for (; (end = strchr(step, '\n')) != NULL; step = end + 1)
		if (!text_add(line, step, (size_t)(end - step)) ||
		    !text_add_string(line, "\n    "))
			return false;
	return text_add_string(line, step);
}

static bool
add_value(struct text *line, const struct facts *facts, const struct fact *fact)
{
	const char *text = facts_text(facts, fact);

	switch (fact->kind) {
	case FACT_NUMBER: return add_number(line, fact);
	case FACT_NODE:
		if (!*text)
			return text_add_string(line, "does not exist");
		return text_add_string(line, text) &&
		       text_add_string(line, fact->value > 0 ?
						     ", you may open it" :
						     ", you may not open it");
	case FACT_STEP: return add_step(line, text);
	case FACT_TEXT: break;
	}
	return text_add_string(line, text);
}

bool
fact_line(struct text *line, const struct facts *facts, unsigned *i)
{
	const struct fact *fact = &facts->rows[*i];
	const struct fact *const end = facts->rows + facts->n;
	bool whole;

	text_cut(line, 0);
	whole = text_add_string(line, facts_label(facts, fact)) &&
		text_add_string(line, ": ") && add_value(line, facts, fact);
	for (fact++; fact < end && !*facts_label(facts, fact); fact++)
		whole = whole && text_add_string(line, ", ") &&
			add_value(line, facts, fact);
	*i = (unsigned)(fact - facts->rows);
	return whole;
}

static void
add_node(struct json *json, const struct facts *facts, const struct fact *fact)
{
	json_string(json, "path", fact->key);
	if (*facts_text(facts, fact))
		json_string(json, "owner", facts_text(facts, fact));
	json_flag(json, "usable", fact->value > 0);
}

/* Add a line of a step as a member; returns the start of the next line, or the
 * end. */
static const char *
add_line(struct json *json, const char *step)
{
	const size_t len = strcspn(step, "\n");
	char line[1024];

	snprintf(line, sizeof(line), "%.*s", (int)len, step);
	json_string(json, "text", line);
	return step + len + (step[len] == '\n');
}

/* Further lines of a step are its commands. */
static void
add_step_members(struct json *json, const char *step)
{
	step = add_line(json, step);
	if (!*step)
		return;
	json_list(json, "commands");
	while (*step) {
		json_item(json);
		step = add_line(json, step);
		json_object_end(json);
	}
	json_list_end(json);
}

/* A list of all facts of a kind, if there are any. */
static void
add_list(struct json *json, const struct facts *facts, enum fact_kind kind,
	 const char *key)
{
	bool any = false;

	for (const struct fact *fact = facts->rows;
	     fact < facts->rows + facts->n; fact++) {
		if (fact->kind != kind)
			continue;
		if (!any)
			json_list(json, key);
		any = true;
		json_item(json);
		if (kind == FACT_NODE)
			add_node(json, facts, fact);
		else
			add_step_members(json, facts_text(facts, fact));
		json_object_end(json);
	}
	if (any)
		json_list_end(json);
}

void
fact_members(struct json *json, const struct facts *facts)
{
	for (const struct fact *fact = facts->rows;
	     fact < facts->rows + facts->n; fact++) {
		if (fact->kind == FACT_NUMBER && fact->key)
			json_number(json, fact->key, (uintmax_t)fact->value);
		else if (fact->kind == FACT_TEXT && fact->key)
			json_string(json, fact->key, facts_text(facts, fact));
	}
	add_list(json, facts, FACT_NODE, "nodes");
	add_list(json, facts, FACT_STEP, "steps");
}
