/* SPDX-License-Identifier: MIT */
/*
 * Boards, as literal trees of /proc, /sys and /dev below a directory of the
 * test's own: which one it is, and why its QPUs can or cannot be used.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qpu/board.h"
#include "tests/tap.h"

enum { OTHER_USER = 65534 };

static char root[64];

/* Everything of the tree before. */
static void
clear(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'/*", root);
	if (system(command) != 0)
		exit(99);
}

static void
path_of(char path[512], const char *name)
{
	snprintf(path, 512, "%s/%s", root, name);
}

static void
make_directories(const char *name)
{
	char path[512];

	path_of(path, name);
	for (char *at = path + strlen(root) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

static void
put_bytes(const char *name, const void *bytes, size_t len, unsigned mode)
{
	char path[512];
	FILE *file;

	make_directories(name);
	path_of(path, name);
	unlink(path);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) != 0 ||
	    chmod(path, mode) != 0)
		exit(99);
}

/* With the NUL at its end, as a device tree has it. */
static void
put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text) + 1, 0644);
}

static void
put_node(const char *name, unsigned mode)
{
	put_bytes(name, "", 0, mode);
}

/* What would keep a reader waiting. */
static void
put_fifo(const char *name)
{
	char path[512];

	make_directories(name);
	path_of(path, name);
	if (mkfifo(path, 0644) != 0)
		exit(99);
}

/* "compatible" is two strings. */
static void
put_board(const char *model, const char *board, const char *chip)
{
	char both[128];
	const int len = snprintf(both, sizeof(both), "%s%c%s", board, 0, chip);

	clear();
	if (model[0])
		put("proc/device-tree/model", model);
	put_bytes("proc/device-tree/compatible", both, (size_t)len + 1, 0644);
}

static void
put_status(const char *status)
{
	put("proc/device-tree/soc/v3d@7ec00000/status", status);
}

/* A Pi on which nothing is in the way. */
static void
put_good_pi(void)
{
	put_board("Raspberry Pi 3 Model B Rev 1.2", "raspberrypi,3-model-b",
		  "brcm,bcm2837");
	put_status("disabled");
	put_node("dev/vcio", 0660);
	put_node("dev/vcsm-cma", 0660);
	put_node("dev/mem", 0640);
}

static bool
maps_device_memory(void)
{
	struct utsname name;

	return uname(&name) == 0 && (strcmp(name.machine, "aarch64") == 0 ||
				     strncmp(name.machine, "armv8", 5) == 0);
}

static struct board board;
static struct diag why;

static bool
look(void)
{
	why.text[0] = '\0';
	return board_look(root, &board, &why);
}

static bool
refused(enum board_obstacle obstacle, const char *remedy)
{
	const bool usable = look();

	if (usable || board.obstacle != obstacle || !strstr(why.text, remedy)) {
		tap_note("obstacle %d, not %d: %s", (int)board.obstacle,
			 (int)obstacle, why.text);
		return false;
	}
	return true;
}

/* As a user who is in no group of theirs and owns nothing. */
static bool
refused_to_others(enum board_obstacle obstacle, const char *remedy)
{
	const bool root_user = geteuid() == 0;
	bool answer;

	if (root_user && (setegid(OTHER_USER) != 0 || seteuid(OTHER_USER) != 0))
		exit(99);
	answer = refused(obstacle, remedy);
	if (root_user && (seteuid(0) != 0 || setegid(0) != 0))
		exit(99);
	return answer;
}

static void
test_models(void)
{
	static const struct {
		const char *model, *board, *chip, *soc;
		uint32_t peripherals, alias, flags;
	} pis[] = {
		{ "Raspberry Pi Model B Rev 2", "raspberrypi,model-b",
		  "brcm,bcm2835", "BCM2835", 0x20000000, 0x40000000, 0xc },
		{ "Raspberry Pi Model B Plus Rev 1.2",
		  "raspberrypi,model-b-plus", "brcm,bcm2835", "BCM2835",
		  0x20000000, 0x40000000, 0xc },
		{ "Raspberry Pi Zero W Rev 1.1", "raspberrypi,model-zero-w",
		  "brcm,bcm2835", "BCM2835", 0x20000000, 0x40000000, 0xc },
		{ "Raspberry Pi 2 Model B Rev 1.1", "raspberrypi,2-model-b",
		  "brcm,bcm2836", "BCM2836", 0x3f000000, 0xc0000000, 0x4 },
		{ "Raspberry Pi 2 Model B Rev 1.2",
		  "raspberrypi,2-model-b-rev2", "brcm,bcm2837", "BCM2837",
		  0x3f000000, 0xc0000000, 0x4 },
		{ "Raspberry Pi 3 Model B Rev 1.2", "raspberrypi,3-model-b",
		  "brcm,bcm2837", "BCM2837", 0x3f000000, 0xc0000000, 0x4 },
		{ "Raspberry Pi 3 Model B Plus Rev 1.3",
		  "raspberrypi,3-model-b-plus", "brcm,bcm2837", "BCM2837",
		  0x3f000000, 0xc0000000, 0x4 },
		{ "Raspberry Pi Zero 2 W Rev 1.0",
		  "raspberrypi,model-zero-2-w", "brcm,bcm2837", "BCM2837",
		  0x3f000000, 0xc0000000, 0x4 },
	};

	for (size_t i = 0; i < sizeof(pis) / sizeof(*pis); i++) {
		put_board(pis[i].model, pis[i].board, pis[i].chip);
		put_status("disabled");
		put_node("dev/vcio", 0660);
		put_node("dev/vcsm-cma", 0660);
		ok(look() && board.obstacle == BOARD_USABLE &&
		   strcmp(board.soc->name, pis[i].soc) == 0 &&
		   board.soc->peripherals == pis[i].peripherals &&
		   board.soc->bus_alias == pis[i].alias &&
		   board.soc->memory_flags == pis[i].flags,
		   "%s is usable", pis[i].model);
		is(board.model, pis[i].model, "and told by its name");
	}
}

static void
test_others(void)
{
	put_board("Raspberry Pi 4 Model B Rev 1.4", "raspberrypi,4-model-b",
		  "brcm,bcm2711");
	ok(refused(BOARD_OTHER_GPU, "Raspberry Pi 4 Model B Rev 1.4 has "
		   "another GPU"), "a Pi 4 has another GPU");
	put_board("Raspberry Pi 5 Model B Rev 1.0", "raspberrypi,5-model-b",
		  "brcm,bcm2712");
	ok(refused(BOARD_OTHER_GPU, "1, 2, 3 and Zero"),
	   "a Pi 5, too, and which would do is said");
	put_board("Raspberry Pi 9", "raspberrypi,9", "brcm,bcm9999");
	ok(refused(BOARD_OTHER_GPU, "Raspberry Pi 9"),
	   "a Pi with an unknown chip");
	clear();
	ok(refused(BOARD_NO_PI, "not a Raspberry Pi"),
	   "a PC without a device tree");
	is(board.model, "", "has no model");
	put_board("Some Other Board", "maker,board", "brcm,bcm2837");
	ok(refused(BOARD_NO_PI, "but Some Other Board"),
	   "another maker's board with the same chip");
	ok(!board_look(root, &board, NULL) && board.obstacle == BOARD_NO_PI,
	   "nobody has to want the reason");
}

static void
test_revision(void)
{
	put_good_pi();
	put("proc/device-tree/compatible", "raspberrypi,3-model-b");
	put_bytes("proc/device-tree/system/linux,revision",
		  "\x00\xa0\x20\x82", 4, 0644);
	ok(look() && strcmp(board.soc->name, "BCM2837") == 0,
	   "a chip that only the revision tells");
	put_bytes("proc/device-tree/system/linux,revision",
		  "\x00\xc0\x31\x14", 4, 0644);
	ok(refused(BOARD_OTHER_GPU, "another GPU"),
	   "a Pi 4 that only the revision tells");
	put_bytes("proc/device-tree/system/linux,revision", "\x00\x0e", 2,
		  0644);
	ok(refused(BOARD_OTHER_GPU, "another GPU"),
	   "half a revision tells nothing");
	put_board("", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_fifo("proc/device-tree/model");
	put_fifo("proc/device-tree/soc/v3d@7ec00000/status");
	ok(refused(BOARD_KMS, "vc4"), "nothing is waited for");
	put_good_pi();
	put("proc/device-tree/model", "Raspberry Pi 3 Model B with a name that "
	    "goes on and on and on and on and on and on");
	ok(look() && strlen(board.model) < sizeof(board.model),
	   "a long model is cut");
}

static void
test_kms(void)
{
	put_good_pi();
	put_status("okay");
	ok(refused(BOARD_KMS, "dtoverlay=vc4-kms-v3d in /boot"),
	   "KMS owns the GPU");
	put("proc/device-tree/soc/firmwarekms@7e600000/status", "disabled");
	ok(refused(BOARD_KMS, "dtoverlay=vc4-kms-v3d in"),
	   "KMS beside a firmware KMS that is off");
	put("proc/device-tree/soc/firmwarekms@7e600000/status", "okay");
	ok(refused(BOARD_KMS, "dtoverlay=vc4-fkms-v3d in"),
	   "FKMS owns the GPU");

	put_good_pi();
	put_node("sys/bus/platform/drivers/vc4_v3d/bind", 0200);
	ok(look(), "a driver without a device is in nobody's way");
	make_directories("sys/bus/platform/drivers/vc4_v3d/3fc00000.v3d/x");
	ok(refused(BOARD_KMS, "dtoverlay=vc4-kms-v3d"),
	   "a driver that has the GPU, whatever the status says");

	put_board("Raspberry Pi 3 Model B", "raspberrypi,3-model-b",
		  "brcm,bcm2837");
	put_node("dev/vcio", 0660);
	put_node("dev/vcsm-cma", 0660);
	ok(look(), "without a V3D in the device tree it is free");
	put("proc/device-tree/soc/v3d@7ec00000/compatible",
	    "brcm,bcm2835-v3d");
	ok(refused(BOARD_KMS, "boot a kernel of Raspberry Pi OS"),
	   "a V3D without a status is the kernel's");
}

static void
test_nodes(void)
{
	put_good_pi();
	ok(look() && board.memory == BOARD_VCSM,
	   "vcsm-cma is preferred");

	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_node("dev/vcsm-cma", 0660);
	ok(refused(BOARD_NO_MAILBOX, "CONFIG_BCM_VCIO"), "no mailbox");

	put_node("dev/vcio", 0660);
	ok(look() && board.memory == BOARD_VCSM,
	   "vcsm-cma does without /dev/mem");

	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_node("dev/vcio", 0660);
	ok(refused(BOARD_NO_MEMORY_NODE, "modprobe vc-sm-cma"),
	   "no way to map memory");
	put_node("dev/mem", 0640);
	if (maps_device_memory())
		ok(refused(BOARD_NO_MEMORY_NODE, "64-bit kernel"),
		   "/dev/mem is of no use to a 64-bit kernel");
	else
		ok(look() && board.memory == BOARD_DEV_MEM,
		   "/dev/mem where there is no vcsm-cma");
}

static void
test_permissions(void)
{
	put_good_pi();
	put_node("dev/vcio", 0060);
	ok(refused_to_others(BOARD_NO_PERMISSION, "usermod -aG video"),
	   "a mailbox of a group, and the command that helps");
	put_node("dev/vcio", 0000);
	ok(refused_to_others(BOARD_NO_PERMISSION, "udev rule"),
	   "a mailbox that only root has");
	put_node("dev/vcio", 0666);
	put_node("dev/mem", 0000);
	put_node("dev/vcsm-cma", 0060);
	ok(refused_to_others(BOARD_NO_MEMORY_NODE,
			     "/dev/vcsm-cma is not for this user"),
	   "vcsm-cma of a group");
	put_node("dev/vcsm-cma", 0666);
	ok(look() && board.memory == BOARD_VCSM, "and one for everybody");
}

int
main(void)
{
	const char *directory = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%.40s/board-XXXXXX",
		 directory ? directory : "/tmp");
	if (!mkdtemp(root) || chmod(root, 0755) != 0)
		return 99;
	test_models();
	test_others();
	test_revision();
	test_kms();
	test_nodes();
	test_permissions();
	clear();
	rmdir(root);
	return tap_done();
}
