/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
line_input_open(struct line_input *input, FILE *stream, FILE *out)
{
	*input = (struct line_input){
		.stream = stream,
		.out = out,
		.terminal = isatty(fileno(stream)) && isatty(fileno(out)),
	};
}

/* The interrupt key while a line is typed. */
static volatile sig_atomic_t interrupted;
static pthread_t reader;

/* In a program that qpuemu runs the kernel gives the signal to any thread, but it
 * ends the read only in the thread that reads. */
static void
on_interrupt(int number)
{
	if (pthread_equal(pthread_self(), reader))
		interrupted = 1;
	else
		pthread_kill(reader, number);
}

static char *
read_line(struct line_input *input, const char *prompt)
{
	if (input->terminal) {
		fputs(prompt, input->out);
		fflush(input->out);
	}
	if (getline(&input->line, &input->room, input->stream) < 0)
		return NULL;
	input->line[strcspn(input->line, "\r\n")] = '\0';
	if (!input->terminal)
		fprintf(input->out, "%s%s\n", prompt, input->line);
	return input->line;
}

/* The virtual board blocks all signals; while a line is typed, the interrupt
 * key takes the line away, as it does for a shell. */
char *
line_input_read(struct line_input *input, const char *prompt)
{
	struct sigaction action = { .sa_handler = on_interrupt }, before;
	sigset_t interrupt, mask;
	char *line;

	if (!input->terminal)
		return read_line(input, prompt);
	sigemptyset(&action.sa_mask);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	reader = pthread_self();
	sigaction(SIGINT, &action, &before);
	pthread_sigmask(SIG_UNBLOCK, &interrupt, &mask);
	for (;;) {
		interrupted = 0;
		line = read_line(input, prompt);
		if (line || !interrupted)
			break;
		clearerr(input->stream);
		fputs("\n", input->out);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGINT, &before, NULL);
	return line;
}

void
line_input_close(struct line_input *input)
{
	free(input->line);
	if (input->stream && input->stream != stdin)
		fclose(input->stream);
	memset(input, 0, sizeof(*input));
}
