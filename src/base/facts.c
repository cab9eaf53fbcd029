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

/* As text --------------------------------------------------------------------- */

/* Add "VALUE UNIT". */
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
facts_line(struct text *line, const struct facts *facts, unsigned *i)
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

/* As JSON --------------------------------------------------------------------- */

static void
add_node(struct json *json, const struct facts *facts, const struct fact *fact)
{
	json_string(json, "path", fact->key);
	if (*facts_text(facts, fact))
		json_string(json, "owner", facts_text(facts, fact));
	json_flag(json, "usable", fact->value > 0);
}

/* Add a line of a step as a member.  Return the start of the next line, or the
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

/* Add a list of all facts of a kind, if there are any. */
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
facts_members(struct json *json, const struct facts *facts)
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
