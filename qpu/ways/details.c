/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/details.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/ways/buffers.h"
#include "qpu/ways/drm_node.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/vcio_nodes.h"
#include "qpu/ways/way.h"

/* Of both ways ------------------------------------------------------------- */

/* All memory for devices comes from the kernel's contiguous memory (CMA). */
static void
add_contiguous(struct facts *facts)
{
	const long total = board_contiguous_kib("CmaTotal:");
	const long free = board_contiguous_kib("CmaFree:");

	if (total >= 0)
		facts_add_number(facts, "cma_bytes",
				 "memory of the kernel for devices (CMA)",
				 (double)total * 1024, 1 << 20, "MiB");
	if (free >= 0)
		facts_add_number(facts, "cma_free_bytes", "free of it",
				 (double)free * 1024, 1 << 20, "MiB");
}

/* The release of the kernel, and for which processor it is.  Nothing of uname
 * but these: it also has the machine's name. */
static void
add_kernel(struct facts *facts)
{
	struct utsname kernel;
	char text[sizeof(kernel)];

	if (uname(&kernel) != 0)
		return;
	snprintf(text, sizeof(text), "%s %s %s", kernel.sysname, kernel.release,
		 kernel.machine);
	facts_add_text(facts, "kernel", "kernel", text);
}

/* "0660 root:video", or nothing. */
static void
describe_node(const char *path, char *text, size_t room)
{
	const struct passwd *user;
	const struct group *group;
	struct stat status;
	char uid[16], gid[16];

	*text = '\0';
	if (stat(path, &status) != 0)
		return;
	user = getpwuid(status.st_uid);
	group = getgrgid(status.st_gid);
	snprintf(uid, sizeof(uid), "%u", (unsigned)status.st_uid);
	snprintf(gid, sizeof(gid), "%u", (unsigned)status.st_gid);
	snprintf(text, room, "%04o %s:%s", status.st_mode & 07777,
		 user ? user->pw_name : uid, group ? group->gr_name : gid);
}

/* A node with its mode, owner and group, and whether this user may open it. */
static void
add_node(struct facts *facts, const char *path)
{
	char text[128];

	describe_node(path, text, sizeof(text));
	facts_add_node(facts, path, text, access(path, R_OK | W_OK) == 0);
}

/* The step that is left, if commands take it. */
static void
add_step(struct facts *facts, const struct finding *finding)
{
	char commands[OBSTACLE_COMMANDS_BYTES];
	struct diag text;

	if (!obstacle_commands(finding, commands))
		return;
	obstacle_explain(finding, &text);
	facts_add_step(facts, 1, text.text, commands);
}

static void
add_board(struct facts *facts, const struct board *board)
{
	facts_add_text(facts, "board", "board",
		       board->model[0] ? board->model : "unknown");
	if (!board->soc)
		return;
	facts_add_text(facts, "chip", "chip", board->soc->name);
	facts_add_text(facts, "gpu", "GPU",
		       board->soc->videocore4 ? "VideoCore IV" : "another one");
}

/* The firmware's way ------------------------------------------------------- */

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
add_firmware_clock(struct facts *facts, int vcio, enum mailbox_tag tag,
		   const char *key, const char *label)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D };

	if (firmware_call(vcio, tag, values, 1, 2) && values[1] > 0)
		facts_add_number(facts, key, label, values[1], 1e6, "MHz");
}

/* Only the firmware knows how much memory the GPU has. */
static void
add_firmware(struct facts *facts, struct finding *finding)
{
	const int vcio = firmware_open_node("/dev/vcio", 0);
	uint32_t memory[2];

	if (vcio < 0)
		return;
	add_firmware_clock(facts, vcio, MAILBOX_MEASURED_CLOCK_RATE, "clock_hz",
			   "clock of the QPUs now");
	add_firmware_clock(facts, vcio, MAILBOX_MAX_CLOCK_RATE, "most_clock_hz",
			   "at most");
	if (firmware_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2))
		facts_add_number(facts, "gpu_memory_bytes",
				 "memory of the GPU (gpu_mem)", memory[1],
				 1 << 20, "MiB");
	add_firmware_date(facts, vcio);
	if (finding->obstacle == USABLE)
		firmware_has_qpus(vcio, finding);
	close(vcio);
}

void
details_add_vcio(struct facts *facts)
{
	struct vcio_nodes nodes;
	bool usable = vcio_nodes_look("", &nodes, NULL);

	if (nodes.finding.obstacle == NO_PI)
		return;
	add_board(facts, &nodes.board);
	if (nodes.board.soc && nodes.board.soc->videocore4)
		facts_add_number(facts, "qpus", "QPUs", DEVICE_QPUS, 1, "");
	add_firmware(facts, &nodes.finding);
	if (usable)
		facts_add_text(facts, "memory", "memory of the QPUs from",
			       nodes.heap ? nodes.heap : "/dev/vcsm-cma");
	add_contiguous(facts);
	add_kernel(facts);
	add_node(facts, "/dev/vcio");
	add_node(facts, "/dev/vcsm-cma");
	add_node(facts, nodes.heap ? nodes.heap : DMA_HEAP_NODE);
	add_step(facts, &nodes.finding);
}

/* The kernel's way --------------------------------------------------------- */

void
details_add_drm(struct facts *facts)
{
	/* More than one board has had. */
	static const char *const paths[] = { "/dev/dri/renderD128",
					     "/dev/dri/renderD129",
					     "/dev/dri/renderD130" };
	struct finding finding, of_board;
	struct drm_calls calls;
	struct board board;
	const bool usable = drm_node_open("", &finding, &calls, NULL);

	if (finding.obstacle == NO_PI || finding.obstacle == OTHER_GPU)
		return;
	board_look("", &board, &of_board);
	add_board(facts, &board);
	if (usable) {
		facts_add_text(facts, "node", "node of the driver vc4",
			       finding.detail);
		facts_add_number(facts, "qpus", "QPUs", DEVICE_QPUS, 1, "");
		calls.close(calls.context);
	}
	add_contiguous(facts);
	add_kernel(facts);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (i == 0 || access(paths[i], F_OK) == 0)
			add_node(facts, paths[i]);
	add_step(facts, &finding);
}
