/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/listing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/base/json.h"
#include "src/bench/rates.h"
#include "src/output/output.h"
#include "src/output/stats.h"

static void
find_details(const struct engine_row *row, struct facts *details)
{
	*details = (struct facts){ .n = 0 };
	if (row->engine->details)
		row->engine->details(row->engine->context, details);
}

/* Text ------------------------------------------------------------------- */

__attribute__((format(printf, 1, 2))) static void
print_text(const char *format, ...)
{
	char line[1024];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (len > 0)
		output_add(line, (size_t)len < sizeof(line) ? (size_t)len :
							      sizeof(line) - 1);
}

/* Print "; 1620.0 MB/s, measured 2026-11-20", or what is known instead. */
static void
print_rate(const struct engine *engine, const struct rates *rates)
{
	const struct rate *rate = rates_find(rates, engine->name);

	if (rate)
		print_text("; %.1f MB/s%s, measured %s\n",
			   rate->bytes_per_second / 1e6,
			   engine->per_thread ? " a thread" : "", rate->date);
	else if (engine->modelled_mb)
		print_text("; %u MB/s at %u MHz, modelled\n",
			   engine->modelled_mb, engine->modelled_mhz);
	else
		print_text("; not measured yet (--benchmark)\n");
}

/* Return the step to a usable device, with its commands, or NULL. */
static const char *
find_step(const struct facts *details)
{
	for (unsigned i = 0; i < details->n; i++)
		if (details->rows[i].kind == FACT_STEP)
			return facts_text(details, &details->rows[i]);
	return NULL;
}

/* Return the length of the reason without the step at its end. */
static int
reason_len(const struct diag *why_not, const char *step)
{
	const size_t len = strlen(why_not->text), end = strcspn(step, "\n");

	return (int)(end > 0 && len > end + 2 &&
				     strncmp(why_not->text + len - end, step,
					     end) == 0 ?
			     len - end - 2 :
			     len);
}

/* Return the first way to the device of the row that is usable, or NULL. */
static const struct engine_row *
usable_way(const struct engine_row *engines, const struct engine_row *row)
{
	for (; engines->device; engines++)
		if (strcmp(engines->device, row->device) == 0 &&
		    engine_probe(engines->engine, NULL))
			return engines;
	return NULL;
}

/* Print the details; a step is not needed where another way is usable. */
static void
print_details(const struct engine_row *engines, const struct engine_row *row,
	      const struct facts *details)
{
	const struct engine_row *usable = usable_way(engines, row);
	struct text line = { 0 };

	for (unsigned i = 0; i < details->n;) {
		if (details->rows[i].kind == FACT_STEP && usable &&
		    usable != row)
			print_text("  not needed, since %s is usable:\n",
				   usable->engine->name);
		if (facts_line(&line, details, &i))
			print_text("  %s\n", line.bytes);
	}
	text_free(&line);
}

/* Print what is left to do for the first device. */
static void
print_next(const struct engine_row *engines)
{
	const struct engine_row *usable = usable_way(engines, engines);
	struct facts details;

	if (usable) {
		print_text("Nothing is left to do: --device=%s uses %s.\n",
			   usable->device, usable->engine->name);
		return;
	}
	for (const struct engine_row *row = engines; row->device; row++) {
		if (strcmp(row->device, engines->device) != 0 ||
		    !engines_is_listed(engines, row))
			continue;
		find_details(row, &details);
		if (!find_step(&details))
			continue;
		print_text("Next: step 1 of %s, then list the devices again.\n",
			   row->engine->name);
		return;
	}
	print_text("Nothing can be done here for --device=%s.\n",
		   engines->device);
}

static void
print_row(const struct engine_row *engines, const struct engine_row *row,
	  bool with_details, const struct rates *rates)
{
	const char *step = NULL;
	struct facts details;
	struct diag why_not;

	if (with_details) {
		find_details(row, &details);
		step = find_step(&details);
	}
	if (engine_probe(row->engine, &why_not)) {
		print_text("%-9s %-10s usable%s: %s", row->device,
			   row->engine->name,
			   row->engine->looks_only ? " as far as can be seen" :
						     "",
			   row->engine->about);
		print_rate(row->engine, rates);
	} else {
		print_text("%-9s %-10s not usable: %.*s\n", row->device,
			   row->engine->name,
			   reason_len(&why_not, step ? step : ""),
			   why_not.text);
	}
	if (with_details)
		print_details(engines, row, &details);
}

/* JSON ------------------------------------------------------------------- */

static void
add_rate(struct json *json, const struct engine *engine,
	 const struct rates *rates)
{
	const struct rate *rate = rates_find(rates, engine->name);

	if (rate) {
		json_real(json, "gb_per_s", rate->bytes_per_second / 1e9);
		json_string(json, "measured", rate->date);
	} else if (engine->modelled_mb) {
		json_real(json, "modelled_gb_per_s", engine->modelled_mb / 1e3);
		json_number(json, "modelled_clock_hz",
			    engine->modelled_mhz * UINT64_C(1000000));
	}
}

static void
print_object(const struct engine_row *row, const struct rates *rates)
{
	struct json json = { 0 };
	struct facts details;
	struct diag why_not;
	bool usable;

	json_open(&json);
	json_string(&json, "device", row->device);
	json_string(&json, "engine", row->engine->name);
	usable = engine_probe(row->engine, &why_not);
	json_flag(&json, "usable", usable);
	if (!usable)
		json_string(&json, "reason", why_not.text);
	json_string(&json, "about", row->engine->about);
	add_rate(&json, row->engine, rates);
	find_details(row, &details);
	facts_members(&json, &details);
	output_add_line(&json.text, json_close(&json), row->device);
	json_free(&json);
}

void
listing_print(const struct engine_row *engines, bool details, bool json)
{
	struct stats_count counts[] = { { "devices", 0 }, { NULL, 0 } };
	struct json object = { 0 };
	struct rates rates;

	rates_load(&rates);
	if (!json)
		print_text("%-9s %-10s state\n", "device", "engine");
	for (const struct engine_row *row = engines; row->device; row++) {
		if (!engines_is_listed(engines, row))
			continue;
		counts->count++;
		if (json)
			print_object(row, &rates);
		else
			print_row(engines, row, details, &rates);
	}
	if (details && !json)
		print_next(engines);
	if (json)
		stats_print_summary(&object, "list-devices", counts);
	json_free(&object);
}
