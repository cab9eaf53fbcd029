/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/pi_details.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/ways/buffer.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/shared_facts.h"
#include "qpu/ways/way.h"

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

/* --- Steps ---------------------------------------------------------------- */

enum ending { ENDS_AT_ONCE, ENDS_WITH_LOGIN, ENDS_WITH_REBOOT };

/* A user who joins a group has to log in again for it to count. */
#define JOIN "sudo usermod -aG video $USER\n"

/*
 * %s is the finding's detail; an obstacle without a sentence is told by its
 * remedy alone.  The udev rule is that of src/packaging/90-vcio.rules.
 */
/* clang-format off */
static const struct {
	const char *sentence, *commands;
	enum ending ending;
} rows[] = {
	[PI_KMS] = {
		.sentence =
		"take the GPU from the kernel's driver vc4 with a # before "
		"dtoverlay=vc4-kms-v3d in %s (there will be no desktop)",
		.commands = "sudo sed -i 's/^dtoverlay=vc4-kms-v3d/#&/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[PI_FKMS] = {
		.sentence =
		"take the GPU from the kernel's driver vc4 with a # before "
		"dtoverlay=vc4-fkms-v3d in %s (there will be no desktop)",
		.commands = "sudo sed -i 's/^dtoverlay=vc4-fkms-v3d/#&/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[PI_LITTLE_MEMORY] = {
		.sentence =
		"give the GPU more memory: the firmware for gpu_mem=16 has no "
		"QPUs, so put gpu_mem=64 into %s",
		.commands =
		"sudo sed -i 's/^\\(gpu_mem[_0-9]*\\)=.*/\\1=64/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[PI_FOR_GROUP] = {
		.sentence = "join the group that may open /%s",
		.commands = JOIN,
		.ending = ENDS_WITH_LOGIN
	},
	[PI_FOR_ROOT] = {
		.sentence =
		"use sudo, or give /%s, which only root may open, to the group "
		"video, and join that group",
		.commands =
		"echo 'KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", "
		"MODE=\"0660\"' | sudo tee /etc/udev/rules.d/90-vcio.rules\n"
		"sudo udevadm control --reload\n"
		"sudo udevadm trigger\n"
		JOIN,
		.ending = ENDS_WITH_LOGIN
	},
	[PI_MODULE_FORBIDDEN] = {
		.sentence =
		"allow the module of /dev/vcsm-cma, which is on the blacklist "
		"in /etc/modprobe.d/%s",
		.commands =
		"sudo sed -i '/^[[:blank:]]*blacklist[[:blank:]]*"
		"vc[_-]sm[_-]cma/d' /etc/modprobe.d/%s\n"
		"sudo modprobe vc-sm-cma\n"
	},
	[PI_NO_MODULE] = {
		.sentence = "load the module of /dev/vcsm-cma",
		.commands = "sudo modprobe vc-sm-cma\n"
	},
	[PI_NO_MODULE_64] = {
		.sentence = "load the module of /dev/vcsm-cma",
		.commands = "sudo modprobe vc-sm-cma\n"
	},
};
/* clang-format on */

static const size_t nrows = sizeof(rows) / sizeof(*rows);

static enum ending
ending_of(const struct pi_finding *finding)
{
	return finding->obstacle < nrows ? rows[finding->obstacle].ending :
					   ENDS_AT_ONCE;
}

static void
fill(struct pi_step *step, const struct pi_finding *finding)
{
	*step = (struct pi_step){ .commands = "" };
	if (finding->obstacle >= nrows || !rows[finding->obstacle].sentence) {
		pi_board_explain(finding, &step->text);
		return;
	}
	diag_set(&step->text, rows[finding->obstacle].sentence,
		 finding->detail);
	snprintf(step->commands, sizeof(step->commands),
		 rows[finding->obstacle].commands, finding->detail);
}

static void
end(struct pi_step *step, enum ending ending)
{
	static const char *const words[] = { "", "; then log in again",
					     "; then reboot" };
	const struct diag text = step->text;
	const size_t len = strlen(step->commands);

	diag_set(&step->text, "%s%s", text.text, words[ending]);
	if (ending == ENDS_WITH_REBOOT)
		snprintf(step->commands + len, sizeof(step->commands) - len,
			 "sudo reboot\n");
}

unsigned
pi_steps(const struct pi_finding findings[], unsigned n,
	 struct pi_step steps[PI_FINDINGS])
{
	enum ending last = ENDS_AT_ONCE;
	unsigned filled = 0;

	for (unsigned edits = 2; edits-- > 0;)
		for (unsigned i = 0; i < n; i++) {
			const enum ending ending = ending_of(&findings[i]);

			if ((ending == ENDS_WITH_REBOOT) != edits)
				continue;
			fill(&steps[filled++], &findings[i]);
			if (ending > last)
				last = ending;
		}
	if (filled > 0)
		end(&steps[filled - 1], last);
	return filled;
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
