/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/opening.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/lanes/page_cache.h"
#include "src/lanes/run.h"

enum { SECTOR_BYTES = 512 };

/* What it is ------------------------------------------------------------------ */

static struct file_version
version_of(const struct stat *st)
{
	return (struct file_version){ .device = st->st_dev,
				      .inode = st->st_ino,
				      .size = st->st_size,
				      .modified = st->st_mtim,
				      .changed = st->st_ctim,
				      .is_regular = S_ISREG(st->st_mode),
				      .has_names = st->st_nlink > 1 };
}

bool
opening_look_at(struct input *in, struct stat *st)
{
	if (fstat(in->fd, st) != 0)
		return false;
	in->job->version = version_of(st);
	in->is_regular = in->job->version.is_regular;
	return true;
}

bool
input_sees_change(const struct input *in, enum job_watch watched)
{
	struct stat st;

	if (watched == JOB_UNWATCHED || !in->is_regular)
		return false;
	return fstat(in->fd, &st) != 0 ||
	       !file_version_is_same(version_of(&st), in->job->version) ||
	       (watched == JOB_GUARDED &&
		!clock_is_equal(&st.st_ctim, &in->job->version.changed));
}

/* Prepare to read `bytes` bytes of a regular file. */
static void
note_size(struct input *in, const struct stat *st, off_t bytes)
{
	in->size = bytes > 0 ? (uint64_t)bytes : 0;
	if (in->size <= INPUT_LONG_BYTES)
		return;
	posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	holes_init(&in->holes, in->fd, st, INPUT_LONG_BYTES);
	/* To ask for holes moves the offset. */
	in->by_offset |= in->holes.any;
}

/* Opening ----------------------------------------------------------------------- */

static int
open_by_name(const struct job *job, int flags, bool cached)
{
	const struct job_root *root = job->root;

	if (cached && !root)
		return descriptor_open_cached(job->name, flags);
	return root ? descriptor_open_below(
			      root->fd, job->name + root->prefix_bytes, flags) :
		      descriptor_open(job->name, flags);
}

/* Open the file without a new time of access, which only its owner may do. */
static int
open_file(const struct job *job, int flags, bool cached)
{
	const int fd = open_by_name(job, flags | O_NOATIME, cached);

	return fd < 0 && errno == EPERM ? open_by_name(job, flags, cached) : fd;
}

bool
input_open_ahead(struct job *job, struct stat *st)
{
	job->fd = open_file(job, O_NONBLOCK, false);
	if (job->fd < 0)
		return false;
	job->is_open = fstat(job->fd, st) == 0;
	if (!job->is_open)
		close(job->fd);
	return job->is_open;
}

static enum input_result
why_not_open(struct input *in)
{
	struct job *job = in->job;

	/* A file that is gone since a device has read it is not one that never
	 * was there. */
	job->opened = job->restarted;
	job->error = errno;
	return errno == EMFILE || errno == ENFILE ? INPUT_LACKING :
						    input_fail(in, errno);
}

bool
opening_has_to_wait(const struct input *in)
{
	const struct job *job = in->job;
	struct stat st;

	return __atomic_load_n(&in->run->is_strict, __ATOMIC_RELAXED) &&
	       !job->root && !job->is_open && job->blocks == 0 &&
	       (!job->filter || job->filter->any_kind) &&
	       stat(job->name, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

void
opening_postpone(struct input *in)
{
	input_close(in);
	in->must_be_oldest = true;
	in->phase = INPUT_IN_TURN;
}

/* Return whether a FIFO that was opened before its turn stays open: closing it could
 * kill its writer.  Several workers may have opened one before names were looked up,
 * and of these only the first stays. */
static bool
keeps_fifo(const struct input *in)
{
	const struct file_version *fifo = &in->job->version;
	struct run *run = in->run;
	bool keeps = true;

	lock_take(&run->sequencer.lock);
	for (unsigned i = 0; i < run->nfifos; i++)
		keeps &= run->fifos[i].device != fifo->device ||
			 run->fifos[i].inode != fifo->inode;
	keeps &= run->nfifos < RUN_FIFOS;
	if (keeps)
		run->fifos[run->nfifos++] = *fifo;
	lock_release(&run->sequencer.lock);
	return keeps;
}

/* Open anew the FIFO that was opened twice, before closing it, so that nothing in it
 * is lost and poll(2) reports only writers from now on. */
static void
reopen(struct input *in)
{
	const int fd = open_file(in->job, O_NONBLOCK, false);

	if (fd < 0)
		return;
	close(in->fd);
	in->fd = fd;
}

/* Read from the medium from now on: drop the input's pages from the page cache now, and
 * later those that reading brings there.  Return false with errno if earlier writes did
 * not reach the medium. */
static bool
avoid_cache(struct input *in, const struct stat *st)
{
	bool *stays = &in->job->was_cached;
	struct page_counts counts;
	int error;

	if (!in->run->config->uncached ||
	    (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode)))
		return true;
	in->is_uncached = true;
	error = page_cache_write_back(in->fd) ? 0 : errno;
	*stays = !page_cache_drop(in->fd, 0);
	if (page_cache_count(in->fd, &counts))
		*stays = counts.cached > 0;
	errno = error;
	return error == 0;
}

/* Return true if the open file is not to be hashed, and set the verdict: the filter
 * refuses or knows it, or the job begins again and the file is not the `earlier` one any
 * more. */
static bool
is_refused(const struct input *in, struct file_version earlier)
{
	struct job *job = in->job;
	const struct job_filter *filter = job->filter;
	const struct file_version *now = &job->version;

	job->verdict = JOB_TRUSTED;
	if (job->restarted && !file_version_is_same(*now, earlier))
		job->verdict = JOB_CHANGED;
	else if (!filter)
		return false;
	else if (!in->is_regular)
		job->verdict = filter->any_kind ? JOB_TRUSTED : JOB_NOT_REGULAR;
	else if (filter->has_output && now->device == filter->device &&
		 now->inode == filter->inode)
		job->verdict = JOB_IS_OUTPUT;
	else if (filter->knows && filter->knows(job))
		job->verdict = JOB_KNOWN;
	return job->verdict != JOB_TRUSTED;
}

/*
 * Read what the cache has of the file that was just opened.  Return true if that is all
 * of it: the cache is filled by whole sectors, so a read that ends within one has seen
 * the end.  Fails for inputs that cannot be read at an offset (ESPIPE) or without
 * waiting.
 */
static bool
read_whole(struct input *in, uint8_t *buffer, size_t room, size_t *have)
{
	const ssize_t got = input_read_cached(in, buffer, room, 0);

	if (got <= 0)
		return false;
	*have = (size_t)got;
	in->by_offset = true;
	if (*have == room || (*have % SECTOR_BYTES == 0 &&
			      lseek(in->fd, 0, SEEK_END) != (off_t)got))
		return false;
	in->is_regular = true;
	in->size = *have;
	return true;
}

/*
 * Get the size with lseek, which costs less than fstat.  Only a file with an end within
 * the room can be read at any offset without waiting: pipes and terminals have no end,
 * most other devices have it at 0, and disks have it far away.  Files in /sys are
 * shorter than their size, and are read to their end all the same.
 */
static bool
find_size(struct input *in, size_t room)
{
	const off_t end = lseek(in->fd, 0, SEEK_END);

	if (end > 0 && (uint64_t)end < room) {
		in->is_regular = in->by_offset = true;
		in->size = (uint64_t)end;
	} else if (end > 0) {
		lseek(in->fd, 0, SEEK_SET);
	}
	return in->by_offset;
}

/* Decide on what was opened and is not a regular file.  Some drivers open in another
 * way when non-blocking. */
static void
note_special(struct input *in, const struct stat *st)
{
	in->must_be_oldest = true;
	if (!S_ISFIFO(st->st_mode))
		opening_postpone(in);
	else if (!keeps_fifo(in)) {
		/* In its turn its writer may have come, and must not lose what
		 * it has written. */
		if (sequencer_is_oldest(&in->run->sequencer, in->job))
			reopen(in);
		else
			opening_postpone(in);
	}
	__atomic_store_n(&in->run->is_strict, true, __ATOMIC_RELAXED);
}

/* Look at the file that was just opened, and check it: its filter may refuse it, or
 * earlier writes to it may have failed. */
static enum input_result
accept(struct input *in)
{
	const struct file_version earlier = in->job->version;
	struct stat st;

	if (!opening_look_at(in, &st))
		return input_fail(in, errno);
	if (S_ISDIR(st.st_mode))
		return input_fail(in, EISDIR);
	if (is_refused(in, earlier))
		return input_fail(in, 0);
	if (!in->is_regular)
		note_special(in, &st);
	else if (avoid_cache(in, &st))
		note_size(in, &st, st.st_size);
	else
		return input_fail(in, errno);
	return INPUT_BLOCKS;
}

enum input_result
opening_now(struct input *in, uint8_t *buffer, size_t room, size_t *have)
{
	struct job *job = in->job;
	const bool cached = in->patience == INPUT_FOR_NOTHING;
	/* The type and times of a small file are needed only for these. */
	const bool briefly = in->patience <= INPUT_FOR_SHORT && !job->filter &&
			     !job->watched && !job->restarted &&
			     !in->run->config->uncached;
	enum input_result result;

	in->fd = job->is_open ? job->fd : open_file(job, O_NONBLOCK, cached);
	job->is_open = false;
	if (in->fd < 0 && errno == EWOULDBLOCK) {
		if (cached)
			return INPUT_BLOCKED;
		/* Another process has a lease on it. */
		opening_postpone(in);
		return INPUT_EARLY;
	}
	if (in->fd < 0)
		return why_not_open(in);
	in->phase = INPUT_OPEN;
	in->owns_fd = in->is_nonblocking = job->opened = true;
	if (briefly &&
	    (cached ? read_whole(in, buffer, room, have) : find_size(in, room)))
		return INPUT_BLOCKS;
	result = accept(in);
	/* Some files of the system have no size, or are read only in order. */
	if (in->by_offset && in->size == 0) {
		*have = 0;
		in->by_offset = false;
		if (in->fd >= 0)
			lseek(in->fd, 0, SEEK_SET);
	}
	return result;
}

enum input_result
opening_in_turn(struct input *in, size_t room)
{
	struct job *job = in->job;
	const struct file_version earlier = job->version;
	struct stat st;
	off_t at = -1;

	if (job->kind == JOB_STDIN) {
		in->fd = descriptor_standard(STDIN_FILENO);
		/* A job that begins again has moved the offset. */
		if (job->opened && job->stdin_at >= 0)
			lseek(in->fd, job->stdin_at, SEEK_SET);
		at = job->stdin_at = lseek(in->fd, 0, SEEK_CUR);
	} else {
		/* The writer of a FIFO may be done: a later name of it, which a
		 * device has opened ahead, keeps what was written.  To wait for a
		 * writer in open(2) would be to wait for the next one, so poll
		 * waits. */
		in->is_nonblocking = !job->root && stat(job->name, &st) == 0 &&
				     S_ISFIFO(st.st_mode);
		in->fd = open_file(job, in->is_nonblocking ? O_NONBLOCK : 0,
				   false);
		if (in->fd < 0)
			return why_not_open(in);
		in->owns_fd = true;
	}
	job->opened = true;
	in->phase = INPUT_OPEN;
	if (!opening_look_at(in, &st))
		return INPUT_BLOCKS;
	if (is_refused(in, earlier))
		return input_fail(in, 0);
	if (!avoid_cache(in, &st))
		return input_fail(in, errno);
	if (at >= 0 && in->is_regular && st.st_size - at > (off_t)room) {
		in->must_be_oldest = false;
		in->start = (uint64_t)at;
		in->by_offset = true;
		note_size(in, &st, st.st_size - at);
	}
	return INPUT_BLOCKS;
}
