/* SPDX-License-Identifier: MIT */
/*
 * storage: what files lie on, scripted: what of them is in the page cache, how long
 * a read takes, and who waits for whom.  It notes what is read, and how.
 */
#ifndef TESTS_PIPELINE_STORAGE_H
#define TESTS_PIPELINE_STORAGE_H

#include "tests/pipeline/rig.h"

enum { STORAGE_READS = 4096, STORAGE_MANY = 40 /* threads that read */ };

/* Kinds of storage: */
enum storage_kind {
	FAST,	/* nothing is known of a cache, and no read is slow */
	CACHED, /* on a file system of a disk, as the next two */
	COLD,	/* reads wait for each other, STORAGE_MANY of them */
	BLIND,	/* the kernel cannot tell what is cached */
	MEMORY,
	NFS,
	FUSE,
	BUSY,	/* reads are slow, since others have the processor */
	SERVER, /* reads are slow, and the kernel cannot tell */
	DISK,	/* rotating; all is cold, and slow */
	WARM_DISK,
	BLIND_DISK, /* the kernel cannot tell what is cached */
	MIXED_DISK, /* files from the sixth on are cold */
	SSD,
	MEDIUM, /* what is uncached lies there */
	DIRTY,
	BEING_WRITTEN,
	SILENT, /* does not tell what is dirty */
};

/* Under the lock of rig.seen, but for the wishes. */
extern struct storage {
	/* The test's wishes.  Of all inputs from first_cold on the bytes from
	 * cold_from on, or up to cold_to, are not in the cache: a look there fails
	 * with cache_error, or says that the file ends.  There is no cache if that is 0. */
	uint32_t file_system; /* its magic number, or 0 for the real one */
	int cache_error;
	unsigned first_cold;
	off_t cold_from, cold_to; /* 0: to the end */
	bool says_end;
	bool is_slow;	   /* the clock goes on by 10 ms in each read */
	bool sleeps;	   /* and the thread sleeps meanwhile */
	unsigned together; /* reads that wait for each other */
	/* Reads of this input wait until all others are hashed, but the first
	 * ones. */
	const struct rig_input *stuck;
	unsigned first_reads;
	/* The answer of cachestat(2), if `tells`. */
	bool tells;
	uint64_t dirty, being_written, staying;
	/* What is done with each input until it is closed: w: written to the medium,
	 * D: all pages dropped, d: some dropped, r: read, c: closed. */
	const char *log;

	/* What was seen.  Reads that had to wait, and how many at a time; those of a
	 * cold file beside another one, and those by another thread than the
	 * test's. */
	unsigned reads, waiting, most_waiting, overlaps, ahead;
	bool was_together;
	unsigned maps;		       /* of files */
	unsigned order[STORAGE_READS]; /* the index of the input of each read */
	unsigned nordered;
	unsigned matching,
		others; /* inputs with this log, and with another one */
} storage;

/* Begin a test with storage of this kind. */
void storage_begin(enum storage_kind);

/* Return where cold files of this kind begin. */
unsigned storage_first_cold(enum storage_kind);

/* Put the storage below the next run, and forget what was seen. */
void
storage_use(void);

/* Wait as a call that has to.  Lock not held. */
void
storage_wait(void);

/* Count the reads of inputs in [from, to) that follow a read of another one after
 * the input was left. */
unsigned
storage_returns(unsigned from, unsigned to);

/* Return true if the last read of each input comes before the last one of the
 * next; or, strictly, each read. */
bool
storage_is_in_order(bool strictly);

/* Return what was done with standard input. */
const char *
storage_stdin_log(void);

#endif
