/* SPDX-License-Identifier: MIT */
/*
 * stand-in: takes the place of a program that was built for another machine,
 * and runs it with qemu.  As PROGRAM it runs PROGRAM.foreign:
 *
 *	QPU_QEMU=qemu-arm QEMU_LD_PREFIX=ROOT PROGRAM ARGUMENT...
 *
 * A copy in another place stands for $QPU_SHA256SUM, as do copies that suites
 * make of the program that they test.
 *
 * A script would not do: it does not learn under which name (argv[0]) it was
 * called.  It is linked statically, because LD_PRELOAD and its kin are
 * meant for the foreign program; qemu must not see them.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
	char **argv;
	size_t argc;
};

static void
die(const char *what)
{
	perror(what);
	exit(126);
}

static void *
or_die(void *memory)
{
	if (!memory)
		die("stand-in");
	return memory;
}

static void
add(struct command *command, const char *word)
{
	command->argv[command->argc++] = or_die(strdup(word));
	command->argv[command->argc] = NULL;
}

/* Move what is for the dynamic loader from our environment to the program's. */
static void
add_loader_environment(struct command *command)
{
	char **from = environ, **to = environ;

	for (; *from; from++) {
		if (strncmp(*from, "LD_", 3) != 0) {
			*to++ = *from;
			continue;
		}
		add(command, "-E");
		add(command, *from);
	}
	*to = NULL;
}

static char *
foreign(const char *program)
{
	char *path = NULL;

	if (asprintf(&path, "%s.foreign", program) < 0)
		die("stand-in");
	return path;
}

static void
add_program(struct command *command)
{
	char *self = or_die(realpath("/proc/self/exe", NULL));
	const char *tested = getenv("QPU_SHA256SUM");
	char *path = foreign(self);

	if (tested && access(path, X_OK) != 0) {
		free(path);
		path = foreign(tested);
	}
	add(command, path);
	free(path);
	free(self);
}

static size_t
environment_size(void)
{
	size_t n = 0;

	while (environ[n])
		n++;
	return n;
}

int
main(int argc, char **argv)
{
	/* Five words are ours: qemu, -0 NAME, the program, and the end. */
	const size_t words = 5 + 2 * environment_size() + (size_t)argc;
	struct command command = { .argv = or_die(
					   calloc(words, sizeof(char *))) };
	const char *qemu = getenv("QPU_QEMU");

	add(&command, qemu ? qemu : "QPU_QEMU");
	add(&command, "-0");
	add(&command, argc > 0 ? argv[0] : "");
	add_loader_environment(&command);
	add_program(&command);
	for (int i = 1; i < argc; i++)
		add(&command, argv[i]);
	execvp(command.argv[0], command.argv);
	die(command.argv[0]);
}
