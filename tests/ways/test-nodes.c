/* SPDX-License-Identifier: MIT */
/*
 * nodes.golden: what is at /dev/dri/renderD*, which node is taken, and what the
 * owner of the board is told when there is none.
 *
 * A case begins with nothing in /dev/dri, and has lines of
 *
 *	board NAME/CHIP		what "compatible" is
 *	hidden FILE		there is no device tree, as in a container, and
 *				this file of sysfs
 *	v3d NAME VALUE		what the device tree says of the V3D
 *	node N [WORD=VALUE]...	a device: driver=NAME, ident=HEX, mode=OCTAL,
 *				group=ID, major=N, open=ERRNO
 *	file N | fifo N | link N	something else of that name
 */
#include "config.h"

#include "qpu/ways/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "qpu/abi/vc4.h"
#include "qpu/vc4/vc4.h"
#include "qpu/ways/way.h"
#include "src/base/engine.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* A device, which no user may make; the C library's functions know it. */
struct device {
	char path[64];
	char driver[16];
	unsigned long ident, mode, group, major, open_error;
	int fd; /* while it is open */
};

static struct device devices[8];
static unsigned ndevices;
static unsigned opened;	  /* that are not devices */
static unsigned careless; /* opened so that it waits, stays, or is another */
static char home[1024];	  /* to which the path of the cases is relative */
static struct vc4 *model; /* answers for all devices, if there is one */

static struct device *
find(const char *path, int fd)
{
	for (unsigned i = 0; i < ndevices; i++)
		if (*path ? strcmp(devices[i].path, path) == 0 :
			    devices[i].fd == fd)
			return &devices[i];
	return NULL;
}

static int
know_status(int dir, const char *path, int flags, unsigned mask,
	    struct statx *status)
{
	const struct device *device = find(path, dir);

	if (!device)
		return fault_real_statx(dir, path, flags, mask, status);
	*status =
		(struct statx){ .stx_mode = (uint16_t)(S_IFCHR | device->mode),
				.stx_gid = (uint32_t)device->group,
				.stx_rdev_major = (uint32_t)device->major };
	return 0;
}

static int
open_device(const char *path, int flags, mode_t mode)
{
	struct device *device = find(path, -1);
	const int careful = O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
			    (device ? O_NOFOLLOW : 0);

	careless += (flags & careful) != careful;
	if (!device) {
		opened += strstr(path, "/dri/") != NULL;
		return fault_real_open(path, flags, mode);
	}
	if (device->open_error) {
		errno = (int)device->open_error;
		return -1;
	}
	/* A node that was closed may have had this number. */
	for (unsigned i = 0; i < ndevices; i++)
		devices[i].fd = -1;
	device->fd = fault_real_open("/dev/null", O_RDWR, 0);
	return device->fd;
}

static int
answer(int fd, unsigned long request, void *argument)
{
	const struct device *device = find("", fd);
	struct drm_version *version = argument;
	struct vc4_get_param *get = argument;

	if (!device)
		return fault_real_ioctl(fd, request, argument);
	if (model) {
		errno = -vc4_ioctl(model, request, argument);
		return errno ? -1 : 0;
	}
	if (request == DRM_VERSION) {
		memcpy(version->name, device->driver, strlen(device->driver));
		version->name_bytes = strlen(device->driver);
		return 0;
	}
	if (request == VC4_GET_PARAM && get->param == VC4_PARAM_IDENT0 &&
	    device->ident) {
		get->value = device->ident;
		return 0;
	}
	errno = device->ident ? EINVAL : ENODEV;
	return -1;
}

/* --- Cases ---------------------------------------------------------------- */

static void
put_board(const char *name_and_chip)
{
	char names[128];
	const int len = snprintf(names, sizeof(names), "%s", name_and_chip);

	*strchr(names, '/') = '\0';
	scratch_file("root/proc/device-tree/compatible", names,
		     (size_t)len + 1);
}

static void
put_v3d(const char *name, const char *value)
{
	char path[96];

	snprintf(path, sizeof(path),
		 "root/proc/device-tree/soc/v3d@7ec00000/%s", name);
	scratch_file(path, value, strlen(value) + 1);
}

static void
put_word(struct device *device, const char *word)
{
	const struct {
		const char *name;
		unsigned long *value;
		int base;
	} words[] = { { "ident=", &device->ident, 16 },
		      { "mode=", &device->mode, 8 },
		      { "group=", &device->group, 10 },
		      { "major=", &device->major, 10 },
		      { "open=", &device->open_error, 10 } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(word, words[i].name, strlen(words[i].name)) == 0)
			*words[i].value = strtoul(strchr(word, '=') + 1, NULL,
						  words[i].base);
	if (strncmp(word, "driver=", 7) == 0)
		snprintf(device->driver, sizeof(device->driver), "%s",
			 word + 7);
}

static void
put_device(const char *path, char *words)
{
	struct device *device = &devices[ndevices++];

	*device = (struct device){ .driver = "vc4",
				   .ident = 0x02443356,
				   .mode = 0660,
				   .group = 0x7ffffffe,
				   .major = 226,
				   .fd = -1 };
	snprintf(device->path, sizeof(device->path), "%s", path);
	for (char *word = words; word; word = strtok(NULL, " "))
		put_word(device, word);
}

static void
obey(char *line)
{
	char path[64];
	const char *verb = strtok(line, " ");
	const char *what = strtok(NULL, " ");

	snprintf(path, sizeof(path), "root/dev/dri/renderD%s", what);
	if (strcmp(verb, "board") == 0) {
		put_board(what);
	} else if (strcmp(verb, "hidden") == 0) {
		scratch_remove("root/proc");
		snprintf(path, sizeof(path), "root/sys/%s", what);
		scratch_folder(path);
	}
	if (strcmp(verb, "v3d") == 0)
		put_v3d(what, strtok(NULL, " "));
	else if (strcmp(verb, "node") == 0)
		put_device(path, strtok(NULL, " "));
	else if (strcmp(verb, "file") == 0)
		scratch_text(path, "no device");
	else if (strcmp(verb, "fifo") == 0)
		scratch_fifo(path);
	else if (strcmp(verb, "link") == 0)
		scratch_link(path, "/dev/null");
}

static void
look(const struct golden_case *c, struct golden_output *output)
{
	char *lines = strdup(c->input.text), *rest = lines, *line;
	struct diag why = { .text = "" };
	char commands[OBSTACLE_COMMANDS_BYTES] = "";
	struct drm_node node;
	struct balance before;

	ndevices = opened = 0;
	scratch_enter();
	scratch_empty();
	scratch_folder("root/dev/dri");
	put_board("raspberrypi,3-model-b/brcm,bcm2837");
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line)
			obey(line);
	careless = 0;
	before = balance_now();
	if (drm_node_open("root", &node, &why)) {
		golden_printf(output, "told", "usable: %s\n",
			      node.finding.detail);
		node.calls.close(node.calls.context);
	} else {
		obstacle_commands(&node.finding, commands);
		golden_printf(output, "told", "%s\n%s", why.text, commands);
	}
	if (balance_now().files != before.files)
		golden_printf(output, "told", "a node stays open\n");
	if (opened > 0)
		golden_printf(output, "told", "opens what is no device\n");
	if (careless > 0)
		golden_printf(output, "told", "opens a file carelessly\n");
	free(lines);
	if (chdir(home) != 0)
		exit(99);
}

static int
open_file(const char *path, int flags, mode_t mode)
{
	char own[128];

	snprintf(own, sizeof(own), "root%s", path);
	if (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0)
		return fault_real_open(own, flags, mode);
	return open_device(path, flags, mode);
}

static int
find_file(int dir, const char *path, int mode, int flags)
{
	char own[128];

	snprintf(own, sizeof(own), "root%s", path);
	return fault_real_faccessat(dir, own, mode, flags);
}

static const struct fact *
fact_of(const struct facts *facts, const char *key)
{
	static const struct fact none = { .value = -1 };

	for (unsigned i = 0; i < facts->n; i++)
		if (facts->rows[i].key && strcmp(facts->rows[i].key, key) == 0)
			return &facts->rows[i];
	return &none;
}

static void *
map_buffer(void *address, size_t n, int prot, int flags, int fd, off_t at)
{
	return fd >= 0 && find("", fd) ?
		       vc4_map(model, (uint64_t)at, n) :
		       fault_real_mmap(address, n, prot, flags, fd, at);
}

static int
unmap_buffer(void *address, size_t n)
{
	return vc4_unmap(model, address, n) == 0 ?
		       0 :
		       fault_real_munmap(address, n);
}

static DIR *
open_folder(const char *path)
{
	char own[128];

	snprintf(own, sizeof(own), "root%s", path);
	return fault_real_opendir(own);
}

static void
test_details(void)
{
	struct facts facts = { 0 };
	const unsigned files = balance_now().files;

	device_drm.details(&facts);
	ok(fact_of(&facts, "cma_bytes")->value == 64 << 20 &&
		   fact_of(&facts, "cma_free_bytes")->value == 48 << 20,
	   "the kernel's contiguous memory is told");
	ok(fact_of(&facts, "qpus")->value == 12, "the number of QPUs is told");
	ok(strcmp(facts_text(&facts, fact_of(&facts, "chip")), "BCM2837") ==
			   0 &&
		   fact_of(&facts, "board")->key && fact_of(&facts, "gpu")->key,
	   "the board is told, its chip and its GPU");
	ok(balance_now().files == files, "details leave no node open");
}

/* What the kernel tells of the connectors of displays. */
static void
test_screen(void)
{
	static const struct {
		const char *connector, *state;
		bool has_screen;
	} rows[] = {
		{ "card0", "enabled\n", false },
		{ "card0-HDMI-A-1", "disabled\n", false },
		{ "card0-HDMI-A-2", "", false },
		{ "card1-DSI-1", "enabled\n", true },
	};
	unsigned good = 0;

	ok(device_drm.queue_ms(NULL) == 40,
	   "without displays two jobs of 20 ms may wait");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char path[64];

		snprintf(path, sizeof(path), "root/sys/class/drm/%s/enabled",
			 rows[i].connector);
		scratch_text(path, rows[i].state);
		good += device_drm.queue_ms(NULL) ==
			(rows[i].has_screen ? 8 : 40);
	}
	ok(good == sizeof(rows) / sizeof(*rows),
	   "where a screen is on a frame waits for 8 ms of jobs");
}

/* The device that the program uses, on the model of the kernel's driver. */
static void
test_device(void)
{
	const struct vc4_options options = { .cma_mib = 64 };
	char no_words[] = "";
	struct engine_speed speed;
	struct tile_memory memory;
	struct diag why;
	struct balance before;
	unsigned qpus = 0;
	void *self;

	scratch_enter();
	ndevices = 0;
	put_board("raspberrypi,3-model-b/brcm,bcm2837");
	put_device("/dev/dri/renderD128", no_words);
	scratch_text("root/proc/meminfo",
		     "CmaTotal: 65536 kB\nCmaFree: 49152 kB\n");
	model = vc4_new(&options, &why);
	fault_hooks.open = open_file;
	fault_hooks.faccessat = find_file;
	fault_hooks.opendir = open_folder;
	fault_hooks.mmap = map_buffer;
	fault_hooks.munmap = unmap_buffer;
	ok(drm_look() == USABLE && device_drm.probe(&why),
	   "the device of a board with the driver can be used");
	ok(board_speed(&speed) == 300 && speed.core_rate > 0,
	   "the speed of a board is told without a look at its nodes");
	test_details();
	ok(!device_drm.open("tiles", &qpus, &why),
	   "an option that the device has not is refused");
	before = balance_now();
	self = device_drm.open("drm", &qpus, &why);
	ok(self && qpus == 12 && device_drm.alloc(self, 1, &memory, &why) &&
		   memory.bytes == 4096 && *(uint32_t *)memory.cpu == 0,
	   "the device has QPUs and memory");
	device_drm.close(self);
	ok(balance_now().files == before.files &&
		   balance_now().mapped == before.mapped,
	   "a device that is closed leaves no mapping, and no node open");
	test_screen();
	fault_clear();
	put_board("raspberrypi,4-model-b/brcm,bcm2711");
	fault_hooks.open = open_file;
	fault_hooks.faccessat = find_file;
	ok(drm_look() == OTHER_GPU && !device_drm.probe(&why) &&
		   board_speed(&speed) == 0,
	   "a board with another GPU has no such device, and no speed of it");
	fault_clear();
	vc4_free(model);
}

int
main(void)
{
	if (!getcwd(home, sizeof(home)))
		return 99;
	fault_hooks.statx = know_status;
	fault_hooks.open = open_device;
	fault_hooks.ioctl = answer;
	golden_run("tests/ways/nodes.golden", look);
	test_device();
	return tap_done();
}
