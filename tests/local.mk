# tests: every test speaks TAP.  Each room of tests describes itself in its
# local.mk; this fragment has what all of them share.
#
# A C program is named after its only source, unless lines in its room say
# otherwise.  It is linked with the libraries of its room, which two rules there
# name (so that nothing else is built for it), and with libsupport.a, which stands between it and the C library (support/fault.h).
PIPELINE_LIBS = src/pipeline/libpipeline.a src/feed/libfeed.a \
	src/lanes/liblanes.a $(CPU_LIBS)
OUTPUT_LIBS = src/inputs/libinputs.a src/output/liboutput.a $(PIPELINE_LIBS)
ALL_LIBS = $(PROGRAM_LIBS) $(QPU_LIBS) $(TEST_TOOLCHAIN) $(CPU_LIBS)
LDADD = $(ROOM_LIBS) $(support_libs) $(CRYPTO_LIBS) -lm
# The two need each other, and a linker may read each library once.
support_libs = tests/support/libsupport.a src/base/libbase.a \
	tests/support/libsupport.a
if WITH_QPU
TEST_TOOLCHAIN = $(QPU_TOOLCHAIN)
endif

# The functions of support/fault.h, with their names for large files and for
# times after 2038.
fault_functions = malloc calloc realloc reallocarray aligned_alloc strdup free \
	mmap mmap64 munmap open open64 openat openat64 faccessat close read pread pread64 \
	preadv2 preadv64v2 write ioctl __ioctl_time64 fchmod fsync link rename unlink fdatasync flock statx \
	fstat fstat64 __fstat64_time64 fstatfs fstatfs64 posix_fadvise posix_fadvise64 \
	lseek lseek64 poll fopen fopen64 fdopen opendir readdir readdir64 syscall uname isatty \
	tcgetpgrp sched_getaffinity getrusage __getrusage64 dlopen dlsym dlclose \
	clock_gettime __clock_gettime64 \
	pthread_create pthread_join \
	pthread_cond_wait pthread_cond_timedwait __pthread_cond_timedwait64
fault_flags = $(fault_functions:%=-Wl,--wrap=%)
$(check_PROGRAMS): private AM_LDFLAGS = $(fault_flags)

# Functions that a test replaces by its own; with AM_LDFLAGS it has faults, too.
wrap = -Wl,--wrap=

check_LIBRARIES += %D%/support/libsupport.a
%C%_support_libsupport_a_SOURCES = \
	%D%/support/balance.c \
	%D%/support/capture.c %D%/support/capture.h %D%/support/crypto.h \
	%D%/support/fault.c %D%/support/fault.h \
	%D%/support/golden.c %D%/support/golden.h \
	%D%/support/random.h \
	%D%/support/scratch.c %D%/support/scratch.h \
	%D%/support/tap.h

include tests/api/local.mk
include tests/asm/local.mk
include tests/base/local.mk
include tests/bench/local.mk
include tests/cli/local.mk
include tests/cpu/local.mk
include tests/debugger/local.mk
include tests/ways/local.mk
include tests/emulator/local.mk
include tests/sha/local.mk
include tests/foreign/local.mk
include tests/fuzz/local.mk
include tests/hardware/local.mk
include tests/inputs/local.mk
include tests/isa/local.mk
include tests/kernel/local.mk
include tests/mutation/local.mk
include tests/opt/local.mk
include tests/output/local.mk
include tests/package/local.mk
include tests/pipeline/local.mk
include tests/soak/local.mk
include tests/validate/local.mk
include tests/vc4/local.mk
include tests/virtual/local.mk

# --- How tests are run ----------------------------------------------------------
# Suites are the programs as users see them: in bats, and one that compares with
# GNU, command line by command line.  QPU_TESTS=quick leaves out what takes long,
# QPU_TESTS=all adds more suites on virtual boards (ways/on-board.bats).
TESTS += $(check_PROGRAMS) %D%/arrows.bats
TEST_EXTENSIONS = .bats .test
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
BATS_LOG_DRIVER = $(LOG_DRIVER)
if HAVE_BATS
BATS_LOG_COMPILER = $(BATS)
AM_BATS_LOG_FLAGS = --tap
else
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/support/no-bats.sh
endif
TEST_LOG_DRIVER = $(LOG_DRIVER)
TEST_LOG_COMPILER = bash
# Other users may read what tests write, no matter who calls make, and messages are
# in English; no test reads from a terminal or finds its standard input closed.
AM_TESTS_FD_REDIRECT = </dev/null
AM_TESTS_ENVIRONMENT = umask 022; LC_ALL=C; \
	QPU_SHA256SUM='$(abs_top_builddir)/qpu-sha256sum$(EXEEXT)'; \
	QPU_BUILD='$(abs_top_builddir)'; \
	export LC_ALL QPU_SHA256SUM QPU_BUILD;
EXTRA_DIST += \
	%D%/arrows.bats \
	%D%/support/check-arm \
	%D%/support/check-json.py \
	%D%/support/common.bash \
	%D%/support/no-bats.sh \
	%D%/support/preload.c \
	%D%/support/preload.h \
	%D%/support/preload_files.c \
	%D%/support/wrong-crypto.c \
	test-data/README \
	test-data/SHA256LongMsg.rsp \
	test-data/SHA256Monte.rsp \
	test-data/SHA256ShortMsg.rsp

# Libraries that suites preload: one makes system calls fail, or slow; one is a
# libcrypto with wrong results.  They are built without sanitizers, since they stand
# between the program and the C library.
SHARED_OBJECT = $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
	$(WARN_CFLAGS) $(filter-out -fsanitize=%,$(CFLAGS)) -fPIC -shared
shared_objects = %D%/support/preload.so %D%/support/wrong-crypto.so
check_DATA += $(shared_objects)
CLEANFILES += $(shared_objects)
preload_sources = %D%/support/preload.c %D%/support/preload_files.c \
	%D%/support/fault.c
%D%/support/preload.so: $(preload_sources) %D%/support/fault.h \
	%D%/support/preload.h config.h
	@$(MKDIR_P) %D%/support
	$(AM_V_CCLD)$(SHARED_OBJECT) -DFAULT_PRELOAD -o $@ \
		$(preload_sources:%=$(srcdir)/%) -ldl
wrong_crypto_sources = %D%/support/wrong-crypto.c cpu/sha256.c \
	src/base/fips180.c
%D%/support/wrong-crypto.so: $(wrong_crypto_sources) config.h
	@$(MKDIR_P) %D%/support
	$(AM_V_CCLD)$(SHARED_OBJECT) -o $@ \
		$(wrong_crypto_sources:%=$(srcdir)/%)

# The tests on the CPUs of Raspberry Pis; see support/check-arm.
EXTRA_PROGRAMS += %D%/support/stand-in
%C%_support_stand_in_LDFLAGS = -static
%C%_support_stand_in_LDADD =
check-arm: qpuasm$(EXEEXT) %D%/support/stand-in$(EXEEXT)
	@QPUASM='$(abs_builddir)/qpuasm$(EXEEXT)' \
	STAND_IN='$(abs_builddir)/%D%/support/stand-in$(EXEEXT)' \
		bash $(srcdir)/%D%/support/check-arm
.PHONY: check-arm
