/* SPDX-License-Identifier: MIT */
/*
 * Promise: the mount of a file is found by its number alone, whatever its words
 * are, and a line that is none is passed by.
 */
#include "config.h"

#include "src/lanes/mount.h"

#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/pipeline/fake-sys.h"
#include "tests/support/tap.h"

static struct mount mount;

/* Below "root": what the kernel says of descriptor 7, and of mounts. */
static void
say(const char *descriptor, const char *mounts)
{
	write_file(descriptor, "root/proc/self/fdinfo/7");
	write_file(mounts, "root/proc/self/mountinfo");
}

static bool
finds(const char *type, const char *source, const char *options)
{
	const bool good = mount_find("root", 7, &mount) &&
			  strcmp(mount.type, type) == 0 &&
			  strcmp(mount.source, source) == 0 &&
			  strcmp(mount.options, options) == 0;

	if (!good && mount.line)
		tap_note("%s, %s, %s", mount.type, mount.source, mount.options);
	mount_free(&mount);
	return good;
}

static void
test_numbers(void)
{
	say("pos:\t0\nmnt_id:\t22\nino:\t5\n",
	    "2 1 0:1 / /a rw - a a a\n220 1 0:1 / /b rw - b b b\n"
	    "22 1 0:1 / /c rw shared:1 - ext4 /dev/sda1 rw,x=y\n"
	    "22 1 0:1 / /d rw - d d d\n");
	ok(finds("ext4", "/dev/sda1", "rw,x=y"),
	   "the first mount of that number");
	say("mnt_id:\t0\n", "0 1 0:1 / /a rw - a b c\n");
	ok(finds("a", "b", "c"), "the number of a mount may be 0");
	say("mnt_id:\t-1\n", "-1 1 0:1 / /a rw - a b c\n");
	ok(!mount_find("root", 7, &mount) && !mount.line,
	   "a mount has no number below 0");
	say("pos:\t0\n", "22 1 0:1 / /a rw - a b c\n");
	ok(!mount_find("root", 7, &mount), "there is no mount without a line");
	say("mnt_id:\t23\n", "22 1 0:1 / /a rw - a b c\n");
	ok(!mount_find("root", 7, &mount) && !mount.line,
	   "a mount that is not listed is unknown");
	ok(!mount_find("root", 8, &mount),
	   "the mount of a file that is not open is unknown");
	unlink("root/proc/self/mountinfo");
	ok(!mount_find("root", 7, &mount),
	   "without a list all mounts are unknown");
}

static void
test_words(void)
{
	static const struct {
		const char *line, *type, *source, *options, *what;
	} rows[] = {
		{ "22 1 0:1 / /a rw - a b c\n", "a", "b", "c", "words" },
		{ "22 1 0:1 / /a rw - a b c", "a", "b", "c",
		  "a last line that is cut" },
		{ "22 1 0:1 / /a rw - a b\n", "a", "b", "", "a word less" },
		{ "22 1 0:1 / /a rw - \n", "", "", "", "no words" },
		{ "22 1 0:1 / /a rw - a  c\n", "a", "", "c",
		  "one that is empty" },
		{ "22 1 0:1 / /a rw - a b\\040\\011\\012\\134x\\0401 c\n", "a",
		  "b \t\n\\x 1", "c", "what is escaped" },
		{ "22 1 0:1 / /a rw - a \\101\\007\\177 c\n", "a", "A\007\177",
		  "c", "any byte" },
		{ "22 1 0:1 / /a rw - a \\04 \\\n", "a", "\\04", "\\",
		  "what only begins so" },
		{ "22 1 0:1 / /a rw - a \\048\\084\\800 \\04/\n", "a",
		  "\\048\\084\\800", "\\04/", "what is not octal" },
		{ "22 1 0:1 / /a rw -a b c\n22 1 0:1 / /b rw - d e f\n", "d",
		  "e", "f", "a line without a dash" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		say("mnt_id:\t22\n", rows[i].line);
		ok(finds(rows[i].type, rows[i].source, rows[i].options), "%s",
		   rows[i].what);
	}
}

/* Names of roots around the longest path. */
static void
test_long_names(void)
{
	static char root[PATH_MAX];

	memset(root, '/', sizeof(root) - 1);
	ok(!mount_find(root, 7, &mount), "a name that is too long is no root");
	say("mnt_id:\t22\n", "22 1 0:1 / /a rw - a b c\n");
	memset(root, 0, sizeof(root));
	for (size_t i = 0; i < 1000; i++)
		memcpy(root + 2 * i, "./", 2);
	strcat(root, "root");
	ok(mount_find(root, 7, &mount) && strcmp(mount.type, "a") == 0,
	   "a long one may be");
	mount_free(&mount);
	ok(!mount.line, "what is known of a mount is forgotten");
}

int
main(void)
{
	scratch_enter();
	test_numbers();
	test_words();
	test_long_names();
	return tap_done();
}
