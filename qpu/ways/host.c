/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/host.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/base/engine.h"

/* Files -------------------------------------------------------------------- */

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

int
host_read(const char *path, char *text, size_t size)
{
	struct stat status;
	size_t len = 0;
	bool good;
	int fd;

	/* Only regular files are read; opening never waits. */
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

bool
host_has(const char *path)
{
	return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

bool
host_may_open(const char *path)
{
	return faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0;
}

long
host_contiguous_kib(const char *name)
{
	char text[8192];
	const char *at;

	host_read("/proc/meminfo", text, sizeof(text));
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

void
host_explain_contiguous(struct diag *text)
{
	/* cma= counts more than the device tree, which has 256 MiB with the
	 * overlay of Raspberry Pi OS, and 64 MiB without it. */
	static const char *const files[] = { "/boot/firmware/cmdline.txt",
					     "/boot/cmdline.txt" };
	const long total = host_contiguous_kib("CmaTotal:") >> 10;
	const long free = host_contiguous_kib("CmaFree:") >> 10;
	const char *file = NULL;

	for (unsigned i = 2; i-- > 0 && total < 128;)
		if (host_has(files[i]))
			file = files[i];
	diag_set(text,
		 "CmaTotal is %ld MiB, CmaFree %ld MiB: close other "
		 "programs%s%s%s",
		 total < 0 ? 0 : total, free < 0 ? 0 : free,
		 file ? ", or put cma=128M into " : "", file ? file : "",
		 file ? " and reboot" : "");
}

/* Return what owns the V3D. A node without a status is enabled, as in the
 * device trees of the kernel's own source; Raspberry Pi OS writes "disabled",
 * and an overlay "okay". */
enum v3d_owner
host_v3d_owner(void)
{
	static const char node[] = "/proc/device-tree/soc/v3d@7ec00000";
	char status[16];

	if (host_read("/proc/device-tree/soc/v3d@7ec00000/status", status,
		      sizeof(status)) >= 0)
		return strcmp(status, "disabled") == 0 ? V3D_FREE :
							 V3D_OF_OVERLAY;
	return host_has(node) ? V3D_OF_KERNEL : V3D_FREE;
}

const char *
host_config(void)
{
	const bool is_old = !host_has("/boot/firmware/config.txt") &&
			    host_has("/boot/config.txt");

	return is_old ? "/boot/config.txt" : "/boot/firmware/config.txt";
}

bool
host_group_may_open(unsigned mode, unsigned gid, const char *usual,
		    struct finding *finding)
{
	const struct group *group = getgrgid(gid);

	if ((mode & 060) != 060 || gid == 0)
		return false;
	snprintf(finding->more, sizeof(finding->more), "%s",
		 group ? group->gr_name : usual);
	return true;
}

/* The board ---------------------------------------------------------------- */

/* Look for a Raspberry Pi's name in "compatible", a list of strings that end
 * with NUL. Another of them is the chip. */
static bool
read_compatible(struct host *host)
{
	char names[512];
	const int len =
		host_read("/proc/device-tree/compatible", names, sizeof(names));
	bool is_pi = false;

	for (int at = 0; at < len; at += (int)strlen(names + at) + 1) {
		const struct soc *soc = soc_of_compatible(names + at);

		if (soc)
			host->soc = soc;
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

/*
 * The alias of vc_mem is the one that Linux shares with the GPU, as in
 * bcm_host_get_sdram_address(): on a BCM2835 it depends on disable_l2cache.
 */
static void
read_alias(struct host *host)
{
	char reg[16];
	uint32_t alias = 0;

	if (host_read("/proc/device-tree/axi/vc_mem/reg", reg, sizeof(reg)) >=
	    12)
		alias = word_of(reg + 8);
	host->bus_alias = alias == 0x40000000 || alias == 0x80000000 ||
					  alias == 0xc0000000 ?
				  alias :
				  host->soc->bus_alias;
}

/* Hardware reference, section 13; of the old codes 0x15 has either size. */
bool
host_is_small(void)
{
	char text[8];
	uint32_t revision;

	if (host_read("/proc/device-tree/system/linux,revision", text,
		      sizeof(text)) != 4)
		return false;
	revision = word_of(text);
	if (revision >> 23 & 1)
		return (revision >> 20 & 7) == 0;
	revision &= 0xff;
	return (revision >= 2 && revision <= 9) || revision == 0x12;
}

bool
host_identify(struct host *host, struct finding *finding)
{
	const char *model = host->model;
	char revision[8];
	bool is_pi = false;

	*host = (struct host){ .soc = NULL };
	*finding = (struct finding){ .obstacle = USABLE };
	/* Other machines ask at each start, and most of them have none. */
	if (host_has("/proc/device-tree")) {
		is_pi = read_compatible(host);
		host_read("/proc/device-tree/model", host->model,
			  sizeof(host->model));
	}
	if (!is_pi && strncmp(model, "Raspberry Pi", 12) != 0) {
		finding->obstacle = NO_PI;
		snprintf(finding->detail, sizeof(finding->detail), "%s%s",
			 *model ? " but " : "", model);
		return false;
	}
	/* The firmware's own description of the board. */
	if (!host->soc && host_read("/proc/device-tree/system/linux,revision",
				    revision, sizeof(revision)) == 4)
		host->soc = soc_of_revision(word_of(revision));
	if (!host->soc || !host->soc->videocore4) {
		finding->obstacle = OTHER_GPU;
		snprintf(finding->detail, sizeof(finding->detail), "%s",
			 *model ? model : "this Raspberry Pi");
		return false;
	}
	read_alias(host);
	return true;
}

unsigned
host_speed(struct engine_speed *speed)
{
	struct finding finding;
	struct host host;

	*speed = (struct engine_speed){ 0 };
	host_identify(&host, &finding);
	if (!host.soc || !host.soc->videocore4)
		return 0;
	soc_speed(host.soc, speed);
	return host.soc->qpu_mhz;
}

/* What is in the way -------------------------------------------------------- */

/* Said with each step towards /dev/vcio. */
#define OPENS_ALL                                                              \
	" (a user who may open /dev/vcio can read and write all memory)"

/*
 * A remedy is "REASON: STEP", or a reason without commands (NULL).  Its first
 * %s is the finding's detail, its second one finding->more; in commands %s is
 * finding->more if that is set.  The udev rule is the one in
 * src/packaging/90-vcio.rules.  Where nodes differ, the most specific one
 * counts.
 */
/* clang-format off */
static const struct row {
	const char *remedy, *commands;
	enum driver_gpu gpu;
	unsigned specific;
} rows[] = {
	[USABLE] = { .gpu = DRIVER_HAS_GPU },
	[NO_PI] = {
		"this is not a Raspberry Pi%s", .commands = NULL
	},
	[OTHER_GPU] = {
		"%s has another GPU: Raspberry Pi 1, 2, 3 and Zero have the "
		"QPUs of a VideoCore IV", .commands = NULL
	},
	[OTHER_KERNEL] = {
		"the device tree of this kernel always gives the GPU to the "
		"kernel's driver vc4: boot a kernel of Raspberry Pi OS "
		"without dtoverlay=vc4-kms-v3d", .commands = ""
	},
	[KMS] = {
		"the kernel's driver vc4 owns the GPU: comment out "
		"dtoverlay=vc4-kms-v3d in %s and reboot (there will be no "
		"desktop)",
		.commands =
		"sudo sed -i 's/^dtoverlay=vc4-f*kms-v3d/#&/' %s\n"
		"sudo reboot\n"
	},
	[NO_MAILBOX] = {
		"there is no /dev/vcio: boot a kernel of Raspberry Pi OS "
		"(CONFIG_BCM_VCIO) with its device tree (node "
		"soc/firmware/vcio)", .commands = ""
	},
	[VCIO_FOR_GROUP] = {
		"no permission for %s: add yourself to its group with 'sudo "
		"usermod -aG %s $USER', then log in again" OPENS_ALL,
		.commands =
		"sudo usermod -aG %s $USER\n"
	},
	[VCIO_FOR_ROOT] = {
		"only root may open %s: use sudo, or give it to the group "
		"video and join that, as --list-devices=details tells, then "
		"log in again" OPENS_ALL,
		.commands =
		"echo 'KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", "
		"MODE=\"0660\"' | sudo tee /etc/udev/rules.d/90-vcio.rules\n"
		"sudo udevadm control --reload\n"
		"sudo udevadm trigger\n"
		"sudo usermod -aG video $USER\n"
	},
	[LITTLE_MEMORY] = {
		"the firmware for gpu_mem=16 has no QPUs: put gpu_mem=64 into "
		"%s and reboot",
		.commands =
		"sudo sed -i 's/^\\(gpu_mem[_0-9]*\\)=.*/\\1=64/' %s\n"
		"sudo reboot\n"
	},
	[NO_ANSWER] = {
		"the firmware does not answer through /dev/vcio: %s",
		.commands = NULL
	},
	[NO_MODULE] = {
		"no memory can be shared with the QPUs: there is no "
		"/dev/vcsm-cma ('sudo modprobe vc-sm-cma'; at each boot if a "
		"file in /etc/modprobe.d forbids it)",
		.commands =
		"sudo modprobe vc-sm-cma\n"
	},
	[NO_NODE] = {
		"the kernel's driver vc4 does not have the GPU: put "
		"dtoverlay=vc4-kms-v3d into %s and reboot",
		"printf '[all]\\ndtoverlay=vc4-kms-v3d\\n' | sudo tee -a %s\n"
		"sudo reboot\n",
		.gpu = DRIVER_WITHOUT_GPU
	},
	[SMALL_BOARD] = {
		"with 256 MiB this board's firmware does not give the GPU to "
		"the kernel's driver vc4", .commands = NULL
	},
	[NO_NODE_OF_VC4] = {
		"the device tree gives the GPU to the kernel's driver vc4, "
		"which has made no node in /dev/dri: 'sudo modprobe vc4' loads "
		"it, and 'sudo dmesg | grep vc4' says why it failed",
		"sudo modprobe vc4\n",
		.gpu = DRIVER_WITHOUT_GPU
	},
	[DRM_NO_DEVICE] = {
		"%s is no device of the kernel's graphics drivers", NULL,
		.gpu = DRIVER_WITHOUT_GPU, .specific = 1
	},
	[DRM_CANNOT_OPEN] = {
		"%s cannot be opened: %s", NULL,
		.gpu = DRIVER_HAS_GPU, .specific = 2
	},
	[DRM_FOR_GROUP] = {
		"no permission for %s: add yourself to its group with 'sudo "
		"usermod -aG %s $USER', then log in again",
		"sudo usermod -aG %s $USER\n",
		.gpu = DRIVER_HAS_GPU, .specific = 3
	},
	[DRM_FOR_ROOT] = {
		"only root may open %s: use sudo, or install udev's usual "
		"rules, which give it to the group render", "",
		.gpu = DRIVER_HAS_GPU, .specific = 4
	},
	[DRM_NO_V3D] = {
		"this board's GPU is not a VideoCore IV: Raspberry Pi 1, 2, 3 "
		"and Zero have one", NULL,
		.specific = 5
	},
};
/* clang-format on */

enum driver_gpu
obstacle_gpu(enum obstacle obstacle)
{
	return rows[obstacle].gpu;
}

bool
obstacle_is_more_specific(enum obstacle one, enum obstacle other)
{
	return rows[one].specific > rows[other].specific;
}

void
obstacle_explain(const struct finding *finding, struct diag *text)
{
	diag_set(text, rows[finding->obstacle].remedy, finding->detail,
		 finding->more);
}

bool
obstacle_commands(const struct finding *finding,
		  char commands[OBSTACLE_COMMANDS_BYTES])
{
	const char *format = rows[finding->obstacle].commands;

	if (format)
		snprintf(commands, OBSTACLE_COMMANDS_BYTES, format,
			 finding->more[0] ? finding->more : finding->detail);
	return format != NULL;
}

/* Details ------------------------------------------------------------------- */

void
host_add_facts(struct facts *facts, const struct host *host)
{
	facts_add_text(facts, "board", "board",
		       host->model[0] ? host->model : "unknown");
	if (!host->soc)
		return;
	facts_add_text(facts, "chip", "chip", host->soc->name);
	facts_add_text(facts, "gpu", "GPU",
		       host->soc->videocore4 ? "VideoCore IV" : "another one");
}

/* All memory for devices comes from the kernel's contiguous memory (CMA). */
static void
add_contiguous(struct facts *facts)
{
	const long total = host_contiguous_kib("CmaTotal:");
	const long free = host_contiguous_kib("CmaFree:");

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

/* A node with its mode, owner and group, "0660 root:video", and whether this user
 * may open it. */
static void
add_node(struct facts *facts, const char *path)
{
	char text[128] = "", uid[16], gid[16];
	const struct passwd *user;
	const struct group *group;
	struct stat status;

	if (stat(path, &status) == 0) {
		user = getpwuid(status.st_uid);
		group = getgrgid(status.st_gid);
		snprintf(uid, sizeof(uid), "%u", (unsigned)status.st_uid);
		snprintf(gid, sizeof(gid), "%u", (unsigned)status.st_gid);
		snprintf(text, sizeof(text), "%04o %s:%s",
			 status.st_mode & 07777, user ? user->pw_name : uid,
			 group ? group->gr_name : gid);
	}
	facts_add_node(facts, path, text, access(path, R_OK | W_OK) == 0);
}

void
host_add_system(struct facts *facts, const char *const *nodes, unsigned nnodes,
		const struct finding *finding)
{
	char commands[OBSTACLE_COMMANDS_BYTES];
	struct diag text;

	add_contiguous(facts);
	add_kernel(facts);
	for (unsigned i = 0; i < nnodes; i++)
		add_node(facts, nodes[i]);
	if (!obstacle_commands(finding, commands))
		return;
	obstacle_explain(finding, &text);
	/* The reason stands before the colon. */
	facts_add_step(facts, 1, strstr(text.text, ": ") + 2, commands);
}
