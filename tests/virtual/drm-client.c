/* SPDX-License-Identifier: MIT */
/*
 * drm-client: a program that uses a node of the kernel's driver vc4, written
 * like other people's programs.
 *
 *	drm-client NODE [COMMAND]...
 *
 * Opens the node, and says what each command gives; the status is 1 where the
 * node cannot be opened.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qpu/abi/vc4.h"

enum { BYTES = 65536 };

static const char *path;
static int node;
static uint32_t handle;
static uint32_t *memory;

static const char *
result(int status)
{
	return status == 0 ? "ok" : strerror(errno);
}

static void
show_identity(void)
{
	struct vc4_get_param param = { .param = VC4_PARAM_IDENT0 };
	char name[16] = "";
	struct drm_version version = { .name = name,
				       .name_bytes = sizeof(name) };
	const char *of_version = result(ioctl(node, DRM_VERSION, &version));
	const char *of_param = result(ioctl(node, VC4_GET_PARAM, &param));

	printf("identity: %s %s, %s %08llx\n", of_version, name, of_param,
	       (unsigned long long)param.value);
}

/* Show how much of the kernel's contiguous memory is free. */
static void
show_free(void)
{
	fflush(stdout);
	(void)!system("grep CmaFree /proc/meminfo | tr -d ' '");
}

static void *
map(int fd, int protection)
{
	struct vc4_mmap_bo request = { .handle = handle };

	if (ioctl(fd, VC4_MMAP_BO, &request) != 0)
		return MAP_FAILED;
	return mmap(NULL, BYTES, protection, MAP_SHARED, fd,
		    (off_t)request.offset);
}

static void
make_buffer(void)
{
	struct vc4_create_bo request = { .size = BYTES };
	const int status = ioctl(node, VC4_CREATE_BO, &request);

	handle = request.handle;
	printf("buffer: %s\n", result(status));
	memory = status == 0 ? map(node, PROT_READ | PROT_WRITE) : MAP_FAILED;
	printf("mapping: %s\n", result(memory == MAP_FAILED ? -1 : 0));
}

static void
make_program(void)
{
	/* thrend; nop; nop */
	static const uint64_t code[] = { UINT64_C(0x300009e7009e7000),
					 UINT64_C(0x100009e7009e7000),
					 UINT64_C(0x100009e7009e7000) };
	struct vc4_create_shader_bo request = { .size = sizeof(code),
						.data = (uintptr_t)code };
	const uint32_t before = handle;

	printf("program: %s\n",
	       result(ioctl(node, VC4_CREATE_SHADER_BO, &request)));
	handle = request.handle;
	printf("written: %s\n",
	       result(map(node, PROT_READ | PROT_WRITE) == MAP_FAILED ? -1 :
									0));
	handle = before;
}

/* All samples of 2 x 2 tiles get a colour. */
static void
clear_tiles(void)
{
	const struct vc4_surface none = { .hindex = VC4_NO_SURFACE };
	struct vc4_submit_cl job = {
		.bo_handles = (uintptr_t)&handle,
		.bo_handle_count = 1,
		.width = 64,
		.height = 64,
		.max_x_tile = 1,
		.max_y_tile = 1,
		.color_read = none,
		.color_write = { .hindex = VC4_NO_SURFACE,
				 .bits = VC4_COLOR_MS_4X |
					 VC4_COLOR_DECIMATE_4X },
		.zs_read = none,
		.zs_write = none,
		.msaa_zs_write = none,
		.clear_color = { 0x5eed, 0x5eed },
		.flags = VC4_USE_CLEAR_COLOR
	};
	struct vc4_wait_seqno wait = { .timeout_ns = UINT64_C(5000000000) };
	int status = ioctl(node, VC4_SUBMIT_CL, &job);

	wait.seqno = job.seqno;
	while (status == 0 &&
	       (status = ioctl(node, VC4_WAIT_SEQNO, &wait)) != 0 &&
	       errno == EINTR)
		status = printf("interrupted\n") < 0;
	printf("job: %s\n", result(status));
	if (memory != MAP_FAILED && memory)
		printf("stored: %x %x\n", memory[0], memory[BYTES / 4 - 1]);
}

/* The same open node by another descriptor, and a node of its own. */
static void
show_descriptors(void)
{
	const int same = dup(node), other = open(path, O_RDWR);
	struct vc4_mmap_bo request = { .handle = handle };

	printf("dup: %s\n", result(ioctl(same, VC4_MMAP_BO, &request)));
	printf("other: %s\n", result(ioctl(other, VC4_MMAP_BO, &request)));
	close(same);
	printf("closed: %s\n", result(ioctl(same, VC4_MMAP_BO, &request)));
	close(other);
}

static void
show_child(void)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	memory[1] = 7;
	child = fork();
	if (child == 0) {
		uint32_t *again = map(node, PROT_READ | PROT_WRITE);

		if (again != MAP_FAILED && again[1] == 7)
			again[1] = 8;
		_exit(again == MAP_FAILED);
	}
	waitpid(child, &status, 0);
	printf("child: %d, %u\n", WEXITSTATUS(status), memory[1]);
}

static void
close_all(void)
{
	if (memory && memory != MAP_FAILED)
		munmap(memory, BYTES);
	memory = NULL;
	close(node);
	node = -1;
}

static void
kill_this(void)
{
	kill(getpid(), SIGKILL);
}

static void
run(const char *command)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} commands[] = {
		{ "buffer", make_buffer },
		{ "child", show_child },
		{ "clear", clear_tiles },
		{ "close", close_all },
		{ "free", show_free },
		{ "identity", show_identity },
		{ "program", make_program },
		{ "descriptors", show_descriptors },
		{ "kill", kill_this },
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(command, commands[i].name) == 0)
			commands[i].run();
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	path = argv[1];
	node = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (node < 0) {
		printf("open: %s\n", strerror(errno));
		return 1;
	}
	for (int i = 2; i < argc; i++)
		run(argv[i]);
	return 0;
}
