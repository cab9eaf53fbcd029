/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a virtual board answer: firmware, GPU memory, buffers of
 * the kernel, QPUs.  board.golden has the cases.  Each has a board of its own,
 * in a process of its own, and may begin with a line of options of qpuemu.
 * Then come commands of the table below; the case is a session
 * (support/golden.h), in which lines that begin with "qpuemu:" are what the
 * board has said.
 */
#include "config.h"

#include <stdint.h>

#include "qpu/pi/virtual_firmware.h"
#include "src/tools/qpuemu/qpuemu_options.h"
#include "tests/support/capture.h"
#include "tests/support/golden.h"
#include "tests/virtual/board-memory.h"
#include "tests/virtual/board-qpus.h"

/* Firmware ------------------------------------------------------------------ */

static void
send_message(void)
{
	uint32_t words[MOST_WORDS + 1] = { 4 * nargs };

	for (unsigned i = 1; i < nargs; i++)
		words[i] = (uint32_t)strtoul(args[i], NULL, 16);
	words[nargs] = 0x600d; /* is not theirs */
	put_error(firmware_answer(&board, words, nargs));
	for (unsigned i = 1; i < nargs; i++)
		fprintf(out, " %x", words[i]);
	if (words[nargs] != 0x600d)
		fputs(", and written beyond its end", out);
}

/* tag TAG VALUE...: a message with this tag alone, and the values of its
 * answer, with their number unless they fill the room. */
static void
send_tag(void)
{
	const uint32_t space = nargs - 2;
	uint32_t words[MOST_WORDS + 6] = { 4 * (space + 6), 0,
					   (uint32_t)strtoul(word(1), NULL, 16),
					   4 * space };
	int error;

	for (uint32_t i = 0; i < space; i++)
		words[5 + i] = (uint32_t)strtoul(word(i + 2), NULL, 16);
	error = firmware_answer(&board, words, space + 6);
	if (error)
		put_error(error);
	for (uint32_t i = 0; !error && i < space; i++)
		fprintf(out, "%s%x", i ? " " : "", words[5 + i]);
	if (!error && words[4] != (UINT32_C(0x80000000) | 4 * space))
		fprintf(out, "%s%u words", space ? ", of " : "of ",
			(words[4] & 0xffff) / 4);
}

/* The board ------------------------------------------------------------------- */

/* The command line of qpuemu; later options have the last word. */
static char *line_words[MOST_WORDS] = { (char[]){ "qpuemu" },
					(char[]){ "--memory=48" },
					(char[]){ "--cma=8" } };
static int nline = 3;

static void
add_option(const char *option)
{
	line_words[nline++] = strdup(option);
}

static struct board_options
parse_line(void)
{
	static struct request request;
	static char program[] = "program";
	char *words[MOST_WORDS + 2] = { NULL };
	struct diag why;

	memcpy(words, line_words, sizeof(line_words));
	words[nline] = program;
	if (!options_parse(&request, nline + 1, words, &why))
		exit(99);
	return request.options;
}

/* set OPTION: from now on. */
static void
set(void)
{
	add_option(word(1));
	board.shared->options = parse_line();
	board.profile = &profile_rows[board.shared->options.profile];
	board.soc = profile_soc(board.profile);
}

/* fault KIND N: of the next launch, or from the next allocation on, if N is 1. */
static void
set_fault(void)
{
	const bool lasts = strcmp(word(1), "alloc") == 0;
	const uint64_t done = lasts ? board.shared->nallocations :
				      board.shared->totals.launches;
	const unsigned first = (unsigned)done + number(2);
	char option[64];

	snprintf(option, sizeof(option), "--fault=%s@%u-%u", word(1), first,
		 lasts ? UINT32_MAX : first);
	add_option(option);
	board.shared->options = parse_line();
}

static void
show_state(void)
{
	fprintf(out, "%u enabled%s", board.shared->enabled,
		board.shared->late_answer ? ", an answer is late" : "");
	if (board.shared->lost)
		fputs(", memory was lost", out);
}

static const struct {
	const char *name;
	void (*run)(void);
} commands[] = {
	{ "bytes", show_memory },	  /* OFFSET N */
	{ "child-reads", read_in_child }, /* OFFSET */
	{ "close", close_file },	  /* FILE */
	{ "collect", collect },		  /* buffers without an owner */
	{ "disable", enable },
	{ "enable", enable },
	{ "execute", launch },	   /* OFFSET N MS */
	{ "fault", set_fault },	   /* KIND N */
	{ "fill", fill_memory },   /* BYTE */
	{ "heap", take_heap },	   /* BYTES [FD FLAGS FLAGS] */
	{ "launch", launch },	   /* PROGRAM N MS [ADDRESS] */
	{ "lock", change_memory }, /* HANDLE */
	{ "meminfo", show_meminfo },
	{ "message", send_message },  /* WORD... */
	{ "noflush", set_noflush },   /* 0 or 1, of launches from now on */
	{ "peek", peek_registers },   /* OFFSET */
	{ "poke", poke_memory },      /* OFFSET BYTE... */
	{ "read", access_register },  /* OFFSET */
	{ "release", change_memory }, /* HANDLE */
	{ "remove", remove_file },    /* FILE */
	{ "results", show_results },
	{ "room", set_room }, /* for N files, or - */
	{ "set", set },	      /* OPTION */
	{ "start", start },   /* PROGRAM [ADDRESS] */
	{ "state", show_state },
	{ "tag", send_tag },	      /* TAG VALUE... */
	{ "take", take_memory },      /* BYTES ALIGNMENT [FLAGS] */
	{ "take-all", take_all },     /* BYTES ALIGNMENT */
	{ "unlock", change_memory },  /* HANDLE */
	{ "vcsm", take_vcsm },	      /* BYTES [N [CACHED]] */
	{ "write", access_register }, /* OFFSET VALUE */
};

static void
split(char *line)
{
	nargs = 0;
	for (char *at = strtok(line, " "); at && nargs < MOST_WORDS;
	     at = strtok(NULL, " "))
		args[nargs++] = at;
}

/* Show what the board has said since the last time, without the name of its
 * directory. */
static void
put_said(void)
{
	static char text[8192];
	const ssize_t n = pread(messages, text, sizeof(text) - 1, 0);
	char *rest = text, *said, *at;

	text[n > 0 ? n : 0] = '\0';
	if (ftruncate(messages, 0) != 0 || lseek(messages, 0, SEEK_SET) != 0)
		exit(99);
	while ((said = strsep(&rest, "\n")) != NULL && *said) {
		golden_tell("\n  ");
		for (; (at = strstr(said, board.dir));
		     said = at + strlen(board.dir))
			golden_tell("%.*sDIR", (int)(at - said), said);
		golden_tell("%s", said);
	}
}

/* A line of options of qpuemu comes before the first command. */
static void
run_line(char *line)
{
	const bool has_options = strncmp(line, "--", 2) == 0;
	static struct board_options options;
	char *answer = NULL;
	size_t len = 0;

	split(line);
	for (unsigned i = 0; i < nargs && has_options; i++)
		add_option(args[i]);
	if (has_options)
		return;
	options = parse_line();
	if (!board.shared && !make_board(&options))
		exit(99);
	out = open_memstream(&answer, &len);
	for (unsigned i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (nargs > 0 && strcmp(args[0], commands[i].name) == 0)
			commands[i].run();
	fclose(out);
	if (len > 0)
		golden_answer("%s", answer);
	free(answer);
	put_said();
}

static int
run_case(void *golden_case)
{
	char *command;
	int status;

	alarm(60);
	golden_session(golden_case, run_line);
	fputs(golden_told(), stdout);
	fflush(stdout);
	board_shared_unmap(board.shared);
	if (asprintf(&command, "rm -rf %s", board.dir) < 0)
		return 99;
	status = system(command);
	free(command);
	return status;
}

static void
drive(const struct golden_case *c, struct golden_output *output)
{
	struct capture capture;

	capture_run(&capture, run_case, (void *)(uintptr_t)c, false);
	golden_write(output, "", capture.out.bytes, capture.out.len);
	if (capture.status != 0)
		golden_printf(output, "", "status %d\n", capture.status);
	capture_free(&capture);
}

/* A process looks for its board early in its life; this one has none. */
static int errno_after_search;

__attribute__((constructor(101))) static void
search_first(void)
{
	setenv(BOARD_VARIABLE, "/nowhere", 1);
	errno = ENOTTY;
	board_get();
	errno_after_search = errno;
	unsetenv(BOARD_VARIABLE);
}

static int
say_much(void *unused)
{
	(void)unused;
	errno = ENOTTY;
	board_say("%02000d", 7);
	close(STDERR_FILENO);
	board_say("nobody reads this");
	return errno != ENOTTY;
}

static void
test_calls(void)
{
	struct capture capture;

	ok(errno_after_search == ENOTTY,
	   "a board that is looked for, and not found, leaves errno alone");
	capture_run(&capture, say_much, NULL, true);
	ok(capture.status == 0 && capture.out.len == 1023 &&
		   strncmp(capture.out.bytes, "qpuemu: 000", 11) == 0 &&
		   strcmp(capture.out.bytes + 1020, "00\n") == 0,
	   "a line that is too long is cut, is still a line, and leaves errno "
	   "alone");
	capture_free(&capture);
}

int
main(void)
{
	test_calls();
	golden_run("tests/virtual/board.golden", drive);
	return tap_done();
}
