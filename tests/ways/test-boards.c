/* SPDX-License-Identifier: MIT */
/*
 * Which Raspberry Pi this is, and what its owner has to change for the firmware's
 * way: trees of /proc, /sys and /dev, and what is told of them (boards.golden).
 *
 * A case begins without files and as root, and has lines of
 *
 *	good				a Pi 3 on which nothing is in the way
 *	board NAME/CHIP MODEL		what "compatible" and "model" are
 *	string PATH TEXT		a text of the device tree, with its NUL
 *	file PATH "TEXT"		with \n, \0 and \xHH
 *	node PATH MODE			in octal; also the file of another path
 *	folder PATH | fifo PATH | rm PATH
 *	user root|video|nobody		whose rights are those of the mode
 *	look				tell the remedy, and its commands
 *	brief				only which obstacle it is
 *
 * Without one of these it is told at the end.
 */
#include "config.h"

#include "qpu/ways/firmware.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static const char *root;
static char home[1024]; /* to which the path of the cases is relative */
static unsigned rights; /* of the user, as bits of a mode; 0: root's */
static bool told;	/* something was, in this case */
static bool in_line;	/* which brief words share */

/* What a user may do follows from the mode alone, not from who runs the test. */
static int
may_access(int fd, const char *path, int mode, int flags)
{
	struct stat status;

	(void)fd;
	(void)flags;
	if (stat(path, &status) != 0)
		return -1;
	if (mode == F_OK || rights == 0 || (status.st_mode & rights) == rights)
		return 0;
	errno = EACCES;
	return -1;
}

/* No node is of root's group, also where root runs the test. */
static int
give_to_group(int dir, const char *path, int flags, unsigned mask,
	      struct statx *status)
{
	const int error = fault_real_statx(dir, path, flags, mask, status);

	status->stx_gid = 0x7ffffffe;
	return error;
}

/* --- Files ---------------------------------------------------------------- */

/* In the test's directory. */
static const char *
below(const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "root/%s", path);
	return full;
}

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
	const int len = snprintf(both, sizeof(both), "%s%c%s", name, 0, chip);

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

/* --- What is told --------------------------------------------------------- */

static const char *const obstacles[] = {
	[USABLE] = "usable",
	[NO_PI] = "no Pi",
	[OTHER_GPU] = "another GPU",
	[OTHER_KERNEL] = "another kernel",
	[KMS] = "KMS",
	[NO_MAILBOX] = "no mailbox",
	[VCIO_FOR_GROUP] = "a group",
	[VCIO_FOR_ROOT] = "root",
	[NO_MODULE] = "no module",
};

static void
end_line(struct golden_output *out)
{
	if (in_line)
		golden_printf(out, "told", "\n");
	in_line = false;
}

static void
tell(bool briefly, struct golden_output *out)
{
	char commands[OBSTACLE_COMMANDS_BYTES] = "";
	struct vcio_nodes nodes;
	struct diag why = { .text = "" };
	const bool usable = vcio_nodes_look(root, &nodes, &why);

	told = true;
	if (briefly) {
		golden_printf(out, "told", "%s%s", in_line ? ", " : "",
			      obstacles[nodes.finding.obstacle]);
		in_line = true;
		return;
	}
	end_line(out);
	obstacle_commands(&nodes.finding, commands);
	if (usable)
		golden_printf(out, "told", "usable: '%s', %s, alias 0x%08x, %s",
			      nodes.board.model, nodes.board.soc->name,
			      (unsigned)nodes.board.bus_alias,
			      nodes.heap ? nodes.heap : "/dev/vcsm-cma");
	golden_printf(out, "told", "%s\n%s", why.text, commands);
}

static void
obey(char *line, struct golden_output *out)
{
	char *word = strsep(&line, " "), *path = strsep(&line, " ");
	char bytes[512];

	if (strcmp(word, "look") == 0 || strcmp(word, "brief") == 0) {
		tell(*word == 'b', out);
	} else if (strcmp(word, "good") == 0) {
		put_good_pi();
	} else if (strcmp(word, "board") == 0) {
		char *name = strsep(&path, "/");

		put_board(name, path, line ? line : "");
	} else if (strcmp(word, "string") == 0) {
		put_string(path, line);
	} else if (strcmp(word, "file") == 0) {
		scratch_file(below(path), bytes, unquote(line, bytes));
	} else if (strcmp(word, "node") == 0) {
		put_node(path, (unsigned)strtoul(line, NULL, 8));
	} else if (strcmp(word, "folder") == 0) {
		scratch_folder(below(path));
	} else if (strcmp(word, "fifo") == 0) {
		scratch_fifo(below(path));
	} else if (strcmp(word, "rm") == 0) {
		scratch_remove(below(path));
	} else if (strcmp(word, "user") == 0) {
		rights = *path == 'r' ? 0 : *path == 'v' ? 060 : 006;
	} else {
		golden_printf(out, "told", "what is %s?\n", word);
	}
}

static void
look_at_board(const struct golden_case *c, struct golden_output *out)
{
	scratch_enter();
	scratch_empty();
	scratch_folder("root");
	rights = 0;
	told = false;
	golden_each_line(c->input.text, obey, out);
	if (!told)
		tell(false, out);
	end_line(out);
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

	scratch_enter();
	scratch_empty();
	scratch_folder("root");
	put_good_pi();
	rights = 0;
	fault_hooks.read = read_three_bytes;
	ok(vcio_nodes_look(root, &nodes, NULL) &&
		   strcmp(nodes.board.model,
			  "Raspberry Pi 3 Model B Rev 1.2") == 0,
	   "files may come in pieces of three bytes");
	fault_hooks.read = NULL;
	fault_at(FAULT_read, 1, EINTR);
	ok(vcio_nodes_look(root, &nodes, NULL),
	   "reads that are interrupted are repeated");
	fault_from(FAULT_read, 1, EIO);
	ok(!vcio_nodes_look(root, &nodes, NULL) &&
		   nodes.finding.obstacle == NO_PI &&
		   nodes.board.model[0] == '\0',
	   "files that cannot be read say nothing");
}

/* Where memory can be that the ARM and the QPUs share; both sides of each bound. */
static void
test_addresses(void)
{
	static const struct {
		uint32_t alias, bus;
		size_t bytes;
		bool shares;
		const char *what;
	} rows[] = {
		{ 0x40000000, 0x40001000, 0x1000, true, "the second page" },
		{ 0x40000000, 0x40000000, 0x1000, false, "the first page" },
		{ 0x40000000, 0x40001000, 0, false, "nothing" },
		{ 0x40000000, 0x40001000, 0x1001, false, "a page and a byte" },
		{ 0x40000000, 0x40001000, 0x800, false, "half a page" },
		{ 0x40000000, 0x40001001, 0x1000, false, "an odd address" },
		{ 0x40000000, 0x40001800, 0x1000, false, "between two pages" },
		{ 0x40000000, 0x5ffff000, 0x1000, true, "the last page" },
		{ 0x40000000, 0x5ffff000, 0x2000, false, "a page more" },
		{ 0x40000000, 0x60000000, 0x1000, false, "the peripherals" },
		{ 0x40000000, 0x40001000, 0x1ffff000, true, "all of it" },
		{ 0x40000000, 0x40001000, 0x20000000, false, "more" },
		{ 0x40000000, 0x40001000, 0x20001000, false, "far too much" },
		{ 0x40000000, 0x80001000, 0x1000, false, "another alias" },
		{ 0xc0000000, 0xc0001000, 0x1000, true, "the alias asked for" },
		{ 0xc0000000, 0x40001000, 0x1000, false, "the chip's alias" },
		{ 0x40000000, 0x00001000, 0x1000, false, "no alias" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(soc_shares(&soc_rows[0], rows[i].alias, rows[i].bus,
			      rows[i].bytes) == rows[i].shares,
		   "%s %s shared", rows[i].what,
		   rows[i].shares ? "can be" : "cannot be");
	ok(soc_physical(0xfe001000) == 0x3e001000 &&
		   soc_bus(0xc0000000, 0x3e001000) == 0xfe001000 &&
		   soc_bus(0x40000000, 0xfe001000) == 0x7e001000,
	   "an alias is the top two bits");
}

int
main(void)
{
	char path[1024];

	if (!getcwd(home, sizeof(home)))
		return 99;
	snprintf(path, sizeof(path), "%s/root", scratch_enter());
	root = path;
	if (chdir(home) != 0)
		return 99;
	fault_hooks.faccessat = may_access;
	fault_hooks.statx = give_to_group;
	golden_run("tests/ways/boards.golden", look_at_board);
	test_reads();
	test_addresses();
	fault_clear();
	return tap_done();
}
