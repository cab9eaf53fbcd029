/* SPDX-License-Identifier: MIT */
/*
 * Promise: memory of each kind is where the QPUs and the CPU both see it, its
 * caches are flushed before a launch and refreshed after it, and it goes back
 * wiped; and no address that cannot be right is ever used.
 */
#include "config.h"

#include "qpu/ways/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "qpu/abi/soc.h"
#include "qpu/ways/held.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

/* A device whose first buffer, which the driver itself uses, is taken. */
static void *
begin(unsigned nodes)
{
	void *self;

	pi_begin(nodes);
	self = pi_open();
	pi_forget();
	return self;
}

static bool
take(void *self, size_t bytes, struct device_memory *memory)
{
	why.text[0] = '\0';
	return device_vcio.alloc(self, bytes, memory, &why);
}

static enum device_status
run(void *self, uint32_t results, uint32_t other_results)
{
	const struct device_program programs[2] = {
		{ .results = results }, { .results = other_results }
	};

	return device_vcio.run(self, programs, 2, 0, 1000, &why);
}

/* --- Where memory is ------------------------------------------------------ */

static void
test_kinds(void)
{
	static const struct {
		const char *name;
		unsigned nodes;
		const char *taken, *given_back, *told;
		int descriptors; /* of a buffer */
	} rows[] = {
		{ "memory of the kernel", PI_UNCACHED, "s", "", "/dev/vcsm-cma",
		  0 },
		/* It is flushed when it was wiped. */
		{ "cached memory", PI_CACHED, "hi", "f",
		  "/dev/dma_heap/linux,cma", 2 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		void *self = begin(rows[i].nodes);
		const int mapped = pi.mapped, buffers = pi.buffers;
		struct device_memory memory;
		struct device_totals totals;

		ok(take(self, 5000, &memory) && pi_asked(rows[i].taken) &&
			   memory.bytes == 8192 && memory.cpu == pi.last &&
			   pi.last_bytes == 8192 &&
			   pi.buffers == buffers + rows[i].descriptors,
		   "%s is taken in whole pages, and mapped", rows[i].name);
		memset(memory.cpu, 1, memory.bytes);
		device_vcio.free(self, &memory);
		ok(pi_asked(rows[i].given_back) && pi.mapped == mapped &&
			   pi.buffers == buffers && pi.unwiped == 0,
		   "%s goes back, wiped", rows[i].name);
		device_vcio.totals(self, &totals);
		is(totals.memory, rows[i].told, "%s is told", rows[i].name);
		take(self, 4096, &memory);
		memset(memory.cpu, 1, memory.bytes);
		memory.unused = true;
		device_vcio.free(self, &memory);
		ok(pi.unwiped == 1, "%s is not wiped where none was used",
		   rows[i].name);
		pi.unwiped = 0;
		take(self, 4096, &memory);
		memset(memory.cpu, 1, memory.bytes);
		device_vcio.close(self);
		ok(pi.mapped == 0 && pi.buffers == 0 && pi.unwiped == 0,
		   "%s of an open device goes back at its end, wiped",
		   rows[i].name);
	}
}

static void
test_requests(void)
{
	struct device_memory memory;
	void *self = begin(PI_UNCACHED);

	take(self, 4097, &memory);
	ok(pi.vcsm.size == 8192 && pi.vcsm.num == 1 && pi.vcsm.cached == 0 &&
		   strcmp((char *)pi.vcsm.name, "qpu-sha256sum") == 0,
	   "the kernel is asked for a block past the caches");
	ok(memory.bus == 0xda100000,
	   "memory of the kernel is at the address that it tells");
	device_vcio.close(self);

	self = begin(PI_CACHED);
	take(self, 4097, &memory);
	ok(pi.heap.bytes == 8192 && pi.heap.fd == 0 &&
		   pi.heap.fd_flags == (O_RDWR | O_CLOEXEC) &&
		   pi.heap.heap_flags == 0,
	   "the heap is asked for a buffer");
	ok(memory.bus == 0xda100000 && pi.import.cached == 0 &&
		   strcmp((char *)pi.import.name, "qpu-sha256sum") == 0,
	   "the buffer of the heap is at the address of its import");
	device_vcio.close(self);
}

/* A BCM2835 has another alias, and the kernel may tell it or leave it out. */
static void
test_alias(void)
{
	struct device_memory memory;
	unsigned qpus;
	void *self;

	for (unsigned told = 0; told < 2; told++) {
		pi_begin(PI_UNCACHED);
		pi.chip = "brcm,bcm2835";
		pi.dma_addr = told ? 0x5a000000 : 0x1a000000;
		self = device_vcio.open("", &qpus, &why);
		ok(self && take(self, 1, &memory) && memory.bus == 0x5a100000,
		   "memory of a BCM2835 is in its alias, which the kernel %s",
		   told ? "tells" : "does not tell");
		device_vcio.close(self);
	}
}

/* What the kernel gives is closed again. */
static void
refuses(void *self, size_t bytes, const char *name, const char *reason)
{
	const int mapped = pi.mapped, buffers = pi.buffers;
	struct device_memory memory;

	ok(!take(self, bytes, &memory) && pi.mapped == mapped &&
		   pi.buffers == buffers,
	   "%s is not taken", name);
	is(why.text, reason, "the reason why %s is not taken", name);
}

static void
test_refusals(void)
{
	static const char *const nodes[] = { "/dev/vcsm-cma",
					     "/dev/dma_heap/linux,cma" };
	char name[128], text[512];
	void *self;

	for (unsigned cached = 0; cached < 2; cached++) {
		const char *node = nodes[cached];

		self = begin(cached ? PI_CACHED : PI_UNCACHED);
		pi.vcsm_error = pi.heap_error = ENOMEM;
		snprintf(text, sizeof(text),
			 "%s has no 12 KiB in one piece for the QPUs: Cannot "
			 "allocate memory; CmaTotal is 64 MiB, CmaFree 5 MiB: "
			 "close other programs",
			 node);
		refuses(self, 8193,
			cached ? "a heap without memory" :
				 "a kernel without memory",
			text);
		for (unsigned i = 0; i < 2; i++) {
			pi.vcsm_error = pi.heap_error = i ? ENFILE : EMFILE;
			snprintf(name, sizeof(name), "%s: %s", node,
				 strerror(pi.heap_error));
			refuses(self, 1, name,
				"no file descriptors are left for memory of "
				"the QPUs");
		}
		pi.vcsm_error = pi.heap_error = 0;
		pi.map_error = EPERM;
		snprintf(name, sizeof(name), "memory of %s without a mapping",
			 node);
		snprintf(text, sizeof(text),
			 "%s gives memory that cannot be mapped", node);
		refuses(self, 1, name, text);
		pi.dma_addr |= UINT64_C(1) << 32;
		snprintf(name, sizeof(name), "memory of %s beyond 32 bits",
			 node);
		refuses(self, 1, name, text);
		pi.dma_addr = 0x3f000000;
		snprintf(name, sizeof(name), "memory of %s at the peripherals",
			 node);
		snprintf(text, sizeof(text),
			 "%s gives 8 KiB at bus address 0xff000000, where the "
			 "QPUs of a BCM2836 share no memory with the CPU",
			 node);
		refuses(self, 8192, name, text);
		device_vcio.close(self);
	}
	self = begin(PI_CACHED);
	pi.import_error = EINVAL;
	refuses(self, 1, "a buffer that cannot be imported",
		"/dev/dma_heap/linux,cma has no 4 KiB in one piece for the "
		"QPUs: Invalid argument; CmaTotal is 64 MiB, CmaFree 5 MiB: "
		"close other programs");
	device_vcio.close(self);
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

static void
test_number(void)
{
	struct device_memory memory[BUFFERS_MOST];
	unsigned n = 1; /* the driver's own */
	void *self = begin(PI_UNCACHED);

	while (n < BUFFERS_MOST && take(self, 4096, &memory[n]))
		n++;
	ok(n == 216 && !take(self, 4096, &memory[0]),
	   "there are 216 buffers at a time");
	is(why.text, "too many buffers", "a buffer too many is told");
	device_vcio.free(self, &memory[5]);
	ok(take(self, 4096, &memory[5]), "a buffer that went back makes room");
	device_vcio.close(self);
	ok(pi.mapped == 0, "all buffers go back");
}

/* --- Which kind ----------------------------------------------------------- */

static void
test_sources(void)
{
	unsigned qpus, files;
	void *self;

	pi_begin(PI_CACHED);
	pi.open_errors[PI_HEAP] = EACCES;
	self = device_vcio.open("", &qpus, &why);
	ok(self && pi_asked("Es"),
	   "memory is not cached where the heap cannot be opened");
	files = balance_now().files;
	device_vcio.close(self);

	pi_begin(PI_CACHED);
	pi.heap_error = ENOMEM;
	self = device_vcio.open("", &qpus, &why);
	ok(self && pi_asked("Ehs") && balance_now().files == files,
	   "memory is not cached where the heap has none, which is closed");
	device_vcio.close(self);

	pi_begin(PI_CACHED);
	pi.open_errors[PI_VCSM] = EACCES;
	ok(!device_vcio.open("", &qpus, &why), "a node may be closed");
	is(why.text, "/dev/vcsm-cma: Permission denied",
	   "a node that may not be opened is told");
}

/* --- Interruptions -------------------------------------------------------- */

/* With this many free descriptors, is the kernel asked? */
static bool
is_asked_with(void *self, unsigned spare)
{
	struct rlimit usual, few;
	struct device_memory memory;
	unsigned limit = 0, free_ones = 0;

	while (free_ones < spare)
		free_ones += fcntl((int)limit++, F_GETFD) < 0;
	getrlimit(RLIMIT_NOFILE, &usual);
	few = usual;
	few.rlim_cur = limit;
	setrlimit(RLIMIT_NOFILE, &few);
	pi.vcsm_error = EIO;
	pi_forget();
	take(self, 1, &memory);
	setrlimit(RLIMIT_NOFILE, &usual);
	return pi_count('s') == 1;
}

/* A kernel that is interrupted there, or finds no descriptor, oopses. */
static void
test_interruptions(void)
{
	struct device_memory memory;
	struct balance before;
	void *self = begin(PI_UNCACHED);

	ok(!pi.interruptible,
	   "no signal can arrive while the kernel allocates, be handled in "
	   "another thread, or stop the process");
	ok(signal(SIGTSTP, SIG_DFL) == SIG_DFL &&
		   signal(SIGTTIN, SIG_DFL) == SIG_DFL,
	   "the process can be stopped again afterwards");
	before = balance_now();
	ok(is_asked_with(self, 16),
	   "with 16 descriptors to spare the kernel is asked");
	ok(!is_asked_with(self, 15),
	   "with 15 descriptors to spare the kernel is not asked");
	is(why.text, "no file descriptors are left for memory of the QPUs",
	   "too few descriptors are told");
	ok(balance_now().files == before.files,
	   "spare descriptors are closed again");
	held_release();
	pi_forget();
	ok(!take(self, 1, &memory) && pi_asked(""),
	   "a process that is about to end asks no more");
	device_vcio.close(self);

	self = begin(PI_CACHED);
	ok(!pi.interruptible, "no signal can arrive while the kernel imports");
	device_vcio.close(self);
}

/* --- Caches --------------------------------------------------------------- */

static void
test_flush(void)
{
	struct device_memory a, b, c;
	void *self = begin(PI_CACHED);

	take(self, 4096, &a);
	take(self, 4096, &b);
	take(self, 4096, &c);
	pi_forget();
	run(self, 0, 0);
	ok(pi_asked("ffffxc"), "buffers that are new are flushed");
	run(self, 0, 0);
	ok(pi_asked("fx"), "only what was written to is flushed again");
	device_vcio.publish(self, &b);
	run(self, 0, 0);
	ok(pi_asked("ffx"), "a buffer that was written to is flushed");
	device_vcio.publish(self, &b);
	device_vcio.free(self, &b);
	pi_forget();
	run(self, 0, 0);
	ok(pi_asked("fx"), "a buffer that went back is not flushed");
	device_vcio.publish(self, &c);
	pi.sync_errors[0] = EINTR;
	pi.sync_errors[1] = EAGAIN;
	run(self, 0, 0);
	ok(pi_asked("ffffx"), "a flush that is interrupted is repeated");
	device_vcio.close(self);

	self = begin(PI_UNCACHED);
	take(self, 4096, &a);
	pi_forget();
	run(self, a.bus, 0);
	ok(pi_asked("xc"), "memory that is not cached is not flushed");
	device_vcio.close(self);
}

static void
test_refresh(void)
{
	struct device_memory a, b;
	void *self = begin(PI_CACHED);

	take(self, 4096, &a);
	take(self, 4096, &b);
	run(self, 0, 0);
	pi_forget();
	run(self, a.bus, a.bus + 4092);
	ok(pi_asked("fxR"), "a buffer with results is refreshed once");
	run(self, a.bus, b.bus + 64);
	ok(pi_asked("fxRR"), "each buffer with results is refreshed");
	run(self, a.bus - 1, a.bus + 4096);
	ok(pi_asked("fx"), "a buffer beside results is not refreshed");
	pi.sync_errors[1] = EINTR;
	run(self, a.bus, 0);
	ok(pi_asked("fxRR"), "a refresh that is interrupted is repeated");
	device_vcio.close(self);
}

static void
test_end_of_process(void)
{
	struct device_memory memory;
	void *self = begin(PI_UNCACHED);

	take(self, 4096, &memory);
	memset(memory.cpu, 1, 4096);
	held_release();
	device_vcio.free(self, &memory);
	ok(pi.unwiped == 1,
	   "nothing is wiped when the process is about to end: other threads "
	   "may still read there");
	device_vcio.close(self);
}

int
main(void)
{
	test_kinds();
	test_requests();
	test_alias();
	test_refusals();
	test_addresses();
	test_number();
	test_sources();
	test_interruptions();
	test_flush();
	test_refresh();
	test_end_of_process();
	pi_end();
	return tap_done();
}
