/* SPDX-License-Identifier: MIT */
/*
 * Promise: the disks of a device are looked up once, claimed together and given
 * to the earliest message; and a read knows whether it has waited.
 *
 * The test says which disks a device has, how long a read takes, and what is
 * cached.
 */
#include "config.h"

#include "src/lanes/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/lanes/rotating_disks.h"
#include "tests/pipeline/locks.h"
#include "tests/support/tap.h"

static struct disks disks;
static uint64_t held;
static unsigned looked_up;

/* A device below 1000 is on a disk of its own, the others on two. */
void
__wrap_rotating_disks_find(const char *root, dev_t device, int fd,
			   struct rotating_disks *found);
uint64_t
__wrap_clock_ns(void);
ssize_t
__wrap_preadv2(int fd, const struct iovec *iov, int n, off_t offset, int flags);
ssize_t
__wrap_preadv64v2(int fd, const struct iovec *iov, int n, off_t offset,
		  int flags) __attribute__((alias("__wrap_preadv2")));

void
__wrap_rotating_disks_find(const char *root, dev_t device, int fd,
			   struct rotating_disks *found)
{
	if (strcmp(root, "a root") != 0 || fd != 33)
		exit(99);
	looked_up++;
	found->n = device < 1000 ? 1 : 2;
	found->disks[0] = device % 1000;
	found->disks[1] = device % 1000 + 1;
}

static uint64_t step_ns;

uint64_t
__wrap_clock_ns(void)
{
	static uint64_t now;

	return now += step_ns;
}

static int cached_flags;
static ssize_t cached_answer;
static char *cached_to;
static size_t cached_bytes;

ssize_t
__wrap_preadv2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
	if (fd != 33 || n != 1 || offset != -1)
		exit(99);
	cached_flags = flags;
	cached_to = iov->iov_base;
	cached_bytes = iov->iov_len;
	errno = EIO;
	return cached_answer;
}

static enum disk_answer
claim(dev_t device, uint64_t seq)
{
	const struct disk_request request = { .fd = 33,
					      .device = device,
					      .seq = seq };

	held = 99;
	return disk_claim(&disks, &request, &held);
}

static void
begin(void)
{
	memset(&disks, 0xff, sizeof(disks));
	disks_init(&disks, "a root");
	looked_up = 0;
}

static void
test_devices(void)
{
	uint64_t first;

	begin();
	ok(claim(1, 5) == DISK_YOURS && held == 1 && looked_up == 1,
	   "a disk is looked up when it is claimed");
	first = held;
	ok(claim(1, 6) == DISK_TAKEN && held == 0 && looked_up == 1,
	   "and remembered");
	ok(claim(2, 7) == DISK_YOURS && held == 2 && looked_up == 2,
	   "another one has another bit");
	ok(claim(1001, 8) == DISK_TAKEN && disks.count == 2,
	   "a device on both of them has none of its own");
	disk_release(&disks, first);
	disk_release(&disks, held);
	ok(disk_is_known(&disks, 1) && disk_is_known(&disks, 1001) &&
		   !disk_is_known(&disks, 3),
	   "devices are known");
	for (dev_t device = 100; device < 161; device++)
		claim(device, 9);
	ok(looked_up == 64 && disks.count == 63 && disk_is_known(&disks, 1),
	   "so many of them");
	claim(161, 9);
	ok(!disk_is_known(&disks, 1) && disk_is_known(&disks, 2) &&
		   disks.count == 64 && held == UINT64_C(1) << 63,
	   "one more takes the place of the first");
	ok(claim(162, 9) == DISK_SHARED && held == 0 &&
		   !disk_is_known(&disks, 162),
	   "and disks without a bit count as shared");
	ok(claim(161, 9) == DISK_TAKEN, "the others do not");
	disks_destroy(&disks);
}

static void
test_waiting(void)
{
	begin();
	claim(1, 1);
	claim(2, 1);
	ok(claim(1001, 5) == DISK_TAKEN && disks.waiting[0] == 5 &&
		   disks.waiting[1] == 5,
	   "who is refused two disks waits for both");
	claim(1, 7);
	ok(disks.waiting[0] == 5, "a later one waits behind it");
	claim(1, 3);
	ok(disks.waiting[0] == 3 && disks.waiting[1] == 5,
	   "an earlier one before it");
	disk_release(&disks, 3);
	ok(disks.taken == 0 && claim(1001, 5) == DISK_TAKEN,
	   "and gets its disk first");
	ok(claim(1, 3) == DISK_YOURS && disks.waiting[0] == UINT64_MAX &&
		   disks.waiting[1] == 5,
	   "then nobody is known to wait for that");
	disk_release(&disks, 1);
	ok(claim(1001, 5) == DISK_YOURS && held == 3,
	   "a message is not refused because of itself");
	claim(2, 6);
	ok(disk_forget_waiting(&disks) && disks.waiting[1] == UINT64_MAX &&
		   !disk_forget_waiting(&disks),
	   "those that wait are forgotten once");
	ok(disks.taken == 3, "those that have a disk keep it");
	disks_destroy(&disks);
	ok(locks_are_right() && locks_nested == 0, "all locks are given back");
}

static void
test_reads(void)
{
	char bytes[4] = "";
	bool waited;
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], "abcd", 4) != 4)
		exit(99);
	step_ns = 2000000;
	ok(disk_read(ends[0], bytes, 2, &waited) == 2 && !waited &&
		   bytes[0] == 'a' && bytes[1] == 'b' && bytes[2] == 0,
	   "a read of two milliseconds has not waited");
	step_ns++;
	ok(disk_read(ends[0], bytes, 2, &waited) == 2 && waited &&
		   bytes[1] == 'd',
	   "a longer one has");
	close(ends[0]);
	close(ends[1]);
#ifdef RWF_NOWAIT
	cached_answer = 3;
	ok(disk_read_cached(33, bytes, 4) == 3 && cached_flags == RWF_NOWAIT &&
		   cached_to == bytes && cached_bytes == 4,
	   "what is cached is read without waiting");
	cached_answer = 0;
	ok(disk_read_cached(33, bytes, 4) == 0 && errno == EIO,
	   "be it nothing");
	cached_answer = -1;
	ok(disk_read_cached(33, bytes, 4) == -1 && errno == EAGAIN,
	   "any error may be one of the cache");
#endif
}

int
main(void)
{
	test_devices();
	test_waiting();
	test_reads();
	return tap_done();
}
