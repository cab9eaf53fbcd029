/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/pipeline/tile_engines.h"

#include "qpu/abi/soc.h"
#include "qpu/device/tile_device.h"
#include "qpu/drm/drm.h"
#include "qpu/engine/tile_device_emu.h"
#include "qpu/tiles/engine_tiles.h"

enum engine_prospect
prospect_of_drm(void)
{
	switch (drm_look()) {
	case DRM_NO_PI:
	case DRM_OTHER_GPU:
	case DRM_NO_V3D: return PROSPECT_NONE;
	case DRM_NO_NODE:
	case DRM_NO_DEVICE: return PROSPECT_OTHER;
	default: return PROSPECT_SET_UP;
	}
}

static void
speed_of_board(const void *context, struct engine_speed *speed)
{
	(void)context;
	tiles_set_rate(speed, drm_speed(speed));
}

/* The emulated board is a Raspberry Pi 3. */
static void
speed_of_emulated(const void *context, struct engine_speed *speed)
{
	const struct soc *soc = soc_of_compatible("brcm,bcm2837");

	(void)context;
	soc_speed(soc, speed);
	tiles_set_rate(speed, soc->qpu_mhz);
	speed->modelled = true;
}

const struct engine engine_drm = {
	.name = "drm",
	.about = "the QPUs of a Raspberry Pi's VideoCore IV, by the kernel's "
		 "driver vc4",
	.looks_only = true,
	.speed = speed_of_board,
	.options = drm_option_rows,
	ENGINE_ON_TILES(device_drm),
};

const struct engine engine_emulated_tiles = {
	.name = "tiles",
	.about = "the same as fragment shaders of the kernel's driver vc4, "
		 "emulated",
	.speed = speed_of_emulated,
	.options = tiles_emulated_option_rows,
	ENGINE_ON_TILES(device_tiles_emulated),
};
