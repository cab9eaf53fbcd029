/* SPDX-License-Identifier: MIT */
/*
 * drm-kernel: as much of a kernel as vc4_validate_shaders.c, vc4_validate.c and
 * vc4_render_cl.c need in a program.  drm-compare.sh includes this header before
 * these files, with DRM_KERNEL set.  Without it: what both comparisons share.
 */
#ifndef TESTS_FOREIGN_DRM_KERNEL_H
#define TESTS_FOREIGN_DRM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct drm_gem_object {
	size_t size;
	struct vc4_dev *dev;
};
struct drm_gem_dma_object {
	struct drm_gem_object base;
	void *vaddr;
	uint32_t dma_addr;
};
struct vc4_bo {
	struct drm_gem_dma_object base;
	uint64_t write_seqno;
	struct vc4_validated_shader_info *validated_shader;
	int unref_head;
};
struct vc4_dev {
	int gen;
	bool is_vc5;
	struct vc4_bo *bin_bo;
	uint32_t bin_alloc_size;
};
struct vc4_texture_sample_info {
	bool is_direct;
	uint32_t p_offset[4];
};
struct vc4_validated_shader_info {
	uint32_t uniforms_size, uniforms_src_size, num_texture_samples;
	struct vc4_texture_sample_info *texture_samples;
	uint32_t num_uniform_addr_offsets;
	uint32_t *uniform_addr_offsets;
	bool is_threaded;
};

/* What a submitted job is while it is checked. */
struct vc4_exec_info {
	struct vc4_dev *dev;
	struct drm_vc4_submit_cl *args;
	struct drm_gem_object **bo;
	uint32_t bo_count;
	struct drm_gem_dma_object *exec_bo, *rcl_write_bo[4];
	struct vc4_shader_state {
		uint32_t addr, max_index;
	} * shader_state;
	uint32_t shader_state_size, shader_state_count, rcl_write_bo_count;
	uint64_t bin_dep_seqno;
	uint32_t bo_index[2];
	bool found_tile_binning_mode_config_packet, found_flush;
	bool found_start_tile_binning_packet, found_increment_semaphore_packet;
	uint8_t bin_tiles_x, bin_tiles_y;
	uint32_t tile_alloc_offset, bin_slots, ct0ca, ct0ea, ct1ca, ct1ea;
	void *bin_u, *shader_rec_u, *shader_rec_v, *uniforms_u, *uniforms_v;
	uint32_t shader_rec_p, shader_rec_size, uniforms_p, uniforms_size;
	int unref_list;
};

struct vc4_validated_shader_info *
vc4_validate_shader(struct drm_gem_dma_object *shader);
int
vc4_validate_bin_cl(struct vc4_dev *, void *validated, void *list,
		    struct vc4_exec_info *);
int
vc4_validate_shader_recs(struct vc4_dev *, struct vc4_exec_info *);
int
vc4_get_rcl(struct vc4_dev *, struct vc4_exec_info *);
struct drm_gem_dma_object *
vc4_use_bo(struct vc4_exec_info *, uint32_t index);
bool
vc4_check_tex_size(struct vc4_exec_info *, struct drm_gem_dma_object *,
		   uint32_t offset, uint8_t tiling, uint32_t width,
		   uint32_t height, uint8_t cpp);
int
vc4_v3d_get_bin_slot(struct vc4_dev *, long timeout);
/* The renderer's list, `bytes` of it at most. */
struct vc4_bo *
vc4_bo_create(struct vc4_dev *, size_t bytes, bool zeroed, int type);
/* The kernel would stop here. */
void
kernel_bug(void);

#ifdef DRM_KERNEL
#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
#define drm_device vc4_dev
#define container(member, type) ((type *)(void *)(member))
#define to_drm_gem_dma_obj(object) container(object, struct drm_gem_dma_object)
#define to_vc4_bo(object) container(object, struct vc4_bo)
#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))
#define round_up(n, to) (((n) + (to)-1) / (to) * (to))
#define roundup round_up
#define DIV_ROUND_UP(n, by) (((n) + (by)-1) / (by))
#define BIT(n) (1ul << (n))
#define GENMASK(high, low) (BIT((high) + 1) - BIT(low))
#define BUG_ON(condition) ((condition) ? kernel_bug() : (void)0)
#define FIELD_GET(mask, word) (((word) & (mask)) / ((mask) & -(mask)))
#define FIELD_PREP(mask, value) ((value) * ((mask) & -(mask)))
#define FIELD_FIT(mask, value) (!((value) & ~FIELD_GET(mask, mask)))
#define IS_ERR(pointer) (!(pointer))
#define PTR_ERR(pointer) (-ENOMEM)
#define list_add_tail(entry, list) ((void)0)
#define MAX_SCHEDULE_TIMEOUT 0
#define VC4_BO_TYPE_RCL 0
#define ERESTARTSYS 512
#define DRM_INFO(...) ((void)0)
#define drm_err(...) ((void)0)
#define pr_err(...) ((void)0)
#define WARN_ON(condition) (condition)
#define GFP_KERNEL 0
#define kcalloc(n, size, flags) calloc(n, size)
#define kzalloc_objs(object, n) calloc(n, sizeof(object))
#define krealloc(old, size, flags) realloc(old, size)
#define krealloc_array(old, n, size, flags) realloc(old, (n) * (size))
#define kfree free
#define DRM_DEBUG(...) ((void)0)
#define DRM_ERROR(...) ((void)0)
#define WARN_ON_ONCE(condition) (condition)
#define LONG_BITS (8 * sizeof(long))
#define BITS_TO_LONGS(n) (((n) + LONG_BITS - 1) / LONG_BITS)
#define set_bit(at, bits) ((bits)[(at) / LONG_BITS] |= 1ul << (at) % LONG_BITS)
#define test_bit(at, bits) ((bits)[(at) / LONG_BITS] >> (at) % LONG_BITS & 1)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define to_vc4_dev(device) (device)
enum { VC4_GEN_4, VC4_GEN_5 };
#else
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"

static uint64_t state;

static uint32_t
random_below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 33) % n);
}

/* Lines end with a semicolon.  Returns how many words they are. */
static unsigned
assemble(const char *lines, uint64_t *words)
{
	struct qpu_asm_program code;
	char source[512] = "";
	unsigned n;

	strncpy(source, lines, sizeof(source) - 1);
	for (char *c = source; (c = strchr(c, ';')); c++)
		*c = '\n';
	if (!qpu_asm_text("t", source, strlen(source), NULL, &code))
		exit(2);
	n = (unsigned)code.nwords;
	for (unsigned i = 0; i < n; i++)
		words[i] = code.words[i].word;
	qpu_asm_free(&code);
	return n;
}
#endif

#endif
