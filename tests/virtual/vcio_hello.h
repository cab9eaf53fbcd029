/* SPDX-License-Identifier: MIT */
/*
 * vcio_hello: the program qpu/examples/hello.m4 on two QPUs, as people write it,
 * with the mailbox; what vcio-client does in other ways goes on from here.
 */
#ifndef TESTS_VIRTUAL_VCIO_HELLO_H
#define TESTS_VIRTUAL_VCIO_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define IOCTL_MBOX_PROPERTY _IOWR(100, 0, char *)

/* Where things are in the memory of hello. */
enum {
	CODE_AT = 0,
	UNIFORMS_AT = 0x1000,
	CONTROL_AT = 0x1800,
	RESULT_AT = 0x2000,
	BYTES = 0x3000
};

/* Memory, its address for the QPU, and how to give it back. */
struct memory {
	volatile uint8_t *arm;
	uint32_t bus;
	uint32_t handle;
	int fd;
};

/* Print what failed, with errno, and end. */
void
die(const char *what);

int
mbox_open(const char *node);

/* One tag; the value buffer has room for 8 words.  Returns the first. */
uint32_t
mbox_tag(int fd, uint32_t tag, unsigned n, const uint32_t *values);

uint32_t
mbox_one(int fd, uint32_t tag, uint32_t value);

/* Memory of the firmware: its handle. */
uint32_t
mem_alloc(int fd, uint32_t size, uint32_t align, uint32_t flags);

/* Physical memory, by /dev/mem; MAP_FAILED if that fails. */
void *
mapmem(uint32_t base, size_t size);

void
put(const struct memory *m, unsigned at, uint32_t word);

/* The program, and for two QPUs each its number, the sum of them, 100 and a
 * result. */
void
fill(const struct memory *m, const char *code);

/* Are the results those of both programs? */
bool
is_right(const struct memory *m);

/* Print the answer and whether the results are right: the exit status. */
int
show(const struct memory *m, uint32_t answer);

uint32_t
execute(int fd, const struct memory *m);

/* Memory of the firmware, seen through /dev/mem. */
struct memory
take(int mbox);

void
give_back(int mbox, struct memory *m);

/* The QPUs; returns the node, open. */
int
enable(const char *node);

void
disable(int mbox);

/* The whole of it: the exit status. */
int
hello(const char *code, const char *node);

#endif
