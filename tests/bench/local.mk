# bench: --benchmark, --list-devices; benchmarks.
bench_tests = \
	%D%/test-bench \
	%D%/test-listing \
	%D%/test-rates
if WITH_QPU
bench_tests += %D%/test-makespan
endif
bench_suites = \
	%D%/bench.bats
noinst_HEADERS += \
	%D%/board.h \
	%D%/virtual-time.h
EXTRA_DIST += $(bench_suites)
$(bench_tests): private ROOM_LIBS = $(ALL_LIBS)
$(bench_tests): $(ALL_LIBS)
check_PROGRAMS += $(bench_tests)
TESTS += $(bench_suites)

# --- Benchmarks ---------------------------------------------------------------
bench_programs = %D%/boards %D%/cputime
EXTRA_PROGRAMS += $(bench_programs)
%C%_boards_SOURCES = %D%/boards.c %D%/board-run.c %D%/virtual-time.c
# Functions that take virtual time on a modelled board.
virtual_functions = clock_gettime pthread_create pthread_join \
	pthread_mutex_lock pthread_mutex_unlock \
	pthread_cond_wait pthread_cond_signal pthread_cond_broadcast \
	open close read pread stat fstat lseek
%C%_boards_LDFLAGS = $(virtual_functions:%=-Wl,--wrap=%)
%C%_test_makespan_SOURCES = %D%/test-makespan.c %D%/board-run.c %D%/virtual-time.c
%C%_test_makespan_LDFLAGS = $(virtual_functions:%=-Wl,--wrap=%)
$(bench_programs): private ROOM_LIBS = $(ALL_LIBS)
$(bench_programs): $(ALL_LIBS)
if WITH_QPU
check_DATA += %D%/boards$(EXEEXT)
endif
if WITH_OPENSSL
bench_many = %D%/many
EXTRA_PROGRAMS += $(bench_many)
$(bench_many): private ROOM_LIBS = $(CPU_LIBS)
$(bench_many): $(CPU_LIBS)
endif
# A plain loop over libsha256many, as a peer.
bench_loop = %D%/loop
EXTRA_PROGRAMS += $(bench_loop)
$(bench_loop): private ROOM_LIBS = $(CPU_LIBS)
$(bench_loop): $(CPU_LIBS)
check_DATA += %D%/loop$(EXEEXT)
EXTRA_DIST += \
	%D%/common.bash %D%/plots.gp %D%/qpus.sh %D%/run.sh \
	%D%/storage.sh %D%/table.sh
bench_environment = \
	QPU_SHA256SUM='$(abs_top_builddir)/qpu-sha256sum$(EXEEXT)' \
	CPUTIME='$(abs_top_builddir)/%D%/cputime$(EXEEXT)' \
	LOOP='$(abs_top_builddir)/%D%/loop$(EXEEXT)'

# Cold and warm trees and files of the disk of DIR, and storage far away.
DIR = .
bench-storage: qpu-sha256sum$(EXEEXT) tests/support/preload.so \
		%D%/cputime$(EXEEXT)
	@bash $(srcdir)/%D%/storage.sh ./qpu-sha256sum$(EXEEXT) \
		./tests/support/preload.so ./%D%/cputime$(EXEEXT) '$(DIR)'

# Raspberry Pis: the program's pipeline on modelled boards.
bench-boards: %D%/boards$(EXEEXT)
	./%D%/boards$(EXEEXT)

# Files on QPUs, modelled.
bench-qpus: qpu-sha256sum$(EXEEXT)
	@bash $(srcdir)/%D%/qpus.sh ./qpu-sha256sum$(EXEEXT)

# libsha256many against OpenSSL and isa-l_crypto; see bench/many.c.
bench-many: $(bench_many:%=%$(EXEEXT))
	@for program in $(bench_many); do ./$$program; done

# Against sha256sum, openssl and what is in PEERS; see bench/run.sh.
bench: qpu-sha256sum$(EXEEXT) %D%/cputime$(EXEEXT) %D%/loop$(EXEEXT) bench-many
	@$(bench_environment) bash $(srcdir)/%D%/run.sh

# README's table.
bench-table: qpu-sha256sum$(EXEEXT) %D%/cputime$(EXEEXT) %D%/loop$(EXEEXT)
	@$(bench_environment) SCALE="$${SCALE-16}" \
		bash $(srcdir)/%D%/table.sh

# The same as a picture; needs gnuplot.
PLOTS = plots
bench-plots: qpu-sha256sum$(EXEEXT) %D%/cputime$(EXEEXT) %D%/loop$(EXEEXT)
	@$(bench_environment) bash $(srcdir)/%D%/table.sh '$(PLOTS)'
.PHONY: bench bench-boards bench-many bench-plots bench-qpus bench-storage \
	bench-table
