/* SPDX-License-Identifier: MIT */
/*
 * board_files: the private directory of a virtual board, with its nodes, its
 * memory, and the files of a Raspberry Pi below /proc and /sys.
 */
#ifndef SRC_TOOLS_QPUEMU_BOARD_FILES_H
#define SRC_TOOLS_QPUEMU_BOARD_FILES_H

#include <stdbool.h>

#include "qpu/virtual/board/shared.h"
#include "src/base/diag.h"

enum board_files_driver {
	BOARD_FILES_NO_DRIVER,
	BOARD_FILES_KMS,
	BOARD_FILES_FKMS
};

struct board_files_request {
	enum board_files_driver driver; /* who owns the V3D */
	bool vcio, vcsm, mem;		/* which nodes exist */
	bool classic;			/* and /dev/vcsm */
	const char *library;		/* absolute path of qpuemu.so */
};

/*
 * Make an empty private directory, in $TMPDIR unless others could replace it
 * there, else in /dev/shm or /tmp.  It is locked as long as this process lives:
 * directories there that were left behind by killed ones are removed.
 */
bool
board_files_make_directory(char dir[BOARD_PATH], struct diag *);

/* Fill it with files. */
bool
board_files_fill(const char *dir, const struct board_files_request *,
		 struct board_shared *, struct diag *);

/* Remove it and all files in it. */
void
board_files_remove(const char *dir);

#endif
