/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vc4_node.h"

#include <errno.h>
#include <linux/ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/abi/v3d.h"

enum {
	DRIVER_FIRST = 0x40,
	REQUEST_MOST = 176, /* bytes of the largest */
	/* Address of the first page on the bus, without alias. */
	CMA_BASE = 0x10000000
};

bool
vc4_suffers(const struct vc4 *vc4, enum pi_fault_kind kind, uint64_t number)
{
	return faults_strike(&vc4->faults, kind, number);
}

/* --- Contiguous memory ------------------------------------------------------ */

bool
vc4_memory_open(struct vc4_memory *memory, uint32_t bytes, struct diag *why)
{
	memory->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory->host == MAP_FAILED) {
		diag_set(why, "no address space for %u MiB of memory: %s",
			 (unsigned)(bytes >> 20), strerror(errno));
		return false;
	}
	memory->pages = bytes / VC4_PAGE;
	memory->is_used = calloc(memory->pages, sizeof(*memory->is_used));
	if (!memory->is_used) {
		diag_set(why, "no memory");
		vc4_memory_close(memory);
		return false;
	}
	return true;
}

void
vc4_memory_close(struct vc4_memory *memory)
{
	if (memory->host)
		munmap(memory->host, (size_t)memory->pages * VC4_PAGE);
	free(memory->is_used);
}

int
vc4_memory_take(void *context, uint32_t bytes, struct vc4_pages *pages)
{
	struct vc4_memory *memory = context;
	const uint32_t n = bytes / VC4_PAGE;
	uint32_t nfree = 0, end = 0;

	/* The lowest place that is large enough. */
	while (nfree < n && end < memory->pages)
		nfree = memory->is_used[end++] ? 0 : nfree + 1;
	if (nfree < n)
		return ENOMEM;
	memset(&memory->is_used[end - n], true, n);
	*pages = (struct vc4_pages){ .bus = CMA_BASE + (end - n) * VC4_PAGE,
				     .bytes = bytes,
				     .host = memory->host +
					     (size_t)(end - n) * VC4_PAGE };
	return 0;
}

void
vc4_memory_give(void *context, const struct vc4_pages *pages)
{
	struct vc4_memory *memory = context;

	/* Pages that come back are zero. */
	if (madvise(pages->host, pages->bytes, MADV_DONTNEED) != 0)
		memset(pages->host, 0, pages->bytes);
	memset(&memory->is_used[(pages->bus - CMA_BASE) / VC4_PAGE], false,
	       pages->bytes / VC4_PAGE);
}

/* --- Requests --------------------------------------------------------------- */

/* drm_copy_field: as much as there is room for, and the whole length. */
static void
give_text(char *to, uintptr_t *bytes, const char *text)
{
	const size_t len = strlen(text);

	if (to)
		memcpy(to, text, *bytes < len ? *bytes : len);
	*bytes = len;
}

static int
version(struct vc4 *vc4, void *request)
{
	struct drm_version *version = request;

	(void)vc4;
	version->major = version->minor = version->patch = 0;
	give_text(version->name, &version->name_bytes, "vc4");
	give_text(version->date, &version->date_bytes, "20140616");
	give_text(version->about, &version->about_bytes,
		  "Broadcom VC4 graphics");
	return 0;
}

static int
get_param(struct vc4 *vc4, void *request)
{
	struct vc4_get_param *get = request;

	if (get->pad)
		return -EINVAL;
	if (get->param <= VC4_PARAM_IDENT2) {
		get->value =
			machine_read(vc4->machine, V3D_IDENT0 + 4 * get->param);
		return 0;
	}
	/* Branches, ETC1, and threads. */
	if (get->param <= VC4_PARAM_THREADED_FS) {
		get->value = 1;
		return 0;
	}
	return -EINVAL;
}

/* A request and its function; size 0 ends the table. */
struct row {
	unsigned long request;
	int (*function)(struct vc4 *, void *request);
};

/* clang-format off */
static const struct row rows[] = {
	{ DRM_VERSION, version },
	{ DRM_GEM_CLOSE, bo_close },
	{ VC4_SUBMIT_CL, job_submit },
	{ VC4_WAIT_SEQNO, queue_wait_seqno },
	{ VC4_CREATE_BO, bo_create },
	{ VC4_MMAP_BO, bo_mmap },
	{ VC4_CREATE_SHADER_BO, bo_create_program },
	{ VC4_GET_PARAM, get_param },
	{ 0, NULL }
};
/* clang-format on */

static const struct row *
row_of(unsigned long request)
{
	const struct row *row = rows;

	while (row->function && _IOC_NR(row->request) != _IOC_NR(request))
		row++;
	return row->function ? row : NULL;
}

/*
 * drm_ioctl: the number alone chooses the request.  A caller may have a shorter
 * or longer struct; what it lacks is zero.
 */
int
vc4_ioctl(struct vc4 *vc4, unsigned long request, void *argument)
{
	const struct row *row;
	uint64_t copy[REQUEST_MOST / 8];
	size_t size;
	int error;

	if (_IOC_TYPE(request) != 'd')
		return -ENOTTY;
	row = row_of(request);
	if (!row)
		return _IOC_NR(request) < DRIVER_FIRST ? -EACCES : -EINVAL;
	size = _IOC_SIZE(request) < _IOC_SIZE(row->request) ?
		       _IOC_SIZE(request) :
		       _IOC_SIZE(row->request);
	memset(copy, 0, sizeof(copy));
	if (_IOC_DIR(request) & _IOC_DIR(row->request) & _IOC_WRITE)
		memcpy(copy, argument, size);
	error = row->function(vc4, copy);
	if (_IOC_DIR(request) & _IOC_DIR(row->request) & _IOC_READ)
		memcpy(argument, copy, size);
	return error;
}

struct vc4 *
vc4_new(const struct vc4_options *options, struct diag *why)
{
	struct vc4 *vc4 = calloc(1, sizeof(*vc4));

	if (!vc4) {
		diag_set(why, "no memory");
		return NULL;
	}
	vc4->options = *options;
	faults_open(&vc4->faults, &options->fault, options->machine.seed);
	if (options->v3d_mhz == 0)
		vc4->options.v3d_mhz = 250;
	if (options->host) {
		vc4->host = *options->host;
	} else if (vc4_memory_open(&vc4->memory, options->cma_mib << 20, why)) {
		vc4->host = (struct vc4_host){ .context = &vc4->memory,
					       .take = vc4_memory_take,
					       .give = vc4_memory_give };
	} else {
		free(vc4);
		return NULL;
	}
	vc4->machine = machine_create(&vc4->options.machine, why);
	if (vc4->machine)
		return vc4;
	vc4_memory_close(&vc4->memory);
	free(vc4);
	return NULL;
}

void
vc4_free(struct vc4 *vc4)
{
	if (!vc4)
		return;
	queue_clear(vc4);
	bo_close_all(vc4);
	machine_destroy(vc4->machine);
	faults_close(&vc4->faults);
	vc4_memory_close(&vc4->memory);
	free(vc4);
}

struct machine *
vc4_machine(struct vc4 *vc4)
{
	return vc4->machine;
}

void
vc4_expect(struct vc4 *vc4, uint64_t instructions)
{
	vc4->expected = instructions;
}

uint64_t
vc4_time_ns(const struct vc4 *vc4)
{
	return vc4->now_ns;
}

uint64_t
vc4_jobs(const struct vc4 *vc4)
{
	return vc4->finished;
}
