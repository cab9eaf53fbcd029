/* SPDX-License-Identifier: MIT */
/*
 * boards.golden: which Raspberry Pi this is, and what its owner has to change
 * for each of the two ways to its QPUs: trees of /proc, /sys and /dev, and the
 * messages on them.
 *
 * A case, or a row of it, begins without files and as root, and has these commands,
 * with " & " between those of a line:
 *
 *	good				a Pi 3 without obstacles
 *	board NAME/CHIP MODEL		values of "compatible" and "model"
 *	string PATH TEXT		a text of the device tree, with its NUL
 *	file PATH "TEXT"		with \n, \0 and \xHH
 *	node PATH MODE			in octal; also the file of another path
 *	folder PATH | fifo PATH | link PATH | rm PATH
 *	user root|video|nobody		whose rights the modes decide
 *	render N [WORD=VALUE]...	a device renderDN: driver=NAME, ident=HEX,
 *					mode=OCTAL, group=ID, major=N, open=ERRNO
 *	look				by the firmware's way: the remedy, and its
 *					commands
 *	brief				the remedy up to its colon
 *	drm				as look, by the kernel's way
 *	shares ALIAS BUS BYTES		if QPUs can share this memory
 */
#include "config.h"

#include "qpu/ways/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/abi/vc4.h"
#include "qpu/ways/drm.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static char home[1024]; /* to which the path of the cases is relative */
static unsigned rights; /* of the user, as bits of a mode; 0 for root's */

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

/* Return the place of a path of the machine, in the test's directory. */
static const char *
below(const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "root/%s", path + (*path == '/'));
	return full;
}

static struct device *
find(const char *path, int fd)
{
	for (unsigned i = 0; i < ndevices; i++)
		if (*path ? strcmp(devices[i].path, path) == 0 :
			    devices[i].fd == fd)
			return &devices[i];
	return NULL;
}

/* Decide by the mode alone, not by the user who runs the test. */
static int
may_access(int fd, const char *path, int mode, int flags)
{
	struct stat status;

	(void)fd;
	(void)flags;
	if (stat(below(path), &status) != 0)
		return -1;
	if (mode == F_OK || rights == 0 || (status.st_mode & rights) == rights)
		return 0;
	errno = EACCES;
	return -1;
}

/* No node is of root's group, also where root runs the test. */
static int
know_status(int dir, const char *path, int flags, unsigned mask,
	    struct statx *status)
{
	const struct device *device = find(path, dir);

	if (device) {
		*status = (struct statx){
			.stx_mode = (uint16_t)(S_IFCHR | device->mode),
			.stx_gid = (uint32_t)device->group,
			.stx_rdev_major = (uint32_t)device->major
		};
		return 0;
	}
	if (fault_real_statx(dir, *path ? below(path) : path, flags, mask,
			     status) != 0)
		return -1;
	status->stx_gid = 0x7ffffffe;
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
		return fault_real_open(*path == '/' ? below(path) : path, flags,
				       mode);
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
	errno = device->ident ? EINVAL : ENODEV;
	return -1;
}

/* --- Files ---------------------------------------------------------------- */

static void
put_string(const char *path, const char *text)
{
	scratch_file(below(path), text, strlen(text) + 1);
}

static void
put_node(const char *path, unsigned mode)
{
	/* Its owner may not be allowed to write to it. */
	scratch_remove(below(path));
	scratch_text(below(path), "");
	if (chmod(below(path), mode) != 0)
		exit(99);
}

/* "compatible" is two strings. */
static void
put_board(const char *name, const char *chip, const char *model)
{
	char both[128];
	const int len = snprintf(both, sizeof(both), "%.*s%c%s",
				 (int)strcspn(name, "/"), name, 0, chip);

	scratch_file(below("proc/device-tree/compatible"), both,
		     (size_t)len + 1);
	if (*model)
		put_string("proc/device-tree/model", model);
}

static void
put_good_pi(void)
{
	put_board("raspberrypi,3-model-b", "brcm,bcm2837",
		  "Raspberry Pi 3 Model B Rev 1.2");
	put_string("proc/device-tree/soc/v3d@7ec00000/status", "disabled");
	put_node("dev/vcio", 0660);
	put_node("dev/vcsm-cma", 0660);
}

/* A quoted text with escapes; its length. */
static size_t
unquote(const char *text, char bytes[512])
{
	static const char letters[] = "n0", values[] = "\n\0";
	size_t len = 0;
	char *end;

	for (text++; *text != '"'; text++) {
		if (*text != '\\') {
			bytes[len++] = *text;
		} else if (*++text == 'x') {
			const char digits[3] = { text[1], text[2], '\0' };

			bytes[len++] = (char)strtoul(digits, &end, 16);
			text += 2;
		} else {
			bytes[len++] = values[strchr(letters, *text) - letters];
		}
	}
	return len;
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
put_device(const char *number, char *words)
{
	struct device *device = &devices[ndevices++];
	char *word;

	*device = (struct device){ .driver = "vc4",
				   .ident = 0x02443356,
				   .mode = 0660,
				   .group = 0x7ffffffe,
				   .major = 226,
				   .fd = -1 };
	snprintf(device->path, sizeof(device->path), "/dev/dri/renderD%s",
		 number);
	while (words && (word = strsep(&words, " ")) != NULL)
		put_word(device, word);
}

/* --- What is told --------------------------------------------------------- */

/* The remedy, and its commands a line each. */
static void
tell_remedy(const struct finding *finding, const char *remedy)
{
	char commands[OBSTACLE_COMMANDS_BYTES] = "", *rest = commands, *line;

	obstacle_commands(finding, commands);
	golden_answer("%s", remedy);
	while ((line = strsep(&rest, "\n")) != NULL && *line)
		golden_tell("\n  %s", line);
}

static void
look(bool briefly)
{
	struct vcio_nodes nodes;
	struct diag why = { .text = "" };

	if (vcio_nodes_find(&nodes, &why) && !briefly)
		golden_answer("usable: '%s', %s, alias 0x%08x, %s",
			      nodes.host.model, nodes.host.soc->name,
			      (unsigned)nodes.host.bus_alias,
			      nodes.heap ? nodes.heap : "/dev/vcsm-cma");
	else if (briefly)
		golden_answer("%.*s", (int)strcspn(why.text, ":"), why.text);
	else
		tell_remedy(&nodes.finding, why.text);
}

static void
look_by_kernel(void)
{
	const unsigned files = balance_now().files;
	struct diag why = { .text = "" };
	struct drm_node node;

	careless = opened = 0;
	if (drm_node_open(&node, &why)) {
		golden_answer("usable: %s", node.finding.detail);
		node.calls.close(node.calls.context);
	} else {
		tell_remedy(&node.finding, why.text);
	}
	if (balance_now().files != files)
		golden_answer("a node stays open");
	if (opened > 0)
		golden_answer("what is no device is opened");
	if (careless > 0)
		golden_answer("a file is opened carelessly");
}

static uint32_t
number_of(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 0);
}

static void
obey(char *line)
{
	char *word = strsep(&line, " "), *path = strsep(&line, " "), *chip;
	char bytes[512];

	if (strcmp(word, "look") == 0 || strcmp(word, "brief") == 0)
		look(*word == 'b');
	else if (strcmp(word, "drm") == 0)
		look_by_kernel();
	else if (strcmp(word, "good") == 0)
		put_good_pi();
	else if (strcmp(word, "board") == 0 && (chip = strchr(path, '/')))
		put_board(path, chip + 1, line ? line : "");
	else if (strcmp(word, "string") == 0)
		put_string(path, line);
	else if (strcmp(word, "file") == 0)
		scratch_file(below(path), bytes, unquote(line, bytes));
	else if (strcmp(word, "node") == 0)
		put_node(path, (unsigned)strtoul(line, NULL, 8));
	else if (strcmp(word, "folder") == 0)
		scratch_folder(below(path));
	else if (strcmp(word, "fifo") == 0)
		scratch_fifo(below(path));
	else if (strcmp(word, "link") == 0)
		scratch_link(below(path), "/dev/null");
	else if (strcmp(word, "rm") == 0)
		scratch_remove(below(path));
	else if (strcmp(word, "user") == 0)
		rights = *path == 'r' ? 0 : *path == 'v' ? 060 : 006;
	else if (strcmp(word, "render") == 0)
		put_device(path, line);
	else if (strcmp(word, "shares") == 0)
		golden_answer("%s", soc_shares(&soc_rows[0], number_of(path),
					       number_of(line),
					       number_of(strchr(line, ' '))) ?
					    "yes" :
					    "no");
	else
		golden_answer("what is %s?", word);
}

static void
begin(void)
{
	scratch_enter();
	scratch_empty();
	scratch_folder("root");
	rights = ndevices = 0;
}

static void
run_case(const struct golden_case *c, struct golden_output *out)
{
	golden_rows(c, begin, obey);
	golden_session_end(out);
	if (chdir(home) != 0)
		exit(99);
}

/* --- Reading -------------------------------------------------------------- */

static ssize_t
read_three_bytes(int fd, void *to, size_t n)
{
	return fault_real_read(fd, to, n < 3 ? n : 3);
}

static void
test_reads(void)
{
	struct vcio_nodes nodes;

	begin();
	put_good_pi();
	fault_hooks.read = read_three_bytes;
	ok(vcio_nodes_find(&nodes, NULL) &&
		   strcmp(nodes.host.model, "Raspberry Pi 3 Model B Rev 1.2") ==
			   0,
	   "files may come in pieces of three bytes");
	fault_hooks.read = NULL;
	fault_at(FAULT_read, 1, EINTR);
	ok(vcio_nodes_find(&nodes, NULL),
	   "reads that are interrupted are repeated");
	fault_from(FAULT_read, 1, EIO);
	ok(!vcio_nodes_find(&nodes, NULL) && nodes.finding.obstacle == NO_PI &&
		   nodes.host.model[0] == '\0',
	   "files that cannot be read say nothing");
}

int
main(void)
{
	if (!getcwd(home, sizeof(home)))
		return 99;
	fault_hooks.faccessat = may_access;
	fault_hooks.statx = know_status;
	fault_hooks.open = open_device;
	fault_hooks.ioctl = answer;
	golden_run("tests/ways/boards.golden", run_case);
	test_reads();
	return tap_done();
}
