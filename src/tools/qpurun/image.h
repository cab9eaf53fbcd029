/* SPDX-License-Identifier: MIT */
/*
 * image: files as memory of the emulated machine.
 *
 * Written as FILE@ADDR, FILE@ADDR:rw or ZERO:SIZE@ADDR; ADDR is a hexadecimal
 * bus address, SIZE in bytes.  "-" is standard input.
 */
#ifndef SRC_TOOLS_QPURUN_IMAGE_H
#define SRC_TOOLS_QPURUN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/diag.h"

struct run_image {
	const char *path; /* null: zeros */
	char *spec;	  /* owns what path points to */
	uint32_t addr;
	bool writable; /* goes back to its file */
	bool code;
	uint8_t *bytes;
	size_t len;  /* of the file */
	size_t room; /* of the memory: len in whole words */
};

bool
run_image_parse(const char *text, bool code, struct run_image *image,
		struct diag *why);
bool
run_image_read(struct run_image *image, struct diag *why);

/* How many bytes of the file's memory differ from the file; 0 if it cannot be
 * read again. */
size_t
run_image_stored(const struct run_image *image);
bool
run_image_write(const struct run_image *image, struct diag *why);
void
run_image_free(struct run_image *image);

#endif
