/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/qpuemu_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qpu/debugger/session.h"
#include "qpu/pi/profile.h"
#include "src/base/quote.h"
#include "src/tools/arguments.h"

enum {
	MOST_MIB = 1024,
	MOST_GPU_MIB = 1008,
	USUAL_CMA_MIB = 64,
	NO_CMA_SAID = MOST_MIB + 1
};

enum { KMS_NO, KMS_YES, KMS_NOT_SAID };

const char *argp_program_version = "qpuemu (" PACKAGE ") " PACKAGE_VERSION;

static const char *const kms_words[] = {
	[KMS_NO] = "no", [KMS_YES] = "yes", NULL
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

static bool
parse_fault(void *field, const char *text, struct diag *why)
{
	return pi_fault_parse(field, PI_BOARD, text, why);
}

static void
offer_faults(const struct completion *completion, size_t len)
{
	pi_fault_offer(PI_BOARD, completion, len);
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

static const struct option_row option_rows[] = {
	{ .name = "board",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(profile),
	  .words = &profile_rows[0].name,
	  .stride = sizeof(*profile_rows),
	  .argument = "NAME",
	  .doc = "the board: pi1 (default), pi1b+, pi1a, zero, zerow, pi2, pi2v1.2, "
		 "pi3, pi3b+, pi3a+, zero2, pi4, pi5, or pc" },
	{ .name = "check",
	  .kind = OPTION_FLAG,
	  BOARD_FIELD(device.check),
	  .doc = "fill undefined state with noise, interleave the QPUs at "
		 "random, report hazards; exit with 1 if any are found" },
	{ .name = "cma",
	  .kind = OPTION_UNSIGNED,
	  BOARD_FIELD(cma_mib),
	  .max = MOST_MIB,
	  .argument = "MIB",
	  .doc = "contiguous memory of the kernel for buffers (default: the "
		 "system's with the kernel's driver, else 64)" },
	{ .name = "counters",
	  .kind = OPTION_FLAG,
	  OPTION_FIELD(struct request, counters),
	  .doc = "print the event counters at the end" },
	{ .name = "debug",
	  .kind = OPTION_NUMBER,
	  BOARD_FIELD(debug_launch),
	  .min = 1,
	  .max = UINT64_MAX,
	  .argument = "N",
	  .alone = "1",
	  .doc = "stop before the first instruction of the Nth launch, 1 if "
		 "not given, and take commands from the terminal" },
	{ .name = "debug-script",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(debug_script),
	  .parse = parse_path,
	  .argument = "FILE",
	  .doc = "take the commands of --debug from FILE" },
	{ .name = "fault",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(device.fault),
	  .parse = parse_fault,
	  .offer = offer_faults,
	  .argument = "KIND@N[-[M]]",
	  .doc = "break the Nth launch, allocation, or job of the kernel's "
		 "driver; a KIND that does not exist lists those that do" },
	{ .name = "ignore",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(ignore),
	  .parse = parse_rules,
	  .argument = "RULE,...",
	  .doc = "do not report these rules, such as R5 or C32" },
	{ .name = "kms",
	  .kind = OPTION_WORD,
	  OPTION_FIELD(struct request, kms),
	  .words = kms_words,
	  .argument = "yes|no",
	  .alone = "yes",
	  .doc = "whether the kernel's driver owns the V3D, as with the overlay "
		 "vc4-kms-v3d (default: as the system has it)" },
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
	{ .name = "seed",
	  .kind = OPTION_NUMBER,
	  BOARD_FIELD(device.seed),
	  .argument = "N",
	  .doc = "seed of noise and interleaving" },
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
	{ .name = "trace",
	  .kind = OPTION_PARSED,
	  BOARD_FIELD(trace),
	  .parse = parse_path,
	  .argument = "FILE",
	  .doc = "append each executed instruction and its results to FILE" },
	{ .name = "user",
	  .kind = OPTION_WORD,
	  BOARD_FIELD(user),
	  .words = user_words,
	  .argument = "WHO",
	  .doc = "the user: root (default), first (of the system's "
		 "installation), video (a member of that group), or nobody" },
	{ .name = NULL }
};

/* Options that say something for another one, and defaults that depend on
 * others. */
static void
complete(struct request *request)
{
	struct board_options *options = &request->options;
	const struct system *system = &system_rows[options->system];

	if (*options->debug_script && options->debug_launch == 0)
		options->debug_launch = 1;
	options->kms = system->mainline || request->kms == KMS_YES ||
		       (request->kms == KMS_NOT_SAID && system->kms);
	/* The firmware of Raspberry Pi OS refuses the overlay. */
	if (profile_rows[options->profile].memory_mib < 512 &&
	    !system->mainline)
		options->kms = false;
	if (options->cma_mib == NO_CMA_SAID)
		options->cma_mib = options->kms ? system->cma_mib :
						  USUAL_CMA_MIB;
}

/* Check that each process of the program can read the files: standard input can
 * be read only once. */
static bool
check_files(const struct board_options *options, struct diag *why)
{
	const char *const script = options->debug_script;
	struct text quoted = { 0 };
	struct session session;
	bool good;

	if (strcmp(options->lines, "-") == 0) {
		diag_set(why, "--lines: a file is needed, since each process "
			      "reads it");
		return false;
	}
	session_init(&session, NULL, NULL);
	good = !*options->lines ||
	       session_read_lines(&session, options->lines, why);
	session_free(&session);
	if (!good || !*script || strcmp(script, "-") == 0 ||
	    access(script, R_OK) == 0)
		return good;
	diag_set(why, "%s: %s", quote_name(&quoted, script), strerror(errno));
	text_free(&quoted);
	return false;
}

/* Check that there is such a board. */
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
	emulated_options_parse(&request->options.device, PI_LANES, "", why);
	request->options.cma_mib = NO_CMA_SAID;
	request->kms = KMS_NOT_SAID;
	request->program = arguments_parse(&arguments, argc, argv, request);
	complete(request);
	return check(&request->options, why) &&
	       check_files(&request->options, why);
}
