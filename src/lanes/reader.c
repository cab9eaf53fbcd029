/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/base/descriptor.h"
#include "src/lanes/page_cache.h"

/* Bytes that are read before they are dropped from the page cache. */
enum { UNCACHED_BYTES = 8 << 20, SECTOR_BYTES = 512 };

void
reader_reset(struct reader *reader)
{
	reader_close(reader);
	*reader = (struct reader){ .fd = -1 };
}

void
reader_use_buffer(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	if (reader->buffer != buffer)
		reader->zeros = reader->read_bytes = 0;
	reader->buffer = buffer;
	reader->capacity = capacity;
}

static void
begin(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	reader_reset(reader);
	reader_use_buffer(reader, buffer, capacity);
}

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

/* Remember what the input is, and its state before the first read. */
static bool
look_at(struct reader *reader, struct stat *st)
{
	if (fstat(reader->fd, st) != 0)
		return false;
	reader->version = version_of(st);
	reader->is_regular = S_ISREG(st->st_mode);
	reader->has_pages = reader->is_regular || S_ISBLK(st->st_mode);
	return true;
}

bool
reader_sees_change(const struct reader *reader, enum job_watch watched)
{
	const struct timespec *const changed = &reader->version.changed;
	struct stat st;

	if (watched == JOB_UNWATCHED || !reader->is_regular)
		return false;
	return fstat(reader->fd, &st) != 0 ||
	       !file_version_is_same(version_of(&st), reader->version) ||
	       (watched == JOB_GUARDED &&
		(st.st_ctim.tv_sec != changed->tv_sec ||
		 st.st_ctim.tv_nsec != changed->tv_nsec));
}

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

/* Open the input without a new time of access, which only its owner may do. */
static int
open_input(const struct job *job, int flags, bool cached)
{
	const int fd = open_by_name(job, flags | O_NOATIME, cached);

	return fd < 0 && errno == EPERM ? open_by_name(job, flags, cached) : fd;
}

/* Open the input without blocking and without waiting for the writer of a
 * FIFO, so that a worker can look at an input that is not the oldest yet. */
static bool
open_now(struct reader *reader, struct job *job, bool cached)
{
	reader->fd = job->is_open ? job->fd :
				    open_input(job, O_NONBLOCK, cached);
	job->opened = job->is_open = false;
	if (reader->fd < 0 && errno == EWOULDBLOCK && !cached) {
		/* Another process has a lease on it: wait until it is the
		 * oldest. */
		reader->must_be_oldest = true;
		reader->is_postponed = true;
		return true;
	}
	if (reader->fd < 0)
		return false;
	job->opened = true;
	reader->owns_fd = true;
	reader->nonblocking = true;
	return true;
}

bool
reader_open_ahead(struct job *job, struct stat *st)
{
	job->fd = open_input(job, O_NONBLOCK, false);
	if (job->fd < 0)
		return false;
	job->is_open = fstat(job->fd, st) == 0;
	if (!job->is_open)
		close(job->fd);
	return job->is_open;
}

/* Prepare to read a file that does not fit into the buffer. */
static void
note_long_file(struct reader *reader, const struct stat *st)
{
	posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	holes_init(&reader->holes, reader->fd, st, reader->capacity);
	/* To ask for holes moves the offset. */
	reader->by_offset |= reader->holes.any;
}

/*
 * Look at the input before it is read.  fstat shows whether it is a regular
 * file, and replaces the second read that would otherwise find the end of a
 * small file.
 */
static bool
prepare(struct reader *reader)
{
	struct stat st;

	if (!look_at(reader, &st)) {
		int saved = errno;

		reader_close(reader);
		errno = saved;
		return false;
	}

	if (reader->is_regular) {
		reader->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
		if (reader->size > reader->capacity)
			note_long_file(reader, &st);
	} else if (S_ISDIR(st.st_mode)) {
		reader_close(reader);
		errno = EISDIR;
		return false;
	} else if (S_ISFIFO(st.st_mode)) {
		/* Keep the descriptor: closing it could kill a writer. */
		reader->must_be_oldest = true;
	} else {
		/* Some drivers open in another way when non-blocking. */
		reader_postpone(reader);
	}
	return true;
}

/* Read like pread(2), or read(2) at offset -1, but only from the cache.  On
 * some kernels 0 may mean that nothing is cached. */
static ssize_t
preadv_cached(int fd, void *to, size_t bytes, off_t at)
{
#ifdef RWF_NOWAIT
	const struct iovec buffer = { .iov_base = to, .iov_len = bytes };

	return preadv2(fd, &buffer, 1, at, RWF_NOWAIT);
#else
	(void)fd, (void)to, (void)bytes, (void)at;
	errno = ENOSYS;
	return -1;
#endif
}

/*
 * Get the size with lseek.  Only a file with an end within the buffer can be
 * read at any offset without waiting: pipes and terminals have no end, most
 * other devices have it at 0, and disks have it far away.  Files in /sys are
 * shorter than their size, and are read to their end all the same.
 */
static bool
find_small_size(struct reader *reader)
{
	const off_t end = lseek(reader->fd, 0, SEEK_END);

	if (end > 0 && (uint64_t)end < reader->capacity) {
		reader->size = (uint64_t)end;
		reader->by_offset = true;
	} else if (end > 0) {
		lseek(reader->fd, 0, SEEK_SET);
	}
	return reader->by_offset;
}

/*
 * Read what the cache has, and return true if that is the whole file.  The
 * cache is filled by whole sectors, so a read that ends within one has seen
 * the end.  Fails for inputs that cannot be read at an offset (ESPIPE) or
 * without waiting.
 */
static bool
read_small(struct reader *reader)
{
	const ssize_t got =
		preadv_cached(reader->fd, reader->buffer, reader->capacity, 0);

	if (got <= 0)
		return false;
	reader->read_bytes = (size_t)got;
	reader->by_offset = true;
	if ((size_t)got == reader->capacity ||
	    (got % SECTOR_BYTES == 0 &&
	     lseek(reader->fd, 0, SEEK_END) != (off_t)got))
		return false;
	reader->size = (uint64_t)got;
	return true;
}

bool
reader_open(struct reader *reader, struct job *job, uint8_t *buffer,
	    size_t capacity, enum reader_look look)
{
	begin(reader, buffer, capacity);
	if (!open_now(reader, job, look == READER_LOOK_READ))
		return false;
	if (reader->is_postponed ||
	    (look == READER_LOOK_READ && read_small(reader)) ||
	    (look == READER_LOOK_SIZE && find_small_size(reader)))
		return true;
	if (!prepare(reader))
		return false;
	/* Some files of the system have no size, or are read only in order. */
	if (!reader->is_regular || reader->size == 0) {
		reader->read_bytes = 0;
		reader->by_offset = false;
		lseek(reader->fd, 0, SEEK_SET);
	}
	return true;
}

void
reader_open_stdin(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	struct stat st;

	begin(reader, buffer, capacity);
	reader->fd = descriptor_standard(STDIN_FILENO);
	reader->must_be_oldest = true;
	reader->is_postponed = look_at(reader, &st) && reader->is_regular &&
			       st.st_size > (off_t)capacity;
}

/* Begin with standard input.  If it is a file it belongs to the program from
 * now on: treat it as a file with a name, unless little is left of it. */
static void
begin_stdin_file(struct reader *reader)
{
	const off_t at = lseek(reader->fd, 0, SEEK_CUR);
	struct stat st;

	reader->is_postponed = false;
	if (at < 0 || !look_at(reader, &st) || !reader->is_regular ||
	    st.st_size - at <= (off_t)reader->capacity)
		return;
	reader->start = (uint64_t)at;
	reader->size = (uint64_t)(st.st_size - at);
	reader->by_offset = reader->moves_offset = true;
	reader->must_be_oldest = false;
	note_long_file(reader, &st);
}

void
reader_postpone(struct reader *reader)
{
	reader_close(reader);
	reader->must_be_oldest = true;
	reader->is_postponed = true;
}

void
reader_reopen(struct reader *reader, const struct job *job)
{
	const int fd = open_input(job, O_NONBLOCK, false);

	if (fd < 0)
		return;
	close(reader->fd);
	reader->fd = fd;
}

void
reader_begin_postponed(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	begin(reader, buffer, capacity);
	reader_postpone(reader);
}

void
reader_avoid_waiting(struct reader *reader)
{
	reader->disk_mode = DISK_MODE_CACHED;
}

bool
reader_know_device(struct reader *reader)
{
	struct stat st;

	return reader->version.device != 0 || look_at(reader, &st);
}

bool
reader_needs_disk(const struct reader *reader)
{
	return reader->disk_mode == DISK_MODE_BLOCKED;
}

void
reader_use_disk(struct reader *reader)
{
	reader->disk_mode = DISK_MODE_WAIT;
}

bool
reader_open_postponed(struct reader *reader, const struct job *job)
{
	struct stat st;

	if (job->kind == JOB_STDIN) {
		begin_stdin_file(reader);
		return true;
	}
	/* The writer of a FIFO may be done: a later name of it, which a device
	 * has opened ahead, keeps what was written.  To wait for a writer in
	 * open(2) would be to wait for the next one, so poll waits. */
	reader->nonblocking = !job->root && stat(job->name, &st) == 0 &&
			      S_ISFIFO(st.st_mode);
	reader->fd =
		open_input(job, reader->nonblocking ? O_NONBLOCK : 0, false);
	if (reader->fd < 0)
		return false;
	reader->owns_fd = true;
	reader->is_postponed = false;
	look_at(reader, &st);
	return true;
}

/* The page cache ------------------------------------------------------------ */

bool
reader_avoid_cache(struct reader *reader, bool *stays)
{
	struct page_counts counts;
	int error;

	*stays = false;
	if (!reader->has_pages || reader->is_postponed)
		return true;
	reader->uncached = true;
	error = page_cache_write_back(reader->fd) ? 0 : errno;
	*stays = !page_cache_drop(reader->fd, 0);
	if (page_cache_count(reader->fd, &counts))
		*stays = counts.cached > 0;
	errno = error;
	return error == 0;
}

/* Note that bytes were read.  If nothing may stay cached, drop their pages in
 * steps. */
static void
note_read(struct reader *reader, size_t bytes)
{
	reader->length += bytes;
	if (!reader->uncached ||
	    reader->length - reader->dropped < UNCACHED_BYTES)
		return;
	page_cache_drop(reader->fd, reader_place(reader));
	reader->dropped = reader->length;
}

void
reader_skip(struct reader *reader, size_t bytes)
{
	note_read(reader, bytes);
	reader->by_offset = true;
}

void
reader_close(struct reader *reader)
{
	if (reader->uncached)
		page_cache_drop(reader->fd, 0);
	reader->uncached = false;
	if (reader->moves_offset)
		lseek(reader->fd, (off_t)reader_place(reader), SEEK_SET);
	reader->moves_offset = false;
	if (reader->owns_fd)
		close(reader->fd);
	reader->fd = -1;
	reader->owns_fd = false;
}

/* Return true if there is something to read, an end or an error.  Waits for
 * that only if may_wait. */
static bool
input_is_ready(const struct reader *reader, bool may_wait)
{
	struct pollfd input = { .fd = reader->fd, .events = POLLIN };
	int ready;

	/* poll would wait for a descriptor that is not there. */
	if (reader->fd < 0)
		return true;
	do
		ready = poll(&input, 1, may_wait ? -1 : 0);
	while (ready < 0 && errno == EINTR);
	return ready != 0;
}

/* Reading ------------------------------------------------------------------- */

/* Read like read(2), as far as the disk mode allows it. */
static ssize_t
read_by_mode(struct reader *reader, uint8_t *to, size_t bytes)
{
	ssize_t got;

	switch (reader->disk_mode) {
	case DISK_MODE_WAIT:
		return reader->by_offset ? pread(reader->fd, to, bytes,
						 (off_t)reader_place(reader)) :
					   read(reader->fd, to, bytes);
	case DISK_MODE_CACHED:
		got = preadv_cached(
			reader->fd, to, bytes,
			reader->by_offset ? (off_t)reader_place(reader) : -1);
		/* Linux 5.9 and 5.10 may answer 0 where the file goes on
		 * (preadv2(2)). */
		if (got > 0 || (got == 0 && reader->length >= reader->size))
			return got;
		/* Not every file system, kernel and sandbox supports this.
		 * read(2) will report an error of the file itself. */
		reader->is_blind |= got < 0 && errno != EAGAIN;
		reader->disk_mode = DISK_MODE_BLOCKED;
		break;
	case DISK_MODE_BLOCKED: break;
	}
	errno = EAGAIN;
	return -1;
}

/* The answer of read_some where it would have to wait, but may not. */
enum { READ_LATER = -2 };

/* Let reads wait.  A FIFO has had a writer now: poll(2) does not report the end of
 * one that had closed it before it was opened here, but read(2) does. */
static void
begin_to_block(struct reader *reader)
{
	const int flags = fcntl(reader->fd, F_GETFL);

	if (flags >= 0)
		fcntl(reader->fd, F_SETFL, flags & ~O_NONBLOCK);
	reader->nonblocking = false;
}

/*
 * Read once into the rest of the buffer.  Return the number of bytes, 0 at the
 * end, READ_LATER, or -1 with errno set.  Like GNU's, it fails with EAGAIN on
 * an empty standard input in non-blocking mode.
 */
static ssize_t
read_some(struct reader *reader, uint8_t *to, size_t bytes, bool may_wait)
{
	for (;;) {
		/* A FIFO that never had a writer reads as ended when it is
		 * non-blocking; poll knows better. */
		if (reader->must_be_oldest &&
		    (reader->nonblocking || !may_wait) &&
		    !input_is_ready(reader, may_wait))
			return READ_LATER;

		ssize_t got = read_by_mode(reader, to, bytes);
		if (got > 0 && reader->must_be_oldest && reader->nonblocking)
			begin_to_block(reader);
		if (got >= 0)
			return got;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -1;
		if (reader->disk_mode == DISK_MODE_BLOCKED)
			return READ_LATER;
		if (!reader->must_be_oldest) {
			/* A "regular" file that blocks, such as a kernel log:
			 * read it as the oldest, in the ordinary way. */
			begin_to_block(reader);
			reader->must_be_oldest = true;
			return READ_LATER;
		}
		if (!reader->nonblocking)
			return -1;
		if (!may_wait)
			return READ_LATER;
	}
}

/* Keep the incomplete block at the end of `have` bytes in the buffer. */
static void
keep_tail(struct reader *reader, size_t have)
{
	reader->tail_bytes = have % SHA256_BLOCK_BYTES;
	memcpy(reader->tail, reader->buffer + have - reader->tail_bytes,
	       reader->tail_bytes);
}

static enum reader_answer
hand_out(const struct reader *reader, struct handout *handout, size_t have)
{
	handout->data = reader->buffer;
	handout->nblocks = (uint32_t)(have / SHA256_BLOCK_BYTES);
	handout->message_bytes = have / SHA256_BLOCK_BYTES * SHA256_BLOCK_BYTES;
	return READER_BLOCKS;
}

/* Hand out the last blocks, with the padding. */
static enum reader_answer
hand_out_end(struct reader *reader, struct handout *handout, size_t have)
{
	const size_t tail_bytes = have % SHA256_BLOCK_BYTES;

	hand_out(reader, handout, have);
	handout->nblocks += sha256_pad(reader->buffer + have - tail_bytes,
				       tail_bytes, reader->length);
	handout->message_bytes = have;
	reader->has_ended = true;
	/* Who waits for the digest of a FIFO may write to it again, and would
	 * lose that if it were still open here. */
	if (reader->must_be_oldest && !reader->is_regular)
		reader_close(reader);
	return READER_BLOCKS;
}

enum reader_answer
reader_next(struct reader *reader, struct handout *handout, bool may_wait)
{
	size_t have = reader->tail_bytes;

	if (reader->has_ended)
		return READER_END;
	memcpy(reader->buffer, reader->tail, have);
	for (;;) {
		size_t room = reader->capacity - have;
		ssize_t got;

		if (reader->read_bytes > 0 && reader->length == 0) {
			got = (ssize_t)reader->read_bytes;
			reader->read_bytes = 0;
			reader->zeros = 0;
		} else if (holes_cover(&reader->holes, reader->fd,
				       reader_place(reader), room)) {
			if (reader->zeros < room || have > 0)
				memset(reader->buffer + have, 0, room);
			reader->zeros = have > 0 ? 0 : room;
			got = (ssize_t)room;
		} else {
			reader->zeros = 0;
			got = read_some(reader, reader->buffer + have, room,
					may_wait);
		}

		if (got < 0) {
			const int error = errno;

			keep_tail(reader, have);
			errno = error;
			return got == READ_LATER ? READER_LATER : READER_FAILED;
		}
		note_read(reader, (size_t)got);
		have += (size_t)got;
		if (got == 0)
			return hand_out_end(reader, handout, have);
		/* A short read that reaches the size the file had when it was
		 * opened has seen its end; a file that shrank or grew is read
		 * until read says so. */
		if ((size_t)got < room && reader->length == reader->size)
			return hand_out_end(reader, handout, have);
		if (have >= SHA256_BLOCK_BYTES) {
			keep_tail(reader, have);
			return hand_out(reader, handout, have);
		}
	}
}

uint64_t
reader_remaining(const struct reader *reader)
{
	return reader->size > reader->length ? reader->size - reader->length :
					       0;
}
