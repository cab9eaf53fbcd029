/* SPDX-License-Identifier: MIT */
/*
 * qpurun: runs programs for the QPUs of VideoCore IV in the emulator, with
 * files as memory.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/debugger/session.h"
#include "qpu/isa/pack.h"
#include "src/base/outfile.h"
#include "src/tools/qpurun/qpurun_options.h"

struct run {
	struct run_options options;
	struct session session;
};

/* A finding, or the place of a program. */
static void
say(void *context, const char *text)
{
	(void)context;
	fflush(stdout);
	fprintf(stderr, "%s\n", text);
}

/* Everything that can be wrong with files and addresses shows here. */
static struct machine *
prepare(struct run *run)
{
	struct diag why;
	struct machine *machine = NULL;

	if (run->options.lines &&
	    !session_read_lines(&run->session, run->options.lines, &why)) {
		complain("", why.text);
		return NULL;
	}
	for (size_t i = 0; i < run->options.nimages; i++)
		if (!run_image_read(&run->options.images[i], &why)) {
			complain(why.file, why.text);
			return NULL;
		}
	machine = machine_create(&run->options.machine, &why);
	if (!machine) {
		complain("", why.text);
		return NULL;
	}
	for (size_t i = 0; i < run->options.nimages; i++) {
		struct run_image *image = &run->options.images[i];

		if (machine_add_memory(machine, image->addr, image->bytes,
				       image->room, &why))
			continue;
		complain(image->spec, why.text);
		machine_destroy(machine);
		return NULL;
	}
	return machine;
}

static bool
observe(struct run *run, struct machine *machine)
{
	const char *trace = run->options.trace;
	struct diag why;

	if (trace && !session_open_trace(&run->session, trace, false, &why))
		return complain("", why.text);
	session_attach(&run->session, machine);
	if (run->options.debug)
		session_open_debugger(&run->session, stdin, stdout, false);
	return true;
}

static bool
run_programs(struct run *run, struct machine *machine)
{
	const struct run_limits limits = {
		.instructions = run->options.max_instructions,
	};
	enum machine_status status;
	enum session_answer answer;
	struct diag why;

	if (!machine_launch(machine, run->options.programs,
			    run->options.nprograms, &why))
		return complain("", why.text);
	session_launch(&run->session, run->options.debug);
	answer = session_run(&run->session, &limits, &status, &why);
	if (answer == SESSION_QUIT || status == MACHINE_DONE)
		return true;
	if (run->options.debug)
		return false; /* the debugger has told it */
	if (status == MACHINE_LIMIT)
		return complain("instruction limit", why.text);
	if (status == MACHINE_DEADLOCK)
		complain("", why.text);
	else
		complain("fault", why.text);
	session_tell_places(&run->session);
	return false;
}

static void
print_summary(const struct run *run, const struct machine *machine)
{
	if (!run->options.machine.timed && !run->options.counters)
		return;
	printf("%" PRIu64 " instructions", machine_instructions(machine));
	if (run->options.machine.timed)
		printf(", %" PRIu64 " clocks = %.1f us at %u MHz (modelled)",
		       machine_clocks(machine),
		       (double)machine_clocks(machine) / MACHINE_CLOCK_MHZ,
		       (unsigned)MACHINE_CLOCK_MHZ);
	putchar('\n');
}

/* Say of a file without :rw that the program has stored there. */
static void
note_stores(const struct run_image *image)
{
	const size_t bytes = run_image_stored(image);

	if (bytes == 0)
		return;
	fflush(stdout);
	fprintf(stderr,
		"qpurun: note: the program has changed %zu byte%s of the memory "
		"from %s; without :rw the file stays as it is\n",
		bytes, bytes == 1 ? "" : "s", image->path);
}

/* Print the code with what it cost, also what never ran, then the same by source
 * line and by QPU.  False when memory is short. */
static bool
report_profile(const struct run_options *options,
	       const struct qpu_linemap *lines, const struct machine *machine)
{
	struct cost_table table = { .stream = stdout,
				    .lines = lines,
				    .timed = options->machine.timed };
	bool good;

	cost_table_begin(&table);
	for (size_t i = 0; i < options->nimages; i++) {
		const struct run_image *image = &options->images[i];

		for (size_t at = 0; image->code && at < image->len;
		     at += QPU_INST_BYTES)
			cost_table_add(&table, image->addr + at,
				       qpu_word_load(image->bytes + at),
				       machine_cost_of(machine,
						       image->addr + at));
	}
	good = cost_table_end(&table);
	cost_print_qpus(stdout, machine, table.timed);
	return good;
}

/* Write and print the results of the run, as many as possible. */
static bool
finish(struct run *run, struct machine *machine)
{
	uint64_t counters[MACHINE_COUNTERS];
	struct diag why;
	bool good = true;

	for (size_t i = 0; i < run->options.nimages; i++)
		if (!run->options.images[i].writable)
			note_stores(&run->options.images[i]);
		else if (!run_image_write(&run->options.images[i], &why))
			good = complain(why.file, why.text);
	if (!session_close_trace(&run->session, &why))
		good = complain("", why.text);
	print_summary(run, machine);
	for (unsigned id = 0; id < MACHINE_COUNTERS; id++)
		counters[id] = machine_counter(machine, id);
	if (run->options.counters)
		counters_print(stdout, counters, run->options.machine.timed);
	if (run->options.machine.profile &&
	    !report_profile(&run->options, &run->session.lines, machine))
		good = complain("", "out of memory");
	if (run->session.hazards)
		good = complain("", "the program has hazards");
	if (!outfile_flush(stdout))
		good = complain("standard output", strerror(errno));
	return good;
}

int
main(int argc, char **argv)
{
	struct run run;
	struct machine *machine;
	bool good = false;

	run_options_parse(argc, argv, &run.options);
	session_init(&run.session, say, NULL);
	if (run.options.code)
		session_locate(&run.session, true, run.options.code->addr);
	machine = prepare(&run);
	if (machine && observe(&run, machine)) {
		good = run_programs(&run, machine);
		good &= finish(&run, machine);
	}
	session_free(&run.session);
	machine_destroy(machine);
	run_options_free(&run.options);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
