/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "src/disk.h"
#include "src/order.h"
#include "src/worker.h"

enum {
	/* Deep enough for a worker; threads of the default size would not fit
	 * under a small limit of address space. */
	THREAD_STACK_BYTES = 256 << 10,
	/* What a new worker leaves to the names and lines of all. */
	RESERVE_BYTES = 1 << 20
};

struct crew {
	struct worker_config first;	/* the only one with a device */
	struct worker_config recruit;
	struct order order;
	struct disks disks;
	struct worker_report *report;
	pthread_mutex_t report_lock;
	pthread_mutex_t hire_lock;
	bool hiring_ended;		/* cannot or need not start more */
	unsigned nthreads;
	pthread_t threads[ORDER_MAX_WORKERS];
};

static void *
run_recruit(void *worker)
{
	worker_run(worker);
	worker_free(worker);
	return NULL;
}

static bool
start_thread(struct crew *crew, struct worker *worker)
{
	pthread_attr_t attr;
	bool started;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	started = pthread_create(&crew->threads[crew->nthreads], &attr,
				 run_recruit, worker) == 0;
	pthread_attr_destroy(&attr);
	crew->nthreads += started;
	return started;
}

/*
 * One heap for all threads: where there is no memory for another one of them
 * the C library would take a page for each name, and not look into the first
 * one when there are no more pages.
 */
static void
share_memory(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
}

/* A worker and its thread, if there is more memory than they take. */
static bool
hire(struct crew *crew, unsigned index)
{
	void *reserve = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct worker *worker;
	bool started;

	if (reserve == MAP_FAILED)
		return false;
	share_memory();
	worker = worker_new(&crew->recruit, &crew->order, index, NULL);
	started = worker && start_thread(crew, worker);
	if (!started)
		worker_free(worker);
	munmap(reserve, RESERVE_BYTES);
	return started;
}

/* One more worker, if allowed; without one the others do all the work. */
static void
grow(void *cookie)
{
	struct crew *crew = cookie;
	bool hired = false;
	int index;

	if (__atomic_load_n(&crew->hiring_ended, __ATOMIC_RELAXED) ||
	    pthread_mutex_trylock(&crew->hire_lock) != 0)
		return;
	index = order_add_worker(&crew->order);
	if (index >= 0) {
		hired = hire(crew, (unsigned)index);
		if (!hired)
			order_drop_worker(&crew->order);
	}
	if (!hired)
		__atomic_store_n(&crew->hiring_ended, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&crew->hire_lock);
}

/* A worker has done its part. */
static void
add_report(void *cookie, const struct worker_report *report)
{
	struct crew *crew = cookie;

	pthread_mutex_lock(&crew->report_lock);
	crew->report->blocks += report->blocks;
	if (report->engine.qpus > 0)
		crew->report->engine = report->engine;
	if (report->failed) {
		crew->report->failed = report->failed;
		crew->report->why = report->why;
	}
	pthread_mutex_unlock(&crew->report_lock);
}

/* Threads start threads, so their number may still grow while we join. */
static void
join_threads(struct crew *crew)
{
	for (unsigned i = 0;; i++) {
		bool more;

		pthread_mutex_lock(&crew->hire_lock);
		more = i < crew->nthreads;
		pthread_mutex_unlock(&crew->hire_lock);
		if (!more)
			return;
		pthread_join(crew->threads[i], NULL);
	}
}

bool
pipeline_run(const struct pipeline_config *config, struct source *source,
	     struct worker_report *report, struct diag *why_not)
{
	static struct crew crew;
	const bool device = !config->engine->per_thread;
	struct worker *worker;

	crew.recruit = (struct worker_config){
		.engine = device ? config->fallback : config->engine,
		.words = device ? "" : config->words,
		.fallback = config->fallback,
		.readahead = config->threads > 1,
		.crypto = config->crypto,
		.disks = &crew.disks,
		.grow = grow,
		.ended = add_report,
		.crew = &crew
	};
	crew.first = crew.recruit;
	if (device) {
		crew.first.engine = config->engine;
		crew.first.words = config->words;
		crew.first.worth = config->worth;
		/* A thread reads into memory of its own, which a device does
		 * not see. */
		crew.first.readahead = false;
		/* One file at a time would leave a GPU with one lane, which is
		 * slower than any disk. */
		crew.first.disks = NULL;
	}
	crew.report = report;
	crew.hiring_ended = false;
	crew.nthreads = 0;
	*report = (struct worker_report){ .failed = NULL };
	pthread_mutex_init(&crew.report_lock, NULL);
	pthread_mutex_init(&crew.hire_lock, NULL);
	disks_init(&crew.disks, config->sysfs);
	order_init(&crew.order, source, config->threads + device);

	worker = worker_new(&crew.first, &crew.order,
			    (unsigned)order_add_worker(&crew.order), why_not);
	if (worker) {
		worker_run(worker);
		join_threads(&crew);
		worker_free(worker);
	}
	order_destroy(&crew.order);
	disks_destroy(&crew.disks);
	return worker != NULL;
}
