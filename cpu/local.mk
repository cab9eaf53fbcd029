# cpu: SHA-256 on the CPU.
noinst_LIBRARIES += %D%/libcpu.a
%C%_libcpu_a_SOURCES = \
	%D%/engine_cpu.c %D%/engine_cpu.h \
	%D%/engine_reference.c %D%/engine_reference.h \
	%D%/features.c %D%/features.h \
	%D%/features_arm.c %D%/features_arm.h \
	%D%/features_x86.c %D%/features_x86.h \
	%D%/kernels.c %D%/kernels.h \
	%D%/kernel_functions.h \
	%D%/lanes_arm.c \
	%D%/lanes_portable.c \
	%D%/lanes_template.h \
	%D%/lanes_x86.c \
	%D%/libcrypto.c %D%/libcrypto.h \
	%D%/sha256.c %D%/sha256.h \
	%D%/streams_arm.c \
	%D%/streams_x86.S
EXTRA_DIST += %D%/README.md
