/* SPDX-License-Identifier: MIT */
/*
 * board_files: what is in the private directory of a virtual board: its nodes,
 * its memory, and the files of a Raspberry Pi below /proc and /sys.
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
	unsigned heap;			/* of board_files_heaps */
	const char *library;		/* absolute path of qpuemu.so */
};

/* Names that the heap of the kernel's memory may have; ends with NULL. */
extern const char *const board_files_heaps[];

/* Fill the private directory with files. */
bool
board_files_fill(const char *dir, const struct board_files_request *,
		 struct board_shared *, struct diag *);

#endif
