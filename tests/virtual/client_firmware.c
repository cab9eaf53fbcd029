/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/virtual/board-client.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "tests/virtual/kernel-requests.h"

/* --- The firmware, and programs that it runs ---------------------------------------- */

static int
open_mailbox(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/vcio", O_RDWR | O_CLOEXEC);
	return fd;
}

/* Send a message of hexadecimal words, whose length is put before them. */
static void
send_message(char *words)
{
	uint32_t message[WORDS + 1];
	unsigned n = 1;

	while (words && n < WORDS)
		message[n++] = (uint32_t)strtoul(word(&words), NULL, 16);
	message[0] = 4 * n;
	message[n] = 0x600d; /* is not theirs */
	say("%s", name_of(ask("", open_mailbox(), MAILBOX, message)));
	for (unsigned i = 1; i < n; i++)
		say(" %x", message[i]);
	if (message[n] != 0x600d)
		say(", and written beyond its end");
}

/* Send a tag with the words that follow.  Return the error. */
static int
send_tag(uint32_t tag, uint32_t *values, unsigned n, unsigned *answered)
{
	uint32_t message[WORDS + 6] = { 4 * (n + 6), 0, tag, 4 * n };
	int error;

	memcpy(message + 5, values, 4 * n);
	error = ask("", open_mailbox(), MAILBOX, message);
	memcpy(values, message + 5, 4 * n);
	*answered = (message[4] & 0x7fffffff) / 4;
	return error;
}

/* Tell the values of its answer, with their number unless they fill the room. */
static void
tell_tag(char *words)
{
	const uint32_t tag = (uint32_t)strtoul(word(&words), NULL, 16);
	uint32_t values[WORDS] = { 0 };
	unsigned n = 0, answered;
	int error;

	while (words && n < WORDS - 1)
		values[n++] = (uint32_t)strtoul(word(&words), NULL, 16);
	error = send_tag(tag, values, n, &answered);
	if (error)
		say("%s", name_of(error));
	for (unsigned i = 0; !error && i < n; i++)
		say("%s%x", i ? " " : "", values[i]);
	if (!error && answered != n)
		say("%s%u words", n ? ", of " : "of ", answered);
}

/* The answer's first word, or 0 after an error. */
static uint32_t
tag_of(uint32_t tag, uint32_t a, uint32_t b, uint32_t c, unsigned n)
{
	uint32_t values[] = { a, b, c };
	unsigned answered;

	return send_tag(tag, values, n, &answered) ? 0 : values[0];
}

/* Take memory of the firmware, and find out where it is. */
static void
take(char *words)
{
	const uint32_t bytes = (uint32_t)number(&words);
	const uint32_t alignment = (uint32_t)number(&words);
	const uint32_t flags = words ? (uint32_t)number(&words) : 32;
	const uint32_t handle = tag_of(0x3000c, bytes, alignment, flags, 3);

	if (!handle) {
		say("none");
		return;
	}
	say("%u at 0x%x", handle, tag_of(0x3000d, handle, 0, 0, 1));
	tag_of(0x3000e, handle, 0, 0, 1);
}

/* Offsets in the memory of a launch. */
enum { UNIFORMS = 0x800, CONTROL = 0x900, RESULT = 0xa00, BYTES = 0x1000 };

#define NOPS "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
#define ENDS "mov irq, 1\nthrend\nnop\nnop\n" NOPS
#define STORES                                                                 \
	"mov vw_setup, 0x80904000\nmov vw_setup, 0xc0000000\n"                 \
	"mov vw_addr, r1\nmov -, vw_wait\n"

/* Their uniforms are 7 and the address where they store. */
static const struct {
	const char *name, *text;
} programs[] = {
	{ "ends", ENDS },
	{ "silent", "thrend\nnop\nnop\n" NOPS },
	{ "loops", ":a\nbrr -, :a\nnop\nnop\nnop\n" NOPS },
	{ "waits", "sacq -, 0\nthrend\nnop\nnop\n" NOPS },
	{ "early", /* some 100,000 instructions after its interrupt it stores */
	  "mov r0, unif\nmov r1, unif\nmov irq, 1\nldi r2, 20000\n:a\n"
	  "sub.setf r2, r2, 1\nbrr.anynz -, :a\nnop\nnop\nnop\n"
	  "mov vw_setup, 0x1a00\nmov vpm, r0\n" STORES
	  "thrend\nnop\nnop\n" NOPS },
	{ "hazard", "mov ra1, 1\nmov r0, ra1\n" ENDS },
	{ "copies", /* a word behind the results, which each launch changes */
	  "mov r0, unif\nmov r1, unif\nldi r2, 128\nadd t0s, r1, r2\n"
	  "ldtmu0\nmov vw_setup, 0x1a00\nmov vpm, r4\n" STORES ENDS },
	{ "stores", "mov r0, unif\nmov r1, unif\nmov vw_setup, 0x1a00\n"
		    "mov vpm, r0\n" STORES ENDS },
};

static uint32_t launch_bus, nloaded;
static volatile uint32_t *launch_words;

static void
take_launch_memory(void)
{
	const int mem = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	void *memory;

	launch_bus =
		tag_of(0x3000d, tag_of(0x3000c, BYTES, PAGE, 4, 3), 0, 0, 1);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, mem,
		      (off_t)(launch_bus & 0x3fffffff));
	if (memory == MAP_FAILED)
		exit(99);
	launch_words = memory;
	close(mem);
}

static void
load(const char *name, uint32_t address)
{
	struct qpu_asm_program program;
	const char *text = NULL;

	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			text = programs[i].text;
	if (!launch_words)
		take_launch_memory();
	for (unsigned i = 0; i < BYTES / 4; i++)
		launch_words[i] = 0;
	if (!text || !qpu_asm_text("t", text, strlen(text), NULL, &program))
		exit(99);
	for (size_t i = 0; i < program.nwords; i++) {
		launch_words[2 * i] = (uint32_t)program.words[i].word;
		launch_words[2 * i + 1] =
			(uint32_t)(program.words[i].word >> 32);
	}
	qpu_asm_free(&program);
	launch_words[UNIFORMS / 4] = 7;
	launch_words[UNIFORMS / 4 + 1] = address ? address :
						   launch_bus + RESULT;
	launch_words[RESULT / 4 + 32] = ++nloaded;
	for (unsigned i = 0; i < 12; i++) {
		launch_words[CONTROL / 4 + 2 * i] = launch_bus + UNIFORMS;
		launch_words[CONTROL / 4 + 2 * i + 1] = launch_bus;
	}
}

static void
execute(uint32_t control, char *words)
{
	uint32_t values[4] = { (uint32_t)number(&words), control, 0,
			       (uint32_t)number(&words) };
	unsigned answered;
	int error;

	values[2] = strcmp(word(&words), "noflush") == 0;
	error = send_tag(0x30011, values, 4, &answered);
	say("%s", error ? name_of(error) : values[0] ? "failed" : "good");
}

/* PROGRAM[@ADDRESS] N MS [noflush] */
static void
launch(char *words)
{
	char *address = word(&words);
	const char *name = strsep(&address, "@");

	load(name, address ? (uint32_t)strtoul(address, NULL, 0) : 0);
	execute(launch_bus + CONTROL, words);
}

/* Execute once more, with the list of programs at another offset. */
static void
launch_again(char *words)
{
	const uint32_t at = (uint32_t)number(&words);

	for (unsigned i = 0; i < 2 && at < BYTES; i++)
		launch_words[at / 4 + i] = launch_words[CONTROL / 4 + i];
	execute(launch_bus + at, words);
}

static void
show_results(char *words)
{
	(void)words;
	for (unsigned i = 0; i < 17; i += 16)
		say("%s%x", i ? " x 16, " : "", launch_words[RESULT / 4 + i]);
	for (unsigned i = 1; i < 16; i++)
		if (launch_words[RESULT / 4 + i] != launch_words[RESULT / 4])
			say(", but %x", launch_words[RESULT / 4 + i]);
}

/* start N PROGRAM: by the registers that are mapped as number N. */
static void
start(char *words)
{
	volatile uint32_t *v3d = mappings[number(&words) % MAPPINGS];

	load(word(&words), 0);
	v3d[0x434 / 4] = launch_bus + UNIFORMS;
	v3d[0x430 / 4] = launch_bus;
}

const struct command firmware_commands[] = {
	{ "launch", launch },
	{ "launch-at", launch_again },
	{ "message", send_message },
	{ "results", show_results },
	{ "start", start },
	{ "tag", tell_tag },
	{ "take", take },
	{ NULL, NULL },
};
