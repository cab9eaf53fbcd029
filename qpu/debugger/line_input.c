/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <assert.h>
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

static volatile sig_atomic_t pressed;
static pthread_t catcher;
static bool is_caught;

/* In a program that qpuemu runs the kernel gives the signal to any thread, but it
 * ends a read only in the thread that reads. */
static void
on_interrupt(int number)
{
	if (pthread_equal(pthread_self(), catcher))
		pressed = 1;
	else
		pthread_kill(catcher, number);
}

void
interrupt_key_catch(struct interrupt_key *before)
{
	struct sigaction action = { .sa_handler = on_interrupt };
	sigset_t interrupt;

	assert(!is_caught);
	is_caught = true;
	pressed = 0;
	catcher = pthread_self();
	sigemptyset(&action.sa_mask);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigaction(SIGINT, &action, &before->action);
	pthread_sigmask(SIG_UNBLOCK, &interrupt, &before->mask);
}

bool
interrupt_key_pressed(void)
{
	return pressed;
}

void
interrupt_key_give_back(const struct interrupt_key *before)
{
	assert(is_caught);
	is_caught = false;
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	sigaction(SIGINT, &before->action, NULL);
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

/* The interrupt key takes the line away, as it does for a shell. */
char *
line_input_read(struct line_input *input, const char *prompt)
{
	struct interrupt_key before;
	char *line;

	if (!input->terminal)
		return read_line(input, prompt);
	interrupt_key_catch(&before);
	while (!(line = read_line(input, prompt)) && pressed) {
		pressed = 0;
		clearerr(input->stream);
		fputs("\n", input->out);
	}
	interrupt_key_give_back(&before);
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
