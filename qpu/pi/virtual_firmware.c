/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/virtual_firmware.h"

#include <errno.h>
#include <string.h>

#include "qpu/abi/mailbox.h"
#include "qpu/pi/board_memory.h"
#include "qpu/pi/gpu.h"
#include "qpu/pi/power.h"

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
answer_tag(const struct board *, uint32_t tag, uint32_t *values);

static int
answer_board(const struct board *board, uint32_t tag, uint32_t *values)
{
	switch (tag) {
	case MAILBOX_FIRMWARE_REVISION: values[0] = FIRMWARE_BUILT; break;
	case MAILBOX_FIRMWARE_VARIANT:
		/* A small memory starts the one that is cut down
		 * (start_cd.elf). */
		values[0] = board->shared->options.device.mem_mib >
					    PROFILE_CUT_DOWN_MIB ?
				    VARIANT_USUAL :
				    VARIANT_CUT_DOWN;
		break;
	case MAILBOX_FIRMWARE_HASH: /* a commit of the firmware's */
		for (unsigned i = 0; i < HASH_WORDS; i++)
			values[i] = 0x9e3779b9 * (i + 1);
		break;
	case MAILBOX_BOARD_REVISION:
		values[0] = board->profile->revision;
		break;
	case MAILBOX_BOARD_SERIAL: /* the lower word first */
		values[0] = (uint32_t)PROFILE_SERIAL;
		values[1] = (uint32_t)(PROFILE_SERIAL >> 32);
		break;
	case MAILBOX_ARM_MEMORY:
		values[0] = 0;
		values[1] = board->memory_base;
		break;
	case MAILBOX_VC_MEMORY:
		values[0] = board->memory_base;
		values[1] = board->memory_bytes;
		break;
	case MAILBOX_TEMPERATURE: values[1] = MILLIDEGREES; break;
	/* The model, and what has throttled the clocks: nothing. */
	default: values[0] = 0; break;
	}
	return 0;
}

/* The first value is the clock; one that is not there has the rate 0, and one
 * that is there stays on, whatever is asked for. */
static int
answer_clock(const struct board *board, uint32_t tag, uint32_t *values)
{
	struct board_shared *shared = board->shared;
	const uint32_t clock = values[0];
	const uint32_t least = board_shared_least_hz(shared, clock);
	const uint32_t most = board_shared_most_hz(shared, clock);

	switch (tag) {
	case MAILBOX_MAX_CLOCK_RATE: values[1] = most; return 0;
	case MAILBOX_MIN_CLOCK_RATE: values[1] = least; return 0;
	case MAILBOX_CLOCK_STATE:
	case MAILBOX_SET_CLOCK_STATE:
		values[1] = most ? MAILBOX_CLOCK_ON : MAILBOX_CLOCK_MISSING;
		return 0;
	case MAILBOX_SET_CLOCK_RATE: /* within its limits */
		if (most > 0)
			shared->clock_hz[clock] = values[1] < least ? least :
						  values[1] > most  ? most :
								      values[1];
		break;
	}
	values[1] = clock < BOARD_CLOCKS ? shared->clock_hz[clock] : 0;
	return 0;
}

static int
answer_memory(const struct board *board, uint32_t tag, uint32_t *values)
{
	switch (tag) {
	case MAILBOX_ALLOCATE_MEMORY:
		values[0] =
			pool_allocate(board, values[0], values[1], values[2]);
		break;
	case MAILBOX_LOCK_MEMORY:
		values[0] = pool_lock(board, values[0]);
		break;
	case MAILBOX_UNLOCK_MEMORY:
		values[0] = pool_unlock(board, values[0]);
		break;
	default: values[0] = pool_release(board, values[0]); break;
	}
	return 0;
}

static int
answer_qpus(const struct board *board, uint32_t tag, uint32_t *values)
{
	enum gpu_answer answer;

	switch (tag) {
	case MAILBOX_EXECUTE_QPU:
		answer = gpu_execute(board, values[0], values[1],
				     values[2] != 0, values[3]);
		if (answer == GPU_LATE)
			return ETIMEDOUT;
		values[0] = answer == GPU_OK ? MAILBOX_OK : MAILBOX_FAILED;
		break;
	case MAILBOX_EXECUTE_CODE:
		board_say("code for the VPU cannot be run, only programs for "
			  "QPUs");
		values[0] = MAILBOX_FAILED;
		break;
	case MAILBOX_ENABLE_QPU:
		values[0] = power_enable(board, values[0] != 0);
		break;
	/* Other power domains than the V3D's are off. */
	default:
		values[1] = values[0] == MAILBOX_DOMAIN_V3D &&
			    power_is_on(board);
		break;
	}
	return 0;
}

/* clang-format off */
static const struct tag {
	uint32_t tag;
	unsigned request, response; /* words */
	answer_tag *answer;
} tags[] = {
	{ MAILBOX_FIRMWARE_REVISION, 0, 1, answer_board },
	{ MAILBOX_FIRMWARE_VARIANT, 0, 1, answer_board },
	{ MAILBOX_FIRMWARE_HASH, 0, HASH_WORDS, answer_board },
	{ MAILBOX_BOARD_MODEL, 0, 1, answer_board },
	{ MAILBOX_BOARD_REVISION, 0, 1, answer_board },
	{ MAILBOX_BOARD_SERIAL, 0, 2, answer_board },
	{ MAILBOX_ARM_MEMORY, 0, 2, answer_board },
	{ MAILBOX_VC_MEMORY, 0, 2, answer_board },
	{ MAILBOX_CLOCK_STATE, 1, 2, answer_clock },
	{ MAILBOX_CLOCK_RATE, 1, 2, answer_clock },
	{ MAILBOX_MAX_CLOCK_RATE, 1, 2, answer_clock },
	{ MAILBOX_TEMPERATURE, 1, 2, answer_board },
	{ MAILBOX_MIN_CLOCK_RATE, 1, 2, answer_clock },
	{ MAILBOX_ALLOCATE_MEMORY, 3, 1, answer_memory },
	{ MAILBOX_LOCK_MEMORY, 1, 1, answer_memory },
	{ MAILBOX_UNLOCK_MEMORY, 1, 1, answer_memory },
	{ MAILBOX_RELEASE_MEMORY, 1, 1, answer_memory },
	{ MAILBOX_EXECUTE_CODE, 7, 1, answer_qpus },
	{ MAILBOX_EXECUTE_QPU, 4, 1, answer_qpus },
	{ MAILBOX_ENABLE_QPU, 1, 1, answer_qpus },
	{ MAILBOX_DOMAIN_STATE, 1, 2, answer_qpus },
	{ MAILBOX_THROTTLED, 0, 1, answer_board },
	{ MAILBOX_MEASURED_CLOCK_RATE, 1, 2, answer_clock },
	{ MAILBOX_SET_CLOCK_STATE, 2, 2, answer_clock },
	{ MAILBOX_SET_CLOCK_RATE, 2, 2, answer_clock },
};
/* clang-format on */

static const struct tag *
find_tag(uint32_t number)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (tags[i].tag == number)
			return &tags[i];
	return NULL;
}

int
firmware_answer_tag(const struct board *board, uint32_t number,
		    uint32_t *values)
{
	const struct tag *tag = find_tag(number);

	return tag ? tag->answer(board, number, values) : EINVAL;
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
	error = tag->answer(board, at[0], values);
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
