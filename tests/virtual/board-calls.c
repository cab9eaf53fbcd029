/* SPDX-License-Identifier: MIT */
/*
 * board-calls: calls of the C library as programs make them on a virtual board,
 * and the answers of a kernel with these devices.  It does not depend on
 * qpuemu.  Run with the name of a part; prints TAP.
 *
 *	nodes WHICH	numbers, modes and groups of all nodes: plain, trixie,
 *			and kms, the kernel driver's nodes
 *	denied		no node but /dev/vcsm-cma may be opened
 *	names		paths, links and directories
 *	machine NAME	uname()
 *	host WORD...	libbcm_host's answers, in decimal
 *	signals		their handlers and masks
 *	registers	of the V3D, mapped many times
 *	memory		physical memory of a Pi 1, mapped
 *	later-memory	of a Pi 3
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
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
static const struct node kms_nodes[] = {
	{ "/dev/dri/card0", 226, 0, 0660, 44 },
	{ "/dev/dri/renderD128", 226, 128, 0660, 106 },
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

/* Fill *st from statx(), as stat() would. */
static int
ask_statx(int dir, const char *path, int flags, struct stat *st)
{
	struct statx stx;
	const int status = statx(dir, path, flags, STATX_BASIC_STATS, &stx);

	*st = (struct stat){ .st_mode = stx.stx_mode,
			     .st_uid = stx.stx_uid,
			     .st_gid = stx.stx_gid,
			     .st_size = (off_t)stx.stx_size,
			     .st_blocks = (blkcnt_t)stx.stx_blocks,
			     .st_rdev = makedev(stx.stx_rdev_major,
						stx.stx_rdev_minor) };
	return status;
}

static void
check_node(const struct node *node)
{
	const char *name = node->name;
	const int fd = open(name, O_RDWR | O_CLOEXEC);
	struct stat st[7];
	const struct {
		int status;
		const char *call;
	} rows[7] = {
		{ stat(name, &st[0]), "stat" },
		{ lstat(name, &st[1]), "lstat" },
		{ fstat(fd, &st[2]), "fstat" },
		{ fstatat(AT_FDCWD, name, &st[3], 0), "fstatat" },
		{ fstatat(fd, "", &st[4], AT_EMPTY_PATH),
		  "fstatat of a descriptor" },
		{ ask_statx(AT_FDCWD, name, 0, &st[5]), "statx" },
		{ ask_statx(fd, "", AT_EMPTY_PATH, &st[6]),
		  "statx of a descriptor" },
	};

	ok(fd >= 0, "%s is opened", name);
	for (unsigned i = 0; i < 7; i++)
		ok(rows[i].status == 0 && is_node(&st[i], node),
		   "%s shows the node %s", rows[i].call, name);
	close(fd);
}

static void
nodes(void)
{
	const char *which = part_words[0];
	const struct node *list = *which == 'p' ? plain_nodes :
				  *which == 'k' ? kms_nodes :
						  trixie_nodes;
	struct stat st;

	for (; list->name; list++)
		check_node(list);
	ok(stat("/dev/none", &st) == -1 && errno == ENOENT,
	   "a node that is not there is not found");
	ok(stat("/bin/sh", &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0,
	   "a file of this machine is shown as it is");
}

/* Rights -------------------------------------------------------------------- */

/* Return true if a call fails for want of rights. */
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

/* Signals ------------------------------------------------------------------- */

static volatile int handled;

static void
handler(int number)
{
	handled = number;
}

static void
signals(void)
{
	struct sigaction action;
	sigset_t set, before;

	for (unsigned i = 0; i < 2; i++) {
		const int number = i ? SIGUSR1 : SIGSEGV;

		ok(signal(number, handler) != SIG_ERR &&
			   sigaction(number, NULL, &action) == 0 &&
			   action.sa_handler == handler &&
			   action.sa_flags & SA_RESTART &&
			   !(action.sa_flags & (int)SA_RESETHAND),
		   "signal() sets a handler that stays");
		ok(__sysv_signal(number, SIG_DFL) == handler &&
			   __sysv_signal(number, handler) == SIG_DFL &&
			   sigaction(number, NULL, &action) == 0 &&
			   action.sa_flags & (int)SA_RESETHAND &&
			   action.sa_flags & SA_NODEFER &&
			   !sigismember(&action.sa_mask, number),
		   "signal() of standard C sets a handler for one time");
		ok(signal(number, SIG_IGN) == handler &&
			   signal(number, SIG_DFL) == SIG_IGN,
		   "functions that set a handler tell the one before");
		errno = 0;
		ok(signal(number, SIG_ERR) == SIG_ERR && errno == EINVAL,
		   "SIG_ERR is no handler");
	}
	ok(sigaction(SIGUSR1, NULL, &action) == 0 &&
		   action.sa_handler == SIG_DFL &&
		   sigaction(99, NULL, &action) == -1,
	   "sigaction() tells handlers, and refuses wrong numbers");
	signal(SIGSEGV, handler);
	sigaction(SIGSEGV, NULL, &action);
	ok(sigismember(&action.sa_mask, SIGSEGV) == 1,
	   "the signal of a handler is blocked in it");
	signal(SIGSEGV, SIG_DFL);
	sigfillset(&set);
	ok(sigprocmask(SIG_BLOCK, &set, &before) == 0 &&
		   sigprocmask(SIG_SETMASK, &before, &set) == 0 &&
		   sigismember(&set, SIGUSR1) == 1 &&
		   !sigismember(&set, SIGSEGV),
	   "SIGSEGV cannot be blocked");
	errno = 0;
	ok(sigprocmask(99, &set, NULL) == -1 && errno == EINVAL &&
		   pthread_sigmask(99, &set, NULL) == EINVAL,
	   "a wrong request for a mask is refused");
	handled = 0;
	action.sa_handler = handler;
	ok(sigaction(SIGUSR1, &action, NULL) == 0 &&
		   sigaction(SIGKILL, &action, NULL) == -1,
	   "sigaction() sets a handler, but none of SIGKILL");
	raise(SIGUSR1);
	ok(handled == SIGUSR1, "SIGUSR1 arrives at its handler");
}

/* Memory and registers by /dev/mem ------------------------------------------- */

enum { PAGE = 4096 };

static int
open_memory(void)
{
	const int fd = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);

	if (fd < 0)
		ok(false, "/dev/mem is opened");
	return fd;
}

static volatile uint32_t *
map_at(int mem, size_t bytes, uint32_t physical)
{
	void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			     mem, (off_t)physical);

	/* NULL would be a good address to a program. */
	if (!mapping)
		ok(false, "a mapping that is refused is MAP_FAILED");
	return mapping == MAP_FAILED ? NULL : mapping;
}

/* GPU memory: where it begins, and its size. */
static void
test_memory(int mem, uint32_t base, uint32_t bytes)
{
	volatile uint32_t *first = map_at(mem, bytes, base), *last;

	if (!ok(first != NULL, "all of the GPU's memory is mapped"))
		return;
	last = map_at(mem, 100, base + bytes - PAGE);
	if (!ok(last != NULL, "the last page of the GPU's memory is mapped"))
		return;
	last[1] = 55;
	ok(first[(bytes - PAGE) / 4 + 1] == 55,
	   "two mappings of the GPU's memory show the same");
	errno = 0;
	ok(!map_at(mem, PAGE + 1, base + bytes - PAGE) && errno == EPERM,
	   "a mapping beyond the GPU's memory is refused");
	errno = 0;
	ok(!map_at(mem, PAGE, base - PAGE) && errno == EPERM,
	   "a mapping before the GPU's memory is refused");
	ok(munmap((void *)first, bytes) == 0, "the GPU's memory is unmapped");
	ok(munmap((void *)last, PAGE) == 0, "the last page is unmapped");
}

/* Registers: what is not the V3D's is zeros. */
static void
test_peripherals(int mem, uint32_t base)
{
	volatile uint32_t *window = map_at(mem, PAGE, base);

	ok(window && window[5] == 0, "peripherals are mapped");
	ok(map_at(mem, 32 << 20, base) != NULL, "all peripherals are mapped");
	ok(map_at(mem, PAGE, base + (32 << 20) - PAGE) != NULL,
	   "the last page of the peripherals is mapped");
	ok(!map_at(mem, PAGE, base + (32 << 20)) &&
		   !map_at(mem, PAGE + 1, base + (32 << 20) - PAGE),
	   "a mapping beyond the peripherals is refused");
	window = map_at(mem, PAGE, base + 0xc01000);
	ok(window && window[0] == 0, "a page after the V3D is zeros");
}

/* The number of mappings of registers is limited.  One that is refused does not
 * count: the next one is in its place. */
static void
registers(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	const int mem = open_memory();
	volatile uint32_t *window = NULL;
	bool all = true;

	for (unsigned i = 0; i < 64; i++) {
		window = map_at(mem, PAGE, 0x20c00000);
		all &= window && window[0] == 0xdeadbeef;
	}
	ok(all, "registers without power answer, 64 times");
	errno = 0;
	ok(!map_at(mem, PAGE, 0x20c00000) && errno == EPERM,
	   "registers are not mapped a 65th time");
	ok((uintptr_t)map_at(mem, PAGE, 0x1c000000) ==
		   (uintptr_t)window + (1 << 20),
	   "a mapping that is refused leaves its place");
#else
	tap_skip("registers are not trapped here");
#endif
}

static void
memory(void)
{
	const int mem = open_memory();
	const int cached = open("/dev/mem", O_RDWR | O_CLOEXEC);
	char *fixed = mmap(NULL, 2 * PAGE, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	test_memory(mem, 0x1c000000, 64 << 20);
	ok(map_at(mem, PAGE, 0x5c000000) && map_at(mem, PAGE, 0xdc000000),
	   "the top bits of an address do not matter");
	test_peripherals(mem, 0x20000000);
	ok(mmap(fixed, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, mem,
		0x1c000000) == fixed,
	   "memory is mapped at the address that is wanted");
	ok(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, mem, 0) !=
		   MAP_FAILED,
	   "anonymous memory is mapped whatever its descriptor");
	ok(!map_at(mem, PAGE, 0x1c000004), "a mapping begins at a page");
	ok((uint64_t)(uintptr_t)map_at(mem, PAGE, 0x1c000000) < UINT32_MAX,
	   "addresses of the GPU's memory have 32 bits");
	ok(map_at(cached, PAGE, 0x1c000000) != NULL,
	   "memory may be mapped through caches, with a message");
}

static void
later_memory(void)
{
	const int mem = open_memory();

	test_memory(mem, 0x3b000000, 64 << 20);
	ok(!map_at(mem, PAGE, 0xfb000000), "all bits of an address matter");
	test_peripherals(mem, 0x3f000000);
}

int
main(int argc, char **argv)
{
	static const struct board_part parts[] = {
		{ "nodes", nodes },
		{ "denied", denied },
		{ "names", names },
		{ "machine", machine },
		{ "host", host },
		{ "signals", signals },
		{ "registers", registers },
		{ "memory", memory },
		{ "later-memory", later_memory },
		{ NULL, NULL },
	};

	return board_part_run(argc, argv, parts);
}
