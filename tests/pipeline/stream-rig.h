/* SPDX-License-Identifier: MIT */
/*
 * stream-rig: a stream, and a test that takes the part of the device: it says
 * how many blocks of a launch are done, and with which states messages end.
 * Header only.
 */
#ifndef TESTS_PIPELINE_STREAM_RIG_H
#define TESTS_PIPELINE_STREAM_RIG_H

#include <errno.h>
#include <poll.h>

#include "src/base/descriptor.h"
#include "src/base/fips180.h"
#include "src/feed/stream.h"
#include "tests/pipeline/dispatch-rig.h"

enum { BLOCKS = 10, ENDS = 4, ANY_NUMBER = 1 << 30 };

static struct batch batch;
static struct stream stream;
static struct stream_room room;
static struct work_plan plan;
static uint8_t memory[2][(BLOCKS + 1) * 64];

/* Linked in place of what can fail (--wrap) ---------------------------------- */

static int open_error, read_error;
static bool no_memory;
static unsigned allocations_left = UINT32_MAX;

int
__real_descriptor_open(const char *name, int flags);
int
__wrap_descriptor_open(const char *name, int flags);
ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);
int
__real_poll(struct pollfd *inputs, nfds_t n, int ms);
int
__wrap_poll(struct pollfd *inputs, nfds_t n, int ms);
void *
__real_malloc(size_t bytes);
void *
__wrap_malloc(size_t bytes);
void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);

int
__wrap_descriptor_open(const char *name, int flags)
{
	errno = open_error;
	return open_error ? -1 : __real_descriptor_open(name, flags);
}

/* A log has nothing more to read. */
int
__wrap_poll(struct pollfd *inputs, nfds_t n, int ms)
{
	return read_error == EAGAIN ? 0 : __real_poll(inputs, n, ms);
}

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	errno = read_error;
	return read_error ? -1 : __real_read(fd, to, bytes);
}

static inline bool
may_allocate(void)
{
	if (no_memory || allocations_left == 0)
		return false;
	allocations_left--;
	return true;
}

void *
__wrap_malloc(size_t bytes)
{
	return may_allocate() ? __real_malloc(bytes) : NULL;
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return may_allocate() ? __real_calloc(n, bytes) : NULL;
}

/* Rig ------------------------------------------------------------------------ */

static struct job *ended;
static unsigned nended;

static inline void
note_end(void *feeder, struct job *job)
{
	if (feeder != &room)
		exit(99);
	ended = job;
	nended++;
}

static inline void
begin(void)
{
	rig_begin(true);
	memset(&batch, 0, sizeof(batch));
	memset(memory, 0xee, sizeof(memory));
	stream = (struct stream){ .job = NULL };
	room = (struct stream_room){ .dispatch = &dispatch,
				     .blocks = BLOCKS,
				     .ends = ENDS,
				     .ready = ANY_NUMBER,
				     .ended = note_end,
				     .feeder = &room };
	plan = (struct work_plan){ .target = 1000, .share = 1000 };
	open_error = read_error = 0;
	ended = NULL;
	nended = 0;
	if (!stream_init(&stream, &room, &batch, 3))
		exit(99);
	for (unsigned i = 0; i < 2; i++)
		stream.buffers[i].data = memory[i];
}

static inline void
end(void)
{
	stream_free(&stream);
	rig_end();
}

/* So many files, each full of its number of blocks, wait for lanes. */
static inline void
add(unsigned blocks)
{
	uint8_t bytes[64 * 64];
	int fd;

	rig_add_files(1, blocks);
	memset(bytes, (int)blocks, sizeof(bytes));
	fd = open(list.names[list.n - 1], O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, bytes, blocks * 64 - 9) < 0)
		exit(99);
	close(fd);
}

static inline void
look(void)
{
	/* So that they come in order. */
	dispatch.split.in_lanes = 1000000;
	dispatch_look_ahead(&dispatch, 0, 0, 1000, &view);
}

static inline void
fill(void)
{
	stream_fill(&stream, &room, plan.target, &plan);
}

static inline const struct stream_buffer *
buffer(unsigned i)
{
	return &stream.buffers[i];
}

/* Has the buffer so many blocks and ends, at these blocks? */
static inline bool
has(unsigned i, uint32_t filled, uint32_t nends, uint32_t first,
    uint32_t second)
{
	const struct stream_buffer *of = buffer(i);

	return of->filled == filled && of->nends == nends &&
	       (nends < 1 || of->ends[0].block == first) &&
	       (nends < 2 || of->ends[1].block == second);
}

/* The job that ends there is that of so many blocks. */
static inline bool
ends_with(unsigned i, unsigned end, uint64_t blocks)
{
	const struct stream_item *item = &buffer(i)->items[end];

	return item->job && !item->rest && item->job->blocks == blocks &&
	       item->job->size == blocks * 64 - 9;
}

/* A launch that does so many blocks.  The states are 0x10, 0x11 and so on. */
static inline void
launch(uint32_t done)
{
	const struct batch_end *first = buffer(stream.front)->ends;

	for (uint32_t i = 0; i < batch.nends[3]; i++) {
		struct batch_end *at = &batch.ends[3][i];

		memset(at->state, (int)(0x10 + (at - first)),
		       sizeof(at->state));
	}
	batch.done[3] = done;
	stream_advance(&stream);
}

static struct stream_item item;
static uint32_t state[SHA256_STATE_WORDS];

static inline bool
collect(void)
{
	memset(state, 0, sizeof(state));
	return stream_collect(&stream, &item, state);
}

static inline bool
states_are(const uint32_t words[SHA256_STATE_WORDS], uint8_t byte)
{
	uint32_t expected[SHA256_STATE_WORDS];

	memset(expected, byte, sizeof(expected));
	return memcmp(words, expected, sizeof(expected)) == 0;
}

static inline bool
begins_with(const uint32_t words[SHA256_STATE_WORDS])
{
	uint32_t column[SHA256_STATE_WORDS];

	batch_get_state(&batch, 3, column);
	return memcmp(column, words, sizeof(column)) == 0;
}

#endif
