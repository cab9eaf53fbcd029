/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/pseudo.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

/* statfs(2); in the order of their names. */
static const uint32_t magic_numbers[] = {
	0x42494e4d, /* binfmt_misc */
	0xcafe4a11, /* bpf */
	0x0027e0eb, /* cgroup */
	0x63677270, /* cgroup2 */
	0x62656570, /* configfs */
	0x64626720, /* debugfs */
	0x00001cd1, /* devpts */
	0xde5e81e4, /* efivarfs */
	0x65735543, /* fusectl */
	0x19800202, /* mqueue */
	0x6e667364, /* nfsd */
	0x6e736673, /* nsfs */
	0x00009fa0, /* proc */
	0x6165676c, /* pstore */
	0x07655821, /* resctrl */
	0x67596969, /* rpc_pipefs */
	0x73636673, /* securityfs */
	0xf97cff8c, /* selinuxfs */
	0x43415d53, /* smackfs */
	0x62656572, /* sysfs */
	0x74726163, /* tracefs */
};

bool
pseudo_has(int fd)
{
	struct statfs system;

	if (fstatfs(fd, &system) != 0)
		return false;
	for (size_t i = 0; i < sizeof(magic_numbers) / sizeof(*magic_numbers);
	     i++)
		if ((uint32_t)system.f_type == magic_numbers[i])
			return true;
	return false;
}
