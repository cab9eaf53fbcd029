/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/obstacle.h"

#include <stdio.h>
#include <string.h>

#include "qpu/abi/soc.h"

enum ending { ENDS_AT_ONCE, ENDS_WITH_LOGIN, ENDS_WITH_REBOOT };

/* A user who joins a group has to log in again for it to count. */
#define JOIN "sudo usermod -aG video $USER\n"

/*
 * In a remedy the first %s is the finding's detail, the second one what more it
 * has; in commands it is the latter where there is one.  A step without a
 * sentence is told by its remedy.  The udev rule is that of
 * src/packaging/90-vcio.rules.
 */
/* clang-format off */
static const struct row {
	const char *remedy;
	const char *sentence, *commands; /* of the step */
	enum ending ending;
	bool last;	  /* what else is in the way cannot be seen */
	bool opens_nodes; /* the same remedy opens the other nodes */
} rows[] = {
	[NO_PI] = {
		.remedy =
		"this is not a Raspberry Pi%s",
		.last = true
	},
	[OTHER_GPU] = {
		.remedy =
		"%s has another GPU: Raspberry Pi 1, 2, 3 and Zero have the "
		"QPUs of a VideoCore IV",
		.last = true
	},
	[OTHER_KERNEL] = {
		.remedy =
		"the device tree of this kernel always gives the GPU to the "
		"kernel's driver vc4: boot a kernel of Raspberry Pi OS "
		"without dtoverlay=vc4-kms-v3d",
		.last = true
	},
	[KMS] = {
		.remedy =
		"the kernel's driver vc4 owns the GPU: comment out "
		"dtoverlay=vc4-kms-v3d in %s and reboot (there will be no "
		"desktop)",
		.sentence =
		"take the GPU from the kernel's driver vc4 with a # before "
		"dtoverlay=vc4-kms-v3d in %s (there will be no desktop)",
		.commands = "sudo sed -i 's/^dtoverlay=vc4-kms-v3d/#&/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[FKMS] = {
		.remedy =
		"the kernel's driver vc4 owns the GPU: comment out "
		"dtoverlay=vc4-fkms-v3d in %s and reboot (there will be no "
		"desktop)",
		.sentence =
		"take the GPU from the kernel's driver vc4 with a # before "
		"dtoverlay=vc4-fkms-v3d in %s (there will be no desktop)",
		.commands = "sudo sed -i 's/^dtoverlay=vc4-fkms-v3d/#&/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[NO_MAILBOX] = {
		.remedy =
		"there is no /dev/vcio: boot a kernel of Raspberry Pi OS "
		"(CONFIG_BCM_VCIO) with its device tree (node "
		"soc/firmware/vcio)",
		.last = true
	},
	[VCIO_FOR_GROUP] = {
		.remedy =
		"no permission for /%s: add yourself to its group with 'sudo "
		"usermod -aG video $USER', then log in again",
		.sentence = "join the group that may open /%s",
		.commands = JOIN,
		.ending = ENDS_WITH_LOGIN,
		.opens_nodes = true
	},
	[VCIO_FOR_ROOT] = {
		.remedy =
		"only root may open /%s: use sudo, or what "
		"--list-devices=details tells you to do",
		.sentence =
		"use sudo, or give /%s, which only root may open, to the group "
		"video, and join that group",
		.commands =
		"echo 'KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", "
		"MODE=\"0660\"' | sudo tee /etc/udev/rules.d/90-vcio.rules\n"
		"sudo udevadm control --reload\n"
		"sudo udevadm trigger\n"
		JOIN,
		.ending = ENDS_WITH_LOGIN,
		.opens_nodes = true
	},
	[LITTLE_MEMORY] = {
		.remedy =
		"the firmware for gpu_mem=16 has no QPUs: put gpu_mem=64 into "
		"%s and reboot",
		.sentence =
		"give the GPU more memory: the firmware for gpu_mem=16 has no "
		"QPUs, so put gpu_mem=64 into %s",
		.commands =
		"sudo sed -i 's/^\\(gpu_mem[_0-9]*\\)=.*/\\1=64/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[NO_ANSWER] = {
		.remedy =
		"the firmware does not answer through /dev/vcio: %s"
	},
	[MODULE_FORBIDDEN] = {
		.remedy =
		"no memory can be shared with the QPUs: the module of "
		"/dev/vcsm-cma is on the blacklist in /etc/modprobe.d/%s; "
		"remove that line, then 'sudo modprobe vc-sm-cma'",
		.sentence =
		"allow the module of /dev/vcsm-cma, which is on the blacklist "
		"in /etc/modprobe.d/%s",
		.commands =
		"sudo sed -i '/^[[:blank:]]*blacklist[[:blank:]]*"
		"vc[_-]sm[_-]cma/d' /etc/modprobe.d/%s\n"
		"sudo modprobe vc-sm-cma\n"
	},
	[NO_MODULE] = {
		.remedy =
		"no memory can be shared with the QPUs: there is no "
		"/dev/vcsm-cma ('sudo modprobe vc-sm-cma')",
		.sentence = "load the module of /dev/vcsm-cma",
		.commands = "sudo modprobe vc-sm-cma\n"
	},
	[NO_NODE] = {
		.remedy =
		"the kernel's driver vc4 does not have the GPU: put "
		"dtoverlay=vc4-kms-v3d into " PI_CONFIG " and reboot"
	},
	[NO_NODE_OF_VC4] = {
		.remedy =
		"the device tree gives the GPU to the kernel's driver vc4, "
		"which has made no node in /dev/dri: 'sudo modprobe vc4' loads "
		"it, and 'sudo dmesg | grep vc4' says why it failed"
	},
	[DRM_NO_DEVICE] = {
		.remedy =
		"%s is no device of the kernel's graphics drivers"
	},
	[DRM_CANNOT_OPEN] = {
		.remedy = "%s cannot be opened: %s"
	},
	[DRM_FOR_GROUP] = {
		.remedy =
		"no permission for %s: add yourself to its group with 'sudo "
		"adduser $USER %s', then log in again",
		.commands = "sudo adduser $USER %s\n"
	},
	[DRM_FOR_ROOT] = {
		.remedy =
		"only root may open %s: use sudo, or install udev's usual "
		"rules, which give it to the group render"
	},
	[DRM_NO_V3D] = {
		.remedy =
		"this board's GPU is not a VideoCore IV: Raspberry Pi 1, 2, 3 "
		"and Zero have one"
	},
	[DRM_NO_BRANCHES] = {
		.remedy =
		"the driver vc4 of this kernel does not take programs with "
		"branches: Linux 4.9 or later does"
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
obstacle_is_last(enum obstacle obstacle)
{
	return rows[obstacle].last;
}

bool
obstacle_opens_nodes(enum obstacle obstacle)
{
	return rows[obstacle].opens_nodes;
}

static void
fill(struct step *step, const struct finding *finding)
{
	const struct row *row = &rows[finding->obstacle];

	*step = (struct step){ .commands = "" };
	diag_set(&step->text, row->sentence ? row->sentence : row->remedy,
		 finding->detail, finding->more);
	if (row->commands)
		snprintf(step->commands, sizeof(step->commands), row->commands,
			 finding->more[0] ? finding->more : finding->detail);
}

/* The last step says what makes all of them count. */
static void
end(struct step *step, enum ending ending)
{
	static const char *const words[] = { "", "; then log in again",
					     "; then reboot" };
	const struct diag text = step->text;
	const size_t len = strlen(step->commands);

	diag_set(&step->text, "%s%s", text.text, words[ending]);
	if (ending == ENDS_WITH_REBOOT)
		snprintf(step->commands + len, sizeof(step->commands) - len,
			 "sudo reboot\n");
}

unsigned
obstacle_steps(const struct finding findings[], unsigned n,
	       struct step steps[MOST_FINDINGS])
{
	enum ending last = ENDS_AT_ONCE;
	unsigned filled = 0;

	for (unsigned edits = 2; edits-- > 0;)
		for (unsigned i = 0; i < n; i++) {
			const enum ending ending =
				rows[findings[i].obstacle].ending;

			if ((ending == ENDS_WITH_REBOOT) != edits)
				continue;
			fill(&steps[filled++], &findings[i]);
			if (ending > last)
				last = ending;
		}
	if (filled > 0)
		end(&steps[filled - 1], last);
	return filled;
}
