/* SPDX-License-Identifier: MIT */
/*
 * Lines of commands from a script and from a terminal.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/debugger/debugger.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* Which descriptors are terminals. */
static bool terminals[256];

static int
is_terminal(int fd)
{
	return fd >= 0 && fd < 256 && terminals[fd];
}

static FILE *
stream_of(const char *text)
{
	FILE *stream = tmpfile();

	if (!stream) {
		printf("Bail out! no temporary file\n");
		exit(99);
	}
	fputs(text, stream);
	rewind(stream);
	return stream;
}

static bool
wrote(FILE *out, const char *expected)
{
	char text[256];
	size_t n;

	fflush(out);
	rewind(out);
	n = fread(text, 1, sizeof(text) - 1, out);
	text[n] = '\0';
	if (strcmp(text, expected) == 0)
		return true;
	tap_note("'%s', expected '%s'", text, expected);
	return false;
}

static bool
reads(struct line_input *input, const char *expected)
{
	const char *line = line_input_read(input, "> ");

	return line && expected ? strcmp(line, expected) == 0 :
				  line == expected;
}

/* Return the number of bytes that are visible. */
static ssize_t
shown(FILE *out)
{
	char text[256];

	return pread(fileno(out), text, sizeof(text), 0);
}

/* Neither, one, or both streams are a terminal. */
static void
test_streams(void)
{
	for (unsigned i = 0; i < 4; i++) {
		FILE *in = stream_of("one\n\ntwo\r\nthree"),
		     *out = stream_of("");
		struct line_input input;

		terminals[fileno(in)] = i & 1;
		terminals[fileno(out)] = i & 2;
		line_input_open(&input, in, out);
		ok(input.terminal == (i == 3), "%s",
		   i == 3 ? "two terminals are a terminal" :
			    "a file on either side is no terminal");
		ok(reads(&input, "one") && (i < 3 || shown(out) == 2), "%s",
		   i < 3 ? "the first line is read" :
			   "the prompt does not stay in a buffer");
		ok(reads(&input, "") && reads(&input, "two") &&
			   reads(&input, "three") && reads(&input, NULL),
		   "lines are read without their ends");
		ok(wrote(out,
			 i == 3 ? "> > > > > " : "> one\n> \n> two\n> three\n"),
		   "%s",
		   i == 3 ? "on a terminal only the prompt is written" :
			    "a script is written after the prompt");
		terminals[fileno(in)] = terminals[fileno(out)] = false;
		line_input_close(&input);
		ok(!input.stream && !input.line,
		   "closing leaves no stream and no line");
		fclose(out);
	}
}

/* Somebody at a terminal: who sees what is written, and types. */
struct typist {
	int shown, typed;
};

static unsigned
prompts_of(const struct typist *typist)
{
	char text[4096];
	const ssize_t n = pread(typist->shown, text, sizeof(text), 0);
	unsigned prompts = 0;

	for (ssize_t i = 0; i < n; i++)
		prompts += text[i] == '>';
	return prompts;
}

/* The interrupt key after the first prompt, until there is a second one. */
static void *
interrupt(void *context)
{
	const struct typist *typist = context;
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	for (unsigned n; (n = prompts_of(typist)) < 2; sched_yield())
		if (n == 1)
			raise(SIGINT);
	if (write(typist->typed, "three\n", 6) != 6)
		exit(99);
	return NULL;
}

/* Signals are blocked, and a thread that does not read gets this one. */
static void
test_interrupt(void)
{
	FILE *out = stream_of("");
	struct line_input input;
	struct typist typist;
	sigset_t all, mask;
	pthread_t other;
	int ends[2];

	if (pipe(ends) != 0)
		exit(99);
	FILE *in = fdopen(ends[0], "r");

	typist = (struct typist){ fileno(out), ends[1] };
	terminals[fileno(in)] = terminals[fileno(out)] = true;
	line_input_open(&input, in, out);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	if (pthread_create(&other, NULL, interrupt, &typist) != 0)
		exit(99);
	ok(reads(&input, "three"),
	   "the interrupt key begins a new line, also "
	   "where signals are blocked, whichever thread "
	   "gets it");
	pthread_join(other, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	terminals[fileno(in)] = terminals[fileno(out)] = false;
	line_input_close(&input);
	close(ends[1]);
	fclose(out);
}

static void
test_close(void)
{
	struct line_input input;
	FILE *in = stream_of("");
	const int fd = fileno(in);
	char byte;

	line_input_open(&input, in, stdout);
	line_input_close(&input);
	ok(read(fd, &byte, 1) < 0, "closing closes the stream of a script");
	line_input_open(&input, stdin, stdout);
	line_input_close(&input);
	ok(lseek(fileno(stdin), 0, SEEK_CUR) >= 0 ||
		   read(fileno(stdin), &byte, 0) == 0,
	   "closing leaves standard input open");
	line_input_close(&input);
	ok(!input.stream, "what was never opened can be closed");
}

int
main(void)
{
	alarm(60);
	fault_hooks.isatty = is_terminal;
	test_streams();
	test_interrupt();
	test_close();
	return tap_done();
}
