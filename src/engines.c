/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/engines.h"

#include <string.h>

#include "cpu/engine_cpu.h"
#include "cpu/engine_reference.h"
#include "qpu/engine_qpu.h"

const struct engine_row engine_rows[] = {
	{
		.device = "qpu",
		.engine = &engine_qpu,
		.automatic = true
	},
	{
		.device = "cpu",
		.engine = &engine_cpu,
		.automatic = true
	},
	{
		.device = "cpu",
		.engine = &engine_reference
	},
	{
		.device = "emulator",
		.engine = &engine_emulator
	},
	{ .device = NULL }
};

const struct engine *
engines_fallback(void)
{
	return engine_cpu.probe(NULL) ? &engine_cpu : &engine_reference;
}

bool
engines_probe(const struct engine_row *row, struct diag *why_not)
{
	return row->engine->probe(why_not);
}

const struct engine *
engines_choose(const char *word, const char **words, struct diag *why_not)
{
	size_t len = strcspn(word, ":");
	bool automatic = strcmp(word, "auto") == 0;

	*words = word[len] == ':' ? word + len + 1 : "";
	diag_set(why_not, "there is no such device");
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		if (automatic ? !row->automatic :
				(strlen(row->device) != len ||
				 memcmp(row->device, word, len) != 0))
			continue;
		if (engines_probe(row, why_not))
			return row->engine;
		/* What was asked for by name is not replaced silently. */
		if (!automatic)
			return NULL;
	}
	return NULL;
}
