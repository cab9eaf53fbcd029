/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qpu/virtual/board/profile.h"
#include "qpu/ways/way.h"
#include "src/tools/arguments.h"

enum {
	MOST_MHZ = 2000,
	MOST_MIB = 1024,
	MOST_GPU_MIB = 1008,
	MOST_MS = 60000,
	MOST_KERNEL_MS = 3600000,
	USUAL_CMA_MIB = 64,
	MOST_LATE = 1000,
	NO_CMA_SAID = MOST_MIB + 1,
	RENDER_FIRST = 128,
	RENDER_LAST = 191
};

/* Neither --kms nor --fkms nor --no-kms. */
#define NO_DRIVER_SAID ((enum board_files_driver)(BOARD_FILES_FKMS + 1))

const char *argp_program_version = "qpuemu (" PACKAGE ") " PACKAGE_VERSION;

static const char *const dirt_words[] = { [DIRT_NONE] = "none",
					  [DIRT_SOME] = "some",
					  [DIRT_ALL] = "all",
					  [DIRT_RUNS] = "runs",
					  NULL };
static const char *const enable_words[] = {
	[BOARD_ENABLE_ALL] = "all",	    [BOARD_ENABLE_ENDS] = "ends",
	[BOARD_ENABLE_SINGLE] = "single",   [BOARD_ENABLE_STAYS] = "stays",
	[BOARD_ENABLE_FOREVER] = "forever", NULL
};
static const char *const clock_words[] = { [BOARD_CLOCK_USUAL] = "usual",
					   [BOARD_CLOCK_FULL] = "full",
					   [BOARD_CLOCK_LOW] = "low",
					   [BOARD_CLOCK_OFF] = "off",
					   NULL };
/* Shells complete these beginnings; parse_fault knows which values are
 * valid. */
static const char *const fault_words[] = {
	"alloc@", "enable@",   "lane@",	  "late@", "refuse@",
	"stuck@", "caches@",   "slices@", "l2@",   "busy@",
	"clear@", "exchange@", "eintr@",  "hang@", "lost@",
	"reset@", "stale@",    "tile@",	  NULL
};
static const char *const render_words[] = {
	[BOARD_RENDER_USUAL] = "usual", [BOARD_RENDER_NONE] = "none",
	[BOARD_RENDER_FIFO] = "fifo",	[BOARD_RENDER_FILE] = "file",
	[BOARD_RENDER_ROOT] = "root",	NULL
};
static const char *const leaks_words[] = { [LEAKS_REPORT] = "report",
					   [LEAKS_ERROR] = "error",
					   [LEAKS_IGNORE] = "ignore",
					   NULL };
static const char *const user_words[] = { [SYSTEM_ROOT] = "root",
					  [SYSTEM_VIDEO] = "video",
					  [SYSTEM_NOBODY] = "nobody",
					  [SYSTEM_FIRST] = "first",
					  NULL };

/* The emulated device has more kinds of faults than a board. */
static bool
board_has_fault(const struct emulated_options *device)
{
	switch (device->fault.kind) {
	case DEVICE_WRONG_LANE:
	case DEVICE_CACHES_KEPT:
	case DEVICE_SLICES_KEPT:
	case DEVICE_L2_KEPT:
	case DEVICE_STUCK_QPU:
	case DEVICE_REFUSES:
	case DEVICE_NO_MEMORY: return !device->fault.names_lane;
	default: return false;
	}
}

static bool
parse_fault(void *field, const char *text, struct diag *why)
{
	static const struct option_row number = { .name = "fault",
						  .kind = OPTION_NUMBER,
						  .min = 1,
						  .max = UINT32_MAX };
	struct board_options *options = field;
	struct emulated_options parsed;
	char words[64];

	if (strncmp(text, "enable@", 7) == 0)
		return option_set(&number, &options->refuse_enable, text + 7,
				  why);
	if (strncmp(text, "late@", 5) == 0)
		return option_set(&number, &options->late_launch, text + 5,
				  why);
	if ((size_t)snprintf(words, sizeof(words), "fault=%s", text) <
		    sizeof(words) &&
	    !strchr(text, ',') && emulated_options_parse(&parsed, words, why) &&
	    board_has_fault(&parsed)) {
		options->device.fault = parsed.fault;
		return true;
	}
	if (strchr(text, '@') &&
	    vc4_faults_parse(&options->vc4_faults, text, NULL))
		return true;
	diag_set(why,
		 "--fault is lane, stuck, refuse, late, alloc, enable, "
		 "caches, slices or l2, with @N; for the kernel's driver busy, "
		 "clear, eintr, exchange, hang, lost, reset, stale or "
		 "tile, with @N");
	return false;
}

/* A path is made absolute, because the program may change its directory; "-" is
 * a standard stream. */
static bool
parse_path(void *field, const char *text, struct diag *why)
{
	char cwd[BOARD_PATH] = "";

	if (strcmp(text, "-") == 0) {
		strcpy(field, text);
		return true;
	}
	if (*text && (*text == '/' || getcwd(cwd, sizeof(cwd))) &&
	    (size_t)snprintf(field, BOARD_PATH, "%s%s%s", cwd, *cwd ? "/" : "",
			     text) < BOARD_PATH)
		return true;
	diag_set(why, "'%s' cannot be the name of a file", text);
	return false;
}

static bool
parse_rules(void *field, const char *text, struct diag *why)
{
	return machine_rules_parse(text, field, why);
}

#define BOARD_FIELD(member) OPTION_FIELD(struct request, options.member)
#define FILES_FIELD(member) OPTION_FIELD(struct request, files.member)

static const struct option_row option_rows[] = {
	{ .name = "board",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(profile),
	  .words = &profile_rows[0].name,
	  .stride = sizeof(*profile_rows),
	  .argument = "NAME",
	  .doc = "the board: pi1 (default), pi1b+, zero, zerow, pi2, pi2v1.2, "
		 "pi3, pi3b+, pi3a+, zero2, pi4, pi5, or pc" },
	{ .name = "check",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(device.check),
	  .doc = "fill undefined state with noise, interleave the QPUs at "
		 "random, report hazards; exit with 1 if any are found" },
	{ .name = "classic-vcsm",
	  .kind = OPTION_FLAG,
	  FILES_FIELD(classic),
	  .doc = "there is /dev/vcsm, the module of older kernels" },
	{ .name = "clock-state",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(clock),
	  .words = clock_words,
	  .argument = "STATE",
	  .doc = "how the kernel has left the clock of the QPUs: usual "
		 "(default; low with Linux 6.18 where its driver does not have "
		 "the V3D), full, low, or off" },
	{ .name = "cma",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(cma_mib),
	  .max = MOST_MIB,
	  .argument = "MIB",
	  .doc = "contiguous memory of the kernel for buffers (default: the "
		 "system's with the kernel's driver, else 64)" },
	{ .name = "cma-hole",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(cma_hole_mib),
	  .max = MOST_MIB,
	  .argument = "MIB",
	  .doc = "its largest free piece (default: all of it)" },
	{ .name = "counters",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct request, counters),
	  .doc = "print the event counters at the end" },
	{ .name = "debug",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(debug),
	  .doc = "stop before the first instruction of a launch and take "
		 "commands from the terminal" },
	{ .name = "debug-launch",
	  .kind = OPTION_NUMBER,
	  BOARD_FIELD(debug_launch),
	  .min = 1,
	  .max = UINT64_MAX,
	  .argument = "N",
	  .doc = "start the debugger at the Nth launch (default 1)" },
	{ .name = "debug-script",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(debug_script),
	  .parse = parse_path,
	  .argument = "FILE",
	  .doc = "take the commands of --debug from FILE" },
	{ .name = "delay",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(delay_ms),
	  .max = MOST_MS,
	  .argument = "MS",
	  .doc = "make each launch by mailbox take MS milliseconds longer" },
	{ .name = "dirty",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(dirt),
	  .words = dirt_words,
	  .argument = "HOW",
	  .doc = "a program that was killed has left QPUs enabled, with "
		 "semaphores and reservations of QPUs and VPM: none (default), "
		 "some, or all; or with a program that does not end (runs)" },
	{ .name = "enable-answers",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(enable),
	  .words = enable_words,
	  .argument = "WHICH",
	  .doc = "what enables and disables of the QPUs do: all (default), "
		 "each answers 0; ends, only the first enable and the last "
		 "disable do; single, one disable switches the QPUs off; "
		 "stays or forever, none does, and QPUs that hang are reset by "
		 "their power domain (stays) or by nothing (forever)" },
	{ .name = "evictions",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(evictions),
	  .doc = "lines of cached memory that the CPU has written go to memory "
		 "by themselves, every second one, before each launch" },
	{ .name = "fault",
	  .kind = OPTION_PARSED,
	  OPTION_FIELD(struct request, options),
	  .parse = parse_fault,
	  .words = fault_words,
	  .argument = "KIND@N",
	  .doc = "break the Nth launch (lane, stuck, refuse, late), or refuse all "
		 "allocations (alloc) or enables (enable) from the Nth on; or "
		 "break the Nth job of the kernel's driver (lost, reset, "
		 "tile, clear, exchange, stale, eintr, busy, hang)" },
	{ .name = "fkms",
	  .kind = OPTION_CONSTANT,
	  FILES_FIELD(driver),
	  .constant = BOARD_FILES_FKMS,
	  .doc = "the kernel's driver owns the V3D, by the overlay "
		 "vc4-fkms-v3d" },
	{ .name = "heap-name",
	  .kind = OPTION_WORD,
	  FILES_FIELD(heap),
	  .words = board_files_heaps,
	  .argument = "NAME",
	  .doc = "name of the heap in /dev/dma_heap: linux,cma (default), "
		 "default_cma_region, or reserved" },
	{ .name = "heap-used",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(heap_used_mib),
	  .max = MOST_MIB,
	  .argument = "MIB",
	  .doc = "GPU memory that is taken already (default 0)" },
	{ .name = "ignore",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(ignore),
	  .parse = parse_rules,
	  .argument = "RULE,...",
	  .doc = "do not report these rules, such as R5 or C32" },
	{ .name = "kernel-timeout",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(kernel_ms),
	  .max = MOST_KERNEL_MS,
	  .argument = "MS",
	  .doc = "how long the kernel waits for the firmware (default: the "
		 "system's)" },
	{ .name = "kms",
	  .kind = OPTION_CONSTANT,
	  FILES_FIELD(driver),
	  .constant = BOARD_FILES_KMS,
	  .doc = "the kernel's driver owns the V3D, by the overlay "
		 "vc4-kms-v3d; the default where the system has it" },
	{ .name = "late-free",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(late_free),
	  .max = MOST_LATE,
	  .argument = "N",
	  .doc = "memory of the kernel that is given back is free after N "
		 "more requests for memory (default 0)" },
	{ .name = "leaks",
	  .kind = OPTION_WORD,
	  OPTION_FIELD(struct request, leaks),
	  .words = leaks_words,
	  .argument = "WHAT",
	  .doc = "GPU memory and QPUs that are left behind: report (default), "
		 "error (exit with 1), or ignore" },
	{ .name = "lines",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(lines),
	  .parse = parse_path,
	  .argument = "FILE",
	  .doc = "the line map of what is launched, as qpuasm --lines writes "
		 "it" },
	{ .name = "memory",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(device.mem_mib),
	  .min = 1,
	  .max = MOST_GPU_MIB,
	  .argument = "MIB",
	  .doc = "GPU memory (default 64)" },
	{ .name = "modprobe",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(module),
	  .doc = "the module of /dev/vcsm-cma is loaded, whatever the system "
		 "says" },
	{ .name = "no-kms",
	  .kind = OPTION_CONSTANT,
	  FILES_FIELD(driver),
	  .constant = BOARD_FILES_NO_DRIVER,
	  .doc = "the kernel's driver does not have the V3D, as with its "
		 "overlay commented out" },
	{ .name = "no-mem",
	  .kind = OPTION_CLEAR,
	  FILES_FIELD(mem),
	  .doc = "there is no /dev/mem" },
	{ .name = "no-vcio",
	  .kind = OPTION_CLEAR,
	  FILES_FIELD(vcio),
	  .doc = "there is no /dev/vcio" },
	{ .name = "no-vcsm",
	  .kind = OPTION_CLEAR,
	  FILES_FIELD(vcsm),
	  .doc = "there is no /dev/vcsm-cma" },
	{ .name = "profile",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(costs),
	  .doc = "print the cost of each instruction at the end" },
	{ .name = "qpus",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(device.qpus),
	  .min = 1,
	  .max = DEVICE_QPUS,
	  .argument = "N",
	  .doc = "number of QPUs, 1 to 12" },
	{ .name = "render-node",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(render),
	  .words = render_words,
	  .argument = "WHAT",
	  .doc = "what is at /dev/dri/renderD128: usual (default), none, fifo, "
		 "file, or root, a node for root alone" },
	{ .name = "render-number",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(render_number),
	  .min = RENDER_FIRST,
	  .max = RENDER_LAST,
	  .argument = "N",
	  .doc = "its number (default 128)" },
	{ .name = "seed",
	  .kind = OPTION_NUMBER,
	  BOARD_FIELD(device.seed),
	  .argument = "N",
	  .doc = "seed of noise, interleaving and the wrong lane" },
	{ .name = "skip-tags",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(skips_tags),
	  .doc = "the firmware skips tags that it does not know, instead of "
		 "failing the message" },
	{ .name = "system",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(system),
	  .words = &system_rows[0].name,
	  .stride = sizeof(*system_rows),
	  .argument = "NAME",
	  .doc = "operating system: plain (default), buster, bullseye, "
		 "bookworm32, bookworm64, trixie, dietpi, mainline, debian, "
		 "fedora, or ubuntu" },
	{ .name = "timed",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(device.timed),
	  .doc = "use the cycle model" },
	{ .name = "timeline",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(timeline),
	  .parse = parse_path,
	  .argument = "FILE",
	  .doc = "write what each QPU did when, as trace events in JSON that "
		 "browsers show; implies --timed" },
	{ .name = "trace",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(trace),
	  .parse = parse_path,
	  .argument = "FILE",
	  .doc = "append each executed instruction and its results to FILE" },
	{ .name = "udev-rule",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(rule),
	  .doc = "a rule gives /dev/vcio and /dev/vcsm-cma to the group "
		 "video" },
	{ .name = "user",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(user),
	  .words = user_words,
	  .argument = "WHO",
	  .doc = "the user: root (default), first (of the system's "
		 "installation), video (a member of that group), or nobody" },
	{ .name = "v3d-clock",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(v3d_mhz),
	  .max = MOST_MHZ,
	  .argument = "MHZ",
	  .doc = "clock of the QPUs (default: the board's)" },
	{ .name = "vcsm-delay",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(vcsm_delay_ms),
	  .max = MOST_MS,
	  .argument = "MS",
	  .doc = "make each allocation of /dev/vcsm-cma take MS milliseconds "
		 "longer" },
	{ .name = NULL }
};

/* Options that say something for another one, and defaults that depend on
 * others. */
static void
complete(struct request *request)
{
	struct board_options *options = &request->options;
	const struct system *system = &system_rows[options->system];

	if (*options->timeline)
		options->device.timed = true;
	if (options->debug_launch > 0 || *options->debug_script)
		options->debug = true;
	if (options->debug_launch == 0)
		options->debug_launch = 1;
	if (system->mainline ||
	    (request->files.driver == NO_DRIVER_SAID && system->kms))
		request->files.driver = BOARD_FILES_KMS;
	if (request->files.driver == NO_DRIVER_SAID)
		request->files.driver = BOARD_FILES_NO_DRIVER;
	options->kms = request->files.driver != BOARD_FILES_NO_DRIVER;
	if (options->cma_mib == NO_CMA_SAID)
		options->cma_mib = options->kms ? system->cma_mib :
						  USUAL_CMA_MIB;
	if (options->v3d_mhz == 0)
		options->v3d_mhz = profile_rows[options->profile].v3d_mhz;
}

/* Is there such a board? */
static bool
check(const struct board_options *options, struct diag *why)
{
	const struct profile *profile = &profile_rows[options->profile];
	const unsigned most = profile_most_mib(profile);

	if (options->device.mem_mib + options->cma_mib > most) {
		diag_set(why,
			 "this board has at most %u MiB for GPU memory and "
			 "CMA together",
			 most);
		return false;
	}
	if (!system_runs_on(&system_rows[options->system],
			    profile_soc(profile))) {
		diag_set(why,
			 "%s needs a 64-bit CPU; that of this board "
			 "has 32 bits",
			 system_rows[options->system].name);
		return false;
	}
	return true;
}

bool
options_parse(struct request *request, int argc, char **argv, struct diag *why)
{
	static const struct arguments arguments = {
		.options = option_rows,
		.operands = "PROGRAM [ARGUMENT...]",
		.doc = "Run a program on a virtual Raspberry Pi with emulated "
		       "QPUs.",
		.in_order = true,
		.least = 1,
		.too_few = "no program given",
		.failure = STATUS_TROUBLE,
	};

	memset(request, 0, sizeof(*request));
	emulated_options_parse(&request->options.device, "", why);
	request->options.cma_mib = NO_CMA_SAID;
	request->options.render_number = RENDER_FIRST;
	request->files.driver = NO_DRIVER_SAID;
	request->files.vcio = request->files.vcsm = request->files.mem = true;
	request->program = arguments_parse(&arguments, argc, argv, request);
	complete(request);
	return check(&request->options, why);
}
