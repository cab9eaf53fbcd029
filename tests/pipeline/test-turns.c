/* SPDX-License-Identifier: MIT */
/*
 * Promise: regular files that have to wait for their turn after a part of them
 * has been read (a kernel's log) never keep an earlier input from the only lane
 * of the only worker beside a device.
 *
 * The linker gives the library's calls of read to __wrap_read.
 */
#include "config.h"

#include <pthread.h>
#include <sys/stat.h>

#include "tests/pipeline/feeder-rig.h"

/* A log: it has `first` bytes at once, and more for who waits. */
enum { LOGS = 3, FIRST_BYTES = 1000 };
static struct log {
	const struct file *file;
	ino_t inode;
	size_t at;
	bool waited;
} logs[LOGS];
static unsigned nlogs;

ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);

static struct log *
log_of(int fd)
{
	struct stat st;

	for (unsigned i = 0; i < nlogs; i++)
		if (fstat(fd, &st) == 0 && st.st_ino == logs[i].inode)
			return &logs[i];
	return NULL;
}

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	struct log *log = log_of(fd);
	size_t end;

	if (!log)
		return __real_read(fd, to, bytes);
	end = log->waited ? log->file->len : FIRST_BYTES;
	if (log->at == FIRST_BYTES && !log->waited) {
		log->waited = true;
		errno = EAGAIN;
		return -1;
	}
	if (bytes > end - log->at)
		bytes = end - log->at;
	memcpy(to, content + log->file->from + log->at, bytes);
	log->at += bytes;
	return (ssize_t)bytes;
}

/* With a size it is the device's at first, and without one a worker's. */
static void
add_log(bool has_size)
{
	const struct file *file = add_file(200000);
	struct stat st;

	if (!has_size && truncate(file->name, 0) != 0)
		exit(99);
	if (stat(file->name, &st) != 0)
		exit(99);
	logs[nlogs++] = (struct log){ .file = file, .inode = st.st_ino };
}

/* A CPU with one lane. */
static void *
open_single(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	void *self = engine_reference.open(context, words, limits, why_not);

	limits->lanes = 1;
	return self;
}

static struct list list;

/* Standard input ends when the device has hashed so much. */
struct writer {
	int fd;
	uint64_t blocks;
};

static void *
end_stdin(void *arg)
{
	const struct writer *writer = arg;

	while (__atomic_load_n(&chaining.blocks, __ATOMIC_RELAXED) <
	       writer->blocks)
		usleep(1000);
	close(writer->fd);
	return NULL;
}

static void
begin_with_stdin(struct writer *writer)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], 0) != 0)
		exit(99);
	close(ends[0]);
	*writer = (struct writer){ .fd = ends[1] };
	add_name("stdin")->is_stdin = true;
	hash(content, 0, files[0].digest);
}

static void
add_files(struct writer *writer, unsigned n)
{
	while (n-- > 0) {
		add_file(40000);
		writer->blocks += message_padded_blocks(40000);
	}
}

/* Right and in order?  `writer` is NULL if standard input is not among them. */
static bool
run(struct writer *writer)
{
	struct engine single = engine_reference;
	struct pipeline_config config = { .engine = &engine_chaining,
					  .options = "",
					  .fallback = &single,
					  .threads = 1 };
	struct diag why_not;
	pthread_t id;
	bool ran;

	single.open = open_single;
	chaining_init(1, BATCH_LANES);
	list_init(&list);
	if (writer)
		pthread_create(&id, NULL, end_stdin, writer);
	ran = pipeline_run(&config, &list.source, &report, &why_not);
	if (writer)
		pthread_join(id, NULL);
	nlogs = 0;
	return ran && list.emitted == nfiles && list.wrong == 0 &&
	       list.out_of_order == 0;
}

/* The device has begun the log while standard input keeps the worker's lane,
 * which a device file needs before the rest of the log. */
static void
test_rest(void)
{
	struct writer writer;

	nfiles = 0;
	begin_with_stdin(&writer);
	add_name("/dev/null");
	hash(content, 0, files[1].digest);
	add_log(true);
	add_files(&writer, 200);
	ok(run(&writer), "a log that the device has begun keeps no earlier "
			 "input from the only lane");
}

/* The worker has begun one log while the device begins an earlier one. */
static void
test_lane(void)
{
	struct writer ignored = { .blocks = 0 };

	nfiles = 0;
	add_log(true);
	add_log(false);
	add_files(&ignored, 200);
	ok(run(NULL), "a log that the worker has begun keeps no earlier one "
		      "from the only lane");
	nfiles = 0;
	add_log(false);
	add_log(true);
	add_log(false);
	add_files(&ignored, 20);
	ok(run(NULL), "a row of logs: all right and in order");
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_rest();
	test_lane();
	return rig_close() ? tap_done() : 99;
}
