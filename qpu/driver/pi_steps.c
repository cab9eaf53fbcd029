/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/pi_steps.h"

#include <stdio.h>
#include <string.h>

enum ending { ENDS_AT_ONCE, ENDS_WITH_LOGIN, ENDS_WITH_REBOOT };

/* A user who joins a group has to log in again for it to count. */
#define JOIN "sudo usermod -aG video $USER\n"

/*
 * %s is the finding's detail; an obstacle without a sentence is told by its
 * remedy alone.  The udev rule is that of src/packaging/90-vcio.rules.
 */
/* clang-format off */
static const struct {
	const char *sentence, *commands;
	enum ending ending;
} rows[] = {
	[PI_KMS] = {
		.sentence =
		"take the GPU from the kernel's driver vc4 with a # before "
		"dtoverlay=vc4-kms-v3d in %s (there will be no desktop)",
		.commands = "sudo sed -i 's/^dtoverlay=vc4-kms-v3d/#&/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[PI_FKMS] = {
		.sentence =
		"take the GPU from the kernel's driver vc4 with a # before "
		"dtoverlay=vc4-fkms-v3d in %s (there will be no desktop)",
		.commands = "sudo sed -i 's/^dtoverlay=vc4-fkms-v3d/#&/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[PI_LITTLE_MEMORY] = {
		.sentence =
		"give the GPU more memory: the firmware for gpu_mem=16 has no "
		"QPUs, so put gpu_mem=64 into %s",
		.commands =
		"sudo sed -i 's/^\\(gpu_mem[_0-9]*\\)=.*/\\1=64/' %s\n",
		.ending = ENDS_WITH_REBOOT
	},
	[PI_FOR_GROUP] = {
		.sentence = "join the group that may open /%s",
		.commands = JOIN,
		.ending = ENDS_WITH_LOGIN
	},
	[PI_FOR_ROOT] = {
		.sentence =
		"use sudo, or give /%s, which only root may open, to the group "
		"video, and join that group",
		.commands =
		"echo 'KERNEL==\"vcio|vcsm-cma\", GROUP=\"video\", "
		"MODE=\"0660\"' | sudo tee /etc/udev/rules.d/90-vcio.rules\n"
		"sudo udevadm control --reload\n"
		"sudo udevadm trigger\n"
		JOIN,
		.ending = ENDS_WITH_LOGIN
	},
	[PI_MODULE_FORBIDDEN] = {
		.sentence =
		"allow the module of /dev/vcsm-cma, which is on the blacklist "
		"in /etc/modprobe.d/%s",
		.commands =
		"sudo sed -i '/^[[:blank:]]*blacklist[[:blank:]]*"
		"vc[_-]sm[_-]cma/d' /etc/modprobe.d/%s\n"
		"sudo modprobe vc-sm-cma\n"
	},
	[PI_NO_MODULE] = {
		.sentence = "load the module of /dev/vcsm-cma",
		.commands = "sudo modprobe vc-sm-cma\n"
	},
	[PI_NO_MODULE_64] = {
		.sentence = "load the module of /dev/vcsm-cma",
		.commands = "sudo modprobe vc-sm-cma\n"
	},
};
/* clang-format on */

static const size_t nrows = sizeof(rows) / sizeof(*rows);

static enum ending
ending_of(const struct pi_finding *finding)
{
	return finding->obstacle < nrows ? rows[finding->obstacle].ending :
					   ENDS_AT_ONCE;
}

static void
fill(struct pi_step *step, const struct pi_finding *finding)
{
	*step = (struct pi_step){ .commands = "" };
	if (finding->obstacle >= nrows || !rows[finding->obstacle].sentence) {
		pi_board_explain(finding, &step->text);
		return;
	}
	diag_set(&step->text, rows[finding->obstacle].sentence,
		 finding->detail);
	snprintf(step->commands, sizeof(step->commands),
		 rows[finding->obstacle].commands, finding->detail);
}

static void
end(struct pi_step *step, enum ending ending)
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
pi_steps(const struct pi_finding findings[], unsigned n,
	 struct pi_step steps[PI_FINDINGS])
{
	enum ending last = ENDS_AT_ONCE;
	unsigned filled = 0;

	for (unsigned edits = 2; edits-- > 0;)
		for (unsigned i = 0; i < n; i++) {
			const enum ending ending = ending_of(&findings[i]);

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
