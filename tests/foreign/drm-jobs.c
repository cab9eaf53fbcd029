/* SPDX-License-Identifier: MIT */
/*
 * drm-jobs: the model of the kernel's driver (qpu/pi) beside the kernel's own
 * files vc4_validate.c and vc4_render_cl.c, which drm-compare.sh compiles.
 *
 *	drm-jobs JOBS SEED
 *
 * Asks both to take JOBS jobs: as qpu/ways describes them, with a few bytes or
 * words changed in the request, the list, the shader records, the uniforms and the
 * handles.  The verdicts are compared, and of jobs that are taken all that the V3D
 * would read: both lists, records and uniforms, with their addresses.  Counted
 * apart are what the model does not have (qpu/pi/vc4.h), streams of uniforms that
 * are too short, of which the kernel checks each one alone, and jobs at which the
 * kernel itself would fault.  Exit status 1: there is another difference.
 *
 * The steps of vc4_gem.c around these files are restated here.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/vc4.h"
#include "qpu/isa/packet.h"
#include "qpu/pi/vc4.h"
#include "qpu/ways/drm_job.h"
#include "tests/foreign/drm-kernel.h"

enum {
	BUFFERS = 8,
	RESULT_BYTES = 16 * 16384,
	PAGES_MOST = 4,
	ROOM = 1 << 20, /* for lists of the kernel's */
	ALIAS_BITS = 30,
	BIN_SLOT_BYTES = (16 << 20) / 32,
	NONE = VC4_NO_SURFACE
};
#define ALIAS (UINT32_C(3) << ALIAS_BITS)

/* --- Our node ---------------------------------------------------------------- */

static struct vc4 *node;
static struct vc4_memory memory;
/* What a request has taken from the contiguous memory, in this order. */
static struct vc4_pages taken[PAGES_MOST];
static unsigned ntaken;

static int
take(void *context, uint32_t bytes, struct vc4_pages *pages)
{
	const int error = vc4_memory_take(context, bytes, pages);

	if (!error && ntaken < PAGES_MOST)
		taken[ntaken++] = *pages;
	return error;
}

/* --- The kernel's buffers ------------------------------------------------------ */

static struct vc4_dev device;
static struct vc4_bo bin_memory, render_list;
/* By handle - 1, as both know them. */
static struct vc4_bo buffers[BUFFERS];
static uint32_t nbuffers;
static uint8_t kernel_lists[ROOM], kernel_render[ROOM];
static uint8_t kernel_bin[BIN_SLOT_BYTES];
static sigjmp_buf stops;

void
kernel_bug(void)
{
	siglongjmp(stops, 1);
}

static void
on_signal(int number)
{
	(void)number;
	kernel_bug();
}

int
vc4_v3d_get_bin_slot(struct vc4_dev *dev, long timeout)
{
	(void)dev;
	(void)timeout;
	return 0;
}

struct vc4_bo *
vc4_bo_create(struct vc4_dev *dev, size_t bytes, bool zeroed, int type)
{
	(void)dev;
	(void)zeroed;
	(void)type;
	if (bytes > ROOM)
		return NULL;
	render_list.base.vaddr = kernel_render;
	return &render_list;
}

/* A buffer that both have. */
static struct vc4_bo *
add_buffer(size_t bytes)
{
	struct vc4_bo *bo = &buffers[nbuffers++];

	bo->base.base = (struct drm_gem_object){ bytes, &device };
	bo->base.vaddr = taken[ntaken - 1].host;
	bo->base.dma_addr = taken[ntaken - 1].bus | ALIAS;
	return bo;
}

static uint32_t
new_buffer(uint32_t bytes)
{
	struct vc4_create_bo create = { .size = bytes };

	ntaken = 0;
	if (vc4_ioctl(node, VC4_CREATE_BO, &create) != 0)
		exit(2);
	/* The first request takes the binner's memory as well. */
	if (ntaken == 2)
		bin_memory.base.dma_addr = taken[0].bus | ALIAS;
	bin_memory.base.vaddr = kernel_bin;
	add_buffer(bytes);
	return create.handle;
}

static uint32_t
new_program(const char *source, struct way_program *tile)
{
	uint64_t words[64];
	struct vc4_create_shader_bo create = {
		.size = 8 * assemble(source, words), .data = (uintptr_t)words
	};
	struct vc4_bo *bo;

	ntaken = 0;
	if (vc4_ioctl(node, VC4_CREATE_SHADER_BO, &create) != 0)
		exit(2);
	bo = add_buffer(4096);
	bo->validated_shader = vc4_validate_shader(&bo->base);
	if (!bo->validated_shader)
		exit(2);
	if (tile)
		*tile = (struct way_program){
			create.handle, bo->validated_shader->uniforms_size / 4,
			bo->validated_shader->num_texture_samples
		};
	return create.handle;
}

/* --- Jobs ------------------------------------------------------------------------ */

static struct drm_job_programs shared;
static struct way_program programs[3];
static struct way_memory results = { .bytes = RESULT_BYTES };
static struct way_memory data = { .bytes = 4096 };

#define STORE "mov tlbm, r0; mov tlbm, r0; mov tlbm, r0; mov tlbm, r0;"
#define END "thrend; nop; nop; sbdone;"
#define LOOKUP                                                                 \
	"ldi r0, 0; max r0, r0, 0; min r0, r0, unif; add t0s, r0, unif; ldtmu0;"

static void
make_buffers(void)
{
	static const char *const sources[] = {
		"mov r0, unif; nop; nop;" STORE END,
		"nop; nop;" LOOKUP "mov r0, r4; nop;" STORE END,
		"nop; nop;" LOOKUP LOOKUP "mov r0, r4; nop;" STORE END,
	};
	/* Of vertices and coordinates: they only have uniforms. */
	static const char corner[] =
		"mov r0, unif; mov r1, unif; thrend; nop; nop;";

	results.handle = new_buffer(RESULT_BYTES);
	data.handle = new_buffer(4096);
	shared.vertices = new_buffer(4096);
	for (unsigned i = 0; i < 3; i++)
		new_program(sources[i], &programs[i]);
	shared.vertex = new_program(corner, NULL);
	shared.coordinate = new_program(corner, NULL);
}

/* A job that both take. */
static void
describe(struct drm_job *job)
{
	static const struct way_memory *const loads[] = { &data, &data };
	static const uint32_t uniforms[] = { 4092, 0, 2000, 96 };
	struct tile_draw draws[3];
	struct tile_job tiles = { .draws = draws,
				  .ndraws = 1 + random_below(3),
				  .results = &results,
				  .tiles_x = 1 + random_below(3),
				  .tiles_y = 1 + random_below(4),
				  .clear = 7 };

	tiles.offset = 4096 * random_below(16);
	for (unsigned i = 0; i < tiles.ndraws; i++)
		draws[i] = (struct tile_draw){ &programs[random_below(3)],
					       uniforms,
					       loads,
					       0,
					       0,
					       32,
					       32 };
	if (!drm_job_describe(job, &tiles, &shared))
		exit(2);
}

/* Bytes, or words that are likely to matter. */
static void
change(uint8_t *at, size_t bytes)
{
	static const uint32_t words[] = { 0,	4,    16,	  64,
					  4092, 4096, 0x80000000, 0xffffffff };
	const uint32_t word = words[random_below(8)] + random_below(3) - 1;

	if (bytes == 0)
		return;
	if (bytes >= 4 && random_below(3) == 0)
		memcpy(at + random_below((uint32_t)bytes / 4) * 4, &word, 4);
	else
		at[random_below((uint32_t)bytes)] =
			(uint8_t)(random_below(2) ? random_below(9) :
						    random_below(256));
}

static void
mutate(struct drm_job *job)
{
	const struct vc4_submit_cl whole = job->submit;
	struct vc4_submit_cl *args = &job->submit;

	for (unsigned n = random_below(4); n; n--)
		switch (random_below(6)) {
		case 0:
			change((uint8_t *)&args->bin_cl_size,
			       sizeof(*args) - offsetof(struct vc4_submit_cl,
							bin_cl_size));
			break;
		case 1:
		case 2:
			change((uint8_t *)job->list.bytes, job->list.len);
			break;
		case 3:
			change((uint8_t *)job->records.bytes, job->records.len);
			break;
		case 4:
			change((uint8_t *)job->uniforms.bytes,
			       job->uniforms.len);
			break;
		default:
			change((uint8_t *)job->handles.bytes, job->handles.len);
		}
	if (args->shader_rec_size > whole.shader_rec_size)
		args->shader_rec_size = whole.shader_rec_size;
	if (args->uniforms_size > whole.uniforms_size)
		args->uniforms_size = whole.uniforms_size;
	if (args->bin_cl_size > whole.bin_cl_size)
		args->bin_cl_size = whole.bin_cl_size;
	if (args->bo_handle_count > whole.bo_handle_count)
		args->bo_handle_count = whole.bo_handle_count;
	/* Counts that no memory is enough for are not what is compared. */
	args->shader_rec_count &= 0xffff;
}

/* --- What the kernel says --------------------------------------------------------- */

/* vc4_get_bcl: the copies of list, records and uniforms.  Both checkers read and
 * write beyond uniforms that are too short, for which there is room. */
static int
kernel_lists_of(struct drm_job *job, struct vc4_exec_info *exec)
{
	static uint8_t user[ROOM];
	static struct vc4_shader_state states[1 << 16];
	static struct vc4_bo lists;
	const struct vc4_submit_cl *args = &job->submit;
	const uint32_t records = (args->bin_cl_size + 15) & ~15u;
	const uint32_t uniforms = records + args->shader_rec_size;
	int error;

	memset(user, 0, sizeof(user));
	memset(kernel_lists, 0, sizeof(kernel_lists));
	memcpy(user, job->list.bytes, args->bin_cl_size);
	memcpy(user + records, job->records.bytes, args->shader_rec_size);
	memcpy(user + uniforms, job->uniforms.bytes, args->uniforms_size);
	lists.base.base.dev = &device;
	lists.base.vaddr = kernel_lists;
	exec->exec_bo = &lists.base;
	exec->ct0ca = taken[0].bus | ALIAS;
	exec->bin_u = user;
	exec->shader_state = states;
	exec->shader_state_size = args->shader_rec_count;
	exec->shader_rec_u = user + records;
	exec->shader_rec_v = kernel_lists + records;
	exec->shader_rec_p = exec->ct0ca + records;
	exec->shader_rec_size = args->shader_rec_size;
	exec->uniforms_u = user + uniforms;
	exec->uniforms_v = kernel_lists + uniforms;
	exec->uniforms_p = exec->ct0ca + uniforms;
	exec->uniforms_size = args->uniforms_size;
	error = vc4_validate_bin_cl(&device, kernel_lists, user, exec);
	if (error)
		return error;
	error = vc4_validate_shader_recs(&device, exec);
	/* How much was read is told by what is left. */
	exec->uniforms_size -=
		(uint32_t)((uint8_t *)exec->uniforms_u - user) - uniforms;
	return error;
}

/* vc4_submit_cl_ioctl.  0 or -errno; 1: the kernel would fault. */
static int
kernel_submit(struct drm_job *job, struct vc4_exec_info *exec)
{
	static struct drm_gem_object *handles[64];
	const uint32_t *named = (const uint32_t *)(void *)job->handles.bytes;
	struct vc4_submit_cl *args = &job->submit;
	int error;

	if (sigsetjmp(stops, 1))
		return 1;
	*exec = (struct vc4_exec_info){ .dev = &device,
					.args = (void *)args,
					.bo = handles,
					.bo_count = args->bo_handle_count };
	memset(handles, 0, sizeof(handles));
	if (args->flags & ~0xfu || args->pad2 || args->bo_handle_count == 0)
		return -EINVAL;
	for (uint32_t i = 0; i < args->bo_handle_count; i++) {
		if (named[i] == 0 || named[i] > nbuffers)
			return -ENOENT;
		handles[i] = &buffers[named[i] - 1].base.base;
	}
	if (args->perfmonid || args->in_sync)
		return -ENOENT;
	error = args->bin_cl_size ? kernel_lists_of(job, exec) : 0;
	render_list.base.dma_addr = taken[ntaken ? ntaken - 1 : 0].bus | ALIAS;
	if (!error)
		error = vc4_get_rcl(&device, exec);
	/* vc4_lock_bo_reservations */
	for (uint32_t i = 0; i < args->bo_handle_count && !error; i++)
		for (uint32_t k = 0; k < i && !error; k++)
			error = handles[i] == handles[k] ? -EALREADY : 0;
	return error ? error : args->out_sync ? -EINVAL : 0;
}

/* --- The comparison ---------------------------------------------------------------- */

static unsigned long accepted, refused, faults, missing, short_uniforms;
static unsigned long different;

static bool
has_indices(const struct drm_job *job)
{
	static const uint8_t bytes[256] = {
#define PACKET(name, code, bytes, lists) [code] = bytes,
#include "qpu/isa/packet.def"
	};
	const uint8_t *list = (const uint8_t *)job->list.bytes;

	for (size_t i = 0; i < job->list.len && bytes[list[i]];
	     i += bytes[list[i]])
		if (list[i] == PACKET_INDEXED_PRIMITIVE)
			return true;
	return false;
}

/* Does a job use what the model does not have? */
static bool
is_not_modelled(const struct drm_job *job)
{
	const struct vc4_submit_cl *args = &job->submit;

	return has_indices(job) || (args->flags & ~VC4_USE_CLEAR_COLOR) ||
	       args->color_read.hindex != NONE ||
	       args->zs_read.hindex != NONE || args->zs_write.hindex != NONE ||
	       args->msaa_zs_write.hindex != NONE ||
	       args->color_write.hindex != NONE ||
	       args->msaa_color_write.hindex == NONE;
}

static bool
is_same(const struct drm_job *job, const struct vc4_exec_info *exec)
{
	const struct vc4_submit_cl *args = &job->submit;
	const struct vc4_pages *render = &taken[args->bin_cl_size ? 1 : 0];
	const uint32_t records = (args->bin_cl_size + 15) & ~15u;

	return (args->bin_cl_size == 0 ||
		(memcmp(taken[0].host, kernel_lists,
			exec->ct0ea - exec->ct0ca) == 0 &&
		 memcmp((uint8_t *)taken[0].host + records,
			kernel_lists + records,
			args->shader_rec_size + args->uniforms_size) == 0)) &&
	       memcmp(render->host, kernel_render, exec->ct1ea - exec->ct1ca) ==
		       0;
}

static void
tell(const struct drm_job *job, int ours, int theirs)
{
	const struct text *parts[] = { &job->list, &job->records,
				       &job->uniforms, &job->handles };

	different++;
	printf("kernel: %d; here: %d\n", theirs, ours);
	for (size_t i = 0; i < sizeof(job->submit); i++)
		printf("%s%02x", i % 32 ? "" : "\n\t",
		       ((const uint8_t *)&job->submit)[i]);
	for (unsigned part = 0; part < 4; part++)
		for (size_t i = 0; i < parts[part]->len; i++)
			printf("%s%02x", i % 32 ? "" : "\n\t",
			       (uint8_t)parts[part]->bytes[i]);
	printf("\n");
}

static void
compare(struct drm_job *job)
{
	struct vc4_exec_info exec;
	struct vc4_submit_cl copy = job->submit;
	struct vc4_wait_seqno wait = { .timeout_ns = UINT64_C(1000000000) };
	int ours, theirs;

	ntaken = 0;
	memset(taken, 0, sizeof(taken));
	ours = vc4_ioctl(node, VC4_SUBMIT_CL, &copy);
	theirs = kernel_submit(job, &exec);
	if (theirs == 1 && ours == -EINVAL)
		faults++;
	else if (theirs != -EINVAL && ours == -EINVAL && is_not_modelled(job))
		missing++;
	else if ((theirs == 0 || theirs == -EALREADY) && ours == -EINVAL &&
		 (int32_t)exec.uniforms_size < 0)
		short_uniforms++;
	else if (ours != theirs || (ours == 0 && !is_same(job, &exec)))
		tell(job, ours, theirs);
	else if (ours == 0)
		accepted++;
	else
		refused++;
	wait.seqno = ours == 0 ? copy.seqno : 0;
	if (vc4_ioctl(node, VC4_WAIT_SEQNO, &wait) != 0)
		exit(2);
}

int
main(int argc, char **argv)
{
	const struct vc4_host host = { .context = &memory,
				       .take = take,
				       .give = vc4_memory_give };
	/* No job runs: it is what the V3D would get that is compared. */
	const struct vc4_options options = {
		.host = &host,
		.fault = { .kind = PI_LOST, .at = 1, .until = UINT64_MAX }
	};
	const struct sigaction action = { .sa_handler = on_signal };
	struct drm_job job = { .list = { 0 } };
	struct diag why;

	if (argc != 3) {
		fprintf(stderr, "usage: %s JOBS SEED\n", argv[0]);
		return 2;
	}
	state = strtoull(argv[2], NULL, 10);
	if (!vc4_memory_open(&memory, 64 << 20, &why))
		return 2;
	node = vc4_new(&options, &why);
	if (!node)
		return 2;
	device.bin_bo = &bin_memory;
	device.bin_alloc_size = BIN_SLOT_BYTES;
	sigaction(SIGSEGV, &action, NULL);
	make_buffers();
	for (unsigned long n = strtoul(argv[1], NULL, 10); n; n--) {
		describe(&job);
		mutate(&job);
		compare(&job);
	}
	drm_job_free(&job);
	vc4_free(node);
	vc4_memory_close(&memory);
	printf("jobs: %lu accepted and %lu refused by both, %lu where the kernel "
	       "would fault, %lu of what is not modelled, %lu with too few "
	       "uniforms, %lu different\n",
	       accepted, refused, faults, missing, short_uniforms, different);
	return different != 0;
}
