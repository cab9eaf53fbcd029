/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/lanes/opening.h"
#include "src/lanes/page_cache.h"
#include "src/lanes/run.h"

/* Bytes that are read before they are dropped from the page cache. */
enum { UNCACHED_BYTES = 8 << 20 };

void
input_begin(struct input *in, struct run *run, struct job *job)
{
	*in = (struct input){ .run = run, .job = job, .fd = -1 };
	/* A device has failed: the same version is to be read again. */
	if (!job->restarted)
		job->version = (struct file_version){ 0 };
}

void
input_close(struct input *in)
{
	if (in->fd < 0)
		return;
	if (in->is_uncached)
		page_cache_drop(in->fd, 0);
	if (in->owns_fd)
		close(in->fd);
	else if (in->by_offset)
		lseek(in->fd, (off_t)input_place(in), SEEK_SET);
	in->fd = -1;
}

enum input_result
input_fail(struct input *in, int error)
{
	input_close(in);
	in->job->error = error;
	in->phase = INPUT_FAILED;
	return INPUT_ENDED;
}

bool
input_rotates(struct input *in)
{
	struct run *run = in->run;
	struct stat st;

	if (!run->disks ||
	    (in->job->version.device == 0 && !opening_look_at(in, &st)) ||
	    !disk_rotates(run->disks, in->job->version.device, in->fd))
		return false;
	ahead_turn_off(&run->ahead);
	return true;
}

/* Reading ----------------------------------------------------------------------- */

/* Return true if there is something to read, an end or an error.  Waits for
 * that only if may_wait. */
static bool
is_ready(const struct input *in, bool may_wait)
{
	struct pollfd input = { .fd = in->fd, .events = POLLIN };
	int ready;

	/* poll would wait for a descriptor that is not there. */
	if (in->fd < 0)
		return true;
	do
		ready = poll(&input, 1, may_wait ? -1 : 0);
	while (ready < 0 && errno == EINTR);
	return ready != 0;
}

ssize_t
input_read_cached(struct input *in, uint8_t *to, size_t bytes, off_t at)
{
	ssize_t got = -1;
#ifdef RWF_NOWAIT
	const struct iovec buffer = { .iov_base = to, .iov_len = bytes };

	got = preadv2(in->fd, &buffer, 1, at, RWF_NOWAIT);
#else
	(void)to, (void)bytes, (void)at;
	errno = ENOSYS;
#endif
	/* Not every file system, kernel and sandbox supports this.  read(2) will
	 * report an error of the file itself. */
	in->cache_is_unknown |= got < 0 && errno != EAGAIN;
	/* Linux 5.9 and 5.10 may answer 0 where the file goes on (preadv2(2)). */
	if (got == 0 && in->length < in->size) {
		errno = EAGAIN;
		return -1;
	}
	return got;
}

/* Let reads wait.  A FIFO has had a writer now: poll(2) does not report the end of
 * one that had closed it before it was opened here, but read(2) does. */
static void
begin_to_block(struct input *in)
{
	const int flags = fcntl(in->fd, F_GETFL);

	if (flags >= 0)
		fcntl(in->fd, F_SETFL, flags & ~O_NONBLOCK);
	in->is_nonblocking = false;
}

/* Return whether the next read may wait for storage. */
static bool
may_wait_for_storage(struct input *in)
{
	if (in->must_be_oldest)
		return true;
	switch (in->patience) {
	case INPUT_FOR_NOTHING: break;
	case INPUT_FOR_SHORT: return in->size <= INPUT_LONG_BYTES;
	case INPUT_FOR_DRIVES: return !input_rotates(in);
	case INPUT_FOR_ALL: return true;
	}
	return false;
}

/* Decide on a read that failed.  Return INPUT_BLOCKS to read once more. */
static enum input_result
why_not_read(struct input *in, bool may_wait)
{
	if (errno == EINTR)
		return INPUT_BLOCKS;
	if (errno != EAGAIN)
		return input_fail(in, errno);
	if (!in->must_be_oldest) {
		/* A "regular" file that blocks, such as a kernel log: read it as
		 * the oldest, in the ordinary way. */
		begin_to_block(in);
		in->must_be_oldest = true;
		return in->is_oldest ? INPUT_BLOCKS : INPUT_EARLY;
	}
	/* Like GNU's: an empty standard input in non-blocking mode. */
	if (!in->is_nonblocking)
		return input_fail(in, EAGAIN);
	return may_wait ? INPUT_BLOCKS : INPUT_LATER;
}

/* Read once, and set *got to the number of bytes, 0 at the end. */
static enum input_result
read_some(struct input *in, uint8_t *to, size_t bytes, bool may_wait,
	  size_t *got)
{
	enum input_result result = INPUT_BLOCKS;
	ssize_t n = -1;

	if (!may_wait_for_storage(in)) {
		if (!in->cache_is_unknown)
			n = input_read_cached(
				in, to, bytes,
				in->by_offset ? (off_t)input_place(in) : -1);
		*got = (size_t)n;
		return n < 0 ? INPUT_BLOCKED : INPUT_BLOCKS;
	}
	while (n < 0 && result == INPUT_BLOCKS) {
		/* A FIFO that never had a writer reads as ended when it is
		 * non-blocking; poll knows better. */
		if (in->must_be_oldest && (in->is_nonblocking || !may_wait) &&
		    !is_ready(in, may_wait))
			return INPUT_LATER;
		n = in->by_offset ?
			    pread(in->fd, to, bytes, (off_t)input_place(in)) :
			    read(in->fd, to, bytes);
		if (n < 0)
			result = why_not_read(in, may_wait);
		else if (n > 0 && in->must_be_oldest && in->is_nonblocking)
			begin_to_block(in);
	}
	*got = (size_t)n;
	return result;
}

/* Count bytes of the message.  If nothing may stay cached, drop their pages in
 * steps. */
static void
note_read(struct input *in, size_t bytes)
{
	in->length += bytes;
	if (!in->is_uncached || in->length - in->dropped < UNCACHED_BYTES)
		return;
	page_cache_drop(in->fd, input_place(in));
	in->dropped = in->length;
}

void
input_skip(struct input *in, int64_t bytes)
{
	assert(in->tail_bytes == 0);
	if (bytes < 0)
		in->length -= (uint64_t)-bytes;
	else
		note_read(in, (size_t)bytes);
	in->by_offset = true;
}

/* Hand out the `have` bytes in the buffer, but for the incomplete block. */
static enum input_result
hand_out(struct input *in, uint8_t *buffer, size_t have,
	 struct input_blocks *blocks)
{
	in->tail_bytes = have % SHA256_BLOCK_BYTES;
	memcpy(in->tail, buffer + have - in->tail_bytes, in->tail_bytes);
	*blocks = (struct input_blocks){
		.data = buffer,
		.n = (uint32_t)(have / SHA256_BLOCK_BYTES),
		.message_bytes = have - in->tail_bytes,
	};
	return INPUT_BLOCKS;
}

/* Hand out the last blocks, with the padding. */
static enum input_result
hand_out_end(struct input *in, uint8_t *buffer, size_t have,
	     struct input_blocks *blocks)
{
	hand_out(in, buffer, have, blocks);
	blocks->n += sha256_pad(buffer + blocks->message_bytes, in->tail_bytes,
				in->length);
	blocks->message_bytes = have;
	blocks->is_last = true;
	in->phase = INPUT_PADDED;
	/* Who waits for the digest of a FIFO may write to it again, and would
	 * lose that if it were still open here. */
	if (in->must_be_oldest && !in->is_regular)
		input_close(in);
	return INPUT_BLOCKS;
}

/* Read until there are whole blocks, or the end.  `have` bytes were read when the input
 * was opened. */
static enum input_result
read_blocks(struct input *in, uint8_t *buffer, size_t room, size_t have,
	    bool may_wait, struct input_blocks *blocks)
{
	size_t got = have;

	have = in->tail_bytes;
	memcpy(buffer, in->tail, have);
	for (;; got = 0) {
		const size_t wanted = room - have;

		if (got == 0 &&
		    holes_cover(&in->holes, in->fd, input_place(in), wanted)) {
			memset(buffer + have, 0, wanted);
			got = wanted;
		} else if (got == 0) {
			const enum input_result result = read_some(
				in, buffer + have, wanted, may_wait, &got);

			if (result != INPUT_BLOCKS) {
				hand_out(in, buffer, have, blocks);
				return result;
			}
		}
		note_read(in, got);
		have += got;
		/* A short read that reaches the size the file had when it was
		 * opened has seen its end; a file that shrank or grew is read
		 * until read says so. */
		if (got == 0 || (got < wanted && in->length == in->size))
			return hand_out_end(in, buffer, have, blocks);
		if (have >= SHA256_BLOCK_BYTES)
			return hand_out(in, buffer, have, blocks);
	}
}

enum input_result
input_step(struct input *in, uint8_t *buffer, size_t room, bool may_wait,
	   struct input_blocks *blocks)
{
	enum input_result result = INPUT_BLOCKS;
	size_t have = 0;

	assert(room >= SHA256_BLOCK_BYTES && room % SHA256_BLOCK_BYTES == 0);
	assert(in->job && in->tail_bytes < SHA256_BLOCK_BYTES);
	if (in->phase == INPUT_CLOSED) {
		if (in->job->kind == JOB_STDIN || opening_has_to_wait(in))
			opening_postpone(in);
		else
			result = opening_now(in, buffer, room, &have);
	}
	if (result != INPUT_BLOCKS)
		return result;
	if (in->phase == INPUT_PADDED || in->phase == INPUT_FAILED)
		return INPUT_ENDED;
	if (in->must_be_oldest && !in->is_oldest)
		return INPUT_EARLY;
	if (in->phase == INPUT_IN_TURN) {
		if (!may_wait && in->job->kind != JOB_STDIN)
			return INPUT_LATER;
		result = opening_in_turn(in, room);
	}
	if (result != INPUT_BLOCKS)
		return result;
	assert(in->phase == INPUT_OPEN);
	return read_blocks(in, buffer, room, have, may_wait, blocks);
}
