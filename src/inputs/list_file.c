/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "src/inputs/list_index.h"
#include "src/output/report.h"
#include "src/output/status_line.h"

#define PART_HEAD "# LIST.part of qpu-sha256sum, version 1, "

enum {
	WRITE_BYTES = 64 << 10,
	HEAD_BYTES = sizeof(PART_HEAD) - 1,
	HEX_DIGITS = LIST_FILE_END_BYTES - 2
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

static char *
join(const char *path, const char *end)
{
	char *joined = path ? malloc(strlen(path) + strlen(end) + 1) : NULL;

	if (joined)
		strcat(strcpy(joined, path), end);
	return joined;
}

/* Keep a link to LIST: the file that it leads to is updated. */
static bool
find_paths(struct list_file *self, const char *list)
{
	struct stat st;

	self->path = lstat(list, &st) == 0 && S_ISLNK(st.st_mode) ?
			     realpath(list, NULL) :
			     strdup(list);
	self->part = join(self->path, ".part");
	self->index = join(self->path, ".index");
	self->old = join(self->path, "~");
	return (self->part && self->index && self->old) || fail(list);
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

	return path && lstat(path, &st) == 0 && is_same(&st, file);
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
	return (self->exists && is_same(&st, &self->before)) ||
	       is_file(self->part, &st) || is_file(self->index, &st) ||
	       is_file(self->old, &st) || is_file(self->new, &st) ||
	       is_file(self->new_old, &st);
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
look_at(const struct list_file *self, const char *path, const char *head)
{
	char line[sizeof(LIST_INDEX_HEAD)] = "";
	struct stat st;
	size_t len;
	int fd;

	if (lstat(path, &st) != 0)
		return errno == ENOENT || fail(path);
	if (!may_use(self, path, &st))
		return false;
	fd = head ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (fd < 0)
		return true;
	len = read(fd, line, sizeof(line) - 1) > 0 ? strlen(line) : 0;
	close(fd);
	return strncmp(line, head, len) == 0 ||
	       refuse(path, "is another program's file; move it away");
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

/* Lock LIST.part.  Set *again to retry if it was unlinked meanwhile. */
static bool
lock(struct list_file *self, bool *again)
{
	struct stat st;

	*again = false;
	self->fd = open(self->part,
			O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY |
				O_NONBLOCK | O_CLOEXEC,
			0600);
	if (self->fd < 0 && errno == ELOOP)
		return refuse(self->part, "is a link; move it away");
	if (self->fd < 0 || fstat(self->fd, &st) != 0)
		return fail(self->part);
	if (!may_use(self, self->part, &st))
		return false;
	if (flock(self->fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			return refuse(self->path,
				      "another update of this list is running");
		if (errno != ENOLCK && errno != ENOSYS && errno != EOPNOTSUPP)
			return fail(self->part);
		report_file_note(self->path, "it cannot be locked here: let no "
					     "other update run");
	}
	*again = !is_file(self->part, &st);
	return true;
}

bool
list_file_read_end(int fd, char end[LIST_FILE_END_BYTES])
{
	char line[HEAD_BYTES + HEX_DIGITS + 1];

	if (pread(fd, line, sizeof(line), 0) != (ssize_t)sizeof(line) ||
	    memcmp(line, PART_HEAD, HEAD_BYTES) != 0 ||
	    line[HEAD_BYTES + HEX_DIGITS] != '\n')
		return false;
	line[HEAD_BYTES + HEX_DIGITS] = '\0';
	snprintf(end, LIST_FILE_END_BYTES, ".%s", line + HEAD_BYTES);
	return strspn(end + 1, "0123456789abcdef") == HEX_DIGITS;
}

/* Return true if a LIST.part without a whole first line has nothing: it is empty,
 * has NULs, or the beginning of that line. */
static bool
is_void(int fd)
{
	char bytes[4096];
	const ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	const size_t len = n > 0 ? (size_t)n : 0;
	size_t zeros = 0;

	while (zeros < len && !bytes[zeros])
		zeros++;
	return n >= 0 && (zeros == len ||
			  (len <= HEAD_BYTES + HEX_DIGITS &&
			   memcmp(bytes, PART_HEAD,
				  len < HEAD_BYTES ? len : HEAD_BYTES) == 0));
}

/* Cut off a last line that is not whole. */
static bool
cut_last_line(int fd)
{
	char bytes[4096];
	off_t end = lseek(fd, 0, SEEK_END);

	while (end > 0) {
		const off_t most = (off_t)sizeof(bytes);
		const size_t want = (size_t)(end < most ? end : most);
		const char *newline;

		if (pread(fd, bytes, want, end - (off_t)want) != (ssize_t)want)
			return false;
		newline = memrchr(bytes, '\n', want);
		end -= (off_t)want - (newline ? newline + 1 - bytes : 0);
		if (newline)
			break;
	}
	return ftruncate(fd, end) == 0;
}

/* Begin LIST.part, or go on with it; remove the temporary files that a killed
 * update left. */
static bool
begin_part(struct list_file *self)
{
	char end[LIST_FILE_END_BYTES], line[HEAD_BYTES + HEX_DIGITS + 2];
	unsigned random = (unsigned)getpid();
	const bool has_end = list_file_read_end(self->fd, end);

	if (!has_end && !is_void(self->fd))
		return refuse(self->part,
			      "is another program's file; move it away");
	adopt(self, self->fd, 0600);
	if (has_end ? !cut_last_line(self->fd) : ftruncate(self->fd, 0) != 0)
		return fail(self->part);
	if (!has_end) {
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
			random ^= (unsigned)time(NULL);
		snprintf(end, sizeof(end), ".%08x", random);
		snprintf(line, sizeof(line), PART_HEAD "%s\n", end + 1);
		if (!write_all(self->fd, line, strlen(line)))
			return fail(self->part);
	}
	self->new = join(self->path, end);
	self->new_old = join(self->new, "~");
	if (!self->new_old)
		return fail(self->part);
	unlink(self->new);
	unlink(self->new_old);
	return true;
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
	return look_at_list(self) && look_at(self, self->old, NULL) &&
	       look_at(self, self->index, LIST_INDEX_HEAD) &&
	       begin_part(self) && look_at_list(self);
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
	fail(self->part);
	quick_exit(EXIT_FAILURE);
}

/* New files ------------------------------------------------------------------- */

/* Compare the text with what the file has there. */
static bool
has_text(int fd, const struct text *text)
{
	char bytes[4096];
	size_t at = 0;

	while (at < text->len) {
		const size_t left = text->len - at;
		const ssize_t n = read(
			fd, bytes, left < sizeof(bytes) ? left : sizeof(bytes));

		if (n <= 0 || memcmp(bytes, text->bytes + at, (size_t)n) != 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* Pass all lines to the function, in pieces.  Return false with errno if it does,
 * or if memory is short. */
static bool
pass_lines(const struct list_lines *lines, int fd,
	   bool (*pass)(int fd, const struct text *))
{
	struct text text = { 0 };
	bool good = text_add_string(&text, lines->head);

	for (size_t i = 0; i < lines->n && good; i++) {
		good = lines->add(lines->context, i, &text);
		if (good && text.len >= WRITE_BYTES) {
			good = pass(fd, &text);
			text_cut(&text, 0);
		}
	}
	good = good && pass(fd, &text);
	text_free(&text);
	return good;
}

static bool
has_lines(const char *path, const struct list_lines *lines)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char byte;
	bool same;

	if (fd < 0)
		return false;
	same = pass_lines(lines, fd, has_text) && read(fd, &byte, 1) == 0;
	close(fd);
	return same;
}

static bool
write_text(int fd, const struct text *text)
{
	return write_all(fd, text->bytes, text->len);
}

/* Bring the lines to the medium, in a temporary file. */
static bool
write_new(struct list_file *self, const struct list_lines *lines)
{
	const int fd =
		open(self->new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good;

	errno = fd < 0 ? errno : ENOMEM;
	good = fd >= 0 && pass_lines(lines, fd, write_text);
	if (good)
		adopt(self, fd, 0);
	good = good && fsync(fd) == 0;
	if (good ? close(fd) == 0 : false)
		return true;
	fail(self->new);
	if (fd >= 0 && !good)
		close(fd);
	unlink(self->new);
	return false;
}

static bool
copy(const char *from, const char *to)
{
	char bytes[4096];
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;
	bool good = in >= 0 && out >= 0 && fstat(in, &st) == 0;
	ssize_t n = 0;

	while (good && (n = read(in, bytes, sizeof(bytes))) > 0)
		good = write_all(out, bytes, (size_t)n);
	good = good && n == 0 && fsync(out) == 0;
	/* Without modes it stays private. */
	if (good && (st.st_mode & 0777) != 0600)
		(void)!fchmod(out, st.st_mode & 0777);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return good;
}

/* Make LIST~ the same file as LIST, or a copy where there are no links. */
static bool
keep_old(const struct list_file *self)
{
	const bool good = !self->exists ||
			  ((link(self->path, self->new_old) == 0 ||
			    copy(self->path, self->new_old)) &&
			   rename(self->new_old, self->old) == 0);

	if (!good)
		fail(self->old);
	/* A rename to another link of the same file leaves both. */
	unlink(self->new_old);
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

static bool
is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Some file systems renew inodes, so they are not compared. */
static bool
has_changed(const struct list_file *self)
{
	const struct stat *const before = &self->before;
	struct stat st;
	const bool exists = stat(self->path, &st) == 0;

	return exists != self->exists ||
	       (exists && (st.st_size != before->st_size ||
			   !is_same_time(&st.st_mtim, &before->st_mtim) ||
			   !is_same_time(&st.st_ctim, &before->st_ctim)));
}

enum list_written
list_file_replace(struct list_file *self, const struct list_lines *lines)
{
	if (self->exists && has_lines(self->path, lines))
		return LIST_UNCHANGED;
	if (!write_new(self, lines))
		return LIST_FAILED;
	if (has_changed(self))
		refuse(self->path, "the list was changed by another program "
				   "meanwhile, and is not updated");
	else if (keep_old(self) &&
		 (rename(self->new, self->path) == 0 || fail(self->path))) {
		sync_directory(self);
		return LIST_REPLACED;
	}
	unlink(self->new);
	return LIST_FAILED;
}

enum list_written
list_file_replace_index(struct list_file *self, const struct list_lines *lines)
{
	if (has_lines(self->index, lines))
		return LIST_UNCHANGED;
	if (!write_new(self, lines))
		return LIST_FAILED;
	if (rename(self->new, self->index) == 0)
		return LIST_REPLACED;
	fail(self->index);
	unlink(self->new);
	return LIST_FAILED;
}

void
list_file_close(struct list_file *self, bool done)
{
	struct stat st;

	if (self->fd >= 0) {
		/* Before it is unlocked: else it could be another's. */
		if (self->new &&
		    (done || (fstat(self->fd, &st) == 0 &&
			      st.st_size <= HEAD_BYTES + HEX_DIGITS + 1)))
			unlink(self->part);
		close(self->fd);
	}
	free(self->path);
	free(self->part);
	free(self->index);
	free(self->old);
	free(self->new);
	free(self->new_old);
	*self = (struct list_file){ .fd = -1 };
}
