/* SPDX-License-Identifier: MIT */
/*
 * Promise: a walk does not confuse a file with its replacement: only regular
 * files are waited for and hashed, never the file that standard output goes to,
 * and never one behind a symbolic link, with and without openat2().  A walk works
 * where the file system does not return the types of entries.  File systems that
 * only show the kernel's state are known by their numbers.
 */
#include "config.h"

#include "src/inputs/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "cpu/engine_cpu.h"
#include "cpu/sha256many.h"
#include "src/inputs/directory.h"
#include "src/pipeline/pipeline.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* The tree, "top", and "outside", which is none of it: every file holds its
 * name. */
static const char *const files[] = { "top/a",	"top/b",     "top/c",
				     "top/s/x", "outside/b", "outside/x" };

static bool has_openat2 = true;
static unsigned careless; /* files opened as a terminal, or for children */

static long
fake_syscall(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef SYS_openat2
	if (number == SYS_openat2) {
		const struct open_how *how = (void *)c;

		if (!has_openat2) {
			errno = ENOSYS;
			return -1;
		}
		careless += !(how->flags & O_CLOEXEC) ||
			    !(how->flags & (O_PATH | O_NOCTTY));
	}
#endif
	return fault_real_syscall(number, a, b, c, d, e, f);
}

/* A walk that does something to a file between its discovery and its open. */
struct hasty {
	struct source source;
	struct names names;
	struct tree tree;
	const char *victim;
	void (*change)(const char *name);
	unsigned digests, remarks;
	int unread;	 /* the error of a directory */
	struct job seen; /* of the victim */
};

static enum source_result
hasty_next(struct source *source, struct job *job, bool is_oldest)
{
	struct hasty *hasty = (struct hasty *)source;
	enum source_result answer = tree_next(&hasty->tree, job, is_oldest);

	source->wait_fd = tree_wait_fd(&hasty->tree);
	if (answer == SOURCE_JOB && job->kind == JOB_FILE &&
	    strcmp(strrchr(job->name, '/') + 1, hasty->victim) == 0)
		hasty->change(job->name);
	return answer;
}

static void
hasty_emit(struct source *source, struct job *job)
{
	struct hasty *hasty = (struct hasty *)source;

	if (job->kind == JOB_REMARK) {
		hasty->remarks++;
		if (note_of(job)->kind == NOTE_TREE_UNREAD)
			hasty->unread = note_of(job)->error;
	} else if (strcmp(strrchr(job->name, '/') + 1, hasty->victim) == 0) {
		hasty->seen = *job;
	} else if (job->error == 0 && job->verdict == JOB_TRUSTED) {
		hasty->digests++;
	}
	tree_release(&hasty->tree, job);
}

static void
hasty_flush(struct source *source)
{
	(void)source;
}

static void
plant(void)
{
	scratch_empty();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		scratch_text(files[i], files[i]);
}

/* Walk over `top` while something happens when `victim` is found. */
static void
walk(struct hasty *hasty, const char *victim, void (*change)(const char *name))
{
	char *operands[] = { (char[]){ "top" } };
	static struct pool pool;
	struct pipeline_config config = { .engine = &engine_cpu,
					  .options = "",
					  .fallback = &engine_cpu,
					  .threads = 1,
					  .pool = &pool };
	struct run_report report;
	struct diag why_not;

	*hasty = (struct hasty){ .source = { hasty_next, hasty_emit,
					     hasty_flush, -1 },
				 .victim = victim,
				 .change = change };
	pool_init(&pool, 0);
	names_init(&hasty->names, operands, 1, NULL);
	tree_init(&hasty->tree, &hasty->names, true);
	if (!pipeline_run(&config, &hasty->source, &report, &why_not))
		exit(99);
	if (hasty->tree.nroots != 0)
		exit(98);
	tree_close(&hasty->tree);
	pool_end(&pool);
	names_close(&hasty->names);
}

static void
leave(const char *name)
{
	(void)name;
}

static void
make_fifo(const char *name)
{
	if (unlink(name) != 0 || mkfifo(name, 0666) != 0)
		exit(99);
}

static void
make_directory(const char *name)
{
	if (unlink(name) != 0 || mkdir(name, 0777) != 0)
		exit(99);
}

static void
make_link(const char *name)
{
	if (unlink(name) != 0 || symlink("../outside/b", name) != 0)
		exit(99);
}

static void
link_the_directory(const char *name)
{
	(void)name;
	if (rename("top/s", "top/z") != 0 ||
	    symlink("../outside", "top/s") != 0)
		exit(99);
}

static void
link_the_top(const char *name)
{
	(void)name;
	if (rename("top", "top.real") != 0 || symlink("outside", "top") != 0)
		exit(99);
}

/* The directory of the walk's directory leaves the tree. */
static void
move_out(const char *name)
{
	(void)name;
	if (rename("top/m/n", "outside/n") != 0)
		exit(99);
}

static void
vanish(const char *name)
{
	if (unlink(name) != 0)
		exit(99);
}

/* Standard output goes to a file of the tree while the walk is set up. */
static void
walk_over_output(struct hasty *hasty)
{
	const int saved = dup(STDOUT_FILENO);
	const int fd = open("top/d", O_WRONLY | O_CREAT, 0666);

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	walk(hasty, "b", leave);
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

/* Return true if this is the digest of the file top/b, which holds its name. */
static bool
is_digest_of_b(const struct job *job)
{
	uint8_t digest[SHA256MANY_DIGEST_BYTES];

	sha256many_hash_one("top/b", 5, digest);
	return job->error == 0 && job->verdict == JOB_TRUSTED &&
	       memcmp(job->digest, digest, sizeof(digest)) == 0;
}

/* Something in the place of a file, found and not opened yet. */
static void
check_files(void)
{
	static const struct {
		void (*change)(const char *);
		int error;
		enum job_verdict verdict;
		const char *promise;
	} rows[] = {
		{ leave, 0, JOB_TRUSTED, "a file is hashed" },
		{ make_fifo, 0, JOB_NOT_REGULAR,
		  "a FIFO in the place of a file is not waited for" },
		{ make_directory, EISDIR, JOB_TRUSTED,
		  "a directory in the place of a file is an error" },
		{ make_link, ELOOP, JOB_TRUSTED,
		  "a link in the place of a file is not followed" },
		{ vanish, ENOENT, JOB_TRUSTED,
		  "a file that has vanished is an error" },
	};
	struct hasty hasty;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		plant();
		walk(&hasty, "b", rows[i].change);
		ok(hasty.seen.error == rows[i].error &&
			   hasty.seen.verdict == rows[i].verdict &&
			   (rows[i].change != leave ||
			    is_digest_of_b(&hasty.seen)),
		   "%s", rows[i].promise);
		ok(hasty.digests == 3 && hasty.remarks == 0,
		   "the walk goes on after a change");
	}
}

/* A link in the place of a directory above. */
static void
check_directories(void)
{
	struct hasty hasty;

	plant();
	walk(&hasty, "x", link_the_directory);
	ok((hasty.seen.error == ELOOP || hasty.seen.error == ENOTDIR) &&
		   hasty.digests == 3,
	   "a file behind a link that was its directory is not hashed");

	plant();
	walk(&hasty, "a", link_the_directory);
	ok((hasty.unread == ELOOP || hasty.unread == ENOTDIR) &&
		   hasty.digests == 2,
	   "a directory that has become a link is not walked");

	plant();
	scratch_text("top/m/n/1/deep", "");
	scratch_text("top/m/o/2/y", "");
	walk(&hasty, "deep", move_out);
	ok(hasty.seen.error == ENOENT && hasty.digests == 5 &&
		   hasty.remarks == 0,
	   "a walk whose directory is moved goes on where the tree is");

	plant();
	walk(&hasty, "b", link_the_top);
	ok(is_digest_of_b(&hasty.seen) && hasty.digests == 3,
	   "the walk stays in the directory where it began");
}

/* One directory ------------------------------------------------------------ */

static bool tells_types = true;

/* Read an entry, perhaps without its type; remove "gone" as soon as it was seen. */
static struct dirent *
fake_readdir(DIR *stream)
{
	struct dirent *dirent = fault_real_readdir(stream);

	if (dirent && !tells_types) {
		dirent->d_type = DT_UNKNOWN;
		if (strcmp(dirent->d_name, "gone") == 0)
			unlink("gone");
	}
	return dirent;
}

static void
test_types(void)
{
	static const struct {
		const char *name;
		enum directory_kind kind;
	} rows[] = {
		{ "directory/", DIRECTORY_BELOW },
		{ "fifo", DIRECTORY_SPECIAL },
		{ "file", DIRECTORY_FILE },
		{ "gone", DIRECTORY_FILE },
		{ "link", DIRECTORY_LINK },
	};
	const unsigned n = sizeof(rows) / sizeof(*rows);
	const int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct directory directory;
	struct directory_entry entry;
	const char *const told = tells_types ? "told" : "not told";
	unsigned right = 0;

	if (fd < 0)
		exit(99);
	ok(directory_read(&directory, fd) == 0 && directory.nentries == n,
	   "all entries are read where types are %s", told);
	while (right < n && directory_next(&directory, &entry) &&
	       strcmp(entry.name, rows[right].name) == 0 &&
	       entry.kind == rows[right].kind)
		right++;
	ok(right == n, "entries are in order, with their types, which are %s",
	   told);
	directory_close(&directory);
}

/* File systems that only show the kernel's state ----------------------------- */

static uint32_t number;
static bool fails;

static int
fake_fstatfs(int fd, struct statfs *system)
{
	(void)fd;
	memset(system, 0, sizeof(*system));
	system->f_type = (__typeof__(system->f_type))number;
	return fails ? -1 : 0;
}

static const struct {
	const char *name;
	uint32_t number;
	bool pseudo;
} systems[] = {
	{ "binfmt_misc, the first row", 0x42494e4d, true },
	{ "selinuxfs, whose number is above 2^31", 0xf97cff8c, true },
	{ "proc", 0x00009fa0, true },
	{ "tracefs, the last row", 0x74726163, true },
	{ "ext4", 0x0000ef53, false },
	{ "tmpfs", 0x01021994, false },
	{ "no number", 0x00000000, false },
};

static void
test_systems(void)
{
	fault_hooks.fstatfs = fake_fstatfs;
	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
		number = systems[i].number;
		ok(directory_is_pseudo(0) == systems[i].pseudo, "%s is %s",
		   systems[i].name, systems[i].pseudo ? "left out" : "walked");
	}
	number = 0x9fa0;
	fails = true;
	ok(!directory_is_pseudo(0), "what cannot be told is walked");
}

int
main(void)
{
	struct hasty hasty;

	fault_hooks.syscall = fake_syscall;
	scratch_enter();
	for (int i = 0; i < 2; i++) {
		has_openat2 = i == 0;
		tap_note("%s openat2", has_openat2 ? "with" : "without");
		check_files();
		check_directories();
	}
	plant();
	walk_over_output(&hasty);
	ok(hasty.digests == 3, "the file of standard output is not hashed");
	ok(careless == 0, "no file becomes the terminal, or is inherited");

	fault_hooks.readdir = fake_readdir;
	scratch_empty();
	scratch_folder("directory");
	scratch_fifo("fifo");
	scratch_link("link", "directory");
	scratch_text("file", "");
	scratch_text("gone", "");
	test_types();
	tells_types = false;
	test_types();
	ok(access("gone", F_OK) != 0, "a file went while its type was asked");
	test_systems();
	return tap_done();
}
