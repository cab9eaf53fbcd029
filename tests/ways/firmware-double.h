/* SPDX-License-Identifier: MIT */
/*
 * firmware-double: a firmware of a few counters, in memory that outlives the
 * process under test.  It answers the ioctl of the mailbox, on descriptor 77.
 */
#ifndef TESTS_DRIVER_FIRMWARE_DOUBLE_H
#define TESTS_DRIVER_FIRMWARE_DOUBLE_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/firmware_handles.h"
#include "qpu/ways/registers.h"
#include "tests/support/fault.h"

enum { EVENTS = 64 };

static struct {
	uint32_t next; /* handle */
	int allocated, locked, enabled;
	int wrong; /* requests with other words, or for what nobody had */
	bool no_lock, no_memory, already_enabled;
	bool counts;	     /* tells the first enable and the last disable */
	bool stays;	     /* the power stays when all is disabled */
	bool hangs;	     /* a program runs that does not end */
	bool forever;	     /* whatever is done */
	bool domain;	     /* the CPU has the V3D's */
	atomic_bool enough;  /* critical sections */
	bool refused;	     /* a critical section was */
	bool inside;	     /* a thread is in a critical section */
	bool try_to_enter;   /* when something is given back */
	int release_signal;  /* sent inside of the next release */
	uint32_t ask_signal; /* sent inside of the next allocation */
	unsigned nevents;
	char events[EVENTS + 1]; /* a letter for each request */
} * firmware;

/* IDENT0 and SRQCS. */
static uint32_t v3d[1024];
static const struct registers registers = { .base = v3d };

static void
note(char event)
{
	if (firmware->nevents < EVENTS)
		firmware->events[firmware->nevents++] = event;
}

static uint32_t
allocate(void)
{
	note('a');
	if (firmware->no_memory)
		return 0;
	firmware->allocated++;
	/* It comes after the memory was taken and before anybody knows. */
	if (firmware->ask_signal)
		kill(getpid(), (int)firmware->ask_signal);
	return ++firmware->next;
}

static void
show_power(void)
{
	if (firmware->enabled <= 0 && !firmware->stays && !firmware->domain)
		firmware->hangs = false;
	v3d[0] = firmware->enabled > 0 || firmware->stays || firmware->domain ?
			 0x02443356 :
			 0xdeadbeef;
	/* A request without an end. */
	v3d[0x43c / 4] = firmware->hangs ? 0x0100 : 0;
}

static void
enable(uint32_t *value)
{
	note(*value ? 'E' : 'e');
	if (*value && firmware->already_enabled) {
		*value = 0x80000000;
		return;
	}
	if (*value || firmware->enabled > 0 || !firmware->stays)
		firmware->enabled += *value ? 1 : -1;
	/* Some firmwares answer 0 to the first and the last only. */
	*value = firmware->counts && firmware->enabled != !!*value ?
			 0x80000000 :
			 0;
	show_power();
}

/* Giving it back resets what hangs. */
static void
set_domain(const uint32_t *values)
{
	note(values[1] ? 'D' : 'd');
	if (values[0] != 11)
		firmware->wrong++;
	if (firmware->domain && !values[1] && firmware->enabled <= 0 &&
	    !firmware->forever)
		firmware->hangs = firmware->stays = false;
	firmware->domain = values[1];
	show_power();
}

static int
look_again(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	(void)n;
	if (ms == 50)
		note('.');
	return 0;
}

/* Nobody may while all is given back, and there is no second end. */
static void
enter_once(void)
{
	struct critical_section section;

	firmware->try_to_enter = false;
	firmware->inside = critical_enter(&section);
	if (firmware->inside)
		critical_leave(&section);
	else
		firmware->refused = true;
	handles_release();
}

static int
answer_request(int fd, unsigned long request, void *argument)
{
	uint32_t *message = argument;

	if (fd != 77 || request != MAILBOX_IOCTL) {
		errno = ENOTTY;
		return -1;
	}
	/* Questions about the clock have no answer here. */
	if (message[2] == MAILBOX_CLOCK_STATE ||
	    message[2] == MAILBOX_CLOCK_RATE ||
	    message[2] == MAILBOX_MAX_CLOCK_RATE) {
		errno = EINVAL;
		return -1;
	}
	if (message[2] == MAILBOX_SET_DOMAIN_STATE) {
		set_domain(&message[5]);
		message[1] = 0x80000000;
		message[4] |= 0x80000000;
		return 0;
	}
	/* A word each way, but for an allocation. */
	if (message[3] != message[4] ||
	    message[3] != (message[2] == MAILBOX_ALLOCATE_MEMORY ? 12 : 4))
		firmware->wrong++;
	switch (message[2]) {
	case MAILBOX_ALLOCATE_MEMORY: message[5] = allocate(); break;
	case MAILBOX_LOCK_MEMORY:
		note('l');
		if (firmware->no_lock) {
			message[5] = 0;
			break;
		}
		firmware->locked++;
		message[5] = 0xc0000000 + (message[5] << 12);
		break;
	case MAILBOX_UNLOCK_MEMORY:
	case MAILBOX_RELEASE_MEMORY:
		if (firmware->release_signal)
			kill(getpid(), firmware->release_signal);
		firmware->release_signal = 0;
		if (firmware->try_to_enter)
			enter_once();
		if (message[5] == 0 || message[5] > firmware->next)
			firmware->wrong++;
		if (message[2] == MAILBOX_UNLOCK_MEMORY)
			firmware->locked--;
		else
			firmware->allocated--;
		note(message[2] == MAILBOX_UNLOCK_MEMORY ? 'u' : 'r');
		message[5] = 0;
		break;
	case MAILBOX_ENABLE_QPU: enable(&message[5]); break;
	}
	message[1] = 0x80000000;
	message[4] |= 0x80000000;
	return 0;
}

static inline void
reset(void)
{
	memset(firmware, 0, sizeof(*firmware));
	fault_hooks.ioctl = answer_request;
	fault_hooks.poll = look_again;
}

static inline bool
all_is_back(void)
{
	return firmware->allocated == 0 && firmware->enabled == 0 &&
	       firmware->wrong == 0;
}

/* Two pieces, and the QPUs. */
static inline void
take_all(struct handles_memory memory[2])
{
	uint32_t answer;

	handles_begin(77);
	if (!handles_enable_qpus(&answer) ||
	    !handles_allocate(4096, 4, &memory[0]) ||
	    !handles_allocate(8192, 4, &memory[1]))
		exit(99);
}

static inline bool
map_firmware(void)
{
	firmware = mmap(NULL, sizeof(*firmware), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return firmware != MAP_FAILED;
}

#endif
