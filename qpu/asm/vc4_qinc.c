/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/asm/source.h"

#include <string.h>

/* qpu-setup(7) explains the fields.  A function that checks its arguments uses
 * in_range; a count of 16, 64 or 128 is 0 in its field. */
/* clang-format off */
const char asm_vc4_qinc[] =
	".set in_range(n, least, most) (n >= least && n <= most)\n"
	/* How a vector lies in the VPM: for vpm_setup. */
	".func vpm_vector(shape, y, x, part, last)\n"
	" .assert in_range(y, 0, 63) && in_range(x, 0, 15) && in_range(part, 0, last)\n"
	" shape | (y | x) * (last + 1) | part\n"
	".endf\n"
	".func vpm_column(shape, y, x, part, last)\n"
	" .assert y % 16 == 0\n"
	" vpm_vector(shape, y, x, part, last)\n"
	".endf\n"
	".func h32(y)\n vpm_vector(0xa00, y, 0, 0, 0)\n.endf\n"
	".func h16p(y, h)\n vpm_vector(0x900, y, 0, h, 1)\n.endf\n"
	".func h16l(y, h)\n vpm_vector(0xd00, y, 0, h, 1)\n.endf\n"
	".func h8p(y, b)\n vpm_vector(0x800, y, 0, b, 3)\n.endf\n"
	".func h8l(y, b)\n vpm_vector(0xc00, y, 0, b, 3)\n.endf\n"
	".func v32(y, x)\n vpm_column(0x200, y, x, 0, 0)\n.endf\n"
	".func v16p(y, x, h)\n vpm_column(0x100, y, x, h, 1)\n.endf\n"
	".func v16l(y, x, h)\n vpm_column(0x500, y, x, h, 1)\n.endf\n"
	".func v8p(y, x, b)\n vpm_column(0, y, x, b, 3)\n.endf\n"
	".func v8l(y, x, b)\n vpm_column(0x400, y, x, b, 3)\n.endf\n"
	".func vpm_setup(num, stride, vector)\n"
	" .assert in_range(num, 0, 16) && in_range(stride, -64, 64) && in_range(vector, 0, 0xfff)\n"
	" num % 16 << 20 | (stride & 63) << 12 | vector\n"
	".endf\n"
	/* Loads by DMA. */
	".func vdr_place(shape, vpitch, y, x)\n"
	" .assert in_range(vpitch, 0, 16) && in_range(y, 0, 63) && in_range(x, 0, 15)\n"
	" shape | vpitch % 16 << 12 | y << 4 | x\n"
	".endf\n"
	".func vdr_h32(vpitch, y, x)\n vdr_place(0, vpitch, y, x)\n.endf\n"
	".func vdr_v32(vpitch, y, x)\n vdr_place(0x800, vpitch, y, x)\n.endf\n"
	".func vdr_setup_0(mpitch, rowlen, nrows, place)\n"
	" .assert in_range(mpitch, 0, 15)\n"
	" .assert in_range(rowlen, 0, 16) && in_range(nrows, 0, 16)\n"
	" .assert !(place & ~0x7000ffff) && place >> 28 != 1\n"
	" 0x80000000 | mpitch << 24 | rowlen % 16 << 20 | nrows % 16 << 16 | place\n"
	".endf\n"
	".func vdr_setup_1(stride)\n"
	" .assert in_range(stride, 0, 0x3fff)\n"
	" 0x90000000 | stride\n"
	".endf\n"
	/* Stores by DMA. */
	".func vdw_place(shape, y, x, part, most)\n"
	" .assert in_range(y, 0, 127) && in_range(x, 0, 15) && in_range(part, 0, most)\n"
	" shape | y << 7 | x << 3 | part\n"
	".endf\n"
	".func dma_h32(y, x)\n vdw_place(0x4000, y, x, 0, 0)\n.endf\n"
	".func dma_h16p(y, x, h)\n vdw_place(0x4002, y, x, h, 1)\n.endf\n"
	".func dma_h8p(y, x, b)\n vdw_place(0x4004, y, x, b, 3)\n.endf\n"
	".func dma_v32(y, x)\n vdw_place(0, y, x, 0, 0)\n.endf\n"
	".func dma_v16p(y, x, h)\n vdw_place(2, y, x, h, 1)\n.endf\n"
	".func dma_v8p(y, x, b)\n vdw_place(4, y, x, b, 3)\n.endf\n"
	".func vdw_setup_0(units, depth, place)\n"
	" .assert in_range(units, 0, 128) && in_range(depth, 0, 128) && in_range(place, 0, 0x7fff)\n"
	" 0x80000000 | units % 128 << 23 | depth % 128 << 16 | place\n"
	".endf\n"
	".func vdw_setup_1(stride)\n"
	" .assert in_range(stride, 0, 0xffff)\n"
	" 0xc0000000 | stride\n"
	".endf\n"
	".set vdw_setup_1p(stride) vdw_setup_1(stride) | 0x10000\n"
	/* Numbers. */
	".set min(x, y) x * (x < y) + y * (x >= y)\n"
	".set max(x, y) x * (x > y) + y * (x <= y)\n"
	".func ilog2(x)\n"
	" .lset n, 0 - (x == 0)\n"
	" .rep i, 63\n"
	"  .set n, n + (x >>> i + 1 != 0)\n"
	" .endr\n"
	" n\n"
	".endf\n"
	".func countBits(x)\n"
	" .lset n, 0\n"
	" .rep i, 64\n"
	"  .set n, n + (x >>> i & 1)\n"
	" .endr\n"
	" n\n"
	".endf\n"
	".func reverseBits(x, bits)\n"
	" .lset n, 0\n"
	" .rep i, bits\n"
	"  .set n, n << 1 | x >>> i & 1\n"
	" .endr\n"
	" n\n"
	".endf\n"
	".set reverseBits4(x) reverseBits(x, 4)\n"
	".set reverseBits8(x) reverseBits(x, 8)\n"
	".set reverseBits16(x) reverseBits(x, 16)\n"
	".set reverseBits32(x) reverseBits(x, 32)\n"
	".set reverseBits64(x) reverseBits(x, 64)\n"
	".set M_E, exp(1)\n"
	".set M_LOG2E, 1 / log(2)\n"
	".set M_LOG10E, 1 / log(10)\n"
	".set M_LN2, log(2)\n"
	".set M_LN10, log(10)\n"
	".set M_PI, 4 * atan(1)\n"
	".set M_2PI, 8 * atan(1)\n"
	".set M_PI_2, 2 * atan(1)\n"
	".set M_PI_4, atan(1)\n"
	".set M_1_PI, 0.25 / atan(1)\n"
	".set M_2_PI, 0.5 / atan(1)\n"
	".set M_2_SQRTPI, 1 / sqrt(atan(1))\n"
	".set M_SQRT2, sqrt(2)\n"
	".set M_SQRT1_2, sqrt(0.5)\n"
	".set M_NAN, 0. / 0.\n"
	".set M_INF, 1. / 0.\n";
/* clang-format on */

bool
asm_vc4_qinc_defines(const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = asm_vc4_qinc; (at = strstr(at, name)); at += len)
		if (at > asm_vc4_qinc && at[-1] == ' ' &&
		    (at[len] == '(' || at[len] == ',') &&
		    (strncmp(at - 5, ".set", 4) == 0 ||
		     strncmp(at - 6, ".func", 5) == 0))
			return true;
	return false;
}
