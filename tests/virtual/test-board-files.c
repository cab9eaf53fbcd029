/* SPDX-License-Identifier: MIT */
/*
 * Promise: a board's directory has the files of that board and system, byte by
 * byte, and no others.  board-files.golden has the cases; the input of one is
 *
 *	BOARD SYSTEM MIB [--kms]
 *	[beside BOARD SYSTEM MIB [--kms]]
 *
 * with the MIB of GPU memory.  With a second line only
 * the differences from that board are shown: lines that it alone has begin with
 * -, and lines that it lacks with +.  Bytes that are no letters are shown as
 * <hexadecimal>.
 */
#include "config.h"

#include "src/tools/qpuemu/board_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/board/profile.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static struct board_shared shared;
static const char library[] = "/lib/qpuemu.so";

/* The files that were found, a line each, in the order of names; before the
 * first line is a newline, too. */
static char found[1 << 16];

/* The beginning of the last line that begins so, or of the first line. */
static size_t
last_line(const char *text, const char *begin)
{
	const char *last = text;

	for (const char *at = text; (at = strstr(at, begin)); at++)
		last = at;
	return (size_t)(last - text);
}

/* Show a file; if it begins as this machine's, only its end is the board's. */
static void
add_bytes(const char *path)
{
	static char bytes[1 << 17];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = read(fd, bytes, sizeof(bytes) - 1);
	char *at = found + strlen(found);
	size_t first = 0;

	close(fd);
	if (n < 0)
		exit(99);
	bytes[n] = '\0';
	if (strcmp(path, "board/root/proc/meminfo") == 0)
		first = last_line(bytes, "CmaTotal:");
	if (strcmp(path, "board/root/proc/cpuinfo") == 0)
		first = last_line(bytes, "\nHardware");
	for (size_t i = first; i < (size_t)n; i++)
		if (isgraph((unsigned char)bytes[i]) || bytes[i] == ' ')
			at += sprintf(at, "%c", bytes[i]);
		else
			at += sprintf(at, "<%02x>",
				      (unsigned)(unsigned char)bytes[i]);
}

/* A file that stands in for a node is shown with the name of the node. */
static void
add_node(const struct stat *status)
{
	static const char *const names[BOARD_NODES] = {
		[BOARD_VCIO] = "vcio",	[BOARD_VCSM] = "vcsm-cma",
		[BOARD_MEM] = "mem",	[BOARD_HEAP] = "heap",
		[BOARD_CARD] = "card0", [BOARD_RENDER] = "renderD128"
	};

	for (unsigned i = 0; i < BOARD_NODES; i++)
		if (board_stand_in_is(&shared.stand_ins[i], status->st_dev,
				      status->st_ino))
			sprintf(found + strlen(found), " = %s", names[i]);
}

static void
add_file(const char *path)
{
	char target[PATH_MAX] = "";
	struct stat status;

	if (lstat(path, &status) != 0)
		exit(99);
	strcat(found, path + strlen("board/"));
	add_node(&status);
	if (S_ISDIR(status.st_mode))
		strcat(found, "/");
	if (S_ISLNK(status.st_mode)) {
		if (readlink(path, target, sizeof(target) - 1) < 0)
			exit(99);
		sprintf(found + strlen(found), " -> %s", target);
	}
	if (strcmp(path, "board/memory") == 0) {
		sprintf(found + strlen(found), " %o %lld",
			(unsigned)status.st_mode & 0777,
			(long long)status.st_size);
	} else if (S_ISREG(status.st_mode) && status.st_size > 0) {
		strcat(found, " ");
		add_bytes(path);
	}
	strcat(found, "\n");
}

static int
is_name(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

static bool
is_empty(const char *path)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, is_name, NULL);

	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return n == 0;
}

static void
add_tree(const char *path)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, is_name, alphasort);

	for (int i = 0; i < n; i++) {
		char inner[PATH_MAX];
		struct stat status;

		snprintf(inner, sizeof(inner), "%s/%s", path,
			 entries[i]->d_name);
		/* Directories with something in them go without saying. */
		if (lstat(inner, &status) != 0)
			exit(99);
		if (S_ISDIR(status.st_mode) && !is_empty(inner))
			add_tree(inner);
		else
			add_file(inner);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void
clear(void)
{
	scratch_empty();
	memset(&shared, 0, sizeof(shared));
	shared.options.cma_mib = 64;
	shared.options.device.mem_mib = 64;
}

/* Make a board, and list its files in `found`. */
static void
list_files(const char *board)
{
	char line[256], *words[12] = { NULL };
	struct diag why;
	unsigned n = 0;

	clear();
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(board, "\n"), board);
	for (char *at = strtok(line, " "); at && n < 12; at = strtok(NULL, " "))
		words[n++] = at;
	shared.options.profile =
		(unsigned)(profile_of_name(words[0]) - profile_rows);
	shared.options.system =
		(unsigned)(system_of_name(words[1]) - system_rows);
	shared.options.device.mem_mib = (unsigned)atoi(words[2]);
	shared.options.kms = n > 3 && strcmp(words[3], "--kms") == 0;
	strcpy(found, "\n");
	scratch_folder("board");
	if (board_files_fill("board", library, &shared, &why)) {
		add_tree("board");
	} else {
		strcat(found, why.text);
	}
}

/* Write the lines of one list that another list has not. */
static void
write_others(struct golden_output *out, const char *mark, const char *list,
	     const char *other)
{
	while (*++list) {
		const size_t len = strcspn(list, "\n");
		char line[1 << 12];

		snprintf(line, sizeof(line), "\n%.*s\n", (int)len, list);
		if (!strstr(other, line))
			golden_printf(out, "files", "%s%s", mark, line + 1);
		list += len;
	}
}

static void
show_files(const struct golden_case *c, struct golden_output *out)
{
	const char *usually = strstr(c->input.text, "\nbeside ");
	char *before;

	if (!usually) {
		list_files(c->input.text);
		write_others(out, "", found, "");
		return;
	}
	list_files(usually + strlen("\nbeside "));
	before = strdup(found);
	list_files(c->input.text);
	write_others(out, "- ", before, found);
	write_others(out, "+ ", found, before);
	free(before);
}

/* Does a file of the board begin as that of this machine does? */
static bool
begins_as_here(const char *path, size_t n)
{
	char ours[64] = "", board[64] = "", name[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, ours, n) != (ssize_t)n)
		exit(99);
	close(fd);
	snprintf(name, sizeof(name), "board/root%s", path);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, board, n) != (ssize_t)n)
		exit(99);
	close(fd);
	return memcmp(ours, board, n) == 0;
}

static void
test_machine(void)
{
	struct diag why;

	clear();
	scratch_folder("board");
	ok(board_files_fill("board", library, &shared, &why) &&
		   begins_as_here("/proc/meminfo", 9) &&
		   begins_as_here("/proc/cpuinfo", 8),
	   "memory and processors are those of this machine");
}

/* Fill a board while files may have at most n bytes. */
static void
fails(rlim_t bytes, const char *message, const char *name)
{
	struct diag why = { .text = "" };
	struct rlimit usually, limit;
	bool good;

	getrlimit(RLIMIT_FSIZE, &usually);
	limit = usually;
	if (bytes < limit.rlim_cur)
		limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
	good = board_files_fill("board", library, &shared, &why);
	setrlimit(RLIMIT_FSIZE, &usually);
	ok(!good, "a board is refused because of %s", name);
	is(why.text, message, "the first error is told of %s", name);
	clear();
}

static void
test_failures(void)
{
	clear();
	fails(RLIM_INFINITY, "board/memory: No such file or directory",
	      "a directory that is missing");
	scratch_link("board/qpuemu.so", "x");
	fails(RLIM_INFINITY, "board/qpuemu.so: File exists",
	      "a link that is there");
	scratch_link("board/memory", "x");
	fails(RLIM_INFINITY, "board/memory: File exists",
	      "memory that is there");
	scratch_link("board/root", "memory");
	fails(RLIM_INFINITY, "board/root/sys: Not a directory",
	      "a file in place of a directory");
	scratch_folder("board/root/proc/cpuinfo");
	fails(RLIM_INFINITY, "board/root/proc/cpuinfo: Is a directory",
	      "a directory in place of a file");
	scratch_folder("board");
	signal(SIGXFSZ, SIG_IGN);
	fails(10, "board/memory: File too large", "memory that is too large");
	scratch_folder("board");
	shared.options.device.mem_mib = 0;
	fails(10,
	      "board/root/sys/firmware/devicetree/base/model: No space left on "
	      "device",
	      "a file that is not written to its end");
}

int
main(void)
{
	const char *sources = getenv("srcdir");
	char *absolute = realpath(sources ? sources : ".", NULL);

	umask(022);
	/* The golden file is read after the directory has changed. */
	setenv("srcdir", absolute, 1);
	free(absolute);
	scratch_enter();
	close(STDIN_FILENO); /* 0 is a good descriptor */
	golden_run("tests/virtual/board-files.golden", show_files);
	test_machine();
	test_failures();
	return tap_done();
}
