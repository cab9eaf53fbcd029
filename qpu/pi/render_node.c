/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/render_node.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/pi/cma.h"
#include "qpu/pi/observer.h"
#include "qpu/pi/vc4.h"
#include "src/base/thread.h"

/* An open node that this process has used. */
struct open_node {
	struct vc4 *vc4; /* opened on first use */
	const struct board *board;
	struct board_stand_in file; /* which one it is for */
	struct observer observer;
	uint64_t jobs;	 /* that the shared totals have */
	sigset_t masked; /* signals that the program blocks */
};

/* A process has these: an interposed call has no context but its arguments. */
static struct open_node nodes[BOARD_OPENS];
static pthread_mutex_t nodes_lock = PTHREAD_MUTEX_INITIALIZER;

/* Calls of the driver look like system calls: signals wait. */
static void
enter(sigset_t *before)
{
	thread_block_signals(before);
	pthread_mutex_lock(&nodes_lock);
}

static void
leave(const sigset_t *before)
{
	pthread_mutex_unlock(&nodes_lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- opens, which all processes see ---- */

static unsigned
find_open(const struct board_shared *shared, const struct board_stand_in *file)
{
	unsigned i = 0;

	while (i < BOARD_OPENS &&
	       !board_stand_in_is(&shared->opens[i].file, file))
		i++;
	return i;
}

enum board_node
render_node_of_file(const struct board *board,
		    const struct board_stand_in *file)
{
	const unsigned i = find_open(board->shared, file);

	return i < BOARD_OPENS ? board->shared->opens[i].node : BOARD_NO_NODE;
}

static bool
drop_if_gone(const struct board *board, unsigned number)
{
	struct board_open *opened = &board->shared->opens[number];
	char path[BOARD_PATH];

	if (!opened->file.ino || !board_file_is_gone(board, BOARD_OPEN, number))
		return opened->file.ino == 0;
	snprintf(path, sizeof(path), "%s/" BOARD_OPEN "%u", board->dir, number);
	unlink(path);
	*opened = (struct board_open){ .node = BOARD_NO_NODE };
	return true;
}

int
render_node_open(const struct board *board, enum board_node node, int flags)
{
	struct board_shared *shared = board->shared;
	struct stat status;
	sigset_t signals;
	unsigned number = 0;
	char name[32];
	int fd = -1;

	board_shared_lock(shared, &signals);
	while (number < BOARD_OPENS && !drop_if_gone(board, number))
		number++;
	errno = ENFILE;
	if (number < BOARD_OPENS) {
		snprintf(name, sizeof(name), BOARD_OPEN "%u", number);
		fd = board_open(board, name, O_RDWR | O_CREAT | O_EXCL);
	}
	if (fd >= 0 && fstat(fd, &status) == 0)
		shared->opens[number] = (struct board_open){
			.file = { .dev = status.st_dev, .ino = status.st_ino },
			.node = node
		};
	board_shared_unlock(shared, &signals);
	if (fd >= 0 && !(flags & O_CLOEXEC))
		fcntl(fd, F_SETFD, 0);
	return fd;
}

/* ---- memory: buffers of the board ---- */

static int
take(void *node, uint32_t bytes, struct vc4_pages *pages)
{
	const struct board *board = ((const struct open_node *)node)->board;
	unsigned number;
	sigset_t signals;
	void *host = NULL;
	int error, fd = -1;

	board_shared_lock(board->shared, &signals);
	error = cma_reserve(board, bytes, &number);
	if (!error) {
		fd = cma_create_file(board, CMA_FILE, number,
				     &board->shared->buffers[number].file);
		host = fd < 0 ? NULL : cma_map(board, CMA_FILE, number);
		error = host ? 0 : ENOMEM;
	}
	if (!error)
		*pages = (struct vc4_pages){
			.bus = board->shared->buffers[number].range.at,
			.bytes = bytes,
			.host = host,
			.number = number
		};
	if (fd >= 0)
		close(fd);
	board_shared_unlock(board->shared, &signals);
	return error;
}

/* The buffer is free after the program's unmap. */
static void
give(void *node, const struct vc4_pages *pages)
{
	const struct board *board = ((const struct open_node *)node)->board;
	sigset_t signals;

	munmap(pages->host, pages->bytes);
	board_shared_lock(board->shared, &signals);
	cma_collect(board);
	board_shared_unlock(board->shared, &signals);
}

/* ---- open nodes of this process ---- */

/* A signal that the program would have taken before the call. */
static bool
signal_came(void *context)
{
	const struct open_node *node = context;
	sigset_t pending;

	if (sigpending(&pending) != 0)
		return false;
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&pending, i) == 1 &&
		    sigismember(&node->masked, i) == 0)
			return true;
	return false;
}

/* The kernel's log has such a line. */
static void
log_reset(void *context, const char *why)
{
	(void)context;
	board_say("the kernel resets the GPU%s%s", *why ? ": " : "", why);
}

static bool
start(struct open_node *node, const struct board *board)
{
	const struct board_options *options = &board->shared->options;
	const struct vc4_host host = { node, take, give, signal_came,
				       log_reset };
	const struct vc4_options vc4_options = {
		.host = &host,
		.v3d_mhz = board->profile->v3d_mhz,
		.fault = options->device.fault,
		.machine = { .qpus = options->device.qpus,
			     .timed = options->device.timed,
			     .check = options->device.check,
			     .words = pi_fault_needs_words(
				     options->device.fault.kind),
			     .seed = options->device.seed,
			     .ignore = options->ignore }
	};
	struct diag why;

	node->board = board;
	node->vc4 = vc4_new(&vc4_options, &why);
	if (!node->vc4) {
		board_say("%s", why.text);
		return false;
	}
	observer_attach(&node->observer, vc4_machine(node->vc4), board);
	return true;
}

/* Add to the shared totals what was done since the last time. */
static void
count(struct open_node *node, const struct board *board)
{
	const uint64_t jobs = vc4_jobs(node->vc4);

	board->shared->totals.launches += jobs - node->jobs;
	node->jobs = jobs;
	observer_count(&node->observer, board);
}

static void
stop(struct open_node *node)
{
	vc4_free(node->vc4);
	*node = (struct open_node){ .vc4 = NULL };
}

/* The open node of a file, with its driver; NULL and *error without it. */
static struct open_node *
find(const struct board *board, const struct board_stand_in *file, int *error)
{
	const unsigned i = find_open(board->shared, file);
	struct open_node *node = &nodes[i < BOARD_OPENS ? i : 0];

	*error = EBADF;
	if (i == BOARD_OPENS)
		return NULL;
	/* One of that number was closed, and another one opened since. */
	if (node->vc4 && !board_stand_in_is(&node->file, file))
		stop(node);
	if (!node->vc4 && !start(node, board)) {
		*error = ENOMEM;
		return NULL;
	}
	node->file = *file;
	return node;
}

int
render_node_request(const struct board *board,
		    const struct board_stand_in *file, unsigned long request,
		    void *argument)
{
	struct open_node *node;
	sigset_t before, signals;
	int error;

	enter(&before);
	node = find(board, file, &error);
	if (node) {
		node->masked = before;
		error = -vc4_ioctl(node->vc4, request, argument);
		board_shared_lock(board->shared, &signals);
		count(node, board);
		observer_flush(&node->observer);
		board_shared_unlock(board->shared, &signals);
	}
	leave(&before);
	return error;
}

int
render_node_file_at(const struct board *board,
		    const struct board_stand_in *file, uint64_t offset,
		    uint64_t bytes, bool writing)
{
	struct vc4_pages pages = { 0 };
	struct open_node *node;
	sigset_t before;
	int error, fd = -1;

	enter(&before);
	node = find(board, file, &error);
	if (node)
		error = -vc4_pages_at(node->vc4, offset, bytes, writing,
				      &pages);
	if (!error) {
		fd = board_open_numbered(board, CMA_FILE, pages.number);
		error = errno;
	}
	leave(&before);
	errno = error;
	return fd;
}

void
render_node_closed(const struct board *board)
{
	const int saved = errno;
	sigset_t before, signals;

	enter(&before);
	for (unsigned i = 0; i < BOARD_OPENS; i++) {
		if (!nodes[i].vc4)
			continue;
		board_shared_lock(board->shared, &signals);
		if (board->shared->opens[i].file.ino == nodes[i].file.ino &&
		    !drop_if_gone(board, i)) {
			board_shared_unlock(board->shared, &signals);
			continue;
		}
		board_shared_unlock(board->shared, &signals);
		stop(&nodes[i]);
	}
	leave(&before);
	errno = saved;
}
