/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/engines.h"

#include <string.h>

#include "cpu/engine_cpu.h"
#include "cpu/engine_reference.h"
#ifdef WITH_QPU
#include "qpu/engine/engine_qpu.h"
#endif

#define PLUS_CPU "+cpu"

const struct engine_row engine_rows[] = {
#ifdef WITH_QPU
	{ .device = "qpu", .engine = &engine_qpu, .automatic = true },
#endif
	{ .device = "cpu", .engine = &engine_cpu, .automatic = true },
	{ .device = "cpu", .engine = &engine_reference },
#ifdef WITH_QPU
	{ .device = "emulator", .engine = &engine_emulator },
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

const struct engine *
engines_fallback(void)
{
	return engine_probe(&engine_cpu, NULL) ? &engine_cpu :
						 &engine_reference;
}

bool
engines_probe(const struct engine_row *row, struct diag *why_not)
{
	return engine_probe(row->engine, why_not);
}

/* The parts of a word for --device: NAME[+cpu][:OPTIONS]. */
struct parts {
	const char *name;
	size_t name_len;
	bool with_cpu;
	const char *options; /* NULL: no colon */
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

bool
engines_is_device(const char *word)
{
	const struct parts parts = split(word);
	const bool is_plain = !parts.with_cpu && !parts.options;

	if (is_named("auto", &parts))
		return is_plain;
	for (const struct engine_row *row = engine_rows; row->device; row++)
		if (is_named(row->device, &parts))
			return is_plain || !row->engine->per_thread;
	for (const char *const *name = devices_left_out; *name; name++)
		if (is_named(*name, &parts))
			return true;
	return false;
}

/* Does an earlier row have the same device? */
static bool
is_repeated(const struct engine_row *row)
{
	for (const struct engine_row *at = engine_rows; at < row; at++)
		if (strcmp(at->device, row->device) == 0)
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

		for (size_t i = 0; i < n && !is_repeated(row); i++) {
			snprintf(name, sizeof(name), "%s%s", row->device,
				 ends[i]);
			one(context, name);
		}
	}
}

const struct option_row *
engines_options(const char *word)
{
	const struct parts parts = split(word);

	for (const struct engine_row *row = engine_rows; row->device; row++)
		if (is_named(row->device, &parts))
			return row->engine->options;
	return NULL;
}

bool
engines_choose(const char *word, struct pipeline_config *config,
	       struct diag *why_not)
{
	const struct parts parts = split(word);
	const bool automatic = strcmp(word, "auto") == 0;

	config->options = parts.options ? parts.options : "";
	config->shared = automatic || parts.with_cpu;
	diag_set(why_not, "this program was built without %s",
		 engines_left_out ? engines_left_out : "this device");
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		if (automatic ?
			    !row->automatic :
			    !is_named(row->device, &parts) ||
				    (parts.with_cpu && row->engine->per_thread))
			continue;
		config->engine = row->engine;
		if (engines_probe(row, why_not))
			return true;
		/* A device asked for by name is not replaced silently. */
		if (!automatic)
			return false;
	}
	return false;
}
