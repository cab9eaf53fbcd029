/* SPDX-License-Identifier: MIT */
/*
 * qpuemu: runs an unmodified program on a virtual Raspberry Pi, whose QPUs are
 * emulated.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/device/emulated_options.h"
#include "qpu/virtual/board/profile.h"
#include "qpu/virtual/board/shared.h"
#include "src/tools/qpuemu/board_directory.h"
#include "src/tools/qpuemu/board_files.h"
#include "src/tools/qpuemu/child.h"
#include "src/tools/qpuemu/leftovers.h"
#include "src/tools/qpuemu/observation.h"
#include "src/tools/qpuemu/program.h"

enum {
	/* As those of env and timeout. */
	STATUS_TROUBLE = 125,
	STATUS_FINDINGS = 1,
	MOST_MHZ = 2000,
	MOST_MIB = 1024,
	MOST_MS = 60000,
	MOST_KERNEL_MS = 3600000,
	USUAL_CMA_MIB = 64
};

enum {
	OPTION_BOARD = 0x100,
	OPTION_CHECK,
	OPTION_CLASSIC_VCSM,
	OPTION_CMA,
	OPTION_CMA_HOLE,
	OPTION_COUNTERS,
	OPTION_DELAY,
	OPTION_DIRTY,
	OPTION_ENABLE_ANSWERS,
	OPTION_FAULT,
	OPTION_FKMS,
	OPTION_HEAP_USED,
	OPTION_KERNEL_TIMEOUT,
	OPTION_KMS,
	OPTION_LEAKS,
	OPTION_MEMORY,
	OPTION_MODPROBE,
	OPTION_NO_MEM,
	OPTION_NO_VCIO,
	OPTION_NO_VCSM,
	OPTION_QPUS,
	OPTION_SEED,
	OPTION_SYSTEM,
	OPTION_TIMED,
	OPTION_UDEV_RULE,
	OPTION_USER,
	OPTION_V3D_CLOCK,
	OPTION_VCSM_DELAY
};

enum leaks { LEAKS_REPORT, LEAKS_ERROR, LEAKS_IGNORE };

struct request {
	struct board_options options;
	struct board_files_request files;
	enum leaks leaks;
	bool counters;
	char device[512]; /* as --device=emulator takes it */
	char **program;
};

const char *argp_program_version = "qpuemu (" PACKAGE ") " PACKAGE_VERSION;

static const struct argp_option option_rows[] = {
	{ "board", OPTION_BOARD, "NAME", 0,
	  "the board: pi1 (default), pi1b+, zero, zerow, pi2, pi2v1.2, pi3, "
	  "pi3b+, pi3a+, zero2, pi4, pi5, or pc",
	  0 },
	{ "check", OPTION_CHECK, NULL, 0,
	  "fill undefined state with noise, interleave the QPUs at random, "
	  "report hazards; exit with 1 if any are found",
	  0 },
	{ "classic-vcsm", OPTION_CLASSIC_VCSM, NULL, 0,
	  "there is /dev/vcsm, the module of older kernels", 0 },
	{ "cma", OPTION_CMA, "MIB", 0,
	  "memory of the kernel for /dev/vcsm-cma (default 64)", 0 },
	{ "cma-hole", OPTION_CMA_HOLE, "MIB", 0,
	  "its largest free piece (default: all of it)", 0 },
	{ "counters", OPTION_COUNTERS, NULL, 0,
	  "print the event counters at the end", 0 },
	{ "delay", OPTION_DELAY, "MS", 0,
	  "make each launch by mailbox take MS milliseconds longer", 0 },
	{ "dirty", OPTION_DIRTY, "HOW", 0,
	  "a program that was killed has left QPUs enabled, with semaphores "
	  "and reservations of QPUs and VPM: none (default), some, or all",
	  0 },
	{ "enable-answers", OPTION_ENABLE_ANSWERS, "WHICH", 0,
	  "which enables and disables answer 0: all (default) or ends, the "
	  "first and the last; or all, and a single disable is enough (single)",
	  0 },
	{ "fault", OPTION_FAULT, "KIND@N", 0,
	  "break the Nth launch (lane, stuck, refuse), or refuse all "
	  "allocations (alloc) or enables (enable) from the Nth on",
	  0 },
	{ "fkms", OPTION_FKMS, NULL, 0,
	  "the kernel's driver owns the V3D, by the overlay vc4-fkms-v3d", 0 },
	{ "heap-used", OPTION_HEAP_USED, "MIB", 0,
	  "GPU memory that is taken already (default 0)", 0 },
	{ "kernel-timeout", OPTION_KERNEL_TIMEOUT, "MS", 0,
	  "the kernel waits so long for the firmware (default: the system's)",
	  0 },
	{ "kms", OPTION_KMS, NULL, 0,
	  "the kernel's driver owns the V3D, by the overlay vc4-kms-v3d", 0 },
	{ "leaks", OPTION_LEAKS, "WHAT", 0,
	  "GPU memory and QPUs that are left behind: report (default), error "
	  "(exit with 1), or ignore",
	  0 },
	{ "memory", OPTION_MEMORY, "MIB", 0, "GPU memory (default 64)", 0 },
	{ "modprobe", OPTION_MODPROBE, NULL, 0,
	  "the module of /dev/vcsm-cma is loaded, whatever the system says",
	  0 },
	{ "no-mem", OPTION_NO_MEM, NULL, 0, "there is no /dev/mem", 0 },
	{ "no-vcio", OPTION_NO_VCIO, NULL, 0, "there is no /dev/vcio", 0 },
	{ "no-vcsm", OPTION_NO_VCSM, NULL, 0, "there is no /dev/vcsm-cma", 0 },
	{ "qpus", OPTION_QPUS, "N", 0, "number of QPUs, 1 to 12", 0 },
	{ "seed", OPTION_SEED, "N", 0,
	  "seed of noise, interleaving and the wrong lane", 0 },
	{ "system", OPTION_SYSTEM, "NAME", 0,
	  "operating system: plain (default), buster, bullseye, bookworm32, "
	  "bookworm64, trixie, dietpi, or mainline",
	  0 },
	{ "timed", OPTION_TIMED, NULL, 0, "use the cycle model", 0 },
	{ "udev-rule", OPTION_UDEV_RULE, NULL, 0,
	  "a rule gives /dev/vcio and /dev/vcsm-cma to the group video", 0 },
	{ "user", OPTION_USER, "WHO", 0,
	  "the user: root (default), video (a member of that group), or nobody",
	  0 },
	{ "v3d-clock", OPTION_V3D_CLOCK, "MHZ", 0,
	  "clock of the QPUs (default: the board's)", 0 },
	{ "vcsm-delay", OPTION_VCSM_DELAY, "MS", 0,
	  "make each allocation of /dev/vcsm-cma take MS milliseconds longer",
	  0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static unsigned
parse_number(struct argp_state *state, const char *text, unsigned most)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number > most)
		argp_error(state, "'%s' is not a number between 0 and %u", text,
			   most);
	return (unsigned)number;
}

/* Collect options of the emulated device, for its parser. */
static void
add_device_option(struct argp_state *state, const char *name, const char *value)
{
	struct request *request = state->input;
	const size_t len = strlen(request->device);
	const size_t room = sizeof(request->device) - len;

	if ((size_t)snprintf(request->device + len, room, "%s%s%s%s",
			     len ? "," : "", name, value ? "=" : "",
			     value ? value : "") >= room ||
	    (value && strchr(value, ',')))
		argp_error(state, "'%s' is not a value of --%s",
			   value ? value : "", name);
}

static void
parse_board(struct argp_state *state, const char *name)
{
	struct request *request = state->input;
	const struct profile *profile = profile_of_name(name);

	if (!profile)
		argp_error(state, "'%s' is not a board; --help lists them",
			   name);
	request->options.profile = (unsigned)(profile - profile_rows);
}

/* The emulated device has all faults but "enable". */
static void
parse_fault(struct argp_state *state, const char *text)
{
	struct request *request = state->input;

	if (strncmp(text, "enable@", 7) != 0) {
		add_device_option(state, "fault", text);
		return;
	}
	request->options.refuse_enable =
		parse_number(state, text + 7, UINT_MAX);
	if (request->options.refuse_enable == 0)
		argp_error(state, "--fault: enables are counted from 1");
}

/* Number of a word, of three. */
static unsigned
parse_word(struct argp_state *state, const char *option,
	   const char *const words[3], const char *text)
{
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	argp_error(state, "--%s is %s, %s or %s, not '%s'", option, words[0],
		   words[1], words[2], text);
	return 0;
}

static void
parse_leaks(struct argp_state *state, const char *text)
{
	static const char *const words[3] = { [LEAKS_REPORT] = "report",
					      [LEAKS_ERROR] = "error",
					      [LEAKS_IGNORE] = "ignore" };
	struct request *request = state->input;

	request->leaks = (enum leaks)parse_word(state, "leaks", words, text);
}

static void
parse_enable(struct argp_state *state, const char *text)
{
	static const char *const words[3] = { [BOARD_ENABLE_ALL] = "all",
					      [BOARD_ENABLE_ENDS] = "ends",
					      [BOARD_ENABLE_SINGLE] =
						      "single" };
	struct request *request = state->input;

	request->options.enable = (enum board_enable)parse_word(
		state, "enable-answers", words, text);
}

static void
parse_dirty(struct argp_state *state, const char *text)
{
	static const char *const words[3] = {
		[DIRT_NONE] = "none", [DIRT_SOME] = "some", [DIRT_ALL] = "all"
	};
	struct request *request = state->input;

	request->options.dirt =
		(enum dirt)parse_word(state, "dirty", words, text);
}

static void
parse_user(struct argp_state *state, const char *text)
{
	static const char *const words[3] = { [SYSTEM_ROOT] = "root",
					      [SYSTEM_VIDEO] = "video",
					      [SYSTEM_NOBODY] = "nobody" };
	struct request *request = state->input;

	request->options.user =
		(enum system_user)parse_word(state, "user", words, text);
}

static void
parse_system(struct argp_state *state, const char *name)
{
	struct request *request = state->input;
	const struct system *system = system_of_name(name);

	if (!system)
		argp_error(state, "'%s' is not a system; --help lists them",
			   name);
	request->options.system = (unsigned)(system - system_rows);
}

static error_t
parse_board_option(int key, char *text, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case OPTION_BOARD: parse_board(state, text); return 0;
	case OPTION_KMS:
	case OPTION_FKMS:
		request->files.driver = key == OPTION_KMS ? BOARD_FILES_KMS :
							    BOARD_FILES_FKMS;
		request->options.kms = true;
		return 0;
	case OPTION_CMA:
		request->options.cma_mib = parse_number(state, text, MOST_MIB);
		return 0;
	case OPTION_KERNEL_TIMEOUT:
		request->options.kernel_ms =
			parse_number(state, text, MOST_KERNEL_MS);
		return 0;
	case OPTION_DIRTY: parse_dirty(state, text); return 0;
	case OPTION_ENABLE_ANSWERS: parse_enable(state, text); return 0;
	case OPTION_HEAP_USED:
		request->options.heap_used_mib =
			parse_number(state, text, MOST_MIB);
		return 0;
	case OPTION_CMA_HOLE:
		request->options.cma_hole_mib =
			parse_number(state, text, MOST_MIB);
		return 0;
	case OPTION_CLASSIC_VCSM: request->files.classic = true; return 0;
	case OPTION_MODPROBE: request->options.module = true; return 0;
	case OPTION_NO_MEM: request->files.mem = false; return 0;
	case OPTION_NO_VCIO: request->files.vcio = false; return 0;
	case OPTION_NO_VCSM: request->files.vcsm = false; return 0;
	case OPTION_SYSTEM: parse_system(state, text); return 0;
	case OPTION_UDEV_RULE: request->options.rule = true; return 0;
	case OPTION_USER: parse_user(state, text); return 0;
	case OPTION_V3D_CLOCK:
		request->options.v3d_mhz = parse_number(state, text, MOST_MHZ);
		return 0;
	case OPTION_VCSM_DELAY:
		request->options.vcsm_delay_ms =
			parse_number(state, text, MOST_MS);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &request->options;
		return 0;
	case OPTION_CHECK: add_device_option(state, "check", NULL); return 0;
	case OPTION_COUNTERS: request->counters = true; return 0;
	case OPTION_DELAY:
		request->options.delay_ms = parse_number(state, text, MOST_MS);
		return 0;
	case OPTION_FAULT: parse_fault(state, text); return 0;
	case OPTION_LEAKS: parse_leaks(state, text); return 0;
	case OPTION_MEMORY: add_device_option(state, "mem", text); return 0;
	case OPTION_QPUS: add_device_option(state, "qpus", text); return 0;
	case OPTION_SEED: add_device_option(state, "seed", text); return 0;
	case OPTION_TIMED: add_device_option(state, "timed", NULL); return 0;
	case ARGP_KEY_ARG:
		/* Everything that follows belongs to the program. */
		request->program = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a program is needed");
		return 0;
	default: return parse_board_option(key, text, state);
	}
}

static int
complain(const char *about, const struct diag *why, int status)
{
	fprintf(stderr, "qpuemu: %s%s%s\n", about, *about ? ": " : "",
		why->text);
	return status;
}

/* The emulated device has more kinds of faults than a board. */
static bool
board_has_fault(const struct emulated_options *device)
{
	switch (device->fault) {
	case DEVICE_NO_FAULT:
	case DEVICE_WRONG_LANE:
	case DEVICE_STUCK_QPU:
	case DEVICE_REFUSES:
	case DEVICE_NO_MEMORY: return !device->fault_names_lane;
	default: return false;
	}
}

/* Check the options together, and fill in defaults. */
static bool
settle(struct request *request, struct diag *why)
{
	struct board_options *options = &request->options;
	const struct profile *profile = &profile_rows[options->profile];
	const unsigned most = profile_most_mib(profile);

	if (!emulated_options_parse(&options->device, request->device, why))
		return false;
	if (*options->timeline)
		options->device.timed = true;
	if (!board_has_fault(&options->device)) {
		diag_set(why, "--fault is lane, stuck, refuse, alloc or "
			      "enable, with @N");
		return false;
	}
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
	if (system_rows[options->system].mainline) {
		options->kms = true;
		request->files.driver = BOARD_FILES_KMS;
	}
	if (options->v3d_mhz == 0)
		options->v3d_mhz = profile->v3d_mhz;
	return true;
}

/* Beside this program in a build, else in the library directory next to it. */
static bool
find_beside(char path[PATH_MAX])
{
	static const char *const places[] = { "qpuemu.so",
					      "../lib/" PACKAGE "/qpuemu.so" };
	char self[PATH_MAX] = "", *name;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 64);

	if (len < 0)
		return false;
	name = strrchr(self, '/') + 1;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		strcpy(name, places[i]);
		if (realpath(self, path))
			return true;
	}
	return false;
}

static bool
find_library(char path[PATH_MAX], struct diag *why)
{
	const char *named = getenv("QPUEMU_LIBRARY");

	if (named && *named ?
		    realpath(named, path) != NULL :
		    find_beside(path) || realpath(PKGLIBDIR "/qpuemu.so", path))
		return true;
	diag_set(why, "%s: %s",
		 named && *named ? named : PKGLIBDIR "/qpuemu.so",
		 strerror(errno));
	return false;
}

/* The program's status, or a failure if something was left behind or found. */
static int
finish(const struct request *request, const struct board_shared *shared,
       const char *dir, int status)
{
	bool good = true;

	if (request->counters)
		leftovers_print_counters(shared);
	if (request->leaks != LEAKS_IGNORE)
		good = leftovers_report(shared) ||
		       request->leaks == LEAKS_REPORT;
	good = observation_end(dir, &request->options) && good;
	good = good && shared->totals.findings == 0;
	leftovers_remove_links(shared, dir);
	return status == 0 && !good ? STATUS_FINDINGS : status;
}

/* A limit of file sizes is an error here, and what it was for the program. */
static struct board_shared *
make_board(const char *dir, struct request *request, struct diag *why)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct board_shared *shared;
	struct sigaction before;

	sigaction(SIGXFSZ, &ignore, &before);
	shared = board_shared_create(dir, &request->options, why);
	if (shared && (!board_files_fill(dir, &request->files, shared, why) ||
		       !observation_begin(dir, &request->options, why))) {
		board_shared_unmap(shared);
		shared = NULL;
	}
	sigaction(SIGXFSZ, &before, NULL);
	return shared;
}

static int
run_in(const char *dir, struct request *request, const char *path)
{
	struct diag why;
	struct board_shared *shared = make_board(dir, request, &why);
	int status;

	if (!shared)
		return complain("", &why, STATUS_TROUBLE);
	status = child_run(path, request->program, dir, &why);
	if (status < 0)
		complain(request->program[0], &why, STATUS_TROUBLE);
	else
		status = finish(request, shared, dir, status);
	board_shared_unmap(shared);
	return status < 0 ? STATUS_TROUBLE : status;
}

static int
run(struct request *request)
{
	char library[PATH_MAX], path[BOARD_PATH], dir[BOARD_PATH];
	enum program_verdict verdict;
	struct diag why;
	int status;

	if (!settle(request, &why) || !find_library(library, &why))
		return complain("", &why, STATUS_TROUBLE);
	verdict = program_find(request->program[0], path, &why);
	if (verdict == PROGRAM_GOOD && !getenv("QPUEMU_ANY_PROGRAM"))
		verdict = program_check(path, &why);
	if (verdict != PROGRAM_GOOD)
		return complain(request->program[0], &why, (int)verdict);
	if (!board_directory_make(dir, &why))
		return complain("", &why, STATUS_TROUBLE);
	request->files.library = library;
	status = run_in(dir, request, path);
	board_directory_remove(dir);
	return status;
}

int
main(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &observation_argp, 0, NULL, 0 }, { NULL, 0, NULL, 0 }
	};
	static const struct argp argp = {
		.children = children,
		.options = option_rows,
		.parser = parse_option,
		.args_doc = "PROGRAM [ARGUMENT...]",
		.doc = "Run a program on a virtual Raspberry Pi with emulated "
		       "QPUs.",
	};
	static struct request request = {
		.options = { .cma_mib = USUAL_CMA_MIB, .debug_launch = 1 },
		.files = { .vcio = true, .vcsm = true, .mem = true }
	};

	argp_err_exit_status = STATUS_TROUBLE;
	/* Wrong usage ends the program there; this is want of memory. */
	errno = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);
	if (errno) {
		fprintf(stderr, "qpuemu: %m\n");
		return STATUS_TROUBLE;
	}
	return run(&request);
}
