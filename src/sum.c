/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/sum.h"

#include <errno.h>

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

	sum->read_stdin |= job->kind == JOB_STDIN;
	if (job->kind == JOB_REMARK)
		names_report(&sum->names, job);
	else if (job->error)
		report_file_error(job->name, job->error);
	else if (distrust_report(job)) {
		text_cut(&sum->line, 0);
		if (digest_line_add(&sum->line, job->digest, job->name,
				    sum->style))
			output_add(sum->line.bytes, sum->line.len);
		else
			report_file_error(job->name, ENOMEM);
	}
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
	sum->style = (struct digest_line_style){
		.binary = options->binary,
		.tag = options->tag,
		.zero = options->zero
	};
	sum->line = (struct text){ 0 };
	sum->read_stdin = false;
	names_init(&sum->names, options->operands, options->noperands,
		   options->files0_from);
}

void
sum_close(struct sum *sum)
{
	names_close(&sum->names);
	text_free(&sum->line);
}
