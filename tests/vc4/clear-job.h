/* SPDX-License-Identifier: MIT */
/*
 * clear-job: the smallest job of the kernel's driver: all samples of 2 x 2 tiles get
 * a colour.
 */
#ifndef TESTS_VC4_CLEAR_JOB_H
#define TESTS_VC4_CLEAR_JOB_H

#include "qpu/abi/vc4.h"

static inline struct vc4_submit_cl
vc4_clear_job(const uint32_t *handle, uint32_t colour)
{
	const struct vc4_surface none = { .hindex = VC4_NO_SURFACE };

	return (struct vc4_submit_cl){
		.bo_handles = (uintptr_t)handle,
		.bo_handle_count = 1,
		.width = 64,
		.height = 64,
		.max_x_tile = 1,
		.max_y_tile = 1,
		.color_read = none,
		.color_write = { .hindex = VC4_NO_SURFACE,
				 .bits = VC4_COLOR_MS_4X |
					 VC4_COLOR_DECIMATE_4X },
		.zs_read = none,
		.zs_write = none,
		.msaa_zs_write = none,
		.clear_color = { colour, colour },
		.flags = VC4_USE_CLEAR_COLOR,
	};
}

#endif
