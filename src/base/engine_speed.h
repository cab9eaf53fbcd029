/* SPDX-License-Identifier: MIT */
/*
 * engine_speed: how fast a device and the CPU beside it should be, before
 * anything has been measured.
 *
 * Hashing rates count the bytes of blocks, with padding; a core is one of the
 * machine's CPU.
 */
#ifndef SRC_BASE_ENGINE_SPEED_H
#define SRC_BASE_ENGINE_SPEED_H

struct engine_speed {
	unsigned lanes;	      /* of the device */
	double device_rate;   /* bytes a second, all lanes busy */
	double core_rate;     /* bytes a second that a core hashes */
	double copy_rate;     /* bytes a second, files to the device */
	double file_seconds;  /* of a core: open, read, close a file */
	double look_seconds;  /* of a core: the size of a file by its name */
	double start_seconds; /* until the device has begun */
};

#endif
