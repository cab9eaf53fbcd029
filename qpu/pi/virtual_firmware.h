/* SPDX-License-Identifier: MIT */
/*
 * virtual_firmware: answers the property messages of section 14.
 */
#ifndef QPU_PI_VIRTUAL_FIRMWARE_H
#define QPU_PI_VIRTUAL_FIRMWARE_H

#include <stdint.h>

#include "qpu/pi/virtual_board.h"

/* Answer one tag in place: its values come and go.  0 or an errno. */
int
firmware_answer_tag(const struct board *, uint32_t tag, uint32_t *values);

/*
 * Answer a message of `words` whole words in place.  0, or the errno that the
 * kernel's ioctl gives.  Called with the board's lock held.
 */
int
firmware_answer(const struct board *, uint32_t *message, uint32_t words);

#endif
