/* SPDX-License-Identifier: MIT */
/*
 * firmware: answers property messages, those of section 14.
 */
#ifndef QPU_VIRTUAL_FIRMWARE_H
#define QPU_VIRTUAL_FIRMWARE_H

#include <stdint.h>

#include "qpu/virtual/world.h"

/*
 * Answer a message of `words` whole words in place.  0, or the errno that the
 * kernel's ioctl gives.  Called with the state's lock held.
 */
int
firmware_answer(const struct world *, uint32_t *message, uint32_t words);

#endif
