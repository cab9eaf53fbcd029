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

#include "qpu/debugger/line_input.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* Which descriptors are terminals. */
static bool terminals[256];

static int
is_terminal(int fd)
{
	return fd >= 0 && fd < 256 && terminals[fd];
}

static char prompts[64];
static const char *edited[3];
static unsigned nedited;

static char *
edit(const char *prompt)
{
	const char *line = edited[nedited++];

	strcat(prompts, prompt);
	if (line && strcmp(line, "^C") == 0) {
		raise(SIGINT);
		return NULL;
	}
	return line ? strdup(line) : NULL;
}

/* The interrupt key, again and again, in a thread that does not read. */
static bool awake;

static void *
interrupt(void *unused)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	while (!__atomic_load_n(&awake, __ATOMIC_ACQUIRE)) {
		raise(SIGINT);
		sched_yield();
	}
	return unused;
}

/* The first line is awaited until a signal comes. */
static char *
edit_slowly(const char *prompt)
{
	pthread_t other;

	if (awake)
		return edit(prompt);
	if (pthread_create(&other, NULL, interrupt, NULL) != 0)
		exit(99);
	pause();
	__atomic_store_n(&awake, true, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	return NULL;
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
		line_input_open(&input, in, out, NULL);
		ok(input.terminal == (i == 3), "%s",
		   i == 3 ? "two terminals are a terminal" :
			    "a file on either side is no terminal");
		ok(reads(&input, "one") && reads(&input, "") &&
			   reads(&input, "two") && reads(&input, "three") &&
			   reads(&input, NULL),
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

/* The prompt is there before anybody waits for a line. */
static void
test_prompt(void)
{
	struct line_input input;
	FILE *in = stream_of("one\n"), *out = stream_of("");
	char text[8] = "";

	terminals[fileno(in)] = terminals[fileno(out)] = true;
	line_input_open(&input, in, out, NULL);
	ok(reads(&input, "one") && pread(fileno(out), text, 8, 0) == 2 &&
		   strcmp(text, "> ") == 0,
	   "the prompt does not stay in a buffer");
	terminals[fileno(in)] = terminals[fileno(out)] = false;
	line_input_close(&input);
	fclose(out);
}

static void
test_edited(void)
{
	struct line_input input;
	FILE *in = stream_of("plain\n"), *out = stream_of("");

	line_input_open(&input, in, out, edit);
	ok(reads(&input, "plain") && !nedited, "a script is not edited");
	line_input_close(&input);
	in = stream_of("plain\n");
	terminals[fileno(in)] = terminals[fileno(out)] = true;
	line_input_open(&input, in, out, edit);
	edited[0] = "one";
	edited[1] = "two";
	ok(reads(&input, "one") && reads(&input, "two") &&
		   reads(&input, NULL) && strcmp(prompts, "> > > ") == 0,
	   "lines of a terminal are edited where that is built in");
	*prompts = '\0';
	nedited = 0;
	edited[0] = "^C";
	sigset_t all, mask;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	ok(reads(&input, "two") && strcmp(prompts, "> > ") == 0,
	   "the interrupt key begins a new line, also where signals are blocked");
	nedited = 0;
	edited[0] = "three";
	input.edit = edit_slowly;
	ok(reads(&input, "three"),
	   "the interrupt key ends the read, whichever thread gets the signal");
	sigprocmask(SIG_SETMASK, &mask, NULL);
	/* Plain lines need room of their own after edited ones. */
	input.edit = NULL;
	ok(reads(&input, "plain"), "a plain line can follow an edited one");
	terminals[fileno(in)] = terminals[fileno(out)] = false;
	line_input_close(&input);
	fclose(out);
}

static void
test_close(void)
{
	struct line_input input;
	FILE *in = stream_of("");
	const int fd = fileno(in);
	char byte;

	line_input_open(&input, in, stdout, NULL);
	line_input_close(&input);
	ok(read(fd, &byte, 1) < 0, "closing closes the stream of a script");
	line_input_open(&input, stdin, stdout, NULL);
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
	test_prompt();
	test_edited();
	test_close();
	return tap_done();
}
