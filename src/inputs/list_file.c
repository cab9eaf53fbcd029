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
#include <unistd.h>

#include "src/output/report.h"
#include "src/output/status_line.h"

#define BEGAN "# update began "

enum { LINES_BYTES = 64 << 10, COPY_BYTES = 64 << 10 };

/* "PROG: LIST: text", status 1. */
static bool
refuse(const struct list_file *self, const char *text)
{
	report_file_problem(self->path, "%s", text);
	return false;
}

static bool
fail(const char *path)
{
	report_file_error(path, errno);
	return false;
}

/* The names -------------------------------------------------------------- */

static char *
join(const char *path, const char *end)
{
	char *joined = malloc(strlen(path) + strlen(end) + 1);

	if (joined)
		strcat(strcpy(joined, path), end);
	return joined;
}

/* A link stays a link: what it leads to is updated. */
static bool
find_paths(struct list_file *self, const char *list)
{
	struct stat st;

	self->path = lstat(list, &st) == 0 && S_ISLNK(st.st_mode) ?
			     realpath(list, NULL) :
			     strdup(list);
	if (!self->path)
		return fail(list);
	self->part = join(self->path, ".part");
	self->new = join(self->path, ".new");
	self->old = join(self->path, "~");
	return (self->part && self->new && self->old) || fail(list);
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
list_file_is_own(const struct list_file *self, const char *name,
		 const struct stat *file)
{
	const char *const list = self->path ? last_part(self->path) : name;

	if (self->exists && is_same(file, &self->before))
		return true;
	if (strncmp(last_part(name), list, strlen(list)) != 0)
		return false;
	return is_file(self->part, file) || is_file(self->new, file) ||
	       is_file(self->old, file);
}

/* LIST.part ---------------------------------------------------------------- */

/* An update that ends takes LIST.part away: then what was locked is not the
 * file of that name any more, and *again is set. */
static bool
lock(struct list_file *self, bool *again)
{
	struct stat st;

	*again = false;
	self->fd = open(self->part,
			O_RDWR | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK |
				O_CLOEXEC,
			0666);
	if (self->fd < 0 || fstat(self->fd, &st) != 0)
		return fail(self->part);
	if (!S_ISREG(st.st_mode)) {
		errno = EEXIST;
		return fail(self->part);
	}
	if (flock(self->fd, LOCK_EX | LOCK_NB) != 0) {
		const bool is_locked = errno == EWOULDBLOCK;

		close(self->fd);
		self->fd = -1;
		return is_locked ? refuse(self, "another update of this list "
						"is running") :
				   fail(self->part);
	}
	*again = !is_file(self->part, &st);
	return !*again;
}

/* Take away a last line that is not whole. */
static bool
cut_last_line(int fd)
{
	char bytes[4096];
	off_t end = lseek(fd, 0, SEEK_END);

	while (end > 0) {
		const size_t want = (size_t)(end < (off_t)sizeof(bytes) ?
						     end :
						     (off_t)sizeof(bytes));
		const ssize_t n = pread(fd, bytes, want, end - (off_t)want);
		const char *newline;

		if (n != (ssize_t)want)
			return false;
		newline = memrchr(bytes, '\n', want);
		if (newline) {
			end -= (off_t)want - (newline + 1 - bytes);
			break;
		}
		end -= (off_t)want;
	}
	return ftruncate(fd, end) == 0 && lseek(fd, end, SEEK_SET) == end;
}

/* What is replaced has to be what was read. */
static bool
look_at_list(struct list_file *self)
{
	self->exists = stat(self->path, &self->before) == 0;
	return self->exists || errno == ENOENT || fail(self->path);
}

bool
list_file_open(struct list_file *self, const char *list)
{
	struct stat st;
	bool again = true;

	*self = (struct list_file){ .fd = -1 };
	if (stat(list, &st) == 0 && !S_ISREG(st.st_mode)) {
		self->path = strdup(list);
		return refuse(self, "is not a regular file, and cannot be "
				    "updated in place");
	}
	if (!find_paths(self, list) || !look_at_list(self))
		return false;
	while (again && !lock(self, &again)) {
		if (!again)
			return false;
		close(self->fd);
	}
	/* By the clock of this file system, which may be a server's. */
	if (!cut_last_line(self->fd) || futimens(self->fd, NULL) != 0 ||
	    fstat(self->fd, &st) != 0)
		return fail(self->part);
	self->began = st.st_mtim;
	/* Another update may have ended before the lock was free. */
	return look_at_list(self);
}

bool
list_file_read_began(const char *line, struct timespec *began)
{
	long long seconds;
	long nanoseconds;

	if (sscanf(line, BEGAN "%lld.%9ld", &seconds, &nanoseconds) != 2)
		return false;
	*began = (struct timespec){ .tv_sec = (time_t)seconds,
				    .tv_nsec = nanoseconds };
	return true;
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

void
list_file_flush(struct list_file *self)
{
	if (!write_all(self->fd, self->lines.bytes, self->lines.len)) {
		/* Failed writes to standard output end the program like this, too. */
		status_line_close();
		fail(self->part);
		quick_exit(EXIT_FAILURE);
	}
	text_cut(&self->lines, 0);
}

void
list_file_add(struct list_file *self, const struct text *line)
{
	char began[80];

	if (!self->has_began) {
		snprintf(began, sizeof(began), BEGAN "%lld.%09ld\n",
			 (long long)self->began.tv_sec, self->began.tv_nsec);
		self->has_began = text_add_string(&self->lines, began);
	}
	/* Without memory for the line the next update hashes its file again. */
	if (self->has_began)
		text_add(&self->lines, line->bytes, line->len);
	if (self->lines.len >= LINES_BYTES)
		list_file_flush(self);
}

/* The new list ------------------------------------------------------------- */

/* All but the name is on the medium.  False: errno. */
static bool
write_new(const struct list_file *self, const struct text *text)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  self->began };
	struct stat st;
	bool good;
	int fd;

	if (unlink(self->new) != 0 && errno != ENOENT)
		return false;
	fd = open(self->new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	good = write_all(fd, text->bytes, text->len);
	if (good && self->exists) {
		if (fchown(fd, self->before.st_uid, self->before.st_gid) != 0)
			report_file_note(self->path,
					 "this user cannot keep its owner and "
					 "group");
		good = fchmod(fd, self->before.st_mode & 0777) == 0;
	}
	good = good && futimens(fd, times) == 0 && fsync(fd) == 0 &&
	       fstat(fd, &st) == 0 && (uintmax_t)st.st_size == text->len;
	return close(fd) == 0 && good;
}

static bool
copy(const char *from, const char *to)
{
	char *bytes = malloc(COPY_BYTES);
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool good = bytes && in >= 0 && out >= 0;
	ssize_t n = 0;

	while (good && (n = read(in, bytes, COPY_BYTES)) > 0)
		good = write_all(out, bytes, (size_t)n);
	good = good && n == 0 && fsync(out) == 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(bytes);
	if (!good)
		unlink(to);
	return good;
}

/* LIST stays in its place meanwhile. */
static bool
keep_old(const struct list_file *self)
{
	if (!self->exists)
		return true;
	if (unlink(self->old) != 0 && errno != ENOENT)
		return false;
	/* Not all file systems have links. */
	return link(self->path, self->old) == 0 || copy(self->path, self->old);
}

static void
sync_directory(const struct list_file *self)
{
	char *path = strdup(self->path);
	const int fd =
		path ? open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
		       -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(path);
}

static bool
has_changed(const struct list_file *self)
{
	struct stat st;
	const bool exists = stat(self->path, &st) == 0;

	return exists != self->exists ||
	       (exists && (!is_same(&st, &self->before) ||
			   st.st_size != self->before.st_size ||
			   st.st_mtim.tv_sec != self->before.st_mtim.tv_sec ||
			   st.st_mtim.tv_nsec != self->before.st_mtim.tv_nsec));
}

bool
list_file_replace(struct list_file *self, const struct text *text)
{
	list_file_flush(self);
	if (has_changed(self))
		return refuse(self, "the list was changed by another program "
				    "meanwhile, and is not updated");
	if (!write_new(self, text)) {
		fail(self->new);
		unlink(self->new);
		return false;
	}
	if (!keep_old(self))
		return fail(self->old);
	if (rename(self->new, self->path) != 0)
		return fail(self->path);
	sync_directory(self);
	if (ftruncate(self->fd, 0) != 0)
		return fail(self->part);
	return true;
}

void
list_file_close(struct list_file *self)
{
	struct stat st;

	if (self->fd >= 0) {
		/* Before it is unlocked: else it could be another's. */
		if (fstat(self->fd, &st) == 0 && st.st_size == 0)
			unlink(self->part);
		close(self->fd);
	}
	self->fd = -1;
	text_free(&self->lines);
	free(self->path);
	free(self->part);
	free(self->new);
	free(self->old);
}
