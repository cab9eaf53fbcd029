/* SPDX-License-Identifier: MIT */
/*
 * Promise: in each turn a worker calls for help, offers and leaves lanes, takes
 * and gives back what it should, and no more; and it counts what it does.
 */
#include "config.h"

#include "tests/pipeline/worker-rig.h"

/* How often did it call for help before this step? */
static bool
grew(unsigned step, unsigned times)
{
	const unsigned before = step > 0 ? seen.grown_before[step - 1] : 0;

	return step < seen.steps && seen.grown_before[step] - before == times;
}

static void
test_help_with_many(void)
{
	begin(false);
	add(16, "small");
	add(15, "small");
	add(1, "");
	add(1, "small");
	add(1, "");
	run();
	ok(seen.steps == 3 && grew(0, 0) && grew(1, 0) && grew(2, 1),
	   "a worker calls for help when it has seen 32 jobs");
	ok(seen.jobs == 32 && seen.bytes == 32000 && report.blocks == 32 * 16 &&
		   seen.ended == 1 && seen.closed == 1,
	   "and tells how much it has done");
	ok(list.nemitted == 32 &&
		   strcmp(list.emitted[0].device, engine_reference.name) == 0,
	   "and with what");
	begin(false);
	add(1, "long");
	add(31, "small");
	run();
	ok(list.nemitted == 32 && seen.grown == 0,
	   "but not if it knows that these are all");
}

static unsigned
grown_with(const char *first, const char *second)
{
	begin(false);
	add(1, first);
	add(1, second);
	run();
	return seen.grown_before[0];
}

static void
test_help_with_long(void)
{
	ok(grown_with("longer", "longer") == 1,
	   "two long messages are worth another worker");
	ok(grown_with("longer", "long") == 0 &&
		   grown_with("long", "longer") == 0,
	   "one is not, nor two that are a byte shorter");
	begin(true);
	add(2, "small");
	run();
	ok(seen.steps > 0 && seen.grown == 0,
	   "beside a device two small ones are not");
	begin(true);
	says.wants_workers = true;
	add(1, "small");
	run();
	ok(grew(0, 1), "but what the dispatch has");
}

static void
test_offers(void)
{
	begin(false);
	sequencer.exchange.idle = 1;
	add(2, "long");
	run();
	ok(seen.offers > 0,
	   "a worker with two messages offers one to the idle");
	begin(false);
	add(2, "long");
	run();
	ok(seen.offers == 0, "if there are any");
	begin(false);
	sequencer.exchange.idle = 1;
	add(1, "long");
	run();
	ok(seen.offers == 0 && seen.steps > 1, "and keeps its only one");
}

/* A file of which so many blocks are left behind the first buffer. */
static bool
leaves(unsigned left, uint64_t level)
{
	const int fd = open("rest", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, LANE_BYTES + (off_t)left * 64 - 9) != 0)
		exit(99);
	close(fd);
	begin(true);
	says.level = level;
	add(1, "small");
	add(1, "rest");
	run();
	return seen.left == 1 && seen.left_blocks[0] == left;
}

static void
test_leave_rests(void)
{
	ok(leaves(1024, 1024),
	   "a worker leaves to a lane what that has time for");
	ok(list.nemitted == 1 && list.emitted[0].size == 1000,
	   "and goes on with the others");
	ok(!leaves(1023, 1024) && list.nemitted == 2, "but no short rest");
	ok(!leaves(1025, 1024) && list.nemitted == 2, "and none too long");
	ok(!leaves(1024, 0) && list.nemitted == 2, "and none unasked");
	begin(true);
	says.level = 100000;
	add(3, "long");
	run();
	ok(seen.left == 3 && seen.steps == 3 && list.nemitted == 0,
	   "one in each turn");
}

static void
test_notes(void)
{
	begin(true);
	add(2, "small");
	run();
	ok(seen.notes == 1 && seen.noted_blocks == 32 &&
		   seen.noted_ns == 1000000000,
	   "blocks and time of a step are noted");
	ok(seen.standstills == 1, "a worker without blocks asks for more once");
	begin(true);
	says.goes_on = true;
	run();
	ok(seen.standstills == 2, "and again, if it may be given more");
}

/* With all lanes in use there is no rest to take. */
static void
test_take_rests(void)
{
	begin(true);
	config.one_lane = true;
	add(3, "small");
	run();
	ok(list.nemitted == 3 && seen.rests_asked == 5 && seen.heads[0] == 0 &&
		   seen.heads[1] == 0 && seen.heads[2] == 1 &&
		   seen.heads[3] == 2 && seen.heads[4] == 3,
	   "a worker asks for rests while it has a lane, with the oldest job");
}

static struct lane_transfer *
make_rest(struct job *job)
{
	static uint8_t buffer[4096 + READER_PADDING_BYTES];
	struct lane_transfer *rest = lane_transfer_new();
	bool opened;

	*job = (struct job){ .kind = JOB_FILE, .name = (char *)"small" };
	if (!rest ||
	    !reader_open(rest->reader, NULL, "small", buffer, 4096, &opened))
		exit(99);
	rest->ticket = (struct ticket){ .job = job, .seq = 50 };
	rest->handed_bytes = 0;
	memset(rest->state, 0, sizeof(rest->state));
	memset(&rest->verify, 0, sizeof(rest->verify));
	return rest;
}

static void
test_rest_beside_jobs(void)
{
	struct job job;

	begin(true);
	says.rest = make_rest(&job);
	add(LANES, "small");
	run();
	ok(job.done && job.size == 1000 && list.nemitted == LANES &&
		   seen.jobs == LANES + 1 && seen.steps == 2,
	   "a rest takes a lane like a job");
}

static struct job late_job;

static void
give_rest(unsigned step)
{
	if (step == 1)
		says.rest = make_rest(&late_job);
}

static void
test_rest_behind_job(void)
{
	begin(true);
	on_step = give_rest;
	add(1, "long");
	run();
	ok(late_job.done && late_job.size == 1000 && list.nemitted == 1 &&
		   list.emitted[0].size == LONG_BYTES && seen.jobs == 2,
	   "one that comes later takes the next lane");
}

/* A FIFO whose writer ends some time after it was opened. */
static int writer;

static void
end_writer(unsigned step)
{
	if (step == 4)
		close(writer);
}

static void
test_fifo(void)
{
	begin(false);
	on_step = end_writer;
	writer = open("fifo", O_RDWR | O_CLOEXEC);
	add(1, "small");
	add(1, "long");
	add(1, "");
	add(1, "fifo");
	add(1, "");
	add(1, "small");
	run();
	ok(list.nemitted == 4 && seen.made_before[1] == 5 &&
		   seen.made_before[2] == 5,
	   "a FIFO that waits for its turn, in any lane, is the last job");
	begin(false);
	on_step = end_writer;
	writer = open("fifo", O_RDWR | O_CLOEXEC);
	add(1, "long");
	add(1, "fifo");
	add(1, "missing");
	run();
	ok(list.nemitted == 3 && list.emitted[2].error == ENOENT &&
		   seen.jobs == 3,
	   "and what was taken with it is opened behind it");
}

/* Behind a message that takes several steps. */
static void
test_give_back(void)
{
	begin(true);
	add(1, "long");
	add(1, "fifo");
	add(1, "small");
	run();
	ok(seen.returned && seen.returned->seq == 1 &&
		   strcmp(seen.returned->name, "fifo") == 0 &&
		   list.nemitted == 1 && seen.jobs == 2,
	   "what has to wait for its turn is given back");
	begin(true);
	blocking = "log";
	add(1, "longer");
	add(1, "log");
	run();
	ok(!seen.returned && seen.returned_rest &&
		   seen.returned_rest->ticket.seq == 1 &&
		   seen.returned_rest->handed_bytes == LANE_BYTES &&
		   list.nemitted == 1,
	   "and so is what of it has not been hashed");
	lane_transfer_free(seen.returned_rest);
	begin(false);
	blocking = "log";
	add(1, "longer");
	add(1, "log");
	run();
	ok(list.nemitted == 2 && list.emitted[1].error == 0,
	   "without a dispatch it waits in its lane");
}

/* Memory ---------------------------------------------------------------------- */

static size_t asked[16];
static unsigned nasked, nrefused;
static size_t freed_bytes;
static void *granted, *freed;

static void *
ask(void *self, size_t bytes)
{
	if (nasked < 16)
		asked[nasked] = bytes;
	if (nasked++ < nrefused)
		return NULL;
	return granted = engine_reference.alloc(self, bytes);
}

static void
give(void *self, void *arena, size_t bytes)
{
	freed = arena;
	freed_bytes = bytes;
	engine_reference.free(self, arena, bytes);
}

static void *
open_with_slack(const void *context, const char *words,
		struct engine_limits *limits, struct diag *why_not)
{
	limits->slack_bytes = 5000;
	return open_lanes(context, words, limits, why_not);
}

static void *
refuse(const void *context, const char *words, struct engine_limits *limits,
       struct diag *why_not)
{
	(void)context;
	(void)words;
	(void)limits;
	diag_set(why_not, "not today");
	return NULL;
}

static struct worker *
new_worker(unsigned refused, struct diag *why)
{
	begin(false);
	engine.open = open_with_slack;
	engine.alloc = ask;
	engine.free = give;
	nasked = 0;
	nrefused = refused;
	return worker_new(&config, &sequencer, 1, why);
}

static void
test_memory(void)
{
	static const struct {
		unsigned lanes;
		size_t capacity;
	} sizes[] = { { 16, 131072 }, { 16, 65536 }, { 16, 32768 },
		      { 16, 16384 },  { 16, 8192 },  { 16, 4096 },
		      { 8, 4096 },    { 4, 4096 },   { 2, 4096 },
		      { 1, 4096 } };
	const unsigned n = sizeof(sizes) / sizeof(*sizes);
	unsigned right = 0;
	struct worker *worker;
	struct diag why;

	for (unsigned i = 0; i <= n; i++) {
		const struct lane_room room = {
			.capacity = i < n ? sizes[i].capacity : 0,
			.slack_bytes = 5000
		};

		worker = new_worker(i, &why);
		if (i == n)
			break;
		right += worker && nasked == i + 1 &&
			 asked[i] ==
				 lane_group_buffer_bytes(sizes[i].lanes, &room);
		worker_free(worker);
		right += freed == granted && freed_bytes == asked[i] &&
			 seen.closed == 1;
	}
	ok(right == 2 * n,
	   "with little memory buffers are halved, then lanes (%u of %u)",
	   right, 2 * n);
	ok(!worker && nasked == n &&
		   strcmp(why.text, "memory exhausted") == 0 &&
		   seen.closed == 1 && seen.ended == 0,
	   "without memory for one there is no worker, which is told");
	ok(!new_worker(100, NULL), "to those who want to know");
	no_memory = true;
	worker = new_worker(0, &why);
	no_memory = false;
	ok(!worker && nasked == 0 && strcmp(why.text, "memory exhausted") == 0,
	   "nor without memory for the worker itself");
	begin(false);
	engine.open = refuse;
	ok(!worker_new(&config, &sequencer, 1, &why) &&
		   strcmp(why.text, "not today") == 0 && seen.closed == 0,
	   "nor without its engine, which says why");
	worker_free(NULL);
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_help_with_many();
	test_help_with_long();
	test_offers();
	test_leave_rests();
	test_notes();
	test_take_rests();
	test_rest_beside_jobs();
	test_rest_behind_job();
	test_fifo();
	test_give_back();
	test_memory();
	return rig_close() ? tap_done() : 99;
}
