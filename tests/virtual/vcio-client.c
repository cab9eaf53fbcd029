/* SPDX-License-Identifier: MIT */
/*
 * vcio-client: a program for the QPUs as people write them, with numbers from
 * the documentation and none from our headers.  It knows nothing of qpuemu.
 *
 *	raw WORD...	send one property message of hexadecimal words; its
 *			length is put before them.  Print what came back.
 *	hello CODE [NODE]
 *			run the program qpu/examples/hello.m4 in memory of
 *			the firmware, seen through /dev/mem
 *	vcsm CODE	the same in a buffer of /dev/vcsm-cma
 *	vcsm-alloc MIB...
 *			take such buffers one after the other; print what is
 *			left
 *	vcsm-hold MIB...
 *			the same; then say "held", and keep them until standard
 *			input ends
 *	heap CODE [WORD]
 *			hello in a cached buffer of /dev/dma_heap, imported;
 *			without the SYNC "end" or "start", or with the "import"
 *			closed too early
 *	classic CODE	hello in a buffer of /dev/vcsm, the older module
 *	classic-leave	take such a buffer, and end
 *	direct CODE	hello, started by registers
 *	queued CODE [MEMORY]
 *			the same, where the second program and its memory (of
 *			the firmware, or "vcsm") come while the first runs
 *	mknod NAME CODE	the same with a node that we make
 *	fork CODE	the same, where a child does the work
 *	threads CODE	the same in many threads at once
 *	leak		enable, take and lock memory, and end
 *	map ADDRESS BYTES
 *			map physical memory
 *	wrong		send messages of wrong sizes and at wrong addresses
 *	ioctl NODE REQUEST
 *			any request with an empty message
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/virtual/vcio_buffers.h"
#include "tests/virtual/vcio_hello.h"

/* The registers of a Raspberry Pi 1, ready for programs. */
static volatile uint32_t *
map_registers(void)
{
	volatile uint32_t *v3d = mapmem(0x20c00000, 4096);

	if (v3d == MAP_FAILED)
		die("registers");
	v3d[0xe00 / 4] = 0;
	v3d[0xe2c / 4] = 0;
	v3d[0xe30 / 4] = ~0u;
	v3d[0x20 / 4] = 1 << 2;
	v3d[0x24 / 4] = ~0u;
	v3d[0x43c / 4] = 1 << 7 | 1 << 8 | 1 << 16;
	return v3d;
}

static void
queue(volatile uint32_t *v3d, const struct memory *m, unsigned qpu)
{
	v3d[0x434 / 4] = m->bus + UNIFORMS_AT + qpu * 16;
	v3d[0x430 / 4] = m->bus + CODE_AT;
}

static unsigned
ended(volatile uint32_t *v3d)
{
	return v3d[0x43c / 4] >> 16 & 0xff;
}

static int
direct(const char *code)
{
	int mbox = enable("/dev/vcio");
	struct memory m = take(mbox);
	volatile uint32_t *v3d = map_registers();
	int status;

	fill(&m, code);
	queue(v3d, &m, 0);
	queue(v3d, &m, 1);
	while (ended(v3d) != 2)
		;
	status = show(&m, 0);
	munmap((void *)v3d, 4096);
	give_back(mbox, &m);
	disable(mbox);
	return status;
}

static int
queued(const char *code, bool vcsm)
{
	int mbox = enable("/dev/vcio");
	struct memory m = take(mbox), later;
	volatile uint32_t *v3d = map_registers();
	unsigned looks = 0;
	int status;

	fill(&m, code);
	queue(v3d, &m, 0);
	if (ended(v3d) != 0)
		printf("the first program has ended\n");
	later = vcsm ? take_buffer() : take(mbox);
	fill(&later, code);
	queue(v3d, &later, 1);
	while (ended(v3d) != 2 && looks < 100000)
		looks++;
	memcpy((void *)(m.arm + RESULT_AT + 64),
	       (const void *)(later.arm + RESULT_AT + 64), 64);
	status = show(&m, looks == 100000);
	munmap((void *)v3d, 4096);
	if (!vcsm)
		give_back(mbox, &later);
	give_back(mbox, &m);
	disable(mbox);
	return status;
}

static int
make_node(const char *name, const char *code)
{
	struct stat status;
	int result;

	unlink(name);
	if (mknod(name, S_IFCHR | 0600, makedev(100, 0)) < 0)
		die("mknod");
	if (stat(name, &status) < 0 || !S_ISCHR(status.st_mode) ||
	    major(status.st_rdev) != 100)
		printf("%s is no node\n", name);
	result = hello(code, name);
	unlink(name);
	return result;
}

/* The child has the descriptor, the memory and the mapping of its parent. */
static int
in_child(const char *code)
{
	int mbox = enable("/dev/vcio"), status = 0;
	struct memory m = take(mbox);
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		fill(&m, code);
		_exit(execute(mbox, &m) != 0);
	}
	waitpid(child, &status, 0);
	status = show(&m,
		      WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : ~0u);
	give_back(mbox, &m);
	disable(mbox);
	return status;
}

/* Two QPUs for each of them; they take turns. */
static void *
in_thread(void *code)
{
	long wrong = 0;
	int mbox = enable("/dev/vcio");

	for (int i = 0; i < 8; i++) {
		struct memory m = take(mbox);

		fill(&m, code);
		wrong += execute(mbox, &m) != 0 || !is_right(&m);
		give_back(mbox, &m);
	}
	disable(mbox);
	return (void *)wrong;
}

static int
in_threads(char *code)
{
	pthread_t threads[4];
	long wrong = 0;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, in_thread, code) != 0)
			die("pthread_create");
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		wrong += (long)result;
	}
	printf("%ld wrong\n", wrong);
	return wrong != 0;
}

static int
leak(void)
{
	int mbox = enable("/dev/vcio");

	mbox_one(mbox, 0x3000d, mem_alloc(mbox, 100, 16, 0x4));
	mem_alloc(mbox, 50, 16, 0x4);
	return 0;
}

static int
map(const char *address, const char *bytes)
{
	volatile uint32_t *mem = mapmem((uint32_t)strtoul(address, NULL, 16),
					strtoul(bytes, NULL, 16));

	if (mem == MAP_FAILED)
		die("mmap");
	printf("mapped, first word %08x\n", mem[0]);
	return 0;
}

static int
any_ioctl(const char *node, const char *request)
{
	uint32_t p[] = { 12, 0, 0 };

	if (ioctl(mbox_open(node), strtoul(request, NULL, 16), p) < 0)
		die("ioctl");
	printf("good\n");
	return 0;
}

static void
try_message(int mbox, const char *what, void *message)
{
	const int result = ioctl(mbox, IOCTL_MBOX_PROPERTY, message);

	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "good");
}

/* Of one page, with one behind it that cannot be read. */
static int
wrong(void)
{
	static const uint32_t sizes[] = { 0,	   4,	       8,	  12,
					  13,	   14,	       16,	  5000,
					  0xffffc, 0x80000000, 0xffffffff };
	const uint32_t ask[] = { 32, 0, 0x10006, 8, 0, 0, 0, 0 };
	const size_t bytes = 4096;
	uint8_t *page = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int mbox = mbox_open("/dev/vcio");
	char what[32];

	if (page == MAP_FAILED || mprotect(page + bytes, bytes, PROT_NONE) < 0)
		die("mmap");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memset(page, 0, bytes);
		memcpy(page, &sizes[i], sizeof(*sizes));
		snprintf(what, sizeof(what), "%" PRIu32 " bytes", sizes[i]);
		try_message(mbox, what, page);
	}
	try_message(mbox, "no address", NULL);
	try_message(mbox, "a wrong address", (void *)1);
	memcpy(page + 1, ask, sizeof(ask));
	try_message(mbox, "not aligned", page + 1);
	memcpy(page + bytes - sizeof(ask), ask, sizeof(ask));
	try_message(mbox, "at the end of memory", page + bytes - sizeof(ask));
	memcpy(page + bytes - 28, ask, 28);
	try_message(mbox, "beyond the end of memory", page + bytes - 28);
	memcpy(page, ask, sizeof(ask));
	mprotect(page, bytes, PROT_READ);
	try_message(mbox, "read-only", page);
	printf("no address for a buffer: %s\n",
	       ioctl(mbox_open("/dev/vcsm-cma"),
		     _IOR('J', 0x5a, struct vcsm_alloc), NULL) < 0 ?
		       strerror(errno) :
		       "good");
	return 0;
}

static int
raw(unsigned n, char **words)
{
	uint32_t p[64] = { 4 * (n + 1) };
	int result;

	for (unsigned i = 0; i < n && i < 63; i++)
		p[i + 1] = (uint32_t)strtoul(words[i], NULL, 16);
	result = ioctl(mbox_open("/dev/vcio"), IOCTL_MBOX_PROPERTY, p);
	printf("%s", result < 0 ? strerror(errno) : "good");
	for (unsigned i = 1; i <= n; i++)
		printf(" %" PRIx32, p[i]);
	putchar('\n');
	return result < 0;
}

int
main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	char *first = argc > 2 ? argv[2] : NULL;
	const char *second = argc > 3 ? argv[3] : "/dev/vcio";

	if (strcmp(command, "raw") == 0)
		return raw((unsigned)argc - 2, argv + 2);
	if (strcmp(command, "leak") == 0)
		return leak();
	if (strcmp(command, "wrong") == 0)
		return wrong();
	if (strcmp(command, "classic-leave") == 0)
		return !classic_take(mbox_open("/dev/vcsm"), 40 << 20);
	if (!first)
		return 2;
	if (strcmp(command, "hello") == 0)
		return hello(first, second);
	if (strcmp(command, "heap") == 0)
		return heap(first, second);
	if (strcmp(command, "vcsm") == 0)
		return vcsm(first);
	if (strcmp(command, "vcsm-hold") == 0)
		return vcsm_hold((unsigned)argc - 2, argv + 2);
	if (strcmp(command, "vcsm-alloc") == 0)
		return vcsm_alloc((unsigned)argc - 2, argv + 2);
	if (strcmp(command, "classic") == 0)
		return classic_hello(first);
	if (strcmp(command, "direct") == 0)
		return direct(first);
	if (strcmp(command, "queued") == 0)
		return queued(first, strcmp(second, "vcsm") == 0);
	if (strcmp(command, "mknod") == 0)
		return make_node(first, second);
	if (strcmp(command, "fork") == 0)
		return in_child(first);
	if (strcmp(command, "threads") == 0)
		return in_threads(first);
	if (strcmp(command, "map") == 0)
		return map(first, second);
	if (strcmp(command, "ioctl") == 0)
		return any_ioctl(first, second);
	printf("'%s' is unknown\n", command);
	return 2;
}
