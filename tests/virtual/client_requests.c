/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/virtual/board-client.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/abi/vc4.h"
#include "tests/vc4/clear-job.h"
#include "tests/virtual/kernel-requests.h"

/* --- Open files ----------------------------------------------------------------- */

static int files[26] = { [25] = -1 };
static unsigned nfiles;

static int *
file_of(char **words)
{
	const char letter = *word(words);

	return &files[letter >= 'a' && letter <= 'z' ? letter - 'a' : 25];
}

static void
open_file(char *words)
{
	int *file = file_of(&words);
	const char *path = word(&words), how = *word(&words);

	*file = open(path,
		     O_RDWR | O_CLOEXEC | (how == 'c' ? 0 : O_SYNC) |
			     (how == 'n' ? O_CREAT | O_EXCL | O_TRUNC : 0),
		     0600);
	if (*file < 0)
		say("%s", strerror(errno));
	nfiles = (unsigned)(file - files) + 1;
}

static void
duplicate(char *words)
{
	int *file = file_of(&words);

	*file = dup(*file_of(&words));
	nfiles = (unsigned)(file - files) + 1;
}

static void
close_file(char *words)
{
	close(*file_of(&words));
}

static void
put_byte(char *words)
{
	const int fd = *file_of(&words);

	if (pwrite(fd, words, 1, 0) != 1)
		say("%s", strerror(errno));
}

static void
get_byte(char *words)
{
	char byte = '?';

	if (pread(*file_of(&words), &byte, 1, 0) == 1)
		say("%c", byte);
}

/* --- Requests ------------------------------------------------------------------ */

static const struct request {
	const char *name;
	unsigned long number;
	unsigned file; /* the word with the descriptor that comes, or 0 */
	unsigned told; /* the word that is printed, unless it is the mailbox */
} requests[] = {
	{ "mailbox", MAILBOX, 0, 0 },
	{ "other-mailbox", MAILBOX ^ (4u ^ 8u) << _IOC_SIZESHIFT, 0, 0 },
	{ "vcsm", VCSM_ALLOC, 12, 14 },
	{ "vcsm+1", VCSM_ALLOC + 1, 0, 0 },
	{ "import", VCSM_IMPORT, 10, 14 },
	{ "caches", VCSM_CACHES, 0, 0 },
	{ "heap", HEAP_ALLOC, 2, 0 },
	{ "sync", HEAP_SYNC, 0, 0 },
	{ "bytes", FIONREAD, 0, 0 },
	{ "param", VC4_GET_PARAM, 0, 2 },
	{ "create", VC4_CREATE_BO, 0, 2 },
	{ "mmap", VC4_MMAP_BO, 0, 2 },
	{ "program", VC4_CREATE_SHADER_BO, 0, 4 },
};

/* thrend; nop; nop */
static const uint64_t code[] = { UINT64_C(0x300009e7009e7000),
				 UINT64_C(0x100009e7009e7000),
				 UINT64_C(0x100009e7009e7000) };

static unsigned
read_words(char *words, uint32_t to[WORDS])
{
	unsigned n = 0;

	while (words && n < WORDS - 2) {
		const char *at = word(&words);
		uint64_t value = strtoull(at, NULL, 0);

		if (*at == '$')
			value = (uint32_t)files[at[1] - 'a'];
		if (*at == '@')
			value = (uintptr_t)code;
		memcpy(&to[n], &value, sizeof(value));
		n += *at == '@' ? 2 : 1;
	}
	return n;
}

int
ask(const char *how, int fd, unsigned long number, void *argument)
{
	static int blocked = SIGUSR1;
	int (*function)(int, unsigned long, ...) = ioctl;
	sigset_t set, after;
	int error;

	if (strcmp(how, "time64") == 0)
		*(void **)&function = dlsym(RTLD_DEFAULT, "__ioctl_time64");
	blocked = blocked == SIGUSR1 ? SIGUSR2 : SIGUSR1;
	sigemptyset(&set);
	sigaddset(&set, blocked);
	sigprocmask(SIG_SETMASK, &set, NULL);
	errno = 0;
	error = function(fd, number, argument) < 0 ? errno : 0;
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < SIGRTMIN; i++)
		if (sigismember(&after, i) != (i == blocked))
			say("other signals are blocked, ");
	return error;
}

/* Tell what an answer has, and keep the file that came. */
static void
tell_request(const struct request *request, const uint32_t *words, unsigned n)
{
	struct stat st;

	if (strstr(request->name, "mailbox")) {
		for (unsigned i = 1; i < n; i++)
			say(" %x", words[i]);
	} else if (request->told) {
		uint64_t value;

		memcpy(&value, words + request->told, sizeof(value));
		say(", %llx", (unsigned long long)value);
	} else if (request->number == FIONREAD) {
		say(", %u", words[0]);
	}
	if (!request->file)
		return;
	files[nfiles] = (int)words[request->file];
	if (fstat(files[nfiles], &st) == 0)
		say(", %c: %u bytes", 'a' + nfiles, (unsigned)st.st_size);
	nfiles++;
}

static void
send_request(char *words)
{
	/* With a page after it that cannot be read. */
	static uint8_t *page;
	static char none[1];
	uint32_t values[WORDS] = { 0 };
	const int fd = *file_of(&words);
	char *how = word(&words);
	const char *name = strsep(&how, "@");
	const unsigned n = read_words(words, values);
	unsigned at = 0;
	int error;

	if (!page)
		page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(page + PAGE, PAGE, PROT_NONE);
	memset(page, 0, PAGE);
	how = how ? how : none;
	at = *how == '1' ? 1 : *how == 'e' ? PAGE - 4 * n : 0;
	memcpy(page + at, values, *how == 'e' ? 4 * n : sizeof(values));
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		if (strcmp(requests[i].name, name) != 0)
			continue;
		error = ask(how, fd, requests[i].number, page + at);
		memcpy(values, page + at, *how == 'e' ? 4 * n : sizeof(values));
		say("%s", name_of(error));
		if (!error || strcmp(name, "mailbox") == 0)
			tell_request(&requests[i], values, n);
	}
}

/* All samples of 2 x 2 tiles get a colour. */
static void
clear(char *words)
{
	const int fd = *file_of(&words);
	const uint32_t handle = (uint32_t)number(&words);
	struct vc4_submit_cl job = vc4_clear_job(&handle, 0x5eed);
	struct vc4_wait_seqno wait = { .timeout_ns = UINT64_C(5000000000) };
	int error = ask("", fd, VC4_SUBMIT_CL, &job);

	wait.seqno = job.seqno;
	say("%s", name_of(error ? error : ask("", fd, VC4_WAIT_SEQNO, &wait)));
}

/* --- Memory ---------------------------------------------------------------------- */

static void
count_mappings(char *words)
{
	static unsigned before;
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned n = 0;

	(void)words;
	for (int byte; maps && (byte = getc(maps)) != EOF;)
		n += byte == '\n';
	if (maps)
		fclose(maps);
	if (before)
		say("%s", n < before + 8 ? "as many" : "more");
	before = n;
}

volatile uint32_t *mappings[MAPPINGS];
static unsigned nmappings;

static void
map(char *words)
{
	const int fd = *file_of(&words);
	const uint64_t offset = number(&words);
	const size_t bytes = (size_t)number(&words);
	const char how = *word(&words);
	void *fixed = how != 'f' ? NULL :
				   mmap(NULL, bytes, PROT_READ,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *memory =
		mmap(fixed, bytes, PROT_READ | PROT_WRITE,
		     (how == 'p' || how == 'a' ? MAP_PRIVATE : MAP_SHARED) |
			     (how == 'a' ? MAP_ANONYMOUS : 0) |
			     (fixed ? MAP_FIXED : 0),
		     fd, (off_t)offset);

	/* NULL would be a good address to a program. */
	if (memory == MAP_FAILED || !memory) {
		say("%s", memory ? strerror(errno) : "no address");
		return;
	}
	if (fixed && memory != fixed)
		say("elsewhere, ");
	say("%u", nmappings);
	mappings[nmappings++ % MAPPINGS] = memory;
}

static void
peek(char *words)
{
	volatile uint32_t *at = mappings[number(&words) % MAPPINGS];

	if (at)
		say("%x", at[number(&words)]);
}

static void
poke(char *words)
{
	volatile uint32_t *at = mappings[number(&words) % MAPPINGS];

	at += number(&words);
	*at = (uint32_t)number(&words);
}

/* Fill a page. */
static void
fill(char *words)
{
	volatile uint32_t *at = mappings[number(&words) % MAPPINGS];

	for (unsigned i = 0; i < PAGE / 4; i++)
		at[i] = (uint32_t)strtoul(words, NULL, 0);
}

/* Words: "55, 32 x ff, 55". */
static void
tell_words(char *words)
{
	volatile uint32_t *at = mappings[number(&words) % MAPPINGS];
	const unsigned from = (unsigned)number(&words);
	const unsigned end = from + (unsigned)number(&words);

	for (unsigned i = from, next; i < end; i = next) {
		for (next = i + 1; next < end && at[next] == at[i];)
			next++;
		say("%s%u x %x", i > from ? ", " : "", next - i, at[i]);
	}
}

static void
tell_address(char *words)
{
	const uintptr_t at = (uintptr_t)mappings[number(&words) % MAPPINGS];

	if (words)
		say("%llx after it",
		    (unsigned long long)(at -
					 (uintptr_t)mappings[number(&words) %
							     MAPPINGS]));
	else
		say("%u bits", at >> 31 >> 1 == 0 ? 32 : 64);
}

static void
unmap(char *words)
{
	void *at = (void *)mappings[number(&words) % MAPPINGS];

	say("%s", name_of(munmap(at, (size_t)number(&words)) == 0 ? 0 : errno));
}

static void
end_by_signal(char *words)
{
	(void)words;
	raise(SIGKILL);
}

static void
make_pipe(char *words)
{
	int *file = file_of(&words), ends[2];

	if (pipe(ends) != 0 || write(ends[1], "abc", 3) != 3)
		exit(99);
	*file = ends[0];
}

const struct command request_commands[] = {
	{ "address", tell_address },
	{ "clear", clear },
	{ "close", close_file },
	{ "dup", duplicate },
	{ "file", open_file },
	{ "fill", fill },
	{ "get", get_byte },
	{ "ioctl", send_request },
	{ "kill", end_by_signal },
	{ "map", map },
	{ "mappings", count_mappings },
	{ "peek", peek },
	{ "pipe", make_pipe },
	{ "poke", poke },
	{ "put", put_byte },
	{ "unmap", unmap },
	{ "words", tell_words },
	{ NULL, NULL },
};
