/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever messages a program sends to the firmware of the virtual
 * board, each is answered or refused within its own words, and no handle,
 * address or launch reaches beyond the board's memory.
 *
 * The input is the beginning of GPU memory, and messages: a byte with the
 * number of words, and the words.
 */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "qpu/pi/profile.h"
#include "qpu/pi/virtual_firmware.h"
#include "tests/fuzz/fuzz.h"

/* With 16 MiB or less a firmware has no QPUs; only the first one is there. */
enum { MEMORY_MIB = 32 };
enum { MIB = 1 << 20, MOST_WORDS = 40, CODE_BYTES = 1024 };

static struct board board = { .dir = "fuzz-mailbox-XXXXXX" };
static struct board_shared *fresh; /* as it was at first */

static void
remove_files(void)
{
	char path[BOARD_PATH];

	snprintf(path, sizeof(path), "%s/%s", board.dir, BOARD_MEMORY);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", board.dir, BOARD_FILE);
	unlink(path);
	rmdir(board.dir);
}

/* A launch that does not end is given up soon. */
static const struct system impatient = { .name = "fuzz", .kernel_ms = 1 };

static void
begin(void)
{
	const struct board_options options = {
		.device = { .qpus = 2, .mem_mib = MEMORY_MIB }, .cma_mib = 1
	};
	struct diag why;
	int fd;

	FUZZ_HOLDS(mkdtemp(board.dir));
	atexit(remove_files);
	board.system = &impatient;
	board.shared = board_shared_create(board.dir, &options, &why);
	FUZZ_HOLDS(board.shared);
	board.profile = &profile_rows[0];
	board.soc = profile_soc(board.profile);
	board.memory_bytes = MIB;
	board.memory_base = profile_memory_base(board.profile, MEMORY_MIB);
	fd = board_open(&board, BOARD_MEMORY, O_RDWR | O_CREAT);
	FUZZ_HOLDS(fd >= 0 && ftruncate(fd, MIB) == 0);
	close(fd);
	fresh = malloc(sizeof(*fresh));
	FUZZ_HOLDS(fresh);
	memcpy(fresh, board.shared, sizeof(*fresh));
}

/* Only the numbers of changes and resets go on: caches of memory and the state
 * of the QPUs depend on them. */
static void
boot(void)
{
	const uint32_t changes = board.shared->changes + 1;
	const uint32_t resets = board.shared->resets + 1;

	memcpy(board.shared, fresh, sizeof(*fresh));
	board.shared->changes = changes;
	board.shared->resets = resets;
	memset(board_gpu_memory(&board), 0, MIB);
}

static void
send_message(const uint8_t *words, uint32_t n)
{
	uint32_t *message = (uint32_t *)(void *)fuzz_copy(words, 4 * n);
	const int error = firmware_answer(&board, message, n);

	FUZZ_HOLDS(error != 0 || message[1] == 0x80000000 ||
		   message[1] == 0x80000001);
	free(message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const size_t code = len / 2 < CODE_BYTES ? len / 2 : CODE_BYTES;

	if (!board.shared)
		begin();
	boot();
	memcpy(board_gpu_memory(&board), data, code);
	data += code;
	len -= code;
	while (len > 0) {
		const uint32_t n = 3 + *data % (MOST_WORDS - 2);

		if (len < 1 + 4 * n)
			break;
		send_message(data + 1, n);
		data += 1 + 4 * n;
		len -= 1 + 4 * n;
	}
	return 0;
}
