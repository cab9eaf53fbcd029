# api: libqpu, the toolchain as a library: qpu.h is all that its users include.
%C%_libapi_a_SOURCES = \
	%D%/hazards.c \
	%D%/machine.c \
	%D%/message.c \
	%D%/optimise.c \
	%D%/handle.h \
	%D%/program.c \
	qpu/qpu.h
%C%_libapi_a_CFLAGS = $(PIC_CFLAGS)

LIBQPU = $(%C%_libapi_a_OBJECTS) qpu/asm/libasm.a qpu/opt/libopt.a qpu/validate/libvalidate.a \
	qpu/emulator/libemulator.a qpu/isa/libisa.a \
	src/base/libbase.a
EXTRA_DIST += %D%/libqpu.map %D%/libqpu.pc.in man/qpu.3 man/examples/qpu.c
if WITH_LIBRARIES
if WITH_TOOLS
include_HEADERS += qpu/qpu.h
pkgconfig_files += %D%/libqpu.pc.in
library_examples_DATA += man/examples/qpu.c
man3_MANS += man/qpu.3
libraryexec_DATA += libqpu.a
libraryexec_PROGRAMS += libqpu.so.1.0.0
endif
endif
libqpu_so_1_0_0_SOURCES =
libqpu_so_1_0_0_LDADD = $(LIBQPU) -lm
libqpu_so_1_0_0_LDFLAGS = $(shared_flags) -Wl,-soname,libqpu.so.1 \
	-Wl,--version-script=$(srcdir)/%D%/libqpu.map
EXTRA_libqpu_so_1_0_0_DEPENDENCIES = %D%/libqpu.map
# Names of the toolchain's other parts begin with qpu_ but are hidden.
libqpu.a: private PUBLIC_NAMES = qpu_*
libqpu.a: $(LIBQPU)
	$(AM_V_AR)$(STATIC_LIBRARY)
