/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/firmware.h"

#include <errno.h>
#include <string.h>

#include "qpu/abi/mailbox.h"
#include "qpu/virtual/board/gpu.h"
#include "qpu/virtual/board/pool.h"
#include "qpu/virtual/board/power.h"

enum {
	MESSAGE_HEAD = 2, /* words: bytes, code */
	TAG_HEAD = 3,	  /* tag, bytes of its buffer, code */
	TAG_VALUES = 8,	  /* the most that a tag has, in or out */
	FIRMWARE_BUILT = 0x5f3a1c80,
	VARIANT_USUAL = 1, /* start.elf */
	VARIANT_CUT_DOWN = 4,
	HASH_WORDS = 5,
	MILLIDEGREES = 42000
};

/* Answers a tag: values come in and go out.  0 or an errno. */
typedef int
answer_tag(const struct board *, uint32_t *values);

static int
answer_revision(const struct board *board, uint32_t *values)
{
	(void)board;
	values[0] = FIRMWARE_BUILT;
	return 0;
}

/* A small memory starts the firmware that is cut down (start_cd.elf). */
static int
answer_variant(const struct board *board, uint32_t *values)
{
	values[0] = board->shared->options.device.mem_mib >
				    PROFILE_CUT_DOWN_MIB ?
			    VARIANT_USUAL :
			    VARIANT_CUT_DOWN;
	return 0;
}

/* A commit of the firmware's, in 20 bytes. */
static int
answer_hash(const struct board *board, uint32_t *values)
{
	(void)board;
	for (unsigned i = 0; i < HASH_WORDS; i++)
		values[i] = 0x9e3779b9 * (i + 1);
	return 0;
}

/* The model, and what has throttled the clocks: nothing. */
static int
answer_zero(const struct board *board, uint32_t *values)
{
	(void)board;
	values[0] = 0;
	return 0;
}

static int
answer_board(const struct board *board, uint32_t *values)
{
	values[0] = board->profile->revision;
	return 0;
}

/* Two words, the lower one first. */
static int
answer_serial(const struct board *board, uint32_t *values)
{
	(void)board;
	values[0] = (uint32_t)PROFILE_SERIAL;
	values[1] = (uint32_t)(PROFILE_SERIAL >> 32);
	return 0;
}

static int
answer_arm_memory(const struct board *board, uint32_t *values)
{
	values[0] = 0;
	values[1] = board->memory_base;
	return 0;
}

static int
answer_vc_memory(const struct board *board, uint32_t *values)
{
	values[0] = board->memory_base;
	values[1] = board->memory_bytes;
	return 0;
}

/* A clock that is not there has the rate 0. */
static int
answer_clock(const struct board *board, uint32_t *values)
{
	values[1] = values[0] < BOARD_CLOCKS ?
			    board->shared->clock_hz[values[0]] :
			    0;
	return 0;
}

static int
answer_max_clock(const struct board *board, uint32_t *values)
{
	values[1] = board_shared_most_hz(board->shared, values[0]);
	return 0;
}

static int
answer_min_clock(const struct board *board, uint32_t *values)
{
	values[1] = board_shared_least_hz(board->shared, values[0]);
	return 0;
}

/* The V3D has its clock while programs run and shortly after. */
static int
answer_measured_clock(const struct board *board, uint32_t *values)
{
	if (values[0] == MAILBOX_CLOCK_V3D && !gpu_was_busy(board))
		return answer_min_clock(board, values);
	return answer_clock(board, values);
}

/* The third word would leave out turbo settings.  A rate is cut to the limits of
 * its clock. */
static int
set_clock(const struct board *board, uint32_t *values)
{
	const uint32_t least = board_shared_least_hz(board->shared, values[0]);
	const uint32_t most = board_shared_most_hz(board->shared, values[0]);

	if (most > 0)
		board->shared->clock_hz[values[0]] =
			values[1] < least ? least :
			values[1] > most  ? most :
					    values[1];
	return answer_clock(board, values);
}

/* Clocks that there are stay on, whatever is asked for. */
static int
answer_clock_state(const struct board *board, uint32_t *values)
{
	values[1] = board_shared_most_hz(board->shared, values[0]) ?
			    MAILBOX_CLOCK_ON :
			    MAILBOX_CLOCK_MISSING;
	return 0;
}

/* Other power domains than the V3D's are off. */
static int
answer_domain(const struct board *board, uint32_t *values)
{
	values[1] = values[0] == MAILBOX_DOMAIN_V3D && power_is_on(board);
	return 0;
}

static int
answer_temperature(const struct board *board, uint32_t *values)
{
	(void)board;
	values[1] = MILLIDEGREES;
	return 0;
}

static int
allocate(const struct board *board, uint32_t *values)
{
	values[0] = pool_allocate(board, values[0], values[1], values[2]);
	return 0;
}

static int
lock(const struct board *board, uint32_t *values)
{
	values[0] = pool_lock(board, values[0]);
	return 0;
}

static int
unlock(const struct board *board, uint32_t *values)
{
	values[0] = pool_unlock(board, values[0]);
	return 0;
}

static int
release(const struct board *board, uint32_t *values)
{
	values[0] = pool_release(board, values[0]);
	return 0;
}

static int
execute_code(const struct board *board, uint32_t *values)
{
	(void)board;
	board_say("code for the VPU cannot be run, only programs for QPUs");
	values[0] = MAILBOX_FAILED;
	return 0;
}

static int
execute_qpu(const struct board *board, uint32_t *values)
{
	switch (gpu_execute(board, values[0], values[1], values[2] != 0,
			    values[3])) {
	case GPU_OK: values[0] = MAILBOX_OK; return 0;
	case GPU_FAILED: values[0] = MAILBOX_FAILED; return 0;
	case GPU_LATE: break;
	}
	return ETIMEDOUT;
}

static int
enable_qpu(const struct board *board, uint32_t *values)
{
	values[0] = power_enable(board, values[0] != 0);
	return 0;
}

static const struct tag {
	uint32_t tag;
	unsigned request, response; /* words */
	answer_tag *answer;
} tags[] = { { MAILBOX_FIRMWARE_REVISION, 0, 1, answer_revision },
	     { MAILBOX_FIRMWARE_VARIANT, 0, 1, answer_variant },
	     { MAILBOX_FIRMWARE_HASH, 0, HASH_WORDS, answer_hash },
	     { MAILBOX_BOARD_MODEL, 0, 1, answer_zero },
	     { MAILBOX_BOARD_REVISION, 0, 1, answer_board },
	     { MAILBOX_BOARD_SERIAL, 0, 2, answer_serial },
	     { MAILBOX_ARM_MEMORY, 0, 2, answer_arm_memory },
	     { MAILBOX_VC_MEMORY, 0, 2, answer_vc_memory },
	     { MAILBOX_CLOCK_STATE, 1, 2, answer_clock_state },
	     { MAILBOX_CLOCK_RATE, 1, 2, answer_clock },
	     { MAILBOX_MAX_CLOCK_RATE, 1, 2, answer_max_clock },
	     { MAILBOX_TEMPERATURE, 1, 2, answer_temperature },
	     { MAILBOX_MIN_CLOCK_RATE, 1, 2, answer_min_clock },
	     { MAILBOX_ALLOCATE_MEMORY, 3, 1, allocate },
	     { MAILBOX_LOCK_MEMORY, 1, 1, lock },
	     { MAILBOX_UNLOCK_MEMORY, 1, 1, unlock },
	     { MAILBOX_RELEASE_MEMORY, 1, 1, release },
	     { MAILBOX_EXECUTE_CODE, 7, 1, execute_code },
	     { MAILBOX_EXECUTE_QPU, 4, 1, execute_qpu },
	     { MAILBOX_ENABLE_QPU, 1, 1, enable_qpu },
	     { MAILBOX_DOMAIN_STATE, 1, 2, answer_domain },
	     { MAILBOX_THROTTLED, 0, 1, answer_zero },
	     { MAILBOX_MEASURED_CLOCK_RATE, 1, 2, answer_measured_clock },
	     { MAILBOX_SET_CLOCK_STATE, 2, 2, answer_clock_state },
	     { MAILBOX_SET_CLOCK_RATE, 2, 2, set_clock } };

static const struct tag *
find_tag(uint32_t tag)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (tags[i].tag == tag)
			return &tags[i];
	return NULL;
}

/*
 * `at` is the tag's head, `space` the words of its buffer.  An answer that does
 * not fit is cut off, with its full length in the response.  A tag that is not
 * known makes the whole message fail (the kernel's log then has status
 * 0x80000001).  It has also been reported that it is skipped.
 */
static int
answer_one(const struct board *board, uint32_t *at, uint32_t space)
{
	const struct tag *tag = find_tag(at[0]);
	uint32_t values[TAG_VALUES] = { 0 };
	int error;

	if (!tag || space < tag->request)
		return EINVAL;
	memcpy(values, at + TAG_HEAD, tag->request * sizeof(*values));
	error = tag->answer(board, values);
	if (error)
		return error;
	memcpy(at + TAG_HEAD, values,
	       sizeof(*values) *
		       (space < tag->response ? space : tag->response));
	at[2] = MAILBOX_TAG_RESPONSE |
		tag->response * (uint32_t)sizeof(*values);
	return 0;
}

/* A message ends with a tag of 0, or where it ends. */
static int
answer_all(const struct board *board, uint32_t *message, uint32_t words)
{
	uint32_t at = MESSAGE_HEAD;

	while (at < words && message[at] != 0) {
		uint32_t space;
		int error;

		if (words - at < TAG_HEAD ||
		    message[at + 1] > (words - at - TAG_HEAD) * 4)
			return EINVAL;
		space = (message[at + 1] + 3) / 4;
		error = answer_one(board, message + at, space);
		if (error)
			return error;
		at += TAG_HEAD + space;
	}
	return 0;
}

/*
 * The kernel passes the tags on and not the code before them.  When it has not
 * waited for an answer, that answer ends the next message: the firmware acts on
 * it, but its own answer is not seen.
 */
int
firmware_answer(const struct board *board, uint32_t *message, uint32_t words)
{
	const bool spoiled = board->shared->late_answer;
	const int error = answer_all(board, message, words);

	board->shared->late_answer = error == ETIMEDOUT;
	if (spoiled && error != ETIMEDOUT) {
		message[1] = MAILBOX_REQUEST;
		return EINVAL;
	}
	if (error != ETIMEDOUT)
		message[1] = error ? MAILBOX_PARSE_ERROR : MAILBOX_SUCCESS;
	return error;
}
