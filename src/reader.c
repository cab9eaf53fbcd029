/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/batch.h"
#include "src/descriptor.h"
#include "src/disk.h"

uint32_t
reader_pad(uint8_t *tail, size_t tail_bytes, uint64_t length)
{
	uint32_t nblocks = tail_bytes < 56 ? 1 : 2;
	uint8_t *end = tail + nblocks * SHA256_BLOCK_BYTES;
	uint64_t bits = length << 3;

	tail[tail_bytes] = 0x80;
	memset(tail + tail_bytes + 1, 0,
	       (size_t)(end - tail) - tail_bytes - 1 - 8);
	for (int i = 1; i <= 8; i++, bits >>= 8)
		end[-i] = (uint8_t)bits;
	return nblocks;
}

static void
reader_init(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	*reader = (struct reader){
		.fd = -1,
		.buffer = buffer,
		.capacity = capacity
	};
}

/* What is it, and in which state before the first byte is read? */
static bool
look_at(struct reader *reader, struct stat *st)
{
	if (fstat(reader->fd, st) != 0)
		return false;
	reader->device = st->st_dev;
	reader->inode = st->st_ino;
	reader->regular = S_ISREG(st->st_mode);
	reader->size_before = st->st_size;
	reader->modified_before = st->st_mtim;
	return true;
}

bool
reader_sees_change(const struct reader *reader)
{
	const struct timespec *before = &reader->modified_before;
	struct stat st;

	/* Not ctime: it changes when a name is given or taken away, too. */
	return reader->regular &&
	       (fstat(reader->fd, &st) != 0 ||
		st.st_size != reader->size_before ||
		st.st_mtim.tv_sec != before->tv_sec ||
		st.st_mtim.tv_nsec != before->tv_nsec);
}

/*
 * The open does not block and does not wait for the writer of a FIFO, so that
 * a worker can look at an input whose turn has not come.  fstat replaces the
 * second read that would otherwise find the end of a small file, and tells
 * whether the input is a regular file before anything is read from it.
 */
bool
reader_open(struct reader *reader, const char *name, uint8_t *buffer,
	    size_t capacity, bool *opened)
{
	struct stat st;

	reader_init(reader, buffer, capacity);
	*opened = false;
	reader->fd = descriptor_open(name, O_NONBLOCK);
	if (reader->fd < 0 && errno == EWOULDBLOCK) {
		/* Somebody holds a lease on it: wait for the turn. */
		reader->waits = true;
		reader->reopens = true;
		return true;
	}
	if (reader->fd < 0)
		return false;
	*opened = true;
	reader->owns_fd = true;
	reader->nonblocking = true;
	if (!look_at(reader, &st)) {
		int saved = errno;

		reader_close(reader);
		errno = saved;
		return false;
	}

	if (reader->regular) {
		reader->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
		if (reader->size > capacity)
			posix_fadvise(reader->fd, 0, 0,
				      POSIX_FADV_SEQUENTIAL);
	} else if (S_ISDIR(st.st_mode)) {
		reader_close(reader);
		errno = EISDIR;
		return false;
	} else if (S_ISFIFO(st.st_mode)) {
		/* Keep the descriptor: closing it could kill a writer. */
		reader->waits = true;
		reader->fifo = true;
	} else {
		/* Some drivers open in another way when non-blocking. */
		reader_postpone(reader);
	}
	return true;
}

void
reader_open_stdin(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	struct stat st;

	reader_init(reader, buffer, capacity);
	reader->fd = descriptor_standard(STDIN_FILENO);
	reader->waits = true;
	look_at(reader, &st);
}

void
reader_postpone(struct reader *reader)
{
	reader_close(reader);
	reader->waits = true;
	reader->reopens = true;
}

/* What is read at once is not worth looking at a clock. */
void
reader_watch(struct reader *reader)
{
	if (reader->size > reader->capacity)
		reader->pace = READER_WATCHED;
}

bool
reader_turn(struct reader *reader, const char *name)
{
	struct stat st;

	if (!reader->reopens)
		return true;
	reader->fd = descriptor_open(name, 0);
	if (reader->fd < 0)
		return false;
	reader->owns_fd = true;
	reader->nonblocking = false;
	reader->reopens = false;
	look_at(reader, &st);
	return true;
}

void
reader_close(struct reader *reader)
{
	if (reader->owns_fd)
		close(reader->fd);
	reader->fd = -1;
	reader->owns_fd = false;
}

/* Is there anything to read, an end or an error?  Waits if it may. */
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

/* read(2), as it suits the pace. */
static ssize_t
read_at_pace(struct reader *reader, uint8_t *to, size_t bytes)
{
	bool waited = false;
	ssize_t got = -1;

	switch (reader->pace) {
	case READER_PATIENT:
		return read(reader->fd, to, bytes);
	case READER_WATCHED:
		got = disk_read(reader->fd, to, bytes, &waited);
		if (waited)
			reader->pace = READER_WARY;
		return got;
	case READER_WARY:
		got = disk_read_cached(reader->fd, to, bytes);
		if (got < 0 && errno == EAGAIN)
			reader->pace = READER_COLD;
		return got;
	case READER_COLD:
		errno = EAGAIN;
		break;
	}
	return got;
}

/*
 * One read(2) into the rest of the buffer: the number of bytes, 0 at the end,
 * -1 with errno, which is EAGAIN if it would have to wait but may not.
 */
static ssize_t
read_some(struct reader *reader, uint8_t *to, size_t bytes, bool may_wait)
{
	for (;;) {
		/* A FIFO that never had a writer reads as ended when it is
		 * non-blocking; poll knows better. */
		if (reader->waits && (reader->nonblocking || !may_wait) &&
		    !input_is_ready(reader, may_wait)) {
			errno = EAGAIN;
			return -1;
		}

		ssize_t got = read_at_pace(reader, to, bytes);
		if (got >= 0)
			return got;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN || reader->pace == READER_COLD)
			return -1;
		if (!reader->waits) {
			/* A "regular" file that blocks, such as a kernel log:
			 * read it in its turn, in the ordinary way. */
			int flags = fcntl(reader->fd, F_GETFL);

			if (flags >= 0)
				fcntl(reader->fd, F_SETFL,
				      flags & ~O_NONBLOCK);
			reader->nonblocking = false;
			reader->waits = true;
			errno = EAGAIN;
			return -1;
		}
		if (!may_wait)
			return -1;
	}
}

static enum reader_answer
hand_out(struct reader *reader, struct handout *handout, size_t have,
	 bool at_end)
{
	handout->data = reader->buffer;
	handout->nblocks = (uint32_t)(have / SHA256_BLOCK_BYTES);
	reader->tail_bytes = have % SHA256_BLOCK_BYTES;
	reader->tail_at = have - reader->tail_bytes;
	handout->message_bytes = reader->tail_at;
	if (at_end) {
		reader->ended = true;
		handout->message_bytes = have;
		handout->nblocks += reader_pad(reader->buffer +
						       reader->tail_at,
					       reader->tail_bytes,
					       reader->length);
	}
	return READER_BLOCKS;
}

void
reader_use_buffer(struct reader *reader, uint8_t *buffer, size_t capacity)
{
	memcpy(buffer, reader->buffer + reader->tail_at, reader->tail_bytes);
	reader->tail_at = 0;
	reader->buffer = buffer;
	reader->capacity = capacity;
}

enum reader_answer
reader_next(struct reader *reader, struct handout *handout, bool may_wait)
{
	if (reader->ended)
		return READER_END;

	/* What did not fill a block goes to the front. */
	size_t have = reader->tail_bytes;
	if (have > 0 && reader->tail_at > 0)
		memmove(reader->buffer, reader->buffer + reader->tail_at, have);
	reader->tail_at = 0;

	for (;;) {
		size_t room = reader->capacity - have;
		ssize_t got = read_some(reader, reader->buffer + have, room,
					may_wait);

		if (got < 0) {
			reader->tail_bytes = have;
			return errno == EAGAIN ? READER_LATER : READER_FAILED;
		}
		reader->length += (uint64_t)got;
		have += (size_t)got;
		if (got == 0)
			return hand_out(reader, handout, have, true);
		/* A short read that reaches the size the file had when it was
		 * opened has seen its end; a file that shrank or grew is read
		 * until read says so. */
		if ((size_t)got < room && reader->length == reader->size)
			return hand_out(reader, handout, have, true);
		if (have >= SHA256_BLOCK_BYTES)
			return hand_out(reader, handout, have, false);
	}
}
