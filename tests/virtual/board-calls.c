/* SPDX-License-Identifier: MIT */
/*
 * board-calls: calls of the C library as programs make them on a virtual board,
 * and what a kernel with these devices would answer.  It knows nothing of
 * qpuemu.  Run with the name of a part; prints TAP.
 *
 *	nodes WHICH	numbers, modes and groups of all nodes: plain, trixie
 *	denied		no node but /dev/vcsm-cma may be opened
 *	names		paths, links and directories
 *	made		nodes of the program's own
 *	unmade		without the right to make any
 *	machine NAME	uname()
 *	host WORD...	what libbcm_host answers, in decimal
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/support/tap.h"
#include "tests/virtual/board-parts.h"

/* Nodes --------------------------------------------------------------------- */

struct node {
	const char *name;
	unsigned major, minor, mode, group;
};

/* clang-format off */
static const struct node plain_nodes[] = {
	{ "/dev/vcio", 100, 0, 0660, 44 },
	{ "/dev/vcsm-cma", 10, 124, 0660, 44 },
	{ "/dev/mem", 1, 1, 0640, 15 },
	{ NULL, 0, 0, 0, 0 }
};
static const struct node trixie_nodes[] = {
	{ "/dev/vcio", 10, 123, 0600, 0 },
	{ "/dev/vcsm-cma", 10, 124, 0660, 44 },
	{ "/dev/mem", 1, 1, 0640, 15 },
	{ "/dev/dma_heap/linux,cma", 252, 0, 0660, 44 },
	{ NULL, 0, 0, 0, 0 }
};
/* clang-format on */

static bool
is_node(const struct stat *st, const struct node *node)
{
	return st->st_mode == (S_IFCHR | node->mode) && st->st_uid == 0 &&
	       st->st_gid == node->group && st->st_size == 0 &&
	       st->st_blocks == 0 && major(st->st_rdev) == node->major &&
	       minor(st->st_rdev) == node->minor;
}

static bool
is_node_by_statx(const struct statx *st, const struct node *node)
{
	return st->stx_mode == (S_IFCHR | node->mode) && st->stx_uid == 0 &&
	       st->stx_gid == node->group && st->stx_size == 0 &&
	       st->stx_blocks == 0 && st->stx_rdev_major == node->major &&
	       st->stx_rdev_minor == node->minor;
}

static void
check_node(const struct node *node)
{
	const int fd = open(node->name, O_RDWR | O_CLOEXEC);
	struct stat st;
	struct statx stx;

	ok(fd >= 0, "%s is opened", node->name);
	ok(stat(node->name, &st) == 0 && is_node(&st, node),
	   "stat shows the node %s", node->name);
	ok(lstat(node->name, &st) == 0 && is_node(&st, node),
	   "lstat shows the node %s", node->name);
	ok(fstat(fd, &st) == 0 && is_node(&st, node), "fstat shows the node %s",
	   node->name);
	ok(fstatat(AT_FDCWD, node->name, &st, 0) == 0 && is_node(&st, node),
	   "fstatat shows the node %s", node->name);
	ok(fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 && is_node(&st, node),
	   "fstatat of a descriptor shows the node %s", node->name);
	ok(statx(AT_FDCWD, node->name, 0, STATX_BASIC_STATS, &stx) == 0 &&
		   is_node_by_statx(&stx, node),
	   "statx shows the node %s", node->name);
	ok(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) == 0 &&
		   is_node_by_statx(&stx, node),
	   "statx of a descriptor shows the node %s", node->name);
	close(fd);
}

static void
nodes(void)
{
	const char *which = part_words[0];
	const struct node *list = *which == 'p' ? plain_nodes : trixie_nodes;
	struct stat st;

	for (; list->name; list++)
		check_node(list);
	ok(stat("/dev/none", &st) == -1 && errno == ENOENT,
	   "a node that is not there is not found");
	ok(stat("/bin/sh", &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0,
	   "a file of this machine is shown as it is");
}

/* Rights -------------------------------------------------------------------- */

/* Does a call fail, and for want of rights? */
#define DENIED(failed) (errno = 0, (failed) && errno == EACCES)

static bool
is_denied(const char *path)
{
	char word[] = "r";
	struct stat st;

	return DENIED(open(path, O_RDWR | O_CLOEXEC) == -1) &&
	       DENIED(open64(path, O_RDONLY | O_CLOEXEC) == -1) &&
	       DENIED(openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC) == -1) &&
	       DENIED(openat64(AT_FDCWD, path, O_RDWR | O_CLOEXEC) == -1) &&
	       DENIED(open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) == -1) &&
	       DENIED(!fopen(path, word)) && DENIED(!fopen64(path, word)) &&
	       DENIED(access(path, R_OK) == -1) &&
	       DENIED(faccessat(AT_FDCWD, path, W_OK, AT_SYMLINK_NOFOLLOW) ==
		      -1) &&
	       access(path, F_OK) == 0 && stat(path, &st) == 0;
}

static void
denied(void)
{
	char word[] = "r";
	FILE *stream;

	ok(is_denied("/dev/vcio"),
	   "/dev/vcio is denied to others by each function");
	ok(is_denied("/dev/mem"), "/dev/mem is denied by each function");
	ok(access("/dev/vcsm-cma", R_OK | W_OK) == 0 &&
		   open("/dev/vcsm-cma", O_RDWR | O_CLOEXEC) >= 0,
	   "/dev/vcsm-cma is opened");
	stream = fopen("/dev/vcsm-cma", word);
	ok(stream != NULL, "/dev/vcsm-cma is opened as a stream");
	ok(open("/dev/null", O_WRONLY | O_CLOEXEC) >= 0, "/dev/null is opened");
	ok(open("/proc/device-tree/model", O_RDONLY | O_CLOEXEC) >= 0 &&
		   open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC) >= 0,
	   "files of the board are opened by every user");
}

/* Names --------------------------------------------------------------------- */

#define TREE "/sys/firmware/devicetree/base"

static bool
reads(const char *path, const char *text)
{
	char bytes[100] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool same = fd >= 0 && read(fd, bytes, 99) > 0 &&
			  strcmp(bytes, text) == 0;

	close(fd);
	return same;
}

static bool
lists(const char *path, const char *name)
{
	DIR *stream = opendir(path);
	const struct dirent *entry;
	bool found = false;

	while (stream && (entry = readdir(stream)))
		found |= strcmp(entry->d_name, name) == 0;
	if (stream)
		closedir(stream);
	return found;
}

/* A path of this length to the model. */
static const char *
long_path(size_t len)
{
	static char path[4096];
	size_t at = (size_t)sprintf(path, TREE);

	while (at < len - 6)
		path[at++] = '/';
	strcpy(path + at, "/model");
	return path;
}

/* Functions that programs compiled with checks call. */
char *
__realpath_chk(const char *path, char *resolved, size_t room);
ssize_t
__readlink_chk(const char *path, char *text, size_t bytes, size_t room);
int
__open_2(const char *path, int flags);
int
__open64_2(const char *path, int flags);
int
__openat_2(int dir, const char *path, int flags);
int
__openat64_2(int dir, const char *path, int flags);

static void
checked_names(void)
{
	char text[PATH_MAX] = "";

	ok(__open_2(TREE "/model", O_RDONLY) >= 0 &&
		   __open64_2(TREE "/model", O_RDONLY) >= 0 &&
		   __openat_2(AT_FDCWD, TREE "/model", O_RDONLY) >= 0 &&
		   __openat64_2(AT_FDCWD, TREE "/model", O_RDONLY) >= 0,
	   "functions with checks open files of the board");
	ok(__realpath_chk("/dev/vcio", text, PATH_MAX) &&
		   strcmp(text, "/dev/vcio") == 0 &&
		   __readlink_chk("/proc/device-tree", text, 30, 30) == 30 &&
		   memcmp(text, "../sys/firmware/devicetree/base", 30) == 0,
	   "functions with checks tell names of the board");
}

static void
links(void)
{
	static const char target[] = "../sys/firmware/devicetree/base";
	const size_t len = strlen(target);
	char text[PATH_MAX] = "", *made;

	ok(readlink("/proc/device-tree", text, sizeof(text)) == (ssize_t)len &&
		   memcmp(text, target, len) == 0,
	   "readlink tells a link of the board");
	ok(readlinkat(AT_FDCWD, "/proc/device-tree", text, sizeof(text)) ==
			   (ssize_t)len &&
		   memcmp(text, target, len) == 0,
	   "readlinkat tells a link of the board");
	ok(realpath("/proc/device-tree/model", text) == text &&
		   strcmp(text, TREE "/model") == 0,
	   "realpath shows no more than the program knows");
	made = realpath("/dev/vcio", NULL);
	ok(made && strcmp(made, "/dev/vcio") == 0,
	   "realpath tells a name of the board in new memory");
	free(made);
	ok(!realpath("/dev/none", NULL),
	   "realpath fails for what is not there");
	ok(realpath("/", text) && strcmp(text, "/") == 0 && !realpath("", text),
	   "realpath tells names of this machine");
}

static void
names(void)
{
	char text[PATH_MAX] = "";
	FILE *stream;
	int fd;

	ok(reads(TREE "/model", "Raspberry Pi Model B Rev 2"),
	   "a file of the board is read");
	ok(reads("/proc/device-tree/model", "Raspberry Pi Model B Rev 2"),
	   "a file of the board is read by a link");
	ok(reads(long_path(2000), "Raspberry Pi Model B Rev 2"),
	   "a file of the board is read by a name of 2000 characters");
	ok(!reads(long_path(2001), "Raspberry Pi Model B Rev 2"),
	   "a name of 2001 characters is none of the board's");
	stream = fopen("/proc/device-tree/model", "r");
	ok(stream && fread(text, 1, 9, stream) == 9 &&
		   memcmp(text, "Raspberry", 9) == 0 && fclose(stream) == 0,
	   "a file of the board is read as a stream");
	links();
	checked_names();
	ok(lists("/dev/dri", "card0") && lists("/sys/module/vc4", ".") &&
		   lists("/sys/class/drm/card0/device/driver", ".") &&
		   lists("/sys/bus/platform/drivers/vc4_v3d", "20c00000.v3d") &&
		   lists("/etc/modprobe.d", ".") &&
		   lists("/sys/module/vc_sm_cma", "."),
	   "directories of the board are listed");
	ok(!lists("/etc/modprobe.d", "blacklist.conf") &&
		   lists("/etc", "passwd") && lists("/dev", "vcio"),
	   "directories of this machine are listed as they are");
	fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	ok(fd >= 0 && syscall(SYS_lseek, fd, 0, SEEK_END) > 100 &&
		   pread(fd, text, 8, 0) == 8 &&
		   memcmp(text, "MemTotal", 8) == 0,
	   "/proc/meminfo is that of this machine and the board");
	ok(chdir(TREE) == 0 && reads("model", "Raspberry Pi Model B Rev 2") &&
		   chdir("/dev/none") == -1 && errno == ENOENT,
	   "a program can change to a directory of the board");
	ok(open("/dev/vcio", O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC,
		0600) >= 0,
	   "a node is never made or shortened by open");
	errno = 77;
	ok(access("/dev/vcio", F_OK) == 0 && errno == 77,
	   "access that succeeds leaves errno alone");
	ok(faccessat(AT_FDCWD, "/dev/vcio", R_OK, 0) == 0 &&
		   faccessat(AT_FDCWD, "/dev/vcio", F_OK,
			     AT_SYMLINK_NOFOLLOW) == 0,
	   "root may access all nodes");
}

/* The machine ------------------------------------------------------------------- */

static void
machine(void)
{
	const char *name = part_words[0];
	struct utsname known;

	ok(uname(&known) == 0 && strcmp(known.machine, name) == 0 &&
		   strcmp(known.sysname, "Linux") == 0,
	   "the machine is %s", name);
	ok(uname(NULL) == -1 && errno == EFAULT,
	   "uname() refuses a wrong address");
}

static void
host(void)
{
	static const char *const names[] = {
		"bcm_host_get_peripheral_address",
		"bcm_host_get_peripheral_size",
		"bcm_host_get_sdram_address",
	};
	void *library = dlopen("libbcm_host.so", RTLD_NOW);
	unsigned (*ask)(void);

	if (!ok(library != NULL, "libbcm_host.so is loaded"))
		return;
	for (unsigned i = 0; part_words[i]; i++) {
		*(void **)&ask = dlsym(library, names[i]);
		ok(ask && ask() == (unsigned)strtol(part_words[i], NULL, 10),
		   "%s", names[i]);
	}
}

int
main(int argc, char **argv)
{
	static const struct board_part parts[] = {
		{ "nodes", nodes }, { "denied", denied },
		{ "names", names }, { "machine", machine },
		{ "host", host },   { NULL, NULL },
	};

	return board_part_run(argc, argv, parts);
}
