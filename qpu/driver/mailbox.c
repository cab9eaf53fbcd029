/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/mailbox.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* A message with a single tag (hardware reference, section 14). */
struct message {
	uint32_t bytes;
	uint32_t code;
	struct {
		uint32_t id;
		uint32_t value_bytes; /* of the larger direction */
		uint32_t length;      /* of what goes in; comes back with
					 * MAILBOX_TAG_RESPONSE */
	} tag;
	uint32_t values[MAILBOX_VALUES];
	uint32_t end; /* behind a full set of values */
};

/*
 * What fails is told in two ways: newer kernels return an error when the
 * firmware's code is not success, older ones leave it to us to look.  A tag
 * that the firmware does not know comes back as it was.
 */
bool
mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values, unsigned request,
	     unsigned response)
{
	const unsigned most = request > response ? request : response;
	struct message message = { .code = MAILBOX_REQUEST,
				   .tag.id = tag,
				   .tag.value_bytes = most * 4,
				   .tag.length = request * 4 };

	if (most > MAILBOX_VALUES) {
		errno = EINVAL;
		return false;
	}
	/* Where the values end comes the tag 0. */
	message.bytes =
		(uint32_t)offsetof(struct message, values) + most * 4 + 4;
	memcpy(message.values, values, request * 4);
	if (ioctl(fd, MAILBOX_IOCTL, &message) < 0)
		return false;
	if (message.code != MAILBOX_SUCCESS ||
	    !(message.tag.length & MAILBOX_TAG_RESPONSE)) {
		errno = EIO;
		return false;
	}
	memcpy(values, message.values, response * 4);
	return true;
}
