/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/board_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/board/profile.h"

/* The files of a private directory; `why` has the first error. */
struct file_tree {
	const char *dir;
	struct diag *why;
	bool failed;
};

static void
fail(struct file_tree *tree, const char *path)
{
	if (!tree->failed)
		diag_set(tree->why, "%s: %s", path, strerror(errno));
	tree->failed = true;
}

/* Make a path below the directory, and the directories that lead to it. */
__attribute__((format(printf, 3, 4))) static void
make_path(struct file_tree *tree, char path[BOARD_PATH], const char *format,
	  ...)
{
	size_t len = (size_t)snprintf(path, BOARD_PATH, "%s/", tree->dir);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, BOARD_PATH - len, format, args);
	va_end(args);
	for (char *at = path + len; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			fail(tree, path);
		*at = '/';
	}
}

static void
make_file(struct file_tree *tree, const char *name, const void *bytes,
	  size_t len)
{
	char path[BOARD_PATH];
	ssize_t written;
	int fd;

	make_path(tree, path, BOARD_ROOT "/%s", name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	written = fd < 0 ? -1 : write(fd, bytes, len);
	if (written >= 0 && written < (ssize_t)len)
		errno = ENOSPC;
	if (written != (ssize_t)len)
		fail(tree, path);
	if (fd >= 0)
		close(fd);
}

/* Strings of a device tree end with a NUL each. */
static void
make_string(struct file_tree *tree, const char *name, const char *text)
{
	make_file(tree, name, text, strlen(text) + 1);
}

/* Numbers of a device tree are big-endian. */
static void
make_cells(struct file_tree *tree, const char *name, const uint32_t *cells,
	   size_t n)
{
	uint8_t bytes[16];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 4; k++)
			bytes[4 * i + k] = (uint8_t)(cells[i] >> (24 - 8 * k));
	make_file(tree, name, bytes, 4 * n);
}

static void
make_directory(struct file_tree *tree, const char *name)
{
	char path[BOARD_PATH];

	make_path(tree, path, BOARD_ROOT "/%s/", name);
}

static void
make_link(struct file_tree *tree, const char *name, const char *target)
{
	char path[BOARD_PATH];

	make_path(tree, path, BOARD_ROOT "/%s", name);
	if (symlink(target, path) != 0)
		fail(tree, path);
}

#define DEVICE_TREE "sys/firmware/devicetree/base"

static void
make_ranges(struct file_tree *tree, const struct soc *soc)
{
	const uint32_t three[] = { 0x7e000000, soc->peripherals, 16 << 20 };
	const uint32_t four[] = { 0x7e000000, 0, soc->peripherals, 24 << 20 };

	/* Addresses of later boards have two cells. */
	if (soc->videocore4)
		make_cells(tree, DEVICE_TREE "/soc/ranges", three, 3);
	else
		make_cells(tree, DEVICE_TREE "/soc/ranges", four, 4);
}

/* The firmware's memory as /dev/vc-mem shows it, and its alias. */
static void
make_vc_mem(struct file_tree *tree, const struct soc *soc,
	    const struct profile *profile, unsigned mib)
{
	const uint32_t cells[] = { profile_memory_base(profile, mib), mib << 20,
				   soc->bus_alias };

	make_cells(tree, DEVICE_TREE "/axi/vc_mem/reg", cells, 3);
}

/* Raspberry Pi OS ships the node disabled, and an overlay enables it. */
static void
make_v3d(struct file_tree *tree, const struct soc *soc,
	 const struct system *system, bool kms)
{
	const char *base = DEVICE_TREE "/soc/v3d@7ec00000";
	char name[128];

	if (!soc->videocore4)
		base = DEVICE_TREE "/v3dbus/v3d@7ec04000";
	snprintf(name, sizeof(name), "%s/compatible", base);
	make_string(tree, name,
		    soc->videocore4 ? "brcm,bcm2835-v3d" : "brcm,2711-v3d");
	snprintf(name, sizeof(name), "%s/status", base);
	if (!system->mainline)
		make_string(tree, name, kms ? "okay" : "disabled");
}

static void
make_device_tree(struct file_tree *tree, const struct board_shared *shared)
{
	const struct profile *profile = &profile_rows[shared->options.profile];
	const struct system *system = &system_rows[shared->options.system];
	const unsigned mem_mib = shared->options.device.mem_mib;
	const struct soc *soc = profile_soc(profile);
	char compatible[128], serial[17];
	size_t len = (size_t)snprintf(compatible, sizeof(compatible), "%s%c%s",
				      profile->compatible, '\0',
				      soc->compatible);

	make_string(tree, DEVICE_TREE "/model", profile->model);
	make_file(tree, DEVICE_TREE "/compatible", compatible, len + 1);
	make_cells(tree, DEVICE_TREE "/system/linux,revision",
		   &profile->revision, 1);
	snprintf(serial, sizeof(serial), "%016" PRIx64, PROFILE_SERIAL);
	make_string(tree, DEVICE_TREE "/serial-number", serial);
	make_ranges(tree, soc);
	if (soc->videocore4)
		make_vc_mem(tree, soc, profile, mem_mib);
	make_v3d(tree, soc, system, shared->options.kms);
	if (system->misc)
		make_directory(tree, DEVICE_TREE "/soc/firmware/vcio");
	make_link(tree, "proc/device-tree", "../sys/firmware/devicetree/base");
}

static void
make_modules(struct file_tree *tree, const struct system *system, bool vcsm)
{
	static const char line[] = "blacklist vc_sm_cma\n";

	make_directory(tree, "etc/modprobe.d");
	if (system->blacklist)
		make_file(tree, "etc/modprobe.d/blacklist-vcsm.conf", line,
			  strlen(line));
	else if (vcsm)
		make_directory(tree, "sys/module/vc_sm_cma");
}

/* Read a file of this machine; returns its length. */
static size_t
read_file(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	while (fd >= 0 && len < size &&
	       (n = read(fd, text + len, size - len)) > 0)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	return len;
}

/* The file is this machine's, followed by the lines of a Raspberry Pi. */
static void
make_cpuinfo(struct file_tree *tree, const struct profile *profile)
{
	char text[1 << 16];
	size_t len = read_file("/proc/cpuinfo", text, sizeof(text) - 256);

	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"\nHardware\t: BCM2835\nRevision\t: %04x\n"
				"Serial\t\t: %016" PRIx64 "\n"
				"Model\t\t: %s\n",
				profile->revision, PROFILE_SERIAL,
				profile->model);
	make_file(tree, "proc/cpuinfo", text, len);
}

/* The file is this machine's, with the board's CMA at its end (buffer.h). */
static void
make_meminfo(struct file_tree *tree, const struct board_options *options)
{
	char text[1 << 14], *cma;
	size_t len = read_file("/proc/meminfo", text, sizeof(text) - 256);

	text[len] = '\0';
	cma = strstr(text, "CmaTotal:");
	if (cma)
		len = (size_t)(cma - text);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"CmaTotal:       %8u kB\n" BOARD_CMA_FREE,
				options->cma_mib << 10, options->cma_mib << 10);
	make_file(tree, "proc/meminfo", text, len);
}

static void
make_node(struct file_tree *tree, struct board_shared *shared,
	  enum board_node node, const char *name)
{
	char path[BOARD_PATH];
	struct stat status;

	make_file(tree, name, "", 0);
	make_path(tree, path, BOARD_ROOT "/%s", name);
	if (stat(path, &status) != 0) {
		fail(tree, path);
		return;
	}
	shared->stand_ins[node] =
		(struct board_stand_in){ .dev = status.st_dev,
					 .ino = status.st_ino };
}

#define GPU "sys/devices/platform/soc/soc:gpu"

/* /sys shows a node in /dev/dri by class, by number, and by device. */
static void
make_drm(struct file_tree *tree, const char *name, unsigned minor)
{
	char path[160], target[160], text[128];
	int len;

	snprintf(path, sizeof(path), GPU "/drm/%s/uevent", name);
	len = snprintf(text, sizeof(text),
		       "MAJOR=226\nMINOR=%u\nDEVNAME=dri/%s\n"
		       "DEVTYPE=drm_minor\n",
		       minor, name);
	make_file(tree, path, text, (size_t)len);
	snprintf(path, sizeof(path), GPU "/drm/%s/device", name);
	make_link(tree, path, "../../../soc:gpu");
	snprintf(target, sizeof(target),
		 "../../devices/platform/soc/soc:gpu/drm/%s", name);
	snprintf(path, sizeof(path), "sys/class/drm/%s", name);
	make_link(tree, path, target);
	snprintf(path, sizeof(path), "sys/dev/char/226:%u", minor);
	make_link(tree, path, target);
}

/* The kernel's driver shows this when it has the V3D. */
static void
make_driver(struct file_tree *tree, struct board_shared *shared,
	    const struct soc *soc)
{
	static const char uevent[] = "DRIVER=vc4-drm\nOF_NAME=gpu\n"
				     "OF_FULLNAME=/soc/gpu\n"
				     "OF_COMPATIBLE_0=brcm,bcm2835-vc4\n"
				     "OF_COMPATIBLE_N=1\n";
	char name[128];

	make_directory(tree, "sys/module/vc4");
	snprintf(name, sizeof(name), "sys/bus/platform/drivers/vc4_v3d/%x.v3d",
		 soc->peripherals + SOC_V3D_OFFSET);
	make_directory(tree, name);
	snprintf(name, sizeof(name), BOARD_V3D_CONTROL,
		 soc->peripherals + SOC_V3D_OFFSET);
	make_file(tree, name, "auto\n", 5);
	memcpy(strrchr(name, '/'), "/runtime_status", 16);
	make_file(tree, name, "active\n", 7);
	make_directory(tree, "sys/bus/platform/drivers/vc4-drm");
	make_file(tree, GPU "/uevent", uevent, strlen(uevent));
	make_link(tree, GPU "/driver",
		  "../../../../bus/platform/drivers/vc4-drm");
	make_link(tree, GPU "/subsystem", "../../../../bus/platform");
	make_node(tree, shared, BOARD_CARD, "dev/dri/card0");
	make_drm(tree, "card0", 0);
	make_node(tree, shared, BOARD_RENDER, "dev/dri/renderD128");
	make_drm(tree, "renderD128", 128);
}

/* GPU memory is a sparse file. */
static void
make_memory(struct file_tree *tree, const struct board_shared *shared)
{
	char path[BOARD_PATH];
	int fd;

	make_path(tree, path, BOARD_MEMORY);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 ||
	    ftruncate(fd, (off_t)shared->options.device.mem_mib << 20) != 0)
		fail(tree, path);
	if (fd >= 0)
		close(fd);
}

/* Link qpuemu.so under the names that the loader is given. */
static void
make_libraries(struct file_tree *tree, const char *library)
{
	static const char *const names[] = { "qpuemu.so", "lib/libbcm_host.so",
					     "lib/libbcm_host.so.0" };
	char path[BOARD_PATH];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		make_path(tree, path, "%s", names[i]);
		if (symlink(library, path) != 0)
			fail(tree, path);
	}
}

bool
board_files_fill(const char *dir, const char *library,
		 struct board_shared *shared, struct diag *why)
{
	const struct profile *profile = &profile_rows[shared->options.profile];
	const struct system *system = &system_rows[shared->options.system];
	const bool vcsm = system->vcsm.mode != 0;
	struct file_tree tree = { .dir = dir, .why = why };

	make_memory(&tree, shared);
	make_libraries(&tree, library);
	if (!profile_soc(profile))
		return !tree.failed;
	make_device_tree(&tree, shared);
	make_modules(&tree, system, vcsm);
	make_meminfo(&tree, &shared->options);
	make_cpuinfo(&tree, profile);
	if (shared->options.kms)
		make_driver(&tree, shared, profile_soc(profile));
	if (system->vcio.mode != 0)
		make_node(&tree, shared, BOARD_VCIO, "dev/vcio");
	if (vcsm && shared->options.device.mem_mib > PROFILE_CUT_DOWN_MIB)
		make_node(&tree, shared, BOARD_VCSM, "dev/vcsm-cma");
	if (system->heap.mode != 0)
		make_node(&tree, shared, BOARD_HEAP, "dev/dma_heap/linux,cma");
	make_node(&tree, shared, BOARD_MEM, "dev/mem");
	return !tree.failed;
}
