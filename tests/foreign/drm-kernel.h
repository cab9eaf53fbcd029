/* SPDX-License-Identifier: MIT */
/*
 * drm-kernel: as much of a kernel as vc4_validate_shaders.c needs in a program.
 * drm-compare.sh includes this header before that file, with DRM_KERNEL set.
 */
#ifndef TESTS_FOREIGN_DRM_KERNEL_H
#define TESTS_FOREIGN_DRM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vc4_dev {
	int gen;
	bool is_vc5;
};
struct drm_gem_dma_object {
	struct {
		size_t size;
		struct vc4_dev *dev;
	} base;
	void *vaddr;
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

struct vc4_validated_shader_info *
vc4_validate_shader(struct drm_gem_dma_object *shader);

#ifdef DRM_KERNEL
#include <stdlib.h>
#include <string.h>
typedef uint32_t u32;
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
#endif

#endif
