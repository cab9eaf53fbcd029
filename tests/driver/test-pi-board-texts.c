/* SPDX-License-Identifier: MIT */
/*
 * What an owner is told, in whole sentences; and both sides of each limit of
 * what is read of a board's files.
 */
#include "config.h"

#include <errno.h>

#include "tests/driver/pi-tree.h"

#define CONFIG "/boot/firmware/config.txt (older systems: /boot/config.txt)"
#define RULE                                                                   \
	": use sudo, or allow it to the group video with: echo "               \
	"'KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", MODE=\"0660\"' | sudo "  \
	"tee /etc/udev/rules.d/90-vcio.rules && sudo udevadm control "         \
	"--reload && sudo udevadm trigger; if you are not in that group: "     \
	"'sudo usermod -aG video $USER', then log in again"
#define GROUP                                                                  \
	": add yourself to its group with 'sudo usermod -aG video $USER', "    \
	"then log in again"
#define NO_NODE                                                                \
	"no memory can be shared with the QPUs: there is no /dev/vcsm-cma "    \
	"('sudo modprobe vc-sm-cma'), and /dev/mem "

/* Reads fail or are interrupted (--wrap). */
static struct {
	int errors[4]; /* of the first reads of a look; 0 = none */
	unsigned nreads;
	size_t most; /* bytes of each; 0 = any */
} world;

ssize_t
__real_read(int fd, void *bytes, size_t room);
ssize_t
__wrap_read(int fd, void *bytes, size_t room);

ssize_t
__wrap_read(int fd, void *bytes, size_t room)
{
	const unsigned number = world.nreads++;

	errno = number < 4 ? world.errors[number] : 0;
	if (errno)
		return -1;
	return __real_read(fd, bytes,
			   world.most && world.most < room ? world.most : room);
}

static bool
says(enum pi_obstacle obstacle, const char *text, const char *what)
{
	const bool good = !look() && board.obstacle == obstacle;

	is(why.text, text, "%s", what);
	return ok(good, "%s: an obstacle", what);
}

static void
say_to_others(enum pi_obstacle obstacle, const char *text, const char *what)
{
	become(OTHER_USER);
	says(obstacle, text, what);
	become(0);
}

static void
test_boards(void)
{
	struct diag steps[PI_STEPS];

	clear();
	says(PI_NO_PI, "this is not a Raspberry Pi", "a PC");
	ok(pi_board_steps(root, steps) == 1 &&
		   strcmp(steps[0].text, "this is not a Raspberry Pi") == 0,
	   "which is all that is in the way");
	put("proc/device-tree/model", "Some Board");
	says(PI_NO_PI, "this is not a Raspberry Pi but Some Board", "a board");
	put("proc/device-tree/model", "B");
	says(PI_NO_PI, "this is not a Raspberry Pi but B", "a short name");
	put_board("Raspberry Pi 4", "raspberrypi,4-model-b", "brcm,bcm2711");
	says(PI_OTHER_GPU,
	     "Raspberry Pi 4 has another GPU: Raspberry Pi 1, 2, 3 and Zero "
	     "have the QPUs of a VideoCore IV",
	     "a Pi 4");
	put_board("", "raspberrypi,4-model-b", "brcm,bcm2711");
	says(PI_OTHER_GPU,
	     "this Raspberry Pi has another GPU: Raspberry Pi 1, 2, 3 and Zero "
	     "have the QPUs of a VideoCore IV",
	     "a Pi without a name");
	put("proc/device-tree/model", "B");
	says(PI_OTHER_GPU,
	     "B has another GPU: Raspberry Pi 1, 2, 3 and Zero have the QPUs "
	     "of a VideoCore IV",
	     "a Pi with a short one");
}

static void
test_owners(void)
{
	put_good_pi();
	put_status("okay");
	says(PI_KMS,
	     "the kernel's driver vc4 owns the GPU: comment out "
	     "dtoverlay=vc4-kms-v3d in " CONFIG
	     " and reboot; there is no desktop then",
	     "KMS");
	put("proc/device-tree/soc/firmwarekms@7e600000/status", "okay");
	says(PI_KMS,
	     "the kernel's driver vc4 owns the GPU: comment out "
	     "dtoverlay=vc4-fkms-v3d in " CONFIG
	     " and reboot; there is no desktop then",
	     "FKMS");
	put_good_pi();
	make_directories("sys/bus/platform/drivers/vc4_v3d/3fc00000.v3d2/x");
	make_directories("sys/bus/platform/drivers/vc4_v3d/v3d/x");
	ok(look(), "drivers of other devices are in nobody's way");
	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put("proc/device-tree/soc/v3d@7ec00000/compatible", "brcm,bcm2835-v3d");
	says(PI_OTHER_KERNEL,
	     "the device tree of this kernel always gives the GPU to the "
	     "kernel's driver vc4: boot a kernel of Raspberry Pi OS without "
	     "dtoverlay=vc4-kms-v3d",
	     "the kernel's own device tree");
}

static void
test_nodes(void)
{
	put_good_pi();
	unlink_node("dev/vcio");
	says(PI_NO_MAILBOX,
	     "there is no /dev/vcio: boot a kernel of Raspberry Pi OS "
	     "(CONFIG_BCM_VCIO) with its device tree (node "
	     "soc/firmware/vcio)",
	     "no mailbox");
	put_node("dev/vcio", 0060);
	say_to_others(PI_NO_PERMISSION, "no permission for /dev/vcio" GROUP,
		      "the mailbox of a group");
	put_node("dev/vcio", 0040);
	say_to_others(PI_NO_PERMISSION, "only root may open /dev/vcio" RULE,
		      "one that a group may read");
	put_node("dev/vcio", 0020);
	say_to_others(PI_NO_PERMISSION, "only root may open /dev/vcio" RULE,
		      "one that a group may write to");
	put_node("dev/vcio", 0004);
	say_to_others(PI_NO_PERMISSION, "only root may open /dev/vcio" RULE,
		      "one that all may read");
	put_node("dev/vcio", 0002);
	say_to_others(PI_NO_PERMISSION, "only root may open /dev/vcio" RULE,
		      "one that all may write to");
	put_node("dev/vcio", 0666);
	unlink_node("dev/mem");
	put_node("dev/vcsm-cma", 0000);
	say_to_others(PI_NO_MEMORY_NODE,
		      "only root may open /dev/vcsm-cma" RULE,
		      "memory of root's");
	put_node("dev/vcsm-cma", 0060);
	say_to_others(PI_NO_MEMORY_NODE,
		      "no permission for /dev/vcsm-cma" GROUP,
		      "memory of a group");
	put_node("dev/mem", 0666);
	become(OTHER_USER);
	ok(look() && board.memory == MEMORY_DEV_MEM, "/dev/mem will do then");
	become(0);
}

static void
test_memory(void)
{
	put_good_pi();
	unlink_node("dev/vcsm-cma");
	unlink_node("dev/mem");
	says(PI_NO_MEMORY_NODE, NO_NODE "is for root on a 32-bit kernel only",
	     "no memory");
	put_node("dev/mem", 0666);
	machine = "aarch64";
	says(PI_NO_MEMORY_NODE, NO_NODE "is of no use on a 64-bit kernel",
	     "memory that a 64-bit kernel cannot map");
	ok(pi_board_maps_device_memory(), "which maps it as a device's");
	machine = "armv8b";
	ok(pi_board_maps_device_memory(), "whatever it is called");
	machine = "armv";
	ok(!pi_board_maps_device_memory(), "others do not");
	machine = "aarch64_32";
	ok(!pi_board_maps_device_memory(), "whatever they are called");
	machine = "aarch64";
	put("etc/modprobe.d/some.conf", "blacklist vc_sm_cma\n");
	says(PI_NO_MEMORY_NODE,
	     "no memory can be shared with the QPUs: the module of "
	     "/dev/vcsm-cma is on the blacklist in "
	     "/etc/modprobe.d/some.conf; remove that line, then 'sudo modprobe "
	     "vc-sm-cma'",
	     "a blacklist");
	make_directories("sys/module/vc_sm_cma/x");
	says(PI_NO_MEMORY_NODE,
	     "the kernel's module vc_sm_cma is loaded but made no "
	     "/dev/vcsm-cma, as with gpu_mem=16: put gpu_mem=64 into " CONFIG
	     " and reboot",
	     "a module without a node");
	machine = "armv7l";
}

/* Lines of a file in modprobe.d. */
static void
test_blacklists(void)
{
	static const struct {
		const char *text;
		bool forbids;
	} rows[] = { { "blacklist vc_sm_cma", true },
		     { "blacklist vc-sm-cma", true },
		     { "\t blacklist \t vc_sm_cma \t# why", true },
		     { "a\n\nblacklist vc_sm_cma\nb\n", true },
		     { "blacklist vc_sm_cma\r\n", true },
		     { "blacklist\tvc_sm_cma\n", true },
		     { "blacklist vc_sm_cm\n", false },
		     { "blacklist vc_sm_cmax\n", false },
		     { "blacklist vc_sm_cma_\n", false },
		     { "blacklist vc_sm-cma\n", false },
		     { "blacklist other_on\n", false },
		     { "blacklist\nvc_sm_cma\n", false },
		     { "blacklistvc_sm_cma\n", false },
		     { "blacklis vc_sm_cma\n", false },
		     { "Blacklist vc_sm_cma\n", false },
		     { "x blacklist vc_sm_cma\n", false },
		     { "blacklist", false },
		     { "", false } };
	static char late[9000];

	put_good_pi();
	unlink_node("dev/vcsm-cma");
	unlink_node("dev/mem");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_bytes("etc/modprobe.d/x.conf", rows[i].text,
			  strlen(rows[i].text), 0644);
		look();
		ok(!strstr(why.text, "/etc/modprobe.d/x.conf;") ==
			   !rows[i].forbids,
		   "row %u %s the module", i,
		   rows[i].forbids ? "forbids" : "does not forbid");
	}
	memset(late, '\n', sizeof(late));
	memcpy(late + 8191 - 19, "blacklist vc_sm_cma", 19);
	put_bytes("etc/modprobe.d/x.conf", late, sizeof(late), 0644);
	look();
	ok(strstr(why.text, "x.conf") != NULL, "8191 bytes are read");
	memmove(late + 8192 - 19, late + 8191 - 19, 19);
	put_bytes("etc/modprobe.d/x.conf", late, sizeof(late), 0644);
	look();
	ok(!strstr(why.text, "x.conf"), "and no more");
}

/* Several names, and long ones. */
static void
test_compatible(void)
{
	static const struct {
		const char *names;
		size_t len;
		const char *chip; /* NULL: no Pi */
	} rows[] = {
		{ "brcm,bcm2836\0raspberrypi,x", 26, "BCM2836" },
		{ "raspberrypi,x\0other,chip\0brcm,bcm2835", 37, "BCM2835" },
		{ "raspberrypi,\0brcm,bcm2837\0", 26, "BCM2837" },
		{ "raspberrypi\0brcm,bcm2837", 24, NULL },
		{ "xraspberrypi,x\0brcm,bcm2837", 27, NULL },
		{ "brcm,bcm2837", 12, NULL },
		{ "", 0, NULL },
	};
	char names[600];

	put_good_pi();
	unlink_node("proc/device-tree/model");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_bytes("proc/device-tree/compatible", rows[i].names,
			  rows[i].len, 0644);
		ok(look() == (rows[i].chip != NULL) &&
			   (rows[i].chip ?
				    strcmp(board.soc->name, rows[i].chip) == 0 :
				    board.obstacle == PI_NO_PI),
		   "names %u: %s", i, rows[i].chip ? rows[i].chip : "no Pi");
	}
	memset(names, 'a', sizeof(names));
	memcpy(names, "raspberrypi,x", 14);
	memcpy(names + 498, "\0brcm,bcm2837", 13);
	put_bytes("proc/device-tree/compatible", names, 511, 0644);
	ok(look(), "511 bytes of names are read");
	memcpy(names + 499, "\0brcm,bcm2837", 13);
	put_bytes("proc/device-tree/compatible", names, 512, 0644);
	ok(!look(), "and no more");
	put("proc/device-tree/model", "Raspberry P");
	put_bytes("proc/device-tree/compatible", "brcm,bcm2837", 12, 0644);
	ok(!look(), "a name that begins nearly so");
	put("proc/device-tree/model", "Raspberry Pi");
	ok(look(), "the model alone will do");
	put("proc/device-tree/model", "Raspberry Pi with a name of sixty-three "
				      "characters, no one more. ..");
	ok(look() && strlen(board.model) == 63, "of 63 characters");
}

static void
test_words(void)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint32_t alias, flags;
	} rows[] = { { "\0\0\0\0\0\0\0\0\x80\0\0\0", 12, 0x80000000, 8 },
		     { "\0\0\0\0\0\0\0\0\x80\0\0\0\x40\0\0", 15, 0x80000000,
		       8 },
		     { "\0\0\0\0\0\0\0\0\x40\0\0\0", 12, 0x40000000, 12 },
		     { "\0\0\0\0\0\0\0\0\x80\0\0", 11, 0xc0000000, 4 },
		     { "\0\0\0\0\0\0\0\0\0\0\0\x80", 12, 0xc0000000, 4 },
		     { "\0\0\0\0\0\0\0\0\x80\1\0\0", 12, 0xc0000000, 4 },
		     { "\0\0\0\0\0\0\0\0\0\0\0\0", 12, 0xc0000000, 4 } };
	bool good;

	put_good_pi();
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_bytes("proc/device-tree/axi/vc_mem/reg", rows[i].bytes,
			  rows[i].len, 0644);
		ok(look() && board.bus_alias == rows[i].alias &&
			   board.memory_flags == rows[i].flags,
		   "the alias 0x%08x", (unsigned)rows[i].alias);
	}
	put("proc/device-tree/compatible", "raspberrypi,3-model-b");
	put_bytes("proc/device-tree/system/linux,revision", "\x01\xa0\x10\x41",
		  4, 0644);
	good = look() && strcmp(board.soc->name, "BCM2836") == 0;
	put_bytes("proc/device-tree/system/linux,revision", "\x80\x20\x00\x00",
		  4, 0644);
	ok(good && look() && strcmp(board.soc->name, "BCM2835") == 0,
	   "revisions are words with the largest byte first");
	put_bytes("proc/device-tree/system/linux,revision",
		  "\x00\xa0\x20\x82\x00", 5, 0644);
	ok(!look() && board.obstacle == PI_OTHER_GPU,
	   "five bytes are no revision");
	put("proc/device-tree/compatible", "brcm,bcm2837");
	put_bytes("proc/device-tree/system/linux,revision", "\x00\xc0\x31\x14",
		  4, 0644);
	ok(look() && strcmp(board.soc->name, "BCM2837") == 0,
	   "nor needed where the chip is named");
}

static void
test_reads(void)
{
	put_good_pi();
	memset(&world, 0, sizeof(world));
	world.most = 3;
	ok(look() && board.obstacle == PI_USABLE,
	   "files may come in pieces of three bytes");
	is(board.model, "Raspberry Pi 3 Model B Rev 1.2", "with all of them");
	memset(&world, 0, sizeof(world));
	world.errors[0] = world.errors[1] = EINTR;
	ok(look(), "reads that are interrupted are repeated");
	memset(&world, 0, sizeof(world));
	/* The file of names and that of the model. */
	world.errors[0] = world.errors[1] = EIO;
	ok(!look() && board.obstacle == PI_NO_PI && board.model[0] == '\0',
	   "what cannot be read says nothing");
	memset(&world, 0, sizeof(world));
	world.most = 14;
	world.errors[1] = EIO;
	unlink_node("proc/device-tree/model");
	ok(!look() && board.obstacle == PI_NO_PI,
	   "nor does what was read before an error");
	memset(&world, 0, sizeof(world));
}

int
main(void)
{
	if (!begin_tree())
		return 99;
	test_boards();
	test_owners();
	test_nodes();
	test_memory();
	test_blacklists();
	test_compatible();
	test_words();
	test_reads();
	end_tree();
	return tap_done();
}
