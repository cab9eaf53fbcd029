/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/ways/pi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qpu/ways/held.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

struct pi pi;

enum { FDS = 1024, EVENTS = 1024 };

/* Kinds of descriptors: a node, a kernel buffer, or foreign. */
enum role { NOTHING, NODE, DMA_BUF = NODE + PI_NODES, BUFFER, IMPORT };
static unsigned char roles[FDS];

static const char *const node_names[PI_NODES] = {
	[PI_VCIO] = "/dev/vcio", [PI_VCSM] = "/dev/vcsm-cma", [PI_HEAP] = DMA_HEAP_NODE
};

static char *events; /* shared with children */

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

/* Take an errno, which then is gone: did that fail? */
static bool
fails(int *error)
{
	errno = *error;
	*error = 0;
	return errno != 0;
}

/* --- Files ---------------------------------------------------------------- */

static int
new_descriptor(unsigned role)
{
	const int fd = fault_real_open("/dev/null", O_RDWR | O_CLOEXEC, 0);

	if (fd < 0 || fd >= FDS)
		_exit(99);
	roles[fd] = (unsigned char)role;
	pi.buffers += role >= DMA_BUF;
	return fd;
}

static int
file_of(const char *bytes, size_t n)
{
	const int fd = memfd_create("pi", MFD_CLOEXEC);

	if (fd < 0 || fault_real_write(fd, bytes, n) != (ssize_t)n ||
	    lseek(fd, 0, SEEK_SET) != 0)
		_exit(99);
	return fd;
}

static int
open_node(enum pi_node node, int flags)
{
	errno = EINVAL;
	if (flags != (O_RDWR | O_CLOEXEC) || fails(&pi.open_errors[node]))
		return -1;
	return new_descriptor(NODE + node);
}

static int
open_file(const char *path, int flags, mode_t mode)
{
	char names[128];

	errno = ENOENT;
	for (unsigned i = 0; i < PI_NODES; i++)
		if (strcmp(path, node_names[i]) == 0)
			return pi.nodes >> i & 1 ? open_node(i, flags) : -1;
	if (strcmp(path, "/proc/meminfo") == 0)
		return pi.meminfo ? file_of(pi.meminfo, strlen(pi.meminfo)) :
				    -1;
	if (strcmp(path, "/proc/device-tree/compatible") == 0)
		return file_of(names,
			       1 + (size_t)snprintf(names, sizeof(names),
						    "raspberrypi,2-model-b%c%s",
						    '\0', pi.chip));
	if (strcmp(path, "/proc/device-tree/model") == 0)
		return file_of(pi.model, strlen(pi.model) + 1);
	if (strcmp(path, "/proc/device-tree/soc/v3d@7ec00000/status") == 0)
		return file_of(pi.status, strlen(pi.status) + 1);
	if (strncmp(path, "/proc/device-tree/", 18) == 0)
		return -1;
	return fault_real_open(path, flags, mode);
}

static int
access_file(int fd, const char *path, int mode, int flags)
{
	(void)fd, (void)mode, (void)flags;
	for (unsigned i = 0; i < PI_NODES; i++)
		if (strcmp(path, node_names[i]) == 0 && pi.nodes >> i & 1)
			return 0;
	if ((strcmp(path, "/sys/module/vc_sm_cma") == 0 && pi.has_module) ||
	    (pi.other_file && strcmp(path, pi.other_file) == 0))
		return 0;
	errno = ENOENT;
	return strcmp(path, "/proc/device-tree") == 0 && !pi.is_pc ? 0 : -1;
}

static DIR *
open_no_directory(const char *path)
{
	(void)path;
	errno = ENOENT;
	return NULL;
}

static int
close_file(int fd)
{
	if (fd >= 0 && fd < FDS) {
		pi.buffers -= roles[fd] >= DMA_BUF;
		roles[fd] = NOTHING;
	}
	return fault_real_close(fd);
}

static int
lock_file(int fd, int operation)
{
	pi.locks += roles[fd] == NODE + PI_VCIO &&
		    operation == (LOCK_EX | LOCK_NB);
	return fails(&pi.lock_error) ? -1 : 0;
}

static int
name_machine(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	if (!pi.machine)
		return -1;
	snprintf(name->sysname, sizeof(name->sysname), "Linux");
	snprintf(name->release, sizeof(name->release), "6.1.21-v7+");
	snprintf(name->machine, sizeof(name->machine), "%s", pi.machine);
	return 0;
}

/* --- Requests ------------------------------------------------------------- */

/* The words of a tag's values, and how many of them are sent. */
static const struct {
	uint32_t tag;
	uint8_t words, sent;
} tags[] = {
	{ 0x00000001, 1, 0 }, { 0x00010006, 2, 0 }, { 0x00030001, 2, 1 },
	{ 0x00030002, 2, 1 }, { 0x00030004, 2, 1 }, { 0x00030011, 4, 4 },
	{ 0x00030012, 1, 1 }, { 0x00030047, 2, 1 }, { 0x00038001, 2, 2 },
	{ 0x00038002, 3, 3 },
};

static bool
is_well_formed(const uint32_t *message)
{
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (tags[i].tag == message[2])
			return message[0] == 24u + tags[i].words * 4 &&
			       message[1] == 0 &&
			       message[5 + tags[i].words] == 0 &&
			       message[3] == tags[i].words * 4u &&
			       message[4] == tags[i].sent * 4u;
	return false;
}

/* The values of a message of one tag; false and errno: it is not answered. */
static bool
answer_firmware(uint32_t tag, uint32_t *values)
{
	switch (tag) {
	case 0x00000001: values[0] = pi.revision; break;
	case 0x00010006: values[1] = pi.gpu_mib << 20; break;
	case 0x00030001: values[1] = !pi.clock_off; break;
	case 0x00038001:
		pi_note(values[1] ? 'K' : 'k');
		pi.clock_off = !values[1];
		break;
	case 0x00030002: values[1] = pi.set_hz ? pi.set_hz : pi.max_hz; break;
	case 0x00038002:
		pi_note('m');
		pi.set_hz = values[1];
		break;
	case 0x00030004:
	case 0x00030047:
		if (tag == 0x00030047)
			pi_note('c');
		values[1] = values[0] != 5    ? 0 :
			    tag == 0x00030047 ? pi.clock_hz :
						pi.max_hz;
		break;
	case 0x00030011:
		pi_note('x');
		memcpy(pi.execute, values, sizeof(pi.execute));
		if (fails(&pi.run_error))
			return false;
		values[0] = pi.run_answer;
		break;
	case 0x00030012:
		pi_note(values[0] ? 'E' : 'e');
		if (fails(&pi.enable_error))
			return false;
		values[0] = values[0] ? pi.enable_answer : 0;
		break;
	default: errno = EINVAL; return false;
	}
	return true;
}

static int
ask_firmware(uint32_t *message)
{
	const bool is_lost = message[2] == pi.lost_tag;

	errno = pi.no_memory > 0 ? ENOMEM : EIO;
	if (pi.no_memory > 0 && pi.no_memory--)
		return -1;
	if ((is_lost && pi.lost == LOST_REQUEST) || !is_well_formed(message) ||
	    (!is_lost && !answer_firmware(message[2], message + 5)))
		return -1;
	if (!is_lost || pi.lost != LOST_MESSAGE)
		message[1] = is_lost && pi.lost == LOST_CODE ? 0x80000001 :
							       0x80000000;
	message[4] |= is_lost && pi.lost == LOST_TAG ? 0 : 0x80000000;
	return 0;
}

/* Signals that the system lets this thread block; qemu-user keeps some. */
static sigset_t
blockable(void)
{
	sigset_t all, before, blocked;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_sigmask(SIG_SETMASK, &before, &blocked);
	return blocked;
}

static bool
stops_by(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 &&
	       action.sa_handler == SIG_DFL;
}

/* Note whether a signal could arrive now, in any thread. */
static void
look_at_signals(void)
{
	const sigset_t all = blockable();
	struct critical_section section;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int number = 1; number < NSIG; number++)
		pi.interruptible |= sigismember(&all, number) == 1 &&
				    sigismember(&mask, number) == 0;
	pi.interruptible |= stops_by(SIGTSTP) || stops_by(SIGTTIN) ||
			    stops_by(SIGTTOU);
	if (critical_enter(&section)) {
		pi.interruptible = true;
		critical_leave(&section);
	}
}

/* Of the kernel's headers, by number: requests to /dev/vcsm-cma, the heap, and
 * a buffer of the heap. */
static int
ask_vcsm(uint32_t request, void *argument)
{
	struct vcsm_allocate *allocate = argument;
	struct vcsm_import *import = argument;

	look_at_signals();
	if (request == 0x80404a5a) {
		pi_note('s');
		pi.vcsm = *allocate;
		if (fails(&pi.vcsm_error))
			return -1;
		allocate->handle = new_descriptor(BUFFER);
		allocate->dma_addr = pi.dma_addr;
		pi.dma_addr += 1 << 20;
		return 0;
	}
	pi_note('i');
	pi.import = *import;
	errno = EINVAL;
	if (request != 0x80404a5b || roles[import->dmabuf] != DMA_BUF ||
	    fails(&pi.import_error))
		return -1;
	import->handle = new_descriptor(IMPORT);
	import->dma_addr = pi.dma_addr;
	pi.dma_addr += 1 << 20;
	return 0;
}

static int
ask_heap(struct dma_heap_allocate *allocate)
{
	pi_note('h');
	pi.heap = *allocate;
	if (fails(&pi.heap_error))
		return -1;
	allocate->fd = (uint32_t)new_descriptor(DMA_BUF);
	return 0;
}

static int
sync_buffer(uint64_t flags)
{
	const int error = pi.sync_errors[0];

	pi_note(flags == 6 ? 'f' : flags == 1 ? 'R' : '?');
	memmove(pi.sync_errors, pi.sync_errors + 1, sizeof(int[3]));
	pi.sync_errors[3] = 0;
	/* Like the kernel, leave errno alone on success. */
	if (!error)
		return 0;
	errno = error;
	return -1;
}

static int
ask(int fd, unsigned long request, void *argument)
{
	const uint32_t number = (uint32_t)request;
	const unsigned role = fd >= 0 && fd < FDS ? roles[fd] : NOTHING;

	if (role == NODE + PI_VCIO &&
	    number == (sizeof(void *) == 8 ? 0xc0086400 : 0xc0046400))
		return ask_firmware(argument);
	if (role == NODE + PI_VCSM)
		return ask_vcsm(number, argument);
	if (role == NODE + PI_HEAP && number == 0xc0184800)
		return ask_heap(argument);
	if (role == DMA_BUF && number == 0x40086200)
		return sync_buffer(*(uint64_t *)argument);
	errno = ENOTTY;
	return -1;
}

/* --- Memory --------------------------------------------------------------- */

/* Map a node or buffer; pass on the program's own mappings. */
static void *
map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	const bool is_ours = fd >= 0 && fd < FDS && roles[fd] != NOTHING;
	void *memory;

	if (!is_ours)
		return fault_real_mmap(at, bytes, protection, flags, fd,
				       offset);
	if (fails(&pi.map_error) || flags != MAP_SHARED ||
	    protection != (PROT_READ | PROT_WRITE))
		return MAP_FAILED;
	memory = fault_real_mmap(NULL, bytes, protection,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pi.mapped++;
	pi.last = memory;
	pi.last_bytes = bytes;
	return memory;
}

/* Unmap, and count memory that was not wiped. */
static int
unmap(void *at, size_t bytes)
{
	const uint8_t *byte = at;

	pi.mapped--;
	for (size_t i = 0; i < bytes; i++)
		if (byte[i]) {
			pi.unwiped++;
			break;
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

void
pi_begin(unsigned nodes)
{
	if (!events)
		events = mmap(NULL, EVENTS, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (events == MAP_FAILED)
		exit(99);
	pi_forget();
	fault_clear();
	pi = (struct pi){ .chip = "brcm,bcm2836",
			  .model = "Raspberry Pi 2 Model B Rev 1.1",
			  .status = "disabled",
			  .nodes = nodes,
			  .machine = "armv7l",
			  .meminfo = "CmaTotal: 65536 kB\nCmaFree: 5120 kB\n",
			  .gpu_mib = 64,
			  .clock_hz = 250000000,
			  .max_hz = 400000000,
			  .revision = 1597708799,
			  .dma_addr = 0x1a000000 };
	fault_hooks.open = open_file;
	fault_hooks.faccessat = access_file;
	fault_hooks.opendir = open_no_directory;
	fault_hooks.close = close_file;
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
