/* SPDX-License-Identifier: MIT */
#include "tests/virtual/vcio_buffers.h"

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

#include "tests/virtual/vcio_hello.h"

struct memory
take_buffer(void)
{
	struct vcsm_alloc alloc = { .size = BYTES, .num = 1 };
	struct memory m = { .fd = -1 };
	int vcsm = open("/dev/vcsm-cma", O_RDWR);

	if (vcsm < 0)
		die("/dev/vcsm-cma");
	if (ioctl(vcsm, _IOR('J', 0x5a, struct vcsm_alloc), &alloc) < 0)
		die("vcsm");
	close(vcsm);
	m.fd = alloc.handle;
	m.bus = (uint32_t)alloc.dma_addr;
	m.arm = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	if (m.arm == MAP_FAILED)
		die("mmap");
	return m;
}

static unsigned
cma_free(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[256];
	unsigned kib = 0;

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		sscanf(line, "CmaFree: %u", &kib);
	fclose(file);
	return kib;
}

/* When a next buffer has been taken, since then those are counted that are
 * free. */
static unsigned
cma_free_after(void)
{
	take_buffer();
	return cma_free();
}

int
vcsm_alloc(unsigned n, char **mib)
{
	const int vcsm = open("/dev/vcsm-cma", O_RDWR);

	for (unsigned i = 0; i < n; i++) {
		struct vcsm_alloc alloc = { .size = (uint32_t)atoi(mib[i])
						    << 20,
					    .num = 1 };

		if (ioctl(vcsm, _IOR('J', 0x5a, struct vcsm_alloc), &alloc) < 0)
			printf("%s MiB: %s\n", mib[i], strerror(errno));
		else
			printf("%s MiB: %u kB free\n", mib[i], cma_free());
	}
	return 0;
}

int
vcsm_hold(unsigned n, char **mib)
{
	vcsm_alloc(n, mib);
	puts("held");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}

struct heap_alloc {
	uint64_t len;
	uint32_t fd, fd_flags;
	uint64_t heap_flags;
};

struct vcsm_import {
	int32_t dmabuf_fd;
	uint32_t cached;
	uint8_t name[32];
	int32_t handle;
	uint32_t vc_handle, size, pad;
	uint64_t dma_addr;
};

/* Returns the descriptor of the import. */
static int
take_cached(struct memory *m)
{
	struct heap_alloc alloc = { .len = BYTES, .fd_flags = O_RDWR };
	struct vcsm_import import = { 0 };
	const int heap = open("/dev/dma_heap/linux,cma", O_RDWR);
	const int vcsm = open("/dev/vcsm-cma", O_RDWR);

	if (heap < 0)
		die("/dev/dma_heap/linux,cma");
	if (ioctl(heap, _IOWR('H', 0, struct heap_alloc), &alloc) < 0)
		die("heap");
	import.dmabuf_fd = (int32_t)alloc.fd;
	if (ioctl(vcsm, _IOR('J', 0x5b, struct vcsm_import), &import) < 0)
		die("import");
	close(heap);
	close(vcsm);
	m->fd = (int)alloc.fd;
	m->bus = (uint32_t)import.dma_addr;
	m->arm =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (m->arm == MAP_FAILED)
		die("mmap");
	return import.handle;
}

static void
sync_cached(const struct memory *m, uint64_t flags)
{
	if (ioctl(m->fd, _IOW('b', 0, uint64_t), &flags) < 0)
		die("sync");
}

int
heap(const char *code, const char *without)
{
	int mbox = enable("/dev/vcio");
	struct memory m;
	const int import = take_cached(&m);
	uint32_t answer;
	int status;

	if (strcmp(without, "import") == 0)
		close(import);
	fill(&m, code);
	if (strcmp(without, "end") != 0)
		sync_cached(&m, 2 | 4);
	answer = execute(mbox, &m);
	if (strcmp(without, "start") != 0)
		sync_cached(&m, 1);
	status = show(&m, answer);
	munmap((void *)m.arm, BYTES);
	close(m.fd);
	close(import);
	printf("the kernel %s\n",
	       cma_free_after() == 65536 - 12 ? "took it back" : "kept it");
	disable(mbox);
	return status;
}

int
vcsm(const char *code)
{
	int mbox = enable("/dev/vcio");
	struct memory m = take_buffer();
	uint32_t after;
	int status;

	fill(&m, code);
	status = show(&m, execute(mbox, &m));
	munmap((void *)m.arm, BYTES);
	close(m.fd);
	/* Now it is nobody's any more, and the next has its address. */
	after = take_buffer().bus;
	printf("the kernel %s\n", after == m.bus ? "took it back" : "kept it");
	disable(mbox);
	return status;
}

/* The older module: structures of words, and requests by number. */
static uint32_t
classic(int vcsm, unsigned number, unsigned words, unsigned out, uint32_t *p)
{
	if (ioctl(vcsm, _IOC(_IOC_READ, 'I', number, words * 4), p) < 0) {
		printf("request %x: %s\n", number, strerror(errno));
		return 0;
	}
	return p[out];
}

static uint32_t
classic_map(int vcsm, unsigned number, uint32_t handle, uint32_t address,
	    unsigned out)
{
	uint32_t map[4] = { (uint32_t)getpid(), handle, address, 0 };

	return classic(vcsm, number, 4, out, map);
}

uint32_t
classic_take(int vcsm, uint32_t bytes)
{
	uint32_t alloc[12] = { bytes, 1, 0 };

	return classic(vcsm, 0x5a, 12, 11, alloc);
}

int
classic_hello(const char *code)
{
	int mbox = enable("/dev/vcio"), vcsm = open("/dev/vcsm", O_RDWR);
	uint32_t handle, firmware, p[4] = { 0 };
	struct memory m = { .fd = -1 };
	int status;

	if (vcsm < 0)
		die("/dev/vcsm");
	handle = classic_take(vcsm, BYTES);
	m.arm = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, vcsm,
		     (off_t)handle);
	if (m.arm == MAP_FAILED)
		die("mmap");
	p[0] = handle;
	if (classic(vcsm, 0x5c, 2, 1, p) != (uint32_t)(uintptr_t)m.arm ||
	    classic_map(vcsm, 0x67, handle, 0, 2) != p[1] ||
	    classic_map(vcsm, 0x66, 0, p[1], 1) != handle)
		printf("the address is not that of the mapping\n");
	p[0] = handle;
	if (classic(vcsm, 0x64, 2, 1, p) != BYTES)
		printf("the size is %u\n", p[1]);
	firmware = classic_map(vcsm, 0x69, handle, 0, 1);
	m.bus = mbox_one(mbox, 0x3000d, firmware);
	if (classic_map(vcsm, 0x6a, handle, 0, 2) != m.bus ||
	    classic_map(vcsm, 0x68, 0, (uint32_t)(uintptr_t)m.arm, 1) !=
		    firmware)
		printf("the bus address is not that of the firmware\n");
	fill(&m, code);
	p[0] = handle;
	p[1] = p[2] = 0;
	classic(vcsm, 0x62, 3, 0, p);
	status = show(&m, execute(mbox, &m));
	mbox_one(mbox, 0x3000e, firmware);
	munmap((void *)m.arm, BYTES);
	if (classic_map(vcsm, 0x67, handle, 0, 2) != 0)
		printf("it is mapped still\n");
	p[0] = handle;
	classic(vcsm, 0x5e, 2, 0, p);
	classic(vcsm, 0x61, 1, 0, p);
	classic(vcsm, 0x64, 2, 1, p);
	disable(mbox);
	close(vcsm);
	return status;
}
