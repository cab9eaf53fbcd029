/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/vc4_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLAGS = VC4_USE_CLEAR_COLOR | VC4_FIXED_RCL_ORDER | VC4_INCREASING_X |
		VC4_INCREASING_Y,
	BYTES_MOST = 1 << 28, /* more than a machine has for a copy */
	HANDLES_MOST = 1 << 20
};

struct vc4_buffer *
job_buffer(const struct vc4_job *job, uint32_t index)
{
	struct vc4_buffer *buffer =
		index < job->nbuffers ? job->buffers[index] : NULL;

	return buffer && !buffer->is_program ? buffer : NULL;
}

void
job_free(struct vc4 *vc4, struct vc4_job *job)
{
	for (uint32_t i = 0; i < job->nbuffers; i++)
		buffer_put(vc4, job->buffers[i]);
	free(job->buffers);
	free(job->user);
	free(job->states);
	buffer_give_pages(vc4, &job->lists);
	buffer_give_pages(vc4, &job->render);
	vc4->bin_used &= ~job->bin_slots;
	free(job);
}

/* The job gets a reference to each buffer that it names. */
static int
look_up_buffers(struct vc4 *vc4, struct vc4_job *job)
{
	const uint32_t n = job->args->bo_handle_count;
	const uint8_t *handles = job_caller(job->args->bo_handles);

	if (n > HANDLES_MOST)
		return -ENOMEM;
	job->buffers = malloc(n * sizeof(struct vc4_buffer *));
	if (!job->buffers)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct vc4_buffer *buffer =
			buffer_of_handle(vc4, job_word(handles + 4 * i));

		if (!buffer)
			return -EINVAL;
		buffer->references++;
		job->buffers[job->nbuffers++] = buffer;
	}
	return 0;
}

/* The copy of list, records and uniforms, each of which begins where the
 * kernel has it. */
static int
copy_user(struct vc4_job *job, uint32_t records_at, uint32_t uniforms_at)
{
	const struct vc4_submit_cl *args = job->args;

	job->user = malloc(uniforms_at + args->uniforms_size);
	job->states = calloc(args->shader_rec_count, sizeof(*job->states));
	if (!job->user || !job->states)
		return -ENOMEM;
	memcpy(job->user, job_caller(args->bin_cl), args->bin_cl_size);
	if (args->shader_rec_size)
		memcpy(job->user + records_at, job_caller(args->shader_rec),
		       args->shader_rec_size);
	if (args->uniforms_size)
		memcpy(job->user + uniforms_at, job_caller(args->uniforms),
		       args->uniforms_size);
	job->records = (struct job_part){ job->user + records_at,
					  args->shader_rec_size };
	job->uniforms = (struct job_part){ job->user + uniforms_at,
					   args->uniforms_size };
	return 0;
}

/* vc4_get_bcl */
static int
check_lists(struct vc4 *vc4, struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;
	const uint64_t records_at = (args->bin_cl_size + UINT64_C(15)) & ~15u;
	const uint64_t uniforms_at = records_at + args->shader_rec_size;
	const uint64_t bytes = uniforms_at + args->uniforms_size;
	uint8_t *host;
	uint32_t bus;
	int error;

	if (bytes + UINT64_C(8) * args->shader_rec_count > UINT32_MAX)
		return -EINVAL;
	if (bytes > BYTES_MOST || args->shader_rec_count > BYTES_MOST / 8)
		return -ENOMEM;
	error = copy_user(job, (uint32_t)records_at, (uint32_t)uniforms_at);
	if (!error)
		error = buffer_take_pages(vc4,
					  ((uint32_t)bytes + VC4_PAGE - 1) /
						  VC4_PAGE * VC4_PAGE,
					  &job->lists);
	if (error)
		return error;
	host = job->lists.host;
	bus = job_address(&job->lists);
	job->bin_start = bus;
	job->records_to = (struct job_copy){ host + records_at,
					     bus + (uint32_t)records_at };
	job->uniforms_to = (struct job_copy){ host + uniforms_at,
					      bus + (uint32_t)uniforms_at };
	error = bin_list_check(vc4, job, job->user, args->bin_cl_size);
	if (!error)
		error = record_check_all(vc4, job);
	/* Vertices that a job before stores must be there when this is binned. */
	return error ? error : queue_wait(vc4, job->dependency, UINT64_MAX);
}

static int
check(struct vc4 *vc4, struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;
	int error = look_up_buffers(vc4, job);

	/* There are no monitors and no synchronization objects here. */
	if (!error && (args->perfmonid || args->in_sync))
		error = -ENOENT;
	if (!error && args->bin_cl_size)
		error = check_lists(vc4, job);
	if (!error)
		error = render_list_make(vc4, job);
	if (!error && args->out_sync)
		error = -EINVAL;
	return error;
}

int
job_submit(struct vc4 *vc4, void *request)
{
	struct vc4_submit_cl *args = request;
	struct vc4_job *job;
	int error;

	if (args->flags & ~(uint32_t)FLAGS || args->pad2)
		return -EINVAL;
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	job->args = args;
	error = check(vc4, job);
	if (error) {
		job_free(vc4, job);
		return error;
	}
	args->seqno = queue_add(vc4, job);
	return 0;
}
