/* SPDX-License-Identifier: MIT */
/*
 * qpuemu: runs an unmodified program on a virtual Raspberry Pi, whose QPUs are
 * emulated.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/virtual/board/virtual_board.h"
#include "src/base/quote.h"
#include "src/tools/qpuemu/board_directory.h"
#include "src/tools/qpuemu/board_files.h"
#include "src/tools/qpuemu/child.h"
#include "src/tools/qpuemu/leftovers.h"
#include "src/tools/qpuemu/qpuemu_options.h"

enum { STATUS_FINDINGS = 1 };

/* Print a reason; `about` is the program that it is about, whose name is quoted
 * if a shell would need that, or "". */
static int
complain(const char *about, const struct diag *why, int status)
{
	struct text name = { 0 };

	if (*about)
		fprintf(stderr, "qpuemu: %s: %s\n", quote_name(&name, about),
			why->text);
	else
		fprintf(stderr, "qpuemu: %s\n", why->text);
	text_free(&name);
	return status;
}

/* Look beside this program, as in a build, and in the library directory. */
static bool
find_beside(char path[PATH_MAX])
{
	static const char *const places[] = { "qpuemu.so",
					      "../lib/" PACKAGE "/qpuemu.so" };
	char self[PATH_MAX] = "", *name;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 64);

	if (len < 0)
		return false;
	name = strrchr(self, '/') + 1;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		strcpy(name, places[i]);
		if (realpath(self, path))
			return true;
	}
	return false;
}

static bool
find_library(char path[PATH_MAX], struct diag *why)
{
	if (find_beside(path) || realpath(PKGLIBDIR "/qpuemu.so", path))
		return true;
	diag_set(why, PKGLIBDIR "/qpuemu.so: %s", strerror(errno));
	return false;
}

/* The program's status, or a failure if it left something or had hazards. */
static int
finish(const struct request *request, const struct board *board, int status)
{
	const struct board_shared *shared = board->shared;
	bool good = true;

	if (request->counters)
		leftovers_print_counters(shared);
	if (request->leaks != LEAKS_IGNORE)
		good = leftovers_report(board) ||
		       request->leaks == LEAKS_REPORT;
	good = good && shared->totals.findings == 0;
	return status == 0 && !good ? STATUS_FINDINGS : status;
}

/* A limit of file sizes is an error here; for the program it stays as it is. */
static struct board_shared *
make_board(const char *dir, const char *library, struct request *request,
	   struct diag *why)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct board_shared *shared;
	struct sigaction before;

	sigaction(SIGXFSZ, &ignore, &before);
	shared = board_shared_create(dir, &request->options, why);
	if (shared && !board_files_fill(dir, library, shared, why)) {
		board_shared_unmap(shared);
		shared = NULL;
	}
	sigaction(SIGXFSZ, &before, NULL);
	return shared;
}

/* The board has a directory, which is empty. */
static int
run_on(struct board *board, const char *library, struct request *request)
{
	struct diag why;
	int status;

	board->shared = make_board(board->dir, library, request, &why);
	if (!board->shared)
		return complain("", &why, STATUS_TROUBLE);
	status = child_run(request->program, board->dir, &why);
	if (!*why.text && !board->shared->attached && status < CHILD_MISSING) {
		status = CHILD_UNFIT;
		diag_set(&why, "it ran without the board: qpuemu.so is not "
			       "loaded into a program that is statically "
			       "linked, set-user-ID or set-group-ID, has "
			       "capabilities, or is for another machine");
	}
	if (*why.text)
		complain(request->program[0], &why, status);
	else
		status = finish(request, board, status);
	board_shared_unmap(board->shared);
	return status;
}

static int
run(struct request *request)
{
	char library[PATH_MAX];
	struct board board;
	struct diag why;
	int status;

	if (!find_library(library, &why))
		return complain("", &why, STATUS_TROUBLE);
	if (!board_directory_make(board.dir, &why))
		return complain("", &why, STATUS_TROUBLE);
	status = run_on(&board, library, request);
	board_directory_remove(board.dir);
	return status;
}

int
main(int argc, char **argv)
{
	static struct request request;
	struct diag why;

	if (!options_parse(&request, argc, argv, &why))
		return complain("", &why, STATUS_TROUBLE);
	return run(&request);
}
