/* SPDX-License-Identifier: MIT */
/*
 * Promise: a process finds its board by a variable, before its main() runs, and
 * what the board says is a line on standard error, however long.
 */
#include "config.h"

#include <sys/mman.h>

#include "tests/virtual/made-board.h"

static bool is_made;

/* Constructors without a number come later: then the board is there. */
__attribute__((constructor(101))) static void
make_early(void)
{
	static struct board_options options = {
		.device = { .qpus = 12, .mem_mib = 32 }, .v3d_mhz = 250
	};
	struct diag why;
	int fd;

	options.profile = (unsigned)(profile_of_name("pi3") - profile_rows);
	options.system = (unsigned)(system_of_name("trixie") - system_rows);
	is_made = made_directory() &&
		  (board.shared =
			   board_shared_create(board.dir, &options, &why)) &&
		  (fd = board_open(&board, BOARD_MEMORY, O_RDWR | O_CREAT)) >=
			  0 &&
		  ftruncate(fd, 32 * MADE_MIB) == 0 && close(fd) == 0 &&
		  setenv(BOARD_VARIABLE, board.dir, 1) == 0;
	errno = 0;
}

static void
test_found(void)
{
	const struct board *found;

	errno = 77;
	found = board_get();
	ok(errno == 77, "errno stays while a board is found");
	if (!ok(found != NULL, "a board is found"))
		return;
	is(found->dir, board.dir, "a board is found in its directory");
	is(found->profile->name, "pi3", "the board is the one that was chosen");
	is(found->system->name, "trixie",
	   "the board has the system that was chosen");
	is(found->soc->name, "BCM2837", "the board has the chip of its model");
	ok(found->memory_bytes == 32 * MADE_MIB &&
		   found->memory_base == 0x3d000000,
	   "GPU memory is at the end of the memory");
	found->shared->enabled = 7;
	ok(board.shared->enabled == 7,
	   "the board's state is that of all processes");
	ok(board_get() == found, "a board is found once");
}

static void
test_memory(void)
{
	const struct board *found = board_get();
	const int fd = board_open(found, BOARD_MEMORY, O_RDWR);
	uint8_t *memory, byte = 0;
	char path[BOARD_PATH];

	strcpy(path, made_path("memory"));
	if (rename(path, made_path("elsewhere")) != 0)
		exit(99);
	ok(!board_gpu_memory(found), "memory that is not there is not mapped");
	if (rename(made_path("elsewhere"), path) != 0)
		exit(99);
	memory = board_gpu_memory(found);
	if (!ok(memory != NULL, "memory that is there is mapped"))
		return;
	memory[32 * MADE_MIB - 1] = 99;
	ok(pread(fd, &byte, 1, 32 * MADE_MIB - 1) == 1 && byte == 99,
	   "memory is mapped up to its end");
	byte = 55;
	ok(pwrite(fd, &byte, 1, 0) == 1 && memory[0] == 55,
	   "memory is mapped for reading and writing");
	ok(board_gpu_memory(found) == memory, "memory is mapped once");
	ok(fcntl(fd, F_GETFD) == FD_CLOEXEC,
	   "files of the board are not inherited by programs");
	close(fd);
}

/* Lines are cut off at 1024 bytes, and remain lines. */
static void
test_say(void)
{
	char text[1100], line[1100] = "qpuemu: ";
	const int kept = dup(STDERR_FILENO);

	made_messages = board_open(&board, "messages", O_RDWR | O_CREAT);
	dup2(made_messages, STDERR_FILENO);
	errno = 77;
	board_say("a %d", 5);
	ok(errno == 77, "errno stays when something is said");
	is(made_says(), "qpuemu: a 5\n", "what the board says is a line");
	memset(text, 'x', sizeof(text));
	memset(line + 8, 'x', sizeof(line) - 8);
	text[1014] = '\0';
	strcpy(line + 8 + 1014, "\n");
	board_say("%s", text);
	is(made_says(), line, "a line of 1024 bytes is whole");
	text[1014] = 'x';
	text[1015] = '\0';
	board_say("%s", text);
	is(made_says(), line, "a line that is longer is cut off");
	close(STDERR_FILENO);
	errno = 77;
	board_say("lost");
	ok(errno == 77, "a line that cannot be written leaves errno alone");
	dup2(kept, STDERR_FILENO);
	close(kept);
}

int
main(void)
{
	if (!ok(is_made, "a board is made"))
		return tap_done();
	close(STDIN_FILENO); /* 0 is a good descriptor */
	test_found();
	test_memory();
	test_say();
	return made_end();
}
