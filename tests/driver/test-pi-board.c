/* SPDX-License-Identifier: MIT */
/*
 * Boards, as literal trees of /proc, /sys and /dev below a directory of the
 * test's own: which one it is, and why its QPUs can or cannot be used.
 */
#include "config.h"

#include "tests/driver/pi-tree.h"

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
		{ "Raspberry Pi Zero 2 W Rev 1.0", "raspberrypi,model-zero-2-w",
		  "brcm,bcm2837", "BCM2837", 0x3f000000, 0xc0000000, 0x4 },
	};

	for (size_t i = 0; i < sizeof(pis) / sizeof(*pis); i++) {
		put_board(pis[i].model, pis[i].board, pis[i].chip);
		put_status("disabled");
		put_node("dev/vcio", 0660);
		put_node("dev/vcsm-cma", 0660);
		ok(look() && board.obstacle == PI_USABLE &&
			   strcmp(board.soc->name, pis[i].soc) == 0 &&
			   board.soc->peripherals == pis[i].peripherals &&
			   board.bus_alias == pis[i].alias &&
			   board.memory_flags == pis[i].flags,
		   "%s is usable", pis[i].model);
		is(board.model, pis[i].model, "and told by its name");
	}
}

static void
test_others(void)
{
	put_board("Raspberry Pi 4 Model B Rev 1.4", "raspberrypi,4-model-b",
		  "brcm,bcm2711");
	ok(refused(PI_OTHER_GPU, "Raspberry Pi 4 Model B Rev 1.4 has "
				 "another GPU"),
	   "a Pi 4 has another GPU");
	put_board("Raspberry Pi 5 Model B Rev 1.0", "raspberrypi,5-model-b",
		  "brcm,bcm2712");
	ok(refused(PI_OTHER_GPU, "1, 2, 3 and Zero"),
	   "a Pi 5, too, and which would do is said");
	put_board("Raspberry Pi 9", "raspberrypi,9", "brcm,bcm9999");
	ok(refused(PI_OTHER_GPU, "Raspberry Pi 9"),
	   "a Pi with an unknown chip");
	clear();
	ok(refused(PI_NO_PI, "not a Raspberry Pi"),
	   "a PC without a device tree");
	is(board.model, "", "has no model");
	put_board("Some Other Board", "maker,board", "brcm,bcm2837");
	ok(refused(PI_NO_PI, "but Some Other Board"),
	   "another maker's board with the same chip");
	ok(!pi_board_look(root, &board, NULL) && board.obstacle == PI_NO_PI,
	   "nobody has to want the reason");
}

static void
test_revision(void)
{
	put_good_pi();
	put("proc/device-tree/compatible", "raspberrypi,3-model-b");
	put_bytes("proc/device-tree/system/linux,revision", "\x00\xa0\x20\x82",
		  4, 0644);
	ok(look() && strcmp(board.soc->name, "BCM2837") == 0,
	   "a chip that only the revision tells");
	put_bytes("proc/device-tree/system/linux,revision", "\x00\xc0\x31\x14",
		  4, 0644);
	ok(refused(PI_OTHER_GPU, "another GPU"),
	   "a Pi 4 that only the revision tells");
	put_bytes("proc/device-tree/system/linux,revision", "\x00\x0e", 2,
		  0644);
	ok(refused(PI_OTHER_GPU, "another GPU"),
	   "half a revision tells nothing");
	put_board("", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_fifo("proc/device-tree/model");
	put_fifo("proc/device-tree/soc/v3d@7ec00000/status");
	ok(refused(PI_OTHER_KERNEL, "vc4"), "nothing is waited for");
	put_good_pi();
	put("proc/device-tree/model",
	    "Raspberry Pi 3 Model B with a name that "
	    "goes on and on and on and on and on and on");
	ok(look() && strlen(board.model) < sizeof(board.model),
	   "a long model is cut");
}

static void
test_alias(void)
{
	put_board("Raspberry Pi Model B Rev 2", "raspberrypi,model-b",
		  "brcm,bcm2835");
	put_node("dev/vcio", 0660);
	put_node("dev/vcsm-cma", 0660);
	put_bytes("proc/device-tree/axi/vc_mem/reg",
		  "\x1e\xc0\0\0\x20\0\0\0\xc0\0\0\0", 12, 0644);
	ok(look() && board.bus_alias == 0xc0000000 && board.memory_flags == 4,
	   "a BCM2835 whose ARM bypasses the L2 cache");
	put_bytes("proc/device-tree/axi/vc_mem/reg",
		  "\x1e\xc0\0\0\x20\0\0\0\xff\xff\xff\xff", 12, 0644);
	ok(look() && board.bus_alias == 0x40000000 && board.memory_flags == 12,
	   "an alias that cannot be is that of the chip");
}

static void
test_kms(void)
{
	put_good_pi();
	put_status("okay");
	ok(refused(PI_KMS, "dtoverlay=vc4-kms-v3d in /boot"),
	   "KMS owns the GPU");
	ok(strstr(why.text, "reboot; there is no desktop then") &&
		   !strstr(why.text, "rmmod"),
	   "a reboot is needed, which ends the desktop");
	put("proc/device-tree/soc/firmwarekms@7e600000/status", "disabled");
	ok(refused(PI_KMS, "dtoverlay=vc4-kms-v3d in"),
	   "KMS beside a firmware KMS that is off");
	put("proc/device-tree/soc/firmwarekms@7e600000/status", "okay");
	ok(refused(PI_KMS, "dtoverlay=vc4-fkms-v3d in"), "FKMS owns the GPU");

	put_good_pi();
	put_node("sys/bus/platform/drivers/vc4_v3d/bind", 0200);
	ok(look(), "a driver without a device is in nobody's way");
	make_directories("sys/bus/platform/drivers/vc4_v3d/3fc00000.v3d/x");
	ok(refused(PI_KMS, "dtoverlay=vc4-kms-v3d"),
	   "a driver that has the GPU, whatever the status says");

	put_board("Raspberry Pi 3 Model B", "raspberrypi,3-model-b",
		  "brcm,bcm2837");
	put_node("dev/vcio", 0660);
	put_node("dev/vcsm-cma", 0660);
	ok(look(), "without a V3D in the device tree it is free");
	put("proc/device-tree/soc/v3d@7ec00000/compatible", "brcm,bcm2835-v3d");
	ok(refused(PI_OTHER_KERNEL, "boot a kernel of Raspberry Pi OS"),
	   "a V3D without a status is the kernel's");
}

static void
test_nodes(void)
{
	put_good_pi();
	ok(look() && board.memory == MEMORY_VCSM, "vcsm-cma is preferred");

	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_node("dev/vcsm-cma", 0660);
	ok(refused(PI_NO_MAILBOX, "CONFIG_BCM_VCIO") &&
		   strstr(why.text, "soc/firmware/vcio"),
	   "no mailbox: kernel or device tree");

	put_node("dev/vcio", 0660);
	ok(look() && board.memory == MEMORY_VCSM,
	   "vcsm-cma does without /dev/mem");
	put_node("dev/dma_heap/linux,cma", 0660);
	ok(look() && board.memory == MEMORY_CACHED,
	   "and is cached where there is a heap");

	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_node("dev/vcio", 0660);
	ok(refused(PI_NO_MEMORY_NODE, "modprobe vc-sm-cma"),
	   "no way to map memory");
	put_node("dev/mem", 0640);
	ok(look() && board.memory == MEMORY_DEV_MEM,
	   "/dev/mem where there is no vcsm-cma");
	machine = "armv6l";
	ok(look() && board.memory == MEMORY_DEV_MEM, "also on a Pi 1");
	machine = "aarch64";
	ok(refused(PI_NO_MEMORY_NODE, "64-bit kernel"),
	   "/dev/mem is of no use to a 64-bit kernel");
	machine = "armv8l";
	ok(refused(PI_NO_MEMORY_NODE, "64-bit kernel"),
	   "whatever that tells programs of 32 bits");
	machine = "armv7l";
}

static void
test_permissions(void)
{
	put_good_pi();
	put_node("dev/vcio", 0060);
	ok(refused_to_others(PI_NO_PERMISSION,
			     "no permission for /dev/vcio: add yourself"),
	   "a mailbox of a group");
	ok(strstr(why.text, "sudo usermod -aG video $USER") != NULL,
	   "and the command that helps");
	/* Without the owner's rights: the owner may be this user. */
	put_node("dev/vcio", 0000);
	ok(refused_to_others(PI_NO_PERMISSION, "only root may open /dev/vcio"),
	   "a mailbox that only root may open");
	put_node("dev/vcio", 0040);
	ok(refused_to_others(PI_NO_PERMISSION, "only root may open /dev/vcio"),
	   "one that a group may only read");
	ok(strstr(why.text, "KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", "
			    "MODE=\"0660\"") &&
		   strstr(why.text, "udevadm control --reload && sudo udevadm "
				    "trigger"),
	   "and the rule, with the commands that load it");
	ok(strstr(why.text, "not in that group: 'sudo usermod -aG video"),
	   "which is of use in that group only");
	put_node("dev/vcio", 0666);
	put_node("dev/mem", 0000);
	put_node("dev/vcsm-cma", 0060);
	ok(refused_to_others(PI_NO_MEMORY_NODE,
			     "no permission for /dev/vcsm-cma"),
	   "vcsm-cma of a group");
	put_node("dev/vcsm-cma", 0666);
	ok(look() && board.memory == MEMORY_VCSM, "and one for everybody");
	put_node("dev/vcio", 0666);
	put_node("dev/dma_heap/linux,cma", 0060);
	become(OTHER_USER);
	ok(look() && board.memory == MEMORY_VCSM,
	   "uncached where this user may not open the heap");
	become(0);
}

static void
test_module(void)
{
	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_node("dev/vcio", 0660);
	put("etc/modprobe.d/other.conf", "options vc_sm_cma debug=1\n");
	ok(refused(PI_NO_MEMORY_NODE, "sudo modprobe vc-sm-cma"),
	   "a module that is not loaded");
	put("etc/modprobe.d/other.conf",
	    "#blacklist vc_sm_cma\n# blacklist vc_sm_cma\n"
	    "blacklist vc_sm_cma_next\nblacklistvc_sm_cma\n");
	put("etc/modprobe.d/some.conf.old", "blacklist vc_sm_cma\n");
	ok(refused(PI_NO_MEMORY_NODE, "there is no /dev/vcsm-cma"),
	   "what modprobe does not read forbids nothing");
	put("etc/modprobe.d/some.conf", "# why\n  blacklist  vc-sm-cma\n");
	ok(refused(PI_NO_MEMORY_NODE, "/etc/modprobe.d/some.conf"),
	   "a module that is on a blacklist, and on which");
	make_directories("sys/module/vc_sm_cma/x");
	ok(refused(PI_NO_MEMORY_NODE, "gpu_mem=64"),
	   "a module that is loaded and made no node");
}

static unsigned
count_steps(struct diag steps[PI_STEPS])
{
	unsigned n;

	become(OTHER_USER);
	n = pi_board_steps(root, steps);
	become(0);
	return n;
}

static void
test_steps(void)
{
	struct diag steps[PI_STEPS];

	put_good_pi();
	ok(pi_board_steps(root, steps) == 0, "nothing is in the way");
	put_status("okay");
	put_node("dev/vcio", 0600);
	put_node("dev/vcsm-cma", 0060);
	ok(count_steps(steps) == 2 && strstr(steps[0].text, "dtoverlay") &&
		   strstr(steps[1].text, "usermod"),
	   "one rule is enough for both nodes");
	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put_status("okay");
	put_node("dev/vcio", 0600);
	ok(count_steps(steps) == 3 && strstr(steps[2].text, "modprobe"),
	   "what is in the way is told at once");
	unlink_node("dev/vcio");
	ok(count_steps(steps) == 2 && strstr(steps[1].text, "CONFIG_BCM_VCIO"),
	   "without a mailbox another kernel is the last step");
	clear();
	put_board("Raspberry Pi 3", "raspberrypi,3-model-b", "brcm,bcm2837");
	put("proc/device-tree/soc/v3d@7ec00000/compatible", "brcm,bcm2835-v3d");
	ok(count_steps(steps) == 1 && strstr(steps[0].text, "boot a kernel"),
	   "for a kernel without its device tree it is the only one");
}

int
main(void)
{
	if (!begin_tree())
		return 99;
	test_models();
	test_others();
	test_revision();
	test_alias();
	test_kms();
	test_nodes();
	test_permissions();
	test_module();
	test_steps();
	end_tree();
	return tap_done();
}
