/* SPDX-License-Identifier: MIT */
/*
 * Promise: --device=WORD means one engine and its options, and one that cannot
 * be used here is refused with the reason, not replaced.
 */
#include "config.h"

#include "src/pipeline/engines.h"

#include <errno.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
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
		    (!found || !engine_probe(found->engine, &ignored)))
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
	ok(choose("cpu") == engine_probe(first_row_of("cpu")->engine, &why) &&
		   strcmp(choice.options, "") == 0 && !choice.with_cpu &&
		   choice.engine->per_thread,
	   "the CPU by its name");
	choose("cpu:a=1,b");
	ok(strcmp(choice.options, "a=1,b") == 0 && choice.engine->per_thread,
	   "the CPU with options");
}

static void
test_auto(void)
{
	struct diag ignored;
	const struct engine_row *row = engine_rows;

	while (row->device &&
	       !(row->automatic && engine_probe(row->engine, &ignored)))
		row++;
	ok(choose("auto") == (row->device != NULL) &&
		   (!row->device || choice.engine == row->engine) &&
		   choice.with_cpu && strcmp(choice.options, "") == 0,
	   "automatic: the first that can be used, beside the CPU");
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
		   !choice.with_cpu && strcmp(choice.options, "qpus=1") == 0,
	   "a device with options");
	ok(choose("emulator+cpu") && choice.engine == emulator->engine &&
		   choice.with_cpu && strcmp(choice.options, "") == 0,
	   "a device beside the CPU");
	ok(choose("emulator+cpu:qpus=2") && choice.with_cpu &&
		   strcmp(choice.options, "qpus=2") == 0,
	   "a device beside the CPU, with options");
	ok(choose("emulator:seed=1+cpu") && !choice.with_cpu &&
		   strcmp(choice.options, "seed=1+cpu") == 0,
	   "a plus in the options of a device is no CPU beside it");
	ok(!choose("emulator:qpus=1,fast") && !choice.engine &&
		   strncmp(why.text, "'fast' is none of ", 18) == 0 &&
		   strstr(why.text, "qpus=1..12"),
	   "an option that no way to a device has is refused");
	usable = engine_probe(qpu->engine, &reason);
	ok(choose("qpu") == usable && choice.engine == qpu->engine &&
		   (usable || strcmp(why.text, reason.text) == 0),
	   "a device that is asked for is not replaced");
}

/* Words --------------------------------------------------------------------- */

static void
test_words(void)
{
	static const char *const good[] = { "auto",	  "cpu",
					    "qpu",	  "qpu:",
					    "qpu+cpu",	  "qpu+cpu:a=1,b",
					    "emulator:x", "emulator+cpu" };
	static const char *const bad[] = {
		"",	    "c",      "cp",	  "cpux",    "gpu",
		"cpu+",	    "xcpu",   "+cpu",	  ":",	     "auto2",
		"auto+cpu", "auto:",  "auto:x",	  "cpu+cpu", "qp",
		"qpux",	    "qpu+cp", "qpu+cpux", "+cpu:x=1"
	};
	unsigned known = 0, refused = 0;

	for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++)
		known += engines_is_device(good[i]);
	ok(known == 8, "what names a device is known, be it left out (%u of 8)",
	   known);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused += !engines_is_device(bad[i]) && !choose(bad[i]) &&
			   !choice.engine &&
			   strncmp(why.text, "this program was built without ",
				   31) == 0;
	ok(refused == 19,
	   "what names no device is not known, and refused (%u of 19)",
	   refused);
	is(why.text + 31, engines_left_out ? "QPUs" : "this device",
	   "a device that may have been left out says so");
	ok(!engines_is_device("cpu:"), "no options are offered for the CPU");
}

static void
add_name(void *names, const char *name)
{
	strcat(names, " ");
	strcat(names, name);
}

/* Count the rows with this name. */
static unsigned
count_options(const char *word, const char *name)
{
	struct option_row all[ENGINES_OPTIONS];
	unsigned n = 0;

	engines_options(word, all);
	for (const struct option_row *row = all; row->name; row++)
		n += !name || strcmp(row->name, name) == 0;
	return n;
}

static void
test_options(void)
{
	ok(count_options("cpu:", NULL) == 0, "the CPU has no options");
	if (engines_left_out)
		return;
	ok(count_options("emulator+cpu:", "qpus") == 1 &&
		   count_options("emulator:qpus=1", "seed") == 1 &&
		   count_options("emulator:", "fault") == 1,
	   "an option that two ways to a device have is listed once");
	ok(count_options("emulator:", NULL) > count_options("qpu:", NULL) &&
		   count_options("emulator:", "drm") == 0,
	   "options of another device are not listed");
}

/* A board whose first render node is of this type, and may not be opened. */
struct board {
	char names[40]; /* in the device tree, each with a NUL */
	mode_t node;	/* its mode, or 0 if it does not exist */
	const char *listed, *what;
};

static const struct board *board;

static int
open_board(const char *path, int flags, mode_t mode)
{
	if (strcmp(path, "/proc/device-tree/compatible") == 0)
		return fault_real_open("compatible", flags, mode);
	errno = board->node ? EACCES : ENOENT;
	return -1;
}

static int
has_board(int dir, const char *path, int mode, int flags)
{
	if (strcmp(path, "/proc/device-tree") == 0)
		return 0;
	return fault_real_faccessat(dir, path, mode, flags);
}

static int
know_node(int dir, const char *path, int flags, unsigned mask,
	  struct statx *status)
{
	(void)dir, (void)flags, (void)mask;
	*status = (struct statx){ .stx_mode = (uint16_t)board->node };
	errno = ENOENT;
	return board->node && strstr(path, "renderD128") ? 0 : -1;
}

/* Return the names of the ways to this device that are listed. */
static const char *
list(const char *device)
{
	static char names[100];

	names[0] = '\0';
	for (const struct engine_row *row = engine_rows; row->device; row++)
		if (strcmp(row->device, device) == 0 &&
		    engines_is_listed(engine_rows, row))
			add_name(names, row->engine->name);
	return names;
}

static void
test_listed(void)
{
	static const struct board boards[] = {
		{ "acer,aspire", 0, " mailbox",
		  "of another machine the last way to QPUs is listed" },
		{ "raspberrypi,4-model-b\0brcm,bcm2711", S_IFCHR, " mailbox",
		  "of a board without such QPUs the last way is listed" },
		{ "raspberrypi,3-model-b\0brcm,bcm2837", 0, " drm mailbox",
		  "of a board without a node both ways to QPUs are listed" },
		{ "raspberrypi,3-model-b\0brcm,bcm2837", S_IFREG,
		  " drm mailbox",
		  "of a board whose node is a file both ways are listed" },
		{ "raspberrypi,3-model-b\0brcm,bcm2837", S_IFCHR, " drm",
		  "of a board with a node the way by the node is listed" },
	};

	if (engines_left_out)
		return;
	is(list("emulator"), " emulator tiles",
	   "all ways that can be used are listed");
	for (unsigned i = 0; i < sizeof(boards) / sizeof(*boards); i++) {
		board = &boards[i];
		scratch_file("compatible", board->names, sizeof(board->names));
		fault_hooks.open = open_board;
		fault_hooks.faccessat = has_board;
		fault_hooks.statx = know_node;
		is(list("qpu"), board->listed, "%s", board->what);
		ok(!choose("qpu") &&
			   strcmp(choice.engine->name,
				  strrchr(board->listed, ' ') + 1) == 0,
		   "%s, and is what a refusal speaks of", board->what);
		fault_clear();
	}
}

int
main(void)
{
	scratch_enter();
	test_words();
	test_options();
	test_listed();
	test_cpu();
	test_auto();
	test_devices();
	return tap_done();
}
