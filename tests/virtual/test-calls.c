/* SPDX-License-Identifier: MIT */
/*
 * calls.golden: each call of the C library that qpuemu stands in front of is answered
 * as on a board; board.golden: the firmware, memory and QPUs do what they do there;
 * registers.golden: by registers, too.  Each case runs board-client.c, which has the
 * commands, on a board of its own, whose options may be the first line.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/capture.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

static char qpuemu[4096], client[4096];

/* Return the length of the line of options, if there is one. */
static size_t
options_bytes(const char *text)
{
	return strncmp(text, "--", 2) == 0 ? strcspn(text, "\n") + 1 : 0;
}

static int
run_client(void *text)
{
	const size_t len = options_bytes(text);
	char options[256] = "--memory=48 --cma=8 --leaks=ignore";
	char *words[16] = { qpuemu }, *rest = options;
	FILE *script = tmpfile();
	unsigned n = 1;

	if (len > 0)
		snprintf(options, sizeof(options), "%.*s", (int)len - 1,
			 (const char *)text);
	while (n < 14 && (words[n] = strsep(&rest, " ")) != NULL)
		n++;
	words[n] = client;
	if (!script)
		return 99;
	alarm(120);
	fputs((const char *)text + len, script);
	rewind(script);
	dup2(fileno(script), STDIN_FILENO);
	execv(qpuemu, words);
	return 99;
}

static void
drive(const struct golden_case *c, struct golden_output *out)
{
	const char *indent = "";
	char *rest, *line;
	struct capture capture;

	golden_write(out, "", c->input.text, options_bytes(c->input.text));
	capture_run(&capture, run_client, (void *)(uintptr_t)c->input.text,
		    true);
	rest = capture.out.bytes;
	while ((line = strsep(&rest, "\n")) != NULL && *line)
		if (strcmp(line, "end") == 0)
			indent = "  ";
		else
			golden_printf(out, "", "%s%s\n", indent, line);
	if (capture.status != 0)
		golden_printf(out, "", "  status %d\n", capture.status);
	capture_free(&capture);
}

/* Return an absolute name in the build. */
static void
find(const char *name, char path[4096])
{
	const char *build = getenv("QPU_BUILD");
	char here[2048];

	if (!getcwd(here, sizeof(here)))
		exit(99);
	snprintf(path, 4096, "%s/%s", build ? build : here, name);
}

int
main(void)
{
	find("qpuemu", qpuemu);
	find("tests/virtual/board-client", client);
	/* QEMU's user mode answers some calls itself. */
	if (getenv("QPU_QEMU"))
		tap_skip("qemu answers calls of the kernel");
	else
		golden_run("tests/virtual/calls.golden", drive);
	golden_run("tests/virtual/board.golden", drive);
#if defined(__x86_64__) || defined(__aarch64__)
	golden_run("tests/virtual/registers.golden", drive);
#else
	tap_skip("registers are not trapped here");
#endif
	return tap_done();
}
