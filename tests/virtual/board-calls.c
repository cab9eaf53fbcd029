/* SPDX-License-Identifier: MIT */
/*
 * board-calls: calls of the C library as programs make them on a virtual board,
 * and what a kernel with these devices would answer.  It knows nothing of
 * qpuemu.  Run with the name of a part; prints TAP.
 *
 *	nodes WHICH	numbers, modes and groups of all nodes: plain, trixie,
 *			rule (of udev, with the module), module (without)
 *	denied		no node but /dev/vcsm-cma may be opened
 *	names		paths, links and directories
 *	made		nodes of the program's own
 *	unmade		without the right to make any
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/support/tap.h"

/* Nodes --------------------------------------------------------------------- */

struct node {
	const char *name;
	unsigned major, minor, mode, group;
};

static const struct node plain_nodes[] = { { "/dev/vcio", 100, 0, 0660, 44 },
					   { "/dev/vcsm-cma", 10, 124, 0660,
					     44 },
					   { "/dev/mem", 1, 1, 0640, 15 },
					   { NULL, 0, 0, 0, 0 } };
static const struct node trixie_nodes[] = {
	{ "/dev/vcio", 10, 123, 0600, 0 },
	{ "/dev/vcsm-cma", 10, 124, 0660, 44 },
	{ "/dev/mem", 1, 1, 0640, 15 },
	{ "/dev/vcio_gencmd", 10, 122, 0660, 44 },
	{ "/dev/dma_heap/linux,cma", 252, 0, 0660, 44 },
	{ "/dev/vcsm", 10, 59, 0660, 44 },
	{ NULL, 0, 0, 0, 0 }
};
static const struct node rule_nodes[] = {
	{ "/dev/vcio", 10, 123, 0660, 44 },
	{ "/dev/vcsm-cma", 10, 124, 0660, 44 },
	{ "/dev/dma_heap/linux,cma", 252, 0, 0600, 0 },
	{ NULL, 0, 0, 0, 0 }
};
static const struct node module_nodes[] = { { "/dev/vcio", 10, 123, 0600, 0 },
					    { "/dev/vcsm-cma", 10, 124, 0600,
					      0 },
					    { NULL, 0, 0, 0, 0 } };

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
	ok(stat(node->name, &st) == 0 && is_node(&st, node), "stat");
	ok(lstat(node->name, &st) == 0 && is_node(&st, node), "lstat");
	ok(fstat(fd, &st) == 0 && is_node(&st, node), "fstat");
	ok(fstatat(AT_FDCWD, node->name, &st, 0) == 0 && is_node(&st, node),
	   "fstatat");
	ok(fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 && is_node(&st, node),
	   "fstatat of a descriptor");
	ok(statx(AT_FDCWD, node->name, 0, STATX_BASIC_STATS, &stx) == 0 &&
		   is_node_by_statx(&stx, node),
	   "statx");
	ok(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) == 0 &&
		   is_node_by_statx(&stx, node),
	   "statx of a descriptor");
	close(fd);
}

static void
nodes(const char *which)
{
	const struct node *list = strcmp(which, "plain") == 0  ? plain_nodes :
				  strcmp(which, "trixie") == 0 ? trixie_nodes :
				  strcmp(which, "rule") == 0   ? rule_nodes :
								 module_nodes;
	struct stat st;

	for (; list->name; list++)
		check_node(list);
	ok(stat("/dev/none", &st) == -1 && errno == ENOENT,
	   "what is not there is not there");
	ok(stat("/bin/sh", &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0,
	   "files are files");
}

/* Rights -------------------------------------------------------------------- */

static bool
is_denied(const char *path)
{
	char word[] = "r";
	struct stat st;
	FILE *stream = tmpfile();
	bool denied;

	errno = 0;
	denied = open(path, O_RDWR | O_CLOEXEC) == -1 && errno == EACCES;
	errno = 0;
	denied &= open64(path, O_RDONLY | O_CLOEXEC) == -1 && errno == EACCES;
	errno = 0;
	denied &= openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC) == -1 &&
		  errno == EACCES;
	errno = 0;
	denied &= openat64(AT_FDCWD, path, O_RDWR | O_CLOEXEC) == -1 &&
		  errno == EACCES;
	errno = 0;
	denied &= open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) == -1 &&
		  errno == EACCES;
	errno = 0;
	denied &= !fopen(path, word) && errno == EACCES;
	errno = 0;
	denied &= !fopen64(path, word) && errno == EACCES;
	errno = 0;
	denied &= !freopen(path, word, stream) && errno == EACCES;
	errno = 0;
	denied &= !freopen64(path, word, stream) && errno == EACCES;
	errno = 0;
	denied &= access(path, R_OK) == -1 && errno == EACCES;
	errno = 0;
	denied &= faccessat(AT_FDCWD, path, W_OK, AT_SYMLINK_NOFOLLOW) == -1 &&
		  errno == EACCES;
	errno = 0;
	denied &= eaccess(path, R_OK) == -1 && errno == EACCES;
	errno = 0;
	denied &= euidaccess(path, R_OK) == -1 && errno == EACCES;
	return denied && access(path, F_OK) == 0 && stat(path, &st) == 0;
}

static void
denied(void)
{
	char word[] = "r";
	FILE *stream;

	ok(is_denied("/dev/vcio"), "the mailbox is for others");
	ok(is_denied("/dev/mem"), "so is memory");
	ok(is_denied("/dev/../dev/./mem"), "by whatever name");
	ok(access("/dev/vcsm-cma", R_OK | W_OK) == 0 &&
		   open("/dev/vcsm-cma", O_RDWR | O_CLOEXEC) >= 0,
	   "/dev/vcsm-cma is not");
	stream = fopen("/dev/vcsm-cma", word);
	ok(stream && freopen("/dev/vcsm-cma", word, stream),
	   "also as a stream");
	ok(open("/dev/null", O_WRONLY | O_CLOEXEC) >= 0, "nor is nothing");
	ok(open("/proc/device-tree/model", O_RDONLY | O_CLOEXEC) >= 0 &&
		   open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC) >= 0,
	   "nor is a file of the board");
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

/* A path of so many characters to the model. */
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
	   "functions with checks open the same");
	ok(__realpath_chk("/dev/vcio", text, PATH_MAX) &&
		   strcmp(text, "/dev/vcio") == 0 &&
		   __readlink_chk("/proc/device-tree", text, 30, 30) == 30 &&
		   memcmp(text, "../sys/firmware/devicetree/base", 30) == 0,
	   "and tell the same");
}

static void
links(void)
{
	static const char target[] = "../sys/firmware/devicetree/base";
	const size_t len = strlen(target);
	char text[PATH_MAX] = "", *made;

	ok(readlink("/proc/device-tree", text, sizeof(text)) == (ssize_t)len &&
		   memcmp(text, target, len) == 0,
	   "readlink");
	ok(readlinkat(AT_FDCWD, "/proc/device-tree", text, sizeof(text)) ==
			   (ssize_t)len &&
		   memcmp(text, target, len) == 0,
	   "readlinkat");
	ok(realpath("/proc/device-tree/model", text) == text &&
		   strcmp(text, TREE "/model") == 0,
	   "realpath shows no more than the program knows");
	made = realpath("/dev/vcio", NULL);
	ok(made && strcmp(made, "/dev/vcio") == 0, "also in new memory");
	free(made);
	ok(!realpath("/dev/none", NULL), "of what there is");
	ok(realpath("/", text) && strcmp(text, "/") == 0 && !realpath("", text),
	   "and of this machine");
	/* Where extended attributes are not supported it is another error. */
	ok(getxattr("/dev/vcio", "user.none", text, 9) == -1 &&
		   errno != ENOENT &&
		   lgetxattr("/dev/vcio", "user.none", text, 9) == -1 &&
		   errno != ENOENT,
	   "attributes are asked of what is there");
}

static bool
opens(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	close(fd);
	return fd >= 0;
}

/* A chain of links: n0 leads to the mailbox, n1 to n0, and so on. */
static void
links_to_nodes(void)
{
	char name[] = "n0", before[] = "n0";
	bool made = symlink("/dev/vcio", name) == 0;

	for (name[1] = '1'; name[1] < '8'; name[1]++, before[1]++)
		made &= symlink(before, name) == 0;
	ok(made && opens("n0") && opens("n6") && !opens("n7"),
	   "a node is found behind seven links");
	ok(mkdir("inside", 0700) == 0 && symlink("../n0", "inside/up") == 0 &&
		   opens("inside/up") && symlink("/dev", "inside/dev") == 0 &&
		   opens("inside/dev/vcio") && opens("/dev/../dev/./vcio"),
	   "from where the link is, and through directories");
	ok(symlink("/dev/null", "nothing") == 0 && opens("nothing") &&
		   symlink("none", "broken") == 0 && !opens("broken"),
	   "other links lead where they led");
}

static void
names(void)
{
	char text[PATH_MAX] = "";
	FILE *stream;
	int fd;

	ok(reads(TREE "/model", "Raspberry Pi Model B Rev 2"),
	   "a file of the board");
	ok(reads("/proc/device-tree/model", "Raspberry Pi Model B Rev 2"),
	   "by a link");
	ok(reads(long_path(2000), "Raspberry Pi Model B Rev 2"),
	   "by a long name");
	ok(!reads(long_path(2001), "Raspberry Pi Model B Rev 2"),
	   "a longer one is none of the board's");
	stream = fopen("/proc/device-tree/model", "r");
	ok(stream && fread(text, 1, 9, stream) == 9 &&
		   memcmp(text, "Raspberry", 9) == 0 && fclose(stream) == 0,
	   "as a stream");
	links();
	links_to_nodes();
	checked_names();
	ok(lists("/dev/dri", "card0") && lists("/sys/module/vc4", ".") &&
		   lists("/sys/class/drm/card0/device/driver", ".") &&
		   lists("/sys/bus/platform/drivers/vc4_v3d", "20c00000.v3d") &&
		   lists("/etc/modprobe.d", ".") &&
		   lists("/sys/module/vc_sm_cma", "."),
	   "directories of the board");
	ok(!lists("/etc/modprobe.d", "blacklist.conf") &&
		   lists("/etc", "passwd") && lists("/dev", "vcio"),
	   "others are this machine's");
	fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	ok(fd >= 0 && syscall(SYS_lseek, fd, 0, SEEK_END) > 100 &&
		   pread(fd, text, 8, 0) == 8 &&
		   memcmp(text, "MemTotal", 8) == 0,
	   "memory is that of both");
	ok(chdir(TREE) == 0 && reads("model", "Raspberry Pi Model B Rev 2") &&
		   chdir("/dev/none") == -1 && errno == ENOENT,
	   "one can go there");
	ok(open("/dev/vcio", O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC,
		0600) >= 0,
	   "nodes are never made, nor shortened");
	ok(unlink("/dev/vcio") == -1 && remove("/dev/vcio") == -1 &&
		   unlinkat(AT_FDCWD, "/dev/vcio", 0) == -1 &&
		   access("/dev/vcio", F_OK) == 0,
	   "nor taken away");
	errno = 77;
	ok(access("/dev/vcio", F_OK) == 0 && errno == 77,
	   "what succeeds leaves errno alone");
	ok(faccessat(AT_FDCWD, "/dev/vcio", R_OK, 0) == 0 &&
		   faccessat(AT_FDCWD, "/dev/vcio", F_OK,
			     AT_SYMLINK_NOFOLLOW) == 0 &&
		   eaccess("/dev/vcio", R_OK) == 0 &&
		   euidaccess("/dev/vcio", W_OK) == 0,
	   "all of it is allowed to root");
}

/* Nodes that programs make ---------------------------------------------------- */

/* What programs call that were compiled long ago. */
static int
old_mknod(const char *path, mode_t mode, dev_t number)
{
	int (*make)(int, const char *, mode_t, dev_t *);

	*(void **)&make = dlsym(RTLD_DEFAULT, "__xmknod");
	return make ? make(0, path, mode, &number) : -1;
}

static bool
is_mailbox(const char *path)
{
	static const struct node node = { NULL, 100, 0, 0660, 44 };
	struct stat st;
	struct statx stx;
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	close(fd);
	return fd >= 0 && lstat(path, &st) == 0 && is_node(&st, &node) &&
	       statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
		     &stx) == 0 &&
	       is_node_by_statx(&stx, &node);
}

static void
made(void)
{
	dev_t number = makedev(100, 7);
	struct stat st;
	char cwd[PATH_MAX], path[PATH_MAX + 16];

	if (!getcwd(cwd, sizeof(cwd)))
		exit(99);
	snprintf(path, sizeof(path), "%s/fourth", cwd);
	ok(mknod("first", S_IFCHR | 0600, number) == 0 && is_mailbox("first"),
	   "mknod");
	ok(mknodat(AT_FDCWD, "second", S_IFCHR | 0600, number) == 0 &&
		   is_mailbox("second"),
	   "mknodat");
	ok(old_mknod("third", S_IFCHR | 0600, number) == 0 &&
		   is_mailbox("third"),
	   "mknod of old");
	ok(mknodat(-1, path, S_IFCHR | 0600, number) == 0 && is_mailbox(path),
	   "mknodat of an absolute path");
	ok(mknod("/dev/own", S_IFCHR | 0600, number) == 0 &&
		   is_mailbox("/dev/own"),
	   "in /dev");
	ok(syscall(SYS_faccessat, AT_FDCWD, "/dev/own", F_OK) == -1,
	   "which is not this machine's");
	ok(mknod("first", S_IFCHR | 0600, number) == -1 && errno == EEXIST,
	   "but once");
	ok(mknod("pipe", S_IFIFO | 0600, 0) == 0 && stat("pipe", &st) == 0 &&
		   S_ISFIFO(st.st_mode) && unlink("pipe") == 0,
	   "a FIFO is a FIFO");
	ok(mknodat(AT_FDCWD, "pipe", S_IFIFO | 0600, 0) == 0 &&
		   lstat("pipe", &st) == 0 && S_ISFIFO(st.st_mode) &&
		   remove("pipe") == 0,
	   "also by mknodat");
	ok(unlink("/dev/own") == 0 && access("/dev/own", F_OK) == -1 &&
		   mknod("/dev/own", S_IFCHR | 0600, number) == 0 &&
		   remove("/dev/own") == 0 &&
		   mknod("/dev/own", S_IFCHR | 0600, number) == 0 &&
		   unlinkat(AT_FDCWD, "/dev/own", 0) == 0,
	   "what was made can be taken away");
	/* The others are left to qpuemu. */
	ok(mkdir("below", 0700) == 0 && chdir("below") == 0 &&
		   mknod("fifth", S_IFCHR | 0600, number) == 0 &&
		   chdir("..") == 0,
	   "in another directory");
	ok(unlink("first") == 0 && lstat("first", &st) == -1, "also elsewhere");
}

static void
unmade(void)
{
	struct stat st;

	errno = 0;
	ok(mknod("made", S_IFCHR | 0600, makedev(100, 0)) == -1 &&
		   errno == EPERM && lstat("made", &st) == -1,
	   "only root makes nodes");
}

int
main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	const char *word = argc > 2 ? argv[2] : "";

	close(STDIN_FILENO); /* 0 is a good descriptor */
	if (strcmp(part, "nodes") == 0)
		nodes(word);
	else if (strcmp(part, "denied") == 0)
		denied();
	else if (strcmp(part, "names") == 0)
		names();
	else if (strcmp(part, "made") == 0)
		made();
	else if (strcmp(part, "unmade") == 0)
		unmade();
	else
		return 2;
	return tap_done();
}
