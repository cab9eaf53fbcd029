/* SPDX-License-Identifier: MIT */
/*
 * board-client: a program on a virtual board.  It makes calls of the C library, with
 * the numbers and structures of the kernel's headers, as lines of standard input say,
 * and prints each line with " -> " and the answer.  It knows nothing of qpuemu, whose
 * messages follow below the line.  calls.golden has the lines.  The last one that is
 * printed is "end".
 *
 *	node PATH		mode, owner and numbers, by each of 7 functions
 *	open PATH, long N	by each of 13 functions; a path of N characters
 *	read PATH		the first line, from a descriptor and a stream
 *	link PATH, real PATH	where it leads
 *	list DIR NAME...	which of the names are there
 *	cd DIR, free		of contiguous memory, in KiB
 *	uname, host		the machine; what libbcm_host says
 *	signals			handlers and masks; "good", or what is wrong
 *	file LETTER PATH [FLAG]	opens it; FLAG is cached: without O_SYNC;
 *				new: with O_CREAT, O_EXCL and O_TRUNC
 *	dup LETTER LETTER, close LETTER
 *	ioctl FILE REQUEST[@HOW] [WORD]...	HOW is 1: at an odd address; end:
 *				where memory ends; time64: by another function.
 *				A word may be $LETTER, a descriptor, or @, the
 *				address of a program.  Words are told of the mailbox;
 *				of others the file that came, as the next letter
 *	put FILE BYTE, get FILE	the first byte
 *	mappings		how many more there are since the last time
 *	map FILE OFFSET BYTES [HOW]	as number 0, 1 ...; HOW is fixed, private or
 *				anonymous
 *	peek N INDEX, poke N INDEX WORD, unmap N BYTES
 *	fill N WORD, words N INDEX COUNT	a page; a run of words
 *	clear FILE HANDLE	a job of the kernel's driver, and its end
 *	address N [M]		how many bits a mapping's address has, or how far it
 *				is after another one
 *	pipe LETTER		with three bytes
 *	kill			this program
 *	tag TAG VALUE...	a message to the firmware, hexadecimal; its answer
 *	message WORD...		the same, with all words but the first
 *	take BYTES ALIGNMENT [FLAGS]	memory of the firmware: its handle, its address
 *	launch PROGRAM[@ADDRESS] N MS [noflush]	that the firmware runs, and where it
 *				stores; launch-at OFFSET N MS: the same once more
 *	start N PROGRAM		by registers that are mapped as number N
 *	results			16 words that it has stored, and the next
 *	LINE & LINE		the last one is answered
 *	child LINE		the same in a child
 *	full LINE		the same where the file system is full
 *	Nx LINE			N times
 */
#include "config.h"

#include "tests/virtual/board-client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

char *answer;

__attribute__((format(printf, 1, 2))) void
say(const char *format, ...)
{
	const size_t len = strlen(answer);
	va_list args;

	va_start(args, format);
	vsnprintf(answer + len, PAGE - len, format, args);
	va_end(args);
}

static char nothing[1];

const char *
name_of(int error)
{
	return error ? strerror(error) : "good";
}

char *
word(char **words)
{
	char *at = strsep(words, " ");

	return at ? at : nothing;
}

uint64_t
number(char **words)
{
	return strtoull(word(words), NULL, 0);
}

static char first[PATH_MAX];

void
tell_way(const char *way, const char *told)
{
	if (!*first) {
		snprintf(first, sizeof(first), "%s", told);
		say("%s", told);
	} else if (strcmp(first, told) != 0) {
		say(", but %s: %s", way, told);
	}
}

/* --- Lines ---------------------------------------------------------------------- */

static void
run_command(char *line)
{
	static const struct command *const tables[] = { file_commands,
							request_commands,
							firmware_commands };
	char *words = line;
	const char *name = word(&words);

	*answer = *first = '\0';
	for (unsigned i = 0; i < 3; i++)
		for (const struct command *row = tables[i]; row->name; row++)
			if (strcmp(row->name, name) == 0) {
				row->run(words ? words : nothing);
				return;
			}
	say("no command");
}

static void
run_line(const char *text)
{
	char line[1024], *end;
	unsigned long times = strtoul(text, &end, 10);
	struct rlimit usual;

	if (strncmp(text, "child ", 6) == 0) {
		if (fork() == 0) {
			run_line(text + 6);
			_exit(0);
		}
		wait(NULL);
		return;
	}
	if (strncmp(text, "full ", 5) == 0) {
		signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &usual);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, usual.rlim_max });
		run_line(text + 5);
		setrlimit(RLIMIT_FSIZE, &usual);
		return;
	}
	if (!times || strncmp(end, "x ", 2) != 0) {
		times = 1;
		end = (char *)text;
	} else {
		end += 2;
	}
	while (times--) {
		char *rest = line, *next;

		snprintf(line, sizeof(line), "%s", end);
		for (; rest; rest = next) {
			next = strstr(rest, " & ");
			if (next) {
				*next = '\0';
				next += 3;
			}
			run_command(rest);
		}
	}
}

/* Print what the board has said since the last time, without its directory. */
static void
print_messages(int messages)
{
	static char text[8192];
	const ssize_t n = read(messages, text, sizeof(text) - 1);
	const char *dir = getenv("QPUEMU_DIR");
	char *rest = text, *said, *at;

	text[n > 0 ? n : 0] = '\0';
	while ((said = strsep(&rest, "\n")) != NULL && *said) {
		printf("  ");
		for (; dir && (at = strstr(said, dir)); said = at + strlen(dir))
			printf("%.*sDIR", (int)(at - said), said);
		printf("%s\n", said);
	}
}

int
main(void)
{
	static char line[1024];
	FILE *in = fdopen(dup(STDIN_FILENO), "r");
	int messages[2];

	answer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!in || pipe(messages) != 0 || answer == MAP_FAILED)
		return 99;
	fcntl(messages[0], F_SETFL, O_NONBLOCK);
	dup2(messages[1], STDERR_FILENO);
	close(STDIN_FILENO); /* 0 is a good descriptor */
	while (fgets(line, sizeof(line), in)) {
		char *arrow = strstr(line, " ->");

		line[strcspn(line, "\n")] = '\0';
		if (arrow)
			*arrow = '\0';
		if (!*line || *line == ' ')
			continue;
		run_line(line);
		printf("%s%s%s\n", line, *answer ? " -> " : "", answer);
		print_messages(messages[0]);
		fflush(stdout);
	}
	puts("end");
	return 0;
}
