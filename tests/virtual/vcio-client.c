/* SPDX-License-Identifier: MIT */
/*
 * vcio-client: a program for the QPUs as people write them, with numbers from
 * the documentation and none from our headers.  It knows nothing of qpuemu.
 *
 *	raw WORD...	send one property message of hexadecimal words; its
 *			length is put before them.  Print what came back.
 *	hello CODE [NODE]
 *			run the program qpu/examples/hello.m4 on two QPUs, in
 *			memory of the firmware, seen through /dev/mem
 *	vcsm CODE	the same in a buffer of /dev/vcsm-cma
 *	direct CODE	hello, started by registers
 *	fork CODE	hello, where a child does the work
 *	threads CODE	hello in many threads at once
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
#include <sys/wait.h>
#include <unistd.h>

#include "tests/virtual/kernel-requests.h"

/* Offsets in the memory of hello. */
enum {
	CODE_AT = 0,
	UNIFORMS_AT = 0x1000,
	CONTROL_AT = 0x1800,
	RESULT_AT = 0x2000,
	BYTES = 0x6000
};

/* Memory, its address for the QPU, and how to give it back. */
struct memory {
	volatile uint8_t *arm;
	uint32_t bus;
	uint32_t handle;
	int fd;
};

/* Print what failed, with errno, and end. */
_Noreturn static void
die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static int
mbox_open(const char *node)
{
	int fd = open(node, 0);

	if (fd < 0)
		die(node);
	return fd;
}

/* Send one tag, whose buffer has room for 8 words; return the first. */
static uint32_t
mbox_tag(int fd, uint32_t tag, unsigned n, const uint32_t *values)
{
	uint32_t p[14] = { sizeof(p), 0, tag, 32, n * 4 };

	memcpy(p + 5, values, n * 4);
	if (ioctl(fd, MAILBOX, p) < 0)
		die("ioctl");
	if (p[1] != 0x80000000 || !(p[4] & 0x80000000)) {
		printf("no answer to %08x: %08x %08x\n", tag, p[1], p[4]);
		exit(1);
	}
	return p[5];
}

static uint32_t
mbox_one(int fd, uint32_t tag, uint32_t value)
{
	return mbox_tag(fd, tag, 1, &value);
}

/* Physical memory, by /dev/mem. */
static void *
mapmem(uint32_t base, size_t size)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC);
	void *mem;

	if (fd < 0)
		die("/dev/mem");
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (off_t)base);
	if (mem == MAP_FAILED)
		die("mmap");
	close(fd);
	return mem;
}

static void
put(const struct memory *m, unsigned at, uint32_t word)
{
	*(volatile uint32_t *)(m->arm + at) = word;
}

/* Put the program there, and for two QPUs each its number, the number of QPUs,
 * 100 and the address of its result. */
static void
fill(const struct memory *m, const char *code)
{
	FILE *file = fopen(code, "rb");
	int byte;

	if (!file)
		die(code);
	for (unsigned i = 0; (byte = getc(file)) != EOF; i++)
		m->arm[CODE_AT + i] = (uint8_t)byte;
	fclose(file);
	for (unsigned qpu = 0; qpu < 2; qpu++) {
		const unsigned uniforms = UNIFORMS_AT + qpu * 16;

		put(m, uniforms, qpu);
		put(m, uniforms + 4, 2);
		put(m, uniforms + 8, 100 + qpu);
		put(m, uniforms + 12, m->bus + RESULT_AT + qpu * 64);
		put(m, CONTROL_AT + qpu * 8, m->bus + uniforms);
		put(m, CONTROL_AT + qpu * 8 + 4, m->bus + CODE_AT);
	}
}

static bool
is_right(const struct memory *m)
{
	for (unsigned i = 0; i < 32; i++)
		if (((volatile uint32_t *)(m->arm + RESULT_AT))[i] !=
		    0x1298 + i / 16)
			return false;
	return true;
}

/* Print the answer and whether the results are right: the exit status. */
static int
show(const struct memory *m, uint32_t answer)
{
	printf("answer %08x, results are %s\n", answer,
	       is_right(m) ? "right" : "wrong");
	return answer != 0 || !is_right(m);
}

static uint32_t
execute(int fd, const struct memory *m)
{
	const uint32_t values[] = { 2, m->bus + CONTROL_AT, 0, 500 };

	return mbox_tag(fd, 0x30011, 4, values);
}

/* Memory of the firmware, seen through /dev/mem. */
static struct memory
take(int mbox)
{
	const uint32_t values[] = { BYTES, 4096, 0xc };
	struct memory m = { .fd = -1 };

	m.handle = mbox_tag(mbox, 0x3000c, 3, values);
	if (m.handle == 0) {
		printf("no memory\n");
		exit(1);
	}
	m.bus = mbox_one(mbox, 0x3000d, m.handle);
	m.arm = mapmem(m.bus & ~0xc0000000, BYTES);
	return m;
}

static void
give_back(int mbox, struct memory *m)
{
	munmap((void *)m->arm, BYTES);
	if (mbox_one(mbox, 0x3000e, m->handle) != 0 ||
	    mbox_one(mbox, 0x3000f, m->handle) != 0)
		printf("memory was not taken back\n");
}

/* Enable the QPUs; returns the node, open. */
static int
enable(const char *node)
{
	int mbox = mbox_open(node);
	uint32_t answer = mbox_one(mbox, 0x30012, 1);

	if (answer == 0)
		return mbox;
	printf("enable: %08x\n", answer);
	exit(1);
}

static void
disable(int mbox)
{
	mbox_one(mbox, 0x30012, 0);
	close(mbox);
}

/* Hello in memory of the firmware, run by one of these functions. */
typedef uint32_t
run_programs(int mbox, const struct memory *m);

static int
hello(const char *code, const char *node, run_programs *run)
{
	int mbox = enable(node);
	struct memory m = take(mbox);
	int status;

	fill(&m, code);
	status = show(&m, run(mbox, &m));
	give_back(mbox, &m);
	disable(mbox);
	return status;
}

/* Memory of /dev/vcsm-cma, until the process ends. */
static struct memory
take_buffer(void)
{
	struct vcsm_alloc alloc = { .size = BYTES, .num = 1 };
	struct memory m = { .fd = -1 };
	int vcsm = open("/dev/vcsm-cma", O_RDWR);

	if (vcsm < 0)
		die("/dev/vcsm-cma");
	if (ioctl(vcsm, VCSM_ALLOC, &alloc) < 0)
		die("vcsm");
	close(vcsm);
	m.fd = alloc.handle;
	m.bus = (uint32_t)alloc.dma_addr;
	m.arm = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	if (m.arm == MAP_FAILED)
		die("mmap");
	return m;
}

static int
vcsm(const char *code)
{
	int mbox = enable("/dev/vcio");
	struct memory m = take_buffer();
	uint32_t after;
	int status;

	fill(&m, code);
	status = show(&m, execute(mbox, &m));
	if (status) /* as a careless program does */
		return status;
	munmap((void *)m.arm, BYTES);
	close(m.fd);
	/* Without owners the kernel reuses its address for the next. */
	after = take_buffer().bus;
	printf("the kernel %s\n", after == m.bus ? "took it back" : "kept it");
	disable(mbox);
	return status;
}

/* The registers of a Raspberry Pi 1, ready for programs. */
static volatile uint32_t *
map_registers(void)
{
	volatile uint32_t *v3d = mapmem(0x20c00000, 4096);

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

static uint32_t
run_by_registers(int mbox, const struct memory *m)
{
	volatile uint32_t *v3d = map_registers();

	(void)mbox;
	queue(v3d, m, 0);
	queue(v3d, m, 1);
	while ((v3d[0x43c / 4] >> 16 & 0xff) != 2)
		;
	munmap((void *)v3d, 4096);
	return 0;
}

/* The child has the descriptor, the memory and the mapping of its parent. */
static uint32_t
run_in_child(int mbox, const struct memory *m)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(execute(mbox, m) != 0 || !is_right(m));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? (uint32_t)WEXITSTATUS(status) : ~0u;
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
raw(unsigned n, char **words)
{
	uint32_t p[64] = { 4 * (n + 1) };
	int result;

	for (unsigned i = 0; i < n && i < 63; i++)
		p[i + 1] = (uint32_t)strtoul(words[i], NULL, 16);
	result = ioctl(mbox_open("/dev/vcio"), MAILBOX, p);
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
	const char *node = argc > 3 ? argv[3] : "/dev/vcio";

	if (strcmp(command, "raw") == 0)
		return raw((unsigned)argc - 2, argv + 2);
	if (!first)
		return 2;
	if (strcmp(command, "hello") == 0)
		return hello(first, node, execute);
	if (strcmp(command, "vcsm") == 0)
		return vcsm(first);
	if (strcmp(command, "direct") == 0)
		return hello(first, "/dev/vcio", run_by_registers);
	if (strcmp(command, "fork") == 0)
		return hello(first, "/dev/vcio", run_in_child);
	if (strcmp(command, "threads") == 0)
		return in_threads(first);
	printf("'%s' is unknown\n", command);
	return 2;
}
