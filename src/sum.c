/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/sum.h"

#include "src/digest_line.h"
#include "src/distrust.h"
#include "src/output.h"
#include "src/report.h"

static enum source_answer
sum_next(struct source *source, struct job *job, bool alone)
{
	struct sum *sum = (struct sum *)source;
	enum source_answer answer = names_next(&sum->names, job, alone);

	source->wait_fd = names_wait_fd(&sum->names);
	return answer;
}

static void
sum_emit(struct source *source, struct job *job)
{
	struct sum *sum = (struct sum *)source;

	if (job->kind == JOB_REMARK)
		names_report(&sum->names, job);
	else if (job->error)
		report_file_error(job->name, job->error);
	else if (distrust_report(job))
		digest_line_print(job->digest, job->name,
				  sum->options->binary, sum->options->tag,
				  sum->options->zero);
	names_release(job);
}

static void
sum_flush(struct source *source)
{
	(void)source;
	output_flush();
}

void
sum_init(struct sum *sum, const struct options *options)
{
	sum->source = (struct source){
		.next = sum_next,
		.emit = sum_emit,
		.flush = sum_flush,
		.wait_fd = -1
	};
	sum->options = options;
	names_init(&sum->names, options->operands, options->noperands,
		   options->files0_from);
}

void
sum_close(struct sum *sum)
{
	names_close(&sum->names);
}
