/* SPDX-License-Identifier: MIT */
/*
 * Functions of libbcm_host for classic programs; the library is a link to
 * qpuemu.so.
 */
#include "config.h"

#include "qpu/pi/virtual_board.h"
#include "qpu/virtual/mmio/next.h"

static const struct soc *
soc_here(void)
{
	const struct board *board = board_get();

	return board ? board->soc : NULL;
}

EXPORT void
bcm_host_init(void)
{
}

EXPORT void
bcm_host_deinit(void)
{
}

EXPORT unsigned
bcm_host_get_peripheral_address(void)
{
	return soc_here() ? soc_here()->peripherals : 0;
}

EXPORT unsigned
bcm_host_get_peripheral_size(void)
{
	return 16 << 20;
}

EXPORT unsigned
bcm_host_get_sdram_address(void)
{
	return soc_here() ? soc_here()->bus_alias : 0;
}
