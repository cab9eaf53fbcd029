# cpu: SHA-256 on the CPU, compared with OpenSSL.
cpu_libs = $(CPU_LIBS)
cpu_tests = \
	%D%/test-choice \
	%D%/test-engine-cpu \
	%D%/test-features \
	%D%/test-kernels \
	%D%/test-sha256many \
	%D%/test-side-by-side
cpu_vectors = %D%/test-sha256
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

# The reader pads what the published vectors are about.
$(cpu_vectors): private ROOM_LIBS = src/lanes/liblanes.a $(cpu_libs)
$(cpu_vectors): src/lanes/liblanes.a $(cpu_libs)
check_PROGRAMS += $(cpu_vectors)
