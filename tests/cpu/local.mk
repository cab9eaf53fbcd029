# cpu: SHA-256 on the CPU, compared with OpenSSL.
cpu_libs = $(CPU_LIBS)
cpu_tests = \
	%D%/test-choice \
	%D%/test-engine-cpu \
	%D%/test-features \
	%D%/test-kernels \
	%D%/test-libcrypto
cpu_vectors = %D%/test-sha256
cpu_suites = \
	%D%/kernels.bats
EXTRA_DIST += $(cpu_suites)
$(cpu_tests): private ROOM_LIBS = $(cpu_libs)
$(cpu_tests): $(cpu_libs)
if WITH_OPENSSL
check_PROGRAMS += $(cpu_tests)
endif
TESTS += $(cpu_suites)

# Without OpenSSL: the library.
cpu_many_tests = %D%/test-sha256many %D%/test-slots
noinst_HEADERS += %D%/digests.h
check_PROGRAMS += $(cpu_many_tests)
$(cpu_many_tests): private ROOM_LIBS = $(cpu_libs)
$(cpu_many_tests): $(cpu_libs)

# The reader pads what the published vectors are about.
$(cpu_vectors): private ROOM_LIBS = src/lanes/liblanes.a $(cpu_libs)
$(cpu_vectors): src/lanes/liblanes.a $(cpu_libs)
if WITH_OPENSSL
check_PROGRAMS += $(cpu_vectors)
endif
