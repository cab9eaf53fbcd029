/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/pi_board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/mailbox.h"

#define NO_MEMORY "no memory can be shared with the QPUs: "
#define NO_MODULE                                                              \
	NO_MEMORY "there is no /dev/vcsm-cma ('sudo modprobe vc-sm-cma'), and "

/* What an owner is told in one line; %s is the detail that the look has found.
 * Commands of several lines are in pi_details.c. */
/* clang-format off */
static const struct {
	const char *remedy;
	bool last;	  /* what else is in the way cannot be seen */
	bool opens_nodes; /* the same remedy opens the other nodes */
} obstacles[] = {
	[PI_NO_PI] = {
		.remedy =
		"this is not a Raspberry Pi%s",
		.last = true
	},
	[PI_OTHER_GPU] = {
		.remedy =
		"%s has another GPU: Raspberry Pi 1, 2, 3 and Zero have the "
		"QPUs of a VideoCore IV",
		.last = true
	},
	[PI_OTHER_KERNEL] = {
		.remedy =
		"the device tree of this kernel always gives the GPU to the "
		"kernel's driver vc4: boot a kernel of Raspberry Pi OS "
		"without dtoverlay=vc4-kms-v3d",
		.last = true
	},
	[PI_KMS] = {
		.remedy =
		"the kernel's driver vc4 owns the GPU: comment out "
		"dtoverlay=vc4-kms-v3d in %s and reboot (there will be no "
		"desktop)"
	},
	[PI_FKMS] = {
		.remedy =
		"the kernel's driver vc4 owns the GPU: comment out "
		"dtoverlay=vc4-fkms-v3d in %s and reboot (there will be no "
		"desktop)"
	},
	[PI_NO_MAILBOX] = {
		.remedy =
		"there is no /dev/vcio: boot a kernel of Raspberry Pi OS "
		"(CONFIG_BCM_VCIO) with its device tree (node "
		"soc/firmware/vcio)",
		.last = true
	},
	[PI_FOR_GROUP] = {
		.remedy =
		"no permission for /%s: add yourself to its group with 'sudo "
		"usermod -aG video $USER', then log in again",
		.opens_nodes = true
	},
	[PI_FOR_ROOT] = {
		.remedy =
		"only root may open /%s: use sudo, or what "
		"--list-devices=details tells you to do",
		.opens_nodes = true
	},
	[PI_LITTLE_MEMORY] = {
		.remedy =
		"the firmware for gpu_mem=16 has no QPUs: put gpu_mem=64 into "
		"%s and reboot"
	},
	[PI_NO_ANSWER] = {
		.remedy =
		"the firmware does not answer through /dev/vcio: %s"
	},
	[PI_MODULE_FORBIDDEN] = {
		.remedy =
		NO_MEMORY "the module of /dev/vcsm-cma is on the blacklist in "
		"/etc/modprobe.d/%s; remove that line, then 'sudo modprobe "
		"vc-sm-cma'"
	},
	[PI_NO_MODULE] = {
		.remedy =
		NO_MODULE "/dev/mem is for root on a 32-bit kernel only"
	},
	[PI_NO_MODULE_64] = {
		.remedy =
		NO_MODULE "/dev/mem is of no use on a 64-bit kernel"
	},
};
/* clang-format on */

/* Paths are below a root that tests choose. */
struct look {
	const char *root;
	struct pi_board *board;
	char detail[256]; /* of the obstacle */
};

/* The configuration of the firmware; systems before 2023 have it elsewhere. */
static const char new_config[] = "boot/firmware/config.txt";
static const char old_config[] = "boot/config.txt";

/* Read a file to its end, or as much as fits; false on an error. */
static bool
read_all(int fd, char *text, size_t room, size_t *len)
{
	ssize_t n = 1;

	for (*len = 0; *len < room && n != 0;) {
		n = read(fd, text + *len, room - *len);
		if (n > 0)
			*len += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return false;
	}
	return true;
}

/* A small file, NUL-terminated; its length, or -1. */
static int
read_file(const struct look *look, const char *name, char *text, size_t size)
{
	char path[4096];
	struct stat status;
	size_t len = 0;
	bool good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", look->root, name);
	/* Only regular files are read, and others are not waited for. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	good = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       read_all(fd, text, size - 1, &len);
	if (fd >= 0)
		close(fd);
	if (!good)
		len = 0;
	text[len] = '\0';
	return good ? (int)len : -1;
}

static bool
exists(const struct look *look, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", look->root, name);
	return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

static bool
may_open(const struct look *look, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", look->root, name);
	return faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0;
}

static void
name_configuration(struct look *look)
{
	const bool old = !exists(look, new_config) && exists(look, old_config);

	snprintf(look->detail, sizeof(look->detail), "/%s",
		 old ? old_config : new_config);
}

/* Which Raspberry Pi? ------------------------------------------------------ */

/* Is the name of a Raspberry Pi in "compatible", a list of strings that end
 * with NUL?  Another of them is the chip. */
static bool
look_at_compatible(const struct look *look)
{
	char names[512];
	const int len = read_file(look, "proc/device-tree/compatible", names,
				  sizeof(names));
	bool is_pi = false;

	for (int at = 0; at < len; at += (int)strlen(names + at) + 1) {
		const struct soc *soc = soc_of_compatible(names + at);

		if (soc)
			look->board->soc = soc;
		if (strncmp(names + at, "raspberrypi,", 12) == 0)
			is_pi = true;
	}
	return is_pi;
}

/* Words of a device tree are big-endian. */
static uint32_t
word_of(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 |
	       (uint32_t)byte[2] << 8 | byte[3];
}

/* The firmware's own description of the board. */
static void
look_at_revision(const struct look *look)
{
	char text[8];

	if (look->board->soc ||
	    read_file(look, "proc/device-tree/system/linux,revision", text,
		      sizeof(text)) != 4)
		return;
	look->board->soc = soc_of_revision(word_of(text));
}

/*
 * The alias of vc_mem is the one that Linux shares with the GPU, as in
 * bcm_host_get_sdram_address(): on a BCM2835 it depends on disable_l2cache.
 */
static void
look_at_alias(const struct look *look)
{
	static const struct {
		uint32_t alias, flags;
	} rows[] = { { 0x40000000, MAILBOX_MEMORY_L1_NONALLOCATING },
		     { 0x80000000, MAILBOX_MEMORY_COHERENT },
		     { 0xc0000000, MAILBOX_MEMORY_DIRECT } };
	struct pi_board *board = look->board;
	char reg[16];
	uint32_t alias = board->soc->bus_alias;

	if (read_file(look, "proc/device-tree/axi/vc_mem/reg", reg,
		      sizeof(reg)) >= 12)
		alias = word_of(reg + 8);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].alias == alias ||
		    (board->bus_alias == 0 &&
		     rows[i].alias == board->soc->bus_alias)) {
			board->bus_alias = rows[i].alias;
			board->memory_flags = rows[i].flags;
		}
}

static enum pi_obstacle
look_at_model(struct look *look)
{
	struct pi_board *board = look->board;
	const char *model = board->model;
	bool is_pi = false;

	/* Other machines ask at each start, and most of them have none. */
	if (exists(look, "proc/device-tree")) {
		is_pi = look_at_compatible(look);
		read_file(look, "proc/device-tree/model", board->model,
			  sizeof(board->model));
	}
	if (strncmp(model, "Raspberry Pi", 12) == 0)
		is_pi = true;
	if (!is_pi) {
		snprintf(look->detail, sizeof(look->detail), "%s%s",
			 *model ? " but " : "", model);
		return PI_NO_PI;
	}
	look_at_revision(look);
	if (!board->soc || !board->soc->videocore4) {
		snprintf(look->detail, sizeof(look->detail), "%s",
			 *model ? model : "this Raspberry Pi");
		return PI_OTHER_GPU;
	}
	look_at_alias(look);
	return PI_USABLE;
}

/* Whose GPU is it? --------------------------------------------------------- */

/* Has the kernel's driver taken a V3D, "3fc00000.v3d"? */
static bool
driver_is_bound(const struct look *look)
{
	char path[4096];
	const struct dirent *entry;
	bool bound = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/bus/platform/drivers/vc4_v3d",
		 look->root);
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
static enum pi_obstacle
look_at_owner(struct look *look)
{
	const char *node = "proc/device-tree/soc/v3d@7ec00000";
	char name[128], status[16], fake[16];
	bool claimed, told;

	snprintf(name, sizeof(name), "%s/status", node);
	told = read_file(look, name, status, sizeof(status)) >= 0;
	claimed = told ? strcmp(status, "disabled") != 0 : exists(look, node);
	if (!claimed && !driver_is_bound(look))
		return PI_USABLE;
	if (claimed && !told)
		return PI_OTHER_KERNEL;
	name_configuration(look);
	read_file(look, "proc/device-tree/soc/firmwarekms@7e600000/status",
		  fake, sizeof(fake));
	return strcmp(fake, "okay") == 0 ? PI_FKMS : PI_KMS;
}

/* The last gpu_mem of config.txt that is for all boards, before the first
 * section; 0: none. */
static unsigned
configured_memory(const struct look *look)
{
	char text[4096];
	const char *line = text;
	unsigned mib = 0;

	if (read_file(look, look->detail + 1, text, sizeof(text)) < 0)
		return 0;
	while (line && *line != '[') {
		sscanf(line, "gpu_mem=%u", &mib);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return mib;
}

bool
pi_board_lacks_memory(const char *root, unsigned mib,
		      struct pi_finding *finding)
{
	struct look look = { .root = root };

	name_configuration(&look);
	if (mib == 0)
		mib = configured_memory(&look);
	if (mib == 0 || mib > PI_CUT_DOWN_MIB)
		return false;
	finding->obstacle = PI_LITTLE_MEMORY;
	memcpy(finding->detail, look.detail, sizeof(look.detail));
	return true;
}

/* May we use it? ----------------------------------------------------------- */

/* A node that this user may not open. */
static enum pi_obstacle
who_may_open(struct look *look, const char *node)
{
	char path[4096];
	struct stat status;

	snprintf(look->detail, sizeof(look->detail), "%s", node);
	snprintf(path, sizeof(path), "%s/%s", look->root, node);
	return stat(path, &status) == 0 && (status.st_mode & 060) == 060 ?
		       PI_FOR_GROUP :
		       PI_FOR_ROOT;
}

static enum pi_obstacle
look_at_mailbox(struct look *look)
{
	if (!exists(look, "dev/vcio"))
		return PI_NO_MAILBOX;
	if (!may_open(look, "dev/vcio"))
		return who_may_open(look, "dev/vcio");
	return PI_USABLE;
}

bool
pi_board_maps_device_memory(void)
{
	struct utsname name;

	return uname(&name) != 0 || strcmp(name.machine, "aarch64") == 0 ||
	       strncmp(name.machine, "armv8", 5) == 0;
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

/* modprobe reads no others. */
static bool
is_configuration(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && strcmp(dot, ".conf") == 0;
}

/* Does a file in etc/modprobe.d forbid the module?  Its name is the detail. */
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
		snprintf(path, sizeof(path), "etc/modprobe.d/%s",
			 entry->d_name);
		found = is_configuration(entry->d_name) &&
			read_file(look, path, text, sizeof(text)) > 0 &&
			forbids_module(text);
		if (found)
			snprintf(look->detail, sizeof(look->detail), "%.255s",
				 entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* A module that is loaded makes no node when the firmware has no service for
 * it, as the firmware of gpu_mem=16. */
static enum pi_obstacle
why_no_memory_node(struct look *look, bool mem)
{
	if (exists(look, "sys/module/vc_sm_cma")) {
		name_configuration(look);
		return PI_LITTLE_MEMORY;
	}
	if (is_blacklisted(look))
		return PI_MODULE_FORBIDDEN;
	return mem ? PI_NO_MODULE_64 : PI_NO_MODULE;
}

const char *
pi_board_heap(enum dma_heap_node heap)
{
	static const char *const nodes[DMA_HEAP_NODES] = {
		[DMA_HEAP_OF_TREE] = DMA_HEAP_NODE,
		[DMA_HEAP_SINCE_6_17] = DMA_HEAP_NODE_SINCE_6_17,
		[DMA_HEAP_OF_COMMAND_LINE] = DMA_HEAP_NODE_OF_COMMAND_LINE
	};

	return nodes[heap];
}

/* The first heap that this user may open. */
static bool
find_heap(const struct look *look, enum dma_heap_node *heap)
{
	for (unsigned i = 0; i < DMA_HEAP_NODES; i++)
		if (may_open(look, &pi_board_heap(i)[1])) {
			*heap = i;
			return true;
		}
	return false;
}

static enum pi_obstacle
look_at_memory(struct look *look)
{
	struct pi_board *board = look->board;
	const bool mem = may_open(look, "dev/mem");

	if (may_open(look, "dev/vcsm-cma")) {
		board->memory = find_heap(look, &board->heap) ? MEMORY_CACHED :
								MEMORY_VCSM;
		return PI_USABLE;
	}
	if (mem && !pi_board_maps_device_memory()) {
		board->memory = MEMORY_DEV_MEM;
		return PI_USABLE;
	}
	if (exists(look, "dev/vcsm-cma"))
		return who_may_open(look, "dev/vcsm-cma");
	return why_no_memory_node(look, mem);
}

/* All of it ---------------------------------------------------------------- */

enum { LOOK_MODEL, LOOK_OWNER, LOOK_MAILBOX, LOOK_MEMORY, LOOKS };

static enum pi_obstacle (*const looks[LOOKS])(struct look *) = {
	[LOOK_MODEL] = look_at_model,
	[LOOK_OWNER] = look_at_owner,
	[LOOK_MAILBOX] = look_at_mailbox,
	[LOOK_MEMORY] = look_at_memory
};

static bool
look_from(struct look *look, unsigned mask, struct diag *why_not)
{
	struct pi_board *board = look->board;

	*board = (struct pi_board){ .obstacle = PI_USABLE };
	for (unsigned i = 0; i < LOOKS && board->obstacle == PI_USABLE; i++)
		if (mask >> i & 1)
			board->obstacle = looks[i](look);
	if (board->obstacle == PI_USABLE)
		return true;
	diag_set(why_not, obstacles[board->obstacle].remedy, look->detail);
	return false;
}

bool
pi_board_look(const char *root, struct pi_board *board, struct diag *why_not)
{
	struct look look = { .root = root, .board = board };

	return look_from(&look, ~0u, why_not);
}

bool
pi_board_look_beside(const char *root, struct pi_board *board,
		     struct diag *why_not)
{
	struct look look = { .root = root, .board = board };

	return look_from(&look, 1 << LOOK_MODEL | 1 << LOOK_MEMORY, why_not);
}

void
pi_board_explain(const struct pi_finding *finding, struct diag *text)
{
	diag_set(text, obstacles[finding->obstacle].remedy, finding->detail);
}

unsigned
pi_board_find(const char *root, struct pi_finding findings[PI_FINDINGS])
{
	struct pi_board board = { .obstacle = PI_USABLE };
	struct look look = { .root = root, .board = &board };
	bool opened = false; /* an earlier remedy opens the nodes */
	unsigned n = 0;

	for (unsigned i = 0; i < LOOKS; i++) {
		const enum pi_obstacle obstacle = looks[i](&look);

		if (obstacle == PI_USABLE ||
		    (opened && obstacles[obstacle].opens_nodes))
			continue;
		findings[n].obstacle = obstacle;
		memcpy(findings[n++].detail, look.detail, sizeof(look.detail));
		if (obstacles[obstacle].last)
			break;
		opened = opened || obstacles[obstacle].opens_nodes;
	}
	return n;
}
