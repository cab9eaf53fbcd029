/* SPDX-License-Identifier: MIT */
/*
 * virtual-time: runs a program with threads on a machine that does not exist.
 *
 * Its threads are contexts of one thread (makecontext(3)): one of them runs at
 * a time, until it waits, and the clock that they read stands still meanwhile.
 * Time goes on where a thread says that it computes or sleeps: as many that
 * compute as there are cores get on at the same time.  So a run takes the same
 * virtual time and does the same on every machine.
 *
 * The functions of pthread and clock_gettime that the code under test calls are
 * replaced by the linker (local.mk).  What a thread computes is accounted for
 * in parts of at least 20 us: the order of shorter things is not exact.
 */
#ifndef TESTS_BENCH_VIRTUAL_TIME_H
#define TESTS_BENCH_VIRTUAL_TIME_H

/* From now on the calling thread and those that it starts are on a machine of
 * this number of cores.  Its clock begins at 0.  A thread is started and joined
 * in this many seconds of a core. */
void
virtual_time_begin(unsigned cores, double thread_seconds);

/* The other threads have ended.  Returns the time. */
double
virtual_time_end(void);

double
virtual_time_now(void);

/* The calling thread computes for this time, in seconds of a core. */
void
virtual_time_compute(double seconds);

/* The calling thread has what others leave of the cores: the system prefers
 * threads that often sleep. */
void
virtual_time_give_way(void);

void
virtual_time_sleep_until(double seconds);

#endif
