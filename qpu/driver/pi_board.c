/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/pi_board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qpu/driver/dma_heap.h"
#include "qpu/driver/mailbox.h"

/* Paths are below a root that tests choose. */
struct look {
	const char *root;
	struct pi_board *board;
	struct diag *why_not;
};

/* Up to its end, or all that there is room for; false on an error. */
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
	/* Nothing but a regular file, and no waiting if it is another. */
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

static bool
stopped_by(const struct look *look, enum pi_obstacle obstacle)
{
	look->board->obstacle = obstacle;
	return false;
}

/* Which Raspberry Pi? ------------------------------------------------------ */

/* One of the names in "compatible", a list of strings that end with NUL. */
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

static bool
look_at_model(const struct look *look)
{
	struct pi_board *board = look->board;
	bool is_pi = false;

	/* Other machines ask at each start, and most of them have none. */
	if (exists(look, "proc/device-tree")) {
		is_pi = look_at_compatible(look);
		read_file(look, "proc/device-tree/model", board->model,
			  sizeof(board->model));
	}
	if (strncmp(board->model, "Raspberry Pi", 12) == 0)
		is_pi = true;
	if (!is_pi) {
		diag_set(look->why_not, "this is not a Raspberry Pi%s%s",
			 board->model[0] ? " but " : "", board->model);
		return stopped_by(look, PI_NO_PI);
	}
	look_at_revision(look);
	if (!board->soc || !board->soc->videocore4) {
		diag_set(look->why_not,
			 "%s has another GPU: Raspberry Pi 1, "
			 "2, 3 and Zero have the QPUs of a VideoCore IV",
			 board->model[0] ? board->model : "this Raspberry Pi");
		return stopped_by(look, PI_OTHER_GPU);
	}
	look_at_alias(look);
	return true;
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
static bool
look_at_owner(const struct look *look)
{
	const char *node = "proc/device-tree/soc/v3d@7ec00000";
	char name[128], status[16], fake[16];
	bool claimed, told;

	snprintf(name, sizeof(name), "%s/status", node);
	told = read_file(look, name, status, sizeof(status)) >= 0;
	claimed = told ? strcmp(status, "disabled") != 0 : exists(look, node);
	if (!claimed && !driver_is_bound(look))
		return true;
	read_file(look, "proc/device-tree/soc/firmwarekms@7e600000/status",
		  fake, sizeof(fake));
	if (claimed && !told) {
		diag_set(look->why_not,
			 "the device tree of this kernel always gives the GPU "
			 "to the kernel's driver vc4: boot a kernel of "
			 "Raspberry Pi OS without dtoverlay=vc4-kms-v3d");
		return stopped_by(look, PI_OTHER_KERNEL);
	}
	diag_set(look->why_not,
		 "the kernel's driver vc4 owns the GPU: comment out "
		 "dtoverlay=vc4-%s-v3d in " PI_CONFIG " and reboot; "
		 "there is no desktop then",
		 strcmp(fake, "okay") == 0 ? "fkms" : "kms");
	return stopped_by(look, PI_KMS);
}

/* May we use it? ----------------------------------------------------------- */

/* The udev rule is that of src/packaging/90-vcio.rules.  Who is not in that group
 * would need another step without the last words. */
static void
explain_permission(const struct look *look, const char *node)
{
	char path[4096];
	struct stat status;

	snprintf(path, sizeof(path), "%s/%s", look->root, node);
	if (stat(path, &status) == 0 && (status.st_mode & 060) == 060)
		diag_set(look->why_not,
			 "no permission for /%s: add yourself to its group "
			 "with 'sudo usermod -aG video $USER', then log in "
			 "again",
			 node);
	else
		diag_set(look->why_not,
			 "only root may open /%s: use sudo, or allow it to "
			 "the group video with: echo 'KERNEL==\"vcio|"
			 "vcsm-cma\", GROUP=\"video\", MODE=\"0660\"' | sudo "
			 "tee /etc/udev/rules.d/90-vcio.rules && sudo udevadm "
			 "control --reload && sudo udevadm trigger; if you are "
			 "not in that group: 'sudo usermod -aG video $USER', "
			 "then log in again",
			 node);
}

static bool
look_at_mailbox(const struct look *look)
{
	if (!exists(look, "dev/vcio")) {
		diag_set(look->why_not,
			 "there is no /dev/vcio: boot a kernel of Raspberry Pi "
			 "OS (CONFIG_BCM_VCIO) with its device tree (node "
			 "soc/firmware/vcio)");
		return stopped_by(look, PI_NO_MAILBOX);
	}
	if (!may_open(look, "dev/vcio")) {
		explain_permission(look, "dev/vcio");
		return stopped_by(look, PI_NO_PERMISSION);
	}
	return true;
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

/* The name of a file in etc/modprobe.d that forbids the module; "" = none. */
static void
find_blacklist(const struct look *look, char found[256])
{
	char path[4096], text[8192];
	const struct dirent *entry;
	DIR *dir;

	*found = '\0';
	snprintf(path, sizeof(path), "%s/etc/modprobe.d", look->root);
	dir = opendir(path);
	while (dir && !*found && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "etc/modprobe.d/%s",
			 entry->d_name);
		if (is_configuration(entry->d_name) &&
		    read_file(look, path, text, sizeof(text)) > 0 &&
		    forbids_module(text))
			snprintf(found, 256, "%.255s", entry->d_name);
	}
	if (dir)
		closedir(dir);
}

/* A module that is loaded makes no node when the firmware has no service for
 * it, as the firmware of gpu_mem=16. */
static void
explain_missing_node(const struct look *look, bool mem)
{
	char file[256];

	find_blacklist(look, file);
	if (exists(look, "sys/module/vc_sm_cma"))
		diag_set(look->why_not,
			 "the kernel's module vc_sm_cma is loaded but made no "
			 "/dev/vcsm-cma, as with gpu_mem=16: put gpu_mem=64 "
			 "into " PI_CONFIG " and reboot");
	else if (*file)
		diag_set(look->why_not,
			 "no memory can be shared with the QPUs: the module "
			 "of /dev/vcsm-cma is on the blacklist in "
			 "/etc/modprobe.d/%s; remove that line, then 'sudo "
			 "modprobe vc-sm-cma'",
			 file);
	else
		diag_set(look->why_not,
			 "no memory can be shared with the QPUs: there is no "
			 "/dev/vcsm-cma ('sudo modprobe vc-sm-cma'), and "
			 "/dev/mem %s",
			 mem ? "is of no use on a 64-bit kernel" :
			       "is for root on a 32-bit kernel only");
}

static bool
look_at_memory(const struct look *look)
{
	struct pi_board *board = look->board;
	const bool mem = may_open(look, "dev/mem");

	if (may_open(look, "dev/vcsm-cma")) {
		board->memory = may_open(look, &DMA_HEAP_NODE[1]) ?
					MEMORY_CACHED :
					MEMORY_VCSM;
		return true;
	}
	if (mem && !pi_board_maps_device_memory()) {
		board->memory = MEMORY_DEV_MEM;
		return true;
	}
	if (exists(look, "dev/vcsm-cma"))
		explain_permission(look, "dev/vcsm-cma");
	else
		explain_missing_node(look, mem);
	return stopped_by(look, PI_NO_MEMORY_NODE);
}

bool
pi_board_look(const char *root, struct pi_board *board, struct diag *why_not)
{
	const struct look look = { .root = root,
				   .board = board,
				   .why_not = why_not };

	*board = (struct pi_board){ .obstacle = PI_USABLE };
	return look_at_model(&look) && look_at_owner(&look) &&
	       look_at_mailbox(&look) && look_at_memory(&look);
}

/* A node that only this step's udev rule or group opens has the same remedy. */
static bool
is_permission(const struct diag *step)
{
	return strstr(step->text, "no permission for ") ||
	       strstr(step->text, "only root may open ");
}

unsigned
pi_board_steps(const char *root, struct diag steps[PI_STEPS])
{
	struct pi_board board = { .obstacle = PI_USABLE };
	struct look look = { .root = root, .board = &board };
	unsigned n = 0;

	look.why_not = &steps[0];
	if (!look_at_model(&look))
		return 1;
	n += !look_at_owner(&look);
	if (board.obstacle == PI_OTHER_KERNEL)
		return n;
	look.why_not = &steps[n];
	n += !look_at_mailbox(&look);
	if (board.obstacle == PI_NO_MAILBOX)
		return n;
	look.why_not = &steps[n];
	n += !look_at_memory(&look);
	if (n > 1 && is_permission(&steps[n - 1]) &&
	    is_permission(&steps[n - 2]))
		n--;
	return n;
}
