/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/holes.h"

#include <errno.h>
#include <linux/magic.h>
#include <unistd.h>

#include "src/base/descriptor.h"

enum { STAT_BLOCK_BYTES = 512 }; /* unit of st_blocks; stat(2) */

/* File systems whose SEEK_DATA and SEEK_HOLE are trusted. */
static const uint32_t trusted_file_systems[] = {
	BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC,
	TMPFS_MAGIC,	   XFS_SUPER_MAGIC,
};

void
holes_init(struct holes *holes, int fd, const struct stat *st, size_t bytes)
{
	*holes = (struct holes){ .any = false };
	holes->any = S_ISREG(st->st_mode) && st->st_size >= (off_t)bytes &&
		     st->st_blocks < st->st_size / STAT_BLOCK_BYTES &&
		     descriptor_is_on(fd, trusted_file_systems,
				      sizeof(trusted_file_systems) /
					      sizeof(*trusted_file_systems));
}

bool
holes_cover(struct holes *holes, int fd, uint64_t at, size_t bytes)
{
	struct stat st;
	off_t data, end;

	if (!holes->any || at < holes->data_end)
		return false;
	data = lseek(fd, (off_t)at, SEEK_DATA);
	if (data < 0 && errno == ENXIO) {
		/* Either no data follow, or the file has become shorter. */
		return fstat(fd, &st) == 0 &&
		       (uint64_t)st.st_size >= at + bytes;
	}
	if (data > (off_t)at)
		return (uint64_t)data >= at + bytes;
	holes->any = data >= 0;
	if (holes->any) {
		end = lseek(fd, (off_t)at, SEEK_HOLE);
		holes->any = end >= 0;
		holes->data_end = (uint64_t)end;
	}
	return false;
}
