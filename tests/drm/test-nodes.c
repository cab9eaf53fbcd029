/* SPDX-License-Identifier: MIT */
/*
 * nodes.golden: what is at /dev/dri/renderD*, which node is taken, and what the
 * owner of the board is told when there is none.
 *
 * A case begins with nothing in /dev/dri, and has lines of
 *
 *	board NAME/CHIP		what "compatible" is
 *	v3d NAME VALUE		what the device tree says of the V3D
 *	node N [WORD=VALUE]...	a device: driver=NAME, ident=HEX, branches=0,
 *				mode=OCTAL, group=ID, major=N, open=ERRNO
 *	file N | fifo N | link N	something else of that name
 */
#include "config.h"

#include "qpu/drm/drm_details.h"
#include "qpu/drm/node.h"
#include "qpu/drm/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "qpu/abi/vc4.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* A device, which no user may make; the C library's functions know it. */
struct device {
	char path[64];
	char driver[16];
	unsigned long ident, branches, mode, group, major, open_error;
	int fd; /* while it is open */
};

static struct device devices[8];
static unsigned ndevices;
static unsigned opened; /* that are not devices */
static char home[1024]; /* to which the path of the cases is relative */

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
	if (request == VC4_GET_PARAM && get->param == VC4_PARAM_BRANCHES &&
	    device->branches) {
		get->value = 1;
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
		      { "branches=", &device->branches, 10 },
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
				   .branches = 1,
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
	if (strcmp(verb, "board") == 0)
		put_board(what);
	else if (strcmp(verb, "v3d") == 0)
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
	struct drm_calls calls = { .context = NULL };
	struct diag why = { .text = "" };
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
	before = balance_now();
	if (drm_node_open("root", &node, &calls, &why)) {
		golden_printf(output, "told", "usable: %s\n", node.path);
		calls.close(calls.context);
	} else {
		golden_printf(output, "told", "%s\n", why.text);
	}
	if (balance_now().files != before.files)
		golden_printf(output, "told", "a node stays open\n");
	if (opened > 0)
		golden_printf(output, "told", "opens what is no device\n");
	free(lines);
	if (chdir(home) != 0)
		exit(99);
}

/* The records of the kernel's log, one for each read.  "-" is one that has just
 * been overwritten. */
static const char *const records[] = {
	"6,1,1000000,-;Linux", "3,2,2500000,-;[drm] Resetting GPU.\n", "-",
	"3,3,61500000,c;[drm] Resetting GPU.\n SUBSYSTEM=platform\n",
	"6,4,70000000,-;usb 1-1"
};
static unsigned nread;
static int log_fd;

static int
open_log(const char *path, int flags, mode_t mode)
{
	char own[128];

	snprintf(own, sizeof(own), "root%s", path);
	if (strncmp(path, "/proc/device-tree/", 18) == 0)
		return fault_real_open(own, flags, mode);
	if (strcmp(path, "/dev/kmsg") != 0)
		return open_device(path, flags, mode);
	nread = 0;
	return log_fd = fault_real_open("/dev/null", O_RDONLY, 0);
}

static ssize_t
read_log(int fd, void *to, size_t n)
{
	const char *record;

	if (fd != log_fd)
		return fault_real_read(fd, to, n);
	if (nread == sizeof(records) / sizeof(*records)) {
		errno = EAGAIN;
		return -1;
	}
	record = records[nread++];
	if (*record == '-') {
		errno = EPIPE;
		return -1;
	}
	return snprintf(to, n, "%s", record);
}

static void
test_resets(void)
{
	char no_words[] = "";
	struct facts facts = { 0 };
	double resets = -1, last = -1;

	scratch_enter();
	ndevices = 0;
	put_board("raspberrypi,3-model-b/brcm,bcm2837");
	put_device("/dev/dri/renderD128", no_words);
	fault_hooks.open = open_log;
	fault_hooks.read = read_log;
	drm_details_add(&facts);
	fault_hooks.read = NULL;
	fault_hooks.open = open_device;
	for (unsigned i = 0; i < facts.n; i++) {
		const struct fact *fact = &facts.rows[i];

		if (fact->key && strcmp(fact->key, "gpu_resets") == 0)
			resets = fact->value;
		if (fact->key && strcmp(fact->key, "last_gpu_reset") == 0)
			last = fact->value;
	}
	ok(resets == 2 && last == 61.5,
	   "resets of the GPU in the kernel's log are counted, and the last "
	   "has its time");
	if (chdir(home) != 0)
		exit(99);
}

/* What systemd-logind leaves of the first seat, and of a session. */
static void
test_seat(void)
{
	static const struct {
		const char *seat, *session;
		bool has_desktop;
	} rows[] = {
		{ "IS_SEAT0=1\nACTIVE=c1\nACTIVE_UID=1000\n",
		  "UID=1000\nACTIVE=1\nTYPE=wayland\nCLASS=user\n", true },
		{ "ACTIVE=c1", "CLASS=user\nTYPE=x11", true },
		{ "ACTIVE=c1\n", "TYPE=wayland\nCLASS=greeter\n", false },
		{ "ACTIVE=c1\n", "TYPE=tty\nCLASS=user\n", false },
		{ "ACTIVE=c2\n", "TYPE=x11\nCLASS=user\n", false },
		{ "ACTIVE=../sessions/c1\n", "TYPE=x11\nCLASS=user\n", false },
		{ "IS_SEAT0=1\nACTIVE_UID=1\n", "TYPE=x11\nCLASS=user\n",
		  false },
		{ "", "", false },
	};
	unsigned good = 0;

	scratch_enter();
	ok(!seat_has_desktop("."), "without logind nobody sits at a desktop");
	scratch_folder("run");
	scratch_folder("run/systemd");
	scratch_folder("run/systemd/seats");
	scratch_folder("run/systemd/sessions");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scratch_text("run/systemd/seats/seat0", rows[i].seat);
		scratch_text("run/systemd/sessions/c1", rows[i].session);
		good += seat_has_desktop(".") == rows[i].has_desktop;
	}
	ok(good == sizeof(rows) / sizeof(*rows),
	   "a desktop is a user's graphical session that is active on seat0");
}

int
main(void)
{
	if (!getcwd(home, sizeof(home)))
		return 99;
	fault_hooks.statx = know_status;
	fault_hooks.open = open_device;
	fault_hooks.ioctl = answer;
	golden_run("tests/drm/nodes.golden", look);
	test_resets();
	fault_clear();
	test_seat();
	return tap_done();
}
