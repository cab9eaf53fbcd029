/* SPDX-License-Identifier: MIT */
/*
 * qpuemu: runs an unmodified program on a virtual Raspberry Pi, whose QPUs are
 * emulated.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/device_words.h"
#include "qpu/virtual/profile.h"
#include "qpu/virtual/state.h"
#include "src/qpuemu_child.h"
#include "src/qpuemu_end.h"
#include "src/qpuemu_program.h"
#include "src/qpuemu_tree.h"

enum {
	/* Statuses of our own, as those of env and timeout. */
	STATUS_TROUBLE = 125,
	STATUS_FINDINGS = 1,
	MOST_MHZ = 2000,
	MOST_MS = 60000
};

enum {
	OPTION_BOARD = 0x100, OPTION_CHECK, OPTION_COUNTERS, OPTION_DELAY,
	OPTION_DENY, OPTION_FAULT, OPTION_FKMS, OPTION_KMS, OPTION_LEAKS,
	OPTION_MEMORY, OPTION_NO_MEM, OPTION_NO_VCIO, OPTION_NO_VCSM,
	OPTION_QPUS, OPTION_SEED, OPTION_TIMED, OPTION_TRACE,
	OPTION_V3D_CLOCK
};

enum leaks { LEAKS_REPORT, LEAKS_ERROR, LEAKS_IGNORE };

struct request {
	struct state_options options;
	struct tree_request tree;
	enum leaks leaks;
	bool counters;
	char words[512];	/* as --device=emulator takes them */
	char **program;
};

const char *argp_program_version = PACKAGE_STRING;

static const struct argp_option option_rows[] = {
	{ "board", OPTION_BOARD, "NAME", 0,
	  "the board: pi1 (default), pi1b+, zero, zerow, pi2, pi2v1.2, pi3, "
	  "pi3b+, pi3a+, zero2, pi4, pi5, or pc", 0 },
	{ "check", OPTION_CHECK, NULL, 0,
	  "noise in undefined state, random interleaving, report hazards; "
	  "exit with 1 when there are any", 0 },
	{ "counters", OPTION_COUNTERS, NULL, 0,
	  "print the hardware's counters at the end", 0 },
	{ "delay", OPTION_DELAY, "MS", 0,
	  "let each launch by mailbox take so much longer", 0 },
	{ "deny", OPTION_DENY, NULL, 0,
	  "the nodes are for others only", 0 },
	{ "fault", OPTION_FAULT, "KIND@N", 0,
	  "break the Nth launch (lane, stuck, refuse), all allocations from "
	  "the Nth on (alloc), or the Nth enable (enable)", 0 },
	{ "fkms", OPTION_FKMS, NULL, 0,
	  "the kernel's driver owns the V3D, by the overlay vc4-fkms-v3d",
	  0 },
	{ "kms", OPTION_KMS, NULL, 0,
	  "the kernel's driver owns the V3D, by the overlay vc4-kms-v3d", 0 },
	{ "leaks", OPTION_LEAKS, "WHAT", 0,
	  "GPU memory that is not released: report (default), error (exit "
	  "with 1), or ignore", 0 },
	{ "memory", OPTION_MEMORY, "MIB", 0,
	  "memory of the GPU (default 64)", 0 },
	{ "no-mem", OPTION_NO_MEM, NULL, 0, "there is no /dev/mem", 0 },
	{ "no-vcio", OPTION_NO_VCIO, NULL, 0, "there is no /dev/vcio", 0 },
	{ "no-vcsm", OPTION_NO_VCSM, NULL, 0,
	  "there is no /dev/vcsm-cma", 0 },
	{ "qpus", OPTION_QPUS, "N", 0, "number of QPUs, 1 to 12", 0 },
	{ "seed", OPTION_SEED, "N", 0, "of noise, interleaving and fault",
	  0 },
	{ "timed", OPTION_TIMED, NULL, 0, "use the cycle model", 0 },
	{ "trace", OPTION_TRACE, "FILE", 0,
	  "append each instruction with what it wrote", 0 },
	{ "v3d-clock", OPTION_V3D_CLOCK, "MHZ", 0,
	  "clock of the QPUs, instead of the board's", 0 },
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
		argp_error(state, "'%s' is no number from 0 to %u", text,
			   most);
	return (unsigned)number;
}

/* Words of the emulated device go to its own parser. */
static void
add_word(struct argp_state *state, const char *name, const char *value)
{
	struct request *request = state->input;
	const size_t len = strlen(request->words);
	const size_t room = sizeof(request->words) - len;

	if ((size_t)snprintf(request->words + len, room, "%s%s%s%s",
			     len ? "," : "", name, value ? "=" : "",
			     value ? value : "") >= room ||
	    (value && strchr(value, ',')))
		argp_error(state, "'%s' is no value of --%s", value, name);
}

static void
parse_board(struct argp_state *state, const char *name)
{
	struct request *request = state->input;
	const struct profile *profile = profile_of_name(name);

	if (!profile)
		argp_error(state, "'%s' is no board that --help names", name);
	request->options.profile = (unsigned)(profile - profile_rows);
}

/* One of them is the firmware's, the others are also the device's. */
static void
parse_fault(struct argp_state *state, const char *text)
{
	struct request *request = state->input;

	if (strncmp(text, "enable@", 7) != 0) {
		add_word(state, "fault", text);
		return;
	}
	request->options.refuse_enable =
		parse_number(state, text + 7, UINT_MAX);
}

static void
parse_leaks(struct argp_state *state, const char *text)
{
	static const char *const words[] = {
		[LEAKS_REPORT] = "report",
		[LEAKS_ERROR] = "error",
		[LEAKS_IGNORE] = "ignore"
	};
	struct request *request = state->input;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i], text) == 0) {
			request->leaks = (enum leaks)i;
			return;
		}
	argp_error(state, "'%s' is none of report, error and ignore", text);
}

/* The program may go elsewhere, and does so before it is traced. */
static void
parse_trace(struct argp_state *state, const char *text)
{
	struct request *request = state->input;
	const size_t room = sizeof(request->options.trace);
	char cwd[PATH_MAX] = "";

	if (!*text || (*text != '/' && !getcwd(cwd, sizeof(cwd))) ||
	    (size_t)snprintf(request->options.trace, room, "%s%s%s", cwd,
			     *cwd ? "/" : "", text) >= room)
		argp_error(state, "'%s' is no file for a trace", text);
}

static error_t
parse_board_option(int key, char *text, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case OPTION_BOARD:
		parse_board(state, text);
		return 0;
	case OPTION_DENY:
		request->options.deny = true;
		return 0;
	case OPTION_KMS:
	case OPTION_FKMS:
		request->tree.driver = key == OPTION_KMS ? TREE_KMS :
							   TREE_FKMS;
		request->options.kms = true;
		return 0;
	case OPTION_NO_MEM:
		request->tree.mem = false;
		return 0;
	case OPTION_NO_VCIO:
		request->tree.vcio = false;
		return 0;
	case OPTION_NO_VCSM:
		request->tree.vcsm = false;
		return 0;
	case OPTION_V3D_CLOCK:
		request->options.v3d_mhz = parse_number(state, text, MOST_MHZ);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case OPTION_CHECK:
		add_word(state, "check", NULL);
		return 0;
	case OPTION_COUNTERS:
		request->counters = true;
		return 0;
	case OPTION_DELAY:
		request->options.delay_ms = parse_number(state, text, MOST_MS);
		return 0;
	case OPTION_FAULT:
		parse_fault(state, text);
		return 0;
	case OPTION_LEAKS:
		parse_leaks(state, text);
		return 0;
	case OPTION_MEMORY:
		add_word(state, "mem", text);
		return 0;
	case OPTION_QPUS:
		add_word(state, "qpus", text);
		return 0;
	case OPTION_SEED:
		add_word(state, "seed", text);
		return 0;
	case OPTION_TIMED:
		add_word(state, "timed", NULL);
		return 0;
	case OPTION_TRACE:
		parse_trace(state, text);
		return 0;
	case ARGP_KEY_ARG:
		/* All that follows is the program's. */
		request->program = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a program is needed");
		return 0;
	default:
		return parse_board_option(key, text, state);
	}
}

static int
complain(const char *about, const struct diag *why, int status)
{
	fprintf(stderr, "qpuemu: %s%s%s\n", about, *about ? ": " : "",
		why->text);
	return status;
}

/* What the options mean together. */
static bool
settle(struct request *request, struct diag *why)
{
	struct state_options *options = &request->options;
	const struct profile *profile = &profile_rows[options->profile];

	if (!device_words_parse(&options->words, request->words, why))
		return false;
	if (options->words.mem_mib > profile_most_mib(profile)) {
		diag_set(why, "of the memory of this board at most %u MiB can "
			 "be the GPU's", profile_most_mib(profile));
		return false;
	}
	if (options->v3d_mhz == 0)
		options->v3d_mhz = profile->v3d_mhz;
	return true;
}

/* In a build, beside this program; installed, where it belongs from there. */
static bool
find_beside(char path[PATH_MAX])
{
	static const char *const places[] = {
		"qpuemu.so", "../lib/" PACKAGE "/qpuemu.so"
	};
	char self[PATH_MAX] = "", *name;
	const ssize_t len = readlink("/proc/self/exe", self,
				     sizeof(self) - 64);

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

	if (named && *named ? realpath(named, path) != NULL :
	    find_beside(path) || realpath(PKGLIBDIR "/qpuemu.so", path))
		return true;
	diag_set(why, "%s: %s", named && *named ? named :
		 PKGLIBDIR "/qpuemu.so", strerror(errno));
	return false;
}

/* How the program did, or worse if there is anything to complain of. */
static int
finish(const struct request *request, const struct state *state,
       const char *dir, int status)
{
	bool good = true;

	if (request->counters)
		end_report_counters(state);
	if (request->leaks != LEAKS_IGNORE)
		good = end_report_leaks(state) ||
		       request->leaks == LEAKS_REPORT;
	good = good && state->totals.findings == 0;
	end_remove_links(state, dir);
	return status == 0 && !good ? STATUS_FINDINGS : status;
}

static int
run_in(const char *dir, struct request *request, const char *path)
{
	struct diag why;
	struct state *state = state_create(dir, &request->options, &why);
	int status = -1;

	if (!state)
		return complain("", &why, STATUS_TROUBLE);
	if (!tree_fill(dir, &request->tree, state, &why)) {
		complain("", &why, STATUS_TROUBLE);
	} else {
		status = child_run(path, request->program, dir, &why);
		if (status < 0)
			complain(request->program[0], &why, STATUS_TROUBLE);
		else
			status = finish(request, state, dir, status);
	}
	state_unmap(state);
	return status < 0 ? STATUS_TROUBLE : status;
}

static int
run(struct request *request)
{
	char library[PATH_MAX], path[STATE_PATH], dir[STATE_PATH];
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
	if (!tree_make_directory(dir, &why))
		return complain("", &why, STATUS_TROUBLE);
	request->tree.library = library;
	status = run_in(dir, request, path);
	tree_remove(dir);
	return status;
}

int
main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_rows,
		.parser = parse_option,
		.args_doc = "PROGRAM [ARGUMENT...]",
		.doc = "Run a program on a virtual Raspberry Pi with emulated "
		       "QPUs.",
	};
	static struct request request = {
		.tree = { .vcio = true, .vcsm = true, .mem = true }
	};

	argp_err_exit_status = STATUS_TROUBLE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);
	return run(&request);
}
