/* SPDX-License-Identifier: MIT */
/*
 * What classic programs call in libbcm_host, which is a link to our object.
 */
#include "config.h"

#include <stdint.h>

#include "qpu/virtual/next.h"
#include "qpu/virtual/world.h"

EXPORT void bcm_host_init(void);
EXPORT void bcm_host_deinit(void);
EXPORT unsigned bcm_host_get_peripheral_address(void);
EXPORT unsigned bcm_host_get_peripheral_size(void);
EXPORT unsigned bcm_host_get_sdram_address(void);
EXPORT int bcm_host_is_kms_active(void);
EXPORT int bcm_host_is_fkms_active(void);
EXPORT int bcm_host_is_model_pi4(void);
EXPORT int bcm_host_get_model_type(void);
EXPORT int bcm_host_get_processor_id(void);

static const struct soc *
soc_here(void)
{
	const struct world *world = world_get();

	return world ? world->soc : NULL;
}

void
bcm_host_init(void)
{
}

void
bcm_host_deinit(void)
{
}

unsigned
bcm_host_get_peripheral_address(void)
{
	return soc_here() ? soc_here()->peripherals : 0;
}

unsigned
bcm_host_get_peripheral_size(void)
{
	return 16 << 20;
}

unsigned
bcm_host_get_sdram_address(void)
{
	return soc_here() ? soc_here()->bus_alias : 0;
}

int
bcm_host_is_kms_active(void)
{
	return soc_here() && world_get()->state->options.kms;
}

int
bcm_host_is_fkms_active(void)
{
	return 0;
}

int
bcm_host_is_model_pi4(void)
{
	return bcm_host_get_processor_id() == 3;
}

/* Bits 11:4 of the revision. */
int
bcm_host_get_model_type(void)
{
	return soc_here() ? (int)(world_get()->profile->revision >> 4 & 0xff) :
			    -1;
}

int
bcm_host_get_processor_id(void)
{
	return soc_here() ? (int)soc_here()->processor : -1;
}
