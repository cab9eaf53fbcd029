/* SPDX-License-Identifier: MIT */
/*
 * requests.golden, jobs.golden and render.golden: what a program asks of the
 * kernel's driver vc4, a line each, and after " -> " what it is answered.  To
 * add a case write its commands and run the test with UPDATE_GOLDEN=1.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/vc4.h"
#include "qpu/asm/asm.h"
#include "qpu/vc4/vc4.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"
#include "tests/vc4/commands.h"

struct vc4 *node;
static struct golden_output *output;
static bool answered;	     /* the command of this line */
static uint64_t offsets[64]; /* of mappings, by handle */

static const char *
error_name(int error)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
		{ 0, "ok" },
		{ ENOENT, "ENOENT" },
		{ EINTR, "EINTR" },
		{ ENOMEM, "ENOMEM" },
		{ EACCES, "EACCES" },
		{ EFAULT, "EFAULT" },
		{ ENODEV, "ENODEV" },
		{ EINVAL, "EINVAL" },
		{ ENOTTY, "ENOTTY" },
		{ ETIME, "ETIME" },
		{ EOPNOTSUPP, "EOPNOTSUPP" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].error == -error)
			return names[i].name;
	return "another error";
}

void
answer(int error, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!output)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	golden_printf(output, "session", "%s%s", answered ? ", " : " -> ",
		      error ? error_name(error) : text);
	answered = true;
}

static void
version(const char *words)
{
	int error;
	char name[16] = "", about[64] = "";
	struct drm_version request = { .name = name,
				       .name_bytes = sizeof(name),
				       .about = about,
				       .about_bytes = sizeof(about) };

	(void)words;
	error = vc4_ioctl(node, DRM_VERSION, &request);
	answer(error, "%s (%zu): %s", name, (size_t)request.name_bytes, about);
}

static void
param(const char *words)
{
	int error;
	struct vc4_get_param request = { .pad = 0 };

	sscanf(words, "%" SCNu32 " %" SCNu32, &request.param, &request.pad);
	error = vc4_ioctl(node, VC4_GET_PARAM, &request);
	answer(error, "0x%08" PRIx64, request.value);
}

static void
create(const char *words)
{
	int error;
	struct vc4_create_bo request = { .flags = 0 };

	request.size = (uint32_t)strtoul(words, NULL, 0);
	error = vc4_ioctl(node, VC4_CREATE_BO, &request);
	answer(error, "handle %" PRIu32, request.handle);
}

/* "program [flags=N] [pad=N] SOURCE", its lines parted by ';'. */
static void
program(const char *words)
{
	int error;
	struct vc4_create_shader_bo request = { .size = 0 };
	struct qpu_asm_program code;
	uint64_t bytes[64];
	char source[512];
	int n = 0;

	if (sscanf(words, " flags=%" SCNu32 "%n", &request.flags, &n) > 0 ||
	    sscanf(words, " pad=%" SCNu32 "%n", &request.pad, &n) > 0 ||
	    sscanf(words, " cut=%" SCNu32 "%n", &request.size, &n) > 0)
		words += n;
	snprintf(source, sizeof(source), "%s\n", words);
	for (char *c = source; *c; c++)
		*c = *c == ';' ? '\n' : *c;
	if (!qpu_asm_text("t", source, strlen(source), NULL, &code)) {
		printf("Bail out! %s: %s\n", source,
		       code.diagnostics[0].diag.text);
		exit(99);
	}
	for (size_t i = 0; i < code.nwords && i < 64; i++)
		bytes[i] = code.words[i].word;
	request.size = (uint32_t)(8 * code.nwords) - request.size;
	request.data = (uintptr_t)bytes;
	qpu_asm_free(&code);
	error = vc4_ioctl(node, VC4_CREATE_SHADER_BO, &request);
	answer(error, "handle %" PRIu32, request.handle);
}

/* The buffers of triangle(), with this program for its pixels. */
static void
scene(const char *words)
{
	create("65536");
	create("4096");
	program(words);
	create("4096");
	program("ldi vr_setup, 0x301a00; ldi vw_setup, 0x1a00; mov vpm, vpm; "
		"mov -, vpm; mov -, vpm; mov vpm, 0; mov vpm, 1.0; "
		"thrend; nop; nop");
	program("ldi vr_setup, 0x301a00; ldi vw_setup, 0x1a00; mov r0, vpm; "
		"mov vpm, vpm; mov vpm, vpm; mov vpm, 0; mov vpm, 1.0; "
		"mov vpm, r0; mov vpm, 0; mov vpm, 1.0; thrend; nop; nop");
	/* The corners are such that they cover all tiles. */
	poke("2 0xfe00fe00,0xbf800000,0xbf800000,0xfe000600,0x40400000,"
	     "0xbf800000,0x0600fe00,0xbf800000,0x40400000");
}

/* Pixels with the first uniform, their place, and the uniform again. */
static void
scene_of_places(const char *words)
{
	(void)words;
	scene("mov r0, unif; mov r1, x_coord; mov r2, y_coord; nop; nop; "
	      "mov tlbm, r0; mov tlbm, r1; mov tlbm, r2; mov tlbm, r0; "
	      "thrend; nop; nop; sbdone");
}

/* Pixels with what a lookup has found at an offset that is a uniform. */
static void
scene_of_lookups(const char *words)
{
	(void)words;
	scene("ldi r0, 0; max r0, r0, 0; min r0, r0, unif; add t0s, r0, unif; "
	      "ldtmu0; mov r0, r4; mov r1, r4; mov r2, r4; nop; nop; "
	      "mov tlbm, r0; mov tlbm, r1; mov tlbm, r2; mov tlbm, r0; "
	      "thrend; nop; nop; sbdone");
}

/* "program-at ADDRESS BYTES" */
static void
program_at(const char *words)
{
	int error;
	struct vc4_create_shader_bo request = { .size = 0 };

	sscanf(words, "%" SCNi64 " %" SCNu32, (int64_t *)&request.data,
	       &request.size);
	error = vc4_ioctl(node, VC4_CREATE_SHADER_BO, &request);
	answer(error, "handle %" PRIu32, request.handle);
}

static void
close_handle(const char *words)
{
	int error;
	struct drm_gem_close request = { .pad = 0 };

	request.handle = (uint32_t)strtoul(words, NULL, 0);
	error = vc4_ioctl(node, DRM_GEM_CLOSE, &request);
	answer(error, "ok");
}

static uint64_t
offset_of(uint32_t handle)
{
	struct vc4_mmap_bo request = { .handle = handle };

	if (handle < 64 && vc4_ioctl(node, VC4_MMAP_BO, &request) == 0)
		offsets[handle] = request.offset;
	return handle < 64 ? offsets[handle] : 0;
}

uint32_t *
mapping_of(uint32_t handle, size_t bytes)
{
	uint32_t *mapping;

	do
		mapping = vc4_map(node, offset_of(handle), bytes);
	while (!mapping && (bytes /= 2) >= 4096);
	if (mapping)
		vc4_unmap(node, mapping, bytes);
	return mapping;
}

/* "map HANDLE BYTES": its first and last bytes are told, then made 0x5a. */
static void
map(const char *words)
{
	uint32_t handle;
	size_t bytes;
	uint8_t *mapping;

	sscanf(words, "%" SCNu32 " %zu", &handle, &bytes);
	mapping = vc4_map(node, offset_of(handle), bytes);
	answer(mapping ? 0 : -EINVAL, "%02x ... %02x", mapping ? *mapping : 0,
	       mapping ? mapping[bytes - 1] : 0);
	if (mapping)
		mapping[0] = mapping[bytes - 1] = 0x5a;
}

static void
unmap(const char *words)
{
	struct vc4_pages pages;
	uint32_t handle;
	size_t bytes;
	int error;

	sscanf(words, "%" SCNu32 " %zu", &handle, &bytes);
	error = vc4_pages_at(node, offset_of(handle), 1, false, &pages);
	answer(error ? error : vc4_unmap(node, pages.host, bytes), "ok");
}

static void
mmap_offset(const char *words)
{
	int error;
	struct vc4_mmap_bo request = { .flags = 0 };

	request.handle = (uint32_t)strtoul(words, NULL, 0);
	error = vc4_ioctl(node, VC4_MMAP_BO, &request);
	answer(error, "an offset of pages%s",
	       request.offset % 4096 ? ", not quite" : "");
}

static void
advise(const char *words)
{
	int error;
	struct vc4_gem_madvise request = { .pad = 0 };

	sscanf(words, "%" SCNu32 " %" SCNu32, &request.handle, &request.madv);
	error = vc4_ioctl(node, VC4_GEM_MADVISE, &request);
	answer(error, "%s", request.retained ? "kept" : "gone");
}

static void
get_tiling(const char *words)
{
	int error;
	struct vc4_get_tiling request = { .flags = 0 };

	request.handle = (uint32_t)strtoul(words, NULL, 0);
	error = vc4_ioctl(node, VC4_GET_TILING, &request);
	answer(error, "0x%" PRIx64, request.modifier);
}

static void
set_tiling(const char *words)
{
	int error;
	struct vc4_get_tiling request = { .flags = 0 };

	sscanf(words, "%" SCNu32 " %" SCNi64, &request.handle,
	       (int64_t *)&request.modifier);
	error = vc4_ioctl(node, VC4_SET_TILING, &request);
	answer(error, "ok");
}

/* Any request, with zeros as its argument, or none at that address. */
static void
raw(const char *words)
{
	unsigned long request;
	uint64_t zeros[32] = { 0 };
	unsigned long address = (uintptr_t)zeros;

	sscanf(words, "%lx %lx", &request, &address);
	answer(vc4_ioctl(node, request, (void *)address), "ok");
}

/* How many have ended. */
static void
jobs(const char *words)
{
	(void)words;
	answer(0, "%" PRIu64, vc4_jobs(node));
}

static const struct {
	const char *name;
	void (*function)(const char *words);
} commands[] = {
	{ "version", version },
	{ "param", param },
	{ "create", create },
	{ "program", program },
	{ "program-at", program_at },
	{ "scene", scene },
	{ "scene-of-places", scene_of_places },
	{ "scene-of-lookups", scene_of_lookups },
	{ "close", close_handle },
	{ "map", map },
	{ "unmap", unmap },
	{ "mmap", mmap_offset },
	{ "advise", advise },
	{ "get-tiling", get_tiling },
	{ "set-tiling", set_tiling },
	{ "raw", raw },
	{ "triangle", triangle },
	{ "poke", poke },
	{ "look", look },
	{ "submit", submit },
	{ "jobs", jobs },
	{ "wait", wait_seqno },
	{ "wait-buffer", wait_buffer },
	{ "perfmon", perfmon },
	{ "perfmon-values", perfmon_read },
	{ "perfmon-end", perfmon_end },
};

static void
command(char *line)
{
	const size_t len = strcspn(line, " ");

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strlen(commands[i].name) == len &&
		    strncmp(commands[i].name, line, len) == 0) {
			commands[i].function(line + len);
			return;
		}
	answer(0, "no command");
}

static void
tell_reset(void *context, const char *why)
{
	(void)context;
	answer(0, "reset%s%s", *why ? ": " : "", why);
}

static bool
read_options(const char *text, struct vc4_options *options)
{
	char faults[128] = "none";
	struct diag why;

	if (!text)
		return true;
	sscanf(text, "kernel=%u", &options->kernel);
	sscanf(text, "cma=%u hole=%u", &options->cma_mib,
	       &options->cma_hole_mib);
	sscanf(text, "hang=%u qpus=%u", &options->hang_ms,
	       &options->machine.qpus);
	options->display_only = strstr(text, "display-only");
	sscanf(text, "faults=%127s", faults);
	if (strcmp(faults, "none") == 0 ||
	    vc4_faults_parse(&options->faults, faults, &why))
		return true;
	golden_printf(output, "session", "%s\n", why.text);
	return false;
}

/* Run the commands of a session: what stands before the answers. */
static void
run_session(const char *session)
{
	char *text = strdup(session), *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *end = strstr(line, " -> ");

		if (end)
			*end = '\0';
		if (!*line)
			continue;
		golden_printf(output, "session", "%s", line);
		answered = false;
		command(line);
		golden_printf(output, "session", "\n");
	}
	free(text);
}

static void
run(const struct golden_case *c, struct golden_output *out)
{
	const struct vc4_log log = { NULL, tell_reset };
	struct vc4_options options = { .cma_mib = 64, .log = &log };
	struct diag why;

	output = out;
	memset(offsets, 0, sizeof(offsets));
	if (!read_options(golden_section(c, "@options"), &options))
		return;
	node = vc4_new(&options, &why);
	run_session(golden_section(c, "session"));
	vc4_free(node);
}

static void
test_shortage(void)
{
	const struct vc4_options options = { .cma_mib = 64 };
	struct diag why;
	unsigned failed = 0;

	for (unsigned nth = 1; nth <= 2; nth++) {
		fault_at(FAULT_MEMORY, nth, ENOMEM);
		node = vc4_new(&options, &why);
		failed += !node;
		vc4_free(node);
	}
	fault_clear();
	ok(failed == 2, "a node that cannot have memory is not opened");
	node = vc4_new(&options, &why);
	if (node)
		ok(vc4_ioctl(node, 0x5413, NULL) == -ENOTTY,
		   "a request that is not DRM's is none of a node's");
	vc4_free(node);
}

static void
give_jobs(void)
{
	const struct vc4_options options = { .cma_mib = 64 };
	struct diag why;

	node = vc4_new(&options, &why);
	create("65536");
	submit(" list=mode:0.0.0.2.2.1,start,semaphore,flush");
	submit(" list=mode:0.0.0.2.2.1,start,flush");
	vc4_free(node);
}

int
main(void)
{
	golden_run("tests/vc4/requests.golden", run);
	golden_run("tests/vc4/jobs.golden", run);
	golden_run("tests/vc4/render.golden", run);
	test_shortage();
	output = NULL;
	balance_test(give_jobs,
		     "a job that is taken, and one that is refused,");
	return tap_done();
}
