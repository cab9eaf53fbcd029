/* SPDX-License-Identifier: MIT */
/*
 * part: the share of all files that --part=K/N selects.
 *
 * A file belongs to the part that its name says, by a digest of the name in its
 * shortest form, and so to the same one whatever other files there are: a list
 * may grow between one part and the next, and machines that walk a tree at the
 * same time agree about each file without asking each other.
 */
#ifndef SRC_INPUTS_PART_H
#define SRC_INPUTS_PART_H

#include <stdbool.h>

#include "src/base/text.h"
#include "src/inputs/input_options.h"

/* "K/N" with 1 <= K <= N.  False: it is something else. */
bool
part_parse(struct input_part *, const char *value);

/*
 * Is the file in the part?  All are if there is no such option, and also where
 * memory is too short to tell: a file that is hashed twice does no harm.  The
 * text is the caller's, for the shortest form of the name.
 */
bool
part_has(const struct input_part *, struct text *path, const char *name);

#endif
