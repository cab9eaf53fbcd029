/* SPDX-License-Identifier: MIT */
/*
 * test-pair: the pair kernel hashes as fragment threads, costs what it may, and
 * is a program that the kernel's driver takes.
 *
 * Messages have random states, lengths and data.  Message m is at pixel (m % 32,
 * m / 32 * 2) and the one below it: the job is as wide as a tile.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sha256.h"
#include "qpu/emulator/emulator.h"
#include "qpu/kernel/pair.h"
#include "qpu/validate/drm_rules.h"
#include "qpu/ways/way.h"
#include "tests/emulator/job.h"
#include "tests/support/tap.h"

/* Exact; smaller is better: then change them. */
enum {
	PAIR_BLOCK = 1078,  /* instructions of one more block */
	PAIR_THREAD = 1185, /* of a thread whose messages have one block */
	PAIR_HOT = 405,	    /* different ones of all blocks but the first */
	ICACHE_INSTRUCTIONS = 512,
};

enum {
	PAIR_MESSAGES = 8, /* of a thread */
	PAIR_WIDTH = 32,   /* of the job, in pixels */
	PAIR_WIDTH_LOG2 = 5,
	/* The TMU's cache is direct mapped. */
	PAIR_LINES = 64,
	PAIR_LINE_BYTES = 64,
	/* Bus addresses. */
	PAIR_AT_K = 0x42000000,
	PAIR_AT_TABLE = 0x43000000,
	PAIR_AT_DATA = 0x44000000,
};

struct pair_plan {
	unsigned messages;  /* a multiple of a row of threads: 64 */
	unsigned low, high; /* blocks of a message */
	uint64_t seed;
	/* Word of PAIR_UNIFORM_DELAY, of the first rows of pixels; and these. */
	unsigned delay, delayed_rows;
	bool packed;	      /* without gaps; else in lines of their number */
	uint32_t turns, step; /* of additions, to messages without blocks */
};

struct pair_messages {
	struct pair_plan plan;
	struct pair_lane *table; /* two for each message */
	uint32_t (*expected)[SHA256_STATE_WORDS];
	uint32_t k[PAIR_K_WORDS];
	uint8_t *data;
	size_t data_bytes;
	uint64_t blocks; /* of all messages */
	uint64_t random;
};

static uint32_t
pair_random(struct pair_messages *messages)
{
	messages->random =
		messages->random * 6364136223846793005 + 1442695040888963407;
	return messages->random >> 32;
}

/*
 * Return where message m may begin, from byte `at` on.  The messages of a thread
 * (two by two quads) are 8 cache lines apart, so that they do not evict each
 * other, and the next thread's are in the lines beside.
 */
static size_t
pair_place(const struct pair_plan *plan, size_t at, size_t m)
{
	const size_t x = m % PAIR_WIDTH, y = m / PAIR_WIDTH;
	const size_t wanted = (x % 4 + y % 2 * 4) * 8 + x / 4 + y / 2;

	if (plan->packed)
		return at;
	return at +
	       (wanted - at / PAIR_LINE_BYTES) % PAIR_LINES * PAIR_LINE_BYTES;
}

/* Its row of the table; lane B is in the row of pixels below. */
static size_t
pair_row(size_t m, bool lane_b)
{
	return (m / PAIR_WIDTH * 2 + lane_b) * PAIR_WIDTH + m % PAIR_WIDTH;
}

static void
pair_message(struct pair_messages *messages, size_t m, size_t at,
	     uint32_t blocks)
{
	uint32_t *state = messages->expected[m];

	for (int k = 0; k < SHA256_STATE_WORDS; k++)
		state[k] = pair_random(messages);
	for (int b = 0; b < 2; b++) {
		struct pair_lane *row = &messages->table[pair_row(m, b)];

		row->data = at + (b ? 4 : 0);
		row->blocks = blocks;
		memcpy(row->state, b ? state : state + PAIR_WORDS,
		       sizeof(row->state));
	}
	sha256_blocks(state, messages->data + at, blocks);
	for (unsigned i = 0; i < SHA256_STATE_WORDS; i++)
		if (i % PAIR_WORDS < PAIR_SUM_WORDS)
			state[i] += (messages->plan.turns + 1) *
				    messages->plan.step;
}

/* Return false if memory is short. */
static bool
pair_messages_open(struct pair_messages *messages, const struct pair_plan *plan)
{
	const size_t n = plan->messages;
	uint32_t *blocks = calloc(n, sizeof(*blocks));
	size_t at = 0;

	memset(messages, 0, sizeof(*messages));
	messages->plan = *plan;
	messages->random = plan->seed + 1;
	messages->table = calloc(2 * n, sizeof(*messages->table));
	messages->expected = calloc(n, sizeof(*messages->expected));
	memcpy(messages->k, sha256_k, 64 * 4);
	memcpy(messages->k + 64, sha256_k, (PAIR_K_WORDS - 64) * 4);
	for (size_t m = 0; blocks && m < n; m++) {
		blocks[m] = plan->low + pair_random(messages) %
						(plan->high - plan->low + 1);
		messages->blocks += blocks[m];
		at = pair_place(plan, at, m) + 64 * (size_t)blocks[m];
	}
	messages->data_bytes = at + PAIR_AHEAD_BYTES;
	messages->data = malloc(messages->data_bytes);
	if (!blocks || !messages->table || !messages->expected ||
	    !messages->data) {
		free(blocks);
		return false;
	}
	for (size_t i = 0; i < messages->data_bytes; i++)
		messages->data[i] = pair_random(messages);
	at = 0;
	for (size_t m = 0; m < n; m++) {
		at = pair_place(plan, at, m);
		pair_message(messages, m, at, blocks[m]);
		at += 64 * (size_t)blocks[m];
	}
	free(blocks);
	return true;
}

static void
pair_messages_close(struct pair_messages *messages)
{
	free(messages->table);
	free(messages->expected);
	free(messages->data);
}

/* The stream at bus address `self`. */
static void
pair_stream(const struct pair_messages *messages, uint32_t *words,
	    uint32_t self, uint32_t delay)
{
	const uint32_t base[] = {
		[PAIR_TABLE] = PAIR_AT_TABLE,
		[PAIR_DATA] = PAIR_AT_DATA,
		[PAIR_K] = PAIR_AT_K,
	};
	const uint32_t bytes[] = {
		[PAIR_TABLE] =
			2 * messages->plan.messages * sizeof(struct pair_lane),
		[PAIR_DATA] = messages->data_bytes,
		[PAIR_K] = sizeof(messages->k),
	};

	for (size_t i = 0; i < pair_nuniforms; i++) {
		const struct pair_uniform *uniform = &pair_uniforms[i];

		switch (uniform->kind) {
		case PAIR_UNIFORM_BASE:
			words[i] = base[uniform->memory] + uniform->word;
			break;
		case PAIR_UNIFORM_CLAMP:
			words[i] = bytes[uniform->memory] - uniform->word;
			break;
		case PAIR_UNIFORM_ADDRESS: words[i] = self; break;
		case PAIR_UNIFORM_WIDTH: words[i] = PAIR_WIDTH_LOG2; break;
		case PAIR_UNIFORM_DELAY: words[i] = delay; break;
		case PAIR_UNIFORM_TURNS: words[i] = messages->plan.turns; break;
		case PAIR_UNIFORM_STEP: words[i] = messages->plan.step; break;
		}
	}
}

static bool
pair_memories(struct pair_messages *messages, struct machine *machine,
	      struct diag *why)
{
	return machine_add_memory(machine, PAIR_AT_K, messages->k,
				  sizeof(messages->k), why) &&
	       machine_add_memory(machine, PAIR_AT_TABLE, messages->table,
				  2 * messages->plan.messages *
					  sizeof(*messages->table),
				  why) &&
	       machine_add_memory(machine, PAIR_AT_DATA, messages->data,
				  messages->data_bytes, why);
}

enum {
	PAIR_TILE_MESSAGES = TILE_PIXELS * TILE_PIXELS / 2,
	PAIR_TILE_THREADS = PAIR_TILE_MESSAGES / PAIR_MESSAGES,
};

struct pair_rig {
	struct machine_options options;
	struct job job;
	struct pair_messages messages;
};

static struct machine *
pair_machine(const struct pair_rig *rig)
{
	return rig->job.emu.machine;
}

static uint32_t
pair_rig_code(struct pair_rig *rig, const uint64_t *words, size_t n)
{
	struct emu *emu = &rig->job.emu;
	const uint32_t at = emu->code_end;

	for (size_t i = 0; i < n; i++)
		qpu_word_store(emu->memory + at + 8 * i, words[i]);
	emu->code_end = (at + 8 * n + 63) & ~(size_t)63;
	return EMU_BASE + at;
}

/* Draws all of the job that is in a window. */
static void
pair_rig_draw(struct pair_rig *rig, const unsigned window[4], unsigned stream,
	      unsigned delay)
{
	struct job *job = &rig->job;
	const uint32_t at = EMU_UNIFORMS + 1024 * stream;
	const struct job_corner corners[3] = {
		{ .w = 1 },
		{ .x = 2 * job->width, .w = 1 },
		{ .y = 2 * job->height, .w = 1 },
	};

	if (!window[2] || !window[3])
		return;
	job->uniforms = EMU_BASE + at;
	pair_stream(&rig->messages, emu_words(&job->emu, at), job->uniforms,
		    delay);
	job_window(job, window[0], window[1], window[2], window[3]);
	job_shaders(job);
	for (int i = 0; i < 3; i++)
		job_vertex(job, &corners[i]);
	job_array(job, 4, 3);
}

static void
pair_rig_job(struct pair_rig *rig)
{
	const unsigned rows = rig->messages.plan.delayed_rows;
	struct job *job = &rig->job;
	const unsigned windows[2][4] = {
		{ 0, 0, TILE_PIXELS, rows },
		{ 0, rows, TILE_PIXELS, job->height - rows },
	};

	job_begin(job);
	job->shader[0] = pair_rig_code(rig, pair_code, pair_nwords);
	job_viewport(job);
	job_configuration(job, 0x027043);
	for (unsigned i = 0; i < 2; i++)
		pair_rig_draw(rig, windows[i], i,
			      i ? 0 : rig->messages.plan.delay);
	job_clear(job, 0, 0, 0);
	job_mode(job, 1);
	job_tiles_all(job);
}

/* The messages fill tiles, one below the other. */
static bool
pair_rig_open(struct pair_rig *rig, const struct machine_options *options,
	      const struct pair_plan *plan)
{
	memset(rig, 0, sizeof(*rig));
	rig->options = *options;
	rig->job.width = PAIR_WIDTH;
	rig->job.height = plan->messages / PAIR_WIDTH * 2;
	rig->job.emu = emu_open(&rig->options);
	if (!pair_messages_open(&rig->messages, plan) ||
	    !pair_memories(&rig->messages, pair_machine(rig),
			   &rig->job.emu.why))
		return false;
	pair_rig_job(rig);
	return true;
}

static void
pair_rig_close(struct pair_rig *rig)
{
	emu_close(&rig->job.emu);
	pair_messages_close(&rig->messages);
}

static enum machine_status
pair_rig_run(struct pair_rig *rig)
{
	return job_run(&rig->job, 0);
}

/* Word k of the state of message m as it came out. */
static uint32_t
pair_rig_word(const struct pair_rig *rig, unsigned m, int k)
{
	const struct emu *emu = &rig->job.emu;
	const bool lane_b = k < PAIR_WORDS;

	return emu_words(emu, JOB_IMAGE)[tile_word(
		1, m % PAIR_WIDTH, m / PAIR_WIDTH * 2 + lane_b, k % PAIR_WORDS)];
}

static bool
pair_rig_is_right(const struct pair_rig *rig)
{
	for (unsigned m = 0; m < rig->messages.plan.messages; m++)
		for (int k = 0; k < SHA256_STATE_WORDS; k++)
			if (pair_rig_word(rig, m, k) !=
			    rig->messages.expected[m][k])
				return false;
	return true;
}

static bool
hashes(const struct machine_options *options, const struct pair_plan *plan)
{
	struct pair_rig rig;
	bool good = pair_rig_open(&rig, options, plan) &&
		    pair_rig_run(&rig) == MACHINE_DONE;

	if (!good)
		tap_note("%s", rig.job.emu.why.text);
	if (rig.job.emu.nfindings)
		tap_note("%u findings, the last: %s", rig.job.emu.nfindings,
			 rig.job.emu.finding);
	good = good && !rig.job.emu.nfindings && pair_rig_is_right(&rig);
	pair_rig_close(&rig);
	return good;
}

static void
test_lengths(void)
{
	static const struct {
		const char *what;
		struct pair_plan plan;
	} rows[] = {
		{ "no blocks keep their state", { .messages = 512 } },
		{ "late blocks",
		  { .messages = 512, .low = 1, .high = 2, .turns = 9 } },
		{ "no blocks add",
		  { .messages = 512, .turns = 40, .step = 0x9e3779b1 } },
		{ "one block", { .messages = 1024, .low = 1, .high = 1 } },
		{ "0 to 2 blocks, each its own",
		  { .messages = 512, .high = 2, .packed = true } },
		{ "0 to 19 blocks in two tiles",
		  { .messages = 1024, .high = 19 } },
	};
	static const struct {
		const char *what;
		struct machine_options options;
		unsigned delay;
	} modes[] = {
		{ "", { .qpus = 12 }, 0 },
		{ ", checked", { .check = true }, 0 },
		{ ", checked, quads shuffled",
		  { .check = true, .shuffle = true },
		  0 },
		{ ", timed, starts delayed", { .timed = true }, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < sizeof(modes) / sizeof(*modes); k++) {
			struct machine_options options = modes[k].options;
			struct pair_plan plan = rows[i].plan;

			options.seed = plan.seed = 4 * i + k;
			/* Sums do not depend on the QPU. */
			plan.delay = plan.step ? 0 : modes[k].delay;
			plan.delayed_rows = 8;
			ok(hashes(&options, &plan), "pair: messages of %s%s",
			   rows[i].what, modes[k].what);
		}
}

/* Instructions of a thread whose messages have n blocks; *hot of them are run
 * for each block. */
static uint64_t
instructions(unsigned blocks, unsigned *hot)
{
	enum { ROWS = 4096 };
	static struct machine_profile_row rows[ROWS];
	const struct machine_options options = { .profile = true };
	const struct pair_plan plan = {
		.messages = PAIR_TILE_MESSAGES,
		.low = blocks,
		.high = blocks,
	};
	struct pair_rig rig;
	uint64_t n = 0;

	*hot = 0;
	if (pair_rig_open(&rig, &options, &plan) &&
	    pair_rig_run(&rig) == MACHINE_DONE) {
		const uint32_t code = rig.job.shader[0];
		const size_t nrows =
			machine_profile(pair_machine(&rig), rows, ROWS);

		for (size_t i = 0; i < nrows && i < ROWS; i++) {
			if (((rows[i].pc - code) & MACHINE_BUS_MASK) / 8 >=
			    pair_nwords)
				continue;
			n += rows[i].executions;
			*hot += rows[i].executions >=
				blocks * PAIR_TILE_THREADS;
		}
	}
	pair_rig_close(&rig);
	return n / PAIR_TILE_THREADS;
}

static void
test_cost(void)
{
	unsigned hot;
	const uint64_t thread = instructions(1, &hot);
	const uint64_t two = instructions(2, &hot);
	const uint64_t block = instructions(3, &hot) - two;

	tap_note("pair: %u instructions a block of 8 messages, %u of them "
		 "different, %u a thread of one block, %zu in all",
		 (unsigned)block, hot, (unsigned)thread, pair_nwords);
	ok(block == PAIR_BLOCK, "pair: %d instructions a block", PAIR_BLOCK);
	ok(hot == PAIR_HOT, "pair: %d different instructions a block",
	   PAIR_HOT);
	ok(thread == PAIR_THREAD, "pair: %d instructions a thread of one block",
	   PAIR_THREAD);
	ok(pair_nwords <= ICACHE_INSTRUCTIONS,
	   "pair: the whole program fits the instruction cache");
}

/* Return true if word n of the stream is of this kind. */
static bool
is_kind(uint32_t byte, enum pair_uniform_kind kind)
{
	return byte % 4 == 0 && byte / 4 < pair_nuniforms &&
	       pair_uniforms[byte / 4].kind == kind;
}

/* The driver's counts of the program are those in its tables. */
static void
test_accepted(void)
{
	struct qpu_drm_program program;
	enum qpu_drm_rule_number rule;
	size_t index;
	const enum qpu_drm_verdict verdict =
		qpu_drm_check(pair_code, pair_nwords, &program, &rule, &index);
	bool good;

	ok(verdict == QPU_DRM_ACCEPTED,
	   "pair: accepted by the rules of the kernel's driver");
	if (verdict != QPU_DRM_ACCEPTED)
		return;
	good = program.uniform_bytes == 4 * pair_nuniforms &&
	       program.nloads == pair_nloads && !program.threaded;
	for (size_t i = 0; good && i < program.nloads; i++) {
		const uint32_t *p = program.loads[i].parameters;

		good = program.loads[i].direct &&
		       is_kind(p[0], PAIR_UNIFORM_BASE) &&
		       is_kind(p[1], PAIR_UNIFORM_CLAMP) &&
		       pair_uniforms[p[0] / 4].memory == pair_loads[i] &&
		       pair_uniforms[p[1] / 4].memory == pair_loads[i] &&
		       pair_uniforms[p[0] / 4].word + 4 <=
			       pair_uniforms[p[1] / 4].word;
	}
	for (size_t i = 0; good && i < program.naddresses; i++)
		good = is_kind(4 * program.addresses[i], PAIR_UNIFORM_ADDRESS);
	ok(good, "pair: its tables name the uniforms, lookups and addresses "
		 "that the driver counts");
	qpu_drm_free(&program);
}

int
main(void)
{
	test_lengths();
	test_cost();
	test_accepted();
	return tap_done();
}
