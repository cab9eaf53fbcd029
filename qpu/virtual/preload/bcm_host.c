/* SPDX-License-Identifier: MIT */
/*
 * Functions of libbcm_host for classic programs; the library is a link to
 * qpuemu.so.
 */
#include "config.h"

#include <stdint.h>

#include "qpu/virtual/board/board.h"
#include "qpu/virtual/preload/next.h"

EXPORT void
bcm_host_init(void);
EXPORT void
bcm_host_deinit(void);
EXPORT unsigned
bcm_host_get_peripheral_address(void);
EXPORT unsigned
bcm_host_get_peripheral_size(void);
EXPORT unsigned
bcm_host_get_sdram_address(void);
EXPORT int
bcm_host_is_kms_active(void);
EXPORT int
bcm_host_is_fkms_active(void);
EXPORT int
bcm_host_is_model_pi4(void);
EXPORT int
bcm_host_get_model_type(void);
EXPORT int
bcm_host_get_processor_id(void);

static const struct soc *
soc_here(void)
{
	const struct board *board = board_get();

	return board ? board->soc : NULL;
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
	return soc_here() && board_get()->shared->options.kms;
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
	return soc_here() ? (int)(board_get()->profile->revision >> 4 & 0xff) :
			    -1;
}

int
bcm_host_get_processor_id(void)
{
	return soc_here() ? (int)soc_here()->processor : -1;
}
