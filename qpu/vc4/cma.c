/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/cma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	PAGE = 4096,
	/* Address of the first page on the bus, without alias. */
	CMA_BASE = 0x10000000
};

bool
cma_open(struct cma *cma, uint32_t bytes, struct diag *why)
{
	cma->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (cma->host == MAP_FAILED) {
		diag_set(why, "no address space for %u MiB of memory: %s",
			 (unsigned)(bytes >> 20), strerror(errno));
		return false;
	}
	cma->pages = bytes / PAGE;
	cma->is_used = calloc(cma->pages, sizeof(*cma->is_used));
	if (!cma->is_used) {
		diag_set(why, "no memory");
		cma_close(cma);
		return false;
	}
	return true;
}

void
cma_close(struct cma *cma)
{
	if (cma->host)
		munmap(cma->host, (size_t)cma->pages * PAGE);
	free(cma->is_used);
}

int
cma_take(void *context, uint32_t bytes, struct vc4_pages *pages)
{
	struct cma *cma = context;
	const uint32_t n = bytes / PAGE;
	uint32_t nfree = 0, end = 0;

	/* The lowest place that is large enough. */
	while (nfree < n && end < cma->pages)
		nfree = cma->is_used[end++] ? 0 : nfree + 1;
	if (nfree < n)
		return ENOMEM;
	memset(&cma->is_used[end - n], true, n);
	*pages = (struct vc4_pages){ .bus = CMA_BASE + (end - n) * PAGE,
				     .bytes = bytes,
				     .host = cma->host +
					     (size_t)(end - n) * PAGE };
	return 0;
}

void
cma_give(void *context, const struct vc4_pages *pages)
{
	struct cma *cma = context;

	/* Pages that come back are zero. */
	if (madvise(pages->host, pages->bytes, MADV_DONTNEED) != 0)
		memset(pages->host, 0, pages->bytes);
	memset(&cma->is_used[(pages->bus - CMA_BASE) / PAGE], false,
	       pages->bytes / PAGE);
}
