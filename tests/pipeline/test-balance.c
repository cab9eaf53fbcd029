/* SPDX-License-Identifier: MIT */
/*
 * Promise: inputs, readers and the pipeline give back what they take, also
 * when they are closed in the middle or a device is lost.
 */
#include "config.h"

#include <sys/stat.h>

#include "src/inputs/check_source.h"
#include "src/inputs/hash_source.h"
#include "src/lanes/message.h"
#include "src/lanes/readahead.h"
#include "src/output/status_line.h"
#include "src/pipeline/lookahead.h"
#include "tests/pipeline/feeder-rig.h"
#include "tests/support/balance.h"

enum { ROOM = 1 << 16 };

static char buffer[ROOM + READER_PADDING_BYTES];

/* Readers --------------------------------------------------------------------- */

static void
open_inputs(void)
{
	static const char *const names[] = { "f0000", ".", "missing",
					     "/dev/null", "fifo" };
	struct reader *reader = reader_new();
	bool opened;

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		reader_open(reader, NULL, names[i], (uint8_t *)buffer, ROOM,
			    &opened);
	reader_reset(reader);
	reader_open(reader, NULL, "f0000", (uint8_t *)buffer, ROOM, &opened);
	reader_free(reader);
	reader_free(NULL);
}

static void
read_ahead(void)
{
	struct reader *reader = reader_new();
	struct readahead *ahead;
	struct handout handout;
	bool opened;

	if (!reader_open(reader, NULL, "f0001", (uint8_t *)buffer, ROOM,
			 &opened))
		exit(99);
	ahead = readahead_start(reader, 128);
	while (readahead_next(ahead, &handout) == READER_BLOCKS)
		;
	readahead_stop(ahead);
	reader_free(reader);
}

static void
move_lanes(void)
{
	message_free(message_new());
}

/* Sources --------------------------------------------------------------------- */

/* Take so many jobs, and drop them. */
static void
take_jobs(struct source *source, struct tree *tree, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct job job = { .name = NULL };

		if (source->next(source, &job, true) == SOURCE_END)
			return;
		tree_release(tree, &job);
	}
}

static void
hash_tree(unsigned jobs)
{
	static char top[] = "top", file[] = "f0000", missing[] = "missing";
	static char pseudo[] = "/proc"; /* is not walked */
	char *operands[] = { file, top, missing, pseudo, top };
	const struct input_options options = { .operands = operands,
					       .noperands = 5,
					       .recursive = true };
	struct hash_source hash;

	hash_source_init(&hash, &options);
	take_jobs(&hash.source, &hash.tree, jobs);
	hash_source_close(&hash);
}

static void
walk_trees(void)
{
	for (unsigned jobs = 0; jobs < 14; jobs++)
		hash_tree(jobs);
}

static void
hash_list(const char *list, unsigned jobs)
{
	const struct input_options options = { .files0_from = list };
	struct hash_source hash;

	hash_source_init(&hash, &options);
	take_jobs(&hash.source, &hash.tree, jobs);
	hash_source_close(&hash);
}

static void
read_lists(void)
{
	for (unsigned jobs = 0; jobs < 5; jobs++)
		hash_list("names", jobs);
	hash_list("missing", 2);
	hash_list(".", 2);
}

static void
check_lists(const char *unlisted, unsigned jobs)
{
	static char first[] = "sums", second[] = "missing";
	char *operands[] = { first, second, first };
	const struct input_options options = { .operands = operands,
					       .noperands = 3,
					       .verbosity = INPUT_WARN,
					       .unlisted = unlisted };
	struct check_source check;

	check_source_init(&check, &options);
	take_jobs(&check.source, &check.unlisted.tree, jobs);
	check_source_close(&check);
}

static void
check_files(void)
{
	for (unsigned jobs = 0; jobs < 16; jobs++) {
		check_lists(NULL, jobs);
		check_lists("top", jobs);
	}
	check_lists("missing", 16);
}

static void
look_ahead(void)
{
	struct lookahead lookahead;
	struct list list;

	list_init(&list);
	lookahead_init(&lookahead, &list.source, 10);
	lookahead_close(&lookahead);
}

/* Runs ------------------------------------------------------------------------ */

/* On the CPU alone: rounds of four, to have threads. */
static void
run_cpu(void)
{
	struct list list;
	struct pipeline_config config = { .engine = &engine_cpu,
					  .options = "",
					  .fallback = &engine_cpu,
					  .threads = 4 };

	list_init(&list);
	pipeline_run(&config, &list.source, &report, NULL);
}

static void
run_alone(void)
{
	balance_no_threads = true;
	balance_refused = 0;
	run_cpu();
	balance_no_threads = false;
}

static void
run_device(void)
{
	chaining_init(2, BATCH_LANES);
	run_quietly(3, true);
}

static void
lose_device(void)
{
	chaining_init(2, BATCH_LANES);
	chaining.fails_at = 2;
	run_quietly(3, false);
	chaining_init(2, BATCH_LANES);
	chaining.tight = 4096;
	run_quietly(3, false);
}

static void
refuse(void)
{
	struct list list;
	struct pipeline_config config = { .engine = &engine_cpu,
					  .options = "-nonsense",
					  .fallback = &engine_cpu,
					  .threads = 4 };
	struct diag why;

	list_init(&list);
	if (pipeline_run(&config, &list.source, &report, &why))
		exit(99);
}

/* There is none for the feeder either. */
static bool alone_is_right;

static void
run_device_alone(void)
{
	chaining_init(2, BATCH_LANES);
	balance_no_threads = true;
	alone_is_right = run_quietly(3, true) && chaining.launches == 0;
	balance_no_threads = false;
}

/* Without a terminal there is only a signal to be answered, to the end. */
static void
tick(void)
{
	status_line_begin(NULL, 0, false);
	status_line_end();
}

/* Three files and a link below top, lists of names and of digests. */
static void
make_inputs(void)
{
	static const char names[] = "f0000\0missing\0f0001";
	static const char sums[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
		"b855  f0000\nnot a line\n"
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
		"b855  top/a\n";

	if (mkdir("top", 0700) != 0 || mkdir("top/below", 0700) != 0 ||
	    mkfifo("fifo", 0600) != 0 || mkfifo("top/fifo", 0600) != 0 ||
	    symlink("a", "top/link") != 0)
		exit(99);
	write_file("top/a", content, 10);
	write_file("top/below/b", content, 20);
	write_file("top/below/c", content, 30);
	write_file("names", (const uint8_t *)names, sizeof(names));
	write_file("sums", (const uint8_t *)sums, sizeof(sums) - 1);
	mix_files(120, 1 << 20);
}

int
main(void)
{
	alarm(120);
	if (!rig_open())
		return 99;
	make_inputs();
	balance_test(open_inputs, "a reader");
	balance_test(read_ahead, "a thread that reads ahead");
	balance_test(move_lanes, "a lane's transfer");
	balance_test(walk_trees, "a walk, ended anywhere,");
	balance_test(read_lists, "a list of names, ended anywhere,");
	balance_test(check_files, "a list of digests, ended anywhere,");
	balance_test(look_ahead, "a look at the first jobs");
	balance_test(run_cpu, "a run on the CPU");
	balance_test(run_alone, "a run that gets no threads");
	ok(balance_refused == 1, "and asks for one only once");
	balance_test(run_device, "a run on a device");
	ok(chaining.opened == 0, "and closes it");
	balance_test(lose_device, "a run that loses its device");
	balance_test(run_device_alone, "a device that gets no thread");
	ok(alone_is_right, "and leaves all the work to the CPU");
	balance_test(refuse, "a run that does not begin");
	balance_test(tick, "the progress line");
	return rig_close() ? tap_done() : 99;
}
