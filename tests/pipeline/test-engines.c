/* SPDX-License-Identifier: MIT */
/*
 * Promise: --device=WORD means one engine and its options, and one that cannot
 * be used here is refused with the reason, not replaced.
 */
#include "config.h"

#include "src/pipeline/engines.h"

#include "tests/support/tap.h"

static struct pipeline_config choice;
static struct diag why;

static bool
choose(const char *word)
{
	memset(&choice, 0x55, sizeof(choice));
	choice.engine = NULL;
	why = (struct diag){ .text = "" };
	return engines_choose(word, &choice, &why);
}

/* The first row of a device that can be used here, or the last of its rows. */
static const struct engine_row *
row_of(const char *device)
{
	const struct engine_row *found = NULL;
	struct diag ignored;

	for (const struct engine_row *row = engine_rows; row->device; row++)
		if (strcmp(row->device, device) == 0 &&
		    (!found || !engines_probe(found, &ignored)))
			found = row;
	return found;
}

static const struct engine_row *
first_row_of(const char *device)
{
	const struct engine_row *row = engine_rows;

	while (strcmp(row->device, device) != 0)
		row++;
	return row;
}

static void
test_cpu(void)
{
	ok(choose("cpu") == engines_probe(first_row_of("cpu"), &why) &&
		   strcmp(choice.options, "") == 0 && !choice.shared &&
		   choice.engine->per_thread,
	   "the CPU by its name");
	choose("cpu:a=1,b");
	ok(strcmp(choice.options, "a=1,b") == 0 && choice.engine->per_thread,
	   "the CPU with options");
	ok(!choose("cpu+cpu") && !choice.engine, "the CPU beside itself");
}

static void
test_unknown(void)
{
	static const char *const words[] = { "",      "c",	  "cp",
					     "cpux",  "gpu",	  "cpu+",
					     "xcpu",  "+cpu",	  ":",
					     "auto2", "auto+cpu", "auto:x" };
	unsigned refused = 0;

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		refused += !choose(words[i]) && !choice.engine &&
			   strncmp(why.text, "this program was built without ",
				   31) == 0;
	ok(refused == 12, "words that are no device (%u of 12)", refused);
	is(why.text + 31, engines_left_out ? "QPUs" : "this device",
	   "a device that may have been left out says so");
}

static void
test_auto(void)
{
	struct diag ignored;
	const struct engine_row *row = engine_rows;

	while (row->device && !(row->automatic && engines_probe(row, &ignored)))
		row++;
	ok(choose("auto") == (row->device != NULL) &&
		   (!row->device || choice.engine == row->engine) &&
		   choice.shared && strcmp(choice.options, "") == 0,
	   "automatic: the first that can be used, beside the CPU");
}

static void
test_fallback(void)
{
	const struct engine *fallback = engines_fallback();

	ok(fallback->per_thread && engine_probe(fallback, &why),
	   "there is always a CPU to go on with");
	ok(fallback == row_of("cpu")->engine,
	   "the CPU that goes on is the best there is");
}

static void
test_devices(void)
{
	const struct engine_row *emulator = row_of("emulator"),
				*qpu = row_of("qpu");
	struct diag reason = { .text = "" };
	bool usable;

	if (engines_left_out) {
		tap_skip("built without QPUs");
		return;
	}
	ok(choose("emulator:qpus=1") && choice.engine == emulator->engine &&
		   !choice.shared && strcmp(choice.options, "qpus=1") == 0,
	   "a device with options");
	ok(choose("emulator+cpu") && choice.engine == emulator->engine &&
		   choice.shared && strcmp(choice.options, "") == 0,
	   "a device beside the CPU");
	ok(choose("emulator+cpu:qpus=2") && choice.shared &&
		   strcmp(choice.options, "qpus=2") == 0,
	   "a device beside the CPU, with options");
	ok(choose("emulator:seed=1+cpu") && !choice.shared &&
		   strcmp(choice.options, "seed=1+cpu") == 0,
	   "a plus in the options of a device is no CPU beside it");
	ok(!choose("emulator+cp") && !choose("emulator+cpux") &&
		   !choose("emulator+gpu") && !choose("emulato+cpu"),
	   "a word that is nearly a device is none");
	ok(!choose("emulator:qpus=1,fast") && !choice.engine &&
		   strncmp(why.text, "'fast' is none of ", 18) == 0 &&
		   strstr(why.text, "qpus=1..12"),
	   "an option that no way to a device has is refused");
	usable = engines_probe(qpu, &reason);
	ok(choose("qpu") == usable && choice.engine == qpu->engine &&
		   (usable || strcmp(why.text, reason.text) == 0),
	   "a device that is asked for is not replaced");
}

int
main(void)
{
	test_cpu();
	test_unknown();
	test_auto();
	test_fallback();
	test_devices();
	return tap_done();
}
