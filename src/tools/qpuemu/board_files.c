/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/board_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/pi/profile.h"

/* The directory ------------------------------------------------------------- */

#define PREFIX "qpuemu."
enum {
	SUFFIX = 6,  /* random characters after it */
	LONGEST = 32 /* more than a name has */
};

/* Remove an entry, but not the directory and the file that marks a board. */
static int
remove_entry(const char *path, const struct stat *status, int type,
	     struct FTW *place)
{
	(void)status;
	(void)type;
	if (place->level == 0 ||
	    (place->level == 1 && strcmp(path + place->base, BOARD_FILE) == 0))
		return 0;
	return remove(path);
}

/*
 * The file that marks a board goes last: what is left of a removal that was
 * killed is still known as a board at the next start.
 */
void
board_directory_remove(const char *dir)
{
	int fd;

	if (nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
		return;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	unlinkat(fd, BOARD_FILE, 0);
	close(fd);
	rmdir(dir);
}

/* The path of a place without links.  Blanks and colons end names in the
 * loader's variables. */
static bool
find_place(const char *name, char place[PATH_MAX])
{
	return name && *name == '/' && realpath(name, place) &&
	       !strpbrk(place, " :;") &&
	       strlen(place) < BOARD_DIRECTORY - LONGEST &&
	       access(place, W_OK | X_OK) == 0;
}

/* Lock a directory until the descriptor is closed, which is returned, or -1. */
static int
lock_directory(int place, const char *name)
{
	const int fd = openat(place, name,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstat(fd, &st) == 0 && st.st_uid == geteuid() && st.st_nlink > 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Remove boards of killed processes, and those that were only begun, which are
 * empty; nothing else of such a name. */
static void
sweep(const char *place)
{
	DIR *stream = opendir(place);
	const struct dirent *dirent;
	char path[PATH_MAX + NAME_MAX + 2];

	while (stream && (dirent = readdir(stream))) {
		int fd;

		if (strncmp(dirent->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    strlen(dirent->d_name) != strlen(PREFIX) + SUFFIX)
			continue;
		fd = lock_directory(dirfd(stream), dirent->d_name);
		if (fd < 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", place, dirent->d_name);
		if (board_shared_is_in(fd))
			board_directory_remove(path);
		else
			rmdir(path);
		close(fd);
	}
	if (stream)
		closedir(stream);
}

/* Another process may lock and remove the directory first: then try again. */
static bool
make_locked(char dir[BOARD_DIRECTORY], const char *place)
{
	enum { TRIES = 10 };

	for (int i = 0; i < TRIES; i++) {
		if (snprintf(dir, BOARD_DIRECTORY, "%s/" PREFIX "XXXXXX",
			     place) >= BOARD_DIRECTORY ||
		    !mkdtemp(dir))
			return false;
		if (lock_directory(AT_FDCWD, dir) >= 0)
			return true;
	}
	return false;
}

/* /dev/shm is preferred, since it is never written to a disk. */
bool
board_directory_make(char dir[BOARD_DIRECTORY], struct diag *why)
{
	const char *const names[] = { getenv("TMPDIR"), "/dev/shm", "/tmp" };
	char place[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!find_place(names[i], place))
			continue;
		sweep(place);
		if (make_locked(dir, place))
			return true;
		diag_set(why, "%s: %s", place, strerror(errno));
		return false;
	}
	diag_set(why, "no directory for temporary files: set TMPDIR");
	return false;
}

/* Files in it ---------------------------------------------------------------- */

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
make_link(struct file_tree *tree, const char *name, const char *target)
{
	char path[BOARD_PATH];

	make_path(tree, path, BOARD_ROOT "/%s", name);
	if (symlink(target, path) != 0)
		fail(tree, path);
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

/* Conditions of a row; a board must meet all. */
enum needs {
	VIDEOCORE4 = 1,
	LATER_CHIP = 2,
	KMS = 4,
	VC4 = VIDEOCORE4 | KMS,
	NO_KMS = 8,
	RASPBERRY_KERNEL = 16, /* its device tree says whose the V3D is */
	MISC_NODE = 32,
	MODULE = 64, /* of /dev/vcsm-cma */
	BLACKLIST = 128,
	OLD_BOOT = 256 /* /boot/config.txt */
};

/* clang-format off */
#define TREE      "sys/firmware/devicetree/base"
#define V3D       TREE "/soc/v3d@7ec00000"
#define LATER_V3D TREE "/v3dbus/v3d@7ec04000"
#define DRIVERS   "sys/bus/platform/drivers"

/* Strings of a device tree end with a NUL each. */
enum { WITH_NUL = 1 };

/*
 * Files whose content does not depend on the board, directories, which have no
 * text, and links.  "@@" in a name is the address of the V3D.
 */
static const struct row {
	unsigned needs;
	const char *name, *text;
	size_t more; /* bytes of the text after its characters */
	const char *target;
} rows[] = {
	{ 0, "proc/device-tree", NULL, 0, "../sys/firmware/devicetree/base" },
	{ 0, "etc/modprobe.d", NULL, 0, NULL },
	{ BLACKLIST, "etc/modprobe.d/blacklist-vcsm.conf",
	  "blacklist vc_sm_cma\n", 0, NULL },
	{ OLD_BOOT, "boot/config.txt", "", 0, NULL },
	{ MODULE, "sys/module/vc_sm_cma", NULL, 0, NULL },
	{ MISC_NODE, TREE "/soc/firmware/vcio", NULL, 0, NULL },
	/* Raspberry Pi OS ships the V3D disabled, and an overlay enables it. */
	{ VIDEOCORE4, V3D "/compatible", "brcm,bcm2835-v3d", WITH_NUL, NULL },
	{ LATER_CHIP, LATER_V3D "/compatible", "brcm,2711-v3d", WITH_NUL, NULL },
	{ VC4 | RASPBERRY_KERNEL, V3D "/status", "okay", WITH_NUL,
	  NULL },
	{ VIDEOCORE4 | RASPBERRY_KERNEL | NO_KMS, V3D "/status", "disabled",
	  WITH_NUL, NULL },
	{ LATER_CHIP | RASPBERRY_KERNEL | KMS, LATER_V3D "/status", "okay",
	  WITH_NUL, NULL },
	{ LATER_CHIP | RASPBERRY_KERNEL | NO_KMS, LATER_V3D "/status",
	  "disabled", WITH_NUL, NULL },
	/* The kernel's driver shows this when it has the V3D. */
	{ VC4, "sys/module/vc4", NULL, 0, NULL },
	{ VC4, DRIVERS "/vc4_v3d/@@.v3d", NULL, 0, NULL },
	{ VC4, DRIVERS "/vc4-drm", NULL, 0, NULL },
};
/* clang-format on */

static void
make_row(struct file_tree *tree, const struct row *row, const struct soc *soc)
{
	const char *at = strstr(row->name, "@@");
	char name[128], path[BOARD_PATH];

	if (at)
		snprintf(name, sizeof(name), "%.*s%x%s", (int)(at - row->name),
			 row->name, soc->peripherals + SOC_V3D_OFFSET, at + 2);
	else
		snprintf(name, sizeof(name), "%s", row->name);
	if (row->target)
		make_link(tree, name, row->target);
	else if (row->text)
		make_file(tree, name, row->text, strlen(row->text) + row->more);
	else
		make_path(tree, path, BOARD_ROOT "/%s/", name);
}

/* Write the device tree of this board. */
static void
make_device_tree(struct file_tree *tree, const struct board_options *options)
{
	const struct profile *profile = &profile_rows[options->profile];
	const struct soc *soc = profile_soc(profile);
	const unsigned mib = options->device.mem_mib;
	/* Addresses of later boards have two cells. */
	const uint32_t three[] = { 0x7e000000, soc->peripherals, 16 << 20 };
	const uint32_t four[] = { 0x7e000000, 0, soc->peripherals, 24 << 20 };
	/* The firmware's memory as /dev/vc-mem shows it, and its alias. */
	const uint32_t vc_mem[] = { profile_memory_base(profile, mib),
				    mib << 20, soc->bus_alias };
	char compatible[128], serial[17];
	size_t len = (size_t)snprintf(compatible, sizeof(compatible), "%s%c%s",
				      profile->compatible, '\0',
				      soc->compatible);

	make_file(tree, TREE "/model", profile->model,
		  strlen(profile->model) + 1);
	make_file(tree, TREE "/compatible", compatible, len + 1);
	make_cells(tree, TREE "/system/linux,revision", &profile->revision, 1);
	snprintf(serial, sizeof(serial), "%016" PRIx64, PROFILE_SERIAL);
	make_file(tree, TREE "/serial-number", serial, sizeof(serial));
	if (soc->videocore4) {
		make_cells(tree, TREE "/soc/ranges", three, 3);
		make_cells(tree, TREE "/axi/vc_mem/reg", vc_mem, 3);
	} else {
		make_cells(tree, TREE "/soc/ranges", four, 4);
	}
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
	const struct board_options *options = &shared->options;
	const struct profile *profile = &profile_rows[options->profile];
	const struct system *system = &system_rows[options->system];
	const struct soc *soc = profile_soc(profile);
	const bool module = system->vcsm.mode != 0;
	struct file_tree tree = { .dir = dir, .why = why };
	unsigned has;

	make_memory(&tree, shared);
	make_libraries(&tree, library);
	if (!soc)
		return !tree.failed;
	has = (soc->videocore4 ? VIDEOCORE4 : LATER_CHIP) |
	      (options->kms ? KMS : NO_KMS) |
	      (system->mainline ? 0 : RASPBERRY_KERNEL) |
	      (system->misc ? MISC_NODE : 0) | (module ? MODULE : 0) |
	      (system->blacklist ? BLACKLIST : 0) |
	      (system->bits == SYSTEM_BITS_32 && system->kernel < 612 ?
		       OLD_BOOT :
		       0);
	make_device_tree(&tree, options);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if ((rows[i].needs & ~has) == 0)
			make_row(&tree, &rows[i], soc);
	make_meminfo(&tree, options);
	make_cpuinfo(&tree, profile);
	if ((has & VC4) == VC4) {
		make_node(&tree, shared, BOARD_CARD, "dev/dri/card0");
		make_node(&tree, shared, BOARD_RENDER, "dev/dri/renderD128");
	}
	if (system->vcio.mode != 0)
		make_node(&tree, shared, BOARD_VCIO, "dev/vcio");
	if (module && options->device.mem_mib > PROFILE_CUT_DOWN_MIB)
		make_node(&tree, shared, BOARD_VCSM, "dev/vcsm-cma");
	if (system->heap.mode != 0)
		make_node(&tree, shared, BOARD_HEAP, "dev/dma_heap/linux,cma");
	make_node(&tree, shared, BOARD_MEM, "dev/mem");
	return !tree.failed;
}
