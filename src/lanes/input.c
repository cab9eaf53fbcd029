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
#include "src/base/descriptor.h"
#include "src/lanes/page_cache.h"
#include "src/lanes/run.h"

/* Bytes that are read before they are dropped from the page cache. */
enum { UNCACHED_BYTES = 8 << 20, SECTOR_BYTES = 512 };

void
input_begin(struct input *in, struct run *run, struct job *job)
{
	*in = (struct input){ .run = run, .job = job, .fd = -1 };
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

/* Close the input, whose job ends without a digest. */
static enum input_answer
fail(struct input *in, int error)
{
	input_close(in);
	in->job->error = error;
	in->phase = INPUT_FAILED;
	return INPUT_ENDED;
}

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

/* Remember what the input is, and its state before the first read. */
static bool
look_at(struct input *in, struct stat *st)
{
	if (fstat(in->fd, st) != 0)
		return false;
	in->version = version_of(st);
	in->is_regular = in->version.is_regular;
	return true;
}

bool
input_sees_change(const struct input *in, enum job_watch watched)
{
	const struct timespec *const changed = &in->version.changed;
	struct stat st;

	if (watched == JOB_UNWATCHED || !in->is_regular)
		return false;
	return fstat(in->fd, &st) != 0 ||
	       !file_version_is_same(version_of(&st), in->version) ||
	       (watched == JOB_GUARDED &&
		(st.st_ctim.tv_sec != changed->tv_sec ||
		 st.st_ctim.tv_nsec != changed->tv_nsec));
}

bool
input_rotates(struct input *in)
{
	struct run *run = in->run;
	struct stat st;

	if (!run->disks || (in->version.device == 0 && !look_at(in, &st)) ||
	    !disk_rotates(run->disks, in->version.device, in->fd))
		return false;
	fetch_turn_off(&run->fetch);
	return true;
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

static enum input_answer
why_not_open(struct input *in)
{
	struct job *job = in->job;

	/* A file that is gone since a device has read it is not one that never
	 * was there. */
	job->opened = job->begins_again;
	job->error = errno;
	return errno == EMFILE || errno == ENFILE ? INPUT_LACKING :
						    fail(in, errno);
}

/* Return whether the input is to be opened in its turn, as its name shows.  What the
 * filter will refuse is refused at once. */
static bool
has_to_wait(const struct input *in)
{
	const struct job *job = in->job;
	struct stat st;

	return __atomic_load_n(&in->run->is_strict, __ATOMIC_RELAXED) &&
	       !job->root && !job->is_open && job->blocks == 0 &&
	       (!job->filter || job->filter->any_kind) &&
	       stat(job->name, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

/* Open it in its turn. */
static void
postpone(struct input *in)
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
	const struct file_version *fifo = &in->version;
	struct run *run = in->run;
	bool keeps = true;

	sequencer_lock(&run->sequencer);
	for (unsigned i = 0; i < run->nfifos; i++)
		keeps &= run->fifos[i].device != fifo->device ||
			 run->fifos[i].inode != fifo->inode;
	keeps &= run->nfifos < RUN_FIFOS;
	if (keeps)
		run->fifos[run->nfifos++] = *fifo;
	sequencer_unlock(&run->sequencer);
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

/* Set the version of the job.  Return true if the open file is not to be hashed, and
 * set the verdict: the filter refuses or knows it, or the job begins again and the file
 * is not the same any more. */
static bool
is_refused(const struct input *in)
{
	struct job *job = in->job;
	const struct job_filter *filter = job->filter;
	const bool same = file_version_is_same(in->version, job->version);

	job->verdict = JOB_TRUSTED;
	job->version = in->version;
	if (job->begins_again && !same)
		job->verdict = JOB_CHANGED;
	else if (!filter)
		return false;
	else if (!in->is_regular)
		job->verdict = filter->any_kind ? JOB_TRUSTED : JOB_NOT_REGULAR;
	else if (filter->has_output && in->version.device == filter->device &&
		 in->version.inode == filter->inode)
		job->verdict = JOB_IS_OUTPUT;
	else if (filter->knows && filter->knows(job))
		job->verdict = JOB_KNOWN;
	return job->verdict != JOB_TRUSTED;
}

/* Read like pread(2), or read(2) at offset -1, but only from the cache. */
static ssize_t
read_cached(struct input *in, uint8_t *to, size_t bytes, off_t at)
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
	in->is_blind |= got < 0 && errno != EAGAIN;
	/* Linux 5.9 and 5.10 may answer 0 where the file goes on (preadv2(2)). */
	if (got == 0 && in->length < in->size) {
		errno = EAGAIN;
		return -1;
	}
	return got;
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
	const ssize_t got = read_cached(in, buffer, room, 0);

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

/* Decide on what was opened and is not a regular file.  Some drivers open in another
 * way when non-blocking. */
static void
note_special(struct input *in, const struct stat *st)
{
	in->must_be_oldest = true;
	if (!S_ISFIFO(st->st_mode))
		postpone(in);
	else if (!keeps_fifo(in)) {
		/* In its turn its writer may have come, and must not lose what
		 * it has written. */
		if (sequencer_is_oldest(&in->run->sequencer, in->job))
			reopen(in);
		else
			postpone(in);
	}
	__atomic_store_n(&in->run->is_strict, true, __ATOMIC_RELAXED);
}

/* Look at the file that was just opened, and check it: its filter may refuse it, or
 * earlier writes to it may have failed. */
static enum input_answer
accept(struct input *in)
{
	struct stat st;

	if (!look_at(in, &st))
		return fail(in, errno);
	if (S_ISDIR(st.st_mode))
		return fail(in, EISDIR);
	if (is_refused(in))
		return fail(in, 0);
	if (!in->is_regular)
		note_special(in, &st);
	else if (avoid_cache(in, &st))
		note_size(in, &st, st.st_size);
	else
		return fail(in, errno);
	return INPUT_BLOCKS;
}

/* Open the file without waiting for the writer of a FIFO, so that it can be looked at
 * before its turn.  Set *have to the bytes that were read of it. */
static enum input_answer
open_now(struct input *in, uint8_t *buffer, size_t room, size_t *have)
{
	struct job *job = in->job;
	const bool cached = in->patience == INPUT_FOR_NOTHING;
	/* The type and times of a small file are needed only for these. */
	const bool briefly = cached && !job->filter && !job->watched &&
			     !job->begins_again && !in->run->config->uncached;
	enum input_answer answer;

	in->fd = job->is_open ? job->fd : open_file(job, O_NONBLOCK, cached);
	job->is_open = false;
	if (in->fd < 0 && errno == EWOULDBLOCK) {
		if (cached)
			return INPUT_BLOCKED;
		/* Another process has a lease on it. */
		postpone(in);
		return INPUT_EARLY;
	}
	if (in->fd < 0)
		return why_not_open(in);
	in->phase = INPUT_OPEN;
	in->owns_fd = in->is_nonblocking = job->opened = true;
	if (briefly && read_whole(in, buffer, room, have))
		return INPUT_BLOCKS;
	answer = accept(in);
	/* Some files of the system have no size, or are read only in order. */
	if (in->by_offset && in->size == 0) {
		*have = 0;
		in->by_offset = false;
		if (in->fd >= 0)
			lseek(in->fd, 0, SEEK_SET);
	}
	return answer;
}

/*
 * Open what was postponed; all earlier inputs are done.  Standard input that is a file
 * belongs to the program from now on: treat it as a file with a name, unless little is
 * left of it.  When it is closed its offset is where read(2) would have left it.
 */
static enum input_answer
open_in_turn(struct input *in, size_t room)
{
	struct job *job = in->job;
	struct stat st;
	off_t at = -1;

	if (job->kind == JOB_STDIN) {
		in->fd = descriptor_standard(STDIN_FILENO);
		at = lseek(in->fd, 0, SEEK_CUR);
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
	if (!look_at(in, &st))
		return INPUT_BLOCKS;
	if (is_refused(in))
		return fail(in, 0);
	if (!avoid_cache(in, &st))
		return fail(in, errno);
	if (at >= 0 && in->is_regular && st.st_size - at > (off_t)room) {
		in->must_be_oldest = false;
		in->start = (uint64_t)at;
		in->by_offset = true;
		note_size(in, &st, st.st_size - at);
	}
	return INPUT_BLOCKS;
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
static enum input_answer
why_not_read(struct input *in, bool may_wait)
{
	if (errno == EINTR)
		return INPUT_BLOCKS;
	if (errno != EAGAIN)
		return fail(in, errno);
	if (!in->must_be_oldest) {
		/* A "regular" file that blocks, such as a kernel log: read it as
		 * the oldest, in the ordinary way. */
		begin_to_block(in);
		in->must_be_oldest = true;
		return in->is_oldest ? INPUT_BLOCKS : INPUT_EARLY;
	}
	/* Like GNU's: an empty standard input in non-blocking mode. */
	if (!in->is_nonblocking)
		return fail(in, EAGAIN);
	return may_wait ? INPUT_BLOCKS : INPUT_LATER;
}

/* Read once, and set *got to the number of bytes, 0 at the end. */
static enum input_answer
read_some(struct input *in, uint8_t *to, size_t bytes, bool may_wait,
	  size_t *got)
{
	enum input_answer answer = INPUT_BLOCKS;
	ssize_t n = -1;

	if (!may_wait_for_storage(in)) {
		if (!in->is_blind)
			n = read_cached(in, to, bytes,
					in->by_offset ? (off_t)input_place(in) :
							-1);
		*got = (size_t)n;
		return n < 0 ? INPUT_BLOCKED : INPUT_BLOCKS;
	}
	while (n < 0 && answer == INPUT_BLOCKS) {
		/* A FIFO that never had a writer reads as ended when it is
		 * non-blocking; poll knows better. */
		if (in->must_be_oldest && (in->is_nonblocking || !may_wait) &&
		    !is_ready(in, may_wait))
			return INPUT_LATER;
		n = in->by_offset ?
			    pread(in->fd, to, bytes, (off_t)input_place(in)) :
			    read(in->fd, to, bytes);
		if (n < 0)
			answer = why_not_read(in, may_wait);
		else if (n > 0 && in->must_be_oldest && in->is_nonblocking)
			begin_to_block(in);
	}
	*got = (size_t)n;
	return answer;
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
	if (bytes < 0)
		in->length -= (uint64_t)-bytes;
	else
		note_read(in, (size_t)bytes);
	in->by_offset = true;
}

/* Hand out the `have` bytes in the buffer, but for the incomplete block. */
static enum input_answer
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
static enum input_answer
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
static enum input_answer
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
			const enum input_answer answer = read_some(
				in, buffer + have, wanted, may_wait, &got);

			if (answer != INPUT_BLOCKS) {
				hand_out(in, buffer, have, blocks);
				return answer;
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

enum input_answer
input_step(struct input *in, uint8_t *buffer, size_t room, bool may_wait,
	   struct input_blocks *blocks)
{
	enum input_answer answer = INPUT_BLOCKS;
	size_t have = 0;

	assert(room >= SHA256_BLOCK_BYTES && room % SHA256_BLOCK_BYTES == 0);
	assert(in->job && in->tail_bytes < SHA256_BLOCK_BYTES);
	if (in->phase == INPUT_CLOSED) {
		if (in->job->kind == JOB_STDIN || has_to_wait(in))
			postpone(in);
		else
			answer = open_now(in, buffer, room, &have);
	}
	if (answer != INPUT_BLOCKS)
		return answer;
	if (in->phase == INPUT_PADDED || in->phase == INPUT_FAILED)
		return INPUT_ENDED;
	if (in->must_be_oldest && !in->is_oldest)
		return INPUT_EARLY;
	if (in->phase == INPUT_IN_TURN) {
		if (!may_wait && in->job->kind != JOB_STDIN)
			return INPUT_LATER;
		answer = open_in_turn(in, room);
	}
	if (answer != INPUT_BLOCKS)
		return answer;
	assert(in->phase == INPUT_OPEN);
	return read_blocks(in, buffer, room, have, may_wait, blocks);
}
