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
#else
const char *const engines_left_out = "QPUs";
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

/* Is it "NAME" or "NAME+cpu", of so many characters? */
static bool
is_named(const struct engine_row *row, const char *word, size_t len,
	 bool with_cpu)
{
	const size_t name_len = len - (with_cpu ? strlen(PLUS_CPU) : 0);

	return strlen(row->device) == name_len &&
	       memcmp(row->device, word, name_len) == 0 &&
	       !(with_cpu && row->engine->per_thread);
}

bool
engines_choose(const char *word, struct engine_choice *choice,
	       struct diag *why_not)
{
	const size_t len = strcspn(word, ":");
	const size_t plus = strcspn(word, "+");
	const bool automatic = strcmp(word, "auto") == 0;
	const bool with_cpu = plus < len && len - plus == strlen(PLUS_CPU) &&
			      memcmp(word + plus, PLUS_CPU, len - plus) == 0;

	choice->options = word[len] == ':' ? word + len + 1 : "";
	choice->with_cpu = automatic || with_cpu;
	diag_set(why_not, "this program was built without %s",
		 engines_left_out ? engines_left_out : "this device");
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		if (automatic ? !row->automatic :
				!is_named(row, word, len, with_cpu))
			continue;
		choice->engine = row->engine;
		if (engines_probe(row, why_not))
			return true;
		/* A device asked for by name is not replaced silently. */
		if (!automatic)
			return false;
	}
	return false;
}
