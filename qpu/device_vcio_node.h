/* SPDX-License-Identifier: MIT */
/*
 * node: a descriptor of one of the board's nodes.
 */
#ifndef QPU_DEVICE_VCIO_NODE_H
#define QPU_DEVICE_VCIO_NODE_H

/*
 * For reading and writing, with further flags of open(); -1 and errno.  Never
 * one of the standard streams, even where these are closed: whoever writes
 * messages there would write to the firmware or, through /dev/mem, anywhere.
 */
int
node_open(const char *name, int flags);

#endif
