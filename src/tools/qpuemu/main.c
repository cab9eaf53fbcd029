/* SPDX-License-Identifier: MIT */
/*
 * qpuemu: runs an unmodified program on a virtual Raspberry Pi, whose QPUs are
 * emulated.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/debugger/trace.h"
#include "qpu/pi/cma.h"
#include "qpu/pi/virtual_board.h"
#include "src/base/quote.h"
#include "src/tools/qpuemu/board_files.h"
#include "src/tools/qpuemu/child.h"
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
find_library(char path[PATH_MAX], struct diag *why)
{
	static const char *const beside[] = { "qpuemu.so",
					      "../lib/" PACKAGE "/qpuemu.so" };
	char self[PATH_MAX] = "", *name = self;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 64);

	if (len > 0)
		name = strrchr(self, '/') + 1;
	for (size_t i = 0; i < 2 && len > 0; i++) {
		strcpy(name, beside[i]);
		if (realpath(self, path))
			return true;
	}
	if (realpath(PKGLIBDIR "/qpuemu.so", path))
		return true;
	diag_set(why, PKGLIBDIR "/qpuemu.so: %s%s", strerror(errno),
		 len > 0 ? ", nor is it beside this program" :
			   "; without /proc it is not looked for beside this "
			   "program");
	return false;
}

/* Power and clock of the QPUs. */
static bool
report_qpus(const struct board_shared *shared)
{
	const bool changed = board_shared_clock_changed(shared);

	if (shared->enabled > 0)
		fprintf(stderr, "qpuemu: the QPUs were left enabled\n");
	if (changed)
		fprintf(stderr, "qpuemu: the clock of the QPUs was not put "
				"back\n");
	return shared->enabled == 0 && !changed;
}

/* Print leaks of memory and of enabled QPUs; false if there are any. */
static bool
report_leftovers(const struct board *board)
{
	const struct board_shared *shared = board->shared;
	unsigned nblocks = 0, nlocked = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < BOARD_BLOCKS; i++) {
		const struct board_block *block = &shared->blocks[i];

		nblocks += block->handle != 0;
		nlocked += block->handle != 0 && block->locks > 0;
		bytes += block->range.bytes;
	}
	if (nblocks > 0)
		fprintf(stderr,
			"qpuemu: GPU memory was not released: "
			"%" PRIu64 " bytes in %u block%s, %u of them "
			"locked\n",
			bytes, nblocks, nblocks == 1 ? "" : "s", nlocked);
	cma_collect(board); /* reports buffers that were freed too early */
	return report_qpus(shared) && !shared->lost && nblocks == 0;
}

/* Print the counters of all launches. */
static void
print_counters(const struct board_shared *shared)
{
	const struct board_totals *totals = &shared->totals;
	const uint64_t clocks = totals->clocks + totals->launch_clocks;
	const unsigned mhz =
		shared->launch_mhz ?
			shared->launch_mhz :
			profile_rows[shared->options.profile].v3d_mhz;

	fprintf(stderr,
		"qpuemu: %" PRIu64 " launches, %" PRIu64 " instructions",
		totals->launches, totals->instructions);
	/* A board that is no Raspberry Pi has no clock. */
	if (shared->options.device.timed && mhz > 0)
		fprintf(stderr,
			", %" PRIu64 " clocks = %.1f us at %u MHz "
			"(modelled)",
			clocks, (double)clocks / mhz, mhz);
	putc('\n', stderr);
	counters_print(stderr, totals->counters, shared->options.device.timed);
}

/* Return true if a process has mapped a buffer of the board. */
static bool
maps_buffer(pid_t pid, const char *dir)
{
	char path[64], line[2 * BOARD_PATH];
	char buffer[BOARD_PATH + 16], cache[BOARD_PATH + 16];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	snprintf(buffer, sizeof(buffer), "%s/" CMA_FILE, dir);
	snprintf(cache, sizeof(cache), "%s/" CMA_CACHE_FILE, dir);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, buffer) || strstr(line, cache);
	if (maps)
		fclose(maps);
	return found;
}

/* The board is switched off: end what the program has left behind that has memory of
 * it.  Nobody else would. */
static void
end_processes(const struct board *board)
{
	const struct dirent *entry;
	DIR *processes = NULL;

	for (unsigned i = 0; i < CMA_BUFFERS && !processes; i++)
		if (board->shared->buffers[i].range.bytes > 0 &&
		    !cma_is_gone(board, i))
			processes = opendir("/proc");

	while (processes && (entry = readdir(processes)) != NULL) {
		const pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0 && maps_buffer(pid, board->dir)) {
			fputs("qpuemu: a process that keeps memory of the QPUs "
			      "ends with the board\n",
			      stderr);
			kill(pid, SIGKILL);
		}
	}
	if (processes)
		closedir(processes);
}

/* The program's status, or a failure if it left something or had hazards. */
static int
finish(const struct request *request, const struct board *board, int status)
{
	const struct board_shared *shared = board->shared;
	bool good = true;

	if (request->counters)
		print_counters(shared);
	if (request->leaks != LEAKS_IGNORE)
		good = report_leftovers(board) ||
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
	end_processes(board);
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
