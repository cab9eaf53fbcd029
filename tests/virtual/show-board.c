/* SPDX-License-Identifier: MIT */
/*
 * show-board: prints what qpuemu has made of its options, a line each, and
 * which nodes there are.  Run under qpuemu.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qpu/virtual/board/profile.h"
#include "qpu/virtual/board/shared.h"

static void
show(const char *name, uint64_t value)
{
	printf("%s %" PRIu64 "\n", name, value);
}

static void
show_file(const char *name, const char *path)
{
	printf("%s %s\n", name, *path ? path : "-");
}

static void
show_device(const struct emulated_options *device)
{
	show("qpus", device->qpus);
	show("memory", device->mem_mib);
	show("timed", device->timed);
	show("check", device->check);
	show("seed", device->seed);
	show("fault", device->fault.kind);
	show("fault-at", device->fault.at);
}

static void
show_options(const struct board_options *options)
{
	printf("board %s\n", profile_rows[options->profile].name);
	printf("system %s\n", system_rows[options->system].name);
	show("refuse-enable", options->refuse_enable);
	show("late-launch", options->late_launch);
	show("v3d-clock", options->v3d_mhz);
	show("clock-state", options->clock);
	show("skip-tags", options->skips_tags);
	show("enable-answers", options->enable);
	show("dirty", options->dirt);
	show("heap-used", options->heap_used_mib);
	show("cma", options->cma_mib);
	show("cma-hole", options->cma_hole_mib);
	show("evictions", options->evictions);
	show("late-free", options->late_free);
	show("vcsm-delay", options->vcsm_delay_ms);
	show("delay", options->delay_ms);
	show("kms", options->kms);
	show("render-node", options->render);
	show("render-number", options->render_number);
	show("vc4-fault", options->vc4_faults.kind[0]);
	show("vc4-fault-at", options->vc4_faults.at[0]);
	show("user", options->user);
	show("modprobe", options->module);
	show("udev-rule", options->rule);
	show("kernel-timeout", options->kernel_ms);
	show("ignore", options->ignore);
	show("profile", options->costs);
	show("debug", options->debug);
	show("debug-launch", options->debug_launch);
	show_file("trace", options->trace);
	show_file("timeline", options->timeline);
	show_file("lines", options->lines);
	show_file("debug-script", options->debug_script);
}

int
main(void)
{
	static const char *const nodes[BOARD_NODES] = {
		[BOARD_VCIO] = "vcio", [BOARD_VCSM] = "vcsm-cma",
		[BOARD_MEM] = "mem",   [BOARD_GENCMD] = "gencmd",
		[BOARD_HEAP] = "heap", [BOARD_CLASSIC] = "vcsm",
		[BOARD_CARD] = "card", [BOARD_RENDER] = "render",
	};
	const char *dir = getenv(BOARD_VARIABLE);
	const struct board_shared *shared = dir ? board_shared_map(dir) : NULL;

	if (!shared)
		return 2;
	show_device(&shared->options.device);
	show_options(&shared->options);
	for (unsigned i = 0; i < BOARD_NODES; i++)
		show(nodes[i], shared->stand_ins[i].ino != 0);
	return 0;
}
