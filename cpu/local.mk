# cpu: SHA-256 on the CPU.

# The library sha256many: kernels, and messages side by side.
noinst_LIBRARIES += %D%/libmany.a
%C%_libmany_a_SOURCES = \
	%D%/features.c %D%/features.h \
	%D%/kernels.c %D%/kernels.h \
	%D%/kernel_functions.h \
	%D%/lanes.c \
	%D%/lanes_template.h \
	%D%/lanes_x86.c \
	%D%/sha256.c %D%/sha256.h \
	%D%/sha256many.c \
	%D%/side_by_side.c %D%/side_by_side.h \
	%D%/streams_arm.c \
	%D%/hybrid_x86.S %D%/streams_x86.S
%C%_libmany_a_CFLAGS = $(PIC_CFLAGS)
EXTRA_DIST += %D%/libsha256many.map %D%/libsha256many.pc.in \
	%D%/sha256many.h man/sha256many.3 man/examples/sha256many.c
if WITH_LIBRARIES
include_HEADERS += %D%/sha256many.h
pkgconfig_files += %D%/libsha256many.pc.in
library_examples_DATA += man/examples/sha256many.c
man3_MANS += man/sha256many.3
libraryexec_DATA += libsha256many.a
libraryexec_PROGRAMS += libsha256many.so.1.0.0
endif
libsha256many_so_1_0_0_SOURCES =
libsha256many_so_1_0_0_LDADD = $(%C%_libmany_a_OBJECTS) src/base/libbase.a
libsha256many_so_1_0_0_LDFLAGS = $(shared_flags) \
	-Wl,-soname,libsha256many.so.1 \
	-Wl,--version-script=$(srcdir)/%D%/libsha256many.map
EXTRA_libsha256many_so_1_0_0_DEPENDENCIES = %D%/libsha256many.map
libsha256many.a: private PUBLIC_NAMES = sha256many_*
libsha256many.a: $(%C%_libmany_a_OBJECTS) src/base/libbase.a
	$(AM_V_AR)$(STATIC_LIBRARY)

# The engine for the program.
noinst_LIBRARIES += %D%/libcpu.a
%C%_libcpu_a_SOURCES = \
	%D%/engine_cpu.c %D%/engine_cpu.h \
	%D%/libcrypto.c %D%/libcrypto.h
EXTRA_DIST += %D%/README.md
