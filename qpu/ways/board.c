/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/board.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* Files -------------------------------------------------------------------- */

static void
below(const char *root, const char *name, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/%s", root, name + (*name == '/'));
}

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
board_read(const char *root, const char *name, char *text, size_t size)
{
	char path[PATH_BYTES];
	struct stat status;
	size_t len = 0;
	bool good;
	int fd;

	below(root, name, path);
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

bool
board_has(const char *root, const char *name)
{
	char path[PATH_BYTES];

	below(root, name, path);
	return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

bool
board_may_open(const char *root, const char *name)
{
	char path[PATH_BYTES];

	below(root, name, path);
	return faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0;
}

long
board_contiguous_kib(const char *name)
{
	char text[8192];
	const char *at;

	board_read("", "proc/meminfo", text, sizeof(text));
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

void
board_explain_contiguous(struct diag *text)
{
	/* cma= counts more than the device tree, which has 256 MiB with the
	 * overlay of Raspberry Pi OS, and 64 MiB without it. */
	static const char *const files[] = { "/boot/firmware/cmdline.txt",
					     "/boot/cmdline.txt" };
	const long total = board_contiguous_kib("CmaTotal:") >> 10;
	const long free = board_contiguous_kib("CmaFree:") >> 10;
	const char *file = NULL;

	for (unsigned i = 2; i-- > 0 && total < 128;)
		if (board_has("", files[i]))
			file = files[i];
	diag_set(text,
		 "CmaTotal is %ld MiB, CmaFree %ld MiB: close other "
		 "programs%s%s%s",
		 total < 0 ? 0 : total, free < 0 ? 0 : free,
		 file ? ", or put cma=128M into " : "", file ? file : "",
		 file ? " and reboot" : "");
}

/* A node without a status is enabled, as in the device trees of the kernel's own
 * source; those of Raspberry Pi OS say "disabled", and an overlay "okay". */
enum v3d_owner
board_v3d_owner(const char *root)
{
	static const char node[] = "proc/device-tree/soc/v3d@7ec00000";
	char status[16];

	if (board_read(root, "proc/device-tree/soc/v3d@7ec00000/status", status,
		       sizeof(status)) >= 0)
		return strcmp(status, "disabled") == 0 ? V3D_FREE :
							 V3D_OF_OVERLAY;
	return board_has(root, node) ? V3D_OF_KERNEL : V3D_FREE;
}

const char *
board_config(const char *root)
{
	const bool is_old = !board_has(root, "boot/firmware/config.txt") &&
			    board_has(root, "boot/config.txt");

	return is_old ? "/boot/config.txt" : "/boot/firmware/config.txt";
}

bool
board_group_may_open(unsigned mode, unsigned gid, const char *usual,
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

/* Is the name of a Raspberry Pi in "compatible", a list of strings that end
 * with NUL?  Another of them is the chip. */
static bool
look_at_compatible(const char *root, struct board *board)
{
	char names[512];
	const int len = board_read(root, "proc/device-tree/compatible", names,
				   sizeof(names));
	bool is_pi = false;

	for (int at = 0; at < len; at += (int)strlen(names + at) + 1) {
		const struct soc *soc = soc_of_compatible(names + at);

		if (soc)
			board->soc = soc;
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
look_at_alias(const char *root, struct board *board)
{
	char reg[16];
	uint32_t alias = 0;

	if (board_read(root, "proc/device-tree/axi/vc_mem/reg", reg,
		       sizeof(reg)) >= 12)
		alias = word_of(reg + 8);
	board->bus_alias = alias == 0x40000000 || alias == 0x80000000 ||
					   alias == 0xc0000000 ?
				   alias :
				   board->soc->bus_alias;
}

bool
board_look(const char *root, struct board *board, struct finding *finding)
{
	const char *model = board->model;
	char revision[8];
	bool is_pi = false;

	*board = (struct board){ .soc = NULL };
	*finding = (struct finding){ .obstacle = USABLE };
	/* Other machines ask at each start, and most of them have none. */
	if (board_has(root, "proc/device-tree")) {
		is_pi = look_at_compatible(root, board);
		board_read(root, "proc/device-tree/model", board->model,
			   sizeof(board->model));
	}
	if (!is_pi && strncmp(model, "Raspberry Pi", 12) != 0) {
		finding->obstacle = NO_PI;
		snprintf(finding->detail, sizeof(finding->detail), "%s%s",
			 *model ? " but " : "", model);
		return false;
	}
	/* The firmware's own description of the board. */
	if (!board->soc &&
	    board_read(root, "proc/device-tree/system/linux,revision", revision,
		       sizeof(revision)) == 4)
		board->soc = soc_of_revision(word_of(revision));
	if (!board->soc || !board->soc->videocore4) {
		finding->obstacle = OTHER_GPU;
		snprintf(finding->detail, sizeof(finding->detail), "%s",
			 *model ? model : "this Raspberry Pi");
		return false;
	}
	look_at_alias(root, board);
	return true;
}
