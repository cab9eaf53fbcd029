/* SPDX-License-Identifier: MIT */
/*
 * boards: how fast Raspberry Pis would hash, by a discrete-event simulation.
 *
 * The split of the work between QPUs and CPU is the program's own
 * (src/feed/work_split.h), from the speeds that it expects of the chip
 * (qpu/abi/soc.h) and those that it then measures; launches last as long as
 * the emulator's cycle model says, and what the CPU does is charged with the
 * rates of `boards` (board-bound.h).  Everything printed is modelled.
 *
 * One thread feeds the device: it looks up sizes, reads, pads and plans, into
 * one group of lanes while the other is hashed.  CPU workers have what it
 * leaves of the cores: the scheduler prefers a thread that often sleeps.  A worker
 * has one message at a time; rests from lanes wait for it, one after the other.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/soc.h"
#include "src/base/batch.h"
#include "src/feed/work_split.h"
#include "src/lanes/message.h"
#include "tests/bench/board-bound.h"
#include "tests/bench/file-sets.h"

enum {
	/* Messages that wait with known sizes, at most (feeder.c). */
	LOOK_AHEAD = 8192,
	LOOK_CHUNK = 64,
	LOOK_ALONE = 256,
	RESTS = 16 /* of a worker */
};

/* Sizes are asked for as long before each launch (dispatch.c). */
static const double look_seconds = 0.006;

/* What it takes to start a thread that helps to fill, and to end it. */
static const double thread_seconds = 0.0001;

/* A worker asks so often whether it should leave its message to a lane: some
 * 128 KiB (worker.c). */
static const double turn_seconds = 0.004;

/* A lane is a stream of messages; what is before `left` is in a buffer. */
struct lane {
	const struct sized_message *message; /* that goes on; NULL: none */
	uint64_t left;			     /* blocks that no buffer has */
};

/* What is left of a message; its hash value is known when a launch ended. */
struct rest {
	const struct sized_message *message;
	uint64_t blocks;
	unsigned long known;
};

/* It has a message, and rests of others. */
struct worker {
	const struct sized_message *message;
	double left; /* seconds of a whole core */
	struct rest rests[RESTS];
	unsigned nrests;
};

struct simulation {
	const struct board *board;
	const struct sized_message *messages;
	size_t n, seen;
	bool use_device, use_workers;
	bool free_feeding; /* the CPU's part costs nothing */
	struct work_split split;
	struct lane lanes[LANES];
	struct launch filling, next, running;
	bool is_filling, is_full, is_running;
	unsigned fillers;
	double filled_at, filling_seconds, begun_at, done_at;
	unsigned long nfilled, nended; /* launches */
	struct rest given[LANES];      /* from workers to lanes */
	unsigned ngiven, idle_lanes;
	uint64_t level; /* what a lane is done with in time */
	struct worker workers[8];
	unsigned nworkers;
	double now;
	struct work_speeds speeds;
	struct work_amount amount;  /* seen so far */
	double hashed;		    /* blocks of workers, to be noted */
	uint64_t lane_blocks, room; /* occupancy */
};

static double
hash_seconds(const struct simulation *sim, uint64_t blocks)
{
	return (double)blocks * 64 / (sim->board->hash_mb * 1e6);
}

static double
hashed_blocks(const struct simulation *sim, double seconds)
{
	return seconds * sim->board->hash_mb * 1e6 / 64;
}

/* What the program expects, and then measures. */
static void
init_speeds(struct simulation *sim)
{
	const struct soc *soc = soc_of_compatible(sim->board->chip);
	struct engine_speed speed = {
		.lanes = LANES,
		.device_rate =
			(sim->board->tiles ? 323e6 : 427e6) / 250 * soc->qpu_mhz
	};

	soc_speed(soc, false, &speed);
	if (!sim->use_device)
		speed.device_rate = 0;
	work_speeds_init(&sim->speeds, &speed, LANES, sim->nworkers,
			 sim->use_workers ? sim->nworkers : 0);
}

/* Rates, and what was begun. */
static void
look_at_work(struct simulation *sim, struct work_rates *rates)
{
	struct work_split *split = &sim->split;
	double in_workers = 0;

	split->in_lanes = sim->is_running ? sim->running.all : 0;
	split->in_lanes += sim->is_full ? sim->next.all : 0;
	split->in_lanes += sim->is_filling ? sim->filling.all : 0;
	for (unsigned i = 0; i < LANES; i++)
		split->in_lanes += sim->lanes[i].left;
	split->begun = sim->ngiven;
	for (unsigned i = 0; i < sim->ngiven; i++)
		in_workers += (double)sim->given[i].blocks;
	for (unsigned i = 0; i < sim->nworkers; i++) {
		const struct worker *worker = &sim->workers[i];

		for (unsigned j = 0; j < worker->nrests; j++)
			in_workers += (double)worker->rests[j].blocks;
		split->begun += worker->nrests;
		split->begun += worker->message != NULL;
		if (worker->message)
			in_workers += hashed_blocks(sim, worker->left);
	}
	split->in_workers = (uint64_t)in_workers;
	work_speeds_get(&sim->speeds, sim->amount, rates);
}

/* Sizes of up to `most` more messages; the seconds that it took. */
static double
look_ahead(struct simulation *sim, unsigned most)
{
	struct work_rates rates;
	unsigned asked = 0;

	for (;
	     asked < most && sim->split.waiting < LOOK_AHEAD &&
	     sim->seen < sim->n &&
	     (sim->free_feeding || sim->split.waiting < LANES ||
	      sim->split.blocks < 2 * LANES * LAUNCH_BLOCKS ||
	      asked * sim->board->stat_us * 1e-6 < look_seconds * sim->fillers);
	     asked++) {
		const struct sized_message *message =
			&sim->messages[sim->seen++];

		sim->amount.messages++;
		sim->amount.blocks += message->blocks;

		if (!work_split_add(&sim->split, message->blocks,
				    (void *)message))
			exit(99);
	}
	if (sim->seen == sim->n)
		work_split_end(&sim->split);
	/* The CPU alone has no use for sizes.  The first of them tell how many
	 * threads look up the others. */
	if (sim->free_feeding || !sim->use_device)
		return 0;
	look_at_work(sim, &rates);
	if (asked > LOOK_ALONE)
		asked = LOOK_ALONE + (asked - LOOK_ALONE) / rates.fillers;
	return asked * sim->board->stat_us * 1e-6;
}

/* --- The device ------------------------------------------------------------ */

/* Fill a lane up to the length of a launch; the feeder's seconds. */
static double
fill_lane(struct simulation *sim, unsigned at, const struct work_rates *rates,
	  struct work_plan *plan, uint64_t target)
{
	struct lane *lane = &sim->lanes[at];
	struct launch *launch = &sim->filling;
	const uint64_t running = sim->is_running ? sim->running.blocks[at] : 0;
	uint64_t filled = launch->blocks[at];
	double seconds = 0;

	if (!lane->message && filled == 0 && sim->ngiven > 0) {
		lane->message = sim->given[--sim->ngiven].message;
		lane->left = sim->given[sim->ngiven].blocks;
	}
	while (filled < LAUNCH_BLOCKS) {
		uint64_t part;

		if (!lane->message) {
			if (plan->lane_quota == 0 || running + filled >= target)
				break;
			lane->message = work_split_for_lane(&sim->split, rates);
			if (!lane->message)
				break;
			lane->left = lane->message->blocks;
			part = lane->left < plan->fill_target ?
				       lane->left :
				       plan->fill_target;
			plan->lane_quota -= part < plan->lane_quota ?
						    part :
						    plan->lane_quota;
			seconds += sim->board->file_us * 1e-6;
		}
		part = LAUNCH_BLOCKS - filled;
		if (part > lane->left)
			part = lane->left;
		filled += part;
		lane->left -= part;
		if (part > launch->longest)
			launch->longest = part;
		seconds += (double)part * 64 / (sim->board->copy_mb * 1e6);
		if (lane->left == 0) {
			lane->message = NULL;
			launch->ends[at % QPUS]++;
		}
	}
	launch->all += filled - launch->blocks[at];
	launch->blocks[at] = filled;
	return sim->free_feeding ? 0 : seconds;
}

static struct lane *
longest_rest(struct simulation *sim)
{
	struct lane *best = &sim->lanes[0];

	for (unsigned i = 1; i < LANES; i++)
		if (sim->lanes[i].left > best->left)
			best = &sim->lanes[i];
	return best;
}

/* Will the worker have ended what it has, or left it to a lane, soon? */
static bool
is_soon_free(const struct simulation *sim, const struct work_rates *rates,
	     const struct worker *worker)
{
	double blocks = hashed_blocks(sim, worker->left);

	if (sim->idle_lanes > 0)
		blocks = fmax(blocks - (double)sim->level, 0);
	for (unsigned i = 0; i < worker->nrests; i++)
		blocks += (double)worker->rests[i].blocks;
	return worker->nrests < RESTS && blocks < (double)work_enough(rates);
}

/* Workers are promised rests of messages; the seconds of the feeder. */
static double
leave_rests(struct simulation *sim, const struct work_rates *rates,
	    struct work_plan *plan)
{
	double seconds = 0;

	for (unsigned i = 0; i < sim->nworkers * RESTS && sim->use_workers;
	     i++) {
		struct worker *worker = &sim->workers[i % sim->nworkers];
		struct lane *lane = longest_rest(sim);

		if (!is_soon_free(sim, rates, worker) ||
		    lane->left <= plan->min_migration)
			continue;
		seconds += fill_lane(sim, (unsigned)(lane - sim->lanes), rates,
				     plan, plan->fill_target);
		worker->rests[worker->nrests++] =
			(struct rest){ lane->message, lane->left,
				       sim->nfilled + 1 };
		*lane = (struct lane){ .message = NULL };
	}
	return seconds;
}

static void
feed(struct simulation *sim)
{
	struct work_rates rates;
	struct work_plan plan;
	uint64_t left[LANES];
	double looking = 0, seconds = 0;

	if (!sim->use_device || sim->is_filling || sim->is_full)
		return;
	sim->filling = (struct launch){ .all = 0 };
	if (sim->seen < sim->n)
		looking = look_ahead(sim, LOOK_AHEAD);
	look_at_work(sim, &rates);
	for (unsigned i = 0; i < LANES; i++)
		left[i] = sim->lanes[i].left +
			  (sim->is_running ? sim->running.blocks[i] : 0);
	work_split_plan(&sim->split, &rates, left, LANES, &plan);
	seconds += leave_rests(sim, &rates, &plan);
	for (unsigned pass = 1; pass <= WORK_PASSES; pass++)
		for (unsigned i = 0; i < LANES; i++)
			seconds += fill_lane(sim, i, &rates, &plan,
					     work_plan_target(&plan, pass));
	sim->is_filling = sim->filling.all > 0;
	sim->nfilled += sim->is_filling;
	sim->level = plan.lane_capacity;
	sim->idle_lanes = 0;
	for (unsigned i = 0; i < LANES; i++)
		sim->idle_lanes += sim->filling.blocks[i] == 0;
	sim->fillers = plan.fillers;
	seconds = looking + seconds / plan.fillers +
		  2 * (plan.fillers - 1) * thread_seconds;
	sim->filled_at = sim->now + seconds;
	sim->filling_seconds = seconds;
}

/* A launch has ended, and the feeder sees it. */
static void
note_launch(struct simulation *sim)
{
	if (sim->is_running || sim->is_filling || sim->begun_at < 0)
		return;
	work_speeds_note_launch(&sim->speeds, longest_lane(&sim->running),
				(uint64_t)((sim->now - sim->begun_at) * 1e9),
				(uint64_t)(sim->filling_seconds * 1e9));
	sim->begun_at = -1;
}

static void
launch(struct simulation *sim)
{
	note_launch(sim);
	if (sim->is_running || !sim->is_full)
		return;
	sim->running = sim->next;
	sim->is_full = false;
	sim->is_running = true;
	sim->begun_at = sim->now;
	sim->done_at = sim->now + launch_time(sim->board, &sim->running);
	sim->lane_blocks += sim->running.all;
	sim->room += longest_lane(&sim->running) * LANES;
}

/* --- The workers ----------------------------------------------------------- */

/* Is there one that the worker can go on with? */
static bool
has_rest(const struct simulation *sim, const struct worker *worker)
{
	return worker->nrests > 0 && worker->rests[0].known <= sim->nended;
}

static void
take_rest(struct simulation *sim, struct worker *worker)
{
	worker->message = worker->rests[0].message;
	worker->left = hash_seconds(sim, worker->rests[0].blocks);
	worker->nrests--;
	memmove(worker->rests, worker->rests + 1,
		worker->nrests * sizeof(*worker->rests));
}

static void
employ_one(struct simulation *sim, struct worker *worker)
{
	struct work_rates rates;

	worker->left = 0;
	if (sim->split.waiting == 0 && sim->seen < sim->n)
		worker->left = look_ahead(sim, LOOK_CHUNK);
	look_at_work(sim, &rates);
	worker->message = work_split_for_worker(&sim->split, &rates, 0);
	if (!worker->message)
		return;
	worker->left += hash_seconds(sim, worker->message->blocks);
	if (!sim->free_feeding)
		worker->left += sim->board->file_us * 1e-6;
}

/* A worker with another rest to go on with leaves to an idle lane what that
 * will be done with in time. */
static void
give_back(struct simulation *sim, struct worker *worker)
{
	const uint64_t blocks = (uint64_t)hashed_blocks(sim, worker->left);

	if (!worker->message || !has_rest(sim, worker) ||
	    blocks < MIGRATION_MIN_BLOCKS || blocks > sim->level ||
	    sim->idle_lanes == 0)
		return;
	sim->idle_lanes--;
	sim->given[sim->ngiven++] = (struct rest){ worker->message, blocks, 0 };
	worker->message = NULL;
}

static void
employ(struct simulation *sim)
{
	for (unsigned i = 0; i < sim->nworkers && sim->use_workers; i++) {
		struct worker *worker = &sim->workers[i];

		give_back(sim, worker);
		if (!worker->message && has_rest(sim, worker))
			take_rest(sim, worker);
		else if (!worker->message)
			employ_one(sim, worker);
	}
}

/* The part of a core that each busy worker has: the feeder comes first. */
static double
speed(const struct simulation *sim)
{
	unsigned busy = 0;
	double cores = sim->board->cores;

	for (unsigned i = 0; i < sim->nworkers; i++)
		busy += sim->workers[i].message != NULL;
	if (sim->is_filling && !sim->free_feeding)
		cores -= sim->fillers;
	return busy == 0 || cores >= busy ? 1 : fmax(cores, 0) / busy;
}

/* A worker has that part of a core for some seconds, and measures its speed. */
static void
work(struct simulation *sim, struct worker *worker, double seconds,
     double share)
{
	const double before = worker->left;

	worker->left -= seconds * share;
	sim->hashed += (before - worker->left) * sim->board->hash_mb * 1e6 / 64;
	work_speeds_note_worker(&sim->speeds, (uint64_t)sim->hashed,
				(uint64_t)(seconds * 1e9));
	sim->hashed -= (double)(uint64_t)sim->hashed;
	if (worker->left < 1e-12)
		worker->message = NULL;
}

/* Go on to the next event.  False: nothing happens any more. */
static bool
advance(struct simulation *sim)
{
	const double share = speed(sim);
	double next = INFINITY;

	if (sim->is_filling)
		next = sim->filled_at;
	if (sim->is_running && sim->done_at < next)
		next = sim->done_at;
	for (unsigned i = 0; i < sim->nworkers; i++)
		if (sim->workers[i].message && share > 0 &&
		    sim->now + sim->workers[i].left / share < next)
			next = sim->now + sim->workers[i].left / share;
	if (!isinf(next) && sim->use_device && next > sim->now + turn_seconds)
		next = sim->now + turn_seconds;
	if (isinf(next))
		return false;
	for (unsigned i = 0; i < sim->nworkers; i++) {
		struct worker *worker = &sim->workers[i];

		if (!worker->message)
			continue;
		work(sim, worker, next - sim->now, share);
	}
	sim->now = next;
	if (sim->is_filling && sim->filled_at <= next) {
		sim->is_filling = false;
		sim->is_full = true;
		sim->next = sim->filling;
	}
	if (sim->is_running && sim->done_at <= next) {
		sim->is_running = false;
		sim->nended++;
	}
	return true;
}

struct outcome {
	double seconds;
	double occupancy;
};

static struct outcome
simulate(const struct board *board, const struct sized_message *messages,
	 size_t n, bool use_device, bool use_workers, bool free_feeding)
{
	static struct simulation sim;

	sim = (struct simulation){ .board = board,
				   .messages = messages,
				   .n = n,
				   .use_device = use_device,
				   .use_workers = use_workers,
				   .free_feeding = free_feeding,
				   .nworkers = board->cores,
				   .fillers = 1 };
	work_split_init(&sim.split);
	init_speeds(&sim);
	sim.begun_at = -1;
	do {
		launch(&sim);
		feed(&sim);
		employ(&sim);
	} while (advance(&sim));
	work_split_free(&sim.split);
	return (struct outcome){
		.seconds = sim.now,
		.occupancy =
			sim.room ? (double)sim.lane_blocks / (double)sim.room :
				   0,
	};
}

/* --- The table ------------------------------------------------------------- */

/* Simulated on one board. */
struct figures {
	double cpu, qpu, both, best; /* MB/s, in a random order */
	/* Of three orders: the least part of the bound, and of the better one
	 * of CPU and QPUs alone, that both together reach. */
	double of_best, of_better;
	double occupancy;
};

static double
mb_per_second(const struct set *set, double seconds)
{
	return set->bytes / 1e6 / seconds;
}

static void
add_order(const struct board *board, const struct set *set, bool free_feeding,
	  struct figures *figures)
{
	const struct sized_message *m = set->messages;
	const struct outcome cpu = simulate(board, m, set->n, false, true,
					    free_feeding),
			     qpu = simulate(board, m, set->n, true, false,
					    free_feeding),
			     both = simulate(board, m, set->n, true, true,
					     free_feeding);

	figures->cpu = mb_per_second(set, cpu.seconds);
	figures->qpu = mb_per_second(set, qpu.seconds);
	figures->both = mb_per_second(set, both.seconds);
	figures->occupancy = both.occupancy;
	figures->of_best =
		fmin(figures->of_best, figures->both / figures->best);
	figures->of_better =
		fmin(figures->of_better,
		     figures->both / fmax(figures->cpu, figures->qpu));
}

/* The random order is the last one. */
static void
print_board(const struct board *board, struct set *set, bool free_feeding)
{
	struct figures figures = { .of_best = INFINITY, .of_better = INFINITY };

	figures.best = mb_per_second(set, bound_seconds(board, set->messages,
							set->n, free_feeding));
	for (unsigned order = 0; order < 3; order++) {
		set_sort(set, order == 1);
		if (order == 2)
			set_shuffle(set, 212);
		add_order(board, set, free_feeding, &figures);
	}
	printf("  %-6s %8.0f %8.0f %8.0f %8.0f %6.0f %% %7.0f %% %7.0f %%\n",
	       board->name, figures.cpu, figures.qpu, figures.both,
	       figures.best, 100 * figures.of_best, 100 * figures.of_better,
	       100 * figures.occupancy);
}

static void
print_set(struct set *set, bool free_feeding)
{
	printf("%s (%zu files, %.0f MB)\n", set->name, set->n,
	       set->bytes / 1e6);
	for (size_t i = 0; i < sizeof(boards) / sizeof(*boards); i++)
		if (set->bytes <= boards[i].memory_mb * 1048576)
			print_board(&boards[i], set, free_feeding);
}

int
main(void)
{
	struct set sets[] = {
		set_equal("4 KiB", 10000, 4096),
		set_equal("120,000 bytes", 191, 120000),
		set_equal("8 MiB", 32, 8 << 20),
		set_equal("256 MiB", 1, 256 << 20),
		set_log_uniform("log-uniform, 1 B to 1 MiB", 3000, 20, 1),
		set_log_uniform("log-uniform, another seed", 3000, 20, 8),
		set_log_uniform("log-uniform, 1 B to 64 KiB", 2500, 16, 7),
		TREE("a developer's tree, below 1 MB", tree_mixed, 1000000),
		TREE("/usr/share of a Debian 12", tree_share, UINT64_MAX),
		TREE("/usr/include of a Debian 12", tree_include, UINT64_MAX),
		set_lognormal("like node_modules: median 1.2 KB", 60000, 1200,
			      4.5, 3000000),
		set_lognormal("like a maildir: median 6 KB", 10000, 6000, 4.5,
			      20000000),
		set_uniform("like photos", 40, 2e6, 8e6),
		set_uniform("like music", 30, 3e6, 12e6),
		set_bimodal("99 % tiny, 1 % of 0.3 to 0.7 MB", 20000, 100, 3e5,
			    7e5),
	};
	const size_t n = sizeof(sets) / sizeof(*sets);

	puts("MB/s of content, modelled; files in the page cache, in a random "
	     "order.  The\nparts of \"best\", which is a bound, and of the "
	     "better of CPU and QPUs alone are\nthe least of three orders: "
	     "random, ascending and descending sizes.  An SD card\ngives 25 "
	     "MB/s at most, to whatever hashes.  Boards with a t use the "
	     "kernel's driver.");
	for (int free_feeding = 0; free_feeding < 2; free_feeding++) {
		puts(free_feeding ?
			     "\nIf opening and copying cost the CPU nothing:" :
			     "\nWith opening, reading and copying by the CPU:");
		puts("  board  CPU only QPU only     both     best  of best "
		     "of better lanes full");
		for (size_t i = 0; i < n; i++)
			print_set(&sets[i], free_feeding);
	}
	for (size_t i = 0; i < n; i++)
		free(sets[i].messages);
	return 0;
}
