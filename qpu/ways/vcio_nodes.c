/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/vcio_nodes.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct look {
	const char *root;
	struct vcio_nodes *nodes;
	struct finding finding;
};

/* The configuration of the firmware; systems before 2023 have it elsewhere. */
static const char new_config[] = "boot/firmware/config.txt";
static const char old_config[] = "boot/config.txt";

static void
name_configuration(const char *root, struct finding *finding)
{
	const bool old = !board_has(root, new_config) &&
			 board_has(root, old_config);

	snprintf(finding->detail, sizeof(finding->detail), "/%s",
		 old ? old_config : new_config);
}

/* The board, and whose GPU it is ------------------------------------------- */

static enum obstacle
look_at_board(struct look *look)
{
	board_look(look->root, &look->nodes->board, &look->finding);
	return look->finding.obstacle;
}

/* Has the kernel's driver taken a V3D, "3fc00000.v3d"? */
static bool
driver_is_bound(const char *root)
{
	char path[4096];
	const struct dirent *entry;
	bool bound = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/bus/platform/drivers/vc4_v3d",
		 root);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!bound && (entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		bound = dot && strcmp(dot, ".v3d") == 0;
	}
	closedir(dir);
	return bound;
}

/*
 * Since October 2016 the firmware refuses to run QPU programs where the
 * device tree gives the V3D to the kernel; before, both collided.  A node
 * without a status is enabled, as in the device trees of the kernel's own
 * source; those of Raspberry Pi OS say "disabled", and an overlay "okay".
 */
static enum obstacle
look_at_owner(struct look *look)
{
	const char *node = "proc/device-tree/soc/v3d@7ec00000";
	char name[128], status[16], fake[16];
	bool claimed, told;

	snprintf(name, sizeof(name), "%s/status", node);
	told = board_read(look->root, name, status, sizeof(status)) >= 0;
	claimed = told ? strcmp(status, "disabled") != 0 :
			 board_has(look->root, node);
	if (!claimed && !driver_is_bound(look->root))
		return USABLE;
	if (claimed && !told)
		return OTHER_KERNEL;
	name_configuration(look->root, &look->finding);
	board_read(look->root,
		   "proc/device-tree/soc/firmwarekms@7e600000/status", fake,
		   sizeof(fake));
	return strcmp(fake, "okay") == 0 ? FKMS : KMS;
}

/* The last gpu_mem of config.txt that is for all boards, before the first
 * section; 0: none. */
static unsigned
configured_memory(const char *root, const char *config)
{
	char text[4096];
	const char *line = text;
	unsigned mib = 0;

	if (board_read(root, config, text, sizeof(text)) < 0)
		return 0;
	while (line && *line != '[') {
		sscanf(line, "gpu_mem=%u", &mib);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return mib;
}

bool
vcio_nodes_lack_memory(const char *root, unsigned mib, struct finding *finding)
{
	struct finding lack = { .obstacle = LITTLE_MEMORY };

	name_configuration(root, &lack);
	if (mib == 0)
		mib = configured_memory(root, lack.detail + 1);
	if (mib == 0 || mib > CUT_DOWN_MIB)
		return false;
	*finding = lack;
	return true;
}

/* The nodes ---------------------------------------------------------------- */

/* A node that this user may not open. */
static enum obstacle
who_may_open(struct look *look, const char *node)
{
	char path[4096];
	struct stat status;

	snprintf(look->finding.detail, sizeof(look->finding.detail), "%s",
		 node);
	snprintf(path, sizeof(path), "%s/%s", look->root, node);
	return stat(path, &status) == 0 && (status.st_mode & 060) == 060 ?
		       VCIO_FOR_GROUP :
		       VCIO_FOR_ROOT;
}

static enum obstacle
look_at_mailbox(struct look *look)
{
	if (!board_has(look->root, "dev/vcio"))
		return NO_MAILBOX;
	if (!board_may_open(look->root, "dev/vcio"))
		return who_may_open(look, "dev/vcio");
	return USABLE;
}

/* Does a line that begins here forbid the module?  Its name is spelled with -
 * or _. */
static bool
line_forbids_module(const char *line)
{
	static const char blanks[] = " \t";
	const char *name = line + strspn(line, blanks);
	size_t gap;

	if (strncmp(name, "blacklist", 9) != 0)
		return false;
	gap = strspn(name + 9, blanks);
	name += 9 + gap;
	return gap > 0 && strcspn(name, " \t\r\n") == 9 &&
	       (strncmp(name, "vc_sm_cma", 9) == 0 ||
		strncmp(name, "vc-sm-cma", 9) == 0);
}

static bool
forbids_module(const char *text)
{
	bool forbids = false;

	while (text && !forbids) {
		forbids = line_forbids_module(text);
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return forbids;
}

/* Does a file in etc/modprobe.d forbid the module?  Its name is the detail.
 * modprobe reads no files but those that end with .conf. */
static bool
is_blacklisted(struct look *look)
{
	char path[4096], text[8192];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/etc/modprobe.d", look->root);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		snprintf(path, sizeof(path), "etc/modprobe.d/%s",
			 entry->d_name);
		found = dot && strcmp(dot, ".conf") == 0 &&
			board_read(look->root, path, text, sizeof(text)) > 0 &&
			forbids_module(text);
		if (found)
			snprintf(look->finding.detail,
				 sizeof(look->finding.detail), "%.255s",
				 entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

const char *
vcio_nodes_heap(enum dma_heap_node heap)
{
	static const char *const nodes[DMA_HEAP_NODES] = {
		[DMA_HEAP_OF_TREE] = DMA_HEAP_NODE,
		[DMA_HEAP_SINCE_6_17] = DMA_HEAP_NODE_SINCE_6_17,
		[DMA_HEAP_OF_COMMAND_LINE] = DMA_HEAP_NODE_OF_COMMAND_LINE
	};

	return nodes[heap];
}

/* A module that is loaded makes no node when the firmware has no service for
 * it, as the firmware of gpu_mem=16. */
static enum obstacle
look_at_memory(struct look *look)
{
	struct vcio_nodes *nodes = look->nodes;

	if (!board_has(look->root, "dev/vcsm-cma")) {
		if (board_has(look->root, "sys/module/vc_sm_cma")) {
			name_configuration(look->root, &look->finding);
			return LITTLE_MEMORY;
		}
		return is_blacklisted(look) ? MODULE_FORBIDDEN : NO_MODULE;
	}
	if (!board_may_open(look->root, "dev/vcsm-cma"))
		return who_may_open(look, "dev/vcsm-cma");
	nodes->memory = MEMORY_VCSM;
	/* The first heap that this user may open. */
	for (unsigned i = DMA_HEAP_NODES; i-- > 0;)
		if (board_may_open(look->root, &vcio_nodes_heap(i)[1])) {
			nodes->memory = MEMORY_CACHED;
			nodes->heap = i;
		}
	return USABLE;
}

/* All of it ---------------------------------------------------------------- */

static enum obstacle (*const looks[])(struct look *) = {
	look_at_board,
	look_at_owner,
	look_at_mailbox,
	look_at_memory,
};

enum { LOOKS = sizeof(looks) / sizeof(*looks) };

bool
vcio_nodes_look(const char *root, struct vcio_nodes *nodes,
		struct diag *why_not)
{
	struct look look = { .root = root, .nodes = nodes };

	*nodes = (struct vcio_nodes){ .obstacle = USABLE };
	for (unsigned i = 0; i < LOOKS && nodes->obstacle == USABLE; i++)
		nodes->obstacle = looks[i](&look);
	if (nodes->obstacle == USABLE)
		return true;
	look.finding.obstacle = nodes->obstacle;
	obstacle_explain(&look.finding, why_not);
	return false;
}

unsigned
vcio_nodes_find(const char *root, struct finding findings[MOST_FINDINGS])
{
	struct vcio_nodes nodes = { .obstacle = USABLE };
	struct look look = { .root = root, .nodes = &nodes };
	bool opened = false; /* an earlier remedy opens the nodes */
	unsigned n = 0;

	for (unsigned i = 0; i < LOOKS; i++) {
		const enum obstacle obstacle = looks[i](&look);

		if (obstacle == USABLE ||
		    (opened && obstacle_opens_nodes(obstacle)))
			continue;
		look.finding.obstacle = obstacle;
		findings[n++] = look.finding;
		if (obstacle_is_last(obstacle))
			break;
		opened = opened || obstacle_opens_nodes(obstacle);
	}
	return n;
}
