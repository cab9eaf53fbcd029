/* SPDX-License-Identifier: MIT */
/*
 * list_verdict: what became of a file since it was hashed.
 *
 * No clock is asked.  A file with the size and the time of its row is as it was
 * hashed, so that another digest is damage; a file with others was edited.
 */
#ifndef SRC_INPUTS_LIST_VERDICT_H
#define SRC_INPUTS_LIST_VERDICT_H

#include "src/inputs/list_rows.h"
#include "src/lanes/job.h"

enum list_verdict {
	VERDICT_SAME, /* it has the list's digest */
	VERDICT_EDITED,
	VERDICT_DAMAGED,
	VERDICT_UNKNOWN /* edited or damaged; the row has no witness */
};

/* Describe a regular file, at the time when it was hashed. */
struct list_witness
list_witness_of(const struct file_version *);

/* Describe the file of that name.  Return false with errno if it cannot be looked at,
 * or if it is neither a regular file nor a special one. */
bool
list_witness_look(const char *name, bool follow, struct list_witness *);

/*
 * Return true if both have one size and one time: to the nanosecond or, if one
 * time has no fraction of a second (FAT, zip and some servers), less than 2 s
 * apart.
 */
bool
list_witness_agrees(const struct list_witness *, const struct list_witness *);

/* Return true if the times are less than 2 s apart. */
bool
list_witness_is_near(const struct list_witness *, struct timespec time);

/* Judge a file that has been hashed, by the row of its name. */
enum list_verdict
list_judge(const struct list_row *row,
	   const uint8_t digest[SHA256_DIGEST_BYTES],
	   const struct list_witness *now);

/* Return true if the file is as it was hashed and need not be read.  A young row does
 * not show that, nor does a twin's with another inode. */
bool
list_is_as_hashed(const struct list_row *row, const struct list_witness *now);

#endif
