/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/pipeline/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <unistd.h>

enum { CACHESTAT = 451, FILES = 1024, LOG = 64 };

struct storage storage;

static __thread long sleeps;
static pthread_t test_thread;

/* The calls for the input of each descriptor. */
static struct {
	char log[LOG];
	uint64_t read, dropped;
} files[FILES];

/* Logs ----------------------------------------------------------------------- */

static bool
is_noted(int fd)
{
	return fd >= 0 && fd < FILES;
}

/* Lock held. */
static void
note(int fd, char what)
{
	const size_t n = is_noted(fd) ? strlen(files[fd].log) : LOG;

	if (n + 1 < LOG &&
	    !(what == 'r' && n > 0 && files[fd].log[n - 1] == 'r'))
		files[fd].log[n] = what;
}

static int
sync_noted(int fd)
{
	rig_lock();
	note(fd, 'w');
	rig_unlock();
	return 0;
}

/* Note an advice.  Only bytes that were read are dropped, and more each time. */
static int
advise_noted(int fd, off_t at, off_t n, int advice)
{
	rig_lock();
	if (advice == POSIX_FADV_DONTNEED && is_noted(fd)) {
		const uint64_t end = (uint64_t)n;

		note(fd, n == 0 ? 'D' : 'd');
		if (n > 0 && (end > files[fd].read || end <= files[fd].dropped))
			note(fd, '?');
		files[fd].dropped = end;
	}
	rig_unlock();
	return at == 0 ? 0 : EINVAL;
}

static int
close_noted(int fd)
{
	rig_lock();
	if (is_noted(fd) && files[fd].log[0]) {
		note(fd, 'c');
		if (strcmp(files[fd].log, storage.log) == 0)
			storage.matching++;
		else if (strpbrk(files[fd].log, "Ddw"))
			storage.others++;
		memset(&files[fd], 0, sizeof(files[fd]));
	}
	rig_unlock();
	return fault_real_close(fd);
}

static long
count_pages(long number, long a, long b, long c, long d, long e, long f)
{
	uint64_t *counts = (uint64_t *)c;
	bool is_written;

	if (number != CACHESTAT)
		return fault_real_syscall(number, a, b, c, d, e, f);
	if (!storage.tells) {
		errno = ENOSYS;
		return -1;
	}
	rig_lock();
	is_written = strchr(files[a].log, 'w');
	rig_unlock();
	counts[0] = storage.staying;
	counts[1] = is_written ? 0 : storage.dirty;
	counts[2] = is_written ? 0 : storage.being_written;
	return 0;
}

const char *
storage_stdin_log(void)
{
	return files[STDIN_FILENO].log;
}

/* Reads ------------------------------------------------------------------------- */

static bool
are_together(void)
{
	return storage.was_together;
}

static bool
others_are_hashed(void)
{
	for (unsigned i = 0; i < rig.n; i++)
		if (rig.inputs[i].engines == 0 &&
		    &rig.inputs[i] != storage.stuck)
			return false;
	return true;
}

void
storage_wait(void)
{
	rig_lock();
	if (++storage.waiting > storage.most_waiting)
		storage.most_waiting = storage.waiting;
	storage.was_together |= storage.waiting >= storage.together;
	rig_unlock();
	rig_wait(are_together);
	if (storage.is_slow)
		fault_clock_advance(FAULT_SECOND / 100);
	sleeps += storage.sleeps;
	rig_lock();
	storage.waiting--;
	rig_unlock();
}

/* Lock held. */
static void
note_read(const struct rig_input *input)
{
	if (storage.nordered < STORAGE_READS)
		storage.order[storage.nordered++] =
			(unsigned)(input - rig.inputs);
	storage.ahead += !pthread_equal(pthread_self(), test_thread);
}

static bool
is_cold(const struct rig_input *input, off_t at)
{
	return storage.cache_error && at >= storage.cold_from &&
	       (!storage.cold_to || at < storage.cold_to) &&
	       (unsigned)(input - rig.inputs) >= storage.first_cold;
}

static unsigned in_cold; /* reads of cold inputs; under the lock */

/* Begin a read of an input.  Return true if it goes on with a cold one in order;
 * the first such read only finds out that it takes long. */
static bool
begin_read(int fd, off_t at)
{
	const struct rig_input *input = rig_input_of(fd);
	const off_t from = at < 0 ? lseek(fd, 0, SEEK_CUR) : at;
	bool is_stuck = input == storage.stuck, is_next;

	if (!input)
		return false;
	rig_lock();
	storage.reads++;
	note_read(input);
	if (is_stuck && storage.first_reads > 0) {
		storage.first_reads--;
		is_stuck = false;
	}
	is_next = at < 0 && from > 0 && is_cold(input, from);
	storage.overlaps += is_next && in_cold > 0;
	in_cold += is_next;
	rig_unlock();
	if (is_stuck)
		rig_wait(others_are_hashed);
	else
		storage_wait();
	return is_next;
}

static ssize_t
end_read(int fd, ssize_t got, bool is_next)
{
	rig_lock();
	in_cold -= is_next;
	note(fd, 'r');
	if (got > 0 && is_noted(fd))
		files[fd].read += (uint64_t)got;
	rig_unlock();
	return got;
}

static ssize_t
read_noted(int fd, void *to, size_t n)
{
	const bool is_next = begin_read(fd, -1);

	return end_read(fd, fault_real_read(fd, to, n), is_next);
}

static ssize_t
pread_noted(int fd, void *to, size_t n, off_t at)
{
	const bool is_next = begin_read(fd, at);

	return end_read(fd, fault_real_pread(fd, to, n, at), is_next);
}

static ssize_t
read_cached(int fd, const struct iovec *to, int n, off_t at, int flags)
{
	const struct rig_input *input = rig_input_of(fd);
	const off_t from = at < 0 ? lseek(fd, 0, SEEK_CUR) : at;

	(void)flags;
	if (n != 1)
		rig_misuse("what is cached is read elsewhere");
	if (input && is_cold(input, from)) {
		errno = storage.cache_error;
		return storage.says_end ? 0 : -1;
	}
	if (input) {
		rig_lock();
		note_read(input);
		rig_unlock();
	}
	return at < 0 ? fault_real_read(fd, to->iov_base, to->iov_len) :
			fault_real_pread(fd, to->iov_base, to->iov_len, at);
}

/* The rest of the system ---------------------------------------------------------- */

static int
say_file_system(int fd, struct statfs *to)
{
	const int failed = fault_real_fstatfs(fd, to);

	if (storage.file_system)
		to->f_type = (__typeof__(to->f_type))storage.file_system;
	return failed;
}

static int
count_sleeps(int who, struct rusage *usage)
{
	(void)who;
	*usage = (struct rusage){ .ru_nvcsw = sleeps };
	return 0;
}

static void *
note_map(void *address, size_t n, int prot, int flags, int fd, off_t at)
{
	rig_lock();
	storage.maps += fd >= 0;
	rig_unlock();
	return fault_real_mmap(address, n, prot, flags, fd, at);
}

/* Kinds ----------------------------------------------------------------------------- */

static const struct {
	uint32_t file_system;
	int cache_error;
	unsigned first_cold;
	bool is_slow, sleeps, waits_for_others;
	const char *root;
} kinds[] = {
	[FAST] = { .cache_error = EOPNOTSUPP },
	[CACHED] = { .file_system = EXT4_SUPER_MAGIC },
	[COLD] = { .file_system = EXT4_SUPER_MAGIC,
		   .cache_error = EAGAIN,
		   .waits_for_others = true,
		   .root = "still" },
	[BLIND] = { .file_system = EXT4_SUPER_MAGIC, .cache_error = ENOSYS },
	[MEMORY] = { .file_system = TMPFS_MAGIC, .cache_error = EOPNOTSUPP },
	[NFS] = { .file_system = NFS_SUPER_MAGIC },
	[FUSE] = { .file_system = FUSE_SUPER_MAGIC },
	[BUSY] = { .file_system = NFS_SUPER_MAGIC,
		   .cache_error = EOPNOTSUPP,
		   .is_slow = true },
	[SERVER] = { .file_system = NFS_SUPER_MAGIC,
		     .cache_error = EOPNOTSUPP,
		     .is_slow = true,
		     .sleeps = true },
	[DISK] = { .cache_error = EAGAIN, .is_slow = true, .root = "rotating" },
	[BLIND_DISK] = { .cache_error = ENOSYS,
			 .is_slow = true,
			 .root = "rotating" },
	[WARM_DISK] = { .is_slow = true, .root = "rotating" },
	[MIXED_DISK] = { .cache_error = EAGAIN,
			 .first_cold = 5,
			 .is_slow = true,
			 .root = "rotating" },
	[SSD] = { .cache_error = EAGAIN, .is_slow = true, .root = "still" },
	[MEDIUM] = { .cache_error = ENOSYS },
	[DIRTY] = { .cache_error = ENOSYS },
	[BEING_WRITTEN] = { .cache_error = ENOSYS },
	[SILENT] = { .cache_error = ENOSYS },
};

unsigned
storage_first_cold(enum storage_kind kind)
{
	return kinds[kind].first_cold;
}

/* Runs ------------------------------------------------------------------------------ */

void
storage_begin(enum storage_kind kind)
{
	rig_begin();
	memset(&storage, 0, sizeof(storage));
	storage.file_system = kinds[kind].file_system;
	storage.cache_error = kinds[kind].cache_error;
	storage.first_cold = kinds[kind].first_cold;
	storage.is_slow = kinds[kind].is_slow;
	storage.sleeps = kinds[kind].sleeps;
	storage.together = kinds[kind].waits_for_others ? STORAGE_MANY : 0;
	storage.tells = kind != SILENT;
	storage.dirty = kind == DIRTY;
	storage.being_written = kind == BEING_WRITTEN;
	rig.config.root = kinds[kind].root;
	rig.readers = kind == FAST ? 0 : STORAGE_MANY;
}

void
storage_use(void)
{
	test_thread = pthread_self();
	memset(files, 0, sizeof(files));
	storage.reads = storage.waiting = storage.most_waiting = 0;
	storage.overlaps = storage.ahead = storage.maps = 0;
	storage.nordered = storage.matching = storage.others = 0;
	storage.was_together = storage.together <= 1;
	fault_hooks.read = read_noted;
	fault_hooks.pread = pread_noted;
	fault_hooks.preadv2 = read_cached;
	fault_hooks.getrusage = count_sleeps;
	fault_hooks.fstatfs = say_file_system;
	fault_hooks.mmap = note_map;
	if (!storage.log)
		return;
	fault_hooks.fdatasync = sync_noted;
	fault_hooks.posix_fadvise = advise_noted;
	fault_hooks.close = close_noted;
	fault_hooks.syscall = count_pages;
}

unsigned
storage_returns(unsigned from, unsigned to)
{
	static bool begun[RIG_INPUTS], left[RIG_INPUTS];
	unsigned count = 0, last = RIG_INPUTS;

	memset(begun, 0, sizeof(begun));
	memset(left, 0, sizeof(left));
	for (unsigned i = 0; i < storage.nordered; i++) {
		const unsigned file = storage.order[i];

		if (file < from || file >= to)
			continue;
		if (!begun[file]) {
			begun[file] = true;
			continue;
		}
		if (file != last && last < RIG_INPUTS)
			left[last] = true;
		count += left[file];
		last = file;
	}
	return count;
}

bool
storage_is_in_order(bool strictly)
{
	unsigned next = rig.n;

	for (unsigned i = storage.nordered; i-- > 0;) {
		if (storage.order[i] + 1 == next)
			next--;
		else if (strictly ? storage.order[i] != next :
				    storage.order[i] < next)
			return false;
	}
	return next == 0;
}
