/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/vc4/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/vc4.h"
#include "qpu/isa/packet.h"

enum { ROOM = 1024 };

/* What a job points to. */
static uint8_t list[ROOM];
static uint32_t handles[16], records[64], uniforms[64];

/* Packets by name, with their parameters: '.' parts them; 8, 16 or 32 bits. */
static const struct {
	const char *name;
	uint8_t code;
	const char *sizes; /* of the parameters, in bytes */
} packets[] = {
	{ "halt", PACKET_HALT, "" },
	{ "nop", PACKET_NOP, "" },
	{ "flush", PACKET_FLUSH, "" },
	{ "flush-all", PACKET_FLUSH_ALL, "" },
	{ "start", PACKET_START_TILE_BINNING, "" },
	{ "semaphore", PACKET_INCREMENT_SEMAPHORE, "" },
	{ "wait", PACKET_WAIT_ON_SEMAPHORE, "" },
	{ "branch", PACKET_BRANCH, "4" },
	{ "indexed", PACKET_INDEXED_PRIMITIVE, "1444" },
	{ "array", PACKET_ARRAY_PRIMITIVE, "144" },
	{ "format", PACKET_PRIMITIVE_FORMAT, "1" },
	{ "state", PACKET_GL_SHADER_STATE, "4" },
	{ "nv-state", PACKET_NV_SHADER_STATE, "4" },
	{ "config", PACKET_CONFIGURATION_BITS, "111" },
	{ "flat", PACKET_FLAT_SHADE, "4" },
	{ "point", PACKET_POINT_SIZE, "4" },
	{ "line", PACKET_LINE_WIDTH, "4" },
	{ "clip", PACKET_CLIP_WINDOW, "2222" },
	{ "offset", PACKET_VIEWPORT_OFFSET, "22" },
	{ "z-clip", PACKET_Z_CLIPPING, "44" },
	{ "xy", PACKET_CLIPPER_XY, "44" },
	{ "z", PACKET_CLIPPER_Z, "44" },
	{ "mode", PACKET_BINNING_MODE, "444111" },
	{ "handles", PACKET_GEM_HANDLES, "44" },
	{ "mystery", 200, "" },
};

static size_t
put(uint8_t *to, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
	return bytes;
}

/* "mode:0.0.0.2.2.1" */
static size_t
put_packet(uint8_t *to, const char *text)
{
	const size_t len = strcspn(text, ":");
	size_t i = 0, n = 1;

	while (strlen(packets[i].name) != len ||
	       strncmp(packets[i].name, text, len) != 0)
		if (++i == sizeof(packets) / sizeof(*packets))
			return 0;
	to[0] = packets[i].code;
	text += len + (text[len] == ':');
	for (const char *size = packets[i].sizes; *size; size++) {
		char *end;

		n += put(to + n, (uint32_t)strtoul(text, &end, 0),
			 (unsigned)(*size - '0'));
		text = *end == '.' ? end + 1 : end;
	}
	return n;
}

static size_t
read_list(const char *text)
{
	char copy[512], *rest = copy, *packet;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((packet = strsep(&rest, ",")))
		n += put_packet(list + n, packet);
	return n;
}

/* "3,0x10,8*0" */
static uint32_t
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

static void
read_surface(struct vc4_surface *surface, const char *text)
{
	char *end;

	surface->hindex = (uint32_t)strtoul(text, &end, 0);
	surface->offset = (uint32_t)strtoul(end + (*end == ':'), &end, 0);
	surface->bits = (uint16_t)strtoul(end + (*end == ':'), &end, 0);
	surface->flags = (uint16_t)strtoul(end + (*end == ':'), &end, 0);
}

static struct vc4_surface *
surface_of(struct vc4_submit_cl *request, const char *key)
{
	return strcmp(key, "color-read") == 0 ? &request->color_read :
	       strcmp(key, "color") == 0      ? &request->color_write :
	       strcmp(key, "zs-read") == 0    ? &request->zs_read :
	       strcmp(key, "zs") == 0	      ? &request->zs_write :
	       strcmp(key, "samples") == 0    ? &request->msaa_color_write :
	       strcmp(key, "zs-samples") == 0 ? &request->msaa_zs_write :
						NULL;
}

static void
set(struct vc4_submit_cl *request, const char *key, const char *value)
{
	const uint32_t number = (uint32_t)strtoul(value, NULL, 0);
	struct vc4_surface *surface = surface_of(request, key);

	if (surface)
		read_surface(surface, value);
	else if (strcmp(key, "flags") == 0)
		request->flags = number;
	else if (strcmp(key, "pad") == 0)
		request->pad2 = number;
	else if (strcmp(key, "size") == 0)
		sscanf(value, "%" SCNu16 "x%" SCNu16, &request->width,
		       &request->height);
	else if (strcmp(key, "tiles") == 0)
		sscanf(value, "%hhu.%hhu-%hhu.%hhu", &request->min_x_tile,
		       &request->min_y_tile, &request->max_x_tile,
		       &request->max_y_tile);
	else if (strcmp(key, "handles") == 0)
		request->bo_handle_count = read_words(value, handles);
	else if (strcmp(key, "list") == 0)
		request->bin_cl_size = (uint32_t)read_list(value);
	else if (strcmp(key, "bytes") == 0)
		request->bin_cl_size = number;
	else if (strcmp(key, "list-at") == 0)
		request->bin_cl = number;
	else if (strcmp(key, "records") == 0)
		request->shader_rec_size = 4 * read_words(value, records);
	else if (strcmp(key, "nrecords") == 0)
		request->shader_rec_count = number;
	else if (strcmp(key, "uniforms") == 0)
		request->uniforms_size = 4 * read_words(value, uniforms);
	else if (strcmp(key, "clear") == 0)
		request->clear_color[0] = request->clear_color[1] = number;
	else if (strcmp(key, "clear-z") == 0)
		request->clear_z = number;
	else if (strcmp(key, "perfmon") == 0)
		request->perfmonid = number;
	else if (strcmp(key, "in-sync") == 0)
		request->in_sync = number;
	else if (strcmp(key, "out-sync") == 0)
		request->out_sync = number;
	else
		answer(0, "no key: %s", key);
}

void
submit(const char *words)
{
	const struct vc4_surface none = { .hindex = VC4_NO_SURFACE };
	struct vc4_submit_cl request = {
		.bin_cl = (uintptr_t)list,
		.shader_rec = (uintptr_t)records,
		.uniforms = (uintptr_t)uniforms,
		.bo_handles = (uintptr_t)handles,
		.bo_handle_count = 1,
		.width = 64,
		.height = 64,
		.max_x_tile = 1,
		.max_y_tile = 1,
		.color_read = none,
		.color_write = { .hindex = VC4_NO_SURFACE, .bits = 0x11 },
		.zs_read = none,
		.zs_write = none,
		.msaa_color_write = { .hindex = 0 },
		.msaa_zs_write = none,
	};
	char copy[1024], *rest = copy, *word;
	int error;

	handles[0] = 1;
	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		set(&request, word, value);
	}
	error = vc4_ioctl(node, VC4_SUBMIT_CL, &request);
	answer(error, "job %" PRIu64, request.seqno);
}

void
triangle(const char *words)
{
	char all[1024];

	snprintf(all, sizeof(all),
		 "handles=1,2,3,4,5,6 flags=1 clear=0xc1ea4 nrecords=1 "
		 "list=mode:0.0.0.2.2.1,start,format:18,clip:0.0.64.64,"
		 "config:0x43.0x70.2,point:0x3f800000,line:0x3f800000,"
		 "xy:0x44000000.0x44000000,z:0x3f000000.0x3f000000,"
		 "offset:512.512,flat,state:1,array:4.3.0,semaphore,flush "
		 "records=2,4,5,1,5,0,0,0x0c010000,0,0,0x0c010000,0,0,0,0x0c0b "
		 "%s",
		 words);
	submit(all);
}

void
poke(const char *words)
{
	uint32_t values[64];
	char *end;
	const uint32_t handle = (uint32_t)strtoul(words, &end, 0);
	uint32_t *at = mapping_of(handle, 4096);
	const uint32_t n = read_words(end + 1, values);

	for (uint32_t i = 0; at && i < n; i++)
		at[i] = values[i];
}

void
look(const char *words)
{
	char text[256] = "";
	char *end;
	const uint32_t handle = (uint32_t)strtoul(words, &end, 0);
	const uint32_t *at = mapping_of(handle, 65536);

	while (at && *end) {
		const size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%" PRIx32,
			 len ? " " : "", at[strtoul(end, &end, 0) % 16384]);
	}
	answer(0, "%s", text);
}

void
wait_seqno(const char *words)
{
	struct vc4_wait_seqno request = { 0 };
	uint64_t timeout_ns;
	int error;

	sscanf(words, "%" SCNu64 " %" SCNu64, &request.seqno,
	       &request.timeout_ns);
	timeout_ns = request.timeout_ns;
	error = vc4_ioctl(node, VC4_WAIT_SEQNO, &request);
	answer(error, "ok");
	/* Only what a signal has interrupted is told the rest of its time. */
	if (error != -EINTR && request.timeout_ns != timeout_ns)
		answer(0, "%" PRIu64 " ns left", request.timeout_ns);
}

void
wait_buffer(const char *words)
{
	struct vc4_wait_bo request = { 0 };
	int error;

	sscanf(words, "%" SCNu32 " %" SCNu64 " %" SCNu32, &request.handle,
	       &request.timeout_ns, &request.pad);
	error = vc4_ioctl(node, VC4_WAIT_BO, &request);
	answer(error, "ok");
}

void
perfmon(const char *words)
{
	struct vc4_perfmon_create request = { 0 };
	uint32_t events[64];
	int error;

	request.ncounters = read_words(words, events);
	for (uint32_t i = 0; i < VC4_PERFMON_COUNTERS; i++)
		request.events[i] = i < request.ncounters ? (uint8_t)events[i] :
							    0;
	error = vc4_ioctl(node, VC4_PERFMON_CREATE, &request);
	answer(error, "monitor %" PRIu32, request.id);
}

void
perfmon_read(const char *words)
{
	uint64_t values[VC4_PERFMON_COUNTERS] = { 0 };
	struct vc4_perfmon_values request = { .values = (uintptr_t)values };
	int error;

	request.id = (uint32_t)strtoul(words, NULL, 0);
	error = vc4_ioctl(node, VC4_PERFMON_GET_VALUES, &request);
	answer(error, "%s %s", values[0] ? "some" : "none",
	       values[1] ? "some" : "none");
}

void
perfmon_end(const char *words)
{
	struct vc4_perfmon_destroy request;
	int error;

	request.id = (uint32_t)strtoul(words, NULL, 0);
	error = vc4_ioctl(node, VC4_PERFMON_DESTROY, &request);
	answer(error, "ok");
}
