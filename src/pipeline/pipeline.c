/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/pipeline.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "src/base/thread.h"
#include "src/feed/feeder.h"
#include "src/lanes/worker.h"
#include "src/pipeline/device_choice.h"

enum {
	THREAD_STACK_BYTES = 256 << 10, /* deep enough for a worker */
	/* Memory that must be left for names and lines of all workers. */
	RESERVE_BYTES = 1 << 20
};

/* The threads of a run, and what they share. */
struct pipeline {
	struct run run; /* the first member */
	struct pipeline_config config;
	struct disks disks;
	pthread_mutex_t spawn_lock;
	bool is_full; /* no more can be started, or are allowed */
	unsigned nthreads;
	pthread_t threads[SEQUENCER_WORKERS];
};

static void *
run_worker(void *worker)
{
	worker_run(worker);
	worker_free(worker);
	return NULL;
}

static void *
run_feeder(void *feeder)
{
	feeder_run(feeder);
	return NULL;
}

/* Start a worker and its thread, if there is more memory than they take. */
static bool
spawn(struct pipeline *pipeline, unsigned index)
{
	void *reserve = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct worker *worker;
	bool started;

	if (reserve == MAP_FAILED)
		return false;
#ifdef M_ARENA_MAX
	/*
	 * Use one heap for all threads.  Without memory for another heap the C
	 * library would map a page for each name, and would not look into the
	 * first heap when there are no more pages.
	 */
	mallopt(M_ARENA_MAX, 1);
#endif
	worker = worker_new(&pipeline->run, index, NULL);
	started = worker &&
		  thread_start(&pipeline->threads[pipeline->nthreads],
			       THREAD_STACK_BYTES, run_worker, worker);
	pipeline->nthreads += started;
	if (!started)
		worker_free(worker);
	munmap(reserve, RESERVE_BYTES);
	return started;
}

/* Start one more worker, if allowed; without it the others do all the work. */
static void
grow(struct run *run)
{
	struct pipeline *pipeline = (struct pipeline *)run;
	int index;

	if (__atomic_load_n(&pipeline->is_full, __ATOMIC_RELAXED) ||
	    pthread_mutex_trylock(&pipeline->spawn_lock) != 0)
		return;
	index = sequencer_add_worker(&run->sequencer);
	if (index < 0 || !spawn(pipeline, (unsigned)index))
		__atomic_store_n(&pipeline->is_full, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&pipeline->spawn_lock);
}

/* Join all threads.  Their number may grow meanwhile, since threads start
 * threads. */
static void
join_threads(struct pipeline *pipeline)
{
	for (unsigned i = 0;; i++) {
		bool more;

		pthread_mutex_lock(&pipeline->spawn_lock);
		more = i < pipeline->nthreads;
		pthread_mutex_unlock(&pipeline->spawn_lock);
		if (!more)
			return;
		pthread_join(pipeline->threads[i], NULL);
	}
}

static void
init_pipeline(struct pipeline *pipeline, const struct pipeline_config *config,
	      struct source *source, struct run_report *report)
{
	const bool device = !config->engine->per_thread;
	struct run *run = &pipeline->run;

	*report = (struct run_report){ .blocks = 0 };
	*pipeline = (struct pipeline){ .config = *config };
	run->config = &pipeline->config;
	run->cpu = device ? config->fallback : config->engine;
	run->cpu_options = device ? "" : config->options;
	run->disks = config->one_at_a_time ? NULL : &pipeline->disks;
	run->grow = grow;
	run->report = report;
	pthread_mutex_init(&run->report_lock, NULL);
	pthread_mutex_init(&pipeline->spawn_lock, NULL);
	disks_init(&pipeline->disks, config->root);
	sequencer_init(&run->sequencer, source, config->pool,
		       config->threads + device);
	ahead_init(&run->ahead, run);
}

/*
 * Open the device, if one is to be used.  Then the feeder supplies the
 * workers.  Return true with *feeder NULL if there is no device, or if its
 * memory is short, which is reported: then the CPU works alone.  Return false
 * with a reason if the device is not available.
 */
static bool
open_feeder(struct pipeline *pipeline, struct feeder **feeder,
	    struct diag *why_not)
{
	struct pipeline_config *config = &pipeline->config;
	struct run *run = &pipeline->run;
	struct device_choice *choice = &run->report->choice;
	int index;

	*feeder = NULL;
	if (config->engine->per_thread)
		return true;
	index = sequencer_add_worker(&run->sequencer);
	if (config->automatic)
		device_choose(&run->sequencer, &config->speed, config->threads,
			      choice);
	if (!config->automatic || choice->device)
		*feeder = feeder_new(run, (unsigned)index, why_not);
	if (*feeder || run->report->failed || !config->automatic)
		return *feeder || run->report->failed;
	if (choice->device)
		choice->why_not = *why_not;
	config->engine = config->fallback;
	return true;
}

/* Run all threads.  The calling one is the first CPU worker; the feeder has
 * one of its own, or the CPU works alone if no thread can be started. */
static void
run_all(struct pipeline *pipeline, struct worker *worker, struct feeder *feeder)
{
	pthread_t thread;
	bool fed = false;

	if (feeder)
		fed = thread_start(&thread, THREAD_STACK_BYTES, run_feeder,
				   feeder);
	if (feeder && !fed)
		feeder_detach_device(feeder);
	worker_run(worker);
	if (fed)
		pthread_join(thread, NULL);
	join_threads(pipeline);
}

bool
pipeline_run(const struct pipeline_config *config, struct source *source,
	     struct run_report *report, struct diag *why_not)
{
	static struct pipeline pipeline;
	struct run *run = &pipeline.run;
	struct feeder *feeder;
	struct worker *worker = NULL;

	init_pipeline(&pipeline, config, source, report);
	if (open_feeder(&pipeline, &feeder, why_not))
		worker = worker_new(
			run, (unsigned)sequencer_add_worker(&run->sequencer),
			why_not);
	if (worker) {
		run_all(&pipeline, worker, feeder);
		worker_free(worker);
	}
	feeder_free(feeder);
	ahead_destroy(&run->ahead);
	report->used = pipeline.config.engine;
	report->waits = run->ahead.waits;
	sequencer_destroy(&run->sequencer);
	disks_destroy(&pipeline.disks);
	pthread_mutex_destroy(&pipeline.spawn_lock);
	pthread_mutex_destroy(&run->report_lock);
	return worker != NULL;
}
