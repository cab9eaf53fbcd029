/* SPDX-License-Identifier: MIT */
/*
 * Promise: file systems that only show the kernel's state are known by their
 * numbers, those of Linux's own list, and no others are.
 */
#include "config.h"

#include "src/inputs/pseudo.h"

#include <stdint.h>
#include <sys/vfs.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static uint32_t number;
static bool fails;

static int
fake_fstatfs(int fd, struct statfs *system)
{
	(void)fd;
	memset(system, 0, sizeof(*system));
	system->f_type = (__typeof__(system->f_type))number;
	return fails ? -1 : 0;
}

/* include/uapi/linux/magic.h, fs/nfsd/nfsctl.c, net/sunrpc/rpc_pipe.c,
 * fs/configfs/mount.c, fs/fuse/control.c, ipc/mqueue.c */
static const struct {
	const char *name;
	uint32_t number;
	bool pseudo;
} rows[] = {
	{ "binfmt_misc", 0x42494e4d, true }, { "bpf", 0xcafe4a11, true },
	{ "cgroup", 0x0027e0eb, true },	     { "cgroup2", 0x63677270, true },
	{ "configfs", 0x62656570, true },    { "debugfs", 0x64626720, true },
	{ "devpts", 0x00001cd1, true },	     { "efivarfs", 0xde5e81e4, true },
	{ "fusectl", 0x65735543, true },     { "mqueue", 0x19800202, true },
	{ "nfsd", 0x6e667364, true },	     { "nsfs", 0x6e736673, true },
	{ "proc", 0x00009fa0, true },	     { "pstore", 0x6165676c, true },
	{ "resctrl", 0x07655821, true },     { "rpc_pipefs", 0x67596969, true },
	{ "securityfs", 0x73636673, true },  { "selinuxfs", 0xf97cff8c, true },
	{ "smackfs", 0x43415d53, true },     { "sysfs", 0x62656572, true },
	{ "tracefs", 0x74726163, true },     { "ext4", 0x0000ef53, false },
	{ "tmpfs", 0x01021994, false },	     { "nfs", 0x00006969, false },
	{ "nothing", 0x00000000, false },
};

int
main(void)
{
	fault_hooks.fstatfs = fake_fstatfs;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		number = rows[i].number;
		ok(pseudo_has(0) == rows[i].pseudo, "%s is %s", rows[i].name,
		   rows[i].pseudo ? "left out" : "walked");
	}
	number = 0x9fa0;
	fails = true;
	ok(!pseudo_has(0), "what cannot be told is walked");
	return tap_done();
}
