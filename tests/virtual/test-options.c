/* SPDX-License-Identifier: MIT */
/*
 * What each option of qpuemu makes of the board, and what is wrong with one
 * that is refused.  options.golden has the cases: command lines, one a line;
 * after " : " is what differs from a command line without options, or the
 * message that refuses it.  Of the line "(none)" all is shown that is not 0.  A
 * new case needs the command lines only: then run with UPDATE_GOLDEN=1 and read
 * what has come out.
 */
#include "config.h"

#include "src/tools/qpuemu/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/virtual/board/profile.h"
#include "tests/support/capture.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { MOST_WORDS = 16, MOST_LINES = 64 };

static const struct {
	enum device_fault kind;
	const char *name;
} faults[] = { { DEVICE_WRONG_LANE, "lane" },
	       { DEVICE_CACHES_KEPT, "caches" },
	       { DEVICE_STUCK_QPU, "stuck" },
	       { DEVICE_REFUSES, "refuse" },
	       { DEVICE_NO_MEMORY, "alloc" } };

static const char *folder; /* the current one, shown as "DIR" */

static void
show(const char *name, uint64_t value)
{
	printf("%s %" PRIu64 "\n", name, value);
}

static void
show_file(const char *name, const char *path)
{
	const size_t len = strlen(folder);
	const bool here = strncmp(path, folder, len) == 0;

	printf("%s %s%s\n", name, here ? "DIR" : "", here ? path + len : path);
}

static void
show_request(const struct request *request)
{
	const struct board_options *options = &request->options;
	const struct emulated_options *device = &options->device;

	show("memory", device->mem_mib);
	show("timed", device->timed);
	show("check", device->check);
	show("seed", device->seed);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		show(faults[i].name, device->fault.kind == faults[i].kind ?
					     device->fault.at :
					     0);
	printf("board %s\n", profile_rows[options->profile].name);
	printf("system %s\n", system_rows[options->system].name);
	show("late-launch", options->late_launch);
	show("cma", options->cma_mib);
	show("kms", options->kms);
	show("vc4-fault", options->vc4_faults.kind[0]);
	show("vc4-fault-at", options->vc4_faults.at[0]);
	show("user", options->user);
	show("ignore", options->ignore);
	show("profile", options->costs);
	show("debug-launch", options->debug_launch);
	show_file("trace", options->trace);
	show_file("timeline", options->timeline);
	show_file("lines", options->lines);
	show_file("debug-script", options->debug_script);
	show("leaks", request->leaks);
	show("counters", request->counters);
	for (char **word = request->program; *word; word++)
		printf("word %s\n", *word);
}

/* Wrong usage ends this process, which is a child of the test. */
static int
parse(void *line)
{
	static char name[] = "qpuemu", program[] = "program";
	char *words[MOST_WORDS] = { name };
	static struct request request;
	struct diag why;
	int n = 1;

	for (char *at = strtok(line, " \n"); at; at = strtok(NULL, " \n"))
		words[n++] = at;
	if (n == 1 || *words[n - 1] == '-')
		words[n++] = program;
	if (!options_parse(&request, n, words, &why)) {
		printf("qpuemu: %s\n", why.text);
		fflush(stdout);
		return STATUS_TROUBLE;
	}
	show_request(&request);
	fflush(stdout);
	return 0;
}

static void
run(const char *text, struct capture *capture)
{
	char line[512];

	snprintf(line, sizeof(line), "%s", text);
	capture_run(capture, parse, line, true);
}

/* The first line that the program has written, without its name. */
static void
put_refusal(const struct capture *capture, struct golden_output *out)
{
	const char *text = capture->out.bytes;
	const bool named = strncmp(text, "qpuemu: ", 8) == 0;

	text += named ? 8 : 0;
	if (!named || capture->status != STATUS_TROUBLE)
		golden_printf(out, "", "status %d: ", capture->status);
	golden_write(out, "", text, strcspn(text, "\n"));
}

/* The lines that differ from those of the usual request, or without it those
 * that are not 0 and not empty. */
static void
put_fields(const char *text, const char *usual, struct golden_output *out)
{
	const char *before = "";

	for (; *text; text += strcspn(text, "\n") + 1) {
		const size_t len = strcspn(text, "\n");
		const size_t other = usual ? strcspn(usual, "\n") : 0;
		const bool shown =
			usual ? len != other || memcmp(text, usual, len) != 0 :
				memcmp(text + len - 2, " 0", 2) != 0 &&
					text[len - 1] != ' ';

		if (shown)
			golden_printf(out, "", "%s%.*s", before, (int)len,
				      text);
		if (shown)
			before = ", ";
		if (usual)
			usual += usual[other] ? other + 1 : other;
	}
	if (!*before)
		golden_printf(out, "", "nothing");
}

static void
put_line(char *line, struct golden_output *out)
{
	char *answer = strstr(line, " : ");
	struct capture usual, now;
	bool none;

	if (answer)
		*answer = '\0';
	none = strcmp(line, "(none)") == 0;
	golden_printf(out, "", "%s : ", line);
	run("", &usual);
	run(none ? "" : line, &now);
	if (now.status == 0)
		put_fields(now.out.bytes, none ? NULL : usual.out.bytes, out);
	else
		put_refusal(&now, out);
	golden_write(out, "", "\n", 1);
	capture_free(&usual);
	capture_free(&now);
}

static void
drive(const struct golden_case *c, struct golden_output *out)
{
	golden_each_line(c->input.text, put_line, out);
}

int
main(void)
{
	const char *sources = getenv("srcdir");
	char *absolute = realpath(sources ? sources : ".", NULL);

	/* The golden file is read after the directory has changed. */
	setenv("srcdir", absolute, 1);
	free(absolute);
	folder = scratch_enter();
	golden_run("tests/virtual/options.golden", drive);
	return tap_done();
}
