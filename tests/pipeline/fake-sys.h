/* SPDX-License-Identifier: MIT */
/*
 * fake-sys: block devices made of files, in a tree like sysfs.  Header only.
 */
#ifndef TESTS_PIPELINE_FAKE_SYS_H
#define TESTS_PIPELINE_FAKE_SYS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/support/scratch.h"

/* A file with this text, or a link to this target; its name is formatted. */
__attribute__((format(printf, 3, 4))) static inline void
fake_sys_make(void (*make)(const char *path, const char *text),
	      const char *text, const char *format, ...)
{
	char path[256];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	make(path, text);
}

#define write_file(...) fake_sys_make(scratch_text, __VA_ARGS__)
#define make_link(...) fake_sys_make(scratch_link, __VA_ARGS__)

/* A block device: its number, its place below devices/, and what it says. */
struct device {
	const char *number, *place, *rotational, *bus, *vendor, *model;
};

#define SATA "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/"
#define USB "platform/usb1/1-1/1-1.2/host4/target4:0:0/4:0:0:0/block/"

static inline void
make_device(const char *root, const struct device *device)
{
	char target[256];

	snprintf(target, sizeof(target), "../../devices/%s", device->place);
	make_link(target, "%s/sys/dev/block/%s", root, device->number);
	make_link(target, "%s/sys/class/block/%s", root,
		  strrchr(device->place, '/') + 1);
	write_file(device->rotational, "%s/sys/devices/%s/queue/rotational",
		   root, device->place);
	write_file("0\n", "%s/sys/devices/%s/slaves/.none", root,
		   device->place);
	if (device->bus) {
		snprintf(target, sizeof(target), "../../../bus/%s",
			 device->bus);
		make_link(target, "%s/sys/devices/%s/device/subsystem", root,
			  device->place);
	}
	if (device->vendor) {
		write_file(device->vendor, "%s/sys/devices/%s/device/vendor",
			   root, device->place);
		write_file(device->model, "%s/sys/devices/%s/device/model",
			   root, device->place);
	}
}

/* The one that our own files are on, as a disk. */
static inline void
make_own_device(const char *root, const char *rotational)
{
	struct stat st;
	char number[32];

	if (stat(".", &st) != 0)
		exit(99);
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev),
		 minor(st.st_dev));
	make_device(root,
		    &(struct device){ number, SATA "sda", rotational, "scsi",
				      "ATA     ", "WDC WD40EFRX-68W" });
}

#endif
