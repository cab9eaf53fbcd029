/* SPDX-License-Identifier: MIT */
/* step: architectures on which accesses cannot be trapped. */
#include "config.h"

#include "qpu/virtual/mmio/step.h"

#if !defined(STEP_X86) && !defined(STEP_ARM64)

bool
step_supported(void)
{
	return false;
}

bool
step_open(struct diag *why)
{
	diag_set(why, "accesses to mapped registers cannot be seen on this "
		      "kind of processor");
	return false;
}

#endif
