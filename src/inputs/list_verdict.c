/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/list_verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"

struct list_witness
list_witness_of(const struct file_version *version)
{
	return (struct list_witness){
		.size = version->size,
		.seconds = version->modified.tv_sec,
		.nanoseconds = (uint32_t)version->modified.tv_nsec,
		.inode = version->inode,
		.is_there = version->is_regular,
	};
}

bool
list_witness_look(const char *name, bool follow, struct list_witness *now)
{
	const int fd =
		descriptor_open(name, O_PATH | (follow ? 0 : O_NOFOLLOW));
	struct stat st = { .st_mode = 0 };

	if (fd < 0 || fstat(fd, &st) != 0)
		st.st_mode = 0;
	else if (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))
		errno = ENOENT;
	if (fd >= 0)
		close(fd);
	*now = list_witness_of(
		&(struct file_version){ .inode = st.st_ino,
					.size = st.st_size,
					.modified = st.st_mtim,
					.is_regular = S_ISREG(st.st_mode) });
	return st.st_mode && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode);
}

bool
list_witness_is_near(const struct list_witness *self, struct timespec time)
{
	const int64_t seconds = self->seconds, other = time.tv_sec;
	int64_t apart;

	if (seconds > other + 2 || other > seconds + 2)
		return false;
	apart = (seconds - other) * CLOCK_NS_PER_S +
		((int64_t)self->nanoseconds - time.tv_nsec);
	return apart > -2 * (int64_t)CLOCK_NS_PER_S &&
	       apart < 2 * (int64_t)CLOCK_NS_PER_S;
}

bool
list_witness_agrees(const struct list_witness *a, const struct list_witness *b)
{
	const struct timespec time = { .tv_sec = (time_t)b->seconds,
				       .tv_nsec = (long)b->nanoseconds };

	if (a->size != b->size)
		return false;
	if (a->seconds == b->seconds && a->nanoseconds == b->nanoseconds)
		return true;
	return (a->nanoseconds == 0 || b->nanoseconds == 0) &&
	       list_witness_is_near(a, time);
}

enum list_verdict
list_judge(const struct list_row *row,
	   const uint8_t digest[SHA256_DIGEST_BYTES],
	   const struct list_witness *now)
{
	if (list_row_has(row, digest))
		return VERDICT_SAME;
	if (!row->seen.is_there || !now->is_there)
		return VERDICT_UNKNOWN;
	return row->seen.is_young || !list_witness_agrees(&row->seen, now) ?
		       VERDICT_EDITED :
		       VERDICT_DAMAGED;
}

bool
list_is_as_hashed(const struct list_row *row, const struct list_witness *now)
{
	return row->seen.is_there && !row->seen.is_young && !row->is_accepted &&
	       list_witness_agrees(&row->seen, now) &&
	       !(row->is_twin && row->seen.inode != now->inode);
}
