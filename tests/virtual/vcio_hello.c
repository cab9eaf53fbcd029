/* SPDX-License-Identifier: MIT */
#include "tests/virtual/vcio_hello.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

void
die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

int
mbox_open(const char *node)
{
	int fd = open(node, 0);

	if (fd < 0)
		die(node);
	return fd;
}

uint32_t
mbox_tag(int fd, uint32_t tag, unsigned n, const uint32_t *values)
{
	uint32_t p[16];
	unsigned i = 0;

	p[i++] = 0;
	p[i++] = 0;
	p[i++] = tag;
	p[i++] = 32;
	p[i++] = n * 4;
	for (unsigned k = 0; k < 8; k++)
		p[i++] = k < n ? values[k] : 0;
	p[i++] = 0;
	p[0] = i * 4;
	if (ioctl(fd, IOCTL_MBOX_PROPERTY, p) < 0)
		die("ioctl");
	if (p[1] != 0x80000000 || !(p[4] & 0x80000000)) {
		printf("no answer to %08x: %08x %08x\n", tag, p[1], p[4]);
		exit(1);
	}
	return p[5];
}

uint32_t
mbox_one(int fd, uint32_t tag, uint32_t value)
{
	return mbox_tag(fd, tag, 1, &value);
}

uint32_t
mem_alloc(int fd, uint32_t size, uint32_t align, uint32_t flags)
{
	const uint32_t values[] = { size, align, flags };

	return mbox_tag(fd, 0x3000c, 3, values);
}

void *
mapmem(uint32_t base, size_t size)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC);
	void *mem;

	if (fd < 0)
		die("/dev/mem");
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (off_t)base);
	close(fd);
	return mem;
}

void
put(const struct memory *m, unsigned at, uint32_t word)
{
	*(volatile uint32_t *)(m->arm + at) = word;
}

void
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

bool
is_right(const struct memory *m)
{
	for (unsigned i = 0; i < 32; i++)
		if (((volatile uint32_t *)(m->arm + RESULT_AT))[i] !=
		    0x1298 + i / 16)
			return false;
	return true;
}

int
show(const struct memory *m, uint32_t answer)
{
	printf("answer %08x, results are %s\n", answer,
	       is_right(m) ? "right" : "wrong");
	return answer != 0 || !is_right(m);
}

uint32_t
execute(int fd, const struct memory *m)
{
	const uint32_t values[] = { 2, m->bus + CONTROL_AT, 0, 500 };

	return mbox_tag(fd, 0x30011, 4, values);
}

struct memory
take(int mbox)
{
	struct memory m = { .fd = -1 };

	m.handle = mem_alloc(mbox, BYTES, 4096, 0xc);
	if (m.handle == 0) {
		printf("no memory\n");
		exit(1);
	}
	m.bus = mbox_one(mbox, 0x3000d, m.handle);
	m.arm = mapmem(m.bus & ~0xc0000000, BYTES);
	if (m.arm == MAP_FAILED)
		die("mmap");
	/* Many keep it in an unsigned. */
	if ((uintptr_t)m.arm > 0xffffffff)
		printf("mapped too high\n");
	return m;
}

void
give_back(int mbox, struct memory *m)
{
	munmap((void *)m->arm, BYTES);
	if (mbox_one(mbox, 0x3000e, m->handle) != 0 ||
	    mbox_one(mbox, 0x3000f, m->handle) != 0)
		printf("memory was not taken back\n");
}

int
enable(const char *node)
{
	int mbox = mbox_open(node);
	uint32_t answer = mbox_one(mbox, 0x30012, 1);

	if (answer == 0)
		return mbox;
	printf("enable: %08x\n", answer);
	exit(1);
}

void
disable(int mbox)
{
	mbox_one(mbox, 0x30012, 0);
	close(mbox);
}

int
hello(const char *code, const char *node)
{
	int mbox = enable(node);
	struct memory m = take(mbox);
	int status;

	fill(&m, code);
	status = show(&m, execute(mbox, &m));
	give_back(mbox, &m);
	disable(mbox);
	return status;
}
