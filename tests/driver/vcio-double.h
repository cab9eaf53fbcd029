/* SPDX-License-Identifier: MIT */
/*
 * vcio-double: a board for the driver of a real Pi: firmware, kernel and clock
 * are counters, and nothing runs.  Header only; see --wrap in tests/local.mk.
 */
#ifndef TESTS_DRIVER_VCIO_DOUBLE_H
#define TESTS_DRIVER_VCIO_DOUBLE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/abi/soc.h"
#include "qpu/device/device.h"
#include "qpu/driver/firmware.h"
#include "qpu/driver/firmware_claims.h"
#include "qpu/driver/mailbox.h"
#include "qpu/driver/pi_board.h"
#include "qpu/driver/pieces.h"
#include "src/base/clock.h"
#include "tests/support/tap.h"

enum { EVENTS = 64, MEMORIES = 8, IDENT0 = 0x02443356 };

static struct {
	/* What the firmware answers. */
	uint32_t enable_answer, run_answer;
	bool is_late, has_registers;
	uint32_t same_handle, same_bus; /* 0 = another each time */
	/* What was asked: a letter each. */
	char events[EVENTS + 1];
	unsigned nevents;
	uint32_t handle, values[4];
	void *memories[MEMORIES]; /* by their handles */
	uint32_t *registers;
	int mem_flags, mem_opens;
	uint64_t now, tick; /* of the clock, for each look */
	/* What is not to be had; an errno or true. */
	bool no_board, no_memory, no_registers, no_calloc;
	int lock_error, mem_error[2], enable_error, run_error, flush_error,
		refresh_error;
	uint32_t gpu_mib;	   /* 0 = 64 */
	unsigned failing_controls; /* pieces that cannot be had, from now on */
	enum memory_kind kind;	   /* 0: DEV_MEM */
	unsigned gave_up, mapped, unwiped;
	void *block; /* the last one of calloc that is not free */
} world;

static struct diag why;

static void
note(char event)
{
	if (world.nevents < EVENTS)
		world.events[world.nevents++] = event;
}

static inline unsigned
count(char event)
{
	unsigned n = 0;

	for (unsigned i = 0; i < world.nevents; i++)
		n += world.events[i] == event;
	return n;
}

/* In the place of functions of the driver (--wrap). */

bool
__wrap_pi_board_look(const char *root, struct pi_board *board,
		     struct diag *why_not);
int
__wrap_firmware_open_node(const char *name, int flags);
int
__wrap_firmware_open(struct diag *why_not);
bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response);
uint64_t
__wrap_clock_ns(void);
int
__real_munmap(void *at, size_t bytes);
void *
__real_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset);
void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset);
void *
__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int fd,
	      off_t offset) __attribute__((alias("__wrap_mmap")));

bool
__wrap_pi_board_look(const char *root, struct pi_board *board,
		     struct diag *why_not)
{
	(void)root;
	if (world.no_board) {
		diag_set(why_not, "no board");
		return false;
	}
	*board = (struct pi_board){ .soc = soc_of_compatible("brcm,bcm2836"),
				    .bus_alias = 0xc0000000,
				    .memory_flags = MAILBOX_MEMORY_DIRECT,
				    .memory = world.kind ? world.kind :
							   MEMORY_DEV_MEM };
	return true;
}

int
__wrap_firmware_open_node(const char *name, int flags)
{
	if (strcmp(name, "/dev/mem") == 0) {
		errno = world.mem_error[world.mem_opens++ % 2];
		if (errno)
			return -1;
		world.mem_flags |= ~flags & O_SYNC; /* what is missing */
	}
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int
__wrap_firmware_open(struct diag *why_not)
{
	if (world.lock_error) {
		diag_set(why_not, "locked");
		return -1;
	}
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response)
{
	(void)fd;
	(void)request;
	(void)response;
	switch (tag) {
	case MAILBOX_VC_MEMORY:
		values[1] = (world.gpu_mib ? world.gpu_mib : 64) << 20;
		break;
	case MAILBOX_ENABLE_QPU:
		note(values[0] ? 'E' : 'e');
		errno = world.enable_error;
		if (errno)
			return false;
		values[0] = values[0] ? world.enable_answer : 0;
		break;
	case MAILBOX_ALLOCATE_MEMORY:
		note('a');
		values[0] = ++world.handle;
		if (world.same_handle)
			values[0] = world.same_handle;
		if (world.no_memory)
			values[0] = 0;
		break;
	case MAILBOX_LOCK_MEMORY:
		values[0] = 0xfb000000 + (values[0] << 16);
		if (world.same_bus)
			values[0] = world.same_bus;
		break;
	case MAILBOX_RELEASE_MEMORY: note('r'); break;
	case MAILBOX_EXECUTE_QPU:
		note('x');
		memcpy(world.values, values, sizeof(world.values));
		errno = world.is_late ? ETIMEDOUT : world.run_error;
		if (errno)
			return false;
		values[0] = world.run_answer;
		break;
	case MAILBOX_MEASURED_CLOCK_RATE:
		note('c');
		values[1] = 250000000;
		break;
	default: break;
	}
	return true;
}

/* Time passes with each look at it. */
uint64_t
__wrap_clock_ns(void)
{
	return world.now += world.tick;
}

void *
__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd,
	    off_t offset)
{
	void *memory = __real_mmap64(at, bytes, protection,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)flags;
	(void)fd;
	if (offset == 0x3fc00000 && world.no_registers) {
		__real_munmap(memory, bytes);
		errno = EPERM;
		return MAP_FAILED;
	}
	world.mapped++;
	if (offset == 0x3fc00000) {
		world.registers = memory;
		*world.registers = world.has_registers ? IDENT0 : 0xdeadbeef;
	} else if (world.handle < MEMORIES) {
		world.memories[world.handle] = memory;
	}
	return memory;
}

void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void
__real_free(void *block);
void
__wrap_free(void *block);
int
__wrap_munmap(void *at, size_t bytes);
bool
__real_pieces_flush(struct pieces *pieces);
bool
__wrap_pieces_flush(struct pieces *pieces);
bool
__real_pieces_refresh(struct pieces *pieces,
		      const struct device_program *programs, unsigned n);
bool
__wrap_pieces_refresh(struct pieces *pieces,
		      const struct device_program *programs, unsigned n);
const struct device_memory *
__real_pieces_take(struct pieces *pieces, size_t bytes, struct diag *why_not);
const struct device_memory *
__wrap_pieces_take(struct pieces *pieces, size_t bytes, struct diag *why_not);
bool
__real_memory_give_up_cache(struct memory_source *source);
bool
__wrap_memory_give_up_cache(struct memory_source *source);

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return world.block = world.no_calloc ? NULL : __real_calloc(n, bytes);
}

void
__wrap_free(void *block)
{
	if (block == world.block)
		world.block = NULL;
	__real_free(block);
}

/* What goes back holds nothing of what was there. */
int
__wrap_munmap(void *at, size_t bytes)
{
	const uint8_t *byte = at;

	world.mapped--;
	for (size_t i = 0; at != world.registers && i < bytes; i++)
		if (byte[i]) {
			world.unwiped++;
			break;
		}
	return __real_munmap(at, bytes);
}

bool
__wrap_pieces_flush(struct pieces *pieces)
{
	note('f');
	errno = world.flush_error;
	return !errno && __real_pieces_flush(pieces);
}

bool
__wrap_pieces_refresh(struct pieces *pieces, const struct device_program *of,
		      unsigned n)
{
	note('R');
	errno = world.refresh_error;
	return !errno && __real_pieces_refresh(pieces, of, n);
}

const struct device_memory *
__wrap_pieces_take(struct pieces *pieces, size_t bytes, struct diag *why_not)
{
	if (world.failing_controls > 0) {
		world.failing_controls--;
		diag_set(why_not, "no piece");
		return NULL;
	}
	return __real_pieces_take(pieces, bytes, why_not);
}

bool
__wrap_memory_give_up_cache(struct memory_source *source)
{
	const bool gave_up = __real_memory_give_up_cache(source);

	world.gave_up += gave_up;
	return gave_up;
}

static const struct device_program programs[2] = {
	{ .code = 0xfb101000, .uniforms = 0xfb102000 },
	{ .code = 0xfb101000, .uniforms = 0xfb103000 }
};

static inline void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.tick = CLOCK_NS_PER_MS;
}

static inline void *
open_device(const char *options)
{
	unsigned qpus = 0;
	void *self = device_vcio.open(options, &qpus, &why);

	if (!self || qpus != 12) {
		printf("Bail out! %s\n", why.text);
		exit(99);
	}
	return self;
}

static inline enum device_status
run(void *self, unsigned n, double expected_ms)
{
	return device_vcio.run(self, programs, n, expected_ms, 5000, &why);
}

static inline unsigned
count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

#endif
