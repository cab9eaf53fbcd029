/* SPDX-License-Identifier: MIT */
/*
 * Promise: buffers of the kernel lie in its memory where they fit, are known by
 * their files, and cached ones show what was written only after a SYNC.
 */
#include "config.h"

#include "qpu/virtual/board/buffer.h"
#include "qpu/virtual/board/heap.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/virtual/made-board.h"

enum {
	START = 0x1c800000, /* 512 MiB less 48 and 8 */
	PAGE = 4096,
	CMA = 8 * MADE_MIB
};

static int room = -1; /* calls that find some, or -1 */

int
fallocate(int fd, int mode, off_t at, off_t bytes)
{
	struct stat status;

	(void)mode;
	if (room == 0 || at != 0 || fstat(fd, &status) != 0 ||
	    status.st_size != bytes) {
		errno = ENOSPC;
		return -1;
	}
	room -= room > 0;
	return 0;
}

/* No more descriptors than there are, or as many as usual. */
static void
limit_descriptors(bool limited)
{
	static struct rlimit usual;
	struct rlimit now;
	const int lowest = dup(1);

	close(lowest);
	if (limited) {
		getrlimit(RLIMIT_NOFILE, &usual);
		now = usual;
		now.rlim_cur = (rlim_t)lowest;
	} else {
		now = usual;
	}
	if (setrlimit(RLIMIT_NOFILE, &now) != 0)
		exit(99);
}

static struct vcsm_allocate got;

static int
take(uint32_t bytes)
{
	got = (struct vcsm_allocate){ .size = bytes, .num = 1, .handle = -2 };
	return buffer_allocate(&board, &got);
}

/* Where the last one is, from the begin of the kernel's memory. */
static bool
is_at(uint32_t offset)
{
	return got.dma_addr == (UINT32_C(0x80000000) | (START + offset));
}

static void
test_one(void)
{
	struct stat status = { .st_size = 0 };
	int first;

	ok(take(5000) == 0 && is_at(0) && got.vc_handle == 1,
	   "a buffer is at the begin of the kernel's memory");
	ok(fstat(got.handle, &status) == 0 && status.st_size == 2 * PAGE,
	   "its pages are those of a file");
	ok(buffer_of_file(&board, status.st_dev, status.st_ino) == 0 &&
		   buffer_of_file(&board, status.st_dev + 1, status.st_ino) ==
			   256 &&
		   buffer_of_file(&board, status.st_dev, status.st_ino + 1) ==
			   256,
	   "by which it is known");
	ok((fcntl(got.handle, F_GETFL) & O_ACCMODE) == O_RDWR &&
		   fcntl(got.handle, F_GETFD) == FD_CLOEXEC,
	   "the descriptor is of this process");
	first = got.handle;
	ok(take(PAGE) == 0 && is_at(3 * PAGE) && got.vc_handle == 2,
	   "a page lies between two");
	close(first);
	ok(buffer_of_file(&board, status.st_dev, status.st_ino) == 0 &&
		   buffer_collect(&board) &&
		   buffer_of_file(&board, status.st_dev, status.st_ino) == 256,
	   "it is free when its descriptor is closed");
	first = got.handle;
	ok(take(2 * PAGE) == 0 && is_at(0), "a gap is filled to the end");
	close(got.handle);
	ok(take(2 * PAGE + 1) == 0 && is_at(5 * PAGE),
	   "by a page more it is not");
	close(got.handle);
	close(first);
	ok(!buffer_collect(&board), "at the end none is left");
}

static void
test_limits(void)
{
	void *mappings[BOARD_BUFFERS];
	unsigned n = 0;
	int whole;

	ok(take(CMA + 1) == ENOMEM, "no more than the kernel has");
	ok(take(CMA) == 0 && is_at(0), "but all of it");
	whole = got.handle;
	ok(take(1) == ENOMEM, "and then no more");
	close(whole);
	ok(take(PAGE) == 0 && is_at(0), "it comes back");
	close(got.handle);
	got = (struct vcsm_allocate){ .size = 0xffffffff, .num = 0xffffffff };
	ok(buffer_allocate(&board, &got) == ENOMEM, "blocks are counted");
	got = (struct vcsm_allocate){ .size = 3, .num = 2048 };
	ok(buffer_allocate(&board, &got) == 0 &&
		   board.shared->buffers[0].bytes == 2 * PAGE,
	   "and their bytes added");
	close(got.handle);
	got = (struct vcsm_allocate){ .size = 16 };
	ok(buffer_allocate(&board, &got) == EINVAL && take(0) == EINVAL,
	   "none is no buffer");
	got = (struct vcsm_allocate){ .size = 16, .num = 1, .cached = 4 };
	ok(buffer_allocate(&board, &got) == EINVAL, "nor is a fourth cache");
	got.cached = 3;
	ok(buffer_allocate(&board, &got) == 0, "three there are");
	close(got.handle);
	while (n < BOARD_BUFFERS && take(PAGE) == 0) {
		mappings[n++] =
			mmap(NULL, PAGE, PROT_READ, MAP_SHARED, got.handle, 0);
		close(got.handle);
	}
	ok(n == 256 && is_at(255 * 2 * PAGE) && take(PAGE) == ENOMEM,
	   "there are 256 buffers");
	munmap(mappings[100], PAGE);
	ok(take(PAGE) == 0 && is_at(100 * 2 * PAGE),
	   "one that is no longer mapped is free");
	close(got.handle);
	while (n-- > 0)
		munmap(mappings[n], PAGE);
}

/* One page of each eight MiB cannot be moved. */
static void
test_holes(void)
{
	const uint32_t hole = 2 * MADE_MIB;
	int first;

	board.shared->options.cma_hole_mib = 2;
	ok(take(hole + 1) == ENOMEM, "no buffer is longer than a hole");
	ok(take(hole) == 0 && is_at(0), "one may be as long");
	first = got.handle;
	ok(take(hole) == 0 && is_at(hole + PAGE), "the next hole is behind it");
	close(first);
	first = got.handle;
	ok(take(hole - 2 * PAGE) == 0 && is_at(0), "the first is free again");
	close(first);
	first = got.handle;
	ok(take(2 * PAGE) == 0 && is_at(hole + PAGE),
	   "what does not fit behind it is in the second");
	close(got.handle);
	ok(take(PAGE) == 0 && is_at(hole - PAGE), "what does is not");
	close(got.handle);
	close(first);
	board.shared->options.cma_hole_mib = 0;
	ok(take(hole + 1) == 0 && is_at(0), "without holes all is one");
	close(got.handle);
}

static void
test_shown(void)
{
	static const char before[] = "CmaTotal:           8192 kB\n"
				     "CmaFree:            8192 kB\n";
	char text[128] = "", message[BOARD_PATH];
	int fd = open(made_path("root/proc/meminfo"),
		      O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int first;

	if (write(fd, before, strlen(before)) != (ssize_t)strlen(before))
		exit(99);
	take(3 * PAGE);
	first = got.handle;
	take(1);
	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		exit(99);
	is(text,
	   "CmaTotal:           8192 kB\n"
	   "CmaFree:            8176 kB\n",
	   "/proc/meminfo shows what is free");
	close(got.handle);
	close(fd);
	close(first);
	made_says();
	unlink(made_path("root/proc/meminfo"));
	ok(take(1) == 0, "without it a buffer is given, too");
	close(got.handle);
	snprintf(message, sizeof(message), "%s", made_says());
	is(message, "", "without a word");
}

static void
test_faults(void)
{
	struct emulated_options *device = &board.shared->options.device;
	char message[2 * BOARD_PATH];

	device->fault = DEVICE_NO_MEMORY;
	device->fault_at = board.shared->nallocations + 2;
	ok(take(1) == 0 && close(got.handle) == 0 && take(1) == ENOMEM &&
		   take(1) == ENOMEM,
	   "from the chosen one on none is given");
	device->fault = DEVICE_WRONG_LANE;
	ok(take(1) == 0, "other faults have nothing to do with it");
	close(got.handle);
	device->fault = DEVICE_NO_FAULT;

	snprintf(message, sizeof(message), "qpuemu: a buffer: %s: %s\n",
		 made_path("buffer.0"), strerror(ENOSPC));
	made_says();
	room = 0;
	ok(take(1) == ENOMEM && !board.shared->vcsm_lost &&
		   !buffer_collect(&board),
	   "none is given that there is no room for");
	is(made_says(), message, "which is said");
	ok(access(made_path("buffer.0"), F_OK) != 0, "nor is its file left");
	room = -1;

	limit_descriptors(true);
	ok(take(1) == ENOMEM && board.shared->vcsm_lost,
	   "without a descriptor a kernel loses the device");
	ok(!buffer_file_is_gone(&board, BOARD_BUFFER, 0),
	   "then it cannot be seen whether a file is used");
	limit_descriptors(false);
	is(made_says(),
	   "qpuemu: no descriptor for a buffer: a kernel would lose "
	   "/dev/vcsm-cma until the next boot\n",
	   "that is said");
	ok(!buffer_collect(&board), "there is no buffer then");
	ok(take(1) == ENOMEM, "and none later");
	board.shared->vcsm_lost = false;
}

static void
test_map(void)
{
	char *mapping;
	char byte = 'x';

	take(PAGE);
	mapping = buffer_map(&board, 0);
	ok(mapping && pwrite(got.handle, &byte, 1, 7) == 1 && mapping[7] == 'x',
	   "the QPUs see what the program writes");
	if (mapping)
		mapping[8] = 'y';
	ok(pread(got.handle, &byte, 1, 8) == 1 && byte == 'y',
	   "and the program what they do");
	close(got.handle);
	ok(buffer_collect(&board), "a mapping keeps a buffer");
	munmap(mapping, PAGE);
	ok(!buffer_collect(&board) && !buffer_map(&board, 200),
	   "there is nothing to map of others");
	board.soc = profile_soc(profile_of_name("pi3"));
	ok(take(PAGE) == 0 && got.dma_addr == (UINT32_C(0xc0000000) | START),
	   "later chips have another address of it");
	close(got.handle);
	board.soc = profile_soc(board.profile);
}

/* Cached memory -------------------------------------------------------------- */

static struct dma_heap_allocate cached;

static int
take_cached(uint64_t bytes, uint32_t fd, uint32_t fd_flags, uint64_t flags)
{
	cached = (struct dma_heap_allocate){ .bytes = bytes,
					     .fd = fd,
					     .fd_flags = fd_flags,
					     .heap_flags = flags };
	return heap_allocate(&board, &cached);
}

static void
test_cached(void)
{
	struct stat status;

	ok(take_cached(5000, 0, O_RDWR | O_CLOEXEC, 0) == 0,
	   "a cached buffer is given");
	ok(fstat((int)cached.fd, &status) == 0 && status.st_size == 2 * PAGE &&
		   buffer_of_file(&board, status.st_dev, status.st_ino) == 0,
	   "what the program has is one of its files");
	ok(stat(made_path("buffer.0"), &status) == 0 &&
		   status.st_size == 2 * PAGE &&
		   buffer_of_file(&board, status.st_dev, status.st_ino) == 0,
	   "what the QPUs see is another");
	ok(buffer_collect(&board), "one of them in use keeps it");
	close((int)cached.fd);
	ok(!buffer_collect(&board), "none does not");
	ok(take_cached(1, 1, O_RDWR, 0) == EINVAL &&
		   take_cached(1, 0, O_RDWR | O_APPEND, 0) == EINVAL &&
		   take_cached(1, 0, O_RDWR, 1) == EINVAL &&
		   take_cached(0, 0, O_RDWR, 0) == EINVAL,
	   "requests that are wrong are refused");
	ok(take_cached(CMA + 1, 0, 0, 0) == ENOMEM &&
		   take_cached(UINT64_MAX, 0, 0, 0) == ENOMEM,
	   "so are those of too much");
	made_says();
	room = 0;
	ok(take_cached(1, 0, 0, 0) == ENOMEM && !buffer_collect(&board),
	   "and those that there is no room for");
	room = 1;
	ok(take_cached(1, 0, 0, 0) == ENOMEM && !buffer_collect(&board),
	   "though it be for one of the files");
	room = -1;
	limit_descriptors(true);
	ok(take_cached(1, 0, 0, 0) == EMFILE, "a descriptor is needed");
	limit_descriptors(false);
	ok(!buffer_collect(&board), "without it there is no buffer");
}

static char
byte_of(const char *name)
{
	const int fd = open(made_path(name), O_RDONLY | O_CLOEXEC);
	char byte = '?';

	if (pread(fd, &byte, 1, PAGE - 1) != 1)
		byte = '!';
	close(fd);
	return byte;
}

static void
set_byte(const char *name, char byte)
{
	const int fd = open(made_path(name), O_WRONLY | O_CLOEXEC);

	if (pwrite(fd, &byte, 1, PAGE - 1) != 1)
		exit(99);
	close(fd);
}

static bool
are_bytes(char program, char qpus)
{
	return byte_of("cache.0") == program && byte_of("buffer.0") == qpus;
}

static void
test_sync(void)
{
	struct vcsm_import import = { .handle = -1 };
	const uint32_t handle = board.shared->next_handle;

	take_cached(PAGE, 0, O_RDWR, 0);
	set_byte("cache.0", 'a');
	ok(heap_sync(&board, 0, DMA_HEAP_END | DMA_HEAP_WRITES) == 0 &&
		   byte_of("buffer.0") == '\0',
	   "without an import there is nothing to do");
	ok(heap_import(&board, 0, &import) == 0 && are_bytes('a', 'a'),
	   "an import writes back what the program has written");
	ok(import.size == PAGE && import.vc_handle == handle &&
		   import.dma_addr == (UINT64_C(0x80000000) | START) &&
		   fcntl(import.handle, F_GETFD) == FD_CLOEXEC,
	   "it has a handle, a size and an address");
	set_byte("cache.0", 'b');
	heap_sync(&board, 0, DMA_HEAP_END | DMA_HEAP_READS);
	heap_sync(&board, 0, DMA_HEAP_WRITES);
	ok(are_bytes('b', 'a'), "what is written is not yet there");
	heap_sync(&board, 0, DMA_HEAP_END | DMA_HEAP_WRITES);
	ok(are_bytes('b', 'b'), "the end of writing brings it there");
	set_byte("buffer.0", 'c');
	heap_sync(&board, 0, DMA_HEAP_END | DMA_HEAP_READS);
	heap_sync(&board, 0, DMA_HEAP_WRITES);
	ok(are_bytes('b', 'c'), "a result is not yet seen");
	heap_sync(&board, 0, DMA_HEAP_READS);
	ok(are_bytes('c', 'c'), "the begin of reading shows it");
	close(import.handle);
	ok(heap_import(&board, 0, &import) == 0 &&
		   import.vc_handle == handle + 1,
	   "another import has another handle");
	unlink(made_path("cache.0"));
	ok(heap_import(&board, 0, &import) == ENOMEM &&
		   heap_sync(&board, 0, DMA_HEAP_READS) == ENOMEM,
	   "where one side is gone nothing can be copied");
	close(import.handle);
	close((int)cached.fd);
}

int
main(void)
{
	const struct board_options options = { .device = { .qpus = 12,
							   .mem_mib = 48 },
					       .v3d_mhz = 250,
					       .cma_mib = 8 };

	if (!made_begin("pi1", &options))
		return tap_done();
	test_one();
	test_limits();
	test_holes();
	test_shown();
	test_faults();
	test_map();
	test_cached();
	test_sync();
	return made_end();
}
