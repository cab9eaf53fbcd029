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
#include <sys/sysmacros.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "qpu/abi/vc4.h"
#include "qpu/pi/vc4.h"
#include "qpu/pi/vcsm.h"
#include "qpu/pi/virtual_firmware.h"
#include "qpu/ways/held.h"
#include "src/tools/qpuemu/board_files.h"
#include "src/tools/qpuemu/qpuemu_options.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

struct pi pi;

static struct board board;

enum { EVENTS = 1024, MAPPINGS = 512, WORDS = 16, WRONGS = 8 };

static char *events; /* shared with children */

static struct vc4 *vc4; /* begins anew when its node is closed */

static void *mappings[MAPPINGS]; /* of buffers */

/* The model's own calls are none of the program's. */
static _Thread_local bool is_model;

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

/* --- Files ---------------------------------------------------------------- */

/* The board's file of a path, or the path. */
static const char *
path_of(const char *path, char place[BOARD_PATH])
{
	if (strncmp(path, "/proc/device-tree", 17) != 0 &&
	    strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/sys/", 5) != 0 &&
	    strncmp(path, "/boot/", 6) != 0 &&
	    strcmp(path, "/proc/meminfo") != 0)
		return path;
	snprintf(place, BOARD_PATH, "%s/" BOARD_ROOT "%s", board.dir, path);
	return place;
}

/* Return the node that a descriptor is of; *buffer is its buffer's number. */
static enum board_node
node_of(int fd, unsigned *buffer)
{
	struct stat status;
	unsigned node = 0;

	*buffer = BOARD_BUFFERS;
	if (fd < 0 || fault_real_fstat(fd, &status) != 0)
		return BOARD_NO_NODE;
	*buffer = vcsm_of_file(&board, status.st_dev, status.st_ino);
	while (node < BOARD_NODES &&
	       !board_stand_in_is(&board.shared->stand_ins[node], status.st_dev,
				  status.st_ino))
		node++;
	return (enum board_node)node;
}

static bool
node_is_kernel(int fd)
{
	unsigned buffer;

	return board.shared && node_of(fd, &buffer) == BOARD_RENDER;
}

static void
restart_kernel(bool starts)
{
	static const struct vc4_options options = { .cma_mib = 64 };

	is_model = true;
	vc4_free(vc4);
	vc4 = starts ? vc4_new(&options, NULL) : NULL;
	is_model = false;
}

static int
open_file(const char *path, int flags, mode_t mode)
{
	char place[BOARD_PATH];

	if (is_model)
		return fault_real_open(path, flags, mode);
	if (fails(path))
		return -1;
	return fault_real_open(path_of(path, place), flags, mode);
}

/* A node is a device; its group has it. */
static int
know_status(int dir, const char *path, int flags, unsigned mask,
	    struct statx *status)
{
	char place[BOARD_PATH];
	const char *file = path_of(path, place);
	const int error = fault_real_statx(dir, file, flags, mask, status);

	if (file == place || node_is_kernel(dir)) {
		status->stx_mode = S_IFCHR | 0660;
		status->stx_gid = 106;
		status->stx_rdev_major = 226;
	}
	return error;
}

static int
close_file(int fd)
{
	if (!is_model && node_is_kernel(fd))
		restart_kernel(true);
	return fault_real_close(fd);
}

static int
access_file(int fd, const char *path, int mode, int flags)
{
	char place[BOARD_PATH];

	return fault_real_faccessat(fd, path_of(path, place), mode, flags);
}

static DIR *
open_directory(const char *path)
{
	char place[BOARD_PATH];

	return fault_real_opendir(path_of(path, place));
}

static int
lock_file(int fd, int operation)
{
	unsigned buffer;

	pi.locks += node_of(fd, &buffer) == BOARD_VCIO &&
		    operation == (LOCK_EX | LOCK_NB);
	return fails("lock") ? -1 : 0;
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

/* --- Requests ------------------------------------------------------------- */

/* Like the kernel, leave errno alone on success. */
static int
leave_model(int error)
{
	is_model = false;
	errno = error ? error : errno;
	return error ? -1 : 0;
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
ask_firmware(uint32_t *message)
{
	char kind[16];
	const char *wrong;

	snprintf(kind, sizeof(kind), "%x", (unsigned)message[2]);
	wrong = wrong_answer(kind);
	/* Without memory the kernel sends nothing. */
	if (error_of(wrong) == ENOMEM)
		return -1;
	note_tag(message[2], message + 5);
	if (error_of(wrong))
		return -1;
	is_model = true;
	if (leave_model(firmware_answer(&board, message, message[0] / 4)) != 0)
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
	struct critical_section section;
	struct sigaction action;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		pi.interruptible |= sigismember(&mask, ends[i]) == 0;
	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		pi.interruptible |= sigaction(stops[i], NULL, &action) == 0 &&
				    action.sa_handler == SIG_DFL;
	if (critical_enter(&section)) {
		pi.interruptible = true;
		critical_leave(&section);
	}
}

static int
ask_vcsm(uint32_t request, void *argument)
{
	struct vcsm_allocate *allocate = argument;
	struct vcsm_import *import = argument;
	const bool imports = request == (uint32_t)VCSM_IMPORT;
	const char *wrong = wrong_answer(imports ? "i" : "s");
	unsigned buffer;
	int error;

	look_at_signals();
	pi_note(imports ? 'i' : 's');
	snprintf(pi.requested, sizeof(pi.requested), "%s: %u x %u bytes",
		 imports ? (char *)import->name : (char *)allocate->name,
		 imports ? 1 : (unsigned)allocate->num,
		 imports ? 0 : (unsigned)allocate->size);
	if (error_of(wrong))
		return -1;
	if (imports)
		node_of(import->dmabuf, &buffer);
	is_model = true;
	error = !imports	       ? vcsm_allocate(&board, allocate) :
		buffer < BOARD_BUFFERS ? vcsm_import(&board, buffer, import) :
					 EINVAL;
	if (*wrong == '@')
		*(imports ? &import->dma_addr : &allocate->dma_addr) =
			strtoull(wrong + 1, NULL, 0);
	return leave_model(error);
}

static int
ask_heap(struct dma_heap_allocate *allocate)
{
	pi_note('h');
	if (fails("h"))
		return -1;
	is_model = true;
	return leave_model(vcsm_allocate_cached(&board, allocate));
}

static int
sync_buffer(unsigned buffer, uint64_t flags)
{
	const bool flushes = flags == (DMA_HEAP_WRITES | DMA_HEAP_END);
	int error;

	pi_note(flushes ? 'f' : flags == DMA_HEAP_READS ? 'R' : '?');
	if (fails(flushes ? "f" : "R"))
		return -1;
	is_model = true;
	error = vcsm_sync(&board, buffer, flags);
	return leave_model(error);
}

/* A wait that a signal interrupts has taken 10 ms; one without time is not. */
static int
ask_kernel(unsigned long request, void *argument)
{
	const struct vc4_wait_seqno *wait = argument;
	const bool waits = request == VC4_WAIT_SEQNO;
	const char *kind = request == VC4_CREATE_BO	   ? "b" :
			   request == VC4_CREATE_SHADER_BO ? "p" :
			   request == VC4_SUBMIT_CL	   ? "j" :
			   waits			   ? "q" :
							     "";

	if (*kind)
		pi_note(*kind);
	if (waits)
		snprintf(pi.requested, sizeof(pi.requested), "a wait of %u ms",
			 (unsigned)(wait->timeout_ns / 1000000));
	if (fails(kind)) {
		fault_clock_advance(waits ? 10000000 : 0);
		return -1;
	}
	is_model = true;
	return leave_model(-vc4_ioctl(vc4, request, argument));
}

static int
ask(int fd, unsigned long request, void *argument)
{
	const uint32_t number = (uint32_t)request;
	unsigned buffer;

	switch (node_of(fd, &buffer)) {
	case BOARD_VCIO:
		if (number == (uint32_t)MAILBOX_IOCTL)
			return ask_firmware(argument);
		break;
	case BOARD_VCSM: return ask_vcsm(number, argument);
	case BOARD_HEAP: return ask_heap(argument);
	case BOARD_RENDER: return ask_kernel(request, argument);
	default:
		if (buffer < BOARD_BUFFERS && number == (uint32_t)DMA_HEAP_SYNC)
			return sync_buffer(buffer, *(uint64_t *)argument);
	}
	errno = ENOTTY;
	return -1;
}

/* --- Memory --------------------------------------------------------------- */

static void *
map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	unsigned buffer = BOARD_BUFFERS, free_one = 0;
	const bool is_kernel = !is_model &&
			       node_of(fd, &buffer) == BOARD_RENDER;
	void *memory;

	if (!is_kernel && buffer == BOARD_BUFFERS)
		return fault_real_mmap(at, bytes, protection, flags, fd,
				       offset);
	if (fails("map"))
		return MAP_FAILED;
	memory = is_kernel ? vc4_map(vc4, (uint64_t)offset, bytes) :
			     fault_real_mmap(at, bytes, protection, flags, fd,
					     offset);
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

	for (unsigned i = 0; i < MAPPINGS && !is_model; i++) {
		if (mappings[i] != at)
			continue;
		mappings[i] = NULL;
		pi.mapped--;
		pi.unwiped += *byte || memcmp(byte, byte + 1, bytes - 1) != 0;
		if (vc4 && vc4_unmap(vc4, at, bytes) == 0)
			return 0;
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

static void
remove_board(void)
{
	if (!board.shared)
		return;
	restart_kernel(false);
	board_shared_unmap(board.shared);
	board_directory_remove(board.dir);
	board.shared = NULL;
}

static void
make_board(const char *text)
{
	static struct request request;
	char copy[256], *rest = copy, *words[WORDS] = { (char[]){ "qpuemu" } };
	struct diag why;
	int n = 1;

	is_model = true;
	snprintf(copy, sizeof(copy), "%s", text);
	while (n < WORDS - 2 && (words[n] = strsep(&rest, " ")) != NULL)
		n += *words[n] != '\0';
	words[n++] = (char[]){ "program" };
	words[n] = NULL;
	if (!options_parse(&request, n, words, &why) ||
	    !board_directory_make(board.dir, &why) ||
	    !(board.shared =
		      board_shared_create(board.dir, &request.options, &why)) ||
	    !board_files_fill(board.dir, "/none", board.shared, &why)) {
		printf("Bail out! %s: %s\n", text, why.text);
		exit(99);
	}
	restart_kernel(true);
	board.profile = &profile_rows[request.options.profile];
	board.system = &system_rows[request.options.system];
	board.soc = profile_soc(board.profile);
	board.memory_bytes = (uint32_t)request.options.device.mem_mib << 20;
	board.memory_base = profile_memory_base(board.profile,
						request.options.device.mem_mib);
}

const char *
pi_place(const char *path)
{
	static char place[BOARD_PATH];

	snprintf(place, sizeof(place), "%s/" BOARD_ROOT "/%s", board.dir, path);
	return place;
}

uint32_t
pi_clock_hz(void)
{
	return board.shared->clock_hz[MAILBOX_CLOCK_V3D];
}

void
pi_begin(const char *options)
{
	if (!events)
		events = mmap(NULL, EVENTS, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (events == MAP_FAILED)
		exit(99);
	pi_forget();
	fault_clear();
	remove_board();
	pi = (struct pi){ .locks = 0 };
	memset(wrongs, 0, sizeof(wrongs));
	make_board(options);
	fault_clear();
	fault_hooks.open = open_file;
	fault_hooks.faccessat = access_file;
	fault_hooks.opendir = open_directory;
	fault_hooks.close = close_file;
	fault_hooks.statx = know_status;
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
	remove_board();
}
