/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/obstacle.h"

#include <stdio.h>

/* Said with each step towards /dev/vcio. */
#define OPENS_ALL                                                              \
	" (a user who may open /dev/vcio can read and write all memory)"

/*
 * In a remedy the first %s is the finding's detail, and the second one what more
 * it has; in commands it is the latter where there is one.  The udev rule is that
 * of src/packaging/90-vcio.rules.
 */
/* clang-format off */
static const struct row {
	const char *remedy, *commands;
} rows[] = {
	[NO_PI] = {
		"this is not a Raspberry Pi%s", NULL
	},
	[OTHER_GPU] = {
		"%s has another GPU: Raspberry Pi 1, 2, 3 and Zero have the "
		"QPUs of a VideoCore IV", NULL
	},
	[OTHER_KERNEL] = {
		"the device tree of this kernel always gives the GPU to the "
		"kernel's driver vc4: boot a kernel of Raspberry Pi OS "
		"without dtoverlay=vc4-kms-v3d", NULL
	},
	[KMS] = {
		"the kernel's driver vc4 owns the GPU: comment out "
		"dtoverlay=vc4-kms-v3d in %s and reboot (there will be no "
		"desktop)",
		"sudo sed -i 's/^dtoverlay=vc4-f*kms-v3d/#&/' %s\n"
		"sudo reboot\n"
	},
	[NO_MAILBOX] = {
		"there is no /dev/vcio: boot a kernel of Raspberry Pi OS "
		"(CONFIG_BCM_VCIO) with its device tree (node "
		"soc/firmware/vcio)", NULL
	},
	[VCIO_FOR_GROUP] = {
		"no permission for %s: add yourself to its group with 'sudo "
		"usermod -aG %s $USER', then log in again" OPENS_ALL,
		"sudo usermod -aG %s $USER\n"
	},
	[VCIO_FOR_ROOT] = {
		"only root may open %s: use sudo, or give it to the group "
		"video and join that, as --list-devices=details tells, then "
		"log in again" OPENS_ALL,
		"echo 'KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", "
		"MODE=\"0660\"' | sudo tee /etc/udev/rules.d/90-vcio.rules\n"
		"sudo udevadm control --reload\n"
		"sudo udevadm trigger\n"
		"sudo usermod -aG video $USER\n"
	},
	[LITTLE_MEMORY] = {
		"the firmware for gpu_mem=16 has no QPUs: put gpu_mem=64 into "
		"%s and reboot",
		"sudo sed -i 's/^\\(gpu_mem[_0-9]*\\)=.*/\\1=64/' %s\n"
		"sudo reboot\n"
	},
	[NO_ANSWER] = {
		"the firmware does not answer through /dev/vcio: %s", NULL
	},
	[NO_MODULE] = {
		"no memory can be shared with the QPUs: there is no "
		"/dev/vcsm-cma ('sudo modprobe vc-sm-cma'; at each boot if a "
		"file in /etc/modprobe.d forbids it)",
		"sudo modprobe vc-sm-cma\n"
	},
	[NO_NODE] = {
		"the kernel's driver vc4 does not have the GPU: put "
		"dtoverlay=vc4-kms-v3d into %s and reboot",
		"printf '[all]\\ndtoverlay=vc4-kms-v3d\\n' | sudo tee -a %s\n"
		"sudo reboot\n"
	},
	[NO_NODE_OF_VC4] = {
		"the device tree gives the GPU to the kernel's driver vc4, "
		"which has made no node in /dev/dri: 'sudo modprobe vc4' loads "
		"it, and 'sudo dmesg | grep vc4' says why it failed",
		"sudo modprobe vc4\n"
	},
	[DRM_NO_DEVICE] = {
		"%s is no device of the kernel's graphics drivers", NULL
	},
	[DRM_CANNOT_OPEN] = {
		"%s cannot be opened: %s", NULL
	},
	[DRM_FOR_GROUP] = {
		"no permission for %s: add yourself to its group with 'sudo "
		"usermod -aG %s $USER', then log in again",
		"sudo usermod -aG %s $USER\n"
	},
	[DRM_FOR_ROOT] = {
		"only root may open %s: use sudo, or install udev's usual "
		"rules, which give it to the group render", NULL
	},
	[DRM_NO_V3D] = {
		"this board's GPU is not a VideoCore IV: Raspberry Pi 1, 2, 3 "
		"and Zero have one", NULL
	},
};
/* clang-format on */

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
