/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/inputs/list_index.h"
#include "src/output/report.h"
#include "src/output/status_line.h"

static const char part_head[] = "# LIST.part of qpu-sha256sum, version 1\n";

static const char not_ours[] = "is another program's file; move it away";
static const char other_update[] = "another update of this list is running";

enum { WRITE_BYTES = 64 << 10, HEAD_BYTES = sizeof(part_head) - 1 };

const char *const list_file_ends[LIST_BESIDE] = {
	[LIST_PART] = ".part",
	[LIST_INDEX] = ".index",
	[LIST_OLD] = "~",
	[LIST_NEW] = ".part.new",
	[LIST_NEW_OLD] = ".part.old",
};

/* Report "PROG: PATH: text", status 1. */
static bool
refuse(const char *path, const char *text)
{
	report_file_problem(path, "%s", text);
	return false;
}

static bool
fail(const char *path)
{
	report_file_error(path, errno);
	return false;
}

/* Names ------------------------------------------------------------------- */

/* Keep a link to LIST: the file that it leads to is updated. */
static bool
find_paths(struct list_file *self, const char *list)
{
	struct stat st;

	self->path = lstat(list, &st) == 0 && S_ISLNK(st.st_mode) ?
			     realpath(list, NULL) :
			     strdup(list);
	for (int i = 0; i < LIST_BESIDE && self->path; i++)
		if (asprintf(&self->beside[i], "%s%s", self->path,
			     list_file_ends[i]) < 0) {
			self->beside[i] = NULL;
			errno = ENOMEM;
			return fail(list);
		}
	return self->path || fail(list);
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool
is_file(const char *path, const struct stat *file)
{
	struct stat st;

	return lstat(path, &st) == 0 && is_same(&st, file);
}

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool
list_file_is_own(const struct list_file *self, const struct job *job)
{
	const char *const list = last_part(self->path);
	const struct job_root *const root = job->root;
	struct stat st;

	if (strncmp(last_part(job->name), list, strlen(list)) != 0 ||
	    fstatat(root ? root->fd : AT_FDCWD,
		    job->name + (root ? root->prefix_bytes : 0), &st,
		    root ? AT_SYMLINK_NOFOLLOW : 0) != 0)
		return false;
	if (self->exists && is_same(&st, &self->before))
		return true;
	for (int i = 0; i < LIST_BESIDE; i++)
		if (is_file(self->beside[i], &st))
			return true;
	return false;
}

/* Files beside LIST -------------------------------------------------------- */

/* Return true if the file may be replaced or removed: it is regular, and its
 * owner is LIST's, root or the caller. */
static bool
may_use(const struct list_file *self, const char *path, const struct stat *st)
{
	if (S_ISREG(st->st_mode) &&
	    (st->st_uid == geteuid() || st->st_uid == 0 ||
	     (self->exists && st->st_uid == self->before.st_uid)))
		return true;
	return refuse(path, "is not a regular file of this user; move it away");
}

/* Look at LIST~ or LIST.index, which need not exist. */
static bool
look_at(const struct list_file *self, enum list_beside file, const char *head)
{
	const char *const path = self->beside[file];
	const size_t len = strlen(head);
	char line[sizeof(LIST_INDEX_HEAD)];
	struct stat st;
	bool is_ours = true;
	int fd;

	if (lstat(path, &st) != 0)
		return errno == ENOENT || fail(path);
	if (!may_use(self, path, &st))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		is_ours = read(fd, line, len) == (ssize_t)len &&
			  memcmp(line, head, len) == 0;
		close(fd);
	}
	return is_ours || refuse(path, not_ours);
}

/* Give a new file LIST's owner and mode. */
static void
adopt(struct list_file *self, int fd, mode_t more)
{
	const struct stat *const list = &self->before;
	const mode_t mode = self->mode | more;
	struct stat st;
	bool good = fstat(fd, &st) == 0;

	if (good && self->exists &&
	    (st.st_uid != list->st_uid || st.st_gid != list->st_gid))
		good = fchown(fd, list->st_uid, list->st_gid) == 0;
	if (good || !self->exists || (mode & 077) == 0 ||
	    st.st_gid == list->st_gid)
		good = ((st.st_mode & 0777) == mode || fchmod(fd, mode) == 0) &&
		       good;
	if (!good && !self->is_noted)
		report_file_note(self->path, "its owner, group and mode "
					     "cannot be kept");
	self->is_noted |= !good;
}

static bool
write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return false;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* LIST.part ---------------------------------------------------------------- */

/* Open LIST.part, and note whether it was not there. */
static int
open_part(struct list_file *self)
{
	const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NOCTTY |
			  O_NONBLOCK | O_CLOEXEC;
	const char *const part = self->beside[LIST_PART];
	const int fd = open(part, flags);

	self->is_new = fd < 0 && errno == ENOENT;
	return self->is_new ? open(part, flags | O_CREAT | O_EXCL, 0600) : fd;
}

/* Lock LIST.part.  Set *again to retry if it was made or unlinked meanwhile. */
static bool
lock(struct list_file *self, bool *again)
{
	const char *const part = self->beside[LIST_PART];
	struct stat st;

	self->fd = open_part(self);
	*again = self->fd < 0 && errno == EEXIST;
	if (*again)
		return true;
	if (self->fd < 0 && errno == ELOOP)
		return refuse(part, "is a link; move it away");
	if (self->fd < 0 || fstat(self->fd, &st) != 0)
		return fail(part);
	if (!may_use(self, part, &st))
		return false;
	if (flock(self->fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			return refuse(self->path, other_update);
		if (errno != ENOLCK && errno != ENOSYS && errno != EOPNOTSUPP)
			return fail(part);
		report_file_note(self->path, "it cannot be locked here: let no "
					     "other update run");
	}
	*again = !is_file(part, &st);
	return true;
}

/* Remove the temporary files of a killed update; without a LIST.part that it left
 * there are none. */
static bool
remove_temporary(const struct list_file *self, bool was_killed)
{
	struct stat st;

	for (int i = LIST_NEW; i <= LIST_NEW_OLD; i++) {
		const char *const path = self->beside[i];

		if (lstat(path, &st) != 0)
			continue;
		if (!was_killed)
			return refuse(path, not_ours);
		if (!look_at(self, i, ""))
			return false;
		unlink(path);
	}
	return true;
}

/*
 * Begin LIST.part, or go on with it after a killed update, whose temporary files and
 * whose last line, if it was not whole, count no longer.  A file without a whole first
 * line is empty, has NULs, or the beginning of that line.
 */
static bool
begin_part(struct list_file *self)
{
	static const char zeros[HEAD_BYTES];
	const char *const part = self->beside[LIST_PART];
	char bytes[HEAD_BYTES], last = '\n';
	const ssize_t n = pread(self->fd, bytes, sizeof(bytes), 0);
	struct stat st;
	bool good;

	if (n < 0 || fstat(self->fd, &st) != 0)
		return fail(part);
	if (memcmp(bytes, part_head, (size_t)n) != 0 &&
	    memcmp(bytes, zeros, (size_t)n) != 0)
		return refuse(part, not_ours);
	self->is_begun = true;
	adopt(self, self->fd, 0600);
	if (!remove_temporary(self, !self->is_new || n > 0))
		return false;
	if (n < HEAD_BYTES || !bytes[0])
		return (ftruncate(self->fd, 0) == 0 &&
			write_all(self->fd, part_head, HEAD_BYTES)) ||
		       fail(part);
	good = pread(self->fd, &last, 1, st.st_size - 1) == 1 &&
	       (last == '\n' || write_all(self->fd, "\n", 1));
	return good || fail(part);
}

/* Remember what LIST is now: only that is going to be replaced. */
static bool
look_at_list(struct list_file *self)
{
	const mode_t mask = umask(0);

	umask(mask);
	self->exists = stat(self->path, &self->before) == 0;
	self->mode = (self->exists ? self->before.st_mode : 0666 & ~mask) &
		     0777;
	return self->exists || errno == ENOENT || fail(self->path);
}

bool
list_file_open(struct list_file *self, const char *list)
{
	struct stat st;
	bool again = true;

	*self = (struct list_file){ .fd = -1 };
	if (stat(list, &st) == 0 && !S_ISREG(st.st_mode))
		return refuse(list, "is not a regular file, and cannot be "
				    "updated in place");
	if (!find_paths(self, list) || !look_at_list(self))
		return false;
	while (again) {
		if (self->fd >= 0)
			close(self->fd);
		if (!lock(self, &again))
			return false;
	}
	/* Another update may have ended before the lock was free, and the removal
	 * of a link that it left gives LIST another ctime. */
	return look_at_list(self) && look_at(self, LIST_OLD, "") &&
	       look_at(self, LIST_INDEX, LIST_INDEX_HEAD) && begin_part(self) &&
	       look_at_list(self);
}

struct timespec
list_file_time(const struct list_file *self)
{
	struct stat st = { .st_mtim = { .tv_sec = 0 } };

	futimens(self->fd, NULL);
	fstat(self->fd, &st);
	return st.st_mtim;
}

void
list_file_append(const struct list_file *self, const struct text *rows)
{
	if (write_all(self->fd, rows->bytes, rows->len))
		return;
	/* A failed write to standard output ends the program like this. */
	status_line_close();
	fail(self->beside[LIST_PART]);
	quick_exit(EXIT_FAILURE);
}

/* New files ------------------------------------------------------------------- */

static bool
write_lines(int fd, const struct list_lines *lines)
{
	struct text text = { 0 };
	bool good = text_add_string(&text, lines->head);

	for (size_t i = 0; i < lines->n && good; i++) {
		errno = ENOMEM;
		good = lines->add(lines->context, i, &text);
		if (good && text.len >= WRITE_BYTES) {
			good = write_all(fd, text.bytes, text.len);
			text_cut(&text, 0);
		}
	}
	good = good && write_all(fd, text.bytes, text.len);
	text_free(&text);
	return good;
}

/* Return true if the open file has the same bytes as the other one. */
static bool
is_equal(int fd, const char *path)
{
	const int other = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char ours[4096], others[4096];
	ssize_t m, n;

	if (other < 0)
		return false;
	lseek(fd, 0, SEEK_SET);
	do {
		m = read(fd, ours, sizeof(ours));
		n = read(other, others, sizeof(others));
	} while (n > 0 && m == n && memcmp(ours, others, (size_t)n) == 0);
	close(other);
	return m == 0 && n == 0;
}

static bool
copy(struct list_file *self, const char *to)
{
	char bytes[4096];
	const int in = open(self->path, O_RDONLY | O_CLOEXEC);
	const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = in >= 0 && out >= 0;
	ssize_t n = 0;

	while (good && (n = read(in, bytes, sizeof(bytes))) > 0)
		good = write_all(out, bytes, (size_t)n);
	good = good && n == 0 && fsync(out) == 0;
	if (good)
		adopt(self, out, 0);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return good;
}

/* Return true if the file is LIST as it was read.  Some file systems renew inodes, so
 * they are not compared. */
static bool
is_as_read(const struct list_file *self, const struct stat *st)
{
	return st->st_size == self->before.st_size &&
	       clock_is_equal(&st->st_mtim, &self->before.st_mtim);
}

/* Make LIST~ the same file as LIST, or a copy where there are no links. */
static bool
keep_old(struct list_file *self)
{
	const char *const new = self->beside[LIST_NEW_OLD];
	const char *const old = self->beside[LIST_OLD];
	const bool is_link = self->exists && link(self->path, new) == 0;
	struct stat st;
	bool good = !self->exists ||
		    ((is_link || copy(self, new)) && rename(new, old) == 0);

	if (!good)
		fail(old);
	/* A rename to another link of the same file leaves both. */
	unlink(new);
	if (good && is_link &&
	    (lstat(old, &st) != 0 || !is_as_read(self, &st) ||
	     !is_file(self->path, &st)))
		good = refuse(self->path, other_update);
	return good;
}

static void
sync_directory(const struct list_file *self)
{
	char *path = strdup(self->path);
	const int fd =
		path ? open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
		       -1;
	const bool good = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

	if (!good)
		fail(self->path);
	if (fd >= 0)
		close(fd);
	free(path);
}

/* Return true after a message if LIST is not the file that was read. */
static bool
has_changed(const struct list_file *self)
{
	struct stat st;
	const bool exists = stat(self->path, &st) == 0;

	if (exists == self->exists &&
	    (!exists || (is_as_read(self, &st) &&
			 clock_is_equal(&st.st_ctim, &self->before.st_ctim))))
		return false;
	return !refuse(self->path, "the list was changed by another program "
				   "meanwhile, and is not updated");
}

/* Return true if the name still leads to the open file.  Without locks another update
 * may have taken it for one that a killed update left. */
static bool
is_still(const char *path, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && is_file(path, &st);
}

/* Let LIST or LIST.index have these lines, unless it has them.  What is new is on the
 * medium before it gets the name. */
static bool
replace(struct list_file *self, const char *path,
	const struct list_lines *lines)
{
	const char *const new = self->beside[LIST_NEW];
	const bool is_list = path == self->path;
	const int fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good, is_old;

	if (fd < 0)
		return fail(new);
	good = write_lines(fd, lines) || fail(new);
	is_old = good && is_equal(fd, path);
	if (good && !is_old) {
		adopt(self, fd, 0);
		good = (fsync(fd) == 0 || fail(new)) &&
		       (!is_list || (!has_changed(self) && keep_old(self))) &&
		       (is_still(new, fd) ||
			refuse(self->path, other_update)) &&
		       (rename(new, path) == 0 || fail(path));
	}
	close(fd);
	if (!good || is_old)
		unlink(new);
	else if (is_list)
		sync_directory(self);
	return good;
}

bool
list_file_replace(struct list_file *self, const struct list_lines *lines,
		  const struct list_lines *index)
{
	assert(self->is_begun);
	if (!replace(self, self->path, lines))
		return false;
	replace(self, self->beside[LIST_INDEX], index);
	return true;
}

void
list_file_close(struct list_file *self, bool done)
{
	struct stat st;

	if (self->fd >= 0) {
		/* Before it is unlocked: else it could be another's. */
		if (self->is_begun && (done || (fstat(self->fd, &st) == 0 &&
						st.st_size <= HEAD_BYTES)))
			unlink(self->beside[LIST_PART]);
		close(self->fd);
	}
	for (int i = 0; i < LIST_BESIDE; i++)
		free(self->beside[i]);
	free(self->path);
	*self = (struct list_file){ .fd = -1 };
}
