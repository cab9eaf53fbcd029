/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/private_board.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "qpu/pi/gpu.h"

struct board *
board_new(const struct emulated_options *device, struct diag *why)
{
	enum {
		BASE = 0x00100000, /* the first pages are never given */
		GAPS = BOARD_BLOCKS * 2 * 4096
	};
	struct board *board = calloc(1, sizeof(*board));
	const struct board_options options = { .device = *device };

	if (board) {
		board->memory_base = BASE;
		board->memory_bytes = ((uint32_t)device->mem_mib << 20) + GAPS;
		board->profile = profile_rows;
		board->system = system_rows;
		board->soc = profile_soc(board->profile);
		board->shared = calloc(1, sizeof(*board->shared));
		board->gpu = gpu_new();
		board->memory = mmap(
			NULL, board->memory_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (board->memory == MAP_FAILED)
			board->memory = NULL;
	}
	if (board && board->shared && board->gpu && board->memory) {
		board_shared_init(board->shared, &options);
		return board;
	}
	diag_set(why, "out of memory");
	board_free(board);
	return NULL;
}

void
board_free(struct board *board)
{
	if (!board)
		return;
	gpu_free(board->gpu);
	if (board->memory)
		munmap(board->memory, board->memory_bytes);
	free(board->shared);
	free(board);
}
