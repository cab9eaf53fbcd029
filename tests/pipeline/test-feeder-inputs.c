/* SPDX-License-Identifier: MIT */
/*
 * Promise: inputs without a size, files that change and few descriptors harm no
 * digest, and no launch waits for a stream.
 */
#include "config.h"

#include <pthread.h>
#include <sys/resource.h>

#include "tests/pipeline/feeder-rig.h"

/* Inputs without a size ------------------------------------------------------ */

enum { STREAM_BYTES = 100000 };

static struct list list;

struct writer {
	const char *fifo; /* NULL: the end of a pipe that is standard input */
	int fd;
	unsigned index;	 /* it writes when all before were emitted, */
	uint64_t blocks; /* and the device has hashed so many */
	const uint8_t *from;
};

static void *
write_in_turn(void *arg)
{
	const struct writer *writer = arg;
	const int fd = writer->fifo ? open(writer->fifo, O_WRONLY | O_CLOEXEC) :
				      writer->fd;
	size_t at = 0;

	while (__atomic_load_n(&list.emitted, __ATOMIC_RELAXED) <
		       writer->index ||
	       __atomic_load_n(&chaining.blocks, __ATOMIC_RELAXED) <
		       writer->blocks)
		usleep(1000);
	while (at < STREAM_BYTES) {
		ssize_t put = write(fd, writer->from + at, STREAM_BYTES - at);

		if (put < 0)
			exit(99);
		at += (size_t)put;
	}
	close(fd);
	return NULL;
}

static struct file *
add_stream(const char *name)
{
	struct file *file = add_name(name);

	file->len = STREAM_BYTES;
	file->from = random_32() % (CONTENT_BYTES - STREAM_BYTES);
	hash(content + file->from, STREAM_BYTES, file->digest);
	return file;
}

static void
add_files(unsigned n, uint64_t *blocks)
{
	while (n-- > 0) {
		const size_t len = 1 + random_32() % 20000;

		add_file(len);
		*blocks += message_padded_blocks(len);
	}
}

/* A pipe becomes standard input; returns its other end. */
static int
pipe_to_stdin(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], 0) != 0)
		exit(99);
	close(ends[0]);
	return ends[1];
}

/* The streams write only when all files behind them have been hashed. */
static void
test_streams(bool shared, unsigned threads)
{
	struct writer writers[2] = { { .fifo = "fifo" }, { .fifo = NULL } };
	pthread_t ids[2];
	uint64_t blocks = 0;

	nfiles = 0;
	unlink("fifo");
	if (mkfifo("fifo", 0600) != 0)
		exit(99);
	add_files(100, &blocks);
	writers[0].index = nfiles;
	writers[0].from = content + add_stream("fifo")->from;
	add_files(100, &blocks);
	writers[1].index = nfiles;
	add_stream("stdin")->is_stdin = true;
	writers[1].from = content + files[nfiles - 1].from;
	writers[1].fd = pipe_to_stdin();
	add_files(100, &blocks);
	chaining_init(2, BATCH_LANES);
	list_init(&list);
	for (unsigned i = 0; i < 2; i++) {
		writers[i].blocks = shared ? 0 : blocks;
		pthread_create(&ids[i], NULL, write_in_turn, &writers[i]);
	}
	ok(run_list(&list, threads, shared, NULL),
	   "a FIFO and standard input among files, %u threads%s: all right and "
	   "in order, and the device goes on meanwhile",
	   threads, shared ? ", shared" : "");
	for (unsigned i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
}

/* A CPU with one lane, which is busy with standard input until the device has
 * begun a long file; then it finds nothing else to do. */
static void *
open_single(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	void *self = engine_reference.open(context, words, limits, why_not);

	limits->lanes = 1;
	return self;
}

static void
test_rest(bool verify)
{
	struct engine single = engine_reference;
	struct pipeline_config config = { .engine = &engine_chaining,
					  .options = "",
					  .fallback = &single,
					  .threads = 1,
					  .shared = true };
	struct writer writer = { .blocks = 200 };
	struct libcrypto crypto = { 0 };
	struct diag why_not;
	pthread_t id;

	if (verify && libcrypto_load(&crypto, &why_not))
		config.crypto = &crypto;
	single.open = open_single;
	nfiles = 0;
	add_stream("stdin")->is_stdin = true;
	writer.from = content + files[0].from;
	writer.fd = pipe_to_stdin();
	add_file(4000000);
	chaining_init(1, BATCH_LANES);
	chaining.cuts = 100;
	chaining.wait_ms = 10;
	list_init(&list);
	pthread_create(&id, NULL, write_in_turn, &writer);
	ok(pipeline_run(&config, &list.source, &report, &why_not) &&
		   list.emitted == nfiles && list.wrong == 0 &&
		   list.by_device == 0,
	   "the CPU ends a long message that the device has begun%s",
	   config.crypto ? ", with --verify" : "");
	pthread_join(id, NULL);
	ok(chaining.blocks > 0 &&
		   chaining.blocks < message_padded_blocks(4000000),
	   "the device has hashed a part of it");
	if (config.crypto)
		libcrypto_unload(&crypto);
}

/* Files that are not what they seemed ---------------------------------------- */

enum { CHANGING = 128 };

/* Each is replaced at once, so that it is either the one or the other. */
static void
change_files(void)
{
	for (unsigned i = 0; i < CHANGING; i++) {
		struct file *file = &files[i];
		char name[NAME_BYTES];

		if (file->other_error) {
			unlink(file->name);
			continue;
		}
		snprintf(name, sizeof(name), "g%04u", i);
		if (rename(name, file->name) != 0)
			exit(99);
	}
}

static void
test_changes(bool shared)
{
	nfiles = 0;
	for (unsigned i = 0; i < CHANGING; i++) {
		struct file *file =
			add_file(random_32() % 5000 * (i % 4 == 0 ? 50 : 1));
		char name[NAME_BYTES];

		file->changes = true;
		file->other_error = i % 5 == 4 ? ENOENT : 0;
		file->other_len = i % 3 == 0 ? 0 : random_32() % 100000;
		snprintf(name, sizeof(name), "g%04u", i);
		write_file(name, content, file->other_len);
		hash(content, file->other_len, file->other_digest);
	}
	while (nfiles < 2 * CHANGING)
		add_file(random_32() % 1000);
	chaining_init(1, BATCH_LANES);
	list_init(&list);
	list.on_end = change_files;
	ok(run_list(&list, 1, shared, NULL),
	   "files that grow, shrink and vanish behind our back%s: all right",
	   shared ? ", shared" : "");
}

static void
test_descriptors(void)
{
	struct rlimit limit, low;
	unsigned good = 0;
	int next;

	nfiles = 0;
	while (nfiles < 100)
		add_file(nfiles % 7 == 6 ? 0 : 1 + random_32() % 300000);
	getrlimit(RLIMIT_NOFILE, &limit);
	next = dup(0);
	close(next);
	for (unsigned more = 1; more <= 9; more += 2)
		for (unsigned shared = 0; shared < 2; shared++) {
			low = limit;
			low.rlim_cur = (rlim_t)next + more;
			setrlimit(RLIMIT_NOFILE, &low);
			chaining_init(2, BATCH_LANES);
			good += run_quietly(2, shared);
			setrlimit(RLIMIT_NOFILE, &limit);
		}
	ok(good == 10, "with few descriptors no file is lost (%u of 10)", good);
}

static void
test_filter(void)
{
	struct job_filter filter = { .has_output = true };
	struct stat st;

	nfiles = 0;
	while (nfiles < 20)
		add_file(1000 * nfiles);
	if (stat(files[7].name, &st) != 0)
		exit(99);
	filter.device = st.st_dev;
	filter.inode = st.st_ino;
	chaining_init(1, BATCH_LANES);
	list_init(&list);
	list.filter = &filter;
	ok(run_list(&list, 1, false, NULL) && list.outputs == 1,
	   "a file that the filter refuses is not read");
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_streams(false, 1);
	test_streams(true, 1);
	test_streams(true, 3);
	test_rest(false);
	test_rest(true);
	test_changes(false);
	test_changes(true);
	test_descriptors();
	test_filter();
	return rig_close() ? tap_done() : 99;
}
