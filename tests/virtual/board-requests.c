/* SPDX-License-Identifier: MIT */
/*
 * board-requests: ioctl() and mmap() of a program on a virtual board, with the
 * numbers and structures of the kernel's headers.  It knows nothing of qpuemu.
 * Run with the name of a part; prints TAP.
 *
 *	kernel		/dev/vcsm-cma and the heap, with the wrong and the good
 *	caches BITS	of a kernel of 32 bits or 64
 *	messages	of the mailbox, with the wrong and the good
 *	others		nodes and files that have no such requests
 *	render NODE	buffers and a job of the kernel's driver vc4
 *	crowded		the same without memory
 *	killed		the same until a signal ends the process
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/abi/vc4.h"
#include "tests/support/tap.h"
#include "tests/virtual/board-parts.h"
#include "tests/virtual/kernel-requests.h"

struct caches {
	uint32_t operations, pad;
	struct {
		uint32_t mode, blocks;
		const void *start;
		uint32_t bytes, stride;
	} of[3];
};

enum { PAGE = 4096 };

static int
node(const char *path)
{
	const int fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);

	if (fd < 0)
		ok(false, "%s is opened", path);
	return fd;
}

/* Return true if a request ends with this errno, or succeeds for 0. The signal
 * mask differs each time, and must stay. */
static bool
ends(int fd, unsigned long request, void *argument, int error)
{
	static int blocked = SIGUSR1;
	sigset_t set, after;
	int status;

	blocked = blocked == SIGUSR1 ? SIGUSR2 : SIGUSR1;
	sigemptyset(&set);
	sigaddset(&set, blocked);
	sigprocmask(SIG_SETMASK, &set, NULL);
	errno = 0;
	status = ioctl(fd, request, argument);
	if (error ? status != -1 || errno != error : status != 0)
		return false;
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < SIGRTMIN; i++)
		if (sigismember(&after, i) != (i == blocked))
			return false;
	return true;
}

static void
test_vcsm(void)
{
	struct vcsm_alloc alloc = { .size = 5000, .num = 1 };
	const int vcsm = node("/dev/vcsm-cma");
	struct stat st;

	ok(ends(vcsm, VCSM_ALLOC, &alloc, 0) && alloc.vc_handle != 0 &&
		   alloc.dma_addr >> 30 == 2 && fstat(alloc.handle, &st) == 0 &&
		   st.st_size == 2 * PAGE,
	   "a buffer has a descriptor, a handle and an address");
	ok(ends(vcsm, VCSM_ALLOC + 1, &alloc, EINVAL) &&
		   ends(vcsm, MAILBOX, &alloc, EINVAL),
	   "/dev/vcsm-cma refuses requests that it does not know");
	alloc.num = 0;
	ok(ends(vcsm, VCSM_ALLOC, &alloc, EINVAL),
	   "an empty buffer is refused");
	ok(ends(alloc.handle, HEAP_SYNC, &(uint64_t){ 5 }, 0),
	   "uncached memory needs no SYNC");
	ok(ends(alloc.handle, HEAP_SYNC, &(uint64_t){ 0 }, EINVAL) &&
		   ends(alloc.handle, HEAP_SYNC, &(uint64_t){ 4 }, EINVAL) &&
		   ends(alloc.handle, HEAP_SYNC, &(uint64_t){ 9 }, EINVAL),
	   "a SYNC that is wrong is refused");
	close(alloc.handle);
	close(vcsm);
}

static unsigned
count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned n = 0;

	for (int byte; maps && (byte = getc(maps)) != EOF;)
		n += byte == '\n';
	if (maps)
		fclose(maps);
	return n;
}

static void
test_heap(void)
{
	struct heap_alloc alloc = { .bytes = 5000, .fd_flags = O_RDWR };
	struct vcsm_import import = { .dmabuf = -1 };
	const int heap = node("/dev/dma_heap/linux,cma");
	const int vcsm = node("/dev/vcsm-cma");
	unsigned mappings;
	char byte = 'a';
	struct stat st;

	ok(ends(heap, HEAP_ALLOC, &alloc, 0) &&
		   fstat((int)alloc.fd, &st) == 0 && st.st_size == 2 * PAGE,
	   "cached memory has a descriptor");
	ok(ends(heap, HEAP_ALLOC, &alloc, EINVAL) &&
		   ends(heap, VCSM_ALLOC, &alloc, ENOTTY) &&
		   ends(heap, HEAP_SYNC, &alloc, ENOTTY),
	   "the heap refuses requests that it does not know");
	ok(ends(vcsm, VCSM_IMPORT, &import, EINVAL),
	   "an import of no buffer is refused");
	import.dmabuf = heap;
	ok(ends(vcsm, VCSM_IMPORT, &import, EINVAL),
	   "an import of another file is refused");
	import.dmabuf = (int)alloc.fd;
	if (pwrite((int)alloc.fd, &byte, 1, 0) != 1)
		exit(99);
	ok(ends(vcsm, VCSM_IMPORT, &import, 0) && import.size == 2 * PAGE &&
		   import.vc_handle != 0 && import.dma_addr >> 30 == 2 &&
		   pread(import.handle, &byte, 1, 0) == 1 && byte == 'a',
	   "an import shows what was written");
	byte = 'b';
	if (pwrite((int)alloc.fd, &byte, 1, 0) != 1)
		exit(99);
	ok(pread(import.handle, &byte, 1, 0) == 1 && byte == 'a' &&
		   ends((int)alloc.fd, HEAP_SYNC, &(uint64_t){ 6 }, 0) &&
		   pread(import.handle, &byte, 1, 0) == 1 && byte == 'b',
	   "an import shows after a SYNC what was written later");
	mappings = count_mappings();
	for (unsigned i = 0; i < 8; i++)
		ends((int)alloc.fd, HEAP_SYNC, &(uint64_t){ i % 2 ? 6 : 1 }, 0);
	ok(count_mappings() < mappings + 8, "a SYNC leaves no mapping behind");
	close(import.handle);
	close((int)alloc.fd);
	close(heap);
	close(vcsm);
}

static void
kernel(void)
{
	test_vcsm();
	test_heap();
}

/* Of kernels of 32 bits only. */
static void
caches(void)
{
	const bool has = strcmp(part_words[0], "32") == 0;
	struct caches caches = { .operations = 1,
				 .of = { { .mode = 3, .bytes = 64 } } };

	ok(ends(node("/dev/vcsm-cma"), VCSM_CACHES, &caches, has ? 0 : EINVAL),
	   "a kernel of %s bits %s cache operations", part_words[0],
	   has ? "has" : "has no");
}

/* Memory of the firmware with flags for the alias 0xc0000000, if they arrive. */
static bool
has_flags(int vcio, uint32_t bytes)
{
	uint32_t take[] = { bytes, 0, 0x3000c, 12, 12, 64, 64, 4, 0 };
	uint32_t lock[] = { 28, 0, 0x3000d, 4, 4, 0, 0 };

	if (ioctl(vcio, MAILBOX, take) != 0 || take[7] != 4)
		return false;
	lock[5] = take[5];
	return ioctl(vcio, MAILBOX, lock) == 0 && lock[5] >> 30 == 3;
}

static void
messages(void)
{
	static const struct {
		uint32_t bytes;
		int error;
	} rows[] = {
		{ 0, EINVAL },
		{ 4, EINVAL },
		{ 8, EINVAL },
		{ 12, 0 },
		{ 13, EINVAL },
		{ 14, EINVAL },
		{ 16, 0 },
		{ 0x100004, EINVAL },
		{ 0x80000000, EINVAL },
		{ 0xffffffff, EINVAL },
	};
	static const uint32_t ask[] = { 32, 0, 0x10006, 8, 0, 0, 0, 0 };
	uint32_t unknown[] = { 52,	7, 0x10006, 8, 0, 0, 0,
			       0x12345, 4, 0,	    0, 0, 0 },
		 sent[13];
	/* With a page after it that cannot be read. */
	uint8_t *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int vcio = node("/dev/vcio");

	mprotect(page + PAGE, PAGE, PROT_NONE);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memset(page, 0, PAGE);
		memcpy(page, &rows[i].bytes, sizeof(rows[i].bytes));
		ok(ends(vcio, MAILBOX, page, rows[i].error),
		   "a message of %u bytes is %s", (unsigned)rows[i].bytes,
		   rows[i].error ? "refused" : "answered");
	}
	memcpy(page + 1, ask, sizeof(ask));
	ok(ends(vcio, MAILBOX, page + 1, 0),
	   "a message at an odd address is answered");
	memcpy(page + PAGE - sizeof(ask), ask, sizeof(ask));
	ok(ends(vcio, MAILBOX, page + PAGE - sizeof(ask), 0),
	   "a message may end where memory does");
	memcpy(sent, unknown, sizeof(sent));
	ok(ends(vcio, MAILBOX, unknown, EINVAL) &&
		   memcmp(sent, unknown, sizeof(sent)) == 0,
	   "a message with an unknown tag comes back as it was sent");
	ok(has_flags(vcio, 36), "a message with an end keeps its last value");
	ok(!has_flags(vcio, 32),
	   "a message without an end loses its last value, as in the kernel");
}

static void
others(void)
{
	uint32_t message[4] = { 16 };
	int ends_of_pipe[2], n = 0, (*other)(int, unsigned long, ...);
	const int vcio = node("/dev/vcio"), null = open("/dev/null", O_RDWR);
	bool good = true;

	ok(ends(vcio, MAILBOX, message, 0) && message[1] == 0x80000000,
	   "the mailbox answers");
	ok(ends(vcio, VCSM_ALLOC, message, EINVAL) &&
		   ends(vcio, HEAP_ALLOC, message, EINVAL),
	   "the mailbox refuses requests of other nodes");
	message[0] = 16;
	message[1] = 0;
	for (n = 0; n < 3; n++)
		good = ends(vcio, MAILBOX ^ (4u ^ 8u) << _IOC_SIZESHIFT,
			    message, 0) &&
		       message[1] == 0x80000000 && good;
	ok(good,
	   "the mailbox answers the number of the other size of pointers");
	*(void **)&other = dlsym(RTLD_DEFAULT, "__ioctl_time64");
	message[1] = 0;
	ok(other && other(vcio, MAILBOX, message) == 0 &&
		   message[1] == 0x80000000,
	   "the mailbox answers by the function of another size of times");
	ok(ends(node("/dev/mem"), MAILBOX, message, ENOTTY),
	   "/dev/mem knows no request");
	ok(ends(null, MAILBOX, message, ENOTTY) &&
		   ends(null, HEAP_SYNC, message, ENOTTY) &&
		   ends(null, VCSM_ALLOC, message, ENOTTY),
	   "requests to a file of this machine are passed on");
	ok(ends(-1, MAILBOX, message, EBADF) &&
		   ends(-1, HEAP_SYNC, message, EBADF),
	   "requests to no file are passed on");
	if (pipe(ends_of_pipe) != 0 || write(ends_of_pipe[1], "abc", 3) != 3)
		exit(99);
	ok(ends(ends_of_pipe[0], FIONREAD, &n, 0) && n == 3,
	   "a request of a pipe is passed on");
}

/* The kernel's driver vc4 ----------------------------------------------------- */

enum { BUFFER = 65536 };

static unsigned
free_kib(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		(void)sscanf(line, "CmaFree: %u", &kib);
	if (file)
		fclose(file);
	return kib;
}

static uint32_t
make_buffer(int fd)
{
	struct vc4_create_bo request = { .size = BUFFER };

	ok(ends(fd, VC4_CREATE_BO, &request, 0), "a buffer is made");
	return request.handle;
}

static uint32_t *
map_buffer(int fd, uint32_t handle)
{
	struct vc4_mmap_bo request = { .handle = handle };
	void *memory = MAP_FAILED;

	if (ioctl(fd, VC4_MMAP_BO, &request) == 0)
		memory = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED,
			      fd, (off_t)request.offset);
	return memory == MAP_FAILED ? NULL : memory;
}

static void
test_identity(int fd)
{
	struct vc4_get_param param = { .param = VC4_PARAM_IDENT0 };
	char name[16] = "";
	struct drm_version version = { .name = name,
				       .name_bytes = sizeof(name) };

	ok(ends(fd, DRM_VERSION, &version, 0) && strcmp(name, "vc4") == 0 &&
		   ends(fd, VC4_GET_PARAM, &param, 0) &&
		   param.value == 0x02443356,
	   "the driver and the V3D are known");
}

/* All samples of 2 x 2 tiles get a colour. */
static void
test_clear(int fd, uint32_t handle, const uint32_t *memory)
{
	const struct vc4_surface none = { .hindex = VC4_NO_SURFACE };
	struct vc4_submit_cl job = {
		.bo_handles = (uintptr_t)&handle,
		.bo_handle_count = 1,
		.width = 64,
		.height = 64,
		.max_x_tile = 1,
		.max_y_tile = 1,
		.color_read = none,
		.color_write = { .hindex = VC4_NO_SURFACE,
				 .bits = VC4_COLOR_MS_4X |
					 VC4_COLOR_DECIMATE_4X },
		.zs_read = none,
		.zs_write = none,
		.msaa_zs_write = none,
		.clear_color = { 0x5eed, 0x5eed },
		.flags = VC4_USE_CLEAR_COLOR
	};
	struct vc4_wait_seqno wait = { .timeout_ns = UINT64_C(5000000000) };
	bool good = ends(fd, VC4_SUBMIT_CL, &job, 0);

	wait.seqno = job.seqno;
	good = good && ends(fd, VC4_WAIT_SEQNO, &wait, 0);
	ok(good && memory[0] == 0x5eed && memory[BUFFER / 4 - 1] == 0x5eed,
	   "a job stores to a buffer that is mapped by its offset");
}

static bool
is_seen_by_child(int fd, uint32_t handle, uint32_t *memory)
{
	int status = 1;
	pid_t child;

	memory[1] = 7;
	child = fork();
	if (child == 0) {
		uint32_t *again = map_buffer(fd, handle);

		if (again && again[1] == 7)
			again[1] = 8;
		_exit(!again);
	}
	waitpid(child, &status, 0);
	return status == 0 && memory[1] == 8;
}

static void
render(void)
{
	/* thrend; nop; nop */
	static const uint64_t code[] = { UINT64_C(0x300009e7009e7000),
					 UINT64_C(0x100009e7009e7000),
					 UINT64_C(0x100009e7009e7000) };
	struct vc4_create_shader_bo program = { .size = sizeof(code),
						.data = (uintptr_t)code };
	const unsigned all = 256 << 10;
	const int fd = node(part_words[0]), other = node(part_words[0]);
	const int same = dup(fd);
	const uint32_t handle = make_buffer(fd);
	uint32_t *memory = map_buffer(fd, handle);
	struct vc4_mmap_bo request = { .handle = handle };

	test_identity(fd);
	/* And the binner's 16 MiB. */
	ok(free_kib() == all - 64 - (16 << 10),
	   "contiguous memory is taken by the first buffer");
	test_clear(fd, handle, memory);
	ok(ends(same, VC4_MMAP_BO, &request, 0) &&
		   ends(other, VC4_MMAP_BO, &request, EINVAL),
	   "a buffer is of the open node, whatever its descriptor");
	close(same);
	ok(ends(same, VC4_MMAP_BO, &request, EBADF) &&
		   is_seen_by_child(fd, handle, memory),
	   "it stays after the close of one, and in a child");
	ok(ends(fd, VC4_CREATE_SHADER_BO, &program, 0) &&
		   !map_buffer(fd, program.handle) && errno == EINVAL,
	   "a program cannot be written");
	munmap(memory, BUFFER);
	close(fd);
	ok(free_kib() == all, "memory is given back with the last descriptor");
}

static void
crowded(void)
{
	struct vc4_create_bo buffer = { .size = BUFFER };

	ok(ends(node("/dev/dri/renderD128"), VC4_CREATE_BO, &buffer, ENOMEM),
	   "a buffer is refused where the binner's memory does not fit");
}

static void
killed(void)
{
	make_buffer(node("/dev/dri/renderD128"));
	raise(SIGKILL);
}

int
main(int argc, char **argv)
{
	static const struct board_part parts[] = {
		{ "kernel", kernel },	  { "caches", caches },
		{ "messages", messages }, { "others", others },
		{ "render", render },	  { "crowded", crowded },
		{ "killed", killed },	  { NULL, NULL },
	};

	return board_part_run(argc, argv, parts);
}
