/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/virtual/board-client.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TRY(way, good)                                                         \
	(errno = 0, tell_way(way, (good) ? "good" : strerror(errno)))

/* --- Files --------------------------------------------------------------------- */

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
tell_status(const char *way, int status, const struct stat *st)
{
	char text[128];

	if (status != 0)
		snprintf(text, sizeof(text), "%s", strerror(errno));
	else if (S_ISREG(st->st_mode))
		snprintf(text, sizeof(text), "a file%s",
			 st->st_size > 0 ? "" : " without bytes");
	else
		snprintf(text, sizeof(text), "%o %u:%u %u,%u%s",
			 (unsigned)st->st_mode, (unsigned)st->st_uid,
			 (unsigned)st->st_gid, major(st->st_rdev),
			 minor(st->st_rdev),
			 st->st_size || st->st_blocks ? " with bytes" : "");
	tell_way(way, text);
}

static void
tell_statx(const char *way, int dir, const char *path, int flags)
{
	struct statx stx;
	const int status = statx(dir, path, flags, STATX_BASIC_STATS, &stx);
	const struct stat st = { .st_mode = stx.stx_mode,
				 .st_uid = stx.stx_uid,
				 .st_gid = stx.stx_gid,
				 .st_size = (off_t)stx.stx_size,
				 .st_blocks = (blkcnt_t)stx.stx_blocks,
				 .st_rdev = makedev(stx.stx_rdev_major,
						    stx.stx_rdev_minor) };

	tell_status(way, status, &st);
}

static void
tell_node(char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	tell_status("stat", stat(path, &st), &st);
	tell_status("lstat", lstat(path, &st), &st);
	tell_status("fstatat", fstatat(AT_FDCWD, path, &st, 0), &st);
	tell_statx("statx", AT_FDCWD, path, 0);
	if (fd < 0)
		return;
	tell_status("fstat", fstat(fd, &st), &st);
	tell_status("fstatat of it", fstatat(fd, "", &st, AT_EMPTY_PATH), &st);
	tell_statx("statx of it", fd, "", AT_EMPTY_PATH);
}

static void
tell_open(char *path)
{
	struct stat st;

	TRY("open", open(path, O_RDONLY | O_CLOEXEC) >= 0);
	TRY("open64", open64(path, O_RDONLY | O_CLOEXEC) >= 0);
	TRY("openat", openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC) >= 0);
	TRY("openat64", openat64(AT_FDCWD, path, O_RDONLY | O_CLOEXEC) >= 0);
	TRY("O_NOFOLLOW", open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) >= 0);
	TRY("__open_2", __open_2(path, O_RDONLY) >= 0);
	TRY("__open64_2", __open64_2(path, O_RDONLY) >= 0);
	TRY("__openat_2", __openat_2(AT_FDCWD, path, O_RDONLY) >= 0);
	TRY("__openat64_2", __openat64_2(AT_FDCWD, path, O_RDONLY) >= 0);
	TRY("fopen", fopen(path, "r") != NULL);
	TRY("fopen64", fopen64(path, "r") != NULL);
	TRY("access", access(path, R_OK) == 0);
	TRY("faccessat", faccessat(AT_FDCWD, path, R_OK, 0) == 0);
	TRY("AT_SYMLINK_NOFOLLOW",
	    faccessat(AT_FDCWD, path, R_OK, AT_SYMLINK_NOFOLLOW) == 0);
	errno = 77;
	if (access(path, F_OK) == 0 && stat(path, &st) == 0)
		say(", it exists%s", errno == 77 ? "" : " with an error");
}

static void
tell_read(char *path)
{
	char bytes[PATH_MAX] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	FILE *stream = fopen(path, "r");

	if (fd < 0 || !stream) {
		tell_way("open", strerror(errno));
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		memset(bytes, 0, sizeof(bytes));
		if (i ? fread(bytes, 1, 99, stream) == 0 :
			read(fd, bytes, 99) <= 0)
			strcpy(bytes, strerror(errno));
		bytes[strcspn(bytes, ":\n")] = '\0';
		tell_way(i ? "fread" : "read", bytes);
	}
	fclose(stream);
	close(fd);
}

/* Read the model by a path of this length. */
static void
tell_long(char *words)
{
	char path[PATH_MAX];
	const size_t len = (size_t)number(&words);
	size_t at = (size_t)sprintf(path, "/sys/firmware/devicetree/base");

	while (at < len - 6)
		path[at++] = '/';
	strcpy(path + at, "/model");
	tell_read(path);
}

static void
tell_link(char *path)
{
	char text[PATH_MAX] = "";

	for (unsigned i = 0; i < 3; i++) {
		const ssize_t n =
			i == 0 ?
				readlink(path, text, sizeof(text)) :
			i == 1 ?
				readlinkat(AT_FDCWD, path, text, sizeof(text)) :
				__readlink_chk(path, text, sizeof(text),
					       sizeof(text));

		text[n > 0 ? n : 0] = '\0';
		tell_way((const char *[]){ "", "readlinkat",
					   "__readlink_chk" }[i],
			 text);
	}
}

static void
tell_real(char *path)
{
	char text[PATH_MAX] = "", *made;

	tell_way("", realpath(path, text) ? text : strerror(errno));
	made = realpath(path, NULL);
	tell_way("realpath in new memory", made ? made : strerror(errno));
	tell_way("__realpath_chk",
		 __realpath_chk(path, text, PATH_MAX) ? text : strerror(errno));
	free(made);
}

static void
tell_list(char *words)
{
	char *dir = word(&words), *name;

	while (*(name = word(&words))) {
		DIR *stream = opendir(dir);
		const struct dirent *entry;

		while (stream && (entry = readdir(stream)))
			if (strcmp(entry->d_name, name) == 0)
				say("%s%s", *answer ? " " : "", name);
		if (stream)
			closedir(stream);
	}
}

static void
change_directory(char *dir)
{
	say("%s", name_of(chdir(dir) == 0 ? 0 : errno));
}

static void
tell_free(char *words)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned kib = 0;
	char line[128];

	(void)words;
	while (file && fgets(line, sizeof(line), file))
		(void)sscanf(line, "CmaFree: %u", &kib);
	say("%u", kib);
	if (file)
		fclose(file);
}

/* --- The machine and signals ----------------------------------------------------- */

static void
tell_uname(char *words)
{
	struct utsname known;

	(void)words;
	if (uname(&known) == 0)
		say("%s, %s", known.sysname, known.machine);
	errno = 0;
	if (uname(NULL) != -1 || errno != EFAULT)
		say(", and at no address");
}

static void
tell_host(char *words)
{
	static const char *const names[] = {
		"bcm_host_get_peripheral_address",
		"bcm_host_get_peripheral_size",
		"bcm_host_get_sdram_address",
	};
	void *library = dlopen("libbcm_host.so", RTLD_NOW);
	unsigned (*function)(void);

	(void)words;
	for (unsigned i = 0; library && i < 3; i++) {
		*(void **)&function = dlsym(library, names[i]);
		say("%s%x", i ? " " : "", function ? function() : 0);
	}
}

static volatile int handled;

static void
handler(int number)
{
	handled = number;
}

static void
expect(bool good, const char *promise)
{
	if (!good)
		say("%s%s", *answer ? ", " : "not: ", promise);
}

static void
test_handlers(int number)
{
	struct sigaction action;

	expect(signal(number, handler) != SIG_ERR &&
		       sigaction(number, NULL, &action) == 0 &&
		       action.sa_handler == handler &&
		       action.sa_flags & SA_RESTART &&
		       !(action.sa_flags & (int)SA_RESETHAND),
	       "signal() sets a handler that stays");
	expect(__sysv_signal(number, SIG_DFL) == handler &&
		       __sysv_signal(number, handler) == SIG_DFL &&
		       sigaction(number, NULL, &action) == 0 &&
		       action.sa_flags & (int)SA_RESETHAND &&
		       action.sa_flags & SA_NODEFER &&
		       !sigismember(&action.sa_mask, number),
	       "signal() of standard C sets a handler for one time");
	expect(signal(number, SIG_IGN) == handler &&
		       signal(number, SIG_DFL) == SIG_IGN,
	       "functions that set a handler tell the one before");
	errno = 0;
	expect(signal(number, SIG_ERR) == SIG_ERR && errno == EINVAL,
	       "SIG_ERR is no handler");
}

static void
test_signals(char *words)
{
	struct sigaction action;
	sigset_t set, before;

	(void)words;
	test_handlers(SIGUSR1);
	test_handlers(SIGSEGV);
	expect(sigaction(SIGUSR1, NULL, &action) == 0 &&
		       action.sa_handler == SIG_DFL &&
		       sigaction(99, NULL, &action) == -1,
	       "sigaction() tells handlers, and refuses wrong numbers");
	signal(SIGSEGV, handler);
	sigaction(SIGSEGV, NULL, &action);
	expect(sigismember(&action.sa_mask, SIGSEGV) == 1,
	       "the signal of a handler is blocked in it");
	signal(SIGSEGV, SIG_DFL);
	sigfillset(&set);
	expect(sigprocmask(SIG_BLOCK, &set, &before) == 0 &&
		       sigprocmask(SIG_SETMASK, &before, &set) == 0 &&
		       sigismember(&set, SIGUSR1) == 1 &&
		       !sigismember(&set, SIGSEGV),
	       "SIGSEGV cannot be blocked");
	errno = 0;
	expect(sigprocmask(99, &set, NULL) == -1 && errno == EINVAL &&
		       pthread_sigmask(99, &set, NULL) == EINVAL,
	       "a wrong request for a mask is refused");
	handled = 0;
	action.sa_handler = handler;
	expect(sigaction(SIGUSR1, &action, NULL) == 0 &&
		       sigaction(SIGKILL, &action, NULL) == -1,
	       "sigaction() sets a handler, but none of SIGKILL");
	raise(SIGUSR1);
	expect(handled == SIGUSR1, "SIGUSR1 arrives at its handler");
	if (!*answer)
		say("good");
}

const struct command file_commands[] = {
	{ "cd", change_directory },
	{ "free", tell_free },
	{ "host", tell_host },
	{ "link", tell_link },
	{ "list", tell_list },
	{ "long", tell_long },
	{ "node", tell_node },
	{ "open", tell_open },
	{ "read", tell_read },
	{ "real", tell_real },
	{ "signals", test_signals },
	{ "uname", tell_uname },
	{ NULL, NULL },
};
