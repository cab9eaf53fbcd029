/* SPDX-License-Identifier: MIT */
/*
 * qpusched: finds and prints the schedules of the kernels.
 *
 *	qpusched map KERNEL		the fixed registers, for m4
 *	qpusched emit KERNEL FILE...	its sections; the first of each counts
 *	qpusched search SECTION [FILE]	look for a schedule in fewer slots
 *
 * A tool for those who work on the kernels, optimised and pair; building needs
 * only its output, which is in the tree.  To make a kernel shorter: change the
 * operations in body.c or pair.c, search each section that changed
 *
 *	qpusched search heavy -n 250 --steps 3000000000 -o new.m4
 *	qpusched search heavy new.m4 -n 244 --hot 0.3 --seed 2 -o new.m4
 *
 * (minutes to hours), make kernel-sources NEW=new.m4, and let the tests say
 * what it is worth.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/scheduler/anneal.h"
#include "qpu/scheduler/kernel_text.h"

enum { OPTION_HOT = 0x100, OPTION_COLD, OPTION_CYCLE };

struct search_options {
	const char *command;
	const char *arguments[SECTIONS + 1];
	int narguments;
	int slots;
	const char *output;
	struct anneal anneal;
};

/* One section with everything that is known about it. */
struct search {
	struct graph graph;
	struct schedule schedule;
	struct allocation allocation;
};

static const struct argp_option option_rows[] = {
	{ .name = "slots",
	  .key = 'n',
	  .arg = "N",
	  .doc = "slots to start with" },
	{ .name = "seed",
	  .key = 's',
	  .arg = "N",
	  .doc = "seed of the random numbers (1)" },
	{ .name = "steps",
	  .key = 'i',
	  .arg = "N",
	  .doc = "steps in all (100000000)" },
	{ .name = "cycle",
	  .key = OPTION_CYCLE,
	  .arg = "N",
	  .doc = "steps of one cooling (100000000)" },
	{ .name = "hot",
	  .key = OPTION_HOT,
	  .arg = "T",
	  .doc = "first temperature (0.6)" },
	{ .name = "cold",
	  .key = OPTION_COLD,
	  .arg = "T",
	  .doc = "last temperature (0.24)" },
	{ .name = "output",
	  .key = 'o',
	  .arg = "FILE",
	  .doc = "write the best schedule to FILE" },
	{ .name = NULL },
};

static error_t
parse_option(int key, char *text, struct argp_state *state)
{
	struct search_options *options = state->input;

	switch (key) {
	case 'n':
		options->slots = atoi(text);
		if (options->slots < SOLUTION_SLOTS_MIN ||
		    options->slots > SCHEDULE_SLOTS)
			argp_error(state, "--slots: '%s' is not from %d to %d",
				   text, SOLUTION_SLOTS_MIN, SCHEDULE_SLOTS);
		return 0;
	case 's': options->anneal.seed = strtoull(text, NULL, 0); return 0;
	case 'i': options->anneal.steps = strtoull(text, NULL, 0); return 0;
	case OPTION_CYCLE:
		options->anneal.cycle = strtoull(text, NULL, 0);
		return 0;
	case OPTION_HOT: options->anneal.hot = strtod(text, NULL); return 0;
	case OPTION_COLD: options->anneal.cold = strtod(text, NULL); return 0;
	case 'o': options->output = text; return 0;
	case ARGP_KEY_ARG:
		if (!options->command)
			options->command = text;
		else if (options->narguments <= SECTIONS)
			options->arguments[options->narguments++] = text;
		else
			argp_usage(state);
		return 0;
	case ARGP_KEY_END:
		if (!options->command)
			argp_usage(state);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static int
complain(const struct diag *why)
{
	fprintf(stderr, "qpusched: %s\n", why->text);
	return EXIT_FAILURE;
}

/* What was printed has to arrive. */
static int
finish(bool good, struct diag *why)
{
	if (good && fflush(stdout)) {
		diag_set(why, "standard output: %s", strerror(errno));
		good = false;
	}
	return good ? EXIT_SUCCESS : complain(why);
}

/* Take the section that the source is at; nslots 0: in as many slots. */
static bool
job_read(struct search *job, struct solution_source *source,
	 enum section section, int nslots, struct diag *why)
{
	struct solution solution;

	if (!solution_read(source, section, &solution, &job->graph, why))
		return false;
	schedule_open(&job->schedule, &job->graph, section,
		      nslots ? nslots : solution.nslots);
	solution_apply(&solution, &job->schedule);
	schedule_count(&job->schedule);
	return true;
}

static bool
open_source(struct solution_source *source, const char *path, struct diag *why)
{
	*source = (struct solution_source){ fopen(path, "r"), path, 0 };
	if (!source->stream)
		diag_set(why, "%s: %s", path, strerror(errno));
	return source->stream;
}

static void
emit_head(struct search *const jobs[SECTIONS], enum section_kernel kernel)
{
	unsigned hot = 0, block = 0;

	for (int i = 0; i < SECTIONS; i++)
		if (jobs[i]) {
			const int n = jobs[i]->schedule.nslots + 1;

			hot += n;
			block += n * section_rows[i].times;
		}
	printf("dnl SPDX-License-Identifier: MIT\n"
	       "dnl Made by qpusched, which reads it, too; do not edit.\n"
	       "dnl %u instructions, %u executed a block\n"
	       "dnl\n"
	       "dnl Behind each instruction: what its add and its mul half "
	       "compute, with\n"
	       "%s",
	       hot, block, section_kernel_rows[kernel].notes);
}

/* A section for emit; null, with a reason, if it is none. */
static struct search *
read_job(struct solution_source *source, enum section section, struct diag *why)
{
	struct search *job = malloc(sizeof(*job));

	if (!job || !job_read(job, source, section, 0, why)) {
		free(job);
		return NULL;
	}
	if (schedule_is_valid(&job->schedule)) {
		allocation_make(&job->allocation, &job->schedule);
		return job;
	}
	diag_set(why, "%s: %s: %d early, %d crowded, %d full", source->path,
		 section_rows[section].name, job->schedule.early,
		 job->schedule.crowd, job->schedule.full);
	free(job);
	return NULL;
}

/* The sections of a kernel that a file has, and no file before it. */
static bool
read_jobs(struct search *jobs[SECTIONS], enum section_kernel kernel,
	  const char *path, struct diag *why)
{
	struct solution_source source;
	enum section section;
	bool good = open_source(&source, path, why);

	if (!good)
		return false;
	while (good && (section = solution_next(&source)) < SECTIONS) {
		if (section_rows[section].kernel != kernel || jobs[section])
			continue;
		jobs[section] = read_job(&source, section, why);
		good = jobs[section];
	}
	fclose(source.stream);
	return good;
}

static bool
find_kernel(const struct search_options *options, enum section_kernel *kernel,
	    struct diag *why)
{
	const char *name = options->narguments ? options->arguments[0] : "";

	*kernel = section_find_kernel(name);
	if (*kernel == KERNELS)
		diag_set(why, "no kernel '%s'", name);
	return *kernel < KERNELS;
}

static int
run_emit(const struct search_options *options)
{
	struct search *jobs[SECTIONS] = { NULL };
	struct diag why = { .text = "out of memory" };
	enum section_kernel kernel;
	bool good = find_kernel(options, &kernel, &why);

	for (int i = 1; good && i < options->narguments; i++)
		good = read_jobs(jobs, kernel, options->arguments[i], &why);
	if (good)
		emit_head(jobs, kernel);
	for (int i = 0; i < SECTIONS; i++) {
		if (good && jobs[i])
			emit_section(stdout, &jobs[i]->allocation);
		free(jobs[i]);
	}
	return finish(good, &why);
}

static int
run_map(const struct search_options *options)
{
	struct graph *graph = malloc(sizeof(*graph));
	struct diag why = { .text = "out of memory" };
	enum section_kernel kernel;

	if (!graph || !find_kernel(options, &kernel, &why)) {
		free(graph);
		return complain(&why);
	}
	section_kernel_rows[kernel].map(graph);
	printf("dnl SPDX-License-Identifier: MIT\n"
	       "dnl Made by qpusched; do not edit.  The registers that all "
	       "sections agree on.\n");
	emit_map(stdout, graph);
	free(graph);
	return finish(true, &why);
}

/* A better one: tell, and keep it. */
static bool
found(void *context, const struct schedule *schedule)
{
	const struct search_options *options = context;
	struct allocation allocation;
	FILE *stream;

	fprintf(stderr, "qpusched: %s in %d slots\n",
		section_rows[schedule->section].name, schedule->nslots);
	if (!options->output)
		return true;
	allocation_make(&allocation, schedule);
	stream = fopen(options->output, "w");
	if (stream) {
		emit_section(stream, &allocation);
		if (!fclose(stream))
			return true;
	}
	fprintf(stderr, "qpusched: %s: %m\n", options->output);
	return false;
}

/* Begin with the schedule of a file. */
static bool
job_load(struct search *job, const char *path, enum section section, int nslots,
	 struct diag *why)
{
	struct solution_source source;
	enum section found;

	if (!open_source(&source, path, why))
		return false;
	do
		found = solution_next(&source);
	while (found < SECTIONS && found != section);
	if (found == SECTIONS)
		diag_set(why, "%s: no section '%s'", path,
			 section_rows[section].name);
	const bool good = found < SECTIONS &&
			  job_read(job, &source, section, nslots, why);

	fclose(source.stream);
	return good;
}

/* Begin with nothing. */
static void
job_spread(struct search *job, enum section section, int nslots)
{
	section_rows[section].build(&job->graph);
	schedule_open(&job->schedule, &job->graph, section,
		      nslots ? nslots : 300);
	schedule_spread(&job->schedule);
	schedule_count(&job->schedule);
}

static int
run_search(const struct search_options *options)
{
	const char *name = options->narguments ? options->arguments[0] : "";
	const enum section section = section_find(name);
	struct search *job = malloc(sizeof(*job));
	struct diag why = { .text = "out of memory" };
	bool good = job && section < SECTIONS;

	if (job && !good)
		diag_set(&why, "no section '%s'", name);
	if (good && options->narguments > 1)
		good = job_load(job, options->arguments[1], section,
				options->slots, &why);
	else if (good)
		job_spread(job, section, options->slots);
	if (good)
		anneal_run(&options->anneal, &job->schedule, found,
			   (void *)options);
	if (good)
		fprintf(stderr,
			"qpusched: stopped in %d slots: %d early, "
			"%d crowded, %d full\n",
			job->schedule.nslots, job->schedule.early,
			job->schedule.crowd, job->schedule.full);
	free(job);
	return good ? EXIT_SUCCESS : complain(&why);
}

int
main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_rows,
		.parser = parse_option,
		.args_doc =
			"map KERNEL\nemit KERNEL FILE...\nsearch SECTION [FILE]",
		.doc = "Schedule the sections of the SHA-256 kernel.",
	};
	struct search_options options = {
		.anneal = { .seed = 1,
			    .steps = 100000000,
			    .cycle = 100000000,
			    .hot = 0.6,
			    .cold = 0.24 },
	};

	argp_err_exit_status = EXIT_FAILURE;
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (strcmp(options.command, "map") == 0)
		return run_map(&options);
	if (strcmp(options.command, "emit") == 0)
		return run_emit(&options);
	if (strcmp(options.command, "search") == 0)
		return run_search(&options);
	fprintf(stderr, "qpusched: no command '%s'\n", options.command);
	return EXIT_FAILURE;
}
