/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/engines.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/engine_cpu.h"
#include "src/base/option.h"
#ifdef WITH_QPU
#include "qpu/sha/engine_qpu.h"
#include "qpu/ways/drm.h"
#endif

#define PLUS_CPU "+cpu"

#ifdef WITH_QPU
static enum engine_prospect
prospect_of_drm(void)
{
	switch (obstacle_gpu(drm_obstacle(NULL))) {
	case DRIVER_HAS_GPU: return PROSPECT_SET_UP;
	case DRIVER_WITHOUT_GPU: return PROSPECT_OTHER;
	case DRIVER_NONE: break;
	}
	return PROSPECT_NONE;
}
#endif

/* The table ---------------------------------------------------------------- */

const struct engine_row engine_rows[] = {
#ifdef WITH_QPU
	{ .device = "qpu",
	  .engine = &engine_drm,
	  .automatic = true,
	  .prospect = prospect_of_drm },
	{ .device = "qpu", .engine = &engine_qpu, .automatic = true },
#endif
	{ .device = "cpu", .engine = &engine_cpu, .automatic = true },
#ifdef WITH_QPU
	{ .device = "emulator", .engine = &engine_emulator },
	{ .device = "emulator", .engine = &engine_emulated_tiles },
#endif
	{ .device = NULL }
};

#ifdef WITH_QPU
const char *const engines_left_out = NULL;
static const char *const devices_left_out[] = { NULL };
#else
const char *const engines_left_out = "QPUs";
static const char *const devices_left_out[] = { "qpu", "emulator", NULL };
#endif

const struct engine *const engines_fallback = &engine_cpu;

bool
engines_is_listed(const struct engine_row *rows, const struct engine_row *row)
{
	if (engine_probe(row->engine, NULL))
		return true;
	if (row->prospect)
		return row->prospect() != PROSPECT_NONE;
	for (const struct engine_row *way = rows; way < row; way++)
		if (strcmp(way->device, row->device) == 0 && way->prospect &&
		    way->prospect() == PROSPECT_SET_UP)
			return false;
	return true;
}

/* The parts of a word for --device: NAME[+cpu][:OPTIONS]. */
struct parts {
	const char *name;
	size_t name_len;
	bool with_cpu;
	const char *options; /* NULL without a colon */
};

static struct parts
split(const char *word)
{
	const size_t len = strcspn(word, ":");
	const size_t plus = strcspn(word, "+");
	const bool with_cpu = plus < len && len - plus == strlen(PLUS_CPU) &&
			      memcmp(word + plus, PLUS_CPU, len - plus) == 0;

	return (struct parts){ .name = word,
			       .name_len = with_cpu ? plus : len,
			       .with_cpu = with_cpu,
			       .options = word[len] ? word + len + 1 : NULL };
}

static bool
is_named(const char *device, const struct parts *parts)
{
	return strlen(device) == parts->name_len &&
	       memcmp(device, parts->name, parts->name_len) == 0;
}

static bool
is_automatic(const struct parts *parts)
{
	return is_named("auto", parts) && !parts->with_cpu && !parts->options;
}

bool
engines_is_device(const char *word)
{
	const struct parts parts = split(word);
	const bool is_plain = !parts.with_cpu && !parts.options;

	if (is_automatic(&parts))
		return true;
	for (const struct engine_row *row = engine_rows; row->device; row++)
		if (is_named(row->device, &parts))
			return is_plain || !row->engine->per_thread;
	for (const char *const *name = devices_left_out; *name; name++)
		if (is_named(*name, &parts))
			return true;
	return false;
}

void
engines_each_name(void (*one)(void *context, const char *name), void *context)
{
	static const char *const ends[] = { "", ":", PLUS_CPU, PLUS_CPU ":" };
	char name[64];

	one(context, "auto");
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		const size_t n = row->engine->per_thread ?
					 1 :
					 sizeof(ends) / sizeof(*ends);

		/* Another way to the device of the row before. */
		if (row > engine_rows &&
		    strcmp(row->device, row[-1].device) == 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "%s%s", row->device,
				 ends[i]);
			one(context, name);
		}
	}
}

/* Options ------------------------------------------------------------------ */

/* Return the first of the options, "NAME,NAME=VALUE", that the row does not
 * know, or NULL if it knows all or takes any. */
static const char *
find_unknown(const struct engine_row *row, const char *words)
{
	while (row->engine->options && *words) {
		const size_t len = strcspn(words, ",");

		if (!option_find(row->engine->options, words,
				 strcspn(words, "=,")))
			return words;
		words += len + (words[len] == ',');
	}
	return NULL;
}

/* Collect the options of all ways to a device that know these words. */
static void
join_options(const struct parts *parts, const char *words,
	     struct option_row all[ENGINES_OPTIONS])
{
	unsigned n = 0;

	all[0].name = NULL;
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		const struct option_row *option = row->engine->options;

		if (!is_named(row->device, parts) || find_unknown(row, words))
			continue;
		for (; option && option->name && n + 1 < ENGINES_OPTIONS;
		     option++) {
			if (option_find(all, option->name,
					strlen(option->name)))
				continue;
			all[n++] = *option;
			all[n].name = NULL;
		}
	}
}

void
engines_options(const char *word, struct option_row all[ENGINES_OPTIONS])
{
	const struct parts parts = split(word);
	const char *comma = parts.options ? strrchr(parts.options, ',') : NULL;
	char *words = comma ? strndup(parts.options,
				      (size_t)(comma - parts.options)) :
			      NULL;

	/* The last word may not be complete; words that no way knows rule out
	 * none. */
	join_options(&parts, words ? words : "", all);
	if (!all[0].name)
		join_options(&parts, "", all);
	free(words);
}

/* The choice --------------------------------------------------------------- */

/* Return true if --device=WORD, which has these parts, may mean the row. */
static bool
is_meant(const struct engine_row *row, const struct parts *parts)
{
	if (is_automatic(parts))
		return row->automatic;
	return is_named(row->device, parts) &&
	       !(parts->with_cpu && row->engine->per_thread);
}

/*
 * Choose an engine.  A device asked for by name is not replaced silently: if no
 * way to it can be used, give the reason of the way for which the machine is set
 * up, or of the last way.
 */
static bool
choose(const struct parts *parts, struct pipeline_config *config,
       struct diag *why_not)
{
	struct option_row all[ENGINES_OPTIONS];
	const char *unknown = NULL;
	bool found = false, explained = false;

	for (const struct engine_row *row = engine_rows; row->device; row++) {
		const char *word;
		struct diag reason;

		if (!is_meant(row, parts))
			continue;
		word = find_unknown(row, config->options);
		if (word) {
			unknown = word;
			continue;
		}
		found = true;
		if (engine_probe(row->engine, &reason)) {
			config->engine = row->engine;
			return true;
		}
		if (explained)
			continue;
		config->engine = row->engine;
		*why_not = reason;
		explained = row->prospect && row->prospect() == PROSPECT_SET_UP;
	}
	if (!found && unknown) {
		join_options(parts, "", all);
		option_refuse_word(all, unknown, strcspn(unknown, ","),
				   why_not);
	}
	return false;
}

bool
engines_choose(const char *word, struct pipeline_config *config,
	       struct diag *why_not)
{
	const struct parts parts = split(word);

	config->options = parts.options ? parts.options : "";
	config->with_cpu = is_automatic(&parts) || parts.with_cpu;
	diag_set(why_not, "this program was built without %s",
		 engines_left_out ? engines_left_out : "this device");
	return choose(&parts, config, why_not);
}
