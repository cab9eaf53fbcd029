/* SPDX-License-Identifier: MIT */
/*
 * rig: a run of the pipeline in which all around it is scripted.
 *
 * A test says which inputs there are (rig_file and the like, in their order),
 * how the engine behaves (rig.device, rig.cpu) and how the run is set up
 * (rig.config), and calls rig_run(), which is pipeline_run() with a source and
 * engines of the rig's.  rig_run() is true if all that every run promises has
 * come true:
 *
 *  - each input comes back once, in order, with its digest, size, error and
 *    verdict; all that was emitted is flushed;
 *  - the source is asked by one thread at a time, with a job of zeros, and not
 *    again after its end; it hears `is_oldest` only if nothing is under way;
 *  - lanes, their data and the slack after them belong to the engine from
 *    submit to wait; an engine that has failed is not used again;
 *  - memory, descriptors, threads, signals and engines are given back.
 *
 * What it did beyond that is in rig.seen and in each input.
 *
 * Threads wait for each other with rig_wait(), never for a time.
 */
#ifndef TESTS_PIPELINE_RIG_H
#define TESTS_PIPELINE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "src/pipeline/pipeline.h"
#include "tests/support/fault.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum {
	RIG_INPUTS = 80000,
	RIG_LANES = 16,	      /* of the CPU, and of a QPU */
	RIG_MOST_LANES = 192, /* of the device */
	RIG_SLACK = 336,      /* after the lanes of the device */
	RIG_DEVICE = 1	      /* its bit in rig_input.engines */
};

/* Return true if something has happened.  Called under the lock of rig.seen. */
typedef bool
rig_condition(void);

/* Inputs -------------------------------------------------------------------- */

struct rig_input {
	/* The test's wishes; rig_file and the like set the first four. */
	enum job_kind kind;
	char name[24];
	size_t bytes; /* of the message */
	ino_t inode;  /* of what rig_file has made */
	int error;    /* the input ends with this */
	enum job_verdict verdict;
	bool watched;
	const struct job_filter *filter;
	const struct job_root *root;
	size_t held_bytes;
	/* It may as well end so, or with a size between, since it changes
	 * meanwhile. */
	bool changes;
	size_t other_bytes;
	int other_error;
	/* The source has the input only once this holds.  Until then it gives
	 * a descriptor to wait for, or asks to be called for the oldest job. */
	rig_condition *later;
	bool later_has_no_fd;
	/* Writes a FIFO or standard input. */
	rig_condition *when;
	int writer_fd;
	/* The returned job. */
	bool emitted;
	struct job job;
	/* Which engines have hashed blocks of it: RIG_DEVICE, and a bit for
	 * each CPU engine in the order in which they were opened; how often
	 * another one went on with it, and of that the device after a CPU or a
	 * CPU after the device; and what was the device's. */
	uint32_t engines;
	unsigned moves, to_device, to_cpu;
	uint64_t device_blocks;
};

/* A file, of bytes that only this input has. */
struct rig_input *
rig_file(size_t bytes);

/* Return the input of this descriptor, if rig_file has made it, or NULL. */
const struct rig_input *
rig_input_of(int fd);

/* Add n files. */
void
rig_files(unsigned n, size_t bytes);

/* Fill up to n inputs: mostly small files, some of up to `most` bytes, some
 * that are empty or missing, directories and remarks. */
void
rig_mix(unsigned n, size_t most);

/* Add an input with this name, which ends with this error, or is empty if
 * error is 0. */
struct rig_input *
rig_name(const char *name, int error);

/*
 * Add a FIFO, or standard input from a pipe.  A writer writes the bytes when
 * the condition holds, or at once if it is NULL, and closes.  A FIFO is opened
 * for writing only then, and may be an earlier input again.
 */
struct rig_input *
rig_fifo(size_t bytes, rig_condition *when);
struct rig_input *
rig_fifo_again(const struct rig_input *, size_t bytes, rig_condition *when);
struct rig_input *
rig_stdin(size_t bytes, rig_condition *when);

/* Make a file standard input, at its beginning, for one run. */
void
rig_as_stdin(struct rig_input *);

struct rig_input *
rig_remark(void);

/* Write the input's file, with this many of its bytes; or change its size, while
 * what it keeps stays as it is. */
void
rig_write_file(const struct rig_input *, size_t bytes);

/* Answer fstat(2) with the size and time of a file of 4 MiB that does not change. */
int
rig_fstat_unchanged(int fd, struct stat *);

/* Get n bytes of an input's message. */
void
rig_content(const struct rig_input *, size_t from, uint8_t *to, size_t n);

/* Engines ------------------------------------------------------------------- */

/* A device that takes ends of messages. */
struct rig_device {
	unsigned lanes;
	unsigned refuses_at, fails_at; /* number of the launch, from 1 */
	bool heals;		       /* it failed its first test only */
	bool lies;		       /* a bit of each digest is wrong */
	bool corrupts;	     /* a bit of each block, before it hashes */
	uint32_t cuts;	     /* launches end after this many blocks, if not 0 */
	size_t memory;	     /* its bytes; 0 for enough */
	unsigned chained;    /* messages of a lane in a launch; 0: 512 */
	size_t piece_bytes;  /* of its limits */
	const char *why_not; /* it cannot be opened */
	void (*before)(void); /* called when a launch begins */
	struct engine_speed speed;
	/* Instead of this device: one that is open()ed and runs for real. */
	const struct engine *real;
};

/* The CPU: every worker opens one, and the feeder of a device. */
struct rig_cpu {
	unsigned lanes;
	uint32_t step_blocks; /* of a lane in a step; 0 for all */
	bool lazy;	      /* some lanes do less than others, or nothing */
	bool lies;	      /* each state is wrong */
	bool blind;	 /* it counts blocks only; digests are not looked at */
	bool reads_only; /* set by rig_only_read */
	bool is_slow; /* hashes by the reference, far more slowly than a read */
	size_t slack, memory; /* bytes; for each engine; 0: 128, enough */
	unsigned refuses_at;  /* the nth open that fails, or 0 */
	/* Called when a step begins, with the engine's bit. */
	void (*before)(uint32_t engine);
};

/* What was seen ------------------------------------------------------------- */

struct rig_seen {
	unsigned taken, emitted;  /* by the source */
	unsigned most_taken;	  /* and not emitted */
	bool ended;		  /* the source, and said so */
	unsigned launches, steps; /* begun, of the device and of CPUs */
	/* How often threads have begun to wait for a condition; and how many
	 * do so now, without the one that feeds the device. */
	unsigned waits, waiting;
	uint64_t device_blocks, cpu_blocks; /* hashed */
	/* Of these, what did not lie in the memory of a CPU's engine. */
	uint64_t elsewhere_blocks;
	unsigned cpus; /* opened, ever */
	bool device_failed;
	unsigned most_ends, most_pieces;
	uint32_t most_uneven; /* blocks between two lanes of a launch */
	size_t largest;	      /* piece of the device's memory */
	size_t smallest;      /* memory of a CPU engine */
	unsigned unstaggered; /* lanes not a cache line after the one before */
	unsigned misused;     /* see rig_run; each has a note */
};

extern struct rig {
	/* Set before a run; rig_begin() sets what is usual. */
	struct pipeline_config config;
	unsigned readers; /* threads that read ahead; 0: lanes wait for storage */
	struct rig_device device;
	struct rig_cpu cpu;
	bool crypto_lies;     /* --verify's second opinion */
	int cache_error;      /* of rig_read_cached; 0 if all is cached */
	void (*on_end)(void); /* when the source has no more */
	/* Called when an input comes back. */
	void (*on_emit)(struct rig_input *);
	/* After a run. */
	struct rig_seen seen;
	struct run_report report;
	struct diag why_not;
	bool ran; /* what pipeline_run returned */
	struct rig_input *inputs;
	unsigned n;
	const struct engine *cpu_engine, *device_engine; /* as in reports */
} rig;

/* Begin a test: no inputs, no faults; the CPU with 16 lanes, on one thread. */
void
rig_begin(void);

/* Use a device in the next run, which the CPU shares or not. */
void
rig_use_device(unsigned lanes, bool shared);

/*
 * Let the CPU's engines write nothing after the blocks of a lane, and say so.
 */
void
rig_only_read(void);

/* Turn on --verify. */
void
rig_verify(void);

/* Forget what was seen; the same inputs may be run again. */
void
rig_again(void);

/* Run; see above.  Return true if the run began and kept its promises. */
bool
rig_run(void);

/* Return true if pipeline_run refuses: nothing was taken, and all was given
 * back. */
bool
rig_is_refused(void);

/* Return true if the run keeps its promises or is refused, since a resource
 * that it may need is missing. */
bool
rig_runs_or_is_refused(void);

/*
 * Run the same inputs n times, each time after begin() and with another
 * allocation that fails: the first to the nth, by fault_at, or all from that
 * one on, by fault_from; in a quick run every third.  Return true if each run kept its promises or was
 * refused, some were refused, and some were not.
 */
bool
rig_survives(unsigned n, void (*begin)(void),
	     void (*fail)(enum fault_call, unsigned nth, int error));

/*
 * Call `hook` before each read of a descriptor, until the next run or the
 * start of one.  It may reduce *n.  If it returns false the read fails with
 * its errno.
 */
void
rig_before_reads(bool (*hook)(int fd, size_t *n));

/* Read for fault_hooks.preadv2, as the page cache has it. */
ssize_t
rig_read_cached(int fd, const struct iovec *to, int n, off_t at, int flags);

/* Wait until the condition holds; it is looked at whenever rig.seen changes. */
void
rig_wait(rig_condition *);

/* Start a test program: make its directory, and set a limit for hanging tests. */
void
rig_open(void);

/* For the rig itself ---------------------------------------------------------- */

/* Around each change of rig.seen. */
void
rig_lock(void);
void
rig_unlock(void);

/* The code under test broke a contract; lock held or not. */
__attribute__((format(printf, 1, 2))) void
rig_misuse(const char *format, ...);

/* A thread will write the input, a FIFO or standard input. */
void
rig_add_writer(struct rig_input *);

/* Write the first bytes of an input. */
void
rig_write_message(int fd, const struct rig_input *, size_t bytes);

/* Before all runs; before the inputs of a test, whose place is returned; and
 * before the same inputs are run again. */
void
rig_inputs_open(void);
struct rig_input *
rig_inputs_begin(void);
void
rig_inputs_again(void);

/* Note that an engine has hashed n blocks, perhaps of several inputs.  Lock
 * held. */
void
rig_note_blocks(uint32_t engine, const uint8_t *data, uint32_t n);

/* Before the first and after each run. */
void
rig_cpu_begin(void);
void
rig_cpu_end(void);
void
rig_device_begin(void);
void
rig_device_end(void);

/* Hash some of a lane's blocks, and write the ends among them. */
void
rig_hash_lane(struct engine_lane *, uint32_t blocks, bool chained);

/* Write on what is after a lane's blocks, as an engine may. */
void
rig_scribble(const struct engine_lane *, size_t slack, int byte);

/* Return true if a lane's blocks and the slack after them are within this
 * memory. */
bool
rig_is_within(const struct engine_lane *, size_t slack, const uint8_t *memory,
	      size_t bytes);

/* Return true if this thread feeds the device.  Lock held. */
bool
rig_is_feeder(void);

#endif
