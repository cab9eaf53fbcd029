/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/line_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
line_input_open(struct line_input *input, FILE *stream, FILE *out,
		line_input_edit *edit)
{
	*input = (struct line_input){
		.stream = stream,
		.out = out,
		.edit = edit,
		.terminal = isatty(fileno(stream)) && isatty(fileno(out)),
	};
}

static char *
read_plain(struct line_input *input, const char *prompt)
{
	ssize_t length;

	if (input->terminal) {
		fputs(prompt, input->out);
		fflush(input->out);
	}
	length = getline(&input->line, &input->room, input->stream);
	if (length < 0)
		return NULL;
	input->line[strcspn(input->line, "\r\n")] = '\0';
	if (!input->terminal)
		fprintf(input->out, "%s%s\n", prompt, input->line);
	return input->line;
}

char *
line_input_read(struct line_input *input, const char *prompt)
{
	if (!input->terminal || !input->edit)
		return read_plain(input, prompt);
	free(input->line);
	input->line = input->edit(prompt);
	input->room = 0;
	return input->line;
}

void
line_input_close(struct line_input *input)
{
	free(input->line);
	if (input->stream && input->stream != stdin)
		fclose(input->stream);
	memset(input, 0, sizeof(*input));
}
