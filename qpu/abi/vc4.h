/* SPDX-License-Identifier: MIT */
/*
 * vc4: the requests of the Linux kernel's driver for the VideoCore IV, which
 * also drives the display.  A program reaches it by a render node,
 * /dev/dri/renderD128 or a higher number (Linux 6.1, include/uapi/drm/vc4_drm.h
 * and drm.h).  All structures are the same on 32 and 64 bits.
 *
 * A handle is the number of a buffer of one open node; a pointer is the
 * address of the caller's memory in 64 bits.
 */
#ifndef QPU_ABI_VC4_H
#define QPU_ABI_VC4_H

#include <assert.h>
#include <stdint.h>
#include <sys/ioctl.h>

enum { VC4_NODE_FIRST = 128, VC4_NODE_LAST = 191 }; /* renderD128.. */

/* Any driver: its name, "vc4" here. */
struct drm_version {
	int32_t major, minor, patch;
#if UINTPTR_MAX > UINT32_MAX
	uint32_t pad;
#endif
	uintptr_t name_bytes; /* in: room; out: length */
	char *name;
	uintptr_t date_bytes;
	char *date;
	uintptr_t about_bytes;
	char *about;
};

struct drm_gem_close {
	uint32_t handle;
	uint32_t pad;
};

enum vc4_param {
	VC4_PARAM_IDENT0,
	VC4_PARAM_IDENT1,
	VC4_PARAM_IDENT2,
	VC4_PARAM_BRANCHES,
	VC4_PARAM_ETC1,
	VC4_PARAM_THREADED_FS
};

struct vc4_get_param {
	uint32_t param;
	uint32_t pad;
	uint64_t value; /* out */
};

struct vc4_create_bo {
	uint32_t size;	 /* bytes */
	uint32_t flags;	 /* 0 */
	uint32_t handle; /* out */
	uint32_t pad;
};

struct vc4_mmap_bo {
	uint32_t handle;
	uint32_t flags;	 /* 0 */
	uint64_t offset; /* out: for mmap(2) of the node */
};

struct vc4_create_shader_bo {
	uint32_t size;	 /* bytes, a multiple of 8 */
	uint32_t flags;	 /* 0 */
	uint64_t data;	 /* pointer to the instructions */
	uint32_t handle; /* out */
	uint32_t pad;	 /* 0 */
};

#define VC4_NO_SURFACE UINT32_MAX

struct vc4_surface {
	uint32_t hindex; /* index into the handles, or VC4_NO_SURFACE */
	uint32_t offset;
	uint16_t bits; /* of a render configuration, load or store */
	uint16_t flags;
};

/* Bits of a colour surface: 4 samples a pixel, also for a store of one. */
enum { VC4_COLOR_MS_4X = 0x0001, VC4_COLOR_DECIMATE_4X = 0x0010 };
enum { VC4_SURFACE_IS_FULL_RES = 1 };

enum vc4_submit_flags { VC4_USE_CLEAR_COLOR = 1 };

struct vc4_submit_cl {
	uint64_t bin_cl;     /* pointers */
	uint64_t shader_rec; /* records, each after the handles it needs */
	uint64_t uniforms;   /* of each record: handles of lookups, words */
	uint64_t bo_handles;
	uint32_t bin_cl_size; /* bytes */
	uint32_t shader_rec_size;
	uint32_t shader_rec_count;
	uint32_t uniforms_size; /* bytes */
	uint32_t bo_handle_count;
	uint16_t width, height; /* pixels */
	uint8_t min_x_tile, min_y_tile, max_x_tile, max_y_tile;
	struct vc4_surface color_read, color_write, zs_read, zs_write;
	struct vc4_surface msaa_color_write, msaa_zs_write;
	uint32_t clear_color[2];
	uint32_t clear_z;
	uint8_t clear_s;
	uint8_t pad[3];
	uint32_t flags; /* enum vc4_submit_flags */
	uint64_t seqno; /* out */
	uint32_t perfmonid;
	uint32_t in_sync, out_sync;
	uint32_t pad2;
};

struct vc4_wait_seqno {
	uint64_t seqno;
	uint64_t timeout_ns; /* 0 = poll; after EINTR the rest */
};

static_assert(sizeof(struct vc4_submit_cl) == 176,
	      "the size is part of the request");

#define DRM_VERSION _IOWR('d', 0x00, struct drm_version)
#define DRM_GEM_CLOSE _IOW('d', 0x09, struct drm_gem_close)
#define VC4_SUBMIT_CL _IOWR('d', 0x40, struct vc4_submit_cl)
#define VC4_WAIT_SEQNO _IOWR('d', 0x41, struct vc4_wait_seqno)
#define VC4_CREATE_BO _IOWR('d', 0x43, struct vc4_create_bo)
#define VC4_MMAP_BO _IOWR('d', 0x44, struct vc4_mmap_bo)
#define VC4_CREATE_SHADER_BO _IOWR('d', 0x45, struct vc4_create_shader_bo)
#define VC4_GET_PARAM _IOWR('d', 0x47, struct vc4_get_param)

#endif
