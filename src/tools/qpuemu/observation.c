/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/observation.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "qpu/debugger/session.h"
#include "src/base/quote.h"

/* Put the file's name and the line of a failure into its text; false. */
static bool
tell_of(const char *file, struct diag *why)
{
	const struct diag at = *why;
	struct text quoted = { 0 };
	const char *name = quote_name(&quoted, file);

	if (at.line)
		diag_set(why, "%s:%u: %s", name, at.line, at.text);
	else
		diag_set(why, "%s: %s", name, at.text);
	text_free(&quoted);
	return false;
}

/* Check a file that another process reads later. */
static bool
is_line_map(const char *path, struct diag *why)
{
	struct session session;
	bool good;

	session_init(&session, NULL, NULL);
	good = session_read_lines(&session, path, why);
	session_free(&session);
	return good || tell_of(path, why);
}

static bool
is_readable(const char *path, struct diag *why)
{
	if (strcmp(path, "-") == 0 || access(path, R_OK) == 0)
		return true;
	diag_set(why, "%s", strerror(errno));
	return tell_of(path, why);
}

bool
observation_check(const struct board_options *options, struct diag *why)
{
	/* Standard input can be read only once. */
	if (strcmp(options->lines, "-") == 0) {
		diag_set(why, "--lines: a file is needed, since each process "
			      "reads it");
		return false;
	}
	if (*options->lines && !is_line_map(options->lines, why))
		return false;
	return !*options->debug_script ||
	       is_readable(options->debug_script, why);
}
