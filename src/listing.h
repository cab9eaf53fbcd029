/* SPDX-License-Identifier: MIT */
/* listing: --list-devices, one line for each device and engine. */
#ifndef SRC_LISTING_H
#define SRC_LISTING_H

void
listing_print(void);

#endif
