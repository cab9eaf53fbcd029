/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vc4_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/packet.h"

enum {
	BYTES_MOST = 1 << 28, /* more than a machine has for a copy */
	HANDLES_MOST = 1 << 20
};

struct vc4_bo *
job_buffer(const struct vc4_job *job, uint32_t index, bool is_program)
{
	struct vc4_bo *buffer = index < job->nbuffers ? job->buffers[index] :
							NULL;

	return buffer && buffer->is_program == is_program ? buffer : NULL;
}

void
job_free(struct vc4 *vc4, struct vc4_job *job)
{
	for (uint32_t i = 0; i < job->nbuffers; i++)
		bo_put(vc4, job->buffers[i]);
	free(job->buffers);
	free(job->user);
	free(job->states);
	bo_give_pages(vc4, &job->lists);
	bo_give_pages(vc4, &job->render);
	vc4->bin_used &= ~job->bin_slots;
	free(job);
}

/* --- The renderer's list (vc4_render_cl.c) ---------------------------------- */

enum {
	/* Bits of a rendering mode. */
	MODE_MASK = 0x00dd, /* with 4x samples and decimation */
	/* Low bits of the address of a full-resolution store. */
	FULL_NO_ZS = 2,
	/* ... and of any store. */
	END_OF_FRAME = 8,
	/* These bits belong to a general store. */
	STORE_NOTHING = 0,
	/* Packets of one tile, with all surfaces. */
	TILE_BYTES_MOST = 32,
	HEAD_BYTES = 64
};

/* Tiles of the job's width. */
static uint32_t
tiles_across(const struct vc4_submit_cl *args)
{
	return (args->width + 31u) / 32;
}

/* Return true if all tiles but the last lie in the buffer, as the kernel checks. */
static bool
samples_fit(const struct vc4_job *job, uint32_t offset)
{
	const struct vc4_submit_cl *args = job->args;

	return offset <= job->samples->pages.bytes &&
	       (job->samples->pages.bytes - offset) / VC4_TILE_BYTES >=
		       tiles_across(args) * args->max_y_tile + args->max_x_tile;
}

/* Loads, and stores of images and depth, are not modelled. */
static bool
is_absent(const struct vc4_surface *surface)
{
	return surface->hindex == VC4_NO_SURFACE &&
	       !(surface->flags & ~VC4_SURFACE_IS_FULL_RES);
}

/* Set job->samples.  Return false if the surfaces are not valid. */
static bool
check_surfaces(struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;
	const struct vc4_surface *surface = &args->msaa_color_write;
	const struct vc4_surface *depth = &args->msaa_zs_write;

	if (!is_absent(&args->color_write) || args->color_write.flags ||
	    args->color_write.bits & ~MODE_MASK ||
	    !is_absent(&args->color_read) || !is_absent(&args->zs_read) ||
	    !is_absent(&args->zs_write) || !is_absent(depth) || depth->flags ||
	    depth->bits || surface->flags || surface->bits ||
	    surface->offset % 16)
		return false;
	job->samples = job_buffer(job, surface->hindex, false);
	return job->samples && samples_fit(job, surface->offset);
}

struct writing {
	const struct vc4_submit_cl *args;
	const struct vc4_job *job;
	uint8_t *to;
};

/* A tile's place in the order of the list. */
struct place {
	uint8_t x, y;
	bool first, last;
	bool not_drawn; /* by a fault */
};

static void
put(struct writing *writing, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*writing->to++ = (uint8_t)(value >> 8 * i);
}

static void
put_coordinates(struct writing *writing, unsigned x, unsigned y)
{
	put(writing, PACKET_TILE_COORDINATES, 1);
	put(writing, x, 1);
	put(writing, y, 1);
}

/* Return where a tile's samples are in their buffer. */
static uint32_t
samples_offset(const struct vc4_submit_cl *args, unsigned x, unsigned y)
{
	return args->msaa_color_write.offset +
	       VC4_TILE_BYTES * (tiles_across(args) * y + x);
}

static void
put_tile(struct writing *writing, const struct place *at)
{
	const struct vc4_job *job = writing->job;
	const bool binned = writing->args->bin_cl_size != 0;

	put_coordinates(writing, at->x, at->y);
	if (at->first && binned)
		put(writing, PACKET_WAIT_ON_SEMAPHORE, 1);
	if (binned && !at->not_drawn) {
		put(writing, PACKET_BRANCH_TO_SUB_LIST, 1);
		put(writing,
		    job->tile_alloc + 32u * (at->y * job->bin_tiles_x + at->x),
		    4);
	}
	put(writing, PACKET_STORE_FULL, 1);
	put(writing,
	    (job_address(&job->samples->pages) +
	     samples_offset(writing->args, at->x, at->y)) |
		    FULL_NO_ZS | (at->last ? END_OF_FRAME : 0),
	    4);
}

/* The mode, after the clear colours; storing nothing makes them valid. */
static void
put_head(struct writing *writing)
{
	const struct vc4_submit_cl *args = writing->args;

	if (args->flags & VC4_USE_CLEAR_COLOR) {
		put(writing, PACKET_CLEAR_COLORS, 1);
		put(writing, args->clear_color[0], 4);
		put(writing, args->clear_color[1], 4);
		put(writing, args->clear_z, 4);
		put(writing, args->clear_s, 1);
		put_coordinates(writing, 0, 0);
		put(writing, PACKET_STORE_GENERAL, 1);
		put(writing, STORE_NOTHING, 2);
		put(writing, 0, 4);
	}
	put(writing, PACKET_RENDERING_MODE, 1);
	put(writing, 0, 4); /* no image */
	put(writing, args->width, 2);
	put(writing, args->height, 2);
	put(writing, args->color_write.bits, 2);
}

static void
put_tiles(struct writing *writing, const struct vc4 *vc4)
{
	const struct vc4_submit_cl *args = writing->args;
	/* The kernel takes 256 tiles for none. */
	const uint8_t across =
		(uint8_t)(args->max_x_tile - args->min_x_tile + 1);
	const uint8_t down = (uint8_t)(args->max_y_tile - args->min_y_tile + 1);
	const unsigned n = (unsigned)across * down;
	const uint64_t number = vc4->emitted + 1;
	const bool cut = vc4_suffers(vc4, PI_RESET, number);

	for (unsigned i = 0; i < n; i++) {
		const struct place at = {
			.x = (uint8_t)(args->min_x_tile + i % across),
			.y = (uint8_t)(args->min_y_tile + i / across),
			.first = i == 0,
			.last = i == n - 1,
			.not_drawn = i == 0 &&
				     vc4_suffers(vc4, PI_CLEAR_LEFT, number)
		};

		/* A job that is reset in the middle never gets to the rest. */
		if (cut && i >= n / 2)
			return;
		put_tile(writing, &at);
	}
}

static bool
tiles_are_valid(const struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;

	if (args->min_x_tile > args->max_x_tile ||
	    args->min_y_tile > args->max_y_tile)
		return false;
	/* One more than there are passes, as in the kernel. */
	return args->bin_cl_size == 0 ||
	       (args->max_x_tile <= job->bin_tiles_x &&
		args->max_y_tile <= job->bin_tiles_y);
}

/* Note for faults which tiles of its buffer the job stores. */
static void
note_tiles(struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;
	const struct vc4_pages *pages = &job->samples->pages;
	const uint32_t first =
		samples_offset(args, args->min_x_tile, args->min_y_tile);
	const uint32_t last =
		samples_offset(args, args->max_x_tile, args->max_y_tile);

	for (uint32_t at = first; at <= last && at < pages->bytes &&
				  pages->bytes - at >= VC4_TILE_BYTES;
	     at += VC4_TILE_BYTES)
		job->ntiles++;
	job->tiles = (uint8_t *)pages->host + first;
}

/* Check the surfaces, and write the list that renders the job tile by tile.  0 or
 * -errno. */
static int
make_render_list(struct vc4 *vc4, struct vc4_job *job)
{
	const struct vc4_submit_cl *args = job->args;
	struct writing writing = { .args = args, .job = job };
	uint32_t room;
	int error;

	if (!tiles_are_valid(job) || !check_surfaces(job))
		return -EINVAL;
	note_tiles(job);
	room = HEAD_BYTES + TILE_BYTES_MOST *
				    (args->max_x_tile - args->min_x_tile + 1u) *
				    (args->max_y_tile - args->min_y_tile + 1u);
	error = bo_take_pages(vc4, (room + VC4_PAGE - 1) / VC4_PAGE * VC4_PAGE,
			      &job->render);
	if (error)
		return error;
	writing.to = job->render.host;
	put_head(&writing);
	put_tiles(&writing, vc4);
	job->render_start = job_address(&job->render);
	job->render_end = job->render_start +
			  (uint32_t)(writing.to - (uint8_t *)job->render.host);
	return 0;
}

/* --- The request ------------------------------------------------------------ */

/* The job gets a reference to each buffer that it names. */
static int
look_up_buffers(struct vc4 *vc4, struct vc4_job *job)
{
	const uint32_t n = job->args->bo_handle_count;
	const uint8_t *handles = job_caller(job->args->bo_handles);

	if (n == 0)
		return -EINVAL;
	if (n > HANDLES_MOST)
		return -ENOMEM;
	job->buffers = malloc(n * sizeof(struct vc4_bo *));
	if (!job->buffers)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct vc4_bo *buffer =
			bo_of_handle(vc4, job_word(handles + 4 * i));

		if (!buffer)
			return -ENOENT;
		buffer->references++;
		job->buffers[job->nbuffers++] = buffer;
	}
	return 0;
}

/* Lock the reservations of all buffers (vc4_lock_bo_reservations), each once. */
static int
lock_buffers(const struct vc4_job *job)
{
	for (uint32_t i = 0; i < job->nbuffers; i++)
		for (uint32_t k = 0; k < i; k++)
			if (job->buffers[i] == job->buffers[k])
				return -EALREADY;
	return 0;
}

/* Copy list, records and uniforms, each to the kernel's offset. */
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
		error = bo_take_pages(vc4,
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
	return error ? error : record_check_all(job);
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
		error = make_render_list(vc4, job);
	if (!error)
		error = lock_buffers(job);
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

	if (args->flags & ~(uint32_t)VC4_USE_CLEAR_COLOR || args->pad2)
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
