# cpu: SHA-256 on the CPU.
cpu_libs = $(CPU_LIBS)
cpu_tests = \
	%D%/test-calibration \
	%D%/test-choice \
	%D%/test-engine-cpu \
	%D%/test-engine-cpu-open \
	%D%/test-engine-reference \
	%D%/test-features \
	%D%/test-kernels \
	%D%/test-libcrypto \
	%D%/test-messages \
	%D%/test-sha256 \
	%D%/test-vectors
cpu_suites = \
	%D%/kernels.bats
EXTRA_DIST += $(cpu_suites)
$(cpu_tests): private ROOM_LIBS = $(cpu_libs)
$(cpu_tests): $(cpu_libs)
check_PROGRAMS += $(cpu_tests)
TESTS += $(cpu_suites)

%C%_test_calibration_LDFLAGS = $(wrap)clock_ns
%C%_test_engine_cpu_LDFLAGS = \
	$(wrap)libcrypto_load,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=libcrypto_blocks
%C%_test_engine_cpu_open_LDFLAGS = $(wrap)malloc,--wrap=calloc
%C%_test_libcrypto_LDFLAGS = \
	$(wrap)dlopen,--wrap=dlerror,--wrap=dlsym,--wrap=dlclose

# Published vectors go through the reader, too.
cpu_vectors = %D%/test-vectors
$(cpu_vectors): private ROOM_LIBS = $(ALL_LIBS)
$(cpu_vectors): $(ALL_LIBS)
