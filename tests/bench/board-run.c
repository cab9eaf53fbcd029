/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/bench/board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/abi/soc.h"
#include "src/pipeline/pipeline.h"
#include "tests/bench/virtual-time.h"

enum {
	FILES = 1024,	   /* open at a time */
	FIRST_FD = 1 << 20 /* no real file has this */
};

/* Seconds to start a thread that helps to fill, and to end it. */
static const double thread_seconds = 0.0001;

/* Ends of a lane, as of both real engines (lanes_launch.h, tiles_plan.h). */
static const unsigned ends_of_lane = 512, ends_of_stream = 36;

struct open_file {
	const struct sized_message *message; /* NULL: free */
	uint64_t at;
};

/* The run; there is one at a time. */
static struct {
	const struct board *board;
	const struct sized_message *messages;
	size_t n, taken, ended;
	char (*names)[12];
	struct open_file files[FILES];
	/* The device: */
	uint8_t *memory;
	size_t bytes;
	double done_at;
	uint64_t lane_blocks, room;
	uint64_t core_blocks; /* hashed by the CPU */
} sim;

/* Files -------------------------------------------------------------------- */

/* The C library's function, and what is called in its place. */
#define REPLACED(name) __typeof__(name) __real_##name, __wrap_##name

REPLACED(open);
REPLACED(close);
REPLACED(stat);
REPLACED(fstat);
REPLACED(lseek);
REPLACED(read);
REPLACED(pread);

/* Names of files that exist here begin so. */
static const char mark = '#';

static const struct sized_message *
message_of(const char *name)
{
	return name[0] == mark ? &sim.messages[strtoul(name + 1, NULL, 10)] :
				 NULL;
}

static struct open_file *
file_of(int fd)
{
	return fd >= FIRST_FD ? &sim.files[fd - FIRST_FD] : NULL;
}

static int
describe(const struct sized_message *message, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFREG | 0400;
	st->st_size = (off_t)message->bytes;
	return 0;
}

int
__wrap_open(const char *name, int flags, ...)
{
	const struct sized_message *message = message_of(name);
	struct open_file *file = sim.files;

	/* Nobody here creates a file. */
	if (!message)
		return __real_open(name, flags);
	while (file->message)
		if (++file == sim.files + FILES) {
			errno = EMFILE;
			return -1;
		}
	*file = (struct open_file){ .message = message };
	virtual_time_compute(sim.board->file_us * 1e-6);
	return FIRST_FD + (int)(file - sim.files);
}

int
__wrap_close(int fd)
{
	if (!file_of(fd))
		return __real_close(fd);
	file_of(fd)->message = NULL;
	return 0;
}

int
__wrap_stat(const char *name, struct stat *st)
{
	const struct sized_message *message = message_of(name);

	if (!message)
		return __real_stat(name, st);
	virtual_time_compute(sim.board->stat_us * 1e-6);
	return describe(message, st);
}

int
__wrap_fstat(int fd, struct stat *st)
{
	return file_of(fd) ? describe(file_of(fd)->message, st) :
			     __real_fstat(fd, st);
}

off_t
__wrap_lseek(int fd, off_t at, int whence)
{
	if (!file_of(fd))
		return __real_lseek(fd, at, whence);
	return whence == SEEK_END ? (off_t)file_of(fd)->message->bytes : at;
}

/* Write nothing: no engine here reads the bytes. */
static ssize_t
read_at(const struct open_file *file, uint64_t at, const uint8_t *to, size_t n)
{
	const uint64_t left = file->message->bytes - at;

	if (n > left)
		n = (size_t)left;
	if (sim.memory && to >= sim.memory && to < sim.memory + sim.bytes)
		virtual_time_compute((double)n / (sim.board->copy_mb * 1e6));
	return (ssize_t)n;
}

ssize_t
__wrap_read(int fd, void *to, size_t n)
{
	struct open_file *file = file_of(fd);
	ssize_t got;

	if (!file)
		return __real_read(fd, to, n);
	got = read_at(file, file->at, to, n);
	file->at += (uint64_t)got;
	return got;
}

ssize_t
__wrap_pread(int fd, void *to, size_t n, off_t at)
{
	return file_of(fd) ? read_at(file_of(fd), (uint64_t)at, to, n) :
			     __real_pread(fd, to, n, at);
}

/* Jobs --------------------------------------------------------------------- */

static enum source_result
next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source, (void)is_oldest;
	if (sim.taken == sim.n)
		return SOURCE_END;
	job->kind = JOB_FILE;
	job->name = sim.names[sim.taken++];
	return SOURCE_JOB;
}

static void
emit(struct source *source, struct job *job)
{
	const struct sized_message *message = message_of(job->name);

	(void)source;
	if (job->error || job->size != message->bytes) {
		fprintf(stderr, "boards: %s: %s\n", job->name,
			strerror(job->error));
		exit(99);
	}
	sim.ended++;
}

static void
flush(struct source *source)
{
	(void)source;
}

/* Engines ------------------------------------------------------------------ */

static bool
probe(const void *context, struct diag *why)
{
	(void)context, (void)why;
	return true;
}

static void *
allocate(void *self, size_t bytes)
{
	(void)self;
	return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

static void
release(void *self, void *memory, size_t bytes)
{
	(void)self, (void)bytes;
	free(memory);
}

static enum engine_status
wait_for_nothing(void *self, struct diag *why)
{
	(void)self, (void)why;
	return ENGINE_OK;
}

static void
close_engine(void *self)
{
	(void)self;
}

/* NEON has four lanes, and an ARM1176 none. */
static void *
open_cpu(const void *context, const char *words, struct engine_limits *limits,
	 struct diag *why)
{
	(void)context, (void)words, (void)why;
	*limits =
		(struct engine_limits){ .lanes = sim.board->cores > 1 ? 4 : 1 };
	return &sim;
}

static enum engine_status
hash_on_core(void *self, struct engine_lane *lanes, unsigned n,
	     struct diag *why)
{
	uint64_t blocks = 0;

	(void)self, (void)why;
	for (unsigned i = 0; i < n; i++)
		blocks += lanes[i].done = lanes[i].nblocks;
	sim.core_blocks += blocks;
	virtual_time_give_way();
	virtual_time_compute((double)blocks * 64 / (sim.board->hash_mb * 1e6));
	return ENGINE_OK;
}

static void *
open_device(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why)
{
	(void)context, (void)words, (void)why;
	*limits = (struct engine_limits){ .lanes = LANES,
					  .chained = ends_of_lane,
					  .slack_bytes = 336 };
	if (sim.board->tiles) {
		limits->lanes = 186;
		limits->chained = ends_of_stream;
	}
	return &sim;
}

static void *
allocate_device(void *self, size_t bytes)
{
	sim.memory = allocate(self, bytes);
	sim.bytes = bytes;
	return sim.memory;
}

static void
release_device(void *self, void *memory, size_t bytes)
{
	release(self, memory, bytes);
	sim.memory = NULL;
}

/* The blocks and ends of a QPU's lanes, lanes[first] and those after it. */
static void
add_lanes(struct launch *launch, struct engine_lane *lanes, unsigned first,
	  unsigned n)
{
	bool is_end[1024] = { false };
	const unsigned qpu = first / n;

	for (unsigned k = 0; k < n; k++) {
		struct engine_lane *lane = &lanes[first + k];
		const uint32_t blocks = lane->nblocks;
		uint32_t before = 0;

		lane->done = blocks;
		if (blocks == 0)
			continue;
		launch->blocks[sim.board->tiles ? first + k : qpu + k * QPUS] =
			blocks;
		launch->all += blocks;
		for (uint32_t i = 0; i <= lane->nends; i++) {
			const uint32_t end =
				i < lane->nends ? lane->ends[i].block : blocks;

			if (end - before > launch->longest)
				launch->longest = end - before;
			if (i < lane->nends && !is_end[end % 1024])
				launch->ends[qpu % QPUS]++;
			is_end[end % 1024] |= i < lane->nends;
			before = end;
		}
	}
}

static enum engine_status
launch_device(void *self, struct engine_lane *lanes, unsigned n,
	      struct diag *why)
{
	const unsigned of_qpu = sim.board->tiles ? 6 : LANES / QPUS;
	struct launch launch = { .all = 0 };

	(void)self, (void)why;
	for (unsigned i = 0; i < n; i += of_qpu)
		add_lanes(&launch, lanes, i, of_qpu);
	sim.lane_blocks += launch.all;
	sim.room += longest_lane(&launch) * LANES;
	sim.done_at = virtual_time_now() + launch_time(sim.board, &launch);
	return ENGINE_OK;
}

static enum engine_status
wait_for_device(void *self, struct diag *why)
{
	(void)self, (void)why;
	virtual_time_sleep_until(sim.done_at);
	return ENGINE_OK;
}

static const struct engine cpu = { .name = "core",
				   .per_thread = true,
				   .probe = probe,
				   .open = open_cpu,
				   .alloc = allocate,
				   .free = release,
				   .submit = hash_on_core,
				   .wait = wait_for_nothing,
				   .close = close_engine };

static const struct engine device = { .name = "board",
				      .probe = probe,
				      .open = open_device,
				      .alloc = allocate_device,
				      .free = release_device,
				      .submit = launch_device,
				      .wait = wait_for_device,
				      .close = close_engine };

/* Runs --------------------------------------------------------------------- */

/* Return the speeds that the program expects of the board. */
static struct engine_speed
speed_of(const struct board *board)
{
	const struct soc *soc = soc_of_compatible(board->chip);
	struct engine_speed speed = { .lanes = LANES,
				      .device_rate =
					      (board->tiles ? 323e6 : 427e6) /
					      250 * soc->qpu_mhz };

	soc_speed(soc, &speed);
	return speed;
}

static void
begin(size_t n)
{
	sim.names = malloc(n * sizeof(*sim.names));
	if (!sim.names)
		exit(99);
	for (size_t i = 0; i < n; i++)
		snprintf(sim.names[i], sizeof(*sim.names), "%c%u", mark,
			 (unsigned)i);
}

struct board_outcome
board_run(const struct board *board, const struct sized_message *messages,
	  size_t n, enum board_way way)
{
	struct source source = { next, emit, flush, -1 };
	static struct pool pool;
	const struct pipeline_config config = {
		.engine = way == BOARD_CPU ? &cpu : &device,
		.options = "",
		.fallback = &cpu,
		.with_cpu = way == BOARD_BOTH,
		.speed = speed_of(board),
		.threads = board->cores,
		.root = "/nowhere",
		.pool = &pool,
	};
	static struct run_report report;
	struct board_outcome outcome = { 0 };
	struct diag why;

	memset(&sim, 0, sizeof(sim));
	sim.board = board;
	sim.messages = messages;
	sim.n = n;
	begin(n);
	pool_init(&pool, 0);
	virtual_time_begin(board->cores, thread_seconds);
	if (!pipeline_run(&config, &source, &report, &why) || sim.ended != n)
		exit(99);
	outcome.seconds = virtual_time_end();
	pool_end(&pool);
	outcome.blocks = sim.lane_blocks + sim.core_blocks;
	if (sim.room > 0)
		outcome.occupancy = (double)sim.lane_blocks / (double)sim.room;
	free(sim.names);
	return outcome;
}
