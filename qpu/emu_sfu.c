/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/emu_sfu.h"

#include <math.h>
#include <string.h>

#include "qpu/emu_float.h"
#include "qpu/isa.h"

static double
function(unsigned waddr, double x)
{
	switch (waddr) {
	case QPU_W_RECIP:
		return x == 0 ? (double)INFINITY : 1 / x;
	case QPU_W_RECIPSQRT:
		return x == 0 ? (double)INFINITY : 1 / sqrt(fabs(x));
	case QPU_W_EXP:
		return exp2(x);
	default:
		return x == 0 ? (double)-INFINITY : log2(fabs(x));
	}
}

/*
 * The hardware has 10 to 12 good bits; which wrong ones it has is not known,
 * so the correctly rounded value is given.
 */
void
emu_sfu(unsigned waddr, const emu_vec *x, emu_vec *result)
{
	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const float in = emu_float_value(emu_float_flush((*x)[lane]));
		const double out = function(waddr, (double)in);

		(*result)[lane] = emu_float_flush(emu_float_bits((float)out));
	}
}
