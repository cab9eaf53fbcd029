# cpu: SHA-256 on the CPU, compared with OpenSSL.
cpu_libs = $(CPU_LIBS)
cpu_tests = \
	%D%/test-choice \
	%D%/test-engine-cpu \
	%D%/test-features \
	%D%/test-kernels \
	%D%/test-sha256 \
	%D%/test-sha256many
cpu_suites = \
	%D%/kernels.bats
EXTRA_DIST += $(cpu_suites)
if WITH_OPENSSL
cpu_tests += %D%/test-libcrypto
endif
$(cpu_tests): private ROOM_LIBS = $(cpu_libs)
$(cpu_tests): $(cpu_libs)
check_PROGRAMS += $(cpu_tests)
noinst_HEADERS += %D%/digests.h %D%/guarded.h
TESTS += $(cpu_suites)
