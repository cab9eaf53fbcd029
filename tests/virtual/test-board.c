/* SPDX-License-Identifier: MIT */
/*
 * Promise: the virtual board's memory is given to one at a time and comes
 * back, and no message, however wrong, does harm.
 */
#include "config.h"

#include "qpu/virtual/board/buffer.h"
#include "qpu/virtual/board/firmware.h"
#include "qpu/virtual/board/heap.h"
#include "qpu/virtual/board/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/virtual/board/classic.h"
#include "qpu/virtual/board/gpu.h"
#include "tests/support/tap.h"

enum { MIB = 1 << 20, HELD = 100 };

static struct board board = { .dir = "test-virtual-XXXXXX" };
static uint64_t random_state = 88172645463325252;

static uint32_t
random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16);
}

static bool
begin(void)
{
	const struct board_options options = { .device = { .qpus = 12,
							   .mem_mib = 32 },
					       .v3d_mhz = 250,
					       .cma_mib = 64 };
	struct diag why;
	int fd;

	if (!mkdtemp(board.dir))
		return false;
	board.shared = board_shared_create(board.dir, &options, &why);
	board.profile = &profile_rows[0];
	board.soc = profile_soc(board.profile);
	board.memory_bytes = 32 * MIB;
	board.memory_base = profile_memory_base(board.profile, 32);
	fd = board_open(&board, BOARD_MEMORY, O_RDWR | O_CREAT);
	if (!board.shared || fd < 0 || ftruncate(fd, 32 * MIB) != 0)
		return false;
	close(fd);
	return true;
}

static void
end(void)
{
	char path[BOARD_PATH];

	for (unsigned i = 0; i < BOARD_BUFFERS; i++) {
		snprintf(path, sizeof(path), "%s/" BOARD_BUFFER "%u", board.dir,
			 i);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/%s", board.dir, BOARD_MEMORY);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", board.dir, BOARD_FILE);
	unlink(path);
	board_shared_unmap(board.shared);
	rmdir(board.dir);
}

/* --- Memory of the firmware ---------------------------------------------- */

struct held {
	uint32_t handle, address, bytes;
};

static bool
overlaps(const struct held *held, const struct held *one)
{
	for (unsigned i = 0; i < HELD; i++)
		if (&held[i] != one && held[i].handle &&
		    held[i].address < one->address + one->bytes &&
		    one->address < held[i].address + held[i].bytes)
			return true;
	return false;
}

/* One more, or one less; false when a promise is broken. */
static bool
change(struct held *held)
{
	struct held *one = &held[random_word() % HELD];
	const uint32_t alignment = 1u << random_word() % 16;

	if (one->handle) {
		const uint32_t handle = one->handle;

		one->handle = 0;
		return pool_unlock(&board, handle) == 0 &&
		       pool_release(&board, handle) == 0 &&
		       pool_lock(&board, handle) == 0;
	}
	one->bytes = random_word() % MIB + 1;
	one->handle = pool_allocate(&board, one->bytes, alignment,
				    random_word() & 0x70);
	if (!one->handle)
		return true;
	one->address = pool_lock(&board, one->handle);
	return one->address % alignment == 0 &&
	       one->address >= board.memory_base &&
	       one->address + one->bytes <=
		       board.memory_base + board.memory_bytes &&
	       !overlaps(held, one);
}

static void
test_pool(void)
{
	struct held held[HELD] = { { 0, 0, 0 } };
	uint32_t all;
	bool good = true;

	for (unsigned i = 0; i < 20000 && good; i++)
		good = change(held);
	ok(good, "memory is given to one at a time");
	for (unsigned i = 0; i < HELD && good; i++)
		if (held[i].handle)
			good = pool_unlock(&board, held[i].handle) == 0 &&
			       pool_release(&board, held[i].handle) == 0;
	all = pool_allocate(&board, 32 * MIB, 4096, 0x20);
	ok(good && all, "all of it comes back");
	ok(pool_allocate(&board, 1, 1, 0) == 0, "then there is no more");
	ok(pool_release(&board, all) == 0 && pool_release(&board, all) != 0,
	   "it is taken back once");
}

/* --- Memory of the kernel ------------------------------------------------ */

static void
test_buffers(void)
{
	struct vcsm_allocate request = { .size = 5000, .num = 1 };
	uint64_t first;
	void *mapping;
	int handles[4], extra;

	ok(buffer_allocate(&board, &request) == 0, "a buffer is given");
	first = request.dma_addr;
	mapping = mmap(NULL, 8192, PROT_READ, MAP_SHARED, request.handle, 0);
	close(request.handle);
	ok(mapping != MAP_FAILED && buffer_collect(&board),
	   "it stays while it is mapped");
	extra = buffer_allocate(&board, &request);
	ok(extra == 0 && request.dma_addr != first, "another is elsewhere");
	munmap(mapping, 8192);
	close(request.handle);
	ok(!buffer_collect(&board), "what nobody has is gone");

	request.size = 16 * MIB - 8192;
	for (unsigned i = 0; i < 4; i++)
		handles[i] = buffer_allocate(&board, &request) == 0 ?
				     request.handle :
				     -1;
	ok(handles[3] >= 0 && buffer_allocate(&board, &request) == ENOMEM,
	   "the kernel's memory ends");
	for (unsigned i = 0; i < 4; i++)
		close(handles[i]);
	request.num = 0xffffffff;
	ok(buffer_allocate(&board, &request) == ENOMEM,
	   "more than there can be is refused");
	request.num = 0;
	ok(buffer_allocate(&board, &request) == EINVAL, "nothing is refused");
}

/* --- Messages ------------------------------------------------------------ */

/* Tags that exist, mostly, with lengths that are right, mostly. */
static void
make_message(uint32_t *message, uint32_t words)
{
	static const uint32_t tags[] = { 0x1,	  0x10001, 0x10002, 0x10005,
					 0x10006, 0x30002, 0x30004, 0x30006,
					 0x30007, 0x3000c, 0x3000d, 0x3000e,
					 0x3000f, 0x30011, 0x30012, 0x30046,
					 0x30047, 0x38002, 0x12345, 0 };
	const unsigned ntags = sizeof(tags) / sizeof(*tags);

	for (uint32_t i = 0; i < words; i++)
		switch (random_word() % 4) {
		case 0: message[i] = tags[random_word() % ntags]; break;
		case 1: message[i] = random_word() % (4 * words); break;
		case 2: message[i] = random_word() % 8; break;
		default: message[i] = random_word(); break;
		}
	if (words > 2)
		message[2] = tags[random_word() % (ntags - 1)];
	if (words > 3 && random_word() % 4)
		message[3] = random_word() % 9 * 4;
}

/* What is behind the message is not touched; sanitizers see the rest. */
static void
test_messages(void)
{
	unsigned answered = 0, refused = 0;
	bool intact = true;

	for (unsigned i = 0; i < 50000; i++) {
		const uint32_t words = 3 + random_word() % 20;
		uint32_t *message = calloc(words + 1, sizeof(*message));
		const uint32_t mark = random_word();

		if (!message)
			break;
		make_message(message, words);
		message[words] = mark;
		if (firmware_answer(&board, message, words) == 0)
			answered += message[1] == 0x80000000;
		else
			refused += message[1] == 0x80000001;
		intact = intact && message[words] == mark;
		free(message);
	}
	ok(intact, "no answer is longer than its message");
	ok(answered + refused == 50000, "each message is answered or refused");
	ok(answered > 1000 && refused > 1000, "both happen often");
}

enum { SQRSV0 = 0x410, SQRSV1 = 0x414, VPMBASE = 0x504 };

/* A killed program has left the QPUs on, which are others from now on. */
static void
leave(enum dirt dirt)
{
	board.shared->options.dirt = dirt;
	board.shared->enabled = board.shared->left_on = 1;
	board.shared->resets++;
}

static void
test_dirt(void)
{
	leave(DIRT_SOME);
	ok(gpu_read(&board, VPMBASE) == 4 && gpu_read(&board, SQRSV0) == 0 &&
		   gpu_read(&board, SQRSV1) == 0x1111,
	   "some QPUs and rows of the VPM are not for user programs");
	gpu_enable(&board, true);
	gpu_enable(&board, false);
	ok(gpu_read(&board, VPMBASE) == 4,
	   "nor after others have come and gone");
	gpu_enable(&board, false);
	ok(gpu_read(&board, VPMBASE) == 0xdeadbeef, "until the power is off");
	gpu_enable(&board, true);
	ok(gpu_read(&board, VPMBASE) == 16 && gpu_read(&board, SQRSV1) == 0,
	   "after that all of them are");
	leave(DIRT_ALL);
	ok(gpu_read(&board, VPMBASE) == 0 &&
		   gpu_read(&board, SQRSV0) == 0x11111111 &&
		   gpu_read(&board, SQRSV1) == 0x1111,
	   "or none is");
	gpu_enable(&board, false);
	leave(DIRT_NONE);
	ok(gpu_read(&board, VPMBASE) == 16,
	   "QPUs that were left on, but clean");
	gpu_enable(&board, false);
}

/* What lies behind a block is nobody's, and who maps it hears of its end. */
static void
test_blocks(void)
{
	const uint32_t first = pool_allocate(&board, 64, 16, 0);
	const uint32_t second = pool_allocate(&board, 64, 16, 0);
	const uint32_t a = pool_lock(&board, first);
	const uint32_t b = pool_lock(&board, second);
	uint32_t changes;

	ok((a > b ? a - b : b - a) >= 2 * 64, "a gap lies between two blocks");
	pool_lock(&board, first);
	changes = board.shared->changes;
	pool_unlock(&board, first);
	ok(board.shared->changes == changes, "a block that was locked twice");
	pool_unlock(&board, first);
	ok(board.shared->changes != changes, "is locked until the second end");
	changes = board.shared->changes;
	ok(pool_release(&board, second) == 0 &&
		   board.shared->changes != changes,
	   "one that is released while it is locked is gone for all");
	pool_release(&board, first);
}

/* File systems that are full tell so when memory is given, not by SIGBUS. */
static bool is_full;

int
fallocate(int fd, int mode, off_t at, off_t bytes)
{
	struct stat st;

	(void)mode;
	if (!is_full && fstat(fd, &st) == 0 && at + bytes <= st.st_size)
		return 0;
	errno = ENOSPC;
	return -1;
}

static void
test_no_room(void)
{
	struct dma_heap_allocate heap = { .bytes = 4096 };
	struct vcsm_allocate vcsm = { .size = 4096, .num = 1 };
	char path[BOARD_PATH] = "test-virtual-XXXXXX";
	uint32_t handle;
	struct diag why;

	is_full = true;
	ok(pool_allocate(&board, 4096, 16, 0) == 0,
	   "no GPU memory where there is no room for it");
	ok(buffer_allocate(&board, &vcsm) == ENOMEM && !board.shared->vcsm_lost,
	   "nor a buffer, and /dev/vcsm-cma is not lost");
	ok(heap_allocate(&board, &heap) == ENOMEM, "nor one of the heap");
	ok(mkdtemp(path) &&
		   !board_shared_create(path, &board.shared->options, &why) &&
		   strstr(why.text, strerror(ENOSPC)),
	   "nor a board: %s", why.text);
	strcat(path, "/" BOARD_FILE);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	is_full = false;
	handle = pool_allocate(&board, 4096, 16, 0);
	ok(handle && pool_release(&board, handle) == 0 &&
		   buffer_allocate(&board, &vcsm) == 0,
	   "when there is room again, all goes on");
	close(vcsm.handle);
}

/* A buffer of 4096 bytes by /dev/vcsm; its handle, or 0. */
static uint32_t
take_classic(void)
{
	enum { ALLOCATE = 0x5a, HANDLE_OUT = 11 };
	uint32_t words[CLASSIC_WORDS] = { 4096, 1 };

	return classic_answer(&board, ALLOCATE, words) == 0 ?
		       words[HANDLE_OUT] :
		       0;
}

/* Those of the firmware have none, and those of the dead are free. */
static void
test_owners(void)
{
	const uint32_t plain = pool_allocate(&board, 4096, 4096, 0);
	uint32_t offset, bytes, mine, handle = 0;
	int ends[2];

	ok(!classic_place(&board, (uint64_t)plain << 12, &offset, &bytes),
	   "memory of the firmware is no buffer of /dev/vcsm");
	if (pipe2(ends, O_CLOEXEC) != 0)
		exit(99);
	if (fork() == 0) {
		handle = take_classic();
		_exit(write(ends[1], &handle, sizeof(handle)) < 0);
	}
	wait(NULL);
	if (read(ends[0], &handle, sizeof(handle)) != sizeof(handle))
		exit(99);
	ok(handle && classic_place(&board, handle, &offset, &bytes),
	   "a buffer is there after the end of its process");
	mine = take_classic();
	ok(mine && (handle == mine ||
		    !classic_place(&board, handle, &offset, &bytes)),
	   "until another one is taken");
	ok(take_classic() && classic_place(&board, mine, &offset, &bytes),
	   "those of the living stay");
	pool_release(&board, plain);
	close(ends[0]);
	close(ends[1]);
}

/* Programs that never end belong to the process that has started them. */
static void
test_child(void)
{
	enum { SRQPC = 0x430, SRQUA = 0x434, SRQCS = 0x43c };
	static const char text[] = ":a brr -, :a\nnop\nnop\nnop\n";
	const uint64_t *instructions = &board.shared->totals.instructions;
	const uint32_t handle = pool_allocate(&board, 4096, 4096, 0);
	const uint32_t bus = pool_lock(&board, handle);
	const int fd = board_open(&board, BOARD_MEMORY, O_RDWR);
	struct qpu_asm_program program;
	uint8_t words[8 * 8] = { 0 };
	uint64_t before = *instructions;
	int status = -1;

	if (!qpu_asm_text("loop", text, strlen(text), NULL, &program) ||
	    program.nwords > 8)
		exit(99);
	for (size_t i = 0; i < program.nwords; i++)
		qpu_word_store(words + 8 * i, program.words[i].word);
	qpu_asm_free(&program);
	if (pwrite(fd, words, sizeof(words),
		   (off_t)pool_find(&board, handle)->offset) != sizeof(words) ||
	    close(fd) != 0 || gpu_enable(&board, true) != 0)
		exit(99);
	gpu_write(&board, SRQUA, bus);
	gpu_write(&board, SRQPC, bus);
	gpu_read(&board, SRQCS);
	ok(*instructions > before, "a program goes on with each look at it");
	before = *instructions;
	if (fork() == 0) {
		gpu_read(&board, SRQCS);
		_exit(*instructions != before);
	}
	wait(&status);
	ok(status == 0, "but not when a child looks");
	gpu_read(&board, SRQCS);
	ok(*instructions > before, "and again for its parent");
	gpu_enable(&board, false);
	pool_unlock(&board, handle);
	pool_release(&board, handle);
}

int
main(void)
{
	const int silent = open("/dev/null", O_WRONLY);

	/* The board tells of each launch that could not be. */
	dup2(silent, STDERR_FILENO);
	if (!ok(begin(), "a board is made"))
		return tap_done();
	test_pool();
	test_blocks();
	test_buffers();
	test_owners();
	test_child();
	test_dirt();
	test_messages();
	test_no_room();
	end();
	return tap_done();
}
