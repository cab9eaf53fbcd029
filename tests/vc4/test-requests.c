/* SPDX-License-Identifier: MIT */
/*
 * requests.golden, jobs.golden, render.golden and lists.golden: a program's requests
 * to the kernel's driver vc4, and lists that its V3D runs, a line each, and after
 * " -> " the answer.  To add a case write its commands and run the test with
 * UPDATE_GOLDEN=1.
 *
 * A request is a name of the table `requests` with the members of its struct in
 * their order; those that are left out are 0, and @ is the address of a few
 * zeros.  The other commands are:
 *
 *	version [BYTES [TEXT]]	room for the name, and which text has no place
 *	raw REQUEST [ADDRESS]	a request with zeros, or what is at an address
 *	program SOURCE		a shader buffer; ';' ends a line of the source
 *	map HANDLE BYTES	prints first and last byte, then writes 0x5a
 *	poke HANDLE WORD,...	writes words to a buffer
 *	look HANDLE INDEX...	prints words of a buffer
 *	bus ADDRESS N		prints words that the V3D sees there
 *	register OFFSET		prints a register of the V3D
 *	scene SOURCE		the buffers of `triangle`, with this program; or
 *				`scene places`: pixels have the first uniform and
 *				their place; `scene lookups`: what they looked up
 *	triangle [WORD]...	a job of 2 x 2 tiles; all its pixels run the
 *				program of handle 3; 1 has the samples, 2 the
 *				corners, 4 is looked up, 5 and 6 are the programs
 *				of vertices and coordinates
 *	submit [WORD]...	WORD is KEY=NUMBER... (submit_members), or
 *				list=PACKET,... or a list of words: handles=,
 *				records=, uniforms=
 *	count HANDLE		how often each word is in a buffer
 *	bytes ADDRESS BYTE...	writes bytes where the V3D sees them, hexadecimal
 *	write OFFSET VALUE	a register, hexadecimal
 *	run [N]			the machine, for N instructions at most
 *	reset			it
 *	registers, clocks	of control lists; as the cycle model counts them
 *	jobs, time		ended jobs; time spent in waits
 *	Nx COMMAND		N times; only the last one is printed
 */
#include "config.h"

#include "tests/vc4/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/vc4.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/pi/vc4.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

enum { HANDLES = 256, CREATE = 0 /* of the requests */ };

struct vc4 *node;	      /* of the case */
static bool is_short;	      /* each allocation of a request fails once */
static unsigned signal_after; /* the poll that finds a signal, or 0 */
static const uint64_t readable[4];

/* --- Text ------------------------------------------------------------------ */

void
answer(int error, const char *format, ...)
{
	static const char *const names[] = {
		[0] = NULL,	     [EALREADY] = "EALREADY",
		[ENOENT] = "ENOENT", [EINTR] = "EINTR",
		[ENOMEM] = "ENOMEM", [EACCES] = "EACCES",
		[EFAULT] = "EFAULT", [ENODEV] = "ENODEV",
		[EINVAL] = "EINVAL", [ENOTTY] = "ENOTTY",
		[ETIME] = "ETIME",   [EOPNOTSUPP] = "EOPNOTSUPP"
	};
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (error)
		snprintf(text, sizeof(text), "%s",
			 error < 0 && error >= -EALREADY && names[-error] ?
				 names[-error] :
				 "another error");
	golden_answer("%s", text);
}

size_t
put_numbers(uint8_t *to, const char *text, const char *sizes)
{
	size_t n = 0;

	for (; *sizes; sizes++) {
		char *end;
		uint64_t value = strtoull(text, &end, 0);

		if (*text == '@')
			value = (uintptr_t)readable;

		for (int i = 0; i < *sizes - '0'; i++)
			to[n++] = (uint8_t)(value >> 8 * i);
		text = *end ? end + 1 : end;
	}
	return n;
}

uint32_t
read_words(const char *text, uint32_t *words)
{
	uint32_t n = 0;
	char *end;

	for (; *text; text = *end ? end + 1 : end) {
		unsigned long value = strtoul(text, &end, 0), times = 1;

		if (*end == '*') {
			times = value;
			value = strtoul(end + 1, &end, 0);
		}
		while (times--)
			words[n++] = (uint32_t)value;
	}
	return n;
}

bool
set_member(const struct member *members, size_t n, void *of, const char *word)
{
	const size_t len = strcspn(word, "=");

	for (size_t i = 0; i < n; i++)
		if (strlen(members[i].name) == len &&
		    strncmp(members[i].name, word, len) == 0 && word[len]) {
			put_numbers((uint8_t *)of + members[i].at,
				    word + len + 1, members[i].sizes);
			return true;
		}
	return false;
}

/* --- Requests -------------------------------------------------------------- */

int
ask(unsigned long request, void *argument)
{
	uint8_t before[256];
	unsigned nth = 0;
	bool struck;
	int error;

	/* A V3D without memory is reset, which does not answer a wait. */
	if (!is_short || request == VC4_WAIT_SEQNO)
		return vc4_ioctl(node, request, argument);
	fault_clear();
	memcpy(before, argument, _IOC_SIZE(request));
	do {
		memcpy(argument, before, _IOC_SIZE(request));
		fault_at(FAULT_MEMORY, ++nth, ENOMEM);
		error = vc4_ioctl(node, request, argument);
		struck = fault_count(FAULT_MEMORY) >= nth;
		fault_clear();
	} while (struck && error == -ENOMEM);
	if (struck)
		golden_tell(" (goes on without memory)");
	return error;
}

#define REQUEST(name, number, sizes, type, member, format)                     \
	{                                                                      \
		name, number, sizes, offsetof(struct type, member),            \
			sizeof(((struct type *)0)->member), format             \
	}

/* A request, and the member that it is answered with. */
static const struct request {
	const char *name;
	unsigned long number;
	const char *sizes; /* of the members */
	size_t at, bytes;
	const char *format;
} requests[] = {
	[CREATE] = REQUEST("create", VC4_CREATE_BO, "44", vc4_create_bo, handle,
			   "handle %" PRIu64),
	REQUEST("param", VC4_GET_PARAM, "44", vc4_get_param, value,
		"0x%08" PRIx64),
	REQUEST("program-at", VC4_CREATE_SHADER_BO, "44844",
		vc4_create_shader_bo, handle, "handle %" PRIu64),
	REQUEST("mmap", VC4_MMAP_BO, "44", vc4_mmap_bo, handle, "ok"),
	REQUEST("close", DRM_GEM_CLOSE, "44", drm_gem_close, handle, "ok"),
	REQUEST("wait", VC4_WAIT_SEQNO, "88", vc4_wait_seqno, timeout_ns, "ok"),
};

static uint64_t
member_of(const struct request *request, const void *argument)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)argument + request->at, request->bytes);
	return value;
}

static void
make_request(const struct request *request, const char *words)
{
	uint64_t argument[8] = { 0 }, before, after;
	int error;

	put_numbers((uint8_t *)argument, words, request->sizes);
	before = member_of(request, argument);
	error = ask(request->number, argument);
	after = member_of(request, argument);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	answer(error, request->format, after);
#pragma GCC diagnostic pop
	/* A wait writes back how much of its time is left. */
	if (strncmp(request->name, "wait", 4) == 0 && after != before)
		answer(0, "%" PRIu64 " ns left", after);
}

void
create(const char *words)
{
	make_request(&requests[CREATE], words);
}

static void
version(char *words)
{
	int error, lost = -1;
	char name[16] = "", date[16] = "", about[64] = "", *end;
	struct drm_version request = { .major = 9,
				       .minor = 9,
				       .patch = 9,
				       .name = name,
				       .name_bytes = sizeof(name),
				       .date = date,
				       .date_bytes = sizeof(date),
				       .about = about,
				       .about_bytes = sizeof(about) };

	if (*words) {
		request.name_bytes = strtoul(words, &end, 0);
		lost = *end ? atoi(end) : -1;
	}
	if (lost >= 0)
		*(char **[]){ &request.name, &request.date,
			      &request.about }[lost] = (char *)1;
	error = ask(DRM_VERSION, &request);
	answer(error, "%s (%zu) %d.%d.%d, %s, %s", name,
	       (size_t)request.name_bytes, (int)request.major,
	       (int)request.minor, (int)request.patch, date, about);
}

static void
raw(char *words)
{
	unsigned long request;
	uint64_t zeros[32] = { 0 };
	unsigned long address = (uintptr_t)zeros;

	sscanf(words, "%lx %lx", &request, &address);
	answer(vc4_ioctl(node, request, (void *)address), "ok");
}

/* --- Memory ---------------------------------------------------------------- */

static uint64_t
offset_of(uint32_t handle)
{
	struct vc4_mmap_bo request = { .handle = handle };

	return ask(VC4_MMAP_BO, &request) == 0 ? request.offset : 0;
}

static void
map(char *words)
{
	char *rest;
	const uint32_t handle = (uint32_t)strtoul(words, &rest, 0) % HANDLES;
	const size_t bytes = strtoul(rest, NULL, 0);
	struct vc4_pages pages;
	uint8_t *memory = vc4_pages_at(node, offset_of(handle), bytes, true,
				       &pages) == 0 ?
				  pages.host :
				  NULL;

	answer(memory ? 0 : -EINVAL, "%02x ... %02x", memory ? *memory : 0,
	       memory ? memory[bytes - 1] : 0);
	if (!memory)
		return;
	memory[0] = memory[bytes - 1] = 0x5a;
}

static uint32_t *
words_of(uint32_t handle, uint32_t *n)
{
	struct vc4_pages pages = { .bytes = 0 };

	vc4_pages_at(node, offset_of(handle), 1, false, &pages);
	*n = pages.bytes / 4;
	return pages.host;
}

void
poke(char *words)
{
	uint32_t values[WORDS], room;
	char *rest;
	uint32_t *at = words_of((uint32_t)strtoul(words, &rest, 0), &room);
	const uint32_t n = read_words(rest + 1, values);

	if (n <= room)
		memcpy(at, values, n * sizeof(*values));
}

static void
look(char *words)
{
	char text[256] = "", *rest;
	uint32_t n;
	const uint32_t *at = words_of((uint32_t)strtoul(words, &rest, 0), &n);

	while (*rest && n) {
		const size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%" PRIx32,
			 len ? " " : "", at[strtoul(rest, &rest, 0) % n]);
	}
	answer(0, "%s", text);
}

/* How often each word is in a buffer. */
static void
count(char *words)
{
	enum { KINDS = 16 };
	struct {
		uint32_t word;
		unsigned n;
	} kinds[KINDS] = { { 0, 0 } };
	uint32_t room;
	const uint32_t *at = words_of((uint32_t)strtoul(words, NULL, 0), &room);
	unsigned n = 0, k;

	for (uint32_t i = 0; i < room; i++) {
		for (k = 0; k < n && kinds[k].word != at[i];)
			k++;
		if (k == KINDS) {
			answer(0, "many words");
			return;
		}
		if (k == n)
			kinds[n++].word = at[i];
		kinds[k].n++;
	}
	for (k = 0; k < n; k++)
		answer(0, "%x: %u", kinds[k].word, kinds[k].n);
}

/* --- Cases ----------------------------------------------------------------- */

static const struct golden_command own_commands[] = {
	{ "version", version }, { "raw", raw },	  { "map", map },
	{ "poke", poke },	{ "look", look }, { "count", count },
	{ NULL, NULL },
};

static void
command(char *line)
{
	const size_t len = strcspn(line, " ");

	if (golden_command(own_commands, line) ||
	    golden_command(job_commands, line))
		return;
	for (size_t i = 0; i < LENGTH(requests); i++)
		if (strlen(requests[i].name) == len &&
		    strncmp(requests[i].name, line, len) == 0) {
			make_request(&requests[i],
				     line + len + (line[len] == ' '));
			return;
		}
	answer(0, "no command");
}

static void
log_reset(void *context, const char *why)
{
	(void)context;
	answer(0, "reset%s%s", *why ? ": " : "", why);
}

static void
tell_finding(void *context, const struct qpu_message *message)
{
	(void)context;
	answer(0, "%s: %s", message->rule, message->text);
}

static bool
has_signal_come(void *context)
{
	(void)context;
	return signal_after > 0 && --signal_after == 0;
}

#define OPTION(name, member, sizes)                                            \
	{                                                                      \
		name, offsetof(struct vc4_options, member), sizes              \
	}

static void
read_options(const char *text, struct vc4_options *options)
{
	static const struct member members[] = {
		OPTION("cma", cma_mib, "4"),
		OPTION("mhz", v3d_mhz, "4"),
		OPTION("qpus", machine.qpus, "4"),
		OPTION("words", machine.words, "1"),
		OPTION("timed", machine.timed, "1"),
		OPTION("check", machine.check, "1"),
		OPTION("ignore", machine.ignore, "8"),
	};
	struct pi_fault fault = { .kind = PI_NO_FAULT };
	char copy[128], *rest = copy, *word;

	signal_after = 0;
	snprintf(copy, sizeof(copy), "%s", text ? text : "");
	while ((word = strsep(&rest, " \n"))) {
		if (strncmp(word, "fault=", 6) == 0 &&
		    !pi_fault_parse(&fault, PI_TILES, word + 6, NULL))
			exit(99);
		if (strncmp(word, "signal=", 7) == 0)
			signal_after = (unsigned)strtoul(word + 7, NULL, 0);
		set_member(members, LENGTH(members), options, word);
	}
	options->fault = fault;
}

/* The memory of the process as a node has it by default; what a node takes it
 * has to give back. */
static struct vc4_memory memory;
static long taken;

static int
take_pages(void *context, uint32_t bytes, struct vc4_pages *pages)
{
	const int error = vc4_memory_take(context, bytes, pages);

	taken += error ? 0 : bytes;
	return error;
}

static void
give_pages(void *context, const struct vc4_pages *pages)
{
	taken -= pages->bytes;
	vc4_memory_give(context, pages);
}

static const char *options_now; /* of the case */

static void
end_node(void)
{
	if (node)
		vc4_free(node);
	node = NULL;
	vc4_memory_close(&memory);
	memory = (struct vc4_memory){ .host = NULL };
}

/* A node, for a case or for a row of it. */
static void
begin_node(void)
{
	static const struct vc4_host host = { &memory, take_pages, give_pages,
					      has_signal_come, log_reset };
	struct vc4_options options = { .cma_mib = 64, .host = &host };
	struct diag why;

	end_node();
	read_options(options_now, &options);
	is_short = options.fault.kind == PI_NO_FAULT;
	if (!vc4_memory_open(&memory, options.cma_mib << 20, &why) ||
	    !(node = vc4_new(&options, &why)))
		exit(99);
	machine_on_message(vc4_machine(node), tell_finding, NULL);
}

static void
run(const struct golden_case *c, struct golden_output *output)
{
	const struct balance before = balance_now();

	options_now = golden_section(c, "@options");
	golden_rows(c, begin_node, command);
	end_node();
	if (taken != 0 || balance_now().blocks != before.blocks)
		golden_tell("not all memory is back\n");
	golden_session_end(output);
}

/* Each allocation fails in turn, and then the mapping. */
static void
test_shortage(void)
{
	const struct vc4_options options = { .cma_mib = 64 };
	const struct balance before = balance_now();
	struct diag why;
	unsigned nth = 0, told = 0;

	do {
		why.text[0] = '\0';
		fault_at(FAULT_MEMORY, ++nth, ENOMEM);
		node = vc4_new(&options, &why);
		fault_clear();
		told += !node && why.text[0];
	} while (!node && nth < 100);
	vc4_free(node);
	ok(nth > 2 && told == nth - 1,
	   "a node that cannot have memory is not opened, and says so");
	fault_at(FAULT_mmap, 1, ENOMEM);
	node = vc4_new(&options, &why);
	fault_clear();
	ok(!node, "a node that cannot have contiguous memory is not opened");
	is(why.text,
	   "no address space for 64 MiB of memory: Cannot allocate memory",
	   "what the contiguous memory lacks is told");
	ok(balance_now().blocks == before.blocks &&
		   balance_now().mapped == before.mapped,
	   "nodes that were not opened, or are closed, leave nothing");
}

int
main(void)
{
	golden_run("tests/vc4/requests.golden", run);
	golden_run("tests/vc4/jobs.golden", run);
	golden_run("tests/vc4/render.golden", run);
	golden_run("tests/vc4/lists.golden", run);
	test_shortage();
	return tap_done();
}
