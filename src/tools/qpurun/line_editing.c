/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/line_editing.h"

#ifdef WITH_LINE_EDITING
#include <editline/readline.h>

static char *
edit(const char *prompt)
{
	char *line = readline(prompt);

	if (line && *line)
		add_history(line);
	return line;
}

line_input_edit *const line_editing = edit;
#else
line_input_edit *const line_editing = NULL;
#endif
