/* SPDX-License-Identifier: MIT */
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

enum {
	SCRIPTS_MAX = 4, /* scripts that interpret each other, as in Linux */
	LINE_MAX_BYTES = 256,
	SEGMENTS_MAX = 64
};

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;

static bool
is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, X_OK) == 0;
}

static enum program_verdict
find_here(const char *name, char path[BOARD_PATH], struct diag *why_not)
{
	const bool fits = snprintf(path, BOARD_PATH, "%s", name) < BOARD_PATH;

	if (fits && is_program(path))
		return PROGRAM_GOOD;
	errno = ENAMETOOLONG;
	if (!fits || access(path, F_OK) != 0) {
		diag_set(why_not, "%s", strerror(errno));
		return PROGRAM_MISSING;
	}
	diag_set(why_not, "it cannot be executed");
	return PROGRAM_UNFIT;
}

enum program_verdict
program_find(const char *name, char path[BOARD_PATH], struct diag *why_not)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return find_here(name, path, why_not);
	if (!at)
		at = "/bin:/usr/bin";
	for (;;) {
		const size_t len = strcspn(at, ":");
		const int needed = snprintf(path, BOARD_PATH, "%.*s%s%s",
					    (int)len, at, len ? "/" : "", name);

		if (needed < BOARD_PATH && is_program(path))
			return PROGRAM_GOOD;
		if (!at[len])
			break;
		at += len + 1;
	}
	diag_set(why_not, "it is not in the directories of PATH");
	return PROGRAM_MISSING;
}

/* The loader ignores LD_PRELOAD for programs with rights of their own. */
static bool
has_own_rights(int fd, struct diag *why_not)
{
	struct stat status;

	if (fstat(fd, &status) == 0 &&
	    ((status.st_mode & S_ISUID && status.st_uid != getuid()) ||
	     (status.st_mode & S_ISGID && status.st_gid != getgid()))) {
		diag_set(why_not, "it is set-user-ID or set-group-ID, and "
				  "such a program is loaded alone");
		return true;
	}
	if (fgetxattr(fd, "security.capability", NULL, 0) > 0) {
		diag_set(why_not, "it has capabilities, and such a program "
				  "is loaded alone");
		return true;
	}
	return false;
}

static bool
read_header(int fd, elf_header *header)
{
	return pread(fd, header, sizeof(*header), 0) ==
		       (ssize_t)sizeof(*header) &&
	       memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/* Is it for the same kind of machine as this program, and so as qpuemu.so? */
static bool
is_our_kind(const elf_header *header, struct diag *why_not)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	elf_header ours;
	const bool known = fd >= 0 && read_header(fd, &ours);

	if (fd >= 0)
		close(fd);
	if (known && header->e_machine == ours.e_machine &&
	    header->e_ident[EI_CLASS] == ours.e_ident[EI_CLASS])
		return true;
	diag_set(why_not,
		 "it is for another kind of machine (ELF machine %u, "
		 "%s bits) than this qpuemu",
		 header->e_machine,
		 header->e_ident[EI_CLASS] == ELFCLASS64 ? "64" : "32");
	return false;
}

static enum program_verdict
check_elf(int fd, const elf_header *header, struct diag *why_not)
{
	elf_segment segments[SEGMENTS_MAX];
	const size_t n = header->e_phnum < SEGMENTS_MAX ? header->e_phnum :
							  SEGMENTS_MAX;
	bool loaded = false;

	if (!is_our_kind(header, why_not))
		return PROGRAM_UNFIT;
	if (header->e_phentsize != sizeof(*segments) ||
	    pread(fd, segments, n * sizeof(*segments),
		  (off_t)header->e_phoff) != (ssize_t)(n * sizeof(*segments))) {
		diag_set(why_not, "it is damaged");
		return PROGRAM_UNFIT;
	}
	for (size_t i = 0; i < n; i++)
		loaded = loaded || segments[i].p_type == PT_INTERP;
	if (!loaded)
		diag_set(why_not, "it is statically linked, so that nothing "
				  "can be put between it and the kernel");
	return loaded ? PROGRAM_GOOD : PROGRAM_UNFIT;
}

/* The interpreter after #!; false when the file is not a script. */
static bool
read_interpreter(int fd, char path[LINE_MAX_BYTES])
{
	char line[LINE_MAX_BYTES];
	const ssize_t len = pread(fd, line, sizeof(line) - 1, 0);
	char *begin;

	if (len < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	begin = line + 2 + strspn(line + 2, " \t");
	begin[strcspn(begin, " \t")] = '\0';
	strcpy(path, begin);
	return true;
}

/* qemu-arm and the like pass their environment on to what they run, which is
 * for another machine than they are themselves. */
static bool
is_user_emulator(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "qemu-", 5) == 0;
}

/* Check one file; `next` becomes its interpreter, or "". */
static enum program_verdict
check_file(const char *path, char next[LINE_MAX_BYTES], struct diag *why_not)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum program_verdict verdict = PROGRAM_UNFIT;
	elf_header header;

	*next = '\0';
	if (fd < 0) {
		diag_set(why_not, "%s cannot be looked at: %s", path,
			 strerror(errno));
		return PROGRAM_UNFIT;
	}
	if (read_header(fd, &header)) {
		if (has_own_rights(fd, why_not))
			verdict = PROGRAM_UNFIT;
		else if (is_user_emulator(path))
			verdict = PROGRAM_GOOD;
		else
			verdict = check_elf(fd, &header, why_not);
	} else if (read_interpreter(fd, next)) {
		verdict = PROGRAM_GOOD;
	} else {
		diag_set(why_not, "it is neither a program nor a script");
	}
	close(fd);
	return verdict;
}

enum program_verdict
program_check(const char *path, struct diag *why_not)
{
	char interpreter[LINE_MAX_BYTES], next[LINE_MAX_BYTES];

	for (unsigned i = 0; i <= SCRIPTS_MAX; i++) {
		const enum program_verdict verdict =
			check_file(path, next, why_not);

		if (verdict != PROGRAM_GOOD || !*next)
			return verdict;
		strcpy(interpreter, next);
		path = interpreter;
	}
	diag_set(why_not, "too many scripts interpret each other");
	return PROGRAM_UNFIT;
}
