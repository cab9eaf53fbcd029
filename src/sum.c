/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/sum.h"

#include <errno.h>

#include "src/distrust.h"
#include "src/json_line.h"
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

/* The line of an input.  There is none for one without a digest, unless the
 * lines are objects. */
static void
emit_line(struct sum *sum, const struct job *job, bool has_digest)
{
	const struct text *line = &sum->line;
	bool made;

	if (sum->as_json) {
		line = &sum->object.text;
		made = json_line_hashed(&sum->object, job);
	} else if (has_digest) {
		text_cut(&sum->line, 0);
		made = digest_line_add(&sum->line, job->digest, job->name,
				       sum->style);
	} else {
		return;
	}
	if (made)
		output_add(line->bytes, line->len);
	else
		report_file_error(job->name, ENOMEM);
}

static void
sum_emit(struct source *source, struct job *job)
{
	struct sum *sum = (struct sum *)source;

	sum->read_stdin |= job->kind == JOB_STDIN;
	if (job->kind == JOB_REMARK) {
		names_report(&sum->names, job);
	} else if (job->error) {
		report_file_error(job->name, job->error);
		emit_line(sum, job, false);
	} else {
		emit_line(sum, job, distrust_report(job));
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
	sum->as_json = options->json;
	sum->object = (struct json){ 0 };
	sum->read_stdin = false;
	names_init(&sum->names, options->operands, options->noperands,
		   options->files0_from);
}

void
sum_close(struct sum *sum)
{
	names_close(&sum->names);
	text_free(&sum->line);
	json_free(&sum->object);
}
