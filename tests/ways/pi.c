/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/ways/pi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/abi/mailbox.h"
#include "qpu/abi/vc4.h"
#include "qpu/abi/vcsm.h"
#include "qpu/ways/cleanup.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

struct pi pi;

enum { EVENTS = 1024, MAPPINGS = 512, WORDS = 16, WRONGS = 8 };

static char *events; /* shared with children */

static void *mappings[MAPPINGS]; /* of buffers */

/* --- Events, and wrong answers ---------------------------------------------- */

void
pi_note(char event)
{
	const size_t n = strlen(events);

	if (n + 1 < EVENTS)
		events[n] = event;
}

const char *
pi_events(void)
{
	return events;
}

void
pi_forget(void)
{
	memset(events, 0, EVENTS);
}

bool
pi_asked(const char *expected)
{
	const bool good = strcmp(events, expected) == 0;

	if (!good)
		tap_note("asked: '%s'", events);
	pi_forget();
	return good;
}

static struct wrong {
	char kind[64], answer[16];
	unsigned times;
} wrongs[WRONGS];

bool
pi_wrong(const char *word)
{
	struct wrong *wrong = wrongs;

	while (wrong->times > 0)
		wrong++;
	wrong->times = 1;
	return sscanf(word, "%63[^=]=%15[^*]*%u", wrong->kind, wrong->answer,
		      &wrong->times) >= 2;
}

/* Return the wrong answer to this request, if there is one. */
static const char *
wrong_answer(const char *kind)
{
	for (struct wrong *wrong = wrongs; wrong < wrongs + WRONGS; wrong++)
		if (wrong->times > 0 && strcmp(wrong->kind, kind) == 0) {
			wrong->times--;
			return wrong->answer;
		}
	return "";
}

/* Return the error number of a name, or 0; errno is the same. */
static int
error_of(const char *answer)
{
	static const char *const names[] = { [EACCES] = "EACCES",
					     [EAGAIN] = "EAGAIN",
					     [EINTR] = "EINTR",
					     [EINVAL] = "EINVAL",
					     [EIO] = "EIO",
					     [EMFILE] = "EMFILE",
					     [ENFILE] = "ENFILE",
					     [ENOENT] = "ENOENT",
					     [ENOLCK] = "ENOLCK",
					     [ENOMEM] = "ENOMEM",
					     [EPERM] = "EPERM",
					     [ETIME] = "ETIME",
					     [ETIMEDOUT] = "ETIMEDOUT" };

	errno = 0;
	for (size_t i = 1; i < sizeof(names) / sizeof(*names); i++)
		if (names[i] && strcmp(names[i], answer) == 0)
			errno = (int)i;
	return errno;
}

static bool
fails(const char *kind)
{
	return error_of(wrong_answer(kind)) != 0;
}

/* --- Calls ---------------------------------------------------------------- */

static int
open_file(const char *path, int flags, mode_t mode)
{
	return fails(path) ? -1 : fault_real_open(path, flags, mode);
}

static int
lock_file(int fd, int operation)
{
	pi.locks += operation == (LOCK_EX | LOCK_NB);
	return fails("lock") ? -1 : fault_real_flock(fd, operation);
}

static int
name_machine(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	if (fails("uname"))
		return -1;
	snprintf(name->sysname, sizeof(name->sysname), "Linux");
	snprintf(name->release, sizeof(name->release), "6.1.21-v7+");
	snprintf(name->machine, sizeof(name->machine), "armv7l");
	return 0;
}

/* Note a tag that changes something, or asks for the clock. */
static void
note_tag(uint32_t tag, const uint32_t *values)
{
	switch (tag) {
	case MAILBOX_ENABLE_QPU: pi_note(values[0] ? 'E' : 'e'); break;
	case MAILBOX_SET_CLOCK_STATE: pi_note(values[1] ? 'K' : 'k'); break;
	case MAILBOX_SET_CLOCK_RATE: pi_note('m'); break;
	case MAILBOX_MEASURED_CLOCK_RATE: pi_note('c'); break;
	case MAILBOX_EXECUTE_QPU:
		pi_note('x');
		memcpy(pi.execute, values, sizeof(pi.execute));
		break;
	default: break;
	}
}

static int
ask_firmware(int fd, uint32_t *message)
{
	char kind[16];
	const char *wrong;

	snprintf(kind, sizeof(kind), "%x", (unsigned)message[2]);
	wrong = wrong_answer(kind);
	/* Without memory the kernel sends nothing. */
	if (error_of(wrong) == ENOMEM)
		return -1;
	note_tag(message[2], message + 5);
	if (error_of(wrong) ||
	    fault_real_ioctl(fd, MAILBOX_IOCTL, message) != 0)
		return -1;
	if (strcmp(wrong, "code") == 0)
		message[1] = 0x80000001;
	else if (strcmp(wrong, "message") == 0)
		message[1] = 0;
	else if (strcmp(wrong, "tag") == 0)
		message[4] &= 0x7fffffff;
	else if (*wrong)
		message[5 + (*wrong == ':')] =
			(uint32_t)strtoul(wrong + (*wrong == ':'), NULL, 0);
	return 0;
}

/* Note whether a signal could arrive now, in any thread. */
static void
look_at_signals(void)
{
	static const int ends[] = { SIGHUP,  SIGINT,  SIGUSR1, SIGALRM,
				    SIGTERM, SIGCHLD, SIGWINCH };
	static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };
	struct sigaction action;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		pi.interruptible |= sigismember(&mask, ends[i]) == 0;
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		pi.interruptible |= sigaction(stops[i], NULL, &action) == 0 &&
				    action.sa_handler == SIG_DFL;
	if (critical_enter()) {
		pi.interruptible = true;
		critical_leave();
	}
}

static int
ask_vcsm(int fd, unsigned long request, void *argument)
{
	struct vcsm_allocate *allocate = argument;
	struct vcsm_import *import = argument;
	const bool imports = (uint32_t)request == (uint32_t)VCSM_IMPORT;
	const char *wrong = wrong_answer(imports ? "i" : "s");
	int status;

	look_at_signals();
	pi_note(imports ? 'i' : 's');
	snprintf(pi.requested, sizeof(pi.requested), "%s: %u x %u bytes",
		 imports ? (char *)import->name : (char *)allocate->name,
		 imports ? 1 : (unsigned)allocate->num,
		 imports ? 0 : (unsigned)allocate->size);
	if (error_of(wrong))
		return -1;
	status = fault_real_ioctl(fd, request, argument);
	if (*wrong == '@')
		*(imports ? &import->dma_addr : &allocate->dma_addr) =
			strtoull(wrong + 1, NULL, 0);
	return status;
}

/* A wait that a signal interrupts has taken 10 ms; one without time is not. */
static int
ask(int fd, unsigned long request, void *argument)
{
	const uint32_t number = (uint32_t)request;
	const struct vc4_wait_seqno *wait = argument;
	const bool waits = number == (uint32_t)VC4_WAIT_SEQNO;
	const char *kind = "";

	if (number == (uint32_t)MAILBOX_IOCTL)
		return ask_firmware(fd, argument);
	if (number == (uint32_t)VCSM_ALLOCATE ||
	    number == (uint32_t)VCSM_IMPORT)
		return ask_vcsm(fd, request, argument);
	if (number == (uint32_t)DMA_HEAP_SYNC)
		kind = *(uint64_t *)argument ==
				       (DMA_HEAP_WRITES | DMA_HEAP_END) ?
			       "f" :
		       *(uint64_t *)argument == DMA_HEAP_READS ? "R" :
								 "?";
	else
		kind = number == (uint32_t)DMA_HEAP_ALLOCATE	? "h" :
		       number == (uint32_t)VC4_CREATE_BO	? "b" :
		       number == (uint32_t)VC4_CREATE_SHADER_BO ? "p" :
		       number == (uint32_t)VC4_SUBMIT_CL	? "j" :
		       waits					? "q" :
								  "";
	if (*kind)
		pi_note(*kind);
	if (waits)
		snprintf(pi.requested, sizeof(pi.requested), "a wait of %u ms",
			 (unsigned)(wait->timeout_ns / 1000000));
	if (!fails(kind))
		return fault_real_ioctl(fd, request, argument);
	fault_clock_advance(waits ? 10000000 : 0);
	return -1;
}

/* Note the mapping of a buffer: the code under test maps no other files. */
static void *
map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	unsigned free_one = 0;
	void *memory;

	if (fd >= 0 && fails("map"))
		return MAP_FAILED;
	memory = fault_real_mmap(at, bytes, protection, flags, fd, offset);
	if (fd < 0 || memory == MAP_FAILED)
		return memory;
	while (mappings[free_one])
		free_one++;
	mappings[free_one] = memory;
	pi.mapped++;
	return memory;
}

/* Unmap, and count memory that was not wiped. */
static int
unmap(void *at, size_t bytes)
{
	const uint8_t *byte = at;

	for (unsigned i = 0; i < MAPPINGS; i++) {
		if (mappings[i] != at)
			continue;
		mappings[i] = NULL;
		pi.mapped--;
		pi.unwiped += *byte || memcmp(byte, byte + 1, bytes - 1) != 0;
	}
	return fault_real_munmap(at, bytes);
}

static int
note_wait(struct pollfd *fds, nfds_t n, int ms)
{
	(void)fds;
	if (n == 0 && ms == 10)
		pi_note('w');
	return 0;
}

/* Note the fork, but start no process to wait for. */
static long
make_process(long number, long a, long b, long c, long d, long e, long f)
{
	if (number != SYS_clone)
		return fault_real_syscall(number, a, b, c, d, e, f);
	pi_note('P');
	return INT_MAX;
}

/* --- The board ------------------------------------------------------------ */

/* Send a tag past the hooks. Return its second value. */
static uint32_t
tag(uint32_t number, uint32_t value)
{
	uint32_t message[] = { 32, 0, number, 8, 0, value, 0, 0 };
	const int fd = fault_real_open("/dev/vcio", O_RDWR | O_CLOEXEC, 0);

	if (fd >= 0) {
		fault_real_ioctl(fd, MAILBOX_IOCTL, message);
		fault_real_close(fd);
	}
	return message[6];
}

uint32_t
pi_clock_hz(void)
{
	return tag(MAILBOX_CLOCK_RATE, MAILBOX_CLOCK_V3D);
}

const char *
pi_place(const char *path)
{
	static char place[PATH_MAX];

	snprintf(place, sizeof(place), "%s/root/%s", getenv("QPUEMU_DIR"),
		 path);
	return place;
}

void
pi_exec(const char *options, const char *test, char *argument)
{
	const char *build = getenv("QPU_BUILD") ? getenv("QPU_BUILD") : ".";
	char emulator[PATH_MAX], program[PATH_MAX], copy[256], *rest = copy;
	char leaks[] = "--leaks=ignore", *words[WORDS] = { emulator, leaks };
	unsigned n = 2;

	snprintf(emulator, sizeof(emulator), "%s/qpuemu", build);
	snprintf(program, sizeof(program), "%s/tests/ways/%s", build, test);
	snprintf(copy, sizeof(copy), "%s", options);
	while (n < WORDS - 3 && (words[n] = strsep(&rest, " ")) != NULL)
		n += *words[n] != '\0';
	words[n++] = program;
	words[n++] = argument;
	words[n] = NULL;
	execv(emulator, words);
	printf("Bail out! %s: %s\n", emulator, strerror(errno));
}

void
pi_begin(void)
{
	if (!events)
		events = mmap(NULL, EVENTS, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (events == MAP_FAILED)
		exit(99);
	pi_forget();
	fault_clear();
	tag(MAILBOX_ENABLE_QPU, 0);
	pi = (struct pi){ .locks = 0 };
	memset(wrongs, 0, sizeof(wrongs));
	fault_hooks.open = open_file;
	fault_hooks.flock = lock_file;
	fault_hooks.uname = name_machine;
	fault_hooks.syscall = make_process;
	fault_hooks.ioctl = ask;
	fault_hooks.mmap = map;
	fault_hooks.munmap = unmap;
	fault_hooks.poll = note_wait;
	fault_clock_set(FAULT_SECOND);
}

void
pi_end(void)
{
	fault_clear();
}
