/* SPDX-License-Identifier: MIT */
/*
 * qpurun_options: what a command line of qpurun asks for.
 */
#ifndef SRC_TOOLS_QPURUN_QPURUN_OPTIONS_H
#define SRC_TOOLS_QPURUN_QPURUN_OPTIONS_H

#include "qpu/emulator/emulator.h"
#include "src/tools/qpurun/image.h"

enum { RUN_IMAGES_MAX = 256 };

struct run_options {
	struct run_image images[RUN_IMAGES_MAX]; /* not read yet */
	size_t nimages;
	struct machine_program programs[MACHINE_QPUS];
	unsigned nprograms;
	bool from_uniforms;	      /* the programs are the first image */
	const struct run_image *code; /* the first program, or null */
	struct machine_options machine;
	uint64_t max_instructions; /* 0: no limit */
	const char *trace, *lines; /* files, or null */
	bool counters, debug;
};

/* Ends the process, with a message, when the command line makes no sense. */
void
run_options_parse(int argc, char **argv, struct run_options *options);

void
run_options_free(struct run_options *options);

/* "qpurun: WHERE: TEXT"; always false. */
bool
complain(const char *where, const char *text);

#endif
