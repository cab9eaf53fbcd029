/* SPDX-License-Identifier: MIT */
/*
 * Promise: a program is found as a shell finds it, and what qpuemu cannot stand
 * in front of is refused with the reason.
 */
#include "config.h"

#include "src/tools/qpuemu/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/support/scratch.h"
#include "tests/support/tap.h"

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;

enum {
	CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
	OTHER_CLASS = sizeof(void *) == 8 ? ELFCLASS32 : ELFCLASS64,
	MOST_SEGMENTS = 80
};

#define STATIC                                                                 \
	"it is statically linked, so that nothing can be put between it and "  \
	"the kernel"
#define NEITHER "it is neither a program nor a script"

/* Who the user is, and what capabilities a file has. */
static uid_t another_user;
static gid_t another_group;
static ssize_t capability_bytes = -1;

uid_t
getuid(void)
{
	return geteuid() + another_user;
}

gid_t
getgid(void)
{
	return getegid() + another_group;
}

ssize_t
fgetxattr(int fd, const char *name, void *value, size_t bytes)
{
	(void)fd;
	(void)value;
	return strcmp(name, "security.capability") == 0 && bytes == 0 ?
		       capability_bytes :
		       -1;
}

static void
write_file(const char *name, const void *bytes, size_t len, mode_t mode)
{
	const int fd =
		open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len ||
	    fchmod(fd, mode) != 0 || close(fd) != 0)
		exit(99);
}

static void
write_script(const char *name, const char *text)
{
	write_file(name, text, strlen(text), 0700);
}

/* The kind of program that runs here. */
static unsigned
machine_here(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	elf_header header;

	if (read(fd, &header, sizeof(header)) != sizeof(header))
		exit(99);
	close(fd);
	return header.e_machine;
}

static struct program {
	elf_header header;
	elf_segment segments[MOST_SEGMENTS];
} made;

/* Make a program of n segments, of which one is the loader's, or none. */
static void
make_program(unsigned segments, unsigned loader)
{
	memset(&made, 0, sizeof(made));
	memcpy(made.header.e_ident, ELFMAG, SELFMAG);
	made.header.e_ident[EI_CLASS] = CLASS;
	made.header.e_machine = (uint16_t)machine_here();
	made.header.e_phoff = offsetof(struct program, segments);
	made.header.e_phentsize = sizeof(elf_segment);
	made.header.e_phnum = (uint16_t)segments;
	for (unsigned i = 0; i < segments; i++)
		made.segments[i].p_type = i == loader ? PT_INTERP : PT_LOAD;
}

static void
write_program(const char *name)
{
	write_file(name, &made, sizeof(made), 0700);
}

static void
finds(const char *name, enum program_verdict verdict, const char *expected,
      const char *test)
{
	char path[BOARD_PATH] = "";
	struct diag why = { .text = "" };
	const enum program_verdict found = program_find(name, path, &why);
	const char *text = verdict == PROGRAM_GOOD ? path : why.text;

	if (!ok(found == verdict && strcmp(text, expected) == 0, "%s", test))
		tap_note("%d: %s", (int)found, text);
}

static void
checks(const char *name, const char *expected, const char *test)
{
	const enum program_verdict verdict = *expected ? PROGRAM_UNFIT :
							 PROGRAM_GOOD;
	struct diag why = { .text = "" };
	const enum program_verdict found = program_check(name, &why);

	if (!ok(found == verdict && strcmp(why.text, expected) == 0, "%s",
		test))
		tap_note("%d: %s", (int)found, why.text);
}

/* A path of this length to a name here. */
static char *
long_path(size_t len, const char *name)
{
	static char path[2 * BOARD_PATH];
	const size_t rest = len - strlen(name);
	size_t at = 0;

	while (at < rest)
		path[at++] = '.', path[at++] = '/';
	if (rest % 2)
		path[rest - 1] = '/';
	strcpy(path + rest, name);
	return path;
}

static void
test_find(void)
{
	static const struct {
		const char *search, *name;
		enum program_verdict verdict;
		const char *expected, *promise;
	} rows[] = {
		{ "first:second", "./good", PROGRAM_GOOD, "./good",
		  "a path with a slash is taken as it is" },
		{ "first:second", "./none", PROGRAM_MISSING,
		  "No such file or directory",
		  "a path that is not there is told" },
		{ "first:second", "first/tool", PROGRAM_UNFIT,
		  "it cannot be executed",
		  "a file that cannot be executed is refused" },
		{ "first:second", "./first", PROGRAM_UNFIT,
		  "it cannot be executed", "a directory is refused" },
		{ "first:second", "tool", PROGRAM_GOOD, "second/tool",
		  "the first program in PATH that can be executed is found" },
		{ "first:second", "good", PROGRAM_MISSING,
		  "it is not in the directories of PATH",
		  "a name that is in no directory of PATH is told" },
		{ "first::second", "good", PROGRAM_GOOD, "good",
		  "an empty name in PATH is this directory" },
		{ "first:", "good", PROGRAM_GOOD, "good",
		  "an empty name at the end of PATH is this directory" },
		{ NULL, "sh", PROGRAM_GOOD, "/bin/sh",
		  "without PATH a program is found in /bin" },
	};

	make_program(2, 1);
	write_program("good");
	mkdir("first", 0700);
	mkdir("second", 0700);
	write_file("first/tool", "", 0, 0600);
	write_program("second/tool");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].search)
			setenv("PATH", rows[i].search, 1);
		else
			unsetenv("PATH");
		finds(rows[i].name, rows[i].verdict, rows[i].expected,
		      rows[i].promise);
	}
	finds(long_path(BOARD_PATH, "good"), PROGRAM_MISSING,
	      "File name too long", "a path that is too long is told");
	setenv("PATH", long_path(BOARD_PATH - 5, "."), 1);
	finds("good", PROGRAM_MISSING, "it is not in the directories of PATH",
	      "a directory of PATH that is too long is left out");
}

static void
test_kinds(void)
{
	char message[200];

	checks("good", "", "a program with a loader is good");
	make_program(2, 5);
	write_program("static");
	checks("static", STATIC, "a program without a loader is refused");
	make_program(64, 63);
	write_program("many");
	checks("many", "", "a loader is found in the last of 64 segments");
	make_program(2, 1);
	made.header.e_machine ^= 1;
	write_program("other");
	snprintf(message, sizeof(message),
		 "it is for another kind of machine (ELF machine %u, %d bits) "
		 "than this qpuemu",
		 machine_here() ^ 1, (int)sizeof(void *) * 8);
	checks("other", message, "a program of another processor is refused");
	write_program("qemu-other");
	checks("qemu-other", "",
	       "an emulator of user programs may be of another processor");
	make_program(2, 1);
	made.header.e_ident[EI_CLASS] = OTHER_CLASS;
	write_program("other");
	snprintf(message, sizeof(message),
		 "it is for another kind of machine (ELF machine %u, %d bits) "
		 "than this qpuemu",
		 machine_here(), 96 - (int)sizeof(void *) * 8);
	checks("other", message,
	       "a program of another size of pointers is refused");
}

static void
test_damage(void)
{
	make_program(2, 1);
	made.header.e_phentsize++;
	write_program("damaged");
	checks("damaged", "it is damaged",
	       "a program with segments of another size is damaged");
	make_program(2, 1);
	made.header.e_phoff = sizeof(made) - 2 * sizeof(elf_segment) + 1;
	write_program("damaged");
	checks("damaged", "it is damaged",
	       "a program with segments after its end is damaged");
	made.header.e_phoff--;
	write_program("damaged");
	checks("damaged", STATIC, "a program may end with its segments");
	make_program(2, 1);
	made.header.e_ident[3]++;
	write_program("damaged");
	checks("damaged", NEITHER,
	       "a file with other first bytes is no program");
	make_program(0, 1);
	write_file("damaged", &made, sizeof(elf_header) - 1, 0700);
	checks("damaged", NEITHER,
	       "a file that is shorter than a program's head is none");
	write_file("damaged", &made, sizeof(elf_header), 0700);
	checks("damaged", STATIC,
	       "a program that is only its head has no loader");
	checks("missing",
	       "missing cannot be looked at: No such file or "
	       "directory",
	       "a file that is missing is told");
}

/* Rights ------------------------------------------------------------------- */

#define SET_ID                                                                 \
	"it is set-user-ID or set-group-ID, and such a program is loaded "     \
	"alone"

static void
test_rights(void)
{
	static const struct {
		mode_t mode;
		uid_t user; /* how much that of the user differs */
		gid_t group;
		ssize_t capabilities; /* bytes; -1: no such attribute */
		const char *verdict, *promise;
	} rows[] = {
		{ 04700, 0, 0, -1, "",
		  "a program that is set-user-ID to oneself is good" },
		{ 04700, 1, 0, -1, SET_ID,
		  "a program that is set-user-ID to another user is refused" },
		{ 0700, 1, 0, -1, "", "a program of another user is good" },
		{ 02710, 0, 0, -1, "",
		  "a program that is set-group-ID to one's own group is good" },
		{ 02710, 0, 1, -1, SET_ID,
		  "a program that is set-group-ID to another group is refused" },
		{ 0700, 0, 1, -1, "", "a program of another group is good" },
		{ 0700, 0, 0, 20,
		  "it has capabilities, and such a program is loaded alone",
		  "a program with capabilities is refused" },
		{ 0700, 0, 0, 0, "",
		  "a program with an empty list of capabilities is good" },
	};

	make_program(2, 1);
	write_program("set-id");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		chmod("set-id", rows[i].mode);
		another_user = rows[i].user;
		another_group = rows[i].group;
		capability_bytes = rows[i].capabilities;
		checks("set-id", rows[i].verdict, rows[i].promise);
	}
	another_group = 0;
	capability_bytes = -1;
}

/* Scripts ------------------------------------------------------------------ */

static void
test_scripts(void)
{
	static const struct {
		const char *text, *verdict, *promise;
	} rows[] = {
		{ "#!./good\n", "", "a script of a good program is good" },
		{ "#! \t./good -x ./none\nexit\n", "",
		  "a script's interpreter may have blanks before it and arguments after it" },
		{ "#!./good", "", "a script's first line needs no end" },
		{ "#!./good\t-x", "", "a script's interpreter ends at a tab" },
		{ "#!./static\n", STATIC,
		  "a script of a program without a loader is refused" },
		{ "#!./none\n",
		  "./none cannot be looked at: No such file or directory",
		  "a script whose interpreter is missing is refused by its name" },
		{ "!#./good\n", NEITHER,
		  "a file that begins with !# is no script" },
		{ "# ./good\n", NEITHER,
		  "a file that begins with a comment is no script" },
		{ "#!", NEITHER, "a file of only #! is no script" },
		{ "#!\n", "",
		  "a script without an interpreter is left to the kernel" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_script("script", rows[i].text);
		checks("script", rows[i].verdict, rows[i].promise);
	}
}

static void
test_chains(void)
{
	static const char *const names[] = { "good",	"script1", "script2",
					     "script3", "script4", "script5" };
	char line[40];

	for (unsigned i = 1; i < 6; i++) {
		snprintf(line, sizeof(line), "#!./%s\n", names[i - 1]);
		write_script(names[i], line);
	}
	checks("script4", "", "four scripts may interpret each other");
	checks("script5", "too many scripts interpret each other",
	       "five scripts may not interpret each other");
}

int
main(void)
{
	scratch_enter();
	close(STDIN_FILENO); /* 0 is a good descriptor */
	test_find();
	test_kinds();
	test_damage();
	test_rights();
	test_scripts();
	test_chains();
	return tap_done();
}
