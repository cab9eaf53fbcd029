/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/sum.h"

#include "src/distrust.h"
#include "src/json_line.h"
#include "src/output.h"
#include "src/report.h"

/* What --recursive goes through when it is not told. */
static char *const here[] = { (char *)"." };

static enum source_answer
sum_next(struct source *source, struct job *job, bool alone)
{
	struct sum *sum = (struct sum *)source;
	enum source_answer answer;

	if (sum->options->recursive) {
		answer = tree_next(&sum->tree, job, alone);
		source->wait_fd = tree_wait_fd(&sum->tree);
	} else {
		answer = names_next(&sum->names, job, alone);
		source->wait_fd = names_wait_fd(&sum->names);
	}
	job->watched = sum->options->detect_changes;
	return answer;
}

/* The line of an input.  There is none for one without a digest, unless the
 * lines are objects. */
static void
emit_line(struct sum *sum, const struct job *job, bool has_digest)
{
	const struct text *line = &sum->line;
	bool made;

	if (sum->options->json) {
		line = &sum->object.text;
		made = json_line_hashed(&sum->object, job);
	} else if (has_digest) {
		text_cut(&sum->line, 0);
		made = digest_line_add(&sum->line, job->digest, job->name,
				       sum->style);
	} else {
		return;
	}
	output_add_line(line, made, job->name);
}

static void
report_remark(const struct sum *sum, const struct job *job)
{
	if (sum->options->recursive)
		tree_report(&sum->tree, job);
	else
		names_report(&sum->names, job);
}

static void
sum_emit(struct source *source, struct job *job)
{
	struct sum *sum = (struct sum *)source;

	sum->read_stdin |= job->kind == JOB_STDIN;
	if (job->error) {
		report_file_error(job->name, job->error);
		emit_line(sum, job, false);
	} else if (job->kind == JOB_REMARK) {
		report_remark(sum, job);
	} else {
		const bool has_digest = distrust_report(job);

		if (!distrust_skipped(job))
			emit_line(sum, job, has_digest);
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
	*sum = (struct sum){
		.source = {
			.next = sum_next,
			.emit = sum_emit,
			.flush = sum_flush,
			.wait_fd = -1
		},
		.options = options,
		.style = {
			.binary = options->binary,
			.tag = options->tag,
			.zero = options->zero
		}
	};
	if (options->recursive && options->noperands == 0)
		names_init(&sum->names, (char **)here, 1,
			   options->files0_from);
	else
		names_init(&sum->names, options->operands, options->noperands,
			   options->files0_from);
	if (options->recursive)
		tree_init(&sum->tree, &sum->names);
}

void
sum_close(struct sum *sum)
{
	tree_close(&sum->tree);
	names_close(&sum->names);
	text_free(&sum->line);
	json_free(&sum->object);
}
