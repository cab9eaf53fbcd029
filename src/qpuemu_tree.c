/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/qpuemu_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/virtual/profile.h"

/* The tree below a directory; the first thing that goes wrong is kept. */
struct tree {
	const char *dir;
	struct diag *why;
	bool failed;
};

static void
fail(struct tree *tree, const char *path)
{
	if (!tree->failed)
		diag_set(tree->why, "%s: %s", path, strerror(errno));
	tree->failed = true;
}

/* Path below the directory, with the directories that lead to it. */
__attribute__((format(printf, 3, 4)))
static void
make_path(struct tree *tree, char path[STATE_PATH], const char *format, ...)
{
	size_t len = (size_t)snprintf(path, STATE_PATH, "%s/", tree->dir);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, STATE_PATH - len, format, args);
	va_end(args);
	for (char *at = path + len; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			fail(tree, path);
		*at = '/';
	}
}

static void
make_file(struct tree *tree, const char *name, const void *bytes, size_t len)
{
	char path[STATE_PATH];
	int fd;

	make_path(tree, path, STATE_ROOT "/%s", name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		fail(tree, path);
	if (fd >= 0)
		close(fd);
}

/* Strings of a device tree end with a NUL each. */
static void
make_string(struct tree *tree, const char *name, const char *text)
{
	make_file(tree, name, text, strlen(text) + 1);
}

/* Numbers of a device tree are big-endian. */
static void
make_cells(struct tree *tree, const char *name, const uint32_t *cells,
	   size_t n)
{
	uint8_t bytes[16];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 4; k++)
			bytes[4 * i + k] = (uint8_t)(cells[i] >> (24 - 8 * k));
	make_file(tree, name, bytes, 4 * n);
}

static void
make_directory(struct tree *tree, const char *name)
{
	char path[STATE_PATH];

	make_path(tree, path, STATE_ROOT "/%s/", name);
}

static void
make_link(struct tree *tree, const char *name, const char *target)
{
	char path[STATE_PATH];

	make_path(tree, path, STATE_ROOT "/%s", name);
	if (symlink(target, path) != 0)
		fail(tree, path);
}

#define DEVICE_TREE "sys/firmware/devicetree/base"

static void
make_ranges(struct tree *tree, const struct soc *soc)
{
	const uint32_t three[] = { 0x7e000000, soc->peripherals, 16 << 20 };
	const uint32_t four[] = {
		0x7e000000, 0, soc->peripherals, 24 << 20
	};

	/* Addresses of later boards have two cells. */
	if (soc->videocore4)
		make_cells(tree, DEVICE_TREE "/soc/ranges", three, 3);
	else
		make_cells(tree, DEVICE_TREE "/soc/ranges", four, 4);
}

/* Raspberry Pi OS ships the node disabled, and an overlay enables it. */
static void
make_v3d(struct tree *tree, const struct soc *soc, enum tree_driver driver)
{
	const char *base = DEVICE_TREE "/soc/v3d@7ec00000";
	char name[128];

	if (!soc->videocore4)
		base = DEVICE_TREE "/v3dbus/v3d@7ec04000";
	snprintf(name, sizeof(name), "%s/compatible", base);
	make_string(tree, name, soc->videocore4 ? "brcm,bcm2835-v3d" :
						  "brcm,2711-v3d");
	snprintf(name, sizeof(name), "%s/status", base);
	make_string(tree, name, driver == TREE_NO_DRIVER ? "disabled" :
							   "okay");
}

static void
make_device_tree(struct tree *tree, const struct profile *profile,
		 enum tree_driver driver)
{
	const struct soc *soc = profile_soc(profile);
	char compatible[128];
	size_t len = (size_t)snprintf(compatible, sizeof(compatible), "%s%c%s",
				      profile->compatible, '\0',
				      soc->compatible);

	make_string(tree, DEVICE_TREE "/model", profile->model);
	make_file(tree, DEVICE_TREE "/compatible", compatible, len + 1);
	make_cells(tree, DEVICE_TREE "/system/linux,revision",
		   &profile->revision, 1);
	make_string(tree, DEVICE_TREE "/serial-number", "0000000000000000");
	make_ranges(tree, soc);
	make_v3d(tree, soc, driver);
	if (driver == TREE_FKMS)
		make_string(tree, DEVICE_TREE
			    "/soc/firmwarekms@7e600000/status", "okay");
	make_link(tree, "proc/device-tree",
		  "../sys/firmware/devicetree/base");
}

/* What the kernel's driver shows when it has the V3D. */
static void
make_driver(struct tree *tree, const struct soc *soc)
{
	char name[128];

	make_directory(tree, "sys/module/vc4");
	snprintf(name, sizeof(name),
		 "sys/bus/platform/drivers/vc4_v3d/%x.v3d",
		 soc->peripherals + SOC_V3D_OFFSET);
	make_directory(tree, name);
	make_directory(tree, "sys/bus/platform/drivers/vc4-drm");
	make_link(tree, "sys/class/drm/card0/device/driver",
		  "../../../../bus/platform/drivers/vc4-drm");
	make_file(tree, "dev/dri/card0", "", 0);
	make_file(tree, "dev/dri/renderD128", "", 0);
}

/* This machine's, with the lines that only a Raspberry Pi's has. */
static void
make_cpuinfo(struct tree *tree, const struct profile *profile)
{
	char text[1 << 16];
	const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	while (fd >= 0 && len < sizeof(text) - 256 &&
	       (n = read(fd, text + len, sizeof(text) - 256 - len)) > 0)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"\nHardware\t: BCM2835\nRevision\t: %04x\n"
				"Serial\t\t: 0000000000000000\n"
				"Model\t\t: %s\n", profile->revision,
				profile->model);
	make_file(tree, "proc/cpuinfo", text, len);
}

static void
make_node(struct tree *tree, struct state *state, enum state_node node,
	  const char *name)
{
	char path[STATE_PATH];
	struct stat status;

	make_file(tree, name, "", 0);
	make_path(tree, path, STATE_ROOT "/%s", name);
	if (stat(path, &status) != 0) {
		fail(tree, path);
		return;
	}
	state->stand_ins[node] = (struct state_stand_in){
		.dev = status.st_dev, .ino = status.st_ino
	};
}

/* GPU memory is as large as it is only where it is used. */
static void
make_memory(struct tree *tree, const struct state *state)
{
	char path[STATE_PATH];
	int fd;

	make_path(tree, path, STATE_MEMORY);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 ||
	    ftruncate(fd, (off_t)state->options.words.mem_mib << 20) != 0)
		fail(tree, path);
	if (fd >= 0)
		close(fd);
}

/* Under the names by which the loader is told to look for them. */
static void
make_libraries(struct tree *tree, const char *library)
{
	static const char *const names[] = {
		"qpuemu.so", "lib/libbcm_host.so", "lib/libbcm_host.so.0"
	};
	char path[STATE_PATH];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		make_path(tree, path, "%s", names[i]);
		if (symlink(library, path) != 0)
			fail(tree, path);
	}
}

bool
tree_fill(const char *dir, const struct tree_request *request,
	  struct state *state, struct diag *why)
{
	const struct profile *profile =
		&profile_rows[state->options.profile];
	struct tree tree = { .dir = dir, .why = why };

	make_memory(&tree, state);
	make_libraries(&tree, request->library);
	if (!profile_soc(profile))
		return !tree.failed;
	make_device_tree(&tree, profile, request->driver);
	make_cpuinfo(&tree, profile);
	if (request->driver != TREE_NO_DRIVER)
		make_driver(&tree, profile_soc(profile));
	if (request->vcio)
		make_node(&tree, state, STATE_VCIO, "dev/vcio");
	if (request->vcsm)
		make_node(&tree, state, STATE_VCSM, "dev/vcsm-cma");
	if (request->mem)
		make_node(&tree, state, STATE_MEM, "dev/mem");
	return !tree.failed;
}

/* The loader takes blanks and colons for ends of names. */
static bool
is_usable(const char *place)
{
	return place && *place == '/' && !strpbrk(place, " :;") &&
	       strlen(place) < STATE_PATH / 2 &&
	       access(place, W_OK | X_OK) == 0;
}

/* Memory that is never written to a disk is the better memory. */
bool
tree_make_directory(char dir[STATE_PATH], struct diag *why)
{
	const char *const places[] = { getenv("TMPDIR"), "/dev/shm", "/tmp" };
	size_t i = 0;

	while (i < 2 && !is_usable(places[i]))
		i++;
	snprintf(dir, STATE_PATH, "%s/qpuemu.XXXXXX", places[i]);
	if (mkdtemp(dir))
		return true;
	diag_set(why, "%s: %s", places[i], strerror(errno));
	return false;
}

static int
remove_entry(const char *path, const struct stat *status, int type,
	     struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

void
tree_remove(const char *dir)
{
	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
