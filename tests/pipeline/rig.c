/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/pipeline/rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/crypto.h"
#include "tests/support/scratch.h"

enum { MOST_THREADS = 128, MOST_NOTES = 10 };

struct rig rig;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct {
	struct source source;
	bool in_next, in_emit, unflushed;
	int pipe[2];   /* its read end is the source's wait_fd */
	bool is_ready; /* there is a byte in it */
} list;

/* Threads ------------------------------------------------------------------- */

void
rig_lock(void)
{
	pthread_mutex_lock(&lock);
}

void
rig_unlock(void)
{
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Lock held. */
static void
wait_for(rig_condition *holds)
{
	while (!holds())
		fault_real_pthread_cond_wait(&changed, &lock);
}

void
rig_wait(rig_condition *holds)
{
	pthread_mutex_lock(&lock);
	wait_for(holds);
	pthread_mutex_unlock(&lock);
}

struct actor {
	pthread_t thread;
	void *(*run)(void *actor);
	struct rig_input *input;
};

static struct actor actors[MOST_THREADS];
static unsigned nactors, nkept; /* in this run, and kept for the next */

static struct actor *
add_actor(void *(*run)(void *))
{
	if (nactors == MOST_THREADS)
		exit(99);
	actors[nactors] = (struct actor){ .run = run };
	return &actors[nactors++];
}

static void
write_all(int fd, const uint8_t *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t put = fault_real_write(fd, bytes, n);

		/* Nobody reads the rest. */
		if (put < 0 && errno == EPIPE)
			return;
		if (put < 0)
			exit(99);
		bytes += put;
		n -= (size_t)put;
	}
}

void
rig_write_message(int fd, const struct rig_input *input, size_t bytes)
{
	uint8_t part[1 << 14];

	for (size_t at = 0; at < bytes;) {
		const size_t n = bytes - at < sizeof(part) ? bytes - at :
							     sizeof(part);

		rig_content(input, at, part, n);
		write_all(fd, part, n);
		at += n;
	}
}

static void *
run_writer(void *of)
{
	const struct actor *actor = of;
	const struct rig_input *input = actor->input;
	int fd = input->writer_fd;

	if (input->when)
		rig_wait(input->when);
	if (input->kind == JOB_FILE)
		fd = fault_real_open(input->name, O_WRONLY | O_CLOEXEC, 0);
	if (fd < 0)
		exit(99);
	rig_write_message(fd, input, input->bytes);
	close(fd);
	return NULL;
}

void
rig_add_writer(struct rig_input *input)
{
	add_actor(run_writer)->input = input;
}

/* The source goes on with its next input. */
static void *
run_waker(void *of)
{
	const struct actor *actor = of;

	pthread_mutex_lock(&lock);
	while (&rig.inputs[rig.seen.taken] != actor->input ||
	       !actor->input->later())
		fault_real_pthread_cond_wait(&changed, &lock);
	write_all(list.pipe[1], (const uint8_t *)"x", 1);
	list.is_ready = true;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void
start_actors(void)
{
	for (unsigned i = 0; i < nactors; i++)
		if (fault_real_pthread_create(&actors[i].thread, NULL,
					      actors[i].run, &actors[i]) != 0)
			exit(99);
}

static void
join_actors(void)
{
	for (unsigned i = 0; i < nactors; i++)
		fault_real_pthread_join(actors[i].thread, NULL);
}

/* Contracts ----------------------------------------------------------------- */

void
rig_misuse(const char *format, ...)
{
	const unsigned n =
		__atomic_fetch_add(&rig.seen.misused, 1, __ATOMIC_RELAXED);
	char text[200];
	va_list args;

	if (n >= MOST_NOTES)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tap_note("%s", text);
}

/* The source ---------------------------------------------------------------- */

static bool
is_empty(const struct job *job)
{
	return !job->name && job->held_bytes == 0 && !job->filter &&
	       !job->root && !job->watched && !job->done && !job->opened &&
	       job->error == 0 && job->size == 0 && !job->device;
}

/* The next input would have to be waited for.  Lock held. */
static bool
is_later(const struct rig_input *input, bool is_oldest)
{
	list.source.wait_fd = -1;
	if (input->later_has_no_fd)
		return input->later ? !input->later() : !is_oldest;
	if (input->later && !list.is_ready)
		list.source.wait_fd = list.pipe[0];
	return list.source.wait_fd >= 0;
}

/* Lock held. */
static enum source_result
give_next(struct job *job, bool is_oldest)
{
	struct rig_input *input = &rig.inputs[rig.seen.taken];
	uint8_t byte;

	list.source.wait_fd = -1;
	if (rig.seen.taken == rig.n) {
		rig.seen.ended = true;
		if (rig.on_end)
			rig.on_end();
		return SOURCE_END;
	}
	if (is_later(input, is_oldest))
		return SOURCE_LATER;
	if (list.is_ready && fault_real_read(list.pipe[0], &byte, 1) != 1)
		exit(99);
	list.is_ready = false;
	job->kind = input->kind;
	job->name = input->name;
	job->held_bytes = input->held_bytes;
	job->filter = input->filter;
	job->root = input->root;
	job->watched = input->watched;
	rig.seen.taken++;
	if (rig.seen.taken - rig.seen.emitted > rig.seen.most_taken)
		rig.seen.most_taken = rig.seen.taken - rig.seen.emitted;
	return SOURCE_JOB;
}

static enum source_result
next(struct source *source, struct job *job, bool is_oldest)
{
	enum source_result answer;

	if (__atomic_exchange_n(&list.in_next, true, __ATOMIC_ACQ_REL))
		rig_misuse("two threads ask the source");
	rig_lock();
	if (source != &list.source || rig.seen.ended)
		rig_misuse("the source is asked after its end");
	if (is_oldest && rig.seen.emitted != rig.seen.taken)
		rig_misuse("input %u is not the oldest", rig.seen.taken);
	if (!is_empty(job))
		rig_misuse("the source is given a job that is not empty");
	answer = give_next(job, is_oldest);
	rig_unlock();
	__atomic_store_n(&list.in_next, false, __ATOMIC_RELEASE);
	return answer;
}

static bool
has_digest(const struct rig_input *input, const struct job *job)
{
	static uint8_t message[64 << 20];
	uint8_t digest[SHA256_DIGEST_BYTES];

	if (job->size > sizeof(message))
		exit(99);
	rig_content(input, 0, message, job->size);
	crypto_digest(message, job->size, digest);
	return memcmp(job->digest, digest, sizeof(digest)) == 0;
}

/*
 * Return true if the named engine hashed blocks of the input.  A device may
 * still hash blocks of a log that begins again elsewhere, and notes them then.
 */
static bool
has_engine(const struct rig_input *input, const struct job *job)
{
	const bool device = rig.device_engine &&
			    job->device == rig.device_engine->name;
	uint32_t engines;

	rig_lock();
	engines = input->engines;
	rig_unlock();
	if (!device && job->device != rig.cpu_engine->name)
		return false;
	return !engines ||
	       (engines & (device ? RIG_DEVICE : ~(uint32_t)RIG_DEVICE));
}

/* Return a description of what is wrong with the job, or NULL. */
static const char *
find_mistake(const struct rig_input *input, const struct job *job)
{
	const size_t least = input->bytes < input->other_bytes ?
				     input->bytes :
				     input->other_bytes;
	const size_t most = input->bytes + input->other_bytes - least;
	const bool size_is_right = input->changes ? least <= job->size &&
							    job->size <= most :
						    job->size == input->bytes;

	if (job->kind == JOB_REMARK)
		return NULL;
	if (job->error != input->error &&
	    !(input->changes && job->error == input->other_error))
		return strerror(job->error);
	if (job->error)
		return NULL;
	if (!job->opened)
		return "opened is not set";
	if (job->verdict != input->verdict)
		return "the verdict is wrong";
	if (job->verdict == JOB_NOT_REGULAR || job->verdict == JOB_IS_OUTPUT ||
	    (job->verdict == JOB_CHANGED && job->restarted))
		return NULL;
	if (!size_is_right)
		return "the size is wrong";
	if (job->verdict != JOB_DISPUTED && !rig.cpu.blind &&
	    !has_digest(input, job))
		return "the digest is wrong";
	return has_engine(input, job) ? NULL : "another engine hashed it";
}

static void
emit(struct source *source, struct job *job)
{
	struct rig_input *input = &rig.inputs[rig.seen.emitted];
	const char *mistake;

	if (__atomic_exchange_n(&list.in_emit, true, __ATOMIC_ACQ_REL))
		rig_misuse("two threads emit");
	if (source != &list.source || job->name != input->name) {
		rig_misuse("%s comes back instead of %s", job->name,
			   input->name);
	} else {
		mistake = find_mistake(input, job);
		if (mistake)
			rig_misuse("input %u (%s, %zu bytes): %s",
				   rig.seen.emitted, input->name, input->bytes,
				   mistake);
	}
	rig_lock();
	input->job = *job;
	input->emitted = true;
	rig.seen.emitted++;
	list.unflushed = true;
	rig_unlock();
	if (rig.on_emit)
		rig.on_emit(input);
	__atomic_store_n(&list.in_emit, false, __ATOMIC_RELEASE);
}

static void
flush(struct source *source)
{
	if (source != &list.source)
		rig_misuse("another source is flushed");
	rig_lock();
	list.unflushed = false;
	rig_unlock();
}

/* Runs ---------------------------------------------------------------------- */

static int
note_wait(pthread_cond_t *condition, pthread_mutex_t *with)
{
	bool counts;
	int error;

	rig_lock();
	counts = !rig_is_feeder();
	rig.seen.waits++;
	rig.seen.waiting += counts;
	rig_unlock();
	error = fault_real_pthread_cond_wait(condition, with);
	rig_lock();
	rig.seen.waiting -= counts;
	rig_unlock();
	return error;
}

/*
 * No fault, but a note of each wait, and a clock that goes on by a microsecond
 * when it is looked at: so no read seems to wait for a disk because the machine
 * is busy.
 */
static void
clear_faults(void)
{
	fault_clear();
	fault_clock_set(FAULT_SECOND);
	fault_clock_step(1000);
	fault_hooks.pthread_cond_wait = note_wait;
}

void
rig_begin(void)
{
	clear_faults();
	memset(&rig, 0, sizeof(rig));
	rig.inputs = rig_inputs_begin();
	nactors = 0;
	rig.cpu.lanes = RIG_LANES;
	rig_cpu_begin();
	rig_device_begin();
	rig.config = (struct pipeline_config){ .engine = rig.cpu_engine,
					       .options = "",
					       .fallback = rig.cpu_engine,
					       .threads = 1 };
}

void
rig_again(void)
{
	clear_faults();
	memset(&rig.seen, 0, sizeof(rig.seen));
	rig_inputs_again();
}

static bool (*before_read)(int fd, size_t *n);

static ssize_t
read_hooked(int fd, void *to, size_t n)
{
	return before_read(fd, &n) ? fault_real_read(fd, to, n) : -1;
}

static ssize_t
pread_hooked(int fd, void *to, size_t n, off_t at)
{
	return before_read(fd, &n) ? fault_real_pread(fd, to, n, at) : -1;
}

void
rig_before_reads(bool (*hook)(int fd, size_t *n))
{
	before_read = hook;
	fault_hooks.read = read_hooked;
	fault_hooks.pread = pread_hooked;
}

ssize_t
rig_read_cached(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	(void)n, (void)flags;
	if (rig.cache_error) {
		errno = rig.cache_error;
		return -1;
	}
	return at < 0 ? fault_real_read(fd, to->iov_base, to->iov_len) :
			fault_real_pread(fd, to->iov_base, to->iov_len, at);
}

static void
open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		exit(99);
}

/* Descriptors and threads of the script. */
static void
open_script(void)
{
	int ends[2];

	open_pipe(list.pipe);
	for (unsigned i = 0; i < nactors; i++) {
		struct rig_input *input = actors[i].input;

		if (actors[i].run != run_writer || input->kind != JOB_STDIN)
			continue;
		open_pipe(ends);
		if (dup2(ends[0], STDIN_FILENO) < 0)
			exit(99);
		close(ends[0]);
		input->writer_fd = ends[1];
	}
	nkept = nactors;
	for (unsigned i = 0; i < rig.n; i++)
		if (rig.inputs[i].later && !rig.inputs[i].later_has_no_fd)
			add_actor(run_waker)->input = &rig.inputs[i];
	start_actors();
}

static void
close_script(void)
{
	const int nothing = fault_real_open("/dev/null", O_RDONLY, 0);

	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
		exit(99);
	close(nothing);
	join_actors();
	nactors = nkept;
	close(list.pipe[0]);
	close(list.pipe[1]);
}

static void
run(void)
{
	const struct balance before = balance_now();
	static struct pool pool;

	list.in_next = list.in_emit = list.unflushed = false;
	list.is_ready = false;
	list.source = (struct source){ next, emit, flush, -1 };
	rig.config.reads_ahead = rig.readers > 0;
	pool_init(&pool, rig.readers > 0 ? rig.readers : 64);
	rig.config.pool = &pool;
	open_script();
	rig.ran = pipeline_run(&rig.config, &list.source, &rig.report,
			       &rig.why_not);
	pool_end(&pool);
	close_script();
	rig_cpu_end();
	rig_device_end();
	if (!balance_is_as(&before))
		rig_misuse("a run keeps what it took");
}

static bool
is_right(void)
{
	if (rig.seen.emitted != rig.n)
		rig_misuse("%u of %u inputs came back", rig.seen.emitted,
			   rig.n);
	if (list.unflushed)
		rig_misuse("what was emitted has not been flushed");
	return rig.seen.misused == 0;
}

bool
rig_run(void)
{
	run();
	if (!rig.ran)
		rig_misuse("the run did not begin: %s", rig.why_not.text);
	return is_right();
}

bool
rig_runs_or_is_refused(void)
{
	run();
	if (rig.ran)
		return is_right();
	return rig.seen.taken == 0 && rig.seen.misused == 0;
}

bool
rig_is_refused(void)
{
	return rig_runs_or_is_refused() && !rig.ran;
}

bool
rig_survives(unsigned n, void (*begin)(void),
	     void (*fail)(enum fault_call, unsigned nth, int error))
{
	const unsigned step = tap_is_quick() ? 3 : 1;
	unsigned runs = 0, good = 0, refused = 0;

	for (unsigned nth = 1; nth <= n; nth += step, runs++) {
		rig_again();
		begin();
		fail(FAULT_MEMORY, nth, ENOMEM);
		good += rig_runs_or_is_refused();
		refused += !rig.ran;
	}
	if (good < runs || refused == 0 || refused == runs)
		tap_note("%u of %u runs are right, %u were refused", good, runs,
			 refused);
	return good == runs && refused > 0 && refused < runs;
}

void
rig_open(void)
{
	alarm(600);
	signal(SIGPIPE, SIG_IGN);
	scratch_enter();
	rig_inputs_open();
	balance_now();
}
