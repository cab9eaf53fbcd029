/* SPDX-License-Identifier: MIT */
/*
 * Promise: a board's directory has the files of that board and system, byte by
 * byte, and no others.
 */
#include "config.h"

#include "src/tools/qpuemu/board_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/board/profile.h"
#include "tests/support/tap.h"

static char scratch[] = "test-board-files-XXXXXX";
static struct board_shared shared;

/* What was found, a line each, in the order of names. */
static char found[1 << 16];

/* Where the last line begins that begins so, or the first. */
static size_t
last_line(const char *text, const char *begin)
{
	const char *last = text;

	for (const char *at = text; (at = strstr(at, begin)); at++)
		last = at;
	return (size_t)(last - text);
}

/* Of files that begin as those of this machine only the end is the board's. */
static void
add_bytes(const char *path)
{
	static char bytes[1 << 17];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = read(fd, bytes, sizeof(bytes) - 1);
	char *at = found + strlen(found);
	size_t first = 0;

	close(fd);
	if (n < 0)
		exit(99);
	bytes[n] = '\0';
	if (strcmp(path, "board/root/proc/meminfo") == 0)
		first = last_line(bytes, "CmaTotal:");
	if (strcmp(path, "board/root/proc/cpuinfo") == 0)
		first = last_line(bytes, "\nHardware");
	for (size_t i = first; i < (size_t)n; i++)
		if (isgraph((unsigned char)bytes[i]) || bytes[i] == ' ')
			at += sprintf(at, "%c", bytes[i]);
		else
			at += sprintf(at, "<%02x>",
				      (unsigned)(unsigned char)bytes[i]);
}

static void
add_file(const char *path)
{
	char target[PATH_MAX] = "";
	struct stat status;

	if (lstat(path, &status) != 0)
		exit(99);
	strcat(found, path + strlen("board/"));
	if (S_ISDIR(status.st_mode))
		strcat(found, "/");
	if (S_ISLNK(status.st_mode)) {
		if (readlink(path, target, sizeof(target) - 1) < 0)
			exit(99);
		sprintf(found + strlen(found), " -> %s", target);
	}
	if (strcmp(path, "board/memory") == 0) {
		sprintf(found + strlen(found), " %o %lld",
			(unsigned)status.st_mode & 0777,
			(long long)status.st_size);
	} else if (S_ISREG(status.st_mode)) {
		strcat(found, " ");
		add_bytes(path);
	}
	strcat(found, "\n");
}

static int
is_name(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

static bool
is_empty(const char *path)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, is_name, NULL);

	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return n == 0;
}

static void
add_tree(const char *path)
{
	struct dirent **entries;
	const int n = scandir(path, &entries, is_name, alphasort);

	for (int i = 0; i < n; i++) {
		char inner[PATH_MAX];
		struct stat status;

		snprintf(inner, sizeof(inner), "%s/%s", path,
			 entries[i]->d_name);
		/* Directories with something in them go without saying. */
		if (lstat(inner, &status) != 0)
			exit(99);
		if (S_ISDIR(status.st_mode) && !is_empty(inner))
			add_tree(inner);
		else
			add_file(inner);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* The stand-ins that are files of the board, by the numbers of their nodes. */
static unsigned
stand_ins(void)
{
	static const char *const names[BOARD_NODES] = {
		[BOARD_VCIO] = "vcio",
		[BOARD_VCSM] = "vcsm-cma",
		[BOARD_MEM] = "mem",
		[BOARD_GENCMD] = "vcio_gencmd",
		[BOARD_HEAP] = "dma_heap/linux,cma",
		[BOARD_CLASSIC] = "vcsm"
	};
	unsigned known = 0;

	for (unsigned i = 0; i < BOARD_NODES; i++) {
		char path[PATH_MAX];
		struct stat status;

		snprintf(path, sizeof(path), "board/root/dev/%s", names[i]);
		if (stat(path, &status) == 0 &&
		    shared.stand_ins[i].ino == status.st_ino &&
		    shared.stand_ins[i].dev == status.st_dev)
			known |= 1u << i;
		else if (shared.stand_ins[i].ino != 0)
			known |= 0x100;
	}
	return known;
}

static void
clean(void)
{
	if (system("rm -rf board") != 0)
		exit(99);
}

static void
fill(const char *board, const char *system, unsigned mib,
     const struct board_files_request *request)
{
	struct diag why;

	clean();
	shared.options.profile =
		(unsigned)(profile_of_name(board) - profile_rows);
	shared.options.system =
		(unsigned)(system_of_name(system) - system_rows);
	shared.options.device.mem_mib = mib;
	memset(shared.stand_ins, 0, sizeof(shared.stand_ins));
	found[0] = '\0';
	if (mkdir("board", 0700) != 0 ||
	    !board_files_fill("board", request, &shared, &why))
		ok(false, "%s with %s: %s", board, system, why.text);
	add_tree("board");
}

#define TREE "root/sys/firmware/devicetree/base"

/* clang-format off */
static const char pi1_files[] =
	"memory 600 67108864\n"
	"root/dev/mem \n"
	"root/dev/vcio \n"
	"root/dev/vcsm-cma \n"
	"root/etc/modprobe.d/\n"
	"root/proc/cpuinfo <0a>Hardware<09>: BCM2835<0a>Revision<09>: 000e<0a>Serial<09><09>: 0000000012345678<0a>Model<09><09>: Raspberry Pi Model B Rev 2<0a>\n"
	"root/proc/device-tree -> ../sys/firmware/devicetree/base\n"
	"root/proc/meminfo CmaTotal:          65536 kB<0a>CmaFree:           65536 kB<0a>\n"
	TREE "/axi/vc_mem/reg <1c><00><00><00><04><00><00><00>@<00><00><00>\n"
	TREE "/compatible raspberrypi,model-b-rev2<00>brcm,bcm2835<00>\n"
	TREE "/model Raspberry Pi Model B Rev 2<00>\n"
	TREE "/serial-number 0000000012345678<00>\n"
	TREE "/soc/ranges ~<00><00><00> <00><00><00><01><00><00><00>\n"
	TREE "/soc/v3d@7ec00000/compatible brcm,bcm2835-v3d<00>\n"
	TREE "/soc/v3d@7ec00000/status disabled<00>\n"
	TREE "/system/linux,revision <00><00><00><0e>\n"
	"root/sys/module/vc_sm_cma/\n";
static const char pi3_files[] =
	"memory 600 17825792\n"
	"root/dev/dma_heap/linux,cma \n"
	"root/dev/dri/card0 \n"
	"root/dev/dri/renderD128 \n"
	"root/dev/mem \n"
	"root/dev/vcio \n"
	"root/dev/vcio_gencmd \n"
	"root/dev/vcsm \n"
	"root/dev/vcsm-cma \n"
	"root/etc/modprobe.d/\n"
	"root/proc/cpuinfo <0a>Hardware<09>: BCM2835<0a>Revision<09>: a020d3<0a>Serial<09><09>: 0000000012345678<0a>Model<09><09>: Raspberry Pi 3 Model B Plus Rev 1.3<0a>\n"
	"root/proc/device-tree -> ../sys/firmware/devicetree/base\n"
	"root/proc/meminfo CmaTotal:          65536 kB<0a>CmaFree:           65536 kB<0a>\n"
	"root/sys/bus/platform/drivers/vc4-drm/\n"
	"root/sys/bus/platform/drivers/vc4_v3d/3fc00000.v3d/\n"
	"root/sys/class/drm/card0/device/driver -> ../../../../bus/platform/drivers/vc4-drm\n"
	TREE "/axi/vc_mem/reg =<f0><00><00><01><10><00><00><c0><00><00><00>\n"
	TREE "/compatible raspberrypi,3-model-b-plus<00>brcm,bcm2837<00>\n"
	TREE "/model Raspberry Pi 3 Model B Plus Rev 1.3<00>\n"
	TREE "/serial-number 0000000012345678<00>\n"
	TREE "/soc/firmware/vcio/\n"
	TREE "/soc/firmwarekms@7e600000/status okay<00>\n"
	TREE "/soc/ranges ~<00><00><00>?<00><00><00><01><00><00><00>\n"
	TREE "/soc/v3d@7ec00000/compatible brcm,bcm2835-v3d<00>\n"
	TREE "/soc/v3d@7ec00000/status okay<00>\n"
	TREE "/system/linux,revision <00><a0> <d3>\n"
	"root/sys/module/vc4/\n"
	"root/sys/module/vc_sm_cma/\n";
static const char pi4_files[] =
	"memory 600 67108864\n"
	"root/dev/mem \n"
	"root/etc/modprobe.d/\n"
	"root/proc/cpuinfo <0a>Hardware<09>: BCM2835<0a>Revision<09>: a03111<0a>Serial<09><09>: 0000000012345678<0a>Model<09><09>: Raspberry Pi 4 Model B Rev 1.1<0a>\n"
	"root/proc/device-tree -> ../sys/firmware/devicetree/base\n"
	"root/proc/meminfo CmaTotal:          65536 kB<0a>CmaFree:           65536 kB<0a>\n"
	TREE "/compatible raspberrypi,4-model-b<00>brcm,bcm2711<00>\n"
	TREE "/model Raspberry Pi 4 Model B Rev 1.1<00>\n"
	TREE "/serial-number 0000000012345678<00>\n"
	TREE "/soc/ranges ~<00><00><00><00><00><00><00><fe><00><00><00><01><80><00><00>\n"
	TREE "/system/linux,revision <00><a0>1<11>\n"
	TREE "/v3dbus/v3d@7ec04000/compatible brcm,2711-v3d<00>\n";
static const char zero2_files[] =
	"memory 600 67108864\n"
	"root/dev/dma_heap/linux,cma \n"
	"root/dev/mem \n"
	"root/dev/vcio \n"
	"root/etc/modprobe.d/blacklist-vcsm.conf blacklist vc_sm_cma<0a>\n"
	"root/proc/cpuinfo <0a>Hardware<09>: BCM2835<0a>Revision<09>: 902120<0a>Serial<09><09>: 0000000012345678<0a>Model<09><09>: Raspberry Pi Zero 2 W Rev 1.0<0a>\n"
	"root/proc/device-tree -> ../sys/firmware/devicetree/base\n"
	"root/proc/meminfo CmaTotal:          65536 kB<0a>CmaFree:           65536 kB<0a>\n"
	TREE "/axi/vc_mem/reg <1c><00><00><00><04><00><00><00><c0><00><00><00>\n"
	TREE "/compatible raspberrypi,model-zero-2-w<00>brcm,bcm2837<00>\n"
	TREE "/model Raspberry Pi Zero 2 W Rev 1.0<00>\n"
	TREE "/serial-number 0000000012345678<00>\n"
	TREE "/soc/firmware/vcio/\n"
	TREE "/soc/ranges ~<00><00><00>?<00><00><00><01><00><00><00>\n"
	TREE "/soc/v3d@7ec00000/compatible brcm,bcm2835-v3d<00>\n"
	TREE "/soc/v3d@7ec00000/status disabled<00>\n"
	TREE "/system/linux,revision <00><90>! \n";
/* clang-format on */

#define LINKS                                                                  \
	"lib/libbcm_host.so -> /lib/qpuemu.so\n"                               \
	"lib/libbcm_host.so.0 -> /lib/qpuemu.so\n"

/* Without the links of all boards, which have to be there. */
static void
has_files(const char *expected, unsigned nodes, const char *name)
{
	static const char link[] = "qpuemu.so -> /lib/qpuemu.so\n";
	char *at = strstr(found + strlen(LINKS), link);
	const bool linked = strncmp(found, LINKS, strlen(LINKS)) == 0 && at;

	ok(linked, "%s: the libraries are linked", name);
	if (!linked)
		return;
	memmove(at, at + strlen(link), strlen(at + strlen(link)) + 1);
	is(found + strlen(LINKS), expected, "%s: its files", name);
	ok(stand_ins() == nodes, "%s: its nodes are known", name);
}

static bool
has(const char *line)
{
	return strstr(found, line) != NULL;
}

static const struct board_files_request usual = {
	.vcio = true, .vcsm = true, .mem = true, .library = "/lib/qpuemu.so"
};

static void
test_boards(void)
{
	struct board_files_request all = usual;

	fill("pi1", "plain", 64, &usual);
	has_files(pi1_files, 1 << BOARD_VCIO | 1 << BOARD_VCSM | 1 << BOARD_MEM,
		  "a Pi 1");
	all.classic = true;
	all.driver = BOARD_FILES_FKMS;
	fill("pi3b+", "trixie", 17, &all);
	has_files(pi3_files, (1 << BOARD_NODES) - 1,
		  "a Pi 3 with all there is");
	fill("pi4", "mainline", 64, &usual);
	has_files(pi4_files, 1 << BOARD_MEM, "a Pi 4 with a plain kernel");
	fill("zero2", "dietpi", 64, &usual);
	has_files(zero2_files,
		  1 << BOARD_VCIO | 1 << BOARD_MEM | 1 << BOARD_HEAP,
		  "a Zero 2 whose module is not loaded");
	fill("pc", "plain", 32, &all);
	has_files("memory 600 33554432\n", 0, "a machine that is none");
}

static void
test_choices(void)
{
	struct board_files_request request = usual;

	shared.options.module = true;
	fill("zero2", "dietpi", 64, &usual);
	ok(has("root/dev/vcsm-cma \n") && has("root/sys/module/vc_sm_cma/\n") &&
		   has("root/etc/modprobe.d/\n"),
	   "a module may be loaded by hand");
	fill("zero2", "dietpi", 16, &usual);
	ok(!has("root/dev/vcsm-cma") && has("root/sys/module/vc_sm_cma/\n") &&
		   stand_ins() ==
			   (1 << BOARD_VCIO | 1 << BOARD_MEM | 1 << BOARD_HEAP),
	   "with little memory it has no node");
	shared.options.module = false;
	fill("zero2", "mainline", 64, &usual);
	ok(!has("root/dev/vcsm-cma") && !has("root/sys/module/vc_sm_cma") &&
		   !has("root/dev/vcio"),
	   "a plain kernel has neither module nor mailbox");
	request.vcsm = false;
	fill("pi3", "bullseye", 64, &request);
	ok(has("root/dev/vcio \n") && has("root/dev/mem \n") &&
		   !has("root/dev/vcsm-cma") && !has("root/dev/dma_heap") &&
		   !has("root/sys/module/vc_sm_cma"),
	   "without memory of the kernel");
	request.vcio = false;
	fill("pi3", "bullseye", 64, &request);
	ok(!has("root/dev/vcio") && has("root/dev/mem \n"),
	   "without a mailbox");
	request.mem = false;
	fill("pi3", "bullseye", 64, &request);
	ok(!has("root/dev/"), "without any node");
	request.driver = BOARD_FILES_KMS;
	fill("pi3", "bullseye", 64, &request);
	ok(has("root/dev/dri/card0 \n") && has("root/sys/module/vc4/\n") &&
		   has(TREE "/soc/v3d@7ec00000/status okay<00>\n") &&
		   !has("firmwarekms"),
	   "with the kernel's driver");
}

/* What is not the board's comes from this machine. */
static void
test_machine(void)
{
	static char text[1 << 16], here[64];
	int fd;

	fill("pi1", "plain", 64, &usual);
	fd = open("board/root/proc/meminfo", O_RDONLY | O_CLOEXEC);
	if (read(fd, text, sizeof(text) - 1) < 0)
		exit(99);
	close(fd);
	ok(strncmp(text, "MemTotal:", 9) == 0, "memory is this machine's");
	ok(strstr(text, "CmaTotal:") == text + last_line(text, "CmaTotal:"),
	   "but for the CMA");
	memset(text, 0, sizeof(text));
	fd = open("board/root/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	if (read(fd, text, sizeof(text) - 1) < 0)
		exit(99);
	close(fd);
	fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	if (read(fd, here, sizeof(here) - 1) < 0)
		exit(99);
	close(fd);
	ok(strncmp(text, here, 8) == 0, "so are the processors");
}

/* With files of at most so many bytes. */
static void
fails(rlim_t bytes, const char *message, const char *name)
{
	struct diag why = { .text = "" };
	struct rlimit usually, limit;
	bool good;

	getrlimit(RLIMIT_FSIZE, &usually);
	limit = usually;
	if (bytes < limit.rlim_cur)
		limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
	good = board_files_fill("board", &usual, &shared, &why);
	setrlimit(RLIMIT_FSIZE, &usually);
	ok(!good, "%s", name);
	is(why.text, message, "%s: the first thing that went wrong", name);
	clean();
}

static void
test_failures(void)
{
	clean();
	fails(RLIM_INFINITY, "board/memory: No such file or directory",
	      "no directory");
	if (mkdir("board", 0700) != 0 || symlink("x", "board/qpuemu.so") != 0)
		exit(99);
	fails(RLIM_INFINITY, "board/qpuemu.so: File exists", "a link is there");
	if (mkdir("board", 0700) != 0 || symlink("x", "board/memory") != 0)
		exit(99);
	fails(RLIM_INFINITY, "board/memory: File exists", "memory is there");
	if (mkdir("board", 0700) != 0 || symlink("memory", "board/root") != 0)
		exit(99);
	fails(RLIM_INFINITY, "board/root/sys: Not a directory",
	      "a file where a directory should be");
	if (mkdir("board", 0700) != 0 || mkdir("board/root", 0700) != 0 ||
	    mkdir("board/root/proc", 0700) != 0 ||
	    mkdir("board/root/proc/cpuinfo", 0700) != 0)
		exit(99);
	fails(RLIM_INFINITY, "board/root/proc/cpuinfo: Is a directory",
	      "a directory where a file should be");
	if (mkdir("board", 0700) != 0)
		exit(99);
	signal(SIGXFSZ, SIG_IGN);
	fails(10, "board/memory: File too large", "memory is too large");
	if (mkdir("board", 0700) != 0)
		exit(99);
	shared.options.device.mem_mib = 0;
	fails(10,
	      "board/root/sys/firmware/devicetree/base/model: No space left on "
	      "device",
	      "a file that is not written to its end");
}

int
main(void)
{
	char command[64];

	umask(022);
	if (!mkdtemp(scratch) || chdir(scratch) != 0)
		return 99;
	close(STDIN_FILENO); /* 0 is a good descriptor */
	shared.options.cma_mib = 64;
	test_boards();
	test_choices();
	test_machine();
	test_failures();
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return chdir("..") == 0 && system(command) == 0 ? tap_done() : 99;
}
