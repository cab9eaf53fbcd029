/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/pipeline/rig.h"

enum { PATTERN_BYTES = (1 << 20) + 7, STAMP_BYTES = 4 };

static uint8_t pattern[PATTERN_BYTES];
static struct rig_input inputs[RIG_INPUTS];
static uint32_t last_engine[RIG_INPUTS];

/* Content ------------------------------------------------------------------- */

/* Each block begins with a stamp, by which engines know the input. */
static void
make_stamp(unsigned index, uint8_t stamp[STAMP_BYTES])
{
	stamp[0] = 0xa5;
	stamp[1] = (uint8_t)index;
	stamp[2] = (uint8_t)(index >> 8);
	stamp[3] = (uint8_t)(0x50 | index >> 16);
}

void
rig_content(const struct rig_input *input, size_t from, uint8_t *to, size_t n)
{
	const unsigned index = (unsigned)(input - inputs);
	uint8_t stamp[STAMP_BYTES];
	size_t done = 0;

	while (done < n) {
		const size_t at = (from + done + index * 4099) % PATTERN_BYTES;
		size_t part = PATTERN_BYTES - at;

		part = part < n - done ? part : n - done;
		memcpy(to + done, pattern + at, part);
		done += part;
	}
	make_stamp(index, stamp);
	for (size_t at = from / 64 * 64; at < from + n; at += 64)
		for (size_t i = 0; i < STAMP_BYTES; i++)
			if (at + i >= from && at + i < from + n)
				to[at + i - from] = stamp[i];
}

void
rig_note_blocks(uint32_t engine, const uint8_t *data, uint32_t n)
{
	uint8_t stamp[STAMP_BYTES];

	for (uint32_t i = 0; i < n; i++, data += SHA256_BLOCK_BYTES) {
		const unsigned index = data[1] | data[2] << 8 |
				       (data[3] & 0xfU) << 16;
		struct rig_input *input = &inputs[index % RIG_INPUTS];

		make_stamp(index, stamp);
		if (index >= rig.n || memcmp(data, stamp, STAMP_BYTES) != 0)
			continue;
		if (last_engine[index] != 0 && last_engine[index] != engine) {
			input->moves++;
			input->to_device += engine == RIG_DEVICE;
			input->to_cpu += last_engine[index] == RIG_DEVICE;
		}
		last_engine[index] = engine;
		input->engines |= engine;
		input->device_blocks += engine == RIG_DEVICE;
	}
}

/* Inputs -------------------------------------------------------------------- */

static struct rig_input *
add(enum job_kind kind, const char *name)
{
	struct rig_input *input = &inputs[rig.n];

	if (rig.n == RIG_INPUTS - 1)
		exit(99);
	*input = (struct rig_input){ .kind = kind, .writer_fd = -1 };
	if (name)
		snprintf(input->name, sizeof(input->name), "%s", name);
	else
		snprintf(input->name, sizeof(input->name), "f%05u", rig.n);
	rig.n++;
	return input;
}

void
rig_write_file(const struct rig_input *input, size_t bytes)
{
	const int fd = fault_real_open(input->name,
				       O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		exit(99);
	rig_write_message(fd, input, bytes);
	if (ftruncate(fd, (off_t)bytes) != 0)
		exit(99);
	close(fd);
}

struct rig_input *
rig_file(size_t bytes)
{
	struct rig_input *input = add(JOB_FILE, NULL);
	struct stat st;

	input->bytes = bytes;
	rig_write_file(input, bytes);
	if (stat(input->name, &st) != 0)
		exit(99);
	input->inode = st.st_ino;
	return input;
}

const struct rig_input *
rig_input_of(int fd)
{
	struct stat st;

	if (fault_real_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (unsigned i = 0; i < rig.n; i++)
		if (inputs[i].inode == st.st_ino)
			return &inputs[i];
	return NULL;
}

void
rig_files(unsigned n, size_t bytes)
{
	while (n-- > 0)
		rig_file(bytes);
}

void
rig_mix(unsigned n, size_t most)
{
	while (rig.n < n) {
		const uint32_t r = random_32();

		if (rig.n % 97 == 96)
			rig_name("missing", ENOENT);
		else if (rig.n % 53 == 52)
			rig_name(".", EISDIR);
		else if (rig.n % 37 == 36)
			rig_remark();
		else
			rig_file(r % 11 == 0 ? 0 :
				 r % 7 == 0  ? random_32() % most :
					       random_32() % (most / 20));
	}
}

struct rig_input *
rig_name(const char *name, int error)
{
	struct rig_input *input = add(JOB_FILE, name);

	input->error = error;
	return input;
}

struct rig_input *
rig_fifo(size_t bytes, rig_condition *when)
{
	struct rig_input *input = add(JOB_FILE, NULL);

	snprintf(input->name, sizeof(input->name), "fifo%u", rig.n - 1);
	unlink(input->name);
	if (mkfifo(input->name, 0600) != 0)
		exit(99);
	input->bytes = bytes;
	input->when = when;
	rig_add_writer(input);
	return input;
}

struct rig_input *
rig_fifo_again(const struct rig_input *fifo, size_t bytes, rig_condition *when)
{
	struct rig_input *input = add(JOB_FILE, fifo->name);

	input->bytes = bytes;
	input->when = when;
	rig_add_writer(input);
	return input;
}

struct rig_input *
rig_stdin(size_t bytes, rig_condition *when)
{
	struct rig_input *input = add(JOB_STDIN, "-");

	input->bytes = bytes;
	input->when = when;
	rig_add_writer(input);
	return input;
}

void
rig_as_stdin(struct rig_input *input)
{
	const int fd = fault_real_open(input->name, O_RDONLY, 0);

	input->kind = JOB_STDIN;
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		exit(99);
	fault_real_close(fd);
}

struct rig_input *
rig_remark(void)
{
	return add(JOB_REMARK, "remark");
}

/* Runs ---------------------------------------------------------------------- */

void
rig_inputs_open(void)
{
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)random_32();
}

struct rig_input *
rig_inputs_begin(void)
{
	memset(last_engine, 0, sizeof(last_engine));
	return inputs;
}

void
rig_inputs_again(void)
{
	memset(last_engine, 0, sizeof(last_engine));
	for (unsigned i = 0; i < rig.n; i++) {
		inputs[i].emitted = false;
		inputs[i].engines = inputs[i].moves = 0;
		inputs[i].to_device = inputs[i].to_cpu = 0;
		inputs[i].device_blocks = 0;
	}
}

int
rig_fstat_unchanged(int fd, struct stat *to)
{
	const int failed = fault_real_fstat(fd, to);

	to->st_size = 4 << 20;
	to->st_mtim = (struct timespec){ 1, 0 };
	return failed;
}
