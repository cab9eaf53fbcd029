/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/cma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

bool
cma_open(struct cma *cma, uint32_t bytes, uint32_t hole, struct diag *why)
{
	void *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (host == MAP_FAILED) {
		diag_set(why, "no address space for %u MiB of memory: %s",
			 (unsigned)(bytes >> 20), strerror(errno));
		return false;
	}
	*cma = (struct cma){ .host = host, .bytes = bytes, .hole = hole };
	return true;
}

void
cma_close(struct cma *cma)
{
	if (cma->host)
		munmap(cma->host, cma->bytes);
	free(cma->pieces);
	*cma = (struct cma){ 0 };
}

/* True if bytes at `at` would cover a page that cannot be moved. */
static bool
covers_fixed_page(const struct cma *cma, uint32_t at, uint32_t bytes,
		  uint32_t *next)
{
	uint32_t page;

	if (cma->hole == 0)
		return false;
	page = at / (cma->hole + PAGE) * (cma->hole + PAGE) + cma->hole;
	if (at + bytes <= page)
		return false;
	*next = page + PAGE;
	return true;
}

/* The lowest place that fits, and the piece before which it lies. */
static bool
find_gap(const struct cma *cma, uint32_t bytes, uint32_t *at, unsigned *before)
{
	*at = 0;
	*before = 0;
	while (*at <= cma->bytes - bytes) {
		const struct cma_piece *piece = &cma->pieces[*before];

		if (covers_fixed_page(cma, *at, bytes, at))
			continue;
		if (*before == cma->npieces)
			return true;
		if (piece->at + piece->bytes <= *at) {
			++*before;
			continue;
		}
		if (*at + bytes <= piece->at)
			return true;
		*at = piece->at + piece->bytes;
		++*before;
	}
	return false;
}

int
cma_take(void *context, uint32_t bytes, struct vc4_pages *pages)
{
	struct cma *cma = context;
	uint32_t at;
	unsigned before;

	if (cma->npieces == cma->room) {
		const unsigned room = cma->room ? 2 * cma->room : 64;
		void *more = realloc(cma->pieces, room * sizeof(*cma->pieces));

		if (!more)
			return ENOMEM;
		cma->pieces = more;
		cma->room = room;
	}
	if (bytes > cma->bytes || !find_gap(cma, bytes, &at, &before))
		return ENOMEM;
	memmove(&cma->pieces[before + 1], &cma->pieces[before],
		(cma->npieces++ - before) * sizeof(*cma->pieces));
	cma->pieces[before] = (struct cma_piece){ at, bytes };
	*pages = (struct vc4_pages){ .bus = CMA_BASE + at,
				     .bytes = bytes,
				     .host = cma->host + at };
	return 0;
}

void
cma_give(void *context, const struct vc4_pages *pages)
{
	struct cma *cma = context;
	const uint32_t at = pages->bus - CMA_BASE;
	unsigned i = 0;

	while (i < cma->npieces && cma->pieces[i].at != at)
		i++;
	if (i == cma->npieces)
		return;
	/* Pages that come back are zero. */
	if (madvise(pages->host, pages->bytes, MADV_DONTNEED) != 0)
		memset(pages->host, 0, pages->bytes);
	memmove(&cma->pieces[i], &cma->pieces[i + 1],
		(--cma->npieces - i) * sizeof(*cma->pieces));
}
