/* SPDX-License-Identifier: MIT */
/*
 * Promise: what qpu-hwcheck, the program of make check-hardware, says of
 * emulated devices and of a scripted Raspberry Pi 2 (program.golden).
 *
 * The first line of an input is its arguments; RAW is the file for its words.
 * Further lines are
 *
 *	pi WORD...	a Raspberry Pi 2, on which nothing runs (pi_words)
 *	differs		only those lines are shown that are not in the last report
 *			that is shown as a whole, and how many are only there
 *
 * The clock goes on by a millisecond each time that it is read.  What depends
 * on the machine or on the day is shown as #.  Of the experiments the first one
 * is shown, the first risky one, and those with an answer that is neither the
 * emulator's nor 0.
 */
#include "config.h"

int
hwcheck_main(int argc, char **argv);

#define main hwcheck_main
#include "qpu/check/hwcheck.c"
#undef main

#include <errno.h>
#include <pthread.h>
#include <stdio_ext.h>

#include "qpu/abi/mailbox.h"
#include "tests/ways/pi.h"
#include "tests/hardware/raw-words.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

enum { WORDS = 16, REGISTERS = 0x3fc00000, PAGE = 4096 };

/* What is around the program. */
static struct {
	bool differs;
	/* Of the Pi: the largest piece of its memory, and what it answers. */
	size_t most_bytes, last_bytes;
	uint32_t throttled;
	unsigned refuses, launches; /* the launch that it refuses; 0 = none */
	bool knows_little;	    /* the firmware does not know all tags */
	bool loses_power;   /* the V3D, after a launch of many programs */
	unsigned unwritten; /* requests before which lines were not written */
	bool stuck;	    /* only the first program of a launch ends */
} world;

static FILE *raw;

/* A Raspberry Pi ----------------------------------------------------------- */

enum { SRQCS = 0x43c / 4, ENDED = 1 << 16, MOST_ENDED = 12 << 16 };

static volatile uint32_t v3d[PAGE / 4]; /* its registers */
static int mapped_registers;
static struct fault_hooks pi_hooks;

/* The kernel's pieces do not overlap, and none is larger than `most_bytes`. */
static int
ask_kernel(int fd, unsigned long request, void *argument)
{
	const struct vcsm_allocate *allocate = argument;
	const struct dma_heap_allocate *heap = argument;
	const size_t bytes =
		(uint32_t)request == (uint32_t)VCSM_ALLOCATE ? allocate->size :
		(uint32_t)request == (uint32_t)DMA_HEAP_ALLOCATE ? heap->bytes :
								   0;

	errno = ENOMEM;
	if (bytes > world.most_bytes)
		return -1;
	pi.dma_addr += bytes > 0 ? world.last_bytes : 0;
	world.last_bytes = bytes > 0 ? bytes : world.last_bytes;
	return pi_hooks.ioctl(fd, request, argument);
}

/* Is it a question that changes nothing?  pi.c may not know it. */
static bool
is_question(uint32_t tag)
{
	return tag < MAILBOX_ALLOCATE_MEMORY ||
	       (tag >= MAILBOX_DOMAIN_STATE && tag < MAILBOX_SET_CLOCK_STATE);
}

/* The words of such an answer tell tag and request, and how long both are. */
static int
answer(int fd, unsigned long request, void *argument)
{
	uint32_t *message = argument, *values = message + 5;

	if ((uint32_t)request != (uint32_t)MAILBOX_IOCTL)
		return ask_kernel(fd, request, argument);
	if (message[2] == MAILBOX_ENABLE_QPU ||
	    message[2] == MAILBOX_EXECUTE_QPU)
		world.unwritten += __fpending(stdout) > 0;
	errno = EINVAL;
	if (message[2] == MAILBOX_ENABLE_QPU &&
	    (message[3] != sizeof(*values) || message[4] != sizeof(*values)))
		return -1;
	if (message[2] == MAILBOX_ENABLE_QPU && !pi.enable_answer)
		v3d[0] = values[0] ? PI_IDENT0 : PI_NO_POWER;
	if (message[2] == MAILBOX_EXECUTE_QPU &&
	    ++world.launches == world.refuses)
		pi.run_answer = MAILBOX_FAILED;
	if (message[2] == MAILBOX_ALLOCATE_MEMORY &&
	    values[0] > world.most_bytes) {
		values[0] = 0;
	} else if (message[2] == MAILBOX_THROTTLED && world.throttled) {
		values[0] = world.throttled;
	} else if (!world.knows_little && is_question(message[2])) {
		values[1] = (message[2] & 0xff) * 10000000 +
			    values[0] * 1000000 + message[3] * 10000 +
			    message[4] * 1000;
		values[0] = message[2] | message[3] << 20 | message[4] << 24;
	} else {
		return pi_hooks.ioctl(fd, request, argument);
	}
	message[1] = MAILBOX_SUCCESS;
	message[4] |= MAILBOX_TAG_RESPONSE;
	return 0;
}

/* A thread asks for the clock while another one launches. */
static int
ask(int fd, unsigned long request, void *argument)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int status;

	pthread_mutex_lock(&lock);
	status = answer(fd, request, argument);
	pthread_mutex_unlock(&lock);
	return status;
}

static void *
map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	if (offset != REGISTERS)
		return pi_hooks.mmap(at, bytes, protection, flags, fd, offset);
	errno = EPERM;
	mapped_registers += pi.has_registers;
	return pi.has_registers ? (void *)(uintptr_t)v3d : MAP_FAILED;
}

static int
unmap(void *at, size_t bytes)
{
	if (at != v3d)
		return pi_hooks.munmap(at, bytes);
	mapped_registers--;
	return 0;
}

/* A program ends while the driver waits. */
static int
yield(void)
{
	if (!world.stuck && (v3d[SRQCS] & 0xff0000) < MOST_ENDED)
		v3d[SRQCS] += ENDED;
	if (world.loses_power)
		v3d[0] = PI_NO_POWER;
	return 0;
}

static int
wait_for_nothing(struct pollfd *fds, nfds_t n, int ms)
{
	return n == 0 ? 0 : fault_real_poll(fds, n, ms);
}

/* This process may use n cores, wherever it is. */
static int
have_cores(size_t bytes, cpu_set_t *set, unsigned n)
{
	memset(set, 0, bytes);
	for (unsigned i = 0; i < n; i++)
		CPU_SET(i, set);
	return 0;
}

static int
have_one_core(pid_t pid, size_t bytes, cpu_set_t *set)
{
	(void)pid;
	return have_cores(bytes, set, 1);
}

static int
have_two_cores(pid_t pid, size_t bytes, cpu_set_t *set)
{
	(void)pid;
	return have_cores(bytes, set, 2);
}

static const struct {
	const char *word;
	void *field;
	uint32_t value;
} pi_words[] = { { "uncached", &pi.nodes, PI_UNCACHED },
		 { "cached", &pi.nodes, PI_CACHED },
		 { "without-mem", &pi.nodes, 1 << PI_VCIO | 1 << PI_VCSM },
		 { "without-vcio", &pi.nodes, 1 << PI_MEM },
		 { "without-module", &pi.nodes, 1 << PI_VCIO | 1 << PI_HEAP },
		 { "loses-enable", &pi.lost_tag, MAILBOX_ENABLE_QPU },
		 { "silent", &pi.run_error, ETIMEDOUT },
		 { "refuses", &pi.run_answer, MAILBOX_FAILED },
		 { "flush-fails", &pi.sync_errors[2], EIO },
		 { "refresh-fails", &pi.sync_errors[3], EIO },
		 { "stays-off", &pi.enable_answer, MAILBOX_FAILED },
		 { "supply-is-low", &world.throttled, 1 },
		 { "supply-was-low", &world.throttled, 0x10000 },
		 { "supply-is-low-again", &world.throttled, 0x50005 } };

static void
set_up_pi(char *words)
{
	pi_begin(PI_DEV_MEM);
	world.most_bytes = 9 << 20;
	pi.next_bus = 0xc0010000;
	/* Most registers hold their own place. */
	for (unsigned i = 0; i < PAGE / 4; i++)
		v3d[i] = i == SRQCS ? 0 : 4 * i;
	v3d[0] = PI_NO_POWER;
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		for (size_t i = 0; i < sizeof(pi_words) / sizeof(*pi_words);
		     i++)
			if (strcmp(word, pi_words[i].word) == 0)
				*(uint32_t *)pi_words[i].field =
					pi_words[i].value;
		pi.has_registers |= strcmp(word, "registers") == 0;
		pi.clock_off |= strcmp(word, "clock-off") == 0;
		world.knows_little |= strcmp(word, "knows-little") == 0;
		world.stuck |= strcmp(word, "stuck") == 0;
		world.loses_power |= strcmp(word, "loses-power") == 0;
		sscanf(word, "refuses-%u", &world.refuses);
		if (strcmp(word, "on") == 0)
			v3d[0] = PI_IDENT0;
		if (strcmp(word, "kms") == 0)
			pi.status = "okay";
		if (strcmp(word, "no-memory") == 0)
			fault_at(FAULT_calloc, 1, ENOMEM);
		if (strcmp(word, "64-bit") == 0)
			pi.machine = "aarch64";
	}
	pi_hooks = fault_hooks;
	fault_hooks.ioctl = ask;
	fault_hooks.mmap = map;
	fault_hooks.munmap = unmap;
	fault_hooks.poll = wait_for_nothing;
	fault_hooks.sched_yield = yield;
	fault_hooks.sched_getaffinity = have_one_core;
}

/* Some machine that is no Raspberry Pi. */
static void
set_up_pc(void)
{
	pi_begin(0);
	pi.is_pc = true;
	fault_hooks.mmap = NULL;
	fault_hooks.munmap = NULL;
	fault_hooks.sched_getaffinity = have_two_cores;
}

/* The whole program -------------------------------------------------------- */

struct call {
	bool clock_off; /* before */
	int argc;
	char *argv[WORDS + 1];
};

static int
run_program(void *call_)
{
	struct call *call = call_;
	const struct balance before = balance_now();
	const int status = hwcheck_main(call->argc, call->argv);
	const struct balance after = balance_now();

	if (pi.mapped || mapped_registers || after.files != before.files ||
	    after.blocks != before.blocks || after.threads != before.threads)
		printf("Not given back: %d mappings, %d registers, %d files, "
		       "%ld blocks, %d threads\n",
		       pi.mapped, mapped_registers,
		       (int)(after.files - before.files),
		       after.blocks - before.blocks,
		       after.threads - before.threads);
	if (world.knows_little && pi.clock_off != call->clock_off)
		printf("The clock is left %s\n", pi.clock_off ? "off" : "on");
	if (pi_count('P') > 0)
		printf("Processes that keep memory: %u\n", pi_count('P'));
	if (world.unwritten > 0)
		printf("Not written before a request: %u\n", world.unwritten);
	fflush(stdout);
	return status;
}

/* Is it the line of an experiment that is not to be shown? */
static bool
is_left_out(const char *line)
{
	unsigned id;

	return strlen(line) > 4 && line[3] == ' ' &&
	       sscanf(line, "%3u", &id) == 1 && id != 1 && id != 71 &&
	       (strstr(line, "(as emulated)") || strstr(line, ": 00000000"));
}

/* The last report that is shown as a whole. */
static char whole[16384];

/* How a line is shown: some end after their beginning, some are left out. */
static void
add_line(char *text, size_t size, const char *line)
{
	static const char *const other[] = { PACKAGE_NAME, "Date: ", "Words: ",
					     "The slowest answer during " };
	const size_t len = strlen(text);

	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		if (strncmp(line, other[i], strlen(other[i])) == 0 &&
		    !strstr(line, ": 0.000 ms")) {
			snprintf(text + len, size - len, "%s#\n", other[i]);
			return;
		}
	if (!is_left_out(line))
		snprintf(text + len, size - len, "%s\n", line);
}

/* Each line of a text, with its newline. */
static const char *
next_line(const char *text, char *line, size_t size)
{
	const size_t n = strcspn(text, "\n");

	snprintf(line, size, "%.*s\n", (int)n, text);
	return text + n + (text[n] == '\n');
}

/* A line with its newline in a text, or NULL. */
static const char *
find_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	while (at && at != text && at[-1] != '\n')
		at = strstr(at + 1, line);
	return at;
}

/* Lines have to come in the order of those of the whole report. */
static void
write_difference(const char *shown, struct golden_output *out)
{
	unsigned missing = 0;
	const char *left = whole, *at;
	char line[1024];

	while (*shown) {
		shown = next_line(shown, line, sizeof(line));
		at = find_line(left, line);
		if (line[0] == '\n')
			continue;
		if (!at) {
			golden_printf(out, "report", "%s", line);
			continue;
		}
		for (; left < at; missing++)
			left = next_line(left, line, sizeof(line));
		left = next_line(left, line, sizeof(line));
	}
	while (*left) {
		left = next_line(left, line, sizeof(line));
		missing++;
	}
	golden_printf(out, "missing", "%u lines\n", missing);
}

static void
write_report(const char *text, struct golden_output *out)
{
	char line[1024], shown[sizeof(whole)] = "";

	while (*text) {
		text = next_line(text, line, sizeof(line));
		line[strcspn(line, "\n")] = '\0';
		add_line(shown, sizeof(shown), line);
	}
	if (world.differs) {
		write_difference(shown, out);
	} else {
		golden_printf(out, "report", "%s", shown);
		memcpy(whole, shown, sizeof(whole));
	}
}

static void
print_program(char *words, struct golden_output *out)
{
	struct call call = { .clock_off = pi.clock_off,
			     .argc = 1,
			     .argv = { "qpu-hwcheck" } };
	struct capture capture;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(raw));
	for (char *word = strtok(words, " "); word && call.argc < WORDS;
	     word = strtok(NULL, " "))
		call.argv[call.argc++] = strcmp(word, "RAW") == 0 ? path : word;
	capture_run(&capture, run_program, &call, false);
	write_report(capture.out.bytes ? capture.out.bytes : "", out);
	if (capture.err.len > 0)
		golden_write(out, "stderr", capture.err.bytes, capture.err.len);
	if (capture.status)
		golden_printf(out, "status", "%d\n", capture.status);
	capture_free(&capture);
}

/* Cases -------------------------------------------------------------------- */

static void
report_on(const struct golden_case *c, struct golden_output *out)
{
	char text[512], *save = NULL, *arguments;

	snprintf(text, sizeof(text), "%s", c->input.text);
	memset(&world, 0, sizeof(world));
	raw = tmpfile();
	arguments = strtok_r(text, "\n", &save);
	set_up_pc();
	for (char *line; (line = strtok_r(NULL, "\n", &save));)
		if (strcmp(line, "differs") == 0)
			world.differs = true;
		else
			set_up_pi(line + 2);
	fault_clock_step(FAULT_SECOND / 1000);
	print_program(arguments, out);
	pi_end();
	if (!world.differs)
		raw_write(raw, out);
	fclose(raw);
}

int
main(void)
{
	golden_run("tests/hardware/program.golden", report_on);
	return tap_done();
}
