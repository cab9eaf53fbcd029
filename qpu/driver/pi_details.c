/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/pi_details.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/device/device.h"
#include "qpu/device/shared_facts.h"
#include "qpu/driver/buffer.h"
#include "qpu/driver/firmware.h"
#include "qpu/driver/pi_board.h"
#include "qpu/driver/pi_steps.h"

static void
add_board(struct facts *facts, const struct pi_board *board)
{
	facts_add_text(facts, "board", "board",
		       board->model[0] ? board->model : "unknown");
	if (!board->soc)
		return;
	facts_add_text(facts, "chip", "chip", board->soc->name);
	facts_add_text(facts, "gpu", "GPU",
		       board->soc->videocore4 ? "VideoCore IV" : "another one");
	if (board->soc->videocore4)
		facts_add_number(facts, "qpus", "QPUs", DEVICE_QPUS, 1, "");
}

/* Firmware revisions are seconds since 1970. */
static void
add_firmware_date(struct facts *facts, int vcio)
{
	uint32_t revision[1];
	struct tm day;
	time_t seconds;
	char text[16];

	if (!firmware_call(vcio, MAILBOX_FIRMWARE_REVISION, revision, 0, 1))
		return;
	seconds = (time_t)revision[0];
	if (gmtime_r(&seconds, &day) &&
	    strftime(text, sizeof(text), "%Y-%m-%d", &day) > 0)
		facts_add_text(facts, "firmware", "firmware of", text);
}

static void
add_clock(struct facts *facts, int vcio, enum mailbox_tag tag, const char *key,
	  const char *label)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D };

	if (firmware_call(vcio, tag, values, 1, 2) && values[1] > 0)
		facts_add_number(facts, key, label, values[1], 1e6, "MHz");
}

static void
add_firmware(struct facts *facts)
{
	const int vcio = firmware_open_node("/dev/vcio", 0);
	uint32_t memory[2];

	if (vcio < 0)
		return;
	add_clock(facts, vcio, MAILBOX_MEASURED_CLOCK_RATE, "clock_hz",
		  "clock of the QPUs now");
	add_clock(facts, vcio, MAILBOX_MAX_CLOCK_RATE, "most_clock_hz",
		  "at most");
	if (firmware_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2))
		facts_add_number(facts, "gpu_memory_bytes",
				 "memory of the GPU (gpu_mem)", memory[1],
				 1 << 20, "MiB");
	add_firmware_date(facts, vcio);
	close(vcio);
}

static void
add_memory(struct facts *facts, const struct pi_board *board)
{
	if (board->memory != MEMORY_NONE)
		facts_add_text(facts, "memory", "memory of the QPUs from",
			       buffer_source_name(board->memory, board->heap));
	facts_add_contiguous(facts);
}

static void
add_nodes(struct facts *facts, enum dma_heap_node heap)
{
	const char *const paths[] = { "/dev/vcio", "/dev/vcsm-cma",
				      pi_board_heap(heap), "/dev/mem" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		facts_add_device_node(facts, paths[i]);
}

/* Only the firmware knows how much memory the GPU has, unless it is found
 * already.  Who may not ask it learns from config.txt what else there is to edit
 * before the reboot. */
static unsigned
find_memory(struct pi_finding findings[PI_FINDINGS], unsigned n)
{
	uint32_t memory[2];
	int vcio;

	for (unsigned i = 0; i < n; i++)
		if (findings[i].obstacle == PI_LITTLE_MEMORY)
			return n;
	if (n == PI_FINDINGS)
		return n;
	vcio = firmware_open_node("/dev/vcio", 0);
	if (vcio < 0)
		return n +
		       (n > 0 && pi_board_lacks_memory("", 0, &findings[n]));
	if (firmware_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2)) {
		n += pi_board_lacks_memory("", memory[1] >> 20, &findings[n]);
	} else {
		findings[n].obstacle = PI_NO_ANSWER;
		snprintf(findings[n].detail, sizeof(findings[n].detail), "%s",
			 strerror(errno));
		n++;
	}
	close(vcio);
	return n;
}

static void
add_steps(struct facts *facts)
{
	struct pi_finding findings[PI_FINDINGS];
	struct pi_step steps[PI_FINDINGS];
	unsigned n = pi_board_find("", findings);

	n = pi_steps(findings, find_memory(findings, n), steps);
	for (unsigned i = 0; i < n; i++)
		facts_add_step(facts, i + 1, steps[i].text.text,
			       steps[i].commands);
}

void
pi_details_add(struct facts *facts)
{
	struct pi_board board;

	pi_board_look("", &board, NULL);
	if (board.obstacle == PI_NO_PI)
		return;
	add_board(facts, &board);
	add_firmware(facts);
	add_memory(facts, &board);
	facts_add_kernel(facts);
	add_nodes(facts, board.heap);
	if (board.obstacle != PI_OTHER_GPU)
		add_steps(facts);
}
